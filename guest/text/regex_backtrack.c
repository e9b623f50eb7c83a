// SPDX-License-Identifier: MIT
// regex_backtrack.c -- see regex_backtrack.h.
#include "regex_backtrack.h"

#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "unicode.h"

typedef enum {
  BT_TEXT,
  BT_SET,
  BT_SPAN,
  BT_SPLIT,
  BT_JUMP,
  BT_SAVE,
  BT_LOOP,
  BT_ASSERT,
  BT_BACKREF,
  BT_LOOK,
  BT_ATOMIC,
  BT_KEEP,
  BT_MATCH,
  BT_END_AT,
} bt_op;

typedef struct {
  bt_op op;
  bool lazy, negative, behind, icase, lines;
  uint32_t a, b; /* SPLIT: preferred and other; JUMP: to; SAVE, LOOP: slot; LOOK, ATOMIC: way on */
  uint32_t min, max; /* SPAN: counts; LOOK behind: widths in characters */
  const node *node;  /* TEXT, SET, SPAN: whose text or set */
} bt_code;

struct backtrack {
  bt_code *code;
  uint32_t count, room;
  uint32_t slots, capture_slots;
  bool bytes, failed, too_big;
  const char *error;
};

static uint32_t emit(backtrack *b, bt_code code) {
  if (b->count == b->room) {
    uint32_t room = b->room == 0 ? 32 : b->room * 2;
    bt_code *grown = realloc(b->code, room * sizeof *grown);
    if (grown == NULL) {
      b->failed = true;
      return 0;
    }
    b->code = grown;
    b->room = room;
  }
  if (b->count >= REGEX_PROGRAM_MAX / 4) {
    b->too_big = true;
    return 0;
  }
  b->code[b->count] = code;
  return b->count++;
}

static bool stopped(const backtrack *b) {
  return b->failed || b->too_big || b->error != NULL;
}

/* Widths in characters, saturating at REPEAT_NO_MAX. */
static uint32_t add_width(uint32_t a, uint32_t b) {
  return a == REPEAT_NO_MAX || b == REPEAT_NO_MAX || a + b > 100000 ? REPEAT_NO_MAX : a + b;
}

static void width_of(const node *n, bool bytes, uint32_t *min, uint32_t *max) {
  *min = *max = 0;
  switch (n->kind) {
    case NODE_TEXT:
      *min = *max = bytes ? n->size : (uint32_t)utf8_count(n->text, n->size);
      return;
    case NODE_SET:
      *min = *max = 1;
      return;
    case NODE_CAT:
    case NODE_ALT:
      for (uint32_t i = 0; i < n->count; i++) {
        uint32_t low, high;
        width_of(n->children[i], bytes, &low, &high);
        if (n->kind == NODE_CAT) {
          *min = add_width(*min, low);
          *max = add_width(*max, high);
        } else {
          *min = i == 0 || low < *min ? low : *min;
          *max = high > *max ? high : *max;
        }
      }
      return;
    case NODE_GROUP:
    case NODE_ATOMIC:
      width_of(n->children[0], bytes, min, max);
      return;
    case NODE_REPEAT: {
      uint32_t low, high;
      width_of(n->children[0], bytes, &low, &high);
      uint64_t least = (uint64_t)low * n->min, most = (uint64_t)high * n->max;
      *min = least > 100000 ? REPEAT_NO_MAX : (uint32_t)least;
      *max = high == 0                                                           ? 0
             : n->max == REPEAT_NO_MAX || high == REPEAT_NO_MAX || most > 100000 ? REPEAT_NO_MAX
                                                                                 : (uint32_t)most;
      return;
    }
    case NODE_BACKREF:
      *max = REPEAT_NO_MAX;
      return;
    default:
      return;
  }
}

static void compile(backtrack *b, const node *n);

/* A group's repeat, written out; the open end loops. */
static void compile_repeat(backtrack *b, const node *n) {
  const node *body = n->children[0];
  bool lazy = n->mode == REPEAT_LAZY;
  if (n->mode == REPEAT_POSSESSIVE) {
    uint32_t atomic = emit(b, (bt_code){.op = BT_ATOMIC});
    node greedy = *n;
    greedy.mode = REPEAT_GREEDY;
    compile_repeat(b, &greedy);
    emit(b, (bt_code){.op = BT_MATCH});
    if (!stopped(b)) b->code[atomic].a = b->count;
    return;
  }
  if (body->kind == NODE_SET) {
    emit(b, (bt_code){.op = BT_SPAN, .lazy = lazy, .min = n->min, .max = n->max, .node = body});
    return;
  }
  for (uint32_t i = 0; i < n->min && !stopped(b); i++) compile(b, body);
  if (n->max == REPEAT_NO_MAX) {
    uint32_t slot = b->slots++;
    uint32_t split = emit(b, (bt_code){.op = BT_SPLIT});
    emit(b, (bt_code){.op = BT_SAVE, .a = slot});
    compile(b, body);
    emit(b, (bt_code){.op = BT_LOOP, .a = slot});
    emit(b, (bt_code){.op = BT_JUMP, .a = split});
    if (stopped(b)) return;
    b->code[split].a = lazy ? b->count : split + 1;
    b->code[split].b = lazy ? split + 1 : b->count;
    return;
  }
  uint32_t optional = n->max - n->min, first = b->count;
  for (uint32_t i = 0; i < optional && !stopped(b); i++) {
    emit(b, (bt_code){.op = BT_SPLIT, .lazy = lazy, .b = UINT32_MAX});
    compile(b, body);
  }
  if (stopped(b)) return;
  for (uint32_t i = first; i < b->count; i++) { /* each of ours may leave for the end */
    bt_code *code = &b->code[i];
    if (code->op != BT_SPLIT || code->b != UINT32_MAX) continue;
    code->a = code->lazy ? b->count : i + 1;
    code->b = code->lazy ? i + 1 : b->count;
  }
}

static void compile_alt(backtrack *b, const node *n) {
  uint32_t *jumps = malloc(n->count * sizeof *jumps);
  if (jumps == NULL) b->failed = true;
  for (uint32_t i = 0; i < n->count && !stopped(b); i++) {
    bool last = i + 1 == n->count;
    uint32_t split = last ? 0 : emit(b, (bt_code){.op = BT_SPLIT});
    compile(b, n->children[i]);
    jumps[i] = last ? 0 : emit(b, (bt_code){.op = BT_JUMP});
    if (!last && !stopped(b)) {
      b->code[split].a = split + 1;
      b->code[split].b = b->count;
    }
  }
  for (uint32_t i = 0; i + 1 < n->count && !stopped(b); i++) b->code[jumps[i]].a = b->count;
  free(jumps);
}

static void compile_look(backtrack *b, const node *n) {
  bt_code look = {.op = BT_LOOK, .negative = n->negative, .behind = n->behind};
  if (n->behind) {
    width_of(n->children[0], b->bytes, &look.min, &look.max);
    if (look.max > 255) {
      b->error = "lookbehind assertion is not fixed length";
      return;
    }
  }
  uint32_t at = emit(b, look);
  compile(b, n->children[0]);
  emit(b, (bt_code){.op = n->behind ? BT_END_AT : BT_MATCH});
  if (!stopped(b)) b->code[at].a = b->count;
}

static void compile_group(backtrack *b, const node *n) {
  if (n->number > 0) emit(b, (bt_code){.op = BT_SAVE, .a = n->number * 2});
  compile(b, n->children[0]);
  if (n->number > 0) emit(b, (bt_code){.op = BT_SAVE, .a = n->number * 2 + 1});
}

static void compile(backtrack *b, const node *n) {
  if (stopped(b)) return;
  switch (n->kind) {
    case NODE_EMPTY:
      return;
    case NODE_TEXT:
      emit(b, (bt_code){.op = BT_TEXT, .node = n});
      return;
    case NODE_SET:
      emit(b, (bt_code){.op = BT_SET, .node = n});
      return;
    case NODE_CAT:
      for (uint32_t i = 0; i < n->count; i++) compile(b, n->children[i]);
      return;
    case NODE_ALT:
      compile_alt(b, n);
      return;
    case NODE_REPEAT:
      compile_repeat(b, n);
      return;
    case NODE_GROUP:
      compile_group(b, n);
      return;
    case NODE_ASSERT:
      emit(b, (bt_code){.op = BT_ASSERT, .a = n->number, .lines = n->lines});
      return;
    case NODE_BACKREF:
      emit(b, (bt_code){.op = BT_BACKREF, .a = n->number, .icase = n->icase});
      return;
    case NODE_LOOK:
      compile_look(b, n);
      return;
    case NODE_ATOMIC: {
      uint32_t at = emit(b, (bt_code){.op = BT_ATOMIC});
      compile(b, n->children[0]);
      emit(b, (bt_code){.op = BT_MATCH});
      if (!stopped(b)) b->code[at].a = b->count;
      return;
    }
    case NODE_KEEP:
      emit(b, (bt_code){.op = BT_KEEP});
      return;
  }
}

backtrack *backtrack_new(const regex_tree *tree, bool bytes, const char **error) {
  backtrack *b = calloc(1, sizeof *b);
  if (b == NULL) {
    *error = "Memory exhausted";
    return NULL;
  }
  b->bytes = bytes;
  b->slots = b->capture_slots = (tree->groups + 1) * 2;
  compile(b, tree->root);
  emit(b, (bt_code){.op = BT_MATCH});
  if (stopped(b)) {
    *error = b->error != NULL ? b->error
             : b->too_big     ? "Regular expression too big"
                              : "Memory exhausted";
    backtrack_free(b);
    return NULL;
  }
  return b;
}

void backtrack_free(backtrack *b) {
  if (b == NULL) return;
  free(b->code);
  free(b);
}

/* ---- running ---- */

#define UNDO 0x80000000u

typedef struct {
  uint32_t pc;     /* where to go on, or UNDO | slot */
  size_t at;       /* position, or the slot's old value */
  size_t span_min; /* a greedy span may give back down to here; SIZE_MAX: no span */
} bt_frame;

typedef struct {
  const backtrack *b;
  const char *text;
  size_t size;
  unsigned flags;
  ptrdiff_t *slots;
  bt_frame *frames;
  size_t count, room;
  uint32_t steps;
  size_t end;      /* where the last successful run ended */
  size_t look_end; /* where a lookbehind must end */
  bool gave_up;
} bt_run;

static bool push_frame(bt_run *r, uint32_t pc, size_t at, size_t span_min) {
  if (r->count == r->room) {
    size_t room = r->room == 0 ? 128 : r->room * 2;
    bt_frame *frames = room > 1u << 21 ? NULL : realloc(r->frames, room * sizeof *frames);
    if (frames == NULL) {
      r->gave_up = true;
      return false;
    }
    r->frames = frames;
    r->room = room;
  }
  r->frames[r->count++] = (bt_frame){pc, at, span_min};
  return true;
}

static void set_slot(bt_run *r, uint32_t slot, ptrdiff_t value) {
  if (push_frame(r, UNDO | slot, (size_t)r->slots[slot], SIZE_MAX)) r->slots[slot] = value;
}

static size_t take_char(const bt_run *r, size_t at, uint32_t *c) {
  if (at >= r->size) return 0;
  if (r->b->bytes) {
    *c = (unsigned char)r->text[at];
    return 1;
  }
  return utf8_decode(r->text + at, r->size - at, c);
}

static size_t take_set(const bt_run *r, const regex_set *set, size_t at) {
  uint32_t c;
  size_t length = take_char(r, at, &c);
  return length > 0 && regex_set_has(set, c) ? length : 0;
}

/* The start of the character before `at`. */
static size_t step_back(const bt_run *r, size_t at) {
  at--;
  if (r->b->bytes) return at;
  for (int i = 0; i < 3 && at > 0 && ((unsigned char)r->text[at] & 0xC0) == 0x80; i++) at--;
  return at;
}

static bool is_word_at(const bt_run *r, size_t at) {
  uint32_t c;
  return take_char(r, at, &c) > 0 && (unicode_is(c, UNICODE_ALNUM) || c == '_') &&
         (c < 0x80 || !r->b->bytes);
}

static bool assertion_holds(const bt_run *r, const bt_code *code, size_t at) {
  bool start = at == 0 && !(r->flags & REGEX_NOT_BOL),
       end = at == r->size && !(r->flags & REGEX_NOT_EOL);
  bool before = at > 0 && is_word_at(r, step_back(r, at)), after = is_word_at(r, at);
  switch ((assert_kind)code->a) {
    case ASSERT_LINE_START:
      return start || (code->lines && at > 0 && r->text[at - 1] == '\n');
    case ASSERT_LINE_END:
      return end || (code->lines && at < r->size && r->text[at] == '\n');
    case ASSERT_TEXT_START:
      return start;
    case ASSERT_TEXT_END:
      return end;
    case ASSERT_TEXT_END_NEWLINE:
      return end || (at + 1 == r->size && r->text[at] == '\n');
    case ASSERT_WORD_EDGE:
      return before != after;
    case ASSERT_NOT_WORD_EDGE:
      return before == after;
    case ASSERT_WORD_START:
      return !before && after;
    case ASSERT_WORD_END:
      return before && !after;
    case ASSERT_NO_WORD_BEFORE:
      return !before;
    case ASSERT_NO_WORD_AFTER:
      return !after;
    case ASSERT_NEVER:
      return false;
  }
  return false;
}

/* Bytes of text at `at` that equal group `number`; SIZE_MAX when they do not. */
static size_t backref_length(const bt_run *r, const bt_code *code, size_t at) {
  ptrdiff_t start = r->slots[code->a * 2], end = r->slots[code->a * 2 + 1];
  if (start < 0 || end < 0) return SIZE_MAX;
  size_t length = (size_t)(end - start);
  if (!code->icase) {
    bool same = length <= r->size - at && memcmp(r->text + start, r->text + at, length) == 0;
    return same ? length : SIZE_MAX;
  }
  size_t from = (size_t)start, to = at;
  while (from < (size_t)end) {
    uint32_t a, b;
    size_t x = take_char(r, from, &a), y = take_char(r, to, &b);
    if (x == 0 || y == 0 || unicode_lower(a) != unicode_lower(b)) return SIZE_MAX;
    from += x;
    to += y;
  }
  return to - at;
}

static int run(bt_run *r, uint32_t pc, size_t at);

/* Runs a part of the program on its own and forgets its choices, keeping what it captured. */
static int run_part(bt_run *r, uint32_t pc, size_t at, bool keep) {
  ptrdiff_t *before = malloc(r->b->slots * sizeof *before);
  if (before == NULL) {
    r->gave_up = true;
    return 0;
  }
  memcpy(before, r->slots, r->b->slots * sizeof *before);
  size_t base = r->count;
  int found = run(r, pc, at);
  r->count = base;
  for (uint32_t i = 0; i < r->b->slots && !r->gave_up; i++) {
    ptrdiff_t value = r->slots[i];
    r->slots[i] = before[i];
    if (found && keep && value != before[i]) set_slot(r, i, value);
  }
  free(before);
  return found;
}

static bool look_behind(bt_run *r, const bt_code *code, uint32_t pc, size_t at) {
  size_t outer = r->look_end, start = at;
  r->look_end = at;
  bool found = false;
  for (uint32_t width = 0; width <= code->max && !found && !r->gave_up; width++) {
    if (width >= code->min) found = run_part(r, pc + 1, start, !code->negative);
    if (start == 0) break;
    start = step_back(r, start);
  }
  r->look_end = outer;
  return found;
}

/* Where to resume after a failure; false when nothing is left above `base`. */
static bool backtrack_to(bt_run *r, size_t base, uint32_t *pc, size_t *at) {
  while (r->count > base) {
    bt_frame *top = &r->frames[--r->count];
    if ((top->pc & UNDO) != 0) {
      r->slots[top->pc & ~UNDO] = (ptrdiff_t)top->at;
      continue;
    }
    *pc = top->pc;
    *at = top->at;
    if (top->span_min != SIZE_MAX && top->at > top->span_min) {
      size_t less = step_back(r, top->at);
      if (less > top->span_min) {
        top->at = less;
        r->count++;
      }
      *at = less < top->span_min ? top->span_min : less;
    }
    return true;
  }
  return false;
}

/* A run of one set: as much as may be, leaving a frame from which to give back. */
static bool take_span(bt_run *r, const bt_code *code, uint32_t pc, size_t *at) {
  const regex_set *set = &code->node->set;
  size_t end = *at, length;
  uint32_t count = 0;
  while (count < code->min && (length = take_set(r, set, end)) > 0) {
    end += length;
    count++;
  }
  if (count < code->min) return false;
  size_t least = end;
  while (count < code->max && (length = take_set(r, set, end)) > 0) {
    end += length;
    count++;
    if ((count & 0xFFFF) == 0) r->steps += 64;
  }
  *at = end;
  return end == least || push_frame(r, pc + 1, end, least);
}

static bool lazy_span(bt_run *r, const bt_code *code, uint32_t pc, size_t *at) {
  const regex_set *set = &code->node->set;
  size_t length;
  for (uint32_t count = 0; count < code->min; count++) {
    if ((length = take_set(r, set, *at)) == 0) return false;
    *at += length;
  }
  /* One more at a time: the frames are pushed longest first, so that the shortest comes next. */
  size_t end = *at, base = r->count;
  for (uint32_t count = code->min; count < code->max && (length = take_set(r, set, end)) > 0;
       count++) {
    end += length;
    if (!push_frame(r, pc + 1, end, SIZE_MAX)) return false;
  }
  for (size_t low = base, high = r->count; low + 1 < high; low++) {
    bt_frame swap = r->frames[low];
    r->frames[low] = r->frames[--high];
    r->frames[high] = swap;
  }
  return true;
}

static int run(bt_run *r, uint32_t pc, size_t at) {
  size_t base = r->count;
  for (;;) {
    const bt_code *code = &r->b->code[pc];
    bool ok = true;
    size_t length;
    uint32_t here = pc++;
    if (++r->steps > BACKTRACK_STEPS || ((r->steps & 0xFFFF) == 0 && kernel_interrupted())) {
      r->gave_up = true;
    }
    if (r->gave_up) return 0;
    switch (code->op) {
      case BT_TEXT:
        ok = code->node->size <= r->size - at &&
             memcmp(r->text + at, code->node->text, code->node->size) == 0;
        at += ok ? code->node->size : 0;
        break;
      case BT_SET:
        length = take_set(r, &code->node->set, at);
        ok = length > 0;
        at += length;
        break;
      case BT_SPAN:
        ok = code->lazy ? lazy_span(r, code, here, &at) : take_span(r, code, here, &at);
        break;
      case BT_SPLIT:
        ok = push_frame(r, code->b, at, SIZE_MAX);
        pc = code->a;
        break;
      case BT_JUMP:
        pc = code->a;
        break;
      case BT_SAVE:
        set_slot(r, code->a, (ptrdiff_t)at);
        break;
      case BT_LOOP: /* an empty round ends the loop */
        if (r->slots[code->a] == (ptrdiff_t)at) pc++;
        break;
      case BT_ASSERT:
        ok = assertion_holds(r, code, at);
        break;
      case BT_BACKREF:
        length = backref_length(r, code, at);
        ok = length != SIZE_MAX;
        if (ok) at += length;
        break;
      case BT_LOOK:
        ok = code->behind ? look_behind(r, code, here, at)
                          : run_part(r, here + 1, at, !code->negative);
        ok = ok != code->negative;
        pc = code->a;
        break;
      case BT_ATOMIC:
        ok = run_part(r, here + 1, at, true);
        if (ok) at = r->end;
        pc = code->a;
        break;
      case BT_KEEP:
        set_slot(r, 0, (ptrdiff_t)at);
        break;
      case BT_END_AT:
      case BT_MATCH:
        ok = code->op == BT_MATCH || at == r->look_end;
        if (!ok) break;
        r->end = at;
        return 1;
    }
    if (!ok && !backtrack_to(r, base, &pc, &at)) return 0;
  }
}

int backtrack_search(backtrack *b, const char *text, size_t size, size_t from, unsigned flags,
                     const bool *first, ptrdiff_t *slots) {
  bt_run r = {.b = b, .text = text, .size = size, .flags = flags};
  r.slots = malloc(b->slots * sizeof *r.slots);
  if (r.slots == NULL) return -1;
  int found = 0;
  for (size_t at = from; at <= size && !found && !r.gave_up;) {
    if (first != NULL) {
      while (at < size && !first[(unsigned char)text[at]]) at++;
      if (at == size) break;
    }
    for (uint32_t i = 0; i < b->slots; i++) r.slots[i] = -1;
    r.slots[0] = (ptrdiff_t)at;
    r.count = 0;
    found = run(&r, 0, at);
    if (!found) at += at < size ? (b->bytes ? 1 : utf8_step(text + at, size - at)) : 1;
  }
  if (found) {
    r.slots[1] = (ptrdiff_t)r.end;
    memcpy(slots, r.slots, b->capture_slots * sizeof *slots);
  }
  free(r.slots);
  free(r.frames);
  return r.gave_up ? -1 : found;
}
