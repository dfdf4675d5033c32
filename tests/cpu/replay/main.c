// Runs TensorFlow's recorded calls in Tenon with the CPU plugin, and compares: no TensorFlow and no
// Python in the process, so that sanitizers see the kernels alone.
//
//   replay [--threads N] [--device NAME] [--fail] PATH [CASE]
//
// PATH is a file of answers or a folder of them, CASE the number of one case. Every case runs with
// its inputs at 64-byte boundaries and once more at addresses that only the element's size divides,
// each input in a block that ends where it ends. On a device, what has no kernel there and cases of
// several calls, which mostly have variables, run on the CPU. --fail lets each allocation fail in
// turn, for some small cases of each file.

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers.h"
#include "base/memory.h"
#include "failing.h"
#include "tenon/tenon.h"
#include "tensor/buffer.h"
#include "tensor/tensor.h"

enum { MAX_CALLS = 64, MAX_TENSORS = 512, MAX_THREADS = 64 };

// An op with its attributes as they lie in the file. Calls of a case that are the same share one,
// because kernels may have state.
typedef struct kept_call {
  const uint8_t* bytes;
  size_t size;
  tn_call* call;
} kept_call;

// What one run of a case has made so far.
typedef struct made {
  tn_tensor* tensors[MAX_TENSORS];  // outputs of all calls
  size_t first[MAX_CALLS + 1];      // where each call's begin
  size_t calls;
  kept_call kept[MAX_CALLS];
  size_t kept_count;
} made;

static void free_block(void* data, size_t size, void* block) { free(block); }

// The array in a tensor whose memory begins `shift` elements after a 64-byte boundary and ends with
// the block; shift 0: as the host allocates.
static tn_tensor* tensor_of(const answer_array* array, size_t shift, tn_status* status) {
  if (array->dtype == TN_STRING) {
    reader strings = {array->elements, array->elements + array->bytes, false};
    const char** texts = malloc((array->count + 1) * sizeof *texts);
    size_t* sizes = malloc((array->count + 1) * sizeof *sizes);
    for (size_t i = 0; i < array->count; ++i) texts[i] = read_text(&strings, &sizes[i]);
    tn_tensor* tensor = tn_tensor_create_strings(array->dims, array->rank, texts, sizes, status);
    free(texts);
    free(sizes);
    return tensor;
  }
  if (!shift)
    return tn_tensor_create_from(array->dtype, array->dims, array->rank, array->elements,
                                 array->bytes, status);
  const size_t offset = shift * tn_dtype_size(array->dtype);
  char* block = NULL;
  if (posix_memalign((void**)&block, TN_ALIGNMENT, offset + array->bytes) != 0) return NULL;
  memcpy(block + offset, array->elements, array->bytes);
  tn_buffer* buffer = tn_buffer_adopt(block + offset, array->bytes, free_block, block, status);
  return buffer ? tn_tensor_wrap(buffer, array->dtype, array->dims, array->rank, status) : NULL;
}

static const char* device;  // NULL: the CPU

static tn_call* read_call(reader* in, bool alone, tn_status* status) {
  char* op = read_name(in);
  tn_call* call = op ? tn_call_create(op, alone ? device : NULL, status) : NULL;
  if (call && device && alone) tn_call_allow_cpu_fallback(call, status);
  free(op);
  for (uint32_t i = 0, count = read_number(in); i < count; ++i) {
    char *name = read_name(in), *value = read_name(in);
    if (call && !tn_call_set_attr(call, name, value, status)) {
      tn_call_destroy(call);
      call = NULL;
    }
    free(name);
    free(value);
  }
  return call;
}

static tn_call* find_call(reader* in, bool alone, made* made, tn_status* status) {
  const uint8_t* bytes = in->at;
  tn_call* call = read_call(in, alone, status);
  const size_t size = (size_t)(in->at - bytes);
  for (size_t i = 0; i < made->kept_count && call; ++i) {
    const kept_call* other = &made->kept[i];
    if (other->size != size || memcmp(other->bytes, bytes, size) != 0) continue;
    tn_call_destroy(call);
    return other->call;
  }
  if (call) made->kept[made->kept_count++] = (kept_call){bytes, size, call};
  return call;
}

// Reads and runs one call. The outputs go to the end of `made`.
static bool run_call(reader* in, bool alone, size_t shift, made* made, tn_status* status) {
  tn_call* call = find_call(in, alone, made, status);
  tn_tensor* inputs[MAX_TENSORS];
  bool borrowed[MAX_TENSORS];
  const uint32_t count = read_number(in);
  bool good = call && count < MAX_TENSORS;
  uint32_t filled = 0;
  for (; filled < count && good; ++filled) {
    borrowed[filled] = read_byte(in) == 1;
    if (borrowed[filled]) {
      size_t at = read_number(in);
      at = made->first[at] + read_number(in);
      inputs[filled] = made->tensors[at];
    } else {
      answer_array array;
      inputs[filled] = read_array(in, &array) ? tensor_of(&array, shift, status) : NULL;
    }
    good = inputs[filled] != NULL;
  }
  const size_t first = made->first[made->calls];
  const int outputs = good ? tn_call_output_count(call, inputs, count, status) : -1;
  good = outputs >= 0 && first + (size_t)outputs <= MAX_TENSORS &&
         tn_call_run(call, inputs, count, made->tensors + first, (size_t)outputs, status);
  if (good) made->first[++made->calls] = first + (size_t)outputs;
  for (uint32_t i = 0; i < filled; ++i)
    if (!borrowed[i]) tn_tensor_destroy(inputs[i]);
  return good;
}

static bool is_opaque(const tn_tensor* tensor) {
  tn_dtype dtype = tn_tensor_dtype(tensor);
  return dtype == TN_RESOURCE || dtype == TN_VARIANT;
}

static bool check_outputs(const answer_case* item, reader* in, const made* made, char* text,
                          size_t text_size) {
  uint32_t count = read_number(in), seen = 0;
  bool good = true;
  for (size_t i = 0; i < made->first[made->calls] && good; ++i) {
    if (is_opaque(made->tensors[i])) continue;
    snprintf(text, text_size, "there are more than TensorFlow's %u outputs", count);
    tn_tensor* there = device ? tn_tensor_to_host(made->tensors[i], NULL) : made->tensors[i];
    if (!there) return failing_happened();
    good = seen < count && check_answer(in, there, seen, item->bar, text, text_size);
    if (device) tn_tensor_destroy(there);
    ++seen;
  }
  if (!good || seen == count) return good;
  snprintf(text, text_size, "there are %u outputs, TensorFlow has %u", seen, count);
  return false;
}

// Runs a case. True when all is as recorded, or the status tells that there was no memory and that
// was to be expected.
static bool run_case(const answer_case* item, size_t shift, bool may_fail, char* text,
                     size_t text_size) {
  made made = {.calls = 0};
  tn_status* status = tn_status_create();
  reader in = item->rest;
  bool good = true, ran = item->call_count <= MAX_CALLS;
  const bool alone = item->call_count == 1;
  for (uint32_t i = 0; i < item->call_count && ran; ++i)
    ran = run_call(&in, alone, shift, &made, status);
  const tn_code code = tn_status_code(status);
  if (in.bad) {
    good = false;
    snprintf(text, text_size, "the file ends in the middle of it");
  } else if (!status || (may_fail && failing_happened() && !ran)) {
    // A call that is refused anyway may still say why, in fewer words.
    good = !status || code == TN_RESOURCE_EXHAUSTED || code == (tn_code)item->code ||
           item->code == TN_UNIMPLEMENTED;
    snprintf(text, text_size, "without memory it fails with %s: %s", tn_code_name(code),
             tn_status_message(status));
  } else if (item->code == TN_UNIMPLEMENTED) {
    // TensorFlow cannot do it. We may.
  } else if (ran ? item->code != TN_OK : code != (tn_code)item->code) {
    good = false;
    snprintf(text, text_size, "it ends with %s %s, TensorFlow with %s", tn_code_name(code),
             tn_status_message(status), tn_code_name((tn_code)item->code));
  } else if (ran) {
    good = check_outputs(item, &in, &made, text, text_size);
  }
  for (size_t i = 0; i < made.first[made.calls]; ++i) tn_tensor_destroy(made.tensors[i]);
  for (size_t i = 0; i < made.kept_count; ++i) tn_call_destroy(made.kept[i].call);
  tn_status_destroy(status);
  return good;
}

// Work for all threads: the cases, taken one by one.
static answer_cases cases;
static atomic_size_t next_case, failures;
static const answer_case* running[MAX_THREADS];  // for whoever looks at a crash

static void report(const answer_case* item, const char* how, const char* text) {
  if (atomic_fetch_add(&failures, 1) < 20)
    printf("%s case %u, %s: %s\n", item->file, item->number, how, text);
}

static void say_what_was_running(void) {
  for (int i = 0; i < MAX_THREADS; ++i)
    if (running[i])
      fprintf(stderr, "replay: in %s case %u\n", running[i]->file, running[i]->number);
}

static void* work(void* slot) {
  const answer_case** mine = slot;
  for (size_t i; (i = atomic_fetch_add(&next_case, 1)) < cases.count;) {
    const answer_case* item = *mine = &cases.items[i];
    char text[1024] = "";
    if (!run_case(item, 0, false, text, sizeof text)) report(item, "aligned", text);
    // What a device gets is a copy.
    if (!device && !run_case(item, 1 + i % 3, false, text, sizeof text))
      report(item, "unaligned", text);
  }
  *mine = NULL;
  return NULL;
}

// Fails each allocation of a case in turn, until there are no more.
static void starve(const answer_case* item) {
  char text[1024] = "";
  bool more = true;
  run_case(item, 0, false, text, sizeof text);
  for (long nth = 0; more && nth < 10000; ++nth) {
    long before = failing_alive();
    failing_at(nth);
    bool good = run_case(item, 0, true, text, sizeof text);
    more = failing_happened();
    failing_at(-1);
    // A variable may hold another value than before; after a full run it holds the same.
    char ignored[1024];
    if (item->call_count > 1) run_case(item, 0, false, ignored, sizeof ignored);
    long left = failing_alive() - before;
    // A device keeps memory for later, and its streams are done with theirs when they get there.
    if (good && left > 0 && !device) {
      snprintf(text, sizeof text, "%ld blocks are left behind", left);
      good = false;
    }
    if (good) continue;
    char how[64];
    snprintf(how, sizeof how, "allocation %ld fails", nth);
    report(item, how, text);
    return;
  }
}

static size_t bytes_of(const answer_case* item) { return (size_t)(item->rest.end - item->rest.at); }

// The smallest cases of each file: two that work, and one that does not.
static size_t starve_some(void) {
  size_t done = 0;
  for (size_t begin = 0, end; begin < cases.count; begin = end) {
    for (end = begin; end < cases.count && cases.items[end].file == cases.items[begin].file;) ++end;
    for (int pick = 0; pick < 3; ++pick) {
      const answer_case* best = NULL;
      for (size_t i = begin; i < end; ++i) {
        const answer_case* item = &cases.items[i];
        // Of empty tensors there is nothing to compute.
        bool wanted = pick == 2 ? item->code != 0 : item->code == 0 && bytes_of(item) > 200;
        if (wanted && item != running[0] && (!best || bytes_of(item) < bytes_of(best))) best = item;
      }
      if (!best) continue;
      running[0] = best;
      starve(best);
      ++done;
    }
  }
  return done;
}

#ifdef TENON_SANITIZED
void __sanitizer_set_death_callback(void (*callback)(void));

static void watch_crashes(void) { __sanitizer_set_death_callback(say_what_was_running); }
#else
static void on_crash(int signal_number) {
  say_what_was_running();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void watch_crashes(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) signal(signals[i], on_crash);
}
#endif

int main(int argc, char** argv) {
  int threads = 2, at = 1;
  bool fail = false;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    if (strcmp(argv[at], "--fail") == 0)
      fail = true;
    else if (strcmp(argv[at], "--threads") == 0 && at + 1 < argc)
      threads = atoi(argv[++at]);
    else if (strcmp(argv[at], "--device") == 0 && at + 1 < argc)
      device = argv[++at];
    else
      at = argc;
  }
  if (at >= argc || threads < 1 || threads > MAX_THREADS) {
    fprintf(stderr, "usage: replay [--threads N] [--device NAME] [--fail] PATH [CASE]\n");
    return 2;
  }
  if (access(argv[at], R_OK) != 0) {
    printf("ok 1 - replay # SKIP there are no answers at %s; make test records them\n1 skipped\n",
           argv[at]);
    return 0;
  }
  tn_status* status = tn_status_create();
  const bool loaded = tn_plugin_load(TENON_PLUGIN, NULL, status) != NULL;
  if (!loaded || !load_answers(argv[at], &cases)) return loaded ? 1 : tn_report(status);
  tn_status_destroy(status);
  if (at + 1 < argc) {
    size_t kept = 0;
    for (size_t i = 0; i < cases.count; ++i)
      if (cases.items[i].number == strtoul(argv[at + 1], NULL, 10))
        cases.items[kept++] = cases.items[i];
    cases.count = kept;
  }
  watch_crashes();
  size_t done = cases.count;
  if (fail) {
    if (!failing_prepare()) {
      printf("ok 1 - replay # SKIP a sanitizer has the allocator\n1 skipped\n");
      return 0;
    }
    tn_memory_fail_at(-1);  // no caches of freed blocks
    done = starve_some();
  } else {
    pthread_t ids[MAX_THREADS];
    for (int i = 1; i < threads; ++i) pthread_create(&ids[i], NULL, work, &running[i]);
    work(&running[0]);
    for (int i = 1; i < threads; ++i) pthread_join(ids[i], NULL);
  }
  const size_t wrong = atomic_load(&failures);
  printf("%zu passed, %zu failed\n", done > wrong ? done - wrong : 0, wrong);
  return wrong || !done;
}
