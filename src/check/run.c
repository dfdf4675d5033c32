// The parent's side: chooses cases, runs each in a child, and reads what became of it.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "check/check.h"
#include "check/report.h"
#include "elf/look.h"
#include "pjrt/host/plugin.h"
#include "plugin/child.h"
#include "plugin/entry_points.h"

enum { default_time_limit_ms = 30000, most_jobs = 64 };

struct tn_check {
  const tn_check_options* options;
  char *path, *full_path;
  tn_check_result* results;
  size_t count, capacity;
  pthread_mutex_t lock;  // over what follows
  pthread_cond_t changed;
  size_t next;     // the first case that nobody has taken
  bool* finished;  // by case
  tn_status failed;
};

const char* tn_outcome_name(tn_outcome outcome) {
  static const char* const names[] = {"passed",    "failed", "skipped", "died",
                                      "timed out", "never",  "error"};
  return names[outcome];
}

tn_verdict tn_check_verdict(const tn_check_result* result) {
  switch (result->outcome) {
    case TN_OUTCOME_SKIPPED:
    case TN_OUTCOME_NEVER: return TN_VERDICT_FINE;
    case TN_OUTCOME_ERROR: return TN_VERDICT_ERROR;
    case TN_OUTCOME_PASSED: return result->excuse ? TN_VERDICT_STALE : TN_VERDICT_FINE;
    default: return result->excuse ? TN_VERDICT_FOR_NOW : TN_VERDICT_BAD;
  }
}

// ---- Choosing ----

static const uint32_t face_entries[TN_FACES] = {TN_ENTRY_PJRT, TN_ENTRY_KERNEL, TN_ENTRY_DEVICE};

// The faces to check, as bits; 0 with the reason.
static uint32_t find_faces(const tn_check* check, tn_status* status) {
  tn_elf* elf = tn_elf_look(check->full_path, status);
  if (!elf) return 0;
  uint32_t found = 0;
  if (tn_elf_check_loadable(elf, status)) {
    const uint32_t entries = tn_entry_points_of(elf);
    for (int face = 0; face < TN_FACES; ++face)
      if (entries & face_entries[face]) found |= 1u << face;
    const uint32_t wanted = check->options->faces;
    if (!found)
      tn_status_set(status, TN_NOT_FOUND,
                    "%s exports neither GetPjrtApi nor TF_InitKernel nor SE_InitPlugin: it is no "
                    "plugin that could be checked",
                    check->path);
    for (int face = 0; found && face < TN_FACES; ++face)
      if ((wanted & 1u << face) && !(found & 1u << face))
        tn_status_set(status, TN_NOT_FOUND, "%s has no face '%s': it does not export %s",
                      check->path, tn_face_name((tn_face)face),
                      tn_entry_point_symbol(face_entries[face]));
    if (wanted) found &= wanted;
  }
  tn_elf_destroy(elf);
  return tn_ok(status) ? found : 0;
}

static bool is_wanted(const tn_check_options* options, const char* name) {
  for (size_t i = 0; i < options->only_count; ++i)
    if (tn_case_fits(options->only[i], name)) return true;
  return options->only_count == 0;
}

static bool choose(tn_check* check, uint32_t faces, tn_status* status) {
  for (size_t g = 0; g < tn_check_group_count; ++g) {
    const tn_check_group* group = tn_check_groups[g];
    for (size_t i = 0; (faces & 1u << group->face) && i < group->count; ++i) {
      char name[TN_CASE_NAME_MOST];
      if (!is_wanted(check->options, tn_case_full_name(group->face, &group->cases[i], name)))
        continue;
      if (!tn_grow(&check->results, &check->capacity, check->count + 1, sizeof *check->results)) {
        tn_status_set_no_memory(status, "choosing cases");
        return false;
      }
      tn_check_result* result = &check->results[check->count++];
      *result = (tn_check_result){.item = &group->cases[i], .face = group->face};
      memcpy(result->name, name, sizeof name);
    }
  }
  if (check->count > 0) return true;
  return tn_fail(status, TN_NOT_FOUND,
                 check->options->only_count
                     ? "no case of this plugin's faces fits --only; see --list"
                     : "there is no case for this plugin's faces");
}

tn_check* tn_check_create(const char* path, const tn_check_options* options, tn_status* status) {
  tn_check* check = tn_alloc_zeroed(1, sizeof *check);
  if (!check || !(check->path = tn_strdup(path)) || !(check->full_path = tn_alloc(PATH_MAX))) {
    tn_status_set_no_memory(status, "checking a plugin");
    tn_free(check ? check->path : NULL);
    tn_free(check);
    return NULL;
  }
  pthread_mutex_init(&check->lock, NULL);
  pthread_cond_init(&check->changed, NULL);
  check->options = options;
  tn_status own = {0};
  uint32_t faces = 0;
  if (!realpath(path, check->full_path))
    tn_status_set_errno(&own, errno, path);
  else
    faces = find_faces(check, &own);
  bool fine = faces && choose(check, faces, &own);
  if (fine && !(check->finished = tn_alloc_zeroed(check->count, sizeof *check->finished))) {
    tn_status_set_no_memory(&own, "checking a plugin");
    fine = false;
  }
  if (!fine) {
    tn_status_copy(status, &own);
    tn_check_destroy(check);
    check = NULL;
  }
  tn_status_deinit(&own);
  return check;
}

void tn_check_destroy(tn_check* check) {
  if (!check) return;
  for (size_t i = 0; i < check->count; ++i) {
    tn_check_result* result = &check->results[i];
    tn_free(result->findings);
    tn_free(result->reason);
    tn_text_deinit(&result->ended);
    tn_text_deinit(&result->notes);
    tn_text_deinit(&result->bytes);
  }
  pthread_mutex_destroy(&check->lock);
  pthread_cond_destroy(&check->changed);
  tn_status_deinit(&check->failed);
  tn_free(check->results);
  tn_free(check->finished);
  tn_free(check->full_path);
  tn_free(check->path);
  tn_free(check);
}

size_t tn_check_count(const tn_check* check) { return check->count; }
const tn_check_result* tn_check_result_at(const tn_check* check, size_t i) {
  return &check->results[i];
}
const char* tn_check_path(const tn_check* check) { return check->path; }
const tn_check_options* tn_check_options_of(const tn_check* check) { return check->options; }

static bool lacks_device(const tn_check_result* result) {
  return result->reason && strncmp(result->reason, TN_NO_DEVICE, strlen(TN_NO_DEVICE)) == 0;
}

tn_check_totals tn_check_count_up(const tn_check* check) {
  tn_check_totals totals = {0};
  for (size_t i = 0; i < check->count; ++i) {
    const tn_check_result* result = &check->results[i];
    switch (tn_check_verdict(result)) {
      case TN_VERDICT_BAD: ++totals.failed; break;
      case TN_VERDICT_FOR_NOW: ++totals.for_now; break;
      case TN_VERDICT_STALE: ++totals.stale; break;
      case TN_VERDICT_ERROR: ++totals.errors; break;
      case TN_VERDICT_FINE:
        if (result->outcome == TN_OUTCOME_PASSED)
          ++totals.passed;
        else if (result->outcome == TN_OUTCOME_NEVER)
          ++totals.never;
        else
          ++totals.skipped, totals.no_device += lacks_device(result);
    }
  }
  return totals;
}

bool tn_check_was_idle(const tn_check_totals* totals) {
  return totals->skipped && !totals->passed && !totals->failed && !totals->for_now &&
         !totals->stale && !totals->errors;
}

// ---- Running ----

// The next text of a message, or "" past its end.
static const char* next_text(const char** at, const char* end) {
  const char* zero = *at < end ? memchr(*at, '\0', (size_t)(end - *at)) : NULL;
  if (!zero) return "";
  const char* text = *at;
  *at = zero + 1;
  return text;
}

static tn_finding* finding_of(tn_check_result* result, uint64_t kind) {
  for (size_t i = 0; i < result->finding_count; ++i)
    if (result->findings[i].kind == kind) return &result->findings[i];
  return NULL;
}

// Goes through the child's messages; true when it came to its end.
static bool read_report(tn_check_result* result, tn_status* status) {
  bool done = false;
  const char* at = result->bytes.data;
  const char* end = at + result->bytes.size;
  tn_report_head head;
  while (at && (size_t)(end - at) >= sizeof head) {
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    if (head.size > (size_t)(end - at)) break;
    const char* from = at;
    uint64_t kind = 0;
    switch ((tn_report_kind)head.kind) {
      case TN_REPORT_AGAIN:
      case TN_REPORT_BROKEN: {
        if (head.size < sizeof kind) break;
        memcpy(&kind, from, sizeof kind);
        from += sizeof kind;
        tn_finding* like = finding_of(result, kind);
        if (like) ++like->more;
        if (like || head.kind == TN_REPORT_AGAIN) break;
        if (!tn_grow(&result->findings, &result->finding_capacity, result->finding_count + 1,
                     sizeof *result->findings)) {
          tn_status_set_no_memory(status, "reading what a case found");
          return false;
        }
        const char* contract = next_text(&from, at + head.size);
        result->findings[result->finding_count++] =
            (tn_finding){.kind = kind,
                         .contract = *contract ? contract : result->item->contract,
                         .expected = next_text(&from, at + head.size),
                         .seen = next_text(&from, at + head.size)};
        break;
      }
      case TN_REPORT_SKIPPED:
      case TN_REPORT_ERROR:
        result->outcome = head.kind == TN_REPORT_ERROR ? TN_OUTCOME_ERROR : TN_OUTCOME_SKIPPED;
        tn_free(result->reason);
        result->reason = tn_strndup(at, head.size);
        break;
      case TN_REPORT_NOTE:
        if (result->notes.size) tn_text_putc(&result->notes, '\n');
        tn_text_append(&result->notes, at, head.size);
        break;
      case TN_REPORT_DONE: done = true; break;
    }
    at += head.size;
  }
  return done;
}

static void describe_end(tn_check_result* result, const tn_child* child, uint32_t limit,
                         const char* trace) {
  char call[8 * TN_TRACE_WORDS];
  memcpy(call, trace, sizeof call);
  call[sizeof call - 1] = 0;
  for (char* c = call; *c; ++c)
    if (*c < 0x20 || *c > 0x7e) *c = '?';
  uint32_t word;
  memcpy(&word, trace + sizeof call, sizeof word);
  const char* in_host = tn_pjrt_trace_name(word);
  tn_child_print_ending(child, limit, &result->ended);
  if (in_host)
    tn_text_printf(&result->ended, " in %s", in_host);
  else if (call[0] == '>')
    tn_text_printf(&result->ended, " in %s", call + 1);
  else if (call[0] == '<')
    tn_text_printf(&result->ended, " after %s", call + 1);
  else
    tn_text_puts(&result->ended, " before any call");
  tn_child_quote(child, &result->ended);
}

static uint32_t time_limit(const tn_check* check) {
  const uint32_t given = check->options->time_limit_ms;
  return given ? given : default_time_limit_ms;
}

static int make_shared(tn_status* status) {
  const int fd = tn_child_clear_fd(memfd_create("tenon-check", MFD_CLOEXEC));
  if (fd >= 0 && ftruncate(fd, TN_TRACE_SIZE) == 0) return fd;
  tn_status_set_errno(status, errno, "cannot make memory to share with a child process");
  if (fd >= 0) close(fd);
  return -1;
}

static bool run_child(const tn_check* check, tn_check_result* result, char** arguments,
                      tn_status* status) {
  const int shared = make_shared(status);
  if (shared < 0) return false;
  tn_child child;
  const uint32_t limit = time_limit(check);
  const int64_t start = tn_clock_ns();
  bool fine = tn_child_run(&child, arguments, shared, limit, &result->bytes, status);
  result->seconds = (double)(tn_clock_ns() - start) / 1e9;
  if (fine) {
    const bool done = read_report(result, status);
    if (!done) {
      char trace[TN_TRACE_SIZE] = "";
      if (pread(shared, trace, sizeof trace, 0) < 0) trace[0] = 0;
      result->outcome = child.timed_out ? TN_OUTCOME_TIMED_OUT : TN_OUTCOME_DIED;
      describe_end(result, &child, limit, trace);
    } else if (result->finding_count > 0 &&
               (result->outcome == TN_OUTCOME_PASSED || result->outcome == TN_OUTCOME_SKIPPED)) {
      result->outcome = TN_OUTCOME_FAILED;
    }
    if (result->bytes.failed || result->ended.failed || result->notes.failed)
      tn_status_set_no_memory(status, "listening to a case");
    fine = tn_ok(status);
  }
  close(shared);
  return fine;
}

static bool run_case(const tn_check* check, tn_check_result* result, tn_status* status) {
  const tn_check_options* options = check->options;
  result->excuse = tn_exceptions_find(options->never, result->name);
  if (result->excuse) {
    result->outcome = TN_OUTCOME_NEVER;
    return true;
  }
  result->excuse = tn_exceptions_find(options->for_now, result->name);
  // Clients know nothing of ops, and refuse options that they do not know.
  const bool has_ops = result->face == TN_FACE_KERNELS;
  const size_t op_count = has_ops ? options->op_count : 0;
  char** arguments = tn_alloc_zeroed(options->client_count + op_count + 7, sizeof *arguments);
  char seed[32], limit[16];
  snprintf(limit, sizeof limit, "%u", time_limit(check));
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
  if (!arguments) {
    tn_status_set_no_memory(status, "running a case");
    return false;
  }
  arguments[1] = TN_CASE_WORD;
  arguments[2] = check->full_path;
  arguments[3] = result->name;
  arguments[4] = seed;
  arguments[5] = limit;
  for (size_t i = 0; i < options->client_count; ++i) arguments[6 + i] = (char*)options->client[i];
  for (size_t i = 0; i < op_count; ++i)
    arguments[6 + options->client_count + i] = (char*)options->ops[i];
  const bool fine = run_child(check, result, arguments, status);
  tn_free(arguments);
  return fine;
}

static bool is_gate(const tn_check_result* result) {
  for (size_t i = 0; tn_check_gates[i]; ++i)
    if (strcmp(tn_check_gates[i], result->name) == 0) return true;
  return false;
}

// A gate before the case that did not open, or NULL.
static const tn_check_result* shut_gate(const tn_check* check, size_t i) {
  for (size_t k = 0; k < i; ++k) {
    const tn_check_result* gate = &check->results[k];
    if (is_gate(gate) && gate->face == check->results[i].face &&
        (gate->outcome == TN_OUTCOME_DIED || gate->outcome == TN_OUTCOME_TIMED_OUT))
      return gate;
  }
  return NULL;
}

static void run_or_skip(tn_check* check, size_t i) {
  tn_status status = {0};
  const tn_check_result* gate = shut_gate(check, i);
  if (gate) {
    check->results[i].outcome = TN_OUTCOME_SKIPPED;
    check->results[i].reason = tn_printf("%s %s", gate->name, tn_outcome_name(gate->outcome));
  } else {
    run_case(check, &check->results[i], &status);
  }
  pthread_mutex_lock(&check->lock);
  tn_status_update(&check->failed, &status);
  tn_status_deinit(&status);
  check->finished[i] = true;
  pthread_cond_broadcast(&check->changed);
  pthread_mutex_unlock(&check->lock);
}

static void* work(void* arg) {
  tn_check* check = arg;
  pthread_mutex_lock(&check->lock);
  while (check->next < check->count && tn_ok(&check->failed)) {
    const size_t i = check->next++;
    const bool finished = check->finished[i];
    pthread_mutex_unlock(&check->lock);
    if (!finished) run_or_skip(check, i);
    pthread_mutex_lock(&check->lock);
  }
  pthread_mutex_unlock(&check->lock);
  return NULL;
}

bool tn_check_run(tn_check* check, void (*done)(const tn_check* check, size_t i, void* arg),
                  void* arg, tn_status* status) {
  pthread_t threads[most_jobs];
  const uint32_t wanted = check->options->jobs;
  const uint32_t jobs = wanted < 1 ? 1 : wanted > most_jobs ? most_jobs : wanted;
  uint32_t started = 0;
  for (size_t i = 0; i < check->count && tn_ok(&check->failed); ++i)
    if (is_gate(&check->results[i])) run_or_skip(check, i);
  while (started < jobs && pthread_create(&threads[started], NULL, work, check) == 0) ++started;
  if (!started) return tn_fail(status, TN_RESOURCE_EXHAUSTED, "cannot start a thread");
  bool fine = true;
  for (size_t i = 0; fine && i < check->count; ++i) {
    pthread_mutex_lock(&check->lock);
    while (!check->finished[i] && tn_ok(&check->failed))
      pthread_cond_wait(&check->changed, &check->lock);
    fine = tn_ok(&check->failed);
    pthread_mutex_unlock(&check->lock);
    if (fine && done) done(check, i, arg);
  }
  for (uint32_t i = 0; i < started; ++i) pthread_join(threads[i], NULL);
  if (!fine) tn_status_copy(status, &check->failed);
  return fine;
}
