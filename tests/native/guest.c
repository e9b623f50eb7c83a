// SPDX-License-Identifier: MIT
/* guest.c -- the guest as an ordinary program, for whoever writes a part of it.
 *
 *   guest-native [options] js FILE | js -e CODE | sh FILE [ARG...] | sh -c CODE [NAME [ARG...]]
 *     --tools FILE    definitions, a JSON array (default: test/echo, test/fail, test/deny, ...)
 *     --answers FILE  what tools answer, see host.h
 *     --stdin FILE    standard input, "-" for ours
 *     --json          print the run's ABI_DONE as it came
 *     --run-again     run the same program a second time in the same guest
 *
 * Exit status: as cloche's (DESIGN section 9). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../guest/kernel/document.h"
#include "host.h"

/* Processes whose frames are dropped leak in a native build. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

extern char **environ;

typedef struct {
  char *at;
  size_t size;
} bytes;

static _Noreturn void usage(const char *what) {
  fprintf(stderr,
          "guest-native: %s\nusage: guest-native [--tools FILE] [--answers FILE] "
          "[--stdin FILE] [--json] [--run-again] (js FILE | js -e CODE | sh FILE [ARG...] | "
          "sh -c CODE [NAME [ARG...]])\n",
          what);
  exit(2);
}

static bytes read_stream(FILE *from) {
  bytes all = {malloc(1), 0};
  size_t capacity = 1, got;
  do {
    if (all.size == capacity) all.at = realloc(all.at, capacity *= 2);
    if (all.at == NULL) abort();
    got = fread(all.at + all.size, 1, capacity - all.size, from);
    all.size += got;
  } while (got > 0);
  return all;
}

static bytes read_file(const char *path) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (file == NULL) {
    fprintf(stderr, "guest-native: cannot read %s\n", path);
    exit(2);
  }
  return read_stream(file);
}

typedef struct {
  bytes tools, answers, input;
  bool has_input, json, again;
} settings;

static int read_options(int argc, char **argv, settings *to) {
  int i = 1;
  for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
    const char *name = argv[i] + 2;
    if (strcmp(name, "json") == 0) {
      to->json = true;
      continue;
    }
    if (strcmp(name, "run-again") == 0) {
      to->again = true;
      continue;
    }
    if (i + 1 == argc) usage("an option wants a value");
    bytes value = read_file(argv[++i]);
    if (strcmp(name, "tools") == 0)
      to->tools = value;
    else if (strcmp(name, "answers") == 0)
      to->answers = value;
    else if (strcmp(name, "stdin") == 0)
      to->input = value, to->has_input = true;
    else
      usage("unknown option");
  }
  return i;
}

static void send_environment(void) {
  static const char small[] = "HOME=/workspace\0PATH=/bin\0LANG=C.UTF-8";
  host_send(ABI_ENVIRON, 0, small, sizeof small);
}

/* The script and its arguments, each with its NUL. */
static bytes shell_strings(bytes script, int argc, char **argv) {
  bytes all = {NULL, script.size + 1};
  for (int i = 0; i < argc; i++) all.size += strlen(argv[i]) + 1;
  char *to = all.at = malloc(all.size);
  if (to == NULL) abort();
  memcpy(to, script.at, script.size);
  to += script.size;
  *to++ = 0;
  for (int i = 0; i < argc; i++) to = stpcpy(to, argv[i]) + 1;
  return all;
}

static void send_program(uint32_t run, int argc, char **argv) {
  bool js = strcmp(argv[0], "js") == 0;
  if (!js && strcmp(argv[0], "sh") != 0) usage("js or sh is wanted");
  if (argc < 2) usage("a program is wanted");
  bool inline_code = strcmp(argv[1], js ? "-e" : "-c") == 0;
  if (inline_code && argc < 3) usage("code is wanted");
  bytes text = inline_code ? (bytes){argv[2], strlen(argv[2])} : read_file(argv[1]);
  if (js) {
    host_send(ABI_RUN_JS, run, text.at, text.size);
    return;
  }
  static char *no_name[] = {(char *)"sh"};
  int skip = inline_code ? 3 : 1;
  bytes strings =
      argc > skip ? shell_strings(text, argc - skip, argv + skip) : shell_strings(text, 1, no_name);
  host_send(ABI_RUN_SH, run, strings.at, strings.size);
}

/* ---- the end ---- */

/* As cloche does in text mode: a string as it is, anything else as JSON. */
static void print_value(const document_node *root) {
  const document_node *text = document_member(root, "text");
  const document_node *value = document_member(root, "value");
  if (text != NULL && text->kind == JSON_STRING) value = text;
  if (value == NULL) return;
  char *json = value->kind == JSON_STRING ? NULL : host_json(value);
  printf("%s\n", json == NULL ? value->text : json);
  free(json);
}

static int status_of(const document_node *root, const char *end) {
  const char *status = NULL;
  const document_node *member = document_member(root, "status");
  if (member != NULL && member->kind == JSON_NUMBER) status = member->text;
  if (strcmp(end, "done") == 0) return status == NULL ? 0 : atoi(status);
  if (strcmp(end, "limit.memory") == 0) return 137;
  if (strcmp(end, "limit.fuel") == 0 || strcmp(end, "limit.time") == 0) return 124;
  return status == NULL ? 1 : atoi(status);
}

static int report(const settings *set) {
  const char *json = host_done(NULL);
  if (json == NULL) {
    fprintf(stderr, "guest-native: the run waits for calls that nobody answers\n");
    return 3;
  }
  fflush(stdout);
  document_arena *arena;
  const document_node *root = document_parse(json, strlen(json), &arena);
  const char *end = document_text(root, "end");
  if (end == NULL) {
    fprintf(stderr, "guest-native: ABI_DONE makes no sense: %s\n", json);
    return 125;
  }
  if (set->json)
    printf("%s\n", json);
  else
    print_value(root);
  const document_node *error = document_member(root, "error");
  if (error != NULL && !set->json) {
    const char *name = document_text(error, "name"), *message = document_text(error, "message");
    const char *stack = document_text(error, "stack");
    fprintf(stderr, "%s: %s: %s\n%s", end, name == NULL ? "?" : name,
            message == NULL ? "?" : message, stack == NULL ? "" : stack);
  }
  int status = status_of(root, end);
  document_release(arena);
  return status;
}

int main(int argc, char **argv) {
  settings set = {.tools = {(char *)(uintptr_t)host_test_tools, strlen(host_test_tools)}};
  int first = read_options(argc, argv, &set);
  if (first >= argc) usage("js or sh is wanted");
  if (set.answers.at != NULL && !host_set_answers(set.answers.at, set.answers.size))
    usage("--answers is no JSON object");
  host_boot(NULL);
  static const uint8_t seed[32] = {1};
  host_send(ABI_SEED, 0, seed, sizeof seed);
  host_send(ABI_TOOLS, 0, set.tools.at, set.tools.size);
  send_environment();
  int status = 0;
  for (uint32_t run = 1; run <= (set.again ? 2u : 1u); run++) {
    if (set.has_input) host_send(ABI_STDIN, 0, set.input.at, set.input.size);
    send_program(run, argc - first, argv + first);
    host_run(run);
    status = report(&set);
  }
  return status;
}
