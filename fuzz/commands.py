#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""commands.py -- mutated input for commands of guest/bin, built with the sanitizers or in the sandbox.

    commands.py BUILD|CLOCHE SECONDS [TARGET...] [--runs N] [--seed N] [--keep DIR]

BUILD is the folder that `tests/bin/run.py --build` made, CLOCHE the program. A finding is a sanitizer's report, a signal, a run of more than
60 s, or patch(diff(a, b)) that is not b; its input is kept in DIR and the exit status is 1. In the sandbox each
round is one `cloche sh`, and a finding is a run that ends in a trap or a limit. A target ends after SECONDS or
N rounds, whichever comes first.
Targets: awk sed tar gzip diff date sqlite bc yq file hexdump csplit pr.
"""
import argparse
import base64
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 60
TARGETS = ["awk", "sed", "tar", "gzip", "diff", "date", "sqlite", "bc", "yq", "file", "hexdump", "csplit", "pr"]


def programs(name):
    """Words in single quotes of the rows of a command: its programs, as people write them."""
    text = (ROOT / f"tests/bin/{name}.txt").read_text()
    found = re.findall(rf"\b{name}\b[^'\n|]*'([^']+)'", text)
    return [one.encode() for one in found] or [b"p"]


def mutate(chance, data, words):
    data = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(7)
        if kind == 0 and data:
            del data[at:at + chance.randint(1, 8)]
        elif kind == 1:
            data[at:at] = bytes([chance.randrange(1, 256)])
        elif kind == 2 and data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 3:
            data[at:at] = chance.choice(words)
        elif kind == 4 and data:
            start = chance.randrange(len(data))
            data[at:at] = data[start:start + chance.randint(1, 30)] * chance.choice((1, 1, 2, 50))
        elif kind == 5:
            data[at:at] = chance.choice((b"9999999999", b"-1", b"0", b"4294967296", b"((((", b"[[:", b"\\", b"{1,9}"))
        else:
            other = chance.choice(words)
            data[at:] = other[chance.randrange(len(other) + 1):]
    return bytes(data[:20000])


class Fuzzer:
    """Runs commands as programs of the machine, in one folder."""

    def __init__(self, build, chance, keep):
        self.links, self.chance, self.keep, self.runs, self.findings = build / "links", chance, keep, 0, 0
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fuzz."))
        self.seeds = {}

    def run(self, name, *words, stdin=b"", folder=None):
        self.runs += 1
        environment = {"PATH": str(self.links), "LC_ALL": "C.UTF-8", "TZ": "UTC", "UBSAN_OPTIONS": "halt_on_error=1",
                       "ASAN_OPTIONS": "detect_leaks=0:exitcode=99:allocator_may_return_null=1"}
        words = [word.replace(b"\0", b"") if isinstance(word, bytes) else word for word in words]
        try:
            done = subprocess.run([self.links / name, *words], input=stdin, capture_output=True, timeout=LIMIT,
                                  cwd=folder or self.folder, env=environment)
        except subprocess.TimeoutExpired:
            self.report(name, words, stdin, b"more than 60 s")
            return None
        noise = b"Sanitizer" in done.stderr or b"runtime error: " in done.stderr and b".c:" in done.stderr
        if done.returncode < 0 and done.returncode != -13 or done.returncode == 99 or noise:
            self.report(name, words, stdin, done.stderr)
        return done

    def write(self, name, data):
        (self.folder / name).write_bytes(data)

    def read(self, name):
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def remove(self, *names):
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    def report(self, name, words, stdin, why):
        self.findings += 1
        if self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)
            (self.keep / f"{name}-{self.findings}").write_bytes(
                repr([str(name), *words]).encode() + b"\n" + stdin + b"\n---\n" + why[:4000])
        print(f"{name} {words!r}: {why[:700].decode(errors='replace')}", flush=True)

    def awk(self):
        words = self.seeds.setdefault("awk", programs("awk"))
        self.run("awk", mutate(self.chance, self.chance.choice(words), words), stdin=b"a b c\n1 2 3\n\nx=y z\n" * 3)

    def sed(self):
        words = self.seeds.setdefault("sed", programs("sed"))
        script = mutate(self.chance, self.chance.choice(words), words)
        if not re.search(rb"[rwWeRF]", script):  # what writes files or runs programs stays out
            self.run("sed", *self.chance.choice(([], ["-n"], ["-E"])), script, stdin=b"hello world\nfoo\nbar baz\n")

    def bc(self):
        words = self.seeds.setdefault("bc", [b"scale=20;4*a(1)", b"define f(x){if(x<2)return(1);return(x*f(x-1))}\nf(9)",
                                             b"obase=16;ibase=2;1011", b"for(i=0;i<9;i++)a[i]=i^2;a[3]", b"sqrt(2);l(2);e(1)"])
        program = mutate(self.chance, self.chance.choice(words), words)
        if not re.search(rb"\d{5,}|[*^]\s*\d{4,}|while|for\s*\(;", program):
            self.run("bc", "-l", stdin=program)

    def tar(self):
        if "tar" not in self.seeds:
            tree = self.folder / "tree"
            (tree / "sub").mkdir(parents=True)
            (tree / "sub/file").write_bytes(b"content\n" * 40)
            (tree / ("long" * 40)).write_bytes(b"x")
            (tree / "link").symlink_to("sub/file")
            self.seeds["tar"] = [subprocess.run(["tar", letters, "-", "tree"], cwd=self.folder, capture_output=True).stdout
                                 for letters in ("cf", "czf")]
        archive = self.chance.choice(self.seeds["tar"])
        data = bytearray(archive)
        for _ in range(self.chance.randint(1, 10)):
            data[self.chance.randrange(min(len(data), 4096))] = self.chance.randrange(256)
        inner = self.folder / "out"
        shutil.rmtree(inner, ignore_errors=True)
        inner.mkdir()
        self.run("tar", self.chance.choice(("tvf", "xf")), "-", stdin=bytes(data), folder=inner)
        if any(path.name not in ("tree", "out") for path in self.folder.iterdir() if path.is_dir()):
            self.report("tar", ["x"], bytes(data), b"a file outside of the folder")

    def gzip(self):
        if "gzip" not in self.seeds:
            self.seeds["gzip"] = [self.run("gzip", "-c", stdin=text).stdout
                                  for text in (b"", b"hello\n" * 100, bytes(self.chance.randrange(256) for _ in range(3000)))]
        self.run("gzip", "-dc", stdin=mutate(self.chance, self.chance.choice(self.seeds["gzip"]), [b"\0\0\xff\xff"]))
        plain = bytes(self.chance.choice(b"ab\n") for _ in range(self.chance.randrange(5000)))
        packed = self.run("gzip", f"-{self.chance.randint(1, 9)}c", stdin=plain)
        back = packed and self.run("gzip", "-dc", stdin=packed.stdout)
        if back and back.stdout != plain:
            self.report("gzip", ["round trip"], plain, b"is not what went in")

    def diff(self):
        def lines():
            return [self.chance.choice((b"a", b"b", b"c", b"", b"-x", b"+ y", b"@@ -1 +1 @@", b"--- a", b"\\ No")) for _ in
                    range(self.chance.randrange(30))]
        before = lines()
        after = [line for line in before if self.chance.random() > .2]
        for _ in range(self.chance.randrange(5)):
            after.insert(self.chance.randrange(len(after) + 1), self.chance.choice((b"new", b"a", b"")))
        a = b"\n".join(before) + (b"\n" if self.chance.random() > .3 else b"")
        b = b"\n".join(after) + (b"\n" if self.chance.random() > .3 else b"")
        for name, data in (("a", a), ("b", b), ("c", a)):
            self.write(name, data)
        made = self.run("diff", *self.chance.choice((["-u"], ["-c"], ["-U1"], ["-U0"], [])), "a", "b")
        if not made or made.returncode == 0:
            return
        applied = self.run("patch", "-s", "c", stdin=made.stdout)
        if applied and self.read("c") != b:
            self.report("patch", [a, b], made.stdout, applied.stdout + applied.stderr)
        self.remove("c.orig", "c.rej")
        self.run("patch", "-s", "-f", "c", stdin=mutate(self.chance, made.stdout, [b"@@ -1,9 +1,9 @@\n", b"--- x\n+++ y\n"]))

    def date(self):
        words = [b"2024-02-30 12:61", b"next friday -3 weeks ago", b"@1e9", b"tomorrow 5pm EST", b"Jan 1 1970 +5 days",
                 b"2024-W05-3", b"20240101T000000Z", b"last day", b"-0800", b"12/31/99"]
        self.run("date", "-d", mutate(self.chance, self.chance.choice(words), words), "+%s %c %N")

    def sqlite(self):
        if "sqlite" not in self.seeds:
            self.run("sqlite3", "seed.db", "create table t(a integer primary key, b text); create index i on t(b); with recursive"
                     " n(x) as (values(1) union all select x+1 from n where x<300) insert into t select x, 'row'||x from n;")
            self.seeds["sqlite"] = [self.read("seed.db")]
        data = bytearray(self.seeds["sqlite"][0])
        for _ in range(self.chance.randint(1, 12)):
            data[self.chance.randrange(100 if self.chance.random() < .3 else len(data))] = self.chance.randrange(256)
        self.write("bad.db", bytes(data))
        self.remove("bad.db-journal", "bad.db-wal")
        self.run("sqlite3", "bad.db", self.chance.choice((".dump", "pragma integrity_check", "select count(*), max(b) from t",
                                                          "update t set b = b || 'x'", "vacuum", ".schema")))


    def yq(self):
        words = self.seeds.setdefault("yq", [
            b"a: 1\nb:\n  - x\n  - {y: z, w: [1, 2]}\nc: |\n  text\n   more\n\nd: >-\n  folded\n  text\n", b"- &a [1, &b {c: d}]\n- *a\n- <<: *b\n",
            b"? key\n: - v\n? [x]\n: y\n", b"a: \"q\\n\\u00e9 \\\n  z\"\nb: 'it''s\n  two'\n", b"%YAML 1.2\n---\n!!str 1\n---\n!t x\n...\n",
            b"x: &x {a: [*x]}\n", b"{a: [b, c: d, ? e : f], \"g\":h}\n", b"a: plain\n  text\n\n  more # c\nb: 0x1F\n"])
        data = mutate(self.chance, self.chance.choice(words), words)
        shown = self.run("yq", "-c", ".", stdin=data)
        if shown and shown.returncode == 0 and shown.stdout:  # what is written as YAML reads back the same
            written = self.run("yq", "-y", ".", stdin=data)
            again = written and self.run("yq", "-c", ".", stdin=written.stdout)
            if again and again.stdout != shown.stdout:
                self.report("yq", ["-y"], data, written.stdout + again.stdout + again.stderr)

    def file(self):
        words = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0", b"\x1f\x8b\x08\x08abcd\0\3name\0", b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0",
                 b"SQLite format 3\0" + bytes(84), b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\2\0", b"#!/usr/bin/env python3\n", b'{"a": [1]}\n{}\n', b"a,b\n1,2\n3,4\n",
                 b"\xff\xfea\0\n\0", b"\xef\xbb\xbfx\r\ny", b"\177ELF\2\1\1" + bytes(13), b"BM" + bytes(30), b"PK\3\4\x14\0\0\0\x08\0"]
        self.run("file", self.chance.choice(("-", "-i")), *(["-"] if self.chance.random() < .5 else []),
                 stdin=mutate(self.chance, self.chance.choice(words), words))

    def hexdump(self):
        words = [b'16/1 "%02x " "\\n"', b'"%07.7_ax " 8/2 "%04x " "\\n"', b'1/4 "%u" /1 "%_c"', b'"%.3s|" "\\n"', b'2/8 "%f "', b'"%_Ad"', b'4/1 "%3_u "']
        self.run("hexdump", "-e", mutate(self.chance, self.chance.choice(words), words),
                 stdin=bytes(self.chance.randrange(256) for _ in range(self.chance.randrange(100))))

    def csplit(self):
        words = [b"/5/", b"%3%+1", b"/1/-2", b"4", b"{*}", b"{2}", b"/^[02]/+1"]
        given = [mutate(self.chance, self.chance.choice(words), words) for _ in range(self.chance.randint(1, 3))]
        if not any(re.search(rb"\d{4,}", word) for word in given):
            self.run("csplit", *self.chance.choice(([], ["-z"], ["--suppress-matched"], ["-s"])), "--", "-", *given,
                     stdin=b"".join(b"%d\n" % i for i in range(25)))

    def pr(self):
        words = [b"-3", b"-t", b"-n:3", b"-l15", b"-w30", b"-s,", b"-a", b"-d", b"-e4", b"-J", b"-o5", b"-S | ", b"-h x", b"+2:3", b"-W9", b"-m"]
        given = [mutate(self.chance, self.chance.choice(words), words)[:40] for _ in range(self.chance.randint(1, 4))]
        if not any(re.search(rb"\d{5,}", word) for word in given):
            self.run("pr", *given, stdin=mutate(self.chance, b"some text\n\twith\ttabs\n\fand feeds\n" * 9, words))


class Sandbox(Fuzzer):
    """Runs commands in the sandbox. A script makes the files first and shows those that are left."""

    def __init__(self, cloche, chance, keep):
        super().__init__(pathlib.Path("."), chance, keep)
        self.cloche, self.files = str(cloche), {}

    def write(self, name, data):
        self.files[name] = data

    def read(self, name):
        return self.files.get(name)

    def remove(self, *names):
        for name in names:
            self.files.pop(name, None)

    def run(self, name, *words, stdin=b"", folder=None):
        self.runs += 1
        words = [(word if isinstance(word, bytes) else word.encode()).replace(b"\0", b"") for word in words]
        lines = ["mkdir /tmp/w; cd /tmp/w"]
        lines += [f"base64 -d > {file} <<< '{base64.b64encode(data).decode()}'" for file, data in self.files.items()]
        lines += [f"base64 -d <<< '{base64.b64encode(stdin).decode()}' | {name} "
                  + " ".join("$'" + "".join(f"\\x{byte:02x}" for byte in word) + "'" for word in words)
                  + " > /tmp/out 2> /tmp/err; status=$?; base64 -w 0 /tmp/out; echo; base64 -w 0 /tmp/err; echo",
                  "for f in *; do test -f \"$f\" && echo \"$f $(base64 -w 0 \"$f\")\"; done; echo end; exit $status"]
        try:
            done = subprocess.run([self.cloche, "sh", "--timeout", "20s", "-c", "\n".join(lines)], capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.report(name, words, stdin, b"more than 60 s")
            return None
        shown = done.stdout.split(b"\n")
        if shown[-2:] != [b"end", b""]:  # a trap or a limit ended the shell too
            self.report(name, words, stdin, b"status %d: " % done.returncode + done.stderr)
            return None
        done.stdout, done.stderr = (base64.b64decode(line) for line in shown[:2])
        self.files = {line.split()[0].decode(): base64.b64decode(b"".join(line.split()[1:])) for line in shown[2:-2]}
        return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--runs", type=int, default=1 << 60, help="rounds of each target")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    found = 0
    for target in given.targets or TARGETS:
        chance = random.Random(given.seed)
        program = given.program.resolve()
        fuzzer = (Fuzzer if program.is_dir() else Sandbox)(program, chance, given.keep)
        end, rounds = time.time() + given.seconds, 0
        while time.time() < end and rounds < given.runs:
            getattr(fuzzer, target)()
            rounds += 1
        shutil.rmtree(fuzzer.folder, ignore_errors=True)
        print(f"{target}: {fuzzer.runs} runs, {fuzzer.findings} findings, seed {given.seed}", flush=True)
        found += fuzzer.findings
    sys.exit(1 if found else 0)


main()
