// SPDX-License-Identifier: MIT
/* source.c -- a program's text, before and beside the parser.
 *
 * Models hand in programs in Markdown fences, and write TypeScript out of habit. The first is
 * undone; the second is a syntax error whose message should say what the trouble is. Whether a text
 * "looks like TypeScript" is judged only at the place where the parser already gave up. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || (c & 0x80) != 0;
}

/* ---- fences ---- */

static char *copy_of(const char *text, size_t size, size_t more) {
  char *copy = malloc(size + more + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, size);
  memset(copy + size, '\n', more);
  copy[size + more] = 0;
  return copy;
}

static bool is_fence(const char *at) {
  return memcmp(at, "```", 3) == 0 || memcmp(at, "~~~", 3) == 0;
}

static char *without_fence(const char *text, size_t size, size_t from, size_t end) {
  if (end - from < 7 || !is_fence(text + from) || memcmp(text + end - 3, text + from, 3) != 0)
    return NULL;
  const char *line = memchr(text + from, '\n', end - from);
  if (line == NULL || (size_t)(line - text) >= end - 3) return NULL;
  char *copy = copy_of(text, size, 1);
  if (copy == NULL) return NULL;
  memset(copy + from, ' ', (size_t)(line - text) - from);
  memset(copy + end - 3, ' ', 3);
  return copy;
}

/* The engine takes `return` without a value only before a line's end, a brace or a semicolon. */
static bool ends_in_return(const char *text, size_t end) {
  return end >= 6 && memcmp(text + end - 6, "return", 6) == 0 &&
         (end == 6 || !is_word(text[end - 7]));
}

char *source_adjusted(const char **text, size_t *size) {
  size_t from = 0, end = *size;
  while (from < end && is_space((*text)[from])) from++;
  while (end > from && is_space((*text)[end - 1])) end--;
  char *copy = without_fence(*text, *size, from, end);
  if (copy == NULL && ends_in_return(*text, end)) copy = copy_of(*text, *size, 1);
  if (copy == NULL) return NULL;
  *text = copy;
  (*size)++;
  return copy;
}

/* ---- positions ---- */

static const char *line_start(const char *text, size_t size, int line) {
  const char *at = text, *end = text + size;
  for (; line > 1 && at != NULL; line--) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at != NULL) at++;
  }
  return at;
}

int source_column(const char *text, size_t size, int line, int column) {
  const char *at = line_start(text, size, line), *end = text + size;
  if (at == NULL || column < 1 || end - at < column - 1) return column;
  int units = 0;
  for (const char *stop = at + column - 1; at < stop; at++)
    if ((*at & 0xC0) != 0x80) units += ((uint8_t)*at >= 0xF0) + 1;
  return units + 1;
}

/* ---- TypeScript ---- */

typedef struct {
  const char *text, *at, *end; /* the place of the error within the text */
} place;

/* The word before the error, skipping spaces: its size, and where it starts. */
static size_t word_before(const place *p, const char **start) {
  const char *end = p->at;
  while (end > p->text && is_space(end[-1])) end--;
  const char *from = end;
  while (from > p->text && is_word(from[-1])) from--;
  *start = from;
  return (size_t)(end - from);
}

static char char_before(const char *text, const char *at) {
  while (at > text && is_space(at[-1])) at--;
  return at > text ? at[-1] : 0;
}

static char char_after(const char *at, const char *end) {
  while (at < end && is_space(*at)) at++;
  return at < end ? *at : 0;
}

static bool is_one_of(const char *word, size_t size, const char *const *list) {
  for (; *list != NULL; list++)
    if (strlen(*list) == size && memcmp(*list, word, size) == 0) return true;
  return false;
}

static bool starts_type(char c) {
  return is_word(c) || c == '{' || c == '[' || c == '(' || c == '"' || c == '\'' || c == '`';
}

/* `name: type`, `name?: type`, `): type`. In an object or after `? ` the parser would not have
 * given up at a colon. */
static bool is_annotation(const place *p) {
  if (*p->at == '?' && p->at + 1 < p->end) {
    char next = char_after(p->at + 1, p->end);
    return next == ':' || next == ')' || next == ',';
  }
  if (*p->at != ':') return false;
  char before = char_before(p->text, p->at);
  return (is_word(before) || before == ')' || before == ']' || before == '}' || before == '?') &&
         starts_type(char_after(p->at + 1, p->end));
}

/* A word that begins a declaration only TypeScript has, with a name after it. */
static bool is_declaration(const place *p) {
  static const char *const before[] = {"interface",  "type",      "namespace", "declare",
                                       "abstract",   "module",    "readonly",  "private",
                                       "public",     "protected", "override",  "enum",
                                       "implements", "keyof",     NULL};
  static const char *const here[] = {"interface", "enum",     "private",    "public",
                                     "protected", "readonly", "implements", "declare",
                                     "satisfies", "as",       NULL};
  const char *word;
  size_t size = word_before(p, &word);
  if (is_one_of(word, size, before) && starts_type(*p->at)) return true;
  const char *stop = p->at;
  while (stop < p->end && is_word(*stop)) stop++;
  return is_one_of(p->at, (size_t)(stop - p->at), here) && starts_type(char_after(stop, p->end));
}

/* `f<T>(`, `new Map<string, number>()` and `value!` */
static bool is_generic_or_assertion(const place *p) {
  char before = char_before(p->text, p->at);
  if (*p->at == '<') return is_word(before);
  if (*p->at == '!' || before == '!') return true;
  if (*p->at == '>' && is_word(before)) { /* `new Map<string, number>` is two comparisons so far */
    const char *open = p->at;
    while (open > p->text && *open != '<' && *open != '\n' && *open != ';') open--;
    if (*open == '<' && open > p->text && is_word(open[-1])) return true;
  }
  if (*p->at == ')' && before == '(') {
    const char *open = p->at;
    while (open > p->text && *open != '(') open--;
    return char_before(p->text, open) == '>';
  }
  return before == '>' && *p->at == '(';
}

/* The parser may stop a token early or late: "missing initializer" points at the colon's line, but
 * an error inside a type points behind it. */
static bool has_annotation_before(const place *p) {
  const char *from = p->at;
  while (from > p->text && from[-1] != '\n' && from[-1] != ';') from--;
  for (place at = {p->text, from, p->end}; at.at < p->at; at.at++) {
    if (*at.at != ':' || !is_annotation(&at)) continue;
    const char *word;
    word_before(&at, &word);
    const char *keyword;
    place name = {p->text, word, p->end};
    size_t size = word_before(&name, &keyword);
    static const char *const declares[] = {"let", "const", "var", NULL};
    if (is_one_of(keyword, size, declares)) return true;
  }
  return false;
}

/* A fence that stands behind something: one around the whole program was taken off. */
static bool is_markdown(const char *text, size_t size) {
  const char *fence = memmem(text, size, "\n```", 4);
  return fence != NULL && memchr(text, '`', (size_t)(fence - text)) == NULL;
}

const char *source_syntax_hint(const char *text, size_t size, int line, int column) {
  if (memchr(text, 0, size) != NULL) return " (there is a NUL character in the program)";
  if (is_markdown(text, size))
    return " (this looks like Markdown: give the program alone, or one fence around all of it)";
  const char *start = line_start(text, size, line);
  if (start == NULL || column < 1 || text + size - start < column) return "";
  place p = {text, start + column - 1, text + size};
  if (!is_annotation(&p) && !is_declaration(&p) && !is_generic_or_assertion(&p) &&
      !has_annotation_before(&p))
    return "";
  return " (this looks like TypeScript, which is not supported yet: use plain JavaScript, without "
         "types)";
}
