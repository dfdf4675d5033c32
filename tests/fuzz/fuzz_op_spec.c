// Any specs: a definition that survives printing, encoding and being built again, or a status.
// Input: lines "A spec" (attr), "I spec" (input), "O spec" (output).
#include <stdint.h>
#include <stdlib.h>

#include "base/status.h"
#include "op/node.h"
#include "op/op_builder.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static tn_op_def* build(const char* lines, tn_status* status) {
  tn_op_builder* builder = tn_op_builder_create("Fuzzed");
  char *copy = strdup(lines), *rest = copy;
  if (!builder || !copy) abort();
  for (char* line; (line = strsep(&rest, "\n"));) {
    if (line[0] == 'A' && line[1]) tn_op_builder_attr(builder, line + 2);
    if (line[0] == 'I' && line[1]) tn_op_builder_input(builder, line + 2);
    if (line[0] == 'O' && line[1]) tn_op_builder_output(builder, line + 2);
  }
  tn_op_def* op = tn_op_builder_finish(builder, status);
  tn_op_builder_destroy(builder);
  free(copy);
  return op;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* lines = malloc(size + 1);
  if (!lines) abort();
  if (size) memcpy(lines, data, size);
  lines[size] = 0;
  tn_status status = {0};
  tn_op_def* op = build(lines, &status);
  if (!op == tn_ok(&status)) abort();
  if (op) {
    tn_text text = {0}, bytes = {0};
    tn_op_def_print(op, &text);
    if (text.failed || !tn_op_def_encode(op, &bytes, &status)) abort();
    tn_op_def* again = build(lines, &status);
    if (!again || !tn_op_def_equal(op, again)) abort();

    tn_dtype types[8];
    for (size_t count = 0; count <= 8; ++count) {
      for (size_t i = 0; i < count; ++i)
        types[i] = size ? (tn_dtype)(data[i % size] % 34) : TN_FLOAT;
      tn_node* node = tn_node_create(op, NULL, NULL, types, count, &status);
      if (!node == tn_ok(&status)) abort();
      tn_status_clear(&status);
      if (node && (!tn_node_encode(node, &bytes, &status) || node->input_count != count)) abort();
      if (node) tn_node_print(node, &text);
      tn_node_destroy(node);
    }
    tn_text_deinit(&text);
    tn_text_deinit(&bytes);
    tn_op_def_destroy(again);
    tn_op_def_destroy(op);
  }
  tn_status_deinit(&status);
  free(lines);
  return 0;
}
