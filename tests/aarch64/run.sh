#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh WORK TRANSLATED BOOTED [--product]
#
# Builds the library for aarch64 and runs it under qemu-user. WORK is a folder to work in; TRANSLATED and BOOTED are
# build folders that hold the guests' translated C and their images. Always: tests/unit/sandbox_test.c with the puppet. With
# --product also fuel.c with the product's guest, whose output has to be what FUEL (a native program) prints; that takes
# minutes to compile. Exits 77 (skipped) where the cross compiler, qemu or static libraries for aarch64 are
# missing: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user, and libsodium-dev libsqlite3-dev libzstd-dev of
# arm64, unpacked anywhere: AARCH64_LIBS names their folder.
set -eu
work=$1 translated=$2 booted=$3 product=${4:-}
: "${AARCH64_LIBS:=/usr/lib/aarch64-linux-gnu}" "${AARCH64_OPTIMISE:=-O1}" "${JOBS:=2}"
here=$(cd "$(dirname "$0")/../.." && pwd)
cc=aarch64-linux-gnu-gcc
for need in $cc qemu-aarch64; do
  command -v $need > /dev/null || { echo "skipped: there is no $need"; exit 77; }
done
for library in sodium sqlite3 zstd; do
  [ -f "$AARCH64_LIBS/lib$library.a" ] || { echo "skipped: there is no lib$library.a for aarch64"; exit 77; }
done
mkdir -p "$work"
cd "$here"
headers="-Itests/unit -Iinclude -Isrc -Iabi -Isrc/sandbox -isystem $AARCH64_LIBS/../../include"
flags="-std=gnu11 -D_GNU_SOURCE -fvisibility=hidden -w"

# build NAME GUEST TEST.c: everything into the program $work/NAME.
build() {
  out=$work/$1.o parts=$translated/guest-$2/parts
  rm -rf "$out"
  mkdir -p "$out"
  printf '%s\n' '  .section .rodata' '  .balign 4096' '  .globl cloche__image_data' '  .hidden cloche__image_data' \
    'cloche__image_data:' "  .incbin \"$booted/guest-$2/guest.image\"" '  .globl cloche__image_data_end' \
    '  .hidden cloche__image_data_end' 'cloche__image_data_end:' '  .section .note.GNU-stack, "", %progbits' > "$out/image_data.S"
  {
    for file in src/*.c src/sandbox/*.c src/sandbox/*.S src/json/*.c src/gate/*.c src/ledger/*.c src/accounts/*.c "$3" "$out/image_data.S"; do
      echo "$cc $flags -O1 -DCLOCHE_VERSION='\"0\"' $headers -I$parts -c $file -o $out/$(echo "$file" | tr / _).o"
    done
    for file in "$parts"/guest_*.c; do
      case $file in */guest_start.c) continue ;; esac
      echo "$cc $flags $AARCH64_OPTIMISE -ffp-contract=off -fno-strict-aliasing -I$parts -Isrc/sandbox -c $file -o $out/$(basename "$file").o"
    done
  } | tr '\n' '\0' | xargs -0 -P "$JOBS" -I{} sh -c '{}'
  $cc -static "$out"/*.o "$AARCH64_LIBS/libsodium.a" "$AARCH64_LIBS/libsqlite3.a" "$AARCH64_LIBS/libzstd.a" -lpthread -lm \
    -o "$work/$1"
}

build sandbox_test puppet tests/unit/sandbox_test.c
qemu-aarch64 "$work/sandbox_test"
[ "$product" = --product ] || exit 0
build fuel guest tests/aarch64/fuel.c
"${FUEL:?names the native program}" > "$work/native.out"
qemu-aarch64 "$work/fuel" > "$work/aarch64.out"
diff "$work/native.out" "$work/aarch64.out"
echo "the same on both kinds of processor"
