// StringJoin: a list of inputs, and elements that own memory. Uses no Eigen.
#include "tenon/op_kernel.hpp"

namespace ported {

using namespace tenon;  // NOLINT: a file of kernels

REGISTER_OP("Tenon>StringJoin")
    .Input("inputs: N * string")
    .Attr("N: int >= 0")
    .Attr("separator: string = ''")
    .Output("output: string")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      // Scalars go with any shape.
      shape_inference::ShapeHandle out = c->Scalar();
      for (int i = 0; i < c->num_inputs(); ++i) {
        if (!c->RankKnown(c->input(i))) out = c->UnknownShape();
        if (!c->RankKnown(c->input(i)) || c->Rank(c->input(i)) == 0) continue;
        if (c->Rank(out) == 0) {
          out = c->input(i);
        } else {
          TF_RETURN_IF_ERROR(c->Merge(out, c->input(i), &out));
        }
      }
      c->set_output(0, out);
      return OkStatus();
    });

class StringJoinOp : public OpKernel {
 public:
  explicit StringJoinOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("separator", &separator_));
  }

  void Compute(OpKernelContext* context) override {
    OpInputList input_list;
    OP_REQUIRES_OK(context, context->input_list("inputs", &input_list));
    TensorShape input_shape;
    for (int i = 0; i < input_list.size(); ++i) {
      const auto& shape = input_list[i].shape();
      if (TensorShapeUtils::IsScalar(shape)) continue;
      if (TensorShapeUtils::IsScalar(input_shape)) input_shape = shape;
      OP_REQUIRES(context, input_shape == shape,
                  errors::InvalidArgument("Input shapes do not match: ", input_shape.DebugString(),
                                          " vs. ", shape.DebugString()));
    }
    Tensor* output_tensor = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input_shape, &output_tensor));
    tstring* output = output_tensor->base<tstring>();
    for (int64 i = 0; i < input_shape.num_elements(); ++i) {
      for (int j = 0; j < input_list.size(); ++j) {
        const Tensor& input = input_list[j];
        if (j) output[i].append(separator_);
        output[i] += input.base<tstring>()[TensorShapeUtils::IsScalar(input.shape()) ? 0 : i];
      }
    }
  }

 private:
  string separator_;
};

REGISTER_KERNEL_BUILDER(Name("Tenon>StringJoin").Device(DEVICE_CPU), StringJoinOp);

}  // namespace ported
