#include "abi/policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/changelog.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"

const char* tn_abi_class_name(tn_abi_class class) {
  static const char* const names[] = {"none", "minor", "major", "illegal"};
  return names[class];
}

// X(kind, pjrt, tf, advice). Seed 001's tables and seed 000's rules, and what the history of both
// taught since. A rename keeps the bytes, so a plugin does not notice: minor there, forbidden by
// seed 000.
// clang-format off
#define RULES(X)                                                                                     \
  X(STRUCT_ADDED, MINOR, MINOR, "nothing; tell of it in the changelog")                              \
  X(STRUCT_REMOVED, MAJOR, ILLEGAL, "keep the struct and mark it deprecated")                        \
  X(OPAQUE_DEFINED, MAJOR, ILLEGAL,                                                                  \
    "keep the type opaque: older peers hand over objects without that first word. If it must be, gate every use by the number") \
  X(DEFINED_OPAQUE, MAJOR, ILLEGAL, "keep the definition: peers read its members")                   \
  X(FIELD_APPENDED, MINOR, MINOR, "read it only where the other side's struct_size covers it")       \
  X(FIELD_INSERTED, MAJOR, ILLEGAL, "append it after the last field: what follows it has moved")     \
  X(FIELD_REMOVED, MAJOR, ILLEGAL, "leave the field in its place and mark it deprecated")            \
  X(FIELD_MOVED, MAJOR, ILLEGAL, "put it back: peers built before read it at the old offset")        \
  X(FIELD_RENAMED, MINOR, ILLEGAL, "deprecate the old field and append one with the new name")       \
  X(FIELD_RETYPED, MAJOR, ILLEGAL, "deprecate the old field and append one with the new type")       \
  X(FIELD_SIGNATURE, MAJOR, ILLEGAL,                                                                 \
    "append a new function: no size shows that this one takes other arguments")                      \
  X(FIELD_RESPELLED, MINOR, MINOR, "same bytes; make sure that the meaning is the same too")         \
  X(FIELD_DEPRECATED, MINOR, MINOR, "keep setting it as long as a host that reads it is supported")  \
  X(ENUM_RESIZED, MAJOR, ILLEGAL, "keep the size: peers pass and store as many bytes as before")     \
  X(EMBEDDED_GROWN, MAJOR, ILLEGAL, "embed a pointer: a struct inside another can never grow")       \
  X(CONSTANT_ADDED, MINOR, MINOR, "peers built before do not know it: they need a default branch")   \
  X(CONSTANT_REMOVED, MAJOR, ILLEGAL, "keep the constant: peers built before still send it")         \
  X(CONSTANT_RENAMED, MINOR, ILLEGAL, "add the new name beside the old one")                         \
  X(CONSTANT_CHANGED, MAJOR, ILLEGAL, "give it back its value, and the new one a new name")          \
  X(MACRO_CHANGED, MAJOR, ILLEGAL, "peers built before have the old value compiled in; if none depends on it, write 'macro-value-changed = minor' into a policy file") \
  X(MACRO_REMOVED, MINOR, MINOR, "sources that use it no longer compile; peers built before still send its value") \
  X(FUNCTION_ADDED, MINOR, MINOR, "callers look it up weakly as long as older peers are supported")  \
  X(FUNCTION_REMOVED, MAJOR, ILLEGAL, "keep exporting it: a plugin that imports it no longer loads") \
  X(FUNCTION_RETYPED, MAJOR, ILLEGAL, "keep it as it was and add one under a new name")              \
  X(FUNCTION_DEPRECATED, MINOR, MINOR, "keep it as long as a supported peer calls it")               \
  X(VARIABLE_ADDED, MINOR, MINOR, "peers look it up weakly as long as older sides are supported")    \
  X(VARIABLE_REMOVED, MAJOR, ILLEGAL, "keep it: a plugin that imports it no longer loads")           \
  X(VARIABLE_RETYPED, MAJOR, ILLEGAL, "keep it as it was and add one under a new name")              \
  X(SIZE_CONSTANT_WRONG, ILLEGAL, ILLEGAL, "let the constant name the last field")                   \
  X(ALIGNMENT_OVER_8, ILLEGAL, ILLEGAL, "structs that cross the boundary align to 8 bytes at most") \
  X(NUMBER_REISSUED, ILLEGAL, ILLEGAL, "never use a withdrawn number again: peers of both meanings are out there, and nothing tells them apart") \
  X(NUMBER_WITHDRAWN, MINOR, MINOR, "the same bytes came back under it; leave a withdrawn number unused all the same") \
  X(HANDLE_WORD, MAJOR, ILLEGAL, "read the word only where the plugin's number has it: older handles begin with anything")
// clang-format on

static const tn_abi_class pjrt_classes[] = {
#define CLASS(kind, pjrt, tf, advice) [TN_ABI_##kind] = TN_ABI_##pjrt,
    RULES(CLASS)
#undef CLASS
};
static const tn_abi_class tf_classes[] = {
#define CLASS(kind, pjrt, tf, advice) [TN_ABI_##kind] = TN_ABI_##tf,
    RULES(CLASS)
#undef CLASS
};

const char* tn_abi_advice(const tn_abi_policy* policy, tn_abi_difference_kind kind) {
  static const char* const advices[] = {
#define ADVICE(kind, pjrt, tf, advice) [TN_ABI_##kind] = advice,
      RULES(ADVICE)
#undef ADVICE
  };
  // Where a policy lets a rename pass, it needs no other advice.
  if (kind == TN_ABI_FIELD_RENAMED && policy->classes[kind] <= TN_ABI_MINOR)
    return "same bytes under a new name; sources that use the old one no longer compile";
  return advices[kind];
}

static bool use_base(const char* name, tn_abi_policy* out) {
  const bool pjrt = strcmp(name, "pjrt") == 0;
  if (!pjrt && strcmp(name, "tf") != 0) return false;
  snprintf(out->name, sizeof out->name, "%s", name);
  memcpy(out->classes, pjrt ? pjrt_classes : tf_classes, sizeof out->classes);
  return true;
}

static int kind_of(const char* name) {
  for (int i = 0; i < TN_ABI_DIFFERENCE_KINDS; ++i)
    if (strcmp(tn_abi_difference_name((tn_abi_difference_kind)i), name) == 0) return i;
  return -1;
}

static int class_of(const char* name) {
  for (int i = TN_ABI_NONE; i <= TN_ABI_ILLEGAL; ++i)
    if (strcmp(tn_abi_class_name((tn_abi_class)i), name) == 0) return i;
  return -1;
}

// One line of a policy file; false with the reason in the status.
static bool read_line(const char* path, size_t number, char* line, tn_abi_policy* out,
                      tn_status* status) {
  char key[64], value[64], rest[2];
  line[strcspn(line, "#")] = '\0';
  const int read = sscanf(line, " %63[a-z-] = %63s %1s", key, value, rest);
  if (read <= 0 && line[strspn(line, " \t\r")] == '\0') return true;
  if (read == 2 && strcmp(key, "base") == 0 && use_base(value, out)) return true;
  if (read == 2 && strcmp(key, "version-prefix") == 0) {
    snprintf(out->prefix, sizeof out->prefix, "%s", value);
    return true;
  }
  const int kind = read == 2 ? kind_of(key) : -1, class = read == 2 ? class_of(value) : -1;
  if (kind >= 0 && class >= 0) {
    out->classes[kind] = (tn_abi_class) class;
    return true;
  }
  if (read != 2) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s:%zu: not of the form 'kind = class'", path,
                  number);
  } else if (kind >= 0 || strcmp(key, "base") == 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s:%zu: '%s' is none of %s", path, number, value,
                  kind >= 0 ? "none, minor, major and illegal" : "pjrt and tf");
  } else {
    const char* names[TN_ABI_DIFFERENCE_KINDS];
    for (int i = 0; i < TN_ABI_DIFFERENCE_KINDS; ++i)
      names[i] = tn_abi_difference_name((tn_abi_difference_kind)i);
    const char* near = tn_suggest(key, names, TN_ABI_DIFFERENCE_KINDS);
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s:%zu: no difference is called '%s'%s%s", path,
                  number, key, near ? "; did you mean " : "", near ? near : "");
  }
  return false;
}

bool tn_abi_policy_get(const char* name_or_file, tn_abi_policy* out, tn_status* status) {
  *out = (tn_abi_policy){.name = ""};
  if (use_base(name_or_file, out)) return true;
  tn_text text = {0};
  if (!tn_file_read(name_or_file, 1 << 20, &text, status)) return false;
  use_base("pjrt", out);
  bool good = !memchr(tn_text_view(&text).data, '\0', text.size);
  if (!good)
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s: a zero byte is in it: no text file",
                  name_or_file);
  size_t number = 0;
  for (char* line = text.data; good && line && *line;) {
    char* end = strchr(line, '\n');
    if (end) *end = '\0';
    good = read_line(name_or_file, ++number, line, out, status);
    line = end ? end + 1 : NULL;
  }
  snprintf(out->name, sizeof out->name, "%s", name_or_file);
  tn_text_deinit(&text);
  return good;
}

// By how much the number moved; an illegal step (backwards) is told in the note.
static tn_abi_class bump_of(const tn_abi_model* before, const tn_abi_model* after, char* note,
                            size_t size) {
  if (after->major != before->major) {
    if (after->major > before->major) return TN_ABI_MAJOR;
  } else if (after->minor != before->minor) {
    if (after->minor > before->minor) return TN_ABI_MINOR;
  } else {
    // Where there is a patch number, any movement counts as the smallest step.
    if (after->patch > before->patch) return TN_ABI_MINOR;
    if (after->patch == before->patch) return TN_ABI_NONE;
  }
  snprintf(note, size,
           "the number went backwards, from %" PRId64 ".%" PRId64 " to %" PRId64 ".%" PRId64,
           before->major, before->minor, after->major, after->minor);
  return TN_ABI_NONE;
}

// True for an interface whose number has been the same in all of its releases.
static bool stands_still(const tn_abi_model* before, const tn_abi_model* after) {
  return (before->number_stands || after->number_stands) && before->major == after->major &&
         before->minor == after->minor && before->patch == after->patch;
}

static void judge_bump(const tn_abi_model* before, const tn_abi_model* after, tn_abi_verdict* out) {
  if (before->major < 0 || after->major < 0) {
    out->bump_ok = out->class == TN_ABI_NONE;
    if (!out->bump_ok)
      snprintf(out->bump_note, sizeof out->bump_note,
               "no number was found in %s, so nothing tells peers of this change",
               after->major < 0 ? "the new side" : "the old side");
    return;
  }
  if (stands_still(before, after) && (out->class <= TN_ABI_MINOR || out->illegal_count)) {
    out->bump_ok = true;
    if (out->class != TN_ABI_NONE)
      snprintf(out->bump_note, sizeof out->bump_note,
               "the number %" PRId64 ".%" PRId64 ".%" PRId64
               " did not move, as in every release; the rules of layout judge by themselves, and "
               "struct sizes tell peers what is there",
               before->major, before->minor, before->patch);
    return;
  }
  const tn_abi_class bump = bump_of(before, after, out->bump_note, sizeof out->bump_note);
  out->bump_ok = bump >= out->class && !*out->bump_note;
  if (out->bump_ok || *out->bump_note) return;
  snprintf(out->bump_note, sizeof out->bump_note,
           "a %s change needs a new %s number; it is %" PRId64 ".%" PRId64 " before and %" PRId64
           ".%" PRId64 " after",
           tn_abi_class_name(out->class), tn_abi_class_name(out->class), before->major,
           before->minor, after->major, after->minor);
}

static void judge_changelog(const tn_abi_model* before, const tn_abi_model* after,
                            tn_view changelog, tn_abi_verdict* out) {
  tn_changelog_entry entry, newest;
  const bool moved = after->major != before->major || after->minor != before->minor;
  out->changelog_ok = true;
  if (!changelog.data) return;
  if (after->major < 0) {
    out->changelog_ok = false;
    snprintf(out->changelog_note, sizeof out->changelog_note,
             "the new side has no number to look for in the changelog");
  } else if (!tn_changelog_find(changelog, after->major, after->minor, after->patch, &entry)) {
    out->changelog_ok = false;
    snprintf(out->changelog_note, sizeof out->changelog_note,
             "it has no entry for %" PRId64 ".%" PRId64, after->major, after->minor);
  } else if (moved && !entry.has_date) {
    out->changelog_ok = false;
    snprintf(out->changelog_note, sizeof out->changelog_note,
             "line %zu: the entry for %" PRId64 ".%" PRId64
             " has no date, and the window is counted from it",
             entry.line, entry.major, entry.minor);
  } else if (tn_changelog_newest(changelog, &newest) &&
             (newest.major != after->major || newest.minor != after->minor)) {
    out->changelog_ok = false;
    snprintf(out->changelog_note, sizeof out->changelog_note,
             "line %zu: its newest entry is %" PRId64 ".%" PRId64 ", and the header says %" PRId64
             ".%" PRId64,
             newest.line, newest.major, newest.minor, after->major, after->minor);
  }
}

void tn_abi_judge(const tn_abi_policy* policy, const tn_abi_model* before,
                  const tn_abi_model* after, const tn_abi_differences* differences,
                  tn_view changelog, tn_abi_verdict* out) {
  *out = (tn_abi_verdict){.class = TN_ABI_NONE};
  for (size_t i = 0; i < differences->count; ++i) {
    tn_abi_class class = policy->classes[differences->items[i].kind];
    if (class == TN_ABI_ILLEGAL) {
      out->illegal_count++;
      class = TN_ABI_MAJOR;
    }
    if (class > out->class) out->class = class;
  }
  judge_bump(before, after, out);
  judge_changelog(before, after, changelog, out);
  out->legal = out->bump_ok && out->changelog_ok && out->illegal_count == 0;
}
