#include "abi/changelog.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "abi/day.h"

enum { LINE = 512 };

static int month_of(const char* word) {
  static const char* const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                       "jul", "aug", "sep", "oct", "nov", "dec"};
  for (int i = 0; i < 12; ++i)
    if (strncasecmp(word, months[i], 3) == 0) return i + 1;
  return 0;
}

// A date anywhere in the line, in one of three spellings.
static bool find_date(const char* line, int64_t* out) {
  for (const char* at = line; *at; ++at) {
    int year, day, length = 0;
    char word[16], text[TN_DAY_TEXT];
    if (at > line && isalnum((unsigned char)at[-1])) continue;
    if (isdigit((unsigned char)*at) && strlen(at) >= 10) {
      snprintf(text, 11, "%s", at);
      if (tn_day_parse(text, out)) return true;
    }
    const bool day_first =
        sscanf(at, "%2d%*[ .]%15[A-Za-z]%*[ ,.]%4d%n", &day, word, &year, &length) == 3;
    if (!day_first &&
        sscanf(at, "%15[A-Za-z]%*[ .]%2d%*[ ,]%4d%n", word, &day, &year, &length) != 3)
      continue;
    const int month = month_of(word);
    if (!month || length == 0 || day < 0 || year < 0) continue;
    snprintf(text, sizeof text, "%04d-%02d-%02d", year % 10000, month, day % 100);
    if (tn_day_parse(text, out)) return true;
  }
  return false;
}

// Reads a line as the head of an entry.
static bool read_entry(const char* line, tn_changelog_entry* out) {
  line += strspn(line, " \t#*-[(=v");
  long long major, minor, patch = -1;
  int length = 0, more = 0;
  if (!isdigit((unsigned char)*line) || sscanf(line, "%9lld.%9lld%n", &major, &minor, &length) != 2)
    return false;
  if (sscanf(line + length, ".%9lld%n", &patch, &more) == 1) length += more;
  // "0.55.1.2", "0.55x", "0.55-rc1" and the link "[0.55]: address" are other things.
  const char* rest = line + length;
  if (isalnum((unsigned char)*rest) || (*rest == '.' && isdigit((unsigned char)rest[1])) ||
      (*rest == '-' && isalpha((unsigned char)rest[1])) || strncmp(rest, "]:", 2) == 0)
    return false;
  out->major = major;
  out->minor = minor;
  out->patch = patch;
  out->has_date = find_date(rest, &out->day);
  return true;
}

static bool is_same(const tn_changelog_entry* entry, const tn_changelog_entry* wanted) {
  return entry->major == wanted->major && entry->minor == wanted->minor &&
         (entry->patch < 0 || wanted->patch < 0 || entry->patch == wanted->patch);
}

// Walks the entries; `wanted` NULL looks for the highest number.
static bool search(tn_view text, const tn_changelog_entry* wanted, tn_changelog_entry* out) {
  bool found = false;
  size_t number = 0;
  for (size_t at = 0; at < text.size; ++number) {
    const char* end = memchr(text.data + at, '\n', text.size - at);
    const size_t length = end ? (size_t)(end - text.data) - at : text.size - at;
    char line[LINE];
    snprintf(line, sizeof line, "%.*s", (int)(length < LINE ? length : LINE - 1), text.data + at);
    at += length + 1;
    tn_changelog_entry entry = {.line = number + 1};
    if (!read_entry(line, &entry)) continue;
    const bool better = wanted ? is_same(&entry, wanted) && !found
                               : !found || entry.major > out->major ||
                                     (entry.major == out->major && entry.minor > out->minor);
    if (better) *out = entry;
    found |= better;
  }
  return found;
}

bool tn_changelog_find(tn_view text, int64_t major, int64_t minor, int64_t patch,
                       tn_changelog_entry* out) {
  return search(text, &(tn_changelog_entry){.major = major, .minor = minor, .patch = patch}, out);
}

bool tn_changelog_newest(tn_view text, tn_changelog_entry* out) { return search(text, NULL, out); }
