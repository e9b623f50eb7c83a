// SPDX-License-Identifier: MIT
/* quote.c -- the quoting styles of declare -p, %q, @Q, set -x. */
#include "quote.h"

#include "../text/unicode.h"
#include "shared.h"

void quote_single(text *to, const char *value, size_t size) {
  text_char(to, '\'');
  for (size_t i = 0; i < size; i++) {
    if (value[i] == '\'')
      text_string(to, "'\\''");
    else
      text_char(to, value[i]);
  }
  text_char(to, '\'');
}

bool quote_needs_ansi(const char *value, size_t size) {
  size_t used;
  for (size_t i = 0; i < size; i += used) {
    uint32_t point = point_decode(value + i, size - i, &used);
    if (point & POINT_BYTE || point < 32 || point == 127) return true;
    if (point > 127 && !unicode_is(point, UNICODE_PRINT)) return true;
  }
  return false;
}

void quote_ansi(text *to, const char *value, size_t size) {
  static const char letters[] = "abtnvfr"; /* 7 to 13 */
  text_string(to, "$'");
  size_t used;
  for (size_t i = 0; i < size; i += used) {
    uint32_t point = point_decode(value + i, size - i, &used);
    unsigned char c = (unsigned char)value[i];
    if (c == '\'' || c == '\\') {
      text_char(to, '\\');
      text_char(to, (char)c);
    } else if (c >= 7 && c <= 13) {
      text_char(to, '\\');
      text_char(to, letters[c - 7]);
    } else if (c == 27) {
      text_string(to, "\\E");
    } else if (point & POINT_BYTE || point < 32 || point == 127) {
      text_format(to, "\\%03o", c);
    } else if (point > 127 && !unicode_is(point, UNICODE_PRINT)) {
      for (size_t k = 0; k < used; k++) text_format(to, "\\%03o", (unsigned char)value[i + k]);
    } else {
      text_add(to, value + i, used);
    }
  }
  text_char(to, '\'');
}

void quote_double(text *to, const char *value, size_t size) {
  if (quote_needs_ansi(value, size)) {
    quote_ansi(to, value, size);
    return;
  }
  text_char(to, '"');
  for (size_t i = 0; i < size; i++) {
    if (strchr("\"\\$`", value[i]) != NULL) text_char(to, '\\');
    text_char(to, value[i]);
  }
  text_char(to, '"');
}

/* Characters that make a word something else than itself. */
static bool has_meta(const char *value, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char c = value[i];
    if (strchr(" \t\n'\"\\|&;()<>!{}*[]?^$`", c) != NULL) return true;
    if (c == '~' && (i == 0 || value[i - 1] == '=' || value[i - 1] == ':')) return true;
    if (c == '#' && i == 0) return true;
  }
  return false;
}

void quote_trace(text *to, const char *value, size_t size) {
  if (size == 0)
    text_string(to, "''");
  else if (has_meta(value, size))
    quote_single(to, value, size);
  else if (quote_needs_ansi(value, size))
    quote_ansi(to, value, size);
  else
    text_add(to, value, size);
}

void quote_listing(text *to, const char *value, size_t size) {
  if (quote_needs_ansi(value, size))
    quote_ansi(to, value, size);
  else if (has_meta(value, size))
    quote_single(to, value, size);
  else
    text_add(to, value, size);
}

void quote_word(text *to, const char *value, size_t size) {
  if (quote_needs_ansi(value, size))
    quote_ansi(to, value, size);
  else
    quote_single(to, value, size);
}

/* printf %q: backslashes, unless control characters ask for $'..'. */
void shared_quote(text *out, const char *value, size_t size) {
  if (size == 0) {
    text_string(out, "''");
    return;
  }
  if (quote_needs_ansi(value, size)) {
    quote_ansi(out, value, size);
    return;
  }
  for (size_t i = 0; i < size; i++) {
    char c = value[i];
    bool tilde = c == '~' && (i == 0 || value[i - 1] == '=' || value[i - 1] == ':');
    if (strchr(" \t'\"\\|&;()<>!{}*[]?^$`,", c) != NULL || tilde || (c == '#' && i == 0))
      text_char(out, '\\');
    text_char(out, c);
  }
}

void quote_attributes(text *to, const variable *of) {
  static const struct {
    unsigned bit;
    char letter;
  } letters[] = {{ATTR_ARRAY, 'a'},     {ATTR_MAP, 'A'},      {ATTR_INTEGER, 'i'},
                 {ATTR_REFERENCE, 'n'}, {ATTR_READONLY, 'r'}, {ATTR_TRACE, 't'},
                 {ATTR_EXPORT, 'x'},    {ATTR_CAPITAL, 'c'},  {ATTR_LOWER, 'l'},
                 {ATTR_UPPER, 'u'}};
  size_t before = to->len;
  for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
    if (of->attributes & letters[i].bit) text_char(to, letters[i].letter);
  if (to->len == before) text_char(to, '-');
}

static bool plain_key(const char *key) {
  size_t size = strlen(key);
  return size > 0 && !has_meta(key, size) && !quote_needs_ansi(key, size) && *key != 0;
}

void quote_array(text *to, const variable *of) {
  text_char(to, '(');
  if (of->attributes & ATTR_ARRAY) {
    for (size_t i = 0; i < of->array.count; i++) {
      const item *at = &of->array.items[i];
      text_format(to, "%s[%lld]=", i > 0 ? " " : "", (long long)at->index);
      quote_double(to, at->text, strlen(at->text));
    }
  } else {
    for (pair *at = keyed_next(&of->map, NULL); at != NULL; at = keyed_next(&of->map, at)) {
      text_char(to, '[');
      if (plain_key(at->key))
        text_string(to, at->key);
      else
        quote_double(to, at->key, strlen(at->key));
      text_string(to, "]=");
      quote_double(to, at->text, strlen(at->text));
      text_char(to, ' ');
    }
  }
  text_char(to, ')');
}

void quote_declaration(text *to, const variable *of) {
  text_string(to, of->symbol->name);
  if (of->attributes & ATTR_UNSET) return;
  text_char(to, '=');
  if (of->attributes & (ATTR_ARRAY | ATTR_MAP))
    quote_array(to, of);
  else
    quote_double(to, of->text, of->len);
}
