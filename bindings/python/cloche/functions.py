# SPDX-License-Identifier: MIT
"""Functions as tools: their definition from signature, annotations and docstring, and their call."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .capabilities import MethodCapability, canonical
from .constraints import Constraint, ConstraintSet
from .definitions import ToolDefinition
from .errors import PolicyError, ToolError
from .schema import Convert, Shape, hoist, object_schema, shape_of
from .specs import constraint_from_spec

Function = Callable[..., Any]


def name_of(function: Function) -> str:
    """The name under which it is a tool: ``tool_name`` if it has that, else its own."""
    for attribute in ("tool_name", "__name__", "name"):
        name = getattr(function, attribute, None)
        if isinstance(name, str):
            return name
    inner = getattr(function, "func", None)  # functools.partial
    if inner is not None:
        return name_of(inner)
    raise PolicyError(f"{function!r} has no name; set its `tool_name`")


def is_async(function: Any) -> bool:
    """Does calling it give something to await?"""
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    call = getattr(function, "__call__", None)  # noqa: B004  # the method, to look at
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


# ---- docstrings ----

_SECTION = re.compile(r"^(args|arguments|parameters|params)\s*:?\s*$", re.IGNORECASE)
_END = re.compile(r"^(returns?|raises?|yields?|examples?|notes?)\b.*:?\s*$", re.IGNORECASE)
_ENTRY = re.compile(r"^(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_FIELD = re.compile(r"^:param\s+(?:[\w\[\], |.]+\s+)?(\w+)\s*:\s*(.*)$")


def _read_docstring(function: Function) -> tuple[str, dict[str, str]]:
    """The summary, and what is said of each parameter (Google, NumPy and Sphinx style)."""
    summary: list[str] = []
    notes: dict[str, str] = {}
    inside, current, indent, numpy = False, "", 0, False
    for line in (inspect.getdoc(function) or "").splitlines():
        text = line.strip()
        field = _FIELD.match(text)
        depth = len(line) - len(line.lstrip())
        if field:
            inside, current = True, field[1]
            notes[current] = field[2]
        elif _SECTION.match(text):
            inside, current, indent = True, "", 0
        elif text.startswith(":return") or (inside and text and depth == 0 and _END.match(text)):
            break
        elif not inside:
            summary.append(line)
        elif text and set(text) <= {"-"}:
            numpy = True
        elif text:
            entry = _ENTRY.match(text)
            if numpy and depth == 0:
                current = text.split(" :")[0].lstrip("*")
                notes[current] = ""
            elif entry and not numpy and (not current or depth <= indent):
                current, indent = entry[1].lstrip("*"), depth
                notes[current] = entry[2]
            elif current:
                notes[current] = f"{notes[current]} {text}".strip()
    return "\n".join(summary).strip(), notes


# ---- one function ----


class FunctionTool:
    """A function with its definition; calling it with a dict converts the arguments."""

    __slots__ = ("_converts", "_positional", "definition", "function", "is_async", "name")

    def __init__(self, function: Function, name: str | None = None) -> None:
        self.function = function
        self.name = name or name_of(function)
        self.is_async = is_async(function)
        given = getattr(function, "tool_definition", None)
        self._converts: dict[str, Convert] = {}
        self._positional: list[str] = []
        self.definition = given if isinstance(given, ToolDefinition) else self._define()

    def _define(self) -> ToolDefinition:
        summary, notes = _read_docstring(self.function)
        fields, required, closed = self._read_signature(notes)
        definitions: dict[str, Any] = {}
        schema = hoist(object_schema(fields, required, closed), definitions)
        if definitions:
            schema["$defs"] = hoist(definitions, definitions)
        return ToolDefinition(self.name, summary, schema, output_schema=self._read_answer())

    def _read_answer(self) -> dict[str, Any] | None:
        """What it returns, for the model to read; nothing checks it."""
        hint = _hints_of(self.function).get("return", Any)
        try:
            schema = {"type": "null"} if hint is None else shape_of(hint).schema
        except PolicyError:
            return None
        return schema or None

    def _read_signature(self, notes: Mapping[str, str]) -> tuple[dict[str, Shape], list[str], bool]:
        try:
            signature = inspect.signature(self.function)
        except (ValueError, TypeError):
            return {}, [], False
        hints = _hints_of(self.function)
        fields: dict[str, Shape] = {}
        required: list[str] = []
        closed = True
        for name, parameter in signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                closed = False
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                continue
            fields[name] = self._field(name, parameter, hints.get(name, parameter.annotation),
                                       notes.get(name))
            if parameter.default is parameter.empty:
                required.append(name)
            if parameter.kind is parameter.POSITIONAL_ONLY:
                self._positional.append(name)
        return fields, required, closed

    def _field(self, name: str, parameter: inspect.Parameter, hint: Any,
               note: str | None) -> Shape:
        if hint is parameter.empty and parameter.default not in (parameter.empty, None):
            kind = type(parameter.default)
            hint = kind if kind in (str, bool, int, float) else Any
        try:
            shape = shape_of(hint)
        except PolicyError as error:
            raise PolicyError(f"the tool {self.name}, parameter {name!r}: {error}") from None
        schema = dict(shape.schema)
        if note:
            schema["description"] = note
        default = parameter.default
        if default is None or (isinstance(default, (str, bool, int, float)) and default == default):
            schema["default"] = default
        if shape.convert is not None:
            self._converts[name] = shape.convert
        return Shape(schema, shape.convert)

    def __call__(self, params: dict[str, Any]) -> Any:
        """Calls the function; the gate has validated ``params``."""
        converts = self._converts
        if converts:
            for name in converts.keys() & params.keys():
                try:
                    params[name] = converts[name](params[name])
                except ToolError:
                    raise
                except (ValueError, TypeError, ArithmeticError):
                    raise ToolError(f"the parameter {name!r} is not what it should be",
                                    "tool.arguments") from None
        if self._positional:
            values = [params.pop(name) for name in self._positional if name in params]
            return self.function(*values, **params)
        return self.function(**params)


def _hints_of(function: Function) -> dict[str, Any]:
    target: Any = function
    while hasattr(target, "func"):
        target = target.func
    if not inspect.isroutine(target) and not inspect.isclass(target):
        target = type(target).__call__
    try:
        return typing.get_type_hints(target, include_extras=True)
    except (NameError, TypeError, AttributeError):  # a name that is only there for type checkers
        return {}


def tool_from_function(function: Function) -> ToolDefinition:
    """The definition of a function: schema from its signature, texts from its docstring."""
    return FunctionTool(function).definition


def closest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` or the list of what there is."""
    import difflib

    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(names) or 'none'}"


def read_constraints(definition: ToolDefinition, constraints: Any) -> ConstraintSet:
    """``{"amount": "<=100"}`` or constraints, for this tool. A parameter that it does not have is
    an error."""
    if constraints is None:
        return ConstraintSet()
    if isinstance(constraints, ConstraintSet):
        return constraints
    if isinstance(constraints, Constraint):
        return ConstraintSet([constraints])
    if isinstance(constraints, (str, bytes)) or not isinstance(constraints, (Mapping, Iterable)):
        raise PolicyError(f"the constraints of {definition.name} are {{parameter: spec}}, "
                          f"not {constraints!r}")
    if not isinstance(constraints, Mapping):
        return ConstraintSet(constraints)
    properties = definition.parameters.get("properties", {})
    open_ended = definition.parameters.get("additionalProperties", True) is not False
    found = []
    for path, spec in constraints.items():
        first = path.lstrip("/").split("/")[0]
        if first not in properties and not (open_ended and not properties):
            raise PolicyError(f"{definition.name} has no parameter {first!r}"
                              f"{closest(first, properties)}")
        found.append(constraint_from_spec(path, spec))
    return ConstraintSet(found)


def capability_from_function(function: Function, constraints: Any = None,
                             max_calls: int | None = None) -> MethodCapability:
    """Allows this function: its pattern is ``mcp:NAME``. ``constraints`` is ``{param: spec}``, a
    :class:`ConstraintSet` or a list of constraints."""
    definition = function.definition if isinstance(function, FunctionTool) else tool_from_function(
        function)
    return MethodCapability(f"mcp:{definition.name}", read_constraints(definition, constraints),
                            max_calls)


class FunctionHandler:
    """A tool handler, ``(method, params) -> result``, over functions by name."""

    __slots__ = ("_tools", "is_async")

    def __init__(self, tools: Iterable[FunctionTool]) -> None:
        self._tools: dict[str, FunctionTool] = {}
        for one in tools:
            name = canonical(one.name)
            if name in self._tools:
                raise PolicyError(f"two tools are called {one.name!r}")
            self._tools[name] = one
        self.is_async = any(one.is_async for one in self._tools.values())

    def __call__(self, method: str, params: dict[str, Any]) -> Any:
        tool = self._tools.get(method) or self._tools.get(canonical(method))
        if tool is None:
            raise ToolError(f"there is no function for {method}", "tool.missing")
        return tool(params)


def create_tool_handler(functions: Iterable[Function]) -> FunctionHandler:
    """A handler that calls these functions by their names."""
    return FunctionHandler(one if isinstance(one, FunctionTool) else FunctionTool(one)
                           for one in functions)
