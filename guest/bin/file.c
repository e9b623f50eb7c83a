// SPDX-License-Identifier: MIT
/* file.c -- tell what files hold, by their content. Common kinds of archives, images, sound, data
 * and programs, and text with its encoding, its line ends and, for some languages, their name. */
#include "file.h"
#include "../text/unicode.h"
#include "options.h"

typedef struct {
  bin b;
  bool brief, mime_type, mime_encoding, follow, pad;
  const char *separator;
  size_t width;
} file;

static void put(file *f, const verdict *v) {
  output *out = &f->b.out;
  if (f->mime_type) output_string(out, v->mime);
  if (f->mime_type && f->mime_encoding && v->charset != NULL) output_string(out, "; charset=");
  if (f->mime_encoding && v->charset != NULL) output_string(out, v->charset);
  if (!f->mime_type && !f->mime_encoding) output_write(out, v->words.at, v->words.len);
}

static void put_name(file *f, const char *name) {
  if (f->brief) return;
  output_format(&f->b.out, "%s%s", name, f->separator);
  size_t width = utf8_count(name, strlen(name));
  for (size_t i = width; f->pad && i < f->width; i++) output_byte(&f->b.out, ' ');
  output_byte(&f->b.out, ' ');
}

static void look_at_content(const char *path, verdict *v) {
  input in;
  int error = input_open(&in, path);
  if (error < 0) {
    text_format(&v->words, "cannot open `%s' (%s)", path, error_text(error));
    v->mime = text_end(&v->words);
    return;
  }
  file_stat stat;
  content c = {.fd = in.fd};
  if (sys_fstat(in.fd, &stat) == 0 && stat.kind == FILE_REGULAR) c.whole = stat.size;
  char *at;
  size_t size = input_peek(&in, FILE_HEAD, &at);
  c.size = size < FILE_HEAD ? size : FILE_HEAD;
  c.at = (unsigned char *)memory_copy(size > 0 ? at : "", c.size);
  v->charset = "binary";
  if (c.size == 0) {
    text_string(&v->words, "empty");
    v->mime = "inode/x-empty";
  } else if (file_is_binary(&c, v)) {
    v->charset = file_charset(&c);
  } else {
    file_is_text(&c, v);
  }
  input_close(&in);
}

/* A link, a folder and the like; false for what has content. */
static bool look_at_inode(file *f, const char *path, verdict *v) {
  file_stat stat, target;
  char link[4096];
  int error = f->follow ? sys_stat(path, &stat) : sys_lstat(path, &stat);
  v->charset = "binary";
  if (error < 0) {
    text_format(&v->words, "cannot open `%s' (%s)", path, error_text(error));
    v->mime = text_end(&v->words);
    v->charset = NULL;
    return true;
  }
  if (stat.kind == FILE_DIRECTORY) {
    text_string(&v->words, "directory");
    v->mime = "inode/directory";
    return true;
  }
  if (stat.kind == FILE_LINK) {
    int64_t size = sys_readlink(path, link, sizeof link);
    bool broken = sys_stat(path, &target) < 0;
    text_format(&v->words, "%ssymbolic link to %.*s", broken ? "broken " : "",
                (int)(size < 0 ? 0 : size), link);
    v->mime = "inode/symlink";
    if (broken) v->charset = NULL;
    return true;
  }
  if (stat.kind != FILE_DEVICE && stat.kind != FILE_PIPE) return false;
  text_string(&v->words, stat.kind == FILE_PIPE ? "fifo (named pipe)" : "character special");
  v->mime = stat.kind == FILE_PIPE ? "inode/fifo" : "inode/chardevice";
  return true;
}

static void tell(file *f, const char *path) {
  verdict v = {0};
  bool standard = strcmp(path, "-") == 0;
  put_name(f, standard ? "/dev/stdin" : path);
  if (standard || !look_at_inode(f, path, &v)) look_at_content(path, &v);
  put(f, &v);
  output_byte(&f->b.out, '\n');
  text_free(&v.words);
}

typedef struct {
  char **at;
  size_t count, room;
} names;

static void add_name(names *n, char *name) {
  if (n->count == n->room) {
    n->room = n->room * 2 + 16;
    n->at = memory_resize(n->at, n->room * sizeof *n->at);
  }
  n->at[n->count++] = name;
}

static void add_names(file *f, names *n, const char *path) {
  input in;
  char *line;
  size_t size;
  if (!bin_open(&f->b, &in, path)) bin_exit(&f->b, 1);
  while (input_line(&in, &line, &size, NULL)) add_name(n, memory_copy(line, size));
  input_close(&in);
}

static int file_main(int argc, char **argv, char **environment) {
  file f = {.separator = ":", .pad = true};
  options o;
  names all = {0};
  options_start(&o, &f.b, command_find("file"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'b':
        f.brief = true;
        break;
      case 'i':
        f.mime_type = f.mime_encoding = true;
        break;
      case 'L':
        f.follow = true;
        break;
      case 'h':
        f.follow = false;
        break;
      case 'N':
        f.pad = false;
        break;
      case 'F':
        f.separator = o.value;
        break;
      case 'f':
        add_names(&f, &all, o.value);
        break;
      default:
        f.mime_type |= options_is(&o, "mime-type");
        f.mime_encoding |= options_is(&o, "mime-encoding");
        break;
    }
  }
  for (int i = 0; i < o.operand_count; i++) add_name(&all, o.operands[i]);
  if (all.count == 0) bin_usage(&f.b, NULL);
  for (size_t i = 0; i < all.count; i++) {
    size_t width = utf8_count(all.at[i], strlen(all.at[i]));
    if (width > f.width) f.width = width;
  }
  for (size_t i = 0; i < all.count; i++) tell(&f, all.at[i]);
  return bin_end(&f.b);
}

const command command_file = {.name = "file",
                              .main = file_main,
                              .usage = "file [OPTION]... FILE...",
                              .options =
                                  "-b, --brief\twithout the names\n"
                                  "-F, --separator=STRING\tSTRING behind a name instead of :\n"
                                  "-f, --files-from=FILE\tthe names in FILE, one a line\n"
                                  "-h, --no-dereference\tsay that a link is one (as usual)\n"
                                  "-i, --mime\tas a MIME type, with the character set\n"
                                  "--mime-type\tthe MIME type\n"
                                  "--mime-encoding\tthe character set\n"
                                  "-k, --keep-going\tignored\n"
                                  "-L, --dereference\tfollow links\n"
                                  "-N, --no-pad\tdo not align what is told\n"
                                  "-s, --special-files\tignored"};
