// SPDX-License-Identifier: MIT
/* pipeline_test.c -- three blocking processes in a pipeline, moved in the middle:
 * tests/guest/pipeline.c in the product's own runtime, with nothing in the guest but the kernel. */
#include "drive.h"

TEST(a_pipeline_of_blocking_processes_can_be_moved_at_every_call) {
  size_t hops;
  char *straight = transcript_of(STRAIGHT, false, CLOCHE_SHELL, "pipe 20000 5", &hops);
  CHECK(strstr(straight, "20000 lines, hash ") != NULL);
  CHECK(hops >= 10); /* five calls, and as many answers */
  free(straight);
  all_ways_agree(CLOCHE_SHELL, "pipe 20000 5", 10, WAYS);
}

TEST(a_pipeline_without_calls_is_the_same_however_often_it_is_looked_at) {
  all_ways_agree(CLOCHE_SHELL, "pipe 5000 0", 0, CARRIED);
}

static const test_case cases[] = {
    TEST_ENTRY(a_pipeline_of_blocking_processes_can_be_moved_at_every_call),
    TEST_ENTRY(a_pipeline_without_calls_is_the_same_however_often_it_is_looked_at)};

int main(int argc, char **argv) {
  own_path = argv[0];
  if (argc > 6 && strcmp(argv[1], "--go-on") == 0) return come_in(argv);
  return test_run_all(cases, sizeof cases / sizeof *cases, argc, argv);
}
