// SPDX-License-Identifier: MIT
/* sql.h -- the sqlite3 command: what its parts share. Names begin with sql_. */
#ifndef GUEST_BIN_SQLITE_SQL_H
#define GUEST_BIN_SQLITE_SQL_H

#include "../bin.h"
#include "sqlite3.h"

typedef enum {
  MODE_LIST,
  MODE_CSV,
  MODE_JSON,
  MODE_LINE,
  MODE_COLUMN,
  MODE_TABLE,
  MODE_BOX,
  MODE_MARKDOWN,
  MODE_QUOTE,
  MODE_INSERT,
  MODE_HTML,
  MODE_TCL,
  MODE_ASCII
} sql_mode;

#define WIDTHS 100

typedef struct {
  bin b;
  output file; /* .output FILE */
  output *out; /* &b.out or &file */
  bool once;   /* back to standard output after this statement */
  sqlite3 *db; /* opened when it is first needed */
  char *path;  /* of the database */
  bool read_only;
  sql_mode mode;
  bool headers, headers_set, bail, echo, changes;
  char column[32], row[32]; /* separators */
  char *null;
  char *table; /* of insert mode */
  int widths[WIDTHS];
  int wrap;
  bool wrap_words, quoted;
  bool leave; /* .quit */
  int leave_status;
  int64_t patience; /* .timeout, in ns */
  int depth;        /* of .read */
} sql;

/* sql.c */
bool sql_open(sql *s, bool quiet);
/* Runs statements and prints what they give. *error is malloc'd: "in prepare, ..." [waits] */
int sql_run(sql *s, const char *text, char **error);
/* One row's one number or text, or NULL; for the shell's own questions. */
sqlite3_stmt *sql_prepare(sql *s, const char *format, ...);
/* As sqlite3_step, waiting for locks. [waits] */
int sql_step(sql *s, sqlite3_stmt *statement);
char *sql_text_format(const char *format, ...); /* sqlite3_mprintf, or the process ends */

/* sql_print.c: prints all rows of a statement; what the last step gave. [waits] */
int sql_print(sql *s, sqlite3_stmt *statement);
void sql_put_literal(sql *s, sqlite3_stmt *statement, int column, bool escaped);
bool sql_needs_quotes(const char *name);

/* sql_dot.c: a line that begins with a dot. 0, 1 on an error, 2 to leave. [waits] */
int sql_dot(sql *s, char *line);
void sql_set_mode(sql *s, const char *name);
/* Reads statements and dot commands; how many failed. [waits] */
int sql_process(sql *s, input *in);

/* sql_import.c */
int sql_import(sql *s, int argc, char **argv);
/* sql_functions.c */
void sql_add_functions(sqlite3 *db);
void sql_forget_dead(void); /* vfs.c */

#endif
