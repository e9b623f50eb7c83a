// SPDX-License-Identifier: MIT
/* outbox.c -- reads what the guest left, believing none of it.
 *
 * The guest does not run meanwhile. Still each field is copied once and the copy is checked: the
 * same code must hold if a guest one day has threads. */
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sandbox/sandbox.h"

static abi_control control_of(const cloche_sandbox *box) {
  abi_control control;
  memcpy(&control, box->slot->base + box->slot->image->control, sizeof control);
  return control;
}

int64_t cloche__control_next_timer(const cloche_sandbox *box) { return control_of(box).next_timer; }

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
  if (box->queue_bytes.failed) {
    cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, "the host has no memory left");
  } else if (last != NULL && last->kind == CLOCHE_OUTPUT && last->stream == stream) {
    last->len += take;
  } else if (!cloche__queue_add(box, (cloche__item){
                 .kind = CLOCHE_OUTPUT, .stream = stream, .at = at, .len = take})) {
    cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, "the host has no memory left");
  }
}

static void take_record(cloche_sandbox *box, abi_record record, const uint8_t *bytes) {
  switch (record.kind) {
    case ABI_STDOUT: take_output(box, 1, bytes, record.size); return;
    case ABI_STDERR: take_output(box, 2, bytes, record.size); return;
    case ABI_CALL: cloche__call_made(box, record.id, bytes, record.size); return;
    case ABI_DONE:
      if (record.id == box->run) cloche__result_read(box, bytes, record.size);
      return;
    default: cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest sent an unknown message");
  }
}

static void set_taken(cloche_sandbox *box, uint32_t taken) {
  cloche__slot_write(box->slot, box->slot->image->control + (uint32_t)offsetof(abi_control, taken),
                     &taken, sizeof taken);
}

bool cloche__outbox_drain(cloche_sandbox *box) {
  abi_control control = control_of(box);
  uint64_t at = (uint64_t)control.outbox + control.taken;
  uint64_t end = (uint64_t)control.outbox + control.committed;
  if (control.taken > control.committed || end > box->slot->size) {
    cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest's outbox lies outside its memory");
    return true;
  }
  while (at < end && !box->ended && !box->dead) {
    if (box->queue_count >= CLOCHE__QUEUE_ITEMS) {
      set_taken(box, (uint32_t)(at - control.outbox));
      return false;
    }
    abi_record record;
    if (end - at < sizeof record) break;
    memcpy(&record, box->slot->base + at, sizeof record);
    uint64_t size = ((uint64_t)record.size + 3) & ~(uint64_t)3;
    if (size > end - at - sizeof record) {
      cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest sent half a message");
      return true;
    }
    take_record(box, record, box->slot->base + at + sizeof record);
    at += sizeof record + size;
  }
  bool gone = box->ended && box->result.rolled_back; /* the outbox, with the state it was in */
  if (!gone && control.committed != control.taken) set_taken(box, control.committed);
  return true;
}
