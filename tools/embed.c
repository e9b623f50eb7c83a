// SPDX-License-Identifier: MIT
/* embed.c -- turns text files into one C file: embed OUT.c FILE...
 *
 * The C file includes "prelude.h" and defines prelude_sources: one entry per file, named for the
 * file without folder and extension. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what, const char *path) {
  fprintf(stderr, "embed: %s: ", what);
  perror(path);
  return 1;
}

/* Prints a NUL-terminated array named `text_<index>`; the size, -1 when the file cannot be read. */
static long print_array(FILE *out, FILE *in, int index) {
  long size = 0;
  fprintf(out, "static const char text_%d[] = {", index);
  for (int c; (c = getc(in)) != EOF; size++)
    fprintf(out, "%s%d,", size % 24 == 0 ? "\n" : "", (signed char)c);
  fprintf(out, "0};\n");
  return ferror(in) ? -1 : size;
}

static void print_entry(FILE *out, const char *path, long size, int index) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  int length = (int)(dot != NULL ? (size_t)(dot - name) : strlen(name));
  fprintf(out, "    {\"%.*s\", text_%d, %ld},\n", length, name, index, size);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: embed OUT.c FILE...\n");
    return 2;
  }
  FILE *out = fopen(argv[1], "w");
  long *sizes = calloc((size_t)argc, sizeof *sizes);
  if (out == NULL || sizes == NULL) return fail("cannot write", argv[1]);
  fprintf(out, "/* Made by tools/embed.c; do not edit. */\n#include \"prelude.h\"\n\n");
  for (int i = 2; i < argc; i++) {
    FILE *in = fopen(argv[i], "rb");
    if (in == NULL) return fail("cannot read", argv[i]);
    sizes[i] = print_array(out, in, i - 2);
    if (sizes[i] < 0) return fail("cannot read", argv[i]);
    fclose(in);
  }
  fprintf(out, "\nconst prelude_source prelude_sources[] = {\n");
  for (int i = 2; i < argc; i++) print_entry(out, argv[i], sizes[i], i - 2);
  fprintf(out, "    {0, 0, 0},\n};\n");
  free(sizes);
  return fclose(out) == 0 ? 0 : fail("cannot write", argv[1]);
}
