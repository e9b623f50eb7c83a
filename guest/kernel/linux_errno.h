// SPDX-License-Identifier: MIT
/* linux_errno.h -- errno as the host knows it. In wasm errno has other numbers than on Linux, which
 * is what messages carry. */
#ifndef GUEST_KERNEL_LINUX_ERRNO_H
#define GUEST_KERNEL_LINUX_ERRNO_H

/* Both positive. An error that is not in the table is EIO (5). */
int errno_to_linux(int error);
int errno_from_linux(int number);

#endif
