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

static bool check_lines(const char* path, const tn_text* text, tn_status* status) {
  size_t number = 0;
  for (const char* line = text->data; line && *line;) {
    char words[3][128], rest[2];
    const size_t length = strcspn(line, "\n");
    char copy[512];
    snprintf(copy, sizeof copy, "%.*s", (int)(length < 500 ? length : 500), line);
    copy[strcspn(copy, "#")] = '\0';
    ++number;
    const int read = sscanf(copy, " %127s %127s %127s %1s", words[0], words[1], words[2], rest);
    if (read > 0 && (read != 3 || use_of(words[2]) < 0)) {
      tn_status_set(status, TN_INVALID_ARGUMENT,
                    "%s:%zu: not of the form 'struct member use', with ignored, optional, checked "
                    "or trusted for use",
                    path, number);
      return false;
    }
    line += length + (line[length] == '\n');
  }
  return true;
}

bool tn_abi_contract_get(const char* name, tn_abi_contract* out, tn_status* status) {
  bool found;
  snprintf(out->host, sizeof out->host, "%s", name);
  if (strncmp(name, "tensorflow==", 12) == 0) {
    found = take_table("tf/host_reads", name + 12, NULL, out);
  } else if (strncmp(name, "seed==v", 7) == 0) {
    found = take_seed(name + 7, out);
  } else {
    return tn_file_read(name, 1 << 20, &out->text, status) && check_lines(name, &out->text, status);
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
  for (const char* line = contract->text.data; line && *line;) {
    char words[3][128];
    const size_t length = strcspn(line, "\n");
    if (*line != '#' && sscanf(line, " %127s %127s %127s", words[0], words[1], words[2]) == 3 &&
        strcmp(words[0], owner) == 0 && strcmp(words[1], member) == 0)
      return (tn_member_use)use_of(words[2]);
    line += length + (line[length] == '\n');
  }
  return TN_USE_IGNORED;
}
