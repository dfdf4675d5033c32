// Rows dealt out and put back: DynamicPartition, DynamicStitch.

#include <stdlib.h>
#include <string.h>

#include "moving.h"

static bool starts_with(const array* data, const array* prefix) {
  return data->rank >= prefix->rank &&
         memcmp(data->dims, prefix->dims, (size_t)prefix->rank * sizeof data->dims[0]) == 0;
}

// How many rows go to each of `count` partitions.
static bool count_partitions(run* run, const array* partitions, int count, int64_t* sizes) {
  memset(sizes, 0, (size_t)count * sizeof *sizes);
  for (int64_t i = 0; i < partitions->count; ++i) {
    const int64_t to = index_at(partitions, i);
    if (to < 0 || to >= count) {
      run_fail(run, TF_INVALID_ARGUMENT, "partitions[%lld] is %lld, and must be in [0, %d)",
               (long long)i, (long long)to, count);
      return false;
    }
    ++sizes[to];
  }
  return true;
}

static void deal_rows(run* run, const array* data, const array* partitions, int count,
                      const int64_t* sizes, char** ends) {
  int64_t dims[TN_CPU_MAX_RANK + 1];
  const int rank = 1 + data->rank - partitions->rank;
  const int64_t row = product(data->dims, partitions->rank, data->rank);
  const size_t bytes = (size_t)row * element_size(data->dtype);
  memcpy(dims + 1, data->dims + partitions->rank, (size_t)(rank - 1) * sizeof dims[0]);
  for (int i = 0; i < count; ++i) {
    array output;
    dims[0] = sizes[i];
    if (!run_output(run, i, rank, dims, &output)) return;
    ends[i] = output.data;
  }
  const char* from = data->data;
  for (int64_t i = 0; i < partitions->count && bytes > 0; ++i, from += bytes) {
    char** to = &ends[index_at(partitions, i)];
    if (data->dtype != TN_STRING) {
      memcpy(*to, from, bytes);
    } else if (!move_dense(run, TN_STRING, row, from, *to)) {
      return;
    }
    *to += bytes;
  }
}

static void dynamic_partition(void* state, TF_OpKernelContext* context) {
  run run;
  array data, partitions;
  run_begin(&run, context, "DynamicPartition");
  const int count = TF_NumOutputs(context);
  int64_t* sizes = run_scratch(&run, (size_t)count * sizeof *sizes);
  char** ends = run_scratch(&run, (size_t)count * sizeof *ends);
  if (ends && run_input(&run, 0, &data) && run_input(&run, 1, &partitions)) {
    char text[SHAPE_TEXT], data_text[SHAPE_TEXT];
    if (!starts_with(&data, &partitions)) {
      run_fail(&run, TF_INVALID_ARGUMENT,
               "the shape of data, %s, must begin with that of partitions, %s",
               shape_text(data.rank, data.dims, data_text),
               shape_text(partitions.rank, partitions.dims, text));
    } else if (check_output_rank(&run, 1 + data.rank - partitions.rank) &&
               count_partitions(&run, &partitions, count, sizes)) {
      deal_rows(&run, &data, &partitions, count, sizes, ends);
    }
  }
  run_end(&run);
}

// Data `i` and its indices: the dimensions after those of indices are a row, like that of the
// others.
static bool check_stitched(run* run, int i, const array* indices, const array* data,
                           const array* first_indices, const array* first) {
  char text[SHAPE_TEXT], indices_text[SHAPE_TEXT];
  const int row_rank = first->rank - first_indices->rank;
  if (starts_with(data, indices) && data->rank - indices->rank == row_rank &&
      memcmp(data->dims + indices->rank, first->dims + first_indices->rank,
             (size_t)row_rank * sizeof data->dims[0]) == 0)
    return true;
  run_fail(run, TF_INVALID_ARGUMENT,
           "data[%d] of shape %s must have the dimensions of indices[%d], %s, then those that are "
           "left of data[0]",
           i, shape_text(data->rank, data->dims, text), i,
           shape_text(indices->rank, indices->dims, indices_text));
  return false;
}

static bool find_largest(run* run, int i, const array* indices, int64_t* largest) {
  for (int64_t j = 0; j < indices->count; ++j) {
    const int64_t index = index_at(indices, j);
    if (index < 0) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "a number of indices[%d] is %lld, and must not be negative", i, (long long)index);
      return false;
    }
    if (index > *largest) *largest = index;
  }
  return true;
}

static bool put_rows(run* run, const array* indices, const array* data, int64_t row,
                     const array* merged) {
  const size_t bytes = (size_t)row * element_size(data->dtype);
  for (int64_t j = 0; j < indices->count && bytes > 0; ++j) {
    const char* from = element_at(data->dtype, data->data, j * row);
    char* to = element_at(data->dtype, merged->data, index_at(indices, j) * row);
    if (data->dtype != TN_STRING) {
      memcpy(to, from, bytes);
    } else if (!move_dense(run, TN_STRING, row, from, to)) {
      return false;
    }
  }
  return true;
}

// Whether each of `rows` rows is given; false also when there is no memory to find out.
static bool gives_each(run* run, int count, int64_t rows) {
  unsigned char* given = calloc((size_t)rows + 1, 1);
  int64_t found = 0;
  array indices;
  for (int i = 0; given && i < count && run_input(run, i, &indices); ++i)
    for (int64_t j = 0; j < indices.count; ++j) {
      unsigned char* one = &given[index_at(&indices, j)];
      found += !*one;
      *one = 1;
    }
  free(given);
  return found == rows;
}

static void dynamic_stitch(void* state, TF_OpKernelContext* context) {
  static const char zeros[16];
  run run;
  array first_indices, first, indices, data, merged;
  int64_t dims[TN_CPU_MAX_RANK + 1], largest = -1, rows = 0;
  run_begin(&run, context, "DynamicStitch");
  const int count = TF_NumInputs(context) / 2;
  if (run_input(&run, 0, &first_indices) && run_input(&run, count, &first)) {
    for (int i = 0;
         i < count && run_input(&run, i, &indices) && run_input(&run, count + i, &data) &&
         check_stitched(&run, i, &indices, &data, &first_indices, &first) &&
         find_largest(&run, i, &indices, &largest);
         ++i)
      rows += indices.count;
    const int rank = 1 + first.rank - first_indices.rank;
    if (run_ok(&run) && check_output_rank(&run, rank)) {
      dims[0] = largest + 1;
      memcpy(dims + 1, first.dims + first_indices.rank, (size_t)(rank - 1) * sizeof dims[0]);
      const int64_t row = product(dims, 1, rank);
      if (check_output_dims(&run, rank, dims) && run_output(&run, 0, rank, dims, &merged)) {
        // There may be rows that nobody gives, and others that several do.
        if (first.dtype != TN_STRING && (rows < dims[0] || !gives_each(&run, count, dims[0])))
          fill_elements(&run, first.dtype, merged.count, zeros, merged.data);
        for (int i = 0;
             i < count && run_input(&run, i, &indices) && run_input(&run, count + i, &data) &&
             put_rows(&run, &indices, &data, row, &merged);
             ++i)
          continue;
      }
    }
  }
  run_end(&run);
}

void register_partition(void) {
  const kernel kernels[] = {
      {.op = "DynamicPartition", .compute = dynamic_partition, .constraints = {{"T", MOVABLE}}},
      {.op = "DynamicStitch",
       .compute = dynamic_stitch,
       .constraints = {{"T", MOVABLE}},
       .host_args = {"indices"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
