#include "import.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

import_result import_source(const char* source, const import_options* options, tn_status* status) {
  char folder[4096];
  if (options->data) {
    snprintf(folder, sizeof folder, "%s", options->data);
  } else if (!find_data(folder, status)) {
    return IMPORT_FAILED;
  }
  tn_abi_model model = {0};
  import_result result = IMPORT_FAILED;
  data_tables tables = {0};
  if (wheel_is(source)) {
    wheel wheel;
    if (wheel_open(&wheel, source, status) && tables_open(&tables, folder, status))
      result = strcmp(wheel.name, "jaxlib") == 0 ? import_jaxlib(&tables, &wheel, options, status)
                                                 : import_tf(&tables, &wheel, options, status);
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
