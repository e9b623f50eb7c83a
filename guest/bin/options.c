// SPDX-License-Identifier: MIT
// options.c -- see options.h.
#include "options.h"

#include "../shell/shared.h"

typedef struct {
  int letter; /* what options_next returns */
  bool takes, letter_may_take, name_may_take;
  struct {
    const char *at;
    size_t size;
  } names[3]; /* long forms, not NUL-terminated; the first is what o->name becomes */
  int name_count;
} spec;

/* Reads one line of the text. `bundle` gets the letters that all mean it. */
static bool next_spec(const char **at, spec *found, char letters[8]) {
  const char *line = *at;
  while (*line == '\n') line++;
  if (*line == 0) return false;
  *found = (spec){.letter = OPTION_LONG};
  size_t count = 0;
  const char *p = line;
  while (*p != 0 && *p != '\t' && *p != '\n') {
    while (*p == ' ' || *p == ',') p++;
    bool named = p[0] == '-' && p[1] == '-';
    if (named) {
      size_t size = strcspn(p + 2, "=[, \t\n");
      if (found->name_count < 3) {
        found->names[found->name_count].at = p + 2;
        found->names[found->name_count++].size = size;
      }
      p += 2 + size;
    } else if (p[0] == '-') {
      if (count < 7) letters[count++] = p[1];
      if (found->letter == OPTION_LONG) found->letter = (unsigned char)p[1];
      p += 2;
    } else {
      p++;
      continue;
    }
    if (*p == '[') {
      *(named ? &found->name_may_take : &found->letter_may_take) = true;
    } else if (*p == '=' || (*p == ' ' && p[1] != '-')) {
      found->takes = true;
    }
    while (*p != 0 && *p != ',' && *p != '\t' && *p != '\n') p++;
  }
  letters[count] = 0;
  while (*p != 0 && *p != '\n') p++;
  *at = p;
  return true;
}

void options_start(options *o, bin *b, const command *described, int argc, char **argv,
                   char **environment) {
  bin_start(b, argc > 0 ? argv[0] : described->name, environment);
  *o = (options){.bin = b, .command = described, .argc = argc, .argv = argv, .next = 1};
  o->operands = memory_take(((size_t)argc + 1) * sizeof *o->operands);
  o->operands[0] = NULL;
}

static bool find_letter(options *o, char letter, spec *found) {
  const char *at = o->command->options;
  char letters[8];
  while (at != NULL && next_spec(&at, found, letters)) {
    if (letter != 0 && strchr(letters, letter) != NULL) return true;
  }
  return false;
}

/* 1 found, 0 unknown, 2 ambiguous: then *others lists the candidates. */
static int find_name(options *o, const char *name, size_t size, spec *found, text *others) {
  const char *at = o->command->options;
  char letters[8];
  spec each, first = {0};
  int count = 0;
  while (at != NULL && next_spec(&at, &each, letters)) {
    for (int i = 0; i < each.name_count; i++) {
      const char *known = each.names[i].at;
      size_t known_size = each.names[i].size;
      if (known_size < size || memcmp(known, name, size) != 0) continue;
      if (known_size == size) {
        *found = each;
        return 1;
      }
      text_format(others, " '--%.*s'", (int)known_size, known);
      if (count > 0 && first.names[0].at == each.names[0].at) continue; /* names of one option */
      if (count++ == 0) first = each;
    }
  }
  *found = first;
  return count > 1 ? 2 : count;
}

void command_help(const struct command *which, text *to) {
  text_format(to, "Usage: %s\n\n", which->usage);
  for (const char *at = which->options; at != NULL && *at != 0;) {
    const char *end = strchr(at, '\n'), *tab = strchr(at, '\t');
    if (end == NULL) end = at + strlen(at);
    if (tab == NULL || tab > end) tab = end;
    text_format(to, "  %-28.*s", (int)(tab - at), at);
    if (tab < end) text_format(to, " %.*s", (int)(end - tab - 1), tab + 1);
    text_char(to, '\n');
    at = *end != 0 ? end + 1 : end;
  }
}

static _Noreturn void print_help(options *o) {
  text help = {0};
  command_help(o->command, &help);
  output_write(&o->bin->out, help.at, help.len);
  bin_exit(o->bin, 0);
}

static int long_option(options *o, char *argument) {
  char *name = argument + 2, *equals = strchr(name, '=');
  size_t size = equals != NULL ? (size_t)(equals - name) : strlen(name);
  spec found;
  text others = {0};
  int known = find_name(o, name, size, &found, &others);
  if (known == 0 && size > 0 && strncmp("help", name, size) == 0) print_help(o);
  if (known == 0 && size > 0 && strncmp("version", name, size) == 0) {
    output_format(&o->bin->out, "%s (Cloche)\n", o->command->name);
    bin_exit(o->bin, 0);
  }
  if (known == 0) bin_usage(o->bin, "unrecognized option '%s'", argument);
  if (known == 2) {
    bin_usage(o->bin, "option '%s' is ambiguous; possibilities:%s", argument, text_end(&others));
  }
  o->name = memory_copy(found.names[0].at, found.names[0].size);
  if (found.takes && equals == NULL) {
    if (o->next >= o->argc) bin_usage(o->bin, "option '--%s' requires an argument", o->name);
    o->value = o->argv[o->next++];
  } else if (equals != NULL) {
    if (!found.takes && !found.name_may_take) {
      bin_usage(o->bin, "option '--%s' doesn't allow an argument", o->name);
    }
    o->value = equals + 1;
  }
  return found.letter;
}

static int letter_option(options *o) {
  char letter = *o->letters++;
  spec found;
  if (!find_letter(o, letter, &found)) bin_usage(o->bin, "invalid option -- '%c'", letter);
  if (found.takes || found.letter_may_take) {
    if (*o->letters != 0) {
      o->value = (char *)o->letters;
    } else if (found.takes) {
      if (o->next >= o->argc) bin_usage(o->bin, "option requires an argument -- '%c'", letter);
      o->value = o->argv[o->next++];
    }
    o->letters = NULL;
  }
  if (o->letters != NULL && *o->letters == 0) o->letters = NULL;
  return found.letter;
}

static void take_rest(options *o) {
  while (o->next < o->argc) o->operands[o->operand_count++] = o->argv[o->next++];
  o->operands[o->operand_count] = NULL;
}

int options_next(options *o) {
  o->name = NULL;
  o->value = NULL;
  if (o->letters != NULL) return letter_option(o);
  while (o->next < o->argc) {
    char *argument = o->argv[o->next];
    if (argument[0] != '-' || argument[1] == 0) {
      if (o->in_order) break;
      o->operands[o->operand_count++] = argument;
      o->next++;
      continue;
    }
    o->next++;
    if (strcmp(argument, "--") == 0) break;
    if (argument[1] == '-') return long_option(o, argument);
    o->letters = argument + 1;
    return letter_option(o);
  }
  take_rest(o);
  return 0;
}

bool options_is(const options *o, const char *name) {
  return o->name != NULL && strcmp(o->name, name) == 0;
}

uint64_t options_number(options *o, const char *suffixes, const char *message) {
  uint64_t value = 0;
  int error = number_parse(o->value, suffixes, &value);
  if (error == -EINVAL) {
    bin_die(o->bin, o->bin->usage_status, "%s: %s", message, quote_curly(o->value));
  }
  return value;
}

void options_need(options *o, int least) {
  if (o->operand_count >= least) return;
  if (o->operand_count == 0) bin_usage(o->bin, "missing operand");
  bin_usage(o->bin, "missing operand after %s", quote_curly(o->operands[o->operand_count - 1]));
}

void options_allow(options *o, int most) {
  if (o->operand_count > most)
    bin_usage(o->bin, "extra operand %s", quote_curly(o->operands[most]));
}
