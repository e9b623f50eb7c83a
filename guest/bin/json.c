// SPDX-License-Identifier: MIT
// json.c -- see json.h.
#include "json.h"

#include "../text/unicode.h"

/* Nesting that the parser's recursion may reach; the gate's own limit is lower. */
#define DEPTH_MAX 200

typedef struct {
  const char *start, *at, *end;
  int depth;
} reader;

json *json_new(json_kind kind) {
  json *made = memory_take(sizeof *made);
  *made = (json){.kind = kind};
  return made;
}

json *json_string(const char *text, size_t size) {
  json *made = json_new(JSON_STRING);
  made->text = memory_copy(text, size);
  made->size = size;
  return made;
}

static void skip(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
    r->at++;
}

static bool take_hex(reader *r, uint32_t *value) {
  *value = 0;
  for (int i = 0; i < 4; i++, r->at++) {
    if (r->at >= r->end) return false;
    char c = *r->at;
    int digit = c >= '0' && c <= '9'                 ? c - '0'
                : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                     : -1;
    if (digit < 0) return false;
    *value = *value * 16 + (uint32_t)digit;
  }
  return true;
}

static bool take_escape(reader *r, text *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (r->at >= r->end) return false;
  char c = *r->at++;
  const char *known = c != 0 ? strchr(from, c) : NULL;
  if (known != NULL) {
    text_char(out, to[known - from]);
    return true;
  }
  uint32_t point, low;
  if (c != 'u' || !take_hex(r, &point)) return false;
  if (point >= 0xD800 && point <= 0xDBFF && r->end - r->at >= 6 && r->at[0] == '\\' &&
      r->at[1] == 'u') {
    r->at += 2;
    if (!take_hex(r, &low)) return false;
    if (low >= 0xDC00 && low <= 0xDFFF)
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    else
      point = 0xFFFD;
  }
  if (point >= 0xD800 && point <= 0xDFFF) point = 0xFFFD;
  char bytes[4];
  text_add(out, bytes, utf8_encode(point, bytes));
  return true;
}

static bool take_text(reader *r, char **string, size_t *size) {
  text out = {0};
  for (r->at++; r->at < r->end && *r->at != '"';) {
    if ((unsigned char)*r->at < ' ') return false;
    if (*r->at == '\\') {
      r->at++;
      if (!take_escape(r, &out)) return false;
    } else {
      text_char(&out, *r->at++);
    }
  }
  if (r->at >= r->end) return false;
  r->at++;
  *size = out.len;
  *string = text_end(&out);
  return true;
}

static json *take_number(reader *r) {
  const char *begin = r->at;
  if (r->at < r->end && *r->at == '-') r->at++;
  const char *digits = r->at;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
  if (r->at == digits || (*digits == '0' && r->at > digits + 1)) return NULL;
  if (r->at < r->end && *r->at == '.') {
    const char *dot = r->at++;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    if (r->at == dot + 1) return NULL;
  }
  if (r->at < r->end && (*r->at | 32) == 'e') {
    r->at++;
    if (r->at < r->end && (*r->at == '+' || *r->at == '-')) r->at++;
    const char *exponent = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    if (r->at == exponent) return NULL;
  }
  json *made = json_string(begin, (size_t)(r->at - begin));
  made->kind = JSON_NUMBER;
  return made;
}

static json *take_word(reader *r, const char *word, json_kind kind) {
  size_t size = strlen(word);
  if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0) return NULL;
  r->at += size;
  return json_new(kind);
}

static json *take_value(reader *r);

static json *take_members(reader *r, json_kind kind) {
  char close = kind == JSON_ARRAY ? ']' : '}';
  json *made = json_new(kind);
  r->at++;
  skip(r);
  if (r->at < r->end && *r->at == close) {
    r->at++;
    return made;
  }
  for (;;) {
    char *name = NULL;
    size_t name_size = 0;
    skip(r);
    if (kind == JSON_OBJECT) {
      if (r->at >= r->end || *r->at != '"' || !take_text(r, &name, &name_size)) return NULL;
      skip(r);
      if (r->at >= r->end || *r->at++ != ':') return NULL;
    }
    json *item = take_value(r);
    if (item == NULL) return NULL;
    item->name = name;
    item->name_size = name_size;
    json_push(made, item);
    skip(r);
    if (r->at >= r->end) return NULL;
    if (*r->at == close) break;
    if (*r->at++ != ',') return NULL;
  }
  r->at++;
  return made;
}

static json *take_value(reader *r) {
  skip(r);
  if (r->at >= r->end || r->depth >= DEPTH_MAX) return NULL;
  json *made = NULL;
  switch (*r->at) {
    case '{':
    case '[':
      r->depth++;
      made = take_members(r, *r->at == '{' ? JSON_OBJECT : JSON_ARRAY);
      r->depth--;
      return made;
    case '"':
      made = json_new(JSON_STRING);
      return take_text(r, &made->text, &made->size) ? made : NULL;
    case 't':
      return take_word(r, "true", JSON_TRUE);
    case 'f':
      return take_word(r, "false", JSON_FALSE);
    case 'n':
      return take_word(r, "null", JSON_NULL);
    default:
      return take_number(r);
  }
}

json *json_parse(const char *text, size_t size, size_t *at) {
  reader r = {.start = text, .at = text, .end = text + size};
  json *made = take_value(&r);
  skip(&r);
  if (at != NULL) *at = (size_t)(r.at - text);
  return made != NULL && r.at == r.end ? made : NULL;
}

json *json_get(const json *object, const char *name) {
  if (object == NULL || object->kind != JSON_OBJECT) return NULL;
  size_t size = strlen(name);
  for (json *member = object->first; member != NULL; member = member->next) {
    if (member->name_size == size && memcmp(member->name, name, size) == 0) return member;
  }
  return NULL;
}

void json_push(json *array, json *item) {
  if (array->last != NULL)
    array->last->next = item;
  else
    array->first = item;
  array->last = item;
}

void json_set(json *object, const char *name, json *value) {
  json *there = json_get(object, name);
  value->name = memory_string(name);
  value->name_size = strlen(name);
  if (there == NULL) {
    json_push(object, value);
    return;
  }
  json *next = there->next;
  *there = *value;
  there->next = next;
}

void json_write_string(text *out, const char *string, size_t size) {
  text_char(out, '"');
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)string[i];
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *known = c != 0 ? strchr(from, c) : NULL;
    if (known != NULL)
      text_format(out, "\\%c", to[known - from]);
    else if (c < ' ' || c == 127)
      text_format(out, "\\u%04x", c);
    else
      text_char(out, (char)c);
  }
  text_char(out, '"');
}

void json_write(text *out, const json *value) {
  switch (value->kind) {
    case JSON_NULL:
      text_string(out, "null");
      return;
    case JSON_FALSE:
      text_string(out, "false");
      return;
    case JSON_TRUE:
      text_string(out, "true");
      return;
    case JSON_NUMBER:
      text_add(out, value->text, value->size);
      return;
    case JSON_STRING:
      json_write_string(out, value->text, value->size);
      return;
    default:
      break;
  }
  bool object = value->kind == JSON_OBJECT;
  text_char(out, object ? '{' : '[');
  for (const json *item = value->first; item != NULL; item = item->next) {
    if (item != value->first) text_char(out, ',');
    if (object) {
      json_write_string(out, item->name, item->name_size);
      text_char(out, ':');
    }
    json_write(out, item);
  }
  text_char(out, object ? '}' : ']');
}
