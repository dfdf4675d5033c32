// Log lines through the host, in printf format. TensorFlow dropped these after 2.20; older plugins
// still import them.

#ifndef TENSORFLOW_C_LOGGING_H_
#define TENSORFLOW_C_LOGGING_H_

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TF_LogLevel {
  TF_INFO = 0,
  TF_WARNING = 1,
  TF_ERROR = 2,
  TF_FATAL = 3,
} TF_LogLevel;

TF_CAPI_EXPORT void TF_Log(TF_LogLevel level, const char* fmt, ...);

// Shown only where the host's verbosity is at least `level`; DVLog in debug builds only.
TF_CAPI_EXPORT void TF_VLog(int level, const char* fmt, ...);
TF_CAPI_EXPORT void TF_DVLog(int level, const char* fmt, ...);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_LOGGING_H_
