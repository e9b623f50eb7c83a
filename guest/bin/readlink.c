// SPDX-License-Identifier: MIT
// readlink.c -- readlink, realpath and pwd.
#include "options.h"
#include "path.h"

static int readlink_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool resolve = false, no_newline = false, zero = false, verbose = false;
  path_missing missing = PATH_EXISTING;
  options_start(&o, &b, command_find("readlink"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'f':
        resolve = true, missing = PATH_LAST_MAY_MISS;
        break;
      case 'e':
        resolve = true, missing = PATH_EXISTING;
        break;
      case 'm':
        resolve = true, missing = PATH_MAY_MISS;
        break;
      case 'n':
        no_newline = true;
        break;
      case 'z':
        zero = true;
        break;
      case 'v':
        verbose = true;
        break;
      default:
        break;
    }
  }
  options_need(&o, 1);
  for (int i = 0; i < o.operand_count; i++) {
    char target[4097], *shown = target;
    int64_t result;
    if (resolve) {
      result = path_resolve(o.operands[i], missing, true, &shown);
    } else {
      result = sys_readlink(o.operands[i], target, 4096);
      if (result >= 0) target[result] = 0;
    }
    if (result < 0) {
      b.status = 1;
      if (verbose) bin_warn(&b, "%s: %s", o.operands[i], error_text((int)result));
      continue;
    }
    output_string(&b.out, shown);
    if (!no_newline || o.operand_count > 1) output_byte(&b.out, zero ? 0 : '\n');
  }
  return bin_end(&b);
}

static int realpath_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool zero = false, quiet = false, links = true;
  path_missing missing = PATH_LAST_MAY_MISS;
  const char *relative_to = NULL, *relative_base = NULL;
  options_start(&o, &b, command_find("realpath"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'e':
        missing = PATH_EXISTING;
        break;
      case 'm':
        missing = PATH_MAY_MISS;
        break;
      case 's':
        links = false;
        break;
      case 'q':
        quiet = true;
        break;
      case 'z':
        zero = true;
        break;
      case OPTION_LONG:
        if (options_is(&o, "relative-to")) relative_to = o.value;
        if (options_is(&o, "relative-base")) relative_base = o.value;
        break;
      default:
        break;
    }
  }
  options_need(&o, 1);
  char *base = NULL, *from = NULL;
  if (relative_to != NULL && path_resolve(relative_to, missing, links, &from) < 0)
    bin_die(&b, 1, "%s: %s", relative_to, error_text(ENOENT));
  if (relative_base != NULL && path_resolve(relative_base, missing, links, &base) < 0)
    bin_die(&b, 1, "%s: %s", relative_base, error_text(ENOENT));
  if (base != NULL && from == NULL) from = base;
  for (int i = 0; i < o.operand_count; i++) {
    char *shown;
    int error = path_resolve(o.operands[i], missing, links, &shown);
    if (error < 0) {
      b.status = 1;
      if (!quiet)
        bin_warn(&b, "%s: %s", *o.operands[i] != 0 ? o.operands[i] : "''", error_text(error));
      continue;
    }
    size_t size = base != NULL ? strlen(base) : 0;
    bool below = base == NULL || (strncmp(shown, base, size) == 0 &&
                                  (shown[size] == '/' || shown[size] == 0 || size == 1));
    output_string(&b.out, from != NULL && below ? path_relative(shown, from) : shown);
    output_byte(&b.out, zero ? 0 : '\n');
  }
  return bin_end(&b);
}

static int pwd_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool logical = false;
  options_start(&o, &b, command_find("pwd"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) logical = key == 'L';
  const char *named = environment_get(environment, "PWD");
  char *here = path_current(), *resolved;
  bool usable = logical && named != NULL && *named == '/' && strstr(named, "/.") == NULL;
  if (usable && path_resolve(named, PATH_EXISTING, true, &resolved) == 0 &&
      strcmp(resolved, here) == 0) {
    here = (char *)named;
  }
  output_format(&b.out, "%s\n", here);
  return bin_end(&b);
}

const command command_readlink = {
    .name = "readlink",
    .main = readlink_main,
    .usage = "readlink [OPTION]... FILE...",
    .options =
        "-f, --canonicalize\tresolve all links; the last part may be missing\n"
        "-e, --canonicalize-existing\tresolve all links; all must exist\n"
        "-m, --canonicalize-missing\tresolve all links; any may be missing\n"
        "-n, --no-newline\tno newline at the end\n"
        "-q, --quiet\tno messages\n"
        "-s, --silent\tno messages\n"
        "-v, --verbose\tshow messages\n"
        "-z, --zero\tend each line with NUL"};
const command command_realpath = {.name = "realpath",
                                  .main = realpath_main,
                                  .usage = "realpath [OPTION]... FILE...",
                                  .options =
                                      "-e, --canonicalize-existing\tall parts must exist\n"
                                      "-m, --canonicalize-missing\tany part may be missing\n"
                                      "-L, --logical\tignored\n"
                                      "-P, --physical\tresolve links on the way (the default)\n"
                                      "-q, --quiet\tno messages\n"
                                      "--relative-to=DIR\tprint the path as seen from DIR\n"
                                      "--relative-base=DIR\tas --relative-to for paths below DIR\n"
                                      "-s, --strip, --no-symlinks\tdo not follow links\n"
                                      "-z, --zero\tend each line with NUL"};
const command command_pwd = {.name = "pwd",
                             .main = pwd_main,
                             .usage = "pwd [OPTION]...",
                             .options =
                                 "-L, --logical\tuse PWD, even with links in it\n"
                                 "-P, --physical\twithout links (the default)"};
