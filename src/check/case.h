// What a conformance case is, and the words in which cases are written.
//
// A case runs in a process of its own (tenon-probe), which it may crash, hang or end. What it finds
// is sent as it is found, so that a later crash loses nothing. There is one case in a process:
// these functions need no handle, and ending the case ends the process.
//
//   static void two_handles(const tn_subject* subject) {
//     void* a = TN_CASE_CALL("Thing_Create", make());
//     TN_NEED(a, "a handle", "NULL");
//     TN_EXPECT(count() == 1, "1 thing", "%d things", count());
//   }
#ifndef TENON_CHECK_CASE_H_
#define TENON_CHECK_CASE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/status.h"

typedef enum tn_face { TN_FACE_PJRT = 0, TN_FACE_KERNELS = 1, TN_FACE_DEVICES = 2 } tn_face;
enum { TN_FACES = 3 };
const char* tn_face_name(tn_face face);  // "pjrt"

// What a case is about.
typedef struct tn_subject {
  const char* path;
  uint64_t seed;
  uint32_t time_limit_ms;      // of the case: it waits for something at most a third of it
  const char* const* options;  // "key=value", for what the plugin makes
  size_t option_count;
  int arg;  // the case's own
} tn_subject;

typedef struct tn_check_case {
  const char* name;      // "buffers.rank_zero"; the face's name goes before it
  const char* contract;  // one sentence: what the plugin owes
  void (*run)(const tn_subject* subject);
  int arg;  // for functions that serve several cases
} tn_check_case;

typedef struct tn_check_group {
  tn_face face;
  const tn_check_case* cases;
  size_t count;
} tn_check_group;
#define TN_CHECK_GROUP(face, cases) \
  { face, cases, sizeof(cases) / sizeof *(cases) }

// All groups, in the order in which they run (check/cases.c).
extern const tn_check_group* const tn_check_groups[];
extern const size_t tn_check_group_count;
// Full names, NULL last: when one of these dies or does not come back, the cases of its face behind
// it would too, and are skipped.
extern const char* const tn_check_gates[];

// ---- For the functions of cases. [any thread of the case's process] ----

// Records that the contract was broken, and goes on; a case with 40 such findings ends. `contract`
// NULL: the case's own. The same said twice is one finding and a count.
void tn_case_broken(const char* contract, const char* expected, const char* seen, ...)
    TN_PRINTF(3, 4);
// What findings are about from now on: of those about the same, with the same contract and the same
// that was expected, the first is told and the others are counted. Copied; NULL: nothing.
void tn_case_about(const char* name);
// Ends the case: as failed when something was recorded, else as passed.
void tn_case_end(void) __attribute__((noreturn));
// How the reason of a skip begins where the plugin is fine and its hardware is not here.
#define TN_NO_DEVICE "no device of this plugin's is here"
// Ends the case as skipped, unless something was recorded before.
void tn_case_skip(const char* reason, ...) TN_PRINTF(1, 2) __attribute__((noreturn));
// Ends the case as one that could not be carried out: our mistake or this machine's, not the
// plugin's.
void tn_case_error(const char* format, ...) TN_PRINTF(1, 2) __attribute__((noreturn));
// A fact worth showing however the case ends.
void tn_case_note(const char* format, ...) TN_PRINTF(1, 2);

// Says which function of the plugin is about to run, so that a death can be named; `name` is copied
// (its first 62 bytes). tn_case_leave says that it came back.
void tn_case_enter(const char* name);
void tn_case_leave(void);
// A word for tn_pjrt_trace_to: while it is not 0, it tells more than the name.
_Atomic uint32_t* tn_case_trace_word(void);
// "in NAME" or "after NAME", by these two, also those of a child that shares the case; "" before
// the first and after the case has ended.
void tn_case_where(char* out, size_t room);
#define TN_CASE_CALL(name, expression)                \
  ({                                                  \
    tn_case_enter(name);                              \
    __typeof__(expression) tn_result_ = (expression); \
    tn_case_leave();                                  \
    tn_result_;                                       \
  })

#define TN_EXPECT(condition, expected, ...)                        \
  do {                                                             \
    if (!(condition)) tn_case_broken(NULL, expected, __VA_ARGS__); \
  } while (0)
#define TN_NEED(condition, expected, ...)          \
  do {                                             \
    if (!(condition)) {                            \
      tn_case_broken(NULL, expected, __VA_ARGS__); \
      tn_case_end();                               \
    }                                              \
  } while (0)

// Waits until `*flag` is at least `value`, for a third of the case's time; false when it is not.
bool tn_case_wait_for(const _Atomic int* flag, int value);

// The seed's next number, and one in [low, high].
uint64_t tn_case_random(uint64_t* state);
int64_t tn_case_between(uint64_t* state, int64_t low, int64_t high);

#endif  // TENON_CHECK_CASE_H_
