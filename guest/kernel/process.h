// SPDX-License-Identifier: MIT
/* process.h -- processes as the kernel's own files see them.
 *
 *   run --> root process --> children ...       all of them in one list, by rising pid
 *
 * A process waits in at most one wait_queue, with or without a deadline. Nothing is preempted:
 * between two waits a process has the whole kernel to itself, so no structure here is locked. There
 * are a few dozen processes at most; where a list is walked, it is short. */
#ifndef GUEST_KERNEL_PROCESS_H
#define GUEST_KERNEL_PROCESS_H

#include "coroutine.h"
#include "kernel.h"

struct inode;
struct open_file;
struct heap;
struct call;

/* Beyond this a fork bomb is refused. Each has at least its stack, 64 KiB as a rule, so this many
 * are a third of the default memory. */
#define PROCESS_MAX 256
#define PROCESS_STACK 65536u

/* Who waits for one thing, first come first woken. */
typedef struct {
  process *first, *last;
} wait_queue;

typedef enum { WOKEN, WOKEN_BY_TIME, WOKEN_BY_SIGNAL, WOKEN_BY_END } wake_reason;

/* What else may end a wait. */
enum { WAIT_SIGNALS = 1, WAIT_END = 2 };

typedef enum { PROCESS_READY, PROCESS_WAITING, PROCESS_STOPPED, PROCESS_ENDED } process_state;

/* One ABI_RUN_JS or ABI_RUN_SH. */
typedef struct run {
  struct run *next;
  uint32_t id;
  uint32_t live; /* processes that have not ended */
  process *root;
  run_program program;
  char *result; /* JSON */
  size_t result_size;
  int64_t started;
  int status;      /* the root's, once it ended */
  bool ending;     /* the root ended, or the host wants the run to end */
  bool swept;      /* the other processes were told */
  bool sealed;     /* the kernel has set the result; no process changes it */
  bool is_session; /* its root goes on in the next run of the session */
} run;

struct process {
  process *next; /* in the list of all */
  int pid;
  process *parent; /* NULL: nobody will ask for its status */
  run *run;
  process_entry *entry;
  void *context;
  char *name;
  coroutine *coroutine;
  struct heap *heap;
  struct shared_heap *memory; /* the same, with who else reads it */

  process_state state;
  int status;
  process *ready_next;
  wait_queue *queue;
  process *queue_next;
  int64_t deadline; /* INT64_MAX: none */
  process *sleep_next;
  unsigned wait_flags;
  wake_reason woken;
  bool told_end; /* it has had its one chance to tidy up */
  bool stopped;  /* by SIGNAL_STOP */

  uint32_t pending, caught, ignored; /* signals, one bit each */
  int killed_by;                     /* a signal that ends it at its next wait, or 0 */

  wait_queue news; /* where it waits for children and answers */
  struct call *answers_first, *answers_last;
  uint32_t in_flight; /* calls whose answer comes as an event */

  struct open_file **files;
  int file_count; /* length of the table; free entries are NULL */
  struct inode *folder;
  uint32_t umask;
  uint32_t word; /* see process_word */
};

/* ---- scheduler.c ---- */

/* The process that runs, or NULL outside of any. */
process *process_current(void);
/* Makes it ready, if it waits. */
void process_wake(process *woken, wake_reason why);
/* SIGNAL_CONT came. */
void process_continue(process *stopped);
/* [waits] Until the queue (NULL: none) is woken or the deadline is there. */
wake_reason process_block(wait_queue *queue, int64_t deadline, unsigned flags);
void queue_wake_all(wait_queue *queue);
/* Makes it ready to run for the first time. */
void scheduler_add(process *added);
/* Forgets it wherever it is queued. */
void scheduler_remove(process *removed);
/* Until every process waits. */
void scheduler_run(void);
/* The earliest deadline, INT64_MAX when there is none. */
int64_t scheduler_next_deadline(void);

/* ---- process.c ---- */

process *process_first(void);
process *process_find(int pid);
/* A process without parent, in `owner`. NULL when there is no memory. */
process *process_create(run *owner, process *parent, const process_options *options);
/* It ran for the last time, or never will again: gives back what it had, tells its parent. Not for
 * the process that runs. */
void process_end(process *ended, int status);
/* Nobody will ask for the status of its children any more. */
void process_leave_children(process *of);

/* ---- signal.c ---- */

void signal_send(process *to, int signal);

/* ---- run.c ---- */

/* -ENOMEM, -EAGAIN: nothing was started. Takes over what `program` points to. */
int runs_start(uint32_t id, process_entry *entry, const char *name, const run_program *program,
               uint32_t stack);
/* The same in the session, which begins with the first. */
int runs_go_on(uint32_t id, process_entry *entry, const char *name, const run_program *program,
               uint32_t stack);
void runs_process_ended(process *ended);
/* Ends what is to end; cheap when nothing is. */
void runs_check(void);
/* No process is ready: ends the runs if none ever can be. True if something is ready after all. */
bool runs_unlock(void);

#endif
