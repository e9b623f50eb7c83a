// SPDX-License-Identifier: MIT
// rg.h -- what rg's parts share. Names begin with rg_.
#ifndef GUEST_BIN_RG_H
#define GUEST_BIN_RG_H

#include "../text/regex.h"
#include "options.h"

/* Rules of .gitignore's kind, and -g's: the last that matches decides. */
typedef struct {
  char *pattern;
  char *folder; /* where it holds: "" for the start, else with a "/" at its end */
  bool negated, folders_only, anchored, icase;
} rg_rule;

typedef struct {
  rg_rule *at;
  size_t count, room;
} rg_rules;

/* Adds a line of an ignore file; comments and blank lines add nothing. */
void rg_rule_add(rg_rules *rules, const char *folder, const char *line, size_t size, bool icase);
/* 0: no rule holds; 1: the last that does says ignore; -1: it is a negated one. */
int rg_rule_match(const rg_rules *rules, size_t from, const char *path, bool is_folder);
bool rg_glob(const char *pattern, const char *text, bool icase);

/* The globs of a file type ("*.c *.h"), NULL when it is not known. */
const char *rg_type(const char *name);
extern const char *const rg_types[][2];
extern const size_t rg_type_count;

#endif
