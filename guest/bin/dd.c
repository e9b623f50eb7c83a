// SPDX-License-Identifier: MIT
// dd.c -- copy blocks.
#include "bin.h"

#include <stdio.h>

enum {
  TO_LOWER = 1,
  TO_UPPER = 2,
  SWAB = 4,
  NO_TRUNCATE = 8,
  SYNC = 16,
  NO_ERROR = 32,
  EXCLUSIVE = 64,
  NO_CREATE = 128,
  FULL_BLOCK = 256,
  COUNT_BYTES = 512,
  SKIP_BYTES = 1024,
  SEEK_BYTES = 2048,
  APPEND = 4096,
  BLOCK = 8192,
  UNBLOCK = 16384,
  IGNORED = 1 << 20
};

typedef struct {
  bin b;
  const char *from, *to;
  uint64_t in_size, out_size, count, skip, seek, cbs;
  bool counted;
  unsigned flags;
  int quiet; /* 1 noxfer, 2 none */
  uint64_t in_full, in_part, out_full, out_part, truncated, bytes;
  char *held; /* what does not yet fill an output block */
  size_t held_size;
  int out;
} dd;

/* N, with suffixes, and products: 2x512, 3*1K. */
static uint64_t number(dd *d, const char *value) {
  uint64_t all = 1, one = 0;
  char *copy = memory_string(value);
  for (char *at = copy, *end; at != NULL; at = end) {
    end = strpbrk(at, "x*");
    if (end == at + 1 && *at == '0') end = strpbrk(end + 1, "x*");
    if (end != NULL) *end++ = 0;
    size_t size = strlen(at);
    char unit = size > 0 ? at[size - 1] : 0;
    uint64_t factor = 1;
    if (unit == 'c' || unit == 'w' || (unit == 'b' && size > 0)) {
      factor = unit == 'w' ? 2 : unit == 'b' ? 512 : 1;
      at[size - 1] = 0;
    }
    if (unit == 'B' && size > 1 && at[size - 2] >= '0' && at[size - 2] <= '9') at[size - 1] = 0;
    int error = number_parse(at, "kKMGTPEZY0", &one);
    if (error == -EINVAL) bin_die(&d->b, 1, "invalid number: %s", quote_curly(value));
    if (error < 0 || __builtin_mul_overflow(all, one, &all) ||
        __builtin_mul_overflow(all, factor, &all))
      bin_die(&d->b, 1, "invalid number: %s: %s", quote_curly(value), error_text(EOVERFLOW));
  }
  return all;
}

static unsigned words(dd *d, const char *value, const char *what, const char *message) {
  static const struct {
    const char *kind, *name;
    unsigned flag;
  } known[] = {{"conv", "lcase", TO_LOWER},
               {"conv", "ucase", TO_UPPER},
               {"conv", "swab", SWAB},
               {"conv", "notrunc", NO_TRUNCATE},
               {"conv", "sync", SYNC},
               {"conv", "noerror", NO_ERROR},
               {"conv", "excl", EXCLUSIVE},
               {"conv", "nocreat", NO_CREATE},
               {"conv", "fsync", IGNORED},
               {"conv", "fdatasync", IGNORED},
               {"conv", "sparse", IGNORED},
               {"conv", "block", BLOCK},
               {"conv", "unblock", UNBLOCK},
               {"iflag", "fullblock", FULL_BLOCK},
               {"iflag", "count_bytes", COUNT_BYTES},
               {"iflag", "skip_bytes", SKIP_BYTES},
               {"oflag", "seek_bytes", SEEK_BYTES},
               {"oflag", "append", APPEND},
               {"flag", "direct", IGNORED},
               {"flag", "sync", IGNORED},
               {"flag", "dsync", IGNORED},
               {"flag", "nonblock", IGNORED},
               {"flag", "nocache", IGNORED},
               {"flag", "noatime", IGNORED},
               {"flag", "binary", IGNORED},
               {"flag", "nofollow", IGNORED}};
  unsigned all = 0;
  char *copy = memory_string(value);
  for (char *at = copy, *end; at != NULL; at = end) {
    end = strchr(at, ',');
    if (end != NULL) *end++ = 0;
    unsigned flag = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
      bool kind = strcmp(known[i].kind, what) == 0 ||
                  (strcmp(known[i].kind, "flag") == 0 && strcmp(what, "conv") != 0);
      if (kind && strcmp(at, known[i].name) == 0) flag = known[i].flag;
    }
    if (flag == 0) bin_usage(&d->b, "%s: %s", message, quote_curly(at));
    all |= flag;
  }
  return all;
}

static void read_operand(dd *d, const char *word) {
  const char *value = strchr(word, '=');
  if (value == NULL) bin_usage(&d->b, "unrecognized operand %s", quote_curly(word));
  size_t size = (size_t)(value++ - word);
#define IS(name) (size == sizeof name - 1 && memcmp(word, name, size) == 0)
  if (IS("if")) {
    d->from = value;
  } else if (IS("of")) {
    d->to = value;
  } else if (IS("conv")) {
    d->flags |= words(d, value, "conv", "invalid conversion");
  } else if (IS("iflag")) {
    d->flags |= words(d, value, "iflag", "invalid input flag");
  } else if (IS("oflag")) {
    d->flags |= words(d, value, "oflag", "invalid output flag");
  } else if (IS("status")) {
    d->quiet = strcmp(value, "none") == 0 ? 2 : strcmp(value, "noxfer") == 0 ? 1 : 0;
    if (d->quiet == 0 && strcmp(value, "progress") != 0)
      bin_usage(&d->b, "invalid status level: %s", quote_curly(value));
  } else if (IS("ibs") || IS("obs") || IS("bs") || IS("cbs")) {
    uint64_t n = number(d, value);
    if (n == 0 || n > 1u << 30) bin_die(&d->b, 1, "invalid number: %s", quote_curly(value));
    if (IS("cbs")) {
      d->cbs = n;
    } else {
      if (*word != 'o') d->in_size = n;
      if (*word != 'i') d->out_size = n;
    }
  } else if (IS("count")) {
    d->count = number(d, value);
    d->counted = true;
    if (value[strlen(value) - 1] == 'B') d->flags |= COUNT_BYTES;
  } else if (IS("skip") || IS("iseek")) {
    d->skip = number(d, value);
    if (value[strlen(value) - 1] == 'B') d->flags |= SKIP_BYTES;
  } else if (IS("seek") || IS("oseek")) {
    d->seek = number(d, value);
    if (value[strlen(value) - 1] == 'B') d->flags |= SEEK_BYTES;
  } else {
    bin_usage(&d->b, "unrecognized operand %s", quote_curly(word));
  }
#undef IS
}

static void put_block(dd *d, const char *at, size_t size) {
  int64_t put = sys_write(d->out, at, size);
  if (put < 0)
    bin_die(&d->b, 1, "error writing %s: %s", quote_always(d->to ? d->to : "standard output"),
            error_text((int)put));
  d->bytes += size;
  if (size == d->out_size)
    d->out_full++;
  else
    d->out_part++;
}

static void put(dd *d, const char *at, size_t size) {
  while (size > 0) {
    size_t take = d->out_size - d->held_size < size ? d->out_size - d->held_size : size;
    memcpy(d->held + d->held_size, at, take);
    d->held_size += take;
    at += take;
    size -= take;
    if (d->held_size < d->out_size) return;
    put_block(d, d->held, d->held_size);
    d->held_size = 0;
  }
}

static int64_t read_block(dd *d, int fd, char *to, size_t size) {
  size_t have = 0;
  for (;;) {
    int64_t got = sys_read(fd, to + have, size - have);
    if (got < 0) return got;
    have += (size_t)got;
    if (got == 0 || have == size || !(d->flags & FULL_BLOCK)) return (int64_t)have;
  }
}

static void convert(dd *d, char *at, size_t size) {
  if (d->flags & SWAB) {
    for (size_t i = 0; i + 1 < size; i += 2) {
      char c = at[i];
      at[i] = at[i + 1];
      at[i + 1] = c;
    }
  }
  for (size_t i = 0; i < size && d->flags & (TO_LOWER | TO_UPPER); i++) {
    if (d->flags & TO_LOWER && at[i] >= 'A' && at[i] <= 'Z') at[i] += 32;
    if (d->flags & TO_UPPER && at[i] >= 'a' && at[i] <= 'z') at[i] -= 32;
  }
}

/* conv=block and unblock: lines of cbs bytes. */
typedef struct {
  text line;
  bool cut;
} blocks;

static void put_lines(dd *d, blocks *b, const char *at, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (d->flags & BLOCK) {
      if (at[i] == '\n') {
        text_pad(&b->line, ' ', d->cbs - b->line.len);
        put(d, b->line.at, b->line.len);
        b->line.len = 0;
        b->cut = false;
      } else if (b->line.len < d->cbs) {
        text_char(&b->line, at[i]);
      } else if (!b->cut) {
        b->cut = true;
        d->truncated++;
      }
      continue;
    }
    text_char(&b->line, at[i]);
    if (b->line.len < d->cbs) continue;
    while (b->line.len > 0 && b->line.at[b->line.len - 1] == ' ') b->line.len--;
    text_char(&b->line, '\n');
    put(d, b->line.at, b->line.len);
    b->line.len = 0;
  }
}

static void end_lines(dd *d, blocks *b) {
  if (b->line.len == 0) return;
  if (d->flags & BLOCK) {
    text_pad(&b->line, ' ', d->cbs - b->line.len);
  } else {
    while (b->line.len > 0 && b->line.at[b->line.len - 1] == ' ') b->line.len--;
    text_char(&b->line, '\n');
  }
  put(d, b->line.at, b->line.len);
}

static void skip_input(dd *d, int fd, char *block) {
  uint64_t bytes = d->flags & SKIP_BYTES ? d->skip : d->skip * d->in_size;
  file_stat stat;
  const char *name = d->from ? d->from : "standard input";
  if (bytes == 0) return;
  if (sys_fstat(fd, &stat) == 0 && stat.kind == FILE_REGULAR) {
    int64_t now = sys_seek(fd, 0, SEEK_CUR);
    if (now >= 0 && (uint64_t)now + bytes > stat.size)
      bin_warn(&d->b, "%s: cannot skip to specified offset", quote_needed(name));
    sys_seek(fd, (int64_t)bytes, SEEK_CUR);
    return;
  }
  while (bytes > 0) {
    int64_t got = sys_read(fd, block, bytes < d->in_size ? (size_t)bytes : (size_t)d->in_size);
    if (got <= 0) {
      bin_warn(&d->b, "%s: cannot skip to specified offset", quote_needed(name));
      return;
    }
    bytes -= (uint64_t)got;
  }
}

static void seek_output(dd *d) {
  uint64_t bytes = d->flags & SEEK_BYTES ? d->seek : d->seek * d->out_size;
  file_stat stat;
  if (sys_fstat(d->out, &stat) < 0) return;
  if (stat.kind != FILE_REGULAR) {
    if (bytes > 0)
      bin_die(&d->b, 1, "%s: cannot seek: Illegal seek",
              quote_always(d->to ? d->to : "standard output"));
    return;
  }
  if (d->to != NULL && !(d->flags & (NO_TRUNCATE | APPEND))) sys_truncate(d->out, bytes);
  if (bytes > 0) sys_seek(d->out, (int64_t)bytes, SEEK_CUR);
}

static void copy(dd *d, int fd) {
  char *block = memory_take((size_t)d->in_size);
  blocks b = {0};
  uint64_t left = d->count;
  bool together = d->in_size == d->out_size && !(d->flags & (BLOCK | UNBLOCK));
  d->held = memory_take((size_t)d->out_size);
  skip_input(d, fd, block);
  seek_output(d);
  while (!d->counted || left > 0) {
    size_t want = (size_t)d->in_size;
    if (d->counted && d->flags & COUNT_BYTES && left < want) want = (size_t)left;
    int64_t got = read_block(d, fd, block, want);
    if (got < 0) {
      bin_error(&d->b, "error reading %s: %s", quote_always(d->from ? d->from : "standard input"),
                error_text((int)got));
      break;
    }
    if (got == 0) break;
    if (d->counted) left -= d->flags & COUNT_BYTES ? (uint64_t)got : 1;
    if ((uint64_t)got == d->in_size)
      d->in_full++;
    else
      d->in_part++;
    if (d->flags & SYNC && (uint64_t)got < d->in_size) {
      memset(block + got, d->flags & (BLOCK | UNBLOCK) ? ' ' : 0, (size_t)d->in_size - (size_t)got);
      got = (int64_t)d->in_size;
    }
    convert(d, block, (size_t)got);
    if (d->flags & (BLOCK | UNBLOCK))
      put_lines(d, &b, block, (size_t)got);
    else if (together)
      put_block(d, block, (size_t)got);
    else
      put(d, block, (size_t)got);
  }
  end_lines(d, &b);
  if (d->held_size > 0) put_block(d, d->held, d->held_size);
}

/* 1.5 kB, 12 MB: as dd's last line has it; `base` 1000 or 1024. */
static void human(char to[32], double value, int base) {
  static const char units[] = " kMGTPE";
  int unit = 0;
  for (; value >= base && unit < 6; unit++) value /= base;
  const char *tail = base == 1024 ? "iB" : "B";
  char letter = base == 1024 && unit == 1 ? 'K' : units[unit];
  if (unit == 0)
    snprintf(to, 32, "%.0f B", value);
  else if (value < 9.95)
    snprintf(to, 32, "%.1f %c%s", value, letter, tail);
  else
    snprintf(to, 32, "%.0f %c%s", value, letter, tail);
}

static void report(dd *d, int64_t took) {
  text t = {0};
  char decimal[32], binary[32], speed[32];
  if (d->quiet == 2) return;
  text_format(&t, "%llu+%llu records in\n%llu+%llu records out\n", (unsigned long long)d->in_full,
              (unsigned long long)d->in_part, (unsigned long long)d->out_full,
              (unsigned long long)d->out_part);
  if (d->truncated > 0)
    text_format(&t, "%llu truncated record%s\n", (unsigned long long)d->truncated,
                d->truncated == 1 ? "" : "s");
  if (d->quiet == 0) {
    double seconds = (double)took / 1e9;
    text_format(&t, "%llu byte%s", (unsigned long long)d->bytes, d->bytes == 1 ? "" : "s");
    human(decimal, (double)d->bytes, 1000);
    human(binary, (double)d->bytes, 1024);
    human(speed, seconds > 0 ? (double)d->bytes / seconds : 0, 1000);
    if (d->bytes >= 1024)
      text_format(&t, " (%s, %s)", decimal, binary);
    else if (d->bytes >= 1000)
      text_format(&t, " (%s)", decimal);
    text_format(&t, " copied, %g s, %s/s\n", seconds, speed);
  }
  sys_write(2, t.at, t.len);
}

static int dd_main(int argc, char **argv, char **environment) {
  dd d = {.in_size = 512, .out_size = 512, .out = 1};
  bin_start(&d.b, "dd", environment);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--") == 0) continue;
    if (strcmp(argv[i], "--help") == 0) {
      output_format(&d.b.out, "Usage: %s\n", command_find("dd")->usage);
      bin_exit(&d.b, 0);
    }
    read_operand(&d, argv[i]);
  }
  if (d.cbs == 0) d.flags &= ~(unsigned)(BLOCK | UNBLOCK);
  int fd = 0;
  if (d.from != NULL && (fd = sys_open(d.from, OPEN_READ, 0)) < 0)
    bin_die(&d.b, 1, "failed to open %s: %s", quote_always(d.from), error_text(fd));
  if (d.to != NULL) {
    int how = OPEN_WRITE | (d.flags & NO_CREATE ? 0 : OPEN_CREATE) |
              (d.flags & EXCLUSIVE ? OPEN_EXCLUSIVE : 0) | (d.flags & APPEND ? OPEN_APPEND : 0);
    d.out = sys_open(d.to, how, 0666);
    if (d.out < 0) bin_die(&d.b, 1, "failed to open %s: %s", quote_always(d.to), error_text(d.out));
  }
  int64_t start = kernel_now();
  copy(&d, fd);
  report(&d, kernel_now() - start);
  return bin_end(&d.b);
}

const command command_dd = {
    .name = "dd",
    .main = dd_main,
    .usage = "dd [OPERAND]...",
    .options =
        "if=FILE\tread FILE\nof=FILE\twrite FILE\nbs=BYTES\tread and write so much at a time\n"
        "ibs=BYTES\tread so much at a time\nobs=BYTES\twrite so much at a time\n"
        "cbs=BYTES\tof conv=block and unblock\ncount=N\tcopy N blocks\n"
        "skip=N\tleave out N blocks of the input\nseek=N\tleave out N blocks of the output\n"
        "conv=WORDS\tlcase ucase swab notrunc sync noerror excl nocreat block unblock\n"
        "iflag=WORDS\tfullblock count_bytes skip_bytes\noflag=WORDS\tappend seek_bytes\n"
        "status=LEVEL\tnone, noxfer or progress"};
