// Shape functions whose rules have corners, and those where we mean to differ from TensorFlow; the
// rest is compared with TensorFlow's by test_shapes.py.
#include <ctype.h>

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"
#include "op/op_registry.h"
#include "op/shape_inference.h"

enum { most_inputs = 8 };

typedef struct use {
  const tn_op_def* op;
  tn_attrs attrs;
  size_t count;
  tn_dtype types[most_inputs];
  tn_shape shapes[most_inputs], held[most_inputs];
  tn_tensor* values[most_inputs];
  tn_handle_data handles[most_inputs];
} use;

static tn_shape shape_of(const char* text) {
  tn_attr_value value;
  CHECK(tn_attr_value_parse_typed(&value, TN_ATTR_SHAPE, false, tn_view_of(text), NULL));
  tn_shape shape = value.shapes[0];
  value.shapes[0] = (tn_shape){0};
  tn_attr_value_deinit(&value);
  return shape;
}

static tn_tensor* tensor_of(tn_dtype dtype, const char* text) {
  tn_attr_value list = {.kind = TN_ATTR_INT, .is_list = true};
  int64_t count = 1;
  if (*text == '[') {
    CHECK(tn_attr_value_parse_typed(&list, TN_ATTR_INT, true, tn_view_of(text), NULL));
    count = (int64_t)list.count;
  }
  tn_tensor* tensor = tn_tensor_create(dtype, &count, *text == '[', NULL);
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = *text == '[' ? list.ints[i] : strtoll(text, NULL, 10);
    memcpy((char*)tn_tensor_data(tensor) + (size_t)i * tn_dtype_size(dtype), &number,
           tn_dtype_size(dtype));
  }
  tn_attr_value_deinit(&list);
  return tensor;
}

// "[2,?]" or "?" is a float of that shape, "int32[2]" one of that type, "int32=5" or "int8=[1,2]" a
// known value ("=5" is int32), "resource[2]" a variable of floats of that shape.
static void read_input(use* u, const char* text) {
  char type[32] = {0};
  size_t length = strcspn(text, "[=?");
  memcpy(type, text, length);
  text += length;
  size_t i = u->count++;
  u->types[i] = *type ? tn_dtype_from_name(type) : *text == '=' ? TN_INT32 : TN_FLOAT;
  if (*text == '=') {
    u->values[i] = tensor_of(u->types[i], text + 1);
    CHECK(tn_shape_copy(&u->shapes[i], &u->values[i]->shape, NULL));
  } else if (u->types[i] == TN_RESOURCE) {
    u->held[i] = shape_of(text);
    u->handles[i] = (tn_handle_data){TN_FLOAT, &u->held[i]};
  } else {
    u->shapes[i] = shape_of(text);
  }
}

static void read_attr(use* u, char* text) {
  char* equals = strchr(text, '=');
  *equals = 0;
  const tn_attr_def* def = tn_op_def_find_attr(u->op, text);
  tn_attr_value value;
  CHECK(def &&
        tn_attr_value_parse_typed(&value, def->kind, def->is_list, tn_view_of(equals + 1), NULL));
  CHECK(tn_attrs_set(&u->attrs, text, &value, NULL));
  tn_attr_value_deinit(&value);
}

static void begin(use* u, const char* op, const char* attrs, const char* inputs) {
  *u = (use){.op = tn_op_registry_find(op)};
  CHECK(u->op != NULL);
  char text[256];
  char* rest;
  snprintf(text, sizeof text, "%s", attrs);
  for (char* at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) read_attr(u, at);
  snprintf(text, sizeof text, "%s", inputs);
  for (char* at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
    read_input(u, at);
}

static void end(use* u) {
  tn_attrs_deinit(&u->attrs);
  for (size_t i = 0; i < u->count; ++i) {
    tn_shape_deinit(&u->shapes[i]);
    tn_shape_deinit(&u->held[i]);
    tn_tensor_destroy(u->values[i]);
  }
}

// Shapes of the outputs, with what resources hold behind them, or what was wrong.
static bool infer(const use* u, tn_text* out, tn_status* status) {
  tn_node* node = tn_node_create(u->op, "n", &u->attrs, u->types, u->count, status);
  if (!node) return false;
  tn_inference c;
  bool ok = tn_inference_init(&c, node, u->shapes, (const tn_tensor* const*)u->values, status);
  if (ok) {
    c.input_handles = u->handles;
    ok = tn_inference_run(&c, status);
    for (size_t i = 0; ok && i < node->output_count; ++i) {
      if (i) tn_text_putc(out, ' ');
      tn_shape_print(c.outputs[i], out);
      if (!c.output_handles[i].shape) continue;
      tn_text_printf(out, " of %s ", tn_dtype_name(c.output_handles[i].dtype));
      tn_shape_print(c.output_handles[i].shape, out);
    }
    if (ok && out->failed) tn_status_set_no_memory(status, "printing");
    ok = ok && !out->failed;
    tn_inference_deinit(&c);
  }
  tn_node_destroy(node);
  return ok;
}

static void check_at(int line, const char* op, const char* attrs, const char* inputs,
                     const char* expected) {
  use u;
  tn_status status = {0};
  tn_text out = {0};
  begin(&u, op, attrs, inputs);
  if (!infer(&u, &out, &status)) {
    if (tn_status_code(&status) != TN_INVALID_ARGUMENT || !strstr(status.message, expected))
      test_fail(__FILE__, line, "%s %s: %s\nexpected %s", op, inputs, status.message, expected);
  } else if (strcmp(out.data ? out.data : "", expected) != 0) {
    test_fail(__FILE__, line, "%s %s: %s\nexpected %s", op, inputs, out.data, expected);
  }
  tn_text_deinit(&out);
  tn_status_deinit(&status);
  end(&u);
}
// The op gives these shapes, or fails with a message that contains `expected`.
#define CHECK_SHAPES(...) check_at(__LINE__, __VA_ARGS__)

TEST(test_strided_slices_count_from_both_ends_and_in_both_directions) {
  CHECK_SHAPES("StridedSlice", "", "[7] =[1] =[6] =[2]", "[3]");
  CHECK_SHAPES("StridedSlice", "", "[7] =[-1] =[0] =[-2]", "[3]");
  CHECK_SHAPES("StridedSlice", "", "[7] =[-100] =[100] =[1]", "[7]");
  CHECK_SHAPES("StridedSlice", "", "[7] =[5] =[2] =[1]", "[0]");
  CHECK_SHAPES("StridedSlice", "begin_mask=1 end_mask=1", "[7] =[3] =[3] =[-3]", "[3]");
  CHECK_SHAPES("StridedSlice", "", "[7] int64=[6] int64=[-8] int64=[-9223372036854775808]", "[1]");
  CHECK_SHAPES("StridedSlice", "", "[7] int64=[-9223372036854775808] int64=[9] int64=[1]", "[7]");
  CHECK_SHAPES("StridedSlice", "", "[7] =[0] =[3] =[0]", "stride 0 must not be 0");
}

TEST(test_strided_slices_add_drop_and_skip_dimensions) {
  CHECK_SHAPES("StridedSlice", "ellipsis_mask=2", "[2,3,4,5] =[1,0,1] =[2,0,3] =[1,1,1]",
               "[1,3,4,2]");
  CHECK_SHAPES("StridedSlice", "new_axis_mask=1", "[2,3] =[0,0] =[0,1] =[1,1]", "[1,1,3]");
  CHECK_SHAPES("StridedSlice", "shrink_axis_mask=1", "[2,3] =[-1] =[0] =[1]", "[3]");
  CHECK_SHAPES("StridedSlice", "shrink_axis_mask=1", "[2,3] =[2] =[3] =[1]", "outside a dimension");
  CHECK_SHAPES("StridedSlice", "shrink_axis_mask=1", "[2,3] =[0] =[1] =[-1]",
               "cannot go backwards");
  CHECK_SHAPES("StridedSlice", "ellipsis_mask=3", "[2,3] =[0,0] =[1,1] =[1,1]", "ellipsis");
  CHECK_SHAPES("StridedSlice", "", "[2] =[0,0] =[1,1] =[1,1]", "only 1 dimensions");
}

TEST(test_strided_slices_say_what_they_can_of_unknown_bounds) {
  CHECK_SHAPES("StridedSlice", "begin_mask=1 end_mask=1", "[7,7] int32[2] =[2,2] =[2,1]", "[4,?]");
  CHECK_SHAPES("StridedSlice", "shrink_axis_mask=2", "[7,7,3] int32[2] int32[2] =[1,1]", "[?,3]");
  CHECK_SHAPES("StridedSlice", "", "[?,7] =[0,0] =[2,2] =[1,1]", "[?,2]");
  CHECK_SHAPES("StridedSlice", "", "[7] =[0] =[2] int32[1]", "<unknown>");
  CHECK_SHAPES("StridedSlice", "", "? =[0] =[2] =[1]", "<unknown>");
}

TEST(test_einsum_reads_labels_repeats_and_ellipses) {
  CHECK_SHAPES("Einsum", "equation=ab,bc->ac", "[2,3] [3,4]", "[2,4]");
  CHECK_SHAPES("Einsum", "equation=ab,bc->ac", "[2,?] ?", "[2,?]");
  CHECK_SHAPES("Einsum", "equation=aab->ba", "[3,?,4]", "[4,3]");
  CHECK_SHAPES("Einsum", "equation=...ab,...bc->...ac", "[5,1,2,3] [6,3,4]", "[5,6,2,4]");
  CHECK_SHAPES("Einsum", "equation=a...b->b...a", "[2,8,9,3]", "[3,8,9,2]");
  CHECK_SHAPES("Einsum", "equation=...a->...a", "?", "<unknown>");
  CHECK_SHAPES("Einsum", "equation=ab->", "[2,3]", "[]");
  CHECK_SHAPES("Einsum", "equation=ab,bc->ac", "[2,3] [5,4]", "must be equal, but are 3 and 5");
  CHECK_SHAPES("Einsum", "equation=ab->abc", "[2,3]", "label 'c'");
  CHECK_SHAPES("Einsum", "equation=ab", "[2,3]", "exactly one '->'");
  CHECK_SHAPES("Einsum", "equation=a->b->c", "[2]", "exactly one '->'");
  CHECK_SHAPES("Einsum", "equation=a,b,c->abc", "[2] [2] [2]", "more than two inputs");
  CHECK_SHAPES("Einsum", "equation=a..->a", "[2]", "ellipsis");
  CHECK_SHAPES("Einsum", "equation=...a->a", "[2,3]", "at most rank 0");
}

TEST(test_convolutions_pad_as_told) {
  CHECK_SHAPES("Conv2D", "strides=1,2,2,1 padding=SAME", "[8,9,10,3] [3,3,3,16]", "[8,5,5,16]");
  CHECK_SHAPES("Conv2D", "strides=1,2,2,1 padding=VALID", "[8,9,10,3] [3,3,3,16]", "[8,4,4,16]");
  CHECK_SHAPES("Conv2D",
               "strides=1,1,1,1 padding=EXPLICIT explicit_paddings=0,0,1,2,0,3,0,0 "
               "dilations=1,2,1,1",
               "[8,9,10,3] [3,3,3,16]", "[8,8,11,16]");
  CHECK_SHAPES("Conv2D",
               "strides=1,1,1,1 padding=EXPLICIT explicit_paddings=0,0,0,0,1,2,0,3 "
               "data_format=NCHW",
               "[8,3,9,10] [3,3,3,16]", "[8,16,10,11]");
  CHECK_SHAPES("Conv2D", "strides=1,1,1,1 padding=EXPLICIT explicit_paddings=1,0,0,0,0,0,0,0",
               "[8,9,10,3] [3,3,3,16]", "0 for batch and channels");
  CHECK_SHAPES("Conv2D", "strides=1,1,1,1 padding=SAME explicit_paddings=0,0",
               "[8,9,10,3] [3,3,3,16]", "needs 0 explicit_paddings, not 2");
  CHECK_SHAPES("Conv2D", "strides=1,1,1,1 padding=VALID", "[8,2,10,3] [3,3,3,16]",
               "subtracting 3 from 2");
  CHECK_SHAPES("Conv2D", "strides=1,1,1,1 padding=SAME", "[8,9,10,6] [3,3,3,16]", "[8,9,10,16]");
  CHECK_SHAPES("Conv2D", "strides=1,1,1,1 padding=SAME", "[8,9,10,6] [3,3,4,16]", "groups");
}

TEST(test_three_dimensional_convolutions_keep_rows_and_columns_apart) {
  CHECK_SHAPES("Conv3D", "strides=1,1,1,1,1 padding=VALID dilations=1,1,3,1,1",
               "[1,9,9,9,2] [3,3,3,2,4]", "[1,7,3,7,4]");
}

TEST(test_reshape_fills_in_the_missing_dimension) {
  CHECK_SHAPES("Reshape", "", "[6,4] =[3,-1]", "[3,8]");
  CHECK_SHAPES("Reshape", "", "[6,?] =[3,-1]", "[3,?]");
  CHECK_SHAPES("Reshape", "", "[0,5] =[-1,0]", "[?,0]");
  CHECK_SHAPES("Reshape", "", "? int32[3]", "[?,?,?]");
  CHECK_SHAPES("Reshape", "", "[6,4] =[5,-1]", "evenly divisible by 5 but is 24");
  CHECK_SHAPES("Reshape", "", "[6,4] =[5,5]", "24 elements do not fit a shape of 25");
}

TEST(test_concatenation_needs_one_rank_even_along_an_unknown_axis) {
  CHECK_SHAPES("ConcatV2", "", "[2,3] [?,3] =-2", "[?,3]");
  CHECK_SHAPES("ConcatV2", "", "[2,3] ? int32[]", "[?,?]");
  CHECK_SHAPES("ConcatV2", "", "[2,3] [2] int32[]", "rank 2 but is rank 1");
  CHECK_SHAPES("ConcatV2", "", "[] [] int32[]", "scalars");
}

TEST(test_ranges_are_counted_in_their_own_type) {
  CHECK_SHAPES("Range", "", "=0 =10 =3", "[4]");
  CHECK_SHAPES("Range", "", "=10 =0 =-3", "[4]");
  CHECK_SHAPES("Range", "", "int8=-128 int8=127 int8=1", "[255]");
  CHECK_SHAPES("Range", "", "uint64=0 uint64=-1 uint64=1", "too many");
  CHECK_SHAPES("Range", "", "=0 =10 =0", "must not be 0");
  CHECK_SHAPES("Range", "", "=0 =10 =-1", "start >= limit");
  CHECK_SHAPES("Range", "", "half=0 half=0 half=0", "[?]");
}

TEST(test_resources_carry_the_shapes_of_what_they_hold) {
  CHECK_SHAPES("VarHandleOp", "dtype=half shape=[2,?]", "", "[] of half [2,?]");
  CHECK_SHAPES("Identity", "", "resource[2,?]", "[] of float [2,?]");
  CHECK_SHAPES("ReadVariableOp", "dtype=float", "resource[2,?]", "[2,?]");
  CHECK_SHAPES("ReadVariableOp", "dtype=half", "resource[2,?]", "holds float, not half");
  CHECK_SHAPES("AssignVariableOp", "", "resource[2,?] [2,5]", "");
  CHECK_SHAPES("AssignVariableOp", "", "resource[2,?] [3,5]", "must be equal, but are 2 and 3");
  CHECK_SHAPES("VariableShape", "", "resource[2,?]", "[2]");
  CHECK_SHAPES("ResourceGather", "dtype=float", "resource[2,?] int32[7]", "[7,?]");
}

TEST(test_where_tensorflow_is_wrong_we_are_not) {
  CHECK_SHAPES("ArgMax", "", "[2,3,4] int16=-1", "[2,3]");
  CHECK_SHAPES("SplitV", "num_split=2", "[5,2] int8=[2,-1] =0", "[2,2] [3,2]");
  CHECK_SHAPES("GatherV2", "batch_dims=-1", "[2,3,4] int32[2,5] int32[]", "[?,?,?]");
  CHECK_SHAPES("DenseBincount", "", "int32[] int32[] [0]", "[?]");
  CHECK_SHAPES("OneHot", "axis=3", "int32[2,2] =5 [] []", "axis 3 is outside");
  CHECK_SHAPES("MatrixDiagV3", "", "[2] =[2,3] =-1 =-1 []", "k names 2 diagonals");
  CHECK_SHAPES("MatrixSetDiagV3", "", "[?,3] [2,2] =[0,1]", "[?,3]");
  CHECK_SHAPES("TopK", "k=2", "[4,5]", "[4,2] [4,2]");
  CHECK_SHAPES("TopK", "k=6", "[4,5]", "no 6 largest of 5");
  CHECK_SHAPES("ResizeArea", "", "[1,2,3,4] =[-2,5]", "dimension 1 of a shape is -2");
}

typedef struct sample {
  const char *op, *attrs, *inputs;
} sample;

static bool infer_once(void* arg, tn_status* status) {
  tn_text out = {0};
  bool ok = infer(arg, &out, status);
  tn_text_deinit(&out);
  return ok;
}

TEST(test_shape_functions_survive_every_failing_allocation) {
  static const sample samples[] = {
      {"Einsum", "equation=...ab,...bc->...ac", "[5,1,2,3] [6,3,4]"},
      {"StridedSlice", "ellipsis_mask=2", "[2,3,4,5,6,7,8,9,10,11] =[1,0,1] =[2,0,3] =[1,1,1]"},
      {"ConcatV2", "", "[2,3] [?,3] =0"},
      {"Sum", "", "[2,3,4] =[0,2]"},
      {"Conv2D", "strides=1,2,2,1 padding=SAME", "[8,9,10,3] [3,3,3,16]"},
      {"SoftmaxCrossEntropyWithLogits", "", "[8,9] [1,9]"},
      {"SpaceToBatchND", "", "[2,4,4,3] =[2,2] int32[2,2]"},
      {"VarHandleOp", "dtype=float shape=[2,?]", ""},
      {"Equal", "incompatible_shape_error=false", "[2,3,4,5,6,7,8,9,10,11] [11]"},
  };
  for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
    use u;
    begin(&u, samples[i].op, samples[i].attrs, samples[i].inputs);
    CHECK(test_sweep_allocations(infer_once, &u) > 0);
    end(&u);
  }
}
