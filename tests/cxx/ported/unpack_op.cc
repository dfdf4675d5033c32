// Unpack along the first axis: outputs that are rows of the input. Uses no Eigen.
#include "tenon/op_kernel.hpp"

namespace ported {

using namespace tenon;  // NOLINT: a file of kernels

REGISTER_OP("Tenon>Unpack")
    .Input("value: T")
    .Output("output: num * T")
    .Attr("num: int >= 0")
    .Attr("T: type")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle row;
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &row));
      TF_RETURN_IF_ERROR(c->Subshape(row, 1, &row));
      for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, row);
      return OkStatus();
    });

class UnpackOp : public OpKernel {
 public:
  explicit UnpackOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const int32 num = context->num_outputs();
    const Tensor& input = context->input(0);
    OP_REQUIRES(context, input.dims() >= 1 && input.dim_size(0) == num,
                errors::InvalidArgument("Input shape axis 0 must equal ", num, ", got shape ",
                                        input.shape().DebugString()));
    for (int i = 0; i < num; ++i) {
      Tensor row = input.Slice(i, i + 1);
      TensorShape shape = row.shape();
      shape.RemoveDim(0);
      Tensor output;
      OP_REQUIRES(context, output.CopyFrom(row, shape), errors::Internal("no row ", i));
      context->set_output(i, output);
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("Tenon>Unpack").Device(DEVICE_CPU), UnpackOp);

}  // namespace ported
