// Every function that libtenon_tf exports, with where its arguments come from. Included twice by
// hostile_plugin.c: for a thunk of each, and for the table of them.
//
// PLAIN(f, arguments...) calls f. TEXT, VIEW and BYTES read what it returns. KEPT(kind, f, ...)
// puts what it returns into the pool of that kind. SPECIAL(f, statements) is for the rest.

// tf_status.h, and the names that plugins built against newer headers import
KEPT(STATUS, TF_NewStatus)
PLAIN(TF_DeleteStatus, TAKE(STATUS))
PLAIN(TF_SetStatus, ANY(STATUS), (TF_Code)INDEX, NAME)
PLAIN(TF_SetStatusFromIOError, ANY(STATUS), INDEX, NAME)
PLAIN(TF_SetPayload, ANY(STATUS), NAME, NAME)
PLAIN(TF_ForEachPayload, ANY(STATUS), MAYBE(visit_payload), NULL)
PLAIN(TF_GetCode, ANY(STATUS))
TEXT(TF_Message, ANY(STATUS))
KEPT(STATUS, TSL_NewStatus)
PLAIN(TSL_DeleteStatus, TAKE(STATUS))
PLAIN(TSL_SetStatus, ANY(STATUS), (TF_Code)INDEX, NAME)
PLAIN(TSL_SetStatusFromIOError, ANY(STATUS), INDEX, NAME)
PLAIN(TSL_SetPayload, ANY(STATUS), NAME, NAME)
PLAIN(TSL_ForEachPayload, ANY(STATUS), MAYBE(visit_payload), NULL)
PLAIN(TSL_GetCode, ANY(STATUS))
TEXT(TSL_Message, ANY(STATUS))

// tf_tensor.h, tf_datatype.h
SPECIAL(TF_NewTensor, {
  // NULL has no bytes, so any size may be claimed for it; memory of ours is as large as we say.
  void* data = CHANCE(8) ? NULL : calloc(1, tensor_memory);
  char* at = data && CHANCE(4) ? (char*)data + 8 : data;
  size_t size = !data ? SIZE : CHANCE(4) ? 1 : tensor_memory - 8;
  keep(TENSOR, TF_NewTensor(TYPE, DIMS, RANK, at, size, free_tensor_memory, data));
})
KEPT(TENSOR, TF_AllocateTensor, TYPE, DIMS, RANK, SIZE)
PLAIN(TF_TensorMaybeMove, ANY(TENSOR))
PLAIN(TF_DeleteTensor, TAKE(TENSOR))
PLAIN(TF_TensorBitcastFrom, ANY(TENSOR), TYPE, ANY(TENSOR), DIMS, RANK, ANY(STATUS))
PLAIN(TF_TensorType, ANY(TENSOR))
PLAIN(TF_NumDims, ANY(TENSOR))
PLAIN(TF_Dim, ANY(TENSOR), INDEX)
PLAIN(TF_TensorElementCount, ANY(TENSOR))
PLAIN(TF_TensorByteSize, ANY(TENSOR))
SPECIAL(TF_TensorData, {
  TF_Tensor* tensor = ANY(TENSOR);
  const char* data = TF_TensorData(tensor);
  size_t size = TF_TensorByteSize(tensor);
  if (size) read_bytes(data, 1), read_bytes(data + size - 1, 1);
})
PLAIN(TF_TensorIsAligned, ANY(TENSOR))
PLAIN(TF_TensorDefaultAlignment)
PLAIN(TF_SetShape, ANY(TENSOR), DIMS, RANK)
PLAIN(TF_DataTypeSize, TYPE)

// tf_tstring.h
SPECIAL(TF_StringInit, {
  TF_TString* string = ANY(STRING);
  if (string) TF_StringDealloc(string);
  TF_StringInit(string);
})
PLAIN(TF_StringDealloc, ANY(STRING))
SPECIAL(TF_StringCopy, {
  const char* text = NAME;
  TF_StringCopy(ANY(STRING), text, claimed_size(text));
})
SPECIAL(TF_StringAssignView, {
  const char* text = NAME;
  TF_StringAssignView(ANY(STRING), text, text ? strlen(text) : SIZE);
})
SPECIAL(TF_StringGetDataPointer, {
  TF_TString* string = ANY(STRING);
  read_bytes(TF_StringGetDataPointer(string), TF_StringGetSize(string));
})
PLAIN(TF_StringGetSize, ANY(STRING))
PLAIN(TF_StringGetCapacity, ANY(STRING))
PLAIN(TF_StringGetType, ANY(STRING))

// tf_buffer.h, tf_shape.h
KEPT(BUFFER, TF_NewBuffer)
SPECIAL(TF_NewBufferFromString, {
  const char* text = CHANCE(2) ? NAME : PROTO;
  keep(BUFFER, TF_NewBufferFromString(text, claimed_size(text)));
})
PLAIN(TF_DeleteBuffer, TAKE(BUFFER))
BYTES(TF_GetBuffer, ANY(BUFFER))
KEPT(SHAPE, TF_NewShape)
PLAIN(TF_DeleteShape, TAKE(SHAPE))
PLAIN(TF_ShapeDims, ANY(SHAPE))
PLAIN(TF_ShapeDimSize, ANY(SHAPE), INDEX)

// logging.h. TF_FATAL is left out: it ends the process, as the plugin asked.
PLAIN(TF_Log, LOG_LEVEL, FORMAT, NAME)
PLAIN(TF_VLog, INDEX, FORMAT, NAME)
PLAIN(TF_DVLog, INDEX, FORMAT, NAME)

// c_api.h, c_api_experimental.h, and what plugins ask of Python
TEXT(TF_Version)
PLAIN(TF_TensorFromProto, ANY(BUFFER), ANY(TENSOR), ANY(STATUS))
PLAIN(TF_DeleteDeviceList, TAKE(DEVICES))
PLAIN(TF_DeviceListCount, ANY(DEVICES))
TEXT(TF_DeviceListName, ANY(DEVICES), INDEX, ANY(STATUS))
TEXT(TF_DeviceListType, ANY(DEVICES), INDEX, ANY(STATUS))
PLAIN(TF_DeviceListMemoryBytes, ANY(DEVICES), INDEX, ANY(STATUS))
PLAIN(TF_DeviceListIncarnation, ANY(DEVICES), INDEX, ANY(STATUS))
KEPT(LIBRARY, TF_LoadLibrary, PATH, ANY(STATUS))
KEPT(LIBRARY, TF_LoadPluggableDeviceLibrary, PATH, ANY(STATUS))
BYTES(TF_GetOpList, ANY(LIBRARY))
PLAIN(TF_DeleteLibraryHandle, TAKE(LIBRARY))
PLAIN(TF_DeletePluggableDeviceLibraryHandle, TAKE(LIBRARY))
KEPT(BUFFER, TF_GetAllOpList)
KEPT(BUFFER, TF_GetAllRegisteredKernels, ANY(STATUS))
KEPT(BUFFER, TF_GetRegisteredKernelsForOp, NAME, ANY(STATUS))
PLAIN(TF_RegisterLogListener, MAYBE(listen))
PLAIN(TF_OpIsStateful, NAME, ANY(STATUS))
PLAIN(TF_GetXlaAutoJitEnabled)
PLAIN(PyRun_SimpleStringFlags, NAME, NULL)

// ops.h
KEPT(OP_BUILDER, TF_NewOpDefinitionBuilder, OP_NAME)
PLAIN(TF_RegisterOpDefinition, TAKE(OP_BUILDER), ANY(STATUS))
PLAIN(TF_DeleteOpDefinitionBuilder, TAKE(OP_BUILDER))
PLAIN(TF_OpDefinitionBuilderAddAttr, ANY(OP_BUILDER), ATTR_SPEC)
PLAIN(TF_OpDefinitionBuilderAddInput, ANY(OP_BUILDER), ARGUMENT_SPEC)
PLAIN(TF_OpDefinitionBuilderAddOutput, ANY(OP_BUILDER), ARGUMENT_SPEC)
PLAIN(TF_OpDefinitionBuilderSetIsCommutative, ANY(OP_BUILDER), CHANCE(2))
PLAIN(TF_OpDefinitionBuilderSetIsAggregate, ANY(OP_BUILDER), CHANCE(2))
PLAIN(TF_OpDefinitionBuilderSetIsStateful, ANY(OP_BUILDER), CHANCE(2))
PLAIN(TF_OpDefinitionBuilderSetAllowsUninitializedInput, ANY(OP_BUILDER), CHANCE(2))
PLAIN(TF_OpDefinitionBuilderDeprecated, ANY(OP_BUILDER), INDEX, NAME)
PLAIN(TF_OpDefinitionBuilderSetShapeInferenceFunction, ANY(OP_BUILDER), MAYBE(infer))
KEPT(SHAPE_HANDLE, TF_NewShapeHandle)
PLAIN(TF_DeleteShapeHandle, TAKE(SHAPE_HANDLE))
KEPT(DIMENSION, TF_NewDimensionHandle)
PLAIN(TF_DeleteDimensionHandle, TAKE(DIMENSION))
PLAIN(TF_DimensionHandleValueKnown, ANY(DIMENSION))
PLAIN(TF_DimensionHandleValue, ANY(DIMENSION))
PLAIN(TF_ShapeInferenceContextNumInputs, INFERENCE)
PLAIN(TF_ShapeInferenceContextGetInput, INFERENCE, INDEX, ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TF_ShapeInferenceContextSetOutput, INFERENCE, INDEX, ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TF_ShapeInferenceContextSetUnknownShape, INFERENCE, ANY(STATUS))
PLAIN(TF_ShapeInferenceContext_GetAttrType, INFERENCE, NAME, OUT, ANY(STATUS))
KEPT(SHAPE_HANDLE, TF_ShapeInferenceContextScalar, INFERENCE)
KEPT(SHAPE_HANDLE, TF_ShapeInferenceContextVectorFromSize, INFERENCE, SIZE)
PLAIN(TF_ShapeInferenceContextConcatenateShapes, INFERENCE, ANY(SHAPE_HANDLE), ANY(SHAPE_HANDLE),
      ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TF_ShapeInferenceContextSubshape, INFERENCE, ANY(SHAPE_HANDLE), WIDE, WIDE, ANY(SHAPE_HANDLE),
      ANY(STATUS))
PLAIN(TF_ShapeInferenceContextRank, INFERENCE, ANY(SHAPE_HANDLE))
PLAIN(TF_ShapeInferenceContextRankKnown, INFERENCE, ANY(SHAPE_HANDLE))
PLAIN(TF_ShapeInferenceContextDim, INFERENCE, ANY(SHAPE_HANDLE), WIDE, ANY(DIMENSION))
PLAIN(TF_ShapeInferenceContextWithRank, INFERENCE, ANY(SHAPE_HANDLE), WIDE, ANY(SHAPE_HANDLE),
      ANY(STATUS))
PLAIN(TF_ShapeInferenceContextWithRankAtLeast, INFERENCE, ANY(SHAPE_HANDLE), WIDE,
      ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TF_ShapeInferenceContextWithRankAtMost, INFERENCE, ANY(SHAPE_HANDLE), WIDE, ANY(SHAPE_HANDLE),
      ANY(STATUS))

// tenon/shape_inference.h
PLAIN(TN_ShapeInferenceContextUnknownShape, INFERENCE, ANY(SHAPE_HANDLE))
PLAIN(TN_ShapeInferenceContextUnknownShapeOfRank, INFERENCE, RANK, ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TN_ShapeInferenceContextMakeShape, INFERENCE, DIMS, RANK, ANY(SHAPE_HANDLE), ANY(STATUS))
SPECIAL(TN_ShapeInferenceContextMakeShapeFromDims, {
  TF_DimensionHandle* dims[1000];
  for (int i = 0; i < 1000; ++i) dims[i] = i < 8 ? ANY(DIMENSION) : dims[i % 8];
  TN_ShapeInferenceContextMakeShapeFromDims(INFERENCE, CHANCE(8) ? NULL : dims, RANK,
                                            ANY(SHAPE_HANDLE), ANY(STATUS));
})
PLAIN(TN_DimensionHandleSetValue, ANY(DIMENSION), WIDE)
PLAIN(TN_ShapeInferenceContextNumElements, INFERENCE, ANY(SHAPE_HANDLE), ANY(DIMENSION),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextMerge, INFERENCE, ANY(SHAPE_HANDLE), ANY(SHAPE_HANDLE),
      ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TN_ShapeInferenceContextMergePrefix, INFERENCE, ANY(SHAPE_HANDLE), ANY(SHAPE_HANDLE),
      ANY(SHAPE_HANDLE), ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TN_ShapeInferenceContextBroadcast, INFERENCE, ANY(SHAPE_HANDLE), ANY(SHAPE_HANDLE),
      ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TN_ShapeInferenceContextReplaceDim, INFERENCE, ANY(SHAPE_HANDLE), WIDE, ANY(DIMENSION),
      ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TN_ShapeInferenceContextWithValue, INFERENCE, ANY(DIMENSION), WIDE, ANY(DIMENSION),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextMergeDims, INFERENCE, ANY(DIMENSION), ANY(DIMENSION), ANY(DIMENSION),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextAdd, INFERENCE, ANY(DIMENSION), ANY(DIMENSION), ANY(DIMENSION),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextSubtract, INFERENCE, ANY(DIMENSION), ANY(DIMENSION), ANY(DIMENSION),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextMultiply, INFERENCE, ANY(DIMENSION), ANY(DIMENSION), ANY(DIMENSION),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextDivide, INFERENCE, ANY(DIMENSION), ANY(DIMENSION), CHANCE(2),
      ANY(DIMENSION), ANY(STATUS))
PLAIN(TN_ShapeInferenceContextMin, INFERENCE, ANY(DIMENSION), ANY(DIMENSION), ANY(DIMENSION),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextMax, INFERENCE, ANY(DIMENSION), ANY(DIMENSION), ANY(DIMENSION),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextNumOutputs, INFERENCE)
TENSORS(1, TN_ShapeInferenceContextGetInputTensor, INFERENCE, INDEX, TENSORS_OUT, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetInputTensorAsShape, INFERENCE, INDEX, ANY(SHAPE_HANDLE),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetInputTensorAsInt64, INFERENCE, INDEX, OUT, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetInputHandle, INFERENCE, INDEX, OUT, ANY(SHAPE_HANDLE), ANY(STATUS))
PLAIN(TN_ShapeInferenceContextSetOutputHandle, INFERENCE, INDEX, TYPE, ANY(SHAPE_HANDLE),
      ANY(STATUS))
PLAIN(TN_ShapeInferenceContextHasAttr, INFERENCE, NAME)
PLAIN(TN_ShapeInferenceContextGetAttrSize, INFERENCE, NAME, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrInt64, INFERENCE, NAME, OUT, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrFloat, INFERENCE, NAME, OUT, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrBool, INFERENCE, NAME, OUT, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrString, INFERENCE, NAME, OUT, OUT, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrShape, INFERENCE, NAME, ANY(SHAPE_HANDLE), ANY(STATUS))
TENSORS(1, TN_ShapeInferenceContextGetAttrTensor, INFERENCE, NAME, TENSORS_OUT, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrFunctionName, INFERENCE, NAME, OUT, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrInt64List, INFERENCE, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrFloatList, INFERENCE, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrBoolList, INFERENCE, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrTypeList, INFERENCE, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrStringList, INFERENCE, NAME, OUT, OUT, INDEX, ANY(STATUS))
SPECIAL(TN_ShapeInferenceContextGetAttrShapeList, {
  TF_ShapeHandle* boxes[8];
  for (int i = 0; i < 8; ++i) boxes[i] = ANY(SHAPE_HANDLE);
  TN_ShapeInferenceContextGetAttrShapeList(INFERENCE, NAME, CHANCE(8) ? NULL : boxes, INDEX,
                                           ANY(STATUS));
})
TENSORS(8, TN_ShapeInferenceContextGetAttrTensorList, INFERENCE, NAME, TENSORS_OUT, INDEX,
        ANY(STATUS))
PLAIN(TN_ShapeInferenceContextGetAttrFunctionNameList, INFERENCE, NAME, OUT, INDEX, ANY(STATUS))

// kernels.h: builders. Deleting one that was registered is harmless.
KEPT(KERNEL_BUILDER, TF_NewKernelBuilder, OP_NAME, DEVICE, MAYBE(create), MAYBE(compute),
     MAYBE(destroy))
KEPT(KERNEL_BUILDER, TF_NewAsyncKernelBuilder, OP_NAME, DEVICE, MAYBE(create), MAYBE(compute_async),
     MAYBE(destroy))
PLAIN(TF_RunAsyncOpKernelDoneCallback, NULL)
PLAIN(TF_KernelBuilder_TypeConstraint, ANY(KERNEL_BUILDER), NAME, TYPE, ANY(STATUS))
PLAIN(TF_KernelBuilder_HostMemory, ANY(KERNEL_BUILDER), NAME)
PLAIN(TF_KernelBuilder_Priority, ANY(KERNEL_BUILDER), INDEX)
PLAIN(TF_KernelBuilder_Label, ANY(KERNEL_BUILDER), NAME)
SPECIAL(TF_RegisterKernelBuilder, {
  TF_KernelBuilder* builder = TAKE(KERNEL_BUILDER);
  TF_RegisterKernelBuilder(NAME, builder, ANY(STATUS));
  if (CHANCE(2)) TF_DeleteKernelBuilder(builder);
})
SPECIAL(TF_RegisterKernelBuilderWithKernelDef, {
  TF_KernelBuilder* builder = TAKE(KERNEL_BUILDER);
  TF_RegisterKernelBuilderWithKernelDef(CHANCE(4) ? NAME : PROTO, NAME, builder, ANY(STATUS));
  if (CHANCE(2)) TF_DeleteKernelBuilder(builder);
})
PLAIN(TF_DeleteKernelBuilder, TAKE(KERNEL_BUILDER))

// kernels.h: the run context
PLAIN(TF_NumInputs, RUN)
TENSORS(1, TF_GetInput, RUN, INDEX, TENSORS_OUT, ANY(STATUS))
PLAIN(TF_InputDatatype, RUN, INDEX)
PLAIN(TF_IsHostMemoryInput, RUN, INDEX, ANY(STATUS))
SPECIAL(TF_InputRange, {
  TF_InputRange_Args args = {.struct_size = SIZE, .status = ANY(STATUS)};
  TF_InputRange(RUN, NAME, CHANCE(8) ? NULL : &args);
})
PLAIN(TF_NumOutputs, RUN)
PLAIN(TF_ExpectedOutputDataType, RUN, INDEX)
PLAIN(TF_IsHostMemoryOutput, RUN, INDEX, ANY(STATUS))
PLAIN(TF_SetOutput, RUN, INDEX, ANY(TENSOR), ANY(STATUS))
KEPT(TENSOR, TF_GetMutableOutput, RUN, INDEX, ANY(STATUS))
KEPT(TENSOR, TF_AllocateOutput, RUN, INDEX, TYPE, DIMS, RANK, SIZE, ANY(STATUS))
SPECIAL(TF_ForwardInputOrAllocateOutput, {
  int candidates[4] = {INDEX, INDEX, INDEX, INDEX};
  int* given = CHANCE(8) ? NULL : candidates;
  keep(TENSOR, TF_ForwardInputOrAllocateOutput(RUN, given, given ? BELOW(5) : INDEX, INDEX, DIMS,
                                               RANK, OUT, ANY(STATUS)));
})
SPECIAL(TF_AllocateTemp, {
  TF_AllocatorAttributes attributes = {.struct_size = SIZE, .on_host = (TF_Bool)BELOW(3)};
  keep(TENSOR, TF_AllocateTemp(RUN, TYPE, DIMS, RANK, CHANCE(2) ? NULL : &attributes, ANY(STATUS)));
})
PLAIN(TF_GetStream, RUN, ANY(STATUS))
PLAIN(TF_GetDeviceId, RUN)
VIEW(TF_GetDeviceName, RUN)
VIEW(TF_GetOpKernelName, RUN)
VIEW(TF_GetOpKernelRequestedInput, RUN, SIZE)
VIEW(TF_GetResourceMgrDefaultContainerName, RUN)
PLAIN(TF_StepId, RUN)
PLAIN(TF_GetStepId, RUN)
PLAIN(TF_GetFrameId, RUN)
PLAIN(TF_GetIterId, RUN)
PLAIN(TF_GetGraphDefVersion, RUN)
PLAIN(TF_GetRendezvous, RUN)
PLAIN(TF_GetSerializedFunctionDefLibrary, RUN, ANY(BUFFER), ANY(STATUS))
PLAIN(TF_GetSerializedConfigProto, RUN, ANY(BUFFER), ANY(STATUS))
PLAIN(TF_GetSerializedResourceHandleProto, RUN, INDEX, ANY(BUFFER), ANY(STATUS))
PLAIN(TF_OpKernelContext_Failure, RUN, ANY(STATUS))
// What a kernel announces it has to end: the callback ends the rest before it returns.
SPECIAL(TF_IncNumDeferredOps, {
  TF_OpKernelContext* run = RUN;
  if (run) ++world->deferred;
  TF_IncNumDeferredOps(run);
})
SPECIAL(TF_DecNumDeferredOps, {
  TF_OpKernelContext* run = RUN;
  if (run && world->deferred > 0) --world->deferred;
  TF_DecNumDeferredOps(run);
})

// kernels.h: the construction context
PLAIN(TF_OpKernelConstruction_Failure, CONSTRUCTION, ANY(STATUS))
VIEW(TF_OpKernelConstruction_GetName, CONSTRUCTION)
PLAIN(TF_OpKernelConstruction_HasAttr, CONSTRUCTION, NAME, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrSize, CONSTRUCTION, NAME, OUT, OUT, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrType, CONSTRUCTION, NAME, OUT, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrInt32, CONSTRUCTION, NAME, OUT, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrInt64, CONSTRUCTION, NAME, OUT, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrFloat, CONSTRUCTION, NAME, OUT, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrBool, CONSTRUCTION, NAME, OUT, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrString, CONSTRUCTION, NAME, OUT, SIZE, ANY(STATUS))
TENSORS(1, TF_OpKernelConstruction_GetAttrTensor, CONSTRUCTION, NAME, TENSORS_OUT, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrTypeList, CONSTRUCTION, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrInt32List, CONSTRUCTION, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrInt64List, CONSTRUCTION, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrFloatList, CONSTRUCTION, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrBoolList, CONSTRUCTION, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrStringList, CONSTRUCTION, NAME, OUT, OUT, INDEX, OUT, SIZE,
      ANY(STATUS))
TENSORS(8, TF_OpKernelConstruction_GetAttrTensorList, CONSTRUCTION, NAME, TENSORS_OUT, INDEX,
        ANY(STATUS))
KEPT(BUFFER, TF_OpKernelConstruction_GetAttrFunction, CONSTRUCTION, NAME, ANY(STATUS))
KEPT(BUFFER, TF_OpKernelConstruction_GetNodeDef, CONSTRUCTION, ANY(STATUS))

// kernels_experimental.h
PLAIN(TF_AssignVariable, RUN, VARIABLE, VALUE, CHANCE(2), MAYBE(copy), ANY(STATUS))
PLAIN(TF_AssignUpdateVariable, RUN, VARIABLE, VALUE, INDEX, INDEX, MAYBE(copy), MAYBE(update),
      ANY(STATUS))
TENSORS(1, TF_GetInputTensorFromVariable, RUN, VARIABLE, CHANCE(2), CHANCE(2), CHANCE(2),
        MAYBE(copy), TENSORS_OUT, ANY(STATUS))
SPECIAL(TF_MaybeLockVariableInputMutexesInOrder, {
  int inputs[3] = {VARIABLE, VARIABLE, VARIABLE};
  int* given = CHANCE(8) ? NULL : inputs;
  TF_VariableInputLockHolder* holder = NULL;
  TF_MaybeLockVariableInputMutexesInOrder(RUN, CHANCE(2), CHANCE(2), given,
                                          given ? (size_t)BELOW(4) : SIZE, MAYBE(copy),
                                          CHANCE(8) ? NULL : &holder, ANY(STATUS));
  keep(LOCKS, holder);
})
PLAIN(TF_ReleaseVariableInputLockHolder, TAKE(LOCKS))
PLAIN(TF_AssignRefVariable, RUN, VARIABLE, CHANCE(2) ? 5 : INDEX, VALUE, CHANCE(2), CHANCE(2),
      MAYBE(copy), ANY(STATUS))
PLAIN(TF_IsRefInput, RUN, INDEX, ANY(STATUS))
PLAIN(TF_OpKernelContext_ForwardRefInputToRefOutput, RUN, VARIABLE, CHANCE(2) ? 5 : INDEX)
SPECIAL(TF_TemporaryVariable, {
  const char* text = NAME;
  TF_StringView name = {text, text ? strlen(text) : SIZE};
  TF_TemporaryVariable(RUN, TYPE, DIMS, RANK, CHANCE(8) ? NULL : &name, MAYBE(allocate),
                       ANY(STATUS));
})
SPECIAL(TF_DestroyTemporaryVariable, {
  const char* text = NAME;
  TF_StringView name = {text, text ? strlen(text) : SIZE};
  TF_DestroyTemporaryVariable(RUN, INDEX, CHANCE(8) ? NULL : &name, ANY(STATUS));
})
PLAIN(TF_AddNVariant, RUN, MAYBE(add), ANY(STATUS))
PLAIN(TF_ZerosLikeVariant, RUN, MAYBE(zeros_like), ANY(STATUS))
TENSORS(1, TF_GetInputByName, RUN, NAME, TENSORS_OUT, ANY(STATUS))
PLAIN(TF_OpKernelConstruction_GetAttrTensorShape, CONSTRUCTION, NAME, OUT, SIZE, ANY(STATUS))

// tenon/kernel_services.h
PLAIN(TF_ThreadPool_ParallelForClosure, RUN, WIDE, WIDE, MAYBE(touch_range), NULL)
PLAIN(TF_ThreadPool_ParallelForUnlessCancelled, RUN, WIDE, WIDE, MAYBE(touch_range), NULL)
PLAIN(TF_ThreadPool_ParallelFor, RUN, WIDE, WIDE, MAYBE(touch_plain_range))
PLAIN(TF_ThreadPool_ParallelForWithWorkerIdClosure, RUN, WIDE, WIDE, MAYBE(touch_workers_range),
      NULL)
PLAIN(TF_ThreadPool_ParallelForWithWorkerId, RUN, WIDE, WIDE, MAYBE(touch_workers_plain_range))
// One call for each block: there must not be 2^63 of them.
PLAIN(TF_ThreadPool_TransformRangeConcurrentlyClosure, RUN, WIDE, INDEX & 0xffff,
      MAYBE(touch_range), NULL)
PLAIN(TF_ThreadPool_TransformRangeConcurrently, RUN, WIDE, INDEX & 0xffff, MAYBE(touch_plain_range))
PLAIN(TF_ThreadPool_Schedule, RUN, MAYBE(do_nothing))
PLAIN(TF_ThreadPool_ScheduleWithHint, RUN, MAYBE(do_nothing), INDEX, INDEX)
PLAIN(TF_ThreadPool_ScheduleClosure, RUN, TASK)
PLAIN(TF_ThreadPool_ScheduleClosureWithHint, RUN, TASK, INDEX, INDEX)
PLAIN(TF_ThreadPool_ScheduleUnlessCancelled, RUN, TASK)
PLAIN(TF_ThreadPool_ScheduleInPlace, RUN, MAYBE(do_nothing_in_place),
      CHANCE(4) ? NULL : "0123456789abcdef0123456789abcdef", SIZE)
PLAIN(TF_ThreadPool_NumThreads, RUN)
PLAIN(TF_ThreadPool_CurrentThreadId, RUN)
PLAIN(TF_OpKernelContext_UpdateStatus, ANY(STATUS))
PLAIN(TF_OpKernelContext_UpdateStatusOf, RUN, ANY(STATUS))
PLAIN(TF_OpKernelContext_IsCancelled, RUN)
PLAIN(TF_GetEigenThreadPoolHandle, RUN)
PLAIN(TF_EigenThreadPool_Schedule, TF_GetEigenThreadPoolHandle(RUN), TASK)
PLAIN(TF_EigenThreadPool_ScheduleWithHint, TF_GetEigenThreadPoolHandle(RUN), TASK, INDEX, INDEX)
PLAIN(TF_EigenThreadPool_Cancel, TF_GetEigenThreadPoolHandle(RUN))
PLAIN(TF_EigenThreadPool_NumThreads, TF_GetEigenThreadPoolHandle(RUN))
PLAIN(TF_EigenThreadPool_CurrentThreadId, TF_GetEigenThreadPoolHandle(RUN))
PLAIN(TF_DeleteEigenThreadPoolHandle, TF_GetEigenThreadPoolHandle(RUN))
PLAIN(TF_GetEigenAllocatorHandle, RUN)
SPECIAL(TF_EigenAllocator_Allocate, {
  TF_EigenAllocator* allocator = TF_GetEigenAllocatorHandle(RUN);
  size_t size = SIZE;
  char* bytes = TF_EigenAllocator_Allocate(allocator, size);
  if (bytes && size) bytes[0] = bytes[size - 1] = 1;
  TF_EigenAllocator_Deallocate(allocator, bytes);
})
PLAIN(TF_EigenAllocator_Deallocate, TF_GetEigenAllocatorHandle(RUN), NULL)
PLAIN(TF_DeleteEigenAllocatorHandle, TF_GetEigenAllocatorHandle(RUN))
// The CPU has no stream: the handle is NULL.
PLAIN(TF_GetEigenStreamHandle, RUN)
PLAIN(TF_EigenStream_GetCudaStream, TF_GetEigenStreamHandle(RUN))
PLAIN(TF_EigenStream_GetDeviceProperties, TF_GetEigenStreamHandle(RUN))
PLAIN(TF_EigenStream_Allocate, TF_GetEigenStreamHandle(RUN), SIZE)
PLAIN(TF_EigenStream_Deallocate, TF_GetEigenStreamHandle(RUN), OUT)
PLAIN(TF_EigenStream_Scratchpad, TF_GetEigenStreamHandle(RUN))
PLAIN(TF_EigenStream_Semaphore, TF_GetEigenStreamHandle(RUN))
PLAIN(TF_DeleteEigenStreamHandle, TF_GetEigenStreamHandle(RUN))
PLAIN(TF_LaunchKernel, RUN, OUT, (TF_Dim3){1, 1, 1}, (TF_Dim3){1, 1, (uint32_t)INDEX}, NULL, SIZE,
      ANY(STATUS))
PLAIN(TF_CudaLaunchKernel, OUT, (TF_Dim3){1, 1, 1}, (TF_Dim3){1, 1, (uint32_t)INDEX}, NULL, SIZE,
      NULL)

// eager/c_api.h: contexts. One is deleted when no op made in it is left.
KEPT(OPTIONS, TFE_NewContextOptions)
PLAIN(TFE_DeleteContextOptions, TAKE(OPTIONS))
SPECIAL(TFE_ContextOptionsSetConfig, {
  const char* text = PROTO;
  TFE_ContextOptionsSetConfig(ANY(OPTIONS), text, claimed_size(text), ANY(STATUS));
})
PLAIN(TFE_ContextOptionsSetAsync, ANY(OPTIONS), (unsigned char)INDEX)
PLAIN(TFE_ContextOptionsSetDevicePlacementPolicy, ANY(OPTIONS),
      (TFE_ContextDevicePlacementPolicy)INDEX)
KEPT(CONTEXT, TFE_NewContext, ANY(OPTIONS), ANY(STATUS))
PLAIN(TFE_DeleteContext, world->live_ops ? NULL : TAKE(CONTEXT))
KEPT(DEVICES, TFE_ContextListDevices, ANY(CONTEXT), ANY(STATUS))
PLAIN(TFE_ContextClearCaches, ANY(CONTEXT))
PLAIN(TFE_ContextSetThreadLocalDevicePlacementPolicy, ANY(CONTEXT),
      (TFE_ContextDevicePlacementPolicy)INDEX)
PLAIN(TFE_ContextGetDevicePlacementPolicy, ANY(CONTEXT))
SPECIAL(TFE_ContextSetServerDef, {
  const char* text = PROTO;
  TFE_ContextSetServerDef(ANY(CONTEXT), INDEX, text, claimed_size(text), ANY(STATUS));
})
SPECIAL(TFE_ContextAddFunctionDef, {
  const char* text = PROTO;
  TFE_ContextAddFunctionDef(ANY(CONTEXT), text, claimed_size(text), ANY(STATUS));
})
PLAIN(TFE_ContextAddFunction, ANY(CONTEXT), NULL, ANY(STATUS))
PLAIN(TFE_ContextRemoveFunction, ANY(CONTEXT), NAME, ANY(STATUS))
PLAIN(TFE_ContextHasFunction, ANY(CONTEXT), NAME)
PLAIN(TFE_ContextEnableRunMetadata, ANY(CONTEXT))
PLAIN(TFE_ContextDisableRunMetadata, ANY(CONTEXT))
PLAIN(TFE_ContextExportRunMetadata, ANY(CONTEXT), ANY(BUFFER), ANY(STATUS))
PLAIN(TFE_ContextStartStep, ANY(CONTEXT))
PLAIN(TFE_ContextEndStep, ANY(CONTEXT))

// eager/c_api.h: tensor handles
KEPT(HANDLE, TFE_NewTensorHandle, ANY(TENSOR), ANY(STATUS))
PLAIN(TFE_DeleteTensorHandle, TAKE(HANDLE))
KEPT(HANDLE, TFE_TensorHandleCopySharingTensor, ANY(HANDLE), ANY(STATUS))
KEPT(HANDLE, TFE_TensorHandleCopyToDevice, ANY(HANDLE), ANY(CONTEXT), DEVICE, ANY(STATUS))
KEPT(TENSOR, TFE_TensorHandleResolve, ANY(HANDLE), ANY(STATUS))
PLAIN(TFE_TensorHandleDataType, ANY(HANDLE))
PLAIN(TFE_TensorHandleNumDims, ANY(HANDLE), ANY(STATUS))
PLAIN(TFE_TensorHandleNumElements, ANY(HANDLE), ANY(STATUS))
PLAIN(TFE_TensorHandleDim, ANY(HANDLE), INDEX, ANY(STATUS))
TEXT(TFE_TensorHandleDeviceName, ANY(HANDLE), ANY(STATUS))
TEXT(TFE_TensorHandleBackingDeviceName, ANY(HANDLE), ANY(STATUS))
KEPT(DEBUG_INFO, TFE_TensorHandleTensorDebugInfo, ANY(HANDLE), ANY(STATUS))
PLAIN(TFE_DeleteTensorDebugInfo, TAKE(DEBUG_INFO))
PLAIN(TFE_TensorDebugInfoOnDeviceNumDims, ANY(DEBUG_INFO))
PLAIN(TFE_TensorDebugInfoOnDeviceDim, ANY(DEBUG_INFO), INDEX)

// eager/c_api.h: ops. One that runs is out of the pool, so that nobody changes it meanwhile.
SPECIAL(TFE_NewOp, keep_op(TFE_NewOp(ANY(CONTEXT), CHANCE(2) ? NAME : RUNNABLE, ANY(STATUS))))
SPECIAL(TFE_DeleteOp, drop_op(TAKE(OP)))
TEXT(TFE_OpGetName, ANY(OP), ANY(STATUS))
PLAIN(TFE_OpGetContext, ANY(OP), ANY(STATUS))
PLAIN(TFE_OpSetDevice, ANY(OP), DEVICE, ANY(STATUS))
TEXT(TFE_OpGetDevice, ANY(OP), ANY(STATUS))
PLAIN(TFE_OpAddInput, ANY(OP), ANY(HANDLE), ANY(STATUS))
SPECIAL(TFE_OpAddInputList, {
  TFE_TensorHandle* inputs[4] = {ANY(HANDLE), ANY(HANDLE), ANY(HANDLE), ANY(HANDLE)};
  TFE_TensorHandle** given = CHANCE(8) ? NULL : inputs;
  TFE_OpAddInputList(ANY(OP), given, given ? BELOW(6) - 1 : INDEX, ANY(STATUS));
})
PLAIN(TFE_OpGetFlatInputCount, ANY(OP), ANY(STATUS))
PLAIN(TFE_OpGetFlatInput, ANY(OP), INDEX, ANY(STATUS))
PLAIN(TFE_OpGetInputLength, ANY(OP), NAME, ANY(STATUS))
PLAIN(TFE_OpGetOutputLength, ANY(OP), NAME, ANY(STATUS))
PLAIN(TFE_OpGetAttrType, ANY(OP), NAME, OUT, ANY(STATUS))
PLAIN(TFE_OpNameGetAttrType, ANY(CONTEXT), NAME, NAME, OUT, ANY(STATUS))
SPECIAL(TFE_OpSetAttrString, {
  const char* text = NAME;
  TFE_OpSetAttrString(ANY(OP), NAME, text, claimed_size(text));
})
PLAIN(TFE_OpSetAttrInt, ANY(OP), NAME, WIDE)
PLAIN(TFE_OpSetAttrFloat, ANY(OP), NAME, (float)WIDE)
PLAIN(TFE_OpSetAttrBool, ANY(OP), NAME, (unsigned char)INDEX)
PLAIN(TFE_OpSetAttrType, ANY(OP), NAME, TYPE)
PLAIN(TFE_OpSetAttrShape, ANY(OP), NAME, DIMS, RANK, ANY(STATUS))
PLAIN(TFE_OpSetAttrFunction, ANY(OP), NAME, ANY(OP))
SPECIAL(TFE_OpSetAttrFunctionName, {
  const char* text = NAME;
  TFE_OpSetAttrFunctionName(ANY(OP), NAME, text, claimed_size(text));
})
PLAIN(TFE_OpSetAttrTensor, ANY(OP), NAME, ANY(TENSOR), ANY(STATUS))
SPECIAL(TFE_OpSetAttrStringList, {
  const void* texts[4] = {NAME, NAME, NAME, NAME};
  size_t sizes[4];
  for (int i = 0; i < 4; ++i) sizes[i] = claimed_size(texts[i]);
  const void** given = CHANCE(8) ? NULL : texts;
  size_t* given_sizes = CHANCE(8) ? NULL : sizes;
  TFE_OpSetAttrStringList(ANY(OP), NAME, given, given_sizes,
                          given && given_sizes ? BELOW(6) - 1 : INDEX);
})
SPECIAL(TFE_OpSetAttrIntList, {
  const int64_t* values = DIMS;
  TFE_OpSetAttrIntList(ANY(OP), NAME, values, values ? RANK : INDEX);
})
SPECIAL(TFE_OpSetAttrFloatList, {
  float values[4] = {0, -1, 1e30f, 0.5f};
  float* given = CHANCE(8) ? NULL : values;
  TFE_OpSetAttrFloatList(ANY(OP), NAME, given, given ? BELOW(6) - 1 : INDEX);
})
SPECIAL(TFE_OpSetAttrBoolList, {
  unsigned char values[4] = {0, 1, 2, 255};
  unsigned char* given = CHANCE(8) ? NULL : values;
  TFE_OpSetAttrBoolList(ANY(OP), NAME, given, given ? BELOW(6) - 1 : INDEX);
})
SPECIAL(TFE_OpSetAttrTypeList, {
  TF_DataType values[4] = {TYPE, TYPE, TYPE, TYPE};
  TF_DataType* given = CHANCE(8) ? NULL : values;
  TFE_OpSetAttrTypeList(ANY(OP), NAME, given, given ? BELOW(6) - 1 : INDEX);
})
SPECIAL(TFE_OpSetAttrShapeList, {
  const int64_t* dims[4] = {DIMS, DIMS, DIMS, DIMS};
  int ranks[4] = {RANK, RANK, RANK, RANK};
  const int64_t** given = CHANCE(8) ? NULL : dims;
  int* given_ranks = CHANCE(8) ? NULL : ranks;
  TFE_OpSetAttrShapeList(ANY(OP), NAME, given, given_ranks,
                         given && given_ranks ? BELOW(6) - 1 : INDEX, ANY(STATUS));
})
SPECIAL(TFE_OpSetAttrFunctionList, {
  const TFE_Op* values[2] = {ANY(OP), ANY(OP)};
  const TFE_Op** given = CHANCE(8) ? NULL : values;
  TFE_OpSetAttrFunctionList(ANY(OP), NAME, given, given ? BELOW(4) - 1 : INDEX);
})
SPECIAL(TFE_Execute, execute(TAKE(OP)))

// eager/c_api_experimental.h. A manager is deleted when no op is left that may have it.
KEPT(MANAGER, TFE_NewCancellationManager)
PLAIN(TFE_DeleteCancellationManager, world->live_ops ? NULL : TAKE(MANAGER))
PLAIN(TFE_CancellationManagerIsCancelled, ANY(MANAGER))
PLAIN(TFE_CancellationManagerIsCancelling, ANY(MANAGER))
PLAIN(TFE_CancellationManagerStartCancel, ANY(MANAGER))
PLAIN(TFE_CancellationManagerGetToken, ANY(MANAGER))
SPECIAL(TFE_CancellationManagerRegisterCallback, {
  TFE_CancelCallback callback = {MAYBE(be_told), NULL};
  TFE_CancellationManagerRegisterCallback(ANY(MANAGER), BELOW(4), CHANCE(8) ? NULL : &callback,
                                          NAME);
})
PLAIN(TFE_CancellationManagerDeregisterCallback, ANY(MANAGER), BELOW(4))
PLAIN(TFE_CancellationManagerTryDeregisterCallback, ANY(MANAGER), BELOW(4))
PLAIN(TFE_OpSetCancellationManager, ANY(OP), ANY(MANAGER), ANY(STATUS))

// grappler.h: this host has no graphs, so no handle is ever live
PLAIN(TF_GetNodesToPreserveListSize, NULL, OUT, OUT, ANY(STATUS))
PLAIN(TF_GetNodesToPreserveList, NULL, OUT, OUT, INDEX, OUT, SIZE, ANY(STATUS))
PLAIN(TF_GetFetchNodesListSize, NULL, OUT, OUT, ANY(STATUS))
PLAIN(TF_GetFetchNodesList, NULL, OUT, OUT, INDEX, OUT, SIZE, ANY(STATUS))
PLAIN(TF_NewGraphProperties, NULL)
PLAIN(TF_DeleteGraphProperties, NULL)
PLAIN(TF_InferStatically, NULL, 1, 7, 0, 255, ANY(STATUS))
PLAIN(TF_GetInputPropertiesListSize, NULL, NAME, OUT, ANY(STATUS))
PLAIN(TF_GetOutputPropertiesListSize, NULL, NAME, OUT, ANY(STATUS))
PLAIN(TF_GetInputPropertiesList, NULL, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TF_GetOutputPropertiesList, NULL, NAME, OUT, INDEX, ANY(STATUS))
PLAIN(TF_NewFunctionLibraryDefinition, ANY(BUFFER), ANY(STATUS))
PLAIN(TF_DeleteFunctionLibraryDefinition, NULL)
PLAIN(TF_LookUpOpDef, NULL, NAME, ANY(BUFFER), ANY(STATUS))

// next_pluggable_device/c_api.h: likewise for devices over PJRT and clusters
PLAIN(TF_GetDevice, RUN)
PLAIN(TF_CreatePluginResource, RUN, NAME, NAME, NULL, MAYBE(destroy), ANY(STATUS))
PLAIN(TF_LookupOrCreatePluginResource, RUN, NAME, NAME, OUT, MAYBE(make_resource), NULL,
      MAYBE(destroy), ANY(STATUS))
PLAIN(TF_CreateVariableInfoFromContext, RUN, INDEX, ANY(STATUS))
PLAIN(TF_LockVariableInfos, OUT, INDEX, ANY(STATUS))
PLAIN(TF_AllocateTempForVariableInfo, RUN, NULL, ANY(STATUS))
PLAIN(TF_GetTensorFromVariableInfo, NULL, ANY(STATUS))
PLAIN(TF_DeleteVariableInfo, NULL)
PLAIN(TF_GetCoordinationServiceAgent, RUN)
PLAIN(TF_CoordinationServiceIsInitialized, NULL)
PLAIN(TF_CoordinationServiceInsertKeyValue, NAME, WIDE, NAME, WIDE, NULL, ANY(STATUS))
PLAIN(TF_CoordinationServiceGetKeyValue, NAME, WIDE, NULL, ANY(STATUS))
PLAIN(TF_CoordinationServiceGetKeyValueWithTimeout, NAME, WIDE, WIDE, NULL, ANY(STATUS))
PLAIN(TF_CoordinationServiceTryGetKeyValue, NAME, WIDE, NULL, ANY(STATUS))
PLAIN(TF_CoordinationServiceDeleteKeyValue, NAME, WIDE, NULL, ANY(STATUS))
PLAIN(TF_CreateAndSetPjRtCApiClient, NAME, ANY(STATUS), NULL, INDEX)
PLAIN(TF_ResetPjRtCClient, NAME, ANY(STATUS))
PLAIN(TF_GetPjRtCClient, NAME, ANY(STATUS))
PLAIN(TF_GetPjRtCBuffer, ANY(TENSOR), ANY(STATUS))
PLAIN(TF_CreatePjRtBuffer, ANY(TENSOR), NULL, NAME, ANY(STATUS))
