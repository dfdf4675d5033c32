// MatrixDiag: rows shared out by ThreadPool::ParallelFor.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace tensorflow {

REGISTER_OP("Tenon>MatrixDiag")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle in;
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
      if (!c->RankKnown(in)) {
        c->set_output(0, c->UnknownShape());
        return OkStatus();
      }
      shape_inference::ShapeHandle out;
      TF_RETURN_IF_ERROR(c->Concatenate(in, c->Vector(c->Dim(in, c->Rank(in) - 1)), &out));
      c->set_output(0, out);
      return OkStatus();
    });

template <typename T>
class MatrixDiagOp : public OpKernel {
 public:
  explicit MatrixDiagOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const TensorShape& input_shape = input.shape();
    OP_REQUIRES(context, TensorShapeUtils::IsVectorOrHigher(input_shape),
                errors::InvalidArgument("input must be at least 1-dim, received shape: ",
                                        input_shape.DebugString()));
    const int64 k = input_shape.dim_size(input_shape.dims() - 1);
    auto input_reshaped = input.flat_inner_dims<T, 2>();

    TensorShape output_shape = input_shape;
    output_shape.AddDim(k);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, output_shape, &output));
    auto output_reshaped = output->flat_inner_dims<T, 3>();

    auto compute_shard = [&](int64 begin, int64 end) {
      for (int64 batch = begin; batch < end; ++batch)
        for (int64 row = 0; row < k; ++row)
          for (int64 col = 0; col < k; ++col)
            output_reshaped(batch, row, col) = row == col ? input_reshaped(batch, col) : T(0);
    };
    auto thread_pool = context->device()->tensorflow_cpu_worker_threads()->workers;
    thread_pool->ParallelFor(output_reshaped.dimension(0), 10 * k * k, std::move(compute_shard));
  }

 private:
  TF_DISALLOW_COPY_AND_ASSIGN(MatrixDiagOp);
};

#define REGISTER_MATRIX_DIAG(type)                                                               \
  REGISTER_KERNEL_BUILDER(Name("Tenon>MatrixDiag").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
                          MatrixDiagOp<type>);
TF_CALL_float(REGISTER_MATRIX_DIAG) TF_CALL_complex64(REGISTER_MATRIX_DIAG)
#undef REGISTER_MATRIX_DIAG

}  // namespace tensorflow
