// SPDX-License-Identifier: MIT
/* json_write.c -- Python values as JSON.
 *
 * None, bool, int of any size, finite float, str, list, tuple, and dict with str or int keys. For
 * everything else cloche_py_simplify says what to write instead. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

enum { DEPTH = 512 }; /* what the host reads, too */

static bool room_for(cloche_py_text *text, size_t more) {
  if (text->room - text->len >= more) return true;
  size_t room = text->room * 2 + more + 64;
  char *grown = realloc(text->at, room);
  if (grown == NULL) {
    PyErr_NoMemory();
    return false;
  }
  text->at = grown;
  text->room = room;
  return true;
}

static bool put(cloche_py_text *text, const char *at, size_t len) {
  if (!room_for(text, len)) return false;
  memcpy(text->at + text->len, at, len);
  text->len += len;
  return true;
}

static bool put_string(cloche_py_text *text, const char *at, size_t len) {
  static const char digits[] = "0123456789abcdef";
  if (!room_for(text, len * 6 + 2)) return false;
  char *to = text->at + text->len;
  *to++ = '"';
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)at[i];
    if (c == '"' || c == '\\') {
      *to++ = '\\';
      *to++ = (char)c;
    } else if (c >= 0x20) {
      *to++ = (char)c;
    } else {
      memcpy(to, "\\u00", 4);
      to[4] = digits[c >> 4];
      to[5] = digits[c & 15];
      to += 6;
    }
  }
  *to++ = '"';
  text->len = (size_t)(to - text->at);
  return true;
}

static bool put_str(cloche_py_text *text, PyObject *value) {
  Py_ssize_t len;
  const char *at = PyUnicode_AsUTF8AndSize(value, &len);
  return at != NULL && put_string(text, at, (size_t)len);
}

static bool put_int(cloche_py_text *text, PyObject *value, bool quoted) {
  int overflow;
  char digits[40];
  long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (small == -1 && PyErr_Occurred()) return false;
  if (overflow == 0) {
    int len = snprintf(digits, sizeof digits, quoted ? "\"%lld\"" : "%lld", small);
    return put(text, digits, (size_t)len);
  }
  PyObject *decimal = PyNumber_ToBase(value, 10);
  if (decimal == NULL) return false;
  Py_ssize_t len;
  const char *at = PyUnicode_AsUTF8AndSize(decimal, &len);
  bool done = at != NULL && (!quoted || put(text, "\"", 1)) && put(text, at, (size_t)len) &&
              (!quoted || put(text, "\"", 1));
  Py_DECREF(decimal);
  return done;
}

static bool put_float(cloche_py_text *text, PyObject *value) {
  double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) return false;
  if (number - number != 0) {
    PyErr_SetString(PyExc_ValueError, "JSON has no infinite numbers and no NaN");
    return false;
  }
  char *digits = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
  if (digits == NULL) return false;
  bool done = put(text, digits, strlen(digits));
  PyMem_Free(digits);
  return done;
}

static bool write_value(cloche_py_text *text, PyObject *value, int depth);

static bool put_list(cloche_py_text *text, PyObject *list, int depth) {
  bool is_list = PyList_Check(list);
  if (!put(text, "[", 1)) return false;
  for (Py_ssize_t i = 0;; i++) { /* what is written may run code that changes the list */
    Py_ssize_t count = is_list ? PyList_Size(list) : PyTuple_Size(list);
    if (i >= count) return put(text, "]", 1);
    PyObject *item = is_list ? PyList_GetItem(list, i) : PyTuple_GetItem(list, i);
    if (item == NULL || (i > 0 && !put(text, ",", 1))) return false;
    Py_INCREF(item);
    bool done = write_value(text, item, depth);
    Py_DECREF(item);
    if (!done) return false;
  }
}

static bool put_key(cloche_py_text *text, PyObject *key) {
  if (PyUnicode_Check(key)) return put_str(text, key) && put(text, ":", 1);
  if (PyLong_Check(key) && !PyBool_Check(key)) return put_int(text, key, true) && put(text, ":", 1);
  PyErr_Format(PyExc_TypeError, "keys of an object are strings, not %R", key);
  return false;
}

static bool put_dict(cloche_py_text *text, PyObject *dict, int depth) {
  PyObject *key, *value;
  Py_ssize_t at = 0, size = PyDict_Size(dict);
  if (!put(text, "{", 1)) return false;
  for (bool first = true; PyDict_Next(dict, &at, &key, &value); first = false) {
    Py_INCREF(key);
    Py_INCREF(value);
    bool done =
        (first || put(text, ",", 1)) && put_key(text, key) && write_value(text, value, depth);
    Py_DECREF(key);
    Py_DECREF(value);
    if (!done) return false;
    if (PyDict_Size(dict) != size) {
      PyErr_SetString(PyExc_RuntimeError, "the dict changed while it was written");
      return false;
    }
  }
  return put(text, "}", 1);
}

static bool put_other(cloche_py_text *text, PyObject *value, int depth) {
  if (cloche_py_simplify == NULL) {
    PyErr_Format(PyExc_TypeError, "%R cannot be written as JSON", (PyObject *)Py_TYPE(value));
    return false;
  }
  PyObject *simple = PyObject_CallFunctionObjArgs(cloche_py_simplify, value, NULL);
  if (simple == NULL) return false;
  bool done;
  if (PyBytes_Check(simple)) { /* JSON already: a number that no float holds */
    char *at;
    Py_ssize_t len;
    done = PyBytes_AsStringAndSize(simple, &at, &len) == 0 && put(text, at, (size_t)len);
  } else {
    done = write_value(text, simple, depth);
  }
  Py_DECREF(simple);
  return done;
}

static bool write_value(cloche_py_text *text, PyObject *value, int depth) {
  if (value == Py_None) return put(text, "null", 4);
  if (PyBool_Check(value)) return value == Py_True ? put(text, "true", 4) : put(text, "false", 5);
  if (PyUnicode_Check(value)) return put_str(text, value);
  if (PyLong_Check(value)) return put_int(text, value, false);
  if (PyFloat_Check(value)) return put_float(text, value);
  if (depth >= DEPTH) {
    PyErr_SetString(PyExc_ValueError, "the value is nested too deep for JSON, or holds itself");
    return false;
  }
  if (PyDict_Check(value)) return put_dict(text, value, depth + 1);
  if (PyList_Check(value) || PyTuple_Check(value)) return put_list(text, value, depth + 1);
  return put_other(text, value, depth + 1);
}

bool cloche_py_write(cloche_py_text *text, PyObject *value) {
  return write_value(text, value, 0);
}
