// What belongs to the host's process, before and after a plugin was loaded or its kernels ran.
#include "check/belongings.h"
#include "check/kernels/fixture.h"
#include "check/kernels/groups.h"

static void use(tk_run* run, uint64_t* random) { tk_once(run, NULL); }

static void around_load(const tn_subject* subject) {
  tn_belonging_remember((tn_belonging)subject->arg);
  tk_load(subject);
  tn_belonging_compare();
}

static void around_runs(const tn_subject* subject) {
  tk_start(subject);
  tn_belonging_remember((tn_belonging)subject->arg);
  tk_each_run(use);
  tn_belonging_compare();
}

static const tn_check_case cases[] = {
    {"load.standard_output", "standard output belongs to the host", around_load,
     TN_STANDARD_OUTPUT},
    {"load.signals", "signal handlers belong to the host", around_load, TN_SIGNAL_HANDLERS},
    {"load.signal_mask", "which signals are blocked is the host's affair", around_load,
     TN_SIGNAL_MASK},
    {"load.working_folder", "the working folder belongs to the host", around_load,
     TN_WORKING_FOLDER},
    {"load.umask", "the umask belongs to the host", around_load, TN_UMASK},
    {"load.locale", "the locale belongs to the host", around_load, TN_LOCALE},
    {"load.rounding", "how numbers are rounded is the host's affair", around_load, TN_ROUNDING},
    {"load.standard_files", "standard input, output and error stay open", around_load,
     TN_STANDARD_FILES},
    {"load.environment", "environment variables belong to the host", around_load, TN_ENVIRONMENT},
    {"runs.standard_output", "kernels print nothing on standard output", around_runs,
     TN_STANDARD_OUTPUT},
    {"runs.signals", "kernels leave signal handlers alone", around_runs, TN_SIGNAL_HANDLERS},
    {"runs.signal_mask", "kernels leave the mask of signals alone", around_runs, TN_SIGNAL_MASK},
    {"runs.working_folder", "kernels leave the working folder alone", around_runs,
     TN_WORKING_FOLDER},
    {"runs.umask", "kernels leave the umask alone", around_runs, TN_UMASK},
    {"runs.locale", "kernels leave the locale alone", around_runs, TN_LOCALE},
    {"runs.rounding", "kernels put back how numbers are rounded", around_runs, TN_ROUNDING},
    {"runs.standard_files", "kernels leave standard input, output and error open", around_runs,
     TN_STANDARD_FILES},
    {"runs.environment", "kernels leave environment variables alone", around_runs, TN_ENVIRONMENT},
};
_Static_assert(sizeof cases / sizeof *cases == 2 * TN_BELONGINGS, "a case a thing, for both");
const tn_check_group tn_check_kernels_process = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
