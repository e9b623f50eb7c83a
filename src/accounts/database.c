// SPDX-License-Identifier: MIT
/* database.c -- opening, statements, and what SQLite's errors mean here. */
#include "accounts/database.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { APPLICATION = 0x436C4163, FORMAT = 1 }; /* "ClAc", in the file's header */

static const char *const texts[] = {
#define X(name, text) [CLOCHE__SQL_##name] = (text),
    CLOCHE__ACCOUNT_STATEMENTS(X)
#undef X
};

static const char schema[] =
    "CREATE TABLE account (id TEXT NOT NULL, next INTEGER NOT NULL) STRICT;"
    "CREATE TABLE budgets (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
    "  calls INTEGER NOT NULL, total TEXT NOT NULL) STRICT;"
    "CREATE TABLE reservations (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL,"
    "  held INTEGER NOT NULL) STRICT;"
    "CREATE TABLE charges (reservation INTEGER NOT NULL, budget INTEGER NOT NULL,"
    "  amount TEXT NOT NULL, refund INTEGER NOT NULL,"
    "  PRIMARY KEY (reservation, budget)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX charges_of ON charges (budget);"
    "CREATE TABLE times (budget INTEGER NOT NULL, time INTEGER NOT NULL,"
    "  reservation INTEGER NOT NULL, PRIMARY KEY (budget, time, reservation)) STRICT, WITHOUT "
    "ROWID;";

cloche_status cloche__database_error(const cloche__database *db) {
  int code = db->handle == NULL ? SQLITE_NOMEM : sqlite3_errcode(db->handle);
  int why = db->handle == NULL ? 0 : sqlite3_system_errno(db->handle);
  switch (code & 0xFF) {
    case SQLITE_NOMEM:
      return CLOCHE_E_MEMORY;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_ERROR: /* a table that is not as we made it */
      return CLOCHE_E_FORMAT;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      errno = EBUSY;
      break;
    case SQLITE_FULL:
      errno = ENOSPC;
      break;
    case SQLITE_READONLY:
      errno = EACCES;
      break;
    default:
      errno = why != 0 ? why : EIO;
  }
  return CLOCHE_E_SYSTEM;
}

/* ---- statements ---- */

static bool bind(sqlite3_stmt *statement, const char *formats, va_list values) {
  int code = SQLITE_OK;
  for (int i = 0; formats[i] != '\0' && code == SQLITE_OK; i++) {
    if (formats[i] == 'i') {
      code = sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t));
    } else {
      cloche_text text = va_arg(values, cloche_text);
      code = sqlite3_bind_text64(statement, i + 1, text.len == 0 ? "" : text.at, text.len,
                                 SQLITE_TRANSIENT, SQLITE_UTF8);
    }
  }
  return code == SQLITE_OK;
}

static sqlite3_stmt *prepared(cloche__database *db, cloche__statement which, const char *formats,
                              va_list values) {
  sqlite3_stmt **statement = &db->statements[which];
  if (*statement == NULL &&
      sqlite3_prepare_v3(db->handle, texts[which], -1, SQLITE_PREPARE_PERSISTENT, statement,
                         NULL) != SQLITE_OK) {
    return NULL;
  }
  return bind(*statement, formats, values) ? *statement : NULL;
}

sqlite3_stmt *cloche__database_ask(cloche__database *db, cloche__statement which,
                                   const char *formats, ...) {
  va_list values;
  va_start(values, formats);
  sqlite3_stmt *statement = prepared(db, which, formats, values);
  va_end(values);
  return statement;
}

cloche_status cloche__database_do(cloche__database *db, cloche__statement which, int64_t *number,
                                  const char *formats, ...) {
  va_list values;
  int code;
  bool row = false;
  va_start(values, formats);
  sqlite3_stmt *statement = prepared(db, which, formats, values);
  va_end(values);
  if (statement == NULL) return cloche__database_error(db);
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    row = true;
    if (number != NULL) *number = sqlite3_column_int64(statement, 0);
  }
  if (!row && number != NULL)
    *number = sqlite3_stmt_readonly(statement) ? 0 : sqlite3_changes(db->handle);
  cloche_status status = code == SQLITE_DONE ? CLOCHE_OK : cloche__database_error(db);
  sqlite3_reset(statement);
  return status;
}

/* ---- steps ---- */

static cloche_status run(cloche__database *db, const char *text) {
  return sqlite3_exec(db->handle, text, NULL, NULL, NULL) == SQLITE_OK ? CLOCHE_OK
                                                                       : cloche__database_error(db);
}

cloche_status cloche__database_begin(cloche__database *db, bool force) {
  if (db->forces != force) {
    cloche_status status =
        run(db, force ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    if (status != CLOCHE_OK) return status;
    db->forces = force;
  }
  return cloche__database_do(db, CLOCHE__SQL_BEGIN, NULL, "");
}

cloche_status cloche__database_end(cloche__database *db, bool keep) {
  cloche_status status = CLOCHE_OK;
  if (keep) status = cloche__database_do(db, CLOCHE__SQL_COMMIT, NULL, "");
  int why = errno;
  /* A commit that failed may have left the step open. */
  if (!sqlite3_get_autocommit(db->handle)) cloche__database_do(db, CLOCHE__SQL_ROLLBACK, NULL, "");
  errno = why;
  return status;
}

/* ---- opening ---- */

/* One number that a pragma or query gives; -1 when there is none. */
static int64_t number_of(cloche__database *db, const char *text) {
  sqlite3_stmt *statement = NULL;
  int64_t number = -1;
  if (sqlite3_prepare_v2(db->handle, text, -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    number = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  return number;
}

static bool draw_id(char id[33], int64_t *first) {
  uint64_t random[3];
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return false;
  snprintf(id, 33, "%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
  *first = (int64_t)(random[2] >> 2); /* three quarters of the numbers are left to count up */
  return true;
}

static cloche_status make_tables(cloche__database *db) {
  char id[33], text[256];
  int64_t first;
  if (!draw_id(id, &first)) return CLOCHE_E_SYSTEM;
  snprintf(text, sizeof text,
           "INSERT INTO account VALUES ('%s', %lld); PRAGMA application_id = %d;"
           "PRAGMA user_version = %d",
           id, (long long)first, APPLICATION, FORMAT);
  cloche_status status = cloche__database_begin(db, true);
  if (status == CLOCHE_OK) status = run(db, schema);
  if (status == CLOCHE_OK) status = run(db, text);
  if (!sqlite3_get_autocommit(db->handle)) {
    cloche_status ended = cloche__database_end(db, status == CLOCHE_OK);
    if (status == CLOCHE_OK) status = ended;
  }
  return status;
}

static cloche_status read_id(cloche__database *db) {
  sqlite3_stmt *statement = NULL;
  cloche_status status = CLOCHE_E_FORMAT;
  if (sqlite3_prepare_v2(db->handle, "SELECT id FROM account", -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    const char *id = (const char *)sqlite3_column_text(statement, 0);
    if (id != NULL && strlen(id) <= CLOCHE__ACCOUNT_ID) {
      snprintf(db->id, sizeof db->id, "%s", id);
      status = CLOCHE_OK;
    }
  }
  sqlite3_finalize(statement);
  return status;
}

/* A file that somebody prepared must not make SQLite do more than read and write our tables. */
static cloche_status distrust(cloche__database *db) {
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
  sqlite3_extended_result_codes(db->handle, 1);
  sqlite3_busy_timeout(db->handle, CLOCHE__ACCOUNT_PATIENCE);
  return run(db, "PRAGMA cell_size_check = ON");
}

/* Nothing is written to a database that is not ours. Damage shows when what is damaged is read. */
static cloche_status open_tables(cloche__database *db) {
  bool empty = number_of(db, "SELECT count(*) FROM sqlite_schema") == 0 &&
               number_of(db, "PRAGMA application_id") == 0;
  bool ours = number_of(db, "PRAGMA application_id") == APPLICATION &&
              number_of(db, "PRAGMA user_version") == FORMAT;
  if (!empty && !ours) {
    cloche_status status = cloche__database_error(db);
    return status == CLOCHE_E_SYSTEM && errno != EIO ? status : CLOCHE_E_FORMAT;
  }
  cloche_status status = run(db, "PRAGMA journal_mode = WAL");
  if (status == CLOCHE_OK && empty) status = make_tables(db);
  return status == CLOCHE_OK ? read_id(db) : status;
}

cloche_status cloche__database_open(const char *path, cloche__database *db) {
  *db = (cloche__database){.forces = -1};
  cloche_status status = CLOCHE_OK;
  if (sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
      SQLITE_OK)
    status = cloche__database_error(db);
  if (status == CLOCHE_OK) status = distrust(db);
  if (status == CLOCHE_OK) status = open_tables(db);
  if (status == CLOCHE_OK) return status;
  int why = errno;
  cloche__database_close(db);
  errno = why;
  return status;
}

void cloche__database_close(cloche__database *db) {
  for (size_t i = 0; i < CLOCHE__SQL_COUNT; i++) sqlite3_finalize(db->statements[i]);
  sqlite3_close(db->handle);
  *db = (cloche__database){0};
}
