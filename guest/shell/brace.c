// SPDX-License-Identifier: MIT
/* brace.c -- {a,b} and {1..9}.
 *
 * The word is written down as bytes: literal characters as themselves, any other part as a NUL and
 * its number. Results are such strings, put together from left to right; only braces inside braces
 * recurse. */
#include <stdlib.h>

#include "expand.h"

/* Words from one sequence, and from all braces of a word multiplied. */
#define SEQUENCE_MAX 1000000
#define PRODUCT_MAX 250000u
#define BRACE_DEPTH 64

#define OPAQUE_BYTES 5u /* NUL and four bytes of number */

typedef struct {
  const char *at;
  size_t len;
} piece;

typedef struct {
  piece *at;
  size_t count, cap;
} pieces;

typedef struct {
  shell *sh;
  const word *word;
  const part **opaque;
  size_t *match; /* for each {: where its } is, or 0 */
  bool *listed;  /* for each {: a comma belongs to it */
  const char *source;
  unsigned depth;
  bool failed;
} bracer;

static void add_piece(bracer *b, pieces *to, const char *at, size_t len) {
  if (to->count == to->cap) {
    size_t cap = to->cap != 0 ? to->cap * 2 : 8;
    piece *bigger = arena_take(&b->sh->scratch, cap * sizeof *bigger);
    if (to->count != 0) memcpy(bigger, to->at, to->count * sizeof *bigger);
    to->at = bigger;
    to->cap = cap;
  }
  to->at[to->count++] = (piece){at, len};
}

static void too_many(bracer *b) {
  if (!b->failed) complain(b->sh, "brace expansion: more than %u words", PRODUCT_MAX);
  b->failed = true;
}

/* ---- {x..y..step} ---- */

typedef struct {
  int64_t first, last, step;
  size_t width; /* 0: no leading zeros */
  bool letters;
} sequence;

static bool read_integer(const char **at, const char *end, int64_t *value, size_t *width) {
  const char *from = *at;
  bool negative = false;
  uint64_t number = 0;
  if (*at < end && (**at == '-' || **at == '+')) negative = *(*at)++ == '-';
  const char *digits = *at;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
    if (number > 922337203685477580u) return false;
    number = number * 10 + (uint64_t)(**at - '0');
  }
  if (*at == digits) return false;
  if (*at - digits > 1 && *digits == '0' && (size_t)(*at - from) > *width)
    *width = (size_t)(*at - from);
  *value = (int64_t)(negative ? 0 - number : number);
  return true;
}

static bool dots(const char **at, const char *end) {
  if (end - *at < 2 || (*at)[0] != '.' || (*at)[1] != '.') return false;
  *at += 2;
  return true;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool read_sequence(const char *at, const char *end, sequence *to) {
  *to = (sequence){.step = 0};
  const char *start = at;
  size_t unused = 0;
  size_t sizes[2] = {0, 0};
  if (end - at >= 4 && is_letter(at[0]) && at[1] == '.' && at[2] == '.' && is_letter(at[3])) {
    to->letters = true;
    to->first = at[0];
    to->last = at[3];
    at += 4;
  } else {
    if (!read_integer(&at, end, &to->first, &to->width)) return false;
    sizes[0] = (size_t)(at - start);
    if (!dots(&at, end)) return false;
    start = at;
    if (!read_integer(&at, end, &to->last, &to->width)) return false;
    sizes[1] = (size_t)(at - start);
    if (to->width != 0) to->width = sizes[0] > sizes[1] ? sizes[0] : sizes[1];
  }
  if (at == end) return true;
  return dots(&at, end) && read_integer(&at, end, &to->step, &unused) && at == end;
}

static size_t format_number(int64_t number, size_t width, char *to) {
  char digits[24];
  size_t size = number_format(number, digits), at = 0, from = 0;
  if (size >= width) {
    memcpy(to, digits, size);
    return size;
  }
  if (number < 0) to[at++] = digits[from++];
  while (at + (size - from) < width) to[at++] = '0';
  memcpy(to + at, digits + from, size - from);
  return width;
}

static void add_sequence(bracer *b, const sequence *of, pieces *to) {
  uint64_t step = of->step < 0 ? 0 - (uint64_t)of->step : (uint64_t)of->step;
  if (step == 0) step = 1;
  bool down = of->first > of->last;
  uint64_t distance =
      down ? (uint64_t)of->first - (uint64_t)of->last : (uint64_t)of->last - (uint64_t)of->first;
  if (distance / step >= SEQUENCE_MAX || of->width > 64) {
    complain(b->sh, "brace expansion: more than %d words", SEQUENCE_MAX);
    b->failed = true;
    return;
  }
  uint64_t count = distance / step + 1;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t offset = i * step;
    int64_t value = (int64_t)((uint64_t)of->first + (down ? 0 - offset : offset));
    char *piece = arena_take(&b->sh->scratch, of->letters ? 2 : (of->width > 24 ? of->width : 24));
    size_t size = 1;
    if (of->letters)
      *piece = (char)value;
    else
      size = format_number(value, of->width, piece);
    piece[size] = 0;
    add_piece(b, to, piece, size);
  }
}

/* ---- {a,b} ---- */

static void expand_range(bracer *b, size_t from, size_t to, pieces *results);

static size_t step_over(const bracer *b, size_t at) {
  return b->source[at] == 0 ? at + OPAQUE_BYTES : at + 1;
}

static void add_alternatives(bracer *b, size_t open, size_t close, pieces *to) {
  size_t from = open + 1, depth = 0;
  for (size_t at = from; at <= close && !b->failed; at = step_over(b, at)) {
    char c = b->source[at];
    bool nested = c == '{' && b->match[at] != 0;
    if (nested) {
      at = b->match[at];
      continue;
    }
    if ((c == ',' && depth == 0) || at == close) {
      expand_range(b, from, at, to);
      from = at + 1;
    }
  }
}

/* Every result so far, followed by every alternative. */
static void multiply(bracer *b, pieces *results, const pieces *by) {
  if (results->count == 1 && results->at[0].len == 0) {
    *results = *by;
    return;
  }
  if (by->count > PRODUCT_MAX / results->count) {
    too_many(b);
    return;
  }
  pieces product = {0};
  for (size_t i = 0; i < results->count; i++)
    for (size_t k = 0; k < by->count; k++) {
      size_t left = results->at[i].len, right = by->at[k].len;
      char *joined = arena_take(&b->sh->scratch, left + right + 1);
      memcpy(joined, results->at[i].at, left);
      memcpy(joined + left, by->at[k].at, right);
      joined[left + right] = 0;
      add_piece(b, &product, joined, left + right);
    }
  *results = product;
}

static void add_literal(bracer *b, pieces *results, size_t from, size_t to) {
  if (to == from) return;
  pieces one = {0};
  add_piece(b, &one, arena_copy(&b->sh->scratch, b->source + from, to - from), to - from);
  multiply(b, results, &one);
}

static bool expand_braces(bracer *b, size_t open, pieces *to) {
  size_t close = b->match[open];
  sequence of;
  if (b->listed[open]) {
    add_alternatives(b, open, close, to);
    return true;
  }
  if (!read_sequence(b->source + open + 1, b->source + close, &of)) return false;
  add_sequence(b, &of, to);
  return true;
}

static void expand_range(bracer *b, size_t from, size_t to, pieces *results) {
  pieces here = {0};
  add_piece(b, &here, "", 0);
  if (++b->depth > BRACE_DEPTH) {
    if (!b->failed)
      complain(b->sh, "brace expansion: more than %d braces inside one another", BRACE_DEPTH);
    b->failed = true;
    return;
  }
  size_t literal = from;
  for (size_t at = from; at < to && !b->failed; at = step_over(b, at)) {
    if (b->source[at] != '{' || b->match[at] == 0) continue;
    pieces alternatives = {0};
    if (!expand_braces(b, at, &alternatives)) continue;
    add_literal(b, &here, literal, at);
    if (!b->failed) multiply(b, &here, &alternatives);
    at = b->match[at];
    literal = at + 1;
  }
  add_literal(b, &here, literal, to);
  b->depth--;
  if (results->count + here.count > SEQUENCE_MAX) too_many(b);
  if (results->count == 0) {
    *results = here;
    return;
  }
  for (size_t i = 0; i < here.count && !b->failed; i++)
    add_piece(b, results, here.at[i].at, here.at[i].len);
}

/* ---- to bytes and back ---- */

static void write_down(bracer *b, text *to) {
  size_t count = 0;
  for (const part *at = b->word->parts; at != NULL; at = at->next) count++;
  b->opaque = arena_take(&b->sh->scratch, (count + 1) * sizeof(part *));
  count = 0;
  for (const part *at = b->word->parts; at != NULL; at = at->next) {
    if (at->kind == PART_LITERAL) {
      text_add(to, at->text.at, at->text.len);
      continue;
    }
    uint32_t number = (uint32_t)count;
    b->opaque[count++] = at;
    text_char(to, 0);
    text_add(to, (const char *)&number, sizeof number);
  }
  text_end(to);
}

/* One pass with a stack: which } closes which {, and whether a comma is between them. */
static void find_braces(bracer *b, size_t size) {
  size_t *stack = arena_take(&b->sh->scratch, (size + 1) * sizeof *stack), depth = 0;
  b->match = arena_zero(&b->sh->scratch, (size + 1) * sizeof *b->match);
  b->listed = arena_zero(&b->sh->scratch, size + 1);
  for (size_t at = 0; at < size; at = step_over(b, at)) {
    char c = b->source[at];
    if (c == '{') {
      stack[depth++] = at;
    } else if (c == ',' && depth > 0) {
      b->listed[stack[depth - 1]] = true;
    } else if (c == '}' && depth > 0) {
      b->match[stack[--depth]] = at;
    }
  }
}

static bool is_plain(const char *at, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (strchr("*?[]\\~(", at[i]) != NULL) return false; /* strchr finds the NUL too */
  return len > 0;
}

static word *word_from(bracer *b, const piece *from) {
  arena *memory = &b->sh->scratch;
  word *made = arena_zero(memory, sizeof *made);
  made->line = b->word->line;
  made->flags = b->word->flags & (uint8_t) ~(WORD_BRACE | WORD_PLAIN);
  part **last = &made->parts;
  for (size_t at = 0; at < from->len;) {
    part *one = arena_zero(memory, sizeof *one);
    if (from->at[at] == 0) {
      uint32_t number;
      memcpy(&number, from->at + at + 1, sizeof number);
      *one = *b->opaque[number];
      one->next = NULL;
      at += OPAQUE_BYTES;
    } else {
      size_t start = at;
      while (at < from->len && from->at[at] != 0) at++;
      one->text = (slice){arena_copy(memory, from->at + start, at - start), at - start};
    }
    *last = one;
    last = &one->next;
  }
  return made;
}

bool brace_expand(shell *sh, const word *of, braced **to, size_t *count) {
  bracer b = {.sh = sh, .word = of};
  text source = {.in = &sh->scratch};
  write_down(&b, &source);
  b.source = source.at;
  find_braces(&b, source.len);
  pieces results = {0};
  expand_range(&b, 0, source.len, &results);
  if (b.failed) {
    discard(sh, 1);
    return false;
  }
  *count = results.count;
  *to = arena_take(&sh->scratch, results.count * sizeof **to);
  for (size_t i = 0; i < results.count; i++) {
    const piece *one = &results.at[i];
    if (is_plain(one->at, one->len))
      (*to)[i] = (braced){one->at, NULL};
    else
      (*to)[i] = (braced){NULL, word_from(&b, one)};
  }
  return true;
}
