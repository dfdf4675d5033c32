// Kernels for the CUDA device, each by another way onto the host's stream: a launch through the
// host, an Eigen expression, and a vendor's library.
#define EIGEN_USE_GPU
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <unsupported/Eigen/CXX11/Tensor>

#include "tenon/kernel_services.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_tensor.h"

namespace {

// One run: inputs, one output, and the status that they share.
class Run {
 public:
  explicit Run(TF_OpKernelContext* context) : context_(context), status_(TF_NewStatus()) {}
  ~Run() {
    if (!ok()) TF_OpKernelContext_Failure(context_, status_);
    for (int i = 0; i < count_; ++i) TF_DeleteTensor(held_[i]);
    TF_DeleteStatus(status_);
  }
  bool ok() const { return TF_GetCode(status_) == TF_OK; }
  TF_Tensor* input(int i) {
    TF_Tensor* found = nullptr;
    if (ok()) TF_GetInput(context_, i, &found, status_);
    return hold(found);
  }
  TF_Tensor* output(const int64_t* dims, int rank) {
    size_t bytes = sizeof(float);
    for (int i = 0; i < rank; ++i) bytes *= static_cast<size_t>(dims[i]);
    return ok() ? hold(TF_AllocateOutput(context_, 0, TF_FLOAT, dims, rank, bytes, status_))
                : nullptr;
  }
  TF_Tensor* output_like(TF_Tensor* tensor) {
    int64_t dims[8];
    for (int i = 0; ok() && i < TF_NumDims(tensor); ++i) dims[i] = TF_Dim(tensor, i);
    return output(dims, ok() ? TF_NumDims(tensor) : 0);
  }
  void fail(const char* message) { TF_SetStatus(status_, TF_INTERNAL, message); }
  TF_Status* status() { return status_; }

 private:
  TF_Tensor* hold(TF_Tensor* tensor) {
    if (tensor) held_[count_++] = tensor;
    return tensor;
  }
  TF_OpKernelContext* context_;
  TF_Status* status_;
  TF_Tensor* held_[8];
  int count_ = 0;
};

template <typename T>
T* data(TF_Tensor* tensor) {
  return static_cast<T*>(TF_TensorData(tensor));
}

__global__ void relu(const float* x, float* y, int64_t count) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) y[i] = x[i] < 0 ? 0 : x[i];
}

void compute_relu(void*, TF_OpKernelContext* context) {
  Run run(context);
  TF_Tensor* x = run.input(0);
  TF_Tensor* y = run.output_like(x);
  if (!run.ok()) return;
  const float* from = data<float>(x);
  float* to = data<float>(y);
  int64_t count = TF_TensorElementCount(x);
  void* args[] = {&from, &to, &count};
  if (count > 0)
    TF_LaunchKernel(context, reinterpret_cast<const void*>(relu),
                    {static_cast<uint32_t>((count + 255) / 256), 1, 1}, {256, 1, 1}, args, 0,
                    run.status());
}

// Eigen's view of the host's stream.
class HostStream : public Eigen::StreamInterface {
 public:
  explicit HostStream(TF_OpKernelContext* context) : stream_(TF_GetEigenStreamHandle(context)) {}
  ~HostStream() override { TF_DeleteEigenStreamHandle(stream_); }
  bool ok() const { return stream_ != nullptr; }
  const cudaStream_t& stream() const override { return *TF_EigenStream_GetCudaStream(stream_); }
  const cudaDeviceProp& deviceProperties() const override {
    return *TF_EigenStream_GetDeviceProperties(stream_);
  }
  void* allocate(size_t size) const override { return TF_EigenStream_Allocate(stream_, size); }
  void deallocate(void* buffer) const override { TF_EigenStream_Deallocate(stream_, buffer); }
  void* scratchpad() const override { return TF_EigenStream_Scratchpad(stream_); }
  unsigned int* semaphore() const override {
    return reinterpret_cast<unsigned int*>(TF_EigenStream_Semaphore(stream_));
  }

 private:
  TF_EigenStream* stream_;
};

void compute_add(void*, TF_OpKernelContext* context) {
  Run run(context);
  TF_Tensor *x = run.input(0), *y = run.input(1), *sum = run.output_like(x);
  HostStream stream(context);
  if (!run.ok() || !stream.ok()) return;
  const int64_t count = TF_TensorElementCount(x);
  Eigen::GpuDevice device(&stream);
  Eigen::TensorMap<Eigen::Tensor<const float, 1>> a(data<float>(x), count),
      b(data<float>(y), count);
  Eigen::TensorMap<Eigen::Tensor<float, 1>> c(data<float>(sum), count);
  c.device(device) = a + b;
}

// A whole sum needs Eigen's scratchpad and semaphore.
void compute_sum(void*, TF_OpKernelContext* context) {
  Run run(context);
  TF_Tensor *x = run.input(0), *sum = run.output(nullptr, 0);
  HostStream stream(context);
  if (!run.ok() || !stream.ok()) return;
  Eigen::GpuDevice device(&stream);
  Eigen::TensorMap<Eigen::Tensor<const float, 1>> a(data<float>(x), TF_TensorElementCount(x));
  Eigen::TensorMap<Eigen::Tensor<float, 0>> c(data<float>(sum));
  c.device(device) = a.sum();
}

void compute_matmul(void*, TF_OpKernelContext* context) {
  Run run(context);
  TF_Tensor *a = run.input(0), *b = run.input(1);
  if (!run.ok()) return;
  const int64_t m = TF_Dim(a, 0), k = TF_Dim(a, 1), n = TF_Dim(b, 1);
  const int64_t dims[] = {m, n};
  TF_Tensor* product = run.output(dims, 2);
  TF_EigenStream* stream = TF_GetEigenStreamHandle(context);
  static thread_local cublasHandle_t handle = nullptr;
  const float one = 1, zero = 0;
  // Column-major there: the transposed product of the transposed matrices.
  if (run.ok() && stream &&
      ((!handle && cublasCreate(&handle)) ||
       cublasSetStream(handle, *TF_EigenStream_GetCudaStream(stream)) ||
       cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, static_cast<int>(n), static_cast<int>(m),
                   static_cast<int>(k), &one, data<float>(b), static_cast<int>(n), data<float>(a),
                   static_cast<int>(k), &zero, data<float>(product), static_cast<int>(n))))
    run.fail("cuBLAS failed");
  TF_DeleteEigenStreamHandle(stream);
}

__global__ void nothing(float*) {}

// Nanoseconds of a launch through the host and of a raw one, the medians of rounds in turn.
void compute_launch_cost(void*, TF_OpKernelContext* context) {
  Run run(context);
  const int64_t dims[] = {2};
  TF_Tensor* answer = run.output(dims, 1);
  TF_EigenStream* stream = TF_GetEigenStreamHandle(context);
  if (!run.ok() || !stream) return;
  const cudaStream_t raw = *TF_EigenStream_GetCudaStream(stream);
  float* pointer = nullptr;
  void* args[] = {&pointer};
  enum { ROUNDS = 31, LAUNCHES = 500 };
  double costs[2][ROUNDS];
  for (int round = 0; round < ROUNDS; ++round)
    for (int way = 0; way < 2; ++way) {
      cudaStreamSynchronize(raw);
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < LAUNCHES; ++i)
        if (way == 0)
          TF_LaunchKernel(context, reinterpret_cast<const void*>(nothing), {1, 1, 1}, {1, 1, 1},
                          args, 0, run.status());
        else
          cudaLaunchKernel(reinterpret_cast<const void*>(nothing), dim3(1), dim3(1), args, 0, raw);
      const std::chrono::duration<double, std::nano> time =
          std::chrono::steady_clock::now() - begin;
      costs[way][round] = time.count() / LAUNCHES;
    }
  for (int way = 0; way < 2; ++way) std::sort(costs[way], costs[way] + ROUNDS);
  data<float>(answer)[0] = static_cast<float>(costs[0][ROUNDS / 2]);
  data<float>(answer)[1] = static_cast<float>(costs[1][ROUNDS / 2]);
  TF_DeleteEigenStreamHandle(stream);
}

void add_kernel(const char* op, void (*compute)(void*, TF_OpKernelContext*), bool typed,
                const char* host_memory = nullptr) {
  TF_Status* status = TF_NewStatus();
  TF_KernelBuilder* builder = TF_NewKernelBuilder(op, "CUDA", nullptr, compute, nullptr);
  if (typed) TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
  if (host_memory) TF_KernelBuilder_HostMemory(builder, host_memory);
  TF_RegisterKernelBuilder(op, builder, status);
  TF_DeleteStatus(status);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void TF_InitKernel() {
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("LaunchCost");
  TF_OpDefinitionBuilderAddOutput(op, "nanoseconds: float");
  TF_OpDefinitionBuilderSetIsStateful(op, true);
  TF_Status* status = TF_NewStatus();
  TF_RegisterOpDefinition(op, status);
  TF_DeleteStatus(status);
  add_kernel("Relu", compute_relu, true);
  add_kernel("AddV2", compute_add, true);
  add_kernel("Sum", compute_sum, true, "reduction_indices");
  add_kernel("MatMul", compute_matmul, true);
  add_kernel("LaunchCost", compute_launch_cost, false, "nanoseconds");
}
