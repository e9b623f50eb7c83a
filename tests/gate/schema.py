# SPDX-License-Identifier: MIT
"""docs/policy.schema.json and the loader agree on what a policy is: on policies.json and on the
examples of docs/policy.md. What a schema cannot say is listed apart.

usage: schema.py DRIVER SOURCE_FOLDER     exits with 77 where jsonschema is not installed"""
import json
import pathlib
import re
import sys

from ask import Tally, ask

try:
    import jsonschema
except ImportError:
    print("skipped: Python's jsonschema is not installed")
    sys.exit(77)

driver, root = sys.argv[1], pathlib.Path(sys.argv[2])
tally = Tally()
schema = json.loads((root / "docs/policy.schema.json").read_text(encoding="utf-8"))
cases = json.loads((root / "tests/gate/policies.json").read_text(encoding="utf-8"))
page = (root / "docs/policy.md").read_text(encoding="utf-8")
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
examples = [json.loads(text) for text in re.findall(r"^```json policy\n(.*?)^```$", page, re.M | re.S)]


def loads(policies):
    return ask(driver, [{"do": "policy", "policy": policy} for policy in policies])


good = cases["good"] + examples
for policy, answer in zip(good, loads(good)):
    tally.same("good policies", json.dumps(policy), answer, "ok")
    tally.same("good policies by the schema", json.dumps(policy), validator.is_valid(policy), True)
for kind, by_schema in (("bad", False), ("beyond_a_schema", True)):
    policies = [case["policy"] for case in cases[kind]]
    for case, answer in zip(cases[kind], loads(policies)):
        what = json.dumps(case["policy"])
        tally.same("bad policies", what, answer.split(" ")[:2], ["error", case["place"]])
        tally.same("bad policies by the schema", what, validator.is_valid(case["policy"]), by_schema)
tally.end()
