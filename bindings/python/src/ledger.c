// SPDX-License-Identifier: MIT
/* ledger.c -- Ledger: the lines of a ledger, kept in memory for Python to read, or in a file.
 *
 * Lines come while a sandbox is stepped, without Python's lock; so they are kept in C, the newest
 * `keep` of them, and read from there. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

PyTypeObject *cloche_py_ledger_type;

typedef struct {
  char *at;
  size_t len;
} line;

typedef struct { /* a ring */
  pthread_mutex_t lock;
  line *lines;
  size_t keep, first, count;
  uint64_t next; /* number of the line after the last */
} kept;

struct cloche_py_ledger {
  PyObject_HEAD cloche_ledger *ledger;
  kept *kept; /* NULL: it is a file */
  unsigned generation;
};

static bool keep_line(void *self, const char *at, size_t len) {
  kept *k = self;
  char *copy = malloc(len);
  if (copy == NULL) {
    errno = ENOMEM;
    return false;
  }
  memcpy(copy, at, len);
  pthread_mutex_lock(&k->lock);
  line *place = &k->lines[(k->first + k->count) % k->keep];
  if (k->count == k->keep) {
    free(place->at);
    k->first = (k->first + 1) % k->keep;
  } else {
    k->count++;
  }
  *place = (line){copy, len};
  k->next++;
  pthread_mutex_unlock(&k->lock);
  return true;
}

static void free_kept(void *self) {
  kept *k = self;
  for (size_t i = 0; i < k->count; i++) free(k->lines[(k->first + i) % k->keep].at);
  pthread_mutex_destroy(&k->lock);
  free(k->lines);
  free(k);
}

static kept *new_kept(size_t keep) {
  kept *k = calloc(1, sizeof *k);
  if (k == NULL) return NULL;
  k->lines = calloc(keep, sizeof *k->lines);
  if (k->lines == NULL) {
    free(k);
    return NULL;
  }
  k->keep = keep;
  pthread_mutex_init(&k->lock, NULL);
  return k;
}

static bool read_detail(const char *text, cloche_ledger_detail *detail) {
  static const char *const names[] = {"full", "hash", "none"};
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *detail = (cloche_ledger_detail)i;
      return true;
    }
  PyErr_Format(PyExc_ValueError, "detail is \"full\", \"hash\" or \"none\", not \"%s\"", text);
  return false;
}

static bool read_sync(const char *text, cloche_ledger_sync *sync) {
  static const char *const names[] = {"none", "group", "call"};
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *sync = (cloche_ledger_sync)i;
      return true;
    }
  PyErr_Format(PyExc_ValueError, "sync is \"none\", \"group\" or \"call\", not \"%s\"", text);
  return false;
}

static PyObject *open_failed(cloche_status status, const char *path) {
  if (status != CLOCHE_E_SYSTEM) return cloche_py_fail(status, path == NULL ? "" : path);
  return path == NULL ? PyErr_SetFromErrno(PyExc_OSError)
                      : PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
}

static PyObject *ledger_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  static char *keywords[] = {"path", "keep", "sync", "params", "results", "inputs", NULL};
  PyObject *encoded = NULL;
  Py_ssize_t keep = 10000;
  const char *sync = "none", *params = "full", *results = "full", *inputs = "full";
  cloche_ledger_options options = {0};
  PyObject *where = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, names, "|Onssss:Ledger", keywords, &where, &keep, &sync,
                                   &params, &results, &inputs) ||
      !read_sync(sync, &options.sync) || !read_detail(params, &options.params) ||
      !read_detail(results, &options.results) || !read_detail(inputs, &options.inputs))
    return NULL;
  if (keep < 1) return PyErr_Format(PyExc_ValueError, "keep is at least 1");
  if (where != Py_None && !PyUnicode_FSConverter(where, &encoded)) return NULL;
  const char *path = encoded == NULL ? NULL : PyBytes_AsString(encoded);
  kept *k = path == NULL ? new_kept((size_t)keep) : NULL;
  cloche_ledger_sink sink = {.self = k, .write = keep_line, .close = free_kept};
  cloche_ledger *ledger;
  cloche_status status = path != NULL ? cloche_ledger_file(path, &options, &ledger)
                         : k == NULL  ? CLOCHE_E_MEMORY
                                      : cloche_ledger_new(&sink, &options, &ledger);
  cloche_py_ledger *self = NULL;
  if (status != CLOCHE_OK)
    open_failed(status, path);
  else if ((self = (cloche_py_ledger *)PyType_GenericAlloc(type, 0)) == NULL)
    cloche_ledger_free(ledger);
  if (self != NULL) {
    self->ledger = ledger;
    self->kept = k;
    self->generation = cloche_py_generation();
  }
  Py_XDECREF(encoded);
  return (PyObject *)self;
}

static void ledger_dealloc(PyObject *self) {
  cloche_py_ledger *ledger = (cloche_py_ledger *)self;
  PyTypeObject *type = Py_TYPE(self);
  /* A forked child's copy belongs to its parent: its lock may be held for ever. */
  if (ledger->generation == cloche_py_generation()) cloche_ledger_free(ledger->ledger);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

cloche_ledger *cloche_py_ledger_of(PyObject *object) {
  if (!PyObject_TypeCheck(object, cloche_py_ledger_type)) {
    PyErr_Format(PyExc_TypeError, "a Ledger is wanted, not %R", (PyObject *)Py_TYPE(object));
    return NULL;
  }
  cloche_py_ledger *self = (cloche_py_ledger *)object;
  return cloche_py_is_ours(self->generation, "ledger") ? self->ledger : NULL;
}

static PyObject *ledger_lines(PyObject *object, PyObject *args) {
  cloche_py_ledger *self = (cloche_py_ledger *)object;
  unsigned long long from = 0;
  if (!PyArg_ParseTuple(args, "|K", &from) || !cloche_py_is_ours(self->generation, "ledger"))
    return NULL;
  if (self->kept == NULL) return PyErr_Format(PyExc_ValueError, "this ledger is a file; read it");
  PyObject *lines = PyList_New(0);
  if (lines == NULL) return NULL;
  kept *k = self->kept;
  bool sound = true;
  pthread_mutex_lock(&k->lock);
  for (size_t i = 0; i < k->count && sound; i++) {
    if (k->next - k->count + i < from) continue;
    line *at = &k->lines[(k->first + i) % k->keep];
    PyObject *bytes = PyBytes_FromStringAndSize(at->at, (Py_ssize_t)at->len);
    sound = bytes != NULL && PyList_Append(lines, bytes) == 0;
    Py_XDECREF(bytes);
  }
  uint64_t next = k->next;
  pthread_mutex_unlock(&k->lock);
  if (sound) return Py_BuildValue("(NK)", lines, (unsigned long long)next);
  Py_DECREF(lines);
  return NULL;
}

static PyObject *ledger_lost(PyObject *object, PyObject *none) {
  cloche_ledger *ledger = cloche_py_ledger_of(object);
  uint64_t lost = 0;
  (void)none;
  if (ledger == NULL) return NULL;
  cloche_ledger_state(ledger, &lost);
  return PyLong_FromUnsignedLongLong(lost);
}

static PyMethodDef ledger_methods[] = {
    {"lines", ledger_lines, METH_VARARGS,
     "lines(start=0): (lines from number `start` on that are still kept, the next number)."},
    {"lost", ledger_lost, METH_NOARGS, "Records that could not be written."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot ledger_slots[] = {
    {Py_tp_doc,
     "Ledger(path=None, keep=10000, sync='none', params='full', results='full', inputs='full')"},
    {Py_tp_new, ledger_new},
    {Py_tp_dealloc, ledger_dealloc},
    {Py_tp_methods, ledger_methods},
    {0, NULL},
};
PyType_Spec cloche_py_ledger_spec = {"cloche._cloche.Ledger", sizeof(cloche_py_ledger), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, ledger_slots};
