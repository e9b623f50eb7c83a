// SPDX-License-Identifier: MIT
/* utf8.h -- UTF-8 as the standard defines it: shortest forms only, no surrogates, nothing above
 * U+10FFFF. */
#ifndef CLOCHE_JSON_UTF8_H
#define CLOCHE_JSON_UTF8_H

#include "cloche.h"

/* The code point at the start of `text`; *len becomes its bytes (1 to 4). Where there is none it
 * answers -1 and *len is 1, or 0 at the end of the text. */
int32_t cloche__utf8_decode(cloche_text text, size_t *len);
/* Writes the 1 to 4 bytes of a code point that is not a surrogate and says how many. */
size_t cloche__utf8_encode(uint32_t code, char bytes[4]);
bool cloche__utf8_valid(cloche_text text);
size_t cloche__utf8_count(cloche_text text); /* code points; an invalid byte counts as one */

#endif
