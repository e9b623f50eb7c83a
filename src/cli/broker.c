// SPDX-License-Identifier: MIT
/* broker.c -- one job per call, from its start until its last handle has closed.
 *
 *   start -> [writes arguments] -> reads answer and errors -> exit -> last bytes -> settle ->
 * closed
 *
 * A job settles once: by its exit, its timeout, an answer that is too long, or being cancelled.
 * Pipes may stay open after the exit when the tool left someone behind who holds them, so they are
 * given a moment only. */
#include "cli/broker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/guard.h"
#include "cli/processes.h"
#include "cli/tail.h"
#include "gate/account.h"
#include "sandbox/sandbox.h"

/* What an exited tool wrote is in the pipe already; this is for reading it. */
enum { LAST_BYTES_MS = 200, STOP_MS = 1000 };

struct cloche__job {
  cloche__job *next;
  cloche__broker *broker;
  const cloche__cli_tool *tool;
  uint64_t call;
  uv_process_t process;
  uv_pipe_t in, out, err;
  uv_timer_t timer;
  uv_write_t write;
  int handles;           /* not closed yet */
  bool known;            /* to libuv: `process` is a handle that has to be closed */
  bool started, settled; /* settled: answered, or nobody wants the answer */
  bool exited, timed_out, out_ended, err_ended;
  int64_t status;
  int signal;
  cloche__buffer params, answer;
  cloche__tail complaints; /* the end of its standard error */
};

/* ---- closing ---- */

static void unlink_job(cloche__job *job) {
  cloche__job **at = &job->broker->jobs;
  while (*at != job) at = &(*at)->next;
  *at = job->next;
}

static void closed(uv_handle_t *handle) {
  cloche__job *job = handle->data;
  if (--job->handles > 0) return;
  unlink_job(job);
  job->broker->running--;
  cloche__buffer_free(&job->params);
  cloche__buffer_free(&job->answer);
  free(job);
}

static void close_handle(uv_handle_t *handle) {
  if (!uv_is_closing(handle)) uv_close(handle, closed);
}

/* The process handle stays until the exit was seen: closed before, it would leave a zombie. */
static void close_all(cloche__job *job) {
  close_handle((uv_handle_t *)&job->in);
  close_handle((uv_handle_t *)&job->out);
  close_handle((uv_handle_t *)&job->err);
  close_handle((uv_handle_t *)&job->timer);
  if (job->known && (job->exited || !job->started)) close_handle((uv_handle_t *)&job->process);
}

/* ---- answering ---- */

static void tell_person(const cloche__job *job, const char *what) {
  if (job->broker->quiet) return;
  cloche_text lines = cloche__tail_lines(&job->complaints);
  cloche__complain("%.*s: %s%s%.*s", (int)job->tool->name.len, job->tool->name.at, what,
                   lines.len > 0 ? "; its last lines:\n" : "", (int)lines.len, lines.at);
}

static void tell_program(cloche__job *job, cloche_text message, const char *code) {
  cloche_failure failure = {.message = message, .code = cloche__text(code)};
  cloche_reject(job->broker->box, job->call, &failure);
}

static void end_job(cloche__job *job) {
  job->settled = true;
  job->broker->news = true;
  if (job->started && !job->exited) cloche__process_end(job->process.pid);
  close_all(job);
}

static void fail(cloche__job *job, const char *code, const char *message) {
  tell_person(job, message);
  tell_program(job, cloche__text(message), code);
  end_job(job);
}

/* A tool may say on purpose what the program is to know: {"error": "..."} or {"error": {"message":
 * "...", "code": "..."}} and a status other than 0. Of each text this much is handed on. */
enum { SAID_MAX = 1024 };

/* The start of a string, without half a character; empty when it is none. */
static cloche_text said(const cloche__json *string) {
  if (string == NULL || string->kind != CLOCHE__JSON_STRING) return (cloche_text){NULL, 0};
  cloche_text text = cloche__json_text(string);
  if (text.len <= SAID_MAX) return text;
  text.len = SAID_MAX;
  while (text.len > 0 && (text.at[text.len] & 0xC0) == 0x80) text.len--;
  return text;
}

static bool fail_as_said(cloche__job *job) {
  cloche__json_doc doc;
  if (cloche__json_parse(cloche__buffer_view(&job->answer), NULL, &doc, NULL) != CLOCHE_OK)
    return false;
  const cloche__json *error = cloche__json_get(&doc.root, "error");
  bool object = error != NULL && error->kind == CLOCHE__JSON_OBJECT;
  cloche_failure failure = {.message = said(object ? cloche__json_get(error, "message") : error),
                            .code = said(object ? cloche__json_get(error, "code") : NULL)};
  bool on_purpose = failure.message.len > 0;
  if (failure.code.len == 0) failure.code = cloche__text("tool.failed");
  if (on_purpose) {
    cloche_reject(job->broker->box, job->call, &failure);
    end_job(job);
  }
  cloche__json_free(&doc);
  return on_purpose;
}

static void fail_with_status(cloche__job *job) {
  char message[80];
  if (fail_as_said(job)) return;
  if (job->signal != 0)
    snprintf(message, sizeof message, "the tool was ended by signal %d", job->signal);
  else
    snprintf(message, sizeof message, "the tool failed with exit status %" PRId64, job->status);
  fail(job, "tool.failed", message);
}

static void fail_as_no_json(cloche__job *job) {
  cloche__json_error error = {.message = "nothing at all"};
  cloche__json_doc doc = {0};
  if (cloche__json_parse(cloche__buffer_view(&job->answer), NULL, &doc, &error) == CLOCHE_OK)
    snprintf(error.message, sizeof error.message, "nested too deep");
  cloche__json_free(&doc);
  char what[256];
  snprintf(what, sizeof what, "the tool's answer is not JSON: line %zu, column %zu: %s", error.line,
           error.column, error.message);
  tell_person(job, what);
  tell_program(job, cloche__text("the tool's answer is not JSON"), "tool.answer");
  end_job(job);
}

static void settle(cloche__job *job) {
  if (job->settled) {
    close_all(job);
    return;
  }
  if (job->status != 0 || job->signal != 0) {
    fail_with_status(job);
    return;
  }
  cloche_status status =
      cloche_resolve(job->broker->box, job->call, cloche__buffer_view(&job->answer));
  if (status == CLOCHE_E_JSON)
    fail_as_no_json(job);
  else if (status == CLOCHE_E_MEMORY)
    fail(job, "tool.answer", "there is no memory for the answer");
  else
    end_job(job);
}

static void settle_when_over(cloche__job *job) {
  if (job->exited && job->out_ended && job->err_ended) settle(job);
}

/* ---- what libuv tells ---- */

static void on_timer(uv_timer_t *timer) {
  cloche__job *job = timer->data;
  if (job->exited) { /* its pipes are held by someone it left behind */
    settle(job);
    return;
  }
  char message[80];
  snprintf(message, sizeof message, "the tool did not answer within %g s",
           (double)job->tool->timeout / 1e9);
  fail(job, "tool.timeout", message);
}

static void on_exit_of(uv_process_t *process, int64_t status, int signal) {
  cloche__job *job = process->data;
  cloche__process_end(process->pid); /* what it left behind in its group */
  job->exited = true;
  job->status = status;
  job->signal = signal;
  if (job->settled)
    close_all(job);
  else if (job->out_ended && job->err_ended)
    settle(job);
  else
    uv_timer_start(&job->timer, on_timer, LAST_BYTES_MS, 0);
}

static void room_for_answer(uv_handle_t *handle, size_t size, uv_buf_t *room) {
  cloche__job *job = handle->data;
  *room = cloche__buffer_reserve(&job->answer, size)
              ? uv_buf_init(job->answer.at + job->answer.len, (unsigned)size)
              : uv_buf_init(NULL, 0);
}

static void on_answer(uv_stream_t *stream, ssize_t got, const uv_buf_t *room) {
  (void)room;
  cloche__job *job = stream->data;
  if (got > 0) job->answer.len += (size_t)got;
  if (job->settled) return;
  if (got == UV_ENOBUFS) {
    fail(job, "tool.answer", "there is no memory for the tool's answer");
  } else if (job->answer.len > job->broker->result_limit) {
    fail(job, "limit.result", "the tool's answer is longer than the limit for a result");
  } else if (got < 0) {
    job->out_ended = true;
    settle_when_over(job);
  }
}

static void room_for_complaint(uv_handle_t *handle, size_t size, uv_buf_t *room) {
  (void)size;
  static char shared[16384]; /* one thread, and each read is taken over at once */
  (void)handle;
  *room = uv_buf_init(shared, sizeof shared);
}

static void on_complaint(uv_stream_t *stream, ssize_t got, const uv_buf_t *room) {
  cloche__job *job = stream->data;
  if (got > 0) cloche__tail_add(&job->complaints, room->base, (size_t)got);
  if (got >= 0) return;
  job->err_ended = true;
  if (!job->settled) settle_when_over(job);
}

/* Written, or not wanted: a tool that never reads is fine. Closing tells it that this is the end.
 */
static void on_written(uv_write_t *write, int status) {
  (void)status;
  cloche__job *job = write->data;
  close_handle((uv_handle_t *)&job->in);
}

/* ---- starting ---- */

static int spawn(cloche__job *job, char **environment) {
  uv_stdio_container_t stdio[3] = {
      {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&job->in},
      {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&job->out},
      {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&job->err},
  };
  uv_process_options_t options = {
      .file = job->tool->command[0],
      .args = job->tool->command,
      .env = environment,
      .cwd = job->broker->config->directory,
      .flags = UV_PROCESS_DETACHED, /* a session of its own: a group to kill, no terminal to read */
      .stdio = stdio,
      .stdio_count = 3,
      .exit_cb = on_exit_of,
  };
  job->known = true;
  job->handles++;
  int error = uv_spawn(job->broker->loop, &job->process, &options);
  if (error == 0) cloche__process_note(job->process.pid);
  job->started = error == 0;
  return error;
}

static void begin_traffic(cloche__job *job) {
  uv_buf_t params = uv_buf_init(job->params.at, (unsigned)job->params.len);
  job->write.data = job;
  if (uv_write(&job->write, (uv_stream_t *)&job->in, &params, 1, on_written) != 0)
    close_handle((uv_handle_t *)&job->in);
  uv_read_start((uv_stream_t *)&job->out, room_for_answer, on_answer);
  uv_read_start((uv_stream_t *)&job->err, room_for_complaint, on_complaint);
  if (job->tool->timeout != INT64_MAX)
    uv_timer_start(&job->timer, on_timer, (uint64_t)(job->tool->timeout + 999999) / 1000000, 0);
}

static cloche__job *new_job(cloche__broker *broker, const cloche__cli_tool *tool, uint64_t call) {
  cloche__job *job = calloc(1, sizeof *job);
  if (job == NULL) return NULL;
  job->broker = broker;
  job->tool = tool;
  job->call = call;
  uv_pipe_init(broker->loop, &job->in, 0);
  uv_pipe_init(broker->loop, &job->out, 0);
  uv_pipe_init(broker->loop, &job->err, 0);
  uv_timer_init(broker->loop, &job->timer);
  job->in.data = job->out.data = job->err.data = job->timer.data = job->process.data = job;
  job->handles = 4;
  job->next = broker->jobs;
  broker->jobs = job;
  broker->running++;
  return job;
}

static void refuse(cloche__broker *broker, uint64_t call, const char *code, const char *message) {
  cloche_failure failure = {.message = cloche__text(message), .code = cloche__text(code)};
  cloche_reject(broker->box, call, &failure);
  broker->news = true;
}

static void start(cloche__job *job, cloche_text params, cloche_text key) {
  char **environment = cloche__config_environment(job->broker->config, job->tool, key);
  cloche__buffer_text(&job->params, params);
  int error = environment == NULL || job->params.failed ? UV_ENOMEM : spawn(job, environment);
  free(environment);
  if (error == 0) {
    if (job->tool->once) cloche_once(job->broker->box, job->call);
    begin_traffic(job);
    return;
  }
  char what[512];
  snprintf(what, sizeof what, "\"%s\" cannot be started: %s", job->tool->command[0],
           uv_strerror(error));
  tell_person(job, what);
  tell_program(job, cloche__text("the tool could not be started"), "tool.start");
  end_job(job);
}

/* A call of a tool that is `once` is a budget of one call, under the key that the call has in every
 * process that goes on from the same snapshot. */
static bool is_first_time(const cloche__broker *broker, cloche_text call_key) {
  char key[64];
  uint64_t id;
  size_t refused;
  if (broker->account == NULL) return true;
  snprintf(key, sizeof key, "once/%.*s", (int)call_key.len, call_key.at);
  const cloche_account_store *store = &broker->account->store;
  cloche_charge charge = {.key = cloche__text(key),
                          .max_calls = 1,
                          .max_concurrent = UINT64_MAX,
                          .rate_calls = UINT64_MAX};
  if (store->reserve(store->self, &charge, 1, cloche__real_time(), CLOCHE_RESERVE_RUN, &id,
                     &refused) != CLOCHE_OK)
    return false;
  store->settle(store->self, id, CLOCHE_SETTLE_SUCCEEDED);
  return true;
}

void cloche__broker_call(cloche__broker *broker, const cloche_event *event) {
  cloche_text method = event->method;
  uint64_t call = event->call;
  const cloche__cli_tool *tool = cloche__config_tool(broker->config, method);
  if (tool == NULL || tool->command == NULL) {
    cloche__complain("%.*s was called, but has no \"command\" in the configuration",
                     (int)method.len, method.at);
    refuse(broker, call, "tool.start", "the tool has no command that could be run");
    return;
  }
  if (tool->once && !is_first_time(broker, event->key)) {
    cloche__complain("%.*s was called before under the key %.*s, or that cannot be known: refused",
                     (int)method.len, method.at, (int)event->key.len, event->key.at);
    refuse(broker, call, "interrupted",
           "this call may have been made before, and it may not be made twice");
    return;
  }
  cloche__guard_start();
  cloche__job *job = cloche__process_room() ? new_job(broker, tool, call) : NULL;
  if (job == NULL)
    refuse(broker, call, "tool.start", "too many tools run at once");
  else
    start(job, event->params, event->key);
}

/* ---- stopping ---- */

void cloche__broker_cancel(cloche__broker *broker, uint64_t call) {
  for (cloche__job *job = broker->jobs; job != NULL; job = job->next)
    if (job->call == call && !job->settled) {
      end_job(job);
      return;
    }
}

static void on_stop_timer(uv_timer_t *timer) {
  *(bool *)timer->data = true;
}

void cloche__broker_stop(cloche__broker *broker) {
  broker->quiet = true;
  for (cloche__job *job = broker->jobs; job != NULL; job = job->next)
    if (!job->settled) end_job(job);
  bool late = false;
  uv_timer_t timer;
  uv_timer_init(broker->loop, &timer);
  timer.data = &late;
  uv_timer_start(&timer, on_stop_timer, STOP_MS, 0);
  while (broker->jobs != NULL && !late) uv_run(broker->loop, UV_RUN_ONCE);
  uv_close((uv_handle_t *)&timer, NULL);
  uv_run(broker->loop, UV_RUN_NOWAIT);
  cloche__guard_stop();
}
