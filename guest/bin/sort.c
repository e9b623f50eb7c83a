// SPDX-License-Identifier: MIT
/* sort.c -- sort lines. The input is held in memory whole; each line has a record of 16 bytes:
 *
 *   | first 8 bytes of the first key, or its number, as an ordered integer | start | size |
 *
 * The records are put in order by that integer. Those with the same one are then told apart by the
 * lines' bytes, where nothing else counts (sort_bytes.h), or by merging. All of it is stable. */
#include "../text/bytes.h"
#include "options.h"
#include "sort_bytes.h"
#include "sort_key.h"

typedef struct {
  bin b;
  sort_key *keys;
  size_t key_count;
  sort_key global;
  int separator;
  bool unique, stable, zero, check, check_quietly;
  const char *output;
  bool exact; /* the prefixes say all of the first key */
  bool plain; /* whole lines by their bytes: the prefix is the line's own beginning */
  uint64_t salt;
  char *text;
  record *records;
  size_t count;
} sort;

static int compare_keys(const sort *s, const record *a, const record *b) {
  const char *x = s->text + a->start, *y = s->text + b->start;
  for (size_t i = s->exact ? 1 : 0; i < s->key_count; i++) {
    const char *p, *q;
    size_t m, n;
    sort_key_find(&s->keys[i], s->separator, x, a->size, &p, &m);
    sort_key_find(&s->keys[i], s->separator, y, b->size, &q, &n);
    int order = sort_key_compare(&s->keys[i], s->salt, p, m, q, n);
    if (order != 0) return order;
  }
  return 0;
}

/* Lines that no key tells apart go by their bytes. */
static int compare_slow(const sort *s, const record *a, const record *b) {
  int order = compare_keys(s, a, b);
  if (order != 0 || s->stable || s->unique) return order;
  size_t common = a->size < b->size ? a->size : b->size;
  order = common == 0 ? 0 : memcmp(s->text + a->start, s->text + b->start, common);
  if (order == 0) order = (a->size > b->size) - (a->size < b->size);
  return s->global.reverse ? -order : order;
}

/* Of records as they were read; sort_by_bytes spoils the prefixes. */
static int compare(const sort *s, const record *a, const record *b) {
  if (a->prefix != b->prefix) return a->prefix < b->prefix ? -1 : 1;
  return compare_slow(s, a, b);
}

static bool is_again(const sort *s, const record *a, const record *b) {
  if (!s->plain) return compare(s, a, b) == 0;
  return a->size == b->size &&
         (a->size == 0 || memcmp(s->text + a->start, s->text + b->start, a->size) == 0);
}

/* ---- records whose prefixes are the same ---- */

static void insertion_sort(const sort *s, record *at, size_t count) {
  for (size_t i = 1; i < count; i++) {
    record moved = at[i];
    size_t k = i;
    for (; k > 0 && compare_slow(s, &at[k - 1], &moved) > 0; k--) at[k] = at[k - 1];
    at[k] = moved;
  }
}

static void merge_sort(const sort *s, record *at, size_t count, record *spare) {
  if (count <= 12) {
    insertion_sort(s, at, count);
    return;
  }
  size_t half = count / 2, i = 0, k = half, n = 0;
  merge_sort(s, at, half, spare);
  merge_sort(s, at + half, count - half, spare);
  if (compare_slow(s, &at[half - 1], &at[half]) <= 0) return;
  memcpy(spare, at, half * sizeof *at);
  while (i < half && k < count)
    at[n++] = compare_slow(s, &spare[i], &at[k]) <= 0 ? spare[i++] : at[k++];
  memcpy(at + n, spare + i, (half - i) * sizeof *at);
}

static void sort_group(const sort *s, record *at, size_t count, record *spare) {
  bool keys_done = s->exact && s->key_count == 1;
  if (!keys_done)
    merge_sort(s, at, count, spare);
  else if (!s->stable && !s->unique)
    sort_by_bytes(at, count, spare, s->text, s->global.reverse);
}

static void sort_records(sort *s) {
  if (s->count < 2) return;
  record *at = s->records, *spare = memory_take(s->count * sizeof *spare);
  if (s->plain) {
    sort_by_bytes(at, s->count, spare, s->text, s->global.reverse);
  } else {
    sort_by_prefix(at, s->count, spare);
    for (size_t i = 0, end; i < s->count; i = end) {
      uint64_t prefix = at[i].prefix;
      for (end = i + 1; end < s->count && at[end].prefix == prefix; end++) continue;
      if (end - i > 1) sort_group(s, at + i, end - i, spare);
    }
  }
  free(spare);
}

static void add_lines(sort *s, size_t from, size_t end) {
  char mark = s->zero ? 0 : '\n';
  if (from == end) return;
  s->exact = true;
  /* Counted first: an array that grows leaves pages behind that it has written. */
  size_t lines = bytes_count(s->text + from, mark, end - from) + 1;
  s->records = memory_resize(s->records, (s->count + lines) * sizeof *s->records);
  for (size_t at = from; at < end;) {
    const char *found = bytes_chr(s->text + at, mark, end - at);
    size_t stop = found == NULL ? end : (size_t)(found - s->text);
    record *r = &s->records[s->count++];
    *r = (record){0, (uint32_t)at, (uint32_t)(stop - at)};
    at = stop + 1;
    if (s->plain && !s->check) continue; /* sort_by_bytes looks for itself */
    const char *key;
    size_t size;
    sort_key_find(&s->keys[0], s->separator, s->text + r->start, r->size, &key, &size);
    r->prefix = sort_key_prefix(&s->keys[0], key, size, &s->exact);
  }
}

static void read_files(sort *s, char **files, int count) {
  size_t size = 0, room = 0;
  for (int i = 0; i < count; i++) {
    input in;
    int error = input_open(&in, files[i]);
    if (error < 0) bin_die(&s->b, 2, "cannot read: %s: %s", files[i], error_text(error));
    file_stat stat;
    if (sys_fstat(in.fd, &stat) == 0 && stat.kind == FILE_DIRECTORY) {
      bin_die(&s->b, 2, "read failed: %s: %s", files[i], error_text(EISDIR));
    }
    for (;;) {
      if (room - size < 65536) {
        if (room > 1u << 31) bin_die(&s->b, 2, "memory exhausted");
        room = room * 2 + 131072;
        s->text = memory_resize(s->text, room);
      }
      int64_t got = sys_read(in.fd, s->text + size, room - size - 1);
      if (got < 0) bin_die(&s->b, 2, "read failed: %s: %s", files[i], error_text((int)got));
      if (got == 0) break;
      size += (size_t)got;
    }
    char mark = s->zero ? 0 : '\n';
    if (size > 0 && s->text[size - 1] != mark)
      s->text[size++] = mark; /* files do not run together */
    input_close(&in);
  }
  add_lines(s, 0, size);
}

static int check_order(sort *s, const char *file) {
  for (size_t i = 1; i < s->count; i++) {
    record *a = &s->records[i - 1], *b = &s->records[i];
    int order = compare(s, a, b);
    if (order < 0 || (order == 0 && !s->unique)) continue;
    if (!s->check_quietly) {
      bin_warn(&s->b, "%s:%zu: disorder: %.*s", file, i + 1, (int)b->size, s->text + b->start);
    }
    return 1;
  }
  return 0;
}

static void write_result(sort *s) {
  output file, *out = &s->b.out;
  if (s->output != NULL) {
    int fd = sys_open(s->output, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
    if (fd < 0) bin_die(&s->b, 2, "open failed: %s: %s", s->output, error_text(fd));
    output_open_fd(&file, fd);
    out = &file;
  }
  const record *before = NULL;
  for (size_t i = 0; i < s->count && out->error == 0; i++) {
    const record *r = &s->records[i];
    if (s->unique && before != NULL && is_again(s, before, r)) continue;
    output_write(out, s->text + r->start, r->size);
    output_byte(out, s->zero ? 0 : '\n');
    before = r;
  }
  output_flush(out);
  if (s->output != NULL && out->error != 0) {
    bin_die(&s->b, 2, "write failed: %s: %s", s->output, error_text(out->error));
  }
}

/* ---- the command line ---- */

static bool set_letter(sort_key *key, char c) {
  switch (c) {
    case 'b':
      key->start_blanks = key->end_blanks = true;
      break;
    case 'd':
      key->dictionary = true;
      break;
    case 'f':
      key->fold = true;
      break;
    case 'g':
      key->order = ORDER_GENERAL;
      break;
    case 'h':
      key->order = ORDER_HUMAN;
      break;
    case 'i':
      key->printable = true;
      break;
    case 'M':
      key->order = ORDER_MONTH;
      break;
    case 'n':
      key->order = ORDER_NUMBER;
      break;
    case 'R':
      key->order = ORDER_RANDOM;
      break;
    case 'r':
      key->reverse = true;
      break;
    case 'V':
      key->order = ORDER_VERSION;
      break;
    default:
      return false;
  }
  return true;
}

static size_t take_count(sort *s, const char **at, const char *spec, const char *what) {
  if (**at < '0' || **at > '9') {
    bin_die(&s->b, 2, "invalid number %s: invalid count at start of %s", what, quote_curly(*at));
  }
  size_t value = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) {
    if (value < SIZE_MAX / 20) value = value * 10 + (size_t)(**at - '0');
  }
  (void)spec;
  return value;
}

static void parse_key(sort *s, const char *spec) {
  sort_key key = {.end_field = SIZE_MAX};
  const char *at = spec;
  size_t field = take_count(s, &at, spec, "at field start");
  if (field == 0)
    bin_die(&s->b, 2, "field number is zero: invalid field specification %s", quote_curly(spec));
  key.start_field = field - 1;
  if (*at == '.') {
    at++;
    size_t byte = take_count(s, &at, spec, "after '.'");
    if (byte == 0)
      bin_die(&s->b, 2, "character offset is zero: invalid field specification %s",
              quote_curly(spec));
    key.start_byte = byte - 1;
  }
  for (; *at != 0 && *at != ','; at++) {
    bool blank = *at == 'b';
    if (!(blank ? (key.start_blanks = true) : set_letter(&key, *at))) {
      bin_die(&s->b, 2, "stray character in field spec: invalid field specification %s",
              quote_curly(spec));
    }
    key.own = true;
  }
  if (*at == ',') {
    at++;
    field = take_count(s, &at, spec, "after ','");
    if (field == 0)
      bin_die(&s->b, 2, "field number is zero: invalid field specification %s", quote_curly(spec));
    key.end_field = field - 1;
    if (*at == '.') {
      at++;
      key.end_byte = take_count(s, &at, spec, "after '.'");
    }
    for (; *at != 0; at++) {
      bool blank = *at == 'b';
      if (!(blank ? (key.end_blanks = true) : set_letter(&key, *at))) {
        bin_die(&s->b, 2, "stray character in field spec: invalid field specification %s",
                quote_curly(spec));
      }
      key.own = true;
    }
  }
  s->keys = memory_resize(s->keys, (s->key_count + 1) * sizeof *s->keys);
  s->keys[s->key_count++] = key;
}

/* Keys without letters take the global ones; without keys the line is one. */
static void finish_keys(sort *s) {
  const sort_key *all = &s->global;
  s->plain = s->key_count == 0 && all->order == ORDER_BYTES && !all->fold && !all->dictionary &&
             !all->printable && !all->start_blanks && !all->end_blanks;
  if (s->key_count == 0) {
    s->keys = memory_take(sizeof *s->keys);
    s->keys[s->key_count++] = (sort_key){.end_field = SIZE_MAX};
  }
  for (size_t i = 0; i < s->key_count; i++) {
    sort_key *key = &s->keys[i];
    if (key->own) continue;
    sort_key from = s->global;
    from.start_field = key->start_field, from.start_byte = key->start_byte;
    from.end_field = key->end_field, from.end_byte = key->end_byte;
    *key = from;
  }
}

static void set_separator(sort *s, const char *value) {
  if (*value == 0) bin_die(&s->b, 2, "empty tab");
  int separator = (unsigned char)*value;
  if (value[1] != 0) {
    if (strcmp(value, "\\0") != 0) bin_die(&s->b, 2, "multi-character tab %s", quote_curly(value));
    separator = 0;
  }
  if (s->separator >= 0 && s->separator != separator) bin_die(&s->b, 2, "incompatible tabs");
  s->separator = separator;
}

static void set_sort_word(sort *s, options *o) {
  static const struct {
    const char *word;
    char letter;
  } words[] = {{"general-numeric", 'g'}, {"human-numeric", 'h'}, {"month", 'M'},
               {"numeric", 'n'},         {"random", 'R'},        {"version", 'V'}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strncmp(words[i].word, o->value, strlen(o->value)) == 0) {
      set_letter(&s->global, words[i].letter);
      return;
    }
  }
  bin_usage(&s->b, "invalid argument %s for %s", quote_curly(o->value), quote_curly("--sort"));
}

static char **names_from(sort *s, const char *path, int *count) {
  input in;
  int error = input_open(&in, path);
  if (error < 0) bin_die(&s->b, 2, "cannot read: %s: %s", path, error_text(error));
  char *name, **names = memory_take(sizeof *names);
  size_t size;
  *count = 0;
  while (input_until(&in, 0, &name, &size, NULL)) {
    names = memory_resize(names, ((size_t)*count + 2) * sizeof *names);
    names[(*count)++] = memory_copy(name, size);
  }
  return names;
}

static int sort_main(int argc, char **argv, char **environment) {
  sort s = {.separator = -1, .global = {.end_field = SIZE_MAX}};
  options o;
  options_start(&o, &s.b, command_find("sort"), argc, argv, environment);
  s.b.usage_status = 2;
  const char *list = NULL;
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'k':
        parse_key(&s, o.value);
        break;
      case 't':
        set_separator(&s, o.value);
        break;
      case 'u':
        s.unique = true;
        break;
      case 's':
        s.stable = true;
        break;
      case 'z':
        s.zero = true;
        break;
      case 'o':
        s.output = o.value;
        break;
      case 'c':
        s.check = true;
        if (o.value != NULL && *o.value != 'd') s.check_quietly = true;
        break;
      case 'C':
        s.check = s.check_quietly = true;
        break;
      case 'm':
      case 'S':
      case 'T':
        break;
      case OPTION_LONG:
        if (options_is(&o, "sort")) set_sort_word(&s, &o);
        if (options_is(&o, "files0-from")) list = o.value;
        break;
      default:
        set_letter(&s.global, (char)key);
        break;
    }
  }
  finish_keys(&s);
  kernel_random(&s.salt, sizeof s.salt);
  char *standard[] = {"-", NULL};
  char **files = o.operand_count > 0 ? o.operands : standard;
  int count = o.operand_count > 0 ? o.operand_count : 1;
  if (list != NULL) files = names_from(&s, list, &count);
  if (s.check && count > 1)
    bin_usage(&s.b, "extra operand %s not allowed with -c", quote_curly(files[1]));
  read_files(&s, files, count);
  if (s.check) {
    int status = check_order(&s, files[0]);
    bin_end(&s.b);
    return status;
  }
  sort_records(&s);
  write_result(&s);
  return bin_end(&s.b);
}

const command command_sort = {
    .name = "sort",
    .main = sort_main,
    .usage = "sort [OPTION]... [FILE]...",
    .options =
        "-b, --ignore-leading-blanks\tskip blanks before a key\n"
        "-d, --dictionary-order\tcompare only blanks, letters and digits\n"
        "-f, --ignore-case\tcompare lower case as upper\n"
        "-g, --general-numeric-sort\tcompare as floating point numbers\n"
        "-i, --ignore-nonprinting\tcompare only printable characters\n"
        "-M, --month-sort\tcompare names of months\n"
        "-h, --human-numeric-sort\tcompare numbers like 2K and 1G\n"
        "-n, --numeric-sort\tcompare as decimal numbers\n"
        "-R, --random-sort\tin random order, equal keys together\n"
        "-r, --reverse\treverse the result\n"
        "--sort=WORD\tgeneral-numeric, human-numeric, month, numeric, random or version\n"
        "-V, --version-sort\tcompare version numbers within text\n"
        "-c, --check[=HOW]\tcheck the order; do not sort\n"
        "-C\tas -c, without a message\n"
        "--files0-from=F\tnames, each ended by NUL, are in file F\n"
        "-k, --key=KEYDEF\tsort by F[.C][OPTS][,F[.C][OPTS]]\n"
        "-m, --merge\tthe files are sorted already\n"
        "-o, --output=FILE\twrite to FILE, which may be one of the inputs\n"
        "-s, --stable\tleave equal keys in their order\n"
        "-S, --buffer-size=SIZE\tignored\n"
        "-t, --field-separator=SEP\tfields end at SEP\n"
        "-T, --temporary-directory=DIR\tignored\n"
        "--parallel=N\tignored\n"
        "-u, --unique\tof lines with equal keys keep the first\n"
        "-z, --zero-terminated\tlines end with NUL"};
