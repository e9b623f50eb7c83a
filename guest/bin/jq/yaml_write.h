// SPDX-License-Identifier: MIT
/* yaml_write.h -- writes JSON values as YAML documents, in block style, laid out as PyYAML does it.
 *
 * A string is quoted wherever YAML 1.1 or 1.2 would read something else in it. */
#ifndef GUEST_BIN_JQ_YAML_WRITE_H
#define GUEST_BIN_JQ_YAML_WRITE_H

#include "../../text/regex.h"
#include "../stream.h"
#include "jv.h"

typedef struct {
  output *out;
  size_t width;    /* long text is folded at a blank beyond this column */
  bool indentless; /* lists stand in the column of their key */
  /* private: */
  size_t column;
  bool compact; /* a collection may begin on this line, behind "- " */
  size_t documents;
  bool open; /* the last document was a plain scalar: the stream ends with "..." */
  regex *meaning;
} yaml_writer;

void yaml_write_start(yaml_writer *w, output *out);
void yaml_write(yaml_writer *w, jv value); /* takes the value */
void yaml_write_end(yaml_writer *w);

#endif
