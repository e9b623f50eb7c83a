// SPDX-License-Identifier: MIT
/* jail.c -- descriptors, resources, Landlock, capabilities, and the list of system calls.
 *
 * The order matters: each wall is raised with system calls that a later one forbids. Numbers of
 * system calls and constants are those of the kernel's headers; what Debian 12's are too old for is
 * spelled out here. */
#define _GNU_SOURCE
#include "sandbox/jail.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/stack.h"

extern char **environ;

/* ---- descriptors ---- */

static bool close_descriptors(int keep) {
  if (keep != 0 && (dup2(keep, 0) != 0 || close(keep) != 0)) return false;
  return syscall(SYS_close_range, 1u, ~0u, 0u) == 0;
}

/* ---- resources ---- */

/* Memory and time are limited by the process that decides, which knows how much of each. */
static bool limit_resources(void) {
  static const int none[] = {RLIMIT_NPROC,   RLIMIT_FSIZE,    RLIMIT_NOFILE, RLIMIT_CORE,
                             RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE, RLIMIT_RTPRIO, RLIMIT_SIGPENDING};
  struct rlimit zero = {0, 0};
  bool all = true;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    all &= setrlimit((__rlimit_resource_t)none[i], &zero) == 0;
  return all;
}

/* ---- Landlock ---- */

/* include/uapi/linux/landlock.h; each version of the kernel's knows more rights. */
typedef struct {
  uint64_t files, network, scopes;
} landlock_rights;
enum { LANDLOCK_CREATE = 444, LANDLOCK_RESTRICT = 446, LANDLOCK_VERSION = 1 };

static bool restrict_by_landlock(void) {
  long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
  if (version < 1) return false;
  static const unsigned file_rights[] = {0, 13, 14, 15, 15, 16};
  unsigned rights = file_rights[version < 5 ? version : 5];
  landlock_rights handled = {.files = (1ull << rights) - 1,
                             .network = version >= 4 ? 3 : 0, /* bind and connect, TCP */
                             .scopes = version >= 6 ? 3 : 0}; /* abstract sockets, signals */
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  long rules =
      syscall(LANDLOCK_CREATE, &handled, size, 0); /* no rule is added: nothing is allowed */
  if (rules < 0) return false;
  bool done = syscall(LANDLOCK_RESTRICT, rules, 0) == 0;
  close((int)rules);
  return done;
}

/* ---- privileges ---- */

static bool drop_privileges(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
    return false;
  for (unsigned long c = 0; prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++)
    prctl(PR_CAPBSET_DROP, c, 0, 0, 0); /* only with a capability; without one there is no need */
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[2] = {0};
  return syscall(SYS_capset, &header, none) == 0;
}

/* ---- system calls ---- */

#if defined(__x86_64__)
#include <asm/prctl.h>
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define LOAD_ARGUMENT(n) LOAD(args[n]) /* the lower half: little-endian on both processors */
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define IF_EQUAL(value, then, otherwise) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), then, otherwise)
#define IF_ANY_BIT(bits, then, otherwise) \
  BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (unsigned)(bits), then, otherwise)
#define ALLOW(call) IF_EQUAL(SYS_##call, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
#define KILL ANSWER(SECCOMP_RET_KILL_PROCESS)
/* With that argument equal to `value`; leaves the call's number loaded only when it is another
 * call. */
#define ALLOW_IF(call, n, value)                                                                  \
  IF_EQUAL(SYS_##call, 0, 4), LOAD_ARGUMENT(n), IF_EQUAL(value, 0, 1), ANSWER(SECCOMP_RET_ALLOW), \
      KILL
#define ALLOW_UNLESS_ANY(call, n, bits)                                                            \
  IF_EQUAL(SYS_##call, 0, 4), LOAD_ARGUMENT(n), IF_ANY_BIT(bits, 1, 0), ANSWER(SECCOMP_RET_ALLOW), \
      KILL

static const struct sock_filter filter[] = {
    LOAD(arch),
    IF_EQUAL(OUR_ARCHITECTURE, 1, 0),
    KILL, /* the numbers below mean other calls there */
    LOAD(nr),
    ALLOW_IF(recvfrom, 0, 0),                 /* the socket, turn after turn */
    ALLOW_IF(sendto, 0, 0),                   /* likewise */
    ALLOW_UNLESS_ANY(mprotect, 2, PROT_EXEC), /* first writes to pages; growing */
    ALLOW(rt_sigreturn),                      /* ends the handler of a fault */
    ALLOW(clock_gettime),                     /* where it is no vdso call */
    ALLOW(madvise),                           /* rollback gives pages back; malloc trims */
    ALLOW_UNLESS_ANY(mmap, 2, PROT_EXEC),     /* stacks, malloc; no descriptor can be mapped */
    ALLOW(munmap),                            /* likewise */
    ALLOW(mremap),                            /* realloc of large blocks */
    ALLOW(brk),                               /* malloc */
    ALLOW(futex),                             /* locks that someone waits for */
    ALLOW(rt_sigprocmask),                    /* abort() */
#if defined(__x86_64__)
    IF_EQUAL(SYS_arch_prctl, 0, 5), /* the segment register, on a processor without instructions */
    LOAD_ARGUMENT(0),
    IF_EQUAL(ARCH_SET_GS, 1, 0),
    IF_EQUAL(ARCH_GET_GS, 0, 1),
    ANSWER(SECCOMP_RET_ALLOW),
    KILL,
#endif
#ifdef CLOCHE__STACK_TOLD
    ALLOW(sigaltstack), /* AddressSanitizer asks where the stack is */
#endif
    ALLOW(exit_group), /* the end */
    KILL,
};

static bool filter_calls(void) {
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter,
                               .filter = (struct sock_filter *)(uintptr_t)filter};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* ---- all of them ---- */

unsigned cloche__jail_enter(unsigned wanted, int keep) {
  unsigned standing = 0;
#define RAISE(wall, how) \
  if ((wanted & 1u << CLOCHE_WALL_##wall) && (how)) standing |= 1u << CLOCHE_WALL_##wall
  RAISE(ENVIRONMENT, clearenv() == 0 && (environ == NULL || *environ == NULL));
  RAISE(DESCRIPTORS, close_descriptors(keep));
  if (chdir("/") != 0) return standing; /* the root can always be entered */
  RAISE(PRIVILEGES, drop_privileges());
  RAISE(LANDLOCK, restrict_by_landlock());
  RAISE(RESOURCES, limit_resources()); /* Landlock takes a descriptor for a moment */
  RAISE(CALLS, filter_calls());
#undef RAISE
  return standing;
}
