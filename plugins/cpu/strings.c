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

typedef struct each_job {
  bool (*body)(void* arg, int64_t i);
  void* arg;
} each_job;

static void each_range(void* arg, int64_t begin, int64_t end) {
  const each_job* job = arg;
  for (int64_t i = begin; i < end && job->body(job->arg, i); ++i) continue;
}

void each_element(run* run, int64_t count, int64_t cost, bool (*body)(void* arg, int64_t i),
                  void* arg) {
  each_job job = {body, arg};
  if (count > 0) run->parallel->run(run->parallel->pool, count, cost, each_range, &job);
}

void map_strings(void* state, TF_OpKernelContext* context, const char* op, int64_t cost,
                 bool (*body)(void* job, int64_t i)) {
  run run;
  string_job job;
  job.run = &run;
  job.state = state;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &job.in) && run_output(&run, 0, job.in.rank, job.in.dims, &job.out))
    each_element(&run, job.in.count, cost, body, &job);
  run_end(&run);
}

static const char* const units[] = {"BYTE", "UTF8_CHAR", NULL};
enum { UNIT_BYTE, UNIT_CHARACTER };

typedef struct string_state {
  int unit;
  int64_t buckets;
  int64_t key[2];
} string_state;

static void* length_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "StringLength");
  string_state state = {.unit = attr_choice(&attrs, "unit", units)};
  return attrs_end(&attrs, &state, sizeof state);
}

static bool length_of(void* arg, int64_t i) {
  const string_job* job = arg;
  const chars text = element(&job->in, i);
  size_t trailing = 0;
  if (((const string_state*)job->state)->unit == UNIT_CHARACTER)
    for (size_t j = 0; j < text.size; ++j) trailing += is_trail_byte(text.data[j]);
  ((int32_t*)job->out.data)[i] = (int32_t)(text.size - trailing);
  return true;
}

static void length(void* state, TF_OpKernelContext* context) {
  map_strings(state, context, "StringLength", 4, length_of);
}

chars strip_spaces(chars text) {
  while (text.size && is_space(text.data[text.size - 1])) --text.size;
  while (text.size && is_space(text.data[0])) ++text.data, --text.size;
  return text;
}

static bool strip_one(void* arg, int64_t i) {
  const string_job* job = arg;
  return set_string(job->run, (TF_TString*)job->out.data + i, strip_spaces(element(&job->in, i)));
}

static void strip(void* state, TF_OpKernelContext* context) {
  map_strings(state, context, "StringStrip", 30, strip_one);
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

// The element of `in` that element i of what it broadcasts to takes.
static int64_t broadcast_index(const array* in, const array* out, int64_t i) {
  const int rank = out->rank;
  const int64_t* dims = out->dims;
  int64_t index = 0, stride = 1;
  if (in->count == out->count) return i;
  if (in->count == 1) return 0;
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

typedef struct substr_job {
  run* run;
  bool bytes;
  array in, position, length, out;
} substr_job;

static bool substr_one(void* arg, int64_t i) {
  const substr_job* job = arg;
  const chars text = element(&job->in, broadcast_index(&job->in, &job->out, i));
  const int64_t j = broadcast_index(&job->position, &job->out, i);
  const int64_t at = index_at(&job->position, j), size = index_at(&job->length, j);
  part found;
  if (!(job->bytes ? part_of_bytes : part_of_characters)(text, at, size, &found)) {
    run_fail(job->run, TF_INVALID_ARGUMENT, "pos %lld is out of range for string %lld of input",
             (long long)at, (long long)i);
    return false;
  }
  return set_string(job->run, (TF_TString*)job->out.data + i,
                    (chars){text.data + found.position, (size_t)found.length});
}

static void substr(void* state, TF_OpKernelContext* context) {
  run run;
  substr_job job = {.run = &run, .bytes = ((const string_state*)state)->unit == UNIT_BYTE};
  run_begin(&run, context, "Substr");
  if (read_substr(&run, &job.in, &job.position, &job.length, &job.out))
    each_element(&run, job.out.count, 20, substr_one, &job);
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

#define BUCKET_KERNEL(name, op, keyed, hash)                                     \
  static void* name##_create(TF_OpKernelConstruction* construction) {            \
    return bucket_state(construction, op, keyed);                                \
  }                                                                              \
  static bool name##_one(void* arg, int64_t i) {                                 \
    const string_job* job = arg;                                                 \
    const string_state* state = job->state;                                      \
    ((int64_t*)job->out.data)[i] = (int64_t)((hash) % (uint64_t)state->buckets); \
    return true;                                                                 \
  }                                                                              \
  static void name(void* state, TF_OpKernelContext* context) {                   \
    map_strings(state, context, op, 10, name##_one);                             \
  }
BUCKET_KERNEL(bucket, "StringToHashBucket", false, murmur_hash(element(&job->in, i)))
BUCKET_KERNEL(bucket_fast, "StringToHashBucketFast", false, farm_fingerprint(element(&job->in, i)))
BUCKET_KERNEL(bucket_strong, "StringToHashBucketStrong", true,
              sip_hash((const uint64_t*)state->key, element(&job->in, i)))

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
