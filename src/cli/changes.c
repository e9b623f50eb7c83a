// SPDX-License-Identifier: MIT
/* changes.c -- "cloche: created /workspace/report.md, 512 bytes". */
#include "cli/changes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "json/json.h"

/* More than this nobody reads; --json has them all. */
enum { LINES = 50 };

static const char *const verbs[] = {"", "created", "modified", "deleted"};

/* Why something was not done on the host; these three have a meaning of their own. */
static const char *reason(int error) {
  return error == ESTALE      ? "it has been changed there meanwhile"
         : error == EPERM     ? "not permitted, as for links that lead out of it"
         : error == ECANCELED ? "not deleted, since something else could not be written"
                              : strerror(error);
}

/* ---- for people ---- */

static void add_size(cloche__buffer *line, const cloche_change *change) {
  if (change->kind == CLOCHE_FILE)
    cloche__buffer_format(line, ", %" PRIu64 " byte%s", change->size, change->size == 1 ? "" : "s");
  if (change->change == CLOCHE_MODIFIED && change->was != change->size)
    cloche__buffer_format(line, " (%" PRIu64 " before)", change->was);
}

static void print_change(const cloche_change *change) {
  cloche__buffer line = {0};
  cloche__buffer_format(&line, "%s %s", verbs[change->change],
                        change->kind == CLOCHE_LINK ? "link " : "");
  cloche__buffer_text(&line, change->path);
  if (change->kind == CLOCHE_FOLDER) cloche__buffer_byte(&line, '/');
  add_size(&line, change);
  if (change->written) cloche__buffer_string(&line, ", in the mounted folder too");
  if (change->error != 0)
    cloche__buffer_format(&line, ", but not in the mounted folder: %s", reason(change->error));
  if (!line.failed) cloche__complain("%.*s", (int)line.len, line.at);
  cloche__buffer_free(&line);
}

void cloche__changes_print(const cloche_change *changes, size_t count, bool all) {
  size_t shown = 0, left = 0;
  for (size_t i = 0; i < count; i++) {
    if (!all && !changes[i].written && changes[i].error == 0) continue;
    bool show = shown < LINES || changes[i].error != 0;
    if (show) print_change(&changes[i]);
    shown += show;
    left += !show;
  }
  if (left > 0) cloche__complain("and %zu more changes in the files (--json lists all)", left);
}

/* ---- for scripts ---- */

static void add_number(cloche__buffer *text, const char *key, uint64_t number) {
  cloche__json_write_key(key, text);
  cloche__buffer_format(text, "%" PRIu64, number);
}

static void add_change(cloche__buffer *text, const cloche_change *change) {
  static const char *const kinds[] = {"", "file", "folder", "link", "device"};
  cloche__buffer_byte(text, '{');
  cloche__json_write_key("path", text);
  cloche__json_write_bytes(change->path, text);
  cloche__json_write_key("kind", text);
  cloche__json_write_string(cloche__text(kinds[change->kind]), text);
  add_number(text, "size", change->size);
  if (change->change == CLOCHE_MODIFIED) add_number(text, "was", change->was);
  if (change->written || change->error != 0) {
    cloche__json_write_key("written", text);
    cloche__buffer_string(text, change->written ? "true" : "false");
  }
  if (change->error != 0) {
    cloche__json_write_key("error", text);
    cloche__json_write_string(cloche__text(reason(change->error)), text);
  }
  cloche__buffer_byte(text, '}');
}

void cloche__changes_json(const cloche_change *changes, size_t count, cloche__buffer *text) {
  if (count == 0) {
    cloche__buffer_string(text, "null");
    return;
  }
  cloche__buffer_byte(text, '{');
  for (int kind = CLOCHE_CREATED; kind <= CLOCHE_DELETED; kind++) {
    cloche__json_write_key(verbs[kind], text);
    cloche__buffer_byte(text, '[');
    const char *before = "";
    for (size_t i = 0; i < count; i++) {
      if ((int)changes[i].change != kind) continue;
      cloche__buffer_string(text, before);
      add_change(text, &changes[i]);
      before = ",";
    }
    cloche__buffer_byte(text, ']');
  }
  cloche__buffer_byte(text, '}');
}
