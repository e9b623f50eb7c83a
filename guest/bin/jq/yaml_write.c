// SPDX-License-Identifier: MIT
// yaml_write.c -- see yaml_write.h.
#include "yaml_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../text/text.h"
#include "../../text/unicode.h"

/* What is not a string without quotes, in either version of YAML. */
static const char meaning[] =
    "^(|~|null|Null|NULL|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF"
    "|[-+]?0b[01_]+|[-+]?0o?[0-7_]+|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])*(\\.[0-9_]*)?"
    "|[-+]?0x[0-9a-fA-F_]+|[-+]?([0-9][0-9_]*)?\\.?[0-9_]+([eE][-+]?[0-9]+)?"
    "|[-+]?[0-9][0-9_]*\\.([eE][-+]?[0-9]+)?"
    "|[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)|=|<<"
    "|[0-9]{4}-[0-9]{2}-[0-9]{2}"
    "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\\.[0-9]*)?"
    "([ \t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?)$";

void yaml_write_start(yaml_writer *w, output *out) {
  const char *error;
  w->out = out;
  w->column = w->documents = 0;
  w->open = w->compact = false;
  if (w->meaning == NULL)
    w->meaning = regex_compile(meaning, sizeof meaning - 1, REGEX_EXTENDED, 0, &error);
}

static void put(yaml_writer *w, const char *at, size_t size) {
  output_write(w->out, at, size);
  w->column += utf8_count(at, size);
  w->compact = false;
}

static void put_mark(yaml_writer *w, const char *mark) {
  put(w, mark, strlen(mark));
  w->open = false;
}

static void new_line(yaml_writer *w, size_t indent) {
  output_byte(w->out, '\n');
  for (size_t i = 0; i < indent; i++) output_byte(w->out, ' ');
  w->column = indent;
  w->compact = false;
}

/* ---- scalars ---- */

typedef struct {
  bool plain, single; /* which styles can hold it */
  bool lines;         /* it has line ends */
} shape;

static bool is_break(uint32_t c) {
  return c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

static bool is_space_or_end(const char *at, size_t left) {
  uint32_t c = 0;
  if (left == 0) return true;
  utf8_decode(at, left, &c);
  return c == ' ' || c == '\t' || c == '\r' || c == 0 || is_break(c);
}

/* Characters that only an escape can show. */
static bool is_special(uint32_t c) {
  if (c == '\n' || (c >= 0x20 && c < 0x7F) || c == 0x85) return false;
  return c < 0xA0 || c == 0xFEFF || (c >= 0xD800 && c < 0xE000) || c == 0xFFFE || c == 0xFFFF;
}

/* Whether a character at this place would be read as a mark in a plain scalar. */
static bool is_mark(uint32_t c, bool first, bool after_space, bool before_space) {
  if (c > 0x7E) return false;
  if (first && strchr("#,[]{}&*!|>'\"%@`", (int)c) != NULL) return true;
  if (first && (c == '?' || c == ':' || c == '-')) return before_space;
  return (c == ':' && before_space) || (c == '#' && after_space);
}

static shape look_at(const char *at, size_t size) {
  shape s = {.plain = true, .single = true};
  bool after_break = false, after_space = false;
  if (size >= 3 && (memcmp(at, "---", 3) == 0 || memcmp(at, "...", 3) == 0)) s.plain = false;
  for (size_t i = 0, step; i < size; i += step) {
    uint32_t c = 0;
    step = utf8_decode(at + i, size - i, &c);
    bool last = i + step == size, before = is_space_or_end(at + i + step, size - i - step);
    if (c == 0 || is_special(c)) s.plain = s.single = false;
    if (is_mark(c, i == 0, i == 0 || after_space || after_break, before)) s.plain = false;
    if (is_break(c)) {
      s.lines = true, s.plain = false;
      if (after_space) s.single = false;
    } else if (c == ' ') {
      if (i == 0 || last) s.plain = false;
      if (after_break) s.single = false;
    }
    after_break = is_break(c);
    after_space = c == ' ';
  }
  return s;
}

static bool means_more(yaml_writer *w, const char *at, size_t size) {
  return regex_search(w->meaning, at, size, 0, 0, NULL, 0) != 0;
}

/* Words parted by blanks; a lone blank becomes a line end where the line is long enough. */
static void put_plain(yaml_writer *w, const char *at, size_t size, size_t indent, bool key) {
  for (size_t i = 0; i < size;) {
    size_t begin = i;
    bool blank = at[i] == ' ';
    while (i < size && (at[i] == ' ') == blank) i++;
    if (blank && i - begin == 1 && w->column > w->width && !key)
      new_line(w, indent);
    else
      put(w, at + begin, i - begin);
  }
}

static size_t break_at(const char *at, size_t left) {
  uint32_t c = 0;
  size_t used = left == 0 ? 0 : utf8_decode(at, left, &c);
  return used > 0 && is_break(c) ? used : 0;
}

static void put_single(yaml_writer *w, const char *at, size_t size, size_t indent, bool key) {
  put_mark(w, "'");
  for (size_t i = 0; i < size;) {
    size_t begin = i, step = break_at(at + i, size - i);
    if (step > 0) {
      if (at[i] == '\n') output_byte(w->out, '\n');
      for (; (step = break_at(at + i, size - i)) > 0; i += step) {
        if (at[i] == '\n')
          output_byte(w->out, '\n');
        else
          output_write(w->out, at + i, step);
      }
      for (size_t blank = 0; blank < indent; blank++) output_byte(w->out, ' ');
      w->column = indent;
    } else if (at[i] == ' ') {
      while (i < size && at[i] == ' ') i++;
      if (i - begin == 1 && w->column > w->width && !key && begin > 0 && i < size)
        new_line(w, indent);
      else
        put(w, at + begin, i - begin);
    } else if (at[i] == '\'') {
      put(w, "''", 2);
      i++;
    } else {
      while (i < size && at[i] != ' ' && at[i] != '\'' && break_at(at + i, size - i) == 0) i++;
      put(w, at + begin, i - begin);
    }
  }
  put_mark(w, "'");
}

static size_t escape(uint32_t c, char *to) {
  static const char from[] = "\a\b\t\n\v\f\r\x1B\"\\", letters[] = "abtnvfre\"\\";
  const char *found = c != 0 && c < 0x80 ? strchr(from, (int)c) : NULL;
  if (found != NULL) return (size_t)sprintf(to, "\\%c", letters[found - from]);
  if (c == 0) return (size_t)sprintf(to, "\\0");
  if (c == 0x85) return (size_t)sprintf(to, "\\N");
  if (c == 0x2028 || c == 0x2029) return (size_t)sprintf(to, c == 0x2028 ? "\\L" : "\\P");
  return (size_t)sprintf(to, c < 0x100 ? "\\x%02X" : c < 0x10000 ? "\\u%04X" : "\\U%08X", c);
}

static void put_double(yaml_writer *w, const char *at, size_t size, size_t indent, bool key) {
  put_mark(w, "\"");
  size_t begin = 0; /* what is not written yet begins here */
  for (size_t i = 0, step; i < size; i += step) {
    uint32_t c = 0;
    char escaped[12];
    step = utf8_decode(at + i, size - i, &c);
    bool escapes = c == '"' || c == '\\' || c == '\n' || c == 0 || is_special(c) || is_break(c);
    if (escapes) {
      put(w, at + begin, i - begin);
      put(w, escaped, escape(c, escaped));
      begin = i + step;
    }
    bool inside = i > 0 && i + step < size;
    size_t pending = begin <= i ? utf8_count(at + begin, i - begin) : 0;
    if (!key && inside && (c == ' ' || escapes) && w->column + pending > w->width) {
      if (begin < i) put(w, at + begin, i - begin), begin = i;
      put(w, "\\", 1);
      new_line(w, indent);
      if (begin < size && at[begin] == ' ') put(w, "\\", 1);
    }
  }
  if (begin < size) put(w, at + begin, size - begin);
  put_mark(w, "\"");
}

static void put_string(yaml_writer *w, jv string, size_t indent, bool key, bool root) {
  const char *at = jv_string_value(string);
  size_t size = (size_t)jv_string_length_bytes(jv_copy(string));
  shape s = look_at(at, size);
  if (s.plain && size > 0 && !means_more(w, at, size)) {
    put_plain(w, at, size, indent, key);
    w->open = root;
  } else if (s.single && !(key && s.lines)) {
    put_single(w, at, size, indent, key);
  } else {
    put_double(w, at, size, indent, key);
  }
  jv_free(string);
}

/* As Python writes a float: the fewest digits that read back as the same number, and always a
 * point. */
static void put_float(yaml_writer *w, double number) {
  char digits[40], text[400];
  int precision = 0;
  if (isnan(number) || isinf(number)) {
    put_mark(w, isnan(number) ? ".nan" : number < 0 ? "-.inf" : ".inf");
    return;
  }
  do {
    snprintf(digits, sizeof digits, "%.*e", precision, number);
  } while (++precision < 17 && strtod(digits, NULL) != number);
  int exponent = atoi(strchr(digits, 'e') + 1);
  if (exponent < -4 || exponent >= 16) {
    char *e = strchr(digits, 'e');
    bool pointed = memchr(digits, '.', (size_t)(e - digits)) != NULL;
    snprintf(text, sizeof text, "%.*s%se%c%02d", (int)(e - digits), digits, pointed ? "" : ".0",
             exponent < 0 ? '-' : '+', abs(exponent));
  } else {
    int places = precision - 1 - exponent;
    snprintf(text, sizeof text, "%.*f", places > 0 ? places : 1, number);
  }
  put_mark(w, text);
}

static void put_number(yaml_writer *w, jv number) {
  jv dumped = jv_dump_string(jv_copy(number), 0);
  const char *at = jv_string_value(dumped);
  if (at[strspn(at, "-0123456789")] == 0)
    put_mark(w, at);
  else
    put_float(w, jv_number_value(number));
  jv_free(dumped);
  jv_free(number);
}

/* ---- collections ---- */

static void put_value(yaml_writer *w, jv value, size_t indent, bool root);

static bool is_filled(jv value) { /* does not take it */
  jv_kind kind = jv_get_kind(value);
  return (kind == JV_KIND_ARRAY && jv_array_length(jv_copy(value)) > 0) ||
         (kind == JV_KIND_OBJECT && jv_object_length(jv_copy(value)) > 0);
}

/* The first entry of a collection may stand behind the "- " that it belongs to. */
static void begin_entry(yaml_writer *w, size_t indent) {
  if (!(w->compact && w->column == indent) && !(w->column == 0 && indent == 0)) new_line(w, indent);
}

static void put_dash(yaml_writer *w, const char *mark) {
  put_mark(w, mark);
  w->compact = true;
}

static void put_list(yaml_writer *w, jv list, size_t indent) {
  jv_array_foreach(list, i, item) {
    begin_entry(w, indent);
    put_dash(w, "- ");
    put_value(w, item, indent + 2, false);
  }
  jv_free(list);
}

/* A key that is short, on one line and not empty stands before a colon; others after a `?`. */
static bool is_simple_key(jv key) {
  const char *at = jv_string_value(key);
  size_t size = (size_t)jv_string_length_bytes(jv_copy(key));
  return size > 0 && utf8_count(at, size) < 128 && !look_at(at, size).lines;
}

static void put_map_value(yaml_writer *w, jv value, size_t indent) {
  if (!is_filled(value)) {
    put(w, " ", 1);
    put_value(w, value, indent + 2, false);
  } else {
    bool flat = w->indentless && jv_get_kind(value) == JV_KIND_ARRAY;
    put_value(w, value, flat ? indent : indent + 2, false);
  }
}

static void put_map(yaml_writer *w, jv map, size_t indent) {
  jv_object_foreach(map, key, value) {
    begin_entry(w, indent);
    if (is_simple_key(key)) {
      put_string(w, key, indent, true, false);
      put_mark(w, ":");
      put_map_value(w, value, indent);
    } else {
      put_dash(w, "? ");
      put_string(w, key, indent + 2, false, false);
      new_line(w, indent);
      put_dash(w, ": ");
      put_value(w, value, indent + 2, false);
    }
  }
  jv_free(map);
}

static void put_value(yaml_writer *w, jv value, size_t indent, bool root) {
  switch (jv_get_kind(value)) {
    case JV_KIND_ARRAY:
      if (is_filled(value)) {
        put_list(w, value, indent);
        return;
      }
      put_mark(w, "[]");
      break;
    case JV_KIND_OBJECT:
      if (is_filled(value)) {
        put_map(w, value, indent);
        return;
      }
      put_mark(w, "{}");
      break;
    case JV_KIND_STRING:
      put_string(w, value, indent, false, root);
      return;
    case JV_KIND_NUMBER:
      put_number(w, value);
      w->open = root;
      return;
    default: {
      jv_kind kind = jv_get_kind(value);
      put_mark(w, kind == JV_KIND_TRUE ? "true" : kind == JV_KIND_FALSE ? "false" : "null");
      w->open = root;
      break;
    }
  }
  jv_free(value);
}

void yaml_write(yaml_writer *w, jv value) {
  bool filled = is_filled(value);
  if (w->documents++ > 0) {
    put_mark(w, "---");
    if (filled)
      new_line(w, 0);
    else
      put(w, " ", 1);
  }
  put_value(w, value, filled ? 0 : 2, true);
  new_line(w, 0);
}

void yaml_write_end(yaml_writer *w) {
  if (w->open) output_string(w->out, "...\n");
}
