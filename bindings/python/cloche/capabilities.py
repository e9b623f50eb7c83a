# SPDX-License-Identifier: MIT
"""What a program may call: :class:`MethodCapability`, compiled to the gate's policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from . import _cloche
from .constraints import Constraint, ConstraintSet
from .errors import (
    CallLimitExceededError,
    CapabilityError,
    ConstraintError,
    MissingParamError,
    PolicyError,
    TypeMismatchError,
    ViolationError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEY_PREFIX = "cap:method:"


def canonical(name: str) -> str:
    """``mcp:a.b``, ``a.b`` and ``a/b`` are one name: ``a/b``. Takes keys, too."""
    name = name.removeprefix(KEY_PREFIX)
    while name.startswith("mcp:"):
        name = name[4:]
    return name.replace(".", "/")


class MethodCapability:
    """Allows the methods that a pattern matches.

    ``*`` in a pattern is one segment, ``**`` any number, ``create_*`` part of one. ``constraints``
    all have to hold; ``max_calls`` bounds the calls in all; ``input_schema`` (JSON Schema) is
    enforced and needs a pattern without stars. Invalid patterns, constraints and schemas raise
    :class:`~cloche.PolicyError`.
    """

    __slots__ = ("_gate", "constraints", "expires", "input_schema", "max_calls", "method_pattern")

    def __init__(self, method_pattern: str,
                 constraints: ConstraintSet | Iterable[Constraint] = (),
                 max_calls: int | None = None,
                 input_schema: Mapping[str, Any] | None = None) -> None:
        self.method_pattern = method_pattern
        self.constraints = (constraints if isinstance(constraints, ConstraintSet)
                            else ConstraintSet(constraints))
        self.max_calls = max_calls
        self.input_schema = None if input_schema is None else dict(input_schema)
        self.expires: str | None = None  # ISO 8601; set from a signed grant
        self._gate: _cloche.Gate | None = None
        if self.input_schema is not None and "*" in method_pattern:
            raise PolicyError(f"an input_schema is one tool's; {method_pattern!r} may match several")
        self._compiled()

    def key(self) -> str:
        """Names its budget: ``cap:method:`` and the pattern."""
        return KEY_PREFIX + self.method_pattern

    def rule(self) -> dict[str, Any]:
        """As the gate's policy writes it (docs/policy.md)."""
        rule: dict[str, Any] = {"pattern": self.method_pattern, "effect": "allow", "explain": True}
        where = self.constraints.where()
        if where is not None:
            rule["where"] = where
        if self.max_calls is not None:
            rule["max_calls"] = self.max_calls
        if self.expires is not None:
            rule["expires"] = self.expires
        return rule

    def _tools(self) -> list[dict[str, Any]] | None:
        if self.input_schema is None:
            return None
        return [{"name": canonical(self.method_pattern), "input_schema": self.input_schema}]

    def _compiled(self) -> _cloche.Policy:
        try:
            return _cloche.Policy({"rules": [self.rule()]}, self._tools())
        except (ValueError, TypeError) as error:
            raise PolicyError(f"{self.method_pattern!r}: {error}") from None

    def validate_call(self, method: str, params: Mapping[str, Any]) -> None:
        """Returns if a first call of this kind were allowed, and raises what is wrong if not.

        :class:`~cloche.CapabilityError` (another method, a budget of none),
        :class:`~cloche.MissingParamError`, :class:`~cloche.TypeMismatchError`,
        :class:`~cloche.ViolationError`, or :class:`~cloche.ConstraintError` for schemas and for
        alternatives none of which holds.
        """
        if self._gate is None:
            self._gate = _cloche.Gate(self._compiled())
        decision = self._gate.check(method, params)
        if decision["effect"] != "allow":
            raise error_of(decision, self.key(), self.max_calls or 0, params)

    def is_subset_of(self, parent: MethodCapability) -> bool:
        """True only if it can be proved that ``parent`` allows whatever this allows, as often.

        Tightening a bound and adding one are accepted; dropping one is not.
        """
        return (parent.input_schema in (None, self.input_schema)
                and _plain(parent).covers(_plain(self)))

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what is not set is left out."""
        data: dict[str, Any] = {"method_pattern": self.method_pattern}
        if not self.constraints.is_empty():
            data["constraints"] = self.constraints.to_dict()
        if self.max_calls is not None:
            data["max_calls"] = self.max_calls
        if self.input_schema is not None:
            data["input_schema"] = self.input_schema
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MethodCapability:
        """The inverse of :meth:`to_dict`. Unknown fields are errors."""
        unknown = set(data) - {"method_pattern", "constraints", "max_calls", "input_schema"}
        if unknown or "method_pattern" not in data:
            raise PolicyError(f"this is no capability: {dict(data)!r}")
        return cls(data["method_pattern"], ConstraintSet.from_dict(data.get("constraints") or ()),
                   data.get("max_calls"), data.get("input_schema"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MethodCapability) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.method_pattern, self.max_calls))

    def __repr__(self) -> str:
        return f"MethodCapability.from_dict({self.to_dict()!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return MethodCapability.from_dict, (self.to_dict(),)


def _plain(capability: MethodCapability) -> _cloche.Policy:
    return _cloche.Policy({"rules": [capability.rule()]})


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return "string" if isinstance(value, str) else type(value).__name__


def _value_at(params: Mapping[str, Any], path: str) -> Any:
    value: Any = params
    for part in path.lstrip("/").split("/"):
        try:
            value = value[int(part)] if isinstance(value, (list, tuple)) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return value


def _wanted_kind(expected: str) -> str | None:
    """The type that the gate's words ask for: "<= 100" is about numbers."""
    operator, _, operand = expected.partition(" ")
    if operator in ("starts_with", "ends_with", "matches", "glob", "path_within", "url",
                    "email_domain", "before", "after"):
        return "string"
    if operator not in ("<", "<=", ">", ">=", "==", "!="):
        return None
    try:
        return _kind_of(_cloche.loads(operand))
    except ValueError:
        return None


def error_of(decision: Mapping[str, Any], key: str, max_calls: int,
             params: Mapping[str, Any]) -> CapabilityError | ConstraintError:
    """The exception that stands for a denial."""
    code, param, got = decision["code"], decision["param"], decision["got"]
    expected = decision["expected"]
    if code == "budget":
        return CallLimitExceededError(key, max_calls)
    if code == "constraint" and param:
        if got in ("nothing", "null"):
            return MissingParamError(param)
        wanted = _wanted_kind(expected)
        if wanted is not None and got and wanted != got:
            return TypeMismatchError(param, wanted, got)
        return ViolationError(param, expected, _value_at(params, param))
    if code in ("constraint", "schema", "closed", "fixed", "params"):
        return ConstraintError(decision["message"])
    return CapabilityError(decision["message"])


def compile_policy(capabilities: Sequence[MethodCapability],
                   tools: Sequence[Mapping[str, Any]] | None) -> _cloche.Policy:
    """One policy of capabilities, in order. ``tools`` makes misspelt names errors."""
    try:
        return _cloche.Policy({"rules": [one.rule() for one in capabilities]}, tools)
    except (ValueError, TypeError) as error:
        raise PolicyError(str(error)) from None


def budget_keys(capabilities: Sequence[MethodCapability], outer: int = 0) -> list[str]:
    """The account's name of each capability's budget: several of one pattern are counted apart, and
    so are those of policies that restrict ``outer`` others."""
    layer = f"{outer}:" if outer else ""
    seen: dict[str, int] = {}
    keys = []
    for one in capabilities:
        pattern = canonical(one.method_pattern)
        seen[pattern] = seen.get(pattern, 0) + 1
        keys.append(f"{layer}rules/{pattern}" + (f"#{seen[pattern]}" if seen[pattern] > 1 else ""))
    return keys
