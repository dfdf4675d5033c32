#include "abi/layout_file.h"

#include "abi/compare.h"
#include "abi/pjrt_history.h"
#include "abi/tf_history.h"
#include "harness.h"

static void check_round_trip(const tn_abi_model* model) {
  tn_status* status = tn_status_create();
  tn_text text = {0};
  tn_abi_model back = {0};
  tn_abi_differences differences = {0};
  tn_abi_layout_write(model, &text);
  CHECK(!text.failed);
  CHECK(tn_abi_layout_read("baseline.json", tn_text_view(&text), &back, status));
  CHECK_OK(status);
  tn_abi_compare(model, &back, &differences);
  // Lies of the model itself are told again; nothing else differs.
  for (size_t i = 0; i < differences.count; ++i)
    CHECK_INT(differences.items[i].kind, TN_ABI_SIZE_CONSTANT_WRONG);
  CHECK(back.major == model->major && back.minor == model->minor && back.patch == model->patch);
  tn_abi_differences_deinit(&differences);
  tn_abi_model_deinit(&back);
  tn_text_deinit(&text);
  tn_status_destroy(status);
}

TEST(every_model_comes_back_from_its_file) {
  tn_status* status = tn_status_create();
  for (int minor = 1; minor <= tn_abi_pjrt_newest(); minor += 16) {
    tn_abi_model model = {0};
    CHECK(tn_abi_pjrt_model(minor, &model, status));
    check_round_trip(&model);
    tn_abi_model_deinit(&model);
  }
  tn_abi_model model = {0};
  CHECK(tn_abi_tf_model("2.21", &model, status));
  check_round_trip(&model);
  tn_abi_model_deinit(&model);
  tn_status_destroy(status);
}

TEST(other_files_are_refused_by_name_and_place) {
  const struct {
    const char *text, *says;
  } cases[] = {{"", "x.json: line 1, column 1: a value is expected"},
               {"{\"schema\": \"other\"}", "x.json: no layout file"},
               {"[]", "x.json: no layout file"},
               {"{\n  \"a\": tru}", "x.json: line 2, column 8"},
               {"{\"a\": \"\\q\"}", "an escape that JSON does not have"},
               {"{} {}", "something follows the end"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tn_status* status = tn_status_create();
    tn_abi_model model = {0};
    CHECK(!tn_abi_layout_read("x.json", (tn_view){cases[i].text, strlen(cases[i].text)}, &model,
                              status));
    CHECK_CONTAINS(tn_status_message(status), cases[i].says);
    tn_status_destroy(status);
  }
}

TEST(a_layout_that_cannot_be_is_refused_with_the_name_of_what_is_wrong) {
#define FIELD(members) "{\"name\": \"S\", \"size\": 8, \"end\": 8, \"fields\": [" members "]}"
  static const char* const cases[][2] = {
      {"\"constants\": []", "structs: there is no such list"},
      {"\"structs\": [{\"name\": \"S\", \"size\": -1, \"fields\": []}]", "S: its \"size\" is no"},
      {"\"structs\": [{\"name\": \"S\", \"end\": 1e20, \"fields\": []}]", "S: its \"end\" is no"},
      {"\"structs\": [{\"name\": \"S\", \"size\": 1.5, \"fields\": []}]", "S: its \"size\" is no"},
      {"\"structs\": [{\"name\": \"S\", \"size\": \"8\", \"fields\": []}]", "\"size\" is no"},
      {"\"structs\": [{\"name\": \"S\"}]", "S: it has no \"fields\""},
      {"\"structs\": [{\"size\": 8}]", "structs: one of them has no \"name\""},
      {"\"structs\": [" FIELD("{\"name\": \"a\", \"offset\": -4}") "]", "S.a: its \"offset\" is"},
      {"\"structs\": [" FIELD("{\"name\": \"a\", \"kind\": \"zzz\"}") "]", "S.a: its \"kind\""},
      {"\"structs\": [" FIELD("{\"name\": \"a\", \"offset\": 4, \"size\": 8}") "]",
       "S.a: it ends behind its struct"},
      {"\"structs\": [" FIELD("{\"name\": \"a\"}, {\"name\": \"a\"}") "]",
       "S.a: it is there twice"},
      {"\"structs\": [" FIELD("") ", " FIELD("") "]", "S: it is there twice"},
      {"\"structs\": [], \"functions\": [{\"name\": \"f\"}, {\"name\": \"f\"}]",
       "f: it is there twice"},
      {"\"structs\": [], \"constants\": [{\"enum\": \"E\", \"name\": \"A\"}]", "E.A: it has no"},
      {"\"structs\": [[1, 2]]", "structs: one of them has no \"name\""},
      {"\"structs\": [], \"constants\": [[3], 4]", "constants: one of them has no \"name\""},
      {"\"structs\": [], \"version\": {\"major\": -3}", "version: its \"major\" is no"},
  };
#undef FIELD
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tn_status* status = tn_status_create();
    tn_abi_model model = {0};
    tn_text text = {0};
    tn_text_printf(&text, "{\"schema\": \"tenon/abi-layout/1\", %s}", cases[i][0]);
    CHECK(!tn_abi_layout_read("x.json", tn_text_view(&text), &model, status));
    CHECK_CONTAINS(tn_status_message(status), cases[i][1]);
    CHECK_CODE(status, TN_INVALID_ARGUMENT);
    tn_text_deinit(&text);
    tn_status_destroy(status);
  }
}

static bool read_once(void* arg, tn_status* status) {
  tn_abi_model model = {0};
  const tn_text* text = arg;
  if (!tn_abi_layout_read("x.json", tn_text_view(text), &model, status)) return false;
  tn_abi_model_deinit(&model);
  return true;
}

TEST(no_memory_anywhere_is_a_status) {
  static const char text[] =
      "{\"schema\": \"tenon/abi-layout/1\", \"version\": {\"major\": 1, \"minor\": 2},"
      "\"structs\": [{\"name\": \"S\", \"size\": 8, \"end\": 8, \"fields\": [{\"name\": \"a\", "
      "\"offset\": 0,"
      "\"size\": 8, \"kind\": \"pointer\"}]}], \"constants\": [{\"enum\": \"E\", \"name\": \"A\", "
      "\"value\": 1}],"
      "\"functions\": [{\"name\": \"f\", \"type\": \"int ()\"}]}";
  tn_text held = {0};
  tn_text_puts(&held, text);
  CHECK(test_sweep_allocations(read_once, &held) > 5);
  tn_text_deinit(&held);
}
