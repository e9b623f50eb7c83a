#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Composes random snippets and runs each in the guest's shell and in bash.

    generate.py --guest guest-native [--seed N] [--count N] [--seconds N]

A difference is printed as a snippet that can be pasted into one of the .txt files. Everything a
snippet does ends by itself, and nothing in it depends on time, process numbers or the folder's path.
"""
import argparse
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run  # noqa: E402

NAMES = ["x", "y", "z", "arr", "m"]
WORDS = ["a", "b", "abc", "a b", "", "*", "a*", "foo.txt", "x=1", "-n", "--", "1", "42", "-7", "0x1f",
         "/usr/lib", "it's", 'q"q', "$x", "~", "é", "a:b:c", "a,b", "  pad  ", "\\", "tab\there", "{a,b}"]
PATTERNS = ["*", "?", "a*", "*b", "[a-c]", "[!a]*", "*.txt", "a?c", "[[:alpha:]]*", "*[0-9]", "?*", "b", "", "*/", "/*"]


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.depth = 0
        self.loops = 0

    def pick(self, items):
        return self.r.choice(items)

    def chance(self, p):
        return self.r.random() < p

    # ---- words ----

    def quoted(self, text):
        how = self.r.randrange(4)
        if how == 0:
            return "'" + text.replace("'", "'\\''") + "'"
        if how == 1:
            return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$").replace("`", "\\`") + '"'
        if how == 2:
            return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\t", "\\t") + "'"
        return "".join("\\" + c if not c.isalnum() and ord(c) < 128 else c for c in text) or "''"

    def operator(self):
        w = self.word(simple=True)
        p = self.pick(PATTERNS)
        return self.pick([
            lambda: ":-" + w, lambda: "-" + w, lambda: ":+" + w, lambda: "+" + w,
            lambda: "#" + p, lambda: "##" + p, lambda: "%" + p, lambda: "%%" + p,
            lambda: "/" + (p.replace("/", "\\/") or "b") + "/" + w, lambda: "//" + (p.replace("/", "\\/") or "a") + "/" + w,
            lambda: "/" + (p.replace("/", "\\/") or "b"),
            lambda: ":" + str(self.r.randrange(4)), lambda: ": -" + str(self.r.randrange(1, 4)),
            lambda: ":%d:%d" % (self.r.randrange(3), self.r.randrange(4)),
            lambda: "^", lambda: "^^", lambda: ",", lambda: ",,", lambda: "@Q", lambda: "@U", lambda: "@L", lambda: "@u",
        ])()

    def parameter(self):
        name = self.pick(["x", "y", "z", "1", "2", "@", "*", "#", "?", "arr[0]", "arr[1]", "arr[@]", "arr[*]",
                          "m[k]", "m[@]", "nope", "!ref", "#x", "#arr[@]", "!arr[@]", "arr", "arr[-1]", "#1", "#@"])
        if name in ("#", "?") or name.startswith("#") or name == "!arr[@]":
            return "${" + name + "}"
        if self.chance(0.5):
            return "${" + name + "}"
        return "${" + name + self.operator() + "}"

    def word(self, simple=False):
        kinds = ["literal", "quoted", "param", "dparam"]
        if not simple and self.depth < 3:
            kinds += ["command", "arith", "brace", "mixed", "mixed"]
        kind = self.pick(kinds)
        if kind == "literal":
            return self.pick(["a", "b", "abc", "foo.txt", "x1", "12", "-x", "a.b", "_"])
        if kind == "quoted":
            return self.quoted(self.pick(WORDS))
        if kind == "param":
            return self.parameter()
        if kind == "dparam":
            return '"' + self.pick(["", "p", " "]) + self.parameter() + self.pick(["", "s", " "]) + '"'
        if kind == "command":
            self.depth += 1
            made = "$( " + self.substituted() + ")"
            self.depth -= 1
            return made if self.chance(0.5) else '"' + made + '"'
        if kind == "arith":
            return "$((" + self.arith() + "))"
        if kind == "brace":
            return self.pick(["{a,b}", "x{1..3}", "{c,d}y", "{a,{b,c}}", "{3..1}", "{a..c}", "{1,}"])
        self.depth += 1
        made = self.word() + self.word()
        self.depth -= 1
        return made

    def arith(self):
        if self.depth > 3 or self.chance(0.35):
            return self.pick(["1", "2", "7", "x", "y", "z", "arr[1]", "0x10", "n", "#", "010"]).replace("#", "3")
        self.depth += 1
        left, right = self.arith(), self.arith()
        self.depth -= 1
        return self.pick([
            f"{left} + {right}", f"{left}-{right}", f"({left} * {right})", f"{left} < {right}", f"({left}) ? {right} : 5",
            f"{left} & {right}", f"{left} | {right}", f"!{left}", f"-({left})", f"~{left}", f"{left} << 2", f"n += {right}",
            f"{left} == {right}", f"{left} && {right}", f"{left} || {right}", f"n = {left}, {right}", "n++", "--n",
            f"{left} % 7", f"{left} / 3", f"{left} ^ {right}", f"{left} ** 2",
        ])

    # ---- commands ----

    def substituted(self):
        """Without array literals: this bash cannot parse quotes in one inside $( )."""
        while True:
            made = self.simple()
            if "arr=(" not in made and "arr+=(" not in made:
                return made

    def simple(self):
        w = self.word
        return self.pick([
            lambda: "printf '<%s>' " + " ".join(w() for _ in range(self.r.randrange(1, 4))) + "; echo",
            lambda: "printf '<%s>' " + w() + w() + "; echo",
            lambda: "echo " + w() + " " + w(),
            lambda: f"{self.pick(['x', 'y', 'z'])}={w(simple=True)}",
            lambda: f"{self.pick(['x', 'y'])}+={w(simple=True)}",
            lambda: f"arr+=({w()} {w()})",
            lambda: f"arr=({w()} {w()} {w()})",
            lambda: f"m[k]={w(simple=True)}",
            lambda: f"set -- {w()} {w()}",
            lambda: f"((n = {self.arith()}))",
            lambda: f"[[ a{w(simple=True)} == {self.pick(PATTERNS[:6])} ]]; echo $?",
            lambda: f"[[ a{w(simple=True)} < {w(simple=True)} ]]; echo $?",
            lambda: f"[ {self.quoted(self.pick(WORDS))} {self.pick(['=', '!='])} {self.quoted(self.pick(WORDS))} ]; echo $?",
            lambda: "echo $?", lambda: "true", lambda: "false", lambda: "(exit 3)",
            lambda: f"read -r x y <<< {w(simple=True)}; echo \"[$x][$y]\"",
            lambda: f"IFS={self.pick([':', ',', 'b', chr(39) + ' ' + chr(39)])}; printf '<%s>' {self.parameter()}; echo; unset IFS",
            lambda: "echo " + w() + " | tr a-z A-Z",
            lambda: "declare -p arr", lambda: "echo \"$*\" $#",
            lambda: f"printf '%s %d\\n' {self.quoted(self.pick(WORDS))} {self.pick(['1', '077', '0xf', '-3'])}",
            lambda: f"x={self.parameter()}; echo \"$x\"",
        ])()

    def block(self, count):
        return "\n".join(self.statement() for _ in range(count))

    def loop(self, body):
        self.loops += 1
        return f"k{self.loops}=0; while ((k{self.loops}++ < 2)); do\n{body}\ndone"

    def statement(self):
        if self.depth >= 3 or self.chance(0.55):
            return self.simple()
        self.depth += 1
        a, b, c = self.simple(), self.statement(), self.statement()
        made = self.pick([
            lambda: f"if {a}; then\n{b}\nelse\n{c}\nfi",
            lambda: f"for i in {self.word()} {self.word()}; do\necho \"i=$i\"\n{b}\ndone",
            lambda: self.loop(b),
            lambda: f"case {self.word(simple=True)} in {self.pick(PATTERNS[:5])}) {a};; *) {b};; esac",
            lambda: f"( {b}\n{c})", lambda: f"{{ {b}\n}}", lambda: f"{b} && {c}", lambda: f"{a} || {b}",
            lambda: f"f() {{ {b}\n}}; f {self.word()} {self.word()}",
            lambda: f"{{ {b}\n}} | cat", lambda: f"! {a}", lambda: f"{a}\necho st=$?",
            lambda: "cat <<E\n" + self.parameter() + " $( " + self.substituted() + ")\nE",
            lambda: f"for ((j=0; j<2; j++)); do {b}\ndone",
            lambda: f"g() {{ local x={self.word(simple=True)}; {b}\n}}; g; echo \"$x\"",
        ])()
        self.depth -= 1
        return made

    def script(self):
        head = "x=abc y='a b' z=; arr=(one 'two 2' 3); declare -A m=([k]=v); ref=x; n=1; set -- p 'q r' ''\n"
        if self.chance(0.1):
            head += "set -u\n"
        if self.chance(0.1):
            head += "shopt -s extglob nullglob\n"
        if self.chance(0.1):
            head += "set -e\n"
        return head + self.block(self.r.randrange(2, 7)) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--guest", required=True)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    first = options.seed if options.seed is not None else random.randrange(1 << 30)
    guest = os.path.abspath(options.guest)
    end, failed, done = time.time() + options.seconds, 0, 0
    for seed in range(first, first + options.count):
        if time.time() > end:
            break
        snippet = run.Snippet("generated", seed, f"seed {seed}")
        snippet.body = [Generator(seed).script()]
        found, errors = run.differences(snippet, guest)
        done += 1
        if not found:
            continue
        failed += 1
        print(f"=== seed {seed}\n{snippet.body[0]}", end="")
        for what, want, got in found:
            print(f"  {what}:")
            run.show("bash ", want)
            run.show("guest", got)
        run.show("guest stderr", errors)
    print(f"{done} snippets from seed {first}, {failed} differ")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
