#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""transcript.py -- runs sessions of a terminal that are written down, and compares.

    transcript.py CLOCHE FILE...

    $ cloche run -e 'return 1'        a command; "> " continues it on the next line
    1                                 what it prints on standard output
    ! cloche: ...                     what it prints on standard error
    [2]                               its exit status, where that is not 0

Lines in any order between the two streams, in order within each. "<...>" stands for anything within a
line; a line that is only "<...>" stands for any number of lines. Text before the first command and lines
that begin with "#" are comments. In a Markdown file, only blocks marked ```console are read, and blocks
marked ```sh run, which can be pasted as they are: each is one command, and the ```text block that follows
it, if one does, is what it prints on both streams. All commands
of a file run one after another in one empty folder, under sh, with cloche in the PATH and ROOT and BUILD
naming the sources and the build; a command that takes longer than a minute has failed.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MINUTE = 60


class Case:
    def __init__(self, line, command, merged=False):
        self.line, self.command, self.merged = line, command, merged
        self.out, self.err, self.status = [], [], 0


def fences(lines):
    """The blocks of a Markdown file: what stands after their ```, the numbered lines, and whether
    only empty lines lie between a block and the one before it."""
    kind, inside, follows = None, [], False
    for number, line in lines:
        if not line.startswith("```"):
            inside.append((number, line))
            follows = follows and (kind is not None or not line.strip())
        elif kind is None:
            kind, inside = line[3:].strip(), []
        else:
            yield kind, inside, follows
            kind, follows = None, True


def read_markdown(lines):
    cases, pasted = [], False
    for kind, inside, follows in fences(lines):
        if kind == "console":
            cases += read_session(inside)
        elif kind == "sh run":
            cases.append(Case(inside[0][0], "\n".join(line for _, line in inside), merged=True))
        elif kind == "text" and pasted and follows:
            cases[-1].out = [line for _, line in inside]
        pasted = kind == "sh run"
    return cases


def read(path):
    lines = enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
    return read_markdown(lines) if path.suffix == ".md" else read_session(lines)


def read_session(lines):
    cases = []
    for number, line in lines:
        if line.startswith("$ "):
            cases.append(Case(number, line[2:]))
        elif not cases or line.startswith("#"):
            continue
        elif line.startswith("> ") or line == ">":
            cases[-1].command += "\n" + line[2:]
        elif line.startswith("! ") or line == "!":
            cases[-1].err.append(line[2:])
        elif re.fullmatch(r"\[\d+\]", line):
            cases[-1].status = int(line[1:-1])
        else:
            cases[-1].out.append(line)
    for case in cases:
        while case.out and case.out[-1] == "":
            case.out.pop()
    return cases


def pattern(lines):
    parts = []
    for line in lines:
        if line == "<...>":
            parts.append(r"(?:[^\n]*\n)*")
        else:
            parts.append("[^\n]*".join(re.escape(part) for part in line.split("<...>")) + "\n")
    return "".join(parts)


def matches(lines, text):
    if text and not text.endswith("\n"):
        text += "\n"
    return re.fullmatch(pattern(lines), text) is not None


def quoted(text):
    return "".join(f"    {line}\n" for line in text.split("\n")[:40])


def check(case, folder, environment):
    """None when it went as written, otherwise what was different."""
    try:
        got = subprocess.run(["sh", "-c", case.command], cwd=folder, env=environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT if case.merged else subprocess.PIPE,
                             timeout=MINUTE, check=False)
    except subprocess.TimeoutExpired:
        return f"  no end after {MINUTE} s\n"
    out, err = (stream.decode("utf-8", "replace") for stream in (got.stdout, got.stderr or b""))
    wrong = ""
    if got.returncode != case.status:
        wrong += f"  exit status {got.returncode}, not {case.status}\n"
    for name, wanted, text in (("output", case.out, out), ("errors", case.err, err)):
        if not matches(wanted, text):
            wrong += f"  {name}, as it is:\n{quoted(text)}  and as it should be:\n"
            wrong += quoted("\n".join(wanted))
    return wrong or None


def run_file(path, environment):
    failed, cases = 0, read(path)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            wrong = check(case, folder, environment)
            if wrong is not None:
                failed += 1
                print(f"{path.name}:{case.line}: $ {case.command}\n{wrong}")
    return len(cases), failed


def main():
    cloche = Path(sys.argv[1]).resolve()
    environment = {**os.environ, "PATH": f"{cloche.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                   "ROOT": str(Path(__file__).resolve().parents[2]), "BUILD": str(cloche.parent)}
    total = total_failed = 0
    for name in sys.argv[2:]:
        count, failed = run_file(Path(name), environment)
        total, total_failed = total + count, total_failed + failed
    print(f"{total} commands, {total_failed} went otherwise than written")
    sys.exit(total_failed > 0 or total == 0)


main()
