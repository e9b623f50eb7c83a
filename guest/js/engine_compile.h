// SPDX-License-Identifier: MIT
/* engine_compile.h -- part of engine.c: a program's text becomes a function, an async one unless
 * the word "await" occurs nowhere in it.
 *
 * The text is parsed as the body of a function, so `return` works and no wrapper text shifts
 * columns. Static imports cannot stand in a function. They are skipped where they stand; when there
 * was one, the text is parsed again as the body of a function inside a module that begins with
 * them. */

/* What frames call the program itself. */
#define PROGRAM_FUNCTION "<program>"

typedef struct {
  JSParseState state;
  JSParsePos *imports; /* where the import declarations stand */
  int import_count, import_size;
  int statements;       /* empty ones are not counted */
  bool last_is_value;   /* the last statement is an expression; its value is in `value_at` */
  int value_at;         /* hidden variable, -1 until an expression needs it */
  JSAtom only_function; /* the last statement declares a function that can be called */
  BlockEnv using_entry; /* for `using` declarations at the top */
  bool has_using;
} program_parser;

/* From `import` over the specifier and attributes to the end of the statement. */
static int skip_import(program_parser *parser) {
  JSParseState *s = &parser->state;
  if (js_resize_array(s->ctx, (void **)&parser->imports, sizeof(JSParsePos), &parser->import_size,
                      parser->import_count + 1))
    return -1;
  js_parse_get_pos(s, &parser->imports[parser->import_count++]);
  if (next_token(s)) return -1;
  for (int depth = 0; s->token.val != TOK_STRING || depth > 0;) {
    if (s->token.val == '{') depth++;
    if (s->token.val == '}') depth--;
    bool is_part = token_is_ident(s->token.val) || s->token.val == TOK_STRING ||
                   s->token.val == '{' || s->token.val == '}' || s->token.val == ',' ||
                   s->token.val == '*';
    if (!is_part || depth < 0 || depth > 1) return js_parse_error(s, "malformed import");
    if (next_token(s)) return -1;
  }
  if (next_token(s)) return -1;
  JSValue attributes;
  int failed = js_parse_with_clause(s, &attributes);
  JS_FreeValue(s->ctx, attributes);
  if (failed) return -1;
  return js_parse_expect_semi(s);
}

/* Statements whose body may hold expression statements: only a top-level expression's value is
 * kept, since keeping it in a loop's body would slow the loop down. */
static bool may_hold_statements(JSParseState *s) {
  switch (s->token.val) {
    case '{':
    case TOK_IF:
    case TOK_FOR:
    case TOK_DO:
    case TOK_WHILE:
    case TOK_SWITCH:
    case TOK_WITH:
    case TOK_TRY:
      return true;
    case TOK_IDENT:
      return peek_token(s, false) == ':'; /* a label */
    default:
      return false;
  }
}

/* Statements that certainly are no expression. */
static bool is_declaration(JSParseState *s) {
  switch (s->token.val) {
    case TOK_RETURN:
    case TOK_CONST:
    case TOK_VAR:
    case TOK_LET:
    case TOK_CLASS:
    case TOK_FUNCTION:
    case TOK_THROW:
      return true;
    default:
      return false;
  }
}

static int keep_value(program_parser *parser) {
  JSParseState *s = &parser->state;
  if (may_hold_statements(s) || is_declaration(s)) return -1;
  if (parser->value_at < 0) parser->value_at = add_var(s->ctx, s->cur_func, JS_ATOM__ret_);
  return parser->value_at;
}

static bool ends_with_kept_value(JSFunctionDef *function, int value_at) {
  int at = function->last_opcode_pos;
  return at >= 0 && value_at >= 0 && function->byte_code.buf[at] == OP_put_loc &&
         (int)get_u16(function->byte_code.buf + at + 1) == value_at &&
         (size_t)at + 3 == function->byte_code.size;
}

static JSAtom declared_function(JSFunctionDef *function) {
  if (list_empty(&function->child_list)) return JS_ATOM_NULL;
  JSFunctionDef *child = list_entry(function->child_list.prev, JSFunctionDef, link);
  if (child->func_kind == JS_FUNC_GENERATOR || child->func_kind == JS_FUNC_ASYNC_GENERATOR)
    return JS_ATOM_NULL;
  return child->func_name;
}

static int parse_one(program_parser *parser) {
  JSParseState *s = &parser->state;
  JSFunctionDef *function = s->cur_func;
  if (s->token.val == TOK_EXPORT)
    return js_parse_error(s, "a program cannot export; use return to give a value");
  if (s->token.val == TOK_IMPORT) {
    int next = peek_token(s, false);
    if (next != '(' && next != '.') {
      parser->statements++;
      parser->last_is_value = false;
      parser->only_function = JS_ATOM_NULL;
      return skip_import(parser);
    }
  }
  bool is_function = s->token.val == TOK_FUNCTION || (token_is_pseudo_keyword(s, JS_ATOM_async) &&
                                                      peek_token(s, true) == TOK_FUNCTION);
  bool is_empty = s->token.val == ';';
  function->eval_ret_idx = keep_value(parser);
  if (js_parse_source_element(s)) return -1;
  function->eval_ret_idx = -1;
  if (is_empty) return 0;
  parser->statements++;
  parser->last_is_value = ends_with_kept_value(function, parser->value_at);
  parser->only_function = is_function ? declared_function(function) : JS_ATOM_NULL;
  return 0;
}

static void open_using(program_parser *parser) {
  JSFunctionDef *function = parser->state.cur_func;
  if (parser->has_using || !function->scopes[function->body_scope].has_using) return;
  parser->has_using = true;
  push_break_entry(function, &parser->using_entry, JS_ATOM_NULL, -1, -1, 1);
  parser->using_entry.has_using = true;
  parser->using_entry.using_scope_level = function->body_scope;
}

static void emit_disposal(JSParseState *s) {
  emit_op(s, OP_dispose_scope);
  emit_u16(s, s->cur_func->body_scope);
}

/* What happens when the text is over: the value is returned, the function called, or the last
 * expression awaited. emit_return also runs the disposal of `using` declarations. */
static void emit_end(program_parser *parser, engine_program *found) {
  JSParseState *s = &parser->state;
  bool is_alone = parser->statements == 1;
  found->is_value = is_alone && (parser->last_is_value || parser->only_function != JS_ATOM_NULL);
  if (parser->last_is_value) {
    emit_op(s, OP_get_loc);
    emit_u16(s, parser->value_at);
  } else if (found->is_value) {
    emit_op(s, OP_scope_get_var);
    emit_atom(s, parser->only_function);
    emit_u16(s, s->cur_func->scope_level);
    emit_op(s, OP_call);
    emit_u16(s, 0);
  }
  found->is_waited = parser->last_is_value && !is_alone && !found->is_async;
  if (parser->last_is_value && !is_alone && found->is_async) {
    emit_op(s, OP_await);
    emit_op(s, OP_drop);
  }
  emit_return(s, found->is_value || found->is_waited);
  if (!parser->has_using) return;
  JSVarScope *scope = &s->cur_func->scopes[s->cur_func->body_scope];
  pop_break_entry(s->cur_func);
  emit_label(s, scope->using_label_catch);
  emit_disposal(s);
  emit_op(s, OP_throw);
  emit_label(s, scope->using_label_end);
}

static int parse_body(program_parser *parser, engine_program *found) {
  JSParseState *s = &parser->state;
  JSFunctionDef *function = s->cur_func;
  function->func_kind = found->is_async ? JS_FUNC_ASYNC : JS_FUNC_NORMAL;
  function->in_function_body = true;
  function->has_this_binding = true;
  function->arguments_allowed = true;
  function->has_simple_parameter_list = true;
  push_scope(s);
  function->body_scope = function->scope_level;
  function->func_name = JS_NewAtom(s->ctx, PROGRAM_FUNCTION);
  if (next_token(s) || js_parse_directives(s)) return -1;
  while (s->token.val != TOK_EOF) {
    if (parse_one(parser)) return -1;
    open_using(parser);
  }
  emit_end(parser, found);
  return 0;
}

static void start_parser(program_parser *parser, JSContext *realm, const char *text, size_t size,
                         const char *name) {
  js_parse_init(realm, &parser->state, text, size, name, 1);
  parser->state.eol--; /* columns count from it: without this they start at 0 in the first line */
  skip_shebang(&parser->state.buf_ptr, parser->state.buf_end);
  parser->statements = 0;
  parser->value_at = -1;
  parser->last_is_value = false;
  parser->only_function = JS_ATOM_NULL;
  parser->has_using = false;
}

/* Errors in a regular expression come without a position: give them the token's. */
static void place_error(JSParseState *s) {
  JSValueConst error = s->ctx->rt->current_exception;
  if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT) return;
  JSObject *object = JS_VALUE_GET_OBJ(error);
  if (object->class_id != JS_CLASS_ERROR || s->token.ptr == NULL) return;
  JSValue *frames = &object->u.object_data;
  bool is_placed = JS_IsString(*frames) && !JS_IsEmptyString(*frames);
  if (is_placed) return;
  char text[96];
  snprintf(text, sizeof text, "    at %.40s:%d:%d\n", s->filename, s->token.line_num,
           s->token.ptr >= s->token.line_start ? (int)(s->token.ptr - s->token.line_start) + 1
                                               : s->token.col_num);
  JSValue saved = JS_GetException(s->ctx);
  JSValue placed = JS_NewString(s->ctx, text);
  if (!JS_IsException(placed)) {
    JS_FreeValue(s->ctx, *frames);
    *frames = placed;
  }
  JS_Throw(s->ctx, saved);
}

static JSValue compile_script(program_parser *parser, JSContext *realm, const char *text,
                              size_t size, const char *name, engine_program *found) {
  start_parser(parser, realm, text, size, name);
  JSParseState *s = &parser->state;
  JSFunctionDef *function = js_new_function_def(realm, NULL, false, false, name, 1, 1);
  if (function == NULL) return JS_EXCEPTION;
  s->cur_func = function;
  if (parse_body(parser, found)) {
    place_error(s);
    free_token(s, &s->token);
    js_free_function_def(realm, function);
    return JS_EXCEPTION;
  }
  if (parser->import_count > 0) { /* the text is good, but needs a module around it */
    js_free_function_def(realm, function);
    return JS_UNDEFINED;
  }
  JSValue code = js_create_function(realm, function);
  if (JS_IsException(code)) return code;
  return js_closure(realm, code, NULL, NULL);
}

/* `export default <the program's function>`, as the parser would do it. */
static int export_function(JSParseState *s, JSFunctionDef *function) {
  JSFunctionDef *module = s->cur_func;
  function->parent_cpool_idx = cpool_add(s, JS_NULL);
  if (define_var(s, module, JS_ATOM__default_, JS_VAR_DEF_LET) < 0) return -1;
  emit_op(s, OP_fclosure);
  emit_u32(s, function->parent_cpool_idx);
  emit_op(s, OP_scope_put_var_init);
  emit_atom(s, JS_ATOM__default_);
  emit_u16(s, 0);
  if (!add_export_entry(s, module->module, JS_ATOM__default_, JS_ATOM_default,
                        JS_EXPORT_TYPE_LOCAL))
    return -1;
  emit_return(s, false);
  return 0;
}

static int parse_module(program_parser *parser, JSFunctionDef *module, engine_program *found) {
  JSParseState *s = &parser->state;
  push_scope(s);
  module->body_scope = module->scope_level;
  int import_count = parser->import_count;
  for (int i = 0; i < import_count; i++)
    if (js_parse_seek_token(s, &parser->imports[i]) || js_parse_import(s)) return -1;
  free_token(s, &s->token);

  const uint8_t *end = s->buf_end;
  const char *text = (const char *)s->buf_start;
  start_parser(parser, s->ctx, text, (size_t)(end - s->buf_start), s->filename);
  parser->import_count = 0;
  s->is_module = true;
  s->cur_func = module;
  JSFunctionDef *function = js_new_function_def(s->ctx, module, false, true, s->filename, 1, 1);
  if (function == NULL) return -1;
  s->cur_func = function;
  int failed = parse_body(parser, found);
  s->cur_func = module;
  return failed ? -1 : export_function(s, function);
}

static JSValue compile_module(program_parser *parser, JSContext *realm, const char *text,
                              size_t size, const char *name, engine_program *found) {
  start_parser(parser, realm, text, size, name);
  JSParseState *s = &parser->state;
  JSModuleDef *module = js_new_module_def(realm, JS_NewAtom(realm, name));
  if (module == NULL) return JS_EXCEPTION;
  JSFunctionDef *function = js_new_function_def(realm, NULL, true, false, name, 1, 1);
  if (function == NULL) goto fail_module;
  s->cur_func = function;
  s->is_module = true;
  function->eval_type = JS_EVAL_TYPE_MODULE;
  function->has_this_binding = true;
  function->arguments_allowed = true;
  function->is_strict_mode = true;
  function->in_function_body = true;
  function->is_global_var = true;
  function->func_kind = JS_FUNC_ASYNC;
  function->func_name = JS_DupAtom(realm, JS_ATOM__eval_);
  function->module = module;
  if (parse_module(parser, function, found)) {
    free_token(s, &s->token);
    js_free_function_def(realm, function);
    goto fail_module;
  }
  module->func_obj = js_create_function(realm, function);
  if (JS_IsException(module->func_obj)) goto fail_module;
  if (js_resolve_module(realm, module) < 0) goto fail_module;
  found->is_module = true;
  return JS_NewModuleValue(realm, module);
fail_module:
  js_free_module_def(realm, module);
  return JS_EXCEPTION;
}

/* What a program kept of a module may still refer to it, so it is not freed, only no longer found.
 */
void engine_retire_modules(JSContext *realm) {
  struct list_head *at;
  list_for_each(at, &realm->loaded_modules) {
    JSModuleDef *module = list_entry(at, JSModuleDef, link);
    char name[2];
    JS_AtomGetStr(realm, name, sizeof name, module->module_name);
    if (module->init_func != NULL && name[0] != '/') continue; /* a built-in one */
    JS_FreeAtom(realm, module->module_name);
    module->module_name = JS_DupAtom(realm, JS_ATOM_empty_string);
  }
}

JSValue engine_compile(JSContext *realm, const char *text, size_t size, const char *name,
                       engine_program *found) {
  *found = (engine_program){.is_async = memmem(text, size, "await", 5) != NULL};
  JS_FreeValue(realm, realm->error_back_trace);
  realm->error_back_trace = JS_UNDEFINED;
  remember_program(realm, text, size, name);
  program_parser parser;
  parser.imports = NULL;
  parser.import_count = parser.import_size = 0;
  JSValue compiled = compile_script(&parser, realm, text, size, name, found);
  if (JS_IsUndefined(compiled)) compiled = compile_module(&parser, realm, text, size, name, found);
  js_free(realm, parser.imports);
  return compiled;
}
