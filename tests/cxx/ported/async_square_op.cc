// An asynchronous kernel: its work is scheduled, and whoever does it calls `done`.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

REGISTER_OP("Tenon>AsyncSquare")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .SetShapeFn(shape_inference::UnchangedShape);

template <typename T>
class AsyncSquareOp : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const Tensor& x = ctx->input(0);
    OP_REQUIRES_ASYNC(ctx, x.dims() <= 4,
                      errors::InvalidArgument("at most 4 dimensions, not ", x.dims()), done);
    Tensor* y = nullptr;
    OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_output(0, x.shape(), &y), done);
    ctx->device()->tensorflow_cpu_worker_threads()->workers->Schedule([&x, y, done] {
      auto from = x.flat<T>();
      y->flat<T>() = from * from;
      done();
    });
  }
};

REGISTER_KERNEL_BUILDER(Name("Tenon>AsyncSquare").Device(DEVICE_CPU).TypeConstraint<float>("T"),
                        AsyncSquareOp<float>);
REGISTER_KERNEL_BUILDER(Name("Tenon>AsyncSquare").Device(DEVICE_CPU).TypeConstraint<double>("T"),
                        AsyncSquareOp<double>);

}  // namespace tensorflow
