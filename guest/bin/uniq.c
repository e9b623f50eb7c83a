// SPDX-License-Identifier: MIT
// uniq.c -- report or leave out repeated lines.
#include "options.h"

typedef struct {
  bin b;
  bool count, repeated, unique, icase, zero;
  int all_repeated; /* 0 no, 'n'one, 'p'repend, 's'eparate */
  int group;        /* 0 no, 'p'repend, 'a'ppend, 's'eparate, 'b'oth */
  uint64_t skip_fields, skip_chars, width;
  bool first_group;
} uniq;

typedef struct {
  const char *at;
  size_t size;
} line;

static void key_of(const uniq *u, const char *text, size_t size, const char **key, size_t *length) {
  size_t at = 0;
  for (uint64_t i = 0; i < u->skip_fields && at < size; i++) {
    while (at < size && (text[at] == ' ' || text[at] == '\t')) at++;
    while (at < size && text[at] != ' ' && text[at] != '\t') at++;
  }
  at += u->skip_chars < size - at ? (size_t)u->skip_chars : size - at;
  *key = text + at;
  *length = size - at < u->width ? size - at : (size_t)u->width;
}

static int lower(char c) {
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static bool same(const uniq *u, const line *a, const line *b) {
  const char *x, *y;
  size_t m, n;
  key_of(u, a->at, a->size, &x, &m);
  key_of(u, b->at, b->size, &y, &n);
  if (m != n) return false;
  if (!u->icase) return m == 0 || memcmp(x, y, m) == 0;
  for (size_t i = 0; i < m; i++) {
    if (lower(x[i]) != lower(y[i])) return false;
  }
  return true;
}

/* As "%7llu ". */
static void show_count(output *out, uint64_t count) {
  char digits[24];
  size_t at = sizeof digits;
  digits[--at] = ' ';
  do digits[--at] = (char)('0' + count % 10);
  while ((count /= 10) != 0);
  while (at > sizeof digits - 8) digits[--at] = ' ';
  output_write(out, digits + at, sizeof digits - at);
}

static void show(uniq *u, output *out, const line *shown, uint64_t count) {
  if (u->count) show_count(out, count);
  output_write(out, shown->at, shown->size);
  output_byte(out, u->zero ? 0 : '\n');
}

/* A line of a group, the n-th (from 1), when groups are shown whole. */
static void show_grouped(uniq *u, output *out, const line *shown, uint64_t n) {
  int mark = u->zero ? 0 : '\n';
  if (n == 1) {
    bool blank =
        u->group == 'p' || u->group == 'b' || (u->group != 0 && u->group != 'a' && !u->first_group);
    if (u->group == 'b' && !u->first_group) blank = true;
    if (blank || (u->all_repeated == 'p') || (u->all_repeated == 's' && !u->first_group))
      output_byte(out, mark);
    u->first_group = false;
  }
  show(u, out, shown, n);
}

static void finish(uniq *u, output *out, const line *shown, uint64_t count) {
  if (count == 0) return;
  if (u->group != 0) {
    if (u->group == 'a') output_byte(out, u->zero ? 0 : '\n');
    return;
  }
  if (u->all_repeated != 0) return;
  if (count == 1 ? u->repeated : u->unique) return;
  show(u, out, shown, count);
}

static void run(uniq *u, input *in, output *out) {
  text kept = {0};
  line previous = {0}, current;
  uint64_t count = 0;
  char *at;
  while (input_until(in, u->zero ? 0 : '\n', &at, &current.size, NULL) && out->error == 0) {
    current.at = at;
    bool again = count > 0 && same(u, &previous, &current);
    if (!again) {
      finish(u, out, &previous, count);
      kept.len = 0;
      text_add(&kept, current.at, current.size);
      previous = (line){kept.at, kept.len};
      count = 0;
    }
    count++;
    if (u->group != 0) {
      show_grouped(u, out, &current, count);
    } else if (u->all_repeated != 0 && count > 1) {
      if (count == 2) show_grouped(u, out, &previous, 1);
      show(u, out, &current, count);
    }
  }
  finish(u, out, &previous, count);
  if (u->group == 'b' && count > 0) output_byte(out, u->zero ? 0 : '\n');
}

static int choose(options *o, const char *name, const char *const *words) {
  for (size_t i = 0; words[i] != NULL; i++) {
    if (strncmp(words[i], o->value, strlen(o->value)) == 0) return words[i][0];
  }
  bin_usage(o->bin, "invalid argument %s for %s", quote_curly(o->value), quote_curly(name));
}

static uint64_t number(options *o, const char *message) {
  uint64_t value = 0;
  if (number_parse(o->value, NULL, &value) == -EINVAL)
    bin_die(o->bin, 1, "%s: %s", o->value, message);
  return value;
}

static int uniq_main(int argc, char **argv, char **environment) {
  uniq u = {.width = UINT64_MAX, .first_group = true};
  options o;
  static const char *const repeats[] = {"none", "prepend", "separate", NULL};
  static const char *const groups[] = {"prepend", "append", "separate", "both", NULL};
  options_start(&o, &u.b, command_find("uniq"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'c':
        u.count = true;
        break;
      case 'd':
        u.repeated = true;
        break;
      case 'D':
        u.all_repeated = o.value != NULL ? choose(&o, "--all-repeated", repeats) : 'n';
        break;
      case 'u':
        u.unique = true;
        break;
      case 'i':
        u.icase = true;
        break;
      case 'z':
        u.zero = true;
        break;
      case 'f':
        u.skip_fields = number(&o, "invalid number of fields to skip");
        break;
      case 's':
        u.skip_chars = number(&o, "invalid number of bytes to skip");
        break;
      case 'w':
        u.width = number(&o, "invalid number of bytes to compare");
        break;
      default:
        u.group = o.value != NULL ? choose(&o, "--group", groups) : 's';
        break;
    }
  }
  options_allow(&o, 2);
  if (u.group != 0 && (u.count || u.repeated || u.unique || u.all_repeated != 0)) {
    bin_usage(&u.b, "--group is mutually exclusive with -c/-d/-D/-u");
  }
  if (u.all_repeated != 0 && u.count) {
    bin_usage(&u.b, "printing all duplicated lines and repeat counts is meaningless");
  }
  input in;
  if (!bin_open(&u.b, &in, o.operand_count > 0 ? o.operands[0] : "-")) return bin_end(&u.b);
  if (o.operand_count == 2 && strcmp(o.operands[1], "-") != 0) {
    int fd = sys_open(o.operands[1], OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
    if (fd < 0) bin_die(&u.b, 1, "%s: %s", o.operands[1], error_text(fd));
    output_open_fd(&u.b.out, fd);
  }
  run(&u, &in, &u.b.out);
  bin_check_read(&u.b, &in, o.operand_count > 0 ? o.operands[0] : "-");
  return bin_end(&u.b);
}

const command command_uniq = {.name = "uniq",
                              .main = uniq_main,
                              .usage = "uniq [OPTION]... [INPUT [OUTPUT]]",
                              .options =
                                  "-c, --count\tput the number of repeats before each line\n"
                                  "-d, --repeated\tprint only repeated lines, each once\n"
                                  "-D, --all-repeated[=METHOD]\tprint all repeated lines; METHOD "
                                  "is none, prepend or separate\n"
                                  "-f, --skip-fields=N\tdo not compare the first N fields\n"
                                  "--group[=METHOD]\tprint all, an empty line between groups\n"
                                  "-i, --ignore-case\tignore case\n"
                                  "-s, --skip-chars=N\tdo not compare the first N bytes\n"
                                  "-u, --unique\tprint only lines that are not repeated\n"
                                  "-w, --check-chars=N\tcompare no more than N bytes\n"
                                  "-z, --zero-terminated\tlines end with NUL"};
