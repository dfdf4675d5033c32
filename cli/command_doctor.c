// tenon doctor: will this plugin work with that framework, and if not, what is to be changed?

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "command.h"
#include "doctor/doctor.h"
#include "doctor/environments.h"
#include "doctor/package.h"

// What --against asks for: names with versions, or what Python environments have.
typedef struct wanted {
  char names[64][64];  // "jaxlib==0.6.2"
  size_t count;
  bool all, installed;
  bool package;  // a folder or a wheel, whose files are called by their names inside of it
  tn_environments environments;
} wanted;

static void want(wanted* wanted, tn_view name) {
  if (wanted->count < 64 && name.size < sizeof wanted->names[0])
    snprintf(wanted->names[wanted->count++], sizeof wanted->names[0], "%.*s", TN_VIEW_ARGS(name));
}

static void print_environments(const tn_environments* environments, FILE* out) {
  for (size_t i = 0; i < environments->count; ++i) {
    const tn_environment* one = &environments->all[i];
    fprintf(out, "  looked in %s (%s): ", one->folder, one->because);
    for (size_t k = 0; k < one->package_count; ++k)
      fprintf(out, "%s%s %s", k ? ", " : "", one->packages[k].framework, one->packages[k].version);
    if (one->package_count == 0)
      fputs(one->problem ? one->problem : "neither jaxlib nor tensorflow", out);
    fputc('\n', out);
  }
}

static int want_installed(const cli_args* args, wanted* wanted) {
  const char* pythons[16];
  size_t count = 0;
  for (size_t i = 0; i < args->given_count && count < 16; ++i)
    if (strcmp(args->given[i].name, "python") == 0) pythons[count++] = args->given[i].value;
  tn_status* status = tn_status_create();
  const bool found = tn_environments_find(&wanted->environments, pythons, count, status);
  int result = found ? CLI_OK : cli_failed(args, status);
  tn_status_destroy(status);
  for (size_t i = 0; found && i < wanted->environments.count; ++i)
    for (size_t k = 0; k < wanted->environments.all[i].package_count; ++k) {
      const tn_installed* package = &wanted->environments.all[i].packages[k];
      char name[64];
      const int size = snprintf(name, sizeof name, "%s==%s", package->framework, package->version);
      want(wanted, (tn_view){name, (size_t)size});
    }
  if (found && wanted->count == 0) {
    result = cli_misused(args, "no jaxlib and no tensorflow were found%s",
                         wanted->environments.count ? "" : ": there is no Python environment here");
    print_environments(&wanted->environments, stderr);
  }
  return result;
}

static int read_wanted(const cli_args* args, wanted* out) {
  const char* text = cli_value(args, "against");
  const bool installed = text ? strcmp(text, "installed") == 0 : cli_has(args, "python");
  out->installed = installed;
  if (installed) return want_installed(args, out);
  if (cli_has(args, "python"))
    return cli_misused(args,
                       "--python says where to look for what is installed, and --against %s "
                       "asks for something else",
                       text);
  if (!text || strcmp(text, "all") == 0) {
    out->all = true;
    return CLI_OK;
  }
  while (*text) {
    const size_t length = strcspn(text, ",");
    want(out, (tn_view){text, length});
    text += length + (text[length] == ',');
  }
  return CLI_OK;
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
    bool asked = wanted->all;
    for (size_t k = 0; k < wanted->count && !asked; ++k) asked = fits(wanted->names[k], &rows[i]);
    // A release that was not named is of no interest to a plugin that is for another framework.
    if (rows[i].diagnosis.no_face && (wanted->all || wanted->installed)) asked = false;
    if (asked) rows[kept++] = rows[i];
  }
  return kept;
}

// What is installed and in no table gets a row that says so. `rows` have room for it.
static size_t add_unknown(const tn_environments* environments, const tn_patient* patient,
                          tn_doctor_row* rows, size_t count) {
  const size_t faces = patient->file->entry_point_count;
  for (size_t i = 0; i < environments->count; ++i)
    for (size_t k = 0; k < environments->all[i].package_count; ++k) {
      const tn_installed* package = &environments->all[i].packages[k];
      char name[64];
      const bool is_jaxlib = strcmp(package->framework, "jaxlib") == 0;
      bool known = is_jaxlib ? !patient->is_pjrt : patient->is_pjrt && faces == 1;
      snprintf(name, sizeof name, "%s==%s", package->framework, package->version);
      for (size_t row = 0; row < count && !known; ++row) known = fits(name, &rows[row]);
      if (known) continue;
      rows[count] = (tn_doctor_row){
          package->framework, package->version, {.verdict = TN_VERDICT_UNKNOWN}, NULL};
      snprintf(rows[count++].diagnosis.reason, TN_REASON_TEXT,
               "this release is not in the tables; its neighbours there say what to expect");
    }
  return count;
}

static size_t package_count(const tn_environments* environments) {
  size_t count = 0;
  for (size_t i = 0; i < environments->count; ++i) count += environments->all[i].package_count;
  return count;
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

static void json_environments(tn_json* json, const tn_environments* environments) {
  tn_json_begin_array(json, "environments");
  for (size_t i = 0; i < environments->count; ++i) {
    const tn_environment* one = &environments->all[i];
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "folder", one->folder);
    tn_json_string(json, "because", one->because);
    tn_json_string(json, "problem", one->problem);
    tn_json_begin_array(json, "packages");
    for (size_t k = 0; k < one->package_count; ++k) {
      tn_json_begin_object(json, NULL);
      tn_json_string(json, "framework", one->packages[k].framework);
      tn_json_string(json, "version", one->packages[k].version);
      tn_json_end_object(json);
    }
    tn_json_end_array(json);
    tn_json_end_object(json);
  }
  tn_json_end_array(json);
}

static void json_rows(tn_json* json, const tn_package_file* file, const tn_patient* patient,
                      const wanted* wanted, const tn_doctor_row* rows, size_t count,
                      const char* advice) {
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "schema", "tenon/doctor/1");
  tn_json_string(json, "file", wanted->package ? file->name : patient->file->elf->path);
  tn_json_begin_array(json, "releases");
  for (size_t i = 0; i < count; ++i) {
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "framework", rows[i].framework);
    tn_json_string(json, "version", rows[i].version);
    tn_json_string(json, "verdict", tn_doctor_verdict_name(rows[i].diagnosis.verdict));
    tn_json_bool(json, "loads", rows[i].diagnosis.loads);
    tn_json_string(json, "reason", rows[i].diagnosis.reason);
    tn_json_string(json, "window", rows[i].window);
    tn_json_end_object(json);
  }
  tn_json_end_array(json);
  json_environments(json, &wanted->environments);
  tn_json_string(json, "load_error", *patient->load_error ? patient->load_error : NULL);
  tn_json_string(json, "recommendation", advice);
  tn_json_end_object(json);
}

// The window beside the rows: what is promised, and what happens, are two things.
static void print_window(const tn_patient* patient, const tn_doctor_row* rows, size_t count) {
  const tn_doctor_row *first, *last;
  bool asked = false;
  for (size_t i = 0; i < count; ++i) asked |= rows[i].window != NULL;
  if (!asked) return;
  printf("  %-28s PJRT %d.%d: ", "policy", patient->pjrt_major, patient->pjrt_minor);
  if (tn_doctor_promised(rows, count, &first, &last)) {
    printf("its window of 12 weeks promises jaxlib %s%s%s", first->version,
           first == last ? "" : " - ", first == last ? "" : last->version);
  } else {
    printf("its window of 12 weeks promises none of these");
  }
  puts("; the verdicts say what they do (tenon abi window)");
}

static void print_all(const tn_package_file* file, const tn_patient* patient, const wanted* wanted,
                      const tn_doctor_row* rows, size_t count, const char* advice) {
  printf("%s%s%s\n", cli_bold(), wanted->package ? file->name : cli_base_name(file->name),
         cli_plain());
  print_environments(&wanted->environments, stdout);
  print_rows(rows, count);
  if (*patient->load_error) printf("  %-28s %s\n", "here", patient->load_error);
  print_window(patient, rows, count);
  printf("Advice: %s.\n", advice);
}

// Without a list some release must take it; with one, all of it must work.
static bool passes(const wanted* wanted, const tn_doctor_row* rows, size_t count) {
  size_t works = 0, takes = 0;
  for (size_t i = 0; i < count; ++i) {
    works += rows[i].diagnosis.verdict == TN_VERDICT_WORKS;
    takes += rows[i].diagnosis.verdict == TN_VERDICT_LIMITED;
  }
  return wanted->all ? works + takes > 0 : count > 0 && works == count;
}

static int judge(const cli_args* args, const wanted* wanted, const tn_package_file* file,
                 const tn_patient* patient, tn_doctor_row* rows, size_t all, tn_json* json) {
  char advice[1400];
  tn_recommend(patient, rows, all, advice, sizeof advice);
  size_t count = keep_wanted(wanted, rows, all);
  if (!wanted->all && !wanted->installed && count == 0)
    return cli_misused(args, "no release that is known is among '%s'", cli_value(args, "against"));
  count = add_unknown(&wanted->environments, patient, rows, count);
  if (wanted->installed && count == 0)
    snprintf(advice, sizeof advice,
             "install %s: what was found there is not what this plugin is for",
             patient->is_pjrt ? "jaxlib" : "tensorflow");
  if (json) {
    json_rows(json, file, patient, wanted, rows, count, advice);
  } else {
    print_all(file, patient, wanted, rows, count, advice);
  }
  return passes(wanted, rows, count) ? CLI_OK : CLI_FAILED;
}

// One file. In a package, what is no plugin is passed over.
static int examine(const cli_args* args, const wanted* wanted, const tn_package_file* file,
                   tn_json* json, size_t* examined) {
  tn_status* status = tn_status_create();
  if (wanted->package) {
    tn_inspection* look = tn_inspect(file->path, NULL);
    const bool is_plugin = look && look->entry_point_count > 0;
    tn_inspection_destroy(look);
    if (!is_plugin) {
      tn_status_destroy(status);
      return CLI_OK;
    }
  }
  ++*examined;
  tn_patient* patient = tn_patient_create(file->path, !cli_has(args, "no-load"), status);
  int result;
  size_t all = 0;
  tn_doctor_row* rows = patient ? tn_diagnose_all(patient, &all) : NULL;
  if (rows) {
    tn_doctor_row* more =
        tn_resize(rows, (all + package_count(&wanted->environments) + 1) * sizeof *rows);
    if (!more) tn_free(rows);
    rows = more;
  }
  if (!rows) {
    if (patient) tn_status_set_no_memory(status, "judging releases");
    result = cli_failed(args, status);
  } else {
    result = judge(args, wanted, file, patient, rows, all, json);
  }
  tn_free(rows);
  tn_patient_destroy(patient);
  tn_status_destroy(status);
  return result;
}

// A file gets one report; a folder or a wheel one for each plugin in it.
static int examine_all(const cli_args* args, wanted* wanted) {
  tn_status* status = tn_status_create();
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  tn_package package;
  int result = CLI_OK;
  size_t examined = 0;
  if (!tn_package_open(&package, args->words[0], status)) {
    result = cli_failed(args, status);
  } else {
    wanted->package = package.count > 1 || strcmp(package.files[0].name, args->words[0]) != 0;
    if (wanted->package) {
      tn_json_begin_object(&json, NULL);
      tn_json_string(&json, "schema", "tenon/doctor-package/1");
      tn_json_string(&json, "package", args->words[0]);
      tn_json_begin_array(&json, "plugins");
    }
    for (size_t i = 0; i < package.count; ++i) {
      const int one =
          examine(args, wanted, &package.files[i], cli_has(args, "json") ? &json : NULL, &examined);
      if (one > result) result = one;
    }
    if (wanted->package) {
      tn_json_end_array(&json);
      tn_json_end_object(&json);
    }
    if (examined == 0) {
      tn_status_set(status, TN_NOT_FOUND,
                    "%s has %zu shared objects in it, and none of them is a plugin", args->words[0],
                    package.count);
      tn_status_set_fault(status, TN_FAULT_PLUGIN);
      result = cli_failed(args, status);
    } else if (result < CLI_USAGE && cli_has(args, "json") && text.data) {
      puts(text.data);
    }
  }
  tn_package_close(&package);
  tn_text_deinit(&text);
  tn_status_destroy(status);
  return result;
}

static int run(cli_args* args) {
  wanted wanted = {.count = 0};
  if (args->word_count != 1)
    return cli_misused(args, "one plugin, folder or wheel is expected, found %zu",
                       args->word_count);
  int result = read_wanted(args, &wanted);
  if (result == CLI_OK) result = examine_all(args, &wanted);
  tn_environments_deinit(&wanted.environments);
  return result;
}

static const cli_option options[] = {
    {"against", "LIST", "releases: tensorflow==2.15,jaxlib==0.6.2 or installed or all (all)", 0},
    {"python", "PATH", "look for what is installed there (repeat for more)", 0},
    {"no-load", NULL, "judge by the file alone, without loading it in a child process", 0},
    {NULL, NULL, NULL, 0},
};

const cli_command cli_doctor = {
    "doctor",
    "tell which framework releases a plugin works with, and what to change",
    "FILE|FOLDER|WHEEL [--against LIST]",
    options,
    "  tenon doctor libmyplugin.so\n"
    "  tenon doctor xla_cuda_plugin.so --against jaxlib==0.6.2\n"
    "  tenon doctor libmyplugin.so --against installed --json\n"
    "  tenon doctor my_plugin-1.0-py3-none-linux_x86_64.whl\n"
    "Ends with 0 when a release takes it, with --against when all that are asked for work; else "
    "1.\n",
    run,
};
