// SPDX-License-Identifier: MIT
/* shell.c -- starting a shell: as a run's first process, or as the command `bash`. */
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec.h"
#include "shared.h"

static shell *begin(char *const *environment, const char *name) {
  shell *sh = shell_make(environment);
  sh->name = memory_string(name);
  sh->line = 1;
  return sh;
}

static void set_arguments(shell *sh, int argc, char **argv) {
  arguments_take(&sh->arguments, argv, argc > 0 ? (size_t)argc : 0);
}

/* The outermost frame of a script file: what FUNCNAME calls "main". */
static void push_main(shell *sh) {
  frame *main = memory_take(sizeof *main);
  *main = (frame){NULL, "main", memory_string(sh->name), 0, false};
  sh->frame = main;
}

/* What an error left half done in a session: the next program begins at the top. */
static void begin_again(shell *sh) {
  sh->unwind = UNWIND_NONE;
  sh->unwind_count = 0;
  sh->loop_depth = sh->condition_depth = 0;
  sh->last_command = false;
  sh->line = 1;
}

static void take_program(shell *sh, const run_program *run) {
  free(sh->name);
  sh->name = memory_string(run->argc > 0 ? run->argv[0] : "bash");
  if (run->argc > 1) set_arguments(sh, run->argc - 1, run->argv + 1);
  if (sh->frame != NULL) sh->frame->source = sh->name;
  sh->script = NULL; /* that program is over */
  jobs_forget(sh);   /* they ended with it */
}

int shell_process_entry(void *context) {
  const run_program *run = context;
  const char *name = run->argc > 0 ? run->argv[0] : "bash";
  shell *sh = begin(kernel_environment(), name);
  set_arguments(sh, run->argc - 1, run->argv + 1);
  sh->command_string = strcmp(name, "sh") == 0 || strcmp(name, "bash") == 0;
  if (!sh->command_string) push_main(sh);
  run_text(sh, run->text, run->size, NULL, 1);
  while (process_in_session() && !sh->leaves && !kernel_interrupted()) {
    shell_flush(sh);
    run = process_next_program(sh->status);
    if (run == NULL) break;
    begin_again(sh);
    take_program(sh, run);
    run_text(sh, run->text, run->size, NULL, 1);
  }
  return shell_finish(sh, sh->status);
}

/* ---- the command line of bash ---- */

typedef struct {
  const char *command; /* -c */
  bool from_stdin;     /* -s */
  int first;           /* of the operands */
  int status;          /* not 0: wrong usage */
} start;

static bool long_option(const char *word) {
  static const char *const ignored[] = {"--norc",       "--noprofile", "--login", "--posix",
                                        "--restricted", "--noediting", NULL};
  for (size_t i = 0; ignored[i] != NULL; i++)
    if (strcmp(word, ignored[i]) == 0) return true;
  return false;
}

static bool set_named(shell *sh, char letter, const char *name, bool on) {
  int number = name == NULL ? -1 : letter == 'o' ? option_named(name) : shopt_named(name);
  if (number < 0) {
    text_format(&sh->errors, "%s: %s: invalid %soption name\n", sh->name,
                name != NULL ? name : "-o", letter == 'o' ? "" : "shell ");
    return false;
  }
  if (letter == 'o')
    sh->options = on ? sh->options | 1u << number : sh->options & ~(1u << number);
  else
    sh->shopts = on ? sh->shopts | (uint64_t)1 << number : sh->shopts & ~((uint64_t)1 << number);
  return true;
}

/* One group of letters; *next is the argument that -o and -O take theirs from. */
static bool short_options(shell *sh, const char *word, char **argv, int argc, int *next,
                          bool *command, bool *from_stdin) {
  bool on = *word == '-';
  for (const char *at = word + 1; *at != 0; at++) {
    if (*at == 'c') {
      *command = true;
    } else if (*at == 's') {
      *from_stdin = true;
    } else if (*at == 'o' || *at == 'O') {
      const char *name = *next < argc ? argv[(*next)++] : NULL;
      if (!set_named(sh, *at, name, on)) return false;
    } else if (*at != 'i' && *at != 'l' && *at != 'r') {
      int number = option_lettered(*at);
      if (number < 0) {
        text_format(&sh->errors, "%s: %c%c: invalid option\n", sh->name, *word, *at);
        return false;
      }
      sh->options = on ? sh->options | 1u << number : sh->options & ~(1u << number);
    }
  }
  return true;
}

static start read_command_line(shell *sh, int argc, char **argv) {
  start s = {.first = 1};
  bool command = false;
  while (s.first < argc) {
    const char *word = argv[s.first];
    if ((*word != '-' && *word != '+') || word[1] == 0) break;
    s.first++;
    if (strcmp(word, "--") == 0) break;
    if (strcmp(word, "--version") == 0) {
      text_string(&sh->out, "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n");
      s.status = -1;
      return s;
    }
    if (strcmp(word, "--help") == 0) {
      command_help(command_find("bash"), &sh->out);
      s.status = -1;
      return s;
    }
    if (word[1] == '-') {
      if (long_option(word)) continue;
      text_format(&sh->errors, "%s: %s: invalid option\n", sh->name, word);
      s.status = 2;
      return s;
    }
    if (!short_options(sh, word, argv, argc, &s.first, &command, &s.from_stdin)) {
      s.status = 2;
      return s;
    }
  }
  if (!command) return s;
  if (s.first >= argc) {
    text_format(&sh->errors, "%s: -c: option requires an argument\n", sh->name);
    s.status = 2;
  } else {
    s.command = argv[s.first++];
  }
  return s;
}

static int run_command_string(shell *sh, const start *s, int argc, char **argv) {
  sh->command_string = true;
  if (s->first < argc) {
    free(sh->name);
    sh->name = memory_string(argv[s->first]);
    set_arguments(sh, argc - s->first - 1, argv + s->first + 1);
  }
  return run_text(sh, s->command, strlen(s->command), "-c", 1);
}

static int run_script(shell *sh, const start *s, int argc, char **argv) {
  file_stat stat;
  const char *path = argv[s->first];
  int failed = sys_stat(path, &stat);
  if (failed < 0 && strchr(path, '/') == NULL) {
    program_found found = find_program(sh, path);
    if (found.script != NULL) path = found.script;
    failed = sys_stat(path, &stat);
  }
  int fd = failed < 0                    ? failed
           : stat.kind == FILE_DIRECTORY ? -EISDIR
                                         : sys_open(path, OPEN_READ, 0);
  if (fd < 0) {
    text_format(&sh->errors, "%s: %s: %s\n", sh->name, path, error_text(fd));
    return sh->status = fd == -ENOENT ? 127 : 126;
  }
  size_t size;
  char *content = read_file(fd, &size);
  sys_close(fd);
  free(sh->name);
  sh->name = memory_string(argv[s->first]);
  set_arguments(sh, argc - s->first - 1, argv + s->first + 1);
  push_main(sh);
  if (content == NULL) return sh->status = 126;
  return run_text(sh, content, size, NULL, 1);
}

/* A script on standard input shares it with its commands, which can be kept apart in a file only.
 */
static int run_input(shell *sh, const start *s, int argc, char **argv) {
  size_t size;
  set_arguments(sh, argc - s->first, argv + s->first);
  int64_t from = sys_seek(0, 0, SEEK_CUR);
  char *content = read_file(0, &size);
  if (content == NULL) return sh->status = 126;
  sh->stdin_script = 0;
  sh->script_from = from;
  push_main(sh);
  sh->frame->source = "";
  return run_text(sh, content, size, NULL, 1);
}

static int run_shell(int argc, char **argv, char *const *environment) {
  shell *sh = begin(environment, argc > 0 ? argv[0] : "bash");
  start s = read_command_line(sh, argc, argv);
  if (s.status != 0) {
    shell_flush(sh);
    return s.status < 0 ? 0 : s.status;
  }
  if (s.command != NULL)
    run_command_string(sh, &s, argc, argv);
  else if (s.first < argc && !s.from_stdin)
    run_script(sh, &s, argc, argv);
  else
    run_input(sh, &s, argc, argv);
  return shell_finish(sh, sh->status);
}

int shell_main(int argc, char **argv, char **environment) {
  return run_shell(argc, argv, environment);
}

int shell_command_entry(void *context) {
  const shell_command *asked = context;
  char *const *environment = asked->environment;
  char **argv = memory_take(((size_t)asked->argc + 1) * sizeof *argv);
  for (int i = 0; i < asked->argc; i++) argv[i] = memory_string(asked->argv[i]);
  argv[asked->argc] = NULL;
  int argc = asked->argc;
  return run_shell(argc, argv, environment != NULL ? environment : kernel_environment());
}
