#include "base/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char* const level_names[] = {"debug", "info", "warning", "error", "off"};

enum { unread = -1, line_size = 2048, text_limit = 2000 };

static _Atomic int least_shown = unread;
static _Atomic(void (*)(const char*)) listener;

static int level_from_environment(void) {
  const char* text = getenv("TENON_LOG");
  for (int level = TN_LOG_DEBUG; text && level <= TN_LOG_OFF; ++level) {
    const char number[] = {(char)('0' + level), 0};
    if (strcasecmp(text, level_names[level]) == 0 || strcmp(text, number) == 0) return level;
  }
  return TN_LOG_WARNING;
}

bool tn_log_enabled(tn_log_level level) {
  int least = atomic_load_explicit(&least_shown, memory_order_relaxed);
  if (least == unread) {
    // Two threads that come here at once read the same environment; tn_log_set_level wins over
    // both.
    int expected = unread;
    least = level_from_environment();
    if (!atomic_compare_exchange_strong(&least_shown, &expected, least)) least = expected;
  }
  return (int)level >= least && level >= TN_LOG_DEBUG && level < TN_LOG_OFF;
}

void tn_log_set_listener(void (*listen)(const char* line)) { atomic_store(&listener, listen); }

void tn_log_set_level(tn_log_level level) { atomic_store(&least_shown, (int)level); }

void tn_logv(tn_log_level level, const char* format, va_list args) {
  if (!tn_log_enabled(level)) return;
  int saved_errno = errno;
  char line[line_size];
  int start = snprintf(line, sizeof line, "tenon: %s: ", level_names[level]);
  int size = vsnprintf(line + start, text_limit + 1, format, args);
  if (size < 0) size = 0;
  if (size > text_limit) {
    size = text_limit;
    memcpy(line + start + size - 3, "...", 3);
  }
  while (size > 0 && line[start + size - 1] == '\n') --size;
  for (char* c = line + start; c < line + start + size; ++c)
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
  line[start + size] = '\n';
  // A log that cannot be written has nowhere to say so.
  ssize_t written = write(STDERR_FILENO, line, (size_t)(start + size + 1));
  (void)written;
  void (*listen)(const char*) = atomic_load(&listener);
  line[start + size] = 0;
  static _Thread_local bool listening;  // what a listener logs itself is not for it to hear
  if (listen && !listening) {
    listening = true;
    listen(line);
    listening = false;
  }
  errno = saved_errno;
}

void tn_log(tn_log_level level, const char* format, ...) {
  va_list args;
  va_start(args, format);
  tn_logv(level, format, args);
  va_end(args);
}
