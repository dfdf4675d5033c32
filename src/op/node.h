// One use of an op: attributes complete, argument types known. What kernels are chosen for and made
// from.
#ifndef TENON_OP_NODE_H_
#define TENON_OP_NODE_H_

#include "op/op_def.h"

typedef struct tn_node {
  char* name;
  char* device;  // "" or a device name
  const tn_op_def* op;
  tn_attrs attrs;
  char** input_names;  // of the nodes that feed it; NULL when nobody said
  // Flattened arguments: types, and where each argument of the op begins (count + 1 entries).
  size_t input_count, output_count;
  tn_dtype* input_types;
  tn_dtype* output_types;
  uint32_t* input_starts;
  uint32_t* output_starts;
} tn_node;

// Makes a node of `op` with copies of `attrs` (may be NULL). Types and list lengths that attrs
// leave open are inferred from `input_types`, remaining ones from defaults; then every attr is
// checked against its definition (missing, type, minimum, allowed values) and the inputs against
// the op. A list argument whose length nobody gave takes what the other arguments leave. Attrs that
// the op does not have are errors unless they begin with '_'. Owned by the caller until
// tn_node_destroy.
tn_node* tn_node_create(const tn_op_def* op, const char* name, const tn_attrs* attrs,
                        const tn_dtype* input_types, size_t input_count, tn_status* status);
void tn_node_destroy(tn_node* node);

// Copies. `names` are node->input_count of them, or NULL for "nobody said".
bool tn_node_set_device(tn_node* node, const char* device, tn_status* status);
bool tn_node_set_input_names(tn_node* node, const char* const* names, tn_status* status);

// The flattened range [start, stop) of a named input or output; false when there is none.
bool tn_node_input_range(const tn_node* node, const char* arg, int* out_start, int* out_stop);
bool tn_node_output_range(const tn_node* node, const char* arg, int* out_start, int* out_stop);

// NodeDef.
bool tn_node_encode(const tn_node* node, tn_text* out, tn_status* status);
// "{{node x}} = MatMul[T=DT_FLOAT, transpose_a=false](a, b)", for messages.
void tn_node_print(const tn_node* node, tn_text* out);

#endif  // TENON_OP_NODE_H_
