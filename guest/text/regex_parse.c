// SPDX-License-Identifier: MIT
// regex_parse.c -- from a pattern to its tree. The POSIX syntaxes differ only in which characters
// are operators, so one token reader serves them all; Perl's additions are in regex_perl.c.
#include <string.h>

#include "regex_parser.h"

typedef enum {
  TOKEN_END,
  TOKEN_CHARACTER,
  TOKEN_OPEN,
  TOKEN_CLOSE,
  TOKEN_OR,
  TOKEN_STAR,
  TOKEN_PLUS,
  TOKEN_OPTIONAL,
  TOKEN_BRACE,
  TOKEN_DOT,
  TOKEN_BRACKET,
  TOKEN_CARET,
  TOKEN_DOLLAR,
  TOKEN_ESCAPE,
} token;

node *regex_parse_fail(parser *p, const char *error) {
  if (p->error == NULL) p->error = error;
  return NULL;
}

static node *checked(parser *p, node *made) {
  return made == NULL ? regex_parse_fail(p, "Memory exhausted") : made;
}

node *regex_node_wrap(parser *p, node_kind kind, node *child) {
  if (child == NULL) return NULL;
  node *made = regex_node_new(p->arena, kind, 1);
  if (made == NULL) return regex_parse_fail(p, "Memory exhausted");
  made->children[0] = child;
  made->captures = child->captures;
  return made;
}

node *regex_node_assert(parser *p, assert_kind kind) {
  node *made = regex_node_new(p->arena, NODE_ASSERT, 0);
  if (made == NULL) return regex_parse_fail(p, "Memory exhausted");
  made->number = kind;
  made->lines = p->lines;
  return made;
}

static node *node_text(parser *p, const char *text, size_t size) {
  node *made = regex_node_new(p->arena, NODE_TEXT, 0);
  char *copy = regex_take(p->arena, size + 1);
  if (made == NULL || copy == NULL) return regex_parse_fail(p, "Memory exhausted");
  memcpy(copy, text, size);
  made->text = copy;
  made->size = (uint32_t)size;
  return made;
}

node *regex_node_byte(parser *p, unsigned char byte) {
  return node_text(p, (const char *)&byte, 1);
}

node *regex_node_character(parser *p, uint32_t c) {
  if (p->icase) {
    regex_set set = {0};
    regex_set_add(p->arena, &set, c, c);
    regex_set_fold(p->arena, &set);
    if (set.count > 1 || (set.count == 1 && set.ranges[0].first != set.ranges[0].last)) {
      node *made = regex_node_new(p->arena, NODE_SET, 0);
      if (made == NULL) return regex_parse_fail(p, "Memory exhausted");
      made->set = set;
      if (p->bytes) {
        while (made->set.count > 0 && made->set.ranges[made->set.count - 1].last > 0xFF) {
          made->set.count--;
        }
      }
      return made;
    }
  }
  if (p->bytes) return regex_node_byte(p, (unsigned char)c);
  char text[4];
  return node_text(p, text, utf8_encode(c, text));
}

uint32_t regex_parser_take(parser *p, bool *raw) {
  uint32_t c = 0;
  size_t length = p->bytes ? 0 : utf8_decode(p->at, (size_t)(p->end - p->at), &c);
  *raw = length == 0;
  if (length == 0) return (unsigned char)*p->at++;
  p->at += length;
  return c;
}

static bool is_extended(const parser *p) {
  return p->syntax != REGEX_BASIC;
}

/* What stands at p->at, without moving. In basic syntax the operators carry a backslash. */
static token peek(const parser *p) {
  if (p->at >= p->end || (p->list && *p->at == '\n')) return TOKEN_END;
  char c = *p->at;
  if (c == '\\') {
    if (p->at + 1 >= p->end) return TOKEN_ESCAPE;
    if (is_extended(p)) return TOKEN_ESCAPE;
    switch (p->at[1]) {
      case '(':
        return TOKEN_OPEN;
      case ')':
        return TOKEN_CLOSE;
      case '|':
        return TOKEN_OR;
      case '+':
        return TOKEN_PLUS;
      case '?':
        return TOKEN_OPTIONAL;
      case '{':
        return TOKEN_BRACE;
      default:
        return TOKEN_ESCAPE;
    }
  }
  switch (c) {
    case '.':
      return TOKEN_DOT;
    case '[':
      return TOKEN_BRACKET;
    case '*':
      return TOKEN_STAR;
    case '^':
      return TOKEN_CARET;
    case '$':
      return TOKEN_DOLLAR;
    default:
      break;
  }
  if (!is_extended(p)) return TOKEN_CHARACTER;
  switch (c) {
    case '(':
      return TOKEN_OPEN;
    case ')':
      return TOKEN_CLOSE;
    case '|':
      return TOKEN_OR;
    case '+':
      return TOKEN_PLUS;
    case '?':
      return TOKEN_OPTIONAL;
    case '{':
      return TOKEN_BRACE;
    default:
      return TOKEN_CHARACTER;
  }
}

/* The bytes of an operator: two in basic syntax when it has a backslash. */
static void skip_operator(parser *p) {
  p->at += *p->at == '\\' ? 2 : 1;
}

/* In basic syntax `$` is an anchor only at an end, `^` only at a start. */
static bool dollar_is_anchor(const parser *p) {
  if (p->syntax != REGEX_BASIC) return true;
  parser ahead = *p;
  ahead.at++;
  token next = peek(&ahead);
  return next == TOKEN_END || next == TOKEN_CLOSE || next == TOKEN_OR;
}

static node *parse_group(parser *p) {
  skip_operator(p);
  if (p->depth >= REGEX_DEPTH) return regex_parse_fail(p, "Regular expression too big");
  if (p->syntax == REGEX_PERL && p->at < p->end && (*p->at == '?' || *p->at == '*')) {
    p->at++;
    return regex_parse_perl_group(p);
  }
  uint32_t number = ++p->groups;
  p->depth++;
  node *inside = regex_parse_alternatives(p);
  p->depth--;
  if (inside == NULL) return NULL;
  if (peek(p) != TOKEN_CLOSE) return regex_parse_fail(p, "Unmatched ( or \\(");
  skip_operator(p);
  if (number < 64) p->closed |= 1ull << number;
  node *group = regex_node_wrap(p, NODE_GROUP, inside);
  if (group == NULL) return NULL;
  group->number = number;
  group->captures = true;
  return group;
}

static node *parse_backref(parser *p, uint32_t digit) {
  uint32_t number = digit + p->group_base;
  if (number > 63 || !(p->closed >> number & 1))
    return regex_parse_fail(p, "Invalid back reference");
  node *made = regex_node_new(p->arena, NODE_BACKREF, 0);
  if (made == NULL) return regex_parse_fail(p, "Memory exhausted");
  made->number = number;
  made->icase = p->icase;
  p->tree->backtrack = true;
  return made;
}

/* Escapes of awk's regular expressions that are those of its strings; -1 for none. */
static int awk_escape(parser *p, char c) {
  static const char from[] = "abfnrtv/\"", to[] = "\a\b\f\n\r\t\v/\"";
  const char *known = strchr(from, c);
  if (c != 0 && known != NULL) return (unsigned char)to[known - from];
  if (c < '0' || c > '7') return -1;
  int value = c - '0';
  for (int i = 0; i < 2 && p->at < p->end && *p->at >= '0' && *p->at <= '7'; i++) {
    value = value * 8 + (*p->at++ - '0');
  }
  return value & 0xFF;
}

static node *parse_escape(parser *p) {
  p->at++;
  if (p->at >= p->end) return regex_parse_fail(p, "Trailing backslash");
  if (p->syntax == REGEX_PERL) return regex_parse_perl_escape(p);
  char c = *p->at++;
  if (p->syntax == REGEX_AWK) {
    if (c == 'y') return regex_node_assert(p, ASSERT_WORD_EDGE);
    int value = c == 'B' || c == '\'' || c == '`' ? -1 : awk_escape(p, c);
    if (value >= 0)
      return value < 0x80 ? regex_node_character(p, (uint32_t)value)
                          : regex_node_byte(p, (unsigned char)value);
  }
  switch (c) {
    case 'w':
      return regex_node_word(p, false);
    case 'W':
      return regex_node_word(p, true);
    case 's':
      return regex_node_class(p, UNICODE_SPACE, false);
    case 'S':
      return regex_node_class(p, UNICODE_SPACE, true);
    case 'b':
      return regex_node_assert(p, ASSERT_WORD_EDGE);
    case 'B':
      return regex_node_assert(p, ASSERT_NOT_WORD_EDGE);
    case '<':
      return regex_node_assert(p, ASSERT_WORD_START);
    case '>':
      return regex_node_assert(p, ASSERT_WORD_END);
    case '`':
      return regex_node_assert(p, ASSERT_TEXT_START);
    case '\'':
      return regex_node_assert(p, ASSERT_TEXT_END);
    default:
      break;
  }
  if (c >= '1' && c <= '9' && p->syntax != REGEX_AWK) return parse_backref(p, (uint32_t)(c - '0'));
  p->at--;
  bool raw;
  uint32_t character = regex_parser_take(p, &raw);
  return raw && !p->bytes ? regex_node_byte(p, (unsigned char)character)
                          : regex_node_character(p, character);
}

static node *parse_dot(parser *p) {
  p->at++;
  regex_set none = {0};
  bool newline = p->syntax == REGEX_PERL ? !p->dot_all : p->lines;
  if (newline) regex_set_add(p->arena, &none, '\n', '\n');
  node *made = regex_node_new(p->arena, NODE_SET, 0);
  if (made == NULL) return regex_parse_fail(p, "Memory exhausted");
  made->set = regex_set_negated(p->arena, &none, p->bytes ? 0xFF : UNICODE_LAST);
  return made;
}

static node *parse_plain(parser *p) {
  bool raw;
  uint32_t c = regex_parser_take(p, &raw);
  return raw && !p->bytes ? regex_node_byte(p, (unsigned char)c) : regex_node_character(p, c);
}

static node *parse_atom(parser *p, token kind) {
  switch (kind) {
    case TOKEN_OPEN:
      return parse_group(p);
    case TOKEN_DOT:
      return parse_dot(p);
    case TOKEN_BRACKET:
      p->at++;
      return regex_parse_bracket(p);
    case TOKEN_ESCAPE:
      return parse_escape(p);
    case TOKEN_CARET:
      p->at++;
      return regex_node_assert(p, ASSERT_LINE_START);
    case TOKEN_DOLLAR:
      p->at++;
      return regex_node_assert(
          p, p->syntax == REGEX_PERL && !p->lines ? ASSERT_TEXT_END_NEWLINE : ASSERT_LINE_END);
    default:
      return parse_plain(p);
  }
}

/* {n}, {n,}, {,m} or {n,m} behind the brace. Returns -1 for a wrong one, 0 when it is none at all
 * and stands for itself, 1 when read. */
static int parse_counts(parser *p, uint32_t *min, uint32_t *max) {
  const char *at = p->at;
  uint32_t bounds[2] = {0, REPEAT_NO_MAX};
  bool have[2] = {false, false}, comma = false;
  for (int i = 0; i < 2; i++) {
    uint32_t value = 0;
    for (; at < p->end && *at >= '0' && *at <= '9'; at++) {
      value = value > 40000 ? value : value * 10 + (uint32_t)(*at - '0');
      have[i] = true;
    }
    if (have[i]) bounds[i] = value;
    if (i == 0 && at < p->end && *at == ',') {
      comma = true;
      at++;
    } else if (i == 0) {
      bounds[1] = bounds[0];
      break;
    }
  }
  bool basic = p->syntax == REGEX_BASIC, closed;
  closed = basic ? at + 1 < p->end && at[0] == '\\' && at[1] == '}' : at < p->end && *at == '}';
  bool lenient = p->list || p->syntax == REGEX_AWK || p->syntax == REGEX_PERL;
  bool nothing = !have[0] && !(have[1] && p->syntax != REGEX_PERL) &&
                 !(comma && closed && p->syntax != REGEX_PERL);
  if (!closed || nothing || (!have[0] && !comma)) {
    if (lenient && !basic) return 0;
    p->error = at >= p->end ? (basic ? "Unmatched \\{" : "Unmatched { or \\{")
                            : "Invalid content of \\{\\}";
    if (at >= p->end) p->error = "Unmatched \\{";
    return -1;
  }
  if (bounds[1] < bounds[0]) {
    p->error = "Invalid content of \\{\\}";
    return -1;
  }
  if (bounds[0] > 32767 || (bounds[1] > 32767 && bounds[1] != REPEAT_NO_MAX)) {
    p->error = "Regular expression too big";
    return -1;
  }
  p->at = at + (basic ? 2 : 1);
  *min = bounds[0];
  *max = bounds[1];
  return 1;
}

static repeat_mode parse_repeat_mode(parser *p) {
  if (p->syntax != REGEX_PERL || p->at >= p->end) return REPEAT_GREEDY;
  if (*p->at == '?') {
    p->at++;
    return REPEAT_LAZY;
  }
  if (*p->at == '+') {
    p->at++;
    p->tree->backtrack = true;
    return REPEAT_POSSESSIVE;
  }
  return REPEAT_GREEDY;
}

static void skip_perl_blanks(parser *p) {
  if (!p->extended) return;
  while (p->at < p->end) {
    if (*p->at == '#') {
      while (p->at < p->end && *p->at != '\n') p->at++;
    } else if (*p->at == ' ' || (*p->at >= '\t' && *p->at <= '\r')) {
      p->at++;
    } else {
      return;
    }
  }
}

/* The repeat operators behind an atom. */
static node *parse_repeats(parser *p, node *atom) {
  while (atom != NULL) {
    skip_perl_blanks(p);
    token kind = peek(p);
    uint32_t min = 0, max = REPEAT_NO_MAX;
    const char *before = p->at;
    if (kind == TOKEN_STAR) {
      p->at++;
    } else if (kind == TOKEN_PLUS || kind == TOKEN_OPTIONAL) {
      skip_operator(p);
      min = kind == TOKEN_PLUS;
      if (kind == TOKEN_OPTIONAL) max = 1;
    } else if (kind == TOKEN_BRACE) {
      skip_operator(p);
      int read = parse_counts(p, &min, &max);
      if (read < 0) return NULL;
      if (read == 0) {
        p->at = before;
        return atom;
      }
    } else {
      return atom;
    }
    atom = regex_node_wrap(p, NODE_REPEAT, atom);
    if (atom == NULL) return NULL;
    atom->min = min;
    atom->max = max;
    atom->mode = parse_repeat_mode(p);
  }
  return atom;
}

typedef struct {
  node **at;
  uint32_t count, room;
} node_list;

static bool list_push(parser *p, node_list *list, node *item) {
  if (item == NULL) return false;
  node *last = list->count > 0 ? list->at[list->count - 1] : NULL;
  if (item->kind == NODE_TEXT && last != NULL && last->kind == NODE_TEXT) {
    char *text = regex_take(p->arena, last->size + item->size + 1u);
    node *joined = regex_node_new(p->arena, NODE_TEXT, 0);
    if (text == NULL || joined == NULL) return regex_parse_fail(p, "Memory exhausted") != NULL;
    memcpy(text, last->text, last->size);
    memcpy(text + last->size, item->text, item->size);
    joined->text = text;
    joined->size = last->size + item->size;
    list->at[list->count - 1] = joined;
    return true;
  }
  if (list->count == list->room) {
    uint32_t room = list->room == 0 ? 8 : list->room * 2;
    node **at = regex_take(p->arena, room * sizeof *at);
    if (at == NULL) return regex_parse_fail(p, "Memory exhausted") != NULL;
    if (list->count > 0) memcpy(at, list->at, list->count * sizeof *at);
    list->at = at;
    list->room = room;
  }
  list->at[list->count++] = item;
  return true;
}

static node *list_node(parser *p, node_list *list, node_kind kind) {
  if (list->count == 0) return checked(p, regex_node_new(p->arena, NODE_EMPTY, 0));
  if (list->count == 1) return list->at[0];
  node *made = regex_node_new(p->arena, kind, 0);
  if (made == NULL) return regex_parse_fail(p, "Memory exhausted");
  made->children = list->at;
  made->count = list->count;
  for (uint32_t i = 0; i < list->count; i++) made->captures |= list->at[i]->captures;
  return made;
}

/* A repeat operator with nothing before it: a plain character in basic syntax and for grep's `{`,
 * an empty atom for grep's others, an error elsewhere. */
static node *parse_bare_repeat(parser *p, token kind) {
  if (p->syntax == REGEX_BASIC) {
    if (kind == TOKEN_STAR) return parse_plain(p);
    if (kind != TOKEN_BRACE) {
      p->at++;
      return parse_plain(p);
    }
    return regex_parse_fail(p, "Invalid preceding regular expression");
  }
  if (p->syntax == REGEX_PERL) {
    if (kind == TOKEN_BRACE) return parse_plain(p);
    return regex_parse_fail(p, "quantifier does not follow a repeatable item");
  }
  if (p->syntax == REGEX_AWK) return parse_plain(p);
  if (!p->list) return regex_parse_fail(p, "Invalid preceding regular expression");
  if (kind == TOKEN_BRACE) {
    parser ahead = *p;
    uint32_t min, max;
    skip_operator(&ahead);
    if (parse_counts(&ahead, &min, &max) == 0) return parse_plain(p);
  }
  return checked(p, regex_node_new(p->arena, NODE_EMPTY, 0));
}

static bool is_repeat(token kind) {
  return kind == TOKEN_STAR || kind == TOKEN_PLUS || kind == TOKEN_OPTIONAL || kind == TOKEN_BRACE;
}

static bool ends_sequence(const parser *p, token kind) {
  if (kind == TOKEN_END || kind == TOKEN_OR) return true;
  return kind == TOKEN_CLOSE && p->depth > 0;
}

static node *parse_sequence(parser *p) {
  node_list list = {0};
  bool start = true; /* basic syntax: nothing but `^` so far */
  for (;;) {
    skip_perl_blanks(p);
    token kind = peek(p);
    if (ends_sequence(p, kind)) break;
    node *item;
    if (kind == TOKEN_CLOSE)
      return regex_parse_fail(
          p, p->syntax == REGEX_PERL ? "unmatched closing parenthesis" : "Unmatched ) or \\)");
    if (is_repeat(kind) && (list.count == 0 || (start && p->syntax == REGEX_BASIC))) {
      item = parse_bare_repeat(p, kind);
    } else if (is_repeat(kind)) {
      item = parse_plain(p); /* a brace that counts nothing */
    } else if ((kind == TOKEN_CARET && p->syntax == REGEX_BASIC && !start) ||
               (kind == TOKEN_DOLLAR && !dollar_is_anchor(p))) {
      item = parse_plain(p);
    } else {
      item = parse_atom(p, kind);
    }
    bool anchor = item != NULL && kind == TOKEN_CARET && p->syntax == REGEX_BASIC && start;
    if (!anchor) {
      item = parse_repeats(p, item);
      start = false;
    }
    if (!list_push(p, &list, item)) return NULL;
    if (anchor) start = peek(p) == TOKEN_STAR;
  }
  return list_node(p, &list, NODE_CAT);
}

node *regex_parse_alternatives(parser *p) {
  node_list list = {0};
  for (;;) {
    node *one = parse_sequence(p);
    if (one == NULL) return NULL;
    /* list_push would join two texts into one sequence. */
    if (one->kind == NODE_TEXT) one = regex_node_wrap(p, NODE_GROUP, one);
    if (!list_push(p, &list, one)) return NULL;
    if (peek(p) != TOKEN_OR) break;
    skip_operator(p);
  }
  return list_node(p, &list, NODE_ALT);
}

static node *parse_fixed(parser *p) {
  node_list list = {0};
  while (p->at < p->end && !(p->list && *p->at == '\n')) {
    if (!list_push(p, &list, parse_plain(p))) return NULL;
  }
  return list_node(p, &list, NODE_CAT);
}

/* grep's list: patterns one a line, each with its own group numbers. */
static node *parse_list(parser *p) {
  node_list list = {0};
  for (;;) {
    p->group_base = p->groups;
    node *one = p->syntax == REGEX_FIXED ? parse_fixed(p) : regex_parse_alternatives(p);
    if (one == NULL) return NULL;
    if (one->kind == NODE_TEXT) one = regex_node_wrap(p, NODE_GROUP, one);
    if (!list_push(p, &list, one)) return NULL;
    if (p->at >= p->end) break;
    p->at++; /* the newline */
  }
  return list_node(p, &list, NODE_ALT);
}

/* What -w and -x mean, written as assertions around the pattern. */
static node *wrap_whole(parser *p, node *root, unsigned flags) {
  if (root == NULL || (flags & (REGEX_WHOLE_WORD | REGEX_WHOLE_LINE)) == 0) return root;
  bool line = (flags & REGEX_WHOLE_LINE) != 0;
  node *made = regex_node_new(p->arena, NODE_CAT, 3);
  if (made == NULL) return regex_parse_fail(p, "Memory exhausted");
  made->children[0] = regex_node_assert(p, line ? ASSERT_LINE_START : ASSERT_NO_WORD_BEFORE);
  made->children[1] = root;
  made->children[2] = regex_node_assert(p, line ? ASSERT_LINE_END : ASSERT_NO_WORD_AFTER);
  made->captures = root->captures;
  return made->children[0] == NULL || made->children[2] == NULL ? NULL : made;
}

bool regex_parse(regex_arena *from, const char *pattern, size_t size, regex_syntax syntax,
                 unsigned flags, regex_tree *tree) {
  *tree = (regex_tree){0};
  parser p = {.arena = from,
              .start = pattern,
              .at = pattern,
              .end = pattern + size,
              .syntax = syntax,
              .icase = (flags & REGEX_ICASE) != 0,
              .lines = (flags & REGEX_LINES) != 0,
              .bytes = (flags & REGEX_BYTES) != 0,
              .list = (flags & REGEX_LIST) != 0,
              .tree = tree};
  if (size > 1u << 24) {
    tree->error = "Regular expression too big";
    return false;
  }
  node *root;
  if (p.list) {
    root = parse_list(&p);
  } else if (syntax == REGEX_FIXED) {
    root = parse_fixed(&p);
  } else {
    root = regex_parse_alternatives(&p);
  }
  root = wrap_whole(&p, root, flags);
  tree->root = root;
  tree->groups = p.groups;
  if (root == NULL || from->failed) {
    tree->error = p.error != NULL ? p.error : "Memory exhausted";
    return false;
  }
  return true;
}
