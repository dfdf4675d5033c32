// What the hostile plugin offers to its test, through the symbol "hostile".
#ifndef TENON_TESTS_TF_HOSTILE_H_
#define TENON_TESTS_TF_HOSTILE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct hostile_interface {
  // The i-th function that it calls; NULL past the last.
  const char* (*name)(size_t i);
  // From begin to end this thread's calls are random, and so are those of the plugin's callbacks
  // that run on it; outside the plugin behaves. Handles live from begin to end at most.
  void (*begin)(uint64_t seed);
  void (*call)(int count);
  void (*end)(void);
  // The function that this thread called last.
  const char* (*last)(void);
} hostile_interface;

#endif  // TENON_TESTS_TF_HOSTILE_H_
