// SPDX-License-Identifier: MIT
/* pr.c -- pages and columns.
 *
 * A page is a list of cells. Down columns need all of a page before its first row can be printed,
 * and the last page is balanced; across and merged ones go row by row, but take the same way. */
#include "../text/unicode.h"
#include "options.h"
#include "times.h"

#define HEADER_LINES 5
#define TRAILER_LINES 5

typedef struct {
  char *at;
  size_t size;
  uint64_t number;
  bool there; /* merged: a file that ended has no cell, though a later one may */
} cell;

typedef struct {
  input in;
  bool open, page_ended; /* by a form feed */
} source;

typedef struct {
  bin b;
  size_t columns, length, width, margin;
  bool across, merged, doubled, plain, no_feeds, feeds, joined, truncates, width_given, silent;
  bool separated, numbered, expands;
  const char *separator, *title, *date_format;
  char number_separator, expanded;
  size_t number_digits, expanded_width;
  uint64_t first_number, first_page, last_page, number, page;
  int64_t now;
  time_zone zone;
  size_t position,
      blanks; /* column of the output line; blanks behind it that are not written yet */
} pr;

/* ---- output ---- */

/* Blanks that are waiting: in columns as tabs, where a tab stands for more than one. */
static void put_blanks(pr *p) {
  size_t goal = p->position + p->blanks;
  while (goal > p->position + 1 && p->position / 8 * 8 + 8 <= goal) {
    output_byte(&p->b.out, '\t');
    p->position = p->position / 8 * 8 + 8;
  }
  for (; p->position < goal; p->position++) output_byte(&p->b.out, ' ');
  p->blanks = 0;
}

static void put_text(pr *p, const char *at, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)at[i];
    if (c == ' ' && p->columns > 1) {
      p->blanks++;
      continue;
    }
    if (p->blanks > 0) put_blanks(p);
    output_byte(&p->b.out, c);
    if (c == '\t')
      p->position = p->position / 8 * 8 + 8;
    else if ((c & 0xC0) != 0x80)
      p->position++;
  }
}

static void pad_to(pr *p, size_t goal) {
  while (p->position + p->blanks < goal) put_text(p, " ", 1);
}

static void put_margin(pr *p) {
  for (size_t i = 0; i < p->margin; i++) put_text(p, " ", 1);
}

static void end_row(pr *p) {
  put_blanks(p);
  output_byte(&p->b.out, '\n');
  p->position = 0;
}

static bool page_is_wanted(const pr *p) {
  return p->page >= p->first_page && p->page <= p->last_page;
}

static void put_header(pr *p, const char *title, int64_t when) {
  if (p->plain) return;
  time_parts parts;
  text date = {0}, page = {0};
  time_split(when, 0, &p->zone, &parts);
  time_format(&date, p->date_format, strlen(p->date_format), &parts, when);
  text_format(&page, "Page %llu", (unsigned long long)p->page);
  size_t used = utf8_count(date.at, date.len) + utf8_count(title, strlen(title)) + page.len;
  size_t left = p->width > used ? p->width - used : 0, before = left / 2;
  output_string(&p->b.out, "\n\n");
  put_margin(p);
  output_write(&p->b.out, date.at, date.len);
  output_format(&p->b.out, "%*s%s%*s", (int)(before > 0 ? before : 1), " ", title,
                (int)(left - before > 0 ? left - before : 1), " ");
  output_write(&p->b.out, page.at, page.len);
  output_string(&p->b.out, "\n\n\n");
  p->position = 0;
  text_free(&date);
  text_free(&page);
}

/* What is left of the page, and the lines below. `fed`: a form feed of the input ended it. */
static void put_trailer(pr *p, size_t rows_left, bool fed) {
  if (p->plain) {
    if (fed && !p->no_feeds) output_byte(&p->b.out, '\f');
    return;
  }
  if (p->feeds) {
    output_byte(&p->b.out, '\f');
    return;
  }
  for (size_t i = 0; i < rows_left + TRAILER_LINES; i++) output_byte(&p->b.out, '\n');
}

static size_t number_width(const pr *p) {
  return !p->numbered
             ? 0
             : p->number_digits + (p->number_separator == '\t' ? 8 - p->number_digits % 8 : 1);
}

static void put_number(pr *p, uint64_t number) {
  char digits[24];
  size_t size = number_format((int64_t)number, digits), width = p->number_digits;
  const char *at = digits;
  if (size > width) at += size - width, size = width;
  for (size_t i = size; i < width; i++) put_text(p, " ", 1);
  put_text(p, at, size);
  if (p->columns == 1 || p->number_separator != '\t')
    put_text(p, &p->number_separator, 1);
  else
    for (size_t i = width; i < number_width(p); i++) put_text(p, " ", 1);
}

static size_t cell_width(const pr *p) {
  size_t used = p->merged ? number_width(p) : 0;
  used += (p->columns - 1) * strlen(p->separator);
  return p->width > used + p->columns ? (p->width - used) / p->columns : 1;
}

/* The bytes of a cell that fit. */
static size_t fit(const pr *p, const cell *c, size_t room) {
  size_t size = 0;
  if (!p->truncates) return c->size;
  while (size < c->size && room > 0) {
    size += utf8_step(c->at + size, c->size - size);
    room--;
  }
  return size;
}

static void put_row(pr *p, const cell *cells, size_t count) {
  size_t width = cell_width(p), start = p->margin;
  put_margin(p);
  if (p->merged && p->numbered) put_number(p, p->number++), start += number_width(p);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) {
      if (!p->joined) pad_to(p, start - strlen(p->separator));
      put_text(p, p->separator, strlen(p->separator));
      put_blanks(p);
    }
    size_t room = width;
    if (!p->merged && p->numbered && cells[i].there) {
      put_number(p, cells[i].number);
      room = width > number_width(p) ? width - number_width(p) : 0;
    }
    put_text(p, cells[i].at, fit(p, &cells[i], room));
    start += width + strlen(p->separator);
  }
  end_row(p);
}

/* ---- input ---- */

/* In columns tabs become blanks. */
static void expand(const pr *p, cell *c) {
  text to = {0};
  size_t column = 0;
  for (size_t i = 0; i < c->size; i++) {
    if (c->at[i] != p->expanded) {
      text_char(&to, c->at[i]);
      column += ((unsigned char)c->at[i] & 0xC0) != 0x80;
      continue;
    }
    size_t blanks = p->expanded_width - column % p->expanded_width;
    text_pad(&to, ' ', blanks);
    column += blanks;
  }
  c->size = to.len;
  free(c->at);
  c->at = text_end(&to);
}

/* The next line of a file; false at its end, and at a form feed, which ends the page. */
static bool read_cell(pr *p, source *s, cell *c) {
  char *line;
  size_t size;
  c->there = false;
  if (!s->open || s->page_ended) return false;
  if (!input_line(&s->in, &line, &size, NULL)) {
    input_close(&s->in);
    s->open = false;
    return false;
  }
  char *feed = memchr(line, '\f', size);
  if (feed != NULL) { /* what is behind it stays for the next page */
    s->page_ended = true;
    size_t behind = size - (size_t)(feed - line) - 1;
    s->in.start -= behind + (s->in.start > 0 && s->in.buffer[s->in.start - 1] == '\n');
    size = (size_t)(feed - line);
    if (size == 0) return false;
  }
  c->at = memory_copy(line, size);
  c->size = size;
  c->there = true;
  c->number = p->merged ? 0 : p->number++;
  if (p->columns > 1 || p->expands) expand(p, c);
  return true;
}

/* One page of one file: cells in the order of the file. */
static size_t read_page(pr *p, source *s, cell *cells, size_t room) {
  size_t count = 0;
  while (count < room && read_cell(p, s, &cells[count])) count++;
  return count;
}

/* A row of a page; the columns of the last page are as even as can be. */
static size_t take_row(const pr *p, const cell *cells, size_t count, size_t rows, size_t row,
                       cell *to) {
  size_t found = 0;
  if (p->across || p->columns == 1) {
    for (size_t i = row * p->columns; i < count && found < p->columns; i++) to[found++] = cells[i];
    return found;
  }
  size_t each = count == rows * p->columns ? rows : count / p->columns;
  size_t longer = count == rows * p->columns ? 0 : count % p->columns;
  for (size_t i = 0, begin = 0; i < p->columns; i++) {
    size_t size = each + (i < longer);
    if (row < size) to[found++] = cells[begin + row];
    begin += size;
  }
  return found;
}

static void free_cells(cell *cells, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (cells[i].there) free(cells[i].at);
  }
}

static size_t page_rows(const pr *p) {
  size_t body = p->plain ? p->length : p->length - HEADER_LINES - TRAILER_LINES;
  return p->doubled && body > 1 ? body / 2 : body;
}

static void put_rows(pr *p, const cell *cells, size_t count, const char *title, int64_t when,
                     bool fed) {
  size_t rows = page_rows(p), row = 0;
  cell *line = memory_take(p->columns * sizeof *line);
  put_header(p, title, when);
  for (size_t found; row < rows && (found = take_row(p, cells, count, rows, row, line)) > 0;
       row++) {
    put_row(p, line, found);
    if (p->doubled) end_row(p);
  }
  put_trailer(p, (rows - row) * (p->doubled ? 2 : 1), fed);
  free(line);
}

static void print_file(pr *p, source *s, const char *title, int64_t when) {
  size_t room = page_rows(p) * p->columns;
  cell *cells = memory_take(room * sizeof *cells);
  p->page = 1;
  while (s->open && p->b.out.error == 0 && p->page <= p->last_page) {
    s->page_ended = false;
    size_t count = read_page(p, s, cells, room);
    if (count == 0 && !s->page_ended) break;
    if (page_is_wanted(p)) put_rows(p, cells, count, title, when, s->page_ended);
    free_cells(cells, count);
    p->page++;
  }
  free(cells);
}

/* Files side by side. */
static void print_merged(pr *p, source *sources) {
  size_t rows = page_rows(p);
  cell *line = memory_take(p->columns * sizeof *line);
  p->page = 1;
  for (bool more = true; more && p->b.out.error == 0; p->page++) {
    size_t row = 0;
    for (size_t i = 0; i < p->columns; i++) sources[i].page_ended = false;
    for (; row < rows; row++) {
      more = false;
      for (size_t i = 0; i < p->columns; i++) {
        line[i] = (cell){.at = (char[]){""}};
        more |= read_cell(p, &sources[i], &line[i]);
      }
      if (!more) break;
      if (row == 0 && page_is_wanted(p)) put_header(p, p->title != NULL ? p->title : "", p->now);
      if (page_is_wanted(p)) put_row(p, line, p->columns);
      if (p->doubled && page_is_wanted(p)) end_row(p);
      free_cells(line, p->columns);
    }
    bool fed = false;
    for (size_t i = 0; i < p->columns; i++) fed |= sources[i].open && sources[i].page_ended;
    if (row > 0 && page_is_wanted(p)) put_trailer(p, (rows - row) * (p->doubled ? 2 : 1), fed);
    more |= fed;
  }
}

static bool open_source(pr *p, source *s, const char *path, int64_t *when) {
  file_stat stat;
  *s = (source){0};
  int error = input_open(&s->in, path);
  if (error == 0 && sys_fstat(s->in.fd, &stat) == 0 && stat.kind == FILE_DIRECTORY) error = -EISDIR;
  if (error < 0) {
    p->b.status = 1;
    if (!p->silent) bin_file_error(&p->b, path, error);
    return false;
  }
  *when =
      strcmp(path, "-") != 0 && sys_fstat(s->in.fd, &stat) == 0 ? stat.mtime / 1000000000 : p->now;
  s->open = true;
  return true;
}

static int print_all(pr *p, char **files, size_t count) {
  source *sources = memory_take(count * sizeof *sources);
  int64_t when;
  size_t opened = 0;
  for (size_t i = 0; i < count; i++) {
    if (!open_source(p, &sources[opened], files[i], &when)) continue;
    if (p->merged) {
      opened++;
      continue;
    }
    bool standard = strcmp(files[i], "-") == 0;
    print_file(p, &sources[0], p->title != NULL ? p->title : standard ? "" : files[i], when);
    if (sources[0].open) input_close(&sources[0].in);
  }
  if (p->merged) {
    p->columns = opened;
    if (opened > 0) print_merged(p, sources);
  }
  return bin_end(&p->b);
}

/* ---- the command line ---- */

static uint64_t number_or_die(pr *p, const char *value, const char *what) {
  uint64_t number;
  if (number_parse(value, "", &number) != 0 || number == 0 || number > 1u << 24)
    bin_die(&p->b, 1, "%s: %s", what, quote_curly(value));
  return number;
}

/* FIRST[:LAST] */
static bool read_pages(pr *p, const char *value) {
  char *end;
  p->first_page = strtoull(value, &end, 10);
  if (end == value || p->first_page == 0) return false;
  if (*end == 0) return true;
  if (*end != ':') return false;
  p->last_page = strtoull(end + 1, &end, 10);
  return *end == 0 && p->last_page >= p->first_page;
}

/* [SEP[DIGITS]], as -n has it; a digit first is no separator. */
static void read_numbering(pr *p, const char *value) {
  p->numbered = true;
  if (value == NULL) return;
  if (*value < '0' || *value > '9') p->number_separator = *value++;
  if (*value != 0)
    p->number_digits =
        (size_t)number_or_die(p, value, "-n extra characters or invalid number in the argument");
}

static void read_expansion(pr *p, const char *value) {
  p->expands = true;
  if (value == NULL) return;
  if (*value < '0' || *value > '9') p->expanded = *value++;
  if (*value != 0)
    p->expanded_width =
        (size_t)number_or_die(p, value, "-e extra characters or invalid number in the argument");
}

static void read_option(pr *p, options *o, int key) {
  switch (key) {
    case 'a':
      p->across = true;
      break;
    case 'd':
      p->doubled = true;
      break;
    case 'D':
      p->date_format = o->value;
      break;
    case 'e':
      read_expansion(p, o->value);
      break;
    case 'f':
      p->feeds = true;
      break;
    case 'h':
      p->title = o->value;
      break;
    case 'J':
      p->joined = true;
      break;
    case 'l':
      p->length = (size_t)number_or_die(p, o->value, "'-l PAGE_LENGTH' invalid number of lines");
      break;
    case 'm':
      p->merged = true;
      break;
    case 'n':
      read_numbering(p, o->value);
      break;
    case 'N':
      p->first_number = number_or_die(p, o->value, "'-N NUMBER' invalid starting line number");
      break;
    case 'o':
      p->margin = strtoul(o->value, NULL, 10);
      break;
    case 'r':
      p->silent = true;
      break;
    case 's':
      p->separated = true;
      p->separator = o->value != NULL ? o->value : "\t";
      break;
    case 'S':
      p->separator = o->value != NULL ? o->value : "";
      break;
    case 't':
      p->plain = true;
      break;
    case 'T':
      p->plain = p->no_feeds = true;
      break;
    case 'w':
      p->width = (size_t)number_or_die(p, o->value, "'-w PAGE_WIDTH' invalid number of characters");
      p->width_given = true;
      break;
    case 'W':
      p->width = (size_t)number_or_die(p, o->value, "'-W PAGE_WIDTH' invalid number of characters");
      p->truncates = true;
      break;
    default:
      if (options_is(o, "columns")) {
        p->columns = (size_t)number_or_die(p, o->value, "invalid number of columns");
      } else if (options_is(o, "pages") && !read_pages(p, o->value)) {
        bin_die(&p->b, 1, "invalid page range %s", quote_curly(o->value));
      }
      break;
  }
}

/* Which columns are aligned, and what stands between them. */
static void settle(pr *p) {
  bool columns = p->columns > 1 || p->merged;
  if (p->columns == 0) p->columns = 1;
  if (p->columns > 1 << 16) bin_die(&p->b, 1, "page width too narrow");
  if (p->separated && columns && !p->width_given && !p->truncates) p->joined = true;
  if (p->separator == NULL) p->separator = p->joined ? "\t" : " ";
  if (!p->joined && strcmp(p->separator, "\t") == 0) p->separator = " ";
  if (columns) p->truncates = true;
  if (p->joined) p->truncates = false;
  if (p->length <= HEADER_LINES + TRAILER_LINES) p->plain = true;
  p->number = p->first_number;
}

/* -3t is --columns=3 -t. */
static char **name_columns(int *argc, char **argv) {
  char **all = memory_take(((size_t)*argc * 2 + 1) * sizeof *all);
  int count = 0;
  bool over = false;
  for (int i = 0; i < *argc; i++) {
    size_t digits = argv[i][0] == '-' && !over && i > 0 ? strspn(argv[i] + 1, "0123456789") : 0;
    over |= strcmp(argv[i], "--") == 0;
    text named = {0};
    if (digits == 0) {
      all[count++] = argv[i];
      continue;
    }
    text_format(&named, "--columns=%.*s", (int)digits, argv[i] + 1);
    all[count++] = text_end(&named);
    if (argv[i][digits + 1] == 0) continue;
    text rest = {0};
    text_format(&rest, "-%s", argv[i] + digits + 1);
    all[count++] = text_end(&rest);
  }
  all[count] = NULL;
  *argc = count;
  return all;
}

static int pr_main(int argc, char **argv, char **environment) {
  pr p = {.length = 66,
          .width = 72,
          .first_page = 1,
          .last_page = UINT64_MAX,
          .first_number = 1,
          .number_separator = '\t',
          .number_digits = 5,
          .expanded = '\t',
          .expanded_width = 8};
  options o;
  char *standard[] = {"-"};
  p.date_format = "%Y-%m-%d %H:%M";
  argv = name_columns(&argc, argv);
  options_start(&o, &p.b, command_find("pr"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) read_option(&p, &o, key);
  p.now = kernel_now() / 1000000000;
  zone_parse(&p.zone, environment_get(environment, "TZ"));
  size_t count = (size_t)o.operand_count;
  char **files = o.operands;
  if (count > 0 && **files == '+' && read_pages(&p, *files + 1)) files++, count--;
  if (count == 0) files = standard, count = 1;
  if (p.merged && (p.columns > 0 || p.across))
    bin_die(&p.b, 1,
            p.columns > 0 ? "cannot specify number of columns when printing in parallel"
                          : "cannot specify both printing across and printing in parallel");
  settle(&p);
  if (p.merged) p.columns = count;
  return print_all(&p, files, count);
}

const command command_pr = {
    .name = "pr",
    .main = pr_main,
    .usage = "pr [OPTION]... [FILE]...",
    .options =
        "--columns=COLUMNS\tso many columns, filled downwards; also as -COLUMNS\n"
        "--pages=FIRST[:LAST]\tonly these pages, also as +FIRST[:LAST]\n"
        "-a, --across\tfill columns across\n"
        "-d, --double-space\tan empty line behind each line\n"
        "-D, --date-format=FORMAT\tthe date in the header\n"
        "-e[CHAR[WIDTH]], --expand-tabs[=CHAR[WIDTH]]\texpand CHAR (a tab) to stops of WIDTH (8)\n"
        "-f, -F, --form-feed\tform feeds between pages instead of empty lines\n"
        "-h, --header=HEADER\tHEADER instead of the file's name\n"
        "-J, --join-lines\twhole lines, columns are not aligned\n"
        "-l, --length=LENGTH\tlines of a page (66), of which ten are header and trailer\n"
        "-m, --merge\tfiles side by side\n"
        "-n[SEP[DIGITS]], --number-lines[=SEP[DIGITS]]\tnumber lines\n"
        "-N, --first-line-number=NUMBER\tbegin with NUMBER\n"
        "-o, --indent=MARGIN\tMARGIN blanks before each line\n"
        "-r, --no-file-warnings\tno message for a file that cannot be opened\n"
        "-s[CHAR], --separator[=CHAR]\tCHAR between columns, which are not aligned without -w\n"
        "-S[STRING], --sep-string[=STRING]\tSTRING between columns\n"
        "-t, --omit-header\tno header and trailer\n"
        "-T, --omit-pagination\tas -t, and no form feeds of the input\n"
        "-w, --width=WIDTH\tcolumns of a page (72), for more than one column\n"
        "-W, --page-width=WIDTH\tcolumns of a page, always"};
