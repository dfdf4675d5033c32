// Arrays made from a few numbers: Fill, OneHot, Range, LinSpace.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/elementwise.h"
#include "moving.h"
#include "strings.h"

// A single element; a vector of one counts as one where TensorFlow has always let it pass.
static bool check_scalar(run* run, const char* name, const array* input, bool vector_of_one) {
  char text[SHAPE_TEXT];
  if (input->rank == 0 || (vector_of_one && input->rank == 1 && input->count == 1)) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "input %s must be a scalar, not of shape %s", name,
           shape_text(input->rank, input->dims, text));
  return false;
}

static void fill(void* state, TF_OpKernelContext* context) {
  run run;
  array dims_input, value, output;
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin(&run, context, "Fill");
  if (run_input(&run, 0, &dims_input) && run_input(&run, 1, &value) &&
      read_vector(&run, "dims", &dims_input, dims) && check_scalar(&run, "value", &value, true)) {
    for (int i = 0; i < dims_input.count; ++i)
      if (dims[i] < 0)
        run_fail(&run, TF_INVALID_ARGUMENT, "dims[%d] is %lld, and must not be negative", i,
                 (long long)dims[i]);
    if (run_ok(&run) && check_output_dims(&run, (int)dims_input.count, dims) &&
        run_output(&run, 0, (int)dims_input.count, dims, &output))
      fill_elements(&run, value.dtype, output.count, value.data, output.data);
  }
  run_end(&run);
}

static void* one_hot_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "OneHot");
  const int64_t axis = attr_int(&attrs, "axis");
  return attrs_end(&attrs, &axis, sizeof axis);
}

typedef struct one_hot_job {
  run* run;
  const array *indices, *on, *off, *output;
  int64_t depth, suffix;  // of the output's shape [prefix, depth, suffix]
} one_hot_job;

// The off values of some prefixes, then the on values among them.
static void put_one_hot(void* arg, int64_t begin, int64_t end) {
  const one_hot_job* job = arg;
  const tn_dtype dtype = job->output->dtype;
  const int64_t block = job->depth * job->suffix;
  const size_t size = element_size(dtype);
  void* first = element_at(dtype, job->output->data, begin * block);
  if (dtype == TN_STRING) {
    fill_elements(job->run, dtype, (end - begin) * block, job->off->data, first);
  } else {
    tn_cpu_fill(size, (end - begin) * block, job->off->data, first, NULL);
  }
  for (int64_t i = begin * job->suffix; i < end * job->suffix; ++i) {
    const int64_t index = index_at(job->indices, i);
    if (index < 0 || index >= job->depth) continue;
    const int64_t at = i / job->suffix * block + index * job->suffix + i % job->suffix;
    void* to = element_at(dtype, job->output->data, at);
    if (dtype != TN_STRING) {
      memcpy(to, job->on->data, size);
    } else if (!copy_string(job->run, to, job->on->data)) {
      return;
    }
  }
}

static void one_hot(void* state, TF_OpKernelContext* context) {
  run run;
  array indices, depth_input, on, off, output;
  int64_t axis = *(int64_t*)state, dims[TN_CPU_MAX_RANK + 1];
  run_begin(&run, context, "OneHot");
  if (run_input(&run, 0, &indices) && run_input(&run, 1, &depth_input) && run_input(&run, 2, &on) &&
      run_input(&run, 3, &off) && check_output_rank(&run, indices.rank + 1) &&
      check_scalar(&run, "depth", &depth_input, false) &&
      check_scalar(&run, "on_value", &on, false) && check_scalar(&run, "off_value", &off, false)) {
    const int64_t depth = index_at(&depth_input, 0);
    if (axis < -1 || axis > indices.rank)
      run_fail(&run, TF_INVALID_ARGUMENT, "axis is %lld, and must be -1 or in [0, %d]",
               (long long)axis, indices.rank);
    if (depth < 0)
      run_fail(&run, TF_INVALID_ARGUMENT, "depth is %lld, and must not be negative",
               (long long)depth);
    if (axis == -1) axis = indices.rank;
    int64_t prefix = 1;
    for (int i = 0; i <= indices.rank && run_ok(&run); ++i) {
      dims[i] = i == axis ? depth : indices.dims[i < axis ? i : i - 1];
      if (i < axis) prefix *= dims[i];
    }
    if (run_ok(&run) && check_output_dims(&run, indices.rank + 1, dims) &&
        run_output(&run, 0, indices.rank + 1, dims, &output) && output.count > 0) {
      one_hot_job job = {&run, &indices, &on, &off, &output, depth, indices.count / prefix};
      const int64_t bytes = output.count / prefix * (int64_t)element_size(on.dtype);
      if (on.dtype == TN_STRING) {
        put_one_hot(&job, 0, prefix);
      } else {
        run.parallel->run(run.parallel->pool, prefix, bytes / 8 + 10, put_one_hot, &job);
      }
    }
  }
  run_end(&run);
}

// The arguments of Range as the wider of what they can be.
typedef struct range_values {
  int64_t integers[3];
  double reals[3];
} range_values;
enum { START, LIMIT, DELTA };

static double real_at(const array* number) {
  switch (number->dtype) {
    case TN_FLOAT: return *(const float*)number->data;
    case TN_DOUBLE: return *(const double*)number->data;
    default: {
      float value;
      tn_cpu_cast(number->dtype, TN_FLOAT, false, 1, number->data, &value, NULL);
      return value;
    }
  }
}

static float rounded(tn_dtype dtype, float value) {
  uint16_t number;
  if (dtype == TN_FLOAT) return value;
  tn_cpu_cast(TN_FLOAT, dtype, false, 1, &value, &number, NULL);
  tn_cpu_cast(dtype, TN_FLOAT, false, 1, &number, &value, NULL);
  return value;
}

// How many numbers there are from start up (or down) to limit; the reals' count is computed in
// their own type.
static bool range_count(run* run, tn_dtype dtype, const range_values* values, int64_t* out) {
  const bool is_integer = dtype == TN_INT32 || dtype == TN_INT64;
  const int64_t* whole = values->integers;
  const double* real = values->reals;
  const bool zero = is_integer ? whole[DELTA] == 0 : real[DELTA] == 0;
  const bool up = is_integer ? whole[DELTA] > 0 : real[DELTA] > 0;
  const bool ordered = is_integer
                           ? (up ? whole[START] <= whole[LIMIT] : whole[START] >= whole[LIMIT])
                           : (up ? real[START] <= real[LIMIT] : real[START] >= real[LIMIT]);
  if (zero || !ordered) {
    run_fail(run, TF_INVALID_ARGUMENT,
             zero ? "delta is 0" : "limit cannot be reached from start in steps of delta");
    return false;
  }
  if (is_integer) {
    const uint64_t low = (uint64_t)whole[up ? START : LIMIT];
    const uint64_t length = (uint64_t)whole[up ? LIMIT : START] - low;
    const uint64_t step = up ? (uint64_t)whole[DELTA] : 0 - (uint64_t)whole[DELTA];
    const uint64_t count = length / step + (length % step != 0);
    *out = count > INT64_MAX ? INT64_MAX : (int64_t)count;
  } else {
    const double steps =
        dtype == TN_DOUBLE
            ? (real[LIMIT] - real[START]) / real[DELTA]
            : rounded(dtype,
                      rounded(dtype, (float)real[LIMIT] - (float)real[START]) / (float)real[DELTA]);
    const double count = ceil(fabs(steps));
    *out = count < 0x1p63 ? (int64_t)count : INT64_MAX;
  }
  return check_output_dims(run, 1, out);
}

// Half and bfloat16 round after each operation, as their arithmetic does.
static void put_small_floats(tn_dtype dtype, int64_t begin, int64_t end, float start, float delta,
                             uint16_t* out) {
  enum { TILE = 256 };
  for (; begin < end; begin += TILE) {
    const int64_t n = end - begin < TILE ? end - begin : TILE;
    float tile[TILE];
    for (int64_t i = 0; i < n; ++i) tile[i] = (float)(begin + i);
    for (int step = 0; step < 3; ++step) {
      for (int64_t i = 0; i < n && step > 0; ++i)
        tile[i] = step == 1 ? tile[i] * delta : tile[i] + start;
      tn_cpu_cast(TN_FLOAT, dtype, false, n, tile, out + begin, NULL);
      tn_cpu_cast(dtype, TN_FLOAT, false, n, out + begin, tile, NULL);
    }
  }
}

typedef struct range_job {
  const array* output;
  const range_values* values;
} range_job;

static void put_range(void* arg, int64_t begin, int64_t end) {
  const range_job* job = arg;
  void* out = job->output->data;
  const int64_t* whole = job->values->integers;
  const double* real = job->values->reals;
  const float start = (float)real[START], delta = (float)real[DELTA];
  switch (job->output->dtype) {
    case TN_FLOAT:
      for (int64_t i = begin; i < end; ++i) ((float*)out)[i] = start + (float)i * delta;
      break;
    case TN_DOUBLE:
      for (int64_t i = begin; i < end; ++i)
        ((double*)out)[i] = real[START] + (double)i * real[DELTA];
      break;
    case TN_INT32:
      for (int64_t i = begin; i < end; ++i)
        ((uint32_t*)out)[i] = (uint32_t)whole[START] + (uint32_t)i * (uint32_t)whole[DELTA];
      break;
    case TN_INT64:
      for (int64_t i = begin; i < end; ++i)
        ((uint64_t*)out)[i] = (uint64_t)whole[START] + (uint64_t)i * (uint64_t)whole[DELTA];
      break;
    default: put_small_floats(job->output->dtype, begin, end, start, delta, out);
  }
}

static void range(void* state, TF_OpKernelContext* context) {
  static const char* const names[] = {"start", "limit", "delta"};
  run run;
  array input, output;
  range_values values = {{0}, {0}};
  int64_t count;
  run_begin(&run, context, "Range");
  for (int i = 0; i < 3 && run_input(&run, i, &input) && check_scalar(&run, names[i], &input, true);
       ++i) {
    if (input.dtype == TN_INT32 || input.dtype == TN_INT64) {
      values.integers[i] = index_at(&input, 0);
    } else {
      values.reals[i] = real_at(&input);
    }
  }
  if (run_ok(&run) && range_count(&run, input.dtype, &values, &count) &&
      run_output(&run, 0, 1, &count, &output))
    run.parallel->run(run.parallel->pool, count, 1, put_range, &(range_job){&output, &values});
  run_end(&run);
}

static void lin_space(void* state, TF_OpKernelContext* context) {
  run run;
  array start, stop, num, output;
  run_begin(&run, context, "LinSpace");
  if (run_input(&run, 0, &start) && run_input(&run, 1, &stop) && run_input(&run, 2, &num) &&
      check_scalar(&run, "start", &start, false) && check_scalar(&run, "stop", &stop, false) &&
      check_scalar(&run, "num", &num, false)) {
    const int64_t count = index_at(&num, 0);
    if (count <= 0)
      run_fail(&run, TF_INVALID_ARGUMENT, "num is %lld, and must be positive", (long long)count);
    if (run_ok(&run) && check_output_dims(&run, 1, &count) &&
        run_output(&run, 0, 1, &count, &output)) {
      if (start.dtype == TN_FLOAT) {
        const float first = *(float*)start.data, last = *(float*)stop.data;
        const float step = (last - first) / (float)(count - 1);
        for (int64_t i = 0; i < count; ++i) ((float*)output.data)[i] = first + step * (float)i;
        ((float*)output.data)[count - 1] = count > 1 ? last : first;
      } else {
        const double first = *(double*)start.data, last = *(double*)stop.data;
        const double step = (last - first) / (double)(count - 1);
        for (int64_t i = 0; i < count; ++i) ((double*)output.data)[i] = first + step * (double)i;
        ((double*)output.data)[count - 1] = count > 1 ? last : first;
      }
      // A step of infinity times 0 is no number.
      move_dense(&run, start.dtype, 1, start.data, output.data);
    }
  }
  run_end(&run);
}

void register_fill(void) {
  const tn_cpu_types small = TN_CPU_TYPE(TN_INT8) | TN_CPU_TYPE(TN_UINT8);
  const kernel kernels[] = {
      {.op = "Fill",
       .compute = fill,
       .constraints = {{"T", MOVABLE}, {"index_type", INDICES}},
       .host_args = {"dims"}},
      {.op = "OneHot",
       .create = one_hot_create,
       .compute = one_hot,
       .destroy = free,
       .constraints = {{"T", MOVABLE}, {"TI", INDICES | small}},
       .host_args = {"depth"}},
      {.op = "Range",
       .compute = range,
       .constraints = {{"Tidx", INDICES | TN_CPU_FLOATS}},
       .host_args = {"start", "limit", "delta"}},
      {.op = "LinSpace",
       .compute = lin_space,
       .constraints = {{"T", TN_CPU_TYPE(TN_FLOAT) | TN_CPU_TYPE(TN_DOUBLE)}, {"Tidx", INDICES}},
       .host_args = {"start", "stop", "num", "output"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
