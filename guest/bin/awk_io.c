// SPDX-License-Identifier: MIT
// awk_io.c -- where records come from and output goes: files, pipes, the operands.
#include "../text/bytes.h"
#include "awk.h"
#include "run.h"

static void set_rt(awk *a, const char *at, size_t size) {
  value_drop(a->globals[V_RT].value);
  a->globals[V_RT].value = string_value(string_new(at, size));
}

/* Records that end at a match. A match that reaches the end of what was read may still grow. */
static bool read_until_regex(awk *a, input *in, awk_string **record) {
  size_t have = 0;
  char *at;
  for (;;) {
    have = input_peek(in, have + 1, &at);
    regex_span span;
    bool found = have > 0 && regex_search(a->rs_regex, at, have, 0, 0, &span, 1) == 1 &&
                 span.end > span.start;
    if (found && ((size_t)span.end < have || in->ended)) {
      *record = string_new(at, (size_t)span.start);
      set_rt(a, at + span.start, (size_t)(span.end - span.start));
      input_take(in, (size_t)span.end);
      return true;
    }
    if (!in->ended) continue;
    if (have == 0) return false;
    size_t size = have;
    *record = string_new(at, size);
    set_rt(a, "", 0);
    input_take(in, have);
    return true;
  }
}

static bool read_paragraph(awk *a, input *in, awk_string **record) {
  char *line;
  size_t size;
  text all = {0};
  bool any = false, marked = true;
  while (input_line(in, &line, &size, &marked)) {
    if (size == 0 && !any) continue;
    if (size == 0) break;
    if (any) text_char(&all, '\n');
    text_add(&all, line, size);
    any = true;
  }
  if (!any) return false;
  while (in->start < in->end || input_fill(in) > 0) { /* further empty lines belong to this end */
    if (in->buffer[in->start] != '\n') break;
    in->start++;
  }
  set_rt(a, marked ? "\n\n" : "\n", marked ? 2 : 1);
  *record = string_new(all.at, all.len);
  text_free(&all);
  return true;
}

bool read_record(awk *a, input *in, awk_string **record) {
  if (a->rs_kind == 'r') return read_until_regex(a, in, record);
  if (a->rs_kind == 'p') return read_paragraph(a, in, record);
  char *line;
  size_t size;
  bool marked;
  if (!input_until(in, a->rs_byte, &line, &size, &marked)) return false;
  *record = record_new(a, line, size);
  if (a->globals[V_RT].kind == SLOT_SCALAR) set_rt(a, &a->rs_byte, marked);
  return true;
}

bool next_record_here(awk *a) {
  const char *line;
  size_t size;
  if (!a->open || a->rs_kind != 'c' || a->globals[V_RT].kind == SLOT_SCALAR) return false;
  if (!input_until_here(&a->in, a->rs_byte, &line, &size)) return false;
  a->nr++;
  a->fnr++;
  field_set_record(a, record_new(a, line, size));
  return true;
}

/* ---- the operands ---- */

static bool is_assignment(const char *operand) {
  const char *at = operand;
  if (!((*at | 32) >= 'a' && (*at | 32) <= 'z') && *at != '_') return false;
  while (((*at | 32) >= 'a' && (*at | 32) <= 'z') || *at == '_' || (*at >= '0' && *at <= '9')) at++;
  return *at == '=';
}

static void assign_operand(awk *a, const char *operand) {
  const char *equals = strchr(operand, '=');
  size_t slot = awk_global(a, operand, (size_t)(equals - operand));
  awk_string *value = awk_unescape(equals + 1, strlen(equals + 1));
  value_drop(a->globals[slot].value);
  a->globals[slot].kind = SLOT_SCALAR;
  a->globals[slot].value = (awk_value){.kind = VALUE_INPUT, .string = value};
  if (slot < V_SPECIAL) special_changed(a, slot);
}

static awk_string *argument(awk *a, size_t n) {
  char key[24];
  awk_string *name = string_new(key, number_format((int64_t)n, key));
  awk_item *item =
      a->globals[V_ARGV].kind == SLOT_ARRAY ? array_find(a->globals[V_ARGV].array, name) : NULL;
  string_drop(name);
  return item == NULL ? string_new("", 0) : value_string(&item->value, a->convfmt);
}

static void set_filename(awk *a, const char *name) {
  value_drop(a->globals[V_FILENAME].value);
  a->globals[V_FILENAME].kind = SLOT_SCALAR;
  a->globals[V_FILENAME].value =
      (awk_value){.kind = VALUE_INPUT, .string = string_new(name, strlen(name))};
}

void next_file(awk *a) {
  if (!a->open) return;
  if (a->in.error != 0) {
    bin_warn(&a->b, "warning: command line argument is a file that cannot be read: %s",
             error_text(a->in.error));
    a->exit_status = 2;
  }
  input_close(&a->in);
  a->open = false;
  awk_run_file_rules(a, RULE_ENDFILE);
}

/* Opens the next operand; false when there is none left. */
static bool open_next(awk *a) {
  for (;;) {
    size_t count = (size_t)value_number(&a->globals[V_ARGC].value);
    if (a->next_argument >= count) {
      if (a->began) return false;
      a->began = true;
      input_open_fd(&a->in, 0);
      set_filename(a, "-");
      a->open = true;
      if (awk_run_file_rules(a, RULE_BEGINFILE)) return true;
      next_file(a);
      continue;
    }
    awk_string *name = argument(a, a->next_argument++);
    if (name->size == 0) {
      string_drop(name);
      continue;
    }
    if (is_assignment(name->at)) {
      assign_operand(a, name->at);
      string_drop(name);
      continue;
    }
    a->began = true;
    set_filename(a, name->at);
    int error = input_open(&a->in, name->at);
    file_stat stat;
    if (error == 0 && sys_fstat(a->in.fd, &stat) == 0 && stat.kind == FILE_DIRECTORY) {
      bin_warn(&a->b, "warning: command line argument `%s' is a directory: skipped", name->at);
      input_close(&a->in);
      continue;
    }
    if (error < 0) {
      bin_warn(&a->b, "warning: command line argument `%s': cannot open file: %s", name->at,
               error_text(error));
      a->exit_status = 2;
      continue;
    }
    a->open = true;
    a->fnr = 0;
    if (awk_run_file_rules(a, RULE_BEGINFILE)) return true;
    next_file(a);
    if (a->exiting) return false;
  }
}

bool next_main_record(awk *a, awk_string **record) {
  while (!a->ended) {
    if (!a->open && !open_next(a)) {
      a->ended = true;
      break;
    }
    if (read_record(a, &a->in, record)) {
      a->nr++;
      a->fnr++;
      return true;
    }
    next_file(a);
    if (a->exiting) break;
  }
  return false;
}

/* ---- streams ---- */

static awk_stream *find_stream(awk *a, const char *name, char mode) {
  for (awk_stream *s = a->streams; s != NULL; s = s->next) {
    if (s->mode == mode && strcmp(s->name, name) == 0) return s;
  }
  return NULL;
}

static awk_stream *new_stream(awk *a, const char *name, char mode) {
  awk_stream *s = memory_take(sizeof *s);
  *s = (awk_stream){.next = a->streams, .name = memory_string(name), .mode = mode};
  return a->streams = s;
}

static int start_shell(awk *a, const char *command, int in, int out, int other_end) {
  char *argv[] = {"sh", "-c", (char *)(uintptr_t)command, NULL};
  size_t count = 0;
  int closed[64];
  closed[count++] = in >= 0 ? in : out;
  if (other_end >= 0) closed[count++] = other_end;
  for (awk_stream *s = a->streams; s != NULL && count < 60; s = s->next) {
    int fd = s->mode == '<' || s->mode == 'r' ? s->in.fd : s->out.fd;
    if (fd > 2) closed[count++] = fd;
  }
  if (in < 0 && out < 0) closed[0] = closed[--count];
  const int descriptors[3] = {in, out, -1};
  awk_flush(a, NULL);
  return run_start_closing("awk", 3, argv, a->environment, descriptors, closed, count);
}

static awk_stream *open_pipe(awk *a, const char *command, char mode) {
  int ends[2];
  int error = sys_pipe(ends);
  if (error < 0) awk_die(a, "can't open pipe `%s': %s", command, error_text(error));
  bool reading = mode == 'r';
  int pid = reading ? start_shell(a, command, -1, ends[1], ends[0])
                    : start_shell(a, command, ends[0], -1, ends[1]);
  sys_close(ends[reading ? 1 : 0]);
  if (pid < 0) awk_die(a, "can't open pipe `%s': %s", command, error_text(pid));
  awk_stream *s = new_stream(a, command, mode);
  s->pid = pid;
  if (reading)
    input_open_fd(&s->in, ends[0]);
  else
    output_open_fd(&s->out, ends[1]);
  return s;
}

static int named_descriptor(const char *name) {
  if (strcmp(name, "/dev/stdin") == 0) return 0;
  if (strcmp(name, "/dev/stdout") == 0 || strcmp(name, "-") == 0) return 1;
  if (strcmp(name, "/dev/stderr") == 0) return 2;
  if (strncmp(name, "/dev/fd/", 8) == 0) return atoi(name + 8);
  return -1;
}

output *awk_output(awk *a, awk_node *n) {
  if (n->redirect == 0) return &a->b.out;
  awk_string *name = awk_eval_string(a, n->a);
  char mode = n->redirect == '|' ? '|' : '>';
  awk_stream *s = find_stream(a, name->at, mode);
  if (s == NULL && mode == '|') {
    s = open_pipe(a, name->at, '|');
  } else if (s == NULL) {
    int fd = named_descriptor(name->at);
    if (fd == 1) {
      string_drop(name);
      return &a->b.out;
    }
    if (fd < 0) {
      fd = sys_open(name->at,
                    OPEN_WRITE | OPEN_CREATE | (n->redirect == 'a' ? OPEN_APPEND : OPEN_TRUNCATE),
                    0666);
    }
    if (fd < 0) awk_die(a, "can't redirect to `%s': %s", name->at, error_text(fd));
    s = new_stream(a, name->at, '>');
    output_open_fd(&s->out, fd);
  }
  string_drop(name);
  return &s->out;
}

static awk_stream *input_stream(awk *a, awk_node *n) {
  awk_string *name = awk_eval_string(a, n->b);
  char mode = n->redirect == '|' ? 'r' : '<';
  awk_stream *s = find_stream(a, name->at, mode);
  if (s == NULL && mode == 'r') {
    s = open_pipe(a, name->at, 'r');
  } else if (s == NULL) {
    int fd = strcmp(name->at, "-") == 0 ? 0 : named_descriptor(name->at);
    if (fd < 0) fd = sys_open(name->at, OPEN_READ, 0);
    if (fd >= 0) {
      s = new_stream(a, name->at, '<');
      input_open_fd(&s->in, fd);
    }
  }
  string_drop(name);
  return s;
}

awk_value awk_getline(awk *a, awk_node *n) {
  awk_string *record;
  if (n->redirect == 0) {
    if (!next_main_record(a, &record)) return number_value(0);
  } else {
    awk_stream *s = input_stream(a, n);
    if (s == NULL) return number_value(-1);
    if (!read_record(a, &s->in, &record)) return number_value(s->in.error != 0 ? -1 : 0);
    if (n->redirect == '|') a->nr++;
  }
  if (n->a != NULL)
    awk_assign(a, n->a, (awk_value){.kind = VALUE_INPUT, .string = record});
  else
    field_set_record(a, record);
  return number_value(1);
}

static int close_stream(awk *a, awk_stream *s) {
  int status = 0;
  bool pipe = s->mode == 'r' || s->mode == '|';
  if (s->mode == '>' || s->mode == '|') {
    output_flush(&s->out);
    if (s->out.fd > 2) sys_close(s->out.fd);
  } else {
    input_close(&s->in);
  }
  if (pipe) {
    output_flush(&a->b.out);
    while (process_wait(s->pid, &status) == -EINTR) {
    }
  }
  return status;
}

int awk_close(awk *a, const char *name) {
  int status = -1;
  for (awk_stream **at = &a->streams; *at != NULL;) {
    awk_stream *s = *at;
    if (strcmp(s->name, name) != 0) {
      at = &s->next;
      continue;
    }
    *at = s->next;
    status = close_stream(a, s);
  }
  return status;
}

int awk_flush(awk *a, const char *name) {
  int status = name == NULL ? 0 : -1;
  if (name == NULL) output_flush(&a->b.out);
  for (awk_stream *s = a->streams; s != NULL; s = s->next) {
    if ((s->mode != '>' && s->mode != '|') || (name != NULL && strcmp(s->name, name) != 0))
      continue;
    output_flush(&s->out);
    status = 0;
  }
  return status;
}

void awk_close_all(awk *a) {
  output_flush(&a->b.out);
  while (a->streams != NULL) {
    awk_stream *s = a->streams;
    a->streams = s->next;
    close_stream(a, s);
  }
}

int awk_system(awk *a, const char *command) {
  int status = 0, pid = start_shell(a, command, -1, -1, -1);
  if (pid < 0) return -1;
  while (process_wait(pid, &status) == -EINTR) {
  }
  return status > 128 ? 256 + status - 128 : status;
}
