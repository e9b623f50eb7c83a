// SPDX-License-Identifier: MIT
/* pattern.c -- compiles shell patterns. */
#include "../text/unicode.h"
#include "pattern_parts.h"

/* Parentheses inside one another; more are text. Keeps the recursion off the end of the stack. */
#define PATTERN_DEPTH 64

/* ---- compiling ---- */

typedef struct {
  arena *memory;
  const char *text;
  const uint8_t *marks;
  size_t at, size;
  unsigned flags;
  unsigned depth;
  pattern *made;
} compiler;

static bool quoted(const compiler *c, size_t at) {
  return c->marks != NULL && (c->marks[at] & 1) != 0;
}

/* The unquoted character at a place, or 0. */
static char special_at(const compiler *c, size_t at) {
  return at < c->size && !quoted(c, at) ? c->text[at] : 0;
}

static element *add_element(compiler *c, branch *to, element_kind kind) {
  element *made = arena_zero(c->memory, sizeof *made);
  made->kind = (uint8_t)kind;
  made->before = to->last;
  if (to->last != NULL)
    to->last->next = made;
  else
    to->first = made;
  to->last = made;
  return made;
}

static void add_text(compiler *c, branch *to, text *run) {
  if (run->len == 0) return;
  element *made = add_element(c, to, ELEMENT_TEXT);
  made->text = text_end(run);
  made->size = run->len;
  *run = (text){.in = c->memory};
}

/* [:name:], [=x=] and [.x.] inside a bracket. */
static bool bracket_class(compiler *c, element *into, size_t *at) {
  char kind = special_at(c, *at + 1);
  if (kind != ':' && kind != '=' && kind != '.') return false;
  size_t from = *at + 2, to = from;
  while (to + 1 < c->size && !(c->text[to] == kind && c->text[to + 1] == ']')) to++;
  if (to + 1 >= c->size) return false;
  if (kind == ':') {
    unicode_class named;
    if (unicode_class_named(c->text + from, to - from, &named))
      into->classes |= (uint16_t)(1u << named);
    else if (to - from == 4 && memcmp(c->text + from, "word", 4) == 0)
      into->classes |= (uint16_t)(1u << UNICODE_ALNUM | 1u << 15);
  } else {
    size_t used;
    uint32_t point = point_decode(c->text + from, c->size - from, &used);
    into->ranges[into->range_count++] = (range){point, point};
  }
  *at = to + 2;
  return true;
}

static uint32_t bracket_point(compiler *c, size_t *at) {
  if (special_at(c, *at) == '\\' && *at + 1 < c->size) ++*at;
  size_t used;
  uint32_t point = point_decode(c->text + *at, c->size - *at, &used);
  *at += used;
  return point;
}

/* False when there is no closing bracket: then [ is text. */
static bool compile_bracket(compiler *c, branch *to) {
  size_t at = c->at + 1;
  char first = special_at(c, at);
  bool negated = first == '!' || first == '^';
  if (negated) at++;
  size_t start = at;
  /* First find the end, so that nothing is built for a bracket that is none. */
  size_t end = at;
  for (;; end++) {
    if (end >= c->size) return false;
    char here = special_at(c, end);
    if (here == '\\') {
      end++;
    } else if (here == '[' && end + 1 < c->size && strchr(":=.", c->text[end + 1]) != NULL) {
      char kind = c->text[end + 1];
      size_t close = end + 2;
      while (close + 1 < c->size && !(c->text[close] == kind && c->text[close + 1] == ']')) close++;
      if (close + 1 < c->size) end = close + 1;
    } else if (here == ']' && end > start) {
      break;
    }
  }
  element *made = add_element(c, to, ELEMENT_BRACKET);
  made->negated = negated;
  made->ranges = arena_take(c->memory, (end - start + 1) * sizeof *made->ranges);
  while (at < end) {
    if (special_at(c, at) == '[' && bracket_class(c, made, &at)) continue;
    uint32_t low = bracket_point(c, &at), high = low;
    if (special_at(c, at) == '-' && at + 1 < end) {
      at++;
      high = bracket_point(c, &at);
    }
    made->ranges[made->range_count++] = (range){low, high};
  }
  c->at = end + 1;
  return true;
}

static bool opens_group(const compiler *c) {
  char kind = special_at(c, c->at);
  return c->flags & PATTERN_EXTGLOB && kind != 0 && strchr("?*+@!", kind) != NULL &&
         special_at(c, c->at + 1) == '(' && c->depth < PATTERN_DEPTH;
}

/* Where the group that opens here closes; `size` when it does not. */
static size_t group_end(const compiler *c) {
  size_t depth = 0;
  for (size_t at = c->at + 1; at < c->size; at++) {
    char here = special_at(c, at);
    if (here == '\\')
      at++;
    else if (here == '(')
      depth++;
    else if (here == ')' && --depth == 0)
      return at;
  }
  return c->size;
}

static void compile_branch(compiler *c, branch *into, size_t end, bool inside);

static bool compile_group(compiler *c, branch *to) {
  size_t end = group_end(c);
  if (end == c->size) return false;
  element *made = add_element(c, to, ELEMENT_GROUP);
  made->group = c->text[c->at];
  branch **last = &made->branches;
  c->at += 2;
  c->depth++;
  for (;;) {
    branch *one = arena_zero(c->memory, sizeof *one);
    *last = one;
    last = &one->next;
    compile_branch(c, one, end, true);
    if (c->at >= end) break;
    c->at++; /* the | */
  }
  c->depth--;
  c->at = end + 1;
  c->made->groups = true;
  return true;
}

/* Up to `end`, or up to a | when inside a group. */
static void compile_branch(compiler *c, branch *into, size_t end, bool inside) {
  text run = {.in = c->memory};
  while (c->at < end) {
    char here = special_at(c, c->at);
    if (inside && here == '|') break;
    if (opens_group(c)) {
      add_text(c, into, &run);
      if (compile_group(c, into)) continue;
    }
    if (here == '*' || here == '?') {
      add_text(c, into, &run);
      c->at++;
      if (here == '?' || into->last == NULL || into->last->kind != ELEMENT_STAR)
        add_element(c, into, here == '*' ? ELEMENT_STAR : ELEMENT_ANY);
      if (here == '*') c->made->fixed = false;
      continue;
    }
    if (here == '[') {
      add_text(c, into, &run);
      if (compile_bracket(c, into)) continue;
    }
    if (here == '\\' && c->at + 1 < end) c->at++;
    text_char(&run, c->text[c->at++]);
  }
  add_text(c, into, &run);
}

pattern *pattern_compile(arena *in, const char *text, const uint8_t *marks, size_t size,
                         unsigned flags) {
  pattern *made = arena_zero(in, sizeof *made);
  made->memory = in;
  made->flags = flags;
  made->fixed = true;
  size_t used;
  for (size_t at = 0; at < size; at += used)
    if (point_decode(text + at, size - at, &used) & POINT_BYTE) made->bytes = true;
  compiler c = {
      .memory = in, .text = text, .marks = marks, .size = size, .flags = flags, .made = made};
  compile_branch(&c, &made->whole, size, false);
  if (made->groups) made->fixed = false;
  return made;
}

bool pattern_special(const char *text, const uint8_t *marks, size_t size, unsigned flags) {
  compiler c = {.text = text, .marks = marks, .size = size, .flags = flags};
  for (; c.at < size; c.at++) {
    char here = special_at(&c, c.at);
    if (here == '*' || here == '?') return true;
    if (here == '[' && memchr(text + c.at, ']', size - c.at) != NULL) return true;
    if (opens_group(&c)) return true;
  }
  return false;
}
