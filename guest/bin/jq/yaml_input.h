// SPDX-License-Identifier: MIT
/* yaml_input.h -- what yq has in place of jq's JSON reader. */
#ifndef GUEST_BIN_JQ_YAML_INPUT_H
#define GUEST_BIN_JQ_YAML_INPUT_H

#include "input.h"

/* The next YAML document as a JSON value; invalid without a message at the end, with one for an
 * error. Each file is read whole. [waits] */
jv yaml_input_next(jq_input *s);

#endif
