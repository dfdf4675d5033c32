// Relu6: elementwise, in the input's own buffer where nobody else needs it.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("Tenon>Relu6")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: realnumbertype")
    .SetShapeFn(shape_inference::UnchangedShape);

template <typename Device, typename T>
class Relu6Op : public OpKernel {
 public:
  explicit Relu6Op(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context,
                   context->forward_input_or_allocate_output({0}, 0, input.shape(), &output));
    output->flat<T>().device(context->eigen_device<Device>()) =
        input.flat<T>().cwiseMax(static_cast<T>(0)).cwiseMin(static_cast<T>(6));
  }
};

#define REGISTER_RELU6(type)                                                                \
  REGISTER_KERNEL_BUILDER(Name("Tenon>Relu6").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
                          Relu6Op<CPUDevice, type>);
TF_CALL_float(REGISTER_RELU6) TF_CALL_half(REGISTER_RELU6) TF_CALL_bfloat16(REGISTER_RELU6)
    TF_CALL_int32(REGISTER_RELU6)
#undef REGISTER_RELU6

}  // namespace tensorflow
