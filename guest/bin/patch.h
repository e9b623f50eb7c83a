// SPDX-License-Identifier: MIT
// patch.h -- what the two parts of patch share. Names begin with patch_.
#ifndef GUEST_BIN_PATCH_H
#define GUEST_BIN_PATCH_H

#include "bin.h"

typedef enum { PATCH_ANY, PATCH_UNIFIED, PATCH_CONTEXT, PATCH_NORMAL } patch_form;

typedef struct {
  bin *b;
  input in;
  text line;
  bool kept, have, newline;
  size_t number;
  patch_form form, only;
} patch_input;

typedef struct {
  char *at;
  size_t size;
  bool newline;
} patch_text;

typedef struct {
  char kind; /* ' ', '-', '+' */
  patch_text line;
} patch_edit;

typedef struct {
  size_t line; /* of the patch */
  size_t old_first, new_first, old_count, new_count;
  patch_edit *lines;
  size_t count, room;
  char *label; /* behind the second @@ */
} patch_hunk;

typedef struct {
  char *old_name, *new_name, *index, *star_name, *rename_from, *rename_to;
  char *old_time, *new_time, *star_time;
  bool empty_old, empty_new; /* the first hunk says so */
  bool no_old, no_new, no_star, context, git;
  uint32_t mode; /* of a new file, 0 when it is not said */
  size_t line;
  char **leading; /* the lines that led up to it */
  size_t leading_count;
} patch_header;

/* The next line; it is good until the next call. */
bool patch_line(patch_input *p, char **line, size_t *size, bool *newline);
void patch_keep(patch_input *p); /* gives it again */
/* Goes on to where the next file's hunks begin: false at the end. */
bool patch_next_file(patch_input *p, patch_header *h);
bool patch_next_hunk(patch_input *p, patch_hunk *h);

#endif
