// Bincount and DenseBincount: how often each number occurs, or the sum of its weights.

#include <stdlib.h>
#include <string.h>

#include "kernel.h"

// Adds row `row` of the numbers into its bins; `ones` only notes that a number occurs.
#define COUNT(type)                                                                                \
  static void count_##type(const array* numbers, const array* weights, int64_t begin, int64_t end, \
                           int64_t size, bool ones, void* out) {                                   \
    type* bins = out;                                                                              \
    for (int64_t i = begin; i < end; ++i) {                                                        \
      const int64_t number = index_at(numbers, i);                                                 \
      if (number >= size) continue;                                                                \
      bins[number] = ones             ? (type)1                                                    \
                     : weights->count ? (type)(bins[number] + ((const type*)weights->data)[i])     \
                                      : (type)(bins[number] + (type)1);                            \
    }                                                                                              \
  }
COUNT(float)
COUNT(double)
COUNT(uint32_t)
COUNT(uint64_t)

static void count(const array* numbers, const array* weights, int64_t begin, int64_t end,
                  int64_t size, bool ones, void* bins) {
  switch (weights->dtype) {
    case TN_FLOAT: count_float(numbers, weights, begin, end, size, ones, bins); break;
    case TN_DOUBLE: count_double(numbers, weights, begin, end, size, ones, bins); break;
    case TN_INT32: count_uint32_t(numbers, weights, begin, end, size, ones, bins); break;
    default: count_uint64_t(numbers, weights, begin, end, size, ones, bins);
  }
}

static bool check(run* run, const array* numbers, const array* size, const array* weights) {
  if (size->rank != 0)
    run_fail(run, TF_INVALID_ARGUMENT, "size has rank %d, and must be a scalar", size->rank);
  else if (index_at(size, 0) < 0)
    run_fail(run, TF_INVALID_ARGUMENT, "size is %lld, and must not be negative",
             (long long)index_at(size, 0));
  else if (weights->count != 0 && weights->count != numbers->count)
    run_fail(run, TF_INVALID_ARGUMENT,
             "weights has %lld elements, and must have none, or one for each of the %lld numbers",
             (long long)weights->count, (long long)numbers->count);
  for (int64_t i = 0; run_ok(run) && i < numbers->count; ++i)
    if (index_at(numbers, i) < 0)
      run_fail(run, TF_INVALID_ARGUMENT, "number %lld is %lld, and must not be negative",
               (long long)i, (long long)index_at(numbers, i));
  return run_ok(run);
}

static void bin(run* run, const array* numbers, const array* size, const array* weights,
                bool by_row, bool ones) {
  const int64_t bins = index_at(size, 0), rows = by_row ? numbers->dims[0] : 1;
  const int64_t dims[] = {rows, bins}, columns = rows ? numbers->count / rows : 0;
  int64_t elements;
  array output;
  if (!count_elements(2, dims, &elements)) {
    run_fail(run, TF_INVALID_ARGUMENT, "%lld rows of %lld bins are more than fit", (long long)rows,
             (long long)bins);
    return;
  }
  if (!run_output(run, 0, by_row ? 2 : 1, by_row ? dims : dims + 1, &output)) return;
  const size_t row_bytes = (size_t)bins * tn_cpu_size(output.dtype);
  if (output.count > 0) memset(output.data, 0, (size_t)rows * row_bytes);
  for (int64_t r = 0; r < rows; ++r)
    count(numbers, weights, r * columns, (r + 1) * columns, bins, ones,
          (char*)output.data + (size_t)r * row_bytes);
}

static void bincount(void* state, TF_OpKernelContext* context) {
  run run;
  array numbers, size, weights;
  run_begin(&run, context, "Bincount");
  if (run_input(&run, 0, &numbers) && run_input(&run, 1, &size) && run_input(&run, 2, &weights) &&
      check(&run, &numbers, &size, &weights))
    bin(&run, &numbers, &size, &weights, false, false);
  run_end(&run);
}

static void* dense_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "DenseBincount");
  const bool ones = attr_bool(&attrs, "binary_output");
  return attrs_end(&attrs, &ones, sizeof ones);
}

static void dense_bincount(void* state, TF_OpKernelContext* context) {
  run run;
  array numbers, size, weights;
  run_begin(&run, context, "DenseBincount");
  if (run_input(&run, 0, &numbers) && run_input(&run, 1, &size) && run_input(&run, 2, &weights)) {
    if (numbers.rank > 2)
      run_fail(&run, TF_INVALID_ARGUMENT, "input has rank %d, and must have at most 2",
               numbers.rank);
    if (run_ok(&run) && check(&run, &numbers, &size, &weights))
      bin(&run, &numbers, &size, &weights, numbers.rank == 2, *(bool*)state);
  }
  run_end(&run);
}

void register_bincounts(void) {
  const tn_cpu_types indices = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  const tn_cpu_types types = indices | TN_CPU_TYPE(TN_FLOAT) | TN_CPU_TYPE(TN_DOUBLE);
  const kernel kernels[] = {
      {.op = "Bincount", .compute = bincount, .constraints = {{"T", types}}, .host_args = {"size"}},
      {.op = "DenseBincount",
       .create = dense_create,
       .compute = dense_bincount,
       .destroy = free,
       .constraints = {{"T", types}, {"Tidx", indices}},
       .host_args = {"size"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
