// SPDX-License-Identifier: MIT
/* builtins.c -- jq's builtins, parsed once at boot.
 *
 * libjq parses its library of some two hundred definitions for every filter it compiles, and throws
 * away all but those the filter uses: 12 ms. Here the parsed library is kept, with a note for each
 * definition of which others it needs; a filter then gets copies of what it can reach.
 *
 * The two sources are included because the instruction's struct and the tables are private to them;
 * builtins_bind, which does the parsing, gives way to ours. */
#include "boot.h"

#include "compile.c"

#define builtins_bind builtins_bind_by_parsing
#define environ (*jq_environ_at())
#include "builtin.c"
#undef builtins_bind
#undef environ

typedef struct {
  inst *code;      /* one definition, alone in its block */
  uint32_t *needs; /* other entries, by number */
  uint32_t need_count, inst_count;
} definition;

/* Made by jq_boot and not changed after; NULL before, and then every filter is compiled the slow
 * way. */
static definition *library;
static uint32_t library_count;
static uint32_t *by_name; /* entries sorted by name and number of parameters */

static int compare_names(const inst *a, const char *name, int formals) {
  int order = strcmp(a->symbol, name);
  return order != 0 ? order : (a->nformals > formals) - (a->nformals < formals);
}

static int by_name_order(const void *a, const void *b) {
  const inst *x = library[*(const uint32_t *)a].code, *y = library[*(const uint32_t *)b].code;
  int order = compare_names(x, y->symbol, y->nformals);
  if (order != 0) return order;
  return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* The first place in by_name that is not before the name. */
static uint32_t find_name(const char *name, int formals) {
  uint32_t low = 0, high = library_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (compare_names(library[by_name[middle]].code, name, formals) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

typedef struct {
  unsigned char *wanted; /* by entry */
  uint32_t *queue, count;
} wish;

static void want(wish *w, uint32_t entry) {
  if (w->wanted[entry]) return;
  w->wanted[entry] = 1;
  w->queue[w->count++] = entry;
}

/* Wants all that unbound calls in the block could mean. */
static void want_calls(wish *w, block b) {
  for (inst *i = b.first; i != NULL; i = i->next) {
    if (i->symbol != NULL && i->bound_by == NULL &&
        (opcode_describe(i->op)->flags & OP_IS_CALL_PSEUDO)) {
      int actuals = i->nactuals;
      if (i->op == CALL_JQ && actuals == -1) actuals = block_count_actuals(i->arglist);
      if (actuals >= 0) {
        for (uint32_t k = find_name(i->symbol, actuals);
             k < library_count && compare_names(library[by_name[k]].code, i->symbol, actuals) == 0;
             k++) {
          want(w, by_name[k]);
        }
      } else { /* any number of parameters */
        for (uint32_t k = find_name(i->symbol, -1);
             k < library_count && strcmp(library[by_name[k]].code->symbol, i->symbol) == 0; k++) {
          want(w, by_name[k]);
        }
      }
    }
    want_calls(w, i->subfn);
    want_calls(w, i->arglist);
  }
}

/* Numbers the instructions of a definition in bytecode_pos, which the compiler sets later anyway.
 */
static void number_insts(block b, uint32_t *count) {
  for (inst *i = b.first; i != NULL; i = i->next) {
    i->bytecode_pos = (int)(*count)++;
    number_insts(i->subfn, count);
    number_insts(i->arglist, count);
  }
}

static block copy_block(block from, inst **copies) {
  block made = {0, 0};
  for (inst *i = from.first; i != NULL; i = i->next) {
    inst *copy = inst_new(i->op);
    block subfn = copy_block(i->subfn, copies), arglist = copy_block(i->arglist, copies);
    copy->imm = i->imm;
    if (opcode_describe(i->op)->flags & OP_HAS_CONSTANT)
      copy->imm.constant = jv_copy(i->imm.constant);
    if (i->symbol != NULL) copy->symbol = jv_mem_strdup(i->symbol);
    copy->bound_by = i->bound_by;
    copy->any_unbound = i->any_unbound;
    copy->referenced = i->referenced;
    copy->nformals = i->nformals;
    copy->nactuals = i->nactuals;
    copy->subfn = subfn;
    copy->arglist = arglist;
    copies[i->bytecode_pos] = copy;
    made = block_join(made, inst_block(copy));
  }
  return made;
}

/* What pointed into the library points to the copies. */
static void point_to_copies(block b, inst **copies) {
  for (inst *i = b.first; i != NULL; i = i->next) {
    if (i->bound_by != NULL) i->bound_by = copies[i->bound_by->bytecode_pos];
    if (opcode_describe(i->op)->flags & OP_HAS_BRANCH)
      i->imm.target = copies[i->imm.target->bytecode_pos];
    point_to_copies(i->subfn, copies);
    point_to_copies(i->arglist, copies);
  }
}

static block copy_definition(const definition *d) {
  inst **copies = jv_mem_calloc(d->inst_count, sizeof *copies);
  block made = copy_block((block){d->code, d->code}, copies);
  point_to_copies(made, copies);
  jv_mem_free(copies);
  return made;
}

static block parse_library(jq_state *jq) {
  block builtins;
  struct locfile *source = locfile_init(jq, "<builtin>", jq_builtins, sizeof(jq_builtins) - 1);
  int errors = jq_parse_library(source, &builtins);
  assert(!errors);
  locfile_free(source);
  builtins = bind_bytecoded_builtins(builtins);
  builtins =
      gen_cbinding(function_list, sizeof(function_list) / sizeof(function_list[0]), builtins);
  return gen_builtin_list(builtins);
}

void jq_boot(void) {
  jq_state *jq = jq_init();
  block all = parse_library(jq);
  uint32_t count = 0;
  for (inst *i = all.first; i != NULL; i = i->next) count++;
  library = jv_mem_calloc(count, sizeof *library);
  by_name = jv_mem_calloc(count, sizeof *by_name);
  for (inst *i; (i = block_take(&all)) != NULL;) {
    definition *d = &library[library_count];
    by_name[library_count] = library_count;
    d->code = i;
    number_insts((block){i, i}, &d->inst_count);
    library_count++;
  }
  qsort(by_name, library_count, sizeof *by_name, by_name_order);
  wish w = {jv_mem_calloc(count, 1), jv_mem_calloc(count, sizeof(uint32_t)), 0};
  for (uint32_t i = 0; i < library_count; i++) {
    w.count = 0;
    memset(w.wanted, 0, count);
    want_calls(&w, library[i].code->subfn);
    library[i].need_count = w.count;
    library[i].needs = jv_mem_calloc(w.count + 1, sizeof(uint32_t));
    memcpy(library[i].needs, w.queue, w.count * sizeof(uint32_t));
  }
  jv_mem_free(w.wanted);
  jv_mem_free(w.queue);
  /* One filter that uses most parts, so that they set themselves up now. */
  if (jq_compile(jq, ".a, test(\"x\"; \"gx\"), (1.5 | tostring), now")) {
    jq_start(jq, jv_parse("{\"a\":1e1000}"), 0);
    for (jv value; jv_is_valid(value = jq_next(jq));) jv_free(value);
  }
  jq_teardown(&jq);
}

int builtins_bind(jq_state *jq, block *program) {
  if (library == NULL) return builtins_bind_by_parsing(jq, program);
  wish w = {jv_mem_calloc(library_count, 1), jv_mem_calloc(library_count, sizeof(uint32_t)), 0};
  want_calls(&w, *program);
  for (uint32_t next = 0; next < w.count; next++) {
    const definition *d = &library[w.queue[next]];
    for (uint32_t i = 0; i < d->need_count; i++) want(&w, d->needs[i]);
  }
  block used = {0, 0};
  for (uint32_t i = 0; i < library_count; i++) {
    if (w.wanted[i]) used = block_join(used, copy_definition(&library[i]));
  }
  jv_mem_free(w.wanted);
  jv_mem_free(w.queue);
  *program = block_bind_referenced(used, *program, OP_IS_CALL_PSEUDO);
  return 0;
}
