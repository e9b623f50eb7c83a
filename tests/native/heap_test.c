// SPDX-License-Identifier: MIT
/* heap_test.c -- the guest's allocator over a mapped region, against a plain table of what is live.
 *
 * The sources are included, so that natively, where the rest of the guest uses the system's malloc,
 * they are tested all the same. */
#define GUEST_HEAP
#include <sys/mman.h>

#include "../../guest/kernel/heap.c"
#include "../../guest/kernel/heap_extents.c"
#include "../../guest/kernel/heap_huge.c"
#include "../../guest/kernel/heap_seal.c"
#include "../../guest/kernel/heap_segments.c"
#include "../unit/test.h"

uintptr_t heap_region;
uint32_t heap_region_size, heap_region_limit;

/* `limit` segments, of which 4 are there at the start. */
static void map_region(uint32_t limit) {
  size_t size = (size_t)(limit + 1) * SEGMENT;
  uint8_t *map =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(map != MAP_FAILED);
  heap_region = ((uintptr_t)map + SEGMENT - 1) & ~(uintptr_t)(SEGMENT - 1);
  heap_region_size = 4;
  heap_region_limit = limit;
}

/* ---- a model: blocks with their owner and a pattern ---- */

enum { BLOCKS = 3000, HEAPS = 4 };

typedef struct {
  uint8_t *at;
  size_t size;
  uint8_t pattern;
  int heap;
} block;

static block blocks[BLOCKS];
static uint64_t random_state = 1;

static uint32_t next_random(uint32_t below) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33) % below;
}

static size_t random_size(void) {
  switch (next_random(20)) {
    case 0:
      return next_random(300000);
    case 1:
    case 2:
      return next_random(70000);
    case 3:
    case 4:
    case 5:
      return next_random(5000);
    default:
      return next_random(300);
  }
}

static void fill(block *of) {
  memset(of->at, of->pattern, of->size);
}

static void check(const block *of, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (of->at[i] == of->pattern) continue;
    fprintf(stderr, "  byte %zu of %zu was overwritten\n", i, of->size);
    test_failed(__FILE__, __LINE__);
  }
}

static void place(block *in, heap *from, int number) {
  *in = (block){.size = random_size(), .pattern = (uint8_t)next_random(256), .heap = number};
  in->at = heap_malloc(from, in->size);
  if (in->at == NULL) return;
  CHECK_EQ((uintptr_t)in->at % 8, 0);
  CHECK(usable_size(in->at) >= in->size);
  fill(in);
}

static void remove_block(block *from) {
  check(from, from->size);
  give(from->at);
  from->at = NULL;
}

static void resize(block *of, heap *from) {
  size_t size = random_size();
  uint8_t *moved = retake(from, of->at, size);
  if (moved == NULL) return check(of, of->size);
  of->at = moved;
  check(of, size < of->size ? size : of->size);
  of->size = size;
  fill(of);
}

static void random_operations(uint32_t count, bool new_heaps) {
  heap *heaps[HEAPS] = {&heap_kernel};
  for (int i = 1; i < HEAPS; i++) heaps[i] = heap_create();
  for (uint32_t i = 0; i < count; i++) {
    block *chosen = &blocks[next_random(BLOCKS)];
    int number = chosen->at != NULL ? chosen->heap : (int)next_random(HEAPS);
    if (heaps[number] == NULL) continue;
    if (chosen->at == NULL)
      place(chosen, heaps[number], number);
    else if (next_random(3) == 0)
      resize(chosen, heaps[number]);
    else
      remove_block(chosen);
    if (!new_heaps || next_random(5000) != 0) continue;
    number = 1 + (int)next_random(HEAPS - 1);
    for (int b = 0; b < BLOCKS; b++)
      if (blocks[b].heap == number && blocks[b].at != NULL) {
        check(&blocks[b], blocks[b].size);
        blocks[b].at = NULL;
      }
    heap_destroy(heaps[number]);
    heaps[number] = heap_create();
  }
  for (int b = 0; b < BLOCKS; b++)
    if (blocks[b].at != NULL) remove_block(&blocks[b]);
  for (int i = 1; i < HEAPS; i++) heap_destroy(heaps[i]);
}

static uint32_t used_extents(void) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < EXTENTS; i++) used += heap_extents[i].state == EXTENT_USED;
  return used;
}

/* ---- tests ---- */

TEST(blocks_keep_their_bytes_and_go_with_their_heap) {
  map_region(4096);
  for (int seed = 1; seed <= 5; seed++) {
    random_state = (uint64_t)seed;
    random_operations(20000, true);
  }
  heap_sweep(&heap_kernel);
  CHECK(used_extents() <= 1);
}

TEST(exhaustion_returns_null_and_harms_nothing) {
  map_region(40);
  for (int seed = 1; seed <= 5; seed++) {
    random_state = (uint64_t)seed;
    random_operations(15000, true);
  }
  heap_sweep(&heap_kernel);
  CHECK(used_extents() <= 1);
}

TEST(each_failed_growth_is_survived) {
  map_region(4096);
  for (uint32_t limit = 4; limit < 200; limit += 7) {
    heap_region_limit = heap_region_size > limit ? heap_region_size : limit;
    random_state = limit;
    random_operations(1000, true);
  }
}

TEST(every_small_size_has_a_class_that_wastes_at_most_a_quarter) {
  for (size_t size = 0; size <= SMALL_MAX; size++) {
    uint32_t class = class_for(size);
    CHECK(class < CLASSES);
    CHECK(heap_class_size[class] >= size);
    if (size > 8) CHECK(heap_class_size[class] * 4u < size * 5 + 32);
    if (class > 0) CHECK(heap_class_size[class - 1] < size);
  }
}

static size_t fill_memory(size_t size) {
  size_t count = 0;
  void *first = NULL, *got;
  while ((got = kernel_malloc(size)) != NULL) {
    *(void **)got = first;
    first = got;
    count++;
  }
  while (first != NULL) {
    void *next = *(void **)first;
    kernel_free(first);
    first = next;
  }
  return count;
}

TEST(memory_freed_by_one_class_serves_all_others) {
  map_region(64);
  size_t first = fill_memory(32);
  CHECK(first > 100000);
  for (size_t size = 16; size < 20000; size += size / 3) {
    size_t count = fill_memory(size);
    CHECK(count * size > (size_t)60 * SEGMENT * 3 / 4);
  }
  size_t whole = (size_t)50 * SEGMENT;
  void *huge = kernel_malloc(whole);
  CHECK(huge != NULL);
  kernel_free(huge);
  CHECK_EQ(fill_memory(32), first);
}

TEST(a_huge_block_grows_where_it_is) {
  map_region(1024);
  uint8_t *at = kernel_malloc(100000);
  uint8_t *first = at;
  for (size_t size = 100000; size < 40u << 20; size += 300000) {
    at[size - 100000] = 1;
    at = kernel_realloc(at, size);
    CHECK(at == first);
  }
  at = kernel_realloc(at, 100000);
  CHECK(at == first);
  void *small = kernel_malloc(2000); /* in what is left of its last segment */
  CHECK((uint8_t *)small < first + 2 * SEGMENT);
  at = kernel_realloc(at, 200000);
  CHECK(at != NULL && at != first);
  kernel_free(at);
  kernel_free(small);
}

TEST(aligned_blocks_are_aligned) {
  map_region(1024);
  for (size_t alignment = 1; alignment <= SEGMENT; alignment *= 2) {
    for (size_t size = 0; size < 200000; size = size * 2 + 1) {
      void *at = NULL;
      CHECK_EQ(heap_libc_posix_memalign(&at, alignment, size), 0);
      CHECK_EQ((uintptr_t)at % alignment, 0);
      CHECK(usable_size(at) >= size);
      memset(at, 1, size);
      kernel_free(at);
    }
  }
  CHECK(heap_libc_aligned_alloc(SEGMENT * 2, 8) == NULL);
  CHECK(heap_libc_aligned_alloc(24, 8) == NULL);
}

TEST(calloc_gives_zeros_also_from_memory_used_before) {
  map_region(1024);
  static const size_t sizes[] = {1, 24, 500, 2048, 2049, 60000, 70000, 1000000};
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      uint8_t *at = heap_libc_calloc(1, sizes[i]);
      for (size_t b = 0; b < sizes[i]; b++) CHECK_EQ(at[b], 0);
      memset(at, 0xAA, sizes[i]);
      heap_libc_free(at);
    }
  CHECK(heap_libc_calloc(SIZE_MAX / 2, 3) == NULL);
  CHECK(kernel_malloc(SIZE_MAX) == NULL);
  CHECK(kernel_malloc(SIZE_MAX - 4096) == NULL);
}

/* ---- sealing ---- */

TEST(after_sealing_no_page_from_before_is_written) {
  map_region(1024);
  void *kept[500];
  for (int i = 0; i < 500; i++) kept[i] = kernel_malloc((size_t)i * 20);
  void *huge = kernel_malloc(300000);
  for (int i = 0; i < 500; i += 2) kernel_free(kept[i]);
  size_t size = (size_t)used_extents() * SEGMENT;
  heap_seal();
  uint8_t *before = malloc(size);
  uint8_t *start = extent_address(1);
  memcpy(before, start, size);
  for (int i = 1; i < 500; i += 2) kernel_free(kept[i]);
  kernel_free(huge);
  random_operations(20000, true);
  for (int i = 1; i < 500; i += 2) {
    void *moved = kernel_realloc(kept[i], 20000);
    CHECK(moved != NULL && moved != kept[i]);
    kernel_free(moved);
  }
  CHECK(memcmp(before, start, size) == 0);
  free(before);
}

TEST(sealing_zeroes_what_is_dead) {
  map_region(1024);
  for (int i = 0; i < 1000; i++) {
    size_t size = random_size();
    void *at = kernel_malloc(size);
    memset(at, 0x5A, size);
    kernel_free(at);
  }
  void *kept = kernel_malloc(40);
  memset(kept, 0, 40);
  heap_seal();
  size_t dirty = 0;
  for (uint8_t *at = extent_address(1); at < extent_address(heap_region_size); at++)
    dirty += *at == 0x5A;
  CHECK(dirty < 200); /* what a header happens to hold */
}

/* Pages of 4 KiB that a handful of small allocations write after sealing. */
TEST(a_few_small_blocks_write_few_pages) {
  map_region(1024);
  kernel_free(kernel_malloc(100));
  heap_seal();
  for (size_t size = 8; size <= 128; size += 8) memset(kernel_malloc(size), 1, size);
  int pages = 0;
  for (uint8_t *at = extent_address(1); at < extent_address(heap_region_size); at += 4096) {
    bool dirty = false;
    for (int i = 0; i < 4096; i++) dirty |= at[i] != 0;
    pages += dirty;
  }
  CHECK_EQ(pages, 5 + 1); /* 17 slices, and the sealed segment */
}

TEST(a_few_processes_need_no_growth_after_sealing) {
  map_region(1024);
  kernel_free(kernel_malloc(100));
  heap_seal();
  uint32_t size = heap_region_size;
  for (int i = 0; i < 3; i++) {
    heap *process = heap_create();
    CHECK(process != NULL && heap_malloc(process, 100) != NULL);
    CHECK(kernel_malloc(65536 + 65536 / 3) != NULL);
  }
  CHECK_EQ(heap_region_size, size);
}

TEST_MAIN(TEST_ENTRY(blocks_keep_their_bytes_and_go_with_their_heap),
          TEST_ENTRY(exhaustion_returns_null_and_harms_nothing),
          TEST_ENTRY(each_failed_growth_is_survived),
          TEST_ENTRY(every_small_size_has_a_class_that_wastes_at_most_a_quarter),
          TEST_ENTRY(memory_freed_by_one_class_serves_all_others),
          TEST_ENTRY(a_huge_block_grows_where_it_is), TEST_ENTRY(aligned_blocks_are_aligned),
          TEST_ENTRY(calloc_gives_zeros_also_from_memory_used_before),
          TEST_ENTRY(after_sealing_no_page_from_before_is_written),
          TEST_ENTRY(sealing_zeroes_what_is_dead), TEST_ENTRY(a_few_small_blocks_write_few_pages),
          TEST_ENTRY(a_few_processes_need_no_growth_after_sealing))
