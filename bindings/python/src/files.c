// SPDX-License-Identifier: MIT
/* files.c -- the files of a Box, between its runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

/* A path as str, bytes or path-like, kept alive by *held. */
static bool read_path(PyObject *from, PyObject **held, cloche_text *path) {
  char *at;
  Py_ssize_t len;
  if (!PyUnicode_FSConverter(from, held)) return false;
  if (PyBytes_AsStringAndSize(*held, &at, &len) != 0) {
    Py_CLEAR(*held);
    return false;
  }
  *path = (cloche_text){at, (size_t)len};
  return true;
}

static PyObject *name_of(cloche_text text) {
  return PyUnicode_DecodeFSDefaultAndSize(text.at == NULL ? "" : text.at, (Py_ssize_t)text.len);
}

/* FileNotFoundError and so on, with the sandbox's path. */
static PyObject *fail(const cloche_py_box *self, cloche_status status, cloche_text path) {
  if (status != CLOCHE_E_FILE) return cloche_py_box_fail(self, status);
  int number = cloche_file_errno(self->box);
  PyObject *name = name_of(path);
  PyObject *error =
      name == NULL ? NULL
                   : PyObject_CallFunction(PyExc_OSError, "isO", number, strerror(number), name);
  Py_XDECREF(name);
  if (error == NULL) return NULL;
  PyErr_SetObject((PyObject *)Py_TYPE(error), error);
  Py_DECREF(error);
  return NULL;
}

typedef cloche_status (*with_path)(cloche_sandbox *, cloche_text);
typedef cloche_status (*with_bytes)(cloche_sandbox *, cloche_text, cloche_text);
typedef cloche_status (*gives_bytes)(cloche_sandbox *, cloche_text, char **, size_t *);

static PyObject *do_path(PyObject *object, PyObject *from, with_path act) {
  cloche_py_box *self = (cloche_py_box *)object;
  PyObject *held = NULL;
  cloche_text path;
  cloche_status status;
  if (!cloche_py_box_is_free(self) || !read_path(from, &held, &path)) return NULL;
  CLOCHE_PY_WITHOUT_LOCK(self, status = act(self->box, path));
  PyObject *done = status == CLOCHE_OK ? Py_NewRef(Py_None) : fail(self, status, path);
  Py_DECREF(held);
  return done;
}

static PyObject *do_bytes(PyObject *object, PyObject *args, with_bytes act) {
  cloche_py_box *self = (cloche_py_box *)object;
  PyObject *from, *data, *held = NULL, *done = NULL;
  cloche_text path;
  cloche_py_bytes bytes;
  if (!PyArg_ParseTuple(args, "OO", &from, &data) || !cloche_py_box_is_free(self) ||
      !read_path(from, &held, &path))
    return NULL;
  if (cloche_py_take(data, &bytes)) {
    cloche_status status;
    CLOCHE_PY_WITHOUT_LOCK(self, status = act(self->box, path, bytes.text));
    done = status == CLOCHE_OK ? Py_NewRef(Py_None) : fail(self, status, path);
    cloche_py_release(&bytes);
  }
  Py_DECREF(held);
  return done;
}

static PyObject *get_bytes(PyObject *object, PyObject *from, gives_bytes act) {
  cloche_py_box *self = (cloche_py_box *)object;
  PyObject *held = NULL, *found;
  cloche_text path;
  cloche_status status;
  char *bytes;
  size_t len;
  if (!cloche_py_box_is_free(self) || !read_path(from, &held, &path)) return NULL;
  CLOCHE_PY_WITHOUT_LOCK(self, status = act(self->box, path, &bytes, &len));
  if (status == CLOCHE_OK) {
    found = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)len);
    free(bytes);
  } else {
    found = fail(self, status, path);
  }
  Py_DECREF(held);
  return found;
}

PyObject *cloche_py_file_put(PyObject *box, PyObject *args) {
  return do_bytes(box, args, cloche_file_put);
}
PyObject *cloche_py_file_import(PyObject *box, PyObject *args) {
  return do_bytes(box, args, cloche_file_import);
}
PyObject *cloche_py_file_get(PyObject *box, PyObject *path) {
  return get_bytes(box, path, cloche_file_get);
}
PyObject *cloche_py_file_export(PyObject *box, PyObject *path) {
  return get_bytes(box, path, cloche_file_export);
}
PyObject *cloche_py_file_mkdir(PyObject *box, PyObject *path) {
  return do_path(box, path, cloche_file_mkdir);
}
PyObject *cloche_py_file_remove(PyObject *box, PyObject *path) {
  return do_path(box, path, cloche_file_remove);
}

PyObject *cloche_py_mount(PyObject *object, PyObject *args) {
  cloche_py_box *self = (cloche_py_box *)object;
  PyObject *host = NULL, *from, *held = NULL;
  cloche_text path;
  int writable;
  if (!PyArg_ParseTuple(args, "O&Op", PyUnicode_FSConverter, &host, &from, &writable)) {
    Py_XDECREF(host);
    return NULL;
  }
  PyObject *done = NULL;
  if (cloche_py_box_is_free(self) && read_path(from, &held, &path)) {
    cloche_mount mount = {.host = PyBytes_AsString(host), .guest = path, .writable = writable != 0};
    cloche_status status;
    int why;
    self->inside = true;
    Py_BEGIN_ALLOW_THREADS;
    status = cloche_sandbox_mount(self->box, &mount);
    why = errno;
    Py_END_ALLOW_THREADS;
    self->inside = false;
    errno = why;
    if (status == CLOCHE_OK)
      done = Py_NewRef(Py_None);
    else if (status == CLOCHE_E_SYSTEM)
      PyErr_SetFromErrnoWithFilename(PyExc_OSError, mount.host);
    else
      fail(self, status, path);
    Py_DECREF(held);
  }
  Py_DECREF(host);
  return done;
}

/* ---- looking ---- */

static const char *kind_name(cloche_file_kind kind) {
  switch (kind) {
    case CLOCHE_FILE:
      return "file";
    case CLOCHE_FOLDER:
      return "folder";
    case CLOCHE_LINK:
      return "link";
    default:
      return "device";
  }
}

static PyObject *tell_file(const cloche_file *file) {
  return Py_BuildValue("(NsIKLN)", name_of(file->name), kind_name(file->kind), (unsigned)file->mode,
                       (unsigned long long)file->size, (long long)file->mtime,
                       name_of(file->target));
}

PyObject *cloche_py_file_stat(PyObject *object, PyObject *from) {
  cloche_py_box *self = (cloche_py_box *)object;
  PyObject *held = NULL, *found;
  cloche_text path;
  cloche_status status;
  cloche_file *file;
  if (!cloche_py_box_is_free(self) || !read_path(from, &held, &path)) return NULL;
  CLOCHE_PY_WITHOUT_LOCK(self, status = cloche_file_stat(self->box, path, &file));
  if (status == CLOCHE_OK) {
    found = tell_file(file);
    free(file);
  } else {
    found = fail(self, status, path);
  }
  Py_DECREF(held);
  return found;
}

static PyObject *tell_files(const cloche_file *files, size_t count) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; i < count && list != NULL; i++) {
    PyObject *one = tell_file(&files[i]);
    if (one == NULL || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

PyObject *cloche_py_file_list(PyObject *object, PyObject *from) {
  cloche_py_box *self = (cloche_py_box *)object;
  PyObject *held = NULL, *found;
  cloche_text path;
  cloche_status status;
  cloche_file *files;
  size_t count;
  if (!cloche_py_box_is_free(self) || !read_path(from, &held, &path)) return NULL;
  CLOCHE_PY_WITHOUT_LOCK(self, status = cloche_file_list(self->box, path, &files, &count));
  if (status == CLOCHE_OK) {
    found = tell_files(files, count);
    free(files);
  } else {
    found = fail(self, status, path);
  }
  Py_DECREF(held);
  return found;
}

PyObject *cloche_py_changes(PyObject *object, PyObject *none) {
  static const char *const names[] = {"", "created", "modified", "deleted"};
  cloche_py_box *self = (cloche_py_box *)object;
  const cloche_change *changes;
  cloche_status status;
  size_t count;
  (void)none;
  if (!cloche_py_box_is_free(self)) return NULL;
  CLOCHE_PY_WITHOUT_LOCK(self, status = cloche_sandbox_changes(self->box, &changes, &count));
  if (status != CLOCHE_OK) return cloche_py_box_fail(self, status);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; i < count && list != NULL; i++) {
    PyObject *one = Py_BuildValue("(ssNKKNi)", names[changes[i].change], kind_name(changes[i].kind),
                                  name_of(changes[i].path), (unsigned long long)changes[i].size,
                                  (unsigned long long)changes[i].was,
                                  PyBool_FromLong(changes[i].written), changes[i].error);
    if (one == NULL || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}
