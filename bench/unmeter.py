#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unmeter.py -- the translated guest as it would be without fuel, to measure what fuel costs.

    unmeter.py PARTS OUTDIR

Takes the charges out of the C files in PARTS (build/guest-guest/parts) and writes the rest to OUTDIR. The
memory, the globals and the table of functions stay as they are, so the same image fits. Nothing ends a program in it.
"""
import pathlib
import re
import shutil
import sys

CHARGE = re.compile(r"(w2c_j\w+) = instance->w2c_fuel;\s*(?:w2c_[ij]\w+ (?:=|>>=) [^;]*;\s*){1,4}"
                    r"\1 -= (w2c_j\w+);\s*instance->w2c_fuel = \1;\s*\1 = instance->w2c_fuel;\s*\2 = 0ull;\s*"
                    r"(w2c_i\w+) = \(u64\)\(\(s64\)\1 < \(s64\)\2\);\s*"
                    r"if \(\3\) \{\s*WASM_RT_REFUEL\([^;]*\);\s*\}")


def main():
    parts, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    taken = left = 0
    for path in sorted(parts.iterdir()):
        if path.suffix != ".c" or path.name == "guest_start.c":
            shutil.copy(path, out / path.name)
            continue
        text, count = CHARGE.subn("", path.read_text(encoding="utf-8"))
        (out / path.name).write_text(text, encoding="utf-8")
        taken += count
        left += text.count("WASM_RT_REFUEL(")
    if taken == 0 or left > 2:  # where the guest itself asks the host for files
        sys.exit(f"unmeter.py: {left} charges of {taken + left} do not look as expected")
    print(f"{taken} charges taken out")


main()
