// UnsortedSegmentSum: memory cleared on the stream, then sums by atomic additions. The launch is
// the device plugin's, so that no stream crosses.
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/util/gpu_kernel_helper.h"

namespace tensorflow {

typedef Eigen::GpuDevice GPUDevice;

template <typename T, typename Index>
__global__ void UnsortedSegmentSumKernel(int count, int inner, Index segments,
                                         const T* __restrict__ data, const Index* __restrict__ ids,
                                         T* __restrict__ output) {
  GPU_1D_KERNEL_LOOP(i, count) {
    const Index segment = ldg(ids + i / inner);
    // A negative one drops the row; one that is too large cannot be told from here.
    if (segment >= 0 && segment < segments)
      GpuAtomicAdd(output + segment * inner + i % inner, ldg(data + i));
  }
}

template <typename T, typename Index>
class UnsortedSegmentSumOp : public OpKernel {
 public:
  explicit UnsortedSegmentSumOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& data = context->input(0);
    const Tensor& ids = context->input(1);
    const Tensor& num_segments = context->input(2);  // in host memory
    OP_REQUIRES(context, TensorShapeUtils::StartsWith(data.shape(), ids.shape()),
                errors::InvalidArgument(
                    "data.shape = ", data.shape().DebugString(),
                    " does not start with segment_ids.shape = ", ids.shape().DebugString()));
    OP_REQUIRES(context, TensorShapeUtils::IsScalar(num_segments.shape()),
                errors::InvalidArgument("num_segments should be a scalar, not shape ",
                                        num_segments.shape().DebugString()));
    const int32 segments = num_segments.scalar<int32>()();
    OP_REQUIRES(
        context, segments >= 0,
        errors::InvalidArgument("Input num_segments == ", segments, " must not be negative."));
    TensorShape shape({segments});
    for (int i = ids.dims(); i < data.dims(); ++i) shape.AddDim(data.dim_size(i));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    const GPUDevice& d = context->eigen_device<GPUDevice>();
    d.memset(output->flat<T>().data(), 0, output->TotalBytes());
    const int count = static_cast<int>(data.NumElements());
    if (count == 0) return;
    const int inner = static_cast<int>(data.NumElements() / ids.NumElements());
    GpuLaunchConfig config = GetGpuLaunchConfig(count, d, UnsortedSegmentSumKernel<T, Index>, 0, 0);
    OP_REQUIRES_OK(context, GpuLaunchKernel(context, UnsortedSegmentSumKernel<T, Index>,
                                            config.block_count, config.thread_per_block, 0, count,
                                            inner, Index(segments), data.flat<T>().data(),
                                            ids.flat<Index>().data(), output->flat<T>().data()));
  }
};

REGISTER_KERNEL_BUILDER(Name("UnsortedSegmentSum")
                            .Device(DEVICE_GPU)
                            .HostMemory("num_segments")
                            .TypeConstraint<float>("T")
                            .TypeConstraint<int32>("Tindices")
                            .TypeConstraint<int32>("Tnumsegments"),
                        UnsortedSegmentSumOp<float, int32>);

}  // namespace tensorflow
