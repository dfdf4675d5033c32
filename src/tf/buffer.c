// tf_buffer.h: bytes that cross the boundary with their own deallocator.

#include <string.h>

#include "tf/entry.h"

static void free_bytes(void* data, size_t length) { tn_free(data); }

TF_Buffer* TF_NewBuffer(void) { return tn_alloc_zeroed(1, sizeof(TF_Buffer)); }

TF_Buffer* TF_NewBufferFromString(const void* proto, size_t proto_len) {
  char* copy = tn_strndup(proto ? proto : "", proto ? proto_len : 0);
  return copy ? tf_buffer_take(copy, proto ? proto_len : 0, NULL) : NULL;
}

void TF_DeleteBuffer(TF_Buffer* buffer) {
  if (!buffer) return;
  if (buffer->data_deallocator) buffer->data_deallocator((void*)buffer->data, buffer->length);
  tn_free(buffer);
}

TF_Buffer TF_GetBuffer(TF_Buffer* buffer) { return buffer ? *buffer : (TF_Buffer){0}; }

bool tf_buffer_fill(TF_Buffer* buffer, char* bytes, size_t size, tn_status* status) {
  if (!bytes) {
    tn_status_set_no_memory(status, "serializing a message");
    return false;
  }
  if (buffer->data_deallocator) buffer->data_deallocator((void*)buffer->data, buffer->length);
  *buffer = (TF_Buffer){bytes, size, free_bytes};
  return true;
}

TF_Buffer* tf_buffer_take(char* bytes, size_t size, tn_status* status) {
  TF_Buffer* buffer = bytes ? TF_NewBuffer() : NULL;
  if (!buffer) {
    tn_free(bytes);
    tn_status_set_no_memory(status, "serializing a message");
    return NULL;
  }
  tf_buffer_fill(buffer, bytes, size, status);
  return buffer;
}

TF_Buffer* tf_buffer_of(tn_text* text, bool written, tn_status* status) {
  size_t size = 0;
  char* bytes = written ? tn_text_take(text, &size) : NULL;
  tn_text_deinit(text);
  return written ? tf_buffer_take(bytes, size, status) : NULL;
}
