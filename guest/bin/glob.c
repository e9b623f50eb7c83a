// SPDX-License-Identifier: MIT
// glob.c -- see glob.h. A star that fails is retried one character further, and only the last one.
#include "glob.h"

#include <stdint.h>
#include <string.h>

#include "../text/unicode.h"

static uint32_t take(const char **at) {
  size_t left = strnlen(*at, 4);
  uint32_t c;
  size_t length = utf8_decode(*at, left, &c);
  if (length == 0) {
    c = 0x80000000u | (unsigned char)**at; /* half a character stands for itself */
    length = 1;
  }
  *at += length;
  return c;
}

static uint32_t fold(uint32_t c, int flags) {
  return flags & GLOB_ICASE ? unicode_lower(c) : c;
}

/* A bracket at *at (behind '['): whether it has `c`. NULL when it never closes. */
static const char *bracket(const char *at, uint32_t c, int flags, bool *has) {
  bool negated = *at == '!' || *at == '^', found = false;
  if (negated) at++;
  for (bool first = true; *at != ']' || first; first = false) {
    if (*at == 0) return NULL;
    if (at[0] == '[' && at[1] == ':') {
      const char *close = strstr(at + 2, ":]");
      unicode_class kind;
      if (close != NULL && unicode_class_named(at + 2, (size_t)(close - at - 2), &kind)) {
        found |= unicode_is(c, kind) ||
                 (flags & GLOB_ICASE &&
                  (unicode_is(unicode_lower(c), kind) || unicode_is(unicode_upper(c), kind)));
        at = close + 2;
        continue;
      }
    }
    if (*at == '\\' && at[1] != 0) at++;
    uint32_t low = take(&at), high = low;
    if (*at == '-' && at[1] != ']' && at[1] != 0) {
      at++;
      if (*at == '\\' && at[1] != 0) at++;
      high = take(&at);
    }
    uint32_t folded = fold(c, flags);
    found |= (c >= low && c <= high) ||
             (flags & GLOB_ICASE && folded >= fold(low, flags) && folded <= fold(high, flags));
  }
  *has = found != negated;
  return at + 1;
}

/* Matches one pattern item that is no star; NULL when it fails. */
static const char *item(const char *pattern, uint32_t c, int flags) {
  bool slash = c == '/' && (flags & GLOB_PATH);
  if (*pattern == '?') return slash ? NULL : pattern + 1;
  if (*pattern == '[') {
    bool has;
    const char *after = bracket(pattern + 1, c, flags, &has);
    if (after != NULL) return has && !slash ? after : NULL;
  }
  if (*pattern == '\\' && pattern[1] != 0) pattern++;
  return fold(take(&pattern), flags) == fold(c, flags) ? pattern : NULL;
}

bool glob_match(const char *pattern, const char *text, int flags) {
  const char *star = NULL, *retry = NULL;
  while (*text != 0) {
    if (*pattern == 0 && (flags & GLOB_LEADING) && *text == '/') return true;
    if (*pattern == '*') {
      while (*pattern == '*') pattern++;
      star = pattern;
      retry = text;
      continue;
    }
    const char *next = text, *after = NULL;
    uint32_t c = take(&next);
    if (*pattern != 0) after = item(pattern, c, flags);
    if (after != NULL) {
      pattern = after;
      text = next;
      continue;
    }
    if (star == NULL || (*retry == '/' && (flags & GLOB_PATH))) return false;
    take(&retry);
    pattern = star;
    text = retry;
  }
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}
