// SPDX-License-Identifier: MIT
/* quote.h -- writing strings so that the shell reads them back, in each of bash's styles. */
#ifndef GUEST_SHELL_QUOTE_H
#define GUEST_SHELL_QUOTE_H

#include "../text/text.h"
#include "vars.h"

/* 'it'\''s' */
void quote_single(text *to, const char *value, size_t size);
/* $'..' with escapes */
void quote_ansi(text *to, const char *value, size_t size);
bool quote_needs_ansi(const char *value, size_t size); /* control characters, broken UTF-8 */
/* "..": as declare -p writes values; $'..' where needed */
void quote_double(text *to, const char *value, size_t size);
/* Single quotes only where the shell would read the word as something else: set -x, alias, trap. */
void quote_trace(text *to, const char *value, size_t size);
/* As `set` prints values: bare, '..' or $'..'. */
void quote_listing(text *to, const char *value, size_t size);
/* As ${x@Q}: always quoted. */
void quote_word(text *to, const char *value, size_t size);
/* name="value", name=([0]="a"), flags as declare -p writes them; without a newline. */
void quote_attributes(text *to, const variable *of); /* "ax", or "-" when there is none */
void quote_declaration(text *to, const variable *of);
void quote_array(text *to, const variable *of); /* ([0]="a" [1]="b") */

#endif
