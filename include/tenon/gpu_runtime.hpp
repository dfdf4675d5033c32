// The vendor's runtime under names for both vendors: CUDA's, or ROCm's where EIGEN_USE_HIP is
// defined, as Eigen chooses. Needs the vendor's headers.
#ifndef TENON_GPU_RUNTIME_HPP_
#define TENON_GPU_RUNTIME_HPP_

#if defined(EIGEN_USE_HIP)
#include <hip/hip_runtime.h>
#define TN_CXX_GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define TN_CXX_GPU(name) cuda##name
#endif

#include "tenon/status.hpp"
#include "tenon/strings.hpp"

namespace tenon {

using gpuStream_t = TN_CXX_GPU(Stream_t);
using gpuEvent_t = TN_CXX_GPU(Event_t);
using gpuError_t = TN_CXX_GPU(Error_t);
#if defined(EIGEN_USE_HIP)
using gpuDeviceProp_t = hipDeviceProp_t;
#else
using gpuDeviceProp_t = cudaDeviceProp;
#endif

namespace internal {

constexpr gpuError_t kGpuSuccess = TN_CXX_GPU(Success);

inline std::string GpuErrorText(gpuError_t error) {
  return strings::StrCat(TN_CXX_GPU(GetErrorString)(error), " (", TN_CXX_GPU(GetErrorName)(error),
                         ")");
}
// What failed last on this thread, and stays the last.
inline gpuError_t LastGpuError() { return TN_CXX_GPU(PeekAtLastError)(); }
// No later call is blamed for what failed before.
inline void ForgetGpuError() { (void)TN_CXX_GPU(GetLastError)(); }

[[noreturn]] inline void GpuCheckFailed(const char* file, int line, const char* condition,
                                        gpuError_t error) {
  ForgetGpuError();
  CheckFailed(file, line, strings::StrCat(condition, " is not so: ", GpuErrorText(error)));
}

}  // namespace internal
}  // namespace tenon

// Eigen's check of what the runtime says, of launches above all. By default it is assert, which
// ends the process, or with NDEBUG looks at nothing; here it fails the run.
#if !defined(gpu_assert) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#define gpu_assert(condition)                                                          \
  do {                                                                                 \
    const auto tenon_error_ = ::tenon::internal::LastGpuError();                       \
    if (__builtin_expect(!(condition), 0))                                             \
      ::tenon::internal::GpuCheckFailed(__FILE__, __LINE__, #condition, tenon_error_); \
  } while (0)
#endif

#endif  // TENON_GPU_RUNTIME_HPP_
