#include "abi/policy.h"

#include "abi/changelog.h"
#include "base/text.h"
#include "harness.h"

typedef struct fixture {
  tn_abi_model before, after;
  tn_abi_differences differences;
  tn_abi_policy policy;
  tn_abi_verdict verdict;
} fixture;

static tn_abi_field* field(tn_abi_model* model, tn_abi_struct* owner, const char* name,
                           int64_t offset, const char* kind, const char* type) {
  tn_abi_field* made = tn_abi_model_add_field(model, owner, name);
  made->offset = offset;
  made->size = 8;
  made->kind = tn_abi_model_text(model, kind);
  made->type = tn_abi_model_text(model, type);
  owner->end = owner->size = offset + 8;
  return made;
}

// struct Args {size_t struct_size; void* data; int (*call)(int);}, an enum, a function; number 0.5.
static tn_abi_struct* fill(tn_abi_model* model) {
  tn_abi_struct* args = tn_abi_model_add_struct(model, "Args");
  field(model, args, "struct_size", 0, "unsigned_integer", "size_t");
  field(model, args, "data", 8, "pointer", "void *");
  field(model, args, "call", 16, "function_pointer", "int (*)(int)");
  tn_abi_model_add_struct(model, "Handle")->opaque = true;
  tn_abi_model_add_constant(model, "Color", "RED", 0);
  tn_abi_model_add_constant(model, "Color", "BLUE", 1);
  tn_abi_model_add_function(model, "f")->type = "int (int)";
  model->minor = 5;
  model->patch = -1;
  return args;
}

static void judge(fixture* f, const char* policy, const char* changelog) {
  tn_status* status = tn_status_create();
  CHECK(tn_abi_policy_get(policy, &f->policy, status));
  tn_status_destroy(status);
  tn_abi_compare(&f->before, &f->after, &f->differences);
  CHECK(!f->differences.failed);
  tn_abi_judge(&f->policy, &f->before, &f->after, &f->differences,
               (tn_view){changelog, changelog ? strlen(changelog) : 0}, &f->verdict);
}

static void finish(fixture* f) {
  tn_abi_differences_deinit(&f->differences);
  tn_abi_model_deinit(&f->before);
  tn_abi_model_deinit(&f->after);
}

// One change, and what both policies make of it.
typedef void (*change)(tn_abi_model* model, tn_abi_struct* args);
static void nothing(tn_abi_model* model, tn_abi_struct* args) {}
static void append(tn_abi_model* model, tn_abi_struct* args) {
  field(model, args, "more", 24, "pointer", "void *");
}
static void insert(tn_abi_model* model, tn_abi_struct* args) {
  field(model, args, "more", 24, "pointer", "void *");
  args->fields[3].offset = 16;
  args->fields[2].offset = 24;
}
static void rename_field(tn_abi_model* model, tn_abi_struct* args) {
  args->fields[1].name = "bytes";
}
static void retype(tn_abi_model* model, tn_abi_struct* args) { args->fields[1].kind = "float"; }
static void remove_last(tn_abi_model* model, tn_abi_struct* args) { args->field_count--; }
static void add_parameter(tn_abi_model* model, tn_abi_struct* args) {
  args->fields[2].type = "int (*)(int, void *)";
}
static void deprecate(tn_abi_model* model, tn_abi_struct* args) {
  args->fields[1].deprecated = true;
}
static void define(tn_abi_model* model, tn_abi_struct* args) {
  ((tn_abi_struct*)tn_abi_model_struct(model, "Handle"))->opaque = false;
}
static void change_value(tn_abi_model* model, tn_abi_struct* args) {
  model->constants[1].value = 2;
}
static void add_constant(tn_abi_model* model, tn_abi_struct* args) {
  tn_abi_model_add_constant(model, "Color", "GREEN", 2);
}
static void drop_function(tn_abi_model* model, tn_abi_struct* args) { model->function_count--; }
static void lie(tn_abi_model* model, tn_abi_struct* args) { args->size_constant = 16; }
static void align(tn_abi_model* model, tn_abi_struct* args) { args->alignment = 16; }

TEST(every_kind_of_change_has_the_class_that_the_seeds_give_it) {
  const struct {
    change change;
    tn_abi_difference_kind kind;
    tn_abi_class pjrt, tf;
  } cases[] = {
      {append, TN_ABI_FIELD_APPENDED, TN_ABI_MINOR, TN_ABI_MINOR},
      {insert, TN_ABI_FIELD_INSERTED, TN_ABI_MAJOR, TN_ABI_ILLEGAL},
      {insert, TN_ABI_FIELD_MOVED, TN_ABI_MAJOR, TN_ABI_ILLEGAL},
      {rename_field, TN_ABI_FIELD_RENAMED, TN_ABI_MINOR, TN_ABI_ILLEGAL},
      {retype, TN_ABI_FIELD_RETYPED, TN_ABI_MAJOR, TN_ABI_ILLEGAL},
      {remove_last, TN_ABI_FIELD_REMOVED, TN_ABI_MAJOR, TN_ABI_ILLEGAL},
      {add_parameter, TN_ABI_FIELD_SIGNATURE, TN_ABI_MAJOR, TN_ABI_ILLEGAL},
      {deprecate, TN_ABI_FIELD_DEPRECATED, TN_ABI_MINOR, TN_ABI_MINOR},
      {define, TN_ABI_OPAQUE_DEFINED, TN_ABI_MAJOR, TN_ABI_ILLEGAL},
      {change_value, TN_ABI_CONSTANT_CHANGED, TN_ABI_MAJOR, TN_ABI_ILLEGAL},
      {add_constant, TN_ABI_CONSTANT_ADDED, TN_ABI_MINOR, TN_ABI_MINOR},
      {drop_function, TN_ABI_FUNCTION_REMOVED, TN_ABI_MAJOR, TN_ABI_ILLEGAL},
      {lie, TN_ABI_SIZE_CONSTANT_WRONG, TN_ABI_ILLEGAL, TN_ABI_ILLEGAL},
      {align, TN_ABI_ALIGNMENT_OVER_8, TN_ABI_ILLEGAL, TN_ABI_ILLEGAL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int tf = 0; tf < 2; ++tf) {
      fixture f = {0};
      fill(&f.before);
      cases[i].change(&f.after, fill(&f.after));
      judge(&f, tf ? "tf" : "pjrt", NULL);
      bool met = false;
      for (size_t j = 0; j < f.differences.count; ++j)
        met |= f.differences.items[j].kind == cases[i].kind;
      CHECK(met);
      CHECK_INT(f.policy.classes[cases[i].kind], tf ? cases[i].tf : cases[i].pjrt);
      CHECK(!f.verdict.bump_ok && !f.verdict.legal);
      CHECK(*tn_abi_advice(&f.policy, cases[i].kind));
      finish(&f);
    }
  }
}

TEST(the_number_must_move_as_the_class_demands) {
  const struct {
    change change;
    int major, minor;
    bool legal;
  } cases[] = {{nothing, 0, 5, true},     {nothing, 0, 6, true}, {append, 0, 5, false},
               {append, 0, 6, true},      {append, 1, 0, true},  {remove_last, 0, 6, false},
               {remove_last, 1, 0, true}, {append, 0, 4, false}, {lie, 1, 0, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    fixture f = {0};
    fill(&f.before);
    cases[i].change(&f.after, fill(&f.after));
    f.after.major = cases[i].major;
    f.after.minor = cases[i].minor;
    judge(&f, "pjrt", NULL);
    CHECK_INT(f.verdict.legal, cases[i].legal);
    finish(&f);
  }
}

TEST(the_changelog_has_an_entry_with_the_number_and_a_date) {
  const struct {
    const char* text;
    bool good;
  } cases[] = {{"# Changes\n\n## 0.6 (Oct 2, 2024)\n* more\n## 0.5 (Sep 1, 2024)\n", true},
               {"- 0.6: 2024-10-02 more\n", true},
               {"[0.6] - 2 October 2024\n[0.5]", true},
               {"## 0.5 (Sep 1, 2024)\n", false},
               {"## 0.6\n", false},
               {"## 0.7 (Nov 1, 2024)\n## 0.6 (Oct 2, 2024)\n", false},
               {"0.60 2024-10-02\n0.6.1 2024-10-02\n", false},
               {"# Changelog\n## [Unreleased]\n### Added\n## [0.6.0] - 2024-10-02\n"
                "## [0.5.0] - 2024-09-01\n[0.6.0]: https://host/compare/v0.5.0...v0.6.0\n",
                true},
               {"## v0.6.0 (2024-10-02)\n", true},
               {"## [0.6.0]\n[0.6.0]: https://host/2024-10-02\n", false},
               {"## [0.6.0-rc1] - 2024-10-02\n", false},
               {"", false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    fixture f = {0};
    fill(&f.before);
    append(&f.after, fill(&f.after));
    f.after.minor = 6;
    judge(&f, "pjrt", cases[i].text);
    CHECK_INT(f.verdict.changelog_ok, cases[i].good);
    CHECK_INT(f.verdict.changelog_note[0] == '\0', cases[i].good);
    finish(&f);
  }
}

static void write_policy(const char* text, char* path, size_t size) {
  snprintf(path, size, "%s/policy", test_folder());
  FILE* file = fopen(path, "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

TEST(a_policy_file_changes_classes_and_its_mistakes_are_told_by_line) {
  char path[4096];
  tn_abi_policy policy;
  tn_status* status = tn_status_create();
  write_policy("# ours\nbase = tf\nfield-renamed = minor\nversion-prefix = MY_API\n", path,
               sizeof path);
  CHECK(tn_abi_policy_get(path, &policy, status));
  CHECK_INT(policy.classes[TN_ABI_FIELD_RENAMED], TN_ABI_MINOR);
  CHECK_INT(policy.classes[TN_ABI_FIELD_MOVED], TN_ABI_ILLEGAL);
  CHECK_TEXT(policy.prefix, "MY_API");
  const struct {
    const char *text, *says;
  } bad[] = {{"base = pjrt\nfield-renamd = minor\n",
              ":2: no difference is called 'field-renamd'; did you mean "
              "field-renamed"},
             {"field-moved = fine\n", ":1: 'fine' is none of"},
             {"base = torch\n", ":1: 'torch' is none of pjrt and tf"},
             {"nonsense\n", ":1: not of the form"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    write_policy(bad[i].text, path, sizeof path);
    CHECK(!tn_abi_policy_get(path, &policy, status));
    CHECK_CONTAINS(tn_status_message(status), bad[i].says);
  }
  CHECK(!tn_abi_policy_get("/no/such/file", &policy, status));
  tn_status_destroy(status);
}
