#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""commands.py -- commands in the sandbox beside the machine's own programs.

    commands.py CLOCHE [NAME...] [--rounds N]

Each row makes its input and then runs its command, in one shell: `cloche sh` and bash. From the
processor time of both is taken that of making the input alone, so what is left is the command. Rounds
alternate; printed are medians and their ratio. Both must print the same.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys

ROWS = "awk 'BEGIN { for (i = 1; i <= 1000000; i++) print i, i * 7 % 1000, \"name\" i % 97 }' > rows"
BYTES = "awk 'BEGIN { for (i = 0; i < 3000000; i++) print i * 7919 %% 1000003, \"some words here\" }' | head -c %d > bytes"
SHUFFLED = "awk 'BEGIN { for (i = 1; i <= 1000000; i++) print i * 7919 % 1000003, i }' > rows"
SQL = ("create table t(a integer, b integer, c text); with recursive n(i) as (values(1) union all select i + 1 "
       "from n where i < 1000000) insert into t select i, i * 7 % 1000, 'name' || i % 97 from n;")
# name: (make the input, command, the machine's version of it, wanted ratio, what it is beside)
TABLE = {
    "awk-gawk": (ROWS, "awk '{ s += $2 } END { print s }' rows", "gawk '{ s += $2 } END { print s }' rows", 0.5, "gawk"),
    "awk-mawk": (ROWS, "awk '{ s += $2 } END { print s }' rows", "mawk '{ s += $2 } END { print s }' rows", 1.5, "mawk"),
    "sha256sum": (BYTES % 50_000_000 + "; cat bytes bytes > all", "sha256sum < all", None, 3, "coreutils, 100 MB"),
    "gzip": (BYTES % 50_000_000 + "; gzip -c bytes > packed; rm bytes", "gzip -dc packed | wc -c", None, 2.5, "gzip, 50 MB"),
    "sort": (SHUFFLED, "sort -n rows | tail -1; sort rows | tail -1", None, 1.5, "coreutils, 1,000,000 lines twice"),
    "sqlite": ('sqlite3 db "' + SQL + '"',
               'sqlite3 db "select c, count(*), sum(b), avg(a) from t group by c order by c limit 3"', None, 2, "sqlite3"),
}


def run(command, script):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*command, script], capture_output=True, text=True, cwd=os.environ.get("BENCH_DIR"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"commands.py: {command[0]}: status {done.returncode}\n{script}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def measure(cloche, row, rounds):
    make, ours, theirs, _, _ = row
    guest = [cloche, "sh", "--timeout", "300s", "--memory", "1GiB", "-c"]
    host = ["bash", "-c"]
    wrap = "d=$(mktemp -d); cd $d; trap 'rm -rf $d' EXIT; %s"
    times = {"ours": [], "theirs": []}
    for _ in range(rounds):
        empty, _ = run(guest, make)
        full, shown = run(guest, make + "; " + ours)
        times["ours"].append(full - empty)
        empty, _ = run(host, wrap % make)
        full, expected = run(host, wrap % (make + "; " + (theirs or ours)))
        times["theirs"].append(full - empty)
        if shown != expected:
            sys.exit(f"commands.py: {ours}\ngives {shown[:200]!r}\nand   {expected[:200]!r}")
    return statistics.median(times["ours"]), statistics.median(times["theirs"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cloche")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    print(f"{'command':<12}{'machine':>12}{'sandbox':>12}{'ratio':>8}{'wanted':>8}  beside")
    for name in given.names or TABLE:
        ours, theirs = measure(os.path.abspath(given.cloche), TABLE[name], given.rounds)
        print(f"{name:<12}{theirs * 1e3:>9.0f} ms{ours * 1e3:>9.0f} ms{ours / theirs:>8.2f}{TABLE[name][3]:>8}  {TABLE[name][4]}",
              flush=True)


main()
