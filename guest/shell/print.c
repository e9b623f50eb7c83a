// SPDX-License-Identifier: MIT
/* print.c -- the tree written out again, in the layout that bash gives it (declare -f, type, jobs).
 *
 * Inside a function every command has its line; elsewhere everything is on one. */
#include "exec.h"
#include "parser.h"
#include "shared.h"

#define INDENT 4

typedef struct {
  text *to;
  unsigned indent;
  unsigned functions;            /* > 0: lines of their own */
  unsigned depth;                /* recursion goes no deeper than parsing did */
  bool joined;                   /* the next command goes on in this line */
  const redirect *documents[16]; /* bodies still to come */
  size_t document_count;
} printer;

static void print_node(printer *p, const node *of);

static void indent(printer *p) {
  text_pad(p->to, ' ', p->indent);
}

static void newline(printer *p, const char *word) {
  text_char(p->to, '\n');
  indent(p);
  text_string(p->to, word);
}

static void semicolon(printer *p) {
  char last = p->to->len > 0 ? p->to->at[p->to->len - 1] : '\n';
  if (last != '&' && last != '\n') text_char(p->to, ';');
}

static void print_documents(printer *p) {
  for (size_t i = 0; i < p->document_count; i++) {
    const redirect *at = p->documents[i];
    if (i == 0) text_char(p->to, '\n');
    text_add(p->to, at->body.at, at->body.len);
    text_add(p->to, at->delimiter.at, at->delimiter.len);
    text_char(p->to, '\n');
  }
  p->document_count = 0;
}

/* A word as it stands, but that $"..." and $'...' have become what they mean. */
static void print_source(printer *p, slice source) {
  const char *at = source.at, *end = at + source.len;
  bool quoted = false; /* in double quotes */
  unsigned depth = 0;  /* of $( ) and the like, whose text stays */
  while (at < end) {
    const char *from = at++;
    if (*from == '\\' && at < end) {
      at++;
    } else if (*from == '\'' && !quoted) {
      while (at < end && *at++ != '\'') continue;
    } else if (*from == '$' && at < end && *at == '"' && !quoted && depth == 0) {
      continue;
    } else if (*from == '$' && at < end && *at == '\'' && !quoted && depth == 0) {
      const char *body = ++at;
      while (at < end && *at != '\'') at += *at == '\\' && at + 1 < end ? 2 : 1;
      text plain = {.in = p->to->in};
      shared_unescape(&plain, body, (size_t)(at - body), true);
      if (at < end) at++;
      text_char(p->to, '\'');
      for (size_t i = 0; i < plain.len; i++)
        if (plain.at[i] == '\'')
          text_string(p->to, "'\\''");
        else
          text_char(p->to, plain.at[i]);
      text_char(p->to, '\'');
      if (plain.in == NULL) text_free(&plain);
      continue;
    } else if (*from == '"') {
      quoted = !quoted;
    } else if (*from == '(' || *from == '{') {
      depth++;
    } else if ((*from == ')' || *from == '}') && depth > 0) {
      depth--;
    }
    text_add(p->to, from, (size_t)(at - from));
  }
}

static void print_assignment(printer *p, const assignment *of) {
  if (of->elements == NULL) {
    print_source(p, of->source);
    return;
  }
  const char *open = memchr(of->source.at, '(', of->source.len);
  text_add(p->to, of->source.at, (size_t)(open + 1 - of->source.at));
  for (const element *at = of->elements; at != NULL; at = at->next) {
    if (at != of->elements) text_char(p->to, ' ');
    if (at->subscript != NULL) {
      text_char(p->to, '[');
      print_source(p, at->subscript->source);
      text_string(p->to, at->append ? "]+=" : "]=");
    }
    if (at->value != NULL) print_source(p, at->value->source);
  }
  text_char(p->to, ')');
}

static void print_words(printer *p, const word *first, const char *between) {
  for (const word *at = first; at != NULL; at = at->next) {
    if (at != first) text_string(p->to, between);
    if (at->assign != NULL)
      print_assignment(p, at->assign);
    else
      print_source(p, at->source);
  }
}

static void print_redirect(printer *p, const redirect *of) {
  static const char *const operators[] = {
      [REDIRECT_INPUT] = "<",       [REDIRECT_OUTPUT] = ">",     [REDIRECT_CLOBBER] = ">|",
      [REDIRECT_APPEND] = ">>",     [REDIRECT_BOTH] = "&>",      [REDIRECT_BOTH_APPEND] = "&>>",
      [REDIRECT_READ_WRITE] = "<>", [REDIRECT_DUP_INPUT] = "<&", [REDIRECT_DUP_OUTPUT] = ">&",
      [REDIRECT_DOCUMENT] = "<<",   [REDIRECT_STRING] = "<<<"};
  if (of->variable != NULL)
    text_format(p->to, "{%s}", of->variable);
  else if (of->fd >= 0)
    text_format(p->to, "%d", of->fd);
  else if (of->kind == REDIRECT_DUP_OUTPUT)
    text_char(p->to, '1');
  else if (of->kind == REDIRECT_DUP_INPUT)
    text_char(p->to, '0');
  bool closes = of->kind == REDIRECT_DUP_INPUT && of->target->source.len == 1 &&
                *of->target->source.at == '-';
  text_string(p->to, closes ? ">&" : operators[of->kind]);
  if (of->kind == REDIRECT_DOCUMENT) {
    if (of->strip) text_char(p->to, '-');
    text_add(p->to, of->delimiter.at, of->delimiter.len);
    if (p->document_count < 16) p->documents[p->document_count++] = of;
    return;
  }
  bool tight = of->kind == REDIRECT_DUP_INPUT || of->kind == REDIRECT_DUP_OUTPUT;
  if (!tight) text_char(p->to, ' ');
  print_source(p, of->target->source);
}

static void print_redirects(printer *p, const redirect *first) {
  for (const redirect *at = first; at != NULL; at = at->next) {
    text_char(p->to, ' ');
    print_redirect(p, at);
  }
}

static void print_simple(printer *p, const node *of) {
  size_t start = p->to->len;
  for (const assignment *at = of->assigns; at != NULL; at = at->next) {
    if (p->to->len > start) text_char(p->to, ' ');
    print_assignment(p, at);
  }
  if (of->assigns != NULL && of->words != NULL) text_char(p->to, ' ');
  print_words(p, of->words, " ");
  for (const redirect *at = of->redirects; at != NULL; at = at->next) {
    if (p->to->len > start) text_char(p->to, ' ');
    print_redirect(p, at);
  }
}

static void print_inner(printer *p, const node *of) {
  p->joined = true;
  print_node(p, of);
  print_documents(p);
}

/* Lines of a body, one step further in. */
static void print_body(printer *p, const node *of) {
  p->indent += INDENT;
  print_node(p, of);
  print_documents(p);
  p->indent -= INDENT;
}

static void print_list(printer *p, const node *first) {
  for (const node *at = first; at != NULL; at = at->next) {
    print_node(p, at);
    const char *joint = at->joint == JOIN_AND ? " && " : at->joint == JOIN_OR ? " || " : NULL;
    if (joint != NULL) {
      text_string(p->to, joint);
      p->joined = true;
      continue;
    }
    if (at->joint == JOIN_BACKGROUND) text_string(p->to, " &");
    if (at->next == NULL) return;
    bool documents = p->document_count > 0;
    if (documents) print_documents(p);
    if (at->joint != JOIN_BACKGROUND && !documents) text_char(p->to, ';');
    if (p->functions > 0) {
      text_char(p->to, '\n');
    } else {
      text_char(p->to, ' ');
      p->joined = true;
    }
  }
}

static void print_pipeline(printer *p, const node *of) {
  if (of->timed) text_string(p->to, of->timed == 2 ? "time -p " : "time ");
  if (of->negated) text_string(p->to, "! ");
  for (const node *at = of->first; at != NULL; at = at->next) {
    p->joined = true;
    print_node(p, at);
    if (at->next != NULL) text_string(p->to, " | ");
  }
}

static void print_group(printer *p, const node *body) {
  text_string(p->to, "{ ");
  if (p->functions > 0) {
    text_char(p->to, '\n');
    print_body(p, body);
    newline(p, "");
  } else {
    print_inner(p, body);
    semicolon(p);
    text_char(p->to, ' ');
  }
  text_char(p->to, '}');
}

/* elif is an if inside the else. */
static void print_if(printer *p, const clause *first, const node *otherwise) {
  text_string(p->to, "if ");
  print_inner(p, first->condition);
  semicolon(p);
  text_string(p->to, " then\n");
  print_body(p, first->body);
  if (first->next != NULL) {
    semicolon(p);
    newline(p, "else\n");
    p->indent += INDENT;
    indent(p);
    print_if(p, first->next, otherwise);
    p->indent -= INDENT;
  } else if (otherwise != NULL) {
    semicolon(p);
    newline(p, "else\n");
    print_body(p, otherwise);
  }
  semicolon(p);
  newline(p, "fi");
}

static void print_do(printer *p, const node *body) {
  print_body(p, body);
  semicolon(p);
  newline(p, "done");
}

static void print_for_header(printer *p, const node *of) {
  text_format(p->to, "%s %s in ", of->kind == NODE_SELECT ? "select" : "for", of->name);
  if (of->with_words)
    print_words(p, of->list, " ");
  else
    text_string(p->to, "\"$@\"");
}

static void print_for(printer *p, const node *of) {
  print_for_header(p, of);
  text_char(p->to, ';');
  newline(p, "do\n");
  print_do(p, of->body);
}

static void print_expression(printer *p, const word *of) {
  if (of == NULL) return;
  slice source = of->source;
  while (source.len > 0 && *source.at == ' ') source.at++, source.len--;
  text_add(p->to, source.at, source.len);
}

static void print_case(printer *p, const node *of) {
  text_format(p->to, "case %.*s in ", (int)of->subject->source.len, of->subject->source.at);
  p->indent += INDENT;
  for (const case_item *at = of->items; at != NULL; at = at->next) {
    newline(p, "");
    print_words(p, at->patterns, " | ");
    text_string(p->to, ")\n");
    if (at->body != NULL) print_body(p, at->body);
    newline(p, at->end == CASE_FALL ? ";&" : at->end == CASE_TEST ? ";;&" : ";;");
  }
  p->indent -= INDENT;
  newline(p, "esac");
}

static void print_condition(printer *p, const condition *of) {
  if (++p->depth > PARSE_DEPTH * 4) return;
  switch (of->kind) {
    case TEST_AND:
    case TEST_OR:
      print_condition(p, of->left);
      text_string(p->to, of->kind == TEST_AND ? " && " : " || ");
      print_condition(p, of->right);
      break;
    case TEST_NOT:
      text_string(p->to, "! ");
      print_condition(p, of->left);
      break;
    case TEST_GROUP:
      text_string(p->to, "( ");
      print_condition(p, of->left);
      text_string(p->to, " )");
      break;
    case TEST_UNARY:
      text_format(p->to, "%s ", of->operator);
      print_words(p, of->first, " ");
      break;
    case TEST_BINARY:
      text_add(p->to, of->first->source.at, of->first->source.len);
      text_format(p->to, " %s ", of->operator);
      text_add(p->to, of->second->source.at, of->second->source.len);
      break;
    default:
      text_format(p->to, "-n %.*s", (int)of->first->source.len, of->first->source.at);
  }
  p->depth--;
}

/* "{ \n body \n}" of a function, without its name. */
static void print_function_body(printer *p, const node *body) {
  indent(p);
  text_string(p->to, "{ \n");
  p->functions++;
  print_body(p, body->kind == NODE_GROUP && body->body != NULL ? body->body : body);
  p->functions--;
  newline(p, "}");
  if (body->kind == NODE_GROUP) print_redirects(p, body->redirects);
}

static void print_compound(printer *p, const node *of) {
  switch (of->kind) {
    case NODE_LIST:
      print_list(p, of->first);
      break;
    case NODE_PIPELINE:
      print_pipeline(p, of);
      break;
    case NODE_SUBSHELL:
      text_string(p->to, "( ");
      print_inner(p, of->body);
      text_string(p->to, " )");
      break;
    case NODE_GROUP:
      print_group(p, of->body);
      break;
    case NODE_IF:
      print_if(p, of->clauses, of->otherwise);
      break;
    case NODE_WHILE:
      text_string(p->to, of->until ? "until " : "while ");
      print_inner(p, of->test);
      semicolon(p);
      text_string(p->to, " do\n");
      print_do(p, of->loop_body);
      break;
    case NODE_FOR:
    case NODE_SELECT:
      print_for(p, of);
      break;
    case NODE_FOR_ARITH:
      text_string(p->to, "for ((");
      print_expression(p, of->step_init);
      text_string(p->to, "; ");
      print_expression(p, of->condition);
      text_string(p->to, "; ");
      print_expression(p, of->step);
      text_string(p->to, "))");
      newline(p, "do\n");
      print_do(p, of->arith_body);
      break;
    case NODE_CASE:
      print_case(p, of);
      break;
    case NODE_FUNCTION:
      text_format(p->to, "function %s () \n", of->name);
      print_function_body(p, of->body);
      break;
    case NODE_CONDITION:
      text_string(p->to, "[[ ");
      print_condition(p, of->expression);
      text_string(p->to, " ]]");
      break;
    case NODE_ARITH:
      text_format(p->to, "((%.*s))", (int)of->condition->source.len, of->condition->source.at);
      break;
    case NODE_COPROC:
      text_format(p->to, "coproc %s ", of->name);
      print_inner(p, of->body);
      break;
    default:
      print_simple(p, of);
  }
}

static void print_node(printer *p, const node *of) {
  if (of->kind == NODE_LIST) {
    print_list(p, of->first); /* its commands indent themselves */
    return;
  }
  if (p->joined)
    p->joined = false;
  else
    indent(p);
  print_compound(p, of);
  if (of->kind != NODE_SIMPLE) print_redirects(p, of->redirects);
}

void print_function(text *to, const function *of) {
  printer p = {.to = to};
  text_format(to, "%s () \n", of->name);
  print_function_body(&p, of->body);
  text_char(to, '\n');
}

void print_command(text *to, const node *of) {
  printer p = {.to = to, .joined = true};
  print_node(&p, of);
}

void print_header(text *to, const node *of) {
  printer p = {.to = to, .joined = true};
  if (of->kind == NODE_FOR || of->kind == NODE_SELECT)
    print_for_header(&p, of);
  else if (of->kind == NODE_CASE)
    text_format(to, "case %.*s in ", (int)of->subject->source.len, of->subject->source.at);
  else
    print_node(&p, of);
}
