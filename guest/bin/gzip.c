// SPDX-License-Identifier: MIT
// gzip.c -- gzip, gunzip and zcat.
#include "inflate.h"
#include "options.h"

typedef struct {
  bin b;
  bool decompress, standard, force, keep, quiet, test, verbose, no_name;
  int level;
  const char *suffix;
} gzip;

static void put_number(output *out, uint32_t value) {
  for (int i = 0; i < 4; i++) output_byte(out, (int)(value >> (8 * i) & 0xFF));
}

static void compress(gzip *g, input *in, output *out, const char *name, int64_t mtime) {
  zip_sums sums = {0};
  bool named = name != NULL && !g->no_name;
  const char *base = named ? strrchr(name, '/') : NULL;
  base = base != NULL ? base + 1 : name;
  static const unsigned char head[] = {0x1F, 0x8B, 8};
  output_write(out, (const char *)head, 3);
  output_byte(out, named ? 8 : 0);
  put_number(out, named ? (uint32_t)(mtime / 1000000000) : 0);
  output_byte(out, g->level == 9 ? 2 : g->level == 1 ? 4 : 0);
  output_byte(out, 3);
  if (named) output_write(out, base, strlen(base) + 1);
  zip_deflate(in, out, g->level, &sums);
  put_number(out, sums.crc);
  put_number(out, (uint32_t)sums.plain);
}

static bool skip_string(input *in) {
  int byte;
  while ((byte = input_byte(in)) > 0) {
  }
  return byte == 0;
}

/* The head of a member. 1 read, 0 nothing there, -1 something else. */
static int read_head(input *in, char **start, size_t *have) {
  *have = input_peek(in, 10, start);
  const unsigned char *at = (const unsigned char *)*start;
  if (*have == 0) return 0;
  if (*have == 1) return -2; /* too little to tell */
  if (*have < 10 || at[0] != 0x1F || at[1] != 0x8B || at[2] != 8) return -1;
  int flags = at[3];
  input_take(in, 10);
  bool fine = true;
  if (flags & 4) {
    int low = input_byte(in), high = input_byte(in);
    for (int left = low | high << 8; left > 0 && fine; left--) fine = input_byte(in) >= 0;
  }
  if (flags & 8) fine = fine && skip_string(in);
  if (flags & 16) fine = fine && skip_string(in);
  if (flags & 2) fine = fine && input_byte(in) >= 0 && input_byte(in) >= 0;
  return fine ? 1 : -1;
}

static uint32_t take_number(input *in) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value |= (uint32_t)(input_byte(in) & 0xFF) << (8 * i);
  return value;
}

/* False, with a message, when the data is bad. */
static bool decompress(gzip *g, input *in, output *out, const char *name) {
  for (bool first = true;; first = false) {
    char *at;
    size_t have;
    int head = read_head(in, &at, &have);
    if (head == 0) {
      if (!first) return true;
      bin_error(&g->b, "%s: unexpected end of file", name);
      return false;
    }
    if (head < 0 && first && g->force && g->standard) { /* zcat -f: as it is */
      size_t size;
      while ((size = input_some(in, &at)) > 0) output_write(out, at, size);
      return true;
    }
    if (head < 0) {
      if (first) {
        output_flush(&g->b.out);
        text line = {0};
        text_format(&line, "\n%s: %s: not in gzip format\n", g->b.name, name);
        sys_write(2, line.at, line.len);
        g->b.status = 1;
        return false;
      }
      if (head == -2 && *at != 0) {
        bin_error(&g->b, "%s: unexpected end of file", name);
        return false;
      }
      while (have > 0 && *at == 0) at++, have--;
      if (have == 0) return true; /* zeros behind the end are padding */
      if (!g->quiet) bin_warn(&g->b, "%s: decompression OK, trailing garbage ignored", name);
      if (g->b.status == 0) g->b.status = 2;
      return true;
    }
    zip_sums sums = {0};
    const char *error = zip_inflate(in, out, &sums);
    if (error == NULL) {
      input_peek(in, 8, &at);
      uint32_t crc = take_number(in), size = take_number(in);
      if (crc != sums.crc)
        error = "invalid compressed data--crc error";
      else if (size != (uint32_t)sums.plain)
        error = "invalid compressed data--length error";
    }
    if (error != NULL) {
      text line = {0};
      output_flush(out);
      text_format(&line, "\n%s: %s: %s\n", g->b.name, name, error);
      sys_write(2, line.at, line.len);
      g->b.status = 1;
      return false;
    }
  }
}

/* The name without the suffix; NULL when it has none. */
static char *plain_name(const gzip *g, const char *path) {
  static const char *const ends[][2] = {{".gz", ""}, {"-gz", ""},      {".z", ""},      {"-z", ""},
                                        {"_z", ""},  {".tgz", ".tar"}, {".taz", ".tar"}};
  size_t size = strlen(path), own = strlen(g->suffix);
  if (size > own && strcmp(path + size - own, g->suffix) == 0) return memory_copy(path, size - own);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    size_t end = strlen(ends[i][0]);
    if (size <= end || strcmp(path + size - end, ends[i][0]) != 0) continue;
    text name = {0};
    text_format(&name, "%.*s%s", (int)(size - end), path, ends[i][1]);
    return text_end(&name);
  }
  return NULL;
}

static void convert_standard(gzip *g) {
  input in;
  input_open_fd(&in, 0);
  if (!g->decompress)
    compress(g, &in, &g->b.out, NULL, 0);
  else
    decompress(g, &in, &g->b.out, "stdin");
}

/* Opens where the result goes. */
static int open_target(gzip *g, const char *target) {
  int fd = sys_open(target, OPEN_WRITE | OPEN_CREATE | OPEN_EXCLUSIVE, 0600);
  if (fd == -EEXIST && g->force)
    fd = sys_open(target, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0600);
  if (fd == -EEXIST) {
    bin_warn(&g->b, "%s already exists;\tnot overwritten", target);
    g->b.status = 2;
  } else if (fd < 0) {
    bin_file_error(&g->b, target, fd);
  }
  return fd;
}

static void convert_file(gzip *g, const char *path) {
  input in;
  file_stat stat;
  const char *shown = path;
  int error = input_open(&in, path);
  if (error == -ENOENT && g->decompress) { /* gunzip f means f.gz */
    text with = {0};
    text_format(&with, "%s%s", path, g->suffix);
    int again = input_open(&in, text_end(&with));
    if (again == 0)
      path = shown = with.at, error = 0;
    else
      shown = with.at;
  }
  if (error == 0 && sys_fstat(in.fd, &stat) == 0 && stat.kind == FILE_DIRECTORY) {
    bin_warn(&g->b, "%s is a directory -- ignored", path);
    g->b.status = 2;
    return;
  }
  if (error < 0) {
    bin_file_error(&g->b, shown, error);
    return;
  }
  char *target = NULL;
  if (!g->standard && !g->test) {
    if (g->decompress) {
      target = plain_name(g, path);
      if (target == NULL) {
        bin_warn(&g->b, "%s: unknown suffix -- ignored", path);
        g->b.status = 2;
        return;
      }
    } else {
      size_t size = strlen(path), own = strlen(g->suffix);
      if (size > own && strcmp(path + size - own, g->suffix) == 0 && !g->force) {
        bin_warn(&g->b, "%s already has %s suffix -- unchanged", path, g->suffix);
        g->b.status = 2;
        return;
      }
      text name = {0};
      text_format(&name, "%s%s", path, g->suffix);
      target = text_end(&name);
    }
  }
  output file, *out = &g->b.out;
  output_open_fd(&file, -1);
  if (target != NULL) {
    int fd = open_target(g, target);
    if (fd < 0) return;
    output_open_fd(&file, fd);
    out = &file;
  } else if (g->test) {
    output_open_fd(&file, sys_open("/dev/null", OPEN_WRITE, 0));
    out = &file;
  }
  bool fine = true;
  if (g->decompress)
    fine = decompress(g, &in, out, path);
  else
    compress(g, &in, out, path, stat.mtime);
  input_close(&in);
  if (out == &g->b.out) return;
  output_flush(out);
  sys_close(file.fd);
  if (target == NULL) return;
  if (!fine || file.error != 0) {
    if (file.error != 0) bin_file_error(&g->b, target, file.error);
    sys_unlink(target);
    return;
  }
  sys_chmod(target, stat.mode);
  sys_utimes(target, stat.atime, stat.mtime, true);
  if (!g->keep) sys_unlink(path);
  if (g->verbose) bin_warn(&g->b, "%s:\t%s", path, g->keep ? "created" : "replaced");
}

static int run(gzip g, int argc, char **argv, char **environment) {
  options o;
  g.level = 6;
  g.suffix = ".gz";
  options_start(&o, &g.b, command_find("gzip"), argc, argv, environment);
  g.b.name = "gzip"; /* whatever it was called by, as the real scripts have it */
  for (int key; (key = options_next(&o)) != 0;) {
    if (key >= '1' && key <= '9') g.level = key - '0';
    switch (key) {
      case 'c':
        g.standard = true;
        break;
      case 'd':
        g.decompress = true;
        break;
      case 'f':
        g.force = true;
        break;
      case 'k':
        g.keep = true;
        break;
      case 'n':
        g.no_name = true;
        break;
      case 'q':
        g.quiet = true;
        break;
      case 'S':
        g.suffix = o.value;
        break;
      case 't':
        g.test = g.decompress = true;
        break;
      case 'v':
        g.verbose = true;
        break;
      default:
        break;
    }
  }
  if (o.operand_count == 0) convert_standard(&g);
  for (int i = 0; i < o.operand_count; i++) {
    if (strcmp(o.operands[i], "-") == 0)
      convert_standard(&g);
    else
      convert_file(&g, o.operands[i]);
  }
  return bin_end(&g.b);
}

static int gzip_main(int argc, char **argv, char **environment) {
  return run((gzip){0}, argc, argv, environment);
}
static int gunzip_main(int argc, char **argv, char **environment) {
  return run((gzip){.decompress = true}, argc, argv, environment);
}
static int zcat_main(int argc, char **argv, char **environment) {
  return run((gzip){.decompress = true, .standard = true}, argc, argv, environment);
}

#define OPTIONS                                                                                    \
  "-c, --stdout, --to-stdout\twrite to standard output, keep the files\n"                          \
  "-d, --decompress, --uncompress\tdecompress\n-f, --force\toverwrite\n-k, --keep\tkeep the "      \
  "files\n"                                                                                        \
  "-n, --no-name\tdo not keep the name and time\n-N, --name\tas usual\n-q, --quiet\tno warnings\n" \
  "-S, --suffix=SUF\tin place of .gz\n-t, --test\tonly check\n-v, --verbose\tsay what is done\n"   \
  "-1, --fast\tfast\n-2\t...\n-3\t...\n-4\t...\n-5\t...\n-6\tas usual\n-7\t...\n-8\t...\n-9, "     \
  "--best\tsmall"
const command command_gzip = {
    .name = "gzip", .main = gzip_main, .usage = "gzip [OPTION]... [FILE]...", .options = OPTIONS};
const command command_gunzip = {.name = "gunzip",
                                .main = gunzip_main,
                                .usage = "gunzip [OPTION]... [FILE]...",
                                .options = OPTIONS};
const command command_zcat = {
    .name = "zcat", .main = zcat_main, .usage = "zcat [OPTION]... [FILE]...", .options = OPTIONS};
