// What the plugin can be told to do wrong: MISDEED(name, what it does, which rule that breaks).
// Chosen by PJRT_MISDEED=name,name... or a file name such as pjrt_0_114+name.so.

#pragma once

// clang-format off
#define MISDEEDS(MISDEED) \
  /* the table */ \
  MISDEED(null_table, "GetPjrtApi returns NULL", "GetPjrtApi returns a table") \
  MISDEED(other_table_each_time, "GetPjrtApi returns another table each time", "the table is one and lives as long as the process") \
  MISDEED(zero_struct_size, "PJRT_Api.struct_size is 0", "struct_size covers the members of the number") \
  MISDEED(huge_struct_size, "PJRT_Api.struct_size is 2^40", "struct_size is the size of the table") \
  MISDEED(odd_struct_size, "PJRT_Api.struct_size ends within the last slot", "struct_size is the end of a member") \
  MISDEED(short_struct_size, "PJRT_Api.struct_size ends before PJRT_Client_Create", "struct_size covers the members of the number") \
  MISDEED(more_than_there_is, "PJRT_Api.struct_size and its number speak of slots behind the end of the memory", "what struct_size covers can be read") \
  MISDEED(negative_number, "the minor number is -1", "numbers are not negative") \
  MISDEED(circular_extensions, "the extension chain leads back to its first node", "the extension chain ends in NULL") \
  MISDEED(extension_of_size_zero, "an extension node has struct_size 0", "a node's struct_size covers its base") \
  MISDEED(empty_slots, "every tenth slot of the table is NULL", "a function that is not implemented answers UNIMPLEMENTED") \
  /* errors */ \
  MISDEED(error_without_message, "PJRT_Error_Message gives NULL and 0", "an error has a message") \
  MISDEED(message_without_size, "PJRT_Error_Message leaves message_size as it was", "out members are written") \
  MISDEED(garbage_error_code, "PJRT_Error_GetCode gives 4711", "a code is one of PJRT_Error_Code") \
  MISDEED(code_cannot_be_had, "PJRT_Error_GetCode fails", "PJRT_Error_GetCode does not fail") \
  MISDEED(null_destroy_crashes, "destroying NULL crashes", "destroying NULL does nothing") \
  MISDEED(wrong_codes, "what is an invalid argument is reported as INTERNAL", "errors carry the code that the API names") \
  /* sizes */ \
  MISDEED(size_unchecked, "argument structs of any size are taken", "a struct that is too short is refused") \
  MISDEED(size_must_be_equal, "only argument structs of exactly the known size are taken", "a longer struct is taken, what is beyond is ignored") \
  MISDEED(newest_size_demanded, "structs that grew are taken in their newest size only", "none: a plugin may refuse older callers") \
  MISDEED(writes_beyond_size, "PJRT_Device_MemoryStats writes members that the caller's struct does not have", "nothing is written beyond struct_size") \
  MISDEED(reads_out_members, "what stands in PJRT_Client_BufferFromHostBuffer's out members is followed", "out members are not read") \
  MISDEED(writes_in_members, "PJRT_Buffer_ToHostBuffer overwrites its in members", "in members belong to the caller") \
  /* the process */ \
  MISDEED(replaces_signal_handlers, "PJRT_Client_Create installs its own SIGSEGV and SIGINT handlers", "the process belongs to the host") \
  MISDEED(starts_threads, "PJRT_Plugin_Initialize starts eight threads that stay", "threads end with the client") \
  MISDEED(prints_on_stdout, "PJRT_Client_Create prints a line on stdout", "stdout belongs to the host") \
  MISDEED(changes_directory, "PJRT_Client_Create changes the working directory", "the process belongs to the host") \
  /* plugin and client */ \
  MISDEED(initialize_fails, "PJRT_Plugin_Initialize fails with FAILED_PRECONDITION", "none: a plugin may be unable to work here") \
  MISDEED(no_hardware, "PJRT_Client_Create fails with FAILED_PRECONDITION, for want of devices", "none: a plugin may be unable to work here") \
  MISDEED(garbage_attributes, "a plugin attribute has a type that there is not", "attribute types are those of PJRT_NamedValue_Type") \
  MISDEED(attribute_twice, "a plugin attribute is there twice", "attribute names are unique") \
  MISDEED(no_stablehlo_version, "the plugin attributes name no StableHLO version", "stablehlo_current_version is there") \
  MISDEED(old_stablehlo, "the plugin says that it reads StableHLO up to 0.9.0", "none: a host has to respect it") \
  MISDEED(no_devices, "PJRT_Client_Devices gives none", "a client has a device") \
  MISDEED(null_devices, "PJRT_Client_Devices gives a list of NULL", "listed devices exist") \
  MISDEED(devices_unlisted, "PJRT_Client_Devices gives a count and no list", "listed devices exist") \
  MISDEED(foreign_addressable, "PJRT_Client_AddressableDevices lists a device that PJRT_Client_Devices has not", "addressable devices are devices of the client") \
  MISDEED(lookup_ignores_id, "PJRT_Client_LookupDevice always gives the first device", "the device found has the id asked for") \
  MISDEED(same_ids, "all devices have id 0", "device ids are unique") \
  MISDEED(assignment_unchecked, "PJRT_Client_DefaultDeviceAssignment writes more than it was given room for", "default_assignment_size is respected") \
  MISDEED(process_index_negative, "PJRT_Client_ProcessIndex is -1", "the process index is not negative") \
  MISDEED(no_default_memory, "PJRT_Device_DefaultMemory succeeds with NULL", "a device with memories has a default one") \
  MISDEED(memory_without_kind, "memory kinds are empty", "a memory has a kind") \
  MISDEED(memory_of_nobody, "PJRT_Memory_AddressableByDevices gives none", "a device that lists a memory is listed by it") \
  MISDEED(attributes_without_deleter, "deleters of what the caller has to free are NULL", "what is handed out with a deleter has one") \
  MISDEED(memory_stats_negative, "PJRT_Device_MemoryStats gives -1 bytes in use", "bytes in use are not negative") \
  MISDEED(client_takes_buffers_along, "PJRT_Client_Destroy frees the memory of live buffers", "buffers keep what they need alive") \
  /* buffers */ \
  MISDEED(strides_ignored, "PJRT_Client_BufferFromHostBuffer ignores byte_strides", "byte_strides say where elements are") \
  MISDEED(negative_strides_refused, "negative byte_strides are refused", "strides may have any sign") \
  MISDEED(zero_size_crashes, "an array without elements crashes", "arrays may be empty") \
  MISDEED(host_read_late, "an array given for the time of the call is read later", "kImmutableOnlyDuringCall: not read after the call") \
  MISDEED(host_read_after_done, "an array is read after done_with_host_buffer", "not read after done_with_host_buffer") \
  MISDEED(never_done_with_host, "done_with_host_buffer never gets ready", "done_with_host_buffer gets ready") \
  MISDEED(done_left_null, "done_with_host_buffer is left NULL", "done_with_host_buffer is an event") \
  MISDEED(dims_forgotten, "a buffer has lost its last dimension", "a buffer has the shape that it was made with") \
  MISDEED(type_changed, "a buffer says that it holds U8", "a buffer has the type that it was made with") \
  MISDEED(size_zero, "PJRT_Buffer_OnDeviceSizeInBytes gives 0", "a buffer with elements has a size") \
  MISDEED(always_first_device, "a buffer says that it is on the first device", "a buffer is where it was put") \
  MISDEED(memory_mixed_up, "a buffer says that it is in the device's other memory", "a buffer is where it was put") \
  MISDEED(host_layout_ignored, "PJRT_Buffer_ToHostBuffer ignores host_layout", "host_layout says where elements go") \
  MISDEED(small_dst_taken, "PJRT_Buffer_ToHostBuffer writes beyond dst_size", "dst_size is respected") \
  MISDEED(size_not_told, "PJRT_Buffer_ToHostBuffer without dst gives no size", "dst NULL asks for the size") \
  MISDEED(narrow_types_packed, "types below a byte come to the host two in a byte", "on the host each element has a byte") \
  MISDEED(transfer_event_null, "PJRT_Buffer_ToHostBuffer leaves its event NULL", "a transfer has an event") \
  MISDEED(is_deleted_forgotten, "PJRT_Buffer_IsDeleted is always false", "a deleted buffer says so") \
  MISDEED(deleted_still_read, "a deleted buffer can be read", "a deleted buffer refuses") \
  MISDEED(delete_frees_early, "PJRT_Buffer_Delete frees what work in flight and external references use", "memory lives as long as it is used") \
  MISDEED(underflow_taken, "PJRT_Buffer_DecreaseExternalReferenceCount goes below zero", "an underflow is INVALID_ARGUMENT") \
  MISDEED(pointer_null, "PJRT_Buffer_OpaqueDeviceMemoryDataPointer gives NULL", "a buffer with elements has an address") \
  MISDEED(copy_shares_memory, "a copy of a buffer shares its memory", "copies are independent") \
  MISDEED(copy_stays, "PJRT_Buffer_CopyToDevice leaves the copy where it was", "a copy is where it was asked to be") \
  MISDEED(view_never_released, "on_delete_callback of a view is not called", "on_delete_callback is called once") \
  MISDEED(view_released_twice, "on_delete_callback of a view is called twice", "on_delete_callback is called once") \
  MISDEED(raw_offset_ignored, "PJRT_Buffer_CopyRawToHost ignores its offset", "a raw copy begins at its offset") \
  MISDEED(buffers_leak, "PJRT_Buffer_Destroy keeps the memory", "destroyed buffers give back their memory") \
  MISDEED(buffers_freed_late, "PJRT_Buffer_Destroy frees a while later, in another thread", "none: a plugin may do so") \
  MISDEED(transfer_offset_ignored, "a transfer manager ignores offsets", "chunks go where they belong") \
  MISDEED(last_transfer_missed, "a transfer manager does not see the last transfer", "the last transfer makes the buffer ready") \
  MISDEED(error_buffer_fine, "an error buffer is ready without an error", "an error buffer carries its error") \
  /* events */ \
  MISDEED(event_never_ready, "events of work never get ready", "work ends") \
  MISDEED(await_returns_early, "PJRT_Event_Await does not wait", "PJRT_Event_Await returns when the event is ready") \
  MISDEED(never_says_ready, "PJRT_Event_IsReady is always false", "after PJRT_Event_Await the event is ready") \
  MISDEED(event_loses_error, "a failed event has no error", "an event carries the error of its work") \
  MISDEED(event_gives_one_error, "a failed event gives everybody the same error", "each error belongs to its caller") \
  MISDEED(callback_twice, "PJRT_Event_OnReady calls back twice", "a callback is called once") \
  MISDEED(callback_never, "PJRT_Event_OnReady never calls back", "a callback is called once") \
  MISDEED(callback_dies_with_event, "PJRT_Event_Destroy drops callbacks that wait", "callbacks outlive the handle") \
  MISDEED(callback_under_lock, "callbacks are called under the event's lock", "a callback may use its event") \
  MISDEED(callback_from_other_threads, "callbacks come from a thread of their own, some time later", "none: a plugin may do so") \
  /* programs */ \
  MISDEED(any_program_taken, "a program that cannot be read is taken for one of one input", "an invalid program is refused") \
  MISDEED(bad_program_crashes, "a program that cannot be read crashes", "an invalid program is refused") \
  MISDEED(any_format_taken, "the program's format is not looked at", "an unknown format is refused") \
  MISDEED(any_options_taken, "compile options that cannot be read are ignored", "invalid options are refused") \
  MISDEED(outputs_miscounted, "PJRT_Executable_NumOutputs gives one less", "NumOutputs is what execute fills") \
  MISDEED(output_types_missing, "PJRT_Executable_OutputElementTypes gives none", "there is a type for each output") \
  MISDEED(one_executable_handle, "PJRT_LoadedExecutable_GetExecutable gives the same handle each time", "each executable handle is destroyed by its caller") \
  MISDEED(fingerprint_changes, "the fingerprint is another each time", "equal executables have equal fingerprints") \
  MISDEED(serialized_empty, "PJRT_Executable_Serialize gives no bytes", "what was serialized can be loaded") \
  MISDEED(any_bytes_loaded, "PJRT_Executable_DeserializeAndLoad takes any bytes", "bytes that are no executable are refused") \
  MISDEED(executable_never_deleted, "PJRT_LoadedExecutable_IsDeleted is always false", "a deleted executable says so") \
  MISDEED(deleted_executable_runs, "a deleted executable runs", "a deleted executable refuses") \
  /* execution */ \
  MISDEED(wrong_answer, "one is added to all elements but the last", "the program is what was compiled") \
  MISDEED(second_device_wrong, "the second device computes on the first one's arguments", "each device has its own arguments") \
  MISDEED(donates_nothing, "a donated argument stays alive", "a donated argument is deleted") \
  MISDEED(donated_not_deleted, "a donated argument is overwritten and does not say so", "a donated argument is deleted") \
  MISDEED(donates_everything, "arguments that the program keeps are deleted", "only donated arguments are deleted") \
  MISDEED(non_donatable_ignored, "non_donatable_input_indices is ignored", "an argument listed there is kept") \
  MISDEED(donates_on_failure, "an execution that is refused deletes its arguments", "a refused execution changes nothing") \
  MISDEED(donated_twice_taken, "one buffer may be donated twice", "a buffer is donated once") \
  MISDEED(deleted_argument_taken, "a deleted argument is taken for zeros", "a deleted argument is refused") \
  MISDEED(any_arguments_taken, "the number of arguments is not checked", "a wrong number of arguments is refused") \
  MISDEED(outputs_null, "execute leaves its outputs NULL", "execute fills its outputs") \
  MISDEED(complete_events_null, "execute leaves device_complete_events NULL", "execute fills device_complete_events") \
  MISDEED(complete_too_early, "device_complete_events are ready before the outputs", "complete means that outputs are ready") \
  MISDEED(failure_not_passed_on, "outputs of a failed argument are ready without an error", "failures pass on to what depends on them") \
  MISDEED(shared_scratch, "executions share one scratch buffer", "execute may be called from any thread")
// clang-format on
