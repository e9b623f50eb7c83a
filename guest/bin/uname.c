// SPDX-License-Identifier: MIT
// uname.c -- who and where: one user, one processor, no terminal, a name that says nothing of the
// host.
#include "options.h"

static int say(const char *name, const char *answer, int argc, char **argv, char **environment) {
  bin b;
  options o;
  options_start(&o, &b, command_find(name), argc, argv, environment);
  while (options_next(&o) != 0) {
  }
  output_format(&b.out, "%s\n", answer);
  return bin_end(&b);
}

static int hostname_main(int argc, char **argv, char **environment) {
  return say("hostname", "sandbox", argc, argv, environment);
}
static int nproc_main(int argc, char **argv, char **environment) {
  return say("nproc", "1", argc, argv, environment);
}
static int whoami_main(int argc, char **argv, char **environment) {
  return say("whoami", "root", argc, argv, environment);
}

static int tty_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool silent = false;
  options_start(&o, &b, command_find("tty"), argc, argv, environment);
  while (options_next(&o) != 0) silent = true;
  if (!silent) output_string(&b.out, "not a tty\n");
  bin_end(&b);
  return 1;
}

static int uname_main(int argc, char **argv, char **environment) {
  static const char letters[] = "snrvmo", *const values[] = {"Linux", "sandbox", "6.0.0",
                                                             "#1",    "wasm32",  "GNU/Linux"};
  bin b;
  options o;
  bool wanted[6] = {false}, any = false;
  options_start(&o, &b, command_find("uname"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0; any = true) {
    for (int i = 0; i < 6; i++) wanted[i] |= key == 'a' || key == letters[i];
  }
  if (!any) wanted[0] = true;
  bool first = true;
  for (int i = 0; i < 6; i++) {
    if (!wanted[i]) continue;
    output_format(&b.out, "%s%s", first ? "" : " ", values[i]);
    first = false;
  }
  output_byte(&b.out, '\n');
  return bin_end(&b);
}

static int id_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool number = false, name = false;
  options_start(&o, &b, command_find("id"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'u' || key == 'g' || key == 'G') number = true;
    if (key == 'n') name = true;
  }
  output_string(&b.out,
                number ? name ? "root\n" : "0\n" : "uid=0(root) gid=0(root) groups=0(root)\n");
  return bin_end(&b);
}

static int uuidgen_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  uint8_t bytes[16];
  options_start(&o, &b, command_find("uuidgen"), argc, argv, environment);
  while (options_next(&o) != 0) {
  }
  kernel_random(bytes, sizeof bytes);
  bytes[6] = (bytes[6] & 0x0F) | 0x40;
  bytes[8] = (bytes[8] & 0x3F) | 0x80;
  for (int i = 0; i < 16; i++)
    output_format(&b.out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  output_byte(&b.out, '\n');
  return bin_end(&b);
}

static int truncate_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  const char *spec = NULL, *reference = NULL;
  bool no_create = false;
  options_start(&o, &b, command_find("truncate"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 's') spec = o.value;
    if (key == 'r') reference = o.value;
    if (key == 'c') no_create = true;
  }
  if (spec == NULL && reference == NULL)
    bin_usage(&b, "you must specify either %s or %s", quote_curly("--size"),
              quote_curly("--reference"));
  if (o.operand_count == 0) bin_usage(&b, "missing file operand");
  char mode = 0;
  uint64_t number = 0;
  if (spec != NULL) {
    if (strchr("+-<>/%", *spec) != NULL && *spec != 0) mode = *spec++;
    if (number_parse(spec, "bKm", &number) < 0)
      bin_die(&b, 1, "Invalid number: %s", quote_curly(spec));
    if ((mode == '/' || mode == '%') && number == 0) bin_die(&b, 1, "division by zero");
  }
  file_stat stat;
  if (reference != NULL) {
    int error = sys_stat(reference, &stat);
    if (error < 0) bin_die(&b, 1, "cannot stat %s: %s", quote_always(reference), error_text(error));
    if (spec == NULL) number = stat.size;
  }
  for (int i = 0; i < o.operand_count; i++) {
    int fd = sys_open(o.operands[i], OPEN_WRITE | (no_create ? 0 : OPEN_CREATE), 0666);
    if (fd == -ENOENT && no_create) continue;
    if (fd < 0) {
      bin_error(&b, "cannot open %s for writing: %s", quote_always(o.operands[i]), error_text(fd));
      continue;
    }
    sys_fstat(fd, &stat);
    uint64_t size = number, now = stat.size;
    if (mode == '+') size = now + number;
    if (mode == '-') size = now > number ? now - number : 0;
    if (mode == '<') size = now < number ? now : number;
    if (mode == '>') size = now > number ? now : number;
    if (mode == '/') size = now / number * number;
    if (mode == '%') size = (now + number - 1) / number * number;
    int error = sys_truncate(fd, size);
    if (error < 0)
      bin_error(&b, "failed to truncate %s at %llu bytes: %s", quote_always(o.operands[i]),
                (unsigned long long)size, error_text(error));
    sys_close(fd);
  }
  return bin_end(&b);
}

static void factor(bin *b, const char *from) {
  uint64_t number;
  int error = number_parse(from, NULL, &number);
  if (error < 0) {
    bin_error(b, error == -ERANGE ? "%s is too large" : "%s is not a valid positive integer",
              quote_curly(from));
    return;
  }
  output_format(&b->out, "%llu:", (unsigned long long)number);
  for (uint64_t p = 2; number > 1 && p * p <= number; p += p == 2 ? 1 : 2) {
    for (; number % p == 0; number /= p) output_format(&b->out, " %llu", (unsigned long long)p);
    if ((p & 0xFFFF) == 1 && kernel_interrupted()) return;
  }
  if (number > 1) output_format(&b->out, " %llu", (unsigned long long)number);
  output_byte(&b->out, '\n');
}

static int factor_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  options_start(&o, &b, command_find("factor"), argc, argv, environment);
  while (options_next(&o) != 0) {
  }
  for (int i = 0; i < o.operand_count; i++) factor(&b, o.operands[i]);
  if (o.operand_count > 0) return bin_end(&b);
  input in;
  char *line;
  size_t size;
  input_open_fd(&in, 0);
  while (input_line(&in, &line, &size, NULL)) {
    char *copy = memory_copy(line, size);
    for (char *at = copy; *(at += strspn(at, " \t")) != 0;) {
      size_t word = strcspn(at, " \t");
      factor(&b, memory_copy(at, word));
      at += word;
    }
  }
  return bin_end(&b);
}

const command command_factor = {
    .name = "factor", .main = factor_main, .usage = "factor [NUMBER]...", .options = ""};
const command command_hostname = {.name = "hostname",
                                  .main = hostname_main,
                                  .usage = "hostname",
                                  .options = "-s\tignored\n-f\tignored"};
const command command_id = {
    .name = "id",
    .main = id_main,
    .usage = "id [OPTION]...",
    .options =
        "-u, --user\tthe user's number\n-g, --group\tthe group's number\n-G, --groups\tall groups' "
        "numbers\n-n, --name\tthe name instead\n-r, --real\tignored"};
const command command_nproc = {.name = "nproc",
                               .main = nproc_main,
                               .usage = "nproc [OPTION]...",
                               .options = "--all\tignored\n--ignore=N\tignored"};
const command command_truncate = {
    .name = "truncate",
    .main = truncate_main,
    .usage = "truncate OPTION... FILE...",
    .options =
        "-c, --no-create\tmake no files\n-r, --reference=RFILE\tRFILE's size\n-s, "
        "--size=SIZE\tSIZE, or with + - < > / % relative to what it is"};
const command command_tty = {.name = "tty",
                             .main = tty_main,
                             .usage = "tty [OPTION]",
                             .options = "-s, --silent, --quiet\tonly the exit status"};
const command command_uname = {
    .name = "uname",
    .main = uname_main,
    .usage = "uname [OPTION]...",
    .options =
        "-a, --all\tall\n-s, --kernel-name\tthe system\n-n, --nodename\tthe machine\n-r, "
        "--kernel-release\trelease\n-v, --kernel-version\tversion\n-m, --machine\tprocessor\n-o, "
        "--operating-system\toperating system"};
const command command_uuidgen = {.name = "uuidgen",
                                 .main = uuidgen_main,
                                 .usage = "uuidgen [OPTION]",
                                 .options = "-r, --random\tas usual"};
const command command_whoami = {
    .name = "whoami", .main = whoami_main, .usage = "whoami", .options = ""};
