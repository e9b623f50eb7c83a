#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""chaos.py -- kills the worker at random moments while tools run.

    chaos.py CLOCHE [ROUNDS [SEED]]

A program calls tools without end; the worker that holds it gets SIGKILL. Each time the other process
has to say so and exit with 125, no tool may be left running, and the ledger has to verify.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = """
let n = 0;
const go = async () => { for (;;) { await nap({ n: n++ }); await quick({ n }) } };
await Promise.all([go(), go(), go(), (async () => { for (;;) { await quick({ n }); for (let i = 0; i < 1e4; i++); } })()]);
"""


def children(pid):
    try:
        words = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(word) for word in words]


def find_worker(pid, until):
    while time.monotonic() < until:
        for child in children(pid):
            try:
                if Path(f"/proc/{child}/cmdline").read_bytes() == b"cloche\0worker\0":
                    return child
            except OSError:
                pass
        time.sleep(0.0005)
    return None


def with_marker(marker):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def one_round(cloche, folder, number, rng):
    ledger = folder / f"ledger-{number}"
    marker = f"CLOCHE_CHAOS={os.getpid()}.{number}"
    name, value = marker.split("=")
    config = folder / "c.json"
    tool = {"env": {name: value}}
    config.write_text(json.dumps({
        "tools": [{"name": "nap", "command": ["sh", "-c", "sleep 0.05; echo 1"], **tool},
                  {"name": "quick", "command": ["cat"], **tool}],
        "policy": {"rules": [{"pattern": "**", "effect": "allow"}]}}))
    process = subprocess.Popen([cloche, "run", "--config", config, "--ledger", ledger, "--calls", "none", "-"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(PROGRAM.encode())
    process.stdin.close()
    time.sleep(rng.random() * 0.02)
    for _ in range(5):  # one that dies before it is needed is replaced, which is right
        worker = find_worker(process.pid, time.monotonic() + 20)
        if worker is None:
            sys.exit(f"round {number}: there is no worker: {process.stderr.read().decode()}")
        time.sleep(rng.random() * (0.01 if rng.random() < 0.3 else 0.3))
        os.kill(worker, signal.SIGKILL)
        try:
            status = process.wait(timeout=2)
            break
        except subprocess.TimeoutExpired:
            continue
    else:
        process.kill()
        sys.exit(f"round {number}: goes on though its workers are killed")
    said = process.stderr.read().decode()
    if status != 125 or "killed by signal 9" not in said and "cannot be made" not in said:
        sys.exit(f"round {number}: exit status {status}, and it says {said!r}")
    for _ in range(200):
        left = with_marker(marker)
        if not left:
            break
        time.sleep(0.01)
    if left:
        sys.exit(f"round {number}: tools are left: {left}")
    if ledger.exists() and ledger.stat().st_size > 0:
        check = subprocess.run([cloche, "ledger", "verify", ledger], capture_output=True, text=True)
        if check.returncode != 0:
            sys.exit(f"round {number}: the ledger does not verify: {check.stdout}{check.stderr}")


def main():
    cloche, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            one_round(cloche, Path(folder), number, rng)
    print(f"{rounds} workers killed while tools ran")


main()
