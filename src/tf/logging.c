// logging.h (TensorFlow 2.4 to 2.20).

#include "tensorflow/c/logging.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/log.h"

void TF_Log(TF_LogLevel level, const char* fmt, ...) {
  static const tn_log_level levels[] = {TN_LOG_INFO, TN_LOG_WARNING, TN_LOG_ERROR, TN_LOG_ERROR};
  if (!fmt) return;
  va_list args;
  va_start(args, fmt);
  tn_logv(level >= TF_INFO && level <= TF_FATAL ? levels[level] : TN_LOG_INFO, fmt, args);
  va_end(args);
  // A plugin that logs at this level does not expect to go on; see LogMessageFatal in python.c.
  if (level == TF_FATAL) abort();
}

void TF_VLog(int level, const char* fmt, ...) {
  if (!fmt) return;
  va_list args;
  va_start(args, fmt);
  tn_logv(TN_LOG_DEBUG, fmt, args);
  va_end(args);
}

// TensorFlow drops these in release builds.
void TF_DVLog(int level, const char* fmt, ...) {}
