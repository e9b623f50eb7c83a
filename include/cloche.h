// SPDX-License-Identifier: MIT
/* cloche.h -- runs programs that a language model wrote, with only the tools that were granted. */
#ifndef CLOCHE_H
#define CLOCHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CLOCHE_API __attribute__((visibility("default")))
#else
#define CLOCHE_API
#endif

/* UTF-8 with a length; not NUL-terminated. `at` may be NULL when `len` is 0. */
typedef struct cloche_text {
  const char *at;
  size_t len;
} cloche_text;

/* NULL, where an object is wanted, a place for an answer or a struct, is E_ARGUMENT unless it is
 * said that NULL is fine, and then nothing happens. Functions that answer no status do nothing, and
 * answer NULL, 0, false or an empty text. */

/* Every status: name, number, sentence. Zero is success, errors are negative; numbers have gaps
 * and are never reused. */
#define CLOCHE_STATUS(X)                                                \
  X(OK, 0, "done")                                                      \
  X(E_MEMORY, -10, "the host has no memory left")                       \
  X(E_SYSTEM, -11, "a system call failed; errno says why")              \
  X(E_ARGUMENT, -20, "an argument is not one this function takes")      \
  X(E_STATE, -21, "not possible in the state the object is in")         \
  X(E_UNKNOWN, -22, "no call, run or name of that kind is known here")  \
  X(E_LIMIT, -23, "a limit set by the host was reached")                \
  X(E_TEXT, -30, "not valid UTF-8, or not valid in this place")         \
  X(E_JSON, -31, "not valid JSON")                                      \
  X(E_POLICY, -32, "the policy is not valid")                           \
  X(E_GUEST, -40, "the guest broke the message protocol")               \
  X(E_FORMAT, -50, "the file is damaged or of another format")          \
  X(E_IMAGE, -51, "made by another build of the guest")                 \
  X(E_KEY, -52, "the key does not open this")                           \
  X(E_VERSION, -53, "of a format that this build does not read")        \
  X(E_ACCOUNT, -54, "its budgets are in an account that was not given") \
  X(E_FILE, -60, "the sandbox's files do not allow that")

typedef enum cloche_status {
#define X(name, number, text) CLOCHE_##name = number,
  CLOCHE_STATUS(X)
#undef X
} cloche_status;

/* The sentence for a status; never NULL, static. Any thread. */
CLOCHE_API const char *cloche_status_text(cloche_status status);

/* ---- engine ---- */

/* One per process is enough: the image, and slots that wait for their next sandbox.
 * Threads: any, at once. */
typedef struct cloche_engine cloche_engine;

/* How a slot is cleaned before its next tenant. */
typedef enum cloche_cleaning {
  CLOCHE_CLEAN_BY_FAULTS = 0,  /* first writes are noted in a SIGSEGV handler; the fastest */
  CLOCHE_CLEAN_BY_PAGEMAP = 1, /* the kernel says what was written; Linux 6.7 or later */
  CLOCHE_CLEAN_BY_MAPPING = 2, /* no page is reused: the kernel drops them and maps others */
} cloche_cleaning;

/* Where guests run. */
typedef enum cloche_isolation {
  CLOCHE_ISOLATE_MEMORY = 0, /* in this process, behind the walls of the engine alone */
  CLOCHE_ISOLATE_PROCESS =
      1, /* each in a worker process in a jail, a second wall behind the first */
} cloche_isolation;

typedef struct cloche_engine_options {
  cloche_cleaning cleaning;
  size_t idle_slots; /* kept for reuse; 0 means 64 */
  cloche_isolation isolation;
  const char *worker; /* ISOLATE_PROCESS: path of the installed `cloche` program, of this version */
  size_t idle_workers; /* started ahead for the next sandboxes; 0 means 1 */
  size_t mapped;       /* sandboxes that may wait with their memory mapped; of more, those that were
                          stepped longest ago are parked: kept as a few KiB each, until they are
                          stepped again. 0 means 4,096; SIZE_MAX: all */
} cloche_engine_options;

/* `options` may be NULL. Workers start without being waited for: one that cannot start, or is of
 * another version, is found out by cloche_sandbox_new.
 * E_MEMORY; E_SYSTEM (errno); E_ARGUMENT; E_STATE: this kernel cannot clean as asked */
CLOCHE_API cloche_status cloche_engine_new(const cloche_engine_options *options,
                                           cloche_engine **engine);
/* Every sandbox must have been freed before. NULL is fine. */
CLOCHE_API void cloche_engine_free(cloche_engine *engine);
/* 64 lower-case hexadecimal digits that name the image, NUL-terminated; lives as long as the
 * engine. */
CLOCHE_API const char *cloche_engine_image(const cloche_engine *engine);

/* ---- policy: who may call what ---- */

/* Rules, compiled. Immutable: any number of threads and sandboxes may use one at once. */
typedef struct cloche_policy cloche_policy;

/* What is wrong with a policy. */
typedef struct cloche_problem {
  char path[256];      /* where, as a JSON pointer: "/rules/0/where/amount" */
  char message[512];   /* one sentence */
  size_t line, column; /* from 1, when the text is not JSON at all; else 0 */
} cloche_problem;

/* Reads a policy. `tools`, a JSON array of {name, input_schema?, output_schema?}, lets names be
 * checked and arguments validated; with a NULL `at` any method may be named.
 * E_JSON, E_LIMIT  not JSON; E_POLICY  not a policy; *problem, unless NULL, says what and where
 * E_MEMORY */
CLOCHE_API cloche_status cloche_policy_load(cloche_text json, cloche_text tools,
                                            cloche_policy **policy, cloche_problem *problem);
/* A policy that allows a call only if both do, and charges the budgets of both. Both may be freed
 * afterwards. E_LIMIT: more than 16 stacked; E_MEMORY */
CLOCHE_API cloche_status cloche_policy_restrict(const cloche_policy *parent,
                                                const cloche_policy *child,
                                                cloche_policy **restricted);
/* True only if it can be proved that every call which the rules of `narrow` let through, those of
 * `wide` do, within budgets that are no smaller; false also when it is unknown, as with a stack of
 * policies or rules of `wide` that deny, ask, or look at labels and order. Lists of tools are not
 * looked at. For whoever hands a part of what he was granted to someone else. */
CLOCHE_API bool cloche_policy_covers(const cloche_policy *wide, const cloche_policy *narrow);
/* Whether some call of this method may be let through, at once or after approval: false only where
 * no rule names it, or one denies it whatever is sent. Conditions, labels, budgets spent and time
 * are not looked at. NULL allows nothing. */
CLOCHE_API bool cloche_policy_may_allow(const cloche_policy *policy, cloche_text method);
/* `tools`, an array of definitions, as a program may see it: those that cloche_policy_may_allow,
 * and without the parameters that rules set. A sandbox shows its tools so; a call of one that is
 * not shown is still decided, counted and recorded. To be given to free(). E_JSON; E_ARGUMENT: no
 * array; E_MEMORY */
CLOCHE_API cloche_status cloche_policy_tools(const cloche_policy *policy, cloche_text tools,
                                             char **json, size_t *len);
/* NULL is fine. */
CLOCHE_API void cloche_policy_free(const cloche_policy *policy);

typedef enum cloche_effect { CLOCHE_DENY = 0, CLOCHE_ALLOW = 1, CLOCHE_ASK = 2 } cloche_effect;

/* ---- accounts: what has been spent ---- */

/* One budget to be charged for one call. UINT64_MAX: not bounded. Two charges of one key in one
 * reservation count once. */
typedef struct cloche_charge {
  cloche_text key;         /* names the budget in the account */
  uint64_t max_calls;      /* in all */
  uint64_t max_concurrent; /* reserved and not settled */
  uint64_t rate_calls;     /* within `rate_window` ns of wall time */
  int64_t rate_window;
  cloche_text total;  /* the most that the amounts may add up to, a decimal; NULL `at`: no total */
  cloche_text amount; /* of this call: a decimal, not negative */
  bool refund;        /* give calls, rate and amount back when the call fails */
} cloche_charge;

typedef enum cloche_reserving {
  CLOCHE_RESERVE_TEST = 0, /* only say whether it could be; takes nothing */
  CLOCHE_RESERVE_HOLD = 1, /* until somebody approves */
  CLOCHE_RESERVE_RUN = 2,  /* the call goes out at once */
} cloche_reserving;

typedef enum cloche_settling {
  CLOCHE_SETTLE_APPROVED = 0,  /* held before, runs now; stays open */
  CLOCHE_SETTLE_RELEASED = 1,  /* never ran: everything comes back */
  CLOCHE_SETTLE_SUCCEEDED = 2, /* only concurrency comes back */
  CLOCHE_SETTLE_FAILED = 3,    /* likewise, and what is marked `refund` */
} cloche_settling;

/* Where spending is kept, if not in memory. The functions are called from any thread, and must be
 * one step each: all charges or none. */
typedef struct cloche_account_store {
  void *self;
  /* E_LIMIT: *refused is the index of a charge whose budget is used up. On OK *id names the
   * reservation (0 for a test); an id is never given out twice. */
  cloche_status (*reserve)(void *self, const cloche_charge *charges, size_t count, int64_t now,
                           cloche_reserving how, uint64_t *id, size_t *refused);
  /* False when `id` is not open, or to approve, not held: two forks cannot use one reservation. */
  bool (*settle)(void *self, uint64_t id, cloche_settling how);
  void (*free)(void *self); /* with the last user of the account; may be NULL */
  uint64_t (*calls)(void *self, cloche_text key); /* as cloche_account_calls; may be NULL */
  cloche_text id; /* names the account wherever it is opened, in at most 64 bytes; may be empty */
} cloche_account_store;

/* Shared by every sandbox that spends from the same budgets. Threads: any, at once. */
typedef struct cloche_account cloche_account;

/* `store` is copied; NULL keeps everything in memory. E_ARGUMENT: its id is too long; E_MEMORY;
 * E_SYSTEM: no random numbers */
CLOCHE_API cloche_status cloche_account_new(const cloche_account_store *store,
                                            cloche_account **account);
/* An account in a file, made if need be, readable by its owner alone: an SQLite database, with
 * "-wal", "-shm" and "-users" beside it. Any number of processes of one machine may have it open at
 * once. What is charged is on the disk before the call goes out; a process that dies leaves its
 * calls charged, and those that ran no longer count as concurrent. Not for a folder that another
 * machine shares, and not to be used on both sides of a fork().
 * E_SYSTEM (errno); E_FORMAT: the file is something else, or damaged; E_MEMORY */
CLOCHE_API cloche_status cloche_account_file(const char *path, cloche_account **account);
/* The same whoever opens the account: for a snapshot, to say what its reservations belong to. Empty
 * for one in memory. The account's. */
CLOCHE_API cloche_text cloche_account_id(const cloche_account *account);
/* NULL is fine; sandboxes that use the account keep it alive. */
CLOCHE_API void cloche_account_free(cloche_account *account);
/* What an account in memory holds, as JSON, to be given to free(): spending, and reservations that
 * wait for an approval. Calls that run count as made. E_STATE: kept in a store; E_MEMORY */
CLOCHE_API cloche_status cloche_account_save(cloche_account *account, char **json, size_t *len);
/* E_FORMAT: not what cloche_account_save wrote; E_MEMORY, E_SYSTEM */
CLOCHE_API cloche_status cloche_account_restore(cloche_text json, cloche_account **account);
/* Calls charged to a budget so far, held ones included; 0 for a key that was never charged. */
CLOCHE_API uint64_t cloche_account_calls(cloche_account *account, cloche_text key);

/* ---- gate: one sandbox's way through a policy ---- */

/* A policy, an account, and what only this sandbox has: its labels, the calls that succeeded, what
 * was approved for its run. A sandbox has one of its own; alone it decides calls without running
 * anything. Threads: one at a time. */
typedef struct cloche_gate cloche_gate;

/* Why a call was decided as it was. */
#define CLOCHE_CODES(X)                                                                      \
  X(ALLOWED, "allowed")       /* a rule allows it */                                         \
  X(APPROVAL, "approval")     /* a rule asks for approval */                                 \
  X(METHOD, "method")         /* not a method's name */                                      \
  X(TOOL, "tool")             /* there is no such tool */                                    \
  X(PARAMS, "params")         /* the parameters are not one object */                        \
  X(SCHEMA, "schema")         /* they do not fit the tool's schema */                        \
  X(FIXED, "fixed")           /* one of them is set by the policy and cannot be sent */      \
  X(RULE, "rule")             /* a rule denies it */                                         \
  X(NO_RULE, "no_rule")       /* no rule has a pattern that matches */                       \
  X(CONSTRAINT, "constraint") /* the nearest rule's constraint does not hold */              \
  X(CLOSED, "closed")         /* a parameter that the nearest rule does not mention */       \
  X(EXPIRED, "expired")       /* the nearest rule has expired */                             \
  X(ORDER, "order")           /* another call has to come first, or must not have come */    \
  X(LABEL, "label")           /* of the sandbox's labels one is in the way, or is missing */ \
  X(BUDGET, "budget")         /* a budget is used up */                                      \
  X(LIMIT, "limit")           /* deciding it took too much work, or memory ran out */        \
  X(ACCOUNT, "account")       /* what has been spent could not be read or written */         \
  X(PLAN, "plan")             /* cloche run --apply: the plan does not have it */

typedef enum cloche_code {
#define X(name, text) CLOCHE_CODE_##name,
  CLOCHE_CODES(X)
#undef X
} cloche_code;
CLOCHE_API const char *cloche_code_text(cloche_code code); /* static */

/* The answer to one call. Texts with a length live until the next call on the gate. */
typedef struct cloche_decision {
  cloche_effect effect;
  cloche_code code;
  cloche_text method;     /* canonical; empty when it is no name */
  cloche_text params;     /* ALLOW, ASK: the final arguments, as JSON: what to hand to the tool */
  cloche_text rule;       /* the rule that decided, or came closest; may be empty */
  cloche_text reason;     /* that rule's own words; may be empty */
  uint32_t approve_up_to; /* ASK: calls that one approval may cover, this one included */
  uint64_t reservation;   /* to approve or settle; 0: nothing was taken */
  char param[128];        /* DENY: the parameter to blame, a path; may be empty */
  char expected[192];     /* what it should have been; without its value unless the rule explains */
  char got[64];           /* its type, or the unknown name */
  char message[512];      /* one sentence for the program and for people */
} cloche_decision;

/* `now` is the host's wall time, ns since 1970. The gate has no clock of its own. */
typedef struct cloche_question {
  cloche_text method; /* in any spelling */
  cloche_text params; /* a JSON object */
  int64_t now;
} cloche_question;

/* `account` NULL: an account of its own. Both are kept alive by the gate. E_MEMORY, E_SYSTEM */
CLOCHE_API cloche_status cloche_gate_new(const cloche_policy *policy, cloche_account *account,
                                         cloche_gate **gate);
CLOCHE_API void cloche_gate_free(cloche_gate *gate); /* NULL is fine */
/* For a fork: the same policy and account, a copy of the rest. E_MEMORY */
CLOCHE_API cloche_status cloche_gate_copy(const cloche_gate *gate, cloche_gate **copy);

/* What cloche_gate_charge would answer; takes nothing, changes nothing. E_JSON (denied too, in
 * *decision, as `params`), E_MEMORY */
CLOCHE_API cloche_status cloche_gate_check(cloche_gate *gate, const cloche_question *question,
                                           cloche_decision *decision);
/* Decides a call that is to be made, and takes its budgets: after ALLOW the call may go out, and
 * has to be settled; after ASK it is held until approved or released. Errors as above. */
CLOCHE_API cloche_status cloche_gate_charge(cloche_gate *gate, const cloche_question *question,
                                            cloche_decision *decision);
/* Somebody approved a call that was held: decides it again, as rules expire and labels come, and
 * with ALLOW it may go out. `question` is what was asked then. `further` calls of the same tool
 * that the same rules ask about are approved with it, for this run. E_ARGUMENT: 1 + `further` is
 * more than approve_up_to. Otherwise as above */
CLOCHE_API cloche_status cloche_gate_approve(cloche_gate *gate, const cloche_question *question,
                                             uint64_t reservation, uint32_t further,
                                             cloche_decision *decision);
/* A held call was not approved, or one that was allowed never went out. */
CLOCHE_API void cloche_gate_release(cloche_gate *gate, uint64_t reservation);
/* A call has ended. `method` and `params` as the decision gave them. E_JSON, E_MEMORY: it is not
 * remembered as having succeeded */
CLOCHE_API cloche_status cloche_gate_settle(cloche_gate *gate, uint64_t reservation,
                                            cloche_text method, cloche_text params, bool succeeded);
/* The end of a run: what was approved "for this run" is over. */
CLOCHE_API void cloche_gate_end_run(cloche_gate *gate);

/* Labels: `index` counts from 0; an empty text after the last. */
CLOCHE_API cloche_text cloche_gate_label(const cloche_gate *gate, size_t index);
/* E_LIMIT: too many labels; E_MEMORY */
CLOCHE_API cloche_status cloche_gate_add_label(cloche_gate *gate, cloche_text label);
/* Takes a label away; of a sandbox's gate with cloche_declassify, which leaves a record.
 * E_UNKNOWN */
CLOCHE_API cloche_status cloche_gate_declassify(cloche_gate *gate, cloche_text label);

/* What only this sandbox has, as JSON, to be given to free(). E_MEMORY */
CLOCHE_API cloche_status cloche_gate_save(const cloche_gate *gate, char **json, size_t *len);
/* With the policy of today: what its rules want to know of the past and the saved gate did not
 * watch for counts against a call. E_FORMAT; E_MEMORY, E_SYSTEM */
CLOCHE_API cloche_status cloche_gate_restore(const cloche_policy *policy, cloche_account *account,
                                             cloche_text saved, cloche_gate **gate);

/* ---- for people: reports, lint, policies built call by call ---- */

/* What cloche_gate_check would answer and why, to be given to free(): for people, a text whose
 * first word is allow, deny or ask, with every rule that was looked at and the bounds it sets; with
 * `json`, the decision as one object. E_MEMORY */
CLOCHE_API cloche_status cloche_gate_report(cloche_gate *gate, const cloche_question *question,
                                            bool json, cloche_decision *decision, char **text,
                                            size_t *len);
/* Doubts about a policy, one a line (with `json`, an array of {code, rule, path, message}), to be
 * given to free(): rules that never match, that others shadow, or that constrain parameters which
 * the tools do not have, and tools that are granted without any constraint. `now` as in a question.
 * *count, unless NULL, says how many. E_MEMORY */
CLOCHE_API cloche_status cloche_policy_lint(const cloche_policy *policy, int64_t now, bool json,
                                            char **text, size_t *len, size_t *count);
/* The document of the policy's innermost layer, as JSON: loads as the same policy. To be given to
 * free(). E_MEMORY */
CLOCHE_API cloche_status cloche_policy_save(const cloche_policy *policy, char **json, size_t *len);

/* A policy under construction, which copies what it is given. What is wrong with it, also memory
 * that was missing, shows when it is loaded. Threads: one at a time. */
typedef struct cloche_draft cloche_draft;
CLOCHE_API cloche_status cloche_draft_new(cloche_draft **draft); /* E_MEMORY */
CLOCHE_API void cloche_draft_free(cloche_draft *draft);          /* NULL is fine */
/* Begins a rule; what follows is about it. */
CLOCHE_API void cloche_draft_rule(cloche_draft *draft, cloche_text pattern, cloche_effect effect);
/* One more constraint of the rule: ("amount", "<=", "10000"). `json` is the operand. */
CLOCHE_API void cloche_draft_where(cloche_draft *draft, cloche_text param, cloche_text op,
                                   cloche_text json);
/* A field of the rule as docs/policy.md names them: ("max_calls", "100"), ("adds", "[\"x\"]"). */
CLOCHE_API void cloche_draft_field(cloche_draft *draft, cloche_text field, cloche_text json);
/* A budget that rules share by name: ("spend", "{\"max_calls\": 5}"). */
CLOCHE_API void cloche_draft_budget(cloche_draft *draft, cloche_text name, cloche_text json);
/* As cloche_policy_load; the draft may be added to and loaded again. */
CLOCHE_API cloche_status cloche_draft_load(const cloche_draft *draft, cloche_text tools,
                                           cloche_policy **policy, cloche_problem *problem);

/* ---- ledger: what happened ---- */

/* One JSON object a line, chained by hashes; docs/ledger.md is its format. Threads: any, at once.
 */
typedef struct cloche_ledger cloche_ledger;

/* Where lines go. `write` takes all of a line or fails; false with errno set. `sync` and `close`
 * may be NULL. Called from one thread at a time. */
typedef struct cloche_ledger_sink {
  void *self;
  bool (*write)(void *self, const char *line, size_t len);
  bool (*sync)(void *self); /* force to the disk what was written */
  void (*close)(void *self);
} cloche_ledger_sink;

typedef enum cloche_ledger_sync {
  CLOCHE_SYNC_NONE = 0,  /* written is enough: survives a killed process, not a lost machine */
  CLOCHE_SYNC_GROUP = 1, /* every 32 records, and at the end */
  CLOCHE_SYNC_CALL = 2,  /* every record, before its effect */
} cloche_ledger_sync;

typedef enum cloche_ledger_detail {
  CLOCHE_DETAIL_FULL = 0, /* needed for a replay */
  CLOCHE_DETAIL_HASH = 1, /* its hash and length */
  CLOCHE_DETAIL_NONE = 2,
} cloche_ledger_detail;

typedef struct cloche_ledger_options {
  cloche_ledger_sync sync;
  cloche_ledger_detail params, results, inputs; /* of calls; of tools; program, stdin and so on */
  bool go_on;                 /* when it cannot be written, calls go on unrecorded */
  const uint8_t *secret_key;  /* 32 bytes, for the hashes of secrets; NULL: random, and forgotten */
  const uint8_t *signing_key; /* 64 bytes, an ed25519 secret key; NULL: not signed */
  uint64_t next;              /* to go on with a chain: the sequence number of its next line... */
  uint8_t chain[32];          /* ...and the hash of its last. Zero for a new one */
} cloche_ledger_options;

/* Takes over the sink, also on an error. `options` may be NULL. E_MEMORY, E_SYSTEM */
CLOCHE_API cloche_status cloche_ledger_new(const cloche_ledger_sink *sink,
                                           const cloche_ledger_options *options,
                                           cloche_ledger **ledger);
/* A ledger in a file, which is made readable by its owner alone, locked against other writers, and
 * gone on with if there is one. A pipe works too; a reader that takes nothing for 10 s counts as a
 * failure.
 * E_SYSTEM (errno; EWOULDBLOCK: another process writes it); E_FORMAT: it does not end in a record
 */
CLOCHE_API cloche_status cloche_ledger_file(const char *path, const cloche_ledger_options *options,
                                            cloche_ledger **ledger);
/* Syncs, unless CLOCHE_SYNC_NONE, and closes. NULL is fine. */
CLOCHE_API void cloche_ledger_free(cloche_ledger *ledger);
/* E_SYSTEM: something could not be written since the start; *lost, unless NULL, says how many
 * records. */
CLOCHE_API cloche_status cloche_ledger_state(cloche_ledger *ledger, uint64_t *lost);

typedef struct cloche_ledger_report {
  uint64_t records;  /* that are as they were written, from the first on */
  uint64_t line;     /* of the first that is not; 0: all are */
  bool closed;       /* the last one says that nothing was to follow */
  bool is_signed;    /* all of them, by the key that was asked about */
  char message[256]; /* one sentence for people */
} cloche_ledger_report;

/* Reads a ledger from its first line to its last. `public_key`: 32 bytes, or NULL.
 * OK: nothing was changed, removed or put in another order (but for lines cut off its end, which
 * only a last record `close` rules out). E_FORMAT: see *report. E_SYSTEM, E_MEMORY */
CLOCHE_API cloche_status cloche_ledger_verify(const char *path, const uint8_t *public_key,
                                              cloche_ledger_report *report);

/* ---- limits ---- */

/* Zero fields of cloche_sandbox_options.limits mean the default. UINT64_MAX or INT64_MAX: none. */
typedef struct cloche_limits {
  int64_t timeout;       /* ns of wall time while the guest runs; 10 s */
  int64_t total_timeout; /* ns of wall time in all, waiting included; 5 min */
  uint64_t fuel;         /* units; none */
  uint64_t memory;       /* bytes beyond the image; 64 MiB */
  uint64_t stack;        /* bytes of the engine's stack; 1 MiB */
  uint64_t output;       /* bytes of stdout and stderr together; 1 MiB */
  uint64_t calls;        /* asked, allowed or not; 1,000 */
  uint64_t in_flight;    /* calls waiting for an answer at once; 32 */
  uint64_t argument;     /* bytes of one call's JSON; 1 MiB */
  uint64_t result;       /* bytes of one result's JSON; 8 MiB */
  uint64_t files;        /* 10,000 */
  uint64_t file_bytes;   /* in all files together; within memory */
} cloche_limits;

/* The defaults above. */
CLOCHE_API cloche_limits cloche_limits_default(void);

/* ---- sandbox ---- */

/* Where one program after another runs; globals and files stay from run to run.
 * Threads: one at a time, not always the same; cloche_cancel from any.
 * Forks: a process that forked off may free a sandbox of its parent and nothing else (E_STATE), and
 * must have been forked while no other thread was in this library. */
typedef struct cloche_sandbox cloche_sandbox;

typedef struct cloche_sandbox_options {
  cloche_text tools;           /* JSON array of {name, description?, input_schema?}; empty: none */
  const cloche_policy *policy; /* NULL: every call is denied */
  cloche_account *account;     /* what its budgets are charged to; NULL: one of its own */
  cloche_ledger
      *ledger;      /* what happens is written there; NULL: nowhere. Must outlive the sandbox */
  cloche_text name; /* names the sandbox in the ledger; empty: "box" */
  cloche_limits limits;
  const uint8_t *seed; /* 32 bytes for Math.random and the like; NULL: from the system */
  int64_t start_time;  /* virtual time of the first run, ns since 1970; 0: the real one */
  bool real_time;      /* wait out timers instead of jumping to them */
} cloche_sandbox_options;

/* Copies what it is given, or keeps it alive, but for the ledger. `options` may be NULL.
 * E_ARGUMENT  tools is not an array of tools, or two have one name
 * E_JSON      tools is not JSON
 * E_MEMORY, E_SYSTEM */
CLOCHE_API cloche_status cloche_sandbox_new(cloche_engine *engine,
                                            const cloche_sandbox_options *options,
                                            cloche_sandbox **box);
/* Ends what runs. Outstanding calls need no answer any more. NULL is fine. */
CLOCHE_API void cloche_sandbox_free(cloche_sandbox *box);
/* What was wrong, when the last function on this sandbox (or the making of one on this thread, for
 * NULL) answered an error; one sentence, NUL-terminated, valid until the next call. Empty when
 * there is no more to say than cloche_status_text says. */
CLOCHE_API const char *cloche_sandbox_message(const cloche_sandbox *box);

/* The walls around a sandbox's guest, besides those of the engine. */
#define CLOCHE_WALLS(X)                                                  \
  X(PROCESS, 0, "a process of its own")                                  \
  X(ENVIRONMENT, 1, "an empty environment")                              \
  X(DESCRIPTORS, 2, "no open files")                                     \
  X(RESOURCES, 3, "limits on what it may take of the system")            \
  X(PRIVILEGES, 4, "no privileges and no way to gain any")               \
  X(LANDLOCK, 5, "Landlock: no files, no network, no signals to others") \
  X(CALLS, 6, "seccomp: only the system calls that computing takes")

typedef enum cloche_wall {
#define X(name, number, text) CLOCHE_WALL_##name = number,
  CLOCHE_WALLS(X)
#undef X
      CLOCHE_WALL_COUNT
} cloche_wall;
/* What it is; static. */
CLOCHE_API const char *cloche_wall_text(cloche_wall wall);
/* Which stand around the sandbox's guest: bits 1 << CLOCHE_WALL_... All zero with
 * CLOCHE_ISOLATE_MEMORY; one that is missing with CLOCHE_ISOLATE_PROCESS the kernel has refused. */
CLOCHE_API unsigned cloche_sandbox_walls(const cloche_sandbox *box);

typedef enum cloche_language { CLOCHE_JAVASCRIPT = 0, CLOCHE_SHELL = 1 } cloche_language;

typedef struct cloche_program {
  cloche_language language;
  cloche_text text;
  cloche_text stdin_bytes;      /* all of standard input */
  const cloche_text *arguments; /* shell: $0, $1, ... */
  size_t argument_count;
  bool session; /* shell: variables, functions, options and the folder are those that the last
                   program with `session` left, and stay for the next; `exit` ends the session, and
                   so does a limit */
} cloche_program;

/* Does the name mean something else in a JavaScript program, as `fs`, `console` and `delete` do? A
 * tool whose path begins with it, "fs/read", is `tools.fs.read` to a program: for whoever describes
 * tools. */
CLOCHE_API bool cloche_javascript_has(cloche_text name);

/* Starts a run, with a copy of the program; nothing has happened yet when it returns. Bytes that
 * are not UTF-8 in a JavaScript program end the run as `syntax`.
 * E_STATE     a run is under way, or the sandbox is dead
 * E_SYSTEM    the ledger could not be written, or a parked sandbox not be brought back
 * E_ARGUMENT  no such language, or the program is larger than any memory
 * E_MEMORY    there was none for the copy, or to bring it back */
CLOCHE_API cloche_status cloche_exec(cloche_sandbox *box, const cloche_program *program);

typedef enum cloche_event_kind {
  CLOCHE_CALL = 1,     /* run the tool, then cloche_resolve or cloche_reject */
  CLOCHE_APPROVAL = 2, /* ask someone, then cloche_approve or cloche_deny */
  CLOCHE_OUTPUT = 3,   /* bytes for stdout (stream 1) or stderr (2) */
  CLOCHE_WAIT = 4,     /* answer a call, or step again at `deadline`; while the program computes,
                          every 20 ms with a deadline that has passed: a chance to look around */
  CLOCHE_DONE = 5,     /* the run ended: cloche_sandbox_result */
  CLOCHE_CALL_CANCELLED = 6, /* the run ended without waiting for this call: stop the tool */
} cloche_event_kind;

/* Texts are valid until the next call on the sandbox. */
typedef struct cloche_event {
  cloche_event_kind kind;
  uint64_t call;          /* CALL, APPROVAL, CALL_CANCELLED: its id */
  cloche_text method;     /* CALL, APPROVAL: canonical, segments split by "/" */
  cloche_text params;     /* CALL, APPROVAL: one JSON object, as the gate checked it */
  cloche_text rule;       /* APPROVAL: the rule that asks */
  cloche_text reason;     /* APPROVAL: why a person has to be asked; may be empty */
  uint32_t approve_up_to; /* APPROVAL: calls that one approval may cover, this one included */
  int stream;             /* OUTPUT */
  cloche_text bytes;      /* OUTPUT */
  int64_t deadline;       /* WAIT: ns on CLOCK_MONOTONIC, INT64_MAX when only an answer helps */
  cloche_text key;        /* CALL, APPROVAL: 32 hexadecimal digits that name this call for ever, to
                             be given to services that do a thing once per key */
  bool again;             /* CALL: announced before, and then saved: the tool may have run */
} cloche_event;

/* Runs until something is to be done outside. OK and an event; after DONE, E_STATE.
 * E_STATE             no run is under way
 * E_MEMORY, E_SYSTEM  a parked sandbox could not be brought back, or the handler of its faults not
 *                     be installed: nothing has happened, step again */
CLOCHE_API cloche_status cloche_step(cloche_sandbox *box, cloche_event *event);

/* Answers a call that a CALL event announced, with JSON.
 * E_UNKNOWN  no such call waits (never was, or has been answered)
 * E_JSON     `json` is not JSON; the call still waits, as after E_MEMORY
 * E_LIMIT    longer than limits.result; the call has failed with that as its error
 * A result that does not fit the tool's output schema is OK here and an error for the program, if
 * the policy says `check_results`. */
CLOCHE_API cloche_status cloche_resolve(cloche_sandbox *box, uint64_t call, cloche_text json);

/* What the program sees as a ToolError, copied. `code` may be empty. Only this text reaches the
 * program. */
typedef struct cloche_failure {
  cloche_text message;
  cloche_text code;
} cloche_failure;
CLOCHE_API cloche_status cloche_reject(cloche_sandbox *box, uint64_t call,
                                       const cloche_failure *failure);

/* Who approves, and how much. */
typedef struct cloche_approval {
  uint32_t further; /* calls of the same tool in this run that need no more asking */
  cloche_text by;   /* for the ledger; may be empty, as the reason */
  cloche_text reason;
} cloche_approval;

/* Answers an APPROVAL: the call is decided again, as rules expire, and goes out as a CALL event
 * with the same id, or the program gets the CapabilityError. `approval` NULL: this call alone.
 * E_UNKNOWN   as above
 * E_ARGUMENT  1 + `further` is more than the event's approve_up_to; the call still waits */
CLOCHE_API cloche_status cloche_approve(cloche_sandbox *box, uint64_t call,
                                        const cloche_approval *approval);
/* The program gets a CapabilityError with `reason` in it. E_UNKNOWN as above. */
CLOCHE_API cloche_status cloche_deny(cloche_sandbox *box, uint64_t call, cloche_text reason);

/* This call, announced by a CALL event, must not be announced again: a sandbox that is restored
 * from a snapshot made while it was under way finds it failed, with the code "interrupted". Without
 * this such a call is announced again: at least once, with the same id and key. E_UNKNOWN as above.
 */
CLOCHE_API cloche_status cloche_once(cloche_sandbox *box, uint64_t call);

/* Ends the run under way as `cancelled`, soon. Any thread, at any time; also before a run starts,
 * it then counts for nothing. */
CLOCHE_API void cloche_cancel(cloche_sandbox *box);

/* ---- results ---- */

/* LIMIT_OUTPUT is kept for later: today what is beyond limits.output is dropped and counted. */
#define CLOCHE_ENDS(X)            \
  X(DONE, "done")                 \
  X(SUSPENDED, "suspended")       \
  X(EXCEPTION, "exception")       \
  X(SYNTAX, "syntax")             \
  X(LIMIT_FUEL, "limit.fuel")     \
  X(LIMIT_TIME, "limit.time")     \
  X(LIMIT_MEMORY, "limit.memory") \
  X(LIMIT_STACK, "limit.stack")   \
  X(LIMIT_OUTPUT, "limit.output") \
  X(CANCELLED, "cancelled")       \
  X(TRAP, "trap")                 \
  X(DEAD, "dead")                 \
  X(INTERNAL, "internal")

typedef enum cloche_end {
#define X(name, text) CLOCHE_END_##name,
  CLOCHE_ENDS(X)
#undef X
} cloche_end;

/* "limit.time" and so on; static. */
CLOCHE_API const char *cloche_end_text(cloche_end end);

typedef struct cloche_usage {
  uint64_t fuel;   /* units */
  int64_t wall;    /* ns while the guest ran */
  int64_t waiting; /* ns between its asking and its being stepped again */
  uint64_t memory; /* bytes beyond the image, at most */
  uint64_t image;  /* bytes of the image */
  uint64_t calls;  /* asked */
  uint64_t denied; /* of those */
  uint64_t output; /* bytes written, dropped ones included */
  uint64_t output_dropped;
} cloche_usage;

typedef struct cloche_result {
  cloche_end end;
  cloche_text value; /* JSON; empty when the program gave none */
  cloche_text text;  /* how text mode prints it */
  int status;        /* shell: exit status; JavaScript: 0 when done, else 1 */
  cloche_text error_name, error_message, error_stack; /* empty when done */
  uint64_t line, column; /* of the error in the program, from 1; 0 when unknown */
  bool rolled_back;      /* the sandbox is as it was before the run */
  size_t cancelled;      /* calls that nobody waited for */
  cloche_usage usage;
  cloche_text error_inner; /* errors within the error, its cause and those of an AggregateError: a
                              JSON array of {as, name, message, line?, column?, ...}, where `as` is
                              "cause", "errors[0]", "errors[0].cause"; empty when there are none.
                              error_stack has them too, for people */
} cloche_result;

/* The sandbox's gate, to look at its labels or ask what it would decide; NULL without a policy. The
 * sandbox's. */
CLOCHE_API cloche_gate *cloche_sandbox_gate(cloche_sandbox *box);
/* Puts a label on the sandbox, or takes one away: a decision of the host's, for `reason`, in the
 * ledger before it counts. E_STATE: no policy; E_UNKNOWN: no such label; E_LIMIT: too many, or too
 * long; E_SYSTEM: it could not be recorded; E_MEMORY */
CLOCHE_API cloche_status cloche_classify(cloche_sandbox *box, cloche_text label,
                                         cloche_text reason);
CLOCHE_API cloche_status cloche_declassify(cloche_sandbox *box, cloche_text label,
                                           cloche_text reason);

/* Of the last run that ended; NULL when none has. Valid until the next cloche_exec. */
CLOCHE_API const cloche_result *cloche_sandbox_result(const cloche_sandbox *box);
/* So far, in this run; the last one's after it ended. */
CLOCHE_API cloche_usage cloche_sandbox_usage(const cloche_sandbox *box);

/* ---- files ---- */

/* Files of a sandbox, between its runs. A path starts at the root ("/workspace/report.md"); it and
 * all names are any bytes but NUL. The rights of root apply; what is put where the program may
 * write belongs to the program. A function that fails leaves the files as they were. Each of them
 * may answer, besides what is said there,
 * E_STATE     a run is under way, or the sandbox is dead
 * E_ARGUMENT  the path does not start with "/", has a NUL, or is longer than 4,095 bytes
 * E_FILE      as on Linux: cloche_file_errno tells, cloche_sandbox_message says it in words
 * E_LIMIT     the answer would be more than twice limits.memory; or it took too long
 * E_GUEST     the guest answered nonsense
 * E_MEMORY, E_SYSTEM */

typedef enum cloche_file_kind {
  CLOCHE_FILE = 1,
  CLOCHE_FOLDER = 2,
  CLOCHE_LINK = 3,
  CLOCHE_DEVICE = 4, /* in /dev; pipes too */
} cloche_file_kind;

typedef struct cloche_file {
  cloche_text name;   /* without the path; empty for "/" */
  cloche_text target; /* of a link */
  cloche_file_kind kind;
  uint32_t mode; /* permission bits */
  uint64_t size; /* bytes; of a folder 0 */
  int64_t mtime; /* ns since 1970, on the sandbox's clock */
} cloche_file;

/* Makes the file, or replaces its content; folders on the way are made. */
CLOCHE_API cloche_status cloche_file_put(cloche_sandbox *box, cloche_text path, cloche_text bytes);
/* The content, to be given to free(). */
CLOCHE_API cloche_status cloche_file_get(cloche_sandbox *box, cloche_text path, char **bytes,
                                         size_t *len);
/* Of the name itself: a link is not followed. To be given to free(), texts included. */
CLOCHE_API cloche_status cloche_file_stat(cloche_sandbox *box, cloche_text path,
                                          cloche_file **file);
/* What is in a folder, in the order of the names' bytes. To be given to free(), texts included. */
CLOCHE_API cloche_status cloche_file_list(cloche_sandbox *box, cloche_text path,
                                          cloche_file **files, size_t *count);
/* Makes a folder, and those on the way; one that is there is fine. */
CLOCHE_API cloche_status cloche_file_mkdir(cloche_sandbox *box, cloche_text path);
/* A file, or a folder with all that is in it. Of /workspace and /tmp only what is in them. */
CLOCHE_API cloche_status cloche_file_remove(cloche_sandbox *box, cloche_text path);
/* A tar stream of what is below a folder, or of one file; to be given to free(). */
CLOCHE_API cloche_status cloche_file_export(cloche_sandbox *box, cloche_text path, char **tar,
                                            size_t *len);
/* Unpacks a tar stream below a folder, which is made. Entries that would lead out of it, devices
 * and damaged streams are refused (EINVAL, ENOTSUP), and then nothing of it is there. */
CLOCHE_API cloche_status cloche_file_import(cloche_sandbox *box, cloche_text path, cloche_text tar);
/* The errno of the last E_FILE, with Linux's numbers. */
CLOCHE_API int cloche_file_errno(const cloche_sandbox *box);

typedef enum cloche_change_kind {
  CLOCHE_CREATED = 1,
  CLOCHE_MODIFIED = 2, /* content or mode */
  CLOCHE_DELETED = 3,
} cloche_change_kind;

typedef struct cloche_change {
  cloche_change_kind change;
  cloche_file_kind kind;
  cloche_text path; /* from the root */
  uint64_t size;    /* bytes; of what was deleted, before */
  uint64_t was;     /* MODIFIED: before */
  bool written;     /* it lies in a writable mount, and was done there too */
  int error;        /* it lies in a writable mount, and for this errno was not done there; else 0 */
} cloche_change;

/* What has changed since the last run began, in the order of the paths: what is new in a folder
 * that is new has a change of its own. None after a run that was rolled back. Valid until the next
 * cloche_exec; the first call after a run looks, later ones answer the same.
 * E_STATE  besides the above: no run has ended */
CLOCHE_API cloche_status cloche_sandbox_changes(cloche_sandbox *box, const cloche_change **changes,
                                                size_t *count);

/* ---- snapshots: a program that waits is bytes ---- */

/* How a snapshot is closed, or opened. */
typedef struct cloche_snapshot_options {
  const uint8_t *key;   /* 32 bytes: nobody without it can read or change the bytes. NULL: anyone */
  cloche_text audience; /* with a key: what it is meant for; opens for the same text only */
  bool without_checkpoint; /* of a run that began on what earlier ones left, do not save what a hard
                              stop would bring back: such a stop leaves a restored sandbox dead */
} cloche_snapshot_options;

/* All of a sandbox as bytes, to be given to free(): the memory that differs from the image, calls
 * and approvals that wait, limits and what was used, labels, clock and random state. Between runs,
 * or in one whenever the program waits: after a WAIT event whose deadline lies ahead, always; after
 * other events, mostly. The sandbox goes on as if nothing had been. Budgets of an account that is
 * only in memory are saved with it. `options` may be NULL.
 * E_STATE     the program computes, its run is ending, or the sandbox is dead: step on
 * E_ARGUMENT  an audience without a key
 * E_FILE      it has mounted folders, which belong to this process
 * E_SYSTEM    the ledger could not be written
 * E_MEMORY */
CLOCHE_API cloche_status cloche_snapshot(cloche_sandbox *box,
                                         const cloche_snapshot_options *options, char **bytes,
                                         size_t *len);

typedef struct cloche_restore_options {
  cloche_snapshot_options opening;
  bool trusted; /* without a key: nobody else could have written the bytes. False: what they say of
                   the past is not believed. Each call that waits is decided anew, approvals count
                   for nothing, labels and order cannot be relied on, so what depends on them is
                   denied; limits are at most the defaults; spending goes to `account` */
  const cloche_policy *policy; /* is not in the bytes. If it is not the one of then, each call that
                                  waits is decided anew */
  cloche_account *account;     /* NULL: the one that was saved with it */
  cloche_ledger *ledger;       /* as for a new sandbox */
  cloche_text name;            /* empty: as it was */
  cloche_limits limits;        /* those that are not zero replace the saved ones */
} cloche_restore_options;

/* A sandbox as it was, in this process or another, on this machine or another with the same build.
 * Calls that wait are announced again by the next events, with the same ids and keys; calls that
 * were answered are not made again. The program's clock goes on with the time that has passed; its
 * total_timeout does not count the time between. `options` may be NULL.
 * E_FORMAT    cut off, changed, or no snapshot at all
 * E_VERSION, E_IMAGE  by another version or build
 * E_KEY       sealed with another key or for another audience, or not sealed but a key is given
 * E_ACCOUNT   its spending is in an account that was not given
 * E_LIMIT     does not fit into limits.memory
 * E_MEMORY, E_SYSTEM; cloche_sandbox_message(NULL) says more */
CLOCHE_API cloche_status cloche_restore(cloche_engine *engine, cloche_text bytes,
                                        const cloche_restore_options *options,
                                        cloche_sandbox **box);

/* Another sandbox with the same state and a future of its own: the same limits, policy, ledger and
 * account, a copy of all the rest, random state included. Calls that wait are announced to it as
 * well, with the same ids and keys; a budget that one of them holds can be used once. `name` names
 * it in the ledger; empty: as the first. The thread that has one need not have the other.
 * E_STATE, E_FILE (as cloche_snapshot), E_SYSTEM, E_MEMORY */
CLOCHE_API cloche_status cloche_fork(cloche_sandbox *box, cloche_text name, cloche_sandbox **fork);

/* Parks this one now, as the engine does by itself when many wait; whatever is done with it next
 * brings it back. E_STATE: as cloche_snapshot; E_MEMORY */
CLOCHE_API cloche_status cloche_park(cloche_sandbox *box);

/* Gives the state of now a name, to return to as often as one likes: between runs, or whenever the
 * program waits, as for a snapshot. One that has the name is replaced. `name`: 1 to 255 bytes
 * without NUL, copied. It costs what was written since the last checkpoint or fork when the state
 * is large, else what differs from the image. A sandbox has its checkpoints for itself: they are
 * not in its snapshots, and its forks have none; parking leaves them alone; they are freed with it.
 * E_STATE, E_SYSTEM, E_MEMORY as cloche_snapshot; E_ARGUMENT: no such name; E_LIMIT: 1,000 are held
 * E_FILE      it has mounted folders, which belong to this process */
CLOCHE_API cloche_status cloche_checkpoint(cloche_sandbox *box, cloche_text name);
/* Back to a checkpoint, which stays: files, globals, a run that waited there and what that run had
 * used. Also while a program computes, after its run has ended, and in a sandbox that is dead. What
 * does not go back, as it has happened: labels, budgets, which calls succeeded (`after`,
 * `not_after`), and the ledger, which gets a record. Calls that waited at the checkpoint are
 * announced again, with their ids and keys; other calls that wait now are given up without an event
 * (E_UNKNOWN, if they are answered). Later calls have new keys, though their ids may come again.
 * The program's clock goes on with the time that has passed; total_timeout does not count the time
 * between.
 * E_UNKNOWN   no such checkpoint; E_STATE: this process has forked off; E_SYSTEM, E_MEMORY: as it
 *             was */
CLOCHE_API cloche_status cloche_rollback(cloche_sandbox *box, cloche_text name);
/* Forgets a checkpoint. E_UNKNOWN */
CLOCHE_API cloche_status cloche_checkpoint_drop(cloche_sandbox *box, cloche_text name);

/* What can be said about a snapshot, as JSON, to be given to free(): format, engine, image, bytes,
 * sealed, and if it is not or `options` opens it: id, name, language, account, unaccounted (budgets
 * were spent that are counted in these bytes alone), saved_at, usage, pending: an array of {id,
 * kind: "call" or "approval", method, params, rule, reason, approve_up_to, key, again}. Errors as
 * cloche_restore, but for E_IMAGE; a sealed one without its key is none. */
CLOCHE_API cloche_status cloche_snapshot_info(cloche_text bytes,
                                              const cloche_snapshot_options *options, char **json,
                                              size_t *len);

/* ---- mounts: folders of the host ---- */

typedef struct cloche_mount {
  const char *host;  /* a folder */
  cloche_text guest; /* where the program sees it: "/data". Made if need be; has to be empty */
  bool writable;     /* otherwise the program cannot change anything below (EACCES) */
} cloche_mount;

/* Shows a folder of the host to the programs that run here from now on. Entries are read when a
 * program first looks into a folder, a file's content when it first opens the file, and not again.
 * Only files, folders and links are there; links lead where they lead in the sandbox, and none is
 * ever followed on the host.
 *
 * What a program changes below a writable mount is done to the host's folder when its run has ended
 * well (`done`, and status 0), within the cloche_step that answers DONE: whole files, each put in
 * place in one step. Nothing is deleted there unless all else could be written. A file that
 * somebody else has changed since the program saw it is left alone (ESTALE), and a link that leads
 * out of the folder is not made (EPERM). cloche_sandbox_changes says what was done. What a run that
 * did not end well has changed, and what cloche_file_put puts there, stays in the sandbox.
 *
 * E_SYSTEM    the host's folder cannot be opened; errno
 * E_ARGUMENT  not a path; in /dev or /tools; in another mount or around it
 * E_FILE      what is there is no empty folder (cloche_file_errno)
 * E_LIMIT     more than 16; E_STATE, E_GUEST, E_MEMORY as for files */
CLOCHE_API cloche_status cloche_sandbox_mount(cloche_sandbox *box, const cloche_mount *mount);

CLOCHE_API const char *cloche_version(void); /* "0.1.0" */

#ifdef __cplusplus
}
#endif
#endif
