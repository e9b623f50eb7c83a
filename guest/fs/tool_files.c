// SPDX-License-Identifier: MIT
/* tool_files.c -- /tools: one declaration file for each tool, at the tool's own path, and
 * index.d.ts with all of them, so that a program finds tools by ls and grep.
 *
 * There may be ten thousand tools. Names are made when somebody looks into /tools, a file's text
 * when somebody looks at the file; inode.source is where its definition starts in the host's array.
 */
#include <string.h>

#include "../kernel/document.h"
#include "lazy.h"
#include "tree.h"

static const uint32_t index_source = UINT32_MAX;
static const char suffix[] = ".d.ts";

/* ---- names ---- */

static bool is_usable_name(const char *name, size_t size) {
  if (size == 0 || size + sizeof suffix > NAME_BYTES) return false;
  return strspn(name, ".") < size; /* not ".", ".." */
}

/* The folder of that name, made if it is not there; NULL when there is a file or no memory. */
static inode *inner_folder(inode *in, const char *name, size_t size) {
  const folder_entry *entry = folder_find(&in->folder.entries, name, size);
  if (entry != NULL) return entry->inode->kind == FILE_DIRECTORY ? entry->inode : NULL;
  return lazy_add(in, name, size, FILE_DIRECTORY, 0555);
}

static void add_file(inode *folder, const char *name, size_t size, uint32_t source) {
  char full[NAME_BYTES + 1];
  memcpy(full, name, size);
  memcpy(full + size, suffix, sizeof suffix);
  if (folder_find(&folder->folder.entries, full, size + sizeof suffix - 1) != NULL) return;
  inode *made = lazy_add(folder, full, size + sizeof suffix - 1, FILE_REGULAR, 0444);
  if (made == NULL) return;
  made->unread = true;
  made->source = source;
}

/* A tool whose name is no path that can be made is in the index only. */
static void add_tool(inode *tools, const char *name, uint32_t source) {
  inode *folder = tools;
  for (;;) {
    size_t size = strcspn(name, "/");
    if (!is_usable_name(name, size) || folder == NULL) return;
    if (name[size] == 0) break;
    folder = inner_folder(folder, name, size);
    name += size + 1;
  }
  if (folder->folder.depth < FOLDER_DEPTH) add_file(folder, name, strlen(name), source);
}

static int load_names(inode *tools) {
  size_t size, length;
  const char *definitions = tool_definitions(&size), *at = definitions, *element;
  tools->unread = false;
  add_file(tools, "index", 5, index_source);
  while (document_next(&at, definitions + size, &element, &length)) {
    document_arena *arena;
    const char *name = document_text(document_parse(element, length, &arena), "name");
    if (name != NULL) add_tool(tools, name, (uint32_t)(element - definitions));
    document_release(arena);
  }
  return 0;
}

/* ---- contents ---- */

static void write_index(blob *to) {
  size_t size, length;
  const char *definitions = tool_definitions(&size), *at = definitions, *element;
  blob_text(to, "// Every tool that may be called. One file for each is beside this one.\n");
  while (document_next(&at, definitions + size, &element, &length)) {
    blob_text(to, "\n");
    tool_types_write(to, element, length);
  }
}

static int load_content(inode *file) {
  size_t size, length;
  const char *definitions = tool_definitions(&size), *element;
  blob text = {0};
  if (file->source == index_source) {
    write_index(&text);
  } else {
    const char *at = definitions + file->source;
    if (document_next(&at, definitions + size, &element, &length))
      tool_types_write(&text, element, length);
  }
  int error = text.failed ? -ENOMEM : content_fill(&file->content, text.at, text.size);
  if (error == 0) file->unread = false;
  blob_release(&text);
  return error;
}

int tool_files_load(inode *unread) {
  return unread->kind == FILE_DIRECTORY ? load_names(unread) : load_content(unread);
}

void tool_files_reset(void) {
  inode *tools = inode_tools();
  uint32_t slot = 0;
  folder_entry *entry;
  if (tools->unread) return;
  while ((entry = folder_next(&tools->folder.entries, &slot)) != NULL)
    tree_remove_all(tools, entry);
  tools->unread = true;
}
