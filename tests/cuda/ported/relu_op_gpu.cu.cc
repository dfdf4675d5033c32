// A plain kernel, launched on the host's stream.
#include "relu_op.h"
#include "tensorflow/core/util/gpu_kernel_helper.h"

namespace tensorflow {

typedef Eigen::GpuDevice GPUDevice;

template <typename T>
__global__ void ReluKernel(const T* features, T* activations, int count) {
  GPU_1D_KERNEL_LOOP(i, count) { activations[i] = features[i] < T(0) ? T(0) : features[i]; }
}

namespace functor {

template <typename T>
struct Relu<GPUDevice, T> {
  void operator()(const GPUDevice& d, typename TTypes<T>::ConstTensor features,
                  typename TTypes<T>::Tensor activations) {
    GpuLaunchConfig config = GetGpuLaunchConfig(static_cast<int>(features.size()), d);
    TF_CHECK_OK(GpuLaunchKernel(ReluKernel<T>, config.block_count, config.thread_per_block, 0,
                                d.stream(), features.data(), activations.data(),
                                config.virtual_thread_count));
  }
};

template struct Relu<GPUDevice, float>;
template struct Relu<GPUDevice, double>;

}  // namespace functor
}  // namespace tensorflow
