// What random kernels share, with state and without.
#ifndef TENON_PLUGINS_CPU_RANDOM_H_
#define TENON_PLUGINS_CPU_RANDOM_H_

#include "cpu/random.h"
#include "kernel.h"

#define RANDOM_INDEX (TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64))
#define RANDOM_WIDE (RANDOM_INDEX | TN_CPU_TYPE(TN_UINT32) | TN_CPU_TYPE(TN_UINT64))

// Output 0, of the shape that input `index` tells.
bool random_output(run* run, int index, array* out);
// The scalars minval and maxval at inputs `first` and `first` + 1, as tn_cpu_random takes them.
// Whoever wants no numbers may ask for impossible ones.
bool random_range(run* run, int first, const array* out, int64_t* low, uint64_t* range);

// Multinomial's work on logits (input 0) and num_samples (input 1). `reserve` is asked where the
// numbers begin once their count is known.
void random_multinomial(run* run, tn_cpu_philox (*reserve)(void* from, int64_t outputs),
                        void* from);

// Input 0 along its first dimension in an order drawn from the stream, as output 0; `reserve` is
// asked for the words it takes.
void random_shuffle(run* run, tn_cpu_philox (*reserve)(void* from, int64_t words), void* from);

#endif  // TENON_PLUGINS_CPU_RANDOM_H_
