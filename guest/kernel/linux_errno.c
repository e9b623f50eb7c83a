// SPDX-License-Identifier: MIT
/* linux_errno.c -- the errors that a filesystem can answer with, in Linux's numbers. */
#include "linux_errno.h"

#include <errno.h>
#include <stddef.h>

static const struct {
  int error, number;
} table[] = {{EPERM, 1},    {ENOENT, 2},     {EINTR, 4},   {EIO, 5},        {E2BIG, 7},
             {EBADF, 9},    {EAGAIN, 11},    {ENOMEM, 12}, {EACCES, 13},    {EBUSY, 16},
             {EEXIST, 17},  {EXDEV, 18},     {ENODEV, 19}, {ENOTDIR, 20},   {EISDIR, 21},
             {EINVAL, 22},  {EMFILE, 24},    {EFBIG, 27},  {ENOSPC, 28},    {ESPIPE, 29},
             {EROFS, 30},   {EMLINK, 31},    {EPIPE, 32},  {ERANGE, 34},    {ENAMETOOLONG, 36},
             {ENOSYS, 38},  {ENOTEMPTY, 39}, {ELOOP, 40},  {EOVERFLOW, 75}, {EILSEQ, 84},
             {ENOTSUP, 95}, {ECANCELED, 125}};

enum { COUNT = sizeof table / sizeof table[0], OTHER = 5 };

int errno_to_linux(int error) {
  for (size_t i = 0; i < COUNT; i++)
    if (table[i].error == error) return table[i].number;
  return error == 0 ? 0 : OTHER;
}

int errno_from_linux(int number) {
  for (size_t i = 0; i < COUNT; i++)
    if (table[i].number == number) return table[i].error;
  return number == 0 ? 0 : EIO;
}
