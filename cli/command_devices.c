// tenon devices: what kernels can run on.

#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "command.h"

static void print_size(const char* lead, int64_t bytes, const char* tail) {
  static const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double size = (double)bytes;
  int unit = 0;
  for (; size >= 1024 && unit < 4; ++unit) size /= 1024;
  printf(unit && size < 100 ? "%s%.1f %s%s" : "%s%.0f %s%s", lead, size, units[unit], tail);
}

static const char* short_name(const tn_device* device) {
  return strstr(tn_device_name(device), "device:") + strlen("device:");
}

static void print_foreign(const char* lead, const char* text, const char* tail) {
  if (!*text) return;
  fputs(lead, stdout);
  cli_print_foreign(text, stdout);
  fputs(tail, stdout);
}

static void print_device(const tn_device* device, const tn_device_info* info,
                         const tn_device_memory* memory) {
  printf("%s%s%s  %s of %s", cli_bold(), short_name(device), cli_plain(), info->platform,
         cli_base_name(info->plugin));
  print_foreign("  ", info->hardware, "");
  print_foreign(" (", info->vendor, ")");
  print_foreign("  ", info->pci_bus_id, "");
  putchar('\n');
  if (info->memory_total >= 0) {
    print_size("  memory     ", info->memory_total, "");
    print_size(", ", info->memory_free,
               info->unified_memory ? " free; unified memory\n" : " free\n");
  }
  if (memory->in_use >= 0) {
    print_size("  tensors    ", memory->in_use, " in use");
    print_size(", at most ", memory->peak_in_use, "");
    print_size("; ", memory->reserved, " reserved");
    if (memory->limit >= 0) print_size(" of ", memory->limit, "");
    printf("; %lld allocations\n", (long long)memory->allocations);
  }
  if (info->memory_bandwidth >= 0)
    print_size("  bandwidth  ", info->memory_bandwidth, " a second\n");
  if (info->gflops >= 0) printf("  speed      %g GFLOPS\n", info->gflops);
  if (info->numa_node >= 0) printf("  NUMA node  %d\n", info->numa_node);
}

static void json_device(tn_json* json, const tn_device* device, const tn_device_info* info,
                        const tn_device_memory* memory) {
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "name", tn_device_name(device));
  tn_json_string(json, "type", tn_device_type(device));
  tn_json_string(json, "platform", info->platform);
  tn_json_string(json, "plugin", info->plugin);
  tn_json_string(json, "hardware", info->hardware);
  tn_json_string(json, "vendor", info->vendor);
  tn_json_string(json, "pci_bus_id", info->pci_bus_id);
  tn_json_int(json, "memory_total", info->memory_total);
  tn_json_int(json, "memory_free", info->memory_free);
  tn_json_int(json, "memory_bandwidth", info->memory_bandwidth);
  tn_json_int(json, "numa_node", info->numa_node);
  tn_json_bool(json, "unified_memory", info->unified_memory);
  tn_json_begin_object(json, "allocator");
  tn_json_int(json, "allocations", memory->allocations);
  tn_json_int(json, "in_use", memory->in_use);
  tn_json_int(json, "peak_in_use", memory->peak_in_use);
  tn_json_int(json, "largest_allocation", memory->largest_allocation);
  tn_json_int(json, "limit", memory->limit);
  tn_json_int(json, "reserved", memory->reserved);
  tn_json_int(json, "peak_reserved", memory->peak_reserved);
  tn_json_int(json, "largest_free_block", memory->largest_free_block);
  tn_json_end_object(json);
  tn_json_end_object(json);
}

// A device that does not open is told of, and the rest are shown all the same.
static bool show(tn_device* device, tn_json* json, tn_status* status) {
  tn_device_info info = {.struct_size = TN_DEVICE_INFO_STRUCT_SIZE};
  tn_device_memory memory = {.struct_size = TN_DEVICE_MEMORY_STRUCT_SIZE};
  if (tn_device_describe(device, &info, status) && tn_device_memory_now(device, &memory, status)) {
    if (json)
      json_device(json, device, &info, &memory);
    else
      print_device(device, &info, &memory);
    return true;
  }
  if (json) {
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "name", tn_device_name(device));
    tn_json_string(json, "type", tn_device_type(device));
    tn_json_string(json, "error", tn_status_message(status));
    tn_json_end_object(json);
  } else {
    printf("%s%s%s  does not open\n", cli_bold(), short_name(device), cli_plain());
  }
  return false;
}

// What is to be known of plugins: why one that could have devices has none, and what else of it is
// not used.
static bool show_notes(tn_plugin* plugin, void* json) {
  for (const char* at = tn_plugin_notes(plugin); *at;) {
    const size_t size = strcspn(at, "\n");
    if (size > 0) {
      char* note = tn_printf("%s: %.*s", cli_base_name(tn_plugin_path(plugin)), (int)size, at);
      if (note && json) tn_json_string(json, NULL, note);
      if (note && !json) puts(note);
      tn_free(note);
    }
    at += size + (at[size] == '\n');
  }
  return true;
}

static int run(cli_args* args) {
  if (args->word_count > 0)
    return cli_misused(args, "found '%s'; a plugin is named with --plugin %s", args->words[0],
                       args->words[0]);
  tn_status *status = tn_status_create(), *first = tn_status_create();
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  const bool as_json = cli_has(args, "json");
  const bool loaded = cli_load_plugins(args, first);
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", "tenon/devices/1");
  tn_json_begin_array(&json, "devices");
  for (size_t i = 0; loaded && i < tn_device_count(); ++i) {
    const int kept = cli_divert_output();
    cli_last_words_of_opening(args, tn_device_at(i));
    tn_device_stream(tn_device_at(i), status);  // what a plugin prints while it opens is not ours
    cli_restore_output(kept);
    tn_status_clear(status);
    const bool shown = show(tn_device_at(i), as_json ? &json : NULL, status);
    cli_no_last_words();
    if (shown) continue;
    if (tn_ok(first)) tn_status_set(first, tn_status_code(status), "%s", tn_status_message(status));
  }
  tn_json_end_array(&json);
  tn_json_begin_array(&json, "notes");
  if (loaded) tn_plugin_each(show_notes, as_json ? &json : NULL);
  tn_json_end_array(&json);
  tn_json_end_object(&json);
  if (loaded && as_json && !text.failed) puts(text.data);
  fflush(stdout);
  const int result = tn_ok(first) ? CLI_OK : cli_failed(args, first);
  tn_text_deinit(&text);
  tn_status_destroy(status);
  tn_status_destroy(first);
  return result;
}

static const cli_option options[] = {CLI_PLUGIN_OPTIONS, {NULL, NULL, NULL, 0}};

const cli_command cli_devices = {
    "devices",
    "list the devices that kernels can run on, and their memory",
    "[--plugin FILE]...",
    options,
    "  tenon devices                              those of the plugins that come with Tenon\n"
    "  tenon devices --plugin ./libmydevice.so    and those of yours\n",
    run,
};
