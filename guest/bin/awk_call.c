// SPDX-License-Identifier: MIT
// awk_call.c -- awk's built-in functions.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "../text/bytes.h"
#include "../text/unicode.h"
#include "awk.h"

/* ---- characters ---- */

static size_t char_count(awk_string *s) {
  return string_is_plain(s) ? s->size : utf8_count(s->at, s->size);
}

/* The byte where character `n` (from 0) begins, the size when there are fewer. */
static size_t char_offset(awk_string *s, size_t n) {
  if (string_is_plain(s)) return n < s->size ? n : s->size;
  size_t at = 0;
  while (n > 0 && at < s->size) {
    at += utf8_step(s->at + at, s->size - at);
    n--;
  }
  return at;
}

static awk_value call_length(awk *a, awk_node *n) {
  if (n->count == 0) return number_value((double)char_count(field_record(a)));
  awk_node *argument = n->list[0];
  if (argument->op == N_GLOBAL || argument->op == N_LOCAL) {
    awk_slot *slot = awk_slot_of(a, argument);
    if (slot->kind == SLOT_ARRAY) return number_value((double)slot->array->count);
  }
  awk_string *s = awk_eval_string(a, argument);
  double count = (double)char_count(s);
  string_drop(s);
  return number_value(count);
}

static awk_value call_substr(awk *a, awk_node *n) {
  awk_string *s = awk_eval_string(a, n->list[0]);
  double from = trunc(awk_eval_number(a, n->list[1]));
  double length = n->count > 2 ? trunc(awk_eval_number(a, n->list[2])) : INFINITY;
  double count = (double)char_count(s);
  if (from < 1) from = 1; /* gawk's way: the length stays */
  double end = from + length;
  if (end > count + 1) end = count + 1;
  if (!(end > from)) {
    string_drop(s);
    return string_value(string_new("", 0));
  }
  size_t begin = char_offset(s, (size_t)from - 1), stop = char_offset(s, (size_t)end - 1);
  awk_string *part = string_new(s->at + begin, stop - begin);
  string_drop(s);
  return string_value(part);
}

static awk_value call_index(awk *a, awk_node *n) {
  awk_string *s = awk_eval_string(a, n->list[0]), *t = awk_eval_string(a, n->list[1]);
  const char *found = bytes_find(s->at, s->size, t->at, t->size);
  size_t at = found == NULL ? 0 : (size_t)(found - s->at) + 1;
  if (at > 1 && !string_is_plain(s)) at = utf8_count(s->at, at - 1) + 1;
  string_drop(s);
  string_drop(t);
  return number_value((double)at);
}

static awk_value call_case(awk *a, awk_node *n, bool upper) {
  awk_string *s = awk_eval_string(a, n->list[0]);
  text out = {0};
  for (size_t i = 0; i < s->size;) {
    uint32_t c;
    size_t length = utf8_decode(s->at + i, s->size - i, &c);
    if (length == 0) {
      text_char(&out, s->at[i++]);
      continue;
    }
    char bytes[4];
    text_add(&out, bytes, utf8_encode(upper ? unicode_upper(c) : unicode_lower(c), bytes));
    i += length;
  }
  awk_string *made = string_new(out.at, out.len);
  text_free(&out);
  string_drop(s);
  return string_value(made);
}

/* ---- split ---- */

typedef struct {
  awk_array *array, *separators;
  const char *end; /* of the piece before */
  size_t count;
} splitting;

static awk_string *number_key(size_t n) {
  char digits[24];
  return string_new(digits, number_format((int64_t)n, digits));
}

static void add_piece(void *context, const char *at, size_t size) {
  splitting *s = context;
  if (s->separators != NULL && s->count > 0) {
    awk_string *key = number_key(s->count);
    *array_at(s->separators, key) = string_value(string_new(s->end, (size_t)(at - s->end)));
    string_drop(key);
  }
  awk_string *key = number_key(++s->count);
  *array_at(s->array, key) = input_value(at, size);
  string_drop(key);
  s->end = at + size;
}

static awk_value call_split(awk *a, awk_node *n) {
  awk_string *s = awk_eval_string(a, n->list[0]);
  splitting into = {.array = awk_array_of(a, n->list[1])};
  int kind = a->fs_kind;
  char byte = a->fs_byte;
  regex *re = a->fs_regex;
  if (n->count > 2 && n->list[2]->op == N_REGEX) {
    kind = 'r';
    re = awk_eval_regex(a, n->list[2]);
  } else if (n->count > 2) {
    awk_string *separator = awk_eval_string(a, n->list[2]);
    kind = separator->size == 0                              ? 'e'
           : separator->size > 1 || separator->at[0] == '\\' ? 'r'
           : separator->at[0] == ' '                         ? ' '
                                                             : 'c';
    byte = separator->at[0];
    if (kind == 'r') re = awk_regex(a, separator);
    string_drop(separator);
  }
  array_clear(into.array);
  if (n->count > 3) {
    into.separators = awk_array_of(a, n->list[3]);
    array_clear(into.separators);
  }
  size_t count = split_text(a, s->at, s->size, kind, byte, re, add_piece, &into);
  string_drop(s);
  return number_value((double)count);
}

/* ---- sub, gsub, gensub, match ---- */

/* & is the match, \\& an ampersand; gensub also knows \\0 to \\9. */
static void put_replacement(text *out, const awk_string *with, const char *from,
                            const regex_span *spans, size_t groups, bool gensub) {
  for (size_t i = 0; i < with->size; i++) {
    char c = with->at[i], next = i + 1 < with->size ? with->at[i + 1] : 0;
    if (c == '\\' && gensub && next >= '0' && next <= '9') {
      size_t group = (size_t)(next - '0');
      if (group <= groups && spans[group].start >= 0)
        text_add(out, from + spans[group].start, (size_t)(spans[group].end - spans[group].start));
      i++;
    } else if (c == '\\' && (next == '&' || next == '\\')) {
      /* "\\\\&" in the program is \\& here: a backslash, then the match. */
      bool before_match = next == '\\' && i + 2 < with->size && with->at[i + 2] == '&';
      if (next == '&')
        text_char(out, '&');
      else
        text_string(out, before_match || gensub ? "\\" : "\\\\");
      i++;
    } else if (c == '&') {
      text_add(out, from + spans[0].start, (size_t)(spans[0].end - spans[0].start));
    } else {
      text_char(out, c);
    }
  }
}

/* Replaces match number `which` (0: all) of re in s. Returns how many; *result is new when there
 * are. */
static size_t replace(regex *re, awk_string *s, const awk_string *with, size_t which, bool gensub,
                      awk_string **result) {
  text out = {0};
  regex_span spans[10];
  size_t at = 0, copied = 0, count = 0, done = 0, groups = gensub ? regex_groups(re) : 0;
  ptrdiff_t before = -1;
  if (groups > 9) groups = 9;
  while (at <= s->size && regex_search(re, s->at, s->size, at, 0, spans, groups + 1) == 1) {
    bool empty = spans[0].start == spans[0].end;
    if (!(empty && spans[0].start == before)) {
      count++;
      if (which == 0 || count == which) {
        text_add(&out, s->at + copied, (size_t)spans[0].start - copied);
        put_replacement(&out, with, s->at, spans, groups, gensub);
        copied = (size_t)spans[0].end;
        done++;
        if (which != 0) break;
      }
    }
    before = spans[0].end;
    at = (size_t)spans[0].end;
    if (empty) at += at < s->size ? utf8_step(s->at + at, s->size - at) : 1;
  }
  if (done > 0) {
    text_add(&out, s->at + copied, s->size - copied);
    *result = string_new(out.at, out.len);
  }
  text_free(&out);
  return done;
}

static awk_value call_sub(awk *a, awk_node *n, bool all) {
  regex *re = awk_eval_regex(a, n->list[0]);
  awk_string *with = awk_eval_string(a, n->list[1]), *result;
  awk_node record = {.op = N_FIELD, .a = &(awk_node){.op = N_NUMBER}};
  awk_node *target = n->count > 2 ? n->list[2] : &record;
  while (target->op == N_GROUP && target->count == 0) target = target->a;
  awk_string *s = awk_eval_string(a, target);
  /* The pattern may have left the cache while the others were evaluated. */
  if (n->list[0]->op != N_REGEX) re = awk_eval_regex(a, n->list[0]);
  size_t count = replace(re, s, with, all ? 0 : 1, false, &result);
  if (count > 0) {
    bool assignable = target->op == N_GLOBAL || target->op == N_LOCAL || target->op == N_FIELD ||
                      target->op == N_INDEX;
    if (assignable)
      awk_assign(a, target, string_value(result));
    else
      string_drop(result);
  }
  string_drop(s);
  string_drop(with);
  return number_value((double)count);
}

static awk_value call_gensub(awk *a, awk_node *n) {
  awk_string *with = awk_eval_string(a, n->list[1]), *how = awk_eval_string(a, n->list[2]), *result;
  awk_string *s = n->count > 3 ? awk_eval_string(a, n->list[3]) : string_keep(field_record(a));
  double number = text_number(how->at, how->at + how->size, NULL);
  size_t which = how->size > 0 && (how->at[0] == 'g' || how->at[0] == 'G') ? 0
                 : number < 1                                              ? 1
                                                                           : (size_t)number;
  if (replace(awk_eval_regex(a, n->list[0]), s, with, which, true, &result) > 0) {
    string_drop(s);
    s = result;
  }
  string_drop(with);
  string_drop(how);
  return string_value(s);
}

static void set_number(awk *a, size_t slot, double number) {
  value_drop(a->globals[slot].value);
  a->globals[slot].kind = SLOT_SCALAR;
  a->globals[slot].value = number_value(number);
}

static size_t char_position(awk_string *s, ptrdiff_t byte) {
  return string_is_plain(s) ? (size_t)byte : utf8_count(s->at, (size_t)byte);
}

static void put_group(awk_array *to, awk_string *s, const regex_span *span, size_t group) {
  static const char *const names[] = {"start", "length"};
  awk_string *key = number_key(group);
  awk_value *at = array_at(to, key);
  value_drop(*at);
  *at = input_value(s->at + span->start, (size_t)(span->end - span->start));
  size_t start = char_position(s, span->start);
  for (int i = 0; i < 2; i++) {
    text name = {0};
    text_format(&name, "%s\034%s", key->at, names[i]);
    awk_string *inner = string_new(name.at, name.len);
    *array_at(to, inner) =
        number_value(i == 0 ? (double)start + 1 : (double)(char_position(s, span->end) - start));
    string_drop(inner);
    text_free(&name);
  }
  string_drop(key);
}

static awk_value call_match(awk *a, awk_node *n) {
  awk_string *s = awk_eval_string(a, n->list[0]);
  regex *re = awk_eval_regex(a, n->list[1]);
  size_t count = n->count > 2 ? regex_groups(re) + 1 : 1;
  regex_span *spans = memory_take(count * sizeof *spans);
  bool found = regex_search(re, s->at, s->size, 0, 0, spans, count) == 1;
  double start = found ? (double)char_position(s, spans[0].start) + 1 : 0;
  set_number(a, V_RSTART, start);
  set_number(
      a, V_RLENGTH,
      found ? (double)(char_position(s, spans[0].end) - char_position(s, spans[0].start)) : -1);
  if (n->count > 2) {
    awk_array *to = awk_array_of(a, n->list[2]);
    array_clear(to);
    for (size_t i = 0; found && i < count; i++) {
      if (spans[i].start >= 0) put_group(to, s, &spans[i], i);
    }
  }
  free(spans);
  string_drop(s);
  return number_value(start);
}

/* ---- printf ---- */

typedef struct {
  awk *a;
  awk_node **list;
  size_t count, next;
} arguments;

static awk_value take(arguments *from) {
  if (from->next >= from->count) awk_die(from->a, "not enough arguments to satisfy format string");
  return awk_eval(from->a, from->list[from->next++]);
}

static void put_padded(text *out, const char *at, size_t size, size_t columns, int width,
                       bool left) {
  size_t blanks = width > 0 && columns < (size_t)width ? (size_t)width - columns : 0;
  if (!left) text_pad(out, ' ', blanks);
  text_add(out, at, size);
  if (left) text_pad(out, ' ', blanks);
}

static void put_string(text *out, awk_string *s, int width, int precision, bool left) {
  size_t count = char_count(s);
  if (precision >= 0 && (size_t)precision < count) count = (size_t)precision;
  put_padded(out, s->at, char_offset(s, count), count, width, left);
}

static void put_char(text *out, awk_value *v, int width, bool left) {
  char bytes[5];
  size_t size = 0;
  if (value_is_numeric(v) && v->kind != VALUE_INPUT) {
    double number = value_number(v);
    if (number >= 0 && number <= UNICODE_LAST) size = utf8_encode((uint32_t)number, bytes);
  } else {
    awk_string *s = value_string(v, "%.6g");
    size = utf8_step(s->at, s->size);
    memcpy(bytes, s->at, size);
    string_drop(s);
  }
  if (size == 0) bytes[size++] = 0; /* %c of nothing is a NUL */
  put_padded(out, bytes, size, 1, width, left);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_formatted(text *out, const char *format, ...) {
  char small[128];
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int size = vsnprintf(small, sizeof small, format, list);
  va_end(list);
  if (size >= 0 && (size_t)size < sizeof small) {
    text_add(out, small, (size_t)size);
  } else if (size > 0) {
    text_reserve(out, (size_t)size + 1);
    vsnprintf(out->at + out->len, (size_t)size + 1, format, again);
    out->len += (size_t)size;
  }
  va_end(again);
}

static void put_number(text *out, char kind, const char *flags, int width, int precision,
                       double number) {
  char format[64];
  bool whole = strchr("dioxXuc", kind) != NULL;
  if (whole && number != number) number = 0;
  if (whole && fabs(number) >= 9.2e18) { /* beyond 64 bits: as many digits as it has */
    snprintf(format, sizeof format, "%%%s*.0f", flags);
    put_formatted(out, format, width, number < 0 ? ceil(number) : floor(number));
    return;
  }
  if (whole) {
    if (kind != 'd' && kind != 'i' && number < 0) { /* gawk shows a negative one as it is */
      snprintf(format, sizeof format, "%%%s*.0f", flags);
      put_formatted(out, format, width, ceil(number));
      return;
    }
    const char *letter = kind == 'i' ? "d" : (char[]){kind, 0};
    if (precision >= 0)
      snprintf(format, sizeof format, "%%%s*.*ll%s", flags, letter);
    else
      snprintf(format, sizeof format, "%%%s*ll%s", flags, letter);
    if (precision >= 0)
      put_formatted(out, format, width, precision, (long long)number);
    else
      put_formatted(out, format, width, (long long)number);
    return;
  }
  if (precision >= 0)
    snprintf(format, sizeof format, "%%%s*.*%c", flags, kind);
  else
    snprintf(format, sizeof format, "%%%s*%c", flags, kind);
  if (precision >= 0)
    put_formatted(out, format, width, precision, number);
  else
    put_formatted(out, format, width, number);
}

static int take_count(const char **at, const char *end, arguments *from) {
  int value = 0;
  if (*at < end && **at == '*') {
    ++*at;
    awk_value v = take(from);
    double number = value_number(&v);
    value_drop(v);
    return number > 1e6 ? 1000000 : number < -1e6 ? -1000000 : (int)number;
  }
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
    value = value > 1000000 ? value : value * 10 + (**at - '0');
  return value;
}

awk_string *awk_format(awk *a, awk_node **list, size_t count) {
  awk_string *format = awk_eval_string(a, list[0]);
  arguments from = {a, list, count, 1};
  text out = {0};
  const char *at = format->at, *end = at + format->size;
  while (at < end) {
    const char *percent = bytes_chr(at, '%', (size_t)(end - at));
    if (percent == NULL) percent = end;
    text_add(&out, at, (size_t)(percent - at));
    if (percent == end) break;
    const char *begin = percent;
    at = percent + 1;
    char flags[8] = {0};
    size_t flag_count = 0;
    for (; at < end && strchr("-+ #0'", *at) != NULL && *at != 0; at++) {
      if (flag_count < 6 && *at != '\'') flags[flag_count++] = *at;
    }
    int width = take_count(&at, end, &from), precision = -1;
    if (at < end && *at == '.') {
      at++;
      precision = take_count(&at, end, &from);
    }
    while (at < end && (*at == 'l' || *at == 'h' || *at == 'L' || *at == 'q')) at++;
    if (at < end && *at == '%') {
      text_char(&out, '%');
      at++;
      continue;
    }
    if (at >= end || *at == 0 || strchr("diouxXeEfFgGaAcs", *at) == NULL) {
      if (at < end) at++;
      text_add(&out, begin, (size_t)(at - begin));
      continue;
    }
    bool left = strchr(flags, '-') != NULL;
    if (width < 0) {
      left = true;
      width = -width;
      if (flag_count < 7) flags[flag_count] = '-';
    }
    awk_value v = take(&from);
    if (*at == 's') {
      awk_string *s = value_string(&v, a->convfmt);
      put_string(&out, s, width, precision, left);
      string_drop(s);
    } else if (*at == 'c') {
      put_char(&out, &v, width, left);
    } else {
      put_number(&out, *at, flags, width, precision, value_number(&v));
    }
    value_drop(v);
    at++;
  }
  string_drop(format);
  awk_string *made = string_new(out.at, out.len);
  text_free(&out);
  return made;
}

/* ---- sorting ---- */

enum {
  SORT_NONE,
  SORT_KEY_STRING,
  SORT_KEY_NUMBER,
  SORT_VALUE_TYPE,
  SORT_VALUE_STRING,
  SORT_VALUE_NUMBER,
  SORT_DOWN = 16
};

static int mode_named(const char *name) {
  static const struct {
    const char *name;
    int mode;
  } known[] = {{"@ind_str_asc", SORT_KEY_STRING},
               {"@ind_num_asc", SORT_KEY_NUMBER},
               {"@val_type_asc", SORT_VALUE_TYPE},
               {"@val_str_asc", SORT_VALUE_STRING},
               {"@val_num_asc", SORT_VALUE_NUMBER},
               {"@ind_str_desc", SORT_KEY_STRING | SORT_DOWN},
               {"@ind_num_desc", SORT_KEY_NUMBER | SORT_DOWN},
               {"@val_type_desc", SORT_VALUE_TYPE | SORT_DOWN},
               {"@val_str_desc", SORT_VALUE_STRING | SORT_DOWN},
               {"@val_num_desc", SORT_VALUE_NUMBER | SORT_DOWN}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp(known[i].name, name) == 0) return known[i].mode;
  }
  return SORT_NONE;
}

int awk_sort_mode(awk *a, const char **function) {
  *function = NULL;
  if (a->globals[V_PROCINFO].kind != SLOT_ARRAY) return SORT_NONE;
  awk_string *key = string_new("sorted_in", 9);
  awk_item *item = array_find(a->globals[V_PROCINFO].array, key);
  string_drop(key);
  if (item == NULL || item->value.string == NULL) return SORT_NONE;
  int mode = mode_named(item->value.string->at);
  if (mode == SORT_NONE && item->value.string->at[0] != '@')
    awk_die(a, "sorting by a function of one's own (`%s') is not supported",
            item->value.string->at);
  return mode;
}

static int compare_strings(const awk_string *x, const awk_string *y) {
  size_t common = x->size < y->size ? x->size : y->size;
  int order = memcmp(x->at, y->at, common);
  return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static int compare_numbers(double x, double y) {
  return (x > y) - (x < y);
}

static double key_number(const awk_string *key) {
  return text_number(key->at, key->at + key->size, NULL);
}

static int compare_values(awk_item *x, awk_item *y, int mode) {
  bool p = value_is_numeric(&x->value), q = value_is_numeric(&y->value);
  if (mode == SORT_VALUE_NUMBER || (mode == SORT_VALUE_TYPE && p && q)) {
    int order = compare_numbers(value_number(&x->value), value_number(&y->value));
    if (order != 0 || mode == SORT_VALUE_TYPE) return order;
  }
  if (mode == SORT_VALUE_TYPE && p != q) return p ? -1 : 1; /* numbers before strings */
  awk_string *s = value_string(&x->value, "%.6g"), *t = value_string(&y->value, "%.6g");
  int order = compare_strings(s, t);
  string_drop(s);
  string_drop(t);
  return order;
}

static int compare_items(awk_item *x, awk_item *y, int mode) {
  int kind = mode & ~SORT_DOWN, order;
  if (kind == SORT_KEY_STRING)
    order = compare_strings(x->key, y->key);
  else if (kind == SORT_KEY_NUMBER) {
    order = compare_numbers(key_number(x->key), key_number(y->key));
    if (order == 0) order = compare_strings(x->key, y->key);
  } else {
    order = compare_values(x, y, kind);
    if (order == 0) order = compare_numbers(key_number(x->key), key_number(y->key));
    if (order == 0) order = compare_strings(x->key, y->key);
  }
  return mode & SORT_DOWN ? -order : order;
}

void awk_sort_items(awk_item **items, size_t count, int mode) {
  awk_item **spare = memory_take((count + 1) * sizeof *spare), **from = items, **to = spare;
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t i = 0; i < count; i += 2 * width) {
      size_t m = i + width < count ? i + width : count,
             end = i + 2 * width < count ? i + 2 * width : count, x = i, y = m;
      for (size_t k = i; k < end; k++)
        to[k] = x < m && (y == end || compare_items(from[x], from[y], mode) <= 0) ? from[x++]
                                                                                  : from[y++];
    }
    awk_item **swap = from;
    from = to;
    to = swap;
  }
  if (from != items) memcpy(items, from, count * sizeof *items);
  free(spare);
}

static awk_value call_asort(awk *a, awk_node *n, bool keys) {
  awk_array *from = awk_array_of(a, n->list[0]),
            *to = n->count > 1 ? awk_array_of(a, n->list[1]) : from;
  int mode = keys ? SORT_KEY_STRING : SORT_VALUE_TYPE;
  if (n->count > 2) {
    awk_string *how = awk_eval_string(a, n->list[2]);
    int named = mode_named(how->at);
    if (named == SORT_NONE)
      awk_die(a, "sorting by a function of one's own (`%s') is not supported", how->at);
    mode = named;
    string_drop(how);
  }
  size_t count = from->count;
  awk_item **items = array_items(from);
  awk_sort_items(items, count, mode);
  awk_value *values = memory_take((count + 1) * sizeof *values);
  for (size_t i = 0; i < count; i++) {
    values[i] = keys ? (awk_value){.kind = VALUE_INPUT, .string = string_keep(items[i]->key)}
                     : value_copy(&items[i]->value);
  }
  free(items);
  array_clear(to);
  for (size_t i = 0; i < count; i++) {
    awk_string *key = number_key(i + 1);
    *array_at(to, key) = values[i];
    string_drop(key);
  }
  free(values);
  return number_value((double)count);
}

/* ---- numbers, time ---- */

static double chance(awk *a) {
  a->random = a->random * 6364136223846793005ull + 1442695040888963407ull;
  uint64_t mixed = a->random ^ a->random >> 33;
  return (double)(mixed >> 11) / 9007199254740992.0;
}

static awk_value call_srand(awk *a, awk_node *n) {
  double before = (double)a->seed;
  double seed = n->count > 0 ? awk_eval_number(a, n->list[0]) : (double)(kernel_now() / 1000000000);
  a->seed = (uint64_t)(int64_t)seed;
  a->random = a->seed * 0x9E3779B97F4A7C15ull + 1;
  return number_value(before);
}

static awk_value call_strftime(awk *a, awk_node *n) {
  awk_string *format =
      n->count > 0 ? awk_eval_string(a, n->list[0]) : string_new("%a %b %e %H:%M:%S %Z %Y", 23);
  int64_t seconds =
      n->count > 1 ? (int64_t)awk_eval_number(a, n->list[1]) : kernel_now() / 1000000000;
  time_zone utc;
  zone_parse(&utc, NULL);
  bool universal = n->count > 2 && awk_eval_number(a, n->list[2]) != 0;
  time_parts parts;
  text out = {0};
  time_split(seconds, 0, universal ? &utc : &a->zone, &parts);
  time_format(&out, format->at, format->size, &parts, seconds);
  awk_string *made = string_new(out.at, out.len);
  text_free(&out);
  string_drop(format);
  return string_value(made);
}

/* "YYYY MM DD HH MM SS" */
static awk_value call_mktime(awk *a, awk_node *n) {
  awk_string *s = awk_eval_string(a, n->list[0]);
  const char *at = s->at, *end;
  double fields[6];
  int count = 0;
  while (count < 6) {
    fields[count] = text_number(at, s->at + s->size, &end);
    if (end == at || (end > s->at && !(end[-1] >= '0' && end[-1] <= '9'))) break;
    at = end;
    count++;
  }
  string_drop(s);
  if (count < 6) return number_value(-1);
  time_parts parts = {.year = (int64_t)fields[0],
                      .month = (int)fields[1],
                      .day = (int)fields[2],
                      .hour = (int)fields[3],
                      .minute = (int)fields[4],
                      .second = (int)fields[5]};
  return number_value((double)time_join(&parts, &a->zone, false));
}

static double bits(awk *a, awk_node *n) {
  uint64_t x = (uint64_t)awk_eval_number(a, n->list[0]);
  for (size_t i = 1; i < n->count; i++) {
    uint64_t y = (uint64_t)awk_eval_number(a, n->list[i]);
    x = n->slot == B_AND      ? x & y
        : n->slot == B_BITOR  ? x | y
        : n->slot == B_XOR    ? x ^ y
        : n->slot == B_LSHIFT ? (y < 64 ? x << y : 0)
                              : (y < 64 ? x >> y : 0);
  }
  return (double)x;
}

static awk_value call_strtonum(awk *a, awk_node *n) {
  awk_value v = awk_eval(a, n->list[0]);
  double number = value_number(&v);
  if (v.string != NULL && v.string->size > 1 && v.string->at[0] == '0') {
    const char *at = v.string->at;
    if ((at[1] | 32) == 'x')
      number = (double)strtoull(at, NULL, 16);
    else if (strspn(at, "01234567") == v.string->size)
      number = (double)strtoull(at, NULL, 8);
  }
  value_drop(v);
  return number_value(number);
}

static awk_value call_typeof(awk *a, awk_node *n) {
  const char *name = "unassigned";
  awk_node *argument = n->list[0];
  bool variable = argument->op == N_GLOBAL || argument->op == N_LOCAL;
  awk_slot *slot = variable ? awk_slot_of(a, argument) : NULL;
  if (variable && slot->kind == SLOT_ARRAY)
    name = "array";
  else if (variable && slot->kind == SLOT_UNTYPED)
    name = argument->op == N_GLOBAL && argument->slot < V_SPECIAL ? "number" : "untyped";
  else {
    awk_value v = awk_eval(a, argument);
    bool numeric = value_is_numeric(&v);
    name = v.kind == VALUE_NONE               ? "unassigned"
           : v.kind == VALUE_NUMBER           ? "number"
           : v.kind == VALUE_INPUT && numeric ? "strnum"
                                              : "string";
    value_drop(v);
  }
  if (n->slot == B_ISARRAY) return number_value(strcmp(name, "array") == 0);
  return string_value(string_new(name, strlen(name)));
}

static awk_value call_fflush(awk *a, awk_node *n) {
  if (n->count == 0) return number_value(awk_flush(a, NULL));
  awk_string *name = awk_eval_string(a, n->list[0]);
  int status = awk_flush(a, name->size > 0 ? name->at : NULL);
  string_drop(name);
  return number_value(status);
}

static awk_value call_named(awk *a, awk_node *n) {
  awk_string *name = awk_eval_string(a, n->list[0]);
  int status = n->slot == B_CLOSE ? awk_close(a, name->at) : awk_system(a, name->at);
  string_drop(name);
  return number_value(status);
}

awk_value awk_call_builtin(awk *a, awk_node *n) {
  switch ((awk_builtin)n->slot) {
    case B_LENGTH:
      return call_length(a, n);
    case B_SUBSTR:
      return call_substr(a, n);
    case B_INDEX:
      return call_index(a, n);
    case B_SPLIT:
      return call_split(a, n);
    case B_SUB:
      return call_sub(a, n, false);
    case B_GSUB:
      return call_sub(a, n, true);
    case B_GENSUB:
      return call_gensub(a, n);
    case B_MATCH:
      return call_match(a, n);
    case B_SPRINTF:
      return string_value(awk_format(a, n->list, n->count));
    case B_SIN:
      return number_value(sin(awk_eval_number(a, n->list[0])));
    case B_COS:
      return number_value(cos(awk_eval_number(a, n->list[0])));
    case B_ATAN2: {
      double y = awk_eval_number(a, n->list[0]);
      return number_value(atan2(y, awk_eval_number(a, n->list[1])));
    }
    case B_EXP:
      return number_value(exp(awk_eval_number(a, n->list[0])));
    case B_LOG:
      return number_value(log(awk_eval_number(a, n->list[0])));
    case B_SQRT:
      return number_value(sqrt(awk_eval_number(a, n->list[0])));
    case B_INT:
      return number_value(trunc(awk_eval_number(a, n->list[0])));
    case B_RAND:
      return number_value(chance(a));
    case B_SRAND:
      return call_srand(a, n);
    case B_TOLOWER:
      return call_case(a, n, false);
    case B_TOUPPER:
      return call_case(a, n, true);
    case B_SYSTEM:
      return call_named(a, n);
    case B_CLOSE:
      return call_named(a, n);
    case B_FFLUSH:
      return call_fflush(a, n);
    case B_STRFTIME:
      return call_strftime(a, n);
    case B_SYSTIME:
      return number_value((double)(kernel_now() / 1000000000));
    case B_MKTIME:
      return call_mktime(a, n);
    case B_ASORT:
      return call_asort(a, n, false);
    case B_ASORTI:
      return call_asort(a, n, true);
    case B_AND:
    case B_BITOR:
    case B_XOR:
    case B_LSHIFT:
    case B_RSHIFT:
      return number_value(bits(a, n));
    case B_COMPL:
      return number_value(
          (double)(~(uint64_t)awk_eval_number(a, n->list[0]) & 0x1FFFFFFFFFFFFFull));
    case B_STRTONUM:
      return call_strtonum(a, n);
    case B_TYPEOF:
    case B_ISARRAY:
      return call_typeof(a, n);
  }
  return (awk_value){0};
}
