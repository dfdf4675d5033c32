// tenon-abi: the part of `tenon abi` that reads headers, and so the one program with libclang in
// it.
//
//   tenon-abi check OLD NEW [--changelog=FILE] [--policy=NAME] [--include=DIR] [--cflags=FLAGS]
//                           [--json | --github]
//   tenon-abi layout HEADER [--policy=NAME] [--include=DIR] [--cflags=FLAGS]
//   tenon-abi import SOURCE [--data=DIR] [--date=DATE] [--commit=ID] [--include=DIR] ...
//
// Ends with 0 when legal, 1 when not, 2 when it could not judge.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/layout_file.h"
#include "abi/pjrt_history.h"
#include "base/file.h"
#include "base/memory.h"
#include "import.h"
#include "report.h"
#include "sources.h"
#include "worker.h"

enum { LEGAL = 0, NOT_LEGAL = 1, NO_VERDICT = 2, MAX_FLAGS = 256 };

typedef struct request {
  const char* words[4];
  int word_count;
  const char *changelog, *policy;
  import_options import;
  bool json, github;
  const char* flags[MAX_FLAGS];
  int flag_count;
  char* cflags;  // split in place
} request;

static void add_flag(request* request, const char* flag) {
  if (request->flag_count < MAX_FLAGS) request->flags[request->flag_count++] = flag;
}

static const char* value_of(const char* argument, const char* option) {
  const size_t length = strlen(option);
  return strncmp(argument, option, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

static bool read_import_option(import_options* import, const char* argument) {
  const struct {
    const char* name;
    const char** value;
  } options[] = {{"--data", &import->data},
                 {"--date", &import->date},
                 {"--wheel-date", &import->wheel_date},
                 {"--commit", &import->commit},
                 {"--pjrt", &import->pjrt},
                 {"--stablehlo", &import->stablehlo}};
  for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
    const char* value = value_of(argument, options[i].name);
    if (value) *options[i].value = value;
    if (value) return true;
  }
  return false;
}

static bool read_request(request* request, int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const char *argument = arguments[i], *value;
    if ((value = value_of(argument, "--changelog"))) {
      request->changelog = value;
    } else if ((value = value_of(argument, "--policy"))) {
      request->policy = value;
    } else if (request->word_count && strcmp(request->words[0], "import") == 0 &&
               read_import_option(&request->import, argument)) {
      continue;
    } else if ((value = value_of(argument, "--include"))) {
      add_flag(request, "-I");
      add_flag(request, value);
    } else if ((value = value_of(argument, "--cflags"))) {
      request->cflags = tn_strdup(value);
      for (char* flag = request->cflags ? strtok(request->cflags, " ") : NULL; flag;
           flag = strtok(NULL, " "))
        add_flag(request, flag);
    } else if (strcmp(argument, "--json") == 0) {
      request->json = true;
    } else if (strcmp(argument, "--github") == 0) {
      request->github = true;
    } else if (argument[0] == '-' || request->word_count == 4) {
      fprintf(stderr, "tenon abi: '%s' is not understood; see: tenon abi --help\n", argument);
      return false;
    } else {
      request->words[request->word_count++] = argument;
    }
  }
  return true;
}

static int told(const tn_status* status) {
  fprintf(stderr, "tenon abi: %s\n", tn_status_message(status));
  return NO_VERDICT;
}

// Judges the two sides, which have been read.
static int judge(const request* request, const tn_abi_policy* policy, const tn_abi_model* before,
                 const tn_abi_model* after, tn_view changelog, tn_status* status) {
  tn_abi_differences differences = {0};
  tn_abi_verdict verdict;
  tn_abi_compare(before, after, &differences);
  tn_abi_pjrt_carried(before, after, &differences);
  tn_abi_judge(policy, before, after, &differences, changelog, &verdict);
  const report report = {request->words[1],
                         request->words[2],
                         request->changelog,
                         policy,
                         &differences,
                         &verdict,
                         after->unjudged ? after->unjudged : before->unjudged};
  const bool whole = !differences.failed;
  if (!whole) {
    tn_status_set_no_memory(status, "comparing");
  } else if (request->json) {
    report_as_json(&report);
  } else if (request->github) {
    report_to_github(&report);
  } else {
    report_to_people(&report);
  }
  tn_abi_differences_deinit(&differences);
  return !whole ? told(status) : verdict.legal ? LEGAL : NOT_LEGAL;
}

static int check(const request* request, tn_status* status) {
  tn_abi_policy policy;
  if (request->word_count != 3) {
    fputs("tenon abi: check takes two sides: tenon abi check OLD NEW\n", stderr);
    return NO_VERDICT;
  }
  if (!tn_abi_policy_get(request->policy ? request->policy : "pjrt", &policy, status))
    return told(status);
  const header_options options = {request->flags, request->flag_count, policy.prefix, false, true};
  tn_abi_model before = {0}, after = {0};
  tn_text changelog = {0};
  int result = NO_VERDICT;
  if ((request->changelog && !tn_file_read(request->changelog, 64 << 20, &changelog, status)) ||
      !read_source(request->words[1], &options, &before, status) ||
      !read_source(request->words[2], &options, &after, status)) {
    told(status);
  } else {
    result = judge(request, &policy, &before, &after,
                   request->changelog ? tn_text_view(&changelog) : (tn_view){NULL, 0}, status);
  }
  tn_text_deinit(&changelog);
  tn_abi_model_deinit(&before);
  tn_abi_model_deinit(&after);
  return result;
}

static int layout(const request* request, tn_status* status) {
  tn_abi_policy policy;
  if (request->word_count != 2) {
    fputs("tenon abi: layout takes one source: tenon abi layout HEADER\n", stderr);
    return NO_VERDICT;
  }
  if (!tn_abi_policy_get(request->policy ? request->policy : "pjrt", &policy, status))
    return told(status);
  const header_options options = {request->flags, request->flag_count, policy.prefix, false, true};
  tn_abi_model model = {0};
  if (!read_source(request->words[1], &options, &model, status)) return told(status);
  tn_text text = {0};
  tn_abi_layout_write(&model, &text);
  if (text.data && !text.failed) fwrite(text.data, 1, text.size, stdout);
  const bool whole = !text.failed;
  tn_text_deinit(&text);
  tn_abi_model_deinit(&model);
  return whole ? LEGAL : NO_VERDICT;
}

static int import(request* request, tn_status* status) {
  if (request->word_count != 2) {
    fputs("tenon abi: import takes one header or wheel: tenon abi import pjrt_c_api.h\n", stderr);
    return NO_VERDICT;
  }
  const header_options options = {request->flags, request->flag_count, "PJRT_API", false, false};
  request->import.header = &options;
  request->import.json = request->json;
  const import_result result = import_source(request->words[1], &request->import, status);
  return result == IMPORT_FAILED ? told(status) : (int)result;
}

static int serve(void* arg) {
  request* request = arg;
  tn_status* status = tn_status_create();
  int result = NO_VERDICT;
  if (request->word_count > 0 && strcmp(request->words[0], "check") == 0) {
    result = check(request, status);
  } else if (request->word_count > 0 && strcmp(request->words[0], "layout") == 0) {
    result = layout(request, status);
  } else if (request->word_count > 0 && strcmp(request->words[0], "import") == 0) {
    result = import(request, status);
  } else {
    fputs("tenon abi: check, import or layout is expected; see: tenon abi --help\n", stderr);
  }
  if (fflush(stdout) || ferror(stdout)) {
    fputs("tenon abi: could not write the output\n", stderr);
    result = NO_VERDICT;
  }
  tn_free(request->cflags);
  tn_status_destroy(status);
  return result;
}

int main(int count, char** arguments) {
  request request = {0};
  if (read_request(&request, count, arguments)) return worker_run(serve, &request, NO_VERDICT);
  tn_free(request.cflags);
  return NO_VERDICT;
}
