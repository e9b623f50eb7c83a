// SPDX-License-Identifier: MIT
/* awk.c -- the command. All of POSIX, and of gawk: gensub strftime systime mktime asort asorti,
 * length of an array, PROCINFO["sorted_in"] with its @ names, RS as a regular expression and RT,
 * BEGINFILE and ENDFILE, switch, nextfile, IGNORECASE, ** and bit functions. Left out: networking,
 * namespaces, arrays of arrays, FPAT and FIELDWIDTHS, sorting by a function. */
#include "awk.h"
#include "options.h"

static void set_variable(awk *a, size_t slot, awk_value value) {
  value_drop(a->globals[slot].value);
  a->globals[slot].kind = SLOT_SCALAR;
  a->globals[slot].value = value;
  if (slot < V_SPECIAL) special_changed(a, slot);
}

static awk_value plain(const char *text) {
  return string_value(string_new(text, strlen(text)));
}

static void start_variables(awk *a) {
  static const char *const names[] = {"NF",   "NR",     "FNR",        "FS",       "OFS",
                                      "ORS",  "RS",     "RT",         "SUBSEP",   "CONVFMT",
                                      "OFMT", "RSTART", "RLENGTH",    "FILENAME", "ENVIRON",
                                      "ARGC", "ARGV",   "IGNORECASE", "PROCINFO"};
  for (size_t i = 0; i < V_SPECIAL; i++) awk_global(a, names[i], strlen(names[i]));
  a->convfmt = a->ofmt = "%.6g";
  a->split = a->whole = true;
  a->record = string_new("", 0);
  set_variable(a, V_CONVFMT, plain("%.6g"));
  set_variable(a, V_OFMT, plain("%.6g"));
  set_variable(a, V_FS, plain(" "));
  set_variable(a, V_OFS, plain(" "));
  set_variable(a, V_ORS, plain("\n"));
  set_variable(a, V_RS, plain("\n"));
  set_variable(a, V_SUBSEP, plain("\034"));
  set_variable(a, V_RLENGTH, number_value(-1));
  set_variable(a, V_NR, number_value(0));
  set_variable(a, V_FNR, number_value(0));
  set_variable(a, V_RSTART, number_value(0));
  a->random = 0x9E3779B97F4A7C15ull;
  a->seed = 1;
}

static void set_item(awk_array *array, const char *key, size_t size, const char *value) {
  awk_string *name = string_new(key, size);
  *array_at(array, name) = input_value(value, strlen(value));
  string_drop(name);
}

static awk_array *special_array(awk *a, size_t slot) {
  a->globals[slot].kind = SLOT_ARRAY;
  return a->globals[slot].array = array_new();
}

static void start_arrays(awk *a, char **operands, int count) {
  awk_array *variables = special_array(a, V_ENVIRON), *arguments = special_array(a, V_ARGV);
  for (char **at = a->environment; at != NULL && *at != NULL; at++) {
    char *equals = strchr(*at, '=');
    if (equals != NULL) set_item(variables, *at, (size_t)(equals - *at), equals + 1);
  }
  set_item(arguments, "0", 1, "awk");
  for (int i = 0; i < count; i++) {
    char key[24];
    set_item(arguments, key, number_format(i + 1, key), operands[i]);
  }
  set_variable(a, V_ARGC, number_value(count + 1));
  a->next_argument = 1;
}

/* -v NAME=VALUE */
static void assign_option(awk *a, const char *assignment) {
  const char *equals = strchr(assignment, '=');
  size_t size = equals == NULL ? 0 : (size_t)(equals - assignment);
  if (size == 0 ||
      strspn(assignment, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") <
          size) {
    bin_die(&a->b, 2, "fatal: `%s' argument to `-v' not in `var=value' form", assignment);
  }
  set_variable(
      a, awk_global(a, assignment, size),
      (awk_value){.kind = VALUE_INPUT, .string = awk_unescape(equals + 1, strlen(equals + 1))});
}

static void separator_option(awk *a, const char *value) {
  awk_string *fs = awk_unescape(value, strlen(value));
  set_variable(a, V_FS, string_value(fs));
}

static void parse_file(awk *a, const char *path) {
  input in;
  int error = input_open(&in, path);
  if (error < 0)
    bin_die(&a->b, 2, "fatal: cannot open source file `%s' for reading: %s", path,
            error_text(error));
  size_t size;
  char *all = input_all(&in, &size);
  input_close(&in);
  awk_parse(a, all, size, path);
}

static int awk_main(int argc, char **argv, char **environment) {
  awk *a = memory_take(sizeof *a);
  memset(a, 0, sizeof *a);
  options o;
  options_start(&o, &a->b, command_find("awk"), argc, argv, environment);
  a->b.usage_status = 1;
  a->environment = environment;
  o.in_order = true;
  zone_parse(&a->zone, environment_get(environment, "TZ"));
  start_variables(a);
  bool given = false;
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'v':
        assign_option(a, o.value);
        break;
      case 'F':
        separator_option(a, o.value);
        break;
      case 'f':
        parse_file(a, o.value);
        given = true;
        break;
      case 'e':
        awk_parse(a, o.value, strlen(o.value), "cmd. line");
        given = true;
        break;
      default:
        break;
    }
  }
  int next = 0;
  if (!given) {
    if (o.operand_count == 0) {
      static const char usage[] =
          "Usage: awk [POSIX or GNU style options] [--] 'program' file ...\n";
      sys_write(2, usage, sizeof usage - 1);
      bin_exit(&a->b, 1);
    }
    awk_parse(a, o.operands[next], strlen(o.operands[next]), "cmd. line");
    next++;
  }
  awk_parse_end(a);
  start_arrays(a, o.operands + next, o.operand_count - next);
  awk_run(a);
  awk_close_all(a);
  int ended = bin_end(&a->b);
  return ended != 0 ? 2 : a->exit_status & 0xFF;
}

#define OPTIONS                                                                 \
  "-f, --file=FILE\tread the program from FILE\n"                               \
  "-e, --source=TEXT\tthe program, or a part of it\n"                           \
  "-F, --field-separator=FS\tfields end at FS\n"                                \
  "-v, --assign=VAR=VALUE\tset a variable before the program begins\n"          \
  "-b, --characters-as-bytes\tignored\n-r, --re-interval\tnothing: always so\n" \
  "-S, --sandbox\tignored\n-P, --posix\tignored\n-c, --traditional\tignored\n"  \
  "-O, --optimize\tignored\n-N, --use-lc-numeric\tignored"

const command command_awk = {
    .name = "awk",
    .main = awk_main,
    .usage = "awk [OPTION]... 'PROGRAM' [FILE]...\n   or: awk [OPTION]... -f FILE... [FILE]...",
    .options = OPTIONS,
    .stack = 1048576};
const command command_gawk = {.name = "gawk",
                              .main = awk_main,
                              .usage = "gawk [OPTION]... 'PROGRAM' [FILE]...",
                              .options = OPTIONS,
                              .stack = 1048576};
