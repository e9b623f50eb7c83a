# SPDX-License-Identifier: MIT
"""MCP: the tools of a client session as functions for a sandbox. Needs ``cloche[mcp]``.

    functions, definitions = await from_mcp_session(session)
    box = create_sandbox_tool(tools=functions)
    await box.arun(program)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..definitions import ToolDefinition
from ..errors import ToolError
from ..ingest import Ingested, as_tool

if TYPE_CHECKING:
    from mcp import ClientSession


def _field(thing: Any, *names: str) -> Any:
    """Versions of the SDK spell their fields in snake or in camel case."""
    return next((getattr(thing, name) for name in names if getattr(thing, name, None) is not None),
                None)


def _answer(result: Any) -> Any:
    """Structured content if there is any; else its texts, one as itself, several as a list."""
    texts = [part.text if hasattr(part, "text") else part.model_dump(mode="json", exclude_none=True)
             for part in result.content]
    if _field(result, "is_error", "isError"):
        raise ToolError("\n".join(str(one) for one in texts) or "the tool failed")
    structured = _field(result, "structured_content", "structuredContent")
    if structured is not None:
        return structured
    return texts[0] if len(texts) == 1 else texts


def _function(session: ClientSession, definition: ToolDefinition, name: str) -> Any:
    async def call(**params: Any) -> Any:
        return _answer(await session.call_tool(name, params))

    return as_tool(call, definition)


async def _list(session: ClientSession) -> list[Any]:
    found: list[Any] = []
    cursor: str | None = None
    while True:
        if cursor is None:
            page: Any = await session.list_tools()
        else:
            from mcp.types import PaginatedRequestParams

            page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        found += page.tools
        cursor = _field(page, "next_cursor", "nextCursor")
        if cursor is None:
            return found


async def from_mcp_session(session: ClientSession, *, prefix: str = "",
                           only: Iterable[str] | None = None) -> Ingested:
    """``(functions, definitions)`` of a session's tools, for :func:`cloche.create_sandbox_tool`.

    ``prefix`` goes before each name (``"files."`` makes ``files.read``); ``only`` names the tools
    to take. The session stays open as long as they are called, in the loop that it belongs to: use
    ``arun``. A tool that answers with an error is a ToolError in the program.
    """
    wanted = None if only is None else set(only)
    functions, definitions = [], []
    for tool in await _list(session):
        if wanted is not None and tool.name not in wanted:
            continue
        definition = ToolDefinition(prefix + tool.name, tool.description or "",
                                    _field(tool, "input_schema", "inputSchema"),
                                    output_schema=_field(tool, "output_schema", "outputSchema"))
        definitions.append(definition)
        functions.append(_function(session, definition, tool.name))
    if wanted is not None and len(definitions) != len(wanted):
        missing = wanted - {one.name.removeprefix(prefix) for one in definitions}
        raise ValueError(f"the session has no tool {', '.join(sorted(missing))}")
    return functions, definitions
