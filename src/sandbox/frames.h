// SPDX-License-Identifier: MIT
/* frames.h -- what goes between the process that decides and the worker that holds a guest.
 *
 *   frame     | kind u32 | size u32 | size bytes |       one socket, both processes on one machine
 *
 *   to the worker              its answer
 *   OPEN        an open        none
 *   TURN        a turn, then   TURNED   a turned, then the guest's outbox
 *               the records
 *   WRITE       a write, then  OK
 *               the bytes
 *   CHECKPOINT  u32 pristine   none
 *   ROLLBACK                   none
 *   END                        none
 *   SAVE        u32 checkpoint SAVED    a machine as bytes, or its checkpoint; none: not now
 *   LOAD        such bytes     LOADED   i32 a cloche_status
 *   HASH                       HASHED   32 bytes
 *   (nothing)                  HELLO    once, when its walls stand
 *
 * Before all that the worker is sent one byte, and with it the file that holds the image.
 * What has no answer goes out together with the next frame that has one, in one piece.
 *
 * A worker answers and never speaks first. It may be owned by an attacker, so the side that decides
 * knows which frame it waits for, how long that one may be, and until when; anything else is the
 * end of that worker. A worker believes what it is sent. */
#ifndef CLOCHE_SANDBOX_FRAMES_H
#define CLOCHE_SANDBOX_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "messages.h"

/* Both sides are of one build; the image's name says so, this says it for the frames. */
#define CLOCHE__FRAMES_VERSION 2u

typedef enum cloche__frame_kind {
  CLOCHE__FRAME_OPEN = 1,
  CLOCHE__FRAME_TURN = 2,
  CLOCHE__FRAME_WRITE = 3,
  CLOCHE__FRAME_CHECKPOINT = 4,
  CLOCHE__FRAME_ROLLBACK = 5,
  CLOCHE__FRAME_END = 6,
  CLOCHE__FRAME_SAVE = 7,
  CLOCHE__FRAME_LOAD = 8,
  CLOCHE__FRAME_HASH = 9,
  CLOCHE__FRAME_HELLO = 64,
  CLOCHE__FRAME_OK = 65, /* u32: 1 done, 0 refused */
  CLOCHE__FRAME_TURNED = 66,
  CLOCHE__FRAME_SAVED = 67,
  CLOCHE__FRAME_LOADED = 68,
  CLOCHE__FRAME_HASHED = 69,
} cloche__frame_kind;

typedef struct cloche__frame {
  uint32_t kind, size;
} cloche__frame;

typedef struct cloche__frame_hello {
  uint32_t version;
  uint32_t walls; /* bits: which stand */
  uint64_t data;  /* bytes that count against RLIMIT_DATA before a guest ran */
  uint8_t image[32];
} cloche__frame_hello;

typedef struct cloche__frame_open {
  uint64_t memory;
} cloche__frame_open;

typedef struct cloche__frame_turn {
  uint64_t fuel;
  int64_t until, deadline;
  uint64_t setup; /* bytes of the records that are for a turn of their own before */
  abi_control control;
} cloche__frame_turn;

typedef struct cloche__frame_turned {
  uint64_t used, setup_used;
  int64_t next_timer;
  uint32_t end; /* a cloche__turn_end */
  uint32_t size;
  uint32_t memory_refused, halfway;
  uint32_t setup_done, reserved;
} cloche__frame_turned;

typedef struct cloche__frame_write {
  uint64_t at;
} cloche__frame_write;

/* Frames that have not been sent yet, together a few hundred bytes. */
typedef struct cloche__frames {
  size_t len;
  uint8_t bytes[4096];
} cloche__frames;

/* Adds a frame up to its body, of `body_size` bytes. False (EMSGSIZE): it does not fit. */
bool cloche__frame_stage(cloche__frames *frames, cloche__frame_kind kind, const void *head,
                         size_t head_size, size_t body_size);
/* Sends them all, and the body of the last; none are left afterwards. False with errno; ETIMEDOUT
 * at `deadline` (monotonic ns; INT64_MAX: never, for sockets that block). */
bool cloche__frame_flush(int socket, cloche__frames *frames, const void *body, size_t body_size,
                         int64_t deadline);
/* One frame from two pieces. False as above. */
bool cloche__frame_send(int socket, cloche__frame_kind kind, const void *head, size_t head_size,
                        const void *body, size_t body_size, int64_t deadline);
/* One byte and a descriptor, which the receiver owns; -1 when it did not come. Both wait. */
bool cloche__frame_send_file(int socket, int file);
int cloche__frame_receive_file(int socket);
/* Waits until there is something to receive. False as above; nothing has been received then. */
bool cloche__frame_wait(int socket, int64_t deadline);
/* Exactly so many bytes. False as above; ECONNRESET when the other side has gone. */
bool cloche__frame_receive(int socket, void *to, size_t size, int64_t deadline);
/* What is there, at least a byte, from a socket that blocks. 0: the other side has gone. */
size_t cloche__frame_receive_some(int socket, void *to, size_t most);

#endif
