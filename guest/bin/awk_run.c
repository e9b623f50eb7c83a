// SPDX-License-Identifier: MIT
// awk_run.c -- walks awk's tree.
#include "awk.h"

#include <math.h>

/* What a function call must find left of the process's stack. */
#define STACK_LEFT 24576u

static awk_slot *resolve(awk_slot *slot) {
  while (slot->kind == SLOT_UNTYPED && slot->origin != NULL && slot->origin->kind == SLOT_UNTYPED)
    slot = slot->origin;
  return slot;
}

awk_slot *awk_slot_of(awk *a, awk_node *n) {
  if (n->op == N_GLOBAL) return &a->globals[n->slot];
  return &a->locals[n->slot];
}

awk_array *awk_array_of(awk *a, awk_node *n) {
  awk_slot *slot = awk_slot_of(a, n);
  if (slot->kind == SLOT_ARRAY) return slot->array;
  if (slot->kind == SLOT_SCALAR)
    awk_die(a, "attempt to use scalar `%s' as an array",
            n->op == N_GLOBAL ? a->global_names[n->slot] : "parameter");
  if (slot->origin != NULL) { /* handed in untyped: it is an array there too */
    awk_slot *origin = resolve(slot->origin);
    if (origin->kind == SLOT_SCALAR) awk_die(a, "attempt to use a scalar parameter as an array");
    if (origin->kind == SLOT_UNTYPED) {
      origin->kind = SLOT_ARRAY;
      origin->array = array_new();
    }
    for (awk_slot *each = slot; each != origin && each != NULL; each = each->origin) {
      each->kind = SLOT_ARRAY;
      each->array = origin->array;
      each->borrowed = true;
    }
    return origin->array;
  }
  slot->kind = SLOT_ARRAY;
  return slot->array = array_new();
}

static double compute(awk *a, awk_op op, double x, double y);
static double assign_computed(awk *a, awk_node *n);
static double increment(awk *a, awk_node *n);
static bool eval_comparison(awk *a, awk_node *n);

awk_string *awk_eval_string(awk *a, awk_node *n) {
  awk_value v = awk_eval(a, n);
  if (v.string != NULL) return v.string;
  return value_string(&v, a->convfmt);
}

/* Numbers are what most expressions work with, so those take a way of their
 * own, without values. What cannot wait is tried first: a function that may
 * wait costs more in the guest. */
static bool number_here(awk *a, awk_node *n, double *number) {
  switch (n->op) {
    case N_NUMBER:
      *number = n->number;
      return true;
    case N_FIELD:
      return n->a->op == N_NUMBER && field_number_here(a, n->a->number, number);
    case N_GLOBAL:
    case N_LOCAL: {
      awk_slot *slot = awk_slot_of(a, n);
      if (slot->value.kind != VALUE_NUMBER || (n->op == N_GLOBAL && n->slot < V_SPECIAL))
        return false;
      *number = slot->value.number;
      return slot->kind == SLOT_SCALAR;
    }
    default:
      return false;
  }
}

double awk_eval_number(awk *a, awk_node *n) {
  double number;
  if (number_here(a, n, &number)) return number;
  switch (n->op) {
    case N_FIELD:
      return field_get_number(a, awk_eval_number(a, n->a));
    case N_ADD:
    case N_SUB:
    case N_MUL:
    case N_DIV:
    case N_MOD:
    case N_POW:
      number = awk_eval_number(a, n->a);
      return compute(a, n->op, number, awk_eval_number(a, n->b));
    case N_ADD_ASSIGN:
    case N_SUB_ASSIGN:
    case N_MUL_ASSIGN:
    case N_DIV_ASSIGN:
    case N_MOD_ASSIGN:
    case N_POW_ASSIGN:
      return assign_computed(a, n);
    case N_PRE_INC:
    case N_PRE_DEC:
    case N_POST_INC:
    case N_POST_DEC:
      return increment(a, n);
    case N_LT:
    case N_LE:
    case N_EQ:
    case N_NE:
    case N_GT:
    case N_GE:
      return eval_comparison(a, n);
    default: {
      awk_value v = awk_eval(a, n);
      number = value_number(&v);
      value_drop(v);
      return number;
    }
  }
}

static bool eval_true(awk *a, awk_node *n) {
  if (n->op >= N_LT && n->op <= N_GE) return eval_comparison(a, n);
  awk_value v = awk_eval(a, n);
  bool result = value_true(&v);
  value_drop(v);
  return result;
}

regex *awk_eval_regex(awk *a, awk_node *n) {
  while (n->op == N_GROUP && n->count == 0) n = n->a;
  if (n->op == N_REGEX) {
    if (a->globals[V_IGNORECASE].kind == SLOT_SCALAR) return awk_regex(a, n->string);
    return n->re;
  }
  awk_string *text = awk_eval_string(a, n);
  regex *re = awk_regex(a, text);
  string_drop(text);
  return re;
}

awk_string *awk_key(awk *a, awk_node *index) {
  if (index->count == 1) return awk_eval_string(a, index->list[0]);
  text key = {0};
  for (size_t i = 0; i < index->count; i++) {
    awk_string *part = awk_eval_string(a, index->list[i]);
    if (i > 0) text_add(&key, a->subsep->at, a->subsep->size);
    text_add(&key, part->at, part->size);
    string_drop(part);
  }
  awk_string *s = string_new(key.at, key.len);
  text_free(&key);
  return s;
}

/* ---- assignment ---- */

static void set_slot(awk *a, awk_slot *slot, awk_value value) {
  if (slot->kind == SLOT_ARRAY) awk_die(a, "attempt to use array in a scalar context");
  if (slot->value.string != NULL) string_drop(slot->value.string);
  slot->kind = SLOT_SCALAR;
  slot->value = value;
}

void awk_assign(awk *a, awk_node *target, awk_value value) {
  switch (target->op) {
    case N_GLOBAL:
      set_slot(a, &a->globals[target->slot], value);
      if (target->slot < V_SPECIAL) special_changed(a, target->slot);
      return;
    case N_LOCAL:
      set_slot(a, &a->locals[target->slot], value);
      return;
    case N_FIELD:
      field_set(a, awk_eval_number(a, target->a), value);
      return;
    default: {
      awk_string *key = awk_key(a, target);
      awk_value *at = array_at(awk_array_of(a, target->a), key);
      value_drop(*at);
      *at = value;
      string_drop(key);
      return;
    }
  }
}

/* gawk ends with 1 here, not with the 2 of its other fatal errors. */
static _Noreturn void divided_by_zero(awk *a, const char *where) {
  awk_close_all(a);
  bin_die(&a->b, 1, "error: division by zero attempted%s", where);
}

static double compute(awk *a, awk_op op, double x, double y) {
  switch (op) {
    case N_ADD:
    case N_ADD_ASSIGN:
      return x + y;
    case N_SUB:
    case N_SUB_ASSIGN:
      return x - y;
    case N_MUL:
    case N_MUL_ASSIGN:
      return x * y;
    case N_DIV:
    case N_DIV_ASSIGN:
      if (y == 0) divided_by_zero(a, op == N_DIV ? "" : " in `/='");
      return x / y;
    case N_MOD:
    case N_MOD_ASSIGN:
      if (y == 0) divided_by_zero(a, op == N_MOD ? " in `%'" : " in `%='");
      return fmod(x, y);
    default:
      return pow(x, y);
  }
}

/* Where a variable or element lives, when it can be changed in place; NULL for fields and specials.
 */
static awk_value *place(awk *a, awk_node *target) {
  if (target->op == N_INDEX) {
    awk_string *key = awk_key(a, target);
    awk_value *at = array_at(awk_array_of(a, target->a), key);
    string_drop(key);
    return at;
  }
  if (target->op == N_GLOBAL && target->slot < V_SPECIAL) return NULL;
  if (target->op != N_GLOBAL && target->op != N_LOCAL) return NULL;
  awk_slot *slot = awk_slot_of(a, target);
  if (slot->kind == SLOT_ARRAY) awk_die(a, "attempt to use array in a scalar context");
  slot->kind = SLOT_SCALAR;
  return &slot->value;
}

static double assign_computed(awk *a, awk_node *n) {
  double right = awk_eval_number(a, n->b);
  if (n->a->op == N_FIELD) { /* its number is evaluated once */
    double which = awk_eval_number(a, n->a->a);
    awk_value before = field_get(a, which);
    double result = compute(a, n->op, value_number(&before), right);
    value_drop(before);
    field_set(a, which, number_value(result));
    return result;
  }
  awk_value *at = place(a, n->a);
  if (at == NULL) {
    double result = compute(a, n->op, awk_eval_number(a, n->a), right);
    awk_assign(a, n->a, number_value(result));
    return result;
  }
  double result = compute(a, n->op, value_number(at), right);
  value_drop(*at);
  *at = number_value(result);
  return result;
}

/* += and -= of numbers that are at hand, into a variable that holds one. */
static bool add_here(awk *a, awk_node *n) {
  double right, left;
  if ((n->op != N_ADD_ASSIGN && n->op != N_SUB_ASSIGN) || n->a->op == N_FIELD) return false;
  if (!number_here(a, n->a, &left) || !number_here(a, n->b, &right)) return false;
  awk_slot_of(a, n->a)->value.number = n->op == N_ADD_ASSIGN ? left + right : left - right;
  return true;
}

static double increment(awk *a, awk_node *n) {
  double step = n->op == N_PRE_INC || n->op == N_POST_INC ? 1 : -1, before;
  bool after = n->op == N_PRE_INC || n->op == N_PRE_DEC;
  if (n->a->op == N_FIELD) {
    double which = awk_eval_number(a, n->a->a);
    awk_value old = field_get(a, which);
    before = value_number(&old);
    value_drop(old);
    field_set(a, which, number_value(before + step));
    return after ? before + step : before;
  }
  awk_value *at = place(a, n->a);
  if (at == NULL) {
    before = awk_eval_number(a, n->a);
    awk_assign(a, n->a, number_value(before + step));
  } else {
    before = value_number(at);
    value_drop(*at);
    *at = number_value(before + step);
  }
  return after ? before + step : before;
}

/* ---- comparison ---- */

static int compare(awk *a, awk_value *x, awk_value *y) {
  if (value_is_numeric(x) && value_is_numeric(y)) {
    double p = value_number(x), q = value_number(y);
    return p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
  }
  awk_string *s = value_string(x, a->convfmt), *t = value_string(y, a->convfmt);
  size_t common = s->size < t->size ? s->size : t->size;
  int order = memcmp(s->at, t->at, common);
  if (order == 0) order = (s->size > t->size) - (s->size < t->size);
  string_drop(s);
  string_drop(t);
  return order < 0 ? -1 : order > 0;
}

static bool eval_comparison(awk *a, awk_node *n) {
  awk_value x = awk_eval(a, n->a), y = awk_eval(a, n->b);
  int order = compare(a, &x, &y);
  value_drop(x);
  value_drop(y);
  bool result = false;
  switch (n->op) {
    case N_LT:
      result = order == -1;
      break;
    case N_LE:
      result = order == -1 || order == 0;
      break;
    case N_EQ:
      result = order == 0;
      break;
    case N_NE:
      result = order != 0;
      break;
    case N_GT:
      result = order == 1;
      break;
    default:
      result = order == 1 || order == 0;
      break;
  }
  return result;
}

static bool matches(awk *a, awk_string *s, regex *re) {
  int found = regex_search(re, s->at, s->size, 0, 0, NULL, 0);
  if (found < 0) awk_die(a, "matching gave up: no memory left");
  return found == 1;
}

static awk_value eval_match(awk *a, awk_node *n) {
  awk_string *s = awk_eval_string(a, n->a);
  bool found = matches(a, s, awk_eval_regex(a, n->b));
  string_drop(s);
  return number_value(found == (n->op == N_MATCH));
}

static awk_value eval_concat(awk *a, awk_node *n) {
  awk_string *left = awk_eval_string(a, n->a), *right = awk_eval_string(a, n->b);
  size_t size = left->size, more = right->size;
  if (left->count == 1 && more > 0 && size >= 64) { /* ours alone: let it grow */
    left = memory_resize(left, sizeof *left + size + more + 1);
    memcpy(left->at + size, right->at, more + 1);
    left->size = size + more;
    left->plain = 0;
    string_drop(right);
    return string_value(left);
  }
  awk_string *joined = string_room(size + more);
  memcpy(joined->at, left->at, size);
  memcpy(joined->at + size, right->at, more);
  string_drop(left);
  string_drop(right);
  return string_value(joined);
}

/* ---- functions ---- */

static awk_flow execute(awk *a, awk_node *n);

static void bind_argument(awk *a, awk_slot *to, awk_node *argument) {
  *to = (awk_slot){0};
  if (argument->op == N_GLOBAL || argument->op == N_LOCAL) {
    awk_slot *from = awk_slot_of(a, argument);
    if (from->kind == SLOT_ARRAY) {
      to->kind = SLOT_ARRAY;
      to->array = from->array;
      to->borrowed = true;
      return;
    }
    if (from->kind == SLOT_UNTYPED && !(argument->op == N_GLOBAL && argument->slot < V_SPECIAL)) {
      to->origin = from;
      return;
    }
  }
  to->kind = SLOT_SCALAR;
  to->value = awk_eval(a, argument);
}

static awk_value call(awk *a, awk_node *n) {
  awk_function *f = &a->functions[n->slot];
  if (n->count > f->count)
    awk_die(a, "function `%s' called with more arguments than declared", f->name);
  if (process_stack_left() < STACK_LEFT) awk_die(a, "function `%s' recurses too deeply", f->name);
  awk_slot *frame = memory_take((f->count + 1) * sizeof *frame);
  for (size_t i = 0; i < f->count; i++) {
    if (i < n->count)
      bind_argument(a, &frame[i], n->list[i]);
    else
      frame[i] = (awk_slot){0};
  }
  awk_slot *before = a->locals;
  a->locals = frame;
  a->returned = (awk_value){0};
  awk_flow flow = execute(a, f->body);
  a->locals = before;
  awk_value result = a->returned;
  a->returned = (awk_value){0};
  if (flow == FLOW_EXIT || flow == FLOW_NEXT || flow == FLOW_NEXTFILE)
    a->exiting |= flow == FLOW_EXIT;
  for (size_t i = 0; i < f->count; i++) {
    value_drop(frame[i].value);
    if (frame[i].kind == SLOT_ARRAY && !frame[i].borrowed) {
      array_clear(frame[i].array);
      free(frame[i].array);
    }
  }
  free(frame);
  return result;
}

/* Gives NF, NR and FNR their values, which change with every record. */
static void refresh(awk *a, size_t slot) {
  if (slot == V_NF) field_split(a);
  if (slot == V_NR) a->globals[V_NR].value = number_value(a->nr);
  if (slot == V_FNR) a->globals[V_FNR].value = number_value(a->fnr);
}

static awk_value variable_value(awk *a, awk_slot *slot, awk_node *n) {
  if (slot->kind == SLOT_ARRAY)
    awk_die(a, "attempt to use array `%s' in a scalar context",
            n->op == N_GLOBAL ? a->global_names[n->slot] : "parameter");
  if (slot->value.kind == VALUE_INPUT && slot->value.looks == 0) value_is_numeric(&slot->value);
  return value_copy(&slot->value);
}

static awk_value eval_in(awk *a, awk_node *n) {
  awk_string *key = awk_key(a, n);
  bool found = array_find(awk_array_of(a, n->a), key) != NULL;
  string_drop(key);
  return number_value(found);
}

static awk_value eval_group(awk *a, awk_node *n) {
  if (n->count == 0) return awk_eval(a, n->a);
  return string_value(awk_key(a, n));
}

awk_value awk_eval(awk *a, awk_node *n) {
  switch (n->op) {
    case N_NUMBER:
      return number_value(n->number);
    case N_STRING:
      return string_value(string_keep(n->string));
    case N_REGEX:
      return number_value(matches(a, field_record(a), awk_eval_regex(a, n)));
    case N_GLOBAL:
      if (n->slot <= V_FNR) refresh(a, n->slot);
      return variable_value(a, &a->globals[n->slot], n);
    case N_LOCAL:
      return variable_value(a, &a->locals[n->slot], n);
    case N_FIELD:
      return field_get(a, awk_eval_number(a, n->a));
    case N_INDEX: {
      awk_string *key = awk_key(a, n);
      awk_value *at = array_at(awk_array_of(a, n->a), key);
      string_drop(key);
      if (at->kind == VALUE_INPUT && at->looks == 0) value_is_numeric(at);
      return value_copy(at);
    }
    case N_ASSIGN: {
      awk_value v = awk_eval(a, n->b);
      awk_value result = value_copy(&v);
      awk_assign(a, n->a, v);
      return result;
    }
    case N_ADD_ASSIGN:
    case N_SUB_ASSIGN:
    case N_MUL_ASSIGN:
    case N_DIV_ASSIGN:
    case N_MOD_ASSIGN:
    case N_POW_ASSIGN:
      return number_value(assign_computed(a, n));
    case N_CONDITION:
      return awk_eval(a, eval_true(a, n->a) ? n->b : n->c);
    case N_OR:
      return number_value(eval_true(a, n->a) || eval_true(a, n->b));
    case N_AND:
      return number_value(eval_true(a, n->a) && eval_true(a, n->b));
    case N_IN:
      return eval_in(a, n);
    case N_MATCH:
    case N_NOT_MATCH:
      return eval_match(a, n);
    case N_LT:
    case N_LE:
    case N_EQ:
    case N_NE:
    case N_GT:
    case N_GE:
      return number_value(eval_comparison(a, n));
    case N_CONCAT:
      return eval_concat(a, n);
    case N_ADD:
    case N_SUB:
    case N_MUL:
    case N_DIV:
    case N_MOD:
    case N_POW:
      return number_value(awk_eval_number(a, n));
    case N_NOT:
      return number_value(!eval_true(a, n->a));
    case N_MINUS:
      return number_value(-awk_eval_number(a, n->a));
    case N_PLUS:
      return number_value(awk_eval_number(a, n->a));
    case N_PRE_INC:
    case N_PRE_DEC:
    case N_POST_INC:
    case N_POST_DEC:
      return number_value(increment(a, n));
    case N_CALL:
      return call(a, n);
    case N_BUILTIN:
      return awk_call_builtin(a, n);
    case N_GETLINE:
      return awk_getline(a, n);
    case N_GROUP:
      return eval_group(a, n);
    default:
      awk_die(a, "unexpected part of the program at line %d", n->line);
  }
}

/* ---- statements ---- */

static void put_value(awk *a, output *out, awk_value *v) {
  awk_string *s = value_string(v, a->ofmt);
  output_write(out, s->at, s->size);
  string_drop(s);
}

static void print(awk *a, awk_node *n) {
  output *out = n->redirect == 0 ? &a->b.out : NULL;
  if (n->op == N_PRINTF) {
    awk_string *s = awk_format(a, n->list, n->count);
    if (out == NULL) out = awk_output(a, n);
    output_write(out, s->at, s->size);
    string_drop(s);
  } else if (out == NULL) { /* all is evaluated before the file is opened */
    awk_value *values = memory_take((n->count + 1) * sizeof *values);
    for (size_t i = 0; i < n->count; i++) values[i] = awk_eval(a, n->list[i]);
    out = awk_output(a, n);
    for (size_t i = 0; i < n->count; i++) {
      if (i > 0) output_write(out, a->ofs->at, a->ofs->size);
      put_value(a, out, &values[i]);
      value_drop(values[i]);
    }
    free(values);
    if (n->count == 0) output_write(out, field_record(a)->at, field_record(a)->size);
    output_write(out, a->ors->at, a->ors->size);
  } else {
    if (n->count == 0) output_write(out, field_record(a)->at, field_record(a)->size);
    for (size_t i = 0; i < n->count; i++) {
      awk_node *item = n->list[i];
      const char *at;
      size_t size;
      bool here = item->op == N_FIELD && item->a->op == N_NUMBER &&
                  field_bytes_here(a, item->a->number, &at, &size);
      if (here) {
        if (i > 0) output_write(out, a->ofs->at, a->ofs->size);
        output_write(out, at, size);
        continue;
      }
      awk_value v = awk_eval(a, item);
      if (i > 0) output_write(out, a->ofs->at, a->ofs->size);
      if (v.string != NULL)
        output_write(out, v.string->at, v.string->size);
      else
        put_value(a, out, &v);
      value_drop(v);
    }
    output_write(out, a->ors->at, a->ors->size);
  }
  if (out->fd == 2) output_flush(out);
  if (out->error != 0 && out == &a->b.out) a->exiting = true; /* nobody reads any more */
}

static void delete (awk *a, awk_node *n) {
  awk_array *array = awk_array_of(a, n->a);
  if (n->count == 0) {
    array_clear(array);
    return;
  }
  awk_string *key = awk_key(a, n);
  awk_array_remove(array, key);
  string_drop(key);
}

static awk_flow for_in(awk *a, awk_node *n) {
  awk_array *array = awk_array_of(a, n->b);
  awk_item **items = array_items(array);
  size_t count = array->count;
  const char *function;
  int mode = awk_sort_mode(a, &function);
  if (mode != 0) awk_sort_items(items, count, mode);
  awk_string **keys = memory_take((count + 1) * sizeof *keys);
  for (size_t i = 0; i < count; i++) keys[i] = string_keep(items[i]->key);
  free(items);
  awk_flow flow = FLOW_GO;
  for (size_t i = 0; i < count; i++) {
    if (flow != FLOW_GO && flow != FLOW_CONTINUE) {
      string_drop(keys[i]);
      continue;
    }
    awk_assign(a, n->a, (awk_value){.kind = VALUE_INPUT, .string = keys[i]});
    flow = execute(a, n->c);
  }
  free(keys);
  return flow == FLOW_BREAK || flow == FLOW_CONTINUE ? FLOW_GO : flow;
}

static bool case_matches(awk *a, awk_value *v, awk_node *label) {
  if (label->a == NULL) return false;
  if (label->a->op == N_REGEX) {
    awk_string *s = value_string(v, a->convfmt);
    bool found = matches(a, s, label->a->re);
    string_drop(s);
    return found;
  }
  awk_value other = awk_eval(a, label->a);
  bool same = other.kind == VALUE_NUMBER ? value_is_numeric(v) && value_number(v) == other.number
                                         : !(v->kind == VALUE_NUMBER) && compare(a, v, &other) == 0;
  value_drop(other);
  return same;
}

static awk_flow switch_on(awk *a, awk_node *n) {
  awk_value v = awk_eval(a, n->a);
  size_t start = n->count, fallback = n->count;
  for (size_t i = 0; i < n->count && start == n->count; i++) {
    if (n->list[i]->op != N_CASE) continue;
    if (n->list[i]->a == NULL)
      fallback = i;
    else if (case_matches(a, &v, n->list[i]))
      start = i;
  }
  value_drop(v);
  for (size_t i = start < n->count ? start : fallback; i < n->count; i++) {
    if (n->list[i]->op == N_CASE) continue;
    awk_flow flow = execute(a, n->list[i]);
    if (flow == FLOW_BREAK) return FLOW_GO;
    if (flow != FLOW_GO) return flow;
  }
  return FLOW_GO;
}

/* After a loop's body: whether to leave, and with what. */
static bool leaves(awk_flow *flow) {
  if (*flow == FLOW_CONTINUE) *flow = FLOW_GO;
  if (*flow == FLOW_GO) return false;
  if (*flow == FLOW_BREAK) *flow = FLOW_GO;
  return true;
}

static awk_flow execute(awk *a, awk_node *n) {
  awk_flow flow = FLOW_GO;
  switch (n->op) {
    case N_BLOCK:
      for (size_t i = 0; i < n->count && flow == FLOW_GO; i++) flow = execute(a, n->list[i]);
      return flow;
    case N_EXPRESSION:
      if (add_here(a, n->a)) return FLOW_GO;
      value_drop(awk_eval(a, n->a));
      return a->exiting ? FLOW_EXIT : FLOW_GO;
    case N_PRINT:
    case N_PRINTF:
      print(a, n);
      return a->exiting ? FLOW_EXIT : FLOW_GO;
    case N_IF:
      if (eval_true(a, n->a)) return a->exiting ? FLOW_EXIT : execute(a, n->b);
      return n->c != NULL ? execute(a, n->c) : FLOW_GO;
    case N_WHILE:
      while (!a->exiting && eval_true(a, n->a)) {
        flow = execute(a, n->b);
        if (leaves(&flow)) return flow;
      }
      return a->exiting ? FLOW_EXIT : FLOW_GO;
    case N_DO:
      do {
        flow = execute(a, n->b);
        if (leaves(&flow)) return flow;
      } while (!a->exiting && eval_true(a, n->a));
      return FLOW_GO;
    case N_FOR:
      if (n->a != NULL) execute(a, n->a);
      while (!a->exiting && (n->b == NULL || eval_true(a, n->b))) {
        flow = execute(a, n->d);
        if (leaves(&flow)) return flow;
        if (n->c != NULL) execute(a, n->c);
      }
      return FLOW_GO;
    case N_FOR_IN:
      return for_in(a, n);
    case N_SWITCH:
      return switch_on(a, n);
    case N_DELETE:
      delete (a, n);
      return FLOW_GO;
    case N_BREAK:
      return FLOW_BREAK;
    case N_CONTINUE:
      return FLOW_CONTINUE;
    case N_NEXT:
      return FLOW_NEXT;
    case N_NEXTFILE:
      return FLOW_NEXTFILE;
    case N_EXIT:
      if (n->a != NULL) a->exit_status = (int)awk_eval_number(a, n->a);
      a->exiting = true;
      return FLOW_EXIT;
    case N_RETURN:
      if (n->a != NULL) {
        awk_value v = awk_eval(a, n->a);
        value_drop(a->returned);
        a->returned = v;
      }
      return FLOW_RETURN;
    default:
      awk_die(a, "unexpected part of the program at line %d", n->line);
  }
}

static awk_flow run_rules(awk *a, rule_kind kind) {
  awk_flow flow = FLOW_GO;
  for (size_t i = 0; i < a->rule_count && flow == FLOW_GO; i++) {
    if (a->rules[i].kind == kind) flow = execute(a, a->rules[i].body);
  }
  return flow;
}

bool awk_run_file_rules(awk *a, rule_kind kind) {
  awk_flow flow = run_rules(a, kind);
  return flow != FLOW_NEXTFILE && flow != FLOW_EXIT;
}

static bool selects(awk *a, awk_rule *r) {
  if (r->pattern == NULL) return true;
  if (r->pattern_end == NULL) return eval_true(a, r->pattern);
  if (!r->in_range) {
    if (!eval_true(a, r->pattern)) return false;
    r->in_range = true;
  }
  if (eval_true(a, r->pattern_end)) r->in_range = false;
  return true;
}

static awk_flow run_record(awk *a) {
  for (size_t i = 0; i < a->rule_count; i++) {
    awk_rule *r = &a->rules[i];
    if (r->kind != RULE_MAIN || !selects(a, r)) continue;
    awk_flow flow = FLOW_GO;
    if (r->body != NULL) {
      flow = execute(a, r->body);
    } else {
      awk_string *record = field_record(a);
      output_write(&a->b.out, record->at, record->size);
      output_write(&a->b.out, a->ors->at, a->ors->size);
    }
    if (flow != FLOW_GO) return flow;
    if (a->exiting) return FLOW_EXIT;
  }
  return FLOW_GO;
}

void awk_run(awk *a) {
  bool reads = false;
  for (size_t i = 0; i < a->rule_count; i++) reads |= a->rules[i].kind != RULE_BEGIN;
  run_rules(a, RULE_BEGIN);
  awk_string *record;
  while (reads && !a->exiting && a->b.out.error == 0) {
    if (!next_record_here(a)) {
      if (!next_main_record(a, &record)) break;
      field_set_record(a, record);
    }
    awk_flow flow = run_record(a);
    if (flow == FLOW_NEXTFILE) next_file(a);
  }
  a->exiting = false;
  if (a->b.out.error == 0) run_rules(a, RULE_END);
}
