// @Op@: y = x * scale, element by element. One source: TensorFlow and Tenon load the same file.
#include <tenon/op_kernel.hpp>

namespace {

using namespace tenon;  // NOLINT: a file of kernels

REGISTER_OP("@Op@")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .Attr("scale: float = 1.0")
    .SetShapeFn(shape_inference::UnchangedShape);

template <typename T>
class @Op@Op : public OpKernel {
 public:
  // Made once per use of the op: the place to read attributes and to refuse bad ones.
  explicit @Op@Op(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("scale", &scale_));
    OP_REQUIRES(context, scale_ != 0,
                errors::InvalidArgument("@Op@: scale is 0; give it any other number"));
  }

  // Runs for every call, possibly on several threads at once.
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    // The elements as they lie in memory; tenon/eigen.hpp adds x.flat<T>() and its kin.
    const T* from = x.base<T>();
    T* to = y->base<T>();
    const T scale = static_cast<T>(scale_);
    // Pieces run on the host's threads. An element costs about a nanosecond.
    context->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(
        x.NumElements(), 1, [from, to, scale](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) to[i] = from[i] * scale;
        });
  }

 private:
  float scale_ = 1;
};

REGISTER_KERNEL_BUILDER(Name("@Op@").Device(DEVICE_CPU).TypeConstraint<float>("T"), @Op@Op<float>);
REGISTER_KERNEL_BUILDER(Name("@Op@").Device(DEVICE_CPU).TypeConstraint<double>("T"), @Op@Op<double>);

}  // namespace
