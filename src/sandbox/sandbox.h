// SPDX-License-Identifier: MIT
/* sandbox.h -- one sandbox as the files of this folder share it.
 *
 *   exec ---> inbox ---> guest ---> outbox ---> queue ---> events
 *             (records)  (slices)   (records)   (checked)  (cloche_step)
 *   resolve, reject, approve, deny ---> inbox
 *
 * sandbox.c  makes, starts, steps, ends          calls.c    what a CALL record becomes
 * outbox.c   reads the records of a turn         inbox.c    writes the records for one
 * result.c   reads how a run ended               machine.c  takes the turns
 * files.c    files, between runs                 changes.c  what a run changed in them
 * snapshot.c saves and restores all of it        fork.c     another one with the same state
 * park.c     without a mapping while it waits
 * checkpoint.c  states with a name, to return to */
#ifndef CLOCHE_SANDBOX_SANDBOX_H
#define CLOCHE_SANDBOX_SANDBOX_H

#include <stdatomic.h>

#include "json/json.h"
#include "ledger/ledger.h"
#include "sandbox/engine.h"
#include "sandbox/machine.h"
#include "sandbox/mounts.h"

/* A call that the guest made and that has no answer yet. */
typedef struct cloche__pending {
  uint32_t id;
  bool asked;     /* waits for a person, not for the tool */
  bool announced; /* the embedder was told to run it */
  bool again;     /* likewise, before this sandbox was saved */
  bool once;      /* and does not want to be told again */
  bool shared;    /* a snapshot or a fork has the same call, with the same reservation */
  char key[33];
  uint32_t approve_up_to;
  uint64_t reservation;
  cloche_text method, sent, params, rule, reason; /* in one block that `method` starts */
} cloche__pending;

/* Something for the embedder, in the order the guest did it. */
typedef struct cloche__item {
  cloche_event_kind kind;
  int stream;
  uint32_t call;
  size_t at, len; /* OUTPUT: in queue_bytes */
} cloche__item;

/* Looks over the gate's shoulder, for a run that makes a plan or keeps to one. It sees each call
 * that the gate would let through before anything is charged. */
typedef struct cloche__referee {
  void *self;
  /* False: the call is refused all the same, and `why` says so in one sentence. */
  bool (*admits)(void *self, uint32_t call, const cloche_decision *decision, char why[256]);
  /* A decision that is about to go on record. */
  void (*decided)(void *self, uint32_t call, cloche_text sent, const cloche_decision *decision);
} cloche__referee;

/* Where a sandbox's machine is: park.h. */
typedef enum cloche__place {
  CLOCHE__HERE,
  CLOCHE__IN_LINE,
  CLOCHE__PARKING,
  CLOCHE__PARKED,
} cloche__place;

typedef struct cloche__named cloche__named; /* checkpoint.c */

/* A machine without a mapping. */
typedef struct cloche__packed {
  cloche_text bytes; /* compressed */
  size_t plain;      /* what they become; 0: nothing */
} cloche__packed;
typedef struct cloche__parked {
  cloche__packed state, checkpoint; /* checkpoint: nothing when it is the image, or there is none */
  cloche__frozen *frozen;           /* what the state comes on top of */
} cloche__parked;

/* What a change of a file left it with, apart from its content. */
typedef struct cloche__attributes {
  uint32_t mode;        /* permission bits */
  bool only;            /* the content is as it was */
  bool has_times;       /* the times below are to be kept: set, or those of what was moved */
  int64_t atime, mtime; /* ns since 1970 */
} cloche__attributes;

struct cloche_sandbox {
  cloche_engine *engine;
  cloche__machine machine;
  unsigned forks; /* cloche__engine_forks() when it was made */
  cloche_limits limits;
  const cloche_policy *policy;
  cloche_gate *gate;        /* NULL: every call is denied */
  cloche__referee *referee; /* NULL: the gate alone decides */
  cloche_ledger *ledger;
  char *name;               /* in the ledger */
  cloche__buffer tools;     /* as JSON */
  uint8_t seed[32], id[16]; /* id: random, as it was in the snapshot; a fork has its own */
  bool real_time;

  /* To the guest. `setup` says what the sandbox is like; it is told before the first run, and again
   * when a rollback went back to the image. */
  cloche__buffer setup, inbox;
  bool pristine;     /* the guest has not been told `setup`: its memory equals the image */
  bool was_pristine; /* when the run began */
  bool setting_up;   /* the guest is being told `setup` */
  bool dead;         /* nothing can run here any more */

  /* From the guest. */
  const uint8_t *outbox; /* of the last turn, what has not been read yet */
  size_t outbox_bytes;
  int64_t next_timer;
  cloche__buffer queue_bytes;
  cloche__item *queue;
  size_t queue_first, queue_count, queue_capacity;
  cloche__pending *calls; /* by rising id */
  size_t call_count, call_capacity;
  uint32_t last_call;
  uint32_t
      first_call; /* what last_call was when the run began: a rollback takes the guest back there */

  /* The run. */
  uint32_t run;
  cloche_language language; /* of its program */
  bool active, ended;       /* ended: its result is known, queue and DONE are still to be told */
  cloche_end stopping;      /* what the host ended it for; CLOCHE_END_DONE: it goes on */
  uint64_t used;            /* fuel, since the sandbox was made */
  uint64_t run_fuel;        /* fuel used when the run began */
  uint64_t stop_fuel;       /* at which a soft stop turns hard, once stopping or ended... */
  int64_t stop_time;        /* ...and the monotonic time at which it does, if that comes first */
  int64_t clock;            /* virtual time when clock_fuel had been used */
  uint64_t clock_fuel;
  int64_t started;       /* monotonic ns */
  int64_t entered;       /* monotonic ns at which the guest was last entered, 0 outside */
  int64_t waiting_since; /* 0 when it does not wait */
  bool clock_stands;     /* while it waits for calls: virtual time comes from the program alone */
  bool memory_refused;   /* in this run */
  uint64_t said[2];      /* hashes of what it has written to stdout and stderr, and was kept */
  atomic_int cancelled;

  cloche_usage usage;
  cloche_result result;
  bool has_result;
  size_t cancelled_calls;
  cloche__buffer result_bytes;
  char message[256];

  cloche__mounts mounts;
  /* A replay: time does not pass by itself, and a turn ends where the ledger has something. */
  struct {
    bool on;
    uint64_t until; /* fuel of the run */
    int64_t wall;   /* what decisions take for now */
  } replay;

  /* Parked. */
  _Atomic cloche__place place;
  cloche_sandbox *line_before, *line_after;
  cloche__parked parked;

  cloche__named *checkpoints; /* states that have a name */
  size_t checkpoint_count;

  /* Between runs. */
  uint32_t file_operation;  /* the last one's id */
  int file_errno;           /* why it failed */
  bool given_files;         /* the embedder has changed files: no ledger has what he did */
  uint64_t files_fuel;      /* used when it began */
  cloche_usage files_usage; /* the last run's, kept from what operations use */
  cloche_change *changes;   /* of the last run, in one block with their paths; NULL: not asked */
  cloche__attributes *change_attributes; /* one for each */
  size_t change_count;
};

/* inbox.c */

void cloche__inbox_add(cloche__buffer *to, abi_kind kind, uint32_t id, const void *bytes,
                       size_t size);
/* outbox.c */

/* Reads the turn's records into the queue. False when there are more than fit in it now. */
bool cloche__outbox_read(cloche_sandbox *box);
/* Takes the next record, bounds-checked. False when what is there is no whole one. */
bool cloche__outbox_next(cloche_sandbox *box, abi_record *record, const uint8_t **bytes);

/* calls.c */

/* `bytes` is the record's payload, still in guest memory, length-checked, read once. */
void cloche__call_made(cloche_sandbox *box, uint32_t id, const uint8_t *bytes, uint32_t size);
void cloche__calls_forget(cloche_sandbox *box); /* all of them; those under way are reported */
/* Those that the sandbox has and `kept` has not are given up: nobody will answer them. */
void cloche__calls_abandon(cloche_sandbox *box, const cloche_sandbox *kept);
/* Calls that wait are from now on also another sandbox's. */
void cloche__calls_share(cloche_sandbox *box);
/* A call of a snapshot, which becomes one that waits. Ids have to rise. False: no memory, or they
 * do not. */
bool cloche__call_restored(cloche_sandbox *box, const cloche__pending *call);
/* After all of them: those that want to be made once have failed; with `anew` the rest is decided
 * as if it had just been asked for, and reservations are `released` first or not known here. */
void cloche__calls_restored(cloche_sandbox *box, bool anew, bool released);
bool cloche__queue_add(cloche_sandbox *box, cloche__item item);

/* result.c */

/* Reads a DONE record. */
void cloche__result_read(cloche_sandbox *box, const uint8_t *bytes, uint32_t size);
/* The host's own word on how it ended; replaces what the guest said. */
void cloche__result_set(cloche_sandbox *box, cloche_end end, const char *name, const char *message);

/* fork.c */

/* The state of a sandbox but for its gate and its machine, in another that is all zero: numbers,
 * calls that wait, what is to be told. */
cloche_status cloche__fork_state(const cloche_sandbox *from, cloche_sandbox *to);
/* The numbers of it that change as a sandbox runs; not its settings. */
void cloche__fork_progress(const cloche_sandbox *from, cloche_sandbox *to);

/* checkpoint.c */

void cloche__checkpoints_free(cloche_sandbox *box);
/* files.c */

/* The changes that were read for the last run. */
void cloche__changes_forget(cloche_sandbox *box);

/* sandbox.c */

/* One turn within `turn`'s fuel and time, with `records` (NULL: none) if the guest is idle. Leaves
 * its outbox in the sandbox. */
void cloche__sandbox_turn(cloche_sandbox *box, const cloche__buffer *records, cloche__turn *turn);
/* Begins a public function: what an earlier one complained of is no longer the sandbox's message.
 * False for NULL. */
bool cloche__sandbox_enter(cloche_sandbox *box);
/* Leaves a message, and is the status. */
cloche_status cloche__sandbox_refuse(cloche_sandbox *box, cloche_status status,
                                     const char *message);
/* What cloche_sandbox_message(NULL) says. */
__attribute__((format(printf, 1, 2))) void cloche__sandbox_complain(const char *format, ...);
/* The policy as JSON: the array of its layers, from the root. */
void cloche__sandbox_write_policy(const cloche_policy *policy, cloche__buffer *out);
void cloche__sandbox_write_limits(const cloche_limits *limits, cloche__buffer *out);
/* Is everything that the program did told, and does it wait? If not, the sandbox's message says
 * why. */
bool cloche__sandbox_waits(cloche_sandbox *box);
/* Virtual time, which does not go back. */
void cloche__sandbox_set_clock(cloche_sandbox *box, int64_t to);
/* FNV-1a: tells outputs apart that differ by accident. */
#define CLOCHE__HASH_NOTHING 14695981039346656037u
uint64_t cloche__sandbox_hash(uint64_t hash, const void *bytes, size_t size);
/* Wall time, for decisions. */
int64_t cloche__sandbox_wall(const cloche_sandbox *box);
/* Now, as the ledger wants it. */
cloche__moment cloche__sandbox_moment(const cloche_sandbox *box);
int64_t cloche__real_time(void); /* ns since 1970 */

/* Starts the grace, after which the guest is stopped where it stands. */
void cloche__sandbox_grace(cloche_sandbox *box);
/* Ends the run as soon as the guest lets itself be ended, hard after a grace. */
void cloche__sandbox_stop(cloche_sandbox *box, cloche_end why);
/* The guest broke the protocol, or trapped: the state is not to be trusted. */
void cloche__sandbox_abandon(cloche_sandbox *box, cloche_end end, const char *message);

#endif
