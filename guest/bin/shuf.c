// SPDX-License-Identifier: MIT
// shuf.c -- lines in random order.
#include "../text/bytes.h"
#include "options.h"

typedef struct {
  const char *at;
  size_t size;
} line;

static uint64_t below(uint64_t limit) {
  uint64_t value, most = UINT64_MAX - UINT64_MAX % limit;
  do {
    kernel_random(&value, sizeof value);
  } while (value >= most);
  return value % limit;
}

static int shuf_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool echo = false, repeat = false;
  int mark = '\n';
  const char *range = NULL, *to = NULL;
  uint64_t count = UINT64_MAX;
  options_start(&o, &b, command_find("shuf"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'e':
        echo = true;
        break;
      case 'i':
        range = o.value;
        break;
      case 'n':
        count = options_number(&o, NULL, "invalid line count");
        break;
      case 'o':
        to = o.value;
        break;
      case 'r':
        repeat = true;
        break;
      case 'z':
        mark = 0;
        break;
      default:
        break;
    }
  }
  line *lines = NULL;
  size_t have = 0, room = 0;
#define PUSH(where, length)                                                                 \
  do {                                                                                      \
    if (have == room) lines = memory_resize(lines, (room = room * 2 + 64) * sizeof *lines); \
    lines[have++] = (line){where, length};                                                  \
  } while (0)
  if (range != NULL) {
    char *end;
    uint64_t low = strtoull(range, &end, 10), high = *end == '-' ? strtoull(end + 1, &end, 10) : 0;
    if (*end != 0 || strchr(range, '-') == NULL || high + 1 < low || high - low > 1u << 24)
      bin_die(&b, 1, "invalid input range: %s", quote_curly(range));
    for (uint64_t i = low; i <= high; i++) {
      char digits[24];
      PUSH(memory_copy(digits, number_format((int64_t)i, digits)), 0);
      lines[have - 1].size = strlen(lines[have - 1].at);
    }
  } else if (echo) {
    for (int i = 0; i < o.operand_count; i++) PUSH(o.operands[i], strlen(o.operands[i]));
  } else {
    options_allow(&o, 1);
    input in;
    if (!bin_open(&b, &in, o.operand_count > 0 ? o.operands[0] : "-")) return bin_end(&b);
    size_t size;
    char *all = input_all(&in, &size);
    for (size_t at = 0; at < size;) {
      const char *end = bytes_chr(all + at, mark, size - at);
      size_t stop = end == NULL ? size : (size_t)(end - all);
      PUSH(all + at, stop - at);
      at = stop + 1;
    }
  }
  if (to != NULL) {
    int fd = sys_open(to, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
    if (fd < 0) bin_die(&b, 1, "%s: %s", to, error_text(fd));
    output_open_fd(&b.out, fd);
  }
  if (repeat && have == 0 && count > 0) bin_die(&b, 1, "no lines to repeat");
  for (uint64_t i = 0; i < count && (repeat || i < have) && b.out.error == 0; i++) {
    size_t pick = (size_t)(repeat ? below(have) : i + below(have - i));
    line chosen = lines[pick];
    if (!repeat) {
      lines[pick] = lines[i];
      lines[i] = chosen;
    }
    output_write(&b.out, chosen.at, chosen.size);
    output_byte(&b.out, mark);
  }
  return bin_end(&b);
}

const command command_shuf = {.name = "shuf",
                              .main = shuf_main,
                              .usage =
                                  "shuf [OPTION]... [FILE]\n   or: shuf -e [OPTION]... [ARG]...\n  "
                                  " or: shuf -i LO-HI [OPTION]...",
                              .options =
                                  "-e, --echo\tthe operands are the lines\n"
                                  "-i, --input-range=LO-HI\tthe numbers LO to HI are the lines\n"
                                  "-n, --head-count=COUNT\tno more than COUNT lines\n"
                                  "-o, --output=FILE\twrite to FILE\n"
                                  "--random-source=FILE\tignored\n"
                                  "-r, --repeat\tlines may come again\n"
                                  "-z, --zero-terminated\tlines end with NUL"};
