// Which faults this process asked for.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"

bool misdeeds_chosen[NUM_MISDEEDS];

static const char* const names[] = {
#define MISDEED(name, does, breaks) #name,
    MISDEEDS(MISDEED)
#undef MISDEED
};
static const char* const traps[] = {"crash@", "abort@", "exit@", "hang@", "fail@", "null@"};
enum { CRASH, ABORT, EXIT, HANG, FAIL, NULL_SLOT, NUM_TRAPS };
static struct {
  int kind;
  char function[80];
} set[8];
static size_t num_set;

static void choose(const char* word, size_t size) {
  for (int i = 0; i < NUM_MISDEEDS; ++i) {
    if (strlen(names[i]) == size && !memcmp(names[i], word, size)) {
      misdeeds_chosen[i] = true;
      return;
    }
  }
  for (int kind = 0; kind < NUM_TRAPS; ++kind) {
    size_t prefix = strlen(traps[kind]);
    if (size > prefix && !memcmp(word, traps[kind], prefix) &&
        size - prefix < sizeof set->function && num_set < sizeof set / sizeof *set) {
      set[num_set].kind = kind;
      memcpy(set[num_set++].function, word + prefix, size - prefix);
      return;
    }
  }
  fprintf(stderr, "pjrt test plugin: no misdeed is called %.*s\n", (int)size, word);
  _exit(99);
}

static void choose_all(const char* words, const char* end) {
  while (words < end) {
    const char* comma = memchr(words, ',', (size_t)(end - words));
    const char* stop = comma ? comma : end;
    if (stop > words) choose(words, (size_t)(stop - words));
    words = stop + 1;
  }
}

void misdeeds_choose(const char* own_path) {
  const char* wanted = getenv("PJRT_MISDEED");
  if (wanted) choose_all(wanted, wanted + strlen(wanted));
  const char* plus = own_path ? strrchr(own_path, '+') : NULL;
  const char* dot = plus ? strrchr(plus, '.') : NULL;
  if (dot) choose_all(plus + 1, dot);
}

bool misdeed_is_null_slot(const char* function) {
  for (size_t i = 0; i < num_set; ++i)
    if (set[i].kind == NULL_SLOT && !strcmp(set[i].function, function)) return true;
  return false;
}

bool misdeed_on_entry(const char* function) {
  for (size_t i = 0; i < num_set; ++i) {
    if (strcmp(set[i].function, function) != 0) continue;
    switch (set[i].kind) {
      case CRASH: raise(SIGSEGV); _exit(98);
      case ABORT: abort();
      case EXIT: _exit(3);
      case HANG:
        for (;;) pause();
      case FAIL: return true;
      default: break;
    }
  }
  return false;
}
