// SPDX-License-Identifier: MIT
/* evil_worker.c -- the side that decides against workers that an attacker owns.
 *
 *   evil_worker [COUNT [SEED]]
 *
 * The program is its own worker: started as `evil_worker worker` it says hello as an honest one
 * would, and then answers with what a generator says: frames of other kinds, of lengths that are
 * not theirs, cut in the middle, byte by byte, none at all; turns that claim impossible numbers;
 * records that are almost right; or it dies in one of several ways. The other side must come to an
 * end of every run, on time, with errors only, and every process must be gone. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cloche.h"
#include "limits.h"
#include "messages.h"
#include "sandbox/frames.h"
#include "sandbox/image.h"
#include "sandbox/stack.h"

/* Inherited by workers, since nothing else can be: how the generator is to start. */
enum { SEED_FILE = 77, TIMEOUT_NS = 60000000, MEMORY = 1 << 20 };

static uint64_t state;
static uint32_t random32(void) { /* xorshift64*, Vigna 2014 */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint32_t)(state * 2685821657736338717u >> 32);
}
static uint32_t below(uint32_t bound) {
  return random32() % bound;
}

/* ---- the worker ---- */

static void put(const void *bytes, size_t size) {
  if (send(0, bytes, size, MSG_NOSIGNAL) < 0) _exit(0);
}

static uint64_t wild(void) {
  static const uint64_t known[] = {0,          1,         65536,      1u << 20,
                                   UINT32_MAX, INT64_MAX, UINT64_MAX, (uint64_t)INT64_MAX + 1};
  switch (below(3)) {
    case 0:
      return known[below(8)];
    case 1:
      return 1ull << below(64); /* whole pages too, more of them than there can be */
    default:
      return (uint64_t)random32() << below(33);
  }
}

static uint32_t image_size;

static size_t records(uint8_t *to, size_t room) {
  static const uint32_t kinds[] = {ABI_CALL, ABI_STDOUT, ABI_STDERR,
                                   ABI_DONE, ABI_FILED,  ABI_FETCH};
  static const char *const texts[] = {"{\"end\":\"done\",\"value\":1}", "{}", "{\"end\":7}",
                                      "\xff"};
  static uint32_t call;
  size_t used = 0;
  for (uint32_t count = below(6); count > 0 && used + 256 < room; count--) {
    uint32_t kind = kinds[below(6)];
    uint8_t body[128];
    size_t size = 0;
    if (kind == ABI_CALL) {
      uint32_t length = below(8) ? 3 : (uint32_t)wild();
      memcpy(body, &length, 4);
      memcpy(body + 4, "pay", 3);
      size = 7;
    }
    const char *text = texts[below(4)];
    memcpy(body + size, text, strlen(text));
    size += strlen(text);
    abi_record record = {.kind = below(16) ? kind : random32(),
                         .id = kind == ABI_CALL ? ++call : 1 + below(2),
                         .size = below(12) ? (uint32_t)size : (uint32_t)wild()};
    memcpy(to + used, &record, sizeof record);
    memcpy(to + used + sizeof record, body, (size + 3) & ~(size_t)3);
    used += sizeof record + ((size + 3) & ~(size_t)3);
  }
  return used;
}

static void say_turned(void) {
  static uint8_t outbox[4096];
  cloche__frame_turned turned = {.used = below(1000), .next_timer = INT64_MAX, .size = image_size};
  turned.end = below(4) == 0; /* TURN_REFUEL is 1 */
  turned.halfway = turned.end == 1;
  if (below(6) == 0) turned.used = wild();
  if (below(6) == 0) turned.next_timer = (int64_t)wild();
  if (below(6) == 0) turned.end = (uint32_t)wild();
  if (below(6) == 0) turned.size = (uint32_t)wild();
  if (below(6) == 0) turned.halfway = (uint32_t)wild();
  if (below(6) == 0) turned.memory_refused = (uint32_t)wild();
  size_t size = records(outbox, sizeof outbox);
  cloche__frame frame = {.kind = CLOCHE__FRAME_TURNED, .size = (uint32_t)(sizeof turned + size)};
  if (below(8) == 0) frame.size = (uint32_t)wild();
  put(&frame, sizeof frame);
  put(&turned, sizeof turned);
  if (size > 0) put(outbox, size);
}

static void say_ok(void) {
  uint32_t done = below(8) ? 1 : (uint32_t)wild();
  cloche__frame frame = {.kind = CLOCHE__FRAME_OK, .size = sizeof done};
  put(&frame, sizeof frame);
  put(&done, sizeof done);
}

static void flood(void) {
  static uint8_t bytes[1 << 16];
  cloche__frame frame = {.kind = CLOCHE__FRAME_TURNED, .size = UINT32_MAX};
  cloche__frame_turned turned = {.next_timer = INT64_MAX, .size = image_size};
  put(&frame, sizeof frame);
  put(&turned, sizeof turned);
  for (;;) put(bytes, sizeof bytes);
}

static void drip(void) {
  for (;;) {
    uint8_t byte = (uint8_t)random32();
    put(&byte, 1);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

static void misbehave(void) {
  switch (below(10)) {
    case 0:
      for (;;) pause();
    case 1:
      for (volatile int spin = 1; spin;) continue;
      break;
    case 2:
      _exit((int)below(256));
    case 3:
      raise((int[]){SIGSEGV, SIGKILL, SIGABRT, SIGSYS, SIGXCPU}[below(5)]);
      break;
    case 4:
      flood();
      break;
    case 5:
      drip();
      break;
    case 6:
      close(0);
      for (;;) pause();
    case 7: {
      cloche__frame frame = {.kind = random32(), .size = (uint32_t)wild()};
      put(&frame, sizeof frame);
      break;
    }
    case 8: {
      uint8_t bytes[64];
      for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)random32();
      put(bytes, 1 + below(sizeof bytes));
      break;
    }
    default:
      say_turned();
      break;
  }
}

/* Whatever is asked next is read away, so that the other side gets on. */
static bool read_request(cloche__frame *frame) {
  static uint8_t away[1 << 16];
  if (recv(0, frame, sizeof *frame, MSG_WAITALL) != sizeof *frame) return false;
  for (size_t left = frame->size; left > 0;) {
    ssize_t got = recv(0, away, left < sizeof away ? left : sizeof away, 0);
    if (got <= 0) return false;
    left -= (size_t)got;
  }
  return true;
}

static int worker(void) {
  uint64_t *seeds = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, SEED_FILE, 0);
  if (seeds == MAP_FAILED) return 1;
  state = __atomic_add_fetch(seeds, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED) | 1;
  cloche__image image;
  if (cloche__image_look(&image) != CLOCHE_OK) return 1;
  image_size = image.size;
  cloche__frame_hello hello = {.version = CLOCHE__FRAMES_VERSION, .walls = random32()};
  memcpy(hello.image, image.header->hash, sizeof hello.image);
  if (below(32) == 0) hello.image[3] ^= 1;
  uint8_t parcel; /* with the image's file, which is left where it is */
  if (recv(0, &parcel, 1, 0) != 1) return 1;
  cloche__frame frame = {.kind = CLOCHE__FRAME_HELLO, .size = sizeof hello};
  put(&frame, sizeof frame);
  put(&hello, sizeof hello);
  uint32_t patience = below(20); /* requests that are answered first */
  while (read_request(&frame)) {
    bool wants_none = frame.kind == CLOCHE__FRAME_ROLLBACK || frame.kind == CLOCHE__FRAME_END ||
                      frame.kind == CLOCHE__FRAME_OPEN || frame.kind == CLOCHE__FRAME_CHECKPOINT;
    if (patience > 0 && wants_none)
      patience++;
    else if (patience > 0 && frame.kind != CLOCHE__FRAME_TURN)
      say_ok();
    else if (patience > 0)
      say_turned();
    else
      misbehave();
    if (patience > 0) patience--;
  }
  return 0;
}

/* ---- the side that decides ---- */

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static uint64_t sink;
static void touch(cloche_text text) {
  for (size_t i = 0; i < text.len; i++) sink += (uint8_t)text.at[i];
}

static int64_t worst;

static void attack(cloche_sandbox *box) {
  cloche_program program = {.text = {"return 1", 8}};
  if (cloche_exec(box, &program) != CLOCHE_OK) return;
  int64_t started = now();
  cloche_event event;
  int steps = 0;
  do {
    if (cloche_step(box, &event) != CLOCHE_OK) abort();
    touch(event.bytes);
    touch(event.method);
    touch(event.params);
    if (event.kind == CLOCHE_CALL) cloche_resolve(box, event.call, (cloche_text){"1", 1});
    if (event.kind == CLOCHE_WAIT && (event.deadline > now() || ++steps > 100)) cloche_cancel(box);
  } while (event.kind != CLOCHE_DONE);
  int64_t late = now() - started - TIMEOUT_NS;
  if (late > worst) worst = late;
  const cloche_result *result = cloche_sandbox_result(box);
  touch(result->value);
  touch(result->text);
  touch(result->error_message);
  /* What the worker says of itself may be wrong, but not impossible. */
  if (result->usage.memory > MEMORY || result->usage.fuel > CLOCHE__TURN_FUEL * 100) {
    fprintf(stderr, "a worker was believed: %llu bytes, %llu units\n",
            (unsigned long long)result->usage.memory, (unsigned long long)result->usage.fuel);
    exit(1);
  }
}

static const char policy_text[] = "{\"rules\":[{\"pattern\":\"pay\",\"effect\":\"allow\"}]}";

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "worker") == 0) return worker();
  long count = argc > 1 ? atol(argv[1]) : 100;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  int file = memfd_create("seed", 0);
  if (file < 0 || dup2(file, SEED_FILE) < 0 || ftruncate(SEED_FILE, 4096) != 0 ||
      pwrite(SEED_FILE, &seed, sizeof seed, 0) != sizeof seed)
    return 2;
  cloche_engine *engine;
  cloche_engine_options options = {
      .isolation = CLOCHE_ISOLATE_PROCESS, .worker = "/proc/self/exe", .idle_workers = 4};
  cloche_policy *policy;
  if (cloche_engine_new(&options, &engine) != CLOCHE_OK ||
      cloche_policy_load((cloche_text){policy_text, sizeof policy_text - 1}, (cloche_text){0},
                         &policy, NULL) != CLOCHE_OK)
    return 2;
  cloche_sandbox_options limits = {
      .policy = policy,
      .limits = {.memory = MEMORY, .timeout = TIMEOUT_NS, .calls = 8, .total_timeout = TIMEOUT_NS}};
  long refused = 0;
  for (long i = 0; i < count; i++) {
    cloche_sandbox *box;
    if (cloche_sandbox_new(engine, &limits, &box) != CLOCHE_OK) {
      refused++;
      continue;
    }
    for (int runs = 0; runs < 3; runs++) attack(box);
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
  cloche_policy_free(policy);
  if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) {
    fputs("a worker is left\n", stderr);
    return 1;
  }
  printf(
      "%ld evil workers, %ld refused at the door; the latest end came %.1f ms after the deadline\n",
      count, refused, (double)worst / 1e6);
  return worst > 500000000; /* the machine may be busy; what waits for an answer would take 2 s */
}
