// SPDX-License-Identifier: MIT
/* Accounts in files: the same answers as in memory, from many threads and processes, and after a
 * process was killed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "gate_help.h"

static char folder[64], path[96];

static void remove_folder(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) fprintf(stderr, "  %s stays\n", folder); /* NOLINT(cert-env33-c) */
}

/* A path in a folder of this test's own. */
static const char *fresh_path(void) {
  snprintf(folder, sizeof folder, "%s/cloche-account-XXXXXX",
           getenv("TMPDIR") == NULL ? "/tmp" : getenv("TMPDIR"));
  CHECK(mkdtemp(folder) != NULL);
  atexit(remove_folder);
  snprintf(path, sizeof path, "%s/account", folder);
  return path;
}

static cloche_account *open_account(const char *at) {
  cloche_account *account = NULL;
  cloche_status status = cloche_account_file(at, &account);
  if (status != CLOCHE_OK)
    fprintf(stderr, "  %s: %s, %s\n", at, cloche_status_text(status), strerror(errno));
  CHECK_EQ(status, CLOCHE_OK);
  return account;
}

/* ---- what it is ---- */

TEST(what_was_spent_is_there_when_the_file_is_opened_again) {
  const cloche_policy *policy = load(
      "{\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\",\"max_calls\":3,"
      "\"total\":{\"n\":{\"<=\":10}}}]}");
  cloche_account *account = open_account(fresh_path());
  cloche_gate *gate = gate_over(policy, account);
  char id[80];
  CHECK_EQ(call(gate, "a", "{\"n\":4.5}"), CLOCHE_ALLOW);
  cloche_gate_free(gate);
  CHECK_EQ(cloche_account_calls(account, cloche__text("rules/a")), 1);
  CHECK_EQ(cloche_account_calls(account, cloche__text("rules/b")), 0);
  CHECK_EQ(cloche_account_id(account).len, 32);
  snprintf(id, sizeof id, "%.32s", cloche_account_id(account).at);
  cloche_account_free(account);

  account = open_account(path);
  CHECK_EQ(memcmp(cloche_account_id(account).at, id, 32), 0);
  gate = gate_over(policy, account);
  DENIED(gate, "a", "{\"n\":5.51}", "budget");
  CHECK_EQ(call(gate, "a", "{\"n\":5.5}"), CLOCHE_ALLOW);
  CHECK_EQ(call(gate, "a", "{\"n\":0}"), CLOCHE_ALLOW);
  DENIED(gate, "a", "{\"n\":0}", "budget");
  char *json = NULL;
  size_t len;
  CHECK_EQ(cloche_account_save(account, &json, &len), CLOCHE_E_STATE);
  cloche_gate_free(gate);
  cloche_account_free(account);
  cloche_policy_free(policy);
}

TEST(the_file_is_its_owners_alone) {
  struct stat status;
  cloche_account *account = open_account(fresh_path());
  static const char *const ends[] = {"", "-wal", "-shm", "-users"};
  for (size_t i = 0; i < 4; i++) {
    char name[128];
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    TEST_ROW(ends[i]);
    CHECK_EQ(stat(name, &status), 0);
    CHECK_EQ(status.st_mode & 0777, 0600);
  }
  cloche_account_free(account);
}

static void write_file(const char *text, size_t len) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  CHECK(file >= 0 && write(file, text, len) == (ssize_t)len);
  close(file);
}

TEST(a_file_that_is_no_account_is_refused_and_left_as_it_is) {
  cloche_account *account = NULL;
  fresh_path();
  write_file("no database\n", 12);
  CHECK_EQ(cloche_account_file(path, &account), CLOCHE_E_FORMAT);

  unlink(path);
  sqlite3 *other;
  CHECK_EQ(sqlite3_open(path, &other), SQLITE_OK);
  CHECK_EQ(sqlite3_exec(other, "CREATE TABLE account (id, next)", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(other);
  char before[16384], after[16384];
  int file = open(path, O_RDONLY);
  ssize_t len = read(file, before, sizeof before);
  CHECK_EQ(cloche_account_file(path, &account), CLOCHE_E_FORMAT);
  CHECK_EQ(pread(file, after, sizeof after, 0), len);
  CHECK_EQ(memcmp(before, after, (size_t)len), 0);
  close(file);

  snprintf(path, sizeof path, "%s/none/account", folder);
  CHECK_EQ(cloche_account_file(path, &account), CLOCHE_E_SYSTEM);
  CHECK_EQ(errno, ENOENT);
  CHECK(account == NULL);
}

/* Every place of a file is damaged in turn: it is refused, or the bytes did not matter, or the call
 * is denied; nothing else may happen. */
TEST(a_damaged_file_allows_nothing_that_a_sound_one_would_not) {
  const cloche_policy *policy =
      load("{\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\",\"max_calls\":2}]}");
  cloche_account *account = open_account(fresh_path());
  cloche_gate *gate = gate_over(policy, account);
  CHECK_EQ(call(gate, "a", "{}"), CLOCHE_ALLOW);
  CHECK_EQ(call(gate, "a", "{}"), CLOCHE_ALLOW);
  cloche_gate_free(gate);
  cloche_account_free(account);
  static char sound[1 << 17];
  int file = open(path, O_RDONLY), refused = 0, denied = 0, allowed = 0;
  ssize_t len = read(file, sound, sizeof sound);
  close(file);
  CHECK(len > 0 && len < (ssize_t)sizeof sound);
  for (ssize_t at = 0; at < len; at += 97) {
    char kept = sound[at];
    sound[at] ^= 0x55;
    write_file(sound, (size_t)len);
    sound[at] = kept;
    account = NULL;
    if (cloche_account_file(path, &account) != CLOCHE_OK) {
      refused++;
      continue;
    }
    gate = gate_over(policy, account);
    if (check(gate, "a", "{}") == CLOCHE_DENY)
      denied++;
    else
      allowed++; /* "2" became another number or key: nothing in the file says what it was */
    cloche_gate_free(gate);
    cloche_account_free(account);
  }
  CHECK(refused > 2 && denied > 50 && allowed <= 2);
  cloche_policy_free(policy);
}

/* ---- the same as in memory ---- */

static uint32_t seed = 1;
static uint32_t draw(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % below;
}

typedef struct {
  cloche_charge charges[3];
  size_t count;
} wish;

static wish draw_wish(void) {
  static const char *const keys[] = {"a", "b", "c\0d"}, *const amounts[] = {"0", "1", "2.5", "1e0"};
  wish made = {.count = 1 + draw(3)};
  for (size_t i = 0; i < made.count; i++) {
    uint32_t key = draw(3);
    made.charges[i] = (cloche_charge){.key = {keys[key], key == 2 ? 3 : 1},
                                      .max_calls = key == 0 ? 40 : UINT64_MAX,
                                      .max_concurrent = key == 1 ? 3 : UINT64_MAX,
                                      .rate_calls = key == 2 ? 4 : UINT64_MAX,
                                      .rate_window = 20,
                                      .refund = key != 1};
    if (key == 1) {
      made.charges[i].total = cloche__text("60.25");
      made.charges[i].amount = cloche__text(amounts[draw(4)]);
    }
  }
  return made;
}

TEST(a_file_answers_as_memory_does) {
  cloche_account *accounts[2] = {NULL, open_account(fresh_path())};
  uint64_t open[2][64];
  size_t open_count = 0, granted = 0, refusals = 0;
  CHECK_EQ(cloche_account_new(NULL, &accounts[0]), CLOCHE_OK);
  for (int step = 0; step < 3000; step++) {
    bool reserves = open_count == 0 || (open_count < 64 && draw(2) == 0);
    wish wanted = draw_wish();
    cloche_reserving how = (cloche_reserving)draw(3);
    cloche_settling end = (cloche_settling)draw(4);
    size_t which = open_count == 0 ? 0 : draw((uint32_t)open_count), refused[2] = {9, 9};
    cloche_status status[2] = {CLOCHE_OK, CLOCHE_OK};
    bool found[2];
    uint64_t id[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
      cloche_account_store *store = &accounts[i]->store;
      if (reserves)
        status[i] = store->reserve(store->self, wanted.charges, wanted.count, step / 4, how, &id[i],
                                   &refused[i]);
      else
        found[i] = store->settle(store->self, open[i][which], end);
    }
    CHECK_EQ(status[1], status[0]);
    if (!reserves) {
      CHECK_EQ(found[1], found[0]);
      if (found[0] && end != CLOCHE_SETTLE_APPROVED) {
        open_count--;
        for (int i = 0; i < 2; i++) open[i][which] = open[i][open_count];
      }
    } else if (status[0] == CLOCHE_OK) {
      CHECK_EQ(id[0] == 0, how == CLOCHE_RESERVE_TEST);
      CHECK_EQ(id[1] == 0, how == CLOCHE_RESERVE_TEST);
      granted++;
      if (id[0] == 0) continue;
      for (int i = 0; i < 2; i++) open[i][open_count] = id[i];
      open_count++;
    } else {
      CHECK_EQ(status[0], CLOCHE_E_LIMIT);
      CHECK_EQ(refused[1], refused[0]);
      refusals++;
    }
    if (step % 100 == 0) { /* rest */
      CHECK_EQ(cloche_account_calls(accounts[1], cloche__text("a")),
               cloche_account_calls(accounts[0], cloche__text("a")));
    }
  }
  CHECK(granted > 300 && refusals > 300);
  cloche_account_free(accounts[0]);
  cloche_account_free(accounts[1]);
}

/* ---- many at once ---- */

enum { TRIES = 60, CALLS_MAX = 250, TOTAL_MAX = 400, AT_ONCE = 3 };

typedef struct { /* lies in memory that all spenders share */
  int running, most, made, failed, total;
} tally;

static const char spending[] =
    "{\"rules\":[{\"pattern\":\"pay\",\"effect\":\"allow\",\"max_calls\":250,\"total\":{\"n\":{"
    "\"<=\":400}},\"max_concurrent\":3,\"refund_on_error\":true}]}";

static void spend(cloche_account *account, tally *t, uint32_t start) {
  const cloche_policy *policy = load(spending);
  cloche_gate *gate = gate_over(policy, account);
  for (uint32_t i = 0, s = start; i < TRIES; i++) {
    char text[32];
    cloche_decision decision;
    s = s * 1664525u + 1013904223u;
    int amount = (int)(s >> 8) % 5;
    bool fails = (s >> 20) % 4 == 0;
    int len = snprintf(text, sizeof text, "{\"n\":%d}", amount);
    cloche_question question = {{"pay", 3}, {text, (size_t)len}, 0};
    CHECK_EQ(cloche_gate_charge(gate, &question, &decision), CLOCHE_OK);
    if (decision.effect != CLOCHE_ALLOW) {
      CHECK_STR(cloche_code_text(decision.code), "budget");
      continue;
    }
    int now = __atomic_add_fetch(&t->running, 1, __ATOMIC_SEQ_CST),
        most = __atomic_load_n(&t->most, __ATOMIC_SEQ_CST);
    while (now > most && !__atomic_compare_exchange_n(&t->most, &most, now, false, __ATOMIC_SEQ_CST,
                                                      __ATOMIC_SEQ_CST))
      continue;
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    __atomic_add_fetch(fails ? &t->failed : &t->made, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&t->total, fails ? 0 : amount, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&t->running, 1, __ATOMIC_SEQ_CST);
    CHECK_EQ(
        cloche_gate_settle(gate, decision.reservation, question.method, question.params, !fails),
        CLOCHE_OK);
  }
  cloche_gate_free(gate);
  cloche_policy_free(policy);
}

static void check_tally(const tally *t) {
  cloche_account *account = open_account(path);
  CHECK(t->most <= AT_ONCE);
  CHECK(t->made <= CALLS_MAX && t->total <= TOTAL_MAX);
  CHECK(t->made > 20 && t->failed > 5);
  CHECK_EQ(cloche_account_calls(account, cloche__text("rules/pay")), t->made);
  cloche_account_free(account);
}

typedef struct {
  cloche_account *account;
  tally *tally;
  uint32_t seed;
} spender;

static void *spend_in_thread(void *argument) {
  spender *s = argument;
  spend(s->account, s->tally, s->seed);
  return NULL;
}

TEST(eight_threads_on_one_file_spend_no_more_than_there_is) {
  static tally t;
  spender spenders[8];
  pthread_t threads[8];
  cloche_account *account = open_account(fresh_path());
  for (uint32_t i = 0; i < 8; i++) {
    spenders[i] = (spender){account, &t, i * 77 + 5};
    CHECK_EQ(pthread_create(&threads[i], NULL, spend_in_thread, &spenders[i]), 0);
  }
  for (size_t i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  cloche_account_free(account);
  check_tally(&t);
}

static void *shared(size_t size) {
  void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

TEST(four_processes_on_one_file_spend_no_more_than_there_is) {
  tally *t = shared(sizeof *t);
  pid_t children[4];
  fresh_path();
  for (uint32_t i = 0; i < 4; i++) {
    children[i] = fork();
    if (children[i] != 0) continue;
    cloche_account *account = open_account(path); /* makes it, together with the others */
    spend(account, t, i * 77 + 5);
    cloche_account_free(account);
    _exit(0);
  }
  for (size_t i = 0; i < 4; i++) {
    int status;
    CHECK_EQ(waitpid(children[i], &status, 0), children[i]);
    CHECK_EQ(status, 0);
  }
  check_tally(t);
}

/* ---- killed ---- */

static const char one_at_a_time[] =
    "{\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\",\"max_concurrent\":1,\"max_calls\":100000}"
    ","
    "{\"pattern\":\"b\",\"effect\":\"ask\",\"max_calls\":1}]}";

/* Counts each call that it may make, as a tool would that it starts; until it is killed. */
static void make_calls(int *effects) {
  const cloche_policy *policy = load(one_at_a_time);
  cloche_account *account = open_account(path);
  cloche_gate *gate = gate_over(policy, account);
  cloche_question question = {{"a", 1}, {"{}", 2}, 0};
  cloche_decision decision;
  for (;;) {
    CHECK_EQ(cloche_gate_charge(gate, &question, &decision), CLOCHE_OK);
    CHECK_EQ(decision.effect, CLOCHE_ALLOW); /* whoever was killed before us is not in the way */
    __atomic_add_fetch(effects, 1, __ATOMIC_SEQ_CST);
    cloche_gate_settle(gate, decision.reservation, question.method, question.params, true);
  }
}

TEST(a_process_killed_anywhere_leaves_its_calls_charged_and_nobody_waiting) {
  int *effects = shared(sizeof *effects);
  fresh_path();
  for (uint32_t i = 0; i < 40; i++) {
    pid_t child = fork();
    if (child == 0) make_calls(effects);
    int before = __atomic_load_n(effects, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(effects, __ATOMIC_SEQ_CST) == before &&
           waitpid(child, NULL, WNOHANG) == 0)
      nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = (long)draw(5000) * 1000}, NULL);
    int status;
    kill(child, SIGKILL);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  cloche_account *account = open_account(path);
  uint64_t charged = cloche_account_calls(account, cloche__text("rules/a"));
  CHECK(*effects >= 40);
  CHECK(charged >= (uint64_t)*effects && charged <= (uint64_t)*effects + 40);
  cloche_account_free(account);
}

TEST(what_waits_for_an_approval_outlives_its_process_and_is_used_once) {
  const cloche_policy *policy = load(one_at_a_time);
  uint64_t *reservation = shared(sizeof *reservation);
  cloche_question question = {{"b", 1}, {"{}", 2}, 0};
  fresh_path();
  pid_t child = fork();
  if (child == 0) {
    cloche_gate *gate = gate_over(policy, open_account(path));
    CHECK_EQ(charge(gate, "b", "{}"), CLOCHE_ASK);
    *reservation = decided.reservation;
    _exit(0);
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
  cloche_account *accounts[2] = {open_account(path), open_account(path)};
  cloche_gate *gates[2] = {gate_over(policy, accounts[0]), gate_over(policy, accounts[1])};
  DENIED(gates[0], "b", "{}", "budget"); /* it holds the only call */
  cloche_decision decision;
  CHECK_EQ(cloche_gate_approve(gates[0], &question, *reservation, 0, &decision), CLOCHE_OK);
  CHECK_EQ(decision.effect, CLOCHE_ALLOW);
  CHECK_EQ(cloche_gate_approve(gates[1], &question, *reservation, 0, &decision), CLOCHE_OK);
  CHECK_EQ(decision.effect, CLOCHE_DENY); /* a second resumption mints nothing */
  for (int i = 0; i < 2; i++) {
    cloche_gate_free(gates[i]);
    cloche_account_free(accounts[i]);
  }
  cloche_policy_free(policy);
}

TEST(a_link_to_the_file_is_the_same_account) {
  const cloche_policy *policy = load(one_at_a_time);
  cloche_account *account = open_account(fresh_path());
  char link[128];
  snprintf(link, sizeof link, "%s/link", folder);
  CHECK_EQ(symlink(path, link), 0);
  cloche_account *other = open_account(link);
  cloche_gate *gate = gate_over(policy, account), *second = gate_over(policy, other);
  CHECK_EQ(charge(gate, "a", "{}"), CLOCHE_ALLOW);
  DENIED(second, "a", "{}", "budget"); /* its owner lives, though under another name */
  cloche_gate_free(gate), cloche_gate_free(second);
  cloche_account_free(account), cloche_account_free(other);
  cloche_policy_free(policy);
}

TEST(an_account_that_cannot_be_written_denies) {
  const cloche_policy *policy = load(one_at_a_time);
  cloche_account *account = open_account(fresh_path());
  cloche_gate *gate = gate_over(policy, account);
  sqlite3 *other;
  CHECK_EQ(sqlite3_open(path, &other), SQLITE_OK);
  CHECK_EQ(sqlite3_exec(other, "DROP TABLE charges", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(other);
  DENIED(gate, "a", "{}", "account");
  cloche_gate_free(gate);
  cloche_account_free(account);
  cloche_policy_free(policy);
}

TEST_MAIN(TEST_ENTRY(what_was_spent_is_there_when_the_file_is_opened_again),
          TEST_ENTRY(the_file_is_its_owners_alone),
          TEST_ENTRY(a_file_that_is_no_account_is_refused_and_left_as_it_is),
          TEST_ENTRY(a_damaged_file_allows_nothing_that_a_sound_one_would_not),
          TEST_ENTRY(a_file_answers_as_memory_does),
          TEST_ENTRY(eight_threads_on_one_file_spend_no_more_than_there_is),
          TEST_ENTRY(four_processes_on_one_file_spend_no_more_than_there_is),
          TEST_ENTRY(a_process_killed_anywhere_leaves_its_calls_charged_and_nobody_waiting),
          TEST_ENTRY(what_waits_for_an_approval_outlives_its_process_and_is_used_once),
          TEST_ENTRY(a_link_to_the_file_is_the_same_account),
          TEST_ENTRY(an_account_that_cannot_be_written_denies))
