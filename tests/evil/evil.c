// SPDX-License-Identifier: MIT
/* evil.c -- the host against a guest that an attacker owns from its first instruction.
 *
 * The guest's exports obey a string of bytes: each step takes a few actions from it (write bytes
 * anywhere in memory, set the outbox's fields, append records that are almost right, grow, refuel,
 * trap, run out of stack) and answers with a number from it. The host must come out with errors
 * only; AddressSanitizer and UBSan watch it.
 *
 * As a program of its own (evil [COUNT [SEED]]) the bytes come from a generator. With
 * CLOCHE_FUZZ_TARGET it is a fuzz target, to be linked with libFuzzer or with fuzz/replay.c. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloche.h"
#include "guest.translated.h"
#include "messages.h"
#include "sandbox/image.h"

/* ---- the image: two wasm pages of zeros but for the control block's page ---- */

enum { IMAGE_SIZE = 2 * 65536, CONTROL = 4096, OUTBOX = 8192, PAGE = 4096 };
uint8_t cloche__image_data[3 * PAGE] __attribute__((aligned(PAGE)));
__asm__(".globl cloche__image_data_end\n.set cloche__image_data_end, cloche__image_data + 12288");

__attribute__((constructor)) static void make_image(void) {
  cloche__image_header header = {.magic = "clocheim",
                                 .version = CLOCHE__IMAGE_VERSION,
                                 .pages = 2,
                                 .size = IMAGE_SIZE,
                                 .control = CONTROL,
                                 .globals = 24};
  uint32_t numbers[2] = {1, 2};
  abi_control control = {.outbox = OUTBOX, .next_timer = INT64_MAX};
  memcpy(cloche__image_data, &header, sizeof header);
  memcpy(cloche__image_data + sizeof header, numbers, sizeof numbers);
  memcpy(cloche__image_data + PAGE, &control, sizeof control);
}

/* ---- the attacker ---- */

static const uint8_t *input, *input_end;

static uint8_t byte(void) {
  return input < input_end ? *input++ : 0;
}
static uint32_t word(void) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value = value << 8 | byte();
  return value;
}
/* Numbers that matter more often than chance has it. */
static uint32_t number(const Z_guest_instance_t *guest) {
  uint32_t size = guest->w2c_memory.size;
  switch (byte() % 10) {
    case 0:
      return 0;
    case 1:
      return byte();
    case 2:
      return size;
    case 3:
      return size - byte();
    case 4:
      return UINT32_MAX - byte();
    case 5:
      return OUTBOX + byte();
    case 6:
      return 0x80000000u + byte() - 128;
    default:
      return word() % (size + 16);
  }
}

static void set(Z_guest_instance_t *guest, uint64_t at, const void *bytes, size_t size) {
  if (at + size <= guest->w2c_memory.size) memcpy(guest->w2c_memory.data + at, bytes, size);
}

/* The id of the file operation that the host asked for last, and of this guest's own last call. */
static uint32_t asked, last_call;

/* A record that is nearly what an honest guest would send. */
static void append(Z_guest_instance_t *guest) {
  static const uint32_t kinds[] = {ABI_CALL,  ABI_STDOUT,     ABI_STDERR, ABI_DONE,
                                   ABI_FILED, ABI_FILE_BYTES, ABI_FETCH};
  static const char *const texts[] = {"{\"end\":\"done\",\"value\":1}",
                                      "{}",
                                      "{\"end\":7}",
                                      "[",
                                      "\xff",
                                      "{\"end\":\"done\",\"error\":{\"line\":-1}}",
                                      "{\"a\":1,\"a\":2}",
                                      "[{\"name\":\"a\",\"kind\":\"file\",\"size\":1,\"mode\":"
                                      "420,\"mtime\":0}]",
                                      "{\"created\":[{\"path\":\"/a\",\"kind\":\"file\",\"size\":"
                                      "1}],\"modified\":[],\"deleted\":[{}]}",
                                      "{\"created\":[{\"path\":\"\",\"bytes\":\"2f2e2e\",\"kind\":"
                                      "\"link\",\"size\":1}],\"modified\":[],\"deleted\":[]}"};
  uint8_t *memory = guest->w2c_memory.data;
  abi_control control;
  memcpy(&control, memory + CONTROL, sizeof control);
  uint64_t at = (uint64_t)control.outbox + control.committed;
  uint8_t bytes[512];
  uint32_t kind = kinds[byte() % 7], length = 0;
  if (kind == ABI_CALL) {
    uint32_t name = byte() % 4 == 0 ? number(guest) : 3;
    memcpy(bytes, &name, 4);
    memcpy(bytes + 4, byte() % 2 == 0 ? "pay" : "ask", 3);
    length = 7;
  }
  bool about_files = kind == ABI_FILED || kind == ABI_FILE_BYTES;
  if (kind == ABI_FILED) {
    uint32_t error = byte() % 4 == 0 ? number(guest) : 0;
    memcpy(bytes, &error, 4);
    length = 4;
  }
  if (kind == ABI_FETCH) {
    abi_fetch wanted = {.operation = 1u + byte() % 3,
                        .source = byte() % 4 == 0 ? number(guest) : byte() % 6,
                        .offset = byte() % 4 == 0 ? number(guest) : 0,
                        .buffer = number(guest),
                        .capacity = number(guest),
                        .answer = number(guest)};
    memcpy(bytes, &wanted, sizeof wanted);
    length = sizeof wanted;
  }
  const char *text =
      kind == ABI_FETCH ? "" : texts[about_files && byte() % 2 == 0 ? 7 + byte() % 3 : byte() % 10];
  memcpy(bytes + length, text, strlen(text));
  length += (uint32_t)strlen(text);
  uint32_t id = kind == ABI_CALL ? ++last_call : about_files ? asked : 1u + byte() % 2;
  abi_record record = {.kind = byte() % 16 == 0 ? word() : kind,
                       .id = byte() % 8 == 0 ? number(guest) : id,
                       .size = byte() % 8 == 0 ? number(guest) : length};
  set(guest, at, &record, sizeof record);
  set(guest, at + sizeof record, bytes, length);
  control.committed += (uint32_t)sizeof record + ((length + 3) & ~3u);
  set(guest, CONTROL, &control, sizeof control);
}

/* FILED without an error, at once. */
static void answer_file(Z_guest_instance_t *guest, uint32_t id, const char *text) {
  uint32_t size = (uint32_t)strlen(text), record[4] = {ABI_FILED, id, 4 + size, 0};
  uint32_t whole = (uint32_t)sizeof record + ((size + 3) & ~3u);
  abi_control control = {.outbox = OUTBOX, .committed = whole, .next_timer = INT64_MAX};
  set(guest, OUTBOX, record, sizeof record);
  set(guest, OUTBOX + sizeof record, text, size);
  set(guest, CONTROL, &control, sizeof control);
  memset(guest->w2c_memory.data + 65536, 0, sizeof(abi_record)); /* once is enough */
}

/* What a guest might want done to a mount at /data, or beside it, or to one at /ro. */
static const char *lie_about(uint32_t operation) {
#define OF(path, kind, rest) \
  "{\"path\":\"" path "\",\"kind\":\"" kind "\",\"size\":1,\"was\":2" rest "}"
#define TIMES ",\"atime\":-1,\"mtime\":9223372036854775807"
#define PATH(path, kind) OF(path, kind, ",\"mode\":4095" TIMES)
#define ONLY(path, kind) OF(path, kind, ",\"mode\":4032,\"content\":false" TIMES)
#define TIMED(path, kind) \
  OF(path, kind, ",\"mode\":4095,\"content\":false,\"atime\":-1,\"mtime\":-9223372036854775808")
#define DIFF(created, modified, deleted) \
  "{\"created\":[" created "],\"modified\":[" modified "],\"deleted\":[" deleted "]}"
#define STAT(kind, target)                                     \
  "{\"name\":\"x\",\"target\":\"" target "\",\"kind\":\"" kind \
  "\",\"size\":1,\"mode\":4095,\"mtime\":0}"
  static const char *const diffs[] = {
      DIFF(PATH("/data/x", "file") "," PATH("/data/n", "folder") "," PATH("/data/n/y", "link"),
           PATH("/data/a", "file") "," ONLY("/data/d", "folder") "," ONLY("/data/d/b", "file"),
           PATH("/data/l", "link")),
      DIFF(PATH("/data/../out/x", "file"), "", ""),
      DIFF(PATH("/data/out/x", "file") "," PATH("/data/out/n", "folder"),
           ONLY("/data/out/secret", "file") "," ONLY("/data/out", "folder"),
           PATH("/data/out/secret", "file")),
      DIFF(PATH("/data/d", "link"), PATH("/data/d/b", "file"),
           PATH("/data/d", "folder") "," PATH("/data/d/b", "file")),
      DIFF(PATH("/data/a/b/c", "file"), ONLY("/data/out", "link"), PATH("/data/d", "folder")),
      DIFF(PATH("/ro/n", "folder"), TIMED("/data/a", "file") "," TIMED("/data/d", "folder"), ""),
      DIFF("",
           TIMED("/data/out", "folder") "," TIMED("/data/out/secret", "file") "," TIMED(
               "/data/out", "file") "," TIMED("/data/l", "link"),
           "")};
  static const char *const stats[] = {STAT("file", ""), STAT("link", "../out"), STAT("link", "a"),
                                      STAT("folder", "")};
  return operation == ABI_FILE_DIFF   ? diffs[byte() % 7]
         : operation == ABI_FILE_STAT ? stats[byte() % 4]
                                      : "evil";
}

static void act(Z_guest_instance_t *guest) {
  uint8_t *memory = guest->w2c_memory.data;
  uint32_t value = number(guest);
  switch (byte() % 16) {
    case 0:
      set(guest, value, (uint8_t[]){byte(), byte(), byte(), byte()}, 4);
      break;
    case 1:
      set(guest, CONTROL + offsetof(abi_control, outbox), &value, 4);
      break;
    case 2:
      set(guest, CONTROL + offsetof(abi_control, committed), &value, 4);
      break;
    case 3:
      set(guest, CONTROL + offsetof(abi_control, taken), &value, 4);
      break;
    case 4:
      set(guest, CONTROL + offsetof(abi_control, next_timer), (uint32_t[]){value, word()}, 8);
      break;
    case 5:
      wasm_rt_grow_memory(&guest->w2c_memory, value % 64 == 0 ? value : value % 64);
      break;
    case 6:
      guest->w2c_fuel -= word() % 1000000;
      break;
    case 7:
      Z_clocheZ_refuel(guest->Z_cloche_instance);
      break;
    case 8:
      if (byte() % 8 == 0) wasm_rt_trap((wasm_rt_trap_t)(byte() % 9));
      break;
    case 9:
      if (byte() % 8 == 0) guest->w2c___stack_pointer = word();
      break;
    case 10:
      if (byte() % 16 == 0) ((volatile uint8_t *)memory)[(uint64_t)word() + word()] = 1;
      break;
    case 11:
      guest->w2c_overflow = byte() % 16 == 0;
      break;
    case 12:
      memset(memory + CONTROL, byte(), sizeof(abi_control));
      break;
    default:
      append(guest);
      break;
  }
  guest->w2c_fuel--;
  if ((int64_t)guest->w2c_fuel < 0) Z_clocheZ_refuel(guest->Z_cloche_instance);
}

/* A few calls that nothing is wrong with, so that some are under way when it turns on the host. */
static uint32_t call_honestly(Z_guest_instance_t *guest) {
  abi_control control = {.outbox = OUTBOX, .next_timer = INT64_MAX};
  set(guest, CONTROL, &control, sizeof control);
  for (int calls = 1 + byte() % 3; calls > 0; calls--) {
    uint32_t message[6] = {ABI_CALL, ++last_call, 9, 3};
    memcpy(message + 4, byte() % 2 == 0 ? "pay{}" : "ask{}", 5);
    set(guest, OUTBOX + control.committed, message, sizeof message);
    control.committed += (uint32_t)sizeof message;
  }
  set(guest, CONTROL, &control, sizeof control);
  return ABI_IDLE;
}

void Z_guestZ_boot(Z_guest_instance_t *instance) {
  (void)instance;
}
uint32_t Z_guestZ_control(Z_guest_instance_t *instance) {
  (void)instance;
  return CONTROL;
}
uint32_t Z_guestZ_inbox(Z_guest_instance_t *instance, uint32_t size) {
  if (byte() % 8 == 0) act(instance);
  return byte() % 4 == 0 ? number(instance) : size < 32768 ? 65536 : 0;
}
uint32_t Z_guestZ_step(Z_guest_instance_t *instance) {
  abi_record record;
  memcpy(&record, instance->w2c_memory.data + 65536, sizeof record);
  asked = record.kind == ABI_FILE || record.kind == ABI_MOUNT ? record.id : 1u + byte() % 2;
  if (record.kind == ABI_MOUNT && byte() % 4 != 0) answer_file(instance, record.id, "");
  if (record.kind == ABI_STDIN && byte() % 4 == 0) { /* a run that says at once that it is done */
    static const char done[] = "{\"end\":\"done\"}\0";
    uint32_t message[7] = {ABI_DONE, record.id, 14};
    abi_control control = {.outbox = OUTBOX, .committed = sizeof message, .next_timer = INT64_MAX};
    memcpy(message + 3, done, 16);
    set(instance, OUTBOX, message, sizeof message);
    set(instance, CONTROL, &control, sizeof control);
    memset(instance->w2c_memory.data + 65536, 0, sizeof record);
  }
  if (record.kind == ABI_FILE && byte() % 2 == 0) {
    uint32_t operation;
    memcpy(&operation, instance->w2c_memory.data + 65536 + sizeof record, sizeof operation);
    answer_file(instance, record.id, lie_about(operation));
  }
  memcpy(&record, instance->w2c_memory.data + 65536, sizeof record);
  if (record.kind == 0 && byte() % 4 != 0) return ABI_IDLE; /* it has lied; that may be enough */
  if (byte() % 4 == 0) return call_honestly(instance);
  for (int actions = byte() % 12; actions > 0; actions--) act(instance);
  if (input >= input_end) { /* an attacker that has run out of ideas ends */
    while (byte() == 0 && instance->w2c_fuel > 0) instance->w2c_fuel--;
  }
  return word();
}

/* ---- the host ---- */

static cloche_engine *engine;

static void answer(cloche_sandbox *box, const cloche_event *event) {
  static const char *const answers[] = {"1", "{\"a\":[1,2]}", "nonsense", ""};
  const char *text = answers[byte() % 4];
  cloche_failure failure = {.message = {text, strlen(text)}};
  uint64_t id = byte() % 8 == 0 ? byte() : event->call;
  switch (byte() % 5) {
    case 0:
      cloche_resolve(box, id, (cloche_text){text, strlen(text)});
      break;
    case 1:
      cloche_reject(box, id, &failure);
      break;
    case 2:
      cloche_approve(box, id, NULL);
      break;
    case 3:
      cloche_deny(box, id, failure.message);
      break;
    default:
      break;
  }
}

static uint64_t sink;
static const char *made_folder;

/* Beside the folder that is mounted rw, and in the one that is mounted ro, everything is as it was.
 */
static void leave_folder(void) {
  char command[300];
  snprintf(command, sizeof command,
           "cd %s && test \"$(echo *)\" = 'before in out ro' && "
           "find out ro -printf '%%p %%y %%m %%n %%T@ %%s %%l\\n' | sort | cmp - before && "
           "test \"$(cat out/secret)\" = secret",
           made_folder);
  if (system(command) != 0) abort();
  snprintf(command, sizeof command, "rm -rf %s", made_folder);
  if (system(command) != 0) perror(made_folder);
}

static unsigned long answered; /* file operations that the attacker let through */
static void touch(cloche_text text) {
  for (size_t i = 0; i < text.len; i++) sink += (uint8_t)text.at[i];
}

static unsigned long calls, copies, returns;
static cloche_policy *policy;

/* The state at the first event of a run, to go back to. */
static const cloche_text first = {"first", 5};

/* Another sandbox from this one, or NULL: by a fork, or through bytes that may have been changed.
 */
static cloche_sandbox *copy(cloche_sandbox *box) {
  cloche_sandbox *other = NULL;
  char *bytes = NULL;
  size_t len = 0;
  if (byte() % 4 == 0) cloche_park(box);
  uint8_t how = byte();
  if (how % 4 == 2) {
    returns += cloche_rollback(box, first) == CLOCHE_OK;
  } else if (how % 2 == 0) {
    if (cloche_fork(box, (cloche_text){NULL, 0}, &other) != CLOCHE_OK) return NULL;
  } else if (cloche_snapshot(box, NULL, &bytes, &len) == CLOCHE_OK) {
    cloche_restore_options options = {.trusted = byte() % 2 == 0, .policy = policy};
    if (byte() % 8 == 0) bytes[word() % len] ^= (char)byte();
    if (cloche_restore(engine, (cloche_text){bytes, len}, &options, &other) != CLOCHE_OK)
      other = NULL;
    free(bytes);
  }
  copies += other != NULL;
  return other;
}

/* Steps to the run's end, with copies of it made while it waits. */
static void drive(cloche_sandbox *box, bool may_copy) {
  cloche_event event;
  int steps = 0;
  do {
    if (cloche_step(box, &event) != CLOCHE_OK) abort();
    touch(event.bytes);
    touch(event.method);
    touch(event.params);
    calls += event.kind == CLOCHE_CALL;
    if (may_copy && event.kind != CLOCHE_DONE && steps == 0) cloche_checkpoint(box, first);
    if (may_copy && event.kind != CLOCHE_DONE && byte() % 16 == 0) {
      cloche_sandbox *other = copy(box);
      if (other != NULL) drive(other, false);
      cloche_sandbox_free(other);
    }
    if (event.kind == CLOCHE_CALL || event.kind == CLOCHE_APPROVAL) answer(box, &event);
    if (event.kind == CLOCHE_WAIT || ++steps > 200) cloche_cancel(box);
  } while (event.kind != CLOCHE_DONE);
}

static void attack(cloche_sandbox *box) {
  cloche_program program = {.text = {"return 1", 8}, .language = byte() % 2};
  if (cloche_exec(box, &program) != CLOCHE_OK) return;
  drive(box, true);
  const cloche_result *result = cloche_sandbox_result(box);
  touch(result->value);
  touch(result->text);
  touch(result->error_message);
}

static unsigned long mounts, written;

static void count_written(cloche_sandbox *box) {
  const cloche_change *changes;
  size_t count;
  if (cloche_sandbox_changes(box, &changes, &count) != CLOCHE_OK) return;
  for (size_t i = 0; i < count; i++) written += changes[i].written;
}

static void mount_some(cloche_sandbox *box) {
  static char folder[] = "/tmp/cloche-evil-XXXXXX";
  static bool made;
  if (!made) {
    if (mkdtemp(folder) == NULL) abort();
    char command[400];
    snprintf(command, sizeof command,
             "cd %s && mkdir -p in/d out && echo secret > out/secret && cd in && echo hello > a && "
             "head -c 100000 /dev/zero > d/b && ln -s a l && ln -s ../out out && cd .. && "
             "cp -a in ro && find out ro -printf '%%p %%y %%m %%n %%T@ %%s %%l\\n' | sort > before",
             folder);
    if (system(command) != 0) abort();
    made = true;
    atexit(leave_folder);
    made_folder = folder;
  }
  static const cloche_text places[] = {{"/ro", 3}, {"/data", 5}};
  for (int writable = byte() % 4 == 0 ? 0 : 1; writable >= 0; writable--) {
    char inner[80];
    snprintf(inner, sizeof inner, "%s/%s", folder, writable ? "in" : "ro");
    cloche_mount mount = {.host = inner, .guest = places[writable], .writable = writable};
    mounts += cloche_sandbox_mount(box, &mount) == CLOCHE_OK;
  }
}

static void operate(cloche_sandbox *box) {
  static const cloche_text path = {"/workspace/a", 12};
  cloche_file *files = NULL;
  const cloche_change *changes;
  char *bytes = NULL;
  size_t count = 0;
  cloche_status status = CLOCHE_OK;
  switch (byte() % 6) {
    case 0:
      status = cloche_file_put(box, path, path);
      break;
    case 1:
      if ((status = cloche_file_get(box, path, &bytes, &count)) == CLOCHE_OK)
        touch((cloche_text){bytes, count});
      break;
    case 2:
      if ((status = cloche_file_stat(box, path, &files)) == CLOCHE_OK) touch(files->name);
      break;
    case 3:
      if ((status = cloche_file_list(box, path, &files, &count)) == CLOCHE_OK)
        for (size_t i = 0; i < count; i++) touch(files[i].name);
      break;
    case 4:
      status = cloche_file_import(box, path, path);
      break;
    default:
      if ((status = cloche_sandbox_changes(box, &changes, &count)) == CLOCHE_OK)
        for (size_t i = 0; i < count; i++) touch(changes[i].path);
      break;
  }
  if (status == CLOCHE_OK) answered++;
  free(files);
  free(bytes);
}

static cloche_ledger *ledger;
static bool discard(void *self, const char *line, size_t len) {
  (void)self;
  touch((cloche_text){line, len});
  return true;
}

static void start(void) {
  static const char rules[] =
      "{\"rules\":[{\"pattern\":\"pay\",\"effect\":\"allow\",\"max_calls\":5},"
      "{\"pattern\":\"ask\",\"effect\":\"ask\"}]}";
  cloche_ledger_sink sink = {.write = discard};
  if (cloche_engine_new(NULL, &engine) != CLOCHE_OK ||
      cloche_policy_load((cloche_text){rules, sizeof rules - 1}, (cloche_text){NULL, 0}, &policy,
                         NULL) != CLOCHE_OK ||
      cloche_ledger_new(&sink, NULL, &ledger) != CLOCHE_OK)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (engine == NULL) start();
  input = data;
  input_end = data + size;
  asked = last_call = 0; /* an input does the same whatever came before */
  static const uint8_t seed[32];
  cloche_sandbox_options options = {.seed = seed,
                                    .policy = byte() % 8 != 0 ? policy : NULL,
                                    .ledger = byte() % 8 == 0 ? ledger : NULL,
                                    .limits = {.memory = 1 << 20,
                                               .timeout = 50000000,
                                               .output = 1 + byte(),
                                               .calls = 8,
                                               .in_flight = 4,
                                               .fuel = 3000000}};
  cloche_sandbox *box;
  if (cloche_sandbox_new(engine, &options, &box) != CLOCHE_OK) abort();
  for (int runs = 1 + byte() % 3; runs > 0; runs--) {
    if (byte() % 2 == 0) mount_some(box);
    if (byte() % 2 == 0) operate(box);
    attack(box);
    count_written(box);
    if (byte() % 2 == 0) operate(box);
  }
  cloche_sandbox_free(box);
  return 0;
}

#ifndef CLOCHE_FUZZ_TARGET
static uint64_t state;
static uint8_t random_byte(void) { /* xorshift64*, Vigna 2014 */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint8_t)(state * 2685821657736338717u >> 56);
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  static uint8_t data[400];
  for (long i = 0; i < count; i++) {
    state = seed + (uint64_t)i * 0x9e3779b97f4a7c15u + 1;
    for (size_t k = 0; k < sizeof data; k++) data[k] = random_byte();
    LLVMFuzzerTestOneInput(data, 40 + random_byte() + (size_t)(random_byte() & 63));
  }
  cloche_ledger_free(ledger);
  cloche_policy_free(policy);
  cloche_engine_free(engine);
  printf(
      "%ld attacks, the host answered each with an error at most; %lu answers taken, %lu mounts, "
      "%lu files written, %lu calls handed out, %lu copies, %lu returns to a checkpoint\n",
      count, answered, mounts, written, calls, copies, returns);
  /* What it cannot reach any more it does not test. */
  bool reached =
      answered > 0 && mounts > 0 && written > 0 && calls > 0 && copies > 0 && returns > 0;
  return count < 20000 || reached ? 0 : 1;
}
#endif
