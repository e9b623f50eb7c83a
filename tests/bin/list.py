# SPDX-License-Identifier: MIT
"""Prints guest/bin/list.h from the commands that the files of guest/bin define."""
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "guest/bin"
rows = []
for path in [*FOLDER.glob("*.c"), *FOLDER.glob("jq/*.c"), *FOLDER.glob("sqlite/*.c")]:
    text = path.read_text()
    for variable, name in re.findall(r'const command command_(\w+) = \{\s*\.name = "([^"]+)"', text):
        rows.append((name, variable))
    for variable, name in re.findall(r'^[A-Z]+\((\w+), "([^"]+)"', text, re.M):
        rows.append((name, variable))
rows.sort(key=lambda row: row[0].encode())
print("""// SPDX-License-Identifier: MIT
/* list.h -- every command, one line each, in the order of strcmp. COMMAND(variable, "name"). Made
 * by `python3 tests/bin/list.py > guest/bin/list.h`. */
// clang-format off
#define COMMANDS(COMMAND) \\""")
print(" \\\n".join(f'  COMMAND({variable}, "{name}")' for name, variable in rows))
