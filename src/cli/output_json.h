// SPDX-License-Identifier: MIT
/* output_json.h -- the object that --json prints. */
#ifndef CLOCHE_CLI_OUTPUT_JSON_H
#define CLOCHE_CLI_OUTPUT_JSON_H

#include "cli/output.h"

/* The whole line, newline included. Failure shows in text->failed. */
void cloche__output_json(const cloche__output *output, const cloche_result *result,
                         const cloche_change *changes, size_t count, cloche__buffer *text);

#endif
