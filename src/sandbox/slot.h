// SPDX-License-Identifier: MIT
/* slot.h -- the linear memory of one sandbox, and what the host knows was written in it.
 *
 *   base                     image          size                               8 GiB
 *   | pages of the image ... | grown pages  | no access ...                    |
 *
 * The image part is a private mapping of the image's memory file: it costs nothing until written.
 * Pages are read-only at first; the first write faults, and cloche__slot_fault makes the page
 * writable and notes it. What a tenant wrote is therefore known from the host's own notes, never
 * from guest memory: that is the line between tenants. A slot that is reused keeps its noted pages
 * writable (the hot set) and copies all of them back from the image, so the next tenant rarely
 * faults.
 *
 * The notes are bitmaps over pages of 4 KiB:
 *   touched    may differ from the image
 *   writable   will not fault; a subset of touched
 *   before     touched when the checkpoint was taken
 *   saved      has its content of that time in the shadow
 *   since      may differ from the frozen state, when the slot is mapped from one (frozen.h)
 *
 * Threads  A slot belongs to one thread at a time.
 * Errors   Nothing here reads a length or an address from guest memory. */
#ifndef CLOCHE_SANDBOX_SLOT_H
#define CLOCHE_SANDBOX_SLOT_H

#include "sandbox/frozen.h"
#include "sandbox/image.h"

enum { CLOCHE__PAGE = 4096, CLOCHE__PAGE_SHIFT = 12, CLOCHE__WASM_PAGE = 65536 };

typedef struct cloche__slot {
  struct cloche__slot *next; /* in the engine's list of free ones */
  const cloche__image *image;
  uint8_t *base;
  uint32_t size;     /* bytes that may be accessed; a multiple of 64 KiB */
  uint32_t limit;    /* size may not grow beyond */
  bool tracked;      /* false: written pages are found through the kernel (pagemap) instead */
  uint32_t words;    /* of each bitmap that can be in use: covers `size` */
  uint32_t capacity; /* of each bitmap, in words */
  uint64_t *touched, *writable, *before, *saved, *since;
  cloche__frozen *frozen; /* mapped from it; NULL: from the image */
  bool frozen_whole;      /* all of it still is: memory has not been smaller since */
  uint8_t *shadow;        /* address space for saved pages, or NULL */
  size_t shadow_bytes;
  bool checkpoint;          /* one is held */
  bool checkpoint_pristine; /* and equals the image */
  uint32_t checkpoint_size;
  uint32_t fault_next, fault_run; /* page after the last fault; how many came in a row */
} cloche__slot;

/* A slot that holds the image. `limit` in bytes of memory beyond the image.
 * E_MEMORY, E_SYSTEM (address space or map count used up). */
cloche_status cloche__slot_new(const cloche__image *image, bool tracked, cloche__slot **slot);
void cloche__slot_free(cloche__slot *slot); /* NULL is fine */
/* What the tenant of a clean slot will probably write, since others did: `hot` is a bitmap of
 * `words` words, at most the image's. Then gets those pages ready for writing, in a few steps
 * instead of a fault for each. Whatever `hot` says, they still hold the image. */
void cloche__slot_expect(cloche__slot *slot, const uint64_t *hot, uint32_t words);
void cloche__slot_warm(cloche__slot *slot);

/* Makes the slot hold the image again, whatever was in it: by copying back what was written, or
 * `by_mapping`: the kernel drops all private pages. False when the system refused; the slot must
 * then be freed. */
bool cloche__slot_reset(cloche__slot *slot, bool by_mapping);

/* How much the guest may use beyond the image, in bytes. Before a tenant starts. */
void cloche__slot_limit(cloche__slot *slot, uint64_t bytes);
/* memory.grow: the old size in 64 KiB pages, or UINT32_MAX. */
uint32_t cloche__slot_grow(cloche__slot *slot, uint32_t wasm_pages);

/* A fault at `offset` while a guest ran: true if the write may go on. Async-signal-safe. */
bool cloche__slot_fault(cloche__slot *slot, uint64_t offset);
/* Copies bytes in. The caller has checked that [at, at + size) lies below slot->size. */
void cloche__slot_write(cloche__slot *slot, uint32_t at, const void *bytes, uint32_t size);
/* The same bytes, noted and writable, for whoever writes them in place. */
uint8_t *cloche__slot_open(cloche__slot *slot, uint32_t at, uint32_t size);

/* Before the first question about what differs. */
void cloche__slot_look(cloche__slot *slot);
/* The next page at or after *page that is not as the image has it; false when there is none. */
bool cloche__slot_next_change(const cloche__slot *slot, uint32_t *page);
/* What the image has there: zeros beyond its end. */
const uint8_t *cloche__slot_original(const cloche__slot *slot, uint32_t page);

/* ---- large states ---- */

/* Puts the state into a memory file, and maps the slot from it: its pages are then shared with
 * whoever adopts it. False: not now; all is as it was. */
bool cloche__slot_freeze(cloche__slot *slot);
/* A slot that holds the image is mapped from a frozen state instead, which fits its limit. False:
 * no memory, and the slot is of no more use. */
bool cloche__slot_adopt(cloche__slot *slot, cloche__frozen *frozen);
/* Does the frozen state, with what was written since, make up the slot's? */
static inline bool cloche__slot_shares(const cloche__slot *slot) {
  return slot->frozen != NULL && slot->frozen_whole;
}
/* The next page at or after *page that was written since the slot was mapped, whatever is in it
 * now; false when there is none. Without a frozen state, or a whole one, as next_change. After
 * cloche__slot_look. */
bool cloche__slot_next_since(const cloche__slot *slot, uint32_t *page);
uint32_t cloche__slot_count_since(const cloche__slot *slot);
/* A page as it was at the checkpoint, of those that may differ from the image then: the next at or
 * after *page. NULL when there is none. */
const uint8_t *cloche__slot_next_before(const cloche__slot *slot, uint32_t *page);

/* Remembers the memory as it is now; `pristine` says that it equals the image. False: no memory. */
bool cloche__slot_checkpoint(cloche__slot *slot, bool pristine);
/* Back to the checkpoint, which stays. */
void cloche__slot_rollback(cloche__slot *slot);
void cloche__slot_forget_checkpoint(cloche__slot *slot);

/* Bytes of memory that this slot has made private. */
uint64_t cloche__slot_private(const cloche__slot *slot);

#endif
