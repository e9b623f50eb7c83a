// SPDX-License-Identifier: MIT
// awk_lex.c -- awk's tokens. Whether a slash begins a regular expression is the parser's to say, by
// what came before.
#include <stdarg.h>
#include <stdio.h>

#include "../text/unicode.h"
#include "awk.h"

void awk_die(awk *a, const char *format, ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  awk_close_all(a);
  bin_die(&a->b, 2, "fatal: %s", message);
}

void awk_syntax(awk *a) {
  const char *line = a->at, *end = a->at;
  if (line > a->limit) line = a->limit;
  while (line > a->source && line[-1] != '\n') line--;
  while (end < a->limit && *end != '\n') end++;
  bin_warn(&a->b, "%s:%d: %.*s", a->source_name, a->line, (int)(end - line), line);
  bin_die(&a->b, 1, "%s:%d: %*s^ %s", a->source_name, a->line,
          (int)(a->at - line > 0 ? a->at - line - 1 : 0), "",
          a->token == T_END ? "unexpected newline or end of string" : "syntax error");
}

static const struct {
  const char *word;
  int token;
} keywords[] = {{"BEGIN", T_BEGIN},
                {"END", T_END_RULE},
                {"BEGINFILE", T_BEGINFILE},
                {"ENDFILE", T_ENDFILE},
                {"function", T_FUNCTION},
                {"func", T_FUNCTION},
                {"if", T_IF},
                {"else", T_ELSE},
                {"while", T_WHILE},
                {"for", T_FOR},
                {"do", T_DO},
                {"break", T_BREAK},
                {"continue", T_CONTINUE},
                {"next", T_NEXT},
                {"nextfile", T_NEXTFILE},
                {"exit", T_EXIT},
                {"return", T_RETURN},
                {"delete", T_DELETE},
                {"in", T_IN},
                {"print", T_PRINT},
                {"printf", T_PRINTF},
                {"getline", T_GETLINE},
                {"switch", T_SWITCH},
                {"case", T_CASE},
                {"default", T_DEFAULT}};

static const char *const builtins[] = {
    "length",  "substr", "index",    "split",   "sub",    "gsub",  "gensub", "match",
    "sprintf", "sin",    "cos",      "atan2",   "exp",    "log",   "sqrt",   "int",
    "rand",    "srand",  "tolower",  "toupper", "system", "close", "fflush", "strftime",
    "systime", "mktime", "asort",    "asorti",  "and",    "or",    "xor",    "lshift",
    "rshift",  "compl",  "strtonum", "typeof",  "isarray"};

const char *awk_builtin_name(size_t builtin) {
  return builtins[builtin];
}

static bool is_name(char c) {
  return (c | 32) >= 'a' && (c | 32) <= 'z' ? true : c == '_' || (c >= '0' && c <= '9');
}

static int hex(char c) {
  return c >= '0' && c <= '9'                 ? c - '0'
         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                              : -1;
}

awk_string *awk_unescape(const char *at, size_t size) {
  awk_string *s = string_room(size);
  const char *end = at + size;
  size_t count = 0;
  while (at < end) {
    if (*at != '\\' || at + 1 == end) {
      s->at[count++] = *at++;
      continue;
    }
    static const char from[] = "\"\\/abfnrtv", to[] = "\"\\/\a\b\f\n\r\t\v";
    char c = *++at;
    const char *known = c != 0 ? strchr(from, c) : NULL;
    if (known != NULL) {
      s->at[count++] = to[known - from];
      at++;
    } else if (c >= '0' && c <= '7') {
      int value = 0;
      for (int i = 0; i < 3 && at < end && *at >= '0' && *at <= '7'; i++)
        value = value * 8 + (*at++ - '0');
      s->at[count++] = (char)value;
    } else if (c == 'x' && at + 1 < end && hex(at[1]) >= 0) {
      int value = 0;
      at++;
      for (int i = 0; i < 2 && at < end && hex(*at) >= 0; i++) value = value * 16 + hex(*at++);
      s->at[count++] = (char)value;
    } else if (c == '\n') {
      at++;
    } else {
      s->at[count++] = '\\'; /* gawk warns and drops it; a regex needs it */
      s->at[count++] = c;
      at++;
    }
  }
  s->size = count;
  s->at[count] = 0;
  return s;
}

static void take_string(awk *a) {
  const char *begin = ++a->at;
  while (a->at < a->limit && *a->at != '"') {
    if (*a->at == '\n') bin_die(&a->b, 1, "%s:%d: unterminated string", a->source_name, a->line);
    a->at += *a->at == '\\' && a->at + 1 < a->limit ? 2 : 1;
  }
  if (a->at >= a->limit) bin_die(&a->b, 1, "%s:%d: unterminated string", a->source_name, a->line);
  a->token_text = (char *)(uintptr_t)begin;
  a->token_size = (size_t)(a->at++ - begin);
  a->token = T_STRING;
}

static void take_word(awk *a) {
  const char *begin = a->at;
  while (a->at < a->limit && is_name(*a->at)) a->at++;
  a->token_text = (char *)(uintptr_t)begin;
  a->token_size = (size_t)(a->at - begin);
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
    if (strlen(keywords[i].word) == a->token_size &&
        memcmp(keywords[i].word, begin, a->token_size) == 0) {
      a->token = keywords[i].token;
      return;
    }
  }
  for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
    if (strlen(builtins[i]) == a->token_size && memcmp(builtins[i], begin, a->token_size) == 0) {
      a->token = T_BUILTIN;
      a->token_slot = i;
      return;
    }
  }
  a->token = a->at < a->limit && *a->at == '(' ? T_FUNC_NAME : T_NAME;
}

static void take_number(awk *a) {
  const char *end;
  if (*a->at == '0' && a->at + 2 < a->limit && (a->at[1] | 32) == 'x' && hex(a->at[2]) >= 0) {
    double value = 0;
    for (a->at += 2; a->at < a->limit && hex(*a->at) >= 0; a->at++)
      value = value * 16 + hex(*a->at);
    a->token_number = value;
  } else if (*a->at == '0' && a->at + 1 < a->limit && a->at[1] >= '0' &&
             a->at[1] <= '7') { /* octal */
    a->token_number = 0;
    while (a->at < a->limit && *a->at >= '0' && *a->at <= '7')
      a->token_number = a->token_number * 8 + (*a->at++ - '0');
  } else {
    a->token_number = text_number(a->at, a->limit, &end);
    a->at = end;
  }
  a->token = T_NUMBER;
}

static bool take_operator(awk *a) {
  static const struct {
    const char *text;
    int token;
  } operators[] = {
      {"**=", T_POW_ASSIGN}, {"&&", T_AND},        {"||", T_OR},         {"<=", T_LE},
      {">=", T_GE},          {"==", T_EQ},         {"!=", T_NE},         {"!~", T_NOT_MATCH},
      {"++", T_INC},         {"--", T_DEC},        {"+=", T_ADD_ASSIGN}, {"-=", T_SUB_ASSIGN},
      {"*=", T_MUL_ASSIGN},  {"/=", T_DIV_ASSIGN}, {"%=", T_MOD_ASSIGN}, {"^=", T_POW_ASSIGN},
      {"**", T_POW},         {">>", T_APPEND},     {"^", T_POW}};
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
    size_t size = strlen(operators[i].text);
    if ((size_t)(a->limit - a->at) >= size && memcmp(a->at, operators[i].text, size) == 0) {
      a->at += size;
      a->token = operators[i].token;
      return true;
    }
  }
  return false;
}

void awk_next(awk *a) {
  a->last_token = a->token;
  for (;;) {
    while (a->at < a->limit && (*a->at == ' ' || *a->at == '\t' || *a->at == '\r')) a->at++;
    if (a->at + 1 < a->limit && a->at[0] == '\\' && (a->at[1] == '\n' || a->at[1] == '\r')) {
      a->at += a->at[1] == '\r' ? 3 : 2;
      a->line++;
    } else if (a->at < a->limit && *a->at == '#') {
      while (a->at < a->limit && *a->at != '\n') a->at++;
    } else {
      break;
    }
  }
  if (a->at >= a->limit) {
    a->token = T_END;
    return;
  }
  char c = *a->at;
  if (c == '\n') {
    a->line++;
    a->at++;
    a->token = T_NEWLINE;
  } else if (c == '"') {
    take_string(a);
  } else if ((c >= '0' && c <= '9') ||
             (c == '.' && a->at + 1 < a->limit && a->at[1] >= '0' && a->at[1] <= '9')) {
    take_number(a);
  } else if (is_name(c)) {
    take_word(a);
  } else if (!take_operator(a)) {
    a->at++;
    a->token = (unsigned char)c;
  }
}
