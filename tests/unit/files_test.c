// SPDX-License-Identifier: MIT
/* files_test.c -- file operations with a guest that answers what it likes: the puppet.
 *
 * tests/files has those with the real one. */
#include "cloche.h"
#include "test.h"

static cloche_engine *engine;

static cloche_sandbox *make(uint64_t memory) {
  if (engine == NULL) CHECK_EQ(cloche_engine_new(NULL, &engine), CLOCHE_OK);
  cloche_sandbox_options options = {.limits.memory = memory};
  cloche_sandbox *box = NULL;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  return box;
}

static void run(cloche_sandbox *box, const char *text) {
  cloche_program program = {.text = {text, strlen(text)}};
  CHECK_EQ(cloche_exec(box, &program), CLOCHE_OK);
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE) CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
}

static cloche_status get(cloche_sandbox *box, const char *path) {
  char *bytes = NULL;
  size_t len = 0;
  cloche_status status = cloche_file_get(box, (cloche_text){path, strlen(path)}, &bytes, &len);
  CHECK((bytes != NULL) == (status == CLOCHE_OK));
  free(bytes);
  return status;
}

/* The path is what the puppet does. */
static const struct {
  const char *name, *path;
  cloche_status status;
} gets[] = {
    {"an answer", "/fhello;", CLOCHE_OK},
    {"an answer in pieces", "/yhel;ylo ;fyou;", CLOCHE_OK},
    {"no answer", "/n", CLOCHE_E_GUEST},
    {"an errno", "/F2", CLOCHE_E_FILE},
    {"a number that is no errno", "/F5000", CLOCHE_E_GUEST},
    {"a negative number", "/F4294967295", CLOCHE_E_GUEST},
    {"the answer to another question", "/e77f1;", CLOCHE_E_GUEST},
    {"two answers", "/f1;f1;", CLOCHE_E_GUEST},
    {"a piece after the answer", "/f1;y2;", CLOCHE_E_GUEST},
    {"output", "/ohello;f1;", CLOCHE_E_GUEST},
    {"a call", "/cpay;f1;", CLOCHE_E_GUEST},
    {"the end of a run", "/vf1;", CLOCHE_E_GUEST},
    {"an unknown message", "/q99f1;", CLOCHE_E_GUEST},
    {"a trap", "/tf1;", CLOCHE_E_GUEST},
    {"recursion without end", "/df1;", CLOCHE_E_GUEST},
    {"an outbox outside memory", "/p4294967295", CLOCHE_E_GUEST},
    {"an outbox longer than memory", "/x4000000000", CLOCHE_E_GUEST},
    {"more than twice the memory", "/Y1300f1;", CLOCHE_E_LIMIT},
    {"no path at all", "", CLOCHE_E_ARGUMENT},
    {"a relative path", "fhello;", CLOCHE_E_ARGUMENT},
};

TEST(an_answer_that_makes_no_sense_is_an_error_and_undone) {
  cloche_sandbox *box = make(1 << 20);
  for (size_t i = 0; i < sizeof gets / sizeof *gets; i++) {
    TEST_ROW(gets[i].name);
    CHECK_EQ(get(box, gets[i].path), gets[i].status);
    CHECK_EQ(get(box, "/fhello;"), CLOCHE_OK);
    run(box, "v");
    CHECK_EQ(cloche_sandbox_result(box)->end, CLOCHE_END_DONE);
  }
  CHECK_EQ(get(box, "/F2"), CLOCHE_E_FILE);
  CHECK_EQ(cloche_file_errno(box), 2);
  CHECK(strstr(cloche_sandbox_message(box), "No such file") != NULL);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(a_failed_operation_leaves_memory_as_it_was) {
  cloche_sandbox *box = make(1 << 20);
  CHECK_EQ(get(box, "/w90000f1;"), CLOCHE_OK);
  CHECK_EQ(get(box, "/w90001F28"), CLOCHE_E_FILE);
  cloche_program program = {.text = {"r90000r90001v", 13}};
  CHECK_EQ(cloche_exec(box, &program), CLOCHE_OK);
  cloche_event event = {0};
  CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
  CHECK_EQ(event.kind, CLOCHE_OUTPUT);
  CHECK_EQ(event.bytes.len, 2);
  CHECK_EQ(event.bytes.at[0], 1);
  CHECK_EQ(event.bytes.at[1], 0);
  CHECK_EQ(get(box, "/f1;"), CLOCHE_E_STATE); /* a run is under way */
  while (event.kind != CLOCHE_DONE) CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

#define ENTRY "\"kind\":\"file\",\"size\":1,\"mode\":420,\"mtime\":0}"
static const struct {
  const char *json; /* of a list's only entry */
  cloche_status status;
} lists[] = {
    {"{\"name\":\"a\"," ENTRY, CLOCHE_OK},
    {"{\"name\":\"..\"," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"\"," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a/b\"," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a\\u0000\"," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"name_bytes\":\"2e2e\"," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"name_bytes\":\"612f\"," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"name_bytes\":\"6\"," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"name_bytes\":\"6g\"," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"name_bytes\":7," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"name_bytes\":\"ff\"," ENTRY, CLOCHE_OK},
    {"{\"name\":7," ENTRY, CLOCHE_E_GUEST},
    {"{" ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"name\":\"b\"," ENTRY, CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"kind\":\"king\",\"size\":1,\"mode\":0,\"mtime\":0}", CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"kind\":\"file\",\"size\":-1,\"mode\":0,\"mtime\":0}", CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"kind\":\"file\",\"size\":1,\"mode\":0.5,\"mtime\":0}", CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"kind\":\"file\",\"size\":1,\"mode\":0}", CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"kind\":\"link\",\"size\":1,\"mode\":0,\"mtime\":0}", CLOCHE_E_GUEST},
    {"{\"name\":\"a\",\"kind\":\"link\",\"target\":\"b\",\"size\":1,\"mode\":0,\"mtime\":0}",
     CLOCHE_OK},
    {"7", CLOCHE_E_GUEST},
    {"[[[[[]]]]]", CLOCHE_E_GUEST},
    {"{", CLOCHE_E_GUEST},
};

TEST(a_list_is_believed_only_as_far_as_it_makes_sense) {
  cloche_sandbox *box = make(1 << 20);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    TEST_ROW(lists[i].json);
    char path[300];
    cloche_file *files = NULL;
    size_t count = 0;
    snprintf(path, sizeof path, "/f[%s];", lists[i].json);
    cloche_text text = {path, strlen(path)};
    CHECK_EQ(cloche_file_list(box, text, &files, &count), lists[i].status);
    CHECK((files != NULL) == (lists[i].status == CLOCHE_OK));
    CHECK_EQ(count, lists[i].status == CLOCHE_OK);
    free(files);
  }
  cloche_file *files = NULL;
  size_t count = 0;
  cloche_text text = {"/f{};", 5};
  CHECK_EQ(cloche_file_list(box, text, &files, &count), CLOCHE_E_GUEST);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(changes_are_of_a_run_that_ended) {
  cloche_sandbox *box = make(1 << 20);
  const cloche_change *changes;
  size_t count;
  CHECK_EQ(cloche_sandbox_changes(box, &changes, &count), CLOCHE_E_STATE);
  run(box, "t");
  CHECK(cloche_sandbox_result(box)->rolled_back);
  CHECK_EQ(cloche_sandbox_changes(box, &changes, &count), CLOCHE_OK);
  CHECK_EQ(count, 0);
  run(box, "v");
  CHECK_EQ(cloche_sandbox_changes(box, &changes, &count), CLOCHE_E_GUEST); /* it asks for "/" */
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST_MAIN(TEST_ENTRY(an_answer_that_makes_no_sense_is_an_error_and_undone),
          TEST_ENTRY(a_failed_operation_leaves_memory_as_it_was),
          TEST_ENTRY(a_list_is_believed_only_as_far_as_it_makes_sense),
          TEST_ENTRY(changes_are_of_a_run_that_ended))
