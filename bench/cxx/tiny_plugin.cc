// bench/execute/tiny_plugin.c in C++: y = x * scale, one input, one output, one attr.
#include "tenon/op_kernel.hpp"

namespace {

class TinyOp : public tenon::OpKernel {
 public:
  explicit TinyOp(tenon::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("scale", &scale_));
  }
  void Compute(tenon::OpKernelContext* context) override {
    const tenon::Tensor& x = context->input(0);
    tenon::Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, tenon::TensorShape({}), &y));
    *y->base<float>() = *x.base<float>() * scale_;
  }

 private:
  float scale_;
};

}  // namespace

REGISTER_OP("TenonTinyCxx")
    .Input("x: float")
    .Output("y: float")
    .Attr("scale: float = 1")
    .SetShapeFn(tenon::shape_inference::UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("TenonTinyCxx").Device(tenon::DEVICE_CPU), TinyOp);
