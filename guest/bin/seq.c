// SPDX-License-Identifier: MIT
/* seq.c -- print a sequence of numbers. Whole numbers, the usual case, are counted as digits;
 * others as long doubles of the C library, printed with as many decimals as the operands have. */
#include "options.h"

#include <stdio.h>

typedef struct {
  bin b;
  const char *separator, *format;
  bool equal_width;
} seq;

static bool is_whole(const char *text) {
  if (*text == '+') text++;
  size_t size = strspn(text, "0123456789");
  return size > 0 && size < 18 && text[size] == 0;
}

static void count_up(seq *s, uint64_t first, uint64_t step, uint64_t last) {
  char width_text[24];
  int width = s->equal_width
                  ? snprintf(width_text, sizeof width_text, "%llu", (unsigned long long)last)
                  : 0;
  if (s->equal_width) {
    int other = snprintf(width_text, sizeof width_text, "%llu", (unsigned long long)first);
    width = other > width ? other : width;
  }
  size_t separator = strlen(s->separator);
  for (uint64_t value = first; value <= last && s->b.out.error == 0; value += step) {
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = value;
    do {
      digits[--at] = (char)('0' + left % 10);
    } while ((left /= 10) > 0);
    while (sizeof digits - at < (size_t)width) digits[--at] = '0';
    if (value != first) output_write(&s->b.out, s->separator, separator);
    output_write(&s->b.out, digits + at, sizeof digits - at);
  }
  if (first <= last) output_byte(&s->b.out, '\n');
}

typedef struct {
  long double value;
  int decimals; /* INT_MAX: cannot be told */
  size_t width; /* of its whole part and sign */
} operand;

static operand parse_operand(seq *s, const char *text) {
  char *end;
  operand o = {.value = strtold(text, &end)};
  if (*text == 0 || *end != 0)
    bin_usage(&s->b, "invalid floating point argument: %s", quote_curly(text));
  if (o.value != o.value)
    bin_usage(&s->b, "invalid %s argument: %s", quote_curly("not-a-number"), quote_curly(text));
  while (*text == ' ' || *text == '+') text++;
  const char *dot = strchr(text, '.'), *exponent = strpbrk(text, "eE");
  bool hex = strpbrk(text, "xX") != NULL || strpbrk(text, "nN") != NULL;
  if (hex) return o;
  size_t size = exponent != NULL ? (size_t)(exponent - text) : strlen(text);
  o.decimals = dot != NULL ? (int)(text + size - dot) - 1 : 0;
  o.width = dot != NULL ? (size_t)(dot - text) : size;
  if (dot == text || (dot == text + 1 && *text == '-')) o.width++; /* .5 is shown as 0.5 */
  if (exponent != NULL) {
    long power = strtol(exponent + 1, NULL, 10);
    o.decimals = power >= o.decimals ? 0 : o.decimals - (int)power;
    if (power > 0) o.width += (size_t)power;
  }
  return o;
}

/* One %-directive for a long double, checked so that it can be handed to the C library. */
static char *check_format(seq *s, const char *format) {
  text checked = {0};
  const char *quoted = quote_curly(format);
  bool found = false;
  for (const char *at = format; *at != 0; at++) {
    if (*at != '%' || at[1] == '%') {
      text_char(&checked, *at);
      if (*at == '%') text_char(&checked, *++at);
      continue;
    }
    if (found) bin_die(&s->b, 1, "format %s has too many %% directives", quoted);
    found = true;
    size_t size = 1 + strspn(at + 1, "-+#0 '");
    size += strspn(at + size, "0123456789");
    if (at[size] == '.') size += 1 + strspn(at + size + 1, "0123456789");
    text_add(&checked, at, size);
    if (at[size] == 'L') size++;
    if (at[size] == 0) bin_die(&s->b, 1, "format %s ends in %%", quoted);
    if (strchr("efgaEFGA", at[size]) == NULL) {
      bin_die(&s->b, 1, "format %s has unknown %%%c directive", quoted, at[size]);
    }
    text_char(&checked, 'L');
    text_char(&checked, at[size]);
    at += size;
  }
  if (!found) bin_die(&s->b, 1, "format %s has no %% directive", quoted);
  return text_end(&checked);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void count_long(seq *s, operand first, operand step, operand last) {
  char number[5000], made[64];
  const char *format = s->format;
  int decimals = first.decimals > step.decimals ? first.decimals : step.decimals;
  if (format == NULL) {
    size_t first_width = first.width, last_width = last.width;
    if (last.decimals > 0 && decimals == 0) last_width = last.width; /* its own dot is not shown */
    size_t width = first_width > last_width ? first_width : last_width;
    if (decimals > 0) width += 1 + (size_t)decimals;
    if (s->equal_width) {
      snprintf(made, sizeof made, "%%0%zu.%dLf", width, decimals);
    } else {
      snprintf(made, sizeof made, "%%.%dLf", decimals);
    }
    format = made;
  }
  bool down = step.value < 0, any = false;
  for (uint64_t i = 0; s->b.out.error == 0; i++) {
    long double value = first.value + (long double)i * step.value;
    bool beyond = down ? value < last.value : value > last.value;
    int size = snprintf(number, sizeof number, format, value);
    if (beyond) {
      /* Rounding may have carried the last value over: it counts when it prints as the limit. */
      if (s->format != NULL || !any) break;
      char limit[5000];
      snprintf(limit, sizeof limit, format, last.value);
      long double shown = strtold(number, NULL);
      if (strcmp(limit, number) != 0 || shown != last.value) break;
    }
    if (any) output_string(&s->b.out, s->separator);
    output_write(&s->b.out, number, (size_t)size);
    any = true;
    if (beyond) break;
  }
  if (any) output_byte(&s->b.out, '\n');
}

static int seq_main(int argc, char **argv, char **environment) {
  seq s = {.separator = "\n"};
  options o;
  options_start(&o, &s.b, command_find("seq"), argc, argv, environment);
  o.in_order = true;
  while (o.next < argc || o.letters != NULL) {
    /* A negative number is no option. */
    const char *next = o.next < argc ? argv[o.next] : "";
    if (o.letters == NULL && next[0] == '-' &&
        ((next[1] >= '0' && next[1] <= '9') || next[1] == '.'))
      break;
    int key = options_next(&o);
    if (key == 0) break;
    if (key == 's') s.separator = o.value;
    if (key == 'f') s.format = o.value;
    if (key == 'w') s.equal_width = true;
  }
  char **operands = o.operand_count > 0 ? o.operands : argv + o.next;
  int count = o.operand_count > 0 ? o.operand_count : argc - o.next;
  if (count == 0) bin_usage(&s.b, "missing operand");
  if (count > 3) bin_usage(&s.b, "extra operand %s", quote_curly(operands[3]));
  if (s.format != NULL && s.equal_width) {
    bin_usage(&s.b, "format string may not be specified when printing equal width strings");
  }
  if (s.format != NULL) s.format = check_format(&s, s.format);
  const char *first = count > 1 ? operands[0] : "1", *step = count > 2 ? operands[1] : "1";
  const char *last = operands[count - 1];
  if (s.format == NULL && is_whole(first) && is_whole(step) && is_whole(last) &&
      strtoull(step, NULL, 10) > 0) {
    count_up(&s, strtoull(first, NULL, 10), strtoull(step, NULL, 10), strtoull(last, NULL, 10));
    return bin_end(&s.b);
  }
  operand from = parse_operand(&s, first), by = parse_operand(&s, step),
          to = parse_operand(&s, last);
  if (by.value == 0) bin_usage(&s.b, "invalid Zero increment value: %s", quote_curly(step));
  count_long(&s, from, by, to);
  return bin_end(&s.b);
}

const command command_seq = {.name = "seq",
                             .main = seq_main,
                             .usage =
                                 "seq [OPTION]... LAST\n   or: seq [OPTION]... FIRST LAST\n"
                                 "   or: seq [OPTION]... FIRST INCREMENT LAST",
                             .options =
                                 "-f, --format=FORMAT\tprint numbers by this printf directive\n"
                                 "-s, --separator=STRING\tput STRING between numbers\n"
                                 "-w, --equal-width\tpad with zeros to one width"};
