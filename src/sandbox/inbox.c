// SPDX-License-Identifier: MIT
/* inbox.c -- puts records into guest memory, through the guest's own allocator. */
#include <string.h>

#include "limits.h"
#include "sandbox/sandbox.h"

void cloche__inbox_add(cloche__buffer *to, abi_kind kind, uint32_t id, const void *bytes,
                       size_t size) {
  static const char zeros[4] = {0};
  abi_record record = {.kind = (uint32_t)kind, .id = id, .size = (uint32_t)size};
  cloche__buffer_add(to, &record, sizeof record);
  cloche__buffer_add(to, bytes, size);
  cloche__buffer_add(to, zeros, -size & 3);
}

void cloche__control_write(cloche_sandbox *box) {
  abi_control control;
  memcpy(&control, box->slot->base + box->slot->image->control, sizeof control);
  uint32_t taken = control.taken;
  control.granted = box->granted;
  control.clock = box->clock;
  control.clock_fuel = box->clock_fuel;
  control.interrupt = box->stopping != CLOCHE_END_DONE;
  control.taken = taken;
  cloche__slot_write(box->slot, box->slot->image->control, &control,
                     offsetof(abi_control, taken));
}

/* The guest's allocator may run out of fuel as any of its code may; it gets a fixed amount more. */
static cloche__stop ask_for_room(cloche_sandbox *box, uint32_t size) {
  cloche__stop stop = cloche__guest_call(&box->guest, CLOCHE__INBOX, size);
  if (stop != CLOCHE__REFUEL) return stop;
  int64_t more = CLOCHE__INBOX_FUEL + (int64_t)(size / 64);
  box->granted += (uint64_t)more;
  cloche__guest_add_fuel(&box->guest, more);
  cloche__control_write(box);
  return cloche__guest_continue(&box->guest);
}

bool cloche__inbox_deliver(cloche_sandbox *box, const cloche__buffer *records) {
  if (records->len == 0) return true;
  if (records->failed || records->len > CLOCHE__MEMORY_MAX) {
    cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, "the host has no memory left");
    return false;
  }
  cloche__stop stop = ask_for_room(box, (uint32_t)records->len);
  if (stop == CLOCHE__REFUEL) cloche__guest_drop(&box->guest);
  if (stop != CLOCHE__RETURNED) {
    cloche__sandbox_abandon(box, box->guest.memory_refused ? CLOCHE_END_LIMIT_MEMORY : CLOCHE_END_TRAP,
                            "the guest failed while it made room for a message");
    return false;
  }
  uint32_t at = box->guest.result;
  if (at == 0) {
    cloche__sandbox_abandon(box, CLOCHE_END_LIMIT_MEMORY,
                            "the program's memory has no room for what it was sent");
    return false;
  }
  /* Invariant 2: compared as integers, in 64 bits, before it becomes a place to write to. */
  if ((uint64_t)at + records->len > box->slot->size) {
    cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest offered room outside its memory");
    return false;
  }
  cloche__slot_write(box->slot, at, records->at, (uint32_t)records->len);
  return true;
}
