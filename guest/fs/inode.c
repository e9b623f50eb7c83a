// SPDX-License-Identifier: MIT
/* inode.c -- files apart from their names. */
#include "inode.h"

#include <string.h>

#include "../../abi/messages.h"
#include "../kernel/process.h"
#include "lazy.h"
#include "mark.h"

static inode *root, *workspace, *tools;
static uint32_t counted;
static uint32_t last_number;

inode *inode_root(void) {
  return root;
}
inode *inode_workspace(void) {
  return workspace;
}
inode *inode_tools(void) {
  return tools;
}
inode *inode_create_uncounted(file_kind kind, uint32_t mode) {
  inode *made = kernel_malloc(sizeof *made);
  if (made == NULL) return NULL;
  int64_t now = kernel_now();
  memset(made, 0, sizeof *made);
  made->number = ++last_number;
  made->holds = 1;
  made->kind = (uint8_t)kind;
  made->mode = (uint16_t)(mode & 07777);
  made->atime = made->mtime = made->ctime = now;
  made->made = mark_number();
  return made;
}

inode *inode_create(file_kind kind, uint32_t mode, int *error) {
  *error = -ENOSPC;
  if (counted >= kernel_limits()->files) return NULL;
  inode *made = inode_create_uncounted(kind, mode);
  *error = made == NULL ? -ENOMEM : 0;
  if (made == NULL) return NULL;
  made->counted = true;
  counted++;
  return made;
}

/* What nobody can reach any more; a note may still want to know that it was there. */
static void empty(inode *emptied) {
  mark_content(emptied);
  if (emptied->kind == FILE_REGULAR) content_release(&emptied->content);
  if (emptied->kind == FILE_LINK) kernel_free(emptied->link.target);
  if (emptied->kind == FILE_LINK) emptied->link.target = NULL;
  if (emptied->counted) counted--;
  emptied->counted = false;
  if (emptied->kind != FILE_DIRECTORY) return;
  folder_release(&emptied->folder.entries);
  inode *parent = emptied->folder.parent; /* if it still has one, it holds it */
  emptied->folder.parent = NULL;
  if (parent != NULL) inode_release(parent);
}

static void destroy_if_unused(inode *asked) {
  if (asked->links > 0 || asked->holds > 0) return;
  empty(asked);
  if (asked->remembered > 0) return;
  if (asked->kind == FILE_DIRECTORY) mark_forget(asked);
  kernel_free(asked);
}

void inode_unremember(inode *forgotten) {
  forgotten->remembered--;
  destroy_if_unused(forgotten);
}

/* Every process holds the workspace. It is held once for all, since boot: no run has to write to it
 * for that. */
void inode_hold(inode *held) {
  if (held != workspace) held->holds++;
}

void inode_release(inode *released) {
  if (released == workspace) return;
  released->holds--;
  destroy_if_unused(released);
}

void inode_unlink(inode *unlinked) {
  unlinked->links--;
  inode_touch_change(unlinked);
  if (unlinked->kind == FILE_DIRECTORY) {
    if (unlinked->holds > 0)
      inode_hold(unlinked->folder.parent);
    else
      unlinked->folder.parent = NULL;
  }
  destroy_if_unused(unlinked);
}

/* ---- attributes ---- */

void inode_stat(const inode *asked, file_stat *stat) {
  *stat = (file_stat){.inode = asked->number,
                      .kind = (file_kind)asked->kind,
                      .mode = asked->mode,
                      .links = asked->links,
                      .system = asked->system,
                      .atime = asked->atime,
                      .mtime = asked->mtime,
                      .ctime = asked->ctime};
  if (asked->kind == FILE_REGULAR) stat->size = asked->content.size;
  if (asked->kind == FILE_REGULAR) stat->held = content_bytes_held(&asked->content);
  if (asked->kind == FILE_LINK) stat->size = asked->link.size;
  if (asked->kind == FILE_DIRECTORY)
    stat->links = asked->links == 0 ? 0 : 2 + asked->folder.folders;
}

void inode_touch(inode *changed) {
  changed->mtime = changed->ctime = kernel_now();
  changed->timed = false;
}

void inode_touch_change(inode *changed) {
  changed->ctime = kernel_now();
}

void inode_touch_access(inode *read) {
  if (read->atime <= read->mtime || read->atime <= read->ctime) read->atime = kernel_now();
}

bool inode_permits(const inode *asked, unsigned rights) {
  if (process_current() == NULL) return true; /* the host is root */
  unsigned granted = asked->system ? asked->mode : asked->mode >> 6;
  return (granted & rights) == rights;
}

/* ---- what is there at boot ---- */

/* These are nobody's doing: mark.h does not hear of them. */
static inode *boot_add(inode *parent, const char *name, file_kind kind, uint32_t mode) {
  inode *made = inode_create_uncounted(kind, mode);
  if (made == NULL) return NULL;
  if (folder_add(&parent->folder.entries, name, strlen(name), made) == NULL) return NULL;
  made->system = true;
  made->made = 0;
  made->links = 1;
  made->holds = 0;
  if (kind == FILE_DIRECTORY) {
    made->folder.parent = parent;
    made->folder.depth = parent->folder.depth + 1;
    parent->folder.folders++;
  }
  return made;
}

static void boot_add_link(inode *parent, const char *name, const char *target) {
  inode *made = boot_add(parent, name, FILE_LINK, 0777);
  made->link.size = strlen(target);
  made->link.target = kernel_malloc(made->link.size + 1);
  memcpy(made->link.target, target, made->link.size + 1);
}

static void boot_devices(inode *folder) {
  static const struct {
    const char *name;
    device_kind device;
  } devices[] = {{"null", DEVICE_NULL},
                 {"zero", DEVICE_ZERO},
                 {"full", DEVICE_FULL},
                 {"random", DEVICE_RANDOM},
                 {"urandom", DEVICE_RANDOM}};
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
    boot_add(folder, devices[i].name, FILE_DEVICE, 0666)->device = (uint8_t)devices[i].device;
  boot_add(folder, "fd", FILE_DIRECTORY, 0555)->device = DEVICE_DESCRIPTORS;
  boot_add_link(folder, "stdin", "fd/0");
  boot_add_link(folder, "stdout", "fd/1");
  boot_add_link(folder, "stderr", "fd/2");
}

void inode_boot(void) {
  root = inode_create_uncounted(FILE_DIRECTORY, 0755);
  root->system = true;
  root->made = 0;
  root->links = 1;
  root->folder.parent = root;
  boot_devices(boot_add(root, "dev", FILE_DIRECTORY, 0755));
  boot_add(root, "tmp", FILE_DIRECTORY, 01777);
  tools = boot_add(root, "tools", FILE_DIRECTORY, 0555);
  tools->mount = MOUNT_TOOLS;
  tools->unread = true;
  inode *folder = boot_add(root, "workspace", FILE_DIRECTORY, 0755);
  folder->system = false;
  inode_hold(folder);
  workspace = folder;
}
