#include "kernel/run_stream.h"

#include <pthread.h>

#include "base/memory.h"
#include "device/services.h"
#include "kernel/placement.h"

typedef struct allocation {
  struct allocation* next;
  tn_buffer* buffer;
} allocation;

struct TF_EigenStream {
  tn_run_context* context;
  tn_stream* stream;
  pthread_mutex_t lock;
  allocation* allocations;
};

// The stream of a run; NULL, with FAILED_PRECONDITION, on a device that has none.
static tn_stream* stream_of(tn_run_context* context, tn_status* status) {
  if (!context) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "there is no kernel context (NULL)");
    return NULL;
  }
  return tn_run_stream(context, status) ? tn_run_stream_of(context->instance, context->options)
                                        : NULL;
}

tn_run_stream_handle* tn_run_stream_open(tn_run_context* context) {
  tn_status status = {0};
  tn_run_stream_handle* handle = NULL;
  tn_stream* stream = stream_of(context, &status);
  if (stream && tn_stream_is_native(stream, &status)) {
    handle = tn_alloc(sizeof *handle);
    if (handle)
      *handle = (tn_run_stream_handle){context, stream, PTHREAD_MUTEX_INITIALIZER, NULL};
    else
      tn_status_set_no_memory(&status, "handing out a stream");
  }
  tn_run_conclude(context, handle, &status, NULL);
  return handle;
}

void tn_run_stream_close(tn_run_stream_handle* handle) {
  if (!handle) return;
  for (allocation* at = handle->allocations; at;) {
    allocation* next = at->next;
    tn_buffer_unref(at->buffer);
    tn_free(at);
    at = next;
  }
  pthread_mutex_destroy(&handle->lock);
  tn_free(handle);
}

static const void* ask(tn_run_stream_handle* handle,
                       const void* (*question)(tn_stream*, tn_status*)) {
  if (!handle) return NULL;
  tn_status status = {0};
  const void* found = question(handle->stream, &status);
  tn_run_conclude(handle->context, found, &status, NULL);
  return found;
}

static const void* ask_native(tn_stream* stream, tn_status* status) {
  return tn_stream_native(stream, status);
}
static const void* ask_scratchpad(tn_stream* stream, tn_status* status) {
  return tn_stream_scratchpad(stream, status);
}
static const void* ask_semaphore(tn_stream* stream, tn_status* status) {
  return tn_stream_semaphore(stream, status);
}

void* tn_run_stream_native(tn_run_stream_handle* handle) { return (void*)ask(handle, ask_native); }
void* tn_run_stream_scratchpad(tn_run_stream_handle* handle) {
  return (void*)ask(handle, ask_scratchpad);
}
void* tn_run_stream_semaphore(tn_run_stream_handle* handle) {
  return (void*)ask(handle, ask_semaphore);
}
const void* tn_run_stream_properties(tn_run_stream_handle* handle) {
  return ask(handle, tn_stream_device_properties);
}

void* tn_run_stream_allocate(tn_run_stream_handle* handle, size_t size) {
  if (!handle) return NULL;
  tn_status status = {0};
  allocation* made = tn_alloc(sizeof *made);
  if (made) {
    made->buffer = tn_buffer_allocate(&handle->stream->allocator, size, &status);
  } else {
    tn_status_set_no_memory(&status, "allocating for a stream");
  }
  if (!made || !made->buffer) {
    tn_free(made);
    tn_run_conclude(handle->context, false, &status, NULL);
    return NULL;
  }
  pthread_mutex_lock(&handle->lock);
  made->next = handle->allocations;
  handle->allocations = made;
  pthread_mutex_unlock(&handle->lock);
  return made->buffer->data;
}

void tn_run_stream_deallocate(tn_run_stream_handle* handle, void* data) {
  if (!handle || !data) return;
  pthread_mutex_lock(&handle->lock);
  allocation** link = &handle->allocations;
  while (*link && (*link)->buffer->data != data) link = &(*link)->next;
  allocation* found = *link;
  if (found) *link = found->next;
  pthread_mutex_unlock(&handle->lock);
  if (!found) {
    tn_run_failf(handle->context, TN_INVALID_ARGUMENT,
                 "TF_EigenStream_Deallocate: %p is not allocated through this handle", data);
    return;
  }
  tn_buffer_unref(found->buffer);
  tn_free(found);
}

static tn_kernel_launch launch_of(const void* function, TF_Dim3 grid, TF_Dim3 block, void** args,
                                  size_t shared_memory) {
  return (tn_kernel_launch){.struct_size = tn_kernel_launch_STRUCT_SIZE,
                            .function = function,
                            .grid = {grid.x, grid.y, grid.z},
                            .block = {block.x, block.y, block.z},
                            .args = args,
                            .shared_memory = shared_memory};
}

static bool check_launch(const void* function, TF_Dim3 grid, TF_Dim3 block, tn_status* status) {
  if (function && grid.x && grid.y && grid.z && block.x && block.y && block.z) return true;
  tn_status_set(
      status, TN_INVALID_ARGUMENT,
      "a launch of %s with a grid of %u x %u x %u blocks of %u x %u x %u threads; none of "
      "these can be 0",
      function ? "a function" : "NULL", grid.x, grid.y, grid.z, block.x, block.y, block.z);
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}

bool tn_run_launch(tn_run_context* context, const void* function, TF_Dim3 grid, TF_Dim3 block,
                   void** args, size_t shared_memory, tn_status* status) {
  const tn_kernel_launch launch = launch_of(function, grid, block, args, shared_memory);
  tn_stream* stream = stream_of(context, status);
  return stream && check_launch(function, grid, block, status) &&
         tn_stream_launch(stream, &launch, status);
}

bool tn_run_launch_native(tn_run_context* context, const void* function, TF_Dim3 grid,
                          TF_Dim3 block, void** args, size_t shared_memory, void* native_stream,
                          int* out_code, tn_status* status) {
  const tn_kernel_launch launch = launch_of(function, grid, block, args, shared_memory);
  tn_stream* stream = stream_of(context, status);
  return stream && tn_stream_launch_native(stream, native_stream, &launch, out_code, status);
}

// The buffer of host memory is kept before its bytes.
typedef union host_head {
  tn_buffer* buffer;
  char alignment[TN_ALIGNMENT];
} host_head;

void* tn_run_host_allocate(tn_run_context* context, size_t size) {
  tn_status status = {0};
  tn_buffer* buffer = NULL;
  if (size <= SIZE_MAX / 2)
    buffer = tn_buffer_allocate(tn_device_cpu()->allocator, size + sizeof(host_head), &status);
  else
    tn_status_set(&status, TN_RESOURCE_EXHAUSTED, "no memory for %zu bytes", size);
  if (!buffer) {
    tn_run_conclude(context, false, &status, NULL);
    return NULL;
  }
  host_head* head = buffer->data;
  head->buffer = buffer;
  return head + 1;
}

void tn_run_host_deallocate(void* data) {
  if (data) tn_buffer_unref(((host_head*)data - 1)->buffer);
}
