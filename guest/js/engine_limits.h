// SPDX-License-Identifier: MIT
/* engine_limits.h -- part of engine.c: errors that say a limit was reached, and only those.
 *
 * The mark is JSObject.tmp_mark, which the engine uses while it writes bytecode and never else; we
 * write none after boot, and no program can reach it. Which of the two it was the prototype says;
 * one that the program has put in its place makes it an error like any other. */

/* Thrown when there is not even memory for an error object. Made at boot; not an object before. */
static JSValue spare_memory_error;

static void mark_pending_error(JSContext *ctx) {
  JSValueConst error = ctx->rt->current_exception;
  if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT) return;
  JS_VALUE_GET_OBJ(error)->tmp_mark = 1;
}

static bool pending_error_is_whole(JSContext *ctx) {
  JSValueConst error = ctx->rt->current_exception;
  if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT) return false;
  return find_own_property1(JS_VALUE_GET_OBJ(error), JS_ATOM_message) != NULL;
}

static JSValue throw_marked_memory(JSContext *ctx) {
  if (ctx->rt->in_out_of_memory) return JS_EXCEPTION;
  ctx->rt->malloc_gc_threshold = 0; /* the next object collects what cycles hold */
  throw_plain_memory(ctx);
  if (!pending_error_is_whole(ctx) && JS_IsObject(spare_memory_error))
    JS_Throw(ctx, js_dup(spare_memory_error));
  mark_pending_error(ctx);
  return JS_EXCEPTION;
}

static JSValue throw_marked_stack(JSContext *ctx) {
  throw_plain_stack(ctx);
  mark_pending_error(ctx);
  return JS_EXCEPTION;
}

engine_limit engine_limit_of(JSContext *realm, JSValueConst error) {
  if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT) return ENGINE_NO_LIMIT;
  JSObject *object = JS_VALUE_GET_OBJ(error);
  if (object->class_id != JS_CLASS_ERROR || !object->tmp_mark) return ENGINE_NO_LIMIT;
  struct list_head *at;
  list_for_each(at, &realm->rt->context_list) {
    const JSValue *protos = list_entry(at, JSContext, link)->native_error_proto;
    if (object->shape->proto == JS_VALUE_GET_OBJ(protos[JS_RANGE_ERROR])) return ENGINE_STACK;
    if (object->shape->proto == JS_VALUE_GET_OBJ(protos[JS_INTERNAL_ERROR])) return ENGINE_MEMORY;
  }
  return ENGINE_NO_LIMIT;
}

bool engine_is_syntax_error(JSContext *realm, JSValueConst error) {
  if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT) return false;
  return JS_VALUE_GET_OBJ(error)->shape->proto ==
         JS_VALUE_GET_OBJ(realm->native_error_proto[JS_SYNTAX_ERROR]);
}

void engine_adopt_error(JSContext *realm, JSContext *from) {
  JSValueConst error = realm->rt->current_exception;
  if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT) return;
  JSObject *object = JS_VALUE_GET_OBJ(error);
  if (object->class_id != JS_CLASS_ERROR) return;
  JSValue saved = JS_GetException(realm); /* the call below must not see it */
  for (int i = 0; i < JS_NATIVE_ERROR_COUNT; i++) {
    if (object->shape->proto != JS_VALUE_GET_OBJ(from->native_error_proto[i])) continue;
    JS_SetPrototypeInternal(realm, saved, realm->native_error_proto[i], false);
    break;
  }
  if (object->shape->proto == JS_VALUE_GET_OBJ(from->class_proto[JS_CLASS_ERROR]))
    JS_SetPrototypeInternal(realm, saved, realm->class_proto[JS_CLASS_ERROR], false);
  JS_Throw(realm, saved);
}

bool engine_stack_is_full(JSContext *realm) {
  if (!js_check_stack_overflow(realm->rt, 0)) return false;
  throw_marked_stack(realm);
  return true;
}
