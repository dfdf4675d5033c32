// Inner loops of scan.c. An accumulator has room for two doubles.
#ifndef TENON_CPU_SCAN_LOOPS_H_
#define TENON_CPU_SCAN_LOOPS_H_

#include "cpu/loops.h"
#include "cpu/scan.h"

typedef struct tn_scan {
  int64_t acc_size;
  void (*begin)(void* acc, int64_t lanes);
  // A run of neighbours, from the first or (step -1) the last on; *acc is carried along.
  void (*run)(const void* in, void* out, int64_t count, int step, bool exclusive, void* acc);
  // Rows, `stride` elements apart; acc[j] is carried along for each of the `width` columns.
  void (*columns)(const void* in, void* out, int64_t stride, int64_t rows, int64_t width,
                  bool exclusive, void* acc);
  // *acc takes `count` elements in any order. NULL: not worth doing apart.
  void (*total)(const void* in, int64_t count, void* acc);
  void (*merge)(void* acc, const void* other);
} tn_scan;

typedef struct tn_scan_loops {
  tn_scan scan[TN_CPU_SCAN_OPS][TN_CPU_DTYPES];  // none for half and bfloat16
} tn_scan_loops;
TN_CPU_DECLARE(tn_scan_loops);

#endif  // TENON_CPU_SCAN_LOOPS_H_
