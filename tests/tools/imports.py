#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""imports.py -- invariant 1: the guest imports cloche.refuel and nothing else.

    imports.py METER WASM...

Each WASM, as it was translated, is looked at with wasm-objdump, which is not ours. Then the meter, which
refuses other modules while building, is given some that it has to refuse.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BODY = '(memory (export "memory") 1) (global $sp (export "__stack_pointer") (mut i32) (i32.const 65536))'
REFUEL = '(import "cloche" "refuel" (func $refuel))'
REFUSED = {
    "a second function": f'{REFUEL} (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))',
    "another name": '(import "cloche" "open" (func $refuel))',
    "another module": '(import "env" "refuel" (func $refuel))',
    "another kind": '(import "cloche" "refuel" (global i32))',
    "a memory": f'{REFUEL} (import "env" "memory" (memory 1))',
    "a table": f'{REFUEL} (import "env" "table" (table 1 funcref))',
}


def meter(program, folder, imports):
    text, module = folder / "m.wat", folder / "m.wasm"
    memory = BODY if "(memory 1)" not in imports else BODY.split(") (global")[0].replace(
        '(memory (export "memory") 1', '(global $unused i32 (i32.const 0)') + ") (global" + BODY.split(") (global")[1]
    text.write_text(f"(module {imports} {memory} (func (export \"step\")))")
    subprocess.run(["wat2wasm", text, "-o", module], check=True)
    return subprocess.run([program, module, folder / "out.wasm"], capture_output=True, text=True)


def main():
    program, *modules = sys.argv[1:]
    for module in modules:
        listed = subprocess.run(["wasm-objdump", "-x", "-j", "Import", module], check=True,
                                capture_output=True, text=True).stdout
        found = re.findall(r"^ - .*<- (\S+)$", listed, re.M)
        if found != ["cloche.refuel"]:
            sys.exit(f"{module} imports {found}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sound = meter(program, folder, REFUEL)
        if sound.returncode != 0:
            sys.exit(f"the meter refuses a module that it should take: {sound.stderr}")
        for what, imports in REFUSED.items():
            refused = meter(program, folder, imports)
            if refused.returncode == 0 or "import" not in refused.stderr:
                sys.exit(f"the meter takes a module that imports {what}: {refused.stderr}")
    print(f"{len(modules)} guests import cloche.refuel alone; {len(REFUSED)} other modules are refused")


main()
