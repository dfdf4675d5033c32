#include "op/node.h"

#include "base/wire.h"
#include "op_testing.h"

typedef struct fixture {
  tn_op_def* op;
  tn_attrs attrs;
  tn_status status;
} fixture;

static fixture given(tn_op_builder* builder) { return (fixture){.op = finish_op(builder)}; }

static void set(fixture* f, const char* name, tn_attr_kind kind, bool is_list, const char* text) {
  tn_attr_value value;
  CHECK(tn_attr_value_parse_typed(&value, kind, is_list, tn_view_of(text), &f->status));
  CHECK(tn_attrs_take(&f->attrs, name, &value, &f->status));
}

static tn_node* make(fixture* f, const tn_dtype* types, size_t count) {
  return tn_node_create(f->op, "n", &f->attrs, types, count, &f->status);
}

static void done(fixture* f) {
  tn_status_deinit(&f->status);
  tn_attrs_deinit(&f->attrs);
  tn_op_def_destroy(f->op);
}

#define TYPES(...) \
  (const tn_dtype[]){__VA_ARGS__}, sizeof((tn_dtype[]){__VA_ARGS__}) / sizeof(tn_dtype)

#define CHECK_NODE(f, types, expected) \
  do {                                 \
    tn_node* node_ = make(f, types);   \
    CHECK_OK(&(f)->status);            \
    tn_text text_ = {0};               \
    tn_node_print(node_, &text_);      \
    CHECK_TEXT(text_.data, expected);  \
    tn_text_deinit(&text_);            \
    tn_node_destroy(node_);            \
  } while (0)
#define CHECK_REFUSED(f, types, text)                      \
  do {                                                     \
    CHECK(!make(f, types));                                \
    CHECK_CONTAINS(tn_status_message(&(f)->status), text); \
    CHECK_CODE(&(f)->status, TN_INVALID_ARGUMENT);         \
  } while (0)

TEST(test_types_are_inferred_from_inputs_and_the_rest_from_defaults) {
  fixture f = given(build_op("Mul", "attr T: {float, int32}", "attr flag: bool = true", "in a: T",
                             "in b: T", "out c: T", NULL));
  CHECK_NODE(&f, TYPES(TN_INT32, TN_INT32), "{{node n}} = Mul[T=DT_INT32, flag=true](a, b)");
  set(&f, "flag", TN_ATTR_BOOL, false, "false");
  set(&f, "_note", TN_ATTR_STRING, false, "kept");
  tn_node* node = make(&f, TYPES(TN_FLOAT, TN_FLOAT));
  CHECK_OK(&f.status);
  CHECK_INT(node->input_count, 2);
  CHECK_INT(node->output_count, 1);
  CHECK_INT(node->output_types[0], TN_FLOAT);
  CHECK(tn_attrs_find(&node->attrs, "_note"));
  CHECK(tn_node_set_device(node, "/device:CPU:0", &f.status));
  CHECK(tn_node_set_input_names(node, (const char*[]){"x", "y:1"}, &f.status));
  tn_text text = {0};
  tn_node_print(node, &text);
  CHECK_TEXT(text.data,
             "{{node n}} = Mul[T=DT_FLOAT, _note=\"kept\", flag=false, "
             "_device=\"/device:CPU:0\"](x, y:1)");
  tn_text_deinit(&text);
  tn_node_destroy(node);
  done(&f);
}

TEST(test_inputs_that_do_not_fit_are_refused) {
  fixture f =
      given(build_op("Mul", "attr T: {float, int32}", "in a: T", "in b: T", "out c: T", NULL));
  CHECK_REFUSED(
      &f, TYPES(TN_FLOAT, TN_INT32),
      "cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is "
      "a int32 tensor (input 'b')");
  CHECK_REFUSED(&f, TYPES(TN_STRING, TN_STRING),
                "Value for attr 'T' of string is not in the list of allowed values: float, int32; "
                "NodeDef: {{node n}}; Op<name=Mul; signature=a:T, b:T -> c:T");
  CHECK_REFUSED(&f, TYPES(TN_FLOAT),
                "NodeDef expected inputs 'float, float' do not match 1 inputs specified; NodeDef:");
  CHECK_REFUSED(&f, TYPES(TN_FLOAT, TN_FLOAT, TN_FLOAT),
                "NodeDef expected inputs 'float, float' do not match 3 inputs specified");
  CHECK(!tn_node_create(f.op, "n", NULL, NULL, 0, &f.status));
  CHECK_CONTAINS(tn_status_message(&f.status),
                 "NodeDef expected inputs 'T, T' do not match 0 inputs specified");
  CHECK_CONTAINS(tn_status_message(&f.status), "; Mul takes the inputs a, b");
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  CHECK(!tn_node_create(f.op, "n", NULL, NULL, 2, &f.status));
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  CHECK(!tn_node_create(NULL, "n", NULL, NULL, 0, &f.status));
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);
  done(&f);
}

TEST(test_attrs_are_checked) {
  fixture f = given(build_op("Check", "attr size: int >= 2", "attr mode: {'a', 'b'} = 'a'",
                             "attr transpose_b: bool = false", NULL));
  CHECK(!tn_node_create(f.op, NULL, NULL, NULL, 0, &f.status));
  CHECK_CONTAINS(tn_status_message(&f.status), "NodeDef missing attr 'size' from Op<name=Check;");
  CHECK_CONTAINS(tn_status_message(&f.status), "; NodeDef: {{node Check}}");
  CHECK_CODE(&f.status, TN_INVALID_ARGUMENT);

  set(&f, "size", TN_ATTR_INT, false, "1");
  CHECK_REFUSED(&f, TYPES(), "Value for attr 'size' of 1 must be at least minimum 2; NodeDef: ");
  set(&f, "size", TN_ATTR_FLOAT, false, "5");
  CHECK_REFUSED(&f, TYPES(),
                "AttrValue had value with type 'float' when 'int' expected\n\t for attr "
                "'size'; NodeDef: ");
  set(&f, "size", TN_ATTR_INT, true, "5");
  CHECK_REFUSED(&f, TYPES(), "AttrValue had value with type 'list(int)' when 'int' expected");
  set(&f, "size", TN_ATTR_INT, false, "5");
  set(&f, "mode", TN_ATTR_STRING, false, "c");
  CHECK_REFUSED(&f, TYPES(),
                "Value for attr 'mode' of \"c\" is not in the list of allowed values: ");
  set(&f, "mode", TN_ATTR_STRING, false, "b");
  set(&f, "transpos_b", TN_ATTR_BOOL, false, "true");
  CHECK_REFUSED(&f, TYPES(),
                "Op Check has no attr named 'transpos_b'; did you mean 'transpose_b'?");
  done(&f);
}

TEST(test_attrs_of_a_private_op_may_stay_open_unless_they_decide_arguments) {
  fixture f = given(build_op("_Check", "attr meta: tensor", "attr T: type", "out y: T", NULL));
  CHECK_REFUSED(&f, TYPES(), "NodeDef missing attr 'T' from Op<name=_Check;");
  set(&f, "T", TN_ATTR_TYPE, false, "DT_INT32");
  CHECK_NODE(&f, TYPES(), "{{node n}} = _Check[T=DT_INT32]()");
  done(&f);
}

TEST(test_several_missing_attrs_are_named_together) {
  fixture f = given(build_op("Check", "attr x: int", "attr y: float", NULL));
  CHECK_REFUSED(&f, TYPES(), "NodeDef missing attrs 'x', 'y' from Op<name=Check;");
  done(&f);
}

TEST(test_the_length_of_a_list_is_what_the_other_inputs_leave) {
  fixture f =
      given(build_op("Pack", "attr N: int", "attr T: type", "in axis: int32", "in values: N * T",
                     "in last: T", "out y: N * T", "out z: int32", NULL));
  CHECK_NODE(&f, TYPES(TN_INT32, TN_FLOAT, TN_FLOAT, TN_FLOAT),
             "{{node n}} = Pack[N=2, T=DT_FLOAT](axis, values, last)");
  CHECK_REFUSED(&f, TYPES(TN_INT32, TN_FLOAT),
                "Value for attr 'N' of 0 must be at least minimum 1");
  set(&f, "N", TN_ATTR_INT, false, "2");
  CHECK_REFUSED(&f, TYPES(TN_INT32, TN_FLOAT, TN_FLOAT),
                "NodeDef expected inputs 'int32, float, float, float' do not match 3 inputs");
  tn_node* node = make(&f, TYPES(TN_INT32, TN_HALF, TN_HALF, TN_HALF));
  CHECK_OK(&f.status);
  int start, stop;
  CHECK(tn_node_input_range(node, "values", &start, &stop));
  CHECK(start == 1 && stop == 3);
  CHECK(tn_node_input_range(node, "last", &start, &stop) && start == 3 && stop == 4);
  CHECK(tn_node_output_range(node, "z", &start, &stop) && start == 2 && stop == 3);
  CHECK(!tn_node_input_range(node, "z", &start, &stop));
  CHECK(!tn_node_output_range(node, NULL, &start, &stop));
  CHECK_INT(node->output_count, 3);
  CHECK_INT(node->output_types[1], TN_HALF);
  tn_node_destroy(node);
  done(&f);
}

TEST(test_two_lists_of_one_length_share_the_inputs) {
  fixture f = given(build_op("Pair", "attr N: int", "in a: N * int32", "in b: N * float", NULL));
  CHECK_NODE(&f, TYPES(TN_INT32, TN_INT32, TN_FLOAT, TN_FLOAT), "{{node n}} = Pair[N=2](a, b)");
  CHECK_REFUSED(&f, TYPES(TN_INT32, TN_INT32, TN_FLOAT),
                "NodeDef expected inputs 'int32, float' do not match 3 inputs specified");
  done(&f);
}

TEST(test_lists_that_could_be_shared_out_differently_need_an_attr) {
  fixture f = given(build_op("Split", "attr N: int", "attr T: list(type)", "in a: N * float",
                             "in b: T", "out c: T", NULL));
  CHECK_REFUSED(
      &f, TYPES(TN_FLOAT, TN_FLOAT, TN_INT32),
      "3 inputs can be shared out over the list arguments in several ways: set attr 'N' or "
      "'T'");
  set(&f, "N", TN_ATTR_INT, false, "1");
  CHECK_NODE(&f, TYPES(TN_FLOAT, TN_FLOAT, TN_INT32),
             "{{node n}} = Split[N=1, T=[DT_FLOAT, DT_INT32]](a, b)");
  done(&f);
}

TEST(test_an_open_list_with_a_default_takes_it_when_another_is_open) {
  fixture f = given(build_op("Split", "attr N: int >= 0 = 1", "attr T: list(type) >= 0",
                             "in a: N * float", "in b: T", NULL));
  CHECK_NODE(&f, TYPES(TN_FLOAT, TN_BOOL), "{{node n}} = Split[N=1, T=[DT_BOOL]](a, b)");
  done(&f);
}

TEST(test_empty_lists_take_the_type_they_stand_for) {
  fixture f = given(build_op("Empty", "attr T: list(type) >= 0", "attr s: list(shape)", "in a: T",
                             "out b: T", NULL));
  tn_attr_value empty = TN_ATTR_VALUE_NONE;
  empty.is_list = true;
  CHECK(tn_attrs_set(&f.attrs, "s", &empty, &f.status));
  tn_node* node = make(&f, TYPES());
  CHECK_OK(&f.status);
  CHECK_INT(tn_attrs_find(&node->attrs, "s")->kind, TN_ATTR_SHAPE);
  CHECK_INT(tn_attrs_find(&node->attrs, "T")->kind, TN_ATTR_TYPE);
  CHECK_INT(node->input_count + node->output_count, 0);
  tn_node_destroy(node);
  done(&f);
}

TEST(test_reference_arguments) {
  fixture f = given(build_op("Assign", "attr T: type", "in ref: Ref(T)", "in value: T",
                             "out out_ref: Ref(T)", NULL));
  tn_node* node = make(&f, TYPES(TN_FLOAT + TN_REF_OFFSET, TN_FLOAT));
  CHECK_OK(&f.status);
  CHECK_INT(node->input_types[0], TN_FLOAT + TN_REF_OFFSET);
  CHECK_INT(node->output_types[0], TN_FLOAT + TN_REF_OFFSET);
  CHECK_INT(tn_attrs_find(&node->attrs, "T")->types[0], TN_FLOAT);
  tn_node_destroy(node);
  // A reference may be read as a value, but a value is no reference.
  node = make(&f, TYPES(TN_FLOAT + TN_REF_OFFSET, TN_FLOAT + TN_REF_OFFSET));
  CHECK_OK(&f.status);
  tn_node_destroy(node);
  CHECK_REFUSED(&f, TYPES(TN_FLOAT, TN_FLOAT), "was expected to be a float_ref tensor");
  done(&f);
}

TEST(test_absurd_lengths_are_refused) {
  fixture f = given(build_op("Many", "attr N: int", "out a: N * float", "out b: N * float", NULL));
  set(&f, "N", TN_ATTR_INT, false, "9223372036854775807");
  CHECK_REFUSED(&f, TYPES(), "Number of outputs is too big");
  set(&f, "N", TN_ATTR_INT, false, "16000000");
  CHECK_REFUSED(&f, TYPES(), "Number of outputs is too big");
  done(&f);
  f = given(build_op("Many", "attr N: int", "in a: N * float", "in b: N * float", NULL));
  set(&f, "N", TN_ATTR_INT, false, "9223372036854775807");
  CHECK_REFUSED(&f, TYPES(TN_FLOAT), "do not match 1 inputs specified");
  done(&f);
}

TEST(test_a_node_as_bytes) {
  fixture f = given(build_op("Bytes", "attr i: int", "in x: float", NULL));
  set(&f, "i", TN_ATTR_INT, false, "1234");
  tn_node* node = make(&f, TYPES(TN_FLOAT));
  CHECK(tn_node_set_device(node, "d", &f.status));
  CHECK(tn_node_set_input_names(node, (const char*[]){"src"}, &f.status));
  tn_text bytes = {0};
  CHECK(tn_node_encode(node, &bytes, &f.status));
  static const char expected[] =
      "\x0a\x01n\x12\x05"
      "Bytes"
      "\x1a\x03src\x22\x01"
      "d\x2a\x08\x0a\x01i\x12\x03\x18\xd2\x09";
  CHECK_INT(bytes.size, sizeof expected - 1);
  CHECK(memcmp(bytes.data, expected, sizeof expected - 1) == 0);
  tn_text_deinit(&bytes);
  tn_node_destroy(node);
  done(&f);
}

static bool make_once(void* arg, tn_status* status) {
  const fixture* f = arg;
  tn_node* node =
      tn_node_create(f->op, "n", &f->attrs, TYPES(TN_INT32, TN_FLOAT, TN_FLOAT), status);
  tn_text text = {0}, bytes = {0};
  bool made = node && tn_node_set_device(node, "device", status) &&
              tn_node_set_input_names(node, (const char*[]){"a", "b", "c"}, status) &&
              tn_node_encode(node, &bytes, status);
  if (made) tn_node_print(node, &text);
  if (text.failed) tn_status_set_no_memory(status, "printing"), made = false;
  tn_text_deinit(&text);
  tn_text_deinit(&bytes);
  tn_node_destroy(node);
  return made;
}

TEST(test_every_failed_allocation_of_a_node_is_reported) {
  fixture f = given(build_op("Sweep", "attr N: int", "attr T: list(type)", "attr s: string = 'x'",
                             "in i: int32", "in v: N * float", "out o: T", NULL));
  set(&f, "T", TN_ATTR_TYPE, true, "float, int32");
  CHECK(test_sweep_allocations(make_once, &f) > 10);
  done(&f);
}
