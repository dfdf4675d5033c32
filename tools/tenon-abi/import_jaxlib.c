// A wheel of jaxlib as a row of jaxlib_releases.tsv. It ships neither a PJRT header nor a symbol
// that tells its numbers, so they are the user's to give.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/releases.h"
#include "import.h"
#include "say.h"

// "1.16.3,0.9.0" into its two parts.
static void split_versions(data_tables* tables, const char* text, const char* out[2]) {
  const char* comma = text ? strchr(text, ',') : NULL;
  out[0] = !text ? "" : tables_text(tables, "%.*s", (int)strcspn(text, ","), text);
  out[1] = comma ? comma + 1 : "";
}

static bool is_said(const table_file* table, size_t row, const char* column, const char* text) {
  if (!*text || strcmp(table_cell(table, row, column), text) == 0) return true;
  say("- %s: %s %s\n+ %s: %s %s\n", table->name, column, table_cell(table, row, column),
      table->name, column, text);
  return false;
}

import_result import_jaxlib(data_tables* tables, const wheel* wheel, const import_options* options,
                            tn_status* status) {
  table_file* table = tables_get(tables, "pjrt/jaxlib_releases");
  const table_file* versions = tables_get(tables, "pjrt/versions");
  size_t row = table_find(table, "jaxlib", wheel->version, 0);
  const char* number = options->pjrt ? options->pjrt : "";
  const char* minor = strncmp(number, "0.", 2) == 0 ? number + 2 : "";
  const char* stablehlo[2];
  split_versions(tables, options->stablehlo, stablehlo);
  if (row < table->row_count) {
    const bool equal = is_said(table, row, "pjrt_minor", minor) &
                       is_said(table, row, "stablehlo_current", stablehlo[0]) &
                       is_said(table, row, "stablehlo_minimum", stablehlo[1]);
    say("jaxlib %s: already known, %s\n", wheel->version,
        equal ? "equal" : "and different from what the tables say of it");
    return equal ? IMPORT_DONE : IMPORT_DIFFERS;
  }
  const size_t from = table_find(versions, "minor", minor, 0);
  if (*minor && from == versions->row_count) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "--pjrt %s is not in the tables, which end with 0.%s; import its header first",
                  number, table_cell(versions, versions->row_count - 1, "minor"));
    return IMPORT_FAILED;
  }
  if (!options->date || !*minor) {
    tn_status_set(
        status, TN_INVALID_ARGUMENT,
        "jaxlib %s is new, and its files tell neither its day nor its numbers: --date "
        "2026-10-20 --pjrt 0.116 (one that the tables know: import its header first), and "
        "--stablehlo 1.18.0,0.9.0 when they are known",
        wheel->version);
    return IMPORT_FAILED;
  }
  row = 0;
  while (row < table->row_count && tn_abi_version_compare(table->rows[row][0], wheel->version) < 0)
    ++row;
  table_insert(table, row, "");
  table_set(table, row, "jaxlib", wheel->version);
  table_set(table, row, "release_date", options->date);
  table_set(table, row, "date_source", "import");
  table_set(table, row, "pjrt_major", "0");
  table_set(table, row, "pjrt_minor", minor);
  table_set(table, row, "pjrt_api_sizeof", table_cell(versions, from, "api_sizeof"));
  table_set(table, row, "pjrt_api_functions", table_cell(versions, from, "api_functions"));
  table_set(table, row, "stablehlo_current", stablehlo[0]);
  table_set(table, row, "stablehlo_minimum", stablehlo[1]);
  say("jaxlib %s: added\n", wheel->version);
  return IMPORT_DONE;
}
