// SPDX-License-Identifier: MIT
/* network.c -- names of programs that need a network or a machine around them: one clear line
 * instead of "not found", since what a script wants may well be there as a tool. */
#include "bin.h"
#include "json.h"

static int network_main(int argc, char **argv, char **environment) {
  bin b;
  bin_start(&b, argc > 0 ? argv[0] : "network", environment);
  size_t size;
  const char *tools = tool_definitions(&size);
  const json *all = tools == NULL ? NULL : json_parse(tools, size, NULL);
  text names = {0};
  int count = 0;
  for (const json *each = all != NULL ? all->first : NULL; each != NULL && count < 5;
       each = each->next, count++) {
    const json *name = json_get(each, "name");
    if (name != NULL && name->kind == JSON_STRING)
      text_format(&names, "%s%s", count > 0 ? ", " : "", name->text);
  }
  bool more = count == 5;
  bin_warn(&b, "there is no network in this sandbox; granted tools: %s%s (see `tool --list`)",
           names.len > 0 ? text_end(&names) : "none", more ? ", ..." : "");
  return 127;
}

#define NETWORK(variable, text)                                     \
  const command command_##variable = {                              \
      .name = text,                                                 \
      .main = network_main,                                         \
      .usage = text " ...\n(there is no network: it only says so)", \
      .options = ""};
NETWORK(apt, "apt")
NETWORK(curl, "curl")
NETWORK(docker, "docker")
NETWORK(git, "git")
NETWORK(npm, "npm")
NETWORK(npx, "npx")
NETWORK(pip, "pip")
NETWORK(ping, "ping")
NETWORK(scp, "scp")
NETWORK(ssh, "ssh")
NETWORK(wget, "wget")
