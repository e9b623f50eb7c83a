// SPDX-License-Identifier: MIT
/* schema.h -- JSON Schema 2020-12, the part that describes data.
 *
 * type, enum, const, the bounds of numbers, strings, arrays and objects, pattern, items,
 * prefixItems, uniqueItems, properties, patternProperties, additionalProperties, propertyNames,
 * required, dependentRequired, $ref within the document, allOf, anyOf, oneOf, not, if/then/else.
 * Annotations and x-... are skipped. A keyword that would assert something but is not known here
 * is a load error: a schema is never half applied. */
#ifndef CLOCHE_GATE_SCHEMA_H
#define CLOCHE_GATE_SCHEMA_H

#include "gate/load.h"
#include "gate/where.h"

typedef struct cloche__schema cloche__schema;

bool cloche__schema_load(cloche__loader *loader, const cloche__at *at, const cloche__json *source,
                         const cloche__schema **schema);

typedef struct cloche__schema_failure {
  char param[128];    /* the path of what is wrong, "" for all of it */
  char expected[128]; /* "integer", "one of 3 values", "at most 100" */
  char got[64];       /* a type, or the name that is not known */
  char hint[96];      /* the nearest valid name, or empty */
} cloche__schema_failure;

/* True if `value` is valid. Required parameters whose path is among `hidden` may be absent. Takes
 * from *steps; when they are used up the value counts as not valid. `failure` may be NULL. */
bool cloche__schema_valid(const cloche__schema *schema, const cloche__json *value,
                          const cloche__path *const *hidden, size_t hidden_count, size_t *steps,
                          cloche__schema_failure *failure);
/* Does an object under this schema have a property of that name? True where it cannot be told. */
bool cloche__schema_knows(const cloche__schema *schema, const cloche__path *path);

#endif
