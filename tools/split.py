#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""split.py -- cuts what wasm2c wrote into several C files, so that they compile side by side.

    split.py GUEST.c NAME PARTS OUTDIR [--kinds FILE --fast N --small N --nm LLVM-NM] [INTERPRETER...]

Writes OUTDIR/NAME_code.h (all that comes before the functions), OUTDIR/NAME_0.c .. NAME_(PARTS-1).c,
OUTDIR/NAME_interpreters.c with the functions named, whose dispatch loops are written otherwise, and
OUTDIR/NAME_start.c, which makes an instance from the module's data: only the boot program needs it.
The lines "fast OBJECT" and "small OBJECT" of FILE name objects that the guest was linked from; what they
define goes into NAME_fast_0.c .. and NAME_small_0.c .., which are compiled otherwise. A name that objects
of different kinds define is neither.
Functions lose `static` and become hidden symbols. What else changes, each because our module allows it:

- The memory of a sandbox never moves, so every function reads its address once, into `memory`, if it
  needs it at all (src/sandbox/wasm-rt.h says how an address is reached); and the barrier that keeps a load
  whose value nobody uses is dropped, since such a load need not trap.
- Long copies and fills are done in pieces by the host (wasm-rt.h), which can stop between two of them.
- The table of functions never changes and is the same in every instance, so it becomes a constant, and
  indirect calls are given the running instance: wasm2c 1.0.32 passes the one stored in the table entry,
  which would be the booted one in every sandbox made by copying it.

- The import is called in a way that keeps all registers, where there is one (WASM_RT_REFUEL).

The build fails here when the generated text does not have the shape this expects.
"""
import argparse
import pathlib
import re
import subprocess
import sys


def replace(pattern, by, text, what):
    """As re.sub, but it has to happen."""
    text, count = re.subn(pattern, by, text, flags=re.M | re.S)
    if count == 0:
        sys.exit(f"split.py: wasm2c's text has no {what}")
    return text


def keep_memory_address(text):
    text = replace(r"static inline (\w+) name\(wasm_rt_memory_t\* mem, u64 addr", r"static inline \1 name(u8 *const memory, u64 addr",
                   text, "loads and stores")
    text = replace(r"    MEMCHECK\(mem, addr, t1\);\s*\\\n", "", text, "memory checks")
    text = replace(r"    t1 result; *\\\n    wasm_rt_memcpy\(&result, &mem->data\[addr\], sizeof\(t1\)\); *\\\n",
                   "    t1 result = *(const WASM_RT_PLACE(t1) *)WASM_RT_ADDRESS(memory, addr); \\\n", text, "loads")
    text = replace(r"    t1 wrapped = \(t1\)value; *\\\n    wasm_rt_memcpy\(&mem->data\[addr\], &wrapped, sizeof\(t1\)\); *\\\n",
                   "    *(WASM_RT_PLACE(t1) *)WASM_RT_ADDRESS(memory, addr) = (t1)value; \\\n", text, "stores")
    text = replace(r'    wasm_asm\("" ::"r"\(result\)\);\s*\\\n', "", text, "barriers")
    return replace(r"(_load\w*|_store\w*)\(&instance->w2c_memory, ", r"\1(memory, ", text, "uses of memory")


def stop_long_copies(text):
    text = replace(r"\bmemset\(mem->data \+ d, ", "wasm_rt_fill(mem->data + d, ", text, "memory.fill")
    return replace(r"\bmemmove\(dest->data \+ dest_addr, ", "wasm_rt_copy(dest->data + dest_addr, ", text,
                   "memory.copy")


def make_table_constant(text):
    """The text with direct reads of a constant table, and the table's definition."""
    start = re.search(r"funcref_table_init\(&instance->w2c_T0, (\w+), (\d+), (\d+)u, 0, (\d+), instance, func_types\);",
                      text)
    size = re.search(r"wasm_rt_allocate_funcref_table\(&instance->w2c_T0, (\d+), \1\);", text)
    shapes = re.findall(r"func_types\[\d+\] = (wasm_rt_register_func_type\(.*?\));", text)
    if size is None or len(set(shapes)) != len(shapes) or text.count("funcref_table_init(&") > 1:
        sys.exit("split.py: the table is not one constant, or two of its types are the same")
    rows, first = [], 0
    if start is not None:  # a guest may have no function whose address is taken
        entries = re.search(rf"{start.group(1)}\[\] = \{{\n(.*?)\n\}};", text, re.S).group(1)
        rows = re.findall(r"\{(\d+), \(wasm_rt_function_ptr_t\)&(\w+), 0\},", entries)
        if len(rows) != int(start.group(2)):
            sys.exit("split.py: the table's entries do not look as wasm2c 1.0.32 writes them")
        text, first = text.replace(start.group(0), ""), int(start.group(3))
    text = text.replace(size.group(0), "")
    text = replace(r"#define CALL_INDIRECT\(.*?\n\n",
                   "#define CALL_INDIRECT(t, ft, x, ...)                                        \\\n"
                   "  (LIKELY((x) < guest_table_size && guest_table[x].type == (ft) + 1u) ||    \\\n"
                   "       TRAP(CALL_INDIRECT),                                                 \\\n"
                   "   ((t)guest_table[x].function)(__VA_ARGS__))\n\n", text, "CALL_INDIRECT")
    text = text.replace("CALL_INDIRECT(instance->w2c_T0, ", "CALL_INDIRECT(")
    table = f"const guest_table_entry guest_table[{size.group(1)}] = {{\n"
    for row, (kind, function) in enumerate(rows):
        table += f"  [{row + first}] = {{(wasm_rt_function_ptr_t)&{function}, {kind} + 1}},\n"
    declaration = ("typedef struct { wasm_rt_function_ptr_t function; u32 type; } guest_table_entry;\n"
                   f"enum {{ guest_table_size = {size.group(1)} }};\n"
                   "extern const guest_table_entry guest_table[guest_table_size];\n")
    return text, declaration, table + "};\n"


def thread_dispatch(function):
    """An interpreter with its dispatch at the end of every case.

    wasm has no jump to a computed place: an interpreter comes out as a loop around a switch, where every
    case jumps back to the loop's head, which is charged and looks the next opcode up. Here the straight
    way from the end of a case to the switch is copied to the end of each case. Nothing is left out, so
    fuel is the same. The opcode is one byte from memory, less a constant; so a table of 256 places needs
    no comparison, and its index of 8 bits cannot leave it.
    """
    name = re.match(r"\w+ (w2c_\w+)", function).group(1)
    head = re.search(r"^ *(?P<loop>w2c_L\d+): \n"
                     r"(?P<way>(?:(?! *(?:w2c_[LB]\d+:|switch)).*\n)*"
                     r" *(?P<operand>w2c_i\d+) = i32_load8_u\(memory, .*\n"
                     r" *w2c_l\d+ = (?P=operand);\n"
                     r"(?: *(?P<less>w2c_i\d+) = (?P<offset>\d+)u;\n *(?P=operand) -= (?P=less);\n)?)"
                     r" *switch \((?P=operand)\) \{\n(?P<cases>(?: *case \d+: goto w2c_B\d+;\n)+)"
                     r" *default: goto (?P<default>w2c_B\d+);\n *\}\n", function, re.M)
    if head is None:
        sys.exit(f"split.py: {name} has no loop around a switch over a byte")
    loop, way, offset = head["loop"], head["way"], int(head["offset"] or 0)
    places = [head["default"]] * 256
    for case, label in re.findall(r"case (\d+): goto (w2c_B\d+);", head["cases"]):
        places[int(case) + offset] = label
    jump = f"goto *places[(u8)({head['operand']} + {offset}u)];\n"
    ends, past = {}, 0

    def close(back):
        """Notes what the labels before this jump back lead to; where its condition fails one goes on after it."""
        nonlocal past
        text, condition = back.group(0), back["condition"]
        for label in re.finditer(r"^ *(w2c_B\d+):;\n", back["tail"], re.M):
            rest = re.sub(r"^ *w2c_B\d+:;\n", "", back["tail"][label.end():], flags=re.M)
            test, otherwise = (f"if ({condition})", f"goto w2c_past{past};") if condition else ("", "")
            ends[label.group(1)] = f"{{ {rest} {test} {{ {way} {jump} }} {otherwise} }}"
        past += 1
        return f"{text}w2c_past{past - 1}:;\n"

    marked = re.sub(r"(?P<tail>(?:(?!.*\bgoto\b)(?!.*\{).*\n)*)"
                    rf" *(?:if \((?P<condition>w2c_i\d+)\) \{{goto {loop};\}}|goto {loop};)\n", close, function[head.end():])
    if not ends:
        sys.exit(f"split.py: no case of {name} ends before its loop does")

    def copied(text):
        return re.sub(r"goto (w2c_B\d+);", lambda match: ends.get(match.group(1), match.group(0)), text)

    table = "static const void *const places[256] = {" + ", ".join("&&" + place for place in places) + "};\n"
    function = copied(function[:head.start()]) + f"{loop}: \n{way}{jump}" + copied(marked)
    return function.replace("{\n", "{\n" + table, 1)


def read_kinds(path, nm):
    """What kind each function is of, by its name in the objects."""
    kinds = {}
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for kind, place in (line.split(" ", 1) for line in lines):
        symbols = subprocess.run([nm, "--defined-only", place], capture_output=True, text=True, check=True).stdout
        for symbol in re.findall(r"^\w+ [tT] (\S+)$", symbols, re.M):
            kinds[symbol] = kind if kinds.get(symbol, kind) == kind else ""
    return kinds


def kind_of(function, kinds):
    """wasm2c puts a number behind names that several objects have for functions of their own."""
    name = re.match(r"\w+ w2c_(\w+)", function).group(1)
    return kinds.get(name, kinds.get(re.sub(r"_\d+$", "", name), ""))


def main():
    parser = argparse.ArgumentParser()
    for argument in ("source", "name", "parts", "outdir"):
        parser.add_argument(argument, type=int if argument == "parts" else str)
    for option in ("--fast", "--small"):
        parser.add_argument(option, type=int, default=0)
    for option in ("--kinds", "--nm"):
        parser.add_argument(option)
    parser.add_argument("interpreters", nargs="*")
    options = parser.parse_args()
    name, outdir = options.name, options.outdir
    threaded = {"w2c_" + interpreter: None for interpreter in options.interpreters}
    with open(options.source, encoding="utf-8") as file:
        text = file.read()

    text, calls = re.subn(r"instance->w2c_T0\.data\[w2c_i\d+\]\.module_instance", "instance", text)
    if calls == 0 or "].module_instance" in text:
        sys.exit("split.py: the indirect calls do not look as wasm2c 1.0.32 writes them")
    text = stop_long_copies(keep_memory_address(text))
    text = replace(r"\(\*Z_clocheZ_refuel\)\(instance->Z_cloche_instance\);", "WASM_RT_REFUEL(instance->Z_cloche_instance);",
                   text, "calls of its import")
    text, table_declaration, table = make_table_constant(text)

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
    first_line = re.compile(r"(\) \{\n)")
    bodies = [first_line.sub(r"\1  u8 *const memory = instance->w2c_memory.data;\n", function, count=1)
              if "(memory, " in function else function for function in bodies]


    export = re.compile(r"^(\w+ Z_" + name + r"Z_\w+\([^)]*\) \{\n.*?^\}\n)", re.M | re.S)
    exports = export.findall(rest)
    if not exports:
        sys.exit("split.py: nothing is exported")
    rest = export.sub("", rest)

    types = re.search(r"^static (u32 func_types\[\d+\]);", rest, re.M)
    if types is None:
        sys.exit("split.py: no func_types")
    rest = rest.replace(types.group(0), types.group(1) + ";", 1)

    hidden = '#pragma GCC visibility push(hidden)\n'
    with open(f"{outdir}/{name}_code.h", "w", encoding="utf-8") as out:
        out.write(prelude)
        out.write(hidden + table_declaration + f"extern {types.group(1)};\n" + "\n".join(prototypes))
        out.write("\n#pragma GCC visibility pop\n")
    for body in bodies:
        if (called := re.match(r"\w+ (w2c_\w+)", body).group(1)) in threaded:
            threaded[called] = body
    if None in threaded.values():
        sys.exit(f"split.py: not all of {', '.join(threaded)} are there (inlined, or renamed?)")
    bodies = [body for body in bodies if body not in threaded.values()]
    for stale in pathlib.Path(outdir).glob(f"{name}_*.c"):  # of another number of parts
        stale.unlink()
    kinds = read_kinds(options.kinds, options.nm) if options.kinds else {}
    for kind, parts in (("", options.parts), ("fast", options.fast), ("small", options.small)):
        chosen = [body for body in bodies if kind_of(body, kinds) == kind]
        if chosen and parts == 0:
            sys.exit(f"split.py: there are {kind} functions, and no part for them")
        share = sum(map(len, chosen)) / (parts or 1)
        chunks, size = [[] for _ in range(parts)], 0
        for function in chosen:
            chunks[min(int(size / share), parts - 1)].append(function)
            size += len(function)
        for number, chunk in enumerate(chunks):
            with open(f"{outdir}/{'_'.join(filter(None, (name, kind, str(number))))}.c", "w", encoding="utf-8") as out:
                out.write(f'#include "{name}_code.h"\n{hidden}')
                if kind == "" and number == 0:
                    out.write("\n".join(exports) + table)
                out.write("\n".join(chunk))
    with open(f"{outdir}/{name}_start.c", "w", encoding="utf-8") as out:
        out.write(f'#include "{name}_code.h"\n{hidden}static bool s_module_initialized = false;\n{rest}')
    with open(f"{outdir}/{name}_interpreters.c", "w", encoding="utf-8") as out:
        out.write(f'#include "{name}_code.h"\n{hidden}')
        out.write("\n".join(map(thread_dispatch, threaded.values())))


main()
