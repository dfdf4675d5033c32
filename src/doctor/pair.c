#include "doctor/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/layout_file.h"
#include "abi/seed_history.h"
#include "base/file.h"
#include "base/memory.h"
#include "doctor/doctor.h"
#include "elf/debug_layout.h"

enum { LIMIT_MS = 60000 };

typedef struct meeting {
  const tn_abi_contract* contract;
  const tn_abi_struct* made;  // what the plugin's function makes, where one is called
  tn_pair_findings* out;
} meeting;

static tn_pair_finding* add(tn_pair_findings* out, tn_member_use use) {
  if (!tn_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items)) {
    out->failed = true;
    return NULL;
  }
  tn_pair_finding* finding = &out->items[out->count++];
  *finding = (tn_pair_finding){.use = use};
  out->dangerous += use == TN_USE_TRUSTED;
  return finding;
}

static void take(const meeting* meeting, const char* owner, const char* member, bool cut) {
  const tn_member_use use = tn_abi_contract_use(meeting->contract, owner, member);
  if (use != TN_USE_CHECKED && use != TN_USE_TRUSTED && !(cut && use == TN_USE_OPTIONAL)) return;
  tn_pair_finding* finding = add(meeting->out, use);
  if (!finding) return;
  snprintf(finding->member, sizeof finding->member, "%s.%s", owner, member);
  finding->cut = cut;
}

static void take_struct(const meeting* meeting, const char* name) {
  char* list = meeting->out->looked_at;
  const size_t length = strlen(list);
  if (tn_abi_contract_reads(meeting->contract, name))
    snprintf(list + length, sizeof meeting->out->looked_at - length, "%s%s", length ? ", " : "",
             name);
}

// What tenon doctor says of a release, pair says too.
static void take_platform(const meeting* meeting, size_t size) {
  static const char host[] = "tensorflow==";
  char why[sizeof((tn_pair_finding*)0)->moved];
  if (strncmp(meeting->contract->host, host, strlen(host)) != 0 ||
      !tn_device_layout_moved(size, meeting->contract->host + strlen(host), why, sizeof why))
    return;
  tn_pair_finding* finding = add(meeting->out, TN_USE_TRUSTED);
  if (!finding) return;
  snprintf(finding->member, sizeof finding->member, "SP_Platform");
  snprintf(finding->moved, sizeof finding->moved, "%s", why);
}

// "56 1011101": the struct's size, and which of its words are null.
static void take_made(const meeting* meeting, const char* value) {
  char* words;
  const long long size = strtoll(value, &words, 10);
  words += *words == ' ';
  const size_t count = strlen(words);
  take_struct(meeting, meeting->made->name);
  for (size_t i = 0; i < meeting->made->field_count; ++i) {
    const tn_abi_field* field = &meeting->made->fields[i];
    const size_t word = (size_t)field->offset / 8;
    if (field->offset < 0) continue;
    if (field->offset < size && field->offset + field->size > size)
      take(meeting, meeting->made->name, field->name, true);
    if (strstr(field->kind, "pointer") && field->offset + field->size <= size && word < count &&
        words[word] == '0')
      take(meeting, meeting->made->name, field->name, false);
  }
}

static void take_fact(const char* key, const char* value, void* arg) {
  const meeting* meeting = arg;
  const char* dot = strchr(value, '.');
  if (strcmp(key, "made") == 0) take_made(meeting, value);
  if (strcmp(key, "filled") == 0) take_struct(meeting, value);
  if (strcmp(key, "platform_struct_size") == 0)
    take_platform(meeting, (size_t)strtoul(value, NULL, 10));
  if (strcmp(key, "null_member") != 0 || !dot) return;
  char owner[128];
  snprintf(owner, sizeof owner, "%.*s", (int)(dot - value), value);
  take(meeting, owner, dot + 1, false);
}

// The layout of what the plugin's function makes.
static bool read_layout(const tn_pair* pair, tn_abi_model* out, tn_status* status) {
  if (!pair->layout) return tn_elf_read_layout(pair->plugin, out, status);
  tn_text text = {0};
  const bool read = tn_file_read(pair->layout, (size_t)256 << 20, &text, status) &&
                    tn_abi_layout_read(pair->layout, tn_text_view(&text), out, status);
  tn_text_deinit(&text);
  return read;
}

// Calls a function of the plugin that makes a struct of the model.
static bool meet_made(meeting* meeting, const tn_pair* pair, const char* create,
                      const tn_abi_model* model, tn_status* status) {
  char function[256];
  const char* colon = strchr(create, ':');
  if (!colon || colon == create || (size_t)(colon - create) >= sizeof function) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "'%s' is not of the form FUNCTION:STRUCT, as in " TN_ABI_SEED_CREATE, create);
    return false;
  }
  snprintf(function, sizeof function, "%.*s", (int)(colon - create), create);
  meeting->made = tn_abi_model_struct(model, colon + 1);
  if (!meeting->made || meeting->made->opaque) {
    tn_status_set(status, TN_NOT_FOUND, "%s tells nothing of a struct %s",
                  pair->layout ? pair->layout : pair->plugin, colon + 1);
    return false;
  }
  return tn_inspect_made(pair->plugin, function, LIMIT_MS, take_fact, meeting, status);
}

bool tn_pair_check(const tn_pair* pair, tn_pair_findings* out, tn_status* status) {
  tn_abi_contract contract = {.host = ""};
  tn_abi_model model = {0};
  meeting meeting = {&contract, NULL, out};
  bool done = tn_abi_contract_get(pair->host, &contract, status);
  if (done && pair->create) {
    done = read_layout(pair, &model, status) &&
           meet_made(&meeting, pair, pair->create, &model, status);
  } else if (done && strncmp(pair->host, "seed==", 6) == 0) {
    done = tn_abi_seed_model(TN_ABI_SEED_NEWEST, &model, status) &&
           meet_made(&meeting, pair, TN_ABI_SEED_CREATE, &model, status);
  } else if (done) {
    done = tn_inspect_loaded(pair->plugin, LIMIT_MS, take_fact, &meeting, status);
  }
  if (done && out->failed) {
    tn_status_set_no_memory(status, "pairing a host and a plugin");
    done = false;
  }
  tn_abi_model_deinit(&model);
  tn_abi_contract_deinit(&contract);
  return done;
}

void tn_pair_findings_deinit(tn_pair_findings* findings) {
  tn_free(findings->items);
  *findings = (tn_pair_findings){0};
}
