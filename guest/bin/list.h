// SPDX-License-Identifier: MIT
/* list.h -- every command, one line each, in the order of strcmp. COMMAND(variable, "name"). A file
 * holds one command, or those that are one program under several names. */
// clang-format off
#define COMMANDS(COMMAND) \
  COMMAND(bracket, "[") \
  COMMAND(basename, "basename") \
  COMMAND(cat, "cat")
