#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fetch.py -- brings the third-party sources of lock.json into a build folder.

    fetch.py OUTDIR [NAME...]

Each archive comes from its registry through that registry's own client, is checked against the SHA-256
of the lock file, and is kept in a cache ($CLOCHE_CACHE, else ~/.cache/cloche), so that a second build
needs no network. OUTDIR/NAME is a link to the unpacked sources. A file that does not have the hash of
the lock file is an error and is not kept.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def download(entry, into):
    """Asks the registry's client for exactly this version, as a source archive."""
    if entry["registry"] != "pypi":
        sys.exit(f"fetch.py: no client is known for the registry {entry['registry']!r}")
    requirement = into / "requirement.txt"
    requirement.write_text(f"{entry['package']}=={entry['version']} --hash=sha256:{entry['sha256']}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
               "--no-deps", "--no-binary", entry["package"], "--require-hashes", "--dest", str(into),
               "--requirement", str(requirement)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"fetch.py: {entry['file']} could not be fetched (is the network there? does its hash "
                 f"match third_party/lock.json?)\n{result.stderr.strip()}")


def archive(entry, cache):
    kept = cache / entry["sha256"][:16] / entry["file"]
    if kept.exists() and sha256(kept) == entry["sha256"]:
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        download(entry, pathlib.Path(folder))
        got = pathlib.Path(folder) / entry["file"]
        if not got.exists():
            sys.exit(f"fetch.py: the registry sent no file {entry['file']}")
        found = sha256(got)
        if found != entry["sha256"]:
            sys.exit(f"fetch.py: {entry['file']} has SHA-256 {found}, the lock file says {entry['sha256']}")
        os.replace(got, kept)
    return kept


def unpack(path, into):
    with tarfile.open(path) as tar:
        tar.extractall(into, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(into)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip().split("\n")[2].strip())
    out = pathlib.Path(sys.argv[1])
    lock = json.loads((HERE / "lock.json").read_text())
    cache = pathlib.Path(os.environ.get("CLOCHE_CACHE", pathlib.Path.home() / ".cache" / "cloche"))
    cache.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or lock:
        if name not in lock:
            sys.exit(f"fetch.py: {name} is not in lock.json, which has {', '.join(lock)}")
        entry = lock[name]
        place = out / f"{name}-{entry['version']}"
        if not (place / entry["use"]).exists():
            place.mkdir(parents=True, exist_ok=True)
            unpack(archive(entry, cache), place)
            if "inner" in entry:
                unpack(place / entry["inner"], place)
        link = out / name
        if not link.is_symlink():
            link.symlink_to(pathlib.Path(place.name) / entry["use"])


main()
