// SPDX-License-Identifier: MIT
/* cloche.h -- runs programs that a language model wrote, with only the tools that were granted. */
#ifndef CLOCHE_H
#define CLOCHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CLOCHE_API __attribute__((visibility("default")))
#else
#define CLOCHE_API
#endif

/* UTF-8 with a length; not NUL-terminated. `at` may be NULL when `len` is 0. */
typedef struct cloche_text {
  const char *at;
  size_t len;
} cloche_text;

/* Every status: name, number, sentence. Zero is success, errors are negative; numbers have gaps
 * and are never reused. */
#define CLOCHE_STATUS(X)                                                              \
  X(OK, 0, "done")                                                                    \
  X(E_MEMORY, -10, "the host has no memory left")                                     \
  X(E_SYSTEM, -11, "a system call failed; errno says why")                            \
  X(E_ARGUMENT, -20, "an argument is not one this function takes")                    \
  X(E_STATE, -21, "not possible in the state the object is in")                       \
  X(E_UNKNOWN, -22, "no call, run or name of that kind is known here")                \
  X(E_LIMIT, -23, "a limit set by the host was reached")                              \
  X(E_TEXT, -30, "not valid UTF-8, or not valid in this place")                       \
  X(E_JSON, -31, "not valid JSON")                                                    \
  X(E_POLICY, -32, "the policy is not valid")                                         \
  X(E_GUEST, -40, "the guest broke the message protocol")                             \
  X(E_FORMAT, -50, "the file is damaged or of another format")                        \
  X(E_IMAGE, -51, "made by another build of the guest")                               \
  X(E_KEY, -52, "the key does not open this")

typedef enum cloche_status {
#define X(name, number, text) CLOCHE_##name = number,
  CLOCHE_STATUS(X)
#undef X
} cloche_status;

/* The sentence for a status; never NULL, static. Any thread. */
CLOCHE_API const char *cloche_status_text(cloche_status status);

#ifdef __cplusplus
}
#endif
#endif
