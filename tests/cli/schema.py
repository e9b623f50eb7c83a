#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""schema.py -- the published schema and cloche agree on what a configuration is.

    schema.py CLOCHE

Each of configs.json goes through both, and both have to say what is written there.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema

HERE = Path(__file__).resolve().parent
SCHEMA = json.loads((HERE.parents[1] / "docs/config.schema.json").read_text(encoding="utf-8"))


def loads(cloche, config):
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(config, file)
        file.flush()
        done = subprocess.run([cloche, "tools", "--config", file.name], capture_output=True, check=False)
    if done.returncode not in (0, 2):
        sys.exit(f"cloche tools ended with {done.returncode} on {json.dumps(config)}")
    return done.returncode == 0


def main():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    cases = json.loads((HERE / "configs.json").read_text(encoding="utf-8"))
    failed = 0
    for case in cases:
        says = {"schema": validator.is_valid(case["config"]), "cloche": loads(sys.argv[1], case["config"])}
        for who, valid in says.items():
            if valid != case["valid"]:
                failed += 1
                print(f"{case['why']}: {who} says {'valid' if valid else 'not valid'}")
    print(f"{len(cases)} configurations, {failed} answers other than written")
    sys.exit(failed > 0)


main()
