// SPDX-License-Identifier: MIT
/* sandbox_batch.c -- what batch.c does natively, in the sandbox: the same cases have to print the
 * same.
 *
 *   sandbox_batch FILE     as batch.c; the records "js" and "seed" only
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloche.h"

static cloche_engine *engine;

typedef struct {
  char *at;
  size_t len;
} text;

static void add(text *to, cloche_text more) {
  if (more.len == 0) return;
  to->at = realloc(to->at, to->len + more.len);
  if (to->at == NULL) exit(3);
  memcpy(to->at + to->len, more.at, more.len);
  to->len += more.len;
}

static void print_string(const text *bytes) {
  putchar('"');
  for (size_t i = 0; i < bytes->len; i++) {
    unsigned char c = (unsigned char)bytes->at[i];
    if (c < 0x20 || c == '"' || c == '\\')
      printf("\\u%04x", c);
    else
      putchar(c);
  }
  putchar('"');
}

/* Prints {"done", "out", "err"}, or a string that says what went wrong. */
static void print_run(cloche_sandbox *box, cloche_text program) {
  text streams[2] = {{0}};
  cloche_program run = {.text = program};
  cloche_event event = {0};
  cloche_status status = cloche_exec(box, &run);
  while (status == CLOCHE_OK && event.kind != CLOCHE_DONE) {
    status = cloche_step(box, &event);
    if (status == CLOCHE_OK && event.kind == CLOCHE_OUTPUT)
      add(&streams[event.stream == 2], event.bytes);
  }
  if (status != CLOCHE_OK) {
    printf("\"%s\"", cloche_status_text(status));
  } else {
    const cloche_result *result = cloche_sandbox_result(box);
    text message = {0};
    add(&message, result->error_message);
    printf("{\"done\":{\"end\":\"%s\",\"error\":", cloche_end_text(result->end));
    print_string(&message);
    fputs("},\"out\":", stdout);
    print_string(&streams[0]);
    fputs(",\"err\":", stdout);
    print_string(&streams[1]);
    putchar('}');
    free(message.at);
  }
  free(streams[0].at);
  free(streams[1].at);
}

static void run_case(FILE *file, int count) {
  static uint8_t seed[32] = {1};
  cloche_sandbox_options options = {.seed = seed, .limits.timeout = 60000000000};
  cloche_sandbox *box = NULL;
  if (cloche_sandbox_new(engine, &options, &box) != CLOCHE_OK) exit(3);
  putchar('[');
  for (int i = 0, runs = 0; i < count; i++) {
    char kind[16];
    size_t size;
    if (fscanf(file, "%15s %zu", kind, &size) != 2 || getc(file) != '\n') exit(2);
    char *bytes = malloc(size + 1);
    if (bytes == NULL || fread(bytes, 1, size, file) != size) exit(2);
    getc(file); /* the line's end */
    if (strcmp(kind, "js") == 0) {
      if (runs++ > 0) putchar(',');
      print_run(box, (cloche_text){bytes, size});
    }
    free(bytes);
  }
  puts("]");
  cloche_sandbox_free(box);
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || cloche_engine_new(NULL, &engine) != CLOCHE_OK) {
    fprintf(stderr, "usage: sandbox_batch FILE\n");
    return 2;
  }
  int count;
  while (fscanf(file, " case %d", &count) == 1) {
    getc(file);
    run_case(file, count);
  }
  fclose(file);
  cloche_engine_free(engine);
  return 0;
}
