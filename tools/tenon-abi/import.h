// `tenon abi import`: a new release becomes rows of data/abi.
#ifndef TENON_TOOLS_TENON_ABI_IMPORT_H_
#define TENON_TOOLS_TENON_ABI_IMPORT_H_

#include "header.h"
#include "table_file.h"
#include "wheel.h"

// What a release cannot tell of itself, as the user gave it; NULL where not given.
typedef struct import_options {
  const char* data;        // the folder of the tables
  const char* date;        // of the release
  const char* wheel_date;  // of the wheel's newest file
  const char* commit;      // of the header
  const char* pjrt;        // number in a jaxlib: "0.112"
  const char* stablehlo;   // versions in a jaxlib: "1.16.3,0.9.0"
  bool json;
  const header_options* header;
} import_options;

// The outcome, which is also the exit code.
typedef enum import_result {
  IMPORT_DONE = 0,     // extended, or known and equal
  IMPORT_DIFFERS = 1,  // known, and the tables say otherwise
  IMPORT_FAILED = 2,   // the status says why
} import_result;

import_result import_source(const char* source, const import_options* options, tn_status* status);

// Extends the tables, which are not written yet, by a header of PJRT's C API.
import_result import_pjrt(data_tables* tables, const tn_abi_model* header,
                          const import_options* options, tn_status* status);

// The same by a wheel of TensorFlow, or of jaxlib.
import_result import_tf(data_tables* tables, const wheel* wheel, const import_options* options,
                        tn_status* status);
import_result import_jaxlib(data_tables* tables, const wheel* wheel, const import_options* options,
                            tn_status* status);

// The first and the last state of the history that `header` equals, as rows of header_states; false
// when it equals none.
bool pjrt_find_states(const data_tables* tables, const tn_abi_model* header, size_t* out_first,
                      size_t* out_last);

#endif  // TENON_TOOLS_TENON_ABI_IMPORT_H_
