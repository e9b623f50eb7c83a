#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes what is uploaded to a registry of Python packages.

    package.py sdist BUILD OUT                   from a finished build folder
    package.py wheel SDIST OUT [PIP ARGUMENT...]

The sdist carries the guest as translated C and the sources of the four libraries that the host side needs,
so that a C compiler and Python's headers are enough to install from it. The wheel is built by pip from the
sdist, audited (auditwheel), and named after the oldest C library that it runs with. Needs scikit-build-core
for the first; pip, auditwheel and wheel for the second. Prints the path of what it made.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
OWN = ["CMakeLists.txt", "LICENSE", "pyproject.toml", "abi", "cmake", "include", "src", "tools/image.c",
       "bindings/python/CMakeLists.txt", "bindings/python/README.md", "bindings/python/before.cmake",
       "bindings/python/cloche", "bindings/python/src"]
# Of each library what the host side compiles.
LIBRARIES = {
    "sqlite": ["sqlite3.c", "*.h"],
    "zstd": ["*.c", "*.h", "LICENSE"],
    "libsodium": ["src/libsodium/**/*.[ch]", "builds/msvc/version.h", "LICENSE"],
    "libuv": ["src/*.[ch]", "src/unix/*.[ch]", "include/**/*.h", "LICENSE*"],
}
# Whose code is in the package, and where its licence stands: in the fetched sources (of C its first comment),
# or on the machine.
LICENCES = {
    "QuickJS-ng": "quickjs-ng/quickjs.c",
    "jq, with decNumber": "jq/COPYING",
    "Oniguruma": "jq/vendor/oniguruma/COPYING",
    "wasi-libc": "/usr/share/doc/wasi-libc/copyright",
    "libsodium": "libsodium/LICENSE",
    "libuv": "libuv/LICENSE",
    "libuv's own inclusions": "libuv/LICENSE-extra",
    "zstd": "zstd/LICENSE",
}


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], check=False, **options)
    if done.returncode != 0:
        sys.exit(f"package.py: {command[0]} failed: {' '.join(map(str, command))}\n"
                 f"{done.stdout or ''}{done.stderr or ''}")
    return done.stdout


def cached(build, name):
    """A variable of the build folder."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.partition("=")[2]
    return ""


def copy(start, patterns, into):
    found = 0
    for pattern in patterns:
        for path in sorted(start.glob(pattern)):
            if path.is_file():
                place = into / path.relative_to(start)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
                found += 1
    if found == 0:
        sys.exit(f"package.py: nothing in {start} is {' or '.join(patterns)}")


def stage(build, stage):
    """All that the sdist has, in the folder `stage`."""
    tracked = run("git", "-C", SOURCE, "ls-files", "--", *OWN, capture_output=True, text=True).split()
    for path in tracked:
        copy(SOURCE, [path], stage)
    third = stage / "third_party"
    with tempfile.TemporaryDirectory() as folder:
        fetched = pathlib.Path(folder)
        run(sys.executable, SOURCE / "third_party" / "fetch.py", fetched)
        for name, patterns in LIBRARIES.items():
            copy((fetched / name).resolve(), patterns, third / name)
        with open(stage / "LICENSE", "a") as licence:
            for name, path in LICENCES.items():
                licence.write(f"\n\n---- {name}, of which parts are in this package ----\n\n")
                text = (fetched / path).read_text(errors="replace")
                licence.write(text.partition("*/")[0].lstrip("/*") if path.endswith(".c") else text)
    guest = pathlib.Path(cached(build, "CLOCHE_GUEST_BUILD") or build) / "guest-guest" / "parts"
    if not (guest / "guest_start.c").exists():
        sys.exit(f"package.py: {build} holds no translated guest; build it first")
    copy(guest, ["*.[ch]"], stage / "translated" / "guest-guest" / "parts")


def make_sdist(build, out):
    from scikit_build_core.build import build_sdist

    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        staged = pathlib.Path(folder)
        stage(build, staged)
        os.chdir(staged)
        made = out / build_sdist(str(out))
        wanted = {str(path.relative_to(staged)) for path in staged.rglob("*") if path.is_file()}
        os.chdir(SOURCE)
    with tarfile.open(made) as tar:
        got = {name.partition("/")[2] for name in tar.getnames()}
    if missing := wanted - got:
        sys.exit(f"package.py: the sdist lacks {len(missing)} files, as {min(missing)}")
    return made


def make_wheel(sdist, out, arguments):
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel", "--no-deps",
            "--no-cache-dir", "--wheel-dir", folder, *arguments, sdist)
        made, = pathlib.Path(folder).glob("*.whl")
        told = run(sys.executable, "-m", "auditwheel", "show", made, capture_output=True, text=True)
        level = re.search(r'platform\s+tag:\s+"(manylinux_[0-9]+_[0-9]+_\w+)"', told)
        if level is None or json.dumps(".so") in told:
            sys.exit(f"package.py: the wheel is not self-contained:\n{told}")
        run(sys.executable, "-m", "wheel", "tags", "--platform-tag", level[1], "--remove", made,
            capture_output=True, text=True)
        tagged, = pathlib.Path(folder).glob("*.whl")
        for old in out.glob("*.whl"):
            old.unlink()
        return pathlib.Path(shutil.copy(tagged, out))


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("sdist", "wheel"):
        sys.exit(__doc__)
    start, out = (pathlib.Path(argument).resolve() for argument in sys.argv[2:4])
    print(make_sdist(start, out) if sys.argv[1] == "sdist" else make_wheel(start, out, sys.argv[4:]))


main()
