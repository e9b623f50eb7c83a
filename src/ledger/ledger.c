// SPDX-License-Identifier: MIT
/* ledger.c -- appends records: builds a line, chains it, hands it to the sink.
 *
 * Fails closed: after one failure the ledger is broken and every later record fails too, so that no
 * call can happen unseen; unless it was told to go on, then records are counted as lost. */
#include "ledger/ledger.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "gate/time.h"
#include "limits.h"

struct cloche_ledger {
  pthread_mutex_t lock;
  cloche_ledger_sink sink;
  cloche_ledger_options options;
  uint8_t secret_key[32], signing_key[64];
  cloche__buffer line;
  uint64_t lost, unsynced;
  int broken; /* errno of the first failure */
};

_Static_assert(CLOCHE__HASH_BYTES == crypto_generichash_BYTES, "the chain uses BLAKE2b-256");

const cloche_ledger_options *cloche__ledger_options_of(const cloche_ledger *ledger) {
  return &ledger->options;
}

void cloche__ledger_hash(const uint8_t before[CLOCHE__HASH_BYTES], cloche_text hashed,
                         uint8_t hash[CLOCHE__HASH_BYTES]) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, CLOCHE__HASH_BYTES);
  crypto_generichash_update(&state, before, CLOCHE__HASH_BYTES);
  crypto_generichash_update(&state, (const unsigned char *)hashed.at, hashed.len);
  crypto_generichash_final(&state, hash, CLOCHE__HASH_BYTES);
}

static void write_hex(const uint8_t *bytes, size_t len, cloche__buffer *out) {
  char hex[129];
  sodium_bin2hex(hex, sizeof hex, bytes, len);
  cloche__buffer_add(out, hex, 2 * len);
}

static void write_head(const cloche_ledger *l, const char *kind, const cloche__moment *moment,
                       cloche__buffer *out) {
  cloche__buffer_format(
      out, "{\"seq\":%llu,\"kind\":\"%s\",\"box\":", (unsigned long long)l->options.next, kind);
  cloche__json_write_string(moment->box, out);
  cloche__buffer_string(out, ",\"wall\":\"");
  cloche__time_write(moment->wall, out);
  cloche__buffer_string(out, "\",\"virtual\":\"");
  cloche__time_write(moment->virtual_time, out);
  cloche__buffer_format(out, "\",\"fuel\":%llu", (unsigned long long)moment->fuel);
}

/* Ends the line; `hash` becomes the chain's new end if it can be written. */
static void write_tail(const cloche_ledger *l, uint8_t hash[CLOCHE__HASH_BYTES],
                       cloche__buffer *out) {
  uint8_t signature[crypto_sign_BYTES];
  if (out->failed) return;
  cloche__ledger_hash(l->options.chain, cloche__buffer_view(out), hash);
  cloche__buffer_string(out, ",\"hash\":\"");
  write_hex(hash, CLOCHE__HASH_BYTES, out);
  if (l->options.signing_key != NULL) {
    crypto_sign_detached(signature, NULL, hash, CLOCHE__HASH_BYTES, l->signing_key);
    cloche__buffer_string(out, "\",\"sig\":\"");
    write_hex(signature, sizeof signature, out);
  }
  cloche__buffer_string(out, "\"}\n");
}

static bool sync_if_due(cloche_ledger *l) {
  uint64_t due = l->options.sync == CLOCHE_SYNC_CALL ? 1 : CLOCHE__LEDGER_GROUP;
  if (l->options.sync == CLOCHE_SYNC_NONE || ++l->unsynced < due) return true;
  l->unsynced = 0;
  return l->sink.sync == NULL || l->sink.sync(l->sink.self);
}

static cloche_status put(cloche_ledger *l, const char *kind, const cloche__moment *moment,
                         cloche_text members) {
  uint8_t hash[CLOCHE__HASH_BYTES];
  cloche__buffer_clear(&l->line);
  write_head(l, kind, moment, &l->line);
  if (members.len > 0) cloche__buffer_byte(&l->line, ',');
  cloche__buffer_text(&l->line, members);
  write_tail(l, hash, &l->line);
  if (l->line.failed) return CLOCHE_E_MEMORY;
  if (!l->sink.write(l->sink.self, l->line.at, l->line.len) || !sync_if_due(l)) {
    l->broken = errno == 0 ? EIO : errno;
    return CLOCHE_E_SYSTEM;
  }
  l->options.next++;
  memcpy(l->options.chain, hash, sizeof hash);
  return CLOCHE_OK;
}

cloche_status cloche__ledger_record(cloche_ledger *ledger, const char *kind,
                                    const cloche__moment *moment, cloche_text members) {
  cloche_status status = CLOCHE_E_SYSTEM;
  if (ledger == NULL) return CLOCHE_OK;
  pthread_mutex_lock(&ledger->lock);
  if (ledger->broken == 0) status = put(ledger, kind, moment, members);
  int reason = ledger->broken;
  bool go_on = ledger->options.go_on && status != CLOCHE_OK;
  if (status != CLOCHE_OK) ledger->lost++;
  pthread_mutex_unlock(&ledger->lock);
  if (status == CLOCHE_E_SYSTEM) errno = reason;
  return go_on ? CLOCHE_OK : status;
}

cloche_status cloche_ledger_state(cloche_ledger *ledger, uint64_t *lost) {
  if (ledger == NULL) return CLOCHE_E_ARGUMENT;
  pthread_mutex_lock(&ledger->lock);
  uint64_t count = ledger->lost;
  pthread_mutex_unlock(&ledger->lock);
  if (lost != NULL) *lost = count;
  return count == 0 ? CLOCHE_OK : CLOCHE_E_SYSTEM;
}

/* ---- life ---- */

static void take_options(cloche_ledger *l, const cloche_ledger_options *options) {
  if (options != NULL) l->options = *options;
  if (l->options.secret_key != NULL)
    memcpy(l->secret_key, l->options.secret_key, sizeof l->secret_key);
  else
    randombytes_buf(l->secret_key, sizeof l->secret_key);
  l->options.secret_key = l->secret_key;
  if (l->options.signing_key == NULL) return;
  memcpy(l->signing_key, l->options.signing_key, sizeof l->signing_key);
  l->options.signing_key = l->signing_key;
}

cloche_status cloche_ledger_new(const cloche_ledger_sink *sink,
                                const cloche_ledger_options *options, cloche_ledger **ledger) {
  if (sink == NULL || sink->write == NULL || ledger == NULL) return CLOCHE_E_ARGUMENT;
  cloche_ledger *made = sodium_init() < 0 ? NULL : calloc(1, sizeof *made);
  if (made == NULL || pthread_mutex_init(&made->lock, NULL) != 0) {
    free(made);
    if (sink->close != NULL) sink->close(sink->self);
    return CLOCHE_E_MEMORY;
  }
  made->sink = *sink;
  take_options(made, options);
  *ledger = made;
  return CLOCHE_OK;
}

void cloche_ledger_free(cloche_ledger *ledger) {
  if (ledger == NULL) return;
  if (ledger->options.sync != CLOCHE_SYNC_NONE && ledger->sink.sync != NULL) {
    ledger->sink.sync(ledger->sink.self);
  }
  if (ledger->sink.close != NULL) ledger->sink.close(ledger->sink.self);
  pthread_mutex_destroy(&ledger->lock);
  cloche__buffer_free(&ledger->line);
  sodium_memzero(ledger, sizeof *ledger);
  free(ledger);
}
