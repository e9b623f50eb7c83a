// SPDX-License-Identifier: MIT
/* engine.h -- what we need of QuickJS-ng beyond its public header.
 *
 * The engine is compiled unmodified, as one unit with engine.c, which can therefore reach its
 * internals; nothing else in guest/js does. All functions throw like the engine's own (JS_EXCEPTION
 * or -1 with an exception pending) unless they say otherwise. */
#ifndef GUEST_JS_ENGINE_H
#define GUEST_JS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

/* ---- the runtime ---- */

/* A runtime whose memory comes from kernel_malloc and which ends what it runs, uncatchably, once
 * kernel_interrupted() is true. NULL when there is no memory. */
JSRuntime *engine_new(void);

/* Makes everything that exists now part of the image: the collector never visits it again, it is
 * never freed, and later allocations do not land between it. */
void engine_seal(JSRuntime *runtime);

/* Starts a run: `stack` bytes are left for the engine from here on. */
void engine_enter(JSRuntime *runtime, size_t stack);

/* Forgets all jobs that have not run. */
void engine_drop_jobs(JSRuntime *runtime);

/* True when C code should stop recursing; throws the engine's own stack error. */
bool engine_stack_is_full(JSContext *realm);

/* ---- programs ---- */

typedef struct {
  bool is_async;  /* an async function; else an ordinary one, which starts and ends faster */
  bool is_value;  /* one expression or one function: what it gives is the run's value */
  bool is_waited; /* ordinary only: what it gives is waited for, but is not the run's value */
  bool is_module; /* has static imports: the function is the default export of a module */
} engine_program;

/* Compiles a program into a function without parameters (for a module: a module whose default
 * export it is). `text[size]` must be NUL. Positions in errors are positions in `text`.
 *  - `return` and `await` work at the top.
 *  - a program that is one expression returns it, one that is one function calls it.
 *  - a last statement that is an expression is awaited.
 *  - top-level declarations are local to the run. */
JSValue engine_compile(JSContext *realm, const char *text, size_t size, const char *name,
                       engine_program *found);

/* Calls a program's async function. The activation is held so that, when nothing can go on any
 * more, there is still something to say where it waits: the engine itself frees what nobody can
 * resume. */
typedef struct JSAsyncFunctionData engine_activation;
JSValue engine_start(JSContext *realm, JSValueConst function, engine_activation **held);
void engine_release(JSContext *realm, engine_activation *held); /* NULL is fine */

/* Files that were imported are read again when the next run imports them. */
void engine_retire_modules(JSContext *realm);

/* The text given to engine_compile may go; until then it is used to name what was called. */
void engine_forget_program(void);

/* Swaps what is remembered of the running program with *other; {0} is none. */
typedef struct {
  const char *text, *name;
  size_t size;
} engine_text;
void engine_exchange_program(engine_text *other);

/* ---- errors ---- */

/* Adds what may help to the message of an error about `name`, which is a name (NOT_DEFINED) or an
 * expression as the program has it, "a.b['c']": writes at most `room` bytes, NUL
 * included, to `to`, which already is an empty string. */
typedef enum { ENGINE_NOT_A_FUNCTION, ENGINE_NOT_DEFINED, ENGINE_NO_PROPERTY } engine_mistake;
typedef void engine_hint(engine_mistake mistake, const char *name, char *to, size_t room);
void engine_set_hint(engine_hint *hint);

/* A SyntaxError of the engine's own class. */
bool engine_is_syntax_error(JSContext *realm, JSValueConst error);

typedef enum { ENGINE_NO_LIMIT, ENGINE_MEMORY, ENGINE_STACK } engine_limit;

/* Which limit the engine itself reported with this object. A program can hold and throw such an
 * object again, but cannot make one. Never throws. */
engine_limit engine_limit_of(JSContext *realm, JSValueConst error);

/* The pending exception came out of a function of the realm `from`: if it is one of that realm's
 * own errors it becomes one of this realm's, so that `instanceof` is true. */
void engine_adopt_error(JSContext *realm, JSContext *from);

/* The frames recorded when an Error was made, one "    at NAME (FILE:LINE:COLUMN)" per line, or
 * undefined. Runs no program code. */
JSValue engine_error_frames(JSContext *realm, JSValueConst error);

/* The same for the place where an activation waits (NULL: none), then for every other async
 * function that is alive and waits. */
JSValue engine_waiting_frames(JSContext *realm, const engine_activation *first);

/* Where a call was made: the functions that ran then, the innermost first. */
typedef struct engine_place engine_place;

/* Of the functions that run now. NULL when none does, or there is no memory; throws nothing. */
engine_place *engine_place_note(JSContext *realm);
void engine_place_free(JSRuntime *runtime, engine_place *place); /* NULL is fine */

/* The frames of a place (NULL: none) and of the async functions that wait for this promise, and for
 * those, and so on. */
JSValue engine_place_frames(JSContext *realm, const engine_place *place, JSValueConst promise);

/* Replaces the recorded frames of an Error. Takes `frames`. */
void engine_set_frames(JSContext *realm, JSValueConst error, JSValue frames);

/* Where the function that runs now stands, without those of C: the same format. */
JSValue engine_current_frames(JSContext *realm);

/* ---- looking at values without running any code of the program ---- */

/* The class name the engine gives: "Object", "Array", "Error", "Map", "Proxy"... "" for primitives.
 */
const char *engine_kind(JSContext *realm, JSValueConst value);

/* "Function", "AsyncFunction", "GeneratorFunction" or "AsyncGeneratorFunction". */
const char *engine_function_type(JSValueConst function);

/* What a Number, String, Boolean, Symbol, BigInt or Date object holds. */
JSValue engine_primitive(JSContext *realm, JSValueConst object);

/* A Map's keys and values in turn, a Set's values, what is left of their iterators; else undefined.
 */
JSValue engine_entries(JSContext *realm, JSValueConst object);

/* The class of a Map or Set iterator: true when it gives [key, value] pairs. */
bool engine_entries_are_pairs(JSValueConst iterator);

/* An own data property's value; undefined when absent or an accessor, or behind a Proxy. */
JSValue engine_own_data(JSContext *realm, JSValueConst object, JSAtom name);

/* The proxy's target for as long as it is one, else the value itself. */
JSValueConst engine_behind_proxies(JSValueConst value);

/* ---- numbers ---- */

/* A BigInt from decimal digits, a minus sign may stand before them. */
JSValue engine_big_integer(JSContext *realm, const char *digits, size_t size);

/* ---- chance ---- */

/* Sets the state behind engine_random; 0 is replaced. */
void engine_seed(JSContext *realm, uint64_t seed);
/* The next number in [0, 1), as the engine's own Math.random gives it. */
JSValue engine_random(JSContext *realm);

#endif
