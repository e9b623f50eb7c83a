// SPDX-License-Identifier: MIT
/* names.c -- the tools come in the order of their paths, so those with one first segment lie
 * together. */
#include "cli/names.h"

#include <string.h>

#include "json/json.h"

cloche_text cloche__first_segment(cloche_text name) {
  const char *slash = name.len == 0 ? NULL : memchr(name.at, '/', name.len);
  return (cloche_text){name.at, slash == NULL ? name.len : (size_t)(slash - name.at)};
}

/* "tools.fs.read", or tools["fs/read-all"]. */
static void write_path(cloche_text name, cloche__buffer *out) {
  bool plain = true;
  for (size_t i = 0; i < name.len; i++) {
    char c = name.at[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    bool digit = c >= '0' && c <= '9' && i > 0 && name.at[i - 1] != '/';
    plain = plain && (letter || digit || c == '/');
  }
  cloche__buffer_string(out, "tools");
  if (plain) {
    cloche__buffer_byte(out, '.');
    for (size_t i = 0; i < name.len; i++)
      cloche__buffer_byte(out, name.at[i] == '/' ? '.' : name.at[i]);
  } else {
    cloche__buffer_byte(out, '[');
    cloche__json_write_string(name, out);
    cloche__buffer_byte(out, ']');
  }
}

static void write_sentence(cloche_text name, size_t more, cloche__buffer *out) {
  cloche_text first = cloche__first_segment(name);
  cloche__buffer_format(out, "JavaScript has %.*s itself: a program calls %.*s", (int)first.len,
                        first.at, (int)name.len, name.at);
  if (more > 0) cloche__buffer_format(out, " (and %zu more)", more);
  cloche__buffer_string(out, " as ");
  write_path(name, out);
  cloche__buffer_byte(out, '.');
}

size_t cloche__names_doubt(const cloche__config *config, bool json, size_t before,
                           cloche__buffer *out) {
  size_t found = 0;
  for (size_t i = 0, next; i < config->tool_count; i = next) {
    cloche_text name = config->tools[i].name, first = cloche__first_segment(name);
    for (next = i + 1; next < config->tool_count; next++)
      if (!cloche__text_equal(cloche__first_segment(config->tools[next].name), first)) break;
    if (!cloche_javascript_has(first)) continue;
    cloche__buffer sentence = {0};
    write_sentence(name, next - i - 1, &sentence);
    if (json) {
      cloche__buffer_string(out, before + found > 0 ? "," : "");
      cloche__buffer_string(out, "{\"code\":\"javascript_name\",\"message\":");
      cloche__json_write_string(cloche__buffer_view(&sentence), out);
      cloche__buffer_byte(out, '}');
    } else {
      cloche__buffer_text(out, cloche__buffer_view(&sentence));
      cloche__buffer_byte(out, '\n');
    }
    out->failed |= sentence.failed;
    cloche__buffer_free(&sentence);
    found++;
  }
  return found;
}
