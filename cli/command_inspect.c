// tenon inspect: what a plugin file is, offers, needs and leaks.

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "command.h"
#include "doctor/inspect.h"
#include "doctor/package.h"

static void print_size(uint64_t bytes) {
  static const char* const units[] = {"bytes", "KB", "MB", "GB"};
  double size = (double)bytes;
  int unit = 0;
  for (; size >= 1000 && unit < 3; ++unit) size /= 1000;
  cli_say(unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

static void print_title(const tn_inspection* i, const char* name) {
  char machine[32];
  cli_say_bold(cli_base_name(name));
  cli_say("  ELF %s, ", tn_elf_machine_name(i->elf->machine, machine));
  print_size(i->elf->file_size);
  if (*i->marks.compiler) cli_say(", built by %s", i->marks.compiler);
  cli_say("\n");
}

static void print_names(const char* title, const char* const* names, size_t count, size_t most) {
  cli_say("  %-11s ", title);
  for (size_t i = 0; i < count && i < most; ++i) cli_say("%s%s", i ? ", " : "", names[i]);
  if (count > most) cli_say(" and %zu more", count - most);
  cli_say("\n");
}

static void print_needs(const tn_inspection* i) {
  const char* title = "needs";
  if (i->library_count) {
    print_names(title, i->libraries, i->library_count, 100);
    title = "";
  }
  if (i->host_function_count) {
    cli_say("  %-11s %zu functions of the host: ", title, i->host_function_count);
    for (size_t k = 0; k < i->host_function_count && k < 4; ++k)
      cli_say("%s%s", k ? ", " : "", i->host_functions[k]);
    cli_say("%s\n", i->host_function_count > 4 ? ", ..." : "");
    title = "";
  }
  if (i->weak_host_function_count) {
    cli_say("  %-11s %zu functions of the host weakly: it loads without them and may call NULL\n",
            title, i->weak_host_function_count);
    title = "";
  }
  if (i->cpp_imports) {
    cli_say("  %-11s %zu C++ symbols of others, outside every C ABI:", title, i->cpp_imports);
    for (int f = 0; f < TN_FAMILIES; ++f)
      if (i->cpp_imports_by_family[f])
        cli_say(" %s %zu", tn_family_name((tn_family)f), i->cpp_imports_by_family[f]);
    if (i->cpp_imports_of_others) cli_say(" other %zu", i->cpp_imports_of_others);
    cli_say("\n");
    title = "";
  }
  if (*title) cli_say("  %-11s nothing beyond the system\n", title);
}

static void print_floors(const tn_inspection* i) {
  cli_say("  %-11s", "floors");
  const char* comma = " ";
  if (*i->glibc) cli_say("%sglibc %s", comma, i->glibc), comma = ", ";
  if (*i->glibcxx) cli_say("%sGLIBCXX %s", comma, i->glibcxx), comma = ", ";
  if (*i->cxxabi) cli_say("%sCXXABI %s", comma, i->cxxabi), comma = ", ";
  cli_say("%s\n", *comma == ' ' ? " none" : "");
}

static void print_hygiene(const tn_inspection* i) {
  cli_say("  %-11s exports %zu symbols", "hygiene", i->elf->export_count);
  if (i->elf->unique_exports) cli_say(", %zu of them one per process", i->elf->unique_exports);
  switch (i->version_script) {
    case TN_VERSION_SCRIPT_NODE:
      cli_say("; a version script chose them (node %s)\n", i->version_script_sign);
      break;
    case TN_VERSION_SCRIPT_MARKS:
      cli_say("; no version script chose them (the linker's own %s is one)\n",
              i->version_script_sign);
      break;
    case TN_VERSION_SCRIPT_LEAKS:
      cli_say("; no version script chose them (code of %s is among them)\n",
              i->version_script_sign);
      break;
    case TN_VERSION_SCRIPT_UNKNOWN:
      cli_say("; whether a version script chose them does not show\n");
      break;
  }
  for (int f = 0; f < TN_FAMILIES; ++f) {
    const char* hits = tn_family_hits((tn_family)f);
    if (i->leaks[f] && hits)
      cli_say("  %-11s %zu belong to %s and will meet those of %s\n", "", i->leaks[f],
              tn_family_name((tn_family)f), hits);
  }
  if (i->elf->executable_stack) cli_say("  %-11s asks for an executable stack\n", "");
  if (i->elf->text_relocations)
    cli_say("  %-11s writes to its code when it is loaded (text relocations)\n", "");
  if (i->elf->rpath) cli_say("  %-11s RPATH %s\n", "", i->elf->rpath);
  if (i->elf->runpath) cli_say("  %-11s RUNPATH %s\n", "", i->elf->runpath);
}

static void print_inspection(const tn_inspection* i, const char* name) {
  print_title(i, name);
  cli_say("  %-11s ", "offers");
  for (size_t k = 0; k < i->entry_point_count; ++k)
    cli_say("%s%s (%s)", k ? ", " : "", i->entry_points[k]->offers, i->entry_points[k]->symbol);
  cli_say("%s\n", i->entry_point_count ? "" : "nothing that a framework looks for");
  print_needs(i);
  print_floors(i);
  print_hygiene(i);
  cli_say("  %-11s %llu constructors, %llu relocations, %llu bytes in every thread\n", "loading",
          (unsigned long long)i->elf->constructors,
          (unsigned long long)i->elf->relative_relocations, (unsigned long long)i->elf->tls_size);
  if (*i->marks.build_id) cli_say("  %-11s %s\n", "build id", i->marks.build_id);
}

static void json_names(tn_json* json, const char* key, const char* const* names, size_t count) {
  tn_json_begin_array(json, key);
  for (size_t i = 0; i < count; ++i) tn_json_string(json, NULL, names[i]);
  tn_json_end_array(json);
}

static void json_families(tn_json* json, const char* key, const size_t* counts, size_t others) {
  tn_json_begin_object(json, key);
  for (int f = 0; f < TN_FAMILIES; ++f)
    if (counts[f]) tn_json_uint(json, tn_family_name((tn_family)f), counts[f]);
  if (others) tn_json_uint(json, "other", others);
  tn_json_end_object(json);
}

static const char* text_or_null(const char* text) { return *text ? text : NULL; }

static void json_inspection(tn_json* json, const tn_inspection* i, const char* name) {
  char machine[32];
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "file", name);
  tn_json_string(json, "format", "ELF");
  tn_json_string(json, "machine", tn_elf_machine_name(i->elf->machine, machine));
  tn_json_uint(json, "size_bytes", i->elf->file_size);
  tn_json_string(json, "build_id", text_or_null(i->marks.build_id));
  tn_json_string(json, "compiler", text_or_null(i->marks.compiler));
  tn_json_bool(json, "debug_information", i->marks.has_debug_information);
  tn_json_begin_array(json, "entry_points");
  for (size_t k = 0; k < i->entry_point_count; ++k)
    tn_json_string(json, NULL, i->entry_points[k]->symbol);
  tn_json_end_array(json);
  json_names(json, "libraries", i->libraries, i->library_count);
  json_names(json, "host_functions", i->host_functions, i->host_function_count);
  json_names(json, "weak_host_functions", i->weak_host_functions, i->weak_host_function_count);
  tn_json_uint(json, "cpp_imports", i->cpp_imports);
  json_families(json, "cpp_import_families", i->cpp_imports_by_family, i->cpp_imports_of_others);
  tn_json_string(json, "min_glibc", text_or_null(i->glibc));
  tn_json_string(json, "min_glibcxx", text_or_null(i->glibcxx));
  tn_json_string(json, "min_cxxabi", text_or_null(i->cxxabi));
  tn_json_uint(json, "exports", i->elf->export_count);
  tn_json_uint(json, "unique_exports", i->elf->unique_exports);
  json_families(json, "leaked_families", i->leaks, 0);
  if (i->version_script == TN_VERSION_SCRIPT_UNKNOWN)
    tn_json_null(json, "version_script");
  else
    tn_json_bool(json, "version_script", i->version_script == TN_VERSION_SCRIPT_NODE);
  tn_json_string(json, "version_script_sign", i->version_script_sign);
  tn_json_bool(json, "executable_stack", i->elf->executable_stack);
  tn_json_bool(json, "text_relocations", i->elf->text_relocations);
  tn_json_string(json, "rpath", i->elf->rpath);
  tn_json_string(json, "runpath", i->elf->runpath);
  tn_json_uint(json, "tls_bytes", i->elf->tls_size);
  tn_json_uint(json, "constructors", i->elf->constructors);
  tn_json_uint(json, "relative_relocations", i->elf->relative_relocations);
}

static void print_fact(const char* key, const char* value, void* arg) {
  cli_say("    %-24s %s\n", key, value);
}

static void json_fact(const char* key, const char* value, void* arg) {
  tn_json* json = arg;
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "key", key);
  tn_json_string(json, "value", value);
  tn_json_end_object(json);
}

// What it says once it is loaded, in a child process.
static bool show_loaded(const char* path, tn_json* json, tn_status* status) {
  enum { LIMIT_MS = 60000 };
  if (json) {
    tn_json_begin_array(json, "loaded");
  } else {
    cli_say("  loaded, in a child process\n");
    fflush(stdout);
  }
  const bool loaded =
      tn_inspect_loaded(path, LIMIT_MS, json ? json_fact : print_fact, json, status);
  if (json) {
    tn_json_end_array(json);
    tn_json_string(json, "load_error", loaded ? NULL : tn_status_message(status));
  } else if (!loaded) {
    cli_say("    %-24s %s\n", "finding", tn_status_message(status));
  }
  return loaded;
}

// One shared object; what went wrong is left in *result.
static void show_file(const cli_args* args, const tn_package_file* file, tn_json* json, int* result,
                      tn_status* status) {
  tn_inspection* inspection = tn_inspect(file->path, status);
  if (!inspection) {
    *result = cli_failed(args, status);
    tn_status_clear(status);
    return;
  }
  if (json) {
    json_inspection(json, inspection, file->name);
  } else {
    print_inspection(inspection, file->name);
  }
  if (cli_has(args, "load") && !show_loaded(file->path, json, status)) *result = CLI_PLUGIN;
  if (json) tn_json_end_object(json);
  tn_status_clear(status);
  tn_inspection_destroy(inspection);
}

static int run(cli_args* args) {
  if (args->word_count == 0) return cli_misused(args, "a file is expected");
  tn_status* status = tn_status_create();
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  const bool as_json = cli_has(args, "json");
  int result = CLI_OK;
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", "tenon/inspect/1");
  tn_json_begin_array(&json, "files");
  for (size_t i = 0; i < args->word_count; ++i) {
    tn_package package;
    if (tn_package_open(&package, args->words[i], status)) {
      for (size_t k = 0; k < package.count; ++k)
        show_file(args, &package.files[k], as_json ? &json : NULL, &result, status);
    } else {
      result = cli_failed(args, status);
      tn_status_clear(status);
    }
    tn_package_close(&package);
  }
  tn_json_end_array(&json);
  tn_json_end_object(&json);
  if (as_json && result != CLI_FAILED && text.data) puts(text.data);
  tn_text_deinit(&text);
  tn_status_destroy(status);
  return result;
}

static const cli_option options[] = {
    {"load", NULL, "load it too, in a child process, and tell what it says of itself", 0},
    {NULL, NULL, NULL, 0},
};

const cli_command cli_inspect = {
    "inspect",
    "tell what a plugin file is, offers, needs and leaks",
    "FILE|FOLDER|WHEEL...",
    options,
    "  tenon inspect libmyplugin.so\n"
    "  tenon inspect --load --json libmyplugin.so\n",
    run,
};
