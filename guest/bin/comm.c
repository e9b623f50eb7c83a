// SPDX-License-Identifier: MIT
// comm.c -- comm and join: compare or join two sorted files, line by line.
#include "../text/bytes.h"
#include "options.h"

/* One of the two files, with the line it stands at. */
typedef struct {
  input in;
  const char *path;
  text line, before;
  bool have, warned, began;
} side;

static void advance(bin *b, side *s, int mark) {
  text swap = s->before;
  s->before = s->line;
  s->line = swap;
  char *line;
  size_t size;
  s->line.len = 0;
  s->have = input_until(&s->in, mark, &line, &size, NULL);
  if (s->have) text_add(&s->line, line, size);
  bin_check_read(b, &s->in, s->path);
}

static int compare_bytes(const char *a, size_t m, const char *b, size_t n) {
  size_t common = m < n ? m : n;
  int order = common == 0 ? 0 : memcmp(a, b, common);
  return order != 0 ? order : (m > n) - (m < n);
}

static void open_side(bin *b, side *s, const char *path, int mark) {
  *s = (side){.path = path};
  int error = input_open(&s->in, path);
  if (error < 0) bin_die(b, 1, "%s: %s", path, error_text(error));
  advance(b, s, mark);
}

static int comm_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool hide[3] = {false}, total = false, checked = true, fatal = false;
  int mark = '\n';
  const char *between = "\t";
  options_start(&o, &b, command_find("comm"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key >= '1' && key <= '3') hide[key - '1'] = true;
    if (key == 'z') mark = 0;
    if (options_is(&o, "output-delimiter")) between = o.value;
    if (options_is(&o, "total")) total = true;
    if (options_is(&o, "nocheck-order")) checked = false;
    if (options_is(&o, "check-order")) fatal = true;
  }
  options_need(&o, 2);
  options_allow(&o, 2);
  side s[2];
  for (int i = 0; i < 2; i++) open_side(&b, &s[i], o.operands[i], mark);
  uint64_t counts[3] = {0};
  bool unordered = false;
  while (s[0].have || s[1].have) {
    int order = !s[0].have ? 1
                : !s[1].have
                    ? -1
                    : compare_bytes(s[0].line.at, s[0].line.len, s[1].line.at, s[1].line.len);
    int column = order < 0 ? 0 : order > 0 ? 1 : 2;
    counts[column]++;
    if (!hide[column]) {
      for (int i = 0; i < column; i++) {
        if (!hide[i]) output_string(&b.out, between);
      }
      const text *line = &s[column == 1].line;
      output_write(&b.out, line->at, line->len);
      output_byte(&b.out, mark);
    }
    for (int i = 0; i < 2; i++) {
      if (column != 2 && column != i) continue;
      advance(&b, &s[i], mark);
      bool wrong = s[i].have &&
                   compare_bytes(s[i].before.at, s[i].before.len, s[i].line.at, s[i].line.len) > 0;
      if (checked && wrong && !s[i].warned && (fatal || s[!i].have || counts[0] + counts[1] > 0)) {
        bin_warn(&b, "file %d is not in sorted order", i + 1);
        s[i].warned = unordered = true;
        if (fatal) bin_exit(&b, 1);
      }
    }
    if (b.out.error != 0) break;
  }
  if (total)
    output_format(&b.out, "%llu%s%llu%s%llu%stotal\n", (unsigned long long)counts[0], between,
                  (unsigned long long)counts[1], between, (unsigned long long)counts[2], between);
  if (unordered && !fatal) {
    bin_warn(&b, "input is not in sorted order");
    b.status = 1;
  }
  return bin_end(&b);
}

/* ---- join ---- */

typedef struct {
  const char *at;
  size_t size;
} field;

typedef struct {
  text line;
  field *fields;
  size_t count;
} row;

typedef struct {
  bin b;
  int separator; /* -1: blanks */
  int mark;
  size_t key[2];
  bool unpaired[2], paired, icase, header, checked;
  const char *empty;
  struct {
    int file; /* 0: the key */
    size_t field;
  } * list;
  size_t list_count;
  bool automatic;
  size_t auto_count[2];
} join;

static void cut(const join *j, row *r) {
  const char *at = r->line.at, *end = at + r->line.len;
  size_t room = 0;
  r->count = 0;
  for (;;) {
    if (j->separator < 0) {
      while (at < end && (*at == ' ' || *at == '\t')) at++;
      if (at >= end) return;
    }
    const char *stop = at;
    while (stop < end && (j->separator < 0 ? *stop != ' ' && *stop != '\t'
                                           : (unsigned char)*stop != j->separator))
      stop++;
    if (r->count == room)
      r->fields = memory_resize(r->fields, (room = room * 2 + 8) * sizeof *r->fields);
    r->fields[r->count++] = (field){at, (size_t)(stop - at)};
    if (stop >= end) return;
    at = stop + 1;
  }
}

static field get(const row *r, size_t n) {
  return r != NULL && n < r->count ? r->fields[n] : (field){"", 0};
}

static int compare_keys(const join *j, const row *a, const row *b) {
  field x = get(a, j->key[0]), y = get(b, j->key[1]);
  if (!j->icase) return compare_bytes(x.at, x.size, y.at, y.size);
  size_t common = x.size < y.size ? x.size : y.size;
  for (size_t i = 0; i < common; i++) {
    int p = x.at[i] >= 'A' && x.at[i] <= 'Z' ? x.at[i] + 32 : (unsigned char)x.at[i];
    int q = y.at[i] >= 'A' && y.at[i] <= 'Z' ? y.at[i] + 32 : (unsigned char)y.at[i];
    if (p != q) return p - q;
  }
  return (x.size > y.size) - (x.size < y.size);
}

static void put_field(join *j, bool *first, field f) {
  if (!*first) output_byte(&j->b.out, j->separator < 0 ? ' ' : j->separator);
  *first = false;
  if (f.size == 0 && j->empty != NULL)
    output_string(&j->b.out, j->empty);
  else
    output_write(&j->b.out, f.at, f.size);
}

static void put_row(join *j, const row *a, const row *b) {
  bool first = true;
  field key = a != NULL ? get(a, j->key[0]) : get(b, j->key[1]);
  const row *rows[2] = {a, b};
  if (j->list != NULL) {
    for (size_t i = 0; i < j->list_count; i++) {
      put_field(j, &first,
                j->list[i].file == 0 ? key : get(rows[j->list[i].file - 1], j->list[i].field));
    }
  } else {
    put_field(j, &first, key);
    for (int k = 0; k < 2; k++) {
      size_t count = j->automatic ? j->auto_count[k] : rows[k] != NULL ? rows[k]->count : 0;
      for (size_t i = 0; i < count; i++) {
        if (i != j->key[k]) put_field(j, &first, get(rows[k], i));
      }
    }
  }
  output_byte(&j->b.out, j->mark);
}

typedef struct {
  row *at;
  size_t count, room;
} group;

static row take_row(join *j, side *s) {
  row r = {0};
  text_add(&r.line, s->line.at, s->line.len);
  cut(j, &r);
  advance(&j->b, s, j->mark);
  return r;
}

static void free_row(row *r) {
  text_free(&r->line);
  free(r->fields);
}

static row peek_row(join *j, side *s) {
  row r = {.line = s->line};
  cut(j, &r);
  return r;
}

static void check_order(join *j, side *s, int file) {
  if (!s->have || s->warned || !j->checked || s->before.len == 0) return;
  row now = peek_row(j, s), before = {.line = s->before};
  cut(j, &before);
  field x = get(&before, j->key[file]), y = get(&now, j->key[file]);
  if (compare_bytes(x.at, x.size, y.at, y.size) > 0) {
    bin_warn(&j->b, "%s:%d: is not sorted: %.*s", s->path, 2, (int)s->line.len, s->line.at);
    s->warned = true;
    j->b.status = 1;
  }
  free(now.fields);
  free(before.fields);
}

static void run_join(join *j, side s[2]) {
  if (j->header && (s[0].have || s[1].have)) {
    row a = {0}, b = {0};
    bool have[2] = {s[0].have, s[1].have};
    if (have[0]) a = take_row(j, &s[0]);
    if (have[1]) b = take_row(j, &s[1]);
    put_row(j, have[0] ? &a : NULL, have[1] ? &b : NULL);
  }
  while ((s[0].have || s[1].have) && j->b.out.error == 0) {
    row a = {0}, b = {0};
    int order = 0;
    if (s[0].have && s[1].have) {
      row x = peek_row(j, &s[0]), y = peek_row(j, &s[1]);
      order = compare_keys(j, &x, &y);
      free(x.fields);
      free(y.fields);
    } else {
      order = s[0].have ? -1 : 1;
    }
    if (order != 0) {
      int k = order > 0;
      a = take_row(j, &s[k]);
      if (s[!k].have || j->unpaired[k]) check_order(j, &s[k], k);
      if (j->unpaired[k])
        put_row(j, k == 0 ? &a : NULL, k == 1 ? &a : NULL);
      else if (!s[!k].have)
        return;
      free_row(&a);
      continue;
    }
    group groups[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
      for (;;) {
        if (groups[k].count == groups[k].room)
          groups[k].at =
              memory_resize(groups[k].at, (groups[k].room = groups[k].room * 2 + 4) * sizeof(row));
        groups[k].at[groups[k].count++] = take_row(j, &s[k]);
        if (!s[k].have) break;
        b = peek_row(j, &s[k]);
        field x = get(&groups[k].at[0], j->key[k]), y = get(&b, j->key[k]);
        bool same = compare_bytes(x.at, x.size, y.at, y.size) == 0;
        free(b.fields);
        if (!same) break;
      }
    }
    for (size_t i = 0; j->paired && i < groups[0].count; i++) {
      for (size_t k = 0; k < groups[1].count; k++) put_row(j, &groups[0].at[i], &groups[1].at[k]);
    }
    for (int k = 0; k < 2; k++) {
      for (size_t i = 0; i < groups[k].count; i++) free_row(&groups[k].at[i]);
      free(groups[k].at);
    }
  }
}

/* -o: "0", "1.2" and so on, parted by commas or blanks. */
static void parse_list(join *j, const char *at) {
  if (strcmp(at, "auto") == 0) {
    j->automatic = true;
    return;
  }
  while (*at != 0) {
    at += strspn(at, ", \t");
    if (*at == 0) return;
    j->list = memory_resize(j->list, (j->list_count + 1) * sizeof *j->list);
    char *end;
    int file = *at - '0';
    size_t number = 1;
    if (at[1] == '.')
      number = strtoul(at + 2, &end, 10);
    else
      end = (char *)(uintptr_t)at + 1;
    if (file < 0 || file > 2 || number == 0 || (file > 0 && at[1] != '.'))
      bin_die(&j->b, 1, "invalid field specifier: %s", quote_curly(at));
    j->list[j->list_count].file = file;
    j->list[j->list_count++].field = number - 1;
    at = end;
  }
}

static size_t key_option(options *o) {
  uint64_t value = options_number(o, NULL, "invalid field number");
  if (value == 0) bin_die(o->bin, 1, "invalid field number: %s", quote_curly(o->value));
  return (size_t)value - 1;
}

static int join_main(int argc, char **argv, char **environment) {
  join j = {.separator = -1, .mark = '\n', .paired = true, .checked = true};
  options o;
  options_start(&o, &j.b, command_find("join"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case '1':
        j.key[0] = key_option(&o);
        break;
      case '2':
        j.key[1] = key_option(&o);
        break;
      case 'j':
        j.key[0] = j.key[1] = key_option(&o);
        break;
      case 'a':
        j.unpaired[*o.value == '2'] = true;
        break;
      case 'v':
        j.unpaired[*o.value == '2'] = true;
        j.paired = false;
        break;
      case 'e':
        j.empty = o.value;
        break;
      case 'i':
        j.icase = true;
        break;
      case 'o':
        parse_list(&j, o.value);
        break;
      case 't':
        j.separator = *o.value == 0                 ? '\n'
                      : strcmp(o.value, "\\0") == 0 ? 0
                                                    : (unsigned char)*o.value;
        break;
      case 'z':
        j.mark = 0;
        break;
      default:
        j.header |= options_is(&o, "header");
        if (options_is(&o, "nocheck-order")) j.checked = false;
        break;
    }
  }
  options_need(&o, 2);
  options_allow(&o, 2);
  side s[2];
  for (int i = 0; i < 2; i++) open_side(&j.b, &s[i], o.operands[i], j.mark);
  for (int i = 0; i < 2 && j.automatic; i++) {
    row first = peek_row(&j, &s[i]);
    j.auto_count[i] = s[i].have ? first.count : 0;
  }
  run_join(&j, s);
  return bin_end(&j.b);
}

const command command_comm = {
    .name = "comm",
    .main = comm_main,
    .usage = "comm [OPTION]... FILE1 FILE2",
    .options =
        "-1\tno lines of FILE1 alone\n-2\tno lines of FILE2 alone\n-3\tno lines of both\n"
        "--check-order\tfail when the files are not sorted\n"
        "--nocheck-order\tdo not look at the order\n"
        "--output-delimiter=STR\tbetween columns\n"
        "--total\tprint how many there were\n"
        "-z, --zero-terminated\tlines end with NUL"};
const command command_join = {
    .name = "join",
    .main = join_main,
    .usage = "join [OPTION]... FILE1 FILE2",
    .options =
        "-1 FIELD\tthe key of FILE1\n-2 FIELD\tthe key of FILE2\n-j FIELD\tthe key of both\n"
        "-a FILENUM\talso lines that pair with nothing\n"
        "-v FILENUM\tas -a, without the pairs\n"
        "-e STRING\tin place of empty fields\n"
        "-i, --ignore-case\tignore case in keys\n"
        "-o FORMAT\twhich fields: 0, 1.2, auto...\n"
        "-t CHAR\tfields end at CHAR\n"
        "--header\tthe first lines are headings\n"
        "--check-order\tas usual\n--nocheck-order\tdo not look at the order\n"
        "-z, --zero-terminated\tlines end with NUL"};
