// BiasAdd: a broadcast sum on the device, with the attr data_format.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/util/tensor_format.h"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("Tenon>BiasAdd")
    .Attr("T: numbertype")
    .Input("value: T")
    .Input("bias: T")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Output("output: T")
    .SetShapeFn(shape_inference::UnchangedShape);

template <typename Device, typename T>
class BiasOp : public OpKernel {
 public:
  explicit BiasOp(OpKernelConstruction* context) : OpKernel(context) {
    string data_format;
    if (context->GetAttr("data_format", &data_format).ok()) {
      OP_REQUIRES(context, FormatFromString(data_format, &data_format_),
                  errors::InvalidArgument("Invalid data format"));
    } else {
      data_format_ = FORMAT_NHWC;
    }
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& bias = context->input(1);
    OP_REQUIRES(
        context, TensorShapeUtils::IsMatrixOrHigher(input.shape()),
        errors::InvalidArgument("Input tensor must be at least 2D: ", input.shape().DebugString()));
    OP_REQUIRES(context, TensorShapeUtils::IsVector(bias.shape()),
                errors::InvalidArgument("Biases must be 1D: ", bias.shape().DebugString()));
    const int channel_dim = data_format_ == FORMAT_NCHW ? 1 : input.dims() - 1;
    OP_REQUIRES(
        context, bias.shape().dim_size(0) == input.dim_size(channel_dim),
        errors::InvalidArgument("Must provide as many biases as the last dimension of the "
                                "input tensor: ",
                                bias.shape().DebugString(), " vs. ", input.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context,
                   context->forward_input_or_allocate_output({0}, 0, input.shape(), &output));
    if (input.NumElements() == 0) return;

    const int64 channels = bias.NumElements();
    int64 inner = 1;
    for (int i = channel_dim + 1; i < input.dims(); ++i) inner *= input.dim_size(i);
    const int64 outer = input.NumElements() / channels / inner;
    Eigen::DSizes<Eigen::Index, 3> one_channel(1, channels, 1), copies(outer, 1, inner);
    output->shaped<T, 3>({outer, channels, inner}).device(context->eigen_device<Device>()) =
        input.shaped<T, 3>({outer, channels, inner}) +
        bias.vec<T>().reshape(one_channel).broadcast(copies);
  }

 private:
  TensorFormat data_format_;
};

REGISTER_KERNEL_BUILDER(Name("Tenon>BiasAdd").Device(DEVICE_CPU).TypeConstraint<float>("T"),
                        BiasOp<CPUDevice, float>);

}  // namespace tensorflow
