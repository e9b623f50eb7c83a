// SPDX-License-Identifier: MIT
/* bc.h -- bc's programs: a line is parsed into a tree and run. Names begin with bc_. */
#ifndef GUEST_BIN_BC_H
#define GUEST_BIN_BC_H

#include "bc_number.h"
#include "bin.h"

typedef enum {
  BC_NUMBER, /* text */
  BC_VARIABLE,
  BC_ELEMENT, /* name[a] */
  BC_ARRAY,   /* name[], as an argument */
  BC_SPECIAL, /* op: 's'cale, 'i'base, 'o'base, 'l'ast */
  BC_BINARY,  /* op: + - * / % ^ < > l(<=) g(>=) e(==) n(!=) &(&&) |(||) */
  BC_NEGATE,
  BC_NOT,
  BC_ASSIGN, /* a op= b; op '=' or an arithmetic one */
  BC_BEFORE, /* ++a, --a: op + or - */
  BC_AFTER,
  BC_CALL, /* name(list) */
  BC_LENGTH,
  BC_SCALE_OF,
  BC_ROOT,
  BC_READ,
  BC_GROUP, /* (a) */
  /* statements */
  BC_SHOW,    /* an expression whose value is printed */
  BC_QUIETLY, /* one whose value is not */
  BC_STRING,
  BC_PRINT, /* list of strings and expressions */
  BC_BLOCK,
  BC_IF,    /* a, b, c */
  BC_WHILE, /* a, b */
  BC_FOR,   /* a; b; c, d */
  BC_BREAK,
  BC_CONTINUE,
  BC_RETURN,
  BC_HALT,
  BC_LIMITS
} bc_kind;

typedef struct bc_node {
  bc_kind kind;
  int op;
  int name;      /* of a variable, array or function */
  char *text;    /* of a number or string */
  number *value; /* of a number, once it was read in base ten */
  struct bc_node *a, *b, *c, *d;
  struct bc_node *next; /* in a list */
} bc_node;

typedef struct {
  int name;
  bool array, reference;
} bc_parameter;

typedef struct {
  bool defined, nothing; /* nothing: void */
  bc_parameter *parameters, *locals;
  size_t parameter_count, local_count;
  bc_node *body;
} bc_function;

typedef struct {
  size_t uses; /* more than one when it is passed by reference */
  struct {
    long long index;
    number *value; /* NULL: free */
  } * slots;
  size_t room, count;
} bc_array;

typedef struct {
  char *name;
  number *value; /* NULL: 0 */
  bc_array *array;
  bc_function function;
} bc_name;

typedef struct {
  bin b;
  bool math, standard;
  /* source */
  input in;
  const char *path;
  size_t line;
  int ahead; /* a character put back; -2: none */
  int token;
  text word;
  bool failed; /* a wrong line: skip the rest of it */
  int depth;
  bool in_function, returning;
  int loops;
  /* names */
  bc_name *names;
  size_t name_count, name_room;
  /* state */
  size_t scale;
  int ibase, obase;
  number *last, *zero;
  size_t column; /* of the output line */
  size_t width;  /* of an output line; 0: no end */
  enum { BC_RUN, BC_LEAVE_LOOP, BC_NEXT_LOOP, BC_LEAVE_FUNCTION, BC_STOP, BC_FAIL } state;
  number *returned;
  int calling; /* name of the running function; -1: none */
} bc;

/* bc_parse.c: the next line (or more) of the source: false at the end. A definition is stored. */
bool bc_parse(bc *c, bc_node **statements);
void bc_free(bc_node *list);
int bc_name_of(bc *c, const char *name);
int bc_byte(bc *c); /* the source's next byte; -1 at the end */

/* bc_run.c */
void bc_run(bc *c, bc_node *statements);
void bc_error(bc *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* bc_math.c: the functions of -l; NULL when there is none of that name. */
number *bc_math(bc *c, int letter, const number *x, const number *n);

#endif
