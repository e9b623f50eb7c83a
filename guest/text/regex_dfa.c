// SPDX-License-Identifier: MIT
/* regex_dfa.c -- the lazily built automaton. See regex_program.h.
 *
 *   state   a list of program states; in DFA_LEFTMOST it is cut by MARKs into sets, those of an
 *           earlier start before those of a later one, so that the leftmost match can win
 *   table   next[state * stride + class of the byte]; two more columns stand for the end of the
 *           text and for an end that $ must not see
 *
 * The table is thrown away when it reaches DFA_TABLE_MAX. Text with characters beyond ASCII and
 * assertions about words takes the slow way, without a table: what is a word there is not a matter
 * of one byte. */
#include <stdlib.h>
#include <string.h>

#include "regex_program.h"
#include "unicode.h"

#define MARK UINT32_MAX
/* Entries of all rows: 1 MiB. A hundred states are usual, a few thousand rare. */
#define DFA_TABLE_MAX (1u << 18)

#define FLAG_MATCH 0x80000000u
#define FLAG_DEAD 0x40000000u
#define FLAG_UNKNOWN 0x20000000u
#define FLAGS 0xE0000000u

typedef enum { SIDE_OTHER, SIDE_WORD, SIDE_NEWLINE, SIDE_EDGE } side;

typedef struct {
  uint32_t *at;
  uint32_t count, room;
} item_list;

typedef struct {
  uint32_t first, count; /* in `pool` */
  uint8_t before;        /* a side: what lies behind this state's position */
  bool closed;           /* no new starts any more */
} dfa_state;

struct dfa {
  const regex_program *program;
  dfa_mode mode;
  uint32_t stride;
  uint32_t *next;
  uint32_t next_room;
  dfa_state *states;
  uint32_t count, room;
  item_list pool;
  uint32_t *buckets; /* state number + 1 */
  uint32_t bucket_count;
  uint32_t start[4];            /* by side; + 1, 0 unknown */
  item_list from, resolved, to; /* scratch */
  uint32_t *seen, *stack, stamp;
  bool failed;
};

dfa *dfa_new(const regex_program *program, dfa_mode mode) {
  dfa *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  d->program = program;
  d->mode = mode;
  d->stride = program->classes + 2;
  d->bucket_count = 256;
  d->buckets = calloc(d->bucket_count, sizeof *d->buckets);
  d->seen = calloc(program->count, sizeof *d->seen);
  d->stack = malloc((program->count * 2u + 2) * sizeof *d->stack);
  if (d->buckets == NULL || d->seen == NULL || d->stack == NULL) {
    dfa_free(d);
    return NULL;
  }
  return d;
}

void dfa_free(dfa *d) {
  if (d == NULL) return;
  free(d->next);
  free(d->states);
  free(d->pool.at);
  free(d->buckets);
  free(d->from.at);
  free(d->resolved.at);
  free(d->to.at);
  free(d->seen);
  free(d->stack);
  free(d);
}

static void push(dfa *d, item_list *list, uint32_t item) {
  if (list->count == list->room) {
    uint32_t room = list->room == 0 ? 64 : list->room * 2;
    uint32_t *at = realloc(list->at, room * sizeof *at);
    if (at == NULL) {
      d->failed = true;
      return;
    }
    list->at = at;
    list->room = room;
  }
  list->at[list->count++] = item;
}

static bool is_word(side s) {
  return s == SIDE_WORD;
}

/* `before` and `after` as the text runs, whichever way we read. */
static bool holds(const regex_state *state, side before, side after) {
  bool line_start = before == SIDE_EDGE || (state->lines && before == SIDE_NEWLINE);
  bool line_end = after == SIDE_EDGE || (state->lines && after == SIDE_NEWLINE);
  switch ((assert_kind)state->assertion) {
    case ASSERT_LINE_START:
      return line_start;
    case ASSERT_LINE_END:
      return line_end;
    case ASSERT_TEXT_START:
      return before == SIDE_EDGE;
    case ASSERT_TEXT_END:
      return after == SIDE_EDGE;
    case ASSERT_TEXT_END_NEWLINE:
      return after == SIDE_EDGE || after == SIDE_NEWLINE;
    case ASSERT_WORD_EDGE:
      return is_word(before) != is_word(after);
    case ASSERT_NOT_WORD_EDGE:
      return is_word(before) == is_word(after);
    case ASSERT_WORD_START:
      return !is_word(before) && is_word(after);
    case ASSERT_WORD_END:
      return is_word(before) && !is_word(after);
    case ASSERT_NO_WORD_BEFORE:
      return !is_word(before);
    case ASSERT_NO_WORD_AFTER:
      return !is_word(after);
    case ASSERT_NEVER:
      return false;
  }
  return false;
}

/* Adds what `state` leads to without reading: splits are followed, assertions only with `resolve`.
 */
static void close_over(dfa *d, item_list *list, uint32_t state, bool resolve, side before,
                       side after) {
  const regex_program *p = d->program;
  uint32_t top = 0;
  d->stack[top++] = state;
  while (top > 0) {
    uint32_t at = d->stack[--top];
    if (d->seen[at] == d->stamp) continue;
    d->seen[at] = d->stamp;
    const regex_state *s = &p->states[at];
    if (s->op == OP_SPLIT) {
      d->stack[top++] = s->b;
      d->stack[top++] = s->a;
    } else if (s->op == OP_ASSERT && resolve) {
      if (p->backward ? holds(s, after, before) : holds(s, before, after)) d->stack[top++] = s->a;
    } else {
      push(d, list, at);
    }
  }
}

static void new_stamp(dfa *d) {
  if (++d->stamp == 0) {
    memset(d->seen, 0, d->program->count * sizeof *d->seen);
    d->stamp = 1;
  }
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void sort_items(uint32_t *at, uint32_t count) {
  if (count > 16) {
    qsort(at, count, sizeof *at, by_number);
    return;
  }
  for (uint32_t i = 1; i < count; i++) {
    uint32_t item = at[i], k = i;
    for (; k > 0 && at[k - 1] > item; k--) at[k] = at[k - 1];
    at[k] = item;
  }
}

/* Sorts within each set, so that equal states compare equal, and drops a MARK at the end. */
static void normalise(item_list *list) {
  uint32_t begin = 0;
  for (uint32_t i = 0; i <= list->count; i++) {
    if (i == list->count || list->at[i] == MARK) {
      sort_items(list->at + begin, i - begin);
      begin = i + 1;
    }
  }
  if (list->count > 0 && list->at[list->count - 1] == MARK) list->count--;
}

/* Where the position behind the items lies, and what comes next; byte < 0 is the end. */
typedef struct {
  side before, after;
  int byte;
  bool closed;
} step;

/* One step from d->from (items of a state) into d->to. Returns whether the pattern ends here. */
static bool advance(dfa *d, const step *now, bool *closed) {
  const regex_program *p = d->program;
  item_list *items = &d->from;
  if (p->asserts) {
    new_stamp(d);
    d->resolved.count = 0;
    for (uint32_t i = 0; i < d->from.count; i++) {
      uint32_t item = d->from.at[i];
      if (item == MARK) {
        push(d, &d->resolved, MARK);
      } else {
        close_over(d, &d->resolved, item, true, now->before, now->after);
      }
    }
    items = &d->resolved;
  }
  bool matched = false;
  uint32_t count = items->count;
  for (uint32_t i = 0; i < items->count && !matched; i++) {
    if (items->at[i] == MARK || p->states[items->at[i]].op != OP_MATCH) continue;
    matched = true;
    /* Later starts lose from here on; this one may still grow. */
    for (uint32_t k = i; k < items->count && count == items->count; k++) {
      if (items->at[k] == MARK) count = k;
    }
  }
  *closed = now->closed || (matched && d->mode == DFA_LEFTMOST);
  d->to.count = 0;
  if (now->byte < 0) return matched;
  new_stamp(d);
  for (uint32_t i = 0; i < count; i++) {
    if (items->at[i] == MARK) {
      if (d->to.count > 0 && d->to.at[d->to.count - 1] != MARK) push(d, &d->to, MARK);
      continue;
    }
    const regex_state *s = &p->states[items->at[i]];
    if (s->op != OP_RANGES) continue;
    for (uint32_t k = 0; k < s->b; k++) {
      const regex_edge *edge = &p->edges[s->a + k];
      if (now->byte >= edge->low && now->byte <= edge->high) {
        close_over(d, &d->to, edge->to, false, SIDE_OTHER, SIDE_OTHER);
      }
    }
  }
  if (d->mode != DFA_ANCHORED && !*closed) {
    if (d->mode == DFA_LEFTMOST && d->to.count > 0 && d->to.at[d->to.count - 1] != MARK) {
      push(d, &d->to, MARK);
    }
    close_over(d, &d->to, p->start, false, SIDE_OTHER, SIDE_OTHER);
  }
  normalise(&d->to);
  return matched;
}

static uint32_t hash_items(const item_list *list, side before, bool closed) {
  uint32_t hash = 2166136261u ^ (uint32_t)before ^ (closed ? 64u : 0);
  for (uint32_t i = 0; i < list->count; i++) hash = (hash ^ list->at[i]) * 16777619u;
  return hash ^ hash >> 15;
}

static void forget_all(dfa *d) {
  d->count = 0;
  d->pool.count = 0;
  memset(d->buckets, 0, d->bucket_count * sizeof *d->buckets);
  memset(d->start, 0, sizeof d->start);
}

static void grow_buckets(dfa *d) {
  uint32_t count = d->bucket_count * 4;
  uint32_t *buckets = calloc(count, sizeof *buckets);
  if (buckets == NULL) return; /* longer chains, nothing worse */
  free(d->buckets);
  d->buckets = buckets;
  d->bucket_count = count;
  for (uint32_t i = 0; i < d->count; i++) {
    item_list items = {d->pool.at + d->states[i].first, d->states[i].count, 0};
    uint32_t at = hash_items(&items, d->states[i].before, d->states[i].closed) % count;
    while (buckets[at] != 0) at = (at + 1) % count;
    buckets[at] = i + 1;
  }
}

static bool grow_rows(dfa *d) {
  if (d->count == d->room) {
    uint32_t room = d->room == 0 ? 16 : d->room * 2;
    dfa_state *states = realloc(d->states, room * sizeof *states);
    if (states == NULL) return false;
    d->states = states;
    d->room = room;
  }
  uint32_t needed = (d->count + 1) * d->stride;
  if (needed > d->next_room) {
    uint32_t room = needed * 2;
    uint32_t *next = realloc(d->next, room * sizeof *next);
    if (next == NULL) return false;
    d->next = next;
    d->next_room = room;
  }
  return true;
}

/* The number of the state that holds `list`, made when it is new. */
static uint32_t intern(dfa *d, const item_list *list, side before, bool closed) {
  uint32_t at = hash_items(list, before, closed) % d->bucket_count;
  for (; d->buckets[at] != 0; at = (at + 1) % d->bucket_count) {
    const dfa_state *known = &d->states[d->buckets[at] - 1];
    if (known->count == list->count && known->before == before && known->closed == closed &&
        (list->count == 0 ||
         memcmp(d->pool.at + known->first, list->at, list->count * sizeof *list->at) == 0)) {
      return d->buckets[at] - 1;
    }
  }
  if (!grow_rows(d)) {
    d->failed = true;
    return 0;
  }
  dfa_state *made = &d->states[d->count];
  *made = (dfa_state){d->pool.count, list->count, (uint8_t)before, closed};
  for (uint32_t i = 0; i < list->count; i++) push(d, &d->pool, list->at[i]);
  for (uint32_t i = 0; i < d->stride; i++) d->next[d->count * d->stride + i] = FLAG_UNKNOWN;
  d->buckets[at] = ++d->count;
  uint32_t number = d->count - 1;
  if (d->count * 2 > d->bucket_count) grow_buckets(d);
  return number;
}

static side side_of_byte(const dfa *d, int byte) {
  if (!d->program->asserts) return SIDE_OTHER;
  if (byte == '\n') return SIDE_NEWLINE;
  if (!d->program->words || byte >= 0x80) return SIDE_OTHER;
  return unicode_is((uint32_t)byte, UNICODE_ALNUM) || byte == '_' ? SIDE_WORD : SIDE_OTHER;
}

/* What ends at `at`. */
static side side_behind(const dfa *d, const dfa_text *text, size_t at) {
  if (!d->program->asserts) return SIDE_OTHER;
  if (at == 0) return text->flags & REGEX_NOT_BOL ? SIDE_OTHER : SIDE_EDGE;
  unsigned char byte = (unsigned char)text->text[at - 1];
  if (byte < 0x80 || !d->program->words || d->program->bytes) return side_of_byte(d, byte);
  for (size_t back = 2; back <= 4 && back <= at; back++) {
    uint32_t c;
    if (utf8_decode(text->text + at - back, back, &c) == back) {
      return unicode_is(c, UNICODE_ALNUM) ? SIDE_WORD : SIDE_OTHER;
    }
  }
  return SIDE_OTHER;
}

/* What begins at `at`. */
static side side_ahead(const dfa *d, const dfa_text *text, size_t at) {
  if (!d->program->asserts) return SIDE_OTHER;
  if (at == text->size) return text->flags & REGEX_NOT_EOL ? SIDE_OTHER : SIDE_EDGE;
  unsigned char byte = (unsigned char)text->text[at];
  if (byte < 0x80 || !d->program->words || d->program->bytes) return side_of_byte(d, byte);
  uint32_t c;
  bool word = utf8_decode(text->text + at, text->size - at, &c) > 0 && unicode_is(c, UNICODE_ALNUM);
  return word ? SIDE_WORD : SIDE_OTHER;
}

static void load(dfa *d, uint32_t state) {
  const dfa_state *s = &d->states[state];
  d->from.count = 0;
  for (uint32_t i = 0; i < s->count; i++) push(d, &d->from, d->pool.at[s->first + i]);
}

static void load_start(dfa *d) {
  new_stamp(d);
  d->to.count = 0;
  close_over(d, &d->to, d->program->start, false, SIDE_OTHER, SIDE_OTHER);
  normalise(&d->to);
}

static uint32_t start_state(dfa *d, side before) {
  if (d->start[before] != 0) return d->start[before] - 1;
  load_start(d);
  uint32_t number = intern(d, &d->to, before, false);
  d->start[before] = number + 1;
  return number;
}

/* Fills in the entry for `column` of *state and returns it. Clearing the table renumbers *state. */
static uint32_t compute(dfa *d, uint32_t *state, uint32_t column, int byte) {
  step now = {(side)d->states[*state].before, SIDE_OTHER, byte, d->states[*state].closed};
  if (byte >= 0) {
    now.after = side_of_byte(d, byte);
  } else if (column == d->program->classes) {
    now.after = d->program->asserts ? SIDE_EDGE : SIDE_OTHER;
  }
  load(d, *state);
  bool closed;
  bool matched = advance(d, &now, &closed);
  if (d->count * d->stride > DFA_TABLE_MAX) {
    item_list kept = d->from;
    forget_all(d);
    *state = intern(d, &kept, now.before, now.closed);
  }
  uint32_t entry = matched ? FLAG_MATCH : 0;
  if (d->to.count == 0) {
    entry |= FLAG_DEAD;
  } else {
    entry |= intern(d, &d->to, now.after, closed) * d->stride;
  }
  if (d->failed) return FLAG_DEAD;
  d->next[*state * d->stride + column] = entry;
  return entry;
}

/* Notes an end at `at`; true when the run can stop there. */
static bool note_end(const dfa *d, const dfa_text *text, size_t base, size_t at, ptrdiff_t *found) {
  if (text->mark != NULL) text->mark[at - base] = 1;
  if (text->allow == NULL || text->allow[at - base]) *found = (ptrdiff_t)at;
  return d->mode == DFA_TEST;
}

static ptrdiff_t run_forward(dfa *d, const dfa_text *text, size_t from, size_t to) {
  const uint8_t *class_of = d->program->class_of;
  const unsigned char *bytes = (const unsigned char *)text->text;
  uint32_t end_column = d->program->classes + ((text->flags & REGEX_NOT_EOL) != 0);
  ptrdiff_t found = DFA_NONE;
  uint32_t row = start_state(d, side_behind(d, text, from)) * d->stride;
  for (size_t at = from;;) {
    const uint32_t *next = d->next;
    uint32_t entry = 0;
    while (at < to) {
      entry = next[row + class_of[bytes[at]]];
      if ((entry & FLAGS) != 0) break;
      row = entry;
      at++;
    }
    int byte = at < text->size ? bytes[at] : -1;
    uint32_t column = byte >= 0 ? class_of[byte] : end_column;
    entry = next[row + column];
    if (entry == FLAG_UNKNOWN) {
      uint32_t state = row / d->stride;
      entry = compute(d, &state, column, byte);
      if (d->failed) return DFA_FAILED;
      row = state * d->stride;
    }
    if ((entry & FLAG_MATCH) != 0 && note_end(d, text, from, at, &found)) return found;
    if ((entry & FLAG_DEAD) != 0 || at >= to) return found;
    row = entry & ~FLAGS;
    at++;
  }
}

static ptrdiff_t run_backward(dfa *d, const dfa_text *text, size_t from, size_t to) {
  const uint8_t *class_of = d->program->class_of;
  uint32_t end_column = d->program->classes + ((text->flags & REGEX_NOT_BOL) != 0);
  ptrdiff_t found = DFA_NONE;
  uint32_t row = start_state(d, side_ahead(d, text, from)) * d->stride;
  for (size_t at = from;; at--) {
    int byte = at > 0 ? (unsigned char)text->text[at - 1] : -1;
    uint32_t column = byte >= 0 ? class_of[byte] : end_column;
    uint32_t entry = d->next[row + column];
    if (entry == FLAG_UNKNOWN) {
      uint32_t state = row / d->stride;
      entry = compute(d, &state, column, byte);
      if (d->failed) return DFA_FAILED;
      row = state * d->stride;
    }
    if ((entry & FLAG_MATCH) != 0) note_end(d, text, to, at, &found);
    if ((entry & FLAG_DEAD) != 0 || at <= to) return found;
    row = entry & ~FLAGS;
  }
}

/* The same without a table, with the sides taken from the characters around each position. */
static ptrdiff_t run_exactly(dfa *d, const dfa_text *text, size_t from, size_t to) {
  bool backward = d->program->backward, closed = false;
  ptrdiff_t found = DFA_NONE;
  load_start(d);
  for (size_t at = from;; at += backward ? (size_t)-1 : 1) {
    item_list swap = d->from;
    d->from = d->to;
    d->to = swap;
    side behind = side_behind(d, text, at), ahead = side_ahead(d, text, at);
    step now = {backward ? ahead : behind, backward ? behind : ahead, -1, closed};
    if (backward && at > 0) now.byte = (unsigned char)text->text[at - 1];
    if (!backward && at < text->size) now.byte = (unsigned char)text->text[at];
    if (advance(d, &now, &closed) && note_end(d, text, backward ? to : from, at, &found))
      return found;
    if (d->failed) return DFA_FAILED;
    if (at == to || d->to.count == 0) return found;
  }
}

static bool has_high_byte(const char *at, size_t size) {
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    if ((word & 0x8080808080808080ull) != 0) return true;
  }
  for (; size > 0; at++, size--) {
    if ((unsigned char)*at >= 0x80) return true;
  }
  return false;
}

ptrdiff_t dfa_run(dfa *d, const dfa_text *text, size_t from, size_t to) {
  if (d->program->words && !d->program->bytes) {
    size_t low = from < to ? from : to, high = from < to ? to : from;
    if (low > 0) low--;
    if (high < text->size) high++;
    if (has_high_byte(text->text + low, high - low)) return run_exactly(d, text, from, to);
  }
  if (d->failed) return DFA_FAILED;
  if (d->program->backward) return run_backward(d, text, from, to);
  return run_forward(d, text, from, to);
}
