// SPDX-License-Identifier: MIT
// dirname.c -- strip the last component from names.
#include "options.h"
#include "path.h"

static int dirname_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  options_start(&o, &b, command_find("dirname"), argc, argv, environment);
  bool zero = false;
  while (options_next(&o) != 0) zero = true;
  options_need(&o, 1);
  for (int i = 0; i < o.operand_count; i++) {
    output_string(&b.out, path_parent(o.operands[i]));
    output_byte(&b.out, zero ? 0 : '\n');
  }
  return bin_end(&b);
}

const command command_dirname = {.name = "dirname",
                                 .main = dirname_main,
                                 .usage = "dirname [OPTION] NAME...",
                                 .options = "-z, --zero\tend each line with NUL"};
