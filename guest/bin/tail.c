// SPDX-License-Identifier: MIT
/* tail.c -- print the last lines or bytes, or from a given one on.
 * With -f it goes on printing what is added, asking twice a virtual second, until it is stopped. */
#include "../text/bytes.h"
#include "options.h"

typedef struct {
  bin b;
  bool bytes, from_start, zero, follow;
  uint64_t count;
  int64_t pause; /* ns between two looks */
} tail;

static void rest(tail *t, input *in) {
  char *at;
  size_t size;
  while ((size = input_some(in, &at)) > 0 && t->b.out.error == 0) output_write(&t->b.out, at, size);
}

static void from_start(tail *t, input *in) {
  uint64_t skip = t->count > 0 ? t->count - 1 : 0;
  char *at;
  size_t size;
  if (!t->bytes) {
    while (skip > 0 && input_until(in, t->zero ? 0 : '\n', &at, &size, NULL)) skip--;
  }
  while (t->bytes && skip > 0 && (size = input_some(in, &at)) > 0) {
    if (size > skip) {
      in->start -= size - skip;
      size = (size_t)skip;
    }
    skip -= size;
  }
  rest(t, in);
}

/* Where the last `count` lines (or bytes) of the text start. */
static size_t last_start(const tail *t, const char *all, size_t size) {
  if (t->bytes) return size > t->count ? size - (size_t)t->count : 0;
  if (t->count == 0) return size;
  char mark = t->zero ? 0 : '\n';
  size_t end = size > 0 && all[size - 1] == mark ? size - 1 : size;
  for (uint64_t left = t->count; left > 0; left--) {
    const char *before = bytes_rchr(all, mark, end);
    if (before == NULL) return 0;
    end = (size_t)(before - all);
  }
  return end + 1;
}

/* Keeps no more of the input than is needed: what precedes the last lines is dropped on the way. */
static void last_part(tail *t, input *in) {
  text kept = {0};
  char *at;
  size_t size;
  while ((size = input_some(in, &at)) > 0) {
    text_add(&kept, at, size);
    if (kept.len < 1u << 20 || kept.len < kept.cap / 2) continue;
    size_t start = last_start(t, kept.at, kept.len);
    memmove(kept.at, kept.at + start, kept.len - start);
    kept.len -= start;
  }
  size_t start = kept.len == 0 ? 0 : last_start(t, kept.at, kept.len);
  output_write(&t->b.out, kept.at + start, kept.len - start);
  text_free(&kept);
}

/* A file can be entered near its end. */
static void skip_ahead(const tail *t, input *in) {
  file_stat stat;
  if (in->fd == 0 || sys_fstat(in->fd, &stat) < 0 || stat.kind != FILE_REGULAR) return;
  if (t->bytes) {
    if (stat.size > t->count) sys_seek(in->fd, (int64_t)(stat.size - t->count), 0);
    return;
  }
  if (stat.size < 1u << 18) return;
  char *block = memory_take(65536);
  uint64_t end = stat.size, lines = 0;
  char mark = t->zero ? 0 : '\n';
  while (end > 0 && lines <= t->count) {
    uint64_t start = end > 65536 ? end - 65536 : 0;
    int64_t got = sys_pread(in->fd, block, (size_t)(end - start), start);
    if (got <= 0) break;
    lines += bytes_count(block, mark, (size_t)got);
    end = start;
  }
  free(block);
  sys_seek(in->fd, (int64_t)end, 0);
}

static void show(tail *t, const char *path, bool header, bool first, input *in) {
  int error = input_open(in, path);
  if (error < 0) {
    bin_error(&t->b, "cannot open %s for reading: %s", quote_always(path), error_text(error));
    in->ended = true;
    return;
  }
  if (header) {
    output_format(&t->b.out, "%s==> %s <==\n", first ? "" : "\n",
                  strcmp(path, "-") == 0 ? "standard input" : path);
  }
  if (t->from_start) {
    from_start(t, in);
  } else {
    skip_ahead(t, in);
    last_part(t, in);
  }
  if (in->error != 0)
    bin_error(&t->b, "error reading %s: %s", quote_always(path), error_text(in->error));
}

static void follow(tail *t, input *inputs, char **names, int count) {
  int last = count - 1;
  for (;;) {
    output_flush(&t->b.out);
    if (t->b.out.error != 0 || process_sleep(t->pause) == -EINTR) return;
    for (int i = 0; i < count; i++) {
      if (inputs[i].fd < 0) continue;
      inputs[i].ended = false;
      char *at;
      size_t size;
      while ((size = input_some(&inputs[i], &at)) > 0) {
        if (last != i && count > 1) output_format(&t->b.out, "\n==> %s <==\n", names[i]);
        last = i;
        output_write(&t->b.out, at, size);
      }
    }
  }
}

/* The old form: -5, +5, -5c, +5l, -5f. */
static int old_form(tail *t, int argc, char **argv) {
  if (argc < 2) return 0;
  const char *at = argv[1];
  bool plus = *at == '+';
  if ((*at != '-' && !plus) || at[1] < '0' || at[1] > '9') return 0;
  uint64_t count = 0;
  for (at++; *at >= '0' && *at <= '9'; at++) count = count * 10 + (uint64_t)(*at - '0');
  bool bytes = false, following = false;
  for (; *at != 0; at++) {
    if (*at == 'c')
      bytes = true;
    else if (*at == 'f')
      following = true;
    else if (*at != 'l')
      return 0;
  }
  t->count = count;
  t->bytes = bytes;
  t->from_start = plus;
  t->follow = following;
  return 1;
}

static int64_t seconds(options *o) {
  char *end;
  double value = strtod(o->value, &end);
  if (end == o->value || *end != 0 || !(value >= 0)) {
    bin_die(o->bin, 1, "invalid number of seconds: %s", quote_curly(o->value));
  }
  return value > 1e9 ? (int64_t)1e18 : (int64_t)(value * 1e9);
}

static int tail_main(int argc, char **argv, char **environment) {
  tail t = {.count = 10, .pause = 500000000};
  options o;
  bool quiet = false, verbose = false;
  options_start(&o, &t.b, command_find("tail"), argc, argv, environment);
  o.next += old_form(&t, argc, argv);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'n':
      case 'c':
        t.bytes = key == 'c';
        t.from_start = *o.value == '+';
        o.value += *o.value == '+' || *o.value == '-';
        t.count = options_number(&o, "bKm",
                                 t.bytes ? "invalid number of bytes" : "invalid number of lines");
        break;
      case 'f':
      case 'F':
        t.follow = true;
        break;
      case 's':
        t.pause = seconds(&o);
        break;
      case 'q':
        quiet = true, verbose = false;
        break;
      case 'v':
        verbose = true, quiet = false;
        break;
      case 'z':
        t.zero = true;
        break;
      default:
        break;
    }
  }
  char *standard[] = {"-", NULL};
  char **files = o.operand_count > 0 ? o.operands : standard;
  int count = o.operand_count > 0 ? o.operand_count : 1;
  input *inputs = memory_take((size_t)count * sizeof *inputs);
  for (int i = 0; i < count; i++) {
    show(&t, files[i], verbose || (count > 1 && !quiet), i == 0, &inputs[i]);
    if (!t.follow) input_close(&inputs[i]);
  }
  if (t.follow) follow(&t, inputs, files, count);
  return bin_end(&t.b);
}

const command command_tail = {
    .name = "tail",
    .main = tail_main,
    .usage = "tail [OPTION]... [FILE]...",
    .options =
        "-c, --bytes=[+]NUM\tprint the last NUM bytes; with +, from byte NUM on\n"
        "-f, --follow[=HOW]\tgo on with what is added\n"
        "-F\tas -f\n"
        "-n, --lines=[+]NUM\tprint the last NUM lines; with +, from line NUM on\n"
        "-q, --quiet, --silent\tnever print headers\n"
        "-s, --sleep-interval=N\twith -f, look every N seconds\n"
        "-v, --verbose\talways print headers\n"
        "-z, --zero-terminated\tlines end with NUL\n"
        "--pid=PID\tignored\n"
        "--retry\tignored"};
