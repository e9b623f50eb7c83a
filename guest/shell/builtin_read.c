// SPDX-License-Identifier: MIT
/* builtin_read.c -- read and mapfile.
 *
 * What read does not use must stay for the next reader: from a file it reads ahead and seeks back,
 * from a pipe it takes one byte at a time. */
#include <stdio.h>
#include <stdlib.h>

#include "builtins.h"

#define AHEAD 512

typedef struct {
  int fd;
  bool seekable;
  char buffer[AHEAD];
  size_t at, filled;
  int64_t deadline; /* virtual ns; INT64_MAX: none */
  bool timed_out;
} source;

static void source_begin(source *s, int fd) {
  s->fd = fd;
  s->at = s->filled = 0;
  s->timed_out = false;
  s->seekable = sys_seek(fd, 0, SEEK_CUR) >= 0;
}

/* Waits for a byte no longer than the deadline, by looking again every millisecond. */
static bool wait_readable(source *s) {
  if (s->deadline == INT64_MAX) return true;
  while (!sys_readable(s->fd)) {
    int64_t left = s->deadline - kernel_now();
    if (left <= 0) {
      s->timed_out = true;
      return false;
    }
    process_sleep(left < 1000000 ? left : 1000000);
  }
  return true;
}

/* The next byte, -1 at the end, negative errno below -1. */
static int source_next(shell *sh, source *s) {
  if (s->at < s->filled) return (unsigned char)s->buffer[s->at++];
  for (;;) {
    if (!wait_readable(s)) return -1;
    int64_t got = sys_read(s->fd, s->buffer, s->seekable ? AHEAD : 1);
    if (got == -EINTR) {
      if (sh->any_signal_trap) trap_poll(sh);
      if (sh->unwind != UNWIND_NONE) return -1;
      continue;
    }
    if (got < 0) return (int)got - 1;
    if (got == 0) return -1;
    s->filled = (size_t)got;
    s->at = 1;
    return (unsigned char)s->buffer[0];
  }
}

/* Gives back what was read ahead. */
static void source_end(source *s) {
  if (s->seekable && s->at < s->filled) sys_seek(s->fd, -(int64_t)(s->filled - s->at), SEEK_CUR);
}

/* ---- read ---- */

typedef struct {
  bool raw, exact, silent;
  int delimiter;   /* -1: none */
  int64_t count;   /* characters, -1: no limit */
  int64_t timeout; /* ns, -1: none; 0: only ask */
  int fd;
  const char *array, *prompt, *initial;
} reading;

/* "1.5" seconds in ns; -1 when it is no number. */
static int64_t parse_seconds(const char *at) {
  int64_t whole = 0, part = 0, scale = 1000000000;
  if (*at == 0) return -1;
  for (; *at >= '0' && *at <= '9'; at++)
    if (whole < 1000000000) whole = whole * 10 + (*at - '0');
  if (*at == '.')
    for (at++; *at >= '0' && *at <= '9'; at++)
      if (scale > 1) part += (*at - '0') * (scale /= 10);
  return *at == 0 ? whole * 1000000000 + part : -1;
}

/* Bytes that follow the first one of a character. */
static int following(int first) {
  return first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 0;
}

/* Reads up to the delimiter. In `marks` a 1 says that a backslash stood before the byte. Returns
 * the status: 0 the delimiter or the count was reached. */
static int read_text(shell *sh, reading *r, text *line, text *marks) {
  source s = {.deadline = r->timeout > 0 ? kernel_now() + r->timeout : INT64_MAX};
  int64_t characters = 0;
  int status = 1;
  source_begin(&s, r->fd);
  while (r->count < 0 || characters < r->count) {
    int c = source_next(sh, &s);
    if (c < 0) {
      if (c < -1) complain_as(sh, "read", "read error: %d: %s", r->fd, error_text(c + 1));
      break;
    }
    bool escaped = false;
    if (c == '\\' && !r->raw) {
      c = source_next(sh, &s);
      if (c < 0) break;
      if (c == '\n') continue;
      escaped = true;
    }
    if (c == r->delimiter && !escaped && !r->exact) {
      status = 0;
      break;
    }
    if (c == 0) continue;
    text_char(line, (char)c);
    text_char(marks, escaped ? 1 : 0);
    if (((unsigned char)c & 0xC0) != 0x80 || characters_are_bytes()) characters++;
    for (int rest = following(c); rest > 0 && characters == r->count; rest--) {
      /* A count of characters includes all bytes of the last one. */
      int more = source_next(sh, &s);
      if (more < 0) break;
      text_char(line, (char)more);
      text_char(marks, 0);
    }
  }
  if (r->count >= 0 && characters >= r->count) status = 0;
  source_end(&s);
  text_end(line);
  text_end(marks);
  return s.timed_out ? 142 : status;
}

typedef struct {
  shell *sh;
  const char *at, *marks;
  size_t len, from;
} cutter;

static bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

static bool separates(const cutter *c, size_t at) {
  return !c->marks[at] && strchr(c->sh->ifs, c->at[at]) != NULL && c->at[at] != 0;
}

static void skip_blanks(cutter *c) {
  while (c->from < c->len && separates(c, c->from) && blank(c->at[c->from])) c->from++;
}

/* The next word. Behind it one separator is taken: blanks around at most one other IFS byte. */
static char *cut_word(cutter *c) {
  size_t start = c->from;
  while (c->from < c->len && !separates(c, c->from)) c->from++;
  char *word = arena_copy(&c->sh->scratch, c->at + start, c->from - start);
  skip_blanks(c);
  if (c->from < c->len && separates(c, c->from) && !blank(c->at[c->from])) {
    c->from++;
    skip_blanks(c);
  }
  return word;
}

/* All that is left for the last name: without the blanks at its end, and without a separator that
 * ends it when nothing but one word is left. */
static char *cut_rest(cutter *c) {
  cutter probe = *c;
  char *word = cut_word(&probe);
  if (probe.from >= c->len) return word;
  size_t end = c->len;
  while (end > c->from && separates(c, end - 1) && blank(c->at[end - 1])) end--;
  return arena_copy(&c->sh->scratch, c->at + c->from, end - c->from);
}

static bool assign_array(shell *sh, const reading *r, cutter *c) {
  if (!builtin_identifier(sh, "read", r->array, strlen(r->array))) return false;
  variable *into = var_reach(sh, r->array);
  if (!var_writable(sh, into)) return false;
  if (into->attributes & ATTR_MAP) {
    complain_as(sh, "read", "%s: cannot convert associative to indexed array", r->array);
    return false;
  }
  var_clear(into);
  var_make_array(into);
  into->attributes &= ~(unsigned)ATTR_UNSET;
  skip_blanks(c);
  for (int64_t i = 0; c->from < c->len; i++)
    if (!var_store_index(sh, into, i, cut_word(c), false)) return false;
  return true;
}

static bool assign_names(shell *sh, char **names, cutter *c) {
  skip_blanks(c);
  for (; *names != NULL; names++) {
    if (!builtin_target(sh, "read", *names)) return false;
    char *word = names[1] != NULL ? cut_word(c) : cut_rest(c);
    if (!var_assign_to(sh, *names, word)) return false;
  }
  return true;
}

static bool read_settings(shell *sh, builtin_options *o, reading *r) {
  int letter;
  int64_t number;
  while ((letter = builtin_option(sh, o, "ersa:d:i:n:N:p:t:u:")) != -1) {
    switch (letter) {
      case '?':
        return false;
      case 'r':
        r->raw = true;
        break;
      case 's':
      case 'e':
        break;
      case 'a':
        r->array = o->argument;
        break;
      case 'd':
        r->delimiter = (unsigned char)*o->argument;
        break;
      case 'i':
        r->initial = o->argument;
        break;
      case 'n':
      case 'N':
        if (!builtin_number(o->argument, &r->count) || r->count < 0) {
          complain_as(sh, "read", "%s: invalid number", o->argument);
          return false;
        }
        if (letter == 'N') r->exact = true;
        break;
      case 'p':
        r->prompt = o->argument;
        break;
      case 't':
        r->timeout = parse_seconds(o->argument);
        if (r->timeout < 0) {
          complain_as(sh, "read", "%s: invalid timeout specification", o->argument);
          return false;
        }
        break;
      case 'u':
        if (!builtin_number(o->argument, &number) || number < 0 || number > 1 << 20) {
          complain_as(sh, "read", "%s: invalid file descriptor specification", o->argument);
          return false;
        }
        r->fd = (int)number;
    }
  }
  return true;
}

int builtin_read(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  reading r = {.delimiter = '\n', .count = -1, .timeout = -1};
  size_t before = sh->errors.len;
  if (!read_settings(sh, &o, &r)) {
    const char *said = memmem(sh->errors.at + before, sh->errors.len - before, "usage", 5);
    return said != NULL ? 2 : 1;
  }
  for (int i = o.index; i < argc; i++)
    if (!builtin_target(sh, "read", argv[i])) return 1;
  if (!sys_is_open(r.fd)) {
    complain_as(sh, "read", "%d: invalid file descriptor: Bad file descriptor", r.fd);
    return 1;
  }
  if (r.timeout == 0) return sys_readable(r.fd) ? 0 : 1;
  text line = {.in = NULL}, marks = {.in = NULL};
  shell_flush(sh);
  int status = read_text(sh, &r, &line, &marks);
  cutter c = {sh, line.at, marks.at, line.len, 0};
  bool fine;
  if (r.array != NULL) {
    fine = assign_array(sh, &r, &c);
  } else if (o.index >= argc || r.exact) {
    fine = var_set(sh, o.index < argc ? argv[o.index] : "REPLY", line.at);
    for (int i = o.index + 1; i < argc && fine; i++) fine = var_set(sh, argv[i], "");
  } else {
    fine = assign_names(sh, argv + o.index, &c);
  }
  text_free(&line);
  text_free(&marks);
  return fine ? status : 1;
}

/* ---- mapfile ---- */

typedef struct {
  int delimiter;
  int64_t count, origin, skip, quantum;
  bool trim, keep;
  int fd;
  const char *callback, *array;
} mapping;

static bool mapping_number(shell *sh, const char *argument, const char *what, int64_t *value) {
  if (builtin_number(argument, value) && *value >= 0) return true;
  complain_as(sh, "mapfile", "%s: invalid %s", argument, what);
  return false;
}

static bool mapping_settings(shell *sh, builtin_options *o, mapping *m) {
  int letter;
  int64_t number;
  while ((letter = builtin_option(sh, o, "d:n:O:s:tu:C:c:")) != -1) {
    switch (letter) {
      case '?':
        return false;
      case 'd':
        m->delimiter = (unsigned char)*o->argument;
        break;
      case 'n':
        if (!mapping_number(sh, o->argument, "line count", &m->count)) return false;
        break;
      case 'O':
        if (!mapping_number(sh, o->argument, "array origin", &m->origin)) return false;
        m->keep = true;
        break;
      case 's':
        if (!mapping_number(sh, o->argument, "line count", &m->skip)) return false;
        break;
      case 't':
        m->trim = true;
        break;
      case 'u':
        if (!mapping_number(sh, o->argument, "file descriptor specification", &number))
          return false;
        m->fd = (int)number;
        break;
      case 'C':
        m->callback = o->argument;
        break;
      case 'c':
        if (!mapping_number(sh, o->argument, "callback quantum", &m->quantum)) return false;
    }
  }
  return true;
}

/* Reads one line into `line`, its delimiter included. False at the end. */
static bool map_line(shell *sh, source *s, const mapping *m, text *line, bool *ended) {
  line->len = 0;
  *ended = false;
  for (;;) {
    int c = source_next(sh, s);
    if (c < 0) return line->len > 0;
    if (c != 0) text_char(line, (char)c);
    if (c == m->delimiter) {
      *ended = true;
      return true;
    }
  }
}

static void call_back(shell *sh, const mapping *m, int64_t index, const char *line) {
  text command = {.in = NULL};
  text_format(&command, "%s %lld ", m->callback, (long long)index);
  shared_quote(&command, line, strlen(line));
  run_text(sh, command.at, command.len, "mapfile", sh->line);
  text_free(&command);
}

static int map_lines(shell *sh, const mapping *m, variable *into) {
  source s = {.deadline = INT64_MAX};
  text line = {.in = NULL};
  int64_t index = m->origin, seen = 0;
  bool ended;
  source_begin(&s, m->fd);
  while ((m->count == 0 || seen - m->skip < m->count) && map_line(sh, &s, m, &line, &ended)) {
    if (seen++ < m->skip) continue;
    if (m->trim && ended && m->delimiter != 0) line.len--;
    text_end(&line);
    if (m->callback != NULL && m->quantum > 0 && (seen - m->skip) % m->quantum == 0) {
      call_back(sh, m, index, line.at);
      if (sh->unwind != UNWIND_NONE) break;
    }
    indexed_put(&into->array, index++, line.at, line.len);
  }
  source_end(&s);
  text_free(&line);
  return 0;
}

int builtin_mapfile(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  mapping m = {.delimiter = '\n', .quantum = 5000, .array = "MAPFILE"};
  size_t before = sh->errors.len;
  if (!mapping_settings(sh, &o, &m)) {
    const char *said = memmem(sh->errors.at + before, sh->errors.len - before, "usage", 5);
    return said != NULL ? 2 : 1;
  }
  if (o.index < argc) m.array = argv[o.index];
  if (!builtin_identifier(sh, argv[0], m.array, strlen(m.array))) return 1;
  if (!sys_is_open(m.fd)) {
    complain_as(sh, argv[0], "%d: invalid file descriptor: Bad file descriptor", m.fd);
    return 1;
  }
  variable *into = var_reach(sh, m.array);
  if (!var_writable(sh, into)) return 1;
  if (into->attributes & ATTR_MAP) {
    complain_as(sh, argv[0], "%s: not an indexed array", m.array);
    return 1;
  }
  if (!m.keep) var_clear(into);
  var_make_array(into);
  into->attributes &= ~(unsigned)ATTR_UNSET;
  shell_flush(sh);
  return map_lines(sh, &m, into);
}
