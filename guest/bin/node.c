// SPDX-License-Identifier: MIT
/* node.c -- node and js: the JavaScript engine as a command.
 *
 * As Node: a file, -e, -p, or standard input. Left out: CommonJS files (import them), -r, flags of
 * V8. The program ends when nothing is pending any more. */
#include "../js/js.h"
#include "options.h"
#include "path.h"

/* A guest may be built without JavaScript. */
#pragma weak js_run

static char *absolute(const char *path) {
  char *resolved;
  return path_resolve(path, PATH_MAY_MISS, true, &resolved) == 0 ? resolved : memory_string(path);
}

/* The whole of a file, with a NUL; ends the process where it cannot be read. */
static char *read_program(bin *b, const char *path, size_t *size) {
  input in;
  if (path == NULL) {
    input_open_fd(&in, 0);
    return input_all(&in, size);
  }
  file_stat stat;
  int error = sys_stat(path, &stat);
  if (error == 0 && stat.kind == FILE_DIRECTORY) error = -EISDIR;
  int fd = error < 0 ? error : sys_open(path, OPEN_READ, 0);
  if (fd < 0) bin_die(b, 1, "Cannot find module '%s': %s", path, error_text(fd));
  input_open_fd(&in, fd);
  char *text = input_all(&in, size);
  sys_close(fd);
  return text;
}

static int node_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  const char *code = NULL;
  bool prints = false;
  options_start(&o, &b, command_find("node"), argc, argv, environment);
  b.usage_status = 9;
  o.in_order = true;
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'v') {
      output_string(&b.out, "v20.0.0\n");
      return bin_end(&b);
    }
    if (key == 'p') prints = true;
    if (key == 'e' || key == 'p') code = o.value;
  }
  if (js_run == NULL) bin_die(&b, 1, "this guest was built without JavaScript");
  js_program program = {.name = "[eval]", .environment = environment, .prints = prints};
  char **operands = o.operands;
  int count = o.operand_count, used = 0;
  char *script = NULL;
  if (code != NULL) {
    program.size = strlen(code);
    program.text = memory_copy(code, program.size);
  } else {
    bool from_input = count == 0 || strcmp(operands[0], "-") == 0;
    used = count > 0;
    if (!from_input) script = absolute(operands[0]);
    char *text = read_program(&b, script, &program.size);
    if (program.size > 1 && text[0] == '#' && text[1] == '!') text[0] = text[1] = '/';
    program.text = text;
    program.name = from_input ? "[stdin]" : script;
  }
  char **given = memory_take(((size_t)count + 3) * sizeof *given);
  int filled = 0;
  given[filled++] = memory_string("/usr/bin/node");
  if (used > 0) given[filled++] = script != NULL ? script : operands[0];
  for (int i = used; i < count; i++) given[filled++] = operands[i];
  given[filled] = NULL;
  program.argv = given;
  return js_run(&program);
}

#define NODE_OPTIONS                                     \
  "-e, --eval=CODE\trun CODE\n"                          \
  "-p, --print=CODE\trun CODE and print what it gives\n" \
  "-v, --version\tthe version of Node that the language is of"

const command command_node = {.name = "node",
                              .main = node_main,
                              .usage = "node [FILE | -e CODE | -p CODE | -] [ARG]...",
                              .options = NODE_OPTIONS,
                              .stack = COMMAND_STACK_ENGINE};
const command command_js = {.name = "js",
                            .main = node_main,
                            .usage = "js [FILE | -e CODE | -p CODE | -] [ARG]...",
                            .options = NODE_OPTIONS,
                            .stack = COMMAND_STACK_ENGINE};
