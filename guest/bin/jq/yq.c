// SPDX-License-Identifier: MIT
/* yq.c -- jq over YAML: each document is an input of the filter, results are JSON or, with -y,
 * YAML.
 *
 * The command line is that of the yq that wraps jq in Python, not of the one written in Go. Not
 * here: -Y, which keeps comments and styles, since JSON has no place for them; -R and --stream,
 * which are about JSON's text. ../yaml.h says what of YAML is read. */
#include "../path.h"
#include "jq_run.h"

static _Noreturn void refuse(jq_run *j, const char *option, const char *why) {
  text message = {0};
  text_format(&message, "yq: %s is not supported: %s", option, why);
  jq_die(j, text_end(&message));
}

bool yq_short_option(jq_run *j, char letter) {
  switch (letter) {
    case 'y':
      j->yaml->output = true;
      return true;
    case 'i':
      j->yaml->in_place = true;
      return true;
    case 'Y':
      refuse(j, "-Y", "comments and styles are not kept; use -y");
    case 'R':
      refuse(j, "-R", "the input is YAML; use jq for lines of text");
    default:
      return false;
  }
}

static void set_width(jq_run *j, char ***next) {
  if (**next == NULL) jq_die(j, "yq: --width takes a number");
  uint64_t width;
  if (number_parse(*(*next)++, "", &width) != 0) jq_die(j, "yq: --width takes a number");
  j->yaml->writer.width = width > 1u << 20 ? 1u << 20 : (size_t)width;
}

bool yq_long_option(jq_run *j, const char *name, char ***next) {
  if (strcmp(name, "yaml-output") == 0 || strcmp(name, "yml-output") == 0) {
    j->yaml->output = true;
  } else if (strcmp(name, "in-place") == 0) {
    j->yaml->in_place = true;
  } else if (strcmp(name, "width") == 0) {
    set_width(j, next);
  } else if (strcmp(name, "indentless-lists") == 0 || strcmp(name, "indentless") == 0) {
    j->yaml->writer.indentless = true;
  } else if (strcmp(name, "yaml-roundtrip") == 0 || strcmp(name, "yml-roundtrip") == 0) {
    yq_short_option(j, 'Y');
  } else if (strcmp(name, "raw-input") == 0) {
    yq_short_option(j, 'R');
  } else if (strncmp(name, "stream", 6) == 0 || strcmp(name, "seq") == 0) {
    refuse(j, "--stream or --seq", "the input is YAML");
  } else {
    return false;
  }
  return true;
}

/* The results go to a new file beside the old one, and that takes its place when all went well. */
static int edit(jq_run *j, char *file, int *last) {
  output standard = j->b.out;
  text name = {0};
  uint8_t chance[6];
  kernel_random(chance, sizeof chance);
  text_format(&name, "%s/yq", path_parent(file));
  for (int i = 0; i < 6; i++) text_char(&name, (char)('a' + chance[i] % 26));
  const char *temporary = text_end(&name);
  int fd = sys_open(temporary, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0600);
  if (fd < 0) bin_die(&j->b, 2, "cannot write beside %s: %s", file, error_text(fd));
  output_open_fd(&j->b.out, fd);
  yaml_write_start(&j->yaml->writer, &j->b.out);
  int status = jq_run_files(j, &file, 1, last);
  yaml_write_end(&j->yaml->writer);
  output_flush(&j->b.out);
  int error = -j->b.out.error;
  sys_close(fd);
  j->b.out = standard;
  file_stat stat;
  if (sys_stat(file, &stat) == 0) sys_chmod(temporary, stat.mode);
  if (status <= 0 && error == 0) error = sys_rename(temporary, file);
  if (status > 0 || error < 0) sys_unlink(temporary);
  if (error < 0) bin_die(&j->b, 2, "cannot write %s: %s", file, error_text(error));
  return status;
}

int yq_run_files(jq_run *j, int *last) {
  yq_run *y = j->yaml;
  bool standard = strcmp(j->files[0], "-") == 0;
  if (y->in_place && !y->output) bin_die(&j->b, 1, "-i/--in-place can only be used with -y");
  if (y->in_place && standard)
    bin_die(&j->b, 1,
            "-i/--in-place can only be used with filename arguments, not on standard input");
  int status = 0;
  if (!y->in_place) {
    yaml_write_start(&y->writer, &j->b.out);
    status = jq_run_files(j, j->files, j->file_count, last);
    if (y->output) yaml_write_end(&y->writer);
    return status;
  }
  for (int i = 0; i < j->file_count && status <= 0; i++) status = edit(j, j->files[i], last);
  return status;
}

static int yq_main(int argc, char **argv, char **environment) {
  yq_run yaml = {.writer.width = 80};
  return jq_command("yq", &yaml, argc, argv, environment);
}

const command command_yq = {
    .name = "yq",
    .main = yq_main,
    .usage = "yq [OPTIONS] FILTER [FILES...]\n\tyq [OPTIONS] -f FILE [FILES...]",
    .options =
        "-y, --yaml-output\twrite results as YAML instead of JSON\n"
        "-i, --in-place\twith -y: write the results of each file into it\n"
        "--width NUM\twith -y: fold long text beyond column NUM (80)\n"
        "--indentless-lists\twith -y: lists stand in the column of their key\n"
        "-n, --null-input\tuse null as the only input\n"
        "-s, --slurp\tall documents as one array\n"
        "-c, --compact-output\tno newlines inside a value\n"
        "-r, --raw-output\tstrings without quotes\n"
        "-j, --join-output\tas -r, with nothing behind each\n"
        "-a, --ascii-output\tescape all but ASCII\n"
        "-S, --sort-keys\tsort keys of objects\n"
        "-e, --exit-status\tstatus 1 when the last output is false or null, 4 when none\n"
        "--tab, --indent N, --arg NAME VALUE...\tall others as jq has them",
    .stack = 1048576};
