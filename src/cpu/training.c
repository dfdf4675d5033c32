#include "cpu/training.h"

#include <string.h>

#include "cpu/cast_loops.h"
#include "cpu/parallel.h"
#include "cpu/training_loops.h"

enum { TILE = 256 };

typedef struct train_job {
  const tn_cpu_training* t;
  tn_training_loop step;
  int64_t size;
  tn_unary_loop widen, narrow;  // NULL: elements are what is computed in
  _Alignas(16) char scalars[TN_CPU_MAX_SCALARS * 16];
} train_job;

static void train_range(void* arg, int64_t begin, int64_t end) {
  const train_job* job = arg;
  void* slots[TN_CPU_MAX_SLOTS] = {0};
  for (int i = 0; i < job->t->slots; ++i) slots[i] = (char*)job->t->slot[i] + begin * job->size;
  job->step((char*)job->t->variable + begin * job->size, slots,
            (const char*)job->t->gradient + begin * job->size, job->scalars, end - begin);
}

// The same through tiles of floats.
static void train_narrow_range(void* arg, int64_t begin, int64_t end) {
  const train_job* job = arg;
  const tn_cpu_training* t = job->t;
  float tiles[TN_CPU_MAX_SLOTS][TILE], variable[TILE], gradient[TILE];
  void* slots[TN_CPU_MAX_SLOTS] = {0};
  for (int i = 0; i < t->slots; ++i) slots[i] = tiles[i];
  for (int64_t at = begin; at < end; at += TILE) {
    const int64_t count = end - at < TILE ? end - at : TILE, offset = at * job->size;
    for (int i = 0; i < t->slots; ++i) job->widen((char*)t->slot[i] + offset, tiles[i], count);
    job->widen((char*)t->variable + offset, variable, count);
    job->widen((const char*)t->gradient + offset, gradient, count);
    job->step(variable, slots, gradient, job->scalars, count);
    for (int i = 0; i < t->slots; ++i) job->narrow(tiles[i], (char*)t->slot[i] + offset, count);
    job->narrow(variable, (char*)t->variable + offset, count);
  }
}

void tn_cpu_train(const tn_cpu_training* training, int64_t count, const tn_cpu_parallel* parallel) {
  const tn_dtype dtype = training->dtype;
  const bool narrow = dtype == TN_HALF || dtype == TN_BFLOAT16;
  const tn_dtype wide = narrow ? TN_FLOAT : dtype;
  const tn_cast_loops* casts = TN_CPU_CHOOSE(tn_cast_loops);
  train_job job = {.t = training,
                   .step = TN_CPU_CHOOSE(tn_training_loops)->step[training->optimizer][wide],
                   .size = (int64_t)tn_cpu_size(dtype)};
  const size_t wide_size = tn_cpu_size(wide);
  if (narrow) {
    job.widen = casts->round[dtype][TN_FLOAT];
    job.narrow = casts->round[TN_FLOAT][dtype];
  }
  for (size_t i = 0; i < TN_CPU_MAX_SCALARS && training->scalar[i]; ++i) {
    if (narrow) {
      job.widen(training->scalar[i], job.scalars + i * wide_size, 1);
    } else {
      memcpy(job.scalars + i * wide_size, training->scalar[i], wide_size);
    }
  }
  tn_cpu_run(parallel, count, 2, narrow ? train_narrow_range : train_range, &job);
}
