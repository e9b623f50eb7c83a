# SPDX-License-Identifier: MIT
"""Constraints on the parameters of a call: ``Param("amount") <= 100``.

They are data. Whether they hold, and whether one lies within another, the gate says
(docs/policy.md): numbers compare exactly, a boolean is no number, a parameter that is missing or
null fails all but ``not_exists``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from . import _cloche, encode  # noqa: F401  # what the gate gets may be a Decimal
from .errors import PolicyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Serialised type: the gate's operator, and the field that holds the operand.
_OPERATORS = {
    "lt": ("<", "value"),
    "le": ("<=", "value"),
    "gt": (">", "value"),
    "ge": (">=", "value"),
    "eq": ("==", "value"),
    "ne": ("!=", "value"),
    "in": ("in", "values"),
    "not_in": ("not_in", "values"),
    "starts_with": ("starts_with", "prefix"),
    "ends_with": ("ends_with", "suffix"),
    "contains": ("contains", "substring"),
    "between": ("between", "values"),
    "matches": ("matches", "value"),
    "glob": ("glob", "value"),
    "length": ("length", "value"),
    "type": ("type", "value"),
    "within": ("path_within", "value"),
    "url": ("url", "value"),
    "email_domain": ("email_domain", "value"),
    "before": ("before", "value"),
    "after": ("after", "value"),
    "all": ("all", "value"),
    "any": ("any", "value"),
    "none": ("none", "value"),
}
_FLAGS = ("exists", "not_exists")
_GROUPS = ("and", "or", "not")
_FIELDS = ("value", "values", "prefix", "suffix", "substring")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "before", "after")


def _gate_for(where: Mapping[str, Any] | None) -> _cloche.Gate:
    return _cloche.Gate(_policy_for(where))


def _policy_for(where: Mapping[str, Any] | None) -> _cloche.Policy:
    rule: dict[str, Any] = {"pattern": "call", "effect": "allow"}
    if where is not None:
        rule["where"] = where
    try:
        return _cloche.Policy({"rules": [rule]})
    except (ValueError, TypeError) as error:
        raise PolicyError(_without_place(str(error))) from None


def _without_place(message: str) -> str:
    """The gate says where in its document something is; here it is where the caller stands."""
    if not message.startswith("/rules/0"):
        return message
    place, _, sentence = message.partition(": ")
    return f"{place.removeprefix('/rules/0/where/')}: {sentence}"


def _operand(operator: str, value: Any) -> Any:
    if isinstance(value, Param) and operator in _COMPARISONS:
        return {"param": value.name}
    if isinstance(value, Mapping) and operator in ("==", "!="):
        return {"value": value}
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return value


class Constraint:
    """One condition on a call's parameters. Made by :class:`Param` or by the class methods here.

    A parameter's path is split at ``/``; a part may be the index of a list, or ``*`` for every
    element. Raises :class:`~cloche.PolicyError` (a ``ValueError``) for what could never hold.
    """

    __slots__ = ("_gate", "constraints", "param", "prefix", "substring", "suffix", "type", "value",
                 "values")

    type: str
    param: str | None
    value: Any
    values: list[Any] | None
    prefix: str | None
    suffix: str | None
    substring: str | None
    constraints: tuple[Constraint, ...]

    def __init__(self, type: str, param: str | None = None, *, value: Any = None,
                 values: Iterable[Any] | None = None, prefix: str | None = None,
                 suffix: str | None = None, substring: str | None = None,
                 constraints: Iterable[Constraint] = ()) -> None:
        if type not in _OPERATORS and type not in _FLAGS and type not in _GROUPS:
            known = ", ".join([*_OPERATORS, *_FLAGS, *_GROUPS])
            raise PolicyError(f"{type!r} is no type of constraint; there are {known}")
        self.type = type
        self.param = param
        self.value = value
        if isinstance(values, (str, bytes)):
            raise PolicyError(f"the values are a list, not the text {values!r}")
        self.values = None if values is None else list(_operand("", values))
        self.prefix, self.suffix, self.substring = prefix, suffix, substring
        self.constraints = tuple(constraints)
        if type not in _GROUPS and not isinstance(param, str):
            raise PolicyError(f"a constraint {type!r} needs the name of a parameter")
        self._gate = _gate_for(self.where())

    # ---- making ----

    @classmethod
    def _of(cls, type: str, param: str, operand: Any) -> Constraint:
        return cls(type, param, **{_OPERATORS[type][1]: operand})

    @classmethod
    def lt(cls, param: str, value: Any) -> Constraint:
        return cls._of("lt", param, value)

    @classmethod
    def le(cls, param: str, value: Any) -> Constraint:
        return cls._of("le", param, value)

    @classmethod
    def gt(cls, param: str, value: Any) -> Constraint:
        return cls._of("gt", param, value)

    @classmethod
    def ge(cls, param: str, value: Any) -> Constraint:
        return cls._of("ge", param, value)

    @classmethod
    def eq(cls, param: str, value: Any) -> Constraint:
        return cls._of("eq", param, value)

    @classmethod
    def ne(cls, param: str, value: Any) -> Constraint:
        return cls._of("ne", param, value)

    @classmethod
    def is_in(cls, param: str, values: Iterable[Any]) -> Constraint:
        return cls._of("in", param, values)

    @classmethod
    def not_in(cls, param: str, values: Iterable[Any]) -> Constraint:
        return cls._of("not_in", param, values)

    @classmethod
    def starts_with(cls, param: str, prefix: str) -> Constraint:
        return cls._of("starts_with", param, prefix)

    @classmethod
    def ends_with(cls, param: str, suffix: str) -> Constraint:
        return cls._of("ends_with", param, suffix)

    @classmethod
    def contains(cls, param: str, substring: Any) -> Constraint:
        return cls._of("contains", param, substring)

    @classmethod
    def exists(cls, param: str) -> Constraint:
        return cls("exists", param)

    @classmethod
    def not_exists(cls, param: str) -> Constraint:
        return cls("not_exists", param)

    @classmethod
    def and_(cls, *constraints: Constraint | Iterable[Constraint]) -> Constraint:
        return cls("and", constraints=_flat(constraints))

    @classmethod
    def or_(cls, *constraints: Constraint | Iterable[Constraint]) -> Constraint:
        return cls("or", constraints=_flat(constraints))

    @classmethod
    def not_(cls, constraint: Constraint) -> Constraint:
        return cls("not", constraints=[constraint])

    # ---- asking ----

    def evaluate(self, params: Mapping[str, Any]) -> bool:
        """Does it hold for these parameters?"""
        return bool(self._gate.check("call", params)["effect"] == "allow")

    def subsumes(self, other: Constraint) -> bool:
        """True if it can be proved that whatever ``other`` lets through, this does."""
        return _policy_for(self.where()).covers(_policy_for(other.where()))

    @property
    def param_name(self) -> str | None:
        """The parameter; ``None`` for ``and``, ``or``, ``not``."""
        return self.param

    def referenced_params(self) -> set[str]:
        """The paths of all parameters that it looks at."""
        found: set[str] = set() if self.param is None else {self.param}
        if isinstance(self.value, Param):
            found.add(self.value.name)
        return found.union(*(inner.referenced_params() for inner in self.constraints))

    # ---- as data ----

    def where(self) -> dict[str, Any]:
        """As a policy writes it (docs/policy.md)."""
        if self.type == "not":
            return {"not": self.constraints[0].where()}
        if self.type in _GROUPS:
            return {self.type: [inner.where() for inner in self.constraints]}
        path = f"/{self.param}" if self.param in _GROUPS else str(self.param)
        if self.type in _FLAGS:
            return {path: {self.type: True}}
        operator, field = _OPERATORS[self.type]
        return {path: {operator: _operand(operator, getattr(self, field))}}

    def to_dict(self) -> dict[str, Any]:
        """Plain data; fields that are not used are left out."""
        data: dict[str, Any] = {"type": self.type}
        if self.param is not None:
            data["param"] = self.param
        if self.type in _OPERATORS:
            field = _OPERATORS[self.type][1]
            value = getattr(self, field)
            data[field] = {"param": value.name} if isinstance(value, Param) else value
        if self.constraints:
            data["constraints"] = [inner.to_dict() for inner in self.constraints]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Constraint:
        """The inverse of :meth:`to_dict`. Unknown fields are errors."""
        unknown = set(data) - {"type", "param", "constraints", *_FIELDS}
        if unknown or "type" not in data:
            raise PolicyError(f"this is no constraint: {dict(data)!r}")
        fields = {name: data[name] for name in _FIELDS if name in data}
        operator = _OPERATORS.get(data["type"], ("",))[0]
        value = fields.get("value")
        if operator in _COMPARISONS and isinstance(value, Mapping) and list(value) == ["param"]:
            fields["value"] = Param(value["param"])
        inner = [cls.from_dict(one) for one in data.get("constraints", ())]
        return cls(data["type"], data.get("param"), constraints=inner, **fields)

    def __and__(self, other: Constraint) -> Constraint:
        return Constraint.and_(self, other)

    def __or__(self, other: Constraint) -> Constraint:
        return Constraint.or_(self, other)

    def __invert__(self) -> Constraint:
        return Constraint.not_(self)

    def __bool__(self) -> bool:
        raise TypeError("a constraint is neither true nor false; combine them with & and |, "
                        "and write (Param('a') > 1) & (Param('a') < 5) for a range")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constraint) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(_cloche.dumps(self.to_dict()))

    def __repr__(self) -> str:
        return f"Constraint.from_dict({self.to_dict()!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Constraint.from_dict, (self.to_dict(),)


def _flat(constraints: Iterable[Constraint | Iterable[Constraint]]) -> Iterator[Constraint]:
    for one in constraints:
        if isinstance(one, Constraint):
            yield one
        else:
            yield from one


class Param:
    """A parameter of a call, to be compared: ``Param("amount") <= 100``.

    The right side may be another parameter: ``Param("amount") <= Param("charged")``.
    """

    __slots__ = ("name",)
    __hash__ = None  # type: ignore[assignment]  # == makes a constraint

    def __init__(self, name: str) -> None:
        self.name = name

    def __lt__(self, value: Any) -> Constraint:
        return Constraint._of("lt", self.name, value)

    def __le__(self, value: Any) -> Constraint:
        return Constraint._of("le", self.name, value)

    def __gt__(self, value: Any) -> Constraint:
        return Constraint._of("gt", self.name, value)

    def __ge__(self, value: Any) -> Constraint:
        return Constraint._of("ge", self.name, value)

    def __eq__(self, value: Any) -> Constraint:  # type: ignore[override]
        return Constraint._of("eq", self.name, value)

    def __ne__(self, value: Any) -> Constraint:  # type: ignore[override]
        return Constraint._of("ne", self.name, value)

    def is_in(self, values: Iterable[Any]) -> Constraint:
        return Constraint._of("in", self.name, values)

    def not_in(self, values: Iterable[Any]) -> Constraint:
        return Constraint._of("not_in", self.name, values)

    def starts_with(self, prefix: str) -> Constraint:
        return Constraint._of("starts_with", self.name, prefix)

    def ends_with(self, suffix: str) -> Constraint:
        return Constraint._of("ends_with", self.name, suffix)

    def contains(self, substring: Any) -> Constraint:
        """A text within a string, or a value in a list."""
        return Constraint._of("contains", self.name, substring)

    def exists(self) -> Constraint:
        return Constraint("exists", self.name)

    def not_exists(self) -> Constraint:
        """Missing or null."""
        return Constraint("not_exists", self.name)

    def between(self, low: Any, high: Any) -> Constraint:
        """Both ends included."""
        return Constraint._of("between", self.name, [low, high])

    def matches(self, pattern: str) -> Constraint:
        """A regular expression that all of the text has to match, run in linear time."""
        return Constraint._of("matches", self.name, pattern)

    def glob(self, pattern: str) -> Constraint:
        return Constraint._of("glob", self.name, pattern)

    def length(self, bound: int | Mapping[str, int]) -> Constraint:
        """``5``, or operators: ``{"<=": 5}``."""
        return Constraint._of("length", self.name, bound)

    def is_type(self, *types: str) -> Constraint:
        """The names of JSON Schema's types."""
        return Constraint._of("type", self.name, list(types))

    def within(self, *folders: str) -> Constraint:
        """An absolute path at or below one of these, after ``.`` and ``..`` are resolved."""
        return Constraint._of("within", self.name, list(folders))

    def url(self, **parts: Any) -> Constraint:
        """``scheme``, ``host``, ``port``, ``path``: each a value or a list."""
        return Constraint._of("url", self.name, parts)

    def email_domain(self, *hosts: str) -> Constraint:
        return Constraint._of("email_domain", self.name, list(hosts))

    def before(self, time: str | Param) -> Constraint:
        """A time in ISO 8601 with a zone."""
        return Constraint._of("before", self.name, time)

    def after(self, time: str | Param) -> Constraint:
        return Constraint._of("after", self.name, time)

    def all(self, **operators: Any) -> Constraint:
        """Every element of a list, with the gate's operators: ``all(**{"<=": 5})``."""
        return Constraint._of("all", self.name, operators)

    def any(self, **operators: Any) -> Constraint:
        return Constraint._of("any", self.name, operators)

    def __repr__(self) -> str:
        return f"Param({self.name!r})"


class ConstraintSet:
    """Constraints that all have to hold. An empty one always does."""

    __slots__ = ("_gate", "constraints")

    def __init__(self, constraints: Iterable[Constraint] = ()) -> None:
        self.constraints: list[Constraint] = []
        self._gate: _cloche.Gate | None = None
        self.extend(constraints)

    def where(self) -> dict[str, Any] | None:
        """As a policy writes it; ``None`` when empty."""
        if not self.constraints:
            return None
        if len(self.constraints) == 1:
            return self.constraints[0].where()
        return {"and": [one.where() for one in self.constraints]}

    def evaluate(self, params: Mapping[str, Any]) -> bool:
        """Do all hold for these parameters?"""
        if self._gate is None:
            self._gate = _gate_for(self.where())
        return bool(self._gate.check("call", params)["effect"] == "allow")

    def is_empty(self) -> bool:
        return not self.constraints

    def subsumes(self, other: ConstraintSet) -> bool:
        """True if it can be proved that whatever ``other`` lets through, this does."""
        return _policy_for(self.where()).covers(_policy_for(other.where()))

    def extend(self, more: Iterable[Constraint]) -> None:
        """Adds constraints, in place."""
        added = list(more)
        for one in added:
            if not isinstance(one, Constraint):
                raise TypeError(f"a Constraint is wanted, not {one!r}")
        self.constraints += added
        self._gate = None

    def merge(self, other: Iterable[Constraint]) -> ConstraintSet:
        """A new set that asks for both."""
        return ConstraintSet([*self.constraints, *other])

    def to_dict(self) -> list[dict[str, Any]]:
        return [one.to_dict() for one in self.constraints]

    @classmethod
    def from_dict(cls, data: Sequence[Mapping[str, Any]]) -> ConstraintSet:
        return cls(Constraint.from_dict(one) for one in data)

    def __iter__(self) -> Iterator[Constraint]:
        return iter(self.constraints)

    def __len__(self) -> int:
        return len(self.constraints)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstraintSet) and self.constraints == other.constraints

    def __hash__(self) -> int:
        return hash(tuple(self.constraints))

    def __repr__(self) -> str:
        return f"ConstraintSet({self.constraints!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ConstraintSet, (list(self.constraints),)
