// SPDX-License-Identifier: MIT
// sh.c -- sh and bash: the shell as a command.
#include "../shell/shared.h"
#include "bin.h"

const command command_sh = {
    .name = "sh",
    .main = shell_main,
    .usage = "sh [OPTION]... [FILE [ARG]...]\n   or: sh -c COMMAND [NAME [ARG]...]",
    .options =
        "-c COMMAND\trun COMMAND\n"
        "-s\tread from standard input\n"
        "-e, -u, -x, -o NAME...\tas set",
    .stack = 524288};
const command command_bash = {
    .name = "bash",
    .main = shell_main,
    .usage = "bash [OPTION]... [FILE [ARG]...]\n   or: bash -c COMMAND [NAME [ARG]...]",
    .options =
        "-c COMMAND\trun COMMAND\n"
        "-s\tread from standard input\n"
        "-e, -u, -x, -o NAME...\tas set",
    .stack = 524288};
