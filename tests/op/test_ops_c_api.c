// ops.h as a plugin sees it.
#include "base/wire.h"
#include "op/node.h"
#include "op/shape_inference.h"
#include "op_testing.h"
#include "tensorflow/c/ops.h"

// Runs the shape function of a registered op on `inputs` shapes; the outputs are written as text,
// separated by spaces, or the failure.
static char* infer(const char* op, const char* const* inputs, size_t count) {
  tn_status status = {0};
  const tn_op_def* def = tn_op_registry_get(op, &status);
  CHECK_OK(&status);
  tn_dtype types[4] = {TN_FLOAT, TN_FLOAT, TN_FLOAT, TN_FLOAT};
  tn_node* node = tn_node_create(def, "n", NULL, types, count, &status);
  CHECK_OK(&status);
  tn_shape in[4] = {0}, out[4] = {0};
  for (size_t i = 0; i < count; ++i) {
    tn_attr_value value;
    CHECK(tn_attr_value_parse_typed(&value, TN_ATTR_SHAPE, false, tn_view_of(inputs[i]), NULL));
    CHECK(tn_shape_copy(&in[i], &value.shapes[0], NULL));
    tn_attr_value_deinit(&value);
  }
  tn_text text = {0};
  if (tn_infer_shapes(node, in, NULL, out, &status)) {
    for (size_t i = 0; i < node->output_count; ++i) {
      if (i) tn_text_putc(&text, ' ');
      tn_shape_print(&out[i], &text);
      tn_shape_deinit(&out[i]);
    }
  } else {
    tn_text_puts(&text, tn_status_message(&status));
    *strstr(text.data, " for '{{node") = 0;
  }
  tn_node_destroy(node);
  tn_status_deinit(&status);
  return tn_text_take(&text, NULL);
}

#define CHECK_INFER(op, expected, ...)                                      \
  do {                                                                      \
    const char* shapes_[] = {__VA_ARGS__};                                  \
    char* inferred_ = infer(op, shapes_, sizeof shapes_ / sizeof *shapes_); \
    CHECK_TEXT(inferred_, expected);                                        \
    tn_free(inferred_);                                                     \
  } while (0)

static void register_op(TF_OpDefinitionBuilder* builder) {
  TF_Status* status = tn_status_create();
  TF_RegisterOpDefinition(builder, status);
  CHECK_OK(status);
  tn_status_destroy(status);
}

// An op of `inputs` float inputs and `outputs` float outputs.
static void register_shapes(const char* name, int inputs, int outputs,
                            void (*function)(TF_ShapeInferenceContext*, TF_Status*)) {
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder(name);
  char spec[32];
  for (int i = 0; i < inputs; ++i) {
    snprintf(spec, sizeof spec, "in%d: float", i);
    TF_OpDefinitionBuilderAddInput(builder, spec);
  }
  for (int i = 0; i < outputs; ++i) {
    snprintf(spec, sizeof spec, "out%d: float", i);
    TF_OpDefinitionBuilderAddOutput(builder, spec);
  }
  TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, function);
  register_op(builder);
}

TEST(test_basic_op_registration) {
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder("SomeOp");
  TF_OpDefinitionBuilderAddAttr(builder, "attr1: string");
  TF_OpDefinitionBuilderAddInput(builder, "input1: uint8");
  TF_OpDefinitionBuilderAddInput(builder, "input2: uint16");
  TF_OpDefinitionBuilderAddOutput(builder, "output1: uint32");
  register_op(builder);
  const tn_op_def* op = tn_op_registry_find("SomeOp");
  tn_text text = {0};
  tn_op_def_print(op, &text);
  CHECK_TEXT(text.data,
             "Op<name=SomeOp; signature=input1:uint8, input2:uint16 -> output1:uint32; "
             "attr=attr1:string>");
  tn_text_deinit(&text);
}

TEST(test_registration_reports_its_real_outcome) {
  TF_Status* status = tn_status_create();
  tn_status_set(status, TN_INTERNAL, "from before");
  TF_RegisterOpDefinition(TF_NewOpDefinitionBuilder("GoodOp"), status);
  CHECK_INT(tn_status_code(status), TN_OK);
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder("BadOp");
  TF_OpDefinitionBuilderAddAttr(builder, "attr: int32");
  TF_RegisterOpDefinition(builder, status);
  CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  CHECK_CONTAINS(tn_status_message(status), "Extra '32' unparsed at the end");
  builder = TF_NewOpDefinitionBuilder("GoodOp");
  TF_OpDefinitionBuilderAddInput(builder, "x: int32");
  TF_RegisterOpDefinition(builder, status);
  CHECK_INT(tn_status_code(status), TN_ALREADY_EXISTS);
  TF_RegisterOpDefinition(NULL, status);
  CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  TF_RegisterOpDefinition(NULL, NULL);
  TF_DeleteOpDefinitionBuilder(TF_NewOpDefinitionBuilder("Unused"));
  TF_DeleteOpDefinitionBuilder(NULL);
  tn_status_destroy(status);
}

static void identity(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* handle = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, handle, status);
  CHECK_INT(tn_status_code(status), TN_OK);
  TF_ShapeInferenceContextSetOutput(ctx, 0, handle, status);
  TF_DeleteShapeHandle(handle);
}

TEST(test_shape_inference_identity) {
  register_shapes("IdentityShapes", 1, 1, identity);
  CHECK_INFER("IdentityShapes", "[1,?,3]", "[1,?,3]");
  CHECK_INFER("IdentityShapes", "<unknown>", "?");
}

static void unknown(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

TEST(test_shape_inference_unknown) {
  register_shapes("UnknownShapes", 1, 2, unknown);
  CHECK_INFER("UnknownShapes", "<unknown> <unknown>", "[2]");
}

// [a, b] becomes the vector [a].
static void vectorize(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* handle = TF_NewShapeHandle();
  TF_DimensionHandle* dim = TF_NewDimensionHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, handle, status);
  TF_ShapeInferenceContextWithRankAtLeast(ctx, handle, 1, handle, status);
  if (tn_ok(status)) {
    TF_ShapeInferenceContextDim(ctx, handle, 0, dim);
    CHECK_INT(TF_DimensionHandleValueKnown(dim), 1);
    TF_ShapeHandle* vector =
        TF_ShapeInferenceContextVectorFromSize(ctx, (size_t)TF_DimensionHandleValue(dim));
    TF_ShapeInferenceContextSetOutput(ctx, 0, vector, status);
    TF_DeleteShapeHandle(vector);
  }
  TF_DeleteDimensionHandle(dim);
  TF_DeleteShapeHandle(handle);
}

TEST(test_shape_inference_vectorize) {
  register_shapes("VectorizeShapes", 1, 1, vectorize);
  CHECK_INFER("VectorizeShapes", "[4]", "[4,5,9]");
  CHECK_INFER("VectorizeShapes", "Shape must be at least rank 1 but is rank 0", "[]");
}

TEST(test_attribute_accessors) {
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder("AttributesAccessorsOp");
  TF_OpDefinitionBuilderAddAttr(builder, "foo1: int >= 2");
  TF_OpDefinitionBuilderAddAttr(builder, "foo2: string=\"my string\"");
  TF_OpDefinitionBuilderSetIsCommutative(builder, true);
  TF_OpDefinitionBuilderSetIsAggregate(builder, true);
  TF_OpDefinitionBuilderSetAllowsUninitializedInput(builder, true);
  TF_OpDefinitionBuilderSetIsStateful(builder, true);
  TF_OpDefinitionBuilderDeprecated(builder, 4, "use something else");
  register_op(builder);
  const tn_op_def* op = tn_op_registry_find("AttributesAccessorsOp");
  CHECK(op->is_commutative && op->is_aggregate && op->allows_uninitialized_input);
  CHECK(op->is_stateful && op->deprecation_version == 4);
  CHECK_TEXT(op->deprecation_explanation, "use something else");
  CHECK_INT(op->attrs[0].minimum, 2);
  CHECK(tn_view_is(op->attrs[1].default_value.strings[0], "my string"));
}

static int64_t wanted_rank;

static void exact_rank(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* handle = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, handle, status);
  TF_ShapeInferenceContextWithRank(ctx, handle, wanted_rank, handle, status);
  if (tn_ok(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, handle, status);
  TF_DeleteShapeHandle(handle);
}

static void most_rank(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* handle = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, handle, status);
  TF_ShapeInferenceContextWithRankAtMost(ctx, handle, wanted_rank, handle, status);
  if (tn_ok(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, handle, status);
  TF_DeleteShapeHandle(handle);
}

TEST(test_shape_inference_with_rank) {
  register_shapes("ExactRank", 1, 1, exact_rank);
  register_shapes("MostRank", 1, 1, most_rank);
  wanted_rank = 2;
  CHECK_INFER("ExactRank", "[1,2]", "[1,2]");
  CHECK_INFER("ExactRank", "[?,?]", "?");
  CHECK_INFER("ExactRank", "Shape must be rank 2 but is rank 3", "[1,2,3]");
  CHECK_INFER("MostRank", "[1]", "[1]");
  CHECK_INFER("MostRank", "<unknown>", "?");
  CHECK_INFER("MostRank", "Shape must be at most rank 2 but is rank 3", "[1,2,3]");
  wanted_rank = INT64_MAX;
  CHECK_INFER("ExactRank", "Rank cannot exceed kint32max", "[1]");
}

static void join(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  CHECK_INT(TF_ShapeInferenceContextNumInputs(ctx), 2);
  TF_ShapeHandle *a = TF_NewShapeHandle(), *b = TF_NewShapeHandle(), *c = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, a, status);
  TF_ShapeInferenceContextGetInput(ctx, 1, b, status);
  TF_ShapeInferenceContextConcatenateShapes(ctx, a, b, c, status);
  CHECK_INT(TF_ShapeInferenceContextRank(ctx, c), 5);
  CHECK_INT(TF_ShapeInferenceContextRankKnown(ctx, c), 1);
  TF_ShapeInferenceContextSetOutput(ctx, 0, c, status);
  TF_DeleteShapeHandle(a);
  TF_DeleteShapeHandle(b);
  TF_DeleteShapeHandle(c);
}

TEST(test_shape_inference_concatenate) {
  register_shapes("JoinShapes", 2, 1, join);
  CHECK_INFER("JoinShapes", "[1,2,3,4,?]", "[1,2]", "[3,4,?]");
}

static void slice(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* handle = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, handle, status);
  TF_ShapeInferenceContextSubshape(ctx, handle, 1, -1, handle, status);
  if (tn_ok(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, handle, status);
  TF_DeleteShapeHandle(handle);
}

TEST(test_shape_inference_subshape) {
  register_shapes("SliceShapes", 1, 1, slice);
  CHECK_INFER("SliceShapes", "[20,30,40]", "[10,20,30,40,50]");
  CHECK_INFER("SliceShapes",
              "Subshape must have computed start <= end, but is 1 and 0 (computed from start 1 and "
              "end -1 over shape with rank 1)",
              "[1]");
}

static void scalar(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* handle = TF_ShapeInferenceContextScalar(ctx);
  TF_ShapeInferenceContextSetOutput(ctx, 0, handle, status);
  TF_DeleteShapeHandle(handle);
}

TEST(test_shape_inference_scalar) {
  register_shapes("ScalarShapes", 1, 1, scalar);
  CHECK_INFER("ScalarShapes", "[]", "[7]");
}

static void get_type(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_DataType type = 0;
  TF_ShapeInferenceContext_GetAttrType(ctx, "T", &type, status);
  CHECK_INT(tn_status_code(status), TN_OK);
  CHECK_INT(type, TF_HALF);
  TF_ShapeInferenceContext_GetAttrType(ctx, "U", &type, status);
  CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  CHECK_CONTAINS(tn_status_message(status), "No attr named 'U' in NodeDef:");
  TF_ShapeInferenceContext_GetAttrType(ctx, "n", &type, status);
  CHECK_CONTAINS(tn_status_message(status),
                 "AttrValue had value with type 'int' when 'type' expected");
  tn_status_clear(status);
}

TEST(test_shape_inference_reads_a_type) {
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder("TypedShapes");
  TF_OpDefinitionBuilderAddAttr(builder, "T: type = DT_HALF");
  TF_OpDefinitionBuilderAddAttr(builder, "n: int = 1");
  TF_OpDefinitionBuilderAddOutput(builder, "y: T");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, get_type);
  register_op(builder);
  char* found = infer("TypedShapes", NULL, 0);
  CHECK_TEXT(found, "<unknown>");
  tn_free(found);
}

TEST(test_a_dimension_handle_knows_its_value) {
  TF_DimensionHandle* dim = TF_NewDimensionHandle();
  CHECK_INT(TF_DimensionHandleValueKnown(dim), 0);
  CHECK_INT(TF_DimensionHandleValue(dim), -1);
  *dim = (TF_DimensionHandle){43, true};
  CHECK_INT(TF_DimensionHandleValueKnown(dim), 1);
  CHECK_INT(TF_DimensionHandleValue(dim), 43);
  TF_DeleteDimensionHandle(dim);
}

// Every call with a NULL or unset handle, or an index out of range, in a live context.
static void misuse(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle *unset = TF_NewShapeHandle(), *out = TF_NewShapeHandle();
  TF_DimensionHandle* dim = TF_NewDimensionHandle();
  TF_ShapeInferenceContextGetInput(ctx, -1, out, status);
  CHECK_TEXT(tn_status_message(status), "input index out of range");
  TF_ShapeInferenceContextGetInput(ctx, 1, out, status);
  CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  TF_ShapeInferenceContextSetOutput(ctx, 1, out, status);
  CHECK_TEXT(tn_status_message(status), "output index out of range");
  TF_ShapeInferenceContextWithRank(ctx, unset, 1, out, status);
  CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  TF_ShapeInferenceContextSubshape(ctx, unset, 0, 1, out, status);
  CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  TF_ShapeInferenceContextConcatenateShapes(ctx, unset, unset, out, status);
  CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  CHECK_INT(TF_ShapeInferenceContextRank(ctx, out), -1);
  CHECK_INT(TF_ShapeInferenceContextRankKnown(ctx, NULL), 0);
  TF_ShapeInferenceContextDim(ctx, unset, 0, dim);
  CHECK_INT(TF_DimensionHandleValue(dim), -1);
  TF_ShapeInferenceContextDim(ctx, NULL, 0, dim);
  TF_ShapeInferenceContextDim(ctx, unset, 0, NULL);

  TF_ShapeInferenceContext* contexts[] = {ctx, NULL};
  for (int i = 0; i < 2; ++i) {
    TF_ShapeInferenceContext* c = contexts[i];
    TF_DataType type;
    TF_ShapeInferenceContextGetInput(c, 0, NULL, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
    TF_ShapeInferenceContextSetOutput(c, 0, NULL, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
    TF_ShapeInferenceContextWithRank(c, NULL, 1, out, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
    TF_ShapeInferenceContextWithRankAtLeast(c, out, 1, NULL, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
    TF_ShapeInferenceContextWithRankAtMost(c, NULL, 1, NULL, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
    TF_ShapeInferenceContextSubshape(c, NULL, 0, 1, NULL, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
    TF_ShapeInferenceContextConcatenateShapes(c, out, NULL, out, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
    TF_ShapeInferenceContextConcatenateShapes(c, out, out, NULL, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
    TF_ShapeInferenceContext_GetAttrType(c, NULL, &type, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
    TF_ShapeInferenceContext_GetAttrType(c, "T", NULL, status);
    CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  }
  TF_ShapeInferenceContextSetUnknownShape(NULL, status);
  CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  CHECK(!TF_ShapeInferenceContextScalar(NULL) && !TF_ShapeInferenceContextVectorFromSize(NULL, 1));
  CHECK_INT(TF_ShapeInferenceContextNumInputs(NULL), 0);
  TF_ShapeHandle* large = TF_ShapeInferenceContextVectorFromSize(ctx, SIZE_MAX);
  TF_ShapeInferenceContextDim(ctx, large, 0, dim);
  CHECK_INT(TF_DimensionHandleValueKnown(dim), 0);
  TF_DeleteShapeHandle(large);

  tn_status_clear(status);
  TF_ShapeInferenceContextSetOutput(ctx, 0, unset, status);  // unset is unknown
  CHECK_INT(tn_status_code(status), TN_OK);
  TF_ShapeInferenceContextGetInput(ctx, 0, out, NULL);  // no status wanted
  TF_DeleteShapeHandle(unset);
  TF_DeleteShapeHandle(out);
  TF_DeleteDimensionHandle(dim);
  TF_DeleteShapeHandle(NULL);
  TF_DeleteDimensionHandle(NULL);
}

TEST(test_misuse_of_handles_is_a_status) {
  register_shapes("MisusedShapes", 1, 1, misuse);
  CHECK_INFER("MisusedShapes", "<unknown>", "[1]");
}

static void explode(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  tn_status_set(status, TN_FAILED_PRECONDITION, "not today");
}

TEST(test_a_failing_shape_function_fails_the_inference) {
  register_shapes("ExplodingShapes", 1, 1, explode);
  CHECK_INFER("ExplodingShapes", "not today", "[1]");
}
