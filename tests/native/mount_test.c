// SPDX-License-Identifier: MIT
/* mount_test.c -- folders of the host in the guest, with a host that makes them up as it is asked.
 */
#include "../../guest/fs/lazy.h"
#include "guest_process.h"

/* ---- a host whose folders are a rule, not a tree ----
 *
 * Source 1 holds "file" (10), "large" (11), "link" (12), "wide" (2) and "deep" (3), "unseen" (4). 2
 * holds 100,000 files, 3 "deep" (3) again, 4 "inner" (5), which holds "file" (10). */

enum { LARGE = 100000, WIDE = 100000 };
static int lists, reads;
static bool broken, silent;

static uint8_t *put_entry(uint8_t *to, uint32_t source, int kind, const char *name,
                          const char *target, uint64_t size) {
  abi_listed entry = {.source = source,
                      .mode = kind == 2 ? 0775 : 0664,
                      .size = size,
                      .mtime = 1234567890123456789,
                      .kind = (uint16_t)kind,
                      .name = (uint16_t)strlen(name),
                      .target = (uint16_t)strlen(target)};
  memcpy(to, &entry, sizeof entry);
  memcpy(to + sizeof entry, name, entry.name);
  memcpy(to + sizeof entry + entry.name, target, entry.target);
  return to + ((sizeof entry + entry.name + entry.target + 7) & ~(size_t)7);
}

static uint8_t *put_folder(uint8_t *to, uint32_t source) {
  char name[32];
  if (source == 1) {
    to = put_entry(to, 10, 1, "file", "", 5);
    to = put_entry(to, 11, 1, "large", "", LARGE);
    to = put_entry(to, 12, 3, "link", "deep/deep/file", 14);
    to = put_entry(to, 2, 2, "wide", "", 0);
    to = put_entry(to, 3, 2, "deep", "", 0);
    to = put_entry(to, 13, 1, "gone", "", 7);
    to = put_entry(to, 4, 2, "unseen", "", 0);
  }
  for (uint32_t i = 0; source == 2 && i < WIDE; i++) {
    snprintf(name, sizeof name, "file-%u", i);
    to = put_entry(to, 1000 + i, 1, name, "", i % 10);
  }
  if (source == 4) to = put_entry(to, 5, 2, "inner", "", 0);
  if (source == 5) to = put_entry(to, 10, 1, "file", "", 5);
  if (source == 3) {
    to = put_entry(to, 3, 2, "deep", "", 0);
    to = put_entry(to, 10, 1, "file", "", 5);
  }
  return to;
}

static uint8_t listing[WIDE * 64], file_bytes[LARGE];

static size_t bytes_of(const abi_fetch *wanted, const uint8_t **bytes) {
  *bytes = file_bytes;
  if (wanted->operation == ABI_FETCH_LIST) {
    lists++;
    *bytes = listing;
    static uint32_t listed;
    static size_t size;
    if (listed != wanted->source) size = (size_t)(put_folder(listing, wanted->source) - listing);
    listed = wanted->source;
    return size;
  }
  reads++;
  for (uint32_t i = 0; i < LARGE; i++) file_bytes[i] = (uint8_t)(i * 31 + i / 256);
  if (wanted->source == 10) memcpy(file_bytes, "hello", 5);
  return wanted->source == 11 ? LARGE : wanted->source == 10 ? 5 : (wanted->source - 1000) % 10;
}

static void answer(uint32_t kind, uint32_t id, const uint8_t *record, uint32_t size) {
  if (kind != ABI_FETCH) return;
  CHECK_EQ(id, 5);
  abi_fetch wanted;
  CHECK_EQ(size, sizeof wanted);
  memcpy(&wanted, record, sizeof wanted);
  abi_fetched *fetched = mount_answer();
  if (silent) return;
  fetched->done = 1;
  if (broken || wanted.source == 13) {
    fetched->error = 2;
    return;
  }
  const uint8_t *bytes;
  size_t whole = bytes_of(&wanted, &bytes);
  size_t left = wanted.offset < whole ? whole - (size_t)wanted.offset : 0;
  fetched->size = left < wanted.capacity ? (uint32_t)left : wanted.capacity;
  memcpy(mount_buffer(), bytes + wanted.offset, fetched->size);
}

static void mount_at(const char *path, bool writable) {
  uint8_t record[100];
  abi_mount mount = {.source = 1, .writable = writable};
  memcpy(record, &mount, sizeof mount);
  memcpy(record + sizeof mount, path, strlen(path));
  host_send(ABI_MOUNT, 5, record, sizeof mount + strlen(path));
}

static const host_hooks hooks = {.record = answer};

static void run_mounted(void (*body)(void), const char *path, bool writable) {
  guest_test_body = body;
  host_boot(&hooks);
  mount_at(path, writable);
  host_step();
  CHECK_EQ(lists + reads, 0);
  host_send(ABI_RUN_SH, 1, "test", 5);
  CHECK(host_run(1));
  CHECK_STR(host_done(NULL), "{\"end\":\"done\",\"status\":0}");
}

/* ---- tests ---- */

static void read_mounted(void) {
  file_stat stat;
  char bytes[10] = "";
  CHECK_EQ(sys_stat("/data", &stat), 0);
  CHECK_EQ(lists, 1);
  CHECK_EQ(sys_stat("/data/large", &stat), 0);
  CHECK_EQ(stat.size, LARGE);
  CHECK_EQ(stat.mode, 0444);
  CHECK_EQ(stat.mtime, 1234567890123456789);
  CHECK_EQ(reads, 0); /* its size is known without its bytes */
  int fd = sys_open("/data/file", OPEN_READ, 0);
  CHECK_EQ(sys_read(fd, bytes, 10), 5);
  CHECK_STR(bytes, "hello");
  CHECK_EQ(reads, 1);
  fd = sys_open("/data/file", OPEN_READ, 0);
  CHECK_EQ(reads, 1); /* it is here now */
  fd = sys_open("/data/link", OPEN_READ, 0);
  CHECK_EQ(sys_read(fd, bytes, 10), 5);
  CHECK_EQ(lists, 3);
  CHECK_EQ(sys_open("/data/gone", OPEN_READ, 0), -ENOENT);
  CHECK_EQ(sys_open("/data/none", OPEN_READ, 0), -ENOENT);
  CHECK_EQ(lists, 3);
}

TEST(a_mount_is_read_when_it_is_looked_at) {
  run_mounted(read_mounted, "/data", false);
}

static void read_large(void) {
  static uint8_t bytes[LARGE + 1];
  int fd = sys_open("/data/large", OPEN_READ, 0);
  CHECK_EQ(sys_read(fd, bytes, sizeof bytes), LARGE);
  for (uint32_t i = 0; i < LARGE; i++) CHECK_EQ(bytes[i], (uint8_t)(i * 31 + i / 256));
}

TEST(a_large_file_comes_in_pieces) {
  run_mounted(read_large, "/data", false);
}

static void list_wide(void) {
  directory *open;
  const char *name;
  file_kind kind;
  int count = 0;
  CHECK_EQ(directory_open("/data/wide", &open), 0);
  while (directory_next(open, &name, &kind)) count++;
  directory_close(open);
  CHECK_EQ(count, WIDE);
  CHECK_EQ(reads, 0);
  CHECK(sys_open("/workspace/own", OPEN_WRITE | OPEN_CREATE, 0644) >= 0); /* no limit was used up */
}

TEST(a_hundred_thousand_files_are_listed_without_being_read) {
  run_mounted(list_wide, "/data", false);
}

static void write_read_only(void) {
  CHECK_EQ(sys_open("/data/file", OPEN_WRITE, 0), -EACCES);
  CHECK_EQ(sys_open("/data/new", OPEN_WRITE | OPEN_CREATE, 0644), -EACCES);
  CHECK_EQ(sys_unlink("/data/file"), -EACCES);
  CHECK_EQ(sys_rename("/data/file", "/tmp/file"), -EACCES);
  CHECK_EQ(sys_chmod("/data/file", 0666), -EPERM);
  CHECK_EQ(sys_mkdir("/data/deep/x", 0755), -EACCES);
  CHECK_EQ(sys_truncate_path("/data/file", 0), -EACCES);
  CHECK_EQ(reads, 0);
}

TEST(a_read_only_mount_cannot_be_changed) {
  run_mounted(write_read_only, "/data", false);
}

static void write_writable(void) {
  char bytes[20] = "";
  int fd = sys_open("/workspace/src/file", OPEN_WRITE | OPEN_APPEND, 0);
  CHECK_EQ(sys_write(fd, " you", 4), 4);
  fd = sys_open("/workspace/src/large", OPEN_WRITE | OPEN_TRUNCATE, 0);
  CHECK_EQ(reads, 1); /* what is thrown away is not fetched */
  CHECK_EQ(sys_rename("/workspace/src/deep/file", "/workspace/src/moved"), 0);
  fd = sys_open("/workspace/src/moved", OPEN_READ, 0);
  CHECK_EQ(sys_read(fd, bytes, 20), 5);
  CHECK_STR(bytes, "hello"); /* it knows where it came from */
  CHECK_EQ(sys_unlink("/workspace/src/gone"), 0);
  CHECK_EQ(sys_mkdir("/workspace/src/new", 0755), 0);
  CHECK_EQ(sys_rename("/workspace/src/unseen", "/workspace/src/new/unseen"), 0);
}

static char differences[2000];
static void keep_diff(uint32_t kind, uint32_t id, const uint8_t *bytes, uint32_t size) {
  if (kind == ABI_FETCH) answer(kind, id, bytes, size);
  if (kind == ABI_FILED && size > 4 && size < sizeof differences)
    memcpy(differences, bytes + 4, size - 4);
}

TEST(a_writable_mount_can_be_changed_and_the_diff_says_how) {
  static const host_hooks keep = {.record = keep_diff};
  guest_test_body = write_writable;
  host_boot(&keep);
  mount_at("/workspace/src", true);
  uint32_t mark[2] = {ABI_FILE_MARK, 0};
  host_send(ABI_FILE, 1, mark, sizeof mark);
  host_send(ABI_RUN_SH, 1, "test", 5);
  CHECK(host_run(1));
  CHECK_STR(host_done(NULL), "{\"end\":\"done\",\"status\":0}");
  uint8_t diff[8 + 14] = {ABI_FILE_DIFF, 0, 0, 0, 14};
  memcpy(diff + 8, "/workspace/src", 14);
  host_send(ABI_FILE, 2, diff, sizeof diff);
  host_step();
  CHECK_STR(
      host_plain_diff(differences),
      "{\"created\":[{\"path\":\"/workspace/src/moved\",\"kind\":\"file\",\"size\":5},"
      "{\"path\":\"/workspace/src/new\",\"kind\":\"folder\",\"size\":0},"
      "{\"path\":\"/workspace/src/new/unseen\",\"kind\":\"folder\",\"size\":0},"
      "{\"path\":\"/workspace/src/new/unseen/inner\",\"kind\":\"folder\",\"size\":0},"
      "{\"path\":\"/workspace/src/new/unseen/inner/file\",\"kind\":\"file\",\"size\":5}],"
      "\"modified\":[{\"path\":\"/workspace/src/file\",\"kind\":\"file\",\"size\":9,\"was\":5},"
      "{\"path\":\"/workspace/src/large\",\"kind\":\"file\",\"size\":0,\"was\":100000}],"
      "\"deleted\":[{\"path\":\"/workspace/src/deep/file\",\"kind\":\"file\",\"size\":5},"
      "{\"path\":\"/workspace/src/gone\",\"kind\":\"file\",\"size\":7},"
      "{\"path\":\"/workspace/src/unseen\",\"kind\":\"folder\",\"size\":0},"
      "{\"path\":\"/workspace/src/unseen/inner\",\"kind\":\"folder\",\"size\":0},"
      "{\"path\":\"/workspace/src/unseen/inner/file\",\"kind\":\"file\",\"size\":5}]}");
}

static void look_in_vain(void) {
  directory *open;
  file_stat stat;
  silent = true;
  CHECK_EQ(sys_stat("/data/file", &stat), -EIO);
  CHECK_EQ(directory_open("/data", &open), -EIO);
  silent = false;
  broken = true;
  CHECK_EQ(sys_stat("/data/file", &stat), -ENOENT);
  broken = false;
  CHECK_EQ(sys_stat("/data/file", &stat), 0); /* it is asked again */
}

TEST(a_host_that_does_not_answer_is_an_error_and_no_hang) {
  run_mounted(look_in_vain, "/data", false);
}

TEST_MAIN(TEST_ENTRY(a_mount_is_read_when_it_is_looked_at),
          TEST_ENTRY(a_large_file_comes_in_pieces),
          TEST_ENTRY(a_hundred_thousand_files_are_listed_without_being_read),
          TEST_ENTRY(a_read_only_mount_cannot_be_changed),
          TEST_ENTRY(a_writable_mount_can_be_changed_and_the_diff_says_how),
          TEST_ENTRY(a_host_that_does_not_answer_is_an_error_and_no_hang))
