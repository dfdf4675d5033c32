// The order in which an array's dimensions lie in memory.
#include "base/status.h"
#include "pjrt/host/buffer.h"

bool tn_pjrt_layout_init(const tn_pjrt* plugin, PJRT_Buffer_MemoryLayout* layout,
                         int64_t room[TN_PJRT_MAX_RANK], const int64_t* minor_to_major, size_t rank,
                         tn_status* status) {
  if (rank > TN_PJRT_MAX_RANK)
    return tn_fail(status, TN_INVALID_ARGUMENT, "an array has rank %zu; at most %d is supported",
                   rank, (int)TN_PJRT_MAX_RANK);
  uint64_t seen = 0;
  for (size_t i = 0; i < rank; ++i) {
    room[i] = minor_to_major ? minor_to_major[i] : (int64_t)(rank - 1 - i);
    if (room[i] < 0 || room[i] >= (int64_t)rank || seen >> room[i] & 1)
      return tn_fail(status, TN_INVALID_ARGUMENT,
                     "minor_to_major[%zu] is %lld; it must hold each of the dimensions 0 to %zu "
                     "once",
                     i, (long long)room[i], rank - 1);
    seen |= UINT64_C(1) << room[i];
  }
  *layout = (PJRT_Buffer_MemoryLayout){
      .struct_size = TN_PJRT_SIZE_OF(plugin, PJRT_Buffer_MemoryLayout),
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
      .tiled = {.struct_size = TN_PJRT_SIZE_OF(plugin, PJRT_Buffer_MemoryLayout_Tiled),
                .minor_to_major = room,
                .minor_to_major_size = rank}};
  return true;
}

// Strides are an order when sorting them by size leaves no doubt; equal ones keep row-major order.
static bool order_of_strides(const int64_t* strides, size_t rank, int64_t* minor_to_major) {
  for (size_t i = 0; i < rank; ++i) {
    int64_t dimension = (int64_t)(rank - 1 - i);
    if (strides[dimension] < 0) return false;
    size_t at = i;
    for (; at > 0 && strides[minor_to_major[at - 1]] > strides[dimension]; --at)
      minor_to_major[at] = minor_to_major[at - 1];
    minor_to_major[at] = dimension;
  }
  return true;
}

bool tn_pjrt_buffer_order(const tn_pjrt_buffer* buffer, size_t rank, int64_t* minor_to_major,
                          tn_status* status) {
  if (rank == 0) return true;
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_GetMemoryLayout_Args, args, .buffer = buffer->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_GetMemoryLayout, args, status)) return false;
  const PJRT_Buffer_MemoryLayout* layout = &args->layout;
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled && layout->tiled.minor_to_major &&
      layout->tiled.minor_to_major_size == rank) {
    PJRT_Buffer_MemoryLayout same;
    int64_t room[TN_PJRT_MAX_RANK];
    tn_status wrong = {0};
    bool ok = tn_pjrt_layout_init(plugin, &same, room, layout->tiled.minor_to_major, rank, &wrong);
    if (ok)
      memcpy(minor_to_major, room, rank * sizeof *minor_to_major);
    else
      tn_fail(status, TN_INTERNAL, "%s: PJRT_Buffer_GetMemoryLayout: %s", plugin->name,
              tn_status_message(&wrong));
    tn_status_deinit(&wrong);
    return ok;
  }
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides && layout->strides.byte_strides &&
      layout->strides.num_byte_strides == rank &&
      order_of_strides(layout->strides.byte_strides, rank, minor_to_major))
    return true;
  return tn_fail(status, TN_INTERNAL,
                 "%s: PJRT_Buffer_GetMemoryLayout: no order of the buffer's %zu dimensions",
                 plugin->name, rank);
}

bool tn_pjrt_buffer_layout(const tn_pjrt_buffer* buffer, int64_t* minor_to_major,
                           tn_status* status) {
  const int64_t* dims;
  size_t rank;
  if (!tn_pjrt_buffer_shape(buffer, &dims, &rank, status)) return false;
  if (rank > 0 && !minor_to_major)
    return tn_fail(status, TN_INVALID_ARGUMENT, "there is no room for the layout of a PJRT buffer");
  return tn_pjrt_buffer_order(buffer, rank, minor_to_major, status);
}
