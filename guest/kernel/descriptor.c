// SPDX-License-Identifier: MIT
/* descriptor.c -- a process's table of what it has open. */
#include "descriptor.h"

#include <string.h>

/* ---- open files ---- */

open_file *open_file_create(open_kind kind, int flags) {
  open_file *made = kernel_malloc(sizeof *made);
  if (made == NULL) return NULL;
  *made = (open_file){.references = 1, .kind = kind, .flags = flags};
  return made;
}

void open_file_release(open_file *released) {
  if (--released->references > 0) return;
  if (released->inode != NULL) inode_release(released->inode);
  if (released->pipe != NULL) pipe_remove(released->pipe, released->flags & OPEN_WRITE);
  kernel_free(released);
}

/* ---- the table ---- */

open_file *descriptor_get(int fd) {
  const process *self = process_current();
  return self == NULL || fd < 0 || fd >= self->file_count ? NULL : self->files[fd];
}

static int grow(process *of, int count) {
  if (count > DESCRIPTOR_MAX) return -EMFILE;
  if (count <= of->file_count) return 0;
  int rounded = (count + 7) & ~7;
  open_file **grown = kernel_realloc(of->files, (size_t)rounded * sizeof *grown);
  if (grown == NULL) return -ENOMEM;
  memset(grown + of->file_count, 0, (size_t)(rounded - of->file_count) * sizeof *grown);
  of->files = grown;
  of->file_count = rounded;
  return 0;
}

static int put(process *of, open_file *added, int fd) {
  int error = grow(of, fd + 1);
  if (error != 0) {
    open_file_release(added);
    return error;
  }
  of->files[fd] = added;
  return fd;
}

int descriptor_add(open_file *added, int lowest) {
  process *self = process_current();
  int fd = lowest;
  while (fd < self->file_count && self->files[fd] != NULL) fd++;
  return put(self, added, fd);
}

void descriptors_close_all(process *of) {
  for (int fd = 0; fd < of->file_count; fd++)
    if (of->files[fd] != NULL) open_file_release(of->files[fd]);
  kernel_free(of->files);
  of->files = NULL;
  of->file_count = 0;
  if (of->folder != NULL) inode_release(of->folder);
  of->folder = NULL;
}

/* ---- inheritance ---- */

/* The input of the next run that starts; NULL: it is empty, or did not fit. */
static open_file *next_stdin;
static bool stdin_is_lost;

/* A file without a name. */
static open_file *memory_file(const void *bytes, size_t size, int *error) {
  inode *made = inode_create(FILE_REGULAR, 0600, error);
  if (made == NULL) return NULL;
  open_file *open = open_file_create(OPEN_INODE, OPEN_READ | OPEN_WRITE);
  int64_t written = content_write(&made->content, bytes, size, 0);
  *error = open == NULL ? -ENOMEM : written < 0 ? (int)written : 0;
  if (*error != 0) {
    inode_release(made);
    kernel_free(open);
    return NULL;
  }
  open->inode = made;
  return open;
}

int descriptors_set_stdin(const void *bytes, size_t size) {
  int error;
  if (next_stdin != NULL) open_file_release(next_stdin);
  next_stdin = memory_file(bytes, size, &error);
  stdin_is_lost = next_stdin == NULL; /* the run does not start */
  return error;
}

static open_file *take_stdin(void) {
  int error;
  open_file *taken = next_stdin;
  bool lost = stdin_is_lost;
  next_stdin = NULL;
  stdin_is_lost = false;
  if (lost) return NULL;
  return taken != NULL ? taken : memory_file("", 0, &error);
}

static open_file *console(int stream) {
  open_file *made = open_file_create(OPEN_CONSOLE, OPEN_WRITE);
  if (made != NULL) made->stream = stream;
  return made;
}

static int first_descriptors(process *child) {
  open_file *files[3] = {take_stdin(), console(1), console(2)};
  int error = 0;
  for (int fd = 0; fd < 3; fd++) {
    if (files[fd] == NULL)
      error = -ENOMEM;
    else if (put(child, files[fd], fd) < 0)
      error = -ENOMEM;
  }
  return error;
}

int descriptors_renew_stdin(void) {
  open_file *input = take_stdin();
  if (input == NULL) return -ENOMEM;
  sys_close(0);
  return put(process_current(), input, 0);
}

int descriptors_inherit(process *child, const process *parent) {
  child->folder = parent == NULL ? inode_workspace() : parent->folder;
  child->umask = parent == NULL ? 022 : parent->umask;
  inode_hold(child->folder);
  if (parent == NULL) return first_descriptors(child);
  int count = parent->file_count;
  while (count > 0 && parent->files[count - 1] == NULL) count--;
  if (grow(child, count) != 0) return -ENOMEM;
  for (int fd = 0; fd < count; fd++) {
    child->files[fd] = parent->files[fd];
    if (child->files[fd] != NULL) child->files[fd]->references++;
  }
  return 0;
}

/* ---- for programs ---- */

bool sys_is_open(int fd) {
  return descriptor_get(fd) != NULL;
}

int sys_close(int fd) {
  open_file *closed = descriptor_get(fd);
  if (closed == NULL) return -EBADF;
  process_current()->files[fd] = NULL;
  open_file_release(closed);
  return 0;
}

int sys_dup(int fd, int lowest) {
  open_file *open = descriptor_get(fd);
  if (open == NULL) return -EBADF;
  if (lowest < 0 || lowest >= DESCRIPTOR_MAX) return -EINVAL;
  open->references++;
  return descriptor_add(open, lowest);
}

int sys_dup2(int from, int to) {
  open_file *open = descriptor_get(from);
  if (open == NULL || to < 0 || to >= DESCRIPTOR_MAX) return -EBADF;
  if (from == to) return to;
  int error = grow(process_current(), to + 1);
  if (error != 0) return error;
  open->references++;
  (void)sys_close(to);
  return put(process_current(), open, to);
}

static open_file *pipe_end(pipe *of, bool writer) {
  open_file *end = open_file_create(OPEN_PIPE, writer ? OPEN_WRITE : OPEN_READ);
  if (end == NULL) return NULL;
  end->pipe = of;
  pipe_add(of, writer);
  return end;
}

int sys_pipe(int ends[2]) {
  pipe *made = pipe_create();
  if (made == NULL) return -ENOMEM;
  pipe_add(made, true); /* until both ends are there */
  open_file *reader = pipe_end(made, false);
  open_file *writer = pipe_end(made, true);
  pipe_remove(made, true);
  if (reader == NULL || writer == NULL) {
    if (reader != NULL) open_file_release(reader);
    if (writer != NULL) open_file_release(writer);
    return -ENOMEM;
  }
  ends[0] = descriptor_add(reader, 0);
  ends[1] = ends[0] < 0 ? ends[0] : descriptor_add(writer, 0);
  if (ends[0] < 0) open_file_release(writer);
  if (ends[0] >= 0 && ends[1] < 0) (void)sys_close(ends[0]);
  return ends[1] < 0 ? ends[1] : 0;
}

int sys_memory_file(const void *content, size_t size) {
  int error;
  open_file *open = memory_file(content, size, &error);
  return open == NULL ? error : descriptor_add(open, 0);
}
