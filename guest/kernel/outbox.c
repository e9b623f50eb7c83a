// SPDX-License-Identifier: MIT
/* outbox.c -- records for the host, one behind the other in one buffer.
 *
 * The host may look at any call of refuel, and the meter puts those at every loop head and function
 * entry. So `committed` moves only when a record is whole, and where several words change together
 * no loop or call lies between them. The buffer starts as a small static one among what every run
 * writes, goes on in a large one (outbox_room.c), and moves to the heap for a record that does not
 * fit there. */
#include "outbox.h"

#include <string.h>

#include "control.h"
#include "kernel.h"
#include "machine.h"

static uint8_t first_room[512];
static uint8_t *bytes = first_room;
static size_t capacity = sizeof first_room;

const uint8_t *outbox_bytes(void) {
  return bytes;
}

void outbox_boot(void) {
  kernel_control.outbox = (uint32_t)(uintptr_t)bytes;
}

static void rewind_if_drained(void) {
  if (kernel_control.taken != kernel_control.committed) return;
  kernel_control.taken = 0;
  kernel_control.committed = 0;
}

/* What was taken is left behind. */
static void move_to(uint8_t *moved, size_t size) {
  uint32_t taken = kernel_control.taken;
  size_t kept = kernel_control.committed - taken;
  memcpy(moved, bytes + taken, kept);
  if (kernel_control.taken != taken) kept = 0; /* the host took them while they were copied */
  uint8_t *old = bytes;
  bytes = moved;
  capacity = size;
  kernel_control.outbox = (uint32_t)(uintptr_t)moved;
  kernel_control.taken = 0;
  kernel_control.committed = (uint32_t)kept;
  if (old != first_room && old != outbox_room) kernel_free(old);
}

static bool move_to_heap(size_t size) {
  uint8_t *moved = kernel_malloc(size);
  if (moved != NULL) move_to(moved, size);
  return moved != NULL;
}

/* A buffer that once had to be large is given back when it is empty. */
static void shrink_if_empty(void) {
  if (bytes == first_room || bytes == outbox_room || kernel_control.committed != 0) return;
  move_to(outbox_room, ABI_OUTBOX_BYTES);
}

static bool make_room(size_t size) {
  if (kernel_control.committed + size <= capacity) return true;
  if (bytes == first_room) move_to(outbox_room, ABI_OUTBOX_BYTES);
  if (kernel_control.committed + size <= capacity) return true;
  refuel();
  rewind_if_drained();
  shrink_if_empty();
  size_t needed = (size_t)(kernel_control.committed - kernel_control.taken) + size;
  if (kernel_control.committed + size <= capacity) return true;
  if (needed > UINT32_MAX / 2) return false;
  return move_to_heap(needed + needed / 4);
}

bool outbox_add(abi_kind kind, uint32_t id, const void *first, size_t first_size,
                const void *second, size_t second_size) {
  abi_record record = {(uint32_t)kind, id, (uint32_t)(first_size + second_size)};
  if (first_size > UINT32_MAX / 4 || second_size > UINT32_MAX / 4) return false;
  size_t padded = ((size_t)record.size + 3) & ~(size_t)3;
  rewind_if_drained();
  shrink_if_empty();
  if (!make_room(sizeof record + padded)) return false;
  uint8_t *to = bytes + kernel_control.committed;
  memcpy(to, &record, sizeof record);
  to += sizeof record;
  if (first_size > 0) memcpy(to, first, first_size);
  if (second_size > 0) memcpy(to + first_size, second, second_size);
  for (size_t i = record.size; i < padded; i++) to[i] = 0;
  kernel_control.committed += (uint32_t)(sizeof record + padded);
  return true;
}
