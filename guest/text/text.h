// SPDX-License-Identifier: MIT
/* text.h -- memory that is given back all at once, strings that grow, and characters.
 *
 * A command allocates many short strings and drops them together, so the shell keeps a stack of
 * blocks: remember a mark, take what is needed, go back to the mark. Nothing in here returns NULL:
 * when memory is gone the process ends with a message, as bash does. */
#ifndef GUEST_TEXT_TEXT_H
#define GUEST_TEXT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *memory_take(size_t size);                   /* malloc, or the process ends */
void *memory_resize(void *old, size_t size);      /* realloc, or the process ends */
char *memory_copy(const char *from, size_t size); /* with a NUL behind it */
char *memory_string(const char *from);

typedef struct arena_block arena_block;
typedef struct {
  arena_block *block; /* the newest; each knows the one before it */
  arena_block *spare; /* kept back so that a loop across a block's edge does not allocate */
} arena;

typedef struct {
  arena_block *block;
  size_t used;
} arena_mark;

void *arena_take(arena *from, size_t size); /* aligned to 8, not cleared */
void *arena_zero(arena *from, size_t size);
char *arena_copy(arena *from, const char *bytes, size_t size); /* with a NUL behind it */
arena_mark arena_here(const arena *of);
void arena_back(arena *of, arena_mark mark);
void arena_free(arena *all);

/* A string under construction: in an arena, or in malloc's memory when `in` is NULL. */
typedef struct {
  arena *in;
  char *at;
  size_t len, cap;
} text;

void text_reserve(text *t, size_t more);
void text_add(text *t, const char *bytes, size_t size);
void text_string(text *t, const char *string);
void text_format(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_pad(text *t, char with, size_t count);
char *text_end(text *t); /* ends it with a NUL that `len` does not count */
void text_free(text *t); /* malloc's memory only */

static inline void text_char(text *t, char c) {
  if (t->len + 1 >= t->cap) text_reserve(t, 1);
  t->at[t->len++] = c;
}

/* Numbers without printf, which costs more than the addition around it. `to` holds 24 bytes. */
size_t number_format(int64_t number, char *to);

/* Characters: UTF-8, where a byte that starts no valid one is a character of its own, as in bash.
 * In the locale C every byte is one: the process's word says so. */
void characters_set_bytes(bool bytes);
bool characters_are_bytes(void);
#define POINT_BYTE 0x80000000u /* marks a decoded byte that was not UTF-8 */
uint32_t point_decode(const char *at, size_t left, size_t *used);
void point_add(text *t, uint32_t point);
size_t point_count(const char *at, size_t size);
size_t point_offset(const char *at, size_t size, size_t character); /* where that one starts */

#endif
