// Any bytes as JSON, and as a layout file.

#include "abi/layout_file.h"
#include "base/json_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const tn_view text = {(const char*)data, size};
  tn_arena arena = {0};
  tn_abi_model model = {0};
  tn_json_read(text, &arena, NULL);
  if (tn_abi_layout_read("fuzz", text, &model, NULL)) tn_abi_model_deinit(&model);
  tn_arena_deinit(&arena);
  return 0;
}
