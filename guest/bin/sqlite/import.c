// SPDX-License-Identifier: MIT
// import.c -- the sqlite3 command's .import: rows of a CSV (or other) file into a table.
#include "sql.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
  sql *s;
  input in;
  const char *path;
  int line, column, row; /* the separators are bytes here */
  bool ascii;
  text field;
  int ended_by; /* the byte behind the field just read; -1 at the end */
  bool skipped_mark;
} reader;

static void say_line(reader *r, int line, const char *message) {
  text all = {0};
  text_format(&all, "%s:%d: %s\n", r->path, line, message);
  output_flush(r->s->out);
  sys_write(2, all.at, all.len);
  text_free(&all);
}

static void read_quoted(reader *r) {
  int start = r->line, before = '"', second = 0;
  for (;;) {
    int c = input_byte(&r->in);
    if (c == r->row) r->line++;
    if (c == '"' && before == '"' && second != 0) {
      second = 0; /* "" */
      before = 0;
      text_char(&r->field, '"');
      continue;
    }
    if (second != 0) {
      if (c == r->column || c == r->row || c < 0 || (c == '\r' && r->row == '\n')) {
        if (c == '\r') {
          c = input_byte(&r->in);
          if (c == r->row) r->line++;
        }
        r->ended_by = c;
        return;
      }
      say_line(r, r->line, "unescaped \" character");
      text_char(&r->field, '"');
      second = 0;
    }
    if (c < 0) {
      text all = {0};
      text_format(&all, "unterminated %c-quoted field", '"');
      say_line(r, start, text_end(&all));
      text_free(&all);
      r->ended_by = -1;
      return;
    }
    if (c == '"') {
      second = 1;
      before = '"';
      continue;
    }
    before = c;
    text_char(&r->field, (char)c);
  }
}

/* The next field; NULL at the end of the file. */
static char *read_field(reader *r) {
  r->field.len = 0;
  if (!r->skipped_mark) {
    char *at;
    if (input_peek(&r->in, 3, &at) >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
      input_take(&r->in, 3);
    r->skipped_mark = true;
  }
  int c = input_byte(&r->in);
  if (c < 0) {
    r->ended_by = -1;
    return NULL;
  }
  if (c == '"' && !r->ascii) {
    read_quoted(r);
    return text_end(&r->field);
  }
  while (c >= 0 && c != r->column && c != r->row) {
    text_char(&r->field, (char)c);
    c = input_byte(&r->in);
  }
  if (c == r->row) {
    r->line++;
    if (!r->ascii && r->field.len > 0 && r->field.at[r->field.len - 1] == '\r') r->field.len--;
  }
  r->ended_by = c;
  return text_end(&r->field);
}

static int fail(sql *s, const char *format, const char *word) {
  text all = {0};
  text_string(&all, "Error: ");
  text_format(&all, "%s%s%s\n", format, word, *word == 0 ? "" : "\"");
  output_flush(s->out);
  sys_write(2, all.at, all.len);
  text_free(&all);
  return 1;
}

typedef struct {
  char **at;
  int count, room;
} names;

/* The first row's fields, made different from each other, as a CREATE TABLE. malloc'd. */
static char *creation(sql *s, names *n, const char *schema, const char *table, const char *path) {
  text all = {0}, renamed = {0};
  int digits = n->count < 10 ? 1 : n->count < 100 ? 2 : n->count < 1000 ? 3 : 4;
  char *head = schema == NULL ? sql_text_format("CREATE TABLE \"%w\"", table)
                              : sql_text_format("CREATE TABLE \"%w\".\"%w\"", schema, table);
  text_string(&all, head);
  sqlite3_free(head);
  for (int i = 0; i < n->count; i++) {
    bool same = false;
    for (int k = 0; k < n->count; k++) same |= k != i && sqlite3_stricmp(n->at[i], n->at[k]) == 0;
    char number[32] = "";
    if (same) {
      snprintf(number, sizeof number, "_%0*d", digits, i + 1);
      char *line = sql_text_format("%s\"%w\" to \"%w%s\"", renamed.len == 0 ? "" : ",\n", n->at[i],
                                   n->at[i], number);
      text_string(&renamed, line);
      sqlite3_free(line);
    }
    char *column = sql_text_format("%s\"%w%s\" TEXT", i == 0 ? "(\n" : ", ",
                                   *n->at[i] == 0 && !same ? "?" : n->at[i], number);
    text_string(&all, column);
    sqlite3_free(column);
  }
  text_string(&all, ")");
  if (renamed.len > 0) {
    text message = {0};
    text_format(&message, "Columns renamed during .import %s due to duplicates:\n%s\n", path,
                text_end(&renamed));
    output_flush(s->out);
    sys_write(2, message.at, message.len);
  }
  return text_end(&all);
}

static int insert_rows(sql *s, reader *r, sqlite3_stmt *insert, int count) {
  bool more = true;
  while (more) {
    int start = r->line, i;
    for (i = 0; i < count; i++) {
      char *field = read_field(r);
      if (field == NULL && i == 0) {
        more = false;
        break;
      }
      if (r->ascii && i == 0 && (field == NULL || *field == 0) && r->ended_by < 0) {
        more = false;
        break;
      }
      sqlite3_bind_text(insert, i + 1, field, field == NULL ? 0 : (int)r->field.len,
                        SQLITE_TRANSIENT);
      if (i < count - 1 && r->ended_by != r->column) {
        char message[120];
        snprintf(message, sizeof message,
                 "expected %d columns but found %d - filling the rest with NULL", count, i + 1);
        say_line(r, start, message);
        for (i += 2; i <= count; i++) sqlite3_bind_null(insert, i);
        i = count;
        break;
      }
    }
    if (!more) break;
    if (r->ended_by == r->column) {
      int found = count;
      do {
        read_field(r);
        found++;
      } while (r->ended_by == r->column);
      char message[120];
      snprintf(message, sizeof message, "expected %d columns but found %d - extras ignored", count,
               found);
      say_line(r, start, message);
    }
    sql_step(s, insert);
    if (sqlite3_reset(insert) != SQLITE_OK) {
      text message = {0};
      text_format(&message, "INSERT failed: %s", sqlite3_errmsg(s->db));
      say_line(r, start, text_end(&message));
      text_free(&message);
    }
    if (r->ended_by < 0) break;
  }
  return 0;
}

int sql_import(sql *s, int argc, char **argv) {
  const char *path = NULL, *table = NULL, *schema = NULL;
  int skip = 0;
  bool csv = false;
  reader r = {.s = s, .line = 1, .ascii = s->mode == MODE_ASCII};
  for (int i = 1; i < argc; i++) {
    const char *option = argv[i][0] == '-' ? argv[i] + 1 + (argv[i][1] == '-') : NULL;
    if (option == NULL && path == NULL)
      path = argv[i];
    else if (option == NULL && table == NULL)
      table = argv[i];
    else if (option != NULL && strcmp(option, "skip") == 0 && i + 1 < argc)
      skip = atoi(argv[++i]);
    else if (option != NULL && strcmp(option, "schema") == 0 && i + 1 < argc)
      schema = argv[++i];
    else if (option != NULL && strcmp(option, "csv") == 0)
      csv = true;
    else if (option != NULL && strcmp(option, "ascii") == 0)
      r.ascii = true;
    else if (option == NULL || strcmp(option, "v") != 0) {
      text all = {0};
      text_format(&all,
                  option == NULL ? "ERROR: extra argument: \"%s\".  Usage:\n"
                                 : "ERROR: unknown option: \"%s\".  Usage:\n",
                  argv[i]);
      output_string(s->out, text_end(&all));
      output_string(s->out, ".import FILE TABLE       Import data from FILE into TABLE\n");
      return 1;
    }
  }
  if (table == NULL) {
    output_format(s->out, "ERROR: missing %s argument. Usage:\n", path == NULL ? "FILE" : "TABLE");
    output_string(s->out, ".import FILE TABLE       Import data from FILE into TABLE\n");
    return 1;
  }
  const char *column = csv ? "," : r.ascii ? "\x1f" : s->column;
  const char *row = csv ? "\n" : r.ascii ? "\x1e" : s->row;
  if (*column == 0) return fail(s, "non-null column separator required for import", "");
  if (column[1] != 0)
    return fail(s, "multi-character column separators not allowed for import", "");
  if (*row == 0) return fail(s, "non-null row separator required for import", "");
  if (row == s->row && s->mode == MODE_CSV && strcmp(row, "\r\n") == 0)
    strcpy(s->row, "\n"); /* and so it stays, as with the real one */
  if (row[1] != 0) return fail(s, "multi-character row separators not allowed for import", "");
  r.column = (unsigned char)*column;
  r.row = (unsigned char)*row;
  r.path = path;
  int fd = strcmp(path, "-") == 0 ? 0 : sys_open(path, OPEN_READ, 0);
  if (fd < 0) return fail(s, "cannot open \"", path);
  input_open_fd(&r.in, fd);
  while (skip-- > 0) {
    while (read_field(&r) != NULL && r.ended_by == r.column) {
    }
  }
  char *target = schema == NULL ? sql_text_format("\"%w\"", table)
                                : sql_text_format("\"%w\".\"%w\"", schema, table);
  sqlite3_stmt *probe = sql_prepare(s, "SELECT * FROM %s", target);
  if (probe == NULL && sqlite3_strglob("no such table: *", sqlite3_errmsg(s->db)) == 0) {
    names n = {0};
    char *field;
    while ((field = read_field(&r)) != NULL) {
      if (n.count == n.room)
        n.at = memory_resize(n.at, (size_t)(n.room = n.room * 2 + 8) * sizeof *n.at);
      n.at[n.count++] = memory_string(field);
      if (r.ended_by != r.column) break;
    }
    if (n.count == 0) {
      text all = {0};
      text_format(&all, "%s: empty file\n", path);
      output_flush(s->out);
      sys_write(2, all.at, all.len);
      input_close(&r.in);
      return 1;
    }
    char *create = creation(s, &n, schema, table, path);
    char *message = NULL;
    if (sqlite3_exec(s->db, create, NULL, NULL, &message) != SQLITE_OK) {
      text all = {0};
      text_format(&all, "%s failed:\n%s\n", create, message);
      output_flush(s->out);
      sys_write(2, all.at, all.len);
      input_close(&r.in);
      return 1;
    }
    probe = sql_prepare(s, "SELECT * FROM %s", target);
  }
  int count = probe == NULL ? 0 : sqlite3_column_count(probe);
  sqlite3_finalize(probe);
  text question = {0};
  text_format(&question, "INSERT INTO %s VALUES(?", target);
  for (int i = 1; i < count; i++) text_string(&question, ",?");
  text_char(&question, ')');
  sqlite3_stmt *insert = count == 0 ? NULL : sql_prepare(s, "%s", text_end(&question));
  if (insert == NULL) {
    text all = {0};
    text_format(&all, "Error: %s\n", sqlite3_errmsg(s->db));
    output_flush(s->out);
    sys_write(2, all.at, all.len);
    input_close(&r.in);
    return 1;
  }
  bool own = sqlite3_get_autocommit(s->db) != 0;
  if (own) sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
  insert_rows(s, &r, insert, count);
  sqlite3_finalize(insert);
  if (own) sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
  input_close(&r.in);
  return 0;
}
