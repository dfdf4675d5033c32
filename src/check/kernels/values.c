// Inputs that make little sense: a kernel computes or refuses, and lives.
#include <string.h>

#include "check/kernels/fixture.h"
#include "check/kernels/groups.h"

// Runs of a kernel made with other inputs than it was found to take. What fails must say why.
static void run_anyhow(tk_run* run) {
  tn_status status = {0};
  if (!tk_once(run, &status)) tk_expect_message(tk_describe(run), &status);
  tn_status_deinit(&status);
  tk_drop_outputs(run);
}

static int shape_of(const tk_run* run, size_t i, int64_t* dims) {
  const tn_tensor* input = run->inputs[i];
  const int rank = input->shape.rank <= 8 ? input->shape.rank : 0;
  memcpy(dims, tn_shape_dims(&input->shape), (size_t)rank * sizeof *dims);
  return rank;
}

// Dimensions of the input of that number, or of all (-1), become 0: the last, the first or all.
static void empty_input(tk_run* run, size_t i, int which, uint64_t* random) {
  int64_t dims[8];
  const int rank = shape_of(run, i, dims);
  for (int k = 0; k < rank; ++k)
    if (which == 2 || k == (which ? rank - 1 : 0)) dims[k] = 0;
  tk_set_input(run, i, dims, rank, TK_PLAIN, random);
}

static void zero_sized(tk_run* run, uint64_t* random) {
  for (int which = 0; which < 3; ++which) {
    for (size_t i = 0; i < run->input_count; ++i) {
      empty_input(run, i, which, random);
      run_anyhow(run);
    }
  }
}

static void scalars(tk_run* run, uint64_t* random) {
  for (size_t i = 0; i < run->input_count; ++i) {
    tk_set_input(run, i, NULL, 0, TK_PLAIN, random);
    run_anyhow(run);
  }
}

static void high_ranks(tk_run* run, uint64_t* random) {
  static const int ranks[] = {5, 8, 9, 32, TN_MAX_RANK};
  int64_t dims[TN_MAX_RANK];
  for (int i = 0; i < TN_MAX_RANK; ++i) dims[i] = i < 3 ? 2 : 1;
  for (size_t r = 0; r < sizeof ranks / sizeof *ranks; ++r) {
    for (size_t i = 0; i < run->input_count; ++i)
      tk_set_input(run, i, dims, ranks[r], TK_PLAIN, random);
    run_anyhow(run);
  }
}

static void one_of_high_rank(tk_run* run, uint64_t* random) {
  static const int64_t dims[TN_MAX_RANK] = {0};
  for (size_t i = 0; i < run->input_count; ++i) {
    tk_set_input(run, i, dims, TN_MAX_RANK, TK_PLAIN, random);
    run_anyhow(run);
  }
}

// The shapes that it takes, with values that it may not.
static void odd_values(tk_run* run, uint64_t* random) {
  for (int k = 0; k < 4; ++k) {
    for (size_t i = 0; i < run->input_count; ++i) {
      int64_t dims[8];
      const int rank = shape_of(run, i, dims);
      tk_set_input(run, i, dims, rank, TK_WILD, random);
    }
    run_anyhow(run);
  }
}

// Integers steer most kernels: one input of them at a time, the others as they are.
static void odd_integers(tk_run* run, uint64_t* random) {
  for (size_t i = 0; i < run->input_count; ++i) {
    const tn_dtype dtype = run->instance->node->input_types[i];
    if (dtype != TN_INT32 && dtype != TN_INT64) continue;
    tn_tensor* kept = run->inputs[i];
    run->inputs[i] = NULL;
    for (int k = 0; k < 12; ++k) {
      const int64_t* dims = tn_shape_dims(&kept->shape);
      tk_set_input(run, i, dims, kept->shape.rank, TK_WILD, random);
      run_anyhow(run);
    }
    tn_tensor_destroy(run->inputs[i]);
    run->inputs[i] = kept;
  }
}

static void other_shapes(tk_run* run, uint64_t* random) {
  for (int k = 0; k < 6; ++k) {
    tk_draw_inputs(run, TK_PLAIN, random);
    run_anyhow(run);
  }
}

static void one_other_shape(tk_run* run, uint64_t* random) {
  for (size_t i = 0; i < run->input_count; ++i) {
    tn_tensor* kept = run->inputs[i];
    run->inputs[i] = NULL;
    for (int k = 0; k < 3; ++k) {
      int64_t dims[4];
      const int rank = (int)tn_case_between(random, 0, 4);
      for (int d = 0; d < rank; ++d) dims[d] = tn_case_between(random, 0, 5);
      tk_set_input(run, i, dims, rank, TK_PLAIN, random);
      run_anyhow(run);
    }
    tn_tensor_destroy(run->inputs[i]);
    run->inputs[i] = kept;
  }
}

static void anything(tk_run* run, uint64_t* random) {
  for (int k = 0; k < 6; ++k) {
    tk_draw_inputs(run, TK_WILD, random);
    run_anyhow(run);
  }
}

static void odd_strings(tk_run* run, uint64_t* random) {
  bool any = false;
  for (size_t i = 0; i < run->input_count; ++i)
    any |= run->instance->node->input_types[i] == TN_STRING;
  for (int k = 0; any && k < 8; ++k) {
    for (size_t i = 0; i < run->input_count; ++i) {
      if (run->instance->node->input_types[i] != TN_STRING) continue;
      int64_t dims[8];
      const int rank = shape_of(run, i, dims);
      tk_set_input(run, i, dims, rank, TK_WILD, random);
    }
    run_anyhow(run);
  }
}

// Variables without a value, empty handles and variants.
static void empty_objects(tk_run* run, uint64_t* random) {
  for (size_t i = 0; i < run->input_count; ++i) {
    const tn_dtype dtype = run->instance->node->input_types[i];
    if (dtype != TN_RESOURCE && dtype != TN_VARIANT) continue;
    tn_tensor* kept = run->inputs[i];
    run->inputs[i] = tn_tensor_create(dtype, NULL, 0, NULL);
    if (!run->inputs[i]) tn_case_error("out of memory");
    run_anyhow(run);
    tn_tensor_destroy(run->inputs[i]);
    run->inputs[i] = kept;
  }
}

// As a graph's executor passes on what nobody computed.
static void missing_inputs(tk_run* run, uint64_t* random) {
  if (run->of->device->plugin) return;
  for (size_t i = 0; i < run->input_count; ++i) {
    if (tn_dtype_is_ref(run->instance->node->input_types[i])) continue;
    tn_tensor* kept = run->inputs[i];
    run->inputs[i] = NULL;
    run_anyhow(run);
    run->inputs[i] = kept;
  }
}

static void (*const kinds[])(tk_run* run, uint64_t* random) = {
    zero_sized,   scalars,         high_ranks, one_of_high_rank, odd_values,    odd_integers,
    other_shapes, one_other_shape, anything,   odd_strings,      empty_objects, missing_inputs,
};

static void values(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(kinds[subject->arg]);
}

static const tn_check_case cases[] = {
    {"values.zero_size", "dimensions of 0 are computed or refused", values, 0},
    {"values.scalars", "a scalar in the place of each input is computed or refused", values, 1},
    {"values.high_ranks", "tensors of any rank up to 254 are computed or refused", values, 2},
    {"values.one_high_rank", "one input of the highest rank is computed or refused", values, 3},
    {"values.special_numbers",
     "NaN, infinities and the least and largest numbers are computed or refused", values, 4},
    {"values.wild_integers", "sizes, axes and indices out of range are computed or refused", values,
     5},
    {"values.other_shapes", "inputs of any shapes are computed or refused", values, 6},
    {"values.one_other_shape", "one input of another shape is computed or refused", values, 7},
    {"values.anything", "any inputs of the right types are computed or refused", values, 8},
    {"values.strings", "strings that are empty, long or hold any bytes are computed or refused",
     values, 9},
    {"values.empty_handles", "a resource or variant that holds nothing is refused", values, 10},
    {"values.missing", "an input that has no value is refused", values, 11},
};
const tn_check_group tn_check_kernels_values = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
