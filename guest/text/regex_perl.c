// SPDX-License-Identifier: MIT
/* regex_perl.c -- what only Perl's syntax has: (?...) groups and its escapes.
 * Left out: recursion, conditionals, callouts, verbs, branch reset, \X, \G and most of \p. */
#include <string.h>

#include "regex_parser.h"

static bool take(parser *p, char c) {
  if (p->at >= p->end || *p->at != c) return false;
  p->at++;
  return true;
}

static bool take_word(parser *p, const char *word) {
  size_t size = strlen(word);
  if ((size_t)(p->end - p->at) < size || memcmp(p->at, word, size) != 0) return false;
  p->at += size;
  return true;
}

static bool is_name_byte(char c) {
  return unicode_is((unsigned char)c, UNICODE_ALNUM) || c == '_';
}

/* A name up to `close`. */
static bool take_name(parser *p, char close, const char **name, size_t *size) {
  *name = p->at;
  while (p->at < p->end && (unsigned char)*p->at < 0x80 && is_name_byte(*p->at)) p->at++;
  *size = (size_t)(p->at - *name);
  if (*size == 0 || !take(p, close)) {
    p->error = "syntax error in subpattern name (missing terminator?)";
    return false;
  }
  return true;
}

static node *close_group(parser *p, node *inside) {
  if (inside == NULL) return NULL;
  if (!take(p, ')')) return regex_parse_fail(p, "missing closing parenthesis");
  return inside;
}

static node *parse_inside(parser *p) {
  p->depth++;
  node *inside = close_group(p, regex_parse_alternatives(p));
  p->depth--;
  return inside;
}

static node *parse_look(parser *p, bool behind, bool negative) {
  node *made = regex_node_wrap(p, NODE_LOOK, parse_inside(p));
  if (made == NULL) return NULL;
  made->behind = behind;
  made->negative = negative;
  p->tree->backtrack = true;
  return made;
}

static node *parse_named_group(parser *p, char close) {
  const char *name;
  size_t size;
  if (!take_name(p, close, &name, &size)) return NULL;
  uint32_t number = ++p->groups, count = p->tree->name_count;
  group_name *names = regex_take(p->arena, (count + 1u) * sizeof *names);
  char *copy = regex_take(p->arena, size + 1);
  if (names == NULL || copy == NULL) return regex_parse_fail(p, "Memory exhausted");
  if (count > 0) memcpy(names, p->tree->names, count * sizeof *names);
  memcpy(copy, name, size);
  names[count] = (group_name){copy, size, number};
  p->tree->names = names;
  p->tree->name_count = count + 1;
  node *group = regex_node_wrap(p, NODE_GROUP, parse_inside(p));
  if (group == NULL) return NULL;
  group->number = number;
  group->captures = true;
  if (number < 64) p->closed |= 1ull << number;
  return group;
}

/* i, m, s, x, each on or (after '-') off; up to ':' or ')'. */
static bool take_options(parser *p) {
  bool on = true;
  for (; p->at < p->end && *p->at != ':' && *p->at != ')'; p->at++) {
    switch (*p->at) {
      case '^':
        p->icase = p->dot_all = p->extended = false;
        break;
      case '-':
        on = false;
        break;
      case 'i':
        p->icase = on;
        break;
      case 's':
        p->dot_all = on;
        break;
      case 'm':
        p->lines = on;
        break;
      case 'x':
        p->extended = on;
        break;
      case 'n':
      case 'J':
      case 'U':
      default:
        p->error = "unrecognized character after (? or (?-";
        return false;
    }
  }
  return true;
}

static node *parse_options(parser *p) {
  parser before = *p;
  if (!take_options(p)) return NULL;
  if (take(p, ')')) { /* to the end of the group around: the rest is parsed as a group of its own */
    node *rest = regex_parse_alternatives(p);
    p->icase = before.icase;
    p->dot_all = before.dot_all;
    p->lines = before.lines;
    p->extended = before.extended;
    return rest;
  }
  p->at++; /* the colon */
  node *inside = parse_inside(p);
  p->icase = before.icase;
  p->dot_all = before.dot_all;
  p->lines = before.lines;
  p->extended = before.extended;
  return regex_node_wrap(p, NODE_GROUP, inside);
}

static node *backref_to(parser *p, uint32_t number) {
  if (number == 0 || number > p->groups + 1) {
    return regex_parse_fail(p, "reference to non-existent subpattern");
  }
  node *made = regex_node_new(p->arena, NODE_BACKREF, 0);
  if (made == NULL) return regex_parse_fail(p, "Memory exhausted");
  made->number = number;
  made->icase = p->icase;
  p->tree->backtrack = true;
  return made;
}

static node *backref_named(parser *p, char close) {
  const char *name;
  size_t size;
  if (!take_name(p, close, &name, &size)) return NULL;
  for (uint32_t i = 0; i < p->tree->name_count; i++) {
    const group_name *known = &p->tree->names[i];
    if (known->size == size && memcmp(known->name, name, size) == 0)
      return backref_to(p, known->number);
  }
  return regex_parse_fail(p, "reference to non-existent subpattern");
}

node *regex_parse_perl_group(parser *p) {
  if (p->at[-1] == '*') return regex_parse_fail(p, "(*VERB) not recognized or malformed");
  if (take(p, ':')) return regex_node_wrap(p, NODE_GROUP, parse_inside(p));
  if (take(p, '=')) return parse_look(p, false, false);
  if (take(p, '!')) return parse_look(p, false, true);
  if (take_word(p, "<=")) return parse_look(p, true, false);
  if (take_word(p, "<!")) return parse_look(p, true, true);
  if (take(p, '>')) {
    p->tree->backtrack = true;
    return regex_node_wrap(p, NODE_ATOMIC, parse_inside(p));
  }
  if (take(p, '#')) {
    while (p->at < p->end && *p->at != ')') p->at++;
    if (!take(p, ')')) return regex_parse_fail(p, "missing ) after (?# comment");
    node *made = regex_node_new(p->arena, NODE_EMPTY, 0);
    return made == NULL ? regex_parse_fail(p, "Memory exhausted") : made;
  }
  if (take_word(p, "P<") || take(p, '<')) return parse_named_group(p, '>');
  if (take(p, '\'')) return parse_named_group(p, '\'');
  if (take_word(p, "P=")) return backref_named(p, ')');
  return parse_options(p);
}

static node *parse_number_escape(parser *p, int base, int most, bool braces) {
  uint32_t value = 0;
  for (int i = 0; i < most && p->at < p->end; i++, p->at++) {
    char c = *p->at;
    int digit = c >= '0' && c <= '9'                 ? c - '0'
                : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                     : 99;
    if (digit >= base) break;
    value = value * (uint32_t)base + (uint32_t)digit;
  }
  if (braces && !take(p, '}'))
    return regex_parse_fail(p, "missing terminating } for hexadecimal number");
  if (value > UNICODE_LAST) return regex_parse_fail(p, "character code point value is too large");
  return regex_node_character(p, value);
}

static node *parse_quoted(parser *p) {
  const char *end = p->at;
  while (end + 1 < p->end && !(end[0] == '\\' && end[1] == 'E')) end++;
  bool closed = end + 1 < p->end;
  if (!closed) end = p->end;
  uint32_t count = 0;
  node *made = regex_node_new(p->arena, NODE_CAT, (uint32_t)(end - p->at) + 1);
  if (made == NULL) return regex_parse_fail(p, "Memory exhausted");
  while (p->at < end) {
    bool raw;
    uint32_t c = regex_parser_take(p, &raw);
    made->children[count] = raw ? regex_node_byte(p, (unsigned char)c) : regex_node_character(p, c);
    if (made->children[count++] == NULL) return NULL;
  }
  made->count = count;
  if (count == 0) made->kind = NODE_EMPTY;
  p->at = closed ? end + 2 : end;
  return made;
}

static node *parse_digits(parser *p, char first) {
  uint32_t number = (uint32_t)(first - '0');
  const char *at = p->at;
  while (at < p->end && *at >= '0' && *at <= '9' && number < 100) {
    number = number * 10 + (uint32_t)(*at++ - '0');
  }
  if (number < 10 || number <= p->groups) {
    p->at = at;
    return backref_to(p, number);
  }
  p->at--;
  return parse_number_escape(p, 8, 3, false);
}

static node *parse_g(parser *p) {
  bool braces = take(p, '{'), negative = take(p, '-');
  if (braces && p->at < p->end && !(*p->at >= '0' && *p->at <= '9')) return backref_named(p, '}');
  uint32_t number = 0;
  const char *digits = p->at;
  while (p->at < p->end && *p->at >= '0' && *p->at <= '9' && number < 1000) {
    number = number * 10 + (uint32_t)(*p->at++ - '0');
  }
  if (p->at == digits || (braces && !take(p, '}'))) {
    return regex_parse_fail(p, "a numbered reference must not be zero");
  }
  if (negative) number = number > p->groups ? 0 : p->groups + 1 - number;
  return backref_to(p, number);
}

static node *parse_k(parser *p) {
  if (take(p, '<')) return backref_named(p, '>');
  if (take(p, '{')) return backref_named(p, '}');
  if (take(p, '\'')) return backref_named(p, '\'');
  return regex_parse_fail(p, "\\k is not followed by a braced, angle-bracketed, or quoted name");
}

static node *parse_property(parser *p, bool negated) {
  static const struct {
    const char *name;
    unicode_class kind;
  } known[] = {{"L", UNICODE_ALPHA},     {"Lu", UNICODE_UPPER}, {"Ll", UNICODE_LOWER},
               {"Alpha", UNICODE_ALPHA}, {"Nd", UNICODE_DIGIT}, {"N", UNICODE_DIGIT},
               {"P", UNICODE_PUNCT}};
  const char *name = p->at;
  size_t size = 1;
  if (take(p, '{')) {
    if (take(p, '^')) negated = !negated;
    name = p->at;
    while (p->at < p->end && *p->at != '}') p->at++;
    size = (size_t)(p->at - name);
    if (!take(p, '}')) return regex_parse_fail(p, "malformed \\P or \\p sequence");
  } else if (p->at < p->end) {
    p->at++;
  }
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strlen(known[i].name) == size && memcmp(known[i].name, name, size) == 0) {
      return regex_node_class(p, known[i].kind, negated);
    }
  }
  return regex_parse_fail(p, "unknown property name after \\P or \\p");
}

static node *parse_ranges(parser *p, uint32_t a, uint32_t b, bool negated) {
  regex_set set = {0};
  regex_set_add(p->arena, &set, a, b);
  if (a == '\n') { /* vertical space */
    regex_set_add(p->arena, &set, 0x85, 0x85);
    regex_set_add(p->arena, &set, 0x2028, 0x2029);
  }
  return regex_node_set(p, &set, negated);
}

static node *parse_not_newline(parser *p) {
  regex_set set = {0};
  regex_set_add(p->arena, &set, '\n', '\n');
  return regex_node_set(p, &set, true);
}

/* \R: CR LF as one, or any vertical space. */
static node *parse_line_break(parser *p) {
  node *made = regex_node_new(p->arena, NODE_ALT, 2), *pair = regex_node_new(p->arena, NODE_CAT, 2);
  if (made == NULL || pair == NULL) return regex_parse_fail(p, "Memory exhausted");
  pair->children[0] = regex_node_byte(p, '\r');
  pair->children[1] = regex_node_byte(p, '\n');
  made->children[0] = pair;
  made->children[1] = parse_ranges(p, '\n', '\r', false);
  return pair->children[0] == NULL || pair->children[1] == NULL || made->children[1] == NULL ? NULL
                                                                                             : made;
}

static node *parse_keep(parser *p) {
  node *made = regex_node_new(p->arena, NODE_KEEP, 0);
  p->tree->backtrack = true;
  return made == NULL ? regex_parse_fail(p, "Memory exhausted") : made;
}

node *regex_parse_perl_escape(parser *p) {
  char c = *p->at++;
  switch (c) {
    case 'd':
    case 'D':
      return parse_ranges(p, '0', '9', c == 'D');
    case 'w':
    case 'W':
      return regex_node_word(p, c == 'W');
    case 's':
    case 'S':
      return regex_node_class(p, UNICODE_SPACE, c == 'S');
    case 'h':
    case 'H':
      return regex_node_class(p, UNICODE_BLANK, c == 'H');
    case 'v':
    case 'V':
      return parse_ranges(p, '\n', '\r', c == 'V');
    case 'N':
      return parse_not_newline(p);
    case 'R':
      return parse_line_break(p);
    case 'b':
      return regex_node_assert(p, ASSERT_WORD_EDGE);
    case 'B':
      return regex_node_assert(p, ASSERT_NOT_WORD_EDGE);
    case 'A':
      return regex_node_assert(p, ASSERT_TEXT_START);
    case 'z':
      return regex_node_assert(p, ASSERT_TEXT_END);
    case 'Z':
      return regex_node_assert(p, ASSERT_TEXT_END_NEWLINE);
    case 'K':
      return parse_keep(p);
    case 'Q':
      return parse_quoted(p);
    case 'E':
      return parse_quoted(&(parser){.arena = p->arena, .at = p->at, .end = p->at});
    case 'n':
      return regex_node_byte(p, '\n');
    case 't':
      return regex_node_byte(p, '\t');
    case 'r':
      return regex_node_byte(p, '\r');
    case 'f':
      return regex_node_byte(p, '\f');
    case 'e':
      return regex_node_byte(p, 27);
    case 'a':
      return regex_node_byte(p, 7);
    case '0':
      return parse_number_escape(p, 8, 2, false);
    case 'o':
      return take(p, '{') ? parse_number_escape(p, 8, 8, true)
                          : regex_parse_fail(p, "missing opening brace after \\o");
    case 'x':
      return take(p, '{') ? parse_number_escape(p, 16, 8, true)
                          : parse_number_escape(p, 16, 2, false);
    case 'g':
      return parse_g(p);
    case 'k':
      return parse_k(p);
    case 'p':
    case 'P':
      return parse_property(p, c == 'P');
    default:
      break;
  }
  if (c >= '1' && c <= '9') return parse_digits(p, c);
  if (unicode_is((unsigned char)c, UNICODE_ALNUM) && (unsigned char)c < 0x80) {
    return regex_parse_fail(p, "unrecognized character follows \\");
  }
  p->at--;
  bool raw;
  uint32_t character = regex_parser_take(p, &raw);
  return raw && !p->bytes ? regex_node_byte(p, (unsigned char)character)
                          : regex_node_character(p, character);
}
