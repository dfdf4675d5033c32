// Ctrl-C while a command runs something: it ends the process where it is, but for two stages. What
// computes is asked to stop and left a second. Files are written beside their place and renamed:
// the one that is being written is finished, and no other is begun. A second Ctrl-C ends these at
// once too.
#ifndef TENON_CLI_INTERRUPTS_H_
#define TENON_CLI_INTERRUPTS_H_

#include <signal.h>

#include "command.h"

enum { CLI_INTERRUPTED = 128 + SIGINT };  // the exit code

extern struct cli_interrupts {
  tn_cancel* cancel;  // asks what computes to stop
  volatile sig_atomic_t computing, writing;
  volatile sig_atomic_t interrupted;  // it was pressed, and the command is to end
} cli_interrupts;

void cli_interrupts_heed(void);
void cli_interrupts_restore(void);

#endif  // TENON_CLI_INTERRUPTS_H_
