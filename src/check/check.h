// Conformance of a plugin: cases chosen, each run in a process of its own, what became of it.
#ifndef TENON_CHECK_CHECK_H_
#define TENON_CHECK_CHECK_H_

#include "base/text.h"
#include "check/select.h"

typedef enum tn_outcome {
  TN_OUTCOME_PASSED,
  TN_OUTCOME_FAILED,     // findings tell what
  TN_OUTCOME_SKIPPED,    // reason tells why
  TN_OUTCOME_DIED,       // ended tells how and where; findings may tell what came before
  TN_OUTCOME_TIMED_OUT,  // likewise
  TN_OUTCOME_NEVER,      // not run: on the list of what can never work here
  TN_OUTCOME_ERROR,      // could not be carried out; reason tells why
} tn_outcome;
const char* tn_outcome_name(tn_outcome outcome);  // "passed"

typedef struct tn_finding {
  uint64_t kind;  // equal in findings that are alike, of which one is kept
  const char *contract, *expected, *seen;
  size_t more;  // how many others were alike
} tn_finding;

typedef struct tn_check_result {
  const tn_check_case* item;
  tn_face face;
  char name[TN_CASE_NAME_MOST];
  tn_outcome outcome;
  const tn_exception* excuse;  // the entry of the list that speaks of it
  tn_finding* findings;
  size_t finding_count, finding_capacity;
  char* reason;
  tn_text ended, notes;
  double seconds;
  tn_text bytes;  // what findings point into
} tn_check_result;

// What a result means once the lists are known.
typedef enum tn_verdict {
  TN_VERDICT_FINE,     // passed, skipped, or never to work here
  TN_VERDICT_BAD,      // the plugin is at fault
  TN_VERDICT_FOR_NOW,  // fails, and the list says so
  TN_VERDICT_STALE,    // passes although the list says that it fails: the list is to change
  TN_VERDICT_ERROR,    // could not be carried out
} tn_verdict;
tn_verdict tn_check_verdict(const tn_check_result* result);

typedef struct tn_check_options {
  const char* const* only;  // patterns; a case that fits one is chosen. None: all
  size_t only_count;
  uint32_t faces;  // bits 1 << tn_face; 0: all that the plugin has
  uint64_t seed;
  uint32_t time_limit_ms;     // of a case; 0: 30,000
  uint32_t jobs;              // cases at the same time; 0: 1
  const char* const* client;  // "key=value"
  size_t client_count;
  const char* const* ops;  // "ops=PATTERN", "not-ops=PATTERN": kernels that are looked at
  size_t op_count;
  const tn_exceptions *never, *for_now;  // may be NULL
} tn_check_options;

typedef struct tn_check tn_check;

// Looks at the plugin's file and chooses the cases. `options` stays the caller's and must outlive
// the result; NULL with the reason when there is nothing that could be checked.
tn_check* tn_check_create(const char* path, const tn_check_options* options, tn_status* status);
void tn_check_destroy(tn_check* check);
size_t tn_check_count(const tn_check* check);
// Borrowed; complete once tn_check_run has told of it.
const tn_check_result* tn_check_result_at(const tn_check* check, size_t i);
const char* tn_check_path(const tn_check* check);  // as it was given
const tn_check_options* tn_check_options_of(const tn_check* check);

// Runs all cases. `done` hears of each, in order, on the calling thread.
bool tn_check_run(tn_check* check, void (*done)(const tn_check* check, size_t i, void* arg),
                  void* arg, tn_status* status);

// ---- What others read ----

// "1..120" and what goes before; the lines of one result; the summary.
void tn_check_tap_begin(const tn_check* check, tn_text* out);
void tn_check_tap_result(const tn_check* check, size_t i, tn_text* out);
void tn_check_tap_end(const tn_check* check, tn_text* out);
void tn_check_json(const tn_check* check, tn_text* out);
void tn_check_junit(const tn_check* check, tn_text* out);
// A command that runs this case alone.
void tn_check_reproduce(const tn_check* check, const tn_check_result* result, tn_text* out);

typedef struct tn_check_totals {
  size_t passed, failed, skipped, never, for_now, stale, errors;
  size_t no_device;  // of those skipped
} tn_check_totals;
tn_check_totals tn_check_count_up(const tn_check* check);
// True when cases were to run and none did.
bool tn_check_was_idle(const tn_check_totals* totals);
// What a summary of numbers would hide: that no case ran, or few for want of hardware. Else
// nothing.
void tn_check_warning(const tn_check* check, tn_text* out);

#endif  // TENON_CHECK_CHECK_H_
