// SPDX-License-Identifier: MIT
// stat.c -- show what is known of files.
#include "filemode.h"
#include "options.h"
#include "times.h"

typedef struct {
  bin b;
  const char *format;
  bool follow, escapes, terse;
  time_zone zone;
} stat_command;

static const char *kind_name(const file_stat *s) {
  switch (s->kind) {
    case FILE_REGULAR:
      return s->size == 0 ? "regular empty file" : "regular file";
    case FILE_DIRECTORY:
      return "directory";
    case FILE_LINK:
      return "symbolic link";
    case FILE_PIPE:
      return "fifo";
    case FILE_DEVICE:
      return "character special file";
  }
  return "weird file";
}

static uint32_t raw_mode(const file_stat *s) {
  static const uint32_t bits[] = {0, 0100000, 040000, 0120000, 010000, 020000};
  return bits[s->kind] | s->mode;
}

static void put_time(stat_command *c, text *out, int64_t time) {
  static const char format[] = "%Y-%m-%d %H:%M:%S.%N %z";
  time_parts parts;
  time_split(time / 1000000000, (int32_t)(time % 1000000000), &c->zone, &parts);
  time_format(out, format, sizeof format - 1, &parts, time / 1000000000);
}

static void put_seconds(text *out, int64_t time, int precision) {
  text_format(out, "%lld", (long long)(time / 1000000000));
  if (precision > 0) {
    char digits[10];
    text t = {0};
    text_format(&t, "%09d", (int)(time % 1000000000));
    memcpy(digits, t.at, 9);
    digits[precision < 9 ? precision : 9] = 0;
    text_format(out, ".%s", digits);
  }
}

static bool put_directive(stat_command *c, text *out, char letter, int precision, const char *path,
                          const file_stat *s) {
  char mode[11];
  switch (letter) {
    case 'a':
      text_format(out, "%o", s->mode);
      break;
    case 'A':
      filemode_text(s->kind, s->mode, mode);
      text_string(out, mode);
      break;
    case 'b':
      text_format(out, "%llu", (unsigned long long)((s->size + 4095) / 4096 * 8));
      break;
    case 'B':
      text_string(out, "512");
      break;
    case 'C':
      text_string(out, "?");
      break;
    case 'd':
    case 'D':
    case 'u':
    case 'g':
    case 't':
    case 'T':
    case 'r':
    case 'R':
      text_string(out, "0");
      break;
    case 'f':
      text_format(out, "%x", raw_mode(s));
      break;
    case 'F':
      text_string(out, kind_name(s));
      break;
    case 'U':
    case 'G':
      text_string(out, "root");
      break;
    case 'h':
      text_format(out, "%u", s->links);
      break;
    case 'i':
      text_format(out, "%llu", (unsigned long long)s->inode);
      break;
    case 'm':
      text_string(out, "/");
      break;
    case 'n':
      text_string(out, path);
      break;
    case 'N': {
      text_string(out, quote_always(path));
      char target[4097];
      int64_t size = s->kind == FILE_LINK ? sys_readlink(path, target, 4096) : -1;
      if (size >= 0) text_format(out, " -> %s", quote_always(memory_copy(target, (size_t)size)));
      break;
    }
    case 'o':
      text_string(out, "4096");
      break;
    case 's':
      text_format(out, "%llu", (unsigned long long)s->size);
      break;
    case 'w':
      text_string(out, "-");
      break;
    case 'W':
      text_string(out, "0");
      break;
    case 'x':
      put_time(c, out, s->atime);
      break;
    case 'y':
      put_time(c, out, s->mtime);
      break;
    case 'z':
      put_time(c, out, s->ctime);
      break;
    case 'X':
      put_seconds(out, s->atime, precision);
      break;
    case 'Y':
      put_seconds(out, s->mtime, precision);
      break;
    case 'Z':
      put_seconds(out, s->ctime, precision);
      break;
    case '%':
      text_char(out, '%');
      break;
    default:
      return false;
  }
  return true;
}

static const char *put_escape(text *out, const char *at) {
  static const char from[] = "abefnrtv\\\"", to[] = "\a\b\033\f\n\r\t\v\\\"";
  const char *known = *at != 0 ? strchr(from, *at) : NULL;
  if (known != NULL) {
    text_char(out, to[known - from]);
    return at + 1;
  }
  if (*at >= '0' && *at <= '7') {
    int value = 0;
    for (int i = 0; i < 3 && *at >= '0' && *at <= '7'; i++) value = value * 8 + (*at++ - '0');
    text_char(out, (char)value);
    return at;
  }
  text_char(out, '\\');
  return at;
}

static void show(stat_command *c, const char *path, const file_stat *s) {
  text out = {0};
  for (const char *at = c->format; *at != 0;) {
    if (*at == '\\' && c->escapes) {
      at = put_escape(&out, at + 1);
      continue;
    }
    if (*at != '%') {
      text_char(&out, *at++);
      continue;
    }
    const char *begin = at++;
    bool left = false, zero = false;
    for (; *at != 0 && strchr("-0+# '", *at) != NULL; at++) {
      left |= *at == '-';
      zero |= *at == '0';
    }
    size_t width = 0;
    int precision = 0;
    for (; *at >= '0' && *at <= '9'; at++) width = width * 10 + (size_t)(*at - '0');
    if (*at == '.') {
      for (at++; *at >= '0' && *at <= '9'; at++) precision = precision * 10 + (*at - '0');
    }
    if (*at == 'H' || *at == 'L') at++;
    text value = {0};
    if (*at == 0 || !put_directive(c, &value, *at, precision, path, s)) {
      text_char(&out, '?'); /* GNU prints ? for what it does not know */
      if (*at == 0 && begin[1] == 0) out.at[out.len - 1] = '%';
      if (*at != 0) at++;
      continue;
    }
    at++;
    size_t blanks = value.len < width ? width - value.len : 0;
    if (!left) text_pad(&out, zero ? '0' : ' ', blanks);
    text_add(&out, text_end(&value), value.len);
    if (left) text_pad(&out, ' ', blanks);
    text_free(&value);
  }
  output_write(&c->b.out, out.at, out.len);
  text_free(&out);
}

static const char usual[] =
    "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: 0,0\tInode: %-11i Links: "
    "%h\n"
    "Access: (%04a/%10.10A)  Uid: (    0/    root)   Gid: (    0/    root)\n"
    "Access: %x\nModify: %y\nChange: %z\n Birth: -\n";

static int stat_main(int argc, char **argv, char **environment) {
  stat_command c = {0};
  options o;
  bool newline = true;
  options_start(&o, &c.b, command_find("stat"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'L':
        c.follow = true;
        break;
      case 'c':
        c.format = o.value, newline = true, c.escapes = false;
        break;
      case 't':
        c.terse = true;
        break;
      case 'f':
        bin_die(
            &c.b, 1,
            "-f is not supported: there is one file system and its size is a limit of the host");
      default:
        c.format = o.value, newline = false, c.escapes = true;
        break;
    }
  }
  options_need(&o, 1);
  zone_parse(&c.zone, environment_get(environment, "TZ"));
  if (c.format == NULL) {
    c.format = c.terse ? "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n" : usual;
    newline = false;
  }
  for (int i = 0; i < o.operand_count; i++) {
    file_stat s;
    const char *path = o.operands[i];
    bool standard = strcmp(path, "-") == 0;
    int error = standard ? sys_fstat(0, &s) : c.follow ? sys_stat(path, &s) : sys_lstat(path, &s);
    if (error < 0) {
      bin_error(&c.b, "cannot statx %s: %s", quote_always(path), error_text(error));
      continue;
    }
    show(&c, path, &s);
    if (newline) output_byte(&c.b.out, '\n');
  }
  return bin_end(&c.b);
}

const command command_stat = {.name = "stat",
                              .main = stat_main,
                              .usage = "stat [OPTION]... FILE...",
                              .options =
                                  "-L, --dereference\tfollow links\n"
                                  "-f, --file-system\tnot supported\n"
                                  "-c, --format=FORMAT\tuse FORMAT, with a newline behind each\n"
                                  "--printf=FORMAT\tas -c, with escapes and no newline\n"
                                  "-t, --terse\ton one line"};
