// SPDX-License-Identifier: MIT
/* machine.c -- takes turns with a guest in this process.
 *
 * Invariant 2 is kept here for addresses: an address or length from the guest is copied once and
 * compared as an integer in 64 bits before it becomes a place in memory. What the records say is
 * checked above. */
#include "sandbox/machine.h"

#include <string.h>
#include <time.h>

#include "limits.h"

int64_t cloche__monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

cloche_status cloche__machine_open(cloche__machine *machine, cloche_engine *engine,
                                   uint64_t memory) {
  *machine = (cloche__machine){.engine = engine};
  cloche_status status = cloche__engine_take_slot(engine, &machine->slot);
  if (status != CLOCHE_OK) return status;
  if (!cloche__slot_limit(machine->slot, memory)) return CLOCHE_E_MEMORY;
  cloche__guest_init(&machine->guest, machine->slot);
  return CLOCHE_OK;
}

void cloche__machine_close(cloche__machine *machine) {
  cloche__machine_end(machine);
  if (machine->slot != NULL) cloche__engine_give_slot(machine->engine, machine->slot);
}

/* ---- in ---- */

static uint32_t control_at(const cloche__machine *machine) {
  return machine->slot->image->control;
}

/* Gives the guest `units` in all, and tells it: its clock counts what it was granted. */
static void fuel_up(cloche__machine *machine, cloche__turn *turn, int64_t units) {
  cloche__guest_add_fuel(&machine->guest, units - cloche__guest_fuel(&machine->guest));
  abi_control told = turn->control;
  told.granted += turn->used + (uint64_t)units;
  cloche__slot_write(machine->slot, control_at(machine), &told, offsetof(abi_control, taken));
  machine->slice = units;
}

/* Counts what was used of it. Fuel may be below zero by a little: that was used as well. */
static void count(cloche__machine *machine, cloche__turn *turn) {
  turn->used += (uint64_t)(machine->slice - cloche__guest_fuel(&machine->guest));
  machine->slice = cloche__guest_fuel(&machine->guest);
}

/* Asks the guest's allocator for room and copies the records in. */
static bool deliver(cloche__machine *machine, cloche__turn *turn) {
  cloche__guest *guest = &machine->guest;
  if (turn->record_bytes > CLOCHE__MEMORY_MAX) {
    turn->end = CLOCHE__TURN_NO_ROOM;
    return false;
  }
  cloche__stop stop = cloche__guest_call(guest, CLOCHE__INBOX, (uint32_t)turn->record_bytes);
  if (stop == CLOCHE__REFUEL) { /* more, for its allocator */
    count(machine, turn);
    fuel_up(machine, turn, CLOCHE__INBOX_FUEL + (int64_t)(turn->record_bytes / 64));
    stop = cloche__guest_continue(guest);
  }
  if (stop == CLOCHE__REFUEL) cloche__guest_drop(guest);
  if (stop == CLOCHE__NO_STACK)
    turn->end = CLOCHE__TURN_HOST_FAILED;
  else if (stop != CLOCHE__RETURNED)
    turn->end = CLOCHE__TURN_TRAPPED;
  else if (guest->result == 0)
    turn->end = CLOCHE__TURN_NO_ROOM;
  else if ((uint64_t)guest->result + turn->record_bytes > machine->slot->size) {
    turn->end = CLOCHE__TURN_NONSENSE;
    turn->nonsense = "the guest offered room outside its memory";
  } else {
    cloche__slot_write(machine->slot, guest->result, turn->records, (uint32_t)turn->record_bytes);
    return true;
  }
  return false;
}

/* ---- out ---- */

/* Marks the outbox as taken and shows it. */
static void take_outbox(cloche__machine *machine, cloche__turn *turn) {
  cloche__slot *slot = machine->slot;
  abi_control control;
  memcpy(&control, slot->base + control_at(machine), sizeof control);
  turn->next_timer = control.next_timer;
  uint64_t end = (uint64_t)control.outbox + control.committed;
  if (control.taken > control.committed || end > slot->size) {
    turn->end = CLOCHE__TURN_NONSENSE;
    turn->nonsense = "the guest's outbox lies outside its memory";
    return;
  }
  turn->outbox = slot->base + control.outbox + control.taken;
  turn->outbox_bytes = control.committed - control.taken;
  if (turn->outbox_bytes > 0)
    cloche__slot_write(slot, control_at(machine) + (uint32_t)offsetof(abi_control, taken),
                       &control.committed, sizeof control.committed);
}

bool cloche__machine_write(cloche__machine *machine, uint64_t at, const void *bytes, size_t size) {
  uint64_t room = machine->slot->size;
  if (at > room || size > room - at) return false;
  cloche__slot_write(machine->slot, (uint32_t)at, bytes, (uint32_t)size);
  return true;
}

static cloche__turn_end end_of(const cloche__guest *guest, cloche__stop stop) {
  switch (stop) {
    case CLOCHE__RETURNED:
      return CLOCHE__TURN_IDLE;
    case CLOCHE__REFUEL:
      return CLOCHE__TURN_REFUEL;
    case CLOCHE__NO_STACK:
      return CLOCHE__TURN_HOST_FAILED;
    case CLOCHE__TRAPPED:
      break;
  }
  return cloche__guest_overflowed(guest) ? CLOCHE__TURN_OVERFLOWED : CLOCHE__TURN_TRAPPED;
}

static bool outbox_is_empty(const cloche__machine *machine) {
  abi_control control;
  memcpy(&control, machine->slot->base + control_at(machine), sizeof control);
  return control.committed == control.taken;
}

/* After a slice: may the guest go on without anyone looking? */
static bool goes_on(const cloche__machine *machine, const cloche__turn *turn) {
  bool cancelled =
      turn->cancelled != NULL && atomic_load_explicit(turn->cancelled, memory_order_relaxed);
  return turn->used < turn->fuel && !cancelled && outbox_is_empty(machine) &&
         cloche__monotonic() < turn->until;
}

static int64_t next_slice(const cloche__turn *turn) {
  uint64_t left = turn->used < turn->fuel ? turn->fuel - turn->used : 0;
  return left < CLOCHE__SLICE_FUEL ? (int64_t)left : CLOCHE__SLICE_FUEL;
}

void cloche__machine_turn(cloche__machine *machine, cloche__turn *turn) {
  cloche__guest *guest = &machine->guest;
  turn->outbox_bytes = 0;
  turn->used = 0;
  turn->next_timer = INT64_MAX;
  guest->memory_refused = false;
  fuel_up(machine, turn, next_slice(turn));
  cloche__stop stop = CLOCHE__TRAPPED;
  bool entered = guest->stack != NULL || turn->record_bytes == 0 || deliver(machine, turn);
  while (entered) {
    stop = guest->stack != NULL ? cloche__guest_continue(guest)
                                : cloche__guest_call(guest, CLOCHE__STEP, 0);
    turn->end = end_of(guest, stop);
    count(machine, turn);
    if (stop != CLOCHE__REFUEL || !goes_on(machine, turn)) break;
    fuel_up(machine, turn, next_slice(turn));
  }
  if (!entered) count(machine, turn);
  turn->size = machine->slot->size;
  turn->memory_refused = guest->memory_refused;
  if (stop == CLOCHE__RETURNED || stop == CLOCHE__REFUEL) take_outbox(machine, turn);
}

/* ---- state ---- */

bool cloche__machine_checkpoint(cloche__machine *machine, bool pristine) {
  if (!cloche__slot_checkpoint(machine->slot, pristine)) return false;
  cloche__guest_save_globals(&machine->guest, machine->checkpoint_globals);
  return true;
}

void cloche__machine_end(cloche__machine *machine) {
  if (machine->guest.stack != NULL) cloche__guest_drop(&machine->guest);
}

bool cloche__machine_rollback(cloche__machine *machine) {
  cloche__machine_end(machine);
  if (!machine->slot->checkpoint) return false;
  cloche__slot_rollback(machine->slot);
  cloche__guest_load_globals(&machine->guest, machine->checkpoint_globals);
  cloche__guest_sync_memory(&machine->guest);
  return true;
}
