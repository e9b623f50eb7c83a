# SPDX-License-Identifier: MIT
"""smolagents: a sandbox as a tool. Needs ``cloche[smolagents]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import smolagents

from .common import DESCRIPTION

if TYPE_CHECKING:
    from ..tool import SandboxTool


class CodeSandbox(smolagents.Tool):  # type: ignore[misc,unused-ignore]
    """One tool with ``code`` and ``language``. Its description has the declarations of the tools
    within the sandbox."""

    name = "sandbox"
    description = DESCRIPTION
    inputs = {  # noqa: RUF012
        "code": {"type": "string", "description": "The program."},
        "language": {"type": "string", "description": "javascript or shell.", "nullable": True},
    }
    output_type = "string"

    def __init__(self, box: SandboxTool) -> None:
        super().__init__()
        self.box = box
        self.description = f"{DESCRIPTION}\n\n{box.get_system_prompt()}"

    def forward(self, code: str, language: str | None = None) -> str:
        return str(self.box.run(code, language or "javascript"))
