// SPDX-License-Identifier: MIT
/* sandbox_batch.c -- what batch.c does natively, in the sandbox: the same cases have to give the
 * same.
 *
 *   sandbox_batch FILE     as batch.c
 *
 * An "interrupt" is the limit of time. Of an error, what the C API does not tell is not printed.
 * Every call is allowed, so an answer that is a denial cannot be given; run.py leaves those out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cloche.h"
#include "json/json.h"

static cloche_engine *engine;
static cloche_policy *allow_all;

/* As host_test_tools of ../host.c. */
static const char test_tools[] =
    "[{\"name\":\"test/echo\",\"description\":\"Answers its arguments.\",\"input_schema\":"
    "{\"type\":\"object\",\"properties\":{\"value\":{}}}},{\"name\":\"test/fail\"},"
    "{\"name\":\"test/deny\"},{\"name\":\"test/slow\"},{\"name\":\"test/never\"}]";

/* What is known of a case before its first program. */
typedef struct {
  cloche_sandbox_options options;
  cloche_text input;
  cloche__json_doc answers;
} setting;

/* ---- calls ---- */

enum { LATE_MAX = 32, LATE_NS = 1000000000 };
static struct {
  uint64_t call;
  int64_t due;
  cloche__buffer json;
} late[LATE_MAX];
static size_t late_count;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void reject(cloche_sandbox *box, uint64_t call, cloche_text message, cloche_text code) {
  cloche_failure failure = {message, code};
  cloche_reject(box, call, &failure);
}

static cloche_text member_text(const cloche__json *object, const char *key) {
  const cloche__json *value = cloche__json_get(object, key);
  return value == NULL ? (cloche_text){NULL, 0} : cloche__json_text(value);
}

static bool answer_from_file(cloche_sandbox *box, const cloche__json *answers,
                             const cloche_event *call) {
  char name[256];
  snprintf(name, sizeof name, "%.*s", (int)call->method.len, call->method.at);
  const cloche__json *answer = cloche__json_get(answers, name);
  if (answer == NULL) return false;
  const cloche__json *error = cloche__json_get(answer, "$error");
  cloche__buffer json = {0};
  cloche__json_write(answer, &json);
  if (error != NULL)
    reject(box, call->call, member_text(error, "message"), member_text(error, "code"));
  else
    cloche_resolve(box, call->call, cloche__buffer_view(&json));
  cloche__buffer_free(&json);
  return true;
}

static bool is_named(const cloche_event *call, const char *name) {
  return call->method.len == strlen(name) && memcmp(call->method.at, name, call->method.len) == 0;
}

static void answer(cloche_sandbox *box, const setting *given, const cloche_event *call) {
  if (answer_from_file(box, &given->answers.root, call) || is_named(call, "test/never")) return;
  if (is_named(call, "test/fail")) {
    reject(box, call->call, cloche__text("test/fail: it failed"), cloche__text("failed"));
    return;
  }
  cloche__buffer json = {0};
  cloche__buffer_string(&json, "{\"tool\":");
  cloche__json_write_string(call->method, &json);
  cloche__buffer_string(&json, ",\"args\":");
  cloche__buffer_text(&json, call->params);
  cloche__buffer_byte(&json, '}');
  if (is_named(call, "test/slow") && late_count < LATE_MAX) {
    late[late_count].call = call->call;
    late[late_count].due = now() + LATE_NS;
    late[late_count++].json = json;
    return;
  }
  cloche_resolve(box, call->call, cloche__buffer_view(&json));
  cloche__buffer_free(&json);
}

/* Answers what is due. */
static void answer_late(cloche_sandbox *box) {
  size_t kept = 0;
  for (size_t i = 0; i < late_count; i++) {
    if (late[i].due > now()) {
      late[kept++] = late[i];
      continue;
    }
    cloche_resolve(box, late[i].call, cloche__buffer_view(&late[i].json));
    cloche__buffer_free(&late[i].json);
  }
  late_count = kept;
}

/* False when nothing will ever happen. */
static bool rest(cloche_sandbox *box, int64_t deadline) {
  int64_t until = deadline;
  for (size_t i = 0; i < late_count; i++)
    if (late[i].due < until) until = late[i].due;
  if (until == INT64_MAX) return false;
  if (until > now()) usleep((useconds_t)((until - now()) / 1000 + 1));
  answer_late(box);
  return true;
}

/* ---- one run ---- */

static void print_string(cloche_text text) {
  cloche__buffer json = {0};
  cloche__json_write_string(text, &json);
  fwrite(json.at, 1, json.len, stdout);
  cloche__buffer_free(&json);
}

static void print_member(const char *key, cloche_text text) {
  printf(",\"%s\":", key);
  print_string(text);
}

static void print_error(const cloche_result *result) {
  printf(",\"error\":{\"kind\":\"%s\"", cloche_end_text(result->end));
  print_member("name", result->error_name);
  print_member("message", result->error_message);
  print_member("stack", result->error_stack);
  if (result->line > 0)
    printf(",\"line\":%llu,\"column\":%llu", (unsigned long long)result->line,
           (unsigned long long)result->column);
  if (result->error_inner.len > 0)
    printf(",\"inner\":%.*s", (int)result->error_inner.len, result->error_inner.at);
  putchar('}');
}

static void print_result(const cloche_result *result, const cloche__buffer *streams) {
  printf("{\"done\":{\"end\":\"%s\"", cloche_end_text(result->end));
  if (result->value.len > 0) printf(",\"value\":%.*s", (int)result->value.len, result->value.at);
  if (result->text.len > 0) print_member("text", result->text);
  if (result->end != CLOCHE_END_DONE) print_error(result);
  fputs("},\"out\":", stdout);
  print_string(cloche__buffer_view(&streams[0]));
  fputs(",\"err\":", stdout);
  print_string(cloche__buffer_view(&streams[1]));
  putchar('}');
}

/* Prints {"done", "out", "err"}, or a string that says what went wrong. */
static void run(cloche_sandbox *box, setting *given, cloche_text program) {
  cloche__buffer streams[2] = {{0}};
  cloche_program what = {.text = program, .stdin_bytes = given->input};
  cloche_event event = {0};
  cloche_status status = cloche_exec(box, &what);
  bool stuck = false;
  while (status == CLOCHE_OK && event.kind != CLOCHE_DONE) {
    status = cloche_step(box, &event);
    if (status != CLOCHE_OK) break;
    if (event.kind == CLOCHE_OUTPUT) cloche__buffer_text(&streams[event.stream == 2], event.bytes);
    if (event.kind == CLOCHE_CALL) answer(box, given, &event);
    if (event.kind == CLOCHE_WAIT && !rest(box, event.deadline)) {
      stuck = true;
      cloche_cancel(box);
    }
  }
  late_count = 0;
  if (stuck)
    fputs("\"the run waits for calls that nobody answers\"", stdout);
  else if (status != CLOCHE_OK)
    printf("\"%s: %s\"", cloche_status_text(status), cloche_sandbox_message(box));
  else
    print_result(cloche_sandbox_result(box), streams);
  for (int i = 0; i < 2; i++) cloche__buffer_free(&streams[i]);
}

/* ---- cases ---- */

typedef struct {
  char kind[16];
  size_t size;
  char *bytes; /* NUL-terminated */
} record;

static void read_record(FILE *file, record *to) {
  if (fscanf(file, "%15s %zu", to->kind, &to->size) != 2 || getc(file) != '\n') exit(2);
  to->bytes = calloc(to->size + 1, 1);
  if (to->bytes == NULL || fread(to->bytes, 1, to->size, file) != to->size) exit(2);
  getc(file); /* the line's end */
}

static bool is(const record *one, const char *kind) {
  return strcmp(one->kind, kind) == 0;
}

static void set(const record *one, setting *to) {
  cloche_text bytes = {one->bytes, one->size};
  if (is(one, "tools")) to->options.tools = bytes;
  if (is(one, "stdin")) to->input = bytes;
  if (is(one, "seed") && one->size >= 32) to->options.seed = (const uint8_t *)one->bytes;
  if (is(one, "interrupt")) to->options.limits.timeout = atol(one->bytes) * 1000000;
  if (is(one, "answers") && cloche__json_parse(bytes, NULL, &to->answers, NULL) != CLOCHE_OK)
    exit(2);
  cloche_limits *limits = &to->options.limits;
  unsigned in_flight, argument, stack;
  if (is(one, "limits") && sscanf(one->bytes, "%u %u %u", &in_flight, &argument, &stack) == 3) {
    limits->in_flight = in_flight;
    limits->argument = argument;
    limits->stack = stack;
  }
}

static void run_case(FILE *file, int count) {
  static const uint8_t seed[32] = {1};
  setting given = {.options = {.tools = {test_tools, sizeof test_tools - 1},
                               .policy = allow_all,
                               .seed = seed,
                               .limits.timeout = 60000000000}};
  record *records = calloc((size_t)count + 1, sizeof *records);
  if (records == NULL) exit(3);
  for (int i = 0; i < count; i++) {
    read_record(file, &records[i]);
    set(&records[i], &given);
  }
  cloche_sandbox *box = NULL;
  if (cloche_sandbox_new(engine, &given.options, &box) != CLOCHE_OK) exit(3);
  putchar('[');
  for (int i = 0, runs = 0; i < count; i++) {
    if (!is(&records[i], "js")) continue;
    if (runs++ > 0) putchar(',');
    run(box, &given, (cloche_text){records[i].bytes, records[i].size});
  }
  puts("]");
  cloche_sandbox_free(box);
  cloche__json_free(&given.answers);
  for (int i = 0; i < count; i++) free(records[i].bytes);
  free(records);
}

int main(int argc, char **argv) {
  static const char rules[] = "{\"rules\":[{\"pattern\":\"**\",\"effect\":\"allow\"}]}";
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || cloche_engine_new(NULL, &engine) != CLOCHE_OK ||
      cloche_policy_load(cloche__text(rules), (cloche_text){NULL, 0}, &allow_all, NULL) !=
          CLOCHE_OK) {
    fprintf(stderr, "usage: sandbox_batch FILE\n");
    return 2;
  }
  int count;
  while (fscanf(file, " case %d", &count) == 1) {
    getc(file);
    run_case(file, count);
  }
  fclose(file);
  cloche_policy_free(allow_all);
  cloche_engine_free(engine);
  return 0;
}
