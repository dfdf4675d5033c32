// The compatibility window: would a framework released on a day still take a plugin of this number?
// What the policy promises (seed: a release on day T supports the numbers in force from T minus N
// weeks to T), beside what shipped frameworks do.
#ifndef TENON_DOCTOR_WINDOW_H_
#define TENON_DOCTOR_WINDOW_H_

#include "abi/releases.h"
#include "base/text.h"
#include "tenon/status.h"

typedef enum tn_window_verdict {
  TN_WINDOW_YES,
  TN_WINDOW_NO,
  TN_WINDOW_PLUGIN_DECIDES,  // the plugin is newer than the framework: its own policy counts
  TN_WINDOW_NO_PROMISE,      // experimental, or not to be known
} tn_window_verdict;
const char* tn_window_verdict_name(tn_window_verdict verdict);

typedef enum tn_window_side { TN_SIDE_NONE, TN_SIDE_PLUGIN, TN_SIDE_FRAMEWORK } tn_window_side;
const char* tn_window_side_name(tn_window_side side);

// A feature beyond the plain table. While experimental it carries a number of its own and no
// promise; its window begins on the day it left (`stable_since`, negative while it has not). An
// optional one may be null in a plugin, but the plugin still needs a release with the number that
// added it.
typedef struct tn_window_feature {
  char name[48];
  bool experimental, optional;
  int plugin_number, framework_number;  // experimental numbers of both sides; -1: absent there
  int added_in;                         // PJRT minor; -1 when it is none
  int64_t stable_since;
} tn_window_feature;

// Reads one as a user writes it: "bitcast@0.113:optional",
// "streams:experimental,plugin=2,framework=3,stable=2026-06-01". INVALID_ARGUMENT otherwise.
bool tn_window_feature_parse(const char* text, tn_window_feature* out, tn_status* status);

typedef struct tn_window_question {
  int major, minor;  // the plugin's number
  int weeks;         // 6 or 12, or any other
  int64_t day;       // the framework's release day, unless `release` is given
  const tn_abi_release* release;
  int framework_major;      // 0 today
  int64_t major_announced;  // the day a new major was announced; negative when it was not
  int64_t major_day;        // the day it came
  // StableHLO versions, NULL where not known. `program` is what the program was written in, else
  // the framework's current version counts.
  const char *plugin_stablehlo, *plugin_stablehlo_minimum, *program_stablehlo;
  const int* extensions;  // ids that the plugin's chain has; NULL when not known
  size_t extension_count;
  const tn_window_feature* features;
  size_t feature_count;
} tn_window_question;

// One potential source of incompatibility, with its own conclusion.
typedef struct tn_window_line {
  const char* source;  // "API number", "StableHLO", "extensions", or a feature's name
  tn_window_verdict verdict;
  tn_window_side update;
  char text[512];
} tn_window_line;

enum { TN_WINDOW_LINES = 32 };
typedef struct tn_window_answer {
  tn_window_verdict verdict;  // the worst of the lines
  tn_window_side update;
  int64_t first_day, last_day;  // frameworks released in between support the number; last_day
                                // INT64_MAX: no end is known yet
  bool beyond_tables;           // judged by rule: the number is newer than the tables
  tn_window_line lines[TN_WINDOW_LINES];
  size_t line_count;
  char shipped[512];  // what the release, or releases of that day, really do with such a plugin
} tn_window_answer;

// False with INVALID_ARGUMENT when the question cannot be judged (weeks of 0, a major below 0).
bool tn_window_answer_get(const tn_window_question* question, tn_window_answer* out,
                          tn_status* status);

#endif  // TENON_DOCTOR_WINDOW_H_
