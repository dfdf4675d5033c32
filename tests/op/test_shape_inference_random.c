// Every function a shape function can call, in long random sequences with live, unset and NULL
// handles and any numbers: each answers with a status, and whatever the boxes hold stays readable.
#include "op/shape_inference.h"
#include "op_testing.h"
#include "tenon/shape_inference.h"

enum { box_count = 6 };
static uint64_t state;

static int64_t any_number(void) {
  static const int64_t special[] = {INT64_MIN, -1, 0, 1, 2, 254, 255, 1ll << 31, INT64_MAX};
  size_t count = sizeof special / sizeof *special;
  int64_t pick = test_between(&state, 0, 2 * (int64_t)count);
  return pick < (int64_t)count ? special[pick] : test_between(&state, -6, 6);
}

static int any_index(void) { return (int)test_between(&state, -2, 4); }

static const char* any_attr(void) {
  static const char* const names[] = {"i",  "f",  "b",  "s",  "t",  "h",  "v",  "g",  "li",
                                      "lf", "lb", "ls", "lt", "lh", "lv", "lg", "no", ""};
  int64_t pick = test_between(&state, 0, sizeof names / sizeof *names);
  return pick < (int64_t)(sizeof names / sizeof *names) ? names[pick] : NULL;
}

static TF_ShapeHandle* boxes[box_count];
static TF_DimensionHandle* dims[box_count];

static TF_ShapeHandle* any_box(void) {
  int64_t pick = test_between(&state, 0, box_count);
  return pick < box_count ? boxes[pick] : NULL;
}

static TF_DimensionHandle* any_dim(void) {
  int64_t pick = test_between(&state, 0, box_count);
  return pick < box_count ? dims[pick] : NULL;
}

static void drop(TF_Tensor* tensor) { tn_tensor_destroy(tensor); }

static void one_call(TF_ShapeInferenceContext* c, TF_Status* st) {
  int64_t i64 = 0, numbers[8] = {1, 2, 3, -1, 5, 6, 7, 8};
  float reals[4];
  bool bools[4];
  const char* texts[4];
  size_t sizes[4];
  TF_Tensor* tensors[4] = {0};
  TF_DataType types[4];
  switch (test_between(&state, 0, 46)) {
    case 0:
      TF_ShapeInferenceContextNumInputs(c);
      TN_ShapeInferenceContextNumOutputs(c);
      TN_ShapeInferenceContextHasAttr(c, any_attr());
      break;
    case 1: TF_ShapeInferenceContextGetInput(c, any_index(), any_box(), st); break;
    case 2: TF_ShapeInferenceContextSetOutput(c, any_index(), any_box(), st); break;
    case 3: TF_ShapeInferenceContextSetUnknownShape(c, st); break;
    case 4: TF_ShapeInferenceContext_GetAttrType(c, any_attr(), types, st); break;
    case 5: TF_DeleteShapeHandle(TF_ShapeInferenceContextScalar(c)); break;
    case 6:
      TF_DeleteShapeHandle(TF_ShapeInferenceContextVectorFromSize(c, (size_t)any_number()));
      break;
    case 7: TF_ShapeInferenceContextRank(c, any_box()); break;
    case 8: TF_ShapeInferenceContextRankKnown(c, any_box()); break;
    case 9: TF_ShapeInferenceContextWithRank(c, any_box(), any_number(), any_box(), st); break;
    case 10:
      TF_ShapeInferenceContextWithRankAtLeast(c, any_box(), any_number(), any_box(), st);
      break;
    case 11:
      TF_ShapeInferenceContextWithRankAtMost(c, any_box(), any_number(), any_box(), st);
      break;
    case 12: TF_ShapeInferenceContextDim(c, any_box(), any_number(), any_dim()); break;
    case 13:
      TF_ShapeInferenceContextSubshape(c, any_box(), any_number(), any_number(), any_box(), st);
      break;
    case 14:
      TF_ShapeInferenceContextConcatenateShapes(c, any_box(), any_box(), any_box(), st);
      break;
    case 15: TF_DimensionHandleValue(any_dim()); break;
    case 16: TF_DimensionHandleValueKnown(any_dim()); break;
    case 17: TN_ShapeInferenceContextUnknownShape(c, any_box()); break;
    case 18: TN_ShapeInferenceContextUnknownShapeOfRank(c, any_number(), any_box(), st); break;
    case 19:
      TN_ShapeInferenceContextMakeShape(c, numbers, test_between(&state, -2, 8), any_box(), st);
      break;
    case 20:
      TN_ShapeInferenceContextMakeShapeFromDims(c, dims, test_between(&state, -2, 6), any_box(),
                                                st);
      break;
    case 21: TN_DimensionHandleSetValue(any_dim(), any_number()); break;
    case 22: TN_ShapeInferenceContextNumElements(c, any_box(), any_dim(), st); break;
    case 23: TN_ShapeInferenceContextMerge(c, any_box(), any_box(), any_box(), st); break;
    case 24:
      TN_ShapeInferenceContextMergePrefix(c, any_box(), any_box(), any_box(), any_box(), st);
      break;
    case 25: TN_ShapeInferenceContextBroadcast(c, any_box(), any_box(), any_box(), st); break;
    case 26:
      TN_ShapeInferenceContextReplaceDim(c, any_box(), any_number(), any_dim(), any_box(), st);
      break;
    case 27: TN_ShapeInferenceContextWithValue(c, any_dim(), any_number(), any_dim(), st); break;
    case 28: TN_ShapeInferenceContextMergeDims(c, any_dim(), any_dim(), any_dim(), st); break;
    case 29: TN_ShapeInferenceContextAdd(c, any_dim(), any_dim(), any_dim(), st); break;
    case 30: TN_ShapeInferenceContextSubtract(c, any_dim(), any_dim(), any_dim(), st); break;
    case 31: TN_ShapeInferenceContextMultiply(c, any_dim(), any_dim(), any_dim(), st); break;
    case 32:
      TN_ShapeInferenceContextDivide(c, any_dim(), any_dim(), any_index() > 1, any_dim(), st);
      break;
    case 33: TN_ShapeInferenceContextMin(c, any_dim(), any_dim(), any_dim(), st); break;
    case 34: TN_ShapeInferenceContextMax(c, any_dim(), any_dim(), any_dim(), st); break;
    case 35: TN_ShapeInferenceContextGetInputTensor(c, any_index(), tensors, st); break;
    case 36: TN_ShapeInferenceContextGetInputTensorAsShape(c, any_index(), any_box(), st); break;
    case 37: TN_ShapeInferenceContextGetInputTensorAsInt64(c, any_index(), &i64, st); break;
    case 38: TN_ShapeInferenceContextGetInputHandle(c, any_index(), types, any_box(), st); break;
    case 39:
      TN_ShapeInferenceContextSetOutputHandle(c, any_index(), TF_FLOAT, any_box(), st);
      break;
    case 40: TN_ShapeInferenceContextGetAttrSize(c, any_attr(), st); break;
    case 41:
      TN_ShapeInferenceContextGetAttrInt64(c, any_attr(), numbers, st);
      TN_ShapeInferenceContextGetAttrFloat(c, any_attr(), reals, st);
      TN_ShapeInferenceContextGetAttrBool(c, any_attr(), bools, st);
      break;
    case 42:
      TN_ShapeInferenceContextGetAttrString(c, any_attr(), texts, sizes, st);
      TN_ShapeInferenceContextGetAttrFunctionName(c, any_attr(), texts, st);
      TN_ShapeInferenceContextGetAttrShape(c, any_attr(), any_box(), st);
      break;
    case 43: TN_ShapeInferenceContextGetAttrTensor(c, any_attr(), tensors, st); break;
    case 44:
      TN_ShapeInferenceContextGetAttrInt64List(c, any_attr(), numbers, any_index(), st);
      TN_ShapeInferenceContextGetAttrFloatList(c, any_attr(), reals, any_index(), st);
      TN_ShapeInferenceContextGetAttrBoolList(c, any_attr(), bools, any_index(), st);
      TN_ShapeInferenceContextGetAttrTypeList(c, any_attr(), types, any_index(), st);
      break;
    case 45:
      TN_ShapeInferenceContextGetAttrStringList(c, any_attr(), texts, sizes, any_index(), st);
      TN_ShapeInferenceContextGetAttrFunctionNameList(c, any_attr(), texts, any_index(), st);
      TN_ShapeInferenceContextGetAttrShapeList(c, any_attr(), boxes, any_index(), st);
      break;
    default: TN_ShapeInferenceContextGetAttrTensorList(c, any_attr(), tensors, any_index(), st);
  }
  for (int i = 0; i < 4; ++i) drop(tensors[i]);
}

static void hammer(TF_ShapeInferenceContext* c, TF_Status* status) {
  for (int i = 0; i < box_count; ++i) {
    boxes[i] = TF_NewShapeHandle();
    dims[i] = TF_NewDimensionHandle();
  }
  for (int step = 0; step < 2000; ++step) {
    one_call(test_between(&state, 0, 30) ? c : NULL, status);
    CHECK(tn_ok(status) || tn_status_code(status) == TN_INVALID_ARGUMENT);
    if (test_between(&state, 0, 9) == 0) tn_status_clear(status);
  }
  for (int i = 0; i < box_count; ++i) {
    if (boxes[i]->shape) CHECK(tn_shape_elements(boxes[i]->shape) >= -1);
    TF_DeleteShapeHandle(boxes[i]);
    TF_DeleteDimensionHandle(dims[i]);
  }
  tn_status_clear(status);
}

TEST(test_random_calls_of_a_shape_function_survive) {
  state = test_seed();
  tn_op_builder* builder = build_op(
      "HammeredShapes", "attr i: int = 3", "attr f: float = 1.5", "attr b: bool = true",
      "attr s: string = 'text'", "attr t: type = DT_HALF", "attr h: shape = {dim{size:4}}",
      "attr v: tensor = {dtype:DT_INT32 tensor_shape{} int_val:7}", "attr g: func = {name:'fn'}",
      "attr li: list(int) = [1,2,3]", "attr lf: list(float) = [0.5]",
      "attr lb: list(bool) = [true]", "attr ls: list(string) = ['x','yz']",
      "attr lt: list(type) = [DT_INT8]", "attr lh: list(shape) = [{dim{size:1}}]",
      "attr lv: list(tensor) = [{dtype:DT_INT32 tensor_shape{} int_val:8}]",
      "attr lg: list(func) = [{name:'g1'}]", "in x: float", "in y: int32", "in z: int32",
      "out p: float", "out q: float", NULL);
  tn_op_builder_shape_function(builder, hammer);
  tn_op_def* op = finish_op(builder);
  tn_status status = {0};
  tn_node* node =
      tn_node_create(op, NULL, NULL, (tn_dtype[]){TN_FLOAT, TN_INT32, TN_INT32}, 3, &status);
  CHECK_OK(&status);
  tn_shape in[] = {{.rank = -1}, {.rank = 1, .small = {2}}, {.rank = 0}}, out[2];
  int32_t numbers[] = {4, -1}, one = 5;
  int64_t two = 2;
  tn_tensor* vector = tn_tensor_create_from(TN_INT32, &two, 1, numbers, 8, NULL);
  tn_tensor* scalar = tn_tensor_create_from(TN_INT32, NULL, 0, &one, 4, NULL);
  const tn_tensor* values[] = {NULL, vector, scalar};
  for (int round = 0; round < 20; ++round) {
    CHECK(tn_infer_shapes(node, in, values, out, &status));
    tn_shape_deinit(&out[0]);
    tn_shape_deinit(&out[1]);
  }
  tn_tensor_destroy(vector);
  tn_tensor_destroy(scalar);
  tn_node_destroy(node);
  tn_op_def_destroy(op);
}
