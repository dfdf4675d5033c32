// The programs that the plugin takes: modules whose one function adds one to each of its arguments.
// Text is looked through for the function's signature; of a portable artifact (MLIR bytecode of
// StableHLO's own dialect) the type of the function is read, and the names that occur in it.

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "xla/pjrt/c/pjrt_c_api.h"

static bool no(char* why, size_t size, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
static bool no(char* why, size_t size, const char* format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(why, size, format, list);
  va_end(list);
  return false;
}

static const struct {
  const char* name;
  int type, code;  // code: of the type in VHLO bytecode
} type_names[] = {
    {"i1", PJRT_Buffer_Type_PRED, 0},
    {"bf16", PJRT_Buffer_Type_BF16, 2},
    {"f16", PJRT_Buffer_Type_F16, 3},
    {"f32", PJRT_Buffer_Type_F32, 4},
    {"f64", PJRT_Buffer_Type_F64, 5},
    {"f8E4M3FN", PJRT_Buffer_Type_F8E4M3FN, 6},
    {"f8E5M2", PJRT_Buffer_Type_F8E5M2, 7},
    {"i4", PJRT_Buffer_Type_S4, 10},
    {"i8", PJRT_Buffer_Type_S8, 11},
    {"i16", PJRT_Buffer_Type_S16, 12},
    {"i32", PJRT_Buffer_Type_S32, 13},
    {"i64", PJRT_Buffer_Type_S64, 14},
    {"ui4", PJRT_Buffer_Type_U4, 15},
    {"ui8", PJRT_Buffer_Type_U8, 16},
    {"ui16", PJRT_Buffer_Type_U16, 17},
    {"ui32", PJRT_Buffer_Type_U32, 18},
    {"ui64", PJRT_Buffer_Type_U64, 19},
    {"f8E4M3FNUZ", PJRT_Buffer_Type_F8E4M3FNUZ, 27},
    {"f8E5M2FNUZ", PJRT_Buffer_Type_F8E5M2FNUZ, 28},
    {"f8E4M3B11FNUZ", PJRT_Buffer_Type_F8E4M3B11FNUZ, 29},
    {"i2", PJRT_Buffer_Type_S2, 31},
    {"ui2", PJRT_Buffer_Type_U2, 32},
    {"f8E4M3", PJRT_Buffer_Type_F8E4M3, 35},
    {"f8E3M4", PJRT_Buffer_Type_F8E3M4, 36},
    {"f4E2M1FN", PJRT_Buffer_Type_F4E2M1FN, 37},
    {"f6E2M3FN", PJRT_Buffer_Type_F6E2M3FN, 38},
    {"f6E3M2FN", PJRT_Buffer_Type_F6E3M2FN, 39},
    {"f8E8M0FNU", PJRT_Buffer_Type_F8E8M0FNU, 40},
    {"complex<f32>", PJRT_Buffer_Type_C64, -1},
    {"complex<f64>", PJRT_Buffer_Type_C128, -1},
};
enum { NUM_TYPE_NAMES = sizeof type_names / sizeof *type_names };

// ------------------------------ Text ------------------------------

// "4x?xf32>" after "tensor<".
static bool read_tensor(const char* at, const char* end, tensor_type* out) {
  out->rank = 0;
  for (;;) {
    const char* x = at;
    while (x < end && (isdigit((unsigned char)*x) || *x == '?')) ++x;
    if (x == at || x == end || *x != 'x') break;
    if (out->rank == MOST_DIMS) return false;
    out->dims[out->rank++] = *at == '?' ? -1 : strtoll(at, NULL, 10);
    at = x + 1;
  }
  for (int i = 0; i < NUM_TYPE_NAMES; ++i) {
    size_t size = strlen(type_names[i].name);
    if ((size_t)(end - at) > size && !memcmp(at, type_names[i].name, size) && at[size] == '>') {
      out->type = type_names[i].type;
      return true;
    }
  }
  return false;
}

static const char* find(const char* at, const char* end, const char* word) {
  return at < end ? memmem(at, (size_t)(end - at), word, strlen(word)) : NULL;
}

static bool read_text(const char* code, size_t size, program* out, char* why, size_t why_size) {
  const char* end = code + size;
  const char* main = find(code, end, "@main(");
  if (!main) return no(why, why_size, "the module has no function @main");
  const char* body = find(main, end, "{\n");
  if (!body) return no(why, why_size, "function @main has no body");
  if (!find(body, end, "add") || !find(body, end, "dense<1"))
    return no(why, why_size, "only programs that add one to each argument are implemented");
  const char* arrow = find(main, body, "->");
  for (const char* at = main; (at = find(at, body, "tensor<")); ++at) {
    bool is_input = !arrow || at < arrow;
    size_t* count = is_input ? &out->num_inputs : &out->num_outputs;
    if (*count == MOST_VALUES) return no(why, why_size, "more than %d values", MOST_VALUES);
    tensor_type* tensor = &(is_input ? out->inputs : out->outputs)[*count];
    if (!read_tensor(at + strlen("tensor<"), body, tensor))
      return no(why, why_size, "cannot read the type %.24s", at);
    if (is_input) {
      const char* next = find(at, body, "%arg");
      const char* stop = next && (!arrow || next < arrow) ? next : arrow ? arrow : body;
      const char* alias = find(at, stop, "tf.aliasing_output");
      const char* number = alias ? strpbrk(alias, "0123456789") : NULL;
      out->donated[*count] = number                                      ? atoi(number)
                             : find(at, stop, "jax.buffer_donor = true") ? DONOR
                                                                         : KEPT;
    }
    ++*count;
  }
  return true;
}

// ------------------------------ Bytecode ------------------------------

typedef struct {
  const uint8_t *at, *end;
  bool failed;
} reader;

static uint64_t read_varint(reader* r) {
  if (r->at >= r->end) return r->failed = true, 0;
  unsigned first = *r->at;
  unsigned more = first ? (unsigned)__builtin_ctz(first) : 8;
  if ((size_t)(r->end - r->at) < more + 1) return r->failed = true, 0;
  uint64_t value = 0;
  if (more == 8) {
    memcpy(&value, r->at + 1, 8);
  } else {
    memcpy(&value, r->at, more + 1);
    value >>= more + 1;
  }
  r->at += more + 1;
  return value;
}

static int64_t read_signed(reader* r) {
  uint64_t value = read_varint(r);
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

typedef struct {
  reader types[256];  // the bytes of each type
  uint64_t count;
} type_table;

static bool read_vhlo_tensor(const type_table* table, uint64_t index, tensor_type* out) {
  if (index >= table->count) return false;
  reader r = table->types[index];
  if (read_varint(&r) != 20) return false;
  out->rank = read_varint(&r);
  if (out->rank > MOST_DIMS) return false;
  for (size_t i = 0; i < out->rank; ++i) {
    int64_t dim = read_signed(&r);
    out->dims[i] = dim == INT64_MIN ? -1 : dim;
  }
  uint64_t element = read_varint(&r);
  if (r.failed || element >= table->count) return false;
  r = table->types[element];
  uint64_t code = read_varint(&r);
  if (code == 1) {  // complex
    element = read_varint(&r);
    if (r.failed || element >= table->count) return false;
    r = table->types[element];
    out->type = read_varint(&r) == 5 ? PJRT_Buffer_Type_C128 : PJRT_Buffer_Type_C64;
    return !r.failed;
  }
  for (int i = 0; i < NUM_TYPE_NAMES; ++i)
    if ((uint64_t)type_names[i].code == code) return out->type = type_names[i].type, !r.failed;
  return false;
}

static bool read_types(reader offsets, reader data, type_table* table) {
  uint64_t attributes = read_varint(&offsets), types = read_varint(&offsets), seen = 0;
  if (offsets.failed || types > 256) return false;
  table->count = types;
  while (seen < attributes + types) {
    read_varint(&offsets);  // the dialect
    uint64_t group = read_varint(&offsets);
    if (offsets.failed || !group || group > attributes + types - seen) return false;
    for (; group; --group, ++seen) {
      uint64_t size = read_varint(&offsets) >> 1;
      if (offsets.failed || size > (size_t)(data.end - data.at)) return false;
      if (seen >= attributes)
        table->types[seen - attributes] = (reader){data.at, data.at + size, false};
      data.at += size;
    }
  }
  return true;
}

static bool read_bytecode(const char* code, size_t size, program* out, char* why, size_t why_size) {
  reader r = {(const uint8_t*)code + 4, (const uint8_t*)code + size, false};
  read_varint(&r);
  const uint8_t* zero = memchr(r.at, 0, (size_t)(r.end - r.at));
  if (!zero || strncmp((const char*)r.at, "StableHLO_v", 11) != 0)
    return no(why, why_size, "the bytecode is no StableHLO portable artifact");
  r.at = zero + 1;
  reader sections[16] = {{0}};
  while (r.at < r.end && !r.failed) {
    uint8_t id = *r.at++;
    uint64_t length = read_varint(&r);
    if (id & 0x80) {
      uint64_t alignment = read_varint(&r);
      while (alignment && r.at < r.end && (size_t)(r.at - (const uint8_t*)code) % alignment) ++r.at;
    }
    if (r.failed || length > (size_t)(r.end - r.at) || (id & 0x7f) > 15)
      return no(why, why_size, "the bytecode is damaged");
    sections[id & 0x7f] = (reader){r.at, r.at + length, false};
    r.at += length;
  }
  static const char* const foreign[] = {"multiply_v",    "dot_general_v", "subtract_v",
                                        "custom_call_v", "reduce_v",      "while_v",
                                        "tanh_v",        "call_v"};
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i)
    if (find(code, code + size, foreign[i]))
      return no(why, why_size, "only programs that add one are implemented, not %s1", foreign[i]);
  if (!find(code, code + size, "add_v1")) return no(why, why_size, "the program adds nothing");
  type_table* table = calloc(1, sizeof *table);
  bool found =
      table && sections[2].at && sections[3].at && read_types(sections[3], sections[2], table);
  bool complete = false;
  for (uint64_t i = 0; found && !complete && i < table->count; ++i) {
    reader type = table->types[i];
    if (read_varint(&type) != 8) continue;  // a function
    out->num_inputs = read_varint(&type);
    complete = out->num_inputs <= MOST_VALUES;
    for (size_t k = 0; complete && k < out->num_inputs; ++k)
      complete = read_vhlo_tensor(table, read_varint(&type), &out->inputs[k]);
    out->num_outputs = complete ? read_varint(&type) : 0;
    complete = complete && out->num_outputs <= MOST_VALUES;
    for (size_t k = 0; complete && k < out->num_outputs; ++k)
      complete = read_vhlo_tensor(table, read_varint(&type), &out->outputs[k]);
  }
  free(table);
  if (!complete) return no(why, why_size, "the type of the program's function cannot be read");
  bool alias = find(code, code + size, "tf.aliasing_output");
  bool donor = find(code, code + size, "jax.buffer_donor");
  // Which argument carries the attribute is not read: with one argument there is no doubt.
  if ((alias || donor) && out->num_inputs > 1)
    return no(why, why_size, "donation in bytecode of %zu arguments", out->num_inputs);
  for (size_t i = 0; i < out->num_inputs; ++i) out->donated[i] = alias ? 0 : donor ? DONOR : KEPT;
  return true;
}

bool program_read(const char* code, size_t size, program* out, char* why, size_t why_size) {
  memset(out, 0, sizeof *out);
  bool is_bytecode = size > 5 && !memcmp(code, "ML\xefR", 4);
  if (!(is_bytecode ? read_bytecode : read_text)(code, size, out, why, why_size)) return false;
  if (!out->num_inputs || out->num_outputs > out->num_inputs)
    return no(why, why_size, "%zu inputs and %zu outputs: each output needs an input of its own",
              out->num_inputs, out->num_outputs);
  for (size_t i = 0; i < out->num_outputs; ++i)
    if (out->outputs[i].type != out->inputs[i].type || out->outputs[i].rank != out->inputs[i].rank)
      return no(why, why_size, "output %zu has another type than input %zu", i, i);
  for (size_t i = 0; i < out->num_inputs; ++i)
    if (out->donated[i] >= (int)out->num_outputs)
      return no(why, why_size, "input %zu aliases output %d of %zu", i, out->donated[i],
                out->num_outputs);
  return true;
}

// ------------------------------ Compile options ------------------------------

static bool read_base128(reader* r, uint64_t* value) {
  *value = 0;
  for (int shift = 0; r->at < r->end && shift < 64; shift += 7) {
    *value |= (uint64_t)(*r->at & 0x7f) << shift;
    if (!(*r->at++ & 0x80)) return true;
  }
  return false;
}

// One field of a protobuf message: its number, and its varint or its bytes.
static bool read_field(reader* r, uint64_t* number, uint64_t* value, reader* bytes) {
  *bytes = (reader){NULL, NULL, false};
  *value = 0;
  if (!read_base128(r, number)) return false;
  unsigned wire = *number & 7;
  *number >>= 3;
  size_t size = wire == 1 ? 8 : wire == 5 ? 4 : 0;
  if (wire == 0 || wire == 2) {
    if (!read_base128(r, value)) return false;
    if (wire == 2) size = *value;
  } else if (!size) {
    return false;
  }
  if (size > (size_t)(r->end - r->at)) return false;
  if (wire == 2) *bytes = (reader){r->at, r->at + size, false};
  r->at += size;
  return *number != 0;
}

// Device ids: a list per computation, packed or one by one, of an entry per replica.
static bool read_assignment(reader r, compile_options* out) {
  uint64_t number, value;
  reader list, ids;
  for (int64_t partition = 0; r.at < r.end;) {
    if (!read_field(&r, &number, &value, &list)) return false;
    if (number != 3 || !list.at) continue;
    int64_t replica = 0;
    while (list.at < list.end) {
      if (!read_field(&list, &number, &value, &ids)) return false;
      if (number != 1) continue;
      for (bool more = true; more; more = ids.at && ids.at < ids.end) {
        if (ids.at && !read_base128(&ids, &value)) return false;
        if (replica >= out->replicas || partition >= out->partitions) return false;
        out->devices[replica++ * out->partitions + partition] = (int64_t)value;
        ++out->num_devices;
      }
    }
    ++partition;
  }
  return out->num_devices == 0 || out->num_devices == (size_t)(out->replicas * out->partitions);
}

bool compile_options_read(const char* bytes, size_t size, compile_options* out) {
  *out = (compile_options){.replicas = 1, .partitions = 1};
  reader r = {(const uint8_t*)bytes, (const uint8_t*)bytes + size, false}, build, assignment = {0};
  uint64_t number, value;
  while (r.at < r.end) {
    if (!read_field(&r, &number, &value, &build)) return false;
    if (number != 3) continue;
    if (!build.at) return false;
    reader inner;
    while (build.at < build.end) {
      if (!read_field(&build, &number, &value, &inner)) return false;
      if (number == 4 && value) out->replicas = (int64_t)value;
      if (number == 5 && value) out->partitions = (int64_t)value;
      if (number == 9) assignment = inner;
    }
  }
  if (out->replicas < 1 || out->partitions < 1 || out->replicas > MOST_DEVICES ||
      out->partitions > MOST_DEVICES || out->replicas * out->partitions > MOST_DEVICES)
    return false;
  return !assignment.at || read_assignment(assignment, out);
}
