// "Did you mean": the name nearest to one that was not found.
#ifndef TENON_BASE_SUGGEST_H_
#define TENON_BASE_SUGGEST_H_

#include <stddef.h>

#include "base/view.h"

// Begin with {.wanted = name}, offer every known name, then read `best`.
typedef struct tn_suggestion {
  tn_view wanted;
  tn_view best;  // size 0: nothing is near enough to be what was meant
  int distance;  // the writer's own
} tn_suggestion;

// Keeps `candidate` when it is nearer than all before it (of equals, the first). Near enough is: at
// most a third of the letters wrong, missing, surplus or swapped with a neighbour; upper and lower
// case count for little. Borrows the candidate.  [one thread per suggestion]
void tn_suggest_offer(tn_suggestion* suggestion, tn_view candidate);

// The same over an array; NULL when nothing is near enough. The result is one of `names`.
// [any thread]
const char* tn_suggest(const char* wanted, const char* const* names, size_t count);

#endif  // TENON_BASE_SUGGEST_H_
