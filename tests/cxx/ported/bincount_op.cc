// Bincount: counts of its own for every worker of ParallelForWithWorkerId, summed at the end.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;
using thread::ThreadPool;

REGISTER_OP("Tenon>Bincount")
    .Input("arr: int32")
    .Input("size: int32")
    .Input("weights: T")
    .Attr("T: {int32, float}")
    .Output("bins: T")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::DimensionHandle size;
      TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &size));
      c->set_output(0, c->Vector(size));
      return OkStatus();
    });

template <typename T>
class BincountOp : public OpKernel {
 public:
  explicit BincountOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& arr_t = ctx->input(0);
    const Tensor& size_t_ = ctx->input(1);
    const Tensor& weights_t = ctx->input(2);
    OP_REQUIRES(ctx, size_t_.dims() == 0,
                errors::InvalidArgument("Shape must be rank 0 but is rank ", size_t_.dims()));
    const int32 size = size_t_.scalar<int32>()();
    OP_REQUIRES(ctx, size >= 0, errors::InvalidArgument("size (", size, ") must be non-negative"));
    OP_REQUIRES(ctx, weights_t.NumElements() == 0 || weights_t.IsSameSize(arr_t),
                errors::InvalidArgument("weights must be empty or shaped like arr"));
    const auto arr = arr_t.flat<int32>();
    const auto weights = weights_t.flat<T>();
    Tensor* output_t;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({size}), &output_t));

    ThreadPool* thread_pool = ctx->device()->tensorflow_cpu_worker_threads()->workers;
    const int64 num_threads = thread_pool->NumThreads() + 1;
    Tensor partial_bins_t;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(DataTypeToEnum<T>::value,
                                           TensorShape({num_threads, size}), &partial_bins_t));
    auto partial_bins = partial_bins_t.matrix<T>();
    partial_bins.setZero();
    std::atomic<bool> negative{false};
    thread_pool->ParallelForWithWorkerId(
        arr.size(), 8, [&](int64 start_ind, int64 limit_ind, int64 worker_id) {
          for (int64 i = start_ind; i < limit_ind; ++i) {
            const int32 value = internal::SubtleMustCopy(arr(i));
            if (value < 0) negative = true;
            if (FastBoundsCheck(value, size))
              partial_bins(worker_id, value) += weights.size() ? weights(i) : T(1);
          }
        });
    OP_REQUIRES(ctx, !negative, errors::InvalidArgument("Input arr must be non-negative!"));
    Eigen::array<int, 1> reduce_dim({0});
    output_t->flat<T>().device(ctx->eigen_cpu_device()) = partial_bins.sum(reduce_dim);
  }
};

#define REGISTER_BINCOUNT(type)                                                                \
  REGISTER_KERNEL_BUILDER(Name("Tenon>Bincount").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
                          BincountOp<type>);
TF_CALL_int32(REGISTER_BINCOUNT) TF_CALL_float(REGISTER_BINCOUNT)
#undef REGISTER_BINCOUNT

}  // namespace tensorflow
