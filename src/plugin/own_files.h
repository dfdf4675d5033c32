// Where the host's own files are: beside the library that holds this code, or where TENON_LIBDIR
// and TENON_PROBE say.
#ifndef TENON_PLUGIN_OWN_FILES_H_
#define TENON_PLUGIN_OWN_FILES_H_

#include "tenon/status.h"

// The library that exports TF_* ("<libdir>/libtenon_tf.so.0"). Owned by the caller until tn_free;
// NULL and NOT_FOUND when it is not there.
char* tn_own_tf_library(tn_status* status);

// The library that stands in for TensorFlow's library of this name
// ("<libdir>/tenon/shims/libtensorflow_cc.so.2"). As above.
char* tn_own_shim(const char* name, tn_status* status);

// The program that meets plugins first ("<libdir>/../libexec/tenon/tenon-probe"). As above.
char* tn_own_probe(tn_status* status);

// Where the plugins that come with Tenon are ("<libdir>/tenon/plugins"). As above.
char* tn_own_plugin_folder(tn_status* status);

#endif  // TENON_PLUGIN_OWN_FILES_H_
