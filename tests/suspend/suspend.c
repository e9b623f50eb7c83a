// SPDX-License-Identifier: MIT
/* suspend.c -- a shell program that is saved and restored wherever it waits says what it would have
 * said.
 *
 *   suspend shell.txt [WORD]      WORD: only snippets with it in their name
 *
 * Each snippet runs twice: once through, and once so that at every event the sandbox becomes bytes,
 * is freed, and goes on as a new one in another slot. Output, status and the calls' arguments must
 * be the same. A snippet that was never suspended, or made no call, has failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloche.h"

typedef struct {
  char *at;
  size_t len, room;
} bytes;

static void add(bytes *to, const char *from, size_t len) {
  if (to->len + len + 1 > to->room) {
    to->room = (to->len + len + 1) * 2;
    to->at = realloc(to->at, to->room);
    if (to->at == NULL) abort();
  }
  if (len > 0) memcpy(to->at + to->len, from, len);
  to->len += len;
  to->at[to->len] = 0;
}

static _Noreturn void give_up(const char *what, const char *why) {
  fprintf(stderr, "suspend: %s: %s\n", what, why);
  exit(2);
}

static cloche_text text(const char *from) {
  return (cloche_text){from, strlen(from)};
}

static const char tools[] = "[{\"name\":\"test/echo\"},{\"name\":\"test/fail\"}]";
static const char policy_json[] = "{\"rules\":[{\"pattern\":\"**\",\"effect\":\"allow\"}]}";
static cloche_engine *engine;
static cloche_policy *policy;

typedef struct {
  bytes out;  /* what was printed, the end, the value */
  bytes made; /* the calls' arguments, sorted */
  unsigned calls, suspended, refused;
} outcome;

/* ---- suspending ---- */

/* The sandbox as a new one; false when it cannot be saved just now. */
static bool move(cloche_sandbox **box, outcome *o) {
  char *saved;
  size_t len;
  cloche_status status = cloche_snapshot(*box, NULL, &saved, &len);
  if (status == CLOCHE_E_STATE) {
    o->refused++;
    return false;
  }
  if (status != CLOCHE_OK) give_up("cloche_snapshot", cloche_status_text(status));
  cloche_sandbox_free(*box);
  cloche_restore_options options = {.trusted = true, .policy = policy};
  status = cloche_restore(engine, (cloche_text){saved, len}, &options, box);
  if (status != CLOCHE_OK) give_up("cloche_restore", cloche_sandbox_message(NULL));
  free(saved);
  o->suspended++;
  return true;
}

/* ---- running ---- */

enum { CALLS = 4096 };

static void answer(cloche_sandbox *box, const cloche_event *event, outcome *o) {
  o->calls++;
  add(&o->made, event->params.at, event->params.len);
  add(&o->made, "\n", 1);
  bool fails = event->method.len == 9 && memcmp(event->method.at, "test/fail", 9) == 0;
  cloche_failure failure = {text("refused"), text("refused")};
  cloche_text echoed = {event->params.at, event->params.len};
  cloche_status status =
      fails ? cloche_reject(box, event->call, &failure) : cloche_resolve(box, event->call, echoed);
  if (status != CLOCHE_OK) give_up("an answer", cloche_status_text(status));
}

static outcome run(const char *program, bool javascript, bool suspends) {
  outcome o = {0};
  static bool moved[CALLS];
  unsigned held = 0;
  memset(moved, 0, sizeof moved);
  static const uint8_t seed[32] = {1};
  cloche_sandbox *box;
  cloche_sandbox_options options = {.tools = text(tools),
                                    .policy = policy,
                                    .seed = seed,
                                    .start_time = 1700000000000000000,
                                    .limits = cloche_limits_default()};
  if (cloche_sandbox_new(engine, &options, &box) != CLOCHE_OK)
    give_up("cloche_sandbox_new", cloche_sandbox_message(NULL));
  cloche_program asked = {.language = javascript ? CLOCHE_JAVASCRIPT : CLOCHE_SHELL,
                          .text = text(program)};
  if (cloche_exec(box, &asked) != CLOCHE_OK) give_up("cloche_exec", cloche_sandbox_message(box));
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE) {
    cloche_status status = cloche_step(box, &event);
    if (status != CLOCHE_OK) give_up("cloche_step", cloche_sandbox_message(box));
    if (event.kind == CLOCHE_OUTPUT) {
      add(&o.out, event.bytes.at, event.bytes.len);
      if (suspends) move(&box, &o);
    } else if (event.kind == CLOCHE_WAIT) {
      bool moves = suspends && move(&box, &o);
      if (held > 0 && !moves) give_up("cloche_snapshot", "not possible though the program waits");
      held = 0;
    } else if (event.kind == CLOCHE_CALL) {
      /* A call that waits is announced again by the sandbox that goes on. Where others still
       * compute it is left waiting until all do. */
      if (suspends && event.call < CALLS && !moved[event.call]) {
        moved[event.call] = true;
        if (!move(&box, &o)) held++;
        continue;
      }
      answer(box, &event, &o);
      if (suspends) move(&box, &o);
    }
  }
  const cloche_result *result = cloche_sandbox_result(box);
  char end[64];
  int size = snprintf(end, sizeof end, "[%s %d] ", cloche_end_text(result->end), result->status);
  add(&o.out, end, (size_t)size);
  add(&o.out, result->value.at, result->value.len);
  cloche_sandbox_free(box);
  return o;
}

/* ---- comparing ---- */

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Calls of several processes may be made in another order. */
static void sort_lines(bytes *of) {
  size_t count = 0;
  char **lines = calloc(of->len + 1, sizeof *lines);
  char *copy = strdup(of->at == NULL ? "" : of->at);
  if (lines == NULL || copy == NULL) abort();
  for (char *line = strtok(copy, "\n"); line != NULL; line = strtok(NULL, "\n"))
    lines[count++] = line;
  qsort(lines, count, sizeof *lines, by_text);
  of->len = 0;
  for (size_t i = 0; i < count; i++) {
    add(of, lines[i], strlen(lines[i]));
    add(of, "\n", 1);
  }
  free(lines);
  free(copy);
}

static bool same(const bytes *a, const bytes *b) {
  return a->len == b->len && (a->len == 0 || memcmp(a->at, b->at, a->len) == 0);
}

static bool check(const char *name, const char *program, unsigned *suspensions) {
  bool javascript = strstr(name, "!js") != NULL;
  outcome once = run(program, javascript, false), moved = run(program, javascript, true);
  sort_lines(&once.made);
  sort_lines(&moved.made);
  *suspensions += moved.suspended;
  const char *what = once.calls == 0                  ? "it made no call"
                     : moved.suspended < moved.calls  ? "it was hardly suspended"
                     : !same(&once.out, &moved.out)   ? "the output differs"
                     : !same(&once.made, &moved.made) ? "the calls differ"
                                                      : NULL;
  if (what != NULL) {
    printf(
        "FAILED %s: %s (%u calls, suspended %u times, %u times not possible)\n--- once:\n%s\n--- "
        "suspended:\n%s\n",
        name, what, moved.calls, moved.suspended, moved.refused, once.out.at, moved.out.at);
    if (!same(&once.made, &moved.made))
      printf("--- calls once:\n%s--- calls suspended:\n%s", once.made.at, moved.made.at);
  } else if (getenv("VERBOSE") != NULL) {
    printf("%s: %u calls, suspended %u times, %u not\n%s\n", name, moved.calls, moved.suspended,
           moved.refused, once.out.at);
  }
  free(once.out.at);
  free(once.made.at);
  free(moved.out.at);
  free(moved.made.at);
  return what == NULL;
}

static bytes read_all(const char *path) {
  bytes all = {0};
  char piece[65536];
  size_t got;
  FILE *file = fopen(path, "rb");
  if (file == NULL) give_up(path, "cannot be read");
  while ((got = fread(piece, 1, sizeof piece, file)) > 0) add(&all, piece, got);
  fclose(file);
  return all;
}

int main(int argc, char **argv) {
  if (argc < 2) give_up("usage", "suspend FILE [WORD]");
  cloche_problem problem;
  if (cloche_engine_new(NULL, &engine) != CLOCHE_OK ||
      cloche_policy_load(text(policy_json), text(tools), &policy, &problem) != CLOCHE_OK)
    give_up("start", "no engine or policy");
  bytes all = read_all(argv[1]);
  unsigned ran = 0, failed = 0, suspensions = 0;
  char *at = strstr(all.at, "=== ");
  while (at != NULL) {
    char *name = at + 4, *program = strchr(name, '\n');
    if (program == NULL) break;
    *program++ = 0;
    char *next = strstr(program, "\n=== ");
    if (next != NULL) *next++ = 0;
    if (argc < 3 || strstr(name, argv[2]) != NULL) {
      ran++;
      if (!check(name, program, &suspensions)) failed++;
    }
    at = next;
  }
  printf("%u snippets, suspended %u times, %u failed\n", ran, suspensions, failed);
  cloche_policy_free(policy);
  cloche_engine_free(engine);
  free(all.at);
  return failed > 0 || ran == 0;
}
