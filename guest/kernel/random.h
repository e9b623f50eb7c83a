// SPDX-License-Identifier: MIT
/* random.h -- where chance comes from: 32 bytes of the host's, and nothing else. */
#ifndef GUEST_KERNEL_RANDOM_H
#define GUEST_KERNEL_RANDOM_H

#include <stdint.h>

void random_seed(const uint8_t seed[32]);

#endif
