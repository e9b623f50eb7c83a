// SPDX-License-Identifier: MIT
/* account.c -- what has been spent, in memory.
 *
 * One lock; a charge holds it for about 100 ns per budget. An entry is made the first time its
 * budget is charged; a record per open reservation, from a pool that grows to the most that were
 * open at once. All memory a charge needs is taken before anything is changed.
 *
 *   id = 44 bits that start at random and count up | 20 bits: the record's place in the pool
 *
 * Random, so that an approval saved under one account can never fit a reservation of another. */
#include "gate/account.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "gate/amount.h"
#include "gate/table.h"
#include "limits.h"

enum { PLACE_BITS = 20, RECORDS_MAX = 1 << PLACE_BITS };

typedef struct {
  cloche_text key; /* NULL `at`: a free slot */
  cloche__spent spent;
  int64_t *times; /* of the `spent.recent` calls within the window, a ring */
  size_t first, room;
} entry;

typedef struct {
  size_t entry; /* index into `entries` */
  cloche__amount amount;
  int64_t time;
  bool rated, refund;
} line;

typedef struct {
  uint64_t id; /* 0: free */
  bool held;
  size_t count, room;
  line *lines;
} record;

typedef struct {
  pthread_mutex_t lock;
  size_t *slots; /* hash of key -> index into entries, + 1 */
  size_t slot_mask;
  entry *entries;
  size_t entry_count, entry_room;
  record *records;
  size_t record_count, first_free; /* records below first_free are taken */
  uint64_t next;
} book;

/* ---- entries ---- */

static size_t *slot_of(book *b, cloche_text key) {
  size_t at = cloche__hash(CLOCHE__HASH_START, key) & b->slot_mask;
  while (b->slots[at] != 0 && !cloche__text_equal(b->entries[b->slots[at] - 1].key, key)) {
    at = (at + 1) & b->slot_mask;
  }
  return &b->slots[at];
}

static bool grow_entries(book *b) {
  size_t room = b->entry_room == 0 ? 16 : b->entry_room * 2;
  size_t *slots = calloc(room * 2, sizeof *slots);
  entry *entries = slots == NULL ? NULL : realloc(b->entries, room * sizeof *entries);
  if (entries == NULL) {
    free(slots);
    return false;
  }
  free(b->slots);
  b->slots = slots;
  b->slot_mask = room * 2 - 1;
  b->entries = entries;
  b->entry_room = room;
  for (size_t i = 0; i < b->entry_count; i++) *slot_of(b, entries[i].key) = i + 1;
  return true;
}

/* The entry of a key, made if need be; SIZE_MAX when memory ran out. */
static size_t entry_of(book *b, cloche_text key) {
  if (b->entry_count == b->entry_room && !grow_entries(b)) return SIZE_MAX;
  size_t *slot = slot_of(b, key);
  if (*slot != 0) return *slot - 1;
  char *copy = malloc(key.len + 1);
  if (copy == NULL) return SIZE_MAX;
  memcpy(copy, key.at, key.len);
  b->entries[b->entry_count] = (entry){.key = {copy, key.len}};
  *slot = ++b->entry_count;
  return b->entry_count - 1;
}

/* ---- rings of times ---- */

static int64_t *time_at(entry *e, size_t i) {
  size_t room = e->room > 0 ? e->room : 1; /* never 0 where a time is kept */
  return &e->times[(e->first + i) % room];
}

static void forget_before(entry *e, int64_t now, int64_t window) {
  int64_t oldest;
  if (__builtin_sub_overflow(now, window, &oldest)) oldest = INT64_MIN;
  while (e->spent.recent > 0 && *time_at(e, 0) <= oldest) {
    e->first = (e->first + 1) % e->room;
    e->spent.recent--;
  }
}

static bool make_room(entry *e) {
  if (e->spent.recent < e->room) return true;
  size_t room = e->room == 0 ? 8 : e->room * 2;
  int64_t *times = malloc(room * sizeof *times);
  if (times == NULL) return false;
  for (size_t i = 0; i < e->spent.recent; i++) times[i] = *time_at(e, i);
  free(e->times);
  e->times = times;
  e->first = 0;
  e->room = room;
  return true;
}

static void forget_time(entry *e, int64_t time) {
  size_t i = e->spent.recent;
  while (i > 0 && *time_at(e, i - 1) != time) i--;
  if (i == 0) return; /* fell out of the window by itself */
  for (; i < e->spent.recent; i++) *time_at(e, i - 1) = *time_at(e, i);
  e->spent.recent--;
}

/* ---- reserving ---- */

bool cloche__charge_fits(const cloche__spent *spent, const cloche_charge *charge,
                         const cloche__amount *amount) {
  cloche__amount sum = spent->total, most;
  if (spent->calls >= charge->max_calls || spent->open >= charge->max_concurrent) return false;
  if (charge->rate_calls != UINT64_MAX && spent->recent >= charge->rate_calls) return false;
  if (charge->total.at == NULL) return true;
  return cloche__amount_read(charge->total, &most) && cloche__amount_add(&sum, amount) &&
         cloche__amount_compare(&sum, &most) <= 0;
}

static bool is_free(entry *e, const cloche_charge *charge, int64_t now,
                    const cloche__amount *amount) {
  if (charge->rate_calls != UINT64_MAX) forget_before(e, now, charge->rate_window);
  return cloche__charge_fits(&e->spent, charge, amount);
}

static record *free_record(book *b, size_t lines) {
  while (b->first_free < b->record_count && b->records[b->first_free].id != 0) b->first_free++;
  if (b->first_free == b->record_count) {
    size_t count = b->record_count == 0 ? 16 : b->record_count * 2;
    if (count > RECORDS_MAX) return NULL;
    record *records = realloc(b->records, count * sizeof *records);
    if (records == NULL) return NULL;
    memset(records + b->record_count, 0, (count - b->record_count) * sizeof *records);
    b->records = records;
    b->record_count = count;
  }
  record *r = &b->records[b->first_free];
  if (r->room < lines) {
    line *grown = realloc(r->lines, lines * sizeof *grown);
    if (grown == NULL) return NULL;
    r->lines = grown;
    r->room = lines;
  }
  return r;
}

/* Checks all charges and notes in `lines` what they would take; duplicates of a key are dropped. */
static cloche_status weigh(book *b, const cloche_charge *charges, size_t count, int64_t now,
                           line *lines, size_t *line_count, size_t *refused) {
  *line_count = 0;
  for (size_t i = 0; i < count; i++) {
    line *added = &lines[*line_count];
    size_t known = 0;
    *refused = i;
    *added = (line){.entry = entry_of(b, charges[i].key),
                    .time = now,
                    .refund = charges[i].refund,
                    .rated = charges[i].rate_calls != UINT64_MAX};
    if (added->entry == SIZE_MAX) return CLOCHE_E_MEMORY;
    while (known < *line_count && lines[known].entry != added->entry) known++;
    if (known < *line_count) continue;
    if (charges[i].total.at != NULL && !cloche__amount_read(charges[i].amount, &added->amount)) {
      return CLOCHE_E_ARGUMENT;
    }
    if (!is_free(&b->entries[added->entry], &charges[i], now, &added->amount))
      return CLOCHE_E_LIMIT;
    ++*line_count;
  }
  return CLOCHE_OK;
}

static bool make_rooms(book *b, const line *lines, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (lines[i].rated && !make_room(&b->entries[lines[i].entry])) return false;
  }
  return true;
}

static uint64_t take(book *b, record *r, const line *lines, size_t count, bool held) {
  for (size_t i = 0; i < count; i++) {
    entry *e = &b->entries[lines[i].entry];
    e->spent.calls++;
    e->spent.open++;
    cloche__amount_add(&e->spent.total, &lines[i].amount);
    if (!lines[i].rated) continue;
    e->spent.recent++;
    *time_at(e, e->spent.recent - 1) = lines[i].time;
  }
  if (count > 0) memcpy(r->lines, lines, count * sizeof *lines);
  r->count = count;
  r->held = held;
  r->id = b->next++ << PLACE_BITS | (uint64_t)(r - b->records);
  return r->id;
}

static cloche_status reserve(void *self, const cloche_charge *charges, size_t count, int64_t now,
                             cloche_reserving how, uint64_t *id, size_t *refused) {
  book *b = self;
  line lines[CLOCHE__CHARGES];
  size_t line_count;
  record *r = NULL;
  *id = 0;
  if (count > CLOCHE__CHARGES) return CLOCHE_E_ARGUMENT;
  pthread_mutex_lock(&b->lock);
  cloche_status status = weigh(b, charges, count, now, lines, &line_count, refused);
  if (status == CLOCHE_OK && how != CLOCHE_RESERVE_TEST) {
    r = make_rooms(b, lines, line_count) ? free_record(b, line_count) : NULL;
    if (r == NULL)
      status = CLOCHE_E_MEMORY;
    else
      *id = take(b, r, lines, line_count, how == CLOCHE_RESERVE_HOLD);
  }
  pthread_mutex_unlock(&b->lock);
  return status;
}

/* ---- settling ---- */

static void give_back(entry *e, const line *l) {
  if (e->spent.calls > 0) e->spent.calls--;
  cloche__amount_subtract(&e->spent.total, &l->amount);
  if (l->rated) forget_time(e, l->time);
}

static void close_record(book *b, record *r, cloche_settling how) {
  for (size_t i = 0; i < r->count; i++) {
    entry *e = &b->entries[r->lines[i].entry];
    bool back =
        how == CLOCHE_SETTLE_RELEASED || (how == CLOCHE_SETTLE_FAILED && r->lines[i].refund);
    e->spent.open--;
    if (back) give_back(e, &r->lines[i]);
  }
  r->id = 0;
  if ((size_t)(r - b->records) < b->first_free) b->first_free = (size_t)(r - b->records);
}

static bool settle(void *self, uint64_t id, cloche_settling how) {
  book *b = self;
  size_t place = id & (RECORDS_MAX - 1);
  pthread_mutex_lock(&b->lock);
  record *r =
      place < b->record_count && id != 0 && b->records[place].id == id ? &b->records[place] : NULL;
  bool open = r != NULL && (how != CLOCHE_SETTLE_APPROVED || r->held);
  if (open && how == CLOCHE_SETTLE_APPROVED)
    r->held = false;
  else if (open)
    close_record(b, r, how);
  pthread_mutex_unlock(&b->lock);
  return open;
}

static uint64_t calls_of(void *self, cloche_text key) {
  book *b = self;
  pthread_mutex_lock(&b->lock);
  size_t slot = b->entry_count == 0 ? 0 : *slot_of(b, key);
  uint64_t calls = slot == 0 ? 0 : b->entries[slot - 1].spent.calls;
  pthread_mutex_unlock(&b->lock);
  return calls;
}

/* ---- life ---- */

static void free_book(void *self) {
  book *b = self;
  for (size_t i = 0; i < b->entry_count; i++) {
    free((char *)b->entries[i].key.at);
    free(b->entries[i].times);
  }
  for (size_t i = 0; i < b->record_count; i++) free(b->records[i].lines);
  free(b->slots);
  free(b->entries);
  free(b->records);
  pthread_mutex_destroy(&b->lock);
  free(b);
}

static cloche_status make_book(book **made) {
  uint64_t start;
  if (getrandom(&start, sizeof start, 0) != (ssize_t)sizeof start) return CLOCHE_E_SYSTEM;
  book *b = calloc(1, sizeof *b);
  if (b == NULL) return CLOCHE_E_MEMORY;
  if (pthread_mutex_init(&b->lock, NULL) != 0) {
    free(b);
    return CLOCHE_E_MEMORY;
  }
  b->next = (start >> (PLACE_BITS + 1)) + 1; /* half of the numbers are left to count up */
  *made = b;
  return CLOCHE_OK;
}

cloche_status cloche_account_new(const cloche_account_store *store, cloche_account **account) {
  if (account == NULL) return CLOCHE_E_ARGUMENT;
  if (store != NULL && store->id.len > CLOCHE__ACCOUNT_ID) return CLOCHE_E_ARGUMENT;
  cloche_account *made = calloc(1, sizeof *made);
  book *b = NULL;
  if (made == NULL) return CLOCHE_E_MEMORY;
  atomic_init(&made->users, 1);
  if (store != NULL) {
    made->store = *store;
    if (store->id.len > 0) memcpy(made->id, store->id.at, store->id.len);
    made->store.id.at = made->id;
  } else {
    cloche_status status = make_book(&b);
    if (status != CLOCHE_OK) {
      free(made);
      return status;
    }
    made->store = (cloche_account_store){b, reserve, settle, free_book, calls_of, {NULL, 0}};
    made->in_memory = true;
  }
  *account = made;
  return CLOCHE_OK;
}

cloche_text cloche_account_id(const cloche_account *account) {
  if (account == NULL) return (cloche_text){"", 0};
  return account->store.id;
}

cloche_account *cloche__account_keep(cloche_account *account) {
  atomic_fetch_add(&account->users, 1);
  return account;
}

void cloche_account_free(cloche_account *account) {
  if (account == NULL || atomic_fetch_sub(&account->users, 1) != 1) return;
  if (account->store.free != NULL) account->store.free(account->store.self);
  free(account);
}

uint64_t cloche_account_calls(cloche_account *account, cloche_text key) {
  if (account == NULL) return 0;
  const cloche_account_store *store = &account->store;
  return store->calls == NULL ? 0 : store->calls(store->self, key);
}

/* ---- saving ---- */

static void write_amount(const cloche__amount *amount, cloche__buffer *out) {
  cloche__buffer_byte(out, '"'); /* a string: other readers would round a number */
  cloche__amount_write(amount, out);
  cloche__buffer_byte(out, '"');
}

static void write_entry(entry *e, cloche__buffer *out) {
  cloche__buffer_string(out, "{\"key\":");
  cloche__json_write_string(e->key, out);
  cloche__buffer_format(out, ",\"calls\":%llu,\"total\":", (unsigned long long)e->spent.calls);
  write_amount(&e->spent.total, out);
  cloche__buffer_string(out, ",\"times\":[");
  for (size_t i = 0; i < e->spent.recent; i++) {
    cloche__buffer_format(out, "%s%lld", i > 0 ? "," : "", (long long)*time_at(e, i));
  }
  cloche__buffer_string(out, "]}");
}

static void write_record(const book *b, const record *r, cloche__buffer *out) {
  cloche__buffer_format(out, "{\"id\":\"%llu\",\"charges\":[", (unsigned long long)r->id);
  for (size_t i = 0; i < r->count; i++) {
    const line *l = &r->lines[i];
    cloche__buffer_string(out, i > 0 ? ",{\"key\":" : "{\"key\":");
    cloche__json_write_string(b->entries[l->entry].key, out);
    cloche__buffer_string(out, ",\"amount\":");
    write_amount(&l->amount, out);
    cloche__buffer_format(out, ",\"time\":%lld,\"rated\":%s,\"refund\":%s}", (long long)l->time,
                          l->rated ? "true" : "false", l->refund ? "true" : "false");
  }
  cloche__buffer_string(out, "]}");
}

cloche_status cloche_account_save(cloche_account *account, char **json, size_t *len) {
  if (account == NULL || json == NULL || len == NULL) return CLOCHE_E_ARGUMENT;
  cloche__buffer out = {0};
  bool comma = false;
  if (!account->in_memory) return CLOCHE_E_STATE;
  book *b = account->store.self;
  pthread_mutex_lock(&b->lock);
  cloche__buffer_string(&out, "{\"cloche_account\":1,\"entries\":[");
  for (size_t i = 0; i < b->entry_count; i++) {
    if (i > 0) cloche__buffer_byte(&out, ',');
    write_entry(&b->entries[i], &out);
  }
  cloche__buffer_string(&out, "],\"held\":[");
  for (size_t i = 0; i < b->record_count; i++) {
    if (b->records[i].id == 0 || !b->records[i].held) continue;
    if (comma) cloche__buffer_byte(&out, ',');
    write_record(b, &b->records[i], &out);
    comma = true;
  }
  cloche__buffer_string(&out, "]}");
  pthread_mutex_unlock(&b->lock);
  if (out.failed) {
    cloche__buffer_free(&out);
    return CLOCHE_E_MEMORY;
  }
  *json = out.at;
  *len = out.len;
  return CLOCHE_OK;
}

/* ---- restoring ---- */

static bool read_amount(const cloche__json *text, cloche__amount *amount) {
  cloche__json_doc number = {0};
  if (text == NULL || text->kind != CLOCHE__JSON_STRING ||
      cloche__json_parse(cloche__json_text(text), NULL, &number, NULL) != CLOCHE_OK) {
    return false;
  }
  bool read = number.root.kind == CLOCHE__JSON_NUMBER &&
              cloche__amount_read(cloche__json_text(&number.root), amount);
  cloche__json_free(&number);
  return read;
}

static size_t entry_by(book *b, const cloche__json *key) {
  if (key == NULL || key->kind != CLOCHE__JSON_STRING) return SIZE_MAX;
  return entry_of(b, cloche__json_text(key));
}

static bool read_entry(book *b, const cloche__json *source) {
  const cloche__json *times = cloche__json_get(source, "times");
  size_t at = entry_by(b, cloche__json_get(source, "key"));
  if (at == SIZE_MAX || times == NULL || times->kind != CLOCHE__JSON_ARRAY) return false;
  entry *e = &b->entries[at];
  for (size_t i = 0; i < times->count; i++) {
    int64_t time;
    if (!cloche__json_int64(&times->items[i], &time) || !make_room(e)) return false;
    e->spent.recent++;
    *time_at(e, e->spent.recent - 1) = time;
  }
  return cloche__json_uint64(cloche__json_get(source, "calls"), &e->spent.calls) &&
         read_amount(cloche__json_get(source, "total"), &e->spent.total);
}

static bool read_line(book *b, const cloche__json *source, line *l) {
  const cloche__json *rated = cloche__json_get(source, "rated");
  const cloche__json *refund = cloche__json_get(source, "refund");
  l->entry = entry_by(b, cloche__json_get(source, "key"));
  if (l->entry == SIZE_MAX || rated == NULL || refund == NULL) return false;
  l->rated = rated->boolean;
  l->refund = refund->boolean;
  return cloche__json_int64(cloche__json_get(source, "time"), &l->time) &&
         read_amount(cloche__json_get(source, "amount"), &l->amount);
}

static bool grow_records(book *b, size_t place) {
  size_t count = b->record_count == 0 ? 16 : b->record_count;
  while (count <= place) count *= 2;
  record *records = realloc(b->records, count * sizeof *records);
  if (records == NULL) return false;
  memset(records + b->record_count, 0, (count - b->record_count) * sizeof *records);
  b->records = records;
  b->record_count = count;
  return true;
}

static bool read_id(const cloche__json *text, uint64_t *id) {
  if (text == NULL || text->kind != CLOCHE__JSON_STRING) return false;
  cloche__json number = cloche__json_of_number(cloche__json_text(text));
  for (size_t i = 0; i < text->count; i++) {
    if (text->text[i] < '0' || text->text[i] > '9') return false;
  }
  return text->count > 0 && cloche__json_uint64(&number, id) && *id != 0;
}

static bool read_record(book *b, const cloche__json *source) {
  const cloche__json *charges = cloche__json_get(source, "charges");
  uint64_t id;
  if (!read_id(cloche__json_get(source, "id"), &id) || charges == NULL ||
      charges->kind != CLOCHE__JSON_ARRAY || charges->count > CLOCHE__CHARGES) {
    return false;
  }
  size_t place = id & (RECORDS_MAX - 1);
  if (place >= b->record_count && !grow_records(b, place)) return false;
  record *r = &b->records[place];
  if (r->id != 0) return false; /* two of one place */
  r->lines = calloc(charges->count + 1, sizeof *r->lines);
  if (r->lines == NULL) return false;
  r->room = charges->count + 1;
  for (size_t i = 0; i < charges->count; i++) {
    if (!read_line(b, &charges->items[i], &r->lines[i])) return false;
    b->entries[r->lines[i].entry].spent.open++;
    r->count++;
  }
  r->id = id;
  r->held = true;
  return true;
}

static bool read_book(book *b, const cloche__json *source) {
  const cloche__json *entries = cloche__json_get(source, "entries");
  const cloche__json *held = cloche__json_get(source, "held");
  uint64_t version = 0;
  if (!cloche__json_uint64(cloche__json_get(source, "cloche_account"), &version) || version != 1 ||
      entries == NULL || held == NULL || entries->kind != CLOCHE__JSON_ARRAY ||
      held->kind != CLOCHE__JSON_ARRAY) {
    return false;
  }
  for (size_t i = 0; i < entries->count; i++) {
    if (!read_entry(b, &entries->items[i])) return false;
  }
  for (size_t i = 0; i < held->count; i++) {
    if (!read_record(b, &held->items[i])) return false;
  }
  return true;
}

cloche_status cloche_account_restore(cloche_text json, cloche_account **account) {
  if (account == NULL) return CLOCHE_E_ARGUMENT;
  cloche__json_doc doc = {0};
  cloche_account *made = NULL;
  cloche_status status = cloche__json_parse(json, NULL, &doc, NULL);
  if (status != CLOCHE_OK) return status == CLOCHE_E_MEMORY ? status : CLOCHE_E_FORMAT;
  status = cloche_account_new(NULL, &made);
  if (status == CLOCHE_OK && !read_book(made->store.self, &doc.root)) status = CLOCHE_E_FORMAT;
  cloche__json_free(&doc);
  if (status == CLOCHE_OK)
    *account = made;
  else
    cloche_account_free(made);
  return status;
}
