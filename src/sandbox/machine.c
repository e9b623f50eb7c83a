// SPDX-License-Identifier: MIT
/* machine.c -- takes turns with a guest in this process.
 *
 * Invariant 2 is kept here for addresses: an address or length from the guest is copied once and
 * compared as an integer in 64 bits before it becomes a place in memory. What the records say is
 * checked above. */
#include "sandbox/machine.h"

#include <string.h>

#include "limits.h"
#include "sandbox/remote.h"

cloche_status cloche__machine_open(cloche__machine *machine, cloche_engine *engine,
                                   const cloche_limits *limits) {
  *machine = (cloche__machine){.engine = engine};
  if (engine->worker_path != NULL) return cloche__remote_open(engine, limits, &machine->remote);
  cloche_status status = cloche__engine_take_slot(engine, &machine->slot);
  if (status != CLOCHE_OK) return status;
  cloche__slot_limit(machine->slot, limits->memory);
  cloche__guest_init(&machine->guest, machine->slot);
  return CLOCHE_OK;
}

void cloche__machine_close(cloche__machine *machine) {
  if (machine->remote != NULL) {
    cloche__remote_close(machine->remote);
    return;
  }
  cloche__machine_end(machine);
  if (machine->slot != NULL) cloche__engine_give_slot(machine->engine, machine->slot);
}

unsigned cloche__machine_walls(const cloche__machine *machine) {
  return machine->remote != NULL && machine->remote->worker != NULL ? machine->remote->worker->walls
                                                                    : 0;
}

bool cloche__machine_is_halfway(const cloche__machine *machine) {
  return machine->remote != NULL ? machine->remote->halfway : machine->guest.stack != NULL;
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
static bool deliver(cloche__machine *machine, cloche__turn *turn, cloche_text records) {
  cloche__guest *guest = &machine->guest;
  if (records.len > CLOCHE__MEMORY_MAX) {
    turn->end = CLOCHE__TURN_NO_ROOM;
    return false;
  }
  cloche__stop stop = cloche__guest_call(guest, CLOCHE__INBOX, (uint32_t)records.len);
  if (stop == CLOCHE__REFUEL) { /* more, for its allocator */
    count(machine, turn);
    fuel_up(machine, turn, CLOCHE__INBOX_FUEL + (int64_t)(records.len / 64));
    stop = cloche__guest_continue(guest);
  }
  if (stop == CLOCHE__REFUEL) cloche__guest_drop(guest);
  if (stop == CLOCHE__NO_STACK)
    turn->end = CLOCHE__TURN_HOST_FAILED;
  else if (stop != CLOCHE__RETURNED)
    turn->end = CLOCHE__TURN_TRAPPED;
  else if (guest->result == 0)
    turn->end = CLOCHE__TURN_NO_ROOM;
  else if ((uint64_t)guest->result + records.len > machine->slot->size) {
    turn->end = CLOCHE__TURN_NONSENSE;
    turn->nonsense = "the guest offered room outside its memory";
  } else {
    cloche__slot_write(machine->slot, guest->result, records.at, (uint32_t)records.len);
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
  if (machine->remote != NULL) return cloche__remote_write(machine->remote, at, bytes, size);
  cloche__machine_settle(machine);
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

/* What slices cost, so that the last one before a deadline is short enough. Far from a deadline all
 * slices are equal: where a guest is looked at then depends on the program alone. */
typedef struct {
  int64_t now;
  uint64_t used;      /* at `now` */
  int64_t cost, fuel; /* of the slice before: ns, units */
} pace;

static void keep_pace(pace *p, const cloche__turn *turn) {
  int64_t now = cloche__monotonic();
  p->cost = now - p->now;
  p->fuel = (int64_t)(turn->used - p->used) + 1;
  p->now = now;
  p->used = turn->used;
}

/* After a slice: may the guest go on without anyone looking? */
static bool goes_on(const cloche__machine *machine, const cloche__turn *turn, int64_t now) {
  bool cancelled =
      turn->cancelled != NULL && atomic_load_explicit(turn->cancelled, memory_order_relaxed);
  return turn->used < turn->fuel && !cancelled && outbox_is_empty(machine) && now < turn->until;
}

/* A slice that could reach beyond the deadline is cut into short ones: no program's fuel is dearer
 * than CLOCHE__FUEL_NS for long, and what the last slice cost is known better. */
static int64_t next_slice(const cloche__turn *turn, const pace *p) {
  uint64_t left = turn->used < turn->fuel ? turn->fuel - turn->used : 0;
  int64_t slice = left < CLOCHE__SLICE_FUEL ? (int64_t)left : CLOCHE__SLICE_FUEL;
  if (turn->deadline == 0 || turn->deadline - p->now > CLOCHE__SLICE_FUEL * CLOCHE__FUEL_NS)
    return slice;
  int64_t most = CLOCHE__LAST_SLICE_NS / CLOCHE__FUEL_NS;
  if (p->cost > 0) most = CLOCHE__LAST_SLICE_NS * p->fuel / p->cost;
  if (most < CLOCHE__SLICE_FUEL_MIN) most = CLOCHE__SLICE_FUEL_MIN;
  return slice < most ? slice : most;
}

/* Delivers records, if the guest is idle, and lets it run until it is idle again or the turn ends.
 */
static cloche__stop play(cloche__machine *machine, cloche__turn *turn, pace *p,
                         cloche_text records) {
  cloche__guest *guest = &machine->guest;
  guest->deadline = INT64_MAX; /* while records are delivered, which is either done or not */
  if (guest->stack == NULL && records.len > 0 && !deliver(machine, turn, records)) {
    count(machine, turn);
    return CLOCHE__TRAPPED;
  }
  guest->deadline = turn->deadline != 0 ? turn->deadline : INT64_MAX;
  for (;;) {
    cloche__stop stop = guest->stack != NULL ? cloche__guest_continue(guest)
                                             : cloche__guest_call(guest, CLOCHE__STEP, 0);
    turn->end = end_of(guest, stop);
    count(machine, turn);
    if (stop != CLOCHE__REFUEL) return stop;
    keep_pace(p, turn);
    if (!goes_on(machine, turn, p->now)) return stop;
    fuel_up(machine, turn, next_slice(turn, p));
  }
}

void cloche__machine_turn(cloche__machine *machine, cloche__turn *turn) {
  if (machine->remote != NULL) {
    cloche__remote_turn(machine->remote, turn);
    return;
  }
  cloche__machine_settle(machine);
  turn->outbox_bytes = 0;
  turn->used = turn->setup_used = 0;
  turn->setup_done = false;
  turn->next_timer = INT64_MAX;
  machine->guest.memory_refused = false;
  pace p = {.now = cloche__monotonic()};
  fuel_up(machine, turn, next_slice(turn, &p));
  cloche_text records = {turn->records, turn->record_bytes};
  cloche__stop stop = CLOCHE__RETURNED;
  if (turn->setup_bytes > 0) {
    stop = play(machine, turn, &p, (cloche_text){records.at, turn->setup_bytes});
    records = (cloche_text){records.at + turn->setup_bytes, records.len - turn->setup_bytes};
    turn->setup_used = turn->used;
    turn->setup_done = stop == CLOCHE__RETURNED;
    /* From here on as in a turn of its own, slices too: a replay looks at the same places. */
    if (__builtin_add_overflow(turn->fuel, turn->setup_used, &turn->fuel)) turn->fuel = UINT64_MAX;
    if (turn->setup_done) fuel_up(machine, turn, next_slice(turn, &p));
  }
  if (stop == CLOCHE__RETURNED) stop = play(machine, turn, &p, records);
  turn->size = machine->slot->size;
  turn->memory_refused = machine->guest.memory_refused;
  if (stop == CLOCHE__RETURNED || stop == CLOCHE__REFUEL) take_outbox(machine, turn);
}

/* ---- state ---- */

bool cloche__machine_checkpoint(cloche__machine *machine, bool pristine) {
  if (machine->remote != NULL) return cloche__remote_checkpoint(machine->remote, pristine);
  cloche__machine_settle(machine);
  if (!cloche__slot_checkpoint(machine->slot, pristine)) return false;
  cloche__guest_save_globals(&machine->guest, machine->checkpoint_globals);
  return true;
}

void cloche__machine_forget_checkpoint(cloche__machine *machine) {
  if (machine->remote != NULL) return; /* it has no use of it, and no cost */
  cloche__machine_settle(machine);
  cloche__slot_forget_checkpoint(machine->slot);
}

void cloche__machine_end(cloche__machine *machine) {
  if (machine->remote != NULL)
    cloche__remote_end(machine->remote);
  else if (machine->guest.stack != NULL)
    cloche__guest_drop(&machine->guest);
}

/* Giving back a gigabyte takes a tenth of a second. The run is over before that, and a sandbox that
 * is not used again need not do it at all. */
bool cloche__machine_rollback(cloche__machine *machine) {
  if (machine->remote != NULL) return cloche__remote_rollback(machine->remote);
  cloche__machine_end(machine);
  machine->rollback_due = machine->slot->checkpoint;
  return machine->rollback_due;
}

void cloche__machine_settle(cloche__machine *machine) {
  if (!machine->rollback_due) return;
  machine->rollback_due = false;
  cloche__slot_rollback(machine->slot);
  cloche__guest_load_globals(&machine->guest, machine->checkpoint_globals);
  cloche__guest_sync_memory(&machine->guest);
}
