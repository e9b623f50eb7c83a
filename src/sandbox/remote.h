// SPDX-License-Identifier: MIT
/* remote.h -- a machine in a worker, seen from the process that decides.
 *
 * Behind machine.h like one in this process. The worker is believed no more than a guest: it has
 * frames to answer with, of one kind and a bounded size at each time, and until a time that this
 * side sets; else it is killed. What the answers say is then checked as a guest's memory is. */
#ifndef CLOCHE_SANDBOX_REMOTE_H
#define CLOCHE_SANDBOX_REMOTE_H

#include "json/buffer.h"
#include "sandbox/machine.h"
#include "sandbox/worker.h"

struct cloche__remote {
  cloche_engine *engine;
  cloche__worker *worker; /* NULL: it is gone, and the guest's state with it */
  uint64_t memory;        /* bytes beyond the image that the guest may use */
  int64_t timeout;
  uint32_t size;             /* bytes of the guest's memory, as last told */
  bool halfway;              /* as last told */
  bool checkpoint, pristine; /* one is held there; it equals the image */
  bool begun;                /* a turn has been taken since the checkpoint */
  bool owes;                 /* a run ended without the answer to its last turn */
  cloche__frames told;       /* frames without an answer, which go out with the next that has one */
  cloche__buffer outbox;
  char message[96]; /* why the last turn came to nothing */
};

/* E_MEMORY, E_SYSTEM, E_IMAGE */
cloche_status cloche__remote_open(cloche_engine *engine, const cloche_limits *limits,
                                  cloche__remote **remote);
void cloche__remote_close(cloche__remote *remote);
void cloche__remote_turn(cloche__remote *remote, cloche__turn *turn);
bool cloche__remote_write(cloche__remote *remote, uint64_t at, const void *bytes, size_t size);
bool cloche__remote_checkpoint(cloche__remote *remote, bool pristine);
bool cloche__remote_rollback(cloche__remote *remote);
void cloche__remote_end(cloche__remote *remote);
/* As in machine.h. */
bool cloche__remote_save(cloche__remote *remote, bool checkpoint, cloche__buffer *out);
cloche_status cloche__remote_load(cloche__remote *remote, cloche_text bytes);
void cloche__remote_hash(cloche__remote *remote, uint8_t hash[32]);

#endif
