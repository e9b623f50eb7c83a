// SPDX-License-Identifier: MIT
/* snapshots.c -- reads and writes snapshots, and the key that seals them. */
#define _GNU_SOURCE
#include "cli/snapshots.h"

#include <string.h>

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

/* ---- files ---- */

bool cloche__snapshot_write(const char *path, cloche_text bytes) {
  return cloche__file_replace(path, "the snapshot", bytes);
}

bool cloche__snapshot_read(const char *path, cloche__buffer *bytes, bool *own) {
  return cloche__file_read_own(path, "the snapshot", snapshot_max, bytes, own);
}

void cloche__snapshot_complain(const char *path, cloche_status status) {
  const char *detail = cloche_sandbox_message(NULL);
  cloche__complain("%s: %s%s", path, *detail == '\0' ? cloche_status_text(status) : detail,
                   status == CLOCHE_E_ACCOUNT ? " (--accounts)" : "");
}
