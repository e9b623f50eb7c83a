# SPDX-License-Identifier: MIT
"""Decides random calls a second time, by a model of docs/policy.md that is as plain as can be, and
compares. Constraints only: no budgets, no order.

usage: model.py DRIVER [SEED]"""
import json
import random
import sys

from ask import Tally, ask

driver = sys.argv[1]
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
tally = Tally()
ABSENT, MISTYPED, UNDEFINED = object(), object(), None  # truth: True, False, UNDEFINED


# ---- the model ----

def all_of(truths):
    truths = list(truths)
    return False if False in truths else UNDEFINED if UNDEFINED in truths else True


def any_of(truths):
    truths = list(truths)
    return True if True in truths else UNDEFINED if UNDEFINED in truths else False


def inverse(truth):
    return UNDEFINED if truth is UNDEFINED else not truth


def kind(value):
    for name, types in (("boolean", bool), ("number", (int, float)), ("string", str), ("array", list), ("object", dict)):
        if isinstance(value, types):
            return name
    return "null"


def same(a, b):
    """Equality of JSON values, where True is not 1."""
    if kind(a) != kind(b):
        return False
    if kind(a) == "array":
        return len(a) == len(b) and all(map(same, a, b))
    if kind(a) == "object":
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return a == b


def equal(value, wanted):
    if kind(value) == kind(wanted):
        return same(value, wanted)
    return False if wanted is None else UNDEFINED


def ordered(value, bound, test):
    if kind(value) != kind(bound) or kind(value) not in ("number", "string"):
        return UNDEFINED
    return test(value, bound)


def is_in(value, options):
    truths = [equal(value, option) for option in options]
    if True in truths:
        return True
    return False if any(kind(o) == kind(value) for o in options) else UNDEFINED


ORDERS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


def step(value, key):
    if value is None:
        return ABSENT
    if isinstance(value, dict):
        return value.get(key, ABSENT)
    if isinstance(value, list) and key.isdigit() and (key == "0" or key[0] != "0"):
        return value[int(key)] if int(key) < len(value) else ABSENT
    return MISTYPED


def at_path(value, keys, then):
    """`then` of the value there; of every element where the path has a star."""
    for i, key in enumerate(keys):
        if key == "*" and value is not None and value is not ABSENT:
            if not isinstance(value, list):
                return UNDEFINED
            return all_of(at_path(element, keys[i + 1:], then) for element in value)
        if value is not ABSENT:
            value = step(value, key)
        if value is MISTYPED:
            return UNDEFINED
    return then(value)


def plain(value, keys):
    for key in keys:
        value = step(value, key)
        if value in (ABSENT, MISTYPED):
            return ABSENT
    return value


def start(path, top, root):
    return (top, path[1:].split("/")) if path.startswith("/") else (root, path.split("/"))


def one(op, operand, optional, top, root):
    def test(value):
        missing = value is ABSENT or value is None
        if op == "exists":
            return not missing
        if op == "not_exists":
            return missing
        if value is ABSENT:
            return True if optional else UNDEFINED
        bound = operand
        if op in ORDERS or op in ("==", "!="):
            if isinstance(operand, dict) and "param" in operand:
                bound = plain(*start(operand["param"], top, root))
                if bound in (ABSENT, None) or value is None:
                    return UNDEFINED
            if op in ORDERS:
                return ordered(value, bound, ORDERS[op])
            return equal(value, bound) if op == "==" else inverse(equal(value, bound))
        if op in ("in", "not_in"):
            return is_in(value, operand) if op == "in" else inverse(is_in(value, operand))
        if op == "between":
            return all_of([ordered(value, operand[0], ORDERS[">="]), ordered(value, operand[1], ORDERS["<="])])
        if op == "starts_with":
            return value.startswith(operand) if isinstance(value, str) else UNDEFINED
        if op == "ends_with":
            return value.endswith(operand) if isinstance(value, str) else UNDEFINED
        if op == "contains":
            if isinstance(value, list):
                return any_of(equal(element, operand) for element in value)
            return operand in value if isinstance(value, str) and isinstance(operand, str) else UNDEFINED
        if op == "type":
            names = operand if isinstance(operand, list) else [operand]
            return kind(value) in names or ("integer" in names and kind(value) == "number" and value == int(value))
        if op == "length":
            if not isinstance(value, (str, list, dict)):
                return UNDEFINED
            return each(operand if isinstance(operand, dict) else {"==": operand}, top, len(value))
        if op in ("all", "any", "none"):
            if not isinstance(value, list):
                return UNDEFINED
            truths = [each(operand, top, element) for element in value]
            return all_of(truths) if op == "all" else any_of(truths) if op == "any" else inverse(any_of(truths))
        assert op == "where"
        return where(operand, top, value) if isinstance(value, dict) else UNDEFINED
    return test


def each(operators, top, element):
    """Operators asked of a value itself."""
    optional = operators.get("optional", False)
    return all_of(one(op, operand, optional, top, element)(element) for op, operand in operators.items() if op != "optional")


def where(clauses, top, root):
    truths = []
    for key, value in clauses.items():
        if key == "and":
            truths.append(all_of(where(w, top, root) for w in value))
        elif key == "or":
            truths.append(any_of(where(w, top, root) for w in value))
        elif key == "not":
            truths.append(inverse(where(value, top, root)))
        else:
            base, keys = start(key, top, root)
            for op, operand in value.items():
                if op != "optional":
                    truths.append(at_path(base, keys, one(op, operand, value.get("optional", False), top, root)))
    return all_of(truths)


def decide(policy, params):
    """Of rules that all match: deny over ask over allow."""
    effects = set()
    for rule in policy["rules"]:
        holds = where(rule["where"], params, params)
        if holds or (holds is UNDEFINED and rule["effect"] != "allow"):
            effects.add(rule["effect"])
    return next((effect for effect in ("deny", "ask", "allow") if effect in effects), "deny")


# ---- random policies and calls ----

NAMES = ["a", "b", "c"]


def scalar():
    return rng.choice([0, 1, 2, 1.5, -1, "", "a", "ab", "b", True, False, None])


def value(depth=2):
    choice = rng.random()
    if depth and choice < 0.2:
        return [value(depth - 1) for _ in range(rng.randrange(4))]
    if depth and choice < 0.4:
        return {rng.choice(NAMES): value(depth - 1) for _ in range(rng.randrange(3))}
    return scalar()


def path(stars=True):
    return rng.choice(["", "", "", "/"]) + "/".join(rng.choices(NAMES + ["0", "1"] + ["*"] * stars, k=rng.choice([1, 1, 1, 2, 2, 3])))


def comparable():
    return rng.choice([0, 1, 2, 1.5, "a", "ab"])


def operators(depth):
    out = {}
    for _ in range(rng.choice([1, 1, 2])):
        op = rng.choice(["<", "<=", ">", ">=", "==", "!=", "in", "not_in", "between", "starts_with", "ends_with",
                         "contains", "type", "exists", "not_exists"] + ["length", "all", "any", "none", "where"] * (depth > 0))
        if op in ORDERS or op in ("==", "!="):
            out[op] = {"param": path(False)} if rng.random() < 0.2 else comparable() if op in ORDERS else scalar()
        elif op in ("in", "not_in"):
            out[op] = [scalar() for _ in range(rng.randrange(1, 4))]
        elif op == "between":
            out[op] = sorted(rng.choices([0, 1, 2, 1.5], k=2)) if rng.random() < 0.7 else ["a", "ab"]
        elif op in ("starts_with", "ends_with"):
            out[op] = rng.choice(["", "a", "b"])
        elif op == "contains":
            out[op] = scalar()
        elif op == "type":
            out[op] = rng.choice(["integer", "number", "string", "null", "array", "object", "boolean", ["string", "integer"]])
        elif op in ("exists", "not_exists"):
            out[op] = True
        elif op == "length":
            out[op] = rng.choice([0, 1, {"<": 2}, {">=": 1}])
        elif op == "where":
            out[op] = clauses(depth - 1)
        else:
            out[op] = operators(depth - 1)
    if rng.random() < 0.15:
        out["optional"] = True
    return out


def clauses(depth):
    out = {}
    for _ in range(rng.choice([1, 1, 2])):
        choice = rng.random()
        if depth and choice < 0.15:
            out["not"] = clauses(depth - 1)
        elif depth and choice < 0.35:
            out[rng.choice(["and", "or"])] = [clauses(depth - 1) for _ in range(rng.randrange(1, 3))]
        else:
            out[path()] = operators(depth)
    return out


questions, wants = [], []
for _ in range(12000):
    rules = [{"pattern": "m", "effect": rng.choice(["allow", "allow", "ask", "deny"]), "where": clauses(2)} for _ in range(rng.choice([1, 1, 2, 3]))]
    for _ in range(3):
        params = {name: value() for name in NAMES if rng.random() < 0.8}
        questions.append({"do": "calls", "policy": {"rules": rules}, "calls": [{"method": "m", "params": params, "at": "1970-01-01"}]})
        wants.append(decide({"rules": rules}, params))
for question, got, want in zip(questions, ask(driver, questions), wants):
    tally.same("calls decided twice", json.dumps(question), got.split(" ")[0], want)
print({effect: wants.count(effect) for effect in ("allow", "ask", "deny")})
tally.end()
