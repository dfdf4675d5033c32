// What each release of jaxlib does with a PJRT plugin of some number.

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "abi/pjrt_history.h"
#include "doctor/doctor.h"

static TN_PRINTF(3, 4) void conclude(tn_diagnosis* out, tn_doctor_verdict verdict,
                                     const char* format, ...) {
  va_list args;
  va_start(args, format);
  out->verdict = verdict;
  out->loads = verdict == TN_VERDICT_WORKS || verdict == TN_VERDICT_LIMITED;
  vsnprintf(out->reason, sizeof out->reason, format, args);
  va_end(args);
}

static bool at_least(const tn_abi_release* release, const char* version) {
  return tn_abi_version_compare(release->version, version) >= 0;
}

// What the plugin of `minor` demands of an args struct: its own constant, but less where XLA
// relaxed the check by hand.
static int64_t demanded(const tn_abi_struct* args) {
  static const struct {
    const char* name;
    int64_t least;
  } relaxed[] = {{"PJRT_ExecuteOptions", 112},
                 {"PJRT_Executable_GetCompiledMemoryStats_Args", 112},
                 {"PJRT_Executable_DeserializeAndLoad_Args", 64},
                 {"PJRT_Client_CreateViewOfDeviceBuffer_Args", 104},
                 {"PJRT_Device_MemoryStats_Args", 185}};
  for (size_t i = 0; i < sizeof relaxed / sizeof relaxed[0]; ++i)
    if (strcmp(args->name, relaxed[i].name) == 0 && args->size_constant > relaxed[i].least)
      return relaxed[i].least;
  return args->size_constant;
}

// The args structs that this release sends shorter than the plugin demands, as "name (got 24, wants
// 32)"; `needed_to_load` is set when one of them is asked for before any work.
typedef struct short_structs {
  size_t count;
  char list[512];
  const char* first_to_load;
  int64_t got, wants;
} short_structs;

static void find_short_structs(int plugin_minor, int framework_minor, short_structs* out) {
  tn_abi_model plugin = {0}, framework = {0};
  *out = (short_structs){.count = 0};
  if (plugin_minor > tn_abi_pjrt_newest()) plugin_minor = tn_abi_pjrt_newest();
  if (!tn_abi_pjrt_model(plugin_minor, &plugin, NULL)) return;
  if (tn_abi_pjrt_model(framework_minor, &framework, NULL)) {
    for (size_t i = 0; i < framework.struct_count; ++i) {
      const tn_abi_struct* sent = framework.structs[i];
      const tn_abi_struct* wanted = tn_abi_model_struct(&plugin, sent->name);
      if (!wanted || sent->size_constant < 0 || sent->size_constant >= demanded(wanted)) continue;
      if (strcmp(sent->name, "PJRT_Api") == 0) continue;
      const size_t length = strlen(out->list);
      snprintf(out->list + length, sizeof out->list - length, "%s%s (sends %lld, wants %lld)",
               out->count++ ? ", " : "", sent->name, (long long)sent->size_constant,
               (long long)demanded(wanted));
      if (strcmp(sent->name, "PJRT_Client_Create_Args") == 0 ||
          (strcmp(sent->name, "PJRT_Plugin_Attributes_Args") == 0 && !out->first_to_load)) {
        out->first_to_load = strcmp(sent->name, "PJRT_Client_Create_Args") == 0
                                 ? "PJRT_Client_Create_Args"
                                 : "PJRT_Plugin_Attributes_Args";
        out->got = sent->size_constant;
        out->wants = demanded(wanted);
      }
    }
    tn_abi_model_deinit(&framework);
  }
  tn_abi_model_deinit(&plugin);
}

// From 0.4.32 on: everything from 0.29 is taken, and then used.
// A crash in the client's constructor, which runs once the plugin has found a device.
static void crash_with_a_device(tn_diagnosis* out) {
  if (out->verdict == TN_VERDICT_CRASHES) out->loads = true;
}

static void diagnose_relaxed(const tn_patient* patient, const tn_abi_release* release,
                             tn_diagnosis* out) {
  const int minor = patient->pjrt_minor;
  short_structs shorter;
  if (minor < 29) {
    conclude(out, TN_VERDICT_REFUSED,
             "\"Plugin PJRT API version 0.%d is older than the minimum supported version 0.29\"",
             minor);
  } else if (minor < 36) {
    conclude(out, TN_VERDICT_CRASHES,
             "the version check lets 0.%d pass, and then PJRT_Client_TopologyDescription (0.36) is "
             "called past the end "
             "of the plugin's table",
             minor);
    crash_with_a_device(out);
  } else if (minor == 56) {
    conclude(out, TN_VERDICT_CRASHES,
             "0.56 has a function in the middle of its table: every later call is another one");
  } else if (minor < 45 && patient->has_extensions) {
    conclude(out, TN_VERDICT_CRASHES,
             "the version check lets 0.%d pass, and then its chain of extensions is read in the "
             "form of 0.45",
             minor);
    crash_with_a_device(out);
  } else {
    find_short_structs(minor, release->minor, &shorter);
    // Plugins are told apart within 0.71 by nothing: its first header still took 24.
    if (shorter.first_to_load && strcmp(shorter.first_to_load, "PJRT_Client_Create_Args") == 0) {
      conclude(out, TN_VERDICT_REFUSED,
               "\"Unexpected PJRT_Client_Create_Args size: expected %lld, got %lld.\" (the plugin "
               "is newer than this jaxlib)",
               (long long)shorter.wants, (long long)shorter.got);
    } else if (shorter.first_to_load) {
      conclude(out, TN_VERDICT_CRASHES,
               "\"Unexpected PJRT_Plugin_Attributes_Args size: expected %lld, got %lld.\", which "
               "this jaxlib takes for "
               "fatal (no byte of that struct changed; the older header's constant was wrong)",
               (long long)shorter.wants, (long long)shorter.got);
      crash_with_a_device(out);
    } else if (shorter.count) {
      conclude(out, TN_VERDICT_LIMITED,
               "loads; the plugin is newer and refuses what this jaxlib sends: %s", shorter.list);
    } else if (minor > tn_abi_pjrt_newest()) {
      conclude(out, TN_VERDICT_WORKS, "by rule: 0.%d is newer than the tables, which end with 0.%d",
               minor, tn_abi_pjrt_newest());
    } else {
      conclude(out, TN_VERDICT_WORKS, "0.%d is taken (jaxlib %s has 0.%d)", minor, release->version,
               release->minor);
    }
  }
}

void tn_diagnose_jaxlib(const tn_patient* patient, const tn_abi_release* release,
                        tn_diagnosis* out) {
  if (!patient->is_pjrt) {
    conclude(out, TN_VERDICT_UNKNOWN, "it has no GetPjrtApi, which is what jaxlib looks for");
    out->no_face = true;
  } else if (patient->pjrt_minor < 0 && !patient->api_struct_size) {
    conclude(out, TN_VERDICT_UNKNOWN, "its number is not known: %s",
             *patient->load_error ? patient->load_error : "it was not loaded");
  } else if (!at_least(release, "0.4.19")) {
    if (!release->api_size) {
      conclude(out, TN_VERDICT_UNKNOWN,
               "the size of PJRT_Api in this release is not in the tables");
    } else if (patient->api_struct_size == (size_t)release->api_size) {
      conclude(out, patient->pjrt_minor == release->minor ? TN_VERDICT_WORKS : TN_VERDICT_LIMITED,
               patient->pjrt_minor == release->minor
                   ? "PJRT_Api has the size that it compares, and the number is its own"
                   : "PJRT_Api has the size that it compares, but another number: the functions "
                     "may be others");
    } else {
      conclude(
          out, TN_VERDICT_REFUSED,
          "\"Unexpected PJRT_Api size: expected %d, got %zu. Check installed software versions.\"",
          release->api_size, patient->api_struct_size);
    }
  } else if (patient->pjrt_minor < 0) {
    conclude(
        out, TN_VERDICT_CRASHES,
        "the plugin is of the time before numbers: a function stands where the number is read");
  } else if (patient->pjrt_major != 0) {
    conclude(out, TN_VERDICT_REFUSED,
             "\"Mismatched PJRT plugin PJRT API major version (%d) and framework PJRT API major "
             "version 0).\"",
             patient->pjrt_major);
  } else if (!at_least(release, "0.4.32")) {
    if (patient->pjrt_minor == release->minor) {
      conclude(out, TN_VERDICT_WORKS, "it wants exactly its own number, 0.%d, and this is it",
               release->minor);
    } else {
      conclude(out, TN_VERDICT_REFUSED,
               "\"Mismatched PJRT plugin PJRT API version (0.%d) and framework PJRT API version "
               "0.%d).\"",
               patient->pjrt_minor, release->minor);
    }
  } else {
    diagnose_relaxed(patient, release, out);
  }
}
