#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H
#include "hip/hip_runtime_api.h"
#endif  // HIP_INCLUDE_HIP_HIP_RUNTIME_H
