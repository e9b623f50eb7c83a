// SPDX-License-Identifier: MIT
// awk_field.c -- $0 and its fields, cut only when one is asked for; and variables that steer it.
#include "../text/bytes.h"
#include "../text/unicode.h"
#include "awk.h"

regex *awk_regex(awk *a, awk_string *text) {
  uint32_t hash = 0;
  for (size_t i = 0; i < text->size; i++) hash = hash * 31 + (unsigned char)text->at[i];
  regex_entry *entry = &a->cache[hash % REGEX_CACHE];
  if (entry->text != NULL &&
      (entry->text == text ||
       (entry->text->size == text->size && memcmp(entry->text->at, text->at, text->size) == 0))) {
    return entry->re;
  }
  const char *error;
  awk_value *fold = &a->globals[V_IGNORECASE].value;
  regex *re =
      regex_compile(text->at, text->size, REGEX_AWK, value_true(fold) ? REGEX_ICASE : 0, &error);
  if (re == NULL) awk_die(a, "%s: /%s/", error, text->at);
  if (entry->text != NULL) {
    string_drop(entry->text);
    regex_free(entry->re);
  }
  entry->text = string_keep(text);
  entry->re = re;
  return re;
}

/* ---- splitting ---- */

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

size_t split_text(awk *a, const char *at, size_t size, int kind, char byte, regex *re,
                  void (*found)(void *context, const char *at, size_t size), void *context) {
  const char *end = at + size, *begin = at;
  size_t count = 0;
  (void)a;
  if (size == 0) return 0;
  switch (kind) {
    case ' ':
      for (;;) {
        while (at < end && is_blank(*at)) at++;
        if (at == end) return count;
        begin = at;
        while (at < end && !is_blank(*at)) at++;
        found(context, begin, (size_t)(at - begin));
        count++;
      }
    case 'c':
      for (;;) {
        const char *stop = bytes_chr(at, byte, (size_t)(end - at));
        if (stop == NULL) stop = end;
        found(context, at, (size_t)(stop - at));
        count++;
        if (stop == end) return count;
        at = stop + 1;
      }
    case 'e':
      while (at < end) {
        size_t step = utf8_step(at, (size_t)(end - at));
        found(context, at, step);
        at += step;
        count++;
      }
      return count;
    default:
      break;
  }
  size_t from = 0, start = 0;
  regex_span span;
  while (from <= size && regex_search(re, begin, size, from, 0, &span, 1) == 1) {
    if (span.start == span.end) { /* nothing parts nothing */
      from = (size_t)span.end + 1;
      continue;
    }
    found(context, begin + start, (size_t)span.start - start);
    count++;
    start = from = (size_t)span.end;
  }
  found(context, begin + start, size - start);
  return count + 1;
}

static void add_field(void *context, const char *at, size_t size) {
  awk *a = context;
  if (++a->field_count >= a->field_room) {
    a->field_room = a->field_room * 2 + 32;
    a->fields = memory_resize(a->fields, a->field_room * sizeof *a->fields);
  }
  awk_field *f = &a->fields[a->field_count];
  f->at = at;
  f->size = size;
  f->made = false;
}

static void drop_field(awk_field *f) {
  if (f->made) value_drop(f->value);
  f->made = false;
}

static void drop_fields(awk *a) {
  for (size_t i = 1; a->any_made && i <= a->field_count; i++) drop_field(&a->fields[i]);
  a->field_count = 0;
  a->any_made = false;
  if (a->cut != NULL) string_drop(a->cut);
  a->cut = NULL;
}

/* A string for a record has room for this many bytes at least, so that it can
 * be used again. */
#define SMALL_RECORD 120u

/* The record before is mostly nobody's any more, and its memory is large
 * enough. */
awk_string *record_new(awk *a, const char *at, size_t size) {
  awk_string *s = a->spare;
  a->spare = NULL;
  if (s != NULL && s->room < size) {
    string_drop(s);
    s = NULL;
  }
  if (s == NULL) s = string_room(size < SMALL_RECORD ? SMALL_RECORD : size + size / 2);
  memcpy(s->at, at, size);
  s->at[size] = 0;
  s->size = size;
  s->plain = 0;
  return s;
}

void field_set_record(awk *a, awk_string *record) {
  drop_fields(a);
  if (a->record != NULL && a->record->count == 1 && a->spare == NULL)
    a->spare = a->record;
  else if (a->record != NULL)
    string_drop(a->record);
  a->record = record;
  a->split = false;
  a->whole = true;
}

static void begin_cut(awk *a) {
  if (a->cut != NULL) return;
  a->cut = string_keep(a->record);
  a->cut_to = 0;
}

static void end_cut(awk *a) {
  a->split = true;
  a->globals[V_NF].value = number_value((double)a->field_count);
  a->globals[V_NF].kind = SLOT_SCALAR;
}

/* Cuts until there are so many fields, or no more. */
static void cut_at_blanks(awk *a, size_t wanted) {
  const char *base = a->cut->at, *end = base + a->cut->size, *at = base + a->cut_to;
  while (a->field_count < wanted) {
    while (at < end && is_blank(*at)) at++;
    if (at == end) {
      end_cut(a);
      return;
    }
    const char *begin = at;
    while (at < end && !is_blank(*at)) at++;
    add_field(a, begin, (size_t)(at - begin));
  }
  a->cut_to = (size_t)(at - base);
}

/* The same at each `byte`. cut_to is one more than the size behind the last
 * field. */
static void cut_at_byte(awk *a, size_t wanted, char byte) {
  const char *base = a->cut->at;
  size_t size = a->cut->size;
  while (a->field_count < wanted) {
    if (a->cut_to > size || size == 0) {
      end_cut(a);
      return;
    }
    const char *begin = base + a->cut_to, *stop = bytes_chr(begin, byte, size - a->cut_to);
    size_t length = stop != NULL ? (size_t)(stop - begin) : size - a->cut_to;
    add_field(a, begin, length);
    a->cut_to += length + 1;
  }
}

static bool cuts_simply(const awk *a) {
  return a->fs_kind == ' ' || (a->fs_kind == 'c' && a->rs_kind != 'p');
}

static void cut_simply(awk *a, size_t wanted) {
  begin_cut(a);
  if (a->fs_kind == ' ')
    cut_at_blanks(a, wanted);
  else
    cut_at_byte(a, wanted, a->fs_byte);
}

/* Cuts at least so many fields, where there are so many. */
static void cut_fields(awk *a, size_t wanted) {
  if (a->split || a->field_count >= wanted) return;
  if (cuts_simply(a)) {
    cut_simply(a, wanted);
    return;
  }
  begin_cut(a);
  a->field_count = 0;
  if (a->rs_kind == 'p' && a->fs_kind == 'c') { /* a newline always parts fields too */
    char both[8] = {'[', a->fs_byte, '\n', ']', 0};
    if (a->fs_byte == '\\' || a->fs_byte == '^' || a->fs_byte == ']')
      memcpy(both, (char[]){'\n', '|', '\\', a->fs_byte, 0}, 5);
    awk_string *text = string_new(both, strlen(both));
    split_text(a, a->cut->at, a->cut->size, 'r', 0, awk_regex(a, text), add_field, a);
    string_drop(text);
  } else {
    split_text(a, a->cut->at, a->cut->size, a->fs_kind, a->fs_byte, a->fs_regex, add_field, a);
  }
  end_cut(a);
}

void field_split(awk *a) {
  cut_fields(a, SIZE_MAX);
}

/* The value of a field that was cut. */
static awk_value *make_field(awk *a, size_t n) {
  awk_field *f = &a->fields[n];
  if (!f->made) {
    f->value = input_value(f->at, f->size);
    f->made = a->any_made = true;
  }
  return &f->value;
}

awk_string *field_record(awk *a) {
  if (a->whole) return a->record;
  size_t size = 0, count = a->field_count;
  awk_string **parts = memory_take((count + 1) * sizeof *parts);
  for (size_t i = 1; i <= count; i++) {
    parts[i - 1] = value_string(make_field(a, i), a->convfmt);
    size += parts[i - 1]->size + (i > 1 ? a->ofs->size : 0);
  }
  awk_string *record = string_room(size);
  char *to = record->at;
  for (size_t i = 0; i < count; i++) {
    if (i > 0) {
      memcpy(to, a->ofs->at, a->ofs->size);
      to += a->ofs->size;
    }
    memcpy(to, parts[i]->at, parts[i]->size);
    to += parts[i]->size;
    string_drop(parts[i]);
  }
  free(parts);
  string_drop(a->record);
  a->record = record;
  a->whole = true;
  return record;
}

static size_t field_number(awk *a, double number) {
  if (!(number >= 0)) awk_die(a, "attempt to access field %.0f", number);
  if (number > 1e7) awk_die(a, "field number %.0f is too large", number);
  return (size_t)number;
}

awk_value field_get(awk *a, double number) {
  size_t n = field_number(a, number);
  if (n == 0) return (awk_value){.kind = VALUE_INPUT, .string = string_keep(field_record(a))};
  cut_fields(a, n);
  if (n > a->field_count) return (awk_value){.kind = VALUE_NONE};
  awk_value *value = make_field(a, n);
  if (value->kind == VALUE_INPUT && value->looks == 0) value_is_numeric(value);
  return value_copy(value);
}

static double number_of(awk_field *f) {
  return f->made ? value_number(&f->value) : text_number(f->at, f->at + f->size, NULL);
}

double field_get_number(awk *a, double number) {
  size_t n = field_number(a, number);
  if (n == 0) {
    awk_string *record = field_record(a);
    return text_number(record->at, record->at + record->size, NULL);
  }
  cut_fields(a, n);
  return n > a->field_count ? 0 : number_of(&a->fields[n]);
}

/* Cuts, as field_number_here says. */
static bool cut_here(awk *a, double number) {
  if (!(number >= 1 && number <= 1e7)) return false;
  if (a->split || a->field_count >= (size_t)number) return true;
  if (!cuts_simply(a)) return false;
  cut_simply(a, (size_t)number);
  return true;
}

bool field_number_here(awk *a, double number, double *value) {
  if (!cut_here(a, number)) return false;
  size_t n = (size_t)number;
  *value = n > a->field_count ? 0 : number_of(&a->fields[n]);
  return true;
}

bool field_bytes_here(awk *a, double number, const char **at, size_t *size) {
  if (!cut_here(a, number)) return false;
  size_t n = (size_t)number;
  *at = "";
  *size = 0;
  if (n > a->field_count) return true;
  awk_field *f = &a->fields[n];
  if (f->made && f->value.string == NULL) return false;
  *at = f->made ? f->value.string->at : f->at;
  *size = f->made ? f->value.string->size : f->size;
  return true;
}

void field_set_count(awk *a, double number) {
  size_t count = field_number(a, number);
  field_split(a);
  while (a->field_count > count) drop_field(&a->fields[a->field_count--]);
  while (a->field_count < count) add_field(a, "", 0);
  a->globals[V_NF].value = number_value((double)count);
  a->whole = false;
}

void field_set(awk *a, double number, awk_value value) {
  size_t n = field_number(a, number);
  if (n == 0) {
    awk_string *record = value_string(&value, a->convfmt);
    value_drop(value);
    field_set_record(a, record);
    return;
  }
  field_split(a);
  if (n > a->field_count) field_set_count(a, (double)n);
  awk_field *f = &a->fields[n];
  drop_field(f);
  f->value = value;
  f->made = a->any_made = true;
  a->whole = false;
}

/* ---- variables that steer ---- */

static void set_text(awk *a, awk_string **to, size_t slot) {
  awk_string *s = value_string(&a->globals[slot].value, a->convfmt);
  if (*to != NULL) string_drop(*to);
  *to = s;
}

static void set_fs(awk *a) {
  awk_string *fs = value_string(&a->globals[V_FS].value, a->convfmt);
  if (!a->split && a->record != NULL) field_split(a); /* the record read before keeps the old one */
  if (fs->size == 0) {
    a->fs_kind = 'e';
  } else if (fs->size == 1 && fs->at[0] == ' ') {
    a->fs_kind = ' ';
  } else if (fs->size == 1 && fs->at[0] != '\\') {
    a->fs_kind = 'c';
    a->fs_byte = fs->at[0];
    if (value_true(&a->globals[V_IGNORECASE].value) && (fs->at[0] | 32) >= 'a' &&
        (fs->at[0] | 32) <= 'z') {
      a->fs_kind = 'r';
      a->fs_regex = awk_regex(a, fs);
    }
  } else {
    const char *error;
    a->fs_kind = 'r';
    a->fs_regex =
        regex_compile(fs->at, fs->size, REGEX_AWK,
                      value_true(&a->globals[V_IGNORECASE].value) ? REGEX_ICASE : 0, &error);
    if (a->fs_regex == NULL) awk_die(a, "%s: /%s/", error, fs->at);
  }
  string_drop(fs);
}

static void set_rs(awk *a) {
  awk_string *rs = value_string(&a->globals[V_RS].value, a->convfmt);
  const char *error;
  if (!a->split && a->record != NULL) field_split(a); /* as with FS */
  if (rs->size == 0) {
    a->rs_kind = 'p';
  } else if (rs->size == 1) {
    a->rs_kind = 'c';
    a->rs_byte = rs->at[0];
  } else {
    a->rs_kind = 'r';
    a->rs_regex = regex_compile(rs->at, rs->size, REGEX_AWK, 0, &error);
    if (a->rs_regex == NULL) awk_die(a, "%s: /%s/", error, rs->at);
  }
  string_drop(rs);
}

void special_changed(awk *a, size_t slot) {
  awk_value *value = &a->globals[slot].value;
  switch (slot) {
    case V_NF:
      field_set_count(a, value_number(value));
      return;
    case V_NR:
      a->nr = value_number(value);
      return;
    case V_FNR:
      a->fnr = value_number(value);
      return;
    case V_FS:
      set_fs(a);
      return;
    case V_RS:
      set_rs(a);
      return;
    case V_OFS:
      set_text(a, &a->ofs, slot);
      return;
    case V_ORS:
      set_text(a, &a->ors, slot);
      return;
    case V_SUBSEP:
      set_text(a, &a->subsep, slot);
      return;
    case V_CONVFMT:
    case V_OFMT: {
      awk_string *format = value_string(value, "%.6g");
      *(slot == V_CONVFMT ? &a->convfmt : &a->ofmt) = memory_string(format->at);
      string_drop(format);
      return;
    }
    case V_IGNORECASE:
      for (size_t i = 0; i < REGEX_CACHE; i++) {
        if (a->cache[i].text != NULL) string_drop(a->cache[i].text);
        a->cache[i].text = NULL;
      }
      return;
    default:
      return;
  }
}
