// SPDX-License-Identifier: MIT
/* engine_look.h -- part of engine.c: reading values without running any code of the program. */

const char *engine_kind(JSContext *realm, JSValueConst value) {
  if (JS_VALUE_GET_TAG(value) != JS_TAG_OBJECT) return "";
  switch (JS_VALUE_GET_OBJ(value)->class_id) {
    case JS_CLASS_MODULE_NS:
      return "Module";
    case JS_CLASS_PROXY:
      return "Proxy";
    case JS_CLASS_GENERATOR_FUNCTION:
    case JS_CLASS_ASYNC_FUNCTION:
    case JS_CLASS_ASYNC_GENERATOR_FUNCTION:
    case JS_CLASS_PROMISE_RESOLVE_FUNCTION:
    case JS_CLASS_PROMISE_REJECT_FUNCTION:
    case JS_CLASS_ASYNC_FUNCTION_RESOLVE:
    case JS_CLASS_ASYNC_FUNCTION_REJECT:
      return "Function";
    default:
      break;
  }
  JSAtom name = realm->rt->class_array[JS_VALUE_GET_OBJ(value)->class_id].class_name;
  JSAtomStruct *text = realm->rt->atom_array[name];
  static char kind[40];
  size_t size = min_int(text->len, sizeof kind - 1);
  memcpy(kind, str8(text), size); /* class names are ASCII */
  kind[size] = 0;
  return kind;
}

const char *engine_function_type(JSValueConst function) {
  int type = JS_VALUE_GET_TAG(function) == JS_TAG_OBJECT ? JS_VALUE_GET_OBJ(function)->class_id : 0;
  return type == JS_CLASS_GENERATOR_FUNCTION         ? "GeneratorFunction"
         : type == JS_CLASS_ASYNC_FUNCTION           ? "AsyncFunction"
         : type == JS_CLASS_ASYNC_GENERATOR_FUNCTION ? "AsyncGeneratorFunction"
                                                     : "Function";
}

JSValue engine_primitive(JSContext *realm, JSValueConst object) {
  (void)realm;
  if (JS_VALUE_GET_TAG(object) != JS_TAG_OBJECT) return JS_UNDEFINED;
  switch (JS_VALUE_GET_OBJ(object)->class_id) {
    case JS_CLASS_NUMBER:
    case JS_CLASS_STRING:
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_SYMBOL:
    case JS_CLASS_BIG_INT:
    case JS_CLASS_DATE:
      return js_dup(JS_VALUE_GET_OBJ(object)->u.object_data);
    default:
      return JS_UNDEFINED;
  }
}

typedef struct {
  struct list_head *from, *end; /* JSMapRecord.link */
  bool with_keys, with_values;
} map_range;

static map_range whole_map(JSObject *map) {
  JSMapState *state = map->u.map_state;
  bool is_map = map->class_id == JS_CLASS_MAP;
  return (map_range){state->records.next, &state->records, true, is_map};
}

static map_range rest_of_map(JSObject *iterator) {
  JSMapIteratorData *data = iterator->u.map_iterator_data;
  if (data == NULL || JS_VALUE_GET_TAG(data->obj) != JS_TAG_OBJECT) return (map_range){0};
  map_range range = whole_map(JS_VALUE_GET_OBJ(data->obj));
  if (data->cur_record != NULL) range.from = data->cur_record->link.next;
  bool is_set = iterator->class_id == JS_CLASS_SET_ITERATOR;
  bool pairs = data->kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
  range.with_keys = is_set || pairs || data->kind == JS_ITERATOR_KIND_KEY;
  range.with_values = pairs || (!is_set && data->kind == JS_ITERATOR_KIND_VALUE);
  return range;
}

JSValue engine_entries(JSContext *realm, JSValueConst object) {
  if (JS_VALUE_GET_TAG(object) != JS_TAG_OBJECT) return JS_UNDEFINED;
  JSObject *at = JS_VALUE_GET_OBJ(object);
  map_range range;
  if (at->class_id == JS_CLASS_MAP || at->class_id == JS_CLASS_SET)
    range = whole_map(at);
  else if (at->class_id == JS_CLASS_MAP_ITERATOR || at->class_id == JS_CLASS_SET_ITERATOR)
    range = rest_of_map(at);
  else
    return JS_UNDEFINED;
  JSValue list = JS_NewArray(realm);
  if (JS_IsException(list)) return list;
  uint32_t count = 0;
  for (struct list_head *link = range.from; link != range.end; link = link->next) {
    JSMapRecord *record = list_entry(link, JSMapRecord, link);
    if (record->empty) continue;
    bool is_set = at->class_id == JS_CLASS_SET || at->class_id == JS_CLASS_SET_ITERATOR;
    JSValueConst second = is_set ? (JSValueConst)record->key : (JSValueConst)record->value;
    if ((range.with_keys && JS_DefinePropertyValueUint32(realm, list, count++, js_dup(record->key),
                                                         JS_PROP_C_W_E) < 0) ||
        (range.with_values &&
         JS_DefinePropertyValueUint32(realm, list, count++, js_dup(second), JS_PROP_C_W_E) < 0)) {
      JS_FreeValue(realm, list);
      return JS_EXCEPTION;
    }
  }
  return list;
}

bool engine_entries_are_pairs(JSValueConst iterator) {
  if (JS_VALUE_GET_TAG(iterator) != JS_TAG_OBJECT) return false;
  JSObject *at = JS_VALUE_GET_OBJ(iterator);
  if (at->class_id != JS_CLASS_MAP_ITERATOR && at->class_id != JS_CLASS_SET_ITERATOR) return false;
  JSMapIteratorData *data = at->u.map_iterator_data;
  return data != NULL && data->kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
}

JSValue engine_own_data(JSContext *realm, JSValueConst object, JSAtom name) {
  (void)realm;
  if (JS_VALUE_GET_TAG(object) != JS_TAG_OBJECT) return JS_UNDEFINED;
  JSProperty *property;
  JSShapeProperty *found = find_own_property(&property, JS_VALUE_GET_OBJ(object), name);
  if (found == NULL || (found->flags & JS_PROP_TMASK) != 0) return JS_UNDEFINED;
  return js_dup(property->u.value);
}

JSValueConst engine_behind_proxies(JSValueConst value) {
  while (JS_VALUE_GET_TAG(value) == JS_TAG_OBJECT) {
    JSObject *object = JS_VALUE_GET_OBJ(value);
    if (object->class_id != JS_CLASS_PROXY || object->u.proxy_data->is_revoked) break;
    value = object->u.proxy_data->target;
  }
  return value;
}

JSValue engine_error_frames(JSContext *realm, JSValueConst error) {
  if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT) return JS_UNDEFINED;
  JSObject *object = JS_VALUE_GET_OBJ(error);
  if (object->class_id == JS_CLASS_ERROR) return js_dup(object->u.object_data);
  if (object->class_id == JS_CLASS_DOM_EXCEPTION)
    return engine_own_data(realm, error, JS_ATOM_stack);
  return JS_UNDEFINED;
}

/* As js_async_function_call does it, but for the reference that is kept. */
JSValue engine_start(JSContext *realm, JSValueConst function, engine_activation **held) {
  *held = NULL;
  JSAsyncFunctionData *made = js_mallocz(realm, sizeof *made);
  if (made == NULL) return JS_EXCEPTION;
  JS_REF_COUNT(made) = 1;
  add_gc_object(realm->rt, &made->header, JS_GC_OBJ_TYPE_ASYNC_FUNCTION);
  made->resolving_funcs[0] = made->resolving_funcs[1] = JS_UNDEFINED;
  JSValue promise = JS_NewPromiseCapability(realm, made->resolving_funcs);
  if (!JS_IsException(promise) &&
      !async_func_init(realm, &made->func_state, function, JS_UNDEFINED, 0, NULL)) {
    made->is_active = true;
    made->func_state.frame.cur_gc_obj = &made->header;
    if (js_async_function_resume(realm, made)) {
      *held = made;
      return promise;
    }
  }
  JS_FreeValue(realm, promise);
  js_async_function_free(realm->rt, made);
  return JS_EXCEPTION;
}

void engine_release(JSContext *realm, engine_activation *held) {
  if (held != NULL) js_async_function_free(realm->rt, held);
}

/* Where a function stands, by the offset of the bytecode after the one that runs. */
static void put_place(JSContext *realm, DynBuf *to, JSValueConst running, uint32_t after) {
  JSFunctionBytecode *code = JS_VALUE_GET_OBJ(running)->u.func.function_bytecode;
  if (code->filename == JS_ATOM_NULL) return;
  int column, line = find_line_num(realm, code, after - 1, &column);
  char name[ATOM_GET_STR_BUF_SIZE], file[ATOM_GET_STR_BUF_SIZE];
  JS_AtomGetStr(realm, name, sizeof name, code->func_name);
  JS_AtomGetStr(realm, file, sizeof file, code->filename);
  bool is_named = code->func_name != JS_ATOM_NULL && name[0] != 0;
  dbuf_printf(to, "    at %s (%s:%d:%d)\n", is_named ? name : "<anonymous>", file, line, column);
}

static bool has_place(const JSStackFrame *frame) {
  return JS_VALUE_GET_TAG(frame->cur_func) == JS_TAG_OBJECT && frame->cur_pc != NULL &&
         js_class_has_bytecode(JS_VALUE_GET_OBJ(frame->cur_func)->class_id);
}

static uint32_t place_after(const JSStackFrame *frame) {
  const JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
  return (uint32_t)(frame->cur_pc - function->u.func.function_bytecode->byte_code_buf);
}

static void put_frame(JSContext *realm, DynBuf *to, const JSStackFrame *frame) {
  if (has_place(frame)) put_place(realm, to, frame->cur_func, place_after(frame));
}

/* The async function that a reaction of `promise` would go on with, or NULL. */
static JSAsyncFunctionData *awaiting_function(JSPromiseData *promise) {
  struct list_head *at;
  list_for_each(at, &promise->promise_reactions[0]) {
    JSPromiseReactionData *reaction = list_entry(at, JSPromiseReactionData, link);
    if (JS_VALUE_GET_TAG(reaction->handler) != JS_TAG_OBJECT) continue;
    JSObject *handler = JS_VALUE_GET_OBJ(reaction->handler);
    if (handler->class_id == JS_CLASS_ASYNC_FUNCTION_RESOLVE) return handler->u.async_function_data;
  }
  return NULL;
}

/* The promise that a function of its executor settles, NULL when it is no such function. */
static JSPromiseData *promise_resolved_by(JSValueConst resolve) {
  if (JS_VALUE_GET_TAG(resolve) != JS_TAG_OBJECT) return NULL;
  JSObject *object = JS_VALUE_GET_OBJ(resolve);
  if (object->class_id != JS_CLASS_PROMISE_RESOLVE_FUNCTION) return NULL;
  JSPromiseFunctionData *data = object->u.promise_function_data;
  return data == NULL ? NULL : JS_GetOpaque(data->promise, JS_CLASS_PROMISE);
}

/* As many frames as the engine records for an error. */
enum { PLACES_MAX = 10 };

struct engine_place {
  uint32_t count;
  struct {
    JSValue function;
    uint32_t after;
    const JSStackFrame *frame; /* only to be compared: it may be gone */
  } at[];
};

engine_place *engine_place_note(JSContext *realm) {
  const JSStackFrame *running[PLACES_MAX];
  uint32_t count = 0;
  for (JSStackFrame *at = realm->rt->current_stack_frame; at != NULL && count < PLACES_MAX;
       at = at->prev_frame)
    if (has_place(at)) running[count++] = at;
  engine_place *place = NULL;
  if (count > 0) place = js_malloc_rt(realm->rt, sizeof *place + count * sizeof place->at[0]);
  if (place == NULL) return NULL;
  place->count = count;
  for (uint32_t i = 0; i < count; i++) {
    place->at[i].function = js_dup(running[i]->cur_func);
    place->at[i].after = place_after(running[i]);
    place->at[i].frame = running[i];
  }
  return place;
}

void engine_place_free(JSRuntime *runtime, engine_place *place) {
  if (place == NULL) return;
  for (uint32_t i = 0; i < place->count; i++) JS_FreeValueRT(runtime, place->at[i].function);
  js_free_rt(runtime, place);
}

/* The promise that is settled as this one is: by `then`, or since it was resolved with this one. */
static JSPromiseData *following_promise(JSPromiseData *promise) {
  struct list_head *at;
  list_for_each(at, &promise->promise_reactions[0]) {
    JSPromiseReactionData *reaction = list_entry(at, JSPromiseReactionData, link);
    JSPromiseData *next = promise_resolved_by(reaction->handler);
    if (next == NULL) next = promise_resolved_by(reaction->resolving_funcs[0]);
    if (next != NULL) return next;
  }
  return NULL;
}

/* Async functions that wait for the promise, one for the other, the first one first. */
static int awaiting_functions(JSPromiseData *promise, JSAsyncFunctionData **found, int room) {
  int count = 0;
  for (int steps = 0; promise != NULL && steps < 40 && count < room; steps++) {
    JSAsyncFunctionData *function = awaiting_function(promise);
    if (function != NULL && !function->is_active) break;
    if (function != NULL) found[count++] = function;
    promise = function == NULL ? following_promise(promise)
                               : promise_resolved_by(function->resolving_funcs[0]);
  }
  return count;
}

/* Those that the place does not have: an async function that ran then may have been resumed from a
 * job, so that who waits for it was not on the stack. */
static void put_awaiting(JSContext *realm, DynBuf *to, const JSStackFrame *outermost,
                         JSPromiseData *promise) {
  JSAsyncFunctionData *waiting[2 * PLACES_MAX];
  int count = awaiting_functions(promise, waiting, 2 * PLACES_MAX), first = 0;
  for (int i = 0; i < count; i++)
    if (&waiting[i]->func_state.frame == outermost) first = i + 1;
  for (int i = first; i < count; i++) put_frame(realm, to, &waiting[i]->func_state.frame);
}

JSValue engine_place_frames(JSContext *realm, const engine_place *place, JSValueConst promise) {
  DynBuf text;
  js_dbuf_init(realm, &text);
  for (uint32_t i = 0; place != NULL && i < place->count; i++)
    put_place(realm, &text, place->at[i].function, place->at[i].after);
  const JSStackFrame *outermost = place == NULL ? NULL : place->at[place->count - 1].frame;
  put_awaiting(realm, &text, outermost, JS_GetOpaque(promise, JS_CLASS_PROMISE));
  JSValue frames = JS_NewStringLen(realm, (char *)text.buf, text.size);
  dbuf_free(&text);
  return frames;
}

void engine_set_frames(JSContext *realm, JSValueConst error, JSValue frames) {
  if (JS_VALUE_GET_TAG(error) == JS_TAG_OBJECT &&
      JS_VALUE_GET_OBJ(error)->class_id == JS_CLASS_ERROR) {
    JS_FreeValue(realm, JS_VALUE_GET_OBJ(error)->u.object_data);
    JS_VALUE_GET_OBJ(error)->u.object_data = frames;
  } else {
    JS_FreeValue(realm, frames);
  }
}

JSValue engine_current_frames(JSContext *realm) {
  DynBuf text;
  js_dbuf_init(realm, &text);
  int count = 0;
  for (JSStackFrame *at = realm->rt->current_stack_frame; at != NULL && count < PLACES_MAX;
       at = at->prev_frame) {
    put_frame(realm, &text, at);
    count++;
  }
  JSValue frames = JS_NewStringLen(realm, (char *)text.buf, text.size);
  dbuf_free(&text);
  return frames;
}

JSValue engine_waiting_frames(JSContext *realm, const engine_activation *first) {
  DynBuf text;
  js_dbuf_init(realm, &text);
  if (first != NULL && first->is_active) put_frame(realm, &text, &first->func_state.frame);
  struct list_head *at;
  for (at = realm->rt->gc_obj_list.prev; at != &realm->rt->gc_obj_list; at = at->prev) {
    JSGCObjectHeader *object = list_entry(at, JSGCObjectHeader, link);
    if (JS_GC_TYPE(object) != JS_GC_OBJ_TYPE_ASYNC_FUNCTION) continue;
    JSAsyncFunctionData *waiting = (JSAsyncFunctionData *)object;
    if (!waiting->is_active || waiting == first || text.size > 4096) continue;
    put_frame(realm, &text, &waiting->func_state.frame);
  }
  JSValue frames = JS_NewStringLen(realm, (char *)text.buf, text.size);
  dbuf_free(&text);
  return frames;
}

JSValue engine_big_integer(JSContext *realm, const char *digits, size_t size) {
  char *text = js_strndup(realm, digits, size);
  if (text == NULL) return JS_EXCEPTION;
  JSBigInt *value = js_bigint_from_string(realm, text, 10);
  js_free(realm, text);
  return value == NULL ? JS_EXCEPTION : JS_CompactBigInt(realm, value);
}
