// Answers what TensorFlow is asked by the tests beside it.
//
//   builtin_ask ops                  writes the OpList of all registered ops
//   builtin_ask shapes < questions   writes a line per question: "ok [2,?] <unknown>" or
//                                    "INVALID_ARGUMENT why"
//
// A question is: op; count of attrs, each a name and an AttrValue; count of inputs, each a dtype, a
// TensorShapeProto, a TensorProto (empty: unknown), a TensorShapeProto that a partly known value
// spells (empty: none), the dtype of what a resource holds (0: unknown) and its TensorShapeProto.
// Counts and dtypes are 32-bit little-endian numbers, texts and messages have such a size before.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "op/op_registry.h"
#include "op/shape_inference.h"

static uint32_t read_number(tn_view* in) {
  uint32_t number = 0;
  if (in->size < sizeof number) exit(2);
  memcpy(&number, in->data, sizeof number);
  *in = (tn_view){in->data + sizeof number, in->size - sizeof number};
  return number;
}

static tn_view read_bytes(tn_view* in) {
  size_t size = read_number(in);
  if (in->size < size) exit(2);
  tn_view bytes = {in->data, size};
  *in = (tn_view){in->data + size, in->size - size};
  return bytes;
}

enum { most_inputs = 64 };

typedef struct question {
  const tn_op_def* op;
  tn_attrs attrs;
  uint32_t count;
  tn_dtype types[most_inputs];
  tn_shape shapes[most_inputs], spelled[most_inputs], held[most_inputs];
  tn_tensor* values[most_inputs];
  tn_shape_ref values_as_shapes[most_inputs];
  tn_handle_data handles[most_inputs];
} question;

static bool read_question(tn_view* in, question* q, tn_status* status) {
  *q = (question){0};
  tn_view op = read_bytes(in);
  char* name = tn_strndup(op.data, op.size);
  q->op = tn_op_registry_get(name, status);
  tn_free(name);
  bool ok = q->op;
  for (uint32_t i = read_number(in); i > 0; --i) {
    tn_view key = read_bytes(in), bytes = read_bytes(in);
    char* attr = tn_strndup(key.data, key.size);
    tn_attr_value value = TN_ATTR_VALUE_NONE;
    ok = ok && tn_attr_value_decode(&value, bytes, status) &&
         tn_attrs_set(&q->attrs, attr, &value, status);
    tn_attr_value_deinit(&value);
    tn_free(attr);
  }
  q->count = read_number(in);
  if (q->count > most_inputs) exit(2);
  for (uint32_t i = 0; i < q->count; ++i) {
    q->types[i] = (tn_dtype)read_number(in);
    tn_view shape = read_bytes(in), value = read_bytes(in), spelled = read_bytes(in);
    tn_dtype held_type = (tn_dtype)read_number(in);
    tn_view held = read_bytes(in);
    ok = ok && tn_shape_decode(&q->shapes[i], shape, status) &&
         tn_shape_decode(&q->held[i], held, status) &&
         tn_shape_decode(&q->spelled[i], spelled, status);
    if (ok && value.size) ok = (q->values[i] = tn_tensor_decode(value, status));
    if (spelled.size) q->values_as_shapes[i] = &q->spelled[i];
    if (held_type) q->handles[i] = (tn_handle_data){held_type, &q->held[i]};
  }
  return ok;
}

static void free_question(question* q) {
  tn_attrs_deinit(&q->attrs);
  for (uint32_t i = 0; i < q->count; ++i) {
    tn_shape_deinit(&q->shapes[i]);
    tn_shape_deinit(&q->spelled[i]);
    tn_shape_deinit(&q->held[i]);
    tn_tensor_destroy(q->values[i]);
  }
}

static bool answer(question* q, tn_text* out, tn_status* status) {
  tn_node* node = tn_node_create(q->op, "n", &q->attrs, q->types, q->count, status);
  if (!node) return false;
  tn_inference c;
  bool ok = tn_inference_init(&c, node, q->shapes, (const tn_tensor* const*)q->values, status);
  if (ok) {
    c.values_as_shapes = q->values_as_shapes;
    c.input_handles = q->handles;
    ok = tn_inference_run(&c, status);
    tn_text_puts(out, "ok");
    for (size_t i = 0; ok && i < node->output_count; ++i) {
      tn_text_putc(out, ' ');
      tn_shape_print(c.outputs[i], out);
    }
    tn_inference_deinit(&c);
  }
  tn_node_destroy(node);
  return ok;
}

static void answer_all(tn_view in, tn_status* status) {
  while (in.size) {
    question q;
    tn_text out = {0};
    tn_status_clear(status);
    if (read_question(&in, &q, status) && answer(&q, &out, status)) {
      puts(out.data);
    } else {
      printf("%s %s\n", tn_code_name(tn_status_code(status)), tn_status_message(status));
    }
    tn_text_deinit(&out);
    free_question(&q);
  }
}

int main(int argc, char** argv) {
  tn_status* status = tn_status_create();
  tn_text text = {0};
  if (argc == 2 && strcmp(argv[1], "ops") == 0) {
    if (tn_op_registry_encode(&text, status)) fwrite(text.data, 1, text.size, stdout);
  } else if (argc == 2 && strcmp(argv[1], "shapes") == 0) {
    char buffer[1 << 16];
    for (size_t size; (size = fread(buffer, 1, sizeof buffer, stdin)) > 0;)
      tn_text_append(&text, buffer, size);
    answer_all(tn_text_view(&text), status);
    tn_status_clear(status);
  } else {
    tn_status_set(status, TN_INVALID_ARGUMENT, "usage: builtin_ask ops | shapes");
  }
  int code = tn_report(status);
  tn_text_deinit(&text);
  tn_status_destroy(status);
  return code;
}
