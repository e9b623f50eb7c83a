# SPDX-License-Identifier: MIT
"""``python -m cloche`` is the ``cloche`` program."""

from __future__ import annotations

import os
import sys


def program() -> str:
    """The path of the program that came with the package."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "cloche")
    if os.access(own, os.X_OK):
        return own
    sys.exit("cloche: the program did not come with this installation")


def main() -> None:
    path = program()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
