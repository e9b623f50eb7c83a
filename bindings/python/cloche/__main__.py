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
    raise FileNotFoundError("the program cloche did not come with this installation")


def main() -> None:
    try:
        path = program()
    except FileNotFoundError as error:
        sys.exit(f"cloche: {error}")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
