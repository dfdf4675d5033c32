// Everything a program that hosts plugins needs: cc app.c $(pkg-config --cflags --libs tenon)
#ifndef TENON_TENON_H_
#define TENON_TENON_H_

#include "tenon/call.h"
#include "tenon/device.h"
#include "tenon/dtype.h"
#include "tenon/pjrt.h"
#include "tenon/pjrt_session.h"
#include "tenon/plugin.h"
#include "tenon/registry.h"
#include "tenon/status.h"
#include "tenon/tensor.h"

#endif  // TENON_TENON_H_
