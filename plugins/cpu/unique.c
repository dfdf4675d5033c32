// Unique, UniqueV2, UniqueWithCounts, UniqueWithCountsV2, ListDiff, Where.

#include <string.h>

#include "cpu/where.h"
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

// What is made unique: `n` rows that follow each other, once dimension `axis` has come first.
typedef struct unique_rows {
  int axis;
  int64_t n, row, outer, inner;  // row = outer * inner elements
  const char* data;
} unique_rows;

static bool gather_axis_first(run* run, const array* x, int axis, unique_rows* rows) {
  rows->axis = axis;
  rows->n = x->dims[axis];
  rows->outer = product(x->dims, 0, axis);
  rows->inner = product(x->dims, axis + 1, x->rank);
  rows->row = rows->outer * rows->inner;
  rows->data = x->data;
  if (rows->outer == 1 || x->count == 0) return true;
  const int64_t size = (int64_t)element_size(x->dtype);
  char* moved = run_scratch(run, (size_t)(x->count * size));
  if (!moved) return false;
  // The headers of strings may be moved for a look at them; nobody frees the copies.
  const int64_t dims[] = {rows->n, rows->outer, rows->inner};
  const int64_t from[] = {rows->inner, rows->n * rows->inner, 1};
  const int64_t to[] = {rows->row, rows->inner, 1};
  tn_cpu_move((size_t)size, 3, dims, x->data, from, moved, to, run->parallel);
  rows->data = moved;
  return true;
}

static void put_unique(run* run, const array* x, const unique_rows* rows, bool counts) {
  array y, idx, count;
  row_set set;
  int64_t unique = 0, dims[TN_CPU_MAX_RANK];
  const int64_t row_bytes = rows->row * (int64_t)element_size(x->dtype);
  int64_t* firsts = run_scratch(run, (size_t)rows->n * sizeof *firsts);
  if (!firsts || !set_begin(run, &set, x->dtype, rows->row) ||
      !run_output(run, 1, 1, &rows->n, &idx))
    return;
  for (int64_t i = 0; i < rows->n; ++i) {
    const int64_t number = set_find(run, &set, rows->data + i * row_bytes, unique);
    if (number < 0) return;
    if (number == unique) firsts[unique++] = i;
    put_index(&idx, i, number);
  }
  memcpy(dims, x->dims, (size_t)x->rank * sizeof dims[0]);
  dims[rows->axis] = unique;
  if (!run_output(run, 0, x->rank, dims, &y)) return;
  for (int64_t i = 0; i < unique && rows->row > 0; ++i) {
    const int64_t part[] = {rows->outer, rows->inner};
    const int64_t from[] = {rows->n * rows->inner, 1}, to[] = {unique * rows->inner, 1};
    if (!move_elements(run, x->dtype, 2, part,
                       (place){element_at(x->dtype, x->data, firsts[i] * rows->inner), from},
                       (place){element_at(x->dtype, y.data, i * rows->inner), to}))
      return;
  }
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

static void where(void* state, TF_OpKernelContext* context) {
  run run;
  array input, index;
  run_begin(&run, context, "Where");
  if (run_input(&run, 0, &input) && input.rank == 0)
    run_fail(&run, TF_INVALID_ARGUMENT, "input input is a scalar, which has no coordinates");
  if (run_ok(&run)) {
    const int64_t blocks = (input.count + TN_CPU_WHERE_BLOCK - 1) / TN_CPU_WHERE_BLOCK;
    int64_t* ends = run_scratch(&run, (size_t)blocks * sizeof *ends);
    if (ends) {
      tn_cpu_where_count(input.dtype, input.count, input.data, ends, run.parallel);
      const int64_t dims[] = {blocks ? ends[blocks - 1] : 0, input.rank};
      if (run_output(&run, 0, 2, dims, &index))
        tn_cpu_where(input.dtype, input.rank, input.dims, input.data, ends, index.data,
                     run.parallel);
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
      {.op = "Where",
       .compute = where,
       .constraints = {{"T", TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL)}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
