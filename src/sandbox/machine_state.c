// SPDX-License-Identifier: MIT
/* machine_state.c -- an idle machine as bytes, its copy, and its hash.
 *
 *   head | globals | page numbers, rising | pages, each as its difference (xor) from the image
 *
 * Most of a page that was written is as it was in the image, so the difference is mostly zeros.
 * Pages that were written and are as in the image again are left out.
 *
 * Invariant 8: every byte that comes in is hostile. All lengths and numbers are checked as integers
 * in 64 bits before the first page is touched; what the pages and globals then say can only
 * mislead the guest itself. The fuel among the globals counts for nothing: each turn sets it. */
#include <sodium.h>
#include <string.h>

#include "limits.h"
#include "sandbox/remote.h"

typedef struct {
  uint32_t size; /* of the memory */
  uint32_t globals;
  uint32_t pages;
  uint32_t reserved;
} head;

static void save_globals(const cloche__machine *machine, uint8_t globals[192]) {
  cloche__guest plain = machine->guest;
  plain.wasm.w2c_fuel = 0;
  cloche__guest_save_globals(&plain, globals);
}

static void add_difference(const uint8_t *page, const uint8_t *original, cloche__buffer *out) {
  if (!cloche__buffer_reserve(out, CLOCHE__PAGE)) return;
  char *to = out->at + out->len;
  for (size_t i = 0; i < CLOCHE__PAGE; i++) to[i] = (char)(page[i] ^ original[i]);
  out->len += CLOCHE__PAGE;
}

/* Which pages a state is made of. */
typedef enum { CHANGED, SINCE_FROZEN, AT_CHECKPOINT } selection;

/* The next page of a selection at or after *page; NULL at the end. */
static const uint8_t *next_page(const cloche__slot *slot, selection which, uint32_t *page) {
  if (which == AT_CHECKPOINT) return cloche__slot_next_before(slot, page);
  bool found =
      which == CHANGED ? cloche__slot_next_change(slot, page) : cloche__slot_next_since(slot, page);
  return found ? slot->base + (size_t)*page * CLOCHE__PAGE : NULL;
}

static bool save_pages(const cloche__slot *slot, selection which, head h,
                       const uint8_t globals[192], cloche__buffer *out) {
  size_t start = out->len;
  cloche__buffer_add(out, &h, sizeof h);
  cloche__buffer_add(out, globals, h.globals);
  size_t numbers = out->len;
  for (uint32_t page = 0; next_page(slot, which, &page) != NULL; page++) {
    cloche__buffer_add(out, &page, sizeof page);
    h.pages++;
  }
  cloche__buffer_reserve(out, (size_t)h.pages * CLOCHE__PAGE);
  for (uint32_t i = 0; i < h.pages && !out->failed; i++) {
    uint32_t page;
    memcpy(&page, out->at + numbers + i * sizeof page, sizeof page);
    add_difference(next_page(slot, which, &page), cloche__slot_original(slot, page), out);
  }
  if (!out->failed) memcpy(out->at + start, &h, sizeof h);
  return !out->failed;
}

static bool save_state(cloche__machine *machine, selection which, cloche__buffer *out) {
  uint8_t globals[192];
  head h = {.size = machine->slot->size, .globals = cloche__guest_globals_size()};
  cloche__machine_settle(machine);
  if (cloche__machine_is_halfway(machine)) return false;
  cloche__slot_look(machine->slot);
  save_globals(machine, globals);
  h.size = machine->slot->size;
  return save_pages(machine->slot, which, h, globals, out);
}

bool cloche__machine_save(cloche__machine *machine, cloche__buffer *out) {
  if (machine->remote != NULL) return cloche__remote_save(machine->remote, false, out);
  return save_state(machine, CHANGED, out);
}

bool cloche__machine_save_checkpoint(cloche__machine *machine, cloche__buffer *out) {
  if (machine->remote != NULL) return cloche__remote_save(machine->remote, true, out);
  cloche__machine_settle(machine);
  const cloche__slot *slot = machine->slot;
  if (cloche__machine_is_halfway(machine)) return false;
  if (!slot->checkpoint || slot->checkpoint_pristine) return true;
  head h = {.size = slot->checkpoint_size, .globals = cloche__guest_globals_size()};
  return save_pages(slot, AT_CHECKPOINT, h, machine->checkpoint_globals, out);
}

/* Are these bytes what cloche__machine_save writes, for this image? */
static bool is_sound(const cloche__machine *machine, const head *h, const uint8_t *numbers,
                     size_t len) {
  const cloche__slot *slot = machine->slot;
  if (h->globals != cloche__guest_globals_size() || h->size % CLOCHE__WASM_PAGE != 0 ||
      h->size < slot->size)
    return false;
  uint64_t each = sizeof(uint32_t) + CLOCHE__PAGE;
  if (len != sizeof *h + h->globals + h->pages * each) return false;
  for (uint32_t i = 0, last = 0; i < h->pages; i++) {
    uint32_t page;
    memcpy(&page, numbers + (size_t)i * sizeof page, sizeof page);
    if ((i > 0 && page <= last) || page >= h->size / CLOCHE__PAGE) return false;
    last = page;
  }
  return true;
}

static void load_page(cloche__slot *slot, uint32_t page, const uint8_t *difference) {
  uint8_t *to = cloche__slot_open(slot, page * CLOCHE__PAGE, CLOCHE__PAGE);
  const uint8_t *original = cloche__slot_original(slot, page);
  for (size_t i = 0; i < CLOCHE__PAGE; i++) to[i] = original[i] ^ difference[i];
}

/* Pages that differ from the image and are not in the state become the image's. */
static void load_originals(cloche__slot *slot, const uint8_t *numbers, uint32_t count) {
  cloche__slot_look(slot);
  uint32_t next = 0, listed = UINT32_MAX;
  for (uint32_t page = 0; cloche__slot_next_change(slot, &page); page++) {
    for (; next < count; next++) {
      memcpy(&listed, numbers + (size_t)next * sizeof listed, sizeof listed);
      if (listed >= page) break;
    }
    if (next < count && listed == page) continue;
    cloche__slot_write(slot, page * CLOCHE__PAGE, cloche__slot_original(slot, page), CLOCHE__PAGE);
  }
}

/* `whole`: all that differs from the image; else what differs from what is there. */
static cloche_status load_state(cloche__machine *machine, cloche_text bytes, bool whole) {
  const uint8_t *at = (const uint8_t *)bytes.at;
  cloche__slot *slot = machine->slot;
  head h;
  if (bytes.len < sizeof h + cloche__guest_globals_size()) return CLOCHE_E_FORMAT;
  memcpy(&h, at, sizeof h);
  const uint8_t *globals = at + sizeof h, *numbers = globals + cloche__guest_globals_size();
  if (!is_sound(machine, &h, numbers, bytes.len)) return CLOCHE_E_FORMAT;
  if (h.size > slot->limit) return CLOCHE_E_LIMIT;
  uint32_t more = (h.size - slot->size) / CLOCHE__WASM_PAGE;
  if (more > 0 && cloche__slot_grow(slot, more) == UINT32_MAX) return CLOCHE_E_MEMORY;
  const uint8_t *pages = numbers + (size_t)h.pages * sizeof(uint32_t);
  if (whole) load_originals(slot, numbers, h.pages);
  for (uint32_t i = 0; i < h.pages; i++) {
    uint32_t page;
    memcpy(&page, numbers + (size_t)i * sizeof page, sizeof page);
    load_page(slot, page, pages + (size_t)i * CLOCHE__PAGE);
  }
  cloche__guest_load_globals(&machine->guest, globals);
  machine->guest.wasm.w2c_fuel = 0;
  machine->slice = 0;
  cloche__guest_sync_memory(&machine->guest);
  return CLOCHE_OK;
}

cloche_status cloche__machine_load(cloche__machine *machine, cloche_text bytes) {
  if (machine->remote != NULL) return cloche__remote_load(machine->remote, bytes);
  return load_state(machine, bytes, true);
}

cloche_status cloche__machine_load_checkpoint(cloche__machine *machine, cloche_text bytes) {
  if (bytes.len == 0) return CLOCHE_OK;
  cloche_status status = cloche__machine_load(machine, bytes);
  if (status != CLOCHE_OK) return status;
  return cloche__machine_checkpoint(machine, false) ? CLOCHE_OK : CLOCHE_E_MEMORY;
}

/* ---- kept in memory ---- */

static bool is_large(const cloche__machine *machine) {
  return machine->remote == NULL && cloche__slot_count_since(machine->slot) > CLOCHE__FREEZE_PAGES;
}

/* With a checkpoint of its own the state is not frozen: pages that are saved when they are first
 * written could not be told from those that another one has. */
static bool may_freeze(const cloche__machine *machine) {
  const cloche__slot *slot = machine->slot;
  return machine->remote == NULL && (!slot->checkpoint || slot->checkpoint_pristine);
}

bool cloche__machine_keep(cloche__machine *machine, bool freeze, cloche__kept *kept) {
  *kept = (cloche__kept){0};
  if (cloche__machine_is_halfway(machine)) return false;
  if (machine->remote == NULL) {
    cloche__machine_settle(machine);
    cloche__slot_look(machine->slot);
  }
  if (freeze && may_freeze(machine) && is_large(machine)) cloche__slot_freeze(machine->slot);
  bool shared = may_freeze(machine) && cloche__slot_shares(machine->slot) &&
                (freeze || atomic_load(&machine->slot->frozen->users) > 1);
  bool saved = shared ? save_state(machine, SINCE_FROZEN, &kept->state)
                      : cloche__machine_save(machine, &kept->state);
  saved = saved && cloche__machine_save_checkpoint(machine, &kept->checkpoint);
  if (saved && shared) kept->frozen = cloche__frozen_keep(machine->slot->frozen);
  if (!saved) cloche__kept_free(kept);
  return saved;
}

cloche_status cloche__machine_take_up(cloche__machine *machine, const cloche__kept *kept) {
  cloche_status status =
      cloche__machine_load_checkpoint(machine, cloche__buffer_view(&kept->checkpoint));
  if (status != CLOCHE_OK) return status;
  cloche_text state = cloche__buffer_view(&kept->state);
  if (kept->frozen == NULL) return cloche__machine_load(machine, state);
  if (!cloche__slot_adopt(machine->slot, kept->frozen)) return CLOCHE_E_MEMORY;
  return load_state(machine, state, false);
}

void cloche__kept_free(cloche__kept *kept) {
  cloche__frozen_free(kept->frozen);
  cloche__buffer_free(&kept->state);
  cloche__buffer_free(&kept->checkpoint);
  *kept = (cloche__kept){0};
}

/* ---- another machine ---- */

/* Between workers, and where there is a checkpoint to go with it, the state goes through this
 * process as bytes that neither side believes. */
static cloche_status copy_as_bytes(cloche__machine *from, cloche__machine *to) {
  cloche__kept kept;
  if (cloche__machine_is_halfway(from)) return CLOCHE_E_STATE;
  if (!cloche__machine_keep(from, false, &kept)) return CLOCHE_E_MEMORY;
  cloche_status status = cloche__machine_take_up(to, &kept);
  cloche__kept_free(&kept);
  return status;
}

static cloche_status copy_size(const cloche__slot *source, cloche__slot *to) {
  uint32_t more = (source->size - to->size) / CLOCHE__WASM_PAGE;
  return more > 0 && cloche__slot_grow(to, more) == UINT32_MAX ? CLOCHE_E_MEMORY : CLOCHE_OK;
}

cloche_status cloche__machine_copy(cloche__machine *from, cloche__machine *to) {
  if (from->remote != NULL || to->remote != NULL || !may_freeze(from))
    return copy_as_bytes(from, to);
  cloche__machine_settle(from);
  cloche__slot *source = from->slot;
  uint8_t globals[192];
  if (cloche__machine_is_halfway(from)) return CLOCHE_E_STATE;
  cloche__slot_look(source);
  if (is_large(from)) cloche__slot_freeze(source); /* else it is copied all the same */
  if (cloche__slot_shares(source) && !cloche__slot_adopt(to->slot, source->frozen))
    return CLOCHE_E_MEMORY;
  cloche_status status = copy_size(source, to->slot);
  if (status != CLOCHE_OK) return status;
  for (uint32_t page = 0; cloche__slot_next_since(source, &page); page++)
    cloche__slot_write(to->slot, page * CLOCHE__PAGE, source->base + (size_t)page * CLOCHE__PAGE,
                       CLOCHE__PAGE);
  save_globals(from, globals);
  cloche__guest_load_globals(&to->guest, globals);
  to->slice = 0;
  cloche__guest_sync_memory(&to->guest);
  return CLOCHE_OK;
}

/* What the host wrote into the control block says how a run was cut into turns, and how much of the
 * outbox was read, which is all of it. It does not count. */
static void hash_page(const cloche__slot *slot, uint32_t page, crypto_generichash_state *state) {
  uint8_t copy[CLOCHE__PAGE];
  uint32_t start = page * CLOCHE__PAGE;
  uint64_t from = slot->image->control, end = from + offsetof(abi_control, outbox);
  memcpy(copy, slot->base + start, sizeof copy);
  for (uint64_t at = from; at < end; at++)
    if (at >= start && at < (uint64_t)start + CLOCHE__PAGE) copy[at - start] = 0;
  crypto_generichash_update(state, (const uint8_t *)&page, sizeof page);
  crypto_generichash_update(state, copy, sizeof copy);
}

void cloche__machine_hash(cloche__machine *machine, uint8_t hash[32]) {
  if (machine->remote != NULL) {
    cloche__remote_hash(machine->remote, hash);
    return;
  }
  cloche__machine_settle(machine);
  crypto_generichash_state state;
  uint8_t globals[192];
  save_globals(machine, globals);
  cloche__slot_look(machine->slot);
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, machine->slot->image->header->hash, 32);
  crypto_generichash_update(&state, (const uint8_t *)&machine->slot->size, sizeof(uint32_t));
  crypto_generichash_update(&state, globals, cloche__guest_globals_size());
  for (uint32_t page = 0; cloche__slot_next_change(machine->slot, &page); page++)
    hash_page(machine->slot, page, &state);
  crypto_generichash_final(&state, hash, 32);
}
