// SPDX-License-Identifier: MIT
/* config.h -- how libjq is built here; included before each of its sources (-include). What its
 * configure script finds on a POSIX machine, less what needs one. */
#ifndef GUEST_BIN_JQ_CONFIG_H
#define GUEST_BIN_JQ_CONFIG_H

#define _GNU_SOURCE 1
#define IEEE_8087 1
#define USE_DECNUM 1
#define HAVE_LIBONIG 1
#define HAVE_MEMMEM 1
#define HAVE_PTHREAD_KEY_CREATE 1
#define HAVE_PTHREAD_ONCE 1
#define HAVE_ALLOCA_H 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_GMTIME_R 1
#define HAVE_GMTIME 1
#define HAVE_LOCALTIME_R 1
#define HAVE_LOCALTIME 1
#define HAVE_MKTIME 1
#define HAVE_STRFTIME 1
#define HAVE_STRPTIME 1
#define HAVE_TIMEGM 1
#define HAVE_TM_TM_GMT_OFF 1
#define HAVE_GETENTROPY 1
#define HAVE_ATEXIT 1
#define HAVE_FREXP 1
#define HAVE_MODF 1
#define HAVE_LGAMMA_R 1
#define HAVE_LDEXP 1

#define HAVE_ACOS 1
#define HAVE_ACOSH 1
#define HAVE_ASIN 1
#define HAVE_ASINH 1
#define HAVE_ATAN 1
#define HAVE_ATAN2 1
#define HAVE_ATANH 1
#define HAVE_CBRT 1
#define HAVE_CEIL 1
#define HAVE_COPYSIGN 1
#define HAVE_COS 1
#define HAVE_COSH 1
#define HAVE_DREM 1
#define HAVE_ERF 1
#define HAVE_ERFC 1
#define HAVE_EXP 1
#define HAVE_EXP10 1
#define HAVE_EXP2 1
#define HAVE_EXPM1 1
#define HAVE_FABS 1
#define HAVE_FDIM 1
#define HAVE_FLOOR 1
#define HAVE_FMA 1
#define HAVE_FMAX 1
#define HAVE_FMIN 1
#define HAVE_FMOD 1
#define HAVE_HYPOT 1
#define HAVE_ILOGB 1
#define HAVE_J0 1
#define HAVE_J1 1
#define HAVE_JN 1
#define HAVE_LGAMMA 1
#define HAVE_LOG 1
#define HAVE_LOG10 1
#define HAVE_LOG1P 1
#define HAVE_LOG2 1
#define HAVE_LOGB 1
#define HAVE_NEARBYINT 1
#define HAVE_NEXTAFTER 1
#define HAVE_NEXTTOWARD 1
#define HAVE_POW 1
#define HAVE_REMAINDER 1
#define HAVE_RINT 1
#define HAVE_ROUND 1
#define HAVE_SCALB 1
#define HAVE_SCALBLN 1
#define HAVE_SCALBN 1
#define HAVE_SIGNIFICAND 1
#define HAVE_SIN 1
#define HAVE_SINH 1
#define HAVE_SQRT 1
#define HAVE_TAN 1
#define HAVE_TANH 1
#define HAVE_TGAMMA 1
#define HAVE_TRUNC 1
#define HAVE_Y0 1
#define HAVE_Y1 1
#define HAVE_YN 1

/* Values nest at most this deep when read and when printed: each level costs some 100 bytes of the
 * process's stack while a value is freed or printed. libjq's own limit is 10000. */
#define MAX_PARSING_DEPTH 2000
#define MAX_PRINT_DEPTH 2000

/* What would reach for the machine is ours instead: files.c. */
#define atexit jq_atexit
#define getentropy jq_getentropy
int jq_atexit(void (*function)(void));
int jq_getentropy(void *to, __SIZE_TYPE__ size);

#endif
