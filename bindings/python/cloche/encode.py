# SPDX-License-Identifier: MIT
"""What is written for values that JSON does not know. Importing this sets it."""

from __future__ import annotations

from . import _cloche

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def simplify(value: Any) -> Any:
    """A simpler value that means the same; ``bytes`` are JSON already.

    Enums become their values, dataclasses, named tuples and models objects, dates ISO 8601, sets
    lists, bytes ``{"base64": ...}``, numpy's and pandas' values what they hold.
    """
    import dataclasses
    import datetime
    import decimal
    import enum
    import pathlib
    import uuid

    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, type):
        raise TypeError(f"the type {value.__name__} cannot be written as JSON")
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise ValueError("JSON has no infinite numbers and no NaN")
        return format(value, "f").encode() if abs(value.adjusted()) < 400 else str(value).encode()
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (uuid.UUID, pathlib.PurePath)):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, (bytes, bytearray, memoryview)):
        import base64

        return {"base64": base64.b64encode(value).decode()}
    for name in ("tolist", "to_dict"):  # numpy, pandas
        convert = getattr(value, name, None)
        if callable(convert):
            return convert()
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}  # a Mapping, whatever its kind
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")


_cloche.set_simplify(simplify)
