// SPDX-License-Identifier: MIT
// run.c -- see run.h. command_main and run_child are dispatchers that Asyncify is told of.
#include "run.h"

#include "path.h"
#include "tool.h"

static bool is_command_folder(const char *path, size_t size) {
  static const char *const folders[] = {"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/",
                                        "/usr/sbin/"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    if (strlen(folders[i]) == size && memcmp(folders[i], path, size) == 0) return true;
  }
  return false;
}

/* A file that may be run, at `path`: 0, -ENOENT, -EACCES. */
static int check_file(const char *path) {
  file_stat stat;
  int error = sys_stat(path, &stat);
  if (error < 0) return error == -EACCES ? error : -ENOENT;
  if (stat.kind == FILE_DIRECTORY || (stat.mode & 0111) == 0) return -EACCES;
  return 0;
}

static int find_on_path(const char *program, char *const *environment, char **path) {
  const char *list = environment_get(environment, "PATH");
  int result = -ENOENT;
  if (list == NULL) return result;
  for (;;) {
    size_t size = strcspn(list, ":");
    char *folder = size == 0 ? memory_string(".") : memory_copy(list, size);
    char *candidate = path_join(folder, program);
    int error = check_file(candidate);
    if (error == 0) {
      *path = candidate;
      return 0;
    }
    if (error == -EACCES) result = error;
    free(folder);
    free(candidate);
    if (list[size] == 0) return result;
    list += size + 1;
  }
}

typedef struct {
  const command *command; /* one of guest/bin */
  char *script;           /* else a file to interpret */
  char *tool;             /* else a granted tool */
} program;

static int find_program(const char *name, char *const *environment, program *found) {
  *found = (program){0};
  const char *slash = strrchr(name, '/');
  if (slash == NULL) {
    found->command = *name != 0 ? command_find(name) : NULL;
    if (found->command != NULL) return 0;
    int error = *name != 0 ? find_on_path(name, environment, &found->script) : -ENOENT;
    if (error == -ENOENT && (found->tool = tool_by_last_name(name)) != NULL) return 0;
    return error;
  }
  int error = check_file(name);
  if (error == 0) {
    found->script = memory_string(name);
  } else if (error == -ENOENT && is_command_folder(name, (size_t)(slash + 1 - name))) {
    found->command = command_find(slash + 1);
    if (found->command != NULL) return 0;
  }
  return error;
}

int run_find(const char *name, char *const *environment, char **path) {
  program found;
  int error = find_program(name, environment, &found);
  if (error < 0 || path == NULL) return error;
  if (found.script != NULL) {
    *path = found.script;
  } else if (strchr(name, '/') != NULL) {
    *path = memory_string(name);
  } else {
    *path = path_join("/usr/bin", name);
  }
  return 0;
}

/* The one place that calls a command through its pointer. */
static __attribute__((noinline)) int command_main(const command *which, int argc, char **argv,
                                                  char **environment) {
  return which->main(argc, argv, environment);
}

/* The interpreter and its one argument from a script's first line; NULL: none, so sh. */
static const command *interpreter(const char *path, char **argument, char **wanted) {
  char line[256];
  *argument = *wanted = NULL;
  int fd = sys_open(path, OPEN_READ, 0);
  int64_t size = fd < 0 ? 0 : sys_read(fd, line, sizeof line - 1);
  if (fd >= 0) sys_close(fd);
  if (size < 3 || line[0] != '#' || line[1] != '!') return command_find("sh");
  line[size] = 0;
  line[strcspn(line, "\n")] = 0;
  char *at = line + 2 + strspn(line + 2, " \t");
  size_t length = strcspn(at, " \t\r");
  char *rest = at + length + strspn(at + length, " \t");
  at[length] = 0;
  char *name = path_base(at);
  if (strcmp(name, "env") == 0 && *rest != 0) {
    if (strncmp(rest, "-S", 2) == 0) rest += 2 + strspn(rest + 2, " \t");
    length = strcspn(rest, " \t\r");
    char *after = rest + length + strspn(rest + length, " \t");
    name = path_base(memory_copy(rest, length));
    rest = after;
  }
  for (size_t n = strlen(rest); n > 0 && strchr(" \t\r", rest[n - 1]) != NULL;) rest[--n] = 0;
  if (*rest != 0) *argument = memory_string(rest);
  *wanted = name;
  return command_find(name);
}

static int run_script(const char *name, const char *script, int argc, char **argv,
                      char **environment) {
  char *argument, *wanted;
  const command *with = interpreter(script, &argument, &wanted);
  if (with == NULL) {
    bin b;
    bin_start(&b, name, environment);
    bin_warn(&b, "%s: cannot run: its interpreter %s is not among the commands here", script,
             quote_always(wanted != NULL ? wanted : "sh"));
    return 126;
  }
  char **arguments = memory_take(((size_t)argc + 3) * sizeof *arguments);
  int count = 0;
  arguments[count++] = (char *)with->name;
  if (argument != NULL) arguments[count++] = argument;
  arguments[count++] = memory_string(script);
  for (int i = 1; i < argc; i++) arguments[count++] = argv[i];
  arguments[count] = NULL;
  return command_main(with, count, arguments, environment);
}

int run_here(const char *name, int argc, char **argv, char **environment) {
  program found;
  int error = find_program(argv[0], environment, &found);
  if (error < 0) {
    bin b;
    bin_start(&b, name, environment);
    bin_warn(&b, "%s: %s", strcmp(b.name, "xargs") == 0 ? argv[0] : quote_curly(argv[0]),
             error_text(error));
    return error == -ENOENT ? 127 : 126;
  }
  if (found.command != NULL) return command_main(found.command, argc, argv, environment);
  if (found.tool != NULL) return tool_run(found.tool, argc, argv, environment);
  return run_script(name, found.script, argc, argv, environment);
}

typedef struct {
  const char *name;
  int argc;
  char **argv, **environment;
  int descriptors[3];
  int *closed;
  size_t closed_count;
} start;

static int run_child(void *context) {
  start *s = context;
  for (int i = 0; i < 3; i++) {
    if (s->descriptors[i] >= 0 && s->descriptors[i] != i) sys_dup2(s->descriptors[i], i);
  }
  for (size_t i = 0; i < s->closed_count; i++) sys_close(s->closed[i]);
  return run_here(s->name, s->argc, s->argv, s->environment);
}

int run_start(const char *name, int argc, char **argv, char **environment,
              const int descriptors[3]) {
  return run_start_closing(name, argc, argv, environment, descriptors, NULL, 0);
}

int run_start_closing(const char *name, int argc, char **argv, char **environment,
                      const int descriptors[3], const int *closed, size_t closed_count) {
  start *s = memory_take(sizeof *s);
  *s = (start){.name = name, .argc = argc, .environment = environment, .descriptors = {-1, -1, -1}};
  s->argv = memory_take(((size_t)argc + 1) * sizeof *argv);
  s->closed = memory_take((closed_count + 1) * sizeof *closed);
  s->closed_count = closed_count;
  for (size_t i = 0; i < closed_count; i++) s->closed[i] = closed[i];
  for (int i = 0; i < argc; i++) s->argv[i] = memory_string(argv[i]);
  s->argv[argc] = NULL;
  for (int i = 0; i < 3 && descriptors != NULL; i++) s->descriptors[i] = descriptors[i];
  program found;
  bool known = find_program(argv[0], environment, &found) == 0;
  uint32_t stack = known && found.command != NULL ? command_stack(found.command) : 1u << 19;
  process_options options = {.entry = run_child, .context = s, .name = argv[0], .stack = stack};
  return process_spawn(&options);
}
