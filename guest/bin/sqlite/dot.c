// SPDX-License-Identifier: MIT
// dot.c -- the sqlite3 command's dot commands, and reading a script of statements.
#include "sql.h"

#include <stdio.h>
#include <stdlib.h>

#define WORDS 52
#define READ_DEPTH 25 /* as SQLite's shell: .read inside .read */

static void say(sql *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(sql *s, const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  char *message = sqlite3_vmprintf(format, rest);
  va_end(rest);
  if (message == NULL) return;
  output_flush(s->out);
  sys_write(2, message, strlen(message));
  sqlite3_free(message);
}

static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Words are parted by blanks; "..." and bare ones know C's escapes, '...' does not. Returns behind
 * the word. */
static char *take_word(char *at, char **word) {
  char mark = *at == '"' || *at == '\'' ? *at++ : 0;
  char *to = *word = at;
  for (; *at != 0 && (mark != 0 ? *at != mark : !is_blank(*at)); at++) {
    if (mark == '\'' || *at != '\\' || at[1] == 0) {
      *to++ = *at;
      continue;
    }
    at++;
    if (*at >= '0' && *at <= '7') {
      int code = 0;
      for (int i = 0; i < 3 && *at >= '0' && *at <= '7'; i++, at++) code = code * 8 + *at - '0';
      at--;
      *to++ = (char)code;
    } else {
      static const char letters[] = "abtnvfr", codes[] = "\a\b\t\n\v\f\r";
      const char *found = strchr(letters, *at);
      *to++ = found != NULL ? codes[found - letters] : *at;
    }
  }
  char *rest = *at != 0 ? at + 1 : at;
  *to = 0;
  return rest;
}

void sql_set_mode(sql *s, const char *name) {
  static const struct {
    const char *name;
    sql_mode mode;
    const char *column, *row;
  } modes[] = {{"list", MODE_LIST, "|", "\n"},          {"csv", MODE_CSV, ",", "\r\n"},
               {"json", MODE_JSON, NULL, NULL},         {"line", MODE_LINE, NULL, "\n"},
               {"column", MODE_COLUMN, NULL, "\n"},     {"table", MODE_TABLE, NULL, NULL},
               {"box", MODE_BOX, NULL, NULL},           {"qbox", MODE_BOX, NULL, NULL},
               {"markdown", MODE_MARKDOWN, NULL, NULL}, {"quote", MODE_QUOTE, ",", "\n"},
               {"insert", MODE_INSERT, NULL, NULL},     {"html", MODE_HTML, NULL, NULL},
               {"tabs", MODE_LIST, "\t", NULL},         {"tcl", MODE_TCL, " ", "\n"},
               {"ascii", MODE_ASCII, "\x1f", "\x1e"}};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(name, modes[i].name) != 0) continue;
    s->mode = modes[i].mode;
    s->quoted = strcmp(name, "qbox") == 0;
    if (modes[i].column != NULL) strcpy(s->column, modes[i].column);
    if (modes[i].row != NULL) strcpy(s->row, modes[i].row);
    if (s->mode == MODE_COLUMN && !s->headers_set) s->headers = true;
    return;
  }
}

static const char *mode_name(const sql *s) {
  static const char *const names[] = {"list",  "csv", "json",     "line",  "column",
                                      "table", "box", "markdown", "quote", "insert",
                                      "html",  "tcl", "ascii"};
  return names[s->mode];
}

static bool is_mode(const char *name) {
  static const char *const names[] = {"ascii",  "box",   "column", "csv",  "html",
                                      "insert", "json",  "line",   "list", "markdown",
                                      "qbox",   "quote", "table",  "tabs", "tcl"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(name, names[i]) == 0) return true;
  }
  return false;
}

static void put_mode(sql *s) {
  output_string(s->out, mode_name(s));
  if (s->mode == MODE_COLUMN || (s->mode >= MODE_TABLE && s->mode <= MODE_MARKDOWN))
    output_format(s->out, " --wrap %d --wordwrap %s --%squote", s->wrap,
                  s->wrap_words ? "on" : "off", s->quoted ? "" : "no");
  output_string(s->out, "\n");
}

static int do_mode(sql *s, int argc, char **argv) {
  const char *name = NULL, *table = NULL;
  int wrap = 0;
  bool words = false, quoted = false, wrap_set = false;
  for (int i = 1; i < argc; i++) {
    const char *option = argv[i][0] == '-' ? argv[i] + 1 + (argv[i][1] == '-') : NULL;
    if (option == NULL && name == NULL) {
      name = argv[i];
    } else if (option == NULL) {
      table = argv[i];
    } else if (strcmp(option, "wrap") == 0 && i + 1 < argc) {
      wrap = atoi(argv[++i]);
      wrap_set = true;
    } else if (strcmp(option, "ww") == 0) {
      words = true;
    } else if (strcmp(option, "wordwrap") == 0 && i + 1 < argc) {
      words = strcmp(argv[i + 1], "on") == 0 || atoi(argv[i + 1]) != 0;
      i++;
    } else if (strcmp(option, "quote") == 0 || strcmp(option, "noquote") == 0) {
      quoted = *option == 'q';
    } else {
      say(s,
          "unknown option: %s\noptions:\n  --noquote\n  --quote\n  --wordwrap on/off\n  --wrap N\n "
          " "
          "--ww\n",
          argv[i]);
      return 1;
    }
  }
  if (name == NULL) {
    output_string(s->out, "current output mode: ");
    put_mode(s);
    return 0;
  }
  if (!is_mode(name)) {
    say(s,
        "Error: mode should be one of: ascii box column csv html insert json line list markdown "
        "qbox quote table tabs tcl\n");
    return 1;
  }
  sql_set_mode(s, name);
  if (strcmp(name, "qbox") == 0) {
    quoted = true;
    if (!wrap_set) wrap = 60;
  }
  s->wrap = wrap;
  s->wrap_words = words;
  s->quoted = quoted;
  if (s->mode == MODE_INSERT) s->table = memory_string(table == NULL ? "table" : table);
  return 0;
}

static bool is_on(sql *s, const char *word) {
  static const char *const yes[] = {"on", "yes", "1", "true"}, *const no[] = {"off", "no", "0",
                                                                              "false"};
  for (int i = 0; i < 4; i++) {
    if (sqlite3_stricmp(word, yes[i]) == 0) return true;
    if (sqlite3_stricmp(word, no[i]) == 0) return false;
  }
  if (strspn(word, "0123456789") == strlen(word) && *word != 0) return atoi(word) != 0;
  say(s, "ERROR: Not a boolean value: \"%s\". Assuming \"no\".\n", word);
  return false;
}

/* ---- .schema, .tables, .dump ---- */

static int fail_db(sql *s) {
  say(s, "Error: %s\n", sqlite3_errmsg(s->db));
  return 1;
}

/* A statement as .schema and .dump print it; a comment at its end stays outside. */
static void put_statement(sql *s, const char *schema, const char *at, const char *tail) {
  static const char *const kinds[] = {"TABLE", "INDEX",   "UNIQUE INDEX",
                                      "VIEW",  "TRIGGER", "VIRTUAL TABLE"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && schema != NULL; i++) {
    size_t size = strlen(kinds[i]);
    if (strncmp(at, "CREATE ", 7) != 0 || strncmp(at + 7, kinds[i], size) != 0 ||
        at[7 + size] != ' ')
      continue;
    output_format(s->out, sql_needs_quotes(schema) ? "CREATE %s \"%s\".%s%s" : "CREATE %s %s.%s%s",
                  kinds[i], schema, at + 8 + size, tail);
    return;
  }
  if ((sqlite3_strlike("CREATE TABLE \"%", at, 0) == 0 ||
       sqlite3_strlike("CREATE TABLE '%", at, 0) == 0))
    output_format(s->out, "CREATE TABLE IF NOT EXISTS %s%s", at + 13, tail);
  else
    output_format(s->out, "%s%s", at, tail);
}

static void put_columns(sql *s, const char *schema, const char *name) {
  sqlite3_stmt *columns = sql_prepare(s, "PRAGMA \"%w\".table_info(%Q)", schema, name);
  bool any = false;
  while (columns != NULL && sql_step(s, columns) == SQLITE_ROW) {
    const char *column = (const char *)sqlite3_column_text(columns, 1);
    if (!any) {
      output_string(s->out, "\n/* ");
      if (strcmp(schema, "main") != 0) output_format(s->out, "%s.", schema);
      output_format(s->out, sql_needs_quotes(name) ? "\"%s\"(" : "%s(", name);
    }
    output_format(s->out, sql_needs_quotes(column) ? "%s\"%s\"" : "%s%s", any ? "," : "", column);
    any = true;
  }
  if (any) output_string(s->out, ") */");
  sqlite3_finalize(columns);
}

static int do_schema(sql *s, const char *pattern) {
  sqlite3_stmt *databases = sql_prepare(s, "SELECT name FROM pragma_database_list");
  int code = SQLITE_DONE;
  if (databases == NULL) return fail_db(s);
  while (sql_step(s, databases) == SQLITE_ROW) {
    const char *schema = (const char *)sqlite3_column_text(databases, 0);
    sqlite3_stmt *rows =
        sql_prepare(s,
                    "SELECT sql, type, name FROM \"%w\".sqlite_schema WHERE sql IS NOT NULL AND "
                    "(%d OR lower(tbl_name) LIKE lower(%Q) ESCAPE '\\' OR lower(name) LIKE "
                    "lower(%Q) ESCAPE '\\'"
                    " OR lower(%Q||'.'||tbl_name) LIKE lower(%Q)) ORDER BY rowid",
                    schema, pattern == NULL, pattern == NULL ? "" : pattern,
                    pattern == NULL ? "" : pattern, schema, pattern == NULL ? "" : pattern);
    if (rows == NULL) {
      sqlite3_finalize(databases);
      return fail_db(s);
    }
    while ((code = sql_step(s, rows)) == SQLITE_ROW) {
      const char *type = (const char *)sqlite3_column_text(rows, 1);
      const char *text_of = (const char *)sqlite3_column_text(rows, 0);
      put_statement(s, strcmp(schema, "main") == 0 ? NULL : schema, text_of, "");
      if (strcmp(type, "view") == 0 || sqlite3_strlike("CREATE VIRTUAL%", text_of, 0) == 0)
        put_columns(s, schema, (const char *)sqlite3_column_text(rows, 2));
      output_string(s->out, ";\n");
    }
    sqlite3_finalize(rows);
    if (code != SQLITE_DONE) break;
  }
  sqlite3_finalize(databases);
  return code == SQLITE_DONE ? 0 : fail_db(s);
}

static int do_names(sql *s, const char *pattern, bool indexes) {
  char **names = NULL;
  size_t count = 0, room = 0, widest = 0;
  sqlite3_stmt *databases = sql_prepare(s, "SELECT name FROM pragma_database_list");
  if (databases == NULL) return fail_db(s);
  text question = {0};
  while (sql_step(s, databases) == SQLITE_ROW) {
    const char *schema = (const char *)sqlite3_column_text(databases, 0);
    if (question.len > 0) text_string(&question, " UNION ALL ");
    bool main = strcmp(schema, "main") == 0;
    char *part = indexes ? sql_text_format(
                               "SELECT name FROM \"%w\".sqlite_schema WHERE type='index' AND "
                               "tbl_name LIKE ?1",
                               schema)
                         : sql_text_format(
                               "SELECT '%q%s'||name FROM \"%w\".sqlite_schema WHERE type IN "
                               "('table','view') AND name NOT LIKE 'sqlite_%%' AND name LIKE ?1",
                               main ? "" : schema, main ? "" : ".", schema);
    text_string(&question, part);
    sqlite3_free(part);
  }
  sqlite3_finalize(databases);
  sqlite3_stmt *rows =
      sql_prepare(s, "%s ORDER BY 1", question.len == 0 ? "" : text_end(&question));
  text_free(&question);
  if (rows == NULL) return fail_db(s);
  sqlite3_bind_text(rows, 1, pattern == NULL ? "%" : pattern, -1, SQLITE_TRANSIENT);
  int code;
  while ((code = sql_step(s, rows)) == SQLITE_ROW) {
    if (count == room) names = memory_resize(names, (room = room * 2 + 16) * sizeof *names);
    names[count] = memory_string((const char *)sqlite3_column_text(rows, 0));
    size_t size = strlen(names[count++]);
    if (size > widest) widest = size;
  }
  sqlite3_finalize(rows);
  if (code != SQLITE_DONE) return fail_db(s);
  size_t across = 80 / (widest + 2);
  if (across < 1) across = 1;
  size_t lines = (count + across - 1) / across;
  for (size_t i = 0; i < lines; i++) {
    for (size_t k = i; k < count; k += lines)
      output_format(s->out, "%s%-*s", k < lines ? "" : "  ", (int)widest, names[k]);
    output_string(s->out, "\n");
  }
  return 0;
}

static void dump_table(sql *s, const char *name) {
  text columns = {0};
  sqlite3_stmt *rows = sql_prepare(s, "SELECT * FROM \"%w\"", name);
  if (rows == NULL) {
    output_format(s->out, "/****** ERROR: %s ******/\n", sqlite3_errmsg(s->db));
    return;
  }
  int count = sqlite3_column_count(rows), code;
  text_format(&columns,
              sql_needs_quotes(name) ? "INSERT INTO \"%s\" VALUES(" : "INSERT INTO %s VALUES(",
              name);
  while ((code = sql_step(s, rows)) == SQLITE_ROW && s->out->error == 0) {
    output_write(s->out, columns.at, columns.len);
    for (int i = 0; i < count; i++) {
      if (i > 0) output_byte(s->out, ',');
      sql_put_literal(s, rows, i, true);
    }
    output_string(s->out, ");\n");
  }
  sqlite3_finalize(rows);
  text_free(&columns);
  if (code != SQLITE_DONE && code != SQLITE_ROW)
    output_format(s->out, "/****** CORRUPTION ERROR: %s ******/\n", sqlite3_errmsg(s->db));
}

/* The WHERE of the names that were asked for; malloc'd. */
static char *names_like(int argc, char **argv) {
  text where = {0};
  text_string(&where, argc > 1 ? "" : "1");
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') continue;
    char *part =
        sql_text_format("%sname LIKE %Q ESCAPE '\\'", where.len > 0 ? " OR " : "", argv[i]);
    text_string(&where, part);
    sqlite3_free(part);
  }
  if (where.len == 0) text_string(&where, "1");
  return text_end(&where);
}

static int do_dump(sql *s, int argc, char **argv) {
  char *where = names_like(argc, argv);
  output_string(s->out, "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n");
  sqlite3_exec(s->db, "SAVEPOINT dump; PRAGMA writable_schema=ON", NULL, NULL, NULL);
  sqlite3_stmt *rows = sql_prepare(
      s,
      "SELECT name, sql FROM sqlite_schema WHERE (%s) AND type='table' AND sql NOT NULL ORDER BY "
      "tbl_name='sqlite_sequence', rowid",
      where);
  int code = SQLITE_ERROR;
  bool writable = false;
  while (rows != NULL && (code = sql_step(s, rows)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(rows, 0);
    const char *made = (const char *)sqlite3_column_text(rows, 1);
    if (strcmp(name, "sqlite_sequence") == 0) {
      output_string(s->out, "DELETE FROM sqlite_sequence;\n");
    } else if (sqlite3_strglob("sqlite_stat?", name) == 0) {
      output_string(s->out, "ANALYZE sqlite_schema;\n");
    } else if (strncmp(name, "sqlite_", 7) == 0) {
      continue;
    } else if (sqlite3_strnicmp(made, "CREATE VIRTUAL TABLE", 20) == 0) {
      if (!writable) output_string(s->out, "PRAGMA writable_schema=ON;\n");
      writable = true;
      char *insert = sql_text_format(
          "INSERT INTO "
          "sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','%q','%q',0,'%q');",
          name, name, made);
      output_format(s->out, "%s\n", insert);
      sqlite3_free(insert);
      continue;
    } else {
      put_statement(s, NULL, made, ";\n");
    }
    dump_table(s, name);
  }
  sqlite3_finalize(rows);
  rows = sql_prepare(s,
                     "SELECT sql FROM sqlite_schema WHERE (%s) AND sql NOT NULL AND type IN "
                     "('index','trigger','view')",
                     where);
  while (rows != NULL && sql_step(s, rows) == SQLITE_ROW)
    output_format(s->out, "%s;\n", (const char *)sqlite3_column_text(rows, 0));
  sqlite3_finalize(rows);
  if (writable) output_string(s->out, "PRAGMA writable_schema=OFF;\n");
  sqlite3_exec(s->db, "PRAGMA writable_schema=OFF; RELEASE dump", NULL, NULL, NULL);
  output_string(s->out, code == SQLITE_DONE ? "COMMIT;\n" : "ROLLBACK; -- due to errors\n");
  free(where);
  return code == SQLITE_DONE ? 0 : 1;
}

static int do_databases(sql *s) {
  sqlite3_stmt *rows = sql_prepare(s, "PRAGMA database_list");
  if (rows == NULL) return fail_db(s);
  while (sql_step(s, rows) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(rows, 1);
    const char *path = (const char *)sqlite3_column_text(rows, 2);
    bool none = path == NULL || *path == 0;
    output_format(s->out, "%s: %s %s\n", name, none ? "\"\"" : path,
                  sqlite3_db_readonly(s->db, name) == 1 ? "r/o" : "r/w");
  }
  sqlite3_finalize(rows);
  return 0;
}

/* ---- files ---- */

static void close_output(sql *s) {
  output_flush(s->out);
  if (s->out == &s->file) {
    if (s->file.fd > 2) sys_close(s->file.fd);
    free(s->file.buffer);
    s->file = (output){0};
  }
  s->out = &s->b.out;
  s->once = false;
}

static int do_output(sql *s, int argc, char **argv, bool once) {
  const char *path = NULL;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] != '-') path = argv[i];
  }
  close_output(s);
  if (path == NULL || strcmp(path, "stdout") == 0) return 0;
  if (*path == '|') {
    say(s, "Error: pipes are not supported: \"%s\"\n", path);
    return 1;
  }
  int fd = strcmp(path, "off") == 0
               ? sys_open("/dev/null", OPEN_WRITE, 0)
               : sys_open(path, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
  if (fd < 0) {
    say(s, "Error: cannot open \"%s\"\n", path);
    return 1;
  }
  output_open_fd(&s->file, fd);
  s->out = &s->file;
  s->once = once;
  return 0;
}

static int do_read(sql *s, const char *path) {
  input in;
  if (s->depth >= READ_DEPTH) {
    say(s, "Input nesting limit (%d) reached at line 1. Check recursion.\n", READ_DEPTH);
    return 1;
  }
  int error = *path == '|' ? -ENOENT : sys_open(path, OPEN_READ, 0);
  if (error < 0) {
    say(s, "Error: cannot open \"%s\"\n", path);
    return 1;
  }
  input_open_fd(&in, error);
  s->depth++;
  int failures = sql_process(s, &in);
  s->depth--;
  input_close(&in);
  return s->leave ? 2 : failures > 0;
}

static int do_backup(sql *s, int argc, char **argv, bool restore) {
  const char *schema = "main", *path = NULL;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') continue;
    if (path != NULL) schema = path;
    path = argv[i];
  }
  if (path == NULL) {
    say(s, restore ? "Usage: .restore ?DB? FILE\n" : "missing FILENAME argument on .backup\n");
    return 1;
  }
  sqlite3 *other = NULL;
  if (sqlite3_open(path, &other) != SQLITE_OK) {
    say(s, "Error: cannot open \"%s\"\n", path);
    sqlite3_close(other);
    return 1;
  }
  sqlite3_backup *copy = restore ? sqlite3_backup_init(s->db, schema, other, "main")
                                 : sqlite3_backup_init(other, "main", s->db, schema);
  sqlite3 *target = restore ? s->db : other;
  int code = SQLITE_ERROR;
  if (copy != NULL) {
    while ((code = sqlite3_backup_step(copy, 100)) == SQLITE_OK) {
    }
    sqlite3_backup_finish(copy);
  }
  if (code != SQLITE_DONE) say(s, "Error: %s\n", sqlite3_errmsg(target));
  sqlite3_close(other);
  return code != SQLITE_DONE;
}

static int do_open(sql *s, int argc, char **argv) {
  bool fresh = false;
  const char *path = NULL;
  s->read_only = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--new") == 0 || strcmp(argv[i], "-new") == 0)
      fresh = true;
    else if (strcmp(argv[i], "--readonly") == 0 || strcmp(argv[i], "-readonly") == 0)
      s->read_only = true;
    else if (argv[i][0] == '-') {
      say(s, "unknown option: %s\n", argv[i]);
      return 1;
    } else
      path = argv[i];
  }
  sqlite3_close_v2(s->db);
  s->db = NULL;
  if (fresh && path != NULL) sys_unlink(path);
  s->path = path == NULL ? NULL : memory_string(path);
  if (!sql_open(s, true)) {
    say(s, "Error: cannot open '%s'\n", path == NULL ? ":memory:" : path);
    s->path = NULL;
    return 1;
  }
  return 0;
}

static void put_escaped(sql *s, const char *name, const char *value) {
  output_format(s->out, "%12.12s: \"", name);
  for (; *value != 0; value++) {
    if (*value == '\n')
      output_string(s->out, "\\n");
    else if (*value == '\r')
      output_string(s->out, "\\r");
    else if (*value == '\t')
      output_string(s->out, "\\t");
    else if (*value == '"' || *value == '\\')
      output_format(s->out, "\\%c", *value);
    else if ((unsigned char)*value < ' ')
      output_format(s->out, "\\%03o", *value);
    else
      output_byte(s->out, *value);
  }
  output_string(s->out, "\"\n");
}

static int do_show(sql *s) {
  output *out = s->out;
  output_format(out, "%12.12s: %s\n", "echo", s->echo ? "on" : "off");
  output_format(out, "%12.12s: off\n%12.12s: auto\n", "eqp", "explain");
  output_format(out, "%12.12s: %s\n", "headers", s->headers ? "on" : "off");
  output_format(out, "%12.12s: ", "mode");
  put_mode(s);
  put_escaped(s, "nullvalue", s->null);
  output_format(out, "%12.12s: %s\n", "output", s->out == &s->b.out ? "stdout" : "file");
  put_escaped(s, "colseparator", s->column);
  put_escaped(s, "rowseparator", s->row);
  output_format(out, "%12.12s: off\n%12.12s: ", "stats", "width");
  for (int i = 0; i < WIDTHS && s->widths[i] != 0; i++) output_format(out, "%d ", s->widths[i]);
  output_format(out, "\n%12.12s: %s\n", "filename", s->path == NULL ? ":memory:" : s->path);
  return 0;
}

static int do_help(sql *s) {
  output_string(s->out,
                ".backup ?DB? FILE        Backup DB (default \"main\") to FILE\n"
                ".bail on|off             Stop after hitting an error.  Default OFF\n"
                ".cd DIRECTORY            Change the working directory to DIRECTORY\n"
                ".changes on|off          Show number of rows changed by SQL\n"
                ".databases               List names and files of attached databases\n"
                ".dump ?OBJECTS?          Render database content as SQL\n"
                ".echo on|off             Turn command echo on or off\n"
                ".exit ?CODE?             Exit this program with return-code CODE\n"
                ".headers on|off          Turn display of headers on or off\n"
                ".help                    Show this text\n"
                ".import FILE TABLE       Import data from FILE into TABLE\n"
                ".indexes ?TABLE?         Show names of indexes\n"
                ".mode MODE ?OPTIONS?     Set output mode\n"
                ".nullvalue STRING        Use STRING in place of NULL values\n"
                ".once FILE               Output for the next SQL command only to FILE\n"
                ".open ?OPTIONS? ?FILE?   Close existing database and reopen FILE\n"
                ".output ?FILE?           Send output to FILE or stdout if FILE is omitted\n"
                ".print STRING...         Print literal STRING\n"
                ".quit                    Exit this program\n"
                ".read FILE               Read input from FILE\n"
                ".restore ?DB? FILE       Restore content of DB (default \"main\") from FILE\n"
                ".save FILE               Write database to FILE (an alias for .backup)\n"
                ".schema ?PATTERN?        Show the CREATE statements matching PATTERN\n"
                ".separator COL ?ROW?     Change the column and row separators\n"
                ".show                    Show the current values for various settings\n"
                ".tables ?TABLE?          List names of tables matching LIKE pattern TABLE\n"
                ".timeout MS              Try opening locked tables for MS milliseconds\n"
                ".width NUM1 NUM2 ...     Set minimum column widths for columnar output\n");
  return 0;
}

/* Whether the word is the start of the command's name, and long enough to be clear. */
static bool is_command(const char *word, const char *name, size_t least) {
  size_t size = strlen(word);
  return size >= least && strncmp(word, name, size) == 0 && size <= strlen(name);
}

static int wrong(sql *s, const char *usage) {
  say(s, "Usage: %s\n", usage);
  return 1;
}

static int run_dot(sql *s, int argc, char **argv) {
  const char *c = argv[0], *first = argc > 1 ? argv[1] : NULL;
  bool needs_db = is_command(c, "tables", 2) || is_command(c, "schema", 4) ||
                  is_command(c, "dump", 2) || is_command(c, "indexes", 3) ||
                  is_command(c, "indices", 3) || is_command(c, "databases", 4) ||
                  is_command(c, "import", 2) || is_command(c, "backup", 3) ||
                  is_command(c, "save", 2) || is_command(c, "restore", 3);
  if (needs_db && !sql_open(s, false)) return 1;
  if (is_command(c, "backup", 3) || is_command(c, "save", 2))
    return do_backup(s, argc, argv, false);
  if (is_command(c, "restore", 3)) return do_backup(s, argc, argv, true);
  if (is_command(c, "bail", 3)) {
    if (argc != 2) return wrong(s, ".bail on|off");
    s->bail = is_on(s, first);
    return 0;
  }
  if (strcmp(c, "cd") == 0) {
    if (argc != 2) return wrong(s, ".cd DIRECTORY");
    if (sys_chdir(first) == 0) return 0;
    say(s, "Cannot change to directory \"%s\"\n", first);
    return 1;
  }
  if (is_command(c, "changes", 3)) {
    if (argc != 2) return wrong(s, ".changes on|off");
    s->changes = is_on(s, first);
    return 0;
  }
  if (is_command(c, "databases", 4)) return do_databases(s);
  if (is_command(c, "dump", 2)) return do_dump(s, argc, argv);
  if (is_command(c, "echo", 2)) {
    if (argc != 2) return wrong(s, ".echo on|off");
    s->echo = is_on(s, first);
    return 0;
  }
  if (is_command(c, "exit", 2) || is_command(c, "quit", 1)) {
    s->leave = true;
    s->leave_status = *c == 'e' && argc > 1 ? atoi(first) & 255 : 0;
    return 2;
  }
  if (is_command(c, "headers", 4)) {
    if (argc != 2) return wrong(s, ".headers on|off");
    s->headers = is_on(s, first);
    s->headers_set = true;
    return 0;
  }
  if (is_command(c, "help", 1)) return do_help(s);
  if (is_command(c, "import", 2)) return sql_import(s, argc, argv);
  if (is_command(c, "indexes", 3) || is_command(c, "indices", 3)) return do_names(s, first, true);
  if (is_command(c, "mode", 2)) return do_mode(s, argc, argv);
  if (is_command(c, "nullvalue", 2)) {
    if (argc != 2) return wrong(s, ".nullvalue STRING");
    s->null = memory_string(first);
    return 0;
  }
  if (is_command(c, "once", 2)) {
    if (argc < 2) return wrong(s, ".once FILE");
    return do_output(s, argc, argv, true);
  }
  if (is_command(c, "open", 2)) return do_open(s, argc, argv);
  if (is_command(c, "output", 1)) return do_output(s, argc, argv, false);
  if (is_command(c, "print", 2)) {
    for (int i = 1; i < argc; i++) output_format(s->out, "%s%s", i > 1 ? " " : "", argv[i]);
    output_string(s->out, "\n");
    return 0;
  }
  if (is_command(c, "read", 3)) return argc == 2 ? do_read(s, first) : wrong(s, ".read FILE");
  if (is_command(c, "schema", 4)) {
    const char *pattern = NULL;
    for (int i = 1; i < argc; i++) {
      if (argv[i][0] != '-') pattern = argv[i];
    }
    return do_schema(s, pattern);
  }
  if (is_command(c, "separator", 3)) {
    if (argc < 2 || argc > 3) return wrong(s, ".separator COL ?ROW?");
    snprintf(s->column, sizeof s->column, "%s", first);
    if (argc > 2) snprintf(s->row, sizeof s->row, "%s", argv[2]);
    return 0;
  }
  if (is_command(c, "show", 2)) return argc == 1 ? do_show(s) : wrong(s, ".show");
  if (is_command(c, "tables", 2)) return do_names(s, first, false);
  if (is_command(c, "timeout", 5)) {
    s->patience = argc > 1 ? (int64_t)atoi(first) * 1000000 : 0;
    return 0;
  }
  if (is_command(c, "width", 1)) {
    for (int i = 0; i < WIDTHS; i++) s->widths[i] = i + 1 < argc ? atoi(argv[i + 1]) : 0;
    return 0;
  }
  /* What shows or tunes what is not here, but stands in scripts. */
  if (is_command(c, "timer", 5) || is_command(c, "stats", 3) || is_command(c, "prompt", 2) ||
      is_command(c, "eqp", 3) || is_command(c, "explain", 3))
    return 0;
  say(s, "Error: unknown command or invalid arguments:  \"%s\". Enter \".help\" for help\n", c);
  return 1;
}

int sql_dot(sql *s, char *line) {
  char *argv[WORDS];
  int argc = 0;
  for (char *at = line + 1; argc < WORDS - 1;) {
    while (is_blank(*at)) at++;
    if (*at == 0) break;
    at = take_word(at, &argv[argc++]);
  }
  argv[argc] = NULL;
  if (argc == 0) return 0;
  bool sets_output = is_command(argv[0], "once", 2) || is_command(argv[0], "output", 1);
  int code = run_dot(s, argc, argv);
  if (s->once && !sets_output) close_output(s);
  return code;
}

/* ---- scripts ---- */

static int run_statements(sql *s, const char *at, size_t line) {
  char *error;
  if (!sql_open(s, false)) return 1;
  sql_run(s, at, &error);
  if (s->once) close_output(s);
  if (error != NULL) {
    const char *kind = "Error", *tail = error;
    if (strncmp(error, "in prepare, ", 12) == 0) {
      kind = "Parse error";
      tail = error + 12;
    } else if (strncmp(error, "stepping, ", 10) == 0) {
      kind = "Runtime error";
      tail = error + 10;
    }
    say(s, "%s near line %d: %s\n", kind, (int)line, tail);
    free(error);
    return 1;
  }
  if (s->changes)
    output_format(s->out, "changes: %lld   total_changes: %lld\n",
                  (long long)sqlite3_changes64(s->db), (long long)sqlite3_total_changes64(s->db));
  return 0;
}

static bool is_all_blank(const char *at) {
  for (;;) {
    while (is_blank(*at)) at++;
    if (*at == 0) return true;
    if (at[0] == '-' && at[1] == '-') {
      while (*at != 0 && *at != '\n') at++;
    } else if (at[0] == '/' && at[1] == '*') {
      const char *end = strstr(at + 2, "*/");
      if (end == NULL) return false;
      at = end + 2;
    } else {
      return false;
    }
  }
}

/* "/" or "go" alone, as other databases' scripts end statements. */
static bool ends_statement(const char *at) {
  while (is_blank(*at)) at++;
  if (*at == '/')
    at++;
  else if ((at[0] | 32) == 'g' && (at[1] | 32) == 'o')
    at += 2;
  else
    return false;
  return is_all_blank(at);
}

int sql_process(sql *s, input *in) {
  text pending = {0};
  size_t number = 0, start = 0, size;
  int failures = 0;
  char *line;
  while (!(s->bail && failures > 0) && s->out->error == 0 && input_line(in, &line, &size, NULL)) {
    number++;
    char *copy = memory_copy(line, size);
    size = strlen(copy);
    if (size > 0 && copy[size - 1] == '\r') copy[--size] = 0;
    if (pending.len == 0 && is_all_blank(copy)) {
      if (s->echo) output_format(s->out, "%s\n", copy);
      free(copy);
      continue;
    }
    if (pending.len == 0 && (*copy == '.' || *copy == '#')) {
      if (s->echo) output_format(s->out, "%s\n", copy);
      int code = *copy == '.' ? sql_dot(s, copy) : 0;
      free(copy);
      if (code == 2) break;
      failures += code != 0;
      continue;
    }
    if (pending.len > 0 && ends_statement(copy) &&
        (text_char(&pending, ';'), sqlite3_complete(text_end(&pending)))) {
      strcpy(copy, "");
    } else if (pending.len > 0 && ends_statement(copy)) {
      pending.len--;
    }
    if (pending.len == 0) {
      start = number;
      const char *from = copy;
      while (is_blank(*from)) from++;
      text_string(&pending, from);
    } else {
      text_char(&pending, '\n');
      text_string(&pending, copy);
    }
    bool semicolon = strchr(copy, ';') != NULL || *copy == 0;
    free(copy);
    if (semicolon && sqlite3_complete(text_end(&pending))) {
      if (s->echo) output_format(s->out, "%s\n", pending.at);
      failures += run_statements(s, pending.at, start);
      pending.len = 0;
    } else if (is_all_blank(text_end(&pending))) {
      pending.len = 0;
    }
  }
  if (pending.len > 0 && !s->leave && !(s->bail && failures > 0) &&
      !is_all_blank(text_end(&pending))) {
    if (s->echo) output_format(s->out, "%s\n", pending.at);
    failures += run_statements(s, pending.at, start);
  }
  text_free(&pending);
  return failures;
}
