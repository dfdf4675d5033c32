// tenon doctor: will this plugin work with that framework, and if not, what is to be changed?

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "command.h"
#include "doctor/doctor.h"

// What --against asks for: names with versions, or what Python environments have.
typedef struct wanted {
  char names[64][64];  // "jaxlib==0.6.2"
  size_t count;
  bool all;
} wanted;

static void want(wanted* wanted, const char* framework, const char* version) {
  if (wanted->count < 64)
    snprintf(wanted->names[wanted->count++], sizeof wanted->names[0], "%s==%s", framework, version);
}

// Looks for releases in the folders where Python keeps packages: NAME-VERSION.dist-info.
static void want_installed(wanted* wanted) {
  static const struct {
    const char *pattern, *framework;
  } packages[] = {{"jaxlib-*.dist-info", "jaxlib"},
                  {"tensorflow-[0-9]*.dist-info", "tensorflow"},
                  {"tensorflow_cpu-*.dist-info", "tensorflow"}};
  char folders[8][1024] = {"/usr/lib/python3/dist-packages",
                           "/usr/local/lib/python3*/dist-packages",
                           "/usr/local/lib/python3*/site-packages"};
  const char *environment = getenv("VIRTUAL_ENV"), *home = getenv("HOME"),
             *tenons = getenv("TENON_VENV");
  snprintf(folders[3], sizeof folders[3], "%s/lib/python3*/site-packages",
           environment ? environment : "/nonexistent");
  snprintf(folders[4], sizeof folders[4], "%s/.local/lib/python3*/site-packages",
           home ? home : "/nonexistent");
  snprintf(folders[5], sizeof folders[5], "%s/lib/python3*/site-packages",
           tenons ? tenons : "/nonexistent");
  snprintf(folders[6], sizeof folders[6], "%s/.pyenv/versions/*/lib/python3*/site-packages",
           home ? home : "/nonexistent");
  snprintf(folders[7], sizeof folders[7], "*env*/lib/python3*/site-packages");
  for (size_t f = 0; f < 8; ++f)
    for (size_t p = 0; p < sizeof packages / sizeof packages[0]; ++p) {
      char pattern[8300];
      glob_t found;
      snprintf(pattern, sizeof pattern, "%s/%s", folders[f], packages[p].pattern);
      if (glob(pattern, 0, NULL, &found) != 0) continue;
      for (size_t i = 0; i < found.gl_pathc; ++i) {
        const char* name = strrchr(found.gl_pathv[i], '/');
        const char* dash = name ? strchr(name, '-') : NULL;
        if (!dash) continue;
        char text[32];
        // "tensorflow-2.21.0.dist-info"
        const char* end = strstr(dash, ".dist-info");
        snprintf(text, sizeof text, "%.*s", end ? (int)(end - dash) - 1 : 0, dash + 1);
        want(wanted, packages[p].framework, text);
      }
      globfree(&found);
    }
}

static bool read_wanted(const cli_args* args, wanted* out) {
  const char* text = cli_value(args, "against");
  if (!text || strcmp(text, "all") == 0) {
    out->all = true;
    return true;
  }
  if (strcmp(text, "installed") == 0) {
    want_installed(out);
    if (out->count == 0)
      cli_misused(args, "no jaxlib and no tensorflow were found in the Python environments here");
    return out->count > 0;
  }
  while (*text) {
    const size_t length = strcspn(text, ",");
    if (out->count < 64 && length < sizeof out->names[0])
      snprintf(out->names[out->count++], sizeof out->names[0], "%.*s", (int)length, text);
    text += length + (text[length] == ',');
  }
  return true;
}

// "tensorflow==2.21.0" asks for the row of 2.21, "jaxlib==0.6" for all of 0.6.
static bool fits(const char* name, const tn_doctor_row* row) {
  const char* version = strstr(name, "==");
  const size_t length = version ? (size_t)(version - name) : strlen(name);
  if (strlen(row->framework) != length || strncmp(row->framework, name, length) != 0) return false;
  if (!version) return true;
  version += 2;
  const size_t shorter =
      strlen(version) < strlen(row->version) ? strlen(version) : strlen(row->version);
  return strncmp(version, row->version, shorter) == 0 &&
         (version[shorter] == '\0' || version[shorter] == '.') &&
         (row->version[shorter] == '\0' || row->version[shorter] == '.');
}

static size_t keep_wanted(const wanted* wanted, tn_doctor_row* rows, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    bool asked = wanted->all && rows[i].diagnosis.verdict != TN_VERDICT_UNKNOWN;
    for (size_t k = 0; k < wanted->count && !asked; ++k) asked = fits(wanted->names[k], &rows[i]);
    if (asked) rows[kept++] = rows[i];
  }
  return kept;
}

// Rows that say the same of neighbouring releases are told together.
static void print_rows(const tn_doctor_row* rows, size_t count) {
  for (size_t i = 0; i < count;) {
    size_t end = i + 1;
    while (end < count && strcmp(rows[end].framework, rows[i].framework) == 0 &&
           rows[end].diagnosis.verdict == rows[i].diagnosis.verdict &&
           (rows[i].diagnosis.verdict == TN_VERDICT_WORKS ||
            strcmp(rows[end].diagnosis.reason, rows[i].diagnosis.reason) == 0))
      ++end;
    char span[64];
    snprintf(span, sizeof span, "%s %s%s%s", rows[i].framework, rows[i].version,
             end - i > 1 ? " - " : "", end - i > 1 ? rows[end - 1].version : "");
    printf("  %-28s %-8s %s\n", span, tn_doctor_verdict_name(rows[i].diagnosis.verdict),
           rows[i].diagnosis.verdict == TN_VERDICT_WORKS ? "" : rows[i].diagnosis.reason);
    i = end;
  }
}

static void json_rows(const tn_patient* patient, const tn_doctor_row* rows, size_t count,
                      const char* advice) {
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", "tenon/doctor/1");
  tn_json_string(&json, "file", patient->file->elf->path);
  tn_json_begin_array(&json, "releases");
  for (size_t i = 0; i < count; ++i) {
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "framework", rows[i].framework);
    tn_json_string(&json, "version", rows[i].version);
    tn_json_string(&json, "verdict", tn_doctor_verdict_name(rows[i].diagnosis.verdict));
    tn_json_bool(&json, "loads", rows[i].diagnosis.loads);
    tn_json_string(&json, "reason", rows[i].diagnosis.reason);
    tn_json_end_object(&json);
  }
  tn_json_end_array(&json);
  tn_json_string(&json, "load_error", *patient->load_error ? patient->load_error : NULL);
  tn_json_string(&json, "recommendation", advice);
  tn_json_end_object(&json);
  if (text.data) puts(text.data);
  tn_text_deinit(&text);
}

static int run(cli_args* args) {
  wanted wanted = {.count = 0};
  if (args->word_count != 1)
    return cli_misused(args, "one plugin file is expected, found %zu", args->word_count);
  if (!read_wanted(args, &wanted)) return CLI_USAGE;
  tn_status* status = tn_status_create();
  tn_patient* patient = tn_patient_create(args->words[0], !cli_has(args, "no-load"), status);
  int result = CLI_OK;
  size_t all = 0;
  tn_doctor_row* rows = patient ? tn_diagnose_all(patient, &all) : NULL;
  if (!patient) {
    result = cli_failed(args, status);
  } else if (!rows) {
    tn_status_set_no_memory(status, "judging releases");
    result = cli_failed(args, status);
  } else {
    char advice[1400];
    tn_recommend(patient, rows, all, advice, sizeof advice);
    const size_t count = keep_wanted(&wanted, rows, all);
    if (!wanted.all && count == 0) {
      result =
          cli_misused(args, "no release that is known is among '%s'", cli_value(args, "against"));
    } else if (cli_has(args, "json")) {
      json_rows(patient, rows, count, advice);
    } else {
      printf("%s%s%s\n", cli_bold(), cli_base_name(args->words[0]), cli_plain());
      print_rows(rows, count);
      if (*patient->load_error) printf("  %-28s %s\n", "here", patient->load_error);
      printf("Advice: %s.\n", advice);
    }
  }
  tn_free(rows);
  tn_patient_destroy(patient);
  tn_status_destroy(status);
  return result;
}

static const cli_option options[] = {
    {"against", "LIST", "releases: tensorflow==2.15,jaxlib==0.6.2 or installed or all (all)", 0},
    {"no-load", NULL, "judge by the file alone, without loading it in a child process", 0},
    {NULL, NULL, NULL, 0},
};

const cli_command cli_doctor = {
    "doctor",
    "tell which framework releases a plugin works with, and what to change",
    "FILE [--against LIST]",
    options,
    "  tenon doctor libmyplugin.so\n"
    "  tenon doctor xla_cuda_plugin.so --against jaxlib==0.6.2\n"
    "  tenon doctor libmyplugin.so --against installed --json\n",
    run,
};
