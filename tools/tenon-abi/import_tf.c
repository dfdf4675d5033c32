#include "import_tf.h"

#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/releases.h"
#include "abi/tf_history.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "say.h"

const char* const tf_library_names[TF_LIBRARIES] = {"framework", "cc", "pywrap"};
const char* const tf_library_files[TF_LIBRARIES] = {
    "libtensorflow_framework.so.2", "libtensorflow_cc.so.2", "_pywrap_tensorflow_internal.so"};

static bool begins(const char* text, const char* begin) {
  return strncmp(text, begin, strlen(begin)) == 0;
}

bool tf_is_c_name(const char* name) {
  return begins(name, "TF_") || begins(name, "TFE_") || begins(name, "TSL_");
}

const char* tf_header_path(const tf_release* release, const char* where, char out[1024]) {
  const size_t length = strlen(release->include);
  const char* colon = strrchr(where, ':');
  out[0] = '\0';
  if (colon && strncmp(where, release->include, length) == 0 && where[length] == '/')
    snprintf(out, 1024, "%.*s", (int)(colon - where - (long)length - 1), where + length + 1);
  return out;
}

// Calls back with every header that the tables name, at its last place.
static bool names_header(const char* cell, const char* header) {
  const char* last = strrchr(cell, ';');
  last = last ? last + 1 : cell;
  const char* colon = strchr(last, ':');
  return strcmp(colon ? colon + 1 : last, header) == 0;
}

static bool is_named(const data_tables* tables, const char* header) {
  static const char* const names[] = {"tf/exports", "tf/struct_sizes"};
  for (size_t i = 0; i < 2; ++i) {
    const table_file* table = tables_get((data_tables*)tables, names[i]);
    for (size_t row = 0; row < table->row_count; ++row)
      if (names_header(table_cell(table, row, "header"), header)) return true;
  }
  return false;
}

bool tf_is_followed(const data_tables* tables, const char* header) {
  return begins(header, "tensorflow/c/") || is_named(tables, header);
}

static bool ends_with(const char* text, const char* end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static int by_name(const FTSENT** a, const FTSENT** b) {
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

// Writes a header that includes all others: those that the tables name, and new ones that are C.
static bool write_umbrella(const data_tables* tables, const tf_release* release,
                           const header_options* options, const char* path, tn_status* status) {
  char* const roots[] = {(char*)release->include, NULL};
  FTS* walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
  tn_text text = {0};
  size_t count = 0;
  for (FTSENT* at; walk && (at = fts_read(walk));) {
    if (at->fts_info != FTS_F || !ends_with(at->fts_name, ".h")) continue;
    const char* header = at->fts_path + strlen(release->include) + 1;
    const bool is_new = begins(header, "tensorflow/c/") && !ends_with(header, "_internal.h") &&
                        !is_named(tables, header) && header_is_c(at->fts_path, options);
    if (!is_new && !is_named(tables, header)) continue;
    tn_text_printf(&text, "#include \"%s\"\n", header);
    ++count;
  }
  if (walk) fts_close(walk);
  bool good = !text.failed && count > 0;
  if (!good)
    tn_status_set(status, TN_NOT_FOUND, "%s has no headers of TensorFlow's C API",
                  release->include);
  good = good && tn_file_write(path, tn_text_view(&text), status);
  tn_text_deinit(&text);
  return good;
}

static bool read_headers(const data_tables* tables, tf_release* release,
                         const import_options* options, tn_status* status) {
  const char* flags[258] = {"-I", release->include};
  int count = 2;
  for (int i = 0; i < options->header->flag_count && count < 258; ++i)
    flags[count++] = options->header->flags[i];
  const header_options all = {flags, count, "SE", true, false};
  char path[4200], all_of_it[4100];
  char* folder = tn_temporary_make("tenon-import", status);
  if (!folder) return false;
  snprintf(path, sizeof path, "%s/all.h", folder);
  const bool good = write_umbrella(tables, release, &all, path, status) &&
                    read_header(path, &all, &release->headers, status);
  if (!good) {
    snprintf(all_of_it, sizeof all_of_it, "%.4000s: its C headers together",
             release->wheel->source);
    wheel_rename(status, path, all_of_it);
  }
  tn_temporary_remove(folder);
  return good;
}

static bool read_libraries(tf_release* release, tn_status* status) {
  for (int i = 0; i < TF_LIBRARIES; ++i) {
    char path[8300];
    snprintf(path, sizeof path, "%s/tensorflow/%s%s", release->wheel->root, i == 2 ? "python/" : "",
             tf_library_files[i]);
    if (access(path, F_OK) != 0 && i == 2) continue;  // may go away one day
    tn_elf* library = release->libraries[i] = tn_elf_look(path, status);
    if (!library) return false;
    size_t capacity = 0;
    for (size_t j = 0; j < library->export_count; ++j) {
      if (!tf_is_c_name(library->exports[j])) continue;
      if (!tn_grow(&release->functions[i], &capacity, release->function_counts[i] + 1,
                   sizeof *release->functions[i])) {
        tn_status_set_no_memory(status, "reading exports");
        return false;
      }
      release->functions[i][release->function_counts[i]++] = library->exports[j];
    }
  }
  return true;
}

static void release_deinit(tf_release* release) {
  for (int i = 0; i < TF_LIBRARIES; ++i) {
    tn_free(release->functions[i]);
    if (release->libraries[i]) tn_elf_destroy(release->libraries[i]);
  }
  tn_abi_model_deinit(&release->headers);
}

// The value of a macro, by its name.
static const tn_abi_constant* macro(const tf_release* release, const char* name) {
  return tn_abi_model_constant(&release->headers, TN_ABI_MACROS, name);
}

static const char* size_macro(const tf_release* release, const char* struct_name) {
  const tn_abi_model* model = &release->headers;
  for (size_t i = 0; i < model->constant_count; ++i)
    if (strcmp(model->constants[i].enumeration, TN_ABI_MACROS) == 0 &&
        header_names_size_of(model->constants[i].name, struct_name))
      return model->constants[i].name;
  return "-";
}

// The header that the tables give for a struct: what they say of it, or of one in the same file.
static const char* told_header(const data_tables* tables, const tf_release* release,
                               const tn_abi_struct* one, const char* header) {
  const table_file* sizes = tables_get((data_tables*)tables, "tf/struct_sizes");
  char other[1024];
  for (int exact = 1; exact >= 0; --exact)
    for (size_t row = 0; row < sizes->row_count; ++row) {
      const char* name = sizes->rows[row][0];
      const tn_abi_struct* known = exact ? NULL : tn_abi_model_struct(&release->headers, name);
      if (exact ? strcmp(name, one->name) == 0
                : known && strcmp(tf_header_path(release, known->where, other), header) == 0)
        return table_cell(sizes, row, "header");
    }
  return header;
}

static void collect_structs(release_edit* edit, const tf_release* release, release_rows* sizes,
                            release_rows* fields) {
  const tn_abi_model* model = &release->headers;
  data_tables* tables = edit->tables;
  for (size_t i = 0; i < model->struct_count; ++i) {
    const tn_abi_struct* one = model->structs[i];
    char header[1024];
    tf_header_path(release, one->where, header);
    if (one->opaque || !tf_is_followed(tables, header)) continue;
    const char* const size_cells[] = {one->name,
                                      one->is_union ? "union" : "struct",
                                      told_header(tables, release, one, header),
                                      tables_text(tables, "%" PRId64, one->size),
                                      tables_text(tables, "%" PRId64, one->end),
                                      size_macro(release, one->name)};
    release_rows_add(edit, sizes, size_cells, 6);
    for (size_t j = 0; j < one->field_count; ++j) {
      const tn_abi_field* field = &one->fields[j];
      const char* const cells[] = {one->name, field->name,
                                   tables_text(tables, "%" PRId64, field->offset),
                                   tables_text(tables, "%" PRId64, field->size), field->type};
      release_rows_add(edit, fields, cells, 5);
    }
  }
}

static void collect_constants(release_edit* edit, const tf_release* release, release_rows* rows) {
  static const char* const prefixes[] = {"TF_", "TFE_", "SE_", "SP_", "TP_"};
  const tn_abi_model* model = &release->headers;
  for (size_t i = 0; i < model->constant_count; ++i) {
    const tn_abi_constant* constant = &model->constants[i];
    for (size_t j = 0; j < sizeof prefixes / sizeof prefixes[0]; ++j)
      if (begins(constant->enumeration, prefixes[j])) {
        const char* const cells[] = {constant->enumeration, constant->name,
                                     tables_text(edit->tables, "%" PRId64, constant->value)};
        release_rows_add(edit, rows, cells, 3);
      }
  }
  // What was an enum may have become macros for another's constants (TF_Code).
  const table_file* table = tables_get(edit->tables, "tf/enums");
  for (size_t row = 0; row < table->row_count; ++row) {
    const tn_abi_constant* known = macro(release, table->rows[row][1]);
    if (known && known->value == atoll(table->rows[row][2]))
      release_rows_add(edit, rows, table->rows[row], 3);
  }
}

// Sorted by header and struct.
static size_t place_size(const table_file* table, const char* const* cells) {
  size_t at = 0;
  while (at < table->row_count) {
    const int order = strcmp(table->rows[at][2], cells[2]);
    if (order > 0 || (order == 0 && strcmp(table->rows[at][0], cells[0]) > 0)) break;
    ++at;
  }
  return at;
}

// Structs in the order of struct_sizes; within one by offset, and then by age.
static size_t place_field(const table_file* table, const char* const* cells) {
  const table_file* sizes = tables_get(table->owner, "tf/struct_sizes");
  const size_t own = table_find(sizes, "struct", cells[0], 0);
  size_t at = 0;
  while (at < table->row_count) {
    const size_t other = table_find(sizes, "struct", table->rows[at][0], 0);
    if (other > own || (other == own && atoll(table->rows[at][2]) > atoll(cells[2]))) break;
    ++at;
  }
  return at;
}

// By enum, and then by value.
static size_t place_constant(const table_file* table, const char* const* cells) {
  size_t at = 0;
  while (at < table->row_count) {
    const int order = strcmp(table->rows[at][0], cells[0]);
    if (order > 0 || (order == 0 && atoll(table->rows[at][2]) > atoll(cells[2]))) break;
    ++at;
  }
  return at;
}

static void apply_layouts(release_edit* edit, const tf_release* release) {
  release_rows sizes = {0}, fields = {0}, constants = {0};
  collect_structs(edit, release, &sizes, &fields);
  collect_constants(edit, release, &constants);
  release_rows_apply(edit, "tf/struct_sizes", &sizes, place_size);
  release_rows_apply(edit, "tf/layouts", &fields, place_field);
  release_rows_apply(edit, "tf/enums", &constants, place_constant);
  release_rows_deinit(&sizes);
  release_rows_deinit(&fields);
  release_rows_deinit(&constants);
}

// A cell of a row that is written when extending, and compared otherwise.
static void put(release_edit* edit, table_file* table, size_t row, const char* column,
                const char* text) {
  if (edit->previous) {
    table_set(table, row, column, text);
  } else if (strcmp(table_cell(table, row, column), text) != 0) {
    say("- %s: %s %s\n+ %s: %s %s\n", table->name, column, table_cell(table, row, column),
        table->name, column, text);
    edit->differences++;
  }
}

static void put_count(release_edit* edit, table_file* table, size_t row, const char* column,
                      int64_t count) {
  put(edit, table, row, column, tables_text(edit->tables, "%" PRId64, count));
}

static bool is_system_library(const char* name) { return !strstr(name, "tensorflow"); }

static void apply_libraries(release_edit* edit, const tf_release* release) {
  table_file* table = tables_get(edit->tables, "tf/libraries");
  for (int i = 0; i < TF_LIBRARIES; ++i) {
    const tn_elf* library = release->libraries[i];
    if (!library) continue;
    size_t row = 0;
    while (row < table->row_count && (strcmp(table->rows[row][0], edit->release) != 0 ||
                                      strcmp(table->rows[row][1], tf_library_files[i]) != 0))
      ++row;
    if (edit->previous) {
      table_insert(table, row, "-");
      table_set(table, row, "release", edit->release);
      table_set(table, row, "library", tf_library_files[i]);
      // Differs between wheels for several Pythons, so it is written and never compared; so is the
      // wheel that was read.
      put_count(edit, table, row, "size_bytes", (int64_t)library->file_size);
      table_set(table, row, "version_definitions_read_from", release->wheel->version);
    }
    tn_text needs = {0}, nodes = {0};
    bool versioned = false;
    for (size_t j = 0; j < library->needed_count; ++j)
      if (!is_system_library(library->needed[j]))
        tn_text_printf(&needs, "%s%s", needs.size ? "," : "", library->needed[j]);
    for (size_t j = 0; j < library->version_count; ++j) {
      tn_text_printf(&nodes, "%s%s", nodes.size ? "," : "", library->versions[j]);
      versioned |= strcmp(library->versions[j], "tensorflow") == 0;
    }
    put(edit, table, row, "soname", library->soname ? library->soname : "none");
    put(edit, table, row, "needs", needs.size ? needs.data : "none");
    put_count(edit, table, row, "c_functions", (int64_t)release->function_counts[i]);
    // The node of that name is theirs wherever it is defined.
    put(edit, table, row, "version_node_of_c_functions",
        !release->function_counts[i] ? "none"
        : versioned                  ? "tensorflow"
                                     : "unversioned");
    if (strcmp(table_cell(table, row, "version_definitions"), "not read") != 0)
      put(edit, table, row, "version_definitions", nodes.size ? nodes.data : "none");
    edit->tables->failed |= needs.failed || nodes.failed;
    tn_text_deinit(&needs);
    tn_text_deinit(&nodes);
  }
}

// "0.0.1" of SE_MAJOR, SE_MINOR and SE_PATCH; "none".
static const char* number_of(release_edit* edit, const tf_release* release, const char* prefix) {
  static const char* const parts[] = {"MAJOR", "MINOR", "PATCH"};
  const tn_abi_constant* found[3];
  for (int i = 0; i < 3; ++i)
    found[i] = macro(release, tables_text(edit->tables, "%s_%s", prefix, parts[i]));
  if (!found[0] || !found[1] || !found[2]) return "none";
  return tables_text(edit->tables, "%d.%d.%d", (int)found[0]->value, (int)found[1]->value,
                     (int)found[2]->value);
}

// A number behind "#define NAME" in version.h, which no C header includes; -1 for none.
static int version_macro(const tf_release* release, const char* name) {
  char path[8300], line[128];
  tn_text text = {0};
  int value = -1;
  snprintf(path, sizeof path, "%s/tensorflow/core/public/version.h", release->include);
  snprintf(line, sizeof line, "#define %s ", name);
  if (tn_file_read(path, 1 << 20, &text, NULL) && text.data) {
    const char* at = strstr(text.data, line);
    if (at) sscanf(at + strlen(line), "%9d", &value);
  }
  tn_text_deinit(&text);
  return value;
}

static void apply_release(release_edit* edit, const tf_release* release, const tf_counts* counts,
                          const import_options* options) {
  table_file* table = tables_get(edit->tables, "tf/releases");
  const size_t row = table_find(table, "release", edit->release, 0);
  const int major = version_macro(release, "TF_MAJOR_VERSION");
  if (edit->previous) {
    table_insert(table, row, "-");
    table_set(table, row, "release", edit->release);
    table_set(table, row, "release_date", options->date);
    table_set(table, row, "last_patch", "none");
  }
  put(edit, table, row, "wheel",
      tables_text(edit->tables, "%s %s", release->wheel->name, release->wheel->version));
  put(edit, table, row, "python_versions", release->wheel->pythons);
  put(edit, table, row, "platform_tag", release->wheel->platform);
  put(edit, table, row, "se_version", number_of(edit, release, "SE"));
  put(edit, table, row, "optimizer_version", number_of(edit, release, "GO"));
  put(edit, table, row, "profiler_version", number_of(edit, release, "TP"));
  put(edit, table, row, "tf_version_macro",
      major < 0
          ? "none"
          : tables_text(edit->tables, "%d.%d.%d", major, version_macro(release, "TF_MINOR_VERSION"),
                        version_macro(release, "TF_PATCH_VERSION")));
  put_count(edit, table, row, "graph_def_version", version_macro(release, "TF_GRAPH_DEF_VERSION"));
  put_count(edit, table, row, "exported_TF", counts->tf);
  put_count(edit, table, row, "exported_TFE", counts->tfe);
  put_count(edit, table, row, "exported_TSL", counts->tsl);
  put_count(edit, table, row, "in_framework", counts->in_library[0]);
  put_count(edit, table, row, "in_cc", counts->in_library[1]);
  put_count(edit, table, row, "in_pywrap", counts->in_library[2]);
  put_count(edit, table, row, "in_two_libraries", counts->in_two);
  put_count(edit, table, row, "declared_not_exported", counts->declared_only);
}

// absl's inline namespace, "lts_20250814", as mangled names have it; "" when none has.
static const char* absl_of(release_edit* edit, const tn_elf* library) {
  for (size_t i = 0; i < library->export_count; ++i) {
    const char* at = strstr(library->exports[i], "4absl12lts_");
    if (at && strspn(at + 11, "0123456789") >= 8) return tables_text(edit->tables, "%.12s", at + 7);
  }
  return "";
}

static bool has_beginning(const tf_release* release, const char* begin) {
  for (int i = 0; i < TF_LIBRARIES; ++i)
    for (size_t j = 0; release->libraries[i] && j < release->libraries[i]->export_count; ++j)
      if (begins(release->libraries[i]->exports[j], begin)) return true;
  return false;
}

static void apply_cpp(release_edit* edit, const tf_release* release) {
  table_file* table = tables_get(edit->tables, "tf/cpp");
  const char* absl = absl_of(edit, release->libraries[0]);
  const size_t row = table_find(table, "release", edit->release, 0);
  if (*absl && edit->previous) {
    const char* const cells[] = {edit->release, absl};
    table_insert_cells(table, table->row_count, cells);
  } else if (*absl && row < table->row_count) {
    put(edit, table, row, "absl", absl);
  }
  table_file* gone = tables_get(edit->tables, "tf/cpp_gone");
  for (size_t i = 0; i < gone->row_count; ++i)
    table_set(
        gone, i, "absent",
        release_span(edit, table_cell(gone, i, "absent"), !has_beginning(release, gone->rows[i][0]),
                     tables_text(edit->tables, "tf/cpp_gone: %s", gone->rows[i][0])));
}

// The row of tf_pjrt.tsv: the number of the PJRT header in the wheel.
static bool apply_pjrt(release_edit* edit, const tf_release* release, const import_options* options,
                       tn_status* status) {
  static const char* const places[] = {"tensorflow/compiler/xla/pjrt/c/pjrt_c_api.h",
                                       "xla/pjrt/c/pjrt_c_api.h"};
  char path[8300];
  const char *header = NULL, *paths = "";
  for (size_t i = 0; i < 2; ++i) {
    snprintf(path, sizeof path, "%s/%s", release->include, places[i]);
    if (access(path, F_OK) != 0) continue;
    paths = tables_text(edit->tables, "%s%s%s", paths, *paths ? ";" : "", places[i]);
    header = places[i];
  }
  table_file* table = tables_get(edit->tables, "pjrt/tf_pjrt");
  size_t row = table_find(table, "tensorflow", release->wheel->version, 0);
  if (!header || (!edit->previous && row == table->row_count)) return true;
  tn_abi_model model = {0};
  snprintf(path, sizeof path, "%s/%s", release->include, header);
  if (!read_header(path, options->header, &model, status)) return false;
  const tn_abi_struct* api = tn_abi_model_struct(&model, "PJRT_Api");
  int functions = 0;
  for (size_t i = 0; api && i < api->field_count; ++i)
    functions += strcmp(api->fields[i].kind, "function_pointer") == 0;
  if (edit->previous) {
    row = table->row_count;
    table_insert(table, row, "");
    table_set(table, row, "tensorflow", release->wheel->version);
    table_set(table, row, "wheel_date",
              *release->wheel->date ? release->wheel->date
              : options->wheel_date ? options->wheel_date
                                    : options->date);
  }
  put_count(edit, table, row, "pjrt_major", model.major);
  put_count(edit, table, row, "pjrt_minor", model.minor);
  put_count(edit, table, row, "pjrt_api_sizeof", api ? api->size : 0);
  put_count(edit, table, row, "pjrt_api_functions", functions);
  put(edit, table, row, "header_paths", paths);
  const table_file* states = tables_get(edit->tables, "pjrt/header_states");
  size_t first, last;
  if (pjrt_find_states(edit->tables, &model, &first, &last)) {
    put(edit, table, row, "same_layout_first_commit", table_cell(states, first, "from_commit"));
    put(edit, table, row, "same_layout_first_date", table_cell(states, first, "from_date"));
    // A state goes on to the last header of its number when it is the last.
    const table_file* versions = tables_get(edit->tables, "pjrt/versions");
    const size_t version = table_find(versions, "minor", table_cell(states, last, "minor"), 0);
    const bool goes_on = strcmp(table_cell(states, last, "vs_last"), "last") == 0;
    put(edit, table, row, "same_layout_last_commit",
        goes_on ? table_cell(versions, version, "last_commit")
                : table_cell(states, last, "from_commit"));
  } else {
    say("note: PJRT 0.%d of this wheel is not in the tables; import %s too\n", (int)model.minor,
        header);
  }
  tn_abi_model_deinit(&model);
  return true;
}

import_result import_tf(data_tables* tables, const wheel* wheel, const import_options* options,
                        tn_status* status) {
  const table_file* releases = tables_get(tables, "tf/releases");
  const char* dot = strchr(wheel->version, '.');
  const char* name =
      tables_text(tables, "%.*s", dot ? (int)(dot + 1 + strcspn(dot + 1, ".") - wheel->version) : 0,
                  wheel->version);
  const char* newest = table_cell(releases, releases->row_count - 1, "release");
  release_edit edit = {tables, name, NULL, 0, tn_abi_version_compare(name, newest) < 0};
  if (table_find(releases, "release", name, 0) == releases->row_count) edit.previous = newest;
  if (edit.previous && tn_abi_version_compare(name, newest) < 0) {
    tn_status_set(status, TN_OUT_OF_RANGE,
                  "TensorFlow %s is older than %s, the newest in the tables, and not among them; "
                  "only newer ones can be imported",
                  name, newest);
    return IMPORT_FAILED;
  }
  if (edit.previous && !options->date) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "TensorFlow %s is new, and no wheel says on which day it was released: --date "
                  "2026-03-06",
                  name);
    return IMPORT_FAILED;
  }
  tf_release release = {.wheel = wheel};
  snprintf(release.include, sizeof release.include, "%s/tensorflow/include", wheel->root);
  import_result result = IMPORT_FAILED;
  if (read_headers(tables, &release, options, status) && read_libraries(&release, status)) {
    tf_counts counts;
    apply_layouts(&edit, &release);
    import_tf_functions(&edit, &release, &counts);
    apply_libraries(&edit, &release);
    apply_cpp(&edit, &release);
    apply_release(&edit, &release, &counts, options);
    if (apply_pjrt(&edit, &release, options, status))
      result = edit.differences ? IMPORT_DIFFERS : IMPORT_DONE;
  }
  if (result != IMPORT_FAILED && !edit.previous) {
    say("TensorFlow %s: already known, %s\n", name,
        edit.differences ? "and different from what the tables say of it" : "equal");
  } else if (result == IMPORT_DONE) {
    say("TensorFlow %s: added after %s\n", name, newest);
    say("note: what the release does with null members (tf/host_reads) is taken as in %s\n",
        newest);
  }
  release_deinit(&release);
  return result;
}
