// SPDX-License-Identifier: MIT
// awk_value.c -- strings, values and arrays. See awk.h.
#include "awk.h"

#include <math.h>
#include <stdio.h>

awk_string *string_room(size_t size) {
  awk_string *s = memory_take(sizeof *s + size + 1);
  s->count = 1;
  s->plain = 0;
  s->size = s->room = size;
  s->at[size] = 0;
  return s;
}

awk_string *string_new(const char *at, size_t size) {
  awk_string *s = string_room(size);
  if (size > 0) memcpy(s->at, at, size);
  return s;
}

void string_drop(awk_string *s) {
  if (--s->count == 0) free(s);
}

bool string_is_plain(awk_string *s) {
  if (s->plain == 0) {
    s->plain = 1;
    for (size_t i = 0; i < s->size; i++) {
      if ((unsigned char)s->at[i] >= 0x80) s->plain = 2;
    }
  }
  return s->plain == 1;
}

awk_value input_value(const char *at, size_t size) {
  return (awk_value){.kind = VALUE_INPUT, .string = string_new(at, size)};
}

void value_drop(awk_value v) {
  if (v.string != NULL) string_drop(v.string);
}

awk_value value_copy(const awk_value *v) {
  if (v->string != NULL) string_keep(v->string);
  return *v;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

double text_number(const char *at, const char *limit, const char **end) {
  while (at < limit && (*at == ' ' || (*at >= '\t' && *at <= '\r'))) at++;
  const char *begin = at;
  bool negative = at < limit && *at == '-';
  if (at < limit && (*at == '-' || *at == '+')) at++;
  uint64_t whole = 0;
  const char *digits = at;
  while (at < limit && is_digit(*at)) {
    if (at - digits < 18) whole = whole * 10 + (uint64_t)(*at - '0');
    at++;
  }
  bool simple = at - digits < 16 && at > digits;
  if (simple && (at == limit || (*at != '.' && (*at | 32) != 'e' && (*at | 32) != 'x'))) {
    if (end != NULL) *end = at;
    return negative ? -(double)whole : (double)whole;
  }
  if (simple && *at == '.') { /* few digits in all: one exact division */
    static const double powers[] = {1,   10,   100,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                    1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
    const char *fraction = at + 1, *p = fraction;
    uint64_t all = whole;
    while (p < limit && is_digit(*p) && p - digits < 17) all = all * 10 + (uint64_t)(*p++ - '0');
    if (p - digits <= 16 && (p == limit || (!is_digit(*p) && (*p | 32) != 'e'))) {
      double value = (double)all / powers[p - fraction];
      if (end != NULL) *end = p;
      return negative ? -value : value;
    }
  }
  at = digits;
  bool starts = at < limit && (is_digit(*at) || (*at == '.' && at + 1 < limit && is_digit(at[1])));
  bool words =
      limit - at >= 3 && begin < digits && (memcmp(at, "inf", 3) == 0 || memcmp(at, "nan", 3) == 0);
  if (!starts && !words) {
    if (end != NULL) *end = begin;
    return 0;
  }
  char copy[400], *stop;
  size_t size =
      (size_t)(limit - begin) < sizeof copy - 1 ? (size_t)(limit - begin) : sizeof copy - 1;
  memcpy(copy, begin, size);
  copy[size] = 0;
  if (starts && (at[0] == '0' && at + 1 < limit && (at[1] | 32) == 'x'))
    copy[at - begin + 1] = 0; /* no hex */
  double value = strtod(copy, &stop);
  if (end != NULL) *end = begin + (stop - copy);
  return value;
}

/* Sets v->looks of a VALUE_INPUT. */
static void look(awk_value *v) {
  const char *end, *limit = v->string->at + v->string->size;
  v->number = text_number(v->string->at, limit, &end);
  bool any = false;
  for (const char *p = v->string->at; p < end; p++) any |= is_digit(*p) || (*p | 32) == 'n';
  while (end < limit && (*end == ' ' || (*end >= '\t' && *end <= '\r'))) end++;
  v->looks = any && end == limit ? 1 : 2;
}

double value_number(awk_value *v) {
  if (v->kind == VALUE_NUMBER) return v->number;
  if (v->kind == VALUE_NONE) return 0;
  if (v->kind == VALUE_INPUT) {
    if (v->looks == 0) look(v);
    return v->number;
  }
  return text_number(v->string->at, v->string->at + v->string->size, NULL);
}

bool value_is_numeric(awk_value *v) {
  if (v->kind == VALUE_INPUT && v->looks == 0) look(v);
  return v->kind == VALUE_NUMBER || v->kind == VALUE_NONE ||
         (v->kind == VALUE_INPUT && v->looks == 1);
}

bool value_true(awk_value *v) {
  if (v->kind == VALUE_STRING || (v->kind == VALUE_INPUT && !value_is_numeric(v)))
    return v->string->size > 0;
  return value_number(v) != 0;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
awk_string *value_string(const awk_value *v, const char *format) {
  if (v->string != NULL) return string_keep(v->string);
  if (v->kind == VALUE_NONE) return string_new("", 0);
  char text[400];
  double number = v->number;
  int size;
  if (number == (double)(int64_t)number && fabs(number) < 1e16) {
    size = (int)number_format((int64_t)number, text);
  } else if (number != number || fabs(number) > 1.7e308) {
    bool negative = signbit(number);
    size =
        snprintf(text, sizeof text, "%s%s", negative ? "-" : "+", number != number ? "nan" : "inf");
  } else if (number == floor(number)) {
    size = snprintf(text, sizeof text, "%.0f", number);
  } else {
    size = snprintf(text, sizeof text, format, number);
  }
  awk_string *s = string_new(text, (size_t)size);
  s->plain = 1;
  return s;
}

/* ---- arrays ---- */

awk_array *array_new(void) {
  awk_array *a = memory_take(sizeof *a);
  *a = (awk_array){0};
  return a;
}

static uint32_t hash_of(const awk_string *s) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < s->size; i++) hash = (hash ^ (unsigned char)s->at[i]) * 16777619u;
  return hash ^ hash >> 15;
}

void array_clear(awk_array *a) {
  for (size_t i = 0; i < a->bucket_count; i++) {
    for (awk_item *item = a->buckets[i], *next; item != NULL; item = next) {
      next = item->next;
      string_drop(item->key);
      value_drop(item->value);
      free(item);
    }
  }
  free(a->buckets);
  *a = (awk_array){0};
}

static awk_item *find(awk_array *a, const awk_string *key, uint32_t hash) {
  if (a->bucket_count == 0) return NULL;
  for (awk_item *item = a->buckets[hash & (a->bucket_count - 1)]; item != NULL; item = item->next) {
    if (item->hash == hash && item->key->size == key->size &&
        memcmp(item->key->at, key->at, key->size) == 0)
      return item;
  }
  return NULL;
}

awk_item *array_find(awk_array *a, awk_string *key) {
  return find(a, key, hash_of(key));
}

static void grow(awk_array *a) {
  size_t count = a->bucket_count == 0 ? 16 : a->bucket_count * 2;
  awk_item **buckets = memory_take(count * sizeof *buckets);
  memset(buckets, 0, count * sizeof *buckets);
  for (size_t i = 0; i < a->bucket_count; i++) {
    for (awk_item *item = a->buckets[i], *next; item != NULL; item = next) {
      next = item->next;
      awk_item **to = &buckets[item->hash & (count - 1)];
      item->next = *to;
      *to = item;
    }
  }
  free(a->buckets);
  a->buckets = buckets;
  a->bucket_count = count;
}

awk_value *array_at(awk_array *a, awk_string *key) {
  uint32_t hash = hash_of(key);
  awk_item *item = find(a, key, hash);
  if (item != NULL) return &item->value;
  if (a->count >= a->bucket_count) grow(a);
  item = memory_take(sizeof *item);
  awk_item **to = &a->buckets[hash & (a->bucket_count - 1)];
  *item = (awk_item){.next = *to, .hash = hash, .key = string_keep(key)};
  *to = item;
  a->count++;
  return &item->value;
}

void awk_array_remove(awk_array *a, awk_string *key) {
  uint32_t hash = hash_of(key);
  if (a->bucket_count == 0) return;
  for (awk_item **at = &a->buckets[hash & (a->bucket_count - 1)]; *at != NULL; at = &(*at)->next) {
    awk_item *item = *at;
    if (item->hash != hash || item->key->size != key->size ||
        memcmp(item->key->at, key->at, key->size) != 0)
      continue;
    *at = item->next;
    string_drop(item->key);
    value_drop(item->value);
    free(item);
    a->count--;
    return;
  }
}

awk_item **array_items(awk_array *a) {
  awk_item **items = memory_take((a->count + 1) * sizeof *items);
  size_t count = 0;
  for (size_t i = 0; i < a->bucket_count; i++) {
    for (awk_item *item = a->buckets[i]; item != NULL; item = item->next) items[count++] = item;
  }
  return items;
}
