#include "elf/dynamic.h"

#include <elf.h>
#include <libelf.h>
#include <string.h>

#include "base/memory.h"

// The tags we follow; `has` tells 0 from absent.
typedef struct dynamic_tags {
  uint64_t value[DT_NUM];
  bool has[DT_NUM];
  uint64_t gnu_hash, versym, verneed, verneed_count, verdef, verdef_count, flags_1, relative_count;
} dynamic_tags;

enum {
  // Far above what any linker writes; the real tables have a few hundred entries.
  most_version_bytes = 1 << 20,
  most_version_index = 0x7fff,
};

// Version nodes of other libraries by index, as the symbols cite them: NULL where there is none.
typedef const tn_elf_version_need* version_table[most_version_index + 1];

// The bytes of the file that are loaded at `address`, at most `most` and at least `least` of them.
// NULL, with the status, when fewer are there.
static Elf_Data* read_loaded(tn_look* look, uint64_t address, uint64_t least, uint64_t most,
                             Elf_Type type, const char* what) {
  for (size_t i = 0; i < look->segment_count; ++i) {
    const GElf_Phdr* segment = &look->segments[i];
    if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
        address - segment->p_vaddr >= segment->p_filesz)
      continue;
    uint64_t into = address - segment->p_vaddr, left = segment->p_filesz - into;
    if (left < least) break;
    size_t size = (size_t)(left < most ? left : most);
    Elf_Data* data =
        elf_getdata_rawchunk(look->handle, (int64_t)(segment->p_offset + into), size, type);
    if (data && data->d_buf && data->d_size >= least) return data;
    break;
  }
  tn_elf_damaged(look, what);
  return NULL;
}

static const char* string_at(const tn_look* look, uint64_t offset) {
  return offset < look->string_size ? look->strings + offset : NULL;
}

static bool read_strings(tn_look* look, const dynamic_tags* tags) {
  uint64_t size = tags->value[DT_STRSZ];
  look->strings = "";
  if (!tags->has[DT_STRTAB] || size == 0) return true;
  Elf_Data* data = read_loaded(look, tags->value[DT_STRTAB], size, size, ELF_T_BYTE,
                               "its names lie outside the file");
  if (!data) return false;
  look->strings =
      tn_arena_copy(&look->elf->arena, (tn_view){(const char*)data->d_buf, data->d_size});
  if (!look->strings) return tn_elf_no_memory(look);
  look->string_size = data->d_size;
  return true;
}

static void read_tags(Elf_Data* data, size_t count, dynamic_tags* tags) {
  GElf_Dyn entry;
  for (size_t i = 0; i < count && gelf_getdyn(data, (int)i, &entry); ++i) {
    uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
      case DT_NULL: return;
      case DT_GNU_HASH: tags->gnu_hash = value; break;
      case DT_VERSYM: tags->versym = value; break;
      case DT_VERNEED: tags->verneed = value; break;
      case DT_VERNEEDNUM: tags->verneed_count = value; break;
      case DT_VERDEF: tags->verdef = value; break;
      case DT_VERDEFNUM: tags->verdef_count = value; break;
      case DT_FLAGS_1: tags->flags_1 = value; break;
      case DT_RELACOUNT:
      case DT_RELCOUNT: tags->relative_count = value; break;
      default:
        if (entry.d_tag < 0 || entry.d_tag >= DT_NUM) break;
        tags->value[entry.d_tag] = value;
        tags->has[entry.d_tag] = true;
    }
  }
}

static bool read_needed(tn_look* look, Elf_Data* data, size_t count) {
  tn_elf* elf = look->elf;
  elf->needed = tn_arena_alloc(&elf->arena, count * sizeof *elf->needed);
  if (!elf->needed) return tn_elf_no_memory(look);
  GElf_Dyn entry;
  for (size_t i = 0; i < count && gelf_getdyn(data, (int)i, &entry); ++i) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag != DT_NEEDED) continue;
    const char* name = string_at(look, entry.d_un.d_val);
    if (!name) return tn_elf_damaged(look, "the name of a library it needs lies outside the file");
    elf->needed[elf->needed_count++] = name;
  }
  return true;
}

// How many symbols the table holds: no tag says so. The section header does when it is there and
// speaks of the same table; else the old hash table does; else whichever table stands behind the
// symbols ends them (the GNU hash table leaves out the undefined ones when there are no others).
static bool count_symbols(tn_look* look, const dynamic_tags* tags, size_t entry_size,
                          uint64_t* out_count) {
  uint64_t table = tags->value[DT_SYMTAB];
  *out_count = 0;
  for (Elf_Scn* section = NULL; (section = elf_nextscn(look->handle, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM && header.sh_addr == table) {
      *out_count = header.sh_size / entry_size;
      return true;
    }
  }
  if (tags->has[DT_HASH]) {
    Elf_Data* data = read_loaded(look, tags->value[DT_HASH], 8, 8, ELF_T_WORD,
                                 "its symbol hash table lies outside the file");
    if (!data) return false;
    *out_count = ((const uint32_t*)data->d_buf)[1];
    return true;
  }
  if (tags->value[DT_STRTAB] > table) *out_count = (tags->value[DT_STRTAB] - table) / entry_size;
  return true;
}

static bool read_version_needs(tn_look* look, const dynamic_tags* tags, version_table table) {
  tn_elf* elf = look->elf;
  Elf_Data* data = read_loaded(look, tags->verneed, sizeof(Elf64_Verneed), most_version_bytes,
                               ELF_T_VNEED, "its version needs lie outside the file");
  if (!data) return false;
  size_t capacity = data->d_size / sizeof(Elf64_Vernaux), at = 0;
  elf->version_needs = tn_arena_alloc(&elf->arena, capacity * sizeof *elf->version_needs);
  if (!elf->version_needs) return tn_elf_no_memory(look);
  for (uint64_t i = 0; i < tags->verneed_count; ++i) {
    GElf_Verneed need;
    if (at > most_version_bytes || !gelf_getverneed(data, (int)at, &need))
      return tn_elf_damaged(look, "its version needs run past their table");
    const char* library = string_at(look, need.vn_file);
    size_t aux_at = at + need.vn_aux;
    for (size_t k = 0; k < need.vn_cnt; ++k) {
      GElf_Vernaux aux;
      if (aux_at > most_version_bytes || elf->version_need_count == capacity ||
          !gelf_getvernaux(data, (int)aux_at, &aux))
        return tn_elf_damaged(look, "its version needs run past their table");
      const char* name = string_at(look, aux.vna_name);
      if (!name || !library) return tn_elf_damaged(look, "a version need has no name");
      tn_elf_version_need* version = &elf->version_needs[elf->version_need_count++];
      *version = (tn_elf_version_need){library, name, aux.vna_flags & VER_FLG_WEAK};
      table[aux.vna_other & most_version_index] = version;
      aux_at += aux.vna_next;
      if (aux.vna_next == 0) break;
    }
    if (need.vn_next == 0) break;
    at += need.vn_next;
  }
  return true;
}

static bool read_version_definitions(tn_look* look, const dynamic_tags* tags) {
  tn_elf* elf = look->elf;
  Elf_Data* data = read_loaded(look, tags->verdef, sizeof(Elf64_Verdef), most_version_bytes,
                               ELF_T_VDEF, "its version definitions lie outside the file");
  if (!data) return false;
  size_t capacity = data->d_size / sizeof(Elf64_Verdef), at = 0;
  elf->versions = tn_arena_alloc(&elf->arena, capacity * sizeof *elf->versions);
  if (!elf->versions) return tn_elf_no_memory(look);
  for (uint64_t i = 0; i < tags->verdef_count; ++i) {
    GElf_Verdef definition;
    GElf_Verdaux aux;
    if (at > most_version_bytes || elf->version_count == capacity ||
        !gelf_getverdef(data, (int)at, &definition) || definition.vd_aux > most_version_bytes ||
        !gelf_getverdaux(data, (int)(at + definition.vd_aux), &aux))
      return tn_elf_damaged(look, "its version definitions run past their table");
    const char* name = string_at(look, aux.vda_name);
    if (!name) return tn_elf_damaged(look, "a version definition has no name");
    if (!(definition.vd_flags & VER_FLG_BASE)) elf->versions[elf->version_count++] = name;
    if (definition.vd_next == 0) break;
    at += definition.vd_next;
  }
  return true;
}

static bool is_symbol_for_others(const GElf_Sym* symbol) {
  int bind = GELF_ST_BIND(symbol->st_info), type = GELF_ST_TYPE(symbol->st_info);
  int visibility = GELF_ST_VISIBILITY(symbol->st_other);
  return (bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE) &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED) && type != STT_SECTION &&
         type != STT_FILE;
}

// Sorts the symbols into what the file wants and what it offers.
static bool sort_symbols(tn_look* look, Elf_Data* table, Elf_Data* indices, size_t count,
                         const version_table versions) {
  tn_elf* elf = look->elf;
  GElf_Sym symbol;
  size_t undefined = 0;
  for (size_t i = 1; i < count && gelf_getsym(table, (int)i, &symbol); ++i)
    undefined += symbol.st_shndx == SHN_UNDEF;
  elf->imports = tn_arena_alloc(&elf->arena, undefined * sizeof *elf->imports);
  elf->exports = tn_arena_alloc(&elf->arena, (count - undefined) * sizeof *elf->exports);
  if (!elf->imports || !elf->exports) return tn_elf_no_memory(look);
  for (size_t i = 1; i < count && gelf_getsym(table, (int)i, &symbol); ++i) {
    GElf_Versym index = VER_NDX_GLOBAL;
    if (indices) gelf_getversym(indices, (int)i, &index);
    index &= most_version_index;
    const char* name = string_at(look, symbol.st_name);
    if (!name) return tn_elf_damaged(look, "the name of a symbol lies outside the file");
    if (!*name || !is_symbol_for_others(&symbol)) continue;
    if (symbol.st_shndx == SHN_UNDEF) {
      const tn_elf_version_need* need = versions[index];
      elf->imports[elf->import_count++] =
          (tn_elf_import){name, need ? need->version : NULL, need ? need->library : NULL,
                          GELF_ST_BIND(symbol.st_info) == STB_WEAK};
    } else if (index != VER_NDX_LOCAL) {
      elf->exports[elf->export_count++] = name;
      elf->unique_exports += GELF_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE;
    }
  }
  return true;
}

static bool read_symbols(tn_look* look, const dynamic_tags* tags, version_table versions) {
  tn_elf* elf = look->elf;
  if (tags->verneed && !read_version_needs(look, tags, versions)) return false;
  if (tags->verdef && !read_version_definitions(look, tags)) return false;
  if (!tags->has[DT_SYMTAB]) return true;
  size_t entry_size = elf->bits == 32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
  uint64_t count = 0;
  if (!count_symbols(look, tags, entry_size, &count)) return false;
  if (count <= 1) return true;  // symbol 0 is none
  if (count > elf->file_size / entry_size)
    return tn_elf_damaged(look, "it claims more symbols than it has bytes");
  Elf_Data* table = read_loaded(look, tags->value[DT_SYMTAB], count * entry_size,
                                count * entry_size, ELF_T_SYM, "its symbols lie outside the file");
  if (!table) return false;
  Elf_Data* indices = NULL;
  if (tags->versym) {
    indices = read_loaded(look, tags->versym, count * 2, count * 2, ELF_T_HALF,
                          "its symbol versions lie outside the file");
    if (!indices) return false;
  }
  return sort_symbols(look, table, indices, count, versions);
}

bool tn_elf_read_dynamic(tn_look* look) {
  const GElf_Phdr* dynamic = NULL;
  for (size_t i = 0; i < look->segment_count; ++i)
    if (look->segments[i].p_type == PT_DYNAMIC) dynamic = &look->segments[i];
  if (!dynamic) return true;
  tn_elf* elf = look->elf;
  size_t entry_size = elf->bits == 32 ? sizeof(Elf32_Dyn) : sizeof(Elf64_Dyn);
  Elf_Data* data = read_loaded(look, dynamic->p_vaddr, entry_size, dynamic->p_filesz, ELF_T_DYN,
                               "its dynamic section lies outside the file");
  if (!data) return false;
  size_t count = data->d_size / entry_size;
  dynamic_tags tags = {0};
  read_tags(data, count, &tags);
  elf->is_program = tags.flags_1 & DF_1_PIE;
  elf->text_relocations = tags.has[DT_TEXTREL] || tags.value[DT_FLAGS] & DF_TEXTREL;
  elf->constructors = tags.value[DT_INIT_ARRAYSZ] / (uint64_t)(elf->bits / 8);
  elf->relative_relocations = tags.relative_count;
  if (!read_strings(look, &tags) || !read_needed(look, data, count)) return false;
  if (tags.has[DT_SONAME]) elf->soname = string_at(look, tags.value[DT_SONAME]);
  if (tags.has[DT_RPATH]) elf->rpath = string_at(look, tags.value[DT_RPATH]);
  if (tags.has[DT_RUNPATH]) elf->runpath = string_at(look, tags.value[DT_RUNPATH]);
  const tn_elf_version_need** versions = tn_alloc_zeroed(1, sizeof(version_table));
  bool fine = versions ? read_symbols(look, &tags, versions) : tn_elf_no_memory(look);
  tn_free(versions);
  return fine;
}
