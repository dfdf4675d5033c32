// Reading attributes while a kernel is constructed.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

void attrs_begin(attrs* attrs, TF_OpKernelConstruction* construction, const char* op) {
  *attrs = (struct attrs){construction, op, TF_NewStatus()};
}

bool attrs_ok(const attrs* attrs) { return attrs->status && TF_GetCode(attrs->status) == TF_OK; }

void attrs_fail(attrs* attrs, TF_Code code, const char* format, ...) {
  if (!attrs_ok(attrs)) return;
  char message[512];
  int length = snprintf(message, sizeof message, "%s: ", attrs->op);
  va_list args;
  va_start(args, format);
  vsnprintf(message + length, sizeof message - (size_t)length, format, args);
  va_end(args);
  TF_SetStatus(attrs->status, code, message);
}

bool attr_bool(attrs* attrs, const char* name) {
  TF_Bool value = 0;
  if (attrs_ok(attrs))
    TF_OpKernelConstruction_GetAttrBool(attrs->construction, name, &value, attrs->status);
  return value;
}

int64_t attr_int(attrs* attrs, const char* name) {
  int64_t value = 0;
  if (attrs_ok(attrs))
    TF_OpKernelConstruction_GetAttrInt64(attrs->construction, name, &value, attrs->status);
  return value;
}

int32_t attr_int32(attrs* attrs, const char* name) {
  const int64_t value = attr_int(attrs, name);
  if (value >= INT32_MIN && value <= INT32_MAX) return (int32_t)value;
  attrs_fail(attrs, TF_INVALID_ARGUMENT, "%s is %lld, and must be a number of 32 bits", name,
             (long long)value);
  return 0;
}

float attr_float(attrs* attrs, const char* name) {
  float value = 0;
  if (attrs_ok(attrs))
    TF_OpKernelConstruction_GetAttrFloat(attrs->construction, name, &value, attrs->status);
  return value;
}

tn_dtype attr_type(attrs* attrs, const char* name) {
  TF_DataType value = (TF_DataType)0;
  if (attrs_ok(attrs))
    TF_OpKernelConstruction_GetAttrType(attrs->construction, name, &value, attrs->status);
  return (tn_dtype)value;
}

int attr_ints(attrs* attrs, const char* name, int64_t* out, int capacity) {
  int32_t count = 0, bytes = 0;
  if (attrs_ok(attrs))
    TF_OpKernelConstruction_GetAttrSize(attrs->construction, name, &count, &bytes, attrs->status);
  if (count > capacity)
    attrs_fail(attrs, TF_INVALID_ARGUMENT,
               "attribute %s has %d numbers, and at most %d are allowed", name, count, capacity);
  if (!attrs_ok(attrs)) return 0;
  if (count > 0)
    TF_OpKernelConstruction_GetAttrInt64List(attrs->construction, name, out, count, attrs->status);
  return attrs_ok(attrs) ? count : 0;
}

char* attr_text(attrs* attrs, const char* name, size_t* out_size) {
  int32_t count = 0, size = 0;
  if (attrs_ok(attrs))
    TF_OpKernelConstruction_GetAttrSize(attrs->construction, name, &count, &size, attrs->status);
  char* text = attrs_ok(attrs) ? calloc((size_t)size + 1, 1) : NULL;
  if (!text) {
    attrs_fail(attrs, TF_RESOURCE_EXHAUSTED, "no memory");
    return NULL;
  }
  TF_OpKernelConstruction_GetAttrString(attrs->construction, name, text, (size_t)size,
                                        attrs->status);
  if (attrs_ok(attrs)) {
    if (out_size) *out_size = (size_t)size;
    return text;
  }
  free(text);
  return NULL;
}

int attr_choice(attrs* attrs, const char* name, const char* const* choices) {
  char* text = attr_text(attrs, name, NULL);
  int found = 0;
  while (text && choices[found] && strcmp(text, choices[found]) != 0) ++found;
  if (text && !choices[found]) {
    char list[256] = "";
    for (int i = 0; choices[i]; ++i)
      snprintf(list + strlen(list), sizeof list - strlen(list), i ? ", %s" : "%s", choices[i]);
    attrs_fail(attrs, TF_INVALID_ARGUMENT, "attribute %s is \"%s\", and must be one of: %s", name,
               text, list);
  }
  free(text);
  return found;
}

void* attrs_end(attrs* attrs, const void* state, size_t size) {
  void* kept = attrs_ok(attrs) ? malloc(size ? size : 1) : NULL;
  if (kept) {
    memcpy(kept, state, size);
  } else {
    attrs_fail(attrs, TF_RESOURCE_EXHAUSTED, "no memory");
    TF_OpKernelConstruction_Failure(attrs->construction, attrs->status);
  }
  TF_DeleteStatus(attrs->status);
  return kept;
}
