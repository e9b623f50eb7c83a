// SPDX-License-Identifier: MIT
// regex_bracket.c -- bracket expressions and character classes.
#include <string.h>

#include "regex_parser.h"

void regex_set_add_class(parser *p, regex_set *set, unicode_class kind) {
  if (p->icase && (kind == UNICODE_UPPER || kind == UNICODE_LOWER)) {
    bool was = p->icase;
    p->icase = false;
    regex_set_add_class(p, set, UNICODE_UPPER);
    regex_set_add_class(p, set, UNICODE_LOWER);
    p->icase = was;
    return;
  }
  for (uint32_t c = 0; c < 0x80; c++) {
    if (unicode_is(c, kind)) regex_set_add(p->arena, set, c, c);
  }
  if (p->bytes) return;
  size_t count;
  const unicode_range *ranges = unicode_ranges(kind, &count);
  bool checked = kind == UNICODE_GRAPH || kind == UNICODE_BLANK;
  for (size_t i = 0; i < count; i++) {
    if (ranges[i].step == 1 && !checked) {
      regex_set_add(p->arena, set, ranges[i].first, ranges[i].last);
      continue;
    }
    for (uint32_t c = ranges[i].first; c <= ranges[i].last; c += ranges[i].step) {
      if (unicode_is(c, kind)) regex_set_add(p->arena, set, c, c);
    }
  }
}

void regex_set_add_word(parser *p, regex_set *set) {
  regex_set_add_class(p, set, UNICODE_ALNUM);
  regex_set_add(p->arena, set, '_', '_');
}

node *regex_node_set(parser *p, regex_set *set, bool negated) {
  regex_set_finish(set);
  if (p->icase) regex_set_fold(p->arena, set);
  node *made = regex_node_new(p->arena, NODE_SET, 0);
  if (made == NULL || p->arena->failed) return regex_parse_fail(p, "Memory exhausted");
  if (negated) {
    if (p->lines && p->syntax != REGEX_PERL) {
      regex_set_add(p->arena, set, '\n', '\n');
      regex_set_finish(set);
    }
    made->set = regex_set_negated(p->arena, set, p->bytes ? 0xFF : UNICODE_LAST);
  } else {
    made->set = *set;
  }
  return made;
}

node *regex_node_class(parser *p, unicode_class kind, bool negated) {
  regex_set set = {0};
  regex_set_add_class(p, &set, kind);
  return regex_node_set(p, &set, negated);
}

node *regex_node_word(parser *p, bool negated) {
  regex_set set = {0};
  regex_set_add_word(p, &set);
  return regex_node_set(p, &set, negated);
}

#define UNMATCHED "Unmatched [, [^, [:, [., or [="

/* [:name:], [=x=] or [.x.] at p->at, which is behind the '['. A class is added to the set (*single
 * stays false); the others give one character. */
static bool parse_named(parser *p, regex_set *set, bool *single, uint32_t *character) {
  char mark = *p->at;
  const char *name = p->at + 1, *close = name;
  while (close + 1 < p->end && !(close[0] == mark && close[1] == ']')) close++;
  if (close + 1 >= p->end) {
    p->error = UNMATCHED;
    return false;
  }
  p->at = close + 2;
  size_t size = (size_t)(close - name);
  *single = false;
  if (mark == ':') {
    bool negated = p->syntax == REGEX_PERL && size > 0 && *name == '^';
    unicode_class kind = UNICODE_ALPHA;
    bool word =
        p->syntax == REGEX_PERL && size - negated == 4 && memcmp(name + negated, "word", 4) == 0;
    if (!word && !unicode_class_named(name + negated, size - negated, &kind)) {
      p->error = "Invalid character class name";
      return false;
    }
    regex_set class = {0};
    if (word) {
      regex_set_add_word(p, &class);
    } else {
      regex_set_add_class(p, &class, kind);
    }
    regex_set_finish(&class);
    if (negated) class = regex_set_negated(p->arena, &class, p->bytes ? 0xFF : UNICODE_LAST);
    for (uint32_t i = 0; i < class.count; i++) {
      regex_set_add(p->arena, set, class.ranges[i].first, class.ranges[i].last);
    }
    return true;
  }
  *single = true;
  size_t length = p->bytes ? (size == 1) : utf8_decode(name, size, character);
  if (p->bytes && size == 1) *character = (unsigned char)*name;
  if (length != size || size == 0) {
    p->error = "Invalid collation character";
    return false;
  }
  return true;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if ((c | 32) >= 'a' && (c | 32) <= 'f') return (c | 32) - 'a' + 10;
  return -1;
}

/* A backslash inside a bracket, where the syntax gives it a meaning. */
static bool parse_bracket_escape(parser *p, regex_set *set, bool *single, uint32_t *character) {
  *single = true;
  if (p->at == p->end) {
    p->error = "Trailing backslash";
    return false;
  }
  char c = *p->at++;
  static const char from[] = "abefnrtv", to[] = "\a\b\033\f\n\r\t\v";
  const char *known = c == 0 ? NULL : strchr(from, c);
  if (known != NULL && !(c == 'e' && p->syntax == REGEX_AWK)) {
    *character = (unsigned char)to[known - from];
    return true;
  }
  if (c >= '0' && c <= '7') {
    uint32_t value = (uint32_t)(c - '0');
    for (int i = 0; i < 2 && p->at < p->end && *p->at >= '0' && *p->at <= '7'; i++) {
      value = value * 8 + (uint32_t)(*p->at++ - '0');
    }
    *character = value;
    return true;
  }
  if (p->syntax == REGEX_PERL && c != 0 && strchr("dDwWsShH", c) != NULL) {
    regex_set class = {0};
    *single = false;
    switch (c | 32) {
      case 'd':
        regex_set_add(p->arena, &class, '0', '9');
        break;
      case 'w':
        regex_set_add_word(p, &class);
        break;
      case 'h':
        regex_set_add_class(p, &class, UNICODE_BLANK);
        break;
      default:
        regex_set_add_class(p, &class, UNICODE_SPACE);
        break;
    }
    regex_set_finish(&class);
    if (c < 'a') class = regex_set_negated(p->arena, &class, p->bytes ? 0xFF : UNICODE_LAST);
    for (uint32_t i = 0; i < class.count; i++) {
      regex_set_add(p->arena, set, class.ranges[i].first, class.ranges[i].last);
    }
    return true;
  }
  if (p->syntax == REGEX_PERL && c == 'x') {
    bool braces = p->at < p->end && *p->at == '{';
    uint32_t value = 0;
    if (braces) p->at++;
    for (int i = 0; (braces || i < 2) && i < 8 && p->at < p->end && hex_digit(*p->at) >= 0; i++) {
      value = value * 16 + (uint32_t)hex_digit(*p->at++);
    }
    if (braces && p->at < p->end && *p->at == '}') p->at++;
    *character = value;
    return true;
  }
  p->at--;
  bool raw;
  *character = regex_parser_take(p, &raw);
  return true;
}

/* One item: a character, or a class that went into the set. False with p->error set on failure. */
static bool parse_item(parser *p, regex_set *set, bool *single, uint32_t *character) {
  *single = true;
  if (*p->at == '[' && p->at + 1 < p->end && strchr(":=.", p->at[1]) != NULL && p->at[1] != 0) {
    if (p->syntax != REGEX_PERL || p->at[1] == ':') {
      p->at++;
      return parse_named(p, set, single, character);
    }
  }
  if (*p->at == '\\' && (p->syntax == REGEX_PERL || p->syntax == REGEX_AWK)) {
    p->at++;
    return parse_bracket_escape(p, set, single, character);
  }
  bool raw;
  *character = regex_parser_take(p, &raw);
  if (raw && !p->bytes) *single = false; /* half a character matches nothing in a bracket */
  return true;
}

node *regex_parse_bracket(parser *p) {
  const char *open = p->at;
  bool negated = p->at < p->end && *p->at == '^';
  if (negated) p->at++;
  regex_set set = {0};
  for (bool first = true;; first = false) {
    if (p->at >= p->end) return regex_parse_fail(p, UNMATCHED);
    if (*p->at == ']' && !first) break;
    bool single, single_last = false;
    uint32_t from = 0, to = 0;
    if (!parse_item(p, &set, &single, &from)) return NULL;
    if (p->at + 1 < p->end && *p->at == '-' && p->at[1] != ']' && single) {
      const char *dash = p->at++;
      if (!parse_item(p, &set, &single_last, &to)) return NULL;
      if (!single_last) {
        if (p->syntax != REGEX_PERL) return regex_parse_fail(p, "Invalid range end");
        p->at = dash; /* Perl takes [a-\d] for three things */
        to = from;
      } else if (to < from) {
        return regex_parse_fail(p, "Invalid range end");
      }
      regex_set_add(p->arena, &set, from, to);
      continue;
    }
    if (single) regex_set_add(p->arena, &set, from, from);
  }
  p->at++;
  if (p->list && p->syntax != REGEX_PERL && !negated && p->at - open > 3 && *open == ':' &&
      p->at[-2] == ':') {
    return regex_parse_fail(p, "character class syntax is [[:space:]], not [:space:]");
  }
  return regex_node_set(p, &set, negated);
}
