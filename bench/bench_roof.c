// What the machine would allow: elementwise routines against a copy with as many streams (its
// output warm and written past the caches as well), and products of matrices against oneDNN's own
// entries, called directly with as many threads.

#include <immintrin.h>
#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_count.h"
#include "bench.h"
#include "cpu/arithmetic.h"
#include "cpu/elementwise.h"
#include "cpu/math.h"
#include "cpu/matmul.h"

enum { COUNT = 1 << 24 };

typedef struct streams {
  const float *a, *b;
  float* out;
  tn_cpu_loop loop;
} streams;

// Whole vectors only: the arrays are aligned and a multiple of them.
__attribute__((target("avx2"))) static void copy_part(void* arg, int64_t begin, int64_t end) {
  const streams* s = arg;
  for (int64_t i = begin * 4096; i < end * 4096; i += 8) {
    __m256i value = _mm256_load_si256((const __m256i*)(s->a + i));
    if (s->b) value = _mm256_xor_si256(value, _mm256_load_si256((const __m256i*)(s->b + i)));
    _mm256_stream_si256((__m256i*)(s->out + i), value);
  }
  _mm_sfence();
}

static void copy(void* arg) {
  const tn_cpu_parallel* threads = tn_cpu_own_threads();
  threads->run(threads->pool, COUNT / 4096, 2000, copy_part, arg);
}

static void compute(void* arg) {
  const streams* s = arg;
  const int64_t dims[] = {COUNT}, one[] = {1};
  const int64_t* const strides[] = {one, one};
  const void* const in[] = {s->a, s->b};
  if (s->b) {
    tn_cpu_zip(s->loop, 1, dims, in, strides, s->out, tn_cpu_own_threads());
  } else {
    tn_cpu_map(s->loop, COUNT, s->a, s->out, tn_cpu_own_threads());
  }
}

// The medians of runs that take turns, with a pause between: OpenMP's threads spin for a while
// after their work, and would be in the way of ours.
enum { ROUNDS = 11 };
static int compare(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}
static void take_turns(void (*ours)(void*), void (*peers)(void*), void* arg, double* our_time,
                       double* peer_time) {
  double times[2][ROUNDS];
  void (*bodies[])(void*) = {ours, peers};
  for (int i = -1; i < ROUNDS; ++i)
    for (int k = 0; k < 2; ++k) {
      usleep(10000);
      bodies[k](arg);
      bodies[k](arg);
      const double start = bench_now();
      long calls = 0;
      do {
        bodies[k](arg);
        ++calls;
      } while (bench_now() - start < 10e6);
      if (i >= 0) times[k][i] = (bench_now() - start) / (double)calls;
    }
  for (int k = 0; k < 2; ++k) qsort(times[k], ROUNDS, sizeof(double), compare);
  *our_time = times[0][ROUNDS / 2];
  *peer_time = times[1][ROUNDS / 2];
}

static void compare_with_copies(void) {
  streams s = {.out = aligned_alloc(64, COUNT * sizeof(float))};
  float* a = aligned_alloc(64, COUNT * sizeof(float));
  float* b = aligned_alloc(64, COUNT * sizeof(float));
  if (!a || !b || !s.out) return;
  for (int i = 0; i < COUNT; ++i) {
    a[i] = 0.25f + (float)(i % 1000) * 0.003f;
    b[i] = 1 + (float)(i % 777) * 0.01f;
  }
  const struct {
    const char* name;
    tn_cpu_loop loop;
  } rows[] = {
      {"AddV2 16M", tn_cpu_arithmetic(TN_CPU_ADD, TN_FLOAT)},
      {"Mul 16M", tn_cpu_arithmetic(TN_CPU_MUL, TN_FLOAT)},
      {"RealDiv 16M", tn_cpu_arithmetic(TN_CPU_DIV, TN_FLOAT)},
      {"Maximum 16M", tn_cpu_arithmetic(TN_CPU_MAXIMUM, TN_FLOAT)},
      {"Relu 16M", tn_cpu_arithmetic(TN_CPU_RELU, TN_FLOAT)},
      {"Sqrt 16M", tn_cpu_arithmetic(TN_CPU_SQRT, TN_FLOAT)},
      {"Exp 16M", tn_cpu_math(TN_CPU_MATH_exp, TN_FLOAT)},
      {"Tanh 16M", tn_cpu_math(TN_CPU_MATH_tanh, TN_FLOAT)},
      {"Sigmoid 16M", tn_cpu_math(TN_CPU_MATH_sigmoid, TN_FLOAT)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    double mine, roof;
    s.a = a;
    s.b = rows[i].loop.inputs == 2 ? b : NULL;
    s.loop = rows[i].loop;
    take_turns(compute, copy, &s, &mine, &roof);
    char peer[64];
    snprintf(peer, sizeof peer, "a copy with %d streams", rows[i].loop.inputs + 1);
    bench_report(rows[i].name, mine / 1e3, "us", peer, roof / 1e3);
  }
  free(a);
  free(b);
  free(s.out);
}

typedef struct product {
  int64_t n;
  tn_dtype dtype;
  void *a, *b, *c, *workspace;
  dnnl_primitive_t primitive;
  dnnl_stream_t stream;
  dnnl_memory_t memories[3];
} product;

static void multiply(void* arg) {
  const product* p = arg;
  const tn_cpu_matrix a = {p->a, p->n, 1, false}, b = {p->b, p->n, 1, false};
  tn_cpu_matmul(p->dtype, p->n, p->n, p->n, a, b, p->c, p->workspace, tn_cpu_own_threads());
}

static void sgemm(void* arg) {
  const product* p = arg;
  dnnl_sgemm('N', 'N', p->n, p->n, p->n, 1, p->a, p->n, p->b, p->n, 0, p->c, p->n);
}

static void run_primitive(void* arg) {
  const product* p = arg;
  const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, p->memories[0]},
                                  {DNNL_ARG_WEIGHTS, p->memories[1]},
                                  {DNNL_ARG_DST, p->memories[2]}};
  dnnl_primitive_execute(p->primitive, p->stream, 3, args);
  dnnl_stream_wait(p->stream);
}

static bool make_primitive(product* p, dnnl_engine_t engine) {
  const dnnl_dims_t dims = {p->n, p->n};
  dnnl_memory_desc_t md;
  dnnl_matmul_desc_t description;
  dnnl_primitive_desc_t chosen;
  const dnnl_data_type_t type = p->dtype == TN_FLOAT ? dnnl_f32 : dnnl_bf16;
  if (dnnl_memory_desc_init_by_tag(&md, 2, dims, type, dnnl_ab) ||
      dnnl_matmul_desc_init(&description, &md, &md, NULL, &md) ||
      dnnl_primitive_desc_create(&chosen, &description, NULL, engine, NULL) ||
      dnnl_primitive_create(&p->primitive, chosen))
    return false;
  void* const data[] = {p->a, p->b, p->c};
  for (int i = 0; i < 3; ++i)
    if (dnnl_memory_create(&p->memories[i], &md, engine, data[i])) return false;
  dnnl_primitive_desc_destroy(chosen);
  return true;
}

static void compare_with_onednn(void) {
  // AMX may be there and yet not allowed.
  dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx512_core_bf16);
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  if (dnnl_engine_create(&engine, dnnl_cpu, 0) ||
      dnnl_stream_create(&stream, engine, dnnl_stream_default_flags))
    return;
  const tn_dtype types[] = {TN_FLOAT, TN_BFLOAT16};
  const int64_t sizes[] = {64, 512, 2048};
  for (int t = 0; t < 2; ++t)
    for (int i = 0; i < 3; ++i) {
      const int64_t n = sizes[i];
      product p = {.n = n, .dtype = types[t], .stream = stream};
      const size_t bytes = (size_t)(n * n) * 4;
      p.a = aligned_alloc(64, bytes);
      p.b = aligned_alloc(64, bytes);
      p.c = aligned_alloc(64, bytes);
      p.workspace = aligned_alloc(64, (tn_cpu_matmul_workspace(p.dtype, n, n, n) + 127) / 64 * 64);
      for (int64_t k = 0; k < n * n; ++k) {
        const float value = (float)(k % 17) * 0.125f - 1;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (t == 0) ((float*)p.a)[k] = ((float*)p.b)[k] = value;
        if (t == 1) ((uint16_t*)p.a)[k] = ((uint16_t*)p.b)[k] = (uint16_t)(bits >> 16);
      }
      double mine, with_primitive = INFINITY, with_sgemm = INFINITY, ignored;
      if (make_primitive(&p, engine))
        take_turns(multiply, run_primitive, &p, &mine, &with_primitive);
      if (t == 0) take_turns(multiply, sgemm, &p, &ignored, &with_sgemm);
      take_turns(multiply, t == 0 && with_sgemm < with_primitive ? sgemm : run_primitive, &p, &mine,
                 &ignored);
      char name[64];
      snprintf(name, sizeof name, "MatMul %d %s", (int)n, t ? "bf16" : "f32");
      bench_report(
          name, mine / 1e3, "us",
          t == 0 && with_sgemm < with_primitive ? "dnnl_sgemm" : "oneDNN's matmul primitive",
          ignored / 1e3);
      free(p.a);
      free(p.b);
      free(p.c);
      free(p.workspace);
    }
}

int main(void) {
  compare_with_copies();
  compare_with_onednn();
  return 0;
}
