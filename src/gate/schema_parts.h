// SPDX-License-Identifier: MIT
/* schema_parts.h -- a loaded schema, for the two files that know what is in it. */
#ifndef CLOCHE_GATE_SCHEMA_PARTS_H
#define CLOCHE_GATE_SCHEMA_PARTS_H

#include <stdarg.h>

#include "gate/policy.h"

typedef struct cloche__schemas {
  const cloche__schema **at;
  size_t count;
} cloche__schemas;

typedef struct cloche__dependent {
  cloche_text name;
  cloche__texts needs;
} cloche__dependent;

enum { LEAST, MOST, ABOVE, BELOW };           /* bounds of numbers */
enum { LENGTHS = 0, ITEMS = 2, MEMBERS = 4 }; /* sizes: the least, and after it the most */

struct cloche__schema {
  const cloche__json *source;
  bool never, unique;
  unsigned types; /* bits 1 << kind, CLOCHE__INTEGER_BIT; 0: any */
  const cloche__json *constant, *enumeration, *bounds[4], *multiple;
  uint64_t sizes[6];
  const cloche__regex *pattern;
  cloche_text pattern_text;
  cloche__schemas prefix, properties, by_pattern, all, any, one;
  const cloche_text *names; /* of the properties, found through `table` */
  cloche__table table;
  const cloche__regex **patterns; /* of by_pattern */
  const cloche__schema *items, *additional, *property_names;
  const cloche__schema *ref, *negated, *condition, *then, *otherwise;
  cloche__texts required;
  const cloche__dependent *dependents;
  size_t dependent_count;
};

#endif
