// SPDX-License-Identifier: MIT
/* builtin_flow.c -- what leaves constructs, runs texts, and looks commands up. */
#include <stdlib.h>

#include "arith.h"
#include "builtins.h"

int builtin_true(shell *sh, int argc, char **argv) {
  (void)sh, (void)argc, (void)argv;
  return 0;
}

int builtin_false(shell *sh, int argc, char **argv) {
  (void)sh, (void)argc, (void)argv;
  return 1;
}

/* ---- break, continue, return, exit, shift ---- */

static int leave_loops(shell *sh, int argc, char **argv, unwind how) {
  int64_t count = 1;
  if (sh->loop_depth == 0) {
    complain_as(sh, argv[0], "only meaningful in a `for', `while', or `until' loop");
    return 0;
  }
  if (argc > 1 && !builtin_number(argv[1], &count)) {
    complain_as(sh, argv[0], "%s: numeric argument required", argv[1]);
    sh->unwind = UNWIND_EXIT;
    return sh->status = 128;
  }
  if (argc > 2) {
    complain_as(sh, argv[0], "too many arguments");
    discard(sh, 1);
    return 1;
  }
  if (count < 1) {
    complain_as(sh, argv[0], "%s: loop count out of range", argv[1]);
    sh->unwind = UNWIND_BREAK;
    sh->unwind_count = sh->loop_depth;
    return sh->status = 1;
  }
  sh->unwind = how;
  sh->unwind_count = count < (int64_t)sh->loop_depth ? (unsigned)count : sh->loop_depth;
  return sh->status = 0;
}

int builtin_break(shell *sh, int argc, char **argv) {
  return leave_loops(sh, argc, argv, UNWIND_BREAK);
}

int builtin_continue(shell *sh, int argc, char **argv) {
  return leave_loops(sh, argc, argv, UNWIND_CONTINUE);
}

/* The status that return and exit were given; the last command's without one. */
static int given_status(shell *sh, int argc, char **argv) {
  int64_t status;
  int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
  if (argc <= first) return sh->status;
  if (!builtin_number(argv[first], &status)) {
    complain_as(sh, argv[0], "%s: numeric argument required", argv[first]);
    return 2;
  }
  return (int)(status & 0xff);
}

int builtin_return(shell *sh, int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "--") != 0) {
    complain_as(sh, "return", "too many arguments");
    discard(sh, 1);
    return 1;
  }
  if (sh->function_depth == 0 && sh->source_depth == 0) {
    complain_as(sh, "return", "can only `return' from a function or sourced script");
    return argc > 1 ? 2 : 1;
  }
  sh->status = given_status(sh, argc, argv);
  sh->unwind = UNWIND_RETURN;
  return sh->status;
}

int builtin_exit(shell *sh, int argc, char **argv) {
  int64_t number;
  if (argc > 2 && builtin_number(argv[1], &number)) {
    complain_as(sh, "exit", "too many arguments");
    discard(sh, 1);
    return 1;
  }
  sh->status = given_status(sh, argc, argv);
  sh->unwind = UNWIND_EXIT;
  sh->leaves = true;
  return sh->status;
}

int builtin_logout(shell *sh, int argc, char **argv) {
  (void)argc, (void)argv;
  complain_as(sh, "logout", "not login shell: use `exit'");
  return 1;
}

int builtin_shift(shell *sh, int argc, char **argv) {
  int64_t count = 1;
  if (argc > 1 && !builtin_number(argv[1], &count)) {
    complain_as(sh, "shift", "%s: numeric argument required", argv[1]);
    return 1;
  }
  if (argc > 2) {
    complain_as(sh, "shift", "too many arguments");
    return 1;
  }
  if (count < 0) {
    complain_as(sh, "shift", "%s: shift count out of range", argv[1]);
    return 1;
  }
  if ((uint64_t)count > sh->arguments.count) {
    if (shopt_on(sh, SHOPT_SHIFT_VERBOSE))
      complain_as(sh, "shift", "%s: shift count out of range", argc > 1 ? argv[1] : "1");
    return 1;
  }
  sh->arguments.at += count;
  sh->arguments.count -= (size_t)count;
  return 0;
}

/* ---- eval, source ---- */

int builtin_eval(shell *sh, int argc, char **argv) {
  int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
  text joined = {.in = NULL};
  if (argc <= first) return 0;
  if (sh->exec_depth >= EXEC_DEPTH || !stack_left(sh)) {
    complain_as(sh, "eval", "maximum eval nesting level exceeded (%u)", sh->exec_depth);
    discard(sh, 1);
    return 1;
  }
  for (int i = first; i < argc; i++) {
    if (i > first) text_char(&joined, ' ');
    text_string(&joined, argv[i]);
  }
  text_end(&joined);
  sh->exec_depth++;
  sh->xtrace_depth++;
  int status = run_text(sh, joined.at, joined.len, "eval", sh->line);
  sh->xtrace_depth--;
  sh->exec_depth--;
  text_free(&joined);
  return status;
}

/* A file to source: without a slash it is looked for in PATH, then here. */
static const char *find_source(shell *sh, const char *name) {
  file_stat stat;
  if (strchr(name, '/') != NULL) return name;
  const char *path = shopt_on(sh, SHOPT_SOURCEPATH) ? var_get(sh, "PATH") : NULL;
  while (path != NULL) {
    size_t size = strcspn(path, ":");
    text file = {.in = &sh->scratch};
    text_format(&file, "%.*s/%s", (int)size, path, name);
    if (sys_stat(text_end(&file), &stat) == 0 && stat.kind == FILE_REGULAR) return file.at;
    path = path[size] == ':' ? path + size + 1 : NULL;
  }
  return name;
}

int builtin_source(shell *sh, int argc, char **argv) {
  int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
  if (argc <= first) {
    complain_as(sh, argv[0], "filename argument required");
    return builtin_usage(sh, argv[0]);
  }
  const char *path = find_source(sh, argv[first]);
  return run_file(sh, path, argc - first, argv + first);
}

/* ---- exec, command, builtin ---- */

int builtin_exec(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  const char *name = NULL;
  bool clean = false, login = false;
  int letter;
  while ((letter = builtin_option(sh, &o, "cla:")) != -1) {
    if (letter == '?') return 2;
    if (letter == 'a') name = o.argument;
    clean |= letter == 'c';
    login |= letter == 'l';
  }
  (void)login;
  if (o.index >= argc) return 0;
  program_found found = find_program(sh, argv[o.index]);
  if (found.error != 0) {
    file_stat stat;
    bool path = strchr(argv[o.index], '/') != NULL;
    int failed = path ? sys_stat(argv[o.index], &stat) : 0;
    if (failed < 0)
      complain(sh, "%s: %s", argv[o.index], error_text(failed));
    else if (path)
      complain(sh, "%s: cannot execute: Permission denied", argv[o.index]);
    else
      complain_as(sh, "exec", "%s: not found", argv[o.index]);
    if (!shopt_on(sh, SHOPT_EXECFAIL)) {
      sh->unwind = UNWIND_EXIT;
      sh->exiting = !process_in_session();
    }
    return sh->status = found.error;
  }
  if (clean)
    for (size_t i = 0; i < sh->symbols.bucket_count; i++)
      for (symbol *at = sh->symbols.buckets[i]; at != NULL; at = at->next)
        if (at->current != NULL) at->current->attributes &= ~(unsigned)ATTR_EXPORT;
  char **rest = argv + o.index;
  if (name != NULL) rest[0] = (char *)name;
  sh->exiting = true; /* no EXIT trap: the shell is gone */
  sh->leaves = true;
  sh->status = exec_in_place(sh, &found, argc - o.index, rest);
  sh->unwind = UNWIND_EXIT;
  return sh->status;
}

const char *const shell_keywords[] = {"if",   "then", "else",     "elif",   "fi",    "case",
                                      "esac", "for",  "select",   "while",  "until", "do",
                                      "done", "in",   "function", "time",   "{",     "}",
                                      "!",    "[[",   "]]",       "coproc", NULL};

static bool is_keyword(const char *name) {
  for (size_t i = 0; shell_keywords[i] != NULL; i++)
    if (strcmp(shell_keywords[i], name) == 0) return true;
  return false;
}

static const alias *alias_named(shell *sh, const char *name) {
  if (!shopt_on(sh, SHOPT_EXPAND_ALIASES)) return NULL;
  for (const alias *at = sh->aliases; at != NULL; at = at->next)
    if (strcmp(at->name, name) == 0) return at;
  return NULL;
}

/* What `type` and `command -v` say about a name. */
typedef enum { SAY_SENTENCE, SAY_KIND, SAY_SHORT, SAY_PATH } saying;

typedef struct {
  bool all, no_functions, force_path;
  saying how;
} type_request;

static void say(shell *sh, const type_request *r, const char *kind, const char *brief,
                const char *sentence) {
  if (r->how == SAY_PATH) return;
  text_format(&sh->out, "%s\n", r->how == SAY_KIND ? kind : r->how == SAY_SHORT ? brief : sentence);
}

static bool describe_path(shell *sh, const type_request *r, const char *name) {
  const char *path = program_path(sh, name);
  program_found found = path == NULL ? find_program(sh, name) : (program_found){0};
  if (found.tool != NULL) {
    text sentence = {.in = &sh->scratch};
    text_format(&sentence, "%s is the tool %s", name, found.tool);
    say(sh, r, "file", name, text_end(&sentence));
    return true;
  }
  if (path == NULL) return false;
  if (r->how == SAY_KIND)
    text_string(&sh->out, "file\n");
  else if (r->how == SAY_SENTENCE)
    text_format(&sh->out, "%s is %s\n", name, path);
  else
    text_format(&sh->out, "%s\n", path);
  return true;
}

static bool describe_function(shell *sh, const type_request *r, const char *name) {
  function *found = function_find(sh, name, name_hash(name, strlen(name)));
  if (found == NULL || r->no_functions) return false;
  text sentence = {.in = &sh->scratch};
  text_format(&sentence, "%s is a function\n", name);
  print_function(&sentence, found);
  sentence.len--;
  say(sh, r, "function", name, text_end(&sentence));
  return true;
}

static bool describe(shell *sh, const type_request *r, const char *name) {
  bool any = false;
  text line = {.in = &sh->scratch};
  const alias *aliased = r->force_path ? NULL : alias_named(sh, name);
  if (aliased != NULL) {
    text brief = {.in = &sh->scratch};
    text_format(&line, "%s is aliased to `%s'", name, aliased->value);
    text_format(&brief, "alias %s='%s'", name, aliased->value);
    say(sh, r, "alias", text_end(&brief), text_end(&line));
    any = true;
  }
  line.len = 0;
  if (!r->force_path && is_keyword(name) && (!any || r->all)) {
    text_format(&line, "%s is a shell keyword", name);
    say(sh, r, "keyword", name, text_end(&line));
    any = true;
  }
  if (!r->force_path && (!any || r->all)) any |= describe_function(sh, r, name);
  line.len = 0;
  const builtin *inside = builtin_find(name);
  if (!r->force_path && inside != NULL && (!any || r->all)) {
    text_format(&line, "%s is a shell builtin", name);
    say(sh, r, "builtin", name, text_end(&line));
    any = true;
  }
  if (!any || r->all) any |= describe_path(sh, r, name);
  return any;
}

int builtin_type(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  type_request r = {0};
  int letter, status = 0;
  while ((letter = builtin_option(sh, &o, "afptP")) != -1) {
    if (letter == '?') return 2;
    r.all |= letter == 'a';
    r.no_functions |= letter == 'f';
    if (letter == 't') r.how = SAY_KIND;
    if (letter == 'p' || letter == 'P') r.how = SAY_PATH;
    r.force_path |= letter == 'P';
  }
  for (int i = o.index; i < argc; i++) {
    if (describe(sh, &r, argv[i])) continue;
    if (r.how == SAY_SENTENCE) complain_as(sh, "type", "%s: not found", argv[i]);
    status = 1;
  }
  return status;
}

int builtin_command(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  type_request r = {0};
  bool show = false;
  int letter, status = 0;
  while ((letter = builtin_option(sh, &o, "pvV")) != -1) {
    if (letter == '?') return 2;
    if (letter == 'v') r.how = SAY_SHORT;
    show |= letter != 'p';
  }
  if (o.index >= argc) return 0;
  if (!show) {
    if (sh->assignments != NULL) sh->assignments += o.index;
    return exec_arguments(sh, argc - o.index, argv + o.index, true);
  }
  for (int i = o.index; i < argc; i++) {
    if (describe(sh, &r, argv[i])) continue;
    if (r.how == SAY_SENTENCE) complain_as(sh, "command", "%s: not found", argv[i]);
    status = 1;
  }
  return status;
}

int builtin_builtin(shell *sh, int argc, char **argv) {
  int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
  if (argc <= first) return 0;
  const builtin *inside = builtin_find(argv[first]);
  if (inside == NULL) {
    complain_as(sh, "builtin", "%s: not a shell builtin", argv[first]);
    return 1;
  }
  if (sh->assignments != NULL) sh->assignments += first;
  return builtin_dispatch(inside, sh, argc - first, argv + first);
}

/* ---- small ones ---- */

int builtin_let(shell *sh, int argc, char **argv) {
  int64_t value = 0;
  int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
  if (argc <= first) {
    complain_as(sh, "let", "expression expected");
    return 1;
  }
  for (int i = first; i < argc; i++)
    if (!arith_evaluate_for(sh, "let", argv[i], strlen(argv[i]), &value)) return 1;
  return value == 0;
}

int builtin_caller(shell *sh, int argc, char **argv) {
  int64_t level = 0;
  const frame *at = sh->frame;
  if (argc > 1 && (!builtin_number(argv[1], &level) || level < 0)) {
    complain_as(sh, "caller", "%s: invalid number", argv[1]);
    return builtin_usage(sh, "caller");
  }
  for (int64_t i = 0; at != NULL && i < level; i++) at = at->below;
  if (at != NULL && argc == 1 && sh->function_depth == 0 && sh->source_depth == 0)
    text_string(&sh->out, "0 NULL\n"); /* a script's own commands */
  if (at == NULL || (sh->function_depth == 0 && sh->source_depth == 0))
    return argc > 1 || at == NULL;
  const frame *below = at->below;
  if (argc > 1 && below == NULL) return 1;
  const char *source = below != NULL && below->source != NULL ? below->source : "NULL";
  if (argc > 1)
    text_format(&sh->out, "%u %s %s\n", at->call_line, below->name, source);
  else
    text_format(&sh->out, "%u %s\n", at->call_line, source);
  return 0;
}

int builtin_hash(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  int letter, status = 0;
  bool table = false;
  while ((letter = builtin_option(sh, &o, "lrdtp:")) != -1) {
    if (letter == '?') return 2;
    table |= letter == 't';
    if (letter == 'p' || letter == 'd') return 0;
  }
  if (argc == 1) text_string(&sh->out, "hash: hash table empty\n");
  for (int i = o.index; i < argc; i++) {
    const char *path = builtin_find(argv[i]) != NULL ? argv[i] : program_path(sh, argv[i]);
    if (path == NULL) {
      complain_as(sh, "hash", "%s: not found", argv[i]);
      status = 1;
    } else if (table) {
      text_format(&sh->out, "%s\n", path);
    }
  }
  return status;
}

int builtin_times(shell *sh, int argc, char **argv) {
  (void)argc, (void)argv;
  int64_t ms = (kernel_now() - kernel_run_start()) / 1000000;
  text_format(&sh->out, "%lldm%lld.%03llds 0m0.000s\n0m0.000s 0m0.000s\n", (long long)(ms / 60000),
              (long long)(ms / 1000 % 60), (long long)(ms % 1000));
  return 0;
}

int builtin_ulimit(shell *sh, int argc, char **argv) {
  bool shown = false;
  for (int i = 1; i < argc; i++)
    if (*argv[i] != '-') shown = true;
  if (!shown) text_string(&sh->out, "unlimited\n");
  return 0;
}

int builtin_history(shell *sh, int argc, char **argv) {
  (void)sh, (void)argc, (void)argv;
  return 0;
}

int builtin_fg(shell *sh, int argc, char **argv) {
  (void)argc;
  complain_as(sh, argv[0], "no job control");
  return 1;
}

/* ---- umask ---- */

static void add_symbolic(text *to, uint32_t mask) {
  static const char *const who[] = {"u=", ",g=", ",o="};
  for (int i = 0; i < 3; i++) {
    uint32_t bits = ~mask >> (6 - 3 * i) & 7;
    text_string(to, who[i]);
    if (bits & 4) text_char(to, 'r');
    if (bits & 2) text_char(to, 'w');
    if (bits & 1) text_char(to, 'x');
  }
}

/* u=rwx,g-w: what the mask lets through. False when it is no mode. */
static bool symbolic_mask(const char *mode, uint32_t *mask) {
  uint32_t allowed = ~*mask & 0777;
  while (*mode != 0) {
    uint32_t who = 0, bits = 0;
    for (; *mode != 0 && strchr("ugoa", *mode) != NULL; mode++)
      who |= *mode == 'u' ? 0700 : *mode == 'g' ? 0070 : *mode == 'o' ? 0007 : 0777;
    if (who == 0) who = 0777;
    char op = *mode;
    if (op != '=' && op != '+' && op != '-') return false;
    for (mode++; *mode != 0 && strchr("rwx", *mode) != NULL; mode++)
      bits |= *mode == 'r' ? 0444 : *mode == 'w' ? 0222 : 0111;
    bits &= who;
    allowed = op == '=' ? (allowed & ~who) | bits : op == '+' ? allowed | bits : allowed & ~bits;
    if (*mode == ',')
      mode++;
    else if (*mode != 0)
      return false;
  }
  *mask = ~allowed & 0777;
  return true;
}

int builtin_umask(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  bool symbolic = false, again = false;
  int letter;
  while ((letter = builtin_option(sh, &o, "pS")) != -1) {
    if (letter == '?') return 2;
    symbolic |= letter == 'S';
    again |= letter == 'p';
  }
  uint32_t mask = sys_umask(0);
  sys_umask(mask);
  if (o.index < argc) {
    const char *mode = argv[o.index];
    bool octal = *mode >= '0' && *mode <= '7';
    uint32_t wanted = octal ? (uint32_t)strtoul(mode, NULL, 8) : mask;
    if (octal ? strspn(mode, "01234567") != strlen(mode) || wanted > 0777
              : !symbolic_mask(mode, &wanted)) {
      complain_as(sh, "umask",
                  octal || (*mode >= '0' && *mode <= '9') ? "%s: octal number out of range"
                                                          : "`%s': invalid symbolic mode operator",
                  mode);
      return 1;
    }
    sys_umask(wanted);
    if (!symbolic) return 0;
    mask = wanted;
  }
  if (again) text_string(&sh->out, symbolic ? "umask -S " : "umask ");
  if (symbolic)
    add_symbolic(&sh->out, mask);
  else
    text_format(&sh->out, "%04o", mask);
  text_char(&sh->out, '\n');
  return 0;
}
