# SPDX-License-Identifier: MIT
"""What a program and a model are told of a tool: :class:`ToolDefinition`."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import PolicyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ToolDefinition:
    """A tool's name, description and the JSON Schema of its parameters.

    ``output_schema``, the JSON Schema of its answer, is optional and told to the model.
    """

    __slots__ = ("description", "name", "output_schema", "parameters")

    def __init__(self, name: str, description: str = "",
                 parameters: Mapping[str, Any] | None = None, *,
                 output_schema: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.description = description
        self.parameters: dict[str, Any] = dict(parameters or {})
        self.output_schema = None if output_schema is None else dict(output_schema)

    def to_dict(self) -> dict[str, Any]:
        """As MCP writes it: ``name``, ``description``, ``inputSchema``."""
        data: dict[str, Any] = {"name": self.name, "description": self.description,
                                "inputSchema": self.parameters}
        if self.output_schema is not None:
            data["outputSchema"] = self.output_schema
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolDefinition:
        """From ``to_dict``'s form; ``parameters`` and ``input_schema`` are read, too."""
        if not isinstance(data.get("name"), str):
            raise PolicyError(f"a tool needs a name: {dict(data)!r}")
        schema = next((data[key] for key in ("inputSchema", "input_schema", "parameters")
                       if data.get(key) is not None), None)
        output = data.get("outputSchema", data.get("output_schema"))
        return cls(data["name"], data.get("description") or "", schema, output_schema=output)

    def for_gate(self) -> dict[str, Any]:
        """As the sandbox and the gate take it. A tool without a schema takes anything."""
        data: dict[str, Any] = {"name": self.name, "description": self.description}
        if self.parameters:
            data["input_schema"] = self.parameters
        if self.output_schema is not None:
            data["output_schema"] = self.output_schema
        return data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolDefinition) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.name, self.description))

    def __repr__(self) -> str:
        return f"ToolDefinition({self.name!r}, {self.description!r}, {self.parameters!r})"


def definition_of(tool: ToolDefinition | Mapping[str, Any]) -> ToolDefinition:
    """A definition, also from plain data, OpenAI's and Anthropic's forms among them."""
    if isinstance(tool, ToolDefinition):
        return tool
    if not isinstance(tool, Mapping):
        raise PolicyError(f"a tool is a ToolDefinition or a dict with its name, not {tool!r}; functions "
                          "go to create_sandbox_tool, or through tool_from_function")
    function = tool.get("function")
    return ToolDefinition.from_dict(function if isinstance(function, Mapping) else tool)
