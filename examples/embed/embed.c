// SPDX-License-Identifier: MIT
/* embed.c -- Cloche inside a C program: one tool, one policy, one run.
 *
 *   cc embed.c $(pkg-config --cflags --libs cloche) -o embed && ./embed */
#include <cloche.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cloche_text text(const char *string) {
  return (cloche_text){string, strlen(string)};
}

static void check(cloche_status status, const char *what) {
  if (status == CLOCHE_OK) return;
  fprintf(stderr, "%s: %s\n", what, cloche_status_text(status));
  exit(1);
}

/* The tool: what it is given has passed the gate, as one JSON object. */
static void add(cloche_sandbox *box, const cloche_event *event) {
  long a, b;
  char params[128], answer[32];
  snprintf(params, sizeof params, "%.*s", (int)event->params.len, event->params.at);
  if (sscanf(params, "{\"a\":%ld,\"b\":%ld}", &a, &b) != 2) {
    cloche_failure failure = {.message = text("two numbers are wanted")};
    check(cloche_reject(box, event->call, &failure), "reject");
    return;
  }
  snprintf(answer, sizeof answer, "%ld", a + b);
  check(cloche_resolve(box, event->call, text(answer)), "resolve");
}

int main(void) {
  const char *tools = "[{\"name\": \"add\"}]";
  const char *rules =
      "{\"rules\": [{\"pattern\": \"add\", \"effect\": \"allow\", \"max_calls\": 3}]}";
  cloche_engine *engine;
  cloche_policy *policy;
  cloche_sandbox *box;
  check(cloche_engine_new(NULL, &engine), "engine");
  check(cloche_policy_load(text(rules), text(tools), &policy, NULL), "policy");
  cloche_sandbox_options options = {.tools = text(tools), .policy = policy};
  check(cloche_sandbox_new(engine, &options, &box), "sandbox");

  cloche_program program = {
      .text = text("let sum = 0;"
                   "for (let i = 1; i <= 3; i++) sum = await add({ a: sum, b: i });"
                   "console.log('adding');"
                   "return sum;")};
  check(cloche_exec(box, &program), "exec");
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE) {
    check(cloche_step(box, &event), "step");
    switch (event.kind) {
      case CLOCHE_CALL:
        add(box, &event);
        break;
      case CLOCHE_OUTPUT:
        fwrite(event.bytes.at, 1, event.bytes.len, event.stream == 2 ? stderr : stdout);
        break;
      case CLOCHE_WAIT:
        poll(NULL, 0, 1);
        break; /* a real one waits for its tools and the deadline */
      default:
        break;
    }
  }
  const cloche_result *result = cloche_sandbox_result(box);
  printf("%s: %.*s, after %llu calls\n", cloche_end_text(result->end), (int)result->value.len,
         result->value.at, (unsigned long long)result->usage.calls);

  int status = result->end == CLOCHE_END_DONE ? 0 : 1;

  cloche_sandbox_free(box); /* and the result with it */
  cloche_policy_free(policy);
  cloche_engine_free(engine);
  return status;
}
