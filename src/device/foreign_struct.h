// A struct that a plugin filled, read by the names of its fields. Where a field lies differs
// between TensorFlow's releases, and no version number tells them apart: the layout is found from
// the size that the plugin says, else from what is set, among the releases that the plugin can be
// for.
#ifndef TENON_DEVICE_FOREIGN_STRUCT_H_
#define TENON_DEVICE_FOREIGN_STRUCT_H_

#include <stdbool.h>
#include <stddef.h>

#include "tenon/status.h"

// Bytes lent to a plugin for any one struct: more than the largest known, because a newer plugin
// writes past what this host knows.
enum { TN_FOREIGN_ROOM = 2048 };

typedef struct tn_foreign_field {
  const char* name;
  size_t target, size;   // where it goes in the host's own struct
  bool needed;           // null or zero is refused where the layout has the field
  size_t announced_end;  // in no release yet, with this end in the newest layout; 0: in a release
} tn_foreign_field;

#define TN_FOREIGN(type, member, is_needed) \
  { #member, offsetof(type, member), sizeof(((type*)0)->member), is_needed, 0 }

typedef struct tn_foreign_struct {
  const char* file;       // the plugin's, for messages
  const char* name;       // "SP_Platform"
  const char* size_name;  // "SP_PLATFORM_STRUCT_SIZE"
  const char* since;      // the first release that the plugin can be for; NULL: any
  const char* like;       // a release whose layout another struct of it was seen to have, or NULL
  size_t given;           // the struct_size that the plugin found there
  const char* bytes;      // TN_FOREIGN_ROOM of them, zero before the plugin came
  const char* release;    // out: the newest release with the layout that was found
  bool by_size;           // out: it was told by the size that the plugin wrote
} tn_foreign_struct;

// Copies the fields to `target`; those that the plugin's struct lacks become zero bytes. False and
// FAILED_PRECONDITION, naming the file and the field, for a size of 0, an ext that is set or a
// needed field that is not.
bool tn_foreign_read(tn_foreign_struct* source, const tn_foreign_field* fields, size_t count,
                     void* target, tn_status* status);

#endif  // TENON_DEVICE_FOREIGN_STRUCT_H_
