// BatchSelect: device.parallelFor of Eigen's thread pool device.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("Tenon>BatchSelect")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle data;
      TF_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &data));
      c->set_output(0, data);
      return OkStatus();
    });

namespace functor {

template <typename Device, typename T>
struct BatchSelectFunctor {
  void operator()(const Device& d, typename TTypes<T>::Matrix output_flat_outer_dims,
                  TTypes<bool>::ConstVec cond_vec,
                  typename TTypes<T>::ConstMatrix then_flat_outer_dims,
                  typename TTypes<T>::ConstMatrix else_flat_outer_dims) {
    const int64 batch_size = cond_vec.size();
    const int64 all_but_batch = then_flat_outer_dims.dimension(1);
    T* output = output_flat_outer_dims.data();
    const bool* c = cond_vec.data();
    const T* t = then_flat_outer_dims.data();
    const T* e = else_flat_outer_dims.data();

    auto work = [=](int64 start, int64 end) {
      for (int64 i = start; i < end; ++i) {
        const T* from = (c[i] ? t : e) + i * all_but_batch;
        std::copy(from, from + all_but_batch, output + i * all_but_batch);
      }
    };
    const auto cost =
        Eigen::TensorOpCost(sizeof(T) * all_but_batch, sizeof(T) * all_but_batch, all_but_batch);
    d.parallelFor(batch_size, cost, work);
  }
};

}  // namespace functor

template <typename Device, typename T>
class BatchSelectOp : public OpKernel {
 public:
  explicit BatchSelectOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor* cond;
    const Tensor* then;
    const Tensor* else_;
    OP_REQUIRES_OK(ctx, ctx->input("condition", &cond));
    OP_REQUIRES_OK(ctx, ctx->input("t", &then));
    OP_REQUIRES_OK(ctx, ctx->input("e", &else_));
    OP_REQUIRES(ctx, then->shape().IsSameSize(else_->shape()),
                errors::InvalidArgument(
                    "'then' and 'else' must have the same size.  but received: ",
                    then->shape().DebugString(), " vs. ", else_->shape().DebugString()));
    OP_REQUIRES(ctx, TensorShapeUtils::IsVector(cond->shape()),
                errors::InvalidArgument("'cond' must be a vector, but saw shape: ",
                                        cond->shape().DebugString()));
    OP_REQUIRES(ctx, TensorShapeUtils::IsVectorOrHigher(then->shape()),
                errors::InvalidArgument("'then' must be at least a vector, but saw shape: ",
                                        then->shape().DebugString()));
    OP_REQUIRES(ctx, then->shape().dim_size(0) == cond->NumElements(),
                errors::InvalidArgument("Number of batches of 'then' must match size of 'cond', "
                                        "but saw: ",
                                        then->shape().dim_size(0), " vs. ", cond->NumElements()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({1, 2}, 0, then->shape(), &output));
    if (output->NumElements() == 0) return;
    functor::BatchSelectFunctor<Device, T> func;
    func(ctx->eigen_device<Device>(), output->flat_outer_dims<T>(), cond->vec<bool>(),
         const_cast<const Tensor*>(then)->flat_outer_dims<T>(), else_->flat_outer_dims<T>());
  }
};

#define REGISTER_SELECT(type)                                                                     \
  REGISTER_KERNEL_BUILDER(Name("Tenon>BatchSelect").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
                          BatchSelectOp<CPUDevice, type>);
TF_CALL_float(REGISTER_SELECT) TF_CALL_tstring(REGISTER_SELECT)
#undef REGISTER_SELECT

}  // namespace tensorflow
