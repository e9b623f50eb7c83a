// SPDX-License-Identifier: MIT
/* exec.c -- lists and compound commands. */
#include "exec.h"

#include "arith.h"

/* ---- lists ---- */

int exec_failed(shell *sh, const node *of, int status) {
  if (status == 0 || of->inverted || sh->condition_depth > 0 || sh->unwind != UNWIND_NONE)
    return status;
  trap_error(sh);
  if (sh->unwind == UNWIND_NONE && option_on(sh, OPTION_ERREXIT)) {
    sh->status = status;
    sh->unwind = UNWIND_EXIT;
    sh->leaves = true;
  }
  return status;
}

/* A command whose status only decides what runs next. */
static int exec_tested(shell *sh, const node *of) {
  bool last = sh->last_command;
  sh->last_command = false;
  sh->condition_depth++;
  int status = exec_node(sh, of);
  sh->condition_depth--;
  sh->last_command = last;
  return status;
}

int exec_list(shell *sh, const node *first) {
  int status = sh->status;
  bool last = sh->last_command;
  for (const node *at = first; at != NULL; at = at->next) {
    bool tested = at->joint == JOIN_AND || at->joint == JOIN_OR;
    sh->last_command = last && at->next == NULL;
    if (at->joint == JOIN_BACKGROUND)
      status = exec_background(sh, at);
    else
      status = tested ? exec_tested(sh, at) : exec_node(sh, at);
    if (sh->unwind != UNWIND_NONE) break;
    while ((at->joint == JOIN_AND && status != 0) || (at->joint == JOIN_OR && status == 0))
      at = at->next;
  }
  sh->last_command = last;
  return status;
}

/* ---- loops ---- */

bool loop_stops(shell *sh) {
  if (sh->any_signal_trap) trap_poll(sh);
  if (kernel_interrupted()) {
    sh->unwind = UNWIND_EXIT;
    sh->status = 130;
  }
  if (sh->unwind == UNWIND_NONE) return false;
  if (sh->unwind != UNWIND_BREAK && sh->unwind != UNWIND_CONTINUE) return true;
  if (sh->unwind_count > 1) {
    sh->unwind_count--;
    return true;
  }
  bool stop = sh->unwind == UNWIND_BREAK;
  sh->unwind = UNWIND_NONE;
  return stop;
}

static int exec_while(shell *sh, const node *of) {
  int status = 0;
  sh->loop_depth++;
  for (;;) {
    int test = exec_tested(sh, of->test);
    if (sh->unwind != UNWIND_NONE) {
      if (!loop_stops(sh)) continue;
      status = sh->status;
      break;
    }
    if ((test == 0) == of->until) break;
    status = exec_node(sh, of->loop_body);
    if (loop_stops(sh)) {
      status = sh->status;
      break;
    }
  }
  sh->loop_depth--;
  return sh->status = status;
}

static bool loop_variable(shell *sh, const node *of, const char *value) {
  variable *raw = var_find_raw(sh, of->name);
  /* A nameref as loop variable is pointed at each word in turn. */
  if (raw != NULL && raw->attributes & ATTR_REFERENCE)
    return var_store(sh, raw, value, strlen(value), false);
  return var_set_sized(sh, of->name, of->hash, value, strlen(value), false);
}

static bool valid_loop_name(shell *sh, const node *of) {
  if (name_valid(of->name, strlen(of->name))) return true;
  complain(sh, "`%s': not a valid identifier", of->name);
  return false;
}

static void trace_loop(shell *sh, const node *of, const char *keyword) {
  text line = {.in = &sh->scratch};
  text_format(&line, "%s %s", keyword, of->name);
  if (of->with_words) text_string(&line, " in");
  for (const word *at = of->list; at != NULL; at = at->next) {
    text_char(&line, ' ');
    text_add(&line, at->source.at, at->source.len);
  }
  if (!of->with_words) text_string(&line, " in \"$@\"");
  trace_text(sh, line.at, line.len);
}

static bool loop_words(shell *sh, const node *of, fields *words) {
  if (of->with_words) return expand_words(sh, of->list, words);
  for (size_t i = 0; i < sh->arguments.count; i++)
    fields_add(sh, words,
               arena_copy(&sh->scratch, sh->arguments.at[i], strlen(sh->arguments.at[i])));
  return true;
}

static int exec_for(shell *sh, const node *of) {
  fields words = {0};
  int status = 0;
  if (!valid_loop_name(sh, of)) return sh->status = 1;
  if (!loop_words(sh, of, &words)) return sh->status = 1;
  sh->loop_depth++;
  for (size_t i = 0; i < words.count; i++) {
    arena_mark mark = arena_here(&sh->scratch);
    sh->line = of->line;
    set_command(sh, of);
    trap_debug(sh);
    if (option_on(sh, OPTION_XTRACE)) trace_loop(sh, of, "for");
    if (!loop_variable(sh, of, words.at[i])) {
      status = 1;
      if (sh->unwind == UNWIND_NONE) discard(sh, 1);
      break;
    }
    status = exec_node(sh, of->body);
    arena_back(&sh->scratch, mark);
    if (loop_stops(sh)) {
      status = sh->status;
      break;
    }
  }
  sh->loop_depth--;
  return sh->status = status;
}

/* One of the three expressions; an empty one is true. */
static bool for_expression(shell *sh, const word *expression, int64_t *value) {
  *value = 1;
  if (expression == NULL || expression->parts == NULL) return true;
  if (option_on(sh, OPTION_XTRACE)) {
    text line = {.in = &sh->scratch};
    slice source = expression->source;
    while (source.len > 0 && *source.at == ' ') source.at++, source.len--;
    text_format(&line, "(( %.*s ))", (int)source.len, source.at);
    trace_text(sh, line.at, line.len);
  }
  arena_mark mark = arena_here(&sh->scratch);
  bool fine = expand_arithmetic(sh, "((", expression, value);
  arena_back(&sh->scratch, mark);
  return fine;
}

static int exec_for_arith(shell *sh, const node *of) {
  int64_t value;
  int status = 0;
  sh->line = of->line;
  if (!for_expression(sh, of->step_init, &value)) return sh->status = 1;
  sh->loop_depth++;
  for (;;) {
    sh->line = of->line;
    if (!for_expression(sh, of->condition, &value)) {
      status = 1;
      break;
    }
    if (value == 0) break;
    status = exec_node(sh, of->arith_body);
    if (loop_stops(sh)) {
      status = sh->status;
      break;
    }
    sh->line = of->line;
    if (!for_expression(sh, of->step, &value)) {
      status = 1;
      break;
    }
  }
  sh->loop_depth--;
  return sh->status = status;
}

/* ---- select ---- */

static size_t digits_of(size_t number) {
  size_t digits = 1;
  while (number >= 10) number /= 10, digits++;
  return digits;
}

/* bash's menu: columns as wide as the widest entry, down before across, 80 wide. */
static void show_menu(shell *sh, const fields *words) {
  size_t widest = 0, digits = digits_of(words->count);
  for (size_t i = 0; i < words->count; i++) {
    size_t width = point_count(words->at[i], strlen(words->at[i]));
    if (width > widest) widest = width;
  }
  size_t column = digits + 2 + widest + 2;
  size_t columns = column < 80 ? 80 / column : 1;
  if (columns == 0) columns = 1;
  size_t rows = (words->count + columns - 1) / columns;
  columns = (words->count + rows - 1) / rows;
  if (rows == 1) {
    rows = columns;
    columns = 1;
  }
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = row; i < words->count; i += rows) {
      text_format(&sh->errors, "%*zu) %s", (int)digits, i + 1, words->at[i]);
      size_t width = digits + 2 + point_count(words->at[i], strlen(words->at[i]));
      if (i + rows < words->count) text_pad(&sh->errors, ' ', column - width);
    }
    text_char(&sh->errors, '\n');
  }
}

static int exec_select(shell *sh, const node *of) {
  fields words = {0};
  int status = 0;
  if (!valid_loop_name(sh, of) || !loop_words(sh, of, &words)) return sh->status = 1;
  if (words.count == 0) return sh->status = 0;
  sh->loop_depth++;
  bool show = true;
  for (;;) {
    arena_mark mark = arena_here(&sh->scratch);
    const char *prompt = var_get(sh, "PS3");
    if (show) show_menu(sh, &words);
    text_string(&sh->errors, prompt != NULL ? prompt : "#? ");
    shell_flush(sh);
    char *read_reply[] = {"read", NULL};
    if (exec_arguments(sh, 1, read_reply, true) != 0) {
      text_char(&sh->out, '\n');
      shell_flush(sh);
      status = 1;
      break;
    }
    const char *reply = var_get(sh, "REPLY");
    show = reply == NULL || *reply == 0;
    if (show) continue;
    size_t chosen = 0, at = 0;
    for (; reply[at] >= '0' && reply[at] <= '9' && chosen < 100000; at++)
      chosen = chosen * 10 + (size_t)(reply[at] - '0');
    bool known = reply[at] == 0 && chosen >= 1 && chosen <= words.count;
    if (!loop_variable(sh, of, known ? words.at[chosen - 1] : "")) break;
    status = exec_node(sh, of->body);
    arena_back(&sh->scratch, mark);
    if (loop_stops(sh)) {
      status = sh->status;
      break;
    }
  }
  sh->loop_depth--;
  return sh->status = status;
}

/* ---- the rest ---- */

static int exec_if(shell *sh, const node *of) {
  for (const clause *at = of->clauses; at != NULL; at = at->next) {
    int status = exec_tested(sh, at->condition);
    if (sh->unwind != UNWIND_NONE) return status;
    if (status == 0) return exec_node(sh, at->body);
  }
  if (of->otherwise != NULL) return exec_node(sh, of->otherwise);
  return sh->status = 0;
}

/* 1 matched, 0 not, -1 failed. */
static int case_matches(shell *sh, const case_item *item, const char *subject, size_t size) {
  for (const word *at = item->patterns; at != NULL; at = at->next) {
    if (at->flags & WORD_PLAIN && !shopt_on(sh, SHOPT_NOCASEMATCH)) {
      const slice *plain = &at->parts->text;
      if (plain->len == size && memcmp(plain->at, subject, size) == 0) return 1;
      continue;
    }
    pattern *compiled = expand_pattern(sh, at, pattern_flags(sh));
    if (compiled == NULL) return -1;
    if (pattern_matches(compiled, subject, size)) return 1;
  }
  return 0;
}

static int exec_case(shell *sh, const node *of) {
  size_t size;
  sh->line = of->line;
  set_command(sh, of);
  trap_debug(sh);
  if (option_on(sh, OPTION_XTRACE)) {
    text line = {.in = &sh->scratch};
    text_format(&line, "case %.*s in", (int)of->subject->source.len, of->subject->source.at);
    trace_text(sh, line.at, line.len);
  }
  const char *subject = expand_sized(sh, of->subject, false, &size);
  if (subject == NULL) return sh->status = 1;
  int status = 0;
  bool falls = false;
  for (const case_item *at = of->items; at != NULL; at = at->next) {
    int matched = falls ? 1 : case_matches(sh, at, subject, size);
    if (matched < 0) return sh->status = 1;
    if (matched == 0) continue;
    status = at->body != NULL ? exec_node(sh, at->body) : (sh->status = 0);
    if (sh->unwind != UNWIND_NONE || at->end == CASE_END) return status;
    falls = at->end == CASE_FALL;
  }
  return sh->status = status;
}

static int exec_arith(shell *sh, const node *of) {
  int64_t value;
  sh->line = of->line;
  set_command(sh, of);
  trap_debug(sh);
  if (option_on(sh, OPTION_XTRACE)) {
    text line = {.in = &sh->scratch};
    text_format(&line, "(( %.*s ))", (int)of->condition->source.len, of->condition->source.at);
    trace_text(sh, line.at, line.len);
  }
  bool fine = expand_arithmetic(sh, "((", of->condition, &value);
  sh->status = fine && value != 0 ? 0 : 1;
  set_pipe_status(sh, &sh->status, 1);
  return exec_failed(sh, of, sh->status);
}

static int exec_test(shell *sh, const node *of) {
  sh->line = of->line;
  set_command(sh, of);
  trap_debug(sh);
  sh->status = exec_condition(sh, of->expression);
  set_pipe_status(sh, &sh->status, 1);
  return exec_failed(sh, of, sh->status);
}

static int exec_function_definition(shell *sh, const node *of) {
  if (strpbrk(of->name, "$`'\"\\") != NULL || *of->name == 0) {
    complain(sh, "`%s': not a valid identifier", of->name);
    return sh->status = 1;
  }
  function *old = function_find(sh, of->name, of->hash);
  if (old != NULL && old->readonly) {
    complain(sh, "%s: readonly function", of->name);
    return sh->status = 1;
  }
  function_define(sh, sh->program, of);
  return sh->status = 0;
}

static int exec_compound(shell *sh, const node *of) {
  switch (of->kind) {
    case NODE_LIST:
      return sh->status = exec_list(sh, of->first);
    case NODE_PIPELINE:
      return exec_pipeline(sh, of);
    case NODE_SUBSHELL:
      return exec_failed(sh, of, exec_subshell(sh, of));
    case NODE_GROUP:
      return exec_node(sh, of->body);
    case NODE_IF:
      return exec_if(sh, of);
    case NODE_WHILE:
      return exec_while(sh, of);
    case NODE_FOR:
      return exec_for(sh, of);
    case NODE_FOR_ARITH:
      return exec_for_arith(sh, of);
    case NODE_SELECT:
      return exec_select(sh, of);
    case NODE_CASE:
      return exec_case(sh, of);
    case NODE_FUNCTION:
      return exec_function_definition(sh, of);
    case NODE_CONDITION:
      return exec_test(sh, of);
    case NODE_ARITH:
      return exec_arith(sh, of);
    case NODE_COPROC:
      return exec_coproc(sh, of);
    default:
      return exec_simple(sh, of);
  }
}

static bool reusable(const node *of) {
  return of->kind != NODE_SIMPLE && of->kind != NODE_SUBSHELL && of->kind != NODE_PIPELINE &&
         of->kind != NODE_LIST && of->kind != NODE_GROUP;
}

int exec_node(shell *sh, const node *of) {
  if (of == NULL) return sh->status = 0;
  if (of->kind == NODE_SIMPLE) return exec_simple(sh, of);
  if (option_on(sh, OPTION_NOEXEC)) return 0;
  if (sh->exec_depth >= EXEC_DEPTH || !stack_left(sh)) {
    if (sh->unwind == UNWIND_NONE) {
      complain(sh, "more than %u commands inside one another", EXEC_DEPTH);
      sh->unwind = UNWIND_EXIT;
    }
    return sh->status = 1;
  }
  arena_mark mark = arena_here(&sh->scratch);
  size_t redirects = redirect_mark(sh);
  bool last = sh->last_command;
  if (reusable(of) || of->redirects != NULL) sh->last_command = false;
  int status = 1;
  if (of->redirects == NULL || of->kind == NODE_SUBSHELL || redirect_all(sh, of->redirects)) {
    sh->exec_depth++;
    status = exec_compound(sh, of);
    sh->exec_depth--;
  } else {
    sh->status = 1;
    status = exec_failed(sh, of, 1);
  }
  if (of->redirects != NULL) {
    shell_flush(sh);
    redirect_undo(sh, redirects);
  }
  sh->last_command = last;
  arena_back(&sh->scratch, mark);
  return status;
}
