#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""files.py -- files in a sandbox beside memfs on Node and the machine's tar.

    files.py BUILD [--memfs FOLDER] [--rounds N]

Writes and reads 10,000 files of 1 KiB from JavaScript, here and with memfs (FOLDER has been given to
`npm install --prefix FOLDER memfs`; without it only ours is measured), alternating; appends in pieces of
16 bytes; exports 50 MiB as tar beside GNU tar on a folder in memory. Prints medians. BUILD holds
bench_files (make bench).
"""
import argparse
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

MANY = """
const text = 'x'.repeat(1024);
let bytes = 0;
for (let i = 0; i < 10000; i++) fs.writeFileSync(`/workspace/f${i}`, text);
for (let i = 0; i < 10000; i++) bytes += fs.readFileSync(`/workspace/f${i}`, 'utf8').length;
"""
APPEND = """
const fd = fs.openSync('/workspace/log', 'a');
for (let i = 0; i < %d; i++) fs.writeSync(fd, '0123456789abcdef');
fs.closeSync(fd);
return fs.statSync('/workspace/log').size;
"""
# As warm as it gets: one process, the volume emptied before each round.
MEMFS = """
const { fs, vol } = require('memfs');
function round() { %s; return bytes; }
for (let i = 0; i < %d; i++) {
  vol.reset();
  fs.mkdirSync('/workspace', { recursive: true });
  const start = process.hrtime.bigint();
  if (round() !== 10240000) throw new Error('other bytes');
  console.log(Number(process.hrtime.bigint() - start));
}
"""


def ours(build, text):
    with tempfile.NamedTemporaryFile("w", suffix=".js") as program:
        program.write("const fs = require('fs');" + text)
        program.flush()
        words = subprocess.run([build / "bench_files", "run", program.name], capture_output=True, text=True,
                               check=True).stdout.split()
    return int(words[0])


def memfs(folder, rounds):
    done = subprocess.run(["node", "-e", MEMFS % (MANY, rounds)], cwd=folder, capture_output=True, text=True,
                          check=True)
    return statistics.median(int(line) for line in done.stdout.split())


def export(build, folder):
    out = subprocess.run([build / "bench_files", "export", folder / "ours.tar", "800", "64"],
                         capture_output=True, text=True, check=True).stdout.split()
    return int(out[0])


def tar(folder):
    start = time.perf_counter_ns()
    subprocess.run(["tar", "-C", folder / "in", "-cf", folder / "theirs.tar", "."], check=True)
    return time.perf_counter_ns() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--memfs", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    build, rounds = options.build.resolve(), options.rounds
    median = statistics.median

    many = median(ours(build, MANY + "return bytes") for _ in range(rounds))
    print(f"10,000 files of 1 KiB, written and read: {many / 1e6:.1f} ms")
    if options.memfs:
        print(f"  memfs on Node: {memfs(options.memfs, rounds) / 1e6:.1f} ms")
    for kib in (256, 1024, 4096):
        took = median(ours(build, APPEND % (kib * 64)) for _ in range(rounds))
        print(f"{kib} KiB appended in pieces of 16 bytes: {took / 1e6:.1f} ms, {took / kib / 64:.0f} ns a piece")

    base = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None
    folder = pathlib.Path(tempfile.mkdtemp(dir=base))
    try:
        export(build, folder)
        (folder / "in").mkdir()
        subprocess.run(["tar", "-C", folder / "in", "-xf", folder / "ours.tar"], check=True)
        pairs = [(export(build, folder), tar(folder)) for _ in range(rounds)]
        mine, theirs = (median(pair[i] for pair in pairs) for i in (0, 1))
        print(f"50 MiB exported as tar: {mine / 1e6:.1f} ms; GNU tar: {theirs / 1e6:.1f} ms")
    finally:
        shutil.rmtree(folder)


main()
