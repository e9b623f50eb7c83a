// SPDX-License-Identifier: MIT
/* pipeline.c -- programs for a guest that has the kernel and nothing else: what proves coroutines.
 *
 * Linked with guest/kernel and guest/fs instead of an engine. The run's text chooses:
 *   pipe LINES CALLS   three blocking processes in a pipeline; the middle one calls a tool CALLS
 * times, evenly spread, so the whole can be saved and restored at each call deep DEPTH recurses so
 * deep in wasm locals, waits there, and comes back frame DEPTH        the same in frames on the C
 * stack leave DEPTH        process_exit from so deep many COUNT         as many children that wait
 * for one another forever            yields for ever */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../guest/kernel/kernel.h"

static unsigned lines, calls;

static void write_all(int fd, const char *text) {
  sys_write(fd, text, strlen(text));
}

/* ---- pipe ---- */

static int produce(void *context) {
  (void)context;
  char line[32];
  for (unsigned i = 0; i < lines; i++) {
    int size = snprintf(line, sizeof line, "this is line %u\n", i);
    if (sys_write(1, line, (size_t)size) != size) return 1;
  }
  return 0;
}

typedef struct {
  char bytes[4096];
  size_t at, end;
} reader;

static bool fill(reader *in) {
  int64_t got = sys_read(0, in->bytes, sizeof in->bytes);
  in->at = 0;
  in->end = got > 0 ? (size_t)got : 0;
  return got > 0;
}

static bool read_line(reader *in, char *to, size_t size) {
  size_t used = 0;
  for (;;) {
    if (in->at == in->end && !fill(in)) return used > 0;
    char c = in->bytes[in->at++];
    if (c == '\n') break;
    if (used + 1 < size) to[used++] = c;
  }
  to[used] = 0;
  return true;
}

/* The answer's arguments are the call's: their number comes back. */
static unsigned ask(unsigned number) {
  char json[32], *answer = NULL;
  size_t size = 0;
  int length = snprintf(json, sizeof json, "{\"n\":%u}", number);
  if (tool_call("test.echo", json, (size_t)length, &answer, &size) != 0) return 0;
  const char *found = strstr(answer, "\"n\":");
  unsigned back = found == NULL ? 0 : (unsigned)strtoul(found + 4, NULL, 10);
  free(answer);
  return back;
}

static int transform(void *context) {
  (void)context;
  reader in = {.at = 0};
  char line[64], out[96];
  unsigned count = 0, every = calls == 0 ? lines + 1 : lines / calls;
  while (read_line(&in, line, sizeof line)) {
    count++;
    unsigned answer = count % every == 0 ? ask(count) : 0;
    for (char *c = line; *c != 0; c++)
      if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 32);
    int size = snprintf(out, sizeof out, "%s %u\n", line, answer);
    if (sys_write(1, out, (size_t)size) != size) return 1;
  }
  return 0;
}

static int summarise(void *context) {
  (void)context;
  reader in = {.at = 0};
  char line[96];
  unsigned count = 0;
  uint64_t hash = 14695981039346656037u;
  while (read_line(&in, line, sizeof line)) {
    count++;
    for (const char *c = line; *c != 0; c++) hash = (hash ^ (uint8_t)*c) * 1099511628211u;
  }
  int size =
      snprintf(line, sizeof line, "%u lines, hash %016llx\n", count, (unsigned long long)hash);
  return sys_write(1, line, (size_t)size) != size;
}

typedef struct {
  int number, in, out;
} stage;

/* Runs as the child: takes its ends as descriptors 0 and 1, and closes the rest. */
static int run_stage(void *context) {
  stage of = *(stage *)context;
  sys_dup2(of.in, 0);
  sys_dup2(of.out, 1);
  for (int fd = 3; fd < 16; fd++) sys_close(fd);
  switch (of.number) {
    case 0:
      return produce(NULL);
    case 1:
      return transform(NULL);
    default:
      return summarise(NULL);
  }
}

static int pipe_program(void) {
  static stage stages[3];
  static const char *const names[] = {"produce", "transform", "summarise"};
  int first[2], second[2], status = 0, failed = 0;
  if (sys_pipe(first) != 0 || sys_pipe(second) != 0) return 1;
  stages[0] = (stage){0, 0, first[1]};
  stages[1] = (stage){1, first[0], second[1]};
  stages[2] = (stage){2, second[0], 1};
  for (int i = 0; i < 3; i++) {
    process_options options = {.entry = run_stage, .context = &stages[i], .name = names[i]};
    if (process_spawn(&options) < 0) return 1;
  }
  for (int fd = 3; fd < 16; fd++) sys_close(fd);
  while (process_wait(-1, &status) > 0) failed += status != 0;
  return failed;
}

/* ---- deep, frame, leave ---- */

static volatile unsigned opaque;

/* Many locals that live across the wait, none with an address. */
static __attribute__((noinline)) unsigned deep(unsigned depth, unsigned a, unsigned b, unsigned c) {
  if (depth == 0) {
    process_yield();
    return a + b + c;
  }
  unsigned x = a * 3 + opaque, y = b * 5 + opaque, z = c * 7 + opaque;
  unsigned below = deep(depth - 1, y, z, x);
  return below + x + y * 2 + z * 3;
}

static __attribute__((noinline)) unsigned frame(unsigned depth) {
  volatile unsigned block[64];
  for (unsigned i = 0; i < 64; i++) block[i] = depth + i;
  if (depth == 0)
    process_yield();
  else
    block[0] += frame(depth - 1);
  return block[0] + block[63];
}

static __attribute__((noinline)) unsigned leave(unsigned depth) {
  unsigned below = 0;
  if (depth > 0)
    below = leave(depth - 1);
  else if (opaque == 0)
    process_exit(42);
  return below + opaque;
}

static void print_number(unsigned number) {
  char text[32];
  snprintf(text, sizeof text, "%u\n", number);
  write_all(1, text);
}

/* ---- many ---- */

static int wait_for_byte(void *context) {
  (void)context;
  char byte;
  return sys_read(0, &byte, 1) == 1 ? byte : 255;
}

/* All wait for a byte of one pipe, and each gets another one. */
static int many_program(unsigned count) {
  int ends[2], status = 0;
  unsigned sum = 0, started = 0;
  if (sys_pipe(ends) != 0) return 1;
  sys_dup2(ends[0], 0);
  process_options options = {.entry = wait_for_byte, .name = "wait"};
  while (started < count && process_spawn(&options) > 0) started++;
  process_yield();
  for (unsigned i = 0; i < started; i++) {
    char byte = (char)(i % 100);
    sys_write(ends[1], &byte, 1);
  }
  while (process_wait(-1, &status) > 0) sum += (unsigned)status;
  print_number(started);
  print_number(sum);
  return 0;
}

int shell_process_entry(void *context) {
  const run_program *program = context;
  char what[16] = "";
  unsigned first = 0, second = 0;
  sscanf(program->text, "%15s %u %u", what, &first, &second);
  if (strcmp(what, "pipe") == 0) {
    lines = first;
    calls = second;
    return pipe_program();
  }
  if (strcmp(what, "deep") == 0) print_number(deep(first, 1, 2, 3));
  if (strcmp(what, "frame") == 0) print_number(frame(first));
  if (strcmp(what, "leave") == 0) print_number(leave(first));
  if (strcmp(what, "many") == 0) return many_program(first);
  if (strcmp(what, "forever") == 0)
    for (;;) process_yield();
  return 0;
}
