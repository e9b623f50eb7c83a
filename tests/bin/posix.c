// SPDX-License-Identifier: MIT
/* posix.c -- kernel.h over the machine's own system calls, so that each command of guest/bin can be
 * run as an ordinary program beside GNU's. tests/bin/run.py builds it and makes a link per command.
 *
 * A process is a process of the machine: process_spawn forks. Virtual time is real time, unless
 * CLOCHE_NOW gives seconds since 1970. Tools come from CLOCHE_TOOLS (JSON); a call answers its own
 * name and arguments, and fails when the name ends in "fail". */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../abi/messages.h"
#include "../../guest/bin/jq/boot.h"
#include "../../guest/kernel/kernel.h"

extern char **environ;

/* A command's memory goes with its process. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

static int64_t result(int64_t value) {
  return value < 0 ? -errno : value;
}

int process_spawn(const process_options *options) {
  pid_t pid = fork();
  if (pid == 0) exit(options->entry(options->context));
  return (int)result(pid);
}

static int wait_for(int pid, int *status, int flags) {
  int raw = 0;
  pid_t got = waitpid(pid, &raw, flags);
  if (got <= 0) return (int)result(got);
  if (status != NULL) *status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
  return got;
}
int process_wait(int pid, int *status) {
  return wait_for(pid, status, 0);
}
int process_poll(int pid, int *status) {
  return wait_for(pid, status, WNOHANG);
}
_Noreturn void process_exit(int status) {
  exit(status);
}
int process_pid(void) {
  return getpid();
}
int process_parent(void) {
  return getppid();
}
void process_yield(void) {
  usleep(100);
}
int process_sleep(int64_t ns) {
  struct timespec time = {ns / 1000000000, ns % 1000000000};
  return (int)result(nanosleep(&time, NULL));
}
int process_kill(int pid, int number) {
  return (int)result(kill(pid, number));
}
static volatile sig_atomic_t noted;
static void note_signal(int number) {
  noted = number;
}
void process_on_signal(int number, signal_action action) {
  struct sigaction what = {.sa_handler = action == SIGNAL_IGNORE  ? SIG_IGN
                                         : action == SIGNAL_CATCH ? note_signal
                                                                  : SIG_DFL};
  sigaction(number, &what, NULL);
}
int process_take_signal(void) {
  int number = noted;
  noted = 0;
  return number;
}
bool kernel_interrupted(void) {
  return false;
}
bool process_in_session(void) {
  return false;
}
const run_program *process_next_program(int status) {
  (void)status;
  return NULL;
}
const struct abi_limits *kernel_limits(void) {
  static const struct abi_limits limits = {.stack = 1u << 20};
  return &limits;
}
int errno_to_linux(int error) {
  return error; /* the machine's own */
}
size_t process_stack_left(void) {
  return 4u << 20;
}
int process_set_result(const char *json, size_t size) {
  (void)json, (void)size;
  return 0;
}
int process_next_event(process_event *event, int64_t until) {
  for (;;) {
    int status;
    int pid = process_poll(-1, &status);
    *event = (process_event){.kind = EVENT_CHILD, .id = pid, .status = status};
    if (pid > 0) return 0;
    event->kind = EVENT_TIME;
    if (kernel_now() >= until) return 0;
    if (pid < 0) return -EDEADLK;
    usleep(1000);
  }
}

int sys_open(const char *path, int flags, uint32_t mode) {
  int how = (flags & (OPEN_READ | OPEN_WRITE)) == (OPEN_READ | OPEN_WRITE) ? O_RDWR
            : (flags & (OPEN_WRITE | OPEN_APPEND)) != 0                    ? O_WRONLY
                                                                           : O_RDONLY;
  if (flags & OPEN_APPEND) how |= O_APPEND;
  if (flags & OPEN_CREATE) how |= O_CREAT;
  if (flags & OPEN_TRUNCATE) how |= O_TRUNC;
  if (flags & OPEN_EXCLUSIVE) how |= O_EXCL;
  if (flags & OPEN_DIRECTORY) how |= O_DIRECTORY;
  if (flags & OPEN_NOFOLLOW) how |= O_NOFOLLOW;
  return (int)result(open(path, how, mode));
}
int sys_close(int fd) {
  return (int)result(close(fd));
}
int64_t sys_read(int fd, void *to, size_t size) {
  return result(read(fd, to, size));
}
int64_t sys_write(int fd, const void *from, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t wrote = write(fd, (const char *)from + done, size - done);
    if (wrote < 0) return -errno;
    done += (size_t)wrote;
  }
  return (int64_t)size;
}
int64_t sys_write_now(int fd, const void *from, size_t size) {
  return sys_write(fd, from, size);
}
int64_t sys_pread(int fd, void *to, size_t size, uint64_t at) {
  return result(pread(fd, to, size, (off_t)at));
}
int64_t sys_pwrite(int fd, const void *from, size_t size, uint64_t at) {
  return result(pwrite(fd, from, size, (off_t)at));
}
int64_t sys_seek(int fd, int64_t offset, int whence) {
  return result(lseek(fd, offset, whence));
}
int sys_dup(int fd, int lowest) {
  return (int)result(fcntl(fd, F_DUPFD, lowest));
}
int sys_dup2(int from, int to) {
  return (int)result(dup2(from, to));
}
int sys_pipe(int ends[2]) {
  return (int)result(pipe(ends));
}
int sys_truncate(int fd, uint64_t size) {
  return (int)result(ftruncate(fd, (off_t)size));
}
int sys_memory_file(const void *content, size_t size) {
  int fd = memfd_create("memory", 0);
  if (fd < 0 || (size > 0 && write(fd, content, size) < 0)) return -errno;
  return (int)lseek(fd, 0, SEEK_SET) + fd;
}
bool sys_is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}
bool sys_readable(int fd) {
  struct pollfd one = {fd, POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

static int64_t ns_of(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
static int stat_result(int error, const struct stat *from, file_stat *to) {
  if (error < 0) return -errno;
  file_kind kind = S_ISREG(from->st_mode)    ? FILE_REGULAR
                   : S_ISDIR(from->st_mode)  ? FILE_DIRECTORY
                   : S_ISLNK(from->st_mode)  ? FILE_LINK
                   : S_ISFIFO(from->st_mode) ? FILE_PIPE
                                             : FILE_DEVICE;
  *to = (file_stat){.inode = from->st_ino,
                    .kind = kind,
                    .mode = from->st_mode & 07777,
                    .links = (uint32_t)from->st_nlink,
                    .size = (uint64_t)from->st_size,
                    .atime = ns_of(from->st_atim),
                    .mtime = ns_of(from->st_mtim),
                    .ctime = ns_of(from->st_ctim)};
  return 0;
}
int sys_stat(const char *path, file_stat *to) {
  struct stat from;
  return stat_result(stat(path, &from), &from, to);
}
int sys_lstat(const char *path, file_stat *to) {
  struct stat from;
  return stat_result(lstat(path, &from), &from, to);
}
int sys_fstat(int fd, file_stat *to) {
  struct stat from;
  return stat_result(fstat(fd, &from), &from, to);
}
int sys_mkdir(const char *path, uint32_t mode) {
  return (int)result(mkdir(path, mode));
}
int sys_rmdir(const char *path) {
  return (int)result(rmdir(path));
}
int sys_unlink(const char *path) {
  return (int)result(unlink(path));
}
int sys_rename(const char *from, const char *to) {
  return (int)result(rename(from, to));
}
int sys_link(const char *from, const char *to) {
  return (int)result(link(from, to));
}
int sys_symlink(const char *target, const char *path) {
  return (int)result(symlink(target, path));
}
int64_t sys_readlink(const char *path, char *to, size_t size) {
  return result(readlink(path, to, size));
}
int sys_chmod(const char *path, uint32_t mode) {
  return (int)result(chmod(path, mode));
}
int sys_utimes(const char *path, int64_t atime, int64_t mtime, bool follow) {
  struct timespec times[2] = {{atime / 1000000000, atime % 1000000000},
                              {mtime / 1000000000, mtime % 1000000000}};
  return (int)result(utimensat(AT_FDCWD, path, times, follow ? 0 : AT_SYMLINK_NOFOLLOW));
}
int sys_truncate_path(const char *path, uint64_t size) {
  return (int)result(truncate(path, (off_t)size));
}
int sys_access(const char *path, int mode) {
  int how =
      (mode & OPEN_READ ? R_OK : 0) | (mode & OPEN_WRITE ? W_OK : 0) | (mode & 256 ? X_OK : 0);
  return (int)result(access(path, how));
}
int sys_chdir(const char *path) {
  return (int)result(chdir(path));
}
int64_t sys_getcwd(char *to, size_t size) {
  return getcwd(to, size) == NULL ? -errno : (int64_t)strlen(to);
}
uint32_t sys_umask(uint32_t mask) {
  return umask(mask);
}

struct directory {
  DIR *open;
};
int directory_open(const char *path, directory **opened) {
  DIR *open = opendir(path);
  if (open == NULL) return -errno;
  *opened = malloc(sizeof **opened);
  (*opened)->open = open;
  return 0;
}
bool directory_next(directory *d, const char **name, file_kind *kind) {
  struct dirent *entry;
  do {
    entry = readdir(d->open);
    if (entry == NULL) return false;
  } while (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
  *name = entry->d_name;
  *kind = entry->d_type == DT_DIR    ? FILE_DIRECTORY
          : entry->d_type == DT_LNK  ? FILE_LINK
          : entry->d_type == DT_FIFO ? FILE_PIPE
          : entry->d_type == DT_REG  ? FILE_REGULAR
                                     : FILE_DEVICE;
  return true;
}
void directory_close(directory *d) {
  closedir(d->open);
  free(d);
}

int64_t kernel_now(void) {
  const char *fixed = getenv("CLOCHE_NOW");
  if (fixed != NULL) return strtoll(fixed, NULL, 10) * 1000000000;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return ns_of(now);
}
int64_t kernel_run_start(void) {
  return kernel_now();
}
void kernel_random(void *to, size_t size) {
  if (getrandom(to, size, 0) < 0) memset(to, 1, size);
}

int tool_call(const char *name, const char *json, size_t size, char **answer, size_t *answer_size) {
  char *text = NULL;
  size_t length = strlen(name);
  bool fails = length >= 4 && strcmp(name + length - 4, "fail") == 0;
  int made =
      fails ? asprintf(&text,
                       "{\"name\":\"ToolError\",\"message\":\"it broke\",\"code\":\"tool.failed\"}")
            : asprintf(&text, "{\"called\":\"%s\",\"with\":%.*s}", name, (int)size, json);
  *answer = text;
  *answer_size = (size_t)made;
  return fails ? 1 : 0;
}
const char *tool_definitions(size_t *size) {
  const char *tools = getenv("CLOCHE_TOOLS");
  if (tools == NULL) tools = "[]";
  *size = strlen(tools);
  return tools;
}
uint32_t tool_generation(void) {
  return 1;
}
char *const *kernel_environment(void) {
  return environ;
}
void *kernel_malloc(size_t size) {
  return malloc(size);
}
void *kernel_realloc(void *at, size_t size) {
  return realloc(at, size);
}
void kernel_free(void *at) {
  free(at);
}

int main(int argc, char **argv) {
  if (getenv("CLOCHE_NO_BOOT") == NULL && strstr(argv[0], "jq") != NULL) jq_boot();
  signal(SIGPIPE, SIG_DFL);
  setenv("PATH", "/bin", 1); /* where our shell finds commands, not links to this program */
  const char *slash = strrchr(argv[0], '/');
  const command *found = command_find(slash != NULL ? slash + 1 : argv[0]);
  if (found == NULL && argc > 1) {
    found = command_find(argv[1]);
    argc--;
    argv++;
  }
  if (found == NULL) {
    fprintf(stderr, "%s: no such command\n", argv[0]);
    return 127;
  }
  return found->main(argc, argv, environ);
}
