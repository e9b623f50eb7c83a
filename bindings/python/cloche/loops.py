# SPDX-License-Identifier: MIT
"""Event loops: which one is running, and one for code that has none."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")


def current_library() -> str:
    """``"trio"`` within trio, else ``"asyncio"``."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        return "trio"
    return "asyncio"


def run_to_end(function: Callable[[], Awaitable[T]]) -> T:
    """Runs async code from ordinary code: in a loop of its own, and in a thread of its own where
    this thread's loop is running already, as in a notebook."""
    import asyncio

    async def main() -> T:
        return await function()

    if current_library() != "trio":
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(main())
    import contextvars
    import threading

    found: list[Any] = []
    context = contextvars.copy_context()

    def work() -> None:
        try:
            found.append((True, context.run(asyncio.run, main())))
        except BaseException as error:
            found.append((False, error))

    thread = threading.Thread(target=work, name="cloche-loop")
    thread.start()
    thread.join()
    ok, value = found[0]
    if not ok:
        raise value
    result: T = value
    return result
