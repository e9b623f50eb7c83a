# SPDX-License-Identifier: MIT
"""What rules leave of a tool: its schema made narrower, and remarks on what no schema says.

This is for a model to read, and may say less than the gate does: the gate decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from . import _cloche
from .capabilities import canonical
from .typescript import resolve

Rule = Mapping[str, Any]
Schema = Mapping[str, Any]

# ---- which rules are about a tool ----


@lru_cache(4096)
def _gate(pattern: str) -> _cloche.Gate:
    return _cloche.Gate(_cloche.Policy({"rules": [{"pattern": pattern, "effect": "allow"}]}))


def matches(pattern: str, name: str) -> bool:
    """Is a method one that a pattern is about? The gate's own matching says."""
    if "*" not in pattern:
        return canonical(pattern) == canonical(name)
    return bool(_gate(pattern).check(name, {})["effect"] == "allow")


# ---- constraints in words ----

_WORDS = {"!=": "is not", "==": "is", "in": "is one of", "not_in": "is none of", "starts_with": "starts with",
          "ends_with": "ends with", "contains": "contains", "matches": "matches", "glob": "is like",
          "type": "is of type", "path_within": "is a path within", "url": "is a URL with",
          "email_domain": "is an e-mail address at", "before": "is before", "after": "is after"}


def _operand(value: Any) -> str:
    if isinstance(value, Mapping) and list(value) == ["param"]:
        return str(value["param"]).lstrip("/")
    return _cloche.dumps(value)


def _condition(name: str, operator: str, value: Any) -> str:
    if operator in ("<", "<=", ">", ">="):
        return f"{name} {operator} {_operand(value)}"
    if operator == "between":
        return f"{name} is from {_operand(value[0])} to {_operand(value[1])}"
    if operator == "length":
        bounds = value if isinstance(value, Mapping) else {"==": value}
        return " and ".join(_condition(f"the length of {name}", *one) for one in bounds.items())
    if operator in ("all", "any", "none"):
        which = {"all": "each", "any": "some one", "none": "none"}[operator]
        return " and ".join(_conditions_at(f"{which} of {name}", value))
    if operator == "where":
        return f"{name} has " + " and ".join(conditions(value))
    if operator in ("exists", "not_exists"):
        return f"{name} is {'given' if operator == 'exists' else 'not given'}"
    return f"{name} {_WORDS.get(operator, operator)} {_operand(value)}"


def _conditions_at(name: str, operators: Mapping[str, Any]) -> list[str]:
    found = [_condition(name, operator, value) for operator, value in operators.items()
             if operator != "optional"]
    return [f"{one} if given" for one in found] if operators.get("optional") else found


def conditions(where: Mapping[str, Any], typed: Iterable[str] = ()) -> list[str]:
    """Each condition of a ``where`` in words, but for values of the parameters ``typed``."""
    found: list[str] = []
    for path, one in where.items():
        if path in ("and", "or"):
            parts = [" and ".join(conditions(inner, typed if path == "and" else ())) for inner in one]
            parts = [part for part in parts if part]
            found += parts if path == "and" else [" or ".join(f"({part})" for part in parts)]
        elif path == "not":
            found.append("not (" + " and ".join(conditions(one)) + ")")
        else:
            name = path.lstrip("/")
            rest = {operator: value for operator, value in one.items()
                    if not (name in typed and _listed({operator: value}) is not None)}
            found += _conditions_at(name, rest)
    return found


# ---- constraints as types ----


def _listed(operators: Mapping[str, Any]) -> list[Any] | None:
    """The values that operators list; None if they list none."""
    if isinstance(operators.get("in"), (list, tuple)):
        return list(operators["in"])
    if "==" in operators and not isinstance(operators["=="], (Mapping, list, tuple)):
        return [operators["=="]]
    return None


def _parameters(where: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """Operators by path, of what has to hold in any case."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for path, one in where.items():
        if path == "and":
            for inner in one:
                for name, operators in _parameters(inner).items():
                    found.setdefault(name, []).extend(operators)
        elif path not in ("or", "not"):
            found.setdefault(path.lstrip("/"), []).append(one)
    return found


def _values(operators: Sequence[Mapping[str, Any]]) -> list[Any] | None:
    """Those that all of the lists have."""
    kept: list[Any] | None = None
    for one in operators:
        listed = _listed(one)
        if listed is not None:
            kept = listed if kept is None else [value for value in kept if _has(listed, value)]
    return kept


def _has(values: Iterable[Any], value: Any) -> bool:
    return any(isinstance(one, bool) == isinstance(value, bool) and one == value for one in values)


def _with_values(schema: Any, steps: Sequence[str], values: list[Any], root: Schema) -> Any:
    """The schema with these values alone at the end of a path; None if it knows no such place."""
    while isinstance(schema, Mapping) and "$ref" in schema:
        schema = resolve(schema["$ref"], root)
    if not isinstance(schema, Mapping):
        return None
    if not steps:
        known = schema.get("enum")
        left = values if known is None else [one for one in values if _has(known, one)]
        return {"enum": left, **({"description": schema["description"]} if "description" in schema else {})}
    if steps[0] == "*":
        inner = _with_values(schema.get("items"), steps[1:], values, root)
        return None if inner is None else {**schema, "items": inner}
    properties = schema.get("properties") or {}
    inner = _with_values(properties.get(steps[0]), steps[1:], values, root)
    return None if inner is None else {**schema, "properties": {**properties, steps[0]: inner}}


def _is_wanted(operators: Sequence[Mapping[str, Any]]) -> bool:
    """A parameter that is missing meets no operator but not_exists."""
    return any(set(one) - {"not_exists", "optional"} and not one.get("optional") for one in operators)


def _without(schema: Schema, names: Iterable[str]) -> Schema:
    gone = set(names)
    properties = {name: one for name, one in (schema.get("properties") or {}).items() if name not in gone}
    required = [name for name in schema.get("required") or () if name not in gone]
    return {**schema, "properties": properties, "required": required}


# ---- rules ----


def _span(budget: Mapping[str, Any]) -> list[str]:
    """A budget in words."""
    found = []
    if budget.get("max_calls") is not None:
        count = budget["max_calls"]
        found.append(f"at most {count} call{'' if count == 1 else 's'}")
    if "rate" in budget:
        found.append(f"at most {budget['rate']['calls']} calls within {budget['rate']['per']}")
    for name, bounds in (budget.get("total") or {}).items():
        found += [f"the sum of {name} over all calls {operator} {_operand(bound)}"
                  for operator, bound in bounds.items()]
    if "max_concurrent" in budget:
        found.append(f"at most {budget['max_concurrent']} at the same time")
    return found


def _names(value: Any) -> str:
    """Of `after` and the like: which calls."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    return ", ".join(canonical(one["call"] if isinstance(one, Mapping) else one) for one in listed)


def _about(rule: Rule, budgets: Mapping[str, Any]) -> list[str]:
    """What a rule says beside its constraints."""
    found = _span(rule)
    shared = rule.get("budget") or ()
    for name in [shared] if isinstance(shared, str) else shared:
        found += [f"{one} (shared with others: {name})" for one in _span(budgets.get(name) or {})]
    if "expires" in rule:
        found.append(f"until {rule['expires']}")
    if "after" in rule:
        found.append(f"only after {_names(rule['after'])}")
    if "not_after" in rule:
        found.append(f"not after {_names(rule['not_after'])}")
    for key, words in (("if_label", "only once"), ("unless_label", "only until")):
        if key in rule:
            found.append(f"{words} this sandbox is labelled {', '.join(rule[key])}")
    if rule["effect"] == "ask":
        reason = rule.get("reason")
        found.append("a person is asked first" + (f": {reason}" if reason else ""))
    return found


_CONDITIONS = ("where", "if_label", "unless_label", "after", "not_after", "expires")


def _ways(rules: Sequence[Rule]) -> list[Rule]:
    """The rules that let calls through; none if one denies whatever comes."""
    if any(one["effect"] == "deny" and not any(one.get(key) for key in _CONDITIONS) for one in rules):
        return []
    return [one for one in rules if one["effect"] in ("allow", "ask")]


def _type(schema: Schema, ways: Sequence[Rule]) -> tuple[Schema, set[str]]:
    """The schema with the values that all ways list, and the paths whose values are in it now."""
    parameters = [_parameters(one.get("where") or {}) for one in ways]
    typed: set[str] = set()
    shared = [path for path in parameters[0] if all(path in one for one in parameters)]
    for path in shared:
        listed = [_values(one[path]) for one in parameters]
        if all(one is not None for one in listed):
            values: list[Any] = []
            for one in listed:
                values += [value for value in one or () if not _has(values, value)]
            narrowed = _with_values(schema, path.split("/"), values, schema)
            if narrowed is not None:
                schema = narrowed
                typed.add(path)
    properties = schema.get("properties") or {}
    wanted = [path for path in shared if path in properties
              and all(_is_wanted(one[path]) for one in parameters)]
    required = [*(schema.get("required") or ()), *wanted]
    schema = {**schema, "required": list(dict.fromkeys(required))}
    refused = {path for path in shared
               if all(any(one.get("not_exists") for one in each[path]) for each in parameters)}
    if all(one.get("closed") for one in ways):
        mentioned = {path.split("/")[0] for one in parameters for path in one}
        refused |= set(properties) - mentioned
    return _without(schema, refused & set(properties)), typed | refused


def _layer(schema: Schema, rules: Sequence[Rule],
           budgets: Mapping[str, Any]) -> tuple[Schema, list[str]] | None:
    ways = _ways(rules)
    if not ways:
        return None
    schema, typed = _type(schema, ways)
    told = [(conditions(one.get("where") or {}, typed if len(ways) == 1 else ()), _about(one, budgets))
            for one in ways]
    if len(ways) == 1:
        remarks = told[0][0] + told[0][1]
    else:
        remarks = _choices(told)
    for one in rules:
        if one["effect"] == "deny":
            held = conditions(one.get("where") or {}) + _about(one, budgets)
            remarks.append("never where " + " and ".join(held))
    return schema, remarks


def _choices(told: Sequence[tuple[list[str], list[str]]]) -> list[str]:
    """Several rules that let calls through, as one remark; none where one allows anything."""
    if any(not one[0] and not one[1] for one in told):
        return []
    choices = [" and ".join(held) + (" " if held and about else "")
               + (f"({', '.join(about)})" if about else "") for held, about in told]
    return ["either " + ", or ".join(dict.fromkeys(choices))]


def narrow(name: str, schema: Schema,
           layers: Iterable[Mapping[str, Any]]) -> tuple[Schema, list[str]] | None:
    """Through policies that all have to let a call pass. None: no call can."""
    remarks: list[str] = []
    for layer in layers:
        rules = [one for one in layer.get("rules") or () if matches(one["pattern"], name)]
        found = _layer(schema, rules, layer.get("budgets") or {})
        if found is None:
            return None
        schema = found[0]
        remarks += [one for one in found[1] if one not in remarks]
    return schema, remarks
