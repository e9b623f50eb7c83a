// SPDX-License-Identifier: MIT
/* run.c -- one program from its text to its result.
 *
 * The process waits only here, with no engine frame on the stack: jobs are drained, then due timers
 * run one by one (with a drain after each), then the next event is waited for. The run ends when
 * the program's promise has settled and no job or callback of `fs` is left; timers and calls that
 * remain are dropped.
 *
 * An interrupt is sticky. The engine lets a program catch it in places, so once it is seen no job,
 * timer or handler runs any more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../abi/messages.h"
#include "../kernel/kernel.h"
#include "json.h"
#include "run.h"

typedef struct {
  JSValue promise, reason;
} rejection;

/* Rejected promises that nothing handles so far; asked when the jobs are drained. The first few
 * need no memory: what they say is most often that there is none left. */
enum { FEW = 8 };
static rejection few[FEW], *unhandled = few;
static size_t unhandled_count, unhandled_room = FEW;
static bool unhandled_lost; /* there was no room for another */

static bool grow_unhandled(void) {
  size_t room = unhandled_room * 2;
  rejection *grown =
      js_realloc_rt(machine.runtime, unhandled == few ? NULL : unhandled, room * sizeof *grown);
  if (grown == NULL) return false;
  if (unhandled == few) memcpy(grown, few, sizeof few);
  unhandled = grown;
  unhandled_room = room;
  return true;
}

void run_reject_tracked(JSContext *realm, JSValueConst promise, JSValueConst reason,
                        bool is_handled, void *opaque) {
  (void)opaque;
  if (is_handled) {
    for (size_t i = 0; i < unhandled_count; i++) {
      if (JS_VALUE_GET_PTR(unhandled[i].promise) != JS_VALUE_GET_PTR(promise)) continue;
      JS_FreeValue(realm, unhandled[i].promise);
      JS_FreeValue(realm, unhandled[i].reason);
      memmove(&unhandled[i], &unhandled[i + 1], (--unhandled_count - i) * sizeof *unhandled);
      return;
    }
    return;
  }
  if (unhandled_count == unhandled_room && !grow_unhandled()) {
    unhandled_lost = true;
    return;
  }
  unhandled[unhandled_count++] =
      (rejection){JS_DupValue(realm, promise), JS_DupValue(realm, reason)};
}

static void drop_rejections(void) {
  while (unhandled_count > 0) {
    rejection *old = &unhandled[--unhandled_count];
    JS_FreeValueRT(machine.runtime, old->promise);
    JS_FreeValueRT(machine.runtime, old->reason);
  }
  if (unhandled != few) {
    js_free_rt(machine.runtime, unhandled);
    unhandled = few;
    unhandled_room = FEW;
  }
  unhandled_lost = false;
}

/* Ends the run with the exception that is pending. */
static void end_with_pending(run *r) {
  r->error = JS_GetException(machine.realm);
  r->end = errors_end(r->error);
}

/* process.exit(): the rest of the run is skipped, like after an interrupt. */
static bool has_exited;
static int exit_status;
static JSValue exit_error; /* of an exit with a status that is not 0 */

int run_exit_status(void) {
  return has_exited ? exit_status : -1;
}

JSValue run_exit(JSContext *realm, int status) {
  JSValue error = JS_NewPlainError(realm, "the program called process.exit(%d)", status);
  if (JS_IsException(error)) return error;
  if (!has_exited && status != 0) exit_error = JS_DupValue(realm, error);
  if (!has_exited) exit_status = status;
  has_exited = true;
  JS_SetUncatchableError(realm, error);
  return JS_Throw(realm, error);
}

static bool is_interrupted(run *r) {
  if (has_exited) {
    r->end = JS_IsUndefined(exit_error) ? "done" : "exception";
    JS_FreeValue(machine.realm, r->error);
    r->error = JS_DupValue(machine.realm, exit_error);
    return true;
  }
  if (!kernel_interrupted()) return false;
  r->end = "interrupted"; /* whatever else happened: the host alone says why */
  return true;
}

static void end_with_rejection(run *r) {
  for (size_t i = 0; i < unhandled_count; i++) {
    if (JS_VALUE_GET_PTR(unhandled[i].promise) == JS_VALUE_GET_PTR(r->promise)) continue;
    r->error = JS_DupValue(machine.realm, unhandled[i].reason);
    r->end = errors_end(r->error);
    r->is_unhandled = true;
    return;
  }
  if (unhandled_lost) {
    JS_ThrowOutOfMemory(machine.realm);
    end_with_pending(r);
  }
}

static void drain_jobs(run *r) {
  JSContext *realm;
  int status;
  while ((status = JS_ExecutePendingJob(machine.runtime, &realm)) != 0) {
    if (is_interrupted(r)) return;
    if (status < 0) {
      end_with_pending(r);
      return;
    }
  }
}

static bool is_settled(run *r) {
  return JS_IsUndefined(r->promise) ||
         JS_PromiseState(machine.realm, r->promise) != JS_PROMISE_PENDING;
}

static bool is_pending(void) {
  return timers_next() != INT64_MAX || tools_pending() > 0 || commands_pending();
}

/* Callbacks of `fs` are called before a run ends: what they answer has been done. */
static bool waits_for_more(const run *r) {
  return timers_hold() || (r->waits_for_all && is_pending());
}

/* Nothing can happen any more and the program still waits: say where. */
static void end_with_deadlock(run *r) {
  JSContext *realm = machine.realm;
  JSValue frames = engine_waiting_frames(realm, r->activation);
  JSValue error = JS_NewPlainError(
      realm,
      "the program waits for a promise that nothing can settle: no call, timer or command is "
      "pending");
  engine_set_frames(realm, error, frames);
  r->error = error;
  r->end = "exception";
}

/* Another process may use the engine until this is called again. No job is left then, and no
 * rejection: nothing else of a run is in globals. */
static void exchange(engine_state *state) {
  timers_exchange(&state->timers);
  tools_exchange(&state->tools);
  commands_exchange(&state->commands);
  js_output_exchange(&state->output);
  engine_exchange_program(&state->program);
}

static void wait_for_event(run *r) {
  process_event event = {0};
  engine_state state = {0};
  int64_t until = timers_next();
  exchange(&state);
  if (r->process != NULL) process_exchange(r->process);
  js_output_flush(&state.output);
  int status = process_next_event(&event, until);
  if (r->process != NULL) process_exchange(r->process);
  exchange(&state);
  js_output_free(&state.output);
  engine_enter(machine.runtime, r->stack);
  if (is_interrupted(r)) {
    free(event.json);
  } else if (status == -EDEADLK) {
    end_with_deadlock(r);
  } else if (status < 0) {
    r->end = "interrupted";
  } else if (event.kind == EVENT_ANSWER || event.kind == EVENT_FAILURE) {
    tools_settle(event.id, event.kind == EVENT_FAILURE, event.json, event.size);
  } else if (event.kind == EVENT_CHILD) {
    commands_settle((int)event.id, event.status);
  }
}

static void go_on(run *r) {
  while (r->end == NULL && !is_interrupted(r)) {
    drain_jobs(r);
    if (r->end != NULL) return;
    if (unhandled_count > 0) end_with_rejection(r);
    if (r->end != NULL || (is_settled(r) && !waits_for_more(r))) return;
    int ran = timers_run_due();
    if (ran < 0) {
      if (!is_interrupted(r)) end_with_pending(r);
    } else if (ran == 0) {
      wait_for_event(r);
    }
  }
}

/* The pending exception comes from compiling or linking. */
static void end_with_syntax(run *r) {
  end_with_pending(r);
  if (engine_is_syntax_error(machine.realm, r->error)) r->end = "syntax";
}

/* The default export of the module that the program became. */
static JSValue program_of_module(run *r, JSValue module) {
  JSContext *realm = machine.realm;
  JSModuleDef *definition = JS_VALUE_GET_PTR(module);
  JSValue evaluated = JS_EvalFunction(realm, module);
  if (JS_IsException(evaluated)) { /* an import that names what is not exported */
    end_with_syntax(r);
    return JS_UNDEFINED;
  }
  run waiting = run_of(r->name, r->text, r->size, r->stack);
  waiting.promise = evaluated;
  waiting.process = r->process;
  go_on(&waiting); /* imported modules may await */
  JSValue program = JS_UNDEFINED;
  if (waiting.end != NULL) {
    r->end = waiting.end;
    r->error = waiting.error;
  } else if (JS_PromiseState(realm, evaluated) == JS_PROMISE_REJECTED) {
    r->error = JS_PromiseResult(realm, evaluated);
    r->end = errors_end(r->error);
  } else {
    JSValue exports = JS_GetModuleNamespace(realm, definition);
    program = JS_GetPropertyStr(realm, exports, "default");
    JS_FreeValue(realm, exports);
  }
  JS_FreeValue(realm, evaluated);
  return program;
}

/* Waits for a value as `await` would: it may be a promise or anything with a `then`. Takes it. */
static void wait_for(run *r, JSValue value) {
  JSContext *realm = machine.realm;
  JS_FreeValue(realm, r->promise);
  r->promise = JS_UNDEFINED;
  if (!JS_IsObject(value)) {
    r->value = value;
    return;
  }
  JSValue functions[2];
  JSValue promise = JS_NewPromiseCapability(realm, functions);
  if (JS_IsException(promise)) {
    end_with_pending(r);
  } else {
    r->promise = promise;
    JSValue result = JS_Call(realm, functions[0], JS_UNDEFINED, 1, (JSValueConst *)&value);
    JS_FreeValue(realm, result);
    JS_FreeValue(realm, functions[0]);
    JS_FreeValue(realm, functions[1]);
  }
  JS_FreeValue(realm, value);
}

/* Calls the program's function, takes it. */
static void call(run *r, JSValue function) {
  JSContext *realm = machine.realm;
  JSValue result = r->program.is_async ? engine_start(realm, function, &r->activation)
                                       : JS_Call(realm, function, JS_UNDEFINED, 0, NULL);
  JS_FreeValue(realm, function);
  if (JS_IsException(result))
    end_with_pending(r);
  else if (r->program.is_async)
    r->promise = result;
  else
    wait_for(r, result);
}

static void start(run *r) {
  JSContext *realm = machine.realm;
  JSValue function = engine_compile(realm, r->text, r->size, r->name, &r->program);
  if (JS_IsException(function)) {
    end_with_syntax(r);
    return;
  }
  if (r->program.is_module) function = program_of_module(r, function);
  if (r->end == NULL) call(r, function);
}

/* The value of what was waited for, or the end that its rejection is. */
static JSValue take_value(run *r) {
  JSContext *realm = machine.realm;
  JSValue value = r->value;
  r->value = JS_UNDEFINED;
  if (JS_IsUndefined(r->promise)) return value;
  JSValue result = JS_PromiseResult(realm, r->promise);
  if (JS_PromiseState(realm, r->promise) != JS_PROMISE_REJECTED) return result;
  r->error = result;
  r->end = errors_end(result);
  return JS_UNDEFINED;
}

/* The program's value: when the whole program is a function, what that gives. */
static JSValue finish(run *r) {
  JSContext *realm = machine.realm;
  JSValue value = r->end == NULL ? take_value(r) : JS_UNDEFINED;
  if (r->end == NULL && !r->waits_for_all && r->program.is_value && JS_IsFunction(realm, value)) {
    r->program.is_async = false;
    call(r, value);
    go_on(r);
    value = r->end == NULL ? take_value(r) : JS_UNDEFINED;
  }
  if (!r->program.is_waited || r->waits_for_all) return value;
  JS_FreeValue(realm, value);
  return JS_UNDEFINED;
}

static void write_value(run *r, JSValueConst value, buffer *to) {
  JSContext *realm = machine.realm;
  if (JS_IsUndefined(value)) return;
  buffer json = {0};
  json_status status = js_json_write(realm, value, JSON_RESULT, &json);
  if (status == JSON_EXCEPTION) {
    end_with_pending(r);
  } else if (status == JSON_WRITTEN) {
    buffer_text(to, ",\"value\":");
    buffer_put(to, json.at, json.size);
  } else {
    JSValue text = console_inspect(value);
    size_t size;
    const char *shown = JS_IsException(text) ? NULL : JS_ToCStringLen(realm, &size, text);
    if (shown == NULL) {
      end_with_pending(r);
    } else {
      buffer_text(to, ",\"text\":");
      buffer_json_string(to, shown, size);
      JS_FreeCString(realm, shown);
    }
    JS_FreeValue(realm, text);
  }
  buffer_free(&json);
}

static void drop_pending(void) {
  engine_drop_jobs(machine.runtime);
  timers_drop();
  tools_drop();
  commands_drop();
  drop_rejections();
}

void run_clean_up(run *r) {
  drop_pending();
  engine_retire_modules(machine.realm);
  JS_FreeValue(machine.realm, r->promise);
  JS_FreeValue(machine.realm, r->value);
  r->promise = r->value = JS_UNDEFINED;
  engine_release(machine.realm, r->activation);
  console_reset();
}

static void add_error(run *r, buffer *to) {
  if (strcmp(r->end, "interrupted") == 0) return;
  error_context context = {r->end, r->name, r->text, r->size, r->is_unhandled};
  buffer_text(to, ",\"error\":");
  errors_describe(r->error, &context, to);
}

static void report(run *r, buffer *value) {
  buffer done = {0};
  buffer_text(&done, "{\"end\":\"");
  buffer_text(&done, r->end);
  buffer_char(&done, '"');
  if (strcmp(r->end, "done") == 0)
    buffer_put(&done, value->at, value->size);
  else
    add_error(r, &done);
  buffer_char(&done, '}');
  static const char no_memory[] =
      "{\"end\":\"limit.memory\",\"error\":{\"kind\":\"limit.memory\",\"name\":\"InternalError\","
      "\"message\":\"out of memory\"}}";
  if (done.failed || value->failed)
    process_set_result(no_memory, sizeof no_memory - 1);
  else
    process_set_result(done.at, done.size);
  buffer_free(&done);
}

void run_read_input_ahead(void) {
  file_stat stat;
  if (sys_fstat(0, &stat) != 0 || stat.kind != FILE_PIPE) return;
  buffer input = {0};
  int64_t count = 0;
  while (buffer_reserve(&input, 65536) && (count = sys_read(0, input.at + input.size, 65536)) > 0)
    input.size += (size_t)count;
  int file = sys_memory_file(input.at, input.size);
  buffer_free(&input);
  if (file < 0) return;
  sys_dup2(file, 0);
  sys_close(file);
}

run run_of(const char *name, const char *text, size_t size, size_t stack) {
  return (run){.name = name,
               .text = text,
               .size = size,
               .stack = stack,
               .promise = JS_UNDEFINED,
               .value = JS_UNDEFINED,
               .error = JS_UNDEFINED};
}

void run_go(run *r) {
  r->adjusted = source_adjusted(&r->text, &r->size);
  has_exited = false;
  exit_error = JS_UNDEFINED;
  engine_enter(machine.runtime, r->stack);
  natives_reset();
  start(r);
  go_on(r);
  JSValue value = finish(r);
  JS_FreeValue(machine.realm, r->value);
  r->value = value;
}

void run_close(run *r) {
  is_interrupted(r);
  if (r->end == NULL) r->end = "done";
}

void run_free(run *r) {
  drop_pending(); /* what getters of the error started */
  JS_FreeValue(machine.realm, r->error);
  JS_FreeValue(machine.realm, exit_error);
  has_exited = false;
  exit_error = JS_UNDEFINED;
  engine_forget_program();
  free(r->adjusted);
  engine_state state = {0};
  exchange(&state);
  js_output_flush(&state.output);
  js_output_free(&state.output);
}

int js_process_entry(void *context) {
  const run_program *program = context;
  run r = run_of(PROGRAM_NAME, program->text, program->size, kernel_limits()->stack);
  run_read_input_ahead();
  run_go(&r);
  buffer written = {0};
  if (r.end == NULL) write_value(&r, r.value, &written);
  run_close(&r);
  const char *end = r.end;
  run_clean_up(&r);
  report(&r, &written);
  buffer_free(&written);
  run_free(&r);
  return strcmp(end, "done") == 0 ? 0 : 1;
}
