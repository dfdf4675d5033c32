// Copying elements of string tensors.
#ifndef TENON_PLUGINS_CPU_STRINGS_H_
#define TENON_PLUGINS_CPU_STRINGS_H_

#include "kernel.h"
#include "tensorflow/c/tf_tstring.h"

// Room for `size` characters in an output element, or NULL and a failed run.
char* resize_string(run* run, TF_TString* string, size_t size);
// Copies the characters, also those of a view, whose memory may go before the copy does.
bool copy_string(run* run, TF_TString* to, const TF_TString* from);

#endif  // TENON_PLUGINS_CPU_STRINGS_H_
