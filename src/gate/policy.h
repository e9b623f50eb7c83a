// SPDX-License-Identifier: MIT
/* policy.h -- a policy as it lies in memory.
 *
 *   policy -> [ layer | layer | ... ]     innermost first: the last restriction, ..., the root
 *   layer  -> rules, in order             one loaded document, shared by the policies it is in
 *             index: method -> rules      by the literal start and end of their patterns
 *             budgets, watches, tools, secrets
 *
 * All of it is immutable after loading, in one arena per layer. */
#ifndef CLOCHE_GATE_POLICY_H
#define CLOCHE_GATE_POLICY_H

#include <stdatomic.h>

#include "gate/amount.h"
#include "gate/pattern.h"
#include "gate/schema.h"
#include "gate/table.h"
#include "gate/where.h"

#define CLOCHE__NONE UINT64_MAX /* no such bound */

typedef struct cloche__budget {
  cloche_text key;
  uint64_t max_calls, max_concurrent, rate_calls; /* CLOCHE__NONE */
  int64_t rate_window;                            /* ns */
  const cloche__path *total;                      /* NULL: no total */
  cloche_text total_text;                         /* the most, a decimal */
  bool refund;                                    /* when the call fails */
} cloche__budget;

/* A call that some rule wants to have, or not to have, happened before. */
typedef struct cloche__watch {
  cloche__pattern call;
  const cloche__path *param; /* its value is remembered; NULL: only that it happened */
} cloche__watch;

typedef struct cloche__order {
  bool forbids; /* not_after */
  size_t watch;
  const cloche__path *param; /* of this call: equal to the watched one */
} cloche__order;

typedef struct cloche__setting {
  const cloche__path *path;
  const cloche__json *value;
} cloche__setting;

typedef struct cloche__texts {
  const cloche_text *at;
  size_t count;
} cloche__texts;

typedef struct cloche__rule {
  cloche_text key; /* its name, or its pattern and which of that pattern it is */
  cloche_text reason;
  cloche__pattern pattern;
  const cloche__clause *where; /* NULL: holds */
  int64_t expires;             /* ns since 1970; INT64_MAX: never */
  const cloche__order *orders;
  const cloche__setting *settings;
  const size_t *budgets; /* indices into the layer's */
  cloche__texts adds, if_label, unless_label;
  cloche__texts mentioned; /* with `closed`: the parameters it knows */
  uint32_t order_count, setting_count, budget_count;
  uint32_t approve_up_to; /* ask: calls that one approval may cover */
  uint8_t effect;         /* cloche_effect */
  bool closed, explain;
} cloche__rule;

typedef struct cloche__tool {
  cloche_text name;
  const cloche__schema *input, *output; /* NULL: anything */
} cloche__tool;

typedef struct cloche__secret {
  cloche__pattern pattern;
  const cloche__path *const *paths;
  size_t count;
} cloche__secret;

typedef struct cloche__run { /* rules of one bucket of the index, in order */
  uint64_t hash;
  const uint32_t *rules;
  size_t count;
} cloche__run;

typedef struct cloche__index {
  const cloche__run *runs;
  size_t mask;
  uint64_t starts[2]; /* bit n: some pattern has n literal segments first; [1] and a literal last */
} cloche__index;

typedef struct cloche__layer {
  atomic_size_t users;
  cloche__json_doc source, tool_source;
  cloche__arena arena;
  cloche_text name;
  const cloche__rule *rules;
  size_t rule_count;
  const cloche__budget *budgets;
  size_t budget_count;
  const cloche__watch *watches;
  size_t watch_count;
  const cloche__secret *secrets;
  size_t secret_count;
  const cloche__tool *tools;
  size_t tool_count;
  bool has_tools;      /* a list was given, if only an empty one */
  bool sets;           /* some rule sets parameters */
  bool checks_results; /* against their output schemas */
  const cloche_text *tool_names;
  cloche__table tool_table;
  cloche__index index;
} cloche__layer;

struct cloche_policy {
  atomic_size_t users;
  size_t count, watch_count;
  cloche__arena arena; /* of the keys below */
  struct {
    cloche__layer *layer;
    const cloche_text *keys; /* of its budgets, apart from those of other layers */
  } layers[];
};

/* From values that were parsed already; both are copied. `tools` may be NULL: then any method may
 * be named. Paths in *problem start at these values. */
cloche_status cloche__policy_load(const cloche__json *rules, const cloche__json *tools,
                                  cloche_policy **policy, cloche_problem *problem);
const cloche_policy *cloche__policy_keep(const cloche_policy *policy); /* one more user */
/* Does a result fit the tool's output schema, where the policy says that it has to? */
bool cloche__policy_result_fits(const cloche_policy *policy, cloche_text method,
                                const cloche__json *result, cloche__schema_failure *failure);
/* Sorts `tools` into definitions as a program may see them, and the names of those that no rule can
 * let through; both are arrays. No policy: none is let through. As cloche_policy_tools. */
cloche_status cloche__policy_sort_tools(const cloche_policy *policy, cloche_text tools,
                                        cloche__buffer *shown, cloche__buffer *hidden);
/* Applies to every call that its pattern matches. */
bool cloche__rule_is_unconditional(const cloche__rule *rule);
const cloche__tool *cloche__layer_tool(const cloche__layer *layer, cloche_text method);

/* The rules of a layer whose patterns match a name, in order. */
typedef struct cloche__candidates {
  const cloche__layer *layer;
  const cloche__name *name;
  size_t run_count, total; /* total: at most that many */
  cloche_text last;        /* the pattern matched last, */
  bool last_matched;       /* and whether it did: rules of one pattern often stand together */
  struct {
    const uint32_t *at, *end;
  } runs[2 * CLOCHE__METHOD_SEGMENTS + 2];
} cloche__candidates;

cloche__candidates cloche__layer_candidates(const cloche__layer *layer, const cloche__name *name);
const cloche__rule *cloche__next_candidate(cloche__candidates *candidates); /* NULL at the end */
/* Fills the index of a layer whose rules are in place. False: no memory. */
bool cloche__index_make(cloche__layer *layer);
/* Reads the document into an empty layer. */
bool cloche__layer_load(cloche__loader *loader, cloche__layer *layer, const cloche__json *source);

#endif
