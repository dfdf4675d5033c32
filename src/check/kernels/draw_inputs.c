// Tensors drawn, and inputs of a kernel whose shapes hang together.
#include <string.h>

#include "check/kernels/draw.h"
#include "kernel/resource.h"
#include "kernel/tensor_list.h"
#include "kernel/variable.h"
#include "tensor/tstring.h"

static void draw_number(tn_dtype dtype, char* to, tk_style style, uint64_t* random) {
  // Large enough to be wrong for sure, or small enough to be computed in time.
  static const int64_t wild[] = {INT64_MIN, INT32_MIN, -100, -3,  -2,        -1,       0,
                                 1,         2,         7,    100, INT32_MAX, INT64_MAX};
  const bool is_wild = style == TK_WILD && tk_chance(random, 70);
  switch (dtype) {
    case TN_FLOAT:
    case TN_DOUBLE:
    case TN_HALF:
    case TN_BFLOAT16:
    case TN_COMPLEX64:
    case TN_COMPLEX128: {
      static const double odd[] = {0,  -0.0, 1e30, -1e30, 1e-42, __builtin_inf(), -__builtin_inf(),
                                   -1, 3e5};
      double values[2];
      for (int i = 0; i < 2; ++i)
        values[i] = is_wild ? tk_chance(random, 20) ? __builtin_nan("") : TK_PICK(random, odd)
                            : (double)tn_case_between(random, -8, 8) / 4;
      const float halves[2] = {(float)values[0], (float)values[1]};
      if (dtype == TN_FLOAT)
        memcpy(to, halves, 4);
      else if (dtype == TN_DOUBLE)
        memcpy(to, values, 8);
      else if (dtype == TN_COMPLEX64)
        memcpy(to, halves, 8);
      else if (dtype == TN_COMPLEX128)
        memcpy(to, values, 16);
      else if (dtype == TN_BFLOAT16)
        memcpy(to, (const char*)halves + 2, 2);
      else
        memcpy(to, &(_Float16){(_Float16)halves[0]}, 2);
      break;
    }
    case TN_BOOL: *to = (char)tk_chance(random, 50); break;
    default: {
      const size_t size = tn_dtype_stored_size(dtype);
      int64_t value = is_wild ? TK_PICK(random, wild) : tn_case_between(random, 0, 2);
      if (size == 4 && value == INT64_MIN) value = INT32_MIN;
      if (size == 4 && value == INT64_MAX) value = INT32_MAX;
      memcpy(to, &value, size < 8 ? size : 8);
    }
  }
}

static void draw_string(tn_tstring* to, tk_style style, uint64_t* random) {
  static const char* const words[] = {"", "a", "7", "0.5", "some words, more", "\xc3\xa4\xff"};
  const char* word = TK_PICK(random, words);
  if (style != TK_WILD || tk_chance(random, 50)) {
    tn_tstring_copy(to, word, strlen(word));
    return;
  }
  const size_t size = tk_chance(random, 30) ? 5000 : tk_pick(random, 40);
  char* text = tn_tstring_resize(to, size);
  for (size_t i = 0; text && i < size; ++i) {
    text[i] = (char)tn_case_between(random, 0, 255);
    if (text[i] == '/') text[i] = 0;
  }
}

static tn_tensor* draw_list(uint64_t* random) {
  const int64_t dims[] = {2};
  const tn_shape shape = {.rank = 1, .small = {2}};
  tn_tensor_list* list = tn_tensor_list_create(TN_FLOAT, &shape, 2, NULL);
  if (!list) tn_case_error("out of memory");
  for (size_t i = 0; i < 2; ++i)
    list->tensors[i] = tk_draw_tensor(TN_FLOAT, dims, 1, TK_PLAIN, random);
  return tn_tensor_of_object(TN_VARIANT, &list->object, NULL);
}

tn_tensor* tk_draw_tensor(tn_dtype dtype, const int64_t* dims, int rank, tk_style style,
                          uint64_t* random) {
  if (dtype == TN_VARIANT) return draw_list(random);
  tn_tensor* tensor = tn_tensor_create(dtype, dims, rank, NULL);
  if (!tensor) return NULL;
  char* data = tn_tensor_data(tensor);
  const size_t size = tn_dtype_stored_size(dtype);
  for (int64_t i = 0; i < tn_tensor_elements(tensor); ++i)
    if (dtype == TN_STRING)
      draw_string((tn_tstring*)data + i, style, random);
    else if (!tn_dtype_owns(dtype))
      draw_number(dtype, data + (size_t)i * size, style, random);
  return tensor;
}

static tn_variable* draw_variable(const tk_run* run, tn_dtype dtype, const int64_t* dims, int rank,
                                  tk_style style, uint64_t* random) {
  tn_variable* variable = tn_variable_create(dtype, NULL);
  tn_tensor* value = tk_draw_tensor(dtype, dims, rank, style, random);
  if (!variable || !value) tn_case_error("out of memory");
  tn_device* device = run->of->device;
  if (device->plugin && !tn_dtype_owns(dtype)) {
    tn_stream* stream = tn_device_stream(device, NULL);
    tn_tensor* there = stream ? tn_tensor_to_stream(value, stream, NULL) : NULL;
    if (there) {
      tn_tensor_destroy(value);
      value = there;
    }
  }
  tn_variable_set(variable, value);
  return variable;
}

void tk_set_input(tk_run* run, size_t i, const int64_t* dims, int rank, tk_style style,
                  uint64_t* random) {
  const tn_node* node = run->instance->node;
  tn_dtype dtype = node->input_types[i];
  tn_tensor_destroy(run->inputs[i]);
  tn_variable* variable = NULL;
  if (dtype == TN_RESOURCE) {
    const tn_dtype held = tk_type_attr(&node->attrs, NULL);
    variable = draw_variable(run, held, dims, rank, style, random);
    tn_shape shape;
    tn_shape_init(&shape, dims, rank, NULL);
    run->inputs[i] =
        tn_resource_handle_tensor(run->of->device->name, TN_DEFAULT_CONTAINER, "a",
                                  &tn_variable_type, &variable->object, held, &shape, NULL);
    tn_shape_deinit(&shape);
  } else if (tn_dtype_is_ref(dtype)) {
    variable = draw_variable(run, tn_dtype_base(dtype), dims, rank, style, random);
    run->inputs[i] = tn_variable_reference(variable, NULL);
  } else {
    run->inputs[i] = tk_draw_tensor(dtype, dims, rank, style, random);
  }
  tn_variable_unref(variable);
  if (!run->inputs[i]) tn_case_error("out of memory");
}

// How the shapes of the inputs hang together.
typedef enum recipe {
  ALL_MATRICES,
  ALL_SCALARS,
  ALL_EQUAL,
  ALL_SQUARE,
  ALL_VECTORS,
  NUMBERS_AND_SCALARS,  // integers are axes and sizes
  NUMBERS_AND_VECTORS,  // integers are shapes, indices, permutations
  NUMBERS_AND_PAIRS,    // integers are paddings
  FIRST_AND_SCALARS,
  FIRST_AND_VECTORS,
  IMAGES,
  IMAGE_AND_FILTER,
  ANYTHING,
  RECIPES
} recipe;

static int draw_dims(recipe recipe, size_t i, tn_dtype dtype, const int64_t* common, int rank,
                     int64_t* dims, uint64_t* random) {
  const bool is_integer = dtype == TN_INT32 || dtype == TN_INT64;
  const int64_t matrix[] = {2, 3}, square[] = {3, 3}, image[] = {1, 4, 4, 2},
                filter[] = {2, 2, 2, 2};
  const int64_t pairs[] = {rank, 2}, along[] = {rank}, some[] = {common[0]};
  const int64_t* from = common;
  switch (recipe) {
    case ALL_MATRICES: from = matrix, rank = 2; break;
    case ALL_SCALARS: rank = 0; break;
    case ALL_SQUARE: from = square, rank = 2; break;
    case ALL_VECTORS: rank = 1; break;
    case NUMBERS_AND_SCALARS: rank = is_integer && i > 0 ? 0 : rank; break;
    case NUMBERS_AND_VECTORS:
      if (is_integer) from = tk_chance(random, 70) ? along : some, rank = 1;
      break;
    case NUMBERS_AND_PAIRS:
      if (is_integer) from = pairs, rank = 2;
      break;
    case FIRST_AND_SCALARS: rank = i > 0 ? 0 : rank; break;
    case FIRST_AND_VECTORS:
      if (i > 0) from = rank ? common + (tk_chance(random, 50) ? 0 : rank - 1) : some, rank = 1;
      break;
    case IMAGES: from = image, rank = 4; break;
    case IMAGE_AND_FILTER:
      from = is_integer ? (const int64_t[]){4} : i == 1 ? filter : image;
      rank = is_integer ? 1 : 4;
      break;
    case ANYTHING:
      rank = (int)tn_case_between(random, 0, 3);
      for (int k = 0; k < rank; ++k) dims[k] = tn_case_between(random, 1, 3);
      return rank;
    default: break;
  }
  memcpy(dims, from, (size_t)rank * sizeof *dims);
  return rank;
}

// What arguments of these names mean to most ops.
typedef struct habit {
  const char* name;
  int rank;
  int64_t dims[4];
  const int64_t* values;  // four integers; NULL: drawn
} habit;
static const int64_t habit_window[] = {1, 2, 2, 1}, habit_image[] = {1, 4, 4, 2};
static const int64_t habit_filter[] = {2, 2, 2, 2}, habit_one[] = {1, 1, 1, 1}, habit_nothing[4];
static const habit habits[] = {
    {"seed", 1, {2}, NULL},
    {"counter", 1, {2}, NULL},
    {"key", 1, {1}, NULL},
    {"alg", 0, {0}, habit_one},
    {"algorithm", 0, {0}, habit_one},
    {"ksize", 1, {4}, habit_window},
    {"strides", 1, {4}, habit_window},
    {"input_sizes", 1, {4}, habit_image},
    {"orig_input_shape", 1, {4}, habit_image},
    {"filter_sizes", 1, {4}, habit_filter},
    {"filter", 4, {2, 2, 2, 2}, NULL},
    {"out_backprop", 4, {1, 4, 4, 2}, NULL},
    {"input", 4, {1, 4, 4, 2}, NULL},
    {"image", 4, {1, 4, 4, 2}, NULL},
    {"boxes", 2, {1, 4}, NULL},
    {"box_ind", 1, {1}, habit_nothing},
    {"crop_size", 1, {2}, habit_one},
    {"block_shape", 1, {1}, habit_one},
    {"crops", 2, {1, 2}, habit_nothing},
    {"paddings", 2, {1, 2}, habit_nothing},
    {"size_splits", 1, {2}, habit_one},
    {"num_segments", 0, {0}, NULL},
    {"num_samples", 0, {0}, NULL},
    {"minval", 0, {0}, habit_nothing},
    {"maxval", 0, {0}, habit_one},
    {"axis", 0, {0}, habit_nothing},
    {"split_dim", 0, {0}, habit_nothing},
    {"lr", 0, {0}, NULL},
    {"momentum", 0, {0}, NULL},
    {"epsilon", 0, {0}, NULL},
};

static void follow_habits(tk_run* run, tk_style style, uint64_t* random) {
  const tn_node* node = run->instance->node;
  for (size_t i = 0; i < node->op->input_count; ++i)
    for (size_t k = 0; k < sizeof habits / sizeof *habits; ++k) {
      const habit* habit = &habits[k];
      const uint32_t at = node->input_starts[i];
      if (node->input_starts[i + 1] == at || strcmp(node->op->inputs[i].name, habit->name) != 0)
        continue;
      tk_set_input(run, at, habit->dims, habit->rank, style, random);
      const tn_tensor* input = run->inputs[at];
      for (int64_t e = 0; habit->values && e < tn_tensor_elements(input); ++e) {
        const int64_t value = habit->values[e % 4];
        if (input->dtype == TN_INT32) ((int32_t*)tn_tensor_data(input))[e] = (int32_t)value;
        if (input->dtype == TN_INT64) ((int64_t*)tn_tensor_data(input))[e] = value;
      }
    }
}

void tk_draw_inputs(tk_run* run, tk_style style, uint64_t* random) {
  const recipe recipe = (enum recipe)tk_pick(random, RECIPES);
  int64_t common[4];
  const int rank = (int)tn_case_between(random, 0, 4);
  for (int i = 0; i < 4; ++i) common[i] = tn_case_between(random, 1, 4);
  for (size_t i = 0; i < run->input_count; ++i) {
    int64_t dims[4];
    const int own =
        draw_dims(recipe, i, run->instance->node->input_types[i], common, rank, dims, random);
    tk_set_input(run, i, dims, own, style, random);
  }
  if (tk_chance(random, 40)) follow_habits(run, style, random);
}
