// SPDX-License-Identifier: MIT
/* snapshots.c -- reads and writes snapshots, and the key that seals them. */
#define _GNU_SOURCE
#include "cli/snapshots.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files.h"

/* More than any sandbox can have. */
enum { KEY_FILE_MAX = 4096 };
static const size_t snapshot_max = (size_t)5 << 30;

/* ---- keys ---- */

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* 64 hexadecimal digits and perhaps a newline, or 32 bytes as they are. */
static bool read_key(cloche_text text, uint8_t key[32]) {
  while (text.len > 64 && (text.at[text.len - 1] == '\n' || text.at[text.len - 1] == '\r'))
    text.len--;
  if (text.len == 32) memcpy(key, text.at, 32);
  for (size_t i = 0; text.len == 64 && i < 32; i++) {
    int high = digit(text.at[2 * i]), low = digit(text.at[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    key[i] = (uint8_t)(high << 4 | low);
  }
  return text.len == 32 || text.len == 64;
}

bool cloche__snapshot_opening(const cloche__settings *settings, uint8_t key[32],
                              cloche_snapshot_options *opening) {
  *opening = (cloche_snapshot_options){0};
  if (settings->key == NULL) {
    if (settings->audience == NULL) return true;
    cloche__complain("--audience says whom a sealed snapshot is for; it needs a --key");
    return false;
  }
  cloche__buffer text;
  if (!cloche__file_read(settings->key, "the key", KEY_FILE_MAX, &text)) return false;
  bool sound = read_key(cloche__buffer_view(&text), key);
  if (text.at != NULL) explicit_bzero(text.at, text.len);
  cloche__buffer_free(&text);
  if (!sound)
    cloche__complain("the key %s: 64 hexadecimal digits are wanted, or 32 bytes", settings->key);
  opening->key = key;
  opening->audience = cloche__text(settings->audience);
  return sound;
}

/* ---- writing ---- */

static bool put(const char *temporary, int file, const char *path, cloche_text bytes) {
  if (!cloche__write_all(file, bytes) || fsync(file) != 0 || rename(temporary, path) != 0)
    return false;
  char *copy = strdup(path);
  int folder = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(copy);
  if (folder < 0) return true; /* it is there; only a lost machine could lose it */
  fsync(folder);
  close(folder);
  return true;
}

bool cloche__snapshot_write(const char *path, cloche_text bytes) {
  size_t size = strlen(path) + 8;
  char *temporary = malloc(size);
  if (temporary == NULL) return false;
  snprintf(temporary, size, "%s.XXXXXX", path);
  int file = mkostemp(temporary, O_CLOEXEC); /* mode 0600 */
  bool done = file >= 0 && put(temporary, file, path, bytes);
  int why = errno;
  if (!done && file >= 0) unlink(temporary);
  if (file >= 0) close(file);
  free(temporary);
  if (!done) cloche__complain("the snapshot %s cannot be written: %s", path, strerror(why));
  return done;
}

/* ---- reading ---- */

/* Nobody else may write the file; whoever owns it could, and root always can. */
static bool is_own(const struct stat *about) {
  return S_ISREG(about->st_mode) && (about->st_uid == geteuid() || about->st_uid == 0) &&
         (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool cloche__snapshot_read(const char *path, cloche__buffer *bytes, bool *own) {
  struct stat before, after;
  *own = false;
  bool known = stat(path, &before) == 0;
  if (!cloche__file_read(path, "the snapshot", snapshot_max, bytes)) return false;
  *own = known && is_own(&before) && stat(path, &after) == 0 && before.st_ino == after.st_ino &&
         before.st_dev == after.st_dev && is_own(&after);
  return true;
}

void cloche__snapshot_complain(const char *path, cloche_status status) {
  const char *detail = cloche_sandbox_message(NULL);
  cloche__complain("%s: %s%s", path, *detail == '\0' ? cloche_status_text(status) : detail,
                   status == CLOCHE_E_ACCOUNT ? " (--accounts)" : "");
}
