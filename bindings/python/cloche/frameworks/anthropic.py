# SPDX-License-Identifier: MIT
"""The Anthropic SDK: a sandbox for its tool runner. Needs ``cloche[anthropic]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from anthropic import beta_async_tool, beta_tool

from .common import DESCRIPTION, SCHEMA

if TYPE_CHECKING:
    from ..tool import SandboxTool

_Language = Literal["javascript", "shell"]


def runnable_tool(box: SandboxTool, name: str = "sandbox") -> Any:
    """For ``client.beta.messages.tool_runner``; put ``box.get_system_prompt()`` into ``system``."""

    def sandbox(code: str, language: _Language = "javascript") -> str:
        return str(box.run(code, language))

    sandbox.__annotations__.update(code=str, language=_Language)
    return beta_tool(sandbox, name=name, description=DESCRIPTION,
                     input_schema=SCHEMA)  # type: ignore[arg-type,unused-ignore]


def async_runnable_tool(box: SandboxTool, name: str = "sandbox") -> Any:
    """The same for an async client."""

    async def sandbox(code: str, language: _Language = "javascript") -> str:
        return str(await box.arun(code, language))

    sandbox.__annotations__.update(code=str, language=_Language)
    return beta_async_tool(sandbox, name=name, description=DESCRIPTION,
                           input_schema=SCHEMA)  # type: ignore[arg-type,unused-ignore]
