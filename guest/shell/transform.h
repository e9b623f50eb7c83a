// SPDX-License-Identifier: MIT
/* transform.h -- the operators of ${x...} that make another string of the value. */
#ifndef GUEST_SHELL_TRANSFORM_H
#define GUEST_SHELL_TRANSFORM_H

#include "expand.h"

/* What a parameter stands for: one string, or with `list` several. */
typedef struct {
  const char *text; /* NULL: unset */
  fields items;
  bool list, set;
  char all;              /* '@' or '*': how a list is put together */
  variable *variable;    /* NULL: none, or not a variable */
  const char *name;      /* of the variable that was reached */
  const char *subscript; /* of the element, expanded; NULL: none */
} param_value;

/* Replaces the value by what the operator makes of it. [waits]; false with a message. */
bool param_transform(expansion *x, const parameter *p, param_value *v);

/* prompt.c: expands \u, \w and so on, as for PS4 and ${x@P}. [waits] */
char *prompt_expand(shell *sh, const char *prompt);

#endif
