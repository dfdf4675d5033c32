// Random numbers with TensorFlow's Philox 4x32-10: the same bits at the same places, whatever the
// number of threads.
#ifndef TENON_CPU_RANDOM_H_
#define TENON_CPU_RANDOM_H_

#include "cpu/cpu.h"

// A place in a stream. Each value of the 128-bit counter (low half first) gives a block of four
// words of 32 bits.
typedef struct tn_cpu_philox {
  uint64_t counter[2];
  uint64_t key;
} tn_cpu_philox;

void tn_cpu_philox_skip(tn_cpu_philox* at, uint64_t blocks);
// The block at this place.
void tn_cpu_philox_block(const tn_cpu_philox* at, uint32_t out[4]);
// Where the stream of a seed of two numbers begins, in ops without state.
tn_cpu_philox tn_cpu_philox_from_seed(uint64_t seed0, uint64_t seed1);

// Takes words one after the other. Begins with `at` set and the rest zero.
typedef struct tn_cpu_philox_words {
  tn_cpu_philox at;
  uint32_t block[4];
  int left;
} tn_cpu_philox_words;
uint32_t tn_cpu_philox_next(tn_cpu_philox_words* words);
// In [0, 1), of two words.
double tn_cpu_philox_next_double(tn_cpu_philox_words* words);

typedef enum tn_cpu_distribution {
  TN_CPU_RANDOM_BITS,       // all values of 32 and 64 bit integers
  TN_CPU_RANDOM_INTEGERS,   // from `low` to below `low` + `range`; int32 and int64
  TN_CPU_RANDOM_UNIFORM,    // [0, 1); TN_CPU_FLOATS, like the following
  TN_CPU_RANDOM_NORMAL,     // Box and Muller's, of mean 0 and deviation 1
  TN_CPU_RANDOM_TRUNCATED,  // the same, drawn again until in (-2, 2)
} tn_cpu_distribution;

// Elements of 64 bits take two words, others one. Truncated normals take what they need of 256
// blocks (128 for double) kept for as many elements as a block has.
void tn_cpu_random(tn_cpu_distribution distribution, tn_dtype dtype, tn_cpu_philox at, int64_t low,
                   uint64_t range, int64_t count, void* out, const tn_cpu_parallel* parallel);

// Picks `samples` columns for each row of TN_CPU_FLOATS, in proportion to exp(logits); columns that
// are not finite are never picked, and out of none comes `columns`. `out` is int32 or int64.
// `workspace` has as many doubles as tn_cpu_multinomial_workspace says.
size_t tn_cpu_multinomial_workspace(int64_t rows, int64_t columns);
void tn_cpu_multinomial(tn_dtype dtype, int64_t rows, int64_t columns, const void* logits,
                        int64_t samples, tn_cpu_philox at, double* workspace, tn_dtype out_dtype,
                        void* out, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_RANDOM_H_
