#include "header.h"

#include <clang-c/Index.h>
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

// One header being read. libclang has no context of its own for visitors.
typedef struct reading {
  tn_abi_model* model;
  CXTranslationUnit unit;
  tn_text macros;  // names of object-like macros, one a line
  const char* version_prefix;
  bool whole, values;
  // For each line of the question that evaluate_macros() asks, whether the compiler stumbled on it.
  bool* stumbled;
  size_t line_count;
} reading;

static const char* text_of(reading* r, CXString string) {
  const char* copy = tn_abi_model_text(r->model, clang_getCString(string));
  clang_disposeString(string);
  return copy;
}

// What a type is without typedefs.
static const char* canonical_of(reading* r, CXType type) {
  CXString text = clang_getTypeSpelling(clang_getCanonicalType(type));
  const char* kept = tn_abi_model_type(r->model, clang_getCString(text));
  clang_disposeString(text);
  return kept;
}

static const char size_suffix[] = "_STRUCT_SIZE";

static bool is_size_constant(const char* name) {
  const size_t length = strlen(name), suffix = sizeof size_suffix - 1;
  return length > suffix && strcmp(name + length - suffix, size_suffix) == 0;
}

static bool is_foreign(CXCursor cursor) {
  const CXSourceLocation location = clang_getCursorLocation(cursor);
  return clang_Location_isInSystemHeader(location) ||
         clang_equalLocations(location, clang_getNullLocation());
}

static const char* where(reading* r, CXCursor cursor) {
  CXFile file;
  unsigned line;
  clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &line, NULL, NULL);
  CXString name = clang_getFileName(file);
  char text[4096];
  snprintf(text, sizeof text, "%s:%u", clang_getCString(name) ? clang_getCString(name) : "", line);
  clang_disposeString(name);
  return tn_abi_model_text(r->model, text);
}

static bool mentions_deprecation(const char* begin, const char* end) {
  for (; end - begin >= 10; ++begin)
    if (strncasecmp(begin, "deprecated", 10) == 0) return true;
  return false;
}

// TN_DEPRECATED of tenon/abi.h leaves this before its text.
static const char mark[] = "deprecated: ";

static enum CXChildVisitResult find_mark(CXCursor cursor, CXCursor parent, CXClientData data) {
  if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr) return CXChildVisit_Continue;
  CXString text = clang_getCursorSpelling(cursor);
  if (strncmp(clang_getCString(text), mark, sizeof mark - 1) == 0) {
    *(CXString*)data = text;
    return CXChildVisit_Break;
  }
  clang_disposeString(text);
  return CXChildVisit_Continue;
}

// Marked by an attribute of either kind, whose text goes to `out_text`, or by a comment before it
// or behind it on its line.
static bool is_deprecated(reading* r, CXCursor cursor, const char** out_text) {
  CXString told = {0};
  if (clang_visitChildren(cursor, find_mark, &told)) {
    *out_text = tn_abi_model_text(r->model, clang_getCString(told) + sizeof mark - 1);
    clang_disposeString(told);
    return true;
  }
  int always = 0;
  clang_getCursorPlatformAvailability(cursor, &always, &told, NULL, NULL, NULL, 0);
  if (always) {
    *out_text = text_of(r, told);
    return true;
  }
  clang_disposeString(told);
  CXString comment = clang_Cursor_getRawCommentText(cursor);
  const char* text = clang_getCString(comment);
  bool found = text && mentions_deprecation(text, text + strlen(text));
  clang_disposeString(comment);
  CXFile file;
  unsigned offset;
  clang_getExpansionLocation(clang_getRangeEnd(clang_getCursorExtent(cursor)), &file, NULL, NULL,
                             &offset);
  size_t size = 0;
  const char* contents = file ? clang_getFileContents(r->unit, file, &size) : NULL;
  if (!contents || offset >= size) return found;
  const char* end = memchr(contents + offset, '\n', size - offset);
  return found || mentions_deprecation(contents + offset, end ? end : contents + size);
}

static const char* kind_of(CXType type) {
  type = clang_getCanonicalType(type);
  switch (type.kind) {
    case CXType_Pointer: {
      const enum CXTypeKind to = clang_getCanonicalType(clang_getPointeeType(type)).kind;
      return to == CXType_FunctionProto || to == CXType_FunctionNoProto ? "function_pointer"
                                                                        : "pointer";
    }
    case CXType_Bool: return "bool";
    case CXType_Enum: return "enum";
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Half:
    case CXType_Float16: return "float";
    case CXType_ConstantArray:
    case CXType_IncompleteArray: return "array";
    case CXType_Record:
      return clang_getCursorKind(clang_getTypeDeclaration(type)) == CXCursor_UnionDecl ? "union"
                                                                                       : "struct";
    case CXType_UChar:
    case CXType_Char_U:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
    case CXType_UInt128: return "unsigned_integer";
    default: return "signed_integer";
  }
}

// A struct while its fields are visited. Members of unnamed unions and structs stand in it at their
// own offsets; those of a field that alone has such a type, behind the field's name and a dot.
typedef struct owner {
  reading* reading;
  tn_abi_struct* made;
  int64_t base;  // bits
  bool in_union;
  const char* prefix;
} owner;

static const char* prefixed(owner* o, const char* name) {
  char text[256];
  if (!*o->prefix) return name;
  snprintf(text, sizeof text, "%s.%s", o->prefix, name);
  return tn_abi_model_text(o->reading->model, text);
}

static enum CXVisitorResult visit_field(CXCursor cursor, CXClientData data) {
  owner* o = data;
  reading* r = o->reading;
  const CXType type = clang_getCursorType(cursor);
  const int64_t offset = o->base + clang_Cursor_getOffsetOfField(cursor);
  CXString name = clang_getCursorSpelling(cursor);
  const CXCursor record = clang_getTypeDeclaration(type);
  const bool nameless =
      clang_getCursorKind(record) != CXCursor_EnumDecl && clang_Cursor_isAnonymous(record);
  const bool unnamed = clang_Cursor_isAnonymousRecordDecl(record) &&
                       (!clang_getCString(name) || !*clang_getCString(name));
  tn_abi_field* field = tn_abi_model_add_field(
      r->model, o->made, unnamed ? "<anon>" : prefixed(o, clang_getCString(name)));
  clang_disposeString(name);
  if (!field) return CXVisit_Break;
  field->offset = offset / 8;
  const int64_t size = clang_Type_getSizeOf(type);
  field->size = size > 0 ? size : 0;  // an array without an end has none
  if (clang_Cursor_isBitField(cursor)) {
    field->bit = offset % 8;
    field->bits = clang_getFieldDeclBitWidth(cursor);
  }
  field->kind = kind_of(type);
  field->type = unnamed ? "" : nameless ? field->kind : text_of(r, clang_getTypeSpelling(type));
  field->canonical = unnamed ? "" : nameless ? field->kind : canonical_of(r, type);
  field->in_union = o->in_union;
  field->deprecated = is_deprecated(r, cursor, &field->deprecation);
  field->where = where(r, cursor);
  const int64_t end = field->bits ? (offset + field->bits + 7) / 8 : field->offset + field->size;
  if (end > o->made->end) o->made->end = end;
  if (unnamed) {
    owner inner = {r, o->made, offset, strcmp(field->kind, "union") == 0, o->prefix};
    clang_Type_visitFields(type, visit_field, &inner);
  } else if (nameless) {
    owner inner = {r, o->made, offset, true, field->name};
    clang_Type_visitFields(type, visit_field, &inner);
  }
  return CXVisit_Continue;
}

static void add_struct(reading* r, CXCursor cursor, const char* name) {
  const bool known = tn_abi_model_struct(r->model, name) != NULL;
  tn_abi_struct* made = tn_abi_model_add_struct(r->model, name);
  if (!made || made->field_count) return;
  const CXCursor definition = clang_getCursorDefinition(cursor);
  const CXType type = clang_getCursorType(cursor);
  made->opaque = clang_Cursor_isNull(definition);
  if (!known || !made->opaque) made->where = where(r, made->opaque ? cursor : definition);
  if (made->opaque) return;
  made->is_union = clang_getCursorKind(cursor) == CXCursor_UnionDecl;
  made->size = clang_Type_getSizeOf(type);
  made->alignment = clang_Type_getAlignOf(type);
  clang_Type_visitFields(type, visit_field, &(owner){r, made, 0, made->is_union, ""});
}

static enum CXChildVisitResult visit_constant(CXCursor cursor, CXCursor parent, CXClientData data) {
  reading* r = data;
  if (clang_getCursorKind(cursor) != CXCursor_EnumConstantDecl) return CXChildVisit_Continue;
  const char* name = text_of(r, clang_getCursorSpelling(cursor));
  if (is_size_constant(name)) {  // a fact about a struct, which may not have been met yet
    tn_text_printf(&r->macros, "%s\n", name);
    return CXChildVisit_Continue;
  }
  const char* enumeration =
      clang_Cursor_isAnonymous(parent) ? "" : text_of(r, clang_getCursorSpelling(parent));
  // An enum that only a typedef names.
  if (!*enumeration) enumeration = text_of(r, clang_getTypeSpelling(clang_getCursorType(parent)));
  if (strchr(enumeration, '(')) enumeration = "";
  tn_abi_constant* made = tn_abi_model_add_constant(r->model, enumeration, name,
                                                    clang_getEnumConstantDeclValue(cursor));
  if (!made) return CXChildVisit_Break;
  made->size = clang_Type_getSizeOf(clang_getCursorType(parent));
  made->where = where(r, cursor);
  return CXChildVisit_Continue;
}

static void add_function(reading* r, CXCursor cursor) {
  const bool inlined = clang_Cursor_getStorageClass(cursor) == CX_SC_Static ||
                       clang_Cursor_isFunctionInlined(cursor);
  if (inlined && !r->whole) return;
  const char* name = text_of(r, clang_getCursorSpelling(cursor));
  if (tn_abi_model_function(r->model, name)) return;
  tn_abi_function* function = tn_abi_model_add_function(r->model, name);
  if (!function) return;
  const CXType type = clang_getCursorType(cursor);
  function->type =
      text_of(r, clang_getTypeSpelling(r->whole ? clang_getCanonicalType(type) : type));
  function->canonical = canonical_of(r, type);
  function->where = where(r, cursor);
  function->inlined = inlined;
  function->mangled = r->whole && strcmp(text_of(r, clang_Cursor_getMangling(cursor)), name) != 0;
  function->deprecated = is_deprecated(r, cursor, &function->deprecation);
}

static void add_variable(reading* r, CXCursor cursor) {
  if (!r->values || clang_Cursor_getStorageClass(cursor) == CX_SC_Static ||
      clang_getCursorLinkage(cursor) != CXLinkage_External)
    return;
  const char* name = text_of(r, clang_getCursorSpelling(cursor));
  if (tn_abi_model_function(r->model, name)) return;
  tn_abi_function* variable = tn_abi_model_add_function(r->model, name);
  if (!variable) return;
  variable->variable = true;
  variable->type = text_of(r, clang_getTypeSpelling(clang_getCursorType(cursor)));
  variable->canonical = canonical_of(r, clang_getCursorType(cursor));
  variable->where = where(r, cursor);
  variable->deprecated = is_deprecated(r, cursor, &variable->deprecation);
}

// Functions of a C++ class, which are not read.
static enum CXChildVisitResult find_method(CXCursor cursor, CXCursor parent, CXClientData data) {
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
    case CXCursor_FunctionTemplate: return CXChildVisit_Break;
    default: return CXChildVisit_Continue;
  }
}

// Whether a struct has a name of its own; libclang makes one up with brackets for those without.
static bool is_named(reading* r, CXCursor cursor) {
  const char* name = text_of(r, clang_getCursorSpelling(cursor));
  return *name && !strchr(name, '(');
}

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent,
                                                 CXClientData data) {
  reading* r = data;
  if (is_foreign(cursor)) return CXChildVisit_Continue;
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_LinkageSpec:
    case CXCursor_UnexposedDecl:  // extern "C" in older libclangs
    case CXCursor_Namespace: return CXChildVisit_Recurse;
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
    case CXCursor_ClassDecl: {
      if (!r->model->unjudged && clang_visitChildren(cursor, find_method, NULL))
        r->model->unjudged = text_of(r, clang_getCursorSpelling(cursor));
      if (is_named(r, cursor)) add_struct(r, cursor, text_of(r, clang_getCursorSpelling(cursor)));
      break;
    }
    case CXCursor_TypedefDecl: {
      const CXCursor named = clang_getTypeDeclaration(clang_getTypedefDeclUnderlyingType(cursor));
      const enum CXCursorKind kind = clang_getCursorKind(named);
      if ((kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl) && !is_named(r, named))
        add_struct(r, named, text_of(r, clang_getCursorSpelling(cursor)));
      break;
    }
    case CXCursor_EnumDecl: clang_visitChildren(cursor, visit_constant, r); break;
    case CXCursor_FunctionDecl: add_function(r, cursor); break;
    case CXCursor_VarDecl: add_variable(r, cursor); break;
    case CXCursor_MacroDefinition:
      if (!clang_Cursor_isMacroFunctionLike(cursor) && !clang_Cursor_isMacroBuiltin(cursor)) {
        CXString name = clang_getCursorSpelling(cursor);
        tn_text_printf(&r->macros, "%s\n", clang_getCString(name));
        clang_disposeString(name);
      }
      break;
    default: break;
  }
  return CXChildVisit_Continue;
}

// "SP_PLATFORM" and "SP_Platform" are one name.
static bool same_name(const char* a, size_t a_length, const char* b) {
  const char* end = a + a_length;
  for (;;) {
    while (a < end && *a == '_') ++a;
    while (*b == '_') ++b;
    if (a == end || !*b) return a == end && !*b;
    if (tolower((unsigned char)*a++) != tolower((unsigned char)*b++)) return false;
  }
}

bool header_names_size_of(const char* macro, const char* struct_name) {
  return is_size_constant(macro) &&
         same_name(macro, strlen(macro) - (sizeof size_suffix - 1), struct_name);
}

// Versions in macros move by themselves; the number that is judged is read by use_constant().
static bool tells_version(const char* macro) {
  const char* last = strrchr(macro, '_');
  return strstr(macro, "VERSION") ||
         (last && (strcmp(last, "_MAJOR") == 0 || strcmp(last, "_MINOR") == 0 ||
                   strcmp(last, "_PATCH") == 0));
}

// A constant of the header, by enum or macro: a struct's size, or a part of the number.
static void use_constant(reading* r, const char* name, int64_t value) {
  if (is_size_constant(name)) {
    const size_t length = strlen(name) - (sizeof size_suffix - 1);
    for (size_t i = 0; i < r->model->struct_count; ++i)
      if (same_name(name, length, r->model->structs[i]->name))
        r->model->structs[i]->size_constant = value;
    return;
  }
  const char* last = strrchr(name, '_');
  int64_t* part = !last                         ? NULL
                  : strcmp(last, "_MAJOR") == 0 ? &r->model->major
                  : strcmp(last, "_MINOR") == 0 ? &r->model->minor
                  : strcmp(last, "_PATCH") == 0 ? &r->model->patch
                                                : NULL;
  if (!part) return;
  // All parts belong to one prefix: the one asked for, or the first met.
  const size_t prefix = (size_t)(last - name);
  if (!*r->version_prefix) {
    char text[128];
    snprintf(text, sizeof text, "%.*s", (int)prefix, name);
    r->version_prefix = tn_abi_model_text(r->model, text);
  }
  if (strlen(r->version_prefix) == prefix && strncmp(name, r->version_prefix, prefix) == 0)
    *part = value;
}

static size_t line_of(CXSourceLocation location) {
  unsigned line = 0;
  clang_getExpansionLocation(location, NULL, &line, NULL, NULL);
  return line;
}

// A macro that is no number still makes a constant, of any value, beside the compiler's complaint.
static void find_stumbles(reading* r, CXTranslationUnit unit) {
  for (unsigned i = 0; r->stumbled && i < clang_getNumDiagnostics(unit); ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    const size_t line = line_of(clang_getDiagnosticLocation(diagnostic));
    if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && line < r->line_count)
      r->stumbled[line] = true;
    clang_disposeDiagnostic(diagnostic);
  }
}

// Whether a macro is a value of the interface: a number under a name that is not the compiler's.
static bool is_value(const reading* r, CXCursor cursor, const char* macro) {
  const size_t line = line_of(clang_getCursorLocation(cursor));
  return strncmp(macro, "__", 2) != 0 && !is_size_constant(macro) && !tells_version(macro) &&
         line < r->line_count && !r->stumbled[line];
}

static enum CXChildVisitResult visit_evaluated(CXCursor cursor, CXCursor parent,
                                               CXClientData data) {
  if (clang_getCursorKind(cursor) == CXCursor_EnumDecl) return CXChildVisit_Recurse;
  if (clang_getCursorKind(cursor) != CXCursor_EnumConstantDecl) return CXChildVisit_Continue;
  CXString name = clang_getCursorSpelling(cursor);
  const char* text = clang_getCString(name);
  if (strncmp(text, "tn_value_of_", 12) == 0 && !clang_isInvalidDeclaration(cursor) &&
      !clang_isInvalidDeclaration(parent)) {
    reading* r = data;
    const int64_t value = clang_getEnumConstantDeclValue(cursor);
    use_constant(r, text + 12, value);
    if (r->whole || (r->values && is_value(r, cursor, text + 12)))
      tn_abi_model_add_constant(r->model, TN_ABI_MACROS, text + 12, value);
  }
  clang_disposeString(name);
  return CXChildVisit_Continue;
}

// What the compiler says, of what stops it.
static bool has_errors(CXTranslationUnit unit, tn_text* out) {
  bool found = false;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
      CXString text = clang_formatDiagnostic(diagnostic, clang_defaultDiagnosticDisplayOptions());
      if (out) tn_text_printf(out, "%s%s", found ? "\n" : "", clang_getCString(text));
      clang_disposeString(text);
      found = true;
    }
    clang_disposeDiagnostic(diagnostic);
  }
  return found;
}

// Parses `path`, with `text` for its contents when that is not NULL.
// What the compiler says of itself when it fails inside is no message for a user; ours follows.
static int silence_errors(void) {
  fflush(stderr);
  const int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), nothing = open("/dev/null", O_WRONLY);
  if (nothing >= 0 && kept >= 0) dup2(nothing, STDERR_FILENO);
  if (nothing >= 0) close(nothing);
  return kept;
}

static void restore_errors(int kept) {
  if (kept < 0) return;
  dup2(kept, STDERR_FILENO);
  close(kept);
}

static CXTranslationUnit parse(CXIndex index, const char* path, const tn_text* text,
                               const header_options* options, bool cpp) {
  const char* fixed[] = {"-x", cpp ? "c++" : "c", cpp ? "-std=c++17" : "-std=c11",
                         "-fparse-all-comments", "-ferror-limit=0"};
  enum { FIXED = sizeof fixed / sizeof fixed[0] };
  const char** flags = tn_alloc((size_t)(FIXED + options->flag_count) * sizeof *flags);
  if (!flags) return NULL;
  memcpy(flags, fixed, sizeof fixed);
  memcpy(flags + FIXED, options->flags, (size_t)options->flag_count * sizeof *flags);
  struct CXUnsavedFile file = {path, text ? text->data : NULL, text ? text->size : 0};
  const int errors = silence_errors();
  CXTranslationUnit unit = clang_parseTranslationUnit(
      index, path, flags, FIXED + options->flag_count, &file, text ? 1 : 0,
      CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_SkipFunctionBodies |
          CXTranslationUnit_KeepGoing);
  restore_errors(errors);
  tn_free(flags);
  return unit;
}

// Asks the compiler for the values of all macros by a second reading, in which each is the value of
// an enum constant; those that have none fail there by themselves.
static void evaluate_macros(reading* r, CXIndex index, const char* path,
                            const header_options* options, bool cpp) {
  tn_text text = {0};
  const char* base = strrchr(path, '/');
  tn_text_printf(&text, "#include \"%s\"\n", base ? base + 1 : path);
  for (const char* name = r->macros.data; name && *name;) {
    const int length = (int)strcspn(name, "\n");
    tn_text_printf(&text, "enum { tn_value_of_%.*s = (%.*s) };\n", length, name, length, name);
    name += length + 1;
    ++r->line_count;
  }
  r->line_count += 2;  // lines are counted from 1, and the first includes the header
  r->stumbled = tn_alloc_zeroed(r->line_count, sizeof *r->stumbled);
  if (!r->stumbled) r->line_count = 0;
  if (!r->stumbled) r->model->failed = true;
  char question[4096];
  snprintf(question, sizeof question, "%.*s/.tenon-abi-macros.h", base ? (int)(base - path) : 1,
           base ? path : ".");
  CXTranslationUnit unit = text.failed ? NULL : parse(index, question, &text, options, cpp);
  if (unit) {
    find_stumbles(r, unit);
    clang_visitChildren(clang_getTranslationUnitCursor(unit), visit_evaluated, r);
    clang_disposeTranslationUnit(unit);
  } else {
    r->model->failed = true;
  }
  tn_free(r->stumbled);
  tn_text_deinit(&text);
}

static void read_unit(reading* r, CXIndex index, const char* path, const header_options* options,
                      bool cpp) {
  r->model->tells_macros = r->values;
  r->model->major = r->model->minor = r->model->patch = -1;
  clang_visitChildren(clang_getTranslationUnitCursor(r->unit), visit_declaration, r);
  for (size_t i = 0; i < r->model->constant_count; ++i)
    use_constant(r, r->model->constants[i].name, r->model->constants[i].value);
  evaluate_macros(r, index, path, options, cpp);
}

// A line that only C++ has. Such a header drags in half of a library before the compiler stumbles.
static bool looks_like_cpp(const char* path) {
  static const char* const marks[] = {"\nnamespace ", "\nclass ",         "\ntemplate",
                                      "std::",        "#include \"absl/", "#include <string>"};
  tn_text text = {0};
  bool found = !tn_file_read(path, 16 << 20, &text, NULL);
  for (size_t i = 0; !found && text.data && i < sizeof marks / sizeof marks[0]; ++i)
    found = strstr(text.data, marks[i]) != NULL;
  tn_text_deinit(&text);
  return found;
}

bool header_is_c(const char* path, const header_options* options) {
  if (looks_like_cpp(path)) return false;
  CXIndex index = clang_createIndex(0, 0);
  CXTranslationUnit unit = parse(index, path, NULL, options, false);
  const bool good = unit && !has_errors(unit, NULL);
  if (unit) clang_disposeTranslationUnit(unit);
  clang_disposeIndex(index);
  return good;
}

bool read_header(const char* path, const header_options* options, tn_abi_model* out,
                 tn_status* status) {
  CXIndex index = clang_createIndex(0, 0);
  tn_text errors = {0};
  reading r = {.model = out,
               .version_prefix = options->version_prefix,
               .whole = options->whole,
               .values = options->values};
  bool cpp = false;
  r.unit = parse(index, path, NULL, options, cpp);
  if (r.unit && has_errors(r.unit, &errors)) {
    clang_disposeTranslationUnit(r.unit);
    cpp = true;
    r.unit = parse(index, path, NULL, options, cpp);
  }
  bool good = false;
  if (!r.unit) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s: the compiler cannot read this file", path);
  } else if (has_errors(r.unit, NULL)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s does not compile:\n%s", path,
                  errors.data ? errors.data : "");
  } else {
    read_unit(&r, index, path, options, cpp);
    good = !out->failed && !r.macros.failed;
    if (!good) tn_status_set_no_memory(status, "reading a header");
  }
  if (r.unit) clang_disposeTranslationUnit(r.unit);
  clang_disposeIndex(index);
  tn_text_deinit(&r.macros);
  tn_text_deinit(&errors);
  if (!good) tn_abi_model_deinit(out);
  return good;
}
