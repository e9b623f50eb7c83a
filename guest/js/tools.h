// SPDX-License-Identifier: MIT
/* tools.h -- the granted tools as a tree of names, for the files tools*.c. */
#ifndef GUEST_JS_TOOLS_H
#define GUEST_JS_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "quickjs.h"

/* One segment of a path. Node 0 is the root. */
typedef struct {
  const char *segment; /* decoded, NUL-terminated, in `names` */
  uint32_t parent;
  uint32_t tool;              /* index + 1, 0 when no tool has this path */
  uint32_t first, last, next; /* children and siblings, 0 ends */
  JSValue value;              /* what a program sees, made when first asked for */
} tool_node;

typedef struct {
  const char *name; /* "stripe/charges/create" */
  uint32_t node;
  size_t from, size; /* its definition, within the host's JSON */
} tool_entry;

typedef struct {
  uint32_t generation; /* of the definitions this was made from, 0 when none */
  tool_node *nodes;
  tool_entry *tools;
  uint32_t node_count, node_room, tool_count, tool_room;
  uint32_t *slots; /* hash: node + 1 by (parent, segment), and by alias below ALIASES */
  uint32_t slot_mask;
  char **chunks; /* memory of the names */
  uint32_t chunk_count;
  size_t chunk_used;
} tool_table;

/* The table for the current definitions; made when first asked for. NULL throws. */
tool_table *tools_table(JSContext *realm);

/* A child by its segment, else one whose segment has . - : / where `key` has _. 0 when none. */
uint32_t tools_child(tool_table *table, uint32_t parent, const char *key, size_t size);
/* By whole name in any spelling: "a/b", "a.b", "mcp:a/b", "a_b". 0 when none. */
uint32_t tools_find(tool_table *table, const char *name, size_t size);
/* As tools_find, for what may stand as a global: a first segment, or "a_b". */
uint32_t tools_find_global(tool_table *table, const char *name, size_t size);
/* The tool whose name is nearest to `name`, NULL when none is near. */
const tool_entry *tools_nearest(tool_table *table, const char *name);
/* The segment below `parent` nearest to `name`, as a node; 0 when none is near. */
uint32_t tools_nearest_segment(tool_table *table, uint32_t parent, const char *name);

/* What a program last looked for among its tools and did not find. */
typedef struct {
  uint32_t parent; /* a node */
  char key[64];    /* cut when longer; empty: nothing */
} tools_missed;
const tools_missed *tools_last_missed(void);

/* "stripe.charges.create"; tools["odd-name"] where that is no expression, tools.fs.read where the
 * first name means something else. */
void tools_put_expression(tool_table *table, uint32_t node, buffer *to);
/* "stripe.charges.create({ amount: integer, note?: string })". Runs no program code. */
void tools_put_usage(JSContext *realm, const tool_entry *tool, buffer *to);
/* The definition as a value; exception when it is not JSON. */
JSValue tools_definition(JSContext *realm, const tool_entry *tool);

/* What a program sees of a node: a function, or an object with what is below it. Borrowed. */
JSValueConst tools_value(JSContext *realm, tool_table *table, uint32_t node);

#endif
