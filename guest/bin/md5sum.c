// SPDX-License-Identifier: MIT
// md5sum.c -- md5sum and the sha*sum: print digests of files, or check them.
#include "md5sum.h"

#include <stdio.h>

const char *const digest_tags[] = {"MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"};

/* False, with a message, when it cannot be read. */
static bool sum_file(sums *s, const char *path, char hex[129], bool silent) {
  input in;
  int error = input_open(&in, path);
  file_stat stat;
  if (error == 0 && sys_fstat(in.fd, &stat) == 0 && stat.kind == FILE_DIRECTORY) error = -EISDIR;
  if (error < 0) {
    if (!silent) bin_file_error(&s->b, path, error);
    return false;
  }
  digest d;
  char *at;
  size_t size;
  digest_start(&d, s->kind);
  while ((size = input_some(&in, &at)) > 0) digest_add(&d, at, size);
  bin_check_read(&s->b, &in, path);
  unsigned char bytes[64];
  size_t count = digest_end(&d, bytes);
  for (size_t i = 0; i < count; i++) snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
  bool fine = in.error == 0;
  input_close(&in);
  return fine;
}

static void show(sums *s, const char *path) {
  char hex[129];
  if (!sum_file(s, path, hex, false)) return;
  output *out = &s->b.out;
  bool escaped = !s->zero && strpbrk(path, "\\\n\r") != NULL;
  text name = {0};
  for (const char *at = path; *at != 0; at++) {
    if (escaped && *at == '\\')
      text_string(&name, "\\\\");
    else if (escaped && *at == '\n')
      text_string(&name, "\\n");
    else if (escaped && *at == '\r')
      text_string(&name, "\\r");
    else
      text_char(&name, *at);
  }
  if (escaped) output_byte(out, '\\');
  if (s->tagged)
    output_format(out, "%s (%s) = %s", digest_tags[s->kind], text_end(&name), hex);
  else
    output_format(out, "%s %c%s", hex, s->binary ? '*' : ' ', text_end(&name));
  output_byte(out, s->zero ? 0 : '\n');
}

/* "TAG (NAME) = HEX" */
static bool parse_tagged(digest_kind kind, char *line, size_t digits, char **hex, char **name) {
  size_t tag = strlen(digest_tags[kind]);
  if (strncmp(line, digest_tags[kind], tag) != 0 || strncmp(line + tag, " (", 2) != 0) return false;
  char *close = NULL;
  for (char *at = line; (at = strstr(at, ") = ")) != NULL; at++) close = at;
  if (close == NULL || strlen(close + 4) != digits) return false;
  *close = 0;
  *name = line + tag + 2;
  *hex = close + 4;
  return strspn(*hex, "0123456789abcdefABCDEF") == digits;
}

/* "HEX  NAME" or "HEX *NAME". */
static bool parse_plain(char *line, size_t digits, char **hex, char **name) {
  if (*line == '\\') line++;
  if (strspn(line, "0123456789abcdefABCDEF") != digits || line[digits] != ' ') return false;
  if (line[digits + 1] != ' ' && line[digits + 1] != '*') return false;
  line[digits] = 0;
  *hex = line;
  *name = line + digits + 2;
  return **name != 0;
}

static bool parse_line(sums *s, char *line, char **hex, char **name) {
  static const unsigned char sizes[] = {32, 40, 56, 64, 96, 128};
  if (s->any) {
    for (digest_kind kind = DIGEST_MD5; kind <= DIGEST_SHA512; kind++) {
      if (!parse_tagged(kind, line, sizes[kind], hex, name)) continue;
      s->kind = kind;
      s->tag_seen = true;
      return true;
    }
    return false;
  }
  return parse_tagged(s->kind, line, sizes[s->kind], hex, name) ||
         parse_plain(line, sizes[s->kind], hex, name);
}

void sums_check(sums *s, const char *path) {
  input in;
  if (!bin_open(&s->b, &in, path)) return;
  char *line;
  size_t size, wrong = 0, unread = 0, bad = 0, good = 0, number = 0;
  while (input_line(&in, &line, &size, NULL)) {
    number++;
    char *copy = memory_copy(line, size), *hex, *name, actual[129];
    if (size > 0 && copy[size - 1] == '\r') copy[size - 1] = 0;
    if (*copy == '#') continue;
    if (!parse_line(s, copy, &hex, &name)) {
      bad++;
      if (s->warn)
        bin_warn(&s->b, "%s: %zu: improperly formatted %s checksum line", path, number,
                 s->any && !s->tag_seen ? "CRC" : digest_tags[s->kind]);
      continue;
    }
    file_stat stat;
    if (s->ignore_missing && sys_stat(name, &stat) == -ENOENT) continue;
    for (char *at = hex; *at != 0; at++) *at |= *at >= 'A' && *at <= 'F' ? 32 : 0;
    if (!sum_file(s, name, actual, false)) {
      unread++;
      if (!s->status_only) output_format(&s->b.out, "%s: FAILED open or read\n", name);
      s->b.status = 1;
      continue;
    }
    bool same = strcmp(actual, hex) == 0;
    wrong += !same;
    good += same;
    if (!s->status_only && (!same || !s->quiet))
      output_format(&s->b.out, "%s: %s\n", name, same ? "OK" : "FAILED");
  }
  if (good + wrong + unread == 0) {
    bin_error(&s->b, "%s: no properly formatted checksum lines found",
              strcmp(path, "-") == 0 ? "'standard input'" : path);
  } else if (!s->status_only) {
    if (bad > 0)
      bin_warn(&s->b, "WARNING: %zu line%s %s improperly formatted", bad, bad == 1 ? "" : "s",
               bad == 1 ? "is" : "are");
    if (unread > 0)
      bin_warn(&s->b, "WARNING: %zu listed file%s could not be read", unread,
               unread == 1 ? "" : "s");
    if (wrong > 0)
      bin_warn(&s->b, "WARNING: %zu computed checksum%s did NOT match", wrong,
               wrong == 1 ? "" : "s");
  }
  if (wrong > 0 || unread > 0 || (s->strict && bad > 0)) s->b.status = 1;
  input_close(&in);
}

void sums_option(sums *s, const options *o, int key) {
  if (key == 'w') s->warn = true;
  if (key != OPTION_LONG) return;
  s->quiet |= options_is(o, "quiet");
  s->status_only |= options_is(o, "status");
  s->strict |= options_is(o, "strict");
  s->ignore_missing |= options_is(o, "ignore-missing");
}

static int run(digest_kind kind, const char *name, int argc, char **argv, char **environment) {
  sums s = {.kind = kind};
  options o;
  options_start(&o, &s.b, command_find(name), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'b':
        s.binary = true;
        break;
      case 'c':
        s.check = true;
        break;
      case 't':
        s.binary = false;
        break;
      case 'z':
        s.zero = true;
        break;
      default:
        s.tagged |= options_is(&o, "tag");
        sums_option(&s, &o, key);
        break;
    }
  }
  char *standard[] = {"-", NULL};
  char **files = o.operand_count > 0 ? o.operands : standard;
  for (; *files != NULL; files++) {
    if (s.check)
      sums_check(&s, *files);
    else
      show(&s, *files);
  }
  return bin_end(&s.b);
}

#define OPTIONS                                               \
  "-b, --binary\tmark the files as binary\n"                  \
  "-c, --check\tread digests from the files and check them\n" \
  "--tag\tprint in the BSD way\n"                             \
  "-t, --text\tas usual\n"                                    \
  "-z, --zero\tend each line with NUL\n"                      \
  "--ignore-missing\tdo not fail for missing files\n"         \
  "--quiet\tdo not print OK\n"                                \
  "--status\tprint nothing\n"                                 \
  "--strict\tfail for badly formed lines\n"                   \
  "-w, --warn\tsay which lines are badly formed"
#define SUM(variable, text, kind)                                             \
  static int variable##_main(int argc, char **argv, char **environment) {     \
    return run(kind, text, argc, argv, environment);                          \
  }                                                                           \
  const command command_##variable = {.name = text,                           \
                                      .main = variable##_main,                \
                                      .usage = text " [OPTION]... [FILE]...", \
                                      .options = OPTIONS};
SUM(md5sum, "md5sum", DIGEST_MD5)
SUM(sha1sum, "sha1sum", DIGEST_SHA1)
SUM(sha224sum, "sha224sum", DIGEST_SHA224)
SUM(sha256sum, "sha256sum", DIGEST_SHA256)
SUM(sha384sum, "sha384sum", DIGEST_SHA384)
SUM(sha512sum, "sha512sum", DIGEST_SHA512)
