// Strings as bytes: EncodeBase64, DecodeBase64, DecodeRaw.

#include <stdlib.h>
#include <string.h>

#include "strings.h"

typedef struct bytes_state {
  bool pad, little_endian;
} bytes_state;

// The alphabet that is safe in addresses.
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static bool encode(run* run, chars in, bool pad, TF_TString* to) {
  const size_t rest = in.size % 3;
  const size_t size = in.size / 3 * 4 + (rest == 0 ? 0 : pad ? 4 : rest + 1);
  char* out = resize_string(run, to, size);
  if (!out) return false;
  const unsigned char* from = (const unsigned char*)in.data;
  for (size_t i = 0; i < size; ++i) {
    // Character i has bits 6i to 6i + 5 of the input, which is followed by zeros.
    const size_t byte = i * 6 / 8;
    const unsigned high = byte < in.size ? from[byte] : 0;
    const unsigned low = byte + 1 < in.size ? from[byte + 1] : 0;
    const bool padding = i * 6 >= in.size * 8;
    out[i] = padding ? '=' : alphabet[(high << 8 | low) >> (10 - i * 6 % 8) & 63];
  }
  return true;
}

static int digit_of(char c) {
  const char* at = c ? strchr(alphabet, c) : NULL;
  return at ? (int)(at - alphabet) : -1;
}

// Up to two '=' may fill the last group of four.
static bool decode(run* run, chars in, TF_TString* to, bool* out_valid) {
  size_t digits = in.size;
  if (in.size % 4 == 0)
    while (digits && in.size - digits < 2 && in.data[digits - 1] == '=') --digits;
  *out_valid = digits % 4 != 1;
  char* out = *out_valid ? resize_string(run, to, digits * 6 / 8) : NULL;
  unsigned bits = 0;
  for (size_t i = 0; out && i < digits; ++i) {
    const int digit = digit_of(in.data[i]);
    if (digit < 0) {
      *out_valid = false;
      return true;
    }
    bits = bits << 6 | (unsigned)digit;
    if (i % 4) *out++ = (char)(bits >> (6 - 2 * (i % 4)));
  }
  return out || !*out_valid;
}

static void* encode_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "EncodeBase64");
  bytes_state state = {.pad = attr_bool(&attrs, "pad")};
  return attrs_end(&attrs, &state, sizeof state);
}

static void encode_base64(void* state, TF_OpKernelContext* context) {
  run run;
  array in, out;
  run_begin(&run, context, "EncodeBase64");
  if (run_input(&run, 0, &in) && run_output(&run, 0, in.rank, in.dims, &out)) {
    const bool pad = ((const bytes_state*)state)->pad;
    for (int64_t i = 0; i < in.count; ++i)
      if (!encode(&run, element(&in, i), pad, (TF_TString*)out.data + i)) break;
  }
  run_end(&run);
}

static void decode_base64(void* state, TF_OpKernelContext* context) {
  run run;
  array in, out;
  run_begin(&run, context, "DecodeBase64");
  if (run_input(&run, 0, &in) && run_output(&run, 0, in.rank, in.dims, &out)) {
    for (int64_t i = 0; run_ok(&run) && i < in.count; ++i) {
      bool valid;
      decode(&run, element(&in, i), (TF_TString*)out.data + i, &valid);
      if (!valid)
        run_fail(&run, TF_INVALID_ARGUMENT, "input[%lld] is not in web-safe base64", (long long)i);
    }
  }
  run_end(&run);
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
