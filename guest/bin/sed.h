// SPDX-License-Identifier: MIT
/* sed.h -- sed's script as sed_parse.c reads it and sed.c runs it. */
#ifndef GUEST_BIN_SED_H
#define GUEST_BIN_SED_H

#include "../text/regex.h"
#include "bin.h"

typedef enum {
  ADDRESS_NONE,
  ADDRESS_LINE,
  ADDRESS_STEP,
  ADDRESS_LAST,
  ADDRESS_REGEX,
  ADDRESS_ZERO,
  ADDRESS_PLUS,
  ADDRESS_MULTIPLE
} address_kind;

typedef struct {
  address_kind kind;
  uint64_t number, step;
  regex *re; /* NULL with ADDRESS_REGEX: the last one used */
} sed_address;

/* A piece of a replacement: text, then a group, each with a change of case. */
typedef enum { CASE_KEEP, CASE_UPPER, CASE_LOWER, CASE_STOP } sed_case;
typedef struct {
  char *text;
  size_t size;
  int group;          /* -1: none; 0 is & */
  sed_case all, next; /* \U \L \E and \u \l in front of it; CASE_KEEP: as before */
} sed_piece;

typedef struct sed_file {
  struct sed_file *next;
  const char *path;
  output *out;
  output own;
  bool missing_newline; /* what was written last had none */
} sed_file;

typedef struct {
  char name; /* the command's letter */
  bool negated;
  sed_address first, second;
  bool active;        /* inside the range */
  uint64_t end;       /* its last line, when known */
  size_t jump;        /* b t T: where; {: behind its } */
  char *label, *text; /* a i c r R: text or name */
  size_t text_size;
  int64_t number; /* q Q: status; l: width or -1 */
  /* s and y */
  regex *re;
  sed_piece *pieces;
  size_t piece_count;
  int groups; /* highest one used */
  bool global, print;
  uint64_t which;      /* replace from this one on */
  sed_file *file;      /* w, or s///w */
  uint32_t *from, *to; /* y */
  size_t map_count;
  size_t reader; /* R: which of its inputs */
} sed_command;

typedef struct {
  bin b;
  sed_command *commands;
  size_t count, room;
  bool quiet, extended, separate, in_place, zero, unbuffered, posix, c_locale, sandbox;
  const char *suffix;
  int64_t wrap;
  sed_file *files;
  sed_file standard;
  /* While parsing: */
  const char *at, *end, *start;
  const char *expression; /* "-e expression #1" or the file's name */
  size_t *blocks, block_count, block_room;
  size_t reader_count;
} sed;

/* Adds a piece of script; `what` names it in messages. */
void sed_parse(sed *s, const char *script, size_t size, const char *what);
/* Resolves labels, complains of open blocks. */
void sed_parse_end(sed *s);

/* Appends the replacement for a match to `out`. */
void sed_replace(const sed_command *c, text *out, const char *from, const regex_span *spans);

#endif
