# SPDX-License-Identifier: MIT
"""Prints guest/text/unicode_tables.h: what the C library's C.UTF-8 locale knows of each character.

The commands compare themselves with GNU's, which ask the C library; so this asks it too. Run it again
only to move to a newer Unicode: `python3 tools/unicode_tables.py > guest/text/unicode_tables.h`.
"""
import ctypes
import locale

CLASSES = ["upper", "lower", "alpha", "punct", "space", "print", "cntrl"]
LAST = 0x10FFFF

locale.setlocale(locale.LC_ALL, "C.UTF-8")
libc = ctypes.CDLL(None)
libc.wctype.restype = ctypes.c_ulong
libc.iswctype.argtypes = [ctypes.c_uint, ctypes.c_ulong]
libc.towlower.argtypes = libc.towupper.argtypes = [ctypes.c_uint]
libc.towlower.restype = libc.towupper.restype = ctypes.c_uint


def runs(values):
    """(first, last, step) for a sorted list, greedy; a step of 2 covers alternating cases."""
    out, i = [], 0
    while i < len(values):
        j = i
        step = values[i + 1] - values[i] if i + 1 < len(values) else 1
        if step > 2:
            step = 1
        while j + 1 < len(values) and values[j + 1] - values[j] == step:
            j += 1
        if step == 2 and j - i < 2:
            step, j = 1, i
        out.append((values[i], values[j], step))
        i = j + 1
    return out


def table(name, rows, fields):
    print(f"static const {fields} {name}[] = {{")
    line = "   "
    for row in rows:
        text = " {" + ", ".join(str(x) for x in row) + "},"
        if len(line) + len(text) > 100:
            print(line)
            line = "   "
        line += text
    print(line)
    print("};")


print("// SPDX-License-Identifier: MIT")
print("/* unicode_tables.h -- made by tools/unicode_tables.py; included by unicode.c alone. */")
print("// clang-format off")
for name in CLASSES:
    kind = libc.wctype(name.encode())
    table("table_" + name, runs([c for c in range(128, LAST + 1) if libc.iswctype(c, kind)]),
          "unicode_range")
for name, call in (("lower", libc.towlower), ("upper", libc.towupper)):
    rows, by_shift = [], {}
    for c in range(128, LAST + 1):
        shift = call(c) - c
        if shift:
            by_shift.setdefault(shift, []).append(c)
    for shift, chars in by_shift.items():
        rows += [(a, b, s, shift) for a, b, s in runs(chars)]
    table("table_to_" + name, sorted(rows), "unicode_shift")
widths = {0: [], 2: []}
libc.wcwidth.argtypes = [ctypes.c_uint]
for c in range(128, LAST + 1):
    w = libc.wcwidth(c)
    if w in widths:
        widths[w].append(c)
table("table_width_0", runs(widths[0]), "unicode_range")
table("table_width_2", runs(widths[2]), "unicode_range")
