#include "pjrt/host/notes.h"

#include <stdio.h>

#include "base/memory.h"
#include "pjrt/host/file.h"

// One state of the notes. Older ones are kept as long as the view, since callers may hold them.
struct tn_pjrt_notes {
  struct tn_pjrt_notes* older;
  char text[];
};

static bool has_line(const char* text, const char* fact) {
  const size_t size = strlen(fact);
  for (const char* at = strstr(text, fact); at; at = strstr(at + 1, fact))
    if ((at == text || at[-1] == '\n') && (!at[size] || at[size] == '\n')) return true;
  return false;
}

void tn_pjrt_note(tn_pjrt* plugin, const char* fact) {
  tn_pjrt_lock();
  struct tn_pjrt_notes* older = atomic_load(&plugin->notes);
  const char* text = older ? older->text : "";
  const size_t size = strlen(text) + strlen(fact) + 2;
  struct tn_pjrt_notes* made =
      *fact && !has_line(text, fact) ? tn_alloc(sizeof *made + size) : NULL;
  if (made) {
    made->older = older;
    strcpy(made->text, text);
    if (*text) strcat(made->text, "\n");
    strcat(made->text, fact);
    atomic_store(&plugin->notes, made);
  }
  tn_pjrt_unlock();
}

const char* tn_pjrt_notes(const tn_pjrt* plugin) {
  const struct tn_pjrt_notes* notes = plugin ? atomic_load(&plugin->notes) : NULL;
  return notes ? notes->text : "";
}

// "PJRT_Client_Create, PJRT_Compile and 3 more are NULL in its table".
static void note_absent(tn_pjrt* plugin, tn_pjrt_absence why, const char* words) {
  enum { SHOWN = 6 };
  tn_text text = {0};
  int count = 0;
  for (int i = 0; i < TN_PJRT_ENTRY_COUNT; ++i)
    if (plugin->absent[i] == why && ++count <= SHOWN)
      tn_text_printf(&text, "%s%s", count > 1 ? ", " : "", tn_pjrt_entry_names[i]);
  if (count > SHOWN) tn_text_printf(&text, " and %d more", count - SHOWN);
  tn_text_printf(&text, " %s %s", count == 1 ? "is" : "are", words);
  if (count && !text.failed) tn_pjrt_note(plugin, text.data);
  tn_text_deinit(&text);
}

void tn_pjrt_note_table(tn_pjrt* plugin) {
  char text[160];
  if (plugin->file->notes.size) tn_pjrt_note(plugin, plugin->file->notes.data);
  note_absent(plugin, TN_PJRT_NULL, "NULL in its table");
  note_absent(plugin, TN_PJRT_NO_CODE, "no function in its table: the entry points to no code");
  note_absent(plugin, TN_PJRT_PAST_END, "past the end of its table");
  if (plugin->minor > TN_PJRT_NEWEST) {
    snprintf(
        text, sizeof text,
        "it has PJRT 0.%d, newer than what this host knows (0.%d): what came since is not used",
        plugin->minor, TN_PJRT_NEWEST);
    tn_pjrt_note(plugin, text);
  }
}

void tn_pjrt_notes_drop(tn_pjrt* plugin) {
  for (struct tn_pjrt_notes *at = atomic_load(&plugin->notes), *older; at; at = older) {
    older = at->older;
    tn_free(at);
  }
}
