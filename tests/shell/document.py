#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/shell.md out of what the shell itself says, or checks that it is current.

    document.py --guest PROGRAM docs/shell.md            fails, and says where, when it is not
    document.py --guest PROGRAM --write docs/shell.md

The parts between "<!-- from the program: NAME -->" and "<!-- end -->" are made; the rest is written by
hand. PROGRAM is cloche, or guest-native.
"""
import argparse
import difflib
import os
import re
import subprocess
import sys


def ask(guest, script):
    command = [guest, "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"document.py: {script!r} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def table(rows, head):
    def cell(text):
        return text.replace("|", "\\|")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)


def code(text):
    if "`" in text:
        return "`` " + text + " ``"
    return f"`{text}`" if text else ""


def keywords(guest):
    return " ".join(code(word) for word in ask(guest, "compgen -k").split())


def builtins(guest):
    rows = []
    for name in ask(guest, "compgen -b").split():
        lines = ask(guest, f"help -- '{re.escape(name)}'").splitlines()
        usage = lines[0].split(": ", 1)[1].strip()
        rows.append((code(usage), lines[1].strip()))
    return table(rows, ("builtin", "what it does"))


def options(guest):
    rows = [line.split() for line in ask(guest, "set -o").splitlines()]
    return " ".join(code(name) for name, _ in rows)


def shopts(guest):
    rows = [line.split() for line in ask(guest, "shopt; :").splitlines()]
    return " ".join(code(name) for name, _ in rows)


def commands(guest):
    names = [n for n in ask(guest, "for n in $(compgen -c); do [ \"$(type -P -- \"$n\")\" ] && echo \"$n\"; done; :").split()]
    parts = []
    for name in sorted(set(names)):
        text = ask(guest, f"help -c -- '{name}'")
        start = text.index("Usage: ")
        usage, _, rest = text[start + 7:].partition("\n\n")
        usage = [line.replace("   or: ", "").strip() for line in usage.split("\n")]
        rows = []
        for line in rest.splitlines():
            # The option fills 28 columns, or runs into the text behind one space.
            left, right = line[2:30], line[31:]
            if line[30:31] != " ":
                left, right = re.match(r"((?:-\S+, )*-\S+) (.*)$", line[2:]).groups()
            rows.append((code(left.strip()), right.strip()))
        parts.append(f"### {name}\n\n" + "  \n".join(code(u) for u in usage if u))
        if rows:
            parts[-1] += "\n\n" + table(rows, ("option", "what it does"))
    return "\n\n".join(parts)


MAKERS = {"keywords": keywords, "builtins": builtins, "options": options, "shopts": shopts, "commands": commands}


def made(guest, text):
    def fill(found):
        return f"<!-- from the program: {found[1]} -->\n{MAKERS[found[1]](guest)}\n<!-- end -->"
    return re.sub(r"<!-- from the program: (\w+) -->\n.*?<!-- end -->", fill, text, flags=re.S)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--guest", required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("file")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        there = file.read()
    wanted = made(os.path.abspath(options.guest), there)
    if options.write:
        with open(options.file, "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    differences = list(difflib.unified_diff(there.splitlines(), wanted.splitlines(), options.file, "as the program says", lineterm="", n=0))
    for line in differences[:40]:
        print(line)
    if differences:
        print("docs/shell.md is not current: tests/shell/document.py --guest build/cloche --write docs/shell.md")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
