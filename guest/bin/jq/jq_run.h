// SPDX-License-Identifier: MIT
/* jq_run.h -- one run of jq or of yq, which is jq with YAML before it and, when asked for, behind
 * it. */
#ifndef GUEST_BIN_JQ_JQ_RUN_H
#define GUEST_BIN_JQ_JQ_RUN_H

#include "../options.h"
#include "input.h"
#include "jv.h"
#include "yaml_write.h"

/* jq's exit statuses; the negative ones count only with -e. */
enum {
  DONE = 0,
  DONE_FALSE = -1,
  FAILED_SYSTEM = 2,
  FAILED_COMPILE = 3,
  DONE_NOTHING = -4,
  FAILED = 5,
  FAILED_YAML = 1
};

typedef struct {
  bool output, in_place;
  yaml_writer writer;
} yq_run;

typedef struct {
  bin b;
  jq_state *jq;
  jq_input in;
  const char *program;
  char **files;
  int file_count;
  jv positional, named, library_paths;
  bool slurp, raw_input, null_input, raw, raw_nul, join, ascii, seq, from_file, exit_status,
      unbuffered, sort;
  bool color, strings_follow, json_follows;
  int parser_flags, dump_flags;
  yq_run *yaml; /* NULL: this is jq */
} jq_run;

/* The whole command: jq's, or yq's when there is a `yaml`. [waits] */
int jq_command(const char *name, yq_run *yaml, int argc, char **argv, char **environment);
/* Runs the compiled filter over files; the status is jq's. [waits] */
int jq_run_files(jq_run *j, char **files, int count, int *last);

/* What yq adds. A letter or a long name; false when yq does not have it either. *next is the
 * following argument. [waits: to say what is wrong] */
bool yq_short_option(jq_run *j, char letter);
bool yq_long_option(jq_run *j, const char *name, char ***next);
/* All files, with -i one after another into itself. [waits] */
int yq_run_files(jq_run *j, int *last);

/* Says what is wrong with the command line and ends with status 2. [waits] */
_Noreturn void jq_die(jq_run *j, const char *message);

#endif
