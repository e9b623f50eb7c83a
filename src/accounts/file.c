// SPDX-License-Identifier: MIT
/* file.c -- an account that processes share, in an SQLite file.
 *
 * A charge is one step of the database: it looks, and takes all or nothing, while nobody else can
 * write (invariant 5). Whether a budget is free is said by the same function as in memory. A
 * reservation names its owner; when one is in the way that runs, and its owner is gone, it is
 * closed as a call that was made: its charge stays. What waits for an approval is nobody's, as a
 * snapshot may hold it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "accounts/database.h"
#include "accounts/owners.h"
#include "gate/account.h"

typedef struct {
  pthread_mutex_t lock;
  cloche__owners owners;
  cloche__database db;
} book;

typedef struct { /* one charge, weighed */
  int64_t budget;
  cloche__amount amount, total; /* total: with the amount */
  bool rated, refund;
} line;

/* ---- reading ---- */

static bool read_amount(sqlite3_stmt *statement, int column, cloche__amount *amount) {
  const char *text = (const char *)sqlite3_column_text(statement, column);
  cloche__json_doc number = {0}; /* a damaged file may hold anything: no number, no amount */
  if (text == NULL || cloche__json_parse(cloche__text(text), NULL, &number, NULL) != CLOCHE_OK)
    return false;
  bool read = number.root.kind == CLOCHE__JSON_NUMBER &&
              cloche__amount_read(cloche__json_text(&number.root), amount);
  cloche__json_free(&number);
  return read;
}

/* A budget's number and what it has taken; a new one is made. */
static cloche_status read_budget(cloche__database *db, cloche_text key, int64_t *budget,
                                 cloche__spent *spent) {
  *spent = (cloche__spent){0};
  sqlite3_stmt *found = cloche__database_ask(db, CLOCHE__SQL_BUDGET, "t", key);
  if (found == NULL) return cloche__database_error(db);
  int code = sqlite3_step(found);
  cloche_status status = CLOCHE_OK;
  if (code == SQLITE_ROW) {
    int64_t calls = sqlite3_column_int64(found, 1);
    *budget = sqlite3_column_int64(found, 0);
    spent->calls = (uint64_t)calls;
    if (calls < 0 || !read_amount(found, 2, &spent->total)) status = CLOCHE_E_FORMAT;
  } else if (code != SQLITE_DONE) {
    status = cloche__database_error(db);
  }
  sqlite3_reset(found);
  if (code == SQLITE_DONE)
    status = cloche__database_do(db, CLOCHE__SQL_ADD_BUDGET, budget, "t", key);
  return status;
}

/* ---- those that are gone ---- */

/* Closes what ran for owners that are gone; *buried, whether there was any. */
static cloche_status bury(book *b, bool *buried) {
  cloche_status status = CLOCHE_OK;
  sqlite3_stmt *owners = cloche__database_ask(&b->db, CLOCHE__SQL_OWNERS, "");
  int64_t gone[32];
  size_t count = 0;
  int code = SQLITE_ROW;
  *buried = false;
  if (owners == NULL) return cloche__database_error(&b->db);
  while (count < sizeof gone / sizeof *gone && (code = sqlite3_step(owners)) == SQLITE_ROW) {
    int64_t owner = sqlite3_column_int64(owners, 0);
    if (!cloche__owners_alive(&b->owners, owner)) gone[count++] = owner;
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) status = cloche__database_error(&b->db);
  sqlite3_reset(owners);
  for (size_t i = 0; i < count && status == CLOCHE_OK; i++) {
    *buried = true;
    status = cloche__database_do(&b->db, CLOCHE__SQL_BURY_CHARGES, NULL, "i", gone[i]);
    if (status == CLOCHE_OK)
      status = cloche__database_do(&b->db, CLOCHE__SQL_BURY, NULL, "i", gone[i]);
  }
  return status;
}

static cloche_status count_open(book *b, int64_t budget, const cloche_charge *charge,
                                cloche__spent *spent) {
  int64_t open = 0;
  bool buried = false;
  if (charge->max_concurrent == UINT64_MAX) return CLOCHE_OK;
  cloche_status status = cloche__database_do(&b->db, CLOCHE__SQL_OPEN, &open, "i", budget);
  if (status == CLOCHE_OK && (uint64_t)open >= charge->max_concurrent) status = bury(b, &buried);
  if (status == CLOCHE_OK && buried)
    status = cloche__database_do(&b->db, CLOCHE__SQL_OPEN, &open, "i", budget);
  spent->open = (uint64_t)open;
  return status;
}

/* ---- reserving ---- */

static cloche_status weigh(book *b, const cloche_charge *charge, int64_t now, line *l) {
  cloche__spent spent;
  int64_t oldest, recent = 0;
  *l = (line){.rated = charge->rate_calls != UINT64_MAX, .refund = charge->refund};
  cloche_status status = read_budget(&b->db, charge->key, &l->budget, &spent);
  if (status == CLOCHE_OK) status = count_open(b, l->budget, charge, &spent);
  if (status == CLOCHE_OK && l->rated) {
    if (__builtin_sub_overflow(now, charge->rate_window, &oldest)) oldest = INT64_MIN;
    status = cloche__database_do(&b->db, CLOCHE__SQL_FORGET, NULL, "ii", l->budget, oldest);
    if (status == CLOCHE_OK)
      status = cloche__database_do(&b->db, CLOCHE__SQL_RECENT, &recent, "i", l->budget);
  }
  if (status != CLOCHE_OK) return status;
  if (charge->total.at != NULL && !cloche__amount_read(charge->amount, &l->amount))
    return CLOCHE_E_ARGUMENT;
  spent.recent = (uint64_t)recent;
  if (!cloche__charge_fits(&spent, charge, &l->amount)) return CLOCHE_E_LIMIT;
  l->total = spent.total;
  return cloche__amount_add(&l->total, &l->amount) ? CLOCHE_OK : CLOCHE_E_LIMIT;
}

static cloche_status weigh_all(book *b, const cloche_charge *charges, size_t count, int64_t now,
                               line *lines, size_t *line_count, size_t *refused) {
  *line_count = 0;
  for (size_t i = 0; i < count; i++) {
    line *added = &lines[*line_count];
    size_t known = 0;
    *refused = i;
    while (known < i && !cloche__text_equal(charges[known].key, charges[i].key)) known++;
    if (known < i) continue; /* twice one key: charged once */
    cloche_status status = weigh(b, &charges[i], now, added);
    if (status != CLOCHE_OK) return status;
    ++*line_count;
  }
  return CLOCHE_OK;
}

static cloche_status take_line(cloche__database *db, const line *l, int64_t id, int64_t now) {
  char amount[128], total[128];
  cloche__buffer amount_text = cloche__buffer_fixed(amount, sizeof amount);
  cloche__buffer total_text = cloche__buffer_fixed(total, sizeof total);
  cloche__amount_write(&l->amount, &amount_text);
  cloche__amount_write(&l->total, &total_text);
  cloche_status status = cloche__database_do(db, CLOCHE__SQL_CHARGE, NULL, "it", l->budget,
                                             cloche__buffer_view(&total_text));
  if (status == CLOCHE_OK)
    status = cloche__database_do(db, CLOCHE__SQL_ADD_CHARGE, NULL, "iiti", id, l->budget,
                                 cloche__buffer_view(&amount_text), (int64_t)l->refund);
  if (status == CLOCHE_OK && l->rated)
    status = cloche__database_do(db, CLOCHE__SQL_ADD_TIME, NULL, "iii", l->budget, now, id);
  return status;
}

static cloche_status take(book *b, const line *lines, size_t count, int64_t now, bool held,
                          int64_t *id) {
  cloche_status status = cloche__database_do(&b->db, CLOCHE__SQL_NEXT, id, "");
  if (status == CLOCHE_OK)
    status = cloche__database_do(&b->db, CLOCHE__SQL_RESERVE, NULL, "iii", *id, b->owners.self,
                                 (int64_t)held);
  for (size_t i = 0; i < count && status == CLOCHE_OK; i++)
    status = take_line(&b->db, &lines[i], *id, now);
  return status;
}

static cloche_status reserve(void *self, const cloche_charge *charges, size_t count, int64_t now,
                             cloche_reserving how, uint64_t *id, size_t *refused) {
  book *b = self;
  line lines[CLOCHE__CHARGES];
  size_t line_count = 0;
  int64_t made = 0;
  bool takes = how != CLOCHE_RESERVE_TEST;
  *id = 0;
  if (count > CLOCHE__CHARGES) return CLOCHE_E_ARGUMENT;
  pthread_mutex_lock(&b->lock);
  cloche_status status = cloche__database_begin(&b->db, takes);
  if (status == CLOCHE_OK) {
    status = weigh_all(b, charges, count, now, lines, &line_count, refused);
    if (status == CLOCHE_OK && takes)
      status = take(b, lines, line_count, now, how == CLOCHE_RESERVE_HOLD, &made);
    cloche_status ended = cloche__database_end(&b->db, status == CLOCHE_OK && takes);
    if (status == CLOCHE_OK) status = ended;
  }
  pthread_mutex_unlock(&b->lock);
  if (status == CLOCHE_OK) *id = (uint64_t)made;
  return status;
}

/* ---- settling ---- */

static cloche_status give_back(cloche__database *db, sqlite3_stmt *row, int64_t id) {
  char text[128];
  cloche__buffer out = cloche__buffer_fixed(text, sizeof text);
  cloche__amount amount, total;
  int64_t budget = sqlite3_column_int64(row, 0);
  if (!read_amount(row, 1, &amount) || !read_amount(row, 3, &total)) return CLOCHE_E_FORMAT;
  cloche__amount_subtract(&total, &amount);
  cloche__amount_write(&total, &out);
  cloche_status status =
      cloche__database_do(db, CLOCHE__SQL_UNCHARGE, NULL, "it", budget, cloche__buffer_view(&out));
  return status == CLOCHE_OK
             ? cloche__database_do(db, CLOCHE__SQL_DROP_TIME, NULL, "ii", budget, id)
             : status;
}

static cloche_status give_all_back(cloche__database *db, int64_t id, cloche_settling how) {
  sqlite3_stmt *rows = cloche__database_ask(db, CLOCHE__SQL_GIVE_BACK, "i", id);
  cloche_status status = CLOCHE_OK;
  int code = SQLITE_ROW;
  if (rows == NULL) return cloche__database_error(db);
  while (status == CLOCHE_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
    bool refund = sqlite3_column_int(rows, 2) != 0;
    if (how == CLOCHE_SETTLE_RELEASED || refund) status = give_back(db, rows, id);
  }
  if (status == CLOCHE_OK && code != SQLITE_DONE) status = cloche__database_error(db);
  sqlite3_reset(rows);
  return status;
}

/* *open: whether it was there. */
static cloche_status close_reservation(cloche__database *db, int64_t id, cloche_settling how,
                                       bool *open) {
  int64_t closed = 0;
  cloche_status status = cloche__database_do(db, CLOCHE__SQL_CLOSE, &closed, "i", id);
  *open = closed == 1;
  if (status != CLOCHE_OK || !*open) return status;
  if (how != CLOCHE_SETTLE_SUCCEEDED) status = give_all_back(db, id, how);
  if (status == CLOCHE_OK)
    status = cloche__database_do(db, CLOCHE__SQL_DROP_CHARGES, NULL, "i", id);
  return status;
}

static cloche_status approve(book *b, int64_t id, bool *open) {
  int64_t changed = 0;
  cloche_status status =
      cloche__database_do(&b->db, CLOCHE__SQL_APPROVE, &changed, "ii", id, b->owners.self);
  *open = changed == 1;
  return status;
}

static bool settle(void *self, uint64_t id, cloche_settling how) {
  book *b = self;
  bool open = false, approves = how == CLOCHE_SETTLE_APPROVED;
  if (id == 0 || id > INT64_MAX) return false;
  pthread_mutex_lock(&b->lock);
  cloche_status status = cloche__database_begin(&b->db, approves);
  if (status == CLOCHE_OK) {
    status = approves ? approve(b, (int64_t)id, &open)
                      : close_reservation(&b->db, (int64_t)id, how, &open);
    cloche_status ended = cloche__database_end(&b->db, status == CLOCHE_OK && open);
    if (status == CLOCHE_OK) status = ended;
  }
  pthread_mutex_unlock(&b->lock);
  return status == CLOCHE_OK && open;
}

static uint64_t calls_of(void *self, cloche_text key) {
  book *b = self;
  int64_t calls = 0;
  pthread_mutex_lock(&b->lock);
  if (cloche__database_do(&b->db, CLOCHE__SQL_CALLS, &calls, "t", key) != CLOCHE_OK) calls = 0;
  pthread_mutex_unlock(&b->lock);
  return calls > 0 ? (uint64_t)calls : 0;
}

/* ---- life ---- */

static void free_book(void *self) {
  book *b = self;
  cloche__database_close(&b->db);
  cloche__owners_close(&b->owners);
  pthread_mutex_destroy(&b->lock);
  free(b);
}

/* Ours alone. Only a new file is opened here: to close one that SQLite has open elsewhere in this
 * process would take its locks away. */
static bool make_private(const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return errno == EEXIST;
  close(file);
  return true;
}

static cloche_status open_database(const char *path, book *b) {
  if (!cloche__owners_enter(&b->owners)) return CLOCHE_E_SYSTEM;
  cloche_status status = cloche__database_open(path, &b->db);
  int why = errno;
  cloche__owners_leave(&b->owners);
  errno = why;
  return status;
}

static cloche_status bury_at_once(book *b) {
  bool buried;
  cloche_status status = cloche__database_begin(&b->db, false);
  if (status != CLOCHE_OK) return status;
  status = bury(b, &buried);
  cloche_status ended = cloche__database_end(&b->db, status == CLOCHE_OK);
  return status == CLOCHE_OK ? ended : status;
}

static cloche_status open_book(const char *path, book *b) {
  if (!make_private(path)) return CLOCHE_E_SYSTEM;
  char *real = realpath(path, NULL); /* one file, one set of owners, whatever link led here */
  if (real == NULL) return errno == ENOMEM ? CLOCHE_E_MEMORY : CLOCHE_E_SYSTEM;
  cloche_status status = cloche__owners_open(real, &b->owners);
  if (status == CLOCHE_OK) status = open_database(real, b);
  if (status == CLOCHE_OK) status = bury_at_once(b);
  int why = errno;
  free(real);
  errno = why;
  return status;
}

cloche_status cloche_account_file(const char *path, cloche_account **account) {
  if (path == NULL || account == NULL) return CLOCHE_E_ARGUMENT;
  book *b = calloc(1, sizeof *b);
  if (b == NULL) return CLOCHE_E_MEMORY;
  b->owners.file = -1;
  if (pthread_mutex_init(&b->lock, NULL) != 0) {
    free(b);
    return CLOCHE_E_MEMORY;
  }
  cloche_status status = open_book(path, b);
  if (status == CLOCHE_OK) {
    cloche_account_store store = {b, reserve, settle, free_book, calls_of, cloche__text(b->db.id)};
    status = cloche_account_new(&store, account);
  }
  if (status != CLOCHE_OK) {
    int why = errno;
    free_book(b);
    errno = why;
  }
  return status;
}
