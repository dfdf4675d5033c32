// Transpose: Eigen's shuffle for the common ranks, shards of a plain loop for the others.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("Tenon>Transpose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = DT_INT32")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      if (!c->RankKnown(c->input(0))) {
        c->set_output(0, c->UnknownShape());
        return OkStatus();
      }
      const Tensor* perm = c->input_tensor(1);
      if (perm == nullptr || perm->dtype() != DT_INT32) {
        c->set_output(0, c->UnknownShapeOfRank(c->Rank(c->input(0))));
        return OkStatus();
      }
      std::vector<shape_inference::DimensionHandle> dims;
      for (int64 i = 0; i < perm->NumElements(); ++i)
        dims.push_back(c->Dim(c->input(0), perm->flat<int32>()(i)));
      c->set_output(0, c->MakeShape(dims));
      return OkStatus();
    });

template <typename T>
class TransposeOp : public OpKernel {
 public:
  explicit TransposeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& perm = ctx->input(1);
    const int dims = input.dims();
    OP_REQUIRES(
        ctx, TensorShapeUtils::IsVector(perm.shape()),
        errors::InvalidArgument("perm must be rank 1, got shape ", perm.shape().DebugString()));
    OP_REQUIRES(ctx, perm.NumElements() == dims,
                errors::InvalidArgument("transpose expects a vector of size ", dims,
                                        ". But input(1) is a vector of size ", perm.NumElements()));
    gtl_vector order;
    OP_REQUIRES_OK(ctx, Permutation(perm, dims, &order));
    TensorShape shape;
    for (int32 d : order) shape.AddDim(input.dim_size(d));

    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return;
    switch (dims) {
      case 2: return WithEigen<2>(ctx->eigen_device<CPUDevice>(), input, order, output);
      case 3: return WithEigen<3>(ctx->eigen_device<CPUDevice>(), input, order, output);
      case 4: return WithEigen<4>(ctx->eigen_device<CPUDevice>(), input, order, output);
      default: return Simple(ctx, input, order, output);
    }
  }

 private:
  using gtl_vector = std::vector<int32>;

  static Status Permutation(const Tensor& perm, int dims, gtl_vector* order) {
    std::vector<bool> seen(static_cast<size_t>(dims));
    for (int i = 0; i < dims; ++i) {
      const int64 d = perm.dtype() == DT_INT32 ? perm.vec<int32>()(i) : perm.vec<int64>()(i);
      const int64 at = d < 0 ? d + dims : d;
      if (at < 0 || at >= dims)
        return errors::InvalidArgument(d, " is out of range [0 .. ", dims, ")");
      if (seen[static_cast<size_t>(at)])
        return errors::InvalidArgument(at, " is missing from {", d, "}.");
      seen[static_cast<size_t>(at)] = true;
      order->push_back(static_cast<int32>(at));
    }
    return OkStatus();
  }

  template <int NDIMS>
  static void WithEigen(const CPUDevice& d, const Tensor& in, const gtl_vector& order,
                        Tensor* out) {
    Eigen::array<int, NDIMS> p;
    for (size_t i = 0; i < NDIMS; ++i) p[i] = order[i];
    out->tensor<T, NDIMS>().device(d) = in.tensor<T, NDIMS>().shuffle(p);
  }

  static void Simple(OpKernelContext* ctx, const Tensor& in, const gtl_vector& order, Tensor* out) {
    const size_t ndims = order.size();
    std::vector<int64> in_strides(ndims, 1), out_strides(ndims, 1);
    for (size_t i = ndims; i-- > 1;) {
      in_strides[i - 1] = in_strides[i] * in.dim_size(static_cast<int>(i));
      out_strides[i - 1] = out_strides[i] * out->dim_size(static_cast<int>(i));
    }
    auto from = in.flat<T>();
    auto to = out->flat<T>();
    auto work = [&](int64 begin, int64 end) {
      for (int64 o = begin; o < end; ++o) {
        int64 i = 0, rest = o;
        for (size_t d = 0; d < ndims; ++d) {
          i += rest / out_strides[d] * in_strides[static_cast<size_t>(order[d])];
          rest %= out_strides[d];
        }
        to(o) = from(i);
      }
    };
    const auto& workers = *ctx->device()->tensorflow_cpu_worker_threads();
    Shard(workers.num_threads, workers.workers, out->NumElements(), 10 * int64(ndims), work);
  }
};

#define REGISTER(T)                                                                         \
  REGISTER_KERNEL_BUILDER(                                                                  \
      Name("Tenon>Transpose").Device(DEVICE_CPU).TypeConstraint<T>("T").HostMemory("perm"), \
      TransposeOp<T>);
TF_CALL_float(REGISTER) TF_CALL_int64(REGISTER)
#undef REGISTER

}  // namespace tensorflow
