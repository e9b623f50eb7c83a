// SPDX-License-Identifier: MIT
/* amount.h -- exact sums of decimals, for the totals that budgets keep.
 *
 * Nothing negative: an amount below zero would give budget back. 72 digits before the point and 36
 * behind it; what does not fit is refused, never rounded. */
#ifndef CLOCHE_GATE_AMOUNT_H
#define CLOCHE_GATE_AMOUNT_H

#include "json/json.h"

typedef struct cloche__amount {
  uint32_t limbs[12]; /* nine digits each, least first; the first four are behind the point */
} cloche__amount;

/* From a JSON number. False when negative or too long. */
bool cloche__amount_read(cloche_text number, cloche__amount *amount);
int cloche__amount_compare(const cloche__amount *a, const cloche__amount *b);
bool cloche__amount_add(cloche__amount *sum, const cloche__amount *added); /* false: too large */
void cloche__amount_subtract(cloche__amount *sum, const cloche__amount *taken); /* not below zero */
/* As a JSON number, at most 110 bytes. */
void cloche__amount_write(const cloche__amount *amount, cloche__buffer *out);

#endif
