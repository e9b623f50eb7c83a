// SPDX-License-Identifier: MIT
/* arith.h -- shell arithmetic: 64 bits, wrapping, with assignments to variables. */
#ifndef GUEST_SHELL_ARITH_H
#define GUEST_SHELL_ARITH_H

#include "vars.h"

/* The expression's value; an empty one is 0. False with a message when it is wrong; nothing in it
 * waits, since all $ have been expanded before. */
bool arith_evaluate(shell *sh, const char *expression, size_t size, int64_t *value);
/* The same, messages naming the builtin (let) or construct ("((") it stands in; NULL: none. */
bool arith_evaluate_for(shell *sh, const char *who, const char *expression, size_t size,
                        int64_t *value);

#endif
