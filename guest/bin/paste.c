// SPDX-License-Identifier: MIT
// paste.c -- join lines of files side by side, or with -s those of each file.
#include "options.h"

typedef struct {
  bin b;
  char *delimiters; /* cycled; '\0' in `empty` means: nothing */
  bool *empty;
  size_t count;
  bool zero;
} paste;

static void parse_delimiters(paste *p, const char *list) {
  size_t size = strlen(list);
  p->delimiters = memory_take(size + 1);
  p->empty = memory_take(size + 1);
  p->count = 0;
  for (size_t i = 0; i < size; i++) {
    char c = list[i];
    bool nothing = false;
    if (c == '\\') {
      if (++i == size) {
        bin_die(&p->b, 1, "delimiter list ends with an unescaped backslash: %s", list);
      }
      switch (list[i]) {
        case '0':
          nothing = true;
          break;
        case 'b':
          c = '\b';
          break;
        case 'f':
          c = '\f';
          break;
        case 'n':
          c = '\n';
          break;
        case 'r':
          c = '\r';
          break;
        case 't':
          c = '\t';
          break;
        case 'v':
          c = '\v';
          break;
        default:
          c = list[i];
          break;
      }
    }
    p->delimiters[p->count] = c;
    p->empty[p->count++] = nothing;
  }
  if (p->count == 0) p->empty[p->count++] = true;
}

static void delimit(paste *p, size_t index) {
  index %= p->count;
  if (!p->empty[index]) output_byte(&p->b.out, p->delimiters[index]);
}

static void serial(paste *p, char **files, int count) {
  int mark = p->zero ? 0 : '\n';
  for (int i = 0; i < count; i++) {
    input in;
    if (!bin_open(&p->b, &in, files[i])) continue;
    char *line;
    size_t size;
    for (size_t n = 0; input_until(&in, mark, &line, &size, NULL); n++) {
      if (n > 0) delimit(p, n - 1);
      output_write(&p->b.out, line, size);
    }
    output_byte(&p->b.out, mark);
    input_close(&in);
  }
}

static void parallel(paste *p, char **files, int count) {
  int mark = p->zero ? 0 : '\n', standard_at = -1;
  input *inputs = memory_take((size_t)count * sizeof *inputs);
  int *source = memory_take((size_t)count * sizeof *source); /* several "-" share one stream */
  for (int i = 0; i < count; i++) {
    source[i] = i;
    bool standard = strcmp(files[i], "-") == 0;
    if (standard && standard_at >= 0) {
      source[i] = standard_at;
      continue;
    }
    if (standard) standard_at = i;
    if (!bin_open(&p->b, &inputs[i], files[i])) bin_exit(&p->b, 1);
  }
  for (;;) {
    text row = {0};
    bool any = false;
    for (int i = 0; i < count; i++) {
      char *line;
      size_t size;
      if (i > 0) {
        size_t index = (size_t)(i - 1) % p->count;
        if (!p->empty[index]) text_char(&row, p->delimiters[index]);
      }
      if (!input_until(&inputs[source[i]], mark, &line, &size, NULL)) continue;
      any = true;
      text_add(&row, line, size);
    }
    if (any) {
      text_char(&row, (char)mark);
      output_write(&p->b.out, row.at, row.len);
    }
    text_free(&row);
    if (!any || p->b.out.error != 0) return;
  }
}

static int paste_main(int argc, char **argv, char **environment) {
  paste p = {0};
  options o;
  const char *list = "\t";
  bool in_turn = false;
  options_start(&o, &p.b, command_find("paste"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'd') list = o.value;
    if (key == 's') in_turn = true;
    if (key == 'z') p.zero = true;
  }
  parse_delimiters(&p, list);
  char *standard[] = {"-", NULL};
  char **files = o.operand_count > 0 ? o.operands : standard;
  int count = o.operand_count > 0 ? o.operand_count : 1;
  if (in_turn) {
    serial(&p, files, count);
  } else {
    parallel(&p, files, count);
  }
  return bin_end(&p.b);
}

const command command_paste = {.name = "paste",
                               .main = paste_main,
                               .usage = "paste [OPTION]... [FILE]...",
                               .options =
                                   "-d, --delimiters=LIST\tuse these in turn instead of tabs\n"
                                   "-s, --serial\tone file at a time\n"
                                   "-z, --zero-terminated\tlines end with NUL"};
