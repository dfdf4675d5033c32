// MatMul by a vendor's library: on the CPU oneDNN where it is to be had, else Eigen's contraction;
// on the GPU cuBLAS, on the host's stream and in the host's memory.
#if GOOGLE_CUDA
#define EIGEN_USE_GPU
#include <cublas_v2.h>
#endif

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/mutex.h"

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

// Row-major matrices with at least one element: out[m, n] = a[m, k] * b[k, n], each as it is or
// transposed.
template <typename Device>
class LaunchMatMul;

template <>
class LaunchMatMul<CPUDevice> {
 public:
  void launch(OpKernelContext* ctx, const Tensor& a, bool transpose_a, const Tensor& b,
              bool transpose_b, int64 m, int64 n, int64 k, Tensor* out) {
#if PORTED_WITH_ONEDNN
    const dnnl_status_t status = dnnl_sgemm(
        transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1.0f, a.flat<float>().data(),
        a.dim_size(1), b.flat<float>().data(), b.dim_size(1), 0.0f, out->flat<float>().data(), n);
    OP_REQUIRES(ctx, status == dnnl_success, errors::Internal("dnnl_sgemm failed: ", status));
#else
    Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1> pair;
    pair[0] = {transpose_a ? 0 : 1, transpose_b ? 1 : 0};
    out->matrix<float>().device(ctx->eigen_device<CPUDevice>()) =
        a.matrix<float>().contract(b.matrix<float>(), pair);
#endif
  }
};

#if GOOGLE_CUDA
typedef Eigen::GpuDevice GPUDevice;

template <>
class LaunchMatMul<GPUDevice> {
 public:
  LaunchMatMul() = default;
  ~LaunchMatMul() {
    if (handle_) cublasDestroy(handle_);
  }
  TF_DISALLOW_COPY_AND_ASSIGN(LaunchMatMul);

  void launch(OpKernelContext* ctx, const Tensor& a, bool transpose_a, const Tensor& b,
              bool transpose_b, int64 m, int64 n, int64 k, Tensor* out) {
    const GPUDevice& d = ctx->eigen_device<GPUDevice>();
    // Its own for each run: runs on several streams share the handle.
    Tensor workspace;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_UINT8, TensorShape({kWorkspaceBytes}), &workspace));
    const float one = 1, zero = 0;
    mutex_lock lock(mu_);
    if (!handle_) OP_REQUIRES_OK(ctx, Outcome(cublasCreate(&handle_)));
    OP_REQUIRES_OK(ctx, Outcome(cublasSetStream(handle_, d.stream())));
    OP_REQUIRES_OK(ctx, Outcome(cublasSetWorkspace(handle_, workspace.flat<uint8>().data(),
                                                   workspace.TotalBytes())));
    // It takes matrices by columns: those are the transposed ones, whose product is the other way
    // round.
    OP_REQUIRES_OK(
        ctx, Outcome(cublasSgemm_64(handle_, transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                                    transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k, &one,
                                    b.flat<float>().data(), b.dim_size(1), a.flat<float>().data(),
                                    a.dim_size(1), &zero, out->flat<float>().data(), n)));
  }

 private:
  static constexpr int64 kWorkspaceBytes = 32 << 20;  // what NVIDIA advises for Hopper

  static Status Outcome(cublasStatus_t status) {
    if (status == CUBLAS_STATUS_SUCCESS) return OkStatus();
    return errors::Internal("cuBLAS failed: ", cublasGetStatusString(status));
  }

  mutex mu_;
  cublasHandle_t handle_ = nullptr;
};
#endif

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
      ctx->eigen_device<Device>().memset(out->flat<float>().data(), 0, out->TotalBytes());
      return;
    }
    launch_.launch(ctx, a, transpose_a_, b, transpose_b_, m, n, k, out);
  }

 private:
  bool transpose_a_, transpose_b_;
  LaunchMatMul<Device> launch_;
};

REGISTER_KERNEL_BUILDER(Name("Tenon>MatMul").Device(DEVICE_CPU).TypeConstraint<float>("T"),
                        MatMulOp<CPUDevice>);
#if GOOGLE_CUDA
REGISTER_KERNEL_BUILDER(Name("Tenon>MatMul").Device(DEVICE_GPU).TypeConstraint<float>("T"),
                        MatMulOp<GPUDevice>);
#endif

}  // namespace tensorflow
