#include "abi/pjrt_history.h"
#include "doctor/window.h"
#include "harness.h"

static tn_window_answer ask(const tn_window_question* question) {
  tn_window_answer answer;
  tn_status* status = tn_status_create();
  CHECK(tn_window_answer_get(question, &answer, status));
  tn_status_destroy(status);
  return answer;
}

static int64_t day(const char* text) {
  int64_t found = -1;
  CHECK(tn_day_parse(text, &found));
  return found;
}

static tn_window_question about(int minor, int weeks, const char* as_of) {
  return (tn_window_question){
      .minor = minor, .weeks = weeks, .day = day(as_of), .major_announced = -1};
}

static tn_window_answer about_release(int minor, int weeks, const char* name) {
  tn_abi_release release;
  tn_status* status = tn_status_create();
  CHECK(tn_abi_release_find(name, &release, status));
  tn_status_destroy(status);
  return ask(&(tn_window_question){
      .minor = minor, .weeks = weeks, .release = &release, .major_announced = -1});
}

TEST(days_are_read_written_and_refused) {
  char text[TN_DAY_TEXT];
  CHECK_INT(day("1970-01-01"), 0);
  CHECK_INT(day("2000-03-01"), 11017);
  CHECK_INT(day("2024-11-14T15:24:43-07:00"), 20041);
  for (int64_t d = 0; d < 40000; d += 13) CHECK_INT(day(tn_day_text(d, text)), d);
  const char* bad[] = {"",         "2024",        "2024-13-01", "2023-02-29",
                       "2024-1-1", "2024-11-14x", "1969-12-31"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    int64_t ignored;
    CHECK(!tn_day_parse(bad[i], &ignored));
  }
}

// 0.54 began on 2024-06-24 by the table and 0.55 followed 18 weeks later: supported until 6 or 12
// weeks after that.
TEST(a_number_is_supported_from_its_first_day_to_n_weeks_after_the_next) {
  int64_t first, next;
  bool observed;
  CHECK(tn_abi_pjrt_day(54, &first, &observed) && !observed);
  CHECK(tn_abi_pjrt_day(55, &next, &observed));
  for (int weeks = 6; weeks <= 12; weeks += 6) {
    tn_window_question question = about(54, weeks, "2024-07-01");
    question.day = first;
    CHECK_INT(ask(&question).verdict, TN_WINDOW_YES);
    question.day = next + 7 * weeks;
    CHECK_INT(ask(&question).verdict, TN_WINDOW_YES);
    CHECK_INT(ask(&question).last_day, question.day);
    question.day++;
    tn_window_answer late = ask(&question);
    CHECK_INT(late.verdict, TN_WINDOW_NO);
    CHECK_INT(late.update, TN_SIDE_PLUGIN);
    question.day = first - 1;
    tn_window_answer early = ask(&question);
    CHECK_INT(early.verdict, TN_WINDOW_PLUGIN_DECIDES);
    CHECK_INT(early.update, TN_SIDE_FRAMEWORK);
  }
}

TEST(every_release_of_jaxlib_supports_the_number_it_carries) {
  size_t judged = 0;
  for (size_t i = 0; i < tn_abi_release_count(); ++i) {
    const tn_abi_release release = tn_abi_release_at(i);
    if (release.minor < 1 || release.framework[0] != 'j') continue;
    tn_window_answer answer = ask(&(tn_window_question){
        .minor = release.minor, .weeks = 6, .release = &release, .major_announced = -1});
    CHECK_INT(answer.verdict, TN_WINDOW_YES);
    CHECK(strstr(answer.shipped, "takes it"));
    ++judged;
  }
  CHECK(judged > 40);
}

TEST(what_frameworks_do_differs_from_what_the_policy_says) {
  tn_window_answer answer = about_release(54, 12, "jaxlib==0.6.2");
  CHECK_INT(answer.verdict, TN_WINDOW_NO);
  CHECK(strstr(answer.shipped, "0.29") && strstr(answer.shipped, "takes it"));
  answer = about_release(53, 12, "jaxlib==0.4.31");
  CHECK_INT(answer.verdict, TN_WINDOW_YES);
  CHECK(strstr(answer.shipped, "refuses it"));
  answer = about_release(25, 6, "jaxlib==0.4.14");
  CHECK(strstr(answer.shipped, "size of PJRT_Api"));
}

TEST(tensorflow_is_judged_by_the_number_in_its_wheel) {
  tn_window_answer answer = about_release(90, 12, "tensorflow==2.21");
  CHECK_INT(answer.verdict, TN_WINDOW_YES);
  answer = about_release(72, 12, "tensorflow==2.21");
  CHECK_INT(answer.verdict, TN_WINDOW_NO);
  answer = about_release(97, 12, "tensorflow==2.21");
  CHECK_INT(answer.verdict, TN_WINDOW_PLUGIN_DECIDES);
}

TEST(a_number_newer_than_the_tables_is_judged_by_rule_and_said_so) {
  tn_window_question question = about(tn_abi_pjrt_newest_dated() + 13, 12, "2026-11-15");
  tn_window_answer answer = ask(&question);
  CHECK(answer.beyond_tables);
  CHECK_INT(answer.verdict, TN_WINDOW_PLUGIN_DECIDES);
  CHECK(strstr(answer.lines[0].text, "newer than the tables"));
}

TEST(majors_are_announced_four_weeks_ahead_or_flagged) {
  tn_window_question question = about(0, 12, "2027-03-01");
  question.major = 1;
  question.framework_major = 1;
  question.minor = 1;
  question.major_day = day("2027-02-01");
  CHECK_INT(ask(&question).lines[1].verdict, TN_WINDOW_NO_PROMISE);
  question.major_announced = day("2027-01-04");
  CHECK_INT(ask(&question).lines[1].verdict, TN_WINDOW_YES);
  question.major_announced = day("2027-01-05");
  CHECK_INT(ask(&question).lines[1].verdict, TN_WINDOW_NO);
  question.framework_major = 0;
  CHECK_INT(ask(&question).verdict, TN_WINDOW_NO);
  CHECK_INT(ask(&question).update, TN_SIDE_FRAMEWORK);
}

TEST(stablehlo_and_extensions_have_their_own_lines) {
  tn_window_question question = about(112, 12, "2026-06-20");
  const int ids[] = {0, 24, 4096};
  question.plugin_stablehlo = "1.17.0";
  question.plugin_stablehlo_minimum = "0.9.0";
  question.program_stablehlo = "1.17.1";
  question.extensions = ids;
  question.extension_count = 3;
  tn_window_answer answer = ask(&question);
  CHECK_INT(answer.verdict, TN_WINDOW_NO);
  CHECK_INT(answer.update, TN_SIDE_PLUGIN);
  CHECK_TEXT(answer.lines[1].source, "StableHLO");
  CHECK_TEXT(answer.lines[2].source, "extensions");
  CHECK(strstr(answer.lines[2].text, "4096"));
  question.program_stablehlo = "1.10.0";
  CHECK_INT(ask(&question).verdict, TN_WINDOW_YES);
  question.program_stablehlo = "0.8.0";
  CHECK_INT(ask(&question).update, TN_SIDE_FRAMEWORK);
}

TEST(experimental_features_have_no_promise_until_they_leave_it_and_optional_ones_may_be_null) {
  tn_window_question question = about(112, 6, "2026-06-20");
  tn_window_feature feature = {.name = "streams",
                               .experimental = true,
                               .plugin_number = -1,
                               .framework_number = 3,
                               .added_in = -1,
                               .stable_since = -1};
  question.features = &feature;
  question.feature_count = 1;
  CHECK_INT(ask(&question).lines[3].verdict, TN_WINDOW_NO_PROMISE);
  CHECK_INT(ask(&question).verdict, TN_WINDOW_YES);
  feature.stable_since = day("2026-06-01");
  CHECK_INT(ask(&question).lines[3].verdict, TN_WINDOW_YES);
  question.day = day("2026-07-14");  // a day past the six weeks
  CHECK_INT(ask(&question).lines[3].verdict, TN_WINDOW_NO);
  feature = (tn_window_feature){.name = "bitcast",
                                .optional = true,
                                .added_in = 113,
                                .plugin_number = -1,
                                .framework_number = -1,
                                .stable_since = -1};
  question.day = day("2026-06-20");
  CHECK_INT(ask(&question).lines[3].verdict, TN_WINDOW_YES);
  CHECK(strstr(ask(&question).lines[3].text, "may be null"));
}

TEST(questions_that_cannot_be_judged_are_refused) {
  tn_status* status = tn_status_create();
  tn_window_answer answer;
  tn_abi_release release;
  CHECK(!tn_window_answer_get(&(tn_window_question){.minor = 54}, &answer, status));
  CHECK_INT(tn_status_code(status), TN_INVALID_ARGUMENT);
  CHECK(!tn_abi_release_find("jaxlib==9.9", &release, status));
  CHECK(strstr(tn_status_message(status), "0.4.0 to 0.11.0"));
  CHECK(!tn_abi_release_find("torch==2.0", &release, status));
  CHECK(!tn_abi_release_find("jaxlib", &release, status));
  tn_status_destroy(status);
}
