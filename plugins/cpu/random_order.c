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

void random_shuffle(run* run, tn_cpu_philox (*reserve)(void* from, int64_t words), void* from) {
  array in, out;
  if (!run_input(run, 0, &in)) return;
  if (in.count <= 1 || in.dims[0] <= 1) {
    run_share_output(run, 0, in.tensor);
    return;
  }
  const int64_t rows = in.dims[0];
  int64_t* order = run_scratch(run, (size_t)rows * sizeof *order);
  if (!run_output(run, 0, in.rank, in.dims, &out)) return;
  for (int64_t i = 0; i < rows; ++i) order[i] = i;
  tn_cpu_philox_words words = {.at = reserve(from, rows - 1)};
  for (int64_t i = 0; i < rows - 1; ++i) {
    const int64_t other = i + tn_cpu_philox_next(&words) % (uint32_t)(rows - i);
    const int64_t kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  take_rows(run, &in, order, &out);
}
