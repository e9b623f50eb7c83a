// SPDX-License-Identifier: MIT
/* machine.h -- the line between what runs a guest and what decides.
 *
 * Above it (sandbox.c, calls.c, result.c): the run, its limits, the gate. Below it: memory, stacks,
 * traps. They meet in a turn: fuel and records go in, a reason to stop and records come out. A turn
 * is plain data, so a machine may as well live in another process, which is then believed no more
 * than the guest itself.
 *
 * Threads  One at a time per machine. */
#ifndef CLOCHE_SANDBOX_MACHINE_H
#define CLOCHE_SANDBOX_MACHINE_H

#include <stdatomic.h>

#include "json/buffer.h"
#include "messages.h"
#include "sandbox/engine.h"
#include "sandbox/guest.h"

typedef enum cloche__turn_end {
  CLOCHE__TURN_IDLE,        /* the guest returned: it waits, or has ended */
  CLOCHE__TURN_REFUEL,      /* it stands in the middle of something, after a slice */
  CLOCHE__TURN_TRAPPED,     /* it faulted; roll back */
  CLOCHE__TURN_OVERFLOWED,  /* a stack met its limit; roll back */
  CLOCHE__TURN_NO_ROOM,     /* its memory has no room for the records; nothing was delivered */
  CLOCHE__TURN_NONSENSE,    /* it broke the message protocol; roll back. `nonsense` says how */
  CLOCHE__TURN_HOST_FAILED, /* the host has no memory */
  CLOCHE__TURN_LATE,        /* a worker did not come back in time and was killed; roll back */
  CLOCHE__TURN_LOST,        /* a worker is gone; likewise. `nonsense` says how */
} cloche__turn_end;

typedef struct cloche__turn {
  /* In. */
  uint64_t fuel;               /* the guest may use this much, in slices */
  int64_t until;               /* monotonic ns: a slice that ends later is the last */
  int64_t deadline;            /* not before `until`: the run's end; slices get short near it.
                                  0: none */
  const atomic_int *cancelled; /* not zero: likewise. NULL is fine */
  abi_control control;         /* clock, clock_fuel, interrupt are told to the guest, and granted:
                                  here, what it had used before this turn */
  const void *records;         /* delivered before it runs; only to a guest that is idle */
  size_t record_bytes;
  size_t setup_bytes; /* so many of them come first: it runs with them until it is idle, and then
                         gets the others */
  /* Out. */
  cloche__turn_end end;
  const char *nonsense;
  uint64_t used;         /* fuel */
  uint64_t setup_used;   /* so much of it before it was idle with the setup... */
  bool setup_done;       /* ...if it has been. Else the other records were not delivered */
  uint32_t size;         /* bytes of memory now */
  bool memory_refused;   /* a wish for more memory was refused in this turn */
  int64_t next_timer;    /* as in abi_control */
  const uint8_t *outbox; /* hostile bytes; valid until the next turn */
  size_t outbox_bytes;
} cloche__turn;

typedef struct cloche__remote cloche__remote;

typedef struct cloche__machine {
  cloche_engine *engine;
  cloche__remote *remote; /* not NULL: the guest lives in a worker, and nothing below is used */
  cloche__slot *slot;
  cloche__guest guest;
  int64_t slice;     /* fuel it was last seen with */
  bool rollback_due; /* the state is to be that of the checkpoint; done when it is next needed */
  uint8_t checkpoint_globals[192];
} cloche__machine;

/* A machine that holds the image, here or in a worker as the engine was made for. Of the limits
 * only memory and timeout matter to it. E_MEMORY, E_SYSTEM, E_IMAGE: there is none then, and
 * closing it is fine. */
cloche_status cloche__machine_open(cloche__machine *machine, cloche_engine *engine,
                                   const cloche_limits *limits);
void cloche__machine_close(cloche__machine *machine); /* a zeroed one is fine */
/* Bits 1 << CLOCHE_WALL_... */
unsigned cloche__machine_walls(const cloche__machine *machine);
/* True while the guest stands in the middle of something. */
bool cloche__machine_is_halfway(const cloche__machine *machine);
void cloche__machine_turn(cloche__machine *machine, cloche__turn *turn);

/* Copies bytes into the guest's memory, between two turns, whoever gave the address. False: they do
 * not lie in it. */
bool cloche__machine_write(cloche__machine *machine, uint64_t at, const void *bytes, size_t size);

/* Remembers the state. `pristine`: it equals the image. False: no memory; there is none then. */
bool cloche__machine_checkpoint(cloche__machine *machine, bool pristine);
/* Nothing will go back to it: the run is over. */
void cloche__machine_forget_checkpoint(cloche__machine *machine);
/* Drops what stands and goes back. False: there is no checkpoint; the machine is of no more use. */
bool cloche__machine_rollback(cloche__machine *machine);
/* Forgets frames, if any. */
void cloche__machine_end(cloche__machine *machine);
/* Does a rollback that is due. Whoever looks at the slot itself calls this first. */
void cloche__machine_settle(cloche__machine *machine);

/* machine_state.c: an idle machine as bytes. A machine elsewhere does this where its memory is. */

/* Adds the state to `out`. False: the guest stands in the middle of something, or no memory. */
bool cloche__machine_save(cloche__machine *machine, cloche__buffer *out);
/* Into a machine that holds the image, whoever wrote the bytes.
 * E_FORMAT; E_LIMIT: more memory than it may have; E_MEMORY */
cloche_status cloche__machine_load(cloche__machine *machine, cloche_text bytes);
/* The state of the checkpoint, likewise; nothing if there is none, or it equals the image. */
bool cloche__machine_save_checkpoint(cloche__machine *machine, cloche__buffer *out);
/* Such bytes, or none, become the checkpoint of a machine that holds the image; then the state is
 * loaded over it. Errors as cloche__machine_load */
cloche_status cloche__machine_load_checkpoint(cloche__machine *machine, cloche_text bytes);

/* An idle machine in the memory of this process, its checkpoint included. */
typedef struct cloche__kept {
  cloche__frozen *frozen; /* what `state` comes on top of; NULL: the image */
  cloche__buffer state, checkpoint;
} cloche__kept; /* all zero is none */

/* `freeze`: a large state may go into a memory file, to be shared with the machine itself and
 * whoever takes it up. False: the guest stands in the middle of something, or no memory. */
bool cloche__machine_keep(cloche__machine *machine, bool freeze, cloche__kept *kept);
/* In a machine that holds the image, with a checkpoint of it if it is to have one. Errors as
 * cloche__machine_load */
cloche_status cloche__machine_take_up(cloche__machine *machine, const cloche__kept *kept);
void cloche__kept_free(cloche__kept *kept);

/* The state of one machine in another that holds the image, and the checkpoint unless that is the
 * image. A large one is frozen once and then shared. E_STATE: as above; E_MEMORY */
cloche_status cloche__machine_copy(cloche__machine *from, cloche__machine *to);
/* Names the state of an idle machine, however its run was cut into turns. */
void cloche__machine_hash(cloche__machine *machine, uint8_t hash[32]);

#endif
