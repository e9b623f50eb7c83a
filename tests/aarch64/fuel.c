// SPDX-License-Identifier: MIT
/* fuel.c -- prints what programs give and how much fuel they use: the same on every kind of
 * processor. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cloche.h"

static const char *const programs[] = {
    "return [1 / 3, 0.1 + 0.2, Math.sin(1), Math.pow(2, 0.5), -0, NaN, 1e308 * 10].join()",
    "let s = 0; for (let i = 0; i < 20000; i++) s += Math.sqrt(i) * 1.1; return s",
    "return JSON.stringify(Array.from({ length: 200 }, (_, i) => ({ i, h: i * 0.1 })))",
    "return 'the quick brown fox'.replace(/(\\w+) (\\w+)/g, '$2 $1').split('').sort().join('')",
    "return (3n ** 200n).toString(36)",
    "const m = new Map(); for (let i = 0; i < 500; i++) m.set(i * 7919 % 501, i); return m.size",
    "return [Math.random(), Math.random(), new Date().toISOString(), crypto.randomUUID()]",
    "function f() { return f() } try { f() } catch (e) { return e.name }",
    "const a = []; for (;;) a.push(new Array(1000).fill(a.length))",
    "for (;;);",
};

int main(void) {
  cloche_engine *engine;
  if (cloche_engine_new(NULL, &engine) != CLOCHE_OK) return 2;
  static const uint8_t seed[32] = {7};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    cloche_sandbox_options options = {
        .seed = seed,
        .start_time = 1700000000000000000,
        .limits = {.fuel = 20000000, .timeout = 300000000000, .memory = 4 << 20}};
    cloche_sandbox *box;
    if (cloche_sandbox_new(engine, &options, &box) != CLOCHE_OK) return 2;
    cloche_program program = {.text = {programs[i], strlen(programs[i])}};
    cloche_event event = {0};
    if (cloche_exec(box, &program) != CLOCHE_OK) return 2;
    while (event.kind != CLOCHE_DONE)
      if (cloche_step(box, &event) != CLOCHE_OK) return 2;
    const cloche_result *result = cloche_sandbox_result(box);
    printf("%s %" PRIu64 " %" PRIu64 " %.*s\n", cloche_end_text(result->end), result->usage.fuel,
           result->usage.memory, (int)result->value.len, result->value.at);
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
  return 0;
}
