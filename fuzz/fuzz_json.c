// SPDX-License-Identifier: MIT
/* fuzz_json.c -- any bytes are read or refused; what is read is written, and reads back equal. */
#include <stdlib.h>

#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  cloche_text text = {(const char *)bytes, size};
  cloche__json_doc doc = {0}, again = {0};
  cloche__json_error error = {0};
  cloche__buffer out = {0};
  if (cloche__json_parse(text, NULL, &doc, &error) != CLOCHE_OK) {
    if (error.message[0] == '\0' || error.offset > size || error.line == 0) abort();
    return 0;
  }
  cloche__json_write(&doc.root, &out);
  if (cloche__json_parse(cloche__buffer_view(&out), NULL, &again, NULL) != CLOCHE_OK) abort();
  if (!cloche__json_equal(&doc.root, &again.root)) abort();
  cloche__json_free(&doc);
  cloche__json_free(&again);
  cloche__buffer_free(&out);
  return 0;
}
