// Errors: what they say, and whose they are.
#include <string.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

// An error that every plugin gives: there is no device -7.
static PJRT_Error* make_error(void) {
  PJ_ARGS(PJRT_Client_LookupDevice, args, .client = pj.client, .id = -7);
  PJRT_Error* error = PJ_CALL(PJRT_Client_LookupDevice, args);
  TN_NEED(error, "an error", "PJRT_Client_LookupDevice finds device -7");
  return error;
}

static void destroy(PJRT_Error* error) {
  PJ_ARGS(PJRT_Error_Destroy, args, .error = error);
  tn_case_enter("PJRT_Error_Destroy");
  pj.plugin->theirs->PJRT_Error_Destroy(args);
  tn_case_leave();
}

static PJRT_Error_Message_Args message_of(PJRT_Error* error, int garbage) {
  PJ_ARGS(PJRT_Error_Message, args, .error = error);
  memset(&args->message, garbage, sizeof args->message);
  memset(&args->message_size, garbage, sizeof args->message_size);
  tn_case_enter("PJRT_Error_Message");
  pj.plugin->theirs->PJRT_Error_Message(args);
  tn_case_leave();
  return *args;
}

static void null_destroy(const tn_subject* subject) {
  pj_open(subject);
  destroy(NULL);
}

static void message(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Error* error = make_error();
  const PJRT_Error_Message_Args first = message_of(error, 0xff), second = message_of(error, 0);
  pj_check_text("the message", first.message, first.message_size);
  TN_EXPECT(first.message == second.message && first.message_size == second.message_size,
            "the same text each time", "%p of %zu bytes, then %p of %zu",
            (const void*)first.message, first.message_size, (const void*)second.message,
            second.message_size);
  destroy(error);
}

static void code(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Error* error = make_error();
  for (int i = 0; i < 2; ++i) {
    PJ_ARGS(PJRT_Error_GetCode, args, .error = error, .code = (PJRT_Error_Code)(i ? 0 : -1));
    PJRT_Error* inner = PJ_CALL(PJRT_Error_GetCode, args);
    TN_EXPECT(!inner, "success", "PJRT_Error_GetCode gives an error of its own");
    TN_EXPECT(inner || ((int)args->code > 0 && args->code <= PJRT_Error_Code_UNAUTHENTICATED),
              "a code of PJRT_Error_Code", "%d", (int)args->code);
  }
  destroy(error);
}

static void independent(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Error* first = make_error();
  const PJRT_Error_Message_Args before = message_of(first, 0);
  char text[200] = "";
  const size_t size = before.message_size < sizeof text ? before.message_size : sizeof text - 1;
  if (before.message) memcpy(text, before.message, size);
  PJRT_Error* second = make_error();
  TN_NEED(first != second, "an error for each caller", "one handle for two calls");
  destroy(second);
  for (int i = 0; i < 100; ++i) destroy(make_error());
  const PJRT_Error_Message_Args after = message_of(first, 0);
  TN_NEED(after.message && after.message_size == before.message_size, "the same text",
          "another one after other errors were destroyed");
  pj_compare("the message after other errors were destroyed", after.message, text, size);
  destroy(first);
}

typedef struct payloads {
  int count;
  bool found;
} payloads;

static void visit(const char* key, size_t key_size, const char* value, size_t value_size,
                  void* arg) {
  payloads* seen = arg;
  ++seen->count;
  seen->found = seen->found || (key && key_size == 9 && memcmp(key, "tenon.key", 9) == 0 && value &&
                                value_size == 5 && memcmp(value, "value", 5) == 0);
}

static payloads count_payloads(PJRT_Error* error) {
  payloads seen = {0};
  PJ_ARGS(PJRT_Error_ForEachPayload, args, .error = error, .visitor = visit, .user_arg = &seen);
  PJ_OK(PJRT_Error_ForEachPayload, args);
  return seen;
}

static void no_payloads(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Error* error = make_error();
  count_payloads(error);
  destroy(error);
}

static void payload(const tn_subject* subject) {
  pj_start(subject);
  if (pj.plugin->minor < 103) tn_case_skip("payloads of buffers came with 0.103");
  PJRT_Memory* memory = pj_default_memory(pj.device);
  const PJRT_NamedValue value = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                 .name = "tenon.key",
                                 .name_size = 9,
                                 .type = PJRT_NamedValue_kString,
                                 .string_value = "value",
                                 .value_size = 5};
  const int64_t dims[] = {4};
  PJ_ARGS(PJRT_Client_CreateErrorBuffer, args, .client = pj.client,
          .error_code = PJRT_Error_Code_ABORTED, .error_message = "told", .error_message_size = 4,
          .shape_dims = dims, .shape_num_dims = 1, .shape_element_type = PJRT_Buffer_Type_F32,
          .memory = memory, .payload = &value, .num_payload = 1);
  PJ_OK(PJRT_Client_CreateErrorBuffer, args);
  PJRT_Event* event = pj_ready_event(args->buffer);
  PJ_ARGS(PJRT_Event_Await, await, .event = event);
  PJRT_Error* error = PJ_CALL(PJRT_Event_Await, await);
  TN_NEED(error, "the error that the buffer was made with", "none");
  TN_EXPECT(count_payloads(error).found, "the payload that the error was made with", "%d others",
            count_payloads(error).count);
  destroy(error);
  pj_event_destroy(event);
  pj_destroy(args->buffer);
}

static void function_table(const tn_subject* subject) {
  pj_start(subject);
  if (pj.plugin->minor < 107) tn_case_skip("errors have had a function table since 0.107");
  PJRT_Error* error = make_error();
  const PJRT_Error_FunctionTable* table = error->vtable;
  TN_NEED(table, "a function table in the error's first word", "NULL");
  TN_NEED(
      table->struct_size >= PJRT_Error_FunctionTable_STRUCT_SIZE && table->struct_size < 1 << 16,
      "the size of the table", "%zu", table->struct_size);
  TN_NEED(table->destroy && table->message && table->get_code, "functions", "NULL");
  const PJRT_Error_Message_Args through_api = message_of(error, 0);
  const char* text = NULL;
  size_t size = 0;
  tn_case_enter("PJRT_Error_FunctionTable.message");
  table->message(error, &text, &size);
  tn_case_leave();
  TN_NEED(text && size == through_api.message_size, "the message of PJRT_Error_Message",
          "%zu bytes, not %zu", size, through_api.message_size);
  pj_compare("the message of the table", text, through_api.message, size);
  PJ_ARGS(PJRT_Error_GetCode, args, .error = error);
  PJ_OK(PJRT_Error_GetCode, args);
  const int code = TN_CASE_CALL("PJRT_Error_FunctionTable.get_code", table->get_code(error));
  TN_EXPECT(code == (int)args->code, "the code of PJRT_Error_GetCode", "%d, not %d", code,
            (int)args->code);
  tn_case_enter("PJRT_Error_FunctionTable.destroy");
  table->destroy(error);
  tn_case_leave();
}

static void many_at_once(void* arg, int i) {
  for (int k = 0; k < 200; ++k) {
    PJRT_Error* error = make_error();
    const PJRT_Error_Message_Args text = message_of(error, 0);
    TN_EXPECT(text.message && text.message_size, "a message", "none, in thread %d", i);
    destroy(error);
  }
}

static void threads(const tn_subject* subject) {
  pj_start(subject);
  pj_threads(4, many_at_once, NULL);
}

static const tn_check_case cases[] = {
    {"errors.null_destroy", "PJRT_Error_Destroy takes NULL: frameworks destroy what they got",
     null_destroy, 0},
    {"errors.message", "an error has a message that lives as long as it", message, 0},
    {"errors.code", "PJRT_Error_GetCode succeeds with one of the codes", code, 0},
    {"errors.independent", "each error belongs to the caller that got it", independent, 0},
    {"errors.payloads", "payloads of any error can be visited", no_payloads, 0},
    {"errors.payload_kept", "an error carries the payload that it was made with", payload, 0},
    {"errors.function_table", "since 0.107 an error begins with its function table, which agrees",
     function_table, 0},
    {"errors.threads", "errors may be made and destroyed on many threads", threads, 0},
};
const tn_check_group tn_check_pjrt_errors = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
