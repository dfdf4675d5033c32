// Field numbers of xla.CompileOptionsProto and of the messages in it. Numbers are never used twice
// there, and readers skip those they do not know, so one form serves plugins of every age.
#include "pjrt/host/compile_options.h"

#include "base/wire.h"

enum {
  OPTIONS_BUILD = 3,
  BUILD_DEVICE_ORDINAL = 1,
  BUILD_REPLICAS = 4,
  BUILD_PARTITIONS = 5,
  BUILD_USE_SPMD = 6,
  BUILD_DEVICE_ASSIGNMENT = 9,
  BUILD_OUTPUT_SHARDINGS_MAY_CHANGE = 12,
  BUILD_PARAMETER_SHARDINGS_MAY_CHANGE = 18,
  BUILD_PROCESS_COUNT = 23,
  ASSIGNMENT_REPLICAS = 1,
  ASSIGNMENT_PARTITIONS = 2,
  ASSIGNMENT_DEVICES = 3,  // one message per partition
  DEVICES_OF_REPLICAS = 1,
};

static void write_assignment(const tn_pjrt_compile_options* options, tn_text* out) {
  size_t assignment = tn_wire_begin(out, BUILD_DEVICE_ASSIGNMENT);
  tn_wire_put_varint(out, ASSIGNMENT_REPLICAS, (uint64_t)options->replicas);
  tn_wire_put_varint(out, ASSIGNMENT_PARTITIONS, (uint64_t)options->partitions);
  for (int32_t partition = 0; partition < options->partitions; ++partition) {
    size_t devices = tn_wire_begin(out, ASSIGNMENT_DEVICES);
    size_t packed = tn_wire_begin(out, DEVICES_OF_REPLICAS);
    for (int32_t replica = 0; replica < options->replicas; ++replica)
      tn_wire_put_raw_varint(
          out, (uint64_t)options->device_ids[replica * options->partitions + partition]);
    tn_wire_end(out, packed);
    tn_wire_end(out, devices);
  }
  tn_wire_end(out, assignment);
}

void tn_pjrt_compile_options_write(const tn_pjrt_compile_options* options, tn_text* out) {
  static const tn_view one_false = {"", 1};
  size_t build = tn_wire_begin(out, OPTIONS_BUILD);
  tn_wire_put_varint(out, BUILD_DEVICE_ORDINAL, (uint64_t)-1);  // none in particular
  tn_wire_put_varint(out, BUILD_REPLICAS, (uint64_t)options->replicas);
  tn_wire_put_varint(out, BUILD_PARTITIONS, (uint64_t)options->partitions);
  if (options->partitions > 1) tn_wire_put_varint(out, BUILD_USE_SPMD, 1);
  if (options->device_ids) write_assignment(options, out);
  // Inputs and outputs are what the program says: one `false` stands for all of them.
  tn_wire_put_bytes(out, BUILD_OUTPUT_SHARDINGS_MAY_CHANGE, one_false);
  tn_wire_put_bytes(out, BUILD_PARAMETER_SHARDINGS_MAY_CHANGE, one_false);
  tn_wire_put_varint(out, BUILD_PROCESS_COUNT, 1);
  tn_wire_end(out, build);
}
