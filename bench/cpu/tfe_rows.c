// tfe_rows PLUGIN LIBRARY...: a host in a process of its own. Reads a row's number a line, times
// the row for about 20 ms, and answers with nanoseconds of one call, from TFE_NewOp to
// TFE_DeleteOp. PLUGIN may be "-".

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cpu/rows.h"
#include "tfe.h"

enum { MAX_INPUTS = 16, MAX_DIMS = 8, MAX_ATTRS = 8 };

typedef struct attr {
  char kind, name[64], text[64];
  int64_t numbers[MAX_DIMS];
  int count;  // of numbers
  TF_DataType type;
} attr;

typedef struct job {
  const row* row;
  TFE_Context* context;
  TF_Status* status;
  TFE_TensorHandle* inputs[MAX_INPUTS];
  bool in_list[MAX_INPUTS];
  int count;
  attr attrs[MAX_ATTRS];
  int attr_count;
} job;

static void bad_row(const row* row, const char* where) {
  fprintf(stderr, "bench: row '%s' has a mistake at '%s'\n", row->name, where);
  exit(1);
}

typedef struct type {
  const char* name;
  TF_DataType dtype;
  size_t size;
} type;

static const type* read_type(const row* row, const char** text) {
  static const type types[] = {
      {"f32", TF_FLOAT, 4}, {"f64", TF_DOUBLE, 8}, {"f16", TF_HALF, 2}, {"bf16", TF_BFLOAT16, 2},
      {"i32", TF_INT32, 4}, {"i64", TF_INT64, 8},  {"u8", TF_UINT8, 1}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    if (strncmp(*text, types[i].name, strlen(types[i].name)) == 0) {
      *text += strlen(types[i].name);
      return &types[i];
    }
  bad_row(row, *text);
  return NULL;
}

static int read_numbers(const char** text, int64_t* out) {
  int count = 0;
  do {
    if (**text == ',') ++*text;
    out[count++] = strtoll(*text, (char**)text, 10);
  } while (**text == ',' && count < MAX_DIMS);
  return count;
}

static uint64_t next_random(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// Floats between -4 and 4, or 0 and 4 when they are to be positive.
static void fill(void* data, const type* type, int64_t count, bool positive, int64_t below) {
  for (int64_t i = 0; i < count; ++i) {
    double unit = (double)(next_random() >> 11) * 0x1p-53;
    float number = (float)(positive ? 4 * unit : 8 * unit - 4);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (type->dtype == TF_FLOAT) ((float*)data)[i] = number;
    if (type->dtype == TF_BFLOAT16) ((uint16_t*)data)[i] = (uint16_t)(bits >> 16);
    if (type->dtype == TF_UINT8) ((uint8_t*)data)[i] = (uint8_t)((double)below * unit);
    if (type->dtype == TF_INT32) ((int32_t*)data)[i] = (int32_t)((double)below * unit);
  }
}

static TF_Tensor* read_input(const row* row, const char** text) {
  const bool positive = **text == '+';
  if (positive) ++*text;
  const type* type = read_type(row, text);
  int64_t numbers[MAX_DIMS], count = 1, below = 0;
  const char kind = *(*text)++;
  int rank = read_numbers(text, numbers);
  if (kind == '=') {
    const bool scalar = **text == '!';
    if (scalar) ++*text;
    const int64_t dims[] = {rank};
    TF_Tensor* made =
        host.TF_AllocateTensor(type->dtype, dims, scalar ? 0 : 1, (size_t)rank * type->size);
    for (int i = 0; i < rank; ++i) ((int32_t*)host.TF_TensorData(made))[i] = (int32_t)numbers[i];
    return made;
  }
  if (kind != '[' || *(*text)++ != ']') bad_row(row, *text);
  if (**text == '<') {
    ++*text;
    below = strtoll(*text, (char**)text, 10);
  }
  for (int i = 0; i < rank; ++i) count *= numbers[i];
  TF_Tensor* made = host.TF_AllocateTensor(type->dtype, numbers, rank, (size_t)count * type->size);
  fill(host.TF_TensorData(made), type, count, positive, below);
  return made;
}

static void make_inputs(job* job) {
  bool in_list = false;
  for (const char* text = job->row->inputs; *text;) {
    if (*text == ' ') {
      ++text;
    } else if (*text == '{' || *text == '}') {
      in_list = *text++ == '{';
    } else {
      TF_Tensor* tensor = read_input(job->row, &text);
      job->in_list[job->count] = in_list;
      job->inputs[job->count++] = host.TFE_NewTensorHandle(tensor, job->status);
      host.TF_DeleteTensor(tensor);
      tfe_expect_ok(job->status, job->row->name);
    }
  }
}

// Read once, so that what is timed is a program that knows its attributes.
static void read_attrs(job* job) {
  job->attr_count = 0;
  for (const char* text = job->row->attrs; *text; ++job->attr_count) {
    if (job->attr_count == MAX_ATTRS) bad_row(job->row, text);
    attr* attr = &job->attrs[job->attr_count];
    int length = 0;
    attr->kind = *text;
    if (sscanf(text, "%*c:%63[^=]=%63[^ ]%n", attr->name, attr->text, &length) != 2)
      bad_row(job->row, text);
    text += length + (text[length] == ' ');
    const char* from = attr->text;
    if (strchr("biI", attr->kind)) attr->count = read_numbers(&from, attr->numbers);
    if (attr->kind == 't') attr->type = read_type(job->row, &from)->dtype;
  }
}

static void set_attr(TFE_Op* op, const attr* attr) {
  if (attr->kind == 'b') {
    host.TFE_OpSetAttrBool(op, attr->name, attr->numbers[0] == 1);
  } else if (attr->kind == 'i') {
    host.TFE_OpSetAttrInt(op, attr->name, attr->numbers[0]);
  } else if (attr->kind == 'I') {
    host.TFE_OpSetAttrIntList(op, attr->name, attr->numbers, attr->count);
  } else if (attr->kind == 's') {
    host.TFE_OpSetAttrString(op, attr->name, attr->text, strlen(attr->text));
  } else {
    host.TFE_OpSetAttrType(op, attr->name, attr->type);
  }
}

__attribute__((noinline)) static bool run_once(job* job) {
  TFE_Op* op = host.TFE_NewOp(job->context, job->row->op, job->status);
  for (int i = 0; i < job->count;) {
    int end = i;
    while (end < job->count && job->in_list[end]) ++end;
    if (end > i) {
      host.TFE_OpAddInputList(op, job->inputs + i, end - i, job->status);
      i = end;
    } else {
      host.TFE_OpAddInput(op, job->inputs[i++], job->status);
    }
  }
  for (int i = 0; i < job->attr_count; ++i) set_attr(op, &job->attrs[i]);
  TFE_TensorHandle* outputs[8] = {NULL};
  int count = 8;
  host.TFE_Execute(op, outputs, &count, job->status);
  const bool done = host.TF_GetCode(job->status) == TF_OK;
  for (int i = 0; done && i < count; ++i) host.TFE_DeleteTensorHandle(outputs[i]);
  if (op) host.TFE_DeleteOp(op);
  return done;
}

static void use_row(job* job, const row* row) {
  if (job->row == row) return;
  for (int i = 0; i < job->count; ++i) host.TFE_DeleteTensorHandle(job->inputs[i]);
  job->count = 0;
  job->row = row;
  read_attrs(job);
  make_inputs(job);
}

// The mean over as many calls as fit in 20 ms, after one that warms up; NaN when it fails.
static double time_calls(job* job) {
  if (!run_once(job)) {
    fprintf(stderr, "bench: %s: %s\n", job->row->name, host.TF_Message(job->status));
    job->status = host.TF_NewStatus();
    return NAN;
  }
  double start = bench_now(), now = start;
  long calls = 0, more = 1;
  // Looks at the clock every 10 us or more seldom: that takes as long as part of a short call.
  do {
    const double before = now;
    for (long i = 0; i < more; ++i) run_once(job);
    calls += more;
    now = bench_now();
    if (now - before < 10e3) more *= 2;
  } while (now - start < 20e6);
  return (now - start) / (double)calls;
}

static void run_counted(job* job) {
  for (int i = 0; i < COUNTED; ++i) {
    use_row(job, &counted[i]);
    for (int time = 0; time < 2; ++time)
      if (!run_once(job)) tfe_expect_ok(job->status, counted[i].name);
    puts(counted[i].name);
  }
}

static void run_asked(job* job) {
  for (int wanted; scanf("%d", &wanted) == 1 && wanted >= 0 && wanted < ROWS;) {
    use_row(job, &rows[wanted]);
    printf("%.1f\n", time_calls(job));
    fflush(stdout);
  }
}

int main(int count, char** arguments) {
  const bool counts = count > 1 && strcmp(arguments[1], "--count") == 0;
  if (counts) --count, ++arguments;
  tfe_open(count - 2, arguments + 2);
  job job = {.status = host.TF_NewStatus()};
  if (strcmp(arguments[1], "-") != 0) {
    host.TF_LoadPluggableDeviceLibrary(arguments[1], job.status);
    tfe_expect_ok(job.status, arguments[1]);
  }
  job.context = host.TFE_NewContext(host.TFE_NewContextOptions(), job.status);
  tfe_expect_ok(job.status, "context");
  counts ? run_counted(&job) : run_asked(&job);
  return 0;
}
