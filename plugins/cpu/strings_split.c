// StringSplit and StringSplitV2: strings in pieces, as the values of a sparse matrix.

#include <stdlib.h>
#include <string.h>

#include "strings.h"

typedef struct split_state {
  bool skip_empty;
  int64_t most;  // splits, in V2; negative for any number
} split_state;

// Takes the next piece from the front of `text`; false at the end. `splits` counts from 0 for every
// string.
typedef bool (*splitter)(const split_state* state, chars separator, chars* text, int64_t splits,
                         chars* out_piece);

// What a string that is used up looks like; an empty one may still hold an empty piece.
static const chars used_up = {NULL, 0};

static chars first_of(chars* text, size_t size, size_t separator) {
  const chars piece = {text->data, size};
  text->data += size + separator;
  text->size -= size + separator;
  return piece;
}

static chars all_of(chars* text) {
  const chars piece = *text;
  *text = used_up;
  return piece;
}

static void skip_spaces(chars* text) {
  while (text->size && is_space(text->data[0])) first_of(text, 1, 0);
}

// Each character of `separators` separates; without any, every byte is a piece.
static bool split_at_any(const split_state* state, chars separators, chars* text, int64_t splits,
                         chars* out_piece) {
  if (separators.size == 0) {
    if (text->size == 0) return false;
    *out_piece = first_of(text, 1, 0);
    return true;
  }
  // TensorFlow finds no piece in an empty string even when empty ones are kept.
  if (splits == 0 && text->size == 0) return false;
  while (text->data) {
    size_t size = 0;
    while (size < text->size && !memchr(separators.data, text->data[size], separators.size)) ++size;
    *out_piece = size == text->size ? all_of(text) : first_of(text, size, 1);
    if (size || !state->skip_empty) return true;
  }
  return false;
}

// Like Python's str.split.
static bool split_like_python(const split_state* state, chars separator, chars* text,
                              int64_t splits, chars* out_piece) {
  if (!text->data) return false;
  const bool last = state->most >= 0 && splits == state->most;
  if (separator.size == 0 && !(last && splits == 0)) {
    skip_spaces(text);
    if (text->size == 0 && !last) return false;
    size_t size = 0;
    while (size < text->size && !is_space(text->data[size])) ++size;
    *out_piece = last ? all_of(text) : first_of(text, size, 0);
    return true;
  }
  const char* at = last ? NULL : memmem(text->data, text->size, separator.data, separator.size);
  *out_piece = at ? first_of(text, (size_t)(at - text->data), separator.size) : all_of(text);
  return true;
}

// Counts the pieces of all strings, and the most of any one.
static void count_pieces(const split_state* state, splitter next, const array* in, chars separator,
                         int64_t* out_count, int64_t* out_most) {
  *out_count = *out_most = 0;
  for (int64_t i = 0; i < in->count; ++i) {
    chars text = element(in, i), piece;
    int64_t splits = 0;
    if (!text.data) text.data = "";
    while (next(state, separator, &text, splits, &piece)) ++splits;
    *out_count += splits;
    if (splits > *out_most) *out_most = splits;
  }
}

static void put_pieces(run* run, const split_state* state, splitter next, const array* in,
                       chars separator, int64_t* indices, TF_TString* values) {
  for (int64_t i = 0; i < in->count; ++i) {
    chars text = element(in, i), piece;
    if (!text.data) text.data = "";
    for (int64_t splits = 0; next(state, separator, &text, splits, &piece); ++splits) {
      *indices++ = i;
      *indices++ = splits;
      if (!set_string(run, values++, piece)) return;
    }
  }
}

static void split(TF_OpKernelContext* context, const char* op, const char* separator_name,
                  const split_state* state, splitter next) {
  run run;
  array in, separator, indices, values, shape;
  char text[SHAPE_TEXT];
  run_begin(&run, context, op);
  if (run_input(&run, 0, &in) && in.rank != 1)
    run_fail(&run, TF_INVALID_ARGUMENT, "input input must be a vector, not of shape %s",
             shape_text(in.rank, in.dims, text));
  if (run_ok(&run) && run_scalar(&run, 1, separator_name, &separator)) {
    const chars by = element(&separator, 0);
    int64_t count, most;
    count_pieces(state, next, &in, by, &count, &most);
    if (run_output(&run, 0, 2, (int64_t[]){count, 2}, &indices) &&
        run_output(&run, 1, 1, &count, &values) && run_output(&run, 2, 1, (int64_t[]){2}, &shape)) {
      ((int64_t*)shape.data)[0] = in.count;
      ((int64_t*)shape.data)[1] = most;
      put_pieces(&run, state, next, &in, by, indices.data, values.data);
    }
  }
  run_end(&run);
}

static void* split_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "StringSplit");
  split_state state = {.skip_empty = attr_bool(&attrs, "skip_empty")};
  return attrs_end(&attrs, &state, sizeof state);
}

static void* split_v2_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "StringSplitV2");
  split_state state = {.most = attr_int(&attrs, "maxsplit")};
  return attrs_end(&attrs, &state, sizeof state);
}

static void split_v1(void* state, TF_OpKernelContext* context) {
  split(context, "StringSplit", "delimiter", state, split_at_any);
}

static void split_v2(void* state, TF_OpKernelContext* context) {
  split(context, "StringSplitV2", "sep", state, split_like_python);
}

void register_string_splits(void) {
  const kernel kernels[] = {
      {.op = "StringSplit", .create = split_create, .compute = split_v1, .destroy = free},
      {.op = "StringSplitV2", .create = split_v2_create, .compute = split_v2, .destroy = free},
  };
  register_kernels(kernels, 2);
}
