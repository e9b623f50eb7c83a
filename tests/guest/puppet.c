// SPDX-License-Identifier: MIT
/* puppet.c -- a guest without a kernel or an engine: it does what its program's letters say.
 *
 * Tests of src/sandbox use it, because it can do what an honest guest never does and builds in
 * seconds. A program is a list of commands, one letter each, some followed by a number:
 *   o TEXT;   output        c TEXT;   call tool TEXT with {}     v       DONE with value 1
 *   l         loop for ever L N       loop N times               t       trap
 *   g N       grow N pages  w A       write a byte at address A  r A     output the byte at A
 *   k N       DONE id N     x N       an outbox of N bytes       z       divide by zero
 *   d         recurse for ever        q N     a record of kind N p A     outbox at address A
 *   i A       the inbox will be at address A                     n       nothing: wait
 *   s N       timer at N ns from now  j       unknown function through a pointer
 *   f TEXT;   FILED with TEXT         F N     FILED with errno N             y TEXT;  FILE_BYTES
 *   e N       another id in FILED     Y N     N FILE_BYTES of 16 KiB
 *   m N       fetch source N: its bytes, or E and the errno, are output     M N     likewise a list
 *   a N       fetch to address N      b N     answers to address N           u N     as mount N
 *   h N       fetch N bytes at most
 * An ABI_FILE is answered by what its path says from the second letter on. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "messages.h"

#define EXPORT(name) __attribute__((export_name(#name), used, noinline))
__attribute__((import_module("cloche"), import_name("refuel"))) void refuel(void);

static abi_control control_block = {.next_timer = INT64_MAX};
static uint8_t outbox[1 << 17], inbox_room[1 << 20];
static uint32_t inbox_size, inbox_address, run;
static volatile int64_t unread;

EXPORT(meter_fuel) int64_t meter_fuel(void) {
  return unread;
}
EXPORT(control) uint32_t control(void) {
  return (uint32_t)(uintptr_t)&control_block;
}
void __wasm_call_ctors(void); /* see guest/kernel/inbox.c */
EXPORT(boot) void boot(void) {
  __wasm_call_ctors();
  control_block.outbox = (uint32_t)(uintptr_t)outbox;
  unread = 0;
}
EXPORT(inbox) uint32_t inbox(uint32_t size) {
  inbox_size = size;
  if (inbox_address != 0) return inbox_address;
  return size <= sizeof inbox_room ? (uint32_t)(uintptr_t)inbox_room : 0;
}

static void send(uint32_t kind, uint32_t id, const void *bytes, uint32_t size) {
  if (control_block.taken == control_block.committed)
    control_block.taken = control_block.committed = 0;
  uint32_t at = control_block.committed;
  abi_record record = {.kind = kind, .id = id, .size = size};
  if (at + sizeof record + size + 4 > sizeof outbox) return;
  memcpy(outbox + at, &record, sizeof record);
  memcpy(outbox + at + sizeof record, bytes, size);
  control_block.committed = at + (uint32_t)sizeof record + ((size + 3) & ~3u);
  if (control_block.committed > ABI_OUTBOX_BYTES) refuel();
}

static void call(const char *name, uint32_t length) {
  static uint32_t next;
  uint8_t bytes[300];
  memcpy(bytes, &length, 4);
  memcpy(bytes + 4, name, length);
  memcpy(bytes + 4 + length, "{}", 2);
  send(ABI_CALL, ++next, bytes, length + 6);
}

static uint32_t number(const char **at) {
  uint32_t value = 0;
  while (**at >= '0' && **at <= '9') value = value * 10 + (uint32_t)(*(*at)++ - '0');
  return value;
}

static volatile uint32_t zero;
static int deep(volatile char *above) {
  volatile char here[64];
  here[0] = above[0];
  return zero != 0 ? 0 : deep(here) + here[0];
}

static void loop(uint32_t times) {
  for (volatile uint32_t i = 0; i < times; i++) continue;
}

static uint32_t operation; /* the ABI_FILE's id */

static void filed(int32_t error, const char *text, uint32_t length) {
  static uint8_t bytes[5000];
  memcpy(bytes, &error, 4);
  memcpy(bytes + 4, text, length);
  send(ABI_FILED, operation, bytes, length + 4);
}

static void say(char command, const char *text, uint32_t length) {
  if (command == 'o') send(ABI_STDOUT, run, text, length);
  if (command == 'c') call(text, length);
  if (command == 'f') filed(0, text, length);
  if (command == 'y') send(ABI_FILE_BYTES, operation, text, length);
}

static uint8_t fetch_room[32768];
static abi_fetched fetched;
static uint32_t fetch_buffer, fetch_answer, fetch_capacity, fetch_mount;

static void fetch(uint32_t kind, uint32_t source) {
  abi_fetch wanted = {.operation = kind,
                      .source = source,
                      .buffer = fetch_buffer,
                      .capacity = fetch_capacity,
                      .answer = fetch_answer};
  memset(&fetched, 0, sizeof fetched);
  send(ABI_FETCH, fetch_mount, &wanted, sizeof wanted);
  refuel();
  if (fetched.done && fetched.error == 0) send(ABI_STDOUT, run, fetch_room, fetched.size);
  if (fetched.error != 0) {
    char text[3] = {'E', (char)('0' + fetched.error / 10), (char)('0' + fetched.error % 10)};
    send(ABI_STDOUT, run, text, 3);
  }
}

static bool obey(const char *at, const char *end) {
  while (at < end) {
    char command = *at++;
    const char *text = at;
    if (command == 'o' || command == 'c' || command == 'f' || command == 'y') {
      while (at < end && *at != ';') at++;
      say(command, text, (uint32_t)(at - text));
      at++;
      continue;
    }
    uint32_t n = number(&at);
    switch (command) {
      case 'l':
        for (;;) loop(1);
        break;
      case 'L':
        loop(n);
        break;
      case 't':
        __builtin_trap();
        break;
      case 'g':
        __builtin_wasm_memory_grow(0, n);
        break;
      case 'w':
        *(volatile uint8_t *)(uintptr_t)n = 1;
        break;
      case 'r':
        send(ABI_STDOUT, run, (const uint8_t *)(uintptr_t)n, 1);
        break;
      case 'v':
        send(ABI_DONE, run, "{\"end\":\"done\",\"value\":1}", 24);
        return true;
      case 'k':
        send(ABI_DONE, n, "{\"end\":\"done\"}", 14);
        break;
      case 'x':
        control_block.committed = n;
        return true;
      case 'p':
        control_block.outbox = n;
        control_block.committed = 64;
        return true;
      case 'i':
        inbox_address = n;
        break;
      case 'q':
        send(n, 0, "", 0);
        break;
      case 'z':
        zero = 7 / zero;
        break;
      case 'j':
        ((void (*)(int, int, int))(uintptr_t)(zero + 1))(1, 2, 3);
        break;
      case 'd': {
        volatile char start[1] = {0};
        deep(start);
      } break;
      case 's':
        control_block.next_timer = control_block.clock + n;
        break;
      case 'm':
        fetch(ABI_FETCH_READ, n);
        break;
      case 'M':
        fetch(ABI_FETCH_LIST, n);
        break;
      case 'a':
        fetch_buffer = n;
        break;
      case 'b':
        fetch_answer = n;
        break;
      case 'u':
        fetch_mount = n;
        break;
      case 'h':
        fetch_capacity = n;
        break;
      case 'F':
        filed((int32_t)n, "", 0);
        break;
      case 'e':
        operation = n;
        break;
      case 'Y':
        while (n-- > 0) send(ABI_FILE_BYTES, operation, inbox_room, 16384);
        break;
      case 'n':
        return true;
      default:
        break;
    }
  }
  return true;
}

EXPORT(step) uint32_t step(void) {
  const uint8_t *at = inbox_room, *end = inbox_room + inbox_size;
  inbox_size = 0;
  while (at < end) {
    abi_record record;
    memcpy(&record, at, sizeof record);
    const char *bytes = (const char *)at + sizeof record;
    at += sizeof record + ((record.size + 3) & ~3u);
    if (record.kind == ABI_RUN_JS) {
      run = record.id;
      fetch_buffer = (uint32_t)(uintptr_t)fetch_room;
      fetch_answer = (uint32_t)(uintptr_t)&fetched;
      fetch_capacity = sizeof fetch_room;
      fetch_mount = 1;
      obey(bytes, bytes + record.size);
    } else if (record.kind == ABI_MOUNT) {
      operation = record.id;
      filed(0, "", 0);
    } else if (record.kind == ABI_FILE) {
      uint32_t head[2];
      memcpy(head, bytes, sizeof head);
      operation = record.id;
      obey(bytes + sizeof head + 1, bytes + sizeof head + head[1]);
    } else if (record.kind == ABI_RESULT || record.kind == ABI_FAILURE) {
      send(ABI_STDOUT, run, bytes, record.size);
      send(ABI_DONE, run, "{\"end\":\"done\"}", 14);
    }
  }
  if (control_block.next_timer != INT64_MAX) {
    control_block.next_timer = INT64_MAX;
    send(ABI_DONE, run, "{\"end\":\"done\",\"text\":\"timer\"}", 29);
  }
  return ABI_IDLE;
}
