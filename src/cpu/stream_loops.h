// Writing past the caches.
#ifndef TENON_CPU_STREAM_LOOPS_H_
#define TENON_CPU_STREAM_LOOPS_H_

#include "cpu/loops.h"

// Outputs from this size on are worth it: no cache would hold them until they are needed, and
// written the usual way their lines are read first. (Not where the memory is an input as well.)
enum { TN_CPU_STREAM_BYTES = 16 << 20 };

typedef struct tn_stream_loops {
  // A copy; streams where `out` lies at the boundary of a vector.
  void (*copy)(const void* in, void* out, int64_t bytes);
  // After the last copy: makes all of them visible to other threads.
  void (*end)(void);
} tn_stream_loops;
TN_CPU_DECLARE(tn_stream_loops);

#endif  // TENON_CPU_STREAM_LOOPS_H_
