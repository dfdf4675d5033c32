// Eager execution, the part that ends ops early.

#ifndef TENSORFLOW_C_EAGER_C_API_EXPERIMENTAL_H_
#define TENSORFLOW_C_EAGER_C_API_EXPERIMENTAL_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/eager/c_api.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TFE_CancellationManager TFE_CancellationManager;
typedef int64_t TFE_CancellationToken;
typedef struct TFE_CancelCallback {
  void (*callback)(void* context);
  void* context;
} TFE_CancelCallback;

// The caller deletes it, after the ops that were given it.
TF_CAPI_EXPORT TFE_CancellationManager* TFE_NewCancellationManager(void);
TF_CAPI_EXPORT void TFE_DeleteCancellationManager(TFE_CancellationManager* manager);

// Cancelling: callbacks run. Cancelled: they have.
TF_CAPI_EXPORT bool TFE_CancellationManagerIsCancelled(TFE_CancellationManager* manager);
TF_CAPI_EXPORT bool TFE_CancellationManagerIsCancelling(TFE_CancellationManager* manager);

// Ends the ops that were given the manager and runs the callbacks, here, unless that was asked
// before.
TF_CAPI_EXPORT void TFE_CancellationManagerStartCancel(TFE_CancellationManager* manager);

// A number that no other caller gets, to register a callback by.
TF_CAPI_EXPORT TFE_CancellationToken
TFE_CancellationManagerGetToken(TFE_CancellationManager* manager);

// False, and the callback will not run, once a cancel has started.
TF_CAPI_EXPORT bool TFE_CancellationManagerRegisterCallback(TFE_CancellationManager* manager,
                                                            TFE_CancellationToken token,
                                                            const TFE_CancelCallback* c_callback,
                                                            const char* callback_name);

// True when the callback will not run. False once a cancel has started: the first waits until all
// callbacks have run, the second does not.
TF_CAPI_EXPORT bool TFE_CancellationManagerDeregisterCallback(TFE_CancellationManager* manager,
                                                              TFE_CancellationToken token);
TF_CAPI_EXPORT bool TFE_CancellationManagerTryDeregisterCallback(TFE_CancellationManager* manager,
                                                                 TFE_CancellationToken token);

// Runs of `op` end with CANCELLED when the manager is asked to cancel. NULL takes that back.
TF_CAPI_EXPORT void TFE_OpSetCancellationManager(TFE_Op* op,
                                                 TFE_CancellationManager* cancellation_manager,
                                                 TF_Status* status);

#ifdef __cplusplus
}
#endif
#endif  // TENSORFLOW_C_EAGER_C_API_EXPERIMENTAL_H_
