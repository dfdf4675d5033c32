#include "op/shape_inference.h"

#include <inttypes.h>

#include "base/status.h"

static const tn_shape unknown_shape = {.rank = -1};
static const tn_shape scalar_shape = {.rank = 0};

static bool init_in(tn_inference* c, tn_arena arena, const tn_node* node, const tn_shape* inputs,
                    const tn_tensor* const* values, tn_status* status) {
  *c = (tn_inference){.node = node, .values = values, .arena = arena};
  c->inputs = tn_arena_alloc(&c->arena, node->input_count * sizeof(tn_shape_ref));
  c->outputs = tn_arena_alloc(&c->arena, node->output_count * sizeof(tn_shape_ref));
  c->output_handles = tn_arena_alloc(&c->arena, node->output_count * sizeof *c->output_handles);
  if (!c->inputs || !c->outputs || !c->output_handles) {
    tn_inference_deinit(c);
    tn_status_set_no_memory(status, "inferring shapes");
    return false;
  }
  // A known value knows its own shape best, and shape functions rely on the two to agree.
  for (size_t i = 0; i < node->input_count; ++i)
    c->inputs[i] = values && values[i] ? &values[i]->shape : &inputs[i];
  return true;
}

bool tn_inference_init(tn_inference* c, const tn_node* node, const tn_shape* inputs,
                       const tn_tensor* const* values, tn_status* status) {
  return init_in(c, (tn_arena){0}, node, inputs, values, status);
}

void tn_inference_deinit(tn_inference* c) { tn_arena_deinit(&c->arena); }

static void print_shape(tn_shape_ref shape, tn_text* out) {
  if (shape->rank < 0) {
    tn_text_putc(out, '?');
  } else {
    tn_shape_print(shape, out);
  }
}

// What failed says for which node and shapes, as TensorFlow words it.
static void add_context(const tn_inference* c, tn_status* status) {
  tn_text text = {0};
  tn_text_puts(&text, " for '");
  tn_node_print(c->node, &text);
  tn_text_puts(&text, "' with input shapes: ");
  for (size_t i = 0; i < c->node->input_count; ++i) {
    if (i) tn_text_puts(&text, ", ");
    print_shape(c->inputs[i], &text);
  }
  tn_text_putc(&text, '.');
  if (!text.failed)
    tn_status_set(status, tn_status_code(status), "%s%s", tn_status_message(status), text.data);
  tn_text_deinit(&text);
}

bool tn_inference_run(tn_inference* c, tn_status* status) {
  tn_status problem = {0};
  if (c->node->op->shape_function) c->node->op->shape_function(c, &problem);
  bool inferred = tn_ok(&problem);
  for (size_t i = 0; i < c->node->output_count; ++i)
    if (!c->outputs[i]) c->outputs[i] = &unknown_shape;
  if (!inferred) {
    add_context(c, &problem);
    tn_status_copy(status, &problem);
  }
  tn_status_deinit(&problem);
  return inferred;
}

bool tn_infer_shapes(const tn_node* node, const tn_shape* inputs, const tn_tensor* const* values,
                     tn_shape* out_shapes, tn_status* status) {
  // Enough for most ops, so that running one allocates nothing here.
  _Alignas(max_align_t) char room[2048];
  tn_arena arena = {.at = room, .left = sizeof room};
  tn_inference c;
  if (!init_in(&c, arena, node, inputs, values, status)) return false;
  size_t copied = 0;
  bool inferred = tn_inference_run(&c, status);
  while (inferred && copied < node->output_count) {
    inferred = tn_shape_copy(&out_shapes[copied], c.outputs[copied], status);
    copied += inferred;
  }
  while (!inferred && copied > 0) tn_shape_deinit(&out_shapes[--copied]);
  tn_inference_deinit(&c);
  return inferred;
}

tn_shape_ref tn_infer_input(tn_inference* c, int i) {
  return i >= 0 && (size_t)i < c->node->input_count ? c->inputs[i] : NULL;
}

void tn_infer_set_output(tn_inference* c, int i, tn_shape_ref shape) {
  if (shape && i >= 0 && (size_t)i < c->node->output_count) c->outputs[i] = shape;
}

const tn_handle_data* tn_infer_handle(tn_inference* c, int i) {
  if (!c->input_handles || i < 0 || (size_t)i >= c->node->input_count) return NULL;
  return c->input_handles[i].shape ? &c->input_handles[i] : NULL;
}

void tn_infer_set_handle(tn_inference* c, int i, tn_dtype dtype, tn_shape_ref shape) {
  if (shape && i >= 0 && (size_t)i < c->node->output_count)
    c->output_handles[i] = (tn_handle_data){dtype, shape};
}

tn_shape_ref tn_infer_unknown(tn_inference* c) { return &unknown_shape; }
tn_shape_ref tn_infer_scalar(tn_inference* c) { return &scalar_shape; }

// A shape whose dimensions the caller writes before anyone else sees it.
static tn_shape* new_shape(tn_inference* c, int64_t rank, int64_t** out_dims, tn_status* status) {
  if (rank < 0 || rank > TN_MAX_RANK) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "a shape of rank %" PRId64 "; ranks go from 0 to %d",
                  rank, TN_MAX_RANK);
    return NULL;
  }
  tn_shape* shape = tn_arena_alloc(&c->arena, sizeof *shape);
  int64_t* large = NULL;
  if (shape && rank > TN_SMALL_RANK)
    large = tn_arena_alloc(&c->arena, (size_t)rank * sizeof *large);
  if (!shape || (rank > TN_SMALL_RANK && !large)) {
    tn_status_set_no_memory(status, "inferring shapes");
    return NULL;
  }
  shape->rank = (int32_t)rank;
  if (large) shape->large = large;
  *out_dims = large ? large : shape->small;
  return shape;
}

tn_shape_ref tn_infer_make(tn_inference* c, const int64_t* dims, int64_t rank, tn_status* status) {
  if (rank == -1) return &unknown_shape;
  int64_t* into;
  tn_shape* shape = new_shape(c, rank, &into, status);
  for (int64_t i = 0; shape && i < rank; ++i) {
    if (dims[i] < -1) {
      tn_status_set(status, TN_INVALID_ARGUMENT, "dimension %" PRId64 " of a shape is %" PRId64, i,
                    dims[i]);
      return NULL;
    }
    into[i] = dims[i];
  }
  return shape;
}

tn_shape_ref tn_infer_unknown_of_rank(tn_inference* c, int64_t rank, tn_status* status) {
  if (rank == -1) return &unknown_shape;
  int64_t* dims;
  tn_shape* shape = new_shape(c, rank, &dims, status);
  for (int64_t i = 0; shape && i < rank; ++i) dims[i] = -1;
  return shape;
}

tn_shape_ref tn_infer_vector(tn_inference* c, int64_t size, tn_status* status) {
  return tn_infer_make(c, &size, 1, status);
}

int64_t tn_infer_dim(tn_shape_ref shape, int64_t i) {
  if (!shape || shape->rank < 0) return -1;
  if (i < 0) i += shape->rank;
  return i >= 0 && i < shape->rank ? tn_shape_dims(shape)[i] : -1;
}

// True when the rank is within reason; TensorFlow's text when it is not.
static bool check_rank(int64_t rank, tn_status* status) {
  if (rank <= INT32_MAX) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "Rank cannot exceed kint32max");
  return false;
}

static tn_shape_ref fail_rank(tn_shape_ref shape, const char* bound, int64_t rank,
                              tn_status* status) {
  tn_status_set(status, TN_INVALID_ARGUMENT, "Shape must be %srank %" PRId64 " but is rank %d",
                bound, rank, shape->rank);
  return NULL;
}

tn_shape_ref tn_infer_with_rank(tn_inference* c, tn_shape_ref shape, int64_t rank,
                                tn_status* status) {
  if (!shape || !check_rank(rank, status)) return NULL;
  if (shape->rank == -1) return tn_infer_unknown_of_rank(c, rank, status);
  return shape->rank == rank ? shape : fail_rank(shape, "", rank, status);
}

tn_shape_ref tn_infer_with_rank_at_least(tn_inference* c, tn_shape_ref shape, int64_t rank,
                                         tn_status* status) {
  if (!shape || !check_rank(rank, status)) return NULL;
  return shape->rank == -1 || shape->rank >= rank ? shape
                                                  : fail_rank(shape, "at least ", rank, status);
}

tn_shape_ref tn_infer_with_rank_at_most(tn_inference* c, tn_shape_ref shape, int64_t rank,
                                        tn_status* status) {
  if (!shape || !check_rank(rank, status)) return NULL;
  return shape->rank <= rank || shape->rank == -1 ? shape
                                                  : fail_rank(shape, "at most ", rank, status);
}

static void fail_merge(tn_shape_ref a, tn_shape_ref b, int i, tn_status* status) {
  tn_text text = {0};
  tn_text_printf(&text,
                 "Dimension %d in both shapes must be equal, but are %" PRId64 " and %" PRId64
                 ". Shapes are ",
                 i, tn_shape_dims(a)[i], tn_shape_dims(b)[i]);
  tn_shape_print(a, &text);
  tn_text_puts(&text, " and ");
  tn_shape_print(b, &text);
  tn_text_putc(&text, '.');
  tn_status_set(status, TN_INVALID_ARGUMENT, "%s", text.data ? text.data : "");
  tn_text_deinit(&text);
}

tn_shape_ref tn_infer_merge(tn_inference* c, tn_shape_ref a, tn_shape_ref b, tn_status* status) {
  if (!a || !b) return NULL;
  if (a == b || b->rank == -1) return a;
  if (a->rank == -1) return b;
  if (a->rank != b->rank) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "Shapes must be equal rank, but are %d and %d",
                  a->rank, b->rank);
    return NULL;
  }
  int64_t* dims;
  tn_shape* merged = new_shape(c, a->rank, &dims, status);
  for (int i = 0; merged && i < a->rank; ++i) {
    if (!tn_infer_merge_dim(tn_shape_dims(a)[i], tn_shape_dims(b)[i], &dims[i], NULL)) {
      fail_merge(a, b, i, status);
      return NULL;
    }
  }
  return merged;
}

tn_shape_ref tn_infer_merge_prefix(tn_inference* c, tn_shape_ref shape, tn_shape_ref prefix,
                                   tn_status* status) {
  if (!shape || !prefix) return NULL;
  if (shape->rank == -1 || prefix->rank == -1) return shape;
  if (!tn_infer_with_rank_at_least(c, shape, prefix->rank, status)) return NULL;
  int64_t* dims;
  tn_shape* merged = new_shape(c, shape->rank, &dims, status);
  for (int i = 0; merged && i < shape->rank; ++i) {
    dims[i] = tn_shape_dims(shape)[i];
    if (i < prefix->rank &&
        !tn_infer_merge_dim(dims[i], tn_shape_dims(prefix)[i], &dims[i], status))
      return NULL;
  }
  return merged;
}

// A position that may count from the end, or lie past it; false and a status when before the start.
static bool place(int64_t at, int64_t rank, const char* what, int64_t* out_at, tn_status* status) {
  *out_at = at > rank ? rank : at < 0 ? rank + at : at;
  if (*out_at >= 0) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "Subshape %s out of bounds: %" PRId64 ", for shape with rank %" PRId64, what, at,
                rank);
  return false;
}

tn_shape_ref tn_infer_subshape(tn_inference* c, tn_shape_ref shape, int64_t start, int64_t end,
                               tn_status* status) {
  if (!shape || shape->rank == -1) return shape;
  int64_t rank = shape->rank, from, to;
  if (start == 0 && end >= rank) return shape;
  if (!place(start, rank, "start", &from, status) || !place(end, rank, "end", &to, status))
    return NULL;
  if (from > to) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "Subshape must have computed start <= end, but is %" PRId64 " and %" PRId64
                  " (computed from start %" PRId64 " and end %" PRId64
                  " over shape with rank %" PRId64 ")",
                  from, to, start, end, rank);
    return NULL;
  }
  return tn_infer_make(c, tn_shape_dims(shape) + from, to - from, status);
}

tn_shape_ref tn_infer_concatenate(tn_inference* c, tn_shape_ref a, tn_shape_ref b,
                                  tn_status* status) {
  if (!a || !b) return NULL;
  if (a->rank == -1 || b->rank == -1) return &unknown_shape;
  int64_t* dims;
  tn_shape* joined = new_shape(c, (int64_t)a->rank + b->rank, &dims, status);
  for (int i = 0; joined && i < a->rank; ++i) dims[i] = tn_shape_dims(a)[i];
  for (int i = 0; joined && i < b->rank; ++i) dims[a->rank + i] = tn_shape_dims(b)[i];
  return joined;
}

tn_shape_ref tn_infer_replace_dim(tn_inference* c, tn_shape_ref shape, int64_t i, int64_t dim,
                                  tn_status* status) {
  if (!shape || shape->rank == -1) return shape;
  int64_t at = i < 0 ? i + shape->rank : i;
  if (at < 0 || at >= shape->rank) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "Out of range dim_index %" PRId64 " for shape with %d dimensions", i,
                  shape->rank);
    return NULL;
  }
  int64_t* dims;
  tn_shape* replaced = new_shape(c, shape->rank, &dims, status);
  if (!replaced) return NULL;
  memcpy(dims, tn_shape_dims(shape), (size_t)shape->rank * sizeof *dims);
  dims[at] = dim < 0 ? -1 : dim;
  return replaced;
}

// One dimension of a broadcast. An unknown one may be 1 or fit the other: a known size above 1
// wins, a 1 leaves it unknown.
static bool broadcast_dim(int64_t a, int64_t b, int64_t* out_dim, tn_status* status) {
  *out_dim = -1;
  if (a == -1 || b == -1) {
    if (a > 1 || b > 1) *out_dim = a > 1 ? a : b;
    return true;
  }
  if (a == 1 || b == 1) {
    *out_dim = a == 1 ? b : a;
    return true;
  }
  return tn_infer_merge_dim(a, b, out_dim, status);
}

tn_shape_ref tn_infer_broadcast(tn_inference* c, tn_shape_ref a, tn_shape_ref b,
                                tn_status* status) {
  if (!a || !b) return NULL;
  if (a->rank == -1 || b->rank == -1) return &unknown_shape;
  int rank = a->rank > b->rank ? a->rank : b->rank;
  int64_t* dims;
  tn_shape* result = new_shape(c, rank, &dims, status);
  for (int i = 0; result && i < rank; ++i) {
    int in_a = i - (rank - a->rank), in_b = i - (rank - b->rank);
    int64_t from_a = in_a < 0 ? 1 : tn_shape_dims(a)[in_a];
    int64_t from_b = in_b < 0 ? 1 : tn_shape_dims(b)[in_b];
    if (!broadcast_dim(from_a, from_b, &dims[i], status)) return NULL;
  }
  return result;
}
