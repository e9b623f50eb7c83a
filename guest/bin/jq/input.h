// SPDX-License-Identifier: MIT
/* input.h -- jq's input: one value after another from files or standard input, as main.c's own
 * reader gives them, but over the guest's descriptors. */
#ifndef GUEST_BIN_JQ_INPUT_H
#define GUEST_BIN_JQ_INPUT_H

#include "../bin.h"
#include "../yaml.h"
#include "jq.h"
#include "jv.h"

typedef struct {
  bin *b;
  jv_parser *parser; /* NULL: lines of text */
  bool is_yaml;      /* instead of either */
  yaml *documents;   /* of the current file, NULL before it is read */
  bool slurp;
  char **files;
  int file_count, next_file;
  input in;
  bool open;
  int failures;
  jv slurped, name; /* name: of the current file; invalid before the first */
  uint64_t line;
  char *chunk; /* what the parser works on: a line, or a piece of a long one */
  size_t chunk_size;
} jq_input;

void jq_input_start(jq_input *state, bin *b, char **files, int count, jv_parser *parser,
                    bool slurp);
/* The input is YAML instead; before the first value is asked for. */
void jq_input_use_yaml(jq_input *state);
/* Opens the next file; false, with a message, when it cannot be. */
bool jq_input_open_next(jq_input *state);
/* The next value; invalid without a message at the end, with one for a parse error. [waits] */
jv jq_input_next(jq_input *state);
/* For jq_set_input_cb; libjq finds our state through it. [waits] */
jv jq_input_callback(jq_state *jq, void *state);
void jq_input_end(jq_input *state);

#endif
