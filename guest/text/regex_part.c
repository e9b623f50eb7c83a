// SPDX-License-Identifier: MIT
/* regex_part.c -- POSIX submatches. See regex_part.h.
 *
 * The whole match is known, so its tree is walked from the top: in a sequence each part takes the
 * longest stretch that still lets the rest reach the end. For that the rest is run backwards over
 * the stretch, marking where it could start, then the part forwards, keeping its last end on a
 * mark. Parts without groups are not looked into, and text of known length is stepped over. */
#include "regex_part.h"

#include <stdlib.h>
#include <string.h>

regex_part *regex_part_new(const node *root, uint32_t from, uint32_t to, dfa_mode mode,
                           bool backward, bool bytes) {
  regex_part *part = calloc(1, sizeof *part);
  if (part == NULL) return NULL;
  if (regex_program_make(&part->program, root, from, to, backward, bytes)) {
    part->automaton = dfa_new(&part->program, mode);
  }
  if (part->automaton == NULL) {
    regex_part_free(part);
    return NULL;
  }
  return part;
}

void regex_part_free(regex_part *part) {
  if (part == NULL) return;
  dfa_free(part->automaton);
  regex_program_free(&part->program);
  free(part);
}

typedef struct {
  const dfa_text *text;
  regex_span *spans;
  regex_arena *arena;
  regex_part **parts;
  bool bytes, failed;
} assigning;

static void assign(assigning *a, node *n, size_t start, size_t end);

static bool make_tables(assigning *a, node *n) {
  if (n->forward != NULL) return true;
  n->forward = regex_take(a->arena, (n->count + 1u) * sizeof(regex_part *));
  n->backward = regex_take(a->arena, (n->count + 1u) * sizeof(regex_part *));
  a->failed |= n->forward == NULL || n->backward == NULL;
  return !a->failed;
}

static dfa *keep_part(assigning *a, regex_part *made) {
  if (made == NULL) {
    a->failed = true;
    return NULL;
  }
  made->others = *a->parts;
  *a->parts = made;
  return made->automaton;
}

/* The part of n for child i alone (forward) or for what follows it (backward). */
static dfa *part_of(assigning *a, node *n, uint32_t i, bool backward) {
  if (a->failed || !make_tables(a, n)) return NULL;
  regex_part **part = backward ? &n->backward[i] : &n->forward[i];
  if (*part != NULL) return (*part)->automaton;
  if (backward && n->kind == NODE_CAT) {
    *part = regex_part_new(n, i + 1, n->count, DFA_ANCHORED, true, a->bytes);
  } else if (backward) { /* REPEAT: any number of further rounds */
    node again = *n;
    again.min = 0;
    again.max = REPEAT_NO_MAX;
    *part = regex_part_new(&again, 0, 1, DFA_ANCHORED, true, a->bytes);
  } else {
    const node *child = n->children[i];
    uint32_t count = child->kind == NODE_CAT ? child->count : 1;
    *part = regex_part_new(child, 0, count, DFA_ANCHORED, false, a->bytes);
  }
  return keep_part(a, *part);
}

/* marks[k] = 1 where what follows child i can start so as to end at `end`. NULL on failure. */
static uint8_t *mark_rest(assigning *a, node *n, uint32_t i, size_t start, size_t end) {
  dfa *rest = part_of(a, n, i, true);
  uint8_t *marks = rest == NULL ? NULL : calloc(end - start + 1, 1);
  if (marks == NULL) {
    a->failed = true;
    return NULL;
  }
  dfa_text text = *a->text;
  text.mark = marks;
  if (dfa_run(rest, &text, end, start) == DFA_FAILED) a->failed = true;
  return marks;
}

/* The longest end of child i from `start` that `marks` (which begin at `base`) allow. */
static ptrdiff_t longest(assigning *a, node *n, uint32_t i, size_t start, size_t end, size_t base,
                         const uint8_t *marks) {
  dfa *part = part_of(a, n, i, false);
  if (part == NULL) return DFA_FAILED;
  dfa_text text = *a->text;
  text.allow = marks + (start - base);
  ptrdiff_t found = dfa_run(part, &text, start, end);
  if (found == DFA_FAILED) a->failed = true;
  return found;
}

static bool matches_whole(assigning *a, node *n, uint32_t i, size_t start, size_t end) {
  dfa *part = part_of(a, n, i, false);
  if (part == NULL) return false;
  ptrdiff_t found = dfa_run(part, a->text, start, end);
  if (found == DFA_FAILED) a->failed = true;
  return found == (ptrdiff_t)end;
}

static bool captures_from(const node *n, uint32_t i) {
  for (; i < n->count; i++) {
    if (n->children[i]->captures) return true;
  }
  return false;
}

static void assign_cat(assigning *a, node *n, size_t start, size_t end) {
  for (uint32_t i = 0; i < n->count && captures_from(n, i) && !a->failed; i++) {
    node *child = n->children[i];
    if (child->kind == NODE_TEXT) {
      start += child->size;
      continue;
    }
    if (child->kind == NODE_ASSERT) continue;
    ptrdiff_t stop = (ptrdiff_t)end;
    bool last = i + 1 == n->count;
    if (!last && i + 2 == n->count && n->children[i + 1]->kind == NODE_TEXT) {
      stop = (ptrdiff_t)(end - n->children[i + 1]->size);
    } else if (!last) {
      uint8_t *marks = mark_rest(a, n, i, start, end);
      stop = marks == NULL ? DFA_FAILED : longest(a, n, i, start, end, start, marks);
      free(marks);
    }
    if (stop < 0) return;
    if (child->captures) assign(a, child, start, (size_t)stop);
    start = (size_t)stop;
  }
}

static void assign_alt(assigning *a, node *n, size_t start, size_t end) {
  for (uint32_t i = 0; i < n->count && !a->failed; i++) {
    if (!matches_whole(a, n, i, start, end)) continue;
    if (n->children[i]->captures) assign(a, n->children[i], start, end);
    return;
  }
}

/* Each round takes the longest stretch from which further rounds can still reach the end; only the
 * last one's groups are kept, but earlier rounds may have set groups that the last leaves alone. */
static void assign_repeat(assigning *a, node *n, size_t start, size_t end) {
  if (start == end) {
    if (!n->spare && matches_whole(a, n, 0, start, end)) assign(a, n->children[0], start, end);
    return;
  }
  if (n->max == 1) {
    assign(a, n->children[0], start, end);
    return;
  }
  uint8_t *marks = mark_rest(a, n, 0, start, end);
  size_t base = start;
  while (start < end && marks != NULL && !a->failed) {
    ptrdiff_t stop = longest(a, n, 0, start, end, base, marks);
    if (stop <= (ptrdiff_t)start) break;
    assign(a, n->children[0], start, (size_t)stop);
    start = (size_t)stop;
  }
  free(marks);
}

static void assign(assigning *a, node *n, size_t start, size_t end) {
  switch (n->kind) {
    case NODE_GROUP:
      if (n->number > 0) a->spans[n->number] = (regex_span){(ptrdiff_t)start, (ptrdiff_t)end};
      if (n->children[0]->captures) assign(a, n->children[0], start, end);
      return;
    case NODE_CAT:
      assign_cat(a, n, start, end);
      return;
    case NODE_ALT:
      assign_alt(a, n, start, end);
      return;
    case NODE_REPEAT:
      assign_repeat(a, n, start, end);
      return;
    default:
      return;
  }
}

bool regex_assign(node *root, bool bytes, regex_arena *from, regex_part **parts,
                  const dfa_text *text, size_t start, size_t end, regex_span *spans) {
  assigning a = {.text = text, .spans = spans, .arena = from, .parts = parts, .bytes = bytes};
  if (root->captures) assign(&a, root, start, end);
  return !a.failed;
}
