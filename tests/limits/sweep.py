#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sweep.py -- programs that fill memory under every memory limit, and stacks that are put away at every depth.

    sweep.py CLOCHE [--all]

Whatever the limit, such a program ends because it is done, with an error it could catch, or as
limit.memory; never as a trap, and the program after it runs. However deep a shell is when it has to wait, it
goes on afterwards, says that it is too deep, or ends as limit.stack. --all takes smaller steps: 64 KiB up to 4 MiB, then a
twentieth more each time; every fifth depth.
"""
import json
import subprocess
import sys

PROGRAMS = {
    "objects": "const a = []; for (let i = 0; i < 200000; i++) a.push({ i, s: 'x' + i }); return a.length",
    "objects, caught": "let n = 0; try { const a = []; for (;;) { a.push({ n }); n++ } } catch (e) { return e.name }",
    "strings": "let s = 'x'; for (let i = 0; i < 24; i++) s += s; return s.length",
    "typed arrays": "const a = []; try { for (;;) a.push(new Uint8Array(100000).fill(1)) } catch (e) { return e.name }",
    "map": "const m = new Map(); for (let i = 0; i < 100000; i++) m.set('k' + i, [i]); return m.size",
    "json": "return JSON.parse(JSON.stringify(Array.from({ length: 20000 }, (_, i) => ({ i, t: 'text' })))).length",
    "regexp": "return 'ab'.repeat(200000).replace(/(a)(b)/g, '$2$1').length",
    "recursion": "function f(n) { return n === 0 ? [] : [f(n - 1), n] } try { return f(5000).length } catch (e) { return e.name }",
    "promises": "const all = []; for (let i = 0; i < 20000; i++) all.push((async () => { await null; return i })()); return (await Promise.all(all)).length",
    "files": "const fs = require('fs'); try { for (let i = 0; ; i++) fs.writeFileSync('/tmp/f' + i, 'x'.repeat(50000)) } catch (e) { return e.code ?? e.name }",
}
SHELL = {
    "variables": "x=x; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do x=$x$x; done; echo ${#x}",
    "pipeline": "seq 100000 | sort -r | awk '{ s[$1] = $0 } END { print length(s) }'",
}
WAITS = ("f(){ if [ $1 -gt 0 ]; then f $(( $1 - 1 )); else { sleep 0.01; echo hi; } | { read x; echo got $x; }; fi; }; f %d",
         "f(){ if [ $1 -gt 0 ]; then eval 'f $(( $1 - 1 ))'; else sleep 0.01; echo got; fi; }; f %d",
         "f(){ if [ $1 -gt 0 ]; then for i in 1; do { f $(( $1 - 1 )); } ; done; else read x < <(sleep 0.01; echo got) && echo $x; fi; }; f %d")
SAFE = {"done", "exception", "limit.memory", "limit.stack", "syntax"}


def sizes(every):
    size = 256
    while size <= 65536:
        yield size
        size += (64 if size < 4096 else size // 20) if every else size // 2


def run(cloche, arguments):
    result = subprocess.run([cloche, *arguments], capture_output=True, timeout=120)
    try:
        return json.loads(result.stdout)
    except ValueError:
        sys.exit(f"{arguments}: no result, exit status {result.returncode}: {result.stderr[:300]}")


def main():
    cloche, every = sys.argv[1], "--all" in sys.argv
    failures = count = 0
    for size in sizes(every):
        cases = [("run", "-e", name, text) for name, text in PROGRAMS.items()]
        cases += [("sh", "-c", name, text) for name, text in SHELL.items()]
        for command, flag, name, text in cases:
            result = run(cloche, [command, "--json", "--timeout", "60s", "--memory", f"{size}KiB", flag, text])
            count += 1
            if result["end"] not in SAFE or result["usage"]["memory_bytes"] > size * 1024:
                failures += 1
                print(f"{name} in {size} KiB: ends {result['end']} with {result['usage']['memory_bytes']} bytes: {result['error']}")
    for depth in range(10, 700, 5 if every else 60):
        for text in WAITS:
            result = run(cloche, ["sh", "--json", "--timeout", "60s", "-c", text % depth])
            count += 1
            if result["end"] == "limit.stack":
                continue
            if result["end"] != "done" or "got" not in result["stdout"] and "too many" not in result["stderr"] and "more than" not in result["stderr"]:
                failures += 1
                print(f"{text % depth}: ends {result['end']}: {result['error']} {result['stdout']!r} {result['stderr'][:200]!r}")
    print(f"{count} runs, {failures} ended as they must not")
    sys.exit(failures != 0)


main()
