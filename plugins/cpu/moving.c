#include "moving.h"

#include "strings.h"

size_t element_size(tn_dtype dtype) {
  return dtype == TN_STRING ? sizeof(TF_TString) : TF_DataTypeSize((TF_DataType)dtype);
}

void* element_at(tn_dtype dtype, const void* data, int64_t i) {
  return (char*)data + i * (int64_t)element_size(dtype);
}

static bool move_strings(run* run, int rank, const int64_t* dims, place from, place to) {
  int64_t index[2 * TN_CPU_MAX_RANK] = {0};
  const TF_TString* source = from.data;
  TF_TString* target = to.data;
  for (int i = 0; i < rank; ++i)
    if (dims[i] == 0) return true;
  for (;;) {
    if (!copy_string(run, target, source)) return false;
    int i = rank - 1;
    for (; i >= 0; --i) {
      source += from.strides[i];
      target += to.strides[i];
      if (++index[i] < dims[i]) break;
      source -= from.strides[i] * dims[i];
      target -= to.strides[i] * dims[i];
      index[i] = 0;
    }
    if (i < 0) return true;
  }
}

bool move_elements(run* run, tn_dtype dtype, int rank, const int64_t* dims, place from, place to) {
  if (!run_ok(run)) return false;
  if (dtype == TN_STRING) return move_strings(run, rank, dims, from, to);
  tn_cpu_move(element_size(dtype), rank, dims, from.data, from.strides, to.data, to.strides,
              run->parallel);
  return true;
}

bool move_dense(run* run, tn_dtype dtype, int64_t count, const void* from, void* to) {
  const int64_t stride = 1;
  return move_elements(run, dtype, 1, &count, (place){(void*)from, &stride}, (place){to, &stride});
}

bool fill_elements(run* run, tn_dtype dtype, int64_t count, const void* value, void* to) {
  const int64_t same = 0, next = 1;
  return move_elements(run, dtype, 1, &count, (place){(void*)value, &same}, (place){to, &next});
}

bool read_vector(run* run, const char* name, const array* input, int64_t* out) {
  char text[SHAPE_TEXT];
  if (input->rank > 1 || input->count > TN_CPU_MAX_RANK) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "input %s must be a vector of at most %d numbers, not of shape %s", name,
             TN_CPU_MAX_RANK, shape_text(input->rank, input->dims, text));
    return false;
  }
  for (int64_t i = 0; i < input->count; ++i) out[i] = index_at(input, i);
  return true;
}

bool check_vector(run* run, const char* name, const array* input) {
  char text[SHAPE_TEXT];
  if (input->rank == 1) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "input %s must be a vector (rank 1), not of shape %s", name,
           shape_text(input->rank, input->dims, text));
  return false;
}

bool check_axis(run* run, const char* name, int64_t value, int rank, int* out) {
  if (value < -rank || value >= rank) {
    run_fail(run, TF_INVALID_ARGUMENT, "%s is %lld, and must be in [%d, %d)", name,
             (long long)value, -rank, rank);
    return false;
  }
  *out = (int)(value < 0 ? value + rank : value);
  return true;
}

bool read_axis(run* run, const char* name, const array* input, int rank, int* out) {
  char text[SHAPE_TEXT];
  if (input->count != 1) {
    run_fail(run, TF_INVALID_ARGUMENT, "input %s must be a single number, not of shape %s", name,
             shape_text(input->rank, input->dims, text));
    return false;
  }
  return check_axis(run, name, index_at(input, 0), rank, out);
}

bool check_output_rank(run* run, int rank) {
  if (rank <= TN_CPU_MAX_RANK) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "the output would have rank %d, and %d is the most", rank,
           TN_CPU_MAX_RANK);
  return false;
}

bool check_output_dims(run* run, int rank, const int64_t* dims) {
  char text[SHAPE_TEXT];
  int64_t count;
  if (count_elements(rank, dims, &count)) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "the output's shape %s has too many elements",
           shape_text(rank, dims, text));
  return false;
}

int64_t product(const int64_t* dims, int begin, int end) {
  int64_t result = 1;
  for (int i = begin; i < end; ++i) result *= dims[i];
  return result;
}

void put_index(const array* output, int64_t i, int64_t value) {
  if (output->dtype == TN_INT32) {
    ((int32_t*)output->data)[i] = (int32_t)value;
  } else {
    ((int64_t*)output->data)[i] = value;
  }
}
