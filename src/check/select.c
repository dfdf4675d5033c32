#include "check/select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"

const char* tn_case_full_name(tn_face face, const tn_check_case* item,
                              char out[TN_CASE_NAME_MOST]) {
  snprintf(out, TN_CASE_NAME_MOST, "%s.%s", tn_face_name(face), item->name);
  return out;
}

const tn_check_case* tn_check_find(const char* full_name) {
  char name[TN_CASE_NAME_MOST];
  for (size_t g = 0; g < tn_check_group_count; ++g)
    for (size_t i = 0; i < tn_check_groups[g]->count; ++i) {
      const tn_check_case* item = &tn_check_groups[g]->cases[i];
      if (strcmp(tn_case_full_name(tn_check_groups[g]->face, item, name), full_name) == 0)
        return item;
    }
  return NULL;
}

bool tn_case_fits(const char* pattern, const char* full_name) {
  return fnmatch(pattern, full_name, 0) == 0;
}

bool tn_case_pattern_fits_any(const char* pattern) {
  char name[TN_CASE_NAME_MOST];
  for (size_t g = 0; g < tn_check_group_count; ++g)
    for (size_t i = 0; i < tn_check_groups[g]->count; ++i) {
      tn_case_full_name(tn_check_groups[g]->face, &tn_check_groups[g]->cases[i], name);
      if (tn_case_fits(pattern, name)) return true;
    }
  return false;
}

static bool add_line(tn_exceptions* list, const char* at, size_t size, int line,
                     tn_status* status) {
  static const char blanks[] = " \t\r";
  while (size > 0 && strchr(blanks, *at)) ++at, --size;
  while (size > 0 && strchr(blanks, at[size - 1])) --size;
  if (size == 0 || *at == '#') return true;
  size_t word = 0;
  while (word < size && !strchr(blanks, at[word])) ++word;
  size_t reason = word;
  while (reason < size && strchr(blanks, at[reason])) ++reason;
  if (reason == size)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "%s:%d: '%.*s' has no reason; write why behind the pattern", list->file, line,
                   (int)word, at);
  if (!tn_grow(&list->entries, &list->capacity, list->count + 1, sizeof *list->entries)) {
    tn_status_set_no_memory(status, "reading a list of cases");
    return false;
  }
  tn_exception* entry = &list->entries[list->count++];
  *entry = (tn_exception){tn_strndup(at, word), tn_strndup(at + reason, size - reason), line};
  if (!entry->pattern || !entry->reason) {
    tn_status_set_no_memory(status, "reading a list of cases");
    return false;
  }
  if (!tn_case_pattern_fits_any(entry->pattern))
    return tn_fail(status, TN_NOT_FOUND,
                   "%s:%d: no case fits '%s'; `tenon check --list` shows them all", list->file,
                   line, entry->pattern);
  return true;
}

tn_exceptions* tn_exceptions_read(const char* file, tn_status* status) {
  tn_text text = {0};
  tn_exceptions* list = tn_alloc_zeroed(1, sizeof *list);
  if (list) list->file = tn_strdup(file);
  bool fine = list && list->file;
  if (!fine) tn_status_set_no_memory(status, "reading a list of cases");
  fine = fine && tn_file_read(file, 1 << 20, &text, status);
  const tn_view all = tn_text_view(&text);
  int line = 1;
  for (size_t at = 0; fine && at < all.size; ++line) {
    const char* end = memchr(all.data + at, '\n', all.size - at);
    const size_t size = end ? (size_t)(end - all.data) - at : all.size - at;
    fine = add_line(list, all.data + at, size, line, status);
    at += size + 1;
  }
  tn_text_deinit(&text);
  if (fine) return list;
  tn_exceptions_destroy(list);
  return NULL;
}

void tn_exceptions_destroy(tn_exceptions* list) {
  if (!list) return;
  for (size_t i = 0; i < list->count; ++i) {
    tn_free(list->entries[i].pattern);
    tn_free(list->entries[i].reason);
  }
  tn_free(list->entries);
  tn_free(list->file);
  tn_free(list);
}

const tn_exception* tn_exceptions_find(const tn_exceptions* list, const char* full_name) {
  for (size_t i = 0; list && i < list->count; ++i)
    if (tn_case_fits(list->entries[i].pattern, full_name)) return &list->entries[i];
  return NULL;
}
