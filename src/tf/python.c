// Symbols from outside TensorFlow's C API that published plugins import and cannot load without.

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

// ITEX asks Python to run a line when it wants to warn its user; there is no Python here.
int PyRun_SimpleStringFlags(const char* command, void* flags);
int PyRun_SimpleStringFlags(const char* command, void* flags) {
  tn_log(TN_LOG_INFO, "a plugin asked for Python, which this process does not have: %s",
         command ? command : "(null)");
  return -1;
}

// tensorflow::internal::LogMessageFatal, constructor and destructor: the plugin streams a message
// in between and expects never to come back. It ends the process, as it must; a host that wants to
// survive makes contact in a child. The object is the plugin's (a std::ostringstream with a few
// words), so nothing in it is touched; what was streamed into it is lost.
void _ZN10tensorflow8internal15LogMessageFatalC1EPKci(void* self, const char* file, int line);
void _ZN10tensorflow8internal15LogMessageFatalC1EPKci(void* self, const char* file, int line) {
  fprintf(stderr, "tenon: the plugin ends the process (LogMessageFatal at %s:%d)\n",
          file ? file : "?", line);
  abort();
}

void _ZN10tensorflow8internal15LogMessageFatalD1Ev(void* self) __attribute__((noreturn));
void _ZN10tensorflow8internal15LogMessageFatalD1Ev(void* self) { abort(); }
