// SPDX-License-Identifier: MIT
/* policy.c -- Policy, Account and Gate: what decides, for Python to ask. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "module.h"

PyTypeObject *cloche_py_policy_type, *cloche_py_account_type, *cloche_py_gate_type;

/* Releases the object and the use of its type. */
static void let_go(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

static PyObject *take_text(char *text, size_t len) {
  PyObject *string = cloche_py_str((cloche_text){text, len});
  free(text);
  return string;
}

int64_t cloche_py_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- Policy ---- */

static PyObject *policy_problem(cloche_status status, const cloche_problem *problem) {
  if (status == CLOCHE_E_MEMORY) return PyErr_NoMemory();
  if (problem->path[0] != '\0')
    return PyErr_Format(PyExc_ValueError, "%s: %s", problem->path, problem->message);
  if (problem->line > 0)
    return PyErr_Format(PyExc_ValueError, "line %zu, column %zu: %s", problem->line,
                        problem->column, problem->message);
  return PyErr_Format(PyExc_ValueError, "%s",
                      problem->message[0] ? problem->message : cloche_status_text(status));
}

static PyObject *wrap_policy(const cloche_policy *policy) {
  cloche_py_policy *self = (cloche_py_policy *)PyType_GenericAlloc(cloche_py_policy_type, 0);
  if (self == NULL)
    cloche_policy_free(policy);
  else
    self->policy = policy;
  return (PyObject *)self;
}

static PyObject *policy_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  static char *keywords[] = {"rules", "tools", NULL};
  PyObject *rules, *tools = Py_None;
  (void)type;
  if (!PyArg_ParseTupleAndKeywords(args, names, "O|O:Policy", keywords, &rules, &tools))
    return NULL;
  cloche_py_text rules_json = {0}, tools_json = {0};
  cloche_policy *policy = NULL;
  cloche_problem problem = {0};
  PyObject *self = NULL;
  if (cloche_py_write(&rules_json, rules) &&
      (tools == Py_None || cloche_py_write(&tools_json, tools))) {
    cloche_text list = {tools == Py_None ? NULL : tools_json.at, tools_json.len};
    cloche_status status = cloche_policy_load(cloche_py_view(&rules_json), list, &policy, &problem);
    self = status == CLOCHE_OK ? wrap_policy(policy) : policy_problem(status, &problem);
  }
  free(rules_json.at);
  free(tools_json.at);
  return self;
}

static void policy_dealloc(PyObject *self) {
  cloche_policy_free(((cloche_py_policy *)self)->policy);
  let_go(self);
}

static const cloche_policy *policy_of(PyObject *object) {
  if (PyObject_TypeCheck(object, cloche_py_policy_type))
    return ((cloche_py_policy *)object)->policy;
  PyErr_Format(PyExc_TypeError, "a Policy is wanted, not %R", (PyObject *)Py_TYPE(object));
  return NULL;
}

static PyObject *policy_restrict(PyObject *self, PyObject *child) {
  const cloche_policy *inner = policy_of(child);
  cloche_policy *both;
  if (inner == NULL) return NULL;
  cloche_status status = cloche_policy_restrict(policy_of(self), inner, &both);
  return status == CLOCHE_OK ? wrap_policy(both) : cloche_py_fail(status, "");
}

static PyObject *policy_save(PyObject *self, PyObject *none) {
  char *json;
  size_t len;
  (void)none;
  cloche_status status = cloche_policy_save(policy_of(self), &json, &len);
  return status == CLOCHE_OK ? take_text(json, len) : cloche_py_fail(status, "");
}

static PyObject *policy_lint(PyObject *self, PyObject *none) {
  char *json;
  size_t len;
  (void)none;
  cloche_status status =
      cloche_policy_lint(policy_of(self), cloche_py_now(), true, &json, &len, NULL);
  if (status != CLOCHE_OK) return cloche_py_fail(status, "");
  PyObject *doubts = cloche_py_read((cloche_text){json, len});
  free(json);
  return doubts;
}

static PyObject *policy_visible(PyObject *self, PyObject *tools) {
  cloche_py_text list = {0};
  char *json;
  size_t len;
  PyObject *shown = NULL;
  if (cloche_py_write(&list, tools)) {
    cloche_status status = cloche_policy_tools(policy_of(self), cloche_py_view(&list), &json, &len);
    if (status == CLOCHE_OK) {
      shown = cloche_py_read((cloche_text){json, len});
      free(json);
    } else {
      cloche_py_fail(status, "");
    }
  }
  free(list.at);
  return shown;
}

static PyObject *policy_covers(PyObject *self, PyObject *narrow) {
  const cloche_policy *inner = policy_of(narrow);
  return inner == NULL ? NULL : PyBool_FromLong(cloche_policy_covers(policy_of(self), inner));
}

static PyObject *policy_may_allow(PyObject *self, PyObject *method) {
  Py_ssize_t len;
  const char *at = PyUnicode_AsUTF8AndSize(method, &len);
  if (at == NULL) return NULL;
  return PyBool_FromLong(cloche_policy_may_allow(policy_of(self), (cloche_text){at, (size_t)len}));
}

static PyMethodDef policy_methods[] = {
    {"restrict", policy_restrict, METH_O, "A policy that allows what both allow."},
    {"covers", policy_covers, METH_O,
     "True if it can be proved that whatever the other allows, this allows."},
    {"may_allow", policy_may_allow, METH_O,
     "False if no call of this method can be let through, not even after approval."},
    {"visible", policy_visible, METH_O,
     "Definitions of tools as a program sees them: without the parameters that rules set."},
    {"save", policy_save, METH_NOARGS, "The document, as JSON."},
    {"lint", policy_lint, METH_NOARGS, "Doubts about the policy, a list of dicts."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot policy_slots[] = {
    {Py_tp_doc, "Policy(rules, tools=None): rules, compiled; both are plain data."},
    {Py_tp_new, policy_new},
    {Py_tp_dealloc, policy_dealloc},
    {Py_tp_methods, policy_methods},
    {0, NULL},
};
PyType_Spec cloche_py_policy_spec = {"cloche._cloche.Policy", sizeof(cloche_py_policy), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, policy_slots};

/* ---- Account ---- */

static PyObject *account_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  static char *keywords[] = {"saved", NULL};
  const char *saved = NULL;
  Py_ssize_t len;
  if (!PyArg_ParseTupleAndKeywords(args, names, "|s#:Account", keywords, &saved, &len)) return NULL;
  cloche_account *account;
  cloche_status status = saved == NULL
                             ? cloche_account_new(NULL, &account)
                             : cloche_account_restore((cloche_text){saved, (size_t)len}, &account);
  if (status != CLOCHE_OK) return cloche_py_fail(status, "");
  cloche_py_account *self = (cloche_py_account *)PyType_GenericAlloc(type, 0);
  if (self == NULL) {
    cloche_account_free(account);
    return NULL;
  }
  self->account = account;
  self->generation = cloche_py_generation();
  return (PyObject *)self;
}

static void account_dealloc(PyObject *self) {
  cloche_account_free(((cloche_py_account *)self)->account);
  let_go(self);
}

static PyObject *account_calls(PyObject *self, PyObject *key) {
  cloche_py_account *account = (cloche_py_account *)self;
  Py_ssize_t len;
  const char *at = PyUnicode_AsUTF8AndSize(key, &len);
  if (at == NULL || !cloche_py_is_ours(account->generation, "account")) return NULL;
  return PyLong_FromUnsignedLongLong(
      cloche_account_calls(account->account, (cloche_text){at, (size_t)len}));
}

static PyObject *account_save(PyObject *self, PyObject *none) {
  cloche_py_account *account = (cloche_py_account *)self;
  char *json;
  size_t len;
  (void)none;
  if (!cloche_py_is_ours(account->generation, "account")) return NULL;
  cloche_status status = cloche_account_save(account->account, &json, &len);
  return status == CLOCHE_OK ? take_text(json, len) : cloche_py_fail(status, "");
}

static PyMethodDef account_methods[] = {
    {"calls", account_calls, METH_O, "Calls charged to a budget so far."},
    {"save", account_save, METH_NOARGS, "What was spent, as JSON for Account(saved=...)."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot account_slots[] = {
    {Py_tp_doc, "Account(saved=None): what has been spent; sandboxes may share one."},
    {Py_tp_new, account_new},
    {Py_tp_dealloc, account_dealloc},
    {Py_tp_methods, account_methods},
    {0, NULL},
};
PyType_Spec cloche_py_account_spec = {"cloche._cloche.Account", sizeof(cloche_py_account), 0,
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, account_slots};

/* ---- decisions ---- */

PyObject *cloche_py_decision(const cloche_decision *decision) {
  static const char *const effects[] = {"deny", "allow", "ask"};
  PyObject *params =
      decision->params.len > 0 ? cloche_py_read(decision->params) : Py_NewRef(Py_None);
  if (params == NULL) return NULL;
  return Py_BuildValue(
      "{s:s,s:s,s:N,s:N,s:N,s:N,s:s,s:s,s:s,s:s,s:I}", "effect", effects[decision->effect], "code",
      cloche_code_text(decision->code), "method", cloche_py_str(decision->method), "params", params,
      "rule", cloche_py_str(decision->rule), "reason", cloche_py_str(decision->reason), "param",
      decision->param, "expected", decision->expected, "got", decision->got, "message",
      decision->message, "approve_up_to", (unsigned)decision->approve_up_to);
}

PyObject *cloche_py_check(cloche_gate *gate, PyObject *args) {
  const char *method;
  Py_ssize_t len;
  PyObject *params, *now = Py_None;
  if (!PyArg_ParseTuple(args, "s#O|O", &method, &len, &params, &now)) return NULL;
  cloche_py_text json = {0};
  PyObject *found = NULL;
  cloche_question question = {.method = {method, (size_t)len}, .now = cloche_py_now()};
  if (now != Py_None) question.now = PyLong_AsLongLong(now);
  if (!PyErr_Occurred() && cloche_py_write(&json, params)) {
    cloche_decision decision;
    question.params = cloche_py_view(&json);
    cloche_status status = cloche_gate_check(gate, &question, &decision);
    found = status == CLOCHE_OK || status == CLOCHE_E_JSON ? cloche_py_decision(&decision)
                                                           : cloche_py_fail(status, "");
  }
  free(json.at);
  return found;
}

/* ---- Gate ---- */

typedef struct {
  PyObject_HEAD cloche_gate *gate;
} gate_object;

static PyObject *gate_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  static char *keywords[] = {"policy", NULL};
  PyObject *from;
  if (!PyArg_ParseTupleAndKeywords(args, names, "O:Gate", keywords, &from)) return NULL;
  const cloche_policy *policy = policy_of(from);
  cloche_gate *gate;
  if (policy == NULL) return NULL;
  cloche_status status = cloche_gate_new(policy, NULL, &gate);
  if (status != CLOCHE_OK) return cloche_py_fail(status, "");
  gate_object *self = (gate_object *)PyType_GenericAlloc(type, 0);
  if (self == NULL)
    cloche_gate_free(gate);
  else
    self->gate = gate;
  return (PyObject *)self;
}

static void gate_dealloc(PyObject *self) {
  cloche_gate_free(((gate_object *)self)->gate);
  let_go(self);
}

static PyObject *gate_check(PyObject *self, PyObject *args) {
  return cloche_py_check(((gate_object *)self)->gate, args);
}

static PyMethodDef gate_methods[] = {
    {"check", gate_check, METH_VARARGS,
     "check(method, params, now=None): the decision on a call, as a dict; takes nothing."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot gate_slots[] = {
    {Py_tp_doc, "Gate(policy): decides calls without a sandbox."},
    {Py_tp_new, gate_new},
    {Py_tp_dealloc, gate_dealloc},
    {Py_tp_methods, gate_methods},
    {0, NULL},
};
PyType_Spec cloche_py_gate_spec = {"cloche._cloche.Gate", sizeof(gate_object), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, gate_slots};
