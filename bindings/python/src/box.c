// SPDX-License-Identifier: MIT
/* box.c -- Box: a sandbox, its runs and their events.
 *
 * cloche_step runs without Python's lock. A sandbox is one thread's at a time: whoever asks while
 * it is stepped in another is refused, but for cancel(). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "module.h"

PyTypeObject *cloche_py_box_type;

typedef cloche_py_box box_object;

bool cloche_py_box_is_free(const box_object *self) {
  if (!cloche_py_is_ours(self->generation, "sandbox")) return false;
  if (!self->inside) return true;
  PyErr_SetString(PyExc_RuntimeError, "this sandbox is being run by another thread");
  return false;
}

PyObject *cloche_py_box_fail(const box_object *self, cloche_status status) {
  return cloche_py_fail(status, cloche_sandbox_message(self == NULL ? NULL : self->box));
}

#define is_free cloche_py_box_is_free
#define fail cloche_py_box_fail

/* ---- making ---- */

/* In the order of cloche_limits. */
bool cloche_py_read_limits(PyObject *tuple, cloche_limits *limits) {
  unsigned long long n[12];
  if (!PyArg_ParseTuple(tuple, "KKKKKKKKKKKK;limits are twelve integers", &n[0], &n[1], &n[2],
                        &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9], &n[10], &n[11]))
    return false;
  *limits = (cloche_limits){.timeout = n[0] > INT64_MAX ? INT64_MAX : (int64_t)n[0],
                            .total_timeout = n[1] > INT64_MAX ? INT64_MAX : (int64_t)n[1],
                            .fuel = n[2],
                            .memory = n[3],
                            .stack = n[4],
                            .output = n[5],
                            .calls = n[6],
                            .in_flight = n[7],
                            .argument = n[8],
                            .result = n[9],
                            .files = n[10],
                            .file_bytes = n[11]};
  return true;
}

bool cloche_py_read_walls(PyObject *policy, PyObject *account, PyObject *ledger,
                          cloche_py_walls *walls) {
  if (policy != Py_None) {
    if (!PyObject_TypeCheck(policy, cloche_py_policy_type)) {
      PyErr_SetString(PyExc_TypeError, "policy is a Policy or None");
      return false;
    }
    walls->policy = ((cloche_py_policy *)policy)->policy;
  }
  if (account != Py_None) {
    if (!PyObject_TypeCheck(account, cloche_py_account_type)) {
      PyErr_SetString(PyExc_TypeError, "account is an Account or None");
      return false;
    }
    if (!cloche_py_is_ours(((cloche_py_account *)account)->generation, "account")) return false;
    walls->account = ((cloche_py_account *)account)->account;
  }
  if (ledger == Py_None) return true;
  walls->ledger = cloche_py_ledger_of(ledger);
  return walls->ledger != NULL;
}

static cloche_sandbox *make(cloche_engine *engine, const cloche_sandbox_options *options) {
  cloche_sandbox *box = NULL;
  cloche_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = cloche_sandbox_new(engine, options, &box);
  Py_END_ALLOW_THREADS;
  if (status == CLOCHE_E_SYSTEM && errno == ENOMEM)
    PyErr_SetString(PyExc_OSError,
                    "no room for another sandbox: each needs some fifty mappings of "
                    "memory, and vm.max_map_count bounds those of a process; close "
                    "sandboxes, or raise it");
  else if (status != CLOCHE_OK)
    fail(NULL, status);
  return box;
}

PyObject *cloche_py_box_wrap(cloche_sandbox *box, PyObject *ledger) {
  box_object *self = (box_object *)PyType_GenericAlloc(cloche_py_box_type, 0);
  if (self == NULL) {
    cloche_sandbox_free(box);
    return NULL;
  }
  self->box = box;
  self->generation = cloche_py_generation();
  if (ledger != Py_None) self->ledger = Py_NewRef(ledger);
  return (PyObject *)self;
}

static PyObject *box_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  static char *keywords[] = {"tools", "policy",     "account",   "ledger", "name", "limits",
                             "seed",  "start_time", "real_time", "worker", NULL};
  PyObject *tools = Py_None, *policy = Py_None, *account = Py_None, *ledger = Py_None,
           *limits = Py_None;
  (void)type;
  const char *name = "", *seed = NULL, *worker = NULL;
  Py_ssize_t name_len = 0, seed_len = 0;
  long long start_time = 0;
  int real_time = 0;
  if (!PyArg_ParseTupleAndKeywords(args, names, "|OOOOs#Oz#Lpz:Box", keywords, &tools, &policy,
                                   &account, &ledger, &name, &name_len, &limits, &seed, &seed_len,
                                   &start_time, &real_time, &worker))
    return NULL;
  if (seed != NULL && seed_len != 32) return PyErr_Format(PyExc_ValueError, "a seed is 32 bytes");
  cloche_sandbox_options options = {.name = {name, (size_t)name_len},
                                    .seed = (const uint8_t *)seed,
                                    .start_time = start_time,
                                    .real_time = real_time != 0};
  cloche_py_walls walls = {0};
  if ((limits != Py_None && !cloche_py_read_limits(limits, &options.limits)) ||
      !cloche_py_read_walls(policy, account, ledger, &walls))
    return NULL;
  options.policy = walls.policy;
  options.account = walls.account;
  options.ledger = walls.ledger;
  cloche_engine *engine = cloche_py_engine(worker);
  cloche_py_bytes list;
  if (engine == NULL || !cloche_py_take(tools, &list)) return NULL;
  options.tools = list.text;
  cloche_sandbox *box = make(engine, &options);
  cloche_py_release(&list);
  if (box == NULL) return NULL;
  return cloche_py_box_wrap(box, ledger);
}

static void box_dealloc(PyObject *object) {
  box_object *self = (box_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  /* In a forked child the engine's lock may be held for ever: what the parent made stays. */
  if (self->generation == cloche_py_generation()) cloche_sandbox_free(self->box);
  Py_XDECREF(self->ledger);
  free(self->out.at);
  free(self->err.at);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/* ---- running ---- */

enum { ARGUMENTS = 1024 };

/* "$0", "$1"... of a shell program. */
static PyObject *exec_with(box_object *self, cloche_program program, PyObject *words) {
  cloche_text arguments[ARGUMENTS];
  Py_ssize_t count = words == Py_None ? 0 : PyList_Size(words);
  if (count < 0) return NULL;
  if (count > ARGUMENTS) return PyErr_Format(PyExc_ValueError, "at most 1024 arguments");
  for (Py_ssize_t i = 0; i < count; i++) {
    Py_ssize_t len;
    const char *at = PyUnicode_AsUTF8AndSize(PyList_GetItem(words, i), &len);
    if (at == NULL) return NULL;
    arguments[i] = (cloche_text){at, (size_t)len};
  }
  program.arguments = arguments;
  program.argument_count = (size_t)count;
  self->out.len = self->err.len = 0;
  cloche_status status = cloche_exec(self->box, &program);
  if (status != CLOCHE_OK) return fail(self, status);
  Py_RETURN_NONE;
}

static PyObject *box_exec(PyObject *object, PyObject *args, PyObject *names) {
  static char *keywords[] = {"language", "text", "stdin", "arguments", "streams", NULL};
  box_object *self = (box_object *)object;
  PyObject *text, *input = Py_None, *words = Py_None;
  int language, streams = 0;
  if (!PyArg_ParseTupleAndKeywords(args, names, "iO|OOp:exec", keywords, &language, &text, &input,
                                   &words, &streams) ||
      !is_free(self))
    return NULL;
  cloche_py_bytes code = {0}, bytes = {0};
  PyObject *done = NULL;
  if (cloche_py_take(text, &code) && cloche_py_take(input, &bytes)) {
    cloche_program program = {
        .language = (cloche_language)language, .text = code.text, .stdin_bytes = bytes.text};
    self->streams = streams != 0;
    done = exec_with(self, program, words);
  }
  cloche_py_release(&code);
  cloche_py_release(&bytes);
  return done;
}

static bool keep_output(box_object *self, const cloche_event *event) {
  cloche_py_text *to = event->stream == 2 ? &self->err : &self->out;
  if (to->room - to->len < event->bytes.len) {
    size_t room = to->room * 2 + event->bytes.len;
    char *grown = realloc(to->at, room);
    if (grown == NULL) {
      PyErr_NoMemory();
      return false;
    }
    to->at = grown;
    to->room = room;
  }
  memcpy(to->at + to->len, event->bytes.at, event->bytes.len);
  to->len += event->bytes.len;
  return true;
}

static int64_t monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static PyObject *tell_call(const cloche_event *event) {
  PyObject *params = cloche_py_read(event->params);
  if (params == NULL) {
    PyErr_Clear(); /* a number that no Python type holds as it was checked */
    params = Py_NewRef(Py_None);
  }
  PyObject *method = cloche_py_str(event->method);
  return Py_BuildValue("(iKNN)", (int)event->kind, (unsigned long long)event->call, method, params);
}

static PyObject *tell_approval(const cloche_event *event) {
  PyObject *params = cloche_py_read(event->params);
  if (params == NULL) {
    PyErr_Clear();
    params = Py_NewRef(Py_None);
  }
  return Py_BuildValue("(iKNNNNI)", (int)event->kind, (unsigned long long)event->call,
                       cloche_py_str(event->method), params, cloche_py_str(event->rule),
                       cloche_py_str(event->reason), (unsigned)event->approve_up_to);
}

static PyObject *tell(const cloche_event *event) {
  switch (event->kind) {
    case CLOCHE_CALL:
      return tell_call(event);
    case CLOCHE_APPROVAL:
      return tell_approval(event);
    case CLOCHE_OUTPUT:
      return Py_BuildValue("(iiy#)", (int)event->kind, event->stream, event->bytes.at,
                           (Py_ssize_t)event->bytes.len);
    case CLOCHE_WAIT:
      return Py_BuildValue("(iL)", (int)event->kind, (long long)event->deadline);
    case CLOCHE_CALL_CANCELLED:
      return Py_BuildValue("(iK)", (int)event->kind, (unsigned long long)event->call);
    default:
      return Py_BuildValue("(i)", (int)event->kind);
  }
}

/* Steps until there is something for Python. While the program computes that is every 20 ms if
 * `look` asks for it, and else whenever a signal has come. */
static PyObject *box_step(PyObject *object, PyObject *args) {
  box_object *self = (box_object *)object;
  int look = 0;
  if (!PyArg_ParseTuple(args, "|p", &look) || !is_free(self)) return NULL;
  for (;;) {
    cloche_event event;
    cloche_status status;
    self->inside = true;
    Py_BEGIN_ALLOW_THREADS;
    status = cloche_step(self->box, &event);
    Py_END_ALLOW_THREADS;
    self->inside = false;
    if (status != CLOCHE_OK) return fail(self, status);
    if (event.kind == CLOCHE_OUTPUT) {
      if (!keep_output(self, &event)) return NULL;
      if (self->streams) return tell(&event);
    } else if (event.kind == CLOCHE_WAIT && !look && event.deadline <= monotonic()) {
      if (PyErr_CheckSignals() != 0) return NULL;
    } else {
      return tell(&event);
    }
  }
}

/* ---- answers ---- */

/* True when the program got the answer; False when the run is over or the call was answered. */
static PyObject *answered(const box_object *self, cloche_status status) {
  if (status == CLOCHE_OK || status == CLOCHE_E_LIMIT) Py_RETURN_TRUE;
  if (status == CLOCHE_E_UNKNOWN) Py_RETURN_FALSE;
  return fail(self, status);
}

static bool is_count(Py_ssize_t count, Py_ssize_t wanted, const char *name) {
  if (count == wanted) return true;
  PyErr_Format(PyExc_TypeError, "%s takes %zd arguments", name, wanted);
  return false;
}

static PyObject *box_resolve(PyObject *object, PyObject *const *args, Py_ssize_t count) {
  box_object *self = (box_object *)object;
  if (!is_count(count, 2, "resolve") || !is_free(self)) return NULL;
  unsigned long long call = PyLong_AsUnsignedLongLong(args[0]);
  if (PyErr_Occurred()) return NULL;
  cloche_py_text json = {0};
  PyObject *done = NULL;
  if (cloche_py_write(&json, args[1]))
    done = answered(self, cloche_resolve(self->box, call, cloche_py_view(&json)));
  free(json.at);
  return done;
}

static PyObject *box_reject(PyObject *object, PyObject *args) {
  box_object *self = (box_object *)object;
  unsigned long long call;
  const char *message, *code = "";
  Py_ssize_t message_len, code_len = 0;
  if (!PyArg_ParseTuple(args, "Ks#|s#", &call, &message, &message_len, &code, &code_len) ||
      !is_free(self))
    return NULL;
  cloche_failure failure = {.message = {message, (size_t)message_len},
                            .code = {code, (size_t)code_len}};
  return answered(self, cloche_reject(self->box, call, &failure));
}

static PyObject *box_approve(PyObject *object, PyObject *args) {
  box_object *self = (box_object *)object;
  unsigned long long call;
  unsigned further = 0;
  const char *by = "", *reason = "";
  Py_ssize_t by_len = 0, reason_len = 0;
  if (!PyArg_ParseTuple(args, "K|Is#s#", &call, &further, &by, &by_len, &reason, &reason_len) ||
      !is_free(self))
    return NULL;
  cloche_approval approval = {
      .further = further, .by = {by, (size_t)by_len}, .reason = {reason, (size_t)reason_len}};
  return answered(self, cloche_approve(self->box, call, &approval));
}

static PyObject *box_deny(PyObject *object, PyObject *args) {
  box_object *self = (box_object *)object;
  unsigned long long call;
  const char *reason;
  Py_ssize_t len;
  if (!PyArg_ParseTuple(args, "Ks#", &call, &reason, &len) || !is_free(self)) return NULL;
  return answered(self, cloche_deny(self->box, call, (cloche_text){reason, (size_t)len}));
}

static PyObject *box_cancel(PyObject *object, PyObject *none) {
  box_object *self = (box_object *)object;
  (void)none;
  if (!cloche_py_is_ours(self->generation, "sandbox")) return NULL;
  cloche_cancel(self->box);
  Py_RETURN_NONE;
}

/* ---- looking ---- */

static PyObject *tell_usage(const cloche_usage *usage) {
  return Py_BuildValue("(KLLKKKKKK)", (unsigned long long)usage->fuel, (long long)usage->wall,
                       (long long)usage->waiting, (unsigned long long)usage->memory,
                       (unsigned long long)usage->image, (unsigned long long)usage->calls,
                       (unsigned long long)usage->denied, (unsigned long long)usage->output,
                       (unsigned long long)usage->output_dropped);
}

static PyObject *box_result(PyObject *object, PyObject *none) {
  box_object *self = (box_object *)object;
  (void)none;
  if (!is_free(self)) return NULL;
  const cloche_result *result = cloche_sandbox_result(self->box);
  if (result == NULL) Py_RETURN_NONE;
  PyObject *value = result->value.len > 0 ? cloche_py_read(result->value) : Py_NewRef(Py_None);
  if (value == NULL) return NULL;
  return Py_BuildValue("(sONNiNNNKKOnNNN)", cloche_end_text(result->end),
                       result->value.len > 0 || result->text.len > 0 ? Py_True : Py_False, value,
                       cloche_py_str(result->text.len > 0 ? result->text : result->value),
                       result->status, cloche_py_str(result->error_name),
                       cloche_py_str(result->error_message), cloche_py_str(result->error_stack),
                       (unsigned long long)result->line, (unsigned long long)result->column,
                       result->rolled_back ? Py_True : Py_False, (Py_ssize_t)result->cancelled,
                       cloche_py_str(cloche_py_view(&self->out)),
                       cloche_py_str(cloche_py_view(&self->err)), tell_usage(&result->usage));
}

static PyObject *box_usage(PyObject *object, PyObject *none) {
  box_object *self = (box_object *)object;
  (void)none;
  if (!is_free(self)) return NULL;
  cloche_usage usage = cloche_sandbox_usage(self->box);
  return tell_usage(&usage);
}

static PyObject *box_output(PyObject *object, PyObject *none) {
  box_object *self = (box_object *)object;
  (void)none;
  if (!is_free(self)) return NULL;
  return Py_BuildValue("(NN)", cloche_py_str(cloche_py_view(&self->out)),
                       cloche_py_str(cloche_py_view(&self->err)));
}

static PyObject *box_once(PyObject *object, PyObject *call) {
  box_object *self = (box_object *)object;
  unsigned long long id = PyLong_AsUnsignedLongLong(call);
  if (PyErr_Occurred() || !is_free(self)) return NULL;
  return answered(self, cloche_once(self->box, id));
}

static PyObject *box_check(PyObject *object, PyObject *args) {
  box_object *self = (box_object *)object;
  if (!is_free(self)) return NULL;
  cloche_gate *gate = cloche_sandbox_gate(self->box);
  if (gate == NULL) Py_RETURN_NONE;
  return cloche_py_check(gate, args);
}

static PyObject *box_labels(PyObject *object, PyObject *none) {
  box_object *self = (box_object *)object;
  (void)none;
  if (!is_free(self)) return NULL;
  PyObject *labels = PyList_New(0);
  cloche_gate *gate = cloche_sandbox_gate(self->box);
  for (size_t i = 0; gate != NULL && labels != NULL; i++) {
    cloche_text label = cloche_gate_label(gate, i);
    if (label.len == 0) break;
    PyObject *text = cloche_py_str(label);
    bool added = text != NULL && PyList_Append(labels, text) == 0;
    Py_XDECREF(text);
    if (!added) Py_CLEAR(labels);
  }
  return labels;
}

static PyMethodDef methods[] = {
    {"exec", (PyCFunction)(void (*)(void))box_exec, METH_VARARGS | METH_KEYWORDS,
     "Starts a run: language 0 is JavaScript, 1 shell."},
    {"step", box_step, METH_VARARGS,
     "step(look=False): runs until something is to be done outside; a tuple that says what."},
    {"resolve", (PyCFunction)(void (*)(void))box_resolve, METH_FASTCALL,
     "resolve(call, value): answers a call."},
    {"reject", box_reject, METH_VARARGS, "reject(call, message, code=''): fails a call."},
    {"approve", box_approve, METH_VARARGS, "approve(call, further=0, by='', reason='')"},
    {"deny", box_deny, METH_VARARGS, "deny(call, reason)"},
    {"cancel", box_cancel, METH_NOARGS, "Ends the run soon; from any thread."},
    {"result", box_result, METH_NOARGS, "How the last run ended, a tuple; None without one."},
    {"usage", box_usage, METH_NOARGS, "What the run has used so far."},
    {"check", box_check, METH_VARARGS,
     "check(method, params, now=None): what the call would get; None without a policy."},
    {"output", box_output, METH_NOARGS, "(stdout, stderr) of the run so far."},
    {"once", box_once, METH_O, "A restored sandbox is not to make this call again."},
    {"snapshot", cloche_py_snapshot, METH_VARARGS, "snapshot(key=None, audience=''): as bytes."},
    {"checkpoint", cloche_py_checkpoint, METH_O, "Gives the state of now a name."},
    {"rollback", cloche_py_rollback, METH_O, "Back to the state of that name."},
    {"checkpoint_drop", cloche_py_checkpoint_drop, METH_O, "Forgets a state with a name."},
    {"file_put", cloche_py_file_put, METH_VARARGS, "file_put(path, bytes)"},
    {"file_get", cloche_py_file_get, METH_O, "The content of a file."},
    {"file_stat", cloche_py_file_stat, METH_O, "(name, kind, mode, size, mtime, target)"},
    {"file_list", cloche_py_file_list, METH_O, "What is in a folder, as of file_stat."},
    {"file_mkdir", cloche_py_file_mkdir, METH_O, "Makes a folder, and those on the way."},
    {"file_remove", cloche_py_file_remove, METH_O, "Removes a file, or a folder and all in it."},
    {"file_export", cloche_py_file_export, METH_O, "A folder or file as a tar stream."},
    {"file_import", cloche_py_file_import, METH_VARARGS, "file_import(path, tar)"},
    {"mount", cloche_py_mount, METH_VARARGS, "mount(host, guest, writable)"},
    {"changes", cloche_py_changes, METH_NOARGS,
     "What changed since the last run began: (change, kind, path, size, was, written, error)."},
    {"labels", box_labels, METH_NOARGS, "The sandbox's labels."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "Box(tools, policy, account, ledger, name, limits, seed, start_time, real_time)"},
    {Py_tp_new, box_new},
    {Py_tp_dealloc, box_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};
PyType_Spec cloche_py_box_spec = {"cloche._cloche.Box", sizeof(box_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
