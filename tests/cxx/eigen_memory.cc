// Memory of an Eigen device on the CPU, which is the host's.
#include "tenon/eigen.hpp"
#include "tenon/op_kernel.hpp"

namespace {

using namespace tenon;  // NOLINT: as a kernel in TensorFlow's namespace sees it

class EigenMemoryOp : public OpKernel {
 public:
  explicit EigenMemoryOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("bytes", &bytes_));
  }

  void Compute(OpKernelContext* context) override {
    const Eigen::ThreadPoolDevice& device = context->eigen_device<Eigen::ThreadPoolDevice>();
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &out));
    char* memory = static_cast<char*>(device.allocate(static_cast<size_t>(bytes_)));
    if (bytes_) device.memset(memory, 7, static_cast<size_t>(bytes_));
    OP_REQUIRES(context, reinterpret_cast<uintptr_t>(memory) % 64 == 0,
                errors::Internal("not aligned for Eigen"));
    out->scalar<int64_t>()() = bytes_ ? memory[bytes_ - 1] : 0;
    device.deallocate(memory);
  }

 private:
  int64_t bytes_ = 0;
};

REGISTER_OP("EigenMemory").Output("last: int64").Attr("bytes: int").SetIsStateful();
REGISTER_KERNEL_BUILDER(Name("EigenMemory").Device(DEVICE_CPU), EigenMemoryOp);

}  // namespace
