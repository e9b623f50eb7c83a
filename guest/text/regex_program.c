// SPDX-License-Identifier: MIT
// regex_program.c -- compiles a tree into byte-wise states. See regex_program.h.
#include "regex_program.h"

#include <stdlib.h>
#include <string.h>

#include "unicode.h"

static uint32_t add_state(regex_program *p, regex_state state) {
  if (p->count == p->room) {
    uint32_t room = p->room == 0 ? 32 : p->room * 2;
    regex_state *states = realloc(p->states, room * sizeof *states);
    if (states == NULL) {
      p->failed = true;
      return 0;
    }
    p->states = states;
    p->room = room;
  }
  if (p->count >= REGEX_PROGRAM_MAX) {
    p->too_big = true;
    return 0;
  }
  p->states[p->count] = state;
  return p->count++;
}

static uint32_t add_edge(regex_program *p, uint8_t low, uint8_t high, uint32_t to) {
  if (p->edge_count == p->edge_room) {
    uint32_t room = p->edge_room == 0 ? 64 : p->edge_room * 2;
    regex_edge *edges = realloc(p->edges, room * sizeof *edges);
    if (edges == NULL) {
      p->failed = true;
      return 0;
    }
    p->edges = edges;
    p->edge_room = room;
  }
  if (p->edge_count >= REGEX_PROGRAM_MAX * 4) {
    p->too_big = true;
    return 0;
  }
  p->edges[p->edge_count] = (regex_edge){low, high, to};
  return p->edge_count++;
}

static bool stopped(const regex_program *p) {
  return p->failed || p->too_big;
}

static uint32_t one_range(regex_program *p, uint8_t low, uint8_t high, uint32_t to) {
  uint32_t edge = add_edge(p, low, high, to);
  return add_state(p, (regex_state){.op = OP_RANGES, .a = edge, .b = 1});
}

/* A character range cut so that each piece is a product of byte ranges. */
typedef struct {
  uint8_t low[4], high[4];
  int length;
} byte_piece;

typedef struct {
  byte_piece *at;
  uint32_t count, room;
} piece_list;

static void add_piece(regex_program *p, piece_list *list, uint32_t first, uint32_t last) {
  if (list->count == list->room) {
    uint32_t room = list->room == 0 ? 32 : list->room * 2;
    byte_piece *at = realloc(list->at, room * sizeof *at);
    if (at == NULL) {
      p->failed = true;
      return;
    }
    list->at = at;
    list->room = room;
  }
  byte_piece *piece = &list->at[list->count++];
  char low[4], high[4];
  piece->length = (int)utf8_encode(first, low);
  utf8_encode(last, high);
  memcpy(piece->low, low, 4);
  memcpy(piece->high, high, 4);
}

/* Cuts at the borders of encoded length and of trailing bytes, so that all bytes but one vary
 * freely. */
static void cut_range(regex_program *p, piece_list *list, uint32_t first, uint32_t last) {
  static const uint32_t ends[] = {0x7F, 0x7FF, 0xD7FF, 0xDFFF, 0xFFFF, UNICODE_LAST};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0] && first <= last; i++) {
    if (first > ends[i]) continue;
    uint32_t end = last < ends[i] ? last : ends[i];
    bool surrogate = ends[i] == 0xDFFF;
    while (first <= end && !surrogate && !stopped(p)) {
      uint32_t stop = end;
      if (first > 0x7F) {
        for (uint32_t low_bits = 0x3F; low_bits <= 0x3FFFF; low_bits = low_bits << 6 | 0x3F) {
          if ((first & ~low_bits) == (end & ~low_bits)) break; /* one lead: only lower bytes vary */
          if ((first & low_bits) != 0) {
            stop = first | low_bits;
            break;
          }
          if ((end & low_bits) != low_bits) {
            stop = (end & ~low_bits) - 1;
            break;
          }
        }
      }
      add_piece(p, list, first, stop);
      first = stop + 1;
    }
    if (surrogate) first = end + 1;
  }
}

static uint32_t compile_set(regex_program *p, const regex_set *set, uint32_t next) {
  piece_list list = {0};
  for (uint32_t i = 0; i < set->count; i++) {
    if (!p->bytes) {
      cut_range(p, &list, set->ranges[i].first, set->ranges[i].last);
    } else if (set->ranges[i].first <= 0xFF) {
      add_piece(p, &list, 0, 0);
      if (stopped(p)) break;
      uint32_t last = set->ranges[i].last;
      list.at[list.count - 1].low[0] = (uint8_t)set->ranges[i].first;
      list.at[list.count - 1].high[0] = (uint8_t)(last > 0xFF ? 0xFF : last);
    }
  }
  /* All bytes behind the first get states of their own; neighbours with the same tail share it. */
  uint32_t *entry = malloc((list.count + 1u) * sizeof *entry);
  if (entry == NULL) p->failed = true;
  for (uint32_t i = 0; i < list.count && !stopped(p); i++) {
    const byte_piece *piece = &list.at[i], *before = i > 0 ? piece - 1 : NULL;
    bool same_tail = before != NULL && before->length == piece->length && piece->length > 1;
    for (int k = 1; same_tail && k < piece->length; k++) {
      int at = p->backward ? k - 1 : k;
      same_tail = before->low[at] == piece->low[at] && before->high[at] == piece->high[at];
    }
    if (same_tail) {
      entry[i] = entry[i - 1];
      continue;
    }
    uint32_t to = next;
    for (int k = piece->length - 1; k > 0; k--) {
      int at = p->backward ? piece->length - 1 - k : k;
      to = one_range(p, piece->low[at], piece->high[at], to);
    }
    entry[i] = to;
  }
  uint32_t first = p->edge_count;
  for (uint32_t i = 0; i < list.count && !stopped(p); i++) {
    int at = p->backward ? list.at[i].length - 1 : 0;
    add_edge(p, list.at[i].low[at], list.at[i].high[at], entry[i]);
  }
  free(entry);
  uint32_t count = list.count;
  free(list.at);
  return add_state(p, (regex_state){.op = OP_RANGES, .a = first, .b = count});
}

static uint32_t compile(regex_program *p, const node *n, uint32_t next);

static uint32_t compile_text(regex_program *p, const node *n, uint32_t next) {
  for (uint32_t i = 0; i < n->size; i++) {
    unsigned char byte = (unsigned char)n->text[p->backward ? i : n->size - 1 - i];
    next = one_range(p, byte, byte, next);
  }
  return next;
}

static uint32_t compile_cat(regex_program *p, node *const *children, uint32_t count,
                            uint32_t next) {
  for (uint32_t i = 0; i < count && !stopped(p); i++) {
    next = compile(p, children[p->backward ? i : count - 1 - i], next);
  }
  return next;
}

static uint32_t compile_alt(regex_program *p, const node *n, uint32_t next) {
  uint32_t entry = compile(p, n->children[n->count - 1], next);
  for (uint32_t i = n->count - 1; i > 0 && !stopped(p); i--) {
    uint32_t one = compile(p, n->children[i - 1], next);
    entry = add_state(p, (regex_state){.op = OP_SPLIT, .a = one, .b = entry});
  }
  return entry;
}

static uint32_t compile_repeat(regex_program *p, const node *n, uint32_t next) {
  const node *body = n->children[0];
  uint32_t entry = next;
  if (n->max == REPEAT_NO_MAX) {
    uint32_t loop = add_state(p, (regex_state){.op = OP_SPLIT, .b = next});
    uint32_t inside = compile(p, body, loop);
    if (stopped(p)) return 0;
    p->states[loop].a = inside;
    entry = n->min == 0 ? loop : inside;
  } else {
    for (uint32_t i = n->min; i < n->max && !stopped(p); i++) {
      uint32_t inside = compile(p, body, entry);
      entry = add_state(p, (regex_state){.op = OP_SPLIT, .a = inside, .b = next});
    }
  }
  uint32_t fixed = n->max == REPEAT_NO_MAX && n->min > 0 ? n->min - 1 : n->min;
  for (uint32_t i = 0; i < fixed && !stopped(p); i++) entry = compile(p, body, entry);
  return entry;
}

static uint32_t compile(regex_program *p, const node *n, uint32_t next) {
  if (stopped(p)) return 0;
  switch (n->kind) {
    case NODE_TEXT:
      return compile_text(p, n, next);
    case NODE_SET:
      return compile_set(p, &n->set, next);
    case NODE_CAT:
      return compile_cat(p, n->children, n->count, next);
    case NODE_ALT:
      return compile_alt(p, n, next);
    case NODE_REPEAT:
      return compile_repeat(p, n, next);
    case NODE_GROUP:
    case NODE_ATOMIC:
      return compile(p, n->children[0], next);
    case NODE_ASSERT:
      p->asserts = true;
      p->words |= n->number >= ASSERT_WORD_EDGE && n->number <= ASSERT_NO_WORD_AFTER;
      return add_state(
          p, (regex_state){
                 .op = OP_ASSERT, .assertion = (uint8_t)n->number, .lines = n->lines, .a = next});
    case NODE_EMPTY:
    case NODE_KEEP:
    case NODE_BACKREF: /* these two only come here to find what a pattern could match at most */
    case NODE_LOOK:
      return next;
  }
  return next;
}

/* Bytes that no state tells apart share a class. */
static void make_classes(regex_program *p) {
  bool border[257] = {false};
  for (uint32_t i = 0; i < p->edge_count; i++) {
    border[p->edges[i].low] = true;
    border[p->edges[i].high + 1] = true;
  }
  if (p->asserts) border['\n'] = border['\n' + 1] = true;
  for (int c = 1; c < 256 && p->words; c++) {
    bool word = c < 0x80 && (unicode_is((uint32_t)c, UNICODE_ALNUM) || c == '_');
    bool before = c - 1 < 0x80 && (unicode_is((uint32_t)c - 1, UNICODE_ALNUM) || c - 1 == '_');
    if (word != before || c == 0x80) border[c] = true;
  }
  uint32_t class = 0;
  for (int c = 0; c < 256; c++) {
    if (c > 0 && border[c]) class ++;
    p->class_of[c] = (uint8_t) class;
  }
  p->classes = class + 1;
}

bool regex_program_make(regex_program *p, const node *root, uint32_t from, uint32_t to,
                        bool backward, bool bytes) {
  *p = (regex_program){.backward = backward, .bytes = bytes};
  uint32_t match = add_state(p, (regex_state){.op = OP_MATCH});
  if (root->kind == NODE_CAT) {
    p->start = compile_cat(p, root->children + from, to - from, match);
  } else {
    p->start = compile(p, root, match);
  }
  if (!stopped(p)) make_classes(p);
  return !stopped(p);
}

void regex_program_free(regex_program *p) {
  free(p->states);
  free(p->edges);
  p->states = NULL;
  p->edges = NULL;
}

bool regex_program_first(const regex_program *p, bool first[256]) {
  memset(first, 0, 256);
  uint32_t *stack = malloc((p->count * 2u + 1) * sizeof *stack), top = 0;
  bool *seen = calloc(p->count, 1);
  bool known = stack != NULL && seen != NULL;
  if (known) stack[top++] = p->start;
  while (known && top > 0) {
    uint32_t at = stack[--top];
    if (seen[at]) continue;
    seen[at] = true;
    const regex_state *state = &p->states[at];
    if (state->op == OP_MATCH) {
      known = false;
    } else if (state->op == OP_RANGES) {
      for (uint32_t i = 0; i < state->b; i++) {
        const regex_edge *edge = &p->edges[state->a + i];
        memset(first + edge->low, 1, (size_t)(edge->high - edge->low) + 1);
      }
    } else {
      stack[top++] = state->a;
      if (state->op == OP_SPLIT) stack[top++] = state->b;
    }
  }
  free(stack);
  free(seen);
  return known;
}
