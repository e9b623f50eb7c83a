// SPDX-License-Identifier: MIT
// head.c -- print the first lines or bytes; with a minus, all but the last.
#include "../text/bytes.h"
#include "options.h"

typedef struct {
  bin b;
  bool bytes, from_end, zero;
  uint64_t count;
} head;

static void first_lines(head *h, input *in) {
  char *line;
  size_t size;
  bool marked;
  int mark = h->zero ? 0 : '\n';
  for (uint64_t left = h->count; left > 0 && input_until(in, mark, &line, &size, &marked); left--) {
    output_write(&h->b.out, line, size);
    if (marked) output_byte(&h->b.out, mark);
    if (h->b.out.error != 0) return;
  }
}

static void first_bytes(head *h, input *in) {
  char *at;
  size_t size;
  for (uint64_t left = h->count; left > 0 && (size = input_some(in, &at)) > 0;) {
    if (size > left) {
      in->start -= size - left; /* the rest is not ours */
      size = (size_t)left;
    }
    output_write(&h->b.out, at, size);
    left -= size;
    if (h->b.out.error != 0) return;
  }
}

static void all_but_last(head *h, input *in) {
  size_t size;
  char *all = input_all(in, &size);
  int mark = h->zero ? 0 : '\n';
  if (h->bytes) {
    if (size > h->count) output_write(&h->b.out, all, size - (size_t)h->count);
    return;
  }
  size_t end = size;
  for (uint64_t left = h->count; left > 0 && end > 0; left--) {
    size_t search = all[end - 1] == (char)mark ? end - 1 : end;
    const char *before = bytes_rchr(all, mark, search);
    end = before == NULL ? 0 : (size_t)(before - all) + 1;
  }
  output_write(&h->b.out, all, end);
}

/* A file may be read on by someone else: leave its offset where we stopped. */
static void give_back(input *in) {
  if (in->end > in->start) sys_seek(in->fd, -(int64_t)(in->end - in->start), 1 /* SEEK_CUR */);
}

static void show(head *h, const char *path, bool header, bool first) {
  input in;
  int error = input_open(&in, path);
  if (error < 0) {
    bin_error(&h->b, "cannot open %s for reading: %s", quote_always(path), error_text(error));
    return;
  }
  if (header) {
    output_format(&h->b.out, "%s==> %s <==\n", first ? "" : "\n",
                  strcmp(path, "-") == 0 ? "standard input" : path);
  }
  if (h->from_end) {
    all_but_last(h, &in);
  } else if (h->bytes) {
    first_bytes(h, &in);
  } else {
    first_lines(h, &in);
  }
  if (in.error != 0) {
    bin_error(&h->b, "error reading %s: %s", quote_always(path), error_text(in.error));
  }
  if (in.fd == 0) give_back(&in);
  input_close(&in);
}

/* The old form: -5, -5c, -5q... in front. Returns how many arguments it took. */
static int old_form(head *h, int argc, char **argv, bool *quiet, bool *verbose) {
  if (argc < 2 || argv[1][0] != '-' || argv[1][1] < '0' || argv[1][1] > '9') return 0;
  char *end = argv[1] + 1;
  uint64_t factor = 1;
  for (h->count = 0; *end >= '0' && *end <= '9'; end++)
    h->count = h->count * 10 + (uint64_t)(*end - '0');
  for (; *end != 0; end++) {
    switch (*end) {
      case 'c':
        h->bytes = true;
        break;
      case 'b':
        h->bytes = true, factor = 512;
        break;
      case 'k':
        h->bytes = true, factor = 1024;
        break;
      case 'm':
        h->bytes = true, factor = 1048576;
        break;
      case 'l':
        h->bytes = false;
        break;
      case 'q':
        *quiet = true;
        break;
      case 'v':
        *verbose = true;
        break;
      case 'z':
        h->zero = true;
        break;
      default:
        bin_usage(&h->b, "invalid trailing option -- %c", *end);
    }
  }
  h->count *= factor;
  return 1;
}

static int head_main(int argc, char **argv, char **environment) {
  head h = {.count = 10};
  options o;
  bool quiet = false, verbose = false;
  options_start(&o, &h.b, command_find("head"), argc, argv, environment);
  o.next += old_form(&h, argc, argv, &quiet, &verbose);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'n' || key == 'c') {
      h.bytes = key == 'c';
      h.from_end = *o.value == '-';
      o.value += h.from_end;
      h.count = options_number(&o, "bKm",
                               h.bytes ? "invalid number of bytes" : "invalid number of lines");
    }
    if (key == 'q') quiet = true, verbose = false;
    if (key == 'v') verbose = true, quiet = false;
    if (key == 'z') h.zero = true;
  }
  static char *const standard[] = {"-"};
  char *const *files = o.operand_count > 0 ? o.operands : standard;
  int files_count = o.operand_count > 0 ? o.operand_count : 1;
  for (int i = 0; i < files_count; i++) {
    show(&h, files[i], verbose || (files_count > 1 && !quiet), i == 0);
  }
  return bin_end(&h.b);
}

const command command_head = {
    .name = "head",
    .main = head_main,
    .usage = "head [OPTION]... [FILE]...",
    .options =
        "-c, --bytes=[-]NUM\tprint the first NUM bytes; with -, all but the last NUM\n"
        "-n, --lines=[-]NUM\tprint the first NUM lines; with -, all but the last NUM\n"
        "-q, --quiet, --silent\tnever print headers\n"
        "-v, --verbose\talways print headers\n"
        "-z, --zero-terminated\tlines end with NUL"};
