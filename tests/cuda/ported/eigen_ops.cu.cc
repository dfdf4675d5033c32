// AddV2 and Sum as expressions. A whole sum needs Eigen's scratchpad and semaphore, one along an
// axis memory of the device as well.
#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

typedef Eigen::GpuDevice GPUDevice;

template <typename Device, typename T>
class AddOp : public OpKernel {
 public:
  explicit AddOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    if (!ctx->ValidateInputsAreSameShape(this)) return;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->forward_input_or_allocate_output({0, 1}, 0, ctx->input(0).shape(), &out));
    if (out->NumElements() == 0) return;
    out->flat<T>().device(ctx->eigen_device<Device>()) =
        ctx->input(0).flat<T>() + ctx->input(1).flat<T>();
  }
};

// Of everything, or of the rows.
template <typename Device, typename T>
class SumOp : public OpKernel {
 public:
  explicit SumOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& axes = ctx->input(1);  // in host memory
    const Device& d = ctx->eigen_gpu_device();
    Tensor* out = nullptr;
    if (axes.NumElements() == data.dims()) {
      OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
      out->scalar<T>().device(d) = data.flat<T>().sum();
      return;
    }
    OP_REQUIRES(ctx, data.dims() == 2 && axes.NumElements() == 1,
                errors::Unimplemented("a sum of ", data.shape().DebugString()));
    const int axis = axes.flat<int32>()(0) ? 1 : 0;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({data.dim_size(1 - axis)}), &out));
    out->vec<T>().device(d) = data.matrix<T>().sum(Eigen::array<int, 1>{axis});
  }
};

REGISTER_KERNEL_BUILDER(Name("AddV2").Device(DEVICE_GPU).TypeConstraint<float>("T"),
                        AddOp<GPUDevice, float>);
REGISTER_KERNEL_BUILDER(Name("Sum")
                            .Device(DEVICE_GPU)
                            .TypeConstraint<float>("T")
                            .TypeConstraint<int32>("Tidx")
                            .HostMemory("reduction_indices"),
                        SumOp<GPUDevice, float>);

}  // namespace tensorflow
