// SPDX-License-Identifier: MIT
/* fuzz_pattern.c -- names and patterns, split by a newline: reading is stable, matching agrees with
 * the index, and a pattern that covers another matches whatever that matches. Then the two as a
 * regular expression and a text. */
#include <stdlib.h>
#include <string.h>

#include "gate/pattern.h"
#include "gate/regex.h"

static void try_patterns(cloche_text first, cloche_text second, cloche_text third) {
  cloche__name wide, narrow, name, again;
  cloche__pattern a, b;
  cloche__arena arena = {0};
  if (cloche__name_read(first, true, &wide) != NULL ||
      cloche__name_read(second, true, &narrow) != NULL)
    return;
  if (cloche__name_read(cloche__name_text(&wide), true, &again) != NULL) abort();
  if (!cloche__text_equal(cloche__name_text(&wide), cloche__name_text(&again))) abort();
  if (!cloche__pattern_keep(&wide, &arena, &a) || !cloche__pattern_keep(&narrow, &arena, &b))
    return;
  if (!cloche__pattern_covers(&a, &a)) abort();
  if (cloche__name_read(third, false, &name) == NULL && cloche__pattern_covers(&a, &b) &&
      cloche__pattern_matches(&b, &name) && !cloche__pattern_matches(&a, &name)) {
    abort();
  }
  cloche__arena_free(&arena);
}

static void try_regex(cloche_text source, cloche_text text) {
  cloche__arena arena = {0};
  const cloche__regex *regex;
  const char *problem = NULL;
  size_t steps = 200000;
  cloche_status status = cloche__regex_make(source, &arena, &regex, &problem);
  if (status == CLOCHE_E_ARGUMENT && problem == NULL) abort();
  if (status == CLOCHE_OK) {
    bool whole = cloche__regex_match(regex, text, true, &steps) == CLOCHE__MATCH_YES;
    if (whole && cloche__regex_match(regex, text, false, &steps) == CLOCHE__MATCH_NO) abort();
  }
  cloche__arena_reset(&arena);
  if (cloche__regex_glob(source, &arena, &regex, &problem) == CLOCHE_OK)
    cloche__regex_match(regex, text, true, &steps);
  cloche__arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  cloche_text parts[3] = {{"", 0}, {"", 0}, {"", 0}};
  const char *at = (const char *)bytes, *end = at + size;
  for (int i = 0; i < 3 && at < end; i++) {
    const char *stop = i == 2 ? NULL : memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    parts[i] = (cloche_text){at, (size_t)(stop - at)};
    at = stop == end ? end : stop + 1;
  }
  try_patterns(parts[0], parts[1], parts[2]);
  try_regex(parts[0], parts[1]);
  return 0;
}
