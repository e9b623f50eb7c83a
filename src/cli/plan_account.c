// SPDX-License-Identifier: MIT
/* plan_account.c -- two accounts behind one: the real one, and the concurrency of what is only
 * planned. One thread. */
#include "cli/plan_account.h"

#include <stdlib.h>

#include "gate/account.h"

typedef struct {
  uint64_t real, apart; /* reservations; 0: none, or settled */
  bool planned_only;
} held;

struct cloche__plan_account {
  cloche_account *real, *apart, *shown;
  bool planned_only; /* the next one */
  held *all;         /* an id is a place here, from 1 */
  size_t count, room;
};

static bool make_room(cloche__plan_account *plan) {
  if (plan->count < plan->room) return true;
  size_t room = plan->room * 2 + 16;
  held *grown = realloc(plan->all, room * sizeof *grown);
  if (grown == NULL) return false;
  plan->all = grown;
  plan->room = room;
  return true;
}

static cloche_status ask(cloche_account *account, const cloche_charge *charges, size_t count,
                         int64_t now, cloche_reserving how, uint64_t *id, size_t *refused) {
  return account->store.reserve(account->store.self, charges, count, now, how, id, refused);
}

static bool tell(cloche_account *account, uint64_t id, cloche_settling how) {
  return id != 0 && account->store.settle(account->store.self, id, how);
}

/* Splits each charge into what the real account is asked for and the concurrency. */
static void split(const cloche_charge *charges, size_t count, cloche_charge *real,
                  cloche_charge *apart) {
  for (size_t i = 0; i < count; i++) {
    real[i] = charges[i];
    real[i].max_concurrent = UINT64_MAX;
    apart[i] = (cloche_charge){.key = charges[i].key,
                               .max_calls = UINT64_MAX,
                               .max_concurrent = charges[i].max_concurrent,
                               .rate_calls = UINT64_MAX};
  }
}

static cloche_status reserve_both(cloche__plan_account *plan, const cloche_charge *charges,
                                  size_t count, int64_t now, cloche_reserving how, held *taken,
                                  size_t *refused) {
  cloche_charge real[CLOCHE__CHARGES], apart[CLOCHE__CHARGES];
  split(charges, count, real, apart);
  cloche_status status = ask(plan->apart, apart, count, now, how, &taken->apart, refused);
  if (status != CLOCHE_OK) return status;
  status = ask(plan->real, real, count, now, how, &taken->real, refused);
  if (status != CLOCHE_OK) tell(plan->apart, taken->apart, CLOCHE_SETTLE_RELEASED);
  return status;
}

static cloche_status reserve(void *self, const cloche_charge *charges, size_t count, int64_t now,
                             cloche_reserving how, uint64_t *id, size_t *refused) {
  cloche__plan_account *plan = self;
  held taken = {.planned_only = plan->planned_only};
  *id = 0;
  if (count > CLOCHE__CHARGES) return CLOCHE_E_ARGUMENT;
  if (!make_room(plan)) return CLOCHE_E_MEMORY;
  cloche_status status = taken.planned_only
                             ? reserve_both(plan, charges, count, now, how, &taken, refused)
                             : ask(plan->real, charges, count, now, how, &taken.real, refused);
  if (status != CLOCHE_OK || how == CLOCHE_RESERVE_TEST) return status;
  plan->all[plan->count] = taken;
  *id = ++plan->count;
  return CLOCHE_OK;
}

static bool settle(void *self, uint64_t id, cloche_settling how) {
  cloche__plan_account *plan = self;
  if (id == 0 || id > plan->count || plan->all[id - 1].real == 0) return false;
  held *one = &plan->all[id - 1];
  if (!one->planned_only || how == CLOCHE_SETTLE_RELEASED) {
    bool done = tell(plan->real, one->real, how);
    tell(plan->apart, one->apart, how);
    if (how != CLOCHE_SETTLE_APPROVED) *one = (held){0};
    return done;
  }
  if (how == CLOCHE_SETTLE_APPROVED)
    return tell(plan->apart, one->apart, how) && tell(plan->real, one->real, how);
  tell(plan->apart, one->apart, how); /* the rest is taken until the plan is there */
  one->apart = 0;
  return true;
}

static uint64_t calls_of(void *self, cloche_text key) {
  cloche__plan_account *plan = self;
  return cloche_account_calls(plan->real, key);
}

cloche__plan_account *cloche__plan_account_new(cloche_account *real) {
  cloche__plan_account *plan = calloc(1, sizeof *plan);
  if (plan == NULL) return NULL;
  plan->real = real;
  cloche_account_store store = {.self = plan,
                                .reserve = reserve,
                                .settle = settle,
                                .calls = calls_of,
                                .id = cloche_account_id(real)};
  if (cloche_account_new(NULL, &plan->apart) == CLOCHE_OK &&
      cloche_account_new(&store, &plan->shown) == CLOCHE_OK)
    return plan;
  cloche__plan_account_free(plan);
  return NULL;
}

cloche_account *cloche__plan_account_use(cloche__plan_account *plan) {
  return plan->shown;
}

void cloche__plan_account_next(cloche__plan_account *plan, bool planned_only) {
  if (plan != NULL) plan->planned_only = planned_only;
}

void cloche__plan_account_free(cloche__plan_account *plan) {
  if (plan == NULL) return;
  for (size_t i = 0; i < plan->count; i++) {
    held *one = &plan->all[i];
    /* A call that was made and has no end stays charged, as in a process that dies. */
    if (one->planned_only) tell(plan->real, one->real, CLOCHE_SETTLE_RELEASED);
  }
  cloche_account_free(plan->shown);
  cloche_account_free(plan->apart);
  free(plan->all);
  free(plan);
}
