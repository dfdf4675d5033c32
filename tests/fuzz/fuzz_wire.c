// Any bytes as a protobuf message: read within their bounds, and what was read writes back as
// itself.
#include <stdlib.h>

#include "base/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void count(uint64_t value, void* arg) { ++*(size_t*)arg; }

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_wire_reader reader = tn_wire_read((tn_view){(const char*)data, size});
  tn_wire_field field;
  while (tn_wire_next(&reader, &field)) {
    size_t values = 0;
    tn_wire_each(&field, TN_WIRE_VARINT, count, &values);
    tn_wire_each(&field, TN_WIRE_FIXED32, count, &values);
    tn_wire_each(&field, TN_WIRE_FIXED64, count, &values);
    if (field.type != TN_WIRE_VARINT && field.type != TN_WIRE_BYTES) continue;
    tn_text out = {0};
    if (field.type == TN_WIRE_VARINT) {
      tn_wire_put_varint(&out, field.number, field.value);
    } else {
      tn_wire_put_bytes(&out, field.number, field.bytes);
    }
    tn_wire_reader again = tn_wire_read(tn_text_view(&out));
    tn_wire_field same;
    if (!tn_wire_next(&again, &same) || same.number != field.number || same.type != field.type ||
        same.value != field.value || !tn_view_equal(same.bytes, field.bytes))
      abort();
    tn_text_deinit(&out);
  }
  return 0;
}
