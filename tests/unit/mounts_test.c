// SPDX-License-Identifier: MIT
/* mounts_test.c -- a guest that asks for the host's files as it likes: the puppet; and what opens
 * them. tests/files has mounts with the real guest. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cloche.h"
#include "sandbox/beneath.h"
#include "test.h"

static char folder[64];

static void write_file(const char *path, const char *content) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  fputs(content, file);
  fclose(file);
}

/* in/ is the folder that is mounted, out/ is outside. */
static void make_folder(void) {
  strcpy(folder, "/tmp/cloche-mounts-XXXXXX");
  CHECK(mkdtemp(folder) != NULL);
  CHECK_EQ(chdir(folder), 0);
  CHECK_EQ(mkdir("in", 0755) + mkdir("in/d", 0755) + mkdir("out", 0755), 0);
  write_file("out/secret", "secret");
  write_file("in/a", "hello");
  write_file("in/d/b", "inner");
  static char large[200001];
  memset(large, 'z', sizeof large - 1);
  write_file("in/z", large);
  CHECK_EQ(symlink("../out", "in/link") + symlink("../out/secret", "in/file-link"), 0);
  CHECK_EQ(symlink("d", "in/inside") + mkfifo("in/pipe", 0644), 0);
}

static void remove_folder(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK_EQ(system(command), 0);
}

/* ---- opening ---- */

static const struct {
  const char *path;
  int error; /* 0: it is opened */
} opens[] = {
    {"a", 0},
    {"d/b", 0},
    {"none", ENOENT},
    {"none/x", ENOENT},
    {"a/x", ENOTDIR},
    {"d", EPERM},
    {"pipe", EPERM},
    {"link/secret", ELOOP},
    {"file-link", ELOOP},
    {"inside/b", ELOOP}, /* even what would stay inside: the guest follows links itself */
};

static void check_opens(int (*opener)(int, const char *, int)) {
  int root = open("in", O_PATH | O_DIRECTORY);
  for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
    TEST_ROW(opens[i].path);
    int fd = opener(root, opens[i].path, O_RDONLY | O_NONBLOCK);
    int error = fd < 0 ? errno : 0;
    if (error == ENOTDIR && opens[i].error == ELOOP)
      error = ELOOP; /* a link where a folder is
                        wanted: both say so */
    CHECK_EQ(error, opens[i].error == EPERM ? 0 : opens[i].error);
    if (fd >= 0) close(fd);
  }
  int fd = opener(root, ".", O_RDONLY | O_DIRECTORY);
  CHECK(fd >= 0);
  close(fd);
  close(root);
}

TEST(what_lies_below_a_folder_is_opened_and_no_link_is_followed) {
  make_folder();
  check_opens(cloche__beneath_open);
  check_opens(cloche__beneath_walk);
  int root = open("in", O_PATH | O_DIRECTORY);
  for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
    TEST_ROW(opens[i].path);
    struct stat stat;
    int fd = cloche__beneath_open_file(root, opens[i].path, &stat);
    int error = fd < 0 ? errno : 0;
    bool link = opens[i].error == ELOOP;
    CHECK(link ? error == ELOOP || error == EPERM : error == opens[i].error);
    if (fd >= 0) close(fd);
  }
  close(root);
  remove_folder();
}

/* A second process exchanges a folder and a link to one outside, and a file and a link, as fast as
 * it can; "secret" must never be read. */
static void race(int (*opener)(int, const char *, int)) {
  int root = open("in", O_PATH | O_DIRECTORY);
  CHECK_EQ(symlink("../out", "in/swap-d") + symlink("../out/secret", "in/swap-a"), 0);
  write_file("in/d/secret", "inside");
  pid_t child = fork();
  if (child == 0)
    for (alarm(20);;) { /* at most, whatever becomes of the test */
      renameat2(root, "d", root, "swap-d", RENAME_EXCHANGE);
      renameat2(root, "a", root, "swap-a", RENAME_EXCHANGE);
    }
  int got = 0, refused = 0;
  for (int i = 0; i < 60000; i++) {
    const char *path = i % 2 == 0 ? "d/secret" : "a";
    char bytes[16] = "";
    int fd = opener(root, path, O_RDONLY);
    if (fd < 0) {
      refused++;
      continue;
    }
    got++;
    CHECK(read(fd, bytes, 15) > 0);
    CHECK(strcmp(bytes, "secret") != 0);
    close(fd);
  }
  kill(child, 9);
  waitpid(child, NULL, 0);
  CHECK(got > 0 && refused > 0); /* else nothing was raced */
  close(root);
}

TEST(a_second_process_that_renames_and_relinks_gains_nothing) {
  make_folder();
  race(cloche__beneath_open);
  remove_folder();
  make_folder();
  race(cloche__beneath_walk);
  remove_folder();
}

/* ---- a hostile guest ---- */

static cloche_engine *engine;
static char output[1 << 20];
static size_t output_length;

static cloche_end run(cloche_sandbox *box, const char *text) {
  cloche_program program = {.text = {text, strlen(text)}};
  CHECK_EQ(cloche_exec(box, &program), CLOCHE_OK);
  output_length = 0;
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE) {
    CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
    if (event.kind != CLOCHE_OUTPUT || output_length + event.bytes.len >= sizeof output) continue;
    memcpy(output + output_length, event.bytes.at, event.bytes.len);
    output_length += event.bytes.len;
  }
  output[output_length] = '\0';
  return cloche_sandbox_result(box)->end;
}

static cloche_status mount(cloche_sandbox *box, const char *host, const char *guest) {
  cloche_mount wanted = {.host = host, .guest = {guest, strlen(guest)}};
  return cloche_sandbox_mount(box, &wanted);
}

static cloche_sandbox *make(void) {
  make_folder();
  CHECK_EQ(cloche_engine_new(NULL, &engine), CLOCHE_OK);
  cloche_sandbox_options options = {.limits.memory = 4 << 20};
  cloche_sandbox *box = NULL;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  CHECK_EQ(mount(box, "in", "/data"), CLOCHE_OK);
  CHECK_EQ(mount(box, "out", "/other"), CLOCHE_OK);
  return box;
}

/* Sources: 1 and 2 are the mounts; after a list of 1: 3 a, 4 d, 5 file-link, 6 inside, 7 link, 8 z.
 */
static const struct {
  const char *name, *program, *output;
  cloche_end end;
} fetches[] = {
    {"a file", "M1o|;m3v", "hello", CLOCHE_END_DONE},
    {"a part of it", "h2m3v", "he", CLOCHE_END_DONE},
    {"nothing of it", "h0m3v", "", CLOCHE_END_DONE},
    {"a folder as a file", "m4v", "E01", CLOCHE_END_DONE},
    {"a link as a file", "m5v", "E01", CLOCHE_END_DONE},
    {"a link as a folder", "M7v", "E40", CLOCHE_END_DONE},
    {"a file as a folder", "M3v", "E20", CLOCHE_END_DONE},
    {"a number that was not given out", "m77v", "E05", CLOCHE_END_DONE},
    {"number 0", "m0v", "E05", CLOCHE_END_DONE},
    {"the largest number", "m4294967295v", "E05", CLOCHE_END_DONE},
    {"another mount's file", "u2m3v", "E05", CLOCHE_END_DONE},
    {"mount 0", "u0m3v", "E05", CLOCHE_END_DONE},
    {"a mount that is not there", "u3m3v", "E05", CLOCHE_END_DONE},
    {"a buffer beyond memory", "a4294900000m3v", "", CLOCHE_END_TRAP},
    {"a buffer at the end of the address space", "a4294967295m3v", "", CLOCHE_END_TRAP},
    {"an answer beyond memory", "b4294967290m3v", "", CLOCHE_END_TRAP},
    {"more room than it has", "h4294967295m3v", "hello", CLOCHE_END_DONE},
};

TEST(a_guest_that_asks_nonsense_gets_an_error_and_no_more) {
  cloche_sandbox *box = make();
  CHECK_EQ(run(box, "M1v"), CLOCHE_END_DONE);
  CHECK(output_length > 5 * 40);
  for (size_t i = 0; i < sizeof fetches / sizeof *fetches; i++) {
    TEST_ROW(fetches[i].name);
    CHECK_EQ(run(box, fetches[i].program), fetches[i].end);
    char *from = memrchr(output, '|', output_length);
    CHECK_STR(from == NULL ? output : from + 1, fetches[i].output);
  }
  CHECK_EQ(run(box, "h4294967295m8v"), CLOCHE_END_DONE); /* it is given a buffer's worth */
  CHECK_EQ(output_length, 32768);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
  remove_folder();
}

TEST(a_guest_that_lists_for_ever_does_not_fill_the_host) {
  cloche_sandbox *box = make();
  char program[4096] = "";
  for (int i = 0; i < 1000; i++) strcat(program, "M1");
  strcat(program, "m3v");
  CHECK_EQ(run(box, program), CLOCHE_END_DONE);
  CHECK_EQ(run(box, "m9v"), CLOCHE_END_DONE); /* no number beyond the first list's */
  CHECK_STR(output, "E05");
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
  remove_folder();
}

TEST(a_mount_has_to_be_a_folder_in_a_place_of_its_own) {
  cloche_sandbox *box = make();
  static const struct {
    const char *host, *guest;
    cloche_status status;
  } rows[] = {
      {"none", "/x", CLOCHE_E_SYSTEM},      {"in/a", "/x", CLOCHE_E_SYSTEM},
      {"in", "x", CLOCHE_E_ARGUMENT},       {"in", "/", CLOCHE_E_ARGUMENT},
      {"in", "/x/../y", CLOCHE_E_ARGUMENT}, {"in", "/x//y", CLOCHE_E_ARGUMENT},
      {"in", "/x/", CLOCHE_E_ARGUMENT},     {"in", "", CLOCHE_E_ARGUMENT},
      {"in", "/data", CLOCHE_E_ARGUMENT},   {"in", "/data/inner", CLOCHE_E_ARGUMENT},
      {"in", "/dev/x", CLOCHE_E_ARGUMENT},  {"in", "/tools", CLOCHE_E_ARGUMENT},
      {"in", "/database", CLOCHE_OK},       {"in", "/deep/er", CLOCHE_OK},
      {"in", "/deep", CLOCHE_E_ARGUMENT},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].guest);
    CHECK_EQ(mount(box, rows[i].host, rows[i].guest), rows[i].status);
  }
  char guest[8];
  for (int i = 4; i < 16; i++) {
    snprintf(guest, sizeof guest, "/m%d", i);
    CHECK_EQ(mount(box, "in", guest), CLOCHE_OK);
  }
  CHECK_EQ(mount(box, "in", "/more"), CLOCHE_E_LIMIT);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
  remove_folder();
}

TEST_MAIN(TEST_ENTRY(what_lies_below_a_folder_is_opened_and_no_link_is_followed),
          TEST_ENTRY(a_second_process_that_renames_and_relinks_gains_nothing),
          TEST_ENTRY(a_guest_that_asks_nonsense_gets_an_error_and_no_more),
          TEST_ENTRY(a_guest_that_lists_for_ever_does_not_fill_the_host),
          TEST_ENTRY(a_mount_has_to_be_a_folder_in_a_place_of_its_own))
