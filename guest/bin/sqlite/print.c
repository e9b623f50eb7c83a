// SPDX-License-Identifier: MIT
// print.c -- the sqlite3 command's output modes, as the shell of SQLite 3.40 lays them out.
#include "sql.h"

#include <stdio.h>

static void put(sql *s, const char *text) {
  output_string(s->out, text);
}

static const char *cell(sql *s, sqlite3_stmt *statement, int column) {
  const char *at = (const char *)sqlite3_column_text(statement, column);
  return at == NULL ? s->null : at;
}

bool sql_needs_quotes(const char *name) {
  const unsigned char *at = (const unsigned char *)name;
  if (!((*at | 32) >= 'a' && (*at | 32) <= 'z') && *at != '_') return true;
  for (; *at != 0; at++) {
    bool letter = (*at | 32) >= 'a' && (*at | 32) <= 'z';
    if (!letter && !(*at >= '0' && *at <= '9') && *at != '_') return true;
  }
  return sqlite3_keyword_check(name, (int)strlen(name)) != 0;
}

static void put_name(sql *s, const char *name) {
  if (!sql_needs_quotes(name)) {
    put(s, name);
    return;
  }
  char *quoted = sql_text_format("\"%w\"", name);
  put(s, quoted);
  sqlite3_free(quoted);
}

static void put_quoted(sql *s, const char *at) {
  output_byte(s->out, '\'');
  for (; *at != 0; at++) {
    if (*at == '\'') output_byte(s->out, '\'');
    output_byte(s->out, *at);
  }
  output_byte(s->out, '\'');
}

/* A word that the text does not hold, to stand for a newline. */
static char *stand_in(const char *text, const char *a, const char *b) {
  if (strstr(text, a) == NULL) return sql_text_format("%s", a);
  if (strstr(text, b) == NULL) return sql_text_format("%s", b);
  for (unsigned n = 0;; n++) {
    char *word = sql_text_format("(%s%u)", b, n);
    if (strstr(text, word) == NULL) return word;
    sqlite3_free(word);
  }
}

/* 'text', or replace('te\nxt','\n',char(10)) so that each row is one line. */
static void put_escaped(sql *s, const char *at) {
  bool newline = strchr(at, '\n') != NULL, carriage = strchr(at, '\r') != NULL;
  if (!newline && !carriage) {
    put_quoted(s, at);
    return;
  }
  char *line = newline ? stand_in(at, "\\n", "\\012") : NULL;
  char *back = carriage ? stand_in(at, "\\r", "\\015") : NULL;
  if (newline) put(s, "replace(");
  if (carriage) put(s, "replace(");
  output_byte(s->out, '\'');
  for (; *at != 0; at++) {
    if (*at == '\n') {
      put(s, line);
    } else if (*at == '\r') {
      put(s, back);
    } else {
      if (*at == '\'') output_byte(s->out, '\'');
      output_byte(s->out, *at);
    }
  }
  output_byte(s->out, '\'');
  if (carriage) output_format(s->out, ",'%s',char(13))", back);
  if (newline) output_format(s->out, ",'%s',char(10))", line);
  sqlite3_free(line);
  sqlite3_free(back);
}

static void put_blob(sql *s, sqlite3_stmt *statement, int column) {
  const unsigned char *at = sqlite3_column_blob(statement, column);
  int size = sqlite3_column_bytes(statement, column);
  put(s, "X'");
  for (int i = 0; i < size; i++) {
    output_byte(s->out, "0123456789abcdef"[at[i] >> 4]);
    output_byte(s->out, "0123456789abcdef"[at[i] & 15]);
  }
  put(s, "'");
}

/* A number with all its digits. */
static void put_real(sql *s, double value) {
  char text[64];
  if (value > 1.79769313486231570e308 || value < -1.79769313486231570e308)
    put(s, value > 0 ? "1e999" : "-1e999");
  else
    put(s, sqlite3_snprintf(sizeof text, text, "%!.20g", value));
}

void sql_put_literal(sql *s, sqlite3_stmt *statement, int column, bool escaped) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      put(s, "NULL");
      break;
    case SQLITE_INTEGER:
      put(s, cell(s, statement, column));
      break;
    case SQLITE_FLOAT:
      put_real(s, sqlite3_column_double(statement, column));
      break;
    case SQLITE_BLOB:
      put_blob(s, statement, column);
      break;
    default:
      if (escaped)
        put_escaped(s, cell(s, statement, column));
      else
        put_quoted(s, cell(s, statement, column));
      break;
  }
}

static void put_csv(sql *s, const char *at, bool last) {
  if (at == NULL) {
    put(s, s->null);
  } else {
    bool quoted = *at == 0 || (s->column[0] != 0 && strstr(at, s->column) != NULL);
    for (const unsigned char *c = (const unsigned char *)at; *c != 0 && !quoted; c++)
      quoted = *c <= ' ' || *c == '"' || *c == '\'' || *c >= 127;
    if (quoted) output_byte(s->out, '"');
    for (; *at != 0; at++) {
      if (*at == '"') output_byte(s->out, '"');
      output_byte(s->out, *at);
    }
    if (quoted) output_byte(s->out, '"');
  }
  if (!last) put(s, s->column);
}

static void put_json_text(sql *s, const char *at, size_t size) {
  output_byte(s->out, '"');
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)at[i];
    const char *found = c == 0 ? NULL : strchr("\"\\\bb\ff\nn\rr\tt", c);
    if (c == '"' || c == '\\') {
      output_byte(s->out, '\\');
      output_byte(s->out, c);
    } else if (c < ' ' && found != NULL) {
      output_byte(s->out, '\\');
      output_byte(s->out, found[1]);
    } else if (c < ' ') {
      output_format(s->out, "\\u%04x", c);
    } else {
      output_byte(s->out, c);
    }
  }
  output_byte(s->out, '"');
}

static void put_html(sql *s, const char *at) {
  for (; *at != 0; at++) {
    const char *name = *at == '<'    ? "&lt;"
                       : *at == '&'  ? "&amp;"
                       : *at == '>'  ? "&gt;"
                       : *at == '"'  ? "&quot;"
                       : *at == '\'' ? "&#39;"
                                     : NULL;
    if (name != NULL)
      put(s, name);
    else
      output_byte(s->out, *at);
  }
}

static void put_tcl(sql *s, const char *at) {
  output_byte(s->out, '"');
  for (; *at != 0; at++) {
    unsigned char c = (unsigned char)*at;
    if (c == '\\' || c == '"')
      output_format(s->out, "\\%c", c);
    else if (c == '\t' || c == '\n' || c == '\r')
      output_format(s->out, "\\%c", c == '\t' ? 't' : c == '\n' ? 'n' : 'r');
    else if (c < ' ' || c >= 127)
      output_format(s->out, "\\%03o", c);
    else
      output_byte(s->out, c);
  }
  output_byte(s->out, '"');
}

/* ---- a row at a time ---- */

static void put_header(sql *s, sqlite3_stmt *statement, int count) {
  if (s->mode == MODE_HTML) put(s, "<TR>");
  for (int i = 0; i < count; i++) {
    const char *name = sqlite3_column_name(statement, i);
    bool last = i == count - 1;
    switch (s->mode) {
      case MODE_CSV:
        put_csv(s, name, last);
        break;
      case MODE_HTML:
        put(s, "<TH>");
        put_html(s, name);
        put(s, "</TH>\n");
        break;
      case MODE_TCL:
        put_tcl(s, name);
        if (!last) put(s, s->column);
        break;
      case MODE_QUOTE:
        put_quoted(s, name);
        if (!last) put(s, s->column);
        break;
      default:
        put(s, name);
        if (!last) put(s, s->column);
        break;
    }
  }
  put(s, s->mode == MODE_HTML ? "</TR>\n" : s->row);
}

static void put_line_row(sql *s, sqlite3_stmt *statement, int count, uint64_t number) {
  size_t width = 5;
  for (int i = 0; i < count; i++) {
    size_t size = strlen(sqlite3_column_name(statement, i));
    if (size > width) width = size;
  }
  if (number > 0) put(s, s->row);
  for (int i = 0; i < count; i++) {
    output_format(s->out, "%*s = ", (int)width, sqlite3_column_name(statement, i));
    put(s, cell(s, statement, i));
    put(s, s->row);
  }
}

static void put_json_row(sql *s, sqlite3_stmt *statement, int count, uint64_t number) {
  put(s, number == 0 ? "[{" : ",\n{");
  for (int i = 0; i < count; i++) {
    const char *name = sqlite3_column_name(statement, i);
    put_json_text(s, name, strlen(name));
    output_byte(s->out, ':');
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_NULL:
        put(s, "null");
        break;
      case SQLITE_FLOAT:
        put_real(s, sqlite3_column_double(statement, i));
        break;
      case SQLITE_BLOB:
      case SQLITE_TEXT: {
        const char *at = (const char *)sqlite3_column_text(statement, i);
        put_json_text(s, at == NULL ? "" : at, (size_t)sqlite3_column_bytes(statement, i));
        break;
      }
      default:
        put(s, cell(s, statement, i));
        break;
    }
    output_string(s->out, i == count - 1 ? "}" : ",");
  }
}

static void put_insert_row(sql *s, sqlite3_stmt *statement, int count) {
  put(s, "INSERT INTO ");
  put_name(s, s->table);
  if (s->headers) {
    for (int i = 0; i < count; i++) {
      put(s, i == 0 ? "(" : ",");
      put_name(s, sqlite3_column_name(statement, i));
    }
    put(s, ")");
  }
  for (int i = 0; i < count; i++) {
    put(s, i == 0 ? " VALUES(" : ",");
    sql_put_literal(s, statement, i, true);
  }
  put(s, ");\n");
}

static void put_plain_row(sql *s, sqlite3_stmt *statement, int count) {
  if (s->mode == MODE_HTML) put(s, "<TR>");
  for (int i = 0; i < count; i++) {
    bool last = i == count - 1;
    switch (s->mode) {
      case MODE_CSV:
        put_csv(s, (const char *)sqlite3_column_text(statement, i), last);
        continue;
      case MODE_HTML:
        put(s, "<TD>");
        put_html(s, cell(s, statement, i));
        put(s, "</TD>\n");
        continue;
      case MODE_TCL:
        put_tcl(s, cell(s, statement, i));
        break;
      case MODE_QUOTE:
        sql_put_literal(s, statement, i, false);
        break;
      default:
        put(s, cell(s, statement, i));
        break;
    }
    if (!last) put(s, s->column);
  }
  put(s, s->mode == MODE_HTML ? "</TR>\n" : s->row);
}

static int print_rows(sql *s, sqlite3_stmt *statement) {
  int code, count = sqlite3_column_count(statement);
  uint64_t number = 0;
  for (; (code = sql_step(s, statement)) == SQLITE_ROW; number++) {
    if (number == 0 && s->headers && s->mode != MODE_LINE && s->mode != MODE_JSON &&
        s->mode != MODE_INSERT)
      put_header(s, statement, count);
    if (s->mode == MODE_LINE)
      put_line_row(s, statement, count, number);
    else if (s->mode == MODE_JSON)
      put_json_row(s, statement, count, number);
    else if (s->mode == MODE_INSERT)
      put_insert_row(s, statement, count);
    else
      put_plain_row(s, statement, count);
    if (s->out->error != 0) return SQLITE_DONE;
  }
  if (s->mode == MODE_JSON && number > 0) put(s, "]\n");
  return code;
}

/* ---- tables: all rows are read before the first is printed ---- */

typedef struct {
  char **at;  /* NULL: nothing is in this line of this column */
  bool *ends; /* for each line: it is the last of its row */
  size_t lines, room;
  int count;
  int *widths;
} grid;

static size_t characters(const char *at) {
  size_t n = 0;
  for (; *at != 0; at++) n += ((unsigned char)*at & 0xc0) != 0x80;
  return n;
}

/* The part of *at that fits into one line of `limit` characters; *at moves behind it, NULL at the
 * end. Tabs become blanks. */
static char *take_line(const char **at, size_t limit, bool words) {
  const char *from = *at, *end = from;
  size_t n = 0;
  while (n < limit && ((unsigned char)*end >= ' ' || *end == '\t')) {
    if (*end == '\t') {
      do n++;
      while ((n & 7) != 0 && n < limit);
      end++;
      continue;
    }
    do end++;
    while (((unsigned char)*end & 0xc0) == 0x80);
    n++;
  }
  if (words && n >= limit && (unsigned char)*end > ' ') {
    const char *cut = end;
    while (cut > from + (end - from) / 2 && *cut != ' ' && *cut != '\t') cut--;
    if (cut > from + (end - from) / 2) end = cut + 1;
  }
  text line = {0};
  for (const char *c = from; c < end; c++) {
    if (*c != '\t') {
      text_char(&line, *c);
      continue;
    }
    size_t column = line.len == 0 ? 0 : characters(text_end(&line));
    do {
      text_char(&line, ' ');
      column++;
    } while ((column & 7) != 0 && column < limit);
  }
  if (n >= limit && (unsigned char)*end >= ' ')
    *at = end;
  else if (*end == '\r' && end[1] == '\n')
    *at = end[2] != 0 ? end + 2 : NULL;
  else
    *at = *end == 0 || end[1] == 0 ? NULL : end + 1;
  return text_end(&line);
}

static size_t limit_of(const sql *s, int column) {
  int width = column < WIDTHS ? s->widths[column] : 0;
  if (width == 0) width = s->wrap;
  if (width < 0) width = -width;
  return width == 0 ? 1000000 : (size_t)width;
}

static char **new_line(grid *g) {
  if (g->lines == g->room) {
    g->room = g->room * 2 + 16;
    g->at = memory_resize(g->at, g->room * (size_t)g->count * sizeof *g->at);
    g->ends = memory_resize(g->ends, g->room);
  }
  char **line = g->at + g->lines * (size_t)g->count;
  memset(line, 0, (size_t)g->count * sizeof *line);
  g->ends[g->lines++] = false;
  return line;
}

/* Adds a row of cells, as many lines as the longest of them takes. */
static void add_row(sql *s, grid *g, const char **cells) {
  for (bool more = true; more;) {
    char **line = new_line(g);
    more = false;
    for (int i = 0; i < g->count; i++) {
      if (cells[i] == NULL) continue;
      line[i] = take_line(&cells[i], limit_of(s, i), s->wrap_words);
      int width = (int)characters(line[i]);
      if (width > g->widths[i]) g->widths[i] = width;
      more |= cells[i] != NULL;
    }
  }
  g->ends[g->lines - 1] = true;
}

static void put_times(sql *s, const char *what, int count) {
  for (; count > 0; count--) put(s, what);
}

static void put_rule(sql *s, const grid *g, const char *dash, const char *left, const char *middle,
                     const char *right) {
  put(s, left);
  for (int i = 0; i < g->count; i++) {
    put_times(s, dash, g->widths[i] + 2);
    put(s, i == g->count - 1 ? right : middle);
  }
  put(s, "\n");
}

static void put_centred(sql *s, const grid *g, char *const *cells, const char *bar) {
  put(s, bar);
  for (int i = 0; i < g->count; i++) {
    int left = g->widths[i] - (int)characters(cells[i]);
    put_times(s, " ", left / 2 + 1);
    put(s, cells[i]);
    put_times(s, " ", (left + 1) / 2 + 1);
    put(s, bar);
  }
  put(s, "\n");
}

static void put_cell(sql *s, const grid *g, int column, const char *at) {
  int blanks = g->widths[column] - (int)characters(at);
  bool right = column < WIDTHS && s->widths[column] < 0;
  if (right) put_times(s, " ", blanks);
  put(s, at);
  if (!right) put_times(s, " ", blanks);
}

static void put_grid_line(sql *s, const grid *g, size_t line) {
  const char *bar = s->mode == MODE_BOX ? "│" : "|";
  for (int i = 0; i < g->count; i++) {
    char *at = g->at[line * (size_t)g->count + (size_t)i];
    if (s->mode != MODE_COLUMN) {
      put(s, i == 0 ? bar : "");
      put(s, " ");
    }
    put_cell(s, g, i, at == NULL ? "" : at);
    if (s->mode == MODE_COLUMN) {
      put(s, i == g->count - 1 ? "\n" : "  ");
    } else {
      put(s, " ");
      put(s, bar);
      if (i == g->count - 1) put(s, "\n");
    }
  }
}

static void put_grid(sql *s, const grid *g, bool many) {
  if (s->mode == MODE_COLUMN && s->headers) {
    put_grid_line(s, g, 0);
    for (int i = 0; i < g->count; i++) {
      put_times(s, "-", g->widths[i]);
      put(s, i == g->count - 1 ? "\n" : "  ");
    }
  } else if (s->mode == MODE_TABLE) {
    put_rule(s, g, "-", "+", "+", "+");
    put_centred(s, g, g->at, "|");
    put_rule(s, g, "-", "+", "+", "+");
  } else if (s->mode == MODE_BOX) {
    put_rule(s, g, "─", "┌", "┬", "┐");
    put_centred(s, g, g->at, "│");
    put_rule(s, g, "─", "├", "┼", "┤");
  } else if (s->mode == MODE_MARKDOWN) {
    put_centred(s, g, g->at, "|");
    put_rule(s, g, "-", "|", "|", "|");
  }
  for (size_t i = 1; i < g->lines && s->out->error == 0; i++) {
    put_grid_line(s, g, i);
    if (!many || !g->ends[i] || i + 1 == g->lines) continue;
    if (s->mode == MODE_TABLE) put_rule(s, g, "-", "+", "+", "+");
    if (s->mode == MODE_BOX) put_rule(s, g, "─", "├", "┼", "┤");
    if (s->mode == MODE_COLUMN) put(s, "\n");
  }
  if (s->mode == MODE_TABLE) put_rule(s, g, "-", "+", "+", "+");
  if (s->mode == MODE_BOX) put_rule(s, g, "─", "└", "┴", "┘");
}

/* What qbox shows: the cell as SQL. malloc'd. */
static char *quoted_cell(sql *s, sqlite3_stmt *statement, int column) {
  char *made;
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_TEXT:
      made = sql_text_format("%Q", cell(s, statement, column));
      break;
    case SQLITE_NULL:
      made = sql_text_format("NULL");
      break;
    case SQLITE_BLOB: {
      text hex = {0};
      const unsigned char *at = sqlite3_column_blob(statement, column);
      int size = sqlite3_column_bytes(statement, column);
      text_string(&hex, "x'");
      for (int i = 0; i < size; i++) text_format(&hex, "%02x", at[i]);
      text_string(&hex, "'");
      return text_end(&hex);
    }
    default:
      made = sql_text_format("%s", cell(s, statement, column));
      break;
  }
  char *result = memory_string(made);
  sqlite3_free(made);
  return result;
}

static int print_grid(sql *s, sqlite3_stmt *statement) {
  int code = sql_step(s, statement);
  if (code != SQLITE_ROW) return code;
  grid g = {.count = sqlite3_column_count(statement)};
  const char **cells = memory_take((size_t)g.count * sizeof *cells);
  g.widths = memory_take((size_t)g.count * sizeof *g.widths);
  for (int i = 0; i < g.count; i++) {
    int width = i < WIDTHS ? s->widths[i] : 0;
    g.widths[i] = width < 0 ? -width : width;
    cells[i] = sqlite3_column_name(statement, i);
  }
  char **names = new_line(&g);
  g.ends[0] = true;
  for (int i = 0; i < g.count; i++) {
    names[i] = take_line(&cells[i], limit_of(s, i), s->wrap_words);
    int width = (int)characters(names[i]);
    if (width > g.widths[i]) g.widths[i] = width;
  }
  bool many = false;
  do {
    char **own = s->quoted ? memory_take((size_t)g.count * sizeof *own) : NULL;
    for (int i = 0; i < g.count; i++) {
      if (own != NULL)
        cells[i] = own[i] = quoted_cell(s, statement, i);
      else
        cells[i] = cell(s, statement, i);
    }
    size_t before = g.lines;
    add_row(s, &g, cells);
    many |= g.lines > before + 1;
    for (int i = 0; own != NULL && i < g.count; i++) free(own[i]);
    free(own);
  } while ((code = sql_step(s, statement)) == SQLITE_ROW);
  put_grid(s, &g, many);
  for (size_t i = 0; i < g.lines * (size_t)g.count; i++) free(g.at[i]);
  free(g.at);
  free(g.ends);
  free(g.widths);
  free(cells);
  return code;
}

/* ---- plans ---- */

typedef struct {
  int id, parent;
  char *detail;
} plan_row;

typedef struct {
  plan_row *at;
  size_t count, room;
} plan;

static void put_plan(sql *s, const plan *p, int parent, text *before) {
  for (size_t i = 0; i < p->count; i++) {
    if (p->at[i].parent != parent) continue;
    bool last = true;
    for (size_t k = i + 1; k < p->count; k++) last &= p->at[k].parent != parent;
    output_write(s->out, before->at, before->len);
    output_format(s->out, "%s%s\n", last ? "`--" : "|--", p->at[i].detail);
    size_t size = before->len;
    if (size < 300) {
      text_string(before, last ? "   " : "|  ");
      put_plan(s, p, p->at[i].id, before);
      before->len = size;
    }
  }
}

static int print_plan(sql *s, sqlite3_stmt *statement) {
  plan p = {0};
  int code;
  while ((code = sql_step(s, statement)) == SQLITE_ROW) {
    if (p.count == p.room) p.at = memory_resize(p.at, (p.room = p.room * 2 + 8) * sizeof *p.at);
    p.at[p.count++] = (plan_row){sqlite3_column_int(statement, 0), sqlite3_column_int(statement, 1),
                                 memory_string(cell(s, statement, 3))};
  }
  text before = {0};
  text_string(&before, "");
  put(s, "QUERY PLAN\n");
  put_plan(s, &p, 0, &before);
  return code;
}

static int print_program(sql *s, sqlite3_stmt *statement) {
  static const int widths[] = {4, 13, 4, 4, 4, 13, 2, 13};
  int code, count = sqlite3_column_count(statement);
  bool first = true;
  while ((code = sql_step(s, statement)) == SQLITE_ROW) {
    for (int row = first ? 0 : 2; row < 3; row++) {
      for (int i = 0; i < count && i < 8; i++) {
        const char *at = row == 0   ? sqlite3_column_name(statement, i)
                         : row == 1 ? "-------------"
                                    : cell(s, statement, i);
        if (row == 1)
          output_format(s->out, "%.*s", widths[i], at);
        else
          output_format(s->out, "%-*s", widths[i], at);
        put(s, i == count - 1 ? "\n" : "  ");
      }
    }
    first = false;
  }
  return code;
}

int sql_print(sql *s, sqlite3_stmt *statement) {
  int explained = sqlite3_stmt_isexplain(statement);
  if (explained == 2) return print_plan(s, statement);
  if (explained == 1) return print_program(s, statement);
  switch (s->mode) {
    case MODE_COLUMN:
    case MODE_TABLE:
    case MODE_BOX:
    case MODE_MARKDOWN:
      return print_grid(s, statement);
    default:
      return print_rows(s, statement);
  }
}
