// SPDX-License-Identifier: MIT
/* owners.h -- which of those that have an account open are still there.
 *
 * Each has a number, drawn at random, and holds a lock on the byte of that number in the file
 * PATH-users, which stays empty. The system lets go of the lock when the process ends, however it
 * ends, and shows it to processes that could not see each other's ids. */
#ifndef CLOCHE_ACCOUNTS_OWNERS_H
#define CLOCHE_ACCOUNTS_OWNERS_H

#include "cloche.h"

typedef struct cloche__owners {
  int file; /* -1: not open */
  int64_t self;
} cloche__owners;

/* E_MEMORY; E_SYSTEM (errno). On an error, `owners` needs no closing. */
cloche_status cloche__owners_open(const char *path, cloche__owners *owners);
void cloche__owners_close(cloche__owners *owners);
/* False only when nobody has that number any more. */
bool cloche__owners_alive(const cloche__owners *owners, int64_t owner);
/* One at a time, while the database is made or opened. False: errno. */
bool cloche__owners_enter(const cloche__owners *owners);
void cloche__owners_leave(const cloche__owners *owners);

#endif
