// SPDX-License-Identifier: MIT
/* document.h -- a small reader of JSON for the kernel's own needs: tool definitions.
 *
 * A document becomes a tree of nodes in one arena. The host has checked the text already, strictly;
 * here it is enough to refuse what is not JSON. */
#ifndef GUEST_KERNEL_DOCUMENT_H
#define GUEST_KERNEL_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  JSON_NULL,
  JSON_FALSE,
  JSON_TRUE,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT
} document_kind;

typedef struct document_node {
  document_kind kind;
  const char *text; /* a string's decoded bytes, NUL-terminated; a number as it was written */
  size_t size;
  const char *key; /* in an object: NUL-terminated */
  struct document_node *first, *next;
} document_node;

typedef struct document_arena document_arena;

/* NULL when it is no JSON, nested more than 64 deep, or too much for the memory. */
const document_node *document_parse(const char *text, size_t size, document_arena **arena);
/* NULL is fine. */
void document_release(document_arena *arena);

/* The member of an object, or NULL; also when `object` is NULL or no object. */
const document_node *document_member(const document_node *object, const char *key);
/* A member's string, or NULL when it is none. */
const char *document_text(const document_node *object, const char *key);

/* Finds the elements of an array without reading them: *at starts at the text, and each call gives
 * the next element's extent. False at the end. */
bool document_next(const char **at, const char *end, const char **element, size_t *size);

#endif
