// The ops that the host knows without any plugin: TensorFlow's most used ones, with its own names,
// arguments and attributes, and shape functions that say what TensorFlow's say.
#ifndef TENON_OP_BUILTIN_BUILTIN_OPS_H_
#define TENON_OP_BUILTIN_BUILTIN_OPS_H_

#include <stdbool.h>

#include "tenon/status.h"

// Registers each of them. The op registry calls it once, before anything else is looked up or
// added; when it fails, again at the next call.
bool tn_builtin_ops_register(tn_status* status);

#endif  // TENON_OP_BUILTIN_BUILTIN_OPS_H_
