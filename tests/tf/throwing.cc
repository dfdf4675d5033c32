// A kernel in C++ that lets an exception out, and one that would catch it.
#include "throwing.h"

void throw_in_loop(void*, int64_t, int64_t) { throw 1; }
void throw_in_task(void*) { throw 2; }

bool catches(void (*run)(void)) {
  try {
    run();
  } catch (int) {
    return true;
  }
  return false;
}
