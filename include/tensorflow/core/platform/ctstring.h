// TF_TString and its inline operations, under the path plugin sources include.

#ifndef TENSORFLOW_CORE_PLATFORM_CTSTRING_H_
#define TENSORFLOW_CORE_PLATFORM_CTSTRING_H_

#include "tensorflow/core/platform/ctstring_internal.h"

#endif  // TENSORFLOW_CORE_PLATFORM_CTSTRING_H_
