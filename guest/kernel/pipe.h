// SPDX-License-Identifier: MIT
/* pipe.h -- bytes from writers to readers, at most PIPE_CAPACITY of them at a time. */
#ifndef GUEST_KERNEL_PIPE_H
#define GUEST_KERNEL_PIPE_H

#include "process.h"

#define PIPE_CAPACITY 65536u
/* A write of at most this many bytes is not interleaved with another's. */
#define PIPE_ATOMIC 4096u

typedef struct pipe pipe;

/* With no reader and no writer yet. */
pipe *pipe_create(void);
void pipe_add(pipe *to, bool writer);
/* The last one out frees it. */
void pipe_remove(pipe *from, bool writer);

/* [waits] */
int64_t pipe_read(pipe *from, void *to, size_t size);
int64_t pipe_write(pipe *to, const void *from, size_t size);
/* As those, but -EAGAIN instead of waiting; a write takes all of it, beyond the capacity too. */
int64_t pipe_read_now(pipe *from, void *to, size_t size);
int64_t pipe_write_now(pipe *to, const void *from, size_t size);
/* True when a read would not wait. */
bool pipe_readable(const pipe *asked);
size_t pipe_size(const pipe *asked);

#endif
