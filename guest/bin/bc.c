// SPDX-License-Identifier: MIT
// bc.c -- the calculator bc: numbers of any size, a small language.
#include "bc.h"

#include "options.h"

static void run_source(bc *c) {
  bc_node *statements;
  c->ahead = -2;
  c->line = 1;
  while (c->b.out.error == 0 && bc_parse(c, &statements)) {
    bc_run(c, statements);
    bc_free(statements);
    c->calling = -1;
    number_drop(c->returned);
    c->returned = NULL;
    if (c->state == BC_STOP) bin_exit(&c->b, 0);
    if (!sys_readable(c->in.fd)) output_flush(&c->b.out); /* someone may wait for the answer */
  }
}

static int bc_main(int argc, char **argv, char **environment) {
  bc c = {.ibase = 10, .obase = 10, .calling = -1, .width = 70};
  options o;
  options_start(&o, &c.b, command_find("bc"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'l') c.math = true;
    if (key == 's') c.standard = true;
  }
  const char *width = environment_get(environment, "BC_LINE_LENGTH");
  uint64_t value;
  if (width != NULL && number_parse(width, NULL, &value) == 0)
    c.width = value == 0 ? 0 : value < 3 ? 70 : (size_t)value;
  c.zero = number_of(0);
  c.last = number_keep(c.zero);
  if (c.math) c.scale = 20;
  for (int i = 0; i < o.operand_count; i++) {
    int error = input_open(&c.in, o.operands[i]);
    if (error < 0) {
      output_flush(&c.b.out);
      text message = {0};
      text_format(&message, "File %s is unavailable.\n", o.operands[i]);
      sys_write(2, message.at, message.len);
      bin_exit(&c.b, 1);
    }
    c.path = o.operands[i];
    run_source(&c);
    input_close(&c.in);
  }
  input_open_fd(&c.in, 0);
  c.path = "(standard_in)";
  run_source(&c);
  return bin_end(&c.b);
}

const command command_bc = {
    .name = "bc",
    .main = bc_main,
    .stack = 512 << 10,
    .usage = "bc [OPTION]... [FILE]...",
    .options =
        "-i, --interactive\tas usual\n-l, --mathlib\tscale = 20, and s c a l e j\n"
        "-q, --quiet\tas usual\n-s, --standard\tas usual\n-w, --warn\tas usual"};
