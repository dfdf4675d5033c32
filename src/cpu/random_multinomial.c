#include <math.h>

#include "cpu/number.h"
#include "cpu/parallel.h"
#include "cpu/random.h"

enum { SLOTS = 16 };  // rows at a time, each with room for its sums

typedef struct multinomial_job {
  tn_dtype dtype, out_dtype;
  int64_t rows, columns, samples;
  const char* logits;
  tn_cpu_philox at;
  double* workspace;
  void* out;
} multinomial_job;

static double logit_at(tn_dtype dtype, const void* row, int64_t i) {
  switch (dtype) {
    case TN_DOUBLE: return ((const double*)row)[i];
    case TN_HALF: return (double)float_from_half(((const uint16_t*)row)[i]);
    case TN_BFLOAT16: return (double)float_from_bfloat16(((const uint16_t*)row)[i]);
    default: return (double)((const float*)row)[i];
  }
}

// Fills `sums` with sums of exp(logit - the largest) up to each column; returns the last.
static double sum_up(const multinomial_job* job, const void* row, double* sums) {
  double largest = -INFINITY, total = 0;
  for (int64_t i = 0; i < job->columns; ++i) {
    sums[i] = logit_at(job->dtype, row, i);
    if (isfinite(sums[i]) && sums[i] > largest) largest = sums[i];
  }
  for (int64_t i = 0; i < job->columns; ++i) {
    if (isfinite(sums[i])) total += exp(sums[i] - largest);
    sums[i] = total;
  }
  return total;
}

// The first column whose sum is above `wanted`.
static int64_t find(const double* sums, int64_t columns, double wanted) {
  int64_t low = 0, high = columns;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (sums[middle] > wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

static void pick(const multinomial_job* job, int64_t row, double* sums) {
  const size_t row_bytes = (size_t)job->columns * tn_cpu_size(job->dtype);
  const double total = sum_up(job, job->logits + (size_t)row * row_bytes, sums);
  // A sample takes two words, of a stream that runs through all rows.
  const uint64_t before = 2 * (uint64_t)row * (uint64_t)job->samples;
  tn_cpu_philox_words words = {.at = job->at};
  tn_cpu_philox_skip(&words.at, before / 4);
  for (uint64_t i = 0; i < before % 4; ++i) tn_cpu_philox_next(&words);
  for (int64_t i = row * job->samples; i < (row + 1) * job->samples; ++i) {
    const int64_t column = find(sums, job->columns, tn_cpu_philox_next_double(&words) * total);
    if (job->out_dtype == TN_INT32) {
      ((int32_t*)job->out)[i] = (int32_t)column;
    } else {
      ((int64_t*)job->out)[i] = column;
    }
  }
}

static void pick_rows(void* arg, int64_t begin, int64_t end) {
  const multinomial_job* job = arg;
  for (int64_t slot = begin; slot < end; ++slot)
    for (int64_t row = slot; row < job->rows; row += SLOTS)
      pick(job, row, job->workspace + slot * job->columns);
}

static int64_t slots(int64_t rows) { return rows < SLOTS ? rows : SLOTS; }

size_t tn_cpu_multinomial_workspace(int64_t rows, int64_t columns) {
  return (size_t)slots(rows) * (size_t)columns;
}

void tn_cpu_multinomial(tn_dtype dtype, int64_t rows, int64_t columns, const void* logits,
                        int64_t samples, tn_cpu_philox at, double* workspace, tn_dtype out_dtype,
                        void* out, const tn_cpu_parallel* parallel) {
  multinomial_job job = {dtype, out_dtype, rows, columns, samples, logits, at, workspace, out};
  const int64_t per_slot = (rows + SLOTS - 1) / SLOTS;
  tn_cpu_run(parallel, slots(rows), per_slot * (columns * 10 + samples * 40), pick_rows, &job);
}
