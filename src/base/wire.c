#include "base/wire.h"

bool tn_wire_read_varint(tn_wire_reader* reader, uint64_t* out_value) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70 && reader->at < reader->end; shift += 7) {
    uint8_t byte = *reader->at++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out_value = value;
      return true;
    }
  }
  reader->bad = true;
  return false;
}

static bool read_fixed(tn_wire_reader* reader, size_t size, uint64_t* out_value) {
  if ((size_t)(reader->end - reader->at) < size) {
    reader->bad = true;
    return false;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= (uint64_t)reader->at[i] << (8 * i);
  reader->at += size;
  *out_value = value;
  return true;
}

static bool read_value(tn_wire_reader* reader, tn_wire_type type, uint64_t* out_value) {
  switch (type) {
    case TN_WIRE_VARINT: return tn_wire_read_varint(reader, out_value);
    case TN_WIRE_FIXED64: return read_fixed(reader, 8, out_value);
    case TN_WIRE_FIXED32: return read_fixed(reader, 4, out_value);
    default: break;
  }
  reader->bad = true;
  return false;
}

bool tn_wire_next(tn_wire_reader* reader, tn_wire_field* out_field) {
  enum { group_start = 3, group_end = 4 };
  int depth = 0;  // inside groups, which are passed over
  while (reader->at < reader->end || depth > 0) {
    uint64_t key;
    if (!tn_wire_read_varint(reader, &key)) return false;
    int type = key & 7;
    *out_field = (tn_wire_field){.number = (uint32_t)(key >> 3), .type = (tn_wire_type)type};
    if (key >> 3 == 0 || key >> 3 > 0x1fffffff) {
      reader->bad = true;
      return false;
    }
    if (type == group_start) {
      ++depth;
      continue;
    }
    if (type == group_end) {
      if (--depth < 0) {
        reader->bad = true;
        return false;
      }
      continue;
    }
    if (type == TN_WIRE_BYTES) {
      uint64_t size;
      if (!tn_wire_read_varint(reader, &size)) return false;
      if (size > (size_t)(reader->end - reader->at)) {
        reader->bad = true;
        return false;
      }
      out_field->bytes = (tn_view){(const char*)reader->at, size};
      reader->at += size;
    } else if (!read_value(reader, out_field->type, &out_field->value)) {
      return false;
    }
    if (depth == 0) return true;
  }
  return false;
}

bool tn_wire_each(const tn_wire_field* field, tn_wire_type element, void (*visit)(uint64_t, void*),
                  void* arg) {
  if (field->type == element) {
    visit(field->value, arg);
    return true;
  }
  if (field->type != TN_WIRE_BYTES) return false;
  tn_wire_reader packed = tn_wire_read(field->bytes);
  while (packed.at < packed.end) {
    uint64_t value;
    if (!read_value(&packed, element, &value)) return false;
    visit(value, arg);
  }
  return true;
}

void tn_wire_put_raw_varint(tn_text* out, uint64_t value) {
  char bytes[10];
  size_t size = 0;
  do {
    bytes[size] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    ++size;
    value >>= 7;
  } while (value);
  tn_text_append(out, bytes, size);
}

static void put_key(tn_text* out, uint32_t number, tn_wire_type type) {
  tn_wire_put_raw_varint(out, (uint64_t)number << 3 | type);
}

void tn_wire_put_varint(tn_text* out, uint32_t number, uint64_t value) {
  put_key(out, number, TN_WIRE_VARINT);
  tn_wire_put_raw_varint(out, value);
}

void tn_wire_put_float(tn_text* out, uint32_t number, float value) {
  put_key(out, number, TN_WIRE_FIXED32);
  tn_text_append(out, (const char*)&value, sizeof value);
}

void tn_wire_put_bytes(tn_text* out, uint32_t number, tn_view bytes) {
  put_key(out, number, TN_WIRE_BYTES);
  tn_wire_put_raw_varint(out, bytes.size);
  tn_text_append(out, bytes.data, bytes.size);
}

size_t tn_wire_begin(tn_text* out, uint32_t number) {
  put_key(out, number, TN_WIRE_BYTES);
  return out->size;
}

void tn_wire_end(tn_text* out, size_t begun) {
  if (out->failed) return;
  tn_text length = {0};
  tn_wire_put_raw_varint(&length, out->size - begun);
  if (length.failed) out->failed = true;
  tn_text_insert(out, begun, length.data, length.size);
  tn_text_deinit(&length);
}
