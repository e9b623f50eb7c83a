// SPDX-License-Identifier: MIT
/* prompt.c -- the escapes of prompts: PS4 and ${x@P}. */
#include <stdlib.h>
#include <time.h>

#include "exec.h"
#include "parser.h"
#include "transform.h"

static void add_time(text *to, const char *format) {
  char shown[64];
  time_t now = (time_t)(kernel_now() / 1000000000);
  struct tm parts;
  gmtime_r(&now, &parts);
  text_add(to, shown, strftime(shown, sizeof shown, format, &parts));
}

static void add_folder(shell *sh, text *to, bool base) {
  const char *folder = var_get(sh, "PWD"), *home = var_get(sh, "HOME");
  if (folder == NULL) folder = "";
  size_t size = home != NULL ? strlen(home) : 0;
  if (size > 1 && strncmp(folder, home, size) == 0 && (folder[size] == 0 || folder[size] == '/')) {
    if (!base || folder[size] == 0) text_char(to, '~');
    if (!base || folder[size] == 0) {
      text_string(to, folder + size);
      return;
    }
  }
  const char *slash = base ? strrchr(folder, '/') : NULL;
  text_string(to, slash != NULL && slash[1] != 0 ? slash + 1 : folder);
}

static const char *add_octal(text *to, const char *at) {
  int value = 0, digits = 0;
  for (; digits < 3 && *at >= '0' && *at <= '7'; digits++) value = value * 8 + (*at++ - '0');
  text_char(to, (char)value);
  return at;
}

/* One escape; `at` is behind the backslash. Returns what follows it. */
static const char *add_escape(shell *sh, text *to, const char *at) {
  switch (*at) {
    case 'a':
      text_char(to, 7);
      break;
    case 'e':
      text_char(to, 27);
      break;
    case 'n':
      text_char(to, '\n');
      break;
    case 'r':
      text_char(to, '\r');
      break;
    case 'd':
      add_time(to, "%a %b %d");
      break;
    case 't':
      add_time(to, "%H:%M:%S");
      break;
    case 'T':
      add_time(to, "%I:%M:%S");
      break;
    case '@':
      add_time(to, "%I:%M %p");
      break;
    case 'A':
      add_time(to, "%H:%M");
      break;
    case 'u': {
      const char *user = var_get(sh, "USER");
      text_string(to, user != NULL ? user : "root");
      break;
    }
    case 'h':
    case 'H': {
      const char *host = var_get(sh, "HOSTNAME");
      text_string(to, host != NULL ? host : "sandbox");
      break;
    }
    case 's':
      text_string(to, "bash");
      break;
    case 'v':
      text_string(to, "5.2");
      break;
    case 'V':
      text_string(to, "5.2.15");
      break;
    case 'w':
      add_folder(sh, to, false);
      break;
    case 'W':
      add_folder(sh, to, true);
      break;
    case 'j':
      text_char(to, '0');
      break;
    case '$':
      text_char(to, '#');
      break;
    case '!':
    case '#':
      text_char(to, '1');
      break;
    case '\\':
      text_string(to, "\\\\");
      break; /* once more when it is expanded as a string */
    case '[':
    case ']':
      break;
    case 0:
      text_char(to, '\\');
      return at;
    default:
      if (*at >= '0' && *at <= '7') return add_octal(to, at);
      text_char(to, '\\');
      text_char(to, *at);
  }
  return at + 1;
}

char *prompt_expand(shell *sh, const char *prompt) {
  text decoded = {.in = &sh->scratch};
  while (*prompt != 0) {
    if (*prompt == '\\')
      prompt = add_escape(sh, &decoded, prompt + 1);
    else
      text_char(&decoded, *prompt++);
  }
  text_end(&decoded);
  if (strpbrk(decoded.at, "$`\\") == NULL) return decoded.at;
  program *made = program_make("", 0);
  parser p;
  parser_begin(&p, made, sh->line);
  word *body = scan_document(&p, decoded.at, decoded.len, sh->line);
  char *shown = p.failed ? NULL : expand_string(sh, body, false);
  parser_end(&p);
  program_drop(made);
  return shown != NULL ? shown : decoded.at;
}
