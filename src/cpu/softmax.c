#include "cpu/softmax.h"

#include <math.h>
#include <stdalign.h>

#include "cpu/elementwise_loops.h"
#include "cpu/parallel.h"
#include "cpu/softmax_loops.h"

// Rows go through tiles of TILE elements; half and bfloat16 become floats there.
enum { TILE = 1024 };

typedef struct softmax_job {
  tn_softmax loops;
  void (*widen)(const void* in, float* out, int64_t count);  // or NULL
  void (*narrow)(const float* in, void* out, int64_t count);
  tn_dtype dtype;  // computed in
  bool logarithm;
  int64_t size, depth, logits_stride, labels_stride;
  const char *logits, *labels;
  const int64_t* label_indices;
  char *out, *loss;
} softmax_job;

static softmax_job job_of(tn_dtype dtype, int64_t depth, const void* logits, void* out) {
  const bool narrow = dtype == TN_HALF || dtype == TN_BFLOAT16;
  const tn_narrow_loops* between = TN_CPU_CHOOSE(tn_narrow_loops);
  const tn_dtype computed = narrow ? TN_FLOAT : dtype;
  return (softmax_job){.loops = TN_CPU_CHOOSE(tn_softmax_loops)->of[computed],
                       .widen = narrow ? between->widen[dtype] : NULL,
                       .narrow = narrow ? between->narrow[dtype] : NULL,
                       .dtype = computed,
                       .size = (int64_t)tn_cpu_size(dtype),
                       .depth = depth,
                       .logits_stride = depth,
                       .logits = logits,
                       .out = out};
}

// A part of a row: where it is read and where its results are put before they go to `to`.
typedef struct tile {
  int64_t count;
  const void* in;
  void* out;
  char* to;
} tile;

typedef struct tile_memory {
  alignas(64) float in[TILE], out[TILE], labels[TILE];
  double wide[TILE];
} tile_memory;

static tile tile_at(const softmax_job* job, const char* row, char* out, int64_t at,
                    tile_memory* memory) {
  tile tile = {.count = job->depth - at < TILE ? job->depth - at : TILE,
               .in = row + at * job->size,
               .to = out + at * job->size};
  tile.out = job->widen ? (void*)memory->out : tile.to;
  if (job->widen) {
    job->widen(tile.in, memory->in, tile.count);
    tile.in = memory->in;
  }
  return tile;
}

static void put(const softmax_job* job, const tile* tile) {
  if (job->narrow) job->narrow(tile->out, tile->to, tile->count);
}

static double most_of(const softmax_job* job, const char* row, tile_memory* memory) {
  double most = -INFINITY;
  for (int64_t at = 0; at < job->depth; at += TILE) {
    const tile tile = tile_at(job, row, job->out, at, memory);
    const double one = job->loops.most(tile.in, tile.count);
    if (one > most) most = one;
  }
  return most;
}

// The sum of exponentials; they themselves go to `out` where they are no narrow type.
static double exp_sum_of(const softmax_job* job, const char* row, double most, char* out,
                         tile_memory* memory) {
  double sum = 0;
  for (int64_t at = 0; at < job->depth; at += TILE) {
    const tile tile = tile_at(job, row, out ? out : job->out, at, memory);
    sum +=
        job->loops.exp_sum(tile.in, tile.count, most, out || job->widen ? tile.out : memory->wide);
  }
  return sum;
}

static void softmax_rows(void* arg, int64_t begin, int64_t end) {
  const softmax_job* job = arg;
  tile_memory memory;
  for (int64_t i = begin; i < end; ++i) {
    const char* row = job->logits + i * job->depth * job->size;
    char* out = job->out + i * job->depth * job->size;
    const double most = most_of(job, row, &memory);
    // Logarithms are made of the logits themselves, which `out` may cover.
    const double sum = exp_sum_of(job, row, most, job->logarithm ? NULL : out, &memory);
    const double shift = log(sum), factor = 1 / sum;
    for (int64_t at = 0; at < job->depth; at += TILE) {
      tile tile = tile_at(job, row, out, at, &memory);
      if (job->logarithm) {
        job->loops.shift(tile.in, tile.count, most, shift, tile.out);
      } else {
        if (job->widen) job->loops.exp_sum(tile.in, tile.count, most, tile.out);
        job->loops.scale(tile.out, tile.count, factor, tile.out);
      }
      put(job, &tile);
    }
  }
}

void tn_cpu_softmax(bool logarithm, tn_dtype dtype, int64_t rows, int64_t depth, const void* in,
                    void* out, const tn_cpu_parallel* parallel) {
  softmax_job job = job_of(dtype, depth, in, out);
  job.logarithm = logarithm;
  tn_cpu_run(parallel, rows, depth + 20, softmax_rows, &job);
}

static void put_loss(const softmax_job* job, int64_t row, double loss) {
  if (job->dtype == TN_DOUBLE) {
    ((double*)job->loss)[row] = loss;
  } else if (job->narrow) {
    job->narrow(&(float){(float)loss}, job->loss + row * job->size, 1);
  } else {
    ((float*)job->loss)[row] = (float)loss;
  }
}

static void loss_rows(void* arg, int64_t begin, int64_t end) {
  const softmax_job* job = arg;
  tile_memory memory;
  for (int64_t i = begin; i < end; ++i) {
    const char* row = job->logits + i * job->logits_stride * job->size;
    const char* labels = job->labels + i * job->labels_stride * job->size;
    char* out = job->out + i * job->depth * job->size;
    const double most = most_of(job, row, &memory);
    const double sum = exp_sum_of(job, row, most, NULL, &memory);
    double loss = 0;
    for (int64_t at = 0; at < job->depth; at += TILE) {
      const tile tile = tile_at(job, row, out, at, &memory);
      const void* label = labels + at * job->size;
      if (job->widen) {
        job->widen(label, memory.labels, tile.count);
        label = memory.labels;
      }
      loss += job->loops.loss(tile.in, label, tile.count, most, log(sum), 1 / sum, tile.out);
      put(job, &tile);
    }
    put_loss(job, i, loss);
  }
}

void tn_cpu_cross_entropy(tn_dtype dtype, int64_t rows, int64_t depth, const void* logits,
                          int64_t logits_stride, const void* labels, int64_t labels_stride,
                          void* loss, void* gradient, const tn_cpu_parallel* parallel) {
  softmax_job job = job_of(dtype, depth, logits, gradient);
  job.logits_stride = logits_stride;
  job.labels = labels;
  job.labels_stride = labels_stride;
  job.loss = loss;
  tn_cpu_run(parallel, rows, 2 * depth + 30, loss_rows, &job);
}

static double element(const void* tile, tn_dtype dtype, int64_t i) {
  return dtype == TN_DOUBLE ? ((const double*)tile)[i] : (double)((const float*)tile)[i];
}

static void sparse_loss_rows(void* arg, int64_t begin, int64_t end) {
  const softmax_job* job = arg;
  tile_memory memory;
  for (int64_t i = begin; i < end; ++i) {
    const char* row = job->logits + i * job->depth * job->size;
    char* out = job->out + i * job->depth * job->size;
    const int64_t label = job->label_indices[i];
    const double most = most_of(job, row, &memory);
    const double sum = exp_sum_of(job, row, most, out, &memory);
    for (int64_t at = 0; at < job->depth; at += TILE) {
      const tile tile = tile_at(job, row, out, at, &memory);
      if (job->widen) job->loops.exp_sum(tile.in, tile.count, most, tile.out);
      job->loops.scale(tile.out, tile.count, 1 / sum, tile.out);
      if (label >= at && label < at + tile.count) {
        put_loss(job, i, log(sum) - (element(tile.in, job->dtype, label - at) - most));
        if (job->dtype == TN_DOUBLE)
          ((double*)tile.out)[label - at] -= 1;
        else
          ((float*)tile.out)[label - at] -= 1;
      }
      put(job, &tile);
    }
  }
}

void tn_cpu_sparse_cross_entropy(tn_dtype dtype, int64_t rows, int64_t depth, const void* logits,
                                 const int64_t* labels, void* loss, void* gradient,
                                 const tn_cpu_parallel* parallel) {
  softmax_job job = job_of(dtype, depth, logits, gradient);
  job.label_indices = labels;
  job.loss = loss;
  tn_cpu_run(parallel, rows, depth + 30, sparse_loss_rows, &job);
}
