// SPDX-License-Identifier: MIT
/* remote.c -- takes turns with a guest in a worker, believing none of its answers.
 *
 * Invariant 2 is kept here for frames: a length is compared with what may come before it is used,
 * and room is made as bytes arrive. */
#define _GNU_SOURCE
#include "sandbox/remote.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limits.h"

/* ---- a worker comes and goes ---- */

static uint64_t data_limit(const cloche__remote *remote) {
  uint64_t beyond = remote->memory < CLOCHE__MEMORY_MAX ? remote->memory : CLOCHE__MEMORY_MAX;
  return 3 * (remote->engine->image.size + beyond) + CLOCHE__WORKER_SLACK;
}

static cloche_status take_worker(cloche__remote *remote) {
  cloche_status status = cloche__engine_take_worker(remote->engine, &remote->worker);
  if (status != CLOCHE_OK) return status;
  remote->size = remote->engine->image.size;
  remote->halfway = remote->owes = false;
  remote->told.len = 0;
  cloche__frame_open open = {.memory = remote->memory};
  if (cloche__worker_limit_data(remote->worker, data_limit(remote)) &&
      cloche__frame_stage(&remote->told, CLOCHE__FRAME_OPEN, &open, sizeof open, 0))
    return CLOCHE_OK;
  cloche__worker_end(remote->worker);
  remote->worker = NULL;
  return CLOCHE_E_SYSTEM;
}

/* Ends the worker. What it held is lost. */
static void lose(cloche__remote *remote) {
  cloche__engine_bury(remote->engine, remote->worker);
  remote->worker = NULL;
  remote->halfway = false;
}

cloche_status cloche__remote_open(cloche_engine *engine, const cloche_limits *limits,
                                  cloche__remote **made) {
  cloche__remote *remote = calloc(1, sizeof *remote);
  if (remote == NULL) return CLOCHE_E_MEMORY;
  remote->engine = engine;
  remote->memory = limits->memory;
  remote->timeout = limits->timeout;
  cloche_status status = take_worker(remote);
  if (status != CLOCHE_OK) {
    free(remote);
    return status;
  }
  *made = remote;
  return CLOCHE_OK;
}

void cloche__remote_close(cloche__remote *remote) {
  if (remote == NULL) return;
  cloche__engine_bury(remote->engine, remote->worker);
  cloche__engine_refill(remote->engine);
  cloche__buffer_free(&remote->outbox);
  free(remote);
}

/* ---- small requests ---- */

static int64_t soon(void) {
  return cloche__monotonic() + CLOCHE__WORKER_PATIENCE_NS;
}

/* True for an OK that says done. Without one the worker is not to be used any more. */
static bool answered(cloche__remote *remote) {
  cloche__frame frame;
  uint32_t done;
  int socket = remote->worker->socket;
  int64_t deadline = soon();
  if (cloche__frame_receive(socket, &frame, sizeof frame, deadline) &&
      frame.kind == CLOCHE__FRAME_OK && frame.size == sizeof done &&
      cloche__frame_receive(socket, &done, sizeof done, deadline))
    return done == 1;
  lose(remote);
  return false;
}

/* A fork of the process that made it shares the socket, and must leave it alone. */
static bool is_usable(const cloche__remote *remote) {
  return remote->worker != NULL && remote->worker->parent == getpid();
}

/* Adds bytes that the worker sends. Room is made as they come. */
static bool receive_into(cloche__remote *remote, cloche__buffer *to, size_t size,
                         int64_t deadline) {
  while (size > 0) {
    size_t piece = size < CLOCHE__OUTBOX_PIECE ? size : CLOCHE__OUTBOX_PIECE;
    if (!cloche__buffer_reserve(to, piece) ||
        !cloche__frame_receive(remote->worker->socket, to->at + to->len, piece, deadline))
      return false;
    to->len += piece;
    size -= piece;
  }
  return true;
}

/* Reads away the answer that a run did not wait for. */
static bool collect(cloche__remote *remote) {
  if (!remote->owes) return true;
  remote->owes = false;
  cloche__frame frame;
  int64_t deadline = soon();
  uint64_t most = remote->engine->image.size + remote->memory + sizeof(cloche__frame_turned);
  cloche__buffer_clear(&remote->outbox);
  if (cloche__frame_receive(remote->worker->socket, &frame, sizeof frame, deadline) &&
      frame.kind == CLOCHE__FRAME_TURNED && frame.size <= most &&
      receive_into(remote, &remote->outbox, frame.size, deadline)) {
    cloche__worker_limit_time(remote->worker, remote->timeout);
    return true;
  }
  lose(remote);
  return false;
}

/* Sends a frame, after those that wait to go with it. */
static bool say(cloche__remote *remote, cloche__frame_kind kind, const void *head, size_t head_size,
                cloche_text body, int64_t deadline) {
  return cloche__frame_stage(&remote->told, kind, head, head_size, body.len) &&
         cloche__frame_flush(remote->worker->socket, &remote->told, body.at, body.len, deadline);
}

static bool request(cloche__remote *remote, cloche__frame_kind kind, const void *head,
                    size_t head_size, cloche_text body) {
  if (!is_usable(remote) || !collect(remote)) return false;
  if (say(remote, kind, head, head_size, body, soon())) return answered(remote);
  lose(remote);
  return false;
}

bool cloche__remote_write(cloche__remote *remote, uint64_t at, const void *bytes, size_t size) {
  cloche__frame_write write = {.at = at};
  return request(remote, CLOCHE__FRAME_WRITE, &write, sizeof write, (cloche_text){bytes, size});
}

/* Told with the next request: it cannot fail but with the worker, and waking the worker for it
 * alone would cost more than doing it. */
static bool tell(cloche__remote *remote, cloche__frame_kind kind, const void *head, size_t size) {
  if (!is_usable(remote)) return false;
  if (cloche__frame_stage(&remote->told, kind, head, size, 0)) return true;
  lose(remote); /* nobody asks for so much and then for nothing */
  return false;
}

bool cloche__remote_checkpoint(cloche__remote *remote, bool pristine) {
  uint32_t word = pristine;
  bool held = is_usable(remote) && collect(remote) &&
              tell(remote, CLOCHE__FRAME_CHECKPOINT, &word, sizeof word);
  if (remote->worker == NULL && pristine) /* it died while nothing ran: nothing is lost */
    held = take_worker(remote) == CLOCHE_OK &&
           tell(remote, CLOCHE__FRAME_CHECKPOINT, &word, sizeof word);
  remote->checkpoint = held;
  remote->pristine = held && pristine;
  remote->begun = false;
  if (remote->worker != NULL) cloche__worker_limit_time(remote->worker, remote->timeout);
  return held;
}

bool cloche__remote_rollback(cloche__remote *remote) {
  remote->halfway = false;
  if (!remote->checkpoint) return false;
  /* Without a worker it is back at the image; the next run takes another one. */
  return tell(remote, CLOCHE__FRAME_ROLLBACK, NULL, 0) || remote->pristine;
}

void cloche__remote_end(cloche__remote *remote) {
  if (remote->halfway) tell(remote, CLOCHE__FRAME_END, NULL, 0);
  remote->halfway = false;
}

/* ---- state ---- */

/* Sends a request whose answer is of `kind` and at most `most` bytes; *size says how many. Without
 * it the worker is not to be used any more. */
static bool ask(cloche__remote *remote, cloche__frame_kind kind, cloche_text body,
                cloche__frame_kind answer, uint64_t most, uint32_t *size) {
  if (!is_usable(remote) || !collect(remote)) return false;
  int64_t deadline = cloche__monotonic() + CLOCHE__WORKER_STATE_NS;
  cloche__frame frame;
  int socket = remote->worker->socket;
  if (say(remote, kind, NULL, 0, body, deadline) &&
      cloche__frame_receive(socket, &frame, sizeof frame, deadline) && frame.kind == answer &&
      frame.size <= most) {
    *size = frame.size;
    return true;
  }
  lose(remote);
  return false;
}

bool cloche__remote_save(cloche__remote *remote, bool checkpoint, cloche__buffer *out) {
  uint64_t memory = remote->engine->image.size + remote->memory;
  uint64_t most = memory + memory / CLOCHE__PAGE * sizeof(uint32_t) + 4096; /* head, globals */
  uint32_t word = checkpoint, size;
  cloche_text body = {(const char *)&word, sizeof word};
  if (checkpoint && (!remote->checkpoint || remote->pristine)) return true;
  if (remote->halfway || !ask(remote, CLOCHE__FRAME_SAVE, body, CLOCHE__FRAME_SAVED, most, &size))
    return false;
  if (!receive_into(remote, out, size, cloche__monotonic() + CLOCHE__WORKER_STATE_NS)) {
    lose(remote);
    return false;
  }
  return size > 0;
}

cloche_status cloche__remote_load(cloche__remote *remote, cloche_text bytes) {
  uint32_t size;
  int32_t status;
  if (!ask(remote, CLOCHE__FRAME_LOAD, bytes, CLOCHE__FRAME_LOADED, sizeof status, &size))
    return CLOCHE_E_SYSTEM;
  if (size != sizeof status ||
      !cloche__frame_receive(remote->worker->socket, &status, sizeof status, soon())) {
    lose(remote);
    return CLOCHE_E_SYSTEM;
  }
  bool known = status == CLOCHE_OK || status == CLOCHE_E_LIMIT || status == CLOCHE_E_MEMORY;
  return known ? (cloche_status)status : CLOCHE_E_FORMAT;
}

/* Of a machine that is gone, or answers nothing: zeros, which no state hashes to. */
void cloche__remote_hash(cloche__remote *remote, uint8_t hash[32]) {
  static const cloche_text nothing = {NULL, 0};
  uint32_t size;
  memset(hash, 0, 32);
  if (!ask(remote, CLOCHE__FRAME_HASH, nothing, CLOCHE__FRAME_HASHED, 32, &size)) return;
  if (size != 32 || !cloche__frame_receive(remote->worker->socket, hash, 32, soon())) {
    memset(hash, 0, 32);
    lose(remote);
  }
}

/* ---- turns ---- */

/* The run is over and the answer is not there. A worker that has state of earlier runs may still be
 * an honest one on a machine that is out of breath: it keeps what it has, a second of CPU time, and
 * answers when it is next wanted. */
static void leave(cloche__remote *remote, cloche__turn *turn) {
  turn->end = CLOCHE__TURN_LATE;
  remote->halfway = false;
  remote->owes = cloche__worker_limit_time(remote->worker, 0);
  if (!remote->owes) lose(remote);
}

/* The turn came to nothing; the worker is ended and says what became of it, if `errno` does not say
 * that it was late. */
static void fail(cloche__remote *remote, cloche__turn *turn, const char *nonsense) {
  bool late = errno == ETIMEDOUT;
  int status = -1;
  if (late && remote->worker != NULL) lose(remote);
  if (remote->worker != NULL) status = cloche__worker_end(remote->worker); /* what became of it? */
  remote->worker = NULL;
  remote->halfway = false;
  int number = status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  turn->outbox_bytes = 0;
  turn->nonsense = remote->message;
  if (nonsense != NULL) {
    turn->end = CLOCHE__TURN_NONSENSE;
    turn->nonsense = nonsense;
  } else if (late || number == SIGXCPU) {
    turn->end = CLOCHE__TURN_LATE;
  } else if (number == SIGSYS) {
    turn->end = CLOCHE__TURN_NONSENSE;
    turn->nonsense = "the worker made a forbidden system call and was killed";
  } else if (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE) {
    turn->end = CLOCHE__TURN_NONSENSE;
    turn->nonsense = "the worker crashed";
  } else {
    turn->end = CLOCHE__TURN_LOST;
    snprintf(remote->message, sizeof remote->message,
             number != 0 ? "the worker that held the program was killed by signal %d"
                         : "the worker that held the program ended by itself",
             number);
  }
}

/* When this side stops waiting: a little after the run's time is over, or long after the turn. */
static int64_t patience(const cloche__turn *turn) {
  int64_t most = turn->until < INT64_MAX - CLOCHE__WORKER_PATIENCE_NS
                     ? turn->until + CLOCHE__WORKER_PATIENCE_NS
                     : INT64_MAX - 1; /* INT64_MAX is for sockets that block */
  if (turn->deadline == 0 || turn->deadline > most - CLOCHE__WORKER_GRACE_NS) return most;
  return turn->deadline + CLOCHE__WORKER_GRACE_NS;
}

/* NULL, or what is wrong with it. */
static const char *check(const cloche__remote *remote, const cloche__turn *turn,
                         const cloche__frame_turned *turned) {
  uint64_t most = remote->engine->image.size + remote->memory;
  if (turned->end > CLOCHE__TURN_NONSENSE) return "the worker's turn ended in no known way";
  if (turned->size < remote->engine->image.size || turned->size > most ||
      turned->size % CLOCHE__WASM_PAGE != 0)
    return "the worker says that its guest has more memory than it may have";
  if (turned->used > CLOCHE__TURN_FUEL ||
      (turned->used > turn->fuel && turned->used - turn->fuel > CLOCHE__FUEL_BEYOND))
    return "the worker says that its guest used more fuel than there was";
  bool may = turned->end == CLOCHE__TURN_REFUEL || turned->end == CLOCHE__TURN_NONSENSE;
  bool must = turned->end == CLOCHE__TURN_REFUEL;
  if (turned->memory_refused > 1 || turned->halfway > may || turned->halfway < must ||
      turned->setup_used > turned->used || turned->setup_done > (turn->setup_bytes > 0))
    return "the worker contradicts itself";
  return NULL;
}

static bool receive_turned(cloche__remote *remote, cloche__turn *turn, int64_t deadline,
                           const char **nonsense) {
  cloche__frame frame;
  cloche__frame_turned turned;
  int socket = remote->worker->socket;
  if (!cloche__frame_wait(socket, deadline)) {
    if (errno != ETIMEDOUT || !remote->checkpoint || remote->pristine) return false;
    leave(remote, turn);
    return true;
  }
  if (!cloche__frame_receive(socket, &frame, sizeof frame, deadline)) return false;
  if (frame.kind != CLOCHE__FRAME_TURNED || frame.size < sizeof turned) {
    *nonsense = "the worker answered something else than a turn";
    return false;
  }
  if (!cloche__frame_receive(socket, &turned, sizeof turned, deadline)) return false;
  *nonsense = check(remote, turn, &turned);
  size_t outbox_bytes = frame.size - sizeof turned;
  if (*nonsense == NULL && outbox_bytes > turned.size)
    *nonsense = "the worker's outbox is too long";
  cloche__buffer_clear(&remote->outbox);
  if (*nonsense != NULL || !receive_into(remote, &remote->outbox, outbox_bytes, deadline))
    return false;
  turn->end = (cloche__turn_end)turned.end;
  turn->nonsense = "the guest broke the message protocol";
  turn->used = turned.used;
  turn->setup_used = turned.setup_used;
  turn->setup_done = turned.setup_done != 0;
  turn->size = remote->size = turned.size;
  turn->memory_refused = turned.memory_refused != 0;
  turn->next_timer = turned.next_timer;
  turn->outbox = (const uint8_t *)remote->outbox.at;
  turn->outbox_bytes = outbox_bytes;
  remote->halfway = turned.halfway != 0;
  return true;
}

static bool exchange(cloche__remote *remote, cloche__turn *turn, int64_t deadline,
                     const char **nonsense) {
  cloche__frame_turn asked = {.fuel = turn->fuel,
                              .until = turn->until,
                              .deadline = turn->deadline,
                              .setup = turn->setup_bytes,
                              .control = turn->control};
  cloche_text records = {turn->records, turn->record_bytes};
  return say(remote, CLOCHE__FRAME_TURN, &asked, sizeof asked, records, deadline) &&
         receive_turned(remote, turn, deadline, nonsense);
}

/* A worker that died before its guest did anything: another one can have the turn. */
static bool start_again(cloche__remote *remote) {
  if (remote->begun || !remote->pristine) return false;
  lose(remote);
  return cloche__remote_checkpoint(remote, true);
}

void cloche__remote_turn(cloche__remote *remote, cloche__turn *turn) {
  turn->outbox_bytes = 0;
  turn->used = turn->setup_used = 0;
  turn->setup_done = false;
  turn->size = remote->size;
  turn->memory_refused = false;
  turn->next_timer = INT64_MAX;
  if (!is_usable(remote) || !collect(remote)) {
    errno = 0;
    fail(remote, turn, NULL);
    return;
  }
  if (turn->record_bytes > CLOCHE__MEMORY_MAX) {
    turn->end = CLOCHE__TURN_NO_ROOM;
    return;
  }
  int64_t deadline = patience(turn);
  const char *nonsense = NULL;
  bool done = exchange(remote, turn, deadline, &nonsense);
  if (!done && nonsense == NULL && errno != ETIMEDOUT && start_again(remote))
    done = exchange(remote, turn, deadline, &nonsense);
  if (!done) fail(remote, turn, nonsense);
  remote->begun = true;
}
