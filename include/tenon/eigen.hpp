// Tensors as Eigen's: typed views, and the host's threads as an Eigen device. Needs Eigen 3.4
// (Debian's libeigen3-dev; its folder must be on the include path). With EIGEN_USE_GPU the host's
// streams are one as well (tenon/eigen_gpu.hpp).
//
// Views are declared unaligned: a host may hand out rows of a larger buffer.
#ifndef TENON_EIGEN_HPP_
#define TENON_EIGEN_HPP_

#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif
#ifdef EIGEN_USE_GPU
#include "tenon/gpu_runtime.hpp"  // before Eigen, whose checks it gives a better end
#endif
#include <unsupported/Eigen/CXX11/Tensor>

#include "tenon/op_kernel_context.hpp"
#include "tenon/tensor.hpp"

namespace tenon {

using Eigen::bfloat16;
using Eigen::half;
TN_CXX_TYPE(Eigen::half, DT_HALF)
TN_CXX_TYPE(Eigen::bfloat16, DT_BFLOAT16)
#define TF_CALL_half(m) m(Eigen::half)
#define TF_CALL_bfloat16(m) m(Eigen::bfloat16)
#define TF_CALL_FLOAT_TYPES(m) \
  TF_CALL_half(m) TF_CALL_bfloat16(m) TF_CALL_float(m) TF_CALL_double(m)

template <typename T, int kDims, typename Index>
struct TTypes {
  template <typename E, int kRank>
  using Of = Eigen::TensorMap<Eigen::Tensor<E, kRank, Eigen::RowMajor, Index>>;
  template <typename E>
  using ScalarOf = Eigen::TensorMap<Eigen::TensorFixedSize<E, Eigen::Sizes<>, Eigen::RowMajor>>;

  using Tensor = Of<T, kDims>;
  using ConstTensor = Of<const T, kDims>;
  using UnalignedTensor = Tensor;
  using UnalignedConstTensor = ConstTensor;
  using Flat = Of<T, 1>;
  using ConstFlat = Of<const T, 1>;
  using UnalignedFlat = Flat;
  using ConstUnalignedFlat = ConstFlat;
  using UnalignedConstFlat = ConstFlat;
  using Vec = Flat;
  using ConstVec = ConstFlat;
  using UnalignedVec = Flat;
  using UnalignedConstVec = ConstFlat;
  using Matrix = Of<T, 2>;
  using ConstMatrix = Of<const T, 2>;
  using UnalignedMatrix = Matrix;
  using UnalignedConstMatrix = ConstMatrix;
  using Scalar = ScalarOf<T>;
  using ConstScalar = ScalarOf<const T>;
  using UnalignedScalar = Scalar;
  using UnalignedConstScalar = ConstScalar;
};

template <int kDims, typename Index>
Eigen::DSizes<Index, kDims> TensorShape::AsEigenDSizes() const {
  if (dims() != kDims)
    internal::CheckFailed(__FILE__, __LINE__,
                          strings::StrCat("rank of ", DebugString(), " is not ", kDims));
  return AsEigenDSizesWithPadding<kDims, Index>();
}

template <int kDims, typename Index>
Eigen::DSizes<Index, kDims> TensorShape::AsEigenDSizesWithPadding() const {
  Eigen::DSizes<Index, kDims> sizes;
  for (int i = 0; i < kDims; ++i) sizes[i] = i < dims() ? Index(dim_size(i)) : 1;
  return sizes;
}

namespace internal {

// A view of `tensor` with these sizes, which must make its element count.
template <typename View, typename T, size_t kDims>
View ViewOf(const Tensor& tensor, const std::array<int64_t, kDims>& sizes) {
  int64_t count = 1;
  Eigen::DSizes<long, int(kDims)> dims;
  for (size_t i = 0; i < kDims; ++i) {
    dims[i] = sizes[i];
    count *= sizes[i];
  }
  T* elements = tensor.base<std::remove_const_t<T>>();
  if (__builtin_expect(count != tensor.NumElements(), 0))
    CheckFailed(__FILE__, __LINE__,
                strings::StrCat(tensor.DebugString(), " has not the ", count,
                                " elements of a view of rank ", kDims));
  return View(elements, dims);
}

template <size_t kDims>
std::array<int64_t, kDims> SizesOf(const Tensor& tensor) {
  if (__builtin_expect(tensor.dims() != int(kDims), 0))
    CheckFailed(__FILE__, __LINE__,
                strings::StrCat("rank of ", tensor.DebugString(), " is not ", kDims));
  std::array<int64_t, kDims> sizes;
  for (size_t i = 0; i < kDims; ++i) sizes[i] = tensor.dim_size(int(i));
  return sizes;
}

template <size_t kDims>
std::array<int64_t, kDims> SizesOf(const std::vector<int64_t>& wanted) {
  if (wanted.size() != kDims)
    CheckFailed(__FILE__, __LINE__,
                strings::StrCat(wanted.size(), " sizes for a view of rank ", kDims));
  std::array<int64_t, kDims> sizes;
  for (size_t i = 0; i < kDims; ++i) sizes[i] = wanted[i];
  return sizes;
}

// The last kDims - 1 sizes, and before them the product of the rest; ones where there are fewer.
template <size_t kDims>
std::array<int64_t, kDims> InnerSizesOf(const Tensor& tensor) {
  std::array<int64_t, kDims> sizes;
  sizes.fill(1);
  int at = tensor.dims() - 1;
  for (size_t i = kDims; i-- > 1 && at >= 0;) sizes[i] = tensor.dim_size(at--);
  while (at >= 0) sizes[0] *= tensor.dim_size(at--);
  return sizes;
}

template <size_t kDims>
std::array<int64_t, kDims> OuterSizesOf(const Tensor& tensor) {
  std::array<int64_t, kDims> sizes;
  sizes.fill(1);
  int at = 0;
  for (size_t i = 0; i + 1 < kDims && at < tensor.dims(); ++i) sizes[i] = tensor.dim_size(at++);
  while (at < tensor.dims()) sizes[kDims - 1] *= tensor.dim_size(at++);
  return sizes;
}

}  // namespace internal

#define TN_CXX_VIEW(name, Type, rank, sizes)                                               \
  template <typename T>                                                                    \
  typename TTypes<T>::Type Tensor::name() {                                                \
    return internal::ViewOf<typename TTypes<T>::Type, T, rank>(*this, sizes);              \
  }                                                                                        \
  template <typename T>                                                                    \
  typename TTypes<T>::Const##Type Tensor::name() const {                                   \
    return internal::ViewOf<typename TTypes<T>::Const##Type, const T, rank>(*this, sizes); \
  }
TN_CXX_VIEW(vec, Vec, 1, internal::SizesOf<1>(*this))
TN_CXX_VIEW(matrix, Matrix, 2, internal::SizesOf<2>(*this))
TN_CXX_VIEW(flat_inner_dims, Matrix, 2, internal::InnerSizesOf<2>(*this))
TN_CXX_VIEW(flat_outer_dims, Matrix, 2, internal::OuterSizesOf<2>(*this))
#undef TN_CXX_VIEW

// No count to compare: it is the tensor's own.
#define TN_CXX_VIEW(name, Type)                                       \
  template <typename T>                                               \
  typename TTypes<T>::Type Tensor::name() {                           \
    return typename TTypes<T>::Type(base<T>(), NumElements());        \
  }                                                                   \
  template <typename T>                                               \
  typename TTypes<T>::Const##Type Tensor::name() const {              \
    return typename TTypes<T>::Const##Type(base<T>(), NumElements()); \
  }
TN_CXX_VIEW(flat, Flat)
TN_CXX_VIEW(unaligned_flat, UnalignedFlat)
#undef TN_CXX_VIEW

template <typename T>
typename TTypes<T>::Scalar Tensor::scalar() {
  if (NumElements() != 1)
    internal::CheckFailed(__FILE__, __LINE__, strings::StrCat(DebugString(), " is no scalar"));
  return typename TTypes<T>::Scalar(base<T>());
}
template <typename T>
typename TTypes<T>::ConstScalar Tensor::scalar() const {
  if (NumElements() != 1)
    internal::CheckFailed(__FILE__, __LINE__, strings::StrCat(DebugString(), " is no scalar"));
  return typename TTypes<T>::ConstScalar(base<T>());
}

#define TN_CXX_VIEW(name, parameters, sizes)                                                       \
  template <typename T, int kDims>                                                                 \
  typename TTypes<T, kDims>::Tensor Tensor::name parameters {                                      \
    return internal::ViewOf<typename TTypes<T, kDims>::Tensor, T, kDims>(*this, sizes);            \
  }                                                                                                \
  template <typename T, int kDims>                                                                 \
  typename TTypes<T, kDims>::ConstTensor Tensor::name parameters const {                           \
    return internal::ViewOf<typename TTypes<T, kDims>::ConstTensor, const T, kDims>(*this, sizes); \
  }
TN_CXX_VIEW(tensor, (), internal::SizesOf<kDims>(*this))
TN_CXX_VIEW(shaped, (const std::vector<int64_t>& sizes), internal::SizesOf<kDims>(sizes))
TN_CXX_VIEW(unaligned_shaped, (const std::vector<int64_t>& sizes), internal::SizesOf<kDims>(sizes))
TN_CXX_VIEW(flat_inner_dims, (), internal::InnerSizesOf<kDims>(*this))
TN_CXX_VIEW(flat_outer_dims, (), internal::OuterSizesOf<kDims>(*this))
#undef TN_CXX_VIEW

// The pool of a kernel's context in the form that Eigen's devices take.
class EigenThreadPool : public Eigen::ThreadPoolInterface {
 public:
  explicit EigenThreadPool(thread::ThreadPool* pool) : pool_(pool) {}
  void Schedule(std::function<void()> work) override { pool_->ScheduleOrRun(std::move(work)); }
  void ScheduleWithHint(std::function<void()> work, int, int) override {
    Schedule(std::move(work));
  }
  int NumThreads() const override { return pool_->NumThreads(); }
  int CurrentThreadId() const override { return pool_->CurrentThreadId(); }

 private:
  thread::ThreadPool* pool_;
};

// The host's memory in the form that Eigen's devices take, for the temporaries of expressions.
// Where the host lends none, get() is NULL and Eigen takes its own.
class EigenAllocator : public Eigen::Allocator {
 public:
  explicit EigenAllocator(TF_OpKernelContext* context)
      : handle_(TF_GetEigenAllocatorHandle ? TF_GetEigenAllocatorHandle(context) : nullptr) {}
  ~EigenAllocator() override {
    if (handle_) TF_DeleteEigenAllocatorHandle(handle_);
  }
  EigenAllocator(const EigenAllocator&) = delete;
  EigenAllocator& operator=(const EigenAllocator&) = delete;

  Eigen::Allocator* get() { return handle_ ? this : nullptr; }
  // Eigen looks at no result: what cannot be had is thrown.
  void* allocate(size_t size) const override {
    void* found = size ? TF_EigenAllocator_Allocate(handle_, size) : nullptr;
    if (size && !found) Eigen::internal::throw_std_bad_alloc();
    return found;
  }
  void deallocate(void* buffer) const override { TF_EigenAllocator_Deallocate(handle_, buffer); }

 private:
  TF_EigenAllocator* const handle_;
};

namespace internal {

struct EigenCpu : DeviceOfContext {
  EigenCpu(TF_OpKernelContext* context, thread::ThreadPool* threads)
      : pool(threads), allocator(context), device(&pool, threads->NumThreads(), allocator.get()) {}
  EigenThreadPool pool;
  EigenAllocator allocator;
  Eigen::ThreadPoolDevice device;
};

}  // namespace internal

inline const Eigen::ThreadPoolDevice& OpKernelContext::eigen_cpu_device() {
  Rest& rest = this->rest();
  std::lock_guard<std::mutex> hold(rest.mutex);
  if (!rest.eigen)
    rest.eigen = std::make_unique<internal::EigenCpu>(
        context_, rest.device.tensorflow_cpu_worker_threads()->workers);
  return static_cast<internal::EigenCpu*>(rest.eigen.get())->device;
}

template <typename Device>
const Device& OpKernelContext::eigen_device() {
  static_assert(!sizeof(Device),
                "eigen_device gives Eigen::ThreadPoolDevice, and with EIGEN_USE_GPU "
                "Eigen::GpuDevice");
}
template <>
inline const Eigen::ThreadPoolDevice& OpKernelContext::eigen_device<Eigen::ThreadPoolDevice>() {
  return eigen_cpu_device();
}

}  // namespace tenon

#ifdef EIGEN_USE_GPU
#include "tenon/eigen_gpu.hpp"
#endif
#endif  // TENON_EIGEN_HPP_
