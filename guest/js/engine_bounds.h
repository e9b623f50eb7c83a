// SPDX-License-Identifier: MIT
/* engine_bounds.h -- part of engine.c: work that grows faster than what it works on is refused with
 * an error the program can catch, instead of lasting until the run's time is over. */

/* ---- JSON.stringify ----
 *
 * It looks for each object among all that contain it, so its time grows with the square of the
 * depth: 10,000 levels take 0.2 s, 100,000 take 20 s. Node's stack ends near 8,000. */
enum { JSON_LEVELS = 10000 };
static int json_level;

static int bounded_json_to_str(JSContext *ctx, JSONStringifyContext *jsc, JSValueConst holder,
                               JSValue value, JSValueConst indent) {
  if (json_level >= JSON_LEVELS) {
    JS_FreeValue(ctx, value);
    throw_marked_stack(ctx);
    return -1;
  }
  json_level++;
  int failed = plain_json_to_str(ctx, jsc, holder, value, indent);
  json_level--;
  return failed;
}

/* ---- regular expressions ----
 *
 * The matcher backtracks, and asks once in 10,000 steps back whether it may go on. A pattern that
 * is linear in the text takes a few steps for each character; one whose time doubles with each
 * character is over its allowance after about 0.2 s. */
enum { BACKTRACK_TICKS = 1000 };
static uint64_t backtrack_ticks;
static bool backtracked_too_much;

int lre_check_timeout(void *opaque) {
  if (backtrack_ticks == 0) return 1;
  backtrack_ticks--;
  return plain_check_timeout(opaque);
}

static int bounded_lre_exec(uint8_t **capture, const uint8_t *code, const uint8_t *text, int from,
                            int length, int kind, void *opaque) {
  backtrack_ticks = BACKTRACK_TICKS + (uint64_t)length;
  int result = lre_exec(capture, code, text, from, length, kind, opaque);
  if (result != LRE_RET_TIMEOUT || backtrack_ticks > 0 || kernel_interrupted()) return result;
  backtracked_too_much = true; /* for the message; the engine then throws an InternalError */
  return LRE_RET_MEMORY_ERROR;
}
