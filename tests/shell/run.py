#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs snippets in the guest's shell and in the machine's bash, and compares them byte for byte.

    run.py --guest PROGRAM [-k WORD] [-v] [FILE...]      PROGRAM: cloche, or guest-native

A file holds snippets, each behind a line "=== name". Words behind the name change what is compared:
  !stderr  standard error too          !nostatus  not the exit status
  only:X   bash is not asked: X is the expected standard output (with \\n for newlines)
  !native  not in the program: there the run ends as limit.stack (docs/shell.md)
  !input   the rest of the snippet behind a line "---" is standard input
Lines in front of the first snippet are comments. Both run the snippet as the file ../t.sh in a fresh,
empty folder with the same small environment; the guest has a folder of its own.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/workspace", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


class Snippet:
    def __init__(self, path, line, header):
        words = header.split()
        self.path, self.line = path, line
        self.flags = [w[1:] for w in words if w in ("!stderr", "!nostatus", "!input", "!native")]
        self.only = None
        for word in words:
            if word.startswith("only:"):
                self.only = header.split("only:", 1)[1].encode().decode("unicode_escape").encode("latin-1")
        self.name = header.split("only:")[0].strip()
        self.body = []

    def texts(self):
        script, rest = "".join(self.body), ""
        if "input" in self.flags:
            script, rest = script.split("---\n", 1)
        return script.encode(), rest.encode()


def read_snippets(path):
    snippets = []
    with open(path, encoding="utf-8", newline="") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("=== "):
                snippets.append(Snippet(path, number, line[4:].rstrip("\n")))
            elif snippets:
                snippets[-1].body.append(line)
    return snippets


def run(command, script, data, folder):
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    with open(os.path.join(folder, "t.sh"), "wb") as file:
        file.write(script)
    try:
        done = subprocess.run(command, input=data, cwd=empty, env=ENVIRONMENT, capture_output=True,
                              timeout=20)
        return done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", b"TIMEOUT", -1


def ask_bash(snippet):
    script, data = snippet.texts()
    if snippet.only is not None:
        return snippet.only, b"", 0
    with tempfile.TemporaryDirectory() as folder:
        return run(["bash", "--norc", "../t.sh"], script, data, folder)


def ask_guest(snippet, guest):
    script, data = snippet.texts()
    command = [guest, "--stdin", "-", "sh", "../t.sh"]
    if os.path.basename(guest) == "cloche":
        command = [guest, "sh", "--stdin-from", "-", "../t.sh"]
    with tempfile.TemporaryDirectory() as folder:
        return run(command, script, data, folder)


def differences(snippet, guest):
    want, got = ask_bash(snippet), ask_guest(snippet, guest)
    found = []
    if want[0] != got[0]:
        found.append(("stdout", want[0], got[0]))
    if "stderr" in snippet.flags and want[1] != got[1]:
        found.append(("stderr", want[1], got[1]))
    if "nostatus" not in snippet.flags and snippet.only is None and want[2] != got[2]:
        found.append(("status", str(want[2]).encode(), str(got[2]).encode()))
    return found, got[1]


def show(label, data):
    text = data.decode("utf-8", "backslashreplace")
    for line in (text.splitlines() or [""])[:40]:
        print(f"    {label} | {line}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--guest", required=True)
    parser.add_argument("-k", default="")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    guest = os.path.abspath(options.guest)
    files = options.files or sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith(".txt"))
    snippets = [s for path in files for s in read_snippets(path) if options.k in s.name]
    if os.path.basename(guest) == "cloche":
        snippets = [s for s in snippets if "native" not in s.flags]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for snippet, (found, errors) in zip(snippets, pool.map(lambda s: differences(s, guest), snippets)):
            if not found:
                if options.v:
                    print(f"ok {snippet.name}")
                continue
            failed += 1
            print(f"FAILED {os.path.basename(snippet.path)}:{snippet.line} {snippet.name}")
            for what, want, got in found:
                print(f"  {what}:")
                show("bash ", want)
                show("guest", got)
            if errors and not any(what == "stderr" for what, _, _ in found):
                show("guest stderr", errors)
    print(f"{len(snippets)} snippets, {failed} differ")
    return 1 if failed or not snippets else 0


if __name__ == "__main__":
    sys.exit(main())
