// SPDX-License-Identifier: MIT
/* fs_differential_test.c -- the guest's filesystem beside the machine's: random calls on both, with
 * every result compared, and the whole tree after each few.
 *
 * The machine's side runs in a chroot that has the guest's layout, as a user without rights, on a
 * tmpfs. That takes root; without it the test says so and passes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

#include "../../guest/kernel/kernel.h"
#include "../unit/test.h"
#include "host.h"

__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

enum { USER = 65534 };

/* ---- the machine's side ---- */

static int64_t result(int64_t value) {
  return value < 0 ? -errno : value;
}

static void make_real_root(const char *path) {
  CHECK_EQ(mount("none", path, "tmpfs", 0, "mode=0755"), 0);
  CHECK_EQ(chroot(path), 0);
  CHECK_EQ(chdir("/"), 0);
  umask(0);
  CHECK_EQ(mkdir("/dev", 0755), 0);
  CHECK_EQ(mkdir("/tmp", 01777), 0);
  CHECK_EQ(mkdir("/tools", 0755), 0);
  CHECK_EQ(mkdir("/workspace", 0755), 0);
  CHECK_EQ(chown("/workspace", USER, USER), 0);
  CHECK_EQ(setresgid(USER, USER, USER), 0);
  CHECK_EQ(setresuid(USER, USER, USER), 0);
  CHECK_EQ(chdir("/workspace"), 0);
  umask(022);
}

/* ---- chance ---- */

static uint64_t state = 1;

static uint32_t below(uint32_t limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % limit;
}

static void add(char *to, const char *text) {
  if (strlen(to) + strlen(text) < 5000) strcat(to, text);
}

static void random_name(char *to) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "link", "folder"};
  if (below(400) == 0) {
    size_t size = 254 + below(3);
    char name[300];
    memset(name, 'n', size);
    name[size] = 0;
    add(to, name);
  } else {
    add(to, names[below(sizeof names / sizeof *names)]);
  }
}

static void random_path(char *to) {
  static const char *const roots[] = {"/workspace/", "/tmp/",    "/",  "//",
                                      "/workspace",  "/dev/../", "./", "../workspace/"};
  *to = 0;
  if (below(100) == 0) return;
  if (below(3) == 0) add(to, roots[below(sizeof roots / sizeof *roots)]);
  for (uint32_t parts = 1 + below(4); parts > 0; parts--) {
    uint32_t kind = below(12);
    if (kind == 0)
      add(to, "..");
    else if (kind == 1)
      add(to, ".");
    else
      random_name(to);
    if (parts > 1 || below(8) == 0) add(to, below(10) == 0 ? "//" : "/");
  }
  if (below(500) == 0)
    while (strlen(to) < 4090 + below(12)) add(to, below(2) ? "/" : "./");
}

/* ---- one call on both sides ---- */

static char p[5200], q[5200];

static void differ(const char *call, int64_t guest, int64_t real) {
  fprintf(stderr, "  %s(\"%.200s\", \"%.200s\") is %lld, not %lld (%s)\n", call, p, q,
          (long long)guest, (long long)real, real < 0 ? strerror((int)-real) : "");
  test_failed(__FILE__, __LINE__);
}

static void same(const char *call, int64_t guest, int64_t real) {
  if (getenv("TRACE") != NULL)
    fprintf(stderr, "%s %.60s %.60s = %lld\n", call, p, q, (long long)real);
  if (guest != real) differ(call, guest, real);
}

static file_kind real_kind(mode_t mode) {
  return S_ISDIR(mode) ? FILE_DIRECTORY : S_ISLNK(mode) ? FILE_LINK : FILE_REGULAR;
}

static void compare_stat(bool follow) {
  struct stat real;
  file_stat guest;
  int64_t real_error = result(follow ? stat(p, &real) : lstat(p, &real));
  int64_t guest_error = follow ? sys_stat(p, &guest) : sys_lstat(p, &guest);
  same(follow ? "stat" : "lstat", guest_error, real_error);
  if (real_error != 0) return;
  same("stat.kind", guest.kind, real_kind(real.st_mode));
  same("stat.mode", guest.mode, real.st_mode & 07777);
  bool own = guest.kind != FILE_DIRECTORY || !guest.system;
  if (own) same("stat.links", guest.links, (int64_t)real.st_nlink);
  if (guest.kind != FILE_DIRECTORY) same("stat.size", (int64_t)guest.size, real.st_size);
}

static void compare_listing(void) {
  int64_t real_error = 0, guest_error;
  DIR *real = opendir(*p ? p : ".");
  directory *guest;
  if (*p == 0) return;
  if (real == NULL) real_error = -errno;
  guest_error = directory_open(p, &guest);
  same("opendir", guest_error, real_error);
  if (real_error != 0) return;
  int count = 0;
  file_kind kind;
  for (const char *name; directory_next(guest, &name, &kind);) {
    count++;
    struct stat stat;
    if (strcmp(p, "/") == 0 || strcmp(name, "fd") == 0) continue;
    if (fstatat(dirfd(real), name, &stat, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == EACCES) continue;
      fprintf(stderr, "  %s lists %s\n", p, name);
      test_failed(__FILE__, __LINE__);
    }
    same("entry's kind", kind, real_kind(stat.st_mode));
  }
  directory_close(guest);
  int real_count = -2;
  while (readdir(real) != NULL) real_count++;
  closedir(real);
  if (strstr(p, "dev") == NULL) same("entries", count, real_count);
}

static int real_flags(int flags) {
  int access = (flags & OPEN_READ && flags & OPEN_WRITE) ? O_RDWR
               : flags & OPEN_WRITE                      ? O_WRONLY
                                                         : O_RDONLY;
  return access | (flags & OPEN_APPEND ? O_APPEND : 0) | (flags & OPEN_CREATE ? O_CREAT : 0) |
         (flags & OPEN_TRUNCATE ? O_TRUNC : 0) | (flags & OPEN_EXCLUSIVE ? O_EXCL : 0) |
         (flags & OPEN_DIRECTORY ? O_DIRECTORY : 0) | (flags & OPEN_NOFOLLOW ? O_NOFOLLOW : 0);
}

enum { OPEN_FILES = 8 };
static struct { int guest, real; } files[OPEN_FILES];

static int random_open_flags(void) {
  static const int choices[] = {OPEN_READ,
                                OPEN_WRITE,
                                OPEN_READ | OPEN_WRITE,
                                OPEN_WRITE | OPEN_CREATE,
                                OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE,
                                OPEN_WRITE | OPEN_CREATE | OPEN_APPEND,
                                OPEN_READ | OPEN_WRITE | OPEN_CREATE | OPEN_EXCLUSIVE,
                                OPEN_READ | OPEN_DIRECTORY,
                                OPEN_READ | OPEN_NOFOLLOW,
                                OPEN_READ | OPEN_CREATE,
                                OPEN_WRITE | OPEN_TRUNCATE,
                                OPEN_READ | OPEN_DIRECTORY | OPEN_NOFOLLOW,
                                OPEN_WRITE | OPEN_CREATE | OPEN_NOFOLLOW};
  return choices[below(sizeof choices / sizeof *choices)];
}

static void close_file(uint32_t i) {
  if (files[i].guest >= 0) {
    sys_close(files[i].guest);
    close(files[i].real);
  }
  files[i].guest = files[i].real = -1;
}

static void compare_open(void) {
  uint32_t i = below(OPEN_FILES);
  int flags = random_open_flags();
  uint32_t mode = below(4) == 0 ? below(01000) : 0644;
  close_file(i);
  int guest = sys_open(p, flags, mode);
  int real = (int)result(open(p, real_flags(flags), mode));
  same("open", guest < 0 ? guest : 0, real < 0 ? real : 0);
  if (guest >= 0) {
    files[i].guest = guest;
    files[i].real = real;
  }
}

static size_t random_size(void) {
  return below(20) == 0 ? below(70000) : below(100);
}

static void compare_io(void) {
  static uint8_t bytes[70000], guest_bytes[70000], real_bytes[70000];
  uint32_t i = below(OPEN_FILES);
  if (files[i].guest < 0) return;
  int g = files[i].guest, r = files[i].real;
  size_t size = random_size();
  uint64_t at = below(10) == 0 ? below(200000) : below(300);
  for (size_t b = 0; b < size; b++) bytes[b] = (uint8_t)below(256);
  int64_t got;
  switch (below(7)) {
    case 0:
      same("write", sys_write(g, bytes, size), result(write(r, bytes, size)));
      break;
    case 1:
      got = result(read(r, real_bytes, size));
      same("read", sys_read(g, guest_bytes, size), got);
      if (got > 0) CHECK(memcmp(guest_bytes, real_bytes, (size_t)got) == 0);
      break;
    case 2:
      same("pwrite", sys_pwrite(g, bytes, size, at), result(pwrite(r, bytes, size, (off_t)at)));
      break;
    case 3:
      got = result(pread(r, real_bytes, size, (off_t)at));
      same("pread", sys_pread(g, guest_bytes, size, at), got);
      if (got > 0) CHECK(memcmp(guest_bytes, real_bytes, (size_t)got) == 0);
      break;
    case 4: {
      int whence = (int)below(3);
      struct stat stat;
      if (fstat(r, &stat) == 0 && S_ISDIR(stat.st_mode)) break;
      int64_t offset = (int64_t)below(200) - 100;
      same("seek", sys_seek(g, offset, whence), result(lseek(r, offset, whence)));
      break;
    }
    case 5:
      same("ftruncate", sys_truncate(g, at), result(ftruncate(r, (off_t)at)));
      break;
    default: {
      file_stat guest;
      struct stat real;
      CHECK_EQ(sys_fstat(g, &guest), 0);
      CHECK_EQ(fstat(r, &real), 0);
      same("fstat.mode", guest.mode, real.st_mode & 07777);
      if (guest.kind != FILE_DIRECTORY) same("fstat.size", (int64_t)guest.size, real.st_size);
      if (!guest.system) same("fstat.links", guest.links, (int64_t)real.st_nlink);
    }
  }
}

static void compare_readlink(void) {
  char guest[5000], real[5000];
  int64_t got = result(readlink(p, real, sizeof real));
  same("readlink", sys_readlink(p, guest, sizeof guest), got);
  if (got > 0) CHECK(memcmp(guest, real, (size_t)got) == 0);
}

static void compare_cwd(void) {
  char guest[5000] = "", real[5000] = "";
  int64_t guest_error = sys_getcwd(guest, sizeof guest);
  int64_t real_error = getcwd(real, sizeof real) == NULL ? -errno : (int64_t)strlen(real);
  same("getcwd", guest_error, real_error);
  if (real_error > 0) CHECK_STR(guest, real);
}

static void compare_times(void) {
  static const int64_t second = 1000000000;
  int64_t atime = (int64_t)below(2000000000) * second + below(1000000000);
  int64_t mtime = (int64_t)below(2000000000) * second + below(1000000000);
  struct timespec times[2] = {{atime / second, atime % second}, {mtime / second, mtime % second}};
  bool follow = below(2) == 0;
  int64_t real = result(utimensat(AT_FDCWD, p, times, follow ? 0 : AT_SYMLINK_NOFOLLOW));
  same("utimes", sys_utimes(p, atime, mtime, follow), real);
  struct stat stat;
  file_stat guest;
  if (real != 0 || lstat(p, &stat) != 0) return;
  CHECK_EQ(sys_lstat(p, &guest), 0);
  if (!follow) same("mtime", guest.mtime, stat.st_mtim.tv_sec * second + stat.st_mtim.tv_nsec);
}

static void one_call(void) {
  random_path(p);
  random_path(q);
  uint32_t mode = below(3) == 0 ? below(010000) : 0755;
  switch (below(24)) {
    case 0:
    case 1:
      same("mkdir", sys_mkdir(p, mode & 01777), result(mkdir(p, mode & 01777)));
      break;
    case 2:
      same("rmdir", sys_rmdir(p), result(rmdir(p)));
      break;
    case 3:
    case 4:
      same("unlink", sys_unlink(p), result(unlink(p)));
      break;
    case 5:
    case 6:
      same("rename", sys_rename(p, q), result(rename(p, q)));
      break;
    case 7:
      same("link", sys_link(p, q), result(link(p, q)));
      break;
    case 8:
    case 9:
      same("symlink", sys_symlink(p, q), result(symlink(p, q)));
      break;
    case 10:
      compare_readlink();
      break;
    case 11:
      if (below(4) == 0) same("chmod", sys_chmod(p, mode & 01777), result(chmod(p, mode & 01777)));
      break;
    case 12:
      same("truncate", sys_truncate_path(p, mode), result(truncate(p, mode)));
      break;
    case 13: {
      int rights = (int)below(8);
      int guest = (rights & 4 ? OPEN_READ : 0) | (rights & 2 ? OPEN_WRITE : 0) | (rights & 1) << 8;
      same("access", sys_access(p, guest), result(access(p, rights)));
      break;
    }
    case 14:
      if (below(3) == 0) same("chdir", sys_chdir(p), result(chdir(p)));
      compare_cwd();
      break;
    case 15:
      same("umask", sys_umask(mode & 077), umask(mode & 077));
      break;
    case 16:
      compare_times();
      break;
    case 17:
      compare_listing();
      break;
    case 18:
      compare_stat(true);
      break;
    case 19:
      compare_stat(false);
      break;
    case 20:
      compare_open();
      break;
    default:
      compare_io();
      break;
  }
}

/* ---- the whole tree ---- */

static void same_bytes(const char *call, const void *guest, const void *real, int64_t size) {
  const uint8_t *g = guest, *r = real;
  for (int64_t i = 0; i < size; i++)
    if (g[i] != r[i]) {
      fprintf(stderr, "  byte %lld of %lld\n", (long long)i, (long long)size);
      differ(call, g[i], r[i]);
    }
}

static void compare_content(void) {
  char guest[8192], real[8192];
  int g = sys_open(p, OPEN_READ, 0), r = (int)result(open(p, O_RDONLY));
  same("open", g < 0 ? g : 0, r < 0 ? r : 0);
  if (g < 0) return;
  for (int64_t got = 1; got > 0;) {
    got = result(read(r, real, sizeof real));
    same("read", sys_read(g, guest, sizeof guest), got);
    same_bytes("read", guest, real, got);
  }
  sys_close(g);
  close(r);
}

static void compare_tree(const char *path, int depth) {
  char inner[5200];
  snprintf(p, sizeof p, "%s", path);
  *q = 0;
  compare_stat(false);
  file_stat stat;
  if (sys_lstat(p, &stat) != 0 || depth > 60) return;
  if (stat.kind == FILE_LINK) compare_readlink();
  if (stat.kind == FILE_REGULAR) compare_content();
  if (stat.kind != FILE_DIRECTORY) return;
  compare_listing();
  directory *open;
  if (directory_open(path, &open) != 0) return;
  file_kind kind;
  for (const char *name; directory_next(open, &name, &kind);) {
    snprintf(inner, sizeof inner, "%s/%s", path, name);
    if (strlen(inner) < 4000) compare_tree(inner, depth + 1);
  }
  directory_close(open);
}

static void start_over(void) {
  for (uint32_t i = 0; i < OPEN_FILES; i++) close_file(i);
  CHECK_EQ(sys_chmod("/workspace", 0755), 0);
  CHECK_EQ(chmod("/workspace", 0755), 0);
  CHECK_EQ(sys_chdir("/workspace"), 0);
  CHECK_EQ(chdir("/workspace"), 0);
}

static uint32_t rounds, first_seed;

int shell_process_entry(void *context);
int shell_process_entry(void *context) {
  (void)context;
  for (uint32_t i = 0; i < OPEN_FILES; i++) files[i].guest = files[i].real = -1;
  sys_umask(022);
  for (uint32_t round = 0; round < rounds; round++) {
    state = first_seed + round;
    for (int i = 0; i < 400; i++) one_call();
    start_over();
    compare_tree("/workspace", 0);
    compare_tree("/tmp", 0);
  }
  return 0;
}

static void run_rounds(uint32_t seed, uint32_t count) {
  if (getuid() != 0) {
    printf("skipped: it takes root to make the machine's side\n");
    return;
  }
  char path[] = "/tmp/fs-differential-XXXXXX";
  CHECK(mkdtemp(path) != NULL);
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
    printf("skipped: mounts cannot be made here\n");
    return;
  }
  make_real_root(path);
  first_seed = seed;
  rounds = count;
  host_boot(NULL);
  host_send(ABI_RUN_SH, 1, "x", 2);
  CHECK(host_run(1));
  CHECK_STR(host_done(NULL), "{\"end\":\"done\",\"status\":0}");
}

TEST(random_calls_have_the_machines_results) {
  run_rounds(1, 500);
}
TEST(other_random_calls_have_the_machines_results) {
  run_rounds(100000, 500);
}

TEST_MAIN(TEST_ENTRY(random_calls_have_the_machines_results),
          TEST_ENTRY(other_random_calls_have_the_machines_results))
