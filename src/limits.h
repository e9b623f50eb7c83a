// SPDX-License-Identifier: MIT
/* limits.h -- every limit in the trusted code, each with the reason for its number.
 *
 * Limits that an embedder sets per sandbox (time, memory, calls...) are not here: these are the
 * ceilings behind them, which nobody can raise without a new build. */
#ifndef CLOCHE_LIMITS_H
#define CLOCHE_LIMITS_H

/* ---- JSON ---- */

/* Nesting accepted by default. Tool arguments and results rarely pass 10. */
#define CLOCHE__JSON_DEPTH 64
/* Nesting that a caller may ask for. Reader and writer recurse once per level, at most about 200
 * bytes each, so this needs 100 KiB of a stack that is never smaller than 512 KiB. */
#define CLOCHE__JSON_DEPTH_MAX 512
/* Size of an exponent. Past it the arithmetic on exponents could not be exact in 64 bits if texts
 * grew too; nothing real comes near (a double ends at 308). */
#define CLOCHE__JSON_EXPONENT 1000000000
/* Objects up to this many members are searched in order; above, through a sorted index. */
#define CLOCHE__JSON_SCAN 8

/* ---- gate ---- */

/* Segments of a method's name. Names of real services have 2 to 5. */
#define CLOCHE__METHOD_SEGMENTS 32
/* Work on one decision: a byte looked at, a regular expression's state advanced. About 50 ms; when
 * it is used up nothing more is true, so the call is denied. */
#define CLOCHE__GATE_STEPS 10000000
/* Nesting of `where`, of schemas while they are read, and of a value under its schema. References
 * let a schema contain itself, so the depth of arguments alone would not bound it. */
#define CLOCHE__GATE_DEPTH 128
/* Instructions of one regular expression; [a-z]{1,64} takes 128. Matching keeps 10 bytes for each
 * on the stack. */
#define CLOCHE__REGEX_SIZE 2000
#define CLOCHE__REGEX_DEPTH 32 /* nested groups; the parser recurses once per level */
/* Bytes of a URL or path that is compared; both are normalised in a buffer on the stack. Longer
 * ones are denied. Browsers and servers stop near 8,000. */
#define CLOCHE__URL_BYTES 8192
/* Rules of one policy, and policies stacked by restriction. */
#define CLOCHE__RULES 100000
#define CLOCHE__LAYERS 16
/* Budgets that one call may charge in all layers together; they are charged in one step. */
#define CLOCHE__CHARGES 32
/* Different parameters that the rules for one method may set. */
#define CLOCHE__SETTINGS 64
/* Ask rules that may want one call approved; more, and it is denied. */
#define CLOCHE__ASKS 32
/* Calls per window: each open one is remembered by its time, 8 bytes. */
#define CLOCHE__RATE_CALLS 10000
/* Values kept for one `after ... same`; a program that needs more is denied what depends on it. */
#define CLOCHE__HISTORY 1000
/* Bytes of the name of an account; our own are 32 hexadecimal digits. */
#define CLOCHE__ACCOUNT_ID 64
/* How long another process that charges the same file is waited for, ms. It holds the lock for one
 * forced write, 0.1 ms to 10 ms; a process that was stopped in between keeps it. */
#define CLOCHE__ACCOUNT_PATIENCE 10000
#define CLOCHE__LABELS 64 /* on one sandbox; each takes 16 bytes whether used or not */

/* ---- ledger ---- */

/* Records between two forced writes to the disk, which take from 0.1 ms to 10 ms each. */
#define CLOCHE__LEDGER_GROUP 32
/* How long a full pipe is waited for, ms. A reader that sleeps longer is taken for dead. */
#define CLOCHE__LEDGER_PATIENCE 10000

/* ---- guests ---- */

/* One guest's native stack. The engine's own stack (1 MiB by default, 16 MiB at most) lies in guest
 * memory and is checked there; native frames of the same calls take up to four times as much. */
#define CLOCHE__STACK_BYTES (64u << 20)
/* No translated function has a frame as large as this, so none can step over it. */
#define CLOCHE__STACK_GUARD (1u << 20)
/* What a 32-bit base plus a 32-bit offset can reach, and the widest access at its end. */
#define CLOCHE__RESERVE_BYTES ((8ull << 30) + 65536)
/* Guest memory ends below 4 GiB, so that its size in bytes fits 32 bits. */
#define CLOCHE__MEMORY_MAX ((4ull << 30) - 65536)
/* Pages that a slot keeps writable between tenants and copies back each time. Hello-world writes
 * about 20, a program over a few hundred objects 60; past this, mapping afresh is cheaper. */
#define CLOCHE__HOT_PAGES 256
/* State of earlier runs that is copied at a run's start; above, pages are copied when written. */
#define CLOCHE__CHECKPOINT_PAGES 64
/* Fuel between two looks at the clock and the outbox. About 0.2 ms of JavaScript. */
#define CLOCHE__SLICE_FUEL 200000
/* The longest a step computes before the embedder gets a look: output shows, tools' timeouts hold.
 */
#define CLOCHE__TURN_NS 20000000
/* What a program may still use after it was asked to end: the engine notices within about 20,000
 * units, native code (BigInt, sorting, joining) may need all of it. About 4 ms. */
#define CLOCHE__GRACE_FUEL 4000000
/* The same in time, where time is what ran out: a unit of fuel takes up to 40 ns in native code, so
 * fuel alone would let a program go on for 160 ms. What is promised is 10 ms in all. */
#define CLOCHE__GRACE_NS 4000000
/* What a unit of fuel costs at most, within what matters: long arithmetic and first writes to fresh
 * pages come to 40 ns on a machine that is neither slow nor new. */
#define CLOCHE__FUEL_NS 100
/* How long a slice may take that would otherwise reach beyond a deadline, and its least fuel. */
#define CLOCHE__LAST_SLICE_NS 200000
#define CLOCHE__SLICE_FUEL_MIN 2000
/* For the guest's allocator, when it makes room for a message. */
#define CLOCHE__INBOX_FUEL 1000000
/* Events kept for the embedder before the guest may go on. The outbox holds 64 KiB, so an honest
 * guest fills about a tenth of this between two looks. */
#define CLOCHE__QUEUE_ITEMS 4096
/* Output kept in the queue while the guest goes on; then the embedder gets it first. */
#define CLOCHE__QUEUE_BYTES (256u << 10)
/* Bytes of a path in the guest, which has the same limit, and of a name in a folder. */
#define CLOCHE__PATH_BYTES 4096
#define CLOCHE__NAME_BYTES 255
/* Bytes that the embedder's file goes in pieces of: the guest needs room for a piece on top. */
#define CLOCHE__FILE_PIECE (1u << 20)
/* How long the guest may take for one piece of a file operation, ns. An honest one reads, copies or
 * packs about 1 GiB in that time. */
#define CLOCHE__FILE_NS 10000000000
/* What an answer may have beyond twice the memory limit. */
#define CLOCHE__FILE_ANSWER_EXTRA (16u << 20)
/* Sandboxes that wait with their memory mapped; more are parked. Each reserves 8 GiB of addresses,
 * of which a process has 128 TiB, and takes some of its 65,530 mappings. */
#define CLOCHE__MAPPED_SANDBOXES 4096
/* A state with more changed pages is frozen into a memory file for its forks, not copied. That
 * takes some ms once, and a fork 10 us; copying 1 MiB takes about 1.5 ms each time, as it has to be
 * mapped page by page, and what fits the hot pages takes 30 us. */
#define CLOCHE__FREEZE_PAGES CLOCHE__HOT_PAGES
/* States of one sandbox that have a name. */
#define CLOCHE__CHECKPOINTS 1000
/* The format of snapshots: its bytes, and the members of their state. */
#define CLOCHE__SNAPSHOT_VERSION 2u
/* What a snapshot may hold beside memory: calls, output and answers that wait. Each is limited by
 * itself; together they stay below this. */
#define CLOCHE__SNAPSHOT_STATE (256u << 20)
/* Numbers in a snapshot's state (fuel, ns) stay below, so that sums of a few cannot overflow. In ns
 * it is the year 2116. */
#define CLOCHE__SNAPSHOT_NUMBER (1ull << 62)
/* The longest that a program's clock jumps because it lay in a file, ns: ten years. */
#define CLOCHE__SNAPSHOT_GAP 315360000000000000
/* Folders of the host in one sandbox. */
#define CLOCHE__MOUNTS 16
/* Files and folders of the host that a sandbox has been told about, about 60 bytes and a name each.
 * A tree of 100,000 is large. */
#define CLOCHE__MOUNT_NODES 1000000u
/* Bytes of one answer to a guest that looks into a mount; its own buffer has as many. */
#define CLOCHE__FETCH_BYTES 32768u

/* ---- workers ---- */

/* Until a worker has booted and raised its walls: some 10 ms; ten seconds on a machine in trouble.
 */
#define CLOCHE__WORKER_START_NS 10000000000
/* Beyond the end of its turn, after which a worker that says nothing is killed. Only an attacker or
 * a machine that is out of breath gets there. */
#define CLOCHE__WORKER_PATIENCE_NS 2000000000
/* For all of a guest's memory to come or go. */
#define CLOCHE__WORKER_STATE_NS 10000000000
/* Beyond the end of the run's time. With the grace above it stays within the 10 ms promised. */
#define CLOCHE__WORKER_GRACE_NS 3000000
/* What a worker may allocate beside the guest's memory, the state it goes back to, and records. */
#define CLOCHE__WORKER_SLACK (32u << 20)
/* Fuel that a turn may use beyond what it was given: one copy of all memory, charged at once. */
#define CLOCHE__FUEL_BEYOND (1ull << 28)
/* Fuel of one turn, whatever it was given: an hour's. So that sums of what workers say stay far
 * from 64 bits. */
#define CLOCHE__TURN_FUEL (1ull << 42)
/* Bytes of an outbox that are waited for at a time, so that room follows what has come. */
#define CLOCHE__OUTBOX_PIECE (1u << 20)
/* Workers started ahead, by default. */
#define CLOCHE__IDLE_WORKERS 1

/* Bytes of a method's name. */
#define CLOCHE__METHOD_BYTES 256

#endif
