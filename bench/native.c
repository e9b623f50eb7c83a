// SPDX-License-Identifier: MIT
/* native.c -- the peer of bench/run.py: the same QuickJS-ng sources, built natively, run one
 * program.
 *
 *   native FILE [ROUNDS]      prints the nanoseconds of each round and then the program's value */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "quickjs.h"

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) return 2;
  size_t start = (size_t)snprintf(text, sizeof text, "(function(){");
  size_t size = start + fread(text + start, 1, sizeof text - start - 8, file);
  fclose(file);
  memcpy(text + size, "\n})()", 6);
  for (int rounds = argc > 2 ? atoi(argv[2]) : 1; rounds > 0; rounds--) {
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *context = JS_NewContext(runtime);
    long long before = now_ns();
    JSValue value = JS_Eval(context, text, strlen(text), argv[1], JS_EVAL_TYPE_GLOBAL);
    long long took = now_ns() - before;
    if (JS_IsException(value)) return 1;
    const char *shown = JS_ToCString(context, value);
    printf("%lld %s\n", took, shown);
    JS_FreeCString(context, shown);
    JS_FreeValue(context, value);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
  }
  return 0;
}
