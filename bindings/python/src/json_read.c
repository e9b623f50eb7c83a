// SPDX-License-Identifier: MIT
/* json_read.c -- JSON as Python values.
 *
 * The host has read this JSON before, but a program's own value comes from the guest: every byte is
 * looked at, nothing is assumed. */
#include <stdlib.h>
#include <string.h>

#include "module.h"

enum { DEPTH = 600 };

typedef struct {
  const char *at, *end;
  int depth;
} reader;

static PyObject *bad(void) {
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "this is not JSON");
  return NULL;
}

static void skip_space(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
    r->at++;
}

static bool takes(reader *r, char c) {
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

/* ---- strings ---- */

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static bool read_hex(reader *r, uint32_t *code) {
  if (r->end - r->at < 4) return false;
  *code = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*r->at++);
    if (digit < 0) return false;
    *code = *code << 4 | (uint32_t)digit;
  }
  return true;
}

static char *put_utf8(char *to, uint32_t code) {
  if (code < 0x80) {
    *to++ = (char)code;
  } else if (code < 0x800) {
    *to++ = (char)(0xC0 | code >> 6);
    *to++ = (char)(0x80 | (code & 63));
  } else if (code < 0x10000) {
    *to++ = (char)(0xE0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 63));
    *to++ = (char)(0x80 | (code & 63));
  } else {
    *to++ = (char)(0xF0 | code >> 18);
    *to++ = (char)(0x80 | (code >> 12 & 63));
    *to++ = (char)(0x80 | (code >> 6 & 63));
    *to++ = (char)(0x80 | (code & 63));
  }
  return to;
}

static bool read_unicode(reader *r, char **to) {
  uint32_t code, low;
  if (!read_hex(r, &code)) return false;
  if (code >= 0xD800 && code < 0xDC00 && r->end - r->at >= 6 && r->at[0] == '\\' &&
      r->at[1] == 'u') {
    const char *back = r->at;
    r->at += 2;
    if (!read_hex(r, &low)) return false;
    if (low >= 0xDC00 && low < 0xE000)
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    else
      r->at = back;
  }
  *to = put_utf8(*to, code);
  return true;
}

/* Writes at most as many bytes as it reads. */
static bool read_escape(reader *r, char **to) {
  static const char from[] = "\"\\/bfnrt", becomes[] = "\"\\/\b\f\n\r\t";
  if (r->at == r->end) return false;
  char c = *r->at++;
  if (c == 'u') return read_unicode(r, to);
  const char *found = c == '\0' ? NULL : strchr(from, c);
  if (found == NULL) return false;
  *(*to)++ = becomes[found - from];
  return true;
}

static PyObject *decode(const char *at, size_t len) {
  return PyUnicode_DecodeUTF8(at, (Py_ssize_t)len, "surrogatepass");
}

/* After the opening quote. */
static PyObject *read_string(reader *r) {
  const char *start = r->at;
  while (r->at < r->end && *r->at != '"' && *r->at != '\\' && (unsigned char)*r->at >= 0x20)
    r->at++;
  if (r->at == r->end) return bad();
  if (*r->at == '"') return decode(start, (size_t)(r->at++ - start));
  const char *close = r->at; /* there are escapes: the text gets no longer by them */
  while (close < r->end && *close != '"') close += *close == '\\' ? 2 : 1;
  if (close >= r->end) return bad();
  char *text = malloc((size_t)(close - start) + 1), *to = text;
  if (text == NULL) return PyErr_NoMemory();
  r->at = start;
  bool sound = true;
  while (sound && r->at < r->end && *r->at != '"') {
    if (*r->at == '\\') {
      r->at++;
      sound = read_escape(r, &to);
    } else {
      sound = (unsigned char)*r->at >= 0x20;
      *to++ = *r->at++;
    }
  }
  PyObject *string = sound && takes(r, '"') ? decode(text, (size_t)(to - text)) : bad();
  free(text);
  return string;
}

/* ---- numbers ---- */

static PyObject *read_long_number(const char *at, size_t len, bool integer) {
  char *digits = malloc(len + 1);
  if (digits == NULL) return PyErr_NoMemory();
  memcpy(digits, at, len);
  digits[len] = '\0';
  PyObject *number = NULL;
  if (integer) {
    number = PyLong_FromString(digits, NULL, 10);
  } else {
    double value = PyOS_string_to_double(digits, NULL, PyExc_OverflowError);
    if (!PyErr_Occurred()) number = PyFloat_FromDouble(value);
  }
  free(digits);
  if (number == NULL && PyErr_ExceptionMatches(PyExc_OverflowError))
    PyErr_SetString(PyExc_ValueError, "a number is too large for a float");
  return number;
}

static bool is_digit(const reader *r) {
  return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool skip_digits(reader *r) {
  const char *start = r->at;
  while (is_digit(r)) r->at++;
  return r->at > start;
}

static PyObject *read_number(reader *r) {
  const char *start = r->at;
  bool integer = true;
  bool minus = takes(r, '-');
  const char *first = r->at;
  if (!skip_digits(r) || (*first == '0' && r->at - first > 1)) return bad();
  if (takes(r, '.')) {
    integer = false;
    if (!skip_digits(r)) return bad();
  }
  if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
    integer = false;
    r->at++;
    if (!takes(r, '+')) takes(r, '-');
    if (!skip_digits(r)) return bad();
  }
  size_t len = (size_t)(r->at - start);
  if (!integer || len > 18) return read_long_number(start, len, integer);
  long long value = 0;
  for (const char *at = first; at < r->at; at++) value = value * 10 + (*at - '0');
  return PyLong_FromLongLong(minus ? -value : value);
}

/* ---- values ---- */

static PyObject *read_value(reader *r);

static PyObject *read_array(reader *r) {
  PyObject *list = PyList_New(0);
  skip_space(r);
  if (list == NULL || takes(r, ']')) return list;
  for (;;) {
    PyObject *item = read_value(r);
    bool added = item != NULL && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    if (!added) break;
    skip_space(r);
    if (takes(r, ']')) return list;
    if (!takes(r, ',')) break;
  }
  Py_DECREF(list);
  return bad();
}

static bool read_member(reader *r, PyObject *dict) {
  skip_space(r);
  PyObject *key = takes(r, '"') ? read_string(r) : NULL;
  if (key == NULL) return false;
  skip_space(r);
  PyObject *value = takes(r, ':') ? read_value(r) : NULL;
  bool added = value != NULL && PyDict_SetItem(dict, key, value) == 0;
  Py_DECREF(key);
  Py_XDECREF(value);
  return added;
}

static PyObject *read_object(reader *r) {
  PyObject *dict = PyDict_New();
  skip_space(r);
  if (dict == NULL || takes(r, '}')) return dict;
  while (read_member(r, dict)) {
    skip_space(r);
    if (takes(r, '}')) return dict;
    if (!takes(r, ',')) break;
  }
  Py_DECREF(dict);
  return bad();
}

static PyObject *read_word(reader *r, const char *word, PyObject *value) {
  size_t len = strlen(word);
  if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0) return bad();
  r->at += len;
  return Py_NewRef(value);
}

static PyObject *read_nested(reader *r, PyObject *(*read)(reader *)) {
  if (r->depth == DEPTH) {
    PyErr_SetString(PyExc_ValueError, "JSON that is nested too deep");
    return NULL;
  }
  r->at++;
  r->depth++;
  PyObject *value = read(r);
  r->depth--;
  return value;
}

static PyObject *read_value(reader *r) {
  skip_space(r);
  if (r->at == r->end) return bad();
  switch (*r->at) {
    case '{':
      return read_nested(r, read_object);
    case '[':
      return read_nested(r, read_array);
    case '"':
      r->at++;
      return read_string(r);
    case 't':
      return read_word(r, "true", Py_True);
    case 'f':
      return read_word(r, "false", Py_False);
    case 'n':
      return read_word(r, "null", Py_None);
    default:
      return read_number(r);
  }
}

PyObject *cloche_py_read(cloche_text json) {
  reader r = {.at = json.at, .end = json.at + json.len};
  PyObject *value = json.len == 0 ? bad() : read_value(&r);
  if (value == NULL) return NULL;
  skip_space(&r);
  if (r.at == r.end) return value;
  Py_DECREF(value);
  return bad();
}
