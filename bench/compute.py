#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compute.py -- JavaScript compute in the sandbox beside the same engine built natively.

    compute.py BUILD [--rounds N] [--json]

Runs each program of bench/compute in turn in both, N times alternating, and prints the medians, their
ratio, and the fuel. Both must give the same value. BUILD holds bench_native and bench_ours (make bench).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def once(program, path):
    words = subprocess.run([program, path], capture_output=True, text=True, check=True).stdout.split()
    return int(words[0]), words[1], int(words[2]) if len(words) > 2 else 0


def measure(build, path, rounds):
    native, ours = [], []
    for _ in range(rounds):
        time, value, _ = once(build / "bench_native", path)
        native.append(time)
        time, same, fuel = once(build / "bench_ours", path)
        ours.append(time)
        if value != same:
            sys.exit(f"compute.py: {path.name} gives {value} natively and {same} in the sandbox")
    return statistics.median(native), statistics.median(ours), fuel


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for path in sorted((HERE / "compute").glob("*.js")):
        native, ours, fuel = measure(options.build, path, options.rounds)
        rows.append({"program": path.stem, "native_ns": native, "sandbox_ns": ours,
                     "ratio": round(ours / native, 3), "fuel": fuel})
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'JavaScript compute':<20}{'native':>12}{'sandbox':>12}{'ratio':>8}{'fuel':>14}")
    for row in rows:
        print(f"{row['program']:<20}{row['native_ns'] / 1e6:>9.1f} ms{row['sandbox_ns'] / 1e6:>9.1f} ms"
              f"{row['ratio']:>8.2f}{row['fuel']:>14,}")


main()
