// Ops that have shape functions and no kernels: one for each thing an InferenceContext can do.
#include <stdexcept>

#include "tenon/op.hpp"

namespace {

using namespace tenon;  // NOLINT: a file of ops
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

#define SHAPE_OP(name)              \
  REGISTER_OP("CxxShape" name)      \
      .Input("x: float")            \
      .Input("y: float")            \
      .Attr("number: int = 3")      \
      .Attr("on: bool = true")      \
      .Attr("type: type = DT_HALF") \
      .Output("z: float")
// One of the combining calls, on both inputs or on a dimension of each.
#define COMBINE_SHAPES(name, call)                     \
  SHAPE_OP(name).SetShapeFn([](InferenceContext* c) {  \
    ShapeHandle out, x = c->input(0), y = c->input(1); \
    (void)x, (void)y;                                  \
    TF_RETURN_IF_ERROR(call);                          \
    c->set_output(0, out);                             \
    return OkStatus();                                 \
  })
#define COMBINE_DIMS(name, call)                                                  \
  SHAPE_OP(name).SetShapeFn([](InferenceContext* c) {                             \
    DimensionHandle out, x = c->Dim(c->input(0), 0), y = c->Dim(c->input(1), -1); \
    (void)x, (void)y;                                                             \
    TF_RETURN_IF_ERROR(call);                                                     \
    c->set_output(0, c->Vector(out));                                             \
    return OkStatus();                                                            \
  })

COMBINE_SHAPES("Merge", c->Merge(x, y, &out));
COMBINE_SHAPES("Broadcast", c->Broadcast(x, y, &out));
COMBINE_SHAPES("Concatenate", c->Concatenate(x, y, &out));
COMBINE_SHAPES("WithRank", c->WithRank(x, 2, &out));
COMBINE_SHAPES("WithRankAtLeast", c->WithRankAtLeast(x, 2, &out));
COMBINE_SHAPES("WithRankAtMost", c->WithRankAtMost(x, 2, &out));
COMBINE_SHAPES("Subshape", c->Subshape(x, 1, &out));
COMBINE_SHAPES("SubshapeTo", c->Subshape(x, 0, -1, &out));
COMBINE_SHAPES("ReplaceDim", c->ReplaceDim(x, -1, 9, &out));
COMBINE_DIMS("Add", c->Add(x, y, &out));
COMBINE_DIMS("Subtract", c->Subtract(x, 1, &out));
COMBINE_DIMS("Multiply", c->Multiply(x, y, &out));
COMBINE_DIMS("Divide", c->Divide(x, 2, true, &out));
COMBINE_DIMS("Min", c->Min(x, y, &out));
COMBINE_DIMS("Max", c->Max(x, y, &out));
COMBINE_DIMS("MergeDims", c->Merge(x, y, &out));
COMBINE_DIMS("WithValue", c->WithValue(x, 4, &out));
SHAPE_OP("MakeShape").SetShapeFn([](InferenceContext* c) {
  c->set_output(0, c->MakeShape({c->Dim(c->input(0), 0), 7, InferenceContext::kUnknownDim}));
  return OkStatus();
});
SHAPE_OP("NumElements").SetShapeFn([](InferenceContext* c) {
  c->set_output(0, c->Vector(c->NumElements(c->input(0))));
  return OkStatus();
});
SHAPE_OP("FullyDefined").SetShapeFn([](InferenceContext* c) {
  c->set_output(0, c->FullyDefined(c->input(0)) ? c->Scalar() : c->UnknownShape());
  return OkStatus();
});
SHAPE_OP("Attrs").SetShapeFn([](InferenceContext* c) {
  int32 number = 0;
  bool on = false;
  DataType type = DT_INVALID;
  TF_RETURN_IF_ERROR(c->GetAttr("number", &number));
  TF_RETURN_IF_ERROR(c->GetAttr("on", &on));
  TF_RETURN_IF_ERROR(c->GetAttr("type", &type));
  c->set_output(0, c->MakeShape({number, int64(on), int64(type)}));
  return OkStatus();
});
SHAPE_OP("NoAttr").SetShapeFn([](InferenceContext* c) {
  int64 nothing;
  return c->GetAttr("nothing", &nothing);
});
#if TN_CXX_EXCEPTIONS
SHAPE_OP("Throw").SetShapeFn([](InferenceContext*) -> Status {
  throw std::runtime_error("thrown among shapes");
});
#endif
// With a capture, and a function that is no lambda.
const std::string text = "captured";
SHAPE_OP("Capture").SetShapeFn([size = int64(text.size())](InferenceContext* c) {
  c->set_output(0, c->Vector(size));
  return OkStatus();
});
SHAPE_OP("Unchanged").SetShapeFn(shape_inference::UnchangedShape);
SHAPE_OP("Unknown").SetShapeFn(shape_inference::UnknownShape);

}  // namespace
