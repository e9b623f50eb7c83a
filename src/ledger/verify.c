// SPDX-License-Identifier: MIT
/* verify.c -- reads ledgers back, line by line, and checks each against the chain. */
#define _GNU_SOURCE
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/ledger.h"
#include "limits.h"

struct cloche__ledger_reader {
  FILE *file;
  char *line; /* getline's */
  size_t room;
  uint8_t chain[CLOCHE__HASH_BYTES];
  uint8_t public_key[crypto_sign_PUBLICKEYBYTES];
  bool has_key;
  uint64_t read; /* lines, all good */
  cloche__json_doc record;
};

/* ---- lines ---- */

/* Takes `prefix`, 2 * len hexadecimal digits in lower case and a quote off the front of the text.
 */
static bool take_hex(cloche_text *text, const char *prefix, uint8_t *bytes, size_t len) {
  size_t skip = strlen(prefix), got;
  if (text->len < skip + 2 * len + 1 || memcmp(text->at, prefix, skip) != 0) return false;
  const char *hex = text->at + skip;
  for (size_t i = 0; i < 2 * len; i++) {
    if (hex[i] >= 'A' && hex[i] <= 'F') return false; /* one spelling only */
  }
  if (sodium_hex2bin(bytes, len, hex, 2 * len, NULL, &got, NULL) != 0 || got != len) return false;
  if (hex[2 * len] != '"') return false;
  *text = (cloche_text){hex + 2 * len + 1, text->len - skip - 2 * len - 1};
  return true;
}

bool cloche__ledger_split(cloche_text line, cloche_text *hashed, uint8_t hash[CLOCHE__HASH_BYTES],
                          uint8_t signature[64], bool *is_signed) {
  enum { HASH = sizeof ",\"hash\":\"" - 1 + 64 + 1, SIGNED = sizeof ",\"sig\":\"" - 1 + 128 + 1 };
  for (int with = 0; with < 2; with++) {
    size_t tail = HASH + (with ? SIGNED : 0) + 1;
    if (line.len < tail) continue;
    cloche_text end = {line.at + line.len - tail, tail};
    if (!take_hex(&end, ",\"hash\":\"", hash, CLOCHE__HASH_BYTES)) continue;
    if (with && !take_hex(&end, ",\"sig\":\"", signature, 64)) continue;
    *hashed = (cloche_text){line.at, line.len - tail};
    *is_signed = with;
    return end.len == 1 && end.at[0] == '}';
  }
  return false;
}

static cloche_status refuse(char message[256], uint64_t line, const char *what) {
  snprintf(message, 256, "Line %llu %s.", (unsigned long long)line, what);
  return CLOCHE_E_FORMAT;
}

static cloche_status check_line(cloche__ledger_reader *r, cloche_text line, char message[256]) {
  cloche_text hashed;
  uint8_t hash[CLOCHE__HASH_BYTES], want[CLOCHE__HASH_BYTES], signature[64];
  bool is_signed;
  uint64_t seq, at = r->read + 1;
  cloche__json_limits limits = {.depth = CLOCHE__JSON_DEPTH_MAX};
  if (!cloche__ledger_split(line, &hashed, hash, signature, &is_signed)) {
    return refuse(message, at, "is no record, or is cut short");
  }
  cloche__json_free(&r->record);
  cloche_status status = cloche__json_parse(line, &limits, &r->record, NULL);
  if (status == CLOCHE_E_MEMORY) return status;
  if (status != CLOCHE_OK || !cloche__json_uint64(cloche__json_get(&r->record.root, "seq"), &seq)) {
    return refuse(message, at, "is no record");
  }
  if (seq != r->read)
    return refuse(message, at,
                  "has another number than its place: lines were removed, added or put in another "
                  "order before it");
  cloche__ledger_hash(r->chain, hashed, want);
  if (memcmp(hash, want, sizeof hash) != 0) {
    return refuse(message, at, "was changed, or the line before it was");
  }
  if (r->has_key && !is_signed) return refuse(message, at, "is not signed");
  if (r->has_key && crypto_sign_verify_detached(signature, hash, sizeof hash, r->public_key) != 0) {
    return refuse(message, at, "is not signed by this key");
  }
  memcpy(r->chain, hash, sizeof hash);
  r->read++;
  return CLOCHE_OK;
}

/* ---- reading ---- */

cloche_status cloche__ledger_reader_new(const char *path, const uint8_t *public_key,
                                        cloche__ledger_reader **reader) {
  cloche__ledger_reader *made = sodium_init() < 0 ? NULL : calloc(1, sizeof *made);
  if (made == NULL) return CLOCHE_E_MEMORY;
  made->file = fopen(path, "rbe");
  if (made->file == NULL) {
    free(made);
    return CLOCHE_E_SYSTEM;
  }
  made->has_key = public_key != NULL;
  if (public_key != NULL) memcpy(made->public_key, public_key, sizeof made->public_key);
  *reader = made;
  return CLOCHE_OK;
}

void cloche__ledger_reader_free(cloche__ledger_reader *reader) {
  if (reader == NULL) return;
  fclose(reader->file);
  free(reader->line);
  cloche__json_free(&reader->record);
  free(reader);
}

cloche_status cloche__ledger_next(cloche__ledger_reader *reader, const cloche__json **record,
                                  char message[256]) {
  errno = 0;
  ssize_t len = getline(&reader->line, &reader->room, reader->file);
  if (len < 0 && (ferror(reader->file) || !feof(reader->file)))
    return errno == ENOMEM ? CLOCHE_E_MEMORY : CLOCHE_E_SYSTEM;
  if (len < 0) return CLOCHE_E_STATE;
  if (reader->line[len - 1] != '\n') return refuse(message, reader->read + 1, "is cut short");
  cloche_status status = check_line(reader, (cloche_text){reader->line, (size_t)len - 1}, message);
  *record = &reader->record.root;
  return status;
}

cloche_status cloche_ledger_verify(const char *path, const uint8_t *public_key,
                                   cloche_ledger_report *report) {
  if (path == NULL || report == NULL) return CLOCHE_E_ARGUMENT;
  cloche__ledger_reader *reader = NULL;
  const cloche__json *record = NULL;
  *report = (cloche_ledger_report){0};
  cloche_status status = cloche__ledger_reader_new(path, public_key, &reader);
  if (status != CLOCHE_OK) return status;
  while ((status = cloche__ledger_next(reader, &record, report->message)) == CLOCHE_OK) {
    report->closed = cloche__json_is(cloche__json_get(record, "kind"), "close");
  }
  report->records = reader->read;
  if (status == CLOCHE_E_FORMAT) report->line = reader->read + 1;
  cloche__ledger_reader_free(reader);
  if (status != CLOCHE_E_STATE) return status;
  report->is_signed = public_key != NULL && report->records > 0;
  snprintf(report->message, sizeof report->message, "%llu records, all as they were written%s%s.",
           (unsigned long long)report->records, report->is_signed ? " and signed by this key" : "",
           report->closed ? "" : "; the last is no \"close\", so lines may be missing at the end");
  return CLOCHE_OK;
}

/* ---- going on with a file ---- */

/* Reads backwards to the start of the last line. */
static cloche_status read_last_line(int file, off_t size, cloche__buffer *line) {
  size_t want = 4096;
  for (;; want *= 4) {
    size_t len = (off_t)want < size ? want : (size_t)size;
    cloche__buffer_clear(line);
    if (!cloche__buffer_reserve(line, len)) return CLOCHE_E_MEMORY;
    ssize_t got = pread(file, line->at, len, size - (off_t)len);
    if (got != (ssize_t)len) return CLOCHE_E_SYSTEM;
    line->len = len;
    if (line->at[len - 1] != '\n') return CLOCHE_E_FORMAT;
    const char *before = memrchr(line->at, '\n', len - 1);
    if (before == NULL && (off_t)len < size) continue;
    size_t start = before == NULL ? 0 : (size_t)(before + 1 - line->at);
    memmove(line->at, line->at + start, len - 1 - start);
    line->len = len - 1 - start;
    return CLOCHE_OK;
  }
}

cloche_status cloche__ledger_last(int file, uint64_t *next, uint8_t chain[CLOCHE__HASH_BYTES]) {
  cloche__buffer line = {0};
  cloche__json_doc doc = {0};
  cloche__json_limits limits = {.depth = CLOCHE__JSON_DEPTH_MAX};
  cloche_text hashed;
  uint8_t hash[CLOCHE__HASH_BYTES], signature[64];
  bool is_signed;
  uint64_t seq;
  cloche_status status = read_last_line(file, lseek(file, 0, SEEK_END), &line);
  cloche_text text = cloche__buffer_view(&line);
  if (status == CLOCHE_OK && !cloche__ledger_split(text, &hashed, hash, signature, &is_signed))
    status = CLOCHE_E_FORMAT;
  if (status == CLOCHE_OK && cloche__json_parse(text, &limits, &doc, NULL) != CLOCHE_OK)
    status = CLOCHE_E_FORMAT;
  if (status == CLOCHE_OK && !cloche__json_uint64(cloche__json_get(&doc.root, "seq"), &seq))
    status = CLOCHE_E_FORMAT;
  if (status == CLOCHE_OK) {
    *next = seq + 1;
    memcpy(chain, hash, sizeof hash);
  }
  cloche__json_free(&doc);
  cloche__buffer_free(&line);
  return status;
}
