#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""demo.py -- runs refunds.js and counts what the same work costs when a model makes each call itself.

    demo.py CLOCHE

The counts come from this run. payments.py logs each call that reached it, and the one that was denied
is known from the usage. Call by call, a model writes the arguments of each call and reads its answer;
as one program, it writes the program and reads what that printed.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def run(cloche, log):
    finished = subprocess.run(
        [cloche, "run", "--json", "--config", HERE / "cloche.json", HERE / "refunds.js"],
        env={**os.environ, "PAYMENTS_LOG": log}, stdout=subprocess.PIPE, check=False)
    if finished.returncode != 0:
        sys.stdout.buffer.write(finished.stdout)
        sys.exit(finished.returncode)
    return json.loads(finished.stdout)


def size(text):
    return len(text.encode())


def call_by_call(calls):
    """Bytes that are new to the context, and bytes that the model reads over all its turns: each turn
    reads again what came before."""
    new = read = 0
    for call in calls:
        read += new
        new += size(call["request"]) + size(call["answer"])
    return new, read + new


def main():
    cloche = Path(sys.argv[1]).resolve()
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as log:
        result = run(cloche, log.name)
        calls = [json.loads(line) for line in log]
    print(result["stdout"], end="")

    usage = result["usage"]
    new, read = call_by_call(calls)
    program = size((HERE / "refunds.js").read_text(encoding="utf-8")) + size(result["stdout"])
    print(f"\n{'':44}{'one program':>14}{'call by call':>14}")
    for name, one, many in (("round trips through the model", 1, usage["calls"]),
                            ("bytes that pass through its context", program, new),
                            ("bytes it reads, each turn with all before", program, read)):
        print(f"{name:44}{one:>14,}{many:>14,}")
    print(f"\n{usage['calls']} calls, {usage['denied']} denied; the sandbox computed for "
          f"{usage['wall_ms']:.1f} ms and waited {usage['waiting_ms']:.0f} ms for the tools.")


main()
