// The entry point and the table it gives, before anything in it is called.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "abi/table.h"
#include "base/status.h"
#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"
#include "pjrt/host/mapped.h"
#include "pjrt/host/table.h"

typedef const PJRT_Api* (*get_api)(void);

static get_api find_entry(const tn_subject* subject) {
  void* library = TN_CASE_CALL("dlopen", dlopen(subject->path, RTLD_LAZY | RTLD_LOCAL));
  if (!library) tn_case_skip("the plugin does not open: %s", dlerror());
  get_api get = (get_api)dlsym(library, "GetPjrtApi");
  TN_NEED(get, "GetPjrtApi", "dlsym: %s", dlerror());
  return get;
}

// The table; its first 40 bytes can be read.
static const PJRT_Api* get_table(const tn_subject* subject, tn_mapped** mapped) {
  const PJRT_Api* table = TN_CASE_CALL("GetPjrtApi", find_entry(subject)());
  TN_NEED(table, "a table", "NULL");
  *mapped = tn_mapped_read();
  TN_NEED(tn_mapped_readable(*mapped, table, 40), "a table that can be read", "%p", (void*)table);
  return table;
}

// Where the table of a known number ends; 0 for others. `said` gets what its header's constant
// said.
static size_t known_end(int minor, size_t* said) {
  const tn_abi_table* table = tn_abi_table_get("pjrt/struct_sizes");
  const int ends = tn_abi_column(table, "end"), consts = tn_abi_column(table, "size_const");
  const int firsts = tn_abi_column(table, "first_minor");
  const int lasts = tn_abi_column(table, "last_minor");
  for (size_t row = tn_abi_find(table, 0, "PJRT_Api", 0); row < table->rows;
       row = tn_abi_find(table, 0, "PJRT_Api", row + 1))
    if (tn_abi_int(table, row, firsts, 0) <= minor && minor <= tn_abi_int(table, row, lasts, 0)) {
      *said = (size_t)tn_abi_int(table, row, consts, 0);
      return (size_t)tn_abi_int(table, row, ends, 0);
    }
  return 0;
}

static void same_table(const tn_subject* subject) {
  get_api get = find_entry(subject);
  const void* first = TN_CASE_CALL("GetPjrtApi", get());
  TN_NEED(first, "a table", "NULL");
  const void* second = TN_CASE_CALL("GetPjrtApi", get());
  TN_EXPECT(first == second, "the same table twice", "%p, then %p", first, second);
}

static void opens(const tn_subject* subject) {
  tn_status status = {0};
  tn_pjrt_trace_to(tn_case_trace_word());
  pj.plugin = TN_CASE_CALL("opening the plugin", tn_pjrt_open(subject->path, NULL, &status));
  TN_NEED(pj.plugin, "a plugin that a host can work with", "%s", tn_status_message(&status));
  const char* notes = tn_pjrt_notes(pj.plugin);
  if (*notes) tn_case_note("%s", notes);
}

static void number(const tn_subject* subject) {
  tn_mapped* mapped;
  const PJRT_Api* table = get_table(subject, &mapped);
  const PJRT_Api_Version* version = &table->pjrt_api_version;
  TN_EXPECT(
      version->major_version >= 0 && version->minor_version >= 0 && version->minor_version < 100000,
      "a number", "%d.%d", version->major_version, version->minor_version);
  TN_EXPECT(version->struct_size == 0 || version->struct_size == PJRT_Api_Version_STRUCT_SIZE,
            "24, the size of PJRT_Api_Version", "%zu", version->struct_size);
}

static void size(const tn_subject* subject) {
  tn_mapped* mapped;
  const PJRT_Api* table = get_table(subject, &mapped);
  size_t said = 0;
  const size_t end = known_end(table->pjrt_api_version.minor_version, &said);
  const size_t found = table->struct_size;
  if (end) {
    char expected[80];
    snprintf(expected, sizeof expected, "%zu, or %zu as its header said", end, said);
    TN_EXPECT(found == end || found == said, expected, "%zu bytes in 0.%d", found,
              table->pjrt_api_version.minor_version);
  } else {
    TN_EXPECT(found >= PJRT_Api_STRUCT_SIZE && found < 1 << 20, "at least the size of 0.114",
              "%zu bytes", found);
  }
  TN_EXPECT(found % sizeof(void*) == 0, "whole functions", "%zu bytes", found);
  TN_EXPECT(found < 1 << 20 && tn_mapped_readable(mapped, table, found),
            "memory for all of struct_size", "%zu bytes at %p, and memory ends before", found,
            (void*)table);
}

// Frameworks look before they call these; all others they call as they are.
static bool may_be_null(int entry) {
  switch (entry) {
    case TN_PJRT_AT_PJRT_Event_Create:
    case TN_PJRT_AT_PJRT_Event_Set:
    case TN_PJRT_AT_PJRT_Device_GetAttributes:
    case TN_PJRT_AT_PJRT_Client_Load:
    case TN_PJRT_AT_PJRT_LoadedExecutable_AddressableDeviceLogicalIds:
    case TN_PJRT_AT_PJRT_Buffer_Bitcast:
    case TN_PJRT_AT_PJRT_Device_ClearMemoryStats:
    case TN_PJRT_AT_PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace:
    case TN_PJRT_AT_PJRT_TopologyDescription_GetMemorySpaceKindIds: return true;
    default: return false;
  }
}

static void no_empty_slots(const tn_subject* subject) {
  pj_open(subject);
  for (int entry = 0; entry < TN_PJRT_ENTRY_COUNT; ++entry) {
    if (pj.plugin->absent[entry] == TN_PJRT_NULL && !may_be_null(entry))
      tn_case_broken(NULL, "a function that answers UNIMPLEMENTED", "%s is NULL",
                     tn_pjrt_entry_names[entry]);
    if (pj.plugin->absent[entry] == TN_PJRT_PAST_END)
      tn_case_broken("struct_size covers the functions of the number", "a larger struct_size",
                     "the table ends before %s", tn_pjrt_entry_names[entry]);
    TN_EXPECT(pj.plugin->absent[entry] != TN_PJRT_NO_CODE, "the address of a function",
              "%s leads to no code", tn_pjrt_entry_names[entry]);
  }
}

static void extensions_end(const tn_subject* subject) {
  tn_mapped* mapped;
  const PJRT_Api* table = get_table(subject, &mapped);
  const int minor = table->pjrt_api_version.minor_version;
  if (minor < 45) tn_case_skip("nodes of 0.%d do not tell their sizes", minor);
  int types[64], count = 0;
  for (const PJRT_Extension_Base* node = table->extension_start; node; node = node->next) {
    TN_NEED(tn_mapped_readable(mapped, node, sizeof *node), "a node that can be read", "%p",
            (const void*)node);
    TN_NEED(count < 64, "an end of the list", "none after 64 nodes: it runs in a circle");
    TN_EXPECT(node->struct_size >= PJRT_Extension_Base_STRUCT_SIZE && node->struct_size < 1 << 16,
              "a struct_size that covers the node", "type %d: %zu", node->type, node->struct_size);
    for (int i = 0; i < count; ++i)
      TN_EXPECT(types[i] != (int)node->type, "each type once", "type %d twice", node->type);
    types[count++] = node->type;
  }
}

static void unchanged(const tn_subject* subject) {
  pj_open(subject);
  PJRT_Api before;
  const size_t bytes = pj.plugin->theirs->struct_size < sizeof before
                           ? pj.plugin->theirs->struct_size
                           : sizeof before;
  memcpy(&before, pj.plugin->theirs, bytes);
  PJRT_Error* error;
  PJRT_Client* client = pj_client_create(subject, &error);
  pj_take(error);
  if (client) pj_client_destroy(client);
  pj_compare("the table after a client came and went", pj.plugin->theirs, &before, bytes);
}

static void attributes(const tn_subject* subject) {
  pj_open(subject);
  PJ_ARGS(PJRT_Plugin_Attributes, args);
  PJ_OK(PJRT_Plugin_Attributes, args);
  pj_check_values("the plugin's attributes", args->attributes, args->num_attributes);
  PJ_ARGS(PJRT_Plugin_Attributes, again);
  PJ_OK(PJRT_Plugin_Attributes, again);
  TN_EXPECT(again->attributes == args->attributes && again->num_attributes == args->num_attributes,
            "the same list each time", "%zu at %p, then %zu at %p", args->num_attributes,
            (const void*)args->attributes, again->num_attributes, (const void*)again->attributes);
}

static void stablehlo_version(const tn_subject* subject) {
  static const char* const names[] = {"stablehlo_minimum_version", "stablehlo_current_version"};
  pj_open(subject);
  PJ_ARGS(PJRT_Plugin_Attributes, args);
  PJ_OK(PJRT_Plugin_Attributes, args);
  int64_t versions[2][3] = {{0}};
  for (int which = 0; which < 2; ++which) {
    const PJRT_NamedValue* found = NULL;
    for (size_t i = 0; args->attributes && i < args->num_attributes; ++i)
      if (args->attributes[i].name_size == strlen(names[which]) && args->attributes[i].name &&
          memcmp(args->attributes[i].name, names[which], strlen(names[which])) == 0)
        found = &args->attributes[i];
    // Published plugins have told it since 0.55.
    if (!found && pj.plugin->minor < 55) tn_case_skip("the plugin's number need not tell it");
    TN_NEED(found, names[which], "no such attribute");
    TN_NEED(found->type == PJRT_NamedValue_kInt64List && found->value_size == 3 &&
                found->int64_array_value,
            "a list of three integers", "%s: type %d with %zu", names[which], (int)found->type,
            found->value_size);
    memcpy(versions[which], found->int64_array_value, sizeof versions[which]);
  }
  bool ordered = true;
  for (int i = 0; i < 3 && versions[0][i] == versions[1][i]; ++i)
    if (i + 1 < 3) ordered = versions[0][i + 1] <= versions[1][i + 1];
  if (versions[0][0] != versions[1][0]) ordered = versions[0][0] < versions[1][0];
  TN_EXPECT(ordered, "a minimum that is not above the current version",
            "%lld.%lld.%lld and %lld.%lld.%lld", (long long)versions[0][0],
            (long long)versions[0][1], (long long)versions[0][2], (long long)versions[1][0],
            (long long)versions[1][1], (long long)versions[1][2]);
}

static const tn_check_case cases[] = {
    {"entry.same_table", "GetPjrtApi gives one table for the life of the process", same_table, 0},
    {"entry.number", "the table tells a number, in a struct of the right size", number, 0},
    {"entry.size", "struct_size is where the table of the plugin's number ends", size, 0},
    {"entry.extensions", "the list of extensions ends, each node tells its size, each type is once",
     extensions_end, 0},
    {"entry.opens", "the plugin opens, its number is known and it initializes", opens, 0},
    {"entry.no_empty_slots",
     "a function that is not implemented answers UNIMPLEMENTED; only those that frameworks look "
     "for first may be NULL",
     no_empty_slots, 0},
    {"entry.table_unchanged", "the table is not written to once it was given", unchanged, 0},
    {"entry.attributes", "attributes of the plugin are well-formed and stay for the process",
     attributes, 0},
    {"entry.stablehlo_version", "the plugin tells which versions of StableHLO it reads",
     stablehlo_version, 0},
};
const tn_check_group tn_check_pjrt_entry = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
