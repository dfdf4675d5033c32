// The table that tn_pjrt_table gives away.
#ifndef TENON_PJRT_HOST_PUBLIC_TABLE_H_
#define TENON_PJRT_HOST_PUBLIC_TABLE_H_

#include "pjrt/host/plugin.h"

// Frees what tn_pjrt_table made for the view.
void tn_pjrt_public_table_drop(tn_pjrt* plugin);

#endif  // TENON_PJRT_HOST_PUBLIC_TABLE_H_
