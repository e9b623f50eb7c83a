// SPDX-License-Identifier: MIT
/* jq.c -- jq's command line over libjq. Options may stand anywhere, short ones may be bundled, and
 * messages and exit statuses are jq's. Output is never a terminal here: no colour unless -C. */
#include "jq_run.h"

#include "../path.h"
#include "pthread.h"
#include "version.h"

static void print_error(jq_run *j, const char *text, size_t size) {
  output_flush(&j->b.out);
  sys_write(2, text, size);
}

static void on_error(void *context, jv message) {
  jq_run *j = context;
  message = jq_format_error(message);
  text line = {0};
  text_format(&line, "%s\n", jv_string_value(message));
  print_error(j, line.at, line.len);
  text_free(&line);
  jv_free(message);
}

static void on_debug(void *context, jv value) {
  jq_run *j = context;
  jv dumped =
      jv_dump_string(JV_ARRAY(jv_string("DEBUG:"), value), j->dump_flags & ~JV_PRINT_PRETTY);
  text line = {0};
  text_format(&line, "%s\n", jv_string_value(dumped));
  print_error(j, line.at, line.len);
  text_free(&line);
  jv_free(dumped);
}

static void on_stderr(void *context, jv value) {
  jq_run *j = context;
  if (jv_get_kind(value) != JV_KIND_STRING) value = jv_dump_string(value, 0);
  print_error(j, jv_string_value(value), (size_t)jv_string_length_bytes(jv_copy(value)));
  jv_free(value);
}

_Noreturn void jq_die(jq_run *j, const char *message) {
  text line = {0};
  text_format(&line,
              "%s\nUse jq --help for help with command-line options,\nor see the jq manpage, or "
              "online docs at https://jqlang.org\n",
              message);
  print_error(j, line.at, line.len);
  bin_exit(&j->b, 2);
}

/* ---- one program run ---- */

static void put(jq_run *j, jv string) {
  output_write(&j->b.out, jv_string_value(string), (size_t)jv_string_length_bytes(jv_copy(string)));
  jv_free(string);
}

/* jv_print.c writes to a FILE in small pieces; ours is a text. As a jv string each piece would be
 * checked again for being UTF-8. */
size_t jq_fwrite(const void *from, size_t size, size_t count, FILE *to) {
  text_add((text *)(void *)to, from, size * count);
  return count;
}

static void put_dumped(jq_run *j, jv value, int flags) {
  text dumped = {0};
  jv_dumpf(value, (FILE *)(void *)&dumped, flags);
  output_write(&j->b.out, dumped.at, dumped.len);
  text_free(&dumped);
}

/* False when the result cannot be printed; *error then says why. */
static bool print(jq_run *j, jv result, int *status, jv *error) {
  jv_kind kind = jv_get_kind(result);
  *status = DONE;
  if (j->yaml != NULL && j->yaml->output) {
    if (kind == JV_KIND_FALSE || kind == JV_KIND_NULL) *status = DONE_FALSE;
    yaml_write(&j->yaml->writer, result);
    return true;
  }
  if (j->raw && kind == JV_KIND_STRING) {
    size_t size = (size_t)jv_string_length_bytes(jv_copy(result));
    if (j->ascii) {
      put_dumped(j, result, JV_PRINT_ASCII);
    } else if (j->raw_nul && memchr(jv_string_value(result), 0, size) != NULL) {
      jv_free(result);
      *error = jv_invalid_with_msg(
          jv_string("Cannot dump a string containing NUL with --raw-output0 option"));
      return false;
    } else {
      put(j, result);
    }
  } else {
    if (kind == JV_KIND_FALSE || kind == JV_KIND_NULL) *status = DONE_FALSE;
    if (j->seq) output_byte(&j->b.out, '\036');
    put_dumped(j, result, j->dump_flags);
  }
  if (!j->join) output_byte(&j->b.out, '\n');
  if (j->raw_nul) output_byte(&j->b.out, 0);
  if (j->unbuffered) output_flush(&j->b.out);
  return true;
}

static int report_halt(jq_run *j) {
  int status = FAILED;
  jv code = jq_get_exit_code(j->jq), message = jq_get_error_message(j->jq);
  if (!jv_is_valid(code))
    status = DONE;
  else if (jv_get_kind(code) == JV_KIND_NUMBER)
    status = (int)jv_number_value(code);
  jv_free(code);
  jv_kind kind = jv_get_kind(message);
  if (kind == JV_KIND_STRING) {
    print_error(j, jv_string_value(message), (size_t)jv_string_length_bytes(jv_copy(message)));
  } else if (kind != JV_KIND_NULL && jv_is_valid(message)) {
    message = jv_dump_string(message, 0);
    text line = {0};
    text_format(&line, "%s\n", jv_string_value(message));
    print_error(j, line.at, line.len);
  }
  jv_free(message);
  return status;
}

static void report_error(jq_run *j, jv message) {
  jv position = jq_util_input_get_position(j->jq);
  text line = {0};
  bool is_string = jv_get_kind(message) == JV_KIND_STRING;
  if (!is_string) message = jv_dump_string(message, 0);
  text_format(&line, "%s: error (at %s)%s: %s\n", j->b.name, jv_string_value(position),
              is_string ? "" : " (not a string)", jv_string_value(message));
  print_error(j, line.at, line.len);
  text_free(&line);
  jv_free(position);
  jv_free(message);
}

static int run_filter(jq_run *j, jv value) {
  int status = DONE_NOTHING;
  jq_start(j->jq, value, 0);
  jv result;
  while (jv_is_valid(result = jq_next(j->jq))) {
    if (!print(j, result, &status, &result)) break;
    if (j->b.out.error != 0) return FAILED_SYSTEM;
  }
  if (jq_halted(j->jq)) {
    status = report_halt(j);
  } else if (jv_invalid_has_msg(jv_copy(result))) {
    report_error(j, jv_invalid_get_msg(jv_copy(result)));
    status = FAILED;
  }
  jv_free(result);
  return status;
}

static int process_inputs(jq_run *j, int *last) {
  int status = DONE_NOTHING;
  while (j->in.failures == 0) {
    jv value = jq_input_next(&j->in);
    if (jv_is_valid(value)) {
      status = run_filter(j, value);
      if (status <= 0 && status != DONE_NOTHING) *last = status != DONE_FALSE;
      if (jq_halted(j->jq) || j->b.out.error != 0) break;
      continue;
    }
    if (!jv_invalid_has_msg(jv_copy(value))) {
      jv_free(value);
      break;
    }
    jv message = jv_invalid_get_msg(value);
    text line = {0};
    text_format(&line, "%s: %s: %s\n", j->b.name, j->seq ? "ignoring parse error" : "parse error",
                jv_string_value(message));
    print_error(j, line.at, line.len);
    text_free(&line);
    jv_free(message);
    if (!j->seq) {
      status = j->yaml != NULL ? FAILED_YAML : FAILED;
      break;
    }
  }
  return status;
}

/* ---- the command line ---- */

static void set_named(jq_run *j, const char *name, jv value) {
  if (jv_object_has(jv_copy(j->named), jv_string(name)))
    jv_free(value);
  else
    j->named = jv_object_set(j->named, jv_string(name), value);
}

/* --arg and its kind: two arguments follow. */
static char **take_two(jq_run *j, const char *option, const char *what, char ***next) {
  if ((*next)[0] == NULL || (*next)[1] == NULL) {
    text why = {0};
    text_format(&why, "jq: --%s takes two parameters (e.g. --%s varname %s)", option, option, what);
    jq_die(j, text_end(&why));
  }
  char **two = *next;
  *next += 2;
  return two;
}

static jv parse_or_die(jq_run *j, const char *json, const char *option) {
  jv value = jv_parse(json);
  if (jv_is_valid(value)) return value;
  text why = {0};
  text_format(&why, "jq: invalid JSON text passed to --%s", option);
  jq_die(j, text_end(&why));
}

static void take_file(jq_run *j, const char *option, bool raw, char ***next) {
  char **two = take_two(j, option, "filename", next);
  jv data = jv_load_file(two[1], raw);
  if (!jv_is_valid(data)) {
    data = jv_invalid_get_msg(data);
    bin_die(&j->b, FAILED_SYSTEM, "Bad JSON in --%s %s %s: %s", option, two[0], two[1],
            jv_string_value(data));
  }
  set_named(j, two[0], data);
}

static void set_indent(jq_run *j, char ***next) {
  if (**next == NULL) jq_die(j, "jq: --indent takes one parameter");
  char *end;
  long indent = strtol(**next, &end, 10);
  bool digits =
      **next != end && ((***next >= '0' && ***next <= '9') || ***next == '-' || ***next == '+');
  if (!digits || *end != 0 || indent < -1 || indent > 7)
    jq_die(j, "jq: --indent takes a number between -1 and 7");
  ++*next;
  j->dump_flags &= ~(JV_PRINT_TAB | JV_PRINT_INDENT_FLAGS(7));
  j->dump_flags |= JV_PRINT_INDENT_FLAGS(indent);
}

static void add_library(jq_run *j, const char *path) {
  if (jv_get_kind(j->library_paths) == JV_KIND_NULL) j->library_paths = jv_array();
  char *resolved;
  if (path_resolve(path, PATH_EXISTING, true, &resolved) < 0) resolved = memory_string(path);
  j->library_paths = jv_array_append(j->library_paths, jv_string(resolved));
}

static bool short_option(jq_run *j, char letter) {
  if (j->yaml != NULL && yq_short_option(j, letter)) return true;
  switch (letter) {
    case 's':
      j->slurp = true;
      return true;
    case 'r':
      j->raw = true;
      return true;
    case 'j':
      j->raw = j->join = true;
      return true;
    case 'c':
      j->dump_flags &= ~(JV_PRINT_TAB | JV_PRINT_INDENT_FLAGS(7));
      return true;
    case 'C':
      j->color = true;
      return true;
    case 'M':
      j->color = false;
      return true;
    case 'a':
      j->ascii = true;
      return true;
    case 'S':
      j->sort = true;
      return true;
    case 'R':
      j->raw_input = true;
      return true;
    case 'n':
      j->null_input = true;
      return true;
    case 'f':
      j->from_file = true;
      return true;
    case 'e':
      j->exit_status = true;
      return true;
    case 'b':
      return true;
    default:
      return false;
  }
}

static void long_option(jq_run *j, const char *name, char ***next) {
  static const struct {
    const char *name;
    char letter;
  } same[] = {{"slurp", 's'},          {"raw-output", 'r'},   {"join-output", 'j'},
              {"compact-output", 'c'}, {"color-output", 'C'}, {"monochrome-output", 'M'},
              {"ascii-output", 'a'},   {"sort-keys", 'S'},    {"raw-input", 'R'},
              {"null-input", 'n'},     {"from-file", 'f'},    {"exit-status", 'e'},
              {"binary", 'b'}};
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    if (strcmp(name, same[i].name) == 0) {
      short_option(j, same[i].letter);
      return;
    }
  }
  char **two;
  if (j->yaml != NULL && yq_long_option(j, name, next)) return;
  if (strcmp(name, "raw-output0") == 0)
    j->raw = j->join = j->raw_nul = true;
  else if (strcmp(name, "unbuffered") == 0)
    j->unbuffered = true;
  else if (strcmp(name, "seq") == 0)
    j->seq = true, j->parser_flags |= JV_PARSE_SEQ;
  else if (strcmp(name, "stream") == 0)
    j->parser_flags |= JV_PARSE_STREAMING;
  else if (strcmp(name, "stream-errors") == 0)
    j->parser_flags |= JV_PARSE_STREAMING | JV_PARSE_STREAM_ERRORS;
  else if (strcmp(name, "args") == 0)
    j->strings_follow = true, j->json_follows = false;
  else if (strcmp(name, "jsonargs") == 0)
    j->json_follows = true, j->strings_follow = false;
  else if (strcmp(name, "indent") == 0)
    set_indent(j, next);
  else if (strcmp(name, "rawfile") == 0)
    take_file(j, name, true, next);
  else if (strcmp(name, "slurpfile") == 0)
    take_file(j, name, false, next);
  else if (strcmp(name, "tab") == 0) {
    j->dump_flags &= ~JV_PRINT_INDENT_FLAGS(7);
    j->dump_flags |= JV_PRINT_TAB | JV_PRINT_PRETTY;
  } else if (strcmp(name, "arg") == 0) {
    two = take_two(j, name, "value", next);
    set_named(j, two[0], jv_string(two[1]));
  } else if (strcmp(name, "argjson") == 0) {
    two = take_two(j, name, "text", next);
    set_named(j, two[0], parse_or_die(j, two[1], name));
  } else if (strcmp(name, "library-path") == 0) {
    if (**next == NULL) jq_die(j, "-L takes a parameter: (e.g. -L /search/path or -L/search/path)");
    add_library(j, *(*next)++);
  } else {
    text why = {0};
    text_format(&why, "jq: Unknown option --%s", name);
    jq_die(j, text_end(&why));
  }
}

static void print_help(jq_run *j) {
  const command *self = command_find(j->b.name);
  output_format(&j->b.out, "Usage:\t%s\n\n%s\n", self->usage, self->options);
  bin_exit(&j->b, 0);
}

static void short_options(jq_run *j, const char *letters, char ***next) {
  for (; *letters != 0; letters++) {
    if (*letters == 'h') print_help(j);
    if (*letters == 'V') {
      output_format(&j->b.out, "jq-%s\n", JQ_VERSION);
      bin_exit(&j->b, 0);
    }
    if (*letters == 'L') {
      if (letters[1] != 0)
        add_library(j, letters + 1);
      else if (**next != NULL)
        add_library(j, *(*next)++);
      else
        jq_die(j, "-L takes a parameter: (e.g. -L /search/path or -L/search/path)");
      return;
    }
    if (short_option(j, *letters)) continue;
    text why = {0};
    text_format(&why, "jq: Unknown option -%c", *letters);
    jq_die(j, text_end(&why));
  }
}

static void take_operand(jq_run *j, char *operand) {
  if (j->program == NULL)
    j->program = operand;
  else if (j->strings_follow)
    j->positional = jv_array_append(j->positional, jv_string(operand));
  else if (j->json_follows)
    j->positional = jv_array_append(j->positional, parse_or_die(j, operand, "jsonargs"));
  else
    j->files[j->file_count++] = operand;
}

static void read_arguments(jq_run *j, int argc, char **argv) {
  bool options_done = false;
  j->files = memory_take(((size_t)argc + 2) * sizeof *j->files);
  for (char **next = argv + (argc > 0); *next != NULL;) {
    char *argument = *next++;
    bool is_option = argument[0] == '-' &&
                     (argument[1] == '-' ||
                      (argument[1] != 0 && strchr("srjcCMaSRnfebhVL", argument[1]) != NULL) ||
                      (argument[1] | 32) >= 'a');
    if (options_done || !is_option || argument[1] == 0)
      take_operand(j, argument);
    else if (strcmp(argument, "--") == 0)
      options_done = true;
    else if (argument[1] != '-')
      short_options(j, argument + 1, &next);
    else if (strcmp(argument, "--help") == 0)
      print_help(j);
    else if (strcmp(argument, "--version") == 0)
      short_options(j, "V", &next);
    else
      long_option(j, argument + 2, &next);
  }
  if (j->program == NULL && j->from_file && j->file_count > 0) j->program = j->files[0];
  if (j->program == NULL) j->program = ".";
  if (j->sort) j->dump_flags |= JV_PRINT_SORTED;
  if (j->ascii) j->dump_flags |= JV_PRINT_ASCII;
  if (j->color) j->dump_flags |= JV_PRINT_COLOR;
}

static jv load_program(jq_run *j) {
  if (!j->from_file) return jv_string(j->program);
  jv data = jv_load_file(j->program, 1);
  if (!jv_is_valid(data)) {
    data = jv_invalid_get_msg(data);
    bin_die(&j->b, FAILED_SYSTEM, "%s", jv_string_value(data));
  }
  if ((size_t)jv_string_length_bytes(jv_copy(data)) != strlen(jv_string_value(data))) {
    bin_die(&j->b, FAILED_SYSTEM, "program file contains NUL bytes");
  }
  return data;
}

static bool compile(jq_run *j) {
  if (jv_get_kind(j->library_paths) == JV_KIND_NULL) {
    j->library_paths =
        JV_ARRAY(jv_string("~/.jq"), jv_string("$ORIGIN/../lib/jq"), jv_string("$ORIGIN/../lib"));
  }
  jq_set_attr(j->jq, jv_string("JQ_LIBRARY_PATH"), j->library_paths);
  jq_set_attr(j->jq, jv_string("JQ_ORIGIN"), jv_string("/usr/bin"));
  jq_set_attr(j->jq, jv_string("VERSION_DIR"), jv_string(JQ_VERSION));
  jv program = load_program(j);
  char *folder = j->from_file ? path_parent(j->program) : memory_string("."), *origin;
  if (path_resolve(folder, PATH_EXISTING, true, &origin) < 0) origin = folder;
  jq_set_attr(j->jq, jv_string("PROGRAM_ORIGIN"), jv_string(origin));
  jv all = JV_OBJECT(jv_string("positional"), j->positional, jv_string("named"), jv_copy(j->named));
  j->named = jv_object_set(j->named, jv_string("ARGS"), all);
  if (!jv_object_has(jv_copy(j->named), jv_string("JQ_BUILD_CONFIGURATION"))) {
    j->named = jv_object_set(j->named, jv_string("JQ_BUILD_CONFIGURATION"), jv_string("cloche"));
  }
  bool done = jq_compile_args(j->jq, jv_string_value(program), j->named);
  jv_free(program);
  return done;
}

int jq_run_files(jq_run *j, char **files, int count, int *last) {
  int status;
  bool json = !j->raw_input && j->yaml == NULL;
  jv_parser *parser = json ? jv_parser_new(j->parser_flags) : NULL;
  jq_input_start(&j->in, &j->b, files, count, parser, j->slurp);
  if (j->yaml != NULL) jq_input_use_yaml(&j->in);
  jq_set_input_cb(j->jq, jq_input_callback, &j->in);
  jq_set_debug_cb(j->jq, on_debug, j);
  jq_set_stderr_cb(j->jq, on_stderr, j);
  if (j->null_input)
    status = run_filter(j, jv_null());
  else
    status = process_inputs(j, last);
  return j->in.failures != 0 ? FAILED_SYSTEM : status;
}

static int run(jq_run *j) {
  int last = -1;
  if (!compile(j)) return FAILED_COMPILE;
  char *standard[] = {"-", NULL};
  if (j->file_count == 0) j->files = standard, j->file_count = 1;
  int status =
      j->yaml != NULL ? yq_run_files(j, &last) : jq_run_files(j, j->files, j->file_count, &last);
  if (!j->exit_status) return status > 0 ? status : 0;
  if (status != DONE_NOTHING) return status < 0 ? -status : status;
  return last == -1 ? 4 : last == 0 ? 1 : 0;
}

int jq_command(const char *name, yq_run *yaml, int argc, char **argv, char **environment) {
  jq_run j = {.dump_flags = JV_PRINT_INDENT_FLAGS(2), .yaml = yaml};
  bin_start(&j.b, name, environment);
  if (!jq_process_begin(process_pid(), environment))
    bin_die(&j.b, FAILED_SYSTEM, "too many processes of jq at once");
  j.positional = jv_array();
  j.named = jv_object();
  j.library_paths = jv_null();
  read_arguments(&j, argc, argv);
  j.jq = jq_init();
  if (j.jq == NULL) bin_die(&j.b, FAILED_SYSTEM, "error: out of memory");
  jq_set_error_cb(j.jq, on_error, &j);
  int status = run(&j);
  jq_process_end(process_pid());
  int ended = bin_end(&j.b);
  return ended != 0 ? FAILED_SYSTEM : status & 0xFF;
}

static int jq_main(int argc, char **argv, char **environment) {
  return jq_command("jq", NULL, argc, argv, environment);
}

const command command_jq = {
    .name = "jq",
    .main = jq_main,
    .usage =
        "jq [OPTIONS] FILTER [FILES...]\n\tjq [OPTIONS] -f FILE [FILES...]\n"
        "\tjq [OPTIONS] --args FILTER [STRINGS...]\n\tjq [OPTIONS] --jsonargs FILTER "
        "[JSON_VALUES...]",
    .options =
        "-n, --null-input\tuse null as the only input\n"
        "-R, --raw-input\teach line is a string\n"
        "-s, --slurp\tall inputs as one array, or with -R one string\n"
        "-c, --compact-output\tno newlines inside a value\n"
        "-r, --raw-output\tstrings without quotes\n"
        "--raw-output0\tas -r, with NUL behind each\n"
        "-j, --join-output\tas -r, with nothing behind each\n"
        "-a, --ascii-output\tescape all but ASCII\n"
        "-S, --sort-keys\tsort keys of objects\n"
        "-C, --color-output\tcolour\n"
        "-M, --monochrome-output\tno colour (the default)\n"
        "--tab\tindent with tabs\n"
        "--indent N\tindent with N blanks\n"
        "--unbuffered\tflush after each output\n"
        "--stream\tparse into a stream of events\n"
        "--stream-errors\tas --stream, with errors as values\n"
        "--seq\tuse the record separators of application/json-seq\n"
        "-f, --from-file\tthe filter is the name of a file\n"
        "-L, --library-path DIR\tlook for modules in DIR\n"
        "-e, --exit-status\tstatus 1 when the last output is false or null, 4 when there is none\n"
        "--arg NAME VALUE\t$NAME is the string VALUE\n"
        "--argjson NAME VALUE\t$NAME is the JSON VALUE\n"
        "--slurpfile NAME FILE\t$NAME is an array of FILE's values\n"
        "--rawfile NAME FILE\t$NAME is FILE's text\n"
        "--args\targuments behind the filter are strings\n"
        "--jsonargs\targuments behind the filter are JSON\n"
        "-V, --version\tshow the version\n"
        "-h, --help\tshow this",
    .stack = 1048576};
