// SPDX-License-Identifier: MIT
/* vary.c -- runs a fuzz target on saved inputs and on COUNT variations of them, without a fuzzer:
 *
 *   vary COUNT SEED FILE_OR_FOLDER...
 *
 * A variation takes an input and, a few times over, cuts a piece out, doubles one, changes a byte,
 * or puts in a piece of another input. The same seed makes the same variations. An input that kills
 * the program is left in the file vary.last. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 4096, SIZE = 65536 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef struct {
  uint8_t *at;
  size_t size;
} input;

static input inputs[INPUTS];
static size_t count;
static uint64_t state;

static uint64_t any(uint64_t below) { /* xorshift64*, Vigna 2014 */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return below == 0 ? 0 : (state * 2685821657736338717u >> 16) % below;
}

static void load_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || count == INPUTS) {
    perror(path);
    exit(2);
  }
  input *made = &inputs[count++];
  made->at = malloc(SIZE);
  made->size = made->at != NULL ? fread(made->at, 1, SIZE, file) : 0;
  fclose(file);
}

static void load(const char *path) {
  DIR *folder = opendir(path);
  char inner[4096];
  if (folder == NULL) {
    load_file(path);
    return;
  }
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    load(inner);
  }
  closedir(folder);
}

static size_t cut(uint8_t *bytes, size_t size) {
  size_t from = any(size), piece = any(size - from + 1);
  if (piece > 12) piece = 1 + any(12);
  memmove(bytes + from, bytes + from + piece, size - from - piece);
  return size - piece;
}

static size_t put(uint8_t *bytes, size_t size, const input *of, size_t most) {
  size_t from = any(of->size), piece = any(of->size - from + 1), at = any(size + 1);
  if (piece > most) piece = 1 + any(most);
  if (piece > SIZE - size) return size;
  uint8_t kept[SIZE / 64];
  if (piece > sizeof kept) piece = sizeof kept;
  memcpy(kept, of->at + from, piece); /* it may be these bytes themselves */
  memmove(bytes + at + piece, bytes + at, size - at);
  memcpy(bytes + at, kept, piece);
  return size + piece;
}

static size_t vary(uint8_t *bytes, size_t size) {
  input itself = {bytes, size};
  switch (any(4)) {
    case 0:
      return cut(bytes, size);
    case 1:
      return put(bytes, size, &itself, 40);
    case 2:
      if (size > 0) bytes[any(size)] = (uint8_t)(any(8) == 0 ? any(256) : 32 + any(95));
      return size;
    default:
      return put(bytes, size, &inputs[any(count)], 80);
  }
}

static void run(const uint8_t *bytes, size_t size) {
  uint8_t *exact = malloc(size + (size == 0)); /* so that a sanitizer sees one byte too far */
  memcpy(exact, bytes, size);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
}

static void keep(const uint8_t *bytes, size_t size) {
  static FILE *file;
  if (file == NULL) file = fopen("vary.last", "wb");
  if (file == NULL) return;
  rewind(file);
  fprintf(file, "%zu\n", size);
  fwrite(bytes, 1, size, file);
  fflush(file);
}

int main(int argc, char **argv) {
  static uint8_t bytes[SIZE];
  if (argc < 4) {
    fprintf(stderr, "usage: vary COUNT SEED FILE_OR_FOLDER...\n");
    return 2;
  }
  long wanted = atol(argv[1]);
  uint64_t seed = strtoull(argv[2], NULL, 10);
  for (int i = 3; i < argc; i++) load(argv[i]);
  for (size_t i = 0; i < count; i++) run(inputs[i].at, inputs[i].size);
  for (long i = 0; i < wanted && count > 0; i++) {
    state = (seed + (uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    const input *from = &inputs[any(count)];
    size_t size = from->size;
    memcpy(bytes, from->at, size);
    for (uint64_t times = 1 + any(5); times > 0; times--) size = vary(bytes, size);
    keep(bytes, size);
    run(bytes, size);
  }
  remove("vary.last");
  printf("%zu inputs, %ld variations\n", count, wanted);
  return count == 0;
}
