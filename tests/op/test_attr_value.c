#include "base/status.h"
#include "harness.h"
#include "op/attr_value.h"

static char* printed(const tn_attr_value* value) {
  tn_text text = {0};
  tn_attr_value_print(value, &text);
  return tn_text_take(&text, NULL);
}

// Parses `text` and compares how the value prints; NULL: it must be refused.
static void check_parse(tn_attr_kind kind, bool is_list, const char* text, const char* expected) {
  tn_status status = {0};
  tn_attr_value value;
  bool parsed = tn_attr_value_parse(&value, kind, is_list, tn_view_of(text), &status);
  if (!expected) {
    if (parsed) test_fail(__FILE__, __LINE__, "accepted '%s'", text);
    CHECK_INT(status.code, TN_INVALID_ARGUMENT);
  } else {
    CHECK_OK(&status);
    CHECK(parsed && value.kind == kind && value.is_list == is_list);
    char* found = printed(&value);
    CHECK_TEXT(found, expected);
    tn_free(found);

    // Through the wire and back it is the same value.
    tn_text bytes = {0};
    CHECK(tn_attr_value_encode(&value, &bytes, &status));
    tn_attr_value again;
    CHECK(tn_attr_value_decode(&again, tn_text_view(&bytes), &status));
    CHECK(tn_attr_value_equal(&value, &again));
    CHECK(tn_attr_value_hash(&value, 7) == tn_attr_value_hash(&again, 7));
    tn_text_deinit(&bytes);
    tn_attr_value_deinit(&again);
  }
  tn_attr_value_deinit(&value);
  tn_status_deinit(&status);
}

TEST(test_scalar_defaults_in_text_format) {
  check_parse(TN_ATTR_INT, false, "-7", "-7");
  check_parse(TN_ATTR_INT, false, " -7 # a comment", "-7");
  check_parse(TN_ATTR_INT, false, "+7", "7");
  check_parse(TN_ATTR_INT, false, "017", "17");
  check_parse(TN_ATTR_INT, false, "- 7", NULL);
  check_parse(TN_ATTR_INT, false, "7;", NULL);
  check_parse(TN_ATTR_INT, false, "0x1F", NULL);
  check_parse(TN_ATTR_INT, false, "00", NULL);
  check_parse(TN_ATTR_INT, false, "7 b: true", NULL);
  check_parse(TN_ATTR_INT, false, "7 surplus", "7");  // as TensorFlow does
  check_parse(TN_ATTR_INT, false, "-9223372036854775808", "-9223372036854775808");
  check_parse(TN_ATTR_INT, false, "9223372036854775808", NULL);
  check_parse(TN_ATTR_INT, false, "1.5", NULL);
  check_parse(TN_ATTR_INT, false, "", NULL);
  check_parse(TN_ATTR_INT, false, "[1]", NULL);
  check_parse(TN_ATTR_FLOAT, false, "-1.5", "-1.5");
  check_parse(TN_ATTR_FLOAT, false, "3", "3");
  check_parse(TN_ATTR_FLOAT, false, ".5", "0.5");
  check_parse(TN_ATTR_FLOAT, false, "010", "10");
  check_parse(TN_ATTR_FLOAT, false, "0x10", "16");
  check_parse(TN_ATTR_FLOAT, false, "0x1p3", NULL);
  check_parse(TN_ATTR_FLOAT, false, ".5f", NULL);
  check_parse(TN_ATTR_FLOAT, false, "1e", NULL);
  check_parse(TN_ATTR_FLOAT, false, "1.e-3", "0.001");
  check_parse(TN_ATTR_FLOAT, false, "-inf", "-inf");
  check_parse(TN_ATTR_FLOAT, false, "NaN", "nan");
  check_parse(TN_ATTR_FLOAT, false, "3.4028235e38", "3.40282347e+38");
  check_parse(TN_ATTR_FLOAT, false, "1e39", "inf");
  check_parse(TN_ATTR_FLOAT, false, ".", NULL);
  check_parse(TN_ATTR_FLOAT, false, "1.5.5", NULL);
  check_parse(TN_ATTR_BOOL, false, "true", "true");
  check_parse(TN_ATTR_BOOL, false, "False", "false");
  check_parse(TN_ATTR_BOOL, false, "t", NULL);
  check_parse(TN_ATTR_BOOL, false, "1", "true");
  check_parse(TN_ATTR_BOOL, false, "9", NULL);
  check_parse(TN_ATTR_BOOL, false, "TRUE", NULL);
  check_parse(TN_ATTR_TYPE, false, "DT_FLOAT", "DT_FLOAT");
  check_parse(TN_ATTR_TYPE, false, "9", "DT_INT64");
  check_parse(TN_ATTR_TYPE, false, "float", NULL);
  check_parse(TN_ATTR_STRING, false, "\"a\\n\\x41\\101\\u00e9\"", "\"a\\012AA\\303\\251\"");
  check_parse(TN_ATTR_STRING, false, "'it''s'", NULL);
  check_parse(TN_ATTR_STRING, false, "'\\x41b'", NULL);
  check_parse(TN_ATTR_STRING, false, "'\\ud800'", NULL);
  check_parse(TN_ATTR_STRING, false, "''", "\"\"");
  check_parse(TN_ATTR_STRING, false, "'open", NULL);
  check_parse(TN_ATTR_STRING, false, "'\\q'", NULL);
  check_parse(TN_ATTR_STRING, false, "'\\'", NULL);
  check_parse(TN_ATTR_STRING, false, "word", NULL);
  check_parse(TN_ATTR_PLACEHOLDER, false, "'x'", NULL);
}

TEST(test_list_defaults_must_be_bracketed) {
  check_parse(TN_ATTR_INT, true, "[1, 2,3]", "[1, 2, 3]");
  check_parse(TN_ATTR_INT, true, " [ ] ", "[]");
  check_parse(TN_ATTR_INT, true, "7", NULL);
  check_parse(TN_ATTR_INT, true, "[1,]", NULL);
  check_parse(TN_ATTR_INT, true, "[1", NULL);
  check_parse(TN_ATTR_INT, true, "[[1]]", NULL);
  check_parse(TN_ATTR_STRING, true, "['a', \"b\"]", "[\"a\", \"b\"]");
  check_parse(TN_ATTR_TYPE, true, "[DT_FLOAT, DT_INT32]", "[DT_FLOAT, DT_INT32]");
  check_parse(TN_ATTR_TYPE, true, "[DT_FLOAT , DT_INT32]", NULL);  // as TensorFlow does
  check_parse(TN_ATTR_FLOAT, true, "[1.5, -2]", "[1.5, -2]");
  check_parse(TN_ATTR_BOOL, true, "[true, false]", "[true, false]");
  check_parse(TN_ATTR_SHAPE, true, "[{ dim { size: 1 } }, { unknown_rank: true }, {}]",
              "[[1], <unknown>, []]");
}

TEST(test_message_defaults_in_text_format) {
  check_parse(TN_ATTR_SHAPE, false, "{ dim { size: 2 } dim { size: -1 } }", "[2,?]");
  check_parse(TN_ATTR_SHAPE, false, "< dim: [{size:2}, <size:3>] >", "[2,3]");
  check_parse(TN_ATTR_SHAPE, false, "{}", "[]");
  check_parse(TN_ATTR_SHAPE, false, "{ unknown_rank: true }", "<unknown>");
  check_parse(TN_ATTR_SHAPE, false, "{ unknown_rank: true, unknown_rank: true }", NULL);
  check_parse(TN_ATTR_SHAPE, false, "{ dim { size: 2 }", NULL);
  check_parse(TN_ATTR_SHAPE, false, "{ dim { size: 2 }, dim {} }", NULL);
  check_parse(TN_ATTR_SHAPE, false, "{ dim [] }", NULL);
  check_parse(TN_ATTR_SHAPE, false, "{ dims dim { size: 2 } }", "[2]");
  check_parse(TN_ATTR_SHAPE, false, "{ dim { size 2 } }", NULL);
  check_parse(TN_ATTR_SHAPE, false, "[2]", NULL);
  check_parse(TN_ATTR_TENSOR, false, "{ dtype: DT_INT32 tensor_shape {} int_val: 1 }",
              "Tensor<type: int32 shape: []>");
  check_parse(TN_ATTR_TENSOR, false,
              "{ dtype: DT_DOUBLE tensor_shape { dim { size: 2 } } double_val: [1.5, 2.5] }",
              "Tensor<type: double shape: [2]>");
  check_parse(TN_ATTR_TENSOR, false, "{ dtype: DT_STRING tensor_shape {} string_val: 'x' }",
              "Tensor<type: string shape: []>");
  check_parse(TN_ATTR_TENSOR, true, "[{ dtype: DT_INT64 tensor_shape {} int64_val: 5 }]",
              "[Tensor<type: int64 shape: []>]");
  check_parse(TN_ATTR_FUNC, false, "{ name: 'f' }", "f[]");
  check_parse(
      TN_ATTR_FUNC, false,
      "{ name: 'f' attr { key: 'T' value { type: DT_FLOAT } } attr: { key: 'n' value: { list "
      "{ i: 1 i: 2 } } } }",
      "f[T=DT_FLOAT, n=[1, 2]]");
  check_parse(TN_ATTR_FUNC, false, "{ attr { key: 'x' value { i: 1 b: true } } }", NULL);
}

TEST(test_a_tensor_default_has_its_values) {
  tn_attr_value value;
  CHECK(tn_attr_value_parse(&value, TN_ATTR_TENSOR, false,
                            tn_view_of("{ dtype: DT_DOUBLE tensor_shape { dim { size: 2 } } "
                                       "double_val: 1.5 double_val: -2.5 }"),
                            NULL));
  const double* elements = tn_tensor_data(value.tensors[0]);
  CHECK(elements[0] == 1.5 && elements[1] == -2.5);
  tn_attr_value_deinit(&value);
}

TEST(test_deep_nesting_is_refused_not_a_stack_overflow) {
  tn_text text = {0};
  for (int i = 0; i < 100000; ++i) tn_text_puts(&text, "{ attr { value { func ");
  tn_attr_value value;
  tn_status status = {0};
  CHECK(!tn_attr_value_parse(&value, TN_ATTR_FUNC, false, tn_text_view(&text), &status));
  CHECK_CONTAINS(tn_status_message(&status), "nested too deep");
  tn_status_deinit(&status);
  tn_text_deinit(&text);

  tn_text bytes = {0};
  for (int i = 0; i < 300; ++i) {  // AttrValue { func { attr { value { ... } } } }, inside out
    static const struct { uint8_t key; } wraps[] = {{0x12}, {0x12}, {0x52}};
    for (size_t k = 0; k < 3; ++k) {
      tn_text wrapped = {0};
      tn_text_putc(&wrapped, (char)wraps[k].key);
      size_t size = bytes.size;
      do {
        tn_text_putc(&wrapped, (char)((size & 0x7f) | (size > 0x7f ? 0x80 : 0)));
      } while (size >>= 7);
      tn_text_append(&wrapped, bytes.data ? bytes.data : "", bytes.size);
      tn_text_deinit(&bytes);
      bytes = wrapped;
    }
  }
  CHECK(!tn_attr_value_decode(&value, tn_text_view(&bytes), &status));
  CHECK_CONTAINS(tn_status_message(&status), "nested");
  tn_text_deinit(&bytes);
  tn_status_deinit(&status);
}

static void check_typed(tn_attr_kind kind, bool is_list, const char* text, const char* expected) {
  tn_status status = {0};
  tn_attr_value value;
  bool parsed = tn_attr_value_parse_typed(&value, kind, is_list, tn_view_of(text), &status);
  if (!expected) {
    if (parsed) test_fail(__FILE__, __LINE__, "accepted '%s'", text);
    CHECK_INT(status.code, TN_INVALID_ARGUMENT);
  } else {
    CHECK_OK(&status);
    char* found = printed(&value);
    CHECK_TEXT(found, expected);
    tn_free(found);
  }
  tn_attr_value_deinit(&value);
  tn_status_deinit(&status);
}

TEST(test_values_as_people_type_them) {
  check_typed(TN_ATTR_STRING, false, "SAME", "\"SAME\"");
  check_typed(TN_ATTR_STRING, false, "'SAME'", "\"SAME\"");
  check_typed(TN_ATTR_STRING, false, "", "\"\"");
  check_typed(TN_ATTR_STRING, true, "a,'b,c',d", "[\"a\", \"b,c\", \"d\"]");
  check_typed(TN_ATTR_TYPE, false, "float32", "DT_FLOAT");
  check_typed(TN_ATTR_TYPE, false, "DT_BFLOAT16", "DT_BFLOAT16");
  check_typed(TN_ATTR_TYPE, true, "float,int64", "[DT_FLOAT, DT_INT64]");
  check_typed(TN_ATTR_TYPE, false, "flaot", NULL);
  check_typed(TN_ATTR_INT, true, "1,2,3", "[1, 2, 3]");
  check_typed(TN_ATTR_INT, true, "[1, 2, 3]", "[1, 2, 3]");
  check_typed(TN_ATTR_INT, true, "", "[]");
  check_typed(TN_ATTR_INT, true, "1,x", NULL);
  check_typed(TN_ATTR_INT, false, "1,2", NULL);
  check_typed(TN_ATTR_INT, false, "1 2", NULL);
  check_typed(TN_ATTR_FLOAT, false, "1e-3", "0.001");
  check_typed(TN_ATTR_BOOL, false, "true", "true");
  check_typed(TN_ATTR_SHAPE, false, "[2,?,3]", "[2,?,3]");
  check_typed(TN_ATTR_SHAPE, false, "[ 2, -1 ]", "[2,?]");
  check_typed(TN_ATTR_SHAPE, false, "[]", "[]");
  check_typed(TN_ATTR_SHAPE, false, "?", "<unknown>");
  check_typed(TN_ATTR_SHAPE, false, "{dim{size:4}}", "[4]");
  check_typed(TN_ATTR_SHAPE, false, "[2,-3]", NULL);
  check_typed(TN_ATTR_SHAPE, false, "2", NULL);
  check_typed(TN_ATTR_SHAPE, true, "[2,3],[4]", "[[2,3], [4]]");
  check_typed(TN_ATTR_SHAPE, true, "[[2,3],?,[]]", "[[2,3], <unknown>, []]");
  check_typed(TN_ATTR_SHAPE, true, "[2,3]", "[[2,3]]");
  check_typed(TN_ATTR_FUNC, false, "my_func", "my_func[]");
}

TEST(test_empty_lists_of_any_kind_are_equal) {
  tn_attr_value ints, strings, any = TN_ATTR_VALUE_NONE;
  any.is_list = true;
  CHECK(tn_attr_value_init(&ints, TN_ATTR_INT, true, NULL, 0, NULL));
  CHECK(tn_attr_value_init(&strings, TN_ATTR_STRING, true, NULL, 0, NULL));
  CHECK(tn_attr_value_equal(&ints, &strings) && tn_attr_value_equal(&ints, &any));
  CHECK(tn_attr_value_hash(&ints, 1) == tn_attr_value_hash(&any, 1));
  tn_attr_value_deinit(&ints);
  tn_attr_value_deinit(&strings);
}

TEST(test_values_that_differ_are_not_equal) {
  int64_t one = 1, two = 2, both[] = {1, 2};
  float nan_value = __builtin_nanf("");
  tn_attr_value a, b, c, d, e;
  CHECK(tn_attr_value_init(&a, TN_ATTR_INT, false, &one, 1, NULL));
  CHECK(tn_attr_value_init(&b, TN_ATTR_INT, false, &two, 1, NULL));
  CHECK(tn_attr_value_init(&c, TN_ATTR_INT, true, &one, 1, NULL));
  CHECK(tn_attr_value_init(&d, TN_ATTR_INT, true, both, 2, NULL));
  CHECK(tn_attr_value_init(&e, TN_ATTR_FLOAT, false, &nan_value, 1, NULL));
  CHECK(!tn_attr_value_equal(&a, &b) && !tn_attr_value_equal(&a, &c) &&
        !tn_attr_value_equal(&c, &d));
  CHECK(tn_attr_value_hash(&a, 0) != tn_attr_value_hash(&b, 0));
  CHECK(tn_attr_value_equal(&e, &e) && !tn_attr_value_equal(&a, &e));
  tn_attr_value* all[] = {&a, &b, &c, &d, &e};
  for (size_t i = 0; i < 5; ++i) tn_attr_value_deinit(all[i]);
}

TEST(test_function_attributes_compare_in_any_order) {
  tn_attr_value a, b;
  const char* first = "{name:'f' attr{key:'x' value{i:1}} attr{key:'y' value{b:true}}}";
  const char* second = "{name:'f' attr{key:'y' value{b:true}} attr{key:'x' value{i:1}}}";
  CHECK(tn_attr_value_parse(&a, TN_ATTR_FUNC, false, tn_view_of(first), NULL));
  CHECK(tn_attr_value_parse(&b, TN_ATTR_FUNC, false, tn_view_of(second), NULL));
  CHECK(tn_attr_value_equal(&a, &b));
  CHECK(tn_attr_value_hash(&a, 3) == tn_attr_value_hash(&b, 3));
  tn_attr_value_deinit(&a);
  tn_attr_value_deinit(&b);
}

static void check_decode(const void* bytes, size_t size, const char* expected) {
  tn_status status = {0};
  tn_attr_value value;
  bool decoded = tn_attr_value_decode(&value, (tn_view){bytes, size}, &status);
  CHECK_INT(decoded, expected != NULL);
  if (decoded) {
    char* found = printed(&value);
    CHECK_TEXT(found, expected);
    tn_free(found);
    tn_attr_value_deinit(&value);
  } else {
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  }
}

TEST(test_foreign_bytes_are_read_or_refused) {
  check_decode("", 0, "<Unknown AttrValue type>");
  check_decode("\x18\x05", 2, "5");
  check_decode("\x18\x05\x28\x01", 4, "true");                // the last of a oneof counts
  check_decode("\x0a\x04\x1a\x02\x01\x02", 6, "[1, 2]");      // packed
  check_decode("\x0a\x04\x18\x01\x18\x02", 6, "[1, 2]");      // not packed
  check_decode("\x0a\x05\x18\x01\x1a\x01\x02", 7, "[1, 2]");  // mixed
  check_decode("\x0a\x00", 2, "[]");
  check_decode("\x0a\x00\x18\x05", 4, "5");
  check_decode("\x18\x05\x0a\x00", 4, "[]");
  check_decode("\x0a\x04\x18\x01\x28\x01", 6, NULL);  // two kinds in one list
  check_decode("\x18", 1, NULL);
  check_decode(
      "\x12\x05"
      "ab",
      4, NULL);
  check_decode("\x12\x00", 2, "\"\"");
  check_decode(
      "\x4a\x03"
      "foo",
      5, "$foo");
  check_decode("\x1a\x02\x01\x02", 4, NULL);     // two values, not a list
  check_decode("\xa0\x06\x01\x18\x05", 5, "5");  // an unknown field first
}

static bool copy_everything(void* arg, tn_status* status) {
  static const struct {
    tn_attr_kind kind;
    bool is_list;
    const char* text;
  } cases[] = {
      {TN_ATTR_STRING, true, "['a', 'b']"},
      {TN_ATTR_SHAPE, true, "[{dim{size:1}},{}]"},
      {TN_ATTR_TENSOR, true, "[{dtype:DT_INT32 tensor_shape{} int_val:1}]"},
      {TN_ATTR_FUNC, false, "{name:'f' attr{key:'x' value{list{s:'a'}}}}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_attr_value value, copy = TN_ATTR_VALUE_NONE;
    if (!tn_attr_value_parse(&value, cases[i].kind, cases[i].is_list, tn_view_of(cases[i].text),
                             status))
      return false;
    tn_attrs attrs = {0}, attrs_copy = {0};
    tn_text bytes = {0};
    bool done =
        tn_attr_value_copy(&copy, &value, status) && tn_attrs_set(&attrs, "a", &value, status) &&
        tn_attrs_set(&attrs, "b", &copy, status) && tn_attrs_set(&attrs, "a", &copy, status) &&
        tn_attrs_copy(&attrs_copy, &attrs, status) &&
        tn_attrs_encode(&attrs_copy, 5, &bytes, status);
    tn_text_deinit(&bytes);
    tn_attrs_deinit(&attrs);
    tn_attrs_deinit(&attrs_copy);
    tn_attr_value_deinit(&copy);
    tn_attr_value_deinit(&value);
    if (!done) return false;
  }
  tn_attr_value typed;
  if (!tn_attr_value_parse_typed(&typed, TN_ATTR_SHAPE, true, tn_view_of("[2],[3]"), status))
    return false;
  tn_attr_value_deinit(&typed);
  return true;
}

TEST(test_texts_longer_than_memory_are_refused_unread) {
  tn_attr_value value;
  tn_status status = {0};
  const tn_view texts[] = {{"a", SIZE_MAX}, {"b", 1}, {"c", SIZE_MAX - 1}};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(!tn_attr_value_init(&value, TN_ATTR_STRING, true, texts, i + 1, &status));
    CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  }
}

TEST(test_every_failed_allocation_of_an_attribute_is_reported) {
  CHECK(test_sweep_allocations(copy_everything, NULL) > 20);
}
