// SPDX-License-Identifier: MIT
/* jail_test.c -- each wall of the jail by itself, and the list of system calls number by number.
 *
 * Every attempt runs in a child that has entered the jail. A wall that is missing lets one through.
 */
#define _GNU_SOURCE
#include "sandbox/jail.h"

#if defined(__x86_64__)
#include <asm/prctl.h>
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "sandbox/stack.h"
#include "test.h"

enum { ALL = (1 << CLOCHE_WALL_COUNT) - 1 - (1 << CLOCHE_WALL_PROCESS), SAFE = 0 };
#define WALL(name) (1u << CLOCHE_WALL_##name)

/* What an attempt exits with: 0 as it wanted, else an errno; 200 if the jail is not as it was to
 * be. */
typedef int attempt(void);

static int try_in_jail(unsigned walls, attempt *what) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || close(pair[1]) != 0) _exit(200);
    unsigned standing = cloche__jail_enter(walls, pair[0]);
    _exit(standing != walls ? 200 : what());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

static bool killed_for_a_call(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}
static int exit_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
static int failed(bool refused) {
  return refused ? errno : 0;
}

/* ---- the list of system calls ---- */

static long number;
static int call_number(void) {
  syscall(number, 0, 0, 0, 0, 0, 0);
  return 0;
}

static bool is_listed(long call) {
  static const long listed[] = {
#ifdef CLOCHE__STACK_TOLD
      SYS_sigaltstack,
#endif
      SYS_recvfrom,    SYS_sendto,         SYS_mprotect,  SYS_rt_sigreturn, SYS_clock_gettime,
      SYS_madvise,     SYS_mmap,           SYS_munmap,    SYS_mremap,       SYS_brk,
      SYS_futex,       SYS_rt_sigprocmask, SYS_exit_group};
  for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
    if (listed[i] == call) return true;
  return false;
}

/* uretprobe and uprobe of x86-64: the kernel lets no filter see them, and answers SIGILL to whoever
 * it has not put a probe into. */
static bool is_kernels_own(long call) {
#if defined(__x86_64__)
  return call == 335 || call == 336;
#else
  (void)call;
  return false;
#endif
}

TEST(a_system_call_that_is_not_on_the_list_kills) {
  int refused = 0;
  for (number = 0; number < 480; number++) {
    if (is_kernels_own(number)) continue;
#ifdef CLOCHE__STACK_TOLD
    if (number == SYS_rt_sigreturn)
      continue; /* it crashes, and the sanitizer wants to report that */
#endif
    char row[32];
    snprintf(row, sizeof row, "call %ld", number);
    TEST_ROW(row);
    bool killed = killed_for_a_call(try_in_jail(ALL, call_number));
    CHECK_EQ(killed, !is_listed(number));
    refused += killed;
  }
  CHECK(refused > 400);
}

#if defined(__x86_64__)
static int call_as_32_bit(void) {
  long result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(12), "b"(0)
                   : "memory"); /* chdir there, brk here */
  return 0;
}
static int call_as_x32(void) {
  syscall(0x40000000 + SYS_exit_group, 0);
  return 0;
}
TEST(calls_of_the_processors_other_interfaces_kill) {
  CHECK(
      WIFSIGNALED(try_in_jail(ALL, call_as_32_bit))); /* SIGSEGV where there is no such interface */
  CHECK(killed_for_a_call(try_in_jail(ALL, call_as_x32)));
}
#else
TEST(calls_of_the_processors_other_interfaces_kill) {}
#endif

static int map_code(void) {
  mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return 0;
}
static int make_code(void) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
  return 0;
}
static int map_and_protect(void) {
  void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED || mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0) return errno;
  *(volatile char *)page = 1;
  return munmap(page, 4096) == 0 ? 0 : errno;
}
TEST(memory_can_be_had_but_never_run) {
  CHECK_EQ(try_in_jail(ALL, map_and_protect), SAFE);
  CHECK(killed_for_a_call(try_in_jail(ALL, map_code)));
  CHECK(killed_for_a_call(try_in_jail(ALL, make_code)));
}

#if defined(__x86_64__)
static int set_segment(void) { /* FS holds this thread's own storage */
  unsigned long old = 1;
  return failed(syscall(SYS_arch_prctl, ARCH_GET_GS, &old) ||
                syscall(SYS_arch_prctl, ARCH_SET_GS, old));
}
static int set_other_segment(void) {
  syscall(SYS_arch_prctl, ARCH_SET_FS, 0);
  return 0;
}
TEST(one_segment_register_can_be_set) {
  CHECK_EQ(try_in_jail(ALL, set_segment), SAFE);
  CHECK(killed_for_a_call(try_in_jail(ALL, set_other_segment)));
}
#else
TEST(one_segment_register_can_be_set) {}
#endif

static int talk_elsewhere(void) {
  send(1, "x", 1, MSG_NOSIGNAL);
  return 0;
}
static int talk_home(void) {
  char byte;
  return recv(0, &byte, 1, 0) == 0 ? 0 : errno; /* nobody is there any more */
}
TEST(only_the_one_socket_can_be_used) {
  CHECK_EQ(try_in_jail(ALL, talk_home), SAFE);
  CHECK(killed_for_a_call(try_in_jail(ALL, talk_elsewhere)));
}

/* ---- the other walls, each without the list of calls ---- */

static int open_a_file(void) {
  int file = open("/etc/passwd", O_RDONLY);
  return failed(file < 0);
}
static int list_a_folder(void) {
  return failed(open("/", O_RDONLY | O_DIRECTORY) < 0);
}
static int connect_somewhere(void) {
  int file = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return file < 0 ? 201 : failed(connect(file, (struct sockaddr *)&address, sizeof address) != 0);
}
static int signal_parent(void) {
  return failed(kill(getppid(), 0) != 0);
}
static int landlock_version(void) {
  return (int)syscall(444, NULL, 0, 1);
}

TEST(landlock_alone_keeps_files_network_and_processes_away) {
  unsigned walls = WALL(PRIVILEGES) | WALL(LANDLOCK);
  if (landlock_version() < 1) return; /* the wall is reported as missing, see a_missing_wall... */
  CHECK_EQ(exit_of(try_in_jail(walls, open_a_file)), EACCES);
  CHECK_EQ(exit_of(try_in_jail(walls, list_a_folder)), EACCES);
  if (landlock_version() >= 4) CHECK_EQ(exit_of(try_in_jail(walls, connect_somewhere)), EACCES);
  if (landlock_version() >= 6) CHECK_EQ(exit_of(try_in_jail(walls, signal_parent)), EPERM);
}

static int write_a_file(void) {
  return failed(write(1, "x", 1) != 1);
}
static int write_beyond(void) {
  signal(SIGXFSZ, SIG_IGN);
  return write_a_file();
}
static int start_a_process(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  return failed(child < 0);
}

TEST(resources_alone_give_no_files_and_no_bytes_in_them) {
  unsigned walls = WALL(RESOURCES);
  CHECK_EQ(exit_of(try_in_jail(walls, open_a_file)), EMFILE);
  if (getuid() != 0) CHECK_EQ(exit_of(try_in_jail(walls, start_a_process)), EAGAIN);
  char path[] = "/tmp/cloche-jail-XXXXXX";
  int file = mkstemp(path), out = dup(1);
  CHECK(file >= 0 && dup2(file, 1) == 1);
  int status = try_in_jail(walls, write_beyond);
  dup2(out, 1);
  unlink(path);
  CHECK_EQ(exit_of(status), EFBIG);
}

static int see_privileges(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2];
  memset(data, 255, sizeof data);
  if (syscall(SYS_capget, &header, data) != 0) return 201;
  if (data[0].effective | data[0].permitted | data[1].effective | data[1].permitted) return 202;
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 203;
  if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) return 204;
  return failed(mount("none", "/", NULL, MS_REMOUNT, NULL) != 0);
}
TEST(privileges_are_gone_and_cannot_come_back) {
  CHECK_EQ(exit_of(try_in_jail(WALL(PRIVILEGES), see_privileges)), EPERM);
}

static int see_environment(void) {
  return getenv("CLOCHE_TEST_SECRET") == NULL ? 0 : 201;
}
TEST(the_environment_is_empty) {
  setenv("CLOCHE_TEST_SECRET", "1", 1);
  CHECK_EQ(exit_of(try_in_jail(WALL(ENVIRONMENT), see_environment)), 0);
}

static int see_descriptors(void) {
  for (int file = 1; file < 64; file++)
    if (fcntl(file, F_GETFD) >= 0) return 201;
  return failed(fcntl(0, F_GETFD) < 0);
}
TEST(one_descriptor_is_open) {
  CHECK_EQ(exit_of(try_in_jail(WALL(DESCRIPTORS), see_descriptors)), 0);
}

static int nothing(void) {
  return 0;
}
TEST(a_missing_wall_is_not_said_to_stand) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) { /* a process that has no room for another descriptor cannot have Landlock */
    struct rlimit_for_test {
      unsigned long now, most;
    } none = {0, 0};
    syscall(SYS_prlimit64, 0, 7 /* RLIMIT_NOFILE */, &none, NULL);
    unsigned walls = WALL(PRIVILEGES) | WALL(LANDLOCK);
    _exit(cloche__jail_enter(walls, 0) == WALL(PRIVILEGES) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(exit_of(status), 0);
  CHECK_EQ(exit_of(try_in_jail(0, nothing)), 0);
}

TEST_MAIN(TEST_ENTRY(a_system_call_that_is_not_on_the_list_kills),
          TEST_ENTRY(calls_of_the_processors_other_interfaces_kill),
          TEST_ENTRY(memory_can_be_had_but_never_run), TEST_ENTRY(one_segment_register_can_be_set),
          TEST_ENTRY(only_the_one_socket_can_be_used),
          TEST_ENTRY(landlock_alone_keeps_files_network_and_processes_away),
          TEST_ENTRY(resources_alone_give_no_files_and_no_bytes_in_them),
          TEST_ENTRY(privileges_are_gone_and_cannot_come_back),
          TEST_ENTRY(the_environment_is_empty), TEST_ENTRY(one_descriptor_is_open),
          TEST_ENTRY(a_missing_wall_is_not_said_to_stand))
