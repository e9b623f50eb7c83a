// SPDX-License-Identifier: MIT
/* outbox.c -- reads the records that a turn brought, believing none of them.
 *
 * They still lie in guest memory, or came from another process. Nobody writes there meanwhile;
 * still each field is copied once and the copy is checked. */
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sandbox/sandbox.h"

bool cloche__queue_add(cloche_sandbox *box, cloche__item item) {
  if (box->queue_first + box->queue_count == box->queue_capacity) {
    size_t capacity = box->queue_capacity * 2 + 16;
    cloche__item *grown = realloc(box->queue, capacity * sizeof *grown);
    if (grown == NULL) return false;
    box->queue = grown;
    box->queue_capacity = capacity;
  }
  box->queue[box->queue_first + box->queue_count++] = item;
  return true;
}

static cloche__item *last_item(cloche_sandbox *box) {
  return box->queue_count == 0 ? NULL : &box->queue[box->queue_first + box->queue_count - 1];
}

/* Output beyond the limit is counted and dropped; a character is not cut in two by that. */
static void take_output(cloche_sandbox *box, int stream, const uint8_t *bytes, uint32_t size) {
  uint64_t kept = box->usage.output - box->usage.output_dropped;
  uint64_t room = box->limits.output > kept ? box->limits.output - kept : 0;
  uint32_t take = size < room ? size : (uint32_t)room;
  if (take < size)
    while (take > 0 && (bytes[take] & 0xC0) == 0x80) take--;
  if (box->usage.output_dropped > 0) take = 0; /* no gaps: once full, it stays full */
  box->usage.output += size;
  box->usage.output_dropped += size - take;
  if (take == 0) return;
  cloche__item *last = last_item(box);
  size_t at = box->queue_bytes.len;
  cloche__buffer_add(&box->queue_bytes, bytes, take);
  uint64_t *said = &box->said[stream - 1];
  if (box->queue_bytes.failed) {
    cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, "the host has no memory left");
    return;
  }
  *said = cloche__sandbox_hash(*said, box->queue_bytes.at + at, take);
  if (last != NULL && last->kind == CLOCHE_OUTPUT && last->stream == stream) {
    last->len += take;
  } else if (!cloche__queue_add(
                 box,
                 (cloche__item){.kind = CLOCHE_OUTPUT, .stream = stream, .at = at, .len = take})) {
    cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, "the host has no memory left");
  }
}

static void take_record(cloche_sandbox *box, abi_record record, const uint8_t *bytes) {
  switch (record.kind) {
    case ABI_STDOUT:
      take_output(box, 1, bytes, record.size);
      return;
    case ABI_STDERR:
      take_output(box, 2, bytes, record.size);
      return;
    case ABI_CALL:
      cloche__call_made(box, record.id, bytes, record.size);
      return;
    case ABI_DONE:
      if (record.id == box->run) cloche__result_read(box, bytes, record.size);
      return;
    case ABI_FETCH:
      if (!cloche__mounts_fetch(box, record.id, bytes, record.size))
        cloche__sandbox_abandon(box, CLOCHE_END_TRAP,
                                "the guest asked for a file in a way that makes no sense");
      return;
    case ABI_FILED: /* of the setup, when it is told again: it said the same the first time */
      return;
    default:
      cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest sent an unknown message");
  }
}

bool cloche__outbox_next(cloche_sandbox *box, abi_record *record, const uint8_t **bytes) {
  uint64_t size = 0, left = box->outbox_bytes;
  if (left >= sizeof *record) {
    memcpy(record, box->outbox, sizeof *record);
    size = ((uint64_t)record->size + 3) & ~(uint64_t)3;
  }
  if (left < sizeof *record || size > left - sizeof *record) return false;
  *bytes = box->outbox + sizeof *record;
  box->outbox = *bytes + size;
  box->outbox_bytes -= sizeof *record + size;
  return true;
}

bool cloche__outbox_read(cloche_sandbox *box) {
  while (box->outbox_bytes > 0 && !box->ended) {
    if (box->queue_count >= CLOCHE__QUEUE_ITEMS) return false;
    abi_record record;
    const uint8_t *bytes;
    if (!cloche__outbox_next(box, &record, &bytes)) {
      cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest sent half a message");
      break;
    }
    take_record(box, record, bytes);
  }
  box->outbox_bytes = 0;
  return true;
}
