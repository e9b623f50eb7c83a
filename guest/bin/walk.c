// SPDX-License-Identifier: MIT
// walk.c -- see walk.h.
#include "walk.h"

#include <stdlib.h>
#include <string.h>

#include "../text/text.h"
#include "path.h"

struct walk_folder {
  walk_folder *below; /* the one that contains it */
  char *path;
  char **names;
  size_t next, count;
  file_stat stat;
};

enum { AT_START, GOING, ENTERED, DONE };

void walk_start(walk *w, const char *path, bool follow_start) {
  *w = (walk){.start = memory_string(path), .state = AT_START, .follow_start = follow_start};
}

static bool is_loop(const walk *w, const file_stat *stat) {
  for (const walk_folder *f = w->top; f != NULL; f = f->below) {
    if (f->stat.inode == stat->inode) return true;
  }
  return false;
}

static walk_event look(walk *w, bool follow) {
  int error = follow ? sys_stat(w->path, &w->stat) : sys_lstat(w->path, &w->stat);
  if (error < 0 && follow && sys_lstat(w->path, &w->stat) == 0) error = 0; /* a dangling link */
  w->error = -error;
  w->reading_folder = false;
  if (error < 0) return WALK_ERROR;
  if (w->stat.kind != FILE_DIRECTORY) return WALK_FILE;
  if (follow && is_loop(w, &w->stat)) {
    w->error = ELOOP;
    return WALK_ERROR;
  }
  w->state = ENTERED;
  return WALK_ENTER;
}

/* Goes into the folder last shown. False, with the event of the failure, when it cannot be read. */
static bool enter(walk *w, walk_event *event) {
  walk_folder *f = memory_take(sizeof *f);
  *f = (walk_folder){.below = w->top, .path = (char *)w->path, .stat = w->stat};
  int error = path_list(w->path, w->sorted, &f->names, &f->count);
  if (error < 0) {
    w->error = -error;
    w->reading_folder = true;
    *event = WALK_ERROR;
    free(f);
    return false;
  }
  w->top = f;
  w->depth++;
  return true;
}

static void leave(walk *w) {
  walk_folder *f = w->top;
  w->top = f->below;
  w->path = f->path;
  w->stat = f->stat;
  w->depth--;
  const char *slash = strrchr(f->path, '/');
  w->name = w->depth > 0 && slash != NULL ? slash + 1 : f->path;
  free(f->names);
  free(f);
}

bool walk_next(walk *w, walk_event *event) {
  if (w->state == AT_START) {
    w->state = GOING;
    w->path = w->name = w->start;
    *event = look(w, w->follow || w->follow_start);
    if (*event != WALK_ENTER && w->top == NULL) w->state = DONE;
    return true;
  }
  if (w->state == ENTERED) {
    w->state = GOING;
    bool skipped = w->skip;
    w->skip = false;
    if (!skipped && !enter(w, event)) {
      if (w->top == NULL) w->state = DONE;
      return true;
    }
  }
  if (w->top == NULL || w->state == DONE) return false;
  if (w->top->next == w->top->count) {
    leave(w);
    *event = WALK_LEAVE;
    return true;
  }
  char *name = w->top->names[w->top->next++];
  w->path = path_join(w->top->path, name);
  w->name = name;
  *event = look(w, w->follow);
  return true;
}
