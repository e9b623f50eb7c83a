// SPDX-License-Identifier: MIT
// mktemp.c -- make a file or folder with a name of its own.
#include "options.h"
#include "path.h"

static void fill(char *at, size_t count) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  uint8_t chance[64];
  for (size_t i = 0; i < count; i += sizeof chance) {
    kernel_random(chance, sizeof chance);
    for (size_t k = 0; k < sizeof chance && i + k < count; k++) at[i + k] = letters[chance[k] % 62];
  }
}

static int make(const char *path, bool folder) {
  if (folder) return sys_mkdir(path, 0700);
  int fd = sys_open(path, OPEN_READ | OPEN_WRITE | OPEN_CREATE | OPEN_EXCLUSIVE, 0600);
  if (fd >= 0) sys_close(fd);
  return fd < 0 ? fd : 0;
}

static int mktemp_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool folder = false, quiet = false, only_name = false, below_tmp = false, in_tmp = false;
  const char *parent = NULL, *suffix = NULL;
  options_start(&o, &b, command_find("mktemp"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'd':
        folder = true;
        break;
      case 'u':
        only_name = true;
        break;
      case 'q':
        quiet = true;
        break;
      case 'p':
        parent = o.value, below_tmp = true;
        break;
      case 't':
        in_tmp = below_tmp = true;
        break;
      default:
        suffix = o.value;
        break;
    }
  }
  if (o.operand_count > 1) bin_usage(&b, "too many templates");
  const char *template = o.operand_count == 1 ? o.operands[0] : "tmp.XXXXXXXXXX";
  if (o.operand_count == 0) below_tmp = true;
  text name = {0};
  size_t end = strlen(template);
  if (suffix != NULL) {
    if (end == 0 || template[end - 1] != 'X')
      bin_die(&b, 1, "with --suffix, template %s must end in X", quote_curly(template));
    if (strchr(suffix, '/') != NULL)
      bin_die(&b, 1, "invalid suffix %s, contains directory separator", quote_curly(suffix));
  } else {
    const char *last = strrchr(template, 'X');
    end = last == NULL ? 0 : (size_t)(last - template) + 1;
    suffix = template + end;
    if (strchr(suffix, '/') != NULL && end > 0)
      bin_die(&b, 1, "invalid suffix %s, contains directory separator", quote_curly(suffix));
  }
  size_t count = 0;
  while (count < end && template[end - 1 - count] == 'X') count++;
  if (count < 3) bin_die(&b, 1, "too few X's in template %s", quote_curly(template));
  if (below_tmp) {
    const char *tmp = environment_get(environment, "TMPDIR");
    if (tmp == NULL || *tmp == 0) tmp = "/tmp";
    if (parent == NULL || *parent == 0 ||
        (in_tmp && environment_get(environment, "TMPDIR") != NULL))
      parent = tmp;
    if (in_tmp && strchr(template, '/') != NULL)
      bin_die(&b, 1, "invalid template, %s, contains directory separator", quote_curly(template));
    if (!in_tmp && *template == '/')
      bin_die(&b, 1, "invalid template, %s; with --tmpdir, it may not be absolute",
              quote_curly(template));
    text_string(&name, path_join(parent, ""));
  }
  text_add(&name, template, end);
  size_t at = name.len - count;
  text_string(&name, suffix);
  text_end(&name);
  int error = -EEXIST;
  for (int tries = 0; tries < 100 && error == -EEXIST; tries++) {
    fill(name.at + at, count);
    error = only_name ? 0 : make(name.at, folder);
  }
  if (error < 0) {
    if (!quiet) {
      memset(name.at + at, 'X', count);
      bin_warn(&b, "failed to create %s via template %s: %s", folder ? "directory" : "file",
               quote_curly(name.at), error_text(error));
    }
    return 1;
  }
  output_format(&b.out, "%s\n", name.at);
  return bin_end(&b);
}

const command command_mktemp = {
    .name = "mktemp",
    .main = mktemp_main,
    .usage = "mktemp [OPTION]... [TEMPLATE]",
    .options =
        "-d, --directory\tmake a folder\n"
        "-u, --dry-run\tonly print a name\n"
        "-q, --quiet\tno messages\n"
        "--suffix=SUFF\tadd SUFF to the template\n"
        "-p DIR, --tmpdir[=DIR]\tmake it in DIR, or in $TMPDIR or /tmp\n"
        "-t\tmake it in $TMPDIR, or DIR of -p, or /tmp"};
