// SPDX-License-Identifier: MIT
/* fuzz_path.c -- a path and a base, split by a newline: nothing that climbs out is within, and what
 * is within stays so with a segment more. */
#include <stdlib.h>
#include <string.h>

#include "gate/path.h"
#include "json/buffer.h"

static void must(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const char *text = (const char *)bytes, *split = size == 0 ? NULL : memchr(text, '\n', size);
  cloche_text path = {text, split == NULL ? size : (size_t)(split - text)};
  cloche_text base =
      split == NULL ? (cloche_text){"/data", 5} : (cloche_text){split + 1, size - path.len - 1};
  cloche__within within = cloche__path_within(path, base);
  cloche__path_is_plain(path);
  if (within != CLOCHE__WITHIN_YES || size > 4000) return 0;
  cloche__buffer deeper = {0};
  cloche__buffer_text(&deeper, path);
  cloche__buffer_string(&deeper, "/x");
  must(cloche__path_within(cloche__buffer_view(&deeper), base) == CLOCHE__WITHIN_YES);
  cloche__buffer_clear(&deeper);
  cloche__buffer_text(&deeper, base);
  cloche__buffer_string(&deeper, "/../x");
  /* Out of the base by one: within only if the base is the root, or is itself called x. */
  cloche__within out = cloche__path_within(cloche__buffer_view(&deeper), base);
  if (out == CLOCHE__WITHIN_YES)
    must(cloche__path_within((cloche_text){base.at[0] == '/' ? "/" : ".", 1}, base) ==
             CLOCHE__WITHIN_YES ||
         memchr(base.at, 'x', base.len) != NULL);
  cloche__buffer_free(&deeper);
  return 0;
}
