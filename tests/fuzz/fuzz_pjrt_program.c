// Any bytes as a program: a version of three numbers, or none, whatever the bytes are cut off at.
#include <stdlib.h>
#include <string.h>

#include "tenon/pjrt.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A block of its own, so that a read past the end is seen.
  uint8_t* copy = malloc(size ? size : 1);
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  int version[3] = {-1, -1, -1};
  bool found = tn_pjrt_program_version(copy, size, version);
  for (int i = 0; i < 3; ++i)
    if (found ? version[i] < 0 : version[i] != -1) abort();
  free(copy);
  return 0;
}
