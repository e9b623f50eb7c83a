// SPDX-License-Identifier: MIT
/* vfs.c -- SQLite's files are the guest's files.
 *
 * SQLite calls these through pointers, so nothing here may wait, and nothing may end the process:
 * memory comes from malloc, and a failure is a code. Locks are one small table for all processes;
 * an entry whose process is gone counts for nothing. A database in WAL mode is open for one
 * connection at a time: its index is that connection's own memory. */
#include <stdlib.h>
#include <string.h>

#include "../../kernel/kernel.h"
#include "sqlite3.h"

#define HOLDERS 64
#define INDEX_REGIONS 256 /* of 32 KiB each: a WAL of about a million pages */

/* Who has a database open, and how it is locked. */
typedef struct {
  uint64_t inode;
  int pid; /* 0: a free entry */
  int level;
} holder;

static holder holders[HOLDERS];

typedef struct {
  sqlite3_file base;
  int fd;
  holder *lock; /* NULL for what is no database */
  char *remove; /* deleted when it is closed */
  void *index[INDEX_REGIONS];
} guest_file;

/* True for an entry of another connection to the same file. */
static bool is_rival(holder *other, const holder *own) {
  if (other == own || other->pid == 0 || other->inode != own->inode) return false;
  if (other->pid != own->pid && process_kill(other->pid, 0) < 0) {
    other->pid = 0;
    return false;
  }
  return true;
}

static int highest_rival(const holder *own) {
  int level = SQLITE_LOCK_NONE;
  for (int i = 0; i < HOLDERS; i++) {
    if (is_rival(&holders[i], own) && holders[i].level > level) level = holders[i].level;
  }
  return level;
}

static int file_close(sqlite3_file *base) {
  guest_file *file = (guest_file *)base;
  for (int i = 0; i < INDEX_REGIONS; i++) free(file->index[i]);
  if (file->lock != NULL) file->lock->pid = 0;
  sys_close(file->fd);
  if (file->remove != NULL) sys_unlink(file->remove);
  free(file->remove);
  return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *to, int size, sqlite3_int64 at) {
  int64_t got = sys_pread(((guest_file *)base)->fd, to, (size_t)size, (uint64_t)at);
  if (got < 0) return SQLITE_IOERR_READ;
  if (got == size) return SQLITE_OK;
  memset((char *)to + got, 0, (size_t)(size - got));
  return SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *from, int size, sqlite3_int64 at) {
  int64_t put = sys_pwrite(((guest_file *)base)->fd, from, (size_t)size, (uint64_t)at);
  return put == size ? SQLITE_OK : put == -ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  return sys_truncate(((guest_file *)base)->fd, (uint64_t)size) < 0 ? SQLITE_IOERR_TRUNCATE
                                                                    : SQLITE_OK;
}

static int file_sync(sqlite3_file *base, int flags) {
  (void)base, (void)flags;
  return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  file_stat stat;
  if (sys_fstat(((guest_file *)base)->fd, &stat) < 0) return SQLITE_IOERR_FSTAT;
  *size = (sqlite3_int64)stat.size;
  return SQLITE_OK;
}

static int file_lock(sqlite3_file *base, int wanted) {
  holder *own = ((guest_file *)base)->lock;
  if (own == NULL || own->level >= wanted) return SQLITE_OK;
  int rival = highest_rival(own);
  if (wanted == SQLITE_LOCK_SHARED && rival >= SQLITE_LOCK_PENDING) return SQLITE_BUSY;
  if (wanted == SQLITE_LOCK_RESERVED && rival >= SQLITE_LOCK_RESERVED) return SQLITE_BUSY;
  if (wanted == SQLITE_LOCK_EXCLUSIVE) {
    if (rival >= SQLITE_LOCK_PENDING) return SQLITE_BUSY;
    own->level = SQLITE_LOCK_PENDING; /* no new reader gets in while we wait for the others */
    if (rival >= SQLITE_LOCK_SHARED) return SQLITE_BUSY;
  }
  own->level = wanted;
  return SQLITE_OK;
}

static int file_unlock(sqlite3_file *base, int wanted) {
  holder *own = ((guest_file *)base)->lock;
  if (own != NULL && own->level > wanted) own->level = wanted;
  return SQLITE_OK;
}

static int file_is_reserved(sqlite3_file *base, int *reserved) {
  holder *own = ((guest_file *)base)->lock;
  *reserved = own != NULL &&
              (own->level >= SQLITE_LOCK_RESERVED || highest_rival(own) >= SQLITE_LOCK_RESERVED);
  return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int what, void *argument) {
  (void)base, (void)what, (void)argument;
  return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *base) {
  (void)base;
  return 4096;
}

static int file_traits(sqlite3_file *base) {
  (void)base;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL;
}

static int index_map(sqlite3_file *base, int number, int size, int extend, void volatile **at) {
  guest_file *file = (guest_file *)base;
  *at = NULL;
  if (file->lock == NULL || number >= INDEX_REGIONS) return SQLITE_IOERR_SHMMAP;
  for (int i = 0; i < HOLDERS; i++) {
    if (is_rival(&holders[i], file->lock)) return SQLITE_BUSY;
  }
  if (file->index[number] == NULL && extend) {
    file->index[number] = calloc(1, (size_t)size);
    if (file->index[number] == NULL) return SQLITE_NOMEM;
  }
  *at = file->index[number];
  return SQLITE_OK;
}

static int index_lock(sqlite3_file *base, int offset, int count, int flags) {
  (void)base, (void)offset, (void)count, (void)flags;
  return SQLITE_OK;
}

static void index_barrier(sqlite3_file *base) {
  (void)base;
}

static int index_unmap(sqlite3_file *base, int delete_it) {
  guest_file *file = (guest_file *)base;
  (void)delete_it;
  for (int i = 0; i < INDEX_REGIONS; i++) {
    free(file->index[i]);
    file->index[i] = NULL;
  }
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = index_map,
    .xShmLock = index_lock,
    .xShmBarrier = index_barrier,
    .xShmUnmap = index_unmap,
};

static holder *new_holder(int fd) {
  file_stat stat;
  if (sys_fstat(fd, &stat) < 0) return NULL;
  for (int i = 0; i < HOLDERS; i++) {
    holder *h = &holders[i];
    if (h->pid != 0 && process_kill(h->pid, 0) >= 0) continue;
    *h = (holder){stat.inode, process_pid(), SQLITE_LOCK_NONE};
    return h;
  }
  return NULL;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *got) {
  (void)vfs;
  guest_file *file = (guest_file *)base;
  *file = (guest_file){0};
  if (path == NULL) {
    file->fd = sys_memory_file(NULL, 0);
  } else {
    int how = flags & SQLITE_OPEN_READWRITE ? OPEN_READ | OPEN_WRITE : OPEN_READ;
    if (flags & SQLITE_OPEN_CREATE) how |= OPEN_CREATE;
    if (flags & SQLITE_OPEN_EXCLUSIVE) how |= OPEN_EXCLUSIVE;
    file->fd = sys_open(path, how, 0644);
    if ((file->fd == -EACCES || file->fd == -EROFS || file->fd == -EPERM) && how & OPEN_WRITE) {
      flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
      file->fd = sys_open(path, OPEN_READ, 0);
    }
  }
  file_stat stat;
  if (file->fd >= 0 && sys_fstat(file->fd, &stat) == 0 && stat.kind == FILE_DIRECTORY) {
    sys_close(file->fd);
    file->fd = -EISDIR;
  }
  if (file->fd < 0) return SQLITE_CANTOPEN;
  if (flags & SQLITE_OPEN_MAIN_DB) {
    file->lock = new_holder(file->fd);
    if (file->lock == NULL) {
      sys_close(file->fd);
      return SQLITE_CANTOPEN;
    }
  }
  if (flags & SQLITE_OPEN_DELETEONCLOSE && path != NULL) file->remove = strdup(path);
  if (got != NULL) *got = flags;
  file->base.pMethods = &methods;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync) {
  (void)vfs, (void)sync;
  int error = sys_unlink(path);
  return error == -ENOENT ? SQLITE_IOERR_DELETE_NOENT : error < 0 ? SQLITE_IOERR_DELETE : SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int how, int *result) {
  (void)vfs;
  file_stat stat;
  if (how == SQLITE_ACCESS_EXISTS)
    *result = sys_stat(path, &stat) == 0 && (stat.kind != FILE_REGULAR || stat.size > 0);
  else
    *result =
        sys_access(path, how == SQLITE_ACCESS_READWRITE ? OPEN_READ | OPEN_WRITE : OPEN_READ) >= 0;
  return SQLITE_OK;
}

/* Absolute, and behind links, so that a journal lies beside the file itself. */
static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int room, char *to) {
  (void)vfs;
  char link[1024];
  size_t size = 0;
  if (path[0] != '/') {
    int64_t got = sys_getcwd(to, (size_t)room);
    if (got < 0) return SQLITE_CANTOPEN;
    size = (size_t)got;
    if (size > 1) to[size++] = '/';
  }
  if (size + strlen(path) >= (size_t)room) return SQLITE_CANTOPEN;
  strcpy(to + size, path);
  for (int i = 0; i < 20; i++) {
    int64_t length = sys_readlink(to, link, sizeof link - 1);
    if (length <= 0 || length >= (int64_t)sizeof link - 1) return SQLITE_OK;
    link[length] = 0;
    char *base = link[0] == '/' ? to : strrchr(to, '/') + 1;
    if ((size_t)(base - to) + (size_t)length >= (size_t)room) return SQLITE_CANTOPEN;
    strcpy(base, link);
  }
  return SQLITE_CANTOPEN;
}

static int vfs_random(sqlite3_vfs *vfs, int size, char *to) {
  (void)vfs;
  kernel_random(to, (size_t)size);
  return size;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs, (void)microseconds;
  return 0; /* the shell waits itself: here nothing can */
}

static int vfs_now(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
  (void)vfs;
  *milliseconds = 210866760000000LL + kernel_now() / 1000000; /* since noon, 24.11.4714 BC */
  return SQLITE_OK;
}

static int vfs_now_double(sqlite3_vfs *vfs, double *days) {
  sqlite3_int64 milliseconds;
  vfs_now(vfs, &milliseconds);
  *days = (double)milliseconds / 86400000.0;
  return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *to) {
  (void)vfs, (void)size, (void)to;
  return 0;
}

static sqlite3_vfs guest_vfs = {
    .iVersion = 2,
    .szOsFile = sizeof(guest_file),
    .mxPathname = 1024,
    .zName = "guest",
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_path,
    .xRandomness = vfs_random,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_now_double,
    .xGetLastError = vfs_last_error,
    .xCurrentTimeInt64 = vfs_now,
};

int sqlite3_os_init(void) {
  return sqlite3_vfs_register(&guest_vfs, 1);
}

int sqlite3_os_end(void) {
  return SQLITE_OK;
}

void sql_forget_dead(void);
/* A pid may come again in a later run: what is noted of ours is not of this process. */
void sql_forget_dead(void) {
  for (int i = 0; i < HOLDERS; i++) {
    if (holders[i].pid == process_pid()) holders[i].pid = 0;
  }
}
