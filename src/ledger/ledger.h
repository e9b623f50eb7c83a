// SPDX-License-Identifier: MIT
/* ledger.h -- records as the rest of src/ writes and reads them.
 *
 *   {"seq":7,"kind":"decision","box":"b1","wall":"2026-...Z","virtual":"2026-...Z","fuel":81234,
 *    ...members of the kind...,"hash":"64 hex"[,"sig":"128 hex"]}
 *
 * hash = BLAKE2b-256(hash of the line before, 32 bytes, or zeros | this line up to `,"hash"`).
 * What a function here records has been written when it returns OK; anything else means that it
 * has not, and that what was to follow must not happen. */
#ifndef CLOCHE_LEDGER_LEDGER_H
#define CLOCHE_LEDGER_LEDGER_H

#include "gate/gate.h"
#include "json/json.h"

/* When a record was made, and whose it is. */
typedef struct cloche__moment {
  cloche_text box;      /* the sandbox's id */
  int64_t wall;         /* ns since 1970 */
  int64_t virtual_time; /* likewise, as the program sees it */
  uint64_t fuel;        /* used by the run so far: where a replay has to put this in */
} cloche__moment;

/* A record of any kind. `members` is JSON members without braces, or empty.
 * E_SYSTEM: it could not be written; E_MEMORY */
cloche_status cloche__ledger_record(cloche_ledger *ledger, const char *kind,
                                    const cloche__moment *moment, cloche_text members);

/* ---- the kinds (docs/ledger.md); a NULL ledger records nothing and is OK ---- */

typedef struct cloche__opening { /* all inputs of a run */
  cloche_text image;             /* its hash */
  cloche_text language, program, stdin_bytes;
  const uint8_t *seed; /* 32 bytes */
  int64_t start_time;
  cloche_text arguments, tools, policy, limits, mounts; /* JSON, or empty */
  bool from_snapshot; /* started from more than these: no replay alone */
  bool given_files;   /* files were put into the sandbox, or taken out of it, before */
} cloche__opening;

cloche_status cloche__ledger_open(cloche_ledger *ledger, const cloche__moment *moment,
                                  const cloche__opening *opening);
/* A decision, before its effect. `params` are those the program sent, or NULL when they were no
 * JSON; parameters that the policy calls secret are hashed. */
cloche_status cloche__ledger_decision(cloche_ledger *ledger, const cloche__moment *moment,
                                      uint64_t call, const cloche_policy *policy,
                                      const cloche__json *params, const cloche_decision *decision);
/* A held call was approved (for `further` calls more) or not, by whom and why. */
cloche_status cloche__ledger_approval(cloche_ledger *ledger, const cloche__moment *moment,
                                      uint64_t call, bool approved, uint32_t further,
                                      cloche_text by, cloche_text reason);
/* How a call ended, before the guest is told: a result, or an error's code and message. */
cloche_status cloche__ledger_settle(cloche_ledger *ledger, const cloche__moment *moment,
                                    uint64_t call, bool succeeded, cloche_text result_or_message,
                                    cloche_text code);
cloche_status cloche__ledger_label(cloche_ledger *ledger, const cloche__moment *moment,
                                   cloche_text label, bool added, cloche_text reason);
cloche_status cloche__ledger_limit(cloche_ledger *ledger, const cloche__moment *moment,
                                   const char *limit);
/* Virtual time moved on, by waiting or by a jump to a timer. */
cloche_status cloche__ledger_clock(cloche_ledger *ledger, const cloche__moment *moment, int64_t to);
cloche_status cloche__ledger_interrupt(cloche_ledger *ledger, const cloche__moment *moment,
                                       const char *why);
cloche_status cloche__ledger_cancel(cloche_ledger *ledger, const cloche__moment *moment,
                                    uint64_t call);
cloche_status cloche__ledger_files(cloche_ledger *ledger, const cloche__moment *moment,
                                   cloche_text summary); /* JSON */
/* A state was saved (kind "snapshot") or gone on from ("resume", with the policy of now): `hash`
 * is the checksum that its file carries. `policy` may be NULL. */
cloche_status cloche__ledger_snapshot(cloche_ledger *ledger, const cloche__moment *moment,
                                      const char *kind, const uint8_t hash[32],
                                      const cloche_text *policy);
/* The end of a run, or with a NULL `end` of the ledger. */
cloche_status cloche__ledger_close(cloche_ledger *ledger, const cloche__moment *moment,
                                   const char *end);

/* `params` as JSON, with what the policy calls secret as {"secret": HASH}; whole if it is NULL. */
void cloche__ledger_write_params(const cloche__json *params, cloche_text method,
                                 const cloche_policy *policy, const uint8_t key[32],
                                 cloche__buffer *out);

/* ---- reading ---- */

typedef struct cloche__ledger_reader cloche__ledger_reader;

cloche_status cloche__ledger_reader_new(const char *path, const uint8_t *public_key,
                                        cloche__ledger_reader **reader);
void cloche__ledger_reader_free(cloche__ledger_reader *reader);
/* The next record, checked; it lives until the next call. E_STATE: there are no more.
 * E_FORMAT: the line is not as it was written; `message` says so */
cloche_status cloche__ledger_next(cloche__ledger_reader *reader, const cloche__json **record,
                                  char message[256]);

/* ---- between ledger.c, records.c and verify.c ---- */

enum { CLOCHE__HASH_BYTES = 32 };

const cloche_ledger_options *cloche__ledger_options_of(const cloche_ledger *ledger);
/* For a file that is gone on with: the place of its end in the chain. */
cloche_status cloche__ledger_last(int file, uint64_t *next, uint8_t chain[CLOCHE__HASH_BYTES]);
/* Splits a line without its newline at `,"hash"`. False when it is no record's. */
bool cloche__ledger_split(cloche_text line, cloche_text *hashed, uint8_t hash[CLOCHE__HASH_BYTES],
                          uint8_t signature[64], bool *is_signed);
void cloche__ledger_hash(const uint8_t before[CLOCHE__HASH_BYTES], cloche_text hashed,
                         uint8_t hash[CLOCHE__HASH_BYTES]);

#endif
