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
  a->fields[a->field_count] = input_value(at, size);
}

static void drop_fields(awk *a) {
  for (size_t i = 1; i <= a->field_count; i++) value_drop(a->fields[i]);
  a->field_count = 0;
}

void field_set_record(awk *a, awk_string *record) {
  if (a->split) drop_fields(a);
  if (a->record != NULL) string_drop(a->record);
  a->record = record;
  a->split = false;
  a->whole = true;
}

void field_split(awk *a) {
  if (a->split) return;
  a->field_count = 0;
  a->split = true;
  int kind = a->fs_kind;
  if (a->rs_kind == 'p' && kind == 'c') { /* in paragraphs a newline always parts fields too */
    char both[8] = {'[', a->fs_byte, '\n', ']', 0};
    if (a->fs_byte == '\\' || a->fs_byte == '^' || a->fs_byte == ']')
      memcpy(both, (char[]){'\n', '|', '\\', a->fs_byte, 0}, 5);
    awk_string *text = string_new(both, strlen(both));
    split_text(a, a->record->at, a->record->size, 'r', 0, awk_regex(a, text), add_field, a);
    string_drop(text);
  } else {
    split_text(a, a->record->at, a->record->size, kind, a->fs_byte, a->fs_regex, add_field, a);
  }
  a->globals[V_NF].value = number_value((double)a->field_count);
  a->globals[V_NF].kind = SLOT_SCALAR;
}

awk_string *field_record(awk *a) {
  if (a->whole) return a->record;
  size_t size = 0, count = a->field_count;
  awk_string **parts = memory_take((count + 1) * sizeof *parts);
  for (size_t i = 1; i <= count; i++) {
    parts[i - 1] = value_string(&a->fields[i], a->convfmt);
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
  field_split(a);
  if (n > a->field_count) return (awk_value){.kind = VALUE_NONE};
  if (a->fields[n].kind == VALUE_INPUT && a->fields[n].looks == 0) value_is_numeric(&a->fields[n]);
  return value_copy(&a->fields[n]);
}

void field_set_count(awk *a, double number) {
  size_t count = field_number(a, number);
  field_split(a);
  while (a->field_count > count) value_drop(a->fields[a->field_count--]);
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
  value_drop(a->fields[n]);
  a->fields[n] = value;
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
