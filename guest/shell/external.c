// SPDX-License-Identifier: MIT
/* external.c -- programs: the commands of guest/bin, and files with #! in the sandbox. */
#include <stdlib.h>

#include "../bin/tool.h"
#include "exec.h"
#include "shared.h"

/* ---- finding ---- */

/* Folders in which the commands of guest/bin seem to lie. */
static bool is_command_folder(const char *path, size_t size) {
  static const char *const folders[] = {"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"};
  while (size > 1 && path[size - 1] == '/') size--;
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
    if (strlen(folders[i]) == size && memcmp(folders[i], path, size) == 0) return true;
  return false;
}

static bool is_runnable(const char *path) {
  file_stat stat;
  return sys_stat(path, &stat) == 0 && stat.kind == FILE_REGULAR && sys_access(path, 1 << 8) == 0;
}

static program_found found_file(shell *sh, const char *path) {
  file_stat stat;
  int failed = sys_stat(path, &stat);
  if (failed < 0) return (program_found){.error = failed == -EACCES ? 126 : 127};
  if (stat.kind == FILE_DIRECTORY || sys_access(path, 1 << 8) < 0)
    return (program_found){.error = 126};
  return (program_found){.script = arena_copy(&sh->scratch, path, strlen(path))};
}

static program_found find_path(shell *sh, const char *path) {
  const char *slash = strrchr(path, '/');
  if (is_command_folder(path, (size_t)(slash - path))) {
    const command *known = command_find(slash + 1);
    if (known != NULL) return (program_found){.command = known};
  }
  return found_file(sh, path);
}

program_found find_program(shell *sh, const char *name) {
  if (strchr(name, '/') != NULL) return find_path(sh, name);
  const char *path = var_get(sh, "PATH");
  const command *known = command_find(name);
  while (path != NULL && *name != 0) {
    size_t size = strcspn(path, ":");
    if (known != NULL && is_command_folder(path, size)) return (program_found){.command = known};
    text file = {.in = &sh->scratch};
    text_add(&file, size == 0 ? "." : path, size == 0 ? 1 : size);
    text_format(&file, "/%s", name);
    if (is_runnable(text_end(&file))) return (program_found){.script = file.at};
    path = path[size] == ':' ? path + size + 1 : NULL;
  }
  char *tool = tool_by_last_name(name);
  if (tool != NULL) return (program_found){.tool = tool};
  return (program_found){.error = 127};
}

char *program_path(shell *sh, const char *name) {
  program_found found = find_program(sh, name);
  if (found.script != NULL) return found.script;
  if (found.command == NULL) return NULL;
  if (strchr(name, '/') != NULL) return arena_copy(&sh->scratch, name, strlen(name));
  const char *path = var_get(sh, "PATH");
  while (path != NULL) {
    size_t size = strcspn(path, ":");
    if (is_command_folder(path, size)) {
      text file = {.in = &sh->scratch};
      text_format(&file, "%.*s/%s", (int)size, path, name);
      return text_end(&file);
    }
    path = path[size] == ':' ? path + size + 1 : NULL;
  }
  return NULL;
}

/* ---- scripts ---- */

/* The interpreter's name and its one argument, from "#!/usr/bin/env -S bash -e" and the like. */
typedef struct {
  char *name;     /* last component; NULL: no #! */
  char *argument; /* NULL: none */
} interpreter;

static interpreter read_interpreter(shell *sh, const char *path) {
  char line[256];
  interpreter found = {NULL, NULL};
  int fd = sys_open(path, OPEN_READ, 0);
  if (fd < 0) return found;
  int64_t got = sys_pread(fd, line, sizeof line - 1, 0);
  sys_close(fd);
  if (got < 2 || line[0] != '#' || line[1] != '!') return found;
  line[got] = 0;
  line[strcspn(line, "\r\n")] = 0;
  char *words[3] = {NULL, NULL, NULL}, *at = line + 2;
  for (int i = 0; i < 3; i++) {
    at += strspn(at, " \t");
    if (*at == 0) break;
    words[i] = at;
    at += strcspn(at, " \t");
    if (*at != 0) *at++ = 0;
  }
  int first = 0;
  if (words[0] == NULL) return found;
  const char *base = strrchr(words[0], '/') != NULL ? strrchr(words[0], '/') + 1 : words[0];
  if (strcmp(base, "env") == 0) first = words[1] != NULL && strcmp(words[1], "-S") == 0 ? 2 : 1;
  if (words[first] == NULL) return found;
  base = strrchr(words[first], '/') != NULL ? strrchr(words[first], '/') + 1 : words[first];
  found.name = arena_copy(&sh->scratch, base, strlen(base));
  if (first < 2 && words[first + 1] != NULL)
    found.argument = arena_copy(&sh->scratch, words[first + 1], strlen(words[first + 1]));
  return found;
}

static char **with_interpreter(shell *sh, const interpreter *by, const char *script, int *argc,
                               char **argv) {
  fields made = {0};
  fields_add(sh, &made, by->name != NULL ? by->name : "bash");
  if (by->argument != NULL) fields_add(sh, &made, by->argument);
  fields_add(sh, &made, (char *)script);
  for (int i = 1; i < *argc; i++) fields_add(sh, &made, argv[i]);
  *argc = (int)made.count;
  return fields_end(sh, &made);
}

static bool is_shell_name(const char *name) {
  return name == NULL || strcmp(name, "bash") == 0 || strcmp(name, "sh") == 0 ||
         strcmp(name, "dash") == 0;
}

/* ---- running ---- */

/* The only place that calls a command of guest/bin by its pointer. */
__attribute__((noinline)) int command_dispatch(const command *called, int argc, char **argv,
                                               char **environment) {
  return called->main(argc, argv, environment);
}

static int become_program(shell *sh, const program_found *found, int argc, char **argv,
                          char **environment) {
  if (found->command != NULL) return command_dispatch(found->command, argc, argv, environment);
  if (found->tool != NULL) return tool_run(found->tool, argc, argv, environment);
  interpreter by = read_interpreter(sh, found->script);
  argv = with_interpreter(sh, &by, found->script, &argc, argv);
  if (is_shell_name(by.name)) return shell_main(argc, argv, environment);
  const command *known = command_find(by.name);
  if (known != NULL) return command_dispatch(known, argc, argv, environment);
  complain(sh, "%s: %s: bad interpreter: No such file or directory", found->script, by.name);
  shell_flush(sh);
  return 126;
}

/* What a child that becomes a program needs; it copies it before it waits. */
typedef struct {
  shell *parent;
  program_found found;
  int argc;
  char **argv;
  char **environment;
} program_order;

static char **copy_strings(char **from) {
  size_t count = 0;
  while (from[count] != NULL) count++;
  char **copy = memory_take((count + 1) * sizeof *copy);
  for (size_t i = 0; i < count; i++) copy[i] = memory_string(from[i]);
  copy[count] = NULL;
  return copy;
}

static int program_entry(void *context) {
  const program_order *order = context;
  shell *parent = order->parent;
  program_found found = order->found;
  int argc = order->argc;
  char **argv = copy_strings(order->argv);
  char **environment = copy_strings(order->environment);
  for (int signal = 1; signal < TRAP_DEBUG && parent->any_signal_trap; signal++) {
    const char *action = parent->traps[signal].action;
    if (action != NULL && *action != 0) process_on_signal(signal, SIGNAL_DEFAULT);
  }
  if (found.command != NULL) return command_dispatch(found.command, argc, argv, environment);
  if (found.tool != NULL) return tool_run(memory_string(found.tool), argc, argv, environment);
  found.script = memory_string(found.script);
  return become_program(shell_copy(parent), &found, argc, argv, environment);
}

static uint32_t stack_for(const program_found *found) {
  if (found->script != NULL) return SHELL_PROCESS_STACK;
  if (found->tool != NULL) return 64u << 10;
  return command_stack(found->command);
}

static int spawn_program(shell *sh, const program_found *found, int argc, char **argv) {
  program_order *order = arena_take(&sh->scratch, sizeof *order);
  *order = (program_order){sh, *found, argc, argv, var_environment(sh)};
  process_options options = {.entry = program_entry,
                             .context = order,
                             .name = argv[0],
                             .stack = stack_for(found),
                             .borrows = true};
  shell_flush(sh);
  int pid = process_spawn(&options);
  if (pid < 0) {
    complain(sh, "fork: %s", error_text(pid));
    sh->unwind = UNWIND_EXIT;
    return 254;
  }
  return child_wait(sh, pid);
}

static bool fits_here(const program_found *found) {
  return process_stack_left() >= stack_for(found);
}

int exec_in_place(shell *sh, const program_found *found, int argc, char **argv) {
  char **environment = var_environment(sh);
  shell_flush(sh);
  for (int signal = 1; signal < TRAP_DEBUG && sh->any_signal_trap; signal++) {
    const char *action = sh->traps[signal].action;
    if (action != NULL && *action != 0) process_on_signal(signal, SIGNAL_DEFAULT);
  }
  return become_program(sh, found, argc, argv, environment);
}

static int not_found(shell *sh, const program_found *found, const char *name) {
  file_stat stat;
  if (strchr(name, '/') != NULL) {
    int failed = sys_stat(name, &stat);
    if (failed == 0 && stat.kind == FILE_DIRECTORY)
      complain(sh, "%s: Is a directory", name);
    else
      complain(sh, "%s: %s", name, failed == 0 ? "Permission denied" : error_text(failed));
  } else {
    complain(sh, "%s: command not found", name);
  }
  return found->error;
}

bool no_trap_left(const shell *sh) {
  return (sh->traps[TRAP_EXIT].action == NULL || sh->traps[TRAP_EXIT].inherited) &&
         (sh->traps[TRAP_ERR].action == NULL || sh->traps[TRAP_ERR].inherited);
}

int exec_external(shell *sh, int argc, char **argv) {
  program_found found = find_program(sh, argv[0]);
  if (found.error == 127) {
    function *handler =
        function_find(sh, "command_not_found_handle", name_hash("command_not_found_handle", 24));
    if (handler != NULL) {
      fields args = {0};
      fields_add(sh, &args, "command_not_found_handle");
      for (int i = 0; i < argc; i++) fields_add(sh, &args, argv[i]);
      return call_function(sh, handler, argc + 1, fields_end(sh, &args));
    }
  }
  if (found.error != 0) {
    sh->status = not_found(sh, &found, argv[0]);
    return sh->status;
  }
  if (sh->last_command && sh->is_subshell && no_trap_left(sh) && fits_here(&found)) {
    sh->status = exec_in_place(sh, &found, argc, argv);
    sh->unwind = UNWIND_EXIT;
    return sh->status;
  }
  return sh->status = spawn_program(sh, &found, argc, argv);
}
