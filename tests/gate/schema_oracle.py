# SPDX-License-Identifier: MIT
"""Compares the schema validator with Python's jsonschema, on random schemas and values.

usage: schema_oracle.py DRIVER [SEED]     exits with 77 where jsonschema is not installed"""
import json
import random
import sys

from ask import Tally, ask

try:
    import jsonschema
except ImportError:
    print("skipped: Python's jsonschema is not installed")
    sys.exit(77)

driver = sys.argv[1]
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
tally = Tally()
NAMES = ["a", "b", "ab", "c"]


def value(depth=2):
    kind = rng.randrange(8 if depth else 6)
    if kind == 6:
        return [value(depth - 1) for _ in range(rng.randrange(4))]
    if kind == 7:
        return {rng.choice(NAMES): value(depth - 1) for _ in range(rng.randrange(4))}
    return [None, rng.random() < 0.5, rng.randrange(-3, 8), rng.choice([0.5, 1.0, 2.5, -1.5, 3.0]),
            rng.choice(["", "a", "ab", "abc", "é", "b1"]), rng.randrange(4)][kind]


def schema(depth=2, refs=True):
    if rng.random() < 0.08:
        return rng.random() < 0.6
    out = {}
    for _ in range(rng.randrange(1, 4)):
        kind = rng.randrange(28 if depth else 16)
        sub = (lambda: schema(depth - 1, refs))
        if kind == 0:
            out["type"] = rng.choice(["null", "boolean", "integer", "number", "string", "array", "object", ["string", "null"], ["integer", "array"]])
        elif kind == 1:
            out["enum"] = [value(1) for _ in range(rng.randrange(1, 5))]
        elif kind == 2:
            out["const"] = value(1)
        elif kind == 3:
            out[rng.choice(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])] = rng.choice([0, 1, 2.5, -1, 3])
        elif kind == 4:
            out["multipleOf"] = rng.choice([1, 2, 0.5, 3])
        elif kind == 5:
            out[rng.choice(["minLength", "maxLength"])] = rng.randrange(4)
        elif kind == 6:
            out["pattern"] = rng.choice(["^a", "b$", "[0-9]", "a|b", "^.{2}$"])
        elif kind == 7:
            out[rng.choice(["minItems", "maxItems"])] = rng.randrange(4)
        elif kind == 8:
            out["uniqueItems"] = rng.random() < 0.7
        elif kind == 9:
            out[rng.choice(["minProperties", "maxProperties"])] = rng.randrange(4)
        elif kind == 10:
            out["required"] = rng.sample(NAMES, rng.randrange(3))
        elif kind == 11:
            out["dependentRequired"] = {rng.choice(NAMES): rng.sample(NAMES, 1)}
        elif kind == 12:
            out["title"] = "t"
        elif kind == 13 and refs:  # never to itself without a step into the value: the oracle would not end
            out["$ref"] = rng.choice(["#/$defs/x", "#/$defs/y"])
        elif kind in (14, 15):
            out["type"] = "object"
        elif kind in (16, 17):
            out["properties"] = {name: sub() for name in rng.sample(NAMES, rng.randrange(1, 4))}
        elif kind == 18:
            out["additionalProperties"] = rng.choice([False, sub()])
        elif kind == 19:
            out["patternProperties"] = {rng.choice(["^a", "b$", "c"]): sub()}
        elif kind == 20:
            out["propertyNames"] = rng.choice([{"maxLength": 1}, {"pattern": "^a"}, {"enum": ["a", "b"]}])
        elif kind == 21:
            out["items"] = sub()
        elif kind == 22:
            out["prefixItems"] = [sub() for _ in range(rng.randrange(1, 3))]
        elif kind == 23:
            out[rng.choice(["allOf", "anyOf", "oneOf"])] = [sub() for _ in range(rng.randrange(1, 4))]
        elif kind == 24:
            out["not"] = sub()
        elif kind == 25:
            out["if"] = sub()
            out[rng.choice(["then", "else"])] = sub()
        elif kind == 26:
            out["anyOf"] = [{"type": "string"}, sub()]
        else:
            out["items"] = {"type": rng.choice(["string", "integer"])}
    return out


questions, wants = [], []
while len(questions) < 20000:
    whole = schema(3)
    if isinstance(whole, dict):
        whole["$defs"] = {"x": schema(1, False), "y": {"type": "object", "properties": {"a": {"$ref": "#/$defs/y"}}, "required": ["b"]}}
    validator = jsonschema.Draft202012Validator(whole)
    for _ in range(5):
        one = value(3)
        want = "valid" if validator.is_valid(one) else "invalid"
        questions.append({"do": "schema", "schema": whole, "value": one})
        wants.append(want)
for question, got, want in zip(questions, ask(driver, questions), wants):
    tally.same("values against schemas", json.dumps(question), got, want)
print(f"{wants.count('valid')} of them valid")
tally.end()
