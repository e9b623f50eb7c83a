// SPDX-License-Identifier: MIT
/* module.h -- what the files of the extension share.
 *
 *   module.c   the module, the engine, errors      json_read.c   JSON text -> Python values
 *   box.c      Box: a sandbox and its events       json_write.c  Python values -> JSON text
 *   policy.c   Policy, Account, Gate               ledger.c      Ledger: lines kept, or a file
 *   files.c    a Box's files                       snapshot.c    a Box as bytes, and back
 *   sign.c     signatures of grants
 *
 * Only the public C API is used, and only CPython's limited API. Nothing here decides anything.
 * Every object that refers to the engine's memory is good only in the process that made it. */
#ifndef CLOCHE_PYTHON_MODULE_H
#define CLOCHE_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <cloche.h>
#ifdef Py_GIL_DISABLED
#error "cloche relies on Python's lock: free-threaded builds of Python are not supported"
#endif

/* ---- JSON ---- */

typedef struct cloche_py_text { /* growing bytes, of malloc */
  char *at;
  size_t len, room;
} cloche_py_text;

/* A new reference, or NULL with ValueError set. Integers are exact; a number that no float holds,
 * such as 1e400, is an error. */
PyObject *cloche_py_read(cloche_text json);
/* Appends `value` as JSON. False with an exception set. */
bool cloche_py_write(cloche_py_text *text, PyObject *value);
static inline cloche_text cloche_py_view(const cloche_py_text *text) {
  return (cloche_text){text->at == NULL ? "" : text->at, text->len};
}

/* A str or bytes-like argument; `view` has to be released with cloche_py_release. */
typedef struct cloche_py_bytes {
  cloche_text text;
  Py_buffer buffer;
  bool held;
} cloche_py_bytes;
bool cloche_py_take(PyObject *from, cloche_py_bytes *bytes);
void cloche_py_release(cloche_py_bytes *bytes);
PyObject *cloche_py_str(cloche_text text); /* undecodable bytes become U+FFFD */

/* ---- module.c ---- */

/* The process's engine, or with the path of the program `cloche` the one whose guests run in
 * workers; NULL with an exception set. */
cloche_engine *cloche_py_engine(const char *worker);
/* Changes in a forked child. */
unsigned cloche_py_generation(void);
/* Sets the exception that stands for a status, with `detail` unless it is empty; returns NULL. */
PyObject *cloche_py_fail(cloche_status status, const char *detail);
/* Refuses what was made before a fork. */
bool cloche_py_is_ours(unsigned generation, const char *what);
/* Called for values that JSON does not know: returns what to write instead. */
extern PyObject *cloche_py_simplify;

/* ---- types ---- */

typedef struct cloche_py_policy {
  PyObject_HEAD const cloche_policy *policy;
} cloche_py_policy;

typedef struct cloche_py_account {
  PyObject_HEAD cloche_account *account;
  unsigned generation;
} cloche_py_account;

typedef struct cloche_py_box {
  PyObject_HEAD cloche_sandbox *box;
  PyObject *ledger; /* has to outlive it */
  unsigned generation;
  bool inside;  /* some thread is in the library with it */
  bool streams; /* output is handed out as it comes, too */
  cloche_py_text out, err;
} cloche_py_box;

/* Refuses what is another thread's now, or was made before a fork. */
bool cloche_py_box_is_free(const cloche_py_box *self);
PyObject *cloche_py_box_fail(const cloche_py_box *self, cloche_status status);
bool cloche_py_read_limits(PyObject *tuple, cloche_limits *limits);
/* What a sandbox is held by; each NULL for None. */
typedef struct cloche_py_walls {
  const cloche_policy *policy;
  cloche_account *account;
  cloche_ledger *ledger;
} cloche_py_walls;
bool cloche_py_read_walls(PyObject *policy, PyObject *account, PyObject *ledger,
                          cloche_py_walls *walls);
/* Takes over `box`, and frees it on an error. */
PyObject *cloche_py_box_wrap(cloche_sandbox *box, PyObject *ledger);
/* files.c */
PyObject *cloche_py_file_put(PyObject *box, PyObject *args);
PyObject *cloche_py_file_get(PyObject *box, PyObject *path);
PyObject *cloche_py_file_stat(PyObject *box, PyObject *path);
PyObject *cloche_py_file_list(PyObject *box, PyObject *path);
PyObject *cloche_py_file_mkdir(PyObject *box, PyObject *path);
PyObject *cloche_py_file_remove(PyObject *box, PyObject *path);
PyObject *cloche_py_file_export(PyObject *box, PyObject *path);
PyObject *cloche_py_file_import(PyObject *box, PyObject *args);
PyObject *cloche_py_mount(PyObject *box, PyObject *args);
PyObject *cloche_py_changes(PyObject *box, PyObject *none);
/* snapshot.c */
PyObject *cloche_py_snapshot(PyObject *box, PyObject *args);
PyObject *cloche_py_checkpoint(PyObject *box, PyObject *name);
PyObject *cloche_py_rollback(PyObject *box, PyObject *name);
PyObject *cloche_py_checkpoint_drop(PyObject *box, PyObject *name);
PyObject *cloche_py_restore(PyObject *module, PyObject *args, PyObject *names);
PyObject *cloche_py_snapshot_info(PyObject *module, PyObject *args);
/* sign.c */
PyObject *cloche_py_public_key(PyObject *module, PyObject *args);
PyObject *cloche_py_sign(PyObject *module, PyObject *args);
PyObject *cloche_py_verify(PyObject *module, PyObject *args);

typedef struct cloche_py_ledger cloche_py_ledger;
cloche_ledger *cloche_py_ledger_of(PyObject *ledger); /* NULL with an exception set */

extern PyTypeObject *cloche_py_policy_type, *cloche_py_account_type, *cloche_py_gate_type,
    *cloche_py_ledger_type, *cloche_py_box_type;
extern PyType_Spec cloche_py_policy_spec, cloche_py_account_spec, cloche_py_gate_spec,
    cloche_py_ledger_spec, cloche_py_box_spec;

/* A decision as the dict that Python sees. */
PyObject *cloche_py_decision(const cloche_decision *decision);
/* A gate's answer without taking anything: (method, params, now or None) -> dict. */
PyObject *cloche_py_check(cloche_gate *gate, PyObject *args);
int64_t cloche_py_now(void);

/* With the sandbox taken and Python's lock released. */
#define CLOCHE_PY_WITHOUT_LOCK(self, call) \
  do {                                     \
    (self)->inside = true;                 \
    Py_BEGIN_ALLOW_THREADS;                \
    call;                                  \
    Py_END_ALLOW_THREADS;                  \
    (self)->inside = false;                \
  } while (0)

#endif
