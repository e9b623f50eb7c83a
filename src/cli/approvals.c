// SPDX-License-Identifier: MIT
/* approvals.c -- a queue of questions and a line reader on the terminal. Only "y" and "yes"
 * approve. */
#include "cli/approvals.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/cli.h"
#include "json/buffer.h"

struct cloche__question {
  cloche__question *next;
  uint64_t call;
  cloche__buffer text;
};

static void deny(cloche__approvals *approvals, uint64_t call, const char *reason) {
  cloche_deny(approvals->box, call, cloche__text(reason));
  approvals->news = true;
}

static void put_question(const cloche__approvals *approvals) {
  cloche_text text = cloche__buffer_view(&approvals->first->text);
  cloche__complain("%.*s", (int)text.len, text.at);
  cloche__complain("allow this call? y or n:");
}

static void forget_first(cloche__approvals *approvals) {
  cloche__question *question = approvals->first;
  approvals->first = question->next;
  if (approvals->first == NULL) approvals->last = NULL;
  cloche__buffer_free(&question->text);
  free(question);
}

static void answered(cloche__approvals *approvals, const char *answer) {
  if (approvals->first == NULL) return;
  uint64_t call = approvals->first->call;
  bool yes = strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
  bool no = strcasecmp(answer, "n") == 0 || strcasecmp(answer, "no") == 0;
  if (!yes && !no) {
    put_question(approvals);
    return;
  }
  if (yes)
    cloche_approve(approvals->box, call, NULL);
  else
    deny(approvals, call, "a person was asked and said no");
  approvals->news = true;
  forget_first(approvals);
  if (approvals->first != NULL) put_question(approvals);
}

static void end_of_terminal(cloche__approvals *approvals) {
  while (approvals->first != NULL) {
    deny(approvals, approvals->first->call, "a person was asked and did not answer");
    forget_first(approvals);
  }
  cloche__approvals_stop(approvals);
}

static void on_terminal(uv_poll_t *handle, int status, int events) {
  (void)events;
  cloche__approvals *approvals = handle->data;
  char byte;
  if (status != 0 || read(STDIN_FILENO, &byte, 1) != 1) {
    end_of_terminal(approvals);
    return;
  }
  if (byte != '\n') {
    if (approvals->length + 1 < sizeof approvals->line) approvals->line[approvals->length++] = byte;
    return;
  }
  approvals->line[approvals->length] = '\0';
  approvals->length = 0;
  answered(approvals, approvals->line);
}

static bool start_listening(cloche__approvals *approvals) {
  if (approvals->listening) return true;
  if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return false;
  if (uv_poll_init(approvals->loop, &approvals->terminal, STDIN_FILENO) != 0) return false;
  approvals->terminal.data = approvals;
  uv_poll_start(&approvals->terminal, UV_READABLE, on_terminal);
  return approvals->listening = true;
}

static cloche__question *new_question(const cloche_event *event) {
  cloche__question *question = calloc(1, sizeof *question);
  if (question == NULL) return NULL;
  question->call = event->call;
  cloche__buffer_format(&question->text, "%.*s %.*s\n  %.*s", (int)event->method.len,
                        event->method.at, (int)event->params.len, event->params.at,
                        (int)event->reason.len, event->reason.at);
  return question;
}

void cloche__approvals_ask(cloche__approvals *approvals, const cloche_event *event) {
  cloche__ask how = approvals->how;
  bool here = how <= CLOCHE__ASK_TERMINAL && start_listening(approvals);
  if (!here && (how == CLOCHE__ASK_ANYHOW || how == CLOCHE__ASK_SUSPEND)) {
    approvals->held++;
    return;
  }
  if (!here) {
    cloche__complain(
        "%.*s waits for an approval, and %s: denied", (int)event->method.len, event->method.at,
        how == CLOCHE__ASK_DENY ? "nobody is to be asked" : "there is no terminal to ask on");
    deny(approvals, event->call,
         "the call needs a person's approval, and nobody can be asked here");
    return;
  }
  cloche__question *question = new_question(event);
  if (question == NULL) {
    deny(approvals, event->call, "there is no memory to ask with");
    return;
  }
  if (approvals->first == NULL)
    approvals->first = question;
  else
    approvals->last->next = question;
  approvals->last = question;
  if (approvals->first == question) put_question(approvals);
}

void cloche__approvals_stop(cloche__approvals *approvals) {
  while (approvals->first != NULL) forget_first(approvals);
  if (!approvals->listening) return;
  approvals->listening = false;
  uv_close((uv_handle_t *)&approvals->terminal, NULL);
}
