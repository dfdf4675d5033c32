// TensorShape: the sizes of a tensor's dimensions.
//
// A negative size, a rank above 254 or a product that does not fit makes a shape invalid: it says
// so (IsValid), and a host's allocation with it is INVALID_ARGUMENT. Nothing is ended over it.
#ifndef TENON_TENSOR_SHAPE_HPP_
#define TENON_TENSOR_SHAPE_HPP_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tenon/status.hpp"

namespace Eigen {
template <typename DenseIndex, int NumDims>
struct DSizes;
}

namespace tenon {

// One dimension, as iteration over a shape gives it.
struct TensorShapeDim {
  int64_t size;
};

class TensorShape {
 public:
  static constexpr int kMaxRank = 254;
  using DimSizes = std::vector<int64_t>;

  TensorShape() = default;
  TensorShape(std::initializer_list<int64_t> sizes) { Assign(sizes.begin(), sizes.size()); }
  explicit TensorShape(const std::vector<int64_t>& sizes) { Assign(sizes.data(), sizes.size()); }
  TensorShape(const int64_t* sizes, int rank) { Assign(sizes, static_cast<size_t>(rank)); }

  int dims() const { return rank_; }
  int64_t dim_size(int i) const { return i >= 0 && i < rank_ ? data()[i] : 0; }
  // Also of an invalid shape: 0.
  int64_t num_elements() const {
    int64_t count;
    return Count(&count) ? count : 0;
  }
  bool IsValid() const {
    int64_t count;
    return Count(&count);
  }
  // False for an invalid shape.
  bool Count(int64_t* count) const {
    *count = 1;
    if (__builtin_expect(!valid_, 0)) return false;
    bool overflows = false, empty = false;
    const int64_t* sizes = data();
    for (int i = 0; i < rank_; ++i) {
      if (__builtin_expect(sizes[i] < 0, 0)) return false;
      empty |= sizes[i] == 0;
      overflows |= __builtin_mul_overflow(*count, sizes[i], count);
    }
    if (empty) *count = 0;
    return empty || !overflows;
  }
  // The sizes, `dims()` of them.
  const int64_t* data() const { return more_.empty() ? few_.data() : more_.data(); }
  DimSizes dim_sizes() const { return DimSizes(data(), data() + rank_); }

  void AddDim(int64_t size) { InsertDim(rank_, size); }
  Status AddDimWithStatus(int64_t size) {
    AddDim(size);
    return IsValid() ? Status() : Invalid();
  }
  void InsertDim(int position, int64_t size) {
    if (rank_ >= kMaxRank || position < 0 || position > rank_) {
      valid_ = false;
      return;
    }
    if (!more_.empty() || rank_ == kFew) {
      if (more_.empty()) more_.assign(few_.begin(), few_.end());
      more_.insert(more_.begin() + position, size);
    } else {
      for (int i = rank_; i > position; --i) few_[size_t(i)] = few_[size_t(i) - 1];
      few_[size_t(position)] = size;
    }
    ++rank_;
  }
  void AppendShape(const TensorShape& shape) {
    valid_ = valid_ && shape.valid_;
    const TensorShape copy = shape;
    for (int i = 0; i < copy.rank_; ++i) AddDim(copy.data()[i]);
  }
  void set_dim(int i, int64_t size) {
    if (i < 0 || i >= rank_) {
      valid_ = false;
    } else {
      mutable_data()[i] = size;
    }
  }
  void RemoveDim(int i) { RemoveDimRange(i, i + 1); }
  // [begin, end); negative positions count from one past the end.
  void RemoveDimRange(int begin, int end) {
    if (begin < 0) begin += rank_ + 1;
    if (end < 0) end += rank_ + 1;
    if (begin < 0 || end > rank_ || begin > end) {
      valid_ = false;
      return;
    }
    int64_t* sizes = mutable_data();
    for (int i = end; i < rank_; ++i) sizes[begin + i - end] = sizes[i];
    rank_ -= end - begin;
    if (!more_.empty()) more_.resize(size_t(rank_));
  }
  void RemoveLastDims(int count) {
    if (count > rank_) {
      valid_ = false;
    } else {
      RemoveDimRange(rank_ - count, rank_);
    }
  }
  void Clear() { *this = TensorShape(); }

  bool IsSameSize(const TensorShape& other) const {
    if (rank_ != other.rank_ || valid_ != other.valid_) return false;
    for (int i = 0; i < rank_; ++i)
      if (data()[i] != other.data()[i]) return false;
    return true;
  }
  bool operator==(const TensorShape& other) const { return IsSameSize(other); }
  bool operator!=(const TensorShape& other) const { return !IsSameSize(other); }

  // "[2,3]"
  std::string DebugString() const {
    std::string text = "[";
    for (int i = 0; i < rank_; ++i) strings::StrAppend(&text, i ? "," : "", data()[i]);
    return text + "]";
  }

  // Needs tenon/eigen.hpp. The second pads with ones.
  template <int kDims, typename Index = long>
  Eigen::DSizes<Index, kDims> AsEigenDSizes() const;
  template <int kDims, typename Index = long>
  Eigen::DSizes<Index, kDims> AsEigenDSizesWithPadding() const;

  class Iterator {
   public:
    Iterator(const int64_t* at) : at_(at) {}
    TensorShapeDim operator*() const { return {*at_}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const int64_t* at_;
  };
  Iterator begin() const { return data(); }
  Iterator end() const { return data() + rank_; }

 private:
  static constexpr int kFew = 8;

  void Assign(const int64_t* sizes, size_t rank) {
    if (rank > size_t(kMaxRank)) {
      valid_ = false;
      return;
    }
    rank_ = static_cast<int>(rank);
    if (rank > size_t(kFew)) {
      more_.assign(sizes, sizes + rank);
    } else {
      for (size_t i = 0; i < rank; ++i) few_[i] = sizes[i];
    }
  }
  int64_t* mutable_data() { return more_.empty() ? few_.data() : more_.data(); }
  Status Invalid() const { return errors::InvalidArgument("no shape: ", DebugString()); }

  std::array<int64_t, size_t(kFew)> few_;  // the first rank_ count, unless there are more
  std::vector<int64_t> more_;
  int rank_ = 0;
  bool valid_ = true;
};

class TensorShapeUtils {
 public:
  static bool IsScalar(const TensorShape& shape) { return shape.dims() == 0; }
  static bool IsVector(const TensorShape& shape) { return shape.dims() == 1; }
  static bool IsVectorOrHigher(const TensorShape& shape) { return shape.dims() >= 1; }
  static bool IsMatrix(const TensorShape& shape) { return shape.dims() == 2; }
  static bool IsMatrixOrHigher(const TensorShape& shape) { return shape.dims() >= 2; }
  static bool IsSquareMatrix(const TensorShape& shape) {
    return IsMatrix(shape) && shape.dim_size(0) == shape.dim_size(1);
  }
  static bool StartsWith(const TensorShape& shape, const TensorShape& prefix) {
    if (shape.dims() < prefix.dims()) return false;
    for (int i = 0; i < prefix.dims(); ++i)
      if (shape.dim_size(i) != prefix.dim_size(i)) return false;
    return true;
  }
  static bool EndsWith(const TensorShape& shape, const TensorShape& suffix) {
    const int before = shape.dims() - suffix.dims();
    if (before < 0) return false;
    for (int i = 0; i < suffix.dims(); ++i)
      if (shape.dim_size(before + i) != suffix.dim_size(i)) return false;
    return true;
  }
  template <typename T>
  static Status MakeShape(const T* sizes, int64_t rank, TensorShape* out) {
    *out = TensorShape();
    if (rank < 0 || rank > TensorShape::kMaxRank)
      return errors::InvalidArgument("rank ", rank, " is not 0 to ", TensorShape::kMaxRank);
    for (int64_t i = 0; i < rank; ++i) out->AddDim(static_cast<int64_t>(sizes[i]));
    if (!out->IsValid())
      return errors::InvalidArgument("no shape of a tensor: ", out->DebugString());
    return Status();
  }
};

}  // namespace tenon
#endif  // TENON_TENSOR_SHAPE_HPP_
