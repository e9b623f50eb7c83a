# SPDX-License-Identifier: MIT
"""Every Python example of the documents is run; after ``#>`` stands what it prints."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["docs/python.md", "bindings/python/README.md", "README.md"])
def test_examples(name):
    blocks = BLOCK.findall((ROOT / name).read_text())
    assert blocks
    scope: dict = {"__name__": "example"}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, name, "exec", dont_inherit=True), scope)
        wanted = [line[2:].removeprefix(" ") for line in block.splitlines() if line.startswith("#>")]
        assert printed.getvalue().rstrip("\n").split("\n") == (wanted or [""]), block


def test_the_notebooks_are_fresh():
    subprocess.run([sys.executable, ROOT / "examples" / "notebooks" / "make.py", "--check"], check=True)
