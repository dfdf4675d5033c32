// What the child of a case writes to its parent: messages on TN_CHILD_FD, and the call it is in, in
// memory that both have (TN_CHILD_FD + 1).
#ifndef TENON_CHECK_REPORT_H_
#define TENON_CHECK_REPORT_H_

#include <stdint.h>

typedef enum tn_report_kind {
  TN_REPORT_BROKEN = 1,  // its kind (8 bytes), contract, expected, seen: each with its zero
  TN_REPORT_AGAIN,       // the kind of a finding that was sent before
  TN_REPORT_SKIPPED,     // the reason
  TN_REPORT_ERROR,       // the text
  TN_REPORT_NOTE,        // the text
  TN_REPORT_DONE,        // nothing
} tn_report_kind;

typedef struct tn_report_head {
  uint32_t kind, size;  // `size` bytes follow
} tn_report_head;

enum {
  TN_REPORT_MOST = 4000,  // bytes of a message, so that one write is never cut in a pipe
  TN_TRACE_WORDS = 8,     // 8 bytes each: '>' while in the call, '<' behind it, then its name
  TN_TRACE_SIZE = 8 * TN_TRACE_WORDS + 8,  // with a word for the PJRT host (pjrt/host/plugin.h)
};

// What tenon-probe does when its first argument is TN_CASE_WORD: runs one case.
#define TN_CASE_WORD "case"
void tn_case_main(int argc, char** argv) __attribute__((noreturn));

#endif  // TENON_CHECK_REPORT_H_
