// SPDX-License-Identifier: MIT
/* substitute.c -- $(..), `..`, <(..) and >(..): commands inside words. */
#include <stdlib.h>

#include "exec.h"

/* Reads until the end; NUL bytes, which no variable could hold, are dropped with bash's warning. */
static bool collect(shell *sh, int fd, text *to) {
  bool warned = false;
  for (;;) {
    text_reserve(to, 4096);
    int64_t got = sys_read(fd, to->at + to->len, 4096);
    if (got == -EINTR) continue;
    if (got <= 0) break;
    char *from = to->at + to->len;
    if (memchr(from, 0, (size_t)got) == NULL) {
      to->len += (size_t)got;
      continue;
    }
    for (int64_t i = 0; i < got; i++)
      if (from[i] != 0) to->at[to->len++] = from[i];
    if (!warned) complain(sh, "warning: command substitution: ignored null byte in input");
    warned = true;
  }
  while (to->len > 0 && to->at[to->len - 1] == '\n') to->len--;
  return true;
}

/* $(<file): no process is needed. */
static const redirect *only_input(const node *of) {
  if (of->kind != NODE_SIMPLE || of->words != NULL || of->assigns != NULL) return NULL;
  const redirect *only = of->redirects;
  if (only == NULL || only->next != NULL || only->kind != REDIRECT_INPUT || only->fd > 0)
    return NULL;
  return only;
}

static bool substitute_file(shell *sh, const redirect *from, text *to) {
  const char *path = expand_target(sh, from->target);
  if (path == NULL) {
    sh->substitution_status = 1;
    return sh->unwind == UNWIND_NONE;
  }
  int fd = sys_open(path, OPEN_READ, 0);
  sh->substitution_status = fd < 0;
  if (fd < 0) {
    complain(sh, "%s: %s", path, error_text(fd));
    return true;
  }
  bool fine = collect(sh, fd, to);
  sys_close(fd);
  return fine;
}

/* The text between backquotes is parsed when it is run, by the child: it is an eval. */
static node *backquoted(shell *sh, const part *of) {
  node *body = arena_zero(&sh->scratch, sizeof *body);
  word *argument = arena_zero(&sh->scratch, sizeof *argument);
  word *command = arena_zero(&sh->scratch, sizeof *command);
  part *parts = arena_zero(&sh->scratch, 2 * sizeof *parts);
  parts[0].text = (slice){"eval", 4};
  parts[1].text = of->source;
  parts[1].kind = PART_QUOTED;
  command->parts = &parts[0];
  command->flags = WORD_PLAIN;
  command->next = argument;
  argument->parts = &parts[1];
  argument->source = of->source;
  body->kind = NODE_SIMPLE;
  body->line = sh->line;
  body->words = command;
  return body;
}

bool substitute_command(shell *sh, const part *of, text *to) {
  const node *body = of->backquoted ? backquoted(sh, of) : of->body;
  if (body == NULL) {
    sh->substitution_status = 0;
    return true;
  }
  const redirect *input = only_input(body);
  if (input != NULL) return substitute_file(sh, input, to);
  int ends[2];
  int failed = sys_pipe(ends);
  if (failed < 0) {
    complain(sh, "cannot make pipe for command substitution: %s", error_text(failed));
    discard(sh, 1);
    return false;
  }
  child_order order = {
      .node = body, .in = -1, .out = ends[1], .close_too = ends[0], .substituted = true};
  int pid = child_start(sh, &order, false);
  sys_close(ends[1]);
  if (pid > 0) {
    collect(sh, ends[0], to);
    sh->substitution_status = child_wait(sh, pid);
    sh->status = sh->substitution_status;
  }
  sys_close(ends[0]);
  return pid > 0;
}

/* The descriptor stays open until the command at hand is done. */
static void close_later(shell *sh, int fd) {
  if (sh->to_close_count == sh->to_close_cap) {
    sh->to_close_cap = sh->to_close_cap != 0 ? sh->to_close_cap * 2 : 8;
    sh->to_close = memory_resize(sh->to_close, sh->to_close_cap * sizeof *sh->to_close);
  }
  sh->to_close[sh->to_close_count++] = fd;
}

char *substitute_process(shell *sh, const part *of) {
  int ends[2];
  int failed = sys_pipe(ends);
  if (failed < 0) {
    complain(sh, "cannot make pipe for process substitution: %s", error_text(failed));
    discard(sh, 1);
    return NULL;
  }
  bool reads = of->direction == '<';
  int ours = sys_dup(ends[reads ? 0 : 1], 63 - (int)(sh->to_close_count % 32));
  sys_close(ends[reads ? 0 : 1]);
  int theirs = ends[reads ? 1 : 0];
  static const node nothing = {.kind = NODE_LIST};
  child_order order = {.node = of->body != NULL ? of->body : &nothing,
                       .in = reads ? -1 : theirs,
                       .out = reads ? theirs : -1,
                       .close_too = ours,
                       .substituted = true};
  int pid = child_start(sh, &order, true);
  sys_close(theirs);
  if (pid < 0) {
    sys_close(ours);
    return NULL;
  }
  sh->background_pid = pid;
  if (!reads) {
    sh->readers = memory_resize(sh->readers, (sh->reader_count + 1) * sizeof *sh->readers);
    sh->readers[sh->reader_count++] = pid;
  }
  close_later(sh, ours);
  text path = {.in = &sh->scratch};
  text_format(&path, "/dev/fd/%d", ours);
  return text_end(&path);
}
