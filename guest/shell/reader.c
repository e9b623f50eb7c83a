// SPDX-License-Identifier: MIT
/* reader.c -- texts: parsed command by command, each run before the next is read. */
#include <stdio.h>
#include <stdlib.h>

#include "exec.h"
#include "parser.h"

static const char *find_alias(void *context, const char *name) {
  const shell *sh = context;
  for (const alias *at = sh->aliases; at != NULL; at = at->next)
    if (strcmp(at->name, name) == 0) return at->value;
  return NULL;
}

void report_syntax(shell *sh, slice message, uint32_t line, const char *who) {
  const char *at = message.at, *end = at + message.len;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    text_format(&sh->errors, "%s: %s%sline %u: ", message_name(sh), who != NULL ? who : "",
                who != NULL ? ": " : "", line);
    text_add(&sh->errors, at, (size_t)(stop + 1 - at));
    at = stop + 1;
  }
  shell_flush(sh);
}

/* set -v: the lines that were just read. */
static void echo_lines(shell *sh, const char *from, const char *to) {
  if (!option_on(sh, OPTION_VERBOSE) || to <= from) return;
  text_add(&sh->errors, from, (size_t)(to - from));
  if (to[-1] != '\n') text_char(&sh->errors, '\n');
  shell_flush(sh);
}

/* A script that is read from a file on standard input: its commands begin to read behind the
 * command at hand, and the script goes on behind what they read. */
static bool shares_input(const shell *sh, const parser *p) {
  return sh->stdin_script == 0 && sh->script_from >= 0 && p->program == sh->script;
}

static void leave_input(shell *sh, const parser *p) {
  if (shares_input(sh, p)) sys_seek(0, sh->script_from + (p->in->at - p->program->text), SEEK_SET);
}

static void resume_input(shell *sh, parser *p) {
  if (!shares_input(sh, p)) return;
  int64_t at = sys_seek(0, 0, SEEK_CUR) - sh->script_from;
  if (at >= 0 && at <= (int64_t)p->program->size && !p->held) p->in->at = p->program->text + at;
}

static int run_program_text(shell *sh, program *of, const char *who, uint32_t first_line) {
  parser p;
  int status = 0;
  bool last = sh->last_command;
  sh->last_command = false;
  parser_begin(&p, of, first_line);
  for (;;) {
    node *parsed;
    p.extglob = shopt_on(sh, SHOPT_EXTGLOB);
    p.alias = shopt_on(sh, SHOPT_EXPAND_ALIASES) && sh->aliases != NULL ? find_alias : NULL;
    p.alias_context = sh;
    const char *from = p.in->at;
    parse_result result = parse_next(&p, &parsed);
    echo_lines(sh, from, p.in->at);
    if (result == PARSED_END) break;
    if (result == PARSED_ERROR) {
      report_syntax(sh, (slice){p.error.at, p.error.len}, p.error_line, who);
      status = sh->status = 2;
      break;
    }
    leave_input(sh, &p);
    status = exec_node(sh, parsed);
    resume_input(sh, &p);
    if (sh->unwind == UNWIND_DISCARD && !sh->is_subshell) {
      sh->unwind = UNWIND_NONE;
      status = sh->status;
      continue;
    }
    if (sh->unwind != UNWIND_NONE) {
      status = sh->status;
      break;
    }
    if (sh->any_signal_trap) trap_poll(sh);
    if (option_on(sh, OPTION_ONECMD) && sh->unwind == UNWIND_NONE) {
      sh->unwind = UNWIND_EXIT;
      break;
    }
  }
  parser_end(&p);
  sh->last_command = last;
  return sh->status = status;
}

int run_text(shell *sh, const char *source, size_t size, const char *who, uint32_t first_line) {
  program *made = program_make(source, size), *outer = sh->program;
  if (sh->script == NULL) sh->script = made;
  sh->program = made;
  int status = run_program_text(sh, made, who, first_line);
  sh->program = outer;
  program_drop(made);
  return status;
}

/* A frame for FUNCNAME and the arguments of its own, if any were given. */
static int run_sourced(shell *sh, const char *path, const char *content, size_t size, int argc,
                       char **argv) {
  frame pushed = {sh->frame, "source", path, sh->line, false};
  arguments outer = sh->arguments;
  uint32_t line = sh->line;
  unsigned loops = sh->loop_depth;
  bool replaced = argc > 1;
  if (replaced) sh->arguments = (arguments){argv + 1, (size_t)argc - 1, NULL};
  sh->frame = &pushed;
  sh->source_depth++;
  sh->exec_depth++;
  sh->xtrace_depth++;
  run_text(sh, content, size, NULL, 1);
  sh->xtrace_depth--;
  sh->exec_depth--;
  sh->source_depth--;
  sh->frame = pushed.below;
  sh->loop_depth = loops;
  sh->line = line;
  if (replaced) {
    arguments_drop(&sh->arguments);
    sh->arguments = outer;
  }
  if (sh->unwind == UNWIND_RETURN) sh->unwind = UNWIND_NONE;
  if (sh->unwind == UNWIND_NONE) trap_return(sh);
  return sh->status;
}

int run_file(shell *sh, const char *path, int argc, char **argv) {
  file_stat stat;
  size_t size;
  if (sh->exec_depth >= EXEC_DEPTH || sh->source_depth >= SOURCE_DEPTH || !stack_left(sh)) {
    complain_as(sh, argv[0], "maximum source nesting level exceeded (%u)", sh->source_depth);
    discard(sh, 1);
    return 1;
  }
  int failed = sys_stat(path, &stat);
  if (failed >= 0 && stat.kind == FILE_DIRECTORY) {
    complain_as(sh, "source", "%s: is a directory", path);
    return 1;
  }
  int fd = failed < 0 ? failed : sys_open(path, OPEN_READ, 0);
  if (fd < 0) {
    complain(sh, "%s: %s", path, error_text(fd));
    return 1;
  }
  char *content = read_file(fd, &size);
  sys_close(fd);
  if (content == NULL) return 1;
  int status = run_sourced(sh, path, content, size, argc, argv);
  free(content);
  return status;
}

char *read_file(int fd, size_t *size) {
  text content = {.in = NULL};
  for (;;) {
    text_reserve(&content, 16384);
    int64_t got = sys_read(fd, content.at + content.len, 16384);
    if (got == -EINTR) continue;
    if (got < 0) {
      text_free(&content);
      return NULL;
    }
    if (got == 0) break;
    content.len += (size_t)got;
  }
  *size = content.len;
  return text_end(&content);
}
