// SPDX-License-Identifier: MIT
// basename.c -- strip the folder and a suffix from names.
#include "options.h"
#include "path.h"

static int basename_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  options_start(&o, &b, command_find("basename"), argc, argv, environment);
  o.in_order = true;
  bool multiple = false, zero = false;
  const char *suffix = NULL;
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'a') multiple = true;
    if (key == 's') {
      multiple = true;
      suffix = o.value;
    }
    if (key == 'z') zero = true;
  }
  options_need(&o, 1);
  if (!multiple) {
    options_allow(&o, 2);
    if (o.operand_count == 2) suffix = o.operands[1];
  }
  int count = multiple ? o.operand_count : 1;
  for (int i = 0; i < count; i++) {
    char *name = path_base(o.operands[i]);
    size_t size = strlen(name), cut = suffix != NULL ? strlen(suffix) : 0;
    if (cut > 0 && cut < size && strcmp(name + size - cut, suffix) == 0) size -= cut;
    output_write(&b.out, name, size);
    output_byte(&b.out, zero ? 0 : '\n');
  }
  return bin_end(&b);
}

const command command_basename = {
    .name = "basename",
    .main = basename_main,
    .usage = "basename NAME [SUFFIX]\n   or: basename OPTION... NAME...",
    .options =
        "-a, --multiple\ttreat every operand as a name\n"
        "-s, --suffix=SUFFIX\tremove SUFFIX from each name; implies -a\n"
        "-z, --zero\tend each line with NUL"};
