// SPDX-License-Identifier: MIT
/* config.h -- the configuration file: which tools there are, who may call them, within which
 * limits. docs/config.md describes it for people, docs/config.schema.json for programs. */
#ifndef CLOCHE_CLI_CONFIG_H
#define CLOCHE_CLI_CONFIG_H

#include "cloche.h"
#include "json/json.h"

typedef struct cloche__cli_tool {
  cloche_text name;          /* canonical: segments split by "/" */
  const cloche__json *json;  /* as configured */
  const cloche__json *shown; /* as a program sees it: without what the policy sets. NULL: not */
  size_t index;              /* in the file */
  char **command;            /* ends with NULL; NULL when it has none */
  int64_t timeout;           /* ns */
  bool read_only;            /* it changes nothing: a plan may run it */
  bool once;                 /* not to be called again when a saved program goes on */
} cloche__cli_tool;

typedef struct cloche__config_mount {
  char *host; /* as it is to be opened */
  cloche_text guest;
  bool writable;
  size_t index; /* in the file */
} cloche__config_mount;

typedef struct cloche__config {
  const char *path;
  char *directory; /* of the file; commands start here */
  cloche__buffer text;
  cloche__json_doc doc, shown;
  cloche__cli_tool *tools; /* in the order of their paths: a, a/b, a-b */
  size_t tool_count;
  cloche__buffer
      definitions; /* what a program may know of the tools: no commands, no environment */
  cloche__config_mount *mounts;
  size_t mount_count;
  cloche_limits limits;  /* those that are set; zero elsewhere */
  cloche_policy *policy; /* NULL when there is none: every call is denied */
} cloche__config;        /* all zero is a configuration without tools */

/* Reads and checks the whole file. False: it has complained, with file, line and column. */
bool cloche__config_load(const char *path, cloche__config *config);
void cloche__config_free(cloche__config *config);

/* The tool of that canonical name, or NULL. */
const cloche__cli_tool *cloche__config_tool(const cloche__config *config, cloche_text name);
/* The environment of a tool's process: "NAME=value", ends with NULL; one block, to be freed. NULL
 * when memory ran out. CLOCHE_CALL_KEY is the call's `key`. */
char **cloche__config_environment(const cloche__config *config, const cloche__cli_tool *tool,
                                  cloche_text key);

/* Complains about what an RFC 6901 pointer names in the file. */
__attribute__((format(printf, 3, 4))) void cloche__config_complain(const cloche__config *config,
                                                                   const char *pointer,
                                                                   const char *format, ...);

#endif
