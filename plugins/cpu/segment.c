// Segment sums, means, products, maxima and minima, of sorted and of unsorted rows.

#include "cpu/segment.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

typedef union element {
  float f32;
  double f64;
  uint64_t bits;
  uint64_t pair[2];
} element;

// What a segment without rows has: `number` (0 or 1), or the least or greatest finite value.
static element number_of(tn_dtype dtype, int number) {
  element one = {.pair = {0, 0}};
  switch (dtype) {
    case TN_FLOAT:
    case TN_COMPLEX64: one.f32 = (float)number; break;
    case TN_DOUBLE:
    case TN_COMPLEX128: one.f64 = number; break;
    case TN_HALF: one.bits = number ? 0x3c00 : 0; break;
    case TN_BFLOAT16: one.bits = number ? 0x3f80 : 0; break;
    default: one.bits = (uint64_t)number;
  }
  return one;
}

static element extreme_of(tn_dtype dtype, bool greatest) {
  element one = {.pair = {0, 0}};
  const int bits = 8 * (int)tn_cpu_size(dtype);
  switch (dtype) {
    case TN_FLOAT: one.f32 = greatest ? FLT_MAX : -FLT_MAX; break;
    case TN_DOUBLE: one.f64 = greatest ? DBL_MAX : -DBL_MAX; break;
    case TN_HALF: one.bits = greatest ? 0x7bff : 0xfbff; break;
    case TN_BFLOAT16: one.bits = greatest ? 0x7f7f : 0xff7f; break;
    case TN_INT8:
    case TN_INT16:
    case TN_INT32:
    case TN_INT64: one.bits = ((uint64_t)1 << (bits - 1)) - (greatest ? 1 : 0); break;
    default: one.bits = greatest ? UINT64_MAX >> (64 - bits) : 0;
  }
  return one;
}

static int64_t id_at(const array* ids, int64_t i) {
  return ids->dtype == TN_INT16 ? ((const int16_t*)ids->data)[i] : index_at(ids, i);
}

static void reduce_segments(run* run, tn_cpu_reduce_op how, const array* data, const array* ids,
                            const int64_t* numbers, int64_t segments, element empty,
                            const array* output) {
  if (output->count == 0) return;
  void* workspace = run_scratch(run, tn_cpu_segment_workspace(ids->count, segments));
  if (!workspace) return;
  const int64_t width = output->count / segments;
  tn_cpu_segment(how, data->dtype, ids->count, width, data->data, numbers, segments, &empty,
                 output->data, workspace, run->parallel);
}

// ---- Unsorted ----

static bool check_unsorted(run* run, const array* data, const array* ids, const array* count) {
  char shapes[2][SHAPE_TEXT];
  if (count->rank != 0) {
    run_fail(run, TF_INVALID_ARGUMENT, "num_segments has rank %d, and must be a scalar",
             count->rank);
  } else if (index_at(count, 0) < 0) {
    run_fail(run, TF_INVALID_ARGUMENT, "num_segments is %lld, and must not be negative",
             (long long)index_at(count, 0));
  } else if (ids->rank > data->rank ||
             memcmp(ids->dims, data->dims, (size_t)ids->rank * sizeof ids->dims[0]) != 0) {
    run_fail(run, TF_INVALID_ARGUMENT, "data has shape %s, which must begin with segment_ids' %s",
             shape_text(data->rank, data->dims, shapes[0]),
             shape_text(ids->rank, ids->dims, shapes[1]));
  }
  return run_ok(run);
}

static int64_t* read_ids(run* run, const array* ids, int64_t segments) {
  int64_t* numbers = run_scratch(run, (size_t)ids->count * sizeof *numbers);
  for (int64_t i = 0; numbers && i < ids->count; ++i) {
    numbers[i] = id_at(ids, i);
    if (numbers[i] >= segments) {
      run_fail(run, TF_INVALID_ARGUMENT, "segment_ids[%lld] is %lld, and must be below %lld",
               (long long)i, (long long)numbers[i], (long long)segments);
      return NULL;
    }
  }
  return numbers;
}

static void unsorted(TF_OpKernelContext* context, const char* op, tn_cpu_reduce_op how) {
  run run;
  array data, ids, count, output;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &data) && run_input(&run, 1, &ids) && run_input(&run, 2, &count) &&
      check_unsorted(&run, &data, &ids, &count)) {
    const int64_t segments = index_at(&count, 0);
    int64_t dims[TN_CPU_MAX_RANK + 1] = {segments}, elements;
    int rank = 1;
    for (int i = ids.rank; i < data.rank; ++i) dims[rank++] = data.dims[i];
    if (rank > TN_CPU_MAX_RANK || !count_elements(rank, dims, &elements))
      run_fail(&run, TF_INVALID_ARGUMENT, "%lld segments of this data are more than fit",
               (long long)segments);
    const int64_t* numbers = run_ok(&run) ? read_ids(&run, &ids, segments) : NULL;
    if (numbers && run_output(&run, 0, rank, dims, &output))
      reduce_segments(&run, how, &data, &ids, numbers, segments,
                      how == TN_CPU_SUM    ? number_of(data.dtype, 0)
                      : how == TN_CPU_PROD ? number_of(data.dtype, 1)
                                           : extreme_of(data.dtype, how == TN_CPU_MIN),
                      &output);
  }
  run_end(&run);
}

// ---- Sorted ----

static bool check_sorted(run* run, const array* data, const array* ids) {
  if (ids->rank != 1)
    run_fail(run, TF_INVALID_ARGUMENT, "segment_ids has rank %d, and must be a vector", ids->rank);
  else if (data->rank < 1)
    run_fail(run, TF_INVALID_ARGUMENT, "data is a scalar, and must have at least rank 1");
  else if (data->dims[0] != ids->dims[0])
    run_fail(run, TF_INVALID_ARGUMENT,
             "there are %lld segment_ids for %lld rows of data, and must be as many",
             (long long)ids->dims[0], (long long)data->dims[0]);
  for (int64_t i = 0; run_ok(run) && i < ids->count; ++i) {
    if (id_at(ids, i) < 0)
      run_fail(run, TF_INVALID_ARGUMENT, "segment_ids[%lld] is %lld, and must not be negative",
               (long long)i, (long long)id_at(ids, i));
    else if (i > 0 && id_at(ids, i) < id_at(ids, i - 1))
      run_fail(run, TF_INVALID_ARGUMENT,
               "segment_ids[%lld] is %lld, and must not be less than the %lld before it",
               (long long)i, (long long)id_at(ids, i), (long long)id_at(ids, i - 1));
  }
  return run_ok(run);
}

static void sorted(TF_OpKernelContext* context, const char* op, tn_cpu_reduce_op how) {
  run run;
  array data, ids, output;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &data) && run_input(&run, 1, &ids) && check_sorted(&run, &data, &ids)) {
    const int64_t last = ids.count ? id_at(&ids, ids.count - 1) : -1;
    int64_t dims[TN_CPU_MAX_RANK], elements = 0;
    for (int i = 1; i < data.rank; ++i) dims[i] = data.dims[i];
    dims[0] = last == INT64_MAX ? last : last + 1;
    if (!count_elements(data.rank, dims, &elements))
      run_fail(&run, TF_INVALID_ARGUMENT, "%lld segments of this data are more than fit",
               (long long)dims[0]);
    const int64_t* numbers = run_ok(&run) ? read_ids(&run, &ids, dims[0]) : NULL;
    if (numbers && run_output(&run, 0, data.rank, dims, &output))
      reduce_segments(&run, how, &data, &ids, numbers, dims[0],
                      number_of(data.dtype, how == TN_CPU_PROD), &output);
  }
  run_end(&run);
}

// X(op, sorted or unsorted, how, types)
#define EACH_SEGMENT(X)                                         \
  X(UnsortedSegmentSum, unsorted, TN_CPU_SUM, TN_CPU_NUMBERS)   \
  X(UnsortedSegmentProd, unsorted, TN_CPU_PROD, TN_CPU_NUMBERS) \
  X(UnsortedSegmentMax, unsorted, TN_CPU_MAX, TN_CPU_REALS)     \
  X(UnsortedSegmentMin, unsorted, TN_CPU_MIN, TN_CPU_REALS)     \
  X(SegmentSum, sorted, TN_CPU_SUM, TN_CPU_NUMBERS)             \
  X(SegmentMean, sorted, TN_CPU_MEAN, TN_CPU_NUMBERS)           \
  X(SegmentProd, sorted, TN_CPU_PROD, TN_CPU_NUMBERS)           \
  X(SegmentMax, sorted, TN_CPU_MAX, TN_CPU_REALS)               \
  X(SegmentMin, sorted, TN_CPU_MIN, TN_CPU_REALS)

#define COMPUTE(op, way, how, types) \
  static void compute_##op(void* state, TF_OpKernelContext* context) { way(context, #op, how); }
EACH_SEGMENT(COMPUTE)

void register_segments(void) {
  const tn_cpu_types indices = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  const tn_cpu_types sorted_ids = indices, unsorted_ids = indices | TN_CPU_TYPE(TN_INT16);
#define KERNEL(name, way, how, types) \
  {.op = #name, .compute = compute_##name, .constraints = {{"T", types}, {"Tindices", way##_ids}}},
  const kernel kernels[] = {EACH_SEGMENT(KERNEL)};
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
