// SPDX-License-Identifier: MIT
/* lies_test.c -- what the side that decides makes of each lie that a worker can tell.
 *
 * The program is its own worker: started as `lies_test worker` it says hello and answers as an
 * honest one would, but for the one lie whose number lies in a shared page. Each guard in remote.c,
 * worker.c and frames.c has a lie here that only it notices, but for the second locks that
 * docs/invariants.md names. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include "limits.h"
#include "sandbox/frames.h"
#include "sandbox/remote.h"
#include "sandbox/sandbox.h"
#include "test.h"

enum { PAGE_FILE = 77, MEMORY = 1 << 20, TIMEOUT_NS = 500000000, FUEL = 1000000 };

/* ---- lies ---- */

typedef struct {
  const char *name;
  /* Of the answer to a turn. */
  int kind, size;  /* of its frame: another one; so much more or less than is right */
  int end, memory; /* the turn's end; how much more memory than the image has */
  uint64_t used, setup_used;
  uint32_t refused, halfway, setups;
  bool fetches; /* it asks for a file, so that something is written into it */
  /* Of other answers: their kind, size and first word. */
  int other_kind, other_size;
  uint32_t other_word;
  /* Of the hello. */
  uint32_t hello_kind, hello_size, hello_version, hello_image;
  /* What it does instead of answering the turn of a run, with a signal's number or a time in ms. */
  enum { ANSWER, DIE, EXIT, SLEEP, DRIP, FLOOD } instead;
  int how;
  /* What becomes of it. */
  cloche_end wanted;
  const char *message;
} lie;

enum { HUGE = 3 << 20 };
static const lie turns[] = {
    {"none at all", .wanted = CLOCHE_END_DONE},
    {"none, with more memory", .memory = MEMORY, .wanted = CLOCHE_END_DONE},
    {"another frame", .kind = CLOCHE__FRAME_OK, .wanted = CLOCHE_END_TRAP,
     .message = "something else than a turn"},
    {"too short a frame", .size = -1000, .wanted = CLOCHE_END_TRAP,
     .message = "something else than a turn"},
    {"an outbox larger than its memory", .size = HUGE, .wanted = CLOCHE_END_TRAP,
     .message = "outbox is too long"},
    {"an end that only we can say", .end = CLOCHE__TURN_LATE, .wanted = CLOCHE_END_TRAP,
     .message = "in no known way"},
    {"an end that does not exist", .end = 1000, .wanted = CLOCHE_END_TRAP,
     .message = "in no known way"},
    {"nonsense, which may be", .end = CLOCHE__TURN_NONSENSE, .wanted = CLOCHE_END_TRAP,
     .message = "broke the message protocol"},
    {"less memory than the image", .memory = -65536, .wanted = CLOCHE_END_TRAP,
     .message = "more memory than it may"},
    {"more memory than it may have", .memory = MEMORY + 65536, .wanted = CLOCHE_END_TRAP,
     .message = "more memory than it may"},
    {"half a page of memory", .memory = 32768, .wanted = CLOCHE_END_TRAP,
     .message = "more memory than it may"},
    {"more fuel than there was", .used = FUEL + CLOCHE__FUEL_BEYOND + 1, .wanted = CLOCHE_END_TRAP,
     .message = "more fuel than there was"},
    {"a second refusal", .refused = 2, .wanted = CLOCHE_END_TRAP, .message = "contradicts itself"},
    {"returned and halfway", .halfway = 1, .wanted = CLOCHE_END_TRAP,
     .message = "contradicts itself"},
    {"paused and not halfway", .end = CLOCHE__TURN_REFUEL, .wanted = CLOCHE_END_TRAP,
     .message = "contradicts itself"},
    {"more fuel for the setup than in all", .setup_used = 11, .wanted = CLOCHE_END_TRAP,
     .message = "contradicts itself"},
    {"a second setup", .setups = 1, .wanted = CLOCHE_END_TRAP, .message = "contradicts itself"},
    {"a forbidden call", .instead = DIE, .how = SIGSYS, .wanted = CLOCHE_END_TRAP,
     .message = "forbidden system call"},
    {"a crash", .instead = DIE, .how = SIGSEGV, .wanted = CLOCHE_END_TRAP, .message = "crashed"},
    {"killed by someone", .instead = DIE, .how = SIGKILL, .wanted = CLOCHE_END_INTERNAL,
     .message = "killed by signal 9"},
    {"all its processor time", .instead = DIE, .how = SIGXCPU, .wanted = CLOCHE_END_TRAP,
     .message = "did not answer"},
    {"an end of its own", .instead = EXIT, .wanted = CLOCHE_END_INTERNAL,
     .message = "ended by itself"},
    {"silence", .instead = SLEEP, .how = 60000, .wanted = CLOCHE_END_LIMIT_TIME},
    {"a byte now and then", .instead = DRIP, .how = 1000, .wanted = CLOCHE_END_LIMIT_TIME},
    {"a little more, again and again", .instead = FLOOD, .how = 1000,
     .wanted = CLOCHE_END_LIMIT_TIME},
    {"a write, taken", .fetches = true, .wanted = CLOCHE_END_DONE},
    {"a write, refused", .fetches = true, .other_word = 7, .wanted = CLOCHE_END_TRAP,
     .message = "makes no sense"},
    {"a write, answered otherwise", .fetches = true, .other_kind = CLOCHE__FRAME_HELLO,
     .wanted = CLOCHE_END_TRAP, .message = "makes no sense"},
    {"a write, answered at length", .fetches = true, .other_size = 12, .wanted = CLOCHE_END_TRAP,
     .message = "makes no sense"},
};

static lie *told; /* the shared page */
static uint32_t image_size;

/* ---- the worker ---- */

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void put(const void *bytes, size_t size) {
  if (size > 0 && send(0, bytes, size, MSG_NOSIGNAL) < 0) _exit(0);
}
static void pause_ms(int ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* The outbox of a run's turn: the word that it is done, or a wish for a file. */
static size_t outbox(uint8_t *to, uint32_t run, bool fetches) {
  static const char done[] = "{\"end\":\"done\",\"value\":1}\0\0";
  abi_fetch fetch = {.operation = ABI_FETCH_READ, .source = 1, .answer = 65536};
  size_t size = fetches ? sizeof fetch : 24;
  abi_record record = {.kind = fetches ? ABI_FETCH : ABI_DONE,
                       .id = fetches ? 1 : run,
                       .size = fetches ? sizeof fetch : 24};
  memcpy(to, &record, sizeof record);
  memcpy(to + sizeof record, fetches ? (const void *)&fetch : done, size);
  return sizeof record + size;
}

static void say_turned(const lie *now, bool setup, uint32_t run, bool halfway) {
  static uint8_t bytes[HUGE + 256];
  cloche__frame_turned turned = {.used = now->used != 0 ? now->used : 10,
                                 .next_timer = INT64_MAX,
                                 .end = halfway ? CLOCHE__TURN_REFUEL : (uint32_t)now->end,
                                 .size = image_size + (uint32_t)now->memory,
                                 .memory_refused = now->refused,
                                 .setup_used = now->setup_used,
                                 .setup_done = setup + now->setups,
                                 .halfway = halfway ? 1 : now->halfway};
  size_t size = sizeof turned + outbox(bytes + sizeof turned, run, halfway);
  memcpy(bytes, &turned, sizeof turned);
  cloche__frame frame = {.kind = now->kind != 0 ? (uint32_t)now->kind : CLOCHE__FRAME_TURNED};
  if (now->size < 0)
    frame.size = sizeof turned - 1;
  else
    frame.size = (uint32_t)size + (uint32_t)now->size;
  put(&frame, sizeof frame);
  put(bytes, frame.size);
}

/* What comes after too short an answer looks like the next one. */
static void say_other(const lie *now, uint32_t kind, const void *bytes, uint32_t size) {
  static const uint32_t next[] = {CLOCHE__FRAME_OK, sizeof(uint32_t), 1};
  cloche__frame frame = {.kind = now->other_kind != 0 ? (uint32_t)now->other_kind : kind,
                         .size = size + (uint32_t)now->other_size};
  put(&frame, sizeof frame);
  put(bytes, size);
  for (uint32_t more = frame.size - size; more > 0;) {
    uint32_t piece = more < sizeof next ? more : sizeof next;
    put(next, piece);
    more -= piece;
  }
}

/* The start of a good answer, and then so little at a time that it is never all there, and never
 * nothing. */
static void flood(int ms) {
  static const uint8_t zeros[1];
  cloche__frame_turned turned = {.next_timer = INT64_MAX, .size = image_size + MEMORY};
  cloche__frame frame = {.kind = CLOCHE__FRAME_TURNED, .size = sizeof turned + MEMORY};
  put(&frame, sizeof frame);
  put(&turned, sizeof turned);
  int64_t end = now_ns() + ms * (int64_t)1000000;
  while (now_ns() < end) {
    int64_t next = now_ns() + 5000;
    put(zeros, sizeof zeros);
    while (now_ns() < next) continue;
  }
}

static void misbehave(const lie *now) {
  if (now->instead == DIE) {
    signal(now->how, SIG_DFL);
    raise(now->how);
  }
  if (now->instead == SLEEP) pause_ms(now->how);
  cloche__frame frame = {.kind = CLOCHE__FRAME_TURNED, .size = HUGE};
  for (int i = 0; now->instead == DRIP && i < now->how; i++) {
    put(i < (int)sizeof frame ? (const char *)&frame + i : "", 1);
    pause_ms(30);
  }
  if (now->instead == FLOOD) flood(now->how);
  if (now->instead != ANSWER && now->instead != SLEEP) _exit(0);
}

static bool read_request(cloche__frame *frame, uint8_t *body, size_t room) {
  if (recv(0, frame, sizeof *frame, MSG_WAITALL) != sizeof *frame) return false;
  for (size_t at = 0; at < frame->size;) {
    ssize_t got =
        recv(0, body + at, frame->size - at < room - at ? frame->size - at : room - at, 0);
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

static void say_hello(const cloche__image *image) {
  cloche__frame_hello hello = {.version = CLOCHE__FRAMES_VERSION + told->hello_version};
  memcpy(hello.image, image->header->hash, sizeof hello.image);
  hello.image[5] ^= (uint8_t)told->hello_image;
  cloche__frame frame = {.kind = CLOCHE__FRAME_HELLO + told->hello_kind,
                         .size = (uint32_t)sizeof hello + told->hello_size};
  put(&frame, sizeof frame);
  put(&hello, sizeof hello);
  put("\0\0\0", told->hello_size);
}

/* Which run a turn's records start; 0: none. */
static uint32_t run_of(const uint8_t *body, size_t size) {
  for (size_t at = sizeof(cloche__frame_turn); at + sizeof(abi_record) <= size;) {
    abi_record record;
    memcpy(&record, body + at, sizeof record);
    if (record.kind == ABI_RUN_JS) return record.id;
    at += sizeof record + ((record.size + 3) & ~3u);
  }
  return 0;
}

static int worker(void) {
  static uint8_t body[1 << 20];
  cloche__image image;
  if (cloche__image_look(&image) != CLOCHE_OK) return 1;
  image_size = image.size;
  uint8_t parcel; /* with the image's file, which is left where it is */
  if (recv(0, &parcel, 1, 0) != 1) return 1;
  say_hello(&image);
  cloche__frame frame;
  uint32_t run = 0;
  bool halfway = false;
  static const lie honest;
  while (read_request(&frame, body, sizeof body)) {
    uint32_t started = frame.kind == CLOCHE__FRAME_TURN ? run_of(body, frame.size) : 0;
    if (started != 0) run = started;
    uint32_t word = told->other_word != 0 ? told->other_word : frame.kind == CLOCHE__FRAME_WRITE;
    static const uint8_t hash[32] = {1};
    cloche__frame_turn asked;
    switch ((cloche__frame_kind)frame.kind) {
      case CLOCHE__FRAME_TURN:
        if (started != 0) misbehave(told);
        halfway = started != 0 && told->fetches;
        memcpy(&asked, body, sizeof asked);
        say_turned(run != 0 ? told : &honest, asked.setup > 0, run, halfway);
        break;
      case CLOCHE__FRAME_WRITE:
        say_other(told, CLOCHE__FRAME_OK, &word, sizeof word);
        break;
      case CLOCHE__FRAME_SAVE:
        say_other(told, CLOCHE__FRAME_SAVED, body, sizeof word);
        break;
      case CLOCHE__FRAME_LOAD:
        say_other(told, CLOCHE__FRAME_LOADED, &word, sizeof word);
        break;
      case CLOCHE__FRAME_HASH:
        say_other(told, CLOCHE__FRAME_HASHED, hash, sizeof hash);
        break;
      default:
        break;
    }
  }
  return 0;
}

/* ---- the side that decides ---- */

static cloche_engine *start(void) {
  cloche_engine_options options = {.isolation = CLOCHE_ISOLATE_PROCESS, .worker = "/proc/self/exe"};
  cloche_engine *engine = NULL;
  CHECK_EQ(cloche_engine_new(&options, &engine), CLOCHE_OK);
  return engine;
}

static cloche_sandbox *make(cloche_engine *engine) {
  cloche_sandbox_options options = {
      .limits = {.memory = MEMORY, .timeout = TIMEOUT_NS, .fuel = FUEL}};
  cloche_sandbox *box = NULL;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  return box;
}

static const cloche_result *run(cloche_sandbox *box) {
  cloche_program program = {.text = {"return 1", 8}};
  CHECK_EQ(cloche_exec(box, &program), CLOCHE_OK);
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE) CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
  return cloche_sandbox_result(box);
}

TEST(each_lie_about_a_turn_is_noticed) {
  cloche_engine *engine = start();
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    TEST_ROW(turns[i].name);
    *told = turns[i];
    cloche_sandbox *box = make(engine);
    int64_t started = now_ns();
    const cloche_result *result = run(box);
    CHECK_EQ(result->end, turns[i].wanted);
    if (turns[i].message != NULL) {
      char text[200] = "";
      memcpy(text, result->error_message.at,
             result->error_message.len < 199 ? result->error_message.len : 199);
      if (strstr(text, turns[i].message) == NULL) CHECK_STR(text, turns[i].message);
    }
    CHECK(now_ns() - started < TIMEOUT_NS + 1000000000); /* not the two seconds of patience */
    *told = turns[0];
    CHECK_EQ(run(box)->end, CLOCHE_END_DONE); /* nothing of it is left */
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
}

/* A run without a limit of its own, in which the worker takes two more fuel units than exist. */
TEST(no_turn_uses_more_fuel_than_an_hour_has) {
  cloche_engine *engine = start();
  *told = (lie){.used = CLOCHE__TURN_FUEL + 1};
  cloche_sandbox_options options = {.limits = {.memory = MEMORY}};
  cloche_sandbox *box = NULL;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  CHECK_EQ(run(box)->end, CLOCHE_END_TRAP);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

/* The answer to a run that was over comes while the next one wants to start. */
TEST(an_answer_that_comes_late_is_looked_at_as_well) {
  static const struct {
    lie told;
    cloche_end next;
  } rows[] = {
      {{.name = "late", .instead = SLEEP, .how = 800}, CLOCHE_END_DONE},
      {{.name = "another frame", .instead = SLEEP, .how = 800, .kind = CLOCHE__FRAME_OK},
       CLOCHE_END_INTERNAL},
      {{.name = "endless", .instead = SLEEP, .how = 800, .size = HUGE}, CLOCHE_END_INTERNAL},
  };
  cloche_engine *engine = start();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].told.name);
    *told = turns[0];
    cloche_sandbox *box = make(engine);
    CHECK_EQ(run(box)->end, CLOCHE_END_DONE); /* from here on it has something to lose */
    *told = rows[i].told;
    CHECK_EQ(run(box)->end, CLOCHE_END_LIMIT_TIME);
    pause_ms(600);
    *told = turns[0];
    CHECK_EQ(run(box)->end, rows[i].next);
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
}

TEST(a_hello_of_another_build_is_no_hello) {
  static const lie rows[] = {
      {"kind", .hello_kind = 1},
      {"size", .hello_size = 1},
      {"version", .hello_version = 1},
      {"image", .hello_image = 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].name);
    *told = rows[i];
    cloche_engine *engine = start();
    cloche_sandbox *box = NULL;
    CHECK_EQ(cloche_sandbox_new(engine, NULL, &box), CLOCHE_E_IMAGE);
    cloche_engine_free(engine);
  }
}

/* Answers to requests for state, made directly. */
TEST(a_lie_about_state_costs_the_worker) {
  static const lie rows[] = {
      {.name = "none"},
      {"kind", .other_kind = CLOCHE__FRAME_OK},
      {"size", .other_size = 1},
      {"size", .other_size = 32},
  };
  cloche_engine *engine = start();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].name);
    *told = rows[i];
    cloche_sandbox *box = make(engine);
    uint8_t hash[32];
    cloche__machine_hash(&box->machine, hash);
    CHECK_EQ(hash[0], i == 0);
    CHECK_EQ(box->machine.remote->worker != NULL, i == 0);
    cloche_sandbox_free(box);
    box = make(engine);
    cloche_status status = cloche__machine_load(&box->machine, (cloche_text){"x", 1});
    CHECK_EQ(status, i == 0 ? CLOCHE_OK : CLOCHE_E_SYSTEM);
    CHECK_EQ(box->machine.remote->worker != NULL, i == 0);
    cloche_sandbox_free(box);
  }
  static const uint32_t words[] = {1, 12345, (uint32_t)-9999};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    *told = (lie){.other_word = words[i]};
    cloche_sandbox *box = make(engine);
    CHECK_EQ(cloche__machine_load(&box->machine, (cloche_text){"x", 1}), CLOCHE_E_FORMAT);
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
}

TEST(a_saved_state_is_no_larger_than_memory) {
  static const lie rows[] = {
      {.name = "none"},
      {"kind", .other_kind = CLOCHE__FRAME_OK},
      {"size", .other_size = 4 << 20},
  };
  cloche_engine *engine = start();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].name);
    *told = rows[i];
    cloche_sandbox *box = make(engine);
    cloche__buffer out = {0};
    CHECK_EQ(cloche__machine_save(&box->machine, &out), i == 0);
    CHECK_EQ(box->machine.remote->worker != NULL, i == 0);
    cloche__buffer_free(&out);
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
}

TEST(a_fork_does_not_speak_to_its_parents_worker) {
  cloche_engine *engine = start();
  *told = turns[0];
  cloche_sandbox *box = make(engine);
  uint8_t hash[32];
  pid_t child = fork();
  if (child == 0) {
    cloche__machine_hash(&box->machine, hash);
    _exit(hash[0]); /* 0: nothing was asked */
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
  cloche__machine_hash(&box->machine, hash);
  CHECK_EQ(hash[0], 1);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(a_worker_may_use_only_so_much_memory_and_time) {
  cloche_engine *engine = start();
  *told = turns[0];
  cloche_sandbox *box = make(engine);
  CHECK_EQ(run(box)->end, CLOCHE_END_DONE);
  char path[64], text[2048] = "";
  snprintf(path, sizeof path, "/proc/%d/limits", (int)box->machine.remote->worker->process);
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  CHECK(fread(text, 1, sizeof text - 1, file) > 0);
  fclose(file);
  unsigned long long seconds = 0, bytes = 0;
  CHECK_EQ(sscanf(strstr(text, "Max cpu time") + 12, "%llu", &seconds), 1);
  CHECK(seconds >= 2 && seconds < 4);
#ifndef CLOCHE__STACK_TOLD
  CHECK_EQ(sscanf(strstr(text, "Max data size") + 13, "%llu", &bytes), 1);
  CHECK(bytes > 3 * MEMORY && bytes < 128u << 20);
#endif
  (void)bytes;
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

static const test_case tests[] = {TEST_ENTRY(each_lie_about_a_turn_is_noticed),
                                  TEST_ENTRY(no_turn_uses_more_fuel_than_an_hour_has),
                                  TEST_ENTRY(an_answer_that_comes_late_is_looked_at_as_well),
                                  TEST_ENTRY(a_hello_of_another_build_is_no_hello),
                                  TEST_ENTRY(a_lie_about_state_costs_the_worker),
                                  TEST_ENTRY(a_saved_state_is_no_larger_than_memory),
                                  TEST_ENTRY(a_fork_does_not_speak_to_its_parents_worker),
                                  TEST_ENTRY(a_worker_may_use_only_so_much_memory_and_time)};

int main(int argc, char **argv) {
  bool is_worker = argc > 1 && strcmp(argv[1], "worker") == 0;
  int file = is_worker ? PAGE_FILE : memfd_create("lie", 0);
  if (!is_worker && (dup2(file, PAGE_FILE) < 0 || ftruncate(PAGE_FILE, sizeof *told) != 0))
    return 2;
  told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED, PAGE_FILE, 0);
  if (told == MAP_FAILED) return 2;
  return is_worker ? worker() : test_run_all(tests, sizeof tests / sizeof *tests, argc, argv);
}
