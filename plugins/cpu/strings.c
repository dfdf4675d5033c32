// Ops that treat every string on its own: StringLength, StringLower, StringUpper, StringStrip,
// Substr, StringToHashBucket and its kin.

#include "strings.h"

#include <stdlib.h>
#include <string.h>

char* resize_string(run* run, TF_TString* string, size_t size) {
  char* text = TF_TString_ResizeUninitialized(string, size);
  if (!text) run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a string of %zu bytes", size);
  return text;
}

bool set_string(run* run, TF_TString* to, chars from) {
  char* text = resize_string(run, to, from.size);
  if (text && from.size) memcpy(text, from.data, from.size);
  return text != NULL;
}

bool copy_string(run* run, TF_TString* to, const TF_TString* from) {
  return set_string(run, to, chars_of(from));
}

static const char* const units[] = {"BYTE", "UTF8_CHAR", NULL};
enum { UNIT_BYTE, UNIT_CHARACTER };

typedef struct string_state {
  int unit;
  int64_t buckets;
  int64_t key[2];
} string_state;

// Input 0 and an output of the same shape.
static bool begin(run* run, TF_OpKernelContext* context, const char* op, array* in, array* out) {
  run_begin(run, context, op);
  return run_input(run, 0, in) && run_output(run, 0, in->rank, in->dims, out);
}

static void* length_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "StringLength");
  string_state state = {.unit = attr_choice(&attrs, "unit", units)};
  return attrs_end(&attrs, &state, sizeof state);
}

static void length(void* state, TF_OpKernelContext* context) {
  run run;
  array in, out;
  if (begin(&run, context, "StringLength", &in, &out)) {
    const bool bytes = ((const string_state*)state)->unit == UNIT_BYTE;
    for (int64_t i = 0; i < in.count; ++i) {
      const chars text = element(&in, i);
      size_t trailing = 0;
      for (size_t j = 0; !bytes && j < text.size; ++j) trailing += is_trail_byte(text.data[j]);
      ((int32_t*)out.data)[i] = (int32_t)(text.size - trailing);
    }
  }
  run_end(&run);
}

chars strip_spaces(chars text) {
  while (text.size && is_space(text.data[text.size - 1])) --text.size;
  while (text.size && is_space(text.data[0])) ++text.data, --text.size;
  return text;
}

static void strip(void* state, TF_OpKernelContext* context) {
  run run;
  array in, out;
  if (begin(&run, context, "StringStrip", &in, &out)) {
    for (int64_t i = 0; i < in.count; ++i)
      if (!set_string(&run, (TF_TString*)out.data + i, strip_spaces(element(&in, i)))) break;
  }
  run_end(&run);
}

// A position and a length in bytes.
typedef struct part {
  int64_t position, length;
} part;

static int64_t step_forward(chars text, int64_t at, int64_t characters, int64_t* taken) {
  const int64_t size = (int64_t)text.size;
  for (*taken = 0; *taken < characters && at < size; ++*taken) do
      ++at;
    while (at < size && is_trail_byte(text.data[at]));
  return at;
}

static int64_t step_back(chars text, int64_t at, int64_t characters, int64_t* taken) {
  for (*taken = 0; *taken < characters && at > 0; ++*taken) do
      --at;
    while (at > 0 && is_trail_byte(text.data[at]));
  return at;
}

// Characters to bytes; false when the position is beyond the string.
static bool part_of_characters(chars text, int64_t position, int64_t length, part* out) {
  int64_t taken, end;
  if (position >= 0) {
    out->position = step_forward(text, 0, position, &taken);
    if (taken < position) return false;
    end = step_forward(text, out->position, length, &taken);
  } else {
    // A length that would go past the end goes to the end.
    const int64_t before = position == INT64_MIN ? INT64_MAX : -position;
    const int64_t after = length < before ? before - length : 0;
    if (length < 0) return false;
    end = step_back(text, (int64_t)text.size, after, &taken);
    if (taken < after) return false;
    out->position = step_back(text, end, before - after, &taken);
    if (taken < before - after) return false;
  }
  out->length = end - out->position;
  return true;
}

static bool part_of_bytes(chars text, int64_t position, int64_t length, part* out) {
  const int64_t size = (int64_t)text.size;
  if (position < 0) position += size;
  if (position < 0 || position > size) return false;
  // A negative length is as good as the largest: TensorFlow has it in an unsigned number.
  *out = (part){position, length < 0 || length > size - position ? size - position : length};
  return true;
}

static void* substr_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "Substr");
  string_state state = {.unit = attr_choice(&attrs, "unit", units)};
  return attrs_end(&attrs, &state, sizeof state);
}

// Shapes that broadcast: of each dimension, counted from the end, the larger unless one is 1.
static bool broadcast_shape(run* run, const array* a, const array* b, int* rank, int64_t* dims) {
  *rank = a->rank > b->rank ? a->rank : b->rank;
  for (int i = 1; i <= *rank; ++i) {
    const int64_t x = i <= a->rank ? a->dims[a->rank - i] : 1;
    const int64_t y = i <= b->rank ? b->dims[b->rank - i] : 1;
    dims[*rank - i] = x == 1 ? y : x;
    if (x == y || x == 1 || y == 1) continue;
    char a_text[SHAPE_TEXT], b_text[SHAPE_TEXT];
    run_fail(run, TF_INVALID_ARGUMENT, "inputs input %s and pos %s do not broadcast",
             shape_text(a->rank, a->dims, a_text), shape_text(b->rank, b->dims, b_text));
    return false;
  }
  return true;
}

// The element of `in` that element `i` of a broadcast to these dims takes.
static int64_t broadcast_index(const array* in, int rank, const int64_t* dims, int64_t i) {
  int64_t index = 0, stride = 1;
  for (int j = 1; j <= rank; ++j) {
    const int64_t at = i % dims[rank - j];
    i /= dims[rank - j];
    if (j > in->rank) continue;
    if (in->dims[in->rank - j] != 1) index += at * stride;
    stride *= in->dims[in->rank - j];
  }
  return index;
}

static bool read_substr(run* run, array* in, array* position, array* length, array* out) {
  char text[SHAPE_TEXT], other[SHAPE_TEXT];
  int rank;
  int64_t dims[TN_CPU_MAX_RANK];
  if (!run_input(run, 0, in) || !run_input(run, 1, position) || !run_input(run, 2, length))
    return false;
  if (position->rank != length->rank ||
      memcmp(position->dims, length->dims, (size_t)length->rank * sizeof length->dims[0]) != 0)
    run_fail(run, TF_INVALID_ARGUMENT, "inputs pos %s and len %s must have the same shape",
             shape_text(position->rank, position->dims, text),
             shape_text(length->rank, length->dims, other));
  if (position->count == 0)
    run_fail(run, TF_INVALID_ARGUMENT, "inputs pos and len must not be empty");
  return run_ok(run) && broadcast_shape(run, in, position, &rank, dims) &&
         run_output(run, 0, rank, dims, out);
}

static void substr(void* state, TF_OpKernelContext* context) {
  run run;
  array in, position, length, out;
  run_begin(&run, context, "Substr");
  const bool bytes = ((const string_state*)state)->unit == UNIT_BYTE;
  const bool ready = read_substr(&run, &in, &position, &length, &out);
  for (int64_t i = 0; ready && i < out.count; ++i) {
    const chars text = element(&in, broadcast_index(&in, out.rank, out.dims, i));
    const int64_t j = broadcast_index(&position, out.rank, out.dims, i);
    const int64_t at = index_at(&position, j), size = index_at(&length, j);
    part found;
    if (!(bytes ? part_of_bytes : part_of_characters)(text, at, size, &found)) {
      run_fail(&run, TF_INVALID_ARGUMENT, "pos %lld is out of range for string %lld of input",
               (long long)at, (long long)i);
      break;
    }
    const chars piece = {text.data + found.position, (size_t)found.length};
    if (!set_string(&run, (TF_TString*)out.data + i, piece)) break;
  }
  run_end(&run);
}

static void* bucket_state(TF_OpKernelConstruction* construction, const char* op, bool keyed) {
  attrs attrs;
  string_state state = {.unit = 0};
  attrs_begin(&attrs, construction, op);
  state.buckets = attr_int(&attrs, "num_buckets");
  if (keyed && attr_ints(&attrs, "key", state.key, 2) != 2)
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "attribute key must have 2 numbers");
  if (state.buckets <= 0)
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "attribute num_buckets is %lld, and must be positive",
               (long long)state.buckets);
  return attrs_end(&attrs, &state, sizeof state);
}

#define BUCKET_KERNEL(name, op, keyed, hash)                                  \
  static void* name##_create(TF_OpKernelConstruction* construction) {         \
    return bucket_state(construction, op, keyed);                             \
  }                                                                           \
  static void name(void* held, TF_OpKernelContext* context) {                 \
    run run;                                                                  \
    array in, out;                                                            \
    const string_state* state = held;                                         \
    if (begin(&run, context, op, &in, &out))                                  \
      for (int64_t i = 0; i < in.count; ++i)                                  \
        ((int64_t*)out.data)[i] = (int64_t)(hash % (uint64_t)state->buckets); \
    run_end(&run);                                                            \
  }
BUCKET_KERNEL(bucket, "StringToHashBucket", false, murmur_hash(element(&in, i)))
BUCKET_KERNEL(bucket_fast, "StringToHashBucketFast", false, farm_fingerprint(element(&in, i)))
BUCKET_KERNEL(bucket_strong, "StringToHashBucketStrong", true,
              sip_hash((const uint64_t*)state->key, element(&in, i)))

void register_strings(void) {
  const tn_cpu_types index = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  const kernel kernels[] = {
      {.op = "StringLength", .create = length_create, .compute = length, .destroy = free},
      {.op = "StringStrip", .compute = strip},
      {.op = "Substr",
       .create = substr_create,
       .compute = substr,
       .destroy = free,
       .constraints = {{"T", index}}},
      {.op = "StringToHashBucket", .create = bucket_create, .compute = bucket, .destroy = free},
      {.op = "StringToHashBucketFast",
       .create = bucket_fast_create,
       .compute = bucket_fast,
       .destroy = free},
      {.op = "StringToHashBucketStrong",
       .create = bucket_strong_create,
       .compute = bucket_strong,
       .destroy = free},
  };
  register_kernels(kernels, (int)(sizeof kernels / sizeof kernels[0]));
}
