// SPDX-License-Identifier: MIT
/* trace.c -- what set -x shows. */
#include "exec.h"
#include "quote.h"
#include "transform.h"

/* PS4, its first character once more for each eval, source or $( ) around. */
static void begin(shell *sh) {
  const char *ps4 = var_get(sh, "PS4");
  unsigned options = sh->options;
  if (ps4 == NULL) ps4 = "+ ";
  sh->options &= ~(1u << OPTION_XTRACE);
  char *shown = prompt_expand(sh, ps4);
  sh->options = options;
  if (*shown == 0) return;
  size_t used;
  point_decode(shown, strlen(shown), &used);
  for (unsigned i = 0; i < sh->xtrace_depth; i++) text_add(&sh->errors, shown, used);
  text_string(&sh->errors, shown);
}

void trace_text(shell *sh, const char *what, size_t size) {
  begin(sh);
  text_add(&sh->errors, what, size);
  text_char(&sh->errors, '\n');
  shell_flush(sh);
}

void trace_words(shell *sh, char **argv) {
  begin(sh);
  for (size_t i = 0; argv[i] != NULL; i++) {
    if (i > 0) text_char(&sh->errors, ' ');
    quote_trace(&sh->errors, argv[i], strlen(argv[i]));
  }
  text_char(&sh->errors, '\n');
  shell_flush(sh);
}

void trace_assignment(shell *sh, const char *name, const char *operator, const char * value) {
  begin(sh);
  text_format(&sh->errors, "%s%s", name, operator);
  if (*value != 0) quote_trace(&sh->errors, value, strlen(value));
  text_char(&sh->errors, '\n');
  shell_flush(sh);
}
