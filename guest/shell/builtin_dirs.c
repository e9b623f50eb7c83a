// SPDX-License-Identifier: MIT
/* builtin_dirs.c -- cd, pwd, and the stack of folders. */
#include <stdlib.h>

#include "builtins.h"

/* The folder as a path without "." and "..", which are taken back by their text: cd -L. */
static char *logical_path(shell *sh, const char *path) {
  text made = {.in = &sh->scratch};
  if (*path != '/') text_string(&made, sh->folder != NULL ? sh->folder : "/");
  while (*path != 0) {
    size_t size = strcspn(path, "/");
    if (size == 2 && path[0] == '.' && path[1] == '.') {
      while (made.len > 0 && made.at[made.len - 1] != '/') made.len--;
      if (made.len > 0) made.len--;
    } else if (size > 0 && !(size == 1 && *path == '.')) {
      if (made.len == 0 || made.at[made.len - 1] != '/') text_char(&made, '/');
      text_add(&made, path, size);
    }
    path += size + (path[size] == '/');
  }
  if (made.len == 0) text_char(&made, '/');
  return text_end(&made);
}

static char *physical_path(shell *sh) {
  char *path = arena_take(&sh->scratch, 4096);
  return sys_getcwd(path, 4096) >= 0 ? path : NULL;
}

static void set_folder(shell *sh, const char *path) {
  char *now = memory_string(path);
  if (sh->folder != NULL) var_set(sh, "OLDPWD", sh->folder);
  free(sh->folder);
  sh->folder = now;
  var_set(sh, "PWD", now);
}

/* 0, or a negative errno. */
static int change_folder(shell *sh, const char *path, bool physical) {
  int failed = sys_chdir(physical ? path : logical_path(sh, path));
  if (failed < 0 && !physical) failed = sys_chdir(path);
  if (failed < 0) return failed;
  char *now = physical ? physical_path(sh) : logical_path(sh, path);
  set_folder(sh, now != NULL ? now : path);
  return 0;
}

static bool try_folder(shell *sh, const char *path, bool physical) {
  file_stat stat;
  return sys_stat(path, &stat) == 0 && stat.kind == FILE_DIRECTORY &&
         change_folder(sh, path, physical) == 0;
}

/* CDPATH: the first folder in it that has `path`. */
static bool change_by_path(shell *sh, const char *path, bool physical) {
  const char *list = var_get(sh, "CDPATH");
  if (list == NULL || *path == '/' || strncmp(path, "./", 2) == 0 || strncmp(path, "../", 3) == 0 ||
      strcmp(path, ".") == 0 || strcmp(path, "..") == 0)
    return false;
  while (list != NULL && *list != 0) {
    size_t size = strcspn(list, ":");
    text whole = {.in = &sh->scratch};
    text_add(&whole, list, size);
    if (size > 0) text_char(&whole, '/');
    text_string(&whole, path);
    if (try_folder(sh, text_end(&whole), physical)) {
      if (size > 0) text_format(&sh->out, "%s\n", sh->folder);
      return true;
    }
    list = list[size] == ':' ? list + size + 1 : NULL;
  }
  return false;
}

int builtin_cd(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  bool physical = option_on(sh, OPTION_PHYSICAL), shown = false;
  int letter;
  while ((letter = builtin_option(sh, &o, "LPe@")) != -1) {
    if (letter == '?') return 2;
    if (letter == 'L' || letter == 'P') physical = letter == 'P';
  }
  if (argc - o.index > 1) {
    complain_as(sh, "cd", "too many arguments");
    return 1;
  }
  const char *path = argc > o.index ? argv[o.index] : var_get(sh, "HOME");
  if (path == NULL) {
    complain_as(sh, "cd", "HOME not set");
    return 1;
  }
  if (strcmp(path, "-") == 0) {
    path = var_get(sh, "OLDPWD");
    shown = true;
    if (path == NULL) {
      complain_as(sh, "cd", "OLDPWD not set");
      return 1;
    }
  }
  if (*path == 0) return 0;
  path = arena_copy(&sh->scratch, path, strlen(path)); /* it may be OLDPWD itself */
  if (!change_by_path(sh, path, physical)) {
    int failed = change_folder(sh, path, physical);
    if (failed < 0) {
      complain_as(sh, "cd", "%s: %s", path, error_text(failed));
      return 1;
    }
  }
  if (shown) text_format(&sh->out, "%s\n", sh->folder);
  return 0;
}

int builtin_pwd(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  bool physical = option_on(sh, OPTION_PHYSICAL);
  int letter;
  (void)argc;
  while ((letter = builtin_option(sh, &o, "LP")) != -1) {
    if (letter == '?') return 2;
    physical = letter == 'P';
  }
  const char *path = physical || sh->folder == NULL ? physical_path(sh) : sh->folder;
  if (path == NULL) {
    complain_as(sh, "pwd", "error retrieving current directory: %s", error_text(ENOENT));
    return 1;
  }
  text_format(&sh->out, "%s\n", path);
  return 0;
}

/* ---- the stack ---- */

/* Entry 0 is the current folder; the rest lies in sh->folders, the newest last. */
static const char *stack_entry(const shell *sh, size_t index) {
  return index == 0 ? sh->folder : sh->folders[sh->folder_count - index];
}

static void add_entry(shell *sh, text *to, const char *path, bool full) {
  const char *home = var_get(sh, "HOME");
  size_t size = home != NULL ? strlen(home) : 0;
  if (!full && size > 1 && strncmp(path, home, size) == 0 && (path[size] == '/' || path[size] == 0))
    text_format(to, "~%s", path + size);
  else
    text_string(to, path);
}

static void show_stack(shell *sh, bool full, bool lines, bool numbers) {
  for (size_t i = 0; i <= sh->folder_count; i++) {
    if (numbers) text_format(&sh->out, "%2zu  ", i);
    add_entry(sh, &sh->out, stack_entry(sh, i), full);
    text_char(&sh->out, lines || numbers || i == sh->folder_count ? '\n' : ' ');
  }
}

/* +N from the left, -N from the right. False with a complaint. */
static bool stack_index(shell *sh, const char *name, const char *argument, size_t *index) {
  int64_t number;
  size_t count = sh->folder_count + 1;
  bool valid = (*argument == '+' || *argument == '-') && builtin_number(argument + 1, &number);
  if (!valid) {
    complain_as(sh, name, "%s: invalid number", argument);
    builtin_usage(sh, name);
    return false;
  }
  if (number < 0 || (uint64_t)number >= count) {
    complain_as(
        sh, name,
        sh->folder_count == 0 ? "directory stack empty" : "%s: directory stack index out of range",
        argument);
    return false;
  }
  *index = *argument == '+' ? (size_t)number : count - 1 - (size_t)number;
  return true;
}

static void stack_push(shell *sh, const char *path) {
  sh->folders = memory_resize(sh->folders, (sh->folder_count + 1) * sizeof *sh->folders);
  sh->folders[sh->folder_count++] = memory_string(path);
}

static void stack_remove(shell *sh, size_t index) {
  size_t place = sh->folder_count - index;
  free(sh->folders[place]);
  memmove(sh->folders + place, sh->folders + place + 1,
          (sh->folder_count - place - 1) * sizeof *sh->folders);
  sh->folder_count--;
}

int builtin_dirs(shell *sh, int argc, char **argv) {
  bool full = false, lines = false, numbers = false;
  for (int i = 1; i < argc; i++) {
    if (*argv[i] == '+' || (*argv[i] == '-' && argv[i][1] >= '0' && argv[i][1] <= '9')) {
      size_t index;
      if (!stack_index(sh, "dirs", argv[i], &index)) return 1;
      add_entry(sh, &sh->out, stack_entry(sh, index), full);
      text_char(&sh->out, '\n');
      return 0;
    }
    if (*argv[i] != '-') {
      complain_as(sh, "dirs", "%s: invalid option", argv[i]);
      return builtin_usage(sh, "dirs");
    }
    for (const char *at = argv[i] + 1; *at != 0; at++) {
      if (*at == 'c') {
        while (sh->folder_count > 0) free(sh->folders[--sh->folder_count]);
        return 0;
      }
      full |= *at == 'l';
      lines |= *at == 'p';
      numbers |= *at == 'v';
    }
  }
  show_stack(sh, full, lines, numbers);
  return 0;
}

static int go_to(shell *sh, const char *name, const char *path) {
  int failed = change_folder(sh, path, false);
  if (failed >= 0) return 0;
  complain_as(sh, name, "%s: %s", path, error_text(failed));
  return 1;
}

/* pushd +N: the stack turns until that entry is on top. */
static int rotate(shell *sh, size_t index) {
  size_t count = sh->folder_count + 1;
  char **order = arena_take(&sh->scratch, count * sizeof *order);
  for (size_t i = 0; i < count; i++) order[i] = memory_string(stack_entry(sh, (i + index) % count));
  if (go_to(sh, "pushd", order[0]) != 0) return 1;
  while (sh->folder_count > 0) free(sh->folders[--sh->folder_count]);
  for (size_t i = count - 1; i > 0; i--) sh->folders[sh->folder_count++] = order[i];
  free(order[0]);
  return 0;
}

int builtin_pushd(shell *sh, int argc, char **argv) {
  int first = 1;
  bool stay = argc > 1 && strcmp(argv[1], "-n") == 0;
  if (stay) first++;
  if (argc > first && strcmp(argv[first], "--") == 0) first++;
  if (argc <= first) {
    if (sh->folder_count == 0) {
      complain_as(sh, "pushd", "no other directory");
      return 1;
    }
    if (rotate(sh, 1) != 0) return 1;
    /* rotate(1) sends the old top to the end; pushd swaps the two topmost. */
    if (sh->folder_count > 1) {
      char *last = sh->folders[0];
      memmove(sh->folders, sh->folders + 1, (sh->folder_count - 1) * sizeof *sh->folders);
      sh->folders[sh->folder_count - 1] = last;
    }
  } else if (*argv[first] == '+' || (*argv[first] == '-' && argv[first][1] != 0)) {
    size_t index;
    if (!stack_index(sh, "pushd", argv[first], &index) || rotate(sh, index) != 0) return 1;
  } else if (stay) {
    stack_push(sh, argv[first]);
  } else {
    const char *old = arena_copy(&sh->scratch, sh->folder, strlen(sh->folder));
    if (go_to(sh, "pushd", argv[first]) != 0) return 1;
    stack_push(sh, old);
  }
  show_stack(sh, false, false, false);
  return 0;
}

int builtin_popd(shell *sh, int argc, char **argv) {
  bool stay = argc > 1 && strcmp(argv[1], "-n") == 0;
  int first = stay ? 2 : 1;
  size_t index = 0;
  if (sh->folder_count == 0) {
    complain_as(sh, "popd", "directory stack empty");
    return 1;
  }
  if (argc > first && !stack_index(sh, "popd", argv[first], &index)) return 1;
  if (index > 0 || stay) {
    stack_remove(sh, index > 0 ? index : 1);
  } else {
    char *top = arena_copy(&sh->scratch, stack_entry(sh, 1), strlen(stack_entry(sh, 1)));
    if (go_to(sh, "popd", top) != 0) return 1;
    stack_remove(sh, 1);
  }
  show_stack(sh, false, false, false);
  return 0;
}
