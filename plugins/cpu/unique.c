// Unique, UniqueV2, UniqueWithCounts, UniqueWithCountsV2, ListDiff.

#include <string.h>

#include "cpu/gather.h"
#include "moving.h"
#include "strings.h"

// A mix that loses nothing: different numbers stay different.
static uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

// The bits of an element, equal for equal ones: zeros have no sign. A NaN equals nothing.
static uint64_t key_of(tn_dtype dtype, const void* element, bool* is_nan) {
  uint64_t bits = 0, infinity = 0;
  const size_t size = element_size(dtype);
  memcpy(&bits, element, size);
  switch (dtype) {
    case TN_HALF: infinity = 0x7c00; break;
    case TN_BFLOAT16: infinity = 0x7f80; break;
    case TN_FLOAT: infinity = 0x7f800000; break;
    case TN_DOUBLE: infinity = 0x7ff0000000000000; break;
    default: return bits;
  }
  const uint64_t magnitude = bits & (((uint64_t)1 << (8 * size - 1)) - 1);
  *is_nan = *is_nan || magnitude > infinity;
  return magnitude ? bits : 0;
}

static uint64_t hash_string(const TF_TString* string) {
  const char* text = TF_TString_GetDataPointer(string);
  size_t left = TF_TString_GetSize(string);
  uint64_t hash = left;
  for (; left >= 8; left -= 8, text += 8) {
    uint64_t word;
    memcpy(&word, text, 8);
    hash = mix(hash ^ word);
  }
  uint64_t word = 0;
  memcpy(&word, text, left);
  return mix(hash ^ word);
}

static bool same_string(const TF_TString* a, const TF_TString* b) {
  const size_t size = TF_TString_GetSize(a);
  return size == TF_TString_GetSize(b) &&
         memcmp(TF_TString_GetDataPointer(a), TF_TString_GetDataPointer(b), size) == 0;
}

// Different rows of one array and their numbers, in the order they came in.
typedef struct row_set {
  tn_dtype dtype;
  int64_t row;              // elements of one
  int64_t count, capacity;  // slots in use, and all (a power of two)
  struct row_slot {
    uint64_t hash;
    int64_t number;  // plus one; 0 is an empty slot
    const char* first;
  } * slots;
} row_set;

static bool set_grow(run* run, row_set* set, int64_t capacity) {
  struct row_slot* old = set->slots;
  const int64_t old_capacity = old ? set->capacity : 0;
  set->slots = run_scratch(run, (size_t)capacity * sizeof *old);
  if (!set->slots) return false;
  set->capacity = capacity;
  memset(set->slots, 0, (size_t)capacity * sizeof *old);
  for (int64_t i = 0; i < old_capacity; ++i) {
    if (!old[i].number) continue;
    uint64_t at = old[i].hash & (uint64_t)(capacity - 1);
    while (set->slots[at].number) at = (at + 1) & (uint64_t)(capacity - 1);
    set->slots[at] = old[i];
  }
  return true;
}

static bool set_begin(run* run, row_set* set, tn_dtype dtype, int64_t row) {
  *set = (row_set){.dtype = dtype, .row = row};
  return set_grow(run, set, 256);
}

static uint64_t hash_row(const row_set* set, const char* data, bool* is_nan) {
  const size_t size = element_size(set->dtype);
  uint64_t hash = 0;
  for (int64_t i = 0; i < set->row; ++i, data += size)
    hash = mix(hash ^ (set->dtype == TN_STRING ? hash_string((const TF_TString*)data)
                                               : key_of(set->dtype, data, is_nan)));
  return hash;
}

static bool same_row(const row_set* set, const char* a, const char* b) {
  const size_t size = element_size(set->dtype);
  if (set->row == 1 && set->dtype != TN_STRING) return true;  // the hash has lost nothing
  for (int64_t i = 0; i < set->row; ++i, a += size, b += size) {
    bool is_nan = false;
    if (set->dtype == TN_STRING ? !same_string((const TF_TString*)a, (const TF_TString*)b)
                                : key_of(set->dtype, a, &is_nan) != key_of(set->dtype, b, &is_nan))
      return false;
  }
  return true;
}

// The number of the row at `data`; a new one gets `next` when that is not negative, and then the
// result is `next`. -1: not there. -2: no memory.
static int64_t set_find(run* run, row_set* set, const char* data, int64_t next) {
  bool is_nan = false;
  const uint64_t hash = hash_row(set, data, &is_nan);
  if (is_nan) return next;
  uint64_t at = hash & (uint64_t)(set->capacity - 1);
  for (; set->slots[at].number; at = (at + 1) & (uint64_t)(set->capacity - 1))
    if (set->slots[at].hash == hash && same_row(set, set->slots[at].first, data))
      return set->slots[at].number - 1;
  if (next < 0) return -1;
  set->slots[at] = (struct row_slot){hash, next + 1, data};
  if (2 * ++set->count > set->capacity && !set_grow(run, set, 4 * set->capacity)) return -2;
  return next;
}

// Single elements that are no strings have keys of 64 bits, looked up in tiles.
enum { TILE = 256 };

static void load_keys(tn_dtype dtype, const void* data, int64_t begin, int64_t n, uint64_t* keys,
                      bool* nans) {
  memset(nans, 0, (size_t)n);
#define LOAD(type) \
  for (int64_t i = 0; i < n; ++i) keys[i] = (uint64_t)((const type*)data)[begin + i]
  switch (dtype) {
    case TN_INT8: LOAD(int8_t); break;
    case TN_INT16: LOAD(int16_t); break;
    case TN_INT32: LOAD(int32_t); break;
    case TN_UINT8:
    case TN_BOOL: LOAD(uint8_t); break;
    case TN_UINT16: LOAD(uint16_t); break;
    case TN_UINT32: LOAD(uint32_t); break;
    case TN_INT64:
    case TN_UINT64: LOAD(uint64_t); break;
    default:
      for (int64_t i = 0; i < n; ++i)
        keys[i] = key_of(dtype, element_at(dtype, data, begin + i), &nans[i]);
  }
#undef LOAD
}

// Numbers by key: a slot for each key between the least and the most when there are not many more
// of these than elements, else a table of hashes.
typedef struct key_map {
  int64_t least, range;  // range 0: hashes
  int64_t* direct;       // numbers plus one
  int64_t count, capacity;
  struct key_slot {
    uint64_t key;
    int64_t number;  // plus one
  } * slots;
} key_map;

static bool map_reserve(run* run, key_map* map, int64_t count) {
  if (map->range || 2 * count <= map->capacity) return run_ok(run);
  const struct key_slot* old = map->slots;
  const int64_t old_capacity = map->capacity;
  map->capacity = old ? 4 * map->capacity : 4 * TILE;
  const uint64_t mask = (uint64_t)map->capacity - 1;
  map->slots = run_scratch(run, (size_t)map->capacity * sizeof *old);
  if (!map->slots) return false;
  memset(map->slots, 0, (size_t)map->capacity * sizeof *old);
  for (int64_t i = 0; i < old_capacity; ++i) {
    if (!old[i].number) continue;
    uint64_t at = mix(old[i].key) & mask;
    while (map->slots[at].number) at = (at + 1) & mask;
    map->slots[at] = old[i];
  }
  return true;
}

static bool map_begin(run* run, key_map* map, const array* x) {
  uint64_t keys[TILE];
  bool nans[TILE];
  int64_t least = INT64_MAX, most = INT64_MIN;
  *map = (key_map){.range = 0};
  for (int64_t begin = 0; begin < x->count; begin += TILE) {
    const int64_t n = x->count - begin < TILE ? x->count - begin : TILE;
    load_keys(x->dtype, x->data, begin, n, keys, nans);
    for (int64_t i = 0; i < n; ++i) {
      least = (int64_t)keys[i] < least ? (int64_t)keys[i] : least;
      most = (int64_t)keys[i] > most ? (int64_t)keys[i] : most;
    }
  }
  const uint64_t range = (uint64_t)most - (uint64_t)least;
  if (x->count == 0 || range >= 4 * (uint64_t)x->count + 1024) return true;
  map->least = least;
  map->range = (int64_t)range + 1;
  map->direct = run_scratch(run, (size_t)map->range * sizeof *map->direct);
  if (map->direct) memset(map->direct, 0, (size_t)map->range * sizeof *map->direct);
  return map->direct != NULL;
}

// Where the number of `key` stands, or is to stand.
static int64_t* map_find(key_map* map, uint64_t key) {
  if (map->range) return &map->direct[(int64_t)(key - (uint64_t)map->least)];
  const uint64_t mask = (uint64_t)map->capacity - 1;
  uint64_t at = mix(key) & mask;
  while (map->slots[at].number && map->slots[at].key != key) at = (at + 1) & mask;
  map->slots[at].key = key;
  return &map->slots[at].number;
}

// Numbers the elements of `x` into `idx`, and lists where each number comes first. Returns how many
// numbers there are, or -1.
static int64_t number_elements(run* run, const array* x, const array* idx, int64_t* firsts) {
  key_map map;
  uint64_t keys[TILE];
  bool nans[TILE];
  int64_t unique = 0;
  if (!map_begin(run, &map, x)) return -1;
  for (int64_t begin = 0; begin < x->count; begin += TILE) {
    const int64_t n = x->count - begin < TILE ? x->count - begin : TILE;
    if (!map_reserve(run, &map, unique + n)) return -1;
    load_keys(x->dtype, x->data, begin, n, keys, nans);
    if (!map.range)
      for (int64_t i = 0; i < n; ++i)
        __builtin_prefetch(&map.slots[mix(keys[i]) & ((uint64_t)map.capacity - 1)]);
    for (int64_t i = 0; i < n; ++i) {
      int64_t alone = 0, *number = nans[i] ? &alone : map_find(&map, keys[i]);
      if (!*number) {
        firsts[unique] = begin + i;
        *number = ++unique;
      }
      put_index(idx, begin + i, *number - 1);
    }
  }
  return unique;
}

// The same for rows and strings.
static int64_t number_rows(run* run, tn_dtype dtype, int64_t n, int64_t row, const char* data,
                           const array* idx, int64_t* firsts) {
  row_set set;
  int64_t unique = 0;
  const int64_t row_bytes = row * (int64_t)element_size(dtype);
  if (!set_begin(run, &set, dtype, row)) return -1;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t number = set_find(run, &set, data + i * row_bytes, unique);
    if (number < 0) return -1;
    if (number == unique) firsts[unique++] = i;
    put_index(idx, i, number);
  }
  return unique;
}

// What is made unique: `n` rows that follow each other, once dimension `axis` has come first.
typedef struct unique_rows {
  int axis;
  int64_t n, outer, inner;  // a row has outer * inner elements
  const char* data;
} unique_rows;

static bool gather_axis_first(run* run, const array* x, int axis, unique_rows* rows) {
  rows->axis = axis;
  rows->n = x->dims[axis];
  rows->outer = product(x->dims, 0, axis);
  rows->inner = product(x->dims, axis + 1, x->rank);
  rows->data = x->data;
  if (rows->outer == 1 || x->count == 0) return true;
  const int64_t size = (int64_t)element_size(x->dtype);
  char* moved = run_scratch(run, (size_t)(x->count * size));
  if (!moved) return false;
  // The headers of strings may be moved for a look at them; nobody frees the copies.
  const int64_t dims[] = {rows->n, rows->outer, rows->inner};
  const int64_t from[] = {rows->inner, rows->n * rows->inner, 1};
  const int64_t to[] = {rows->outer * rows->inner, rows->inner, 1};
  tn_cpu_move((size_t)size, 3, dims, x->data, from, moved, to, run->parallel);
  rows->data = moved;
  return true;
}

// Rows `firsts` of x along its dimension `axis`.
static void put_firsts(run* run, const array* x, const unique_rows* rows, const int64_t* firsts,
                       int64_t unique, const array* y) {
  if (y->count == 0) return;
  if (x->dtype != TN_STRING) {
    const tn_cpu_indices indices = {TN_INT64, 1, &rows->n, firsts, unique};
    tn_cpu_gather(&indices, 1, rows->outer, rows->inner * (int64_t)element_size(x->dtype), x->data,
                  y->data, run->parallel);
    return;
  }
  const int64_t part[] = {rows->outer, rows->inner};
  const int64_t from[] = {rows->n * rows->inner, 1}, to[] = {unique * rows->inner, 1};
  for (int64_t i = 0; i < unique; ++i)
    if (!move_elements(run, x->dtype, 2, part,
                       (place){element_at(x->dtype, x->data, firsts[i] * rows->inner), from},
                       (place){element_at(x->dtype, y->data, i * rows->inner), to}))
      return;
}

static void put_unique(run* run, const array* x, const unique_rows* rows, bool counts) {
  array y, idx, count;
  int64_t dims[TN_CPU_MAX_RANK];
  const int64_t row = rows->outer * rows->inner;
  int64_t* firsts = run_scratch(run, (size_t)rows->n * sizeof *firsts);
  if (!firsts || !run_output(run, 1, 1, &rows->n, &idx)) return;
  const int64_t unique = row == 1 && x->dtype != TN_STRING
                             ? number_elements(run, x, &idx, firsts)
                             : number_rows(run, x->dtype, rows->n, row, rows->data, &idx, firsts);
  if (unique < 0) return;
  memcpy(dims, x->dims, (size_t)x->rank * sizeof dims[0]);
  dims[rows->axis] = unique;
  if (!run_output(run, 0, x->rank, dims, &y)) return;
  put_firsts(run, x, rows, firsts, unique, &y);
  if (!counts || !run_output(run, 2, 1, &unique, &count)) return;
  for (int64_t i = 0; i < unique; ++i) put_index(&count, i, 0);
  for (int64_t i = 0; i < rows->n; ++i)
    put_index(&count, index_at(&idx, i), index_at(&count, index_at(&idx, i)) + 1);
}

static void unique(TF_OpKernelContext* context, const char* op, bool has_axis, bool counts) {
  run run;
  array x, axis_input = {.count = 0};
  unique_rows rows;
  int axis = 0;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &x) &&
      (!has_axis || (run_input(&run, 1, &axis_input) && check_vector(&run, "axis", &axis_input)))) {
    if ((axis_input.count > 0 ? read_axis(&run, "axis", &axis_input, x.rank, &axis)
                              : check_vector(&run, "x", &x)) &&
        gather_axis_first(&run, &x, axis, &rows))
      put_unique(&run, &x, &rows, counts);
  }
  run_end(&run);
}

static void unique_v1(void* state, TF_OpKernelContext* context) {
  unique(context, "Unique", false, false);
}
static void unique_v2(void* state, TF_OpKernelContext* context) {
  unique(context, "UniqueV2", true, false);
}
static void unique_counts(void* state, TF_OpKernelContext* context) {
  unique(context, "UniqueWithCounts", false, true);
}
static void unique_counts_v2(void* state, TF_OpKernelContext* context) {
  unique(context, "UniqueWithCountsV2", true, true);
}

// What of x is not in y.
static void list_diff(void* state, TF_OpKernelContext* context) {
  run run;
  array x, y, out, idx;
  row_set set;
  run_begin(&run, context, "ListDiff");
  if (run_input(&run, 0, &x) && run_input(&run, 1, &y) && check_vector(&run, "x", &x) &&
      check_vector(&run, "y", &y) && set_begin(&run, &set, x.dtype, 1)) {
    int64_t* kept = run_scratch(&run, (size_t)x.count * sizeof *kept);
    int64_t count = 0;
    for (int64_t i = 0; kept && i < y.count; ++i)
      if (set_find(&run, &set, element_at(y.dtype, y.data, i), i) == -2) break;
    for (int64_t i = 0; run_ok(&run) && i < x.count; ++i)
      if (set_find(&run, &set, element_at(x.dtype, x.data, i), -1) < 0) kept[count++] = i;
    if (run_output(&run, 0, 1, &count, &out) && run_output(&run, 1, 1, &count, &idx))
      for (int64_t i = 0; i < count && run_ok(&run); ++i) {
        put_index(&idx, i, kept[i]);
        move_dense(&run, x.dtype, 1, element_at(x.dtype, x.data, kept[i]),
                   element_at(x.dtype, out.data, i));
      }
  }
  run_end(&run);
}

void register_unique(void) {
  const tn_cpu_types types = TN_CPU_REALS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING);
  const kernel kernels[] = {
      {.op = "Unique", .compute = unique_v1, .constraints = {{"T", types}, {"out_idx", INDICES}}},
      {.op = "UniqueV2",
       .compute = unique_v2,
       .constraints = {{"T", types}, {"out_idx", INDICES}, {"Taxis", INDICES}}},
      {.op = "UniqueWithCounts",
       .compute = unique_counts,
       .constraints = {{"T", types}, {"out_idx", INDICES}}},
      {.op = "UniqueWithCountsV2",
       .compute = unique_counts_v2,
       .constraints = {{"T", types}, {"out_idx", INDICES}, {"Taxis", INDICES}}},
      {.op = "ListDiff", .compute = list_diff, .constraints = {{"T", types}, {"out_idx", INDICES}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
