// SPDX-License-Identifier: MIT
/* ls.c -- list files. Output is never a terminal here, so one name a line unless told otherwise,
 * and no colours. The width for -C and -x is COLUMNS or 80. Everything belongs to root. */
#include "../text/unicode.h"
#include "filemode.h"
#include "glob.h"
#include "options.h"
#include "path.h"
#include "times.h"
#include "version.h"

typedef struct {
  char *name, *link; /* link: where a symbolic link points */
  char *path;
  file_stat stat;
  file_kind target; /* of a link, 0: nowhere */
} entry;

typedef struct {
  entry *at;
  size_t count, room;
} entries;

typedef struct {
  bin b;
  bool all, almost_all, long_form, recursive, reverse, folder_itself, human, si, inode, numeric,
      blocks;
  bool slash, classify, no_group, no_owner, follow, follow_operands, escape, quote, hide_control,
      zero;
  bool full_time, folders_first, no_backups;
  uint64_t unit; /* --block-size: 0 for the usual ones */
  int layout;    /* '1', 'C', 'x', 'm' */
  int order;     /* 'n'ame, 't'ime, 'S'ize, 'v'ersion, 'U'nsorted, 'X'tension */
  int time;      /* 'm', 'a', 'c' */
  const char *time_format;
  char **ignore;
  size_t ignore_count;
  int columns;
  time_zone zone;
  bool any, header;
} ls;

static void push(entries *list, entry e) {
  if (list->count == list->room) {
    list->room = list->room * 2 + 32;
    list->at = memory_resize(list->at, list->room * sizeof *list->at);
  }
  list->at[list->count++] = e;
}

static int64_t time_of(const ls *l, const entry *e) {
  return l->time == 'a' ? e->stat.atime : l->time == 'c' ? e->stat.ctime : e->stat.mtime;
}

static const char *extension(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot != NULL ? dot : "";
}

static int compare(const ls *l, const entry *a, const entry *b) {
  if (l->folders_first) {
    bool x = a->stat.kind == FILE_DIRECTORY, y = b->stat.kind == FILE_DIRECTORY;
    if (x != y) return x ? -1 : 1;
  }
  int order = 0;
  int64_t x = time_of(l, a), y = time_of(l, b);
  if (l->order == 't') order = (x < y) - (x > y);
  if (l->order == 'S') order = (a->stat.size < b->stat.size) - (a->stat.size > b->stat.size);
  if (l->order == 'v') order = version_compare(a->name, strlen(a->name), b->name, strlen(b->name));
  if (l->order == 'X') order = strcmp(extension(a->name), extension(b->name));
  if (order == 0) order = strcmp(a->name, b->name);
  return l->reverse ? -order : order;
}

static void sort(const ls *l, entries *list) {
  if (l->order == 'U' || list->count < 2) return;
  entry *spare = memory_take(list->count * sizeof *spare);
  for (size_t width = 1; width < list->count; width *= 2) {
    for (size_t i = 0; i < list->count; i += 2 * width) {
      size_t m = i + width < list->count ? i + width : list->count;
      size_t end = i + 2 * width < list->count ? i + 2 * width : list->count, a = i, b = m;
      for (size_t n = i; n < end; n++) {
        bool left = a < m && (b == end || compare(l, &list->at[a], &list->at[b]) <= 0);
        spare[n] = left ? list->at[a++] : list->at[b++];
      }
    }
    memcpy(list->at, spare, list->count * sizeof *spare);
  }
  free(spare);
}

static bool look(ls *l, entry *e, bool follow) {
  int error = follow ? sys_stat(e->path, &e->stat) : sys_lstat(e->path, &e->stat);
  if (error < 0 && follow) error = sys_lstat(e->path, &e->stat);
  if (error < 0) {
    bin_warn(&l->b, "cannot access %s: %s", quote_always(e->path), error_text(error));
    if (l->b.status < 2) l->b.status = l->any ? 1 : 2;
    return false;
  }
  if (e->stat.kind == FILE_LINK && (l->long_form || l->classify)) {
    file_stat target;
    char text[4097];
    int64_t size = sys_readlink(e->path, text, 4096);
    e->link = memory_copy(text, size < 0 ? 0 : (size_t)size);
    e->target = sys_stat(e->path, &target) == 0 ? target.kind : 0;
  }
  return true;
}

/* ---- names ---- */

static char *shown_name(const ls *l, const char *name) {
  text t = {0};
  if (l->quote || l->escape) {
    if (l->quote) text_char(&t, '"');
    for (; *name != 0; name++) {
      static const char from[] = "\a\b\f\n\r\t\v\\", to[] = "abfnrtv\\";
      const char *known = strchr(from, *name);
      if (known != NULL)
        text_format(&t, "\\%c", to[known - from]);
      else if ((*name == '"' && l->quote) || (*name == ' ' && !l->quote))
        text_format(&t, "\\%c", *name);
      else if ((unsigned char)*name < 32 || *name == 127)
        text_format(&t, "\\%03o", (unsigned char)*name);
      else
        text_char(&t, *name);
    }
    if (l->quote) text_char(&t, '"');
    return text_end(&t);
  }
  text_string(&t, name);
  text_end(&t);
  for (size_t i = 0; l->hide_control && i < t.len; i++) {
    if ((unsigned char)t.at[i] < 32 || t.at[i] == 127) t.at[i] = '?';
  }
  return t.at;
}

static const char *mark(const ls *l, file_kind kind, uint32_t mode) {
  if (kind == FILE_DIRECTORY && (l->slash || l->classify)) return "/";
  if (!l->classify) return "";
  if (kind == FILE_LINK) return "@";
  if (kind == FILE_PIPE) return "|";
  return kind == FILE_REGULAR && (mode & 0111) != 0 ? "*" : "";
}

static size_t width_of(const char *name) {
  size_t width = 0, size = strlen(name);
  for (size_t i = 0; i < size;) {
    uint32_t c;
    size_t length = utf8_decode(name + i, size - i, &c);
    int columns = length == 0 ? 1 : unicode_width(c);
    width += columns < 0 ? 0 : (size_t)columns;
    i += length == 0 ? 1 : length;
  }
  return width;
}

/* ---- numbers ---- */

static void size_text(const ls *l, uint64_t size, char to[32]) {
  static const char units[] = "KMGTPE";
  text t = {0};
  uint64_t base = l->si ? 1000 : 1024;
  if (l->unit > 0) {
    text_format(&t, "%llu", (unsigned long long)((size + l->unit - 1) / l->unit));
  } else if ((!l->human && !l->si) || size < base) {
    text_format(&t, "%llu", (unsigned long long)size);
  } else {
    /* Rounded up, with one decimal below ten. */
    int unit = -1;
    uint64_t whole = size, rest = 0, scale = 1;
    while (whole >= base && unit < 5) {
      scale *= base;
      whole = size / scale;
      unit++;
    }
    rest = size % scale;
    uint64_t tenths = whole * 10 + (rest * 10 + scale - 1) / scale;
    if (tenths < 100) {
      text_format(&t, "%llu.%llu%c", (unsigned long long)(tenths / 10),
                  (unsigned long long)(tenths % 10), l->si && unit == 0 ? 'k' : units[unit]);
    } else {
      uint64_t up = whole + (rest > 0);
      if (up >= base && unit < 5)
        text_format(&t, "1.0%c", units[unit + 1]);
      else
        text_format(&t, "%llu%c", (unsigned long long)up, l->si && unit == 0 ? 'k' : units[unit]);
    }
  }
  memcpy(to, text_end(&t), t.len + 1);
  text_free(&t);
}

static uint64_t blocks_of(const entry *e) {
  return (e->stat.size + 4095) / 4096 * 4;
}

static void put_time(ls *l, text *out, int64_t time) {
  int64_t seconds = time / 1000000000, now = kernel_now() / 1000000000;
  time_parts parts;
  time_split(seconds, (int32_t)(time % 1000000000), &l->zone, &parts);
  const char *format = l->time_format;
  bool recent = seconds <= now && seconds > now - 31556952 / 2;
  if (l->full_time)
    format = "%Y-%m-%d %H:%M:%S.%N %z";
  else if (format == NULL || strcmp(format, "locale") == 0)
    format = recent ? "%b %e %H:%M" : "%b %e  %Y";
  else if (strcmp(format, "full-iso") == 0)
    format = "%Y-%m-%d %H:%M:%S.%N %z";
  else if (strcmp(format, "long-iso") == 0)
    format = "%Y-%m-%d %H:%M";
  else if (strcmp(format, "iso") == 0)
    format = recent ? "%m-%d %H:%M" : "%Y-%m-%d ";
  else if (*format == '+')
    format++;
  time_format(out, format, strlen(format), &parts, seconds);
}

/* ---- layouts ---- */

typedef struct {
  int inode, blocks, links, size;
} widths;

static int digits(uint64_t value) {
  int count = 1;
  while ((value /= 10) > 0) count++;
  return count;
}

static widths measure(const ls *l, const entries *list) {
  widths w = {0};
  for (size_t i = 0; i < list->count; i++) {
    const entry *e = &list->at[i];
    char size[32], blocks[32];
    size_text(l, e->stat.size, size);
    size_text(l, l->human || l->si || l->unit > 0 ? blocks_of(e) * 1024 : blocks_of(e), blocks);
    int n[] = {digits(e->stat.inode), (int)strlen(blocks), digits(e->stat.links),
               (int)strlen(size)};
    if (n[0] > w.inode) w.inode = n[0];
    if (n[1] > w.blocks) w.blocks = n[1];
    if (n[2] > w.links) w.links = n[2];
    if (n[3] > w.size) w.size = n[3];
  }
  return w;
}

static void put_prefix(const ls *l, text *out, const entry *e, const widths *w) {
  if (l->inode) text_format(out, "%*llu ", w->inode, (unsigned long long)e->stat.inode);
  if (l->blocks) {
    char blocks[32];
    size_text(l, l->human || l->si || l->unit > 0 ? blocks_of(e) * 1024 : blocks_of(e), blocks);
    text_format(out, "%*s ", w->blocks, blocks);
  }
}

static void put_name(const ls *l, text *out, const entry *e) {
  text_string(out, shown_name(l, e->name));
  if (l->long_form && e->link != NULL) {
    text_format(out, " -> %s", shown_name(l, e->link));
    if (e->target != 0) text_string(out, mark(l, e->target, 0));
    return;
  }
  text_string(out, mark(l, e->stat.kind, e->stat.mode));
}

static void show_long(ls *l, const entries *list) {
  widths w = measure(l, list);
  for (size_t i = 0; i < list->count; i++) {
    const entry *e = &list->at[i];
    text line = {0};
    char mode[11], size[32];
    put_prefix(l, &line, e, &w);
    filemode_text(e->stat.kind, e->stat.mode, mode);
    size_text(l, e->stat.size, size);
    text_format(&line, "%s %*u ", mode, w.links, e->stat.links);
    if (!l->no_owner) text_string(&line, l->numeric ? "0 " : "root ");
    if (!l->no_group) text_string(&line, l->numeric ? "0 " : "root ");
    text_format(&line, "%*s ", w.size, size);
    put_time(l, &line, time_of(l, e));
    text_char(&line, ' ');
    put_name(l, &line, e);
    text_char(&line, l->zero ? 0 : '\n');
    output_write(&l->b.out, line.at, line.len);
    text_free(&line);
  }
}

static void show_list(ls *l, const entries *list) {
  widths w = measure(l, list);
  for (size_t i = 0; i < list->count; i++) {
    text line = {0};
    put_prefix(l, &line, &list->at[i], &w);
    put_name(l, &line, &list->at[i]);
    if (l->layout == 'm')
      text_string(&line, i + 1 < list->count ? ", " : "\n");
    else
      text_char(&line, l->zero ? 0 : '\n');
    output_write(&l->b.out, line.at, line.len);
    text_free(&line);
  }
}

/* Tabs where they reach a stop before `to`, else blanks. */
static void put_blanks(ls *l, size_t from, size_t to) {
  while (from < to) {
    bool tab = to / 8 > (from + 1) / 8;
    output_byte(&l->b.out, tab ? '\t' : ' ');
    from += tab ? 8 - from % 8 : 1;
  }
}

/* As many columns as fit: down (-C) or across (-x). */
static void show_columns(ls *l, const entries *list) {
  size_t count = list->count;
  if (count == 0) return;
  widths w = measure(l, list);
  char **names = memory_take(count * sizeof *names);
  size_t *sizes = memory_take(count * sizeof *sizes), columns = count, rows = 1;
  for (size_t i = 0; i < count; i++) {
    text t = {0};
    put_prefix(l, &t, &list->at[i], &w);
    put_name(l, &t, &list->at[i]);
    names[i] = text_end(&t);
    sizes[i] = width_of(names[i]);
  }
  size_t most = (size_t)(l->columns / 3 > 0 ? l->columns / 3 : 1),
         *column_widths = memory_take((count + 1) * sizeof *column_widths);
  if (columns > most) columns = most;
  for (;; columns--) {
    rows = (count + columns - 1) / columns;
    size_t total = 0;
    memset(column_widths, 0, (count + 1) * sizeof *column_widths);
    for (size_t i = 0; i < count; i++) {
      size_t column = l->layout == 'x' ? i % columns : i / rows;
      size_t wanted = sizes[i] + (column + 1 == columns ? 0 : 2);
      if (wanted > column_widths[column]) column_widths[column] = wanted;
    }
    for (size_t c = 0; c < columns; c++) total += column_widths[c] < 3 ? 3 : column_widths[c];
    if (total <= (size_t)l->columns || columns == 1) break;
  }
  for (size_t row = 0; row < rows; row++) {
    size_t from = 0;
    for (size_t column = 0; column < columns; column++) {
      size_t i = l->layout == 'x' ? row * columns + column : column * rows + row;
      if (i >= count) break;
      output_string(&l->b.out, names[i]);
      size_t next = l->layout == 'x' ? i + 1 : i + rows;
      bool last = l->layout == 'x' ? column + 1 == columns || next >= count : next >= count;
      size_t wide = column_widths[column] < 3 ? 3 : column_widths[column];
      if (!last) put_blanks(l, from + sizes[i], from + wide);
      from += wide;
    }
    output_byte(&l->b.out, '\n');
  }
}

static void show(ls *l, const entries *list) {
  if (l->long_form)
    show_long(l, list);
  else if (l->layout == 'C' || l->layout == 'x')
    show_columns(l, list);
  else
    show_list(l, list);
}

/* ---- folders ---- */

static bool wanted(const ls *l, const char *name) {
  if (*name == '.' && !l->all && !l->almost_all) return false;
  size_t size = strlen(name);
  if (l->no_backups && size > 0 && name[size - 1] == '~') return false;
  for (size_t i = 0; i < l->ignore_count; i++) {
    if (glob_match(l->ignore[i], name, 0)) return false;
  }
  return true;
}

static void list_folder(ls *l, const char *path, bool header);

static void list_below(ls *l, const entries *list) {
  for (size_t i = 0; i < list->count; i++) {
    const entry *e = &list->at[i];
    if (e->stat.kind != FILE_DIRECTORY || strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0)
      continue;
    list_folder(l, e->path, true);
  }
}

static void list_folder(ls *l, const char *path, bool header) {
  char **names;
  size_t count;
  int error = path_list(path, false, &names, &count);
  if (error < 0) {
    bin_warn(&l->b, "cannot open directory %s: %s", quote_always(path), error_text(error));
    l->b.status = l->any ? 1 : 2;
    return;
  }
  if (header && l->any) output_byte(&l->b.out, '\n');
  if (header) output_format(&l->b.out, "%s:\n", shown_name(l, path));
  l->any = true;
  entries list = {0};
  static const char *const dots[] = {".", ".."};
  for (int i = 0; i < 2 && l->all; i++) {
    entry e = {.name = (char *)(uintptr_t)dots[i], .path = path_join(path, dots[i])};
    if (look(l, &e, l->follow)) push(&list, e);
  }
  for (size_t i = 0; i < count; i++) {
    if (!wanted(l, names[i])) continue;
    entry e = {.name = names[i], .path = path_join(path, names[i])};
    if (look(l, &e, l->follow)) push(&list, e);
  }
  sort(l, &list);
  if (l->long_form || l->blocks) {
    uint64_t total = 0;
    char size[32];
    for (size_t i = 0; i < list.count; i++) total += blocks_of(&list.at[i]);
    size_text(l, l->human || l->si || l->unit > 0 ? total * 1024 : total, size);
    output_format(&l->b.out, "total %s\n", size);
  }
  show(l, &list);
  if (l->recursive) list_below(l, &list);
}

static void list_operands(ls *l, char **operands, int count) {
  entries files = {0}, folders = {0};
  for (int i = 0; i < count; i++) {
    entry e = {.name = operands[i], .path = operands[i]};
    bool follow =
        l->follow || l->follow_operands || (!l->long_form && !l->folder_itself && !l->classify);
    if (!look(l, &e, follow)) {
      l->b.status = 2;
      continue;
    }
    push(e.stat.kind == FILE_DIRECTORY && !l->folder_itself ? &folders : &files, e);
  }
  sort(l, &files);
  sort(l, &folders);
  show(l, &files);
  l->any = files.count > 0;
  bool header = l->recursive || count > 1;
  for (size_t i = 0; i < folders.count; i++) list_folder(l, folders.at[i].path, header);
}

static void set_sort(ls *l, const char *word) {
  l->order = *word == 't'   ? 't'
             : *word == 's' ? 'S'
             : *word == 'v' ? 'v'
             : *word == 'e' ? 'X'
             : *word == 'n' ? 'U'
                            : 'n';
}

static void ignore(ls *l, char *pattern) {
  l->ignore = memory_resize(l->ignore, (l->ignore_count + 1) * sizeof *l->ignore);
  l->ignore[l->ignore_count++] = pattern;
}

/* "K" means "1K". */
static const char *with_number(const char *value) {
  if (*value >= '0' && *value <= '9') return value;
  text t = {0};
  text_format(&t, "1%s", value);
  return text_end(&t);
}

static void long_option(ls *l, options *o) {
  if (options_is(o, "sort")) set_sort(l, o->value);
  if (options_is(o, "time"))
    l->time = *o->value == 'a' || *o->value == 'u'   ? 'a'
              : *o->value == 'c' || *o->value == 's' ? 'c'
                                                     : 'm';
  if (options_is(o, "time-style")) l->time_format = o->value;
  if (options_is(o, "full-time")) l->full_time = l->long_form = true;
  if (options_is(o, "group-directories-first")) l->folders_first = true;
  if (options_is(o, "si")) l->si = true;
  if (options_is(o, "block-size") &&
      number_parse(with_number(o->value), "K", &l->unit) == -EINVAL) {
    bin_usage(&l->b, "invalid --block-size argument %s", quote_always(o->value));
  }
  if (options_is(o, "zero")) l->zero = true, l->layout = '1';
  if (options_is(o, "hide")) ignore(l, o->value);
  if (options_is(o, "format")) {
    l->long_form = *o->value == 'l' || *o->value == 'v';
    l->layout = *o->value == 'c' && o->value[2] == 'm' ? 'm'
                : *o->value == 'a' || *o->value == 'h' ? 'x'
                : *o->value == 's'                     ? '1'
                                                       : 'C';
  }
}

static void read_options(ls *l, options *o) {
  for (int key; (key = options_next(o)) != 0;) {
    switch (key) {
      case 'a':
        l->all = true;
        break;
      case 'A':
        l->almost_all = true, l->all = false;
        break;
      case 'B':
        l->no_backups = true;
        break;
      case 'b':
        l->escape = true;
        break;
      case 'c':
        l->time = 'c';
        if (!l->long_form) l->order = 't';
        break;
      case 'u':
        l->time = 'a';
        if (!l->long_form) l->order = 't';
        break;
      case 'C':
      case 'x':
      case 'm':
      case '1':
        l->layout = key;
        if (key != '1') l->long_form = false;
        break;
      case 'd':
        l->folder_itself = true;
        break;
      case 'f':
        l->all = true, l->order = 'U', l->long_form = false;
        break;
      case 'F':
        l->classify = true;
        break;
      case 'g':
        l->long_form = l->no_owner = true;
        break;
      case 'G':
        l->no_group = true;
        break;
      case 'h':
        l->human = true;
        break;
      case 'H':
        l->follow_operands = true;
        break;
      case 'i':
        l->inode = true;
        break;
      case 'I':
        ignore(l, o->value);
        break;
      case 'k':
        break;
      case 'l':
        l->long_form = true;
        break;
      case 'L':
        l->follow = true;
        break;
      case 'n':
        l->long_form = l->numeric = true;
        break;
      case 'N':
        l->escape = l->quote = false;
        break;
      case 'o':
        l->long_form = l->no_group = true;
        break;
      case 'p':
        l->slash = true;
        break;
      case 'q':
        l->hide_control = true;
        break;
      case 'Q':
        l->quote = true;
        break;
      case 'r':
        l->reverse = true;
        break;
      case 'R':
        l->recursive = true;
        break;
      case 's':
        l->blocks = true;
        break;
      case 'S':
      case 't':
      case 'v':
      case 'U':
      case 'X':
        l->order = key;
        break;
      case 'w':
        l->columns = atoi(o->value);
        if (l->columns <= 0) l->columns = 1 << 20;
        break;
      case OPTION_LONG:
        long_option(l, o);
        break;
      default:
        break;
    }
  }
}

static int ls_main(int argc, char **argv, char **environment) {
  ls l = {.layout = '1', .order = 'n', .time = 'm', .columns = 80};
  options o;
  const char *columns = environment_get(environment, "COLUMNS");
  if (columns != NULL && atoi(columns) > 0) l.columns = atoi(columns);
  options_start(&o, &l.b, command_find("ls"), argc, argv, environment);
  l.b.usage_status = 2;
  zone_parse(&l.zone, environment_get(environment, "TZ"));
  read_options(&l, &o);
  char *here[] = {".", NULL};
  if (o.operand_count > 0) {
    list_operands(&l, o.operands, o.operand_count);
  } else if (l.folder_itself) {
    list_operands(&l, here, 1);
  } else {
    list_folder(&l, ".", l.recursive);
  }
  return bin_end(&l.b);
}

const command command_ls = {.name = "ls",
                            .main = ls_main,
                            .usage = "ls [OPTION]... [FILE]...",
                            .options =
                                "-a, --all\tnames that start with . too\n"
                                "-A, --almost-all\tas -a, without . and ..\n"
                                "-b, --escape\tbackslash escapes for odd characters\n"
                                "--block-size=SIZE\tsizes in units of SIZE\n"
                                "-B, --ignore-backups\tleave out names that end in ~\n"
                                "-c\tthe time of the last change of the inode\n"
                                "-C\tin columns\n"
                                "--color[=WHEN]\tignored: never\n"
                                "-d, --directory\tfolders themselves\n"
                                "-f\tas -aU\n"
                                "-F, --classify[=WHEN]\tmark kinds with one of * / @ |\n"
                                "--format=WORD\tacross, commas, long, single-column or vertical\n"
                                "--full-time\tas -l --time-style=full-iso\n"
                                "-g\tas -l, without the owner\n"
                                "--group-directories-first\tfolders before files\n"
                                "-G, --no-group\tno group in -l\n"
                                "-h, --human-readable\tsizes like 1.5K\n"
                                "-H, --dereference-command-line\tfollow links among the operands\n"
                                "--hide=PATTERN\tas -I\n"
                                "-i, --inode\tshow inode numbers\n"
                                "-I, --ignore=PATTERN\tleave out names that match PATTERN\n"
                                "-k, --kibibytes\tnothing: blocks have 1024 bytes\n"
                                "-l\tlong form\n"
                                "-L, --dereference\tfollow links\n"
                                "-m\tseparated by commas\n"
                                "-n, --numeric-uid-gid\tas -l, with numbers for names\n"
                                "-N, --literal\tnames as they are\n"
                                "-o\tas -l, without the group\n"
                                "-p, --indicator-style\tmark folders with /\n"
                                "-q, --hide-control-chars\t? for control characters\n"
                                "-Q, --quote-name\tin double quotes\n"
                                "-r, --reverse\treverse the order\n"
                                "-R, --recursive\tfolders below too\n"
                                "-s, --size\tshow sizes in blocks\n"
                                "-S\tby size, largest first\n"
                                "--si\tas -h, with powers of 1000\n"
                                "--sort=WORD\tnone, size, time, version or extension\n"
                                "-t\tby time, newest first\n"
                                "--time=WORD\tatime, ctime or mtime\n"
                                "--time-style=STYLE\tfull-iso, long-iso, iso, locale or +FORMAT\n"
                                "-u\tthe time of the last access\n"
                                "-U\tin the folder's order\n"
                                "-v\tby version numbers in names\n"
                                "-w, --width=COLS\twidth for columns\n"
                                "-x\tin columns, across\n"
                                "-X\tby extension\n"
                                "--zero\tend each line with NUL\n"
                                "-1\tone a line",
                            .stack = 262144};
