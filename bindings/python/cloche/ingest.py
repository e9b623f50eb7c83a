# SPDX-License-Identifier: MIT
"""Tools of other libraries as functions: ``(callables, definitions)``.

Each callable keeps its tool's name and schema, so that it can be passed to
:func:`cloche.create_sandbox_tool`. Nothing is imported: the objects are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .definitions import ToolDefinition, definition_of
from .errors import PolicyError
from .functions import FunctionTool

Ingested = tuple[list[Callable[..., Any]], list[ToolDefinition]]


def _named(function: Callable[..., Any], definition: ToolDefinition) -> Callable[..., Any]:
    function.__name__ = definition.name
    function.__qualname__ = definition.name
    function.__doc__ = definition.description
    function.tool_definition = definition  # type: ignore[attr-defined]
    return function


def as_tool(function: Callable[..., Any], definition: ToolDefinition) -> Callable[..., Any]:
    """``function`` under a definition's name and schema."""
    from .functions import is_async

    if is_async(function):
        async def call_async(**params: Any) -> Any:
            return await function(**params)

        return _named(call_async, definition)

    def call(**params: Any) -> Any:
        return function(**params)

    return _named(call, definition)


def _placeholder(definition: ToolDefinition) -> Callable[..., Any]:
    def missing(**params: Any) -> Any:
        raise NotImplementedError(f"there is no handler for the tool {definition.name}")

    return _named(missing, definition)


def _checked(definitions: list[ToolDefinition], handlers: Mapping[str, Any]) -> None:
    from .functions import closest

    names = [one.name for one in definitions]
    for name in handlers:
        if name not in names:
            raise PolicyError(f"a handler is for {name!r}, which is no tool{closest(name, names)}")


def _with_handlers(definitions: list[ToolDefinition],
                   handlers: Mapping[str, Callable[..., Any]] | None) -> Ingested:
    handlers = handlers or {}
    _checked(definitions, handlers)
    return [as_tool(handlers[one.name], one) if one.name in handlers else _placeholder(one)
            for one in definitions], definitions


def from_openai_tools(tools: Iterable[Mapping[str, Any]],
                      handlers: Mapping[str, Callable[..., Any]] | None = None) -> Ingested:
    """From ``{"type": "function", "function": {...}}``. A tool without a handler raises
    ``NotImplementedError`` when it is called."""
    return _with_handlers([definition_of(one) for one in tools], handlers)


def from_anthropic_tools(tools: Iterable[Mapping[str, Any]],
                         handlers: Mapping[str, Callable[..., Any]] | None = None) -> Ingested:
    """From ``{"name", "description", "input_schema"}``; otherwise as :func:`from_openai_tools`."""
    return _with_handlers([definition_of(one) for one in tools], handlers)


from_openai = from_openai_tools
from_claude = from_anthropic_tools


def _langchain_schema(tool: Any) -> dict[str, Any]:
    schema = getattr(tool, "tool_call_schema", None) or getattr(tool, "args_schema", None)
    if isinstance(schema, dict):
        found: Any = schema
    elif schema is not None and hasattr(schema, "model_json_schema"):
        found = schema.model_json_schema()
    elif schema is not None and hasattr(schema, "schema"):
        found = schema.schema()
    else:
        found = {"type": "object", "properties": getattr(tool, "args", {})}
    plain = {key: value for key, value in found.items() if key not in ("title", "description")}
    return {"additionalProperties": False, **plain}


def _langchain_function(tool: Any, definition: ToolDefinition) -> Callable[..., Any]:
    only_async = getattr(tool, "func", True) is None and getattr(tool, "coroutine", None)
    if only_async:
        async def call_async(**params: Any) -> Any:
            return await tool.ainvoke(params)

        return _named(call_async, definition)

    def call(**params: Any) -> Any:
        return tool.invoke(params)

    return _named(call, definition)


def from_langchain(tools: Iterable[Any]) -> Ingested:
    """From LangChain tools (``BaseTool``), which keep their names and schemas."""
    callables, definitions = [], []
    for tool in tools:
        definition = ToolDefinition(tool.name, tool.description or "", _langchain_schema(tool))
        definitions.append(definition)
        callables.append(_langchain_function(tool, definition))
    return callables, definitions


def function_tools(tools: Iterable[Any]) -> list[FunctionTool]:
    """Functions, and LangChain tools among them, ready to be called by name."""
    if isinstance(tools, (str, bytes)) or not isinstance(tools, Iterable):
        raise PolicyError(f"tools is a list of functions, not {tools!r}; write tools=[...]")
    found = []
    for tool in tools:
        if isinstance(tool, FunctionTool):
            found.append(tool)
        elif hasattr(tool, "invoke") and hasattr(tool, "description") and hasattr(tool, "name"):
            found += [FunctionTool(one) for one in from_langchain([tool])[0]]
        elif callable(tool):
            found.append(FunctionTool(tool))
        else:
            raise PolicyError(f"{tool!r} is no function")
    return found
