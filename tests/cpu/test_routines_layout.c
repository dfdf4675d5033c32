// Moving, gathering and scattering against plain loops: strides of any sign, elements of any size
// at any address, on one thread and on a parallel-for that cuts work into odd ranges.

#include <stdlib.h>
#include <string.h>

#include "cpu/gather.h"
#include "cpu/layout.h"
#include "cpu/where.h"
#include "harness.h"

// Ranges of 1, 2, 3, ... units.
static void cut(void* pool, int64_t total, int64_t cost, void (*body)(void*, int64_t, int64_t),
                void* arg) {
  for (int64_t begin = 0, size = 1; begin < total; begin += size, ++size)
    body(arg, begin, begin + size < total ? begin + size : total);
}
static const tn_cpu_parallel cutting = {cut, NULL};

static const tn_cpu_parallel* any_threads(uint64_t* random) {
  return test_between(random, 0, 1) ? &cutting : NULL;
}

enum { MAX_RANK = 6 };

// Strides of an array whose dimensions lie in a random order, some with room between and some
// backwards; returns how many elements it spans, and where element [0, 0, ...] lies.
static int64_t random_strides(uint64_t* random, int rank, const int64_t* dims, int64_t* strides,
                              int64_t* first) {
  int order[MAX_RANK];
  int64_t span = 1;
  for (int i = 0; i < rank; ++i) order[i] = i;
  for (int i = rank - 1; i > 0; --i) {
    int j = (int)test_between(random, 0, i), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  *first = 0;
  for (int i = 0; i < rank; ++i) {
    const int d = order[i];
    strides[d] = span;
    span = span * dims[d] + test_between(random, 0, 5) / 5;
    if (test_between(random, 0, 4) == 0) {
      *first += (dims[d] - 1) * strides[d];
      strides[d] = -strides[d];
    }
  }
  return span;
}

static void check_move(uint64_t* random) {
  static const size_t sizes[] = {1, 2, 4, 8, 16, 3, 12, 24, 40};
  const size_t size = sizes[test_between(random, 0, 8)];
  const int rank = (int)test_between(random, 0, MAX_RANK);
  int64_t dims[MAX_RANK], in_strides[MAX_RANK], out_strides[MAX_RANK], in_first, out_first;
  int64_t count = 1;
  for (int i = 0; i < rank; ++i) {
    dims[i] = test_between(random, 0, 9) ? test_between(random, 1, 6) : test_between(random, 1, 90);
    if (count * dims[i] > 20000) dims[i] = 1;
    count *= dims[i];
  }
  const int64_t in_span = random_strides(random, rank, dims, in_strides, &in_first);
  const int64_t out_span = random_strides(random, rank, dims, out_strides, &out_first);
  if (rank && test_between(random, 0, 4) == 0) {
    const int d = (int)test_between(random, 0, rank - 1);
    in_first -= in_strides[d] < 0 ? -in_strides[d] * (dims[d] - 1) : 0;
    in_strides[d] = 0;  // repeats
  }
  const int64_t off = test_between(random, 0, 3);  // an odd address
  char* in = malloc((size_t)in_span * size + 8);
  char* out = calloc((size_t)out_span * size + 8, 1);
  char* expected = calloc((size_t)out_span * size + 8, 1);
  for (int64_t i = 0; i < in_span * (int64_t)size + 8; ++i)
    in[i] = (char)test_between(random, 1, 255);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, from = in_first, to = out_first;
    for (int d = rank - 1; d >= 0; rest /= dims[d--]) {
      from += rest % dims[d] * in_strides[d];
      to += rest % dims[d] * out_strides[d];
    }
    memcpy(expected + off + to * (int64_t)size, in + off + from * (int64_t)size, size);
  }
  tn_cpu_move(size, rank, dims, in + off + in_first * (int64_t)size, in_strides,
              out + off + out_first * (int64_t)size, out_strides, any_threads(random));
  CHECK(memcmp(out, expected, (size_t)out_span * size + 8) == 0);
  free(in);
  free(out);
  free(expected);
}

TEST(elements_move_between_arrays_of_any_strides) {
  uint64_t random = test_seed();
  for (int i = 0; i < 3000; ++i) check_move(&random);
}

TEST(large_planes_are_transposed_in_blocks) {
  enum { ROWS = 300, COLUMNS = 260 };
  static uint32_t in[ROWS * COLUMNS], out[ROWS * COLUMNS];
  for (uint32_t i = 0; i < ROWS * COLUMNS; ++i) in[i] = i;
  tn_cpu_transpose(4, 2, (const int64_t[]){ROWS, COLUMNS}, (const int[]){1, 0}, in, out, &cutting);
  int wrong = 0;
  for (uint32_t i = 0; i < ROWS; ++i)
    for (uint32_t j = 0; j < COLUMNS; ++j) wrong += out[j * ROWS + i] != i * COLUMNS + j;
  CHECK(wrong == 0);
}

TEST(padding_goes_around_whatever_the_rank) {
  const int64_t dims[] = {2, 2}, before[] = {1, 0}, after[] = {0, 2};
  const int16_t in[] = {1, 2, 3, 4}, value = 9;
  const int16_t expected[] = {9, 9, 9, 9, 1, 2, 9, 9, 3, 4, 9, 9};
  int16_t out[12] = {0};
  tn_cpu_pad(2, 2, dims, before, after, in, &value, out, &cutting);
  CHECK(memcmp(out, expected, sizeof out) == 0);
  int16_t vector[4] = {0};
  tn_cpu_pad(2, 1, dims, before, before, in, &value, vector, NULL);
  CHECK(memcmp(vector, (const int16_t[]){9, 1, 2, 9}, sizeof vector) == 0);
}

TEST(gather_names_the_first_bad_index_and_gives_zeros_for_it) {
  const int64_t dims[] = {3};
  const int16_t numbers[] = {2, -1, 0, 3};
  const tn_cpu_indices indices = {TN_INT16, 1, dims, numbers, 4};
  const int32_t in[] = {1, 2, 3, 4, 5, 6};
  int32_t out[8];
  memset(out, 7, sizeof out);
  CHECK(tn_cpu_gather(&indices, 1, 1, 8, in, out, &cutting) == 1);
  CHECK(memcmp(out, (const int32_t[]){5, 6, 0, 0, 1, 2, 0, 0}, sizeof out) == 0);
}

TEST(long_rows_are_gathered_in_pieces) {
  enum { ROW = 100000 };
  int32_t* in = malloc(2 * ROW * sizeof *in);
  int32_t* out = malloc(3 * ROW * sizeof *out);
  for (int i = 0; i < 2 * ROW; ++i) in[i] = i;
  const tn_cpu_indices indices = {TN_INT32, 1, (const int64_t[]){2}, (const int32_t[]){1, 0, 1}, 3};
  CHECK(tn_cpu_gather(&indices, 1, 1, ROW * 4, in, out, &cutting) == -1);
  CHECK(memcmp(out, in + ROW, ROW * 4) == 0 && memcmp(out + ROW, in, ROW * 4) == 0);
  CHECK(memcmp(out + 2 * ROW, in + ROW, ROW * 4) == 0);
  free(in);
  free(out);
}

TEST(scatter_adds_in_order_and_passes_over_bad_tuples) {
  const int64_t dims[] = {2, 2};
  const int64_t tuples[] = {0, 1, 1, 2, 0, 1, 1, 0};
  const tn_cpu_indices indices = {TN_INT64, 2, dims, tuples, 4};
  const uint8_t updates[] = {200, 9, 100, 5};
  uint8_t out[] = {1, 1, 1, 1};
  CHECK(tn_cpu_scatter(TN_CPU_SCATTER_ADD, TN_UINT8, &indices, 1, updates, out, &cutting) == 1);
  CHECK(memcmp(out, (const uint8_t[]){1, 45, 6, 1}, 4) == 0);
}

TEST(where_finds_nan_and_no_zero_across_blocks) {
  enum { ROWS = 7, COLUMNS = 9001 };
  static float in[ROWS * COLUMNS];
  static int64_t out[2 * 3];
  int64_t ends[(ROWS * COLUMNS + TN_CPU_WHERE_BLOCK - 1) / TN_CPU_WHERE_BLOCK];
  const int64_t dims[] = {ROWS, COLUMNS};
  in[5] = -0.0f;
  in[COLUMNS - 1] = 0.0f / 0.0f;
  in[3 * COLUMNS] = -2;
  in[ROWS * COLUMNS - 1] = 1e-45f;
  tn_cpu_where_count(TN_FLOAT, ROWS * COLUMNS, in, ends, &cutting);
  CHECK(ends[sizeof ends / sizeof ends[0] - 1] == 3);
  tn_cpu_where(TN_FLOAT, 2, dims, in, ends, out, &cutting);
  CHECK(memcmp(out, (const int64_t[]){0, COLUMNS - 1, 3, 0, ROWS - 1, COLUMNS - 1}, sizeof out) ==
        0);
}

// Outputs that are written past the caches, and such that are not quite made of whole lines.
TEST(large_parts_are_joined_row_by_row) {
  const int64_t widths[][3] = {{64, 192, 128}, {64, 196, 128}};
  for (int k = 0; k < 2; ++k) {
    const int64_t rows = 50000, all = widths[k][0] + widths[k][1] + widths[k][2];
    char* out = aligned_alloc(64, (size_t)((rows * all + 63) / 64 * 64));
    tn_cpu_part parts[3];
    for (int i = 0; i < 3; ++i) {
      char* data = malloc((size_t)(rows * widths[k][i]));
      for (int64_t j = 0; j < rows * widths[k][i]; ++j) data[j] = (char)(j * (7 + i) >> 3);
      parts[i] = (tn_cpu_part){data, widths[k][i]};
    }
    tn_cpu_concat(rows, parts, 3, out, &cutting);
    const char* at = out;
    for (int64_t row = 0; row < rows; ++row)
      for (int i = 0; i < 3; ++i, at += widths[k][i - 1])
        CHECK(memcmp(at, (const char*)parts[i].data + row * widths[k][i], (size_t)widths[k][i]) ==
              0);
    for (int i = 0; i < 3; ++i) free((void*)parts[i].data);
    free(out);
  }
}
