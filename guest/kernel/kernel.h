// SPDX-License-Identifier: MIT
/* kernel.h -- what a program inside the guest may ask of the kernel.
 *
 * The guest is one address space with many processes. A process is a coroutine over ordinary C: a
 * call marked [waits] may let other processes run before it returns; the others never do. Only code
 * reached from a process's entry by direct calls (or by a dispatcher that the build lists) may call
 * something that waits: JavaScript runs inside an engine that does not.
 *
 * Results   0 or more on success, a negative errno (-ENOENT) on failure. errno itself is not used.
 * Owner     The kernel copies what it is given, unless it says "keeps".
 * Memory    malloc in a process belongs to it and is freed when it ends.
 * Paths     NUL-terminated bytes; relative ones start at the process's folder. */
#ifndef GUEST_KERNEL_H
#define GUEST_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- processes ---- */

typedef struct process process;

/* Runs as the new process; what it returns is the exit status (0..255). */
typedef int process_entry(void *context);

typedef struct {
  process_entry *entry;
  void *context;    /* handed to entry; must live until entry has taken what it needs */
  const char *name; /* for messages; copied */
  uint32_t stack;   /* bytes of C stack, 0 = 64 KiB */
  bool borrows;     /* it reads its parent's memory, which therefore stays until it has ended */
} process_options;

/* Starts a child of the current process with a copy of its descriptors, folder and umask. It first
 * runs when the caller waits. Returns its pid (> 0), -EAGAIN when there are too many, -ENOMEM. */
int process_spawn(const process_options *options);

/* [waits] For a child (pid > 0) or any (pid = -1) to end. Stores its wait status: 0..255, or 128 +
 * signal when it was killed. Returns its pid, -ECHILD when there is none, -EINTR when a signal that
 * the process catches came first. */
int process_wait(int pid, int *status);
/* [waits] As process_wait, but signals that the process catches stay pending until the child has
 * ended: a caller that only went on waiting for it would never let it run. */
int process_wait_whole(int pid, int *status);
/* As process_wait, but returns 0 when none has ended yet. */
int process_poll(int pid, int *status);

/* [waits] Ends the current process; its frames are dropped where they stand, nothing of it runs
 * again. */
_Noreturn void process_exit(int status);

int process_pid(void);
int process_parent(void);
/* A word of the current process's own, 0 at first: for what its code would otherwise keep in a
 * static variable, which all processes share. */
uint32_t *process_word(void);
/* About how many bytes of C stack the current process may still use (in terms of the size it was
 * started with): for code that recurses as deep as its input says. */
size_t process_stack_left(void);
/* Lets the others run. [waits] */
void process_yield(void);
/* [waits] For virtual nanoseconds. -EINTR when a caught signal came. */
int process_sleep(int64_t ns);

/* Signals exist as the shell needs them. A caught signal is only noted: the process asks for it at
 * its own safe points. An uncaught one ends the process at its next wait or yield. */
enum {
  SIGNAL_HUP = 1,
  SIGNAL_INT = 2,
  SIGNAL_QUIT = 3,
  SIGNAL_KILL = 9,
  SIGNAL_USR1 = 10,
  SIGNAL_USR2 = 12,
  SIGNAL_PIPE = 13,
  SIGNAL_ALRM = 14,
  SIGNAL_TERM = 15,
  SIGNAL_CHLD = 17,
  SIGNAL_CONT = 18,
  SIGNAL_STOP = 19
};
typedef enum { SIGNAL_DEFAULT, SIGNAL_IGNORE, SIGNAL_CATCH } signal_action;
int process_kill(int pid, int signal); /* signal 0 only asks whether it is there */
void process_on_signal(int signal, signal_action action);
int process_take_signal(void); /* the next noted one, or 0 */

/* Cheap check for long loops that never wait: true once the host has asked the run to end; the
 * caller should return as soon as it can (the host stops it anyway). */
bool kernel_interrupted(void);

/* ---- runs ---- */

/* What the host asked to run. The root process of the run gets it as its context, and it lives
 * until the run is done. For JavaScript argc is 0. text[size] is NUL. */
typedef struct {
  const char *text;
  size_t size;
  int argc;
  char **argv; /* $0, $1, ...; ends with NULL */
} run_program;

/* The JSON object of the run's ABI_DONE, set by its first process; the last one counts. Without one
 * the kernel writes {"end":"done","status":N}. 0, -ENOMEM, -EPERM for any other process. */
int process_set_result(const char *json, size_t size);

/* [waits] For the first process of a run that belongs to a session: ends the run with `status` and
 * waits for the next one of the session, with a new standard input and without its children. NULL,
 * at once, in any other process: it is to end. */
const run_program *process_next_program(int status);
/* Whether the host asked for a session. */
bool process_in_session(void);

/* "NAME=value" strings as the host gave them, ending with NULL. */
char *const *kernel_environment(void);

/* ---- memory that outlives a process ---- */

/* Belongs to no process and stays until it is freed; 8-byte aligned, NULL when there is none left.
 * The JavaScript heap lives here, since it outlives the process of one run. */
void *kernel_malloc(size_t size);
void *kernel_realloc(void *at, size_t size); /* `at` may be NULL */
void kernel_free(void *at);                  /* NULL is fine */
size_t kernel_malloc_size(const void *at);   /* usable bytes; NULL gives 0 */

/* ---- descriptors ---- */

enum {
  OPEN_READ = 1,
  OPEN_WRITE = 2,
  OPEN_APPEND = 4,
  OPEN_CREATE = 8,
  OPEN_TRUNCATE = 16,
  OPEN_EXCLUSIVE = 32,
  OPEN_DIRECTORY = 64,
  OPEN_NOFOLLOW = 128
};

int sys_open(const char *path, int flags, uint32_t mode);
int sys_close(int fd);
/* [waits] on an empty pipe. Returns bytes read, 0 at the end. */
int64_t sys_read(int fd, void *to, size_t size);
/* [waits] on a full pipe. Writes all of it or fails; -EPIPE when no reader is left, and the process
 * gets SIGNAL_PIPE, which by default ends it. */
int64_t sys_write(int fd, const void *from, size_t size);
/* The same for code that cannot wait, such as what an engine calls: a read of an empty pipe is
 * -EAGAIN, a write goes into the pipe beyond its capacity. */
int64_t sys_read_now(int fd, void *to, size_t size);
int64_t sys_write_now(int fd, const void *from, size_t size);
int64_t sys_pread(int fd, void *to, size_t size, uint64_t at);
int64_t sys_pwrite(int fd, const void *from, size_t size, uint64_t at);
int64_t sys_seek(int fd, int64_t offset, int whence); /* SEEK_SET, SEEK_CUR, SEEK_END */
int sys_dup(int fd, int lowest);                      /* to the first free number >= lowest */
int sys_dup2(int from, int to);
int sys_pipe(int ends[2]); /* ends[0] reads, ends[1] writes */
int sys_truncate(int fd, uint64_t size);
/* A file without a name, open for reading and writing at offset 0, holding a copy of `size` bytes.
 */
int sys_memory_file(const void *content, size_t size);
bool sys_is_open(int fd);
/* True when a read would not wait: bytes or the end are there. */
bool sys_readable(int fd);

/* ---- files ---- */

typedef enum {
  FILE_REGULAR = 1,
  FILE_DIRECTORY = 2,
  FILE_LINK = 3,
  FILE_PIPE = 4,
  FILE_DEVICE = 5
} file_kind;

typedef struct {
  uint64_t inode;
  file_kind kind;
  uint32_t mode; /* permission bits only */
  uint32_t links;
  uint64_t size;
  uint64_t held;               /* bytes of a file that are not in holes */
  bool system;                 /* owned by root (0), not by the program's user (1000) */
  int64_t atime, mtime, ctime; /* virtual ns since 1970 */
} file_stat;

int sys_stat(const char *path, file_stat *stat); /* follows links */
int sys_lstat(const char *path, file_stat *stat);
int sys_fstat(int fd, file_stat *stat);
int sys_mkdir(const char *path, uint32_t mode);
int sys_rmdir(const char *path);
int sys_unlink(const char *path);
int sys_rename(const char *from, const char *to);
int sys_link(const char *from, const char *to);
int sys_symlink(const char *target, const char *path);
int64_t sys_readlink(const char *path, char *to, size_t size); /* length, not NUL-terminated */
int sys_chmod(const char *path, uint32_t mode);
int sys_fchmod(int fd, uint32_t mode);
int sys_utimes(const char *path, int64_t atime, int64_t mtime, bool follow);
int sys_futimes(int fd, int64_t atime, int64_t mtime);
int sys_truncate_path(const char *path, uint64_t size);
/* Whether a process could do it: 0, -EACCES, -ENOENT... `mode` of OPEN_READ | OPEN_WRITE; 1 << 8
 * asks for execution. */
int sys_access(const char *path, int mode);
int sys_chdir(const char *path);
int64_t sys_getcwd(char *to, size_t size); /* length without the NUL it writes */
uint32_t sys_umask(uint32_t mask);

/* Reads a directory as it was when it was opened; entries in the order they were made, without "."
 * and "..". */
typedef struct directory directory;
int directory_open(const char *path, directory **opened);
bool directory_next(directory *open, const char **name, file_kind *kind);
void directory_close(directory *open);

/* ---- time, chance ---- */

int64_t kernel_now(void);       /* virtual time, ns since 1970 */
int64_t kernel_run_start(void); /* virtual time at which the run began */
void kernel_random(void *to, size_t size);

/* ---- tools ---- */

/* [waits] Calls a tool; `name` in any spelling, `json` one object. *answer is the tool's JSON, or
 * the failure's JSON when the result is 1; malloc'd, the caller frees it. 0 answered, 1 failed,
 * -ECANCELED when the run is ending, -EAGAIN when too many are in flight, -E2BIG. */
int tool_call(const char *name, const char *json, size_t size, char **answer, size_t *answer_size);

/* For a process that keeps many calls in flight (JavaScript): starts a call and returns its id (>
 * 0), or what tool_call fails with. The answer arrives as an event of this process. */
int64_t call_begin(const char *name, const char *json, size_t size);

typedef enum { EVENT_TIME, EVENT_ANSWER, EVENT_FAILURE, EVENT_CHILD } event_kind;
typedef struct {
  event_kind kind;
  int64_t id; /* the call, or the child's pid */
  int status; /* EVENT_CHILD: its wait status */
  char *json; /* EVENT_ANSWER, EVENT_FAILURE: malloc'd, the caller frees it */
  size_t size;
} process_event;

/* [waits] For the next event of this process: a call answered, a child ended (this also takes the
 * child's status, as process_wait does), or virtual time reaching `until` (INT64_MAX: never).
 * -EDEADLK when nothing could ever come (no call in flight, no child running, no time set).
 * -ECANCELED when the run is ending: the process has this one chance to tidy up what outlives it,
 * and must return without waiting again. Processes that wait elsewhere then simply end. */
int process_next_event(process_event *event, int64_t until);

/* The tools' definitions as the host gave them: a JSON array. */
const char *tool_definitions(size_t *size);
/* Names of tools that no rule allows, a JSON array: a call of one is to be made, and denied by the
 * host, but nothing lists them. */
const char *tool_hidden_names(size_t *size);
/* Changes whenever the host gives others; never 0. */
uint32_t tool_generation(void);

/* ---- limits ---- */

/* The limits the guest itself keeps (an abi_limits of abi/messages.h). */
struct abi_limits;
const struct abi_limits *kernel_limits(void);

/* ---- commands ---- */

/* One command of guest/bin. All of them are in command_list, sorted by name. */
typedef struct command {
  const char *name;
  int (*main)(int argc, char **argv, char **environment);
  const char *usage; /* one or more lines, without "usage: " */
  const char
      *options;   /* what docs/shell.md prints: one line each, "-n LINES\tprint the first LINES" */
  uint32_t stack; /* bytes, 0 = 64 KiB; or COMMAND_STACK_ENGINE: what JavaScript is allowed */
} command;
#define COMMAND_STACK_ENGINE UINT32_MAX

/* The bytes of stack that a process for this command wants. */
uint32_t command_stack(const command *which);

const command *command_find(const char *name); /* NULL when there is none */
extern const command *const command_list[];
extern const size_t command_count;

#endif
