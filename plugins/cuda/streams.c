// Streams, events, timers and host callbacks.
#include <stdlib.h>

#include "cuda_device.h"

static cudaStream_t stream_of(SP_Stream stream) { return stream->stream; }
static cudaEvent_t event_of(SP_Event event) { return (cudaEvent_t)event; }

static void create_stream(const SP_Device* handle, SP_Stream* stream, TF_Status* status) {
  SP_Stream made = calloc(1, sizeof *made);
  *stream = NULL;
  if (!made) {
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for a stream");
  } else if (report(enter(handle), "cudaSetDevice", status) &&
             report(cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking),
                    "cudaStreamCreateWithFlags", status)) {
    *stream = made;
  } else {
    free(made);
  }
}

static void destroy_stream(const SP_Device* handle, SP_Stream stream) {
  enter(handle);
  if (stream->own_memory) cudaFree(stream->own_memory);
  cudaStreamDestroy(stream->stream);
  free(stream);
}

static void create_stream_dependency(const SP_Device* handle, SP_Stream dependent, SP_Stream other,
                                     TF_Status* status) {
  cudaEvent_t event = NULL;
  if (report(enter(handle), "cudaSetDevice", status) &&
      report(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate", status) &&
      report(cudaEventRecord(event, stream_of(other)), "cudaEventRecord", status))
    report(cudaStreamWaitEvent(stream_of(dependent), event, 0), "cudaStreamWaitEvent", status);
  if (event) cudaEventDestroy(event);  // kept by CUDA until it has come
}

static void get_stream_status(const SP_Device* handle, SP_Stream stream, TF_Status* status) {
  enter(handle);
  const cudaError_t seen = cudaStreamQuery(stream_of(stream));
  report(seen == cudaErrorNotReady ? cudaSuccess : seen, "cudaStreamQuery", status);
}

static void create_event(const SP_Device* handle, SP_Event* event, TF_Status* status) {
  cudaEvent_t made = NULL;
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreate", status);
  *event = (SP_Event)made;
}

static void destroy_event(const SP_Device* handle, SP_Event event) {
  enter(handle);
  cudaEventDestroy(event_of(event));
}

static SE_EventStatus get_event_status(const SP_Device* handle, SP_Event event) {
  enter(handle);
  switch (cudaEventQuery(event_of(event))) {
    case cudaSuccess: return SE_EVENT_COMPLETE;
    case cudaErrorNotReady: return SE_EVENT_PENDING;
    default: return SE_EVENT_ERROR;
  }
}

static void record_event(const SP_Device* handle, SP_Stream stream, SP_Event event,
                         TF_Status* status) {
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaEventRecord(event_of(event), stream_of(stream)), "cudaEventRecord", status);
}

static void wait_for_event(const SP_Device* handle, SP_Stream stream, SP_Event event,
                           TF_Status* status) {
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "cudaStreamWaitEvent",
           status);
}

static void block_host_for_event(const SP_Device* handle, SP_Event event, TF_Status* status) {
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaEventSynchronize(event_of(event)), "cudaEventSynchronize", status);
}

static void block_host_until_done(const SP_Device* handle, SP_Stream stream, TF_Status* status) {
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaStreamSynchronize(stream_of(stream)), "cudaStreamSynchronize", status);
}

static void synchronize_all_activity(const SP_Device* handle, TF_Status* status) {
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaDeviceSynchronize(), "cudaDeviceSynchronize", status);
}

struct SP_Timer_st {
  cudaEvent_t start, stop;
};

static void destroy_timer(const SP_Device* handle, SP_Timer timer) {
  if (!timer) return;
  enter(handle);
  if (timer->start) cudaEventDestroy(timer->start);
  if (timer->stop) cudaEventDestroy(timer->stop);
  free(timer);
}

static void create_timer(const SP_Device* handle, SP_Timer* timer, TF_Status* status) {
  SP_Timer made = calloc(1, sizeof *made);
  *timer = NULL;
  if (!made) {
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for a timer");
  } else if (report(enter(handle), "cudaSetDevice", status) &&
             report(cudaEventCreate(&made->start), "cudaEventCreate", status) &&
             report(cudaEventCreate(&made->stop), "cudaEventCreate", status)) {
    *timer = made;
  } else {
    destroy_timer(handle, made);
  }
}

static void start_timer(const SP_Device* handle, SP_Stream stream, SP_Timer timer,
                        TF_Status* status) {
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaEventRecord(timer->start, stream_of(stream)), "cudaEventRecord", status);
}

static void stop_timer(const SP_Device* handle, SP_Stream stream, SP_Timer timer,
                       TF_Status* status) {
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaEventRecord(timer->stop, stream_of(stream)), "cudaEventRecord", status);
}

uint64_t timer_nanoseconds(SP_Timer timer) {
  float milliseconds = 0;
  return cudaEventElapsedTime(&milliseconds, timer->start, timer->stop)
             ? 0
             : (uint64_t)((double)milliseconds * 1e6);
}

typedef struct callback {
  SE_StatusCallbackFn function;
  void* arg;
} callback;

static void run_callback(void* arg) {
  callback own = *(callback*)arg;
  TF_Status* status = TF_NewStatus();
  free(arg);
  own.function(own.arg, status);
  TF_DeleteStatus(status);
}

// The host's function runs once whatever happens, because it frees its argument.
static TF_Bool host_callback(const SP_Device* handle, SP_Stream stream,
                             SE_StatusCallbackFn function, void* arg) {
  callback* made = malloc(sizeof *made);
  if (made) {
    *made = (callback){function, arg};
    if (!enter(handle) && !cudaLaunchHostFunc(stream_of(stream), run_callback, made)) return 1;
    run_callback(made);
  } else {
    TF_Status* status = TF_NewStatus();
    function(arg, status);
    TF_DeleteStatus(status);
  }
  return 0;
}

void fill_stream_functions(SP_StreamExecutor* functions) {
  functions->create_stream = create_stream;
  functions->destroy_stream = destroy_stream;
  functions->create_stream_dependency = create_stream_dependency;
  functions->get_stream_status = get_stream_status;
  functions->create_event = create_event;
  functions->destroy_event = destroy_event;
  functions->get_event_status = get_event_status;
  functions->record_event = record_event;
  functions->wait_for_event = wait_for_event;
  functions->block_host_for_event = block_host_for_event;
  functions->block_host_until_done = block_host_until_done;
  functions->synchronize_all_activity = synchronize_all_activity;
  functions->create_timer = create_timer;
  functions->destroy_timer = destroy_timer;
  functions->start_timer = start_timer;
  functions->stop_timer = stop_timer;
  functions->host_callback = host_callback;
}
