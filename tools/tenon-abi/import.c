#include "import.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/day.h"
#include "abi/releases.h"
#include "base/memory.h"
#include "say.h"
#include "sources.h"

// The tables of the checkout that the working folder lies in.
static bool find_data(char out[4096], tn_status* status) {
  char folder[4000];
  if (!getcwd(folder, sizeof folder)) folder[0] = '\0';
  for (char* slash; *folder; *slash = '\0') {
    snprintf(out, 4096, "%s/data/abi", folder);
    char marker[4200];
    snprintf(marker, sizeof marker, "%s/pjrt/versions.tsv", out);
    if (access(marker, F_OK) == 0) return true;
    slash = strrchr(folder, '/');
    if (!slash) break;
  }
  tn_status_set(status, TN_NOT_FOUND,
                "no data/abi here or above: run this inside of a checkout of Tenon, or name the "
                "folder with --data DIR");
  return false;
}

// What follows a day may be a time of it: 2026-09-09T12:00:00Z.
static bool check_day(const char* option, const char* text, tn_status* status) {
  int64_t day;
  if (!text || (tn_day_parse(text, &day) && strlen(text) <= 32 &&
                strspn(text, "0123456789-:.+TZ") == strlen(text)))
    return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "%s '%.64s' is no day; write 2026-09-09", option,
                text);
  return false;
}

// "1.18.0": three numbers of at most six digits; gives what follows them, or NULL.
static const char* skip_version(const char* text) {
  for (int i = 0; i < 3; ++i) {
    const size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > 6 || (i < 2 && text[digits] != '.')) return NULL;
    text += digits + (i < 2);
  }
  return text;
}

static bool check_stablehlo(const char* text, tn_status* status) {
  if (!text) return true;
  const char* comma = skip_version(text);
  const char* end = comma && *comma == ',' ? skip_version(comma + 1) : NULL;
  char newest[32];
  if (!end || *end) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "--stablehlo '%.64s' are no two versions; write NEWEST,OLDEST: 1.18.0,0.9.0",
                  text);
    return false;
  }
  snprintf(newest, sizeof newest, "%.*s", (int)(comma - text), text);
  if (tn_abi_version_compare(newest, comma + 1) >= 0) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "--stablehlo %s: the newest version comes first, and %s is newer than %s", text,
                comma + 1, newest);
  return false;
}

// All of it goes into tables that must be read again.
static bool check_options(const import_options* options, tn_status* status) {
  const char *pjrt = options->pjrt, *commit = options->commit;
  if (pjrt && (strncmp(pjrt, "0.", 2) != 0 || !pjrt[2] || strlen(pjrt) > 8 ||
               pjrt[2 + strspn(pjrt + 2, "0123456789")])) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "--pjrt '%.64s' is no number; write 0.116", pjrt);
    return false;
  }
  if (commit && (!*commit || strlen(commit) > 64 ||
                 strspn(commit, "0123456789abcdefABCDEF") != strlen(commit))) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "--commit '%.64s' is no commit: letters a to f and digits, 64 at most", commit);
    return false;
  }
  return check_day("--date", options->date, status) &&
         check_day("--wheel-date", options->wheel_date, status) &&
         check_stablehlo(options->stablehlo, status);
}

import_result import_source(const char* source, const import_options* options, tn_status* status) {
  char folder[4096];
  if (!check_options(options, status)) return IMPORT_FAILED;
  if (options->data) {
    snprintf(folder, sizeof folder, "%s", options->data);
  } else if (!find_data(folder, status)) {
    return IMPORT_FAILED;
  }
  tn_abi_model model = {0};
  import_result result = IMPORT_FAILED;
  data_tables tables = {.lock = -1};
  if (wheel_is(source)) {
    wheel wheel;
    if (wheel_open(&wheel, source, status) && tables_open(&tables, folder, status))
      result = strcmp(wheel.name, "jaxlib") == 0 ? import_jaxlib(&tables, &wheel, options, status)
                                                 : import_tf(&tables, &wheel, options, status);
    if (result == IMPORT_FAILED && wheel.unpacked) wheel_rename(status, wheel.unpacked, source);
    wheel_close(&wheel);
    // Read before the tables are taken from the folder: pjrt==0.90 means the built-in ones.
  } else if (read_source(source, options->header, &model, status) &&
             tables_open(&tables, folder, status)) {
    result = import_pjrt(&tables, &model, options, status);
  }
  bool extended = false;
  for (size_t i = 0; i < tables.count; ++i) extended |= tables.files[i].changed;
  if (result == IMPORT_DONE && !tables_commit(&tables, status)) result = IMPORT_FAILED;
  if (result == IMPORT_FAILED) {
    say_nothing();
  } else if (!say_flush(options->json, source,
                        result == IMPORT_DIFFERS ? "differs"
                        : extended               ? "added"
                                                 : "equal")) {
    tn_status_set_no_memory(status, "telling what was imported");
    result = IMPORT_FAILED;
  }
  tables_close(&tables);
  tn_abi_model_deinit(&model);
  return result;
}
