#include "device_kernels.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "device.h"

// A create function has nothing to know its kernel by but itself: there is one for each slot.
enum { MAX_SLOTS = 1024 };
typedef struct slot {
  placed placed;
  _Atomic uint64_t calls;
} slot;
static slot slots[MAX_SLOTS];
static int slot_count;

typedef struct instance {
  slot* slot;
  void* state;
} instance;

static void* create(slot* slot, TF_OpKernelConstruction* construction) {
  instance* made = malloc(sizeof *made);
  if (!made) {
    TF_Status* status = TF_NewStatus();
    if (status) TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for a kernel");
    if (status) TF_OpKernelConstruction_Failure(construction, status);
    TF_DeleteStatus(status);
    return NULL;
  }
  const kernel* kernel = &slot->placed.kernel;
  *made = (instance){slot, kernel->create ? kernel->create(construction) : NULL};
  return made;
}

static void compute(void* state, TF_OpKernelContext* context) {
  const instance* instance = state;
  slot* slot = instance->slot;
  atomic_fetch_add_explicit(&slot->calls, 1, memory_order_relaxed);
  SP_Stream before;
  if (!run_enter_stream(slot->placed.on_host ? NULL : context, &before)) return;
  slot->placed.kernel.compute(instance->state, context);
  run_leave_stream(before);
}

static void destroy(void* state) {
  instance* instance = state;
  if (!instance) return;
  const kernel* kernel = &instance->slot->placed.kernel;
  if (kernel->destroy) kernel->destroy(instance->state);
  free(instance);
}

#define CREATE(n) \
  static void* create_##n(TF_OpKernelConstruction* c) { return create(&slots[0x##n], c); }
#define ENTRY(n) create_##n,
#define EACH_DIGIT(X, n) \
  X(n##0)                \
  X(n##1)                \
  X(n##2)                \
  X(n##3)                \
  X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9) X(n##a) X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
#define EACH_PAIR(X, n)                                                               \
  EACH_DIGIT(X, n##0)                                                                 \
  EACH_DIGIT(X, n##1)                                                                 \
  EACH_DIGIT(X, n##2)                                                                 \
  EACH_DIGIT(X, n##3)                                                                 \
  EACH_DIGIT(X, n##4)                                                                 \
  EACH_DIGIT(X, n##5)                                                                 \
  EACH_DIGIT(X, n##6) EACH_DIGIT(X, n##7) EACH_DIGIT(X, n##8) EACH_DIGIT(X, n##9)     \
      EACH_DIGIT(X, n##a) EACH_DIGIT(X, n##b) EACH_DIGIT(X, n##c) EACH_DIGIT(X, n##d) \
          EACH_DIGIT(X, n##e) EACH_DIGIT(X, n##f)
#define EACH_SLOT(X) EACH_PAIR(X, 0) EACH_PAIR(X, 1) EACH_PAIR(X, 2) EACH_PAIR(X, 3)
EACH_SLOT(CREATE)
static void* (*const creates[MAX_SLOTS])(TF_OpKernelConstruction*) = {EACH_SLOT(ENTRY)};

TF_KernelBuilder* device_builder(const placed* placed) {
  if (slot_count == MAX_SLOTS) return NULL;
  slots[slot_count].placed = *placed;
  return TF_NewKernelBuilder(placed->kernel.op, DEVICE_TYPE, creates[slot_count++], compute,
                             destroy);
}

static void write_counts(void) {
  FILE* file = fopen(getenv("TENON_CPU_COUNT"), "we");
  if (!file) {
    perror("libtenon_cpu: TENON_CPU_COUNT");
    return;
  }
  for (int i = 0; i < slot_count; ++i) {
    const uint64_t calls = atomic_load(&slots[i].calls);
    if (calls)
      fprintf(file, "%s\t%s\t%" PRIu64 "\n", slots[i].placed.kernel.op,
              slots[i].placed.on_host ? "host" : "device", calls);
  }
  fclose(file);
}

void count_calls(void) {
  if (getenv("TENON_CPU_COUNT")) atexit(write_counts);
}
