#include "pjrt/host/event.h"

#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/one_call.h"
#include "base/status.h"

void tn_pjrt_event_drop(tn_pjrt_client* client, PJRT_Event* theirs) {
  if (!theirs) return;
  TN_PJRT_ARGS(client->plugin, PJRT_Event_Destroy_Args, args, .event = theirs);
  (void)TN_PJRT_CALL(client->plugin, PJRT_Event_Destroy, args, NULL);
}

tn_pjrt_event* tn_pjrt_event_wrap(tn_pjrt_client* client, PJRT_Event* theirs, tn_status* status) {
  void* node = NULL;
  if (!tn_pjrt_nodes_take(client->nodes, &node, 1, status)) {
    tn_pjrt_event_drop(client, theirs);
    return NULL;
  }
  tn_pjrt_client_ref(client, 1);
  tn_pjrt_event* event = node;
  *event = (tn_pjrt_event){client, theirs};
  return event;
}

// Programs on accelerators often take some tens of microseconds, which is what it takes to wake up
// a thread: whoever is about to sleep looks for a moment first.
static void look_for_a_moment(tn_pjrt* plugin, PJRT_Event* theirs) {
  enum { moment_ns = 50000 };
  TN_PJRT_ARGS(plugin, PJRT_Event_IsReady_Args, args, .event = theirs);
  int64_t end = 0;
  while (TN_PJRT_CALL(plugin, PJRT_Event_IsReady, args, NULL) && !tn_pjrt_truth(&args->is_ready)) {
    const int64_t time = tn_clock_ns();
    if (!end) end = time + moment_ns;
    if (time >= end) return;
  }
}

static bool await(tn_pjrt_client* client, PJRT_Event* theirs, tn_status* status) {
  if (!theirs) return true;
  look_for_a_moment(client->plugin, theirs);
  TN_PJRT_ARGS(client->plugin, PJRT_Event_Await_Args, args, .event = theirs);
  return TN_PJRT_CALL(client->plugin, PJRT_Event_Await, args, status);
}

bool tn_pjrt_event_missing(const tn_pjrt_client* client, const char* entry, tn_status* status) {
  return tn_fail(status, TN_INTERNAL, "%s: %s: no error and no event", client->plugin->name, entry);
}

bool tn_pjrt_event_settle(tn_pjrt_client* client, const char* entry, PJRT_Event* theirs,
                          tn_pjrt_event** out, tn_status* status) {
  if (!theirs) return tn_pjrt_event_missing(client, entry, status);
  if (out) return (*out = tn_pjrt_event_wrap(client, theirs, status)) != NULL;
  bool ok = await(client, theirs, status);
  tn_pjrt_event_drop(client, theirs);
  return ok;
}

void tn_pjrt_event_destroy(tn_pjrt_event* event) {
  if (!event) return;
  tn_pjrt_client* client = event->client;
  tn_pjrt_event_drop(client, event->theirs);
  tn_pjrt_nodes_give(client->nodes, event);
  tn_pjrt_client_unref(client);
}

bool tn_pjrt_event_ready(const tn_pjrt_event* event, bool* ready, tn_status* status) {
  if (!event || !ready)
    return tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT event was given to ask, or no answer");
  *ready = true;
  if (!event->theirs) return true;
  tn_pjrt* plugin = event->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Event_IsReady_Args, args, .event = event->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Event_IsReady, args, status)) return *ready = false;
  *ready = tn_pjrt_truth(&args->is_ready);
  return true;
}

bool tn_pjrt_event_wait(const tn_pjrt_event* event, tn_status* status) {
  if (!event) return tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT event was given to wait for");
  return await(event->client, event->theirs, status);
}

static void callback_end(tn_pjrt_callback* callback) {
  tn_pjrt_nodes* nodes = callback->nodes;
  tn_pjrt_nodes_give(nodes, callback);
  tn_pjrt_nodes_unref(nodes);
}

// The error is ours. A plugin that calls twice is listened to once; of a call too many it is not
// known who made it, and its error is lost.
static void callback_ready(PJRT_Error* error, void* arg) {
  void* taken;
  if (!tn_one_call_take(arg, &taken)) return;
  tn_pjrt_callback* callback = taken;
  tn_status result = {0};
  if (error)
    tn_pjrt_error_take(tn_pjrt_nodes_plugin(callback->nodes), "PJRT_Event_OnReady", error, &result);
  callback->call(&result, callback->arg);
  callback_end(callback);
  tn_status_deinit(&result);
}

bool tn_pjrt_event_on_ready(tn_pjrt_event* event, void (*call)(const tn_status* result, void* arg),
                            void* arg, tn_status* status) {
  if (!event || !call)
    return tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT event was given, or nothing to call");
  if (!event->theirs) {
    tn_status result = {0};
    call(&result, arg);
    return true;
  }
  tn_pjrt_nodes* nodes = event->client->nodes;
  void* node = NULL;
  if (!tn_pjrt_nodes_take(nodes, &node, 1, status)) return false;
  tn_pjrt_nodes_ref(nodes);
  tn_pjrt_callback* callback = node;
  *callback = (tn_pjrt_callback){nodes, call, arg};
  void* number = tn_one_call_create(NULL, callback);
  if (!number) {
    callback_end(callback);
    tn_status_set_no_memory(status, "waiting for a PJRT event");
    return false;
  }
  // From here on the event may be gone: `call` is free to destroy it. The plugin's view is held, as
  // the client may go with it.
  tn_pjrt* plugin = tn_pjrt_ref(tn_pjrt_nodes_plugin(nodes));
  TN_PJRT_ARGS(plugin, PJRT_Event_OnReady_Args, args, .event = event->theirs,
               .callback = callback_ready, .user_arg = number);
  tn_status own = {0};
  bool ok = TN_PJRT_CALL(plugin, PJRT_Event_OnReady, args, &own);
  // A plugin that fails after it has called has told what there is to tell.
  if (!ok && tn_one_call_cancel(number)) {
    callback_end(callback);
    tn_status_copy(status, &own);
  } else {
    ok = true;
  }
  tn_status_deinit(&own);
  tn_pjrt_unref(plugin);
  return ok;
}

tn_pjrt_event* tn_pjrt_event_create(tn_pjrt_client* client, tn_status* status) {
  if (!client) {
    tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT client was given to make an event of");
    return NULL;
  }
  TN_PJRT_ARGS(client->plugin, PJRT_Event_Create_Args, args, .event = NULL);
  if (!TN_PJRT_CALL(client->plugin, PJRT_Event_Create, args, status)) return NULL;
  if (args->event) return tn_pjrt_event_wrap(client, args->event, status);
  tn_pjrt_event_missing(client, "PJRT_Event_Create", status);
  return NULL;
}

bool tn_pjrt_event_set(tn_pjrt_event* event, const tn_status* result, tn_status* status) {
  if (!event || !event->theirs)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "no PJRT event was given to set, or none of tn_pjrt_event_create");
  tn_pjrt* plugin = event->client->plugin;
  const char* message = tn_status_message(result);
  TN_PJRT_ARGS(plugin, PJRT_Event_Set_Args, args, .event = event->theirs,
               .error_code = (PJRT_Error_Code)tn_status_code(result), .error_message = message,
               .error_message_size = strlen(message));
  return TN_PJRT_CALL(plugin, PJRT_Event_Set, args, status);
}
