// SPDX-License-Identifier: MIT
// sql.c -- the sqlite3 command: its options, and running statements.
#include "sql.h"

#include <stdio.h>

char *sql_text_format(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  char *made = sqlite3_vmprintf(format, rest);
  va_end(rest);
  return made != NULL ? made : memory_take((size_t)-1 / 2); /* which ends the process */
}

__attribute__((format(printf, 2, 0))) static void complain(sql *s, const char *format,
                                                           const char *a, const char *b) {
  text message = {0};
  output_flush(&s->b.out);
  text_format(&message, format, a, b);
  sys_write(2, message.at, message.len);
  text_free(&message);
}

static int stop_asked(void *context) {
  (void)context;
  return kernel_interrupted();
}

bool sql_open(sql *s, bool quiet) {
  if (s->db != NULL) return true;
  int flags = s->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const char *path = s->path == NULL || *s->path == 0 ? ":memory:" : s->path;
  int code = sqlite3_open_v2(path, &s->db, flags | SQLITE_OPEN_URI, NULL);
  if (code != SQLITE_OK) {
    if (!quiet)
      complain(s, "Error: unable to open database \"%s\": %s\n", path,
               s->db == NULL ? "out of memory" : sqlite3_errmsg(s->db));
    sqlite3_close(s->db);
    s->db = NULL;
    return false;
  }
  sqlite3_progress_handler(s->db, 1000, stop_asked, NULL);
  sql_add_functions(s->db);
  return true;
}

int sql_step(sql *s, sqlite3_stmt *statement) {
  int64_t until = kernel_now() + s->patience;
  for (;;) {
    int code = sqlite3_step(statement);
    if (code != SQLITE_BUSY || kernel_now() >= until) return code;
    sqlite3_reset(statement);
    process_sleep(5000000);
  }
}

sqlite3_stmt *sql_prepare(sql *s, const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  char *text = sqlite3_vmprintf(format, rest);
  va_end(rest);
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v2(s->db, text, -1, &statement, NULL);
  sqlite3_free(text);
  return statement;
}

static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Two lines that point at where a statement went wrong; "" when that is not known. */
static void add_place(text *to, sqlite3 *db, const char *at) {
  int offset = sqlite3_error_offset(db);
  if (at == NULL || offset < 0) return;
  for (; offset > 50; offset--, at++) {
    while ((at[1] & 0xc0) == 0x80) {
      at++;
      offset--;
    }
  }
  size_t size = strlen(at);
  if (size > 78) {
    size = 78;
    while ((at[size] & 0xc0) == 0x80) size--;
  }
  text_string(to, "\n  ");
  for (size_t i = 0; i < size; i++) text_char(to, is_blank(at[i]) ? ' ' : at[i]);
  if (offset < 25)
    text_format(to, "\n  %*s^--- error here", offset, "");
  else
    text_format(to, "\n  %*serror here ---^", offset - 14, "");
}

static char *describe(sql *s, const char *phase, int code, const char *at) {
  text message = {0};
  text_format(&message, "%s, %s", phase, sqlite3_errmsg(s->db));
  if (code > 1) text_format(&message, " (%d)", code);
  add_place(&message, s->db, at);
  return text_end(&message);
}

int sql_run(sql *s, const char *at, char **error) {
  *error = NULL;
  while (*at != 0) {
    sqlite3_stmt *statement = NULL;
    const char *rest = at;
    int code = sqlite3_prepare_v2(s->db, at, -1, &statement, &rest);
    for (int64_t until = kernel_now() + s->patience; code == SQLITE_BUSY && kernel_now() < until;) {
      process_sleep(5000000);
      code = sqlite3_prepare_v2(s->db, at, -1, &statement, &rest);
    }
    if (code != SQLITE_OK) {
      *error = describe(s, "in prepare", code, at);
      return code;
    }
    at = rest;
    while (is_blank(*at)) at++;
    if (statement == NULL) continue; /* a comment */
    code = sql_print(s, statement);
    if (code != SQLITE_DONE) *error = describe(s, "stepping", code, NULL);
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE) return code;
    if (s->out->error != 0) return SQLITE_OK;
  }
  return SQLITE_OK;
}

/* ---- the command line ---- */

static const char usage_text[] =
    "Usage: sqlite3 [OPTIONS] FILENAME [SQL]\n"
    "FILENAME is the name of an SQLite database. A new database is created\n"
    "if the file does not previously exist.\n";

static const struct {
  const char *name;
  char does; /* m: a mode; 1: one value, 2: two values that are of no use here */
} words[] = {
    {"append", 0},      {"ascii", 'm'},   {"bail", 'b'},     {"batch", 0},       {"box", 'm'},
    {"cmd", 'c'},       {"column", 'm'},  {"csv", 'm'},      {"echo", 'e'},      {"header", 'h'},
    {"headers", 'h'},   {"help", '?'},    {"html", 'm'},     {"init", 'i'},      {"interactive", 0},
    {"json", 'm'},      {"line", 'm'},    {"list", 'm'},     {"lookaside", '2'}, {"markdown", 'm'},
    {"mmap", '1'},      {"newline", 'n'}, {"nofollow", 0},   {"noheader", 'H'},  {"nullvalue", 'N'},
    {"pagecache", '2'}, {"quote", 'm'},   {"readonly", 'r'}, {"safe", 0},        {"separator", 's'},
    {"stats", 0},       {"table", 'm'},   {"tabs", 'm'},     {"version", 'v'},   {"vfs", '1'}};

static void set_separator(char to[32], const char *from) {
  snprintf(to, 32, "%s", from);
}

/* As .mode NAME, but for what the real one leaves as it is when it comes from the command line. */
static void mode_option(sql *s, const char *name) {
  bool headers = s->headers;
  char row[32];
  memcpy(row, s->row, sizeof row);
  sql_set_mode(s, name);
  s->headers = headers;
  if (strcmp(name, "ascii") != 0) memcpy(s->row, row, sizeof row);
}

typedef struct {
  const char *init;
  char **commands; /* of -cmd */
  size_t command_count;
  char **operands;
  int count;
} line;

static void read_line_options(sql *s, line *l, int argc, char **argv) {
  l->commands = memory_take((size_t)argc * sizeof *l->commands);
  l->operands = memory_take((size_t)argc * sizeof *l->operands);
  bool ended = false;
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (ended || *word != '-' || word[1] == 0) {
      l->operands[l->count++] = argv[i];
      continue;
    }
    word += word[1] == '-' ? 2 : 1;
    if (*word == 0) {
      ended = true;
      continue;
    }
    int does = -1;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
      if (strcmp(word, words[k].name) == 0) does = words[k].does;
    }
    if (does < 0) {
      bin_warn(&s->b, "Error: unknown option: %s", argv[i]);
      sys_write(2, "Use -help for a list of options.\n", 33);
      bin_exit(&s->b, 1);
    }
    int values = does == '2' ? 2 : strchr("1cinNs", does) != NULL && does != 0 ? 1 : 0;
    if (i + values >= argc) {
      bin_warn(&s->b, "Error: missing argument to %s", argv[i]);
      bin_exit(&s->b, 1);
    }
    i += values;
    char *value = argv[i];
    switch (does) {
      case 'm':
        mode_option(s, word);
        break;
      case 'b':
        s->bail = true;
        break;
      case 'c':
        l->commands[l->command_count++] = value;
        break;
      case 'e':
        s->echo = true;
        break;
      case 'h':
      case 'H':
        s->headers = does == 'h';
        s->headers_set = true;
        break;
      case 'i':
        l->init = value;
        break;
      case 'n':
        set_separator(s->row, value);
        break;
      case 'N':
        s->null = value;
        break;
      case 'r':
        s->read_only = true;
        break;
      case 's':
        set_separator(s->column, value);
        break;
      case 'v':
        output_format(&s->b.out, "%s %s\n", sqlite3_libversion(), sqlite3_sourceid());
        bin_exit(&s->b, 0);
      case '?': {
        output_string(&s->b.out, usage_text);
        output_string(&s->b.out, "OPTIONS include:\n");
        const char *at = command_find("sqlite3")->options;
        for (; *at != 0; at++) output_byte(&s->b.out, *at == '\t' ? ' ' : *at);
        output_byte(&s->b.out, '\n');
        bin_exit(&s->b, 0);
      }
      default:
        break;
    }
  }
}

/* One SQL text or dot command of the command line: 0, or the exit status. */
static int run_argument(sql *s, const char *argument, bool *leave) {
  if (*argument == '.') {
    int code = sql_dot(s, memory_string(argument));
    *leave = code != 0;
    return code == 2 ? s->leave_status : code;
  }
  if (!sql_open(s, false)) return 1;
  char *error = NULL;
  int code = sql_run(s, argument, &error);
  if (error == NULL) return 0;
  complain(s, "Error: %s%s\n", error, "");
  return code != 0 ? code : 1;
}

static int run_all(sql *s, line *l) {
  bool leave = false;
  if (l->init != NULL) {
    input in;
    int error = input_open(&in, l->init);
    if (error < 0) {
      complain(s, "cannot open: \"%s%s\"\n", l->init, "");
      if (s->bail) return 1;
    } else {
      int failures = sql_process(s, &in);
      input_close(&in);
      if (failures > 0 && s->bail) return 1;
      if (s->leave) return s->leave_status;
    }
  }
  for (size_t i = 0; i < l->command_count; i++) {
    int code = run_argument(s, l->commands[i], &leave);
    if (leave || (code != 0 && s->bail)) return code;
  }
  for (int i = 1; i < l->count; i++) {
    int code = run_argument(s, l->operands[i], &leave);
    if (leave || code != 0) return code;
  }
  if (l->count > 1) return 0;
  input in;
  input_open_fd(&in, 0);
  int failures = sql_process(s, &in);
  if (s->leave) return s->leave_status;
  return failures > 0 ? 1 : 0;
}

static int sqlite3_main(int argc, char **argv, char **environment) {
  sql s = {.column = "|", .row = "\n", .null = "", .table = "table", .path = NULL};
  line l = {0};
  bin_start(&s.b, "sqlite3", environment);
  s.out = &s.b.out;
  sql_forget_dead();
  sqlite3_randomness(0, NULL);
  if (sqlite3_initialize() != SQLITE_OK) bin_die(&s.b, 1, "Error: out of memory");
  read_line_options(&s, &l, argc, argv);
  s.path = l.count > 0 ? memory_string(l.operands[0]) : NULL;
  /* A database that cannot be opened is said at once; a new one is made when it is written to. */
  file_stat stat;
  if (s.path != NULL && sys_stat(s.path, &stat) == 0 && !sql_open(&s, false)) bin_exit(&s.b, 1);
  s.b.status = run_all(&s, &l);
  if (s.file.buffer != NULL) output_flush(&s.file);
  sqlite3_close_v2(s.db);
  return bin_end(&s.b);
}

const command command_sqlite3 = {.name = "sqlite3",
                                 .main = sqlite3_main,
                                 .usage = "sqlite3 [OPTIONS] [FILENAME [SQL]]",
                                 .stack = 1 << 20,
                                 .options =
                                     "-ascii\tseparate with the ASCII control characters\n"
                                     "-bail\tstop after an error\n"
                                     "-batch\tas usual\n"
                                     "-box\ttables of lines\n"
                                     "-cmd COMMAND\trun COMMAND before the input\n"
                                     "-column\tcolumns\n"
                                     "-csv\tcomma-separated values\n"
                                     "-echo\tprint statements before they run\n"
                                     "-header, -noheader\tcolumn names before the rows, or not\n"
                                     "-html\trows of an HTML table\n"
                                     "-init FILENAME\tread FILENAME first\n"
                                     "-json\tan array of objects\n"
                                     "-line\tone value a line\n"
                                     "-list\tvalues parted by |\n"
                                     "-markdown\ta Markdown table\n"
                                     "-newline SEP\tends a row\n"
                                     "-nullvalue TEXT\tstands for NULL\n"
                                     "-quote\tSQL literals\n"
                                     "-readonly\topen the database for reading only\n"
                                     "-separator SEP\tbetween columns\n"
                                     "-table\tan ASCII table\n"
                                     "-tabs\tvalues parted by tabs\n"
                                     "-version\tprint the version"};
