// Will this plugin work with that framework, and if not, what is to be changed?
#ifndef TENON_DOCTOR_DOCTOR_H_
#define TENON_DOCTOR_DOCTOR_H_

#include "abi/releases.h"
#include "doctor/inspect.h"

// What is known of the plugin: its file, and what it said when it was loaded.
typedef struct tn_patient {
  const tn_inspection* file;
  const tn_inspection* const* companions;  // libraries beside it that it needs, and theirs
  size_t companion_count;
  bool is_pjrt;
  int pjrt_major, pjrt_minor;  // -1: not known (it was not loaded, or did not load)
  size_t api_struct_size;      // 0: not known
  bool has_extensions;
  size_t platform_struct_size;  // of SP_Platform; 0: not known, or no device
  const char* load_error;       // "" when it loaded, or was not to be loaded
  char ended[128];  // how its own code ended the process that loaded it; "" when it did not
} tn_patient;

typedef enum tn_doctor_verdict {
  TN_VERDICT_WORKS,
  TN_VERDICT_LIMITED,
  TN_VERDICT_REFUSED,
  TN_VERDICT_CRASHES,
  TN_VERDICT_UNKNOWN,  // nothing to go by: the plugin has no face for this framework, or did not
                       // load
} tn_doctor_verdict;
const char* tn_doctor_verdict_name(tn_doctor_verdict verdict);

enum { TN_REASON_TEXT = 1024 };
typedef struct tn_diagnosis {
  tn_doctor_verdict verdict;
  bool loads;  // it opens, the framework's checks pass, and what may go wrong comes once there is a
               // device
  bool no_face;                 // nothing of it is for this framework
  char reason[TN_REASON_TEXT];  // why; the framework's own words in quotes where it refuses
} tn_diagnosis;

// One release of a framework.  [any thread]
void tn_diagnose_jaxlib(const tn_patient* patient, const tn_abi_release* release,
                        tn_diagnosis* out);
void tn_diagnose_tensorflow(const tn_patient* patient, const char* release, tn_diagnosis* out);

typedef struct tn_doctor_row {
  const char *framework, *version;
  tn_diagnosis diagnosis;
  const char* window;  // what the policy of 12 weeks promises ("yes", "no", ...); NULL: nothing
} tn_doctor_row;

// All releases that the plugin could be meant for, oldest first; owned by the caller until tn_free.
// NULL when memory runs out.
tn_doctor_row* tn_diagnose_all(const tn_patient* patient, size_t* out_count);

// One sentence: what to do. `rows` as above.
void tn_recommend(const tn_patient* patient, const tn_doctor_row* rows, size_t count, char* out,
                  size_t size);

// The first and the last release that the policy's window promises; false when it promises none of
// them, or says nothing of this plugin.
bool tn_doctor_promised(const tn_doctor_row* rows, size_t count, const tn_doctor_row** out_first,
                        const tn_doctor_row** out_last);

// Whether SP_Platform's size shows a layout of the device structs that this release of TensorFlow
// does not have, and what then happens.
bool tn_device_layout_moved(size_t platform_struct_size, const char* release, char* out,
                            size_t size);

// Looks at the plugin and at the libraries beside it that it needs, and loads it in a child process
// when `load` says so. Owned by the caller until tn_patient_destroy. NULL when the file is no
// plugin.
tn_patient* tn_patient_create(const char* path, bool load, tn_status* status);
void tn_patient_destroy(tn_patient* patient);

#endif  // TENON_DOCTOR_DOCTOR_H_
