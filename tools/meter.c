// SPDX-License-Identifier: MIT
/* meter.c -- rewrites a wasm module so that it pays for what it does.
 *
 *   meter IN.wasm OUT.wasm
 *
 * What it adds:
 *   fuel          a mutable i64 global, exported. Every function entry and every loop head takes
 * one unit from it, memory.copy and memory.fill one for each 64 bytes as well; when it falls below
 * zero the module's only import, cloche.refuel, is called. stack_limit   a mutable i32 global.
 * Whatever lowers the C stack pointer below it sets the overflow      exported i32 global
 * `overflow` and stops at `unreachable`. meter_fuel    the body of this function, if the module
 * exports it, becomes "the fuel left"; meter_stack_limit  of this one, "set the stack limit"; of
 *   meter_stack   and meter_set_stack, "the C stack pointer" and "set it".
 *
 * No index of the module changes: globals and exports are appended, functions keep their numbers.
 * It refuses a module with any other import, or with an instruction it does not know, since it
 * could then not say that nothing escaped the charge. The counts it prints are compared by the
 * build with those of a disassembler that is not ours. Format: WebAssembly Core Specification 1.0
 * and the sign-extension, non-trapping conversion, bulk memory and multi-value proposals. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes in and out ---- */

typedef struct {
  const uint8_t *at, *end;
} reader;

typedef struct {
  uint8_t *at;
  size_t len, cap;
} writer;

_Noreturn static void fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("meter: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(1);
}

static uint8_t take_byte(reader *in) {
  if (in->at == in->end) fail("the module ends in the middle of something");
  return *in->at++;
}

static uint64_t take_leb(reader *in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    uint8_t byte = take_byte(in);
    value |= (uint64_t)(byte & 0x7f) << (shift < 64 ? shift : 63);
    if (byte < 0x80) return value;
  }
  fail("a number is longer than ten bytes");
}

static reader take_part(reader *in, uint64_t size) {
  if (size > (uint64_t)(in->end - in->at)) fail("a size reaches past the end of the module");
  reader part = {in->at, in->at + size};
  in->at += size;
  return part;
}

static void put(writer *out, const void *bytes, size_t size) {
  if (out->len + size > out->cap) {
    out->cap = (out->len + size) * 2 + 64;
    out->at = realloc(out->at, out->cap);
    if (out->at == NULL) fail("out of memory");
  }
  if (size > 0) memcpy(out->at + out->len, bytes, size);
  out->len += size;
}

static void put_byte(writer *out, uint8_t byte) {
  put(out, &byte, 1);
}

static void put_leb(writer *out, uint64_t value) {
  do {
    put_byte(out, (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0)));
    value >>= 7;
  } while (value != 0);
}

static void put_name(writer *out, const char *name) {
  put_leb(out, strlen(name));
  put(out, name, strlen(name));
}

static void put_section(writer *out, uint8_t id, const writer *body) {
  put_byte(out, id);
  put_leb(out, body->len);
  put(out, body->at, body->len);
}

/* ---- the module ---- */

enum {
  SECTION_TYPE = 1,
  SECTION_IMPORT = 2,
  SECTION_FUNCTION = 3,
  SECTION_GLOBAL = 6,
  SECTION_EXPORT = 7,
  SECTION_CODE = 10,
  SECTION_LIMIT = 13
};
enum { I32 = 0x7f, I64 = 0x7e, EXPORT_FUNCTION = 0, EXPORT_GLOBAL = 3 };
enum {
  OP_UNREACHABLE = 0x00,
  OP_BLOCK = 0x02,
  OP_LOOP = 0x03,
  OP_IF = 0x04,
  OP_ELSE = 0x05,
  OP_END = 0x0b,
  OP_CALL = 0x10,
  OP_LOCAL_GET = 0x20,
  OP_LOCAL_SET = 0x21,
  OP_LOCAL_TEE = 0x22,
  OP_GLOBAL_GET = 0x23,
  OP_GLOBAL_SET = 0x24,
  OP_I32_CONST = 0x41,
  OP_I64_CONST = 0x42,
  OP_I32_LT_U = 0x49,
  OP_I64_LT_S = 0x53,
  OP_I32_ADD = 0x6a,
  OP_I64_SUB = 0x7d,
  OP_I64_SHR_U = 0x88,
  OP_I64_EXTEND_I32_U = 0xad,
  OP_PREFIX_BULK = 0xfc,
  BULK_COPY = 10,
  BULK_FILL = 11,
  BLOCK_EMPTY = 0x40
};

/* The functions whose bodies the meter writes itself. */
enum { OWN_FUEL, OWN_STACK_LIMIT, OWN_STACK, OWN_SET_STACK, OWN_COUNT };
static const char *const own_names[OWN_COUNT] = {"meter_fuel", "meter_stack_limit", "meter_stack",
                                                 "meter_set_stack"};

typedef struct {
  uint32_t refuel;        /* function index of the import */
  uint32_t functions;     /* imported ones: the first body's index */
  uint32_t globals;       /* before ours */
  uint32_t stack;         /* index of the C stack pointer, always 0 from wasm-ld */
  int64_t own[OWN_COUNT]; /* function indices, -1 when not exported */
  uint64_t function_count, own_count, loop_count, bulk_count, stack_count;
} module;

static uint32_t fuel_global(const module *m) {
  return m->globals;
}
static uint32_t limit_global(const module *m) {
  return m->globals + 1;
}
static uint32_t overflow_global(const module *m) {
  return m->globals + 2;
}

static void read_imports(reader in, module *m) {
  uint64_t count = take_leb(&in);
  if (count != 1) fail("the module has %llu imports, not one", (unsigned long long)count);
  reader space = take_part(&in, take_leb(&in)), name = take_part(&in, take_leb(&in));
  bool ours = space.end - space.at == 6 && memcmp(space.at, "cloche", 6) == 0 &&
              name.end - name.at == 6 && memcmp(name.at, "refuel", 6) == 0 && take_byte(&in) == 0;
  if (!ours)
    fail("the module imports %.*s.%.*s; only the function cloche.refuel may be imported",
         (int)(space.end - space.at), space.at, (int)(name.end - name.at), name.at);
  m->refuel = 0;
  m->functions = 1;
}

static void read_exports(reader in, module *m) {
  for (uint64_t count = take_leb(&in); count > 0; count--) {
    reader name = take_part(&in, take_leb(&in));
    uint8_t kind = take_byte(&in);
    uint64_t index = take_leb(&in);
    size_t length = (size_t)(name.end - name.at);
    for (int i = 0; i < OWN_COUNT; i++)
      if (kind == EXPORT_FUNCTION && length == strlen(own_names[i]) &&
          memcmp(name.at, own_names[i], length) == 0)
        m->own[i] = (int64_t)index;
  }
}

static void add_global(writer *out, uint8_t type) {
  put_byte(out, type);
  put_byte(out, 1);
  put_byte(out, type == I64 ? OP_I64_CONST : OP_I32_CONST);
  put_byte(out, 0);
  put_byte(out, OP_END);
}

static void write_globals(reader in, module *m, writer *out) {
  m->globals = (uint32_t)take_leb(&in);
  if (m->globals == 0 || in.at[0] != I32 || in.at[1] != 1)
    fail("global 0 is not the C stack pointer (a mutable i32)");
  writer body = {0};
  put_leb(&body, m->globals + 3);
  put(&body, in.at, (size_t)(in.end - in.at));
  add_global(&body, I64);
  add_global(&body, I32);
  add_global(&body, I32);
  put_section(out, SECTION_GLOBAL, &body);
  free(body.at);
}

static void write_exports(reader in, const module *m, writer *out) {
  writer body = {0};
  put_leb(&body, take_leb(&in) + 2);
  put(&body, in.at, (size_t)(in.end - in.at));
  put_name(&body, "fuel");
  put_byte(&body, EXPORT_GLOBAL);
  put_leb(&body, fuel_global(m));
  put_name(&body, "overflow");
  put_byte(&body, EXPORT_GLOBAL);
  put_leb(&body, overflow_global(m));
  put_section(out, SECTION_EXPORT, &body);
  free(body.at);
}

/* ---- what is put into the code ---- */

static void put_op(writer *out, uint8_t op, uint64_t index) {
  put_byte(out, op);
  put_leb(out, index);
}

/* With the amount (an i64) and the old fuel on the stack in the order that i64.sub wants. */
static void put_charge_end(writer *out, const module *m) {
  put_byte(out, OP_I64_SUB);
  put_op(out, OP_GLOBAL_SET, fuel_global(m));
  put_op(out, OP_GLOBAL_GET, fuel_global(m));
  put_op(out, OP_I64_CONST, 0);
  put_byte(out, OP_I64_LT_S);
  put_op(out, OP_IF, BLOCK_EMPTY);
  put_op(out, OP_CALL, m->refuel);
  put_byte(out, OP_END);
}

static void put_charge_one(writer *out, const module *m) {
  put_op(out, OP_GLOBAL_GET, fuel_global(m));
  put_op(out, OP_I64_CONST, 1);
  put_charge_end(out, m);
}

/* The byte count is on the stack and stays there; `local` is an i32 of our own. */
static void put_charge_bytes(writer *out, const module *m, uint64_t local) {
  put_op(out, OP_LOCAL_SET, local);
  put_op(out, OP_GLOBAL_GET, fuel_global(m));
  put_op(out, OP_LOCAL_GET, local);
  put_byte(out, OP_I64_EXTEND_I32_U);
  put_op(out, OP_I64_CONST, 6);
  put_byte(out, OP_I64_SHR_U);
  put_charge_end(out, m);
  put_op(out, OP_LOCAL_GET, local);
}

static void put_stack_guard(writer *out, const module *m) {
  put_op(out, OP_GLOBAL_GET, m->stack);
  put_op(out, OP_GLOBAL_GET, limit_global(m));
  put_byte(out, OP_I32_LT_U);
  put_op(out, OP_IF, BLOCK_EMPTY);
  put_op(out, OP_I32_CONST, 1);
  put_op(out, OP_GLOBAL_SET, overflow_global(m));
  put_byte(out, OP_UNREACHABLE);
  put_byte(out, OP_END);
}

static void put_own_body(writer *out, const module *m, int own) {
  writer body = {0};
  put_leb(&body, 0); /* no locals */
  if (own == OWN_FUEL) put_op(&body, OP_GLOBAL_GET, fuel_global(m));
  if (own == OWN_STACK) put_op(&body, OP_GLOBAL_GET, m->stack);
  if (own == OWN_STACK_LIMIT || own == OWN_SET_STACK) {
    put_op(&body, OP_LOCAL_GET, 0);
    put_op(&body, OP_GLOBAL_SET, own == OWN_SET_STACK ? m->stack : limit_global(m));
  }
  put_byte(&body, OP_END);
  put_leb(out, body.len);
  put(out, body.at, body.len);
  free(body.at);
}

/* ---- instructions ---- */

static void skip_lebs(reader *in, uint64_t count) {
  while (count-- > 0) take_leb(in);
}

static void skip_bulk(reader *in, uint64_t op) {
  static const uint8_t immediates[18] = {[8] = 2,  [9] = 1,  [10] = 2, [11] = 1, [12] = 2,
                                         [13] = 1, [14] = 2, [15] = 1, [16] = 1, [17] = 1};
  if (op >= sizeof immediates) fail("unknown instruction fc %llu", (unsigned long long)op);
  skip_lebs(in, immediates[op]);
}

/* Moves past the immediates of `op`. */
static void skip_immediates(reader *in, uint8_t op) {
  switch (op) {
    case OP_BLOCK:
    case OP_LOOP:
    case OP_IF:
      skip_lebs(in, 1);
      return;
    case 0x0c:
    case 0x0d:
      skip_lebs(in, 1);
      return; /* br, br_if */
    case 0x0e:
      skip_lebs(in, take_leb(in) + 1);
      return; /* br_table */
    case OP_CALL:
      skip_lebs(in, 1);
      return;
    case 0x11:
      skip_lebs(in, 2);
      return; /* call_indirect */
    case 0x1c:
      skip_lebs(in, take_leb(in));
      return; /* select t */
    case 0x20:
    case 0x21:
    case 0x22:
    case 0x23:
    case 0x24:
    case 0x25:
    case 0x26:
      skip_lebs(in, 1);
      return;
    case 0x3f:
    case 0x40:
      skip_lebs(in, 1);
      return; /* memory.size, memory.grow */
    case OP_I32_CONST:
    case OP_I64_CONST:
      skip_lebs(in, 1);
      return;
    case 0x43:
      take_part(in, 4);
      return;
    case 0x44:
      take_part(in, 8);
      return;
    case 0xd0:
    case 0xd2:
      skip_lebs(in, 1);
      return; /* ref.null, ref.func */
    default:
      break;
  }
  if (op >= 0x28 && op <= 0x3e) { /* loads and stores */
    skip_lebs(in, 2);
    return;
  }
  bool plain = op <= 0x01 || op == OP_ELSE || op == OP_END || op == 0x0f || op == 0x1a ||
               op == 0x1b || (op >= 0x45 && op <= 0xc4) || op == 0xd1;
  if (!plain) fail("unknown instruction %02x", op);
}

/* One function. `extra` becomes a local of ours, after the parameters and the others. */
static void write_code(reader in, uint64_t extra, module *m, writer *out) {
  put_charge_one(out, m);
  uint8_t before = 0;
  while (in.at < in.end) {
    const uint8_t *start = in.at;
    uint8_t op = take_byte(&in);
    uint64_t index = 0;
    if (op == OP_PREFIX_BULK) {
      uint64_t bulk = take_leb(&in);
      if (bulk == BULK_COPY || bulk == BULK_FILL) {
        put_charge_bytes(out, m, extra);
        m->bulk_count++;
      }
      skip_bulk(&in, bulk);
    } else {
      if (op == OP_GLOBAL_SET) {
        reader peek = in;
        index = take_leb(&peek);
      }
      skip_immediates(&in, op);
    }
    put(out, start, (size_t)(in.at - start));
    if (op == OP_LOOP) {
      put_charge_one(out, m);
      m->loop_count++;
    }
    /* An addition gives stack back; everything else may take it. */
    if (op == OP_GLOBAL_SET && index == m->stack && before != OP_I32_ADD) {
      put_stack_guard(out, m);
      m->stack_count++;
    }
    before = op;
  }
}

static void write_function(reader in, uint64_t parameters, module *m, writer *out) {
  writer body = {0};
  uint64_t groups = take_leb(&in), locals = 0;
  reader declared = in;
  for (uint64_t i = 0; i < groups; i++) {
    locals += take_leb(&in);
    take_byte(&in);
  }
  put_leb(&body, groups + 1);
  put(&body, declared.at, (size_t)(in.at - declared.at));
  put_leb(&body, 1);
  put_byte(&body, I32);
  write_code(in, parameters + locals, m, &body);
  put_leb(out, body.len);
  put(out, body.at, body.len);
  free(body.at);
  m->function_count++;
}

/* ---- types: how many parameters each function takes ---- */

typedef struct {
  uint64_t *parameters; /* by type index */
  uint64_t *types;      /* by body */
} signatures;

static void read_types(reader in, signatures *s) {
  uint64_t count = take_leb(&in);
  s->parameters = calloc(count + 1, sizeof *s->parameters);
  if (s->parameters == NULL) fail("out of memory");
  for (uint64_t i = 0; i < count; i++) {
    if (take_byte(&in) != 0x60) fail("a type is not a function type");
    s->parameters[i] = take_leb(&in);
    take_part(&in, s->parameters[i]);
    take_part(&in, take_leb(&in));
  }
}

static void read_functions(reader in, signatures *s) {
  uint64_t count = take_leb(&in);
  s->types = calloc(count + 1, sizeof *s->types);
  if (s->types == NULL) fail("out of memory");
  for (uint64_t i = 0; i < count; i++) s->types[i] = take_leb(&in);
}

static void write_bodies(reader in, const signatures *s, module *m, writer *out) {
  writer section = {0};
  uint64_t count = take_leb(&in);
  put_leb(&section, count);
  for (uint64_t i = 0; i < count; i++) {
    reader body = take_part(&in, take_leb(&in));
    int own = OWN_COUNT;
    for (int k = 0; k < OWN_COUNT; k++)
      if (m->own[k] == (int64_t)(m->functions + i)) own = k;
    if (own < OWN_COUNT) {
      put_own_body(&section, m, own);
      m->own_count++;
    } else {
      write_function(body, s->parameters[s->types[i]], m, &section);
    }
  }
  put_section(out, SECTION_CODE, &section);
  free(section.at);
}

/* ---- files ---- */

static writer read_file(const char *path) {
  writer content = {0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail("%s cannot be opened", path);
  uint8_t buffer[65536];
  size_t got;
  while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) put(&content, buffer, got);
  fclose(file);
  return content;
}

static void write_file(const char *path, const writer *content) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(content->at, 1, content->len, file) != content->len ||
      fclose(file) != 0)
    fail("%s cannot be written", path);
}

int main(int argc, char **argv) {
  if (argc != 3) fail("usage: meter IN.wasm OUT.wasm");
  writer source = read_file(argv[1]), out = {0};
  if (source.len < 8 || memcmp(source.at, "\0asm\1\0\0\0", 8) != 0) fail("%s is no wasm", argv[1]);

  /* First what the code section needs to know, then the rewriting. */
  module m = {.own = {-1, -1, -1, -1}};
  signatures s = {0};
  reader in = {source.at + 8, source.at + source.len};
  for (reader scan = in; scan.at < scan.end;) {
    uint8_t id = take_byte(&scan);
    reader body = take_part(&scan, take_leb(&scan));
    if (id == SECTION_TYPE) read_types(body, &s);
    if (id == SECTION_IMPORT) read_imports(body, &m);
    if (id == SECTION_FUNCTION) read_functions(body, &s);
    if (id == SECTION_EXPORT) read_exports(body, &m);
  }
  if (m.functions == 0) fail("the module does not import cloche.refuel");

  put(&out, source.at, 8);
  while (in.at < in.end) {
    uint8_t id = take_byte(&in);
    reader body = take_part(&in, take_leb(&in));
    writer same = {(uint8_t *)body.at, (size_t)(body.end - body.at), 0};
    if (id == SECTION_GLOBAL)
      write_globals(body, &m, &out);
    else if (id == SECTION_EXPORT)
      write_exports(body, &m, &out);
    else if (id == SECTION_CODE)
      write_bodies(body, &s, &m, &out);
    else
      put_section(&out, id, &same);
  }
  write_file(argv[2], &out);
  printf("functions %llu own %llu loops %llu bulk %llu stack %llu\n",
         (unsigned long long)m.function_count, (unsigned long long)m.own_count,
         (unsigned long long)m.loop_count, (unsigned long long)m.bulk_count,
         (unsigned long long)m.stack_count);
  return 0;
}
