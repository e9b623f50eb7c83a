// SPDX-License-Identifier: MIT
/* reader.c -- texts: parsed command by command, each run before the next is read. */
#include <stdlib.h>

#include "exec.h"
#include "parser.h"

static const char *find_alias(void *context, const char *name) {
  const shell *sh = context;
  for (const alias *at = sh->aliases; at != NULL; at = at->next)
    if (strcmp(at->name, name) == 0) return at->value;
  return NULL;
}

/* bash prefixes both lines: "NAME: -c: line 1: syntax error...". */
static void report(shell *sh, const parser *p, const char *who) {
  const char *at = p->error.at, *end = at + p->error.len;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    text_format(&sh->errors, "%s: %s%sline %u: ", message_name(sh), who != NULL ? who : "",
                who != NULL ? ": " : "", p->error_line);
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
      report(sh, &p, who);
      status = sh->status = 2;
      break;
    }
    status = exec_node(sh, parsed);
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
  }
  parser_end(&p);
  sh->last_command = last;
  return sh->status = status;
}

int run_text(shell *sh, const char *source, size_t size, const char *who, uint32_t first_line) {
  program *made = program_make(source, size), *outer = sh->program;
  sh->program = made;
  int status = run_program_text(sh, made, who, first_line);
  sh->program = outer;
  program_drop(made);
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
