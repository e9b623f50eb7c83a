// SPDX-License-Identifier: MIT
// base64.c -- base64 and base32: encode and decode.
#include "options.h"

typedef struct {
  bin b;
  const char *alphabet, *name;
  int bits, group, chars; /* bits of a character; bytes and characters of a group */
  uint64_t wrap, column;
  bool garbage;
} coder;

static void put(coder *c, char byte) {
  output_byte(&c->b.out, byte);
  if (c->wrap > 0 && ++c->column == c->wrap) {
    output_byte(&c->b.out, '\n');
    c->column = 0;
  }
}

static void encode_group(coder *c, const unsigned char *at, size_t size) {
  uint64_t value = 0;
  for (int i = 0; i < c->group; i++) value = value << 8 | ((size_t)i < size ? at[i] : 0);
  size_t used = (size * 8 + (size_t)c->bits - 1) / (size_t)c->bits;
  for (int i = 0; i < c->chars; i++) {
    int shift = c->bits * (c->chars - 1 - i);
    put(c, (size_t)i < used ? c->alphabet[value >> shift & ((1u << c->bits) - 1)] : '=');
  }
}

static void encode(coder *c, input *in) {
  size_t group = (size_t)c->group, left = 0;
  char *at;
  for (;;) {
    size_t size = input_peek(in, left + 1, &at);
    bool last = in->ended && size == left;
    size_t whole = last ? size : size / group * group;
    for (size_t i = 0; i < whole; i += group)
      encode_group(c, (unsigned char *)at + i, whole - i < group ? whole - i : group);
    input_take(in, whole);
    if (last || c->b.out.error != 0) break;
    left = size - whole;
  }
  if (c->wrap > 0 && c->column > 0) output_byte(&c->b.out, '\n');
}

/* The whole bytes among `have` characters; at the end of what is valid. */
static void put_partial(coder *c, uint64_t value, int have, int padding) {
  int count = (have - padding) * c->bits / 8;
  if (have == 0) return;
  value <<= c->bits * (c->chars - have);
  for (int i = 0; i < count; i++)
    output_byte(&c->b.out, (int)(value >> (8 * (c->group - 1 - i)) & 0xFF));
}

static bool decode(coder *c, input *in) {
  uint64_t value = 0;
  int have = 0, padding = 0;
  for (int byte; (byte = input_byte(in)) >= 0;) {
    if (byte == '\n') continue;
    const char *place = byte != 0 ? strchr(c->alphabet, byte) : NULL;
    if (byte == '=' && have > 0) {
      padding++;
    } else if (place == NULL || padding > 0) {
      if (c->garbage && byte != '=') continue;
      put_partial(c, value, have, padding);
      return false;
    }
    value = value << c->bits | (place != NULL ? (uint64_t)(place - c->alphabet) : 0);
    if (++have < c->chars) continue;
    int count = (have - padding) * c->bits / 8;
    for (int i = 0; i < count; i++)
      output_byte(&c->b.out, (int)(value >> (8 * (c->group - 1 - i)) & 0xFF));
    if (padding > 0 && count == 0) return false;
    have = padding = 0;
    value = 0;
  }
  if (have == 0) return true;
  put_partial(c, value, have, padding); /* cut short: what is whole is still printed */
  return false;
}

static int run(coder *c, int argc, char **argv, char **environment) {
  options o;
  bool decoding = false;
  options_start(&o, &c->b, command_find(c->name), argc, argv, environment);
  c->wrap = 76;
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'd') decoding = true;
    if (key == 'i') c->garbage = true;
    if (key == 'w') c->wrap = options_number(&o, NULL, "invalid wrap size");
  }
  options_allow(&o, 1);
  const char *path = o.operand_count > 0 ? o.operands[0] : "-";
  input in;
  if (!bin_open(&c->b, &in, path)) return bin_end(&c->b);
  if (!decoding)
    encode(c, &in);
  else if (!decode(c, &in))
    bin_error(&c->b, "invalid input");
  bin_check_read(&c->b, &in, "read error");
  return bin_end(&c->b);
}

static int base64_main(int argc, char **argv, char **environment) {
  coder c = {.name = "base64",
             .alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
             .bits = 6,
             .group = 3,
             .chars = 4};
  return run(&c, argc, argv, environment);
}

static int base32_main(int argc, char **argv, char **environment) {
  coder c = {.name = "base32",
             .alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
             .bits = 5,
             .group = 5,
             .chars = 8};
  return run(&c, argc, argv, environment);
}

#define OPTIONS                                                                            \
  "-d, --decode\tdecode\n-i, --ignore-garbage\tskip other characters while decoding\n-w, " \
  "--wrap=COLS\tlines of COLS characters; 0 for one line"
const command command_base64 = {.name = "base64",
                                .main = base64_main,
                                .usage = "base64 [OPTION]... [FILE]",
                                .options = OPTIONS};
const command command_base32 = {.name = "base32",
                                .main = base32_main,
                                .usage = "base32 [OPTION]... [FILE]",
                                .options = OPTIONS};
