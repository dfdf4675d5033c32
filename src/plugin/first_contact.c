#include "plugin/first_contact.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "plugin/child.h"

// What the child's messages and its end tell.
typedef struct meeting {
  const tn_contact* contact;
  tn_child child;
  tn_text received;
  char stage[64];
  bool done;
} meeting;

// Goes through the messages: the last stage, and the failure if there is one.
static void read_messages(meeting* meeting, tn_status* status) {
  const char* at = meeting->received.data;
  size_t left = meeting->received.size;
  tn_contact_head head;
  while (left >= sizeof head) {
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    left -= sizeof head;
    if (head.size > left) return;
    if (head.kind == TN_CONTACT_STAGE)
      snprintf(meeting->stage, sizeof meeting->stage, "%.*s", (int)head.size, at);
    if (head.kind == TN_CONTACT_FAILED) {
      tn_status_set(status, head.code ? (tn_code)head.code : TN_INTERNAL, "%.*s", (int)head.size,
                    at);
      tn_status_set_fault(status, (tn_fault)head.fault);
    }
    if (head.kind == TN_CONTACT_DONE) meeting->done = true;
    const char* value = memchr(at, '\0', head.size);
    if (head.kind == TN_CONTACT_FACT && meeting->contact->fact && value &&
        at[head.size - 1] == '\0' && value + 1 < at + head.size)
      meeting->contact->fact(at, value + 1, meeting->contact->fact_arg);
    at += head.size;
    left -= head.size;
  }
}

static bool judge(meeting* meeting, tn_status* status) {
  tn_status reported = {0};
  read_messages(meeting, &reported);
  bool fine = meeting->done && tn_ok(&reported);
  if (!tn_ok(&reported)) tn_status_copy(status, &reported);
  if (!fine && tn_ok(&reported)) {
    tn_text text = {0};
    tn_child_print_ending(&meeting->child, meeting->contact->time_limit_ms, &text);
    if (!meeting->stage[0])
      tn_text_puts(&text, " before it came to the plugin");
    else if (strcmp(meeting->stage, TN_STAGE_OPEN) == 0)
      tn_text_puts(&text, " in its constructors (dlopen)");
    else
      tn_text_printf(&text, " in %s", meeting->stage);
    if (meeting->stage[0] && meeting->contact->fact && !text.failed)
      meeting->contact->fact("ended", text.data, meeting->contact->fact_arg);
    tn_child_quote(&meeting->child, &text);
    if (text.failed)
      tn_status_set_no_memory(status, "meeting a plugin");
    else
      tn_status_set(status, meeting->child.timed_out ? TN_DEADLINE_EXCEEDED : TN_INTERNAL,
                    "%s: first contact in a child process: %s", meeting->contact->path, text.data);
    tn_status_set_fault(status, meeting->stage[0] ? TN_FAULT_PLUGIN : TN_FAULT_HOST);
    tn_text_deinit(&text);
  }
  tn_status_deinit(&reported);
  return fine;
}

bool tn_first_contact(const tn_contact* contact, tn_status* status) {
  meeting meeting = {.contact = contact};
  char entry_points[16];
  snprintf(entry_points, sizeof entry_points, "%u", contact->entry_points);
  char* arguments[] = {NULL,
                       entry_points,
                       (char*)(contact->allow_missing_weak ? "weak-is-fine" : "weak-is-wrong"),
                       (char*)contact->path,
                       (char*)(contact->fact ? "facts" : "load"),
                       (char*)(contact->create ? contact->create : ""),
                       NULL};
  bool fine = false;
  if (tn_child_run(&meeting.child, arguments, -1, contact->time_limit_ms, &meeting.received,
                   status)) {
    fine = !meeting.received.failed && judge(&meeting, status);
    if (meeting.received.failed) tn_status_set_no_memory(status, "meeting a plugin");
  }
  tn_text_deinit(&meeting.received);
  return fine;
}
