#include "check/kernels/contain.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "check/kernels/fixture.h"

// What the children of a case share.
typedef struct shared {
  _Atomic uint64_t begun;  // visits
  _Atomic bool visiting, searching;
  _Atomic uint64_t lost;                // while searching
  _Atomic uint64_t begin_ms;            // of the first visit; 0: none yet
  _Atomic uint64_t visit_ms, spent_ms;  // when the present one began; of all that ended
} shared;

static shared alone, *common = &alone;
static uint64_t visits;  // of this process

bool tk_visit_begins(void) {
  if (++visits <= common->begun) return false;
  common->begun = visits;
  common->visit_ms = tn_clock_ms();
  if (common->begin_ms == 0) common->begin_ms = common->visit_ms;
  common->visiting = true;
  return true;
}

void tk_visit_ends(void) {
  common->spent_ms += tn_clock_ms() - common->visit_ms;
  common->visiting = false;
}
bool tk_visit_is_new(void) { return visits >= common->begun; }

void tk_search_begins(void) { common->searching = true; }
void tk_search_ends(void) { common->searching = false; }
bool tk_is_searching(void) { return common->searching; }
uint64_t tk_lost_in_search(void) { return common->lost; }

// Plugins may take long to load, again after each death.
bool tk_time_is_up(void) {
  const uint32_t limit = tk.subject->time_limit_ms;
  return common->spent_ms > limit / 20 ||
         (common->begin_ms && tn_clock_ms() - common->begin_ms > limit / 3);
}

// Tells how a child ended; true when there is a kernel to leave out.
static bool tell(int status, const char* where) {
  if (common->searching) {
    common->searching = common->visiting = false;
    ++common->lost;
    return true;
  }
  char how[60];
  if (WIFSIGNALED(status))
    snprintf(how, sizeof how, "killed by SIG%s",
             sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "RT");
  else
    snprintf(how, sizeof how, "ended the process with exit code %d", WEXITSTATUS(status));
  if (!common->visiting) {
    tn_case_broken(NULL, "a process that lives", "%s %s", how, where);
    return false;
  }
  tn_case_broken("a kernel computes or fails, and does not end the process", "a process that lives",
                 "%s %s", how, where);
  common->visiting = false;
  return true;
}

void tk_contain(void) {
  enum { MOST_DEATHS = 20 };
  common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (common == MAP_FAILED) tn_case_error("out of memory");
  for (int deaths = 0; deaths < MOST_DEATHS; ++deaths) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      return;
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) tn_case_error("cannot fork");
    char where[80];
    tn_case_where(where, sizeof where);
    const bool by_itself = !common->visiting || !*where;  // as against a plugin's exit(0)
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && by_itself) tn_case_end();
    if (!tell(status, where)) tn_case_end();
  }
  tn_case_note("ended after %d deaths; --not-op PATTERN leaves ops out", MOST_DEATHS);
  tn_case_end();
}
