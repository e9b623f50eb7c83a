// SPDX-License-Identifier: MIT
/* path.h -- is one path below another? By its text alone: no filesystem is ever touched, so links
 * are beyond what this can see. */
#ifndef CLOCHE_GATE_PATH_H
#define CLOCHE_GATE_PATH_H

#include "cloche.h"

typedef enum cloche__within {
  CLOCHE__WITHIN_NO,
  CLOCHE__WITHIN_YES,
  CLOCHE__WITHIN_UNCLEAR /* one is absolute and one not, or readers would differ */
} cloche__within;

/* After ".", ".." and repeated slashes are resolved. A relative path that climbs above its start
 * is not within anything. */
cloche__within cloche__path_within(cloche_text path, cloche_text base);
/* False for what another reader could take for a way out although it is a plain name here: NUL, a
 * backslash, an encoded dot, slash or percent sign, the wide and small forms of these in Unicode.
 */
bool cloche__path_is_plain(cloche_text path);

#endif
