// SPDX-License-Identifier: MIT
/* image.c -- boots the guest once and writes its image, the file that src/sandbox/image.h
 * describes.
 *
 *   image OUT
 *
 * The guest starts from the module's own data, held in a memory file as if that were an image; its
 * export `boot` runs in a slot with fuel for as long as it wants. What memory and globals hold then
 * is the image. Booting reads no clock, no randomness and no file, so the same module gives the
 * same image on every machine. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/guest.h"
#include "sandbox/trap.h"

/* The runtime wants an image to carry; here it has none yet. */
const uint8_t cloche__image_data[1], cloche__image_data_end[1];

enum { BOOT_FUEL = 1 << 30, MEMORY_MAX = 256 << 20 };

_Noreturn static void fail(const char *what) {
  fprintf(stderr, "image: %s\n", what);
  exit(1);
}

/* ---- what making an instance calls: nothing of it is in the library ---- */

/* Function types are numbered by their shape. Called a few dozen times, once per process. */
uint32_t wasm_rt_register_func_type(uint32_t parameters, uint32_t results, ...) {
  static char known[256][24];
  static uint32_t count;
  char shape[24] = {0};
  va_list args;
  va_start(args, results);
  uint32_t length = 0;
  for (uint32_t i = 0; i < parameters + results && length < sizeof shape - 2; i++) {
    if (i == parameters) shape[length++] = '>';
    shape[length++] = "iIfF"[va_arg(args, int)];
  }
  va_end(args);
  if (parameters + results + 2 > sizeof shape || count == 256) abort(); /* a build-time fact */
  for (uint32_t i = 0; i < count; i++)
    if (memcmp(known[i], shape, sizeof shape) == 0) return i + 1;
  memcpy(known[count], shape, sizeof shape);
  return ++count;
}

void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages) {
  *memory = (wasm_rt_memory_t){.data = calloc(pages, CLOCHE__WASM_PAGE),
                               .pages = pages,
                               .max_pages = max_pages,
                               .size = pages * CLOCHE__WASM_PAGE};
  if (memory->data == NULL) abort();
}
void wasm_rt_free_memory(wasm_rt_memory_t *memory) {
  free(memory->data);
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t size,
                                    uint32_t max_size) {
  *table = (wasm_rt_funcref_table_t){
      .data = calloc(size, sizeof *table->data), .size = size, .max_size = max_size};
  if (table->data == NULL) abort();
}
void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table) {
  free(table->data);
}

/* ---- the start ---- */

/* The module's data before anything ran. */
static void start_image(cloche__image *image, cloche__image_header *header) {
  cloche__wasm plain;
  memset(&plain, 0,
         sizeof plain); /* padding between globals is part of the image: no stray bytes */
  Z_guest_instantiate(&plain, NULL);
  int file = memfd_create("start", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, plain.w2c_memory.size) != 0 ||
      pwrite(file, plain.w2c_memory.data, plain.w2c_memory.size, 0) != plain.w2c_memory.size)
    fail("no memory file could be made");
  uint8_t *bytes = mmap(NULL, plain.w2c_memory.size, PROT_READ, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) fail("the memory file could not be mapped");
  cloche__guest first;
  memcpy(&first.wasm, &plain, sizeof plain);
  header->globals = cloche__guest_globals_size();
  if (header->globals > sizeof header->global_bytes) fail("the guest has too many globals");
  cloche__guest_save_globals(&first, header->global_bytes);
  *image = (cloche__image){
      .file = file, .bytes = bytes, .size = plain.w2c_memory.size, .header = header};
  Z_guest_free(&plain);
}

static uint32_t call(cloche__guest *guest, cloche__export export) {
  cloche__guest_add_fuel(guest, BOOT_FUEL - cloche__guest_fuel(guest));
  cloche__stop stop = cloche__guest_call(guest, export, 0);
  if (stop != CLOCHE__RETURNED) {
    fprintf(stderr, "image: stop %d, trap %d, overflow %u\n", stop, guest->trap,
            guest->wasm.w2c_overflow);
    fail("the guest did not boot");
  }
  return guest->result;
}

static bool is_zero(const uint8_t *page) {
  for (size_t i = 0; i < CLOCHE__PAGE; i++)
    if (page[i] != 0) return false;
  return true;
}

static void write_or_fail(FILE *out, const void *bytes, size_t size) {
  if (fwrite(bytes, 1, size, out) != size) fail("the image cannot be written");
}

static void write_image(const char *path, cloche__image_header *header, const cloche__slot *slot) {
  FILE *out = fopen(path, "wb");
  if (out == NULL) fail("the image cannot be written");
  uint32_t total = slot->size / CLOCHE__PAGE, *numbers = calloc(total, sizeof *numbers);
  if (numbers == NULL) fail("out of memory");
  for (uint32_t page = 0; page < total; page++)
    if (!is_zero(slot->base + (size_t)page * CLOCHE__PAGE)) numbers[header->pages++] = page;
  write_or_fail(out, header, sizeof *header);
  write_or_fail(out, numbers, header->pages * sizeof *numbers);
  static const uint8_t zeros[CLOCHE__PAGE];
  size_t table = sizeof *header + header->pages * sizeof *numbers;
  write_or_fail(out, zeros, -table & (CLOCHE__PAGE - 1));
  for (uint32_t i = 0; i < header->pages; i++)
    write_or_fail(out, slot->base + (size_t)numbers[i] * CLOCHE__PAGE, CLOCHE__PAGE);
  if (fclose(out) != 0) fail("the image cannot be written");
  free(numbers);
}

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: image OUT");
  Z_guest_init_module();
  cloche__image_header header = {.magic = "clocheim", .version = CLOCHE__IMAGE_VERSION};
  cloche__image start;
  start_image(&start, &header);
  cloche__slot *slot;
  if (cloche__slot_new(&start, true, &slot) != CLOCHE_OK || cloche__trap_prepare() != CLOCHE_OK)
    fail("no slot could be made");
  cloche__slot_limit(slot, MEMORY_MAX);
  cloche__guest guest;
  cloche__guest_init(&guest, slot);
  call(&guest, CLOCHE__BOOT);
  header.fuel_used = (uint64_t)(BOOT_FUEL - cloche__guest_fuel(&guest));
  header.control = call(&guest, CLOCHE__CONTROL);
  guest.wasm.w2c_fuel = 0; /* whoever starts from here brings fuel of its own */
  if (header.control == 0 || header.control + (uint64_t)CLOCHE__PAGE > slot->size)
    fail("the guest's control block lies outside its memory");
  header.size = slot->size;
  cloche__guest_save_globals(&guest, header.global_bytes);

  crypto_generichash_state hash;
  crypto_generichash_init(&hash, NULL, 0, sizeof header.hash);
  crypto_generichash_update(&hash, header.global_bytes, header.globals);
  crypto_generichash_update(&hash, slot->base, slot->size);
  crypto_generichash_final(&hash, header.hash, sizeof header.hash);
  write_image(argv[1], &header, slot);
  printf("image: %u KiB of memory, %u KiB of it not zero, booted with %llu units of fuel\n",
         header.size / 1024, header.pages * 4, (unsigned long long)header.fuel_used);
  return 0;
}
