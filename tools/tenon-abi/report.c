#include "report.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

// What happened to it, as the middle of a sentence.
static const char* verb_of(tn_abi_difference_kind kind) {
  switch (kind) {
    case TN_ABI_STRUCT_ADDED:
    case TN_ABI_CONSTANT_ADDED:
    case TN_ABI_VARIABLE_ADDED:
    case TN_ABI_FUNCTION_ADDED: return "added";
    case TN_ABI_STRUCT_REMOVED:
    case TN_ABI_FIELD_REMOVED:
    case TN_ABI_CONSTANT_REMOVED:
    case TN_ABI_MACRO_REMOVED:
    case TN_ABI_VARIABLE_REMOVED:
    case TN_ABI_FUNCTION_REMOVED: return "removed";
    case TN_ABI_OPAQUE_DEFINED: return "was opaque and is now defined";
    case TN_ABI_DEFINED_OPAQUE: return "was defined and is now opaque";
    case TN_ABI_FIELD_APPENDED: return "appended";
    case TN_ABI_FIELD_INSERTED: return "inserted before the end";
    case TN_ABI_FIELD_MOVED: return "moved";
    case TN_ABI_FIELD_RENAMED:
    case TN_ABI_CONSTANT_RENAMED: return "renamed";
    case TN_ABI_VARIABLE_RETYPED:
    case TN_ABI_FIELD_RETYPED: return "changed its type";
    case TN_ABI_FIELD_SIGNATURE:
    case TN_ABI_FUNCTION_RETYPED: return "takes or returns other types";
    case TN_ABI_FIELD_RESPELLED: return "has its type spelled otherwise";
    case TN_ABI_FIELD_DEPRECATED:
    case TN_ABI_FUNCTION_DEPRECATED: return "deprecated";
    case TN_ABI_EMBEDDED_GROWN: return "is a struct by value whose size changed";
    case TN_ABI_ENUM_RESIZED: return "is an enum of another size";
    case TN_ABI_MACRO_CHANGED:
    case TN_ABI_CONSTANT_CHANGED: return "changed its value";
    case TN_ABI_SIZE_CONSTANT_WRONG:
      return "has a size constant that is not the end of its last field";
    case TN_ABI_ALIGNMENT_OVER_8: return "needs an alignment over 8";
    case TN_ABI_NUMBER_REISSUED: return "a number issued more than once, with other contents";
    case TN_ABI_NUMBER_WITHDRAWN: return "a number withdrawn and issued again";
    case TN_ABI_HANDLE_WORD: return "a handle's first word was given a meaning";
    default: return "differs";
  }
}

static tn_abi_class class_of(const report* report, const tn_abi_difference* difference) {
  return report->policy->classes[difference->kind];
}

// "SP_Platform.name: inserted before the end (-> name@16, 8 bytes, char *)".
static void write_sentence(tn_text* out, const tn_abi_difference* d) {
  tn_text_printf(out, "%s%s%s: %s", d->owner, *d->member && *d->owner ? "." : "", d->member,
                 verb_of(d->kind));
  if (*d->before && *d->after) {
    tn_text_printf(out, " (%s -> %s)", d->before, d->after);
  } else if (*d->before || *d->after) {
    tn_text_printf(out, " (%s)", *d->before ? d->before : d->after);
  }
}

// How many fields of the same struct moved, from this one on.
static size_t moved_together(const tn_abi_differences* differences, size_t from) {
  size_t count = 0;
  for (size_t i = from; i < differences->count; ++i)
    count += differences->items[i].kind == TN_ABI_FIELD_MOVED &&
             strcmp(differences->items[i].owner, differences->items[from].owner) == 0;
  return count;
}

// The first field of a struct that moved stands for the others.
static bool is_told_before(const tn_abi_differences* differences, size_t index) {
  const tn_abi_difference* d = &differences->items[index];
  for (size_t i = 0; d->kind == TN_ABI_FIELD_MOVED && i < index; ++i)
    if (differences->items[i].kind == TN_ABI_FIELD_MOVED &&
        strcmp(differences->items[i].owner, d->owner) == 0)
      return true;
  return false;
}

static const char* const loud[] = {"NONE", "MINOR", "MAJOR", "ILLEGAL"};

// How it is known, where that is not plain from sizes and places.
static const char* evidence_sentence(tn_abi_evidence evidence) {
  return evidence == TN_ABI_FROM_TYPES
             ? "found from types: no size or offset of the struct shows it"
             : "carried from history: neither side shows it";
}

static void print_difference(const report* report, size_t index) {
  const tn_abi_difference* d = &report->differences->items[index];
  tn_text text = {0};
  write_sentence(&text, d);
  printf("%-8s %s", loud[class_of(report, d)], text.data ? text.data : "");
  const size_t moved =
      d->kind == TN_ABI_FIELD_MOVED ? moved_together(report->differences, index) : 1;
  if (moved > 1) printf(", and %zu more fields with it", moved - 1);
  printf("\n");
  if (*d->where) printf("         at %s\n", d->where);
  if (d->evidence != TN_ABI_FROM_LAYOUT) printf("         %s\n", evidence_sentence(d->evidence));
  printf("         %s\n", tn_abi_advice(report->policy, d->kind));
  tn_text_deinit(&text);
}

#define UNJUDGED                                                                                  \
  "functions of C++ classes (%s and others) are not judged: virtual tables, methods, overloads. " \
  "Only data members and C functions are"

void report_to_people(const report* report) {
  const tn_abi_verdict* verdict = report->verdict;
  for (int class = TN_ABI_ILLEGAL; class >= TN_ABI_NONE; --class)
    for (size_t i = 0; i < report->differences->count; ++i)
      if (class_of(report, &report->differences->items[i]) == (tn_abi_class) class &&
          !is_told_before(report->differences, i))
        print_difference(report, i);
  if (*verdict->bump_note) printf("NUMBER   %s\n", verdict->bump_note);
  if (*verdict->changelog_note)
    printf("CHANGES  %s: %s\n", report->changelog, verdict->changelog_note);
  if (report->unjudged) printf("NOTE     " UNJUDGED "\n", report->unjudged);
  printf("%zu difference%s, %s by policy %s: %s\n", report->differences->count,
         report->differences->count == 1 ? "" : "s", tn_abi_class_name(verdict->class),
         report->policy->name, verdict->legal ? "legal" : "not legal");
}

void report_as_json(const report* report) {
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", "tenon/abi-check/1");
  tn_json_string(&json, "verdict", tn_abi_class_name(report->verdict->class));
  tn_json_bool(&json, "legal", report->verdict->legal);
  tn_json_bool(&json, "bump_ok", report->verdict->bump_ok);
  tn_json_bool(&json, "changelog_ok", report->verdict->changelog_ok);
  if (*report->verdict->bump_note) tn_json_string(&json, "bump_note", report->verdict->bump_note);
  if (*report->verdict->changelog_note)
    tn_json_string(&json, "changelog_note", report->verdict->changelog_note);
  if (report->unjudged) tn_json_string(&json, "unjudged", report->unjudged);
  tn_json_begin_array(&json, "findings");
  for (size_t i = 0; i < report->differences->count; ++i) {
    const tn_abi_difference* d = &report->differences->items[i];
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "kind", tn_abi_difference_name(d->kind));
    tn_json_string(&json, "class", tn_abi_class_name(class_of(report, d)));
    tn_json_string(&json, "struct", d->owner);
    tn_json_string(&json, "field", d->member);
    tn_json_string(&json, "old", d->before);
    tn_json_string(&json, "new", d->after);
    tn_json_string(&json, "where", d->where);
    tn_json_string(&json, "evidence", tn_abi_evidence_name(d->evidence));
    tn_json_string(&json, "advice", tn_abi_advice(report->policy, d->kind));
    tn_json_end_object(&json);
  }
  tn_json_end_array(&json);
  tn_json_end_object(&json);
  if (text.data) puts(text.data);
  tn_text_deinit(&text);
}

// Percent signs and line ends would end a workflow command.
static void print_escaped(const char* text) {
  for (; *text; ++text) {
    if (*text == '%' || *text == '\r' || *text == '\n') {
      printf("%%%02X", (unsigned char)*text);
    } else {
      putchar(*text);
    }
  }
}

static void print_command(const char* level, const char* where, const char* title,
                          const char* message) {
  const char* colon = strrchr(where, ':');
  printf("::%s ", level);
  if (colon) {
    printf("file=%.*s,line=%s,", (int)(colon - where), where, colon + 1);
  } else if (*where) {
    printf("file=%s,", where);
  }
  printf("title=%s::", title);
  print_escaped(message);
  printf("\n");
}

// Told of the old side's line, which a review of the new side does not show.
static bool is_gone(const tn_abi_difference* d) {
  return d->kind == TN_ABI_STRUCT_REMOVED || d->kind == TN_ABI_FUNCTION_REMOVED ||
         d->kind == TN_ABI_VARIABLE_REMOVED;
}

void report_to_github(const report* report) {
  const tn_abi_verdict* verdict = report->verdict;
  for (size_t i = 0; i < report->differences->count; ++i) {
    const tn_abi_difference* d = &report->differences->items[i];
    const tn_abi_class class = class_of(report, d);
    // What the number does not cover, or nothing could.
    const bool bad = class == TN_ABI_ILLEGAL || (!verdict->bump_ok && class == verdict->class);
    if (is_told_before(report->differences, i)) continue;
    tn_text text = {0};
    write_sentence(&text, d);
    const size_t moved = d->kind == TN_ABI_FIELD_MOVED ? moved_together(report->differences, i) : 1;
    if (moved > 1) tn_text_printf(&text, ", and %zu more fields with it", moved - 1);
    if (d->evidence != TN_ABI_FROM_LAYOUT)
      tn_text_printf(&text, " (%s)", evidence_sentence(d->evidence));
    tn_text_printf(&text, ". %s", tn_abi_advice(report->policy, d->kind));
    print_command(bad ? "error" : "notice", is_gone(d) || !*d->where ? report->after : d->where,
                  tn_abi_class_name(class), text.data ? text.data : "");
    tn_text_deinit(&text);
  }
  if (*verdict->bump_note)
    print_command(verdict->bump_ok ? "notice" : "error", report->after, "number",
                  verdict->bump_note);
  if (report->unjudged) {
    tn_text text = {0};
    tn_text_printf(&text, UNJUDGED, report->unjudged);
    print_command("notice", report->after, "not judged", text.data ? text.data : "");
    tn_text_deinit(&text);
  }
  if (*verdict->changelog_note)
    print_command("error", report->changelog, "changelog", verdict->changelog_note);
}
