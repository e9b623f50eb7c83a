// SPDX-License-Identifier: MIT
/* engine_memory.h -- part of engine.c: the runtime's memory, and the line drawn after boot.
 *
 * A sandbox is a copy-on-write view of the image, so a page costs nothing until it is written. A
 * collection would write all over it, since it walks every object. Sealing takes the boot's objects
 * off the collector's list, and raises their reference counts so far that they can never reach
 * zero. That later allocations do not lie between them is the kernel's doing (heap_seal), and the
 * nursery's. */

#define SEALED_REFERENCES (1 << 28)

static void *heap_calloc(void *opaque, size_t count, size_t size) {
  (void)opaque;
  if (size != 0 && count > SIZE_MAX / size) return NULL;
  void *at = kernel_malloc(count * size);
  return at == NULL ? NULL : memset(at, 0, count * size);
}

static void *heap_malloc(void *opaque, size_t size) {
  (void)opaque;
  return kernel_malloc(size);
}

static void heap_free(void *opaque, void *at) {
  (void)opaque;
  kernel_free(at);
}

static void *heap_realloc(void *opaque, void *at, size_t size) {
  (void)opaque;
  return kernel_realloc(at, size);
}

/* The engine asks once in 10,000 calls and loops. Once the answer was yes it asks at each, so that
 * what caught the interrupt (a Promise's executor, say) gets no further than its next call. */
static int ask_interrupt(JSRuntime *runtime, void *opaque) {
  (void)opaque;
  if (!kernel_interrupted()) return 0;
  struct list_head *at;
  list_for_each(at, &runtime->context_list) list_entry(at, JSContext, link)->interrupt_counter = 1;
  return 1;
}

JSRuntime *engine_new(void) {
  static const JSMallocFunctions functions = {heap_calloc, heap_malloc, heap_free, heap_realloc,
                                              kernel_malloc_size};
  JSRuntime *runtime = JS_NewRuntime2(&functions, NULL);
  if (runtime != NULL) JS_SetInterruptHandler(runtime, ask_interrupt, NULL);
  return runtime;
}

static void detach(struct list_head *link) {
  list_del(link);
  init_list_head(link); /* a later list_del of it is then harmless */
}

static void seal_objects(JSRuntime *runtime) {
  struct list_head *at, *next;
  list_for_each_safe(at, next, &runtime->gc_obj_list) {
    JSGCObjectHeader *object = list_entry(at, JSGCObjectHeader, link);
    detach(&object->link);
    /* A shape with one reference is changed in place, so shapes count truly. */
    if (JS_GC_TYPE(object) != JS_GC_OBJ_TYPE_SHAPE) JS_REF_COUNT(object) += SEALED_REFERENCES;
  }
}

/* No later block lies between those of boot; what is freed of them stays unused. */
static void seal_arenas(JSRuntime *runtime) {
  for (int size = 0; size < JS_ARENA_BLOCK_SIZE_COUNT; size++) {
    struct list_head *at, *next;
    list_for_each_safe(at, next, &runtime->arena_state.free_arena_list[size]) detach(at);
    list_for_each_safe(at, next, &runtime->arena_state.arena_list[size]) detach(at);
  }
}

/* A run of a few hundred objects should end without a collection, and a program's garbage should
 * not grow with what the image holds. */
#define FIRST_COLLECTION (1u << 20)

void engine_seal(JSRuntime *runtime) {
  JSContext *realm = list_entry(runtime->context_list.next, JSContext, link);
  spare_memory_error = JS_NewInternalError(realm, "out of memory");
  JS_NewAtom(realm, PROGRAM_FUNCTION); /* so that no run has to make it */
  JS_FreeValue(realm, realm->error_back_trace);
  realm->error_back_trace = JS_UNDEFINED;
  JS_RunGC(runtime);
  seal_objects(runtime);
  seal_arenas(runtime);
  nursery_open();
  runtime->malloc_gc_threshold = runtime->malloc_state.malloc_size + FIRST_COLLECTION;
}

void engine_enter(JSRuntime *runtime, size_t stack) {
  runtime->stack_size = stack;
  JS_UpdateStackTop(runtime);
}

void engine_drop_jobs(JSRuntime *runtime) {
  struct list_head *at, *next;
  list_for_each_safe(at, next, &runtime->job_list) {
    JSJobEntry *job = list_entry(at, JSJobEntry, link);
    list_del(&job->link);
    for (int i = 0; i < job->argc; i++) JS_FreeValueRT(runtime, job->argv[i]);
    js_free_rt(runtime, job);
  }
}

JSValue engine_random(JSContext *realm) {
  return js_math_random(realm, JS_UNDEFINED, 0, NULL);
}

void engine_seed(JSContext *realm, uint64_t seed) {
  realm->random_state = seed != 0 ? seed : 1; /* the generator stays at 0 for ever */
}
