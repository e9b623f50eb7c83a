// SPDX-License-Identifier: MIT
// cat.c -- join files. Without options the bytes are handed on as they were read.
#include "options.h"

typedef struct {
  bin b;
  bool number, number_nonblank, squeeze, ends, tabs, nonprinting;
  uint64_t line;
  int blanks;    /* empty lines just seen */
  bool at_start; /* of a line */
} cat;

static void show_byte(cat *c, int byte) {
  output *out = &c->b.out;
  if (byte == '\t' && !c->tabs) {
    output_byte(out, byte);
    return;
  }
  if (c->nonprinting && byte >= 128) {
    output_string(out, "M-");
    byte -= 128;
    if (byte >= 32 && byte != 127) {
      output_byte(out, byte);
      return;
    }
    output_byte(out, '^');
    output_byte(out, byte == 127 ? '?' : byte + 64);
  } else if ((c->nonprinting && (byte < 32 || byte == 127) && byte != '\t') || byte == '\t') {
    output_byte(out, '^');
    output_byte(out, byte == 127 ? '?' : byte + 64);
  } else {
    output_byte(out, byte);
  }
}

static void show_line(cat *c, const char *line, size_t size, bool newline) {
  if (c->at_start) {
    c->blanks = size == 0 && newline ? c->blanks + 1 : 0;
    if (c->squeeze && c->blanks > 1) return;
    if (c->number && (size > 0 || !c->number_nonblank)) {
      output_format(&c->b.out, "%6llu\t", (unsigned long long)++c->line);
    }
  }
  bool carriage = c->ends && newline && size > 0 && line[size - 1] == '\r';
  if (carriage) size--;
  if (!c->tabs && !c->nonprinting) {
    output_write(&c->b.out, line, size);
  } else {
    for (size_t i = 0; i < size; i++) show_byte(c, (unsigned char)line[i]);
  }
  if (carriage) output_string(&c->b.out, "^M");
  if (newline && c->ends) output_byte(&c->b.out, '$');
  if (newline) output_byte(&c->b.out, '\n');
  c->at_start = newline;
}

static void copy(cat *c, const char *path, bool plain) {
  input in;
  if (!bin_open(&c->b, &in, path)) return;
  char *at;
  size_t size;
  bool newline;
  if (plain) {
    while ((size = input_some(&in, &at)) > 0) {
      output_write(&c->b.out, at, size);
      /* Hand on what came from a slow source at once; a full buffer shows a fast one. */
      if (size < 16384) output_flush(&c->b.out);
      if (c->b.out.error != 0) break;
    }
  } else {
    while (input_line(&in, &at, &size, &newline)) show_line(c, at, size, newline);
  }
  bin_check_read(&c->b, &in, path);
  input_close(&in);
}

static int cat_main(int argc, char **argv, char **environment) {
  cat c = {.at_start = true};
  options o;
  options_start(&o, &c.b, command_find("cat"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'b':
        c.number_nonblank = c.number = true;
        break;
      case 'n':
        c.number = true;
        break;
      case 's':
        c.squeeze = true;
        break;
      case 'A':
        c.ends = c.tabs = c.nonprinting = true;
        break;
      case 'e':
        c.ends = c.nonprinting = true;
        break;
      case 't':
        c.tabs = c.nonprinting = true;
        break;
      case 'E':
        c.ends = true;
        break;
      case 'T':
        c.tabs = true;
        break;
      case 'v':
        c.nonprinting = true;
        break;
      default:
        break; /* -u: nothing to do */
    }
  }
  bool plain = !(c.number || c.squeeze || c.ends || c.tabs || c.nonprinting);
  if (o.operand_count == 0) copy(&c, "-", plain);
  for (int i = 0; i < o.operand_count; i++) copy(&c, o.operands[i], plain);
  return bin_end(&c.b);
}

const command command_cat = {.name = "cat",
                             .main = cat_main,
                             .usage = "cat [OPTION]... [FILE]...",
                             .options =
                                 "-A, --show-all\tas -vET\n"
                                 "-b, --number-nonblank\tnumber lines that are not empty\n"
                                 "-e\tas -vE\n"
                                 "-E, --show-ends\tshow $ at the end of each line\n"
                                 "-n, --number\tnumber all lines\n"
                                 "-s, --squeeze-blank\tno repeated empty lines\n"
                                 "-t\tas -vT\n"
                                 "-T, --show-tabs\tshow tabs as ^I\n"
                                 "-u\tnothing: for POSIX\n"
                                 "-v, --show-nonprinting\tuse ^ and M- for other bytes"};
