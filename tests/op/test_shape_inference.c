#include "op/shape_inference.h"

#include "op_testing.h"

// A context with two inputs and two outputs to try verbs in.
typedef struct fixture {
  tn_op_def* op;
  tn_node* node;
  tn_shape shapes[2];
  const tn_tensor* values[2];
  tn_inference c;
  tn_status status;
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
  f->op = finish_op(build_op("Verbs", "attr n: int = 3", "attr b: bool = true",
                             "attr t: type = DT_HALF", "attr s: string = 'hi'",
                             "attr l: list(int) = [1, 2]", "in x: float", "in y: int32",
                             "out p: float", "out q: float", NULL));
  f->node = tn_node_create(f->op, "v", NULL, (tn_dtype[]){TN_FLOAT, TN_INT32}, 2, &f->status);
  CHECK_OK(&f->status);
  f->shapes[0] = shape_of(a);
  f->shapes[1] = shape_of(b);
  CHECK(tn_inference_init(&f->c, f->node, f->shapes, f->values, &f->status));
}

static void end(fixture* f) {
  tn_inference_deinit(&f->c);
  tn_shape_deinit(&f->shapes[0]);
  tn_shape_deinit(&f->shapes[1]);
  tn_node_destroy(f->node);
  tn_op_def_destroy(f->op);
  tn_status_deinit(&f->status);
}

static void check_shape_at(int line, tn_shape_ref shape, const char* expected) {
  if (!shape) test_fail(__FILE__, line, "no shape, expected %s", expected);
  tn_text text = {0};
  tn_shape_print(shape, &text);
  if (strcmp(text.data, expected) != 0)
    test_fail(__FILE__, line, "%s, expected %s", text.data, expected);
  tn_text_deinit(&text);
}
#define CHECK_SHAPE(shape, expected) check_shape_at(__LINE__, shape, expected)

// A verb on the two inputs gives `expected`, or fails with that text when it is no shape.
static void check_verb_at(int line, tn_shape_ref (*verb)(fixture* f), const char* a, const char* b,
                          const char* expected) {
  fixture f;
  begin(&f, a, b);
  tn_shape_ref shape = verb(&f);
  if (expected[0] == '[' || expected[0] == '<') {
    if (!tn_ok(&f.status)) test_fail(__FILE__, line, "%s", tn_status_message(&f.status));
    check_shape_at(line, shape, expected);
  } else if (shape || strcmp(tn_status_message(&f.status), expected) != 0) {
    test_fail(__FILE__, line, "found '%s', expected '%s'", tn_status_message(&f.status), expected);
  }
  end(&f);
}
#define CHECK_VERB(verb, a, b, expected) check_verb_at(__LINE__, verb, a, b, expected)

static tn_shape_ref merge(fixture* f) {
  return tn_infer_merge(&f->c, f->c.inputs[0], f->c.inputs[1], &f->status);
}

TEST(test_merge) {
  CHECK_VERB(merge, "[1,?]", "[?,2]", "[1,2]");
  CHECK_VERB(merge, "?", "[?,2]", "[?,2]");
  CHECK_VERB(merge, "[3]", "?", "[3]");
  CHECK_VERB(merge, "?", "?", "<unknown>");
  CHECK_VERB(merge, "[]", "[]", "[]");
  CHECK_VERB(merge, "[1,2]", "[1,2,3]", "Shapes must be equal rank, but are 2 and 3");
  CHECK_VERB(merge, "[1,?]", "[2,?]",
             "Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are [1,?] and "
             "[2,?].");
}

static tn_shape_ref merge_prefix(fixture* f) {
  return tn_infer_merge_prefix(&f->c, f->c.inputs[0], f->c.inputs[1], &f->status);
}

TEST(test_merge_prefix) {
  CHECK_VERB(merge_prefix, "[?,2,3]", "[1,?]", "[1,2,3]");
  CHECK_VERB(merge_prefix, "[?,2,3]", "?", "[?,2,3]");
  CHECK_VERB(merge_prefix, "?", "[1]", "<unknown>");
  CHECK_VERB(merge_prefix, "[1]", "[1,2]", "Shape must be at least rank 2 but is rank 1");
  CHECK_VERB(merge_prefix, "[1,2]", "[3]", "Dimensions must be equal, but are 1 and 3");
}

static tn_shape_ref broadcast(fixture* f) {
  return tn_infer_broadcast(&f->c, f->c.inputs[0], f->c.inputs[1], &f->status);
}

TEST(test_broadcast) {
  CHECK_VERB(broadcast, "[2,3]", "[3]", "[2,3]");
  CHECK_VERB(broadcast, "[]", "[2,1]", "[2,1]");
  CHECK_VERB(broadcast, "[2,1]", "[1,5]", "[2,5]");
  CHECK_VERB(broadcast, "[?,3]", "[4,1]", "[4,3]");
  CHECK_VERB(broadcast, "[?]", "[1]", "[?]");
  CHECK_VERB(broadcast, "[?]", "[0]", "[?]");
  CHECK_VERB(broadcast, "[0]", "[1]", "[0]");
  CHECK_VERB(broadcast, "?", "[2]", "<unknown>");
  CHECK_VERB(broadcast, "[2]", "[3]", "Dimensions must be equal, but are 2 and 3");
}

static tn_shape_ref concatenate(fixture* f) {
  return tn_infer_concatenate(&f->c, f->c.inputs[0], f->c.inputs[1], &f->status);
}

TEST(test_concatenate) {
  CHECK_VERB(concatenate, "[1,?]", "[3]", "[1,?,3]");
  CHECK_VERB(concatenate, "[1]", "?", "<unknown>");
  CHECK_VERB(concatenate, "[1,2,3,4,5]", "[6,7,8,9,10]", "[1,2,3,4,5,6,7,8,9,10]");
}

TEST(test_ranks_can_be_demanded) {
  fixture f;
  begin(&f, "[1,2]", "?");
  tn_shape_ref x = f.c.inputs[0], unknown = f.c.inputs[1];
  CHECK(tn_infer_with_rank(&f.c, x, 2, &f.status) == x);
  CHECK_SHAPE(tn_infer_with_rank(&f.c, unknown, 3, &f.status), "[?,?,?]");
  CHECK(tn_infer_with_rank_at_least(&f.c, x, 2, &f.status) == x);
  CHECK(tn_infer_with_rank_at_most(&f.c, x, 2, &f.status) == x);
  CHECK_SHAPE(tn_infer_with_rank_at_least(&f.c, unknown, 2, &f.status), "<unknown>");
  CHECK_SHAPE(tn_infer_with_rank_at_most(&f.c, unknown, 2, &f.status), "<unknown>");
  CHECK_OK(&f.status);
  static const struct {
    tn_shape_ref (*verb)(tn_inference*, tn_shape_ref, int64_t, tn_status*);
    int64_t rank;
    const char* text;
  } failures[] = {
      {tn_infer_with_rank, 3, "Shape must be rank 3 but is rank 2"},
      {tn_infer_with_rank_at_least, 3, "Shape must be at least rank 3 but is rank 2"},
      {tn_infer_with_rank_at_most, 1, "Shape must be at most rank 1 but is rank 2"},
      {tn_infer_with_rank, 1ll << 31, "Rank cannot exceed kint32max"},
      {tn_infer_with_rank_at_least, 1ll << 31, "Rank cannot exceed kint32max"},
      {tn_infer_with_rank_at_most, 1ll << 31, "Rank cannot exceed kint32max"},
      {tn_infer_with_rank, -1, "Shape must be rank -1 but is rank 2"},
  };
  for (size_t i = 0; i < sizeof failures / sizeof *failures; ++i) {
    CHECK(!failures[i].verb(&f.c, x, failures[i].rank, &f.status));
    CHECK_TEXT(tn_status_message(&f.status), failures[i].text);
    CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
    CHECK(!failures[i].verb(&f.c, NULL, 2, &f.status));  // a failure passes through
    CHECK_OK(&f.status);
  }
  CHECK(!tn_infer_with_rank(&f.c, unknown, 1000, &f.status));
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  CHECK(!tn_infer_unknown_of_rank(&f.c, -3, &f.status));
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  end(&f);
}

TEST(test_subshapes) {
  fixture f;
  begin(&f, "[10,20,30,40,50]", "?");
  static const struct {
    int64_t start, end;
    const char* expected;
  } cases[] = {
      {0, 10, "[10,20,30,40,50]"},
      {1, 3, "[20,30]"},
      {-3, -1, "[30,40]"},
      {0, -1, "[10,20,30,40]"},
      {3, INT64_MAX, "[40,50]"},
      {7, 9, "[]"},
      {2, 2, "[]"},
      {-6, 2, "Subshape start out of bounds: -6, for shape with rank 5"},
      {0, -6, "Subshape end out of bounds: -6, for shape with rank 5"},
      {3, 1,
       "Subshape must have computed start <= end, but is 3 and 1 (computed from start 3 and end 1 "
       "over shape with rank 5)"},
      {INT64_MIN, 2, "Subshape start out of bounds: -9223372036854775808, for shape with rank 5"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_shape_ref shape =
        tn_infer_subshape(&f.c, f.c.inputs[0], cases[i].start, cases[i].end, &f.status);
    if (shape) {
      CHECK_SHAPE(shape, cases[i].expected);
    } else {
      CHECK_TEXT(tn_status_message(&f.status), cases[i].expected);
      CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
    }
  }
  CHECK_SHAPE(tn_infer_subshape(&f.c, f.c.inputs[1], 1, 2, &f.status), "<unknown>");
  end(&f);
}

TEST(test_dims_are_read_and_replaced) {
  fixture f;
  begin(&f, "[2,?,4]", "?");
  tn_shape_ref x = f.c.inputs[0], unknown = f.c.inputs[1];
  CHECK_INT(tn_infer_dim(x, 0), 2);
  CHECK_INT(tn_infer_dim(x, -1), 4);
  CHECK_INT(tn_infer_dim(x, 1), -1);
  CHECK_INT(tn_infer_dim(x, 3), -1);
  CHECK_INT(tn_infer_dim(x, -4), -1);
  CHECK_INT(tn_infer_dim(unknown, 0), -1);
  CHECK_INT(tn_infer_dim(NULL, 0), -1);
  CHECK_SHAPE(tn_infer_replace_dim(&f.c, x, 1, 7, &f.status), "[2,7,4]");
  CHECK_SHAPE(tn_infer_replace_dim(&f.c, x, -1, -1, &f.status), "[2,?,?]");
  CHECK_SHAPE(tn_infer_replace_dim(&f.c, unknown, 9, 1, &f.status), "<unknown>");
  CHECK(!tn_infer_replace_dim(&f.c, x, 3, 1, &f.status));
  CHECK_TEXT(tn_status_message(&f.status), "Out of range dim_index 3 for shape with 3 dimensions");
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  CHECK_SHAPE(tn_infer_vector(&f.c, 5, &f.status), "[5]");
  CHECK_SHAPE(tn_infer_scalar(&f.c), "[]");
  CHECK(!tn_infer_make(&f.c, (int64_t[]){-2}, 1, &f.status));
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  CHECK(!tn_infer_input(&f.c, 2) && !tn_infer_input(&f.c, -1));
  end(&f);
}

TEST(test_dimension_arithmetic) {
  tn_status status = {0};
  int64_t d;
  CHECK(tn_infer_add(2, 3, &d, &status) && d == 5);
  CHECK(tn_infer_add(-1, 3, &d, &status) && d == -1);
  CHECK(!tn_infer_add(INT64_MAX, 1, &d, &status));
  CHECK_TEXT(tn_status_message(&status),
             "Dimension size overflow from adding 9223372036854775807 and 1");
  CHECK(tn_infer_subtract(5, 3, &d, NULL) && d == 2);
  CHECK(tn_infer_subtract(5, -1, &d, NULL) && d == -1);
  CHECK(!tn_infer_subtract(3, 5, &d, &status));
  CHECK_TEXT(tn_status_message(&status), "Negative dimension size caused by subtracting 5 from 3");
  CHECK(tn_infer_multiply(4, 3, &d, NULL) && d == 12);
  CHECK(tn_infer_multiply(-1, 0, &d, NULL) && d == 0);
  CHECK(tn_infer_multiply(-1, 2, &d, NULL) && d == -1);
  CHECK(tn_infer_multiply(-1, 1, &d, NULL) && d == -1);
  CHECK(!tn_infer_multiply(INT64_MAX, 2, &d, &status));
  CHECK_CONTAINS(tn_status_message(&status), "overflow when multiplying 9223372036854775807 and 2");
  CHECK(tn_infer_divide(7, 2, false, &d, NULL) && d == 3);
  CHECK(tn_infer_divide(-1, 2, true, &d, NULL) && d == -1);
  CHECK(tn_infer_divide(6, -1, true, &d, NULL) && d == -1);
  CHECK(!tn_infer_divide(7, 2, true, &d, &status));
  CHECK_TEXT(tn_status_message(&status), "Dimension size must be evenly divisible by 2 but is 7");
  CHECK(!tn_infer_divide(7, 0, false, &d, &status));
  CHECK_TEXT(tn_status_message(&status), "Divisor must be positive but is 0");
  CHECK(tn_infer_with_value(-1, 4, &d, NULL) && d == 4);
  CHECK(!tn_infer_with_value(3, 4, &d, &status));
  CHECK_TEXT(tn_status_message(&status), "Dimension must be 4 but is 3");
  CHECK(tn_infer_min(3, -1) == -1 && tn_infer_min(0, -1) == 0 && tn_infer_min(3, 2) == 2);
  CHECK(tn_infer_max(0, -1) == -1 && tn_infer_max(3, 2) == 3);
  tn_status_deinit(&status);
}

static tn_tensor* ints(const int32_t* values, int64_t count) {
  tn_tensor* tensor = tn_tensor_create_from(TN_INT32, count < 0 ? NULL : &count, count < 0 ? 0 : 1,
                                            values, (size_t)(count < 0 ? 1 : count) * 4, NULL);
  CHECK(tensor != NULL);
  return tensor;
}

TEST(test_values_of_inputs_as_shapes_and_numbers) {
  fixture f;
  begin(&f, "[2]", "[3]");
  int64_t number;
  CHECK_SHAPE(tn_infer_value_as_shape(&f.c, 1, &f.status), "[?,?,?]");
  CHECK(!tn_infer_value_as_int(&f.c, 1, &number, &f.status) && tn_ok(&f.status));
  tn_tensor* three = ints((int32_t[]){4, -1, 6}, 3);
  f.values[1] = three;
  CHECK(tn_infer_value(&f.c, 1) == three && !tn_infer_value(&f.c, 0) && !tn_infer_value(&f.c, 5));
  CHECK_SHAPE(tn_infer_value_as_shape(&f.c, 1, &f.status), "[4,?,6]");
  CHECK(!tn_infer_value_as_int(&f.c, 1, &number, &f.status));
  CHECK_TEXT(tn_status_message(&f.status), "Input must be scalar but has rank 1");
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);

  tn_tensor* bad = ints((int32_t[]){4, -2, 6}, 3);
  f.values[1] = bad;
  CHECK(!tn_infer_value_as_shape(&f.c, 1, &f.status));
  CHECK_TEXT(tn_status_message(&f.status), "Invalid value in tensor used for shape: -2");
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);

  tn_tensor* scalar = ints((int32_t[]){9}, -1);
  f.values[1] = scalar;
  CHECK(tn_infer_value_as_int(&f.c, 1, &number, &f.status) && number == 9);
  float real = 1;
  tn_tensor* floats = tn_tensor_create_from(TN_FLOAT, NULL, 0, &real, 4, NULL);
  f.values[1] = floats;
  CHECK(!tn_infer_value_as_int(&f.c, 1, &number, &f.status));
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);

  tn_shape partial = shape_of("[7,?]");
  f.c.values_as_shapes = (tn_shape_ref[]){NULL, &partial};
  CHECK(tn_infer_value_as_shape(&f.c, 1, &f.status) == &partial);
  CHECK(!tn_infer_value_as_shape(&f.c, 2, &f.status));
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(three);
  tn_tensor_destroy(bad);
  tn_tensor_destroy(scalar);
  tn_tensor_destroy(floats);
  end(&f);
}

TEST(test_attrs_in_a_shape_function) {
  fixture f;
  begin(&f, "[]", "[]");
  int64_t n;
  bool b;
  tn_dtype t;
  tn_view s;
  CHECK(tn_infer_attr_int(&f.c, "n", &n, &f.status) && n == 3);
  CHECK(tn_infer_attr_bool(&f.c, "b", &b, &f.status) && b);
  CHECK(tn_infer_attr_type(&f.c, "t", &t, &f.status) && t == TN_HALF);
  CHECK(tn_infer_attr_string(&f.c, "s", &s, &f.status) && tn_view_is(s, "hi"));
  CHECK_INT(tn_infer_attr(&f.c, "l", TN_ATTR_INT, true, &f.status)->count, 2);
  CHECK_OK(&f.status);
  CHECK(!tn_infer_attr_int(&f.c, "absent", &n, &f.status));
  CHECK_TEXT(tn_status_message(&f.status), "No attr named 'absent' in NodeDef:");
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  CHECK(!tn_infer_attr_int(&f.c, "s", &n, &f.status));
  CHECK_TEXT(tn_status_message(&f.status),
             "AttrValue had value with type 'string' when 'int' expected");
  CHECK(!tn_infer_attr_int(&f.c, NULL, &n, &f.status));
  end(&f);
}

TEST(test_handle_shapes_travel_through_a_context) {
  fixture f;
  begin(&f, "[]", "[]");
  CHECK(!tn_infer_handle(&f.c, 0));
  tn_shape held = shape_of("[2,2]");
  f.c.input_handles = (tn_handle_data[]){{TN_FLOAT, &held}, {0}};
  CHECK(tn_infer_handle(&f.c, 0)->shape == &held);
  CHECK(!tn_infer_handle(&f.c, 1) && !tn_infer_handle(&f.c, 2) && !tn_infer_handle(&f.c, -1));
  tn_infer_set_handle(&f.c, 1, TN_FLOAT, &held);
  tn_infer_set_handle(&f.c, 2, TN_FLOAT, &held);
  CHECK(f.c.output_handles[1].shape == &held && !f.c.output_handles[0].shape);
  end(&f);
}

static void swap_and_check(tn_inference* c, tn_status* status) {
  tn_shape_ref merged = tn_infer_with_rank(c, tn_infer_input(c, 0), 2, status);
  tn_infer_set_output(c, 1, merged);
  tn_infer_set_output(c, 5, merged);
}

static tn_node* swap_node(fixture* f, tn_shape_function function) {
  tn_op_builder* builder =
      build_op("Swap", "in x: float", "in y: float", "out p: float", "out q: float", NULL);
  tn_op_builder_shape_function(builder, function);
  f->op = finish_op(builder);
  return tn_node_create(f->op, "s", NULL, (tn_dtype[]){TN_FLOAT, TN_FLOAT}, 2, NULL);
}

TEST(test_a_shape_function_runs_for_a_node) {
  fixture f = {0};
  tn_node* node = swap_node(&f, swap_and_check);
  tn_shape in[] = {shape_of("[3,?]"), shape_of("?")}, out[2];
  CHECK(tn_infer_shapes(node, in, NULL, out, &f.status));
  CHECK_SHAPE(&out[0], "<unknown>");
  CHECK_SHAPE(&out[1], "[3,?]");
  in[0] = shape_of("[3]");
  CHECK(!tn_infer_shapes(node, in, NULL, out, &f.status));
  CHECK_TEXT(
      tn_status_message(&f.status),
      "Shape must be rank 2 but is rank 1 for '{{node s}} = Swap[](x, y)' with input shapes: "
      "[3], ?.");
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  tn_node_destroy(node);
  tn_op_def_destroy(f.op);
}

TEST(test_without_a_shape_function_all_is_unknown) {
  fixture f = {0};
  tn_node* node = swap_node(&f, NULL);
  tn_shape in[] = {shape_of("[3]"), shape_of("[4]")}, out[2];
  CHECK(tn_infer_shapes(node, in, NULL, out, &f.status));
  CHECK_SHAPE(&out[0], "<unknown>");
  CHECK_SHAPE(&out[1], "<unknown>");
  tn_node_destroy(node);
  tn_op_def_destroy(f.op);
}

static void grow_large(tn_inference* c, tn_status* status) {
  tn_shape_ref large = tn_infer_unknown_of_rank(c, 200, status);
  tn_shape_ref joined = tn_infer_concatenate(c, tn_infer_input(c, 0), large, status);
  tn_infer_set_output(c, 0, tn_infer_merge(c, joined, joined, status));
  tn_infer_set_output(c, 1, tn_infer_replace_dim(c, joined, 0, 9, status));
}

static bool infer_once(void* node, tn_status* status) {
  tn_shape in[] = {{.rank = 1, .small = {3}}, {.rank = 0}}, out[2];
  if (!tn_infer_shapes(node, in, NULL, out, status)) return false;
  CHECK_INT(out[1].rank, 201);
  tn_shape_deinit(&out[0]);
  tn_shape_deinit(&out[1]);
  return true;
}

TEST(test_every_failed_allocation_of_inference_is_reported) {
  fixture f = {0};
  tn_node* node = swap_node(&f, grow_large);
  CHECK(test_sweep_allocations(infer_once, node) > 4);
  tn_node_destroy(node);
  tn_op_def_destroy(f.op);
}
