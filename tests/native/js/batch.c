// SPDX-License-Identifier: MIT
/* batch.c -- runs many JavaScript programs natively: boots the guest once, forks for each case.
 *
 *   batch FILE     FILE is what run.py writes: for each case a line "case N" with the number of
 *                  records that follow, each "kind SIZE\n" and SIZE bytes, where kind is tools,
 *                  answers, stdin, seed, limits, interrupt (after so many ms) or js. A js record is
 *                  a run.
 *
 * For each case one line of JSON is printed: an array with, per run, {"done", "out", "err"}; or a
 * string that says how the child ended instead. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../guest/js/buffer.h"
#include "../host.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

static buffer streams[2], report;

static void take_record(uint32_t kind, uint32_t id, const uint8_t *bytes, uint32_t size) {
  if (kind == ABI_STDOUT || kind == ABI_STDERR)
    buffer_put(&streams[kind == ABI_STDERR], bytes, size);
  else if (kind == ABI_CALL)
    host_default_call(id, bytes, size);
}

/* The host interrupts by fuel, which a native guest does not count: here it is processor time. */
static long interrupt_ms;

static void interrupt(int signal) {
  (void)signal;
  host_interrupt(true);
}

static void arm(long ms) {
  struct itimerval after = {{0, 0}, {ms / 1000, ms % 1000 * 1000}};
  setitimer(ITIMER_VIRTUAL, &after, NULL);
}

static void put_run(uint32_t run) {
  size_t size;
  arm(interrupt_ms);
  bool is_over = host_run(run);
  arm(0);
  host_interrupt(false);
  interrupt_ms = 0;
  const char *done = is_over ? host_done(&size) : NULL;
  buffer_text(&report, report.size == 1 ? "{\"done\":" : ",{\"done\":");
  if (done != NULL)
    buffer_put(&report, done, size);
  else
    buffer_text(&report, "\"the run waits for calls that nobody answers\"");
  buffer_text(&report, ",\"out\":");
  buffer_json_string(&report, streams[0].at, streams[0].size);
  buffer_text(&report, ",\"err\":");
  buffer_json_string(&report, streams[1].at, streams[1].size);
  buffer_char(&report, '}');
  streams[0].size = streams[1].size = 0;
}

static void apply(const char *kind, const char *bytes, size_t size, uint32_t *run) {
  if (strcmp(kind, "tools") == 0) host_send(ABI_TOOLS, 0, bytes, size);
  if (strcmp(kind, "hidden") == 0) host_send(ABI_HIDDEN_TOOLS, 0, bytes, size);
  if (strcmp(kind, "stdin") == 0) host_send(ABI_STDIN, 0, bytes, size);
  if (strcmp(kind, "seed") == 0) host_send(ABI_SEED, 0, bytes, size < 32 ? size : 32);
  if (strcmp(kind, "answers") == 0 && !host_set_answers(bytes, size)) exit(3);
  if (strcmp(kind, "interrupt") == 0) interrupt_ms = atol(bytes);
  if (strcmp(kind, "limits") == 0) {
    abi_limits limits = {10000, 64u << 20, 32, 1u << 20, 1u << 20};
    sscanf(bytes, "%u %u %u", &limits.in_flight, &limits.argument, &limits.stack);
    host_send(ABI_LIMITS, 0, &limits, sizeof limits);
  }
  if (strcmp(kind, "js") == 0) {
    host_send(ABI_RUN_JS, ++*run, bytes, size);
    put_run(*run);
  }
}

typedef struct {
  char kind[16];
  size_t size;
  char *bytes; /* NUL-terminated */
} record;

static void read_record(FILE *file, record *to) {
  if (fscanf(file, "%15s %zu", to->kind, &to->size) != 2 || getc(file) != '\n') exit(2);
  to->bytes = malloc(to->size + 1);
  if (to->bytes == NULL || fread(to->bytes, 1, to->size, file) != to->size) exit(2);
  to->bytes[to->size] = 0;
  getc(file); /* the line's end */
}

static void run_case(record *records, int count, FILE *to) {
  uint32_t run = 0;
  static const uint8_t seed[32] = {1};
  host_send(ABI_SEED, 0, seed, sizeof seed);
  host_send(ABI_TOOLS, 0, host_test_tools, strlen(host_test_tools));
  buffer_char(&report, '[');
  for (int i = 0; i < count; i++) apply(records[i].kind, records[i].bytes, records[i].size, &run);
  buffer_text(&report, "]\n");
  fwrite(report.at, 1, report.size, to);
  fclose(to);
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) {
    fprintf(stderr, "usage: batch FILE\n");
    return 2;
  }
  static const host_hooks hooks = {take_record};
  host_boot(&hooks);
  int count;
  while (fscanf(file, " case %d", &count) == 1) {
    record *records = calloc((size_t)count + 1, sizeof *records);
    getc(file);
    for (int i = 0; i < count; i++) read_record(file, &records[i]);
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      signal(SIGVTALRM, interrupt);
      run_case(records, count, fdopen(dup(1), "w"));
      _exit(0);
    }
    waitpid(child, &status, 0);
    if (status != 0) printf("\"the guest ended with status %d\"\n", status);
    for (int i = 0; i < count; i++) free(records[i].bytes);
    free(records);
  }
  fclose(file);
  return 0;
}
