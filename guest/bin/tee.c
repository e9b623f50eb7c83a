// SPDX-License-Identifier: MIT
// tee.c -- copy standard input to files and to standard output.
#include "options.h"

static int tee_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  options_start(&o, &b, command_find("tee"), argc, argv, environment);
  bool append = false;
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'a') append = true;
    if (key == 'i') process_on_signal(SIGNAL_INT, SIGNAL_IGNORE);
  }
  int *files = memory_take(((size_t)o.operand_count + 1) * sizeof *files);
  for (int i = 0; i < o.operand_count; i++) {
    int how = OPEN_WRITE | OPEN_CREATE | (append ? OPEN_APPEND : OPEN_TRUNCATE);
    files[i] = sys_open(o.operands[i], how, 0666);
    if (files[i] < 0) bin_file_error(&b, o.operands[i], files[i]);
  }
  input in;
  input_open_fd(&in, 0);
  char *at;
  size_t size;
  while ((size = input_some(&in, &at)) > 0) {
    int64_t wrote = sys_write(1, at, size);
    if (wrote < 0 && b.out.error == 0) b.out.error = (int)-wrote;
    for (int i = 0; i < o.operand_count; i++) {
      if (files[i] < 0) continue;
      wrote = sys_write(files[i], at, size);
      if (wrote >= 0) continue;
      bin_file_error(&b, o.operands[i], (int)wrote);
      files[i] = -1;
    }
  }
  bin_check_read(&b, &in, "read error");
  return bin_end(&b);
}

const command command_tee = {.name = "tee",
                             .main = tee_main,
                             .usage = "tee [OPTION]... [FILE]...",
                             .options =
                                 "-a, --append\tadd to the files\n"
                                 "-i, --ignore-interrupts\tignore SIGINT\n"
                                 "-p\tignored"};
