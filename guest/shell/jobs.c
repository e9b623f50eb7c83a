// SPDX-License-Identifier: MIT
/* jobs.c -- what runs in the background. */
#include <stdlib.h>

#include "exec.h"

job *job_add(shell *sh, int *pids, size_t count, const node *of) {
  job *made = memory_take(sizeof *made), **last = &sh->jobs;
  text command = {.in = NULL};
  int highest = 0;
  if (sh->jobs != NULL && sh->jobs->foreign) jobs_forget(sh);
  for (; *last != NULL; last = &(*last)->next)
    if ((*last)->number > highest) highest = (*last)->number;
  print_command(&command, of);
  *made = (job){.number = highest + 1, .pids = pids, .count = count, .pid = pids[count - 1]};
  made->command = text_end(&command);
  made->statuses = memory_take(count * sizeof(int));
  for (size_t i = 0; i < count; i++) made->statuses[i] = -1;
  *last = made;
  return made;
}

/* A subshell shows its parent's jobs until it starts one of its own. */
void jobs_copy(shell *to, const shell *from) {
  job **last = &to->jobs;
  for (const job *at = from->jobs; at != NULL; at = at->next) {
    *last = memory_take(sizeof **last);
    **last = *at;
    (*last)->pids = memory_take(at->count * sizeof(int));
    memcpy((*last)->pids, at->pids, at->count * sizeof(int));
    (*last)->statuses = memory_take(at->count * sizeof(int));
    memcpy((*last)->statuses, at->statuses, at->count * sizeof(int));
    (*last)->command = memory_string(at->command);
    (*last)->foreign = true;
    last = &(*last)->next;
  }
  *last = NULL;
}

static void job_free(job *gone) {
  free(gone->pids);
  free(gone->statuses);
  free(gone->command);
  free(gone);
}

void job_forget(shell *sh, job *gone) {
  for (job **at = &sh->jobs; *at != NULL; at = &(*at)->next)
    if (*at == gone) {
      *at = gone->next;
      job_free(gone);
      return;
    }
}

/* It has been waited for: only its status is kept. */
void job_retire(shell *sh, job *ended) {
  sh->ended[sh->ended_next++ % ENDED_JOBS] = (ended_job){ended->pid, ended->status};
  job_forget(sh, ended);
}

bool job_ended(const shell *sh, int pid, int *status) {
  for (unsigned i = 1; i <= ENDED_JOBS; i++) {
    const ended_job *at = &sh->ended[(sh->ended_next - i) % ENDED_JOBS];
    if (at->pid != pid || pid == 0) continue;
    *status = at->status;
    return true;
  }
  return false;
}

void jobs_forget(shell *sh) {
  while (sh->jobs != NULL) job_forget(sh, sh->jobs);
}

static void note_status(job *of, size_t stage, int status) {
  of->statuses[stage] = status;
  for (size_t i = 0; i < of->count; i++)
    if (of->statuses[i] < 0) return;
  of->state = JOB_DONE;
  of->status = of->statuses[of->count - 1];
}

void jobs_poll(shell *sh) {
  for (job *at = sh->jobs; at != NULL; at = at->next)
    for (size_t i = 0; i < at->count && at->state == JOB_RUNNING && !at->foreign; i++) {
      int status, got = at->statuses[i] >= 0 ? 0 : process_poll(at->pids[i], &status);
      if (got > 0) note_status(at, i, status);
      if (got == -ECHILD) note_status(at, i, 127);
    }
}

/* Returns 128 + signal when a trapped signal came first, and the job goes on. */
int job_wait(shell *sh, job *waited) {
  shell_flush(sh);
  for (size_t i = 0; i < waited->count; i++) {
    if (waited->statuses[i] >= 0) continue;
    int status = 127, got = process_wait(waited->pids[i], &status);
    if (got == -EINTR) {
      int signal = process_take_signal();
      if (signal == 0 || signal == SIGNAL_CHLD) {
        i--;
        continue;
      }
      const char *action = sh->traps[signal].action;
      if (action != NULL && *action != 0) trap_run(sh, signal, action);
      return 128 + signal;
    }
    note_status(waited, i, got < 0 ? 127 : status);
  }
  return waited->status;
}

static job *nth_newest(shell *sh, unsigned back) {
  unsigned count = 0;
  for (job *at = sh->jobs; at != NULL; at = at->next) count++;
  if (count <= back) return NULL;
  job *at = sh->jobs;
  for (unsigned i = 0; i + back + 1 < count; i++) at = at->next;
  return at;
}

job *job_find(shell *sh, const char *name) {
  job *found = NULL;
  const char *spec = *name == '%' ? name + 1 : name;
  if (*spec == 0 || strcmp(spec, "+") == 0 || strcmp(spec, "%") == 0) {
    found = nth_newest(sh, 0);
  } else if (strcmp(spec, "-") == 0) {
    found = nth_newest(sh, 1);
    if (found == NULL) found = nth_newest(sh, 0);
  } else if (*spec >= '0' && *spec <= '9') {
    int number = atoi(spec);
    for (found = sh->jobs; found != NULL && found->number != number;) found = found->next;
  } else {
    for (job *at = sh->jobs; at != NULL; at = at->next)
      if (*spec == '?' ? strstr(at->command, spec + 1) != NULL
                       : strncmp(at->command, spec, strlen(spec)) == 0)
        found = at;
  }
  return found;
}
