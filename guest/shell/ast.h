// SPDX-License-Identifier: MIT
/* ast.h -- the tree that the parser builds and everything else reads.
 *
 * A program is one text (a script, the argument of eval, a trap) and its tree, all in one arena.
 * Nothing in it changes after parsing, so a subshell runs the very same tree; functions and
 * background jobs keep it alive by a count.
 *
 *   program -> list -> and-or list -> pipeline -> command -> words -> parts
 *
 * A word is a list of parts, each with its own kind of quoting; "a$x'b'" is
 *
 *   DOUBLE( LITERAL a, PARAMETER x, LITERAL 'b' )
 *
 * Lists of any kind are chains of `next`, walked by loops: only nesting recurses, and the parser
 * limits nesting. */
#ifndef GUEST_SHELL_AST_H
#define GUEST_SHELL_AST_H

#include "../text/text.h"

typedef struct word word;
typedef struct part part;
typedef struct node node;
typedef struct redirect redirect;

/* Bytes of the script as they were written, for messages and `declare -f`. */
typedef struct {
  const char *at;
  size_t len;
} slice;

typedef struct program {
  unsigned references;
  arena memory;
  char *text;
  size_t size;
} program;

void program_keep(program *kept);
void program_drop(program *dropped); /* NULL is fine */

/* ---- words ---- */

typedef enum {
  PART_LITERAL,    /* text without quotes: * ? [ { ~ mean something */
  PART_QUOTED,     /* text from '..', $'..' or behind a backslash */
  PART_DOUBLE,     /* "..", its inside */
  PART_PARAMETER,  /* $x, ${x...} */
  PART_COMMAND,    /* $(..), `..` */
  PART_ARITHMETIC, /* $((..)), $[..] */
  PART_PROCESS,    /* <(..), >(..) */
  PART_MISTAKE,    /* a here-document with a $(..) that is no program: said when it is expanded */
} part_kind;

/* The operator in ${name OP ...}. */
typedef enum {
  OP_NONE,
  OP_LENGTH,      /* ${#x} */
  OP_DEFAULT,     /* -  */
  OP_ASSIGN,      /* =  */
  OP_ERROR,       /* ?  */
  OP_ALTERNATE,   /* +  */
  OP_PREFIX,      /* #  */
  OP_PREFIX_LONG, /* ## */
  OP_SUFFIX,      /* %  */
  OP_SUFFIX_LONG, /* %% */
  OP_REPLACE,     /* /  */
  OP_REPLACE_ALL, /* // */
  OP_UPPER,       /* ^  */
  OP_UPPER_ALL,   /* ^^ */
  OP_LOWER,       /* ,  */
  OP_LOWER_ALL,   /* ,, */
  OP_TOGGLE,      /* ~  */
  OP_TOGGLE_ALL,  /* ~~ */
  OP_SLICE,       /* :  */
  OP_TRANSFORM,   /* @x */
  OP_NAMES,       /* ${!prefix*} */
  OP_KEYS,        /* ${!x[@]} */
  OP_BAD,         /* nothing bash knows: an error when it is expanded */
} parameter_op;

typedef struct {
  const char *name; /* "x", "1", "@", "?" ... */
  uint32_t hash;    /* of name */
  uint32_t number;  /* positional parameters; 0 otherwise */
  uint8_t op;       /* parameter_op */
  char all;         /* '@' or '*' in [@], [*], !prefix@, or for $@ and $* themselves */
  char letter;      /* OP_TRANSFORM */
  bool special;     /* not a name: @ * # ? - $ ! 0 1 ... */
  bool colon;       /* :- rather than - */
  bool indirect;    /* ${!x} */
  word *subscript;  /* NULL, or what is in the brackets */
  word *first;      /* the operator's word; OP_SLICE: offset */
  word *second;     /* OP_REPLACE: replacement (NULL: none written); OP_SLICE: length */
  slice source;     /* "${...}" */
} parameter;

struct part {
  part *next;
  uint8_t kind;
  char direction;  /* PART_PROCESS: '<' or '>' */
  bool backquoted; /* PART_COMMAND: `..` */
  bool simple;     /* PART_PARAMETER: $name or ${name}, nothing else */
  union {
    slice text;           /* LITERAL, QUOTED */
    part *inside;         /* DOUBLE */
    parameter *parameter; /* PARAMETER */
    word *expression;     /* ARITHMETIC */
    struct {
      node *body;   /* COMMAND, PROCESS; NULL for an empty one */
      slice source; /* COMMAND: what is between the delimiters */
    };
    struct {
      slice message; /* MISTAKE: lines as parser.error */
      uint32_t line;
    };
  };
};

/* Facts about a word that spare work later. */
enum {
  WORD_PLAIN = 1,  /* one LITERAL without anything special: it is its own expansion */
  WORD_BRACE = 2,  /* an unquoted { is in it */
  WORD_TILDE = 4,  /* an unquoted ~ is in it */
  WORD_QUOTES = 8, /* some of it is quoted */
};

typedef struct assignment assignment;

struct word {
  word *next;
  part *parts;
  assignment *assign; /* an argument of declare and its kin that is an assignment */
  slice source;
  uint32_t line;
  uint8_t flags;
};

/* One element of name=( ... ). */
typedef struct element {
  struct element *next;
  word *subscript; /* NULL: the next index, or for an associative array the next key or value */
  bool append;
  word *value;
} element;

struct assignment {
  assignment *next;
  const char *name;
  uint32_t hash;
  word *subscript; /* NULL for a plain name */
  bool append;     /* += */
  bool compound;   /* =( ... ), with `elements` */
  word *value;     /* NULL for a compound */
  element *elements;
  slice source;
};

/* ---- commands ---- */

typedef enum {
  NODE_SIMPLE,
  NODE_LIST,     /* `first`, each with its connector */
  NODE_PIPELINE, /* `first`, each a stage */
  NODE_SUBSHELL,
  NODE_GROUP,
  NODE_IF,
  NODE_WHILE,
  NODE_FOR,
  NODE_FOR_ARITH,
  NODE_SELECT,
  NODE_CASE,
  NODE_FUNCTION,
  NODE_CONDITION, /* [[ ]] */
  NODE_ARITH,     /* (( )) */
  NODE_COPROC,
} node_kind;

/* What stands between a command of a list and the next. */
typedef enum { JOIN_END, JOIN_AND, JOIN_OR, JOIN_BACKGROUND } joint;

typedef enum {
  REDIRECT_INPUT,       /* <   */
  REDIRECT_OUTPUT,      /* >   */
  REDIRECT_CLOBBER,     /* >|  */
  REDIRECT_APPEND,      /* >>  */
  REDIRECT_BOTH,        /* &>  */
  REDIRECT_BOTH_APPEND, /* &>> */
  REDIRECT_READ_WRITE,  /* <>  */
  REDIRECT_DUP_INPUT,   /* <&  */
  REDIRECT_DUP_OUTPUT,  /* >&  */
  REDIRECT_DOCUMENT,    /* <<  */
  REDIRECT_STRING,      /* <<< */
} redirect_kind;

struct redirect {
  redirect *next;
  uint8_t kind;
  bool strip;           /* <<- */
  bool quoted;          /* << with a quoted delimiter: no expansion */
  int fd;               /* -1: the operator's own */
  const char *variable; /* {name}> */
  word *target;         /* DOCUMENT: its body */
  slice delimiter;      /* DOCUMENT: as written */
  slice body;           /* DOCUMENT: as written */
  uint32_t line;
};

typedef struct clause {
  struct clause *next;
  node *condition;
  node *body;
} clause;

typedef enum { CASE_END, CASE_FALL, CASE_TEST } case_end; /* ;; ;& ;;& */

typedef struct case_item {
  struct case_item *next;
  word *patterns;
  node *body; /* NULL: empty */
  uint8_t end;
} case_item;

typedef enum {
  TEST_AND,
  TEST_OR,
  TEST_NOT,
  TEST_GROUP,
  TEST_WORD, /* [[ x ]] */
  TEST_UNARY,
  TEST_BINARY,
} test_kind;

typedef struct condition {
  uint8_t kind;
  const char *operator; /* "-f", "==", "=~", "<" ... */
  struct condition *left, *right;
  word *first, *second;
} condition;

struct node {
  node *next; /* in a list or a pipeline */
  uint8_t kind;
  uint8_t joint;   /* in a list: towards `next` */
  bool negated;    /* PIPELINE: ! */
  bool inverted;   /* the one command of such a pipeline: its failure is not one */
  uint8_t timed;   /* PIPELINE: 1 time, 2 time -p */
  bool until;      /* WHILE */
  bool with_words; /* FOR, SELECT: has `in` */
  bool posix_name; /* FUNCTION: written name() */
  uint32_t line;
  uint32_t end_line;
  redirect *redirects;
  slice source;
  union {
    struct {
      assignment *assigns;
      word *words;
    }; /* SIMPLE */
    struct {
      node *first;
    }; /* LIST, PIPELINE */
    struct {
      word *condition; /* WHILE has a node instead, see loop */
      word *step_init, *step;
      node *arith_body;
    }; /* FOR_ARITH, ARITH: condition */
    struct {
      clause *clauses;
      node *otherwise;
    }; /* IF */
    struct {
      node *test;
      node *loop_body;
    }; /* WHILE */
    struct {
      const char *name;
      uint32_t hash;
      word *list;
      node *body;
    }; /* FOR, SELECT, FUNCTION, COPROC, GROUP, SUBSHELL: body */
    struct {
      word *subject;
      case_item *items;
    };                            /* CASE */
    struct condition *expression; /* CONDITION */
  };
};

uint32_t name_hash(const char *name, size_t size);
static inline bool name_start(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool name_rest(int c) {
  return name_start(c) || (c >= '0' && c <= '9');
}
bool name_valid(const char *name, size_t size);

#endif
