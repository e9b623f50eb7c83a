// SPDX-License-Identifier: MIT
/* sign.c -- ed25519, for signed grants: libsodium, which the library uses too. */
#include <sodium.h>

#include "module.h"

static bool is_length(Py_ssize_t len, Py_ssize_t wanted, const char *what) {
  if (len == wanted) return true;
  PyErr_Format(PyExc_ValueError, "%s has %zd bytes, not %zd", what, wanted, len);
  return false;
}

static bool read_key(const char *seed, Py_ssize_t len, unsigned char public[32],
                     unsigned char secret[64]) {
  if (!is_length(len, crypto_sign_SEEDBYTES, "a seed")) return false;
  if (sodium_init() < 0) {
    PyErr_SetString(PyExc_RuntimeError, "libsodium could not start");
    return false;
  }
  crypto_sign_seed_keypair(public, secret, (const unsigned char *)seed);
  return true;
}

PyObject *cloche_py_public_key(PyObject *module, PyObject *args) {
  const char *seed;
  Py_ssize_t len;
  unsigned char public[32], secret[64];
  (void)module;
  if (!PyArg_ParseTuple(args, "y#", &seed, &len) || !read_key(seed, len, public, secret))
    return NULL;
  sodium_memzero(secret, sizeof secret);
  return PyBytes_FromStringAndSize((const char *)public, sizeof public);
}

PyObject *cloche_py_sign(PyObject *module, PyObject *args) {
  const char *seed, *message;
  Py_ssize_t seed_len, len;
  unsigned char public[32], secret[64], signature[64];
  (void)module;
  if (!PyArg_ParseTuple(args, "y#y#", &seed, &seed_len, &message, &len) ||
      !read_key(seed, seed_len, public, secret))
    return NULL;
  crypto_sign_detached(signature, NULL, (const unsigned char *)message, (unsigned long long)len,
                       secret);
  sodium_memzero(secret, sizeof secret);
  return PyBytes_FromStringAndSize((const char *)signature, sizeof signature);
}

PyObject *cloche_py_verify(PyObject *module, PyObject *args) {
  const char *public, *message, *signature;
  Py_ssize_t public_len, len, signature_len;
  (void)module;
  if (!PyArg_ParseTuple(args, "y#y#y#", &public, &public_len, &message, &len, &signature,
                        &signature_len) ||
      !is_length(public_len, 32, "a public key"))
    return NULL;
  bool sound =
      signature_len == 64 &&
      crypto_sign_verify_detached((const unsigned char *)signature, (const unsigned char *)message,
                                  (unsigned long long)len, (const unsigned char *)public) == 0;
  return PyBool_FromLong(sound);
}
