// SPDX-License-Identifier: MIT
// bin.c -- see bin.h.
#include "bin.h"

#include <stdarg.h>
#include <stdio.h>

void bin_start(bin *b, const char *name, char **environment) {
  const char *slash = strrchr(name, '/');
  *b = (bin){.name = slash != NULL && slash[1] != 0 ? slash + 1 : name,
             .usage_status = 1,
             .environment = environment};
  output_open_fd(&b->out, 1);
}

int bin_end(bin *b) {
  output_flush(&b->out);
  if (b->out.error != 0 && b->out.error != EPIPE) {
    bin_warn(b, "write error: %s", error_text(b->out.error));
    if (b->status == 0) b->status = b->usage_status;
  }
  return b->status;
}

void bin_exit(bin *b, int status) {
  b->status = status;
  process_exit(bin_end(b));
}

static __attribute__((nonnull)) void warn(bin *b, const char *format, va_list arguments) {
  text line = {0};
  text_string(&line, b->name);
  text_string(&line, ": ");
  va_list again;
  va_copy(again, arguments);
  int size = vsnprintf(NULL, 0, format, arguments);
  text_reserve(&line, (size_t)size + 2);
  vsnprintf(line.at + line.len, (size_t)size + 1, format, again);
  va_end(again);
  line.len += (size_t)size;
  text_char(&line, '\n');
  output_flush(&b->out); /* what was printed before comes before */
  sys_write(2, line.at, line.len);
  text_free(&line);
}

void bin_warn(bin *b, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  warn(b, format, arguments);
  va_end(arguments);
}

void bin_error(bin *b, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  warn(b, format, arguments);
  va_end(arguments);
  b->status = 1;
}

void bin_file_error(bin *b, const char *file, int error) {
  bin_error(b, "%s: %s", file, error_text(error));
}

void bin_die(bin *b, int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  warn(b, format, arguments);
  va_end(arguments);
  bin_exit(b, status);
}

void bin_usage(bin *b, const char *format, ...) {
  if (format != NULL) {
    va_list arguments;
    va_start(arguments, format);
    warn(b, format, arguments);
    va_end(arguments);
  }
  text line = {0};
  if (b->usage_named) text_format(&line, "%s: ", b->name);
  text_format(&line, "Try '%s --help' for more information.\n", b->name);
  sys_write(2, line.at, line.len);
  bin_exit(b, b->usage_status);
}

const char *error_text(int error) {
  switch (error < 0 ? -error : error) {
    case 0:
      return "Success";
    case E2BIG:
      return "Argument list too long";
    case EACCES:
      return "Permission denied";
    case EAGAIN:
      return "Resource temporarily unavailable";
    case EBADF:
      return "Bad file descriptor";
    case EBUSY:
      return "Device or resource busy";
    case ECANCELED:
      return "Operation canceled";
    case ECHILD:
      return "No child processes";
    case EDEADLK:
      return "Resource deadlock avoided";
    case EEXIST:
      return "File exists";
    case EFBIG:
      return "File too large";
    case EINTR:
      return "Interrupted system call";
    case EINVAL:
      return "Invalid argument";
    case EIO:
      return "Input/output error";
    case EISDIR:
      return "Is a directory";
    case ELOOP:
      return "Too many levels of symbolic links";
    case EMFILE:
      return "Too many open files";
    case EMLINK:
      return "Too many links";
    case ENAMETOOLONG:
      return "File name too long";
    case ENFILE:
      return "Too many open files in system";
    case ENODEV:
      return "No such device";
    case ENOENT:
      return "No such file or directory";
    case ENOEXEC:
      return "Exec format error";
    case ENOMEM:
      return "Cannot allocate memory";
    case ENOSPC:
      return "No space left on device";
    case ENOSYS:
      return "Function not implemented";
    case ENOTDIR:
      return "Not a directory";
    case ENOTEMPTY:
      return "Directory not empty";
    case ENOTTY:
      return "Inappropriate ioctl for device";
    case ENXIO:
      return "No such device or address";
    case EOVERFLOW:
      return "Value too large for defined data type";
    case EPERM:
      return "Operation not permitted";
    case EPIPE:
      return "Broken pipe";
    case ERANGE:
      return "Numerical result out of range";
    case EROFS:
      return "Read-only file system";
    case ESPIPE:
      return "Illegal seek";
    case ESRCH:
      return "No such process";
    case ETXTBSY:
      return "Text file busy";
    case EXDEV:
      return "Invalid cross-device link";
    default:
      return "Unknown error";
  }
}

/* Bytes that make GNU's ls and messages put a name in quotes. */
static bool needs_quotes(const char *name) {
  if (*name == 0 || *name == '~' || *name == '#') return true;
  for (const char *at = name; *at != 0; at++) {
    if ((unsigned char)*at < ' ' || *at == 127) return true;
    if (strchr(" !\"$&'()*;<=>?[\\^`|", *at) != NULL) return true;
  }
  return false;
}

char *quote_always(const char *name) {
  text quoted = {0};
  bool control = false, other = false;
  for (const char *at = name; *at != 0; at++) {
    control |= (unsigned char)*at < ' ' || *at == 127;
    other |= strchr("\"$`\\!", *at) != NULL;
  }
  if (strchr(name, '\'') != NULL && !other && !control) {
    text_format(&quoted, "\"%s\"", name);
    return text_end(&quoted);
  }
  text_char(&quoted, '\'');
  for (const char *at = name; *at != 0; at++) {
    unsigned char c = (unsigned char)*at;
    if (c == '\'') {
      text_string(&quoted, "'\\''");
    } else if (c < ' ' || c == 127) {
      static const char from[] = "\a\b\t\n\v\f\r", to[] = "abtnvfr";
      const char *known = strchr(from, (char)c);
      if (known != NULL) {
        text_format(&quoted, "'$'\\%c''", to[known - from]);
      } else {
        text_format(&quoted, "'$'\\%03o''", c);
      }
    } else {
      text_char(&quoted, (char)c);
    }
  }
  text_char(&quoted, '\'');
  char *all = text_end(&quoted);
  /* GNU drops the empty '' that an escape leaves at an end. */
  size_t size = strlen(all);
  if (size > 4 && strcmp(all + size - 2, "''") == 0 && control) all[size - 2] = 0;
  return all;
}

char *quote_needed(const char *name) {
  return needs_quotes(name) ? quote_always(name) : memory_string(name);
}

char *quote_curly(const char *name) {
  text quoted = {0};
  text_format(&quoted, "\xe2\x80\x98%s\xe2\x80\x99", name);
  return text_end(&quoted);
}

const char *environment_get(char *const *environment, const char *name) {
  size_t size = strlen(name);
  for (; environment != NULL && *environment != NULL; environment++) {
    if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=') {
      return *environment + size + 1;
    }
  }
  return NULL;
}

bool environment_bytes(char *const *environment) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < 3; i++) {
    const char *value = environment_get(environment, names[i]);
    if (value == NULL || *value == 0) continue;
    return strcmp(value, "C") == 0 || strcmp(value, "POSIX") == 0;
  }
  return false;
}

/* The factor of a suffix at *at, moving behind it; 0 when it is none. */
static uint64_t suffix_factor(const char **at, const char *suffixes) {
  static const char powers[] = "KMGTPE";
  char c = **at;
  if (c == 'b' && strchr(suffixes, 'b') != NULL) {
    ++*at;
    return 512;
  }
  if (c == 'w' && strchr(suffixes, 'w') != NULL) {
    ++*at;
    return 2;
  }
  if (c == 'c' && strchr(suffixes, 'c') != NULL) {
    ++*at;
    return 1;
  }
  char upper = c == 'k' ? 'K' : c == 'm' && strchr(suffixes, 'm') != NULL ? 'M' : c;
  const char *power = upper != 0 ? strchr(powers, upper) : NULL;
  if (power == NULL || strchr(suffixes, 'K') == NULL) return 0;
  ++*at;
  uint64_t base = 1024;
  if (**at == 'B') {
    base = 1000;
    ++*at;
  } else if ((*at)[0] == 'i' && (*at)[1] == 'B') {
    *at += 2;
  }
  uint64_t factor = 1;
  for (const char *p = powers; p <= power; p++) factor *= base;
  return factor;
}

int number_parse(const char *from, const char *suffixes, uint64_t *value) {
  const char *at = from;
  while (*at == ' ' || (*at >= '\t' && *at <= '\r')) at++;
  if (*at == '+') at++;
  if (*at < '0' || *at > '9') return -EINVAL;
  bool over = false;
  uint64_t number = 0;
  for (; *at >= '0' && *at <= '9'; at++) {
    over |= __builtin_mul_overflow(number, 10, &number);
    over |= __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number);
  }
  if (*at != 0 && suffixes != NULL) {
    uint64_t factor = suffix_factor(&at, suffixes);
    if (factor == 0) return -EINVAL;
    over |= __builtin_mul_overflow(number, factor, &number);
  }
  if (*at != 0) return -EINVAL;
  *value = over ? UINT64_MAX : number;
  return over ? -ERANGE : 0;
}

bool bin_open(bin *b, input *in, const char *path) {
  int error = input_open(in, path);
  if (error < 0) bin_file_error(b, path, error);
  return error == 0;
}

void bin_check_read(bin *b, const input *in, const char *path) {
  if (in->error != 0) bin_file_error(b, path, in->error);
}
