// SPDX-License-Identifier: MIT
/* replay.c -- runs a fuzz target on saved inputs, without a fuzzer: files, or folders of them. What
 * once failed is kept in fuzz/inputs and so stays an ordinary test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc(1 << 20);
  if (file == NULL || bytes == NULL) {
    perror(path);
    exit(2);
  }
  size_t size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  uint8_t *exact = malloc(size); /* so that a sanitizer sees one byte too far */
  for (size_t i = 0; i < size; i++) exact[i] = bytes[i];
  free(bytes);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  return 1;
}

static int replay(const char *path) {
  DIR *folder = opendir(path);
  char inner[4096];
  int count = 0;
  if (folder == NULL) return replay_file(path);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    count += replay_file(inner);
  }
  closedir(folder);
  return count;
}

int main(int argc, char **argv) {
  int count = 0;
  for (int i = 1; i < argc; i++) count += replay(argv[i]);
  printf("%d inputs\n", count);
  return count == 0;
}
