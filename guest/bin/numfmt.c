// SPDX-License-Identifier: MIT
// numfmt.c -- numbers from and to a form with units: 1.5K, 2Mi.
#include "options.h"

#include <math.h>
#include <stdio.h>

typedef enum { NONE, AUTO, SI, IEC, IEC_I } scale;
typedef enum { UP, DOWN, FROM_ZERO, TOWARDS_ZERO, NEAREST } rounding;
typedef enum { ABORT, FAIL, WARN, IGNORE } complaint;

typedef struct {
  bin b;
  scale from, to;
  long double from_unit, to_unit;
  rounding round;
  complaint invalid;
  int delimiter, mark; /* delimiter -1: blanks */
  long padding, zero_width;
  bool auto_padding, grouping;
  int precision; /* -1: what suits */
  const char *suffix;
  char *before, *after; /* of --format */
  bool *fields;         /* by number; the last also for all behind when `fields_open` */
  size_t field_count;
  bool fields_open, all_fields;
  uint64_t header;
  bool failed;
} numfmt;

static const char powers[] = "KMGTPEZY";

/* Multiplies or divides step by step, as GNU's does, so that the last digits agree. */
static long double power(long double base, int n) {
  long double all = 1;
  for (; n > 0; n--) all *= base;
  return all;
}

static long double rounded(rounding how, long double value) {
  switch (how) {
    case UP:
      return ceill(value);
    case DOWN:
      return floorl(value);
    case FROM_ZERO:
      return value < 0 ? floorl(value) : ceill(value);
    case TOWARDS_ZERO:
      return truncl(value);
    default:
      return value < 0 ? ceill(value - 0.5L) : floorl(value + 0.5L);
  }
}

/* Reads text up to its end; NULL or the complaint's format, which takes the text and the rest. */
static const char *read_number(numfmt *n, const char *from, long double *value, const char **rest) {
  const char *at = from;
  bool negative = *at == '-', digits = false;
  long double all = 0;
  int count = 0;
  if (negative) at++;
  for (; *at >= '0' && *at <= '9'; at++) {
    digits = true;
    if (all > 0 || *at != '0') count++;
    if (count > 33) return "value too large to be converted: %s";
    all = all * 10 + (*at - '0');
  }
  if (*at == '.') {
    long double unit = 1;
    at++;
    if (!(*at >= '0' && *at <= '9')) return "invalid number: %s";
    for (; *at >= '0' && *at <= '9'; at++) {
      digits = true;
      unit /= 10;
      all += (*at - '0') * unit;
    }
  }
  if (!digits) return "invalid number: %s";
  const char *end = at;
  while (*end == ' ' || *end == '\t') end++;
  if (*end != 0) {
    const char *letter = strchr(powers, *end == 'k' ? 'K' : *end);
    if (letter == NULL) return "invalid suffix in input: %s";
    if (n->from == NONE) return "rejecting suffix in input: %s (consider using --from)";
    long double base = n->from == SI ? 1000 : n->from == AUTO ? 1000 : 1024;
    end++;
    if (n->from == AUTO && *end == 'i') {
      base = 1024;
      end++;
    }
    if (n->from == IEC_I) {
      if (*end != 'i') return "missing 'i' suffix in input: %s (e.g Ki/Mi/Gi)";
      end++;
    }
    all *= power(base, (int)(letter - powers) + 1);
    while (*end == ' ' || *end == '\t') end++;
    if (*end != 0) {
      *rest = end;
      return "invalid suffix in input %s: %s";
    }
  }
  *value = negative ? -all : all;
  return NULL;
}

/* False when it is too large to be shown without a scale. */
static bool write_number(numfmt *n, text *t, long double value, int precision) {
  if (n->to == NONE) {
    long double by = power(10, n->precision < 0 ? precision : n->precision);
    int digits = n->precision < 0 ? precision : n->precision;
    value = rounded(n->round, value * by) / by;
    if (n->zero_width > 0)
      text_format(t, "%0*.*Lf", (int)n->zero_width, digits, value);
    else
      text_format(t, "%.*Lf", digits, value);
    return true;
  }
  long double base = n->to == SI ? 1000 : 1024;
  int exponent = 0, adjust = 0;
  while (fabsl(value) >= base) {
    value /= base;
    exponent++;
  }
  if (n->precision >= 0)
    adjust = exponent * 3 < n->precision ? exponent * 3 : n->precision;
  else if (fabsl(value) < 10)
    adjust = 1;
  long double by = power(10, adjust);
  value = rounded(n->round, value * by) / by;
  if (fabsl(value) >= base) {
    value /= base;
    exponent++;
  }
  int digits = n->precision >= 0 ? n->precision : value != 0 && fabsl(value) < 10 && exponent > 0;
  if (n->zero_width > 0)
    text_format(t, "%0*.*Lf", (int)n->zero_width, digits, value);
  else
    text_format(t, "%.*Lf", digits, value);
  if (exponent > 0 && exponent <= 8) text_char(t, powers[exponent - 1]);
  if (n->to == IEC_I && exponent > 0) text_char(t, 'i');
  return true;
}

static int decimals(const char *at) {
  const char *point = strchr(at, '.');
  return point == NULL ? 0 : (int)strspn(point + 1, "0123456789");
}

static void complain(numfmt *n, const char *format, const char *input, const char *rest) {
  n->failed = true;
  if (n->invalid == IGNORE) return;
  text message = {0};
  const char *at = format;
  const char *words[2] = {input, rest};
  for (int i = 0; *at != 0; at++) {
    if (at[0] == '%' && at[1] == 's') {
      text_string(&message, quote_curly(words[i++]));
      at++;
    } else {
      text_char(&message, *at);
    }
  }
  output_flush(&n->b.out);
  if (n->invalid == ABORT) bin_die(&n->b, 2, "%s", text_end(&message));
  bin_warn(&n->b, "%s", text_end(&message));
}

static void convert(numfmt *n, char *field, size_t number) {
  char *at = field;
  output *out = &n->b.out;
  while (*at == ' ' || *at == '\t') at++;
  char *shown = memory_string(field);
  long padding = n->padding;
  if (n->auto_padding) padding = (at != field || number > 1) ? (long)strlen(field) : 0;
  if (n->suffix != NULL) {
    size_t size = strlen(at), end = strlen(n->suffix);
    if (size > end && strcmp(at + size - end, n->suffix) == 0) at[size - end] = 0;
  }
  long double value = 0;
  const char *rest = "", *wrong = read_number(n, at, &value, &rest);
  if (wrong != NULL) {
    complain(n, wrong, at, rest);
    output_string(out, shown);
    free(shown);
    return;
  }
  free(shown);
  int precision = n->from == NONE || strpbrk(at, powers) == NULL ? decimals(at) : 0;
  if (n->from_unit != 1 || n->to_unit != 1) value = value * n->from_unit / n->to_unit;
  if (n->to == NONE && fabsl(value) >= 1e18L) {
    text big = {0};
    text_format(&big, "%Lg", value);
    complain(n, "value too large to be printed: %s (consider using --to)", text_end(&big), "");
    output_string(out, field);
    return;
  }
  text t = {0};
  write_number(n, &t, value, precision);
  if (n->suffix != NULL) text_string(&t, n->suffix);
  long width = padding < 0 ? -padding : padding, blanks = width - (long)point_count(t.at, t.len);
  if (n->before != NULL) output_string(out, n->before);
  for (long i = 0; i < blanks && padding > 0; i++) output_byte(out, ' ');
  output_write(out, t.at, t.len);
  for (long i = 0; i < blanks && padding < 0; i++) output_byte(out, ' ');
  if (n->after != NULL) output_string(out, n->after);
  text_free(&t);
}

static bool is_chosen(const numfmt *n, size_t number) {
  if (n->all_fields) return true;
  if (number >= n->field_count) return n->fields_open;
  return n->fields[number];
}

static void do_line(numfmt *n, char *line) {
  size_t number = 0;
  for (char *at = line;;) {
    char *start = at;
    number++;
    if (n->delimiter >= 0) {
      while (*at != 0 && (unsigned char)*at != n->delimiter) at++;
    } else {
      while (*at == ' ' || *at == '\t' || *at == '\n') at++;
      while (*at != 0 && *at != ' ' && *at != '\t' && *at != '\n') at++;
    }
    bool last = *at == 0;
    *at = 0;
    if (is_chosen(n, number))
      convert(n, start, number);
    else
      output_string(&n->b.out, start);
    if (last) break;
    output_byte(&n->b.out, n->delimiter >= 0 ? n->delimiter : ' ');
    at++;
  }
  output_byte(&n->b.out, n->mark);
}

static scale scale_option(options *o, bool from) {
  static const char *const names[] = {"none", "auto", "si", "iec", "iec-i"};
  for (int i = 0; i < 5; i++) {
    if (strcmp(o->value, names[i]) == 0 && (from || i != AUTO)) return (scale)i;
  }
  text message = {0};
  text_format(&message, "invalid argument %s for %s\nValid arguments are:", quote_curly(o->value),
              quote_curly(from ? "--from" : "--to"));
  for (int i = 0; i < 5; i++) {
    if (from || i != AUTO) text_format(&message, "\n  - %s", quote_curly(names[i]));
  }
  bin_usage(o->bin, "%s", text_end(&message));
}

static int word_option(options *o, const char *const *names, int count, const char *what) {
  for (int i = 0; i < count; i++) {
    if (strncmp(o->value, names[i], strlen(o->value)) == 0) return i;
  }
  text message = {0};
  text_format(&message, "invalid argument %s for %s\nValid arguments are:", quote_curly(o->value),
              quote_curly(what));
  for (int i = 0; i < count; i++) text_format(&message, "\n  - %s", quote_curly(names[i]));
  bin_usage(o->bin, "%s", text_end(&message));
}

static long double unit_option(options *o) {
  numfmt reading = {.from = AUTO};
  long double value = 0;
  const char *rest;
  if (read_number(&reading, o->value, &value, &rest) != NULL || value < 1)
    bin_die(o->bin, 1, "invalid unit size: %s", quote_curly(o->value));
  return value;
}

static void fields_option(numfmt *n, options *o) {
  const char *at = o->value;
  n->field_count = 0;
  if (strcmp(at, "-") == 0) {
    n->all_fields = true;
    return;
  }
  for (;;) {
    char *end;
    unsigned long low = 1, high;
    if (*at != '-') {
      low = strtoul(at, &end, 10);
      if (end == at) bin_usage(&n->b, "invalid field value %s", quote_curly(at));
      at = end;
    }
    high = low;
    if (*at == '-') {
      at++;
      high = strtoul(at, &end, 10);
      if (end == at) n->fields_open = true;
      at = end;
    }
    if (low == 0) bin_usage(&n->b, "fields are numbered from 1");
    if (high != 0 && high < low && !n->fields_open) bin_usage(&n->b, "invalid decreasing range");
    if (high < low) high = low;
    if (high > 100000) high = 100000;
    if (high + 1 > n->field_count) {
      n->fields = memory_resize(n->fields, high + 1);
      memset(n->fields + n->field_count, 0, high + 1 - n->field_count);
      n->field_count = high + 1;
    }
    for (unsigned long i = low; i <= high; i++) n->fields[i] = true;
    if (*at == 0) return;
    if (*at != ',' && *at != ' ') bin_usage(&n->b, "invalid field value %s", quote_curly(at));
    at++;
  }
}

static void format_option(numfmt *n, const char *format) {
  text before = {0}, after = {0};
  const char *at = format;
  for (; *at != 0 && (at[0] != '%' || at[1] == '%'); at++) {
    text_char(&before, *at);
    if (*at == '%') at++;
  }
  if (*at == 0) bin_die(&n->b, 1, "format %s has no %% directive", quote_curly(format));
  at++;
  bool left = false, zero = false;
  for (;; at++) {
    if (*at == '-')
      left = true;
    else if (*at == '0')
      zero = true;
    else if (*at == '\'')
      n->grouping = true;
    else if (*at != ' ')
      break;
  }
  long width = 0;
  for (; *at >= '0' && *at <= '9' && width < 100000; at++) width = width * 10 + (*at - '0');
  if (width != 0) {
    n->auto_padding = false;
    if (zero && !left)
      n->zero_width = width;
    else
      n->padding = left ? -width : width;
  }
  if (*at == '.') {
    at++;
    int precision = 0;
    for (; *at >= '0' && *at <= '9' && precision < 1000; at++)
      precision = precision * 10 + (*at - '0');
    n->precision = precision;
  }
  if (*at == 0) bin_die(&n->b, 1, "format %s ends in %%", quote_curly(format));
  if (*at != 'f')
    bin_die(&n->b, 1, "invalid format %s, directive must be %%[0]['][-][N][.][N]f",
            quote_curly(format));
  for (at++; *at != 0; at++) {
    if (*at == '%' && at[1] == '%')
      text_char(&after, *at++); /* GNU's prints both */
    else if (*at == '%')
      bin_die(&n->b, 1, "format %s has too many %% directives", quote_curly(format));
    text_char(&after, *at);
  }
  n->before = text_end(&before);
  n->after = text_end(&after);
}

static int numfmt_main(int argc, char **argv, char **environment) {
  static const char *const rounds[] = {"up", "down", "from-zero", "towards-zero", "nearest"};
  static const char *const modes[] = {"abort", "fail", "warn", "ignore"};
  numfmt n = {.round = FROM_ZERO,
              .from_unit = 1,
              .to_unit = 1,
              .delimiter = -1,
              .mark = '\n',
              .precision = -1};
  bool fields = false;
  const char *format = NULL;
  options o;
  options_start(&o, &n.b, command_find("numfmt"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'd') {
      if (o.value[0] != 0 && o.value[1] != 0)
        bin_die(&n.b, 1, "the delimiter must be a single character");
      n.delimiter = (unsigned char)o.value[0];
    } else if (key == 'z') {
      n.mark = 0;
    } else if (options_is(&o, "from")) {
      n.from = scale_option(&o, true);
    } else if (options_is(&o, "to")) {
      n.to = scale_option(&o, false);
    } else if (options_is(&o, "from-unit")) {
      n.from_unit = unit_option(&o);
    } else if (options_is(&o, "to-unit")) {
      n.to_unit = unit_option(&o);
    } else if (options_is(&o, "round")) {
      n.round = (rounding)word_option(&o, rounds, 5, "--round");
    } else if (options_is(&o, "invalid")) {
      n.invalid = (complaint)word_option(&o, modes, 4, "--invalid");
    } else if (options_is(&o, "padding")) {
      char *end;
      n.padding = strtol(o.value, &end, 10);
      if (*end != 0 || end == o.value || n.padding == 0)
        bin_die(&n.b, 1, "invalid padding value %s", quote_curly(o.value));
    } else if (options_is(&o, "field")) {
      if (fields) bin_usage(&n.b, "multiple field specifications");
      fields = true;
      fields_option(&n, &o);
    } else if (options_is(&o, "suffix")) {
      n.suffix = o.value;
    } else if (options_is(&o, "grouping")) {
      n.grouping = true;
    } else if (options_is(&o, "header")) {
      n.header = 1;
      if (o.value != NULL && (number_parse(o.value, NULL, &n.header) != 0 || n.header == 0))
        bin_die(&n.b, 1, "invalid header value %s", quote_curly(o.value));
    } else if (options_is(&o, "format")) {
      format = o.value;
    }
  }
  if (format != NULL && n.grouping) bin_die(&n.b, 1, "--grouping cannot be combined with --format");
  n.auto_padding = n.padding == 0 && n.delimiter < 0;
  if (format != NULL) format_option(&n, format);
  if (n.grouping && n.to != NONE) bin_die(&n.b, 1, "grouping cannot be combined with --to");
  if (!fields) {
    n.fields = memory_take(2);
    n.fields[0] = false;
    n.fields[1] = true;
    n.field_count = 2;
  }
  if (o.operand_count > 0) {
    for (int i = 0; i < o.operand_count; i++) do_line(&n, memory_string(o.operands[i]));
  } else {
    input in;
    char *line;
    size_t size;
    bool ended;
    input_open_fd(&in, 0);
    while (n.b.out.error == 0 && input_until(&in, n.mark, &line, &size, &ended)) {
      if (n.header > 0) {
        n.header--;
        output_write(&n.b.out, line, size);
        output_byte(&n.b.out, n.mark);
        continue;
      }
      char *copy = memory_copy(line, size);
      do_line(&n, copy);
      free(copy);
    }
    bin_check_read(&n.b, &in, "error reading input");
  }
  if (n.failed && (n.invalid == FAIL || n.invalid == ABORT)) n.b.status = 2;
  return bin_end(&n.b);
}

const command command_numfmt = {
    .name = "numfmt",
    .main = numfmt_main,
    .usage = "numfmt [OPTION]... [NUMBER]...",
    .options =
        "-d, --delimiter=X\tfields end at X\n--field=FIELDS\twhich fields: 2, 1-3, 2-, -\n"
        "--format=FORMAT\tas printf's %f\n--from=UNIT\tnone, auto, si, iec or iec-i\n"
        "--from-unit=N\twhat one of the input is\n--grouping\tas the locale groups digits\n"
        "--header[=N]\tprint the first N lines as they are\n"
        "--invalid=MODE\tabort, fail, warn or ignore\n--padding=N\tto N columns; -N: left\n"
        "--round=METHOD\tup, down, from-zero, towards-zero or nearest\n"
        "--suffix=SUFFIX\tbehind numbers, taken off first\n--to=UNIT\tnone, si, iec or iec-i\n"
        "--to-unit=N\twhat one of the output is\n-z, --zero-terminated\tlines end with NUL"};
