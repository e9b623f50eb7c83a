// SPDX-License-Identifier: MIT
/* pagemap.h -- asks the kernel which pages of a slot are private, instead of noting each first
 * write.
 *
 * For hosts where signals are unwelcome. Needs PAGEMAP_SCAN, Linux 6.7 (Documentation/admin-guide/
 * mm/pagemap.rst); one call costs about 10 us for a few hundred pages. */
#ifndef CLOCHE_SANDBOX_PAGEMAP_H
#define CLOCHE_SANDBOX_PAGEMAP_H

#include "sandbox/image.h"

/* True if this kernel can do it. */
bool cloche__pagemap_works(void);
/* Copies every page of the image part that is private back from the image. False: not possible. */
bool cloche__pagemap_restore(uint8_t *base, const cloche__image *image);
/* Sets the bit of every private page below `size`. */
void cloche__pagemap_mark(const uint8_t *base, uint32_t size, uint64_t *bitmap);

#endif
