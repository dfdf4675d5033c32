// The child's side of first contact (plugin/first_contact.h).
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "base/text.h"
#include "host/load_facts.h"
#include "host/plugin.h"
#include "plugin/first_contact.h"

static void send(int fd, tn_contact_head head, const char* bytes) {
  const char* parts[] = {(const char*)&head, bytes};
  size_t sizes[] = {sizeof head, head.size};
  for (int i = 0; i < 2; ++i)
    while (sizes[i] > 0) {
      ssize_t done = write(fd, parts[i], sizes[i]);
      if (done <= 0) _exit(1);
      parts[i] += done;
      sizes[i] -= (size_t)done;
    }
}

static void send_stage(const char* name, void* arg) {
  send(*(int*)arg, (tn_contact_head){TN_CONTACT_STAGE, (uint32_t)strlen(name), 0, 0}, name);
}

static void send_fact(const char* key, const char* value, void* arg) {
  tn_text text = {0};
  tn_text_append(&text, key, strlen(key) + 1);
  tn_text_append(&text, value, strlen(value) + 1);
  if (!text.failed)
    send(*(int*)arg, (tn_contact_head){TN_CONTACT_FACT, (uint32_t)text.size, 0, 0}, text.data);
  tn_text_deinit(&text);
}

void tn_probe_main(int argc, char** argv, tn_probe_pjrt* pjrt) {
  int fd = tn_child_keep_fd(TN_CONTACT_FD);
  if (argc != 6 || fd < 0) {
    static const char words[] = "tenon-probe: started by libtenon only\n";
    if (write(2, words, sizeof words - 1) < 0) _exit(3);
    _exit(2);
  }
  tn_child_settle();
  tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE,
                             .entry_points = (uint32_t)strtoul(argv[1], NULL, 10),
                             .allow_missing_weak = strcmp(argv[2], "weak-is-fine") == 0};
  tn_status status = {0};
  if (strcmp(argv[4], "facts") == 0) {
    tn_load_facts(argv[3], *argv[5] ? argv[5] : NULL, &(tn_fact_sink){send_stage, send_fact, &fd},
                  &status);
  } else if (options.entry_points == TN_ENTRY_PJRT) {
    pjrt(argv[3], send_stage, &fd, &status);
  } else {
    tn_plugin_load_staged(argv[3], &options, send_stage, &fd, &status);
  }
  enum { most_sent = 1 << 14 };
  const char* message = tn_status_message(&status);
  if (tn_ok(&status))
    send(fd, (tn_contact_head){TN_CONTACT_DONE, 0, 0, 0}, "");
  else
    send(fd,
         (tn_contact_head){TN_CONTACT_FAILED, (uint32_t)strnlen(message, most_sent), status.code,
                           status.fault},
         message);
  // Not exit: destructors of several published plugins crash.
  _exit(0);
}
