#include "kernel/construction.h"

#include "kernel_testing.h"

static void (*ask)(tn_construction* construction);

static void* run_ask(tn_construction* construction) {
  ask(construction);
  return NULL;
}

// Makes a kernel whose create function is `body`, for an op with one attr of each type.
static void construct(void (*body)(tn_construction*)) {
  const tn_op_def* op = given_op(
      "Attrs", "attr s: string = 'bunny'", "attr i: int = 1234", "attr f: float = 2.5",
      "attr b: bool = true", "attr t: type = DT_HALF",
      "attr sh: shape = { dim { size: 2 } dim { size: 3 } }",
      "attr part: shape = { dim { size: -1 } }", "attr any: shape = { unknown_rank: true }",
      "attr te: tensor = { dtype: DT_INT32 tensor_shape {} int_val: 7 }",
      "attr fn: func = { name: 'g' }", "attr big: int = 4294967296",
      "attr ls: list(string) = ['bugs', 'bunny', 'duck']", "attr li: list(int) = [1, 2, 3, 4]",
      "attr lf: list(float) = [0.5, 1.5]", "attr lb: list(bool) = [true, false]",
      "attr lt: list(type) = [DT_FLOAT, DT_INT32]",
      "attr lsh: list(shape) = [{ dim { size: 2 } dim { size: 3 } }, { unknown_rank: true }, { dim "
      "{ size: 1 } }]",
      "attr lte: list(tensor) = [{ dtype: DT_INT32 tensor_shape {} int_val: 1 }, { dtype: DT_FLOAT "
      "tensor_shape {} float_val: 2 }]",
      "attr none: list(int) = []", NULL);
  ask = body;
  tn_kernel_functions functions = {.create = run_ask, .compute = compute_nothing};
  register_builder(tn_kernel_builder_create("Attrs", "CPU", &functions), "Attrs");
  tn_kernel_instance_destroy(instance_of(node_of(op, NULL, NULL, 0)));
}

static void ask_sizes(tn_construction* c) {
  static const struct {
    const char* attr;
    int32_t list_size, total_size;
  } cases[] = {{"s", -1, 5},   {"i", -1, -1},   {"f", -1, -1},  {"b", -1, -1},  {"t", -1, -1},
               {"sh", -1, 2},  {"any", -1, -1}, {"te", -1, -1}, {"fn", -1, -1}, {"ls", 3, 13},
               {"li", 4, -1},  {"lf", 2, -1},   {"lb", 2, -1},  {"lt", 2, -1},  {"lsh", 3, 3},
               {"lte", 2, -1}, {"none", 0, -1}};
  tn_status status = {0};
  int32_t list_size, total_size;
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    CHECK(tn_construction_attr_size(c, cases[i].attr, &list_size, &total_size, &status));
    if (list_size != cases[i].list_size || total_size != cases[i].total_size)
      test_fail(__FILE__, __LINE__, "%s: %d, %d", cases[i].attr, list_size, total_size);
  }
  CHECK(!tn_construction_attr_size(c, "nothing", &list_size, &total_size, &status));
  CHECK_TEXT(tn_status_message(&status), "Operation 'node' has no attr named 'nothing'.");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(list_size, -1);
  CHECK_INT(total_size, -1);
  CHECK(tn_construction_has_attr(c, "s"));
  CHECK(!tn_construction_has_attr(c, "nothing"));
  CHECK_TEXT(tn_construction_name(c).data, "node");
}

TEST(test_attr_sizes_are_those_of_tensorflow) { construct(ask_sizes); }

static void ask_values(tn_construction* c) {
  tn_status status = {0};
  char text[8] = "........";
  CHECK(tn_construction_string(c, "s", text, 8, &status));
  CHECK(memcmp(text, "bunny...", 8) == 0);  // no NUL is added
  CHECK(tn_construction_string(c, "s", text, 3, &status));
  CHECK(tn_construction_string(c, "s", NULL, 0, &status));
  int32_t small = 0;
  int64_t large = 0;
  CHECK(tn_construction_int32(c, "i", &small, &status) && small == 1234);
  CHECK(tn_construction_int64(c, "i", &large, &status) && large == 1234);
  CHECK(tn_construction_int64(c, "big", &large, &status) && large == 4294967296);
  CHECK(!tn_construction_int32(c, "big", &small, &status));
  CHECK_TEXT(tn_status_message(&status), "Attr big has value 4294967296 out of range for an int32");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  float f = 0;
  unsigned char b = 7;
  tn_dtype type = TN_INVALID;
  CHECK(tn_construction_float(c, "f", &f, &status) && f == 2.5f);
  CHECK(tn_construction_bool(c, "b", &b, &status) && b == 1);
  CHECK(tn_construction_type(c, "t", &type, &status) && type == TN_HALF);
  tn_tensor* tensor = tn_construction_tensor(c, "te", &status);
  CHECK_INT(*(int32_t*)tn_tensor_data(tensor), 7);
  tn_tensor_destroy(tensor);
  int64_t dims[2] = {0};
  CHECK(tn_construction_shape(c, "sh", dims, 2, &status));
  CHECK_INT(dims[0], 2);
  CHECK_INT(dims[1], 3);
  CHECK(!tn_construction_shape(c, "sh", dims, 3, &status));
  CHECK_TEXT(tn_status_message(&status), "Expected rank is 3 but actual rank is 2");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_shape(c, "part", dims, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_OK(&status);
}

TEST(test_single_values_are_read_by_type) { construct(ask_values); }

static void ask_lists(tn_construction* c) {
  tn_status status = {0};
  int32_t small[4] = {0};
  int64_t large[2] = {0};
  float f[2] = {0};
  unsigned char b[2] = {9, 9};
  tn_dtype types[3] = {0};
  tn_tensor* tensors[2];
  CHECK(tn_construction_int32_list(c, "li", small, 4, &status) && small[3] == 4);
  CHECK(tn_construction_int64_list(c, "li", large, 2, &status) && large[1] == 2);
  CHECK(tn_construction_float_list(c, "lf", f, 2, &status) && f[1] == 1.5f);
  CHECK(tn_construction_bool_list(c, "lb", b, 2, &status) && b[0] == 1 && b[1] == 0);
  CHECK(tn_construction_type_list(c, "lt", types, 3, &status) && types[1] == TN_INT32);
  CHECK(tn_construction_tensor_list(c, "lte", tensors, 2, &status));
  CHECK_INT(tn_tensor_dtype(tensors[1]), TN_FLOAT);
  tn_tensor_destroy(tensors[0]);
  tn_tensor_destroy(tensors[1]);
  CHECK(tn_construction_int32_list(c, "li", NULL, 0, &status));
  CHECK(tn_construction_int32_list(c, "li", NULL, -1, &status));

  char *texts[3], storage[13];
  size_t sizes[3];
  CHECK(tn_construction_string_list(c, "ls", texts, sizes, 3, storage, 13, &status));
  CHECK(texts[0] == storage && sizes[0] == 4 && memcmp(texts[2], "duck", 4) == 0);
  CHECK(!tn_construction_string_list(c, "ls", texts, sizes, 3, storage, 12, &status));
  CHECK_TEXT(tn_status_message(&status),
             "Not enough storage to hold the requested list of strings");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(tn_construction_string_list(c, "ls", texts, sizes, 2, storage, 9, &status));
  CHECK(!tn_construction_string_list(c, "ls", texts, sizes, 2, NULL, 9, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);

  // An empty list passes as a list of anything.
  CHECK(tn_construction_float_list(c, "none", f, 2, &status));
  CHECK(tn_construction_string_list(c, "none", texts, sizes, 3, storage, 0, &status));
  CHECK_OK(&status);
}

TEST(test_lists_are_written_as_far_as_there_is_room) { construct(ask_lists); }

static void ask_wrongly(tn_construction* c) {
  tn_status status = {0};
  int32_t i;
  float f[2];
  CHECK(!tn_construction_int32(c, "f", &i, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "AttrValue had value with type 'float' when 'int' expected");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_int32(c, "li", &i, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "AttrValue had value with type 'list(int)' when 'int' expected");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_int32(c, "nothing", &i, &status));
  CHECK_CONTAINS(tn_status_message(&status), "No attr named 'nothing' in NodeDef");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_float_list(c, "f", f, 2, &status));
  CHECK_TEXT(tn_status_message(&status), "Attribute 'f' is not a list.");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_float_list(c, "li", f, 2, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "AttrValue had value with type 'list(int)' when 'list(float)' expected");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_float_list(c, "nothing", f, 2, &status));
  CHECK_TEXT(tn_status_message(&status), "Operation 'node' has no attr named 'nothing'.");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);

  CHECK(!tn_construction_int32(NULL, "i", &i, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_int32(c, NULL, &i, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_int32(c, "i", NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_float_list(c, "lf", NULL, 2, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_attr_size(c, "i", NULL, &i, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_tensor(NULL, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_construction_node_def(NULL, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_construction_name(NULL).size, 0);
  CHECK(!tn_construction_has_attr(NULL, NULL));
}

TEST(test_a_missing_attr_another_type_and_missing_arguments_are_invalid) { construct(ask_wrongly); }

static void ask_bytes(tn_construction* c) {
  tn_status status = {0};
  tn_text bytes = {0};
  CHECK(tn_construction_function(c, "fn", &bytes, &status));
  CHECK_INT(bytes.size, 3);
  CHECK(memcmp(bytes.data, "\x0a\x01g", 3) == 0);
  tn_text_deinit(&bytes);
  CHECK(tn_construction_node_def(c, &bytes, &status));
  CHECK(memcmp(bytes.data,
               "\x0a\x04node\x12\x05"
               "Attrs",
               13) == 0);
  tn_text_deinit(&bytes);
  CHECK(!tn_construction_function(c, "i", &bytes, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}

TEST(test_functions_and_the_node_itself_come_as_bytes) { construct(ask_bytes); }
