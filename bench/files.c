// SPDX-License-Identifier: MIT
/* files.c -- files of a sandbox, measured from outside: bench/files.py runs it.
 *
 *   bench_files run PROGRAM.js      runs it in a fresh sandbox; prints ns of computing and its
 * value bench_files export OUT FILES KIB   exports FILES files of KIB KiB as tar into OUT; prints
 * ns */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cloche.h"

static cloche_engine *engine;
static cloche_sandbox *box;

static void check(cloche_status status) {
  if (status == CLOCHE_OK) return;
  fprintf(stderr, "bench_files: %s: %s\n", cloche_status_text(status), cloche_sandbox_message(box));
  exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void make_box(void) {
  cloche_sandbox_options options = {
      .limits = {.files = 100000, .memory = 512u << 20, .timeout = 120000000000}};
  check(cloche_engine_new(NULL, &engine));
  check(cloche_sandbox_new(engine, &options, &box));
}

static void run(const char *path) {
  static char text[1 << 16];
  FILE *file = fopen(path, "rb");
  if (file == NULL) exit(2);
  cloche_program program = {.text = {text, fread(text, 1, sizeof text, file)}};
  fclose(file);
  long long start = now();
  check(cloche_exec(box, &program));
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE) check(cloche_step(box, &event));
  long long took = now() - start;
  const cloche_result *result = cloche_sandbox_result(box);
  if (result->end != CLOCHE_END_DONE) {
    fprintf(stderr, "%.*s\n", (int)result->error_message.len, result->error_message.at);
    exit(1);
  }
  printf("%lld %.*s\n", took, (int)result->value.len, result->value.at);
}

static void export_to(const char *out, int files, int kib) {
  char *content = malloc((size_t)kib << 10), path[64], *tar;
  size_t size = (size_t)kib << 10, len;
  for (size_t i = 0; i < size; i++) content[i] = (char)(i * 2654435761u >> 24);
  for (int i = 0; i < files; i++) {
    snprintf(path, sizeof path, "/workspace/out/file-%d", i);
    check(cloche_file_put(box, (cloche_text){path, strlen(path)}, (cloche_text){content, size}));
  }
  long long start = now();
  check(cloche_file_export(box, (cloche_text){"/workspace/out", 14}, &tar, &len));
  FILE *file = fopen(out, "wb");
  if (file == NULL || fwrite(tar, 1, len, file) != len || fclose(file) != 0) exit(2);
  printf("%lld %zu\n", now() - start, len);
  free(tar);
  free(content);
}

int main(int argc, char **argv) {
  make_box();
  if (argc == 3 && strcmp(argv[1], "run") == 0)
    run(argv[2]);
  else if (argc == 5 && strcmp(argv[1], "export") == 0)
    export_to(argv[2], atoi(argv[3]), atoi(argv[4]));
  else
    return 2;
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
  return 0;
}
