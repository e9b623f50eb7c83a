// SPDX-License-Identifier: MIT
/* snapshot.h -- what a snapshot's body holds, between snapshot.c and snapshot_state.c.
 *
 *   state, JSON | tools, JSON | gate, JSON | account, JSON | inbox | output | memory | checkpoint
 *
 * each with its length (u64) before it. The state refers to the others by order: its queue's
 * outputs lie one after another in `output`. */
#ifndef CLOCHE_SANDBOX_SNAPSHOT_H
#define CLOCHE_SANDBOX_SNAPSHOT_H

#include "sandbox/sandbox.h"

enum {
  CLOCHE__PART_STATE,
  CLOCHE__PART_TOOLS,
  CLOCHE__PART_GATE,
  CLOCHE__PART_ACCOUNT,
  CLOCHE__PART_INBOX,
  CLOCHE__PART_OUTPUT,
  CLOCHE__PART_MEMORY,
  CLOCHE__PART_CHECKPOINT, /* memory as a hard stop brings it back; nothing: the image, or none */
  CLOCHE__PARTS
};

typedef struct cloche__saved_item {
  uint32_t kind, stream; /* as in cloche__item; call: in `call` */
  uint32_t call;
  uint64_t len;
} cloche__saved_item;

/* The state as it was read, checked field by field, not yet believed. Texts lie in `doc`. */
typedef struct cloche__saved {
  cloche__json_doc doc;
  cloche_text name, account;
  bool accounted; /* spending is in a store that `account` names */
  uint8_t id[16], seed[32], policy[32];
  cloche_limits limits;
  cloche_usage usage;
  uint64_t said[2];
  bool real_time, pristine, was_pristine, active, memory_refused, shell;
  uint32_t run, last_call;
  uint64_t used, run_fuel, clock_fuel;
  int64_t clock, elapsed, wall, next_timer; /* wall: ns since 1970 when it was saved */
  cloche__pending *calls;
  size_t call_count;
  cloche__saved_item *queue;
  size_t queue_count;
} cloche__saved;

/* Names a policy. */
void cloche__policy_hash(const cloche_policy *policy, uint8_t hash[32]);
void cloche__state_write(const cloche_sandbox *box, cloche__buffer *out);
/* E_FORMAT, E_MEMORY; frees what it has read then. */
cloche_status cloche__state_read(cloche_text json, cloche__saved *saved);
void cloche__state_free(cloche__saved *saved);
/* The calls that wait, as the array that cloche_snapshot_info shows. */
void cloche__state_write_pending(const cloche__pending *calls, size_t count, cloche__buffer *out);

#endif
