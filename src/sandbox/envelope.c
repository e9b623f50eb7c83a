// SPDX-License-Identifier: MIT
/* envelope.c -- seals and opens snapshots. Every byte that is opened is hostile (invariant 8). */
#include "sandbox/envelope.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "limits.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "headers are written as they are");
_Static_assert(sizeof(cloche__envelope) == 168, "no padding");
_Static_assert(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES == 24, "the nonce's room");

static const char magic[8] = {'c', 'l', 'o', 'c', 'h', 'e', 's', 'n'};
enum { SEAL = crypto_aead_xchacha20poly1305_ietf_ABYTES, LEVEL = 1 };

static void checksum_of(const cloche__envelope *header, cloche_text body, uint8_t sum[32]) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (const uint8_t *)header, offsetof(cloche__envelope, checksum));
  crypto_generichash_update(&state, (const uint8_t *)body.at, body.len);
  crypto_generichash_final(&state, sum, 32);
}

/* Says whether a key is the one, or an audience, without saying which it is. */
static void check_of(const char *what, cloche_text text, const uint8_t *nonce, const uint8_t *key,
                     uint8_t check[16]) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, key, 32, 16);
  crypto_generichash_update(&state, (const uint8_t *)what, strlen(what));
  crypto_generichash_update(&state, nonce, 24);
  crypto_generichash_update(&state, (const uint8_t *)text.at, text.len);
  crypto_generichash_final(&state, check, 16);
}

static void name_key(cloche__envelope *header, const cloche_snapshot_options *options) {
  check_of("cloche key", (cloche_text){NULL, 0}, header->nonce, options->key, header->key_check);
  check_of("cloche audience", options->audience, header->nonce, options->key,
           header->audience_check);
}

/* ---- sealing ---- */

static bool compress(cloche_text plain, cloche__buffer *file) {
  size_t room = ZSTD_compressBound(plain.len) + SEAL;
  if (!cloche__buffer_reserve(file, room)) return false;
  size_t size = ZSTD_compress(file->at + file->len, room, plain.at, plain.len, LEVEL);
  if (ZSTD_isError(size)) return false;
  file->len += size;
  return true;
}

/* The header up to its checksum is bound to the body, and the audience through its check. */
static void encrypt(cloche__envelope *header, const uint8_t *key, cloche__buffer *file) {
  unsigned long long sealed;
  uint8_t *body = (uint8_t *)file->at + sizeof *header;
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      body, &sealed, body, file->len - sizeof *header, (const uint8_t *)header,
      offsetof(cloche__envelope, checksum), NULL, header->nonce, key);
  file->len = sizeof *header + (size_t)sealed;
}

cloche_status cloche__envelope_seal(cloche_text plain, const uint8_t image[32],
                                    const cloche_snapshot_options *options, cloche__buffer *file) {
  cloche__envelope header = {.version = CLOCHE__SNAPSHOT_VERSION, .plain = plain.len};
  const uint8_t *key = options == NULL ? NULL : options->key;
  if (options != NULL && key == NULL && options->audience.len > 0) return CLOCHE_E_ARGUMENT;
  if (sodium_init() < 0) return CLOCHE_E_SYSTEM;
  memcpy(header.magic, magic, sizeof magic);
  memcpy(header.image, image, sizeof header.image);
  snprintf(header.engine, sizeof header.engine, "%s", cloche_version());
  cloche__buffer_add(file, &header, sizeof header);
  if (file->failed || !compress(plain, file)) return CLOCHE_E_MEMORY;
  header.length = file->len + (key != NULL ? SEAL : 0);
  if (key != NULL) {
    header.flags = CLOCHE__ENVELOPE_SEALED;
    randombytes_buf(header.nonce, sizeof header.nonce);
    name_key(&header, options);
    encrypt(&header, key, file);
  }
  checksum_of(&header, (cloche_text){file->at + sizeof header, file->len - sizeof header},
              header.checksum);
  memcpy(file->at, &header, sizeof header);
  return CLOCHE_OK;
}

/* ---- opening ---- */

#define REFUSE_RETURN(status, ...)       \
  do {                                   \
    snprintf(message, 256, __VA_ARGS__); \
    return status;                       \
  } while (0)

static void hex(const uint8_t bytes[32], char text[65]) {
  sodium_bin2hex(text, 65, bytes, 32);
}

cloche_status cloche__envelope_read(cloche_text file, const uint8_t image[32],
                                    cloche__envelope *header, char message[256]) {
  size_t known = offsetof(cloche__envelope, flags);
  uint8_t sum[32];
  if (file.len < known || memcmp(file.at, magic, sizeof magic) != 0)
    REFUSE_RETURN(CLOCHE_E_FORMAT, "this is no snapshot");
  memcpy(header, file.at, known);
  if (header->version != CLOCHE__SNAPSHOT_VERSION)
    REFUSE_RETURN(CLOCHE_E_VERSION, "a snapshot of format %u; this build reads format %u",
                  (unsigned)header->version, CLOCHE__SNAPSHOT_VERSION);
  if (file.len < sizeof *header)
    REFUSE_RETURN(CLOCHE_E_FORMAT, "the snapshot is cut off within its header");
  memcpy(header, file.at, sizeof *header);
  if (file.len < header->length)
    REFUSE_RETURN(CLOCHE_E_FORMAT, "the snapshot is cut off: %zu of %llu bytes are there", file.len,
                  (unsigned long long)header->length);
  if (file.len > header->length)
    REFUSE_RETURN(CLOCHE_E_FORMAT, "the snapshot is longer than it says: something follows it");
  checksum_of(header, (cloche_text){file.at + sizeof *header, file.len - sizeof *header}, sum);
  if (sodium_memcmp(sum, header->checksum, sizeof sum) != 0)
    REFUSE_RETURN(CLOCHE_E_FORMAT, "the snapshot was changed: its checksum does not fit");
  header->engine[sizeof header->engine - 1] = '\0';
  if (image != NULL && memcmp(image, header->image, sizeof header->image) != 0) {
    char theirs[65], ours[65];
    hex(header->image, theirs);
    hex(image, ours);
    REFUSE_RETURN(CLOCHE_E_IMAGE, "the snapshot is of image %s, this build has image %s", theirs,
                  ours);
  }
  return CLOCHE_OK;
}

static cloche_status check_key(const cloche__envelope *header,
                               const cloche_snapshot_options *options, char message[256]) {
  bool sealed = header->flags & CLOCHE__ENVELOPE_SEALED;
  cloche__envelope want = *header;
  if (options == NULL || options->key == NULL) {
    if (sealed) REFUSE_RETURN(CLOCHE_E_KEY, "the snapshot is sealed; it opens with its key only");
    return CLOCHE_OK;
  }
  if (!sealed)
    REFUSE_RETURN(CLOCHE_E_KEY, "the snapshot is not sealed, so no key can vouch for it");
  name_key(&want, options);
  if (sodium_memcmp(want.key_check, header->key_check, sizeof want.key_check) != 0)
    REFUSE_RETURN(CLOCHE_E_KEY, "the snapshot was sealed with another key");
  if (sodium_memcmp(want.audience_check, header->audience_check, sizeof want.audience_check) != 0)
    REFUSE_RETURN(CLOCHE_E_KEY, "the snapshot was sealed for another audience");
  return CLOCHE_OK;
}

/* The body without its seal, in a buffer of its own. */
static cloche_status decrypt(cloche_text body, const cloche__envelope *header, const uint8_t *key,
                             cloche__buffer *out, char message[256]) {
  unsigned long long size;
  if (body.len < SEAL) REFUSE_RETURN(CLOCHE_E_FORMAT, "the snapshot is sealed and has no seal");
  if (!cloche__buffer_reserve(out, body.len)) return CLOCHE_E_MEMORY;
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(
          (uint8_t *)out->at, &size, NULL, (const uint8_t *)body.at, body.len,
          (const uint8_t *)header, offsetof(cloche__envelope, checksum), header->nonce, key) != 0)
    REFUSE_RETURN(CLOCHE_E_FORMAT, "the snapshot was changed by someone without the key");
  out->len = (size_t)size;
  return CLOCHE_OK;
}

static cloche_status decompress(cloche_text body, uint64_t size, cloche__buffer *plain,
                                char message[256]) {
  if (!cloche__buffer_reserve(plain, (size_t)size + 1)) return CLOCHE_E_MEMORY;
  size_t got = ZSTD_decompress(plain->at, (size_t)size, body.at, body.len);
  if (ZSTD_isError(got) || got != size)
    REFUSE_RETURN(CLOCHE_E_FORMAT, "the snapshot's content does not unpack");
  plain->len = got;
  return CLOCHE_OK;
}

cloche_status cloche__envelope_open(cloche_text file, const cloche__envelope *header,
                                    const cloche_snapshot_options *options, uint64_t most,
                                    cloche__buffer *plain, char message[256]) {
  cloche_text body = {file.at + sizeof *header, file.len - sizeof *header};
  cloche__buffer opened = {0};
  cloche_status status = check_key(header, options, message);
  if (status != CLOCHE_OK) return status;
  if (header->plain > most)
    REFUSE_RETURN(CLOCHE_E_LIMIT, "the snapshot needs %llu bytes; %llu are allowed",
                  (unsigned long long)header->plain, (unsigned long long)most);
  if (header->flags & CLOCHE__ENVELOPE_SEALED) {
    cloche__envelope raw; /* as it is in the file, which is what was sealed */
    memcpy(&raw, file.at, sizeof raw);
    status = decrypt(body, &raw, options->key, &opened, message);
    body = cloche__buffer_view(&opened);
  }
  if (status == CLOCHE_OK) status = decompress(body, header->plain, plain, message);
  cloche__envelope_wipe(&opened);
  return status;
}

void cloche__envelope_wipe(cloche__buffer *plain) {
  if (plain->at != NULL) sodium_memzero(plain->at, plain->len);
  cloche__buffer_free(plain);
}
