#include "interrupts.h"

#include <unistd.h>

enum { SECONDS_TO_STOP = 1 };

struct cli_interrupts cli_interrupts;
static struct sigaction before;

static void end_here(int signal_number) {
  static const char words[] = "tenon run: interrupted\n";
  _exit(write(2, words, sizeof words - 1) < 0 ? CLI_FAILED : CLI_INTERRUPTED);
}

static void interrupt(int signal_number) {
  struct cli_interrupts* state = &cli_interrupts;
  if (state->interrupted || !(state->computing || state->writing)) end_here(signal_number);
  state->interrupted = 1;
  tn_cancel_request(state->cancel);
  if (state->computing) alarm(SECONDS_TO_STOP);
}

// Unless whoever started us wants Ctrl-C ignored.
void cli_interrupts_heed(void) {
  sigaction(SIGINT, NULL, &before);
  if (before.sa_handler == SIG_IGN) return;
  sigaction(SIGINT, &(struct sigaction){.sa_handler = interrupt, .sa_flags = SA_RESTART}, NULL);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = end_here, .sa_flags = SA_RESTART}, NULL);
}

void cli_interrupts_restore(void) { sigaction(SIGINT, &before, NULL); }
