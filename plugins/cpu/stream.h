// Streams of the device TENON: each a queue, and a thread that runs it in order.
//
// Nothing here fails. What finds no memory to be queued in waits for the stream instead and runs on
// the calling thread; so does what is small when the stream has nothing to do, because waking a
// thread would take longer.
#ifndef TENON_PLUGINS_CPU_STREAM_H_
#define TENON_PLUGINS_CPU_STREAM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

// What a stream runs. It has a copy of the arguments.
typedef void (*stream_body)(SP_Stream stream, void* args);

SP_Stream stream_create(void);          // NULL: no memory
void stream_destroy(SP_Stream stream);  // when all has run

// `cost` is a guess at its nanoseconds; INT64_MAX: on the stream's thread in any case.
void stream_run(SP_Stream stream, stream_body body, void* args, size_t size, int64_t cost);
// Until what was given to the stream before has run. On its own thread: at once.
void stream_wait(SP_Stream stream);

// True on the thread of any stream.
bool stream_is_here(void);

// The first failure stays.
void stream_fail(SP_Stream stream, TF_Code code, const char* message);
// Puts it into `status`, if there is one.
void stream_report(SP_Stream stream, TF_Status* status);

// A point in a stream. Whoever gets one holds it until marker_drop; NULL has been reached.
typedef struct marker marker;
marker* stream_mark(SP_Stream stream);
bool marker_reached(marker* marker);
void marker_wait(marker* marker);
void marker_hold(marker* marker);
void marker_drop(marker* marker);
// What is given to the stream from now on waits for the marker.
void stream_wait_for(SP_Stream stream, marker* marker);

#endif  // TENON_PLUGINS_CPU_STREAM_H_
