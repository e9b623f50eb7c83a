// SPDX-License-Identifier: MIT
/* simple.c -- simple commands: assignments, and words that name a function, a builtin or a program.
 */
#include <stdlib.h>

#include "arith.h"
#include "builtins.h"

/* ---- assignments ---- */

static bool assign_element(shell *sh, variable *into, const element *at, int64_t *next) {
  if (into->attributes & ATTR_MAP) {
    const char *key = expand_string(sh, at->subscript, false);
    const char *value = key != NULL ? expand_string(sh, at->value, true) : NULL;
    if (value == NULL) return false;
    if (*key == 0) {
      complain(sh, "%s: bad array subscript", "[]");
      return true;
    }
    return var_store_key(sh, into, key, value, at->append);
  }
  const char *subscript = expand_string(sh, at->subscript, false);
  const char *value = subscript != NULL ? expand_string(sh, at->value, true) : NULL;
  int64_t index;
  if (value == NULL) return false;
  size_t before = sh->errors.len;
  if (!var_index(sh, into, subscript, &index)) {
    if (sh->errors.len == before) complain(sh, "[%s]: bad array subscript", subscript);
    return false;
  }
  *next = index + 1;
  return var_store_index(sh, into, index, value, at->append);
}

/* Words without a subscript: the next elements, or for an associative array keys and values. */
static bool assign_words(shell *sh, variable *into, const element *at, int64_t *next,
                         const char **key) {
  fields words = {0};
  if (into->attributes & ATTR_MAP) {
    char *word = expand_string(sh, at->value, false);
    if (word == NULL) return false;
    fields_add(sh, &words, word);
  } else {
    word alone = *at->value;
    alone.next = NULL;
    if (!expand_words(sh, &alone, &words)) return false;
  }
  for (size_t i = 0; i < words.count; i++) {
    if (!(into->attributes & ATTR_MAP)) {
      if (!var_store_index(sh, into, (*next)++, words.at[i], false)) return false;
    } else if (*key == NULL) {
      *key = words.at[i];
    } else {
      if (!var_store_key(sh, into, *key, words.at[i], false)) return false;
      *key = NULL;
    }
  }
  return true;
}

bool assign_compound(shell *sh, const assignment *one, variable *into) {
  int64_t next = 0;
  const char *key = NULL;
  if (!var_writable(sh, into)) return false;
  variable built = *into;
  /* a=("${a[@]}" x) reads the old elements while the new ones are made: build aside. */
  built.attributes &= ~(unsigned)(ATTR_EXPORT);
  built.text = NULL;
  built.len = built.cap = 0;
  if (!(into->attributes & (ATTR_ARRAY | ATTR_MAP))) built.attributes |= ATTR_ARRAY | ATTR_UNSET;
  if (built.attributes & ATTR_MAP)
    built.map = (map){0};
  else
    built.array = (array){0};
  if (one->append) {
    var_make_array(into);
    if (into->attributes & ATTR_ARRAY)
      indexed_copy(&built.array, &into->array);
    else
      keyed_copy(&built.map, &into->map);
    next = into->attributes & ATTR_ARRAY ? indexed_last(&into->array) + 1 : 0;
  }
  for (const element *at = one->elements; at != NULL; at = at->next) {
    bool done = at->subscript != NULL ? assign_element(sh, &built, at, &next)
                                      : assign_words(sh, &built, at, &next, &key);
    if (!done) {
      if (built.attributes & ATTR_MAP)
        keyed_free(&built.map);
      else
        indexed_free(&built.array);
      return false;
    }
  }
  if (key != NULL) var_store_key(sh, &built, key, "", false);
  unsigned kept = into->attributes & ~(unsigned)(ATTR_ARRAY | ATTR_MAP | ATTR_UNSET);
  var_clear(into);
  into->attributes = kept | (built.attributes & (ATTR_ARRAY | ATTR_MAP));
  if (built.attributes & ATTR_MAP)
    into->map = built.map;
  else
    into->array = built.array;
  if (into->symbol->hook != HOOK_NONE) hook_changed(sh, into->symbol);
  return true;
}

static bool assign_subscripted(shell *sh, const assignment *one) {
  const char *subscript = expand_string(sh, one->subscript, false);
  if (subscript == NULL) return false;
  const char *value = expand_string(sh, one->value, true);
  if (value == NULL) return false;
  if (option_on(sh, OPTION_XTRACE)) {
    text name = {.in = &sh->scratch};
    text_format(&name, "%s[%s]", one->name, subscript);
    trace_assignment(sh, text_end(&name), one->append ? "+=" : "=", value);
  }
  return var_set_element(sh, one->name, subscript, value, one->append);
}

static bool assign_plain(shell *sh, const assignment *one) {
  size_t size;
  const char *value = expand_sized(sh, one->value, true, &size);
  if (value == NULL) return false;
  if (option_on(sh, OPTION_XTRACE))
    trace_assignment(sh, one->name, one->append ? "+=" : "=", value);
  return var_set_sized(sh, one->name, one->hash, value, size, one->append);
}

bool assign(shell *sh, const assignment *one) {
  if (one->compound) {
    const char *name = one->name;
    uint32_t hash = one->hash;
    if (option_on(sh, OPTION_XTRACE)) trace_text(sh, one->source.at, one->source.len);
    variable *into = var_target(sh, &name, &hash, NULL);
    if (into == NULL) into = var_declare(sh, name, false, false);
    if (!assign_compound(sh, one, into)) return false;
    if (option_on(sh, OPTION_ALLEXPORT)) into->attributes |= ATTR_EXPORT;
    return true;
  }
  return one->subscript != NULL ? assign_subscripted(sh, one) : assign_plain(sh, one);
}

/* Assignments alone. A refusal drops the rest of the complete command. */
static int assign_all(shell *sh, const assignment *first) {
  for (const assignment *at = first; at != NULL; at = at->next) {
    if (assign(sh, at)) continue;
    if (sh->unwind == UNWIND_NONE) discard(sh, 1);
    return sh->status = 1;
  }
  return sh->status = sh->substitution_status >= 0 ? sh->substitution_status : 0;
}

/* In front of a command: into the scope that was just made. */
static bool assign_temporary(shell *sh, const assignment *first) {
  for (const assignment *at = first; at != NULL; at = at->next) {
    if (at->compound || at->subscript != NULL) {
      if (!assign(sh, at)) return false;
      continue;
    }
    size_t size;
    const char *value = expand_sized(sh, at->value, true, &size);
    if (value == NULL) return false;
    if (option_on(sh, OPTION_XTRACE))
      trace_assignment(sh, at->name, at->append ? "+=" : "=", value);
    variable *old = var_find(sh, at->name, at->hash);
    if (old != NULL && old->attributes & ATTR_READONLY) {
      complain(sh, "%s: readonly variable", at->name);
      continue;
    }
    if (at->append && old != NULL && var_value(sh, old) != NULL) {
      text joined = {.in = &sh->scratch};
      text_string(&joined, var_value(sh, old));
      text_add(&joined, value, size);
      value = text_end(&joined);
      size = joined.len;
    }
    if (!var_store(sh, scope_temporary(sh, at->name), value, size, false)) return false;
  }
  return true;
}

/* ---- functions ---- */

static bool function_too_deep(shell *sh, const function *called) {
  const char *limit = var_get(sh, "FUNCNEST");
  int64_t most = FUNCTION_DEPTH, wanted;
  if (limit != NULL && builtin_number(limit, &wanted) && wanted > 0 && wanted < most) most = wanted;
  bool room = sh->function_depth < most && sh->exec_depth < EXEC_DEPTH && stack_left(sh);
  if (room) return false;
  if (sh->unwind == UNWIND_NONE) {
    complain(sh, "%s: maximum function nesting level exceeded (%u)", called->name,
             sh->function_depth);
    discard(sh, 1);
  }
  return true;
}

int call_function(shell *sh, function *called, int argc, char **argv) {
  if (function_too_deep(sh, called)) return sh->status = 1;
  frame pushed = {sh->frame, called->name, called->source, sh->line, true};
  scope locals;
  arguments outer = sh->arguments;
  program *running = sh->program;
  unsigned loops = sh->loop_depth;
  uint32_t line = sh->line;
  node *body = called->body;
  bool last = sh->last_command;
  program_keep(called->program); /* it may redefine or unset itself */
  sh->program = called->program;
  sh->arguments = (arguments){argv + 1, (size_t)argc - 1, NULL};
  sh->frame = &pushed;
  sh->loop_depth = 0;
  sh->last_command = false;
  sh->function_depth++;
  scope_push(sh, &locals, true);
  trap hidden[TRAP_COUNT - TRAP_DEBUG];
  traps_hide(sh, hidden);
  if (sh->traps[TRAP_DEBUG].action != NULL) { /* under set -T: at the function's own line */
    sh->line = body->line;
    trap_debug(sh);
  }
  int status = exec_node(sh, body);
  if (sh->unwind == UNWIND_RETURN) {
    sh->unwind = UNWIND_NONE;
    status = sh->status;
  }
  if (sh->unwind == UNWIND_NONE) trap_return(sh);
  if (locals.saved_options != NULL) {
    sh->options = (unsigned)strtoul(locals.saved_options, NULL, 10);
    free(locals.saved_options);
  }
  traps_show(sh, hidden);
  scope_pop(sh);
  sh->function_depth--;
  sh->last_command = last;
  sh->loop_depth = loops;
  sh->frame = pushed.below;
  arguments_drop(&sh->arguments);
  sh->arguments = outer;
  program_drop(sh->program);
  sh->program = running;
  sh->line = line;
  return sh->status = status;
}

/* ---- which kind of command ---- */

__attribute__((noinline)) int builtin_dispatch(const builtin *called, shell *sh, int argc,
                                               char **argv) {
  return called->run(sh, argc, argv);
}

static int run_builtin(shell *sh, const builtin *called, int argc, char **argv) {
  bool last = sh->last_command;
  const char *outer = sh->builtin;
  sh->last_command = false;
  sh->builtin = called->name;
  int status = builtin_dispatch(called, sh, argc, argv);
  sh->builtin = called->name;
  sh->last_command = last;
  bool written = shell_flush(sh);
  sh->builtin = outer;
  if (!written && status == 0) status = 1;
  return sh->status = status;
}

int exec_arguments(shell *sh, int argc, char **argv, bool plain) {
  function *called = plain ? NULL : function_find(sh, argv[0], name_hash(argv[0], strlen(argv[0])));
  if (called != NULL) return call_function(sh, called, argc, argv);
  const builtin *inside = builtin_find(argv[0]);
  if (inside != NULL) return run_builtin(sh, inside, argc, argv);
  return exec_external(sh, argc, argv);
}

/* A word that expands to this text. */
static word *literal_word(shell *sh, const char *value) {
  word *made = arena_zero(&sh->scratch, sizeof *made);
  made->parts = arena_zero(&sh->scratch, sizeof *made->parts);
  made->parts->kind = PART_QUOTED;
  made->parts->text = (slice){value, strlen(value)};
  return made;
}

static element *add_literal(shell *sh, element ***last, const char *subscript, const char *value) {
  element *made = arena_zero(&sh->scratch, sizeof *made);
  if (subscript != NULL) made->subscript = literal_word(sh, subscript);
  made->value = literal_word(sh, value);
  **last = made;
  *last = &made->next;
  return made;
}

/* The elements of a=( ... ) are expanded with all other arguments of declare, before it does
 * anything. NULL when an expansion failed. */
static word *expand_elements(shell *sh, const word *one, bool keyed) {
  assignment *made = arena_take(&sh->scratch, sizeof *made);
  element **last = &made->elements;
  *made = *one->assign;
  made->elements = NULL;
  for (const element *at = one->assign->elements; at != NULL; at = at->next) {
    fields words = {0};
    if (at->subscript != NULL || keyed) {
      const char *subscript =
          at->subscript != NULL ? expand_string(sh, at->subscript, false) : NULL;
      if (at->subscript != NULL && subscript == NULL) return NULL;
      const char *value = expand_string(sh, at->value, true);
      if (value == NULL) return NULL;
      add_literal(sh, &last, subscript, value)->append = at->append;
      continue;
    }
    word alone = *at->value;
    alone.next = NULL;
    if (!expand_words(sh, &alone, &words)) return NULL;
    for (size_t i = 0; i < words.count; i++) add_literal(sh, &last, NULL, words.at[i]);
  }
  word *expanded = arena_zero(&sh->scratch, sizeof *expanded);
  *expanded = *one;
  expanded->assign = made;
  return expanded;
}

/* Whether declare is about to make, or has made, an associative array of that name. */
static bool is_keyed(shell *sh, const fields *args, const assignment *of) {
  for (size_t i = 1; i < args->count && *args->at[i] == '-'; i++)
    if (strchr(args->at[i], 'A') != NULL) return true;
  variable *found = var_find(sh, of->name, of->hash);
  return found != NULL && found->attributes & ATTR_MAP;
}

/* eval and let take an assignment as text. */
static bool is_text(const fields *args) {
  return strcmp(args->at[0], "eval") == 0 || strcmp(args->at[0], "let") == 0;
}

/* An argument of declare that is an assignment: "name=value" without splitting; a compound one is
 * left for the builtin, which knows what kind of array it makes. */
static bool add_assignment_word(shell *sh, const word *one, fields *to) {
  const assignment *assigned = one->assign;
  text made = {.in = &sh->scratch};
  text_string(&made, assigned->name);
  if (assigned->subscript != NULL) {
    const char *subscript = expand_string(sh, assigned->subscript, false);
    if (subscript == NULL) return false;
    text_format(&made, "[%s]", subscript);
  }
  if (assigned->append && !assigned->compound) text_char(&made, '+');
  if (!assigned->compound) {
    text_char(&made, '=');
    size_t size;
    const char *value = expand_sized(sh, assigned->value, true, &size);
    if (value == NULL) return false;
    text_add(&made, value, size);
  } else if (is_text(to)) {
    made.len = 0;
    text_add(&made, one->source.at, one->source.len);
  }
  fields_add(sh, to, text_end(&made));
  return true;
}

/* Words of which some are assignments; sh->assignments tells which. */
static bool expand_declaration(shell *sh, const node *of, fields *to) {
  size_t count = 0, cap = 8;
  const word **kinds = arena_zero(&sh->scratch, cap * sizeof *kinds);
  for (const word *at = of->words; at != NULL; at = at->next) {
    word alone = *at;
    alone.next = NULL;
    const word *assigned = at->assign != NULL ? at : NULL;
    if (assigned != NULL && at->assign->compound && !is_text(to)) {
      assigned = expand_elements(sh, at, is_keyed(sh, to, at->assign));
      if (assigned == NULL) return false;
    }
    if (!(at->assign != NULL ? add_assignment_word(sh, at, to) : expand_words(sh, &alone, to)))
      return false;
    while (cap <= to->count) {
      const word **bigger = arena_zero(&sh->scratch, cap * 2 * sizeof *bigger);
      memcpy(bigger, kinds, cap * sizeof *bigger);
      kinds = bigger;
      cap *= 2;
    }
    for (; count < to->count; count++) kinds[count] = assigned;
  }
  sh->assignments = kinds;
  return true;
}

static bool has_assignment(const node *of) {
  for (const word *at = of->words; at != NULL; at = at->next)
    if (at->assign != NULL) return true;
  return false;
}

static bool expand_command(shell *sh, const node *of, fields *to) {
  sh->assignments = NULL;
  bool first_plain = of->words != NULL && of->words->flags & WORD_PLAIN;
  if (first_plain && has_assignment(of)) return expand_declaration(sh, of, to);
  return expand_words(sh, of->words, to);
}

static void remember_last(shell *sh, const fields *args) {
  const char *last = args->at[args->count - 1];
  sh->last_argument.len = 0;
  text_string(&sh->last_argument, last);
  text_end(&sh->last_argument);
}

/* With assignments in front: they live in a scope of their own while the command runs. */
static int exec_scoped(shell *sh, const node *of, fields *args) {
  scope temporary;
  int status = 1;
  scope_push(sh, &temporary, false);
  if (assign_temporary(sh, of->assigns)) {
    if (option_on(sh, OPTION_XTRACE)) trace_words(sh, args->at);
    status = exec_arguments(sh, (int)args->count, args->at, false);
  } else if (sh->unwind == UNWIND_NONE) {
    discard(sh, 1);
  }
  scope_pop(sh);
  return sh->status = status;
}

static bool keeps_redirects(const fields *args) {
  return args->count > 0 && strcmp(args->at[0], "exec") == 0;
}

static int exec_words(shell *sh, const node *of, fields *args) {
  if (args->count == 0) return assign_all(sh, of->assigns);
  if (of->assigns != NULL) return exec_scoped(sh, of, args);
  return exec_arguments(sh, (int)args->count, args->at, false);
}

static bool is_program(const shell *sh, const char *name) {
  return builtin_find(name) == NULL &&
         function_find(sh, name, name_hash(name, strlen(name))) == NULL;
}

static int exec_redirected(shell *sh, const node *of, fields *args) {
  size_t mark = redirect_mark(sh);
  bool keep = keeps_redirects(args);
  shell_flush(sh);
  if (!redirect_all(sh, of->redirects)) {
    /* A program's redirections are its own: bash makes them in the child, where a failed expansion
     * ends no script. */
    if (args->count > 0 && is_program(sh, args->at[0]) && sh->unwind != UNWIND_NONE)
      sh->unwind = UNWIND_NONE;
    shell_flush(sh);
    redirect_undo(sh, mark);
    return sh->status = 1;
  }
  int status = exec_words(sh, of, args);
  shell_flush(sh);
  if (keep && (args->count > 1 ? sh->unwind == UNWIND_EXIT : status == 0))
    redirect_forget(sh, mark);
  else
    redirect_undo(sh, mark);
  return status;
}

int exec_simple(shell *sh, const node *of) {
  arena_mark mark = arena_here(&sh->scratch);
  size_t opened = sh->to_close_count;
  fields args = {0};
  if (sh->any_signal_trap) trap_poll(sh);
  sh->line = of->line;
  set_command(sh, of);
  sh->substitution_status = -1;
  sh->builtin = NULL;
  if (sh->traps[TRAP_DEBUG].action != NULL) trap_debug(sh);
  int status = 1;
  if (sh->unwind != UNWIND_NONE) return sh->status;
  if (option_on(sh, OPTION_NOEXEC)) return 0;
  if (!expand_command(sh, of, &args)) {
    status = sh->unwind == UNWIND_NONE ? (sh->status = 1) : sh->status;
  } else {
    fields_end(sh, &args);
    bool words = args.count > 0 && of->assigns == NULL;
    if (words && option_on(sh, OPTION_XTRACE)) trace_words(sh, args.at);
    if (sh->errors.len != 0) shell_flush(sh);
    status = of->redirects != NULL ? exec_redirected(sh, of, &args) : exec_words(sh, of, &args);
    if (args.count > 0) remember_last(sh, &args);
  }
  if (sh->errors.len != 0) shell_flush(sh);
  while (sh->to_close_count > opened) sys_close(sh->to_close[--sh->to_close_count]);
  if (of->words != NULL || sh->pipe_status_count != 1 || sh->pipe_status[0] != status)
    set_pipe_status(sh, &status, 1);
  status = exec_failed(sh, of, status);
  arena_back(&sh->scratch, mark);
  return status;
}
