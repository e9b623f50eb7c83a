// SPDX-License-Identifier: MIT
// xxd.c -- show bytes as hexadecimal, or make them from it.
#include "options.h"

typedef struct {
  bin b;
  uint64_t limit, seek;
  size_t columns, group;
  bool plain, bits, upper, little, include;
  int64_t skip;
  const char *name;
} xxd;

static void put_hex(xxd *x, unsigned char byte) {
  const char *digits = x->upper ? "0123456789ABCDEF" : "0123456789abcdef";
  output_byte(&x->b.out, digits[byte >> 4]);
  output_byte(&x->b.out, digits[byte & 15]);
}

static void put_line(xxd *x, const unsigned char *at, size_t size, uint64_t offset) {
  output *out = &x->b.out;
  output_format(out, "%08llx:", (unsigned long long)offset);
  size_t per = x->bits ? 8 : 2, written = 0;
  for (size_t i = 0; i < x->columns; i++) {
    if (x->group > 0 ? i % x->group == 0 : i == 0) {
      output_byte(out, ' ');
      written++;
    }
    size_t from =
        x->little && x->group > 0 ? i / x->group * x->group + (x->group - 1 - i % x->group) : i;
    if (from >= size) {
      if (x->little || i >= size) output_format(out, "%*s", (int)per, "");
      continue;
    }
    if (x->bits) {
      for (int bit = 7; bit >= 0; bit--) output_byte(out, '0' + (at[from] >> bit & 1));
    } else {
      put_hex(x, at[from]);
    }
  }
  output_string(out, "  ");
  for (size_t i = 0; i < size; i++) output_byte(out, at[i] >= 32 && at[i] < 127 ? at[i] : '.');
  output_byte(out, '\n');
}

static void dump(xxd *x, input *in) {
  uint64_t offset = x->seek, left = x->limit, total = 0;
  size_t columns = x->columns;
  char *at;
  if (x->include && x->name != NULL) {
    output_string(&x->b.out, "unsigned char ");
    for (const char *p = x->name; *p != 0; p++)
      output_byte(&x->b.out, (*p | 32) >= 'a' && (*p | 32) <= 'z' ? *p
                             : *p >= '0' && *p <= '9'             ? *p
                                                                  : '_');
    output_string(&x->b.out, "[] = {\n");
  }
  while (left > 0) {
    size_t size = input_peek(in, columns, &at);
    if (size == 0) break;
    if (size > columns) size = columns;
    if (size > left) size = (size_t)left;
    const unsigned char *bytes = (const unsigned char *)at;
    if (x->include) {
      for (size_t i = 0; i < size; i++) {
        output_string(&x->b.out, i == 0 ? (total == 0 ? "  " : ",\n  ") : ", ");
        output_string(&x->b.out, x->upper ? "0X" : "0x");
        put_hex(x, bytes[i]);
      }
    } else if (x->plain) {
      for (size_t i = 0; i < size; i++) put_hex(x, bytes[i]);
      output_byte(&x->b.out, '\n');
    } else {
      put_line(x, bytes, size, offset);
    }
    input_take(in, size);
    offset += size, left -= size, total += size;
    if (x->b.out.error != 0) return;
  }
  if (x->include && total > 0) output_byte(&x->b.out, '\n');
  if (x->include && x->name != NULL) {
    output_string(&x->b.out, "};\nunsigned int ");
    for (const char *p = x->name; *p != 0; p++)
      output_byte(&x->b.out, (*p | 32) >= 'a' && (*p | 32) <= 'z' ? *p
                             : *p >= '0' && *p <= '9'             ? *p
                                                                  : '_');
    output_format(&x->b.out, "_len = %llu;\n", (unsigned long long)total);
  }
}

static int hex(char c) {
  return c >= '0' && c <= '9'                 ? c - '0'
         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                              : -1;
}

static void revert_plain(xxd *x, input *in) {
  int high = -1;
  for (int byte; (byte = input_byte(in)) >= 0;) {
    int digit = hex((char)byte);
    if (digit < 0) {
      if (byte != '\n' && byte != ' ' && byte != '\r' && byte != '\t') high = -1;
      continue;
    }
    if (high < 0)
      high = digit;
    else {
      output_byte(&x->b.out, high << 4 | digit);
      high = -1;
    }
  }
}

static void revert(xxd *x, input *in) {
  char *line;
  size_t size;
  uint64_t written = 0;
  while (input_line(in, &line, &size, NULL)) {
    char *copy = memory_copy(line, size), *colon = strchr(copy, ':');
    if (colon == NULL) continue;
    uint64_t offset = strtoull(copy, NULL, 16);
    while (written < offset && offset - written < 1u << 26) output_byte(&x->b.out, 0), written++;
    size_t count = 0;
    char *at = colon + 1;
    while (*at != 0 && count < x->columns) {
      if (*at == ' ' && at[1] == ' ') break; /* the text column */
      if (hex(*at) >= 0 && hex(at[1]) >= 0) {
        output_byte(&x->b.out, hex(*at) << 4 | hex(at[1]));
        written++, count++;
        at += 2;
      } else {
        at++;
      }
    }
    free(copy);
  }
}

static int xxd_main(int argc, char **argv, char **environment) {
  xxd x = {.limit = UINT64_MAX};
  options o;
  bool reverse = false, columns_set = false, group_set = false;
  options_start(&o, &x.b, command_find("xxd"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'b':
        x.bits = true;
        break;
      case 'c':
        x.columns = strtoul(o.value, NULL, 0);
        columns_set = true;
        break;
      case 'e':
        x.little = true;
        break;
      case 'g':
        x.group = strtoul(o.value, NULL, 0);
        group_set = true;
        break;
      case 'i':
        x.include = true;
        break;
      case 'l':
        x.limit = strtoull(o.value, NULL, 0);
        break;
      case 'p':
        x.plain = true;
        break;
      case 'r':
        reverse = true;
        break;
      case 's':
        x.skip = strtoll(o.value, NULL, 0);
        break;
      case 'u':
        x.upper = true;
        break;
      default:
        break;
    }
  }
  if (!columns_set || x.columns == 0) x.columns = x.plain ? 30 : x.include ? 12 : x.bits ? 6 : 16;
  if (columns_set && x.columns == 0 && x.plain) x.columns = 1u << 20;
  if (x.columns > 1u << 16) x.columns = 1u << 16;
  if (!group_set) x.group = x.bits ? 1 : x.little ? 4 : 2;
  const char *path = o.operand_count > 0 ? o.operands[0] : "-";
  if (strcmp(path, "-") != 0) x.name = path;
  input in;
  int error = input_open(&in, path);
  if (error < 0) bin_die(&x.b, 2, "%s: %s", path, error_text(error));
  if (o.operand_count > 1) {
    int fd = sys_open(o.operands[1], OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
    if (fd < 0) bin_die(&x.b, 3, "%s: %s", o.operands[1], error_text(fd));
    output_open_fd(&x.b.out, fd);
  }
  if (reverse) {
    if (x.plain)
      revert_plain(&x, &in);
    else
      revert(&x, &in);
    return bin_end(&x.b);
  }
  if (x.skip < 0) {
    file_stat stat;
    int64_t from = sys_fstat(in.fd, &stat) == 0 ? (int64_t)stat.size + x.skip : 0;
    x.skip = from > 0 ? from : 0;
  }
  char *at;
  for (uint64_t left = (uint64_t)x.skip; left > 0;) {
    size_t size = input_peek(&in, 1, &at);
    if (size == 0) break;
    if (size > left) size = (size_t)left;
    input_take(&in, size);
    left -= size;
  }
  x.seek = (uint64_t)x.skip;
  dump(&x, &in);
  return bin_end(&x.b);
}

const command command_xxd = {
    .name = "xxd",
    .main = xxd_main,
    .usage = "xxd [OPTION]... [INFILE [OUTFILE]]\n   or: xxd -r [-p] [INFILE [OUTFILE]]",
    .options =
        "-b\tbits instead of hexadecimal\n-c COLS\tbytes a line\n-e\tlittle-endian groups\n"
        "-g BYTES\tbytes a group\n-i\tas C\n-l LEN\tno more than LEN bytes\n"
        "-p\tplain, without offsets and text\n-r\tfrom hexadecimal to bytes\n"
        "-s OFFSET\tbegin at OFFSET\n-u\tcapital letters"};
