// SPDX-License-Identifier: MIT
/* fmt.c -- fill paragraphs. Lines are broken where the sum of costs over the paragraph is least:
 * uneven lines, lines that end behind a short word and the like cost, ends of sentences earn. The
 * costs are GNU's, since scripts compare the result. */
#include "options.h"

#define MAX_WORDS 1000
#define MAX_CHARS 5000
#define END (-1)
typedef long long cost;
#define MAX_COST INT64_MAX

typedef struct word {
  const char *at;
  int size, space, width; /* space behind it; width of the line that it begins */
  bool paren, period, punct, final;
  cost best;
  struct word *next; /* where the line that it begins ends */
} word;

typedef struct {
  bin b;
  input in;
  bool crown, tagged, split, uniform;
  int max, goal;
  const char *prefix;
  int prefix_size, prefix_full, prefix_lead;
  char chars[MAX_CHARS];
  word words[MAX_WORDS + 1];
  char *next_char;
  word *limit;
  int column, out_column, first_indent, other_indent, prefix_indent, next_prefix_indent, last_width;
  bool tabs;
  int pending; /* the character that starts the next paragraph */
} fmt;

static cost square(cost n) {
  return n * n;
}

static void put_space(fmt *f, int space) {
  int target = f->out_column + space;
  if (f->tabs) {
    int tab = target / 8 * 8;
    if (f->out_column + 1 < tab) {
      while (f->out_column < tab) {
        output_byte(&f->b.out, '\t');
        f->out_column = (f->out_column / 8 + 1) * 8;
      }
    }
  }
  while (f->out_column < target) {
    output_byte(&f->b.out, ' ');
    f->out_column++;
  }
}

static void put_line(fmt *f, word *w, int indent) {
  f->out_column = 0;
  put_space(f, f->prefix_indent);
  output_string(&f->b.out, f->prefix);
  f->out_column += f->prefix_size;
  put_space(f, indent - f->out_column);
  for (word *last = w->next - 1;; w++) {
    output_write(&f->b.out, w->at, (size_t)w->size);
    f->out_column += w->size;
    if (w == last) break;
    put_space(f, w->space);
  }
  f->last_width = f->out_column;
  output_byte(&f->b.out, '\n');
}

static void put_paragraph(fmt *f, word *end) {
  put_line(f, f->words, f->first_indent);
  for (word *w = f->words->next; w != end; w = w->next) put_line(f, w, f->other_indent);
}

/* What it costs to begin a line here. */
static cost base_cost(const fmt *f, const word *w) {
  cost c = square(70);
  if (w > f->words) {
    if (w[-1].period) {
      if (w[-1].final)
        c -= square(50);
      else
        c += square(600);
    } else if (w[-1].punct) {
      c -= square(40);
    } else if (w > f->words + 1 && w[-2].final) {
      c += square(200) / (w[-1].size + 2);
    }
  }
  if (w->paren)
    c -= square(40);
  else if (w->final)
    c += square(150) / (w->size + 2);
  return c;
}

static cost line_cost(const fmt *f, const word *next, int width) {
  if (next == f->limit) return 0;
  cost c = square((cost)(f->goal - width) * 10);
  if (next->next != f->limit) c += square((cost)(width - next->width) * 10) / 2;
  return c;
}

static void find_breaks(fmt *f) {
  f->limit->best = 0;
  int saved = f->limit->size;
  f->limit->size = f->max;
  for (word *start = f->limit - 1; start >= f->words; start--) {
    cost best = MAX_COST;
    int width = (start == f->words ? f->first_indent : f->other_indent) + start->size;
    for (word *w = start;;) {
      w++;
      cost c = line_cost(f, w, width) + w->best;
      if (start == f->words && f->last_width > 0)
        c += square((cost)(width - f->last_width) * 10) / 2;
      if (c < best) {
        best = c;
        start->next = w;
        start->width = width;
      }
      if (w == f->limit) break;
      width += w[-1].space + w->size;
      if (width >= f->max) break;
    }
    start->best = best + base_cost(f, start);
  }
  f->limit->size = saved;
}

/* Too much for one paragraph: prints what can be broken off well, keeps the rest. */
static void flush_paragraph(fmt *f) {
  if (f->limit == f->words) {
    output_write(&f->b.out, f->chars, (size_t)(f->next_char - f->chars));
    f->next_char = f->chars;
    return;
  }
  find_breaks(f);
  word *split = f->limit;
  cost best = MAX_COST;
  for (word *w = f->words->next; w != f->limit; w = w->next) {
    if (w->best - w->next->best < best) {
      split = w;
      best = w->best - w->next->best;
    }
    if (best <= MAX_COST - square(3)) best += square(3);
  }
  put_paragraph(f, split);
  size_t kept = (size_t)(f->next_char - split->at), shift = (size_t)(split->at - f->chars);
  memmove(f->chars, split->at, kept);
  f->next_char -= shift;
  for (word *w = split; w <= f->limit; w++) w->at -= shift;
  memmove(f->words, split, (size_t)(f->limit - split + 1) * sizeof *split);
  f->limit -= split - f->words;
}

static void set_other_indent(fmt *f, bool same) {
  if (f->split) {
    f->other_indent = f->first_indent;
  } else if (f->crown) {
    f->other_indent = same ? f->column : f->first_indent;
  } else if (f->tagged) {
    if (same && f->column != f->first_indent)
      f->other_indent = f->column;
    else if (f->other_indent == f->first_indent)
      f->other_indent = f->first_indent == 0 ? 3 : 0;
  } else {
    f->other_indent = f->first_indent;
  }
}

static int read_space(fmt *f, int c) {
  for (;; c = input_byte(&f->in)) {
    if (c == ' ') {
      f->column++;
    } else if (c == '\t') {
      f->tabs = true;
      f->column = (f->column / 8 + 1) * 8;
    } else {
      return c;
    }
  }
}

static int read_prefix(fmt *f) {
  f->column = 0;
  int c = read_space(f, input_byte(&f->in));
  if (f->prefix_size == 0) {
    f->next_prefix_indent = f->prefix_lead < f->column ? f->prefix_lead : f->column;
    return c;
  }
  f->next_prefix_indent = f->column;
  for (const char *at = f->prefix; *at != 0; at++) {
    if (c != (unsigned char)*at) return c;
    f->column++;
    c = input_byte(&f->in);
  }
  return read_space(f, c);
}

static bool is_space(int c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static void look_at(word *w) {
  const char *first = w->at, *last = first + w->size - 1;
  unsigned char end = (unsigned char)*last;
  w->paren = strchr("(['`\"", *first) != NULL;
  w->punct = end > ' ' && end < 127 && !(end >= '0' && end <= '9') &&
             !((end | 32) >= 'a' && (end | 32) <= 'z');
  while (first < last && strchr(")]'\"", *last) != NULL) last--;
  w->period = strchr(".?!", *last) != NULL;
}

static int read_line(fmt *f, int c) {
  do {
    f->limit->at = f->next_char;
    do {
      if (f->next_char == f->chars + MAX_CHARS) {
        set_other_indent(f, true);
        flush_paragraph(f);
      }
      *f->next_char++ = (char)c;
      c = input_byte(&f->in);
    } while (c != END && !is_space(c));
    f->limit->size = (int)(f->next_char - f->limit->at);
    f->column += f->limit->size;
    look_at(f->limit);
    int start = f->column;
    c = read_space(f, c);
    f->limit->space = f->column - start;
    f->limit->final = c == END || (f->limit->period && (c == '\n' || f->limit->space > 1));
    if (c == '\n' || c == END || f->uniform) f->limit->space = f->limit->final ? 2 : 1;
    if (f->limit == f->words + MAX_WORDS - 2) {
      set_other_indent(f, true);
      flush_paragraph(f);
    }
    f->limit++;
  } while (c != '\n' && c != END);
  return read_prefix(f);
}

static int copy_rest(fmt *f, int c) {
  f->out_column = 0;
  if (f->column > f->next_prefix_indent || (c != '\n' && c != END)) {
    put_space(f, f->next_prefix_indent);
    for (const char *at = f->prefix; f->out_column != f->column && *at != 0; f->out_column++)
      output_byte(&f->b.out, *at++);
    if (c != END && c != '\n') put_space(f, f->column - f->out_column);
    if (c == END && f->column >= f->next_prefix_indent + f->prefix_size)
      output_byte(&f->b.out, '\n');
  }
  for (; c != '\n' && c != END; c = input_byte(&f->in)) output_byte(&f->b.out, c);
  return c;
}

static bool is_same_paragraph(const fmt *f, int c) {
  return f->next_prefix_indent == f->prefix_indent &&
         f->column >= f->next_prefix_indent + f->prefix_full && c != '\n' && c != END;
}

static bool read_paragraph(fmt *f) {
  f->last_width = 0;
  int c = f->pending;
  while (c == '\n' || c == END || f->next_prefix_indent < f->prefix_lead ||
         f->column < f->next_prefix_indent + f->prefix_full) {
    c = copy_rest(f, c);
    if (c == END) {
      f->pending = END;
      return false;
    }
    output_byte(&f->b.out, '\n');
    c = read_prefix(f);
  }
  f->prefix_indent = f->next_prefix_indent;
  f->first_indent = f->column;
  f->next_char = f->chars;
  f->limit = f->words;
  c = read_line(f, c);
  set_other_indent(f, is_same_paragraph(f, c));
  bool more = !f->split && is_same_paragraph(f, c);
  if (f->tagged && !f->crown) more = more && f->column != f->first_indent;
  if (f->crown) {
    if (more) {
      do c = read_line(f, c);
      while (is_same_paragraph(f, c) && f->column == f->other_indent);
    }
  } else {
    while (more && is_same_paragraph(f, c) && f->column == f->other_indent) c = read_line(f, c);
  }
  f->limit[-1].period = f->limit[-1].final = true;
  f->pending = c;
  return true;
}

static void fill(fmt *f) {
  f->tabs = false;
  f->other_indent = 0;
  f->pending = read_prefix(f);
  while (read_paragraph(f) && f->b.out.error == 0) {
    find_breaks(f);
    put_paragraph(f, f->limit);
  }
}

static void set_prefix(fmt *f, char *at) {
  f->prefix_lead = 0;
  for (; *at == ' '; at++) f->prefix_lead++;
  f->prefix_full = (int)strlen(at);
  char *end = at + f->prefix_full;
  while (end > at && end[-1] == ' ') end--;
  *end = 0;
  f->prefix_size = (int)(end - at);
  f->prefix = at;
}

static int width_option(options *o) {
  uint64_t value;
  if (number_parse(o->value, NULL, &value) != 0)
    bin_die(o->bin, 1, "invalid width: %s", quote_curly(o->value));
  if (value > MAX_CHARS / 2)
    bin_die(o->bin, 1, "invalid width: %s: %s", quote_curly(o->value), error_text(ERANGE));
  return (int)value;
}

static int fmt_main(int argc, char **argv, char **environment) {
  fmt *f = memory_take(sizeof *f);
  memset(f, 0, sizeof *f);
  f->max = 75;
  f->prefix = "";
  options o;
  bool width = false, goal = false;
  if (argc > 1 && argv[1][0] == '-' && argv[1][1] >= '0' && argv[1][1] <= '9') { /* -WIDTH */
    text word = {0};
    text_format(&word, "-w%s", argv[1] + 1);
    argv[1] = text_end(&word);
  }
  options_start(&o, &f->b, command_find("fmt"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'c':
        f->crown = true;
        break;
      case 's':
        f->split = true;
        break;
      case 't':
        f->tagged = true;
        break;
      case 'u':
        f->uniform = true;
        break;
      case 'p':
        set_prefix(f, memory_string(o.value));
        break;
      case 'w':
        f->max = width_option(&o);
        width = true;
        break;
      case 'g':
        f->goal = width_option(&o);
        goal = true;
        break;
      default:
        break;
    }
  }
  if (goal && !width) f->max = f->goal + 10;
  if (goal && f->goal > f->max)
    bin_die(&f->b, 1, "invalid width: %s: %s", quote_curly(""), error_text(ERANGE));
  if (!goal) f->goal = f->max * 187 / 200;
  char *standard[] = {"-", NULL};
  char **files = o.operand_count > 0 ? o.operands : standard;
  for (; *files != NULL; files++) {
    int error = input_open(&f->in, *files);
    if (error < 0) {
      bin_error(&f->b, "cannot open %s for reading: %s", quote_always(*files), error_text(error));
      continue;
    }
    fill(f);
    bin_check_read(&f->b, &f->in, *files);
    input_close(&f->in);
  }
  return bin_end(&f->b);
}

const command command_fmt = {
    .name = "fmt",
    .main = fmt_main,
    .usage = "fmt [-WIDTH] [OPTION]... [FILE]...",
    .options =
        "-c, --crown-margin\tkeep the indentation of the first two lines\n"
        "-g, --goal=WIDTH\twhat lines should come near\n"
        "-p, --prefix=STRING\tonly lines that begin with STRING\n"
        "-s, --split-only\tsplit long lines, do not join\n"
        "-t, --tagged-paragraph\tthe first line's indentation is its own\n"
        "-u, --uniform-spacing\tone space between words, two after sentences\n"
        "-w, --width=WIDTH\tat most, 75 without"};
