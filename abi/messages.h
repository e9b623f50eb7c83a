// SPDX-License-Identifier: MIT
/* messages.h -- what the host and the guest must agree on, and nothing else.
 *
 * Host and guest exchange records. The host puts a batch into memory that the guest allocated
 * (export `inbox`) and calls `step`; the guest reads the batch, runs until every process waits, and
 * leaves records of its own in the outbox. The host takes them when `step` returns and also inside
 * the guest's only import, `refuel`, so output streams out of a long loop.
 *
 *   record    | kind u32 | id u32 | size u32 | size bytes | zero to three bytes up to a multiple of
 * 4 |
 *
 * All integers are little-endian. To the host every byte here is hostile: it copies a field once,
 * checks the copy against the memory size, and only then uses it. */
#ifndef CLOCHE_ABI_MESSAGES_H
#define CLOCHE_ABI_MESSAGES_H

#include <stdint.h>

/* Changes whenever a record or the control block changes its meaning. */
#define ABI_VERSION 1u

typedef struct {
  uint32_t kind; /* an abi_kind */
  uint32_t id;   /* which run, call or file operation it is about */
  uint32_t size; /* bytes that follow, padding not counted */
} abi_record;

typedef enum {
  /* Host to guest. */
  ABI_TOOLS = 1,    /* JSON array of {name, description, input_schema}: the tools to be shown */
  ABI_SEED = 2,     /* 32 bytes: the random state of every process from here on */
  ABI_RUN_JS = 3,   /* id = run; the program's text. A run starts with an ABI_FILE_MARK */
  ABI_RUN_SH = 4,   /* id = run; strings, each ending in NUL: the script's text, $0, $1... */
  ABI_STDIN = 5,    /* bytes: all of the next run's standard input */
  ABI_RESULT = 6,   /* id = call; JSON: what the tool answered */
  ABI_FAILURE = 7,  /* id = call; JSON {name, message, code, rule?, param?, ...} for the program */
  ABI_FILE = 8,     /* id = operation; an abi_file_operation, see below */
  ABI_LIMITS = 9,   /* an abi_limits */
  ABI_ENVIRON = 10, /* strings "NAME=value", each ending in NUL: the shell's environment */
  ABI_MOUNT =
      11, /* id = mount, from 1; an abi_mount and the path in the guest; answered by ABI_FILED */
  ABI_RUN_SESSION = 12,  /* as ABI_RUN_SH, in the shell that the last one of this kind left */
  ABI_HIDDEN_TOOLS = 13, /* JSON array of names: may be called and are not shown; after ABI_TOOLS */

  /* Guest to host. */
  ABI_CALL = 64,   /* id = call, chosen by the guest, rising; u32 length of name, name, JSON */
  ABI_STDOUT = 65, /* bytes */
  ABI_STDERR = 66, /* bytes */
  ABI_DONE = 67,   /* id = run; JSON {end, value?, error?, status?} */
  ABI_FILED = 68,  /* id = operation; i32 errno (0 = done, numbers as on Linux), then its answer */
  ABI_FILE_BYTES =
      69,         /* id = operation; an earlier piece of its answer, which ABI_FILED completes */
  ABI_FETCH = 70, /* id = mount; an abi_fetch: answered before `refuel` returns, see below */
} abi_kind;

/* Limits that the guest itself keeps. The host has its own walls behind them. */
typedef struct abi_limits {
  uint32_t files;      /* inodes */
  uint32_t file_bytes; /* bytes in files, all together */
  uint32_t in_flight;  /* calls that wait for an answer */
  uint32_t argument;   /* bytes of one call's JSON */
  uint32_t stack;      /* bytes of the engine's stack */
} abi_limits;

/* The operations of ABI_FILE. Payload: u32 operation, u32 length of path, path, then bytes. Paths
 * start at the root; the rights of root apply. An answer of more than 32 KiB comes in pieces. */
typedef enum {
  ABI_FILE_PUT = 1,    /* bytes: the content; parents are made */
  ABI_FILE_GET = 2,    /* answer: the content */
  ABI_FILE_LIST = 3,   /* answer: JSON array of what ABI_FILE_STAT answers */
  ABI_FILE_REMOVE = 4, /* the whole tree below path */
  ABI_FILE_EXPORT = 5, /* answer: a tar stream of the tree below path */
  ABI_FILE_IMPORT = 6, /* bytes: the start of a tar stream that is unpacked below path */
  ABI_FILE_DIFF = 7,   /* answer: JSON {created, modified, deleted} since the last ABI_FILE_MARK */
  ABI_FILE_MARK = 8,   /* what is there now counts as unchanged */
  ABI_FILE_APPEND = 9, /* bytes: more of the content, so that a large file needs no large message */
  ABI_FILE_MORE = 10, /* bytes: more of the stream that ABI_FILE_IMPORT began; none: it ends here */
  ABI_FILE_STAT = 11, /* answer: JSON {name, kind, size, mode, mtime, target?} of the name itself;
                         a name or target that is no UTF-8 also as {name,target}_bytes, in hex */
  ABI_FILE_MKDIR = 12, /* a folder, and its parents; one that is there is fine */
} abi_file_operation;

/* Mounts. A mounted folder is empty memory until somebody looks: its entries are asked for when it
 * is first listed or searched, a file's content when it is first opened. An engine cannot wait in
 * the middle of a call, so the host answers while the guest stands in `refuel`: it writes to the
 * addresses that the ABI_FETCH holds (bounds-checked, like all else) and lets the guest go on. */
typedef struct {
  uint32_t source;   /* the host's number for the mounted folder itself */
  uint32_t writable; /* 0: the guest refuses to change anything below */
} abi_mount;

typedef enum {
  ABI_FETCH_LIST = 1, /* bytes: abi_listed entries, each with its name, padded to a multiple of 8 */
  ABI_FETCH_READ = 2, /* bytes: of the file's content, from `offset` */
} abi_fetch_operation;

typedef struct {
  uint32_t operation; /* an abi_fetch_operation */
  uint32_t source;    /* what to fetch: a number that the host gave */
  uint64_t offset;    /* READ: into the content; LIST: into the bytes of the whole listing */
  uint32_t buffer;    /* the address of this many bytes */
  uint32_t capacity;
  uint32_t answer; /* the address of an abi_fetched */
  uint32_t unused;
} abi_fetch;

typedef struct {
  uint32_t done; /* set to 1 by the host */
  int32_t error; /* 0, or an errno as on Linux */
  uint32_t size; /* bytes put into the buffer; fewer than its capacity: there is no more */
  uint32_t unused;
} abi_fetched;

/* One entry of a mounted folder. The name follows; a link's target follows the name. */
typedef struct {
  uint32_t source; /* the host's number for it, not 0 */
  uint32_t mode;   /* permission bits */
  uint64_t size;
  int64_t mtime;   /* ns since 1970 */
  uint16_t kind;   /* 1 file, 2 folder, 3 link */
  uint16_t name;   /* bytes */
  uint16_t target; /* bytes, 0 but for a link */
  uint16_t unused;
} abi_listed;

/* The control block, at the address that the export `control` returns at boot. */
typedef struct {
  /* The host writes these. */
  uint64_t granted; /* fuel granted since the image; used = granted - what the meter has left */
  int64_t clock;    /* virtual time in ns since 1970 when `clock_fuel` units had been used */
  uint64_t clock_fuel;
  uint32_t interrupt; /* not 0: end the run as soon as possible; stays set until the next run */
  uint32_t taken;     /* bytes of the outbox that the host has read */
  /* The guest writes these. */
  uint32_t outbox;    /* address of the outbox */
  uint32_t committed; /* bytes of it that hold whole records */
  int64_t next_timer; /* virtual time of the next timer, INT64_MAX when there is none */
} abi_control;

/* Virtual nanoseconds that pass for each unit of fuel used. */
#define ABI_NS_PER_FUEL 1

/* The outbox asks to be emptied (by calling `refuel`) before it grows beyond this. */
#define ABI_OUTBOX_BYTES 65536u

/* What `step` returns. */
typedef enum {
  ABI_IDLE = 0, /* every process waits, or none is left */
} abi_state;

#endif
