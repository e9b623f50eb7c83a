// SPDX-License-Identifier: MIT
/* sed.c -- edit a stream. The script is in sed_parse.c; here it is run, once for each line. */
#include "sed.h"

#include "../text/bytes.h"
#include "../text/unicode.h"
#include "options.h"
#include "path.h"

typedef struct {
  const char *text;
  size_t size;
  const char *file; /* r: a file's content instead; R: a line already read is in text */
} appended;

typedef struct {
  sed *s;
  text space, hold, spare;
  bool newline; /* the line read last had one */
  uint64_t line;
  char **files;
  int file_count, next_file;
  input in;
  bool open;
  const char *name; /* of the file being read */
  sed_file *out;    /* standard output, or the file edited in place */
  sed_file edited;
  char *temporary;
  appended *queue;
  size_t queued, queue_room;
  bool replaced;  /* for t */
  regex *last;    /* the last regex used */
  input *readers; /* of R */
  bool *reader_open;
  bool quit;
  int status;
  char mark;
} run;

/* ---- output ---- */

static void complete_line(run *r, sed_file *to) {
  if (!to->missing_newline) return;
  to->missing_newline = false;
  output_byte(to->out, r->mark);
}

static void put(run *r, sed_file *to, const char *at, size_t size, bool newline) {
  complete_line(r, to);
  output_write(to->out, at, size);
  if (newline)
    output_byte(to->out, r->mark);
  else
    to->missing_newline = true;
  if (r->s->unbuffered || (to != r->out && to->out->fd == 2)) output_flush(to->out);
}

static void put_space(run *r, sed_file *to) {
  put(r, to, r->space.at, r->space.len, r->newline);
}

static void append_file(run *r, const char *path) {
  input in;
  char *at;
  size_t size;
  if (strcmp(path, "/dev/stdin") == 0) path = "-";
  if (input_open(&in, path) < 0) return; /* no message: POSIX */
  while ((size = input_some(&in, &at)) > 0) {
    complete_line(r, r->out);
    output_write(r->out->out, at, size);
    r->out->missing_newline = false;
  }
  input_close(&in);
}

static void flush_queue(run *r) {
  for (size_t i = 0; i < r->queued; i++) {
    const appended *a = &r->queue[i];
    if (a->file != NULL) {
      append_file(r, a->file);
    } else {
      complete_line(r, r->out);
      output_write(r->out->out, a->text, a->size);
    }
  }
  r->queued = 0;
}

static void enqueue(run *r, appended a) {
  if (r->queued == r->queue_room) {
    r->queue_room = r->queue_room * 2 + 8;
    r->queue = memory_resize(r->queue, r->queue_room * sizeof *r->queue);
  }
  r->queue[r->queued++] = a;
}

/* ---- input ---- */

static void begin_edit(run *r, const char *path) {
  sed *s = r->s;
  text name = {0};
  char letters[7] = {0};
  uint8_t chance[6];
  kernel_random(chance, sizeof chance);
  for (int i = 0; i < 6; i++) letters[i] = (char)('a' + chance[i] % 26);
  text_format(&name, "%s/sed%s", path_parent(path), letters);
  r->temporary = text_end(&name);
  int fd = sys_open(r->temporary, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0600);
  if (fd < 0)
    bin_die(&s->b, 4, "couldn't open temporary file %s: %s", r->temporary, error_text(fd));
  output_open_fd(&r->edited.own, fd);
  r->edited.out = &r->edited.own;
  r->edited.missing_newline = false;
  r->out = &r->edited;
}

static char *backup_name(const char *path, const char *suffix) {
  text name = {0};
  if (strchr(suffix, '*') == NULL) {
    text_format(&name, "%s%s", path, suffix);
    return text_end(&name);
  }
  const char *base = path_base(path);
  for (const char *at = suffix; *at != 0; at++) {
    if (*at == '*')
      text_string(&name, base);
    else
      text_char(&name, *at);
  }
  text_end(&name);
  return strchr(suffix, '/') != NULL ? name.at : path_join(path_parent(path), name.at);
}

static void end_edit(run *r) {
  sed *s = r->s;
  if (r->temporary == NULL) return;
  output_flush(r->edited.out);
  if (r->edited.own.error != 0)
    bin_die(&s->b, 4, "couldn't write to %s: %s", r->temporary, error_text(r->edited.own.error));
  sys_close(r->edited.own.fd);
  file_stat stat;
  if (sys_stat(r->name, &stat) == 0) sys_chmod(r->temporary, stat.mode);
  if (s->suffix != NULL && *s->suffix != 0) sys_rename(r->name, backup_name(r->name, s->suffix));
  int error = sys_rename(r->temporary, r->name);
  if (error < 0) bin_die(&s->b, 4, "cannot rename %s: %s", r->temporary, error_text(error));
  r->temporary = NULL;
  r->out = &s->standard;
}

static void close_file(run *r) {
  if (!r->open) return;
  input_close(&r->in);
  r->open = false;
  end_edit(r);
}

/* Opens the next file that can be read. */
static bool next_file(run *r) {
  sed *s = r->s;
  close_file(r);
  while (r->next_file < r->file_count) {
    const char *path = r->files[r->next_file++];
    file_stat stat;
    int error = input_open(&r->in, path);
    if (error == 0 && sys_fstat(r->in.fd, &stat) == 0 && stat.kind == FILE_DIRECTORY) {
      input_close(&r->in);
      bin_warn(
          &s->b,
          s->in_place ? "couldn't edit %s: not a regular file" : "read error on %s: Is a directory",
          path);
      s->b.status = 4;
      continue;
    }
    if (error < 0) {
      bin_warn(&s->b, "can't read %s: %s", path, error_text(error));
      s->b.status = 2;
      continue;
    }
    r->open = true;
    r->name = path;
    if (s->separate) r->line = 0;
    if (s->in_place && strcmp(path, "-") != 0) begin_edit(r, path);
    return true;
  }
  return false;
}

/* Whether another byte can be read from the open file. */
static bool more_here(run *r) {
  return r->open && (r->in.start < r->in.end || input_fill(&r->in) > 0);
}

static bool is_last(run *r) {
  if (more_here(r)) return false;
  if (r->s->separate) return true;
  while (next_file(r)) {
    if (more_here(r)) return false;
  }
  return true;
}

/* Reads a line behind what the pattern space holds. */
static bool read_line(run *r) {
  char *line;
  size_t size;
  while (!more_here(r)) {
    if (!next_file(r)) return false;
  }
  if (!input_until(&r->in, r->mark, &line, &size, &r->newline)) return false;
  text_add(&r->space, line, size);
  r->line++;
  return true;
}

/* For n and N: false when there is no next line, in this file or at all. */
static bool has_next(run *r) {
  return !is_last(r) || (r->s->separate && r->next_file < r->file_count);
}

/* ---- addresses ---- */

static regex *use(run *r, regex *re) {
  if (re != NULL) r->last = re;
  if (r->last == NULL) bin_die(&r->s->b, 1, "no previous regular expression");
  return r->last;
}

static bool matches(run *r, regex *re) {
  int found = regex_test(use(r, re), r->space.at, r->space.len, 0, NULL);
  if (found < 0)
    bin_die(&r->s->b, 4, "regex matching gave up: the pattern needs too much time or memory");
  return found == 1;
}

static bool at_address(run *r, const sed_address *a) {
  switch (a->kind) {
    case ADDRESS_LINE:
      return r->line == a->number;
    case ADDRESS_STEP:
      return r->line >= a->number && (r->line - a->number) % a->step == 0;
    case ADDRESS_LAST:
      return is_last(r);
    case ADDRESS_REGEX:
      return matches(r, a->re);
    default:
      return false;
  }
}

/* Begins the range at this line, unless this line is all of it. */
static void begin_range(run *r, sed_command *c) {
  c->active = true;
  switch (c->second.kind) {
    case ADDRESS_LINE:
      c->end = c->second.number;
      break;
    case ADDRESS_PLUS:
      c->end = r->line + c->second.number;
      break;
    case ADDRESS_MULTIPLE:
      c->end = c->second.number == 0
                   ? r->line
                   : (r->line + c->second.number - 1) / c->second.number * c->second.number;
      break;
    default:
      return;
  }
  if (c->end <= r->line) c->active = false;
}

static bool in_range(run *r, sed_command *c) {
  switch (c->second.kind) {
    case ADDRESS_LINE:
    case ADDRESS_PLUS:
    case ADDRESS_MULTIPLE:
      if (r->line >= c->end) c->active = false;
      return r->line <= c->end;
    case ADDRESS_LAST:
      if (is_last(r)) c->active = false;
      return true;
    default:
      if (matches(r, c->second.re)) c->active = false;
      return true;
  }
}

static bool is_selected(run *r, sed_command *c) {
  if (c->first.kind == ADDRESS_NONE) return !c->negated;
  bool selected;
  if (c->second.kind == ADDRESS_NONE) {
    selected = at_address(r, &c->first);
  } else if (c->active) {
    selected = in_range(r, c);
    if (!selected && c->first.kind != ADDRESS_LINE) {
      selected = at_address(r, &c->first);
      if (selected) begin_range(r, c);
    }
  } else {
    selected = at_address(r, &c->first);
    if (selected) begin_range(r, c);
  }
  return selected != c->negated;
}

/* ---- commands ---- */

static void substitute(run *r, sed_command *c) {
  regex *re = use(r, c->re);
  const char *from = r->space.at;
  size_t size = r->space.len, at = 0, copied = 0;
  uint64_t count = 0;
  regex_span spans[10];
  ptrdiff_t before = -1; /* end of the match before */
  bool any = false;
  text *out = &r->spare;
  out->len = 0;
  while (at <= size) {
    int found =
        regex_search(re, from == NULL ? "" : from, size, at, 0, spans, (size_t)c->groups + 1);
    if (found < 0)
      bin_die(&r->s->b, 4, "regex matching gave up: the pattern needs too much time or memory");
    if (found == 0) break;
    bool empty = spans[0].start == spans[0].end;
    if (!(empty && spans[0].start == before)) { /* not the nothing right behind a match */
      if (++count >= c->which) {
        text_add(out, from + copied, (size_t)spans[0].start - copied);
        sed_replace(c, out, from, spans);
        copied = (size_t)spans[0].end;
        any = true;
        if (!c->global) break;
      }
    }
    before = spans[0].end;
    at = (size_t)spans[0].end;
    if (empty) at += at < size ? (r->s->c_locale ? 1 : utf8_step(from + at, size - at)) : 1;
  }
  if (!any) return;
  if (copied < size) text_add(out, from + copied, size - copied);
  text swap = r->space;
  r->space = *out;
  r->spare = swap;
  r->replaced = true;
  if (c->print) put_space(r, r->out);
  if (c->file != NULL)
    put(r, c->file == &r->s->standard ? r->out : c->file, r->space.at, r->space.len, r->newline);
}

static void map(run *r, const sed_command *c) {
  text *out = &r->spare;
  out->len = 0;
  for (size_t i = 0; i < r->space.len;) {
    uint32_t point;
    size_t length = r->s->c_locale ? 0 : utf8_decode(r->space.at + i, r->space.len - i, &point);
    bool byte = length == 0;
    if (byte) point = (unsigned char)r->space.at[i], length = 1;
    size_t k = 0;
    while (k < c->map_count && c->from[k] != point) k++;
    if (k < c->map_count) {
      char bytes[4] = {(char)c->to[k]};
      text_add(out, bytes, byte || r->s->c_locale ? 1 : utf8_encode(c->to[k], bytes));
    } else {
      text_add(out, r->space.at + i, length);
    }
    i += length;
  }
  text swap = r->space;
  r->space = *out;
  r->spare = swap;
}

static void list(run *r, int64_t width) {
  text out = {0};
  size_t column = 0;
  if (width < 0) width = r->s->wrap;
  for (size_t i = 0; i < r->space.len; i++) {
    static const char from[] = "\\\a\b\f\n\r\t\v", to[] = "\\abfnrtv";
    unsigned char c = (unsigned char)r->space.at[i];
    const char *known = c != 0 ? strchr(from, c) : NULL;
    text piece = {0};
    if (known != NULL)
      text_format(&piece, "\\%c", to[known - from]);
    else if (c < 32 || c >= 127)
      text_format(&piece, "\\%03o", c);
    else
      text_char(&piece, (char)c);
    if (width > 1 && column + piece.len > (size_t)width - 1) {
      text_string(&out, "\\\n");
      column = 0;
    }
    text_add(&out, piece.at, piece.len);
    column += piece.len;
    text_free(&piece);
  }
  text_string(&out, "$\n");
  complete_line(r, r->out);
  output_write(r->out->out, out.at, out.len);
  text_free(&out);
}

static void read_one(run *r, const sed_command *c) {
  sed *s = r->s;
  if (r->readers == NULL) {
    r->readers = memory_take(s->reader_count * sizeof *r->readers);
    r->reader_open = memory_take(s->reader_count);
    memset(r->reader_open, 0, s->reader_count);
  }
  input *in = &r->readers[c->reader];
  if (!r->reader_open[c->reader]) {
    r->reader_open[c->reader] = true;
    if (input_open(in, strcmp(c->text, "/dev/stdin") == 0 ? "-" : c->text) < 0)
      *in = (input){.fd = -1, .ended = true};
  }
  char *line;
  size_t size;
  if (!input_until(in, r->mark, &line, &size, NULL)) return;
  char *copy = memory_copy(line, size);
  copy[size] = r->mark;
  enqueue(r, (appended){copy, size + 1, NULL});
}

static void change(run *r, sed_command *c) {
  /* A range is replaced as a whole, when its last line is reached. */
  bool whole = c->second.kind == ADDRESS_NONE || c->negated || !c->active;
  if (whole) {
    complete_line(r, r->out);
    output_write(r->out->out, c->text, c->text_size);
  }
}

static void end_cycle(run *r, bool print) {
  if (print && !r->s->quiet) put_space(r, r->out);
  flush_queue(r);
}

typedef enum { GO_ON, NEXT_CYCLE, RESTART } cycle;

/* n and N at the end of input: GNU prints what there is and ends. */
static bool next_or_quit(run *r, bool printing) {
  if (has_next(r)) return true;
  if (printing && !r->s->posix)
    end_cycle(r, true);
  else
    flush_queue(r);
  r->quit = true;
  return false;
}

static cycle execute(run *r, sed_command *c, size_t *at) {
  sed *s = r->s;
  const char *newline;
  switch (c->name) {
    case '{':
      break;
    case 'a':
      enqueue(r, (appended){c->text, c->text_size, NULL});
      break;
    case 'i':
      complete_line(r, r->out);
      output_write(r->out->out, c->text, c->text_size);
      break;
    case 'c':
      change(r, c);
      r->space.len = 0;
      end_cycle(r, false);
      return NEXT_CYCLE;
    case 'b':
      *at = c->jump;
      break;
    case 't':
      if (r->replaced) *at = c->jump;
      r->replaced = false;
      break;
    case 'T':
      if (!r->replaced) *at = c->jump;
      r->replaced = false;
      break;
    case 'd':
      end_cycle(r, false);
      return NEXT_CYCLE;
    case 'D':
      newline = r->space.len > 0 ? bytes_chr(r->space.at, r->mark, r->space.len) : NULL;
      end_cycle(r, false);
      if (newline == NULL) return NEXT_CYCLE;
      r->space.len -= (size_t)(newline + 1 - r->space.at);
      memmove(r->space.at, newline + 1, r->space.len);
      return RESTART;
    case 'F':
      complete_line(r, r->out);
      output_format(r->out->out, "%s\n", r->name);
      break;
    case 'g':
      r->space.len = 0;
      text_add(&r->space, r->hold.at, r->hold.len);
      break;
    case 'G':
      text_char(&r->space, r->mark);
      text_add(&r->space, r->hold.at, r->hold.len);
      break;
    case 'h':
      r->hold.len = 0;
      text_add(&r->hold, r->space.at, r->space.len);
      break;
    case 'H':
      text_char(&r->hold, r->mark);
      text_add(&r->hold, r->space.at, r->space.len);
      break;
    case 'l':
      list(r, c->number);
      break;
    case 'n':
      if (!next_or_quit(r, true)) return NEXT_CYCLE;
      end_cycle(r, true);
      r->space.len = 0;
      read_line(r);
      break;
    case 'N':
      if (!next_or_quit(r, true)) return NEXT_CYCLE;
      flush_queue(r);
      text_char(&r->space, r->mark);
      read_line(r);
      break;
    case 'p':
      put_space(r, r->out);
      break;
    case 'P':
      newline = r->space.len > 0 ? bytes_chr(r->space.at, r->mark, r->space.len) : NULL;
      put(r, r->out, r->space.at, newline == NULL ? r->space.len : (size_t)(newline - r->space.at),
          true);
      break;
    case 'q':
      r->status = (int)c->number;
      end_cycle(r, true);
      r->quit = true;
      return NEXT_CYCLE;
    case 'Q':
      r->status = (int)c->number;
      r->quit = true;
      return NEXT_CYCLE;
    case 'r':
      enqueue(r, (appended){NULL, 0, c->text});
      break;
    case 'R':
      read_one(r, c);
      break;
    case 's':
      substitute(r, c);
      break;
    case 'w':
      put_space(r, c->file == &s->standard ? r->out : c->file);
      break;
    case 'W':
      newline = r->space.len > 0 ? bytes_chr(r->space.at, '\n', r->space.len) : NULL;
      put(r, c->file, r->space.at, newline == NULL ? r->space.len : (size_t)(newline - r->space.at),
          true);
      break;
    case 'x': {
      text swap = r->space;
      r->space = r->hold;
      r->hold = swap;
      break;
    }
    case 'y':
      map(r, c);
      break;
    case 'z':
      r->space.len = 0;
      break;
    case '=':
      complete_line(r, r->out);
      output_format(r->out->out, "%llu\n", (unsigned long long)r->line);
      break;
    default:
      break; /* : } v # */
  }
  return GO_ON;
}

static cycle run_script(run *r) {
  sed *s = r->s;
  for (size_t at = 0; at < s->count;) {
    sed_command *c = &s->commands[at++];
    if (!is_selected(r, c)) {
      if (c->name == '{') at = c->jump;
      continue;
    }
    cycle result = execute(r, c, &at);
    if (result != GO_ON) return result;
    if ((at & 0xFF) == 0 && kernel_interrupted()) {
      r->quit = true;
      return NEXT_CYCLE;
    }
  }
  end_cycle(r, true);
  return NEXT_CYCLE;
}

static int edit(sed *s, char **files, int count) {
  run r = {.s = s,
           .files = files,
           .file_count = count,
           .out = &s->standard,
           .mark = s->zero ? 0 : '\n',
           .name = "-"};
  text_reserve(&r.space, 256);
  bool restart = false;
  while (!r.quit && s->standard.out->error == 0) {
    if (!restart) {
      r.space.len = 0;
      if (!read_line(&r)) break;
      r.replaced = false;
    }
    restart = run_script(&r) == RESTART;
  }
  if (r.open && r.in.fd == 0 && r.in.end > r.in.start)
    sys_seek(0, -(int64_t)(r.in.end - r.in.start), 1 /* SEEK_CUR */);
  close_file(&r);
  for (sed_file *f = s->files; f != NULL; f = f->next) output_flush(f->out);
  return r.status;
}

static void add_script(text *script, const char *piece, size_t size) {
  if (script->len > 0) text_char(script, '\n');
  text_add(script, piece, size);
}

static int sed_main(int argc, char **argv, char **environment) {
  sed s = {.wrap = 70};
  options o;
  text script = {0};
  bool given = false;
  int expressions = 0;
  const char *from_file = NULL;
  options_start(&o, &s.b, command_find("sed"), argc, argv, environment);
  s.standard = (sed_file){.path = "/dev/stdout", .out = &s.b.out};
  s.c_locale = environment_bytes(environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'n':
        s.quiet = true;
        break;
      case 'e':
        expressions++;
        given = true;
        add_script(&script, o.value, strlen(o.value));
        break;
      case 'f': {
        input in;
        int error = input_open(&in, o.value);
        if (error < 0) bin_die(&s.b, 1, "couldn't open file %s: %s", o.value, error_text(error));
        size_t size;
        char *all = input_all(&in, &size);
        input_close(&in);
        if (size > 0 && all[size - 1] == '\n') size--;
        given = true;
        from_file = o.value;
        add_script(&script, all, size);
        break;
      }
      case 'E':
        s.extended = true;
        break;
      case 'i':
        s.in_place = s.separate = true;
        s.suffix = o.value;
        break;
      case 'l':
        s.wrap = atoi(o.value);
        break;
      case 's':
        s.separate = true;
        break;
      case 'u':
        s.unbuffered = true;
        break;
      case 'z':
        s.zero = true;
        break;
      case OPTION_LONG:
        s.posix |= options_is(&o, "posix");
        break;
      default:
        break;
    }
  }
  int next = 0;
  if (!given) {
    if (o.operand_count == 0) {
      static const char usage[] =
          "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...\n";
      sys_write(2, usage, sizeof usage - 1);
      bin_exit(&s.b, 1);
    }
    add_script(&script, o.operands[0], strlen(o.operands[0]));
    next = 1;
  }
  text_end(&script);
  if (script.len >= 2 && memcmp(script.at, "#n", 2) == 0 &&
      (script.len == 2 || script.at[2] == '\n'))
    s.quiet = true;
  sed_parse(&s, script.at, script.len,
            from_file != NULL && expressions == 0 ? from_file : "-e expression #1");
  sed_parse_end(&s);
  char *standard[] = {"-", NULL};
  bool named = next < o.operand_count;
  int status = edit(&s, named ? o.operands + next : standard, named ? o.operand_count - next : 1);
  int ended = bin_end(&s.b);
  return status != 0 ? status : ended;
}

const command command_sed = {
    .name = "sed",
    .main = sed_main,
    .usage = "sed [OPTION]... {script-only-if-no-other-script} [input-file]...",
    .options =
        "-n, --quiet, --silent\tprint only when told to\n"
        "-e, --expression=SCRIPT\tadd SCRIPT to the commands\n"
        "-f, --file=FILE\tadd what is in FILE to the commands\n"
        "-E, -r, --regexp-extended\textended regular expressions\n"
        "-i[SUFFIX], --in-place[=SUFFIX]\tedit files in place, keeping the old under SUFFIX\n"
        "-l, --line-length=N\twhere the l command wraps\n"
        "--posix\tno extensions where they would matter\n"
        "-b, --binary\tignored\n"
        "-s, --separate\tfiles one by one, not as one stream\n"
        "--sandbox\tignored: there is no e command\n"
        "-u, --unbuffered\tflush after each line\n"
        "-z, --null-data\tlines end with NUL",
    .stack = 262144};
