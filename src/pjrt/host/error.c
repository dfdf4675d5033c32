// Errors of a plugin as statuses. An error is read through the three entries of the plugin's own
// table, and never looked into: what a PJRT_Error is differs from number to number.
#include "base/status.h"
#include "base/view.h"
#include "pjrt/host/plugin.h"
#include "pjrt/host/table.h"

enum { MOST_MESSAGE = 1 << 16, MOST_PAYLOAD = 1 << 12 };

static void destroy(const tn_pjrt* plugin, PJRT_Error* error) {
  TN_PJRT_ARGS(plugin, PJRT_Error_Destroy_Args, args, .error = error);
  plugin->api.PJRT_Error_Destroy(args);
}

static tn_code code_of(const tn_pjrt* plugin, const PJRT_Error* error) {
  TN_PJRT_ARGS(plugin, PJRT_Error_GetCode_Args, args, .error = error);
  PJRT_Error* failed = plugin->api.PJRT_Error_GetCode(args);
  int code;
  memcpy(&code, &args->code, sizeof code);
  if (failed && failed != error) destroy(plugin, failed);
  return !failed && code >= TN_CANCELLED && code <= TN_UNAUTHENTICATED ? (tn_code)code : TN_UNKNOWN;
}

// Its text, which ends with its size or with a zero.
static tn_view message_of(const tn_pjrt* plugin, const PJRT_Error* error) {
  TN_PJRT_ARGS(plugin, PJRT_Error_Message_Args, args, .error = error);
  plugin->api.PJRT_Error_Message(args);
  if (!args->message || !args->message_size) return (tn_view){"(it gave no message)", 20};
  const size_t most = args->message_size < MOST_MESSAGE ? args->message_size : MOST_MESSAGE;
  return (tn_view){args->message, strnlen(args->message, most)};
}

static void add_payload(const char* key, size_t key_size, const char* value, size_t value_size,
                        void* arg) {
  if (!key || !value || key_size > MOST_PAYLOAD) return;
  char* key_text = tn_strndup(key, key_size);
  char* text = tn_strndup(value, value_size < MOST_MESSAGE ? value_size : MOST_MESSAGE);
  if (key_text && text) tn_status_set_payload(arg, key_text, text);
  tn_free(key_text);
  tn_free(text);
}

static void add_payloads(const tn_pjrt* plugin, const PJRT_Error* error, tn_status* status) {
  if (!status || !TN_PJRT_HAS(plugin, PJRT_Error_ForEachPayload)) return;
  TN_PJRT_ARGS(plugin, PJRT_Error_ForEachPayload_Args, args, .error = error, .visitor = add_payload,
               .user_arg = status);
  PJRT_Error* failed = plugin->api.PJRT_Error_ForEachPayload(args);
  if (failed && failed != error) destroy(plugin, failed);
}

// "requires PJRT 0.82; PLUGIN.so has 0.76 (the older side: update it)", and so on.
static bool refuse_absent(const tn_pjrt* plugin, int entry, tn_status* status) {
  const char* name = tn_pjrt_entry_names[entry];
  const int since = tn_pjrt_entry_since(entry);
  tn_fault fault = TN_FAULT_PLUGIN;
  switch ((tn_pjrt_absence)plugin->absent[entry]) {
    case TN_PJRT_LATER:
      tn_status_set(status, TN_UNIMPLEMENTED,
                    "%s requires PJRT 0.%d; %s has %d.%d (the older side: update it)", name, since,
                    plugin->name, plugin->major, plugin->minor);
      break;
    case TN_PJRT_HOST_LATER:
      fault = TN_FAULT_HOST;
      tn_status_set(status, TN_UNIMPLEMENTED,
                    "%s requires PJRT 0.%d; this host acts as 0.%d (as_host, the older side)", name,
                    since, plugin->host_minor);
      break;
    case TN_PJRT_PAST_END:
      tn_status_set(status, TN_UNIMPLEMENTED,
                    "%s is not in the table of %s, which has %zu bytes; with PJRT %d.%d it should "
                    "have at least %zu (update the plugin)",
                    name, plugin->name, plugin->theirs->struct_size, plugin->major, plugin->minor,
                    TN_PJRT_FIRST_ENTRY + (size_t)(entry + 1) * sizeof(void*));
      break;
    case TN_PJRT_NO_CODE:
      tn_status_set(status, TN_UNIMPLEMENTED,
                    "%s is no function in the table of %s: its entry points to memory that holds "
                    "no code (update the plugin)",
                    name, plugin->name);
      break;
    case TN_PJRT_NULL:
    case TN_PJRT_PRESENT:
      tn_status_set(status, TN_UNIMPLEMENTED, "%s is NULL in the table of %s (PJRT %d.%d)", name,
                    plugin->name, plugin->major, plugin->minor);
      break;
  }
  tn_status_set_fault(status, fault);
  return false;
}

bool tn_pjrt_require(const tn_pjrt* plugin, int entry, tn_status* status) {
  return plugin->absent[entry] == TN_PJRT_PRESENT || refuse_absent(plugin, entry, status);
}

bool tn_pjrt_error_take(const tn_pjrt* plugin, const char* what, PJRT_Error* error,
                        tn_status* status) {
  const int absent = tn_pjrt_absent_entry(error);
  if (absent >= 0) return refuse_absent(plugin, absent, status);
  const tn_code code = code_of(plugin, error);
  const tn_view text = message_of(plugin, error);
  tn_status_set(status, code, "%s: %s: %s: %.*s", plugin->name, what, tn_code_name(code),
                TN_VIEW_ARGS(text));
  add_payloads(plugin, error, status);
  destroy(plugin, error);
  return false;
}

bool tn_pjrt_call_failed(const tn_pjrt* plugin, int entry, PJRT_Error* error, tn_status* status) {
  return tn_pjrt_error_take(plugin, tn_pjrt_entry_names[entry], error, status);
}
