// Arguments that are given up to a run.
#include <string.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static const float numbers[4] = {1, 2, 3, 4}, sums[4] = {2, 3, 4, 5};

static struct {
  PJRT_LoadedExecutable* loaded;
  PJRT_Buffer *inputs[2], *outputs[2];
} of;

static void start(const tn_subject* subject, const char* program) {
  pj_start(subject);
  of.loaded = pj_compile(program);
  for (int i = 0; i < 2; ++i) of.inputs[i] = pj_put_floats(numbers, 4);
}

static void expect_sums(void) {
  pj_expect_floats("the first output", of.outputs[0], sums, 4);
  pj_expect_floats("the second output", of.outputs[1], sums, 4);
}

static void donated(const tn_subject* subject) {
  start(subject, subject->arg ? pj_add_one_donor : pj_add_one_aliased);
  pj_execute(of.loaded, of.inputs, 2, of.outputs);
  TN_EXPECT(pj_is_deleted(of.inputs[0]), "the donated argument says that it is deleted",
            "it does not");
  TN_EXPECT(!pj_is_deleted(of.inputs[1]), "the other argument is kept", "it is deleted");
  expect_sums();
  pj_expect_floats("the argument that is kept", of.inputs[1], numbers, 4);
  pj_destroy(of.inputs[0]);
  pj_expect_floats("the output, after the donated handle went", of.outputs[0], sums, 4);
}

static void donated_refuses(const tn_subject* subject) {
  start(subject, pj_add_one_aliased);
  pj_execute(of.loaded, of.inputs, 2, of.outputs);
  const pj_error error = pj_read_failure(of.inputs[0], sizeof numbers);
  TN_EXPECT(error.code, "an error", "a donated buffer is read");
  PJRT_Buffer* again[2] = {NULL, NULL};
  PJ_REFUSED("an argument that was donated before",
             pj_try_execute(of.loaded, of.inputs, 2, again, NULL, NULL), PJ_ANY_CODE);
}

static void kept_by_option(const tn_subject* subject) {
  start(subject, subject->arg ? pj_add_one_donor : pj_add_one_aliased);
  if (!TN_PJRT_HAS_FIELD(pj.plugin, PJRT_ExecuteOptions, num_non_donatable_input_indices))
    tn_case_skip("non_donatable_input_indices came with 0.39");
  const int64_t keep[] = {0};
  PJRT_ExecuteOptions options = pj_execute_options();
  options.non_donatable_input_indices = keep;
  options.num_non_donatable_input_indices = 1;
  pj_must(TN_PJRT_AT_PJRT_LoadedExecutable_Execute,
          pj_try_execute(of.loaded, of.inputs, 2, of.outputs, &options, NULL));
  TN_EXPECT(!pj_is_deleted(of.inputs[0]), "an argument that is kept", "it is deleted");
  expect_sums();
  if (!pj_is_deleted(of.inputs[0]))
    pj_expect_floats("the argument that is kept", of.inputs[0], numbers, 4);
}

static void twice(const tn_subject* subject) {
  start(subject, pj_add_one_aliased);
  PJRT_Buffer* same[2] = {of.inputs[0], of.inputs[0]};
  PJ_REFUSED("one buffer as a donated and as another argument",
             pj_try_execute(of.loaded, same, 2, of.outputs, NULL, NULL), PJ_ANY_CODE);
}

static void failure_donates_nothing(const tn_subject* subject) {
  start(subject, pj_add_one_aliased);
  pj_delete(of.inputs[1]);
  pj_error error = pj_take(pj_try_execute(of.loaded, of.inputs, 2, of.outputs, NULL, NULL));
  if (!error.code) tn_case_skip("a deleted argument is not refused at once");
  TN_EXPECT(!pj_is_deleted(of.inputs[0]), "arguments as they were", "one is deleted");
  PJRT_Buffer* one[1] = {of.inputs[0]};
  error = pj_take(pj_try_execute(of.loaded, one, 1, of.outputs, NULL, NULL));
  TN_EXPECT(error.code, "an error", "one argument for two");
  TN_EXPECT(!pj_is_deleted(of.inputs[0]), "arguments as they were", "one is deleted");
  if (!pj_is_deleted(of.inputs[0]))
    pj_expect_floats("the argument after refusals", of.inputs[0], numbers, 4);
}

static void chained(const tn_subject* subject) {
  start(subject, pj_add_one_aliased);
  for (int i = 0; i < 30; ++i) {
    pj_execute(of.loaded, of.inputs, 2, of.outputs);
    pj_destroy(of.inputs[0]);
    pj_destroy(of.outputs[1]);
    of.inputs[0] = of.outputs[0];
    of.outputs[0] = of.outputs[1] = NULL;
  }
  const float expected[4] = {31, 32, 33, 34};
  pj_expect_floats("thirty more", of.inputs[0], expected, 4);
}

static void while_read(const tn_subject* subject) {
  start(subject, pj_add_one_aliased);
  float seen[4] = {0};
  PJRT_Event* event;
  pj_must(TN_PJRT_AT_PJRT_Buffer_ToHostBuffer, pj_read(of.inputs[0], seen, sizeof seen, &event));
  pj_execute(of.loaded, of.inputs, 2, of.outputs);
  pj_finish("the event of PJRT_Buffer_ToHostBuffer", event);
  pj_compare("what was read before the donation", seen, numbers, sizeof seen);
  expect_sums();
}

static const tn_check_case cases[] = {
    {"donation.aliased", "an argument with tf.aliasing_output is deleted, and only that", donated,
     0},
    {"donation.donor", "an argument with jax.buffer_donor is deleted, and only that", donated, 1},
    {"donation.refuses", "a donated buffer can be neither read nor used", donated_refuses, 0},
    {"donation.kept_aliased", "an argument in non_donatable_input_indices is kept", kept_by_option,
     0},
    {"donation.kept_donor", "a donor in non_donatable_input_indices is kept", kept_by_option, 1},
    {"donation.twice", "a buffer that is donated can be no other argument of the same run", twice,
     0},
    {"donation.failure", "a run that is refused donates nothing", failure_donates_nothing, 0},
    {"donation.chained", "an output may be donated to the next run", chained, 0},
    {"donation.while_read", "a read that was under way gets what was there before", while_read, 0},
};
const tn_check_group tn_check_pjrt_donation = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
