#include "cpu/cast_loops.h"
#include "cpu/elementwise_loops.h"
#include "cpu/parallel.h"
#include "cpu/stream_loops.h"

enum {
  CHUNK = 4096,  // elements of the unit of parallel work
  TILE = 1024,   // elements that go through all steps at a time
};

// A cast is up to three steps: to float, to another type, from float.
typedef struct cast_job {
  void (*widen)(const void* in, float* out, int64_t count);
  tn_unary_loop convert;
  void (*narrow)(const float* in, void* out, int64_t count);
  const tn_stream_loops* stream;
  int64_t in_size, out_size, total;
  const char* in;
  char* out;
} cast_job;

#define SMALL_FLOATS                                                               \
  (TN_CPU_TYPE(TN_HALF) | TN_CPU_TYPE(TN_BFLOAT16) | TN_CPU_TYPE(TN_FLOAT8_E5M2) | \
   TN_CPU_TYPE(TN_FLOAT8_E4M3FN))
#define FLOAT8 (TN_CPU_TYPE(TN_FLOAT8_E5M2) | TN_CPU_TYPE(TN_FLOAT8_E4M3FN))
static bool is_in(tn_dtype dtype, tn_cpu_types types) {
  return dtype < 64 && (types & TN_CPU_TYPE(dtype));
}

// The type that lies in memory in the same way and has loops.
static tn_dtype plain(tn_dtype dtype) {
  switch (dtype) {
    case TN_QINT8: return TN_INT8;
    case TN_QUINT8: return TN_UINT8;
    case TN_QINT16: return TN_INT16;
    case TN_QUINT16: return TN_UINT16;
    case TN_QINT32: return TN_INT32;
    default: return dtype;
  }
}

bool tn_cpu_can_cast(tn_dtype from, tn_dtype to) {
  const tn_cpu_types all = TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL);
  const tn_cpu_types tiny = TN_CPU_TYPE(TN_INT4) | TN_CPU_TYPE(TN_UINT4);
  from = plain(from);
  to = plain(to);
  if (is_in(to, tiny)) return is_in(from, TN_CPU_INTEGERS | tiny);
  if (is_in(from, tiny)) return is_in(to, TN_CPU_INTEGERS);
  if (is_in(to, FLOAT8)) return is_in(from, TN_CPU_FLOATS | FLOAT8);
  return is_in(from, all | FLOAT8) && is_in(to, all);
}

static int64_t size_of(tn_dtype dtype) {
  return (int)dtype < TN_CPU_DTYPES ? (int64_t)tn_cpu_size(dtype) : 1;
}

static tn_unary_loop converter(tn_dtype from, tn_dtype to, bool truncate) {
  const tn_cast_loops* loops = TN_CPU_CHOOSE(tn_cast_loops);
  const bool to_4_bits = to == TN_INT4 || to == TN_UINT4;
  if (from == TN_INT4) return to_4_bits ? loops->to_4_bits[TN_UINT8] : loops->from_int4[to];
  if (to_4_bits) return loops->to_4_bits[from];
  if (from == TN_DOUBLE && is_in(to, FLOAT8)) return loops->double_to_odd;
  if (truncate && is_in(to, TN_CPU_NUMBERS) && loops->truncate[from][to])
    return loops->truncate[from][to];
  if (is_in(to, SMALL_FLOATS)) to = TN_FLOAT;
  return loops->round[from][to];
}

// Runs the steps from `in` to `out`, through tiles where there are several.
static void cast_some(const cast_job* job, const void* in, void* out, int64_t count) {
  _Alignas(64) float wide[TILE];
  _Alignas(64) float narrowing[TILE];
  if (job->widen && (job->convert || job->narrow)) {
    job->widen(in, wide, count);
    in = wide;
  } else if (job->widen) {
    job->widen(in, out, count);
    return;
  }
  if (job->convert) {
    job->convert(in, job->narrow ? narrowing : out, count);
    in = narrowing;
  }
  if (job->narrow) job->narrow(in, out, count);
}

static void cast_chunks(void* arg, int64_t begin, int64_t end) {
  const cast_job* job = arg;
  _Alignas(64) char tile[TILE * sizeof(double _Complex)];
  begin *= CHUNK;
  end *= CHUNK;
  if (end > job->total) end = job->total;
  for (int64_t some; begin < end; begin += some) {
    some = end - begin < TILE ? end - begin : TILE;
    const char* in = job->in + begin * job->in_size;
    char* out = job->out + begin * job->out_size;
    cast_some(job, in, job->stream ? tile : out, some);
    if (job->stream) job->stream->copy(tile, out, some * job->out_size);
  }
  if (job->stream) job->stream->end();
}

void tn_cpu_cast(tn_dtype from, tn_dtype to, bool truncate, int64_t count, const void* in,
                 void* out, const tn_cpu_parallel* parallel) {
  from = from == TN_UINT4 ? TN_UINT8 : plain(from);
  to = plain(to);
  const tn_narrow_loops* between = TN_CPU_CHOOSE(tn_narrow_loops);
  cast_job job = {.in_size = size_of(from), .out_size = size_of(to), .total = count};
  if (is_in(from, SMALL_FLOATS)) {
    job.widen = between->widen[from];
    from = TN_FLOAT;
  }
  if (is_in(to, SMALL_FLOATS)) job.narrow = between->narrow[to];
  const bool is_float =
      from == TN_FLOAT && (to == TN_FLOAT ? job.widen != NULL : job.narrow != NULL);
  if (!is_float || truncate) job.convert = converter(from, to, truncate);
  job.in = in;
  job.out = out;
  if (count * job.out_size >= TN_CPU_STREAM_BYTES) job.stream = TN_CPU_CHOOSE(tn_stream_loops);
  const int64_t steps = (job.widen != NULL) + (job.convert != NULL) + (job.narrow != NULL);
  tn_cpu_run(parallel, (count + CHUNK - 1) / CHUNK, CHUNK * steps / 3, cast_chunks, &job);
}
