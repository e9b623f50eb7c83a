// SPDX-License-Identifier: MIT
/* suspend.c -- saves a program that waits for a person, and brings that person's answers. */
#include "cli/suspend.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- saving ---- */

/* "./cloche-ID.snap", unless --snapshot says otherwise. ID is the sandbox's: saved again, the same.
 */
static char *path_of(const cloche__settings *settings, const cloche__json *info) {
  const cloche__json *id = cloche__json_get(info, "id");
  char path[64];
  if (settings->snapshot != NULL) return strdup(settings->snapshot);
  if (id == NULL || id->kind != CLOCHE__JSON_STRING) return NULL;
  snprintf(path, sizeof path, "./cloche-%.12s.snap", id->text);
  return strdup(path);
}

static bool look(cloche_text bytes, const cloche_snapshot_options *sealing,
                 cloche__suspended *suspended) {
  size_t len;
  return cloche_snapshot_info(bytes, sealing, &suspended->info, &len) == CLOCHE_OK &&
         cloche__json_parse((cloche_text){suspended->info, len}, NULL, &suspended->doc, NULL) ==
             CLOCHE_OK;
}

bool cloche__suspend(cloche_sandbox *box, const cloche__settings *settings,
                     const cloche_snapshot_options *sealing, cloche__suspended *suspended,
                     bool *failed) {
  char *bytes = NULL;
  size_t len = 0;
  cloche_status status = cloche_snapshot(box, sealing, &bytes, &len);
  if (status == CLOCHE_E_STATE) return false; /* it has something to do yet */
  *failed = true;
  cloche_text text = {bytes, len};
  if (status != CLOCHE_OK) {
    cloche__complain("the program cannot be saved: %s", cloche_status_text(status));
  } else if (look(text, sealing, suspended)) {
    suspended->path = path_of(settings, &suspended->doc.root);
    *failed = suspended->path == NULL || !cloche__snapshot_write(suspended->path, text);
  }
  free(bytes);
  if (*failed) cloche__suspended_free(suspended);
  return !*failed;
}

const cloche__json *cloche__suspended_pending(const cloche__suspended *suspended) {
  return cloche__json_get(&suspended->doc.root, "pending");
}

static void tell_pending(const cloche__json *call) {
  cloche__buffer line = {0};
  const cloche__json *reason = cloche__json_get(call, "reason");
  if (!cloche__json_is(cloche__json_get(call, "kind"), "approval")) return;
  cloche__buffer_text(&line, cloche__json_text(cloche__json_get(call, "id")));
  cloche__buffer_byte(&line, ' ');
  cloche__buffer_text(&line, cloche__json_text(cloche__json_get(call, "method")));
  cloche__buffer_byte(&line, ' ');
  cloche__json_write(cloche__json_get(call, "params"), &line);
  if (reason->count > 0) cloche__buffer_string(&line, "\n    ");
  cloche__buffer_text(&line, cloche__json_text(reason));
  cloche__complain("waits for approval: %.*s", (int)line.len, line.at);
  cloche__buffer_free(&line);
}

static void add_option(cloche__buffer *out, const char *name, const char *value) {
  if (value != NULL) cloche__buffer_format(out, " %s %s", name, value);
}

void cloche__suspended_tell(const cloche__suspended *suspended, const cloche__settings *settings) {
  const cloche__json *pending = cloche__suspended_pending(suspended);
  for (size_t i = 0; i < pending->count; i++) tell_pending(&pending->items[i]);
  cloche__buffer same = {0}; /* options without which it does not open */
  add_option(&same, "--accounts", settings->accounts);
  add_option(&same, "--key", settings->key);
  add_option(&same, "--audience", settings->audience);
  cloche__complain("saved as %s; go on with: cloche resume --config %s%.*s %s --approve ID",
                   suspended->path, settings->config, (int)same.len, same.len == 0 ? "" : same.at,
                   suspended->path);
  cloche__buffer_free(&same);
}

void cloche__suspended_free(cloche__suspended *suspended) {
  free(suspended->path);
  free(suspended->info);
  cloche__json_free(&suspended->doc);
  *suspended = (cloche__suspended){0};
}

/* ---- answering ---- */

/* Is `id` in "1,3" or "all"? */
static bool lists(const char *list, cloche_text id) {
  if (list == NULL) return false;
  if (strcmp(list, "all") == 0) return true;
  for (const char *at = list; *at != '\0';) {
    size_t len = strcspn(at, ",");
    if (len == id.len && memcmp(at, id.at, len) == 0) return true;
    at += len + (at[len] == ',');
  }
  return false;
}

static const cloche__json *find(const cloche__json *pending, cloche_text id) {
  for (size_t i = 0; pending != NULL && i < pending->count; i++) {
    const cloche__json *call = &pending->items[i];
    if (cloche__json_is(cloche__json_get(call, "kind"), "approval") &&
        cloche__text_equal(cloche__json_text(cloche__json_get(call, "id")), id))
      return call;
  }
  return NULL;
}

/* Every id that is listed has to wait for an answer. */
static bool check(const cloche__json *pending, const char *flag, const char *list) {
  if (list == NULL || strcmp(list, "all") == 0) return true;
  for (const char *at = list; *at != '\0';) {
    size_t len = strcspn(at, ",");
    if (find(pending, (cloche_text){at, len}) == NULL) {
      cloche__complain("%s %.*s: no such call waits for an approval", flag, (int)len, at);
      return false;
    }
    at += len + (at[len] == ',');
  }
  return *list != '\0';
}

static const char *user_name(void) {
  struct passwd *entry = getpwuid(getuid());
  return entry == NULL ? "" : entry->pw_name;
}

bool cloche__answer(cloche_sandbox *box, const cloche__json *info,
                    const cloche__settings *settings) {
  const cloche__json *pending = cloche__json_get(info, "pending");
  cloche_approval approval = {.by = cloche__text(user_name())};
  if (!check(pending, "--approve", settings->approve) || !check(pending, "--deny", settings->deny))
    return false;
  for (size_t i = 0; pending != NULL && i < pending->count; i++) {
    const cloche__json *call = &pending->items[i];
    cloche_text text = cloche__json_text(cloche__json_get(call, "id"));
    uint64_t id;
    cloche_status status = CLOCHE_OK;
    if (find(pending, text) == NULL || !cloche__json_uint64(cloche__json_get(call, "id"), &id))
      continue;
    if (lists(settings->deny, text))
      status = cloche_deny(box, id, cloche__text("a person was asked and said no"));
    else if (lists(settings->approve, text))
      status = cloche_approve(box, id, &approval);
    if (status == CLOCHE_OK || status == CLOCHE_E_UNKNOWN)
      continue; /* the policy of now denied it */
    cloche__complain("call %.*s cannot be answered: %s", (int)text.len, text.at,
                     cloche_status_text(status));
    return false;
  }
  return true;
}
