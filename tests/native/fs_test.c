// SPDX-License-Identifier: MIT
/* fs_test.c -- what the machine's own filesystem cannot be asked about: limits, links that the host
 * makes, what is read-only, /dev, /tools, and files as the host sees them. */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "../../guest/fs/content.h"
#include "guest_process.h"

/* ---- the host's side ---- */

static uint8_t *pieces;
static size_t pieces_size;
static int32_t filed_error;

static void keep_answer(uint32_t kind, uint32_t id, const uint8_t *bytes, uint32_t size) {
  (void)id;
  if (kind != ABI_FILED && kind != ABI_FILE_BYTES) return;
  size_t head = kind == ABI_FILED ? sizeof filed_error : 0;
  if (kind == ABI_FILED) memcpy(&filed_error, bytes, head);
  pieces = realloc(pieces, pieces_size + size + 1);
  memcpy(pieces + pieces_size, bytes + head, size - head);
  pieces_size += size - head;
  pieces[pieces_size] = 0;
}
static const host_hooks file_hooks = {.record = keep_answer};

/* Returns the errno; the answer is in pieces. */
static int operate(uint32_t operation, const char *path, const void *bytes, size_t size) {
  uint32_t head[2] = {operation, (uint32_t)strlen(path)};
  uint8_t *record = malloc(sizeof head + head[1] + size);
  memcpy(record, head, sizeof head);
  memcpy(record + sizeof head, path, head[1]);
  if (size > 0) memcpy(record + sizeof head + head[1], bytes, size);
  pieces_size = 0;
  filed_error = -1;
  host_send(ABI_FILE, 7, record, sizeof head + head[1] + size);
  host_step();
  free(record);
  return filed_error;
}

static int put(const char *path, const char *text) {
  return operate(ABI_FILE_PUT, path, text, strlen(text));
}

static const char *get(const char *path) {
  CHECK_EQ(operate(ABI_FILE_GET, path, NULL, 0), 0);
  return (const char *)pieces;
}

static const char *whole_diff(void) {
  CHECK_EQ(operate(ABI_FILE_DIFF, "/", NULL, 0), 0);
  return (const char *)pieces;
}

/* Without modes and times. */
static const char *diff(void) {
  return host_plain_diff((char *)(uintptr_t)whole_diff());
}

static void in_guest(void (*body)(void)) {
  static uint32_t run = 100;
  guest_test_body = body;
  host_send(ABI_RUN_SH, ++run, "test", 5);
  CHECK(host_run(run));
}

/* ---- content ---- */

/* A content and a plain array, in random steps. */
TEST(content_is_what_an_array_would_be) {
  enum { SIZE = 400000 };
  static uint8_t model[SIZE], got[SIZE], bytes[60000];
  host_boot(NULL);
  srand(1);
  for (int round = 0; round < 200; round++) {
    content of = {0};
    size_t size = 0;
    memset(model, 0, sizeof model);
    for (int step = 0; step < 60; step++) {
      size_t at = (size_t)rand() % (rand() % 4 == 0 ? SIZE - 60000 : 40000);
      size_t length = (size_t)rand() % (rand() % 4 == 0 ? 60000 : 200);
      if (rand() % 4 == 0) {
        CHECK_EQ(content_resize(&of, at), 0);
        if (at < size) memset(model + at, 0, size - at);
        size = at;
      } else {
        if (rand() % 2) at = size < SIZE - 60000 ? size : at;
        for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)rand();
        CHECK_EQ(content_write(&of, bytes, length, at), (int64_t)length);
        memcpy(model + at, bytes, length);
        if (length > 0 && at + length > size) size = at + length;
      }
      CHECK_EQ(of.size, size);
      at = (size_t)rand() % (size + 100);
      int64_t length_got = content_read(&of, got, sizeof got, at);
      CHECK_EQ(length_got, at < size ? (int64_t)(size - at) : 0);
      CHECK(length_got == 0 || memcmp(got, model + at, (size_t)length_got) == 0);
    }
    content_release(&of);
    CHECK_EQ(content_total(), 0);
  }
}

TEST(holes_take_no_memory_and_no_allowance) {
  host_boot(NULL);
  content of = {0};
  CHECK_EQ(content_write(&of, "x", 1, (uint64_t)1 << 30), 1);
  CHECK_EQ(of.size, ((uint64_t)1 << 30) + 1);
  CHECK_EQ(content_total(), 1);
  CHECK_EQ(content_write(&of, "x", 1, FILE_BYTES_MAX), -EFBIG);
  CHECK_EQ(content_resize(&of, (uint64_t)1 << 33), 0);
  content_release(&of);
  CHECK_EQ(content_total(), 0);
}

static double seconds_to_append(size_t total) {
  struct timespec start, end;
  content of = {0};
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (size_t at = 0; at < total; at += 16)
    CHECK_EQ(content_write(&of, "0123456789abcdef", 16, at), 16);
  clock_gettime(CLOCK_MONOTONIC, &end);
  content_release(&of);
  return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

TEST(appending_in_small_pieces_is_linear) {
  host_boot(NULL);
  seconds_to_append(1 << 18);
  double small = seconds_to_append(1 << 20), large = seconds_to_append(1 << 24);
  if (large > small * 16 * 6) {
    fprintf(stderr, "  1 MiB takes %g s, 16 MiB %g s\n", small, large);
    CHECK(false);
  }
}

/* ---- limits ---- */

static void fill_with_files(void) {
  char name[32];
  int made = 0, fd;
  for (;; made++) {
    snprintf(name, sizeof name, "f%d", made);
    fd = sys_open(name, OPEN_WRITE | OPEN_CREATE, 0644);
    if (fd < 0) break;
    sys_close(fd);
  }
  CHECK_EQ(fd, -ENOSPC);
  CHECK_EQ(made, 19); /* and standard input */
  CHECK_EQ(sys_mkdir("d", 0755), -ENOSPC);
  CHECK_EQ(sys_symlink("x", "l"), -ENOSPC);
  CHECK_EQ(sys_link("f1", "hard"), 0);
  CHECK_EQ(sys_unlink("f1"), 0);
  CHECK_EQ(sys_mkdir("d", 0755), -ENOSPC);
  CHECK_EQ(sys_unlink("hard"), 0);
  CHECK_EQ(sys_mkdir("d", 0755), 0);
}

static void fill_with_bytes(void) {
  static char bytes[100000];
  int fd = sys_open("/tmp/large", OPEN_WRITE | OPEN_CREATE, 0644);
  CHECK_EQ(sys_write(fd, bytes, 60000), 60000);
  CHECK_EQ(sys_write(fd, bytes, 60000), -ENOSPC);
  CHECK_EQ(sys_write(fd, bytes, 40000), 40000);
  CHECK_EQ(sys_write(fd, bytes, 1), -ENOSPC);
  CHECK_EQ(sys_pwrite(fd, bytes, 100000, 0), 100000);
  CHECK_EQ(sys_truncate(fd, 99999), 0);
  CHECK_EQ(sys_write(fd, bytes, 1), -ENOSPC); /* its position lies beyond */
  CHECK_EQ(sys_pwrite(fd, bytes, 1, 99999), 1);
  CHECK_EQ(sys_unlink("/tmp/large"), 0);
  CHECK_EQ(sys_pwrite(fd, bytes, 1, 100000), -ENOSPC); /* it is open still */
  CHECK_EQ(sys_close(fd), 0);
  fd = sys_open("/tmp/again", OPEN_WRITE | OPEN_CREATE, 0644);
  CHECK_EQ(sys_write(fd, bytes, 100000), 100000);
}

TEST(limits_on_files_and_bytes_are_ENOSPC) {
  abi_limits limits = {
      .files = 20, .file_bytes = 100000, .in_flight = 1, .argument = 100, .stack = 1 << 20};
  host_boot(&file_hooks);
  host_send(ABI_LIMITS, 0, &limits, sizeof limits);
  in_guest(fill_with_bytes);
  CHECK_STR(host_done(NULL), "{\"end\":\"done\",\"status\":0}");
  operate(ABI_FILE_REMOVE, "/tmp", NULL, 0);
  in_guest(fill_with_files);
  CHECK_STR(host_done(NULL), "{\"end\":\"done\",\"status\":0}");
}

GUEST_TEST(folders_nest_as_deep_as_512_and_no_deeper) {
  int depth = 0;
  while (sys_mkdir("d", 0755) == 0 && sys_chdir("d") == 0) depth++;
  CHECK_EQ(depth, 511); /* below /workspace */
  CHECK_EQ(sys_mkdir("d", 0755), -ENAMETOOLONG);
  CHECK_EQ(sys_chdir("/workspace"), 0);
  CHECK_EQ(sys_mkdir("e", 0755), 0);
  CHECK_EQ(sys_rename("d", "e/d"), -ENAMETOOLONG);
  CHECK_EQ(sys_rename("d", "/tmp/d"), 0);
}

/* ---- what is there ---- */

GUEST_TEST(only_workspace_and_tmp_can_be_written) {
  file_stat stat;
  CHECK_EQ(sys_mkdir("/x", 0755), -EACCES);
  CHECK_EQ(sys_open("/dev/x", OPEN_WRITE | OPEN_CREATE, 0644), -EACCES);
  CHECK_EQ(sys_open("/tools/x", OPEN_WRITE | OPEN_CREATE, 0644), -EACCES);
  CHECK_EQ(sys_unlink("/dev/null"), -EACCES);
  CHECK_EQ(sys_rmdir("/workspace"), -EACCES);
  CHECK_EQ(sys_rename("/tmp", "/workspace/tmp"), -EACCES);
  CHECK_EQ(sys_chmod("/tmp", 0777), -EPERM);
  CHECK_EQ(sys_utimes("/", 0, 0, true), -EPERM);
  CHECK_EQ(sys_link("/tools/index.d.ts", "/workspace/i"), -EPERM);
  CHECK_EQ(sys_open("/tools/index.d.ts", OPEN_WRITE, 0), -EACCES);
  CHECK_EQ(sys_stat("/workspace", &stat), 0);
  CHECK(!stat.system);
  CHECK_EQ(sys_stat("/tmp", &stat), 0);
  CHECK_EQ(stat.mode, 01777);
}

GUEST_TEST(devices_do_what_they_say) {
  char bytes[64], more[64];
  memset(bytes, 7, sizeof bytes);
  int fd = sys_open("/dev/null", OPEN_READ | OPEN_WRITE, 0);
  CHECK_EQ(sys_write(fd, bytes, 64), 64);
  CHECK_EQ(sys_read(fd, bytes, 64), 0);
  fd = sys_open("/dev/zero", OPEN_READ, 0);
  CHECK_EQ(sys_read(fd, bytes, 64), 64);
  for (int i = 0; i < 64; i++) CHECK_EQ(bytes[i], 0);
  fd = sys_open("/dev/full", OPEN_WRITE, 0);
  CHECK_EQ(sys_write(fd, bytes, 64), -ENOSPC);
  fd = sys_open("/dev/urandom", OPEN_READ, 0);
  CHECK_EQ(sys_read(fd, bytes, 64), 64);
  CHECK_EQ(sys_read(fd, more, 64), 64);
  CHECK(memcmp(bytes, more, 64) != 0);
}

GUEST_TEST(descriptors_have_names) {
  int ends[2];
  char byte = 0, name[32];
  file_stat stat;
  CHECK_EQ(sys_pipe(ends), 0);
  snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
  int again = sys_open(name, OPEN_WRITE, 0);
  CHECK(again > ends[1]);
  CHECK_EQ(sys_write(again, "x", 1), 1);
  CHECK_EQ(sys_read(ends[0], &byte, 1), 1);
  CHECK_EQ(sys_open(name, OPEN_READ, 0), -EACCES); /* it is the writing end */
  CHECK_EQ(sys_stat(name, &stat), 0);
  CHECK_EQ(stat.kind, FILE_PIPE);
  CHECK_EQ(sys_stat("/dev/stdin", &stat), 0);
  CHECK_EQ(stat.kind, FILE_REGULAR);
  CHECK_EQ(sys_lstat("/dev/stdin", &stat), 0);
  CHECK_EQ(stat.kind, FILE_LINK);
  CHECK_EQ(sys_stat("/dev/stdout", &stat), 0);
  CHECK_EQ(stat.kind, FILE_DEVICE);
  CHECK_EQ(sys_stat("/dev/fd/999", &stat), -ENOENT);
  CHECK_EQ(sys_stat("/dev/fd/x", &stat), -ENOENT);
  CHECK_EQ(sys_unlink("/dev/fd/1"), -EACCES);
  /* A file is opened anew, at its start, as on Linux. */
  int fd = sys_open("f", OPEN_READ | OPEN_WRITE | OPEN_CREATE, 0644);
  CHECK_EQ(sys_write(fd, "abc", 3), 3);
  snprintf(name, sizeof name, "/dev/fd/%d", fd);
  again = sys_open(name, OPEN_READ, 0);
  CHECK_EQ(sys_read(again, &byte, 1), 1);
  CHECK_EQ(byte, 'a');
}

GUEST_TEST(a_folder_is_read_as_it_was_when_it_was_opened) {
  directory *open;
  const char *name;
  file_kind kind;
  CHECK_EQ(sys_mkdir("b", 0755), 0);
  CHECK_EQ(sys_mkdir("a", 0755), 0);
  CHECK_EQ(directory_open(".", &open), 0);
  CHECK_EQ(sys_rmdir("a"), 0);
  CHECK_EQ(sys_mkdir("c", 0755), 0);
  CHECK(directory_next(open, &name, &kind));
  CHECK_STR(name, "b"); /* in the order they were made */
  CHECK(directory_next(open, &name, &kind));
  CHECK_STR(name, "a");
  CHECK(!directory_next(open, &name, &kind));
  directory_close(open);
}

GUEST_TEST(ten_thousand_names_in_one_folder_are_found) {
  char name[32];
  file_stat stat;
  for (int i = 0; i < 9000; i++) {
    snprintf(name, sizeof name, "name-%d", i);
    CHECK_EQ(sys_mkdir(name, 0755), 0);
  }
  for (int i = 0; i < 9000; i += 3) {
    snprintf(name, sizeof name, "name-%d", i);
    CHECK_EQ(sys_rmdir(name), 0);
  }
  for (int i = 0; i < 9000; i++) {
    snprintf(name, sizeof name, "name-%d", i);
    CHECK_EQ(sys_stat(name, &stat), i % 3 == 0 ? -ENOENT : 0);
  }
  CHECK_EQ(sys_stat(".", &stat), 0);
  CHECK_EQ(stat.links, 2 + 6000);
}

/* ---- the host ---- */

TEST(the_host_puts_gets_lists_and_removes) {
  host_boot(&file_hooks);
  CHECK_EQ(put("/workspace/a/b/c.txt", "hello"), 0);
  CHECK_STR(get("/workspace/a/b/c.txt"), "hello");
  CHECK_EQ(operate(ABI_FILE_APPEND, "/workspace/a/b/c.txt", " you", 4), 0);
  CHECK_STR(get("workspace//a/./b/c.txt"), "hello you");
  CHECK_EQ(put("/workspace/a/b", "x"), 21);
  CHECK_EQ(put("/workspace/a/b/c.txt/d", "x"), 20);
  CHECK_EQ(operate(ABI_FILE_GET, "/workspace/none", NULL, 0), 2);
  CHECK_EQ(operate(ABI_FILE_GET, "/workspace", NULL, 0), 21);
  CHECK_EQ(operate(ABI_FILE_LIST, "/workspace/a", NULL, 0), 0);
  CHECK(strstr((char *)pieces, "{\"name\":\"b\",\"kind\":\"folder\",\"size\":0,\"mode\":493,") !=
        NULL);
  CHECK_EQ(operate(ABI_FILE_LIST, "/workspace/a/b/c.txt", NULL, 0), 20);
  CHECK_EQ(operate(ABI_FILE_REMOVE, "/workspace/a", NULL, 0), 0);
  CHECK_EQ(operate(ABI_FILE_LIST, "/workspace", NULL, 0), 0);
  CHECK_STR((char *)pieces, "[]");
  CHECK_EQ(operate(ABI_FILE_REMOVE, "/workspace", NULL, 0), 0);
  CHECK_EQ(operate(ABI_FILE_LIST, "/workspace", NULL, 0), 0);
  CHECK_EQ(operate(ABI_FILE_REMOVE, "/", NULL, 0), 16);
  CHECK_EQ(operate(ABI_FILE_REMOVE, "/dev/null", NULL, 0), 16);
  CHECK_EQ(operate(999, "/", NULL, 0), 38);
  CHECK_EQ(operate(ABI_FILE_MKDIR, "/workspace/d/e", NULL, 0), 0);
  CHECK_EQ(operate(ABI_FILE_MKDIR, "/workspace/d/e", NULL, 0), 0);
  CHECK_EQ(operate(ABI_FILE_STAT, "/workspace/d/e", NULL, 0), 0);
  CHECK(strstr((char *)pieces, "{\"name\":\"e\",\"kind\":\"folder\",\"size\":0,") != NULL);
  CHECK_EQ(put("/workspace/d/\xff", "x"), 0);
  CHECK_EQ(operate(ABI_FILE_MKDIR, "/workspace/d/\xff", NULL, 0), 17);
  CHECK_EQ(operate(ABI_FILE_MKDIR, "/workspace/d/\xff/e", NULL, 0), 20);
  CHECK_EQ(operate(ABI_FILE_STAT, "/workspace/d/\xff", NULL, 0), 0);
  CHECK(strstr((char *)pieces, "\",\"name_bytes\":\"ff\",\"kind\":\"file\",\"size\":1,") != NULL);
  CHECK_EQ(operate(ABI_FILE_STAT, "/workspace/none", NULL, 0), 2);
  CHECK_EQ(put("", "x"), 2);
}

static void write_where_the_host_wrote(void) {
  CHECK_EQ(sys_open("/data/config", OPEN_WRITE, 0), -EACCES);
  CHECK_EQ(sys_unlink("/data/config"), -EACCES);
  CHECK(sys_open("/workspace/mine", OPEN_WRITE, 0) >= 0);
  CHECK(sys_open("/tmp/mine", OPEN_WRITE, 0) >= 0);
}

TEST(what_the_host_puts_is_the_programs_only_where_it_may_write) {
  host_boot(&file_hooks);
  CHECK_EQ(put("/data/config", "x"), 0);
  CHECK_EQ(put("/workspace/mine", "x"), 0);
  CHECK_EQ(put("/tmp/mine", "x"), 0);
  in_guest(write_where_the_host_wrote);
  CHECK_STR(host_done(NULL), "{\"end\":\"done\",\"status\":0}");
}

TEST(a_large_file_goes_out_in_pieces) {
  enum { SIZE = 1 << 20 };
  char *bytes = malloc(SIZE);
  for (int i = 0; i < SIZE; i++) bytes[i] = (char)(i * 7 + i / 1000);
  host_boot(&file_hooks);
  CHECK_EQ(operate(ABI_FILE_PUT, "/tmp/large", bytes, SIZE), 0);
  CHECK_EQ(operate(ABI_FILE_GET, "/tmp/large", NULL, 0), 0);
  CHECK_EQ(pieces_size, SIZE);
  CHECK(memcmp(pieces, bytes, SIZE) == 0);
  free(bytes);
}

/* ---- diff ---- */

static void change_things(void) {
  CHECK_EQ(sys_unlink("gone"), 0);
  CHECK_EQ(sys_rename("folder", "moved"), 0);
  int fd = sys_open("grown", OPEN_WRITE | OPEN_APPEND, 0);
  CHECK_EQ(sys_write(fd, "12345", 5), 5);
  sys_close(fd);
  CHECK_EQ(sys_mkdir("new", 0755), 0);
  fd = sys_open("new/file", OPEN_WRITE | OPEN_CREATE, 0644);
  CHECK_EQ(sys_write(fd, "abc", 3), 3);
  sys_close(fd);
  fd = sys_open("passing", OPEN_WRITE | OPEN_CREATE, 0644);
  sys_close(fd);
  CHECK_EQ(sys_unlink("passing"), 0);
  CHECK_EQ(sys_chmod("mode", 0600), 0);
  fd = sys_open("kept", OPEN_READ, 0);
  sys_close(fd);
}

TEST(a_diff_tells_what_was_created_modified_and_deleted) {
  host_boot(&file_hooks);
  put("/workspace/gone", "1");
  put("/workspace/folder/in/deep", "22");
  put("/workspace/grown", "333");
  put("/workspace/kept", "4444");
  put("/workspace/mode", "5");
  CHECK_EQ(operate(ABI_FILE_MARK, "/", NULL, 0), 0);
  CHECK_STR(diff(), "{\"created\":[],\"modified\":[],\"deleted\":[]}");
  in_guest(change_things);
  CHECK_STR(host_done(NULL), "{\"end\":\"done\",\"status\":0}");
  CHECK_STR(diff(),
            "{\"created\":[{\"path\":\"/workspace/moved\",\"kind\":\"folder\",\"size\":0},"
            "{\"path\":\"/workspace/moved/in\",\"kind\":\"folder\",\"size\":0},"
            "{\"path\":\"/workspace/moved/in/deep\",\"kind\":\"file\",\"size\":2},"
            "{\"path\":\"/workspace/new\",\"kind\":\"folder\",\"size\":0},"
            "{\"path\":\"/workspace/new/file\",\"kind\":\"file\",\"size\":3}],"
            "\"modified\":[{\"path\":\"/workspace/grown\",\"kind\":\"file\",\"size\":8,\"was\":3},"
            "{\"path\":\"/workspace/mode\",\"kind\":\"file\",\"size\":1,\"was\":1,"
            "\"content\":false}],"
            "\"deleted\":[{\"path\":\"/workspace/gone\",\"kind\":\"file\",\"size\":1},"
            "{\"path\":\"/workspace/folder\",\"kind\":\"folder\",\"size\":0},"
            "{\"path\":\"/workspace/folder/in\",\"kind\":\"folder\",\"size\":0},"
            "{\"path\":\"/workspace/folder/in/deep\",\"kind\":\"file\",\"size\":2}]}");
  CHECK_EQ(operate(ABI_FILE_MARK, "/", NULL, 0), 0);
  CHECK_STR(diff(), "{\"created\":[],\"modified\":[],\"deleted\":[]}");
}

static void change_attributes(void) {
  CHECK_EQ(sys_chmod("mode", 0600), 0);
  CHECK_EQ(sys_utimes("times", -1, 7, true), 0);
  CHECK_EQ(sys_utimes("written", 1, 2, true), 0);
  int fd = sys_open("written", OPEN_WRITE, 0);
  CHECK_EQ(sys_write(fd, "ab", 2), 2);
  sys_close(fd);
  CHECK_EQ(sys_chmod("folder", 0700), 0);
  fd = sys_open("handle", OPEN_READ, 0);
  CHECK_EQ(sys_fchmod(fd, 0640), 0);
  CHECK_EQ(sys_futimes(fd, 3, 4), 0);
  sys_close(fd);
  CHECK_EQ(sys_fchmod(fd, 0), -EBADF);
  CHECK_EQ(sys_futimes(1, 0, 0), -EPERM);
}

TEST(a_diff_tells_modes_and_the_times_that_were_set) {
  host_boot(&file_hooks);
  put("/workspace/mode", "1");
  put("/workspace/times", "1");
  put("/workspace/written", "1");
  put("/workspace/folder/in", "1");
  put("/workspace/handle", "1");
  CHECK_EQ(operate(ABI_FILE_MARK, "/", NULL, 0), 0);
  in_guest(change_attributes);
  CHECK_STR(
      whole_diff(),
      "{\"created\":[],\"modified\":["
      "{\"path\":\"/workspace/mode\",\"kind\":\"file\",\"size\":1,\"was\":1,\"content\":false,"
      "\"mode\":384},"
      "{\"path\":\"/workspace/times\",\"kind\":\"file\",\"size\":1,\"was\":1,\"content\":false,"
      "\"mode\":420,\"atime\":-1,\"mtime\":7},"
      "{\"path\":\"/workspace/written\",\"kind\":\"file\",\"size\":2,\"was\":1,\"mode\":420},"
      "{\"path\":\"/workspace/folder\",\"kind\":\"folder\",\"size\":0,\"was\":0,"
      "\"content\":false,\"mode\":448},"
      "{\"path\":\"/workspace/handle\",\"kind\":\"file\",\"size\":1,\"was\":1,\"content\":false,"
      "\"mode\":416,\"atime\":3,\"mtime\":4}],\"deleted\":[]}");
}

/* The model: every path with its kind and content, before and after. */
typedef struct {
  char path[200], kind;
  uint64_t size, hash;
} seen;
static seen before[3000], after[3000];
static size_t before_count, after_count;

static void look(seen *list, size_t *count, const char *path) {
  directory *open;
  const char *name;
  file_kind kind;
  CHECK_EQ(directory_open(path, &open), 0);
  while (directory_next(open, &name, &kind)) {
    seen *at = &list[(*count)++];
    char bytes[300];
    CHECK(*count < 3000);
    *at = (seen){.kind = kind == FILE_DIRECTORY ? 'd' : kind == FILE_LINK ? 'l' : 'f'};
    snprintf(at->path, sizeof at->path, "%s/%s", path, name);
    int64_t size = 0;
    if (at->kind == 'l') size = sys_readlink(at->path, bytes, sizeof bytes);
    if (at->kind == 'f') {
      int fd = sys_open(at->path, OPEN_READ, 0);
      size = sys_read(fd, bytes, sizeof bytes);
      sys_close(fd);
    }
    at->size = (uint64_t)size;
    for (int64_t i = 0; i < size; i++) at->hash = at->hash * 31 + (uint8_t)bytes[i];
    if (at->kind == 'd') look(list, count, at->path);
  }
  directory_close(open);
}

static void random_path(char *to) {
  *to = 0;
  for (int parts = 1 + rand() % 3; parts > 0; parts--) {
    strcat(to, (const char *[]){"a", "b", "c", "d"}[rand() % 4]);
    if (parts > 1) strcat(to, "/");
  }
}

static unsigned written;

static void change_at_random(void) {
  char p[100], q[100];
  for (int i = 0; i < 60; i++) {
    random_path(p);
    random_path(q);
    switch (rand() % 8) {
      case 0:
      case 1:
        sys_mkdir(p, 0755);
        break;
      case 2:
        sys_unlink(p);
        break;
      case 3:
        sys_rmdir(p);
        break;
      case 4:
      case 5:
        sys_rename(p, q);
        break;
      case 6:
        sys_symlink(q, p);
        break;
      default: {
        int fd = sys_open(p, OPEN_WRITE | OPEN_CREATE | OPEN_NOFOLLOW, 0644);
        if (fd < 0) break;
        char text[16]; /* always something new */
        int size = snprintf(text, sizeof text, "%u", ++written);
        sys_write(fd, text, (size_t)size);
        sys_close(fd);
      }
    }
  }
}

static void look_before(void) {
  before_count = 0;
  look(before, &before_count, "/workspace");
}
static void change_and_look(void) {
  change_at_random();
  after_count = 0;
  look(after, &after_count, "/workspace");
}

static const seen *find(const seen *list, size_t count, const char *path) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].path, path) == 0) return &list[i];
  return NULL;
}

/* Whether the diff's list holds the path. */
static bool tells(const char *list, const char *path) {
  char wanted[300];
  const char *from = strstr((char *)pieces, list), *end = strchr(from, ']');
  snprintf(wanted, sizeof wanted, "{\"path\":\"%s\",", path);
  const char *found = strstr(from, wanted);
  return found != NULL && found < end;
}

static void compare_with_model(void) {
  for (size_t i = 0; i < after_count; i++) {
    const seen *now = &after[i], *then = find(before, before_count, now->path);
    TEST_ROW(now->path);
    bool created = then == NULL || then->kind != now->kind;
    bool differs = !created && (then->size != now->size || then->hash != now->hash);
    CHECK_EQ(tells("\"created\"", now->path), created);
    if (created || differs) CHECK_EQ(tells("\"modified\"", now->path), differs);
    if (now->kind == 'd') CHECK(!tells("\"modified\"", now->path));
  }
  for (size_t i = 0; i < before_count; i++) {
    const seen *then = &before[i], *now = find(after, after_count, then->path);
    TEST_ROW(then->path);
    CHECK_EQ(tells("\"deleted\"", then->path), now == NULL || now->kind != then->kind);
  }
  size_t told = 0;
  for (const char *at = (char *)pieces; (at = strstr(at, "{\"path\"")) != NULL; at++) told++;
  CHECK(told <= before_count + after_count);
}

TEST(a_diff_is_what_two_looks_at_the_tree_say) {
  host_boot(&file_hooks);
  for (int seed = 1; seed <= 400; seed++) {
    srand((unsigned)seed);
    operate(ABI_FILE_REMOVE, "/workspace", NULL, 0);
    in_guest(change_at_random);
    CHECK_EQ(operate(ABI_FILE_MARK, "/", NULL, 0), 0);
    in_guest(look_before);
    in_guest(change_and_look);
    diff();
    compare_with_model();
  }
}

/* ---- tar ---- */

static int run_tar(const char *command) {
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL);
  CHECK_EQ(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static size_t read_file(const char *path, uint8_t **bytes) {
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  *bytes = malloc(size + 1);
  CHECK_EQ(fread(*bytes, 1, size, file), size);
  fclose(file);
  return size;
}

static char scratch[64];

static const char *in_scratch(const char *format) {
  static char text[2][4000];
  static int turn;
  char *to = text[turn ^= 1];
  *to = 0;
  for (const char *at = format; *at != 0; at++) {
    if (*at == '@')
      strcat(to, scratch);
    else
      strncat(to, at, 1);
  }
  return to;
}

static void make_scratch(void) {
  strcpy(scratch, "/tmp/fs-test-XXXXXX");
  CHECK(mkdtemp(scratch) != NULL);
}

/* Names that a header has no room for, or that are no text; links; modes; sizes at block borders.
 */
static void make_odd_tree(void) {
  char long_name[256];
  memset(long_name, 'n', 255);
  long_name[255] = 0;
  CHECK_EQ(
      run_tar(in_scratch("mkdir -p @/in/a/b/c @/in/empty && cd @/in && printf hello > a/x && "
                         "ln a/x a/b/hard && ln -s ../x a/b/soft && ln -s /nowhere dangling && "
                         "printf '' > nothing && head -c 512 /dev/zero > block && "
                         "head -c 100000 /dev/urandom > a/big && chmod 600 a/big && "
                         "chmod 711 a/b && printf x > \"$(printf '\\377\\376 \\n')\" && "
                         "touch -d '2009-02-13 23:31:30 UTC' block a/b a/b/c")),
      0);
  char path[600];
  snprintf(path, sizeof path, "%s/in/%s", scratch, long_name);
  write_file(path, "1", 1);
  snprintf(path, sizeof path, "%s/in/a/%s", scratch, long_name);
  CHECK_EQ(mkdir(path, 0755), 0);
  strcat(path, "/inner");
  write_file(path, "2", 1);
  snprintf(path, sizeof path, "%s/in/longlink", scratch);
  CHECK_EQ(symlink(long_name, path), 0);
}

static void compare_trees(const char *list_options) {
  char command[1000];
  const char *list =
      "find . -mindepth 1 -printf '%P|%y|%m|%n|%l|' -a \\( -type f -printf '%s' -o -true "
      "\\) -printf '\\0' | sort -z";
  snprintf(
      command, sizeof command,
      "cd %s && (cd in && %s) > in.list && (cd out && %s) > out.list && cmp in.list out.list && "
      "diff -r --no-dereference in out %s",
      scratch, list, list, list_options);
  CHECK_EQ(run_tar(command), 0);
}

static void import_from(const char *file, size_t piece) {
  uint8_t *bytes;
  size_t size = read_file(file, &bytes);
  CHECK_EQ(operate(ABI_FILE_IMPORT, "/workspace/tree", NULL, 0), 0);
  for (size_t at = 0; at < size; at += piece) {
    size_t part = size - at < piece ? size - at : piece;
    int error = operate(ABI_FILE_MORE, "", bytes + at, part);
    if (error != 0) fprintf(stderr, "  %s\n", (char *)pieces);
    CHECK_EQ(error, 0);
  }
  CHECK_EQ(operate(ABI_FILE_MORE, "", NULL, 0), 0);
  free(bytes);
}

TEST(a_tree_survives_the_way_through_tar_and_back) {
  static const struct {
    const char *format;
    size_t piece;
  } rows[] = {{"gnu", 1 << 20}, {"pax", 700}, {"gnu", 1}, {"pax", 513}, {"posix", 4096}};
  make_scratch();
  make_odd_tree();
  host_boot(&file_hooks);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].format);
    char command[300];
    snprintf(command, sizeof command,
             "cd @ && tar --format=%s -C in -cf in.tar . && rm -rf out && mkdir out",
             rows[i].format);
    CHECK_EQ(run_tar(in_scratch(command)), 0);
    import_from(in_scratch("@/in.tar"), rows[i].piece);
    CHECK_EQ(operate(ABI_FILE_EXPORT, "/workspace/tree", NULL, 0), 0);
    write_file(in_scratch("@/out.tar"), pieces, pieces_size);
    CHECK_EQ(run_tar(in_scratch("cd @ && tar -C out --same-permissions -xf out.tar")), 0);
    compare_trees("");
    CHECK_EQ(run_tar(in_scratch("test \"$(cd @/out; stat -c %Y block a/b a/b/c | uniq)\" = "
                                "1234567890")),
             0);
    CHECK_EQ(operate(ABI_FILE_REMOVE, "/workspace/tree", NULL, 0), 0);
  }
  run_tar(in_scratch("rm -rf @"));
}

TEST(every_length_of_a_name_survives_tar) {
  make_scratch();
  host_boot(&file_hooks);
  char path[1200], name[300];
  for (size_t size = 1; size <= 255; size += size < 90 ? 17 : 1) {
    memset(name, 'a' + (int)size % 26, size);
    name[size] = 0;
    snprintf(path, sizeof path, "/workspace/t/%s", name);
    CHECK_EQ(put(path, "x"), 0);
    snprintf(path, sizeof path, "/workspace/t/d/%.*s/%s", (int)size / 2 + 1, name, name);
    CHECK_EQ(put(path, name), 0);
  }
  CHECK_EQ(operate(ABI_FILE_EXPORT, "/workspace/t", NULL, 0), 0);
  write_file(in_scratch("@/t.tar"), pieces, pieces_size);
  CHECK_EQ(run_tar(in_scratch(
               "cd @ && mkdir x && tar -C x -xf t.tar && tar -C x --format=gnu -cf in.tar .")),
           0);
  import_from(in_scratch("@/in.tar"), 10000);
  for (size_t size = 1; size <= 255; size += size < 90 ? 17 : 1) {
    memset(name, 'a' + (int)size % 26, size);
    name[size] = 0;
    snprintf(path, sizeof path, "/workspace/tree/d/%.*s/%s", (int)size / 2 + 1, name, name);
    CHECK_STR(get(path), name);
  }
  run_tar(in_scratch("rm -rf @"));
}

static void tar_with(const char *name, const char *link, char type, uint8_t block[1024]) {
  memset(block, 0, 1024);
  strcpy((char *)block, name);
  memcpy(block + 100, "0000644\0000000000\0000000000\00000000000000\00000000000000", 47);
  memcpy(block + 124, "00000000000", 11);
  block[156] = (uint8_t)type;
  strcpy((char *)block + 157, link);
  memcpy(block + 257, "ustar\00000", 8);
  memset(block + 148, ' ', 8);
  unsigned sum = 0;
  for (int i = 0; i < 512; i++) sum += block[i];
  snprintf((char *)block + 148, 8, "%06o", sum);
}

TEST(a_tar_stream_that_is_wrong_is_refused_with_a_reason) {
  uint8_t block[1024];
  host_boot(&file_hooks);
  static const struct {
    const char *name, *link;
    char type;
    int error;
    const char *reason;
  } rows[] = {
      {"../out", "", '0', 22, "a name leads out of the folder: ../out"},
      {"a/../../out", "", '0', 22, "a name leads out of the folder: a/../../out"},
      {"hard", "../../tmp/x", '1', 22, "a name leads out of the folder: ../../tmp/x"},
      {"hard", "none", '1', 2, "a hard link to what is not there: hard"},
      {"device", "", '3', 95, "neither a file, a folder nor a link: device"},
      {"pipe", "", '6', 95, "neither a file, a folder nor a link: pipe"},
      {"soft", "", '2', 22, "a link leads nowhere: soft"},
      {"/", "", '0', 0, ""},
      {"/absolute", "", '0', 0, ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].name);
    tar_with(rows[i].name, rows[i].link, rows[i].type, block);
    CHECK_EQ(operate(ABI_FILE_IMPORT, "/workspace/w", block, 1024), rows[i].error);
    if (rows[i].error != 0) CHECK_STR((char *)pieces, rows[i].reason);
  }
  CHECK_STR(get("/workspace/w/absolute"), "");
  tar_with("file", "", '0', block);
  block[0] ^= 1;
  CHECK_EQ(operate(ABI_FILE_IMPORT, "/workspace/w", block, 1024), 22);
  tar_with("file", "", '0', block);
  CHECK_EQ(operate(ABI_FILE_IMPORT, "/workspace/w", block, 300), 0);
  CHECK_EQ(operate(ABI_FILE_MORE, "", NULL, 0), 22);
  CHECK_STR((char *)pieces, "the tar stream is cut short: ");
  CHECK_EQ(operate(ABI_FILE_MORE, "", block, 10), 22);
}

/* Links inside the archive lead later entries nowhere. */
TEST(a_tar_stream_cannot_write_through_its_own_links) {
  uint8_t block[1024], both[2048];
  host_boot(&file_hooks);
  tar_with("link", "/tmp", '2', block);
  memcpy(both, block, 512);
  tar_with("link/file", "", '0', block);
  memcpy(both + 512, block, 1024);
  CHECK_EQ(operate(ABI_FILE_IMPORT, "/workspace/w", both, 1536), 20);
  CHECK_EQ(operate(ABI_FILE_GET, "/tmp/file", NULL, 0), 2);
}

TEST(random_damage_to_a_tar_stream_is_survived) {
  make_scratch();
  make_odd_tree();
  host_boot(&file_hooks);
  CHECK_EQ(run_tar(in_scratch("cd @ && rm in/a/big && tar --format=pax -C in -cf in.tar .")), 0);
  uint8_t *bytes, *damaged;
  size_t size = read_file(in_scratch("@/in.tar"), &bytes);
  damaged = malloc(size);
  srand(1);
  for (int round = 0; round < 3000; round++) {
    memcpy(damaged, bytes, size);
    for (int i = rand() % 4; i >= 0; i--) damaged[(size_t)rand() % size] = (uint8_t)rand();
    operate(ABI_FILE_IMPORT, "/workspace/w", damaged,
            rand() % 4 == 0 ? (size_t)rand() % size : size);
    operate(ABI_FILE_MORE, "", NULL, 0);
    operate(ABI_FILE_REMOVE, "/workspace/w", NULL, 0);
  }
  free(bytes);
  free(damaged);
  run_tar(in_scratch("rm -rf @"));
}

/* ---- tools ---- */

TEST(tools_are_declared_in_files) {
  static const char tools[] =
      "[{\"name\":\"stripe/charges/create\",\"description\":\"Charge a "
      "customer.\",\"input_schema\":{"
      "\"type\":\"object\",\"properties\":{\"amount\":{\"type\":\"integer\",\"description\":\"In "
      "cents.\"},\"currency\":{\"enum\":[\"USD\",\"EUR\"]},\"tags\":{\"type\":\"array\",\"items\":{"
      "\"type\":[\"string\",\"null\"]}},\"x-y\":{\"type\":\"object\"}},\"required\":[\"amount\"]}},"
      "{\"name\":\"files/delete\",\"input_schema\":{\"type\":\"object\"}},"
      "{\"name\":\"odd-name\",\"description\":\"a */ "
      "b\\nc\"},{\"name\":\"..\"},{\"name\":\"a//b\"}]";
  host_boot(&file_hooks);
  host_send(ABI_TOOLS, 0, tools, strlen(tools));
  CHECK_STR(get("/tools/stripe/charges/create.d.ts"),
            "declare namespace stripe.charges {\n"
            "  /** Charge a customer. */\n"
            "  function create(args: {\n"
            "    /** In cents. */\n"
            "    amount: number;\n"
            "    currency?: \"USD\" | \"EUR\";\n"
            "    tags?: Array<string | null>;\n"
            "    \"x-y\"?: Record<string, unknown>;\n"
            "  }): Promise<any>;\n"
            "}\n");
  CHECK_STR(get("/tools/files/delete.d.ts"),
            "declare namespace files {\n"
            "  function delete_(args: Record<string, unknown>): Promise<any>;\n"
            "  export { delete_ as delete };\n"
            "}\n");
  CHECK_STR(get("/tools/odd-name.d.ts"),
            "interface Tools {\n"
            "  /**\n"
            "   * a * / b\n"
            "   * c\n"
            "   */\n"
            "  \"odd-name\"(args: Record<string, unknown>): Promise<any>;\n"
            "}\n"
            "declare const tools: Tools;\n");
  const char *index = get("/tools/index.d.ts");
  CHECK(strstr(index, "create(args") != NULL && strstr(index, "\"..\"(args") != NULL);
  CHECK_EQ(operate(ABI_FILE_LIST, "/tools", NULL, 0), 0);
  CHECK(strstr((char *)pieces, "odd-name.d.ts") != NULL);
  host_send(ABI_TOOLS, 0, "[]", 2);
  CHECK_EQ(operate(ABI_FILE_GET, "/tools/odd-name.d.ts", NULL, 0), 2);
  CHECK_STR(diff(), "{\"created\":[],\"modified\":[],\"deleted\":[]}");
}

TEST(a_schema_that_refers_to_itself_ends) {
  static const char tools[] =
      "[{\"name\":\"t\",\"input_schema\":{\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":{"
      "\"next\":{\"$ref\":\"#/$defs/n\"}}}},\"$ref\":\"#/$defs/n\"}},"
      "{\"name\":\"u\",\"input_schema\":{\"anyOf\":[{\"const\":1},{\"type\":\"string\"},false]}},"
      "{\"name\":\"v\",\"input_schema\":{\"$ref\":\"http://"
      "x\"}},{\"name\":\"w\",\"input_schema\":7}]";
  host_boot(&file_hooks);
  host_send(ABI_TOOLS, 0, tools, strlen(tools));
  CHECK(strlen(get("/tools/t.d.ts")) < 5000);
  CHECK_STR(get("/tools/u.d.ts"), "declare function u(args: 1 | string | never): Promise<any>;\n");
  CHECK_STR(get("/tools/v.d.ts"), "declare function v(args: unknown): Promise<any>;\n");
  CHECK_STR(get("/tools/w.d.ts"), "declare function w(args: unknown): Promise<any>;\n");
}

TEST_MAIN(TEST_ENTRY(content_is_what_an_array_would_be),
          TEST_ENTRY(holes_take_no_memory_and_no_allowance),
          TEST_ENTRY(appending_in_small_pieces_is_linear),
          TEST_ENTRY(limits_on_files_and_bytes_are_ENOSPC),
          TEST_ENTRY(folders_nest_as_deep_as_512_and_no_deeper),
          TEST_ENTRY(only_workspace_and_tmp_can_be_written), TEST_ENTRY(devices_do_what_they_say),
          TEST_ENTRY(descriptors_have_names),
          TEST_ENTRY(a_folder_is_read_as_it_was_when_it_was_opened),
          TEST_ENTRY(ten_thousand_names_in_one_folder_are_found),
          TEST_ENTRY(the_host_puts_gets_lists_and_removes),
          TEST_ENTRY(what_the_host_puts_is_the_programs_only_where_it_may_write),
          TEST_ENTRY(a_large_file_goes_out_in_pieces),
          TEST_ENTRY(a_diff_tells_what_was_created_modified_and_deleted),
          TEST_ENTRY(a_diff_tells_modes_and_the_times_that_were_set),
          TEST_ENTRY(a_diff_is_what_two_looks_at_the_tree_say),
          TEST_ENTRY(a_tree_survives_the_way_through_tar_and_back),
          TEST_ENTRY(every_length_of_a_name_survives_tar),
          TEST_ENTRY(a_tar_stream_that_is_wrong_is_refused_with_a_reason),
          TEST_ENTRY(a_tar_stream_cannot_write_through_its_own_links),
          TEST_ENTRY(random_damage_to_a_tar_stream_is_survived),
          TEST_ENTRY(tools_are_declared_in_files), TEST_ENTRY(a_schema_that_refers_to_itself_ends))
