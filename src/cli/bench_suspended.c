// SPDX-License-Identifier: MIT
/* bench_suspended.c -- memory of programs that wait. Counted as the kernel counts it, pages of this
 * process that nothing shares: before, and with all of them waiting. The host's own records of a
 * sandbox are in it, the kernel's page tables are not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "json/buffer.h"

enum { BOXES = 500 };

/* Private_Dirty of the process, KiB; -1 when the kernel does not say. */
static long private_kib(void) {
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  char line[128];
  long kib = -1;
  if (file == NULL) return -1;
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "Private_Dirty:", 14) == 0) kib = strtol(line + 14, NULL, 10);
  }
  fclose(file);
  return kib;
}

static size_t suspend_all(cloche_engine *engine, const cloche_sandbox_options *options,
                          cloche_sandbox **boxes) {
  size_t count = 0;
  for (; count < BOXES; count++) {
    cloche_event event;
    if (cloche_sandbox_new(engine, options, &boxes[count]) != CLOCHE_OK) return count;
    if (!cloche__bench_start(boxes[count], "return await bench({ amount: 1 })", &event) ||
        event.kind != CLOCHE_CALL) {
      cloche_sandbox_free(boxes[count]);
      return count;
    }
  }
  return count;
}

bool cloche__bench_suspended(cloche__bench_row *row) {
  static const char rules[] = "{\"rules\":[{\"pattern\":\"bench\",\"effect\":\"allow\"}]}";
  static const char tools[] = "[{\"name\":\"bench\"}]";
  cloche_engine_options by_mapping = {.cleaning = CLOCHE_CLEAN_BY_MAPPING};
  cloche_engine *engine = NULL;
  cloche_policy *policy = NULL;
  static cloche_sandbox *boxes[BOXES];
  bool fine =
      cloche_engine_new(&by_mapping, &engine) == CLOCHE_OK &&
      cloche_policy_load(cloche__text(rules), cloche__text(tools), &policy, NULL) == CLOCHE_OK;
  cloche_sandbox_options options = {.tools = cloche__text(tools), .policy = policy};
  size_t count = 0;
  if (fine) {
    long before = private_kib();
    count = suspend_all(engine, &options, boxes);
    long after = private_kib();
    row->absent = before < 0;
    row->value = (double)(after - before) / BOXES;
    fine = count == BOXES;
  }
  for (size_t i = 0; i < count; i++) cloche_sandbox_free(boxes[i]);
  cloche_policy_free(policy);
  cloche_engine_free(engine);
  return fine;
}
