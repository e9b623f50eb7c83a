#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""demo.py -- runs refunds.js and counts what the same work costs when a model makes each call itself.

    demo.py CLOCHE              with refunds.js
    demo.py CLOCHE refunds.sh   the same work as a shell program

The counts come from the ledger of this very run: what each call was given, and what it was answered or
told when it was denied. Call by call, a model writes the first and reads the second; as one program, it
writes the program and reads what that printed.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def run(cloche, program, ledger):
    """The result. Nobody is at hand to approve: the demo is the same wherever it runs."""
    finished = subprocess.run(
        [cloche, "sh" if program.suffix == ".sh" else "run", "--json", "--ask", "deny", "--config",
         HERE / "cloche.json", "--ledger", ledger, program],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    if finished.returncode != 0:
        sys.stdout.buffer.write(finished.stdout)
        sys.exit(finished.returncode)
    return json.loads(finished.stdout)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def calls_of(ledger):
    """[request, answer] of each call, in the order they were made."""
    calls = {}
    for line in ledger.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["kind"] == "decision":
            calls[record["call"]] = [compact(record["params"]), record.get("message", "")]
        elif record["kind"] == "settle":
            calls[record["call"]][1] = compact(record.get("result", record.get("error")))
    return list(calls.values())


def size(text):
    return len(text.encode())


def call_by_call(calls):
    """Bytes that are new to the context, and bytes that the model reads over all its turns: each turn
    reads again what came before."""
    new = read = 0
    for call in calls:
        read += new
        new += sum(size(text) for text in call)
    return new, read + new


def main():
    cloche = Path(sys.argv[1]).resolve()
    code = HERE / (sys.argv[2] if len(sys.argv) > 2 else "refunds.js")
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "ledger"
        result = run(cloche, code, ledger)
        calls = calls_of(ledger)
    print(result["stdout"], end="")
    for file in result["files"]["created"]:
        print(f"created {file['path']}, {file['size']} bytes")

    usage = result["usage"]
    new, read = call_by_call(calls)
    program = size(code.read_text(encoding="utf-8")) + size(result["stdout"])
    print(f"\n{'':44}{'one program':>14}{'call by call':>14}")
    for name, one, many in (("round trips through the model", 1, len(calls)),
                            ("bytes that pass through its context", program, new),
                            ("bytes it reads, each turn with all before", program, read)):
        print(f"{name:44}{one:>14,}{many:>14,}")
    print(f"\n{len(calls)} calls, {usage['denied']} denied; the sandbox computed for "
          f"{usage['wall_ms']:.1f} ms and waited {usage['waiting_ms']:.0f} ms for the tools.")


main()
