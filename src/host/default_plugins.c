#include <errno.h>
#include <glob.h>

#include "base/status.h"
#include "plugin/own_files.h"
#include "tenon/plugin.h"

bool tn_plugin_load_defaults(const tn_load_options* options, tn_status* status) {
  char* folder = tn_own_plugin_folder(status);
  char* pattern = folder ? tn_printf("%s/*.so", folder) : NULL;
  if (folder && !pattern) tn_status_set_no_memory(status, "looking for plugins");
  glob_t found = {0};
  bool loaded = pattern != NULL;
  int outcome = loaded ? glob(pattern, 0, NULL, &found) : GLOB_NOMATCH;
  if (outcome == GLOB_NOSPACE) {
    tn_status_set_no_memory(status, "looking for plugins");
    loaded = false;
  }
  for (size_t i = 0; loaded && outcome == 0 && i < found.gl_pathc; ++i)
    loaded = tn_plugin_load(found.gl_pathv[i], options, status) != NULL;
  globfree(&found);
  tn_free(pattern);
  tn_free(folder);
  return loaded;
}
