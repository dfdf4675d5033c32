// tenon-probe: has to do with one plugin on behalf of another process, so that only this one can
// die of it: loads it, works with it, or runs one conformance case on it.
#include <string.h>

#include "check/report.h"
#include "host/plugin.h"
#include "pjrt/host/isolated.h"
#include "pjrt/host/open.h"
#include "plugin/child.h"

int main(int argc, char** argv) {
  tn_child_keep();
  if (argc > 1 && strcmp(argv[1], TN_CASE_WORD) == 0) tn_case_main(argc, argv);
  if (argc == 2 && strcmp(argv[1], "pjrt") == 0) tn_pjrt_serve();
  tn_probe_main(argc, argv, tn_pjrt_meet);
}
