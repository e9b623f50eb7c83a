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

bool cloche__machine_save(cloche__machine *machine, cloche__buffer *out) {
  if (machine->remote != NULL) return cloche__remote_save(machine->remote, out);
  cloche__machine_settle(machine);
  cloche__slot *slot = machine->slot;
  head h = {.size = slot->size, .globals = cloche__guest_globals_size()};
  uint8_t globals[192];
  size_t start = out->len;
  if (cloche__machine_is_halfway(machine)) return false;
  cloche__slot_look(slot);
  save_globals(machine, globals);
  cloche__buffer_add(out, &h, sizeof h);
  cloche__buffer_add(out, globals, h.globals);
  size_t numbers = out->len;
  for (uint32_t page = 0; cloche__slot_next_change(slot, &page); page++) {
    cloche__buffer_add(out, &page, sizeof page);
    h.pages++;
  }
  cloche__buffer_reserve(out, (size_t)h.pages * CLOCHE__PAGE);
  for (uint32_t i = 0; i < h.pages && !out->failed; i++) {
    uint32_t page;
    memcpy(&page, out->at + numbers + i * sizeof page, sizeof page);
    add_difference(slot->base + (size_t)page * CLOCHE__PAGE, cloche__slot_original(slot, page),
                   out);
  }
  if (!out->failed) memcpy(out->at + start, &h, sizeof h);
  return !out->failed;
}

/* Are these bytes what cloche__machine_save writes, for this image? */
static bool is_sound(const cloche__machine *machine, const head *h, const uint8_t *numbers,
                     size_t len) {
  const cloche__slot *slot = machine->slot;
  if (h->globals != cloche__guest_globals_size() || h->size % CLOCHE__WASM_PAGE != 0 ||
      h->size < slot->image->size)
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
  for (size_t i = 0; i < CLOCHE__PAGE; i++) to[i] ^= difference[i];
}

cloche_status cloche__machine_load(cloche__machine *machine, cloche_text bytes) {
  if (machine->remote != NULL) return cloche__remote_load(machine->remote, bytes);
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

/* Between workers the state goes through this process, as bytes that neither side believes. */
static cloche_status copy_as_bytes(cloche__machine *from, cloche__machine *to) {
  cloche__buffer bytes = {0};
  cloche_status status = CLOCHE_E_MEMORY;
  if (cloche__machine_is_halfway(from))
    status = CLOCHE_E_STATE;
  else if (cloche__machine_save(from, &bytes))
    status = cloche__machine_load(to, cloche__buffer_view(&bytes));
  cloche__buffer_free(&bytes);
  return status;
}

cloche_status cloche__machine_copy(cloche__machine *from, cloche__machine *to) {
  if (from->remote != NULL || to->remote != NULL) return copy_as_bytes(from, to);
  cloche__machine_settle(from);
  cloche__slot *source = from->slot;
  uint8_t globals[192];
  if (cloche__machine_is_halfway(from)) return CLOCHE_E_STATE;
  uint32_t more = (source->size - to->slot->size) / CLOCHE__WASM_PAGE;
  if (more > 0 && cloche__slot_grow(to->slot, more) == UINT32_MAX) return CLOCHE_E_MEMORY;
  cloche__slot_look(source);
  for (uint32_t page = 0; cloche__slot_next_change(source, &page); page++)
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
