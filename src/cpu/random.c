#include "cpu/random.h"

#include <math.h>

#include "cpu/elementwise.h"
#include "cpu/parallel.h"
#include "cpu/philox.h"
#include "cpu/random_loops.h"

void tn_cpu_philox_skip(tn_cpu_philox* at, uint64_t blocks) {
  at->counter[0] += blocks;
  at->counter[1] += at->counter[0] < blocks;
}

void tn_cpu_philox_block(const tn_cpu_philox* at, uint32_t out[4]) {
  philox_block(at->counter[0], at->counter[1], at->key, out);
}

// The seed goes through the generator itself, under a fixed key, so that any bits of it will do.
tn_cpu_philox tn_cpu_philox_from_seed(uint64_t seed0, uint64_t seed1) {
  uint32_t mixed[4];
  philox_block(seed0, seed1, 0x02461e293ec8f720u, mixed);
  return (tn_cpu_philox){{0, mixed[2] | (uint64_t)mixed[3] << 32},
                         mixed[0] | (uint64_t)mixed[1] << 32};
}

uint32_t tn_cpu_philox_next(tn_cpu_philox_words* words) {
  if (words->left == 0) {
    tn_cpu_philox_block(&words->at, words->block);
    tn_cpu_philox_skip(&words->at, 1);
    words->left = 4;
  }
  return words->block[4 - words->left--];
}

double tn_cpu_philox_next_double(tn_cpu_philox_words* words) {
  const uint64_t upper = tn_cpu_philox_next(words) & 0xfffff;
  return (double)(upper << 32 | tn_cpu_philox_next(words)) * 0x1p-52;
}

static float next_float(tn_cpu_philox_words* words) {
  return (float)(tn_cpu_philox_next(words) & 0x7fffff) * 0x1p-23f;
}

// Work is done in tiles: words, from them numbers, while they are in the nearest cache.
enum { TILE_BLOCKS = 256, TILE_WORDS = 4 * TILE_BLOCKS };
_Static_assert(TILE_BLOCKS % TN_RANDOM_UNROLLED == 0, "whole tiles");

typedef struct random_job {
  const tn_random_loops* loops;
  tn_cpu_distribution distribution;
  tn_dtype dtype;
  tn_cpu_philox at;
  uint64_t step;  // blocks between the beginnings of two groups
  int group;      // elements from a block
  size_t size;    // of an element
  int64_t low;
  tn_divisor range;
  int64_t count;
  char* out;
} random_job;

typedef union tile {
  uint64_t pairs[TILE_WORDS / 2];
  uint32_t words[TILE_WORDS];
  float floats[TILE_WORDS];
  double doubles[TILE_WORDS / 2];
} tile;

// The first words of each group from `at` on.
static void make_words(const random_job* job, tn_cpu_philox at, int64_t groups, tile* out) {
  groups = (groups + TN_RANDOM_UNROLLED - 1) / TN_RANDOM_UNROLLED * TN_RANDOM_UNROLLED;
  uint64_t last;
  if (!__builtin_add_overflow(at.counter[0], job->step * (uint64_t)groups, &last)) {
    job->loops->words(&at, job->step, groups, out->words);
    return;
  }
  for (int64_t i = 0; i < groups; ++i, tn_cpu_philox_skip(&at, job->step))
    tn_cpu_philox_block(&at, out->words + 4 * i);
}

// Candidates this near to the edge are drawn by the C library like all that are drawn again: it
// decides as in TensorFlow.
#define EDGE 1e-6

static void draw_floats(tn_cpu_philox at, float out[4]) {
  tn_cpu_philox_words words = {.at = at};
  for (int have = 0; have < 4;) {
    const float u = fmaxf(next_float(&words), 1.0e-7f);
    const float angle = (float)(2.0 * M_PI * (double)next_float(&words));
    const float radius = sqrtf(-2.0f * logf(u));
    const float candidates[] = {sinf(angle) * radius, cosf(angle) * radius};
    for (int i = 0; i < 2 && have < 4; ++i)
      if (fabsf(candidates[i]) < 2.0f) out[have++] = candidates[i];
  }
}

static void draw_doubles(tn_cpu_philox at, double out[2]) {
  tn_cpu_philox_words words = {.at = at};
  for (int have = 0; have < 2;) {
    const double u = fmax(tn_cpu_philox_next_double(&words), 1.0e-7);
    const double angle = 2.0 * M_PI * tn_cpu_philox_next_double(&words);
    const double radius = sqrt(-2.0 * log(u));
    const double candidates[] = {sin(angle) * radius, cos(angle) * radius};
    for (int i = 0; i < 2 && have < 2; ++i)
      if (fabs(candidates[i]) < 2.0) out[have++] = candidates[i];
  }
}

// Most groups are the four (two) normals of their first block. The rest is drawn one by one.
static void truncate_floats(tn_cpu_philox at, uint64_t step, int64_t groups, float* normals) {
  for (int64_t i = 0; i < groups; ++i, normals += 4, tn_cpu_philox_skip(&at, step)) {
    float largest = 0;
    for (int j = 0; j < 4; ++j) largest = fmaxf(largest, fabsf(normals[j]));
    if (largest > (float)(2 - EDGE)) draw_floats(at, normals);
  }
}

static void truncate_doubles(tn_cpu_philox at, uint64_t step, int64_t groups, double* normals) {
  for (int64_t i = 0; i < groups; ++i, normals += 2, tn_cpu_philox_skip(&at, step))
    if (fmax(fabs(normals[0]), fabs(normals[1])) > 2 - EDGE) draw_doubles(at, normals);
}

static void make_normals(const random_job* job, tn_cpu_philox at, int64_t groups, tile* words,
                         void* out) {
  const int64_t count = groups * job->group;
  const bool truncated = job->distribution == TN_CPU_RANDOM_TRUNCATED;
  if (job->dtype == TN_DOUBLE) {
    job->loops->normal_f64(words->pairs, out, count);
    if (truncated) truncate_doubles(at, job->step, groups, out);
    return;
  }
  tile wide;
  float* floats = job->dtype == TN_FLOAT ? out : wide.floats;
  job->loops->normal_f32(words->pairs, floats, count);
  if (truncated) truncate_floats(at, job->step, groups, floats);
  if (job->dtype != TN_FLOAT) tn_cpu_cast(TN_FLOAT, job->dtype, false, count, floats, out, NULL);
}

// Elements of whole groups, from words.
static void make_elements(const random_job* job, tn_cpu_philox at, int64_t groups, tile* words,
                          void* out) {
  const int64_t count = groups * job->group;
  switch (job->distribution) {
    case TN_CPU_RANDOM_BITS: memcpy(out, words, (size_t)count * job->size); return;
    case TN_CPU_RANDOM_INTEGERS:
      (job->size == 8 ? job->loops->integers_i64 : job->loops->integers_i32)(
          words, job->low, job->range, out, count);
      return;
    case TN_CPU_RANDOM_UNIFORM: job->loops->uniform[job->dtype](words, out, count); return;
    default: make_normals(job, at, groups, words, out);
  }
}

static void random_tiles(void* arg, int64_t begin, int64_t end) {
  const random_job* job = arg;
  tile words, last;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t first = i * TILE_BLOCKS * job->group;
    int64_t count = job->count - first;
    if (count > TILE_BLOCKS * job->group) count = TILE_BLOCKS * job->group;
    const int64_t groups = (count + job->group - 1) / job->group;
    const bool whole = groups * job->group == count;
    char* out = job->out + (size_t)first * job->size;
    tn_cpu_philox at = job->at;
    tn_cpu_philox_skip(&at, (uint64_t)(i * TILE_BLOCKS) * job->step);
    make_words(job, at, groups, &words);
    make_elements(job, at, groups, &words, whole ? (void*)out : &last);
    if (!whole) memcpy(out, &last, (size_t)count * job->size);
  }
}

// Granlund and Montgomery, "Division by invariant integers using multiplication", 1994.
static tn_divisor divisor_of(uint64_t divisor, int bits) {
  int log = 0;
  while (log < bits && (unsigned __int128)1 << log < divisor) ++log;
  unsigned __int128 excess = ((unsigned __int128)1 << log) - divisor;
  uint64_t factor = (uint64_t)((excess << bits) / divisor) + 1;
  return (tn_divisor){divisor, factor, log ? 1 : 0, log ? log - 1 : 0};
}

void tn_cpu_random(tn_cpu_distribution distribution, tn_dtype dtype, tn_cpu_philox at, int64_t low,
                   uint64_t range, int64_t count, void* out, const tn_cpu_parallel* parallel) {
  const size_t size = tn_cpu_size(dtype);
  const int group = size == 8 ? 2 : 4;
  const bool truncated = distribution == TN_CPU_RANDOM_TRUNCATED;
  random_job job = {
      .loops = TN_CPU_CHOOSE(tn_random_loops),
      .distribution = distribution,
      .dtype = dtype,
      .at = at,
      .step = truncated ? 64 * (uint64_t)group : 1,
      .group = group,
      .size = size,
      .low = low,
      .count = count,
      .out = out,
  };
  if (distribution == TN_CPU_RANDOM_INTEGERS) job.range = divisor_of(range, size == 8 ? 64 : 32);
  const int64_t nanoseconds = truncated                              ? 4 * TILE_WORDS
                              : distribution == TN_CPU_RANDOM_NORMAL ? 2 * TILE_WORDS
                                                                     : TILE_WORDS / 2;
  tn_cpu_run(parallel, (count + TILE_BLOCKS * group - 1) / (TILE_BLOCKS * group), nanoseconds,
             random_tiles, &job);
}
