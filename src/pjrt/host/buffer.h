#ifndef TENON_PJRT_HOST_BUFFER_H_
#define TENON_PJRT_HOST_BUFFER_H_

#include "pjrt/host/client.h"

// A buffer of ours for one of the plugin's, which belongs to it from now on. NULL, with a status
// that names `entry`, when the plugin gave none; on failure the plugin's is destroyed.
tn_pjrt_buffer* tn_pjrt_buffer_wrap(tn_pjrt_client* client, PJRT_Buffer* theirs, const char* entry,
                                    tn_status* status);
void tn_pjrt_buffer_drop(tn_pjrt_client* client, PJRT_Buffer* theirs);

// Its shape, asked of the plugin once: NULL and 0, with a status, when what it says makes no sense.
bool tn_pjrt_buffer_shape(const tn_pjrt_buffer* buffer, const int64_t** dims, size_t* rank,
                          tn_status* status);
// The order of its dimensions in memory, for a buffer that is known to have that rank.
bool tn_pjrt_buffer_order(const tn_pjrt_buffer* buffer, size_t rank, int64_t* minor_to_major,
                          tn_status* status);

// Fills a layout with the order `minor_to_major`; NULL: row-major, written to `room`. False, with
// a status, when it is no order of `rank` dimensions.
bool tn_pjrt_layout_init(const tn_pjrt* plugin, PJRT_Buffer_MemoryLayout* layout,
                         int64_t room[TN_PJRT_MAX_RANK], const int64_t* minor_to_major, size_t rank,
                         tn_status* status);

#endif  // TENON_PJRT_HOST_BUFFER_H_
