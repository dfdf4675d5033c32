// The least and the greatest value of each type: least_i8, most_i8, ...
#ifndef TENON_CPU_REDUCE_LIMITS_H_
#define TENON_CPU_REDUCE_LIMITS_H_

#include <math.h>
#include <stdint.h>

#define least_i8 INT8_MIN
#define most_i8 INT8_MAX
#define least_i16 INT16_MIN
#define most_i16 INT16_MAX
#define least_i32 INT32_MIN
#define most_i32 INT32_MAX
#define least_i64 INT64_MIN
#define most_i64 INT64_MAX
#define least_u8 0
#define most_u8 UINT8_MAX
#define least_u16 0
#define most_u16 UINT16_MAX
#define least_u32 0
#define most_u32 UINT32_MAX
#define least_u64 0
#define most_u64 UINT64_MAX
#define least_f32 (-INFINITY)
#define most_f32 INFINITY
#define least_f64 (-INFINITY)
#define most_f64 INFINITY

#endif  // TENON_CPU_REDUCE_LIMITS_H_
