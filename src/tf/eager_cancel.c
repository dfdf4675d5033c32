// eager/c_api_experimental.h: cancelling ops. Names of callbacks are for TensorFlow's log.

#include "exec/cancel_manager.h"
#include "exec/eager.h"
#include "tensorflow/c/eager/c_api_experimental.h"
#include "tf/entry.h"

TFE_CancellationManager* TFE_NewCancellationManager(void) { return tn_cancel_manager_create(); }

void TFE_DeleteCancellationManager(TFE_CancellationManager* manager) {
  tn_cancel_manager_destroy(manager);
}

bool TFE_CancellationManagerIsCancelled(TFE_CancellationManager* manager) {
  return manager && tn_cancel_manager_is_cancelled(manager);
}

bool TFE_CancellationManagerIsCancelling(TFE_CancellationManager* manager) {
  return manager && tn_cancel_manager_is_cancelling(manager);
}

void TFE_CancellationManagerStartCancel(TFE_CancellationManager* manager) {
  if (manager) tn_cancel_manager_start(manager);
}

TFE_CancellationToken TFE_CancellationManagerGetToken(TFE_CancellationManager* manager) {
  return manager ? tn_cancel_manager_next(manager) : -1;
}

bool TFE_CancellationManagerRegisterCallback(TFE_CancellationManager* manager,
                                             TFE_CancellationToken token,
                                             const TFE_CancelCallback* c_callback,
                                             const char* callback_name) {
  return manager && c_callback && c_callback->callback &&
         tn_cancel_manager_register(manager, token, c_callback->callback, c_callback->context);
}

bool TFE_CancellationManagerDeregisterCallback(TFE_CancellationManager* manager,
                                               TFE_CancellationToken token) {
  return manager && tn_cancel_manager_deregister(manager, token, true);
}

bool TFE_CancellationManagerTryDeregisterCallback(TFE_CancellationManager* manager,
                                                  TFE_CancellationToken token) {
  return manager && tn_cancel_manager_deregister(manager, token, false);
}

void TFE_OpSetCancellationManager(TFE_Op* op, TFE_CancellationManager* cancellation_manager,
                                  TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(op, status))
    tn_eager_op_set_cancel(
        op, cancellation_manager ? tn_cancel_manager_token(cancellation_manager) : NULL);
}
