// SPDX-License-Identifier: MIT
// find_parse.c -- reads find's expression into a tree.
#include "filemode.h"
#include "find.h"
#include "glob.h"

static find_node *make(find_kind kind) {
  find_node *n = memory_take(sizeof *n);
  *n = (find_node){.kind = kind};
  return n;
}

static find_node *join(find_kind kind, find_node *left, find_node *right) {
  find_node *n = make(kind);
  n->left = left;
  n->right = right;
  return n;
}

static char *argument(find *f, const char *name) {
  if (*f->at == NULL) bin_die(&f->b, 1, "missing argument to `%s'", name);
  return *f->at++;
}

static find_node *pattern(find *f, const char *name, find_kind kind, int flags) {
  find_node *n = make(kind);
  n->text = argument(f, name);
  n->flags = flags;
  return n;
}

static find_node *parse_regex(find *f, const char *name, bool icase) {
  const char *text = argument(f, name), *error;
  find_node *n = make(FIND_REGEX);
  n->re = regex_compile(text, strlen(text), f->syntax, REGEX_WHOLE_LINE | (icase ? REGEX_ICASE : 0),
                        &error);
  if (n->re == NULL)
    bin_die(&f->b, 1, "failed to compile regular expression '%s': %s", text, error);
  return n;
}

/* [+-]N with an optional unit letter left in *rest. */
static find_node *number(find *f, const char *name, find_kind kind, const char **rest) {
  const char *text = argument(f, name), *at = text;
  find_node *n = make(kind);
  if (*at == '+' || *at == '-') n->compare = *at++;
  char *end;
  n->number = strtoll(at, &end, 10);
  if (*at < '0' || *at > '9' || (rest == NULL && *end != 0 && *end != '.')) {
    bin_die(&f->b, 1, "invalid argument `%s' to `%s'", text, name);
  }
  n->unit = 1;
  if (rest != NULL) *rest = end;
  return n;
}

static find_node *parse_size(find *f, const char *name) {
  const char *unit;
  find_node *n = number(f, name, FIND_SIZE, &unit);
  static const struct {
    char letter;
    int64_t bytes;
  } units[] = {{0, 512},    {'b', 512},     {'c', 1},         {'w', 2},
               {'k', 1024}, {'M', 1048576}, {'G', 1073741824}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (*unit == units[i].letter && (*unit == 0 || unit[1] == 0)) {
      n->unit = units[i].bytes;
      return n;
    }
  }
  bin_die(&f->b, 1, "invalid -size type `%c'", *unit);
}

static find_node *parse_time(find *f, const char *name, int which, int64_t unit) {
  find_node *n = number(f, name, FIND_TIME, NULL);
  n->flags = which;
  n->unit = unit;
  return n;
}

static find_node *parse_newer(find *f, const char *name) {
  find_node *n = make(FIND_NEWER);
  int which = 'm', reference = 'm';
  if (strncmp(name, "-newer", 6) == 0 && name[6] != 0) {
    which = name[6];
    reference = name[7];
    if (strchr("acm", which) == NULL || reference == 0 || strchr("acmt", reference) == NULL ||
        name[8] != 0) {
      bin_die(&f->b, 1, "unknown predicate `%s'", name);
    }
  } else if (name[1] != 'n') {
    which = name[1]; /* -anewer, -cnewer */
  }
  const char *value = argument(f, name);
  n->flags = which;
  if (reference == 't') {
    int64_t seconds;
    int32_t ns;
    if (!time_parse(value, f->now, &f->zone, &seconds, &ns)) {
      bin_die(&f->b, 1, "I cannot figure out how to interpret %s as a date or time",
              quote_curly(value));
    }
    n->number = seconds * 1000000000 + ns;
    return n;
  }
  file_stat stat;
  int error = sys_stat(value, &stat);
  if (error < 0) bin_die(&f->b, 1, "%s: %s", quote_curly(value), error_text(error));
  n->number = reference == 'a' ? stat.atime : reference == 'c' ? stat.ctime : stat.mtime;
  return n;
}

static find_node *parse_perm(find *f, const char *name) {
  const char *text = argument(f, name), *at = text;
  find_node *n = make(FIND_PERM);
  if (*at == '-' || *at == '/') n->compare = *at++;
  if (!filemode_apply(at, 0, false, 0, &n->mode))
    bin_die(&f->b, 1, "invalid mode %s", quote_curly(text));
  return n;
}

static find_node *parse_type(find *f, const char *name) {
  find_node *n = make(FIND_TYPE);
  n->text = argument(f, name);
  for (const char *at = n->text; *at != 0; at++) {
    if (strchr("bcdpflsD", *at) == NULL || (at[1] != 0 && at[1] != ',')) {
      bin_die(&f->b, 1, "Unknown argument to %s: %c", name, *at);
    }
    if (at[1] == ',') at++;
  }
  return n;
}

static find_node *parse_exec(find *f, const char *name) {
  find_node *n = make(FIND_EXEC);
  n->words = f->at;
  n->in_folder = strcmp(name, "-execdir") == 0;
  f->acts = true;
  for (; *f->at != NULL; f->at++) {
    if (strcmp(*f->at, ";") == 0) break;
    if (strcmp(*f->at, "+") == 0 && n->word_count > 0 && strcmp(f->at[-1], "{}") == 0) {
      n->batch = true;
      n->word_count--;
      break;
    }
    n->word_count++;
  }
  if (*f->at == NULL || n->word_count == 0) bin_die(&f->b, 1, "missing argument to `%s'", name);
  f->at++;
  return n;
}

static find_node *parse_output(find *f, const char *name) {
  find_node *n = make(strstr(name, "printf") != NULL ? FIND_PRINTF
                      : strstr(name, "ls") != NULL   ? FIND_LS
                                                     : FIND_PRINT);
  n->zero = strchr(name, '0') != NULL;
  f->acts = true;
  if (name[1] == 'f') {
    const char *path = argument(f, name);
    int fd = sys_open(path, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
    if (fd < 0) bin_die(&f->b, 1, "%s: %s", quote_curly(path), error_text(fd));
    n->file = memory_take(sizeof *n->file);
    output_open_fd(n->file, fd);
  }
  if (n->kind == FIND_PRINTF) n->text = argument(f, name);
  return n;
}

static void parse_regextype(find *f) {
  static const struct {
    const char *name;
    regex_syntax syntax;
  } known[] = {{"posix-extended", REGEX_EXTENDED},
               {"posix-egrep", REGEX_EXTENDED},
               {"egrep", REGEX_EXTENDED},
               {"posix-basic", REGEX_BASIC},
               {"grep", REGEX_BASIC},
               {"sed", REGEX_BASIC},
               {"ed", REGEX_BASIC},
               {"posix-awk", REGEX_EXTENDED},
               {"gnu-awk", REGEX_EXTENDED},
               {"awk", REGEX_EXTENDED},
               {"emacs", REGEX_BASIC},
               {"findutils-default", REGEX_BASIC}};
  const char *name = argument(f, "-regextype");
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp(known[i].name, name) == 0) {
      f->syntax = known[i].syntax;
      return;
    }
  }
  bin_die(&f->b, 1, "Unknown regular expression type %s; valid types are %s.", quote_curly(name),
          "‘findutils-default’, ‘awk’, ‘egrep’, ‘ed’, ‘emacs’, ‘gnu-awk’, ‘grep’, ‘posix-awk’, "
          "‘posix-basic’, ‘posix-egrep’, ‘posix-extended’, ‘sed’");
}

static int parse_depth(find *f, const char *name) {
  const char *text = argument(f, name);
  uint64_t value;
  if (number_parse(text, NULL, &value) == -EINVAL) {
    bin_die(&f->b, 1, "Expected a positive decimal integer argument to %s, but got %s", name,
            quote_curly(text));
  }
  return value > 1000000 ? 1000000 : (int)value;
}

/* Options look like tests but are true always. NULL when `name` is none. */
static find_node *parse_option(find *f, const char *name) {
  if (strcmp(name, "-maxdepth") == 0) {
    f->max_depth = parse_depth(f, name);
  } else if (strcmp(name, "-mindepth") == 0) {
    f->min_depth = parse_depth(f, name);
  } else if (strcmp(name, "-depth") == 0 || strcmp(name, "-d") == 0) {
    f->depth_first = true;
  } else if (strcmp(name, "-daystart") == 0) {
    f->day_start = true;
  } else if (strcmp(name, "-follow") == 0) {
    f->follow = true;
  } else if (strcmp(name, "-regextype") == 0) {
    parse_regextype(f);
  } else if (strcmp(name, "-xdev") != 0 && strcmp(name, "-mount") != 0 &&
             strcmp(name, "-noleaf") != 0 && strcmp(name, "-warn") != 0 &&
             strcmp(name, "-nowarn") != 0 && strcmp(name, "-ignore_readdir_race") != 0 &&
             strcmp(name, "-noignore_readdir_race") != 0) {
    return NULL;
  }
  return make(FIND_TRUE);
}

static find_node *act(find *f, find_kind kind) {
  f->acts = true;
  return make(kind);
}

static find_node *parse_access(int mode) {
  find_node *n = make(FIND_ACCESS);
  n->flags = mode;
  return n;
}

static find_node *parse_same(find *f, const char *name) {
  const char *path = argument(f, name);
  file_stat stat;
  int error = sys_stat(path, &stat);
  if (error < 0) bin_die(&f->b, 1, "%s: %s", quote_curly(path), error_text(error));
  find_node *n = make(FIND_SAME_FILE);
  n->number = (int64_t)stat.inode;
  return n;
}

#define DAY 86400000000000ll
#define MINUTE 60000000000ll

static find_node *parse_test(find *f, const char *name) {
  const char *n = name + 1;
  if (strcmp(n, "name") == 0) return pattern(f, name, FIND_NAME, 0);
  if (strcmp(n, "iname") == 0) return pattern(f, name, FIND_NAME, GLOB_ICASE);
  if (strcmp(n, "path") == 0 || strcmp(n, "wholename") == 0) return pattern(f, name, FIND_PATH, 0);
  if (strcmp(n, "ipath") == 0 || strcmp(n, "iwholename") == 0)
    return pattern(f, name, FIND_PATH, GLOB_ICASE);
  if (strcmp(n, "lname") == 0) return pattern(f, name, FIND_LINK_NAME, 0);
  if (strcmp(n, "ilname") == 0) return pattern(f, name, FIND_LINK_NAME, GLOB_ICASE);
  if (strcmp(n, "regex") == 0) return parse_regex(f, name, false);
  if (strcmp(n, "iregex") == 0) return parse_regex(f, name, true);
  if (strcmp(n, "type") == 0 || strcmp(n, "xtype") == 0) return parse_type(f, name);
  if (strcmp(n, "size") == 0) return parse_size(f, name);
  if (strcmp(n, "mtime") == 0 || strcmp(n, "atime") == 0 || strcmp(n, "ctime") == 0)
    return parse_time(f, name, *n, DAY);
  if (strcmp(n, "mmin") == 0 || strcmp(n, "amin") == 0 || strcmp(n, "cmin") == 0)
    return parse_time(f, name, *n, MINUTE);
  if (strncmp(n, "newer", 5) == 0 || strcmp(n, "anewer") == 0 || strcmp(n, "cnewer") == 0)
    return parse_newer(f, name);
  if (strcmp(n, "perm") == 0) return parse_perm(f, name);
  if (strcmp(n, "empty") == 0) return make(FIND_EMPTY);
  if (strcmp(n, "links") == 0) return number(f, name, FIND_LINKS, NULL);
  if (strcmp(n, "inum") == 0) return number(f, name, FIND_INODE, NULL);
  if (strcmp(n, "samefile") == 0) return parse_same(f, name);
  if (strcmp(n, "readable") == 0) return parse_access(OPEN_READ);
  if (strcmp(n, "writable") == 0) return parse_access(OPEN_WRITE);
  if (strcmp(n, "executable") == 0) return parse_access(256);
  if (strcmp(n, "user") == 0 || strcmp(n, "group") == 0 || strcmp(n, "uid") == 0 ||
      strcmp(n, "gid") == 0) {
    return pattern(f, name, FIND_USER, 0);
  }
  if (strcmp(n, "true") == 0) return make(FIND_TRUE);
  if (strcmp(n, "false") == 0 || strcmp(n, "nouser") == 0 || strcmp(n, "nogroup") == 0)
    return make(FIND_FALSE);
  if (strcmp(n, "prune") == 0) return make(FIND_PRUNE);
  if (strcmp(n, "quit") == 0) return act(f, FIND_QUIT);
  if (strcmp(n, "delete") == 0) {
    f->depth_first = true;
    return act(f, FIND_DELETE);
  }
  static const char *const outputs[] = {"print",  "print0",  "printf",  "ls",
                                        "fprint", "fprint0", "fprintf", "fls"};
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
    if (strcmp(n, outputs[i]) == 0) return parse_output(f, name);
  }
  if (strcmp(n, "exec") == 0 || strcmp(n, "execdir") == 0) return parse_exec(f, name);
  find_node *option = parse_option(f, name);
  if (option == NULL) bin_die(&f->b, 1, "unknown predicate `%s'", name);
  return option;
}

static find_node *parse_list(find *f);

static find_node *parse_primary(find *f) {
  const char *word = *f->at;
  if (word == NULL && strcmp(f->at[-1], "(") == 0) {
    bin_die(&f->b, 1,
            "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an "
            "extra predicate after '('");
  }
  if (word == NULL) bin_die(&f->b, 1, "expected an expression after '%s'", f->at[-1]);
  f->at++;
  if (++f->nesting > FIND_DEPTH) bin_die(&f->b, 1, "the expression nests too deeply");
  find_node *n;
  if (strcmp(word, "!") == 0 || strcmp(word, "-not") == 0) {
    n = join(FIND_NOT, parse_primary(f), NULL);
  } else if (strcmp(word, "(") == 0) {
    if (*f->at != NULL && strcmp(*f->at, ")") == 0)
      bin_die(&f->b, 1, "invalid expression; empty parentheses are not allowed.");
    n = parse_list(f);
    if (*f->at == NULL || strcmp(*f->at, ")") != 0) {
      bin_die(&f->b, 1,
              "invalid expression; I was expecting to find a ')' somewhere but did not see one.");
    }
    f->at++;
  } else if (strcmp(word, ")") == 0) {
    bin_die(&f->b, 1, "invalid expression; you have too many ')'");
  } else if (*word != '-' || word[1] == 0) {
    if (strcmp(word, ",") == 0)
      bin_die(&f->b, 1,
              "invalid expression; you have used a binary operator '%s' with nothing before it.",
              word);
    bin_warn(&f->b, "paths must precede expression: `%s'", word);
    bin_exit(&f->b, 1);
  } else if (strcmp(word, "-o") == 0 || strcmp(word, "-a") == 0 || strcmp(word, "-or") == 0 ||
             strcmp(word, "-and") == 0) {
    bin_die(&f->b, 1,
            "invalid expression; you have used a binary operator '%s' with nothing before it.",
            word);
  } else {
    n = parse_test(f, word);
  }
  f->nesting--;
  return n;
}

static bool is_word(find *f, const char *a, const char *b) {
  return *f->at != NULL && (strcmp(*f->at, a) == 0 || strcmp(*f->at, b) == 0);
}

static find_node *parse_and(find *f) {
  find_node *left = parse_primary(f);
  while (*f->at != NULL && !is_word(f, "-o", "-or") && !is_word(f, ",", ")")) {
    if (is_word(f, "-a", "-and")) f->at++;
    left = join(FIND_AND, left, parse_primary(f));
  }
  return left;
}

static find_node *parse_or(find *f) {
  find_node *left = parse_and(f);
  while (is_word(f, "-o", "-or")) {
    f->at++;
    left = join(FIND_OR, left, parse_and(f));
  }
  return left;
}

static find_node *parse_list(find *f) {
  find_node *left = parse_or(f);
  while (is_word(f, ",", ",")) {
    f->at++;
    left = join(FIND_LIST, left, parse_or(f));
  }
  return left;
}

void find_parse(find *f) {
  f->expression = *f->at == NULL ? make(FIND_TRUE) : parse_list(f);
  if (*f->at != NULL) bin_die(&f->b, 1, "invalid expression; you have too many ')'");
  if (!f->acts) f->expression = join(FIND_AND, f->expression, make(FIND_PRINT));
}
