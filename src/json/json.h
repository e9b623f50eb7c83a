// SPDX-License-Identifier: MIT
/* json.h -- JSON as the trusted side reads and writes it.
 *
 * Strict (RFC 8259): one value, no duplicate keys, no lone surrogates, no byte order mark, bounded
 * depth. A value is an immutable tree in one arena; members keep their order; a number keeps the
 * text it was written with, so nothing is ever rounded. 24 bytes per value, 40 per member, plus 8
 * per member of an object of more than CLOCHE__JSON_SCAN.
 *
 *   object -> [ key value | key value | ... ][ order by key, if large ]
 *   array  -> [ value | value | ... ]
 *
 * Text     UTF-8 with a length; a string may hold U+0000.
 * Owner    The document owns everything below its root. Text is copied from the input.
 * Threads  A document may be read by any number of threads at once.
 * Errors   On error the outputs are as they were, but for *error. */
#ifndef CLOCHE_JSON_JSON_H
#define CLOCHE_JSON_JSON_H

#include "json/arena.h"
#include "json/buffer.h"

typedef enum cloche__json_kind {
  CLOCHE__JSON_NULL,
  CLOCHE__JSON_BOOLEAN,
  CLOCHE__JSON_NUMBER,
  CLOCHE__JSON_STRING,
  CLOCHE__JSON_ARRAY,
  CLOCHE__JSON_OBJECT
} cloche__json_kind;

typedef struct cloche__json cloche__json;
typedef struct cloche__json_member cloche__json_member;

struct cloche__json {
  cloche__json_kind kind;
  bool boolean;
  size_t count; /* bytes of a number or string; elements; members */
  union {
    const char *text; /* number, string */
    const cloche__json *items;
    const cloche__json_member *members; /* in the order they were written */
  };
};

struct cloche__json_member {
  cloche_text key;
  cloche__json value;
};

typedef struct cloche__json_doc {
  cloche__json root;
  cloche__arena arena;
} cloche__json_doc; /* all zero is null, and may be freed */

typedef struct cloche__json_limits {
  size_t depth; /* 0 means CLOCHE__JSON_DEPTH; at most CLOCHE__JSON_DEPTH_MAX */
  size_t bytes; /* of the text; 0 means no limit */
} cloche__json_limits;

typedef struct cloche__json_error {
  size_t offset;       /* bytes from the start */
  size_t line, column; /* from 1; columns count code points */
  char message[160];   /* one sentence, without place */
} cloche__json_error;

/* Reads `text` as one value. `limits` and `error` may be NULL.
 * E_JSON    not strict JSON; *error says what and where
 * E_LIMIT   deeper or longer than `limits` allow; *error likewise
 * E_MEMORY  the tree could not be made */
cloche_status cloche__json_parse(cloche_text text, const cloche__json_limits *limits,
                                 cloche__json_doc *doc, cloche__json_error *error);
/* The same into an arena of the caller's; on error the arena may hold garbage until it is reset. */
cloche_status cloche__json_read(cloche_text text, const cloche__json_limits *limits,
                                cloche__arena *arena, cloche__json *value,
                                cloche__json_error *error);
void cloche__json_free(cloche__json_doc *doc); /* NULL is fine; leaves it null */

/* ---- looking ---- */

/* The name of a kind as JSON Schema spells it: "null", "boolean", "number"... */
const char *cloche__json_kind_name(cloche__json_kind kind);
/* The member `key` of an object. NULL when absent, or when `object` is NULL or no object. */
const cloche__json *cloche__json_get(const cloche__json *object, const char *key);
const cloche__json *cloche__json_get_text(const cloche__json *object, cloche_text key);
/* The value at an RFC 6901 pointer ("" is the value itself, "/a/0", "~1" for a slash). NULL when
 * there is none or the pointer is malformed. */
const cloche__json *cloche__json_pointer(const cloche__json *value, cloche_text pointer);
static inline cloche_text cloche__json_text(const cloche__json *value) { /* number or string */
  return (cloche_text){value->text, value->count};
}
bool cloche__json_is(const cloche__json *value, const char *string); /* that very string? */
/* Numbers are equal by value (0.1 and 0.10), objects whatever the order of their members. */
bool cloche__json_equal(const cloche__json *a, const cloche__json *b);

/* ---- numbers, as the decimals they are written as ---- */

int cloche__json_number_compare(cloche_text a, cloche_text b); /* exact; any two JSON numbers */
/* Is it a whole number of at most 18 characters without point and exponent, as most are? */
bool cloche__json_number_plain(cloche_text number, int64_t *value);
bool cloche__json_number_integral(cloche_text number); /* 1, 1.0 and 1e3 are */
/* Is `number` a whole multiple of `unit`? False too when `unit` is zero or has over 18 digits. */
bool cloche__json_number_multiple(cloche_text number, cloche_text unit);
/* The value as an integer. False, and *out untouched, if it is not a number, not integral or out
 * of range. */
bool cloche__json_int64(const cloche__json *value, int64_t *out);
bool cloche__json_uint64(const cloche__json *value, uint64_t *out);

/* ---- building: values by value; text and items stay the caller's ---- */

static inline cloche__json cloche__json_of_string(cloche_text text) {
  return (cloche__json){.kind = CLOCHE__JSON_STRING, .count = text.len, .text = text.at};
}
static inline cloche__json cloche__json_of_number(cloche_text text) {
  return (cloche__json){.kind = CLOCHE__JSON_NUMBER, .count = text.len, .text = text.at};
}
static inline cloche__json cloche__json_of_boolean(bool boolean) {
  return (cloche__json){.kind = CLOCHE__JSON_BOOLEAN, .boolean = boolean};
}
static inline cloche__json cloche__json_of_items(const cloche__json *items, size_t count) {
  return (cloche__json){.kind = CLOCHE__JSON_ARRAY, .count = count, .items = items};
}
/* An object of `count` members, which are copied into the arena (keys and values shallowly).
 * E_JSON if two keys are equal; *duplicate, if not NULL, says which. */
cloche_status cloche__json_object(cloche__arena *arena, const cloche__json_member *members,
                                  size_t count, cloche__json *object, cloche_text *duplicate);
/* A copy of `object` with `key` set to `value`, added last if it was absent. */
cloche_status cloche__json_with(cloche__arena *arena, const cloche__json *object, cloche_text key,
                                const cloche__json *value, cloche__json *copy);
/* A deep copy into another arena. */
cloche_status cloche__json_copy(cloche__arena *arena, const cloche__json *value,
                                cloche__json *copy);

/* ---- writing ---- */

/* Compact: no spaces, members in order, numbers as written, only what must be escaped is. The
 * result reads back equal. Failure shows in out->failed. */
void cloche__json_write(const cloche__json *value, cloche__buffer *out);
/* `text` as a JSON string; a byte that is not UTF-8 becomes U+FFFD. */
void cloche__json_write_string(cloche_text text, cloche__buffer *out);
/* Any bytes: a JSON string where they are UTF-8, else {"base64": "..."}. */
void cloche__json_write_bytes(cloche_text bytes, cloche__buffer *out);
/* `"key":` with a comma before it unless it follows a brace; for records written by hand. */
void cloche__json_write_key(const char *key, cloche__buffer *out);

#endif
