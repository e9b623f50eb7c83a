# SPDX-License-Identifier: MIT
"""Pydantic AI: a sandbox as a toolset. Needs ``cloche[pydantic-ai]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic_ai.toolsets import FunctionToolset

from .common import DESCRIPTION

if TYPE_CHECKING:
    from ..tool import SandboxTool


def sandbox_toolset(box: SandboxTool, name: str = "sandbox") -> FunctionToolset[Any]:
    """A toolset of one tool, whose instructions describe the tools within the sandbox."""

    async def sandbox(code: str, language: Literal["javascript", "shell"] = "javascript") -> str:
        return str(await box.arun(code, language))

    sandbox.__annotations__.update(code=str, language=Literal["javascript", "shell"])
    toolset: FunctionToolset[Any] = FunctionToolset(instructions=box.get_system_prompt())
    toolset.add_function(sandbox, name=name, description=DESCRIPTION)
    return toolset
