// SPDX-License-Identifier: MIT
/* mutate.c -- runs a fuzz target on COUNT random inputs, without a fuzzer: mutate COUNT [SEED]. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint64_t state;
static uint8_t random_byte(void) { /* xorshift64*, Vigna 2014 */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint8_t)(state * 2685821657736338717u >> 56);
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  uint8_t bytes[64];
  for (long i = 0; i < count; i++) {
    state = seed + (uint64_t)i * 0x9e3779b97f4a7c15u + 1;
    size_t size = 1 + random_byte() % 4 * 3u + (random_byte() % 8 == 0 ? 30 : 3);
    for (size_t k = 0; k < size; k++) bytes[k] = random_byte();
    LLVMFuzzerTestOneInput(bytes, size);
  }
  printf("%ld inputs\n", count);
  return count == 0;
}
