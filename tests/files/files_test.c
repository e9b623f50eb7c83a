// SPDX-License-Identifier: MIT
/* files_test.c -- the host's file functions, with the real guest. */
#include "box.h"

TEST(what_is_put_is_there_and_what_the_program_writes_can_be_got) {
  cloche_sandbox *box = make_box((cloche_limits){0});
  put(box, "/workspace/in/a.txt", "hello");
  CHECK_STR(js(box,
               "const fs = require('fs'); fs.appendFileSync('in/a.txt', ' you'); "
               "fs.writeFileSync('out.txt', 'from JavaScript'); return fs.readdirSync('.')"),
            "[\"in\",\"out.txt\"]");
  CHECK_STR(get(box, "/workspace/in/a.txt"), "hello you");
  CHECK_STR(get(box, "/workspace/out.txt"), "from JavaScript");
  CHECK_EQ(run_as(box, CLOCHE_SHELL, "rm out.txt; cat in/a.txt > b")->status, 0);
  CHECK_STR(get(box, "/workspace/out.txt"), "(errno 2)");
  CHECK_STR(get(box, "/workspace/b"), "hello you");
  CHECK_STR(get(box, "/workspace"), "(errno 21)");
  CHECK_STR(get(box, "/workspace/b/c"), "(errno 20)");
  put(box, "/workspace/b", "");
  CHECK_STR(get(box, "/workspace/b"), "");
  end_box(box);
}

TEST(a_folder_is_listed_in_the_order_of_its_names) {
  cloche_sandbox *box = make_box((cloche_limits){.timeout = 5000000000});
  put(box, "/workspace/b", "12345");
  put(box, "/workspace/\xff", "1");
  CHECK_EQ(cloche_file_mkdir(box, text("/workspace/a/deep")), CLOCHE_OK);
  CHECK_EQ(cloche_file_mkdir(box, text("/workspace/a/deep")), CLOCHE_OK);
  CHECK_EQ(cloche_file_mkdir(box, text("/workspace/b")), CLOCHE_E_FILE);
  CHECK_EQ(cloche_file_errno(box), 17);
  js(box, "require('fs').symlinkSync('b', 'c'); require('fs').chmodSync('b', 0o600)");
  cloche_file *files, *one;
  size_t count;
  CHECK_EQ(cloche_file_list(box, text("/workspace"), &files, &count), CLOCHE_OK);
  CHECK_EQ(count, 4);
  CHECK(files[0].name.len == 1 && files[0].name.at[0] == 'a');
  CHECK_EQ(files[0].kind, CLOCHE_FOLDER);
  CHECK_EQ(files[1].kind, CLOCHE_FILE);
  CHECK_EQ(files[1].size, 5);
  CHECK_EQ(files[1].mode, 0600);
  CHECK_EQ(files[2].kind, CLOCHE_LINK);
  CHECK(files[2].target.len == 1 && files[2].target.at[0] == 'b');
  CHECK(files[3].name.len == 1 && files[3].name.at[0] == '\xff');
  free(files);
  CHECK_EQ(cloche_file_stat(box, text("/workspace/c"), &one), CLOCHE_OK);
  CHECK_EQ(one->kind, CLOCHE_LINK);
  free(one);
  CHECK_EQ(cloche_file_stat(box, text("/"), &one), CLOCHE_OK);
  CHECK_EQ(one->kind, CLOCHE_FOLDER);
  CHECK_EQ(one->name.len, 0);
  free(one);
  CHECK_EQ(cloche_file_stat(box, text("/dev/null"), &one), CLOCHE_OK);
  CHECK_EQ(one->kind, CLOCHE_DEVICE);
  free(one);
  CHECK_EQ(cloche_file_list(box, text("/workspace/b"), &files, &count), CLOCHE_E_FILE);
  CHECK_EQ(cloche_file_errno(box), 20);
  CHECK_EQ(cloche_file_remove(box, text("/workspace")), CLOCHE_OK);
  CHECK_EQ(cloche_file_list(box, text("/workspace"), &files, &count), CLOCHE_OK);
  CHECK_EQ(count, 0);
  free(files);
  CHECK_EQ(cloche_file_remove(box, text("/dev/null")), CLOCHE_E_FILE);
  end_box(box);
}

TEST(large_content_goes_in_pieces_and_a_limit_leaves_nothing_behind) {
  enum { SIZE = 5 << 20 };
  cloche_sandbox *box = make_box((cloche_limits){.file_bytes = SIZE + 100});
  char *large = malloc(SIZE), *bytes;
  size_t len;
  for (size_t i = 0; i < SIZE; i++) large[i] = (char)(i * 2654435761u >> 24);
  CHECK_EQ(cloche_file_put(box, text("/workspace/large"), (cloche_text){large, SIZE}), CLOCHE_OK);
  CHECK_EQ(cloche_file_get(box, text("/workspace/large"), &bytes, &len), CLOCHE_OK);
  CHECK_EQ(len, SIZE);
  CHECK(memcmp(bytes, large, SIZE) == 0);
  free(bytes);
  CHECK_EQ(cloche_file_put(box, text("/workspace/more"), (cloche_text){large, SIZE}),
           CLOCHE_E_FILE);
  CHECK_EQ(cloche_file_errno(box), 28);
  CHECK_STR(get(box, "/workspace/more"), "(errno 2)");
  CHECK_EQ(run_as(box, CLOCHE_SHELL, "truncate -s 8G hole")->status, 0);
  CHECK_EQ(cloche_file_get(box, text("/workspace/hole"), &bytes, &len), CLOCHE_E_LIMIT);
  CHECK_STR(js(box, "return require('fs').statSync('hole').size"), "8589934592");
  free(large);
  end_box(box);
}

TEST(the_changes_are_those_of_the_last_run) {
  cloche_sandbox *box = make_box((cloche_limits){.timeout = 200000000});
  put(box, "/workspace/keep", "1");
  put(box, "/workspace/old", "12");
  put(box, "/workspace/edit", "123");
  js(box,
     "const fs = require('fs'); fs.writeFileSync('new', 'hello'); fs.unlinkSync('old'); "
     "fs.appendFileSync('edit', '!'); fs.mkdirSync('d/e', {recursive: true}); "
     "fs.symlinkSync('new', 'd/l'); fs.writeFileSync('/tmp/t', ''); fs.readFileSync('keep')");
  CHECK_STR(changes(box),
            "+ /tmp/t 0, + /workspace/d/ 0, + /workspace/d/e/ 0, + /workspace/d/l@ 3, "
            "~ /workspace/edit 4 (3), + /workspace/new 5, - /workspace/old 2");
  put(box, "/workspace/late", "asked before, so not in it");
  CHECK(strstr(changes(box), "late") == NULL);
  js(box, "return 1");
  CHECK_STR(changes(box), "");
  js(box, "require('fs').rmSync('d', {recursive: true}); require('fs').writeFileSync('d', 'x')");
  CHECK_STR(changes(box),
            "- /workspace/d/ 0, + /workspace/d 1, - /workspace/d/e/ 0, - /workspace/d/l@ 3");
  run_as(box, CLOCHE_JAVASCRIPT, "require('fs').writeFileSync('x', '1'); throw 1");
  CHECK_STR(changes(box), "+ /workspace/x 1"); /* a program that fails has changed what it has */
  end_box(box);
}

TEST(asking_does_not_change_what_a_run_reports) {
  cloche_sandbox *box = make_box((cloche_limits){0});
  js(box, "require('fs').writeFileSync('x', '1'); return 1");
  uint64_t fuel = cloche_sandbox_usage(box).fuel, memory = cloche_sandbox_usage(box).memory;
  static char large[8 << 20];
  CHECK_EQ(cloche_file_put(box, text("/tmp/large"), (cloche_text){large, sizeof large}), CLOCHE_OK);
  CHECK_EQ(cloche_sandbox_usage(box).memory, memory);
  changes(box);
  get(box, "/workspace/x");
  CHECK_EQ(cloche_sandbox_usage(box).fuel, fuel);
  CHECK_EQ(cloche_sandbox_result(box)->usage.fuel, fuel);
  CHECK(cloche_sandbox_result(box)->value.len == 1);
  CHECK_EQ(cloche_sandbox_result(box)->value.at[0], '1');
  end_box(box);
}

TEST(a_slots_next_tenant_sees_no_files) {
  for (int round = 0; round < 4; round++) {
    cloche_sandbox *box = make_box((cloche_limits){0});
    CHECK_STR(get(box, "/tmp/x"), "(errno 2)"); /* C8 */
    CHECK_STR(js(box, "return require('fs').readdirSync('/tmp')"), "[]");
    put(box, "/tmp/x", "secret");
    js(box, "require('fs').writeFileSync('/workspace/y', 'secret'.repeat(10000))");
    if (round % 2 == 0) changes(box);
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
}

/* ---- tar ---- */

static size_t read_all(const char *path, char **bytes);

/* What would come out with a list of holes for its first bytes is refused, in both of GNU's forms.
 */
TEST(sparse_archives_are_refused_whole) {
  static const char *const formats[] = {"gnu", "pax"};
  char folder[] = "/tmp/cloche-files-XXXXXX", command[300], path[100], *tar;
  CHECK(mkdtemp(folder) != NULL);
  cloche_sandbox *box = make_box((cloche_limits){0});
  for (size_t i = 0; i < 2; i++) {
    TEST_ROW(formats[i]);
    snprintf(command, sizeof command,
             "cd %s && truncate -s 1M holes && printf end >> holes && printf x > a && "
             "tar -cS --format=%s -f s.tar a holes",
             folder, formats[i]);
    CHECK_EQ(system(command), 0);
    snprintf(path, sizeof path, "%s/s.tar", folder);
    size_t size = read_all(path, &tar);
    CHECK_EQ(cloche_file_import(box, text("/workspace/s"), (cloche_text){tar, size}),
             CLOCHE_E_FILE);
    CHECK_EQ(cloche_file_errno(box), 95);
    CHECK_STR(get(box, "/workspace/s/a"), "(errno 2)");
    free(tar);
  }
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK_EQ(system(command), 0);
  end_box(box);
}

static size_t read_all(const char *path, char **bytes) {
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  *bytes = malloc(1 << 22);
  size_t size = fread(*bytes, 1, 1 << 22, file);
  fclose(file);
  return size;
}

TEST(a_tree_goes_from_gnu_tar_through_a_sandbox_and_back) {
  char folder[] = "/tmp/cloche-files-XXXXXX", command[2000];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(
      command, sizeof command,
      "cd %s && mkdir -p in/a/b in/empty && cd in && echo hello > a/x && ln a/x a/b/hard && "
      "ln -s ../x a/b/soft && head -c 2500000 /dev/urandom > big && chmod 640 big && "
      "printf 1 > \"$(printf 'odd\\377 \\n')\" && touch -d '2009-02-13 23:31:30 UTC' a a/b big "
      "&& cd .. && tar -C in -cf in.tar .",
      folder);
  CHECK_EQ(system(command), 0);
  cloche_sandbox *box = make_box((cloche_limits){0});
  char path[100], *tar, *bytes;
  snprintf(path, sizeof path, "%s/in.tar", folder);
  size_t size = read_all(path, &tar), len;
  CHECK_EQ(cloche_file_import(box, text("/workspace/tree"), (cloche_text){tar, size}), CLOCHE_OK);
  CHECK_EQ(cloche_file_export(box, text("/workspace/tree"), &bytes, &len), CLOCHE_OK);
  snprintf(path, sizeof path, "%s/out.tar", folder);
  FILE *out = fopen(path, "wb");
  CHECK_EQ(fwrite(bytes, 1, len, out), len);
  fclose(out);
  free(bytes);
  snprintf(command, sizeof command,
           "cd %s && mkdir out && tar -C out -xpf out.tar && diff -r --no-dereference in out && "
           "f() { (cd $1 && find . -mindepth 1 \\( -type d -o -type f \\) -printf '%%P %%m %%TY "
           "%%s\\0' | sed -z '/^[^ ]* 755/s/ [0-9]*$//' | sort -z); }; "
           "test \"$(f in | base64)\" = \"$(f out | base64)\" && "
           "test \"$(cd out; stat -c %%Y a a/b big | uniq)\" = 1234567890",
           folder);
  CHECK_EQ(system(command), 0);

  /* Damaged: nothing of it stays. */
  CHECK_EQ(cloche_file_import(box, text("/workspace/cut"), (cloche_text){tar, size - 2000000}),
           CLOCHE_E_FILE);
  CHECK_EQ(cloche_file_errno(box), 22);
  CHECK(strstr(cloche_sandbox_message(box), "cut short") != NULL);
  cloche_file *none;
  CHECK_EQ(cloche_file_stat(box, text("/workspace/cut"), &none), CLOCHE_E_FILE);
  CHECK_EQ(cloche_file_errno(box), 2);
  CHECK_EQ(cloche_file_import(box, text("/workspace/none"), text("")), CLOCHE_OK);
  free(tar);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK_EQ(system(command), 0);
  end_box(box);
}

TEST_MAIN(TEST_ENTRY(what_is_put_is_there_and_what_the_program_writes_can_be_got),
          TEST_ENTRY(a_folder_is_listed_in_the_order_of_its_names),
          TEST_ENTRY(large_content_goes_in_pieces_and_a_limit_leaves_nothing_behind),
          TEST_ENTRY(the_changes_are_those_of_the_last_run),
          TEST_ENTRY(asking_does_not_change_what_a_run_reports),
          TEST_ENTRY(a_slots_next_tenant_sees_no_files),
          TEST_ENTRY(a_tree_goes_from_gnu_tar_through_a_sandbox_and_back),
          TEST_ENTRY(sparse_archives_are_refused_whole))
