// SPDX-License-Identifier: MIT
/* document.c -- a small reader of JSON. */
#include "document.h"

#include <stdint.h>
#include <string.h>

#include "kernel.h"

enum { DEPTH_MAX = 64, BLOCK = 4096 };

/* ---- arena ---- */

struct document_arena {
  struct document_arena *next;
  size_t used, size;
  /* then the bytes */
};

static void *take(document_arena **arena, size_t size) {
  size = (size + 7) & ~(size_t)7;
  document_arena *block = *arena;
  if (block == NULL || block->size - block->used < size) {
    size_t room = size > BLOCK ? size : BLOCK;
    block = kernel_malloc(sizeof *block + room);
    if (block == NULL) return NULL;
    *block = (document_arena){.next = *arena, .size = room};
    *arena = block;
  }
  void *taken = (char *)(block + 1) + block->used;
  block->used += size;
  return taken;
}

void document_release(document_arena *arena) {
  while (arena != NULL) {
    document_arena *next = arena->next;
    kernel_free(arena);
    arena = next;
  }
}

/* ---- reading ---- */

typedef struct {
  const char *at, *end;
  document_arena **arena;
} reader;

static void skip_space(reader *in) {
  while (in->at < in->end && strchr(" \t\r\n", *in->at) != NULL && *in->at != 0) in->at++;
}

static bool accept(reader *in, char wanted) {
  skip_space(in);
  if (in->at == in->end || *in->at != wanted) return false;
  in->at++;
  return true;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits at `at`, or -1. */
static int32_t code_unit(const char *at, const char *end) {
  if (end - at < 4) return -1;
  int32_t unit = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(at[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

static char *put_character(char *to, uint32_t c) {
  if (c < 0x80) {
    *to++ = (char)c;
    return to;
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint8_t lead[] = {0, 0xC0, 0xE0, 0xF0};
  *to++ = (char)(lead[more] | c >> (6 * more));
  while (more-- > 0) *to++ = (char)(0x80 | ((c >> (6 * more)) & 0x3F));
  return to;
}

/* After the backslash and the u. */
static bool read_unicode_escape(reader *in, char **to) {
  int32_t unit = code_unit(in->at, in->end);
  if (unit < 0) return false;
  in->at += 4;
  bool high = unit >= 0xD800 && unit < 0xDC00;
  if (high && in->end - in->at >= 6 && in->at[0] == '\\' && in->at[1] == 'u') {
    int32_t low = code_unit(in->at + 2, in->end);
    if (low >= 0xDC00 && low < 0xE000) {
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
      in->at += 6;
    }
  }
  bool lone = unit >= 0xD800 && unit < 0xE000;
  *to = put_character(*to, lone ? 0xFFFD : (uint32_t)unit);
  return true;
}

static bool read_escape(reader *in, char **to) {
  static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
  if (in->at == in->end || *in->at == 0) return false;
  char c = *in->at++;
  if (c == 'u') return read_unicode_escape(in, to);
  const char *found = strchr(from, c);
  if (found == NULL) return false;
  *(*to)++ = into[found - from];
  return true;
}

/* The length up to the closing quote, escapes not decoded; no escape grows. */
static size_t string_extent(const reader *in) {
  const char *at = in->at;
  while (at < in->end && *at != '"') at += *at == '\\' ? 2 : 1;
  return at < in->end ? (size_t)(at - in->at) : SIZE_MAX;
}

/* After the opening quote. */
static const char *read_string(reader *in, size_t *size) {
  size_t extent = string_extent(in);
  char *text = extent == SIZE_MAX ? NULL : take(in->arena, extent + 1);
  if (text == NULL) return NULL;
  char *to = text;
  while (*in->at != '"') {
    if (*in->at != '\\') {
      *to++ = *in->at++;
      continue;
    }
    in->at++;
    if (!read_escape(in, &to)) return NULL;
  }
  in->at++;
  *to = 0;
  *size = (size_t)(to - text);
  return text;
}

static bool read_value(reader *in, document_node *node, int depth);

static bool read_key(reader *in, document_node *child) {
  size_t size;
  if (!accept(in, '"')) return false;
  child->key = read_string(in, &size);
  return child->key != NULL && accept(in, ':');
}

/* After the opening bracket. */
static bool read_members(reader *in, document_node *node, char close, int depth) {
  document_node **tail = &node->first;
  if (accept(in, close)) return true;
  do {
    document_node *child = take(in->arena, sizeof *child);
    if (child == NULL) return false;
    *child = (document_node){0};
    if (close == '}' && !read_key(in, child)) return false;
    if (!read_value(in, child, depth + 1)) return false;
    *tail = child;
    tail = &child->next;
  } while (accept(in, ','));
  return accept(in, close);
}

static bool read_word(reader *in, document_node *node) {
  const char *start = in->at;
  while (in->at < in->end && *in->at != 0 && strchr(" \t\r\n,]}:", *in->at) == NULL) in->at++;
  node->text = start;
  node->size = (size_t)(in->at - start);
  static const struct {
    const char *word;
    document_kind kind;
  } words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strlen(words[i].word) != node->size || memcmp(words[i].word, start, node->size) != 0)
      continue;
    node->kind = words[i].kind;
    return true;
  }
  node->kind = JSON_NUMBER;
  return node->size > 0 && (*start == '-' || (*start >= '0' && *start <= '9'));
}

static bool read_value(reader *in, document_node *node, int depth) {
  if (depth > DEPTH_MAX) return false;
  if (accept(in, '"')) {
    node->kind = JSON_STRING;
    node->text = read_string(in, &node->size);
    return node->text != NULL;
  }
  if (accept(in, '{')) {
    node->kind = JSON_OBJECT;
    return read_members(in, node, '}', depth);
  }
  if (accept(in, '[')) {
    node->kind = JSON_ARRAY;
    return read_members(in, node, ']', depth);
  }
  return read_word(in, node);
}

const document_node *document_parse(const char *text, size_t size, document_arena **arena) {
  *arena = NULL;
  reader in = {text, text + size, arena};
  document_node *root = take(arena, sizeof *root);
  if (root == NULL) return NULL;
  *root = (document_node){0};
  bool whole = read_value(&in, root, 0);
  skip_space(&in);
  if (whole && in.at == in.end) return root;
  document_release(*arena);
  *arena = NULL;
  return NULL;
}

/* ---- looking ---- */

const document_node *document_member(const document_node *object, const char *key) {
  if (object == NULL || object->kind != JSON_OBJECT) return NULL;
  for (const document_node *at = object->first; at != NULL; at = at->next)
    if (strcmp(at->key, key) == 0) return at;
  return NULL;
}

const char *document_text(const document_node *object, const char *key) {
  const document_node *member = document_member(object, key);
  return member != NULL && member->kind == JSON_STRING ? member->text : NULL;
}

bool document_next(const char **at, const char *end, const char **element, size_t *size) {
  const char *from = *at;
  while (from < end && strchr(" \t\r\n,[", *from) != NULL && *from != 0) from++;
  const char *to = from;
  int depth = 0;
  bool quoted = false;
  for (; to < end; to++) {
    if (quoted) {
      if (*to == '\\' && to + 1 < end)
        to++;
      else if (*to == '"')
        quoted = false;
    } else if (*to == '"') {
      quoted = true;
    } else if (*to == '{' || *to == '[') {
      depth++;
    } else if (*to == '}' || *to == ']') {
      if (depth-- == 0) break;
    } else if (*to == ',' && depth == 0) {
      break;
    }
  }
  *at = to;
  *element = from;
  *size = (size_t)(to - from);
  return to < end && to > from;
}
