// SPDX-License-Identifier: MIT
// cksum.c -- cksum and sum: checksums of files, the old ones and the new.
#include "md5sum.h"

#include <stdio.h>

typedef enum { CRC, BSD, SYSV, DIGEST } sum_kind;

typedef struct {
  bin b;
  sum_kind kind;
  digest_kind digest;
  const char *tag;
  bool untagged, names, zero, chosen; /* chosen: by -a */
  uint32_t table[256];
} cksum;

static void make_table(uint32_t table[256]) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i << 24;
    for (int bit = 0; bit < 8; bit++) crc = crc & 0x80000000u ? crc << 1 ^ 0x04c11db7u : crc << 1;
    table[i] = crc;
  }
}

static void sum_file(cksum *c, const char *path) {
  input in;
  if (!bin_open(&c->b, &in, path)) return;
  file_stat stat;
  if (sys_fstat(in.fd, &stat) == 0 && stat.kind == FILE_DIRECTORY) {
    bin_file_error(&c->b, path, EISDIR);
    input_close(&in);
    return;
  }
  uint32_t crc = 0, bsd = 0, plain = 0;
  uint64_t total = 0;
  digest d;
  char *at;
  size_t size;
  if (c->kind == DIGEST) digest_start(&d, c->digest);
  while ((size = input_some(&in, &at)) > 0) {
    const unsigned char *byte = (const unsigned char *)at, *end = byte + size;
    total += size;
    switch (c->kind) {
      case CRC:
        for (; byte < end; byte++) crc = crc << 8 ^ c->table[(crc >> 24 ^ *byte) & 255];
        break;
      case BSD:
        for (; byte < end; byte++) bsd = ((bsd >> 1 | (bsd & 1) << 15) + *byte) & 0xffff;
        break;
      case SYSV:
        for (; byte < end; byte++) plain += *byte;
        break;
      case DIGEST:
        digest_add(&d, at, size);
        break;
    }
  }
  bin_check_read(&c->b, &in, path);
  bool fine = in.error == 0;
  input_close(&in);
  if (!fine) return;
  output *out = &c->b.out;
  if (c->kind == CRC) {
    for (uint64_t left = total; left > 0; left >>= 8)
      crc = crc << 8 ^ c->table[(crc >> 24 ^ left) & 255];
    output_format(out, "%u %llu", ~crc, (unsigned long long)total);
  } else if (c->kind == BSD) {
    output_format(out, "%05u %5llu", bsd, (unsigned long long)(total + 1023) / 1024);
  } else if (c->kind == SYSV) {
    uint32_t folded = (plain & 0xffff) + (plain >> 16);
    folded = (folded & 0xffff) + (folded >> 16);
    output_format(out, "%u %llu", folded, (unsigned long long)(total + 511) / 512);
  } else {
    unsigned char bytes[64];
    char hex[129];
    size_t count = digest_end(&d, bytes);
    for (size_t i = 0; i < count; i++) snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    if (c->untagged)
      output_format(out, "%s  %s", hex, path);
    else
      output_format(out, "%s (%s) = %s", c->tag, path, hex);
  }
  if (c->kind != DIGEST && c->names) output_format(out, " %s", path);
  output_byte(out, c->zero ? 0 : '\n');
}

static int sum_all(cksum *c, options *o) {
  char *standard[] = {"-", NULL};
  char **files = o->operand_count > 0 ? o->operands : standard;
  make_table(c->table);
  for (; *files != NULL; files++) sum_file(c, *files);
  return bin_end(&c->b);
}

static int check_all(cksum *c, sums *s, options *o) {
  if (c->chosen && c->kind != DIGEST)
    bin_die(&c->b, 1, "--check is not supported with --algorithm={bsd,sysv,crc}");
  char *standard[] = {"-", NULL};
  char **files = o->operand_count > 0 ? o->operands : standard;
  s->b = c->b;
  s->any = !c->chosen;
  s->kind = c->digest;
  for (; *files != NULL; files++) sums_check(s, *files);
  return bin_end(&s->b);
}

static int cksum_main(int argc, char **argv, char **environment) {
  static const struct {
    const char *name, *tag;
    sum_kind kind;
    digest_kind digest;
  } known[] = {{"bsd", NULL, BSD, 0},
               {"crc", NULL, CRC, 0},
               {"md5", "MD5", DIGEST, DIGEST_MD5},
               {"sha1", "SHA1", DIGEST, DIGEST_SHA1},
               {"sha224", "SHA224", DIGEST, DIGEST_SHA224},
               {"sha256", "SHA256", DIGEST, DIGEST_SHA256},
               {"sha384", "SHA384", DIGEST, DIGEST_SHA384},
               {"sha512", "SHA512", DIGEST, DIGEST_SHA512},
               {"sysv", NULL, SYSV, 0}};
  cksum c = {.kind = CRC};
  sums checking = {0};
  options o;
  options_start(&o, &c.b, command_find("cksum"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'c') checking.check = true;
    sums_option(&checking, &o, key);
    if (key == 'z') c.zero = true;
    if (options_is(&o, "untagged")) c.untagged = true;
    if (options_is(&o, "tag")) c.untagged = false;
    if (key != 'a') continue;
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++) {
      if (strcmp(o.value, known[i].name) != 0) continue;
      found = c.chosen = true;
      c.kind = known[i].kind;
      c.digest = known[i].digest;
      c.tag = known[i].tag;
    }
    if (!found) {
      bin_warn(&c.b, "invalid argument %s for %s\nValid arguments are:", quote_curly(o.value),
               quote_curly("--algorithm"));
      for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        text line = {0};
        text_format(&line, "  - %s\n", quote_curly(known[i].name));
        sys_write(2, line.at, line.len);
      }
      bin_usage(&c.b, NULL);
    }
  }
  c.names = o.operand_count > 0;
  return checking.check ? check_all(&c, &checking, &o) : sum_all(&c, &o);
}

static int sum_main(int argc, char **argv, char **environment) {
  cksum c = {.kind = BSD};
  options o;
  options_start(&o, &c.b, command_find("sum"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) c.kind = key == 's' ? SYSV : BSD;
  c.names = o.operand_count > 0;
  return sum_all(&c, &o);
}

const command command_cksum = {
    .name = "cksum",
    .main = cksum_main,
    .usage = "cksum [OPTION]... [FILE]...",
    .options =
        "-a, --algorithm=TYPE\tsysv, bsd, crc, md5, sha1, sha224, sha256, sha384 or sha512\n"
        "--untagged\tdigests without their name\n--tag\tas usual\n"
        "-z, --zero\tend each line with NUL\n"
        "-c, --check\tread digests with their names from the files and check them\n"
        "--ignore-missing\tdo not fail for missing files\n--quiet\tdo not print OK\n"
        "--status\tprint nothing\n--strict\tfail for badly formed lines\n"
        "-w, --warn\tsay which lines are badly formed"};
const command command_sum = {.name = "sum",
                             .main = sum_main,
                             .usage = "sum [OPTION]... [FILE]...",
                             .options =
                                 "-r\tthe BSD sum, blocks of 1K\n"
                                 "-s, --sysv\tthe System V sum, blocks of 512 bytes"};
