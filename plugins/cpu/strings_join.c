// StringJoin, ReduceJoin, UnsortedSegmentJoin.

#include <stdlib.h>
#include <string.h>

#include "strings.h"

typedef struct join_state {
  bool keep_dims;
  chars separator;
} join_state;

static void* create(TF_OpKernelConstruction* construction, const char* op, bool reduces) {
  attrs attrs;
  join_state state = {false, {NULL, 0}};
  attrs_begin(&attrs, construction, op);
  if (reduces) state.keep_dims = attr_bool(&attrs, "keep_dims");
  state.separator.data = attr_text(&attrs, "separator", &state.separator.size);
  void* kept = attrs_end(&attrs, &state, sizeof state);
  if (!kept) free((char*)state.separator.data);
  return kept;
}

static void destroy(void* state) {
  if (state) free((char*)((join_state*)state)->separator.data);
  free(state);
}

static char* append(char* to, chars from) {
  return from.size ? mempcpy(to, from.data, from.size) : to;
}

// Joins `count` strings, of which `get` tells each.
static bool join_into(run* run, TF_TString* to, chars separator, int64_t count,
                      chars (*get)(void* arg, int64_t i), void* arg) {
  size_t size = count > 1 ? separator.size * (size_t)(count - 1) : 0;
  for (int64_t i = 0; i < count; ++i) size += get(arg, i).size;
  char* text = resize_string(run, to, size);
  for (int64_t i = 0; text && i < count; ++i) {
    if (i) text = append(text, separator);
    text = append(text, get(arg, i));
  }
  return text != NULL;
}

// An input of StringJoin: every element, or one for all.
typedef struct join_input {
  const TF_TString* strings;
  bool scalar;
} join_input;

typedef struct join_job {
  run* run;
  const join_state* state;
  const join_input* inputs;
  int count;
  TF_TString* out;
} join_job;

typedef struct join_row {
  const join_input* inputs;
  int64_t element;
} join_row;

static chars input_of_row(void* arg, int64_t i) {
  const join_row* row = arg;
  const join_input* input = &row->inputs[i];
  return chars_of(&input->strings[input->scalar ? 0 : row->element]);
}

static bool join_one(void* arg, int64_t i) {
  const join_job* job = arg;
  join_row row = {job->inputs, i};
  return join_into(job->run, &job->out[i], job->state->separator, job->count, input_of_row, &row);
}

static bool same_shape(const array* a, const array* b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof a->dims[0]) == 0;
}

static void join(void* held, TF_OpKernelContext* context) {
  run run;
  array input, shaped = {.rank = 0}, output;
  int shaped_index = -1;
  run_begin(&run, context, "StringJoin");
  const int count = TF_NumInputs(context);
  join_input* inputs = run_scratch(&run, (size_t)count * sizeof *inputs);
  for (int i = 0; i < count && run_input(&run, i, &input); ++i) {
    inputs[i] = (join_input){input.data, input.rank == 0};
    if (input.rank == 0) continue;
    if (shaped_index < 0) {
      shaped = input;
      shaped_index = i;
    } else if (!same_shape(&input, &shaped)) {
      char text[SHAPE_TEXT], shaped_text[SHAPE_TEXT];
      run_fail(
          &run, TF_INVALID_ARGUMENT,
          "inputs[%d] of shape %s and inputs[%d] of shape %s must have the same shape, or one be a "
          "scalar",
          shaped_index, shape_text(shaped.rank, shaped.dims, shaped_text), i,
          shape_text(input.rank, input.dims, text));
    }
  }
  if (run_output(&run, 0, shaped.rank, shaped.dims, &output)) {
    join_job job = {&run, held, inputs, count, output.data};
    each_element(&run, output.count, 20 * (count + 1), join_one, &job);
  }
  run_end(&run);
}

// Some dimensions of the input, in an order.
typedef struct walk {
  int count;
  int64_t sizes[TN_CPU_MAX_RANK], strides[TN_CPU_MAX_RANK];
} walk;

static void walk_add(walk* walk, const array* in, int dim) {
  int64_t stride = 1;
  for (int i = dim + 1; i < in->rank; ++i) stride *= in->dims[i];
  walk->sizes[walk->count] = in->dims[dim];
  walk->strides[walk->count++] = stride;
}

// The offset of place i, the last dimension running fastest.
static int64_t walk_offset(const walk* walk, int64_t i) {
  int64_t offset = 0;
  for (int dim = walk->count - 1; dim >= 0; --dim) {
    offset += i % walk->sizes[dim] * walk->strides[dim];
    i /= walk->sizes[dim];
  }
  return offset;
}

// Marks the dimensions that `axes` names.
static bool read_axes(run* run, const array* in, const array* axes, bool* reduced) {
  memset(reduced, 0, (size_t)in->rank);
  for (int64_t i = 0; i < axes->count; ++i) {
    const int64_t axis = index_at(axes, i), dim = axis < 0 ? axis + in->rank : axis;
    if (dim < 0 || dim >= in->rank)
      run_fail(run, TF_OUT_OF_RANGE, "reduction_indices[%lld] is %lld, and must be in [%d, %d)",
               (long long)i, (long long)axis, -in->rank, in->rank);
    else if (reduced[dim])
      run_fail(run, TF_INVALID_ARGUMENT, "reduction_indices names dimension %lld twice",
               (long long)dim);
    if (!run_ok(run)) return false;
    reduced[dim] = true;
  }
  return true;
}

typedef struct reduction {
  const array* in;
  walk reduced;
  int64_t base;
} reduction;

static chars reduced_element(void* arg, int64_t i) {
  const reduction* reduction = arg;
  return element(reduction->in, reduction->base + walk_offset(&reduction->reduced, i));
}

static void reduce(run* run, const join_state* state, const array* in, const array* axes) {
  bool reduced[TN_CPU_MAX_RANK];
  int64_t dims[TN_CPU_MAX_RANK], count = 1;
  int rank = 0;
  walk kept = {.count = 0};
  reduction job = {.in = in, .reduced = {.count = 0}};
  array out;
  if (!read_axes(run, in, axes, reduced)) return;
  for (int i = 0; i < in->rank; ++i) {
    if (!reduced[i]) walk_add(&kept, in, i);
    if (!reduced[i] || state->keep_dims) dims[rank++] = reduced[i] ? 1 : in->dims[i];
  }
  // The axis that is named first runs fastest.
  for (int64_t i = axes->count - 1; i >= 0; --i) {
    const int64_t axis = index_at(axes, i);
    walk_add(&job.reduced, in, (int)(axis < 0 ? axis + in->rank : axis));
  }
  for (int i = 0; i < job.reduced.count; ++i) count *= job.reduced.sizes[i];
  if (!run_output(run, 0, rank, dims, &out)) return;
  for (int64_t i = 0; i < out.count; ++i) {
    job.base = walk_offset(&kept, i);
    if (!join_into(run, (TF_TString*)out.data + i, state->separator, count, reduced_element, &job))
      return;
  }
}

static void reduce_join(void* state, TF_OpKernelContext* context) {
  run run;
  array in, axes;
  run_begin(&run, context, "ReduceJoin");
  if (run_input(&run, 0, &in) && run_input(&run, 1, &axes)) reduce(&run, state, &in, &axes);
  run_end(&run);
}

// Input, ids and number of segments; false with a failed run when they do not fit.
static bool read_segments(run* run, array* in, array* ids, int64_t* segments) {
  array count;
  char text[SHAPE_TEXT], other[SHAPE_TEXT];
  if (!run_input(run, 0, in) || !run_input(run, 1, ids) ||
      !run_scalar(run, 2, "num_segments", &count))
    return false;
  *segments = index_at(&count, 0);
  if (*segments < 0)
    run_fail(run, TF_INVALID_ARGUMENT, "num_segments is %lld, and must not be negative",
             (long long)*segments);
  if (ids->rank == 0) run_fail(run, TF_INVALID_ARGUMENT, "input segment_ids must not be a scalar");
  if (ids->rank > in->rank)
    run_fail(run, TF_OUT_OF_RANGE, "input segment_ids has rank %d, and inputs only %d", ids->rank,
             in->rank);
  if (run_ok(run) && memcmp(in->dims, ids->dims, (size_t)ids->rank * sizeof ids->dims[0]) != 0)
    run_fail(run, TF_INVALID_ARGUMENT,
             "inputs of shape %s must begin with the shape of segment_ids, %s",
             shape_text(in->rank, in->dims, text), shape_text(ids->rank, ids->dims, other));
  for (int64_t i = 0; run_ok(run) && i < ids->count; ++i)
    if (index_at(ids, i) < 0 || index_at(ids, i) >= *segments)
      run_fail(run, TF_INVALID_ARGUMENT, "segment_ids[%lld] is %lld, and must be in [0, %lld)",
               (long long)i, (long long)index_at(ids, i), (long long)*segments);
  return run_ok(run);
}

// Appends to the outputs in turn. An empty output takes no separator, whatever was joined before.
static bool append_segments(run* run, chars separator, const array* in, const array* ids,
                            int64_t width, TF_TString* out) {
  for (int64_t i = 0; i < in->count; ++i) {
    TF_TString* to = &out[index_at(ids, i / width) * width + i % width];
    const chars piece = element(in, i);
    const size_t had = TF_TString_GetSize(to), gap = had ? separator.size : 0;
    if (piece.size + gap == 0) continue;
    // Twice the room when there is too little, so that many pieces take no more than two copies.
    const size_t size = had + gap + piece.size;
    if (size > TF_TString_GetCapacity(to)) TF_TString_Reserve(to, size < 2 * had ? 2 * had : size);
    char* text = TF_TString_Resize(to, size, 0);
    if (!text) {
      run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a string of %zu bytes", size);
      return false;
    }
    text += had;
    if (gap) text = append(text, separator);
    append(text, piece);
  }
  return true;
}

static void segment_join(void* held, TF_OpKernelContext* context) {
  run run;
  const join_state* state = held;
  array in, ids, out;
  int64_t dims[TN_CPU_MAX_RANK], width = 1;
  run_begin(&run, context, "UnsortedSegmentJoin");
  if (read_segments(&run, &in, &ids, &dims[0])) {
    int rank = 1;
    for (int i = ids.rank; i < in.rank; ++i) width *= dims[rank++] = in.dims[i];
    // As in TensorFlow, a zero ends the separator.
    const chars separator = {state->separator.data,
                             strnlen(state->separator.data, state->separator.size)};
    if (run_output(&run, 0, rank, dims, &out))
      append_segments(&run, separator, &in, &ids, width, out.data);
  }
  run_end(&run);
}

#define CREATE(name, op, reduces)                                     \
  static void* name##_create(TF_OpKernelConstruction* construction) { \
    return create(construction, op, reduces);                         \
  }
CREATE(join, "StringJoin", false)
CREATE(reduce_join, "ReduceJoin", true)
CREATE(segment_join, "UnsortedSegmentJoin", false)

void register_string_joins(void) {
  const tn_cpu_types index = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  const kernel kernels[] = {
      {.op = "StringJoin", .create = join_create, .compute = join, .destroy = destroy},
      {.op = "ReduceJoin",
       .create = reduce_join_create,
       .compute = reduce_join,
       .destroy = destroy},
      {.op = "UnsortedSegmentJoin",
       .create = segment_join_create,
       .compute = segment_join,
       .destroy = destroy,
       .constraints = {{"Tindices", index}, {"Tnumsegments", index}}},
  };
  register_kernels(kernels, (int)(sizeof kernels / sizeof kernels[0]));
}
