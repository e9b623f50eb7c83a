// SPDX-License-Identifier: MIT
/* fs.c -- the kernel's files as primitives for prelude/fs.js, which builds Node's `fs` from them.
 *
 * Nothing here waits: what might (standard input through a pipe) was read before the program began.
 * A failure is thrown with the shape of Node's errors; their numbers are Linux's, whatever errno is
 * called in the C library the guest is built with. */
#include <errno.h>
#include <stdio.h>

#include "../kernel/kernel.h"
#include "engine.h"
#include "parts.h"

static const struct {
  int number;       /* of the C library */
  int32_t known_as; /* the number on Linux */
  const char *code, *text;
} errors[] = {
    {EPERM, 1, "EPERM", "operation not permitted"},
    {ENOENT, 2, "ENOENT", "no such file or directory"},
    {EIO, 5, "EIO", "i/o error"},
    {ENXIO, 6, "ENXIO", "no such device or address"},
    {E2BIG, 7, "E2BIG", "argument list too long"},
    {EBADF, 9, "EBADF", "bad file descriptor"},
    {EAGAIN, 11, "EAGAIN", "resource temporarily unavailable"},
    {ENOMEM, 12, "ENOMEM", "not enough memory"},
    {EACCES, 13, "EACCES", "permission denied"},
    {EBUSY, 16, "EBUSY", "resource busy or locked"},
    {EEXIST, 17, "EEXIST", "file already exists"},
    {EXDEV, 18, "EXDEV", "cross-device link not permitted"},
    {ENOTDIR, 20, "ENOTDIR", "not a directory"},
    {EISDIR, 21, "EISDIR", "illegal operation on a directory"},
    {EINVAL, 22, "EINVAL", "invalid argument"},
    {ENFILE, 23, "ENFILE", "file table overflow"},
    {EMFILE, 24, "EMFILE", "too many open files"},
    {ETXTBSY, 26, "ETXTBSY", "text file is busy"},
    {EFBIG, 27, "EFBIG", "file too large"},
    {ENOSPC, 28, "ENOSPC", "no space left on device"},
    {ESPIPE, 29, "ESPIPE", "invalid seek"},
    {EROFS, 30, "EROFS", "read-only file system"},
    {EMLINK, 31, "EMLINK", "too many links"},
    {EPIPE, 32, "EPIPE", "broken pipe"},
    {ENAMETOOLONG, 36, "ENAMETOOLONG", "name too long"},
    {ENOSYS, 38, "ENOSYS", "function not implemented"},
    {ENOTEMPTY, 39, "ENOTEMPTY", "directory not empty"},
    {ELOOP, 40, "ELOOP", "too many symbolic links encountered"},
    {ENOTSUP, 95, "ENOTSUP", "operation not supported on socket"},
};

static JSValue name_text(JSContext *realm, const char *name) {
  return name_value(realm, name, strlen(name));
}

/* The row for what a system call gave; EIO's where there is none. */
static size_t error_row(int64_t status) {
  size_t at = 0, count = sizeof errors / sizeof errors[0];
  while (at < count && errors[at].number != -status) at++;
  return at < count ? at : error_row(-EIO);
}

static JSValue new_error(JSContext *realm, int64_t status, const char *call, const char *path,
                         const char *to) {
  size_t row = error_row(status);
  const char *code = errors[row].code;
  buffer text = {0};
  buffer_format(&text, "%s: %s, %s", code, errors[row].text, call);
  if (path != NULL) buffer_format(&text, " '%s'", path);
  if (to != NULL) buffer_format(&text, " -> '%s'", to);
  const char *message = buffer_string(&text); /* NULL: memory is short; the error tells less then */
  JSValue error = JS_NewPlainError(realm, "%s, %s", code, call);
  if (message != NULL && text.size > 0)
    JS_DefinePropertyValueStr(realm, error, "message", name_value(realm, message, text.size),
                              JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
  buffer_free(&text);
  JS_DefinePropertyValueStr(realm, error, "errno", JS_NewInt32(realm, -errors[row].known_as),
                            JS_PROP_C_W_E);
  JS_DefinePropertyValueStr(realm, error, "code", JS_NewString(realm, code), JS_PROP_C_W_E);
  JS_DefinePropertyValueStr(realm, error, "syscall", JS_NewString(realm, call), JS_PROP_C_W_E);
  if (path != NULL)
    JS_DefinePropertyValueStr(realm, error, "path", name_text(realm, path), JS_PROP_C_W_E);
  if (to != NULL)
    JS_DefinePropertyValueStr(realm, error, "dest", name_text(realm, to), JS_PROP_C_W_E);
  return error;
}

JSValue fs_throw(JSContext *realm, int64_t status, const char *call, const char *path) {
  return JS_Throw(realm, new_error(realm, status, call, path, NULL));
}

/* ---- whole files ---- */

int64_t fs_read_fd(int fd, buffer *to) {
  for (size_t step = 4096;; step = step < 1048576 ? step * 2 : step) {
    if (!buffer_reserve(to, step)) return -ENOMEM;
    int64_t count = sys_read(fd, to->at + to->size, to->room - to->size);
    if (count <= 0) return count;
    to->size += (size_t)count;
  }
}

int64_t fs_read_path(const char *path, buffer *to) {
  int fd = sys_open(path, OPEN_READ, 0);
  if (fd < 0) return fd;
  file_stat stat;
  int64_t status = sys_fstat(fd, &stat);
  if (status >= 0 && stat.kind == FILE_DIRECTORY) status = -EISDIR;
  /* One byte more than the size, so that a file of exactly that size is read in one step. */
  if (status >= 0 && stat.kind == FILE_REGULAR && stat.size < SIZE_MAX / 4)
    buffer_reserve(to, (size_t)stat.size + 1);
  if (status >= 0) status = fs_read_fd(fd, to);
  sys_close(fd);
  return status;
}

/* ---- arguments ---- */

/* Number `index` as a path, which the caller frees. */
static const char *path_of(JSContext *realm, int count, JSValueConst *values, int index) {
  return name_bytes(realm, index < count ? values[index] : JS_UNDEFINED);
}

static int32_t int_of(JSContext *realm, int count, JSValueConst *values, int index) {
  int32_t value = 0;
  if (index < count && JS_ToInt32(realm, &value, values[index]) < 0)
    JS_FreeValue(realm, JS_GetException(realm));
  return value;
}

/* Half a surrogate pair is written as U+FFFD. Text with such is a copy that the engine made. */
static void replace_halves(char *text, size_t size) {
  char *end = text + size;
  for (char *at = text; (at = memchr(at, 0xED, (size_t)(end - at))) != NULL; at++)
    if (end - at >= 3 && (at[1] & 0xE0) == 0xA0) memcpy(at, "\xEF\xBF\xBD", 3);
}

/* Bytes of a string or of a Uint8Array. `*text` is to be freed when it is not NULL. */
static const uint8_t *bytes_of(JSContext *realm, JSValueConst value, const char **text,
                               size_t *size) {
  *text = NULL;
  if (JS_GetTypedArrayType(value) == JS_TYPED_ARRAY_UINT8)
    return JS_GetUint8Array(realm, size, value);
  *text = JS_ToCStringLen(realm, size, value);
  if (*text != NULL) replace_halves((char *)(uintptr_t)*text, *size);
  return (const uint8_t *)*text;
}

/* ---- primitives; `call` names the system call for errors ---- */

static JSValue read_file(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  buffer content = {0};
  int64_t status;
  const char *path = NULL;
  if (JS_IsNumber(values[0])) {
    status = fs_read_fd(int_of(realm, count, values, 0), &content);
  } else {
    path = path_of(realm, count, values, 0);
    if (path == NULL) return JS_EXCEPTION;
    status = fs_read_path(path, &content);
  }
  JSValue result;
  if (status < 0)
    result = fs_throw(realm, status, status == -EISDIR || path == NULL ? "read" : "open",
                      status == -EISDIR ? NULL : path);
  else if (int_of(realm, count, values, 1) != 0)
    result = JS_NewStringLen(realm, content.at, content.size);
  else
    result = JS_NewUint8ArrayCopy(realm, (const uint8_t *)content.at, content.size);
  JS_FreeCString(realm, path);
  buffer_free(&content);
  return result;
}

/* write_file(path, data, flags, mode) */
static JSValue write_file(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  const char *text, *path = path_of(realm, count, values, 0);
  size_t size;
  if (path == NULL) return JS_EXCEPTION;
  const uint8_t *bytes = bytes_of(realm, values[1], &text, &size);
  JSValue result = JS_UNDEFINED;
  if (bytes == NULL && size != 0) {
    result = JS_EXCEPTION;
  } else {
    int fd =
        sys_open(path, int_of(realm, count, values, 2), (uint32_t)int_of(realm, count, values, 3));
    int64_t status = fd < 0 ? fd : sys_write(fd, bytes, size);
    if (fd >= 0) sys_close(fd);
    if (status < 0)
      result = fs_throw(realm, status, fd < 0 ? "open" : "write", fd < 0 ? path : NULL);
  }
  JS_FreeCString(realm, text);
  JS_FreeCString(realm, path);
  return result;
}

static JSValue new_stat(JSContext *realm, const file_stat *stat) {
  const double fields[] = {(double)stat->kind,        (double)stat->mode,
                           (double)stat->links,       (double)stat->inode,
                           (double)stat->size,        (double)stat->atime / 1e6,
                           (double)stat->mtime / 1e6, (double)stat->ctime / 1e6};
  JSValue values[sizeof fields / sizeof fields[0]];
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    values[i] = JS_NewNumber(realm, fields[i]);
  return JS_NewArrayFrom(realm, sizeof fields / sizeof fields[0], values);
}

enum { STAT, LSTAT, EXISTS };

/* [kind, mode, links, inode, size, atime, mtime, ctime], the times in ms; undefined when there is
 * no such file and the second argument is false. */
static JSValue stat_path(JSContext *realm, JSValueConst self, int count, JSValueConst *values,
                         int which) {
  (void)self;
  const char *path = path_of(realm, count, values, 0);
  if (path == NULL) return JS_EXCEPTION;
  file_stat stat;
  int status = which == LSTAT ? sys_lstat(path, &stat) : sys_stat(path, &stat);
  JSValue result;
  if (which == EXISTS)
    result = JS_NewBool(realm, status >= 0);
  else if (status == -ENOENT && count > 1 && JS_ToBool(realm, values[1]) == 0)
    result = JS_UNDEFINED;
  else
    result = status < 0 ? fs_throw(realm, status, which == LSTAT ? "lstat" : "stat", path)
                        : new_stat(realm, &stat);
  JS_FreeCString(realm, path);
  return result;
}

static JSValue stat_fd(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  file_stat stat;
  int status = sys_fstat(int_of(realm, count, values, 0), &stat);
  return status < 0 ? fs_throw(realm, status, "fstat", NULL) : new_stat(realm, &stat);
}

enum { MKDIR, RMDIR, UNLINK, CHMOD, TRUNCATE, ACCESS, CHDIR };

/* A call of these ends with a third argument that is true: then it gives 0 or the error's number
 * below zero, instead of throwing. */

static int64_t on_path(int which, const char *path, double number) {
  switch (which) {
    case MKDIR:
      return sys_mkdir(path, (uint32_t)number);
    case RMDIR:
      return sys_rmdir(path);
    case UNLINK:
      return sys_unlink(path);
    case CHMOD:
      return sys_chmod(path, (uint32_t)number);
    case TRUNCATE:
      return sys_truncate_path(path, (uint64_t)number);
    case ACCESS: { /* Node's bits: 4 read, 2 write, 1 execute */
      int bits = (int)number;
      int wanted =
          (bits & 4 ? OPEN_READ : 0) | (bits & 2 ? OPEN_WRITE : 0) | (bits & 1 ? 1 << 8 : 0);
      return sys_access(path, wanted);
    }
    default:
      return sys_chdir(path);
  }
}

static JSValue call_path(JSContext *realm, JSValueConst self, int count, JSValueConst *values,
                         int which) {
  static const char *const names[] = {"mkdir", "rmdir",  "unlink", "chmod",
                                      "open",  "access", "chdir"};
  (void)self;
  double number = 0;
  if (count > 1 && JS_ToFloat64(realm, &number, values[1]) < 0) return JS_EXCEPTION;
  const char *path = path_of(realm, count, values, 0);
  if (path == NULL) return JS_EXCEPTION;
  int64_t status = on_path(which, path, number);
  bool quiet = count > 2 && JS_ToBool(realm, values[2]) > 0;
  JSValue result = quiet ? JS_NewInt32(realm, status < 0 ? -errors[error_row(status)].known_as : 0)
                   : status < 0 ? fs_throw(realm, status, names[which], path)
                                : JS_UNDEFINED;
  JS_FreeCString(realm, path);
  return result;
}

enum { RENAME, LINK, SYMLINK };

static JSValue call_two_paths(JSContext *realm, JSValueConst self, int count, JSValueConst *values,
                              int which) {
  static const char *const names[] = {"rename", "link", "symlink"};
  (void)self;
  const char *from = path_of(realm, count, values, 0), *to = path_of(realm, count, values, 1);
  JSValue result = JS_EXCEPTION;
  if (from != NULL && to != NULL) {
    int status = which == RENAME ? sys_rename(from, to)
                 : which == LINK ? sys_link(from, to)
                                 : sys_symlink(from, to);
    result = status < 0 ? JS_Throw(realm, new_error(realm, status, names[which], from, to))
                        : JS_UNDEFINED;
  }
  JS_FreeCString(realm, from);
  JS_FreeCString(realm, to);
  return result;
}

static JSValue read_link(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  char target[4096];
  const char *path = path_of(realm, count, values, 0);
  if (path == NULL) return JS_EXCEPTION;
  int64_t size = sys_readlink(path, target, sizeof target);
  JSValue result =
      size < 0 ? fs_throw(realm, size, "readlink", path) : name_value(realm, target, (size_t)size);
  JS_FreeCString(realm, path);
  return result;
}

/* utimes(path, atime, mtime, follow), the times in ms */
static JSValue set_times(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  double times[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    if (count > i + 1 && JS_ToFloat64(realm, &times[i], values[i + 1]) < 0) return JS_EXCEPTION;
  const char *path = path_of(realm, count, values, 0);
  if (path == NULL) return JS_EXCEPTION;
  bool follow = int_of(realm, count, values, 3) != 0;
  int status = sys_utimes(path, (int64_t)(times[0] * 1e6), (int64_t)(times[1] * 1e6), follow);
  JSValue result =
      status < 0 ? fs_throw(realm, status, follow ? "utime" : "lutime", path) : JS_UNDEFINED;
  JS_FreeCString(realm, path);
  return result;
}

/* fchmod(fd, mode), futimes(fd, atime, mtime) */
static JSValue set_mode_fd(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  int status =
      sys_fchmod(int_of(realm, count, values, 0), (uint32_t)int_of(realm, count, values, 1));
  return status < 0 ? fs_throw(realm, status, "fchmod", NULL) : JS_UNDEFINED;
}

static JSValue set_times_fd(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  double times[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    if (count > i + 1 && JS_ToFloat64(realm, &times[i], values[i + 1]) < 0) return JS_EXCEPTION;
  int status = sys_futimes(int_of(realm, count, values, 0), (int64_t)(times[0] * 1e6),
                           (int64_t)(times[1] * 1e6));
  return status < 0 ? fs_throw(realm, status, "futime", NULL) : JS_UNDEFINED;
}

/* A path's text of its bytes, and its bytes. */
static JSValue path_text(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  (void)count;
  size_t size;
  const uint8_t *bytes = JS_GetUint8Array(realm, &size, values[0]);
  return bytes == NULL && size != 0 ? JS_EXCEPTION : name_value(realm, (const char *)bytes, size);
}

static JSValue path_bytes(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  const char *path = path_of(realm, count, values, 0);
  if (path == NULL) return JS_EXCEPTION;
  JSValue bytes = JS_NewUint8ArrayCopy(realm, (const uint8_t *)path, strlen(path));
  JS_FreeCString(realm, path);
  return bytes;
}

/* [name, kind, name, kind...] */
static JSValue read_folder(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  const char *path = path_of(realm, count, values, 0), *name;
  if (path == NULL) return JS_EXCEPTION;
  directory *open;
  int status = directory_open(path, &open);
  JSValue list = status < 0 ? fs_throw(realm, status, "scandir", path) : JS_NewArray(realm);
  JS_FreeCString(realm, path);
  if (status < 0) return list;
  file_kind kind;
  uint32_t at = 0;
  while (!JS_IsException(list) && directory_next(open, &name, &kind)) {
    if (JS_DefinePropertyValueUint32(realm, list, at++, name_text(realm, name), JS_PROP_C_W_E) <
            0 ||
        JS_DefinePropertyValueUint32(realm, list, at++, JS_NewInt32(realm, (int32_t)kind),
                                     JS_PROP_C_W_E) < 0) {
      JS_FreeValue(realm, list);
      list = JS_EXCEPTION;
    }
  }
  directory_close(open);
  return list;
}

static JSValue open_file(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  const char *path = path_of(realm, count, values, 0);
  if (path == NULL) return JS_EXCEPTION;
  int fd =
      sys_open(path, int_of(realm, count, values, 1), (uint32_t)int_of(realm, count, values, 2));
  JSValue result = fd < 0 ? fs_throw(realm, fd, "open", path) : JS_NewInt32(realm, fd);
  JS_FreeCString(realm, path);
  return result;
}

static JSValue close_file(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  int fd = int_of(realm, count, values, 0);
  int status = fd <= 2 ? -EBADF : sys_close(fd);
  return status < 0 ? fs_throw(realm, status, "close", NULL) : JS_UNDEFINED;
}

/* read(fd, bytes, from, size, position or -1); the part of `bytes` was checked by the caller */
static JSValue read_part(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  size_t room;
  int64_t position = -1;
  uint32_t from = (uint32_t)int_of(realm, count, values, 2);
  uint32_t size = (uint32_t)int_of(realm, count, values, 3);
  if (count > 4 && JS_ToInt64(realm, &position, values[4]) < 0) return JS_EXCEPTION;
  uint8_t *bytes = JS_GetUint8Array(realm, &room, values[1]);
  if (bytes == NULL && room != 0) return JS_EXCEPTION;
  if (from > room || size > room - from) return JS_ThrowRangeError(realm, "outside of the buffer");
  int fd = int_of(realm, count, values, 0);
  int64_t got = position < 0 ? sys_read(fd, bytes + from, size)
                             : sys_pread(fd, bytes + from, size, (uint64_t)position);
  return got < 0 ? fs_throw(realm, got, "read", NULL) : JS_NewInt64(realm, got);
}

/* write(fd, string or bytes, position or -1) */
static JSValue write_part(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  const char *text;
  size_t size;
  int64_t position = -1;
  if (count > 2 && JS_ToInt64(realm, &position, values[2]) < 0) return JS_EXCEPTION;
  const uint8_t *bytes = bytes_of(realm, values[1], &text, &size);
  if (bytes == NULL && size != 0) return JS_EXCEPTION;
  int fd = int_of(realm, count, values, 0);
  int64_t done = (int64_t)size;
  if (fd == 1 || fd == 2)
    output_put(fd, (const char *)bytes, size);
  else
    done =
        position < 0 ? sys_write(fd, bytes, size) : sys_pwrite(fd, bytes, size, (uint64_t)position);
  JS_FreeCString(realm, text);
  return done < 0 ? fs_throw(realm, done, "write", NULL) : JS_NewInt64(realm, done);
}

static JSValue truncate_fd(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  int64_t size = 0;
  if (count > 1 && JS_ToInt64(realm, &size, values[1]) < 0) return JS_EXCEPTION;
  int status = sys_truncate(int_of(realm, count, values, 0), (uint64_t)size);
  return status < 0 ? fs_throw(realm, status, "ftruncate", NULL) : JS_UNDEFINED;
}

static JSValue current_folder(JSContext *realm, JSValueConst self, int count,
                              JSValueConst *values) {
  (void)self;
  (void)count;
  (void)values;
  char path[4096];
  int64_t size = sys_getcwd(path, sizeof path);
  return size < 0 ? fs_throw(realm, size, "getcwd", NULL) : name_value(realm, path, (size_t)size);
}

static JSValue say_no(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)realm;
  (void)self;
  (void)count;
  (void)values;
  return JS_FALSE;
}

JSValue fs_native(JSContext *realm) {
  static const JSCFunctionListEntry functions[] = {
      JS_CFUNC_DEF("readFile", 2, read_file),
      JS_CFUNC_DEF("writeFile", 4, write_file),
      JS_CFUNC_MAGIC_DEF("stat", 2, stat_path, STAT),
      JS_CFUNC_MAGIC_DEF("lstat", 2, stat_path, LSTAT),
      JS_CFUNC_MAGIC_DEF("exists", 1, stat_path, EXISTS),
      JS_CFUNC_DEF("fstat", 1, stat_fd),
      JS_CFUNC_MAGIC_DEF("mkdir", 2, call_path, MKDIR),
      JS_CFUNC_MAGIC_DEF("rmdir", 1, call_path, RMDIR),
      JS_CFUNC_MAGIC_DEF("unlink", 1, call_path, UNLINK),
      JS_CFUNC_MAGIC_DEF("chmod", 2, call_path, CHMOD),
      JS_CFUNC_MAGIC_DEF("truncate", 2, call_path, TRUNCATE),
      JS_CFUNC_MAGIC_DEF("access", 2, call_path, ACCESS),
      JS_CFUNC_MAGIC_DEF("chdir", 1, call_path, CHDIR),
      JS_CFUNC_MAGIC_DEF("rename", 2, call_two_paths, RENAME),
      JS_CFUNC_MAGIC_DEF("link", 2, call_two_paths, LINK),
      JS_CFUNC_MAGIC_DEF("symlink", 2, call_two_paths, SYMLINK),
      JS_CFUNC_DEF("readlink", 1, read_link),
      JS_CFUNC_DEF("utimes", 4, set_times),
      JS_CFUNC_DEF("readdir", 1, read_folder),
      JS_CFUNC_DEF("fchmod", 2, set_mode_fd),
      JS_CFUNC_DEF("futimes", 3, set_times_fd),
      JS_CFUNC_DEF("pathText", 1, path_text),
      JS_CFUNC_DEF("pathBytes", 1, path_bytes),
      JS_CFUNC_DEF("later", 1, timers_later),
      JS_CFUNC_DEF("open", 3, open_file),
      JS_CFUNC_DEF("close", 1, close_file),
      JS_CFUNC_DEF("read", 5, read_part),
      JS_CFUNC_DEF("write", 3, write_part),
      JS_CFUNC_DEF("ftruncate", 2, truncate_fd),
      JS_CFUNC_DEF("cwd", 0, current_folder),
  };
  JSValue native = JS_NewObject(realm);
  JS_SetPropertyFunctionList(realm, native, functions, sizeof functions / sizeof functions[0]);
  /* `stat.isDirectory` of what is none: false when read, and false when called (see docs). */
  JSValue no = JS_NewCFunction(realm, say_no, "no", 0);
  JS_SetIsHTMLDDA(realm, no);
  JS_DefinePropertyValueStr(realm, native, "no", no, JS_PROP_C_W_E);
  return native;
}
