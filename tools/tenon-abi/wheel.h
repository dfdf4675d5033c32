// A wheel, packed or unpacked: what it is called, and where its files lie.
#ifndef TENON_TOOLS_TENON_ABI_WHEEL_H_
#define TENON_TOOLS_TENON_ABI_WHEEL_H_

#include "base/text.h"
#include "tenon/status.h"

typedef struct wheel {
  char root[4096];             // the folder that its packages lie in
  char name[64], version[64];  // "tensorflow-cpu", "2.21.0"
  char pythons[128];           // "3.10,3.11", from its classifiers
  char platform[128];          // "manylinux_2_27_x86_64"
  char date[32];               // of the newest file in an archive; "" for a folder
  const char* source;          // as the user named it
  char* unpacked;
} wheel;

// True for an archive by its name, and for folders.
bool wheel_is(const char* path);

// `path` is a .whl file, a folder with one .dist-info of TensorFlow or jaxlib in it, or that
// .dist-info itself. To be closed in any case.
bool wheel_open(wheel* wheel, const char* path, tn_status* status);
void wheel_close(wheel* wheel);

// Says `to` in a failed status where it says `from`: who gave a wheel knows nothing of the folder
// that it was unpacked into.
void wheel_rename(tn_status* status, const char* from, const char* to);

#endif  // TENON_TOOLS_TENON_ABI_WHEEL_H_
