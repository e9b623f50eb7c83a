#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Composes random snippets and runs each in the guest's shell and in bash.

    generate.py --guest guest-native [--seed N] [--count N] [--seconds N] [--splice]

With --splice, snippets are those of the .txt files, put into one another: in functions, subshells,
pipelines, loops, substitutions, traps, eval, with options set before.

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
        how = self.r.choice([0, 1, 3]) if "'" in text or '"' in text or "\\" in text else self.r.randrange(4)
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
            if "arr=(" not in made and "arr+=(" not in made and "<<" not in made:
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
            self.more,
        ])()

    def file(self):
        return self.pick(["f1", "f2"])

    def more(self):
        """Builtins and redirections."""
        w, f = self.word, self.file()
        return self.pick([
            lambda: f"echo {w()} > {f}", lambda: f"echo {w()} >> {f}", lambda: f"cat {f} 2>/dev/null",
            lambda: f"printf '%s\\n' {w()} {w()} > {f}; mapfile -t arr < {f}; declare -p arr",
            lambda: f"read -ra arr <<< {w(simple=True)}; declare -p arr",
            lambda: f"IFS={self.pick([':', ',', chr(39) + ' :' + chr(39), 'b'])} read x y z <<< {w(simple=True)}; printf '<%s>' \"$x\" \"$y\" \"$z\"; echo",
            lambda: f"read -n {self.r.randrange(1, 4)} x <<< {w(simple=True)}; echo \"[$x]\"",
            lambda: f"read -d {self.pick(['b', ' ', 'z'])} x <<< {w(simple=True)}; echo \"[$x]\" $?",
            lambda: f"printf -v x '%5s|%-5s|%.2s' {w(simple=True)} {w(simple=True)} {w(simple=True)}; echo \"$x\"",
            lambda: f"printf '%q ' {w()} {w()}; echo",
            lambda: f"printf '%b|' {w(simple=True)}; echo",
            lambda: f"printf '%{self.pick(['', '5', '-5', '05', '+', 'x', '#x', '.3'])}d|' {self.pick(['1', '-7', '077', '42'])}; echo".replace("xd", "x"),
            lambda: f"OPTIND=1; while getopts :ab:c o {self.pick(['-a -b v', '-abv x', '-c -x', '-b', '-a -- -b', 'p -a'])}; do echo \"$o [$OPTARG]\"; done; echo $OPTIND",
            lambda: f"declare {self.pick(['-i', '-l', '-u', '-x', '-a', '-g', ''])} v{self.r.randrange(3)}={w(simple=True)} 2>/dev/null; declare -p v0 v1 v2 2>/dev/null",
            lambda: f"unset {self.pick(['x', 'y', 'arr[1]', 'm[k]', 'arr', 'v0'])}; echo \"${{x-none}} ${{arr[*]-none}}\"",
            lambda: "shift; echo $#", lambda: f"eval {self.quoted(self.substituted())}",
            lambda: f"trap {self.quoted('echo trapped')} {self.pick(['EXIT', 'ERR', 'USR1'])}",
            lambda: "kill -USR1 $$ 2>/dev/null; :" if False else "trap", lambda: f"x=${{x//{self.pick(['a', 'b', '[ab]', '?'])}/{self.pick(['', 'Z', '&', '<&>'])}}}; echo \"$x\"",
            lambda: f"{self.pick(['true', 'false'])} | {self.pick(['true', 'false', '(exit 3)'])}; echo ${{PIPESTATUS[@]}} $?",
            lambda: f"( exit {self.r.randrange(4)} ) & wait $!; echo $?",
            lambda: f"cat <<< {w()}", lambda: f"cat <<'E'\n$x {self.pick(WORDS)}\nE",
            lambda: f"cat < <(echo {w()})", lambda: f"{{ echo out; echo err >&2; }} 2>&1 | sort",
            lambda: f"case {w(simple=True)} in a*) echo 1;;& *b*) echo 2;& [!x]*) echo 3;; *) echo 4;; esac",
            lambda: f"local_f() {{ local x={w(simple=True)} y; echo \"$x|${{y-unset}}|$#\"; return {self.r.randrange(3)}; }}; local_f {w()}; echo $?",
            lambda: f"type -t {self.pick(['echo', 'if', 'f', 'nosuch', 'cat'])}; echo $?",
            lambda: f"set -o pipefail; {self.pick(['true', 'false'])} | true; echo $?; set +o pipefail",
            lambda: f"echo \"${{x:{self.r.randrange(-3, 4)}}}\" \"${{y:1:{self.r.randrange(-2, 3)}}}\" 2>/dev/null".replace(":-", ": -"),
            lambda: f"[[ {self.quoted(self.pick(WORDS))} =~ {self.pick(['^a', 'b+', '(a)(b)?', '[0-9]+$', '.', '^$', 'x|y'])} ]]; echo $? \"${{BASH_REMATCH[@]}}\"",
        ])()

    def block(self, count):
        return "\n".join(self.statement() for _ in range(count))

    def function(self, body):
        self.loops += 1
        name = f"g{self.loops}"
        return f"{name}() {{ local x={self.word(simple=True)}; {body}\n}}; {name}; echo \"$x\""

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
            lambda: self.function(b),
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


# ---- splicing ----

UNFIT = ("sleep", "$$", "BASHPID", "RANDOM", "SECONDS", "LINENO", "times", "kill", "wait", "jobs", "date", "/proc",
         "bash", "BASH_", "$0", "t.sh", "exit trap", "caller", "FUNCNAME", "{fd}", "/dev/fd", "EPOCH", "coproc", "PPID",
         "ulimit", "history", "umask", "set -v", "set -n", "set -t", "set -x", "xtrace", "PS4", "trap", "disown", "%(", "alias", ">(", "cd /", "cd ..", "cd -", "./rec", "$( if )")


def corpus():
    found = []
    for file in sorted(os.listdir(run.HERE)):
        if file.endswith(".txt") and file not in ("limits.txt", "scripts.txt", "data.txt", "manual.txt"):
            for snippet in run.read_snippets(os.path.join(run.HERE, file)):
                text = "".join(snippet.body).rstrip("\n")
                if snippet.only is None and not snippet.flags and len(text) < 700 and not any(u in text for u in UNFIT):
                    found.append(text)
    return found


def quoted_whole(text):
    return "'" + text.replace("'", "'\\''") + "'"


CONTEXTS = [
    lambda t, n: f"( {t}\n)", lambda t, n: f"{{ {t}\n}} | cat", lambda t, n: f"f{n}() {{\n{t}\n}}\nf{n} a 'b c'; echo $?",
    lambda t, n: f"eval {quoted_whole(t)}", lambda t, n: f"x{n}=$(\n{t}\n); echo \"$? $x{n}\"", lambda t, n: f"if\n{t}\nthen echo yes; else echo no; fi",
    lambda t, n: f"for i{n} in 1 2; do\n{t}\ndone", lambda t, n: f"! {{\n{t}\n}}; echo $?", lambda t, n: f"{{\n{t}\n}} && echo and || echo or",
    lambda t, n: f"( trap 'echo bye $?' EXIT\n{t}\n)", lambda t, n: f"( set -e\n{t}\n); echo $?", lambda t, n: f"( set -u\n{t}\n)",
    lambda t, n: f"( trap 'echo err' ERR\n{t}\n)", lambda t, n: f"cat < <(\n{t}\n)", lambda t, n: f"{{\n{t}\n}} > out; cat out",
    lambda t, n: f"( set -f\n{t}\n)", lambda t, n: f"( shopt -s extglob nullglob\n{t}\n)", lambda t, n: f"( IFS=:\n{t}\n)",
    lambda t, n: f"echo in | {{\n{t}\n}}", lambda t, n: f"case x in x)\n{t}\n;; esac", lambda t, n: f"({t}\n) & wait", lambda t, n: f"while :; do\n{t}\nbreak; done",
    lambda t, n: f"bash -c {quoted_whole(t)} name a b", lambda t, n: f"set -- p q 'r s'\n{t}", lambda t, n: f"f{n}() {{\n{t}\n}}; eval \"$(declare -f f{n})\"; f{n}",
    lambda t, n: f"printf '%s\\n' {quoted_whole(t)} > s{n}; . ./s{n}; echo $?", lambda t, n: f"cat <<E{n}\n$(\n{t}\n)\nE{n}",
]


def spliced(seed, texts):
    r = random.Random(seed)
    parts = []
    for n in range(r.randrange(1, 4)):
        text = r.choice(texts)
        for level in range(r.choice([0, 1, 1, 2])):
            context = r.choice(CONTEXTS)
            if "shopt" not in text or "<<" not in context("", 0):  # options count when such a text is parsed
                text = context(text, n * 4 + level)
        parts.append(text)
    return "\n".join(parts) + "\necho end\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--guest", required=True)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--splice", action="store_true")
    options = parser.parse_args()
    texts = corpus() if options.splice else []
    first = options.seed if options.seed is not None else random.randrange(1 << 30)
    guest = os.path.abspath(options.guest)
    end, failed, done = time.time() + options.seconds, 0, 0
    for seed in range(first, first + options.count):
        if time.time() > end:
            break
        snippet = run.Snippet("generated", seed, f"seed {seed}")
        snippet.body = [spliced(seed, texts) if options.splice else Generator(seed).script()]
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
