// Drawing columns and orders, for the ops with state and those without.

#include <string.h>

#include "random.h"
#include "strings.h"

void random_multinomial(run* run, tn_cpu_philox (*reserve)(void* from, int64_t outputs),
                        void* from) {
  array logits, samples, out;
  char text[SHAPE_TEXT];
  if (!run_input(run, 0, &logits) || !run_scalar(run, 1, "num_samples", &samples)) return;
  const int64_t count = index_at(&samples, 0);
  if (logits.rank != 2)
    run_fail(run, TF_INVALID_ARGUMENT, "input logits must be a matrix, not of shape %s",
             shape_text(logits.rank, logits.dims, text));
  if (count < 0)
    run_fail(run, TF_INVALID_ARGUMENT, "num_samples is %lld, and must not be negative",
             (long long)count);
  if (!run_ok(run)) return;
  const int64_t rows = logits.dims[0], columns = logits.dims[1];
  if (columns <= 0)
    run_fail(run, TF_INVALID_ARGUMENT, "input logits has shape %s, without a column to pick",
             shape_text(2, logits.dims, text));
  if (!run_output(run, 0, 2, (int64_t[]){rows, count}, &out) || out.count == 0) return;
  double* workspace =
      run_scratch(run, tn_cpu_multinomial_workspace(rows, columns) * sizeof *workspace);
  // Two words for a number of 64 bits, rounded up to whole blocks.
  if (workspace)
    tn_cpu_multinomial(logits.dtype, rows, columns, logits.data, count,
                       reserve(from, rows * ((count + 3) / 4 * 4) * 2), workspace, out.dtype,
                       out.data, run->parallel);
}

// Row i of `out` is row order[i] of `in`.
static void take_rows(run* run, const array* in, const int64_t* order, array* out) {
  const int64_t rows = in->dims[0], width = in->count / rows;
  if (in->dtype == TN_STRING) {
    const TF_TString* from = in->data;
    TF_TString* to = out->data;
    for (int64_t i = 0; i < in->count; ++i)
      if (!copy_string(run, &to[i], &from[order[i / width] * width + i % width])) return;
    return;
  }
  const size_t bytes = (size_t)width * TF_DataTypeSize((TF_DataType)in->dtype);
  for (int64_t i = 0; i < rows; ++i)
    memcpy((char*)out->data + (size_t)i * bytes, (char*)in->data + (size_t)order[i] * bytes, bytes);
}

// Exchanges element i with one of those from i on, for one i after the other. The words are drawn
// many at a time.
#define SHUFFLE(type)                                                                              \
  static void shuffle_##type(type* elements, int64_t count, tn_cpu_philox at) {                    \
    enum { DRAWN = 1024 };                                                                         \
    uint32_t words[DRAWN];                                                                         \
    for (int64_t i = 0; i < count - 1; ++i) {                                                      \
      if (i % DRAWN == 0) {                                                                        \
        const int64_t left = count - 1 - i;                                                        \
        tn_cpu_random(TN_CPU_RANDOM_BITS, TN_UINT32, at, 0, 0, left < DRAWN ? left : DRAWN, words, \
                      NULL);                                                                       \
        tn_cpu_philox_skip(&at, DRAWN / 4);                                                        \
      }                                                                                            \
      const int64_t other = i + words[i % DRAWN] % (uint32_t)(count - i);                          \
      const type kept = elements[i];                                                               \
      elements[i] = elements[other];                                                               \
      elements[other] = kept;                                                                      \
    }                                                                                              \
  }
SHUFFLE(uint8_t)
SHUFFLE(uint16_t)
SHUFFLE(uint32_t)
SHUFFLE(uint64_t)
#undef SHUFFLE

// A vector of small elements, in place; false for any other.
static bool shuffle_vector(const array* in, tn_cpu_philox at, void* out) {
  const size_t size = TF_DataTypeSize((TF_DataType)in->dtype);
  if (in->rank != 1 || size > 8 || in->dtype == TN_STRING) return false;
  memcpy(out, in->data, (size_t)in->count * size);
  switch (size) {
    case 1: shuffle_uint8_t(out, in->count, at); return true;
    case 2: shuffle_uint16_t(out, in->count, at); return true;
    case 4: shuffle_uint32_t(out, in->count, at); return true;
    default: shuffle_uint64_t(out, in->count, at); return true;
  }
}

void random_shuffle(run* run, tn_cpu_philox (*reserve)(void* from, int64_t words), void* from) {
  array in, out;
  if (!run_input(run, 0, &in)) return;
  if (in.count <= 1 || in.dims[0] <= 1) {
    run_share_output(run, 0, in.tensor);
    return;
  }
  const int64_t rows = in.dims[0];
  if (!run_output(run, 0, in.rank, in.dims, &out)) return;
  const tn_cpu_philox at = reserve(from, rows - 1);
  if (shuffle_vector(&in, at, out.data)) return;
  uint64_t* order = run_scratch(run, (size_t)rows * sizeof *order);
  if (!order) return;
  for (int64_t i = 0; i < rows; ++i) order[i] = (uint64_t)i;
  shuffle_uint64_t(order, rows, at);
  take_rows(run, &in, (const int64_t*)order, &out);
}
