// SPDX-License-Identifier: MIT
/* redirect.c -- opening, duplicating and closing descriptors around a command. */
#include <stdlib.h>

#include "builtins.h"

/* What is put aside goes above the numbers that scripts use. */
#define SAVED_LOWEST 100
#define NAMED_LOWEST 10

size_t redirect_mark(const shell *sh) {
  return sh->saved_count;
}

void redirect_undo(shell *sh, size_t mark) {
  while (sh->saved_count > mark) {
    saved_fd *back = &sh->saved[--sh->saved_count];
    if (back->saved < 0) {
      sys_close(back->fd);
    } else {
      sys_dup2(back->saved, back->fd);
      sys_close(back->saved);
    }
  }
}

void redirect_forget(shell *sh, size_t mark) {
  while (sh->saved_count > mark) {
    saved_fd *kept = &sh->saved[--sh->saved_count];
    if (kept->saved >= 0) sys_close(kept->saved);
  }
}

static void put_aside(shell *sh, int fd) {
  if (sh->saved_count == sh->saved_cap) {
    sh->saved_cap = sh->saved_cap != 0 ? sh->saved_cap * 2 : 8;
    sh->saved = memory_resize(sh->saved, sh->saved_cap * sizeof *sh->saved);
  }
  int copy = sys_dup(fd, SAVED_LOWEST);
  sh->saved[sh->saved_count++] = (saved_fd){fd, copy};
}

/* `from` becomes `to`; `from` is ours and goes away. */
static bool move_fd(shell *sh, int from, int to) {
  if (from == to) return true;
  int moved = sys_dup2(from, to);
  sys_close(from);
  if (moved >= 0) return true;
  complain(sh, "%d: %s", to, error_text(moved));
  return false;
}

/* /dev/fd/3, /dev/stdin and so on: a copy of a descriptor, as bash itself treats them. -1: none. */
static int special_file(const char *path) {
  if (strncmp(path, "/dev/", 5) != 0) return -1;
  if (strcmp(path, "/dev/stdin") == 0) return 0;
  if (strcmp(path, "/dev/stdout") == 0) return 1;
  if (strcmp(path, "/dev/stderr") == 0) return 2;
  if (strncmp(path, "/dev/fd/", 8) != 0 || path[8] == 0) return -1;
  int fd = 0;
  for (const char *at = path + 8; *at != 0; at++) {
    if (*at < '0' || *at > '9' || fd > 100000) return -1;
    fd = fd * 10 + (*at - '0');
  }
  return fd;
}

static int open_flags(redirect_kind kind) {
  switch (kind) {
    case REDIRECT_INPUT:
      return OPEN_READ;
    case REDIRECT_READ_WRITE:
      return OPEN_READ | OPEN_WRITE | OPEN_CREATE;
    case REDIRECT_APPEND:
    case REDIRECT_BOTH_APPEND:
      return OPEN_WRITE | OPEN_CREATE | OPEN_APPEND;
    default:
      return OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE;
  }
}

static int open_target(shell *sh, const redirect *of, const char *path) {
  int special = special_file(path), opened;
  if (strncmp(path, "/dev/tcp/", 9) == 0 || strncmp(path, "/dev/udp/", 9) == 0) {
    complain(sh, "%s: there is no network here", path);
    return -1;
  }
  bool fresh = of->kind == REDIRECT_OUTPUT || of->kind == REDIRECT_BOTH;
  file_stat stat;
  if (special < 0 && fresh && option_on(sh, OPTION_NOCLOBBER) && sys_stat(path, &stat) == 0 &&
      stat.kind == FILE_REGULAR) {
    complain(sh, "%s: cannot overwrite existing file", path);
    return -1;
  }
  opened = special >= 0 ? sys_dup(special, NAMED_LOWEST)
                        : sys_open(path, open_flags((redirect_kind)of->kind), 0666);
  if (opened < 0) complain(sh, "%s: %s", path, error_text(opened));
  return opened;
}

/* The number a redirection is about: its own, its operator's, or a free one for {name}. */
static int chosen_fd(const redirect *of) {
  if (of->fd >= 0) return of->fd;
  switch (of->kind) {
    case REDIRECT_INPUT:
    case REDIRECT_DUP_INPUT:
    case REDIRECT_READ_WRITE:
    case REDIRECT_DOCUMENT:
    case REDIRECT_STRING:
      return 0;
    default:
      return 1;
  }
}

static bool name_fd(shell *sh, const redirect *of, int opened) {
  int fd = opened;
  if (opened < NAMED_LOWEST) {
    fd = sys_dup(opened, NAMED_LOWEST);
    sys_close(opened);
  }
  if (fd < 0) {
    complain(sh, "%s: %s", of->variable, error_text(fd));
    return false;
  }
  if (var_set_number(sh, of->variable, fd)) return true;
  complain(sh, "%s: cannot assign fd to variable", of->variable);
  sys_close(fd);
  return false;
}

static bool install(shell *sh, const redirect *of, int opened) {
  if (opened < 0) return false;
  if (of->variable != NULL) return name_fd(sh, of, opened);
  int fd = chosen_fd(of);
  if (fd == opened) {
    /* It was closed and open() chose that very number: undoing means closing it. */
    put_aside(sh, fd);
    sys_close(sh->saved[sh->saved_count - 1].saved);
    sh->saved[sh->saved_count - 1].saved = -1;
    return true;
  }
  put_aside(sh, fd);
  if (!move_fd(sh, opened, fd)) return false;
  if (of->kind != REDIRECT_BOTH && of->kind != REDIRECT_BOTH_APPEND) return true;
  put_aside(sh, 2);
  return sys_dup2(1, 2) >= 0;
}

static void close_named(shell *sh, const redirect *of) {
  const char *number = var_get(sh, of->variable);
  int64_t fd;
  if (number != NULL && builtin_number(number, &fd) && fd >= 0 && fd < 1 << 20)
    sys_close((int)fd);
  else
    complain(sh, "%s: ambiguous redirect", of->variable);
}

/* >&word and <&word: a number, a number to be moved ("3-"), or "-". */
static bool duplicate(shell *sh, const redirect *of, const char *target) {
  size_t size = strlen(target);
  int fd = chosen_fd(of);
  if (strcmp(target, "-") == 0) {
    if (of->variable != NULL) {
      close_named(sh, of);
      return true;
    }
    put_aside(sh, fd);
    sys_close(fd);
    return true;
  }
  bool moves = size > 1 && target[size - 1] == '-';
  size_t digits = strspn(target, "0123456789");
  if (digits == 0 || digits != size - moves || digits > 6) {
    if (of->kind == REDIRECT_DUP_OUTPUT && of->fd < 0 && of->variable == NULL) {
      redirect both = *of;
      both.kind = REDIRECT_BOTH;
      return install(sh, &both, open_target(sh, &both, target));
    }
    complain(sh, "%s: ambiguous redirect", target);
    return false;
  }
  int from = (int)strtol(target, NULL, 10);
  if (!sys_is_open(from)) {
    complain(sh, "%d: Bad file descriptor", from);
    return false;
  }
  if (of->variable != NULL) return name_fd(sh, of, sys_dup(from, NAMED_LOWEST));
  put_aside(sh, fd);
  int copied = sys_dup2(from, fd);
  if (copied < 0) {
    complain(sh, "%d: %s", from, error_text(copied));
    return false;
  }
  if (moves && from != fd) {
    put_aside(sh, from);
    sys_close(from);
  }
  return true;
}

/* << and <<<: the text becomes a file without a name. */
static int open_document(shell *sh, const redirect *of) {
  size_t size;
  const char *content;
  if (of->target == NULL) return sys_memory_file("", 0);
  if (of->kind == REDIRECT_STRING) {
    char *line = expand_sized(sh, of->target, false, &size);
    if (line == NULL) return -1;
    text whole = {.in = &sh->scratch};
    text_add(&whole, line, size);
    text_char(&whole, '\n');
    content = whole.at;
    size = whole.len;
  } else if (of->quoted) {
    content = of->body.at;
    size = of->body.len;
  } else {
    content = expand_sized(sh, of->target, false, &size);
    if (content == NULL) return -1;
  }
  int opened = sys_memory_file(content, size);
  if (opened < 0) complain(sh, "cannot create temp file for here-document: %s", error_text(opened));
  return opened;
}

static bool redirect_one(shell *sh, const redirect *of) {
  if (of->kind == REDIRECT_DOCUMENT || of->kind == REDIRECT_STRING)
    return install(sh, of, open_document(sh, of));
  const char *target = expand_target(sh, of->target);
  if (target == NULL) return false;
  if (of->kind == REDIRECT_DUP_INPUT || of->kind == REDIRECT_DUP_OUTPUT)
    return duplicate(sh, of, target);
  return install(sh, of, open_target(sh, of, target));
}

bool redirect_all(shell *sh, const redirect *list) {
  for (const redirect *at = list; at != NULL; at = at->next)
    if (!redirect_one(sh, at)) return false;
  return true;
}
