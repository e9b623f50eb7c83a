# SPDX-License-Identifier: MIT
"""JSON Schemas as TypeScript types, for a model to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from . import _cloche

_IDENTIFIER = re.compile(r"^[A-Za-z_$][A-Za-z0-9_$]*$")
# What no declaration may be called, in strict code.
_RESERVED = frozenset("""
    arguments await break case catch class const continue debugger default delete do else enum eval export
    extends false finally for function if implements import in instanceof interface let new null package
    private protected public return static super switch this throw true try typeof undefined var void while
    with yield""".split())
_NAMES = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean",
          "null": "null"}
_DEPTH = 8


def is_variable(name: str) -> bool:
    """May a variable or function be called so?"""
    return _IDENTIFIER.match(name) is not None and name not in _RESERVED


def property_name(name: str) -> str:
    return name if _IDENTIFIER.match(name) else _cloche.dumps(name)


def comment(text: str) -> str:
    """Text inside a comment must not end it."""
    return " ".join(text.split()).replace("*/", "* /")


def _union(types: Iterable[str]) -> str:
    found = list(dict.fromkeys(types))
    if "any" in found:
        return "any"
    return " | ".join(found) if found else "never"


def _whole(inner: str) -> str:
    return f"({inner})" if " | " in inner or " & " in inner else inner


def resolve(reference: str, root: Mapping[str, Any]) -> Any:
    """What a ``$ref`` within the document refers to; ``{}`` if there is nothing."""
    found: Any = root
    if not reference.startswith("#"):
        return {}
    for part in reference[1:].strip("/").split("/") if reference.strip("#/") else ():
        found = found.get(part.replace("~1", "/").replace("~0", "~"), {}) \
            if isinstance(found, Mapping) else {}
    return found


class _Writer:
    """Types of one schema. A type that contains itself is ``any`` where it does."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.open: list[str] = []

    def type(self, schema: Any, depth: int = 0) -> str:
        if schema is False:
            return "never"
        if not isinstance(schema, Mapping) or depth > _DEPTH:
            return "any"
        depth += 1
        if "$ref" in schema:
            return self._reference(schema["$ref"], depth)
        if "const" in schema:
            return _cloche.dumps(schema["const"])
        if "enum" in schema:
            return _union(_cloche.dumps(one) for one in schema["enum"])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return _union(self.type(one, depth) for one in schema[key])
        if "allOf" in schema:
            parts = [self.type(one, depth) for one in schema["allOf"]]
            return " & ".join(_whole(one) for one in parts if one != "any") or "any"
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return _union(self.type({**schema, "type": one}, depth) for one in kinds)
        if kinds == "object" or (kinds is None and "properties" in schema):
            return self._object(schema, depth)
        if kinds == "array":
            return self._array(schema, depth)
        return _NAMES.get(kinds or "", "any")

    def _reference(self, reference: str, depth: int) -> str:
        if reference in self.open:
            return "any"
        self.open.append(reference)
        found = self.type(resolve(reference, self.root), depth)
        self.open.pop()
        return found

    def _object(self, schema: Mapping[str, Any], depth: int) -> str:
        properties: Mapping[str, Any] = schema.get("properties") or {}
        required = schema.get("required") or ()
        members = [f"{property_name(name)}{'' if name in required else '?'}: {self.type(one, depth)}"
                   for name, one in properties.items()]
        rest = schema.get("additionalProperties")
        if isinstance(rest, Mapping) and rest:
            # Beside others it has to be wide enough for them, too.
            members.append(f"[name: string]: {'any' if members else self.type(rest, depth)}")
        elif not members:
            return "{}" if rest is False else "{ [name: string]: any }"
        return "{ " + "; ".join(members) + " }"

    def _array(self, schema: Mapping[str, Any], depth: int) -> str:
        if schema.get("prefixItems"):
            return "[" + ", ".join(self.type(one, depth) for one in schema["prefixItems"]) + "]"
        return _whole(self.type(schema.get("items", {}), depth)) + "[]"


def type_of(schema: Mapping[str, Any]) -> str:
    """The type of what a schema describes; a schema that says nothing is ``any``."""
    return _Writer(schema).type(schema)
