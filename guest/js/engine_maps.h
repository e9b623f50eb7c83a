// SPDX-License-Identifier: MIT
/* engine_maps.h -- part of engine.c: the hash of what Map, Set and their weak forms are asked for.
 *
 * The engine chooses the list by the lowest bits of the hash, and hashes a number as the bits of a
 * double. Small integers differ in the upper bits of those only, so that a thousand of them share a
 * handful of lists and each look walks through hundreds of entries. */

/* Lets every bit reach the lowest ones: the first steps of MurmurHash3's last mix. */
static uint32_t spread_map_key(JSContext *ctx, JSValueConst key) {
  uint32_t hash = plain_map_key(ctx, key);
  hash ^= hash >> 16;
  hash *= 0x85EBCA6Bu;
  return hash ^ hash >> 13;
}
