// SPDX-License-Identifier: MIT
/* javascript.c -- which names a program cannot reach a tool by; the list is abi/javascript.h. */
#include "javascript.h"

#include "cloche.h"

bool cloche_javascript_has(cloche_text name) {
  return name.at != NULL && abi_javascript_has(name.at, name.len);
}
