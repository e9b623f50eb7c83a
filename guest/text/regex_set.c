// SPDX-License-Identifier: MIT
// regex_set.c -- sets of characters, and the arena.
#include <stdlib.h>
#include <string.h>

#include "regex_tree.h"
#include "unicode.h"

struct regex_block {
  regex_block *next;
  max_align_t content[];
};

void *regex_take(regex_arena *from, size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (size > from->left) {
    size_t room = size > 4000 ? size : 4000;
    regex_block *block = from->failed ? NULL : calloc(1, sizeof *block + room);
    if (block == NULL) {
      from->failed = true;
      return NULL;
    }
    block->next = from->blocks;
    from->blocks = block;
    from->next = (char *)block->content;
    from->left = room;
    from->total += room;
  }
  void *taken = from->next;
  from->next += size;
  from->left -= size;
  return taken;
}

void regex_arena_free(regex_arena *from) {
  for (regex_block *block = from->blocks; block != NULL;) {
    regex_block *next = block->next;
    free(block);
    block = next;
  }
  *from = (regex_arena){0};
}

void regex_set_add(regex_arena *from, regex_set *set, uint32_t first, uint32_t last) {
  if (set->count == set->room) {
    uint32_t room = set->room == 0 ? 4 : set->room * 2;
    regex_range *ranges = regex_take(from, room * sizeof *ranges);
    if (ranges == NULL) return;
    if (set->count > 0) memcpy(ranges, set->ranges, set->count * sizeof *ranges);
    set->ranges = ranges;
    set->room = room;
  }
  set->ranges[set->count++] = (regex_range){first, last};
}

static int by_first(const void *a, const void *b) {
  const regex_range *x = a, *y = b;
  return x->first < y->first ? -1 : x->first > y->first;
}

void regex_set_finish(regex_set *set) {
  if (set->count == 0) return;
  qsort(set->ranges, set->count, sizeof *set->ranges, by_first);
  uint32_t kept = 0;
  for (uint32_t i = 1; i < set->count; i++) {
    regex_range *last = &set->ranges[kept], *next = &set->ranges[i];
    if (next->first <= last->last + 1) {
      if (next->last > last->last) last->last = next->last;
    } else {
      set->ranges[++kept] = *next;
    }
  }
  set->count = kept + 1;
}

void regex_set_fold(regex_arena *from, regex_set *set) {
  /* Three characters fold onto ASCII or Latin letters without being their plain other case. */
  static const uint32_t odd[][2] = {{'s', 0x17F}, {'k', 0x212A}, {0xE5, 0x212B}};
  uint32_t count = set->count;
  for (uint32_t i = 0; i < count; i++) {
    regex_range range = set->ranges[i];
    uint32_t last = range.last > 0x1FFFF ? 0x1FFFF : range.last; /* no cases beyond */
    for (uint32_t c = range.first; c <= last; c++) {
      uint32_t lower = unicode_lower(c), upper = unicode_upper(c);
      if (lower != c) regex_set_add(from, set, lower, lower);
      if (upper != c) regex_set_add(from, set, upper, upper);
      if (unicode_lower(upper) != c) {
        regex_set_add(from, set, unicode_lower(upper), unicode_lower(upper));
      }
      for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        if (lower == odd[k][0]) regex_set_add(from, set, odd[k][1], odd[k][1]);
      }
    }
  }
  regex_set_finish(set);
}

regex_set regex_set_negated(regex_arena *from, const regex_set *set, uint32_t limit) {
  regex_set result = {0};
  uint32_t next = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    if (set->ranges[i].first > next) regex_set_add(from, &result, next, set->ranges[i].first - 1);
    next = set->ranges[i].last + 1;
  }
  if (next <= limit) regex_set_add(from, &result, next, limit);
  return result;
}

bool regex_set_has(const regex_set *set, uint32_t c) {
  uint32_t low = 0, high = set->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (c > set->ranges[middle].last) {
      low = middle + 1;
    } else if (c < set->ranges[middle].first) {
      high = middle;
    } else {
      return true;
    }
  }
  return false;
}

node *regex_node_new(regex_arena *from, node_kind kind, uint32_t count) {
  node *made = regex_take(from, sizeof *made);
  if (made == NULL) return NULL;
  made->kind = kind;
  made->count = count;
  if (count > 0) {
    made->children = regex_take(from, count * sizeof *made->children);
    if (made->children == NULL) return NULL;
  }
  return made;
}
