// Strings: joining, splitting, searching, converting.
#include "op/builtin/family.h"

// Scalars join with every element of the rest.
static void join_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref out = tn_infer_unknown(c);
  bool all_scalars = true;
  for (int i = 0; out && i < (int)c->node->input_count; ++i) {
    tn_shape_ref input = tn_infer_input(c, i);
    all_scalars = all_scalars && input->rank == 0;
    if (input->rank > 0) out = tn_infer_merge(c, out, input, status);
  }
  tn_infer_set_output(c, 0, all_scalars ? tn_infer_scalar(c) : out);
}

// A sparse matrix: indices, values, shape.
static void split_shape(tn_inference* c, tn_status* status) {
  if (!tn_shapes_input_rank(c, 0, 1, status) || !tn_shapes_input_rank(c, 1, 0, status)) return;
  tn_infer_set_output(c, 0, tn_infer_make(c, (int64_t[]){-1, 2}, 2, status));
  tn_infer_set_output(c, 1, tn_infer_vector(c, -1, status));
  tn_infer_set_output(c, 2, tn_infer_vector(c, 2, status));
}

static void substr_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref pos = tn_infer_input(c, 1), len = tn_infer_input(c, 2);
  if (tn_infer_rank_known(len) && !tn_infer_with_rank(c, pos, len->rank, status)) return;
  // As in TensorFlow, an unknown dimension matches only an unknown one.
  for (int i = 0; i < pos->rank; ++i) {
    if (tn_infer_dim(pos, i) == tn_infer_dim(len, i)) continue;
    tn_shapes_fail(status, "pos and len must have the same shape, but differ in dimension %d", i);
    return;
  }
  tn_shapes_broadcast(c, status);
}

// Like input 0; the others (pattern, rewrite) are scalars.
static void regex_shape(tn_inference* c, tn_status* status) {
  for (int i = 1; i < (int)c->node->input_count; ++i)
    if (!tn_shapes_input_rank(c, i, 0, status)) return;
  tn_infer_set_output(c, 0, tn_infer_input(c, 0));
}

static void format_shape(tn_inference* c, tn_status* status) {
  tn_view template, placeholder;
  if (!tn_infer_attr_string(c, "template", &template, status) ||
      !tn_infer_attr_string(c, "placeholder", &placeholder, status))
    return;
  size_t count = 0;
  for (const char *at = template.data, *end = at + template.size, *hit; placeholder.size;) {
    hit = memmem(at, (size_t)(end - at), placeholder.data, placeholder.size);
    if (!hit) break;
    ++count;
    at = hit + placeholder.size;
  }
  if (count != c->node->input_count)
    tn_shapes_fail(status, "the template has %zu placeholders for %zu inputs", count,
                   c->node->input_count);
  else
    tn_infer_set_output(c, 0, tn_infer_scalar(c));
}

static void decode_raw_shape(tn_inference* c, tn_status* status) {
  tn_infer_set_output(
      c, 0, tn_infer_concatenate(c, tn_infer_input(c, 0), tn_infer_vector(c, -1, status), status));
}

#define UNIT "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"

const tn_builtin_op tn_string_ops[] = {
    {"StringJoin", "inputs: N * string", "output: string", "N: int >= 0; separator: string = ''",
     join_shape},
    {"ReduceJoin", "inputs: string; reduction_indices: int32", "output: string",
     "keep_dims: bool = false; separator: string = ''", tn_shapes_reduce},
    {"StringSplit", "input: string; delimiter: string",
     "indices: int64; values: string; shape: int64", "skip_empty: bool = true", split_shape},
    {"StringSplitV2", "input: string; sep: string", "indices: int64; values: string; shape: int64",
     "maxsplit: int = -1", split_shape},
    {"Substr", "input: string; pos: T; len: T", "output: string", "T: " INDEX "; " UNIT,
     substr_shape},
    {"StringLength", "input: string", "output: int32", UNIT, tn_shapes_like_input},
    {"StringLower StringUpper", "input: string", "output: string", "encoding: string = ''",
     tn_shapes_like_input},
    {"StringStrip DecodeBase64", "input: string", "output: string", "", tn_shapes_like_input},
    {"EncodeBase64", "input: string", "output: string", "pad: bool = false", tn_shapes_like_input},
    {"RegexReplace", "input: string; pattern: string; rewrite: string", "output: string",
     "replace_global: bool = true", regex_shape},
    {"StaticRegexReplace", "input: string", "output: string",
     "pattern: string; rewrite: string; replace_global: bool = true", tn_shapes_like_input},
    {"RegexFullMatch", "input: string; pattern: string", "output: bool", "", regex_shape},
    {"StaticRegexFullMatch", "input: string", "output: bool", "pattern: string",
     tn_shapes_like_input},
    {"StringToHashBucket", "string_tensor: string", "output: int64", "num_buckets: int >= 1",
     tn_shapes_like_input},
    {"StringToHashBucketFast", "input: string", "output: int64", "num_buckets: int >= 1",
     tn_shapes_like_input},
    {"StringToHashBucketStrong", "input: string", "output: int64",
     "num_buckets: int >= 1; key: list(int)", tn_shapes_like_input},
    {"StringToNumber", "string_tensor: string", "output: out_type",
     "out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT", tn_shapes_like_input},
    {"AsString", "input: T", "output: string",
     "T: {realnumbertype, complex64, complex128, bool, variant, string}; precision: int = -1; "
     "scientific: bool = false; shortest: bool = false; width: int = -1; fill: string = ''",
     tn_shapes_like_input},
    {"StringFormat", "inputs: T", "output: string",
     "T: list(type) >= 0; template: string = '%s'; placeholder: string = '%s'; summarize: int = 3",
     format_shape},
    {"DecodeRaw", "bytes: string", "output: out_type",
     "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, "
     "complex128, bool, bfloat16}; little_endian: bool = true",
     decode_raw_shape},
    {0},
};
