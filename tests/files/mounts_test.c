// SPDX-License-Identifier: MIT
/* mounts_test.c -- folders of the host, with the real guest. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

#include "box.h"

static char folder[64];

static void sh(const char *command) {
  int status = system(command);
  if (status != 0) fprintf(stderr, "  %s\n", command);
  CHECK_EQ(status, 0);
}

static void make_folder(void) {
  bool memory = access("/dev/shm", W_OK) == 0; /* a hundred thousand files take a disk a while */
  sprintf(folder, "%s/cloche-mounts-XXXXXX", memory ? "/dev/shm" : "/tmp");
  CHECK(mkdtemp(folder) != NULL);
  CHECK_EQ(chdir(folder), 0);
  CHECK_EQ(system("mkdir -p in/d/e out && echo hello > in/a && echo inner > in/d/b && echo deep > "
                  "in/d/e/c && echo secret > out/secret && printf '' > in/empty"),
           0);
}

static void remove_folder(void) {
  char command[200]; /* who is not root cannot empty a folder that a program made read-only */
  snprintf(command, sizeof command, "find %s -type d -exec chmod u+rwx {} + && rm -rf %s", folder,
           folder);
  CHECK_EQ(chdir("/"), 0);
  CHECK_EQ(system(command), 0);
}

static cloche_status mount(cloche_sandbox *box, const char *host, const char *guest,
                           bool writable) {
  cloche_mount wanted = {.host = host, .guest = text(guest), .writable = writable};
  return cloche_sandbox_mount(box, &wanted);
}

static cloche_sandbox *mounted(bool writable) {
  cloche_sandbox *box = make_box((cloche_limits){0});
  CHECK_EQ(mount(box, "in", "/data", writable), CLOCHE_OK);
  return box;
}

/* All names below a folder of the host with what they are: "a=hello d/ d/b=inner l>target". */
static const char *tree(const char *path) {
  static char all[1 << 16];
  char command[300];
  snprintf(
      command, sizeof command,
      "cd %s && find . -mindepth 1 | LC_ALL=C sort | while read -r f; do if [ -L \"$f\" ]; then "
      "printf '%%s>%%s ' \"${f#./}\" \"$(readlink \"$f\")\"; elif [ -d \"$f\" ]; then printf "
      "'%%s/ ' \"${f#./}\"; else printf '%%s=%%s ' \"${f#./}\" \"$(cat \"$f\")\"; fi; done",
      path);
  FILE *from = popen(command, "r");
  size_t size = fread(all, 1, sizeof all - 1, from);
  pclose(from);
  all[size] = '\0';
  return all;
}

/* What somebody opened or read since the last time, by name. */
static int watcher = -1;
static const char *opened(void) {
  static char names[4096];
  char events[8192];
  names[0] = '\0';
  ssize_t size = read(watcher, events, sizeof events);
  for (ssize_t at = 0; at < size;) {
    struct inotify_event *event = (struct inotify_event *)(void *)(events + at);
    const char *name = event->len > 0 ? event->name : ".";
    if (strstr(names, name) == NULL) strcat(strcat(names, name), " ");
    at += (ssize_t)sizeof *event + event->len;
  }
  return names;
}

TEST(nothing_is_read_before_somebody_looks) {
  make_folder();
  watcher = inotify_init1(IN_NONBLOCK);
  CHECK(inotify_add_watch(watcher, "in", IN_OPEN | IN_ACCESS) >= 0);
  cloche_sandbox *box = mounted(false);
  js(box, "return require('fs').readdirSync('/')");
  CHECK_STR(opened(), "");
  CHECK_STR(js(box, "return require('fs').readdirSync('/data')"), "[\"a\",\"d\",\"empty\"]");
  CHECK_STR(opened(), ". ");
  CHECK_STR(js(box, "return require('fs').statSync('/data/a').size"), "6");
  CHECK_STR(opened(), "");
  CHECK_STR(js(box, "return require('fs').readFileSync('/data/a', 'utf8')"), "\"hello\\n\"");
  CHECK_STR(opened(), "a ");
  CHECK_STR(js(box, "return require('fs').readFileSync('/data/a', 'utf8')"), "\"hello\\n\"");
  CHECK_STR(opened(), "");
  CHECK_STR(get(box, "/data/d/e/c"), "deep\n"); /* between runs too */
  CHECK_STR(js(box, "return (await import('/data/m.mjs').catch(e => e.code))"),
            "\"ERR_MODULE_NOT_FOUND\"");
  CHECK_EQ(run_as(box, CLOCHE_JAVASCRIPT, "require('fs').writeFileSync('/data/a', '')")->end,
           CLOCHE_END_EXCEPTION);
  CHECK_STR(tree("in"), "a=hello d/ d/b=inner d/e/ d/e/c=deep empty= ");
  end_box(box);
  remove_folder();
}

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

TEST(a_tree_of_a_hundred_thousand_files_opens_at_once) {
  make_folder();
  CHECK_EQ(mkdir("many", 0755), 0);
  for (int i = 0; i < 100000; i++) {
    char path[32];
    snprintf(path, sizeof path, "many/%d", i / 1000);
    if (i % 1000 == 0) CHECK_EQ(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "many/%d/%d", i / 1000, i);
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    CHECK(fd >= 0);
    close(fd);
  }
  cloche_sandbox *box = make_box((cloche_limits){.memory = 256u << 20, .timeout = 120000000000});
  double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
  CHECK_EQ(mount(box, "many", "/data", false), CLOCHE_OK);
  js(box, "return 1");
  double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
  if (took > 0.1) fprintf(stderr, "  %g s\n", took);
  CHECK(took < 0.1);
  start = seconds(CLOCK_PROCESS_CPUTIME_ID);
  CHECK_STR(js(box, "return require('fs').readdirSync('/data/77').length"), "1000");
  CHECK(seconds(CLOCK_PROCESS_CPUTIME_ID) - start < 0.5);
  CHECK_STR(js(box,
               "let n = 0; for (const d of require('fs').readdirSync('/data')) n += "
               "require('fs').readdirSync('/data/' + d).length; return n"),
            "100000");
  end_box(box);
  remove_folder();
}

/* ---- writing back ---- */

static const struct {
  const char *name, *program, *changes, *tree;
} writes[] = {
    {"nothing", "", "", "a=hello d/ d/b=inner d/e/ d/e/c=deep empty= "},
    {"a new file", "echo new > n", "+ /data/n 4",
     "a=hello d/ d/b=inner d/e/ d/e/c=deep empty= n=new "},
    {"one changed", "echo more >> a", "~ /data/a 11 (6)",
     "a=hello\nmore d/ d/b=inner d/e/ d/e/c=deep empty= "},
    {"one overwritten unread", "echo x > d/e/c", "~ /data/d/e/c 2 (5)",
     "a=hello d/ d/b=inner d/e/ d/e/c=x empty= "},
    {"one removed", "rm a", "- /data/a 6", "d/ d/b=inner d/e/ d/e/c=deep empty= "},
    {"all removed", "rm -r *",
     "- /data/a 6, - /data/d/ 0, - /data/d/b 6, - /data/d/e/ 0, - "
     "/data/d/e/c 5, - /data/empty 0",
     ""},
    {"one moved unread", "mv d/b z", "- /data/d/b 6, + /data/z 6",
     "a=hello d/ d/e/ d/e/c=deep empty= z=inner "},
    {"a folder moved unread", "mv d z",
     "- /data/d/ 0, - /data/d/b 6, - /data/d/e/ 0, - /data/d/e/c 5, + /data/z/ 0, + /data/z/b 6, "
     "+ /data/z/e/ 0, + /data/z/e/c 5",
     "a=hello empty= z/ z/b=inner z/e/ z/e/c=deep "},
    {"two exchanged unread", "mv a t; mv d/b a; mv t d/b", "~ /data/a 6 (6), ~ /data/d/b 6 (6)",
     "a=inner d/ d/b=hello d/e/ d/e/c=deep empty= "},
    {"a folder where a file was", "mv a t; mkdir a; mv t a/a",
     "- /data/a 6, + /data/a/ 0, + /data/a/a 6",
     "a/ a/a=hello d/ d/b=inner d/e/ d/e/c=deep empty= "},
    {"a file where a folder was", "mv d/e/c t; rm -r d; mv t d",
     "- /data/d/ 0, + /data/d 5, - /data/d/b 6, - /data/d/e/ 0, - /data/d/e/c 5",
     "a=hello d=deep empty= "},
    {"links inside", "ln -s a l; ln -s ../../a d/e/l; mkdir x",
     "+ /data/d/e/l@ 7, + /data/l@ 1, + "
     "/data/x/ 0",
     "a=hello d/ d/b=inner d/e/ d/e/c=deep d/e/l>../../a empty= l>a x/ "},
    {"a hard link", "ln a b; echo 2 >> b", "~ /data/a 8 (6), + /data/b 8",
     "a=hello\n2 b=hello\n2 d/ d/b=inner d/e/ d/e/c=deep empty= "},
    {"a name that is no text", "echo 1 > $(printf 'x\\377')", NULL, NULL},
};

TEST(a_run_that_succeeds_is_done_to_the_host_too) {
  for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
    TEST_ROW(writes[i].name);
    make_folder();
    cloche_sandbox *box = mounted(true);
    char program[300];
    snprintf(program, sizeof program, "cd /data; %s; true", writes[i].program);
    if (writes[i].program[0] == '\0') strcpy(program, "cat /data/a");
    CHECK_EQ(run_as(box, CLOCHE_SHELL, program)->status, 0);
    if (writes[i].changes != NULL) {
      CHECK_STR(changes(box), writes[i].changes);
      CHECK_STR(tree("in"), writes[i].tree);
    } else {
      CHECK_EQ(access("in/x\xff", F_OK), 0);
    }
    const cloche_change *change;
    size_t count;
    CHECK_EQ(cloche_sandbox_changes(box, &change, &count), CLOCHE_OK);
    for (size_t k = 0; k < count; k++) CHECK(change[k].written && change[k].error == 0);
    end_box(box);
    remove_folder();
  }
}

TEST(modes_come_and_go_and_no_other_file_is_left_behind) {
  make_folder();
  CHECK_EQ(chmod("in/a", 0750), 0);
  cloche_sandbox *box = mounted(true);
  CHECK_EQ(run_as(box, CLOCHE_SHELL,
                  "cd /data; test -x a; echo x >> a; echo y > y; chmod 711 y; "
                  "chmod 4755 d/b")
               ->status,
           0);
  struct stat stat_a, stat_y, stat_b;
  CHECK_EQ(stat("in/a", &stat_a) + stat("in/y", &stat_y) + stat("in/d/b", &stat_b), 0);
  CHECK_EQ(stat_a.st_mode & 07777, 0750);
  CHECK_EQ(stat_y.st_mode & 07777, 0711);
  CHECK_EQ(stat_b.st_mode & 07777, 0755); /* never setuid */
  CHECK_STR(tree("in"), "a=hello\nx d/ d/b=inner d/e/ d/e/c=deep empty= y=y ");
  end_box(box);
  remove_folder();
}

static struct stat stat_of(const char *path) {
  struct stat stat;
  CHECK_EQ(lstat(path, &stat), 0);
  return stat;
}

TEST(modes_and_times_that_were_set_are_set_on_the_host) {
  make_folder();
  sh("touch -d @1000 in/d/b in/d/e/c; touch -d @500 in/empty; ln in/a out/other; chmod 2755 in/d; "
     "chmod 500 in/d/e");
  struct stat old = stat_of("in/a"), before = stat_of("in/empty");
  cloche_sandbox *box = mounted(true);
  js(box,
     "const fs = require('fs'); process.chdir('/data');"
     "fs.utimesSync('a', 100, 200.5); fs.chmodSync('a', 0o640);"
     "fs.renameSync('d/b', 'moved'); fs.chmodSync('d/e', 0o700); fs.writeFileSync('d/e/in', 'x');"
     "fs.chmodSync('d', 0o710); fs.utimesSync('d', new Date(-1500), new Date(-1500));"
     "fs.mkdirSync('new/deep', { recursive: true }); fs.writeFileSync('new/f', 'x'); "
     "fs.chmodSync('new', 0o555);"
     "fs.symlinkSync('a', 'l'); fs.lutimesSync('l', 5, 6);"
     "fs.writeFileSync('plain', 'x'); fs.utimesSync('d/e/c', 7, 8)");
  CHECK_STR(
      changes(box),
      "~ /data/a 6 (6), ~ /data/d/ 0 (0), - /data/d/b 6, ~ /data/d/e/ 0 (0), ~ /data/d/e/c 5 (5), "
      "+ /data/d/e/in 1, + /data/l@ 1, + /data/moved 6, + /data/new/ 0, + /data/new/deep/ 0, "
      "+ /data/new/f 1, + /data/plain 1");
  struct stat a = stat_of("in/a"), d = stat_of("in/d");
  CHECK(a.st_ino == old.st_ino && a.st_nlink == 2); /* the same file: nothing was written */
  CHECK_EQ(a.st_mode & 07777, 0640);
  CHECK(a.st_atim.tv_sec == 100 && a.st_mtim.tv_sec == 200 && a.st_mtim.tv_nsec == 500000000);
  CHECK_EQ(d.st_mode & 07777, 02710);
  CHECK(d.st_mtim.tv_sec == -2 && d.st_mtim.tv_nsec == 500000000);
  CHECK_EQ(stat_of("in/d/e").st_mode & 07777, 0700);
  CHECK_EQ(stat_of("in/d/e/c").st_mtim.tv_sec, 8);
  CHECK_EQ(stat_of("in/moved").st_mtim.tv_sec, 1000); /* what is moved keeps its time */
  CHECK_EQ(stat_of("in/new").st_mode & 07777, 0555);
  CHECK_EQ(stat_of("in/new/deep").st_mode & 07777, 0755);
  CHECK_EQ(stat_of("in/l").st_mtim.tv_sec, 6);
  CHECK(time(NULL) - stat_of("in/plain").st_mtim.tv_sec < 60); /* not the virtual clock's */
  CHECK_EQ(stat_of("in/empty").st_mtim.tv_sec, before.st_mtim.tv_sec);
  js(box,
     "require('fs').chmodSync('/data/a', 0o600); require('fs').appendFileSync('/data/plain', 'y')");
  CHECK_EQ(stat_of("in/a").st_mode & 07777, 0600);
  CHECK_STR(changes(box), "~ /data/a 6 (6), ~ /data/plain 2 (1)");
  end_box(box);
  remove_folder();
}

/* What was set must not land on what somebody put in the place meanwhile. */
TEST(a_mode_is_not_set_on_another_file) {
  make_folder();
  sh("echo 1 > in/own; ln -s a in/way; mkdir in/box");
  cloche_sandbox *box = mounted(true);
  CHECK_EQ(run_as(box, CLOCHE_SHELL, "ls -R /data > /tmp/x")->status, 0);
  sh("rm in/a; ln -s ../out/secret in/a; mv in/d in/dd; ln -s ../out in/d; chmod 600 out/secret; "
     "chmod 700 out; echo another > in/other; chmod 600 in/other; mv in/other in/own; "
     "ln -sfn empty in/way; touch -h -d @77 in/way; mv in/box in/moved; mkdir -m 700 in/box");
  js(box,
     "const fs = require('fs'); fs.chmodSync('/data/a', 0o777); fs.chmodSync('/data/d', 0o777);"
     "fs.utimesSync('/data/empty', 1, 1); fs.chmodSync('/data/own', 0o777);"
     "fs.lutimesSync('/data/way', 1, 1); fs.chmodSync('/data/box', 0o777)");
  CHECK_EQ(stat_of("out/secret").st_mode & 0777, 0600);
  CHECK_EQ(stat_of("out").st_mode & 0777, 0700);
  CHECK_EQ(stat_of("in/empty").st_mtim.tv_sec, 1);
  const cloche_change *change;
  size_t count;
  CHECK_EQ(cloche_sandbox_changes(box, &change, &count), CLOCHE_OK);
  CHECK_EQ(count, 6);
  CHECK(change[0].error != 0 && !change[0].written);      /* a */
  CHECK(change[1].error == ESTALE && !change[1].written); /* box */
  CHECK(change[2].error != 0 && !change[2].written);      /* d */
  CHECK(change[3].error == 0 && change[3].written);
  CHECK(change[4].error == ESTALE && !change[4].written); /* own */
  CHECK(change[5].error == ESTALE && !change[5].written); /* way */
  CHECK_EQ(stat_of("in/box").st_mode & 0777, 0700);
  CHECK_EQ(stat_of("in/own").st_mode & 0777, 0600);
  CHECK_EQ(stat_of("in/way").st_mtim.tv_sec, 77);
  end_box(box);
  remove_folder();
}

/* A mount belongs to the process: it is there again when a parked sandbox goes on, and never in
 * bytes. */
TEST(a_sandbox_with_mounts_can_be_parked_and_neither_saved_nor_forked) {
  make_folder();
  cloche_engine_options options = {.idle_slots = 1, .mapped = 1};
  cloche_engine *own;
  CHECK_EQ(cloche_engine_new(&options, &own), CLOCHE_OK);
  cloche_sandbox_options plain = {0};
  cloche_sandbox *boxes[3];
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(cloche_sandbox_new(own, &plain, &boxes[i]), CLOCHE_OK);
    CHECK_EQ(mount(boxes[i], "in", "/data", i == 0), CLOCHE_OK);
  }
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 3; i++)
      CHECK_EQ(run_as(boxes[i], CLOCHE_SHELL,
                      round == 0 ? "test $(cat /data/a) = hello" : "test $(cat /data/d/b) = inner")
                   ->status,
               0);
  CHECK_EQ(run_as(boxes[0], CLOCHE_SHELL, "echo late > /data/late")->status, 0);
  CHECK_EQ(access("in/late", F_OK), 0);
  char *bytes;
  size_t len;
  cloche_sandbox *fork;
  CHECK_EQ(cloche_snapshot(boxes[0], NULL, &bytes, &len), CLOCHE_E_FILE);
  CHECK(strstr(cloche_sandbox_message(boxes[0]), "mounted folders") != NULL);
  CHECK_EQ(cloche_fork(boxes[0], text("f"), &fork), CLOCHE_E_FILE);
  CHECK(strstr(cloche_sandbox_message(boxes[0]), "mounted folders") != NULL);
  for (int i = 0; i < 3; i++) cloche_sandbox_free(boxes[i]);
  cloche_engine_free(own);
  remove_folder();
}

TEST(what_did_not_succeed_is_not_done_to_the_host) {
  make_folder();
  cloche_sandbox *box = mounted(true);
  CHECK_EQ(run_as(box, CLOCHE_SHELL, "echo x > /data/a; rm /data/d/b; exit 3")->status, 3);
  CHECK_EQ(run_as(box, CLOCHE_JAVASCRIPT, "require('fs').unlinkSync('/data/empty'); throw 1")->end,
           CLOCHE_END_EXCEPTION);
  CHECK_STR(tree("in"), "a=hello d/ d/b=inner d/e/ d/e/c=deep empty= ");
  CHECK_STR(changes(box), "- /data/empty 0");
  CHECK_EQ(run_as(box, CLOCHE_SHELL, "echo new > /data/new")->status, 0);
  CHECK_STR(tree("in"), "a=hello d/ d/b=inner d/e/ d/e/c=deep empty= new=new ");
  CHECK_EQ(run_as(box, CLOCHE_SHELL, "echo again >> /data/new")->status, 0);
  CHECK_STR(tree("in"), "a=hello d/ d/b=inner d/e/ d/e/c=deep empty= new=new\nagain ");
  put(box, "/data/put", "by the host");
  js(box, "return 1");
  CHECK_EQ(access("in/put", F_OK), -1);
  end_box(box);
  remove_folder();
}

static bool fails; /* the ledger, from the record on that tells of files */
static bool write_line(void *self, const char *line, size_t len) {
  (void)self;
  fails |= memmem(line, len, "\"kind\":\"files\"", 14) != NULL;
  return !fails;
}

/* Invariant 10. */
TEST(what_cannot_be_recorded_is_not_done_to_the_host) {
  make_folder();
  cloche_ledger_sink sink = {.write = write_line};
  cloche_ledger *ledger;
  CHECK_EQ(cloche_ledger_new(&sink, NULL, &ledger), CLOCHE_OK);
  CHECK_EQ(cloche_engine_new(NULL, &engine), CLOCHE_OK);
  cloche_sandbox_options options = {.ledger = ledger};
  cloche_sandbox *box;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  CHECK_EQ(mount(box, "in", "/data", true), CLOCHE_OK);
  run_as(box, CLOCHE_SHELL, "cd /data; echo x > new; rm d/b; chmod 700 a d; mkdir f; true");
  CHECK(fails);
  CHECK_STR(tree("in"), "a=hello d/ d/b=inner d/e/ d/e/c=deep empty= ");
  CHECK((stat_of("in/a").st_mode & 0777) != 0700 && (stat_of("in/d").st_mode & 0777) != 0700);
  const cloche_change *change;
  size_t count;
  CHECK_EQ(cloche_sandbox_changes(box, &change, &count), CLOCHE_OK);
  CHECK_EQ(count, 5);
  for (size_t i = 0; i < count; i++) CHECK(!change[i].written && change[i].error != 0);
  end_box(box);
  cloche_ledger_free(ledger);
  remove_folder();
}

/* The error of the change at `path`, -1 if there is none. */
static int error_of(cloche_sandbox *box, const char *path) {
  const cloche_change *change;
  size_t count;
  CHECK_EQ(cloche_sandbox_changes(box, &change, &count), CLOCHE_OK);
  for (size_t i = 0; i < count; i++)
    if (change[i].path.len == strlen(path) && memcmp(change[i].path.at, path, strlen(path)) == 0) {
      CHECK_EQ(change[i].written, change[i].error == 0);
      return change[i].error;
    }
  return -1;
}

TEST(what_somebody_else_has_changed_is_left_alone) {
  make_folder();
  cloche_sandbox *box = mounted(true);
  js(box,
     "const fs = require('fs'); for (const f of ['a', 'd/b', 'empty', 'd/e/c']) "
     "fs.readFileSync('/data/' + f); return 1");
  sh("echo other > in/a; rm in/d/b; echo taken > in/new; mkdir -p in/made; echo mine > in/empty; "
     "echo f > in/flat");
  js(box,
     "const fs = require('fs'); fs.appendFileSync('/data/a', 'x'); fs.writeFileSync('/data/d/b', "
     "'x'); fs.writeFileSync('/data/new', 'x'); fs.mkdirSync('/data/made'); "
     "fs.mkdirSync('/data/flat'); "
     "fs.writeFileSync('/data/made/f', 'y'); fs.unlinkSync('/data/empty'); return 1");
  CHECK_EQ(error_of(box, "/data/a"), ESTALE);
  CHECK_EQ(error_of(box, "/data/d/b"), ESTALE);
  CHECK_EQ(error_of(box, "/data/new"), EEXIST);
  CHECK_EQ(error_of(box, "/data/made"), 0);
  CHECK_EQ(error_of(box, "/data/made/f"), 0);
  CHECK_EQ(error_of(box, "/data/flat"), EEXIST);
  CHECK_EQ(error_of(box, "/data/empty"), ECANCELED);
  CHECK_STR(tree("in"), "a=other d/ d/e/ d/e/c=deep empty=mine flat=f made/ made/f=y new=taken ");
  js(box, "require('fs').unlinkSync('/data/d/e/c'); return 1");
  CHECK_EQ(error_of(box, "/data/d/e/c"), 0);
  sh("echo changed > in/made/f");
  js(box, "require('fs').unlinkSync('/data/made/f'); return 1");
  CHECK_EQ(error_of(box, "/data/made/f"), ESTALE);
  CHECK_EQ(access("in/made/f", F_OK), 0);
  end_box(box);
  remove_folder();
}

/* C1: links that point out, also with a slash at their end; written through, moved over, removed.
 */
TEST(links_that_lead_out_lead_nowhere) {
  make_folder();
  CHECK_EQ(symlink("../out/", "in/slash") + symlink("../out", "in/plain") +
               symlink("../out/secret", "in/file"),
           0);
  char absolute[200];
  snprintf(absolute, sizeof absolute, "%s/out/", folder);
  CHECK_EQ(symlink(absolute, "in/absolute"), 0);
  cloche_sandbox *box = mounted(true);
  CHECK_EQ(
      run_as(
          box, CLOCHE_SHELL,
          "cd /data; exec 2>/dev/null; for l in slash plain absolute; do cat $l/secret; "
          "echo x > $l/new; echo y >> $l/secret; mkdir $l/d; rm -r $l/secret; done; cat "
          "file; echo z >> file; ln -s / root; ln -s /a d/root; ln -s ../out up; ln -s a/../../out "
          "twisted; "
          "ln -s ../.. d/e/top; ln -s top/../out d/e/twist; "
          "ln -s plain/secret through; ln -s ../file d/again; ln -s a fine; ln -s d/e/top/a finer; "
          "true")
          ->status,
      0);
  CHECK_EQ(error_of(box, "/data/root"), EPERM);
  CHECK_EQ(error_of(box, "/data/d/root"), EPERM);
  CHECK_EQ(error_of(box, "/data/up"), EPERM);
  CHECK_EQ(error_of(box, "/data/twisted"), EPERM);
  CHECK_EQ(error_of(box, "/data/d/e/top"), 0);       /* the mount itself... */
  CHECK_EQ(error_of(box, "/data/d/e/twist"), EPERM); /* ...and beside it */
  CHECK_EQ(error_of(box, "/data/through"), EPERM);   /* by links that were there */
  CHECK_EQ(error_of(box, "/data/d/again"), EPERM);
  CHECK_EQ(error_of(box, "/data/fine"), 0);
  CHECK_EQ(error_of(box, "/data/finer"), 0);
  CHECK_STR(tree("out"), "secret=secret ");
  CHECK(access("in/root", F_OK) != 0 && access("in/up", F_OK) != 0);
  end_box(box);
  remove_folder();
}

TEST(special_files_are_not_there) {
  make_folder();
  CHECK_EQ(mkfifo("in/pipe", 0666), 0);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "in/socket"};
  CHECK_EQ(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
  if (mknod("in/null", S_IFCHR | 0666, 1 << 8 | 3) == 0) sh("test -c in/null");
  cloche_sandbox *box = mounted(true);
  CHECK_STR(js(box, "return require('fs').readdirSync('/data')"), "[\"a\",\"d\",\"empty\"]");
  CHECK_STR(js(box, "try { require('fs').readFileSync('/data/pipe') } catch (e) { return e.code }"),
            "\"ENOENT\"");
  close(fd);
  end_box(box);
  remove_folder();
}

/* ---- C2, C3 and a second process ---- */

/* Exchanges the folder d with a link to out/, and the file a with a link to the secret in it, and
 * relinks a third name to either, until it is killed. */
static pid_t start_racing(void) {
  CHECK_EQ(symlink("../out", "in/swap-d") + symlink("../out/secret", "in/swap-a"), 0);
  sh("echo inside > in/d/secret");
  pid_t child = fork();
  if (child != 0) return child;
  alarm(20); /* at most, whatever becomes of the test */
  int root = open("in", O_PATH | O_DIRECTORY);
  for (int i = 0;; i++) {
    renameat2(root, "d", root, "swap-d", RENAME_EXCHANGE);
    renameat2(root, "a", root, "swap-a", RENAME_EXCHANGE);
    unlinkat(root, "third", 0);
    if (i % 2 == 0)
      symlinkat("../out/secret", root, "third");
    else
      linkat(root, "empty", root, "third", 0);
  }
}

TEST(a_second_process_that_renames_and_relinks_shows_and_spoils_nothing_outside) {
  make_folder();
  sh("cp -r out out.before");
  pid_t racer = start_racing();
  double until = seconds(CLOCK_MONOTONIC) + 3;
  int read = 0, wrote = 0, refused = 0;
  while (seconds(CLOCK_MONOTONIC) < until) {
    cloche_sandbox *box = mounted(true);
    const cloche_result *result =
        run_as(box, CLOCHE_JAVASCRIPT,
               "const fs = require('fs'); const out = []; for (const f of ['a', 'third', "
               "'d/secret']) try { "
               "out.push(fs.readFileSync('/data/' + f, 'utf8')) } catch (e) { out.push(e.code) } "
               "for (const f of ['a', 'third', 'd/secret', 'd/new', 'swap-d/new']) try { "
               "fs.writeFileSync('/data/' + f, 'written') } catch (e) {} "
               "try { fs.unlinkSync('/data/d/b') } catch (e) {} return out");
    CHECK_EQ(result->end, CLOCHE_END_DONE);
    char value[300];
    snprintf(value, sizeof value, "%.*s", (int)result->value.len, result->value.at);
    CHECK(strstr(value, "\"secret") == NULL);
    read += strstr(value, "\"inside") != NULL;
    const cloche_change *change;
    size_t count;
    CHECK_EQ(cloche_sandbox_changes(box, &change, &count), CLOCHE_OK);
    for (size_t i = 0; i < count; i++) {
      wrote += change[i].written;
      refused += change[i].error != 0;
    }
    cloche_sandbox_free(box);
    sh("cmp -s out/secret out.before/secret && test \"$(ls out)\" = secret");
  }
  kill(racer, SIGKILL);
  CHECK(waitpid(racer, NULL, 0) == racer);
  if (read == 0 || wrote == 0 || refused == 0)
    fprintf(stderr, "  %d read, %d written, %d refused\n", read, wrote, refused);
  CHECK(wrote > 0 && refused > 0); /* else nothing was raced */
  CHECK_STR(tree("out"), "secret=secret ");
  cloche_engine_free(engine);
  remove_folder();
}

TEST(backslashes_and_drive_letters_are_plain_names) {
  make_folder();
  cloche_sandbox *box = mounted(true);
  js(box,
     "for (const f of ['C:\\\\x', '\\\\\\\\host\\\\share', 'a\\\\..\\\\..\\\\b']) "
     "require('fs').writeFileSync('/data/' + f, '1'); return 1");
  CHECK_EQ(access("in/C:\\x", F_OK) + access("in/\\\\host\\share", F_OK) +
               access("in/a\\..\\..\\b", F_OK),
           0);
  end_box(box);
  remove_folder();
}

TEST(the_next_tenant_has_no_mount) {
  make_folder();
  cloche_sandbox *box = mounted(true);
  js(box, "return require('fs').readFileSync('/data/a', 'utf8')");
  cloche_sandbox_free(box);
  box = make_box((cloche_limits){0});
  CHECK_STR(js(box, "return require('fs').existsSync('/data')"), "false");
  CHECK_EQ(mount(box, "in", "/workspace", true), CLOCHE_OK); /* a new one may be there */
  CHECK_STR(js(box,
               "require('fs').writeFileSync('x', 'y'); return require('fs').readFileSync('a', "
               "'utf8')"),
            "\"hello\\n\"");
  CHECK_EQ(access("in/x", F_OK), 0);
  put(box, "/other/x", "1");
  CHECK_EQ(mount(box, "in", "/other", true), CLOCHE_E_FILE);
  CHECK_EQ(cloche_file_errno(box), 39);
  end_box(box);
  remove_folder();
}

TEST_MAIN(TEST_ENTRY(nothing_is_read_before_somebody_looks),
          TEST_ENTRY(a_tree_of_a_hundred_thousand_files_opens_at_once),
          TEST_ENTRY(a_run_that_succeeds_is_done_to_the_host_too),
          TEST_ENTRY(modes_come_and_go_and_no_other_file_is_left_behind),
          TEST_ENTRY(modes_and_times_that_were_set_are_set_on_the_host),
          TEST_ENTRY(a_mode_is_not_set_on_another_file),
          TEST_ENTRY(a_sandbox_with_mounts_can_be_parked_and_neither_saved_nor_forked),
          TEST_ENTRY(what_did_not_succeed_is_not_done_to_the_host),
          TEST_ENTRY(what_cannot_be_recorded_is_not_done_to_the_host),
          TEST_ENTRY(what_somebody_else_has_changed_is_left_alone),
          TEST_ENTRY(links_that_lead_out_lead_nowhere), TEST_ENTRY(special_files_are_not_there),
          TEST_ENTRY(a_second_process_that_renames_and_relinks_shows_and_spoils_nothing_outside),
          TEST_ENTRY(backslashes_and_drive_letters_are_plain_names),
          TEST_ENTRY(the_next_tenant_has_no_mount))
