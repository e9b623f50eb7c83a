// SPDX-License-Identifier: MIT
/* wasi.c -- the functions that wasi-libc expects to import, so that nothing is imported.
 *
 * Our own code calls kernel.h; this is for C that was written elsewhere and uses stdio and open.
 * Two things it has to know:
 *   - none of this waits: the callers lie behind stdio's function pointers, where Asyncify sees
 *     nothing. A read of an empty pipe is EAGAIN, a write to a full one goes in beyond its
 * capacity.
 *   - wasi-libc opens paths relative to a folder that it was given. It is given "/", so a path that
 *     is not absolute starts there and not at the process's folder. */
#ifdef __wasm__
#include <string.h>
#include <wasi/api.h>

#include "kernel.h"
#include "outbox.h"
#include "process.h"

enum { ROOT = 3 }; /* the first number at which wasi-libc asks for folders it was given */

/* Its errno values are wasi's. */
static __wasi_errno_t status_of(int64_t result) {
  return result < 0 ? (__wasi_errno_t)-result : __WASI_ERRNO_SUCCESS;
}

static __wasi_errno_t size_of(int64_t result, __wasi_size_t *size) {
  if (result >= 0) *size = (__wasi_size_t)result;
  return status_of(result);
}

/* ---- arguments, environment, clock, chance ---- */

__wasi_errno_t __wasi_args_sizes_get(__wasi_size_t *count, __wasi_size_t *bytes) {
  *count = *bytes = 0;
  return 0;
}
__wasi_errno_t __wasi_args_get(uint8_t **argv, uint8_t *bytes) {
  (void)argv, (void)bytes;
  return 0;
}
__wasi_errno_t __wasi_environ_sizes_get(__wasi_size_t *count, __wasi_size_t *bytes) {
  return __wasi_args_sizes_get(count, bytes);
}
__wasi_errno_t __wasi_environ_get(uint8_t **list, uint8_t *bytes) {
  return __wasi_args_get(list, bytes);
}

__wasi_errno_t __wasi_clock_res_get(__wasi_clockid_t id, __wasi_timestamp_t *resolution) {
  (void)id;
  *resolution = 1;
  return 0;
}
__wasi_errno_t __wasi_clock_time_get(__wasi_clockid_t id, __wasi_timestamp_t precision,
                                     __wasi_timestamp_t *time) {
  (void)id, (void)precision;
  *time = (__wasi_timestamp_t)kernel_now();
  return 0;
}
__wasi_errno_t __wasi_random_get(uint8_t *to, __wasi_size_t size) {
  kernel_random(to, size);
  return 0;
}

/* exit() and abort() cannot unwind what they are called from. */
_Noreturn void __wasi_proc_exit(__wasi_exitcode_t status) {
  (void)status;
  __builtin_trap();
}
__wasi_errno_t __wasi_sched_yield(void) {
  return 0;
}

/* ---- folders given ---- */

__wasi_errno_t __wasi_fd_prestat_get(__wasi_fd_t fd, __wasi_prestat_t *given) {
  if (fd != ROOT) return __WASI_ERRNO_BADF;
  *given = (__wasi_prestat_t){.tag = __WASI_PREOPENTYPE_DIR, .u.dir.pr_name_len = 1};
  return 0;
}
__wasi_errno_t __wasi_fd_prestat_dir_name(__wasi_fd_t fd, uint8_t *path, __wasi_size_t size) {
  if (fd != ROOT || size < 1) return __WASI_ERRNO_BADF;
  *path = '/';
  return 0;
}

/* ---- open files ---- */

static __wasi_errno_t write_at_boot(__wasi_fd_t fd, const void *bytes, size_t size) {
  if (fd != 1 && fd != 2) return __WASI_ERRNO_BADF;
  outbox_add(ABI_STDERR, 0, bytes, size, NULL, 0);
  return 0;
}

static int64_t write_pieces(__wasi_fd_t fd, const __wasi_ciovec_t *pieces, size_t count,
                            const __wasi_filesize_t *at) {
  int64_t done = 0;
  for (size_t i = 0; i < count; i++) {
    if (process_current() == NULL && write_at_boot(fd, pieces[i].buf, pieces[i].buf_len) != 0)
      return -EBADF;
    int64_t size = (int64_t)pieces[i].buf_len;
    if (process_current() != NULL)
      size = at == NULL
                 ? sys_write_now((int)fd, pieces[i].buf, pieces[i].buf_len)
                 : sys_pwrite((int)fd, pieces[i].buf, pieces[i].buf_len, *at + (uint64_t)done);
    if (size < 0) return done > 0 ? done : size;
    done += size;
  }
  return done;
}

static int64_t read_pieces(__wasi_fd_t fd, const __wasi_iovec_t *pieces, size_t count,
                           const __wasi_filesize_t *at) {
  int64_t done = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t size = at == NULL
                       ? sys_read_now((int)fd, pieces[i].buf, pieces[i].buf_len)
                       : sys_pread((int)fd, pieces[i].buf, pieces[i].buf_len, *at + (uint64_t)done);
    if (size < 0) return done > 0 ? done : size;
    done += size;
    if ((size_t)size < pieces[i].buf_len) break;
  }
  return done;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t *pieces, size_t count,
                               __wasi_size_t *written) {
  return size_of(write_pieces(fd, pieces, count, NULL), written);
}
__wasi_errno_t __wasi_fd_pwrite(__wasi_fd_t fd, const __wasi_ciovec_t *pieces, size_t count,
                                __wasi_filesize_t at, __wasi_size_t *written) {
  return size_of(write_pieces(fd, pieces, count, &at), written);
}
__wasi_errno_t __wasi_fd_read(__wasi_fd_t fd, const __wasi_iovec_t *pieces, size_t count,
                              __wasi_size_t *got) {
  return size_of(read_pieces(fd, pieces, count, NULL), got);
}
__wasi_errno_t __wasi_fd_pread(__wasi_fd_t fd, const __wasi_iovec_t *pieces, size_t count,
                               __wasi_filesize_t at, __wasi_size_t *got) {
  return size_of(read_pieces(fd, pieces, count, &at), got);
}

__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd) {
  return status_of(sys_close((int)fd));
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t offset, __wasi_whence_t whence,
                              __wasi_filesize_t *position) {
  int64_t result = sys_seek((int)fd, offset, whence); /* wasi numbers them as SEEK_ does */
  if (result >= 0) *position = (__wasi_filesize_t)result;
  return status_of(result);
}
__wasi_errno_t __wasi_fd_tell(__wasi_fd_t fd, __wasi_filesize_t *position) {
  return __wasi_fd_seek(fd, 0, __WASI_WHENCE_CUR, position);
}

__wasi_errno_t __wasi_fd_sync(__wasi_fd_t fd) {
  return sys_is_open((int)fd) ? 0 : __WASI_ERRNO_BADF;
}
__wasi_errno_t __wasi_fd_datasync(__wasi_fd_t fd) {
  return __wasi_fd_sync(fd);
}
__wasi_errno_t __wasi_fd_advise(__wasi_fd_t fd, __wasi_filesize_t at, __wasi_filesize_t size,
                                __wasi_advice_t advice) {
  (void)at, (void)size, (void)advice;
  return __wasi_fd_sync(fd);
}
__wasi_errno_t __wasi_fd_renumber(__wasi_fd_t from, __wasi_fd_t to) {
  int result = sys_dup2((int)from, (int)to);
  return result < 0 ? status_of(result) : __wasi_fd_close(from);
}

/* ---- attributes ---- */

static __wasi_filetype_t type_of(file_kind kind) {
  switch (kind) {
    case FILE_REGULAR:
      return __WASI_FILETYPE_REGULAR_FILE;
    case FILE_DIRECTORY:
      return __WASI_FILETYPE_DIRECTORY;
    case FILE_LINK:
      return __WASI_FILETYPE_SYMBOLIC_LINK;
    case FILE_PIPE:
      return __WASI_FILETYPE_SOCKET_STREAM;
    case FILE_DEVICE:
      return __WASI_FILETYPE_CHARACTER_DEVICE;
  }
  return __WASI_FILETYPE_UNKNOWN;
}

static __wasi_filestat_t filestat(const file_stat *stat) {
  return (__wasi_filestat_t){.dev = 1,
                             .ino = stat->inode,
                             .filetype = type_of(stat->kind),
                             .nlink = stat->links,
                             .size = stat->size,
                             .atim = (__wasi_timestamp_t)stat->atime,
                             .mtim = (__wasi_timestamp_t)stat->mtime,
                             .ctim = (__wasi_timestamp_t)stat->ctime};
}

/* All rights, but for the ones whose lack makes isatty say yes. */
__wasi_errno_t __wasi_fd_fdstat_get(__wasi_fd_t fd, __wasi_fdstat_t *to) {
  file_stat stat;
  int error = process_current() == NULL ? 0 : sys_fstat((int)fd, &stat);
  if (error != 0) return status_of(error);
  if (process_current() == NULL) stat.kind = FILE_PIPE;
  *to = (__wasi_fdstat_t){.fs_filetype = type_of(stat.kind), .fs_rights_base = UINT64_MAX};
  return 0;
}
__wasi_errno_t __wasi_fd_fdstat_set_flags(__wasi_fd_t fd, __wasi_fdflags_t flags) {
  (void)flags;
  return __wasi_fd_sync(fd);
}
__wasi_errno_t __wasi_fd_filestat_get(__wasi_fd_t fd, __wasi_filestat_t *to) {
  file_stat stat;
  int error = sys_fstat((int)fd, &stat);
  if (error == 0) *to = filestat(&stat);
  return status_of(error);
}
__wasi_errno_t __wasi_fd_filestat_set_size(__wasi_fd_t fd, __wasi_filesize_t size) {
  return status_of(sys_truncate((int)fd, size));
}

/* ---- paths ---- */

typedef struct {
  char text[4096];
} absolute;

static bool make_absolute(absolute *to, const char *path) {
  size_t size = strlen(path);
  if (size + 2 > sizeof to->text) return false;
  to->text[0] = '/';
  memcpy(to->text + 1, path, size + 1);
  return true;
}

__wasi_errno_t __wasi_path_open(__wasi_fd_t folder, __wasi_lookupflags_t lookup, const char *path,
                                __wasi_oflags_t flags, __wasi_rights_t rights,
                                __wasi_rights_t inherited, __wasi_fdflags_t how,
                                __wasi_fd_t *opened) {
  (void)folder, (void)inherited;
  absolute full;
  if (!make_absolute(&full, path)) return __WASI_ERRNO_NAMETOOLONG;
  int open = (rights & __WASI_RIGHTS_FD_READ ? OPEN_READ : 0) |
             (rights & __WASI_RIGHTS_FD_WRITE ? OPEN_WRITE : 0) |
             (flags & __WASI_OFLAGS_CREAT ? OPEN_CREATE : 0) |
             (flags & __WASI_OFLAGS_EXCL ? OPEN_EXCLUSIVE : 0) |
             (flags & __WASI_OFLAGS_TRUNC ? OPEN_TRUNCATE : 0) |
             (flags & __WASI_OFLAGS_DIRECTORY ? OPEN_DIRECTORY : 0) |
             (how & __WASI_FDFLAGS_APPEND ? OPEN_APPEND : 0) |
             (lookup & __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW ? 0 : OPEN_NOFOLLOW);
  int fd = sys_open(full.text, open, 0666);
  if (fd >= 0) *opened = (__wasi_fd_t)fd;
  return status_of(fd);
}

__wasi_errno_t __wasi_path_filestat_get(__wasi_fd_t folder, __wasi_lookupflags_t lookup,
                                        const char *path, __wasi_filestat_t *to) {
  (void)folder;
  absolute full;
  file_stat stat;
  if (!make_absolute(&full, path)) return __WASI_ERRNO_NAMETOOLONG;
  bool follow = lookup & __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW;
  int error = follow ? sys_stat(full.text, &stat) : sys_lstat(full.text, &stat);
  if (error == 0) *to = filestat(&stat);
  return status_of(error);
}

static __wasi_errno_t on_path(const char *path, int (*operation)(const char *path)) {
  absolute full;
  return make_absolute(&full, path) ? status_of(operation(full.text)) : __WASI_ERRNO_NAMETOOLONG;
}
static int make_folder(const char *path) {
  return sys_mkdir(path, 0777);
}

__wasi_errno_t __wasi_path_create_directory(__wasi_fd_t folder, const char *path) {
  (void)folder;
  return on_path(path, make_folder);
}
__wasi_errno_t __wasi_path_remove_directory(__wasi_fd_t folder, const char *path) {
  (void)folder;
  return on_path(path, sys_rmdir);
}
__wasi_errno_t __wasi_path_unlink_file(__wasi_fd_t folder, const char *path) {
  (void)folder;
  return on_path(path, sys_unlink);
}

static __wasi_errno_t on_paths(const char *from, const char *to,
                               int (*operation)(const char *from, const char *to)) {
  absolute full_from, full_to;
  if (!make_absolute(&full_from, from) || !make_absolute(&full_to, to))
    return __WASI_ERRNO_NAMETOOLONG;
  return status_of(operation(full_from.text, full_to.text));
}

__wasi_errno_t __wasi_path_rename(__wasi_fd_t folder, const char *from, __wasi_fd_t to_folder,
                                  const char *to) {
  (void)folder, (void)to_folder;
  return on_paths(from, to, sys_rename);
}
__wasi_errno_t __wasi_path_link(__wasi_fd_t folder, __wasi_lookupflags_t lookup, const char *from,
                                __wasi_fd_t to_folder, const char *to) {
  (void)folder, (void)lookup, (void)to_folder;
  return on_paths(from, to, sys_link);
}
__wasi_errno_t __wasi_path_symlink(const char *target, __wasi_fd_t folder, const char *path) {
  (void)folder;
  absolute full;
  if (!make_absolute(&full, path)) return __WASI_ERRNO_NAMETOOLONG;
  return status_of(sys_symlink(target, full.text));
}
__wasi_errno_t __wasi_path_readlink(__wasi_fd_t folder, const char *path, uint8_t *to,
                                    __wasi_size_t size, __wasi_size_t *length) {
  (void)folder;
  absolute full;
  if (!make_absolute(&full, path)) return __WASI_ERRNO_NAMETOOLONG;
  return size_of(sys_readlink(full.text, (char *)to, size), length);
}

/* ---- what is not there ---- */

__wasi_errno_t __wasi_path_filestat_set_times(__wasi_fd_t folder, __wasi_lookupflags_t lookup,
                                              const char *path, __wasi_timestamp_t atime,
                                              __wasi_timestamp_t mtime, __wasi_fstflags_t flags) {
  (void)folder, (void)lookup, (void)path, (void)atime, (void)mtime, (void)flags;
  return __WASI_ERRNO_NOTSUP;
}
__wasi_errno_t __wasi_fd_filestat_set_times(__wasi_fd_t fd, __wasi_timestamp_t atime,
                                            __wasi_timestamp_t mtime, __wasi_fstflags_t flags) {
  (void)fd, (void)atime, (void)mtime, (void)flags;
  return __WASI_ERRNO_NOTSUP;
}
__wasi_errno_t __wasi_fd_allocate(__wasi_fd_t fd, __wasi_filesize_t at, __wasi_filesize_t size) {
  (void)fd, (void)at, (void)size;
  return __WASI_ERRNO_NOTSUP;
}
__wasi_errno_t __wasi_fd_readdir(__wasi_fd_t fd, uint8_t *to, __wasi_size_t size,
                                 __wasi_dircookie_t cookie, __wasi_size_t *used) {
  (void)fd, (void)to, (void)size, (void)cookie, (void)used;
  return __WASI_ERRNO_NOTSUP;
}
__wasi_errno_t __wasi_poll_oneoff(const __wasi_subscription_t *in, __wasi_event_t *out,
                                  __wasi_size_t count, __wasi_size_t *events) {
  (void)in, (void)out, (void)count, (void)events;
  return __WASI_ERRNO_NOTSUP;
}
__wasi_errno_t __wasi_sock_accept(__wasi_fd_t fd, __wasi_fdflags_t flags, __wasi_fd_t *accepted) {
  (void)fd, (void)flags, (void)accepted;
  return __WASI_ERRNO_NOTSUP;
}
__wasi_errno_t __wasi_sock_recv(__wasi_fd_t fd, const __wasi_iovec_t *pieces, size_t count,
                                __wasi_riflags_t flags, __wasi_size_t *got, __wasi_roflags_t *how) {
  (void)fd, (void)pieces, (void)count, (void)flags, (void)got, (void)how;
  return __WASI_ERRNO_NOTSUP;
}
__wasi_errno_t __wasi_sock_send(__wasi_fd_t fd, const __wasi_ciovec_t *pieces, size_t count,
                                __wasi_siflags_t flags, __wasi_size_t *sent) {
  (void)fd, (void)pieces, (void)count, (void)flags, (void)sent;
  return __WASI_ERRNO_NOTSUP;
}
__wasi_errno_t __wasi_sock_shutdown(__wasi_fd_t fd, __wasi_sdflags_t how) {
  (void)fd, (void)how;
  return __WASI_ERRNO_NOTSUP;
}
#else
typedef int iso_c_wants_a_declaration;
#endif
