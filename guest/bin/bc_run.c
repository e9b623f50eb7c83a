// SPDX-License-Identifier: MIT
// bc_run.c -- runs bc's trees, and prints numbers.
#include "bc.h"

#include <limits.h>
#include <stdio.h>

#define MAX_INDEX 16777215
#define MAX_SCALE 1000000
#define MAX_OBASE 999999999

static void note(bc *c, const char *kind, const char *format, va_list rest) {
  char what[600];
  text message = {0};
  vsnprintf(what, sizeof what, format, rest);
  output_flush(&c->b.out);
  text_format(&message, "Runtime %s (func=%s, adr=%zu): %s\n", kind,
              c->calling < 0 ? "(main)" : c->names[c->calling].name, c->line, what);
  sys_write(2, message.at, message.len);
  text_free(&message);
}

void bc_error(bc *c, const char *format, ...) {
  va_list rest;
  if (c->state == BC_FAIL) return;
  va_start(rest, format);
  note(c, "error", format, rest);
  va_end(rest);
  c->state = BC_FAIL;
}

__attribute__((format(printf, 2, 3))) static void warn(bc *c, const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  note(c, "warning", format, rest);
  va_end(rest);
}

/* ---- printing ---- */

static void put_char(bc *c, char byte) {
  if (byte == '\n') {
    c->column = 0;
  } else {
    c->column++;
    if (c->width > 2 && c->column == c->width - 1) {
      output_string(&c->b.out, "\\\n");
      c->column = 1;
    }
  }
  output_byte(&c->b.out, byte);
}

static void put_digit(bc *c, uint32_t digit, int base, bool space) {
  if (base <= 16) {
    put_char(c, "0123456789ABCDEF"[digit]);
    return;
  }
  char text[16];
  int width = snprintf(text, sizeof text, "%d", base - 1);
  snprintf(text, sizeof text, "%0*u", width, digit);
  if (space) put_char(c, ' ');
  for (const char *at = text; *at != 0; at++) put_char(c, *at);
}

static void put_decimal(bc *c, const number *n) {
  size_t size;
  char *digits = number_text(n, &size);
  if (number_is_zero(n)) {
    put_char(c, '0');
  } else {
    if (n->negative) put_char(c, '-');
    size_t whole = size > n->scale ? size - n->scale : 0;
    for (size_t i = 0; i < whole; i++) put_char(c, digits[i]);
    if (n->scale > 0) {
      put_char(c, '.');
      for (size_t i = size; i < n->scale; i++) put_char(c, '0');
      for (size_t i = whole; i < size; i++) put_char(c, digits[i]);
    }
  }
  free(digits);
}

static void put_based(bc *c, const number *n) {
  number *base = number_of(c->obase), *whole = number_rescale(n, 0);
  uint32_t *digits = NULL;
  size_t count = 0, room = 0;
  if (n->negative) put_char(c, '-');
  if (whole->negative) {
    number *positive = number_negate(whole);
    number_drop(whole);
    whole = positive;
  }
  number *all = n->negative ? number_negate(n) : number_rescale(n, n->scale);
  number *part = number_add(all, whole, true);
  while (!number_is_zero(whole)) {
    number *quotient = number_divide(whole, base, 0), *rest = number_modulo(whole, base, 0);
    if (count == room) digits = memory_resize(digits, (room = room * 2 + 32) * sizeof *digits);
    digits[count++] = (uint32_t)number_integer(rest);
    number_drop(rest);
    number_drop(whole);
    whole = quotient;
  }
  if (count == 0 && n->scale == 0) put_digit(c, 0, c->obase, true);
  while (count > 0) put_digit(c, digits[--count], c->obase, true);
  if (n->scale > 0) {
    put_char(c, '.');
    number *reach = number_of(1);
    bool space = false;
    while (number_digits(reach) <= n->scale) {
      number *up = number_multiply(part, base, part->scale), *digit = number_rescale(up, 0);
      number *rest = number_add(up, digit, true), *further = number_multiply(reach, base, 0);
      put_digit(c, (uint32_t)number_integer(digit), c->obase, space);
      space = true;
      number_drop(up);
      number_drop(digit);
      number_drop(part);
      number_drop(reach);
      part = rest;
      reach = further;
    }
    number_drop(reach);
  }
  number_drop(part);
  number_drop(all);
  number_drop(whole);
  number_drop(base);
  free(digits);
}

static void put_number(bc *c, const number *n) {
  if (c->obase == 10)
    put_decimal(c, n);
  else if (number_is_zero(n))
    put_char(c, '0');
  else
    put_based(c, n);
}

static void put_escaped(bc *c, const char *at) {
  for (; *at != 0; at++) {
    if (*at != '\\' || at[1] == 0) {
      put_char(c, *at);
      continue;
    }
    static const char letters[] = "abfnqrt\\", codes[] = "\a\b\f\n\"\r\t\\";
    const char *found = strchr(letters, *++at);
    if (found != NULL) {
      put_char(c, codes[found - letters]);
    } else {
      put_char(c, '\\');
      put_char(c, *at);
    }
  }
}

/* ---- names ---- */

static void drop_array(bc_array *a) {
  if (a == NULL || --a->uses > 0) return;
  for (size_t i = 0; i < a->room; i++) number_drop(a->slots[i].value);
  free(a->slots);
  free(a);
}

static bc_array *new_array(void) {
  bc_array *a = memory_take(sizeof *a);
  *a = (bc_array){.uses = 1};
  return a;
}

static bc_array *array_of(bc *c, int name) {
  if (c->names[name].array == NULL) c->names[name].array = new_array();
  return c->names[name].array;
}

static number **slot(bc_array *a, long long index) {
  if (a->count * 2 >= a->room) {
    size_t room = a->room * 2 + 16;
    bc_array larger = {.room = room, .slots = memory_take(room * sizeof *larger.slots)};
    memset(larger.slots, 0, room * sizeof *larger.slots);
    for (size_t i = 0; i < a->room; i++) {
      if (a->slots[i].value == NULL) continue;
      size_t at = (size_t)a->slots[i].index % room;
      while (larger.slots[at].value != NULL) at = at + 1 == room ? 0 : at + 1;
      larger.slots[at].index = a->slots[i].index;
      larger.slots[at].value = a->slots[i].value;
    }
    free(a->slots);
    a->slots = larger.slots;
    a->room = room;
  }
  size_t at = (size_t)index % a->room;
  while (a->slots[at].value != NULL && a->slots[at].index != index)
    at = at + 1 == a->room ? 0 : at + 1;
  a->slots[at].index = index;
  return &a->slots[at].value;
}

static bc_array *copy_array(const bc_array *from) {
  bc_array *a = new_array();
  for (size_t i = 0; from != NULL && i < from->room; i++) {
    if (from->slots[i].value == NULL) continue;
    *slot(a, from->slots[i].index) = number_keep(from->slots[i].value);
    a->count++;
  }
  return a;
}

static number *load(bc *c, const bc_node *n, long long index) {
  switch (n->kind) {
    case BC_VARIABLE: {
      number *value = c->names[n->name].value;
      return number_keep(value == NULL ? c->zero : value);
    }
    case BC_ELEMENT: {
      bc_array *a = c->names[n->name].array;
      if (a == NULL) return number_keep(c->zero);
      number *value = *slot(a, index);
      return number_keep(value == NULL ? c->zero : value);
    }
    default:
      switch (n->op) {
        case 's':
          return number_of((long long)c->scale);
        case 'i':
          return number_of(c->ibase);
        case 'o':
          return number_of(c->obase);
        default:
          return number_keep(c->last);
      }
  }
}

static long long limited(bc *c, const char *name, const number *value, long long least,
                         long long most) {
  long long n = number_integer(value);
  if (n < least) {
    warn(c, "%s too small, set to %lld", name, least);
    return least;
  }
  if (n > most) {
    warn(c, "%s too large, set to %lld", name, most);
    return most;
  }
  return n;
}

static void store(bc *c, const bc_node *n, long long index, number *value) {
  number_keep(value);
  switch (n->kind) {
    case BC_VARIABLE:
      number_drop(c->names[n->name].value);
      c->names[n->name].value = value;
      return;
    case BC_ELEMENT: {
      bc_array *a = array_of(c, n->name);
      number **at = slot(a, index);
      if (*at == NULL) a->count++;
      number_drop(*at);
      *at = value;
      return;
    }
    default:
      break;
  }
  if (n->op == 'l') {
    number_drop(c->last);
    c->last = value;
    return;
  }
  if (n->op == 's') {
    if (value->negative) {
      warn(c, "negative scale, set to 0");
      c->scale = 0;
    } else {
      c->scale = (size_t)limited(c, "scale", value, 0, MAX_SCALE);
    }
  } else if (n->op == 'i') {
    c->ibase = (int)limited(c, "ibase", value, 2, 36);
  } else {
    c->obase = (int)limited(c, "obase", value, 2, MAX_OBASE);
  }
  number_drop(value);
}

/* ---- expressions: an owned number, or NULL once c->state says why not ---- */

static number *evaluate(bc *c, bc_node *n);

static bool index_of(bc *c, bc_node *n, long long *index) {
  *index = 0;
  if (n->kind != BC_ELEMENT) return true;
  number *value = evaluate(c, n->a);
  if (value == NULL) return false;
  *index = number_integer(value);
  number_drop(value);
  if (*index >= 0 && *index <= MAX_INDEX) return true;
  bc_error(c, "Array %s subscript out of bounds.", c->names[n->name].name);
  return false;
}

static number *compute(bc *c, int op, const number *a, const number *b) {
  number *n = NULL;
  switch (op) {
    case '+':
    case '-':
      return number_add(a, b, op == '-');
    case '*':
      return number_multiply(a, b, c->scale);
    case '/':
    case '%':
      n = op == '/' ? number_divide(a, b, c->scale) : number_modulo(a, b, c->scale);
      if (n == NULL) bc_error(c, op == '/' ? "Divide by zero" : "Modulo by zero");
      return n;
    case '^': {
      if (b->scale > 0) warn(c, "non-zero scale in exponent");
      long long exponent = number_integer(b);
      if (exponent == LLONG_MAX || exponent == -LLONG_MAX) {
        bc_error(c, "exponent too large in raise");
        return NULL;
      }
      if (exponent < 0 && number_is_zero(a)) {
        bc_error(c, "divide by zero");
        return NULL;
      }
      return number_power(a, exponent, c->scale);
    }
    default: {
      int order = number_compare(a, b);
      bool yes = op == '<'   ? order < 0
                 : op == '>' ? order > 0
                 : op == 'l' ? order <= 0
                 : op == 'g' ? order >= 0
                 : op == 'e' ? order == 0
                             : order != 0;
      return number_of(yes);
    }
  }
}

static number *do_binary(bc *c, bc_node *n) {
  number *a = evaluate(c, n->a);
  if (a == NULL) return NULL;
  if (n->op == '&' || n->op == '|') {
    bool yes = !number_is_zero(a);
    number_drop(a);
    if (yes == (n->op == '|')) return number_of(yes);
    number *b = evaluate(c, n->b);
    if (b == NULL) return NULL;
    yes = !number_is_zero(b);
    number_drop(b);
    return number_of(yes);
  }
  number *b = evaluate(c, n->b);
  if (b == NULL) {
    number_drop(a);
    return NULL;
  }
  number *result = compute(c, n->op, a, b);
  number_drop(a);
  number_drop(b);
  return result;
}

static number *do_assign(bc *c, bc_node *n) {
  long long index;
  if (!index_of(c, n->a, &index)) return NULL;
  number *value = evaluate(c, n->b);
  if (value == NULL) return NULL;
  if (n->op != '=') {
    number *old = load(c, n->a, index), *result = compute(c, n->op, old, value);
    number_drop(old);
    number_drop(value);
    value = result;
    if (value == NULL) return NULL;
  }
  store(c, n->a, index, value);
  if (n->a->kind != BC_SPECIAL) return value;
  number_drop(value);
  return c->state == BC_RUN ? load(c, n->a, index) : NULL;
}

static number *do_step(bc *c, bc_node *n) {
  long long index;
  if (!index_of(c, n->a, &index)) return NULL;
  number *old = load(c, n->a, index), *one = number_of(1);
  number *now = number_add(old, one, n->op == '-');
  number_drop(one);
  store(c, n->a, index, now);
  number_drop(n->kind == BC_BEFORE ? old : now);
  return n->kind == BC_BEFORE ? now : old;
}

static void run_list(bc *c, bc_node *list);

typedef struct {
  number *value;
  bc_array *array;
} saved;

static saved push(bc *c, bc_parameter p, number *value, bc_array *array) {
  saved old = {0};
  bc_name *name = &c->names[p.name];
  if (p.array) {
    old.array = name->array;
    name->array = array;
  } else {
    old.value = name->value;
    name->value = value;
  }
  return old;
}

static void pop(bc *c, bc_parameter p, saved old) {
  bc_name *name = &c->names[p.name];
  if (p.array) {
    drop_array(name->array);
    name->array = old.array;
  } else {
    number_drop(name->value);
    name->value = old.value;
  }
}

static number *do_math(bc *c, bc_node *n) {
  const char *name = c->names[n->name].name;
  size_t wanted = *name == 'j' ? 2 : 1, given = 0;
  number *x[2] = {NULL, NULL}, *result = NULL;
  for (bc_node *a = n->a; a != NULL; a = a->next) given++;
  if (given != wanted) {
    bc_error(c, "Parameter number mismatch");
    return NULL;
  }
  bc_node *a = n->a;
  for (size_t i = 0; i < wanted; i++, a = a->next) {
    x[i] = evaluate(c, a);
    if (x[i] == NULL) {
      number_drop(x[0]);
      return NULL;
    }
  }
  result = bc_math(c, *name, x[0], x[1]);
  number_drop(x[0]);
  number_drop(x[1]);
  return result;
}

static number *do_call(bc *c, bc_node *n) {
  bc_function f = c->names[n->name].function;
  if (!f.defined) {
    const char *name = c->names[n->name].name;
    if (c->math && name[1] == 0 && strchr("scalej", *name) != NULL) return do_math(c, n);
    bc_error(c, "Function %s not defined.", name);
    return NULL;
  }
  if (process_stack_left() < 24576) {
    bc_error(c, "Stack overflow.");
    return NULL;
  }
  size_t given = 0, total = f.parameter_count + f.local_count;
  for (bc_node *a = n->a; a != NULL; a = a->next) given++;
  if (given != f.parameter_count) {
    bc_error(c, "Parameter number mismatch");
    return NULL;
  }
  number **values = memory_take((total + 1) * sizeof *values);
  bc_array **arrays = memory_take((total + 1) * sizeof *arrays);
  saved *olds = memory_take((total + 1) * sizeof *olds);
  size_t count = 0;
  bool fine = true;
  for (bc_node *a = n->a; a != NULL && fine; a = a->next, count++) {
    bc_parameter p = f.parameters[count];
    values[count] = NULL;
    arrays[count] = NULL;
    if (p.array != (a->kind == BC_ARRAY)) {
      bc_error(c, "Parameter type mismatch, parameter %s", c->names[p.name].name);
      fine = false;
    } else if (!p.array) {
      values[count] = evaluate(c, a);
      fine = values[count] != NULL;
    } else if (p.reference) {
      arrays[count] = array_of(c, a->name);
      arrays[count]->uses++;
    } else {
      arrays[count] = copy_array(c->names[a->name].array);
    }
    if (!fine) break;
  }
  number *result = NULL;
  if (!fine) {
    for (size_t i = 0; i < count; i++) {
      number_drop(values[i]);
      drop_array(arrays[i]);
    }
  } else {
    for (size_t i = 0; i < total; i++) {
      bool local = i >= f.parameter_count;
      bc_parameter p = local ? f.locals[i - f.parameter_count] : f.parameters[i];
      olds[i] = push(c, p, local ? NULL : values[i], local ? NULL : arrays[i]);
    }
    int calling = c->calling;
    c->calling = n->name;
    run_list(c, f.body->a);
    c->calling = calling;
    for (size_t i = total; i-- > 0;) {
      bool local = i >= f.parameter_count;
      pop(c, local ? f.locals[i - f.parameter_count] : f.parameters[i], olds[i]);
    }
    if (c->state == BC_LEAVE_FUNCTION) c->state = BC_RUN;
    if (c->state == BC_RUN) result = c->returned != NULL ? c->returned : number_keep(c->zero);
    if (c->state != BC_RUN) number_drop(c->returned);
    c->returned = NULL;
  }
  free(values);
  free(arrays);
  free(olds);
  return result;
}

static number *do_read(bc *c) {
  text word = {0};
  int byte = bc_byte(c);
  output_flush(&c->b.out);
  while (byte == ' ' || byte == '\t' || byte == '\n') byte = bc_byte(c);
  bool negative = byte == '-';
  if (negative) byte = bc_byte(c);
  bool point = false;
  for (; (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'F') || (byte == '.' && !point);
       byte = bc_byte(c)) {
    point |= byte == '.';
    text_char(&word, (char)byte);
  }
  if (byte >= 0) c->ahead = byte;
  number *n = word.len == 0 || (word.len == 1 && point) ? number_keep(c->zero)
                                                        : number_read(text_end(&word), c->ibase);
  text_free(&word);
  if (negative) {
    number *other = number_negate(n);
    number_drop(n);
    n = other;
  }
  return n;
}

static number *do_function(bc *c, bc_node *n) {
  if (n->kind == BC_LENGTH && n->a != NULL && n->a->kind == BC_ARRAY)
    return number_of((long long)array_of(c, n->a->name)->count);
  number *a = evaluate(c, n->a), *result = NULL;
  if (a == NULL) return NULL;
  if (n->kind == BC_LENGTH) {
    size_t whole = number_digits(a);
    result = number_of((long long)(whole + a->scale > 0 ? whole + a->scale : 1));
  } else if (n->kind == BC_SCALE_OF) {
    result = number_of((long long)a->scale);
  } else if (n->kind == BC_ROOT) {
    result = number_root(a, c->scale);
    if (result == NULL) bc_error(c, "Square root of a negative number");
  } else if (n->kind == BC_NEGATE) {
    result = number_negate(a);
  } else {
    result = number_of(number_is_zero(a));
  }
  number_drop(a);
  return result;
}

static number *evaluate(bc *c, bc_node *n) {
  if (n == NULL || c->state != BC_RUN) return NULL;
  if (kernel_interrupted()) {
    c->state = BC_STOP;
    return NULL;
  }
  switch (n->kind) {
    case BC_NUMBER:
      if (c->ibase != 10) return number_read(n->text, c->ibase);
      if (n->value == NULL) n->value = number_read(n->text, 10);
      return number_keep(n->value);
    case BC_VARIABLE:
    case BC_ELEMENT:
    case BC_SPECIAL: {
      long long index;
      return index_of(c, n, &index) ? load(c, n, index) : NULL;
    }
    case BC_GROUP:
      return evaluate(c, n->a);
    case BC_BINARY:
      return do_binary(c, n);
    case BC_ASSIGN:
      return do_assign(c, n);
    case BC_BEFORE:
    case BC_AFTER:
      return do_step(c, n);
    case BC_CALL:
      return do_call(c, n);
    case BC_READ:
      return do_read(c);
    case BC_ARRAY:
      bc_error(c, "an array is no number");
      return NULL;
    default:
      return do_function(c, n);
  }
}

/* ---- statements ---- */

static bool is_true(bc *c, bc_node *n, bool *yes) {
  *yes = true;
  if (n == NULL) return true;
  number *value = evaluate(c, n);
  if (value == NULL) return false;
  *yes = !number_is_zero(value);
  number_drop(value);
  return true;
}

static void run_one(bc *c, bc_node *n);

static void run_loop(bc *c, bc_node *n) {
  bool yes;
  if (n->kind == BC_FOR && n->a != NULL) number_drop(evaluate(c, n->a));
  bc_node *condition = n->kind == BC_FOR ? n->b : n->a;
  while (c->state == BC_RUN && is_true(c, condition, &yes) && yes) {
    if (n->d != NULL) run_one(c, n->d);
    if (c->state == BC_LEAVE_LOOP) {
      c->state = BC_RUN;
      return;
    }
    if (c->state == BC_NEXT_LOOP) c->state = BC_RUN;
    if (c->state == BC_RUN && n->kind == BC_FOR && n->c != NULL) number_drop(evaluate(c, n->c));
    if (c->b.out.error != 0) c->state = BC_STOP;
  }
}

static void show(bc *c, bc_node *n) {
  bool nothing = n->a != NULL && n->a->kind == BC_CALL && c->names[n->a->name].function.nothing;
  number *value = evaluate(c, n->a);
  if (value == NULL) return;
  if (nothing) {
    number_drop(value);
    return;
  }
  put_number(c, value);
  put_char(c, '\n');
  number_drop(c->last);
  c->last = value;
}

static void run_print(bc *c, bc_node *list) {
  for (; list != NULL && c->state == BC_RUN; list = list->next) {
    if (list->kind == BC_STRING) {
      put_escaped(c, list->text);
      continue;
    }
    number *value = evaluate(c, list);
    if (value == NULL) return;
    put_number(c, value);
    number_drop(c->last);
    c->last = value;
  }
}

static void run_one(bc *c, bc_node *n) {
  bool yes;
  switch (n->kind) {
    case BC_SHOW:
      show(c, n);
      break;
    case BC_QUIETLY:
      number_drop(evaluate(c, n->a));
      break;
    case BC_STRING:
      output_string(&c->b.out, n->text);
      break;
    case BC_PRINT:
      run_print(c, n->a);
      break;
    case BC_BLOCK:
      run_list(c, n->a);
      break;
    case BC_IF:
      if (!is_true(c, n->a, &yes)) break;
      if (yes && n->b != NULL) run_one(c, n->b);
      if (!yes && n->c != NULL) run_one(c, n->c);
      break;
    case BC_WHILE:
    case BC_FOR:
      run_loop(c, n);
      break;
    case BC_BREAK:
      c->state = BC_LEAVE_LOOP;
      break;
    case BC_CONTINUE:
      c->state = BC_NEXT_LOOP;
      break;
    case BC_RETURN:
      number_drop(c->returned);
      c->returned = NULL;
      if (n->a != NULL) {
        number *value = evaluate(c, n->a);
        if (value == NULL) return;
        c->returned = value;
      }
      c->state = BC_LEAVE_FUNCTION;
      break;
    case BC_HALT:
      c->state = BC_STOP;
      break;
    case BC_LIMITS:
      output_format(&c->b.out,
                    "BC_BASE_MAX     = %d\nBC_DIM_MAX      = %d\nBC_SCALE_MAX    = %d\n"
                    "BC_STRING_MAX   = %d\nMAX Exponent    = %lld\n",
                    MAX_OBASE, MAX_INDEX + 1, MAX_SCALE, INT_MAX, LLONG_MAX);
      break;
    default:
      break;
  }
}

static void run_list(bc *c, bc_node *list) {
  for (; list != NULL && c->state == BC_RUN; list = list->next) run_one(c, list);
}

void bc_run(bc *c, bc_node *statements) {
  c->state = BC_RUN;
  run_list(c, statements);
}
