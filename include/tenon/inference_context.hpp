// shape_inference::InferenceContext: what a shape function sees.
//
// TensorFlow's C API has a part of it only; the rest is Tenon's (tenon/shape_inference.h). Where a
// host lacks what a shape function asks for, its outputs get unknown shapes: nothing fails.
#ifndef TENON_INFERENCE_CONTEXT_HPP_
#define TENON_INFERENCE_CONTEXT_HPP_

#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "tenon/shape_inference.h"
#include "tenon/tensor.hpp"
#include "tensorflow/c/ops.h"

namespace tenon {
namespace shape_inference {

// Values that belong to the context they came from.
class ShapeHandle {
 public:
  ShapeHandle() = default;

 private:
  friend class InferenceContext;
  explicit ShapeHandle(TF_ShapeHandle* box) : box_(box) {}
  TF_ShapeHandle* box_ = nullptr;
};

class DimensionHandle {
 public:
  DimensionHandle() = default;

 private:
  friend class InferenceContext;
  explicit DimensionHandle(TF_DimensionHandle* box) : box_(box) {}
  TF_DimensionHandle* box_ = nullptr;
  // Where it came from, for hosts that cannot make a shape out of dimensions.
  TF_ShapeHandle* shape_ = nullptr;
  int64_t index_ = 0;
};

struct DimensionOrConstant {
  DimensionOrConstant(DimensionHandle handle) : dim(handle) {}
  DimensionOrConstant(int64_t value) : value(value) {}
  DimensionHandle dim;
  int64_t value = std::numeric_limits<int64_t>::min();  // then `dim` counts
  bool is_constant() const { return value != std::numeric_limits<int64_t>::min(); }
};

class InferenceContext {
 public:
  static constexpr int64_t kUnknownDim = -1;
  static constexpr int32_t kUnknownRank = -1;

  // Runs a shape function for a host.
  template <typename Function>
  static void Run(const Function& function, TF_ShapeInferenceContext* context, TF_Status* status) {
    Status result;
    bool lacking = false;
    const Status thrown = internal::Guarded([&] {
      InferenceContext c(context);
      result = function(&c);
      lacking = c.lacking_;
    });
    result.Update(thrown);
    if (lacking) return TF_ShapeInferenceContextSetUnknownShape(context, status);
    if (!result.ok())
      TF_SetStatus(status, static_cast<TF_Code>(result.code()), result.message().data());
  }

  explicit InferenceContext(TF_ShapeInferenceContext* context) : context_(context) {}
  ~InferenceContext() {
    for (TF_ShapeHandle* box : shapes_) TF_DeleteShapeHandle(box);
    for (TF_DimensionHandle* box : dims_) TF_DeleteDimensionHandle(box);
  }
  InferenceContext(const InferenceContext&) = delete;
  InferenceContext& operator=(const InferenceContext&) = delete;

  // The node.
  int num_inputs() const { return static_cast<int>(TF_ShapeInferenceContextNumInputs(context_)); }
  int num_outputs() {
    if (!TN_ShapeInferenceContextNumOutputs) return Lack(0);
    return static_cast<int>(TN_ShapeInferenceContextNumOutputs(context_));
  }
  ShapeHandle input(int i) {
    ShapeHandle shape = NewShape();
    internal::HostStatus status;
    TF_ShapeInferenceContextGetInput(context_, i, shape.box_, status);
    return shape;
  }
  void set_output(int i, ShapeHandle shape) {
    if (lacking_ || !shape.box_) return;
    internal::HostStatus status;
    TF_ShapeInferenceContextSetOutput(context_, i, shape.box_, status);
  }
  // The value of an input where it is known, else NULL. Belongs to the context.
  const Tensor* input_tensor(int i) {
    if (!TN_ShapeInferenceContextGetInputTensor) return Lack<const Tensor*>(nullptr);
    internal::HostStatus status;
    TF_Tensor* value = nullptr;
    TN_ShapeInferenceContextGetInputTensor(context_, i, &value, status);
    if (!value) return nullptr;
    tensors_.emplace_back(value);
    return &tensors_.back();
  }

  // Attributes: types everywhere, the others in Tenon.
  Status GetAttr(StringPiece name, DataType* value) {
    TF_DataType type{};
    internal::HostStatus status;
    TF_ShapeInferenceContext_GetAttrType(context_, std::string(name).c_str(), &type, status);
    if (!status.ok()) return status.status();
    *value = static_cast<DataType>(type);
    return Status();
  }
#define TN_CXX_ATTR(Type, Function, CType)                                                        \
  Status GetAttr(StringPiece name, Type* value) {                                                 \
    if (!TN_ShapeInferenceContextGetAttr##Function) return Lacking();                             \
    CType got{};                                                                                  \
    internal::HostStatus status;                                                                  \
    TN_ShapeInferenceContextGetAttr##Function(context_, std::string(name).c_str(), &got, status); \
    if (!status.ok()) return status.status();                                                     \
    *value = static_cast<Type>(got);                                                              \
    return Status();                                                                              \
  }
  TN_CXX_ATTR(int64_t, Int64, int64_t)
  TN_CXX_ATTR(int32_t, Int64, int64_t)
  TN_CXX_ATTR(float, Float, float)
  TN_CXX_ATTR(bool, Bool, bool)
#undef TN_CXX_ATTR
  Status GetAttr(StringPiece name, std::string* value) {
    if (!TN_ShapeInferenceContextGetAttrString) return Lacking();
    const char* text = "";
    size_t size = 0;
    internal::HostStatus status;
    TN_ShapeInferenceContextGetAttrString(context_, std::string(name).c_str(), &text, &size,
                                          status);
    if (!status.ok()) return status.status();
    value->assign(text, size);
    return Status();
  }

  // Asking.
  int32_t Rank(ShapeHandle s) {
    return RankKnown(s) ? static_cast<int32_t>(TF_ShapeInferenceContextRank(context_, s.box_))
                        : kUnknownRank;
  }
  bool RankKnown(ShapeHandle s) {
    return s.box_ && TF_ShapeInferenceContextRankKnown(context_, s.box_);
  }
  int64_t Value(DimensionOrConstant d) {
    if (d.is_constant()) return d.value;
    return ValueKnown(d) ? TF_DimensionHandleValue(d.dim.box_) : kUnknownDim;
  }
  bool ValueKnown(DimensionOrConstant d) {
    if (d.is_constant()) return d.value >= 0;
    return d.dim.box_ && TF_DimensionHandleValueKnown(d.dim.box_);
  }
  bool FullyDefined(ShapeHandle s) {
    if (!RankKnown(s)) return false;
    for (int i = 0; i < Rank(s); ++i)
      if (!ValueKnown(Dim(s, i))) return false;
    return true;
  }
  // Counted from the end when negative; unknown in a shape of unknown rank.
  DimensionHandle Dim(ShapeHandle s, int64_t i) {
    DimensionHandle dim = NewDim();
    if (!s.box_) return dim;
    TF_ShapeInferenceContextDim(context_, s.box_, i, dim.box_);
    if (RankKnown(s)) {
      dim.shape_ = s.box_;
      dim.index_ = i < 0 ? i + Rank(s) : i;
    }
    return dim;
  }
  DimensionHandle DimKnownRank(ShapeHandle s, int64_t i) { return Dim(s, i); }
  DimensionHandle NumElements(ShapeHandle s) {
    DimensionHandle dim = NewDim();
    if (!TN_ShapeInferenceContextNumElements) return Lack(dim);
    internal::HostStatus status;
    TN_ShapeInferenceContextNumElements(context_, s.box_, dim.box_, status);
    return dim;
  }

  // Making.
  ShapeHandle Scalar() { return Own(TF_ShapeInferenceContextScalar(context_)); }
  ShapeHandle Vector(DimensionOrConstant d) { return MakeShape({d}); }
  ShapeHandle Matrix(DimensionOrConstant a, DimensionOrConstant b) { return MakeShape({a, b}); }
  ShapeHandle MakeShape(const std::vector<DimensionHandle>& dims) {
    return MakeShape(std::vector<DimensionOrConstant>(dims.begin(), dims.end()));
  }
  ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> dims) {
    return MakeShape(std::vector<DimensionOrConstant>(dims));
  }
  ShapeHandle MakeShape(const std::vector<DimensionOrConstant>& dims) {
    internal::HostStatus status;
    if (!TN_ShapeInferenceContextMakeShapeFromDims) return MakeShapeByParts(dims);
    std::vector<TF_DimensionHandle*> boxes;
    for (const DimensionOrConstant& dim : dims) boxes.push_back(Box(dim));
    ShapeHandle shape = NewShape();
    TN_ShapeInferenceContextMakeShapeFromDims(context_, boxes.data(), int64_t(boxes.size()),
                                              shape.box_, status);
    return shape;
  }
  ShapeHandle UnknownShape() {
    ShapeHandle shape = NewShape();
    if (!TN_ShapeInferenceContextUnknownShape) return Lack(shape);
    TN_ShapeInferenceContextUnknownShape(context_, shape.box_);
    return shape;
  }
  ShapeHandle UnknownShapeOfRank(int64_t rank) {
    ShapeHandle shape = NewShape();
    if (!TN_ShapeInferenceContextUnknownShapeOfRank) return Lack(shape);
    internal::HostStatus status;
    TN_ShapeInferenceContextUnknownShapeOfRank(context_, rank, shape.box_, status);
    return shape;
  }
  DimensionHandle MakeDim(DimensionOrConstant d) {
    if (!d.is_constant()) return d.dim;
    DimensionHandle dim = NewDim();
    if (!TN_DimensionHandleSetValue) return Lack(dim);
    TN_DimensionHandleSetValue(dim.box_, d.value);
    return dim;
  }
  DimensionHandle UnknownDim() { return MakeDim(kUnknownDim); }
  // What an input's value says, as far as it is known.
  Status MakeShapeFromShapeTensor(int i, ShapeHandle* out) {
    *out = NewShape();
    if (!TN_ShapeInferenceContextGetInputTensorAsShape) return Lacking();
    internal::HostStatus status;
    TN_ShapeInferenceContextGetInputTensorAsShape(context_, i, out->box_, status);
    return status.ok() ? Status() : status.status();
  }
  Status MakeDimForScalarInput(int i, DimensionHandle* out) {
    if (!TN_ShapeInferenceContextGetInputTensorAsInt64) return Lacking();
    internal::HostStatus status;
    int64_t value = kUnknownDim;
    const bool known = TN_ShapeInferenceContextGetInputTensorAsInt64(context_, i, &value, status);
    if (!status.ok()) return status.status();
    if (known && value < 0)
      return errors::InvalidArgument("Dimension size, given by scalar input ", i,
                                     ", must be non-negative but is ", value);
    *out = MakeDim(known ? value : kUnknownDim);
    return Status();
  }

  // Demanding and combining.
#define TN_CXX_RANK(Name)                                                       \
  Status Name(ShapeHandle s, int64_t rank, ShapeHandle* out) {                  \
    ShapeHandle shape = NewShape();                                             \
    internal::HostStatus status;                                                \
    if (lacking_ || !s.box_) return Lacking();                                  \
    TF_ShapeInferenceContext##Name(context_, s.box_, rank, shape.box_, status); \
    if (!status.ok()) return status.status();                                   \
    *out = shape;                                                               \
    return Status();                                                            \
  }
  TN_CXX_RANK(WithRank)
  TN_CXX_RANK(WithRankAtLeast)
  TN_CXX_RANK(WithRankAtMost)
#undef TN_CXX_RANK
  Status Subshape(ShapeHandle s, int64_t start, ShapeHandle* out) {
    return Subshape(s, start, std::numeric_limits<int64_t>::max(), out);
  }
  Status Subshape(ShapeHandle s, int64_t start, int64_t end, ShapeHandle* out) {
    if (lacking_ || !s.box_) return Lacking();
    ShapeHandle shape = NewShape();
    internal::HostStatus status;
    TF_ShapeInferenceContextSubshape(context_, s.box_, start, end, shape.box_, status);
    if (!status.ok()) return status.status();
    *out = shape;
    return Status();
  }
  Status Concatenate(ShapeHandle a, ShapeHandle b, ShapeHandle* out) {
    if (lacking_ || !a.box_ || !b.box_) return Lacking();
    ShapeHandle shape = NewShape();
    internal::HostStatus status;
    TF_ShapeInferenceContextConcatenateShapes(context_, a.box_, b.box_, shape.box_, status);
    if (!status.ok()) return status.status();
    *out = shape;
    return Status();
  }
  Status Merge(ShapeHandle a, ShapeHandle b, ShapeHandle* out) {
    if (lacking_ || !TN_ShapeInferenceContextMerge) return Lacking();
    ShapeHandle shape = NewShape();
    internal::HostStatus status;
    TN_ShapeInferenceContextMerge(context_, a.box_, b.box_, shape.box_, status);
    if (!status.ok()) return status.status();
    *out = shape;
    return Status();
  }
  Status Broadcast(ShapeHandle a, ShapeHandle b, ShapeHandle* out) {
    if (lacking_ || !TN_ShapeInferenceContextBroadcast) return Lacking();
    ShapeHandle shape = NewShape();
    internal::HostStatus status;
    TN_ShapeInferenceContextBroadcast(context_, a.box_, b.box_, shape.box_, status);
    if (!status.ok()) return status.status();
    *out = shape;
    return Status();
  }
  Status ReplaceDim(ShapeHandle s, int64_t i, DimensionOrConstant dim, ShapeHandle* out) {
    if (lacking_ || !TN_ShapeInferenceContextReplaceDim) return Lacking();
    ShapeHandle shape = NewShape();
    internal::HostStatus status;
    TN_ShapeInferenceContextReplaceDim(context_, s.box_, i, Box(dim), shape.box_, status);
    if (!status.ok()) return status.status();
    *out = shape;
    return Status();
  }
  Status WithValue(DimensionHandle d, int64_t value, DimensionHandle* out) {
    if (lacking_ || !TN_ShapeInferenceContextWithValue) return Lacking();
    DimensionHandle dim = NewDim();
    internal::HostStatus status;
    TN_ShapeInferenceContextWithValue(context_, d.box_, value, dim.box_, status);
    if (!status.ok()) return status.status();
    *out = dim;
    return Status();
  }
#define TN_CXX_DIM(Name, Function)                                                  \
  Status Name(DimensionOrConstant a, DimensionOrConstant b, DimensionHandle* out) { \
    if (lacking_ || !TN_ShapeInferenceContext##Function) return Lacking();          \
    DimensionHandle dim = NewDim();                                                 \
    internal::HostStatus status;                                                    \
    TN_ShapeInferenceContext##Function(context_, Box(a), Box(b), dim.box_, status); \
    if (!status.ok()) return status.status();                                       \
    *out = dim;                                                                     \
    return Status();                                                                \
  }
  TN_CXX_DIM(Add, Add)
  TN_CXX_DIM(Subtract, Subtract)
  TN_CXX_DIM(Multiply, Multiply)
  TN_CXX_DIM(Min, Min)
  TN_CXX_DIM(Max, Max)
#undef TN_CXX_DIM
  Status Merge(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
    if (lacking_ || !TN_ShapeInferenceContextMergeDims) return Lacking();
    DimensionHandle dim = NewDim();
    internal::HostStatus status;
    TN_ShapeInferenceContextMergeDims(context_, a.box_, b.box_, dim.box_, status);
    if (!status.ok()) return status.status();
    *out = dim;
    return Status();
  }
  Status Divide(DimensionHandle a, DimensionOrConstant b, bool evenly, DimensionHandle* out) {
    if (lacking_ || !TN_ShapeInferenceContextDivide) return Lacking();
    DimensionHandle dim = NewDim();
    internal::HostStatus status;
    TN_ShapeInferenceContextDivide(context_, a.box_, Box(b), evenly, dim.box_, status);
    if (!status.ok()) return status.status();
    *out = dim;
    return Status();
  }

 private:
  ShapeHandle Own(TF_ShapeHandle* box) {
    if (!box) internal::CheckFailed(__FILE__, __LINE__, "no memory for a shape");
    shapes_.push_back(box);
    return ShapeHandle(box);
  }
  ShapeHandle NewShape() { return Own(TF_NewShapeHandle()); }
  DimensionHandle NewDim() {
    TF_DimensionHandle* box = TF_NewDimensionHandle();
    if (!box) internal::CheckFailed(__FILE__, __LINE__, "no memory for a dimension");
    dims_.push_back(box);
    return DimensionHandle(box);
  }
  TF_DimensionHandle* Box(const DimensionOrConstant& d) { return MakeDim(d).box_; }

  // Out of what TensorFlow's C API has: vectors of a known size, and pieces of other shapes.
  ShapeHandle MakeShapeByParts(const std::vector<DimensionOrConstant>& dims) {
    ShapeHandle shape = Scalar();
    for (const DimensionOrConstant& dim : dims) {
      ShapeHandle part;
      if (ValueKnown(dim)) {
        part = Own(TF_ShapeInferenceContextVectorFromSize(context_, size_t(Value(dim))));
      } else if (dim.dim.shape_) {
        const int64_t at = dim.dim.index_;
        if (!Subshape(ShapeHandle(dim.dim.shape_), at, at + 1, &part).ok()) return Lack(shape);
      } else {
        return Lack(shape);
      }
      if (!Concatenate(shape, part, &shape).ok()) return Lack(shape);
    }
    return shape;
  }

  template <typename Value>
  Value Lack(Value value) {
    lacking_ = true;
    return value;
  }
  Status Lacking() {
    return Lack(Status(error::UNIMPLEMENTED, "the host lacks what this shape function needs"));
  }

  TF_ShapeInferenceContext* const context_;
  std::vector<TF_ShapeHandle*> shapes_;
  std::vector<TF_DimensionHandle*> dims_;
  std::deque<Tensor> tensors_;
  bool lacking_ = false;
};

// Shape functions that many ops share.

inline Status UnknownShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->UnknownShape());
  return Status();
}
inline Status UnchangedShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  return Status();
}
inline Status ScalarShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return Status();
}
inline Status NoOutputs(InferenceContext*) { return Status(); }
inline Status MergeBothInputsShapeFn(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
  c->set_output(0, out);
  return Status();
}
inline Status BroadcastBinaryOpShapeFn(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->Broadcast(c->input(0), c->input(1), &out));
  c->set_output(0, out);
  return Status();
}
// transpose_a and transpose_b are attrs.
inline Status MatMulShape(InferenceContext* c) {
  ShapeHandle a, b;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
  bool transpose_a = false, transpose_b = false;
  TF_RETURN_IF_ERROR(c->GetAttr("transpose_a", &transpose_a));
  TF_RETURN_IF_ERROR(c->GetAttr("transpose_b", &transpose_b));
  DimensionHandle inner;
  TF_RETURN_IF_ERROR(
      c->Merge(c->Dim(a, transpose_a ? 0 : 1), c->Dim(b, transpose_b ? 1 : 0), &inner));
  c->set_output(0, c->Matrix(c->Dim(a, transpose_a ? 1 : 0), c->Dim(b, transpose_b ? 0 : 1)));
  return Status();
}

}  // namespace shape_inference
}  // namespace tenon
#endif  // TENON_INFERENCE_CONTEXT_HPP_
