// Arrays that a command reads from files and writes to files or to standard output.
#ifndef TENON_CLI_ARRAYS_H_
#define TENON_CLI_ARRAYS_H_

#include "base/json.h"
#include "command.h"

typedef struct cli_arrays {
  tn_tensor** items;
  size_t count, capacity;
  char** files;  // where each was written; NULL when none was
} cli_arrays;

// Room for `count` arrays, none there yet.
bool cli_arrays_init(cli_arrays* arrays, size_t count, tn_status* status);
void cli_arrays_deinit(cli_arrays* arrays);

// Adds what a word names: "x.npy", "xs.npz" (all of its arrays, in its order) or "xs.npz:name".
bool cli_arrays_read(cli_arrays* arrays, const char* word, tn_status* status);

// Whether that can be written to, before what takes long; leaves nothing behind.
bool cli_arrays_check_target(const char* target, tn_status* status);
// Writes to a folder ("results/out0.npy"), an archive ("results.npz:out0") or the one file named.
// Stops between two files when the user asks for it (cli_interrupts).
bool cli_arrays_write(cli_arrays* arrays, const char* target, tn_status* status);

// "out0  float32 [2, 3]" and the values, or the file, with blanks up to `width` behind the name.
bool cli_arrays_print(const cli_arrays* arrays, int width, tn_status* status);
// The same as a list "outputs".
void cli_arrays_json(const cli_arrays* arrays, tn_json* json);
// Ends the document and prints it.
bool cli_print_document(tn_json* json, tn_status* status);

bool cli_ends_with(const char* text, const char* end);

#endif  // TENON_CLI_ARRAYS_H_
