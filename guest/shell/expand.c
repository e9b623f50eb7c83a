// SPDX-License-Identifier: MIT
/* expand.c -- the order of expansions; see expand.h for the marks. */
#include "expand.h"

#include <stdlib.h>

#include "arith.h"
#include "exec.h"

/* ---- fields ---- */

void fields_add(shell *sh, fields *to, char *field) {
  if (to->count + 1 >= to->cap) {
    size_t cap = to->cap != 0 ? to->cap * 2 : 16;
    char **bigger = arena_take(&sh->scratch, cap * sizeof *bigger);
    if (to->count != 0) memcpy(bigger, to->at, to->count * sizeof *bigger);
    to->at = bigger;
    to->cap = cap;
  }
  to->at[to->count++] = field;
}

char **fields_end(shell *sh, fields *of) {
  fields_add(sh, of, NULL);
  of->count--;
  return of->at;
}

/* ---- text with marks ---- */

void expansion_add(expansion *x, const char *bytes, size_t size, uint8_t mark) {
  if (size == 0) return;
  text_add(&x->text, bytes, size);
  if (x->marked) text_pad(&x->marks, (char)mark, size);
}

void expansion_mark(expansion *x, uint8_t mark) {
  if (!x->fields) return;
  text_char(&x->text, 0);
  text_char(&x->marks, (char)mark);
}

static expansion expansion_begin(shell *sh, bool marked, bool into_fields) {
  return (expansion){.sh = sh,
                     .text = {.in = &sh->scratch},
                     .marks = {.in = &sh->scratch},
                     .marked = marked,
                     .fields = into_fields};
}

/* ---- tilde ---- */

const char *tilde_value(shell *sh, const char *name, size_t size) {
  if (size == 0) {
    const char *home = var_get(sh, "HOME");
    return home != NULL ? home : "/";
  }
  if (size == 1 && *name == '+') return var_get(sh, "PWD");
  if (size == 1 && *name == '-') return var_get(sh, "OLDPWD");
  if (size == 4 && memcmp(name, "root", 4) == 0) return "/root";
  return NULL;
}

/* A ~ at `at`: its prefix must reach to a slash, the end of the word, or in an assignment a colon,
 * without quotes in between. Returns the bytes it took, 0 when it stands for itself. */
static size_t expand_tilde(expansion *x, const part *of, size_t at) {
  size_t end = at + 1;
  while (end < of->text.len && of->text.at[end] != '/' &&
         !(x->assignment && of->text.at[end] == ':'))
    end++;
  if (end == of->text.len && of->next != NULL) return 0;
  const char *value = tilde_value(x->sh, of->text.at + at + 1, end - at - 1);
  if (value == NULL) return 0;
  size_t size = strlen(value);
  /* HOME=/ and ~/x make /x */
  if (size > 0 && value[size - 1] == '/' && end < of->text.len && of->text.at[end] == '/') size--;
  if (size == 0 && end == of->text.len) expansion_mark(x, MARK_EMPTY);
  expansion_add(x, value, size, MARK_QUOTED);
  return end - at;
}

/* A literal with ~ in it. `first`: the word begins here. */
static void add_tilde_literal(expansion *x, const part *of, bool first) {
  size_t from = 0;
  bool may = first;
  for (size_t at = 0; at < of->text.len; at++) {
    char c = of->text.at[at];
    if (c == '~' && may) {
      expansion_add(x, of->text.at + from, at - from, 0);
      from = at;
      size_t taken = expand_tilde(x, of, at);
      from += taken;
      if (taken > 0) at += taken - 1;
    }
    may = x->assignment && (c == ':');
  }
  expansion_add(x, of->text.at + from, of->text.len - from, 0);
}

/* ---- parts ---- */

static void expand_double(expansion *x, const part *of) {
  size_t before = x->text.len;
  bool outer = x->at_empty, inside = x->inside;
  x->at_empty = false;
  x->inside = false;
  expand_parts(x, of->inside, true);
  x->inside = inside;
  if (x->text.len == before && !x->at_empty) expansion_mark(x, MARK_EMPTY);
  x->at_empty = outer;
}

bool expand_arithmetic(shell *sh, const char *who, const word *expression, int64_t *value) {
  *value = 0;
  if (expression == NULL || expression->parts == NULL) return true;
  const part *only = expression->parts;
  bool literal = only->next == NULL && (only->kind == PART_LITERAL || only->kind == PART_QUOTED);
  if (literal) return arith_evaluate_for(sh, who, only->text.at, only->text.len, value);
  size_t size;
  const char *plain = expand_sized(sh, expression, false, &size);
  return plain != NULL && arith_evaluate_for(sh, who, plain, size, value);
}

static void expand_arithmetic_part(expansion *x, const part *of, bool quoted) {
  int64_t value;
  char digits[24];
  if (!expand_arithmetic(x->sh, NULL, of->expression, &value)) {
    discard(x->sh, 1);
    x->failed = true;
    return;
  }
  size_t size = number_format(value, digits);
  expansion_add(x, digits, size, quoted ? MARK_QUOTED : MARK_SPLIT);
}

static void expand_command_part(expansion *x, const part *of, bool quoted) {
  text output = {.in = NULL};
  if (!substitute_command(x->sh, of, &output)) x->failed = true;
  expansion_add(x, output.at, output.len, quoted ? MARK_QUOTED : MARK_SPLIT);
  text_free(&output);
}

static void expand_literal(expansion *x, const part *of, bool quoted, bool first) {
  uint8_t mark = quoted ? MARK_QUOTED : x->inside ? MARK_SPLIT : 0;
  bool tilde = !quoted && memchr(of->text.at, '~', of->text.len) != NULL;
  if (tilde)
    add_tilde_literal(x, of, first);
  else
    expansion_add(x, of->text.at, of->text.len, mark);
}

void expand_parts(expansion *x, const part *parts, bool quoted) {
  bool first = true;
  for (const part *at = parts; at != NULL && !x->failed; at = at->next, first = false) {
    switch (at->kind) {
      case PART_LITERAL:
        expand_literal(x, at, quoted, first);
        break;
      case PART_QUOTED:
        if (at->text.len == 0 && !quoted) expansion_mark(x, MARK_EMPTY);
        expansion_add(x, at->text.at, at->text.len, MARK_QUOTED);
        break;
      case PART_DOUBLE:
        expand_double(x, at);
        break;
      case PART_PARAMETER:
        expand_parameter(x, at, quoted);
        break;
      case PART_ARITHMETIC:
        expand_arithmetic_part(x, at, quoted);
        break;
      case PART_COMMAND:
        expand_command_part(x, at, quoted);
        break;
      case PART_MISTAKE:
        report_syntax(x->sh, at->message, at->line, "command substitution");
        discard(x->sh, 1);
        x->failed = true;
        break;
      case PART_PROCESS: {
        const char *path = substitute_process(x->sh, at);
        if (path == NULL)
          x->failed = true;
        else
          expansion_add(x, path, strlen(path), MARK_QUOTED);
      }
    }
  }
}

/* ---- splitting ---- */

typedef struct {
  const char *ifs;
  shell *sh;
  fields *to;
  const expansion *x;
  text field, marks; /* the one being gathered */
  bool there;        /* it is a field even if nothing is in it */
  bool any_glob;
  bool failed;
} splitter;

unsigned pattern_flags(const shell *sh) {
  return (shopt_on(sh, SHOPT_EXTGLOB) ? PATTERN_EXTGLOB : 0u) |
         (shopt_on(sh, SHOPT_NOCASEMATCH) ? PATTERN_NOCASE : 0u);
}

static void finish_glob(splitter *s) {
  shell *sh = s->sh;
  char *text = text_end(&s->field);
  const uint8_t *marks = (const uint8_t *)s->marks.at;
  unsigned flags = shopt_on(sh, SHOPT_EXTGLOB) ? PATTERN_EXTGLOB : 0u;
  if (option_on(sh, OPTION_NOGLOB) || !pattern_special(text, marks, s->field.len, flags)) {
    fields_add(sh, s->to, text);
    return;
  }
  ptrdiff_t found = glob_expand(sh, text, marks, s->field.len, s->to);
  if (found > 0) return;
  if (found < 0) {
    complain(sh, "%s: too many paths match", text);
    discard(sh, 1);
    s->failed = true;
  } else if (shopt_on(sh, SHOPT_FAILGLOB)) {
    complain(sh, "no match: %s", text);
    discard(sh, 1);
    s->failed = true;
  } else if (!shopt_on(sh, SHOPT_NULLGLOB)) {
    fields_add(sh, s->to, text);
  }
}

static void finish_field(splitter *s) {
  if (s->field.len > 0 || s->there) {
    if (s->any_glob)
      finish_glob(s);
    else
      fields_add(s->sh, s->to, text_end(&s->field));
  }
  s->field = (text){.in = &s->sh->scratch};
  s->marks = (text){.in = &s->sh->scratch};
  s->there = s->any_glob = false;
}

static bool is_ifs(const splitter *s, char c) {
  return c != 0 && strchr(s->ifs, c) != NULL;
}
static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

/* At a separator: blanks around one other IFS character make one separator. Returns the place
 * behind. */
static size_t take_separator(splitter *s, size_t at) {
  const char *text = s->x->text.at;
  const char *marks = s->x->marks.at;
  size_t len = s->x->text.len;
  bool solid = false, had = s->field.len > 0 || s->there;
  while (at < len && marks[at] & MARK_SPLIT && is_ifs(s, text[at])) {
    if (!is_blank(text[at])) {
      if (solid) break;
      solid = true;
    }
    at++;
  }
  if (had || solid) {
    s->there = s->there || solid;
    finish_field(s);
  }
  return at;
}

static void split(splitter *s) {
  const expansion *x = s->x;
  for (size_t at = 0; at < x->text.len && !s->failed;) {
    char c = x->text.at[at];
    uint8_t mark = (uint8_t)x->marks.at[at];
    if (c == 0) {
      if (mark & MARK_BREAK) finish_field(s);
      if (mark & MARK_EMPTY) s->there = true;
      at++;
    } else if (mark & MARK_SPLIT && is_ifs(s, c)) {
      at = take_separator(s, at);
    } else {
      if (!(mark & MARK_QUOTED) && (c == '*' || c == '?' || c == '[' || c == '('))
        s->any_glob = true;
      text_char(&s->field, c);
      text_char(&s->marks, (char)mark);
      at++;
    }
  }
  if (!s->failed) finish_field(s);
}

/* Nothing to split, nothing to match: the text is the field. */
static bool is_single(const expansion *x) {
  const char *text = x->text.at;
  for (size_t i = 0; i < x->text.len; i++) {
    if (text[i] == 0) return false;
    uint8_t mark = (uint8_t)x->marks.at[i];
    if (mark & MARK_QUOTED) continue;
    if (text[i] == '*' || text[i] == '?' || text[i] == '[' || text[i] == '(') return false;
    if (mark & MARK_SPLIT && strchr(x->sh->ifs, text[i]) != NULL) return false;
  }
  return x->text.len > 0;
}

/* ---- whole words ---- */

/* x=~/y as an argument of any command. */
static bool looks_assigned(const word *one) {
  const part *first = one->parts;
  if (first == NULL || first->kind != PART_LITERAL) return false;
  const char *equals = memchr(first->text.at, '=', first->text.len);
  return equals != NULL && name_valid(first->text.at, (size_t)(equals - first->text.at));
}

static void expand_assigned(expansion *x, const word *one) {
  const part *first = one->parts;
  const char *equals = memchr(first->text.at, '=', first->text.len);
  size_t size = (size_t)(equals - first->text.at) + 1;
  expansion_add(x, first->text.at, size, 0);
  part rest = *first;
  rest.text = (slice){first->text.at + size, first->text.len - size};
  x->assignment = true;
  expand_parts(x, rest.text.len > 0 ? &rest : rest.next, false);
}

/* $x without quotes, the commonest word that is not plain. */
static bool expand_simple(shell *sh, const word *one, fields *to) {
  const part *only = one->parts;
  if (only->kind == PART_DOUBLE && only->next == NULL && only->inside != NULL) {
    only = only->inside;
    if (only->kind != PART_PARAMETER || only->next != NULL || !only->simple) return false;
  } else if (only->next != NULL || only->kind != PART_PARAMETER || !only->simple) {
    return false;
  }
  if (only->parameter->special) return false;
  variable *found = var_find(sh, only->parameter->name, only->parameter->hash);
  if (found == NULL || found->attributes & (ATTR_ARRAY | ATTR_MAP | ATTR_UNSET | ATTR_REFERENCE))
    return false;
  if (only == one->parts)
    for (const char *at = found->text; *at != 0; at++)
      if (strchr(sh->ifs, *at) != NULL || *at == '*' || *at == '?' || *at == '[' || *at == '(')
        return false;
  if (found->len == 0 && only == one->parts) return true;
  fields_add(sh, to, arena_copy(&sh->scratch, found->text, found->len));
  return true;
}

bool expand_one(shell *sh, const word *one, fields *to) {
  if (one->flags & WORD_PLAIN) {
    fields_add(sh, to, (char *)one->parts->text.at);
    return true;
  }
  if (one->parts == NULL) return true;
  if (expand_simple(sh, one, to)) return true;
  expansion x = expansion_begin(sh, true, true);
  if (one->flags & WORD_TILDE && looks_assigned(one))
    expand_assigned(&x, one);
  else
    expand_parts(&x, one->parts, false);
  if (x.failed) return false;
  if (is_single(&x)) {
    fields_add(sh, to, text_end(&x.text));
    return true;
  }
  splitter s = {.ifs = sh->ifs,
                .sh = sh,
                .to = to,
                .x = &x,
                .field.in = &sh->scratch,
                .marks.in = &sh->scratch};
  split(&s);
  return !s.failed;
}

bool expand_words(shell *sh, const word *words, fields *to) {
  for (const word *at = words; at != NULL; at = at->next) {
    if (at->flags & WORD_BRACE && option_on(sh, OPTION_BRACEEXPAND)) {
      braced *all;
      size_t count;
      if (!brace_expand(sh, at, &all, &count)) return false;
      for (size_t i = 0; i < count; i++) {
        if (all[i].plain != NULL)
          fields_add(sh, to, (char *)all[i].plain);
        else if (!expand_one(sh, all[i].word, to))
          return false;
      }
    } else if (!expand_one(sh, at, to)) {
      return false;
    }
  }
  return true;
}

char *expand_sized(shell *sh, const word *of, bool assignment, size_t *size) {
  *size = 0;
  if (of == NULL || of->parts == NULL) return arena_copy(&sh->scratch, "", 0);
  if (of->flags & WORD_PLAIN) {
    *size = of->parts->text.len;
    return (char *)of->parts->text.at;
  }
  expansion x = expansion_begin(sh, false, false);
  x.assignment = assignment;
  expand_parts(&x, of->parts, false);
  if (x.failed) return NULL;
  *size = x.text.len;
  return text_end(&x.text);
}

char *expand_string(shell *sh, const word *of, bool assignment) {
  size_t size;
  return expand_sized(sh, of, assignment, &size);
}

pattern *expand_pattern(shell *sh, const word *of, unsigned flags) {
  expansion x = expansion_begin(sh, true, false);
  if (of != NULL) expand_parts(&x, of->parts, false);
  if (x.failed) return NULL;
  return pattern_compile(&sh->scratch, text_end(&x.text), (const uint8_t *)text_end(&x.marks),
                         x.text.len, flags);
}

char *expand_shown_pattern(shell *sh, const word *of) {
  expansion x = expansion_begin(sh, true, false);
  expand_parts(&x, of->parts, false);
  text shown = {.in = &sh->scratch};
  for (size_t i = 0; i < x.text.len; i++) {
    if (x.marks.at[i] & MARK_QUOTED) text_char(&shown, '\\');
    text_char(&shown, x.text.at[i]);
  }
  return text_end(&shown);
}

char *expand_regex(shell *sh, const word *of) {
  expansion x = expansion_begin(sh, true, false);
  expand_parts(&x, of->parts, false);
  if (x.failed) return NULL;
  text regex = {.in = &sh->scratch};
  bool bracket = false;
  for (size_t i = 0; i < x.text.len; i++) {
    char c = x.text.at[i];
    bool quoted = (x.marks.at[i] & MARK_QUOTED) != 0;
    if (!quoted && c == '[') bracket = true;
    if (!quoted && c == ']') bracket = false;
    if (quoted && strchr("\\^$.|?*+()[]{}", c) != NULL) {
      if (bracket && c != '\\')
        text_char(&regex, c);
      else
        text_char(&regex, '\\'), text_char(&regex, c);
      continue;
    }
    text_char(&regex, c);
  }
  return text_end(&regex);
}

char *expand_target(shell *sh, const word *of) {
  fields found = {0};
  if (of->flags & WORD_BRACE && option_on(sh, OPTION_BRACEEXPAND)) {
    word alone = *of;
    alone.next = NULL;
    if (!expand_words(sh, &alone, &found)) return NULL;
  } else if (!expand_one(sh, of, &found)) {
    return NULL;
  }
  if (found.count == 1) return found.at[0];
  complain(sh, "%.*s: ambiguous redirect", (int)of->source.len, of->source.at);
  return NULL;
}
