#include "cpu/einsum.h"

#include <string.h>

#include "cpu/arithmetic.h"
#include "cpu/layout.h"
#include "cpu/matmul.h"
#include "cpu/reduce.h"

// What one operand alone has and nobody wants is summed first. What is left of two operands are
// matrices in batches: labels of both and the result count batches, labels of one and the result
// are rows or columns, the others are contracted. Operands whose labels do not fall into such
// groups with one stride each are copied into shape, and so is the result if its order is another
// one.

enum { LABELS = TN_CPU_EINSUM_LABELS };

typedef struct list {
  int count;
  int labels[LABELS];
} list;

typedef struct operand {
  const char* data;
  bool has[LABELS];
  int64_t strides[LABELS];
} operand;

typedef struct einsum_job {
  const tn_cpu_einsum* einsum;
  tn_dtype dtype;
  const tn_cpu_parallel* parallel;
  char* workspace;  // NULL: only count what is wanted
  size_t used;
  bool in_out[LABELS];
  operand operands[2];
} einsum_job;

static void* take(einsum_job* job, size_t bytes) {
  void* taken = job->workspace ? job->workspace + job->used : NULL;
  job->used += (bytes + 63) / 64 * 64;
  return taken;
}

static void put(list* list, int label) { list->labels[list->count++] = label; }

static int64_t size_of(const einsum_job* job, const list* list) {
  int64_t size = 1;
  for (int i = 0; i < list->count; ++i) size *= job->einsum->dims[list->labels[i]];
  return size;
}

static void collect(const einsum_job* job, const list* list, const int64_t* strides, int64_t* dims,
                    int64_t* out_strides) {
  for (int i = 0; i < list->count; ++i) {
    dims[i] = job->einsum->dims[list->labels[i]];
    out_strides[i] = strides[list->labels[i]];
  }
}

static bool is_dense(const einsum_job* job, const list* list, const int64_t* strides) {
  int64_t expected = 1;
  for (int i = list->count - 1; i >= 0; --i) {
    const int64_t dim = job->einsum->dims[list->labels[i]];
    if (dim != 1 && strides[list->labels[i]] != expected) return false;
    expected *= dim;
  }
  return true;
}

// The operand's elements in the order of `list`, one after the other; copied only if they are not.
static const void* in_order(einsum_job* job, const operand* operand, const list* list) {
  if (is_dense(job, list, operand->strides)) return operand->data;
  int64_t dims[LABELS], strides[LABELS], dense[LABELS];
  collect(job, list, operand->strides, dims, strides);
  tn_cpu_dense_strides(list->count, dims, dense);
  const size_t size = tn_cpu_size(job->dtype);
  void* copy = take(job, (size_t)size_of(job, list) * size);
  if (copy)
    tn_cpu_move(size, list->count, dims, operand->data, strides, copy, dense, job->parallel);
  return copy;
}

static void set_dense(const einsum_job* job, operand* operand, const list* list, const void* data) {
  operand->data = data;
  memset(operand->has, 0, sizeof operand->has);
  memset(operand->strides, 0, sizeof operand->strides);
  int64_t stride = 1;
  for (int i = list->count - 1; i >= 0; --i) {
    operand->has[list->labels[i]] = true;
    operand->strides[list->labels[i]] = stride;
    stride *= job->einsum->dims[list->labels[i]];
  }
}

// Sums over `gone`; the elements that stay are in the order of `kept`. Into `out`, or memory of its
// own if that is NULL.
static void* sum_away(einsum_job* job, const operand* operand, const list* kept, const list* gone,
                      void* out) {
  bool reduced[LABELS];
  list all = *kept;
  int64_t dims[LABELS], ignored[LABELS];
  for (int i = 0; i < gone->count; ++i) put(&all, gone->labels[i]);
  for (int i = 0; i < all.count; ++i) reduced[i] = i >= kept->count;
  const void* in = in_order(job, operand, &all);
  collect(job, &all, operand->strides, dims, ignored);
  void* workspace =
      take(job, tn_cpu_reduce_workspace(TN_CPU_SUM, job->dtype, all.count, dims, reduced));
  if (!out) out = take(job, (size_t)size_of(job, kept) * tn_cpu_size(job->dtype));
  if (job->workspace)
    tn_cpu_reduce(TN_CPU_SUM, job->dtype, all.count, dims, reduced, in, out, workspace,
                  job->parallel);
  return out;
}

// Labels that nobody else has, summed away.
static void simplify(einsum_job* job, int index) {
  operand* one = &job->operands[index];
  list kept = {0}, gone = {0};
  for (int i = 0; i < job->einsum->labels; ++i)
    if (one->has[i]) put(job->in_out[i] || job->operands[!index].has[i] ? &kept : &gone, i);
  if (gone.count == 0) return;
  set_dense(job, one, &kept, sum_away(job, one, &kept, &gone, NULL));
}

// The one stride that walks through all of `list`; false if there is none.
static bool one_stride(const einsum_job* job, const list* list, const int64_t* strides,
                       int64_t* out) {
  *out = 1;
  int64_t expected = -1;
  for (int i = list->count - 1; i >= 0; --i) {
    const int64_t dim = job->einsum->dims[list->labels[i]], stride = strides[list->labels[i]];
    if (dim == 1) continue;
    if (expected < 0) *out = expected = stride;
    if (stride != expected) return false;
    expected *= dim;
  }
  return true;
}

// The operand as matrices of `rows` by `columns`.
static tn_cpu_matrix as_matrix(einsum_job* job, operand* operand, const list* batch,
                               const list* rows, const list* columns) {
  tn_cpu_matrix matrix = {operand->data, 1, 1, false};
  if (!one_stride(job, rows, operand->strides, &matrix.row_stride) ||
      !one_stride(job, columns, operand->strides, &matrix.column_stride)) {
    list all = {0};
    for (int i = 0; i < batch->count; ++i)
      if (operand->strides[batch->labels[i]] != 0) put(&all, batch->labels[i]);
    for (int i = 0; i < rows->count; ++i) put(&all, rows->labels[i]);
    for (int i = 0; i < columns->count; ++i) put(&all, columns->labels[i]);
    set_dense(job, operand, &all, in_order(job, operand, &all));
    matrix.data = operand->data;
    one_stride(job, rows, operand->strides, &matrix.row_stride);
    one_stride(job, columns, operand->strides, &matrix.column_stride);
  }
  return matrix;
}

typedef struct groups {
  list batch, rows, columns, contracted;
} groups;

static groups sort_labels(const einsum_job* job, const operand* a, const operand* b) {
  groups groups = {.batch = {0}};
  for (int i = 0; i < job->einsum->out_rank; ++i) {
    const int label = job->einsum->out[i];
    put(a->has[label] ? b->has[label] ? &groups.batch : &groups.rows : &groups.columns, label);
  }
  // In the order of a's strides, largest first, so that they make one.
  for (int i = 0; i < job->einsum->labels; ++i) {
    if (!a->has[i] || job->in_out[i]) continue;
    list* into = &groups.contracted;
    int at = into->count++;
    for (; at > 0 && a->strides[into->labels[at - 1]] < a->strides[i]; --at)
      into->labels[at] = into->labels[at - 1];
    into->labels[at] = i;
  }
  return groups;
}

static void multiply(einsum_job* job, operand* a, operand* b, const groups* groups, void* out) {
  const int64_t m = size_of(job, &groups->rows), n = size_of(job, &groups->columns);
  const int64_t k = size_of(job, &groups->contracted);
  int64_t dims[LABELS], a_strides[LABELS], b_strides[LABELS];
  if (m == 1 && n == 1 && k == 1) {
    collect(job, &groups->batch, a->strides, dims, a_strides);
    collect(job, &groups->batch, b->strides, dims, b_strides);
    if (job->workspace)
      tn_cpu_zip(tn_cpu_arithmetic(TN_CPU_MUL, job->dtype), groups->batch.count, dims,
                 (const void*[]){a->data, b->data}, (const int64_t*[]){a_strides, b_strides}, out,
                 job->parallel);
    return;
  }
  const tn_cpu_matrix left = as_matrix(job, a, &groups->batch, &groups->rows, &groups->contracted);
  const tn_cpu_matrix right =
      as_matrix(job, b, &groups->batch, &groups->contracted, &groups->columns);
  collect(job, &groups->batch, a->strides, dims, a_strides);
  collect(job, &groups->batch, b->strides, dims, b_strides);
  const tn_cpu_batch batch = {groups->batch.count, dims, a_strides, b_strides};
  void* workspace = take(job, tn_cpu_batch_matmul_workspace(job->dtype, &batch, m, n, k));
  if (job->workspace)
    tn_cpu_batch_matmul(job->dtype, &batch, m, n, k, left, right, out, workspace, job->parallel);
}

static void run_two(einsum_job* job, void* out) {
  const tn_cpu_einsum* einsum = job->einsum;
  simplify(job, 0);
  simplify(job, 1);
  operand *a = &job->operands[0], *b = &job->operands[1];
  for (int i = 0; i < einsum->out_rank; ++i) {
    const bool of_a = a->has[einsum->out[i]], of_b = b->has[einsum->out[i]];
    if (of_a == of_b) continue;
    if (of_b) a = &job->operands[1], b = &job->operands[0];
    break;
  }
  const groups groups = sort_labels(job, a, b);
  list natural = groups.batch, wanted = {.count = einsum->out_rank};
  for (int i = 0; i < groups.rows.count; ++i) put(&natural, groups.rows.labels[i]);
  for (int i = 0; i < groups.columns.count; ++i) put(&natural, groups.columns.labels[i]);
  memcpy(wanted.labels, einsum->out, sizeof(int) * (size_t)einsum->out_rank);
  operand product = {0};
  set_dense(job, &product, &natural, NULL);
  if (is_dense(job, &wanted, product.strides)) {
    multiply(job, a, b, &groups, out);
    return;
  }
  const size_t size = tn_cpu_size(job->dtype);
  void* result = take(job, (size_t)size_of(job, &natural) * size);
  multiply(job, a, b, &groups, result);
  int64_t dims[LABELS], strides[LABELS], dense[LABELS];
  collect(job, &wanted, product.strides, dims, strides);
  tn_cpu_dense_strides(wanted.count, dims, dense);
  if (job->workspace)
    tn_cpu_move(size, wanted.count, dims, result, strides, out, dense, job->parallel);
}

static void run_one(einsum_job* job, void* out) {
  const operand* one = &job->operands[0];
  list kept = {0}, gone = {0};
  for (int i = 0; i < job->einsum->out_rank; ++i) put(&kept, job->einsum->out[i]);
  for (int i = 0; i < job->einsum->labels; ++i)
    if (one->has[i] && !job->in_out[i]) put(&gone, i);
  if (gone.count > 0) {
    sum_away(job, one, &kept, &gone, out);
  } else if (job->workspace) {
    int64_t dims[LABELS], strides[LABELS], dense[LABELS];
    collect(job, &kept, one->strides, dims, strides);
    tn_cpu_dense_strides(kept.count, dims, dense);
    tn_cpu_move(tn_cpu_size(job->dtype), kept.count, dims, one->data, strides, out, dense,
                job->parallel);
  }
}

static void run(einsum_job* job, const void* const operands[2], void* out) {
  const tn_cpu_einsum* einsum = job->einsum;
  for (int i = 0; i < einsum->out_rank; ++i) job->in_out[einsum->out[i]] = true;
  for (int i = 0; i < einsum->operands; ++i) {
    job->operands[i].data = operands ? operands[i] : NULL;
    memcpy(job->operands[i].has, einsum->has[i], sizeof einsum->has[i]);
    memcpy(job->operands[i].strides, einsum->strides[i], sizeof einsum->strides[i]);
  }
  if (einsum->operands == 1) {
    run_one(job, out);
  } else {
    run_two(job, out);
  }
}

size_t tn_cpu_einsum_workspace(tn_dtype dtype, const tn_cpu_einsum* einsum) {
  einsum_job job = {.einsum = einsum, .dtype = dtype};
  run(&job, NULL, NULL);
  return job.used;
}

void tn_cpu_einsum_run(tn_dtype dtype, const tn_cpu_einsum* einsum, const void* const operands[2],
                       void* out, void* workspace, const tn_cpu_parallel* parallel) {
  einsum_job job = {.einsum = einsum, .dtype = dtype, .parallel = parallel, .workspace = workspace};
  run(&job, operands, out);
}
