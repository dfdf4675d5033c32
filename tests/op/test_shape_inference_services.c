// tenon/shape_inference.h as a plugin sees it.
#include "tenon/shape_inference.h"

#include "op/shape_inference.h"
#include "op_testing.h"

typedef struct fixture {
  tn_op_def* op;
  tn_node* node;
  tn_shape shapes[2];
  const tn_tensor* values[2];
  tn_inference ctx;
  TF_Status status;
  TF_ShapeHandle a, b, out;
  TF_DimensionHandle p, q, d;
} fixture;

static tn_shape shape_of(const char* text) {
  tn_attr_value value;
  CHECK(tn_attr_value_parse_typed(&value, TN_ATTR_SHAPE, false, tn_view_of(text), NULL));
  tn_shape shape = value.shapes[0];
  value.shapes[0] = (tn_shape){0};
  tn_attr_value_deinit(&value);
  return shape;
}

static void begin(fixture* f, const char* a, const char* b) {
  *f = (fixture){0};
  f->op = finish_op(
      build_op("Services", "attr i: int = 3", "attr f: float = 1.5", "attr b: bool = true",
               "attr s: string = 'text'", "attr t: type = DT_HALF", "attr h: shape = {dim{size:4}}",
               "attr v: tensor = {dtype:DT_INT32 tensor_shape{} int_val:7}",
               "attr g: func = {name:'fn'}", "attr li: list(int) = [1,2,3]",
               "attr lf: list(float) = [0.5]", "attr lb: list(bool) = [true]",
               "attr ls: list(string) = ['x','yz']", "attr lt: list(type) = [DT_INT8]",
               "attr lh: list(shape) = [{dim{size:1}},{unknown_rank:true}]",
               "attr lv: list(tensor) = [{dtype:DT_INT32 tensor_shape{} int_val:8}]",
               "attr lg: list(func) = [{name:'g1'},{name:'g2'}]", "in x: float", "in y: int32",
               "out z: float", NULL));
  f->node = tn_node_create(f->op, "n", NULL, (tn_dtype[]){TN_FLOAT, TN_INT32}, 2, &f->status);
  CHECK_OK(&f->status);
  f->shapes[0] = shape_of(a);
  f->shapes[1] = shape_of(b);
  CHECK(tn_inference_init(&f->ctx, f->node, f->shapes, f->values, &f->status));
  TF_ShapeInferenceContextGetInput(&f->ctx, 0, &f->a, &f->status);
  TF_ShapeInferenceContextGetInput(&f->ctx, 1, &f->b, &f->status);
}

static void end(fixture* f) {
  tn_inference_deinit(&f->ctx);
  tn_node_destroy(f->node);
  tn_op_def_destroy(f->op);
  tn_status_deinit(&f->status);
}

// The box holds that shape and the call before went well.
static void check_box_at(int line, fixture* f, const TF_ShapeHandle* box, const char* expected) {
  if (!tn_ok(&f->status)) test_fail(__FILE__, line, "%s", tn_status_message(&f->status));
  tn_text text = {0};
  if (box->shape) tn_shape_print(box->shape, &text);
  if (!text.data || strcmp(text.data, expected) != 0)
    test_fail(__FILE__, line, "%s, expected %s", text.data ? text.data : "unset", expected);
  tn_text_deinit(&text);
}
#define CHECK_BOX(box, expected) check_box_at(__LINE__, &f, box, expected)
#define CHECK_DIM(expected)                             \
  do {                                                  \
    CHECK_OK(&f.status);                                \
    CHECK_INT(TF_DimensionHandleValue(&f.d), expected); \
  } while (0)
#define CHECK_FAILED(text)                              \
  do {                                                  \
    CHECK_CONTAINS(tn_status_message(&f.status), text); \
    CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);         \
  } while (0)

TEST(test_services_make_and_combine_shapes) {
  fixture f;
  begin(&f, "[2,?]", "[?,3]");
  TN_ShapeInferenceContextMerge(&f.ctx, &f.a, &f.b, &f.out, &f.status);
  CHECK_BOX(&f.out, "[2,3]");
  TN_ShapeInferenceContextMakeShape(&f.ctx, (int64_t[]){4, 1}, 2, &f.b, &f.status);
  CHECK_BOX(&f.b, "[4,1]");
  TN_ShapeInferenceContextMerge(&f.ctx, &f.a, &f.b, &f.out, &f.status);
  CHECK_FAILED("Dimension 0 in both shapes must be equal, but are 2 and 4");
  CHECK_BOX(&f.out, "[2,3]");  // untouched
  TN_ShapeInferenceContextUnknownShape(&f.ctx, &f.out);
  CHECK_BOX(&f.out, "<unknown>");
  TN_ShapeInferenceContextUnknownShapeOfRank(&f.ctx, 2, &f.out, &f.status);
  CHECK_BOX(&f.out, "[?,?]");
  TN_ShapeInferenceContextUnknownShapeOfRank(&f.ctx, 300, &f.out, &f.status);
  CHECK_FAILED("rank 300");
  TN_ShapeInferenceContextMakeShape(&f.ctx, NULL, -1, &f.out, &f.status);
  CHECK_BOX(&f.out, "<unknown>");
  TN_ShapeInferenceContextMakeShape(&f.ctx, NULL, 1, &f.out, &f.status);
  CHECK_FAILED("NULL");
  TN_DimensionHandleSetValue(&f.p, 6);
  TF_DimensionHandle* dims[] = {&f.p, &f.q};
  TN_ShapeInferenceContextMakeShapeFromDims(&f.ctx, dims, 2, &f.out, &f.status);
  CHECK_BOX(&f.out, "[6,?]");
  dims[1] = NULL;
  TN_ShapeInferenceContextMakeShapeFromDims(&f.ctx, dims, 2, &f.out, &f.status);
  CHECK_FAILED("NULL");
  TN_ShapeInferenceContextNumElements(&f.ctx, &f.b, &f.d, &f.status);
  CHECK_DIM(4);
  TN_ShapeInferenceContextNumElements(&f.ctx, &f.a, &f.d, &f.status);
  CHECK_DIM(-1);
  TN_ShapeInferenceContextBroadcast(&f.ctx, &f.a, &f.b, &f.out, &f.status);
  CHECK_FAILED("Dimensions must be equal, but are 2 and 4");
  TN_ShapeInferenceContextReplaceDim(&f.ctx, &f.a, -1, &f.p, &f.out, &f.status);
  CHECK_BOX(&f.out, "[2,6]");
  TN_ShapeInferenceContextReplaceDim(&f.ctx, &f.a, 5, &f.p, &f.out, &f.status);
  CHECK_FAILED("Out of range dim_index 5 for shape with 2 dimensions");
  end(&f);
}

TEST(test_services_merge_a_prefix) {
  fixture f;
  begin(&f, "[?,2,3]", "[1,?]");
  TF_ShapeHandle prefix = {0};
  TN_ShapeInferenceContextMergePrefix(&f.ctx, &f.a, &f.b, &f.out, &prefix, &f.status);
  CHECK_BOX(&f.out, "[1,2,3]");
  CHECK_BOX(&prefix, "[1,2]");
  TN_ShapeInferenceContextUnknownShape(&f.ctx, &f.a);
  TN_ShapeInferenceContextMergePrefix(&f.ctx, &f.a, &f.b, &f.out, &prefix, &f.status);
  CHECK_BOX(&f.out, "<unknown>");
  CHECK_BOX(&prefix, "[1,?]");
  TN_ShapeInferenceContextMergePrefix(&f.ctx, &f.b, &f.a, NULL, NULL, &f.status);
  CHECK_OK(&f.status);
  f.a.shape = f.ctx.inputs[0];
  TN_ShapeInferenceContextMergePrefix(&f.ctx, &f.b, &f.a, &f.out, &prefix, &f.status);
  CHECK_FAILED("Shape must be at least rank 3 but is rank 2");
  end(&f);
}

TEST(test_services_calculate_with_dimensions) {
  fixture f;
  begin(&f, "[]", "[]");
  TN_DimensionHandleSetValue(&f.p, 7);
  TN_DimensionHandleSetValue(&f.q, 2);
  TN_ShapeInferenceContextAdd(&f.ctx, &f.p, &f.q, &f.d, &f.status);
  CHECK_DIM(9);
  TN_ShapeInferenceContextSubtract(&f.ctx, &f.p, &f.q, &f.d, &f.status);
  CHECK_DIM(5);
  TN_ShapeInferenceContextMultiply(&f.ctx, &f.p, &f.q, &f.d, &f.status);
  CHECK_DIM(14);
  TN_ShapeInferenceContextDivide(&f.ctx, &f.p, &f.q, false, &f.d, &f.status);
  CHECK_DIM(3);
  TN_ShapeInferenceContextMin(&f.ctx, &f.p, &f.q, &f.d, &f.status);
  CHECK_DIM(2);
  TN_ShapeInferenceContextMax(&f.ctx, &f.p, &f.q, &f.d, &f.status);
  CHECK_DIM(7);
  TN_ShapeInferenceContextDivide(&f.ctx, &f.p, &f.q, true, &f.d, &f.status);
  CHECK_FAILED("evenly divisible by 2 but is 7");
  TN_ShapeInferenceContextSubtract(&f.ctx, &f.q, &f.p, &f.d, &f.status);
  CHECK_FAILED("subtracting 7 from 2");
  TN_ShapeInferenceContextMergeDims(&f.ctx, &f.p, &f.q, &f.d, &f.status);
  CHECK_FAILED("Dimensions must be equal, but are 7 and 2");
  TN_ShapeInferenceContextWithValue(&f.ctx, &f.p, 8, &f.d, &f.status);
  CHECK_FAILED("Dimension must be 8 but is 7");
  f.q = (TF_DimensionHandle){0};
  TN_ShapeInferenceContextWithValue(&f.ctx, &f.q, 8, &f.d, &f.status);
  CHECK_DIM(8);
  TN_ShapeInferenceContextMergeDims(&f.ctx, &f.p, &f.q, &f.d, &f.status);
  CHECK_DIM(7);
  TN_ShapeInferenceContextAdd(&f.ctx, &f.p, &f.q, &f.d, &f.status);
  CHECK_DIM(-1);
  TN_ShapeInferenceContextAdd(&f.ctx, &f.p, NULL, &f.d, &f.status);
  CHECK_FAILED("NULL");
  TN_ShapeInferenceContextAdd(NULL, &f.p, &f.q, &f.d, &f.status);
  CHECK_FAILED("context is NULL");
  end(&f);
}

TEST(test_services_read_values_and_handles) {
  fixture f;
  begin(&f, "[]", "[2]");
  CHECK_INT(TN_ShapeInferenceContextNumOutputs(&f.ctx), 1);
  TF_Tensor* tensor = (TF_Tensor*)&f;
  int64_t value;
  TN_ShapeInferenceContextGetInputTensor(&f.ctx, 1, &tensor, &f.status);
  CHECK(tn_ok(&f.status) && !tensor);
  int32_t numbers[] = {5, -1}, one = 9;
  int64_t two = 2;
  tn_tensor* vector = tn_tensor_create_from(TN_INT32, &two, 1, numbers, 8, &f.status);
  tn_tensor* scalar = tn_tensor_create_from(TN_INT32, NULL, 0, &one, 4, &f.status);
  f.values[0] = scalar;
  f.values[1] = vector;
  TN_ShapeInferenceContextGetInputTensor(&f.ctx, 1, &tensor, &f.status);
  CHECK(tn_ok(&f.status) && tn_tensor_data(tensor) == tn_tensor_data(vector));
  tn_tensor_destroy(tensor);
  TN_ShapeInferenceContextGetInputTensorAsShape(&f.ctx, 1, &f.out, &f.status);
  CHECK_BOX(&f.out, "[5,?]");
  CHECK(TN_ShapeInferenceContextGetInputTensorAsInt64(&f.ctx, 0, &value, &f.status) && value == 9);
  CHECK(!TN_ShapeInferenceContextGetInputTensorAsInt64(&f.ctx, 1, &value, &f.status));
  CHECK_FAILED("Input must be scalar but has rank 1");
  CHECK(!TN_ShapeInferenceContextGetInputTensorAsInt64(&f.ctx, 2, &value, &f.status));
  CHECK_FAILED("input index out of range");

  TF_DataType dtype = 0;
  CHECK(!TN_ShapeInferenceContextGetInputHandle(&f.ctx, 0, &dtype, &f.out, &f.status));
  CHECK_OK(&f.status);
  tn_shape held = shape_of("[8]");
  f.ctx.input_handles = (tn_handle_data[]){{TN_DOUBLE, &held}, {0}};
  CHECK(TN_ShapeInferenceContextGetInputHandle(&f.ctx, 0, &dtype, &f.out, &f.status));
  CHECK_BOX(&f.out, "[8]");
  CHECK_INT(dtype, TF_DOUBLE);
  TN_ShapeInferenceContextSetOutputHandle(&f.ctx, 0, TF_INT8, &f.out, &f.status);
  CHECK_INT(f.ctx.output_handles[0].dtype, TN_INT8);
  TN_ShapeInferenceContextSetOutputHandle(&f.ctx, 1, TF_INT8, &f.out, &f.status);
  CHECK_FAILED("output index out of range");
  tn_tensor_destroy(vector);
  tn_tensor_destroy(scalar);
  end(&f);
}

TEST(test_services_read_every_kind_of_attribute) {
  fixture f;
  begin(&f, "[]", "[]");
  int64_t i, ints[2] = {0};
  float r, reals[4];
  bool b, bools[4];
  const char *s, *g, *strings[4], *names[4];
  size_t size, sizes[4];
  TF_Tensor *v, *tensors[4];
  TF_DataType types[4];
  TF_ShapeHandle first = {0}, second = {0}, *boxes[] = {&first, &second};
  TF_ShapeInferenceContext* c = &f.ctx;
  TF_Status* st = &f.status;
  TN_ShapeInferenceContextGetAttrInt64(c, "i", &i, st);
  CHECK(tn_ok(st) && i == 3);
  TN_ShapeInferenceContextGetAttrFloat(c, "f", &r, st);
  CHECK(tn_ok(st) && r == 1.5f);
  TN_ShapeInferenceContextGetAttrBool(c, "b", &b, st);
  CHECK(tn_ok(st) && b);
  TN_ShapeInferenceContextGetAttrString(c, "s", &s, &size, st);
  CHECK(tn_ok(st) && size == 4);
  CHECK_TEXT(s, "text");
  TN_ShapeInferenceContextGetAttrShape(c, "h", &f.out, st);
  CHECK_BOX(&f.out, "[4]");
  TN_ShapeInferenceContextGetAttrTensor(c, "v", &v, st);
  CHECK(tn_ok(st) && *(int32_t*)tn_tensor_data(v) == 7);
  tn_tensor_destroy(v);
  TN_ShapeInferenceContextGetAttrFunctionName(c, "g", &g, st);
  CHECK_TEXT(g, "fn");

  CHECK_INT(TN_ShapeInferenceContextGetAttrSize(c, "li", st), 3);
  CHECK_INT(TN_ShapeInferenceContextGetAttrSize(c, "i", st), -1);
  CHECK_OK(st);
  TN_ShapeInferenceContextGetAttrInt64List(c, "li", ints, 2, st);
  CHECK(tn_ok(st) && ints[0] == 1 && ints[1] == 2);
  TN_ShapeInferenceContextGetAttrFloatList(c, "lf", reals, 4, st);
  CHECK(tn_ok(st) && reals[0] == 0.5f);
  TN_ShapeInferenceContextGetAttrBoolList(c, "lb", bools, 4, st);
  CHECK(tn_ok(st) && bools[0]);
  TN_ShapeInferenceContextGetAttrTypeList(c, "lt", types, 4, st);
  CHECK(tn_ok(st) && types[0] == TF_INT8);
  TN_ShapeInferenceContextGetAttrStringList(c, "ls", strings, sizes, 4, st);
  CHECK(tn_ok(st) && sizes[1] == 2);
  CHECK_TEXT(strings[1], "yz");
  TN_ShapeInferenceContextGetAttrShapeList(c, "lh", boxes, 2, st);
  CHECK_BOX(&first, "[1]");
  CHECK_BOX(&second, "<unknown>");
  TN_ShapeInferenceContextGetAttrTensorList(c, "lv", tensors, 4, st);
  CHECK(tn_ok(st) && *(int32_t*)tn_tensor_data(tensors[0]) == 8);
  tn_tensor_destroy(tensors[0]);
  TN_ShapeInferenceContextGetAttrFunctionNameList(c, "lg", names, 4, st);
  CHECK_TEXT(names[1], "g2");

  CHECK(TN_ShapeInferenceContextHasAttr(c, "i") && !TN_ShapeInferenceContextHasAttr(c, "none"));
  CHECK(!TN_ShapeInferenceContextHasAttr(NULL, "i") && !TN_ShapeInferenceContextHasAttr(c, NULL));
  CHECK_INT(TN_ShapeInferenceContextGetAttrSize(c, "none", st), -1);
  CHECK_FAILED("No attr named 'none' in NodeDef:");
  TN_ShapeInferenceContextGetAttrInt64(c, "s", &i, st);
  CHECK_FAILED("AttrValue had value with type 'string' when 'int' expected");
  TN_ShapeInferenceContextGetAttrInt64(c, "i", NULL, st);
  CHECK_FAILED("NULL");
  TN_ShapeInferenceContextGetAttrInt64List(c, "li", NULL, 0, st);
  CHECK_OK(st);
  TN_ShapeInferenceContextGetAttrInt64List(c, "li", NULL, 1, st);
  CHECK_FAILED("NULL");
  boxes[1] = NULL;
  TN_ShapeInferenceContextGetAttrShapeList(c, "lh", boxes, 2, st);
  CHECK_FAILED("NULL");
  end(&f);
}

// Every service once, on shapes too large for memory that is there already.
static bool use_services(void* arg, tn_status* st) {
  fixture* f = arg;
  tn_inference context, *c = &context;
  if (!tn_inference_init(c, f->node, f->shapes, f->values, st)) return false;
  enum { rank = 200 };
  int64_t sizes[rank], number;
  TF_DimensionHandle* dims[rank];
  for (int i = 0; i < rank; ++i) {
    sizes[i] = 1;
    dims[i] = &f->p;
  }
  float reals[4];
  bool bools[4];
  const char* texts[4];
  size_t lengths[4];
  TF_DataType types[4];
  TF_Tensor* tensors[3] = {0};
  TF_ShapeHandle a = {0}, b = {0}, out = {0}, *boxes[] = {&out, &out};
  TN_DimensionHandleSetValue(&f->p, 1);
  TN_ShapeInferenceContextUnknownShape(c, &out);
  CHECK_INT(TN_ShapeInferenceContextNumOutputs(c), 1);
  CHECK(TN_ShapeInferenceContextHasAttr(c, "i"));
#define TRY(call) (call, tn_ok(st))
  bool done = TRY(TN_ShapeInferenceContextMakeShape(c, sizes, rank, &a, st)) &&
              TRY(TN_ShapeInferenceContextMakeShapeFromDims(c, dims, rank, &b, st)) &&
              TRY(TN_ShapeInferenceContextUnknownShapeOfRank(c, rank, &out, st)) &&
              TRY(TN_ShapeInferenceContextNumElements(c, &a, &f->d, st)) &&
              TRY(TN_ShapeInferenceContextMerge(c, &a, &b, &out, st)) &&
              TRY(TN_ShapeInferenceContextMergePrefix(c, &a, &b, &out, &out, st)) &&
              TRY(TN_ShapeInferenceContextBroadcast(c, &a, &b, &out, st)) &&
              TRY(TN_ShapeInferenceContextReplaceDim(c, &a, 0, &f->p, &out, st)) &&
              TRY(TN_ShapeInferenceContextWithValue(c, &f->p, 1, &f->d, st)) &&
              TRY(TN_ShapeInferenceContextMergeDims(c, &f->p, &f->p, &f->d, st)) &&
              TRY(TN_ShapeInferenceContextAdd(c, &f->p, &f->p, &f->d, st)) &&
              TRY(TN_ShapeInferenceContextSubtract(c, &f->p, &f->p, &f->d, st)) &&
              TRY(TN_ShapeInferenceContextMultiply(c, &f->p, &f->p, &f->d, st)) &&
              TRY(TN_ShapeInferenceContextDivide(c, &f->p, &f->p, true, &f->d, st)) &&
              TRY(TN_ShapeInferenceContextMin(c, &f->p, &f->p, &f->d, st)) &&
              TRY(TN_ShapeInferenceContextMax(c, &f->p, &f->p, &f->d, st)) &&
              TRY(TN_ShapeInferenceContextGetInputTensor(c, 0, &tensors[0], st)) &&
              TRY(TN_ShapeInferenceContextGetInputTensorAsShape(c, 1, &out, st)) &&
              TRY(TN_ShapeInferenceContextGetInputTensorAsInt64(c, 0, &number, st)) &&
              TRY(TN_ShapeInferenceContextGetInputHandle(c, 0, types, &out, st)) &&
              TRY(TN_ShapeInferenceContextSetOutputHandle(c, 0, TF_INT8, &out, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrSize(c, "i", st)) &&
              TRY(TN_ShapeInferenceContextGetAttrInt64(c, "i", sizes, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrFloat(c, "f", reals, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrBool(c, "b", bools, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrString(c, "s", texts, lengths, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrShape(c, "h", &out, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrTensor(c, "v", &tensors[1], st)) &&
              TRY(TN_ShapeInferenceContextGetAttrFunctionName(c, "g", texts, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrInt64List(c, "li", sizes, 4, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrFloatList(c, "lf", reals, 4, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrBoolList(c, "lb", bools, 4, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrTypeList(c, "lt", types, 4, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrStringList(c, "ls", texts, lengths, 4, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrShapeList(c, "lh", boxes, 2, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrTensorList(c, "lv", &tensors[2], 1, st)) &&
              TRY(TN_ShapeInferenceContextGetAttrFunctionNameList(c, "lg", texts, 4, st));
#undef TRY
  for (int i = 0; i < 3; ++i) tn_tensor_destroy(tensors[i]);
  tn_inference_deinit(c);
  return done;
}

TEST(test_services_without_memory) {
  fixture f;
  begin(&f, "[]", "[2]");
  int64_t two = 2;
  tn_tensor* vector = tn_tensor_create_from(TN_INT32, &two, 1, (int32_t[]){5, -1}, 8, NULL);
  tn_tensor* scalar = tn_tensor_create_from(TN_INT32, NULL, 0, (int32_t[]){9}, 4, NULL);
  f.values[0] = scalar;
  f.values[1] = vector;
  CHECK(test_sweep_allocations(use_services, &f) > 10);
  tn_tensor_destroy(vector);
  tn_tensor_destroy(scalar);
  end(&f);
}
