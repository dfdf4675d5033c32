// The child's side: one case, and its report.
#include "check/case.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/report.h"
#include "check/select.h"
#include "plugin/child.h"

static int report_fd = -1;
static _Atomic uint64_t* trace;
static atomic_int broken;
enum { MOST_FINDINGS = 40, MOST_REPEATED = 500 };
static _Atomic uint64_t kinds[MOST_FINDINGS];  // of the findings that were sent
static atomic_int repeated[MOST_FINDINGS];     // how often each was not sent again
static char about[160];
static uint32_t time_limit_ms;

const char* tn_face_name(tn_face face) {
  static const char* const names[] = {"pjrt", "kernels", "devices"};
  return names[face];
}

// One write a message: at most PIPE_BUF bytes, so that those of several threads do not mix.
static void send(tn_report_kind kind, const char* bytes, size_t size) {
  char message[sizeof(tn_report_head) + TN_REPORT_MOST];
  const tn_report_head head = {kind, (uint32_t)size};
  memcpy(message, &head, sizeof head);
  memcpy(message + sizeof head, bytes, size);
  if (write(report_fd, message, sizeof head + size) < 0) _exit(1);
}

static void send_text(tn_report_kind kind, const char* format, va_list list) {
  char text[TN_REPORT_MOST];
  vsnprintf(text, sizeof text, format, list);
  send(kind, text, strlen(text));
}

void tn_case_about(const char* name) { snprintf(about, sizeof about, "%s", name ? name : ""); }

// FNV-1a, over the zero of each text too.
static uint64_t hash(uint64_t so_far, const char* text) {
  do so_far = (so_far ^ (unsigned char)*text) * 0x100000001b3u;
  while (*text++);
  return so_far;
}

// The number of the finding of that kind that was sent, or -1.
static int find_sent(uint64_t kind) {
  for (int i = 0; i < MOST_FINDINGS; ++i)
    if (atomic_load(&kinds[i]) == kind) return i;
  return -1;
}

void tn_case_broken(const char* contract, const char* expected, const char* seen, ...) {
  char text[TN_REPORT_MOST];
  uint64_t kind = 0;
  size_t used = sizeof kind;
  used += (size_t)snprintf(text + used, 1000, "%.999s", contract ? contract : "") + 1;
  used += (size_t)snprintf(text + used, 1000, "%.999s", expected) + 1;
  const char* last = text + used;
  va_list list;
  va_start(list, seen);
  vsnprintf(text + used, sizeof text - used, seen, list);
  va_end(list);
  used += strlen(text + used) + 1;
  kind = hash(hash(hash(0xcbf29ce484222325u, text + sizeof kind), expected), *about ? about : last);
  memcpy(text, &kind, sizeof kind);
  const int sent = find_sent(kind);
  if (sent >= 0) {
    if (atomic_fetch_add(&repeated[sent], 1) < MOST_REPEATED)
      send(TN_REPORT_AGAIN, text, sizeof kind);
    return;
  }
  const int before = atomic_fetch_add(&broken, 1);
  if (before < MOST_FINDINGS) {
    atomic_store(&kinds[before], kind);
    send(TN_REPORT_BROKEN, text, used);
  }
  if (before + 1 < MOST_FINDINGS) return;
  if (before + 1 == MOST_FINDINGS) tn_case_note("ended after %d findings", MOST_FINDINGS);
  tn_case_end();
}

void tn_case_end(void) {
  send(TN_REPORT_DONE, "", 0);
  atomic_store(&trace[0], 0);
  _exit(0);  // not exit: destructors of several published plugins crash
}

void tn_case_skip(const char* reason, ...) {
  va_list list;
  va_start(list, reason);
  if (atomic_load(&broken) == 0) send_text(TN_REPORT_SKIPPED, reason, list);
  va_end(list);
  tn_case_end();
}

void tn_case_error(const char* format, ...) {
  va_list list;
  va_start(list, format);
  send_text(TN_REPORT_ERROR, format, list);
  va_end(list);
  tn_case_end();
}

void tn_case_note(const char* format, ...) {
  va_list list;
  va_start(list, format);
  send_text(TN_REPORT_NOTE, format, list);
  va_end(list);
}

void tn_case_enter(const char* name) {
  uint64_t words[TN_TRACE_WORDS] = {0};
  char* text = (char*)words;
  text[0] = '>';
  const size_t size = strnlen(name, sizeof words - 2);
  memcpy(text + 1, name, size);
  for (int i = 0; i < TN_TRACE_WORDS; ++i)
    atomic_store_explicit(&trace[i], words[i], memory_order_relaxed);
}

void tn_case_leave(void) {
  uint64_t word = atomic_load_explicit(&trace[0], memory_order_relaxed);
  ((char*)&word)[0] = '<';
  atomic_store_explicit(&trace[0], word, memory_order_relaxed);
}

_Atomic uint32_t* tn_case_trace_word(void) { return (_Atomic uint32_t*)&trace[TN_TRACE_WORDS]; }

void tn_case_where(char* out, size_t room) {
  uint64_t words[TN_TRACE_WORDS];
  for (int i = 0; i < TN_TRACE_WORDS; ++i)
    words[i] = atomic_load_explicit(&trace[i], memory_order_relaxed);
  const char* text = (const char*)words;
  if (room) *out = 0;
  if (*text)
    snprintf(out, room, "%s %.*s", *text == '>' ? "in" : "after", (int)sizeof words - 2, text + 1);
}

bool tn_case_wait_for(const _Atomic int* flag, int value) {
  for (uint32_t waited = 0; atomic_load(flag) < value; ++waited) {
    if (waited > time_limit_ms / 3) return false;
    usleep(1000);
  }
  return true;
}

// splitmix64
uint64_t tn_case_random(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int64_t tn_case_between(uint64_t* state, int64_t low, int64_t high) {
  return low + (int64_t)(tn_case_random(state) % ((uint64_t)(high - low) + 1));
}

// tenon-probe case PLUGIN NAME SEED TIME_LIMIT_MS [OPTION]...
void tn_case_main(int argc, char** argv) {
  report_fd = tn_child_keep_fd(TN_CHILD_FD);
  const int shared = tn_child_keep_fd(TN_CHILD_FD + 1);
  if (argc >= 6 && report_fd >= 0 && shared >= 0)
    trace = mmap(NULL, TN_TRACE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
  if (!trace || trace == MAP_FAILED) {
    static const char words[] = "tenon-probe: started by libtenon only\n";
    if (write(2, words, sizeof words - 1) < 0) _exit(3);
    _exit(2);
  }
  close(shared);
  tn_child_settle();
  const tn_check_case* found = tn_check_find(argv[3]);
  if (!found) tn_case_error("no case %s", argv[3]);
  const tn_subject subject = {.path = argv[2],
                              .seed = strtoull(argv[4], NULL, 10),
                              .time_limit_ms = (uint32_t)strtoul(argv[5], NULL, 10),
                              .options = (const char* const*)argv + 6,
                              .option_count = (size_t)argc - 6,
                              .arg = found->arg};
  time_limit_ms = subject.time_limit_ms;
  found->run(&subject);
  tn_case_end();
}
