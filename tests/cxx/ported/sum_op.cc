// Sum: a reduction over any axes, by way of a temporary and Eigen's sum.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("Tenon>Sum")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr("T: numbertype")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(shape_inference::UnknownShape);

template <typename Device, typename T, typename Tidx>
class SumOp : public OpKernel {
 public:
  explicit SumOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("keep_dims", &keep_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& axes = ctx->input(1);
    std::vector<bool> reduced(static_cast<size_t>(data.dims()));
    auto axes_vec = axes.flat<Tidx>();
    for (int64 i = 0; i < axes.NumElements(); ++i) {
      const int64 index = axes_vec(i) < 0 ? axes_vec(i) + data.dims() : axes_vec(i);
      OP_REQUIRES(ctx, FastBoundsCheck(index, int64(data.dims())),
                  errors::InvalidArgument("Invalid reduction dimension (", axes_vec(i),
                                          " for input with ", data.dims(), " dimension(s)"));
      reduced[static_cast<size_t>(index)] = true;
    }

    // Kept dimensions first, then the reduced ones: a matrix whose rows are summed.
    TensorShape out_shape;
    std::vector<int> order;
    int64 rows = 1, columns = 1;
    for (const bool wanted : {false, true}) {
      for (int i = 0; i < data.dims(); ++i) {
        if (reduced[static_cast<size_t>(i)] != wanted) continue;
        order.push_back(i);
        (wanted ? columns : rows) *= data.dim_size(i);
      }
    }
    for (int i = 0; i < data.dims(); ++i) {
      if (!reduced[static_cast<size_t>(i)]) {
        out_shape.AddDim(data.dim_size(i));
      } else if (keep_dims_) {
        out_shape.AddDim(1);
      }
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, out_shape, &out));
    if (out->NumElements() == 0) return;

    Tensor shuffled;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_temp(DataTypeToEnum<T>::value, TensorShape({rows, columns}), &shuffled));
    Shuffle(data, order, shuffled.flat<T>());
    Eigen::array<int, 1> inner = {1};
    out->shaped<T, 1>({rows}).device(ctx->eigen_device<Device>()) =
        shuffled.shaped<T, 2>({rows, columns}).sum(inner);
  }

 private:
  static void Shuffle(const Tensor& data, const std::vector<int>& order,
                      typename TTypes<T>::Flat to) {
    const size_t rank = order.size();
    std::vector<int64> strides(rank, 1), at(rank, 0);
    for (size_t i = rank; i-- > 1;)
      strides[i - 1] = strides[i] * data.dim_size(static_cast<int>(i));
    auto from = data.flat<T>();
    int64 offset = 0;
    for (int64 i = 0; i < to.size(); ++i) {
      to(i) = from(offset);
      for (size_t d = rank; d-- > 0;) {
        const int64 stride = strides[static_cast<size_t>(order[d])];
        offset += stride;
        if (++at[d] < data.dim_size(order[d])) break;
        offset -= at[d] * stride;
        at[d] = 0;
      }
    }
  }

  bool keep_dims_;
};

#define REGISTER_SUM(type)                                      \
  REGISTER_KERNEL_BUILDER(Name("Tenon>Sum")                     \
                              .Device(DEVICE_CPU)               \
                              .TypeConstraint<type>("T")        \
                              .TypeConstraint<int32>("Tidx")    \
                              .HostMemory("reduction_indices"), \
                          SumOp<CPUDevice, type, int32>);
TF_CALL_float(REGISTER_SUM) TF_CALL_int64(REGISTER_SUM)
#undef REGISTER_SUM

}  // namespace tensorflow
