// What a launch costs.
#include <algorithm>
#include <chrono>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/util/gpu_kernel_helper.h"

namespace tensorflow {

__global__ void Nothing(float*) {}

// Nanoseconds of a launch on the run's stream: by CUDA itself, by the host (TF_LaunchKernel), and
// by the two functions of the C++ API. Medians of rounds in turn.
class LaunchCostOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* answer = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({kWays}), &answer));
    const cudaStream_t stream = ctx->eigen_gpu_device().stream();
    float* pointer = nullptr;
    void* args[] = {&pointer};
    const void* function = reinterpret_cast<const void*>(Nothing);
    double costs[kWays][kRounds];
    for (int round = 0; round < kRounds; ++round) {
      Time(stream, &costs[0][round],
           [&] { cudaLaunchKernel(function, dim3(1), dim3(1), args, 0, stream); });
      Time(stream, &costs[1][round], [&] {
        TF_LaunchKernel(ctx->c_context(), function, {1, 1, 1}, {1, 1, 1}, args, 0, nullptr);
      });
      Time(stream, &costs[2][round],
           [&] { GpuLaunchKernel(ctx, Nothing, 1, 1, 0, pointer).IgnoreError(); });
      Time(stream, &costs[3][round],
           [&] { GpuLaunchKernel(Nothing, 1, 1, 0, stream, pointer).IgnoreError(); });
    }
    for (int way = 0; way < kWays; ++way) {
      std::sort(costs[way], costs[way] + kRounds);
      answer->flat<float>()(way) = static_cast<float>(costs[way][kRounds / 2]);
    }
  }

 private:
  static constexpr int kWays = 4, kRounds = 31, kLaunches = 500;

  template <typename Launch>
  static void Time(cudaStream_t stream, double* nanoseconds, const Launch& launch) {
    cudaStreamSynchronize(stream);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i) launch();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    *nanoseconds = time.count() / kLaunches;
  }
};

REGISTER_OP("LaunchCost").Output("nanoseconds: float").SetIsStateful();
REGISTER_KERNEL_BUILDER(Name("LaunchCost").Device(DEVICE_GPU).HostMemory("nanoseconds"),
                        LaunchCostOp);

}  // namespace tensorflow
