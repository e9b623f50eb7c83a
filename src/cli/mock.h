// SPDX-License-Identifier: MIT
/* mock.h -- made-up answers of tools, for plans: from a file, or from examples in the tools' own
 * schemas. */
#ifndef CLOCHE_CLI_MOCK_H
#define CLOCHE_CLI_MOCK_H

#include "cli/config.h"

typedef struct cloche__mocks {
  cloche__buffer text;
  cloche__json_doc doc;
} cloche__mocks; /* all zero: none */

/* Reads {"tool": ANSWER, ...}. False: it has complained, with file, line and column. */
bool cloche__mocks_load(const char *path, const cloche__config *config, cloche__mocks *mocks);
void cloche__mocks_free(cloche__mocks *mocks);

/* The answer of a tool as JSON: the file's, or else its output_schema's example. False: there is
 * neither. */
bool cloche__mock_answer(const cloche__mocks *mocks, const cloche__cli_tool *tool,
                         cloche__buffer *out);

#endif
