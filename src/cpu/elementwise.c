#include "cpu/cast_loops.h"
#include "cpu/elementwise_loops.h"
#include "cpu/parallel.h"

enum { CHUNK = 4096 };  // elements of the unit of parallel work

typedef struct binary_job {
  tn_binary_loop loop;
  size_t size;
  int rank;  // 1 at least
  int64_t total;
  int64_t dims[TN_CPU_MAX_RANK + 1], a_strides[TN_CPU_MAX_RANK + 1], b_strides[TN_CPU_MAX_RANK + 1];
  const char *a, *b;
  char* out;
} binary_job;

// Merges dimensions that are walked as one in both inputs, drops those of size 1.
static void collapse(binary_job* job, int rank, const int64_t* dims, const int64_t* a_strides,
                     const int64_t* b_strides) {
  int n = 0;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] == 1) continue;
    if (n > 0 && job->a_strides[n - 1] == a_strides[i] * dims[i] &&
        job->b_strides[n - 1] == b_strides[i] * dims[i]) {
      job->dims[n - 1] *= dims[i];
    } else {
      job->dims[n++] = dims[i];
    }
    job->a_strides[n - 1] = a_strides[i];
    job->b_strides[n - 1] = b_strides[i];
  }
  if (n == 0) {
    job->dims[n] = 1;
    job->a_strides[n] = job->b_strides[n] = 1;
    ++n;
  }
  job->rank = n;
}

// Computes output elements [begin, end): runs along the last dimension, the others counted up like
// an odometer.
static void binary_range(const binary_job* job, int64_t begin, int64_t end) {
  const int last = job->rank - 1;
  int64_t index[TN_CPU_MAX_RANK + 1];
  int64_t a = 0, b = 0, rest = begin;
  for (int i = last; i >= 0; --i) {
    index[i] = rest % job->dims[i];
    rest /= job->dims[i];
    a += index[i] * job->a_strides[i];
    b += index[i] * job->b_strides[i];
  }
  const int64_t size = (int64_t)job->size;
  while (begin < end) {
    int64_t run = job->dims[last] - index[last];
    if (run > end - begin) run = end - begin;
    job->loop(job->a + a * size, job->a_strides[last], job->b + b * size, job->b_strides[last],
              job->out + begin * size, run);
    begin += run;
    a -= index[last] * job->a_strides[last];
    b -= index[last] * job->b_strides[last];
    index[last] = 0;
    for (int i = last - 1; i >= 0; --i) {
      a += job->a_strides[i];
      b += job->b_strides[i];
      if (++index[i] < job->dims[i]) break;
      a -= index[i] * job->a_strides[i];
      b -= index[i] * job->b_strides[i];
      index[i] = 0;
    }
  }
}

static void binary_chunks(void* arg, int64_t begin, int64_t end) {
  const binary_job* job = arg;
  int64_t stop = end * CHUNK;
  binary_range(job, begin * CHUNK, stop < job->total ? stop : job->total);
}

void tn_cpu_binary(tn_cpu_binary_op op, tn_dtype dtype, int rank, const int64_t* dims,
                   const void* a, const int64_t* a_strides, const void* b, const int64_t* b_strides,
                   void* out, const tn_cpu_parallel* parallel) {
  binary_job job;
  job.total = 1;
  for (int i = 0; i < rank; ++i) job.total *= dims[i];
  if (job.total == 0) return;
  job.loop = TN_CPU_CHOOSE(tn_elementwise_loops)->binary[op][dtype];
  job.size = tn_cpu_size(dtype);
  job.a = a;
  job.b = b;
  job.out = out;
  collapse(&job, rank, dims, a_strides, b_strides);
  tn_cpu_run(parallel, (job.total + CHUNK - 1) / CHUNK, CHUNK / 2, binary_chunks, &job);
}

typedef struct unary_job {
  tn_unary_loop loop;
  size_t in_size, out_size;
  int64_t total;
  const char* in;
  char* out;
} unary_job;

static void unary_chunks(void* arg, int64_t begin, int64_t end) {
  const unary_job* job = arg;
  begin *= CHUNK;
  end *= CHUNK;
  if (end > job->total) end = job->total;
  job->loop(job->in + begin * (int64_t)job->in_size, job->out + begin * (int64_t)job->out_size,
            end - begin);
}

static void run_unary(tn_unary_loop loop, tn_dtype from, tn_dtype to, int64_t count, const void* in,
                      void* out, const tn_cpu_parallel* parallel) {
  unary_job job = {loop, tn_cpu_size(from), tn_cpu_size(to), count, in, out};
  tn_cpu_run(parallel, (count + CHUNK - 1) / CHUNK, CHUNK / 2, unary_chunks, &job);
}

void tn_cpu_relu(tn_dtype dtype, int64_t count, const void* in, void* out,
                 const tn_cpu_parallel* parallel) {
  run_unary(TN_CPU_CHOOSE(tn_elementwise_loops)->relu[dtype], dtype, dtype, count, in, out,
            parallel);
}

void tn_cpu_cast(tn_dtype from, tn_dtype to, bool truncate, int64_t count, const void* in,
                 void* out, const tn_cpu_parallel* parallel) {
  const tn_cast_loops* loops = TN_CPU_CHOOSE(tn_cast_loops);
  tn_unary_loop loop = truncate ? loops->truncate[from][to] : NULL;
  run_unary(loop ? loop : loops->round[from][to], from, to, count, in, out, parallel);
}
