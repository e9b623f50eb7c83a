// SPDX-License-Identifier: MIT
/* output.h -- what people and scripts get to see of a run: as text while it happens, or as one JSON
 * object at its end. docs/cli.md documents the object. */
#ifndef CLOCHE_CLI_OUTPUT_H
#define CLOCHE_CLI_OUTPUT_H

#include "cli/options.h"
#include "json/json.h"

typedef struct cloche__output {
  bool json, diff;
  const char *file; /* how errors name the program */
  cloche_language language;
  cloche__buffer out, err;     /* kept for the object */
  const cloche__json *pending; /* calls that wait, of a run that was suspended */
  const char *snapshot;        /* where it was saved */
  cloche_text plan;            /* as JSON, of a run that made one */
  bool broken;                 /* standard output takes no more; errno of the write in `why` */
  int why;
} cloche__output; /* json, diff, file and language set, the rest zero */

/* Bytes of the program's stdout (1) or stderr (2). */
void cloche__output_bytes(cloche__output *output, int stream, cloche_text bytes);
/* How the run ended, and what it changed (NULL: nobody knows). */
void cloche__output_result(cloche__output *output, const cloche_result *result,
                           const cloche_change *changes, size_t count);
void cloche__output_free(cloche__output *output);

#endif
