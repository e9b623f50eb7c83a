// SPDX-License-Identifier: MIT
/* database.h -- the SQLite database that an account is kept in.
 *
 *   account       one row: its id, and the number of the next reservation
 *   budgets       a key, calls, total
 *   reservations  an open one: whose, and whether it waits for an approval
 *   charges       what an open reservation took of a budget
 *   times         calls of budgets that have a rate, each with its time
 *
 * Written ahead to a log (WAL), so that a process that is killed leaves all of a step or nothing.
 * A step that charges is forced to the disk; one that gives back is not, as losing it only leaves
 * more charged. */
#ifndef CLOCHE_ACCOUNTS_DATABASE_H
#define CLOCHE_ACCOUNTS_DATABASE_H

#include <sqlite3.h>

#include "cloche.h"
#include "limits.h"

/* Name and text of every statement; `?n` are bound in order. */
#define CLOCHE__ACCOUNT_STATEMENTS(X)                                                           \
  X(BEGIN, "BEGIN IMMEDIATE")                                                                   \
  X(COMMIT, "COMMIT")                                                                           \
  X(ROLLBACK, "ROLLBACK")                                                                       \
  X(NEXT, "UPDATE account SET next = next + 1 RETURNING next")                                  \
  X(BUDGET, "SELECT number, calls, total FROM budgets WHERE key = ?1")                          \
  X(ADD_BUDGET, "INSERT INTO budgets (key, calls, total) VALUES (?1, 0, '0') RETURNING number") \
  X(CALLS, "SELECT calls FROM budgets WHERE key = ?1")                                          \
  X(OPEN, "SELECT count(*) FROM charges WHERE budget = ?1")                                     \
  X(FORGET, "DELETE FROM times WHERE budget = ?1 AND time <= ?2")                               \
  X(RECENT, "SELECT count(*) FROM times WHERE budget = ?1")                                     \
  X(CHARGE, "UPDATE budgets SET calls = calls + 1, total = ?2 WHERE number = ?1")               \
  X(RESERVE, "INSERT INTO reservations (id, owner, held) VALUES (?1, ?2, ?3)")                  \
  X(ADD_CHARGE,                                                                                 \
    "INSERT INTO charges (reservation, budget, amount, refund) VALUES (?1, ?2, ?3, "            \
    "?4)")                                                                                      \
  X(ADD_TIME, "INSERT INTO times (budget, time, reservation) VALUES (?1, ?2, ?3)")              \
  X(APPROVE, "UPDATE reservations SET held = 0, owner = ?2 WHERE id = ?1 AND held = 1")         \
  X(GIVE_BACK,                                                                                  \
    "SELECT budget, amount, refund, total FROM charges JOIN budgets ON number = budget"         \
    " WHERE reservation = ?1")                                                                  \
  X(UNCHARGE, "UPDATE budgets SET calls = max(calls - 1, 0), total = ?2 WHERE number = ?1")     \
  X(DROP_TIME, "DELETE FROM times WHERE budget = ?1 AND reservation = ?2")                      \
  X(CLOSE, "DELETE FROM reservations WHERE id = ?1")                                            \
  X(DROP_CHARGES, "DELETE FROM charges WHERE reservation = ?1")                                 \
  X(OWNERS, "SELECT DISTINCT owner FROM reservations WHERE held = 0")                           \
  X(BURY_CHARGES,                                                                               \
    "DELETE FROM charges WHERE reservation IN (SELECT id FROM reservations WHERE"               \
    " owner = ?1 AND held = 0)")                                                                \
  X(BURY, "DELETE FROM reservations WHERE owner = ?1 AND held = 0")

typedef enum cloche__statement {
#define X(name, text) CLOCHE__SQL_##name,
  CLOCHE__ACCOUNT_STATEMENTS(X)
#undef X
      CLOCHE__SQL_COUNT
} cloche__statement;

typedef struct cloche__database {
  sqlite3 *handle;
  sqlite3_stmt *statements[CLOCHE__SQL_COUNT];
  char id[CLOCHE__ACCOUNT_ID + 1];
  int forces; /* whether a commit waits for the disk: -1 not known */
} cloche__database;

/* Opens or makes it. One process at a time. E_SYSTEM (errno), E_FORMAT, E_MEMORY; then `db` needs
 * no closing. */
cloche_status cloche__database_open(const char *path, cloche__database *db);
void cloche__database_close(cloche__database *db);

/* Begins a step: nobody else writes until it ends. `force`: its end waits for the disk. */
cloche_status cloche__database_begin(cloche__database *db, bool force);
/* Ends it: with `keep` what was done stays, else it never happened. */
cloche_status cloche__database_end(cloche__database *db, bool keep);

/* A statement with ?1... bound, to be stepped and then reset; NULL when that failed. `formats`: i
 * for an int64_t, t for a cloche_text. */
sqlite3_stmt *cloche__database_ask(cloche__database *db, cloche__statement which,
                                   const char *formats, ...);
/* Runs one to its end. *number, unless NULL, is the last row's first column, or else how many rows
 * it changed. */
cloche_status cloche__database_do(cloche__database *db, cloche__statement which, int64_t *number,
                                  const char *formats, ...);
/* What the last failure means; sets errno. */
cloche_status cloche__database_error(const cloche__database *db);

#endif
