// An op and a kernel under names that a macro chooses: two plugins of one source, loaded side by
// side.
#include "tenon/op_kernel.hpp"

namespace {

using namespace tenon;  // NOLINT: a file of kernels

class NeighbourOp : public OpKernel {
 public:
  explicit NeighbourOp(OpKernelConstruction* context) : OpKernel(context) {}
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &out));
    *out->base<tstring>() = type_string();
  }
};

}  // namespace

REGISTER_KERNEL_BUILDER(Name("CxxNeighbour" NEIGHBOUR).Device(tenon::DEVICE_CPU), NeighbourOp);
REGISTER_OP("CxxNeighbour" NEIGHBOUR)
    .Output("name: string")
    .SetShapeFn(tenon::shape_inference::ScalarShape);
