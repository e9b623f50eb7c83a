// SPDX-License-Identifier: MIT
// echo.c -- echo and printf, which the shell also has as builtins: the work is shared.
#include "../shell/shared.h"
#include "bin.h"

static int echo_main(int argc, char **argv, char **environment) {
  bin b;
  bin_start(&b, argc > 0 ? argv[0] : "echo", environment);
  text out = {0};
  shared_echo(&out, argc - 1, argv + 1, false);
  output_write(&b.out, out.at, out.len);
  return bin_end(&b);
}

/* Each of the messages gets the name in front. */
static void warn_lines(bin *b, text *messages) {
  char *at = text_end(messages);
  while (*at != 0) {
    size_t size = strcspn(at, "\n");
    bin_warn(b, "%.*s", (int)size, at);
    at += size + (at[size] == '\n');
  }
}

static int printf_main(int argc, char **argv, char **environment) {
  bin b;
  bin_start(&b, argc > 0 ? argv[0] : "printf", environment);
  int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
  if (argc <= first) bin_usage(&b, "missing operand");
  text out = {0}, messages = {0};
  b.status = shared_printf(&out, &messages, argc - first, argv + first);
  output_write(&b.out, out.at, out.len);
  warn_lines(&b, &messages);
  return bin_end(&b);
}

static int test(bin *b, int count, char **arguments) {
  text messages = {0};
  int status = shared_test(&messages, count, arguments, NULL);
  warn_lines(b, &messages);
  return status;
}

static int test_main(int argc, char **argv, char **environment) {
  bin b;
  bin_start(&b, "test", environment);
  return test(&b, argc - 1, argv + 1);
}

static int bracket_main(int argc, char **argv, char **environment) {
  bin b;
  bin_start(&b, "[", environment);
  if (argc < 2 || strcmp(argv[argc - 1], "]") != 0) {
    bin_warn(&b, "missing %s", quote_curly("]"));
    return 2;
  }
  return test(&b, argc - 2, argv + 1);
}

const command command_echo = {.name = "echo",
                              .main = echo_main,
                              .usage = "echo [-neE] [STRING]...",
                              .options =
                                  "-n\tno newline at the end\n"
                                  "-e\texpand backslash escapes\n"
                                  "-E\tdo not"};
const command command_printf = {
    .name = "printf", .main = printf_main, .usage = "printf FORMAT [ARGUMENT]...", .options = ""};
const command command_test = {
    .name = "test", .main = test_main, .usage = "test EXPRESSION", .options = ""};
const command command_bracket = {
    .name = "[", .main = bracket_main, .usage = "[ EXPRESSION ]", .options = ""};
