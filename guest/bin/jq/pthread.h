// SPDX-License-Identifier: MIT
/* pthread.h -- what libjq asks of threads, for processes that are coroutines: "thread-specific"
 * means of the current process. See threads.c. Found before the C library's by the include path of
 * libjq's sources alone. */
#ifndef GUEST_BIN_JQ_PTHREAD_H
#define GUEST_BIN_JQ_PTHREAD_H

typedef unsigned jq_key;
typedef int jq_once;
#define pthread_key_t jq_key
#define pthread_once_t jq_once
#define pthread_mutex_t int
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_INITIALIZER 0

int jq_once_run(jq_once *once, void (*run)(void));
int jq_key_make(jq_key *key, void (*destroy)(void *));
void *jq_key_get(jq_key key);
int jq_key_set(jq_key key, const void *value);
#define pthread_once jq_once_run
#define pthread_key_create jq_key_make
#define pthread_getspecific jq_key_get
#define pthread_setspecific jq_key_set
#define pthread_mutex_lock(mutex) ((void)(mutex), 0)
#define pthread_mutex_unlock(mutex) ((void)(mutex), 0)

/* A process that uses libjq says so first; what a process of the same number left is forgotten.
 * False when too many do at once. */
int jq_process_begin(int pid, char **environment);
void jq_process_end(int pid);

/* What `environ` is to libjq: the current process's. */
char ***jq_environ_at();

#endif
