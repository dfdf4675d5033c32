// Einsum, with one operand or two.

#include "cpu/einsum.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/layout.h"
#include "kernel.h"

// An equation "ab,bc->ac": every character is a label, "..." stands for any number of dimensions
// that broadcast.
enum { ELLIPSIS = -1, LONGEST = TN_CPU_MAX_RANK + 1 };

typedef struct subscript {
  int count;
  int labels[LONGEST];  // numbers of named labels, or ELLIPSIS
  int ellipsis;         // where it is, or -1
} subscript;

typedef struct equation {
  int operands, named;
  subscript inputs[2], output;
} equation;

// Characters to numbers, in order of appearance.
typedef struct names {
  int count;
  int number[256];  // plus 1
} names;

static bool parse_subscript(const char* text, size_t size, names* names, subscript* out) {
  *out = (subscript){.ellipsis = -1};
  for (size_t i = 0; i < size; ++i) {
    if (out->count == LONGEST) return false;
    if (text[i] == '.') {
      if (out->ellipsis >= 0) return false;
      out->ellipsis = out->count;
      out->labels[out->count++] = ELLIPSIS;
      i += 2;
      continue;
    }
    int* number = &names->number[(unsigned char)text[i]];
    if (*number == 0) *number = ++names->count;
    out->labels[out->count++] = *number - 1;
  }
  return true;
}

static const char* find_arrow(const char* text, const char* end) {
  for (; text + 1 < end; ++text)
    if (text[0] == '-' && text[1] == '>') return text;
  return NULL;
}

static void parse(attrs* attrs, const char* text, size_t size, equation* out) {
  const char *end = text + size, *arrow = find_arrow(text, end);
  if (!arrow || find_arrow(arrow + 2, end)) {
    attrs_fail(attrs, TF_INVALID_ARGUMENT, "equation '%.100s' must have one '->'", text);
    return;
  }
  names names = {0};
  bool fits = true;
  for (const char* begin = text; begin <= arrow && fits;) {
    const char* comma = memchr(begin, ',', (size_t)(arrow - begin));
    const char* stop = comma ? comma : arrow;
    if (out->operands == 2) {
      attrs_fail(attrs, TF_INVALID_ARGUMENT, "equation '%.100s' must have one operand or two",
                 text);
      return;
    }
    fits = parse_subscript(begin, (size_t)(stop - begin), &names, &out->inputs[out->operands++]);
    begin = stop + 1;
  }
  fits = fits && parse_subscript(arrow + 2, (size_t)(end - arrow - 2), &names, &out->output);
  if (!fits)
    attrs_fail(attrs, TF_INVALID_ARGUMENT,
               "equation '%.100s' has more than %d labels or more than one ellipsis in one place",
               text, LONGEST);
  out->named = names.count;
}

static void* create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "Einsum");
  size_t size = 0;
  char* text = attr_text(&attrs, "equation", &size);
  equation equation = {.operands = 0};
  if (text) parse(&attrs, text, size, &equation);
  free(text);
  return attrs_end(&attrs, &equation, sizeof equation);
}

// One operand's dimension i gets `label`.
static bool set_label(run* run, const array* input, int operand, int i, int64_t stride, int label,
                      bool broadcasts, tn_cpu_einsum* einsum) {
  const int64_t dim = input->dims[i];
  int64_t* known = &einsum->dims[label];
  const bool first = !einsum->has[0][label] && !einsum->has[1][label];
  char text[SHAPE_TEXT];
  if (first || (broadcasts && *known == 1)) {
    *known = dim;
  } else if (*known != dim && !(broadcasts && dim == 1)) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "dimension %d of inputs[%d] %s is %lld, and %lld where its label stands elsewhere", i,
             operand, shape_text(input->rank, input->dims, text), (long long)dim,
             (long long)*known);
    return false;
  }
  einsum->has[operand][label] = true;
  if (!broadcasts || dim != 1) einsum->strides[operand][label] += stride;
  return true;
}

// Labels behind the named ones stand for dimensions of an ellipsis, counted from the last.
static bool set_labels(run* run, const equation* equation, int operand, const array* input,
                       tn_cpu_einsum* einsum, int* spread) {
  const subscript* subscript = &equation->inputs[operand];
  char text[SHAPE_TEXT];
  const bool open = subscript->ellipsis >= 0;
  const int named = subscript->count - open, rest = input->rank - named;
  if (rest < 0 || (rest > 0 && !open)) {
    run_fail(run, TF_INVALID_ARGUMENT, "inputs[%d] %s must have %s%d dimensions", operand,
             shape_text(input->rank, input->dims, text), open ? "at least " : "", named);
    return false;
  }
  int64_t strides[TN_CPU_MAX_RANK];
  tn_cpu_dense_strides(input->rank, input->dims, strides);
  for (int i = 0, at = 0; at < subscript->count; ++at) {
    if (subscript->labels[at] != ELLIPSIS) {
      if (!set_label(run, input, operand, i, strides[i], subscript->labels[at], false, einsum))
        return false;
      ++i;
      continue;
    }
    for (int j = 0; j < rest; ++j, ++i)
      if (!set_label(run, input, operand, i, strides[i], equation->named + rest - 1 - j, true,
                     einsum))
        return false;
  }
  if (rest > *spread) *spread = rest;
  return true;
}

// The output's labels, each once, and the output's own dimensions and strides (of a label that
// stands several times: along the diagonal).
typedef struct result {
  int rank;
  int64_t dims[TN_CPU_EINSUM_LABELS];
  int label_of[TN_CPU_EINSUM_LABELS];
} result;

static bool set_output(run* run, const equation* equation, int spread, tn_cpu_einsum* einsum,
                       result* result) {
  if (spread > 0 && equation->output.ellipsis < 0) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "the inputs have %d dimensions in place of an ellipsis, and the output has none",
             spread);
    return false;
  }
  for (int at = 0; at < equation->output.count; ++at) {
    const int label = equation->output.labels[at];
    if (label != ELLIPSIS) {
      // A label that no input has stands for nothing.
      if (einsum->has[0][label] || einsum->has[1][label]) result->label_of[result->rank++] = label;
      continue;
    }
    for (int j = 0; j < spread; ++j)
      result->label_of[result->rank++] = equation->named + spread - 1 - j;
  }
  if (result->rank > TN_CPU_MAX_RANK) {
    run_fail(run, TF_INVALID_ARGUMENT, "the output would have %d dimensions, more than %d",
             result->rank, TN_CPU_MAX_RANK);
    return false;
  }
  bool seen[TN_CPU_EINSUM_LABELS] = {false};
  for (int i = 0; i < result->rank; ++i) {
    const int label = result->label_of[i];
    result->dims[i] = einsum->dims[label];
    if (!seen[label]) einsum->out[einsum->out_rank++] = label;
    seen[label] = true;
  }
  int64_t count;
  char text[SHAPE_TEXT];
  if (count_elements(result->rank, result->dims, &count)) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "the output has too many elements: its shape would be %s",
           shape_text(result->rank, result->dims, text));
  return false;
}

// Where the output repeats labels, the sums go onto a diagonal of it, zeros elsewhere.
static void* sums_place(run* run, const tn_cpu_einsum* einsum, const result* result,
                        const array* output) {
  if (einsum->out_rank == result->rank) return output->data;
  int64_t count = 1;
  for (int i = 0; i < einsum->out_rank; ++i) count *= einsum->dims[einsum->out[i]];
  return run_scratch(run, (size_t)count * tn_cpu_size(output->dtype));
}

static void spread_diagonal(run* run, const tn_cpu_einsum* einsum, const result* result,
                            const void* sums, const array* output) {
  int64_t strides[TN_CPU_EINSUM_LABELS], along[TN_CPU_EINSUM_LABELS] = {0};
  int64_t dims[TN_CPU_EINSUM_LABELS], dense[TN_CPU_EINSUM_LABELS], diagonal[TN_CPU_EINSUM_LABELS];
  tn_cpu_dense_strides(result->rank, result->dims, strides);
  for (int i = 0; i < result->rank; ++i) along[result->label_of[i]] += strides[i];
  for (int i = 0; i < einsum->out_rank; ++i) {
    dims[i] = einsum->dims[einsum->out[i]];
    diagonal[i] = along[einsum->out[i]];
  }
  tn_cpu_dense_strides(einsum->out_rank, dims, dense);
  const size_t size = tn_cpu_size(output->dtype);
  memset(output->data, 0, (size_t)output->count * size);
  tn_cpu_move(size, einsum->out_rank, dims, sums, dense, output->data, diagonal, run->parallel);
}

static void compute(run* run, const equation* equation, tn_cpu_einsum* einsum) {
  array inputs[2], output;
  result result = {.rank = 0};
  int spread = 0;
  for (int i = 0; i < equation->operands; ++i)
    if (!run_input(run, i, &inputs[i]) ||
        !set_labels(run, equation, i, &inputs[i], einsum, &spread))
      return;
  einsum->operands = equation->operands;
  einsum->labels = equation->named + spread;
  if (!set_output(run, equation, spread, einsum, &result) ||
      !run_output(run, 0, result.rank, result.dims, &output) || output.count == 0)
    return;
  void* sums = sums_place(run, einsum, &result, &output);
  void* workspace = run_scratch(run, tn_cpu_einsum_workspace(output.dtype, einsum));
  if (!sums || !workspace) return;
  const void* operands[] = {inputs[0].data, equation->operands == 2 ? inputs[1].data : NULL};
  tn_cpu_einsum_run(output.dtype, einsum, operands, sums, workspace, run->parallel);
  if (sums != output.data) spread_diagonal(run, einsum, &result, sums, &output);
}

static void einsum(void* state, TF_OpKernelContext* context) {
  const equation* equation = state;
  run run;
  tn_cpu_einsum einsum = {.labels = 0};
  run_begin(&run, context, "Einsum");
  run_may_stop(&run);
  const int given = TF_NumInputs(context);
  if (given != equation->operands) {
    run_fail(&run, TF_INVALID_ARGUMENT, "the equation has %d operands, and %d are given",
             equation->operands, given);
  } else {
    compute(&run, equation, &einsum);
  }
  run_end(&run);
}

void register_einsum(void) {
  const kernel kernels[] = {
      {.op = "Einsum",
       .create = create,
       .compute = einsum,
       .destroy = free,
       .constraints = {{"T", TN_CPU_FLOATS | TN_CPU_COMPLEXES | TN_CPU_TYPE(TN_INT32) |
                                 TN_CPU_TYPE(TN_INT64)}}}};
  register_kernels(kernels, 1);
}
