// SPDX-License-Identifier: MIT
/* files.c -- asks the guest about its files, between two runs.
 *
 * The guest is believed no more than during a run (invariant 2). An answer counts only under the
 * operation's id, within its time and size; anything else that the guest sends, a trap, or silence
 * ends the operation. What fails is rolled back to the checkpoint that was taken before. */
#define _GNU_SOURCE
#include "sandbox/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/utf8.h"
#include "limits.h"
#include "sandbox/park.h"
#include "sandbox/trap.h"

typedef struct {
  uint32_t id;
  size_t most;            /* bytes of the answer */
  cloche__buffer *answer; /* NULL: records about files are expected and ignored */
  bool answered, too_large;
  int32_t error;
  const char *wrong; /* the protocol was broken, so */
} question;

/* ---- begin and end ---- */

static cloche_status take_turns(cloche_sandbox *box, const cloche__buffer *records, question *q);

/* Tells a guest that knows nothing yet what the sandbox is like. */
static cloche_status set_up(cloche_sandbox *box) {
  question setup = {0};
  box->pristine = false;
  return take_turns(box, &box->setup, &setup);
}

cloche_status cloche__files_begin(cloche_sandbox *box) {
  box->file_errno = 0;
  if (box->active || box->dead)
    return cloche__sandbox_refuse(
        box, CLOCHE_E_STATE,
        box->dead ? "the sandbox is dead" : "a run is under way; its files are its");
  cloche_status status = cloche__trap_prepare();
  if (status == CLOCHE_OK) status = cloche__park_use(box);
  if (status != CLOCHE_OK) return status;
  if (!cloche__machine_checkpoint(&box->machine, box->pristine))
    return cloche__sandbox_refuse(box, CLOCHE_E_MEMORY, "there is no memory for a checkpoint");
  box->was_pristine = box->pristine;
  box->files_usage = box->usage;
  box->files_fuel = box->used;
  if (!box->pristine) return CLOCHE_OK;
  status = set_up(box);
  return status == CLOCHE_OK ? status : cloche__files_end(box, status);
}

/* What it took is not the last run's doing, nor the next one's. */
cloche_status cloche__files_end(cloche_sandbox *box, cloche_status status) {
  if (status != CLOCHE_OK) {
    box->dead = !cloche__machine_rollback(&box->machine);
    box->pristine = box->was_pristine;
  }
  box->outbox_bytes = 0;
  cloche__mounts_rest(&box->mounts);
  box->usage = box->files_usage;
  box->run_fuel += box->used - box->files_fuel;
  cloche__park_leave(box);
  return status;
}

/* ---- turns ---- */

static void take_answer(question *q, const uint8_t *bytes, size_t size) {
  if (size > q->most - q->answer->len)
    q->too_large = true;
  else
    cloche__buffer_add(q->answer, bytes, size);
}

static void take_record(cloche_sandbox *box, question *q, const abi_record *record,
                        const uint8_t *bytes) {
  bool filed = record->kind == ABI_FILED;
  if (record->kind == ABI_FETCH) {
    if (!cloche__mounts_fetch(box, record->id, bytes, record->size))
      q->wrong = "the guest asked for a file in a way that makes no sense";
  } else if (!filed && record->kind != ABI_FILE_BYTES) {
    q->wrong = "the guest spoke of something else than its files";
  } else if (q->answer == NULL) {
    return;
  } else if (record->id != q->id || q->answered || (filed && record->size < sizeof q->error)) {
    q->wrong = "the guest answered what was not asked";
  } else if (filed) {
    memcpy(&q->error, bytes, sizeof q->error);
    q->answered = true;
    take_answer(q, bytes + sizeof q->error, record->size - sizeof q->error);
  } else {
    take_answer(q, bytes, record->size);
  }
}

static void read_outbox(cloche_sandbox *box, question *q) {
  while (box->outbox_bytes > 0 && q->wrong == NULL && !q->too_large) {
    abi_record record;
    const uint8_t *bytes;
    if (cloche__outbox_next(box, &record, &bytes))
      take_record(box, q, &record, bytes);
    else
      q->wrong = "the guest sent half a message";
  }
  box->outbox_bytes = 0;
}

/* The status of a turn that did not come to a good end. */
static cloche_status bad_end(cloche_sandbox *box, const cloche__turn *turn) {
  switch (turn->end) {
    case CLOCHE__TURN_IDLE:
    case CLOCHE__TURN_REFUEL:
      return CLOCHE_OK;
    case CLOCHE__TURN_HOST_FAILED:
      return cloche__sandbox_refuse(box, CLOCHE_E_MEMORY, "the host has no memory left");
    case CLOCHE__TURN_NONSENSE:
      return cloche__sandbox_refuse(box, CLOCHE_E_GUEST, turn->nonsense);
    case CLOCHE__TURN_LATE:
      return cloche__sandbox_refuse(box, CLOCHE_E_LIMIT, "the guest took too long for it");
    case CLOCHE__TURN_LOST:
      return cloche__sandbox_refuse(box, CLOCHE_E_GUEST, turn->nonsense);
    case CLOCHE__TURN_NO_ROOM:
    case CLOCHE__TURN_TRAPPED:
    case CLOCHE__TURN_OVERFLOWED:
      break;
  }
  if (turn->end != CLOCHE__TURN_NO_ROOM && !turn->memory_refused)
    return cloche__sandbox_refuse(box, CLOCHE_E_GUEST, "the guest faulted and was stopped");
  box->file_errno = ENOMEM;
  return cloche__sandbox_refuse(box, CLOCHE_E_FILE,
                                "the sandbox's memory has no room for it (limits.memory)");
}

static cloche_status take_turns(cloche_sandbox *box, const cloche__buffer *records, question *q) {
  int64_t until = cloche__monotonic() + CLOCHE__FILE_NS;
  do {
    cloche__turn turn = {.fuel = UINT64_MAX, .until = until};
    cloche__sandbox_turn(box, records, &turn);
    cloche_status status = bad_end(box, &turn);
    if (status != CLOCHE_OK) return status;
    read_outbox(box, q);
    if (q->wrong != NULL) return cloche__sandbox_refuse(box, CLOCHE_E_GUEST, q->wrong);
    if (q->too_large)
      return cloche__sandbox_refuse(box, CLOCHE_E_LIMIT,
                                    "the answer is more than twice the memory limit");
    if (cloche__monotonic() >= until && cloche__machine_is_halfway(&box->machine))
      return cloche__sandbox_refuse(box, CLOCHE_E_LIMIT, "the guest took too long for it");
  } while (cloche__machine_is_halfway(&box->machine));
  return CLOCHE_OK;
}

/* ---- asking ---- */

static size_t most_of_an_answer(const cloche_sandbox *box) {
  uint64_t twice = box->limits.memory > SIZE_MAX / 4 ? SIZE_MAX / 2 : 2 * box->limits.memory;
  return (size_t)twice + CLOCHE__FILE_ANSWER_EXTRA;
}

/* The reason that a refusal came with, if it is text, and what the number means. */
static cloche_status refused(cloche_sandbox *box, cloche_text reason) {
  char room[96];
  const char *meaning = strerror_r(box->file_errno, room, sizeof room);
  bool text = reason.len > 0 && reason.len < 200 && cloche__utf8_valid(reason);
  snprintf(box->message, sizeof box->message, "%s%s%.*s%s", meaning, text ? " (" : "",
           text ? (int)reason.len : 0, text ? reason.at : "", text ? ")" : "");
  for (char *at = box->message; *at != '\0'; at++) /* it may end on somebody's terminal */
    if ((unsigned char)*at < ' ' || *at == 127) *at = '?';
  return CLOCHE_E_FILE;
}

cloche_status cloche__files_ask(cloche_sandbox *box, abi_kind kind, uint32_t id,
                                const cloche__buffer *payload, cloche__buffer *answer) {
  cloche__buffer record = {0};
  cloche__inbox_add(&record, kind, id, payload->at, payload->len);
  question q = {.id = id, .most = answer->len + most_of_an_answer(box), .answer = answer};
  size_t before = answer->len;
  cloche_status status =
      record.failed || payload->failed ? CLOCHE_E_MEMORY : take_turns(box, &record, &q);
  cloche__buffer_free(&record);
  if (status == CLOCHE_OK && answer->failed) status = CLOCHE_E_MEMORY;
  if (status != CLOCHE_OK) return status;
  if (!q.answered) return cloche__sandbox_refuse(box, CLOCHE_E_GUEST, "the guest did not answer");
  if (q.error == 0) return CLOCHE_OK;
  if (q.error < 0 || q.error > 4095) return cloche__files_nonsense(box);
  box->file_errno = q.error;
  return refused(box, (cloche_text){answer->at + before, answer->len - before});
}

cloche_status cloche__files_nonsense(cloche_sandbox *box) {
  return cloche__sandbox_refuse(box, CLOCHE_E_GUEST,
                                "the guest's answer about its files makes no sense");
}

cloche_status cloche__files_operate(cloche_sandbox *box, abi_file_operation operation,
                                    cloche_text path, cloche_text bytes, cloche__buffer *answer) {
  if (path.len == 0 || path.len >= CLOCHE__PATH_BYTES || path.at[0] != '/' ||
      memchr(path.at, '\0', path.len) != NULL)
    return cloche__sandbox_refuse(box, CLOCHE_E_ARGUMENT,
                                  "a path starts with \"/\", has no NUL and at most 4,095 bytes");
  cloche__buffer payload = {0};
  uint32_t head[2] = {(uint32_t)operation, (uint32_t)path.len};
  cloche__buffer_add(&payload, head, sizeof head);
  cloche__buffer_text(&payload, path);
  cloche__buffer_text(&payload, bytes);
  cloche_status status = cloche__files_ask(box, ABI_FILE, ++box->file_operation, &payload, answer);
  cloche__buffer_free(&payload);
  return status;
}

/* ---- the functions ---- */

int cloche_file_errno(const cloche_sandbox *box) {
  return box == NULL ? 0 : box->file_errno;
}

/* One operation without bytes, whose answer nobody reads. */
static cloche_status simply(cloche_sandbox *box, abi_file_operation operation, cloche_text path) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  cloche_status status = cloche__files_begin(box);
  if (status != CLOCHE_OK) return status;
  cloche__buffer answer = {0};
  status = cloche__files_operate(box, operation, path, (cloche_text){NULL, 0}, &answer);
  cloche__buffer_free(&answer);
  return cloche__files_end(box, status);
}

cloche_status cloche_file_mkdir(cloche_sandbox *box, cloche_text path) {
  return simply(box, ABI_FILE_MKDIR, path);
}
cloche_status cloche_file_remove(cloche_sandbox *box, cloche_text path) {
  return simply(box, ABI_FILE_REMOVE, path);
}

/* The first piece with one operation, the others with another. */
static cloche_status send_pieces(cloche_sandbox *box, abi_file_operation first,
                                 abi_file_operation then, cloche_text path, cloche_text bytes) {
  cloche__buffer answer = {0};
  cloche_status status = CLOCHE_OK;
  size_t at = 0;
  do {
    size_t size = bytes.len - at < CLOCHE__FILE_PIECE ? bytes.len - at : CLOCHE__FILE_PIECE;
    cloche__buffer_clear(&answer);
    status = cloche__files_operate(box, at == 0 ? first : then, path,
                                   (cloche_text){size == 0 ? NULL : bytes.at + at, size}, &answer);
    at += size;
  } while (status == CLOCHE_OK && at < bytes.len);
  cloche__buffer_free(&answer);
  return status;
}

cloche_status cloche_file_put(cloche_sandbox *box, cloche_text path, cloche_text bytes) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  cloche_status status = cloche__files_begin(box);
  if (status != CLOCHE_OK) return status;
  status = send_pieces(box, ABI_FILE_PUT, ABI_FILE_APPEND, path, bytes);
  return cloche__files_end(box, status);
}

cloche_status cloche_file_import(cloche_sandbox *box, cloche_text path, cloche_text tar) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  cloche_status status = cloche__files_begin(box);
  if (status != CLOCHE_OK) return status;
  status = send_pieces(box, ABI_FILE_IMPORT, ABI_FILE_MORE, path, tar);
  cloche__buffer answer = {0};
  if (status == CLOCHE_OK) /* no bytes: that was all */
    status = cloche__files_operate(box, ABI_FILE_MORE, path, (cloche_text){NULL, 0}, &answer);
  cloche__buffer_free(&answer);
  return cloche__files_end(box, status);
}

/* An operation whose answer is handed out as it is. */
static cloche_status fetch(cloche_sandbox *box, abi_file_operation operation, cloche_text path,
                           char **bytes, size_t *len) {
  if (!cloche__sandbox_enter(box) || bytes == NULL || len == NULL) return CLOCHE_E_ARGUMENT;
  cloche_status status = cloche__files_begin(box);
  if (status != CLOCHE_OK) return status;
  cloche__buffer answer = {0};
  if (!cloche__buffer_reserve(&answer, 1)) status = CLOCHE_E_MEMORY; /* never NULL */
  if (status == CLOCHE_OK)
    status = cloche__files_operate(box, operation, path, (cloche_text){NULL, 0}, &answer);
  if (status == CLOCHE_OK) {
    *bytes = answer.at;
    *len = answer.len;
  } else {
    cloche__buffer_free(&answer);
  }
  return cloche__files_end(box, status);
}

cloche_status cloche_file_get(cloche_sandbox *box, cloche_text path, char **bytes, size_t *len) {
  return fetch(box, ABI_FILE_GET, path, bytes, len);
}
cloche_status cloche_file_export(cloche_sandbox *box, cloche_text path, char **tar, size_t *len) {
  return fetch(box, ABI_FILE_EXPORT, path, tar, len);
}
