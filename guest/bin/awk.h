// SPDX-License-Identifier: MIT
/* awk.h -- awk's values, program tree and interpreter; private to awk_*.c.
 *
 *   awk_value.c  strings with counts, numbers and their text, arrays
 *   awk_lex.c    characters to tokens          awk_parse.c   tokens to a tree
 *   awk_field.c  records and fields            awk_io.c      files and pipes
 *   awk_run.c    walks the tree                awk_call.c    built-in functions
 *   awk.c        the command
 *
 * A string is shared and counted. A value owns one reference; functions that take a value by value
 * take it over, those that take a pointer do not. */
#ifndef GUEST_BIN_AWK_H
#define GUEST_BIN_AWK_H

#include "../text/regex.h"
#include "bin.h"
#include "times.h"

typedef struct {
  uint32_t count; /* references */
  uint8_t plain;  /* 0 not known, 1 ASCII only, 2 not */
  size_t size, room;
  char at[]; /* ends with a NUL */
} awk_string;

typedef enum { VALUE_NONE, VALUE_NUMBER, VALUE_STRING, VALUE_INPUT } value_kind;
/* VALUE_INPUT is a string from outside: it counts as a number where it looks like one. */
typedef struct {
  value_kind kind;
  uint8_t looks; /* INPUT: 0 not known, 1 like a number (then `number` is it), 2 not */
  double number;
  awk_string *string; /* STRING, INPUT */
} awk_value;

typedef struct awk_item {
  struct awk_item *next;
  uint32_t hash;
  awk_string *key;
  awk_value value;
} awk_item;

typedef struct {
  awk_item **buckets;
  size_t bucket_count, count;
} awk_array;

/* A variable. UNTYPED ones that were handed to a function become arrays there and here alike. */
typedef enum { SLOT_UNTYPED, SLOT_SCALAR, SLOT_ARRAY } slot_kind;
typedef struct awk_slot {
  slot_kind kind;
  struct awk_slot *origin; /* UNTYPED: the caller's variable */
  awk_value value;
  awk_array *array;
  bool borrowed; /* the array is the caller's */
} awk_slot;

awk_string *string_new(const char *at, size_t size);
awk_string *string_room(size_t size); /* content not set but for the NUL */
void string_drop(awk_string *s);
static inline awk_string *string_keep(awk_string *s) {
  s->count++;
  return s;
}
bool string_is_plain(awk_string *s);

static inline awk_value number_value(double number) {
  return (awk_value){.kind = VALUE_NUMBER, .number = number};
}
static inline awk_value string_value(awk_string *s) {
  return (awk_value){.kind = VALUE_STRING, .string = s};
}
awk_value input_value(const char *at, size_t size);
void value_drop(awk_value v);
awk_value value_copy(const awk_value *v);
double value_number(awk_value *v);
bool value_true(awk_value *v);
bool value_is_numeric(awk_value *v); /* number, or input that looks like one, or none */
awk_string *value_string(const awk_value *v, const char *format); /* a new reference */
/* The leading number of a text, as awk reads it; *end is behind it. */
double text_number(const char *at, const char *limit, const char **end);

awk_array *array_new(void);
void array_clear(awk_array *a);
awk_item *array_find(awk_array *a, awk_string *key);
awk_value *array_at(awk_array *a, awk_string *key); /* made when missing */
void awk_array_remove(awk_array *a, awk_string *key);
awk_item **array_items(awk_array *a); /* in no order, malloc'd */

/* ---- the tree ---- */

typedef enum {
  /* expressions */
  N_NUMBER,
  N_STRING,
  N_REGEX,
  N_GLOBAL,
  N_LOCAL,
  N_FIELD,
  N_INDEX,
  N_ASSIGN,
  N_ADD_ASSIGN,
  N_SUB_ASSIGN,
  N_MUL_ASSIGN,
  N_DIV_ASSIGN,
  N_MOD_ASSIGN,
  N_POW_ASSIGN,
  N_CONDITION,
  N_OR,
  N_AND,
  N_IN,
  N_MATCH,
  N_NOT_MATCH,
  N_LT,
  N_LE,
  N_EQ,
  N_NE,
  N_GT,
  N_GE,
  N_CONCAT,
  N_ADD,
  N_SUB,
  N_MUL,
  N_DIV,
  N_MOD,
  N_POW,
  N_NOT,
  N_MINUS,
  N_PLUS,
  N_PRE_INC,
  N_PRE_DEC,
  N_POST_INC,
  N_POST_DEC,
  N_CALL,
  N_BUILTIN,
  N_GETLINE,
  N_GROUP,
  /* statements */
  N_BLOCK,
  N_EXPRESSION,
  N_PRINT,
  N_PRINTF,
  N_IF,
  N_WHILE,
  N_DO,
  N_FOR,
  N_FOR_IN,
  N_BREAK,
  N_CONTINUE,
  N_NEXT,
  N_NEXTFILE,
  N_EXIT,
  N_RETURN,
  N_DELETE,
  N_SWITCH,
  N_CASE,
} awk_op;

typedef struct awk_node {
  awk_op op;
  int line;
  struct awk_node *a, *b, *c, *d;
  struct awk_node **list; /* arguments, statements, subscripts */
  size_t count;
  double number;
  awk_string *string;
  regex *re;
  size_t slot;   /* variable, function or builtin */
  char redirect; /* PRINT: 0 > a(ppend) |; GETLINE: 0 < | */
} awk_node;

typedef struct {
  char *name;
  char **parameters;
  size_t count;
  awk_node *body;
  bool defined;
} awk_function;

typedef enum { RULE_BEGIN, RULE_END, RULE_BEGINFILE, RULE_ENDFILE, RULE_MAIN } rule_kind;
typedef struct {
  rule_kind kind;
  awk_node *pattern, *pattern_end; /* both: a range */
  awk_node *body;                  /* NULL: print */
  bool in_range;
} awk_rule;

/* Variables that awk knows; the first globals. */
enum {
  V_NF,
  V_NR,
  V_FNR,
  V_FS,
  V_OFS,
  V_ORS,
  V_RS,
  V_RT,
  V_SUBSEP,
  V_CONVFMT,
  V_OFMT,
  V_RSTART,
  V_RLENGTH,
  V_FILENAME,
  V_ENVIRON,
  V_ARGC,
  V_ARGV,
  V_IGNORECASE,
  V_PROCINFO,
  V_SPECIAL
};

typedef struct awk_stream {
  struct awk_stream *next;
  char *name;
  char mode; /* '<' file in, 'r' pipe in, '>' file out, '|' pipe out */
  input in;
  output out;
  int pid;
} awk_stream;

/* A field is a piece of the record, until something asks for more than its
 * number or its bytes. */
typedef struct {
  const char *at; /* in awk.cut */
  size_t size;
  bool made; /* `value` holds it */
  awk_value value;
} awk_field;

typedef struct {
  awk_string *text;
  regex *re;
} regex_entry;

#define REGEX_CACHE 64

typedef struct {
  bin b;
  char **environment;
  /* program */
  awk_rule *rules;
  size_t rule_count;
  awk_function *functions;
  size_t function_count;
  char **global_names;
  awk_slot *globals;
  size_t global_count, global_room;
  /* parsing */
  const char *source, *at, *limit, *source_name;
  int line, token, last_token;
  double token_number;
  char *token_text;
  size_t token_size, token_slot;
  awk_function *current; /* being parsed */
  bool no_gt, no_in;
  int depth, loops;
  /* records */
  awk_string *record;
  awk_string *spare; /* a record that nobody has any more, for the next one; or NULL */
  awk_string *cut;   /* the record that the fields are pieces of; NULL before the
                        first is asked for */
  size_t cut_to;     /* how far it was cut */
  awk_field *fields; /* fields[1..field_count], those that were cut so far */
  size_t field_count, field_room;
  bool split, whole; /* all fields are cut; $0 is current */
  bool any_made;     /* some field may hold a value of its own */
  int fs_kind;       /* ' ' blanks, 'c' one byte, 'r' regex, 'e' each character, 't' tab */
  char fs_byte;
  regex *fs_regex;
  int rs_kind; /* 'c', 'p' paragraphs, 'r' */
  char rs_byte;
  regex *rs_regex;
  /* input */
  input in;
  bool open, began, ended;
  size_t next_argument;
  double nr, fnr;
  /* running */
  awk_slot *locals; /* of the function that runs */
  awk_value returned;
  int exit_status;
  bool exiting, in_end;
  awk_stream *streams;
  regex_entry cache[REGEX_CACHE];
  uint64_t random, seed;
  const char *convfmt, *ofmt;
  awk_string *ofs, *ors, *subsep;
  time_zone zone;
} awk;

/* awk_lex.c */
enum {
  T_END = 0,
  T_NEWLINE = 256,
  T_NUMBER,
  T_STRING,
  T_REGEX,
  T_NAME,
  T_FUNC_NAME,
  T_BUILTIN,
  T_GETLINE,
  T_BEGIN,
  T_END_RULE,
  T_BEGINFILE,
  T_ENDFILE,
  T_FUNCTION,
  T_IF,
  T_ELSE,
  T_WHILE,
  T_FOR,
  T_DO,
  T_BREAK,
  T_CONTINUE,
  T_NEXT,
  T_NEXTFILE,
  T_EXIT,
  T_RETURN,
  T_DELETE,
  T_IN,
  T_PRINT,
  T_PRINTF,
  T_SWITCH,
  T_CASE,
  T_DEFAULT,
  T_APPEND,
  T_OR,
  T_AND,
  T_LE,
  T_GE,
  T_EQ,
  T_NE,
  T_NOT_MATCH,
  T_INC,
  T_DEC,
  T_ADD_ASSIGN,
  T_SUB_ASSIGN,
  T_MUL_ASSIGN,
  T_DIV_ASSIGN,
  T_MOD_ASSIGN,
  T_POW_ASSIGN,
  T_POW,
};
void awk_next(awk *a);
_Noreturn void awk_syntax(awk *a);
_Noreturn void awk_die(awk *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Escapes of a string constant (or of -v and operands). */
awk_string *awk_unescape(const char *at, size_t size);
const char *awk_builtin_name(size_t builtin);

typedef enum {
  B_LENGTH,
  B_SUBSTR,
  B_INDEX,
  B_SPLIT,
  B_SUB,
  B_GSUB,
  B_GENSUB,
  B_MATCH,
  B_SPRINTF,
  B_SIN,
  B_COS,
  B_ATAN2,
  B_EXP,
  B_LOG,
  B_SQRT,
  B_INT,
  B_RAND,
  B_SRAND,
  B_TOLOWER,
  B_TOUPPER,
  B_SYSTEM,
  B_CLOSE,
  B_FFLUSH,
  B_STRFTIME,
  B_SYSTIME,
  B_MKTIME,
  B_ASORT,
  B_ASORTI,
  B_AND,
  B_BITOR,
  B_XOR,
  B_LSHIFT,
  B_RSHIFT,
  B_COMPL,
  B_STRTONUM,
  B_TYPEOF,
  B_ISARRAY,
} awk_builtin;

/* awk_parse.c */
void awk_parse(awk *a, const char *source, size_t size, const char *name);
void awk_parse_end(awk *a);
size_t awk_global(awk *a, const char *name, size_t size); /* its number, made when new */

/* awk_field.c */
awk_string *record_new(awk *a, const char *at, size_t size);
void field_set_record(awk *a, awk_string *record); /* takes it */
void field_split(awk *a);
awk_value field_get(awk *a, double number);
double field_get_number(awk *a, double number);
/* Both without waiting: false when that would take more than cutting the record
 * at single bytes. */
bool field_number_here(awk *a, double number, double *value);
bool field_bytes_here(awk *a, double number, const char **at, size_t *size);
void field_set(awk *a, double number, awk_value value);
void field_set_count(awk *a, double count);
awk_string *field_record(awk *a); /* $0; not a new reference */
size_t split_text(awk *a, const char *at, size_t size, int kind, char byte, regex *re,
                  void (*found)(void *context, const char *at, size_t size), void *context);
void special_changed(awk *a, size_t slot);
regex *awk_regex(awk *a, awk_string *text); /* compiled, from the cache */

/* awk_io.c */
bool read_record(awk *a, input *in, awk_string **record);
bool next_main_record(awk *a, awk_string **record);
/* Makes the next record $0 when it was read already; never waits. False: ask
 * next_main_record. */
bool next_record_here(awk *a);
awk_value awk_getline(awk *a, awk_node *n);
output *awk_output(awk *a, awk_node *n);
int awk_close(awk *a, const char *name);
int awk_flush(awk *a, const char *name); /* NULL: all */
void awk_close_all(awk *a);
int awk_system(awk *a, const char *command);
void next_file(awk *a);

/* awk_run.c */
awk_value awk_eval(awk *a, awk_node *n);
void awk_assign(awk *a, awk_node *target, awk_value value); /* takes the value */
awk_slot *awk_slot_of(awk *a, awk_node *n);
awk_array *awk_array_of(awk *a, awk_node *n);
awk_string *awk_key(awk *a, awk_node *index);
typedef enum {
  FLOW_GO,
  FLOW_BREAK,
  FLOW_CONTINUE,
  FLOW_NEXT,
  FLOW_NEXTFILE,
  FLOW_EXIT,
  FLOW_RETURN
} awk_flow;
void awk_run(awk *a);
awk_string *awk_eval_string(awk *a, awk_node *n);
double awk_eval_number(awk *a, awk_node *n);
regex *awk_eval_regex(awk *a, awk_node *n);
bool awk_run_file_rules(awk *a, rule_kind kind); /* false: nextfile or exit */

/* awk_call.c */
awk_value awk_call_builtin(awk *a, awk_node *n);
awk_string *awk_format(awk *a, awk_node **arguments, size_t count);
int awk_sort_mode(awk *a, const char **function);
void awk_sort_items(awk_item **items, size_t count, int mode);

#endif
