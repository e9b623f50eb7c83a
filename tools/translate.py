#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""translate.py -- takes the linked guest through Asyncify and the meter to C.

    translate.py --meter METER --out DIR LINKED.wasm [LIST.txt...]

Writes DIR/asyncified.wasm, DIR/metered.wasm, DIR/guest.c, DIR/guest.h. Each LIST names functions that
make indirect calls which may wait, one per line; Asyncify ignores all other indirect calls. Fails when
the meter did not charge exactly as many functions and loops as another program finds in the module, or
when the result imports anything but cloche.refuel.
"""
import argparse
import re
import subprocess
import sys


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"translate.py: {command[0]} failed\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def names_in(lists):
    names = []
    for path in lists:
        with open(path, encoding="utf-8") as file:
            names += [line.split("#")[0].strip() for line in file]
    return sorted({name for name in names if name})


def asyncify(source, target, lists):
    options = ["--asyncify", "--pass-arg=asyncify-ignore-indirect",
               "--pass-arg=asyncify-imports@none.none"]
    names = names_in(lists)
    if names:
        options.append("--pass-arg=asyncify-addlist@" + ",".join(names))
    said = run("wasm-opt", "--enable-bulk-memory", "--enable-sign-ext",
               "--enable-nontrapping-float-to-int", "--enable-mutable-globals", *options, "-O2", "-g",
               source, "-o", target)
    if "non-existing" in said:
        sys.exit(f"translate.py: a listed function is not there (inlined, or renamed?)\n{said}")


def counted(module):
    """Functions with a body, and loops, as the disassembler sees them."""
    text = run("wasm-objdump", "-d", module)
    return len(re.findall(r"^[0-9a-f]+ func\[", text, re.M)), len(re.findall(r"\| *loop\b", text))


def check_own(module):
    """The meter's own functions must be the ones that the guest calls, not wrappers for export."""
    text = run("wasm-objdump", "-j", "Export", "-x", module)
    if ".command_export" in text:
        sys.exit("translate.py: the linker wrapped the exports; boot must call __wasm_call_ctors itself")


def check_imports(module):
    text = run("wasm-objdump", "-j", "Import", "-x", module)
    imports = re.findall(r"^ - .*<- (\S+)$", text, re.M)
    if imports != ["cloche.refuel"]:
        sys.exit(f"translate.py: the guest imports {imports}, not only cloche.refuel")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meter", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("linked")
    parser.add_argument("lists", nargs="*")
    args = parser.parse_args()

    asyncified, metered = f"{args.out}/asyncified.wasm", f"{args.out}/metered.wasm"
    check_own(args.linked)
    asyncify(args.linked, asyncified, args.lists)
    functions, loops = counted(asyncified)
    report = run(args.meter, asyncified, metered)
    charged = dict(re.findall(r"(\w+) (\d+)", report))
    if (int(charged["functions"]) + int(charged["own"]), int(charged["loops"])) != (functions, loops):
        sys.exit(f"translate.py: the module has {functions} functions and {loops} loops, "
                 f"but the meter says: {report.strip()}")
    run("wasm-validate", metered)
    check_imports(metered)
    run("wasm2c", metered, "--module-name=guest", "-o", f"{args.out}/guest.c")


main()
