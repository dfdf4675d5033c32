// Status, buffer, string and shape functions under TensorFlow's names.
#include <errno.h>

#include "harness.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/logging.h"
#include "tensorflow/c/tf_shape.h"
#include "tensorflow/c/tf_tstring.h"

TEST(test_a_tf_status_is_a_tn_status) {
  TF_Status* status = TF_NewStatus();
  CHECK_INT(TF_GetCode(status), TF_OK);
  CHECK_TEXT(TF_Message(status), "");
  TF_SetStatus(status, TF_CANCELLED, "100% cancelled");
  CHECK_INT(tn_status_code(status), TN_CANCELLED);
  CHECK_TEXT(TF_Message(status), "100% cancelled");
  TF_SetStatus(status, TF_UNKNOWN, NULL);
  CHECK_TEXT(TF_Message(status), "");
  TF_SetStatusFromIOError(status, ENOENT, "opening x");
  CHECK_INT(TF_GetCode(status), TF_NOT_FOUND);
  CHECK_TEXT(TF_Message(status), "opening x; No such file or directory");
  TF_SetStatus(status, TF_OK, "ignored");
  CHECK_TEXT(TF_Message(status), "");
  TF_DeleteStatus(status);
}

static void keep(const char* key, const char* value, void* arg) {
  strcat(arg, key);
  strcat(arg, value);
}

TEST(test_payloads_are_visited_and_go_with_ok) {
  char seen[64] = "";
  TF_Status* status = TF_NewStatus();
  TF_SetPayload(status, "k", "lost");
  TF_SetStatus(status, TF_INTERNAL, "x");
  TF_SetPayload(status, "a", "1");
  TF_SetPayload(status, "b", "2");
  TF_ForEachPayload(status, keep, seen);
  CHECK_TEXT(seen, "a1b2");
  TF_SetStatus(status, TF_OK, "");
  TF_ForEachPayload(status, keep, seen);
  CHECK_TEXT(seen, "a1b2");
  TF_DeleteStatus(status);
}

TEST(test_buffers_copy_and_run_their_deallocator) {
  TF_Buffer* buffer = TF_NewBufferFromString("ab\0c", 4);
  CHECK_INT(buffer->length, 4);
  CHECK(memcmp(buffer->data, "ab\0c", 4) == 0);
  TF_Buffer copy = TF_GetBuffer(buffer);
  CHECK(copy.data == buffer->data && copy.length == 4);
  TF_DeleteBuffer(buffer);
  buffer = TF_NewBuffer();
  CHECK(!buffer->data && !buffer->length && !buffer->data_deallocator);
  TF_DeleteBuffer(buffer);
  CHECK_INT(TF_GetBuffer(NULL).length, 0);
}

TEST(test_strings_small_large_and_view) {
  TF_TString string;
  TF_StringInit(&string);
  CHECK_INT(TF_StringGetCapacity(&string), 22);
  TF_StringCopy(&string, "0123456789012345678901", 22);
  CHECK_INT(TF_StringGetType(&string), TF_TSTR_SMALL);
  TF_StringCopy(&string, "01234567890123456789012", 23);
  CHECK_INT(TF_StringGetType(&string), TF_TSTR_LARGE);
  CHECK_INT(TF_StringGetSize(&string), 23);
  CHECK(memcmp(TF_StringGetDataPointer(&string), "01234567890123456789012", 23) == 0);
  TF_StringAssignView(&string, "a view", 6);
  CHECK_INT(TF_StringGetType(&string), TF_TSTR_VIEW);
  CHECK_INT(TF_StringGetCapacity(&string), 0);
  uint64_t owner;
  memcpy(&owner, (char*)&string + 16, 8);
  CHECK_INT(owner, 0);
  TF_StringDealloc(&string);
  CHECK_INT(TF_StringGetSize(&string), 0);
  TF_StringCopy(NULL, "x", 1);
  TF_StringDealloc(NULL);
  CHECK_INT(TF_StringGetSize(NULL), 0);
}

TEST(test_a_shape_starts_without_a_rank) {
  TF_Shape* shape = TF_NewShape();
  CHECK_INT(TF_ShapeDims(shape), -1);
  CHECK_INT(TF_ShapeDimSize(shape, 0), -1);
  TF_DeleteShape(shape);
  TF_DeleteShape(NULL);
  CHECK_INT(TF_ShapeDims(NULL), -1);
}

static char heard[256];
static void listen(const char* line) { snprintf(heard, sizeof heard, "%s", line); }

TEST(test_log_lines_reach_a_listener) {
  TF_RegisterLogListener(listen);
  TF_Log(TF_ERROR, "found %d", 3);
  CHECK_CONTAINS(heard, "found 3");
  TF_RegisterLogListener(NULL);
  heard[0] = 0;
  TF_Log(TF_ERROR, "unheard");
  TF_VLog(1, NULL);
  CHECK_TEXT(heard, "");
}
TEST(test_what_is_registered_is_told_as_messages) {
  TF_Status* status = TF_NewStatus();
  TF_Buffer* ops = TF_GetAllOpList();
  CHECK(ops && ops->length > 1000);
  TF_DeleteBuffer(ops);
  TF_Buffer* kernels = TF_GetRegisteredKernelsForOp("NoSuchOp", status);
  CHECK_OK(status);
  CHECK(kernels && kernels->length == 0);
  TF_DeleteBuffer(kernels);
  CHECK(!TF_GetRegisteredKernelsForOp(NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK_INT(TF_OpIsStateful("VarHandleOp", status), 1);
  CHECK_INT(TF_OpIsStateful("AddV2", status), 0);
  CHECK_OK(status);
  CHECK_INT(TF_OpIsStateful("NoSuchOp", status), 0);
  CHECK_CODE(status, TN_NOT_FOUND);
  CHECK_CONTAINS(TF_Version(), "2.");
  TF_DeleteStatus(status);
}
