#include "doctor/doctor.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/tf_history.h"
#include "base/memory.h"
#include "doctor/window.h"

const char* tn_doctor_verdict_name(tn_doctor_verdict verdict) {
  static const char* const names[] = {"works", "limited", "refused", "crashes", "unknown"};
  return names[verdict];
}

// A patient and all it holds.
typedef struct owned_patient {
  tn_patient patient;
  tn_inspection** companions;
  size_t companion_count, capacity;
  char* load_error;
} owned_patient;

static void take_fact(const char* key, const char* value, void* arg) {
  tn_patient* patient = arg;
  if (strcmp(key, "pjrt_version") == 0)
    sscanf(value, "%d.%d", &patient->pjrt_major, &patient->pjrt_minor);
  if (strcmp(key, "api_struct_size") == 0) patient->api_struct_size = strtoul(value, NULL, 10);
  if (strcmp(key, "extensions") == 0) patient->has_extensions = *value != '\0';
  if (strcmp(key, "platform_struct_size") == 0)
    patient->platform_struct_size = strtoul(value, NULL, 10);
  if (strcmp(key, "ended") == 0) snprintf(patient->ended, sizeof patient->ended, "%s", value);
}

static bool is_known(const owned_patient* owned, const char* path) {
  if (strcmp(owned->patient.file->elf->path, path) == 0) return true;
  for (size_t i = 0; i < owned->companion_count; ++i)
    if (strcmp(owned->companions[i]->elf->path, path) == 0) return true;
  return false;
}

// Looks for `name` in one folder of a search path, in which $ORIGIN is the folder of the file.
static bool find_in(const char* folder, size_t length, const char* file, const char* name,
                    char* out) {
  char text[PATH_MAX], wanted[2 * PATH_MAX];
  const char* slash = strrchr(file, '/');
  const int origin = slash ? (int)(slash - file) : 1;
  if (length >= sizeof text) return false;
  snprintf(text, sizeof text, "%.*s", (int)length, folder);
  const char* rest = text;
  if (strncmp(text, "$ORIGIN", 7) == 0) {
    rest = text + 7;
  } else if (strncmp(text, "${ORIGIN}", 9) == 0) {
    rest = text + 9;
  } else {
    snprintf(wanted, sizeof wanted, "%s/%s", text, name);
    return access(wanted, R_OK) == 0 && realpath(wanted, out);
  }
  snprintf(wanted, sizeof wanted, "%.*s%s/%s", origin, slash ? file : ".", rest, name);
  return access(wanted, R_OK) == 0 && realpath(wanted, out);
}

static bool find_library(const tn_elf* elf, const char* name, char* out) {
  const char* paths[] = {elf->rpath, elf->runpath};
  for (int i = 0; i < 2; ++i)
    for (const char* at = paths[i]; at && *at;) {
      const size_t length = strcspn(at, ":");
      if (length && find_in(at, length, elf->path, name, out)) return true;
      at += length + (at[length] == ':');
    }
  return false;
}

// Adds the libraries that the file needs and finds beside itself, and theirs.
static bool add_companions(owned_patient* owned, const tn_inspection* of, tn_status* status) {
  char path[PATH_MAX];
  for (size_t i = 0; i < of->library_count; ++i) {
    if (!find_library(of->elf, of->libraries[i], path) || is_known(owned, path)) continue;
    if (!tn_grow(&owned->companions, &owned->capacity, owned->companion_count + 1,
                 sizeof *owned->companions)) {
      tn_status_set_no_memory(status, "looking at a plugin's libraries");
      return false;
    }
    tn_inspection* companion = tn_inspect(path, NULL);
    if (!companion) continue;
    owned->companions[owned->companion_count++] = companion;
    if (!add_companions(owned, companion, status)) return false;
  }
  return true;
}

static bool leans_on(const tn_inspection* file, const tn_inspection* helper) {
  const char* slash = strrchr(helper->elf->path, '/');
  const char* name = helper->elf->soname ? helper->elf->soname
                     : slash             ? slash + 1
                                         : helper->elf->path;
  for (size_t i = 0; i < file->library_count; ++i)
    if (strcmp(file->libraries[i], name) == 0) return true;
  return false;
}

// Backends are opened at run time and named nowhere: what lies beside a helper library and needs it
// too.
static void add_backends(owned_patient* owned) {
  for (size_t i = 0, helpers = owned->companion_count; i < helpers; ++i) {
    const tn_inspection* helper = owned->companions[i];
    const char* slash = strrchr(helper->elf->path, '/');
    char pattern[PATH_MAX + 8];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%.*s/*.so*", slash ? (int)(slash - helper->elf->path) : 0,
             helper->elf->path);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0) continue;
    for (size_t k = 0; k < found.gl_pathc; ++k) {
      char path[PATH_MAX];
      if (!realpath(found.gl_pathv[k], path) || is_known(owned, path)) continue;
      tn_inspection* backend = tn_inspect(path, NULL);
      if (backend && leans_on(backend, helper) &&
          tn_grow(&owned->companions, &owned->capacity, owned->companion_count + 1,
                  sizeof *owned->companions)) {
        owned->companions[owned->companion_count++] = backend;
      } else {
        tn_inspection_destroy(backend);
      }
    }
    globfree(&found);
  }
}

static void load_patient(owned_patient* owned, const char* path) {
  enum { LIMIT_MS = 60000 };
  tn_status* status = tn_status_create();
  if (!tn_inspect_loaded(path, LIMIT_MS, take_fact, &owned->patient, status)) {
    owned->load_error = tn_strdup(tn_status_message(status));
    owned->patient.load_error = owned->load_error ? owned->load_error : "it did not load";
  }
  tn_status_destroy(status);
}

tn_patient* tn_patient_create(const char* path, bool load, tn_status* status) {
  owned_patient* owned = tn_alloc_zeroed(1, sizeof *owned);
  if (!owned) {
    tn_status_set_no_memory(status, "looking at a plugin");
    return NULL;
  }
  tn_patient* patient = &owned->patient;
  char absolute[PATH_MAX];
  patient->pjrt_major = patient->pjrt_minor = -1;
  patient->load_error = "";
  patient->file = tn_inspect(realpath(path, absolute) ? absolute : path, status);
  if (!patient->file || !add_companions(owned, patient->file, status)) {
    tn_patient_destroy(patient);
    return NULL;
  }
  add_backends(owned);
  patient->companions = (const tn_inspection* const*)owned->companions;
  patient->companion_count = owned->companion_count;
  patient->is_pjrt = tn_elf_defines(patient->file->elf, "GetPjrtApi");
  if (load) load_patient(owned, path);
  return patient;
}

void tn_patient_destroy(tn_patient* patient) {
  if (!patient) return;
  owned_patient* owned = (owned_patient*)patient;
  tn_inspection_destroy((tn_inspection*)patient->file);
  for (size_t i = 0; i < owned->companion_count; ++i) tn_inspection_destroy(owned->companions[i]);
  tn_free(owned->companions);
  tn_free(owned->load_error);
  tn_free(owned);
}

// Its own code ends the process when it is loaded: no release changes that.
static void count_the_end(const tn_patient* patient, tn_diagnosis* out) {
  const bool silent = out->verdict == TN_VERDICT_UNKNOWN && !out->no_face;
  if (!*patient->ended) return;
  if (out->verdict == TN_VERDICT_WORKS || silent) {
    out->verdict = TN_VERDICT_CRASHES;
    out->loads = false;
    snprintf(out->reason, sizeof out->reason, "its own code fails when it is loaded: %s",
             patient->ended);
  } else if (out->verdict == TN_VERDICT_LIMITED) {
    const size_t length = strlen(out->reason);
    snprintf(out->reason + length, sizeof out->reason - length,
             "; loaded here, its own code fails: %s", patient->ended);
  }
}

// What the policy promises beside what the release does.
static const char* ask_window(const tn_patient* patient, const tn_abi_release* release) {
  const tn_window_question question = {.major = patient->pjrt_major,
                                       .minor = patient->pjrt_minor,
                                       .weeks = 12,
                                       .day = tn_day_today(),
                                       .release = release,
                                       .major_announced = -1,
                                       .major_day = tn_day_today()};
  tn_window_answer answer;
  if (patient->pjrt_minor < 0 || !tn_window_answer_get(&question, &answer, NULL)) return NULL;
  return tn_window_verdict_name(answer.verdict);
}

bool tn_doctor_promised(const tn_doctor_row* rows, size_t count, const tn_doctor_row** out_first,
                        const tn_doctor_row** out_last) {
  *out_first = *out_last = NULL;
  for (size_t i = 0; i < count; ++i) {
    if (!rows[i].window || strcmp(rows[i].window, tn_window_verdict_name(TN_WINDOW_YES)) != 0)
      continue;
    if (!*out_first) *out_first = &rows[i];
    *out_last = &rows[i];
  }
  return *out_first != NULL;
}

tn_doctor_row* tn_diagnose_all(const tn_patient* patient, size_t* out_count) {
  const size_t most = tn_abi_release_count() + tn_abi_tf_count();
  tn_doctor_row* rows = tn_alloc_zeroed(most, sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; rows && i < tn_abi_tf_count(); ++i) {
    rows[count].framework = "tensorflow";
    rows[count].version = tn_abi_tf_release(i);
    tn_diagnose_tensorflow(patient, rows[count].version, &rows[count].diagnosis);
    count_the_end(patient, &rows[count].diagnosis);
    ++count;
  }
  for (size_t i = 0; rows && i < tn_abi_release_count(); ++i) {
    const tn_abi_release release = tn_abi_release_at(i);
    if (strcmp(release.framework, "jaxlib") != 0) continue;
    rows[count].framework = release.framework;
    rows[count].version = release.version;
    tn_diagnose_jaxlib(patient, &release, &rows[count].diagnosis);
    count_the_end(patient, &rows[count].diagnosis);
    rows[count].window = ask_window(patient, &release);
    ++count;
  }
  *out_count = count;
  return rows;
}

// The newest release of a framework with a verdict; NULL when none has it.
static const tn_doctor_row* newest(const tn_doctor_row* rows, size_t count, const char* framework,
                                   tn_doctor_verdict verdict) {
  const tn_doctor_row* found = NULL;
  for (size_t i = 0; i < count; ++i)
    if (strcmp(rows[i].framework, framework) == 0 && rows[i].diagnosis.verdict == verdict &&
        (!found || tn_abi_version_compare(rows[i].version, found->version) > 0))
      found = &rows[i];
  return found;
}

static const tn_doctor_row* last_of(const tn_doctor_row* rows, size_t count,
                                    const char* framework) {
  const tn_doctor_row* found = NULL;
  for (size_t i = 0; i < count; ++i)
    if (strcmp(rows[i].framework, framework) == 0 &&
        (!found || tn_abi_version_compare(rows[i].version, found->version) > 0))
      found = &rows[i];
  return found;
}

void tn_recommend(const tn_patient* patient, const tn_doctor_row* rows, size_t count, char* out,
                  size_t size) {
  const char* framework = patient->is_pjrt ? "jaxlib" : "tensorflow";
  const tn_doctor_row* works = newest(rows, count, framework, TN_VERDICT_WORKS);
  const tn_doctor_row* limited = newest(rows, count, framework, TN_VERDICT_LIMITED);
  const tn_doctor_row* last = last_of(rows, count, framework);
  // Not where it did not load: the same would happen.
  const char* host_it = tn_elf_defines(patient->file->elf, "TF_InitKernel") && !*patient->load_error
                            ? "; or host it with tenon run --plugin"
                            : "";
  if (patient->file->entry_point_count == 0) {
    snprintf(out, size,
             "this is no plugin: none of the entry points that frameworks look for is exported");
  } else if (*patient->ended) {
    snprintf(out, size,
             "mend the plugin, or ask its maker to: its own code fails when it is loaded (%s), and "
             "so it "
             "would with every release",
             patient->ended);
  } else if (works && works == last) {
    snprintf(out, size, "use %s %s, the newest that is known", framework, works->version);
  } else if (works) {
    snprintf(out, size, "stay on %s %s, or ask its maker for a build for %s%s", framework,
             works->version, last ? last->version : "the newest", host_it);
  } else if (limited && limited == last) {
    snprintf(out, size, "use %s %s, the newest that is known, and mind what its row says",
             framework, limited->version);
  } else if (limited) {
    snprintf(out, size,
             "%s %s is the newest with which some of it works; ask its maker for a newer build%s",
             framework, limited->version, host_it);
  } else if (patient->is_pjrt && *patient->load_error) {
    snprintf(out, size, "it did not load here, so its number is not known: %s",
             patient->load_error);
  } else {
    snprintf(out, size, "no release that is known takes it; ask its maker for another build%s",
             host_it);
  }
}
