// SPDX-License-Identifier: MIT
/* path.c -- is one path below another, by its text alone? */
#include "gate/path.h"

#include <string.h>

#include "json/buffer.h"
#include "json/utf8.h"
#include "limits.h"

typedef struct {
  char text[CLOCHE__URL_BYTES + 1]; /* segments, each with a slash before it */
  size_t len;
  bool absolute, climbs; /* climbs: relative, and went above its start */
} normal;

static void drop_segment(normal *path) {
  while (path->len > 0 && path->text[--path->len] != '/') continue;
}

static bool normalise(cloche_text path, normal *out) {
  if (path.len == 0 || path.len >= CLOCHE__URL_BYTES) return false;
  out->len = 0;
  out->climbs = false;
  out->absolute = path.at[0] == '/';
  for (size_t at = 0, end; at <= path.len; at = end + 1) {
    for (end = at; end < path.len && path.at[end] != '/';) end++;
    size_t len = end - at;
    const char *segment = path.at + at;
    if (len == 0 || (len == 1 && segment[0] == '.')) continue;
    if (len == 2 && memcmp(segment, "..", 2) == 0) {
      if (out->len == 0) out->climbs = !out->absolute;
      drop_segment(out);
      continue;
    }
    out->text[out->len++] = '/';
    memcpy(out->text + out->len, segment, len);
    out->len += len;
  }
  return true;
}

cloche__within cloche__path_within(cloche_text path, cloche_text base) {
  normal inner, outer;
  if (!normalise(path, &inner) || !normalise(base, &outer)) return CLOCHE__WITHIN_UNCLEAR;
  if (inner.absolute != outer.absolute) return CLOCHE__WITHIN_UNCLEAR;
  if (inner.climbs || outer.climbs || inner.len < outer.len) return CLOCHE__WITHIN_NO;
  if (memcmp(inner.text, outer.text, outer.len) != 0) return CLOCHE__WITHIN_NO;
  /* "/database" is not below "/data": a slash has to follow, or nothing. */
  bool whole = inner.len == outer.len || inner.text[outer.len] == '/';
  return whole ? CLOCHE__WITHIN_YES : CLOCHE__WITHIN_NO;
}

static bool is_look_alike(int32_t code) {
  static const int32_t forms[] = {0x2024, 0x2025, 0x2026, 0x2044, 0x2215, 0x2216,
                                  0xFE52, 0xFE68, 0xFF0E, 0xFF0F, 0xFF3C, 0xFF05};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (code == forms[i]) return true;
  }
  return false;
}

static bool is_encoded_mark(cloche_text text) {
  static const char *const marks[] = {"%2e", "%2f", "%5c", "%25", "%00", "%c0", "%u0"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    bool same = text.len >= 3;
    for (size_t j = 0; j < 3 && same; j++)
      same = (text.at[j] | (j > 0 ? 0x20 : 0)) == (marks[i][j] | (j > 0 ? 0x20 : 0));
    if (same) return true;
  }
  return false;
}

bool cloche__path_is_plain(cloche_text path) {
  for (size_t len; path.len > 0; path.at += len, path.len -= len) {
    int32_t code = cloche__utf8_decode(path, &len);
    if (code <= 0 || code == '\\' || is_look_alike(code)) return false;
    if (code == '%' && is_encoded_mark(path)) return false;
  }
  return true;
}
