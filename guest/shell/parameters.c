// SPDX-License-Identifier: MIT
/* parameters.c -- the grammar of $x and ${x...}: names, subscripts, operators and their words. */
#include "scanner.h"

static void parameter_named(parser *p, parameter *made, const char *name, size_t size) {
  made->name = arena_copy(p->memory, name, size);
  made->hash = name_hash(name, size);
  made->special = !name_start((unsigned char)*name);
  if (is_digit(*name))
    for (size_t i = 0; i < size && made->number < 100000000u; i++)
      made->number = made->number * 10 + (uint32_t)(name[i] - '0');
  if (*name == '@' || *name == '*') made->all = *name;
}

/* Bytes of the parameter's name here; 0 when there is none. */
size_t parameter_size(const parser *p, size_t ahead) {
  int c = lexer_peek(p, ahead);
  size_t size = 0;
  if (name_start(c)) {
    while (name_rest(lexer_peek(p, ahead + size))) size++;
  } else if (is_digit(c)) {
    while (is_digit(lexer_peek(p, ahead + size))) size++;
  } else if (special_parameter(c)) {
    size = 1;
  }
  return size;
}

/* Everything up to the closing brace of something that no operator of ours explains. */
static void scan_bad(scanner *s, parameter *made) {
  made->op = OP_BAD;
  scan_nested(s->p, (scan_how){.kind = SCAN_BRACE, .quoted = s->how.quoted});
}

static void scan_subscript(scanner *s, parameter *made) {
  parser *p = s->p;
  uint32_t line = p->line;
  lexer_advance(p);
  int c = lexer_char(p);
  if ((c == '@' || c == '*') && lexer_peek(p, 1) == ']') {
    made->all = (char)c;
    lexer_skip(p, 2);
    return;
  }
  made->subscript = scan_nested(p, (scan_how){.kind = SCAN_SUBSCRIPT});
  if (lexer_char(p) == ']')
    lexer_advance(p);
  else
    parse_unclosed(p, line, "]");
}

/* The word behind an operator. `pattern`: quotes count even inside double quotes. */
static word *scan_operand(scanner *s, bool pattern, char stop) {
  scan_how how = {.kind = SCAN_BRACE, .quoted = s->how.quoted && !pattern, .stop = stop};
  how.extglob = s->p->extglob;
  how.document = s->how.document;
  return scan_nested(s->p, how);
}

static void scan_replace(scanner *s, parameter *made) {
  parser *p = s->p;
  lexer_advance(p);
  made->op = OP_REPLACE;
  if (lexer_char(p) == '/') {
    made->op = OP_REPLACE_ALL;
    lexer_advance(p);
  }
  if (lexer_char(p) == '/') {
    /* A pattern may begin with the slash that otherwise ends it. */
    scanner slash = {.p = p, .how = {.kind = SCAN_BRACE, .stop = '/', .extglob = p->extglob}};
    const char *from = p->in->at;
    slash.last = &slash.first;
    slash.run.in = p->memory;
    lexer_advance(p);
    scanner_char(&slash, PART_LITERAL, '/');
    scan_parts(&slash);
    made->first = word_of(p, slash.first, from);
  } else {
    made->first = scan_operand(s, true, '/');
  }
  if (lexer_char(p) != '/') return;
  lexer_advance(p);
  made->second = scan_operand(s, true, 0);
}

static void scan_slice(scanner *s, parameter *made) {
  parser *p = s->p;
  made->op = OP_SLICE;
  made->first = scan_nested(p, (scan_how){.kind = SCAN_BRACE, .quoted = true, .stop = ':'});
  if (lexer_char(p) != ':') return;
  lexer_advance(p);
  made->second = scan_nested(p, (scan_how){.kind = SCAN_BRACE, .quoted = true});
}

/* # ## % %% ^ ^^ , ,, ~ ~~ : the doubled form is the next value of the enumeration. */
static void scan_doubled(scanner *s, parameter *made, parameter_op single) {
  parser *p = s->p;
  int c = lexer_char(p);
  made->op = (uint8_t)single;
  lexer_advance(p);
  if (lexer_char(p) == c) {
    made->op++;
    lexer_advance(p);
  }
  made->first = scan_operand(s, true, 0);
}

static bool scan_default(scanner *s, parameter *made, int c) {
  static const char operators[] = "-=?+";
  const char *found = c > 0 ? strchr(operators, c) : NULL;
  if (found == NULL) return false;
  made->op = (uint8_t)(OP_DEFAULT + (found - operators));
  lexer_advance(s->p);
  made->first = scan_operand(s, false, 0);
  return true;
}

static void scan_operator(scanner *s, parameter *made) {
  parser *p = s->p;
  int c = lexer_char(p), next = lexer_peek(p, 1);
  if (c == ':' && next > 0 && strchr("-=?+", next) != NULL) {
    made->colon = true;
    lexer_advance(p);
    scan_default(s, made, next);
    return;
  }
  switch (c) {
    case '}':
      return;
    case ':':
      lexer_advance(p);
      scan_slice(s, made);
      return;
    case '#':
      scan_doubled(s, made, OP_PREFIX);
      return;
    case '%':
      scan_doubled(s, made, OP_SUFFIX);
      return;
    case '^':
      scan_doubled(s, made, OP_UPPER);
      return;
    case ',':
      scan_doubled(s, made, OP_LOWER);
      return;
    case '~':
      scan_doubled(s, made, OP_TOGGLE);
      return;
    case '/':
      scan_replace(s, made);
      return;
    case '@':
      if (next > 0 && strchr("QEPAKakULu", next) != NULL && lexer_peek(p, 2) == '}') {
        made->op = OP_TRANSFORM;
        made->letter = (char)next;
        lexer_skip(p, 2);
        return;
      }
      break;
    default:
      if (scan_default(s, made, c)) return;
  }
  scan_bad(s, made);
}

/* ${#...}: a length, unless # is the parameter itself. */
static bool scan_length(scanner *s, parameter *made) {
  parser *p = s->p;
  size_t size = parameter_size(p, 1);
  if (size == 0) return false;
  int after = lexer_peek(p, 1 + size);
  bool name = name_start(lexer_peek(p, 1));
  if (after != '}' && !(name && after == '[')) {
    if (special_parameter(lexer_peek(p, 1))) return false;
    lexer_skip(p, 1);
    parameter_named(p, made, p->in->at, size);
    scan_bad(s, made);
    return true;
  }
  lexer_advance(p);
  parameter_named(p, made, p->in->at, size);
  lexer_skip(p, size);
  if (after == '[') scan_subscript(s, made);
  made->op = OP_LENGTH;
  if (lexer_char(p) != '}') scan_bad(s, made);
  return true;
}

/* ${!...}: indirection, or the names that begin so, or an array's keys. */
static bool scan_indirect(scanner *s, parameter *made) {
  parser *p = s->p;
  size_t size = parameter_size(p, 1);
  int first = lexer_peek(p, 1), after = lexer_peek(p, 1 + size);
  if (size == 0 || (special_parameter(first) && after != '}' && first != '@' && first != '*'))
    return false;
  lexer_advance(p);
  parameter_named(p, made, p->in->at, size);
  lexer_skip(p, size);
  if (!made->special && (after == '@' || after == '*') && lexer_peek(p, 1) == '}') {
    made->op = OP_NAMES;
    made->all = (char)after;
    lexer_advance(p);
    return true;
  }
  if (after == '[' && !made->special) {
    scan_subscript(s, made);
    if (made->all != 0 && lexer_char(p) == '}') {
      made->op = OP_KEYS;
      return true;
    }
  }
  made->indirect = true;
  scan_operator(s, made);
  return true;
}

static void scan_parameter_inside(scanner *s, parameter *made) {
  parser *p = s->p;
  while (lexer_char(p) == '\\' && lexer_peek(p, 1) == '\n') lexer_skip(p, 2);
  int c = lexer_char(p);
  if (c == '#' && scan_length(s, made)) return;
  if (c == '!' && scan_indirect(s, made)) return;
  size_t size = parameter_size(p, 0);
  if (size == 0) {
    parameter_named(p, made, "?", 1);
    scan_bad(s, made);
    return;
  }
  parameter_named(p, made, p->in->at, size);
  lexer_skip(p, size);
  if (lexer_char(p) == '[' && !made->special) scan_subscript(s, made);
  scan_operator(s, made);
}

void scan_braced(scanner *s) {
  parser *p = s->p;
  uint32_t line = p->line;
  const char *from = p->in->at;
  part *made = scanner_part(s, PART_PARAMETER);
  made->parameter = arena_zero(p->memory, sizeof *made->parameter);
  lexer_skip(p, 2);
  if (!parse_deeper(p)) return;
  scan_parameter_inside(s, made->parameter);
  p->depth--;
  if (lexer_char(p) != '}') {
    parse_unclosed(p, line, "}");
    return;
  }
  lexer_advance(p);
  parameter *of = made->parameter;
  if (p->in->at >= from) of->source = (slice){from, (size_t)(p->in->at - from)};
  made->simple = of->op == OP_NONE && !of->indirect && of->subscript == NULL && of->all == 0;
}

/* $name, $1, $@ */
void scan_named(scanner *s, size_t size) {
  parser *p = s->p;
  part *made = scanner_part(s, PART_PARAMETER);
  made->parameter = arena_zero(p->memory, sizeof *made->parameter);
  made->parameter->source = (slice){p->in->at, size + 1};
  lexer_advance(p);
  parameter_named(p, made->parameter, p->in->at, size);
  made->simple = made->parameter->all == 0;
  lexer_skip(p, size);
}
