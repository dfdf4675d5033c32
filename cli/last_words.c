// What to say when foreign code takes this process along.

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign.h"
#include "command.h"

// Empty: no foreign code is running.
static char last_words[4096];

static void say(const char* how) {
  ssize_t written = write(2, last_words, strlen(last_words));
  written += write(2, how, strlen(how));
  written += write(2, "\n", 1);
  _exit(written > 0 ? CLI_PLUGIN : CLI_FAILED);
}

static void crashed(int signal_number) {
  if (!last_words[0]) {  // our own: as if it had not been caught
    raise(signal_number);
    return;
  }
  char how[32] = "crashed with SIG";
  strcat(how, sigabbrev_np(signal_number));
  say(how);
}

static void exited(void) {
  if (last_words[0]) say("ended the process");
}

static void expect_the_worst(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  static char stack[1 << 16];  // for a thread that has used up its own
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    sigaction(signals[i], &action, NULL);
  atexit(exited);
}

void cli_last_words(const char* format, ...) {
  static bool expecting;
  if (!expecting) expect_the_worst();
  expecting = true;
  va_list args;
  va_start(args, format);
  char words[sizeof last_words / 4];  // what is escaped is four times as long
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  FILE* out = fmemopen(last_words, sizeof last_words, "w");
  if (!out) return;
  tn_print_foreign(words, strlen(words), out);
  fclose(out);
}

void cli_no_last_words(void) { last_words[0] = 0; }

void cli_last_words_of_opening(const cli_args* args, const tn_device* device) {
  if (device && device != tn_device_at(0))
    cli_last_words("tenon %s: %s, while its device %s was opened, ", args->command->name,
                   tn_device_plugin(device), tn_device_name(device));
}
