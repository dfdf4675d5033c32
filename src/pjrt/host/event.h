#ifndef TENON_PJRT_HOST_EVENT_H_
#define TENON_PJRT_HOST_EVENT_H_

#include "pjrt/host/client.h"

// An event of ours for one of the plugin's, which belongs to it from now on; NULL has happened. On
// failure the plugin's is destroyed.
tn_pjrt_event* tn_pjrt_event_wrap(tn_pjrt_client* client, PJRT_Event* theirs, tn_status* status);
void tn_pjrt_event_drop(tn_pjrt_client* client, PJRT_Event* theirs);

// What becomes of an event that `entry` gave: the caller who has room for it gets it, for one who
// has not it is waited for. False with what failed, or when there is none.
bool tn_pjrt_event_settle(tn_pjrt_client* client, const char* entry, PJRT_Event* theirs,
                          tn_pjrt_event** out, tn_status* status);
// False, with a status: `entry` gave no error and no event.
bool tn_pjrt_event_missing(const tn_pjrt_client* client, const char* entry, tn_status* status);

#endif  // TENON_PJRT_HOST_EVENT_H_
