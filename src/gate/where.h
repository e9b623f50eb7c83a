// SPDX-License-Identifier: MIT
/* where.h -- constraints on parameters: their tree, and what they say of a call.
 *
 * Three-valued. Undefined is a parameter that is missing, null or of the wrong type, a text that
 * cannot be read as what it should be (a URL, a time), and work past the limit. `not` keeps it;
 * `and` and `or` follow Kleene. Only not_exists is true of a missing parameter. */
#ifndef CLOCHE_GATE_WHERE_H
#define CLOCHE_GATE_WHERE_H

#include "gate/load.h"
#include "gate/regex.h"
#include "gate/time.h"
#include "gate/url.h"

typedef enum cloche__truth { CLOCHE__FALSE, CLOCHE__TRUE, CLOCHE__UNDEFINED } cloche__truth;

static inline cloche__truth cloche__not(cloche__truth a) {
  return a == CLOCHE__UNDEFINED ? a : a == CLOCHE__TRUE ? CLOCHE__FALSE : CLOCHE__TRUE;
}
static inline cloche__truth cloche__and(cloche__truth a, cloche__truth b) {
  if (a == CLOCHE__FALSE || b == CLOCHE__FALSE) return CLOCHE__FALSE;
  return a == CLOCHE__UNDEFINED ? a : b;
}

/* Name, as a policy writes it, and what a denial says that a rule asks for; of the comparisons the
 * kind of value follows. */
#define CLOCHE__OPERATORS(X)                                        \
  X(LESS, "<", "less than a certain")                               \
  X(AT_MOST, "<=", "at most a certain")                             \
  X(MORE, ">", "more than a certain")                               \
  X(AT_LEAST, ">=", "at least a certain")                           \
  X(EQUAL, "==", "a certain")                                       \
  X(UNEQUAL, "!=", "anything but a certain")                        \
  X(IN, "in", "one of certain values")                              \
  X(NOT_IN, "not_in", "none of certain values")                     \
  X(BETWEEN, "between", "something between two bounds")             \
  X(STARTS_WITH, "starts_with", "a certain beginning")              \
  X(ENDS_WITH, "ends_with", "a certain end")                        \
  X(CONTAINS, "contains", "certain contents")                       \
  X(MATCHES, "matches", "a certain pattern")                        \
  X(GLOB, "glob", "a certain pattern")                              \
  X(LENGTH, "length", "a certain length")                           \
  X(TYPE, "type", "a certain type")                                 \
  X(EXISTS, "exists", "a value")                                    \
  X(NOT_EXISTS, "not_exists", "no value")                           \
  X(ALL, "all", "elements of a certain kind")                       \
  X(ANY, "any", "an element of a certain kind")                     \
  X(NONE, "none", "no element of a certain kind")                   \
  X(WHERE, "where", "certain members")                              \
  X(PATH_WITHIN, "path_within", "a path within a certain folder")   \
  X(URL, "url", "a certain kind of URL")                            \
  X(EMAIL_DOMAIN, "email_domain", "an address of a certain domain") \
  X(BEFORE, "before", "a time before a certain one")                \
  X(AFTER, "after", "a time after a certain one")

typedef enum cloche__operator {
#define X(name, text, wanted) CLOCHE__OP_##name,
  CLOCHE__OPERATORS(X)
#undef X
} cloche__operator;

const char *cloche__operator_text(cloche__operator op);
const char *cloche__operator_wanted(cloche__operator op);

typedef struct cloche__step {
  cloche_text key;
  size_t index; /* SIZE_MAX when the key is no index */
  bool every;   /* * */
} cloche__step;

typedef struct cloche__path {
  cloche_text text;
  bool from_top; /* starts with a slash: from the call's parameters, also inside an element */
  size_t count;
  const cloche__step *steps;
} cloche__path;

typedef struct cloche__url_rule {
  const cloche_text *schemes, *prefixes;
  const cloche__host_pattern *hosts;
  const uint16_t *ports;
  size_t scheme_count, prefix_count, host_count, port_count;
} cloche__url_rule;

typedef enum cloche__clause_kind {
  CLOCHE__CLAUSE_AND,
  CLOCHE__CLAUSE_OR,
  CLOCHE__CLAUSE_NOT,
  CLOCHE__CLAUSE_TEST
} cloche__clause_kind;

typedef struct cloche__clause cloche__clause;
struct cloche__clause {
  cloche__clause_kind kind;
  size_t
      count; /* AND, OR, NOT; for a test the one clause that ALL, ANY, NONE, LENGTH, WHERE hold */
  const cloche__clause *children;
  /* tests */
  cloche__operator op;
  bool optional, by_param; /* by_param: compared with the parameter at `other` */
  bool plain;              /* a comparison with a plain number, worth... */
  int64_t bound;           /* ...this */
  const cloche__path *path;
  const cloche__json *source; /* the operand as it was written */
  union {
    const cloche__json *value;
    const cloche__path *other;
    const cloche__regex *regex;
    const cloche__url_rule *url;
    const cloche__host_pattern *hosts; /* operand_count of them */
    const cloche_text *texts;          /* likewise */
    cloche__time time;
    unsigned kinds; /* bits 1 << kind; INTEGER_BIT */
  };
  size_t operand_count;
};
#define CLOCHE__INTEGER_BIT (1u << 8)
/* The bit of a type by its name; 0: there is none. */
unsigned cloche__kind_bit(cloche_text name);

/* ---- loading ---- */

/* Reads a `where` object; *clause becomes an AND. */
bool cloche__where_load(cloche__loader *loader, const cloche__at *at, const cloche__json *where,
                        const cloche__clause **clause);
/* Splits at slashes, drops a leading one. With `stars` false a * is refused. */
bool cloche__path_load(cloche__loader *loader, const cloche__at *at, cloche_text text, bool stars,
                       const cloche__path **path);

/* ---- asking ---- */

typedef struct cloche__where_context {
  const cloche__json *top; /* the call's parameters */
  size_t steps;            /* work that may still be done */
} cloche__where_context;

cloche__truth cloche__where_holds(const cloche__clause *clause, cloche__where_context *context,
                                  const cloche__json *root);
/* The innermost test that keeps `clause` from being true (the first, in order), or the clause
 * itself where no single test does (or, not). */
const cloche__clause *cloche__where_failure(const cloche__clause *clause,
                                            cloche__where_context *context,
                                            const cloche__json *root);
/* The value at a path without stars; NULL when absent, also when something on the way is no
 * container. */
const cloche__json *cloche__path_get(const cloche__path *path, const cloche__json *root);

#endif
