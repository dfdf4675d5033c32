// ReadFile, asynchronously: waiting for a disk holds none of the host's threads, where the host
// lets us.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "strings.h"
#include "tensorflow/c/ops.h"

// Appends what `file` holds to an empty string; false with errno, or with a failed run.
static bool read_all(run* run, int file, TF_TString* contents) {
  struct stat info;
  if (fstat(file, &info) != 0) return false;
  // Files of /proc and pipes say 0: then it is read piece by piece.
  size_t size = 0, room = info.st_size > 0 ? (size_t)info.st_size + 1 : 4096;
  for (;;) {
    char* text = resize_string(run, contents, room);
    if (!text) return false;
    ssize_t got = read(file, text + size, room - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return resize_string(run, contents, size) != NULL;
    size += (size_t)got;
    if (size == room) room *= 2;
  }
}

static void read_file(TF_OpKernelContext* context) {
  run run;
  array filename, contents;
  run_begin(&run, context, "ReadFile");
  if (run_input(&run, 0, &filename) && filename.rank != 0) {
    char text[SHAPE_TEXT];
    run_fail(&run, TF_INVALID_ARGUMENT, "input filename must be a scalar, not of shape %s",
             shape_text(filename.rank, filename.dims, text));
  }
  if (run_output(&run, 0, 0, NULL, &contents)) {
    // Not every form of a TF_TString ends with a NUL.
    const size_t size = TF_TString_GetSize(filename.data);
    char* path = strndup(TF_TString_GetDataPointer(filename.data), size);
    errno = path ? 0 : ENOMEM;
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool done = file >= 0 && read_all(&run, file, contents.data);
    if (!done && run_ok(&run)) {
      int error = errno;
      char place[512];
      snprintf(place, sizeof place, "ReadFile: %s", path ? path : "");
      TF_SetStatusFromIOError(run.status, error, place);
    }
    if (file >= 0) close(file);
    free(path);
  }
  run_end(&run);
}

typedef struct reading {
  TF_OpKernelContext* context;
  TF_AsyncOpKernelDoneCallback* done;
} reading;

static void* reader(void* arg) {
  reading job = *(reading*)arg;
  free(arg);
  read_file(job.context);
  TF_RunAsyncOpKernelDoneCallback(job.done);
  return NULL;
}

static void read_file_now(void* state, TF_OpKernelContext* context,
                          TF_AsyncOpKernelDoneCallback* done) {
  read_file(context);
  TF_RunAsyncOpKernelDoneCallback(done);
}

static void read_file_async(void* state, TF_OpKernelContext* context,
                            TF_AsyncOpKernelDoneCallback* done) {
  pthread_t thread;
  reading* job = malloc(sizeof *job);
  if (job) {
    *job = (reading){context, done};
    if (pthread_create(&thread, NULL, reader, job) == 0) {
      pthread_detach(thread);
      return;
    }
    free(job);
  }
  read_file_now(state, context, done);  // no thread to be had: then the caller's
}

static void scalar_shape(TF_ShapeInferenceContext* context, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(context, 0, shape, status);
  if (TF_GetCode(status) == TF_OK)
    TF_ShapeInferenceContextWithRank(context, shape, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(context, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

void register_files(void) {
  if (hosted_by_tenon()) {
    TF_Status* status = TF_NewStatus();
    TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("ReadFile");
    TF_OpDefinitionBuilderAddInput(op, "filename: string");
    TF_OpDefinitionBuilderAddOutput(op, "contents: string");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, scalar_shape);
    TF_RegisterOpDefinition(op, status);
    if (TF_GetCode(status) != TF_OK)
      fprintf(stderr, "libtenon_cpu: op ReadFile: %s\n", TF_Message(status));
    TF_DeleteStatus(status);
  }
  // TensorFlow keeps `done` on the stack of the call (measured up to 2.21): there it must run
  // before the kernel returns.
  const kernel kernels[] = {{.op = "ReadFile",
                             .compute_async = hosted_by_tenon() ? read_file_async : read_file_now,
                             .modest = true}};
  register_kernels(kernels, 1);
}
