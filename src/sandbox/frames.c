// SPDX-License-Identifier: MIT
/* frames.c -- bytes through the socket, all of them or an error. */
#define _GNU_SOURCE
#include "sandbox/frames.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "sandbox/guest.h"

/* Waits until the socket is ready. A socket that blocks need not be asked about. */
static bool wait_for(int socket, short events, int64_t deadline) {
  if (deadline == INT64_MAX) return true;
  for (;;) {
    int64_t left = deadline - cloche__monotonic();
    if (left < 0) left = 0; /* what is there already still counts */
    struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    struct pollfd poll = {.fd = socket, .events = events};
    int ready = ppoll(&poll, 1, &timeout, NULL);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (ready == 0 && left == 0) {
      errno = ETIMEDOUT;
      return false;
    }
  }
}

static bool may_go_on(void) {
  return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

static bool send_bytes(int socket, const uint8_t *at, size_t size, int64_t deadline) {
  while (size > 0) {
    ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && !may_go_on()) return false;
    if (sent < 0 && !wait_for(socket, POLLOUT, deadline)) return false;
    if (sent > 0) at += sent, size -= (size_t)sent;
  }
  return true;
}

bool cloche__frame_stage(cloche__frames *frames, cloche__frame_kind kind, const void *head,
                         size_t head_size, size_t body_size) {
  cloche__frame frame = {.kind = (uint32_t)kind, .size = (uint32_t)(head_size + body_size)};
  if (body_size > UINT32_MAX - head_size ||
      sizeof frame + head_size > sizeof frames->bytes - frames->len) {
    errno = EMSGSIZE;
    return false;
  }
  memcpy(frames->bytes + frames->len, &frame, sizeof frame);
  if (head_size > 0) memcpy(frames->bytes + frames->len + sizeof frame, head, head_size);
  frames->len += sizeof frame + head_size;
  return true;
}

bool cloche__frame_flush(int socket, cloche__frames *frames, const void *body, size_t body_size,
                         int64_t deadline) {
  size_t room = sizeof frames->bytes - frames->len, first = body_size < room ? body_size : room;
  size_t staged = frames->len + first;
  if (first > 0) memcpy(frames->bytes + frames->len, body, first);
  frames->len = 0;
  return send_bytes(socket, frames->bytes, staged, deadline) &&
         (body_size == first ||
          send_bytes(socket, (const uint8_t *)body + first, body_size - first, deadline));
}

bool cloche__frame_send(int socket, cloche__frame_kind kind, const void *head, size_t head_size,
                        const void *body, size_t body_size, int64_t deadline) {
  cloche__frames frames = {.len = 0};
  return cloche__frame_stage(&frames, kind, head, head_size, body_size) &&
         cloche__frame_flush(socket, &frames, body, body_size, deadline);
}

/* A message of one byte with room for one descriptor. */
typedef struct {
  uint8_t byte;
  struct iovec piece;
  struct msghdr message;
  _Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(int))];
} parcel;

static void wrap(parcel *made) {
  memset(made, 0, sizeof *made);
  made->piece = (struct iovec){.iov_base = &made->byte, .iov_len = 1};
  made->message = (struct msghdr){.msg_iov = &made->piece,
                                  .msg_iovlen = 1,
                                  .msg_control = made->control,
                                  .msg_controllen = sizeof made->control};
}

bool cloche__frame_send_file(int socket, int file) {
  parcel sent;
  wrap(&sent);
  struct cmsghdr *header = CMSG_FIRSTHDR(&sent.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(header), &file, sizeof file);
  ssize_t went;
  do went = sendmsg(socket, &sent.message, MSG_NOSIGNAL);
  while (went < 0 && errno == EINTR);
  return went == 1; /* the first byte into an empty socket: there is room */
}

int cloche__frame_receive_file(int socket) {
  parcel got;
  wrap(&got);
  ssize_t came;
  do came = recvmsg(socket, &got.message, MSG_CMSG_CLOEXEC);
  while (came < 0 && errno == EINTR);
  struct cmsghdr *header = came == 1 ? CMSG_FIRSTHDR(&got.message) : NULL;
  int file = -1;
  if (header != NULL && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof file))
    memcpy(&file, CMSG_DATA(header), sizeof file);
  return file;
}

bool cloche__frame_wait(int socket, int64_t deadline) {
  return wait_for(socket, POLLIN, deadline);
}

/* Asked first and waited for then: mostly all of a frame is there. Whoever sends on and on, a
 * little at a time, is not listened to beyond the deadline. */
bool cloche__frame_receive(int socket, void *to, size_t size, int64_t deadline) {
  uint8_t *at = to;
  while (size > 0) {
    ssize_t got = recv(socket, at, size, 0);
    if (got == 0) errno = ECONNRESET;
    if (got == 0 || (got < 0 && !may_go_on())) return false;
    if (got < 0 && !wait_for(socket, POLLIN, deadline)) return false;
    if (got > 0) at += got, size -= (size_t)got;
    if (got > 0 && size > 0 && deadline != INT64_MAX && cloche__monotonic() >= deadline) {
      errno = ETIMEDOUT;
      return false;
    }
  }
  return true;
}

size_t cloche__frame_receive_some(int socket, void *to, size_t most) {
  for (;;) {
    ssize_t got = recv(socket, to, most, 0);
    if (got >= 0) return (size_t)got;
    if (!may_go_on()) return 0;
  }
}
