// SPDX-License-Identifier: MIT
/* pattern.c -- method names in their one canonical spelling, and patterns over them. */
#include "gate/pattern.h"

#include <string.h>

#include "json/utf8.h"

/* Characters that a person who approves a call could not see, or would take for a space. */
static bool is_hidden(int32_t code) {
  static const struct {
    int32_t from, to;
  } ranges[] = {
      {0, 0x20},        {0x7F, 0xA0},     {0xAD, 0xAD},     {0x34F, 0x34F},     {0x61C, 0x61C},
      {0x115F, 0x1160}, {0x1680, 0x1680}, {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x2000, 0x200F},
      {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3000, 0x3000}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},
      {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (code >= ranges[i].from && code <= ranges[i].to) return true;
  }
  return false;
}

static const char *check_character(int32_t code, bool pattern) {
  if (code < 0) return "a name is UTF-8";
  if (is_hidden(code)) return "a name has no spaces, control or invisible characters";
  if (code == '\\' || code == '"') return "a name has no backslash and no quote";
  if (code == '*' && !pattern) return "a name has no *; only patterns do";
  return NULL;
}

static const char *check_characters(cloche_text text, bool pattern) {
  const char *problem = NULL;
  for (size_t len; text.len > 0 && problem == NULL; text.at += len, text.len -= len) {
    char c = text.at[0];
    len = 1;
    bool ordinary = c >= '+' && c < 0x7F && c != '\\'; /* nearly all are; no *, no quote */
    if (!ordinary) problem = check_character(cloche__utf8_decode(text, &len), pattern);
  }
  return problem;
}

static const char *add_segment(cloche__name *name, size_t start) {
  size_t len = name->len - start;
  const char *at = name->text + start;
  bool star = memchr(at, '*', len) != NULL;
  bool many = len == 2 && memcmp(at, "**", 2) == 0;
  if (len == 0) return "a name has no empty segment: write a/b/c or a.b.c";
  for (size_t i = 1; i < len && !many; i++) {
    if (at[i] == '*' && at[i - 1] == '*') return "** has to stand alone between slashes";
  }
  if (name->count == CLOCHE__METHOD_SEGMENTS) return "a name has at most 32 segments";
  name->segments[name->count++] = (cloche__segment){(uint16_t)start, (uint16_t)len,
                                                    many               ? CLOCHE__SEGMENT_MANY
                                                    : star && len == 1 ? CLOCHE__SEGMENT_ANY
                                                    : star             ? CLOCHE__SEGMENT_PART
                                                                       : CLOCHE__SEGMENT_LITERAL};
  return NULL;
}

const char *cloche__name_read(cloche_text spelling, bool pattern, cloche__name *name) {
  name->len = name->count = 0;
  while (spelling.len >= 4 && memcmp(spelling.at, "mcp:", 4) == 0) {
    spelling = (cloche_text){spelling.at + 4, spelling.len - 4};
  }
  if (spelling.len == 0) return "a name is not empty";
  if (spelling.len > CLOCHE__METHOD_BYTES) return "a name has at most 256 bytes";
  const char *problem = check_characters(spelling, pattern);
  size_t start = 0;
  for (size_t i = 0; i < spelling.len && problem == NULL; i++) {
    bool split = spelling.at[i] == '/' || spelling.at[i] == '.';
    if (split) problem = add_segment(name, start);
    name->text[name->len++] = split ? '/' : spelling.at[i];
    if (split) start = name->len;
  }
  return problem != NULL ? problem : add_segment(name, start);
}

bool cloche__pattern_keep(const cloche__name *name, cloche__arena *arena,
                          cloche__pattern *pattern) {
  size_t size = name->count * sizeof(cloche__segment);
  cloche__segment *segments = cloche__arena_take(arena, 1, size);
  if (segments == NULL || !cloche__arena_copy(arena, cloche__name_text(name), &pattern->text)) {
    return false;
  }
  memcpy(segments, name->segments, size);
  pattern->segments = segments;
  pattern->count = name->count;
  pattern->literal = memchr(name->text, '*', name->len) == NULL;
  return true;
}

/* `*` here is any run of bytes. Only the last star is ever tried again: linear in `text`. */
static bool part_matches(cloche_text part, cloche_text text) {
  size_t i = 0, j = 0, star = SIZE_MAX, mark = 0;
  while (j < text.len) {
    if (i < part.len && part.at[i] == '*') {
      star = i++;
      mark = j;
    } else if (i < part.len && part.at[i] == text.at[j]) {
      i++, j++;
    } else if (star != SIZE_MAX) {
      i = star + 1;
      j = ++mark;
    } else {
      return false;
    }
  }
  while (i < part.len && part.at[i] == '*') i++;
  return i == part.len;
}

static cloche_text slice(const char *base, cloche__segment segment) {
  return (cloche_text){base + segment.at, segment.len};
}

/* Does one segment of a pattern take `text`, which may itself be a segment of a narrower pattern?
 */
static bool segment_takes(const char *base, cloche__segment segment, cloche_text text) {
  cloche_text part = slice(base, segment);
  if (segment.kind == CLOCHE__SEGMENT_LITERAL) return cloche__text_equal(part, text);
  return segment.kind == CLOCHE__SEGMENT_ANY || part_matches(part, text);
}

static bool segments_match(const cloche__pattern *pattern, const char *base,
                           const cloche__segment *segments, size_t count) {
  size_t i = 0, j = 0, many = SIZE_MAX, mark = 0;
  while (j < count) {
    if (i < pattern->count && pattern->segments[i].kind == CLOCHE__SEGMENT_MANY) {
      many = i++;
      mark = j;
    } else if (i < pattern->count && segments[j].kind != CLOCHE__SEGMENT_MANY &&
               segment_takes(pattern->text.at, pattern->segments[i], slice(base, segments[j]))) {
      i++, j++;
    } else if (many != SIZE_MAX) {
      i = many + 1;
      j = ++mark;
    } else {
      return false;
    }
  }
  while (i < pattern->count && pattern->segments[i].kind == CLOCHE__SEGMENT_MANY) i++;
  return i == pattern->count;
}

bool cloche__pattern_matches(const cloche__pattern *pattern, const cloche__name *name) {
  if (pattern->literal) return cloche__text_equal(pattern->text, cloche__name_text(name));
  return segments_match(pattern, name->text, name->segments, name->count);
}

/* A star in `narrow` is read as a letter no name has: only a star of `wide` can take it, and that
 * takes whatever the star stands for. A ** of `narrow` likewise needs a ** of `wide`. */
bool cloche__pattern_covers(const cloche__pattern *wide, const cloche__pattern *narrow) {
  return segments_match(wide, narrow->text.at, narrow->segments, narrow->count);
}
