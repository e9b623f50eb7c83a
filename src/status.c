// SPDX-License-Identifier: MIT
/* status.c -- the sentence of each status, from the one list in cloche.h. */
#include "cloche.h"

const char *cloche_status_text(cloche_status status) {
  switch (status) {
#define X(name, number, text) \
  case CLOCHE_##name:         \
    return text;
    CLOCHE_STATUS(X)
#undef X
  }
  return "an unknown status";
}
