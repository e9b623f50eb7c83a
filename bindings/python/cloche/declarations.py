# SPDX-License-Identifier: MIT
"""Tools as TypeScript declarations, narrowed by what is allowed.

A list that a constraint gives becomes a union of literals, a tool that no capability allows is left
out, and bounds stand in comments. This is for a model to read; the gate decides from the policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _cloche
from .capabilities import MethodCapability, canonical
from .constraints import Constraint
from .definitions import ToolDefinition

_NAME = re.compile(r"^[A-Za-z_$][A-Za-z0-9_$]*$")
_NAMES = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean",
          "null": "null"}
_DEPTH = 8


def _property(name: str) -> str:
    return name if _NAME.match(name) else _cloche.dumps(name)


def _comment(text: str) -> str:
    """Text inside a comment must not end it."""
    return " ".join(text.split()).replace("*/", "* /")


def _union(types: Iterable[str]) -> str:
    found = list(dict.fromkeys(types))
    return "any" if "any" in found or not found else " | ".join(found)


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> str:
    properties: Mapping[str, Any] = schema.get("properties") or {}
    required = schema.get("required") or ()
    members = [f"{_property(name)}{'' if name in required else '?'}: {_type(one, root, depth)}"
               for name, one in properties.items()]
    rest = schema.get("additionalProperties")
    if isinstance(rest, Mapping) and rest:
        members.append(f"[name: string]: {_type(rest, root, depth)}")
    elif not members:
        return "{}" if rest is False else "{ [name: string]: any }"
    return "{ " + "; ".join(members) + " }"


def _array(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> str:
    if schema.get("prefixItems"):
        return "[" + ", ".join(_type(one, root, depth) for one in schema["prefixItems"]) + "]"
    inner = _type(schema.get("items", {}), root, depth)
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


def _resolve(reference: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for part in reference.removeprefix("#/").split("/"):
        found = found.get(part.replace("~1", "/").replace("~0", "~"), {}) \
            if isinstance(found, Mapping) else {}
    return found


def _type(schema: Any, root: Mapping[str, Any], depth: int = 0) -> str:
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return "any"
    depth += 1
    if "$ref" in schema:
        return _type(_resolve(schema["$ref"], root), root, depth)
    if "const" in schema:
        return _cloche.dumps(schema["const"])
    if "enum" in schema:
        return _union(_cloche.dumps(one) for one in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return _union(_type(one, root, depth) for one in schema[key])
    if "allOf" in schema:
        parts = [_type(one, root, depth) for one in schema["allOf"]]
        return " & ".join(f"({one})" if " | " in one else one for one in parts if one != "any") \
            or "any"
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return _union(_type({**schema, "type": one}, root, depth) for one in kinds)
    if kinds == "object" or (kinds is None and "properties" in schema):
        return _object(schema, root, depth)
    if kinds == "array":
        return _array(schema, root, depth)
    return _NAMES.get(kinds or "", "any")


# ---- what the policy says ----

_WORDS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "ne": "not", "not_in": "none of",
          "starts_with": "starts with", "ends_with": "ends with", "contains": "contains",
          "between": "between", "matches": "matches", "glob": "is like", "length": "length",
          "within": "a path within", "url": "a URL with", "email_domain": "an e-mail address at",
          "before": "before", "after": "after", "exists": "given", "not_exists": "not given"}


def _operand(one: Constraint) -> str:
    data = one.to_dict()
    for key in ("value", "values", "prefix", "suffix", "substring"):
        if key in data:
            return f" {_cloche.dumps(data[key])}"
    return ""


def _describe(one: Constraint) -> str:
    if one.type in ("and", "or"):
        return f" {one.type} ".join(f"({_describe(part)})" for part in one.constraints)
    if one.type == "not":
        return f"not ({_describe(one.constraints[0])})"
    if one.type == "eq":
        return f"{one.param} is{_operand(one)}"
    if one.type == "in":
        return f"{one.param} is one of{_operand(one)}"
    return f"{one.param} {_WORDS.get(one.type, one.type)}{_operand(one)}"


def _plain_constraints(capability: MethodCapability) -> list[Constraint]:
    found: list[Constraint] = []
    waiting = list(capability.constraints)
    while waiting:
        one = waiting.pop(0)
        if one.type == "and":
            waiting[:0] = one.constraints
        else:
            found.append(one)
    return found


def _allowed_values(constraints: Sequence[Constraint], name: str) -> list[Any] | None:
    """The values that constraints list for a top-level parameter."""
    for one in constraints:
        if one.param is None or one.param.lstrip("/") != name:
            continue
        if one.type == "in":
            return list(one.values or ())
        if one.type == "eq" and (one.value is None or isinstance(one.value, (str, int, float))):
            return [one.value]
    return None


def _narrow(definition: ToolDefinition,
            capabilities: Sequence[MethodCapability]) -> tuple[dict[str, Any], list[str]]:
    """The schema and the remarks. Several capabilities are alternatives: no type is narrowed."""
    schema = dict(definition.parameters)
    if len(capabilities) > 1:
        choices = [" and ".join(_describe(one) for one in _plain_constraints(capability))
                   or "anything" for capability in capabilities]
        return schema, [] if "anything" in choices else ["either " + ", or ".join(choices)]
    remarks: list[str] = []
    for capability in capabilities:
        constraints = _plain_constraints(capability)
        properties = dict(schema.get("properties") or {})
        for name in properties:
            values = _allowed_values(constraints, name)
            if values is not None:
                properties[name] = {"enum": values}
        schema["properties"] = properties
        typed = {name for name in properties if _allowed_values(constraints, name) is not None}
        remarks += [_describe(one) for one in constraints
                    if not (one.type in ("in", "eq") and one.param is not None
                            and one.param.lstrip("/") in typed)]
        if capability.max_calls is not None:
            remarks.append(f"at most {capability.max_calls} calls")
    return schema, remarks


def matches(capability: MethodCapability, name: str) -> bool:
    """Could it allow this method at all? The gate's own pattern matching says."""
    gate = _cloche.Gate(_cloche.Policy(
        {"rules": [{"pattern": capability.method_pattern, "effect": "allow"}]}))
    return bool(gate.check(name, {})["effect"] == "allow")


def _declare(definition: ToolDefinition, capabilities: Sequence[MethodCapability] | None,
             name: str, depth: int) -> list[str]:
    schema = definition.parameters
    remarks: list[str] = []
    if capabilities is not None:
        schema, remarks = _narrow(definition, capabilities)
    notes = [_comment(definition.description)] if definition.description.strip() else []
    for key, one in (definition.parameters.get("properties") or {}).items():
        note = one.get("description") if isinstance(one, Mapping) else None
        if isinstance(note, str):
            notes.append(f"@param {_comment(key)} {_comment(note)}")
    notes += [f"@limit {_comment(one)}" for one in remarks]
    pad = "  " * depth
    lines = []
    if len(notes) == 1:
        lines.append(f"{pad}/** {notes[0]} */")
    elif notes:
        lines += [f"{pad}/**", *(f"{pad} * {one}" for one in notes), f"{pad} */"]
    params = _type(schema, schema) if schema else "{ [name: string]: any }"
    answer = "any" if definition.output_schema is None else _type(definition.output_schema,
                                                                  definition.output_schema)
    optional = "" if schema.get("required") else "?"
    lines.append(f"{pad}{name}(params{optional}: {params}): Promise<{answer}>;")
    return lines


def _write(tree: Mapping[str, Any], capabilities: Any, depth: int) -> list[str]:
    lines: list[str] = []
    for name, below in tree.items():
        if name == "":
            continue
        tool, granted = below.get("", (None, None))
        if tool is not None and len(below) == 1:
            lines += _declare(tool, granted, _property(name), depth)
            continue
        lines.append(f"{'  ' * depth}{_property(name)}: {{")
        if tool is not None:
            lines += _declare(tool, granted, "", depth + 1)
        lines += _write(below, capabilities, depth + 1)
        lines.append(f"{'  ' * depth}}};")
    return lines


def declare(definitions: Iterable[ToolDefinition],
            capabilities: Sequence[MethodCapability] | None) -> str:
    """``declare function`` for plain names, ``declare const`` for dotted ones, and below ``tools``
    what a program cannot reach by its name: ``odd-name``, or ``fs`` and ``console``, which it has
    already. ``capabilities`` ``None`` means that nothing is known of what is allowed."""
    tree: dict[str, Any] = {}
    for definition in definitions:
        name = canonical(definition.name)
        granted = (None if capabilities is None
                   else [one for one in capabilities if matches(one, name)])
        if granted is not None and not granted:
            continue
        at = tree
        for part in name.split("/"):
            at = at.setdefault(part, {})
        at[""] = (definition, granted)
    blocks: list[str] = []
    unreachable: dict[str, Any] = {}
    lines: list[str]
    for name, below in sorted(tree.items()):
        if not _NAME.match(name) or _cloche.javascript_has(name):
            unreachable[name] = below
            continue
        if list(below) == [""]:
            tool, granted = below[""]
            lines = _declare(tool, granted, f"declare function {name}", 0)
        else:
            lines = _write({name: below}, None, 0)
            lines[0] = f"declare const {name}: {{"
        blocks.append("\n".join(lines))
    if unreachable:
        blocks.append("\n".join(["declare const tools: {", *_write(unreachable, None, 1), "};"]))
    return "\n\n".join(blocks) + ("\n" if blocks else "")
