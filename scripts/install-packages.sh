#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs through apt what building and testing Cloche needs on Debian 12, and says what it does.
# Does nothing when all of it is there.
set -eu

packages="
  gcc libc6-dev make cmake ninja-build pkg-config
  clang-14 lld-14 llvm-14 wasi-libc libclang-rt-14-dev-wasm32
  wabt binaryen
  libuv1-dev libsodium-dev libsqlite3-dev libzstd-dev
  python3 python3-pip python3-setuptools python3-wheel
"
[ "${1:-}" = --with-tests ] && packages="$packages
  g++ clang-tidy-14 clang-format-14 libclang-rt-14-dev jq yq gawk mawk bc file sqlite3 patch ripgrep bsdextrautils tree xxd binutils git valgrind python3-jsonschema
  python3-dev python3-venv"

missing=
for package in $packages; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] ||
    missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "All packages that the build needs are installed."
  exit 0
fi
if [ "$(id -u)" != 0 ]; then
  echo "These packages are missing; install them as root, or run this script as root:" >&2
  echo "  apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
echo "Installing with apt:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null
echo "Installed."
