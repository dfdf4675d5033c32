// Results as others read them: TAP, JSON, JUnit.
#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "check/check.h"

static void put_quoted_word(tn_text* out, const char* word) {
  bool plain = *word != 0;
  for (const char* c = word; *c; ++c)
    plain = plain && (isalnum((unsigned char)*c) || strchr("_-./=,:+@%", *c));
  if (plain) {
    tn_text_puts(out, word);
    return;
  }
  tn_text_putc(out, '\'');
  for (; *word; ++word) *word == '\'' ? tn_text_puts(out, "'\\''") : tn_text_putc(out, *word);
  tn_text_putc(out, '\'');
}

void tn_check_reproduce(const tn_check* check, const tn_check_result* result, tn_text* out) {
  const tn_check_options* options = tn_check_options_of(check);
  tn_text_puts(out, "tenon check ");
  put_quoted_word(out, tn_check_path(check));
  tn_text_printf(out, " --only %s --seed %llu", result->name, (unsigned long long)options->seed);
  if (options->time_limit_ms)
    tn_text_printf(out, " --time-limit %u", options->time_limit_ms / 1000);
  for (size_t i = 0; i < options->client_count; ++i) {
    tn_text_puts(out, " --option ");
    put_quoted_word(out, options->client[i]);
  }
  for (size_t i = 0; result->face == TN_FACE_KERNELS && i < options->op_count; ++i) {
    const bool is_not = strncmp(options->ops[i], "not-", 4) == 0;
    tn_text_puts(out, is_not ? " --not-op " : " --op ");
    put_quoted_word(out, strchr(options->ops[i], '=') + 1);
  }
}

void tn_check_warning(const tn_check* check, tn_text* out) {
  const tn_check_totals totals = tn_check_count_up(check);
  const bool idle = tn_check_was_idle(&totals);
  if (idle) {
    tn_text_printf(out, "NOTHING WAS CHECKED: no case ran, %zu %s skipped", totals.skipped,
                   totals.skipped == 1 ? "was" : "were");
    for (size_t i = 0; i < tn_check_count(check); ++i) {
      const char* reason = tn_check_result_at(check, i)->reason;
      if (!reason) continue;
      tn_text_printf(out, "; the first: %s", reason);
      break;
    }
  } else if (totals.no_device) {
    tn_text_printf(out,
                   TN_NO_DEVICE
                   ": nothing but what works without one could be checked, %zu cases could not",
                   totals.no_device);
  }
}

// ---- TAP ----

// A value of the YAML block, as a quoted text on one line: JSON's strings are YAML's.
static void put_yaml(tn_text* out, const char* indent, const char* key, const char* value) {
  tn_text_printf(out, "%s%s: ", indent, key);
  tn_json json = {.out = out};
  tn_json_string(&json, NULL, value);
  tn_text_putc(out, '\n');
}

// TAP has no way to put '#' or a line's end into a description.
static void put_line(tn_text* out, const char* text) {
  for (; *text; ++text) {
    if (*text == '#') tn_text_putc(out, '\\');
    tn_text_putc(out, (unsigned char)*text < 0x20 ? ' ' : *text);
  }
}

void tn_check_tap_begin(const tn_check* check, tn_text* out) {
  tn_text_printf(out, "TAP version 14\n1..%zu\n# %s, seed %llu\n", tn_check_count(check),
                 tn_check_path(check), (unsigned long long)tn_check_options_of(check)->seed);
}

static void put_details(const tn_check* check, const tn_check_result* result, tn_text* out) {
  tn_text_puts(out, "  ---\n");
  put_yaml(out, "  ", "result", tn_outcome_name(result->outcome));
  for (size_t i = 0; i < result->finding_count; ++i) {
    if (i == 0) tn_text_puts(out, "  findings:\n");
    put_yaml(out, "    - ", "contract", result->findings[i].contract);
    put_yaml(out, "      ", "expected", result->findings[i].expected);
    put_yaml(out, "      ", "seen", result->findings[i].seen);
    if (result->findings[i].more)
      tn_text_printf(out, "      more: \"and %zu more like it\"\n", result->findings[i].more);
  }
  if (result->ended.size) put_yaml(out, "  ", "ended", result->ended.data);
  if (result->reason) put_yaml(out, "  ", "reason", result->reason);
  if (result->notes.size) put_yaml(out, "  ", "notes", result->notes.data);
  if (tn_check_verdict(result) == TN_VERDICT_STALE) {
    tn_text where = {0};
    tn_text_printf(&where, "passes, so line %d of %s has to go", result->excuse->line,
                   tn_check_options_of(check)->for_now->file);
    put_yaml(out, "  ", "list", where.failed ? "" : where.data);
    tn_text_deinit(&where);
  }
  tn_text command = {0};
  tn_check_reproduce(check, result, &command);
  put_yaml(out, "  ", "reproduce", command.failed ? "" : command.data);
  tn_text_deinit(&command);
  tn_text_puts(out, "  ...\n");
}

// Most cases of a plugin have the same to remark.
static bool is_news(const tn_check* check, size_t i) {
  const char* notes = tn_check_result_at(check, i)->notes.data;
  while (i-- > 0) {
    const tn_check_result* before = tn_check_result_at(check, i);
    if (before->notes.size && strcmp(before->notes.data, notes) == 0) return false;
  }
  return true;
}

void tn_check_tap_result(const tn_check* check, size_t i, tn_text* out) {
  const tn_check_result* result = tn_check_result_at(check, i);
  const tn_verdict verdict = tn_check_verdict(result);
  tn_text_printf(out, "%s %zu - %s: ", verdict == TN_VERDICT_FINE ? "ok" : "not ok", i + 1,
                 result->name);
  put_line(out, result->item->contract);
  if (result->outcome == TN_OUTCOME_SKIPPED || result->outcome == TN_OUTCOME_NEVER) {
    const bool never = result->outcome == TN_OUTCOME_NEVER;
    tn_text_puts(out, never ? " # SKIP can never work here: " : " # SKIP ");
    put_line(out, never ? result->excuse->reason : result->reason ? result->reason : "");
  } else if (verdict == TN_VERDICT_FOR_NOW) {
    tn_text_puts(out,
                 " # TO"
                 "DO fails for now: ");
    put_line(out, result->excuse->reason);
  }
  tn_text_putc(out, '\n');
  if (verdict != TN_VERDICT_FINE) put_details(check, result, out);
  if (verdict == TN_VERDICT_FINE && result->notes.size && is_news(check, i)) {
    tn_text_puts(out, "# ");
    for (const char* c = result->notes.data; *c; ++c) {
      tn_text_putc(out, (unsigned char)*c < 0x20 && *c != '\n' ? ' ' : *c);
      if (*c == '\n') tn_text_puts(out, "# ");
    }
    tn_text_putc(out, '\n');
  }
}

void tn_check_tap_end(const tn_check* check, tn_text* out) {
  const tn_check_totals totals = tn_check_count_up(check);
  tn_text_printf(out, "# %zu passed, %zu failed, %zu skipped", totals.passed, totals.failed,
                 totals.skipped);
  if (totals.never) tn_text_printf(out, ", %zu can never work here", totals.never);
  if (totals.for_now) tn_text_printf(out, ", %zu fail for now", totals.for_now);
  if (totals.stale) tn_text_printf(out, ", %zu pass against the list", totals.stale);
  if (totals.errors) tn_text_printf(out, ", %zu could not be carried out", totals.errors);
  tn_text_putc(out, '\n');
  tn_text warning = {0};
  tn_check_warning(check, &warning);
  if (warning.size) tn_text_puts(out, "# ");
  if (warning.size) put_line(out, warning.data);
  if (warning.size) tn_text_putc(out, '\n');
  tn_text_deinit(&warning);
}

// ---- JSON ----

static void json_result(const tn_check* check, const tn_check_result* result, tn_json* json) {
  static const char* const verdicts[] = {"fine", "bad", "fails for now", "passes against the list",
                                         "error"};
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "name", result->name);
  tn_json_string(json, "face", tn_face_name(result->face));
  tn_json_string(json, "contract", result->item->contract);
  tn_json_string(json, "result", tn_outcome_name(result->outcome));
  tn_json_string(json, "verdict", verdicts[tn_check_verdict(result)]);
  tn_json_double(json, "seconds", result->seconds);
  tn_json_begin_array(json, "findings");
  for (size_t i = 0; i < result->finding_count; ++i) {
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "contract", result->findings[i].contract);
    tn_json_string(json, "expected", result->findings[i].expected);
    tn_json_string(json, "seen", result->findings[i].seen);
    tn_json_uint(json, "more", result->findings[i].more);
    tn_json_end_object(json);
  }
  tn_json_end_array(json);
  tn_json_string(json, "reason", result->reason);
  tn_json_string(json, "listed", result->excuse ? result->excuse->reason : NULL);
  tn_json_string(json, "ended", result->ended.data);
  tn_json_string(json, "notes", result->notes.data);
  tn_text command = {0};
  tn_check_reproduce(check, result, &command);
  tn_json_view(json, "reproduce", tn_text_view(&command));
  json->out->failed |= command.failed;
  tn_text_deinit(&command);
  tn_json_end_object(json);
}

void tn_check_json(const tn_check* check, tn_text* out) {
  const tn_check_totals totals = tn_check_count_up(check);
  tn_json json = {.out = out, .indent = 2};
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", "tenon/check/1");
  tn_json_string(&json, "plugin", tn_check_path(check));
  tn_json_uint(&json, "seed", tn_check_options_of(check)->seed);
  tn_json_uint(&json, "passed", totals.passed);
  tn_json_uint(&json, "failed", totals.failed);
  tn_json_uint(&json, "skipped", totals.skipped);
  tn_json_uint(&json, "never", totals.never);
  tn_json_uint(&json, "for_now", totals.for_now);
  tn_json_uint(&json, "stale", totals.stale);
  tn_json_uint(&json, "errors", totals.errors);
  tn_text warning = {0};
  tn_check_warning(check, &warning);
  tn_json_string(&json, "warning", warning.size ? warning.data : NULL);
  tn_text_deinit(&warning);
  tn_json_begin_array(&json, "cases");
  for (size_t i = 0; i < tn_check_count(check); ++i)
    json_result(check, tn_check_result_at(check, i), &json);
  tn_json_end_array(&json);
  tn_json_end_object(&json);
  tn_text_putc(out, '\n');
}

// ---- JUnit ----

// XML 1.0 has no way to write most control characters.
static void put_xml(tn_text* out, const char* text) {
  for (const unsigned char* c = (const unsigned char*)text; *c; ++c) {
    switch (*c) {
      case '<': tn_text_puts(out, "&lt;"); break;
      case '>': tn_text_puts(out, "&gt;"); break;
      case '&': tn_text_puts(out, "&amp;"); break;
      case '"': tn_text_puts(out, "&quot;"); break;
      case '\n': tn_text_puts(out, "&#10;"); break;
      default: tn_text_putc(out, *c < 0x20 || *c > 0x7e ? '?' : (char)*c);
    }
  }
}

static void put_attribute(tn_text* out, const char* name, const char* value) {
  tn_text_printf(out, " %s=\"", name);
  put_xml(out, value);
  tn_text_putc(out, '"');
}

static void junit_result(const tn_check* check, const tn_check_result* result, tn_text* out) {
  const tn_verdict verdict = tn_check_verdict(result);
  const bool fine = verdict == TN_VERDICT_FINE;
  tn_text_puts(out, "    <testcase");
  put_attribute(out, "classname", tn_face_name(result->face));
  put_attribute(out, "name", result->name);
  tn_text_printf(out, " time=\"%.3f\"", result->seconds);
  if (fine && result->outcome == TN_OUTCOME_PASSED) {
    tn_text_puts(out, "/>\n");
    return;
  }
  tn_text_puts(out, ">\n");
  if (fine || verdict == TN_VERDICT_FOR_NOW) {
    tn_text_puts(out, "      <skipped");
    put_attribute(out, "message",
                  result->excuse ? result->excuse->reason : (result->reason ? result->reason : ""));
    tn_text_puts(out, "/>\n    </testcase>\n");
    return;
  }
  const char* element = verdict == TN_VERDICT_ERROR ? "error" : "failure";
  tn_text_printf(out, "      <%s", element);
  put_attribute(out, "type",
                verdict == TN_VERDICT_STALE ? "stale" : tn_outcome_name(result->outcome));
  put_attribute(out, "message", result->item->contract);
  tn_text_putc(out, '>');
  tn_text details = {0};
  put_details(check, result, &details);
  put_xml(out, details.failed ? "" : details.data);
  tn_text_deinit(&details);
  tn_text_printf(out, "</%s>\n    </testcase>\n", element);
}

void tn_check_junit(const tn_check* check, tn_text* out) {
  const tn_check_totals totals = tn_check_count_up(check);
  tn_text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
  put_attribute(out, "name", tn_check_path(check));
  tn_text_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
                 tn_check_count(check), totals.failed + totals.stale, totals.errors,
                 totals.skipped + totals.never + totals.for_now);
  tn_text_printf(out, "    <properties><property name=\"seed\" value=\"%llu\"/></properties>\n",
                 (unsigned long long)tn_check_options_of(check)->seed);
  for (size_t i = 0; i < tn_check_count(check); ++i)
    junit_result(check, tn_check_result_at(check, i), out);
  tn_text_puts(out, "  </testsuite>\n</testsuites>\n");
}
