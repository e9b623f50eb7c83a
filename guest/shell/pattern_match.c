// SPDX-License-Identifier: MIT
/* pattern_match.c -- matches patterns with sets of positions; see pattern.h. */
#include "../text/unicode.h"
#include "pattern_parts.h"

/* ---- one character ---- */

static uint32_t fold(uint32_t point) {
  return point & POINT_BYTE ? point : unicode_lower(point);
}

static bool in_class(const element *e, uint32_t point) {
  if (point & POINT_BYTE) return false;
  for (unsigned kind = 0; kind <= UNICODE_XDIGIT; kind++)
    if (e->classes >> kind & 1 && unicode_is(point, (unicode_class)kind)) return true;
  return e->classes >> 15 & 1 && point == '_';
}

static bool in_ranges(const element *e, uint32_t point) {
  for (size_t i = 0; i < e->range_count; i++)
    if (point >= e->ranges[i].first && point <= e->ranges[i].last) return true;
  return false;
}

static bool bracket_holds(const element *e, uint32_t point, bool nocase) {
  bool in = in_ranges(e, point) || (e->classes != 0 && in_class(e, point));
  if (!in && nocase && !(point & POINT_BYTE)) {
    uint32_t other[] = {unicode_lower(point), unicode_upper(point)};
    for (int i = 0; i < 2 && !in; i++)
      in = in_ranges(e, other[i]) || (e->classes != 0 && in_class(e, other[i]));
  }
  return in != e->negated;
}

static bool same_text(const char *text, const element *e, bool nocase) {
  if (!nocase) return memcmp(text, e->text, e->size) == 0;
  size_t used, used_too;
  for (size_t i = 0; i < e->size; i += used) {
    uint32_t a = point_decode(text + i, e->size - i, &used);
    uint32_t b = point_decode(e->text + i, e->size - i, &used_too);
    if (fold(a) != fold(b) || used != used_too) return false;
  }
  return true;
}

/* A pattern against a text. Characters are UTF-8 where both are; otherwise every byte is one, as in
 * bash, so that a stray byte of a pattern can never match half of a character. */
typedef struct {
  const pattern *pattern;
  const char *text;
  size_t size;
  bool backward;
  bool bytes;
} matcher;

static bool valid_utf8(const char *text, size_t size) {
  size_t used;
  for (size_t at = 0; at < size; at += used)
    if (point_decode(text + at, size - at, &used) & POINT_BYTE) return false;
  return true;
}

static matcher matcher_make(const pattern *p, const char *text, size_t size, bool backward) {
  return (matcher){p, text, size, backward, p->bytes || !valid_utf8(text, size)};
}

static uint32_t char_at(const matcher *m, size_t at, size_t *used) {
  unsigned char first = (unsigned char)m->text[at];
  *used = 1;
  if (first < 0x80) return first;
  return m->bytes ? POINT_BYTE | first : point_decode(m->text + at, m->size - at, used);
}

static bool char_starts(const matcher *m, size_t at) {
  return m->bytes || at == m->size || ((unsigned char)m->text[at] & 0xC0) != 0x80;
}

/* Bytes that a TEXT, ANY or BRACKET takes at a place, or -1. */
static ptrdiff_t take_at(const matcher *m, const element *e, size_t at) {
  bool nocase = (m->pattern->flags & PATTERN_NOCASE) != 0;
  if (e->kind == ELEMENT_TEXT)
    return m->size - at >= e->size && same_text(m->text + at, e, nocase) ? (ptrdiff_t)e->size : -1;
  if (at >= m->size) return -1;
  size_t used;
  uint32_t point = char_at(m, at, &used);
  if (e->kind == ELEMENT_ANY || bracket_holds(e, point, nocase)) return (ptrdiff_t)used;
  return -1;
}

/* The same backwards: bytes that it takes in front of a place. */
static ptrdiff_t take_before(const matcher *m, const element *e, size_t at) {
  size_t back = e->kind == ELEMENT_TEXT ? e->size : 1;
  if (at < back) return -1;
  while (e->kind != ELEMENT_TEXT && !char_starts(m, at - back)) back++;
  return take_at(m, e, at - back) == (ptrdiff_t)back ? (ptrdiff_t)back : -1;
}

/* ---- sets of positions ---- */

/* Positions 0..size; nothing outside low..high is in it. */
typedef struct {
  uint64_t *bits;
  size_t low, high; /* low > high: empty */
} places;

static places places_make(const matcher *m) {
  return (places){arena_zero(m->pattern->memory, (m->size / 64 + 1) * sizeof(uint64_t)), 1, 0};
}

static bool places_empty(const places *set) {
  return set->low > set->high;
}

static bool places_has(const places *set, size_t at) {
  return set->bits[at / 64] >> (at % 64) & 1;
}

static void places_add(places *set, size_t at) {
  set->bits[at / 64] |= (uint64_t)1 << (at % 64);
  if (places_empty(set)) {
    set->low = set->high = at;
  } else {
    if (at < set->low) set->low = at;
    if (at > set->high) set->high = at;
  }
}

static void places_join(places *set, const places *more) {
  if (places_empty(more)) return;
  for (size_t i = more->low / 64; i <= more->high / 64; i++) set->bits[i] |= more->bits[i];
  bool was_empty = places_empty(set);
  if (was_empty || more->low < set->low) set->low = more->low;
  if (was_empty || more->high > set->high) set->high = more->high;
}

static void places_fill(places *set, size_t low, size_t high) {
  for (size_t at = low; at <= high; at++) {
    if (at % 64 == 0 && at + 63 <= high) {
      set->bits[at / 64] = ~(uint64_t)0;
      at += 63;
    } else {
      set->bits[at / 64] |= (uint64_t)1 << (at % 64);
    }
  }
  set->low = low;
  set->high = high;
}

/* The first member from `at` on; false when there is none. */
static bool places_next(const places *set, size_t *at) {
  if (places_empty(set)) return false;
  if (*at < set->low) *at = set->low;
  while (*at <= set->high) {
    uint64_t word = set->bits[*at / 64] >> (*at % 64);
    if (word != 0) {
      *at += (size_t)__builtin_ctzll(word);
      return *at <= set->high;
    }
    *at = (*at / 64 + 1) * 64;
  }
  return false;
}

/* ---- matching ---- */

static places match_branch(const matcher *m, const branch *b, places from);

static places match_one(const matcher *m, const element *e, const places *from) {
  places to = places_make(m);
  for (size_t at = 0; places_next(from, &at); at++) {
    ptrdiff_t taken = m->backward ? take_before(m, e, at) : take_at(m, e, at);
    if (taken >= 0) places_add(&to, m->backward ? at - (size_t)taken : at + (size_t)taken);
  }
  return to;
}

/* All places in a range where a character starts. */
static void places_fill_starts(const matcher *m, places *set, size_t low, size_t high) {
  places_fill(set, low, high);
  for (size_t at = low; at <= high; at++)
    if (!char_starts(m, at)) set->bits[at / 64] &= ~((uint64_t)1 << (at % 64));
}

static places match_star(const matcher *m, const places *from) {
  places to = places_make(m);
  if (places_empty(from)) return to;
  if (m->backward)
    places_fill_starts(m, &to, 0, from->high);
  else
    places_fill_starts(m, &to, from->low, m->size);
  return to;
}

static places match_branches(const matcher *m, const branch *first, const places *from) {
  places to = places_make(m);
  for (const branch *b = first; b != NULL; b = b->next) {
    places one = match_branch(m, b, *from);
    places_join(&to, &one);
  }
  return to;
}

static void places_clear(places *set) {
  if (places_empty(set)) return;
  for (size_t i = set->low / 64; i <= set->high / 64; i++) set->bits[i] = 0;
  set->low = 1;
  set->high = 0;
}

/* *(..) and +(..): from what was newly reached, again, until nothing is new. */
static places match_repeated(const matcher *m, const element *e, const places *from) {
  places reached = places_make(m), fresh = places_make(m), added = places_make(m);
  if (e->group == '*') places_join(&reached, from);
  places_join(&fresh, from);
  while (!places_empty(&fresh)) {
    arena_mark mark = arena_here(m->pattern->memory);
    places next = match_branches(m, e->branches, &fresh);
    for (size_t at = 0; places_next(&next, &at); at++)
      if (!places_has(&reached, at)) places_add(&added, at);
    arena_back(m->pattern->memory, mark);
    places_join(&reached, &added);
    places_clear(&fresh);
    places swapped = fresh;
    fresh = added;
    added = swapped;
  }
  return reached;
}

/* !(..): from each place, every end that no alternative reaches. */
static places match_except(const matcher *m, const element *e, const places *from) {
  places to = places_make(m);
  for (size_t at = 0; places_next(from, &at); at++) {
    arena_mark mark = arena_here(m->pattern->memory);
    places single = places_make(m);
    places_add(&single, at);
    places not = match_branches(m, e->branches, &single);
    size_t low = m->backward ? 0 : at, high = m->backward ? at : m->size;
    for (size_t end = low; end <= high; end++)
      if (char_starts(m, end) && !places_has(&not, end)) places_add(&to, end);
    arena_back(m->pattern->memory, mark);
  }
  return to;
}

static places match_group(const matcher *m, const element *e, const places *from) {
  switch (e->group) {
    case '*':
    case '+':
      return match_repeated(m, e, from);
    case '!':
      return match_except(m, e, from);
    default: {
      places to = match_branches(m, e->branches, from);
      if (e->group == '?') places_join(&to, from);
      return to;
    }
  }
}

static places match_branch(const matcher *m, const branch *b, places from) {
  for (const element *e = m->backward ? b->last : b->first; e != NULL && !places_empty(&from);
       e = m->backward ? e->before : e->next) {
    if (e->kind == ELEMENT_STAR)
      from = match_star(m, &from);
    else if (e->kind == ELEMENT_GROUP)
      from = match_group(m, e, &from);
    else
      from = match_one(m, e, &from);
  }
  return from;
}

/* Places reached from `at`, in the pattern's memory. */
static places match_from(const matcher *m, size_t at) {
  places start = places_make(m);
  places_add(&start, at);
  return match_branch(m, &m->pattern->whole, start);
}

/* Without groups: the last star is the only one worth going back to. */
static bool match_simple(const matcher *m) {
  const element *e = m->pattern->whole.first, *star = NULL;
  size_t at = 0, star_at = 0;
  for (;;) {
    if (e != NULL && e->kind == ELEMENT_STAR) {
      star = e;
      star_at = at;
      e = e->next;
      if (e == NULL) return true;
      continue;
    }
    if (e == NULL && at == m->size) return true;
    ptrdiff_t taken = e != NULL ? take_at(m, e, at) : -1;
    if (taken >= 0) {
      at += (size_t)taken;
      e = e->next;
      continue;
    }
    if (star == NULL || star_at >= m->size) return false;
    size_t used;
    char_at(m, star_at, &used);
    star_at += used;
    at = star_at;
    e = star->next;
  }
}

bool pattern_matches(const pattern *p, const char *text, size_t size) {
  matcher m = matcher_make(p, text, size, false);
  if (!p->groups) return match_simple(&m);
  arena_mark mark = arena_here(p->memory);
  places ends = match_from(&m, 0);
  bool matched = !places_empty(&ends) && places_has(&ends, size);
  arena_back(p->memory, mark);
  return matched;
}

/* Takes as many characters as there are elements, for a pattern without star or group. */
static ptrdiff_t match_fixed(const matcher *m, size_t at) {
  size_t from = at;
  for (const element *e = m->pattern->whole.first; e != NULL; e = e->next) {
    ptrdiff_t taken = take_at(m, e, at);
    if (taken < 0) return -1;
    at += (size_t)taken;
  }
  return (ptrdiff_t)(at - from);
}

static ptrdiff_t prefix_from(const matcher *m, size_t from, bool longest) {
  if (m->pattern->fixed) return match_fixed(m, from);
  arena_mark mark = arena_here(m->pattern->memory);
  places ends = match_from(m, from);
  ptrdiff_t found = -1;
  if (!places_empty(&ends)) {
    size_t at = longest ? ends.high : 0;
    if (longest)
      while (!places_has(&ends, at)) at--;
    else
      places_next(&ends, &at);
    found = (ptrdiff_t)(at - from);
  }
  arena_back(m->pattern->memory, mark);
  return found;
}

ptrdiff_t pattern_prefix(const pattern *p, const char *text, size_t size, bool longest) {
  matcher m = matcher_make(p, text, size, false);
  return prefix_from(&m, 0, longest);
}

ptrdiff_t pattern_suffix(const pattern *p, const char *text, size_t size, bool longest) {
  arena_mark mark = arena_here(p->memory);
  matcher m = matcher_make(p, text, size, true);
  places starts = match_from(&m, size);
  ptrdiff_t found = -1;
  if (!places_empty(&starts)) {
    size_t at = longest ? 0 : starts.high;
    if (longest)
      places_next(&starts, &at);
    else
      while (!places_has(&starts, at)) at--;
    found = (ptrdiff_t)at;
  }
  arena_back(p->memory, mark);
  return found;
}

void pattern_search_begin(pattern_search *s, const pattern *p, const char *text, size_t size) {
  matcher m = matcher_make(p, text, size, true);
  *s = (pattern_search){.pattern = p, .text = text, .size = size, .bytes = m.bytes};
  if (p->fixed) return;
  /* Once backwards from every place: only where a match exists is it worth looking how long. */
  places all = places_make(&m);
  places_fill_starts(&m, &all, 0, size);
  s->starts = match_branch(&m, &p->whole, all).bits;
}

static bool starts_here(const pattern_search *s, size_t at) {
  return s->starts == NULL || (s->starts[at / 64] >> (at % 64) & 1) != 0;
}

bool pattern_search_next(pattern_search *s, size_t from, size_t *start, size_t *end) {
  matcher m = {s->pattern, s->text, s->size, false, s->bytes};
  const element *only = s->pattern->whole.first;
  bool literal = s->pattern->fixed && only != NULL && only->kind == ELEMENT_TEXT &&
                 only->next == NULL && !(s->pattern->flags & PATTERN_NOCASE);
  for (size_t at = from; at <= s->size;) {
    if (literal) {
      const char *found = memchr(s->text + at, only->text[0], s->size - at);
      if (found == NULL) return false;
      at = (size_t)(found - s->text);
    }
    ptrdiff_t length = starts_here(s, at) ? prefix_from(&m, at, true) : -1;
    if (length >= 0) {
      *start = at;
      *end = at + (size_t)length;
      return true;
    }
    size_t used = 1;
    if (at < s->size) char_at(&m, at, &used);
    at += used;
  }
  return false;
}
