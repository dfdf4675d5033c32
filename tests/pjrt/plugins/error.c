// Errors: counted failures behind the handle of the period.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

typedef struct {
#if HAS(107)
  PJRT_Error base;
#endif
  failure* failure;
} error;

failure* failure_create(int code, const char* text, size_t size) {
  failure* made = calloc(1, sizeof *made);
  atomic_init(&made->refs, 1);
  made->code = code;
  made->text = malloc(size + 1);
  memcpy(made->text, text, size);
  made->text[size] = 0;
  made->text_size = size;
  return made;
}

failure* failure_ref(failure* failure) {
  if (failure) atomic_fetch_add(&failure->refs, 1);
  return failure;
}

void failure_unref(failure* failure) {
  if (!failure || atomic_fetch_sub(&failure->refs, 1) != 1) return;
  for (size_t i = 0; i < 2 * failure->num_payloads; ++i) free(failure->payloads[i]);
  free(failure->payloads);
  free(failure->text);
  free(failure);
}

#if HAS(100)
void failure_add_payload(failure* failure, const PJRT_NamedValue* values, size_t count) {
  failure->payloads = calloc(2 * count + 1, sizeof *failure->payloads);
  for (size_t i = 0; i < count; ++i) {
    if (values[i].type != PJRT_NamedValue_kString) continue;
    char** pair = failure->payloads + 2 * failure->num_payloads++;
    pair[0] = strndup(values[i].name, values[i].name_size);
    pair[1] = strndup(values[i].string_value, values[i].value_size);
  }
}
#endif

#if HAS(107)
static void table_destroy(PJRT_Error* handle) {
  if (!handle) return;
  failure_unref(((error*)handle)->failure);
  free(handle);
}

static void table_message(const PJRT_Error* handle, const char** message, size_t* size) {
  *message = ((const error*)handle)->failure->text;
  *size = ((const error*)handle)->failure->text_size;
}

static PJRT_Error_Code table_code(const PJRT_Error* handle) {
  return (PJRT_Error_Code)((const error*)handle)->failure->code;
}

static void table_payloads(const PJRT_Error* handle, PJRT_Error_PayloadVisitor visitor, void* arg) {
  const failure* failure = ((const error*)handle)->failure;
  for (size_t i = 0; i < failure->num_payloads; ++i) {
    const char *key = failure->payloads[2 * i], *value = failure->payloads[2 * i + 1];
    visitor(key, strlen(key), value, strlen(value), arg);
  }
}

static const PJRT_Error_FunctionTable table = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(error),
    .destroy = table_destroy,
    .message = table_message,
    .get_code = table_code,
    .for_each_payload = table_payloads,
};
#endif

PJRT_Error* error_from(failure* failure) {
  if (!failure) return NULL;
  error* made = calloc(1, sizeof *made);
#if HAS(107)
  made->base.vtable = &table;
#endif
  made->failure = failure_ref(failure);
  return (PJRT_Error*)made;
}

PJRT_Error* fail(int code, const char* format, ...) {
  char text[400];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (BAD(wrong_codes) && code == PJRT_Error_Code_INVALID_ARGUMENT) code = PJRT_Error_Code_INTERNAL;
  failure* failure = failure_create(code, text, strlen(text));
  PJRT_Error* made = error_from(failure);
  failure_unref(failure);
  return made;
}

PJRT_Error* check_size(const char* what, size_t size, size_t expected) {
  if (BAD(size_unchecked)) return NULL;
  bool must_be_equal = !HAS(34) || BAD(size_must_be_equal);
  if (must_be_equal ? size == expected : size >= expected) return NULL;
#if HAS(62)
  return INVALID(
      "Unexpected %s size: expected %zu, got %zu. The plugin is likely built with a later version "
      "than "
      "the framework. This plugin is built with PJRT API version %d.%d.",
      what, expected, size, PLUGIN_MAJOR, PJRT_API_MINOR);
#else
  return INVALID(
      "Unexpected %s size: expected %zu, got %zu. Check installed software versions. The framework "
      "PJRT API version is %d.%d.",
      what, expected, size, PLUGIN_MAJOR, PJRT_API_MINOR);
#endif
}

PJRT_Error* enter(const char* function, const char* args, size_t size, size_t expected) {
  if (misdeed_on_entry(function))
    return fail(PJRT_Error_Code_INTERNAL, "%s was told to fail", function);
  return check_size(args, size, expected);
}

void do_PJRT_Error_Destroy(PJRT_Error_Destroy_Args* args) {
  misdeed_on_entry("PJRT_Error_Destroy");
  error* error = (void*)args->error;
  if (!error && BAD(null_destroy_crashes)) abort();
  if (!error) return;
  failure_unref(error->failure);
  free(error);
}

void do_PJRT_Error_Message(PJRT_Error_Message_Args* args) {
  misdeed_on_entry("PJRT_Error_Message");
  const error* error = (const void*)args->error;
  args->message = BAD(error_without_message) ? NULL : error->failure->text;
  if (!BAD(message_without_size))
    args->message_size = BAD(error_without_message) ? 0 : error->failure->text_size;
}

FUNCTION(PJRT_Error_GetCode) {
  if (BAD(code_cannot_be_had)) return fail(PJRT_Error_Code_INTERNAL, "the code is lost");
  args->code = BAD(garbage_error_code)
                   ? (PJRT_Error_Code)4711
                   : (PJRT_Error_Code)((const error*)(const void*)args->error)->failure->code;
  return NULL;
}

#if HAS(99)
FUNCTION(PJRT_Error_ForEachPayload) {
  const failure* failure = ((const error*)(const void*)args->error)->failure;
  for (size_t i = 0; i < failure->num_payloads; ++i) {
    const char *key = failure->payloads[2 * i], *value = failure->payloads[2 * i + 1];
    args->visitor(key, strlen(key), value, strlen(value), args->user_arg);
  }
  return NULL;
}
#endif
