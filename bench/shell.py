#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shell and its commands beside bash, GNU's tools, jq and the peers from npm, in one run.

    shell.py --ours BUILD/bench_shell --jq BUILD/oracles/jq [--peers DIR] [--rounds N] [--cpu] [--small]

DIR is a folder in which `npm install @everruns/bashkit just-bash` was run. Rounds alternate between the
sides, and the smallest of each counts. --cpu compares processor time (user and system) instead of the
clock's: for a machine that does other things too; a pipeline of processes that run side by side on
two cores looks worse in it than it is. --small: a tenth of the large inputs.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PIPELINE = "cat input | grep -v warn | cut -f2,3 | sort | uniq -c | sort -rn | head"
LOOP = "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; echo $i"
FILTER = "map(select(.nested.a==3)|{id,name,t:.tags[0]})|length"
WORDS = ["alpha", "beta", "gamma", "delta", "error", "warn", "info"]


def make_inputs(folder, small):
    r = random.Random(1)
    scale = 10 if small else 1

    def lines(count):
        return "".join(f"{r.choice(WORDS)}\tuser{r.randrange(500)}\t/path/{r.randrange(40)}/item\t{r.randrange(10**6)}\n"
                       for _ in range(count))
    (folder / "lines10k").write_text(lines(10000))
    (folder / "lines1m").write_text(lines(1000000 // scale))
    items = ",".join('{"id":%d,"name":"user%d","tags":["%s","%s"],"score":%f,"nested":{"a":%d,"b":"%s"}}'
                     % (i, i, r.choice(WORDS), r.choice(WORDS), r.random(), i % 7, "x" * 20) for i in range(90000 // scale))
    (folder / "json").write_text("[" + items + "]")
    (folder / "text").write_text("".join(
        f"the quick brown fox {i} jumps over the lazy dog and more words here\n" for i in range(1500000 // scale)) + "needleXYZ\n")


def outside(command, folder, cpu):
    """Milliseconds of a whole process."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "LC_ALL": "C.UTF-8"})
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > 1:
        sys.exit(f"{command} ended with {process.returncode}")
    return ((usage.ru_utime + usage.ru_stime) if cpu else took) * 1000


def inside(command, cpu):
    """Milliseconds that a program reports of its last round."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "BENCH_CPU": "1" if cpu else "0"})
    if done.returncode != 0:
        return None
    return min(int(line) for line in done.stdout.split()) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--jq", required=True)
    parser.add_argument("--peers")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    ours, jq = os.path.abspath(options.ours), os.path.abspath(options.jq)
    print(f"|  | wanted | ours | peer | ratio |{' bashkit | just-bash |' if options.peers else ''}")
    print("|---|---|---|---|---|" + ("---|---|" if options.peers else ""))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_inputs(folder, options.small)
        rows = [
            # name, target, rounds of ours within one process, program, input, the peer's command, its name
            ("`echo hi`, fresh sandbox in a reused slot", "10 us", 300, "echo hi", None, None, ""),
            ("5,000 rounds of `while [ ]`", "0.5", 5, LOOP, None, ["bash", "-c", LOOP], "bash"),
            ("six commands on 10,000 lines", "1.0 ms", 20, PIPELINE, "lines10k", ["bash", "-c", PIPELINE], "bash, GNU"),
            ("the same on 1,000,000 lines", "1.5", 1, PIPELINE, "lines1m", ["bash", "-c", PIPELINE], "bash, GNU"),
            ("jq, a filter on 10 MB", "1.3", 1, f"jq '{FILTER}' input", "json", [jq, FILTER, "input"], "jq 1.8.2"),
            ("jq `.` on 10 MB", "1.3", 1, "jq . input > /dev/null", "json", [jq, ".", "input"], "jq 1.8.2"),
            ("grep of a rare literal in 100 MB", "3", 1, "grep needleXYZ input", "text", ["grep", "needleXYZ", "input"], "GNU grep"),
        ]
        for what, wanted, count, program, file, peer, peer_name in rows:
            path = [str(folder / file)] if file else []
            if file:
                link = folder / "input"
                link.unlink(missing_ok=True)
                link.symlink_to(folder / file)
            mine, theirs = [], []
            for _ in range(options.rounds):
                mine.append(inside([ours, str(count), program, *path], options.cpu))
                if peer:
                    theirs.append(outside(peer, folder, options.cpu))
            if None in mine:
                sys.exit(f"{program} did not run")
            a, b = min(mine), min(theirs) if theirs else None
            row = f"| {what} | {wanted} | {a:.3f} ms | " + (f"{b:.1f} ms, {peer_name} | {a / b:.2f} |" if b else "| |")
            for kind in (("bashkit", "just-bash") if options.peers else ()):
                took = inside(["node", str(HERE / "shell_peer.mjs"), options.peers, kind, str(min(count, 3)), program, *path], options.cpu)
                row += f" {took:.1f} ms |" if took is not None else " fails |"
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
