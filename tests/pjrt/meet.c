// pjrt_meet FOLDER: brings hosts of every number together with the plugins pjrt_0_N.so in FOLDER. A
// line for each pair: the host's number (0: this host, acting as nobody), the plugin's, and what
// did not go well, as step=CODE: words. pjrt_meet FOLDER HOST PLUGIN: one pair. pjrt_meet: the
// steps, and the number that each needs of both sides.
#include <stdlib.h>
#include <unistd.h>

#include "walk.h"

static void meet(const char* folder, int host, int minor, bool with_notes) {
  char path[600];
  snprintf(path, sizeof path, "%s/pjrt_0_%d.so", folder, minor);
  if (access(path, R_OK) != 0) return;
  walk w;
  walk_all(&w, path, minor, host, -1);
  printf("%d\t%d", host, minor);
  for (int i = 0; i < WALK_COUNT; ++i)
    if (w.outcome[i] && tn_status_code(w.outcome[i]) != TN_OK)
      printf("\t%s=%s: %s", walk_steps[i].name, tn_code_name(tn_status_code(w.outcome[i])),
             tn_status_message(w.outcome[i]));
  printf("\n");
  if (with_notes) {
    printf("%s%s", w.plugin ? tn_pjrt_notes(w.plugin) : "",
           w.plugin && *tn_pjrt_notes(w.plugin) ? "\n" : "");
    printf("%s\n", w.client ? tn_pjrt_client_notes(w.client) : "");
  }
  walk_end(&w);
}

int main(int argc, char** argv) {
  if (argc == 4) {
    meet(argv[1], atoi(argv[2]), atoi(argv[3]), true);
    return 0;
  }
  for (int i = 0; argc == 1 && i < WALK_COUNT; ++i)
    printf("%s\t%d\n", walk_steps[i].name, walk_steps[i].since);
  if (argc != 2) return argc == 1 ? 0 : 2;
  for (int host = 0; host <= tn_pjrt_newest_known(); host = host ? host + 1 : 28)
    for (int minor = 28; minor <= 130; ++minor) meet(argv[1], host, minor, false);
  return 0;
}
