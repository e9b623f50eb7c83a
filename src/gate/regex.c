// SPDX-License-Identifier: MIT
/* regex.c -- compiles regular expressions and runs them in linear time.
 *
 * Jumps are relative, so a piece of program can be moved or copied as it is: x{2,3} is x x (x)?. */
#include "gate/regex.h"

#include <string.h>

#include "json/utf8.h"
#include "limits.h"

typedef enum { CHAR, SET, SPLIT, JUMP, BEGIN, END, EDGE, NO_EDGE, MATCH } op;

typedef struct {
  uint8_t op;
  bool negated;     /* SET */
  uint16_t count;   /* SET: ranges */
  uint32_t operand; /* CHAR: the code point; SET: the first range */
  int32_t to;       /* SPLIT, JUMP: relative; SPLIT also goes on at +1 */
} instruction;

typedef struct {
  uint32_t from, to;
} range;

struct cloche__regex {
  const instruction *program;
  const range *ranges;
  size_t size;
};

typedef struct {
  cloche_text rest;
  instruction program[CLOCHE__REGEX_SIZE];
  range ranges[CLOCHE__REGEX_SIZE];
  size_t size, range_count, depth;
  bool dot_takes_lines; /* . is a line break as well */
  const char *problem;  /* sticks */
} compiler;

static const range digits[] = {{'0', '9'}};
static const range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const range spaces[] = {
    {9, 13},          {32, 32},         {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
    {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};

/* ---- reading ---- */

static void fail(compiler *c, const char *problem) {
  if (c->problem == NULL) c->problem = problem;
  c->rest.len = 0; /* every loop below ends at the end of the text */
}

static int look(const compiler *c) {
  return c->rest.len > 0 ? (unsigned char)*c->rest.at : -1;
}

static uint32_t take(compiler *c) {
  size_t len;
  int32_t code = cloche__utf8_decode(c->rest, &len);
  if (code < 0) {
    fail(c, "the expression ends too early, or is not UTF-8");
    return 0;
  }
  c->rest = (cloche_text){c->rest.at + len, c->rest.len - len};
  return (uint32_t)code;
}

static bool accept(compiler *c, char wanted) {
  if (look(c) != wanted) return false;
  take(c);
  return true;
}

static size_t emit(compiler *c, instruction added) {
  if (c->size == CLOCHE__REGEX_SIZE) {
    fail(c, "the expression is too large");
    return 0;
  }
  c->program[c->size] = added;
  return c->size++;
}

static void insert_split(compiler *c, size_t at, int32_t to) {
  emit(c, (instruction){0});
  if (c->problem != NULL) return;
  memmove(c->program + at + 1, c->program + at, (c->size - 1 - at) * sizeof *c->program);
  c->program[at] = (instruction){.op = SPLIT, .to = to};
}

/* ---- sets ---- */

static void add_range(compiler *c, uint32_t from, uint32_t to) {
  if (from > to)
    fail(c, "a range in brackets runs backwards");
  else if (c->range_count == CLOCHE__REGEX_SIZE)
    fail(c, "the expression is too large");
  else
    c->ranges[c->range_count++] = (range){from, to};
}

static void add_class(compiler *c, const range *class, size_t count, bool negated) {
  uint32_t next = 0;
  for (size_t i = 0; i < count; i++) {
    if (!negated)
      add_range(c, class[i].from, class[i].to);
    else if (class[i].from > next)
      add_range(c, next, class[i].from - 1);
    next = class[i].to + 1;
  }
  if (negated) add_range(c, next, 0x10FFFF);
}

/* \d \D \w \W \s \S; false if `letter` is none of them. */
static bool add_named_class(compiler *c, uint32_t letter) {
  switch (letter) {
    case 'd':
    case 'D':
      add_class(c, digits, 1, letter == 'D');
      return true;
    case 'w':
    case 'W':
      add_class(c, words, 4, letter == 'W');
      return true;
    case 's':
    case 'S':
      add_class(c, spaces, sizeof spaces / sizeof *spaces, letter == 'S');
      return true;
    default:
      return false;
  }
}

static uint32_t read_hex(compiler *c, int digits_wanted) {
  uint32_t code = 0;
  bool braces = digits_wanted == 4 && accept(c, '{');
  for (int i = 0; braces ? i < 7 && look(c) != '}' : i < digits_wanted; i++) {
    uint32_t digit = take(c), lower = digit | 0x20;
    if (digit >= '0' && digit <= '9')
      code = code * 16 + digit - '0';
    else if (lower >= 'a' && lower <= 'f')
      code = code * 16 + lower - 'a' + 10;
    else
      fail(c, "\\x and \\u are followed by hexadecimal digits");
  }
  if ((braces && !accept(c, '}')) || code > 0x10FFFF) fail(c, "\\u{...} is not a character");
  return code;
}

/* A character after a backslash. */
static uint32_t read_escape(compiler *c, uint32_t letter) {
  static const char names[] = "tnrfv", values[] = "\t\n\r\f\v";
  const char *found = letter < 128 && letter != 0 ? strchr(names, (int)letter) : NULL;
  if (found != NULL) return (unsigned char)values[found - names];
  if (letter == 'x') return read_hex(c, 2);
  if (letter == 'u') return read_hex(c, 4);
  if (letter < 128 && strchr("^$\\.*+?()[]{}|/-,:;=!<>#&@%~'\"` _", (int)letter) != NULL)
    return letter;
  fail(c, letter >= '1' && letter <= '9'
              ? "back-references are not supported: they cannot be matched in linear time"
              : "there is no such escape here");
  return 0;
}

static uint32_t read_set_character(compiler *c, bool *class) {
  uint32_t code = take(c);
  *class = false;
  if (code != '\\') return code;
  code = take(c);
  *class = add_named_class(c, code);
  return *class ? 0 : code == 'b' ? '\b' : read_escape(c, code);
}

static void emit_set(compiler *c, size_t first, bool negated) {
  emit(c, (instruction){.op = SET,
                        .negated = negated,
                        .count = (uint16_t)(c->range_count - first),
                        .operand = (uint32_t)first});
}

static void read_set(compiler *c) {
  size_t first = c->range_count;
  bool negated = accept(c, '^'), class;
  while (look(c) >= 0 && look(c) != ']') {
    uint32_t from = read_set_character(c, &class), to = from;
    if (class) continue;
    if (look(c) == '-' && c->rest.len > 1 && c->rest.at[1] != ']') {
      take(c);
      to = read_set_character(c, &class);
      if (class) fail(c, "a range in brackets ends with a single character");
    }
    add_range(c, from, to);
  }
  if (!accept(c, ']')) fail(c, "a bracket is never closed");
  emit_set(c, first, negated);
}

/* ---- expressions ---- */

static void read_alternatives(compiler *c);

static void read_group(compiler *c) {
  if (accept(c, '?') && !accept(c, ':')) {
    fail(c,
         "of the groups with ? only (?:...) is supported: look-around cannot be matched in linear "
         "time");
  }
  if (++c->depth > CLOCHE__REGEX_DEPTH) fail(c, "groups are nested too deep");
  read_alternatives(c);
  c->depth--;
  if (!accept(c, ')')) fail(c, "a parenthesis is never closed");
}

static void read_atom(compiler *c) {
  size_t first = c->range_count;
  uint32_t code = take(c);
  switch (code) {
    case '(':
      read_group(c);
      return;
    case '[':
      read_set(c);
      return;
    case '.':
      if (!c->dot_takes_lines) {
        add_range(c, '\n', '\n'), add_range(c, '\r', '\r'), add_range(c, 0x2028, 0x2029);
      }
      emit_set(c, first, true);
      return;
    case '^':
      emit(c, (instruction){.op = BEGIN});
      return;
    case '$':
      emit(c, (instruction){.op = END});
      return;
    case '*':
    case '+':
    case '?':
    case '{':
      fail(c, "there is nothing before this to repeat; a backslash makes it a plain character");
      return;
    case '}':
    case ']':
      fail(c, "a closing bracket stands alone; a backslash makes it a plain character");
      return;
    case '\\':
      code = take(c);
      if (code == 'b' || code == 'B') {
        emit(c, (instruction){.op = code == 'b' ? EDGE : NO_EDGE});
      } else if (add_named_class(c, code)) {
        emit_set(c, first, false);
      } else {
        emit(c, (instruction){.op = CHAR, .operand = read_escape(c, code)});
      }
      return;
    default:
      emit(c, (instruction){.op = CHAR, .operand = code});
  }
}

static void append_copy(compiler *c, size_t at, size_t len) {
  for (size_t i = 0; i < len && c->problem == NULL; i++) emit(c, c->program[at + i]);
}

enum { NO_END = 0xFFFF };

/* The piece at `at` becomes itself at least `least` and at most `most` times. */
static void repeat(compiler *c, size_t at, size_t least, size_t most) {
  size_t len = c->size - at;
  if (most == 0) c->size = at;
  if (most == 0 || c->problem != NULL) return;
  for (size_t i = 1; i < least; i++) append_copy(c, at, len);
  if (most == NO_END) {
    size_t last = least == 0 ? at : c->size - len; /* the copy that loops */
    if (least == 0) insert_split(c, at, (int32_t)len + 2);
    if (least == 0)
      emit(c, (instruction){.op = JUMP, .to = -(int32_t)len - 1});
    else
      emit(c, (instruction){.op = SPLIT, .to = (int32_t)last - (int32_t)c->size});
    return;
  }
  /* Each optional copy may be skipped on its own: x{0,2} is (x)?(x)?. */
  for (size_t i = least == 0 ? 1 : least; i < most; i++) {
    emit(c, (instruction){.op = SPLIT, .to = (int32_t)len + 1});
    append_copy(c, at, len);
  }
  if (least == 0) insert_split(c, at, (int32_t)len + 1);
}

static size_t read_count(compiler *c) {
  size_t count = 0, seen = 0;
  for (; look(c) >= '0' && look(c) <= '9'; seen++) {
    count = count * 10 + (take(c) - '0');
    if (count > CLOCHE__REGEX_SIZE) fail(c, "this repeats too often");
  }
  if (seen == 0) fail(c, "a repetition is written {m}, {m,} or {m,n}");
  return count;
}

static void read_counts(compiler *c, size_t at) {
  size_t least = read_count(c), most = least;
  if (accept(c, ',')) most = look(c) == '}' ? NO_END : read_count(c);
  if (!accept(c, '}')) fail(c, "a repetition is written {m}, {m,} or {m,n}");
  if (most < least) fail(c, "a repetition runs backwards");
  repeat(c, at, least, most);
}

static void read_repeated(compiler *c) {
  size_t at = c->size;
  read_atom(c);
  bool again = true;
  if (accept(c, '*'))
    repeat(c, at, 0, NO_END);
  else if (accept(c, '+'))
    repeat(c, at, 1, NO_END);
  else if (accept(c, '?'))
    repeat(c, at, 0, 1);
  else if (accept(c, '{'))
    read_counts(c, at);
  else
    again = false;
  if (again) accept(c, '?'); /* lazy or greedy is no difference to whether it matches */
}

static void read_alternatives(compiler *c) {
  size_t jumps = SIZE_MAX; /* the jumps to the end, each naming the one before in `operand` */
  for (;;) {
    size_t start = c->size;
    while (look(c) >= 0 && look(c) != '|' && look(c) != ')') read_repeated(c);
    if (!accept(c, '|')) break;
    insert_split(c, start, (int32_t)(c->size - start) + 2);
    jumps = emit(c, (instruction){.op = JUMP, .operand = (uint32_t)jumps});
  }
  for (uint32_t at = (uint32_t)jumps; at != UINT32_MAX && c->problem == NULL;
       at = c->program[at].operand) {
    c->program[at].to = (int32_t)(c->size - at);
  }
}

static void read_glob(compiler *c) {
  while (look(c) >= 0) {
    size_t at = c->size, first = c->range_count;
    uint32_t code = take(c);
    bool deep = code == '*' && accept(c, '*');
    if (code != '*' && code != '?') {
      emit(c, (instruction){.op = CHAR, .operand = code == '\\' ? take(c) : code});
      continue;
    }
    if (!deep) add_range(c, '/', '/');
    emit_set(c, first, true);
    if (code == '*') repeat(c, at, 0, NO_END);
  }
}

static cloche_status compile(cloche_text source, void (*read)(compiler *), cloche__arena *arena,
                             const cloche__regex **regex, const char **problem) {
  compiler c;
  c.rest = source;
  c.size = c.range_count = c.depth = 0;
  c.dot_takes_lines = false;
  c.problem = NULL;
  read(&c);
  if (look(&c) >= 0) fail(&c, "a closing parenthesis has no opening one");
  emit(&c, (instruction){.op = MATCH});
  if (c.problem != NULL) {
    *problem = c.problem;
    return CLOCHE_E_ARGUMENT;
  }
  cloche__regex *made = cloche__arena_take(arena, 1, sizeof *made);
  instruction *program = cloche__arena_take(arena, c.size, sizeof *program);
  range *ranges = cloche__arena_take(arena, c.range_count, sizeof *ranges);
  if (made == NULL || program == NULL || ranges == NULL) return CLOCHE_E_MEMORY;
  memcpy(program, c.program, c.size * sizeof *program);
  memcpy(ranges, c.ranges, c.range_count * sizeof *ranges);
  *made = (cloche__regex){program, ranges, c.size};
  *regex = made;
  return CLOCHE_OK;
}

cloche_status cloche__regex_make(cloche_text source, cloche__arena *arena,
                                 const cloche__regex **regex, const char **problem) {
  return compile(source, read_alternatives, arena, regex, problem);
}

static void read_over_lines(compiler *c) {
  c->dot_takes_lines = true;
  read_alternatives(c);
}

cloche_status cloche__regex_over_lines(cloche_text source, cloche__arena *arena,
                                       const cloche__regex **regex, const char **problem) {
  return compile(source, read_over_lines, arena, regex, problem);
}

cloche_status cloche__regex_glob(cloche_text source, cloche__arena *arena,
                                 const cloche__regex **regex, const char **problem) {
  return compile(source, read_glob, arena, regex, problem);
}

/* ---- matching ---- */

typedef struct {
  uint16_t states[CLOCHE__REGEX_SIZE];
  size_t count;
} state_set;

typedef struct {
  const cloche__regex *regex;
  uint32_t added[CLOCHE__REGEX_SIZE]; /* the round in which a state was last added */
  uint32_t round;
  bool begin, end, edge; /* of the place between two characters that is looked at */
  bool matched;
  size_t *steps;
} matcher;

static bool is_word(int32_t code) {
  return code == '_' || (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
         (code >= 'a' && code <= 'z');
}

/* Adds a state and all that can be reached from it without a character. Depth first with a stack of
 * its own; a state is pushed at most once a round for each of its two exits. */
static void add_state(matcher *m, state_set *set, size_t state) {
  uint16_t stack[CLOCHE__REGEX_SIZE + 2];
  size_t top = 0;
  stack[top++] = (uint16_t)state;
  while (top > 0) {
    state = stack[--top];
    if (m->added[state] == m->round) continue;
    m->added[state] = m->round;
    if (*m->steps > 0) --*m->steps;
    const instruction *at = &m->regex->program[state];
    bool passes = at->op == JUMP || at->op == SPLIT || (at->op == BEGIN && m->begin) ||
                  (at->op == END && m->end) || (at->op == EDGE && m->edge) ||
                  (at->op == NO_EDGE && !m->edge);
    if (at->op == MATCH) m->matched = true;
    if (at->op == CHAR || at->op == SET) set->states[set->count++] = (uint16_t)state;
    if (at->op == JUMP || at->op == SPLIT) {
      size_t to = (size_t)((int32_t)state + at->to);
      if (m->added[to] != m->round) stack[top++] = (uint16_t)to;
    }
    if (passes && at->op != JUMP && m->added[state + 1] != m->round) {
      stack[top++] = (uint16_t)(state + 1);
    }
  }
}

static bool takes(const cloche__regex *regex, const instruction *at, uint32_t code) {
  if (at->op == CHAR) return at->operand == code;
  const range *ranges = regex->ranges + at->operand;
  for (size_t i = 0; i < at->count; i++) {
    if (code >= ranges[i].from && code <= ranges[i].to) return !at->negated;
  }
  return at->negated;
}

/* Moves over one character; `next` gets the states after it. */
static void advance(matcher *m, const state_set *now, state_set *next, int32_t code) {
  next->count = 0;
  m->round++;
  m->matched = false;
  for (size_t i = 0; i < now->count; i++) {
    const instruction *at = &m->regex->program[now->states[i]];
    size_t cost = 1 + at->count;
    *m->steps -= *m->steps < cost ? *m->steps : cost;
    if (takes(m->regex, at, (uint32_t)code)) add_state(m, next, now->states[i] + 1u);
  }
}

cloche__match cloche__regex_match(const cloche__regex *regex, cloche_text text, bool whole,
                                  size_t *steps) {
  matcher m = {.regex = regex, .steps = steps};
  state_set sets[2], *now = &sets[0], *next = &sets[1];
  size_t len;
  int32_t before = -1, code = cloche__utf8_decode(text, &len);
  now->count = 0;
  m.round = 1;
  m.begin = true;
  m.end = text.len == 0;
  m.edge = is_word(code);
  add_state(&m, now, 0);
  while (text.len > 0 && (whole || !m.matched)) {
    if (code < 0) return CLOCHE__MATCH_NO;
    if (*steps == 0) return CLOCHE__MATCH_LIMIT;
    text = (cloche_text){text.at + len, text.len - len};
    before = code;
    code = cloche__utf8_decode(text, &len);
    m.begin = false;
    m.end = text.len == 0;
    m.edge = is_word(before) != is_word(code);
    advance(&m, now, next, before);
    if (!whole) add_state(&m, next, 0);
    state_set *swap = now;
    now = next;
    next = swap;
    if (whole && now->count == 0 && !m.matched) return CLOCHE__MATCH_NO;
    if (*steps > 0) --*steps;
  }
  return m.matched ? CLOCHE__MATCH_YES : CLOCHE__MATCH_NO;
}
