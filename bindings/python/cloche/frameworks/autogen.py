# SPDX-License-Identifier: MIT
"""AutoGen: a code executor in place of the one that runs blocks on the host. Needs
``cloche[autogen]``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult

if TYPE_CHECKING:
    from ..tool import SandboxTool

_LANGUAGES = {"javascript": "javascript", "js": "javascript", "sh": "shell", "shell": "shell",
              "bash": "shell"}


class ClocheCodeExecutor(CodeExecutor):  # type: ignore[misc,unused-ignore]
    """Runs JavaScript and shell blocks, in order, in one sandbox; the first that fails is the last.
    :meth:`restart` begins with a new one."""

    def __init__(self, box: SandboxTool) -> None:
        self._model = box
        self._box: SandboxTool = box

    async def execute_code_blocks(self, code_blocks: Sequence[CodeBlock],
                                  cancellation_token: CancellationToken) -> CodeResult:
        output: list[str] = []
        for block in code_blocks:
            language = _LANGUAGES.get(block.language.lower())
            if language is None:
                return CodeResult(1, f"there is no language {block.language!r}; write javascript or sh")
            work = asyncio.ensure_future(self._box.arun(block.code, language))
            cancellation_token.link_future(work)
            result = (await work).result
            output.append(result.output if result.success else result.to_tool_message())
            if not result.success:
                return CodeResult(result.status or 1, "\n".join(output))
        return CodeResult(0, "\n".join(output))

    async def start(self) -> None:
        return None

    async def stop(self) -> None:
        return None

    async def restart(self) -> None:
        self._box = self._model.fresh()

    def _to_config(self) -> Any:
        raise NotImplementedError("tools are functions, and cannot be written as a configuration")
