// SPDX-License-Identifier: MIT
/* builtin_test.c -- test and [, for the shell and for guest/bin.
 *
 * POSIX fixes what up to four arguments mean by their number alone; only more are parsed. */
#include <stdlib.h>

#include "builtins.h"
#include "shared.h"

typedef struct {
  text *messages;
  int count, at;
  char **arguments;
  const shared_test_shell *shell;
  bool failed;
  unsigned depth;
} testing;

static bool fail(testing *t, const char *what, const char *argument) {
  if (!t->failed) {
    if (argument != NULL)
      text_format(t->messages, "%s: %s\n", argument, what);
    else
      text_format(t->messages, "%s\n", what);
  }
  t->failed = true;
  return false;
}

/* ---- files ---- */

static bool is_kind(const char *path, file_kind kind) {
  file_stat stat;
  return sys_stat(path, &stat) == 0 && stat.kind == kind;
}

static bool mode_bit(const char *path, uint32_t bit) {
  file_stat stat;
  return sys_stat(path, &stat) == 0 && (stat.mode & bit) != 0;
}

int shared_test_unary(char operator, const char * operand) {
  file_stat stat;
  switch (operator) {
    case 'a':
    case 'e':
      return sys_stat(operand, &stat) == 0 ? 0 : 1;
    case 'f':
      return !is_kind(operand, FILE_REGULAR);
    case 'd':
      return !is_kind(operand, FILE_DIRECTORY);
    case 'h':
    case 'L':
      return !(sys_lstat(operand, &stat) == 0 && stat.kind == FILE_LINK);
    case 'p':
      return !is_kind(operand, FILE_PIPE);
    case 'c':
      return !is_kind(operand, FILE_DEVICE);
    case 'b':
    case 'S':
      return 1;
    case 's':
      return !(sys_stat(operand, &stat) == 0 && stat.size > 0);
    case 'r':
      return sys_access(operand, OPEN_READ) != 0;
    case 'w':
      return sys_access(operand, OPEN_WRITE) != 0;
    case 'x':
      return sys_access(operand, 1 << 8) != 0;
    case 'u':
      return !mode_bit(operand, 04000);
    case 'g':
      return !mode_bit(operand, 02000);
    case 'k':
      return !mode_bit(operand, 01000);
    case 'O':
    case 'G':
      return sys_stat(operand, &stat) != 0;
    case 'N':
      return !(sys_stat(operand, &stat) == 0 && stat.mtime > stat.atime);
    case 't':
      return 1; /* no terminal in here */
    default:
      return -1;
  }
}

int shared_test_files(const char *operator, const char * left, const char *right) {
  file_stat a, b;
  bool known = operator[0] == '-' &&(strcmp(operator, "-ef") == 0 || strcmp(operator, "-nt") == 0 ||
                                     strcmp(operator, "-ot") == 0);
  if (!known) return -1;
  bool have_a = sys_stat(left, &a) == 0, have_b = sys_stat(right, &b) == 0;
  if (strcmp(operator, "-ef") == 0) return !(have_a && have_b && a.inode == b.inode);
  if (strcmp(operator, "-nt") == 0) return !(have_a && (!have_b || a.mtime > b.mtime));
  return !(have_b && (!have_a || a.mtime < b.mtime));
}

/* ---- operators ---- */

static bool is_unary(const char *word) {
  return word[0] == '-' && word[1] != 0 && word[2] == 0 &&
         strchr("abcdefghknoprstuvwxzGLNORS", word[1]) != NULL;
}

static bool is_binary(const char *word) {
  static const char *const names[] = {"=",   "==",  "!=",  "<",   ">",   "-eq", "-ne", "-lt",
                                      "-le", "-gt", "-ge", "-nt", "-ot", "-ef", NULL};
  for (size_t i = 0; names[i] != NULL; i++)
    if (strcmp(word, names[i]) == 0) return true;
  return false;
}

static bool unary(testing *t, const char *operator, const char * operand) {
  const shared_test_shell *shell = t->shell;
  switch (operator[1]) {
    case 'n':
      return *operand != 0;
    case 'z':
      return *operand == 0;
    case 'v':
      return shell != NULL && shell->is_set(shell->context, operand);
    case 'R':
      return shell != NULL && shell->is_reference(shell->context, operand);
    case 'o':
      return shell != NULL && shell->option(shell->context, operand);
    case 't': {
      int64_t fd;
      if (!builtin_number(operand, &fd)) return fail(t, "integer expression expected", operand);
      return false;
    }
    default:
      return shared_test_unary(operator[1], operand) == 0;
  }
}

static bool numbers(testing *t, const char *left, const char *operator, const char * right) {
  int64_t a, b;
  if (!builtin_number(left, &a)) return fail(t, "integer expression expected", left);
  if (!builtin_number(right, &b)) return fail(t, "integer expression expected", right);
  switch (operator[1] << 8 | operator[2]) {
    case 'e' << 8 | 'q':
      return a == b;
    case 'n' << 8 | 'e':
      return a != b;
    case 'l' << 8 | 't':
      return a < b;
    case 'l' << 8 | 'e':
      return a <= b;
    case 'g' << 8 | 't':
      return a > b;
    default:
      return a >= b;
  }
}

static bool binary(testing *t, const char *left, const char *operator, const char * right) {
  switch (*operator) {
    case '=':
      return strcmp(left, right) == 0;
    case '!':
      return strcmp(left, right) != 0;
    case '<':
      return strcmp(left, right) < 0;
    case '>':
      return strcmp(left, right) > 0;
    default:
      break;
  }
  int files = shared_test_files(operator, left, right);
  return files >= 0 ? files == 0 : numbers(t, left, operator, right);
}

/* ---- expressions of five words and more ---- */

#define TEST_DEPTH 100

static bool parse_or(testing *t);

static const char *word_at(const testing *t, int ahead) {
  return t->at + ahead < t->count ? t->arguments[t->at + ahead] : NULL;
}

static bool parse_primary(testing *t) {
  const char *word = word_at(t, 0), *next = word_at(t, 1), *third = word_at(t, 2);
  if (word == NULL) return fail(t, "argument expected", NULL);
  if (next != NULL && third != NULL && is_binary(next)) {
    t->at += 3;
    return binary(t, word, next, third);
  }
  if (strcmp(word, "(") == 0) {
    t->at++;
    bool value = parse_or(t);
    if (t->failed) return false;
    if (word_at(t, 0) == NULL) return fail(t, "`)' expected", NULL);
    if (strcmp(word_at(t, 0), ")") != 0) {
      text_format(t->messages, "`)' expected, found %s\n", word_at(t, 0));
      t->failed = true;
      return false;
    }
    t->at++;
    return value;
  }
  if (is_unary(word) && next != NULL) {
    t->at += 2;
    return unary(t, word, next);
  }
  t->at++;
  return *word != 0;
}

static bool parse_not(testing *t) {
  bool negated = false;
  while (word_at(t, 0) != NULL && strcmp(word_at(t, 0), "!") == 0) {
    negated = !negated;
    t->at++;
  }
  return parse_primary(t) != negated;
}

static bool parse_and(testing *t) {
  bool value = parse_not(t);
  while (!t->failed && word_at(t, 0) != NULL && strcmp(word_at(t, 0), "-a") == 0) {
    t->at++;
    bool right = parse_not(t);
    value = value && right;
  }
  return value;
}

static bool parse_or(testing *t) {
  if (++t->depth > TEST_DEPTH) return fail(t, "too many parentheses inside one another", NULL);
  bool value = parse_and(t);
  while (!t->failed && word_at(t, 0) != NULL && strcmp(word_at(t, 0), "-o") == 0) {
    t->at++;
    bool right = parse_and(t);
    value = value || right;
  }
  t->depth--;
  return value;
}

/* ---- by the number of arguments ---- */

static bool two(testing *t, char **word) {
  if (strcmp(word[0], "!") == 0) return *word[1] == 0;
  if (is_unary(word[0])) return unary(t, word[0], word[1]);
  return fail(t, "unary operator expected", word[0]);
}

static bool three(testing *t, char **word) {
  if (is_binary(word[1])) return binary(t, word[0], word[1], word[2]);
  if (strcmp(word[1], "-a") == 0) return *word[0] != 0 && *word[2] != 0;
  if (strcmp(word[1], "-o") == 0) return *word[0] != 0 || *word[2] != 0;
  if (strcmp(word[0], "!") == 0) return !two(t, word + 1);
  if (strcmp(word[0], "(") == 0 && strcmp(word[2], ")") == 0) return *word[1] != 0;
  return fail(t, "binary operator expected", word[1]);
}

static bool parse_all(testing *t) {
  bool value = parse_or(t);
  if (!t->failed && t->at < t->count) {
    return fail(t, "too many arguments", NULL);
  }
  return value;
}

static bool evaluate(testing *t, char **word) {
  switch (t->count) {
    case 0:
      return false;
    case 1:
      return *word[0] != 0;
    case 2:
      return two(t, word);
    case 3:
      return three(t, word);
    case 4:
      if (strcmp(word[0], "!") == 0) {
        bool inner = three(t, word + 1);
        return !inner;
      }
      if (strcmp(word[0], "(") == 0 && strcmp(word[3], ")") == 0) return two(t, word + 1);
      return parse_all(t);
    default:
      return parse_all(t);
  }
}

int shared_test(text *messages, int count, char **arguments, const shared_test_shell *shell) {
  testing t = {.messages = messages, .count = count, .arguments = arguments, .shell = shell};
  bool value = evaluate(&t, arguments);
  return t.failed ? 2 : !value;
}

/* ---- the builtins ---- */

static int run_test(shell *sh, const char *name, int count, char **arguments) {
  text messages = {.in = &sh->scratch};
  shared_test_shell asked = test_shell(sh);
  int status = shared_test(&messages, count, arguments, &asked);
  for (char *at = text_end(&messages); *at != 0;) {
    size_t size = strcspn(at, "\n");
    complain_as(sh, name, "%.*s", (int)size, at);
    at += size + 1;
  }
  return status;
}

int builtin_test(shell *sh, int argc, char **argv) {
  return run_test(sh, "test", argc - 1, argv + 1);
}

int builtin_bracket(shell *sh, int argc, char **argv) {
  if (argc < 2 || strcmp(argv[argc - 1], "]") != 0) {
    complain_as(sh, "[", "missing `]'");
    return 2;
  }
  return run_test(sh, "[", argc - 2, argv + 1);
}
