// SPDX-License-Identifier: MIT
// find_printf.c -- find's -printf: its directives and escapes.
#include "filemode.h"
#include "find.h"
#include "path.h"

static void put_time(find *f, text *out, char which, const walk *w, char directive) {
  int64_t time = which == 'A' || which == 'a'   ? w->stat.atime
                 : which == 'C' || which == 'c' ? w->stat.ctime
                                                : w->stat.mtime;
  int64_t seconds = time / 1000000000;
  int32_t ns = (int32_t)(time % 1000000000);
  time_parts parts;
  time_split(seconds, ns, &f->zone, &parts);
  if (directive == '@') {
    text_format(out, "%lld.%09d0", (long long)seconds, ns);
    return;
  }
  const char *format;
  char single[] = {'%', directive, 0};
  switch (directive) {
    case 0:
      format = "%a %b %e %H:%M:%S.%N0 %Y";
      break;
    case '+':
      format = "%Y-%m-%d+%H:%M:%S.%N0";
      break;
    case 'S':
      format = "%S.%N0";
      break;
    case 'T':
      format = "%H:%M:%S.%N0";
      break;
    case 'X':
      format = "%H:%M:%S.%N0";
      break;
    case 'c':
      format = "%a %b %e %H:%M:%S %Y";
      break;
    default:
      format = single;
      break;
  }
  time_format(out, format, strlen(format), &parts, seconds);
}

static char type_letter(file_kind kind) {
  return "?fdlpc"[kind];
}

static void put_directive(find *f, text *out, const char **at, const walk *w) {
  file_stat followed;
  size_t start = strlen(f->start);
  switch (**at) {
    case '%':
      text_char(out, '%');
      break;
    case 'p':
      text_string(out, w->path);
      break;
    case 'f':
      text_string(out, w->depth == 0 ? path_base(w->path) : w->name);
      break;
    case 'h': {
      const char *slash = strrchr(w->path, '/');
      if (slash == NULL)
        text_char(out, '.');
      else
        text_add(out, w->path, slash == w->path ? 1 : (size_t)(slash - w->path));
      break;
    }
    case 'P':
      if (strlen(w->path) > start) text_string(out, w->path + start + (w->path[start] == '/'));
      break;
    case 'H':
      text_string(out, f->start);
      break;
    case 's':
      text_format(out, "%llu", (unsigned long long)w->stat.size);
      break;
    case 'b':
      text_format(out, "%llu", (unsigned long long)((w->stat.size + 4095) / 4096 * 8));
      break;
    case 'k':
      text_format(out, "%llu", (unsigned long long)((w->stat.size + 4095) / 4096 * 4));
      break;
    case 'm':
      text_format(out, "%o", w->stat.mode);
      break;
    case 'M': {
      char mode[11];
      filemode_text(w->stat.kind, w->stat.mode, mode);
      text_string(out, mode);
      break;
    }
    case 'y':
      text_char(out, type_letter(w->stat.kind));
      break;
    case 'Y':
      text_char(out, sys_stat(w->path, &followed) < 0 ? 'N' : type_letter(followed.kind));
      break;
    case 'd':
      text_format(out, "%d", w->depth);
      break;
    case 'i':
      text_format(out, "%llu", (unsigned long long)w->stat.inode);
      break;
    case 'n':
      text_format(out, "%u", w->stat.links);
      break;
    case 'u':
    case 'g':
      text_string(out, "root");
      break;
    case 'U':
    case 'G':
    case 'D':
      text_string(out, "0");
      break;
    case 'l': {
      char target[4097];
      int64_t size = w->stat.kind == FILE_LINK ? sys_readlink(w->path, target, 4096) : 0;
      if (size > 0) text_add(out, target, (size_t)size);
      break;
    }
    case 'a':
    case 'c':
    case 't':
      put_time(f, out, **at == 't' ? 'm' : **at, w, 0);
      break;
    case 'A':
    case 'C':
    case 'T':
      if ((*at)[1] != 0) {
        put_time(f, out, **at, w, (*at)[1]);
        ++*at;
      }
      break;
    default:
      text_char(out, '%');
      text_char(out, **at);
      break;
  }
}

void find_printf(find *f, output *out, const char *format, const walk *w) {
  text line = {0};
  for (const char *at = format; *at != 0; at++) {
    if (*at == '\\') {
      static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
      const char *known = at[1] != 0 ? strchr(from, at[1]) : NULL;
      if (known != NULL) {
        text_char(&line, to[known - from]);
        at++;
      } else if (at[1] >= '0' && at[1] <= '7') {
        int value = 0;
        for (int i = 0; i < 3 && at[1] >= '0' && at[1] <= '7'; i++)
          value = value * 8 + (*++at - '0');
        text_char(&line, (char)value);
      } else if (at[1] == 'c') {
        break;
      } else {
        text_char(&line, '\\');
      }
    } else if (*at == '%' && at[1] != 0) {
      at++;
      size_t flags = strspn(at, "-+ #0"), digits = strspn(at + flags, "0123456789");
      bool left = memchr(at, '-', flags) != NULL, zero = memchr(at, '0', flags) != NULL;
      size_t width = (size_t)atoi(at + flags), begin = line.len;
      at += flags + digits;
      if (*at == '.') at += 1 + strspn(at + 1, "0123456789");
      if (*at == 0) break;
      put_directive(f, &line, &at, w);
      size_t made = line.len - begin;
      if (made < width && left) text_pad(&line, ' ', width - made);
      if (made < width && !left) {
        text_pad(&line, ' ', width - made);
        memmove(line.at + begin + (width - made), line.at + begin, made);
        memset(line.at + begin, zero ? '0' : ' ', width - made);
      }
    } else {
      text_char(&line, *at);
    }
  }
  output_write(out, line.at, line.len);
  text_free(&line);
}
