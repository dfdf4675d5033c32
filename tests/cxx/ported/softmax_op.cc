// Softmax: blocks of rows by TransformRangeConcurrently, Eigen within a row.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

REGISTER_OP("Tenon>Softmax")
    .Input("logits: T")
    .Output("softmax: T")
    .Attr("T: {half, float, double}")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle logits;
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &logits));
      c->set_output(0, logits);
      return OkStatus();
    });

template <typename T>
class SoftmaxOp : public OpKernel {
 public:
  explicit SoftmaxOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& logits_in = context->input(0);
    OP_REQUIRES(context, TensorShapeUtils::IsVectorOrHigher(logits_in.shape()),
                errors::InvalidArgument("logits must have >= 1 dimension, got ",
                                        logits_in.shape().DebugString()));
    Tensor* softmax_out = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, logits_in.shape(),
                                                                      &softmax_out));
    if (logits_in.NumElements() == 0) return;
    const auto logits = logits_in.flat_inner_dims<T>();
    auto softmax = softmax_out->flat_inner_dims<T>();
    const int64 classes = logits.dimension(1);
    const int64 block = std::max<int64>(1, 4096 / classes);
    auto workers = context->device()->tensorflow_cpu_worker_threads()->workers;
    workers->TransformRangeConcurrently(block, logits.dimension(0), [&](int64 begin, int64 end) {
      for (int64 row = begin; row < end; ++row) {
        Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> x(&logits(row, 0), classes);
        Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>> y(&softmax(row, 0), classes);
        y = (x - x.maxCoeff()).exp();
        y *= T(1) / y.sum();
      }
    });
  }
};

#define REGISTER_SOFTMAX(type)                                                                \
  REGISTER_KERNEL_BUILDER(Name("Tenon>Softmax").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
                          SoftmaxOp<type>);
TF_CALL_float(REGISTER_SOFTMAX) TF_CALL_double(REGISTER_SOFTMAX)
#undef REGISTER_SOFTMAX

}  // namespace tensorflow
