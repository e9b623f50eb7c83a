// SPDX-License-Identifier: MIT
/* drive.h -- runs a program in one of several ways that must not differ, and writes down what it
 * did.
 *
 *   straight   from start to end in one sandbox
 *   restored   saved and restored at every new call and before every answer
 *   forked     forked there, and the parent dropped
 *   parked     reduced to bytes there, in place
 *   returned   given a checkpoint there, run on for a while, and brought back
 *   carried    saved to a file there, and gone on with in a fresh process
 *
 * Calls are answered when the program waits, one at a time, the first or the last of them first.
 * A transcript is all output, the result, and the fuel. */
#ifndef CLOCHE_SUSPEND_DRIVE_H
#define CLOCHE_SUSPEND_DRIVE_H

#include <fcntl.h>
#include <time.h>

#include "cloche.h"
#include "json/json.h"
#include "test.h"

typedef enum way { STRAIGHT, RESTORED, FORKED, PARKED, RETURNED, CARRIED, WAYS } way;
static const char *const way_names[] = {"straight", "restored", "forked",
                                        "parked",   "returned", "carried"};

typedef struct drive {
  cloche_engine *engine;
  cloche_policy *policy;
  cloche_sandbox *box;
  way way;
  bool last_first, moved; /* moved: while it waits, since the last answer */
  size_t hops;
  uint64_t told; /* calls up to this id were announced */
  cloche__buffer transcript;
} drive;

static const char *own_path; /* of this program, to be run again */

static const char rules[] =
    "{\"rules\":[{\"pattern\":\"echo\",\"effect\":\"allow\",\"max_calls\":100000},"
    "{\"pattern\":\"test/echo\",\"effect\":\"allow\"},"
    "{\"pattern\":\"fail\",\"effect\":\"allow\"},{\"pattern\":\"ask\",\"effect\":\"ask\"}]}";
static const char tools[] =
    "[{\"name\":\"echo\"},{\"name\":\"fail\"},{\"name\":\"ask\"},{\"name\":\"test/echo\"}]";

static inline void prepare(drive *d) {
  if (d->engine == NULL) CHECK_EQ(cloche_engine_new(NULL, &d->engine), CLOCHE_OK);
  if (d->policy == NULL)
    CHECK_EQ(cloche_policy_load(cloche__text(rules), cloche__text(tools), &d->policy, NULL),
             CLOCHE_OK);
}

static inline cloche_sandbox *restore_bytes(drive *d, cloche_text bytes) {
  cloche_sandbox *box = NULL;
  cloche_restore_options options = {.trusted = true, .policy = d->policy};
  cloche_status status = cloche_restore(d->engine, bytes, &options, &box);
  if (status != CLOCHE_OK) fprintf(stderr, "  %s\n", cloche_sandbox_message(NULL));
  CHECK_EQ(status, CLOCHE_OK);
  return box;
}

static inline bool save_bytes(drive *d, char **bytes, size_t *len) {
  cloche_status status = cloche_snapshot(d->box, NULL, bytes, len);
  if (status == CLOCHE_E_STATE) return false; /* it computes */
  CHECK_EQ(status, CLOCHE_OK);
  return true;
}

/* Goes on in another process, which never comes back. */
static inline void carry(drive *d) {
  char path[] = "/tmp/cloche-suspend-XXXXXX", hops[24], told[24], *bytes;
  size_t len;
  if (!save_bytes(d, &bytes, &len)) return;
  int file = mkstemp(path);
  uint64_t sizes[2] = {len, d->transcript.len};
  CHECK(write(file, sizes, sizeof sizes) == (ssize_t)sizeof sizes);
  CHECK(write(file, bytes, len) == (ssize_t)len);
  CHECK(write(file, d->transcript.at, d->transcript.len) == (ssize_t)d->transcript.len);
  close(file);
  snprintf(hops, sizeof hops, "%zu", d->hops);
  snprintf(told, sizeof told, "%" PRIu64, d->told);
  execl(own_path, own_path, "--go-on", path, d->last_first ? "1" : "0", d->moved ? "1" : "0", hops,
        told, (char *)NULL);
  CHECK(!"exec failed");
}

static inline int64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A future that is dropped: as many events as there have been moves, calls answered at once and
 * otherwise than in earnest. */
static inline void stray(drive *d) {
  static const cloche_text other = {"{\"n\":999}", 9};
  cloche_event event = {0};
  for (size_t i = 0; i < 3 + d->hops % 20 && event.kind != CLOCHE_DONE; i++) {
    CHECK_EQ(cloche_step(d->box, &event), CLOCHE_OK);
    if (event.kind == CLOCHE_APPROVAL)
      CHECK_EQ(cloche_approve(d->box, event.call, NULL), CLOCHE_OK);
    if (event.kind == CLOCHE_CALL) CHECK_EQ(cloche_resolve(d->box, event.call, other), CLOCHE_OK);
    if (event.kind == CLOCHE_WAIT && event.deadline > clock_now()) return;
  }
}

/* True: all calls that wait will be announced again. False: it could not be moved, or in place. */
static inline bool move(drive *d) {
  char *bytes;
  size_t len;
  cloche_sandbox *other = NULL;
  d->hops++;
  switch (d->way) {
    case STRAIGHT:
    case WAYS:
      break;
    case RESTORED:
      if (!save_bytes(d, &bytes, &len)) return false;
      cloche_sandbox_free(d->box);
      d->box = restore_bytes(d, (cloche_text){bytes, len});
      free(bytes);
      return true;
    case FORKED:
      if (cloche_fork(d->box, (cloche_text){NULL, 0}, &other) != CLOCHE_OK) return false;
      cloche_sandbox_free(d->box);
      d->box = other;
      return true;
    case PARKED:
      cloche_park(d->box);
      break;
    case RETURNED:
      if (cloche_checkpoint(d->box, cloche__text("here")) != CLOCHE_OK) return false;
      stray(d);
      CHECK_EQ(cloche_rollback(d->box, cloche__text("here")), CLOCHE_OK);
      return true;
    case CARRIED:
      carry(d);
      break;
  }
  return false;
}

static inline void answer(drive *d, uint64_t call, cloche_text method, cloche_text params) {
  if (cloche__text_equal(method, cloche__text("fail")))
    CHECK_EQ(cloche_reject(d->box, call, &(cloche_failure){.message = {params.at, params.len}}),
             CLOCHE_OK);
  else
    CHECK_EQ(cloche_resolve(d->box, call, params), CLOCHE_OK);
}

typedef struct open_call {
  uint64_t id;
  bool asked;
  char method[32], params[512];
} open_call;

static inline void note(open_call *calls, size_t *count, const cloche_event *event) {
  size_t i = 0;
  while (i < *count && calls[i].id != event->call) i++;
  if (i == *count) ++*count;
  CHECK(*count <= 64 && event->method.len < 32 && event->params.len < 512);
  calls[i].id = event->call;
  calls[i].asked = event->kind == CLOCHE_APPROVAL;
  snprintf(calls[i].method, sizeof calls[i].method, "%.*s", (int)event->method.len,
           event->method.at);
  snprintf(calls[i].params, sizeof calls[i].params, "%.*s", (int)event->params.len,
           event->params.at);
}

/* The program waits: one answer. */
static inline void answer_one(drive *d, open_call *calls, size_t *count) {
  if (*count == 0) return; /* a timer */
  size_t at = 0;
  for (size_t i = 1; i < *count; i++)
    if (d->last_first ? calls[i].id > calls[at].id : calls[i].id < calls[at].id) at = i;
  open_call call = calls[at];
  if (call.asked) {
    CHECK_EQ(cloche_approve(d->box, call.id, NULL), CLOCHE_OK);
    calls[at].asked = false;
    return;
  }
  answer(d, call.id, cloche__text(call.method), cloche__text(call.params));
  calls[at] = calls[--*count];
}

static inline void write_result(drive *d) {
  const cloche_result *result = cloche_sandbox_result(d->box);
  cloche__buffer_format(&d->transcript, "\n[%s %d %.*s %.*s %.*s fuel %" PRIu64 "]\n",
                        cloche_end_text(result->end), result->status, (int)result->value.len,
                        result->value.at, (int)result->error_name.len, result->error_name.at,
                        (int)result->error_message.len, result->error_message.at,
                        result->usage.fuel);
}

static inline void go_on(drive *d) {
  open_call calls[65];
  size_t count = 0;
  for (;;) {
    cloche_event event;
    CHECK_EQ(cloche_step(d->box, &event), CLOCHE_OK);
    if (event.kind == CLOCHE_DONE) break;
    if (event.kind == CLOCHE_OUTPUT) {
      cloche__buffer_text(&d->transcript, event.bytes);
    } else if (event.kind == CLOCHE_CALL || event.kind == CLOCHE_APPROVAL) {
      note(calls, &count, &event);
      bool fresh = event.call > d->told;
      if (fresh) d->told = event.call;
      if (fresh && move(d)) count = 0;
    } else if (event.kind == CLOCHE_WAIT && event.deadline > clock_now()) {
      if (!d->moved && count > 0) {
        d->moved = true;
        if (move(d)) {
          count = 0;
          continue;
        }
      }
      if (count == 0) usleep(1000);
      answer_one(d, calls, &count);
      d->moved = false;
    }
  }
  write_result(d);
}

static inline void finish(drive *d) {
  cloche_sandbox_free(d->box);
  cloche_policy_free(d->policy);
  cloche_engine_free(d->engine);
  cloche__buffer_byte(&d->transcript, '\0');
}

static inline void begin(drive *d, cloche_language language, const char *program) {
  static const uint8_t seed[32] = {7};
  static const cloche_text words[] = {{"test", 4}};
  prepare(d);
  cloche_sandbox_options options = {.policy = d->policy,
                                    .tools = cloche__text(tools),
                                    .seed = seed,
                                    .start_time = 1700000000000000000,
                                    .limits = {.timeout = 60000000000}};
  CHECK_EQ(cloche_sandbox_new(d->engine, &options, &d->box), CLOCHE_OK);
  cloche_program p = {
      .language = language, .text = cloche__text(program), .arguments = words, .argument_count = 1};
  CHECK_EQ(cloche_exec(d->box, &p), CLOCHE_OK);
}

/* In the fresh process: the transcript goes to standard output. */
static inline int come_in(char **argv) {
  drive d = {.way = CARRIED,
             .last_first = argv[3][0] == '1',
             .moved = argv[4][0] == '1',
             .hops = strtoull(argv[5], NULL, 10),
             .told = strtoull(argv[6], NULL, 10)};
  uint64_t sizes[2];
  int file = open(argv[2], O_RDONLY);
  CHECK(read(file, sizes, sizeof sizes) == (ssize_t)sizeof sizes);
  char *bytes = malloc(sizes[0] + 1), *before = malloc(sizes[1] + 1);
  CHECK(read(file, bytes, sizes[0]) == (ssize_t)sizes[0]);
  CHECK(read(file, before, sizes[1]) == (ssize_t)sizes[1]);
  unlink(argv[2]);
  cloche__buffer_add(&d.transcript, before, sizes[1]);
  prepare(&d);
  d.box = restore_bytes(&d, (cloche_text){bytes, sizes[0]});
  free(bytes);
  free(before);
  go_on(&d);
  finish(&d);
  fputs(d.transcript.at, stdout);
  cloche__buffer_free(&d.transcript);
  return 0;
}

/* The transcript, to be freed. *hops: how often the program was moved. */
static inline char *transcript_of(way how, bool last_first, cloche_language language,
                                  const char *program, size_t *hops) {
  drive d = {.way = how, .last_first = last_first};
  int ends[2];
  if (how != CARRIED) {
    begin(&d, language, program);
    go_on(&d);
    finish(&d);
    *hops = d.hops;
    return d.transcript.at;
  }
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    begin(&d, language, program);
    go_on(&d);
    finish(&d);
    fputs(d.transcript.at, stdout);
    cloche__buffer_free(&d.transcript);
    exit(0);
  }
  close(ends[1]);
  char chunk[4096];
  for (ssize_t got; (got = read(ends[0], chunk, sizeof chunk)) > 0;)
    cloche__buffer_add(&d.transcript, chunk, (size_t)got);
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  cloche__buffer_byte(&d.transcript, '\0');
  *hops = 1;
  return d.transcript.at;
}

/* All ways, and both orders of answers where `orders` says so. At least `least` moves. */
static inline void all_ways_agree(cloche_language language, const char *program, size_t least,
                                  way ways) {
  for (int last_first = 0; last_first < 2; last_first++) {
    size_t hops;
    char *want = transcript_of(STRAIGHT, last_first, language, program, &hops);
    CHECK(hops >= least);
    for (way how = RESTORED; how < ways; how++) {
      char *got = transcript_of(how, last_first, language, program, &hops);
      if (strcmp(got, want) != 0)
        fprintf(stderr, "  %s, of this program:\n%s\n", way_names[how], program);
      CHECK_STR(got, want);
      free(got);
    }
    free(want);
  }
}

#endif
