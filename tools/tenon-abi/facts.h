// A model as the rows by which the tables of data/abi/pjrt would tell of it.
#ifndef TENON_TOOLS_TENON_ABI_FACTS_H_
#define TENON_TOOLS_TENON_ABI_FACTS_H_

#include "abi/model.h"
#include "base/arena.h"

enum { FACT_CELLS = 6 };

typedef struct fact {
  const char* table;  // "pjrt/fields", "pjrt/struct_sizes" or "pjrt/enums"
  const char* cells[FACT_CELLS];
  int cell_count;
} fact;

// Zero bytes are none. In the order of declaration.
typedef struct facts {
  fact* items;
  size_t count, capacity;
  bool failed;
  tn_arena arena;
} facts;

void facts_collect(const tn_abi_model* model, facts* out);
void facts_deinit(facts* facts);

bool facts_have(const facts* facts, const fact* wanted);
// True when both hold the same rows. Prints those that only one has when `loud`, with - for `a` and
// + for `b`.
bool facts_equal(const facts* a, const facts* b, bool loud);

#endif  // TENON_TOOLS_TENON_ABI_FACTS_H_
