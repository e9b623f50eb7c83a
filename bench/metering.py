#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""metering.py -- what fuel costs: the programs of bench/compute in the guest as it is and in one without charges.

    metering.py BUILD [--rounds N] [--no-callgrind]

Runs each program alternately in BUILD/bench_ours and BUILD/bench_unmetered and prints the fastest and the median
time of both, their ratio, and the instructions that callgrind counts for a whole process with each.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def once(program, path):
    words = subprocess.run([program, path], capture_output=True, text=True, check=True).stdout.split()
    return int(words[0]), words[1]


def instructions(program, path):
    """Valgrind does not deliver the faults by which written pages are found; the kernel's table tells them too."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, path],
                                capture_output=True, text=True, env=dict(os.environ, CLOCHE_BENCH_CLEANING="pagemap"))
    found = re.search(r"Collected : (\d+)", result.stderr)
    return int(found[1]) if result.returncode == 0 and found else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--no-callgrind", action="store_true")
    options = parser.parse_args()
    metered, free = options.build / "bench_ours", options.build / "bench_unmetered"
    print(f"{'what fuel costs':<16}{'with':>12}{'without':>12}{'ratio':>8}{'medians':>9}{'instructions':>28}{'ratio':>8}")
    for path in sorted((HERE / "compute").glob("*.js")):
        times = {metered: [], free: []}
        values = set()
        for _ in range(options.rounds):
            for program in times:
                time, value = once(program, path)
                times[program].append(time)
                values.add(value)
        if len(values) != 1:
            sys.exit(f"metering.py: {path.name} gives {values}")
        best = [min(times[program]) for program in (metered, free)]
        middle = [statistics.median(times[program]) for program in (metered, free)]
        line = (f"{path.stem:<16}{best[0] / 1e6:>9.1f} ms{best[1] / 1e6:>9.1f} ms{best[0] / best[1]:>8.2f}"
                f"{middle[0] / middle[1]:>9.2f}")
        counts = [None, None] if options.no_callgrind else [instructions(program, path) for program in (metered, free)]
        if None not in counts:
            line += f"{counts[0]:>14,}{counts[1]:>14,}{counts[0] / counts[1]:>8.2f}"
        print(line, flush=True)


main()
