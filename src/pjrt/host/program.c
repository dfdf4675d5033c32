// Whether a program is one, and its StableHLO version against those that a plugin reads. A portable
// artifact is MLIR bytecode: four bytes "ML\xefR", the bytecode's own version as a varint, and a
// text that ends in a NUL and names who wrote it, "StableHLO_v1.17.0".
#include "pjrt/host/program.h"

#include "base/status.h"

// The varint of MLIR bytecode: the zeros at the low end of the first byte count the bytes after it.
static bool skip_varint(tn_view* code) {
  if (code->size == 0) return false;
  unsigned first = (unsigned char)code->data[0];
  size_t bytes = first == 0 ? 9 : (size_t)__builtin_ctz(first) + 1;
  if (code->size < bytes) return false;
  code->data += bytes;
  code->size -= bytes;
  return true;
}

// A number and, unless `end` stands behind it, nothing.
static bool read_number(tn_view* text, char end, int* out) {
  int value = 0;
  size_t digits = 0;
  while (digits < text->size && text->data[digits] >= '0' && text->data[digits] <= '9') {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, text->data[digits] - '0', &value))
      return false;
    ++digits;
  }
  if (digits == 0 || digits >= text->size || text->data[digits] != end) return false;
  text->data += digits + 1;
  text->size -= digits + 1;
  *out = value;
  return true;
}

bool tn_pjrt_program_version(const void* code, size_t size, int version[3]) {
  tn_view at = {code, code ? size : 0};
  int found[3];
  if (!version || !tn_view_skip(&at, "ML\xefR") || !skip_varint(&at) ||
      !tn_view_skip(&at, "StableHLO_v") || !read_number(&at, '.', &found[0]) ||
      !read_number(&at, '.', &found[1]) || !read_number(&at, '\0', &found[2]))
    return false;
  memcpy(version, found, sizeof found);
  return true;
}

// A version that the plugin tells as an attribute: three integers.
static bool told_version(const tn_pjrt* plugin, const char* name, int version[3]) {
  const tn_pjrt_values* attributes = tn_pjrt_attributes(plugin);
  size_t i = tn_pjrt_values_find(attributes, name), count = 0;
  const int64_t* ints = i == SIZE_MAX ? NULL : tn_pjrt_values_ints(attributes, i, &count);
  if (!ints || count != 3) return false;
  for (size_t k = 0; k < 3; ++k) version[k] = (int)ints[k];
  return true;
}

static int compare(const int a[3], const int b[3]) {
  for (int i = 0; i < 3; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

// Text has no control characters but blanks (and a zero behind it, as C's has); the first bytes
// tell all else (a protobuf, an archive, an array) apart from it.
static bool is_mlir(tn_view code) {
  if (tn_view_skip(&code, "ML\xefR")) return true;
  for (size_t i = 0; i < code.size && i < 64; ++i) {
    const unsigned char byte = (unsigned char)code.data[i];
    const bool blank = (byte >= '\t' && byte <= '\r') || (byte == 0 && i + 1 == code.size);
    if (byte == 0x7f || (byte < 0x20 && !blank)) return false;
  }
  return true;
}

bool tn_pjrt_program_check(const tn_pjrt* plugin, tn_view code, tn_status* status) {
  int program[3], bound[3];
  if (!is_mlir(code))
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "the program is no StableHLO: neither text nor MLIR bytecode, which begins with "
                   "\"ML\\xefR\"; of jax.export write exported.mlir_module_serialized (what "
                   "serialize() gives holds more), and of an HloModuleProto say the format, hlo");
  if (!tn_pjrt_program_version(code.data, code.size, program)) return true;
  if (told_version(plugin, "stablehlo_current_version", bound) && compare(program, bound) > 0)
    return tn_fail(status, TN_FAILED_PRECONDITION,
                   "the program is StableHLO %d.%d.%d and %s reads up to %d.%d.%d; export it again "
                   "for version %d.%d.%d, or use a newer plugin",
                   program[0], program[1], program[2], plugin->name, bound[0], bound[1], bound[2],
                   bound[0], bound[1], bound[2]);
  if (told_version(plugin, "stablehlo_minimum_version", bound) && compare(program, bound) < 0)
    return tn_fail(status, TN_FAILED_PRECONDITION,
                   "the program is StableHLO %d.%d.%d and %s reads from %d.%d.%d on; export it "
                   "again with a newer StableHLO, or use an older plugin",
                   program[0], program[1], program[2], plugin->name, bound[0], bound[1], bound[2]);
  return true;
}
