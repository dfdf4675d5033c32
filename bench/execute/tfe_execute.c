// tfe_execute PLUGIN LIBRARY...: nanoseconds of one TFE_Execute of the tiny op, and of its whole
// life from TFE_NewOp to TFE_DeleteOp, in the host that the libraries are.

#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "tfe.h"

typedef struct job {
  TFE_Context* context;
  TFE_TensorHandle* input;
  TF_Status* status;
} job;

static TFE_Op* make_op(job* job) {
  TFE_Op* op = host.TFE_NewOp(job->context, "TenonTiny", job->status);
  host.TFE_OpAddInput(op, job->input, job->status);
  host.TFE_OpSetAttrFloat(op, "scale", 2.5f);
  return op;
}

static TFE_TensorHandle* execute_op(job* job, TFE_Op* op) {
  TFE_TensorHandle* output = NULL;
  int count = 1;
  host.TFE_Execute(op, &output, &count, job->status);
  return output;
}

static void whole_life(void* arg) {
  job* job = arg;
  TFE_Op* op = make_op(job);
  host.TFE_DeleteTensorHandle(execute_op(job, op));
  host.TFE_DeleteOp(op);
}

// TFE_Execute alone: the best mean over 50 rounds. TensorFlow takes the inputs out of an op that
// was executed, so a few ops are made before each time that the clock runs.
static double execute_only(job* job) {
  enum { OPS = 8, ROUNDS = 50, TIMES = 400 };
  TFE_Op* ops[OPS];
  TFE_TensorHandle* outputs[OPS];
  double best = INFINITY;
  for (int time = 0; time < TIMES; ++time) {
    double spent = 0;
    for (int round = 0; round < ROUNDS; ++round) {
      for (int i = 0; i < OPS; ++i) ops[i] = make_op(job);
      double start = bench_now();
      for (int i = 0; i < OPS; ++i) outputs[i] = execute_op(job, ops[i]);
      spent += bench_now() - start;
      for (int i = 0; i < OPS; ++i) {
        host.TFE_DeleteTensorHandle(outputs[i]);
        host.TFE_DeleteOp(ops[i]);
      }
    }
    best = fmin(best, spent / (ROUNDS * OPS));
  }
  return best;
}

int main(int count, char** arguments) {
  tfe_open(count - 2, arguments + 2);
  job job = {.status = host.TF_NewStatus()};
  host.TF_LoadPluggableDeviceLibrary(arguments[1], job.status);
  tfe_expect_ok(job.status, arguments[1]);
  job.context = host.TFE_NewContext(host.TFE_NewContextOptions(), job.status);
  tfe_expect_ok(job.status, "context");
  TF_Tensor* value = host.TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float*)host.TF_TensorData(value) = 3;
  job.input = host.TFE_NewTensorHandle(value, job.status);
  TF_Tensor* answer = host.TFE_TensorHandleResolve(execute_op(&job, make_op(&job)), job.status);
  tfe_expect_ok(job.status, "TenonTiny");
  if (*(float*)host.TF_TensorData(answer) != 7.5f) {
    fprintf(stderr, "tfe_execute: 3 * 2.5 is not 7.5 here\n");
    return 1;
  }
  printf("%.3f %.3f\n", execute_only(&job), bench_nanoseconds(whole_life, &job));
  tfe_expect_ok(job.status, "TenonTiny");
  return 0;
}
