#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""split.py -- cuts what wasm2c wrote into several C files, so that they compile side by side.

    split.py GUEST.c NAME PARTS OUTDIR

Writes OUTDIR/NAME_code.h (all that comes before the functions) and OUTDIR/NAME_0.c .. NAME_(PARTS-1).c.
Functions lose `static` and become hidden symbols. Indirect calls are given the running instance: wasm2c
1.0.32 passes the one stored in the table entry, which is the booted one in every sandbox made by copying
it. The build fails here when the generated text does not have the shape this expects.
"""
import re
import sys


def main():
    source, name, parts, outdir = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    with open(source, encoding="utf-8") as file:
        text = file.read()

    text, calls = re.subn(r"instance->w2c_T0\.data\[w2c_i\d+\]\.module_instance", "instance", text)
    if calls == 0 or "].module_instance" in text:
        sys.exit("split.py: the indirect calls do not look as wasm2c 1.0.32 writes them")

    # The prelude ends where the table of function types is filled; prototypes follow it.
    prelude, rest = text.split("static bool s_module_initialized = false;", 1)
    prototype = re.compile(r"^static (\w+ w2c_\w+\([^)]*\);)$", re.M)
    prototypes = prototype.findall(rest)
    rest = prototype.sub("", rest)
    body = re.compile(r"^static (\w+ w2c_\w+\((?:[^)]*)\) \{\n.*?^\}\n)", re.M | re.S)
    bodies = body.findall(rest)
    if len(bodies) != len(prototypes):
        sys.exit(f"split.py: {len(prototypes)} prototypes but {len(bodies)} functions")
    rest = body.sub("", rest)

    types = re.search(r"^static (u32 func_types\[\d+\]);", rest, re.M)
    if types is None:
        sys.exit("split.py: no func_types")
    rest = rest.replace(types.group(0), types.group(1) + ";", 1)

    hidden = '#pragma GCC visibility push(hidden)\n'
    with open(f"{outdir}/{name}_code.h", "w", encoding="utf-8") as out:
        out.write(prelude)
        out.write(hidden + f"extern {types.group(1)};\n" + "\n".join(prototypes))
        out.write("\n#pragma GCC visibility pop\n")
    share = sum(map(len, bodies)) / parts
    chunks, size = [[] for _ in range(parts)], 0
    for function in bodies:
        chunks[min(int(size / share), parts - 1)].append(function)
        size += len(function)
    for number, chunk in enumerate(chunks):
        with open(f"{outdir}/{name}_{number}.c", "w", encoding="utf-8") as out:
            out.write(f'#include "{name}_code.h"\n{hidden}')
            if number == 0:
                out.write("static bool s_module_initialized = false;\n" + rest)
            out.write("\n".join(chunk))


main()
