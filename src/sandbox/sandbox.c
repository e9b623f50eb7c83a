// SPDX-License-Identifier: MIT
/* sandbox.c -- makes a sandbox, starts a run, steps it, ends it. */
#define _GNU_SOURCE
#include "sandbox/sandbox.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "limits.h"
#include "sandbox/park.h"
#include "sandbox/tools.h"
#include "sandbox/trap.h"

static _Thread_local char make_message[256];

void cloche__sandbox_complain(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(make_message, sizeof make_message, format, args);
  va_end(args);
}

int64_t cloche__real_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- making ---- */

cloche_limits cloche_limits_default(void) {
  return (cloche_limits){.timeout = 10000000000,
                         .total_timeout = 300000000000,
                         .fuel = UINT64_MAX,
                         .memory = 64u << 20,
                         .stack = 1u << 20,
                         .output = 1u << 20,
                         .calls = 1000,
                         .in_flight = 32,
                         .argument = 1u << 20,
                         .result = 8u << 20,
                         .files = 10000,
                         .file_bytes = UINT64_MAX};
}

static cloche_limits limits_with_defaults(cloche_limits limits) {
  cloche_limits plain = cloche_limits_default();
#define DEFAULT(field) \
  if (limits.field == 0) limits.field = plain.field
  DEFAULT(timeout);
  DEFAULT(total_timeout);
  DEFAULT(fuel);
  DEFAULT(memory);
  DEFAULT(stack);
  DEFAULT(output);
  DEFAULT(calls);
  DEFAULT(in_flight);
  DEFAULT(argument);
  DEFAULT(result);
  DEFAULT(files);
  DEFAULT(file_bytes);
#undef DEFAULT
  return limits;
}

static uint32_t cut(uint64_t value) {
  return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void add_limits(cloche_sandbox *box) {
  const cloche_limits *limits = &box->limits;
  abi_limits told = {.files = cut(limits->files),
                     .file_bytes = cut(limits->file_bytes),
                     .in_flight = cut(limits->in_flight),
                     .argument = cut(limits->argument),
                     .stack = cut(limits->stack)};
  cloche__inbox_add(&box->setup, ABI_LIMITS, 0, &told, sizeof told);
}

/* What the program may know of its tools. */
static cloche_status add_tools(cloche_sandbox *box, const cloche_sandbox_options *options) {
  char *shown = NULL;
  cloche_text tools = options->tools;
  if (options->policy != NULL) {
    cloche_status status = cloche_policy_tools(options->policy, tools, &shown, &tools.len);
    if (status != CLOCHE_OK) return status;
    tools.at = shown;
  }
  cloche__inbox_add(&box->setup, ABI_TOOLS, 0, tools.at, tools.len);
  free(shown);
  return CLOCHE_OK;
}

static cloche_status add_setup(cloche_sandbox *box, const cloche_sandbox_options *options) {
  uint8_t drawn[sizeof box->id + sizeof box->seed]; /* at once: it is a system call */
  if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn) return CLOCHE_E_SYSTEM;
  memcpy(box->id, drawn, sizeof box->id);
  memcpy(box->seed, options->seed != NULL ? options->seed : drawn + sizeof box->id,
         sizeof box->seed);
  static const char environment[] = "HOME=/workspace\0PATH=/usr/bin:/bin\0LANG=C.UTF-8";
  add_limits(box);
  cloche__inbox_add(&box->setup, ABI_ENVIRON, 0, environment, sizeof environment);
  cloche__inbox_add(&box->setup, ABI_SEED, 0, box->seed, sizeof box->seed);
  cloche_status status = cloche__tools_check(options->tools, make_message, sizeof make_message);
  if (status != CLOCHE_OK) return status;
  if (options->tools.len > 0) status = add_tools(box, options);
  if (status != CLOCHE_OK) return status;
  return box->setup.failed ? CLOCHE_E_MEMORY : CLOCHE_OK;
}

/* The gate and the ledger. */
static cloche_status add_walls(cloche_sandbox *box, const cloche_sandbox_options *options) {
  if (options->policy != NULL) {
    cloche_status status = cloche_gate_new(options->policy, options->account, &box->gate);
    if (status != CLOCHE_OK) return status;
    box->policy = options->policy; /* the gate keeps it alive */
  }
  box->ledger = options->ledger;
  cloche_text name = options->name.len > 0 ? options->name : cloche__text("box");
  box->name = strndup(name.at, name.len);
  cloche__buffer_text(&box->tools, options->tools);
  return box->name == NULL || box->tools.failed ? CLOCHE_E_MEMORY : CLOCHE_OK;
}

cloche_status cloche_sandbox_new(cloche_engine *engine, const cloche_sandbox_options *options,
                                 cloche_sandbox **made) {
  if (engine == NULL || made == NULL) return CLOCHE_E_ARGUMENT;
  static const cloche_sandbox_options plain = {0};
  if (options == NULL) options = &plain;
  make_message[0] = '\0';
  cloche_sandbox *box = calloc(1, sizeof *box);
  if (box == NULL) return CLOCHE_E_MEMORY;
  box->engine = engine;
  box->forks = cloche__engine_forks();
  atomic_fetch_add(&engine->boxes, 1);
  box->limits = limits_with_defaults(options->limits);
  box->real_time = options->real_time;
  box->clock = options->start_time != 0 ? options->start_time : cloche__real_time();
  box->pristine = true;
  cloche_status status = add_setup(box, options);
  if (status == CLOCHE_OK) status = add_walls(box, options);
  if (status == CLOCHE_OK) status = cloche__machine_open(&box->machine, engine, &box->limits);
  if (status != CLOCHE_OK) {
    cloche_sandbox_free(box);
    return status;
  }
  cloche__park_leave(box);
  *made = box;
  return CLOCHE_OK;
}

void cloche_sandbox_free(cloche_sandbox *box) {
  if (box == NULL) return;
  cloche__park_forget(box);
  cloche__checkpoints_free(box);
  atomic_fetch_sub(&box->engine->boxes, 1);
  cloche__machine_close(&box->machine);
  for (size_t i = 0; i < box->call_count; i++) free((void *)box->calls[i].method.at);
  free(box->calls);
  free(box->queue);
  cloche_gate_free(box->gate);
  free(box->name);
  cloche__buffer_free(&box->tools);
  cloche__buffer_free(&box->queue_bytes);
  cloche__buffer_free(&box->setup);
  cloche__buffer_free(&box->inbox);
  cloche__buffer_free(&box->result_bytes);
  cloche__changes_forget(box);
  cloche__mounts_free(&box->mounts);
  free(box);
}

const char *cloche_sandbox_message(const cloche_sandbox *box) {
  return box == NULL ? make_message : box->message;
}

bool cloche__sandbox_enter(cloche_sandbox *box) {
  if (box != NULL) box->message[0] = '\0';
  return box != NULL;
}

cloche_status cloche__sandbox_refuse(cloche_sandbox *box, cloche_status status,
                                     const char *message) {
  snprintf(box->message, sizeof box->message, "%s", message);
  return status;
}

static int64_t virtual_now(const cloche_sandbox *box) {
  return box->clock + (int64_t)(box->used - box->clock_fuel) * ABI_NS_PER_FUEL;
}

cloche_gate *cloche_sandbox_gate(cloche_sandbox *box) {
  return box == NULL ? NULL : box->gate;
}

/* ---- the ledger ---- */

int64_t cloche__sandbox_wall(const cloche_sandbox *box) {
  return box->replay.on ? box->replay.wall : cloche__real_time();
}

cloche__moment cloche__sandbox_moment(const cloche_sandbox *box) {
  if (box->ledger == NULL) return (cloche__moment){0};
  return (cloche__moment){.box = cloche__text(box->name),
                          .wall = cloche__real_time(),
                          .virtual_time = virtual_now(box),
                          .fuel = box->used - box->run_fuel};
}

void cloche__sandbox_write_limits(const cloche_limits *limits, cloche__buffer *out) {
  cloche__buffer_format(out,
                        "{\"timeout\":%lld,\"total_timeout\":%lld,\"fuel\":%llu,\"memory\":%llu,"
                        "\"stack\":%llu,\"output\":%llu,\"calls\":%llu,\"in_flight\":%llu,"
                        "\"argument\":%llu,\"result\":%llu,\"files\":%llu,\"file_bytes\":%llu}",
                        (long long)limits->timeout, (long long)limits->total_timeout,
                        (unsigned long long)limits->fuel, (unsigned long long)limits->memory,
                        (unsigned long long)limits->stack, (unsigned long long)limits->output,
                        (unsigned long long)limits->calls, (unsigned long long)limits->in_flight,
                        (unsigned long long)limits->argument, (unsigned long long)limits->result,
                        (unsigned long long)limits->files, (unsigned long long)limits->file_bytes);
}

/* A stack of policies as the array of them, from the root. */
void cloche__sandbox_write_policy(const cloche_policy *policy, cloche__buffer *out) {
  cloche__buffer_byte(out, '[');
  for (size_t i = 0; policy != NULL && i < policy->count; i++) {
    if (i > 0) cloche__buffer_byte(out, ',');
    cloche__json_write(&policy->layers[i].layer->source.root, out);
  }
  cloche__buffer_byte(out, ']');
}

static void write_arguments(const cloche_program *program, cloche__buffer *out) {
  if (program->language != CLOCHE_SHELL || program->argument_count == 0) return;
  for (size_t i = 0; i < program->argument_count; i++) {
    cloche__buffer_byte(out, i == 0 ? '[' : ',');
    cloche__json_write_string(program->arguments[i], out);
  }
  cloche__buffer_byte(out, ']');
}

static cloche_status record_open(cloche_sandbox *box, const cloche_program *program) {
  if (box->ledger == NULL) return CLOCHE_OK;
  cloche__buffer limits = {0}, policy = {0}, arguments = {0};
  write_arguments(program, &arguments);
  cloche__sandbox_write_limits(&box->limits, &limits);
  cloche__sandbox_write_policy(box->policy, &policy);
  cloche__opening opening = {
      .image = cloche__text(cloche_engine_image(box->engine)),
      .language = cloche__text(program->language == CLOCHE_SHELL ? "shell" : "javascript"),
      .program = program->text,
      .stdin_bytes = program->stdin_bytes,
      .seed = box->seed,
      .start_time = virtual_now(box),
      .arguments = cloche__buffer_view(&arguments),
      .tools = cloche__buffer_view(&box->tools),
      .policy = cloche__buffer_view(&policy),
      .limits = cloche__buffer_view(&limits),
      .from_snapshot = box->run > 0,
  };
  cloche__moment moment = cloche__sandbox_moment(box);
  cloche_status status = limits.failed || policy.failed || arguments.failed
                             ? CLOCHE_E_MEMORY
                             : cloche__ledger_open(box->ledger, &moment, &opening);
  cloche__buffer_free(&limits);
  cloche__buffer_free(&policy);
  cloche__buffer_free(&arguments);
  return status;
}

/* ---- what a turn may use ---- */

static uint64_t fuel_left(const cloche_sandbox *box) {
  uint64_t run = box->used - box->run_fuel;
  if (box->ended || box->stopping != CLOCHE_END_DONE)
    return box->stop_fuel > box->used ? box->stop_fuel - box->used : 0;
  return box->limits.fuel > run ? box->limits.fuel - run : 0;
}

/* A guest stops with the charge that takes its fuel below zero: one unit before the mark, so with
 * the same charge as then. */
static uint64_t fuel_for_turn(const cloche_sandbox *box) {
  uint64_t left = fuel_left(box), run = box->used - box->run_fuel;
  if (!box->replay.on || box->used == 0 || box->setting_up || box->replay.until <= run) return left;
  return box->replay.until - run - 1 < left ? box->replay.until - run - 1 : left;
}

static int64_t add_time(int64_t to, int64_t ns) {
  int64_t sum;
  return __builtin_add_overflow(to, ns, &sum) ? INT64_MAX : sum;
}
static int64_t sooner(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* When the run's time is over, or its time in all, if the guest goes on until then. */
static int64_t deadline(const cloche_sandbox *box) {
  int64_t entered = box->entered != 0 ? box->entered : cloche__monotonic();
  int64_t guest = add_time(entered, box->limits.timeout - box->usage.wall);
  return sooner(guest, add_time(box->started, box->limits.total_timeout));
}

static int64_t deadline_of_turn(const cloche_sandbox *box) {
  return box->ended || box->stopping != CLOCHE_END_DONE ? box->stop_time : deadline(box);
}

/* ---- stopping ---- */

static const char *stop_message(cloche_end end) {
  switch (end) {
    case CLOCHE_END_LIMIT_FUEL:
      return "the program used up its fuel";
    case CLOCHE_END_LIMIT_TIME:
      return "the program ran out of time";
    case CLOCHE_END_LIMIT_MEMORY:
      return "the program ran out of memory";
    case CLOCHE_END_LIMIT_STACK:
      return "the program went too deep and ran out of stack";
    case CLOCHE_END_CANCELLED:
      return "the run was cancelled";
    default:
      return "the run was ended";
  }
}

static void end_stopped(cloche_sandbox *box) {
  cloche__result_set(box, box->stopping, "Error", stop_message(box->stopping));
}

/* In fuel; and in time when time has run out, or once it does: what is not about time ends the same
 * on every machine. */
void cloche__sandbox_grace(cloche_sandbox *box) {
  box->stop_fuel = box->used + CLOCHE__GRACE_FUEL;
  bool now = box->stopping == CLOCHE_END_LIMIT_TIME || box->stopping == CLOCHE_END_CANCELLED;
  box->stop_time = add_time(now ? cloche__monotonic() : deadline(box), CLOCHE__GRACE_NS);
}

void cloche__sandbox_stop(cloche_sandbox *box, cloche_end why) {
  if (box->stopping != CLOCHE_END_DONE) return;
  box->stopping = why;
  cloche__moment moment = cloche__sandbox_moment(box);
  cloche__ledger_interrupt(box->ledger, &moment, cloche_end_text(why));
  cloche__sandbox_grace(box);
}

/* Back to the state before the run. What was used stays used. */
static void roll_back(cloche_sandbox *box) {
  bool here = cloche__park_use(box) == CLOCHE_OK;
  box->outbox_bytes = 0; /* gone with the memory it lies in */
  box->dead = !here || !cloche__machine_rollback(&box->machine);
  box->pristine = box->was_pristine;
  box->last_call = box->first_call;
  box->result.rolled_back = !box->dead;
}

void cloche__sandbox_abandon(cloche_sandbox *box, cloche_end end, const char *message) {
  if (box->ended) return;
  cloche__result_set(box, end, end == CLOCHE_END_INTERNAL ? "InternalError" : "Error", message);
  roll_back(box);
}

/* A worker was killed because it did not come back. An honest one is late only when the run's time
 * is over. */
static void end_late(cloche_sandbox *box) {
  if (box->ended) {
    roll_back(box);
  } else if (box->stopping != CLOCHE_END_DONE || cloche__monotonic() >= deadline(box)) {
    if (box->stopping == CLOCHE_END_DONE) cloche__sandbox_stop(box, CLOCHE_END_LIMIT_TIME);
    end_stopped(box);
    roll_back(box);
  } else {
    cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the worker did not answer and was killed");
  }
}

/* What a turn that did not come to a good end means for the run. */
static void end_badly(cloche_sandbox *box, const cloche__turn *turn) {
  switch (turn->end) {
    case CLOCHE__TURN_OVERFLOWED:
      cloche__sandbox_abandon(box, CLOCHE_END_LIMIT_STACK, stop_message(CLOCHE_END_LIMIT_STACK));
      return;
    case CLOCHE__TURN_NO_ROOM:
      cloche__sandbox_abandon(box, CLOCHE_END_LIMIT_MEMORY,
                              "the program's memory has no room for what it was sent");
      return;
    case CLOCHE__TURN_TRAPPED:
      if (box->memory_refused)
        cloche__sandbox_abandon(box, CLOCHE_END_LIMIT_MEMORY,
                                stop_message(CLOCHE_END_LIMIT_MEMORY));
      else
        cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest faulted and was stopped");
      return;
    case CLOCHE__TURN_NONSENSE:
      cloche__sandbox_abandon(box, CLOCHE_END_TRAP, turn->nonsense);
      return;
    case CLOCHE__TURN_LATE:
      end_late(box);
      return;
    case CLOCHE__TURN_LOST:
      cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, turn->nonsense);
      return;
    case CLOCHE__TURN_HOST_FAILED:
      cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, "the host has no memory left");
      return;
    case CLOCHE__TURN_IDLE:
    case CLOCHE__TURN_REFUEL:
      return;
  }
}

/* After a slice: does anything say stop? A guest that has said DONE, or was asked to end, only has
 * its grace left. */
static void look_at_limits(cloche_sandbox *box, int64_t now) {
  uint64_t used = box->used;
  if (box->ended || box->stopping != CLOCHE_END_DONE) {
    if (used < box->stop_fuel && now < box->stop_time) return;
    if (!box->ended) end_stopped(box);
    roll_back(box);
    return;
  }
  if (atomic_load_explicit(&box->cancelled, memory_order_relaxed))
    cloche__sandbox_stop(box, CLOCHE_END_CANCELLED);
  else if (used - box->run_fuel >= box->limits.fuel)
    cloche__sandbox_stop(box, CLOCHE_END_LIMIT_FUEL);
  else if (box->usage.wall + (now - box->entered) >= box->limits.timeout ||
           now - box->started >= box->limits.total_timeout)
    cloche__sandbox_stop(box, CLOCHE_END_LIMIT_TIME);
}

/* ---- running ---- */

static bool is_ours(cloche_sandbox *box) {
  if (box->forks == cloche__engine_forks()) return true;
  cloche__sandbox_refuse(
      box, CLOCHE_E_STATE,
      "the sandbox was made before this process forked off, and belongs to its parent");
  return false;
}

cloche_status cloche_exec(cloche_sandbox *box, const cloche_program *program) {
  if (!cloche__sandbox_enter(box) || program == NULL) return CLOCHE_E_ARGUMENT;
  if (!is_ours(box)) return CLOCHE_E_STATE;
  if (box->active || box->dead)
    return cloche__sandbox_refuse(
        box, CLOCHE_E_STATE,
        box->dead ? "the sandbox is dead: a run was stopped and there was no state to go back to"
                  : "a run is under way; step it to its end or cancel it");
  if (program->language > CLOCHE_SHELL)
    return cloche__sandbox_refuse(box, CLOCHE_E_ARGUMENT, "there is no such language");
  if (program->text.len > CLOCHE__MEMORY_MAX)
    return cloche__sandbox_refuse(box, CLOCHE_E_ARGUMENT, "the program is larger than any memory");
  cloche_status status = cloche__park_use(box);
  if (status != CLOCHE_OK) return status;
  status = record_open(box, program);
  if (status != CLOCHE_OK)
    return cloche__sandbox_refuse(box, status, "the run could not be recorded in the ledger");
  /* Without a checkpoint (no memory for it) a hard stop will leave the sandbox dead. */
  cloche__machine_checkpoint(&box->machine, box->pristine);
  box->was_pristine = box->pristine;
  box->first_call = box->last_call;
  box->run++;
  cloche__buffer_clear(&box->inbox);
  cloche__inbox_add(&box->inbox, ABI_STDIN, box->run, program->stdin_bytes.at,
                    program->stdin_bytes.len);
  cloche__buffer text = {0};
  cloche__buffer_text(&text, program->text);
  if (program->language == CLOCHE_SHELL) cloche__buffer_byte(&text, '\0');
  for (size_t i = 0; program->language == CLOCHE_SHELL && i < program->argument_count; i++) {
    cloche__buffer_text(&text, program->arguments[i]);
    cloche__buffer_byte(&text, '\0');
  }
  cloche__inbox_add(&box->inbox,
                    program->language != CLOCHE_SHELL ? ABI_RUN_JS
                    : program->session                ? ABI_RUN_SESSION
                                                      : ABI_RUN_SH,
                    box->run, text.at, text.len);
  bool failed = text.failed || box->inbox.failed;
  cloche__buffer_free(&text);
  if (failed) return CLOCHE_E_MEMORY;
  cloche__changes_forget(box);
  box->active = true;
  box->language = program->language;
  box->cancelled_calls = 0;
  box->ended = box->has_result = false;
  box->stopping = CLOCHE_END_DONE;
  atomic_store(&box->cancelled, 0);
  box->usage = (cloche_usage){.image = box->engine->image.size};
  box->result = (cloche_result){0};
  box->memory_refused = false;
  box->said[0] = box->said[1] = CLOCHE__HASH_NOTHING;
  box->run_fuel = box->used;
  box->started = cloche__monotonic();
  box->waiting_since = 0;
  return CLOCHE_OK;
}

void cloche_cancel(cloche_sandbox *box) {
  if (box != NULL) atomic_store(&box->cancelled, 1);
}

/* What came out of the turn is in the sandbox. */
void cloche__sandbox_turn(cloche_sandbox *box, const cloche__buffer *records, cloche__turn *turn) {
  turn->control.granted = box->used;
  turn->control.clock = box->clock;
  turn->control.clock_fuel = box->clock_fuel;
  if (!cloche__machine_is_halfway(&box->machine) && records != NULL && records->len > 0) {
    turn->records = records->at;
    turn->record_bytes = records->len;
  }
  cloche__machine_turn(&box->machine, turn);
  box->used += turn->used;
  box->memory_refused |= turn->memory_refused;
  uint64_t beyond = turn->size - box->engine->image.size;
  if (beyond > box->usage.memory) box->usage.memory = beyond;
  box->outbox = turn->outbox;
  box->outbox_bytes = turn->outbox_bytes;
  box->next_timer = turn->next_timer;
}

/* One turn of a run, with `records` if the guest is idle. */
static void take_turn(cloche_sandbox *box, const cloche__buffer *records, cloche__turn *turn) {
  int64_t end = deadline_of_turn(box);
  *turn = (cloche__turn){.setup_bytes = turn->setup_bytes,
                         .fuel = fuel_for_turn(box),
                         .until = sooner(box->entered + CLOCHE__TURN_NS, end),
                         .deadline = end,
                         .cancelled = &box->cancelled,
                         .control.interrupt = box->stopping != CLOCHE_END_DONE};
  cloche__sandbox_turn(box, records, turn);
}

/* Tells the guest what the sandbox is like, and in the same turn what it is to run. Only a replay,
 * which counts a run's fuel to the unit, does one after the other. */
static void first_turn(cloche_sandbox *box, cloche__turn *turn) {
  cloche__buffer both = {0};
  cloche__buffer_text(&both, cloche__buffer_view(&box->setup));
  if (!box->replay.on) cloche__buffer_text(&both, cloche__buffer_view(&box->inbox));
  box->pristine = false;
  box->setting_up = true;
  if (both.failed) {
    *turn = (cloche__turn){.end = CLOCHE__TURN_HOST_FAILED, .size = box->engine->image.size};
  } else {
    *turn = (cloche__turn){.setup_bytes = box->replay.on ? 0 : box->setup.len};
    take_turn(box, &both, turn);
  }
  cloche__buffer_free(&both);
  if (!turn->setup_done) return;
  box->setting_up = false;
  box->run_fuel = box->used - (turn->used - turn->setup_used);
  cloche__buffer_clear(&box->inbox);
}

/* The next turn: the first; to go on; or with news. */
static void next_turn(cloche_sandbox *box, cloche__turn *turn) {
  if (box->pristine) {
    first_turn(box, turn);
  } else if (cloche__machine_is_halfway(&box->machine)) {
    take_turn(box, NULL, turn);
  } else {
    take_turn(box, &box->inbox, turn);
    cloche__buffer_clear(&box->inbox);
  }
  if (box->setting_up && turn->end == CLOCHE__TURN_IDLE) {
    box->setting_up = false;
    box->run_fuel = box->used; /* being told is not the program's doing */
  }
}

/* Takes turns until the guest waits, ends, or the embedder should see something. */
static void run_guest(cloche_sandbox *box) {
  int64_t now = box->entered = cloche__monotonic();
  bool more = true;
  while (more) {
    cloche__turn turn = {0};
    next_turn(box, &turn);
    end_badly(box, &turn);
    bool read = cloche__outbox_read(box);
    now = cloche__monotonic();
    /* Also between turns: a guest whose calls are refused always has news, and never waits. */
    bool stoppable = !box->ended && box->stopping == CLOCHE_END_DONE;
    if (cloche__machine_is_halfway(&box->machine) || stoppable) look_at_limits(box, now);
    more = (cloche__machine_is_halfway(&box->machine) || box->inbox.len > 0) && read &&
           box->queue_bytes.len <= CLOCHE__QUEUE_BYTES && now - box->entered < CLOCHE__TURN_NS;
    if (box->ended && !cloche__machine_is_halfway(&box->machine)) more = false;
  }
  box->usage.wall += now - box->entered;
  box->entered = 0;
  if (box->stopping != CLOCHE_END_DONE && !box->ended && box->inbox.len == 0 &&
      !cloche__machine_is_halfway(&box->machine)) {
    end_stopped(box); /* it returned without saying that it has ended */
    roll_back(box);
  }
  box->usage.fuel = box->used - box->run_fuel;
}

/* ---- waiting ---- */

/* Virtual time does not go back. */
void cloche__sandbox_set_clock(cloche_sandbox *box, int64_t to) {
  int64_t now = virtual_now(box);
  box->clock = to > now ? to : now;
  box->clock_fuel = box->used;
  cloche__moment moment = cloche__sandbox_moment(box);
  if (to > now) cloche__ledger_clock(box->ledger, &moment, to);
}

/* What the guest waited for outside counts as time for it as well. */
static void count_waiting(cloche_sandbox *box, int64_t now) {
  if (box->waiting_since == 0) return;
  if (box->replay.on) {
    box->waiting_since = 0;
    return;
  }
  int64_t waited = now - box->waiting_since;
  box->usage.waiting += waited;
  box->waiting_since = 0;
  if (!box->clock_stands) cloche__sandbox_set_clock(box, virtual_now(box) + waited);
}

/* The guest is idle and has been sent nothing new. True: `event` says what to wait for; false:
 * there is a reason to enter it again, or the run has ended. */
static bool wait_for(cloche_sandbox *box, cloche_event *event) {
  int64_t now = cloche__monotonic(), timer = box->next_timer;
  if (box->waiting_since == 0) box->waiting_since = now;
  bool stands = box->clock_stands && box->call_count > 0;
  bool passes = !box->replay.on && !stands;
  int64_t virtual = virtual_now(box) + (passes ? now - box->waiting_since : 0);
  if (atomic_load(&box->cancelled))
    cloche__sandbox_stop(box, CLOCHE_END_CANCELLED);
  else if (now - box->started >= box->limits.total_timeout ||
           box->usage.wall >= box->limits.timeout)
    cloche__sandbox_stop(box, CLOCHE_END_LIMIT_TIME);
  if (box->stopping != CLOCHE_END_DONE || timer <= virtual) {
    count_waiting(box, now);
    return false;
  }
  bool outside = box->call_count > 0 || box->real_time;
  if (box->call_count == 0 && timer == INT64_MAX) {
    cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, "the guest waits and cannot say for what");
    return false;
  }
  if (!outside) { /* only timers are left: jump */
    box->waiting_since = 0;
    cloche__sandbox_set_clock(box, timer);
    return false;
  }
  int64_t total = box->limits.total_timeout - (now - box->started);
  bool only_answers = timer == INT64_MAX || stands;
  int64_t until = only_answers || timer - virtual > total ? total : timer - virtual;
  *event = (cloche_event){.kind = CLOCHE_WAIT,
                          .deadline = until > INT64_MAX - now ? INT64_MAX : now + until};
  return true;
}

/* ---- stepping ---- */

/* False when no such call waits any more. */
static bool fill_call(cloche_sandbox *box, cloche_event *event) {
  for (size_t i = 0; i < box->call_count; i++) {
    cloche__pending *call = &box->calls[i];
    if (call->id != event->call || call->asked != (event->kind == CLOCHE_APPROVAL)) continue;
    call->announced = !call->asked;
    event->method = call->method;
    event->params = call->params;
    event->rule = call->rule;
    event->reason = call->reason;
    event->approve_up_to = call->approve_up_to;
    event->key = (cloche_text){call->key, sizeof call->key - 1};
    event->again = call->again;
    return true;
  }
  return false;
}

static bool next_item(cloche_sandbox *box, cloche_event *event) {
  while (box->queue_count > 0) {
    cloche__item item = box->queue[box->queue_first++];
    if (--box->queue_count == 0) box->queue_first = 0;
    if (box->ended && (item.kind == CLOCHE_CALL || item.kind == CLOCHE_APPROVAL)) continue;
    *event = (cloche_event){.kind = item.kind, .call = item.call};
    if (item.kind == CLOCHE_OUTPUT) {
      event->stream = item.stream;
      event->bytes = (cloche_text){box->queue_bytes.at + item.at, item.len};
      return true;
    }
    if (item.kind == CLOCHE_CALL_CANCELLED) return true;
    if (fill_call(box, event)) return true; /* else it was answered before it was announced */
  }
  return false;
}

uint64_t cloche__sandbox_hash(uint64_t hash, const void *bytes, size_t size) {
  const uint8_t *at = bytes;
  for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 1099511628211u;
  return hash;
}

/* How it ended, and hashes of what came out, for a replay; unless results are not to be kept. */
static void record_end(cloche_sandbox *box) {
  cloche__buffer members = {0};
  cloche_text value = box->result.value;
  if (box->ledger == NULL) return;
  cloche__moment moment = cloche__sandbox_moment(box);
  cloche__buffer_format(&members, "\"end\":\"%s\"", cloche_end_text(box->result.end));
  if (cloche__ledger_options_of(box->ledger)->results == CLOCHE_DETAIL_FULL)
    cloche__buffer_format(
        &members, ",\"stdout\":\"%016llx\",\"stderr\":\"%016llx\",\"value\":\"%016llx\"",
        (unsigned long long)box->said[0], (unsigned long long)box->said[1],
        (unsigned long long)cloche__sandbox_hash(CLOCHE__HASH_NOTHING, value.at, value.len));
  if (!members.failed)
    cloche__ledger_record(box->ledger, "end", &moment, cloche__buffer_view(&members));
  cloche__buffer_free(&members);
}

static void finish(cloche_sandbox *box, cloche_event *event) {
  if (box->stopping != CLOCHE_END_DONE && !box->result.rolled_back) end_stopped(box);
  box->active = false;
  box->has_result = true;
  box->result.cancelled = box->cancelled_calls;
  box->result.usage = box->usage;
  if (box->gate != NULL) cloche_gate_end_run(box->gate);
  cloche__mounts_rest(&box->mounts);
  bool succeeded = box->result.end == CLOCHE_END_DONE && box->result.status == 0;
  if (succeeded && box->mounts.writable) cloche__write_back(box);
  record_end(box);
  *event = (cloche_event){.kind = CLOCHE_DONE};
  cloche__park_leave(box); /* a rollback may have brought it back */
}

cloche_status cloche_step(cloche_sandbox *box, cloche_event *event) {
  if (!cloche__sandbox_enter(box) || event == NULL) return CLOCHE_E_ARGUMENT;
  if (!box->active) return cloche__sandbox_refuse(box, CLOCHE_E_STATE, "no run is under way");
  if (!is_ours(box)) return CLOCHE_E_STATE;
  for (;;) {
    bool halfway = cloche__machine_is_halfway(&box->machine);
    if (next_item(box, event)) return CLOCHE_OK;
    cloche__buffer_clear(&box->queue_bytes);
    if (box->ended && !halfway) {
      cloche__calls_forget(box);
      if (box->queue_count > 0) continue;
      finish(box, event);
      return CLOCHE_OK;
    }
    if (box->outbox_bytes > 0) {
      cloche__outbox_read(box);
      continue;
    }
    if (!halfway && box->inbox.len == 0 && wait_for(box, event)) return CLOCHE_OK;
    if (box->ended && !halfway) continue;
    cloche_status status = cloche__trap_prepare();
    if (status != CLOCHE_OK) return status;
    status = cloche__park_use(box);
    if (status != CLOCHE_OK) return status;
    if (box->waiting_since != 0) count_waiting(box, cloche__monotonic());
    run_guest(box);
    cloche__park_leave(box);
    bool has_news = box->inbox.len > 0 && !box->ended;
    if ((cloche__machine_is_halfway(&box->machine) || has_news) && box->queue_count == 0) {
      /* It computes: a look around. */
      *event = (cloche_event){.kind = CLOCHE_WAIT, .deadline = cloche__monotonic()};
      return CLOCHE_OK;
    }
  }
}

const cloche_result *cloche_sandbox_result(const cloche_sandbox *box) {
  return box != NULL && box->has_result ? &box->result : NULL;
}

cloche_usage cloche_sandbox_usage(const cloche_sandbox *box) {
  return box == NULL ? (cloche_usage){0} : box->usage;
}

static const char *const wall_texts[] = {
#define X(name, number, text) [number] = text,
    CLOCHE_WALLS(X)
#undef X
};

const char *cloche_wall_text(cloche_wall wall) {
  return (size_t)wall < sizeof wall_texts / sizeof *wall_texts ? wall_texts[wall] : "unknown";
}

unsigned cloche_sandbox_walls(const cloche_sandbox *box) {
  return box == NULL ? 0 : cloche__machine_walls(&box->machine);
}

const char *cloche_version(void) {
  return CLOCHE_VERSION;
}
