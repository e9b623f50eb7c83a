// SPDX-License-Identifier: MIT
/* index.c -- from a method's name to the rules that may match it, without looking at the others.
 *
 * A rule lies in one bucket: by the literal segments its pattern starts with, and by its last
 * segment when that is literal too. "stripe/charges/create" -> (stripe/charges/create, -),
 * "stripe/ ** /create" -> (stripe, create), "** /delete_*" -> (, -). A name of n segments is looked
 * up under its n + 1 starts, each with and without its last segment; whatever is found is matched
 * in full, so that buckets may collide. */
#include <stdlib.h>
#include <string.h>

#include "gate/policy.h"

static uint64_t mix(uint64_t hash) {
  hash = (hash ^ hash >> 31) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

static uint64_t bucket(uint64_t start, const cloche_text *last) {
  uint64_t end = last == NULL ? 0 : cloche__hash(CLOCHE__HASH_START, *last) | 1;
  return mix(start + 3 * end) | 1; /* never 0, which marks a free slot */
}

static uint64_t add_segment(uint64_t start, const char *base, cloche__segment segment) {
  return cloche__hash(start * 31 + 1, (cloche_text){base + segment.at, segment.len});
}

static uint64_t bucket_of(const cloche__pattern *pattern, uint64_t starts[2]) {
  uint64_t start = CLOCHE__HASH_START;
  size_t literal = 0, last = pattern->count - 1;
  while (literal <= last && pattern->segments[literal].kind == CLOCHE__SEGMENT_LITERAL) {
    start = add_segment(start, pattern->text.at, pattern->segments[literal++]);
  }
  bool ends = literal <= last && pattern->segments[last].kind == CLOCHE__SEGMENT_LITERAL;
  cloche_text end = {pattern->text.at + pattern->segments[last].at, pattern->segments[last].len};
  starts[ends] |= (uint64_t)1 << literal;
  return bucket(start, ends ? &end : NULL);
}

typedef struct {
  uint64_t hash;
  uint32_t rule;
} entry;

static int by_hash_and_rule(const void *left, const void *right) {
  const entry *a = left, *b = right;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return (a->rule > b->rule) - (a->rule < b->rule);
}

static void fill(cloche__run *runs, size_t mask, uint32_t *rules, const entry *entries,
                 size_t count) {
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i; end < count && entries[end].hash == entries[i].hash; end++) {
      rules[end] = entries[end].rule;
    }
    size_t at = entries[i].hash & mask;
    while (runs[at].hash != 0) at = (at + 1) & mask;
    runs[at] = (cloche__run){entries[i].hash, rules + i, end - i};
  }
}

bool cloche__index_make(cloche__layer *layer) {
  size_t count = layer->rule_count, size = 4;
  while (size < count * 2) size *= 2;
  entry *entries = malloc((count + 1) * sizeof *entries);
  cloche__run *runs = cloche__arena_take(&layer->arena, size, sizeof *runs);
  uint32_t *rules = cloche__arena_take(&layer->arena, count, sizeof *rules);
  bool made = entries != NULL && runs != NULL && rules != NULL;
  if (made) {
    for (size_t i = 0; i < count; i++) {
      entries[i] = (entry){bucket_of(&layer->rules[i].pattern, layer->index.starts), (uint32_t)i};
    }
    qsort(entries, count, sizeof *entries, by_hash_and_rule);
    memset(runs, 0, size * sizeof *runs);
    fill(runs, size - 1, rules, entries, count);
    layer->index.runs = runs;
    layer->index.mask = size - 1;
  }
  free(entries);
  return made;
}

static void add_run(cloche__candidates *found, uint64_t hash) {
  const cloche__index *index = &found->layer->index;
  size_t at = hash & index->mask;
  while (index->runs[at].hash != 0 && index->runs[at].hash != hash) at = (at + 1) & index->mask;
  const cloche__run *run = &index->runs[at];
  if (run->count == 0) return;
  found->runs[found->run_count].at = run->rules;
  found->runs[found->run_count++].end = run->rules + run->count;
  found->total += run->count;
}

cloche__candidates cloche__layer_candidates(const cloche__layer *layer, const cloche__name *name) {
  cloche__candidates found;
  found.layer = layer;
  found.name = name;
  found.run_count = found.total = 0;
  found.last = (cloche_text){"", 0}; /* which no pattern is */
  found.last_matched = false;
  cloche__segment end = name->segments[name->count - 1];
  cloche_text last = {name->text + end.at, end.len};
  uint64_t start = CLOCHE__HASH_START;
  for (size_t i = 0; i <= name->count; i++) {
    uint64_t bit = (uint64_t)1 << i;
    if (layer->index.starts[0] & bit) add_run(&found, bucket(start, NULL));
    if (layer->index.starts[1] & bit) add_run(&found, bucket(start, &last));
    if (i < name->count) start = add_segment(start, name->text, name->segments[i]);
  }
  return found;
}

const cloche__rule *cloche__next_candidate(cloche__candidates *candidates) {
  for (;;) {
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < candidates->run_count; i++) {
      if (candidates->runs[i].at == candidates->runs[i].end) continue;
      if (first == SIZE_MAX || *candidates->runs[i].at < *candidates->runs[first].at) first = i;
    }
    if (first == SIZE_MAX) return NULL;
    const cloche__rule *rule = &candidates->layer->rules[*candidates->runs[first].at++];
    if (!cloche__text_equal(candidates->last, rule->pattern.text)) {
      candidates->last = rule->pattern.text;
      candidates->last_matched = cloche__pattern_matches(&rule->pattern, candidates->name);
    }
    if (candidates->last_matched) return rule;
  }
}
