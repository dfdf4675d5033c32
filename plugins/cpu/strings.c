// StringJoin.

#include "strings.h"

#include <stdlib.h>
#include <string.h>

char* resize_string(run* run, TF_TString* string, size_t size) {
  char* text = TF_TString_ResizeUninitialized(string, size);
  if (!text) run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a string of %zu bytes", size);
  return text;
}

bool copy_string(run* run, TF_TString* to, const TF_TString* from) {
  const size_t size = TF_TString_GetSize(from);
  char* text = resize_string(run, to, size);
  if (text && size) memcpy(text, TF_TString_GetDataPointer(from), size);
  return text != NULL;
}

typedef struct join_state {
  char* separator;
  size_t separator_size;
} join_state;

static void* join_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  join_state state = {NULL, 0};
  attrs_begin(&attrs, construction, "StringJoin");
  state.separator = attr_text(&attrs, "separator", &state.separator_size);
  void* kept = attrs_end(&attrs, &state, sizeof state);
  if (!kept) free(state.separator);
  return kept;
}

static void join_destroy(void* state) {
  if (state) free(((join_state*)state)->separator);
  free(state);
}

// An input of StringJoin: every element, or one for all.
typedef struct join_input {
  const TF_TString* strings;
  bool scalar;
} join_input;

static void join_elements(run* run, const join_state* state, const join_input* inputs, int count,
                          const array* output) {
  TF_TString* to = output->data;
  for (int64_t i = 0; i < output->count; ++i) {
    size_t size = state->separator_size * (size_t)(count ? count - 1 : 0);
    for (int j = 0; j < count; ++j)
      size += TF_TString_GetSize(&inputs[j].strings[inputs[j].scalar ? 0 : i]);
    char* text = resize_string(run, &to[i], size);
    if (!text) return;
    for (int j = 0; j < count; ++j) {
      const TF_TString* from = &inputs[j].strings[inputs[j].scalar ? 0 : i];
      if (j) text = mempcpy(text, state->separator, state->separator_size);
      text = mempcpy(text, TF_TString_GetDataPointer(from), TF_TString_GetSize(from));
    }
  }
}

static void join(void* state, TF_OpKernelContext* context) {
  run run;
  array input, shaped = {.rank = 0}, output;
  int shaped_index = -1;
  run_begin(&run, context, "StringJoin");
  const int count = TF_NumInputs(context);
  join_input* inputs = run_scratch(&run, (size_t)count * sizeof *inputs);
  for (int i = 0; i < count && run_input(&run, i, &input); ++i) {
    inputs[i] = (join_input){input.data, input.rank == 0};
    if (input.rank == 0) continue;
    if (shaped_index < 0) {
      shaped = input;
      shaped_index = i;
    } else if (input.rank != shaped.rank ||
               memcmp(input.dims, shaped.dims, (size_t)input.rank * sizeof input.dims[0]) != 0) {
      char text[SHAPE_TEXT], shaped_text[SHAPE_TEXT];
      run_fail(
          &run, TF_INVALID_ARGUMENT,
          "inputs[%d] of shape %s and inputs[%d] of shape %s must have the same shape, or one be a "
          "scalar",
          shaped_index, shape_text(shaped.rank, shaped.dims, shaped_text), i,
          shape_text(input.rank, input.dims, text));
    }
  }
  if (run_output(&run, 0, shaped.rank, shaped.dims, &output))
    join_elements(&run, state, inputs, count, &output);
  run_end(&run);
}

void register_strings(void) {
  const kernel kernels[] = {
      {.op = "StringJoin", .create = join_create, .compute = join, .destroy = join_destroy}};
  register_kernels(kernels, 1);
}
