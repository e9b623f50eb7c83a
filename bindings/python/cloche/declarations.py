# SPDX-License-Identifier: MIT
"""Tools as TypeScript declarations, narrowed by what is allowed.

Values that constraints list become unions of literals, what a policy sets is left out, and so is a tool
that no rule allows; what a type cannot say stands in comments. This is for a model to read; the gate
decides from the policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _cloche
from .capabilities import canonical
from .definitions import ToolDefinition
from .narrowing import narrow
from .typescript import comment, is_variable, property_name, type_of


class Declared:
    """A tool that can be called: what is left of its schema, and remarks."""

    __slots__ = ("definition", "remarks", "schema")

    def __init__(self, definition: ToolDefinition, schema: Mapping[str, Any],
                 remarks: Sequence[str]) -> None:
        self.definition = definition
        self.schema = schema
        self.remarks = remarks


def granted(definitions: Iterable[ToolDefinition], layers: Sequence[Mapping[str, Any]] | None,
            policy: _cloche.Policy | None = None) -> list[Declared]:
    """The tools that may be called. ``layers`` are policies that all have to allow a call, ``None`` if
    nothing is known of them; ``policy`` is the whole of them, for what it sets."""
    known = [one for one in definitions if policy is None or policy.may_allow(canonical(one.name))]
    shown = [one.for_gate() for one in known]
    if policy is not None:
        shown = policy.visible(shown)
    found = []
    for definition, visible in zip(known, shown, strict=True):
        schema = visible.get("input_schema") or {}
        narrowed = (schema, []) if layers is None else narrow(definition.name, schema, layers)
        if narrowed is not None:
            found.append(Declared(definition, *narrowed))
    return found


def _notes(tool: Declared) -> list[str]:
    description = tool.definition.description
    notes = [comment(description)] if description.strip() else []
    for key, one in (tool.schema.get("properties") or {}).items():
        note = one.get("description") if isinstance(one, Mapping) else None
        if isinstance(note, str):
            notes.append(f"@param {comment(key)} {comment(note)}")
    return notes + [f"@limit {comment(one)}" for one in tool.remarks]


def _declare(tool: Declared, name: str, depth: int) -> list[str]:
    schema, pad = tool.schema, "  " * depth
    notes = _notes(tool)
    lines = []
    if len(notes) == 1:
        lines.append(f"{pad}/** {notes[0]} */")
    elif notes:
        lines += [f"{pad}/**", *(f"{pad} * {one}" for one in notes), f"{pad} */"]
    known = schema.get("properties") or set(schema) - {"properties", "required"}
    params = type_of(schema) if known else "{ [name: string]: any }"
    answer = "any" if tool.definition.output_schema is None else type_of(tool.definition.output_schema)
    optional = "" if schema.get("required") else "?"
    lines.append(f"{pad}{name}(params{optional}: {params}): Promise<{answer}>;")
    return lines


def _write(tree: Mapping[str, Any], depth: int) -> list[str]:
    """The members of an object type; ``""`` is the tool that the object itself is."""
    lines = _declare(tree[""], "", depth) if "" in tree else []
    for name, below in tree.items():
        if name == "":
            continue
        if list(below) == [""]:
            lines += _declare(below[""], property_name(name), depth)
        else:
            lines += [f"{'  ' * depth}{property_name(name)}: {{", *_write(below, depth + 1),
                      f"{'  ' * depth}}};"]
    return lines


def _write_top(name: str, below: Mapping[str, Any]) -> str:
    if list(below) == [""]:
        return "\n".join(_declare(below[""], f"declare function {name}", 0))
    return "\n".join([f"declare const {name}: {{", *_write(below, 1), "};"])


def declare(tools: Iterable[Declared]) -> str:
    """``declare function`` for plain names, ``declare const`` for those of several parts. A tool whose
    name is no variable's, or that of something else, is declared below ``tools``."""
    tree: dict[str, Any] = {}
    apart: dict[str, Any] = {}
    for tool in tools:
        parts = canonical(tool.definition.name).split("/")
        at = tree if is_variable(parts[0]) and not _cloche.javascript_has(parts[0]) else apart
        for part in parts:
            at = at.setdefault(part, {})
        at[""] = tool
    blocks = [_write_top(name, below) for name, below in sorted(tree.items())]
    if apart:
        blocks.append(_write_top("tools", dict(sorted(apart.items()))))
    return "\n\n".join(blocks) + ("\n" if blocks else "")


# ---- searching ----


def _words(text: str) -> list[str]:
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return re.findall(r"[^\W_]+", spaced.lower())


def search(tools: Iterable[Declared], query: str) -> list[Declared]:
    """The tools that words of a query are found in, best first: in the name more than in the
    description, in that more than in the parameters."""
    wanted = list(dict.fromkeys(_words(query)))
    scored = []
    for place, tool in enumerate(tools):
        one = tool.definition
        properties = tool.schema.get("properties") or {}
        parts = ((6, _words(one.name)), (3, _words(one.description)),
                 (1, _words(" ".join([*properties, *(str(schema.get("description", "")) for schema
                                                     in properties.values()
                                                     if isinstance(schema, Mapping))]))))
        score = sum(max((weight * 2 if word in words else weight for weight, words in parts
                         if any(each.startswith(word) for each in words)), default=0)
                    for word in wanted)
        if score:
            scored.append((-score, place, tool))
    return [tool for _, _, tool in sorted(scored, key=lambda one: one[:2])]
