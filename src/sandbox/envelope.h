// SPDX-License-Identifier: MIT
/* envelope.h -- what is around a snapshot: format, image, length, checksum, compression, key.
 *
 *   header, 168 bytes | body: zstd( plain ), sealed with XChaCha20-Poly1305 if there is a key
 *
 * Opening only reads and refuses. Nothing of the body is looked at before the header, the length
 * and the checksum fit, and with a key before the seal holds. */
#ifndef CLOCHE_SANDBOX_ENVELOPE_H
#define CLOCHE_SANDBOX_ENVELOPE_H

#include "json/buffer.h"

typedef struct cloche__envelope { /* little-endian, as the machines that we build for */
  char magic[8];
  uint32_t version;
  uint32_t flags;
  uint64_t length; /* of the whole file */
  uint64_t plain;  /* bytes of the body, opened and decompressed */
  uint8_t image[32];
  char engine[16]; /* the version that wrote it, zeros to the end */
  uint8_t nonce[24];
  uint8_t key_check[16], audience_check[16];
  uint8_t checksum[32]; /* BLAKE2b-256 of the header before this, and of the body */
} cloche__envelope;

enum { CLOCHE__ENVELOPE_SEALED = 1 }; /* in flags */

/* `options` may be NULL. E_ARGUMENT: an audience without a key; E_MEMORY */
cloche_status cloche__envelope_seal(cloche_text plain, const uint8_t image[32],
                                    const cloche_snapshot_options *options, cloche__buffer *file);
/* Checks all but what takes a key. `image` may be NULL: any.
 * E_FORMAT, E_VERSION, E_IMAGE; `message` says what is wrong */
cloche_status cloche__envelope_read(cloche_text file, const uint8_t image[32],
                                    cloche__envelope *header, char message[256]);
/* The body of a file whose header was read, as long as it has at most `most` bytes.
 * E_KEY, E_FORMAT, E_LIMIT, E_MEMORY */
cloche_status cloche__envelope_open(cloche_text file, const cloche__envelope *header,
                                    const cloche_snapshot_options *options, uint64_t most,
                                    cloche__buffer *plain, char message[256]);
/* Wipes and frees what an envelope held. */
void cloche__envelope_wipe(cloche__buffer *plain);

#endif
