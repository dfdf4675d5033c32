#include "doctor/environments.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"

static bool no_memory(tn_status* status) {
  tn_status_set_no_memory(status, "looking for Python environments");
  return false;
}

static bool is_folder(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// The folder above; of a path without one, ".".
static void go_up(char* path) {
  char* slash = strrchr(path, '/');
  if (slash == path) {
    path[1] = '\0';
  } else if (slash) {
    *slash = '\0';
  } else {
    snprintf(path, 2, ".");
  }
}

// Packages.

static bool add_package(tn_environments* out, tn_environment* to, const char* framework,
                        tn_view version, tn_status* status) {
  for (size_t i = 0; i < to->package_count; ++i)
    if (strcmp(to->packages[i].framework, framework) == 0 &&
        tn_view_is(version, to->packages[i].version))
      return true;
  const char* copy = tn_arena_copy(&out->arena, version);
  if (!copy || !tn_grow(&to->packages, &to->capacity, to->package_count + 1, sizeof *to->packages))
    return no_memory(status);
  to->packages[to->package_count++] = (tn_installed){framework, copy};
  return true;
}

// "…/tensorflow_cpu-2.21.0.dist-info": the version, without what stands behind a plus.
static tn_view version_in(const char* path) {
  const char* name = strrchr(path, '/');
  const char* dash = name ? strchr(name, '-') : NULL;
  const char* end = dash ? strstr(dash, ".dist-info") : NULL;
  if (!end) return (tn_view){"", 0};
  const size_t size = (size_t)(end - dash) - 1, plain = strcspn(dash + 1, "+");
  return (tn_view){dash + 1, plain < size ? plain : size};
}

// Looks into the folders that match `pattern`, below `prefix` taken letter by letter.
static bool add_packages(tn_environments* out, tn_environment* to, const char* prefix,
                         const char* pattern, tn_status* status) {
  static const struct {
    const char *pattern, *framework;
  } known[] = {{"jaxlib-*.dist-info", "jaxlib"},
               {"tensorflow-[0-9]*.dist-info", "tensorflow"},
               {"tensorflow_cpu-*.dist-info", "tensorflow"},
               {"tensorflow_rocm-*.dist-info", "tensorflow"},
               {"intel_tensorflow-*.dist-info", "tensorflow"}};
  tn_text text = {0};
  for (const char* at = prefix; *at; ++at) {
    if (strchr("*?[\\", *at)) tn_text_putc(&text, '\\');
    tn_text_putc(&text, *at);
  }
  tn_text_printf(&text, "/%s/", pattern);
  const size_t length = text.size;
  bool good = true;
  for (size_t i = 0; good && i < sizeof known / sizeof known[0]; ++i) {
    glob_t found;
    text.size = length;
    tn_text_puts(&text, known[i].pattern);
    const char* wanted = tn_text_view(&text).data;
    if (!wanted || glob(wanted, 0, NULL, &found) != 0) continue;
    for (size_t k = 0; good && k < found.gl_pathc; ++k) {
      const tn_view version = version_in(found.gl_pathv[k]);
      if (version.size) good = add_package(out, to, known[i].framework, version, status);
    }
    globfree(&found);
  }
  tn_text_deinit(&text);
  return good;
}

// `release` is "3.11", or "3*" when the name of the interpreter did not tell.
static bool add_prefix(tn_environments* out, tn_environment* to, const char* prefix,
                       const char* release, bool is_virtual, tn_status* status) {
  static const char* const folders[] = {
      "lib/python%s/site-packages", "lib64/python%s/site-packages", "lib/python%s/dist-packages"};
  const bool is_systems = strcmp(prefix, "/usr") == 0;
  const char* home = is_virtual ? NULL : getenv("HOME");
  char pattern[64];
  bool good = true;
  for (size_t i = 0; good && i < sizeof folders / sizeof folders[0]; ++i) {
    snprintf(pattern, sizeof pattern, folders[i], release);
    good = add_packages(out, to, prefix, pattern, status);
    if (good && is_systems) good = add_packages(out, to, "/usr/local", pattern, status);
  }
  if (good && is_systems) good = add_packages(out, to, prefix, "lib/python3/dist-packages", status);
  snprintf(pattern, sizeof pattern, ".local/lib/python%s/site-packages", release);
  return good && (!home || !*home || add_packages(out, to, home, pattern, status));
}

// Environments.

// The value of a line "key = value", into `out` of PATH_MAX bytes; false when there is none.
static bool read_setting(const char* text, const char* key, char* out) {
  const size_t length = strlen(key);
  for (const char* line = text; line && *line; line = strchr(line, '\n')) {
    line += strspn(line, "\n \t");
    if (strncmp(line, key, length) != 0) continue;
    const char* at = line + length + strspn(line + length, " \t");
    if (*at++ != '=') continue;
    at += strspn(at, " \t");
    return snprintf(out, PATH_MAX, "%.*s", (int)strcspn(at, "\r\n"), at) < PATH_MAX;
  }
  return false;
}

// "…/bin/python3.11" tells "3.11".
static void read_release(const char* interpreter, char out[16]) {
  const char* name = strrchr(interpreter, '/');
  int minor;
  if (name && sscanf(name, "/python3.%d", &minor) == 1)
    snprintf(out, 16, "3.%d", minor);
  else
    snprintf(out, 16, "3*");
}

// A virtual environment sees the packages of the Python it was made from only when it says so.
static bool add_virtual(tn_environments* out, tn_environment* to, const char* prefix,
                        const char* settings, tn_status* status) {
  char value[PATH_MAX], interpreter[PATH_MAX + 16], real[PATH_MAX], release[16];
  if (!add_prefix(out, to, prefix, "3*", true, status)) return false;
  if (!read_setting(settings, "include-system-site-packages", value) ||
      strcmp(value, "true") != 0 || !read_setting(settings, "home", value))
    return true;
  snprintf(interpreter, sizeof interpreter, "%s/python3", value);
  read_release(realpath(interpreter, real) ? real : interpreter, release);
  go_up(value);
  return add_prefix(out, to, value, release, false, status);
}

// The environment of which `prefix` is the folder; `release` as for add_prefix.
static bool add_environment(tn_environments* out, const char* prefix, const char* release,
                            const char* because, const char* problem, tn_status* status) {
  for (size_t i = 0; i < out->count; ++i)
    if (strcmp(out->all[i].folder, prefix) == 0) return true;
  const char* folder = tn_arena_copy(&out->arena, tn_view_of(prefix));
  if (!folder || !tn_grow(&out->all, &out->capacity, out->count + 1, sizeof *out->all))
    return no_memory(status);
  tn_environment* made = &out->all[out->count++];
  *made = (tn_environment){.folder = folder, .because = because, .problem = problem};
  if (problem) return true;
  char path[PATH_MAX + 16];
  tn_text settings = {0};
  snprintf(path, sizeof path, "%s/pyvenv.cfg", prefix);
  const bool is_virtual = tn_file_read(path, 1 << 16, &settings, NULL);
  const bool good = is_virtual
                        ? add_virtual(out, made, prefix, tn_text_view(&settings).data, status)
                        : add_prefix(out, made, prefix, release, false, status);
  tn_text_deinit(&settings);
  return good;
}

static bool add_folder(tn_environments* out, const char* folder, const char* because,
                       tn_status* status) {
  char real[PATH_MAX];
  const bool there = realpath(folder, real) && is_folder(real);
  return add_environment(out, there ? real : folder, "3*", because,
                         there ? NULL : "there is no such folder", status);
}

static bool is_elf(const char* path) {
  char head[4] = "";
  FILE* file = fopen(path, "rb");
  const bool read = file && fread(head, 1, sizeof head, file) == sizeof head;
  if (file) fclose(file);
  return read && memcmp(head, "\177ELF", 4) == 0;
}

// The first word of a file, into `out` of PATH_MAX bytes.
static bool read_word(const char* path, char* out) {
  tn_text text = {0};
  bool found = tn_file_read(path, 1 << 16, &text, NULL);
  const char* word = found ? tn_text_view(&text).data : "";
  const size_t size = strcspn(word, " \t\r\n:");
  found = size > 0 && size < PATH_MAX;
  if (found) snprintf(out, PATH_MAX, "%.*s", (int)size, word);
  tn_text_deinit(&text);
  return found;
}

// pyenv's stand-ins take the version that $PYENV_VERSION, the nearest .python-version or the root
// names. True when the file is one and that version is there.
static bool follow_pyenv(const char* interpreter, char prefix[PATH_MAX]) {
  char root[PATH_MAX], folder[PATH_MAX], version[PATH_MAX], path[2 * PATH_MAX + 32];
  snprintf(root, sizeof root, "%s", interpreter);
  go_up(root);
  const char* last = strrchr(root, '/');
  if (!last || strcmp(last, "/shims") != 0) return false;
  go_up(root);
  const char* chosen = getenv("PYENV_VERSION");
  bool found = chosen && *chosen && snprintf(version, sizeof version, "%s", chosen) < PATH_MAX;
  if (found) version[strcspn(version, ":")] = '\0';
  if (!found && getcwd(folder, sizeof folder))
    for (bool top = false; !found && !top; go_up(folder)) {
      top = strcmp(folder, "/") == 0;
      snprintf(path, sizeof path, "%s/.python-version", folder);
      found = read_word(path, version);
    }
  snprintf(path, sizeof path, "%s/version", root);
  if (!found && !read_word(path, version)) return false;
  snprintf(path, sizeof path, "%s/versions/%s", root, version);
  return is_folder(path) && realpath(path, prefix);
}

// A virtual environment's interpreter is a link out of it, so that what counts is first the folder
// the link lies in, and then the one it leads to.
static bool add_interpreter(tn_environments* out, const char* path, const char* because,
                            tn_status* status) {
  char place[PATH_MAX + 16], prefix[PATH_MAX], real[PATH_MAX], release[16];
  snprintf(place, sizeof place, "%s", path);
  go_up(place);
  if (realpath(place, prefix)) {
    go_up(prefix);
    snprintf(place, sizeof place, "%.*s/pyvenv.cfg", PATH_MAX - 1, prefix);
    if (access(place, R_OK) == 0) return add_environment(out, prefix, "3*", because, NULL, status);
  }
  if (follow_pyenv(path, prefix)) return add_folder(out, prefix, because, status);
  if (!realpath(path, real) || !is_elf(real))
    return add_environment(out, path, "3*", because,
                           "it is a script that runs some Python, not one itself; name that one "
                           "with --python",
                           status);
  read_release(real, release);
  go_up(real);
  go_up(real);
  return add_environment(out, real, release, because, NULL, status);
}

static bool add_from_path(tn_environments* out, tn_status* status) {
  char path[PATH_MAX];
  for (const char* at = getenv("PATH"); at && *at;) {
    const size_t length = strcspn(at, ":");
    const bool fits =
        length && snprintf(path, sizeof path, "%.*s/python3", (int)length, at) < PATH_MAX;
    if (fits && access(path, X_OK) == 0 && !is_folder(path))
      return add_interpreter(out, path, "python3 on PATH", status);
    at += length + (at[length] == ':');
  }
  return true;
}

bool tn_environments_find(tn_environments* out, const char* const* pythons, size_t python_count,
                          tn_status* status) {
  static const char* const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
  *out = (tn_environments){.count = 0};
  for (size_t i = 0; i < python_count; ++i) {
    if (access(pythons[i], F_OK) != 0)
      return tn_fail(
          status, TN_NOT_FOUND,
          "there is no Python at '%s': an interpreter or the folder of an environment is "
          "expected",
          pythons[i]);
    if (!(is_folder(pythons[i]) ? add_folder : add_interpreter)(out, pythons[i], "--python",
                                                                status))
      return false;
  }
  if (python_count > 0) return true;
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i) {
    const char* folder = getenv(variables[i]);
    if (folder && *folder && !add_folder(out, folder, variables[i], status)) return false;
  }
  return add_from_path(out, status);
}

void tn_environments_deinit(tn_environments* environments) {
  for (size_t i = 0; i < environments->count; ++i) tn_free(environments->all[i].packages);
  tn_free(environments->all);
  tn_arena_deinit(&environments->arena);
  *environments = (tn_environments){.count = 0};
}
