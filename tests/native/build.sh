#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh DIR -- builds DIR/guest-native: the guest as an ordinary program (see guest.c).
#
# Parts that cannot be built are left out: JavaScript without QUICKJS_DIR (the unpacked upstream
# sources), jq without JQ_DIR, sqlite3 without SQLITE_DIR, the shell while guest/shell has no shell_process_entry.
# PARTS="js shell bin" chooses; SANITIZE= (empty) builds without AddressSanitizer; CC chooses gcc or
# clang; CFLAGS adds flags. Only what changed is compiled again.
set -eu
[ $# -eq 1 ] || { echo "usage: build.sh DIR" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
: "${CC:=gcc}" "${PARTS=js shell bin}" "${CFLAGS:=}"
sanitize=${SANITIZE--fsanitize=address,undefined -fno-sanitize-recover=undefined}
flags="-std=gnu11 -D_GNU_SOURCE= -O1 -g -fno-strict-aliasing -fno-omit-frame-pointer -I$root/abi $sanitize $CFLAGS"
warnings="-Wall -Wextra"

# A command of that name which only says what the build was made without.
stand_in() {
  cat > "$out/no_$1.new" <<END
#include "guest/kernel/kernel.h"
static int none(int argc, char **argv, char **environment) {
  (void)argc, (void)argv, (void)environment;
  static const char text[] = "$1: this build was made without $2\\n";
  sys_write(2, text, sizeof text - 1);
  return 2;
}
const command command_$1 = {.name = "$1", .main = none, .usage = "$1", .options = ""};
END
  cmp -s "$out/no_$1.new" "$out/no_$1.c" || mv "$out/no_$1.new" "$out/no_$1.c"
  sources="$sources $out/no_$1.c"
}

has_part() { case " $PARTS " in *" $1 "*) return 0 ;; esac; return 1; }

sources="$(ls "$root"/guest/kernel/*.c "$root"/guest/fs/*.c "$root"/guest/text/*.c) $root/tests/native/host.c $root/tests/native/guest.c"
extra=
if has_part js && [ -n "${QUICKJS_DIR:-}" ] && ls "$root"/guest/js/*.c >/dev/null 2>&1; then
  sources="$sources $(ls "$root"/guest/js/*.c)"
  extra="$extra -isystem $QUICKJS_DIR"
  for unit in libregexp libunicode dtoa; do
    [ -f "$QUICKJS_DIR/$unit.c" ] && sources="$sources $QUICKJS_DIR/$unit.c"
  done
  if [ -f "$root/tools/embed.c" ]; then
    $CC -O1 "$root/tools/embed.c" -o "$out/embed"
    "$out/embed" "$out/prelude.new" "$root"/guest/js/prelude/*.js
    cmp -s "$out/prelude.new" "$out/prelude_sources.c" || mv "$out/prelude.new" "$out/prelude_sources.c"
    sources="$sources $out/prelude_sources.c"
    extra="$extra -I$root/guest/js"
  fi
fi
if has_part shell && grep -qs '^int shell_process_entry' "$root"/guest/shell/*.c; then
  sources="$sources $(ls "$root"/guest/shell/*.c)"
fi
if has_part bin; then
  sources="$sources $(ls "$root"/guest/bin/*.c)"
  if [ -n "${JQ_DIR:-}" ]; then
    mkdir -p "$out/jq/src"
    od -An -v -tu1 "$JQ_DIR/src/builtin.jq" | sed 's/ *\([0-9][0-9]*\)/\1,/g' > "$out/jq/src/builtin.new"
    cmp -s "$out/jq/src/builtin.new" "$out/jq/src/builtin.inc" || cp "$out/jq/src/builtin.new" "$out/jq/src/builtin.inc"
    sources="$sources $(grep '^[^#]' "$root/guest/bin/jq/sources.txt" | sed "s|^|$JQ_DIR/|; s| .*||") $(ls "$root"/guest/bin/jq/*.c)"
  else
    stand_in jq JQ_DIR
    stand_in yq JQ_DIR
  fi
  if [ -n "${SQLITE_DIR:-}" ]; then
    sources="$sources $SQLITE_DIR/sqlite3.c $(ls "$root"/guest/bin/sqlite/*.c)"
  else
    stand_in sqlite3 SQLITE_DIR
  fi
fi

# The flags of one source: jq's have their own, as guest/bin/jq/sources.txt says.
flags_of() {
  case $1 in
    "${JQ_DIR:-//}"/*|"$root"/guest/bin/jq/*)
      case $1 in
        *oniguruma*) echo "-DHAVE_CONFIG_H -I$root/guest/bin/jq/onig" ;;
        *) echo "-include $root/guest/bin/jq/config.h" ;;
      esac
      echo "-I$root/guest/bin/jq -I$JQ_DIR/src -I$JQ_DIR -I$out/jq -I$JQ_DIR/vendor -I$JQ_DIR/vendor/oniguruma/src -w"
      name=${1#"${JQ_DIR:-//}"/}
      sed -n "s#^$name \(.*\)#\1#p" "$root/guest/bin/jq/sources.txt" | sed "s#guest/bin/jq/#$root/guest/bin/jq/#g" ;;
    "${SQLITE_DIR:-//}"/*) echo "-w -include $root/guest/bin/sqlite/config.h" ;;
    "$root"/guest/bin/sqlite/*) echo "$warnings -include $root/guest/bin/sqlite/config.h -I$SQLITE_DIR" ;;
    "$root"/*) echo "$warnings" ;;
    *) echo "-w -I$root" ;;
  esac
}

objects=
jobs=0
for source in $sources; do
  object="$out/$(echo "$source" | sed "s|^$root/||; s|[^A-Za-z0-9_.-]|_|g").o"
  objects="$objects $object"
  stamp="$object.flags"
  command="$CC $flags $(flags_of "$source" | tr '\n' ' ') $extra -MMD -MF $object.d -c $source -o $object"
  fresh=no
  if [ -f "$object" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$command" ]; then
    fresh=yes
    for input in $(sed 's/^[^:]*://; s/\\$//' "$object.d"); do
      [ "$input" -nt "$object" ] && fresh=no && break
      [ -e "$input" ] || { fresh=no; break; }
    done
  fi
  [ $fresh = yes ] && continue
  rm -f "$stamp" "$object"
  { $command && echo "$command" > "$stamp"; } &
  jobs=$((jobs + 1))
  if [ $jobs -ge 2 ]; then wait; jobs=0; fi
done
wait
for object in $objects; do
  [ -f "$object" ] || { echo "build.sh: $object was not built" >&2; exit 1; }
done
$CC $sanitize $objects -lm -o "$out/guest-native"
