// SPDX-License-Identifier: MIT
/* builtin_printf.c -- printf and echo, for the shell and for guest/bin. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "builtins.h"
#include "shared.h"

/* Field widths beyond this are refused: they only serve to use up memory. */
#define WIDTH_MAX 100000000

/* ---- escapes ---- */

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static size_t read_digits(const char *at, const char *end, int base, size_t most, uint32_t *value) {
  size_t count = 0;
  *value = 0;
  for (; count < most && at + count < end; count++) {
    int digit = hex_value(at[count]);
    if (digit < 0 || digit >= base) break;
    *value = *value * (uint32_t)base + (uint32_t)digit;
  }
  return count;
}

static char simple_escape(char c) {
  static const char from[] = "abefnrtvE", to[] = "\a\b\033\f\n\r\t\v\033";
  const char *found = c != 0 ? strchr(from, c) : NULL;
  return found != NULL ? to[found - from] : 0;
}

typedef enum { ESCAPE_ECHO, ESCAPE_ANSI, ESCAPE_FORMAT, ESCAPE_B } escape_style;

/* \x41, \u263a, \U0001F600, octal. Returns the bytes after the backslash that were taken, 0: none.
 */
static size_t numeric_escape(text *out, const char *at, const char *end, escape_style style) {
  uint32_t value;
  size_t digits;
  if (*at == 'x' && style == ESCAPE_ANSI && at + 1 < end && at[1] == '{') return 0;
  if (*at == 'x') {
    digits = read_digits(at + 1, end, 16, 2, &value);
    if (digits > 0) text_char(out, (char)value);
    return digits > 0 ? digits + 1 : 0;
  }
  if (*at == 'u' || *at == 'U') {
    digits = read_digits(at + 1, end, 16, *at == 'u' ? 4 : 8, &value);
    if (digits > 0) point_add(out, value > 0x10FFFF ? 0xFFFD : value);
    return digits > 0 ? digits + 1 : 0;
  }
  bool zero_first = style == ESCAPE_ECHO || style == ESCAPE_B;
  if (zero_first && *at == '0') {
    digits = read_digits(at + 1, end, 8, 3, &value);
    text_char(out, (char)value);
    return digits + 1;
  }
  if (style == ESCAPE_ECHO || *at < '0' || *at > '7') return 0;
  digits = read_digits(at, end, 8, 3, &value);
  text_char(out, (char)value);
  return digits;
}

/* The escape behind a backslash; true when \c ended everything. */
static bool add_escape(text *out, const char **at, const char *end, escape_style style) {
  char c = **at, simple = simple_escape(c);
  size_t taken = numeric_escape(out, *at, end, style);
  if (taken > 0) {
    *at += taken;
    return false;
  }
  ++*at;
  if (simple != 0) {
    text_char(out, simple);
  } else if (c == '\\') {
    text_char(out, '\\');
  } else if (c == 'c' && (style == ESCAPE_ECHO || style == ESCAPE_B)) {
    return true;
  } else if (c == 'c' && style == ESCAPE_ANSI && *at < end) {
    text_char(out, (char)(*(*at)++ & 0x1F));
  } else if ((c == '\'' || c == '"' || c == '?') && style != ESCAPE_ECHO) {
    text_char(out, c);
  } else {
    text_char(out, '\\');
    text_char(out, c);
  }
  return false;
}

static bool unescape(text *out, const char *from, size_t size, escape_style style) {
  const char *end = from + size;
  while (from < end) {
    if (*from == '\\' && from + 1 < end) {
      from++;
      if (add_escape(out, &from, end, style)) return false;
    } else {
      text_char(out, *from++);
    }
  }
  return true;
}

bool shared_unescape(text *out, const char *from, size_t size, bool ansi) {
  return unescape(out, from, size, ansi ? ESCAPE_ANSI : ESCAPE_ECHO);
}

/* ---- echo ---- */

static bool echo_options(const char *word, bool *newline, bool *expand) {
  if (word[0] != '-' || word[1] == 0 || strspn(word + 1, "neE") != strlen(word + 1)) return false;
  for (const char *at = word + 1; *at != 0; at++) {
    if (*at == 'n') *newline = false;
    if (*at == 'e') *expand = true;
    if (*at == 'E') *expand = false;
  }
  return true;
}

void shared_echo(text *out, int count, char **arguments, bool expand) {
  bool newline = true;
  int i = 0;
  while (i < count && echo_options(arguments[i], &newline, &expand)) i++;
  for (int first = i; i < count; i++) {
    if (i > first) text_char(out, ' ');
    size_t size = strlen(arguments[i]);
    if (!expand)
      text_add(out, arguments[i], size);
    else if (!unescape(out, arguments[i], size, ESCAPE_ECHO))
      return;
  }
  if (newline) text_char(out, '\n');
}

int builtin_echo(shell *sh, int argc, char **argv) {
  shared_echo(&sh->out, argc - 1, argv + 1, shopt_on(sh, SHOPT_XPG_ECHO));
  return 0;
}

/* ---- printf ---- */

typedef struct {
  text *out, *messages;
  int count, next; /* arguments */
  char **arguments;
  int status;
  bool stopped; /* \c in a %b */
  bool used;    /* this round took an argument */
  int64_t shell_start;
} printing;

typedef struct {
  bool minus, zero, plus, space, alternate;
  int width, precision; /* precision -1: none */
} spec;

static const char *take_argument(printing *p) {
  p->used = true;
  return p->next < p->count ? p->arguments[p->next++] : NULL;
}

static void message(printing *p, const char *argument, const char *what) {
  text_format(p->messages, "%s: %s\n", argument, what);
  p->status = 1;
}

/* 'x or "x stands for the character's number. */
static bool character_constant(const char *argument, uint32_t *value) {
  if (*argument != '\'' && *argument != '"') return false;
  size_t used;
  *value =
      argument[1] != 0 ? point_decode(argument + 1, strlen(argument + 1), &used) & 0x7FFFFFFF : 0;
  return true;
}

static intmax_t integer_argument(printing *p, bool with_sign) {
  const char *argument = take_argument(p);
  uint32_t point;
  char *end;
  if (argument == NULL || *argument == 0) return 0;
  if (character_constant(argument, &point)) return (intmax_t)point;
  errno = 0;
  intmax_t value = with_sign || strchr(argument, '-') != NULL
                       ? strtoimax(argument, &end, 0)
                       : (intmax_t)strtoumax(argument, &end, 0);
  if (*end != 0 || end == argument)
    message(p, argument, "invalid number");
  else if (errno == ERANGE)
    text_format(p->messages, "warning: %s: Numerical result out of range\n", argument);
  return value;
}

static long double float_argument(printing *p) {
  const char *argument = take_argument(p);
  uint32_t point;
  char *end;
  if (argument == NULL) return 0;
  if (character_constant(argument, &point)) return point;
  long double value = strtold(argument, &end);
  if (*end != 0 || end == argument) message(p, argument, "invalid number");
  return value;
}

static void add_padded(printing *p, const char *bytes, size_t size, const spec *by) {
  size_t width = by->width > 0 ? (size_t)by->width : 0;
  size_t pad = width > size ? width - size : 0;
  if (!by->minus) text_pad(p->out, ' ', pad);
  text_add(p->out, bytes, size);
  if (by->minus) text_pad(p->out, ' ', pad);
}

static void add_string(printing *p, const char *value, size_t size, const spec *by) {
  if (by->precision >= 0 && (size_t)by->precision < size) size = (size_t)by->precision;
  add_padded(p, value, size, by);
}

/* Integers by hand: snprintf would need a buffer as wide as the field. */
static void add_integer(printing *p, intmax_t number, char conversion, const spec *by) {
  char digits[72];
  size_t size = sizeof digits;
  bool decimal = conversion == 'd' || conversion == 'i';
  uintmax_t left = decimal && number < 0 ? 0 - (uintmax_t)number : (uintmax_t)number;
  unsigned base = conversion == 'o' ? 8 : conversion == 'x' || conversion == 'X' ? 16 : 10;
  const char *alphabet = conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  bool zero = left == 0;
  if (!(zero && by->precision == 0)) do
      digits[--size] = alphabet[left % base];
    while ((left /= base) != 0);
  size_t count = sizeof digits - size;
  const char *prefix = !decimal ? "" : number < 0 ? "-" : by->plus ? "+" : by->space ? " " : "";
  if (by->alternate && base == 16 && !zero) prefix = conversion == 'X' ? "0X" : "0x";
  size_t least = by->precision > 0 ? (size_t)by->precision : 0;
  if (by->alternate && base == 8 && least <= count && (count == 0 || digits[size] != '0'))
    least = count + 1;
  size_t zeros = least > count ? least - count : 0, head = strlen(prefix);
  size_t total = head + zeros + count, width = by->width > 0 ? (size_t)by->width : 0;
  if (by->zero && !by->minus && by->precision < 0 && width > total) {
    zeros += width - total;
    total = width;
  }
  if (!by->minus && width > total) text_pad(p->out, ' ', width - total);
  text_add(p->out, prefix, head);
  text_pad(p->out, '0', zeros);
  text_add(p->out, digits + size, count);
  if (by->minus && width > total) text_pad(p->out, ' ', width - total);
}

static void add_float(printing *p, long double value, char conversion, const spec *by) {
  char format[16], *at = format;
  *at++ = '%';
  if (by->plus) *at++ = '+';
  if (by->space) *at++ = ' ';
  if (by->alternate) *at++ = '#';
  if (by->minus) *at++ = '-';
  if (by->zero) *at++ = '0';
  *at++ = '*';
  *at++ = '.';
  *at++ = '*';
  *at++ = 'L';
  *at++ = conversion;
  *at = 0;
  int width = by->width, precision = by->precision;
  int size = snprintf(NULL, 0, format, width, precision, value);
  if (size < 0) return;
  text_reserve(p->out, (size_t)size + 1);
  snprintf(p->out->at + p->out->len, (size_t)size + 1, format, width, precision, value);
  p->out->len += (size_t)size;
}

/* %(format)T: seconds, -1 for now, -2 for when the shell began. */
static void add_time(printing *p, const char *format, size_t size, const spec *by) {
  const char *argument = take_argument(p);
  int64_t seconds = -1;
  if (argument != NULL && !builtin_number(argument, &seconds)) {
    message(p, argument, "invalid number");
    seconds = 0;
  }
  if (seconds == -1) seconds = kernel_now() / 1000000000;
  if (seconds == -2) seconds = p->shell_start / 1000000000;
  time_t when = (time_t)seconds;
  struct tm parts;
  gmtime_r(&when, &parts);
  char plain[256], shown[1024];
  if (size >= sizeof plain) size = sizeof plain - 1;
  memcpy(plain, format, size);
  plain[size] = 0;
  size_t length = strftime(shown, sizeof shown, size > 0 ? plain : "%H:%M:%S", &parts);
  add_string(p, shown, length, by);
}

/* Width or precision: digits or * . */
static const char *read_count(printing *p, const char *at, int *count) {
  int64_t value = 0;
  if (*at == '*') {
    value = integer_argument(p, true);
    at++;
  } else {
    while (*at >= '0' && *at <= '9') {
      if (value <= WIDTH_MAX) value = value * 10 + (*at - '0');
      at++;
    }
  }
  if (value > WIDTH_MAX || value < -WIDTH_MAX) {
    message(p, "field", "width or precision is too large");
    p->stopped = true;
    value = 0;
  }
  *count = (int)value;
  return at;
}

static const char *read_spec(printing *p, const char *at, spec *by) {
  *by = (spec){.precision = -1};
  for (;; at++) {
    if (*at == '-')
      by->minus = true;
    else if (*at == '0')
      by->zero = true;
    else if (*at == '+')
      by->plus = true;
    else if (*at == ' ')
      by->space = true;
    else if (*at == '#')
      by->alternate = true;
    else if (*at != '\'')
      break;
  }
  at = read_count(p, at, &by->width);
  if (by->width < 0) {
    by->minus = true;
    by->width = -by->width;
  }
  if (*at == '.') at = read_count(p, at + 1, &by->precision);
  while (*at != 0 && strchr("hlLjzt", *at) != NULL) at++;
  return at;
}

static void add_quoted(printing *p, const spec *by) {
  const char *argument = take_argument(p);
  text quoted = {.in = NULL};
  if (argument == NULL) argument = "";
  shared_quote(&quoted, argument, strlen(argument));
  add_string(p, quoted.at, quoted.len, by);
  text_free(&quoted);
}

static void add_escaped(printing *p, const spec *by) {
  const char *argument = take_argument(p);
  text plain = {.in = NULL};
  if (argument != NULL && !unescape(&plain, argument, strlen(argument), ESCAPE_B))
    p->stopped = true;
  add_string(p, plain.at != NULL ? plain.at : "", plain.len, by);
  text_free(&plain);
}

/* %c prints a byte, an empty argument a NUL. */
static void add_character(printing *p, const spec *by) {
  const char *argument = take_argument(p);
  add_padded(p, argument != NULL ? argument : "", 1, by);
}

/* One conversion; `at` is behind the %. Returns what follows, NULL when the format is wrong. */
static const char *convert(printing *p, const char *at) {
  spec by;
  if (*at == '%') {
    text_char(p->out, '%');
    return at + 1;
  }
  at = read_spec(p, at, &by);
  if (p->stopped) return NULL;
  switch (*at) {
    case 's': {
      const char *argument = take_argument(p);
      if (argument == NULL) argument = "";
      add_string(p, argument, strlen(argument), &by);
      break;
    }
    case 'b':
      add_escaped(p, &by);
      break;
    case 'q':
    case 'Q':
      add_quoted(p, &by);
      break;
    case 'c':
      add_character(p, &by);
      break;
    case 'd':
    case 'i':
      add_integer(p, integer_argument(p, true), 'd', &by);
      break;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      add_integer(p, integer_argument(p, false), *at, &by);
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      add_float(p, float_argument(p), *at, &by);
      break;
    case 'n':
      take_argument(p);
      break;
    case '(': {
      const char *close = strchr(at, ')');
      if (close != NULL && close[1] == 'T') {
        add_time(p, at + 1, (size_t)(close - at - 1), &by);
        return close + 2;
      }
      text_format(p->messages, "`%c': invalid time format specification\n", close ? close[1] : '(');
      p->status = 1;
      return NULL;
    }
    case 0:
      text_format(p->messages, "`%%': missing format character\n");
      p->status = 1;
      return NULL;
    default:
      text_format(p->messages, "`%c': invalid format character\n", *at);
      p->status = 1;
      return NULL;
  }
  return at + 1;
}

/* The format once. False when nothing more is to come. */
static bool print_once(printing *p, const char *format) {
  const char *end = format + strlen(format);
  while (*format != 0 && !p->stopped) {
    if (*format == '\\' && format[1] != 0) {
      format++;
      if (add_escape(p->out, &format, end, ESCAPE_FORMAT)) return false;
    } else if (*format == '%') {
      format = convert(p, format + 1);
      if (format == NULL) return false;
    } else {
      size_t plain = strcspn(format, "\\%");
      if (plain == 0) plain = 1;
      text_add(p->out, format, plain);
      format += plain;
    }
  }
  return !p->stopped;
}

static int print_all(printing *p, const char *format) {
  do {
    p->used = false;
    if (!print_once(p, format)) break;
  } while (p->used && p->next < p->count);
  return p->status;
}

int shared_printf(text *out, text *messages, int count, char **arguments) {
  printing p = {.out = out,
                .messages = messages,
                .count = count - 1,
                .arguments = arguments + 1,
                .shell_start = kernel_run_start()};
  return print_all(&p, arguments[0]);
}

static void pass_messages(shell *sh, text *messages) {
  for (char *at = text_end(messages); *at != 0;) {
    size_t size = strcspn(at, "\n");
    complain_as(sh, "printf", "%.*s", (int)size, at);
    at += size + 1;
  }
  text_free(messages);
}

int builtin_printf(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  const char *into = NULL;
  int letter;
  while ((letter = builtin_option(sh, &o, "v:")) != -1) {
    if (letter == '?') return 2;
    into = o.argument;
  }
  if (into != NULL && !builtin_target(sh, "printf", into)) return 2;
  if (o.index >= argc) return builtin_usage(sh, "printf");
  text messages = {.in = NULL}, made = {.in = NULL};
  printing p = {.out = into != NULL ? &made : &sh->out,
                .messages = &messages,
                .count = argc - o.index - 1,
                .arguments = argv + o.index + 1,
                .shell_start = sh->started};
  int status = print_all(&p, argv[o.index]);
  pass_messages(sh, &messages);
  if (into != NULL) {
    if (!var_assign_to(sh, into, text_end(&made))) status = 1;
    text_free(&made);
  }
  return status;
}
