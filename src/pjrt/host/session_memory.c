// Writing to the memory that a session shares with its child.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "pjrt/host/session_wire.h"

static int write_all(int memory, const char* from, size_t size, uint64_t at) {
  while (size > 0) {
    const ssize_t done = pwrite(memory, from, size, (off_t)at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    from += done;
    at += (uint64_t)done;
    size -= (size_t)done;
  }
  return 0;
}

// The system's limit on the size of files is this memory's too, and sends a signal that would end
// the process: it is kept back and taken.
bool tn_session_put_bytes(int memory, const void* bytes, size_t size, uint64_t at,
                          tn_status* status) {
  sigset_t too_large, pending, before;
  sigemptyset(&too_large);
  sigaddset(&too_large, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &too_large, &before);
  sigpending(&pending);
  const int error = write_all(memory, bytes, size, at);
  if (error == EFBIG && !sigismember(&pending, SIGXFSZ))
    sigtimedwait(&too_large, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!error) return true;
  tn_status_set_errno(status, error,
                      "writing to the memory that is shared with a plugin's process");
  if (error == EFBIG)
    tn_status_annotate(status, "the limit on the size of files (ulimit -f) is its limit too");
  return false;
}
