# SPDX-License-Identifier: MIT
"""AutoGen's code executor."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("autogen_core")

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock
from conftest import PROGRAM

from cloche.frameworks.autogen import ClocheCodeExecutor


def test_blocks(box):
    async def main():
        async with ClocheCodeExecutor(box) as executor:
            found = await executor.execute_code_blocks(
                [CodeBlock(PROGRAM, "javascript"), CodeBlock("echo $((6 * 7)) > f; cat f", "sh")],
                CancellationToken())
            assert (found.exit_code, found.output) == (0, "21\n42\n")
            found = await executor.execute_code_blocks(
                [CodeBlock("exit 3", "bash"), CodeBlock("echo no", "sh")], CancellationToken())
            assert found.exit_code == 3 and "no" not in found.output
            found = await executor.execute_code_blocks([CodeBlock("print(1)", "python")],
                                                       CancellationToken())
            assert found.exit_code == 1 and "python" in found.output
            await executor.restart()
            found = await executor.execute_code_blocks([CodeBlock("ls", "sh")], CancellationToken())
            assert found.output == ""

    asyncio.run(main())


def test_a_token_cancels_the_run(box):
    async def main():
        executor, token = ClocheCodeExecutor(box), CancellationToken()
        asyncio.get_running_loop().call_later(0.2, token.cancel)
        with pytest.raises(asyncio.CancelledError):
            await executor.execute_code_blocks([CodeBlock("for (;;);", "js")], token)
        found = await executor.execute_code_blocks([CodeBlock("return 1", "js")], CancellationToken())
        assert found.output == "1"

    asyncio.run(main())
