// SPDX-License-Identifier: MIT
// regex.c -- searching: which of the matchers answers which question. See regex.h.
#include "regex.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "regex_backtrack.h"
#include "regex_part.h"
#include "unicode.h"

struct regex {
  regex_arena arena;
  regex_tree tree;
  unsigned flags;
  bool perl;
  backtrack *backtrack; /* Perl's syntax, or back-references */
  regex_part *test, *leftmost,
      *back;           /* made when first needed; back finds the start from the end */
  regex_part *parts;   /* of groups, likewise */
  const char *literal; /* every match contains it; NULL: none known */
  size_t literal_size;
  bool whole; /* the literal is all there is */
  bool have_first, first_known;
  bool first[256]; /* bytes that a match can start with */
};

/* ---- a text that every match contains ---- */

static void best_literal(const node *n, regex *re, uint32_t *budget) {
  if (*budget == 0) return; /* shared nodes can make a small tree a large walk */
  --*budget;
  switch (n->kind) {
    case NODE_TEXT:
      if (n->size > re->literal_size) {
        re->literal = n->text;
        re->literal_size = n->size;
      }
      return;
    case NODE_CAT:
      for (uint32_t i = 0; i < n->count; i++) best_literal(n->children[i], re, budget);
      return;
    case NODE_GROUP:
    case NODE_ATOMIC:
      best_literal(n->children[0], re, budget);
      return;
    case NODE_REPEAT:
      if (n->min > 0) best_literal(n->children[0], re, budget);
      return;
    default:
      return;
  }
}

/* A repeat of counted rounds with groups inside is written out, so that groups can be found round
 * by round; the copies share what is inside, which the trees of parts keep apart by their parents.
 */
static node *unroll(regex_arena *from, node *n, uint32_t *budget) {
  for (uint32_t i = 0; i < n->count; i++) {
    n->children[i] = unroll(from, n->children[i], budget);
    if (n->children[i] == NULL) return NULL;
  }
  bool simple = n->max == 1 || (n->max == REPEAT_NO_MAX && n->min <= 1);
  if (n->kind != NODE_REPEAT || !n->captures || simple) return n;
  uint32_t optional = n->max == REPEAT_NO_MAX ? 1 : n->max - n->min, count = n->min + optional;
  if (count == 0) return regex_node_new(from, NODE_EMPTY, 0);
  if (count > *budget) return NULL;
  *budget -= count;
  node *cat = regex_node_new(from, NODE_CAT, count);
  for (uint32_t i = 0; cat != NULL && i < count; i++) {
    cat->children[i] = n->children[0];
    if (i < n->min) continue;
    node *more = regex_node_new(from, NODE_REPEAT, 1);
    if (more == NULL) return NULL;
    more->children[0] = n->children[0];
    more->captures = more->spare = true;
    more->max = n->max == REPEAT_NO_MAX ? REPEAT_NO_MAX : 1;
    cat->children[i] = more;
  }
  if (cat != NULL) cat->captures = true;
  return cat;
}

static bool prepare(regex *re, const char **error) {
  uint32_t copies = 2000;
  if (re->perl || re->tree.backtrack) {
    re->backtrack = backtrack_new(&re->tree, (re->flags & REGEX_BYTES) != 0, error);
    if (re->backtrack == NULL) return false;
  } else {
    node *root = unroll(&re->arena, re->tree.root, &copies);
    if (root == NULL) {
      *error = re->arena.failed ? "Memory exhausted" : "Regular expression too big";
      return false;
    }
    re->tree.root = root;
  }
  uint32_t nodes = 2000;
  best_literal(re->tree.root, re, &nodes);
  const node *root = re->tree.root;
  re->whole = root->kind == NODE_TEXT && re->literal == root->text;
  return true;
}

static regex_part *part(regex *re, regex_part **where, dfa_mode mode, bool backward) {
  if (*where == NULL) {
    const node *root = re->tree.root;
    *where = regex_part_new(root, 0, root->kind == NODE_CAT ? root->count : 1, mode, backward,
                            (re->flags & REGEX_BYTES) != 0);
  }
  return *where;
}

regex *regex_compile(const char *pattern, size_t size, regex_syntax syntax, unsigned flags,
                     const char **error) {
  regex *re = calloc(1, sizeof *re);
  if (re == NULL) {
    *error = "Memory exhausted";
    return NULL;
  }
  re->flags = flags;
  re->perl = syntax == REGEX_PERL;
  bool parsed = regex_parse(&re->arena, pattern, size, syntax, flags, &re->tree);
  if (!parsed) {
    *error = re->tree.error;
  } else if (prepare(re, error)) {
    /* Too big is better said now than while searching. */
    if (part(re, &re->test, DFA_TEST, false) != NULL) return re;
    *error = "Regular expression too big";
  }
  regex_free(re);
  return NULL;
}

void regex_free(regex *re) {
  if (re == NULL) return;
  regex_part_free(re->test);
  regex_part_free(re->leftmost);
  regex_part_free(re->back);
  backtrack_free(re->backtrack);
  for (regex_part *each = re->parts, *next; each != NULL; each = next) {
    next = each->others;
    regex_part_free(each);
  }
  regex_arena_free(&re->arena);
  free(re);
}

size_t regex_groups(const regex *re) {
  return re->tree.groups;
}

size_t regex_group_number(const regex *re, const char *name, size_t size) {
  for (uint32_t i = 0; i < re->tree.name_count; i++) {
    const group_name *known = &re->tree.names[i];
    if (known->size == size && memcmp(known->name, name, size) == 0) return known->number;
  }
  return 0;
}

/* Which bytes a match can start with, when that rules out enough to be worth a look. */
static const bool *first_bytes(regex *re) {
  if (!re->have_first) {
    re->have_first = true;
    re->first_known = re->test != NULL && regex_program_first(&re->test->program, re->first);
  }
  return re->first_known ? re->first : NULL;
}

static void set_spans(regex_span *spans, size_t count, size_t from) {
  for (size_t i = from; i < count; i++) spans[i] = (regex_span){-1, -1};
}

static int search_backtracking(regex *re, const char *text, size_t size, size_t from,
                               unsigned flags, regex_span *spans, size_t count) {
  size_t slot_count = 2 * (re->tree.groups + 1u);
  ptrdiff_t *slots = malloc(slot_count * sizeof *slots);
  if (slots == NULL) return -1;
  int found = backtrack_search(re->backtrack, text, size, from, flags, first_bytes(re), slots);
  for (size_t i = 0; i < count && found == 1; i++) {
    if (i > re->tree.groups || slots[2 * i] < 0 || slots[2 * i + 1] < 0) {
      spans[i] = (regex_span){-1, -1};
    } else {
      spans[i] = (regex_span){slots[2 * i], slots[2 * i + 1]};
    }
  }
  free(slots);
  return found;
}

/* 1, 0 or -1; *end is where the first match to end does. */
static int test_automaton(regex *re, const char *text, size_t size, size_t from, unsigned flags,
                          size_t *end) {
  dfa_text run = {.text = text, .size = size, .flags = flags};
  ptrdiff_t found = dfa_run(re->test->automaton, &run, from, size);
  if (found >= 0 && end != NULL) *end = (size_t)found;
  return found >= 0 ? 1 : found == DFA_NONE ? 0 : -1;
}

static int test_piece(regex *re, const char *text, size_t size, size_t from, size_t *end) {
  if (re->tree.backtrack) {
    regex_span span;
    int found = search_backtracking(re, text, size, from, 0, &span, 1);
    if (found == 1 && end != NULL) *end = (size_t)span.end;
    return found;
  }
  return test_automaton(re, text, size, from, 0, end);
}

/* Line by line, looking only at lines that hold the literal (or at all of them without one). */
static int test_lines(regex *re, const char *text, size_t size, size_t from, size_t *end) {
  for (size_t at = from; at <= size;) {
    const char *hit = text + at;
    if (re->literal != NULL) hit = bytes_find(text + at, size - at, re->literal, re->literal_size);
    if (hit == NULL) return 0;
    if (re->whole) {
      if (end != NULL) *end = (size_t)(hit - text) + re->literal_size;
      return 1;
    }
    const char *before = bytes_rchr(text + at, '\n', (size_t)(hit - text) - at);
    const char *after = bytes_chr(hit, '\n', size - (size_t)(hit - text));
    size_t line = before == NULL ? at : (size_t)(before - text) + 1;
    size_t stop = after == NULL ? size : (size_t)(after - text);
    int found = test_piece(re, text + line, stop - line, 0, end);
    if (found != 0) {
      if (found == 1 && end != NULL) *end += line;
      return found;
    }
    at = stop + 1;
  }
  return 0;
}

int regex_test(regex *re, const char *text, size_t size, size_t from, size_t *end) {
  bool lines = (re->flags & REGEX_LINES) != 0;
  bool slow = re->tree.backtrack || (re->test->program.words && !(re->flags & REGEX_BYTES));
  if (re->literal_size > 1 || re->whole) {
    if (lines) return test_lines(re, text, size, from, end);
    if (bytes_find(text + from, size - from, re->literal, re->literal_size) == NULL) return 0;
  }
  if (lines && slow) return test_lines(re, text, size, from, end);
  return test_piece(re, text, size, from, end);
}

int regex_search(regex *re, const char *text, size_t size, size_t from, unsigned flags,
                 regex_span *spans, size_t count) {
  if (re->literal != NULL) {
    const char *hit = bytes_find(text + from, size - from, re->literal, re->literal_size);
    if (hit == NULL) return 0;
    if (re->whole) {
      ptrdiff_t at = hit - text;
      if (count > 0) spans[0] = (regex_span){at, at + (ptrdiff_t)re->literal_size};
      set_spans(spans, count, 1);
      return 1;
    }
  }
  if (re->tree.backtrack) return search_backtracking(re, text, size, from, flags, spans, count);
  if (count == 0 || re->perl) {
    int found = test_automaton(re, text, size, from, flags, NULL);
    if (found != 1 || count == 0) return found;
    return search_backtracking(re, text, size, from, flags, spans, count);
  }
  regex_part *forward = part(re, &re->leftmost, DFA_LEFTMOST, false);
  regex_part *backward = part(re, &re->back, DFA_ANCHORED, true);
  if (forward == NULL || backward == NULL) return -1;
  dfa_text run = {.text = text, .size = size, .flags = flags};
  size_t begin = from;
  const bool *first = first_bytes(re);
  while (first != NULL && begin < size && !first[(unsigned char)text[begin]]) begin++;
  ptrdiff_t end = dfa_run(forward->automaton, &run, begin, size);
  if (end < 0) return end == DFA_NONE ? 0 : -1;
  ptrdiff_t start = dfa_run(backward->automaton, &run, (size_t)end, begin);
  if (start < 0) return -1;
  spans[0] = (regex_span){start, end};
  set_spans(spans, count, 1);
  if (count == 1 || re->tree.groups == 0) return 1;
  regex_span *all = malloc((re->tree.groups + 1u) * sizeof *all);
  if (all == NULL) return -1;
  set_spans(all, re->tree.groups + 1, 0);
  bool done = regex_assign(re->tree.root, (re->flags & REGEX_BYTES) != 0, &re->arena, &re->parts,
                           &run, (size_t)start, (size_t)end, all);
  for (size_t i = 1; i < count && i <= re->tree.groups; i++) spans[i] = all[i];
  free(all);
  return done ? 1 : -1;
}
