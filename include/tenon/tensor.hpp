// Tensor: an element type, a shape and a buffer that copies share.
//
// A Tensor owns a handle on the host's tensor (TF_Tensor). Copies made here share the handle, and
// reshaped or sliced ones look at its bytes under a shape of their own; the host sees a handle
// only. Typed access (flat<T>() and its kin) is in tenon/eigen.hpp.
#ifndef TENON_TENSOR_HPP_
#define TENON_TENSOR_HPP_

#include <atomic>
#include <cstring>
#include <new>

#include "tenon/tensor_shape.hpp"
#include "tenon/types.hpp"
#include "tensorflow/c/tf_tensor.h"

namespace tenon {

// The Eigen types of a tensor's views; needs tenon/eigen.hpp.
template <typename T, int kDims = 1, typename Index = long>
struct TTypes;

namespace internal {
// What `count` elements take; false when no memory can be as large. TensorFlow believes any size.
inline bool BytesOf(DataType dtype, int64_t count, size_t* bytes) {
  return !__builtin_mul_overflow(static_cast<size_t>(count), DataTypeSize(dtype), bytes) &&
         *bytes <= PTRDIFF_MAX;
}
}  // namespace internal

class Tensor {
 public:
  // A vector of no floats.
  Tensor() = default;
  // In host memory. Without the memory it is not initialised.
  Tensor(DataType dtype, const TensorShape& shape) {
    int64_t count;
    size_t bytes;
    if (shape.Count(&count) && internal::BytesOf(dtype, count, &bytes))
      handle_ =
          TF_AllocateTensor(static_cast<TF_DataType>(dtype), shape.data(), shape.dims(), bytes);
  }
  explicit Tensor(DataType dtype) : Tensor(dtype, TensorShape({0})) {}
  // Takes over the handle, whose type need not be told.
  explicit Tensor(TF_Tensor* handle, DataType type = DT_INVALID) : handle_(handle), type_(type) {}

  Tensor(const Tensor& other) { Share(other); }
  Tensor(Tensor&& other) noexcept { Take(&other); }
  Tensor& operator=(const Tensor& other) {
    if (this != &other) {
      Reset();
      Share(other);
    }
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    if (this != &other) {
      Reset();
      Take(&other);
    }
    return *this;
  }
  ~Tensor() {
    if (!handle_) return;
    Release(handle_, shared_.load(std::memory_order_acquire));
    if (view_) delete view_;
  }

  DataType dtype() const {
    int type = type_.load(std::memory_order_relaxed);
    if (!type) {
      type = handle_ ? static_cast<int>(TF_TensorType(handle_)) : static_cast<int>(DT_FLOAT);
      if (handle_) type_.store(type, std::memory_order_relaxed);
    }
    return static_cast<DataType>(type);
  }
  int dims() const {
    if (view_) return view_->shape.dims();
    return handle_ ? TF_NumDims(handle_) : 1;
  }
  int64_t dim_size(int i) const {
    if (view_) return view_->shape.dim_size(i);
    return handle_ ? TF_Dim(handle_, i) : 0;
  }
  int64_t NumElements() const {
    if (view_) return view_->shape.num_elements();
    return handle_ ? TF_TensorElementCount(handle_) : 0;
  }
  // By value: a reference bound to it (const auto& s = t.shape()) keeps it.
  TensorShape shape() const {
    if (view_) return view_->shape;
    if (!handle_) return TensorShape({0});
    TensorShape shape;
    for (int i = 0, rank = TF_NumDims(handle_); i < rank; ++i) shape.AddDim(TF_Dim(handle_, i));
    return shape;
  }
  bool IsInitialized() const { return handle_ != nullptr; }
  bool IsSameSize(const Tensor& other) const { return shape() == other.shape(); }
  bool IsAligned() const { return reinterpret_cast<uintptr_t>(data()) % 64 == 0; }
  size_t TotalBytes() const { return static_cast<size_t>(NumElements()) * DataTypeSize(dtype()); }
  size_t AllocatedBytes() const { return handle_ ? TF_TensorByteSize(handle_) : 0; }
  void* data() const {
    char* bytes = handle_ ? static_cast<char*>(TF_TensorData(handle_)) : nullptr;
    return view_ ? bytes + view_->offset : bytes;
  }
  StringPiece tensor_data() const {
    return StringPiece(static_cast<const char*>(data()), TotalBytes());
  }
  bool SharesBufferWith(const Tensor& other) const {
    return handle_ && other.handle_ && TF_TensorData(handle_) == TF_TensorData(other.handle_);
  }
  std::string DebugString() const {
    return strings::StrCat("Tensor<", DataTypeString(dtype()), " ", shape().DebugString(), ">");
  }

  // Shares the buffer of `other` under a shape with as many elements; else false.
  bool CopyFrom(const Tensor& other, const TensorShape& shape) {
    if (!shape.IsValid() || other.NumElements() != shape.num_elements()) return false;
    return Look(other, shape, other.view_ ? other.view_->offset : 0);
  }
  // Rows [begin, end) of the first dimension, and one row without it. They share the buffer.
  Tensor Slice(int64_t begin, int64_t end) const {
    TensorShape rows = shape();
    if (rows.dims() < 1 || begin < 0 || begin > end || end > rows.dim_size(0))
      internal::CheckFailed(__FILE__, __LINE__,
                            strings::StrCat("no rows [", begin, ", ", end, ") in ", DebugString()));
    const size_t row = RowBytes(rows);
    rows.set_dim(0, end - begin);
    Tensor out;
    out.Look(*this, rows, (view_ ? view_->offset : 0) + static_cast<size_t>(begin) * row);
    return out;
  }
  Tensor SubSlice(int64_t i) const {
    Tensor out = Slice(i, i + 1);
    out.view_->shape.RemoveDim(0);
    return out;
  }

  // The first element; for any element type that is T. CheckFailed when it is not.
  template <typename T>
  T* base() const {
    CheckType(DataTypeToEnum<T>::value);
    return static_cast<T*>(data());
  }

  // Needs tenon/eigen.hpp. The element count must fit; nothing is copied.
#define TN_CXX_VIEW(name, Type)    \
  template <typename T>            \
  typename TTypes<T>::Type name(); \
  template <typename T>            \
  typename TTypes<T>::Const##Type name() const;
  TN_CXX_VIEW(flat, Flat)
  TN_CXX_VIEW(unaligned_flat, UnalignedFlat)
  TN_CXX_VIEW(vec, Vec)
  TN_CXX_VIEW(matrix, Matrix)
  TN_CXX_VIEW(scalar, Scalar)
  TN_CXX_VIEW(flat_inner_dims, Matrix)
  TN_CXX_VIEW(flat_outer_dims, Matrix)
#undef TN_CXX_VIEW
#define TN_CXX_VIEW(name, parameters)                \
  template <typename T, int kDims>                   \
  typename TTypes<T, kDims>::Tensor name parameters; \
  template <typename T, int kDims>                   \
  typename TTypes<T, kDims>::ConstTensor name parameters const;
  TN_CXX_VIEW(tensor, ())
  TN_CXX_VIEW(shaped, (const std::vector<int64_t>& sizes))
  TN_CXX_VIEW(unaligned_shaped, (const std::vector<int64_t>& sizes))
  // All inner (outer) dimensions but kDims - 1 become one.
  TN_CXX_VIEW(flat_inner_dims, ())
  TN_CXX_VIEW(flat_outer_dims, ())
#undef TN_CXX_VIEW

  // The host's handle with this type and shape, for calls of the C API; NULL when not initialised
  // or without the memory. Owned by this tensor.
  TF_Tensor* handle() {
    if (view_) Settle();
    return view_ ? nullptr : handle_;
  }

 private:
  // The handle when several tensors share it.
  struct Shared {
    TF_Tensor* handle;
    std::atomic<long> users;
  };
  struct View {
    TensorShape shape;
    size_t offset;  // in bytes
  };

  void CheckType(DataType wanted) const {
    if (__builtin_expect(dtype() != wanted, 0))
      internal::CheckFailed(
          __FILE__, __LINE__,
          strings::StrCat("elements of ", DebugString(), " read as ", DataTypeString(wanted)));
  }
  size_t RowBytes(const TensorShape& shape) const {
    size_t bytes = DataTypeSize(dtype());
    for (int i = 1; i < shape.dims(); ++i) bytes *= static_cast<size_t>(shape.dim_size(i));
    return bytes;
  }

  // The record of who shares the handle, made when the first copy is. Copies may be made on several
  // threads at once.
  Shared* Users() const {
    Shared* shared = shared_.load(std::memory_order_acquire);
    if (shared) return shared;
    Shared* made = new Shared{handle_, {1}};
    if (shared_.compare_exchange_strong(shared, made, std::memory_order_acq_rel)) return made;
    delete made;
    return shared;
  }
  void ShareHandle(const Tensor& other) {
    if (!other.handle_) return;
    Shared* shared = other.Users();
    shared->users.fetch_add(1, std::memory_order_relaxed);
    handle_ = shared->handle;
    shared_.store(shared, std::memory_order_relaxed);
  }
  void Share(const Tensor& other) {
    ShareHandle(other);
    if (other.view_) view_ = new View(*other.view_);
  }
  bool Look(const Tensor& other, const TensorShape& shape, size_t offset) {
    // Of a tensor without a handle there is nothing to look at: no elements, of another shape.
    if (!other.handle_) {
      *this = Tensor(DT_FLOAT, shape);
      return handle_ != nullptr;
    }
    View* view = new View{shape, offset};
    if (this != &other) {
      Reset();
      ShareHandle(other);
    }
    delete view_;
    view_ = view;
    return true;
  }
  void Take(Tensor* other) {
    handle_ = other->handle_;
    view_ = other->view_;
    shared_.store(other->shared_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    type_.store(other->type_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    other->type_.store(0, std::memory_order_relaxed);
    other->handle_ = nullptr;
    other->view_ = nullptr;
    other->shared_.store(nullptr, std::memory_order_relaxed);
  }
  static void Release(TF_Tensor* handle, Shared* shared) {
    if (!shared) {
      TF_DeleteTensor(handle);
    } else if (shared->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      TF_DeleteTensor(shared->handle);
      delete shared;
    }
  }
  void Reset() {
    Tensor gone;
    gone.Take(this);
  }

  // Whether a view is less than its buffer: the host has no handle for that, and gets a copy.
  bool IsPart() const {
    return view_ && (view_->offset != 0 || TotalBytes() != TF_TensorByteSize(handle_));
  }

  // Gives a view a handle of its own: the same bytes where the host can share them, else a copy.
  void Settle() {
    if (!handle_) return;
    const TensorShape& shape = view_->shape;
    const TF_DataType type = TF_TensorType(handle_);
    TF_Tensor* own = nullptr;
    if (type != TF_STRING && !IsPart()) {
      internal::HostStatus status;
      const int64_t none = 0;
      own = TF_AllocateTensor(type, &none, 1, 0);
      if (own) TF_TensorBitcastFrom(handle_, type, own, shape.data(), shape.dims(), status);
      if (!status.ok() && own) {
        TF_DeleteTensor(own);
        own = nullptr;
      }
    } else {
      own = TF_AllocateTensor(type, shape.data(), shape.dims(), TotalBytes());
      if (own && type == TF_STRING) {
        const tstring* from = static_cast<const tstring*>(data());
        tstring* to = static_cast<tstring*>(TF_TensorData(own));
        // TensorFlow's memory for strings holds none yet.
        for (int64_t i = 0, count = shape.num_elements(); i < count; ++i)
          new (&to[i]) tstring(from[i]);
      } else if (own && TotalBytes()) {
        memcpy(TF_TensorData(own), data(), TotalBytes());
      }
    }
    if (!own) return;
    Reset();
    handle_ = own;
  }

  TF_Tensor* handle_ = nullptr;
  mutable std::atomic<Shared*> shared_{nullptr};
  mutable std::atomic<int> type_{0};  // the handle's, once it was asked for
  View* view_ = nullptr;              // set only with a handle

  friend class OpKernelContext;
};

}  // namespace tenon
#endif  // TENON_TENSOR_HPP_
