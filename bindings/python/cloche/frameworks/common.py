# SPDX-License-Identifier: MIT
"""What the tools for several frameworks share."""

from __future__ import annotations

from typing import Any

DESCRIPTION = ("Runs a program in a sandbox, which may call the tools that are described in the "
               "instructions. The answer is what it printed and returned.")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "description": "The program."},
        "language": {"type": "string", "enum": ["javascript", "shell"],
                     "description": "What it is written in."},
    },
    "required": ["code", "language"],
    "additionalProperties": False,
}
