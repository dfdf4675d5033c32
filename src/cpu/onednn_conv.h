// Convolutions of floats by oneDNN.
#ifndef TENON_CPU_ONEDNN_CONV_H_
#define TENON_CPU_ONEDNN_CONV_H_

#include <stdbool.h>

#include "cpu/conv.h"

typedef enum tn_onednn_pass {
  TN_ONEDNN_FORWARD,
  TN_ONEDNN_INPUT_GRADIENT,
  TN_ONEDNN_FILTER_GRADIENT
} tn_onednn_pass;

// One of the three arrays is written: the output, or what the gradient is for. False, with that one
// in any state, when oneDNN is not there, has nothing fast for it, or no memory.
bool tn_onednn_conv2d(tn_onednn_pass pass, const tn_cpu_conv2d* conv, float* input, float* filter,
                      float* output, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_ONEDNN_CONV_H_
