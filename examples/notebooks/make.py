#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the notebooks of this folder and keeps their outputs fresh; needs only the package cloche.

    make.py            run each notebook and write its outputs anew
    make.py --check    say which outputs are not what running them gives, and exit 1
"""
import contextlib
import io
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def run(notebook):
    """The notebook with new outputs: what each cell prints."""
    scope = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), f"cell {count}", "exec", dont_inherit=True), scope)
        text = printed.getvalue().splitlines(keepends=True)
        cell["execution_count"] = count
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
    return notebook


def main():
    os.chdir(HERE)
    stale = []
    for path in sorted(HERE.glob("*.ipynb")):
        old = path.read_text()
        new = json.dumps(run(json.loads(old)), indent=1, ensure_ascii=False) + "\n"
        if new != old and "--check" in sys.argv:
            stale.append(path.name)
        elif new != old:
            path.write_text(new)
    if stale:
        sys.exit(f"not fresh: {', '.join(stale)}; run {pathlib.Path(__file__).name}")


if __name__ == "__main__":
    main()
