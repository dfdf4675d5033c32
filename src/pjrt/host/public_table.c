// The table that tn_pjrt_table gives away. Errors of absent entries are ours, and the plugin's own
// functions must not be given them: the functions that read errors are replaced by some that know
// which plugin they belong to. PJRT has no room for that in their arguments, so there is one set
// for each of a limited number of views.
#include "pjrt/host/public_table.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/status.h"
#include "pjrt/host/table.h"

// What a set of functions belongs to; the text of an absence lives here until the next one is asked
// for by the same thread.
typedef struct tn_pjrt_given {
  PJRT_Api api;
  int set;
} given;

enum { SETS = 16 };
static _Atomic(tn_pjrt*) views[SETS];

static const char* absence_text(const tn_pjrt* plugin, int entry) {
  static _Thread_local char text[512];
  tn_status status = {0};
  tn_pjrt_require(plugin, entry, &status);
  snprintf(text, sizeof text, "%s", tn_status_message(&status));
  tn_status_deinit(&status);
  return text;
}

static void message(int set, PJRT_Error_Message_Args* args) {
  const tn_pjrt* plugin = atomic_load(&views[set]);
  const int entry = tn_pjrt_absent_entry(args->error);
  if (entry < 0) {
    plugin->api.PJRT_Error_Message(args);
    return;
  }
  args->message = absence_text(plugin, entry);
  args->message_size = strlen(args->message);
}

static void destroy(int set, PJRT_Error_Destroy_Args* args) {
  if (tn_pjrt_absent_entry(args->error) < 0) atomic_load(&views[set])->api.PJRT_Error_Destroy(args);
}

static PJRT_Error* get_code(int set, PJRT_Error_GetCode_Args* args) {
  if (tn_pjrt_absent_entry(args->error) < 0)
    return atomic_load(&views[set])->api.PJRT_Error_GetCode(args);
  args->code = PJRT_Error_Code_UNIMPLEMENTED;
  return NULL;
}

static PJRT_Error* each_payload(int set, PJRT_Error_ForEachPayload_Args* args) {
  if (tn_pjrt_absent_entry(args->error) < 0)
    return atomic_load(&views[set])->api.PJRT_Error_ForEachPayload(args);
  return NULL;
}

#define ALL_SETS(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define FUNCTIONS(n)                                                                           \
  static void message_##n(PJRT_Error_Message_Args* args) { message(n, args); }                 \
  static void destroy_##n(PJRT_Error_Destroy_Args* args) { destroy(n, args); }                 \
  static PJRT_Error* get_code_##n(PJRT_Error_GetCode_Args* args) { return get_code(n, args); } \
  static PJRT_Error* each_payload_##n(PJRT_Error_ForEachPayload_Args* args) {                  \
    return each_payload(n, args);                                                              \
  }
ALL_SETS(FUNCTIONS)

static const struct {
  PJRT_Error_Message* message;
  PJRT_Error_Destroy* destroy;
  PJRT_Error_GetCode* get_code;
  PJRT_Error_ForEachPayload* each_payload;
} sets[SETS] = {
#define SET(n) {message_##n, destroy_##n, get_code_##n, each_payload_##n},
    ALL_SETS(SET)};

static given* make(tn_pjrt* plugin) {
  given* made = tn_alloc(sizeof *made);
  if (!made) return NULL;
  made->api = plugin->api;
  for (made->set = 0; made->set < SETS; ++made->set) {
    tn_pjrt* none = NULL;
    if (!atomic_compare_exchange_strong(&views[made->set], &none, plugin)) continue;
    made->api.PJRT_Error_Message = sets[made->set].message;
    made->api.PJRT_Error_Destroy = sets[made->set].destroy;
    made->api.PJRT_Error_GetCode = sets[made->set].get_code;
    made->api.PJRT_Error_ForEachPayload = sets[made->set].each_payload;
    return made;
  }
  tn_free(made);
  return NULL;
}

static void drop(given* given) {
  atomic_store(&views[given->set], NULL);
  tn_free(given);
}

const void* tn_pjrt_table(const tn_pjrt* plugin) {
  if (!plugin) return NULL;
  tn_pjrt* view = (tn_pjrt*)plugin;
  given* made = atomic_load(&view->given);
  if (!made && (made = make(view))) {
    given* other = NULL;
    if (!atomic_compare_exchange_strong(&view->given, &other, made)) {
      drop(made);
      made = other;
    }
  }
  return made ? &made->api : NULL;
}

void tn_pjrt_public_table_drop(tn_pjrt* plugin) {
  given* made = atomic_load(&plugin->given);
  if (made) drop(made);
}
