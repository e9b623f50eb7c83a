// SPDX-License-Identifier: MIT
/* fuzz_shell_parse.c -- any bytes are parsed, and what was parsed is printed and parsed again.
 *
 * The first byte chooses whether extglob is on. The printed text need not be the same, but it must
 * be a program too. */
#include <stdlib.h>

#include "../guest/shell/exec.h"
#include "../guest/shell/parser.h"

/* False when it is no program. */
static bool parse_all(const char *source, size_t size, bool extglob, text *printed) {
  program *made = program_make(source, size);
  parser p;
  parse_result result;
  parser_begin(&p, made, 1);
  p.extglob = extglob;
  do {
    node *parsed;
    result = parse_next(&p, &parsed);
    if (result != PARSED_COMMAND || printed == NULL) continue;
    print_command(printed, parsed);
    text_char(printed, '\n');
  } while (result == PARSED_COMMAND);
  parser_end(&p);
  program_drop(made);
  return result == PARSED_END;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  bool extglob = data[0] & 1;
  text printed = {.in = NULL};
  parse_all((const char *)data + 1, size - 1, extglob, &printed);
  text_end(&printed);
  parse_all(printed.at, printed.len, extglob, NULL);
  text_free(&printed);
  return 0;
}
