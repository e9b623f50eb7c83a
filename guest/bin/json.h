// SPDX-License-Identifier: MIT
/* json.h -- JSON for the tool command: parsing into a tree, and writing. Numbers stay text, so that
 * an integer of any size passes through unchanged. Memory is malloc's, dropped with the process. */
#ifndef GUEST_BIN_JSON_H
#define GUEST_BIN_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "../text/text.h"

typedef enum {
  JSON_NULL,
  JSON_FALSE,
  JSON_TRUE,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT
} json_kind;

typedef struct json {
  json_kind kind;
  char *text; /* NUMBER, STRING (decoded) */
  size_t size;
  char *name; /* its key, inside an object */
  size_t name_size;
  struct json *first, *last, *next; /* members; next in the parent */
} json;

/* NULL when the text is not one JSON value; *at is then where it went wrong. */
json *json_parse(const char *text, size_t size, size_t *at);
json *json_new(json_kind kind);
json *json_string(const char *text, size_t size);
/* The member of an object; NULL when there is none (or `object` is NULL or no object). */
json *json_get(const json *object, const char *name);
void json_push(json *array, json *item);
/* Sets a member, in place of one with this name. */
void json_set(json *object, const char *name, json *value);
void json_write(text *out, const json *value);
void json_write_string(text *out, const char *string, size_t size);

#endif
