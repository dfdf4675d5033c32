// OneHot: an Eigen expression made by a generator and assigned to the device.
#include "tensorflow/core/framework/bounds_check.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/tensor.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("Tenon>OneHot")
    .Input("indices: TI")
    .Input("depth: int32")
    .Input("on_value: T")
    .Input("off_value: T")
    .Attr("axis: int = -1")
    .Output("output: T")
    .Attr("T: type")
    .Attr("TI: {uint8, int32, int64} = DT_INT64")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      int32 axis = -1;
      TF_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
      if (axis < -1) return errors::InvalidArgument("axis must be >= -1");
      shape_inference::DimensionHandle depth;
      TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &depth));
      shape_inference::ShapeHandle indices = c->input(0);
      if (!c->RankKnown(indices)) {
        c->set_output(0, c->UnknownShape());
        return OkStatus();
      }
      const int32 new_rank = c->Rank(indices) + 1;
      const int32 depth_at = axis == -1 ? new_rank - 1 : axis;
      std::vector<shape_inference::DimensionHandle> dims;
      for (int32 i = 0; i < new_rank; ++i)
        dims.push_back(i == depth_at ? depth : c->Dim(indices, i < depth_at ? i : i - 1));
      c->set_output(0, c->MakeShape(dims));
      return OkStatus();
    })
    .Doc("One row per index, on where the index says.");

namespace functor {

template <typename T, typename TI>
class OneGenerator {
 public:
  OneGenerator(const typename TTypes<TI>::ConstMatrix& indices,
               const typename TTypes<T>::ConstScalar& on_value,
               const typename TTypes<T>::ConstScalar& off_value)
      : indices_(indices), on_value_(on_value), off_value_(off_value) {}

  T operator()(const Eigen::array<Eigen::DenseIndex, 3>& at) const {
    return indices_(at[0], at[2]) == static_cast<TI>(at[1]) ? on_value_() : off_value_();
  }

 private:
  const typename TTypes<TI>::ConstMatrix indices_;
  const typename TTypes<T>::ConstScalar on_value_;
  const typename TTypes<T>::ConstScalar off_value_;
};

template <typename Device, typename T, typename TI>
struct OneHot {
  static void Compute(const Device& d, const typename TTypes<TI>::ConstMatrix& indices,
                      const typename TTypes<T>::ConstScalar& on_value,
                      const typename TTypes<T>::ConstScalar& off_value,
                      typename TTypes<T, 3>::Tensor* output) {
    OneGenerator<T, TI> generator(indices, on_value, off_value);
    output->device(d) = output->generate(generator);
  }
};

}  // namespace functor

template <typename Device, typename T, typename TI>
class OneHotOp : public OpKernel {
 public:
  explicit OneHotOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& depth = ctx->input(1);
    const Tensor& on_value = ctx->input(2);
    const Tensor& off_value = ctx->input(3);
    const TensorShape& indices_shape = indices.shape();
    const int indices_dims = indices_shape.dims();
    const int output_dims = indices_dims + 1;

    OP_REQUIRES(ctx, axis_ == -1 || (axis_ >= 0 && axis_ < output_dims),
                errors::InvalidArgument("Expected axis to be -1 or between [0, ", output_dims,
                                        ").  But received: ", axis_));
    OP_REQUIRES(
        ctx, TensorShapeUtils::IsScalar(depth.shape()),
        errors::InvalidArgument("depth must be a scalar, but got: ", depth.shape().DebugString()));
    OP_REQUIRES(ctx, TensorShapeUtils::IsScalar(on_value.shape()),
                errors::InvalidArgument("on_value must be a scalar, but got: ",
                                        on_value.shape().DebugString()));
    OP_REQUIRES(ctx, TensorShapeUtils::IsScalar(off_value.shape()),
                errors::InvalidArgument("off_value must be a scalar, but got: ",
                                        off_value.shape().DebugString()));

    const int axis = axis_ == -1 ? indices_dims : axis_;
    const int32 depth_v = depth.scalar<int32>()();
    OP_REQUIRES(ctx, depth_v >= 0,
                errors::InvalidArgument("depth must be non-negative, got: ", depth_v));
    TensorShape output_shape = indices_shape;
    output_shape.InsertDim(axis, depth_v);

    Tensor* output;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, output_shape, &output));
    if (output_shape.num_elements() == 0) return;

    int64 prefix_dim_size = 1;
    for (int i = 0; i < axis; ++i) prefix_dim_size *= indices_shape.dim_size(i);
    const int64 suffix_dim_size = indices_shape.num_elements() / prefix_dim_size;

    auto indices_t = indices.shaped<TI, 2>({prefix_dim_size, suffix_dim_size});
    auto output_t = output->shaped<T, 3>({prefix_dim_size, depth_v, suffix_dim_size});
    functor::OneHot<Device, T, TI>::Compute(ctx->eigen_device<Device>(), indices_t,
                                            on_value.scalar<T>(), off_value.scalar<T>(), &output_t);
  }

 private:
  int32 axis_;

  TF_DISALLOW_COPY_AND_ASSIGN(OneHotOp);
};

#define REGISTER_ONE_HOT_INDEX(type, index_type)                \
  REGISTER_KERNEL_BUILDER(Name("Tenon>OneHot")                  \
                              .Device(DEVICE_CPU)               \
                              .TypeConstraint<index_type>("TI") \
                              .TypeConstraint<type>("T")        \
                              .HostMemory("depth"),             \
                          OneHotOp<CPUDevice, type, index_type>);
#define REGISTER_ONE_HOT(type)        \
  REGISTER_ONE_HOT_INDEX(type, uint8) \
  REGISTER_ONE_HOT_INDEX(type, int64)
TF_CALL_float(REGISTER_ONE_HOT) TF_CALL_int32(REGISTER_ONE_HOT)
#undef REGISTER_ONE_HOT
#undef REGISTER_ONE_HOT_INDEX

}  // namespace tensorflow
