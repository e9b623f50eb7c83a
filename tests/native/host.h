// SPDX-License-Identifier: MIT
/* host.h -- the host of a native guest: what src/sandbox is to the wasm one, for tests and fuzzing.
 *
 * There is one guest in the process, so this has no handle. Virtual time starts at HOST_EPOCH, and
 * jumps to the next timer whenever only timers are left. */
#ifndef TESTS_NATIVE_HOST_H
#define TESTS_NATIVE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../abi/messages.h"

#define HOST_EPOCH INT64_C(1767225600000000000) /* 2026-01-01T00:00:00Z in ns */

typedef struct {
  /* A record of the guest's. Calls are answered with host_answer, at once or later. NULL: output
   * goes to the descriptors 1 and 2, calls to host_default_call. */
  void (*record)(uint32_t kind, uint32_t id, const uint8_t *bytes, uint32_t size);
} host_hooks;

/* Boots the guest; once per process. */
void host_boot(const host_hooks *hooks);
/* Adds a record to the next batch. */
void host_send(uint32_t kind, uint32_t id, const void *bytes, size_t size);
/* Delivers the batch and lets the guest run until it waits, once. */
void host_step(void);
/* Steps until run `id` is done; jumps over time that only timers need. False when it waits for
 * calls that nobody answers. */
bool host_run(uint32_t id);
/* The last ABI_DONE, NUL-terminated; NULL when there was none. Stays until the next one. */
const char *host_done(size_t *size);
/* The last ABI_FILED's errno, and its answer. */
int host_filed(const uint8_t **bytes, size_t *size);
/* Asks the guest to end what runs, or takes that back. */
void host_interrupt(bool on);
/* When the batch is delivered, at this call of refuel, interrupt; 0: never. For loops without end.
 */
void host_interrupt_after(uint64_t refuels);

void host_answer(uint32_t call, bool failed, const char *json, size_t size);
/* Sets what tools answer: a JSON object {"name": result} or {"name": {"$error": failure}}. Without
 * an entry a tool answers {"tool": name, "args": arguments}; test/fail and test/deny fail;
 * test/slow takes a virtual second; test/never does not answer. False when it is no JSON object. */
bool host_set_answers(const char *json, size_t size);
void host_default_call(uint32_t call, const uint8_t *bytes, uint32_t size);

/* A node of guest/kernel/document.h as JSON again; the caller frees it. */
struct document_node;
char *host_json(const struct document_node *node);

/* The definitions of the tools that host_default_call knows by itself. */
extern const char host_test_tools[];

/* The answer to an ABI_FILE_DIFF without modes and times, which are taken out where it lies. */
char *host_plain_diff(char *diff);

#endif
