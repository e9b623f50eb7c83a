// SPDX-License-Identifier: MIT
// cmp.c -- compare two files byte by byte.
#include "options.h"

static uint64_t number(options *o, const char *text) {
  uint64_t value;
  if (number_parse(text, "K", &value) == -EINVAL)
    bin_die(o->bin, 2, "invalid --ignore-initial value '%s'", text);
  return value;
}

static int cmp_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool all = false, silent = false, chars = false;
  uint64_t limit = UINT64_MAX, skip[2] = {0, 0};
  options_start(&o, &b, command_find("cmp"), argc, argv, environment);
  b.usage_status = 2;
  b.usage_named = true;
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'b':
        chars = true;
        break;
      case 'l':
        all = true;
        break;
      case 's':
        silent = true;
        break;
      case 'n':
        limit = number(&o, o.value);
        break;
      case 'i': {
        char *colon = strchr(o.value, ':');
        if (colon != NULL) *colon = 0;
        skip[0] = number(&o, o.value);
        skip[1] = colon != NULL ? number(&o, colon + 1) : skip[0];
        break;
      }
      default:
        break;
    }
  }
  if (o.operand_count < 1) bin_usage(&b, "missing operand after 'cmp'");
  if (o.operand_count > 4) bin_usage(&b, "extra operand '%s'", o.operands[4]);
  const char *names[2] = {o.operands[0], o.operand_count > 1 ? o.operands[1] : "-"};
  for (int i = 2; i < o.operand_count; i++) skip[i - 2] = number(&o, o.operands[i]);
  input in[2];
  for (int i = 0; i < 2; i++) {
    int error = input_open(&in[i], names[i]);
    if (error < 0) bin_die(&b, 2, "%s: %s", names[i], error_text(error));
    for (uint64_t left = skip[i]; left > 0 && input_byte(&in[i]) >= 0; left--) {
    }
  }
  uint64_t at = 1, line = 1;
  int status = 0, last = 0;
  for (; limit > 0; limit--, at++) {
    int x = input_byte(&in[0]), y = input_byte(&in[1]);
    if (x < 0 && y < 0) break;
    if (x < 0 || y < 0) {
      const char *name = names[x < 0 ? 0 : 1];
      if (!silent && all)
        bin_warn(&b, "EOF on %s after byte %llu", name, (unsigned long long)(at - 1));
      else if (!silent && at == 1)
        bin_warn(&b, "EOF on %s which is empty", name);
      else if (!silent) {
        bool ended = last == '\n';
        bin_warn(&b, "EOF on %s after byte %llu, %s %llu", name, (unsigned long long)(at - 1),
                 ended ? "line" : "in line", (unsigned long long)(line - ended));
      }
      return bin_end(&b) != 0 ? 2 : 1;
    }
    if (x != y) {
      status = 1;
      if (silent) break;
      if (!all) {
        output_format(&b.out, "%s %s differ: byte %llu, line %llu", names[0], names[1],
                      (unsigned long long)at, (unsigned long long)line);
        if (chars)
          output_format(&b.out, " is %3o %c %3o %c", (unsigned)x, x >= 32 && x < 127 ? x : '.',
                        (unsigned)y, y >= 32 && y < 127 ? y : '.');
        output_byte(&b.out, '\n');
        break;
      }
      output_format(&b.out, "%llu %3o %3o\n", (unsigned long long)at, (unsigned)x, (unsigned)y);
    }
    line += x == '\n';
    last = x;
  }
  return bin_end(&b) != 0 ? 2 : status;
}

const command command_cmp = {
    .name = "cmp",
    .main = cmp_main,
    .usage = "cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
    .options =
        "-b, --print-bytes\tshow the bytes\n-i, --ignore-initial=SKIP\tskip so many bytes of both, "
        "or N:M\n"
        "-l, --verbose\tall differences\n-n, --bytes=LIMIT\tcompare no more than LIMIT bytes\n"
        "-s, --quiet, --silent\tprint nothing"};
