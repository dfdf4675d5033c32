// Elements in another order along a dimension: ReverseV2, Roll, ReverseSequence.

#include <stdlib.h>

#include "moving.h"

static bool read_reversed(run* run, const array* tensor, const array* axis, bool* reversed) {
  for (int i = 0; i < tensor->rank; ++i) reversed[i] = false;
  if (!check_vector(run, "axis", axis)) return false;
  for (int64_t i = 0; i < axis->count; ++i) {
    int at;
    if (!check_axis(run, "a number of axis", index_at(axis, i), tensor->rank, &at)) return false;
    if (reversed[at]) {
      run_fail(run, TF_INVALID_ARGUMENT, "axis names dimension %d twice", at);
      return false;
    }
    reversed[at] = true;
  }
  return true;
}

static void reverse_dimensions(run* run, const array* tensor, const bool* reversed) {
  array output;
  bool any = false;
  int64_t from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK], first = 0;
  tn_cpu_dense_strides(tensor->rank, tensor->dims, from);
  tn_cpu_dense_strides(tensor->rank, tensor->dims, to);
  for (int i = 0; i < tensor->rank; ++i) {
    if (!reversed[i] || tensor->dims[i] < 2) continue;
    any = true;
    first += (tensor->dims[i] - 1) * from[i];
    from[i] = -from[i];
  }
  if (!any || tensor->count == 0) {
    run_share_output(run, 0, tensor->tensor);
  } else if (run_output(run, 0, tensor->rank, tensor->dims, &output)) {
    move_elements(run, tensor->dtype, tensor->rank, tensor->dims,
                  (place){element_at(tensor->dtype, tensor->data, first), from},
                  (place){output.data, to});
  }
}

static void reverse_v2(void* state, TF_OpKernelContext* context) {
  run run;
  array tensor, axis;
  bool reversed[TN_CPU_MAX_RANK];
  run_begin(&run, context, "ReverseV2");
  if (run_input(&run, 0, &tensor) && run_input(&run, 1, &axis) &&
      read_reversed(&run, &tensor, &axis, reversed))
    reverse_dimensions(&run, &tensor, reversed);
  run_end(&run);
}

// How far each dimension is rolled, from 0 up to less than its size.
static bool read_shifts(run* run, const array* input, const array* shift, const array* axis,
                        int64_t* shifts) {
  char text[SHAPE_TEXT], axis_text[SHAPE_TEXT];
  if (input->rank < 1) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "input input is a scalar, and must have a dimension to roll");
    return false;
  }
  if (shift->rank > 1 || axis->rank > 1 || shift->count != axis->count) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "inputs shift %s and axis %s must both be scalars, or vectors of one length",
             shape_text(shift->rank, shift->dims, text),
             shape_text(axis->rank, axis->dims, axis_text));
    return false;
  }
  for (int i = 0; i < input->rank; ++i) shifts[i] = 0;
  for (int64_t i = 0; i < shift->count; ++i) {
    int at;
    if (!check_axis(run, "a number of axis", index_at(axis, i), input->rank, &at)) return false;
    const int64_t dim = input->dims[at];
    if (dim) shifts[at] = (shifts[at] + index_at(shift, i) % dim + dim) % dim;
  }
  return true;
}

// The rolled dimensions from `d` on part the array in two pieces each, and every piece moves.
static bool roll_pieces(run* run, const array* input, const array* output, const int64_t* shifts,
                        int d, int64_t* counts, int64_t from, int64_t to) {
  int64_t strides[TN_CPU_MAX_RANK];
  tn_cpu_dense_strides(input->rank, input->dims, strides);
  while (d < input->rank && shifts[d] == 0) ++d;
  if (d == input->rank)
    return move_elements(run, input->dtype, input->rank, counts,
                         (place){element_at(input->dtype, input->data, from), strides},
                         (place){element_at(input->dtype, output->data, to), strides});
  const int64_t dim = input->dims[d], shift = shifts[d];
  counts[d] = dim - shift;
  if (!roll_pieces(run, input, output, shifts, d + 1, counts, from, to + shift * strides[d]))
    return false;
  counts[d] = shift;
  if (!roll_pieces(run, input, output, shifts, d + 1, counts, from + (dim - shift) * strides[d],
                   to))
    return false;
  counts[d] = dim;
  return true;
}

static void roll(void* state, TF_OpKernelContext* context) {
  run run;
  array input, shift, axis, output;
  int64_t shifts[TN_CPU_MAX_RANK], counts[TN_CPU_MAX_RANK];
  run_begin(&run, context, "Roll");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &shift) && run_input(&run, 2, &axis) &&
      read_shifts(&run, &input, &shift, &axis, shifts) &&
      run_output(&run, 0, input.rank, input.dims, &output) && output.count > 0) {
    for (int i = 0; i < input.rank; ++i) counts[i] = input.dims[i];
    roll_pieces(&run, &input, &output, shifts, 0, counts, 0, 0);
  }
  run_end(&run);
}

typedef struct sequence_state {
  int64_t seq_dim, batch_dim;
} sequence_state;

static void* sequence_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  sequence_state state;
  attrs_begin(&attrs, construction, "ReverseSequence");
  state.seq_dim = attr_int(&attrs, "seq_dim");
  state.batch_dim = attr_int(&attrs, "batch_dim");
  return attrs_end(&attrs, &state, sizeof state);
}

static bool check_sequence(run* run, const sequence_state* state, const array* input,
                           const array* lengths) {
  if (!check_vector(run, "seq_lengths", lengths)) return false;
  if (state->batch_dim == state->seq_dim || state->seq_dim < 0 || state->seq_dim >= input->rank ||
      state->batch_dim < 0 || state->batch_dim >= input->rank) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "seq_dim %lld and batch_dim %lld must be two different dimensions of the %d there are",
             (long long)state->seq_dim, (long long)state->batch_dim, input->rank);
    return false;
  }
  if (lengths->count != input->dims[state->batch_dim]) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "input seq_lengths has %lld numbers, and dimension batch_dim of the input %lld",
             (long long)lengths->count, (long long)input->dims[state->batch_dim]);
    return false;
  }
  for (int64_t i = 0; i < lengths->count; ++i) {
    const int64_t length = index_at(lengths, i);
    if (length >= 0 && length <= input->dims[state->seq_dim]) continue;
    run_fail(run, TF_INVALID_ARGUMENT, "seq_lengths[%lld] is %lld, and must be in [0, %lld]",
             (long long)i, (long long)length, (long long)input->dims[state->seq_dim]);
    return false;
  }
  return true;
}

static void reverse_sequence(void* untyped, TF_OpKernelContext* context) {
  const sequence_state* state = untyped;
  run run;
  array input, lengths, output;
  int64_t counts[TN_CPU_MAX_RANK], from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK];
  run_begin(&run, context, "ReverseSequence");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &lengths) &&
      check_sequence(&run, state, &input, &lengths) &&
      run_output(&run, 0, input.rank, input.dims, &output) && output.count > 0) {
    const int64_t seq = state->seq_dim, batch = state->batch_dim;
    for (int i = 0; i < input.rank; ++i) counts[i] = input.dims[i];
    counts[batch] = 1;
    tn_cpu_dense_strides(input.rank, input.dims, from);
    tn_cpu_dense_strides(input.rank, input.dims, to);
    const int64_t step = from[seq];
    for (int64_t i = 0; i < lengths.count && run_ok(&run); ++i) {
      const int64_t length = index_at(&lengths, i), base = i * to[batch];
      counts[seq] = length;
      from[seq] = -step;
      move_elements(&run, input.dtype, input.rank, counts,
                    (place){element_at(input.dtype, input.data, base + (length - 1) * step), from},
                    (place){element_at(input.dtype, output.data, base), to});
      counts[seq] = input.dims[seq] - length;
      from[seq] = step;
      move_elements(&run, input.dtype, input.rank, counts,
                    (place){element_at(input.dtype, input.data, base + length * step), from},
                    (place){element_at(input.dtype, output.data, base + length * step), to});
    }
  }
  run_end(&run);
}

void register_reverse(void) {
  const kernel kernels[] = {
      {.op = "ReverseV2",
       .compute = reverse_v2,
       .constraints = {{"T", MOVABLE}, {"Tidx", INDICES}},
       .host_args = {"axis"}},
      {.op = "Roll",
       .compute = roll,
       .constraints = {{"T", MOVABLE}, {"Tshift", INDICES}, {"Taxis", INDICES}},
       .host_args = {"shift", "axis"}},
      {.op = "ReverseSequence",
       .create = sequence_create,
       .compute = reverse_sequence,
       .destroy = free,
       .constraints = {{"T", MOVABLE}, {"Tlen", INDICES}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
