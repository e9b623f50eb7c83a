// SPDX-License-Identifier: MIT
/* accounts.c -- opens the file that --accounts names, before anything runs. */
#include "cli/accounts.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"

bool cloche__accounts_open(const char *path, cloche_account **account) {
  cloche_status status = path == NULL ? CLOCHE_OK : cloche_account_file(path, account);
  if (status == CLOCHE_OK) return true;
  cloche__complain("the accounts in %s cannot be used: %s", path,
                   status == CLOCHE_E_FORMAT   ? "the file is damaged, or holds something else"
                   : status == CLOCHE_E_SYSTEM ? strerror(errno)
                                               : cloche_status_text(status));
  return false;
}
