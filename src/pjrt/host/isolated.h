// A session whose plugin lives in a child process (tenon-probe), the parent's side. The child is
// not trusted: nothing of its memory is mapped here, and what it says is checked.
#ifndef TENON_PJRT_HOST_ISOLATED_H_
#define TENON_PJRT_HOST_ISOLATED_H_

#include "base/status.h"
#include "pjrt/host/worker.h"
#include "plugin/child.h"

typedef struct tn_pjrt_isolated {
  tn_child child;
  const char* path;  // borrowed
  int channel;       // a socket; -1 when closed
  int memory;        // shared with the child; -1 when closed
  uint32_t time_limit_ms;
  uint32_t asked;  // so many requests
  tn_status end;   // how the child ended, once it has
} tn_pjrt_isolated;

// As those of tn_pjrt_worker. After a failed start, stop.
bool tn_pjrt_isolated_start(tn_pjrt_isolated* isolated, const char* path,
                            const tn_pjrt_session_options* options, tn_pjrt_found* found,
                            tn_status* status);
void tn_pjrt_isolated_stop(tn_pjrt_isolated* isolated);
int tn_pjrt_isolated_compile(tn_pjrt_isolated* isolated, const void* code, size_t size,
                             const tn_pjrt_compile_options* options, size_t* out_outputs,
                             tn_status* status);
bool tn_pjrt_isolated_run(tn_pjrt_isolated* isolated, int program, tn_tensor* const* inputs,
                          size_t input_count, tn_tensor** outputs, size_t output_count,
                          tn_pjrt_timing* timing, tn_status* status);

// In the child: serves one session, then ends the process.
_Noreturn void tn_pjrt_serve(void);

#endif  // TENON_PJRT_HOST_ISOLATED_H_
