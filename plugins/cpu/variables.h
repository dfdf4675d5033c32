// Variables as kernels that update them see them. TensorFlow stopped exporting the functions behind
// this in 2.19: they are imported weakly, and whoever uses them asks has_variables first.
#ifndef TENON_PLUGINS_CPU_VARIABLES_H_
#define TENON_PLUGINS_CPU_VARIABLES_H_

#include "kernel.h"
#include "tensorflow/c/kernels_experimental.h"

bool has_variables(void);

// Gives a variable memory of its own; takes both handles.
void copy_variable(TF_OpKernelContext* context, TF_Tensor* source, TF_Tensor* dest);

// The first `count` inputs, which are variables, locked for writing and at hand. A kernel's
// use_locking does not matter: without it, updates may get lost, and here they do not.
enum { MAX_VARIABLES = 4 };
typedef struct held_variables {
  TF_VariableInputLockHolder* locks;
  TF_Tensor* tensors[MAX_VARIABLES];
} held_variables;
// `sparse`: only parts of them are written, now and later. In any case, release follows.
// NOT_FOUND unless the first input is a variable that has been assigned; else hold_variables has a
// code of its own for that.
bool find_variable(run* run);
bool hold_variables(run* run, int count, bool sparse, held_variables* held, array* out);
void release_variables(held_variables* held);

#endif  // TENON_PLUGINS_CPU_VARIABLES_H_
