# SPDX-License-Identifier: MIT
"""Annotations as JSON Schema, and how JSON becomes what they say.

:func:`shape_of` gives both, so that they cannot drift apart: a schema, and a converter or ``None``
where JSON is that type already.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import inspect
import pathlib
import sys
import types
import typing
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from .errors import PolicyError, ToolError

Convert = Callable[[Any], Any]
Schema = dict[str, Any]


class Shape(typing.NamedTuple):
    """What a parameter looks like in JSON, and how it becomes a Python value."""

    schema: Schema
    convert: Convert | None = None


ANYTHING = Shape({})
_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"}, bool: {"type": "boolean"}, int: {"type": "integer"},
    float: {"type": "number"}, type(None): {"type": "null"}, dict: {"type": "object"},
    list: {"type": "array"},
}


def _float(value: Any) -> float:
    return float(value)


def _bytes(value: str) -> bytes:
    import base64

    return base64.b64decode(value, validate=True)


_TEXTS: dict[Any, Shape] = {
    datetime.datetime: Shape({"type": "string", "format": "date-time"},
                             datetime.datetime.fromisoformat),
    datetime.date: Shape({"type": "string", "format": "date"}, datetime.date.fromisoformat),
    datetime.time: Shape({"type": "string", "format": "time"}, datetime.time.fromisoformat),
    uuid.UUID: Shape({"type": "string", "format": "uuid"}, uuid.UUID),
    decimal.Decimal: Shape({"type": ["number", "string"]}, lambda v: decimal.Decimal(str(v))),
    bytes: Shape({"type": "string", "contentEncoding": "base64"}, _bytes),
    complex: Shape({"type": "string"}, complex),
}


def _each(convert: Convert | None, make: Callable[[Any], Any]) -> Convert | None:
    if convert is None:
        return None if make is list else make
    return lambda values: make(convert(one) for one in values)


def _array(args: tuple[Any, ...], make: Callable[[Any], Any], unique: bool) -> Shape:
    item = shape_of(args[0]) if args else ANYTHING
    schema: Schema = {"type": "array"}
    if item.schema:
        schema["items"] = item.schema
    if unique:
        schema["uniqueItems"] = True
    return Shape(schema, _each(item.convert, make))


def _tuple(args: tuple[Any, ...]) -> Shape:
    if not args or (len(args) == 2 and args[1] is Ellipsis):
        return _array(args[:1], tuple, False)
    items = [shape_of(one) for one in args]
    converts = [one.convert or (lambda value: value) for one in items]
    schema = {"type": "array", "prefixItems": [one.schema for one in items],
              "minItems": len(items), "maxItems": len(items)}
    return Shape(schema, lambda values: tuple(
        convert(value) for convert, value in zip(converts, values, strict=True)))


def _mapping(args: tuple[Any, ...]) -> Shape:
    value = shape_of(args[1]) if len(args) == 2 else ANYTHING
    key = shape_of(args[0]) if len(args) == 2 and args[0] is not Any else Shape({"type": "string"})
    schema: Schema = {"type": "object"}
    if value.schema:
        schema["additionalProperties"] = value.schema
    if key.schema.get("enum"):
        schema["propertyNames"] = {"enum": key.schema["enum"]}
    make_key, make_value = key.convert or (lambda k: k), value.convert or (lambda v: v)
    if args and args[0] is int:
        schema["propertyNames"] = {"pattern": "-?[0-9]+"}
        make_key = int
    if make_key is not int and key.convert is None and value.convert is None:
        return Shape(schema)
    return Shape(schema, lambda found: {make_key(k): make_value(v) for k, v in found.items()})


def _literal(values: tuple[Any, ...]) -> Shape:
    found = {repr(one): one for one in values}
    plain = [one.value if isinstance(one, enum.Enum) else one for one in values]
    schema: Schema = {"enum": plain}
    kinds = {type(one) for one in plain}
    if len(kinds) == 1 and (kind := kinds.pop()) in _PLAIN:
        schema = {**_PLAIN[kind], **schema}
    if not any(isinstance(one, enum.Enum) for one in values):
        return Shape(schema)
    return Shape(schema, lambda value: next(
        one for one in found.values()
        if (one.value if isinstance(one, enum.Enum) else one) == value))


def _enumeration(kind: type[enum.Enum]) -> Shape:
    schema = _literal(tuple(one.value for one in kind)).schema
    return Shape(schema, kind)


def _union(args: tuple[Any, ...]) -> Shape:
    shapes = [shape_of(one) for one in args]
    if any(one.schema == {} for one in shapes):
        return ANYTHING
    kinds = [one.schema.get("type") for one in shapes]
    if all(list(one.schema) == ["type"] and isinstance(one.schema["type"], str) for one in shapes):
        schema: Schema = {"type": kinds}
    elif len(shapes) == 2 and "null" in kinds and _enum_of(shapes) is not None:
        schema = {"enum": [*_enum_of(shapes), None]}  # type: ignore[misc]
    else:
        schema = {"anyOf": [one.schema for one in shapes]}
    if all(one.convert is None for one in shapes):
        return Shape(schema)
    return Shape(schema, lambda value: _first_fit(shapes, value))


def _enum_of(shapes: list[Shape]) -> list[Any] | None:
    for one in shapes:
        if one.schema.get("type") != "null":
            found: list[Any] | None = one.schema.get("enum")
            return found
    return None


def _first_fit(shapes: list[Shape], value: Any) -> Any:
    """The gate has seen that one of them fits; which, it does not say."""
    from . import _cloche

    errors = []
    for one in shapes:
        gate = _cloche.Gate(_cloche.Policy(
            {"rules": [{"pattern": "call", "effect": "allow"}]},
            [{"name": "call", "input_schema": {"properties": {"value": one.schema}}}]))
        if gate.check("call", {"value": value})["effect"] != "allow":
            continue
        try:
            return value if one.convert is None else one.convert(value)
        except (ValueError, TypeError, ToolError) as error:
            errors.append(error)
    raise errors[0] if errors else ValueError("no alternative fits")


def object_schema(fields: Mapping[str, Shape], required: list[str], closed: bool = True) -> Schema:
    """An object with these members."""
    schema: Schema = {"type": "object",
                      "properties": {name: one.schema for name, one in fields.items()}}
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def _convert_members(fields: Mapping[str, Shape], found: Mapping[str, Any]) -> dict[str, Any]:
    converts = {name: one.convert for name, one in fields.items() if one.convert is not None}
    return {name: converts[name](value) if name in converts else value
            for name, value in found.items()}


def _dataclass(kind: type) -> Shape:
    hints = typing.get_type_hints(kind, include_extras=True)
    members = [one for one in dataclasses.fields(kind) if one.init]
    fields = {one.name: shape_of(hints[one.name]) for one in members}
    required = [one.name for one in members if one.default is dataclasses.MISSING
                and one.default_factory is dataclasses.MISSING]
    return Shape(object_schema(fields, required),
                 lambda found: kind(**_convert_members(fields, found)))


def _typed_dict(kind: Any) -> Shape:
    hints = typing.get_type_hints(kind, include_extras=False)
    fields = {name: shape_of(hint) for name, hint in hints.items()}
    required = [name for name in hints if name in kind.__required_keys__]
    schema = object_schema(fields, required)
    if all(one.convert is None for one in fields.values()):
        return Shape(schema)
    return Shape(schema, lambda found: _convert_members(fields, found))


def _named_tuple(kind: Any) -> Shape:
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = {name: shape_of(hints.get(name, Any)) for name in kind._fields}
    required = [name for name in kind._fields if name not in kind._field_defaults]
    return Shape(object_schema(fields, required),
                 lambda found: kind(**_convert_members(fields, found)))


def _is_pydantic(annotation: Any) -> bool:
    """Anything that pydantic defines, at any depth."""
    if "pydantic" not in sys.modules:
        return False
    if getattr(type(annotation), "__module__", "").split(".")[0] in ("pydantic", "annotated_types"):
        return True
    if isinstance(annotation, type) and (hasattr(annotation, "__pydantic_core_schema__")
                                         or hasattr(annotation, "__get_pydantic_core_schema__")):
        return True
    inner = (*typing.get_args(annotation), *getattr(annotation, "__metadata__", ()))
    return any(_is_pydantic(one) for one in inner if not isinstance(one, (str, int, float)))


def _pydantic(annotation: Any) -> Shape:
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(annotation)

    def convert(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            problems = "; ".join(f"{'/'.join(map(str, one['loc']))}: {one['msg']}"
                                 for one in error.errors(include_url=False))
            raise ToolError(problems, "tool.arguments") from None

    return Shape(adapter.json_schema(), convert)


def hoist(schema: Any, definitions: dict[str, Any]) -> Any:
    """Without the ``$defs`` at any depth, which go into ``definitions``: a ``$ref`` counts from the
    root of the whole schema."""
    if isinstance(schema, list):
        return [hoist(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    for name, found in schema.get("$defs", {}).items():
        if definitions.get(name, found) != found:
            raise PolicyError(f"two different types are called {name}")
        definitions[name] = found
    return {key: value if key in ("default", "examples", "enum", "const")
            else hoist(value, definitions)
            for key, value in schema.items() if key != "$defs" or "type" in value}


def _annotated(annotation: Any) -> Shape:
    base, *notes = typing.get_args(annotation)
    shape = shape_of(base)
    description = next((one for one in notes if isinstance(one, str)), None)
    if description is None:
        return shape
    return Shape({**shape.schema, "description": description}, shape.convert)


def _generic(origin: Any, args: tuple[Any, ...]) -> Shape | None:
    if origin is typing.Literal:
        return _literal(args)
    if origin in (typing.Union, types.UnionType):
        return _union(args)
    if origin in (typing.Required, typing.NotRequired, typing.Final, typing.ClassVar):
        return shape_of(args[0])
    if origin is tuple:
        return _tuple(args)
    if origin in (set, frozenset):
        return _array(args, origin, True)
    if not isinstance(origin, type):
        return None
    if issubclass(origin, Mapping):
        return _mapping(args)
    if origin.__module__ == "collections.abc" or origin is list:
        sets = origin.__name__ in ("Set", "MutableSet")
        return _array(args, set if sets else list, sets)
    return None


def _class(kind: type) -> Shape | None:
    if issubclass(kind, enum.Enum):
        return _enumeration(kind)
    if typing.is_typeddict(kind):
        return _typed_dict(kind)
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _named_tuple(kind)
    if issubclass(kind, pathlib.PurePath):
        return Shape({"type": "string"}, kind)
    return None


def shape_of(annotation: Any) -> Shape:
    """The shape of an annotation. Raises :class:`~cloche.PolicyError` for what JSON cannot carry."""
    if annotation in (Any, inspect.Parameter.empty, object):
        return ANYTHING
    if annotation is None:
        annotation = type(None)
    if annotation is float:
        return Shape(_PLAIN[float], _float)  # JSON's 5 is 5.0 here
    if isinstance(annotation, type) and annotation in _PLAIN:
        return Shape(_PLAIN[annotation])
    if isinstance(annotation, type) and annotation in _TEXTS:
        return _TEXTS[annotation]
    if annotation in (tuple, set, frozenset):
        return _generic(annotation, ()) or ANYTHING
    if _is_pydantic(annotation):
        return _pydantic(annotation)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _annotated(annotation)
    shape = _generic(origin, args) if origin is not None else None
    if shape is None and origin is None and isinstance(annotation, type):
        shape = _class(annotation) or _generic(annotation, ())
    if shape is None and hasattr(annotation, "__supertype__"):
        return shape_of(annotation.__supertype__)
    if shape is None and isinstance(annotation, typing.TypeVar):
        bound = annotation.__bound__
        return ANYTHING if bound is None else shape_of(bound)
    if shape is None:
        raise PolicyError(f"{annotation!r} has no form in JSON")
    return shape
