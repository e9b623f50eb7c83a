// SPDX-License-Identifier: MIT
/* ask.h -- the question of rm -i, cp -i and mv -i, answered on standard input. */
#ifndef GUEST_BIN_ASK_H
#define GUEST_BIN_ASK_H

#include "bin.h"

/* Writes "NAME: QUESTION" and reads a line; true when it begins with y. [waits] */
bool ask(bin *b, const char *question);

#endif
