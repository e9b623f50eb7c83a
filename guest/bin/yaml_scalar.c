// SPDX-License-Identifier: MIT
/* yaml_scalar.c -- YAML's scalars: plain, quoted and block ones, and what a plain one means. */
#include <stdlib.h>

#include "../text/unicode.h"
#include "yaml_reader.h"

/* ---- the core schema ---- */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_one_of(const char *at, size_t size, const char *const *words) {
  for (; *words != NULL; words++) {
    if (strlen(*words) == size && memcmp(at, *words, size) == 0) return true;
  }
  return false;
}

/* Digits of base 8 or 16 behind "0o" or "0x", as a decimal number. */
static bool read_based(const char *at, size_t size, text *number) {
  unsigned base = size > 2 && at[0] == '0' ? (at[1] == 'o' ? 8 : at[1] == 'x' ? 16 : 0) : 0;
  if (base == 0) return false;
  uint64_t whole = 0;
  double large = 0;
  for (size_t i = 2; i < size; i++) {
    unsigned lower = (unsigned char)at[i] | 32u;
    unsigned digit = is_digit(at[i])                ? (unsigned)(at[i] - '0')
                     : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                    : 99;
    if (digit >= base) return false;
    whole = whole * base + digit;
    large = large * base + digit;
  }
  if (large < 9007199254740992.0)
    text_format(number, "%llu", (unsigned long long)whole);
  else
    text_format(number, "%.17g", large);
  return true;
}

/* A decimal number, as JSON writes it. *integer tells which of the two kinds it is. */
static bool read_decimal(const char *at, size_t size, text *number, bool *integer) {
  const char *limit = at + size;
  if (at < limit && (*at == '-' || *at == '+')) {
    if (*at == '-') text_char(number, '-');
    at++;
  }
  const char *digits = at;
  while (at < limit && is_digit(*at)) at++;
  size_t whole = (size_t)(at - digits), fraction = 0;
  *integer = at == limit;
  while (whole > 1 && *digits == '0') digits++, whole--;
  text_add(number, whole > 0 ? digits : "0", whole > 0 ? whole : 1);
  if (at < limit && *at == '.') {
    const char *begin = ++at;
    while (at < limit && is_digit(*at)) at++;
    fraction = (size_t)(at - begin);
    text_char(number, '.');
    text_add(number, fraction > 0 ? begin : "0", fraction > 0 ? fraction : 1);
  }
  if (whole + fraction == 0) return false;
  if (at < limit && (*at | 32) == 'e') {
    text_char(number, *at++);
    if (at < limit && (*at == '-' || *at == '+')) text_char(number, *at++);
    if (at == limit) return false;
    while (at < limit && is_digit(*at)) text_char(number, *at++);
  }
  return at == limit;
}

static bool read_number(yaml_node *node, bool *integer) {
  static const char *const infinite[] = {".inf", ".Inf", ".INF", NULL};
  static const char *const none[] = {".nan", ".NaN", ".NAN", NULL};
  const char *at = node->at;
  size_t size = node->size, sign = size > 0 && (*at == '-' || *at == '+');
  text number = {0};
  *integer = false;
  if (is_one_of(at, size, none)) {
    text_string(&number, ".nan");
  } else if (is_one_of(at + sign, size - sign, infinite)) {
    text_string(&number, *at == '-' ? "-.inf" : ".inf");
  } else if (read_based(at, size, &number)) {
    *integer = true;
  } else {
    number.len = 0;
    if (!read_decimal(at, size, &number, integer)) {
      text_free(&number);
      return false;
    }
  }
  node->size = number.len;
  node->at = text_end(&number);
  node->kind = YAML_NUMBER;
  return true;
}

static bool read_word(yaml_node *node, yaml_kind *kind) {
  static const char *const nothing[] = {"", "~", "null", "Null", "NULL", NULL};
  static const char *const yes[] = {"true", "True", "TRUE", NULL};
  static const char *const no[] = {"false", "False", "FALSE", NULL};
  if (is_one_of(node->at, node->size, nothing))
    *kind = YAML_NULL;
  else if (is_one_of(node->at, node->size, yes))
    *kind = YAML_TRUE;
  else if (is_one_of(node->at, node->size, no))
    *kind = YAML_FALSE;
  else
    return false;
  return true;
}

static void resolve_plain(yaml_node *node) {
  bool integer;
  node->merge = node->size == 2 && memcmp(node->at, "<<", 2) == 0;
  if (!read_word(node, &node->kind)) read_number(node, &integer);
}

/* The name of a core tag, `!!int` or `!<tag:yaml.org,2002:int>`, in `name`. */
static void core_name(const char *tag, size_t size, text *name) {
  static const char prefix[] = "!<tag:yaml.org,2002:";
  size_t skip = sizeof prefix - 1;
  if (size > skip && memcmp(tag, prefix, skip) == 0)
    text_add(name, tag + skip, size - skip - 1); /* less the '>' */
  else if (size > 2 && tag[1] == '!')
    text_add(name, tag + 2, size - 2);
}

/* A whole number that is to be a float. */
static void add_point(yaml_node *node) {
  text number = {0};
  text_format(&number, "%s.0", node->at);
  node->size = number.len;
  node->at = text_end(&number);
}

bool yaml_resolve(yaml *y, yaml_node *node, const char *tag, size_t size, yaml_position where) {
  bool plain = node->plain, integer, fits = true;
  node->plain = false;
  if (node->kind == YAML_LIST || node->kind == YAML_MAP) return true;
  if (tag == NULL) {
    if (plain) resolve_plain(node);
    return true;
  }
  text name = {0};
  core_name(tag, size, &name);
  const char *core = text_end(&name);
  yaml_kind kind = YAML_STRING;
  node->kind = YAML_STRING;
  if (strcmp(core, "int") == 0) {
    fits = read_number(node, &integer) && integer;
  } else if (strcmp(core, "float") == 0) {
    fits = read_number(node, &integer);
    if (fits && integer) add_point(node);
  } else if (strcmp(core, "bool") == 0) {
    fits = read_word(node, &kind) && kind != YAML_NULL;
    node->kind = kind;
  } else if (strcmp(core, "null") == 0) {
    fits = read_word(node, &kind) && kind == YAML_NULL;
    node->kind = kind;
  }
  text_free(&name);
  if (!fits) yaml_fail(y, where, "the value does not fit its tag");
  return fits;
}

/* ---- plain ---- */

bool yaml_plain_begins(const yaml *y, bool flow) {
  char c = yaml_char(y), after = yaml_char_after(y);
  if (c == '-' || c == '?' || c == ':')
    return !yaml_is_space(after) && !(flow && yaml_is_flow_mark(after));
  return !yaml_is_space(c) && strchr(",[]{}#&*!|>'\"%@`", c) == NULL;
}

size_t yaml_plain_end(const yaml *y, bool flow) {
  const char *text = y->text;
  size_t at = y->now.at;
  for (; text[at] != 0 && text[at] != '\n'; at++) {
    char c = text[at], after = text[at + 1];
    if (c == ':' && (yaml_is_space(after) || (flow && yaml_is_flow_mark(after)))) break;
    if (c == '#' && at > y->now.at && yaml_is_blank(text[at - 1])) break;
    if (flow && yaml_is_flow_mark(c)) break;
  }
  while (at > y->now.at && yaml_is_blank(text[at - 1])) at--;
  return at;
}

/* Skips a line's end and empty lines. The number of line ends. */
static size_t skip_lines(yaml *y) {
  size_t breaks = 0;
  for (;;) {
    size_t back = y->now.at;
    yaml_blanks(y);
    if (yaml_char(y) != '\n') {
      if (breaks == 0) y->now.at = back;
      return breaks;
    }
    yaml_newline(y);
    breaks++;
  }
}

/* One line end is a blank; of more, all but the first stay. */
static void add_folded(text *to, size_t breaks) {
  if (breaks == 1)
    text_char(to, ' ');
  else
    text_pad(to, '\n', breaks - 1);
}

/* Whether a plain scalar goes on in the line that now begins behind its blanks. */
static bool plain_goes_on(const yaml *y, long parent, bool flow) {
  char c = yaml_char(y);
  size_t indent = 0;
  while (y->text[y->now.line_start + indent] == ' ') indent++;
  if (c == 0 || c == '#' || yaml_at_marker(y)) return false;
  if (flow) return yaml_plain_end(y, true) > y->now.at;
  return (long)indent > parent;
}

yaml_node *yaml_plain(yaml *y, long parent, bool flow, bool key) {
  yaml_node *node = yaml_node_new(y->now, y, YAML_STRING);
  text all = {0};
  for (;;) {
    size_t end = yaml_plain_end(y, flow);
    text_add(&all, y->text + y->now.at, end - y->now.at);
    y->now.at = end;
    yaml_position back = y->now;
    size_t breaks = key ? 0 : skip_lines(y);
    if (breaks == 0 || !plain_goes_on(y, parent, flow)) {
      y->now = back;
      break;
    }
    add_folded(&all, breaks);
  }
  node->size = all.len;
  node->at = text_end(&all);
  node->plain = true;
  return node;
}

/* ---- quoted ---- */

static bool read_hex(yaml *y, size_t digits, uint32_t *point) {
  *point = 0;
  for (size_t i = 0; i < digits; i++, y->now.at++) {
    char c = yaml_char(y);
    unsigned lower = (unsigned char)c | 32u;
    unsigned digit = is_digit(c)                    ? (unsigned)(c - '0')
                     : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                    : 99;
    if (digit == 99) return false;
    *point = *point << 4 | digit;
  }
  return true;
}

/* \x, \u or \U, whose letter was read; two halves of a surrogate pair are one character. */
static bool read_point(yaml *y, char letter, text *to) {
  uint32_t point, low;
  if (!read_hex(y, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, &point)) return false;
  if (letter == 'u' && point >= 0xD800 && point < 0xDC00 && yaml_char(y) == '\\' &&
      yaml_char_after(y) == 'u') {
    y->now.at += 2;
    if (!read_hex(y, 4, &low) || low < 0xDC00 || low > 0xDFFF) return false;
    point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
  }
  if (point > UNICODE_LAST || (point >= 0xD800 && point <= 0xDFFF)) return false;
  char bytes[4];
  text_add(to, bytes, utf8_encode(point, bytes));
  return true;
}

static bool read_escape(yaml *y, text *to) {
  static const char letters[] = "0abtnvfre \"/\\N_LP\t";
  static const char *const meanings[] = {
      "\0", "\a", "\b", "\t", "\n",       "\v",       "\f",           "\r",           "\x1B",
      " ",  "\"", "/",  "\\", "\xC2\x85", "\xC2\xA0", "\xE2\x80\xA8", "\xE2\x80\xA9", "\t"};
  yaml_position where = y->now;
  char c = y->text[++y->now.at];
  const char *found = c == 0 ? NULL : strchr(letters, c);
  if (found != NULL) {
    const char *meaning = meanings[found - letters];
    text_add(to, meaning, c == '0' ? 1 : strlen(meaning));
    y->now.at++;
    return true;
  }
  if (c == 'x' || c == 'u' || c == 'U') {
    y->now.at++;
    if (read_point(y, c, to)) return true;
  }
  yaml_fail(y, where, "an escape that YAML does not have");
  return false;
}

/* A line end inside quotes. `kept` bytes of the text were written as escapes and stay. */
static bool fold_quoted(yaml *y, text *to, size_t kept) {
  while (to->len > kept && yaml_is_blank(to->at[to->len - 1])) to->len--;
  add_folded(to, skip_lines(y));
  if (!yaml_at_marker(y)) return true;
  yaml_fail(y, y->now, "a document ends inside quotes");
  return false;
}

yaml_node *yaml_quoted(yaml *y, bool key) {
  yaml_position where = y->now;
  yaml_node *node = yaml_node_new(where, y, YAML_STRING);
  char quote = yaml_char(y);
  text all = {0};
  size_t kept = 0;
  y->now.at++;
  for (;;) {
    char c = yaml_char(y);
    if (c == 0) return yaml_fail(y, where, "quotes that nothing closes");
    if (c == quote && !(quote == '\'' && yaml_char_after(y) == quote)) break;
    if (c == '\n') {
      if (key) return yaml_fail(y, where, "a key has to stand on one line");
      if (!fold_quoted(y, &all, kept)) return NULL;
    } else if (c == '\\' && quote == '"' && yaml_char_after(y) == '\n') {
      y->now.at++;
      yaml_newline(y);
      kept = all.len;
      size_t breaks = skip_lines(y);
      text_pad(&all, '\n', breaks);
      yaml_blanks(y);
    } else if (c == '\\' && quote == '"') {
      if (!read_escape(y, &all)) return NULL;
      kept = all.len;
    } else {
      text_char(&all, c);
      y->now.at += c == quote ? 2 : 1;
    }
  }
  y->now.at++;
  node->size = all.len;
  node->at = text_end(&all);
  return node;
}

/* ---- block scalars ---- */

typedef struct {
  bool folded;
  char chomp;    /* '-', '+' or 0 */
  size_t indent; /* columns of the text; 0 until it is known */
} block_style;

/* The marks behind `|` or `>`, to the end of the line. */
static bool read_block_header(yaml *y, long parent, block_style *style) {
  yaml_position where = y->now;
  style->folded = yaml_char(y) == '>';
  y->now.at++;
  for (char c; (c = yaml_char(y)) == '-' || c == '+' || (c >= '1' && c <= '9'); y->now.at++) {
    bool digit = is_digit(c);
    if (digit ? style->indent != 0 : style->chomp != 0) break;
    if (digit)
      style->indent = (size_t)(c - '0') + (parent > 0 ? (size_t)parent : 0);
    else
      style->chomp = c;
  }
  bool parted = yaml_is_blank(yaml_char(y));
  yaml_blanks(y);
  if (parted && yaml_char(y) == '#') {
    while (yaml_char(y) != 0 && yaml_char(y) != '\n') y->now.at++;
  }
  if (!yaml_is_space(yaml_char(y))) {
    yaml_fail(y, where, "text behind the mark of a block scalar");
    return false;
  }
  if (yaml_char(y) == '\n') yaml_newline(y);
  return true;
}

/* The first line with text says how deep all are indented. */
static bool find_indent(yaml *y, long parent, block_style *style) {
  size_t least = (size_t)(parent + 1), longest = 0, line = y->now.at;
  for (;;) {
    size_t spaces = 0;
    while (y->text[line + spaces] == ' ') spaces++;
    char c = y->text[line + spaces];
    if (c != '\n') {
      style->indent = c != 0 && spaces >= least ? spaces : least > longest ? least : longest;
      bool deeper = c != 0 && spaces >= least && longest > spaces;
      if (deeper) yaml_fail(y, y->now, "an empty line is indented deeper than the text below it");
      return !deeper;
    }
    if (spaces > longest) longest = spaces;
    line += spaces + 1;
  }
}

/* Whether a line of the text begins here; the position is then behind its indentation. */
static bool begin_block_line(yaml *y, size_t indent, bool *empty) {
  size_t spaces = 0;
  while (spaces < indent && y->text[y->now.at + spaces] == ' ') spaces++;
  char c = y->text[y->now.at + spaces];
  *empty = c == '\n';
  if (c == 0 || (!*empty && spaces < indent) || yaml_at_marker(y)) return false;
  y->now.at += spaces;
  return true;
}

yaml_node *yaml_block_scalar(yaml *y, long parent) {
  yaml_node *node = yaml_node_new(y->now, y, YAML_STRING);
  block_style style = {0};
  if (!read_block_header(y, parent, &style)) return NULL;
  if (style.indent == 0 && !find_indent(y, parent, &style)) return NULL;
  text all = {0};
  size_t breaks = 0; /* line ends that were read and not yet written */
  bool any = false, deep_before = false, empty;
  while (begin_block_line(y, style.indent, &empty)) {
    if (!empty) {
      size_t begin = y->now.at;
      bool deep = yaml_is_blank(yaml_char(y));
      if (any && style.folded && !deep && !deep_before)
        add_folded(&all, breaks);
      else
        text_pad(&all, '\n', breaks);
      while (yaml_char(y) != 0 && yaml_char(y) != '\n') y->now.at++;
      text_add(&all, y->text + begin, y->now.at - begin);
      any = true, deep_before = deep, breaks = 0;
    }
    if (yaml_char(y) == 0) break;
    yaml_newline(y);
    breaks++;
  }
  if (style.chomp == '+')
    text_pad(&all, '\n', breaks);
  else if (style.chomp == 0 && any && breaks > 0)
    text_char(&all, '\n');
  node->size = all.len;
  node->at = text_end(&all);
  return node;
}
