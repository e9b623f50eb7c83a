// SPDX-License-Identifier: MIT
/* addon.c -- the library inside Node: guests that trap, and somebody else's handler for faults.
 *
 * Node-API's ABI does not change, so the little of it that is used here is declared here; Node
 * itself brings the functions. The guest is the puppet of tests/guest: "v" returns, "w4000000000"
 * writes outside its memory, "d" goes too deep. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "cloche.h"

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
int napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *, void **);
int napi_get_value_string_utf8(napi_env, napi_value, char *, size_t, size_t *);
int napi_create_string_utf8(napi_env, const char *, size_t, napi_value *);
int napi_create_int32(napi_env, int32_t, napi_value *);
int napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
int napi_set_named_property(napi_env, napi_value, const char *, napi_value);

/* run(text): how the program ended. */
static napi_value run(napi_env env, napi_callback_info info) {
  static cloche_engine *engine;
  char text[64] = "", end[64] = "no sandbox";
  size_t count = 1, len = 0;
  napi_value argument, result;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  napi_get_value_string_utf8(env, argument, text, sizeof text, &len);
  cloche_sandbox *box = NULL;
  cloche_program program = {.text = {text, len}};
  cloche_event event = {0};
  if ((engine != NULL || cloche_engine_new(NULL, &engine) == CLOCHE_OK) &&
      cloche_sandbox_new(engine, NULL, &box) == CLOCHE_OK &&
      cloche_exec(box, &program) == CLOCHE_OK) {
    while (event.kind != CLOCHE_DONE && cloche_step(box, &event) == CLOCHE_OK) continue;
    strcpy(end, cloche_end_text(cloche_sandbox_result(box)->end));
  }
  cloche_sandbox_free(box);
  napi_create_string_utf8(env, end, strlen(end), &result);
  return result;
}

static sigjmp_buf back;
static volatile sig_atomic_t seen;

/* Calls nobody else, and takes every fault for its own. */
static void take_fault(int number) {
  (void)number;
  seen++;
  siglongjmp(back, 1);
}

/* install(): a handler over whatever is there. */
static napi_value install(napi_env env, napi_callback_info info) {
  (void)env, (void)info;
  struct sigaction action = {.sa_handler = take_fault, .sa_flags = SA_NODEFER | SA_ONSTACK};
  sigaction(SIGSEGV, &action, NULL);
  return NULL;
}

/* fault(): how many faults that handler has had after one that is nobody's. */
static napi_value fault(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value result;
  char *volatile nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (nowhere != MAP_FAILED && sigsetjmp(back, 1) == 0) *nowhere = 1;
  napi_create_int32(env, seen, &result);
  return result;
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env,
                                                                          napi_value exports);
napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  static const struct {
    const char *name;
    napi_callback function;
  } all[] = {{"run", run}, {"install", install}, {"fault", fault}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    napi_value function;
    napi_create_function(env, all[i].name, strlen(all[i].name), all[i].function, NULL, &function);
    napi_set_named_property(env, exports, all[i].name, function);
  }
  return exports;
}
