// Folders for the time being, below TMPDIR, that go away with the process however it ends.
#ifndef TENON_BASE_TEMPORARY_H_
#define TENON_BASE_TEMPORARY_H_

#include "tenon/status.h"

// Makes a folder "<TMPDIR>/<name>-<number>", to be handed to tn_temporary_remove. Should the
// process be killed before, by Ctrl-C or otherwise, another one that waits for this removes it.
// NULL when it cannot be made.  [any thread]
char* tn_temporary_make(const char* name, tn_status* status);

// Removes the folder and all below it. NULL is fine.
void tn_temporary_remove(char* folder);

#endif  // TENON_BASE_TEMPORARY_H_
