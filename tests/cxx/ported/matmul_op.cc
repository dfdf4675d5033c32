// MatMul by a vendor's library: oneDNN where it is to be had, else Eigen's contraction.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

#if PORTED_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("Tenon>MatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {float}")
    .SetShapeFn(shape_inference::MatMulShape);

template <typename Device>
class MatMulOp : public OpKernel {
 public:
  explicit MatMulOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &transpose_b_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);
    const Tensor& b = ctx->input(1);
    OP_REQUIRES(ctx, TensorShapeUtils::IsMatrix(a.shape()),
                errors::InvalidArgument("In[0] is not a matrix. Instead it has shape ",
                                        a.shape().DebugString()));
    OP_REQUIRES(ctx, TensorShapeUtils::IsMatrix(b.shape()),
                errors::InvalidArgument("In[1] is not a matrix. Instead it has shape ",
                                        b.shape().DebugString()));
    const int64 m = a.dim_size(transpose_a_ ? 1 : 0);
    const int64 k = a.dim_size(transpose_a_ ? 0 : 1);
    const int64 n = b.dim_size(transpose_b_ ? 0 : 1);
    OP_REQUIRES(
        ctx, k == b.dim_size(transpose_b_ ? 1 : 0),
        errors::InvalidArgument("Matrix size-incompatible: In[0]: ", a.shape().DebugString(),
                                ", In[1]: ", b.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({m, n}), &out));
    if (out->NumElements() == 0) return;
    if (k == 0) {
      out->flat<float>().setZero();
      return;
    }
#if PORTED_WITH_ONEDNN
    const dnnl_status_t status = dnnl_sgemm(
        transpose_a_ ? 'T' : 'N', transpose_b_ ? 'T' : 'N', m, n, k, 1.0f, a.flat<float>().data(),
        a.dim_size(1), b.flat<float>().data(), b.dim_size(1), 0.0f, out->flat<float>().data(), n);
    OP_REQUIRES(ctx, status == dnnl_success, errors::Internal("dnnl_sgemm failed: ", status));
#else
    Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1> pair;
    pair[0] = {transpose_a_ ? 0 : 1, transpose_b_ ? 1 : 0};
    out->matrix<float>().device(ctx->eigen_device<Device>()) =
        a.matrix<float>().contract(b.matrix<float>(), pair);
#endif
  }

 private:
  bool transpose_a_, transpose_b_;
};

REGISTER_KERNEL_BUILDER(Name("Tenon>MatMul").Device(DEVICE_CPU).TypeConstraint<float>("T"),
                        MatMulOp<CPUDevice>);

}  // namespace tensorflow
