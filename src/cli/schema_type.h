// SPDX-License-Identifier: MIT
/* schema_type.h -- a JSON Schema as a TypeScript type. */
#ifndef CLOCHE_CLI_SCHEMA_TYPE_H
#define CLOCHE_CLI_SCHEMA_TYPE_H

#include "json/json.h"

/* `schema` may be NULL: "any". `root` is what "#/..." references start from. What TypeScript cannot
 * say (ranges, patterns) is left out. */
void cloche__schema_type(const cloche__json *schema, const cloche__json *root, cloche__buffer *out);
/* A name as a property: quoted unless it is an identifier. */
void cloche__property_name(cloche_text name, cloche__buffer *out);
/* Letters, digits, "_" and "$", not beginning with a digit. */
bool cloche__is_identifier(cloche_text name);

#endif
