// Kernels of the vendor's language from C++: how many blocks of how many threads, the launch, and
// the loops inside. The names are those of TensorFlow's gpu_kernel_helper.h. A launch compiles with
// any compiler, what runs on the device with the vendor's only.
#ifndef TENON_GPU_LAUNCH_HPP_
#define TENON_GPU_LAUNCH_HPP_

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "tenon/eigen_gpu.hpp"
#include "tenon/kernel_services.h"
#include "tenon/op_kernel_context.hpp"

namespace tenon {

// For a kernel with a GPU_1D_KERNEL_LOOP over `virtual_thread_count` elements.
struct GpuLaunchConfig {
  int virtual_thread_count = -1;
  int thread_per_block = -1;
  int block_count = -1;
};

namespace internal {

// As many threads as there is work or the device holds at once, whichever is less.
inline GpuLaunchConfig LaunchConfig(int work, int thread_per_block, int most_blocks) {
  if (work <= 0)
    CheckFailed(__FILE__, __LINE__, strings::StrCat("a launch for ", work, " elements"));
  const int64_t blocks = (int64_t{work} + thread_per_block - 1) / thread_per_block;
  return {work, thread_per_block, static_cast<int>(std::min<int64_t>(blocks, most_blocks))};
}

inline Status LaunchStatus(gpuError_t error) {
  if (error == kGpuSuccess) return Status();
  ForgetGpuError();
  return errors::Internal("the launch of a kernel failed: ", GpuErrorText(error));
}

// Calls launch(addresses) with the addresses of the arguments in the types of the parameters.
template <typename... Parameters, typename Launch, typename... Arguments>
Status WithArguments(void (*)(Parameters...), const Launch& launch, const Arguments&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter");
  std::tuple<Parameters...> values(arguments...);
  return std::apply(
      [&](auto&... value) {
        void* addresses[] = {const_cast<void*>(static_cast<const void*>(&value))..., nullptr};
        return launch(addresses);
      },
      values);
}

}  // namespace internal

// `work_element_count` is at least 1.
inline GpuLaunchConfig GetGpuLaunchConfig(int work_element_count, const Eigen::GpuDevice& device) {
  const int threads = std::min(1024, device.maxGpuThreadsPerBlock());
  const int processors = device.getNumGpuMultiProcessors();
  return internal::LaunchConfig(
      work_element_count, threads,
      processors * std::max(1, device.maxGpuThreadsPerMultiProcessor() / threads));
}

// The same for a kernel that is known: the size of a block is the vendor's choice for it.
template <typename Function>
GpuLaunchConfig GetGpuLaunchConfig(int work_element_count, const Eigen::GpuDevice&,
                                   Function function, size_t dynamic_shared_memory_size,
                                   int block_size_limit) {
  int blocks = 0, threads = 0;
  const Status found = internal::LaunchStatus(TN_CXX_GPU(OccupancyMaxPotentialBlockSize)(
      &blocks, &threads, reinterpret_cast<const void*>(function), dynamic_shared_memory_size,
      block_size_limit));
  if (!found.ok()) internal::CheckFailed(__FILE__, __LINE__, found.error_message());
  return internal::LaunchConfig(work_element_count, threads, blocks);
}

// Puts a kernel on a stream: GpuLaunchKernel(Kernel<T>, config.block_count,
// config.thread_per_block, 0, device.stream(), arguments...). The stream's device is current on the
// thread that got it from the context. INTERNAL, with what the vendor says, when it was not
// launched.
template <typename... Parameters, typename... Arguments>
Status GpuLaunchKernel(void (*function)(Parameters...), dim3 grid, dim3 block, size_t shared_memory,
                       gpuStream_t stream, const Arguments&... arguments) {
  return internal::WithArguments(
      function,
      [&](void** addresses) {
        return internal::LaunchStatus(
            TN_CXX_GPU(LaunchKernel)(reinterpret_cast<const void*>(function), grid, block,
                                     addresses, shared_memory, stream));
      },
      arguments...);
}

// The same on the stream of the run, launched by the device's plugin: no stream crosses.
template <typename... Parameters, typename... Arguments>
Status GpuLaunchKernel(OpKernelContext* context, void (*function)(Parameters...), dim3 grid,
                       dim3 block, size_t shared_memory, const Arguments&... arguments) {
  if (!TF_LaunchKernel) return internal::NotInThisHost("TF_LaunchKernel");
  return internal::WithArguments(
      function,
      [&](void** addresses) {
        internal::HostStatus status;
        TF_LaunchKernel(context->c_context(), reinterpret_cast<const void*>(function),
                        {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, addresses,
                        shared_memory, status);
        return status.ok() ? Status() : status.status();
      },
      arguments...);
}

#if defined(__CUDACC__) || defined(__HIPCC__)

// The elements of [0, count) that this thread of a grid does: for (int i : GpuGridRangeX(n)).
template <typename T>
class GpuGridRange {
 public:
  // The sums of the last steps may be past what T holds.
  class Iterator {
   public:
    __device__ Iterator(int64_t at, int64_t step) : at_(at), step_(step) {}
    __device__ T operator*() const { return static_cast<T>(at_); }
    __device__ Iterator& operator++() {
      at_ += step_;
      return *this;
    }
    __device__ bool operator!=(const Iterator& end) const { return at_ < end.at_; }

   private:
    int64_t at_, step_;
  };

  __device__ GpuGridRange(int64_t first, int64_t step, T count)
      : first_(first), step_(step), count_(count) {}
  __device__ Iterator begin() const { return Iterator(first_, step_); }
  __device__ Iterator end() const { return Iterator(count_, step_); }

 private:
  int64_t first_, step_, count_;
};

#define TN_CXX_GRID_RANGE(Axis, axis)                                \
  template <typename T>                                              \
  __device__ GpuGridRange<T> GpuGridRange##Axis(T count) {           \
    return {int64_t{blockIdx.axis} * blockDim.axis + threadIdx.axis, \
            int64_t{gridDim.axis} * blockDim.axis, count};           \
  }
TN_CXX_GRID_RANGE(X, x)
TN_CXX_GRID_RANGE(Y, y)
TN_CXX_GRID_RANGE(Z, z)
#undef TN_CXX_GRID_RANGE

#define GPU_1D_KERNEL_LOOP(i, n) for (int i : ::tenon::GpuGridRangeX<int>(n))
#define GPU_AXIS_KERNEL_LOOP(i, n, axis) for (int i : ::tenon::GpuGridRange##axis<int>(n))
#define GPU_DYNAMIC_SHARED_MEM_DECL(alignment, type, name) \
  extern __shared__ __align__(alignment)                   \
  type name[]

template <typename T>
__device__ T ldg(const T* address) {
  return __ldg(address);
}
template <typename T>
__device__ T GpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
template <typename T>
__device__ T GpuAtomicMax(T* address, T value) {
  return atomicMax(address, value);
}
template <typename T>
__device__ T GpuAtomicMin(T* address, T value) {
  return atomicMin(address, value);
}

#endif

}  // namespace tenon
#endif  // TENON_GPU_LAUNCH_HPP_
