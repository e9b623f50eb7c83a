// SPDX-License-Identifier: MIT
// sed_parse.c -- reads a sed script.
#include "../text/unicode.h"
#include "sed.h"

static _Noreturn void fail(sed *s, const char *why) {
  bin_die(&s->b, 1, "%s, char %zu: %s", s->expression, (size_t)(s->at - s->start), why);
}

static int peek(const sed *s) {
  return s->at < s->end ? (unsigned char)*s->at : -1;
}
static int take(sed *s) {
  return s->at < s->end ? (unsigned char)*s->at++ : -1;
}

static void skip_blanks(sed *s) {
  while (peek(s) == ' ' || peek(s) == '\t') s->at++;
}

static void skip_space(sed *s) {
  while (peek(s) == ' ' || (peek(s) >= '\t' && peek(s) <= '\r')) s->at++;
}

static uint64_t take_number(sed *s) {
  uint64_t value = 0;
  while (peek(s) >= '0' && peek(s) <= '9') value = value * 10 + (uint64_t)(take(s) - '0');
  return value;
}

static int hex(int c) {
  return c >= '0' && c <= '9'                 ? c - '0'
         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                              : -1;
}

/* \a \f \n \r \t \v \cX \dNNN \oNNN \xHH at `at` (behind the backslash). Returns the bytes it took,
 * 0 when it is none of them. */
static size_t escape(const char *at, const char *end, int *byte) {
  static const char from[] = "afnrtv", to[] = "\a\f\n\r\t\v";
  const char *known = *at != 0 ? strchr(from, *at) : NULL;
  if (known != NULL) {
    *byte = (unsigned char)to[known - from];
    return 1;
  }
  int base = *at == 'd' ? 10 : *at == 'o' ? 8 : *at == 'x' ? 16 : 0, digits = 0, value = 0;
  if (*at == 'c' && at + 1 < end) {
    *byte = (at[1] >= 'a' && at[1] <= 'z' ? at[1] - 32 : at[1]) ^ 0x40;
    return 2;
  }
  while (base != 0 && digits < (base == 16 ? 2 : 3) && at + 1 + digits < end) {
    int digit = hex((unsigned char)at[1 + digits]);
    if (digit < 0 || digit >= base) break;
    value = value * base + digit;
    digits++;
  }
  if (digits == 0) return 0;
  *byte = value & 0xFF;
  return 1 + (size_t)digits;
}

/* A bracket expression whose [ was taken, through its ]. False when the text ends before that. */
static bool take_bracket(sed *s, text *t) {
  int mark = 0;   /* the : . or = of a [: that waits for its :] */
  int before = 0; /* what a c may follow; 0 where it has no meaning */
  for (size_t count = 0;; count++) {
    int c = take(s);
    if (c < 0 || c == '\n') {
      if (c == '\n') s->at--;
      return false;
    }
    if (c == 'n' && before == '\\') {
      t->at[t->len - 1] = '\n';
      before = 0;
      continue;
    }
    text_char(t, (char)c);
    bool leads = count == 0 || (count == 1 && before == '^'); /* a ] here is a member */
    if (mark == 0 && c == ']' && !leads) return true;
    if (mark == 0 && before == '[' && c != 0 && strchr(":.=", c) != NULL) {
      mark = c;
      before = 0; /* [:] does not end at once */
    } else if (mark != 0 && c == ']' && before == mark) {
      mark = before = 0;
    } else {
      before = c;
    }
  }
}

/* Text up to the delimiter, which a backslash makes an ordinary character. In a regex newlines are
 * written \n, other escapes stand for their byte, and a bracket expression hides the delimiter. */
static char *take_delimited(sed *s, int delimiter, bool is_regex, size_t *size,
                            const char *unterminated) {
  text t = {0};
  for (;;) {
    int c = take(s);
    if (c < 0 || (c == '\n' && is_regex)) {
      if (c == '\n') s->at--;
      fail(s, unterminated);
    }
    if (c == delimiter) break;
    if (c != '\\') {
      text_char(&t, (char)c);
      if (c == '[' && is_regex && !take_bracket(s, &t)) fail(s, unterminated);
      continue;
    }
    c = take(s);
    if (c < 0) fail(s, unterminated);
    if (c == delimiter && delimiter != '\\') {
      text_char(&t, (char)c);
    } else if (c == 'n' && is_regex) {
      text_char(&t, '\n');
    } else if (c == '\n' && is_regex) {
      text_char(&t, '\n');
    } else {
      text_char(&t, '\\');
      text_char(&t, (char)c);
    }
  }
  *size = t.len;
  return text_end(&t);
}

/* Replaces the escapes that regex.c does not know by what they stand for, quoted when special. */
static char *expand_escapes(const char *from, size_t *size) {
  text t = {0};
  const char *end = from + *size;
  bool bracket = false;
  for (const char *at = from; at < end; at++) {
    if (*at == '[' && !bracket) {
      bracket = true;
      text_char(&t, *at);
      if (at + 1 < end && at[1] == '^') text_char(&t, *++at);
      if (at + 1 < end && at[1] == ']') text_char(&t, *++at);
      continue;
    }
    if (bracket && *at == '[' && at + 1 < end && strchr(":.=", at[1]) != NULL) {
      char mark = at[1];
      do {
        text_char(&t, *at++);
      } while (at < end && !(at[0] == mark && at + 1 < end && at[1] == ']'));
      if (at < end) text_char(&t, *at);
      continue;
    }
    if (*at == ']') bracket = false;
    int byte;
    size_t used = *at == '\\' && at + 1 < end ? escape(at + 1, end, &byte) : 0;
    if (used == 0) {
      text_char(&t, *at);
      if (*at == '\\' && at + 1 < end && !bracket) text_char(&t, *++at);
      continue;
    }
    if (!bracket && strchr("*.[]^$\\/+?(){}|", byte) != NULL && byte != 0) {
      text_char(&t, '[');
      if (byte == '^' || byte == '\\') t.at[t.len - 1] = '\\';
      text_char(&t, (char)byte);
      if (byte != '^' && byte != '\\') text_char(&t, ']');
    } else {
      text_char(&t, (char)byte);
    }
    at += used;
  }
  *size = t.len;
  return text_end(&t);
}

static regex *compile(sed *s, const char *pattern, size_t size, unsigned flags) {
  const char *error;
  if (size == 0) {
    if (flags != 0) fail(s, "no previous regular expression");
    return NULL;
  }
  if (s->c_locale) flags |= REGEX_BYTES;
  size_t expanded_size = size;
  char *expanded = expand_escapes(pattern, &expanded_size);
  regex *re = regex_compile(expanded, expanded_size, s->extended ? REGEX_EXTENDED : REGEX_BASIC,
                            flags, &error);
  if (re == NULL) fail(s, error);
  return re;
}

/* ---- addresses ---- */

static bool take_address(sed *s, sed_address *address, bool second) {
  int c = peek(s);
  *address = (sed_address){0};
  if (c >= '0' && c <= '9') {
    address->number = take_number(s);
    address->kind = address->number == 0 ? ADDRESS_ZERO : ADDRESS_LINE;
    skip_blanks(s);
    if (peek(s) == '~' && !second) {
      s->at++;
      skip_blanks(s);
      address->step = take_number(s);
      address->kind = address->step > 0 ? ADDRESS_STEP : ADDRESS_LINE;
    }
    return true;
  }
  if (c == '$') {
    s->at++;
    address->kind = ADDRESS_LAST;
    return true;
  }
  if (second && (c == '+' || c == '~')) {
    s->at++;
    if (!(peek(s) >= '0' && peek(s) <= '9')) fail(s, "expected number");
    address->number = take_number(s);
    address->kind = c == '+' ? ADDRESS_PLUS : ADDRESS_MULTIPLE;
    return true;
  }
  if (c != '/' && c != '\\') return false;
  s->at++;
  int delimiter = c == '\\' ? take(s) : c;
  size_t size;
  char *pattern = take_delimited(s, delimiter, true, &size, "unterminated address regex");
  unsigned flags = 0;
  for (;; s->at++) {
    if (peek(s) == 'I')
      flags |= REGEX_ICASE;
    else if (peek(s) == 'M')
      flags |= REGEX_LINES;
    else
      break;
  }
  address->kind = ADDRESS_REGEX;
  address->re = compile(s, pattern, size, flags);
  return true;
}

static void take_addresses(sed *s, sed_command *c) {
  if (!take_address(s, &c->first, false)) return;
  skip_space(s);
  if (peek(s) == ',') {
    s->at++;
    skip_space(s);
    if (!take_address(s, &c->second, true)) fail(s, "unexpected `,'");
    if (c->second.kind == ADDRESS_ZERO) c->second.kind = ADDRESS_LINE;
  }
  if (c->first.kind == ADDRESS_ZERO) {
    c->active = true;
  }
}

/* ---- what commands take ---- */

static void end_command(sed *s) {
  skip_blanks(s);
  int c = peek(s);
  if (c == '}' || c == '#') return;
  if (c >= 0) s->at++;
  if (c >= 0 && c != '\n' && c != ';') fail(s, "extra characters after command");
}

static char *take_to_newline(sed *s) {
  const char *begin = s->at;
  while (peek(s) >= 0 && peek(s) != '\n') s->at++;
  return memory_copy(begin, (size_t)(s->at - begin));
}

static sed_file *open_file(sed *s, const char *path) {
  if (*path == 0) fail(s, "missing filename in r/R/w/W commands");
  if (strcmp(path, "/dev/stdout") == 0) return &s->standard;
  for (sed_file *f = s->files; f != NULL; f = f->next) {
    if (strcmp(f->path, path) == 0) return f;
  }
  sed_file *f = memory_take(sizeof *f);
  *f = (sed_file){.next = s->files, .path = path, .out = &f->own};
  int fd = strcmp(path, "/dev/stderr") == 0
               ? 2
               : sys_open(path, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
  if (fd < 0) bin_die(&s->b, 4, "couldn't open file %s: %s", path, error_text(fd));
  output_open_fd(&f->own, fd);
  return s->files = f;
}

/* a, i and c: "a text", or "a\" and lines that go on while they end in a backslash. */
static void take_text(sed *s, sed_command *c) {
  skip_blanks(s);
  if (peek(s) < 0) fail(s, "expected \\ after `a', `c' or `i'");
  if (peek(s) == '\\') {
    const char *before = s->at++;
    skip_blanks(s);
    if (peek(s) == '\n') {
      s->at++;
    } else if (peek(s) < 0) {
      c->text = memory_string("");
      return;
    } else {
      s->at = before + 1; /* GNU: a\text keeps the text's leading blanks */
    }
  }
  text t = {0};
  for (;;) {
    int ch = take(s);
    if (ch < 0 || ch == '\n') break;
    if (ch == '\\') {
      ch = take(s);
      if (ch < 0) break;
      int byte;
      size_t used = ch == '\n' ? 0 : escape(s->at - 1, s->end, &byte);
      if (used > 0) {
        text_char(&t, (char)byte);
        s->at += used - 1;
        continue;
      }
    }
    text_char(&t, (char)ch);
  }
  text_char(&t, '\n');
  c->text_size = t.len;
  c->text = text_end(&t);
}

static void push_piece(sed_command *c, sed_piece piece) {
  c->pieces = memory_resize(c->pieces, (c->piece_count + 1) * sizeof *c->pieces);
  c->pieces[c->piece_count++] = piece;
}

static void parse_replacement(sed *s, sed_command *c, const char *from, size_t size) {
  const char *end = from + size;
  text t = {0};
  sed_piece piece = {.group = -1};
  for (const char *at = from; at < end; at++) {
    int group = -1, byte;
    sed_case all = CASE_KEEP, next = CASE_KEEP;
    size_t used;
    if (*at == '&') {
      group = 0;
    } else if (*at == '\\' && at + 1 < end) {
      at++;
      switch (*at) {
        case 'U':
          all = CASE_UPPER;
          break;
        case 'L':
          all = CASE_LOWER;
          break;
        case 'E':
          all = CASE_STOP;
          break;
        case 'u':
          next = CASE_UPPER;
          break;
        case 'l':
          next = CASE_LOWER;
          break;
        default:
          if (*at >= '0' && *at <= '9') {
            group = *at - '0';
          } else if ((used = escape(at, end, &byte)) > 0) {
            text_char(&t, (char)byte);
            at += used - 1;
          } else {
            text_char(&t, *at);
          }
          break;
      }
      if (group < 0 && all == CASE_KEEP && next == CASE_KEEP) continue;
    } else {
      text_char(&t, *at);
      continue;
    }
    piece.text = memory_copy(t.at, t.len);
    piece.size = t.len;
    piece.group = group;
    if (group > c->groups) c->groups = group;
    push_piece(c, piece);
    t.len = 0;
    piece = (sed_piece){.group = -1, .all = all, .next = next};
  }
  piece.text = memory_copy(t.at, t.len);
  piece.size = t.len;
  push_piece(c, piece);
  text_free(&t);
  if (c->re != NULL && c->groups > (int)regex_groups(c->re)) {
    text why = {0};
    text_format(&why, "invalid reference \\%d on `s' command's RHS", c->groups);
    fail(s, text_end(&why));
  }
}

static void parse_substitute(sed *s, sed_command *c) {
  static const char unterminated[] = "unterminated `s' command";
  int delimiter = take(s);
  if (delimiter < 0 || delimiter == '\n' || delimiter == '\\') fail(s, unterminated);
  size_t pattern_size, size;
  char *pattern = take_delimited(s, delimiter, true, &pattern_size, unterminated);
  char *replacement = take_delimited(s, delimiter, false, &size, unterminated);
  unsigned flags = 0;
  bool more = true, numbered = false;
  c->which = 1;
  while (more) {
    int flag = peek(s);
    switch (flag) {
      case 'g':
        if (c->global) fail(s, "multiple `g' options to `s' command");
        c->global = true;
        s->at++;
        break;
      case 'p':
        if (c->print) fail(s, "multiple `p' options to `s' command");
        c->print = true;
        s->at++;
        break;
      case 'i':
      case 'I':
        flags |= REGEX_ICASE;
        s->at++;
        break;
      case 'm':
      case 'M':
        flags |= REGEX_LINES;
        s->at++;
        break;
      case 'e':
        fail(s, "the `e' option is not supported here");
      case 'w':
        s->at++;
        skip_blanks(s);
        c->file = open_file(s, take_to_newline(s));
        more = false;
        break;
      default:
        if (!(flag >= '0' && flag <= '9')) {
          more = false;
          break;
        }
        if (numbered) fail(s, "multiple number options to `s' command");
        c->which = take_number(s);
        numbered = true;
        if (c->which == 0) fail(s, "number option to `s' command may not be zero");
        break;
    }
  }
  int after = peek(s);
  if (after >= 0 && strchr(" \t\n;}#\r", after) == NULL) {
    s->at++;
    fail(s, "unknown option to `s'");
  }
  c->re = compile(s, pattern, pattern_size, flags);
  parse_replacement(s, c, replacement, size);
}

static size_t take_points(sed *s, const char *at, size_t size, uint32_t *to) {
  size_t count = 0;
  for (size_t i = 0; i < size;) {
    int byte;
    size_t used;
    if (at[i] == '\\' && i + 1 < size) {
      used = escape(at + i + 1, at + size, &byte);
      if (used > 0) {
        to[count++] = (uint32_t)byte;
        i += 1 + used;
        continue;
      }
      if (at[i + 1] == '\\') {
        to[count++] = '\\';
        i += 2;
        continue;
      }
    }
    uint32_t c;
    size_t length = s->c_locale ? 0 : utf8_decode(at + i, size - i, &c);
    to[count++] = length == 0 ? (unsigned char)at[i] : c;
    i += length == 0 ? 1 : length;
  }
  return count;
}

static void parse_map(sed *s, sed_command *c) {
  static const char unterminated[] = "unterminated `y' command";
  int delimiter = take(s);
  if (delimiter < 0 || delimiter == '\n' || delimiter == '\\') fail(s, unterminated);
  size_t from_size, to_size;
  char *from = take_delimited(s, delimiter, false, &from_size, unterminated);
  char *to = take_delimited(s, delimiter, false, &to_size, unterminated);
  c->from = memory_take((from_size + 1) * sizeof *c->from);
  c->to = memory_take((to_size + 1) * sizeof *c->to);
  c->map_count = take_points(s, from, from_size, c->from);
  if (take_points(s, to, to_size, c->to) != c->map_count) {
    fail(s, "strings for `y' command are different lengths");
  }
  end_command(s);
}

static void open_block(sed *s) {
  if (s->block_count == s->block_room) {
    s->block_room = s->block_room * 2 + 16;
    s->blocks = memory_resize(s->blocks, s->block_room * sizeof *s->blocks);
  }
  s->blocks[s->block_count++] = s->count;
}

static void close_block(sed *s, const sed_command *c) {
  if (s->block_count == 0) fail(s, "unexpected `}'");
  if (c->first.kind != ADDRESS_NONE) fail(s, "} doesn't want any addresses");
  s->commands[s->blocks[--s->block_count]].jump = s->count + 1;
}

static char *take_label(sed *s, bool to_line_end) {
  skip_blanks(s);
  const char *begin = s->at;
  while (peek(s) >= 0 && peek(s) != '\n' && (to_line_end || (peek(s) != ';' && peek(s) != '}')))
    s->at++;
  const char *end = s->at;
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) end--;
  return memory_copy(begin, (size_t)(end - begin));
}

/* Everything behind the command's letter. */
static void parse_arguments(sed *s, sed_command *c) {
  switch (c->name) {
    case '{':
      open_block(s);
      break;
    case '}':
      close_block(s, c);
      end_command(s);
      break;
    case ':':
      if (c->first.kind != ADDRESS_NONE) fail(s, ": doesn't want any addresses");
      c->label = take_label(s, false);
      if (*c->label == 0) fail(s, "\":\" lacks a label");
      break;
    case 'a':
    case 'i':
    case 'c':
      take_text(s, c);
      break;
    case 'b':
    case 't':
    case 'T':
      c->label = take_label(s, false);
      end_command(s);
      break;
    case 'r':
    case 'R':
      skip_blanks(s);
      c->text = take_to_newline(s);
      if (*c->text == 0) fail(s, "missing filename in r/R/w/W commands");
      c->reader = s->reader_count++;
      break;
    case 'w':
    case 'W':
      skip_blanks(s);
      c->file = open_file(s, take_to_newline(s));
      break;
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      skip_blanks(s);
      c->number = c->name == 'l' ? -1 : 0;
      if (peek(s) >= '0' && peek(s) <= '9') c->number = (int64_t)take_number(s);
      if (c->second.kind != ADDRESS_NONE && c->name != 'l')
        fail(s, "command only uses one address");
      end_command(s);
      break;
    case 's':
      parse_substitute(s, c);
      end_command(s);
      break;
    case 'y':
      parse_map(s, c);
      break;
    case 'v':
      take_label(s, false);
      end_command(s);
      break;
    case 'e':
      fail(s, "the `e' command is not supported here");
    case '=':
    case 'd':
    case 'D':
    case 'F':
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'n':
    case 'N':
    case 'p':
    case 'P':
    case 'x':
    case 'z':
      end_command(s);
      break;
    default: {
      text why = {0};
      text_format(&why, "unknown command: `%c'", c->name);
      fail(s, text_end(&why));
    }
  }
}

void sed_parse(sed *s, const char *script, size_t size, const char *what) {
  s->at = s->start = script;
  s->end = script + size;
  s->expression = what;
  for (;;) {
    while (peek(s) == ';' || peek(s) == ' ' || (peek(s) >= '\t' && peek(s) <= '\r')) s->at++;
    if (peek(s) < 0) return;
    if (peek(s) == '#') {
      take_to_newline(s);
      continue;
    }
    sed_command c = {0};
    take_addresses(s, &c);
    skip_space(s);
    while (peek(s) == '!') {
      if (c.negated) fail(s, "multiple `!'s");
      c.negated = true;
      s->at++;
      skip_space(s);
    }
    int name = take(s);
    if (name < 0) fail(s, "missing command");
    c.name = (char)name;
    if (c.first.kind == ADDRESS_ZERO && c.second.kind != ADDRESS_REGEX)
      fail(s, "invalid usage of line address 0");
    if (s->count == s->room) {
      s->room = s->room * 2 + 16;
      s->commands = memory_resize(s->commands, s->room * sizeof *s->commands);
    }
    parse_arguments(s, &c);
    s->commands[s->count++] = c;
  }
}

void sed_parse_end(sed *s) {
  if (s->block_count > 0) bin_die(&s->b, 1, "%s, char 0: unmatched `{'", s->expression);
  for (size_t i = 0; i < s->count; i++) {
    sed_command *c = &s->commands[i];
    if (strchr("btT", c->name) == NULL) continue;
    c->jump = s->count;
    if (*c->label == 0) continue;
    size_t k = 0;
    while (k < s->count &&
           !(s->commands[k].name == ':' && strcmp(s->commands[k].label, c->label) == 0))
      k++;
    if (k == s->count) bin_die(&s->b, 4, "can't find label for jump to `%s'", c->label);
    c->jump = k;
  }
}
