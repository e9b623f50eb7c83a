#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh DIR -- builds DIR/batch from the native guest of ../build.sh and batch.c. QUICKJS_DIR as there.
set -eu
[ $# -eq 1 ] || { echo "usage: build.sh DIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
: "${CC:=gcc}" "${CFLAGS:=}" "${PARTS=js shell bin}"
export CC CFLAGS PARTS
sh "$here/../build.sh" "$1"
sanitize=${SANITIZE--fsanitize=address,undefined -fno-sanitize-recover=undefined}
objects=$(ls "$1"/*.o | grep -v tests_native_guest.c.o)
$CC -std=gnu11 -D_GNU_SOURCE= -O1 -g -Wall -Wextra $sanitize $CFLAGS "$here/batch.c" $objects -lm -o "$1/batch"
