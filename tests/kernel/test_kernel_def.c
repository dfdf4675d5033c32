#include "kernel_testing.h"

static tn_kernel_def full_def(void) {
  tn_kernel_def def = {.priority = 9};
  CHECK(tn_kernel_def_set(&def.op, tn_view_of("MatMul")));
  CHECK(tn_kernel_def_set(&def.device_type, tn_view_of("GPU")));
  CHECK(tn_kernel_def_set(&def.label, tn_view_of("fast")));
  tn_constraint* t = tn_kernel_def_add_constraint(&def, tn_view_of("T"));
  CHECK(tn_attr_value_init(&t->allowed, TN_ATTR_TYPE, true, (tn_dtype[]){TN_FLOAT, TN_HALF}, 2,
                           NULL));
  t = tn_kernel_def_add_constraint(&def, tn_view_of("U"));
  CHECK(tn_attr_value_init(&t->allowed, TN_ATTR_TYPE, true, (tn_dtype[]){TN_INT32}, 1, NULL));
  CHECK(tn_kernel_def_add_host_memory(&def, tn_view_of("shape")));
  CHECK(tn_kernel_def_add_host_memory(&def, tn_view_of("axis")));
  return def;
}

// The bytes that TensorFlow's own protobuf writes for it.
static const char full_bytes[] =
    "\x0a\x06MatMul\x12\x03GPU"
    "\x1a\x0b\x0a\x01T\x12\x06\x0a\x04\x32\x02\x01\x13"
    "\x1a\x0a\x0a\x01U\x12\x05\x0a\x03\x32\x01\x03"
    "\x22\x05shape\x22\x04"
    "axis\x2a\x04"
    "fast\x30\x09";

TEST(test_a_definition_is_written_as_protobuf_writes_it) {
  tn_kernel_def def = full_def();
  tn_text bytes = {0};
  tn_kernel_def_encode(&def, &bytes);
  CHECK_INT(bytes.size, sizeof full_bytes - 1);
  CHECK(memcmp(bytes.data, full_bytes, bytes.size) == 0);
  tn_text_deinit(&bytes);
  tn_kernel_def_deinit(&def);
}

TEST(test_a_definition_is_read_back_and_printed) {
  tn_status status = {0};
  tn_kernel_def def, copy;
  CHECK(tn_kernel_def_decode(&def, (tn_view){full_bytes, sizeof full_bytes - 1}, &status));
  CHECK(tn_kernel_def_copy(&copy, &def, &status));
  tn_kernel_def_deinit(&def);
  tn_text text = {0};
  tn_kernel_def_print(&copy, &text);
  CHECK_TEXT(text.data, "device='GPU'; label='fast'; T in [DT_FLOAT, DT_HALF]; U in [DT_INT32]");
  CHECK_INT(copy.priority, 9);
  CHECK_TEXT(copy.host_memory_args[1], "axis");
  tn_text_deinit(&text);
  tn_kernel_def_deinit(&copy);
}

TEST(test_an_empty_definition_has_empty_names) {
  tn_kernel_def def;
  CHECK(tn_kernel_def_decode(&def, (tn_view){"", 0}, NULL));
  CHECK_TEXT(def.op, "");
  CHECK_TEXT(def.device_type, "");
  CHECK_TEXT(def.label, "");
  tn_text bytes = {0};
  tn_kernel_def_encode(&def, &bytes);
  CHECK_INT(bytes.size, 0);
  tn_text_deinit(&bytes);
  tn_kernel_def_deinit(&def);
}

static bool decode_and_write(void* arg, tn_status* status) {
  tn_kernel_def def, copy;
  if (!tn_kernel_def_decode(&def, (tn_view){full_bytes, sizeof full_bytes - 1}, status))
    return false;
  bool done = tn_kernel_def_copy(&copy, &def, status);
  tn_kernel_def_deinit(&def);
  if (!done) return false;
  tn_text text = {0};
  tn_kernel_def_encode(&copy, &text);
  tn_kernel_def_print(&copy, &text);
  done = !text.failed;
  if (!done) tn_status_set(status, TN_RESOURCE_EXHAUSTED, "written in part");
  tn_text_deinit(&text);
  tn_kernel_def_deinit(&copy);
  return done;
}

TEST(test_definitions_survive_every_failing_allocation) {
  CHECK(test_sweep_allocations(decode_and_write, NULL) > 15);
}
