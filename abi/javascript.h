// SPDX-License-Identifier: MIT
/* javascript.h -- the names that a JavaScript program cannot reach a tool by: words of the
 * language, and globals that every program finds. A tool whose path begins with one of them is
 * `tools.NAME...` to a program, and whatever shows a program's author how to call a tool has to say
 * so. A test compares the globals with those of a sandbox. */
#ifndef CLOCHE_ABI_JAVASCRIPT_H
#define CLOCHE_ABI_JAVASCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ABI_JAVASCRIPT_WORDS                                                                     \
  " arguments async await break case catch class const continue debugger default delete do else" \
  " enum export extends false finally for function if implements import in instanceof interface" \
  " let new null package private protected public return static super switch this throw true"    \
  " try typeof using var void while with yield "

#define ABI_JAVASCRIPT_GLOBALS                                                               \
  " __tools__ AbortController AbortSignal AggregateError Array ArrayBuffer"                  \
  " AsyncDisposableStack atob BigInt BigInt64Array BigUint64Array Boolean btoa"              \
  " Buffer CapabilityError clearImmediate clearInterval clearTimeout console crypto"         \
  " CustomEvent DataView Date decodeURI decodeURIComponent DisposableStack DOMException"     \
  " encodeURI encodeURIComponent Error escape eval EvalError Event EventTarget"              \
  " FinalizationRegistry Float16Array Float32Array Float64Array fs Function getToolInfo"     \
  " global globalThis Infinity Int16Array Int32Array Int8Array InternalError isFinite isNaN" \
  " Iterator JSON listTools Map Math NaN Number Object parseFloat parseInt performance"      \
  " process Promise Proxy queueMicrotask RangeError ReferenceError Reflect RegExp require"   \
  " Set setImmediate setInterval setTimeout sh SharedArrayBuffer shell ShellError stdin"     \
  " String structuredClone SuppressedError Symbol SyntaxError TextDecoder TextEncoder"       \
  " ToolError tools TypeError Uint16Array Uint32Array Uint8Array Uint8ClampedArray"          \
  " undefined unescape URIError URL URLSearchParams WeakMap WeakRef WeakSet "

/* Is it one of those? */
static inline bool abi_javascript_has(const char *name, size_t size) {
  static const char *const lists[] = {ABI_JAVASCRIPT_WORDS, ABI_JAVASCRIPT_GLOBALS};
  if (size == 0 || memchr(name, ' ', size) != NULL) return false;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    for (const char *at = lists[i]; (at = strchr(at, ' ')) != NULL && at[1] != 0; at++)
      if (strncmp(at + 1, name, size) == 0 && at[1 + size] == ' ') return true;
  return false;
}

#endif
