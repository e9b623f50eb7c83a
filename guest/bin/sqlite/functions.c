// SPDX-License-Identifier: MIT
/* functions.c -- what the shell of SQLite adds to SQL: REGEXP, readfile, writefile and
 * generate_series. SQLite calls these through pointers: nothing here may wait or end the process.
 */
#include "../../text/regex.h"
#include "sql.h"

static void drop_regex(void *re) {
  regex_free(re);
}

static void do_regexp(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *pattern = (const char *)sqlite3_value_text(values[0]);
  const char *subject = (const char *)sqlite3_value_text(values[1]);
  if (pattern == NULL || subject == NULL) return;
  regex *re = sqlite3_get_auxdata(context, 0);
  if (re == NULL) {
    const char *error = "out of memory";
    re = regex_compile(pattern, (size_t)sqlite3_value_bytes(values[0]), REGEX_PERL, 0, &error);
    if (re == NULL) {
      sqlite3_result_error(context, error, -1);
      return;
    }
    sqlite3_set_auxdata(context, 0, re, drop_regex);
    re = sqlite3_get_auxdata(context, 0);
    if (re == NULL) {
      sqlite3_result_error_nomem(context);
      return;
    }
  }
  int found = regex_test(re, subject, (size_t)sqlite3_value_bytes(values[1]), 0, NULL);
  if (found < 0)
    sqlite3_result_error(context, "REGEXP: the pattern takes too long", -1);
  else
    sqlite3_result_int(context, found);
}

static void do_readfile(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *path = (const char *)sqlite3_value_text(values[0]);
  file_stat stat;
  if (path == NULL) return;
  int fd = sys_open(path, OPEN_READ, 0);
  if (fd < 0) return;
  if (sys_fstat(fd, &stat) == 0 && stat.kind == FILE_REGULAR) {
    if (stat.size > 1000000000) {
      sqlite3_result_error_toobig(context);
    } else {
      char *bytes = sqlite3_malloc64(stat.size + 1);
      int64_t got = bytes == NULL ? 0 : sys_pread(fd, bytes, (size_t)stat.size, 0);
      if (bytes == NULL)
        sqlite3_result_error_nomem(context);
      else
        sqlite3_result_blob64(context, bytes, got < 0 ? 0 : (sqlite3_uint64)got, sqlite3_free);
    }
  }
  sys_close(fd);
}

static void do_writefile(sqlite3_context *context, int count, sqlite3_value **values) {
  if (count < 2) {
    sqlite3_result_error(context, "wrong number of arguments to function writefile()", -1);
    return;
  }
  const char *path = (const char *)sqlite3_value_text(values[0]);
  if (path == NULL) return;
  const void *bytes = sqlite3_value_blob(values[1]);
  int size = sqlite3_value_bytes(values[1]);
  int fd = sys_open(path, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
  int64_t put = fd < 0 ? fd : size == 0 ? 0 : sys_write_now(fd, bytes, (size_t)size);
  if (fd >= 0) sys_close(fd);
  if (put < 0) {
    char message[1100];
    sqlite3_snprintf(sizeof message, message, "failed to write file: %s", path);
    sqlite3_result_error(context, message, -1);
    return;
  }
  sqlite3_result_int64(context, put);
}

/* ---- generate_series(START, STOP, STEP) ---- */

typedef struct {
  sqlite3_vtab_cursor base;
  sqlite3_int64 start, stop, step;
  sqlite3_uint64 left, number; /* rows that follow, and which this is */
  bool ended;
} series;

static int series_connect(sqlite3 *db, void *context, int argc, const char *const *argv,
                          sqlite3_vtab **made, char **error) {
  (void)context, (void)argc, (void)argv, (void)error;
  int code = sqlite3_declare_vtab(db, "CREATE TABLE x(value,start hidden,stop hidden,step hidden)");
  if (code != SQLITE_OK) return code;
  *made = sqlite3_malloc(sizeof **made);
  if (*made == NULL) return SQLITE_NOMEM;
  memset(*made, 0, sizeof **made);
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  return SQLITE_OK;
}

static int series_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int series_open(sqlite3_vtab *table, sqlite3_vtab_cursor **made) {
  (void)table;
  series *cursor = sqlite3_malloc(sizeof *cursor);
  if (cursor == NULL) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof *cursor);
  *made = &cursor->base;
  return SQLITE_OK;
}

static int series_close(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

/* idxNum has a bit for each of start, stop and step that is given; their values come in order. */
static int series_best(sqlite3_vtab *table, sqlite3_index_info *info) {
  int at[3] = {-1, -1, -1}, count = 0;
  for (int i = 0; i < info->nConstraint; i++) {
    int column = info->aConstraint[i].iColumn - 1;
    if (column < 0 || column > 2 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
    at[column] = i;
  }
  if (at[0] < 0) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("first argument to \"generate_series()\" missing or unusable");
    return SQLITE_ERROR;
  }
  for (int i = 0; i < 3; i++) {
    if (at[i] < 0) continue;
    info->idxNum |= 1 << i;
    info->aConstraintUsage[at[i]].argvIndex = ++count;
    info->aConstraintUsage[at[i]].omit = 1;
  }
  info->estimatedCost = at[1] >= 0 ? 1000 : 1e10;
  info->estimatedRows = at[1] >= 0 ? 1000 : 2000000000;
  if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == 0 && !info->aOrderBy[0].desc && at[2] < 0)
    info->orderByConsumed = 1;
  return SQLITE_OK;
}

static int series_filter(sqlite3_vtab_cursor *base, int given, const char *text, int count,
                         sqlite3_value **values) {
  (void)text;
  series *s = (series *)base;
  int next = 0;
  for (int i = 0; i < count; i++) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) {
      s->ended = true;
      return SQLITE_OK;
    }
  }
  s->start = given & 1 ? sqlite3_value_int64(values[next++]) : 0;
  s->stop = given & 2 ? sqlite3_value_int64(values[next++]) : 0xffffffff;
  s->step = given & 4 ? sqlite3_value_int64(values[next]) : 1;
  if (s->step == 0) s->step = 1;
  s->number = 0;
  s->ended = s->step > 0 ? s->start > s->stop : s->start < s->stop;
  if (s->ended) return SQLITE_OK;
  sqlite3_uint64 span = s->step > 0 ? (sqlite3_uint64)s->stop - (sqlite3_uint64)s->start
                                    : (sqlite3_uint64)s->start - (sqlite3_uint64)s->stop;
  sqlite3_uint64 stride = s->step > 0 ? (sqlite3_uint64)s->step : 0 - (sqlite3_uint64)s->step;
  s->left = span / stride;
  return SQLITE_OK;
}

static int series_next(sqlite3_vtab_cursor *base) {
  series *s = (series *)base;
  if (s->left == 0) {
    s->ended = true;
  } else {
    s->left--;
    s->number++;
  }
  return SQLITE_OK;
}

static int series_ended(sqlite3_vtab_cursor *base) {
  return ((series *)base)->ended;
}

static int series_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  const series *s = (const series *)base;
  sqlite3_uint64 value =
      (sqlite3_uint64)s->start + s->number * (sqlite3_uint64)s->step; /* wraps as it should */
  sqlite3_result_int64(context, column == 1   ? s->start
                                : column == 2 ? s->stop
                                : column == 3 ? s->step
                                              : (sqlite3_int64)value);
  return SQLITE_OK;
}

static int series_row(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  *row = (sqlite3_int64)((const series *)base)->number + 1;
  return SQLITE_OK;
}

static const sqlite3_module series_module = {
    .xConnect = series_connect,
    .xBestIndex = series_best,
    .xDisconnect = series_disconnect,
    .xOpen = series_open,
    .xClose = series_close,
    .xFilter = series_filter,
    .xNext = series_next,
    .xEof = series_ended,
    .xColumn = series_column,
    .xRowid = series_row,
};

/* The archive that carries SQLite put a hook of its own behind it, which nothing calls here. */
struct sqlite3_api_routines;
int sqlite3_sqlean_init(sqlite3 *db, char **error, const struct sqlite3_api_routines *api);
int sqlite3_sqlean_init(sqlite3 *db, char **error, const struct sqlite3_api_routines *api) {
  (void)db, (void)error, (void)api;
  return SQLITE_OK;
}

void sql_add_functions(sqlite3 *db) {
  sqlite3_create_function(db, "regexp", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                          NULL, do_regexp, NULL, NULL);
  sqlite3_create_function(db, "readfile", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, do_readfile,
                          NULL, NULL);
  sqlite3_create_function(db, "writefile", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, do_writefile,
                          NULL, NULL);
  sqlite3_create_module(db, "generate_series", &series_module, NULL);
}
