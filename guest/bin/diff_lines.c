// SPDX-License-Identifier: MIT
/* diff_lines.c -- see diff_lines.h. Myers' algorithm from both ends at once: where the two searches
 * meet the texts are cut and each half is compared alike. */
#include "diff_lines.h"

#include <stdlib.h>
#include <string.h>

#include "../text/text.h"

/* Differences after which a search takes the best point so far: two unlike files of 100,000 lines.
 */
#define COST_MAX 2048

typedef struct {
  diff_lines *d;
  ptrdiff_t *forward, *backward; /* furthest x by diagonal */
} search;

typedef struct {
  ptrdiff_t x, y;
} point;

static bool same(const search *s, ptrdiff_t x, ptrdiff_t y) {
  return s->d->lines[0][x] == s->d->lines[1][y];
}

/* A point on a shortest way from (x0, y0) to (x1, y1); neither range is empty and their ends
 * differ. */
static point middle(search *s, ptrdiff_t x0, ptrdiff_t x1, ptrdiff_t y0, ptrdiff_t y1) {
  ptrdiff_t low = x0 - y1, high = x1 - y0, from = x0 - y0, to = x1 - y1;
  ptrdiff_t flow = from, fhigh = from, blow = to, bhigh = to;
  bool odd = (from - to) & 1;
  s->forward[from] = x0;
  s->backward[to] = x1;
  for (int cost = 1;; cost++) {
    if (flow > low)
      s->forward[--flow - 1] = -1;
    else
      flow++;
    if (fhigh < high)
      s->forward[++fhigh + 1] = -1;
    else
      fhigh--;
    for (ptrdiff_t k = fhigh; k >= flow; k -= 2) {
      ptrdiff_t less = s->forward[k - 1], more = s->forward[k + 1],
                x = less < more ? more : less + 1;
      while (x < x1 && x - k < y1 && same(s, x, x - k)) x++;
      s->forward[k] = x;
      if (odd && blow <= k && k <= bhigh && s->backward[k] <= x) return (point){x, x - k};
    }
    if (blow > low)
      s->backward[--blow - 1] = PTRDIFF_MAX;
    else
      blow++;
    if (bhigh < high)
      s->backward[++bhigh + 1] = PTRDIFF_MAX;
    else
      bhigh--;
    for (ptrdiff_t k = bhigh; k >= blow; k -= 2) {
      ptrdiff_t less = s->backward[k - 1], more = s->backward[k + 1],
                x = less < more ? less : more - 1;
      while (x > x0 && x - k > y0 && same(s, x - 1, x - k - 1)) x--;
      s->backward[k] = x;
      if (!odd && flow <= k && k <= fhigh && x <= s->forward[k]) return (point){x, x - k};
    }
    if (cost < COST_MAX) continue;
    point best = {x0, y0}; /* give up on the shortest: take the point furthest on */
    for (ptrdiff_t k = fhigh; k >= flow; k -= 2) {
      ptrdiff_t x = s->forward[k] < x1 ? s->forward[k] : x1, y = x - k;
      if (y > y1) y = y1, x = y + k;
      if (x + y > best.x + best.y) best = (point){x, y};
    }
    return best;
  }
}

static void compare(search *s, ptrdiff_t x0, ptrdiff_t x1, ptrdiff_t y0, ptrdiff_t y1) {
  for (;;) {
    while (x0 < x1 && y0 < y1 && same(s, x0, y0)) x0++, y0++;
    while (x0 < x1 && y0 < y1 && same(s, x1 - 1, y1 - 1)) x1--, y1--;
    if (x0 == x1 || y0 == y1) break;
    point cut = middle(s, x0, x1, y0, y1);
    bool stuck = (cut.x == x0 && cut.y == y0) || (cut.x == x1 && cut.y == y1);
    if (stuck) break;
    /* The smaller half by recursion: its depth is the logarithm of the size. */
    if (cut.x - x0 + cut.y - y0 < x1 - cut.x + y1 - cut.y) {
      compare(s, x0, cut.x, y0, cut.y);
      x0 = cut.x, y0 = cut.y;
    } else {
      compare(s, cut.x, x1, cut.y, y1);
      x1 = cut.x, y1 = cut.y;
    }
  }
  for (; x0 < x1; x0++) s->d->changed[0][x0] = true;
  for (; y0 < y1; y0++) s->d->changed[1][y0] = true;
}

/* Slides each run of changes of text f: first up, as far as the line above equals the last of the
 * run (runs that meet become one), then down as far as it goes, and at last back up to where the
 * other text changes too, if it passed such a place. */
static void slide(diff_lines *d, int f) {
  bool *own = d->changed[f], *other = d->changed[!f];
  const uint32_t *lines = d->lines[f];
  ptrdiff_t count = (ptrdiff_t)d->count[f], end = 0, across = 0;
  for (;;) {
    for (; end < count && !own[end]; end++) {
      while (other[across++]) {
      }
    }
    if (end == count) return;
    ptrdiff_t start = end, length, meeting;
    while (own[++end]) {
    }
    while (other[across]) across++;
    do {
      length = end - start;
      while (start > 0 && lines[start - 1] == lines[end - 1]) {
        own[--start] = true;
        own[--end] = false;
        while (own[start - 1]) start--;
        while (other[--across]) {
        }
      }
      meeting = other[across - 1] ? end : count;
      while (end < count && lines[start] == lines[end]) {
        own[start++] = false;
        own[end++] = true;
        while (own[end]) end++;
        while (other[++across]) meeting = end;
      }
    } while (length != end - start);
    while (meeting < end) {
      own[--start] = true;
      own[--end] = false;
      while (other[--across]) {
      }
    }
  }
}

void diff_lines_compare(diff_lines *d) {
  size_t diagonals = d->count[0] + d->count[1] + 3;
  ptrdiff_t *both = memory_take(2 * diagonals * sizeof *both);
  search s = {d, both + d->count[1] + 1, both + diagonals + d->count[1] + 1};
  for (int f = 0; f < 2; f++) {
    d->changed[f] = memory_take(d->count[f] + 2);
    memset(d->changed[f], 0, d->count[f] + 2);
    d->changed[f]++;
  }
  compare(&s, 0, (ptrdiff_t)d->count[0], 0, (ptrdiff_t)d->count[1]);
  free(both);
  for (int f = 0; f < 2; f++) slide(d, f);
}
