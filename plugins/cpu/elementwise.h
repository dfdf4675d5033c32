// Kernels whose whole work is one loop of the CPU room, a line each:
//
//   #define OPS(X) X(AddV2, tn_cpu_arithmetic, TN_CPU_ADD, TN_CPU_NUMBERS) X(Sub, ...)
//   OPS(ELEMENTWISE_COMPUTE)
//   void register_family(void) {
//     static const kernel kernels[] = {OPS(ELEMENTWISE_KERNEL)};
//     register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
//   }
//
// The type of the first input chooses the loop, the loop's number of inputs the shapes: two or more
// broadcast, unless a rule says otherwise (ELEMENTWISE_RULE_COMPUTE). `types` constrain the
// attribute T. Outputs take over an input's memory where they can.
#ifndef TENON_PLUGINS_CPU_ELEMENTWISE_H_
#define TENON_PLUGINS_CPU_ELEMENTWISE_H_

#include "cpu/elementwise.h"
#include "kernel.h"

typedef enum shape_rule {
  BROADCAST,
  SAME_SHAPE,
  SAME_COUNT,  // the output has the first one's shape
} shape_rule;

typedef struct elementwise {
  const char* op;
  tn_cpu_loop (*find)(int code, tn_dtype dtype);
  int code;
  shape_rule rule;
  TF_Code division;  // what a divisor that is an integer and 0 gives; TF_OK: there is none
} elementwise;
void elementwise_run(const elementwise* op, TF_OpKernelContext* context);

// The same for inputs that have been read; `extra` is one more input, a scalar, if not NULL.
void elementwise_apply(run* run, const elementwise* op, array* inputs, int count,
                       const array* extra);

#define ELEMENTWISE_COMPUTE(name, finder, which, types) \
  ELEMENTWISE_RULE_COMPUTE(name, finder, which, types, BROADCAST)
#define ELEMENTWISE_RULE_COMPUTE(name, finder, which, types, ...)         \
  static void compute_##name(void* state, TF_OpKernelContext* context) {  \
    static const elementwise op = {                                       \
        .op = #name, .find = finder, .code = which, .rule = __VA_ARGS__}; \
    elementwise_run(&op, context);                                        \
  }
#define ELEMENTWISE_KERNEL(name, finder, which, types, ...) \
  {.op = #name, .compute = compute_##name, .constraints = {{"T", types}}},

bool same_shape(const array* x, const array* y);

// The shape that all inputs broadcast to, and the strides to walk each of them in it: dimensions
// are aligned at the end, and one of size 1 repeats. For kernels that do more than one loop.
typedef struct broadcast {
  int rank;
  int64_t dims[TN_CPU_MAX_RANK], strides[TN_CPU_MAX_INPUTS][TN_CPU_MAX_RANK];
} broadcast;
bool plan_broadcast(run* run, const array* inputs, int count, broadcast* plan);
void zip_broadcast(run* run, tn_cpu_loop loop, const array* inputs, const broadcast* plan,
                   void* out);
// tn_cpu_zip, launched; inputs are in device memory where the run launches.
void run_zip(run* run, tn_cpu_loop loop, int rank, const int64_t* dims, const void* const* in,
             const int64_t* const* strides, void* out);

#endif  // TENON_PLUGINS_CPU_ELEMENTWISE_H_
