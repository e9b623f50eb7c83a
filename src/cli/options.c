// SPDX-License-Identifier: MIT
/* options.c -- one table of options for all subcommands, their parsing and their help.
 *
 * "--name value" and "--name=value"; "_" and "-" are the same in a name; "--" ends options. An
 * option that is given twice is an error: which one counts would be a guess. */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/limits_table.h"
#include "gate/load.h"

typedef const char *apply(cloche__settings *settings,
                          const char *value); /* NULL or what is wrong */

typedef struct {
  const char *name;  /* without dashes; one letter takes one dash */
  const char *value; /* how help names it; NULL: a flag; in brackets: only after "=" */
  unsigned mask;
  apply *apply;
  const char *help; /* NULL: another one's help says it */
} option;

/* ---- what each does ---- */

static const char *set_code(cloche__settings *s, const char *v) {
  return s->code = v, NULL;
}
static const char *set_call(cloche__settings *s, const char *v) {
  return s->call = v, NULL;
}
static const char *set_config(cloche__settings *s, const char *v) {
  return s->config = v, NULL;
}
static const char *set_stdin(cloche__settings *s, const char *v) {
  return s->stdin_from = v, NULL;
}

static const char *set_snapshot(cloche__settings *s, const char *v) {
  return s->snapshot = v, NULL;
}
static const char *set_key(cloche__settings *s, const char *v) {
  return s->key = v, NULL;
}
static const char *set_audience(cloche__settings *s, const char *v) {
  return s->audience = v, NULL;
}

static const char *check_ids(const char *list) {
  size_t digits = strspn(list, "0123456789,");
  bool sound = *list >= '0' && *list <= '9' && list[digits] == '\0' && list[digits - 1] != ',';
  return sound || strcmp(list, "all") == 0 ? NULL
                                           : "calls' ids are wanted, such as 3 or 3,5, or all";
}
static const char *set_approve(cloche__settings *s, const char *v) {
  s->approve = v;
  return check_ids(v);
}
static const char *set_deny(cloche__settings *s, const char *v) {
  s->deny = v;
  return check_ids(v);
}

static const char *set_plan(cloche__settings *s, const char *v) {
  s->plan = true;
  if (*v != '\0') s->plan_to = v;
  return NULL;
}
static const char *set_mock(cloche__settings *s, const char *v) {
  return s->mock = v, NULL;
}
static const char *set_apply(cloche__settings *s, const char *v) {
  return s->apply = v, NULL;
}

static const char *set_until(cloche__settings *s, const char *value) {
  char *end;
  s->until = strtoull(value, &end, 10);
  return *value < '1' || *value > '9' || *end != '\0' ? "a call's id is wanted" : NULL;
}

static const char *set_trust(cloche__settings *s, const char *v) {
  (void)v;
  s->trust = true;
  return NULL;
}

static const char *set_ask(cloche__settings *s, const char *value) {
  static const char *const known[] = {[CLOCHE__ASK_TERMINAL] = "terminal",
                                      [CLOCHE__ASK_SUSPEND] = "suspend",
                                      [CLOCHE__ASK_DENY] = "deny"};
  for (int i = CLOCHE__ASK_TERMINAL; i <= CLOCHE__ASK_DENY; i++)
    if (strcmp(known[i], value) == 0) {
      s->ask = (cloche__ask)i;
      return NULL;
    }
  return "terminal, suspend or deny is wanted";
}

static const char *set_portable(cloche__settings *s, const char *v) {
  (void)v;
  s->portable = true;
  return NULL;
}

static const char *set_json(cloche__settings *s, const char *v) {
  (void)v;
  s->json = true;
  return NULL;
}

static const char *set_real_time(cloche__settings *s, const char *v) {
  (void)v;
  s->real_time = true;
  return NULL;
}

static const char *set_diff(cloche__settings *s, const char *v) {
  (void)v;
  s->diff = true;
  return NULL;
}

static const char *set_no_jail(cloche__settings *s, const char *v) {
  (void)v;
  s->no_jail = true;
  return NULL;
}

static const char *set_session(cloche__settings *s, const char *v) {
  (void)v;
  s->session = true;
  return NULL;
}

static const char *set_lint(cloche__settings *s, const char *v) {
  (void)v;
  s->lint = true;
  return NULL;
}

static const char *set_ledger(cloche__settings *s, const char *v) {
  s->ledger = v;
  return NULL;
}

static const char *set_accounts(cloche__settings *s, const char *v) {
  s->accounts = v;
  return NULL;
}

static const char *set_ledger_sync(cloche__settings *s, const char *value) {
  static const struct {
    const char *name;
    cloche_ledger_sync sync;
  } known[] = {
      {"none", CLOCHE_SYNC_NONE}, {"group", CLOCHE_SYNC_GROUP}, {"call", CLOCHE_SYNC_CALL}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, value) == 0) {
      s->ledger_sync = known[i].sync;
      return NULL;
    }
  return "call, group or none is wanted";
}

static const char *set_types(cloche__settings *s, const char *v) {
  (void)v;
  s->types = true;
  return NULL;
}

/* The number fills the first eight bytes, lowest first; the rest stays zero. */
static const char *set_seed(cloche__settings *s, const char *value) {
  uint64_t seed = 0;
  if (*value == '\0') return "a whole number is wanted";
  for (; *value != '\0'; value++)
    if (*value < '0' || *value > '9' || __builtin_mul_overflow(seed, 10, &seed) ||
        __builtin_add_overflow(seed, (uint64_t)(*value - '0'), &seed))
      return "a whole number below 2^64 is wanted";
  for (size_t i = 0; i < sizeof seed; i++) s->seed[i] = (uint8_t)(seed >> (8 * i));
  s->seeded = true;
  return NULL;
}

static const char *set_time(cloche__settings *s, const char *value) {
  return cloche__read_time(cloche__text(value), &s->start_time);
}

/* The guest's path is the last part that starts at a root, so a colon in the host's is no trouble.
 */
static const char *set_mount(cloche__settings *s, const char *value) {
  if (s->mount_count == CLOCHE__CLI_MOUNTS) return "that is one mount too many";
  size_t end = strlen(value);
  bool writable = end > 3 && strcmp(value + end - 3, ":rw") == 0;
  if (writable || (end > 3 && strcmp(value + end - 3, ":ro") == 0)) end -= 3;
  if (end > 3 && value[end - 3] == ':' && value[end - 2] != '/') return "the mode is ro or rw";
  size_t colon = end;
  while (colon > 0 && (value[colon] != ':' || value[colon + 1] != '/')) colon--;
  if (colon == 0) return "HOST:GUEST or HOST:GUEST:rw is wanted, GUEST from the root: ./data:/data";
  s->mounts[s->mount_count++] = (cloche__cli_mount){
      .host = {value, colon}, .guest = {value + colon + 1, end - colon - 1}, .writable = writable};
  return NULL;
}

enum { PROGRAM = CLOCHE__FOR_RUN | CLOCHE__FOR_SH, SESSION = PROGRAM | CLOCHE__FOR_RESUME };

static const option options[] = {
    {"e", "CODE", CLOCHE__FOR_RUN, set_code, "the program itself, instead of a FILE"},
    {"c", "CODE", CLOCHE__FOR_SH, set_code, "the program itself, instead of a FILE"},
    {"config", "FILE", SESSION | CLOCHE__FOR_TOOLS | CLOCHE__FOR_CHECK | CLOCHE__FOR_REPLAY,
     set_config, "tools, policy and limits (docs/config.md)"},
    {"call", "JSON", CLOCHE__FOR_CHECK, set_call,
     "{\"method\": \"a/b\", \"params\": {...}}, or - to read it from stdin"},
    {"json", NULL, SESSION, set_json, "print one JSON object; --diff: say what files it changed"},
    {"json", NULL,
     CLOCHE__FOR_TOOLS | CLOCHE__FOR_BENCH | CLOCHE__FOR_CHECK | CLOCHE__FOR_LEDGER |
         CLOCHE__FOR_SNAPSHOT | CLOCHE__FOR_REPLAY,
     set_json, "print one JSON object"},
    {"types", NULL, CLOCHE__FOR_TOOLS, set_types, "print TypeScript declarations"},
    {"lint", NULL, CLOCHE__FOR_CHECK, set_lint, "report what is doubtful about the policy"},
    {"ledger", "FILE", SESSION, set_ledger,
     "record every decision there; --ledger-sync call|group|none"},
    {"ledger-sync", "WHEN", SESSION, set_ledger_sync, NULL},
    {"diff", NULL, SESSION, set_diff, NULL},
    {"accounts", "FILE", SESSION | CLOCHE__FOR_CHECK, set_accounts,
     "keep what is spent there, from run to run"},
    {"session", NULL, CLOCHE__FOR_SH, set_session,
     "further words are FILEs too, each run in the shell that the one before left"},
    {"mount", "HOST:GUEST[:ro|rw]", PROGRAM, set_mount,
     "show the program a folder; may be repeated"},
    {"stdin-from", "FILE", PROGRAM, set_stdin, "what the program reads; \"-\": cloche's own stdin"},
    {"seed", "N", PROGRAM, set_seed, "repeatable random numbers; --time ISO8601: its clock"},
    {"time", "ISO8601", PROGRAM, set_time, NULL},
    {"real-time", NULL, PROGRAM, set_real_time,
     "wait for timers, no jumps; --no-jail: one wall less"},
    {"approve", "IDS", CLOCHE__FOR_RESUME, set_approve,
     "calls that may be made: 3, or 3,5, or all"},
    {"deny", "IDS", CLOCHE__FOR_RESUME, set_deny, "calls that may not"},
    {"ask", "HOW", SESSION, set_ask, "about a call to be approved: terminal, suspend, or deny it"},
    {"plan", "[=FILE]", PROGRAM, set_plan, "list its calls and make none; --apply FILE makes them"},
    {"mock", "FILE", PROGRAM, set_mock, NULL},
    {"apply", "FILE", PROGRAM, set_apply, NULL},
    {"portable", NULL, CLOCHE__FOR_REPLAY, set_portable,
     "of another version: compare what it does, and tell all differences"},
    {"until", "CALL", CLOCHE__FOR_REPLAY, set_until, "stop when this call was decided"},
    {"snapshot", "FILE", SESSION | CLOCHE__FOR_REPLAY, set_snapshot,
     "where to save a program that waits for a person"},
    {"key", "FILE", SESSION | CLOCHE__FOR_SNAPSHOT, set_key,
     "seals and opens snapshots; --audience TEXT says whom for"},
    {"audience", "TEXT", SESSION | CLOCHE__FOR_SNAPSHOT, set_audience, NULL},
    {"trust", NULL, CLOCHE__FOR_RESUME, set_trust,
     "believe a snapshot that others could have written"},
    {"trust", NULL, PROGRAM, set_trust, NULL},
    {"no-jail", NULL, SESSION, set_no_jail, NULL},
};
enum { OPTIONS = sizeof options / sizeof *options, LIMITS_MAX = 32 };

/* ---- help ---- */

static void print_limits(void) {
  puts("limits, with what each is when not given (\"none\" takes one away):");
  for (size_t i = 0; i < cloche__limit_count; i++) {
    const cloche__limit *limit = &cloche__limits[i];
    char flag[40];
    int length = snprintf(flag, sizeof flag, "--%s %s", limit->name, limit->usual);
    for (int j = 0; j < length; j++)
      if (flag[j] == '_') flag[j] = '-';
    bool last = i % 2 == 1 || i + 1 == cloche__limit_count;
    printf("  %-19s %-*s%s", flag, last ? 0 : 19, limit->what, last ? "\n" : "");
  }
}

static bool is_optional(const option *o) {
  return o->value != NULL && o->value[0] == '[';
}

static int print_help(const cloche__command *command, unsigned mask) {
  printf("usage: cloche %s %s\n%s\n", command->name, command->arguments, command->summary);
  for (size_t i = 0; i < OPTIONS; i++) {
    const option *o = &options[i];
    if (!(o->mask & mask) || o->help == NULL) continue;
    char flag[40];
    snprintf(flag, sizeof flag, "%s%s%s%s", o->name[1] == '\0' ? "-" : "--", o->name,
             o->value == NULL || is_optional(o) ? "" : " ", o->value == NULL ? "" : o->value);
    printf("  %-19s %s\n", flag, o->help);
  }
  if (mask & SESSION) {
    print_limits();
    puts(
        "exit status: 0 done; 1 the program failed; 2 usage or configuration error;\n"
        "  3 saved, waits for a person; 124 time or fuel; 137 memory; 125 cloche failed");
  }
  return CLOCHE__EXIT_DONE;
}

/* ---- parsing ---- */

typedef struct {
  const cloche__command *command;
  unsigned mask;
  cloche__settings *settings;
  bool seen[OPTIONS + LIMITS_MAX];
} parser;

static bool same_name(const char *a, const char *b, size_t b_length) {
  if (strlen(a) != b_length) return false;
  for (size_t i = 0; i < b_length; i++)
    if (a[i] != b[i] && !((a[i] == '_' || a[i] == '-') && (b[i] == '_' || b[i] == '-')))
      return false;
  return true;
}

/* All long names that the subcommand takes. */
static size_t list_names(const parser *p, cloche_text *names) {
  size_t count = 0;
  for (size_t i = 0; i < OPTIONS; i++)
    if (options[i].mask & p->mask && options[i].name[1] != '\0')
      names[count++] = cloche__text(options[i].name);
  for (size_t i = 0; p->mask & SESSION && i < cloche__limit_count; i++)
    names[count++] = cloche__text(cloche__limits[i].name);
  return count;
}

static void complain_unknown(const parser *p, cloche_text name) {
  cloche_text names[OPTIONS + LIMITS_MAX];
  size_t near = cloche__nearest(name, names, list_names(p, names));
  char meant[64] = "";
  for (size_t i = 0; near != SIZE_MAX && i < names[near].len && i < sizeof meant - 1; i++)
    meant[i] = names[near].at[i] == '_' ? '-' : names[near].at[i];
  if (near == SIZE_MAX)
    cloche__complain("there is no option --%.*s; see cloche %s --help", (int)name.len, name.at,
                     p->command->name);
  else
    cloche__complain("there is no option --%.*s; did you mean --%s?", (int)name.len, name.at,
                     meant);
}

/* The row of a name in `options`, or OPTIONS + the row in the table of limits, or -1. */
static int find(const parser *p, const char *name, size_t length) {
  for (int i = 0; i < OPTIONS; i++)
    if (options[i].mask & p->mask && same_name(options[i].name, name, length)) return i;
  for (size_t i = 0; p->mask & SESSION && i < cloche__limit_count; i++)
    if (same_name(cloche__limits[i].name, name, length)) return OPTIONS + (int)i;
  return -1;
}

static bool take(parser *p, int row, const char *flag, const char *value) {
  bool many = row < OPTIONS && options[row].apply == set_mount;
  if (p->seen[row] && !many) {
    cloche__complain("%s is given twice", flag);
    return false;
  }
  p->seen[row] = true;
  const char *wrong = row < OPTIONS
                          ? options[row].apply(p->settings, value)
                          : cloche__limit_set(&p->settings->limits, &cloche__limits[row - OPTIONS],
                                              cloche__text(value));
  if (wrong != NULL) cloche__complain("%s %s: %s", flag, value, wrong);
  return wrong == NULL;
}

/* One option at argv[*at]; moves *at to its last word. */
static bool read_option(parser *p, int argc, char **argv, int *at) {
  const char *flag = argv[*at], *name = flag + (flag[1] == '-' ? 2 : 1);
  const char *equals = flag[1] == '-' ? strchr(name, '=') : NULL;
  size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
  bool letter = flag[1] != '-';
  int row = (length == 1) == letter ? find(p, name, length) : -1;
  if (row < 0 && letter) {
    cloche__complain("there is no option %s; see cloche %s --help%s", flag, p->command->name,
                     p->mask & CLOCHE__FOR_SH ? ", or put \"--\" before a script's own" : "");
    return false;
  }
  if (row < 0) {
    complain_unknown(p, (cloche_text){name, length});
    return false;
  }
  char shown[64];
  snprintf(shown, sizeof shown, "%.*s", (int)(length + (size_t)(name - flag)), flag);
  bool takes_value = row >= OPTIONS || options[row].value != NULL;
  if (!takes_value && equals != NULL) {
    cloche__complain("%s takes no value", shown);
    return false;
  }
  const char *value = equals != NULL ? equals + 1 : "";
  bool needs_value = takes_value && (row >= OPTIONS || !is_optional(&options[row]));
  if (needs_value && equals == NULL) {
    if (*at + 1 >= argc) {
      cloche__complain("%s wants a value", shown);
      return false;
    }
    value = argv[++*at];
  }
  return take(p, row, shown, value);
}

static bool is_option(const char *word) {
  return word[0] == '-' && word[1] != '\0';
}

/* NULL, or which options do not go together. */
static const char *find_clash(const cloche__settings *s) {
  bool planned = s->plan || s->apply != NULL;
  if (s->plan && s->apply != NULL) return "--plan makes a plan, --apply does one: one of them";
  if (s->mock != NULL && !s->plan) return "--mock has answers for a --plan, and there is none";
  if (planned && s->ask != CLOCHE__ASK_ANYHOW)
    return "nobody is asked while a plan is made or done: no --ask with it";
  if (planned && s->session) return "a plan is one of one program: no --session with it";
  return NULL;
}

bool cloche__options_read(const cloche__command *command, unsigned mask, int argc, char **argv,
                          cloche__settings *settings, int *status) {
  parser p = {.command = command, .mask = mask, .settings = settings};
  *settings =
      (cloche__settings){.rest = argv}; /* words move forward, never past the one looked at */
  *status = CLOCHE__EXIT_USAGE;
  int at = 0;
  for (bool over = false; at < argc; at++) {
    const char *word = argv[at];
    if (!over && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
      *status = print_help(command, mask);
      return false;
    }
    if (!over && strcmp(word, "--") == 0) {
      over = true;
    } else if (!over && is_option(word)) {
      if (!read_option(&p, argc, argv, &at)) return false;
    } else if (mask & (CLOCHE__FOR_LEDGER | CLOCHE__FOR_SNAPSHOT | CLOCHE__FOR_REPLAY) ||
               (mask & CLOCHE__FOR_SH && (settings->file != NULL || settings->code != NULL))) {
      settings->rest[settings->rest_count++] = argv[at];
    } else if (mask & SESSION && settings->file == NULL) {
      settings->file = word;
    } else {
      cloche__complain("\"%s\" is one word too many; see cloche %s --help", word, command->name);
      return false;
    }
  }
  const char *clash = find_clash(settings);
  if (clash != NULL) {
    cloche__complain("%s", clash);
    return false;
  }
  if (settings->code != NULL && settings->file != NULL) {
    cloche__complain("a program comes from a file or from the command line, not from both");
    return false;
  }
  if (mask & PROGRAM && settings->code == NULL && settings->file == NULL) {
    cloche__complain("there is no program; see cloche %s --help", command->name);
    return false;
  }
  if (mask & CLOCHE__FOR_RESUME && settings->file == NULL) {
    cloche__complain("there is no snapshot; see cloche %s --help", command->name);
    return false;
  }
  return true;
}
