// SPDX-License-Identifier: MIT
/* load.h -- what all readers of policies and schemas share: the place they are at, and how they
 * complain.
 *
 * Readers return true, or false after cloche__fail or cloche__no_memory has said why. */
#ifndef CLOCHE_GATE_LOAD_H
#define CLOCHE_GATE_LOAD_H

#include "json/json.h"

typedef struct cloche__at { /* a place in the document, as a list from the inside out */
  const struct cloche__at *up;
  cloche_text key; /* with at == NULL: element `index` */
  size_t index;
} cloche__at;

typedef struct cloche__loader {
  cloche__arena *arena;
  cloche_problem *problem;
  cloche_status status;
} cloche__loader;

static inline cloche__at cloche__at_key(const cloche__at *up, cloche_text key) {
  return (cloche__at){up, key.at == NULL ? (cloche_text){"", 0} : key, 0};
}
static inline cloche__at cloche__at_index(const cloche__at *up, size_t index) {
  return (cloche__at){up, {NULL, 0}, index};
}

/* Both answer false. The first problem stays. */
__attribute__((format(printf, 3, 4))) bool cloche__fail(cloche__loader *loader,
                                                        const cloche__at *at, const char *format,
                                                        ...);
bool cloche__no_memory(cloche__loader *loader);
/* `count` things from the loader's arena, cleared; NULL after saying so. */
void *cloche__take(cloche__loader *loader, size_t count, size_t size);

/* `value` is an object with no other keys than `known` (NULL at the end). */
bool cloche__check_keys(cloche__loader *loader, const cloche__at *at, const cloche__json *value,
                        const char *const *known);
bool cloche__expect(cloche__loader *loader, const cloche__at *at, const cloche__json *value,
                    cloche__json_kind kind);
/* A string, or an array of strings, as an array in the arena. */
bool cloche__load_strings(cloche__loader *loader, const cloche__at *at, const cloche__json *value,
                          const cloche_text **strings, size_t *count);
/* Optional members; absent ones leave *out alone. */
bool cloche__load_flag(cloche__loader *loader, const cloche__at *up, const cloche__json *object,
                       const char *key, bool *out);
bool cloche__load_count(cloche__loader *loader, const cloche__at *up, const cloche__json *object,
                        const char *key, uint64_t *out);
bool cloche__load_text(cloche__loader *loader, const cloche__at *up, const cloche__json *object,
                       const char *key, cloche_text *out);

/* The one of `names` that `wanted` is most likely a slip of; SIZE_MAX when none is near. */
size_t cloche__nearest(cloche_text wanted, const cloche_text *names, size_t count);
/* The same as the end of a sentence: `; did you mean "x"?` or nothing, in `room`. */
const char *cloche__did_you_mean(cloche_text wanted, const cloche_text *names, size_t count,
                                 char room[160]);

#endif
