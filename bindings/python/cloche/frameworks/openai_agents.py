# SPDX-License-Identifier: MIT
"""The OpenAI Agents SDK: a sandbox as a function tool. Needs ``cloche[openai-agents]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import FunctionTool

from .. import _cloche
from .common import DESCRIPTION, SCHEMA

if TYPE_CHECKING:
    from ..tool import SandboxTool


def sandbox_tool(box: SandboxTool, name: str = "sandbox") -> FunctionTool:
    """A tool with ``code`` and ``language``. Put ``box.get_system_prompt()`` into the agent's
    instructions."""

    async def invoke(context: Any, arguments: str) -> str:
        found = _cloche.loads(arguments)
        return str(await box.arun(found["code"], found["language"]))

    return FunctionTool(name=name, description=DESCRIPTION, params_json_schema=SCHEMA,
                        on_invoke_tool=invoke, strict_json_schema=True)
