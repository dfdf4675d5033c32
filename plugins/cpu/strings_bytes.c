// Strings as bytes: EncodeBase64, DecodeBase64, DecodeRaw.

#include <stdlib.h>
#include <string.h>

#include "strings.h"

typedef struct bytes_state {
  bool pad, little_endian;
} bytes_state;

// The alphabet that is safe in addresses.
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void encode_group(const unsigned char* in, char* out) {
  const unsigned bits = (unsigned)in[0] << 16 | (unsigned)in[1] << 8 | in[2];
  for (int i = 0; i < 4; ++i) out[i] = alphabet[bits >> (18 - 6 * i) & 63];
}

static bool encode(void* arg, int64_t element_index) {
  const string_job* job = arg;
  const chars in = element(&job->in, element_index);
  const bool pad = ((const bytes_state*)job->state)->pad;
  const size_t rest = in.size % 3, whole = in.size - rest;
  const size_t size = in.size / 3 * 4 + (rest == 0 ? 0 : pad ? 4 : rest + 1);
  char* out = resize_string(job->run, (TF_TString*)job->out.data + element_index, size);
  if (!out) return false;
  const unsigned char* from = (const unsigned char*)in.data;
  for (size_t i = 0; i < whole; i += 3, out += 4) encode_group(from + i, out);
  if (rest) {
    const unsigned char last[3] = {from[whole], rest == 2 ? from[whole + 1] : 0, 0};
    char group[4];
    encode_group(last, group);
    if (rest == 1) group[2] = '=';
    group[3] = '=';
    memcpy(out, group, pad ? 4 : rest + 1);
  }
  return true;
}

static int digit_of(char c) {
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '-'             ? 62
         : c == '_'             ? 63
                                : -1;
}

// Up to two '=' may fill the last group of four.
static bool decode(void* arg, int64_t element_index) {
  const string_job* job = arg;
  const chars in = element(&job->in, element_index);
  size_t digits = in.size;
  if (in.size % 4 == 0)
    while (digits && in.size - digits < 2 && in.data[digits - 1] == '=') --digits;
  bool valid = digits % 4 != 1;
  char* out = resize_string(job->run, (TF_TString*)job->out.data + element_index, digits * 6 / 8);
  if (!out) return false;
  unsigned bits = 0;
  for (size_t i = 0; valid && i < digits; ++i) {
    const int digit = digit_of(in.data[i]);
    valid = digit >= 0;
    bits = bits << 6 | (unsigned)digit;
    if (i % 4) *out++ = (char)(bits >> (6 - 2 * (i % 4)));
  }
  if (!valid)
    run_fail(job->run, TF_INVALID_ARGUMENT, "input[%lld] is not in web-safe base64",
             (long long)element_index);
  return valid;
}

static void* encode_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "EncodeBase64");
  bytes_state state = {.pad = attr_bool(&attrs, "pad")};
  return attrs_end(&attrs, &state, sizeof state);
}

static void encode_base64(void* state, TF_OpKernelContext* context) {
  map_strings(state, context, "EncodeBase64", 50, encode);
}

static void decode_base64(void* state, TF_OpKernelContext* context) {
  map_strings(state, context, "DecodeBase64", 100, decode);
}

static void* raw_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "DecodeRaw");
  bytes_state state = {.little_endian = attr_bool(&attrs, "little_endian")};
  return attrs_end(&attrs, &state, sizeof state);
}

// Reverses the bytes of numbers that come in the other order than this machine's.
static void order_bytes(const bytes_state* state, tn_dtype dtype, char* data, size_t bytes) {
  const bool complex = dtype == TN_COMPLEX64 || dtype == TN_COMPLEX128;
  const size_t size = tn_cpu_size(dtype) / (complex ? 2 : 1);
  if (state->little_endian == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)) return;
  for (size_t at = 0; at < bytes; at += size)
    for (size_t i = 0; i < size / 2; ++i) {
      const char kept = data[at + i];
      data[at + i] = data[at + size - 1 - i];
      data[at + size - 1 - i] = kept;
    }
}

// Makes the output: the input's shape, and one more dimension.
static bool raw_output(run* run, const array* in, int64_t last, array* out) {
  int64_t dims[TN_CPU_MAX_RANK];
  if (in->rank >= TN_CPU_MAX_RANK) {
    run_fail(run, TF_INVALID_ARGUMENT, "an output of rank %d is too much", in->rank + 1);
    return false;
  }
  memcpy(dims, in->dims, (size_t)in->rank * sizeof dims[0]);
  dims[in->rank] = last;
  return run_output(run, 0, in->rank + 1, dims, out);
}

static void decode_raw(void* state, TF_OpKernelContext* context) {
  run run;
  array in, out;
  run_begin(&run, context, "DecodeRaw");
  const size_t unit = TF_DataTypeSize(TF_ExpectedOutputDataType(context, 0));
  const bool ready = run_input(&run, 0, &in);
  const size_t size = ready && in.count ? element(&in, 0).size : 0;
  for (int64_t i = 1; ready && i < in.count; ++i)
    if (element(&in, i).size != size)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "strings must have one size, but bytes[0] has %zu and bytes[%lld] has %zu", size,
               (long long)i, element(&in, i).size);
  if (size % unit)
    run_fail(&run, TF_INVALID_ARGUMENT,
             "strings have %zu bytes, which is no multiple of the %zu of an element", size, unit);
  if (run_ok(&run) && raw_output(&run, &in, (int64_t)(size / unit), &out)) {
    for (int64_t i = 0; i < in.count && size; ++i)
      memcpy((char*)out.data + (size_t)i * size, element(&in, i).data, size);
    order_bytes(state, out.dtype, out.data, (size_t)in.count * size);
  }
  run_end(&run);
}

void register_string_bytes(void) {
  const tn_cpu_types raw = TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL);
  const kernel kernels[] = {
      {.op = "EncodeBase64", .create = encode_create, .compute = encode_base64, .destroy = free},
      {.op = "DecodeBase64", .compute = decode_base64},
      {.op = "DecodeRaw",
       .create = raw_create,
       .compute = decode_raw,
       .destroy = free,
       .constraints = {{"out_type", raw & ~(TN_CPU_TYPE(TN_UINT32) | TN_CPU_TYPE(TN_UINT64))}}},
  };
  register_kernels(kernels, (int)(sizeof kernels / sizeof kernels[0]));
}
