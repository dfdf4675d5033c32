// What is registered in this process: ops and kernels, the host's own and those of plugins.
#ifndef TENON_REGISTRY_H_
#define TENON_REGISTRY_H_

#include <stddef.h>
#include <stdint.h>

#include "tenon/abi.h"
#include "tenon/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// An op as its author specified it. Strings and arrays live as long as the description.
typedef struct tn_op_info {
  size_t struct_size;               // the end of what the library knows       since 0.1
  void* ext;                        // NULL                                    since 0.1
  const char* name;                 //                                         since 0.1
  const char* origin;               // the plugin file, or "tenon"             since 0.1
  const char* const* inputs;        // "x: T", "values: N * T"                 since 0.1
  size_t input_count;               //                                         since 0.1
  const char* const* outputs;       //                                         since 0.1
  size_t output_count;              //                                         since 0.1
  const char* const* attrs;         // "T: {float, int32} = DT_FLOAT"          since 0.1
  size_t attr_count;                //                                         since 0.1
  bool is_stateful;                 //                                         since 0.1
  bool is_commutative;              //                                         since 0.1
  bool is_aggregate;                //                                         since 0.1
  bool allows_uninitialized_input;  //                                    since 0.1
  bool infers_shapes;               // it has a shape function                 since 0.1
  int deprecated_at;                // graph version, 0 when it is not         since 0.1
  const char* deprecation;          // what its author says instead, or ""     since 0.1
} tn_op_info;
TN_DEFINE_STRUCT_SIZE(tn_op_info, deprecation);

// Describes the op `name`. Owned by the caller until tn_op_info_destroy. NULL and NOT_FOUND, with
// the nearest names, when there is none.  [any thread]  since 0.1
tn_op_info* tn_op_info_create(const char* name, tn_status* status);

// Frees a description and what it points to; NULL is fine. The caller's pointer is dead afterwards.
// [any thread]  since 0.1
void tn_op_info_destroy(tn_op_info* info);

// Calls `visit` with every op's name, in order of registration, until it returns false. The name
// and the origin are owned by the library and valid for ever.  [any thread]  since 0.1
void tn_ops_each(bool (*visit)(const char* name, const char* origin, void* arg), void* arg);

// A kernel. Strings and arrays are valid during the visit only, except `origin`.
typedef struct tn_kernel_info {
  size_t struct_size;              // the end of what the library knows    since 0.1
  void* ext;                       // NULL                                 since 0.1
  const char* op;                  //                                      since 0.1
  const char* device;              // "CPU"                                since 0.1
  const char* name;                // what its author called it            since 0.1
  const char* label;               // "" unless it wants one               since 0.1
  int32_t priority;                //                                      since 0.1
  const char* origin;              // the plugin file, or "tenon"          since 0.1
  const char* const* constraints;  // "T in [DT_FLOAT]"                   since 0.1
  size_t constraint_count;         //                                      since 0.1
  const char* const* host_memory;  // arguments kept in host memory       since 0.1
  size_t host_memory_count;        //                                      since 0.1
  bool is_async;                   //                                      since 0.1
} tn_kernel_info;
TN_DEFINE_STRUCT_SIZE(tn_kernel_info, is_async);

// Calls `visit` with every kernel of `op` (NULL: of all ops) until it returns false. What it is
// given is owned by the library until `visit` returns. False and RESOURCE_EXHAUSTED without memory.
// [any thread]  since 0.1
bool tn_kernels_each(const char* op, bool (*visit)(const tn_kernel_info* info, void* arg),
                     void* arg, tn_status* status);

#ifdef __cplusplus
}
#endif
#endif  // TENON_REGISTRY_H_
