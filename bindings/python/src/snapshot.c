// SPDX-License-Identifier: MIT
/* snapshot.c -- a Box as bytes, and a Box from them. */
#include <stdlib.h>

#include "module.h"

static bool read_opening(const char *key, Py_ssize_t key_len, const char *audience,
                         Py_ssize_t audience_len, cloche_snapshot_options *options) {
  if (key != NULL && key_len != 32) {
    PyErr_SetString(PyExc_ValueError, "a key is 32 bytes");
    return false;
  }
  *options = (cloche_snapshot_options){.key = (const uint8_t *)key,
                                       .audience = {audience, (size_t)audience_len}};
  return true;
}

PyObject *cloche_py_snapshot(PyObject *object, PyObject *args) {
  cloche_py_box *self = (cloche_py_box *)object;
  const char *key = NULL, *audience = "";
  Py_ssize_t key_len = 0, audience_len = 0;
  cloche_snapshot_options options;
  if (!PyArg_ParseTuple(args, "|z#s#", &key, &key_len, &audience, &audience_len) ||
      !read_opening(key, key_len, audience, audience_len, &options) || !cloche_py_box_is_free(self))
    return NULL;
  char *bytes;
  size_t len;
  cloche_status status;
  CLOCHE_PY_WITHOUT_LOCK(self, status = cloche_snapshot(self->box, &options, &bytes, &len));
  if (status != CLOCHE_OK) return cloche_py_box_fail(self, status);
  PyObject *found = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)len);
  free(bytes);
  return found;
}

/* checkpoint(name), rollback(name), checkpoint_drop(name): one text, nothing back. */
static PyObject *name_state(PyObject *object, PyObject *name,
                            cloche_status (*act)(cloche_sandbox *, cloche_text)) {
  cloche_py_box *self = (cloche_py_box *)object;
  Py_ssize_t len;
  const char *at = PyUnicode_AsUTF8AndSize(name, &len);
  if (at == NULL || !cloche_py_box_is_free(self)) return NULL;
  cloche_status status;
  cloche_text text = {at, (size_t)len};
  CLOCHE_PY_WITHOUT_LOCK(self, status = act(self->box, text));
  if (status == CLOCHE_E_UNKNOWN) {
    PyErr_SetObject(PyExc_KeyError, name);
    return NULL;
  }
  if (status != CLOCHE_OK) return cloche_py_box_fail(self, status);
  Py_RETURN_NONE;
}

PyObject *cloche_py_checkpoint(PyObject *box, PyObject *name) {
  return name_state(box, name, cloche_checkpoint);
}
PyObject *cloche_py_rollback(PyObject *box, PyObject *name) {
  return name_state(box, name, cloche_rollback);
}
PyObject *cloche_py_checkpoint_drop(PyObject *box, PyObject *name) {
  return name_state(box, name, cloche_checkpoint_drop);
}

PyObject *cloche_py_restore(PyObject *module, PyObject *args, PyObject *names) {
  static char *keywords[] = {"snapshot", "key",  "audience", "trusted", "policy", "account",
                             "ledger",   "name", "limits",   "worker",  NULL};
  const char *bytes, *key = NULL, *audience = "", *name = "", *worker = NULL;
  Py_ssize_t len, key_len = 0, audience_len = 0, name_len = 0;
  PyObject *policy = Py_None, *account = Py_None, *ledger = Py_None, *limits = Py_None;
  int trusted = 0;
  cloche_restore_options options = {0};
  cloche_py_walls walls = {0};
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(args, names, "y#|z#s#pOOOs#Oz:restore", keywords, &bytes, &len,
                                   &key, &key_len, &audience, &audience_len, &trusted, &policy,
                                   &account, &ledger, &name, &name_len, &limits, &worker) ||
      !read_opening(key, key_len, audience, audience_len, &options.opening) ||
      !cloche_py_read_walls(policy, account, ledger, &walls) ||
      (limits != Py_None && !cloche_py_read_limits(limits, &options.limits)))
    return NULL;
  options.policy = walls.policy;
  options.account = walls.account;
  options.ledger = walls.ledger;
  options.trusted = trusted != 0;
  options.name = (cloche_text){name, (size_t)name_len};
  cloche_engine *engine = cloche_py_engine(worker);
  cloche_sandbox *box;
  cloche_status status;
  if (engine == NULL) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = cloche_restore(engine, (cloche_text){bytes, (size_t)len}, &options, &box);
  Py_END_ALLOW_THREADS;
  return status == CLOCHE_OK ? cloche_py_box_wrap(box, ledger) : cloche_py_box_fail(NULL, status);
}

PyObject *cloche_py_snapshot_info(PyObject *module, PyObject *args) {
  const char *bytes, *key = NULL, *audience = "";
  Py_ssize_t len, key_len = 0, audience_len = 0;
  cloche_snapshot_options options;
  char *json;
  size_t json_len;
  (void)module;
  if (!PyArg_ParseTuple(args, "y#|z#s#", &bytes, &len, &key, &key_len, &audience, &audience_len) ||
      !read_opening(key, key_len, audience, audience_len, &options))
    return NULL;
  cloche_status status =
      cloche_snapshot_info((cloche_text){bytes, (size_t)len}, &options, &json, &json_len);
  if (status != CLOCHE_OK) return cloche_py_fail(status, "");
  PyObject *info = cloche_py_read((cloche_text){json, json_len});
  free(json);
  return info;
}
