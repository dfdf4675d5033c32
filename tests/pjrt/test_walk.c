// From opening to the last question, with the plugin of every number there is.
#include <unistd.h>

#include "harness.h"
#include "walk.h"

static void walk_every_number(int delay_ms, int least) {
  int walked = 0;
  for (int minor = 28; minor <= 130; ++minor) {
    char path[512];
    snprintf(path, sizeof path, "%s/tests/plugins/pjrt_0_%d.so", TENON_BUILD_DIR, minor);
    // A sanitized build has one of each form only.
    if (minor == 56 || access(path, R_OK) != 0) continue;
    walk w;
    walk_all(&w, path, minor, 0, delay_ms);
    for (int i = 0; i < WALK_COUNT; ++i) {
      const tn_code expected = walk_steps[i].since <= minor ? TN_OK : TN_UNIMPLEMENTED;
      if (!w.outcome[i])
        test_fail(__FILE__, __LINE__, "0.%d: %s was not reached", minor, walk_steps[i].name);
      else if (tn_status_code(w.outcome[i]) != expected)
        test_fail(__FILE__, __LINE__, "0.%d: %s: %s", minor, walk_steps[i].name,
                  tn_status_message(w.outcome[i]));
    }
    walk_end(&w);
    ++walked;
  }
  CHECK(walked >= least);
}

TEST(test_plugins_of_every_number_do_all_that_they_have) { walk_every_number(-1, 10); }
TEST(test_plugins_that_work_in_another_thread_do_too) { walk_every_number(0, 10); }
