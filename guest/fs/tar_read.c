// SPDX-License-Identifier: MIT
/* tar_read.c -- tar streams to trees, piece by piece.
 *
 * A stream comes from outside: its names may lead nowhere but below the folder, its sizes are
 * believed only as far as bytes follow. Each entry is made as its header says and then filled as
 * bytes come. */
#include <stdio.h>
#include <string.h>

#include "lazy.h"
#include "mark.h"
#include "path.h"
#include "tar.h"
#include "tar_format.h"
#include "tree.h"

/* A name, as long as a path may be, and what a pax record has around it. */
enum { RECORDS_MAX = 16384 };

typedef enum { IN_HEADER, IN_CONTENT, IN_RECORDS, IN_PADDING, IN_END } stage;

/* A folder's time, set when all that goes into it is there. */
typedef struct folder_time {
  struct folder_time *next;
  inode *folder; /* held */
  int64_t mtime;
} folder_time;

struct tar_reader {
  inode *into;
  folder_time *times; /* the last one first */
  stage stage;
  tar_header header;
  size_t have;      /* bytes of what is being read */
  uint64_t left;    /* of the content or the records */
  uint32_t padding; /* after it */
  inode *file;      /* is filled; NULL: the bytes are skipped */
  uint64_t at;
  int zero_blocks;
  char records_type;
  char records[RECORDS_MAX + 1];
  char *name, *link; /* from records, for the next entry; NULL if there were none */
  bool has_size, has_mtime;
  uint64_t size;
  int64_t mtime;
  char reason[256];
};

tar_reader *tar_reader_create(inode *into) {
  tar_reader *made = kernel_malloc(sizeof *made);
  if (made == NULL) return NULL;
  memset(made, 0, sizeof *made);
  made->into = into;
  inode_hold(into);
  return made;
}

const char *tar_reader_reason(const tar_reader *reader) {
  return reader->reason;
}

static void finish_entry(tar_reader *in) {
  if (in->file != NULL) inode_release(in->file);
  kernel_free(in->name);
  kernel_free(in->link);
  in->file = NULL;
  in->name = in->link = NULL;
  in->has_size = in->has_mtime = false;
}

/* Of one folder that has two entries the last one counts. */
static void set_folder_times(tar_reader *in) {
  folder_time *at = in->times, *before = NULL, *next;
  for (; at != NULL; before = at, at = next) { /* turned round: the first one first */
    next = at->next;
    at->next = before;
  }
  for (at = before; at != NULL; at = next) {
    next = at->next;
    at->folder->mtime = at->mtime;
    inode_release(at->folder);
    kernel_free(at);
  }
  in->times = NULL;
}

void tar_reader_release(tar_reader *released) {
  if (released == NULL) return;
  finish_entry(released);
  set_folder_times(released);
  inode_release(released->into);
  kernel_free(released);
}

static int refuse(tar_reader *in, int error, const char *what, const char *name) {
  snprintf(in->reason, sizeof in->reason, "%s: %.150s", what, name);
  return error;
}

/* ---- fields ---- */

/* Octal, or with the first bit set the other bits as a binary number. */
static bool read_number(const char *field, size_t size, uint64_t *number) {
  *number = 0;
  if ((uint8_t)field[0] & 0x80) {
    *number = (uint8_t)field[0] & 0x7F;
    for (size_t i = 1; i < size; i++) {
      if (*number >> 55 != 0) return false;
      *number = *number << 8 | (uint8_t)field[i];
    }
    return true;
  }
  size_t at = 0;
  while (at < size && field[at] == ' ') at++;
  for (; at < size && field[at] >= '0' && field[at] <= '7'; at++)
    *number = *number << 3 | (uint64_t)(field[at] - '0');
  return at == size || field[at] == ' ' || field[at] == 0;
}

static char *copy(const char *text, size_t size) {
  char *made = kernel_malloc(size + 1);
  if (made == NULL) return NULL;
  memcpy(made, text, size);
  made[size] = 0;
  return made;
}

static char *field_text(const char *field, size_t size) {
  return copy(field, strnlen(field, size));
}

static char *header_name(const tar_header *header) {
  size_t prefix = memcmp(header->magic, "ustar", 6) == 0 ? strnlen(header->prefix, 155) : 0;
  size_t size = strnlen(header->name, sizeof header->name);
  char text[sizeof header->prefix + 1 + sizeof header->name];
  memcpy(text, header->prefix, prefix);
  if (prefix > 0) text[prefix++] = '/';
  memcpy(text + prefix, header->name, size);
  return copy(text, prefix + size);
}

/* ---- records: pax, and GNU's long names ---- */

static void set_text(char **to, const char *value, size_t size) {
  kernel_free(*to);
  *to = copy(value, size);
}

static uint64_t decimal(const char *text, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size && text[i] >= '0' && text[i] <= '9' && number < UINT64_MAX / 20; i++)
    number = number * 10 + (uint64_t)(text[i] - '0');
  return number;
}

static void use_record(tar_reader *in, const char *key, size_t key_size, const char *value,
                       size_t size) {
  bool is_size = key_size == 4 && memcmp(key, "size", 4) == 0;
  bool is_time = key_size == 5 && memcmp(key, "mtime", 5) == 0;
  if (key_size == 4 && memcmp(key, "path", 4) == 0) set_text(&in->name, value, size);
  if (key_size == 8 && memcmp(key, "linkpath", 8) == 0) set_text(&in->link, value, size);
  if (is_size) in->size = decimal(value, size);
  if (is_time) in->mtime = (int64_t)(decimal(value, size) % ((uint64_t)1 << 33)) * 1000000000;
  in->has_size |= is_size;
  in->has_mtime |= is_time;
}

/* GNU tar's way to leave out holes: the content would begin with a list of them. */
static bool is_sparse(const char *key, size_t size) {
  return size > 11 && memcmp(key, "GNU.sparse.", 11) == 0;
}

static int use_pax(tar_reader *in) {
  const char *at = in->records, *end = at + in->have;
  while (at < end) {
    const char *space = memchr(at, ' ', (size_t)(end - at));
    uint64_t length = space == NULL ? 0 : decimal(at, (size_t)(space - at));
    bool whole = length >= 5 && length <= (uint64_t)(end - at) && at[length - 1] == '\n';
    const char *last = whole ? at + length - 1 : NULL;
    const char *equals = whole && space < last ? memchr(space, '=', (size_t)(last - space)) : NULL;
    if (equals == NULL) return refuse(in, -EINVAL, "a pax record is damaged", in->records);
    if (is_sparse(space + 1, (size_t)(equals - space - 1)))
      return refuse(in, -ENOTSUP, "sparse, pack without --sparse", in->header.name);
    use_record(in, space + 1, (size_t)(equals - space - 1), equals + 1,
               (size_t)(last - equals - 1));
    at += length;
  }
  return 0;
}

static int use_records(tar_reader *in) {
  in->records[in->have] = 0;
  switch (in->records_type) {
    case TAR_GNU_NAME:
      set_text(&in->name, in->records, strlen(in->records));
      return 0;
    case TAR_GNU_LINK:
      set_text(&in->link, in->records, strlen(in->records));
      return 0;
    case TAR_PAX:
      return use_pax(in);
    default:
      return 0; /* global records say nothing that matters here */
  }
}

/* ---- making entries ---- */

static bool is_dots(const char *name, size_t size) {
  return size == 2 && name[0] == '.' && name[1] == '.';
}

/* The folder that the last component lies in, made as needed; *last is that component, "" for the
 * folder itself. Links are not followed: an archive cannot lead itself elsewhere. */
static int walk(tar_reader *in, const char *name, inode **folder, const char **last, size_t *size) {
  inode *at = in->into;
  const char *full = name;
  for (;;) {
    name += strspn(name, "/");
    size_t length = strcspn(name, "/");
    const char *rest = name + length + strspn(name + length, "/");
    if (is_dots(name, length)) return refuse(in, -EINVAL, "a name leads out of the folder", full);
    if (length > NAME_BYTES) return refuse(in, -ENAMETOOLONG, "a name is too long", full);
    bool here = length == 1 && *name == '.';
    if (*rest == 0) {
      *folder = at;
      *last = here ? "" : name;
      *size = here ? 0 : length;
      return inode_load(at);
    }
    if (!here) {
      int error = tree_make_folder(at, name, length, &at);
      if (error != 0) return refuse(in, error, "a folder cannot be made", full);
    }
    name = rest;
  }
}

static void set_attributes(const tar_reader *in, inode *made) {
  uint64_t mode, mtime;
  if (read_number(in->header.mode, sizeof in->header.mode, &mode)) made->mode = mode & 07777;
  made->mtime = in->mtime;
  if (!in->has_mtime && read_number(in->header.mtime, sizeof in->header.mtime, &mtime))
    made->mtime = (int64_t)(mtime % ((uint64_t)1 << 33)) * 1000000000;
}

static int make_folder(tar_reader *in, inode *folder, const char *name, size_t size) {
  inode *made = folder;
  int error = size == 0 ? 0 : tree_make_folder(folder, name, size, &made);
  if (error != 0) return refuse(in, error, "a folder cannot be made", in->name);
  if (size == 0) return 0;
  set_attributes(in, made);
  folder_time *time = kernel_malloc(sizeof *time);
  if (time == NULL) return refuse(in, -ENOMEM, "no room for", in->name);
  *time = (folder_time){.next = in->times, .folder = made, .mtime = made->mtime};
  in->times = time;
  inode_hold(made);
  return 0;
}

/* What has the name now makes way, unless it is a folder with something in it. */
static int clear_name(tar_reader *in, inode *folder, const char *name, size_t size) {
  folder_entry *entry = folder_find(&folder->folder.entries, name, size);
  if (size == 0) return refuse(in, -EINVAL, "an entry has no name", in->name);
  if (entry == NULL) return 0;
  if (entry->inode->kind == FILE_DIRECTORY && entry->inode->folder.entries.live > 0)
    return refuse(in, -EISDIR, "a folder has the name of a file", in->name);
  tree_remove(folder, entry);
  return 0;
}

/* Names it and keeps the hold, so that it can be filled. */
static int add(tar_reader *in, inode *folder, const char *name, size_t size, inode *made) {
  made->system = tree_is_systems(folder);
  int error = tree_add(folder, name, size, made);
  if (error != 0) return refuse(in, error, "no room for", in->name);
  set_attributes(in, made);
  return 0;
}

static int make_file(tar_reader *in, inode *folder, const char *name, size_t size) {
  int error;
  in->file = inode_create(FILE_REGULAR, 0644, &error);
  if (in->file == NULL) return refuse(in, error, "no room for", in->name);
  return add(in, folder, name, size, in->file);
}

static int make_link(tar_reader *in, inode *folder, const char *name, size_t size) {
  int error;
  size_t length = strlen(in->link);
  if (length == 0 || length >= PATH_BYTES)
    return refuse(in, -EINVAL, "a link leads nowhere", in->name);
  in->file = inode_create(FILE_LINK, 0777, &error);
  if (in->file == NULL) return refuse(in, error, "no room for", in->name);
  in->file->link.target = copy(in->link, length);
  if (in->file->link.target == NULL) return refuse(in, -ENOMEM, "no room for", in->name);
  in->file->link.size = length;
  error = add(in, folder, name, size, in->file);
  in->file->mode = 0777;
  return error;
}

static int make_hard_link(tar_reader *in, inode *folder, const char *name, size_t size) {
  inode *from_folder;
  const char *last;
  size_t last_size;
  int error = walk(in, in->link, &from_folder, &last, &last_size);
  if (error != 0) return error;
  const folder_entry *entry = folder_find(&from_folder->folder.entries, last, last_size);
  if (entry == NULL || entry->inode->kind == FILE_DIRECTORY)
    return refuse(in, -ENOENT, "a hard link to what is not there", in->name);
  inode *linked = entry->inode;
  inode_hold(linked);
  error = clear_name(in, folder, name, size);
  if (error == 0) error = tree_add(folder, name, size, linked);
  inode_release(linked);
  return error;
}

static int make_entry(tar_reader *in) {
  inode *folder;
  const char *name;
  size_t size;
  int error = walk(in, in->name, &folder, &name, &size);
  if (error != 0) return error;
  char type = in->header.type;
  if (type == TAR_FOLDER) return make_folder(in, folder, name, size);
  if (type == TAR_HARD_LINK) return make_hard_link(in, folder, name, size);
  if (type != TAR_FILE && type != 0 && type != TAR_CONTIGUOUS && type != TAR_LINK)
    return refuse(in, -ENOTSUP, "neither a file, a folder nor a link", in->name);
  error = clear_name(in, folder, name, size);
  if (error != 0) return error;
  return type == TAR_LINK ? make_link(in, folder, name, size) : make_file(in, folder, name, size);
}

/* ---- the stream ---- */

static bool is_zero(const tar_header *header) {
  const char *bytes = (const char *)header;
  for (size_t i = 0; i < sizeof *header; i++)
    if (bytes[i] != 0) return false;
  return true;
}

static bool is_records(char type) {
  return type == TAR_PAX || type == TAR_PAX_GLOBAL || type == TAR_GNU_NAME || type == TAR_GNU_LINK;
}

/* Old archives mark a folder by its name only. */
static void fix_type(tar_reader *in) {
  size_t size = strlen(in->name);
  bool plain = in->header.type == TAR_FILE || in->header.type == 0;
  if (plain && size > 0 && in->name[size - 1] == '/') in->header.type = TAR_FOLDER;
}

static int begin_records(tar_reader *in) {
  in->records_type = in->header.type;
  if (in->left > RECORDS_MAX && in->header.type != TAR_PAX_GLOBAL)
    return refuse(in, -ENAMETOOLONG, "a record is too long", in->header.name);
  if (in->left > RECORDS_MAX) return refuse(in, -EINVAL, "a record is too long", in->header.name);
  in->stage = IN_RECORDS;
  return 0;
}

static int begin_entry(tar_reader *in) {
  if (in->name == NULL) in->name = header_name(&in->header);
  if (in->link == NULL) in->link = field_text(in->header.link, sizeof in->header.link);
  if (in->name == NULL || in->link == NULL)
    return refuse(in, -ENOMEM, "no room for", in->header.name);
  fix_type(in);
  if (in->has_size) in->left = in->size;
  in->padding = (uint32_t)(-in->left % TAR_BLOCK);
  in->at = 0;
  in->stage = IN_CONTENT;
  bool has_content =
      in->header.type == TAR_FILE || in->header.type == 0 || in->header.type == TAR_CONTIGUOUS;
  int error = make_entry(in);
  if (error == 0 && !has_content && in->file != NULL) {
    inode_release(in->file);
    in->file = NULL;
  }
  return error;
}

static int use_header(tar_reader *in) {
  uint64_t checksum;
  in->have = 0;
  if (is_zero(&in->header)) {
    if (++in->zero_blocks == 2) in->stage = IN_END;
    return 0;
  }
  in->zero_blocks = 0;
  if (!read_number(in->header.checksum, sizeof in->header.checksum, &checksum) ||
      checksum != tar_checksum(&in->header))
    return refuse(in, -EINVAL, "this is no tar stream, or it is damaged",
                  "a header's sum is wrong");
  if (!read_number(in->header.size, sizeof in->header.size, &in->left))
    return refuse(in, -EINVAL, "a size is damaged", in->header.name);
  in->padding = (uint32_t)(-in->left % TAR_BLOCK);
  return is_records(in->header.type) ? begin_records(in) : begin_entry(in);
}

static int take_content(tar_reader *in, const uint8_t *bytes, size_t size) {
  if (in->file == NULL) return 0;
  int64_t written = content_write(&in->file->content, bytes, size, in->at);
  if (written < 0) return refuse(in, (int)written, "no room for", in->name);
  in->at += size;
  return 0;
}

static void begin_padding(tar_reader *in) {
  in->left = in->padding;
  in->stage = IN_PADDING;
}

/* Uses some of the bytes; how many, or a negative errno. */
static int64_t take_some(tar_reader *in, const uint8_t *bytes, size_t size) {
  size_t part = size < in->left ? size : (size_t)in->left;
  int error = 0;
  switch (in->stage) {
    case IN_HEADER:
      part = sizeof in->header - in->have < size ? sizeof in->header - in->have : size;
      memcpy((char *)&in->header + in->have, bytes, part);
      in->have += part;
      if (in->have == sizeof in->header) error = use_header(in);
      break;
    case IN_RECORDS:
      memcpy(in->records + in->have, bytes, part);
      in->have += part;
      in->left -= part;
      if (in->left == 0) error = use_records(in);
      if (in->left == 0) in->have = 0;
      if (in->left == 0) begin_padding(in);
      break;
    case IN_CONTENT:
      error = take_content(in, bytes, part);
      in->left -= part;
      if (in->left == 0) finish_entry(in);
      if (in->left == 0) begin_padding(in);
      break;
    case IN_PADDING:
      in->left -= part;
      if (in->left == 0) in->stage = IN_HEADER;
      break;
    case IN_END:
      part = size;
      break;
  }
  return error != 0 ? error : (int64_t)part;
}

int tar_reader_add(tar_reader *reader, const uint8_t *bytes, size_t size) {
  bool empty_stage = false; /* content or padding of no bytes is over without any */
  while (size > 0 || empty_stage) {
    int64_t used = take_some(reader, bytes, size);
    if (used < 0) return (int)used;
    bytes += used;
    size -= (size_t)used;
    bool counted =
        reader->stage == IN_CONTENT || reader->stage == IN_PADDING || reader->stage == IN_RECORDS;
    empty_stage = counted && reader->left == 0;
  }
  return 0;
}

int tar_reader_end(tar_reader *reader) {
  bool between = reader->stage == IN_HEADER && reader->have == 0;
  if (between || reader->stage == IN_END) return 0;
  return refuse(reader, -EINVAL, "the tar stream is cut short",
                reader->name != NULL ? reader->name : "");
}
