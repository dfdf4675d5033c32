#include "abi/contract.h"

#include <stdio.h>
#include <string.h>

#include "abi/releases.h"
#include "abi/table.h"
#include "abi/tf_history.h"
#include "base/file.h"
#include "base/memory.h"

static const char* const uses[] = {"ignored", "optional", "checked", "trusted"};
const char* tn_member_use_name(tn_member_use use) { return uses[use]; }

static int use_of(const char* word) {
  for (int i = TN_USE_IGNORED; i <= TN_USE_TRUSTED; ++i)
    if (strcmp(uses[i], word) == 0) return i;
  return -1;
}

// True when `word` is one of a list with commas.
static bool lists(const char* list, const char* word) {
  const size_t length = strlen(word);
  for (; *list; list += *list == ',') {
    const size_t next = strcspn(list, ",");
    if (next == length && memcmp(list, word, length) == 0) return true;
    list += next;
  }
  return false;
}

// Copies the rows that hold for the release, and for the kind of host where the table has several;
// its numbers are compared without a leading v.
static bool take_table(const char* table_name, const char* release, const char* host,
                       tn_abi_contract* out) {
  const tn_abi_table* table = tn_abi_table_get(table_name);
  const int hosts = tn_abi_column(table, "hosts");
  bool any = false;
  for (size_t i = 0; i < table->rows; ++i) {
    char spans[64];
    size_t length = 0;
    for (const char* c = tn_abi_cell(table, i, tn_abi_column(table, "releases")); *c && length < 63;
         ++c)
      if (*c != 'v') spans[length++] = *c;
    spans[length] = '\0';
    if (!tn_abi_tf_covers(spans, release)) continue;
    if (host && !lists(tn_abi_cell(table, i, hosts), host)) continue;
    tn_text_printf(&out->text, "%s\t%s\t%s\n", tn_abi_cell(table, i, 0), tn_abi_cell(table, i, 1),
                   tn_abi_cell(table, i, 2));
    any = true;
  }
  return any;
}

// "4+validate" and the like, of the seed's five versions.
static bool take_seed(const char* name, tn_abi_contract* out) {
  char release[8];
  const size_t length = strcspn(name, "+");
  const char* marks = name + length;
  const bool validates = strstr(marks, "+validate") != NULL;
  const bool deprecated = strstr(marks, "+deprecated") != NULL;
  if (length != 1 || !strchr("12345", *name) ||
      strlen(marks) != (validates ? 9u : 0u) + (deprecated ? 11u : 0u))
    return false;
  snprintf(release, sizeof release, "%c", *name);
  return take_table("seed/host_reads", release,
                    deprecated  ? validates ? "deprecated+validate" : "deprecated"
                    : validates ? "validate"
                                : "plain",
                    out);
}

// The next word of a line, cut off from its front; an empty one at its end.
static tn_view take_word(tn_view* line) {
  static const char blanks[] = " \t\r\f\v";
  while (line->size && strchr(blanks, *line->data)) ++line->data, --line->size;
  tn_view word = {line->data, 0};
  while (line->size && !strchr(blanks, *line->data)) ++line->data, --line->size, ++word.size;
  return word;
}

// Copies the rows of a file, words apart by a tab as in the tables.
static bool take_lines(const char* path, tn_view text, tn_abi_contract* out, tn_status* status) {
  for (size_t number = 1; text.size; ++number) {
    const char* end = memchr(text.data, '\n', text.size);
    tn_view line = {text.data, end ? (size_t)(end - text.data) : text.size};
    text.data += line.size + (end != NULL);
    text.size -= line.size + (end != NULL);
    const char* comment = memchr(line.data, '#', line.size);
    if (comment) line.size = (size_t)(comment - line.data);
    const bool binary = memchr(line.data, '\0', line.size);
    const tn_view owner = take_word(&line), member = take_word(&line), use = take_word(&line);
    if (!owner.size && !binary) continue;
    char word[16];
    snprintf(word, sizeof word, "%.*s", use.size < sizeof word ? (int)use.size : 0, use.data);
    if (binary || use_of(word) < 0 || take_word(&line).size) {
      tn_status_set(status, TN_INVALID_ARGUMENT,
                    "%s:%zu: not of the form 'struct member use', with ignored, optional, checked "
                    "or trusted for use",
                    path, number);
      return false;
    }
    tn_text_printf(&out->text, "%.*s\t%.*s\t%s\n", TN_VIEW_ARGS(owner), TN_VIEW_ARGS(member), word);
  }
  return true;
}

static bool take_file(const char* path, tn_abi_contract* out, tn_status* status) {
  tn_text text = {0};
  bool good = tn_file_read(path, 1 << 20, &text, status) &&
              take_lines(path, tn_text_view(&text), out, status);
  tn_text_deinit(&text);
  if (good && out->text.failed) {
    tn_status_set_no_memory(status, "reading a contract");
    good = false;
  } else if (good && out->text.size == 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "%s tells of no member; lines of the form 'struct member use' are expected",
                  path);
    good = false;
  }
  return good;
}

bool tn_abi_contract_get(const char* name, tn_abi_contract* out, tn_status* status) {
  bool found;
  snprintf(out->host, sizeof out->host, "%s", name);
  if (strncmp(name, "tensorflow==", 12) == 0) {
    found = take_table("tf/host_reads", name + 12, NULL, out);
  } else if (strncmp(name, "seed==v", 7) == 0) {
    found = take_seed(name + 7, out);
  } else {
    return take_file(name, out, status);
  }
  if (!found)
    tn_status_set(status, TN_NOT_FOUND,
                  "nothing is known of what %s reads; tensorflow==2.5 to %s and seed==v1 to v5, "
                  "with +validate and +deprecated behind it, are in the tables",
                  name, tn_abi_tf_release(tn_abi_tf_count() - 1));
  if (out->text.failed) tn_status_set_no_memory(status, "reading a contract");
  return found && !out->text.failed;
}

void tn_abi_contract_deinit(tn_abi_contract* contract) { tn_text_deinit(&contract->text); }

tn_member_use tn_abi_contract_use(const tn_abi_contract* contract, const char* owner,
                                  const char* member) {
  const size_t owner_size = strlen(owner), member_size = strlen(member);
  for (const char* line = contract->text.data; line && *line;) {
    const size_t length = strcspn(line, "\n"), first = strcspn(line, "\t");
    const char* rest = line + first + 1;
    const size_t second = strcspn(rest, "\t");
    if (first == owner_size && memcmp(line, owner, first) == 0 && second == member_size &&
        memcmp(rest, member, second) == 0) {
      char word[16];
      snprintf(word, sizeof word, "%.*s", (int)strcspn(rest + second + 1, "\n"), rest + second + 1);
      const int use = use_of(word);
      return use < 0 ? TN_USE_IGNORED : (tn_member_use)use;
    }
    line += length + (line[length] == '\n');
  }
  return TN_USE_IGNORED;
}

bool tn_abi_contract_reads(const tn_abi_contract* contract, const char* owner) {
  const size_t size = strlen(owner);
  for (const char* line = contract->text.data; line && *line;) {
    if (strncmp(line, owner, size) == 0 && line[size] == '\t') return true;
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  return false;
}
