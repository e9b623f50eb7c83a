// SPDX-License-Identifier: MIT
// tar_read.c -- lists an archive or unpacks it: old, POSIX (with pax headers) and GNU formats.
#include "filemode.h"
#include "glob.h"
#include "path.h"
#include "tar.h"

typedef struct {
  text name, link;
  uint64_t size, mode;
  int64_t mtime;
  char kind;
  bool sparse; /* GNU's: the content is only what lies between holes */
  char owner[33], group[33];
} member;

static uint64_t take_number(const char *at, size_t size) {
  uint64_t value = 0;
  if ((unsigned char)*at & 0x80) {
    value = (unsigned char)*at & 0x7F;
    for (size_t i = 1; i < size; i++) value = value << 8 | (unsigned char)at[i];
    return value;
  }
  for (size_t i = 0; i < size && at[i] != 0; i++) {
    if (at[i] >= '0' && at[i] <= '7') value = value * 8 + (uint64_t)(at[i] - '0');
  }
  return value;
}

static bool has_right_sum(const tar_header *h) {
  uint32_t sum = 0;
  const unsigned char *at = (const unsigned char *)h;
  for (size_t i = 0; i < sizeof *h; i++) sum += i >= 148 && i < 156 ? ' ' : at[i];
  return sum == take_number(h->check, sizeof h->check);
}

static void set_text(text *to, const char *at, size_t most) {
  to->len = 0;
  text_add(to, at, strnlen(at, most));
  text_end(to);
}

static void skip(tar *t, uint64_t size) {
  size = (size + 511) / 512 * 512;
  char *at;
  while (size > 0) {
    size_t got = input_peek(&t->in, 1, &at);
    if (got == 0) return;
    if (got > size) got = (size_t)size;
    input_take(&t->in, got);
    size -= got;
  }
}

/* The content of a member that describes the next one. */
static char *take_content(tar *t, uint64_t size) {
  char *at;
  if (size > 1u << 20) bin_die(&t->b, 2, "a name in the archive is too long");
  size_t whole = (size_t)(size + 511) / 512 * 512;
  if (input_peek(&t->in, whole, &at) < whole) bin_die(&t->b, 2, "Unexpected EOF in archive");
  char *copy = memory_copy(at, (size_t)size);
  input_take(&t->in, whole);
  return copy;
}

/* "LENGTH KEY=VALUE\n" records of a pax header. */
static void read_pax(const char *at, size_t size, member *m, bool *named, bool *linked,
                     bool *sized) {
  const char *end = at + size;
  while (at < end) {
    char *behind;
    size_t length = strtoul(at, &behind, 10);
    if (length == 0 || length > (size_t)(end - at) || *behind != ' ') return;
    const char *key = behind + 1, *stop = at + length - 1,
               *equals = memchr(key, '=', (size_t)(stop - key));
    if (equals == NULL) return;
    size_t name = (size_t)(equals - key), value = (size_t)(stop - equals - 1);
    if (name > 11 && memcmp(key, "GNU.sparse.", 11) == 0) {
      m->sparse = true;
      if (name == 15 && memcmp(key + 11, "name", 4) == 0) {
        set_text(&m->name, equals + 1, value);
        *named = true;
      }
    } else if (name == 4 && m->sparse && memcmp(key, "path", 4) == 0) {
      /* a stand-in, for those that do not know of holes */
    } else if (name == 4 && memcmp(key, "path", 4) == 0) {
      set_text(&m->name, equals + 1, value);
      *named = true;
    } else if (name == 8 && memcmp(key, "linkpath", 8) == 0) {
      set_text(&m->link, equals + 1, value);
      *linked = true;
    } else if (name == 4 && memcmp(key, "size", 4) == 0) {
      m->size = strtoull(equals + 1, NULL, 10);
      *sized = true;
    }
    at += length;
  }
}

/* The rest of the list of holes, in blocks of its own. */
static void skip_holes(tar *t, bool more) {
  char *at;
  while (more && input_peek(&t->in, 512, &at) >= 512) {
    more = at[504] != 0;
    input_take(&t->in, 512);
  }
}

/* The next member's description; false at the end. */
static bool next_member(tar *t, member *m) {
  bool named = false, linked = false, sized = false;
  uint64_t pax_size = 0;
  m->sparse = false;
  for (;;) {
    char *at;
    size_t have = input_peek(&t->in, 512, &at);
    if (have == 0) return false;
    if (have < 512) bin_die(&t->b, 2, "Unexpected EOF in archive");
    tar_header h;
    memcpy(&h, at, sizeof h);
    input_take(&t->in, 512);
    if (h.name[0] == 0 && take_number(h.check, 8) == 0) return false;
    if (!has_right_sum(&h)) bin_die(&t->b, 2, "This does not look like a tar archive");
    uint64_t size = take_number(h.size, sizeof h.size);
    if (h.kind == 'L' || h.kind == 'K') {
      char *content = take_content(t, size);
      set_text(h.kind == 'L' ? &m->name : &m->link, content, (size_t)size);
      *(h.kind == 'L' ? &named : &linked) = true;
      continue;
    }
    if (h.kind == 'x' || h.kind == 'g') {
      char *content = take_content(t, size);
      if (h.kind == 'x') read_pax(content, (size_t)size, m, &named, &linked, &sized);
      pax_size = m->size;
      continue;
    }
    m->size = sized ? pax_size : size;
    m->mode = take_number(h.mode, sizeof h.mode) & 07777;
    m->mtime = (int64_t)take_number(h.mtime, sizeof h.mtime);
    m->kind = h.kind == 0 ? '0' : h.kind;
    if (h.kind == 'S') {
      m->sparse = true;
      skip_holes(t, ((const char *)&h)[482] != 0);
    }
    memcpy(m->owner, h.user, 32);
    memcpy(m->group, h.group, 32);
    if (!linked) set_text(&m->link, h.link, sizeof h.link);
    if (!named) {
      set_text(&m->name, h.name, sizeof h.name);
      if (memcmp(h.magic, "ustar\0", 6) == 0 && h.prefix[0] != 0) {
        text whole = {0};
        text_format(&whole, "%.155s/%s", h.prefix, m->name.at);
        set_text(&m->name, text_end(&whole), whole.len);
        text_free(&whole);
      }
    }
    size_t last = m->name.len;
    if (m->kind == '0' && last > 0 && m->name.at[last - 1] == '/') m->kind = '5';
    return true;
  }
}

static bool is_wanted(tar *t, const char *name) {
  if (t->operand_count == 0) return true;
  size_t size = strlen(name);
  while (size > 1 && name[size - 1] == '/') size--;
  for (int i = 0; i < t->operand_count; i++) {
    const char *operand = t->operands[i];
    size_t own = strlen(operand);
    while (own > 1 && operand[own - 1] == '/') own--;
    bool below =
        size >= own && memcmp(name, operand, own) == 0 && (size == own || name[own] == '/');
    if (below || (t->wildcards && glob_match(operand, memory_copy(name, size), GLOB_LEADING))) {
      t->seen[i] = true;
      return true;
    }
  }
  return false;
}

static void show(tar *t, output *out, const member *m, bool details) {
  if (details) {
    char mode[11];
    file_kind kind = m->kind == '5' ? FILE_DIRECTORY : m->kind == '2' ? FILE_LINK : FILE_REGULAR;
    filemode_text(kind, (uint32_t)m->mode, mode);
    if (m->kind == '1') mode[0] = 'h';
    time_parts parts;
    text time = {0}, owner = {0}, size = {0};
    time_split(m->mtime, 0, &t->zone, &parts);
    time_format(&time, "%Y-%m-%d %H:%M", 14, &parts, m->mtime);
    text_format(&owner, "%s/%s", m->owner, m->group);
    text_format(&size, "%llu", (unsigned long long)(m->kind == '0' ? m->size : 0));
    int width = 19 - (int)owner.len;
    output_format(out, "%s %s %*s %s ", mode, text_end(&owner),
                  width > (int)size.len ? width - 1 : (int)size.len, text_end(&size),
                  text_end(&time));
  }
  output_string(out, m->name.at);
  if (details && m->kind == '2') output_format(out, " -> %s", m->link.at);
  if (details && m->kind == '1') output_format(out, " link to %s", m->link.at);
  output_byte(out, '\n');
}

static void make_parents(const char *path) {
  char *copy = memory_string(path);
  for (char *at = copy + 1; *at != 0; at++) {
    if (*at != '/') continue;
    *at = 0;
    sys_mkdir(copy, 0777);
    *at = '/';
  }
  free(copy);
}

/* The name under which a member is unpacked; NULL: not at all. */
static const char *target_name(tar *t, const member *m) {
  const char *name = m->name.at;
  for (const char *at = name; (at = strstr(at, "..")) != NULL; at += 2) {
    if ((at == name || at[-1] == '/') && (at[2] == 0 || at[2] == '/') && !t->absolute) {
      tar_error(t, name, "Member name contains '..'");
      return NULL;
    }
  }
  if (!t->absolute && *name == '/') {
    if (!t->warned_absolute) bin_warn(&t->b, "Removing leading `/' from member names");
    t->warned_absolute = true;
    while (*name == '/') name++;
  }
  for (size_t i = 0; i < t->strip; i++) {
    const char *slash = strchr(name, '/');
    if (slash == NULL) return NULL;
    name = slash + 1;
    while (*name == '/') name++;
  }
  return *name == 0 ? NULL : name;
}

static void copy_content(tar *t, const member *m, output *out) {
  uint64_t left = m->size;
  char *at;
  while (left > 0) {
    size_t got = input_peek(&t->in, 1, &at);
    if (got == 0) bin_die(&t->b, 2, "Unexpected EOF in archive");
    if (got > left) got = (size_t)left;
    output_write(out, at, got);
    input_take(&t->in, got);
    left -= got;
  }
  size_t pad = (512 - m->size % 512) % 512;
  if (pad > 0 && input_peek(&t->in, pad, &at) >= pad) input_take(&t->in, pad);
}

static void failed(tar *t, const char *name, const char *what, int error) {
  text why = {0};
  text_format(&why, "Cannot %s: %s", what, error_text(error));
  tar_error(t, name, text_end(&why));
}

static void unpack_file(tar *t, const member *m, const char *name) {
  int how = OPEN_WRITE | OPEN_CREATE | (t->keep_old ? OPEN_EXCLUSIVE : OPEN_TRUNCATE);
  if (!t->keep_old) sys_unlink(name);
  int fd = sys_open(name, how, (uint32_t)m->mode & 0777);
  if (fd == -ENOENT) {
    make_parents(name);
    fd = sys_open(name, how, (uint32_t)m->mode & 0777);
  }
  if (fd < 0) {
    failed(t, name, "open", fd);
    skip(t, m->size);
    return;
  }
  output out;
  output_open_fd(&out, fd);
  copy_content(t, m, &out);
  output_flush(&out);
  if (out.error != 0) failed(t, name, "write", out.error);
  free(out.buffer);
  sys_close(fd);
  sys_chmod(name, t->preserve ? (uint32_t)m->mode : (uint32_t)m->mode & 0777);
  if (!t->no_mtime) sys_utimes(name, kernel_now(), m->mtime * 1000000000, true);
}

static void unpack(tar *t, const member *m, const char *name) {
  int error = 0;
  if (m->sparse) {
    tar_error(t, name, "a sparse file, which is not unpacked here; pack it without --sparse");
    skip(t, m->size);
  } else if (m->kind == '5') {
    error = sys_mkdir(name, 0777);
    if (error == -ENOENT) make_parents(name), error = sys_mkdir(name, 0777);
    if (error == -EEXIST) error = 0;
    if (error < 0)
      failed(t, name, "mkdir", error);
    else
      sys_chmod(name, (uint32_t)m->mode & 0777);
    skip(t, m->size);
  } else if (m->kind == '2' || m->kind == '1') {
    bool symbolic = m->kind == '2';
    make_parents(name);
    if (!t->keep_old) sys_unlink(name);
    error = symbolic ? sys_symlink(m->link.at, name) : sys_link(m->link.at, name);
    if (error < 0) failed(t, name, symbolic ? "create symlink" : "hard link", error);
    skip(t, m->size);
  } else if (m->kind == '0' || m->kind == '7') {
    unpack_file(t, m, name);
  } else {
    skip(t, m->size); /* a device, or what we do not know */
  }
}

void tar_read(tar *t, bool extract) {
  member m = {0};
  t->seen = memory_take((size_t)t->operand_count + 1);
  memset(t->seen, 0, (size_t)t->operand_count + 1);
  while (next_member(t, &m)) {
    bool wanted = is_wanted(t, m.name.at) && !tar_excluded(t, m.name.at);
    const char *name = wanted && extract ? target_name(t, &m) : NULL;
    if (wanted && !extract) show(t, &t->b.out, &m, t->verbose > 0);
    if (name != NULL && t->verbose > 0 && !t->to_standard) show(t, &t->b.out, &m, t->verbose > 1);
    if (name != NULL && t->to_standard && !m.sparse && (m.kind == '0' || m.kind == '7'))
      copy_content(t, &m, &t->b.out);
    else if (name != NULL && !t->to_standard)
      unpack(t, &m, name);
    else
      skip(t, m.size);
    m.name.len = m.link.len = 0;
  }
  for (int i = 0; i < t->operand_count; i++) {
    if (!t->seen[i]) tar_error(t, t->operands[i], "Not found in archive");
  }
}
