#include "pjrt/host/policy.h"

#include "abi/day.h"
#include "base/status.h"
#include "doctor/window.h"
#include "pjrt/host/plugin.h"

enum { WEEKS = 12, MOST_WEEKS = 5200, TIME_LIMIT_MS = 30000 };

static bool refuse(tn_status* status, const char* format, ...) TN_PRINTF(2, 3);
static bool refuse(tn_status* status, const char* format, ...) {
  va_list args;
  va_start(args, format);
  tn_status_setv(status, TN_INVALID_ARGUMENT, format, args);
  va_end(args);
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}

bool tn_pjrt_options_read(const tn_pjrt_open_options* given, tn_pjrt_open_options* out,
                          tn_status* status) {
  *out = TN_INIT(tn_pjrt_open_options);
  const char* wrong = given ? TN_CHECK_RESERVED(given, ext) : NULL;
  if (wrong)
    return refuse(status,
                  "tn_pjrt_open_options: struct_size %zu: %s; begin with "
                  "TN_INIT(tn_pjrt_open_options), which has %zu",
                  given->struct_size, wrong, (size_t)tn_pjrt_open_options_STRUCT_SIZE);
#define TAKE(field) \
  if (given && TN_HAS(given, field)) out->field = given->field
  TAKE(policy);
  TAKE(window_weeks);
  TAKE(as_of);
  TAKE(as_host);
  TAKE(time_limit_ms);
  TAKE(first_contact);
#undef TAKE
  int64_t day;
  if (out->policy > TN_PJRT_EQUAL)
    return refuse(status,
                  "tn_pjrt_open_options: policy %u is none; there are 0 (any), 1 (window) "
                  "and 2 (equal)",
                  out->policy);
  if (out->window_weeks > MOST_WEEKS)
    return refuse(status, "tn_pjrt_open_options: a window of %u weeks is longer than %d",
                  out->window_weeks, MOST_WEEKS);
  if (out->as_of && !tn_day_parse(out->as_of, &day))
    return refuse(status, "tn_pjrt_open_options: as_of \"%s\" is no day; write 2026-11-15",
                  out->as_of);
  if (out->as_host && (out->as_host < TN_PJRT_OLDEST || out->as_host > TN_PJRT_NEWEST ||
                       out->as_host == TN_PJRT_ODD))
    return refuse(status,
                  "tn_pjrt_open_options: this host can act as 0.%d to 0.%d, 0.%d excepted, "
                  "and not as 0.%d",
                  TN_PJRT_OLDEST, TN_PJRT_NEWEST, TN_PJRT_ODD, out->as_host);
  if (!out->window_weeks) out->window_weeks = WEEKS;
  if (!out->time_limit_ms) out->time_limit_ms = TIME_LIMIT_MS;
  return true;
}

// The seed's rule: a release of a day supports the numbers in force within so many weeks before it.
static bool check_window(const tn_pjrt_open_options* options, const char* path, int minor,
                         tn_status* status) {
  tn_window_question question = {.minor = minor,
                                 .weeks = (int)options->window_weeks,
                                 .day = tn_day_today(),
                                 .major_announced = -1};
  if (options->as_of) tn_day_parse(options->as_of, &question.day);
  tn_window_answer answer;
  if (!tn_window_answer_get(&question, &answer, status)) return false;
  if (answer.lines[0].verdict != TN_WINDOW_NO) return true;
  tn_status_set(
      status, TN_FAILED_PRECONDITION,
      "%s: it has PJRT 0.%d, and the policy asks for a window of %u weeks: %s; update the "
      "plugin, or ask for no window",
      path, minor, options->window_weeks, answer.lines[0].text);
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}

bool tn_pjrt_policy_check(const tn_pjrt_open_options* options, const char* path, int minor,
                          tn_status* status) {
  const int host = options->as_host ? options->as_host : TN_PJRT_NEWEST;
  if (options->policy == TN_PJRT_WINDOW) return check_window(options, path, minor, status);
  if (options->policy != TN_PJRT_EQUAL || minor == host) return true;
  const bool plugin_is_older = minor < host;
  tn_status_set(
      status, TN_FAILED_PRECONDITION,
      "%s: it has PJRT 0.%d, this host %s 0.%d, and the policy asks for equal numbers; the "
      "%s is the older side: update it, or do not ask for equal numbers",
      path, minor, options->as_host ? "acts as" : "has", host, plugin_is_older ? "plugin" : "host");
  tn_status_set_fault(status, plugin_is_older ? TN_FAULT_PLUGIN : TN_FAULT_HOST);
  return false;
}
