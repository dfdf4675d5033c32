// The C++ API on a GPU, with a compiler that is not the vendor's: compiled against CUDA's own
// headers, and with EIGEN_USE_HIP against what ROCm's declare.
#define EIGEN_USE_GPU
#include "tenon/kernel_services.h"
// After it come the vendor's headers, so that it does not have their types.
#include "tenon/eigen.hpp"
#include "tenon/gpu_launch.hpp"
#include "tenon/op_kernel.hpp"

namespace {

typedef Eigen::GpuDevice GPUDevice;

class Launches : public tenon::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tenon::OpKernelContext* context) override {
    const GPUDevice& device = context->eigen_device<GPUDevice>();
    const tenon::gpuStream_t& stream = device.stream();
    void (*kernel)(const float*, int64_t) = nullptr;
    float* memory = static_cast<float*>(device.allocate_temp(4));
    device.memset(memory, 0, 4);
    tenon::GpuLaunchConfig config = tenon::GetGpuLaunchConfig(7, device);
    OP_REQUIRES_OK(context, tenon::GpuLaunchKernel(kernel, config.block_count,
                                                   config.thread_per_block, 0, stream, memory, 7));
    config = tenon::GetGpuLaunchConfig(7, device, kernel, 0, 0);
    OP_REQUIRES_OK(context, tenon::GpuLaunchKernel(context, kernel, config.block_count,
                                                   config.thread_per_block, 0, memory, 7));
    device.deallocate_temp(memory);
  }
};

REGISTER_KERNEL_BUILDER(Name("Launches").Device(tenon::DEVICE_GPU), Launches);

// Two devices of one context.
class OnBoth : public tenon::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tenon::OpKernelContext* context) override {
    context->eigen_gpu_device().synchronize();
    context->eigen_device<Eigen::ThreadPoolDevice>().memset(nullptr, 0, 0);
  }
};

REGISTER_KERNEL_BUILDER(Name("OnBoth").Device(tenon::DEVICE_GPU), OnBoth);

}  // namespace
