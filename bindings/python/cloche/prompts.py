# SPDX-License-Identifier: MIT
"""What a model is told about the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .definitions import ToolDefinition

_WHAT = """\
You can run programs in a sandbox. A program may call the tools below as often as it needs in one \
run; do in one program what would otherwise take several tool calls, and return only what you need \
to read."""

_RULES = """\
JavaScript programs have top-level `await` and `return`; what is returned is printed. A tool takes \
one object: `await name({ key: value })`. Run independent calls with `Promise.all`. There is no \
network, no `require` of packages, no TypeScript; `fs` keeps files in this sandbox (write in \
/workspace or /tmp), and files stay from run to run. A denied call throws a `CapabilityError` that \
says why, a failing tool a `ToolError`."""

_SHELL = """\
Shell programs have the usual commands (grep, sed, awk, jq, sort...); tools are \
`tool NAME --key value`, or `tool NAME --json '{...}'`, and print JSON."""

_ONE = """\
Use the tool `sandbox` with `code` and `language`: "javascript" or "shell"."""
_TWO = """\
Use the tool `sandbox_js` with `code` for JavaScript, and `sandbox_shell` with `command` for shell."""

JS_CODEACT_PROMPT = f"""\
{_WHAT}

Answer with one JavaScript program in a fenced block (```javascript) to act, and without a block \
when you are done. {_RULES} Variables that are assigned without a declaration, or on `globalThis`, \
and files stay for your next program."""


def system_prompt(tools: str | None, separate: bool = False) -> str:
    """The prompt, with the tools' declarations if they are given."""
    parts = [_WHAT, _TWO if separate else _ONE, _RULES, _SHELL]
    if tools is not None:
        parts.append(f"Tools:\n\n```typescript\n{tools.rstrip()}\n```" if tools.strip()
                     else "There are no tools.")
    return "\n\n".join(parts) + "\n"


def short_list(tools: Sequence[ToolDefinition], max_chars: int) -> str:
    """Names and first lines, as many as fit."""
    lines: list[str] = []
    room = max_chars
    for one in tools:
        summary = one.description.strip().splitlines()
        line = f"- {one.name}" + (f": {summary[0]}" if summary else "")
        room -= len(line) + 1
        if room < 0:
            lines.append(f"- and {len(tools) - len(lines)} more")
            break
        lines.append(line)
    return (f"There are {len(tools)} tools. A program finds them with `listTools()` and "
            "`__tools__.filter((t) => t.description.includes(\"...\"))`, and learns the parameters "
            "of one with `getToolInfo(name)`; the shell has `tool --list [prefix]` and "
            "`tool --help NAME`.\n\n" + "\n".join(lines) + "\n")


def format_tool_descriptions_js(functions: Iterable[Callable[..., Any]]) -> str:
    """Functions as TypeScript declarations, for a prompt."""
    from .declarations import declare, granted
    from .ingest import function_tools

    return declare(granted([one.definition for one in function_tools(functions)], None))
