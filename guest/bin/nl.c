// SPDX-License-Identifier: MIT
// nl.c -- number lines.
#include "../text/regex.h"
#include "options.h"

typedef struct {
  bin b;
  struct {
    char kind; /* a t n p */
    regex *re;
  } style[3]; /* header, body, footer */
  int section;
  int64_t number, first, step;
  int width;
  char justify[3]; /* ln rn rz */
  const char *separator, *delimiter;
  uint64_t join_blank, blanks;
  bool keep_numbering;
} nl;

static void set_style(nl *n, int which, const char *value) {
  const char *error;
  n->style[which].kind = *value;
  if (strchr("atnp", *value) == NULL || (*value != 'p' && value[1] != 0)) {
    bin_usage(&n->b, "invalid %s numbering style: %s",
              which == 0   ? "header"
              : which == 1 ? "body"
                           : "footer",
              quote_curly(value));
  }
  if (*value != 'p') return;
  n->style[which].re = regex_compile(value + 1, strlen(value + 1), REGEX_BASIC, 0, &error);
  if (n->style[which].re == NULL) bin_die(&n->b, 1, "%s", error);
}

/* 0, 1, 2 for the header's, body's and footer's mark; -1 for other lines. */
static int section_mark(const nl *n, const char *line, size_t size) {
  size_t one = strlen(n->delimiter);
  for (size_t count = 3; one > 0 && count >= 1; count--) {
    if (size != one * count) continue;
    bool all = true;
    for (size_t i = 0; i < count; i++) all &= memcmp(line + i * one, n->delimiter, one) == 0;
    if (all) return 3 - (int)count;
  }
  return -1;
}

static void put_number(nl *n) {
  if (strcmp(n->justify, "ln") == 0)
    output_format(&n->b.out, "%-*lld", n->width, (long long)n->number);
  else if (strcmp(n->justify, "rz") == 0)
    output_format(&n->b.out, "%0*lld", n->width, (long long)n->number);
  else
    output_format(&n->b.out, "%*lld", n->width, (long long)n->number);
  output_string(&n->b.out, n->separator);
  n->number += n->step;
}

static void put_line(nl *n, const char *line, size_t size) {
  bool numbered = false;
  switch (n->style[n->section].kind) {
    case 'a':
      n->blanks = size == 0 ? n->blanks + 1 : 0;
      numbered = size > 0 || n->blanks == n->join_blank;
      if (numbered) n->blanks = 0;
      break;
    case 't':
      numbered = size > 0;
      break;
    case 'p':
      numbered = regex_test(n->style[n->section].re, line, size, 0, NULL) == 1;
      break;
    default:
      break;
  }
  if (numbered)
    put_number(n);
  else
    output_format(&n->b.out, "%*s", n->width + (int)strlen(n->separator), "");
  output_write(&n->b.out, line, size);
  output_byte(&n->b.out, '\n');
}

static void number_file(nl *n, const char *path) {
  input in;
  if (!bin_open(&n->b, &in, path)) return;
  char *line;
  size_t size;
  while (input_line(&in, &line, &size, NULL)) {
    int mark = section_mark(n, line, size);
    if (mark < 0) {
      put_line(n, line, size);
      continue;
    }
    n->section = mark;
    if (!n->keep_numbering) n->number = n->first;
    output_byte(&n->b.out, '\n');
  }
  bin_check_read(&n->b, &in, path);
  input_close(&in);
}

static int64_t number(options *o, const char *what) {
  char *end;
  int64_t value = strtoll(o->value, &end, 10);
  if (end == o->value || *end != 0)
    bin_die(o->bin, 1, "invalid %s: %s", what, quote_curly(o->value));
  return value;
}

static int nl_main(int argc, char **argv, char **environment) {
  nl n = {.style = {{'n', NULL}, {'t', NULL}, {'n', NULL}},
          .section = 1,
          .first = 1,
          .step = 1,
          .width = 6,
          .justify = "rn",
          .separator = "\t",
          .delimiter = "\\:",
          .join_blank = 1};
  options o;
  options_start(&o, &n.b, command_find("nl"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'b':
        set_style(&n, 1, o.value);
        break;
      case 'h':
        set_style(&n, 0, o.value);
        break;
      case 'f':
        set_style(&n, 2, o.value);
        break;
      case 'd':
        n.delimiter = o.value;
        break;
      case 'i':
        n.step = number(&o, "line number increment");
        break;
      case 'l':
        n.join_blank = (uint64_t)number(&o, "line number of blank lines");
        break;
      case 'n':
        if (strlen(o.value) != 2 || strstr("ln rn rz", o.value) == NULL)
          bin_usage(&n.b, "invalid line numbering format: %s", quote_curly(o.value));
        memcpy(n.justify, o.value, 3);
        break;
      case 'p':
        n.keep_numbering = true;
        break;
      case 's':
        n.separator = o.value;
        break;
      case 'v':
        n.first = number(&o, "starting line number");
        break;
      case 'w':
        n.width = (int)number(&o, "line number field width");
        break;
      default:
        break;
    }
  }
  if (strlen(n.delimiter) == 1) {
    text two = {0};
    text_format(&two, "%s:", n.delimiter);
    n.delimiter = text_end(&two);
  }
  n.number = n.first;
  if (o.operand_count == 0) number_file(&n, "-");
  for (int i = 0; i < o.operand_count; i++) number_file(&n, o.operands[i]);
  return bin_end(&n.b);
}

const command command_nl = {
    .name = "nl",
    .main = nl_main,
    .usage = "nl [OPTION]... [FILE]...",
    .options =
        "-b, --body-numbering=STYLE\ta all, t lines with text, n none, pREGEX those that match\n"
        "-d, --section-delimiter=CC\twhat parts logical pages\n"
        "-f, --footer-numbering=STYLE\tas -b, for footers\n"
        "-h, --header-numbering=STYLE\tas -b, for headers\n"
        "-i, --line-increment=NUMBER\tstep\n"
        "-l, --join-blank-lines=NUMBER\tso many empty lines count as one\n"
        "-n, --number-format=FORMAT\tln, rn or rz\n"
        "-p, --no-renumber\tgo on counting on a new page\n"
        "-s, --number-separator=STRING\tbehind the number\n"
        "-v, --starting-line-number=NUMBER\tthe first\n"
        "-w, --number-width=NUMBER\tcolumns for the number"};
