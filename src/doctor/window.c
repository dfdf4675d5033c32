#include "doctor/window.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "abi/pjrt_history.h"
#include "abi/table.h"

const char* tn_window_verdict_name(tn_window_verdict verdict) {
  static const char* const names[] = {"yes", "no", "plugin decides", "no promise"};
  return names[verdict];
}

const char* tn_window_side_name(tn_window_side side) {
  static const char* const names[] = {"none", "plugin", "framework"};
  return names[side];
}

static TN_PRINTF(5, 6) void add_line(tn_window_answer* out, const char* source,
                                     tn_window_verdict verdict, tn_window_side update,
                                     const char* format, ...) {
  if (out->line_count == TN_WINDOW_LINES) return;
  tn_window_line* line = &out->lines[out->line_count++];
  *line = (tn_window_line){source, verdict, update, ""};
  va_list args;
  va_start(args, format);
  vsnprintf(line->text, sizeof line->text, format, args);
  va_end(args);
}

// The framework as the policy sees it: a day and a number.
typedef struct framework {
  int64_t day;
  int minor;
  char name[64];
} framework;

static framework framework_of(const tn_window_question* question) {
  const tn_abi_release* release = question->release;
  framework found = {release ? release->day : question->day, 0, ""};
  found.minor = release && release->minor >= 0 ? release->minor : tn_abi_pjrt_number_on(found.day);
  char day[TN_DAY_TEXT];
  if (release) {
    snprintf(found.name, sizeof found.name, "%s %s", release->framework, release->version);
  } else {
    snprintf(found.name, sizeof found.name, "a framework of %s", tn_day_text(found.day, day));
  }
  return found;
}

// Which days of release support the number: from the day it began to `weeks` after the next one
// did.
static void find_days(const tn_window_question* question, tn_window_answer* out) {
  bool observed;
  out->first_day = INT64_MAX;
  out->last_day = INT64_MAX;
  out->beyond_tables = question->major > 0 || question->minor > tn_abi_pjrt_newest();
  if (question->major != 0) return;
  if (!tn_abi_pjrt_day(question->minor, &out->first_day, &observed)) return;
  int64_t next;
  if (tn_abi_pjrt_day(tn_abi_pjrt_next(question->minor), &next, &observed))
    out->last_day = next + 7 * (int64_t)question->weeks;
}

static void judge_major(const tn_window_question* question, const framework* framework,
                        tn_window_answer* out) {
  const bool older = question->major < question->framework_major;
  add_line(out, "API number", TN_WINDOW_NO, older ? TN_SIDE_PLUGIN : TN_SIDE_FRAMEWORK,
           "major %d of the plugin, major %d of %s: other majors are never supported; %s",
           question->major, question->framework_major, framework->name,
           older ? "the plugin needs a release for the new major"
                 : "the framework needs a release with the new major");
}

// A change of major is to be announced four weeks ahead.
static void judge_announcement(const tn_window_question* question, tn_window_answer* out) {
  if (question->major == 0 && question->framework_major == 0) return;
  char came[TN_DAY_TEXT], announced[TN_DAY_TEXT];
  if (question->major_announced < 0) {
    add_line(out, "major update", TN_WINDOW_NO_PROMISE, TN_SIDE_FRAMEWORK,
             "no announcement of the new major is known; it is due four weeks before the update");
    return;
  }
  const int64_t ahead = question->major_day - question->major_announced;
  add_line(out, "major update", ahead >= 28 ? TN_WINDOW_YES : TN_WINDOW_NO,
           ahead >= 28 ? TN_SIDE_NONE : TN_SIDE_FRAMEWORK,
           "announced on %s and made on %s, %lld days ahead; four weeks (28 days) are due",
           tn_day_text(question->major_announced, announced),
           tn_day_text(question->major_day, came), (long long)ahead);
}

static void judge_number(const tn_window_question* question, const framework* framework,
                         tn_window_answer* out) {
  char first[TN_DAY_TEXT], last[TN_DAY_TEXT];
  if (question->major != question->framework_major) {
    judge_major(question, framework, out);
  } else if (question->minor == 0) {
    add_line(out, "API number", TN_WINDOW_NO, TN_SIDE_PLUGIN,
             "the plugin is of the time before there were numbers (June 2023)");
  } else if (out->first_day == INT64_MAX) {
    // Newer than the tables: at least as new as the last number they date.
    const bool newer = question->minor > framework->minor;
    add_line(
        out, "API number", newer ? TN_WINDOW_PLUGIN_DECIDES : TN_WINDOW_NO_PROMISE,
        newer ? TN_SIDE_FRAMEWORK : TN_SIDE_NONE,
        "0.%d is newer than the tables, which end with 0.%d; by rule it is newer than %s (0.%d), "
        "and what a newer plugin does is the plugin's own policy",
        question->minor, tn_abi_pjrt_newest_dated(), framework->name, framework->minor);
  } else if (question->minor > framework->minor || framework->day < out->first_day) {
    add_line(out, "API number", TN_WINDOW_PLUGIN_DECIDES, TN_SIDE_FRAMEWORK,
             "0.%d began on %s and is newer than %s (0.%d): the policy leaves this to the plugin",
             question->minor, tn_day_text(out->first_day, first), framework->name,
             framework->minor);
  } else if (framework->day <= out->last_day) {
    add_line(out, "API number", TN_WINDOW_YES, TN_SIDE_NONE,
             "0.%d is supported by frameworks released from %s %s%s", question->minor,
             tn_day_text(out->first_day, first),
             out->last_day == INT64_MAX ? "on; no newer number has begun" : "to ",
             out->last_day == INT64_MAX ? "" : tn_day_text(out->last_day, last));
  } else {
    add_line(
        out, "API number", TN_WINDOW_NO, TN_SIDE_PLUGIN,
        "0.%d was supported by frameworks released from %s to %s (0.%d plus %d weeks); %s is %lld "
        "days too late",
        question->minor, tn_day_text(out->first_day, first), tn_day_text(out->last_day, last),
        tn_abi_pjrt_next(question->minor), question->weeks, framework->name,
        (long long)(framework->day - out->last_day));
  }
}

static void judge_stablehlo(const tn_window_question* question, tn_window_answer* out) {
  const tn_abi_release* release = question->release;
  const char* program = question->program_stablehlo;
  if (!program && release && *release->stablehlo_current) program = release->stablehlo_current;
  const char* current = question->plugin_stablehlo;
  if (!program || !current || !*current) {
    add_line(out, "StableHLO", TN_WINDOW_NO_PROMISE, TN_SIDE_NONE, "not known of %s",
             !current || !*current ? "the plugin (it says so in its attributes, when loaded)"
                                   : "the framework");
  } else if (tn_abi_version_compare(program, current) > 0) {
    // A framework writes programs for the plugin's version, as long as it still can.
    const bool given = question->program_stablehlo != NULL;
    const char* oldest = release ? release->stablehlo_minimum : "";
    const bool can = !given && (!*oldest || tn_abi_version_compare(current, oldest) >= 0);
    add_line(
        out, "StableHLO", can ? TN_WINDOW_YES : TN_WINDOW_NO, can ? TN_SIDE_NONE : TN_SIDE_PLUGIN,
        given ? "the program is %s and the plugin reads up to %s: the plugin must be newer"
        : can
            ? "%s is what the framework speaks and the plugin reads up to %s: programs are written "
              "for the plugin's version"
            : "the framework speaks %s and can no longer write the plugin's %s",
        program, current);
  } else if (question->plugin_stablehlo_minimum &&
             tn_abi_version_compare(program, question->plugin_stablehlo_minimum) < 0) {
    add_line(out, "StableHLO", TN_WINDOW_NO, TN_SIDE_FRAMEWORK,
             "programs are %s and the plugin reads from %s on: the program must be newer", program,
             question->plugin_stablehlo_minimum);
  } else {
    add_line(out, "StableHLO", TN_WINDOW_YES, TN_SIDE_NONE,
             "programs are %s, the plugin reads up to %s", program, current);
  }
}

// Extensions carry no promise; this tells which of the plugin's the framework has heard of.
static void judge_extensions(const tn_window_question* question, const framework* framework,
                             tn_window_answer* out) {
  if (!question->extensions) {
    add_line(out, "extensions", TN_WINDOW_NO_PROMISE, TN_SIDE_NONE,
             "not known of the plugin (it says so when loaded)");
    return;
  }
  const tn_abi_table* table = tn_abi_table_get("pjrt/extensions");
  const int ids = tn_abi_column(table, "id"), firsts = tn_abi_column(table, "first_minor");
  char unknown[160] = "";
  size_t unknown_count = 0;
  for (size_t i = 0; i < question->extension_count; ++i) {
    int64_t first = INT64_MAX;
    for (size_t row = 0; row < table->rows; ++row)
      if (tn_abi_int(table, row, ids, -1) == question->extensions[i] &&
          tn_abi_int(table, row, firsts, INT64_MAX) < first)
        first = tn_abi_int(table, row, firsts, INT64_MAX);
    if (first <= framework->minor) continue;
    const size_t length = strlen(unknown);
    snprintf(unknown + length, sizeof unknown - length, "%s%d", unknown_count++ ? ", " : "",
             question->extensions[i]);
  }
  if (unknown_count)
    add_line(
        out, "extensions", TN_WINDOW_YES, TN_SIDE_NONE,
        "%zu of the plugin's %zu were not there yet at 0.%d (%s); a framework passes over them",
        unknown_count, question->extension_count, framework->minor, unknown);
  else
    add_line(out, "extensions", TN_WINDOW_YES, TN_SIDE_NONE,
             "all %zu of the plugin's were there at 0.%d", question->extension_count,
             framework->minor);
}

static const char* number_text(int number, char buffer[24]) {
  if (number < 0) return "none";
  snprintf(buffer, 24, "number %d", number);
  return buffer;
}

static void judge_feature(const tn_window_question* question, const tn_window_feature* feature,
                          const framework* framework, tn_window_answer* out) {
  char since[TN_DAY_TEXT], until[TN_DAY_TEXT];
  const int64_t end = feature->stable_since + 7 * (int64_t)question->weeks;
  const char* optional = feature->optional ? "; it is optional, so its functions may be null" : "";
  if (feature->experimental &&
      (feature->stable_since < 0 || framework->day < feature->stable_since)) {
    const bool same = feature->plugin_number == feature->framework_number;
    char plugin[24], other[24];
    add_line(out, feature->name, TN_WINDOW_NO_PROMISE, TN_SIDE_NONE,
             "experimental, with no promise: %s in the plugin, %s in the framework%s",
             number_text(feature->plugin_number, plugin),
             number_text(feature->framework_number, other),
             same ? ", the same today" : "; a framework must do without it");
  } else if (feature->experimental && feature->plugin_number < 0 && framework->day <= end) {
    add_line(out, feature->name, TN_WINDOW_YES, TN_SIDE_NONE,
             "stable since %s: frameworks do without it until %s%s",
             tn_day_text(feature->stable_since, since), tn_day_text(end, until), optional);
  } else if (feature->experimental && feature->plugin_number < 0 && !feature->optional) {
    add_line(out, feature->name, TN_WINDOW_NO, TN_SIDE_PLUGIN,
             "stable since %s: plugins had until %s to have it",
             tn_day_text(feature->stable_since, since), tn_day_text(end, until));
  } else if (feature->added_in > question->minor) {
    add_line(out, feature->name, feature->optional ? TN_WINDOW_YES : TN_WINDOW_NO_PROMISE,
             TN_SIDE_PLUGIN,
             "added in 0.%d: the plugin needs a release with that number to have it%s",
             feature->added_in, optional);
  } else if (feature->experimental && feature->plugin_number < 0) {
    add_line(out, feature->name, TN_WINDOW_YES, TN_SIDE_NONE,
             "stable since %s, not in the plugin%s", tn_day_text(feature->stable_since, since),
             optional);
  } else {
    add_line(out, feature->name, TN_WINDOW_YES, TN_SIDE_NONE, "there%s", optional);
  }
}

// How shipped frameworks decide, by the time of their XLA.
typedef enum rule { SAME_SIZE, SAME_NUMBER, FLOOR } rule;
enum { FLOOR_MINOR = 29 };

static rule rule_of(const tn_window_question* question, const framework* framework) {
  const tn_abi_release* release = question->release;
  if (release && strcmp(release->framework, "jaxlib") == 0)
    return tn_abi_version_compare(release->version, "0.4.19") < 0   ? SAME_SIZE
           : tn_abi_version_compare(release->version, "0.4.32") < 0 ? SAME_NUMBER
                                                                    : FLOOR;
  // 0.34 was in force when equal sizes gave way to equal numbers, 0.54 when the floor became the
  // rule.
  const int minor = framework->minor;
  return minor < 34 ? SAME_SIZE : minor <= 54 ? SAME_NUMBER : FLOOR;
}

static void tell_shipped(const tn_window_question* question, const framework* framework,
                         tn_window_answer* out) {
  const rule rule = rule_of(question, framework);
  const bool same = question->major == 0 && question->minor == framework->minor;
  const char* verdict;
  if (rule == SAME_SIZE) {
    verdict = same ? "takes it" : "takes it only if PJRT_Api has the same size";
    snprintf(out->shipped, sizeof out->shipped,
             "%s (0.%d) compares the size of PJRT_Api alone, for equality: %s", framework->name,
             framework->minor, verdict);
  } else if (rule == SAME_NUMBER) {
    verdict = same ? "takes it" : "refuses it";
    snprintf(out->shipped, sizeof out->shipped,
             "%s wants exactly its own number, 0.%d, unless ENABLE_PJRT_COMPATIBILITY is set: %s",
             framework->name, framework->minor, verdict);
  } else {
    verdict = question->major != 0             ? "refuses it, for its major"
              : question->minor >= FLOOR_MINOR ? "takes it"
                                               : "refuses it";
    snprintf(out->shipped, sizeof out->shipped,
             "%s takes every 0.%d and newer, a floor that has not moved since October 2023: %s",
             framework->name, FLOOR_MINOR, verdict);
  }
}

// The worst line decides: no, then no promise on the number itself, then what the plugin decides.
static void conclude(tn_window_answer* out) {
  out->verdict = out->lines[0].verdict;
  out->update = out->lines[0].update;
  for (size_t i = 0; i < out->line_count; ++i)
    if (out->lines[i].verdict == TN_WINDOW_NO && out->verdict != TN_WINDOW_NO) {
      out->verdict = TN_WINDOW_NO;
      out->update = out->lines[i].update;
    }
}

bool tn_window_answer_get(const tn_window_question* question, tn_window_answer* out,
                          tn_status* status) {
  *out = (tn_window_answer){0};
  if (question->weeks < 1 || question->major < 0 || question->minor < 0) {
    tn_status_set(
        status, TN_INVALID_ARGUMENT,
        "a window of %d weeks for the number %d.%d cannot be judged: weeks are 1 or more, "
        "numbers are not negative",
        question->weeks, question->major, question->minor);
    return false;
  }
  const framework framework = framework_of(question);
  find_days(question, out);
  judge_number(question, &framework, out);
  judge_announcement(question, out);
  judge_stablehlo(question, out);
  judge_extensions(question, &framework, out);
  for (size_t i = 0; i < question->feature_count; ++i)
    judge_feature(question, &question->features[i], &framework, out);
  tell_shipped(question, &framework, out);
  conclude(out);
  return true;
}
