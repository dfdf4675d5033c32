// What the host says while it works, for people: one line per event on standard error.
// Environment: TENON_LOG=debug|info|warning|error|off (or 0 to 4) is the least level shown;
// "warning" when unset or not understood. Outcomes of calls go into statuses, not here.
#ifndef TENON_BASE_LOG_H_
#define TENON_BASE_LOG_H_

#include <stdarg.h>
#include <stdbool.h>

#include "tenon/status.h"

typedef enum tn_log_level {
  TN_LOG_DEBUG = 0,
  TN_LOG_INFO = 1,
  TN_LOG_WARNING = 2,
  TN_LOG_ERROR = 3,
  TN_LOG_OFF = 4,
} tn_log_level;

// Writes "tenon: warning: <text>" as one line in one system call, so lines of several threads do
// not mix; works without memory. Control characters become spaces; text past 2,000 bytes is cut
// ("..."). [any thread]
void tn_log(tn_log_level level, const char* format, ...) TN_PRINTF(2, 3);
void tn_logv(tn_log_level level, const char* format, va_list args);

// For messages that are dear to put together.  [any thread]
bool tn_log_enabled(tn_log_level level);

// Takes the place of TENON_LOG (a command's --verbose).  [any thread]
void tn_log_set_level(tn_log_level level);

// Also calls `listen` with every line shown, without its end; NULL stops that. [any thread]
void tn_log_set_listener(void (*listen)(const char* line));

#endif  // TENON_BASE_LOG_H_
