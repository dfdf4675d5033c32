// The stream of a kernel's run as an Eigen device: out.device(ctx->eigen_device<GPUDevice>()) = ...
// tenon/eigen.hpp includes this where EIGEN_USE_GPU is defined, which has to be before the first
// header; CUDA's headers must be there, or ROCm's with EIGEN_USE_HIP. Expressions are for the
// vendor's compiler, the rest compiles with any.
#ifndef TENON_EIGEN_GPU_HPP_
#define TENON_EIGEN_GPU_HPP_

#ifndef EIGEN_USE_GPU
#error "tenon/eigen_gpu.hpp needs EIGEN_USE_GPU, defined before Eigen's first header"
#endif

#include "tenon/eigen.hpp"
#include "tenon/gpu_runtime.hpp"

namespace tenon {

// The stream that the host runs a kernel on, with the host's memory of the device. Where there is
// none, the context has failed and ok() is false. Belongs to the run, and goes before it ends.
class EigenGpuStream : public Eigen::StreamInterface {
 public:
  explicit EigenGpuStream(TF_OpKernelContext* context)
      : handle_(TF_GetEigenStreamHandle ? TF_GetEigenStreamHandle(context) : nullptr) {
    if (!handle_) return;
    // Where kernel_services.h was read before the vendor's header, its types have other names.
    stream_ = reinterpret_cast<const gpuStream_t*>(TF_EigenStream_GetCudaStream(handle_));
    properties_ =
        reinterpret_cast<const gpuDeviceProp_t*>(TF_EigenStream_GetDeviceProperties(handle_));
    internal::ForgetGpuError();
  }
  ~EigenGpuStream() override {
    if (handle_) TF_DeleteEigenStreamHandle(handle_);
  }
  EigenGpuStream(const EigenGpuStream&) = delete;
  EigenGpuStream& operator=(const EigenGpuStream&) = delete;

  bool ok() const { return stream_ && properties_; }

  const gpuStream_t& stream() const override { return *stream_; }
  const gpuDeviceProp_t& deviceProperties() const override { return *properties_; }
  // Freed in the order of the stream. Eigen looks at no result: what cannot be had is thrown.
  void* allocate(size_t size) const override {
    void* found = size ? TF_EigenStream_Allocate(handle_, size) : nullptr;
    if (size && !found) Eigen::internal::throw_std_bad_alloc();
    return found;
  }
  void deallocate(void* buffer) const override { TF_EigenStream_Deallocate(handle_, buffer); }
  void* scratchpad() const override { return Must(TF_EigenStream_Scratchpad(handle_)); }
  unsigned int* semaphore() const override {
    return reinterpret_cast<unsigned int*>(Must(TF_EigenStream_Semaphore(handle_)));
  }

 private:
  template <typename T>
  static T* Must(T* found) {
    if (!found) internal::CheckFailed(__FILE__, __LINE__, "the device gave no memory to Eigen");
    return found;
  }

  TF_EigenStream* const handle_;
  const gpuStream_t* stream_ = nullptr;
  const gpuDeviceProp_t* properties_ = nullptr;
};

namespace internal {

struct EigenGpu : DeviceOfContext {
  explicit EigenGpu(TF_OpKernelContext* context) : stream(context), device(&stream) {}
  EigenGpuStream stream;
  Eigen::GpuDevice device;
};

}  // namespace internal

// On a device that has no such stream the run fails with FAILED_PRECONDITION, in a host that lends
// none with UNIMPLEMENTED, and this does not return.
inline const Eigen::GpuDevice& OpKernelContext::eigen_gpu_device() {
  Rest& rest = this->rest();
  Status failure;
  {
    std::lock_guard<std::mutex> hold(rest.mutex);
    if (!rest.eigen_gpu) {
      auto made = std::make_unique<internal::EigenGpu>(context_);
      if (made->stream.ok()) {
        rest.eigen_gpu = std::move(made);
      } else if (TF_GetEigenStreamHandle) {
        internal::HostStatus status;
        TF_OpKernelContext_UpdateStatusOf(context_, status);
        failure = status.status();
      } else {
        failure = internal::NotInThisHost("TF_GetEigenStreamHandle");
      }
    }
    if (rest.eigen_gpu) return static_cast<internal::EigenGpu*>(rest.eigen_gpu.get())->device;
  }
  SetStatus(failure);
  internal::CheckFailed(__FILE__, __LINE__, failure.error_message());
}

template <>
inline const Eigen::GpuDevice& OpKernelContext::eigen_device<Eigen::GpuDevice>() {
  return eigen_gpu_device();
}

}  // namespace tenon
#endif  // TENON_EIGEN_GPU_HPP_
