// SPDX-License-Identifier: MIT
/* read.c -- the strict JSON reader.
 *
 * Recursive descent, one C frame per level, bounded by `depth`. The children of open containers
 * wait on one growing stack and are copied into the arena when their container closes, so that
 * siblings lie side by side and nothing has to be linked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "json/utf8.h"
#include "limits.h"

typedef struct {
  cloche_text text;
  size_t at; /* next byte */
  size_t depth, depth_max;
  cloche__arena *arena;
  cloche__json_member *waiting; /* children of the containers that are open */
  size_t waiting_len, waiting_cap;
  cloche__json_error *error;
} reader;

static cloche_status read_value(reader *r, cloche__json *value);

/* Lines and columns are counted only here, when somebody needs them. */
static void place(cloche_text text, size_t offset, cloche__json_error *error) {
  size_t start = 0;
  error->offset = offset;
  error->line = 1;
  for (size_t i = 0; i < offset; i++) {
    if (text.at[i] != '\n') continue;
    error->line++;
    start = i + 1;
  }
  cloche_text line = {text.at + start, offset - start};
  error->column = 1 + (line.len == 0 ? 0 : cloche__utf8_count(line));
}

static cloche_status refuse_at(reader *r, size_t offset, cloche_status status, const char *what) {
  if (r->error != NULL) {
    place(r->text, offset, r->error);
    snprintf(r->error->message, sizeof r->error->message, "%s", what);
  }
  return status;
}

static cloche_status refuse(reader *r, const char *what) {
  return refuse_at(r, r->at, CLOCHE_E_JSON, what);
}

static int peek(const reader *r) {
  return r->at < r->text.len ? (unsigned char)r->text.at[r->at] : -1;
}

static void skip_space(reader *r) {
  for (int c = peek(r); c == ' ' || c == '\n' || c == '\r' || c == '\t'; c = peek(r)) r->at++;
}

/* ---- literals and numbers ---- */

static cloche_status read_word(reader *r, const char *word, cloche__json value, cloche__json *out) {
  size_t len = strlen(word);
  if (r->text.len - r->at < len || memcmp(r->text.at + r->at, word, len) != 0) {
    return refuse(r,
                  "This is not a value; JSON has true, false, null, numbers, \"strings\", "
                  "[arrays] and {objects}.");
  }
  r->at += len;
  *out = value;
  return CLOCHE_OK;
}

static size_t skip_digits(reader *r) {
  size_t start = r->at;
  for (int c = peek(r); c >= '0' && c <= '9'; c = peek(r)) r->at++;
  return r->at - start;
}

static cloche_status read_exponent(reader *r) {
  r->at++;
  if (peek(r) == '+' || peek(r) == '-') r->at++;
  while (peek(r) == '0' && r->at + 1 < r->text.len && r->text.at[r->at + 1] >= '0' &&
         r->text.at[r->at + 1] <= '9') {
    r->at++;
  }
  size_t start = r->at;
  int64_t size = 0;
  if (skip_digits(r) == 0) return refuse(r, "An exponent needs a digit here.");
  for (size_t i = start; i < r->at && size <= CLOCHE__JSON_EXPONENT; i++) {
    size = size * 10 + (r->text.at[i] - '0');
  }
  if (size > CLOCHE__JSON_EXPONENT) {
    return refuse_at(r, start, CLOCHE_E_LIMIT, "This exponent is too large.");
  }
  return CLOCHE_OK;
}

static cloche_status read_number(reader *r, cloche__json *value) {
  size_t start = r->at;
  if (peek(r) == '-') r->at++;
  bool zero = peek(r) == '0';
  size_t digits = skip_digits(r);
  if (digits == 0) return refuse(r, "A number needs a digit here.");
  if (zero && digits > 1)
    return refuse_at(r, start, CLOCHE_E_JSON, "A number cannot start with 0.");
  if (peek(r) == '.') {
    r->at++;
    if (skip_digits(r) == 0) return refuse(r, "A decimal point needs a digit after it.");
  }
  if (peek(r) == 'e' || peek(r) == 'E') {
    cloche_status status = read_exponent(r);
    if (status != CLOCHE_OK) return status;
  }
  cloche_text number = {r->text.at + start, r->at - start}, copy;
  if (!cloche__arena_copy(r->arena, number, &copy)) return CLOCHE_E_MEMORY;
  *value = cloche__json_of_number(copy);
  return CLOCHE_OK;
}

/* ---- strings ---- */

/* Four hexadecimal digits, or -1. */
static int32_t read_hex4(reader *r) {
  int32_t code = 0;
  if (r->text.len - r->at < 4) return -1;
  for (int i = 0; i < 4; i++, r->at++) {
    int c = peek(r);
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

static cloche_status read_unicode_escape(reader *r, char *out, size_t *len) {
  size_t start = r->at - 2; /* at the backslash */
  int32_t code = read_hex4(r);
  if (code < 0) return refuse_at(r, start, CLOCHE_E_JSON, "\\u needs four hexadecimal digits.");
  if (code >= 0xD800 && code <= 0xDBFF && r->text.len - r->at >= 6 && r->text.at[r->at] == '\\' &&
      r->text.at[r->at + 1] == 'u') {
    r->at += 2;
    int32_t low = read_hex4(r);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
  }
  if (code >= 0xD800 && code <= 0xDFFF) {
    return refuse_at(r, start, CLOCHE_E_JSON,
                     "Half of a surrogate pair stands alone; it is no character.");
  }
  *len += cloche__utf8_encode((uint32_t)code, out + *len);
  return CLOCHE_OK;
}

static cloche_status read_escape(reader *r, char *out, size_t *len) {
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  r->at++;
  int c = peek(r);
  const char *found = c <= 0 ? NULL : strchr(names, c);
  if (c == 'u') {
    r->at++;
    return read_unicode_escape(r, out, len);
  }
  if (found == NULL) {
    return refuse(r, "After a backslash only \" \\ / b f n r t and uXXXX may follow.");
  }
  out[(*len)++] = values[found - names];
  r->at++;
  return CLOCHE_OK;
}

/* The place of the closing quote, so that the copy can be made at once: unescaping only shrinks. */
static size_t find_quote(const reader *r) {
  size_t at = r->at;
  while (at < r->text.len && r->text.at[at] != '"') at += r->text.at[at] == '\\' ? 2 : 1;
  return at < r->text.len ? at : r->text.len;
}

/* Copies what needs no thought in one piece: ASCII without quotes, backslashes or controls. */
static void read_ascii(reader *r, char *out, size_t *len) {
  const unsigned char *at = (const unsigned char *)r->text.at + r->at;
  size_t count = 0, most = r->text.len - r->at;
  while (count < most && at[count] >= 0x20 && at[count] < 0x80 && at[count] != '"' &&
         at[count] != '\\') {
    count++;
  }
  memcpy(out + *len, at, count);
  *len += count;
  r->at += count;
}

static cloche_status read_plain(reader *r, char *out, size_t *len) {
  size_t step;
  cloche_text rest = {r->text.at + r->at, r->text.len - r->at};
  int32_t code = cloche__utf8_decode(rest, &step);
  if (code < 0) return refuse(r, "This byte is not UTF-8.");
  if (code < 0x20) {
    return refuse(r, "A string cannot hold a control character; write it as an escape, as in \\n.");
  }
  memcpy(out + *len, rest.at, step);
  *len += step;
  r->at += step;
  return CLOCHE_OK;
}

static cloche_status read_string(reader *r, cloche_text *text) {
  size_t open = r->at++, len = 0;
  char *out = cloche__arena_take(r->arena, find_quote(r) - r->at, 1);
  if (out == NULL) return CLOCHE_E_MEMORY;
  read_ascii(r, out, &len);
  for (int c = peek(r); c != '"'; c = peek(r)) {
    if (c < 0) return refuse_at(r, open, CLOCHE_E_JSON, "This string is never closed.");
    cloche_status status = c == '\\' ? read_escape(r, out, &len) : read_plain(r, out, &len);
    if (status != CLOCHE_OK) return status;
    read_ascii(r, out, &len);
  }
  r->at++;
  *text = (cloche_text){out, len};
  return CLOCHE_OK;
}

/* ---- arrays and objects ---- */

static cloche_status wait_for_close(reader *r, const cloche__json_member *child) {
  if (r->waiting_len == r->waiting_cap) {
    size_t cap = r->waiting_cap == 0 ? 32 : r->waiting_cap * 2;
    if (cap > SIZE_MAX / 2 / sizeof *r->waiting) return CLOCHE_E_MEMORY;
    cloche__json_member *waiting = realloc(r->waiting, cap * sizeof *waiting);
    if (waiting == NULL) return CLOCHE_E_MEMORY;
    r->waiting = waiting;
    r->waiting_cap = cap;
  }
  r->waiting[r->waiting_len++] = *child;
  return CLOCHE_OK;
}

static cloche_status read_member_key(reader *r, cloche_text *key) {
  skip_space(r);
  if (peek(r) != '"') return refuse(r, "A member starts with its name in double quotes.");
  cloche_status status = read_string(r, key);
  if (status != CLOCHE_OK) return status;
  skip_space(r);
  if (peek(r) != ':') return refuse(r, "A colon belongs after the name of a member.");
  r->at++;
  return CLOCHE_OK;
}

/* Reads children up to `close`; with `keyed` each has a name. */
static cloche_status read_children(reader *r, char close, bool keyed) {
  r->at++;
  skip_space(r);
  if (peek(r) == close) {
    r->at++;
    return CLOCHE_OK;
  }
  for (;;) {
    cloche__json_member child = {0};
    cloche_status status = keyed ? read_member_key(r, &child.key) : CLOCHE_OK;
    if (status == CLOCHE_OK) status = read_value(r, &child.value);
    if (status == CLOCHE_OK) status = wait_for_close(r, &child);
    if (status != CLOCHE_OK) return status;
    skip_space(r);
    int c = peek(r);
    if (c == ',') {
      r->at++;
    } else if (c == close) {
      r->at++;
      return CLOCHE_OK;
    } else {
      return refuse(r, keyed ? "A comma or a closing brace belongs here."
                             : "A comma or a closing bracket belongs here.");
    }
  }
}

static cloche_status close_array(reader *r, size_t first, cloche__json *value) {
  size_t count = r->waiting_len - first;
  cloche__json *items = cloche__arena_take(r->arena, count, sizeof *items);
  if (items == NULL) return CLOCHE_E_MEMORY;
  for (size_t i = 0; i < count; i++) items[i] = r->waiting[first + i].value;
  *value = cloche__json_of_items(items, count);
  return CLOCHE_OK;
}

static cloche_status close_object(reader *r, size_t first, size_t open, cloche__json *value) {
  size_t count = r->waiting_len - first;
  cloche_text key = {0};
  cloche_status status =
      cloche__json_object(r->arena, count == 0 ? NULL : r->waiting + first, count, value, &key);
  if (status == CLOCHE_E_JSON && r->error != NULL) {
    int shown = key.len > 60 ? 60 : (int)key.len;
    place(r->text, open, r->error);
    snprintf(r->error->message, sizeof r->error->message,
             "The object that starts here names \"%.*s\" twice.", shown, shown ? key.at : "");
  }
  return status;
}

static cloche_status read_container(reader *r, bool keyed, cloche__json *value) {
  size_t open = r->at, first = r->waiting_len;
  if (r->depth == r->depth_max) {
    return refuse_at(r, open, CLOCHE_E_LIMIT, "This is nested too deep.");
  }
  r->depth++;
  cloche_status status = read_children(r, keyed ? '}' : ']', keyed);
  r->depth--;
  if (status != CLOCHE_OK) return status;
  status = keyed ? close_object(r, first, open, value) : close_array(r, first, value);
  r->waiting_len = first;
  return status;
}

static cloche_status read_value(reader *r, cloche__json *value) {
  skip_space(r);
  int c = peek(r);
  switch (c) {
    case '{':
    case '[':
      return read_container(r, c == '{', value);
    case '"': {
      cloche_text text;
      cloche_status status = read_string(r, &text);
      if (status == CLOCHE_OK) *value = cloche__json_of_string(text);
      return status;
    }
    case 't':
      return read_word(r, "true", cloche__json_of_boolean(true), value);
    case 'f':
      return read_word(r, "false", cloche__json_of_boolean(false), value);
    case -1:
      return refuse(r, "A value is missing at the end of the text.");
    default:
      if (c == '-' || (c >= '0' && c <= '9')) return read_number(r, value);
      return read_word(r, "null", (cloche__json){0}, value);
  }
}

cloche_status cloche__json_read(cloche_text text, const cloche__json_limits *limits,
                                cloche__arena *arena, cloche__json *value,
                                cloche__json_error *error) {
  reader r = {.text = text, .arena = arena, .error = error, .depth_max = CLOCHE__JSON_DEPTH};
  if (text.at == NULL) r.text.at = "";
  if (limits != NULL && limits->depth != 0) r.depth_max = limits->depth;
  if (r.depth_max > CLOCHE__JSON_DEPTH_MAX) return CLOCHE_E_ARGUMENT;
  if (limits != NULL && limits->bytes != 0 && text.len > limits->bytes) {
    return refuse_at(&r, limits->bytes, CLOCHE_E_LIMIT, "This is longer than is allowed.");
  }
  cloche__json root = {0};
  cloche_status status = read_value(&r, &root);
  if (status == CLOCHE_OK) {
    skip_space(&r);
    if (r.at != text.len) status = refuse(&r, "Nothing may follow the value.");
  }
  free(r.waiting);
  if (status == CLOCHE_OK) *value = root;
  return status;
}

cloche_status cloche__json_parse(cloche_text text, const cloche__json_limits *limits,
                                 cloche__json_doc *doc, cloche__json_error *error) {
  cloche__json_doc made = {0};
  cloche_status status = cloche__json_read(text, limits, &made.arena, &made.root, error);
  if (status == CLOCHE_OK) {
    *doc = made;
  } else {
    cloche__json_free(&made);
  }
  return status;
}

void cloche__json_free(cloche__json_doc *doc) {
  if (doc == NULL) return;
  cloche__arena_free(&doc->arena);
  doc->root = (cloche__json){0};
}
