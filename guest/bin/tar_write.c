// SPDX-License-Identifier: MIT
// tar_write.c -- puts files into an archive, in GNU's format.
#include "path.h"
#include "tar.h"
#include "walk.h"

static void put_octal(char *to, size_t size, uint64_t value) {
  to[size - 1] = 0;
  for (size_t i = size - 1; i > 0; i--, value >>= 3) to[i - 1] = (char)('0' + (value & 7));
}

static void put_size(char *to, uint64_t value) {
  if (value < 1ull << 33) {
    put_octal(to, 12, value);
    return;
  }
  memset(to, 0, 12); /* too large for octal: binary, as GNU marks it */
  to[0] = (char)0x80;
  for (int i = 0; i < 8; i++) to[11 - i] = (char)(value >> (8 * i));
}

static void put_header(tar *t, tar_header *h) {
  memset(h->check, ' ', sizeof h->check);
  uint32_t sum = 0;
  for (size_t i = 0; i < sizeof *h; i++) sum += ((unsigned char *)h)[i];
  put_octal(h->check, 7, sum);
  output_write(&t->out, (const char *)h, sizeof *h);
  t->written += sizeof *h;
}

static void put_padding(tar *t, uint64_t size) {
  static const char zeros[512] = {0};
  if (size % 512 != 0) output_write(&t->out, zeros, 512 - size % 512);
  t->written += (size + 511) / 512 * 512;
}

static void start_header(tar_header *h, const char *name, char kind) {
  memset(h, 0, sizeof *h);
  memcpy(h->name, name, strnlen(name, sizeof h->name));
  memcpy(h->magic, "ustar  ", 8);
  h->kind = kind;
}

/* A name that a header cannot hold comes in a member of its own before it. */
static void put_long(tar *t, const char *name, char kind) {
  tar_header h;
  size_t size = strlen(name) + 1;
  start_header(&h, "././@LongLink", kind);
  put_octal(h.mode, 8, 0644);
  put_octal(h.uid, 8, 0);
  put_octal(h.gid, 8, 0);
  put_size(h.size, size);
  put_octal(h.mtime, 12, 0);
  memcpy(h.user, "root", 4);
  memcpy(h.group, "root", 4);
  put_header(t, &h);
  output_write(&t->out, name, size);
  put_padding(t, size);
}

static void put_content(tar *t, const char *path, uint64_t size) {
  input in;
  int error = input_open(&in, path);
  if (error < 0) tar_error(t, path, error_text(error));
  uint64_t left = size;
  char *at;
  size_t got;
  while (error == 0 && left > 0 && (got = input_some(&in, &at)) > 0) {
    if (got > left) got = (size_t)left;
    output_write(&t->out, at, got);
    left -= got;
  }
  for (; left > 0; left--) output_byte(&t->out, 0); /* it shrank while we read */
  put_padding(t, size);
  if (error == 0) input_close(&in);
}

/* Members do not begin at the root, or above where they are unpacked. */
static const char *member_name(tar *t, const char *path) {
  if (t->absolute) return path;
  const char *name = path;
  while (*name == '/') name++;
  for (const char *at = name; (at = strstr(at, "../")) != NULL;) {
    if (at == name || at[-1] == '/') name = at + 3;
    at += 3;
  }
  while (*name == '/') name++;
  if (name != path && !t->warned_absolute) {
    bin_warn(&t->b, "Removing leading `%.*s' from member names", (int)(name - path), path);
    t->warned_absolute = true;
  }
  return *name == 0 ? "./" : name;
}

typedef struct tar_named {
  uint64_t inode;
  char *name;
} tar_named;

/* The member that another name of the same file has become; NULL: this is the first. */
static const char *earlier_name(tar *t, const file_stat *stat, const char *name) {
  if (stat->kind != FILE_REGULAR || stat->links < 2) return NULL;
  for (size_t i = 0; i < t->named_count; i++)
    if (t->named[i].inode == stat->inode) return t->named[i].name;
  if ((t->named_count & (t->named_count - 1)) == 0)
    t->named = memory_resize(t->named, (t->named_count * 2 + 1) * sizeof *t->named);
  t->named[t->named_count++] = (tar_named){stat->inode, memory_string(name)};
  return NULL;
}

static void put_member(tar *t, const char *path, const file_stat *stat) {
  tar_header h;
  text name = {0};
  bool folder = stat->kind == FILE_DIRECTORY, link = stat->kind == FILE_LINK;
  text_string(&name, member_name(t, path));
  if (folder && name.len > 0 && name.at[name.len - 1] != '/') text_char(&name, '/');
  text_end(&name);
  char symbolic[4097];
  int64_t target_size = link ? sys_readlink(path, symbolic, 4096) : 0;
  symbolic[target_size < 0 ? 0 : target_size] = 0;
  const char *same = earlier_name(t, stat, name.at), *target = same != NULL ? same : symbolic;
  if (strlen(target) > 100) put_long(t, target, 'K');
  if (name.len > 100) put_long(t, name.at, 'L');
  start_header(&h, name.at, folder ? '5' : link ? '2' : same != NULL ? '1' : '0');
  memcpy(h.link, target, strnlen(target, sizeof h.link));
  uint64_t size = stat->kind == FILE_REGULAR && same == NULL ? stat->size : 0;
  put_octal(h.mode, 8, stat->mode);
  put_octal(h.uid, 8, 0);
  put_octal(h.gid, 8, 0);
  put_size(h.size, size);
  put_octal(h.mtime, 12, (uint64_t)(stat->mtime / 1000000000));
  memcpy(h.user, "root", 4);
  memcpy(h.group, "root", 4);
  put_header(t, &h);
  if (size > 0) put_content(t, path, size);
  if (t->verbose > 0) output_format(&t->b.out, "%s\n", name.at);
  text_free(&name);
}

static void put_tree(tar *t, const char *start) {
  walk w;
  walk_event event;
  walk_start(&w, start, t->follow);
  w.follow = t->follow;
  while (walk_next(&w, &event) && t->out.error == 0) {
    if (event == WALK_ERROR) {
      text why = {0};
      text_format(&why, "Cannot %s: %s", w.reading_folder ? "open" : "stat", error_text(w.error));
      tar_error(t, w.path, text_end(&why));
    } else if (event == WALK_LEAVE) {
      continue;
    } else if (tar_excluded(t, w.path)) {
      w.skip = event == WALK_ENTER;
    } else if (w.stat.kind == FILE_REGULAR || w.stat.kind == FILE_DIRECTORY ||
               w.stat.kind == FILE_LINK) {
      put_member(t, w.path, &w.stat);
    }
  }
}

void tar_create(tar *t) {
  static const char zeros[512] = {0};
  if (t->operand_count == 0) bin_usage(&t->b, "Cowardly refusing to create an empty archive");
  for (int i = 0; i < t->operand_count; i++) {
    if (strcmp(t->operands[i], "-C") == 0 && i + 1 < t->operand_count) {
      int error = sys_chdir(t->operands[++i]);
      if (error < 0) bin_die(&t->b, 2, "%s: Cannot open: %s", t->operands[i], error_text(error));
      continue;
    }
    size_t size = strlen(t->operands[i]);
    while (size > 1 && t->operands[i][size - 1] == '/') size--;
    put_tree(t, memory_copy(t->operands[i], size));
  }
  for (int i = 0; i < 2 || t->written % 10240 != 0; i++) { /* two, and up to a whole record */
    output_write(&t->out, zeros, sizeof zeros);
    t->written += sizeof zeros;
  }
  output_flush(&t->out);
  if (t->out.error != 0 && t->out.error != EPIPE)
    bin_die(&t->b, 2, "Cannot write: %s", error_text(t->out.error));
}
