// SPDX-License-Identifier: MIT
/* files.c -- where libjq would use the machine's files: modules and --slurpfile. Only calls that
 * never wait: they are made from deep inside the compiler. */
#include <stdlib.h>
#include <string.h>

#include "../../kernel/kernel.h"
#include "../bin.h"
#include "../path.h"
#include "jq_stat.h"
#include "jv.h"
#include "util.h"

int jq_atexit(void (*function)(void)) {
  (void)function; /* a process's memory goes with it */
  return 0;
}

/* The seed of hash tables. It is part of the image, so it is the same everywhere; a program that
 * makes its own tables slow only harms itself. */
int jq_getentropy(void *to, size_t size) {
  memset(to, 0x5A, size);
  return 0;
}

int jq_stat(const char *path, struct jq_stat *to) {
  file_stat stat;
  if (sys_stat(path, &stat) < 0) return -1;
  to->st_mode = stat.kind == FILE_DIRECTORY ? S_IFDIR : S_IFREG;
  return 0;
}

jv jq_realpath(jv path) {
  char *resolved;
  if (path_resolve(jv_string_value(path), PATH_EXISTING, true, &resolved) < 0) return path;
  jv_free(path);
  jv result = jv_string(resolved);
  free(resolved);
  return result;
}

jv get_home(void) {
  return jv_string("/");
}

static jv failed(const char *path, const char *why) {
  return jv_invalid_with_msg(jv_string_fmt("Could not open %s: %s", path, why));
}

static char *read_file(const char *path, size_t *size, int *error) {
  file_stat stat;
  int fd = sys_open(path, OPEN_READ, 0);
  *error = fd < 0 ? fd : sys_fstat(fd, &stat);
  char *content = NULL;
  if (*error >= 0) {
    *size = (size_t)stat.size;
    content = malloc(*size + 1);
    if (content == NULL) *error = -ENOMEM;
  }
  for (size_t got = 0; content != NULL && got < *size;) {
    int64_t more = sys_pread(fd, content + got, *size - got, got);
    if (more <= 0) {
      *size = got;
      break;
    }
    got += (size_t)more;
  }
  if (*error >= 0 && stat.kind == FILE_DIRECTORY) *error = -EISDIR;
  if (fd >= 0) sys_close(fd);
  return content;
}

jv jv_load_file(const char *path, int raw) {
  size_t size = 0;
  int error;
  char *content = read_file(path, &size, &error);
  if (error < 0) return failed(path, error == -EISDIR ? "It's a directory" : error_text(error));
  jv data;
  if (raw) {
    data = jv_string_sized(content, (int)size);
  } else {
    data = jv_array();
    jv_parser *parser = jv_parser_new(0);
    jv_parser_set_buf(parser, content, (int)size, 0);
    jv value;
    while (jv_is_valid(value = jv_parser_next(parser))) data = jv_array_append(data, value);
    if (jv_invalid_has_msg(jv_copy(value))) {
      jv_free(data);
      data = value;
    } else {
      jv_free(value);
    }
    jv_parser_free(parser);
  }
  free(content);
  return data;
}
