#include "elf/origin_marks.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NOTES = 1 << 16 };

static void read_notes(Elf_Data* data, tn_elf_marks* out) {
  size_t at = 0, name, description;
  GElf_Nhdr note;
  while (data->d_size <= MOST_NOTES &&
         (at = gelf_getnote(data, at, &note, &name, &description)) > 0) {
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
        memcmp((const char*)data->d_buf + name, "GNU", 4) != 0)
      continue;
    const unsigned char* bytes = (const unsigned char*)data->d_buf + description;
    for (size_t i = 0; i < note.n_descsz && 2 * i + 3 <= TN_BUILD_ID_TEXT; ++i)
      snprintf(out->build_id + 2 * i, 3, "%02x", bytes[i]);
  }
}

// The last compiler named is the one that made the bulk; crt files come first.
static void read_comment(Elf_Data* data, tn_elf_marks* out) {
  const char* text = data->d_buf;
  for (size_t at = 0; at < data->d_size;) {
    const size_t length = strnlen(text + at, data->d_size - at);
    if (length && at + length < data->d_size)
      snprintf(out->compiler, sizeof out->compiler, "%.*s", (int)(length < 150 ? length : 150),
               text + at);
    at += length + 1;
  }
}

static void read_sections(Elf* elf, tn_elf_marks* out) {
  size_t names;
  if (elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn* section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (!name) continue;
    if (strcmp(name, ".debug_info") == 0) out->has_debug_information = true;
    const bool comment = strcmp(name, ".comment") == 0 && header.sh_size <= MOST_NOTES;
    if (header.sh_type != SHT_NOTE && !comment) continue;
    Elf_Data* data = header.sh_size <= MOST_NOTES ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf) continue;
    comment ? read_comment(data, out) : read_notes(data, out);
  }
}

bool tn_elf_read_marks(const char* path, tn_elf_marks* out, tn_status* status) {
  *out = (tn_elf_marks){.has_debug_information = false};
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    tn_status_set(status, TN_NOT_FOUND, "cannot open '%s': %s", path, strerror(errno));
    return false;
  }
  elf_version(EV_CURRENT);
  Elf* elf = elf_begin(file, ELF_C_READ, NULL);
  if (elf) read_sections(elf, out);
  elf_end(elf);
  close(file);
  return true;
}
