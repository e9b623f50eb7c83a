// SPDX-License-Identifier: MIT
// list.c -- finds a command by its name. See list.h.
#include "list.h"

#include <string.h>

#include "../../abi/messages.h"
#include "../js/js.h"
#include "../kernel/kernel.h"

#define DECLARE(variable, name) extern const command command_##variable;
COMMANDS(DECLARE)

#define POINT(variable, name) &command_##variable,
const command *const command_list[] = {COMMANDS(POINT)};

#define COUNT(variable, name) +1
const size_t command_count = COMMANDS(COUNT);

uint32_t command_stack(const command *which) {
  if (which->stack == COMMAND_STACK_ENGINE) return kernel_limits()->stack + JS_STACK_MARGIN;
  return which->stack != 0 ? which->stack : 64u << 10;
}

const command *command_find(const char *name) {
  size_t low = 0, high = command_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = strcmp(name, command_list[middle]->name);
    if (order == 0) return command_list[middle];
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return NULL;
}
