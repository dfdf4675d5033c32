#define EIGEN_USE_GPU
#include "relu_op.h"

#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

typedef Eigen::GpuDevice GPUDevice;

template <typename Device, typename T>
class ReluOp : public OpKernel {
 public:
  explicit ReluOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context,
                   context->forward_input_or_allocate_output({0}, 0, input.shape(), &output));
    if (output->NumElements() == 0) return;
    functor::Relu<Device, T> functor;
    functor(context->eigen_device<Device>(), input.flat<T>(), output->flat<T>());
  }
};

REGISTER_KERNEL_BUILDER(Name("Relu").Device(DEVICE_GPU).TypeConstraint<float>("T"),
                        ReluOp<GPUDevice, float>);
REGISTER_KERNEL_BUILDER(Name("Relu").Device(DEVICE_GPU).TypeConstraint<double>("T"),
                        ReluOp<GPUDevice, double>);

}  // namespace tensorflow
