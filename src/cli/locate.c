// SPDX-License-Identifier: MIT
/* locate.c -- walks the text along the pointer. The text has been read before, so nothing is
 * checked twice here; the end of the text stops every loop all the same. */
#include "cli/locate.h"

#include <string.h>

#include "json/json.h"
#include "json/utf8.h"

typedef struct {
  cloche_text text;
  size_t at;
} cursor;

static char peek(const cursor *c) {
  return c->at < c->text.len ? c->text.at[c->at] : '\0';
}

static void skip_blank(cursor *c) {
  while (c->at < c->text.len && strchr(" \t\r\n", c->text.at[c->at]) != NULL) c->at++;
}

static cloche_text skip_string(cursor *c) {
  size_t start = c->at++;
  while (c->at < c->text.len && peek(c) != '"') c->at += peek(c) == '\\' ? 2 : 1;
  c->at++;
  size_t end = c->at < c->text.len ? c->at : c->text.len;
  return (cloche_text){c->text.at + start, end - start};
}

static void skip_value(cursor *c) {
  size_t depth = 0;
  while (c->at < c->text.len) {
    char next = peek(c);
    if (depth == 0 && (next == ',' || next == ']' || next == '}')) return;
    if (next == '"') {
      skip_string(c);
      continue;
    }
    if (next == '{' || next == '[') depth++;
    if (next == '}' || next == ']') depth--;
    c->at++;
  }
}

/* One step of a pointer with "~1" and "~0" taken back, as far as it fits. */
static const char *next_step(const char *pointer, char *step, size_t size) {
  size_t used = 0;
  for (pointer++; *pointer != '\0' && *pointer != '/'; pointer++) {
    char c = *pointer;
    if (c == '~' && (pointer[1] == '0' || pointer[1] == '1')) c = *++pointer == '0' ? '~' : '/';
    if (used + 1 < size) step[used++] = c;
  }
  step[used] = '\0';
  return pointer;
}

static bool is_key(cloche_text quoted, const char *step) {
  cloche__json_doc doc;
  if (cloche__json_parse(quoted, NULL, &doc, NULL) != CLOCHE_OK) return false;
  bool same = cloche__json_is(&doc.root, step);
  cloche__json_free(&doc);
  return same;
}

/* From an object's brace to the value of `step`; *place is where its key stands. */
static bool enter_object(cursor *c, const char *step, size_t *place) {
  do {
    c->at++; /* brace or comma */
    skip_blank(c);
    size_t start = c->at;
    if (peek(c) != '"') return false;
    bool found = is_key(skip_string(c), step);
    skip_blank(c);
    c->at++; /* colon */
    skip_blank(c);
    if (found) {
      *place = start;
      return true;
    }
    skip_value(c);
  } while (peek(c) == ',');
  return false;
}

static bool enter_array(cursor *c, const char *step, size_t *place) {
  size_t wanted = 0;
  if (*step == '\0') return false;
  for (; *step >= '0' && *step <= '9'; step++) wanted = wanted * 10 + (size_t)(*step - '0');
  if (*step != '\0') return false;
  for (size_t i = 0;; i++) {
    c->at++; /* bracket or comma */
    skip_blank(c);
    if (i == wanted) {
      *place = c->at;
      return true;
    }
    skip_value(c);
    if (peek(c) != ',') return false;
  }
}

void cloche__json_locate(cloche_text text, const char *pointer, size_t *line, size_t *column) {
  cursor c = {.text = text};
  skip_blank(&c);
  size_t place = c.at;
  bool found = true;
  while (found && *pointer == '/') {
    char step[256];
    pointer = next_step(pointer, step, sizeof step);
    if (peek(&c) == '{')
      found = enter_object(&c, step, &place);
    else
      found = peek(&c) == '[' && enter_array(&c, step, &place);
  }
  size_t start = place;
  while (start > 0 && text.at[start - 1] != '\n') start--;
  *line = 1;
  for (size_t i = 0; i < start; i++) *line += text.at[i] == '\n';
  *column = cloche__utf8_count((cloche_text){text.at + start, place - start}) + 1;
}
