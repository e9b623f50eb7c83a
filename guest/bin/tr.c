// SPDX-License-Identifier: MIT
// tr.c -- translate, squeeze or delete bytes. As GNU's, it knows bytes only, not UTF-8.
#include "../text/unicode.h"
#include "options.h"

typedef struct {
  unsigned char *at;
  size_t count;
  size_t fill_at; /* where [x*] stands: it grows to match the first set */
  int fill;       /* its byte; -1: none */
  bool has_class; /* [:upper:] or [:lower:], for pairing */
} set;

static void add(set *s, int byte) {
  if ((s->count & (s->count + 1)) == 0) s->at = memory_resize(s->at, s->count * 2 + 2);
  s->at[s->count++] = (unsigned char)byte;
}

/* A byte of the text, with its escapes. */
static int take_byte(const char **at, bool *escaped) {
  const unsigned char *p = (const unsigned char *)*at;
  *escaped = *p == '\\';
  if (*p != '\\' || p[1] == 0) {
    *at += 1;
    return *p;
  }
  static const char from[] = "\\abfnrtv", to[] = "\\\a\b\f\n\r\t\v";
  const char *known = strchr(from, p[1]);
  if (known != NULL) {
    *at += 2;
    return (unsigned char)to[known - from];
  }
  if (p[1] < '0' || p[1] > '7') {
    *at += 2;
    return p[1];
  }
  int value = 0, digits = 0;
  for (p++; digits < 3 && *p >= '0' && *p <= '7' && value * 8 + (*p - '0') < 256; digits++, p++) {
    value = value * 8 + (*p - '0');
  }
  *at = (const char *)p;
  return value;
}

/* [:class:], [=x=] or [x*n] at *at. False when it is none. */
static bool take_bracket(bin *b, set *s, const char **at) {
  const char *p = *at + 1, *close;
  if (*p == ':' && (close = strstr(p + 1, ":]")) != NULL) {
    unicode_class kind;
    if (!unicode_class_named(p + 1, (size_t)(close - p - 1), &kind)) {
      bin_die(b, 1, "invalid character class %s",
              quote_curly(memory_copy(p + 1, (size_t)(close - p - 1))));
    }
    for (int byte = 0; byte < 128; byte++) {
      if (unicode_is((uint32_t)byte, kind)) add(s, byte);
    }
    s->has_class |= kind == UNICODE_UPPER || kind == UNICODE_LOWER;
    *at = close + 2;
    return true;
  }
  if (*p == '=' && p[1] != 0 && p[2] == '=' && p[3] == ']') {
    add(s, (unsigned char)p[1]);
    *at = p + 4;
    return true;
  }
  bool escaped;
  int byte = take_byte(&p, &escaped);
  if (*p != '*') return false;
  char *end;
  uint64_t count = strtoull(p + 1, &end, p[1] == '0' ? 8 : 10);
  if (*end != ']') return false;
  *at = end + 1;
  if (count == 0) {
    s->fill_at = s->count;
    s->fill = byte;
  }
  for (; count > 0 && s->count < 1u << 20; count--) add(s, byte);
  return true;
}

static set parse_set(bin *b, const char *text) {
  set s = {.fill = -1};
  while (*text != 0) {
    if (*text == '[' && text[1] != 0 && take_bracket(b, &s, &text)) continue;
    bool escaped;
    const char *begin = text;
    int first = take_byte(&text, &escaped);
    if (*text != '-' || text[1] == 0) {
      add(&s, first);
      continue;
    }
    text++;
    int last = take_byte(&text, &escaped);
    if (last < first) {
      bin_die(b, 1, "range-endpoints of '%.*s' are in reverse collating sequence order",
              (int)(text - begin), begin);
    }
    for (int byte = first; byte <= last; byte++) add(&s, byte);
  }
  return s;
}

static void complement(set *s) {
  bool in[256] = {false};
  for (size_t i = 0; i < s->count; i++) in[s->at[i]] = true;
  s->count = 0;
  s->at = NULL;
  for (int byte = 0; byte < 256; byte++) {
    if (!in[byte]) add(s, byte);
  }
}

/* Makes the second set as long as the first: its fill, or else its last byte repeated. */
static void lengthen(bin *b, set *second, size_t count, bool truncate) {
  if (second->fill >= 0) {
    size_t more = count > second->count ? count - second->count : 0,
           tail = second->count - second->fill_at;
    for (size_t i = 0; i < more; i++) add(second, 0);
    memmove(second->at + second->fill_at + more, second->at + second->fill_at, tail);
    memset(second->at + second->fill_at, second->fill, more);
  }
  if (truncate) return;
  if (second->count == 0) bin_die(b, 1, "when not truncating set1, string2 must be non-empty");
  while (second->count < count) add(second, second->at[second->count - 1]);
}

typedef struct {
  unsigned char map[256];
  bool drop[256], squeeze[256];
  bool drops, squeezes;
  int last;
} table;

static void run(bin *b, table *t) {
  input in;
  input_open_fd(&in, 0);
  char *at;
  size_t size;
  while ((size = input_some(&in, &at)) > 0 && b->out.error == 0) {
    unsigned char *bytes = (unsigned char *)at;
    if (!t->drops && !t->squeezes) {
      for (size_t i = 0; i < size; i++) bytes[i] = t->map[bytes[i]];
    } else {
      size_t kept = 0;
      for (size_t i = 0; i < size; i++) {
        if (t->drop[bytes[i]]) continue;
        int byte = t->map[bytes[i]];
        if (byte == t->last && t->squeeze[byte]) continue;
        t->last = byte;
        bytes[kept++] = (unsigned char)byte;
      }
      size = kept;
    }
    output_write(&b->out, at, size);
  }
  bin_check_read(b, &in, "read error");
}

static int tr_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool complemented = false, drop = false, squeeze = false, truncate = false;
  options_start(&o, &b, command_find("tr"), argc, argv, environment);
  o.in_order = true;
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'c') complemented = true;
    if (key == 'd') drop = true;
    if (key == 's') squeeze = true;
    if (key == 't') truncate = true;
  }
  int least = drop == squeeze ? 2 : 1, most = drop && !squeeze ? 1 : 2;
  if (o.operand_count == 0) bin_usage(&b, "missing operand");
  if (o.operand_count < least) {
    bin_warn(&b, "missing operand after %s", quote_curly(o.operands[o.operand_count - 1]));
    const char *why = squeeze
                          ? "Two strings must be given when both deleting and squeezing repeats."
                          : "Two strings must be given when translating.";
    sys_write(2, why, strlen(why));
    sys_write(2, "\n", 1);
    bin_usage(&b, NULL);
  }
  if (o.operand_count > most) {
    bin_warn(&b, "extra operand %s", quote_curly(o.operands[most]));
    if (most == 1 && o.operand_count == 2) {
      const char *why = "Only one string may be given when deleting without squeezing repeats.\n";
      sys_write(2, why, strlen(why));
    }
    bin_usage(&b, NULL);
  }
  table t = {.last = -1, .drops = drop, .squeezes = squeeze};
  for (int i = 0; i < 256; i++) t.map[i] = (unsigned char)i;
  set first = parse_set(&b, o.operands[0]), second = {.fill = -1};
  if (complemented) complement(&first);
  bool two = o.operand_count == 2;
  if (two) second = parse_set(&b, o.operands[1]);
  if (two && !drop) {
    lengthen(&b, &second, first.count, truncate);
    for (size_t i = 0; i < first.count && i < second.count; i++) t.map[first.at[i]] = second.at[i];
  }
  for (size_t i = 0; drop && i < first.count; i++) t.drop[first.at[i]] = true;
  const set *squeezed = two ? &second : &first;
  for (size_t i = 0; squeeze && i < squeezed->count; i++) t.squeeze[squeezed->at[i]] = true;
  run(&b, &t);
  return bin_end(&b);
}

const command command_tr = {
    .name = "tr",
    .main = tr_main,
    .usage = "tr [OPTION]... STRING1 [STRING2]",
    .options =
        "-c, -C, --complement\tuse all bytes but STRING1's\n"
        "-d, --delete\tdelete bytes of STRING1\n"
        "-s, --squeeze-repeats\tof a repeated byte of the last set keep one\n"
        "-t, --truncate-set1\tcut STRING1 to the length of STRING2"};
