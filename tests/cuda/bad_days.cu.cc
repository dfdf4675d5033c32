// What goes wrong on a GPU, each on an op of its own; "how" says which.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/util/gpu_kernel_helper.h"

namespace tensorflow {

__global__ void Touch(float* value) { *value = 1; }

class GpuBadDayOp : public OpKernel {
 public:
  explicit GpuBadDayOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("how", &how_));
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({4}), &out));
    const Eigen::GpuDevice& d = ctx->eigen_gpu_device();
    auto flat = out->flat<float>();
    if (how_ == "a block too large") {
      OP_REQUIRES_OK(ctx, GpuLaunchKernel(Touch, 1, 1 << 20, 0, d.stream(), flat.data()));
    } else if (how_ == "a block too large for the host") {
      OP_REQUIRES_OK(ctx, GpuLaunchKernel(ctx, Touch, 1, 1 << 20, 0, flat.data()));
    } else if (how_ == "nothing to do") {
      GetGpuLaunchConfig(0, d);
    } else if (how_ == "a failure before an expression") {
      // Eigen cannot tell it from one of its own.
      cudaSetDevice(-1);
      flat.device(d) = flat.constant(3);
    } else if (how_ == "a slice for an output") {
      Tensor temporary;
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_FLOAT, TensorShape({8}), &temporary));
      ctx->set_output(0, temporary.Slice(2, 6));
    } else if (how_ == "no memory") {
      d.allocate(size_t{1} << 60);
    } else if (how_ == "memory forgotten") {
      d.memset(d.allocate(1 << 20), 1, 1 << 20);
      flat.device(d) = flat.constant(4);
    } else {
      ctx->SetStatus(errors::InvalidArgument(how_));
    }
  }

 private:
  string how_;
};

REGISTER_OP("GpuBadDay").Output("out: float").Attr("how: string").SetIsStateful();
REGISTER_KERNEL_BUILDER(Name("GpuBadDay").Device(DEVICE_GPU), GpuBadDayOp);
// Where it can have no stream of a GPU's.
REGISTER_KERNEL_BUILDER(Name("GpuBadDay").Device(DEVICE_CPU), GpuBadDayOp);

}  // namespace tensorflow
