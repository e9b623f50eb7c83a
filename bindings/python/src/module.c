// SPDX-License-Identifier: MIT
/* module.c -- the module `_cloche`: one engine per process, errors, text. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

PyObject *cloche_py_simplify;

/* ---- the engine ---- */

static cloche_engine *engine, *workers; /* under Python's lock */
static unsigned generation;             /* counts forks on the way to this process */

/* The parent's locks may be held in a child for ever, so it starts with an engine of its own. */
static void after_fork(void) {
  engine = workers = NULL;
  generation++;
}

unsigned cloche_py_generation(void) {
  return generation;
}

bool cloche_py_is_ours(unsigned made, const char *what) {
  if (made == generation) return true;
  PyErr_Format(PyExc_RuntimeError,
               "this %s was made before the process forked; make a new one in the child", what);
  return false;
}

cloche_engine *cloche_py_engine(const char *worker) {
  cloche_engine **place = worker == NULL ? &engine : &workers;
  cloche_engine_options options = {0};
  if (*place != NULL) return *place;
  if (worker != NULL) {
    options.isolation = CLOCHE_ISOLATE_PROCESS;
    options.worker = worker;
  }
  cloche_status status = cloche_engine_new(&options, place);
  if (status == CLOCHE_OK) return *place;
  *place = NULL;
  cloche_py_fail(status, "the engine could not be made");
  return NULL;
}

/* ---- errors ---- */

PyObject *cloche_py_fail(cloche_status status, const char *detail) {
  PyObject *kind =
      status == CLOCHE_E_SYSTEM ? PyExc_OSError
      : status == CLOCHE_E_ARGUMENT || status == CLOCHE_E_JSON || status == CLOCHE_E_TEXT ||
              status == CLOCHE_E_POLICY || status == CLOCHE_E_FORMAT || status == CLOCHE_E_IMAGE ||
              status == CLOCHE_E_VERSION || status == CLOCHE_E_KEY || status == CLOCHE_E_ACCOUNT
          ? PyExc_ValueError
          : PyExc_RuntimeError;
  if (status == CLOCHE_E_MEMORY) return PyErr_NoMemory();
  if (status == CLOCHE_E_SYSTEM && *detail == '\0') return PyErr_SetFromErrno(PyExc_OSError);
  return PyErr_Format(kind, "%s%s%s", detail, *detail == '\0' ? "" : ": ",
                      cloche_status_text(status));
}

/* ---- text ---- */

PyObject *cloche_py_str(cloche_text text) {
  return PyUnicode_DecodeUTF8(text.at == NULL ? "" : text.at, (Py_ssize_t)text.len, "replace");
}

bool cloche_py_take(PyObject *from, cloche_py_bytes *bytes) {
  *bytes = (cloche_py_bytes){0};
  Py_ssize_t len;
  if (from == Py_None) return true;
  if (PyUnicode_Check(from)) {
    const char *at = PyUnicode_AsUTF8AndSize(from, &len);
    bytes->text = (cloche_text){at, (size_t)len};
    return at != NULL;
  }
  if (PyObject_GetBuffer(from, &bytes->buffer, PyBUF_SIMPLE) != 0) return false;
  bytes->held = true;
  bytes->text = (cloche_text){bytes->buffer.buf, (size_t)bytes->buffer.len};
  return true;
}

void cloche_py_release(cloche_py_bytes *bytes) {
  if (bytes->held) PyBuffer_Release(&bytes->buffer);
  bytes->held = false;
}

/* ---- functions ---- */

static PyObject *dumps(PyObject *module, PyObject *value) {
  cloche_py_text text = {0};
  (void)module;
  PyObject *json = cloche_py_write(&text, value)
                       ? PyUnicode_DecodeUTF8(text.at, (Py_ssize_t)text.len, "strict")
                       : NULL;
  free(text.at);
  return json;
}

static PyObject *loads(PyObject *module, PyObject *from) {
  cloche_py_bytes bytes;
  (void)module;
  if (!cloche_py_take(from, &bytes)) return NULL;
  PyObject *value = cloche_py_read(bytes.text);
  cloche_py_release(&bytes);
  return value;
}

static PyObject *javascript_has(PyObject *module, PyObject *name) {
  Py_ssize_t len;
  (void)module;
  const char *at = PyUnicode_AsUTF8AndSize(name, &len);
  return at == NULL ? NULL : PyBool_FromLong(cloche_javascript_has((cloche_text){at, (size_t)len}));
}

static PyObject *set_simplify(PyObject *module, PyObject *function) {
  (void)module;
  PyObject *old = cloche_py_simplify;
  cloche_py_simplify = Py_NewRef(function);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

static PyObject *image(PyObject *module, PyObject *none) {
  (void)module;
  (void)none;
  cloche_engine *own = cloche_py_engine(NULL);
  return own == NULL ? NULL : PyUnicode_FromString(cloche_engine_image(own));
}

static PyMethodDef functions[] = {
    {"dumps", dumps, METH_O, "A value as JSON text."},
    {"loads", loads, METH_O, "JSON text as a value; integers are exact."},
    {"javascript_has", javascript_has, METH_O,
     "Whether a JavaScript program uses the name for something else than a tool."},
    {"set_simplify", set_simplify, METH_O,
     "Sets the function that says what to write for a value that JSON does not know."},
    {"restore", (PyCFunction)(void (*)(void))cloche_py_restore, METH_VARARGS | METH_KEYWORDS,
     "A Box from the bytes of a snapshot."},
    {"snapshot_info", cloche_py_snapshot_info, METH_VARARGS,
     "snapshot_info(snapshot, key=None, audience=''): what can be said about one, a dict."},
    {"public_key", cloche_py_public_key, METH_VARARGS, "public_key(seed): ed25519, 32 bytes."},
    {"sign", cloche_py_sign, METH_VARARGS, "sign(seed, message): 64 bytes."},
    {"verify", cloche_py_verify, METH_VARARGS, "verify(public_key, message, signature): bool."},
    {"image", image, METH_NOARGS, "The name of the image, 64 hexadecimal digits."},
    {NULL, NULL, 0, NULL},
};

/* ---- the module ---- */

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type) {
  *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  return *type == NULL ? -1 : PyModule_AddType(module, *type);
}

/* Handles refer to the process's one engine, so there is one module per process. */
static int fill(PyObject *module) {
  static bool filled;
  if (filled) {
    PyErr_SetString(PyExc_ImportError,
                    "cloche cannot be loaded twice into one process, as by a "
                    "sub-interpreter");
    return -1;
  }
  filled = true;
  pthread_atfork(NULL, NULL, after_fork);
  return add_type(module, &cloche_py_policy_spec, &cloche_py_policy_type) != 0 ||
                 add_type(module, &cloche_py_account_spec, &cloche_py_account_type) != 0 ||
                 add_type(module, &cloche_py_gate_spec, &cloche_py_gate_type) != 0 ||
                 add_type(module, &cloche_py_ledger_spec, &cloche_py_ledger_type) != 0 ||
                 add_type(module, &cloche_py_box_spec, &cloche_py_box_type) != 0 ||
                 PyModule_AddStringConstant(module, "version", cloche_version()) != 0
             ? -1
             : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};
static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "cloche._cloche",
    .m_doc = "libcloche for Python, bare. Use the package `cloche`.",
    .m_methods = functions,
    .m_slots = slots,
};

__attribute__((visibility("default"))) PyObject *PyInit__cloche(void) {
  return PyModuleDef_Init(&definition);
}
