// A feature as a user writes it: NAME[@0.N]:KIND[,KIND][,plugin=N][,framework=N][,stable=DAY].

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/window.h"

static bool read_count(const char* text, int* out) {
  char rest;
  return sscanf(text, "%9d%c", out, &rest) == 1 && *out >= 0;
}

static bool read_mark(const char* mark, tn_window_feature* out) {
  if (strcmp(mark, "experimental") == 0) return out->experimental = true;
  if (strcmp(mark, "optional") == 0) return out->optional = true;
  if (strncmp(mark, "plugin=", 7) == 0) return read_count(mark + 7, &out->plugin_number);
  if (strncmp(mark, "framework=", 10) == 0) return read_count(mark + 10, &out->framework_number);
  return strncmp(mark, "stable=", 7) == 0 && tn_day_parse(mark + 7, &out->stable_since);
}

bool tn_window_feature_parse(const char* text, tn_window_feature* out, tn_status* status) {
  char copy[256];
  *out = (tn_window_feature){
      .plugin_number = -1, .framework_number = -1, .added_in = -1, .stable_since = -1};
  char* marks = NULL;
  bool good = (size_t)snprintf(copy, sizeof copy, "%s", text) < sizeof copy &&
              (marks = strchr(copy, ':')) != NULL;
  if (good) *marks++ = '\0';
  char* number = strchr(copy, '@');
  if (good && number) {
    *number++ = '\0';
    good = read_count(strncmp(number, "0.", 2) == 0 ? number + 2 : number, &out->added_in);
  }
  good = good && *copy && strlen(copy) < sizeof out->name;
  if (good) snprintf(out->name, sizeof out->name, "%.*s", (int)sizeof out->name - 1, copy);
  for (char* mark = good ? strtok_r(marks, ",", &marks) : NULL; good && mark;
       mark = strtok_r(NULL, ",", &marks))
    good = read_mark(mark, out);
  // Numbers of its own and a day to leave belong to what is experimental.
  const bool own = out->plugin_number >= 0 || out->framework_number >= 0 || out->stable_since >= 0;
  if (good && (out->experimental || (out->optional && !own))) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "'%s' is no feature; write NAME@0.113:optional (the PJRT number that added it), or "
                "NAME:experimental,plugin=2,framework=3,stable=2026-06-01 (its own number on each "
                "side that has it, and the day it left, once it has)",
                text);
  return false;
}
