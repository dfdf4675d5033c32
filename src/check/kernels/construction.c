// Kernels made and deleted: with the attributes that their ops allow, and without running.
#include "check/kernels/fixture.h"
#include "check/kernels/groups.h"

static size_t made, refused;

static void make_plain(const tk_kernel* kernel) {
  uint64_t random = kernel->seed;
  for (int i = 0; i < 6; ++i) {
    tk_run run;
    if (tk_make(&run, kernel, TK_PLAIN, &random, NULL, NULL)) {
      ++made;
      tk_drop(&run);
      return;
    }
  }
  ++refused;
}

static void plain(const tn_subject* subject) {
  tk_start(subject);
  tk_each(make_plain);
  if (refused)
    tn_case_note("%zu kernels were made; %zu refused all attributes tried", made, refused);
  TN_EXPECT(made > 0 || refused == 0, "a kernel that can be made", "none of %zu", refused);
}

static void make_many(const tk_kernel* kernel, tk_style style, int times) {
  uint64_t random = kernel->seed;
  for (int i = 0; i < times; ++i) {
    tk_run run;
    tn_status status = {0};
    bool is_kernels;
    if (tk_make(&run, kernel, style, &random, &is_kernels, &status))
      tk_drop(&run);
    else if (is_kernels)
      tk_expect_message(tk_name(kernel), &status);
    tn_status_deinit(&status);
  }
}

static void make_varied(const tk_kernel* kernel) { make_many(kernel, TK_VARIED, 12); }
static void make_wild(const tk_kernel* kernel) { make_many(kernel, TK_WILD, 24); }

static void varied(const tn_subject* subject) {
  tk_start(subject);
  tk_each(make_varied);
}

static void wild(const tn_subject* subject) {
  tk_start(subject);
  tk_each(make_wild);
}

// A kernel that took attributes that make no sense must stand its inputs too.
static void run_wild(const tk_kernel* kernel) {
  uint64_t random = kernel->seed;
  for (int i = 0; i < 8; ++i) {
    tk_run run;
    if (!tk_make(&run, kernel, TK_WILD, &random, NULL, NULL)) continue;
    for (int k = 0; k < 4; ++k) {
      tk_draw_inputs(&run, TK_PLAIN, &random);
      tk_once(&run, NULL);
    }
    tk_drop(&run);
  }
}

static void wild_and_run(const tn_subject* subject) {
  tk_start(subject);
  tk_each(run_wild);
}

// As one host keeps it, and another makes a kernel per step.
static void lives_beside_others(tk_run* run, uint64_t* random) {
  if (!tk_is_pure(run)) return;
  enum { OTHERS = 8 };
  tn_tensor* kept[TK_MOST_ARGS];
  tk_keep_outputs(run, kept);
  tk_run others[OTHERS];
  bool there[OTHERS];
  for (int i = 0; i < OTHERS; ++i)
    there[i] = tk_make(&others[i], run->of, TK_VARIED, random, NULL, NULL);
  if (tk_once(run, NULL))
    tk_expect_outputs(run, kept, "the same with others of its kind beside it");
  for (int i = 0; i < OTHERS; ++i)
    if (there[i]) tk_drop(&others[i]);
  if (tk_once(run, NULL)) tk_expect_outputs(run, kept, "the same after others were deleted");
  tk_drop_tensors(kept, run->output_count);
}

static void beside_others(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(lives_beside_others);
}

static const tn_check_case cases[] = {
    {"made.plain_attrs", "each kernel can be made and deleted", plain, 0},
    {"made.varied_attrs", "a kernel is made, or refuses with a message, for all that its op allows",
     varied, 0},
    {"made.wild_attrs", "attributes that make no sense are refused", wild, 0},
    {"made.wild_attrs_run",
     "a kernel that takes attributes which make no sense still runs or fails", wild_and_run, 0},
    {"made.beside_others", "kernels of one kind do not know of each other", beside_others, 0},
};
const tn_check_group tn_check_kernels_made = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
