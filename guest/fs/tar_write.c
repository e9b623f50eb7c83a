// SPDX-License-Identifier: MIT
/* tar_write.c -- trees to tar streams. Depth is bounded by FOLDER_DEPTH. */
#include <stdio.h>
#include <string.h>

#include "lazy.h"
#include "path.h"
#include "tar.h"
#include "tar_format.h"

/* The first name under which a file with several was written. */
typedef struct linked {
  struct linked *next;
  const inode *inode;
  size_t size;
  char name[];
} linked;

typedef struct {
  blob *to;
  linked *links;
  int error;
  size_t size; /* of name */
  char name[PATH_BYTES + NAME_BYTES + 2];
} writer;

static const char zeros[TAR_BLOCK];

static void pad(blob *to, uint64_t size) {
  blob_add(to, zeros, (size_t)(-size % TAR_BLOCK));
}

/* ---- headers ---- */

static void put_octal(char *field, size_t size, uint64_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%0*llo", (int)size - 1, (unsigned long long)number);
  memcpy(field, digits, size - 1);
}

static void send_header(writer *out, tar_header *header) {
  memcpy(header->magic, "ustar", 6);
  memcpy(header->version, "00", 2);
  put_octal(header->checksum, 7, tar_checksum(header));
  header->checksum[7] = ' ';
  blob_add(out->to, header, sizeof *header);
}

/* A record "LENGTH KEY=VALUE\n", whose length counts its own digits. */
static void add_record(blob *to, const char *key, const char *value, size_t size) {
  size_t body = strlen(key) + size + 3, digits = 0, length;
  char number[24];
  do {
    length = body + ++digits;
  } while ((size_t)snprintf(number, sizeof number, "%zu", length) != digits);
  blob_text(to, number);
  blob_text(to, " ");
  blob_text(to, key);
  blob_text(to, "=");
  blob_add(to, value, size);
  blob_text(to, "\n");
}

static void send_pax(writer *out, const blob *records) {
  tar_header header = {.name = "pax", .type = TAR_PAX};
  put_octal(header.mode, sizeof header.mode, 0644);
  put_octal(header.uid, sizeof header.uid, 0);
  put_octal(header.gid, sizeof header.gid, 0);
  put_octal(header.size, sizeof header.size, records->size);
  put_octal(header.mtime, sizeof header.mtime, 0);
  send_header(out, &header);
  blob_add(out->to, records->at, records->size);
  pad(out->to, records->size);
}

/* The name in the header's two fields, cut at a slash; false when it does not fit so. */
static bool split_name(tar_header *header, const char *name, size_t size) {
  if (size <= sizeof header->name) {
    memcpy(header->name, name, size);
    return true;
  }
  for (size_t at = size - sizeof header->name - 1; at < size && at <= sizeof header->prefix; at++) {
    if (name[at] != '/' || at == 0 || at + 1 == size) continue;
    memcpy(header->prefix, name, at);
    memcpy(header->name, name + at + 1, size - at - 1);
    return true;
  }
  return false;
}

static void put_names(writer *out, tar_header *header, const char *link, size_t link_size) {
  blob records = {0};
  if (!split_name(header, out->name, out->size)) {
    memcpy(header->name, out->name, sizeof header->name);
    add_record(&records, "path", out->name, out->size);
  }
  if (link_size > sizeof header->link) add_record(&records, "linkpath", link, link_size);
  memcpy(header->link, link, link_size < sizeof header->link ? link_size : sizeof header->link);
  if (records.size > 0) send_pax(out, &records);
  if (records.failed) out->error = -ENOMEM;
  blob_release(&records);
}

static void send_entry(writer *out, const inode *of, char type, const char *link,
                       size_t link_size) {
  tar_header header = {.type = type};
  uint64_t size = type == TAR_FILE ? of->content.size : 0;
  put_names(out, &header, link, link_size);
  put_octal(header.mode, sizeof header.mode, of->mode);
  put_octal(header.uid, sizeof header.uid, of->system ? 0 : 1000);
  put_octal(header.gid, sizeof header.gid, of->system ? 0 : 1000);
  if (size < (uint64_t)1 << 33)
    put_octal(header.size, sizeof header.size, size);
  else
    out->error = -EFBIG;
  int64_t seconds = of->mtime / 1000000000;
  put_octal(header.mtime, sizeof header.mtime, seconds < 0 ? 0 : (uint64_t)seconds);
  send_header(out, &header);
}

/* ---- entries ---- */

static const linked *find_linked(const writer *out, const inode *of) {
  for (const linked *at = out->links; at != NULL; at = at->next)
    if (at->inode == of) return at;
  return NULL;
}

static void remember(writer *out, const inode *of) {
  linked *made = kernel_malloc(sizeof *made + out->size);
  if (made == NULL) {
    out->error = -ENOMEM;
    return;
  }
  *made = (linked){.next = out->links, .inode = of, .size = out->size};
  memcpy(made->name, out->name, out->size);
  out->links = made;
}

static void write_content(writer *out, const content *from) {
  char piece[2048];
  for (uint64_t at = 0; at < from->size && !out->to->failed;) {
    int64_t size = content_read(from, piece, sizeof piece, at);
    blob_add(out->to, piece, (size_t)size);
    at += (uint64_t)size;
  }
  pad(out->to, from->size);
}

static void write_file(writer *out, inode *file) {
  int error = inode_load(file);
  if (error != 0) {
    out->error = error;
    return;
  }
  const linked *first = file->links > 1 ? find_linked(out, file) : NULL;
  if (first != NULL) {
    send_entry(out, file, TAR_HARD_LINK, first->name, first->size);
    return;
  }
  if (file->links > 1) remember(out, file);
  send_entry(out, file, TAR_FILE, "", 0);
  write_content(out, &file->content);
}

static void write_folder(writer *out, inode *folder);

static void write_inode(writer *out, inode *of) {
  switch ((file_kind)of->kind) {
    case FILE_REGULAR:
      write_file(out, of);
      break;
    case FILE_LINK:
      send_entry(out, of, TAR_LINK, of->link.target, of->link.size);
      break;
    case FILE_DIRECTORY:
      out->name[out->size++] = '/';
      send_entry(out, of, TAR_FOLDER, "", 0);
      write_folder(out, of);
      break;
    default:
      break;
  }
}

static void write_folder(writer *out, inode *folder) {
  uint32_t slot = 0;
  folder_entry *entry;
  int error = inode_load(folder);
  if (error != 0) out->error = error;
  while (out->error == 0 && (entry = folder_next(&folder->folder.entries, &slot)) != NULL) {
    size_t size = out->size;
    bool left_out = entry->inode == inode_tools() ||
                    (folder == inode_root() && strcmp(entry->name, "dev") == 0);
    if (left_out) continue;
    if (size + entry->size + 2u >= sizeof out->name) {
      out->error = -ENAMETOOLONG;
      return;
    }
    memcpy(out->name + size, entry->name, entry->size);
    out->size = size + entry->size;
    write_inode(out, entry->inode);
    out->size = size;
  }
}

int tar_write(blob *to, inode *from, const char *name) {
  writer *out = kernel_malloc(sizeof *out);
  if (out == NULL) return -ENOMEM;
  *out = (writer){.to = to};
  if (from->kind == FILE_DIRECTORY) {
    write_folder(out, from);
  } else {
    out->size = strlen(name);
    memcpy(out->name, name, out->size);
    write_inode(out, from);
  }
  blob_add(to, zeros, sizeof zeros);
  blob_add(to, zeros, sizeof zeros);
  int error = to->failed ? -ENOMEM : out->error;
  while (out->links != NULL) {
    linked *next = out->links->next;
    kernel_free(out->links);
    out->links = next;
  }
  kernel_free(out);
  return error;
}
